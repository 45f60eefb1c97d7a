/* The device behind the libttsim ABI: configuration space, BARs, windows, endpoints, time, faults.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/device.h"
#include "abi/endpoint.h"
#include "abi/libttsim.h"

#define BAR0       UINT64_C(0x100000000)
#define BAR2       UINT64_C(0x120000000)
#define BAR4       UINT64_C(0x800000000)
#define TLB        (BAR0 + 0x1fc00000)
#define WALL_CLOCK UINT64_C(0xffb121f0)
#define SOFT_RESET UINT64_C(0xffb121b0)

enum { ALL_HELD = 0x47800, BRISC_RUNS = 0x47000 };

/* --- Helpers --- */

/* What was reported goes to this file, and out of the test's way from stderr. */
static char report_path[sizeof "/tmp/check_abi_XXXXXX"];

static void before(void)
{
    strcpy(report_path, "/tmp/check_abi_XXXXXX");
    int fd = mkstemp(report_path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(setenv("PENROSE_REPORT", report_path, 1), 0);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
}

static void after(void)
{
    unlink(report_path);
}

/* Number of lines of the report that contain `text`. */
static unsigned reported(const char *text)
{
    char line[4096];
    unsigned count = 0;
    FILE *file = fopen(report_path, "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        count += strstr(line, text) != NULL;
    }
    fclose(file);
    return count;
}

static uint32_t rd(uint64_t paddr)
{
    uint32_t value;
    libttsim_pci_mem_rd_bytes(paddr, &value, sizeof value);
    return value;
}

static void wr(uint64_t paddr, uint32_t value)
{
    libttsim_pci_mem_wr_bytes(paddr, &value, sizeof value);
}

static uint32_t tile_rd(unsigned x, unsigned y, uint64_t address)
{
    uint32_t value;
    libttsim_tile_rd_bytes(x, y, address, &value, sizeof value);
    return value;
}

static void tile_wr(unsigned x, unsigned y, uint64_t address, uint32_t value)
{
    libttsim_tile_wr_bytes(x, y, address, &value, sizeof value);
}

/* Fields of a window in the order of the specification, written as its three words. */
static void set_window(unsigned index, uint64_t local_offset, unsigned x_end, unsigned y_end,
                       unsigned x_start, unsigned y_start, unsigned noc, unsigned multicast)
{
    unsigned bits = index < 202 ? 43 : 32;
    uint64_t rest =
        x_end | y_end << 6 | x_start << 12 | y_start << 18 | noc << 24 | (uint64_t)multicast << 26;
    wr(TLB + 12 * index, (uint32_t)local_offset);
    wr(TLB + 12 * index + 4, (uint32_t)(local_offset >> 32 | rest << (bits - 32)));
    wr(TLB + 12 * index + 8, (uint32_t)(rest >> (64 - bits)));
}

static void assemble(unsigned x, unsigned y, uint32_t address, const char *const *lines)
{
    for (; *lines; lines++, address += 4) {
        struct penrose_error error = {0};
        uint32_t word;
        ck_assert_msg(penrose_assemble(*lines, address, &word, &error) == PENROSE_OK, "%s: %s",
                      *lines, error.text);
        tile_wr(x, y, address, word);
    }
}

/* --- Configuration space and registers --- */

START_TEST(identity)
{
    libttsim_init();
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0), 0xb1401e52);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 8), 0x12000001);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0x10), 4);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0x14), 1);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0x18), 0x20000004);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0x1c), 1);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0x20), 4);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0x24), 8);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0x34), 0);
    for (unsigned device = 1; device < 32; device++) {
        ck_assert_uint_eq(libttsim_pci_config_rd32(device << 3, 0), UINT32_MAX);
    }
    ck_assert_uint_eq(libttsim_pci_config_rd32(1, 0), UINT32_MAX);
    ck_assert_uint_eq(reported(""), 0);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 2), UINT32_MAX);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 4096), UINT32_MAX);
    ck_assert_uint_eq(reported("offset 0x2 "), 1);
    ck_assert_uint_eq(reported("offset 0x1000 "), 1);
    libttsim_exit();
}
END_TEST

