/*
 * A chip is data: one that is made up of other tables (small/) runs the same program as a Blackhole
 * beside it in one process, and both get the exact result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "scene.h"
#include "unit/test.h"

enum { CHIPS = 2, SLICE = 2000, SLICES = 500 };

static const struct {
    const char *name, *card;
    struct penrose_place worker, partner, ethernet;
    uint32_t soft_reset, held; /* of harts: BRISC runs */
    uint32_t good_frames;
    uint32_t room, more_room; /* REMOTE_DEST_BUF_SPACE_AVAILABLE of stream 1, and its UPDATE */
    double clock_mhz;
} chips[CHIPS] = {
    {"blackhole",
     "unharvested",
     {16, 11},
     {1, 2},
     {20, 25},
     0xffb121b0,
     0x47000,
     0xffb98120,
     0xffb414a4,
     0xffb41438,
     1350},
    {"small",
     "small",
     {16, 20},
     {17, 18},
     {11, 12},
     0xffa241b0,
     0x1e000000,
     0xffab9520,
     0xffa61524,
     0xffa614b8,
     250},
};

/* Of small.o, where it is called chip_calls. */
extern const struct chip_calls small_calls;

const struct chip_calls *const api_chips[] = {&chip_calls, &small_calls, NULL};

static struct scene scenes[CHIPS];
static float a[CHIPS][SCENE_SIDE][SCENE_SIDE], b[CHIPS][SCENE_SIDE][SCENE_SIDE];
static char guests[CHIPS][512];

/* Small integers, so that sums are exact in any order; others for each chip. */
static const char *find_lack(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/tests/arch/small-move.elf", getenv("builddir"));
    return access(path, R_OK) != 0 ? "no guest programs: no RISC-V cross compiler" : NULL;
}

TESTS_NEED(find_lack);

static void setup(void)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        for (unsigned row = 0; row < SCENE_SIDE; row++) {
            for (unsigned column = 0; column < SCENE_SIDE; column++) {
                a[i][row][column] = (float)((row * 7 + column * (3 + i)) % 5) - 2;
                b[i][row][column] = (float)((row * (5 - i) + column * 11) % 5) - 2;
            }
        }
        snprintf(guests[i], sizeof guests[i], "%s/tests/arch/%s", getenv("builddir"),
                 chips[i].name);
        scenes[i] = (struct scene){.card = chips[i].card,
                                   .worker = chips[i].worker,
                                   .partner = chips[i].partner,
                                   .guests = guests[i]};
        ck_assert_msg(scene_begin(&scenes[i], a[i], b[i]), "%s: %s", chips[i].name,
                      scenes[i].error.text);
    }
}

static void teardown(void)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        penrose_chip_destroy(scenes[i].chip);
    }
}

FIXTURE(setup, teardown);

static const char *kind_at(unsigned chip, unsigned x, unsigned y)
{
    const char *kind = penrose_tile_kind_name(penrose_tile_kind(scenes[chip].chip, x, y));
    return kind ? kind : "";
}

TEST(both_multiply)
{
    unsigned done = 0;
    for (unsigned slice = 0; slice < SLICES && done < CHIPS; slice++) {
        done = 0;
        for (unsigned i = 0; i < CHIPS; i++) {
            bool is_done = false;
            ck_assert_msg(scene_run(&scenes[i], SLICE, &is_done), "%s: %s", chips[i].name,
                          scenes[i].error.text);
            done += is_done;
        }
    }
    for (unsigned i = 0; i < CHIPS; i++) {
        float product[SCENE_SIDE][SCENE_SIDE];
        uint32_t sign;
        ck_assert_msg(scene_results(&scenes[i], product, &sign), "%s: %s", chips[i].name,
                      scenes[i].error.text);
        ck_assert_msg(sign == 5, "%s: sign %u: %s", chips[i].name, sign, scenes[i].error.text);
        for (unsigned row = 0; row < SCENE_SIDE; row++) {
            for (unsigned column = 0; column < SCENE_SIDE; column++) {
                float sum = 0;
                for (unsigned k = 0; k < SCENE_SIDE; k++) {
                    sum += a[i][row][k] * b[i][k][column];
                }
                ck_assert_msg(product[row][column] == sum, "%s: (%u, %u) is %g, not %g",
                              chips[i].name, row, column, (double)product[row][column],
                              (double)sum);
            }
        }
    }
}

