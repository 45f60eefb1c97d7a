/*
 * Several chips behind the libttsim ABI: a PCI device each, one clock, links between them, and
 * reports that name the chip.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/abi/abi_host.h"

FIXTURE(host_before, host_after);
TESTS_ALWAYS_FORK; /* reports are counted for the whole process */

/* The BARs of a device are so much higher than those of the one before. */
#define SPACE UINT64_C(0x1000000000)

#define PCS_STATUS UINT32_C(0xffb9800c)

enum { ETHERNET_Y = 25, COUNTED = 0x404 };

/* Opens the library on chips of a file, which have everything; the links are a list as in YAML. */
static void open_chips(unsigned chips, const char *links)
{
    char path[] = P_tmpdir "/check_chips_XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "ethernet_connections: %s\narch:\n", links);
    for (unsigned i = 0; i < chips; i++) {
        fprintf(file, "  %u: blackhole\n", i);
    }
    fputs("chips_with_mmio:\n", file);
    for (unsigned i = 0; i < chips; i++) {
        fprintf(file, "  - %u\n", i);
    }
    fputs("boards:\n", file);
    for (unsigned i = 0; i < chips; i++) {
        fprintf(file, "  - [{board_id: %u}, {board_type: p150}, {chips: [%u]}]\n", i + 1, i);
    }
    fputs("harvesting:\n", file);
    for (unsigned i = 0; i < chips; i++) {
        fprintf(file,
                "  %u: {noc_translation: true, harvest_mask: 0, eth_harvesting_mask: 0x3000, "
                "pcie_harvesting_mask: 2}\n",
                i);
    }
    fclose(file);
    ck_assert_int_eq(setenv("PENROSE_CLUSTER", path, 1), 0);
    libttsim_init();
    unlink(path);
}

#define TWO_LINKS                                                                                  \
    "[[{chip: 0, chan: 2}, {chip: 1, chan: 9}], [{chip: 0, chan: 3}, {chip: 1, chan: 8}]]"

/* Lets the first 2 MiB window of a device lead to a place, and reads or writes there. */
static void point_window(unsigned device, unsigned x, unsigned y, uint64_t page)
{
    const uint64_t tlb = TLB + device * SPACE;
    const uint64_t rest = x | y << 6;
    wr(tlb, (uint32_t)page);
    wr(tlb + 4, (uint32_t)(page >> 32 | rest << (43 - 32)));
    wr(tlb + 8, (uint32_t)(rest >> (64 - 43)));
}

static uint32_t chip_rd(unsigned device, unsigned x, unsigned y, uint64_t address)
{
    point_window(device, x, y, address >> 21);
    return rd(BAR0 + device * SPACE + address % (1 << 21));
}

static void chip_wr(unsigned device, unsigned x, unsigned y, uint64_t address, uint32_t value)
{
    point_window(device, x, y, address >> 21);
    wr(BAR0 + device * SPACE + address % (1 << 21), value);
}

static void chip_start(unsigned device, unsigned x, unsigned y, const char *const *lines)
{
    for (uint32_t address = 0x1000; *lines; lines++, address += 4) {
        struct penrose_error error = {0};
        uint32_t word;
        ck_assert_msg(penrose_assemble(NULL, *lines, address, &word, &error) == PENROSE_OK,
                      "%s: %s", *lines, error.text);
        chip_wr(device, x, y, address, word);
    }
    chip_wr(device, x, y, 0, 0x0000106f); /* jal zero, 0x1000 */
    chip_wr(device, x, y, SOFT_RESET, BRISC_RUNS);
}

static const char *const counts[] = {"addi a0, a0, 1", "sw a0, 0x404(zero)", "jal zero, 0x1000",
                                     NULL};

