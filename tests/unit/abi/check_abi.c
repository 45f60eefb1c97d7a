/*
 * The device behind the libttsim ABI: configuration space, BARs, windows, multicast, tiles of every
 * kind, cards, misuse.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "unit/abi/abi_host.h"

FIXTURE(host_before, host_after);
TESTS_ALWAYS_FORK; /* reports are counted for the whole process */

/* --- Configuration space and registers --- */

TEST(identity)
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
}

TEST(registers_keep_what_is_written)
{
    enum { TLB_WORDS = 3 * (202 + 8) + 32 };
    libttsim_init();
    for (uint32_t i = 0; i < TLB_WORDS; i++) {
        wr(TLB + 4 * i, i * 0x01010101);
    }
    for (uint32_t i = 0; i < TLB_WORDS; i++) {
        ck_assert_uint_eq(rd(TLB + 4 * i), i * 0x01010101);
    }
    for (uint32_t region = 0; region < 16; region++) { /* outbound: base, limit, target */
        for (uint32_t word = 0x08; word < 0x1c; word += 4) {
            wr(BAR2 + 0x1000 + 0x200 * region + word, ~(region * 0x1000 + word));
        }
    }
    for (uint32_t region = 0; region < 16; region++) {
        for (uint32_t word = 0x08; word < 0x1c; word += 4) {
            ck_assert_uint_eq(rd(BAR2 + 0x1000 + 0x200 * region + word), ~(region * 0x1000 + word));
        }
    }
    wr(BAR2 + 0x120, 0x1234); /* where a DMA transfer to the device begins */
    ck_assert_uint_eq(rd(BAR2 + 0x120), 0x1234);
    ck_assert_uint_eq(rd(BAR0 + 0x1fd04044), 0x10611002);
    ck_assert_uint_ne(rd(BAR0 + 0x1fd04100) & 0x4000, 0);
    ck_assert_uint_eq(rd(BAR0 + 0x1fd14044), 0x006112ce);
    ck_assert_uint_eq(reported(""), 0);
    ck_assert_uint_eq(rd(BAR0 + 0x1fd04200), 0); /* a counter, of requests that it never sends */
    wr(BAR0 + 0x1fd04040, 1);                    /* a command buffer starts a request */
    ck_assert_uint_eq(reported("BAR0 + 0x1fd04040: this version does not model"), 1);
    ck_assert_uint_eq(rd(BAR2 + 0x0fc), 0);
    ck_assert_uint_eq(reported("BAR2 + 0xfc"), 1);
}

TEST(several_registers_at_once_but_no_parts)
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
}