TEST(each_has_its_own_facts)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        uint32_t word = 0;
        ck_assert_double_eq(penrose_clock_mhz(scenes[i].chip), chips[i].clock_mhz);
        ck_assert(scene_read(&scenes[i], chips[i].worker, chips[i].soft_reset, &word));
        ck_assert_uint_eq(word, chips[i].held);
        ck_assert(!scene_read(&scenes[i], chips[i].worker, chips[1 - i].soft_reset, &word));
        ck_assert(scene_read(&scenes[i], chips[i].ethernet, chips[i].good_frames, &word));
        ck_assert_uint_eq(word, 0x1f);
        ck_assert(scene_write_word(&scenes[i], chips[i].partner, chips[i].more_room, 5 << 6));
        ck_assert(scene_read(&scenes[i], chips[i].partner, chips[i].room, &word));
        ck_assert_uint_eq(word, 5);
    }
    ck_assert_str_eq(kind_at(0, 16, 11), "Tensix");
    ck_assert_str_eq(kind_at(0, 17, 12), "DRAM");
    ck_assert_str_eq(kind_at(1, 16, 19), "Tensix");
    ck_assert_str_eq(kind_at(1, 7, 9), "DRAM");
    ck_assert_str_eq(kind_at(1, 10, 12), "Ethernet");
}

/* Rows of the small chip's workers have others between them, with Ethernet tiles; the first row of
 * its die (y = 4) is fused off on one card, so the last name of a row leads there. */