TEST(each_chip_is_a_device)
{
    open_chips(3, "[]");
    for (uint32_t device = 0; device < 3; device++) {
        ck_assert_uint_eq(libttsim_pci_config_rd32(device << 3, 0), 0xb1401e52);
        ck_assert_uint_eq(libttsim_pci_config_rd32(device << 3, 0x10), 4);
        ck_assert_uint_eq(libttsim_pci_config_rd32(device << 3, 0x14), 1 + 0x10 * device);
        ck_assert_uint_eq(libttsim_pci_config_rd32(device << 3, 0x1c), 1 + 0x10 * device);
        ck_assert_uint_eq(libttsim_pci_config_rd32(device << 3, 0x24), 8 + 0x10 * device);
        ck_assert_uint_eq(libttsim_pci_config_rd32((device << 3) + 1, 0), UINT32_MAX);
        chip_wr(device, 1, 2, 0x400, 0x1000 + device);
    }
    ck_assert_uint_eq(libttsim_pci_config_rd32(3 << 3, 0), UINT32_MAX);
    for (uint32_t device = 0; device < 3; device++) {
        ck_assert_uint_eq(chip_rd(device, 1, 2, 0x400), 0x1000 + device);
    }
    ck_assert_uint_eq(reported(""), 0);
    rd(BAR0 + 3 * SPACE);
    ck_assert_uint_eq(reported("chip 0: read of 4 bytes at physical address 0x3100000000, which is "
                               "in no BAR of the device"),
                      1);
}

TEST(all_chips_have_one_clock)
{
    open_chips(2, "[]");
    chip_start(1, 3, 4, counts);
    chip_start(0, 3, 4, counts);
    libttsim_clock(10000);
    uint32_t first = chip_rd(0, 3, 4, COUNTED), second = chip_rd(1, 3, 4, COUNTED);
    ck_assert_uint_gt(first, 1000);
    ck_assert_uint_le(first > second ? first - second : second - first, 200);
    ck_assert_uint_eq(chip_rd(0, 1, 2, 0xffb121f0), chip_rd(1, 1, 2, 0xffb121f0)); /* wall clock */
    ck_assert_uint_eq(reported(""), 0);
}

/* A value of chip 1 for which the host waits ends a call, though only chip 0 was written last. */
TEST(polls_of_every_chip_end_calls)
{
    static const char *const later[] = {"lui a1, 16",
                                        "addi a1, a1, -1",
                                        "bne a1, zero, 0x1004",
                                        "addi a0, zero, 1",
                                        "sw a0, 0x404(zero)",
                                        "jal zero, 0x1014",
                                        NULL};
    open_chips(2, "[]");
    chip_start(1, 1, 2, later);
    unsigned calls = 0;
    while (chip_rd(1, 1, 2, COUNTED) != 1) {
        libttsim_clock(1);
        ck_assert_uint_lt(++calls, 40);
    }
    ck_assert_uint_gt(calls, 3);
}

TEST(links_join_ports)
{
    open_chips(2, TWO_LINKS);
    for (unsigned port = 0; port < 12; port++) {
        ck_assert_uint_eq(chip_rd(0, 20 + port, ETHERNET_Y, PCS_STATUS), port == 2 || port == 3);
        ck_assert_uint_eq(chip_rd(1, 20 + port, ETHERNET_Y, PCS_STATUS), port == 8 || port == 9);
    }
    ck_assert_uint_eq(reported(""), 0);
}

TEST(reports_name_the_chip)
{
    static const char *const bad[] = {"lui a0, 0x80000", "lw a1, 0(a0)", NULL};
    open_chips(2, "[]");
    chip_start(0, 5, 6, counts);
    chip_start(1, 5, 6, bad);
    libttsim_clock(4096);
    ck_assert_uint_eq(reported("penrose: chip 1: "), 1);
    ck_assert_uint_eq(reported("penrose: chip 0: "), 0);
    uint32_t before = chip_rd(0, 5, 6, COUNTED);
    libttsim_clock(4096); /* the other chip goes on */
    ck_assert_uint_gt(chip_rd(0, 5, 6, COUNTED), before);
}