TEST(gaps_read_all_ones)
{
    uint8_t across[8];
    libttsim_init();
    ck_assert_uint_eq(rd(BAR0 + 0x19400000), UINT32_MAX);
    ck_assert_uint_eq(rd(BAR0 + 0x19400ffc), UINT32_MAX);
    wr(BAR0 + 0x19400010, 5);
    ck_assert_uint_eq(rd(BAR0 + 0x1fdffffc), UINT32_MAX);
    ck_assert_uint_eq(rd(BAR0 + 0x1ffffffc), UINT32_MAX);
    ck_assert_uint_eq(rd(BAR2 + 0xffffc), UINT32_MAX);
    ck_assert_uint_eq(reported("BAR0 + 0x19400000:"), 1);
    ck_assert_uint_eq(reported("BAR0 + 0x1fdff000:"), 1);
    ck_assert_uint_eq(reported("only PCIe tile 1 has a path to ARC"), 1);
    ck_assert_uint_eq(reported("BAR2 + 0xff000:"), 1);
    libttsim_pci_mem_rd_bytes(TLB + 0xa54, across, 8); /* the last register, then nothing */
    ck_assert_mem_eq(across, "\0\0\0\0\xff\xff\xff\xff", 8);
    libttsim_pci_mem_rd_bytes(BAR0 - 4, across, 8); /* nothing is below */
    ck_assert_mem_eq(across, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    ck_assert_uint_eq(rd(0x1000), UINT32_MAX);
    ck_assert_uint_eq(rd(UINT64_MAX - 1), UINT32_MAX);
    ck_assert_uint_eq(rd(BAR4 + (UINT64_C(32) << 30)), UINT32_MAX);
    ck_assert_uint_eq(reported("in no BAR"), 4);
}

/* --- Windows --- */

TEST(windows_reach_any_tile)
{
    static const unsigned indices[] = {0, 1, 31, 32, 200, 201};
    libttsim_init();
    for (unsigned i = 0; i < COUNT(indices); i++) {
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
}

TEST(window_offsets_have_43_and_32_bits)
{
    libttsim_init();
    set_window(3, UINT64_C(0x7ffffffffff), 1, 2, 0, 0, 0, 0);
    ck_assert_uint_eq(rd(BAR0 + 3 * 0x200000 + 0x1ffffc), UINT32_MAX);
    ck_assert_uint_eq(reported("0xfffffffffffffffc"), 1);
    set_window(202, 0x12345678, 1, 2, 0, 0, 0, 0);
    ck_assert_uint_eq(rd(BAR4 + 0x10), UINT32_MAX);
    ck_assert_uint_eq(reported("0x1234567800000010"), 1);
}

TEST(accesses_are_cut_at_windows)
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
}

/* So no access leaves its region within a window, a word or a page. */
TEST(regions_are_whole)
{
    const struct bar_region *words = arch_bar_region(&arch, REGION_TLB);
    ck_assert_uint_eq(words->last + 1 - words->first,
                      4 * (arch.window_words * arch_windows(&arch) + arch.windows_strided));
    for (unsigned i = 0; i < arch.bar_regions; i++) {
        const struct bar_region *region = &arch.bar_region[i];
        uint64_t unit = region->token == REGION_WINDOWS ? UINT64_C(1) << region->shift : 4;
        ck_assert(region->last < arch.bar_bytes[region->bar]);
        ck_assert_uint_eq(region->first % 0x1000, 0);
        ck_assert_uint_eq((region->last + 1 - region->first) % unit, 0);
        ck_assert(i == 0 || region[-1].bar < region->bar || region[-1].last < region->first);
    }
}

/* The slow path to a local RAM is memory among the registers. */
TEST(unaligned_access_to_register_space)
{
    uint8_t bytes[11] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, back[11];
    libttsim_init();
    libttsim_tile_wr_bytes(3, 3, 0xffb14003, bytes, sizeof bytes);
    libttsim_tile_rd_bytes(3, 3, 0xffb14003, back, sizeof back);
    ck_assert_mem_eq(bytes, back, sizeof bytes);
    ck_assert_uint_eq(tile_rd(3, 3, 0xffb14004), 0x05040302);
    ck_assert_uint_eq(reported(""), 0);
}

/* --- Multicast --- */

/* Writes through window 2 and returns the workers that got it, as a bit per x for each y. */
static void send(uint32_t value, uint32_t got[12])
{
    wr(BAR0 + 2 * 0x200000 + 0x100, value);
    for (unsigned y = 0; y < 12; y++) {
        got[y] = 0;
        for (unsigned x = 0; x < 17; x++) {
            bool hit = y >= 2 && x > 0 && x != 8 && x != 9 && tile_rd(x, y, 0x100) == value;
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

TEST(multicast_rectangles)
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
}

TEST(multicast_patterns)
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
}

/* --- Endpoints --- */

/* Words that keep what is written: GDDR, L1 of every kind of tile, memory of the others. */
TEST(every_kind_of_tile_answers)
{
    static const struct {
        unsigned x, y;
        uint64_t address;
    } words[] = {{17, 12, 0},
                 {18, 23, UINT64_C(0xfefffffc)},
                 {17, 17, UINT64_C(0x2000000400)}, /* L1 of a DRAM tile */
                 {18, 15, UINT64_C(0x2000010000)},
                 {20, 25, 0x1000},
                 {31, 25, 0x7fffc},
                 {8, 0, 0x10001000}, /* memory of ARC */
                 {8, 26, UINT64_C(0x123456789abc)},
                 {8, 30, 0x40},
                 {9, 3, 0x80000}, /* DRAM by its raw name */
                 {1, 1, 0x2000}}; /* and Ethernet */
    enum { WORDS = COUNT(words) };
    libttsim_init();
    for (unsigned i = 0; i < WORDS; i++) {
        ck_assert_uint_eq(tile_rd(words[i].x, words[i].y, words[i].address), 0);
        tile_wr(words[i].x, words[i].y, words[i].address, 0xabc00000 + i);
    }
    for (unsigned i = 0; i < WORDS; i++) {
        ck_assert_uint_eq(tile_rd(words[i].x, words[i].y, words[i].address), 0xabc00000 + i);
    }
    tile_wr(17, 12, SOFT_RESET, 0x800);
    ck_assert_uint_eq(tile_rd(17, 12, SOFT_RESET), 0x800);
    ck_assert_uint_eq(reported(""), 0);
}

/* NIUs of L2CPU, security and empty tiles, several registers at once. */
TEST(nius_of_other_tiles_answer)
{
    static const struct {
        unsigned x, y;
        uint64_t niu;
        uint32_t node; /* raw */
    } places[] = {{8, 26, UINT64_C(0xffffffffffb20000), 8 | 3 << 6},
                  {8, 30, UINT64_C(0xffffffffffb30000), 8 | 2 << 6},
                  {1, 0, UINT64_C(0xffb20000), 1},
                  {8, 11, UINT64_C(0xff000000), 8 | 11 << 6}};
    libttsim_init();
    for (unsigned i = 0; i < COUNT(places); i++) {
        uint32_t words[2];
        libttsim_tile_rd_bytes(places[i].x, places[i].y, places[i].niu + 0x44, words, sizeof words);
        ck_assert_uint_eq(words[0] & 0xfff, places[i].node);
        ck_assert_uint_eq(words[1], tile_rd(places[i].x, places[i].y, places[i].niu + 0x48));
        tile_wr(places[i].x, places[i].y, places[i].niu + 0x114, 0xabc + i); /* ROUTER_CFG_4 */
        ck_assert_uint_eq(tile_rd(places[i].x, places[i].y, places[i].niu + 0x114), 0xabc + i);
    }
    ck_assert_uint_eq(reported(""), 0);
}

TEST(what_does_not_answer_reads_all_ones)
{
    static const struct {
        unsigned x, y;
        uint64_t address;
        const char *text;
    } places[] = {{33, 12, 0, "no tile at (33, 12)"},
                  {64, 0, 0, "no tile at (64, 0)"},
                  {17, 12, UINT64_C(0xff000000), "tile (17, 12): 0xff000000"},
                  {17, 12, UINT64_C(0x100000000), "tile (17, 12): 0x100000000"},
                  {20, 25, 0x80000, "tile (20, 25)"},
                  {8, 0, 0x70000000, "tile (8, 0)"},
                  {19, 24, 0, "tile (19, 24)"}, /* without host memory */
                  {12, 0, 0, "router"}};
    enum { PLACES = COUNT(places) };
    libttsim_init();
    for (unsigned i = 0; i < PLACES; i++) {
        ck_assert_uint_eq(tile_rd(places[i].x, places[i].y, places[i].address), UINT32_MAX);
        ck_assert_uint_eq(reported(""), i + 1);
        ck_assert_uint_ge(reported(places[i].text), 1);
    }
}

/* The last address of a tile is not followed by its first. */
TEST(accesses_end_with_the_address_space)
{
    const uint64_t last = UINT64_MAX - 3; /* a word */
    uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
    libttsim_init();
    tile_wr(2, 2, 0, 0x600d);
    libttsim_tile_wr_bytes(2, 2, last, bytes, sizeof bytes);
    ck_assert_uint_eq(tile_rd(2, 2, 0), 0x600d);
    ck_assert_uint_eq(reported("write of the host goes past the last address"), 1);
    libttsim_tile_rd_bytes(2, 2, last, back, sizeof back);
    ck_assert_mem_eq(back, "\xff\xff\xff\xff\xff\xff\xff\xff", sizeof back);
}

/* 70000 bytes in GDDR, across the places where its memory is cut; the end of L1 of an Ethernet
 * tile; several registers of ARC in one go. */
TEST(large_accesses)
{
    static uint8_t pattern[70000], back[70000];
    uint32_t registers[4];
    libttsim_init();
    for (unsigned i = 0; i < sizeof pattern; i++) {
        pattern[i] = (uint8_t)(i * 7 + (i >> 8));
    }
    libttsim_tile_wr_bytes(17, 14, 0x1ff001, pattern, sizeof pattern);
    libttsim_tile_rd_bytes(17, 14, 0x1ff001, back, sizeof back);
    ck_assert_mem_eq(pattern, back, sizeof back);
    set_window(202, 0, 18, 14, 0, 0, 0, 0);
    libttsim_pci_mem_wr_bytes(BAR4 + 0xfe000000, pattern, sizeof pattern);
    libttsim_tile_rd_bytes(18, 14, 0xfe000000, back, sizeof back);
    ck_assert_mem_eq(pattern, back, sizeof back);
    libttsim_tile_wr_bytes(22, 25, 0x7fff8, pattern, 8);
    libttsim_tile_rd_bytes(22, 25, 0x7fff8, back, 16);
    ck_assert_mem_eq(back, pattern, 8);
    ck_assert_mem_eq(back + 8, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    ck_assert_uint_eq(reported(""), 1);
    libttsim_tile_rd_bytes(8, 0, 0x80030430, registers, sizeof registers);
    ck_assert_uint_eq(registers[0], 0x10000200);
    ck_assert_uint_eq(registers[1], 0x10000100);
}

TEST(values_for_discovery)
{
    uint8_t version[3];
    uint32_t header[2];
    libttsim_init();
    ck_assert_uint_eq(tile_rd(8, 0, 0x80030408), 5);
    for (unsigned x = 20; x < 32; x++) { /* no cable, or no port; whose MAC address it would be */
        bool has_port = 0x0f30 >> (x - 20) & 1;
        ck_assert_uint_eq(tile_rd(x, 25, 0x7cc00), has_port ? 0xc0deb000 : 0xc0de0000);
        ck_assert_uint_eq(tile_rd(x, 25, 0x7cc04), has_port ? 2 : 3);
        ck_assert_uint_eq(tile_rd(x, 25, 0x7cc08), has_port ? 5 : 1);
        ck_assert_uint_eq(tile_rd(x, 25, 0x7cc0c), has_port ? 400 : 0);
        ck_assert_uint_eq(tile_rd(x, 25, 0x7cfc0) & 0xff, 2); /* a p150 */
        ck_assert_uint_eq(tile_rd(x, 25, 0x7cfc4), 0x400);
        ck_assert_uint_eq(tile_rd(x, 25, 0x7cfcc), 0x208c47);
        ck_assert_uint_eq(tile_rd(x, 25, 0x7cfd0), x - 20);
        ck_assert_uint_eq(tile_rd(x, 25, SOFT_RESET), 0x1800);
        libttsim_tile_rd_bytes(x, 25, 0x7cfbc, version, sizeof version);
        ck_assert_mem_eq(version, "\0\x06\x01", 3);
    }
    libttsim_tile_rd_bytes(8, 0, tile_rd(8, 0, 0x80030434), header, sizeof header);
    ck_assert_uint_eq(header[0], 1);
    ck_assert_uint_ge(header[1], 18);
    /* all tags are different, and each points to its value */
    uint64_t seen = 0;
    for (uint32_t i = 0; i < header[1]; i++) {
        uint32_t entry = tile_rd(8, 0, 0x10000108 + 4 * i);
        ck_assert_uint_lt(entry >> 16, header[1]);
        ck_assert(!(seen >> (entry & 63) & 1));
        seen |= UINT64_C(1) << (entry & 63);
    }
    ck_assert_uint_eq(reported(""), 0);
}

TEST(top_rows_of_noc_1_are_mirrored)
{
    libttsim_init();
    set_window(9, 0x80000000 >> 21, 8, 0, 0, 0, 1, 0);
    ck_assert_uint_eq(rd(BAR0 + 9 * 0x200000 + 0x30408), 5);
    tile_wr(2, 1, 0x3000, 0x12345678);
    set_window(9, 0, 14, 1, 0, 0, 1, 0); /* Ethernet at (2, 1) of NoC 0 */
    ck_assert_uint_eq(rd(BAR0 + 9 * 0x200000 + 0x3000), 0x12345678);
    ck_assert_uint_eq(reported(""), 0);
    set_window(9, 0, 33, 33, 0, 0, 1, 0);
    ck_assert_uint_eq(rd(BAR0 + 9 * 0x200000), UINT32_MAX);
    ck_assert_uint_eq(reported("no tile at (33, 33) of NoC 1"), 1);
}

/* A message in the first queue: UMD's fields are read index, response write index; then write
 * index, response read index, in the header of eight words behind the control word. */
static uint32_t send_message(const uint32_t request[8], uint32_t response[8])
{
    uint64_t control = tile_rd(8, 0, 0x8003042c);
    uint64_t queue = tile_rd(8, 0, control), entries = tile_rd(8, 0, control + 4) & 0xff;
    uint32_t written = tile_rd(8, 0, queue + 0), answered = tile_rd(8, 0, queue + 16 + 0);
    uint64_t requests = queue + 32, responses = requests + 32 * entries;
    (void)answered;
    libttsim_tile_wr_bytes(8, 0, requests + written % entries * 32, request, 32);
    tile_wr(8, 0, queue + 0, (written + 1) % (uint32_t)(2 * entries));
    tile_wr(8, 0, 0x80030100, tile_rd(8, 0, 0x80030100) | 1 << 16);
    uint32_t read = tile_rd(8, 0, queue + 4);
    libttsim_tile_rd_bytes(8, 0, responses + read % entries * 32, response, 32);
    tile_wr(8, 0, queue + 4, (read + 1) % (uint32_t)(2 * entries));
    return response[0] & 0xff;
}

TEST(arc_answers_messages)
{
    uint32_t response[8];
    libttsim_init();
    for (uint32_t i = 1; i < 20; i++) { /* around the queue, more than once */
        uint32_t request[8] = {0x90, i};
        ck_assert_uint_eq(send_message(request, response), 0);
        ck_assert_uint_eq(response[1], i + 1);
    }
    ck_assert_uint_eq(reported(""), 0);
}

/* --- Cards --- */

TEST(cards_differ)
{
    setenv("PENROSE_CARD", "p100a", 1);
    libttsim_init();
    tile_wr(14, 2, 0x100, 5);
    ck_assert_uint_eq(tile_rd(14, 2, 0x100), 5);
    ck_assert_uint_eq(reported(""), 0);
    ck_assert_uint_eq(tile_rd(16, 2, 0x100), UINT32_MAX);
    ck_assert_uint_eq(reported("fused off"), 1);
    libttsim_exit();
    setenv("PENROSE_CARD", "p150a", 1);
    libttsim_init();
    tile_wr(16, 2, 0x100, 5);
    ck_assert_uint_eq(tile_rd(16, 2, 0x100), 5);
    libttsim_exit();
    setenv("PENROSE_CARD", "", 1);
    libttsim_init();
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0), 0xb1401e52);
    libttsim_exit();
    setenv("PENROSE_CARD", "n300", 1);
    libttsim_init();
    ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0), 0xb1401e52);
    ck_assert_uint_eq(reported("no card 'n300'"), 0); /* not as long as nobody uses it */
    tile_wr(16, 2, 0x100, 5);
    ck_assert_uint_eq(tile_rd(16, 2, 0x100), 5);
    ck_assert_uint_eq(reported("no card 'n300'; known are unharvested"), 1);
}

/* Where PCIe tile 1 is connected, ARC is reached without the NoC. */
TEST(bar0_leads_to_arc_on_tile_1)
{
    setenv("PENROSE_CARD", "p100", 1);
    libttsim_init();
    ck_assert_uint_eq(rd(BAR0 + 0x1ff30408), 5);
    ck_assert_uint_eq(rd(BAR0 + 0x1fe80100), 1); /* telemetry: its version */
    wr(BAR0 + 0x1fe81000, 0x5678);
    ck_assert_uint_eq(tile_rd(8, 0, 0x10001000), 0x5678);
    ck_assert_uint_eq(reported(""), 0);
    ck_assert_uint_eq(rd(BAR0 + 0x1fe00000), UINT32_MAX);
    ck_assert_uint_eq(reported("BAR0 + 0x1fe00000: nothing is there"), 1);
}

/* --- Misuse --- */

TEST(misuse_is_answered)
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

TEST(reports_are_limited)
{
    libttsim_init();
    for (uint32_t i = 0; i < 1000; i++) {
        rd(BAR0 + 0x1a000000 + 4096 * i);
    }
    ck_assert_uint_eq(reported("nothing is mapped"), MOST_REPORTS);
    ck_assert_uint_eq(reported("too many"), 1);
}