START_TEST(registers_keep_what_is_written)
{
    libttsim_init();
    for (uint32_t i = 0; i < TLB_WORDS; i++) {
        wr(TLB + 4 * i, i * 0x01010101);
    }
    for (uint32_t i = 0; i < TLB_WORDS; i++) {
        ck_assert_uint_eq(rd(TLB + 4 * i), i * 0x01010101);
    }
    for (uint32_t i = 0x1000; i < 0x3000; i += 4) {
        wr(BAR2 + i, ~i);
    }
    ck_assert_uint_eq(rd(BAR2 + 0x1000), ~0x1000u);
    ck_assert_uint_eq(rd(BAR2 + 0x2ffc), ~0x2ffcu);
    wr(BAR2 + 0x120, 0x1234);
    ck_assert_uint_eq(rd(BAR2 + 0x120), 0x1234);
    ck_assert_uint_eq(rd(BAR0 + 0x1fd04044), 0x10611002);
    ck_assert_uint_eq(rd(BAR0 + 0x1fd04100), 0x4000);
    ck_assert_uint_eq(rd(BAR0 + 0x1fd14044), 0x006112ce);
    ck_assert_uint_eq(reported(""), 0);
    ck_assert_uint_eq(rd(BAR0 + 0x1fd04200), 0);
    ck_assert_uint_eq(reported("register 0x200"), 1);
    wr(BAR2 + 0x104, 1);
    ck_assert_uint_eq(reported("DMA is not modelled"), 1);
    libttsim_exit();
}
END_TEST

START_TEST(several_registers_at_once_but_no_parts)
{
    uint32_t three[3] = {1, 2, 3}, back[3];
    uint8_t bytes[6];
    libttsim_init();
    libttsim_pci_mem_wr_bytes(TLB + 24, three, sizeof three);
    libttsim_pci_mem_rd_bytes(TLB + 24, back, sizeof back);
    ck_assert_mem_eq(three, back, sizeof three);
    libttsim_pci_mem_wr_bytes(TLB + 25, "x", 1);
    ck_assert_uint_eq(rd(TLB + 24), 1);
    libttsim_pci_mem_rd_bytes(TLB + 26, bytes, sizeof bytes); /* half a word, then a whole one */
    ck_assert_mem_eq(bytes, "\xff\xff\x02\0\0\0", 6);
    ck_assert_uint_eq(reported("aligned 32-bit words"), 2);
    libttsim_exit();
}
END_TEST