TEST(hangs_name_the_chip)
{
    static const char *const waits[] = {"lw a0, 0x404(zero)", "beq a0, zero, 0x1000", NULL};
    open_chips(2, "[]");
    chip_start(1, 5, 6, waits);
    for (unsigned i = 0; i < 1100; i++) {
        (void)chip_rd(1, 5, 6, 0x408);
        libttsim_clock(1);
    }
    ck_assert_uint_eq(reported("penrose: chip 1: the host keeps polling"), 1);
    ck_assert_uint_eq(reported("chip 0:"), 0);
}

/* Each chip that is used has a dump of its own at the end, and only the one at fault when that happens. */
TEST(dumps_name_the_chip)
{
    static const char *const bad[] = {"lui a0, 0x80000", "lw a1, 0(a0)", NULL};
    static const char *const events[][2] = {{"fault-chip0", NULL},
                                            {"fault-chip1", "1-fault-chip1"},
                                            {"exit-chip0", "1-exit-chip0"},
                                            {"exit-chip1", "2-exit-chip1"}};
    char folder[] = P_tmpdir "/check_chips_XXXXXX", path[128];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(setenv("PENROSE_DUMP_DIR", folder, 1), 0);
    ck_assert_int_eq(setenv("PENROSE_DUMP_ON", "fault,exit", 1), 0);
    ck_assert_int_eq(setenv("PENROSE_DUMP_PARTS", "harts", 1), 0);
    open_chips(2, "[]");
    chip_start(0, 5, 6, counts);
    chip_start(1, 5, 6, bad);
    libttsim_clock(4096);
    libttsim_exit();
    for (unsigned i = 0; i < sizeof events / sizeof events[0]; i++) {
        snprintf(path, sizeof path, "%s/%ld-%s/manifest.json", folder, (long)getpid(),
                 events[i][1] ? events[i][1] : "1-fault-chip0");
        json_t *manifest = json_load_file(path, 0, NULL);
        ck_assert_msg(!manifest == !events[i][1], "%s", path);
        if (manifest) {
            ck_assert_int_eq(json_integer_value(json_object_get(manifest, "chip_number")), i % 2);
            ck_assert_str_eq(json_string_value(json_object_get(manifest, "chip")), "blackhole");
        }
        json_decref(manifest);
    }
    snprintf(path, sizeof path, "rm -r %s", folder);
    ck_assert_int_eq(system(path), 0);
}

/* Also in binary, or a profile as a table of launches, for which the end of the name asks. */
TEST_EACH(each_chip_has_a_trace, 3)
{
    static const char *const names[][2] = {
        {"t", "t.chip1"}, {"t.x.ptrace", "t.x.chip1.ptrace"}, {"t.x.ops.csv", "t.x.chip1.ops.csv"}};
    char folder[] = P_tmpdir "/check.chips_XXXXXX", path[128], begin[8];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, names[_i][0]);
    ck_assert_int_eq(setenv(_i < 2 ? "PENROSE_TRACE" : "PENROSE_PROFILE", path, 1), 0);
    open_chips(2, "[]");
    chip_start(0, 5, 6, counts);
    chip_start(1, 5, 6, counts);
    libttsim_clock(4096);
    libttsim_exit();
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[_i][i]);
        FILE *file = fopen(path, "r");
        ck_assert_msg(file != NULL, "no %s", path);
        ck_assert_uint_eq(fread(begin, 1, sizeof begin, file), sizeof begin);
        ck_assert_int_eq(memcmp(begin, "PNRSTRC", sizeof begin) == 0, _i == 1);
        ck_assert_int_eq(memcmp(begin, "OP CODE,", sizeof begin) == 0, _i == 2);
        fclose(file);
    }
    snprintf(path, sizeof path, "rm -r %s", folder);
    ck_assert_int_eq(system(path), 0);
}