TEST(one_loses_rows)
{
    const struct penrose_options options = {.size = sizeof options, .card = "small-harvested"};
    static const struct {
        unsigned x, y;
        enum penrose_tile_kind kind;
    } rows[] = {{1, 3, PENROSE_TILE_ETHERNET}, {10, 12, PENROSE_TILE_ETHERNET},
                {1, 2, PENROSE_TILE_TENSIX},   {1, 5, PENROSE_TILE_TENSIX},
                {1, 4, PENROSE_NO_TILE},       {16, 19, PENROSE_TILE_TENSIX},
                {16, 20, PENROSE_NO_TILE},     {17, 20, PENROSE_NO_TILE}};
    struct penrose_chip *chip;
    struct penrose_error error;
    struct penrose_place at, arc;
    unsigned workers = 0;
    uint32_t word;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_OK);
    for (int i = 0; i < COUNT(rows); i++) {
        ck_assert_msg(penrose_tile_kind(chip, rows[i].x, rows[i].y) == rows[i].kind, "(%u, %u)",
                      rows[i].x, rows[i].y);
    }
    while (penrose_tile_at(chip, PENROSE_TILE_TENSIX, workers, &at)) {
        workers++;
    }
    ck_assert_uint_eq(workers, 4);
    /* NOC_ID_LOGICAL of the tile behind row 19: x = 16, y = 19 */
    ck_assert_int_eq(penrose_read(chip, 1, 5, 0xffa40148, &word, sizeof word, &error), PENROSE_OK);
    ck_assert_uint_eq(word, 19 << 6 | 16);
    ck_assert_int_eq(penrose_hart_release(chip, 5, 5, PENROSE_BRISC, 0, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert_msg(strstr(error.text, "workers are at x 16-17, y 18-19"), "%s", error.text);
    ck_assert_int_eq(penrose_ethernet_link(chip, 16, 18, chip, 10, 11, &error), PENROSE_E_ARGUMENT);
    ck_assert_msg(strstr(error.text, "Ethernet tiles are at x 10-11, y 11-12"), "%s", error.text);
    ck_assert(penrose_tile_at(chip, PENROSE_TILE_ARC, 0, &arc));
    bool is_told = false;
    for (uint32_t i = 0; i < 30 && !is_told; i++) { /* tags and indices, behind two words */
        ck_assert_int_eq(
            penrose_read(chip, arc.x, arc.y, 0x20001108 + 4 * i, &word, sizeof word, &error),
            PENROSE_OK);
        is_told = (word & 0xffff) == 39;
    }
    ck_assert(is_told);
    ck_assert_int_eq(
        penrose_read(chip, arc.x, arc.y, 0x20001200 + 4 * (word >> 16), &word, sizeof word, &error),
        PENROSE_OK);
    ck_assert_uint_eq(word, 6);
    penrose_chip_destroy(chip);
}

/* SFPREV (small/tensix_own.def) is an instruction of the small chip alone. */
TEST(one_has_an_instruction_more)
{
    const uint32_t word[SCENE_WORDS] = {0x71021234 /* SFPLOADI LReg 0, 0x1234, unsigned */,
                                        0x9a000010 /* SFPREV LReg 0, LReg 1 */,
                                        0x8f000000 /* SFPNOP */};
    uint32_t lane[PENROSE_LANES];
    ck_assert_msg(scene_execute(&scenes[1], word, lane), "%s", scenes[1].error.text);
    for (unsigned i = 0; i < PENROSE_LANES; i++) {
        ck_assert_uint_eq(lane[i], 0x2c480000);
    }
    ck_assert(!scene_execute(&scenes[0], word, lane));
    ck_assert_ptr_nonnull(strstr(scenes[0].error.text, "0x9a000010 is no instruction"));
}

/* SFPREV again, a CSR, and the registers of a debugger: a chip says by which tables. NULL is Blackhole. */
TEST(text_is_that_of_a_kind)
{
    const uint32_t sfprev = 0x9a000010;
    const struct penrose_chip *blackhole = scenes[0].chip, *small = scenes[1].chip;
    struct penrose_register number;
    struct penrose_error error;
    char text[100];
    uint32_t word;
    ck_assert_int_eq(penrose_tensix_assemble(small, "SFPREV 0, 0, 1, 0", &word, &error),
                     PENROSE_OK);
    penrose_tensix_disassemble(small, sfprev, text, sizeof text);
    ck_assert_msg(strncmp(text, "SFPREV", 6) == 0, "%s", text);
    penrose_disassemble(small, sfprev << 2 | sfprev >> 30, 0, text, sizeof text);
    ck_assert_msg(strstr(text, "SFPREV") != NULL, "%s", text);
    ck_assert_int_eq(penrose_assemble(small, ".ttinsn SFPREV 0, 0, 1, 0", 0, &word, &error),
                     PENROSE_OK);
    for (unsigned i = 0; i < CHIPS; i++) {
        const struct penrose_chip *chip = i ? NULL : blackhole;
        ck_assert_int_ne(penrose_tensix_assemble(chip, "SFPREV 0, 0, 1, 0", &word, &error),
                         PENROSE_OK);
        ck_assert_int_ne(penrose_assemble(chip, ".ttinsn SFPREV 0, 0, 1, 0", 0, &word, &error),
                         PENROSE_OK);
        penrose_tensix_disassemble(chip, sfprev, text, sizeof text);
        ck_assert_msg(!strstr(text, "SFPREV"), "%s", text);
        ck_assert_str_eq(penrose_range_name(chip, PENROSE_BRISC, 0xffb12000),
                         "tile control / debug / status");
        ck_assert(penrose_register_find(chip, "mcycle", &number));
    }
    ck_assert_str_eq(penrose_range_name(small, PENROSE_BRISC, 0xffa24000),
                     "tile control / debug / status");
    ck_assert_str_ne(penrose_range_name(small, PENROSE_BRISC, 0xffb12000),
                     "tile control / debug / status");
    ck_assert(penrose_register_find(small, "mcycle", &number));
}

/* The small chip's firmware (firmware.c) fits no Blackhole, and what was opened for one kind no chip of
 * another. */
TEST(firmware_is_for_a_kind)
{
    const struct penrose_place at[CHIPS] = {chips[0].worker, chips[1].worker};
    struct penrose_chip *blackhole = scenes[0].chip, *small = scenes[1].chip;
    struct penrose_launch launch = {.size = sizeof launch};
    struct penrose_firmware *firmware;
    struct penrose_error error;
    char path[600];
    snprintf(path, sizeof path, "%s/tests/arch/firmware", getenv("builddir"));
    ck_assert_int_eq(penrose_firmware_open(NULL, path, &firmware, &error), PENROSE_E_FORMAT);
    ck_assert_int_eq(penrose_firmware_open(blackhole, path, &firmware, &error), PENROSE_E_FORMAT);
    ck_assert_ptr_null(firmware);
    ck_assert_msg(penrose_firmware_open(small, path, &firmware, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_uint_eq(penrose_firmware_dram_banks(firmware), 2);
    ck_assert_int_eq(penrose_boot(blackhole, at[0].x, at[0].y, firmware, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert_str_eq(error.text, "the firmware was opened for a small; this chip is a blackhole");
    ck_assert_int_eq(penrose_launch(blackhole, at[0].x, at[0].y, firmware, &launch, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert(!penrose_firmware_ready(blackhole, at[0].x, at[0].y, firmware));
    ck_assert(!penrose_launch_done(blackhole, at[0].x, at[0].y, firmware));
    ck_assert_msg(penrose_boot(small, at[1].x, at[1].y, firmware, &error) == PENROSE_OK, "%s",
                  error.text);
    struct penrose_run run = {.size = sizeof run, .cycles = 10000};
    penrose_run(small, &run);
    ck_assert(penrose_firmware_ready(small, at[1].x, at[1].y, firmware));
    penrose_firmware_close(firmware);
}

/* The path to ARC through BAR0: the version of the telemetry's tags, which is 1. */
TEST(each_has_its_own_bars)
{
    static const uint32_t tags[CHIPS] = {0x1fe41100 /* not where Blackhole has its tags */,
                                         0x00e41100};
    uint32_t word;
    for (unsigned i = 0; i < CHIPS; i++) {
        enum penrose_status status =
            penrose_pcie_register_read(scenes[1].chip, 0, tags[i], &word, &scenes[1].error);
        ck_assert_int_eq(status, i == 1 ? PENROSE_OK : PENROSE_E_ARGUMENT);
        ck_assert_uint_eq(word, i == 1 ? 1 : UINT32_MAX);
    }
}

/* Harts of the small chip have RV32IM and CSRs alone (small/extensions.def). */
TEST(one_lacks_extensions)
{
    /* sh1add x0, x0, x0, turned right by two bits */
    static const uint32_t word[SCENE_WORDS] = {0xc800080c, 0x02000000, 0x02000000};
    uint32_t lane[PENROSE_LANES];
    ck_assert_msg(scene_execute(&scenes[0], word, lane), "%s", scenes[0].error.text);
    ck_assert(!scene_execute(&scenes[1], word, lane));
    ck_assert_msg(strstr(scenes[1].error.text, "the harts do not implement sh1add"), "%s",
                  scenes[1].error.text);
}

/* CFGSHIFTMASK and DEST_ACCESS_CFG are absent on the small chip (small/tensix.awk, moved.awk). */
TEST(one_lacks_instructions_and_fields)
{
    const uint32_t word[SCENE_WORDS] = {
        0x4502ffff /* SETDMAREG: the low half of GPR 1 is all ones */,
        0xb0010000 /* WRCFG: that is word 0 of Config, in which the small chip has no field */,
        0xb8000000 /* CFGSHIFTMASK */};
    const struct penrose_place at = chips[1].partner;
    uint32_t lane[PENROSE_LANES], value;
    ck_assert_msg(scene_execute(&scenes[0], word, lane), "%s", scenes[0].error.text);
    ck_assert(!scene_execute(&scenes[1], word, lane));
    ck_assert_msg(
        strstr(scenes[1].error.text, "0xb8000000 is no instruction: this chip has no CFGSHIFTMASK"),
        "%s", scenes[1].error.text);
    ck_assert_int_eq(penrose_tensix_read(scenes[1].chip, at.x, at.y,
                                         "config.0.DEST_ACCESS_CFG_remap_addrs", &value,
                                         &scenes[1].error),
                     PENROSE_OK);
    ck_assert_uint_eq(value, 0);
}

/* PACR of the small chip names packers in bits 6:5. The second one has words of Config of its own
 * (small/packers.def), of which this sets where it packs to. */
TEST(one_has_two_packers)
{
    const struct penrose_place at = chips[1].partner;
    const uint32_t word[SCENE_WORDS] = {
        0x45090002 /* SETDMAREG: the low half of GPR 1 is 0x900 */,
        0xb0010069 /* WRCFG: that is THCON_SEC0_REG8_L1_Dest_addr */,
        0x41001141 /* PACR, the second packer, ZeroWrite of one interface, Last */};
    const uint32_t first = 0x10, second = 0x9010, old = UINT32_MAX; /* behind a tile header */
    uint32_t lane[PENROSE_LANES], packed;
    ck_assert(scene_write_word(&scenes[1], at, first, old));
    ck_assert(scene_write_word(&scenes[1], at, second, old));
    ck_assert_msg(scene_execute(&scenes[1], word, lane), "%s", scenes[1].error.text);
    ck_assert(scene_read(&scenes[1], at, first, &packed));
    ck_assert_uint_eq(packed, old);
    ck_assert(scene_read(&scenes[1], at, second, &packed));
    ck_assert_uint_ne(packed, old);
}

/* The mover fills NCRISC's instruction RAM, and NCRISC runs there (iram.c). A debugger sees it, loads
 * do not, and a snapshot has it. */
TEST(one_has_an_instruction_ram)
{
    struct scene *scene = &scenes[1];
    const struct penrose_place at = chips[1].worker;
    const enum penrose_hart nc = PENROSE_NCRISC;
    const uint32_t first = 0xffc00000, nop = 0x13, jump = 0x6f;
    struct penrose_hart_info info;
    struct penrose_chip *copy;
    struct penrose_run run = {.size = sizeof run, .cycles = 1000};
    uint32_t value;
    char text[100];
    void *bytes;
    size_t size;
    ck_assert_msg(scene_run_program(scene, "iram", &value), "%s", scene->error.text);
    ck_assert_uint_eq(value, first);
    ck_assert_int_eq(penrose_hart_info(scene->chip, at.x, at.y, nc, &info, NULL), PENROSE_OK);
    ck_assert_uint_eq(info.pc, first + 4 * 130);
    ck_assert_int_eq(penrose_hart_peek(scene->chip, at.x, at.y, nc, first, &value, 4, NULL),
                     PENROSE_OK);
    ck_assert_uint_eq(value, 0x297);
    ck_assert_int_ge(
        penrose_hart_disassemble(scene->chip, at.x, at.y, first, &value, text, sizeof text), 0);
    ck_assert_ptr_nonnull(strstr(text, "auipc"));
    ck_assert_int_ne(
        penrose_hart_peek(scene->chip, at.x, at.y, PENROSE_BRISC, first, &value, 4, &scene->error),
        PENROSE_OK);

    ck_assert_int_eq(penrose_snapshot_to_memory(scene->chip, &bytes, &size, &scene->error),
                     PENROSE_OK);
    ck_assert_int_eq(penrose_snapshot_from_memory(NULL, bytes, size, &copy, &scene->error),
                     PENROSE_OK);
    free(bytes);
    penrose_run(copy, &run);
    ck_assert_int_eq(penrose_hart_info(copy, at.x, at.y, nc, &info, NULL), PENROSE_OK);
    ck_assert_uint_eq(info.pc, first + 4 * 130);
    ck_assert_int_ne(info.state, PENROSE_HART_FAULTED);
    /* What was decoded there is forgotten: the loop is no loop any more. */
    ck_assert_int_eq(penrose_hart_poke(copy, at.x, at.y, nc, first + 4 * 131, &jump, 4, NULL),
                     PENROSE_OK);
    ck_assert_int_eq(penrose_hart_poke(copy, at.x, at.y, nc, first + 4 * 130, &nop, 4, NULL),
                     PENROSE_OK);
    penrose_run(copy, &run);
    ck_assert_int_eq(penrose_hart_info(copy, at.x, at.y, nc, &info, NULL), PENROSE_OK);
    ck_assert_uint_eq(info.pc, first + 4 * 131);
    penrose_chip_destroy(copy);
}

TEST(a_snapshot_is_of_its_kind)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        struct penrose_chip *copy;
        struct penrose_error error = {.text = ""};
        void *bytes;
        size_t size;
        ck_assert_int_eq(penrose_snapshot_to_memory(scenes[i].chip, &bytes, &size, &error),
                         PENROSE_OK);
        ck_assert_msg(penrose_snapshot_from_memory(NULL, bytes, size, &copy, &error) == PENROSE_OK,
                      "%s: %s", chips[i].name, error.text);
        ck_assert_double_eq(penrose_clock_mhz(copy), chips[i].clock_mhz);
        ck_assert_uint_eq(penrose_state_hash(copy), penrose_state_hash(scenes[i].chip));
        penrose_chip_destroy(copy);
        free(bytes);
    }
}

TEST(a_snapshot_is_of_chips_of_one_kind)
{
    struct penrose_cluster *cluster;
    struct penrose_error error = {.text = ""};
    void *bytes;
    size_t size;
    ck_assert_int_eq(penrose_cluster_create(1, &cluster, &error), PENROSE_OK);
    for (unsigned i = 0; i < CHIPS; i++) {
        const struct penrose_options options = {.size = sizeof options, .card = chips[i].card};
        struct penrose_chip *chip;
        ck_assert_msg(penrose_cluster_add(cluster, &options, &chip, &error) == PENROSE_OK, "%s",
                      error.text);
    }
    ck_assert_int_eq(
        penrose_snapshot_to_memory(penrose_cluster_chip(cluster, 1), &bytes, &size, &error),
        PENROSE_E_STATE);
    ck_assert_str_eq(error.text, "a snapshot is of chips of one kind; this cluster has a blackhole "
                                 "and a small");
    penrose_cluster_destroy(cluster);
}

TEST(an_unknown_card_is_answered_with_the_cards_of_all_kinds)
{
    const struct penrose_options options = {.size = sizeof options, .card = "p999"};
    struct penrose_chip *chip;
    struct penrose_error error;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "there is no card 'p999'; known are unharvested, "));
    ck_assert_ptr_nonnull(strstr(error.text, "; small"));
}