START_TEST(gaps_read_all_ones)
{
    uint8_t across[8];
    libttsim_init();
    ck_assert_uint_eq(rd(BAR0 + 0x19400000), UINT32_MAX);
    ck_assert_uint_eq(rd(BAR0 + 0x19400ffc), UINT32_MAX);
    wr(BAR0 + 0x19400010, 5);
    ck_assert_uint_eq(rd(BAR0 + 0x1ffffffc), UINT32_MAX);
    ck_assert_uint_eq(rd(BAR2 + 0xffffc), UINT32_MAX);
    ck_assert_uint_eq(reported("BAR0 + 0x19400000:"), 1);
    ck_assert_uint_eq(reported("BAR0 + 0x1ffff000:"), 1);
    ck_assert_uint_eq(reported("BAR2 + 0xff000:"), 1);
    libttsim_pci_mem_rd_bytes(TLB + 0xa54, across, 8); /* the last register, then nothing */
    ck_assert_mem_eq(across, "\0\0\0\0\xff\xff\xff\xff", 8);
    libttsim_pci_mem_rd_bytes(BAR0 - 4, across, 8); /* nothing is below */
    ck_assert_mem_eq(across, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    ck_assert_uint_eq(rd(0x1000), UINT32_MAX);
    ck_assert_uint_eq(rd(UINT64_MAX - 1), UINT32_MAX);
    ck_assert_uint_eq(rd(BAR4 + (UINT64_C(32) << 30)), UINT32_MAX);
    ck_assert_uint_eq(reported("in no BAR"), 4);
    libttsim_exit();
}
END_TEST

/* --- Windows --- */

START_TEST(windows_reach_any_tile)
{
    static const unsigned indices[] = {0, 1, 31, 32, 200, 201};
    libttsim_init();
    for (unsigned i = 0; i < sizeof indices / sizeof *indices; i++) {
        unsigned index = indices[i];
        set_window(index, 0, 1 + i, 11, 0, 0, i & 1, 0);
        wr(BAR0 + index * UINT64_C(0x200000) + 0x17fffc, 0x1000 + i);
        ck_assert_uint_eq(tile_rd(1 + i, 11, 0x17fffc), 0x1000 + i);
        ck_assert_uint_eq(rd(BAR0 + index * UINT64_C(0x200000) + 0x17fffc), 0x1000 + i);
    }
    set_window(7, 0xffb12000 >> 21, 16, 2, 0, 0, 0, 0); /* registers */
    wr(BAR0 + 7 * 0x200000 + (SOFT_RESET & 0x1fffff), ALL_HELD);
    ck_assert_uint_eq(tile_rd(16, 2, SOFT_RESET), ALL_HELD);
    for (unsigned index = 202; index < 210; index++) {
        uint64_t base = BAR4 + ((uint64_t)(index - 202) << 32);
        set_window(index, 0, 10, index - 200, 0, 0, 0, 0);
        wr(base + 0x500, index);
        ck_assert_uint_eq(tile_rd(10, index - 200, 0x500), index);
        ck_assert_uint_eq(rd(base + SOFT_RESET), ALL_HELD);
    }
    ck_assert_uint_eq(reported(""), 0);
    libttsim_exit();
}
END_TEST

START_TEST(window_offsets_have_43_and_32_bits)
{
    libttsim_init();
    set_window(3, UINT64_C(0x7ffffffffff), 1, 2, 0, 0, 0, 0);
    ck_assert_uint_eq(rd(BAR0 + 3 * 0x200000 + 0x1ffffc), UINT32_MAX);
    ck_assert_uint_eq(reported("0xfffffffffffffffc"), 1);
    set_window(202, 0x12345678, 1, 2, 0, 0, 0, 0);
    ck_assert_uint_eq(rd(BAR4 + 0x10), UINT32_MAX);
    ck_assert_uint_eq(reported("0x1234567800000010"), 1);
    libttsim_exit();
}
END_TEST

START_TEST(accesses_are_cut_at_windows)
{
    uint8_t pattern[64], back[64];
    for (unsigned i = 0; i < sizeof pattern; i++) {
        pattern[i] = (uint8_t)(i + 1);
    }
    libttsim_init();
    set_window(4, 0, 1, 2, 0, 0, 0, 0); /* its second half is above L1 */
    set_window(5, 0, 2, 2, 0, 0, 0, 0);
    set_window(6, 0xffa00000 >> 21, 3, 2, 0, 0, 0, 0);
    for (unsigned skew = 0; skew < 9; skew++) {
        uint64_t at = BAR0 + 5 * 0x200000 + 0x1000 + skew;
        libttsim_pci_mem_wr_bytes(at, pattern, 33);
        libttsim_pci_mem_rd_bytes(at, back, 33);
        ck_assert_mem_eq(pattern, back, 33);
    }
    libttsim_pci_mem_wr_bytes(BAR0 + 5 * 0x200000 - 20, pattern, 50);
    ck_assert_uint_eq(reported("tile (1, 2): 0x001fffec"), 1);
    libttsim_tile_rd_bytes(2, 2, 0, back, 30);
    ck_assert_mem_eq(pattern + 20, back, 30);
    memset(back, 0, sizeof back);
    libttsim_pci_mem_rd_bytes(BAR0 + 4 * 0x200000 + 0x180000 - 8, back, 16); /* the end of L1 */
    ck_assert_mem_eq(back, "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16);
    set_window(202, 0, 4, 2, 0, 0, 0, 0);
    set_window(203, 0, 5, 2, 0, 0, 0, 0);
    libttsim_pci_mem_wr_bytes(BAR4 + (UINT64_C(1) << 32) - 8, pattern, 16);
    libttsim_tile_rd_bytes(5, 2, 0, back, 8);
    ck_assert_mem_eq(pattern + 8, back, 8);
    libttsim_exit();
}
END_TEST

/* The slow path to a local RAM is memory among the registers. */
START_TEST(unaligned_access_to_register_space)
{
    uint8_t bytes[11] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, back[11];
    libttsim_init();
    libttsim_tile_wr_bytes(3, 3, 0xffb14003, bytes, sizeof bytes);
    libttsim_tile_rd_bytes(3, 3, 0xffb14003, back, sizeof back);
    ck_assert_mem_eq(bytes, back, sizeof bytes);
    ck_assert_uint_eq(tile_rd(3, 3, 0xffb14004), 0x05040302);
    ck_assert_uint_eq(reported(""), 0);
    libttsim_exit();
}
END_TEST

/* --- Multicast --- */

/* Writes through window 2 and returns the workers that got it, as a bit per x for each y. */
static void send(uint32_t value, uint32_t got[12])
{
    wr(BAR0 + 2 * 0x200000 + 0x100, value);
    for (unsigned y = 0; y < 12; y++) {
        got[y] = 0;
        for (unsigned x = 0; x < 17; x++) {
            bool hit = penrose_is_worker(x, y) && tile_rd(x, y, 0x100) == value;
            got[y] |= (uint32_t)hit << x;
        }
    }
}

static void set_strides(uint32_t word)
{
    wr(TLB + 210 * 12 + 4 * 2, word);
}

static void expect_rectangle(const uint32_t got[12], uint32_t columns, uint32_t rows)
{
    for (unsigned y = 0; y < 12; y++) {
        ck_assert_msg(got[y] == (rows >> y & 1 ? columns : 0), "row %u: 0x%x", y, got[y]);
    }
}

enum { WORKER_COLUMNS = 0x1fcfe, WORKER_ROWS = 0xffc };

START_TEST(multicast_rectangles)
{
    uint32_t got[12];
    libttsim_init();
    set_window(2, 0, 4, 5, 2, 3, 0, 1);
    send(0x11, got);
    expect_rectangle(got, 0x1c, 0x38);
    set_window(2, 0, 16, 11, 1, 2, 0, 1); /* all, around the columns of CPUs and DRAM */
    send(0x12, got);
    expect_rectangle(got, WORKER_COLUMNS, WORKER_ROWS);
    set_window(2, 0, 2, 3, 15, 10, 0, 1); /* wraps around */
    send(0x13, got);
    expect_rectangle(got, 0x18006, 0xc0c);
    set_window(2, 0, 2, 3, 4, 5, 1, 1); /* NoC 1 flows the other way: start and end are swapped */
    send(0x14, got);
    expect_rectangle(got, 0x1c, 0x38);
    set_window(2, 0, 4, 5, 2, 3, 1, 1); /* and so this wraps */
    send(0x15, got);
    expect_rectangle(got, WORKER_COLUMNS & ~UINT32_C(0x8), WORKER_ROWS & ~UINT32_C(0x10));
    set_window(2, 0, 9, 11, 8, 2, 0, 1);
    send(0x16, got);
    expect_rectangle(got, 0, 0);
    ck_assert_uint_eq(reported("reaches no worker tile"), 1);
    ck_assert_uint_eq(rd(BAR0 + 2 * 0x200000), UINT32_MAX);
    ck_assert_uint_eq(reported("cannot be read"), 1);
    libttsim_exit();
}
END_TEST

START_TEST(multicast_patterns)
{
    uint32_t got[12];
    libttsim_init();
    set_window(2, 0, 16, 11, 1, 2, 0, 1);
    set_strides(1 | 1 << 2 | 1 << 4 | 2 << 6); /* every other column, every third row */
    send(0x21, got);
    expect_rectangle(got, WORKER_COLUMNS & 0xaaaaaaaa, 0x924);
    set_strides(1); /* keep without skip is no pattern */
    send(0x22, got);
    expect_rectangle(got, WORKER_COLUMNS, WORKER_ROWS);
    set_window(2, 0, 4, 11, 13, 2, 0, 1); /* wraps: 13 14 15 16 1 2 3 4, of which two in four */
    set_strides(2 | 2 << 2);
    send(0x23, got);
    ck_assert_uint_eq(got[5], (1 << 13 | 1 << 14) |
                                  /* 64 - 13 + x: x = 1, 2 are places 52, 53 of the pattern */
                                  (1 << 1 | 1 << 2));
    set_window(2, 0, 16, 11, 1, 2, 0, 1);
    set_strides(12u << 8 | 6u << 13 | 1u << 17 | 1u << 19); /* without x >= 12 and y <= 6 */
    send(0x24, got);
    ck_assert_uint_eq(got[6], WORKER_COLUMNS & 0xfff);
    ck_assert_uint_eq(got[7], WORKER_COLUMNS);
    set_window(2, 0, 1, 2, 16, 11, 1, 1); /* on NoC 1 raw coordinates count from the other corner */
    set_strides(12u << 8 | 6u << 13 | 1u << 17 | 1u << 19);
    send(0x25, got);
    ck_assert_uint_eq(got[5], WORKER_COLUMNS & ~UINT32_C(0x1f));
    ck_assert_uint_eq(got[4], WORKER_COLUMNS);
    libttsim_exit();
}
END_TEST

/* --- Endpoints --- */

START_TEST(tiles_without_model_are_reported_once)
{
    static const struct {
        unsigned x, y;
        const char *name;
    } tiles[] = {{17, 12, "DRAM tile (17, 12)"},     {18, 23, "DRAM tile (18, 23)"},
                 {20, 25, "Ethernet tile (20, 25)"}, {8, 0, "ARC tile (8, 0)"},
                 {19, 24, "PCIe tile (19, 24)"},     {8, 26, "L2CPU tile (8, 26)"},
                 {8, 30, "security tile (8, 30)"}};
    libttsim_init();
    for (unsigned i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        tile_wr(tiles[i].x, tiles[i].y, 0x40, 7);
        ck_assert_uint_eq(tile_rd(tiles[i].x, tiles[i].y, 0x40), 0);
        ck_assert_uint_eq(tile_rd(tiles[i].x, tiles[i].y, 0x12345678), 0);
        ck_assert_uint_eq(reported(tiles[i].name), 1);
    }
    ck_assert_uint_eq(reported(""), sizeof tiles / sizeof *tiles);
    ck_assert_uint_eq(tile_rd(33, 12, 0), UINT32_MAX);
    ck_assert_uint_eq(reported("no tile at (33, 12)"), 1);
    ck_assert_uint_eq(tile_rd(64, 0, 0), UINT32_MAX);
    ck_assert_uint_eq(reported("no tile at (64, 0)"), 1);
    libttsim_exit();
}
END_TEST

START_TEST(values_for_discovery)
{
    uint8_t version[3];
    uint32_t header[2];
    libttsim_init();
    ck_assert_uint_eq(tile_rd(8, 0, 0x80030408), 5);
    ck_assert_uint_eq(tile_rd(25, 25, 0x7cc04), 2);
    ck_assert_uint_eq(tile_rd(25, 25, SOFT_RESET), 0x1800);
    libttsim_tile_rd_bytes(25, 25, 0x7cfbc, version, sizeof version);
    ck_assert_mem_eq(version, "\0\x06\x01", 3);
    libttsim_tile_rd_bytes(8, 0, tile_rd(8, 0, 0x80030434), header, sizeof header);
    ck_assert_uint_eq(header[0], 1);
    ck_assert_uint_eq(header[1], 18);
    /* all tags are different, and each points to its value */
    uint64_t seen = 0;
    for (uint32_t i = 0; i < header[1]; i++) {
        uint32_t entry = tile_rd(8, 0, 0x10000108 + 4 * i);
        ck_assert_uint_eq(entry >> 16, i);
        ck_assert(!(seen >> (entry & 63) & 1));
        seen |= UINT64_C(1) << (entry & 63);
    }
    ck_assert_uint_eq(reported(""), 0);
    libttsim_exit();
}
END_TEST

START_TEST(top_rows_of_noc_1_are_mirrored)
{
    libttsim_init();
    set_window(9, 0x80000000 >> 21, 8, 0, 0, 0, 1, 0);
    ck_assert_uint_eq(rd(BAR0 + 9 * 0x200000 + 0x30408), 5);
    set_window(9, 0, 14, 0, 0, 0, 1, 0); /* PCIe at (2, 0) of NoC 0 */
    ck_assert_uint_eq(rd(BAR0 + 9 * 0x200000), 0);
    ck_assert_uint_eq(reported("PCIe tile (14, 0)"), 1);
    libttsim_exit();
}
END_TEST

/* --- Time --- */

/* Runs for a long time without being a polling loop, then stores 1 to 0x400. */
static const char *const long_job[] = {
    "lui a0, 0x40",     "addi a0, a0, -1",    "sw a0, 0x404(zero)", "bne a0, zero, 0x1004",
    "addi a0, zero, 1", "sw a0, 0x400(zero)", "jal zero, 0x1018",   NULL};

static void start(unsigned x, unsigned y, const char *const *lines)
{
    assemble(x, y, 0x1000, lines);
    tile_wr(x, y, 0, 0x0000106f); /* jal zero, 0x1000 */
    tile_wr(x, y, SOFT_RESET, BRISC_RUNS);
}

/* Polls 0x400 of a tile until it is 1; returns the number of polls. */
static unsigned poll(unsigned x, unsigned y)
{
    unsigned polls = 0;
    while (tile_rd(x, y, 0x400) != 1 && polls < 2000000) {
        libttsim_clock(1);
        polls++;
    }
    ck_assert_uint_eq(tile_rd(x, y, 0x400), 1);
    return polls;
}

/* The job takes 3 * 0x40000 cycles. */
START_TEST(polls_are_few)
{
    libttsim_init();
    start(1, 2, long_job);
    ck_assert_uint_lt(poll(1, 2), 10 + 3 * 0x40000 / 65536 + 2);
    libttsim_exit();
}
END_TEST

static struct device *make_device(const char *run_ahead)
{
    if (run_ahead) {
        setenv("PENROSE_RUN_AHEAD", run_ahead, 1);
    }
    struct device *device = device_create();
    ck_assert_ptr_nonnull(device);
    return device;
}

static void device_word(struct device *device, uint64_t address, uint32_t *value, bool write)
{
    struct endpoint endpoint = {.x = 1, .y = 2, .address = address};
    struct transfer transfer = {.from = write ? (const uint8_t *)value : NULL,
                                .to = write ? NULL : (uint8_t *)value,
                                .size = sizeof *value};
    if (write) {
        device_endpoint_write(device, endpoint, transfer);
    } else {
        device_endpoint_read(device, endpoint, transfer);
    }
}

static void device_set(struct device *device, uint64_t address, uint32_t value)
{
    device_word(device, address, &value, true);
}

static uint32_t device_get(struct device *device, uint64_t address)
{
    uint32_t value;
    device_word(device, address, &value, false);
    return value;
}

/* Writes a program to 0x1000 of a tile and starts BRISC there. */
static void start_lines(struct device *device, unsigned x, unsigned y, const char *const *lines,
                        uint32_t count)
{
    static const uint32_t jump = 0x0000106f, run = BRISC_RUNS;
    uint32_t words[32];
    for (uint32_t i = 0; i < count; i++) {
        struct penrose_error error = {0};
        ck_assert_msg(penrose_assemble(lines[i], 0x1000 + 4 * i, &words[i], &error) == PENROSE_OK,
                      "%s: %s", lines[i], error.text);
    }
    device_endpoint_write(device, (struct endpoint){.x = x, .y = y, .address = 0x1000},
                          (struct transfer){.from = (const uint8_t *)words, .size = 4 * count});
    device_endpoint_write(device, (struct endpoint){.x = x, .y = y},
                          (struct transfer){.from = (const uint8_t *)&jump, .size = 4});
    device_endpoint_write(device, (struct endpoint){.x = x, .y = y, .address = SOFT_RESET},
                          (struct transfer){.from = (const uint8_t *)&run, .size = 4});
}

static void start_busy(struct device *device, unsigned x, unsigned y)
{
    static const char *const busy[] = {"addi a0, a0, 1", "sw a0, 0x404(zero)", "jal zero, 0x1000"};
    start_lines(device, x, y, busy, 3);
}

/* Cycles that clock(1) takes after a read of 0x400. */
static uint64_t poll_cycles(struct device *device)
{
    uint64_t before_it = penrose_now(device->chip);
    device_get(device, 0x400);
    clock_run(device, 1);
    return penrose_now(device->chip) - before_it;
}

START_TEST(quantum_grows_while_polling_in_vain)
{
    struct device *device = make_device(NULL);
    start_busy(device, 1, 2);
    ck_assert_uint_eq(poll_cycles(device), 128); /* the first read is news */
    for (uint64_t cycles = 256; cycles <= 65536; cycles *= 2) {
        ck_assert_uint_eq(poll_cycles(device), cycles);
    }
    ck_assert_uint_eq(poll_cycles(device), 65536);
    device_set(device, 0x500, 1); /* a write */
    ck_assert_uint_eq(poll_cycles(device), 128);
    ck_assert_uint_eq(poll_cycles(device), 256);
    device_get(device, 0x504); /* another place */
    ck_assert_uint_eq(poll_cycles(device), 128);
    device_get(device, 0x504); /* both are known now */
    ck_assert_uint_eq(poll_cycles(device), 256);
    uint32_t page[512];
    device_endpoint_read(device, (struct endpoint){.x = 1, .y = 2, .address = 0x8000},
                         (struct transfer){.to = (uint8_t *)page, .size = sizeof page});
    ck_assert_uint_eq(poll_cycles(device), 128); /* results are being read out */
    device_destroy(device);
}
END_TEST

/* A tile that writes the time to 0x40c and 1 to 0x400 after 300000 cycles or so, and one that keeps
 * busy, so that windows are short. */
static struct device *start_late_change(void)
{
    static const char *const late[] = {
        "lui a1, 0xffb12",      "lui a0, 0x19",       "addi a0, a0, -1",    "sw a0, 0x404(zero)",
        "bne a0, zero, 0x1008", "lw a2, 0x1f0(a1)",   "sw a2, 0x40c(zero)", "addi a0, zero, 1",
        "sw a0, 0x400(zero)",   "sw a1, 0x404(zero)", "addi a1, a1, 1",     "jal zero, 0x1024"};
    struct device *device = make_device(NULL);
    start_busy(device, 2, 2);
    start_lines(device, 1, 2, late, sizeof late / sizeof *late);
    return device;
}

START_TEST(clock_ends_when_a_polled_value_changes)
{
    struct device *device = start_late_change();
    while (device_get(device, 0x400) != 1) {
        poll_cycles(device);
        ck_assert_uint_lt(penrose_now(device->chip), 1000000);
    }
    ck_assert_uint_ge(device_get(device, 0x40c), 300000);
    ck_assert_uint_le(penrose_now(device->chip) - device_get(device, 0x40c), 1024 + 256);
    device_destroy(device);
}
END_TEST

START_TEST(only_what_is_still_polled_ends_a_call)
{
    struct device *device = start_late_change();
    while (penrose_now(device->chip) < 100000) {
        poll_cycles(device); /* of 0x400 */
    }
    device_set(device, 0x500, 1);
    device_get(device, 0x504);
    clock_run(device, 1);
    for (uint64_t cycles = 256; penrose_now(device->chip) < 600000;) {
        uint64_t then = penrose_now(device->chip);
        device_get(device, 0x504);
        clock_run(device, 1);
        ck_assert_uint_eq(penrose_now(device->chip) - then, cycles);
        cycles = cycles < 65536 ? cycles * 2 : 65536;
    }
    device_destroy(device);
}
END_TEST

START_TEST(clocks_count)
{
    struct device *device = start_late_change();
    clock_run(device, 0);
    ck_assert_uint_eq(penrose_now(device->chip), 0);
    for (unsigned i = 0; i < 5; i++) {
        poll_cycles(device);
    }
    uint64_t then = penrose_now(device->chip);
    clock_run(device, 1000000); /* all of them, whatever changes */
    ck_assert_uint_ge(penrose_now(device->chip), then + 1000000);
    ck_assert_uint_lt(penrose_now(device->chip), then + 1000000 + 128);
    ck_assert_uint_eq(device_get(device, 0x400), 1);
    device_destroy(device);
}
END_TEST

START_TEST(quiet_time_passes_as_asked)
{
    struct device *device = make_device(NULL);
    clock_run(device, 1);
    clock_run(device, UINT32_MAX);
    for (unsigned i = 0; i < 3000; i++) {
        device_get(device, 0x400);
        clock_run(device, 1);
    }
    ck_assert_uint_eq(reported(""), 0); /* all harts are in reset: nobody waits */
    device_set(device, 0x400, 1);       /* the time that is owed passes now */
    ck_assert_uint_ge(penrose_now(device->chip), UINT64_C(3001) + UINT32_MAX);
    ck_assert_uint_lt(penrose_now(device->chip), UINT64_C(3001) + UINT32_MAX + 128);
    uint32_t then = device_get(device, WALL_CLOCK);
    clock_run(device, 10000);
    uint32_t elapsed = device_get(device, WALL_CLOCK) - then;
    ck_assert_uint_ge(elapsed, 10000);
    ck_assert_uint_lt(elapsed, 10128);
    start_busy(device, 1, 2); /* it is not quiet for ever */
    clock_run(device, 1000);
    ck_assert_uint_gt(device_get(device, 0x404), 100);
    device_destroy(device);
}
END_TEST

START_TEST(run_ahead_is_adjustable)
{
    struct device *device = make_device("0");
    start_busy(device, 1, 2);
    for (unsigned i = 0; i < 1280; i++) {
        clock_run(device, 1);
    }
    ck_assert_uint_eq(penrose_now(device->chip), 1280);
    device_destroy(device);
    device = make_device("512:1024");
    start_busy(device, 1, 2);
    ck_assert_uint_eq(poll_cycles(device), 512);
    ck_assert_uint_eq(poll_cycles(device), 1024);
    ck_assert_uint_eq(poll_cycles(device), 1024);
    device_destroy(device);
    device = make_device("4096");
    ck_assert_uint_eq(device->run_ahead.first, 128);
    ck_assert_uint_eq(device->run_ahead.most, 4096);
    device_destroy(device);
    static const char *const wrong[] = {
        "", "x", "-5", "12 ", "5:", "10:5", "0:5", "99999999999999", "1:2:3"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        device = make_device(wrong[i]);
        ck_assert_uint_eq(device->run_ahead.first, 128);
        ck_assert_uint_eq(device->run_ahead.most, 65536);
        device_destroy(device);
        ck_assert_uint_eq(reported("PENROSE_RUN_AHEAD"), i + 1);
    }
}
END_TEST

/* --- Faults --- */

START_TEST(guest_fault_is_reported_and_survived)
{
    static const char *const bad[] = {"lui a0, 0x200", "sw a0, 4(a0)", "jal zero, 0x1008", NULL};
    static const char *const good[] = {"addi a0, zero, 1", "sw a0, 0x400(zero)", "jal zero, 0x1008",
                                       NULL};
    libttsim_init();
    tile_wr(5, 6, 0x800, 0xabcd);
    start(5, 6, bad);
    libttsim_clock(1000);
    libttsim_clock(UINT32_MAX); /* at once */
    ck_assert_uint_eq(reported("unmapped-address: tile (5, 6) brisc"), 1);
    ck_assert_uint_eq(tile_rd(5, 6, 0x800), 0xabcd);
    uint32_t then = tile_rd(6, 6, WALL_CLOCK);
    tile_wr(6, 6, SOFT_RESET, ALL_HELD); /* another tile does not matter */
    libttsim_clock(1000);
    ck_assert_uint_eq(tile_rd(6, 6, WALL_CLOCK), then);
    tile_wr(5, 6, SOFT_RESET, ALL_HELD);
    start(5, 6, good);
    ck_assert_uint_lt(poll(5, 6), 10);
    ck_assert_uint_eq(reported("unmapped-address"), 1);
    tile_wr(5, 6, SOFT_RESET, ALL_HELD);
    start(5, 6, bad);
    libttsim_clock(1000);
    ck_assert_uint_eq(reported("unmapped-address: tile (5, 6) brisc"), 2); /* at another cycle */
    libttsim_exit();
}
END_TEST

START_TEST(deadlock_is_reported)
{
    static const char *const waits[] = {"lw a0, 0x408(zero)", "beq a0, zero, 0x1000", NULL};
    libttsim_init();
    start(7, 7, waits);
    for (unsigned i = 0; i < 1500; i++) {
        tile_rd(7, 7, 0x400);
        libttsim_clock(1);
    }
    ck_assert_uint_eq(reported("nothing can happen any more"), 1);
    ck_assert_uint_eq(reported("tile (7, 7) brisc"), 1);
    libttsim_exit();
}
END_TEST

/* --- Misuse --- */

START_TEST(misuse_is_answered)
{
    uint32_t word = 0;
    libttsim_clock(5);
    libttsim_pci_mem_wr_bytes(BAR0, &word, 4);
    libttsim_pci_mem_rd_bytes(BAR0, &word, 4);
    ck_assert_uint_eq(word, UINT32_MAX);
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0), UINT32_MAX);
    ck_assert_uint_eq(tile_rd(1, 2, 0), UINT32_MAX);
    ck_assert_uint_eq(reported("before libttsim_init"), 1);
    libttsim_exit();
    ck_assert_uint_eq(reported("without libttsim_init"), 1);
    libttsim_init();
    libttsim_init();
    ck_assert_uint_eq(reported("again without libttsim_exit"), 1);
    ck_assert_uint_eq(tile_rd(1, 2, 0), 0);
    libttsim_pci_mem_rd_bytes(BAR0, NULL, 4);
    libttsim_pci_mem_wr_bytes(BAR0, NULL, 4);
    ck_assert_uint_eq(reported("the buffer is NULL"), 2);
    libttsim_pci_mem_rd_bytes(0, NULL, 0); /* nothing to do */
    libttsim_exit();
    ck_assert_uint_eq(tile_rd(1, 2, 0), UINT32_MAX);
    ck_assert_uint_eq(reported("before libttsim_init"), 1);
}
END_TEST