TEST(the_summary_is_of_all_chips)
{
    char path[] = P_tmpdir "/check_chips_XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(setenv("PENROSE_SUMMARY", path, 1), 0);
    open_chips(2, "[]");
    chip_start(0, 3, 4, counts);
    chip_start(1, 7, 8, counts);
    libttsim_clock(2048);
    libttsim_exit();
    json_t *summary = json_loadfd(fd, 0, NULL);
    ck_assert_ptr_nonnull(summary);
    ck_assert_int_eq(json_integer_value(json_object_get(summary, "chips")), 2);
    json_t *tiles = json_object_get(summary, "tiles");
    ck_assert_uint_eq(json_array_size(tiles), 2);
    unsigned found = 0;
    for (size_t i = 0; i < 2; i++) {
        const json_t *tile = json_array_get(tiles, i);
        const char *name = json_string_value(json_object_get(tile, "tile"));
        json_int_t chip = json_integer_value(json_object_get(tile, "chip"));
        ck_assert_str_eq(name, chip ? "7-8" : "3-4");
        found |= 1u << chip;
        ck_assert_int_gt(json_integer_value(json_object_get(tile, "instructions")), 1000);
    }
    ck_assert_uint_eq(found, 3);
    json_decref(summary);
    close(fd);
    unlink(path);
}

/* Links on which things go wrong are told with chip and port: when they go away, and at the end. */
TEST(errors_of_links_are_told)
{
    ck_assert_int_eq(
        setenv("PENROSE_LINK_ERRORS", "1:9=0.5,seed=3,down=5000 0:3=0,down=9,up=6000", 1), 0);
    open_chips(2, TWO_LINKS);
    chip_start(0, 5, 6, counts);
    libttsim_clock(20000);
    ck_assert_uint_eq(
        reported("penrose: chip 1: cycle 5000: the link of port 9 (Ethernet (29, 25)) to "
                 "port 2 of chip 0 has gone away"),
        1);
    ck_assert_uint_eq(chip_rd(0, 22, ETHERNET_Y, PCS_STATUS), 0);
    ck_assert_uint_eq(chip_rd(0, 23, ETHERNET_Y, PCS_STATUS), 1);
    libttsim_exit();
    ck_assert_uint_eq(reported("penrose: chip 1: port 9 got 0 frames from port 2 of chip 0"), 1);
    ck_assert_uint_eq(reported("penrose: chip 0: port 3 got 0 frames from port 8 of chip 1"), 1);
    unsetenv("PENROSE_LINK_ERRORS");
}

TEST_EACH(wrong_errors_of_links_are_told, 5)
{
    static const char *const rows[][2] = {
        {"0:2", "PENROSE_LINK_ERRORS: '0:2' is not understood; write chip:port=rate"},
        {"0:2=0.1,sed=3", "is not understood"},
        {"0:2=0.1;", "is not understood"},
        {"2:2=0.1", "there is no chip 2; chips are numbered from 0 to 1"},
        {"0:3=0.1", "Ethernet (23, 25) has no link"},
    };
    ck_assert_int_eq(setenv("PENROSE_LINK_ERRORS", rows[_i][0], 1), 0);
    open_chips(2, "[[{chip: 0, chan: 2}, {chip: 1, chan: 9}]]");
    chip_wr(0, 1, 2, 0x400, 1);
    ck_assert_uint_eq(reported(rows[_i][1]), 1);
    unsetenv("PENROSE_LINK_ERRORS");
}

/* What is wrong is told when the device is first used, and there is the card. */
TEST(a_wrong_cluster_is_told)
{
    open_chips(2, "[[{chip: 0, chan: 2}, {chip: 0, chan: 2}]]");
    ck_assert_uint_eq(libttsim_pci_config_rd32(1 << 3, 0), UINT32_MAX);
    ck_assert_uint_eq(reported(""), 0);
    chip_wr(0, 1, 2, 0x400, 1);
    ck_assert_uint_eq(reported(":1: ethernet_connections: port 2 of chip 0 has the link of line 1 "
                               "already; a port has one link; the default is used"),
                      1);
}