START_TEST(reports_are_limited)
{
    libttsim_init();
    for (uint32_t i = 0; i < 1000; i++) {
        rd(BAR0 + 0x1a000000 + 4096 * i);
    }
    ck_assert_uint_eq(reported("nothing is mapped"), MOST_REPORTS);
    ck_assert_uint_eq(reported("too many"), 1);
    libttsim_exit();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("abi");
    TCase *cases = tcase_create("abi");
    tcase_add_checked_fixture(cases, before, after);
    tcase_add_test(cases, identity);
    tcase_add_test(cases, registers_keep_what_is_written);
    tcase_add_test(cases, several_registers_at_once_but_no_parts);
    tcase_add_test(cases, gaps_read_all_ones);
    tcase_add_test(cases, windows_reach_any_tile);
    tcase_add_test(cases, window_offsets_have_43_and_32_bits);
    tcase_add_test(cases, accesses_are_cut_at_windows);
    tcase_add_test(cases, unaligned_access_to_register_space);
    tcase_add_test(cases, multicast_rectangles);
    tcase_add_test(cases, multicast_patterns);
    tcase_add_test(cases, tiles_without_model_are_reported_once);
    tcase_add_test(cases, values_for_discovery);
    tcase_add_test(cases, top_rows_of_noc_1_are_mirrored);
    tcase_add_test(cases, polls_are_few);
    tcase_add_test(cases, quantum_grows_while_polling_in_vain);
    tcase_add_test(cases, clock_ends_when_a_polled_value_changes);
    tcase_add_test(cases, only_what_is_still_polled_ends_a_call);
    tcase_add_test(cases, clocks_count);
    tcase_add_test(cases, quiet_time_passes_as_asked);
    tcase_add_test(cases, run_ahead_is_adjustable);
    tcase_add_test(cases, guest_fault_is_reported_and_survived);
    tcase_add_test(cases, deadlock_is_reported);
    tcase_add_test(cases, misuse_is_answered);
    tcase_add_test(cases, reports_are_limited);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK); /* reports are counted for the whole process */
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
