/* penrose/debug.h: stops at what the coprocessor does, and that its threads take the same turns. */
#include <stdlib.h>

#include <penrose/debug.h>

#include "chip/chip.h"
#include "num/tensix_format.h"
#include "tensix/config/regs.h"
#include "unit/chip/chip_program.h"
#include "unit/chip/state_difference.h"
#include "unit/test.h"

enum { X = 1, Y = 2, CODE = 0x1000, COUNTER = 0x4000, OUTPUT = 0x8000, ROUNDS = 40 };

static const struct penrose_run a_while = {.size = sizeof a_while, .cycles = 100000};
static struct penrose_error error;

/*
 * Thread 2 waits until trisc0 has stored to L1. Then each thread hands on to the next by a semaphore,
 * trisc0 to thread 2 too, and counts in a word by what it found there the last time, which shows who
 * came when. The harts push faster than that, so that queues are full.
 */
static const char *const programs[TENSIX_THREADS] = {
    "lui t0, 4; lui t1, 0xffe80; addi s0, zero, 300; addi s0, s0, -1; bne s0, zero, 0x100c;"
    "addi s0, zero, 8; sw s0, 4(t0); addi s0, zero, 40; addi t4, zero, 8; .ttinsn SEMINIT 2, 0, 3;"
    "lw t3, 0x28(t1); bgeu t3, t4, 0x1028; sw zero, 0x28(t1);"
    ".ttinsn SEMWAIT 0x1ff, 1, 2; .ttinsn ATINCGET 0, 31, 0, 8, 1; .ttinsn SEMPOST 1;"
    "addi s0, s0, -1; bne s0, zero, 0x1028; ebreak",

    "addi s0, zero, 40;"
    ".ttinsn SEMWAIT 0x1ff, 1, 1; .ttinsn ATINCGET 0, 31, 0, 9, 1; .ttinsn SEMGET 1;"
    ".ttinsn SEMWAIT 0x1ff, 2, 2; .ttinsn SEMPOST 2;"
    "addi s0, s0, -1; bne s0, zero, 0x2004; ebreak",

    "addi s0, zero, 40; .ttinsn SETADCXX 4, 15, 0; .ttinsn ATCAS 0, 7, 8, 1, 0, 1;"
    ".ttinsn SEMWAIT 0x1ff, 4, 1; .ttinsn SEMGET 4; .ttinsn SEMWAIT 0x1ff, 2, 1; .ttinsn SEMGET 2;"
    ".ttinsn PACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;"
    "addi s0, s0, -1; bne s0, zero, 0x300c; ebreak"};

static void configure(struct tile *tile)
{
    static const struct {
        enum tensix_field_id field;
        uint32_t value;
    } fields[] = {
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG2_Dstacc, NUM_FORMAT_FLOAT16_B},
        {TENSIX_FIELD_THCON_SEC0_REG1_In_data_format, NUM_FORMAT_FLOAT16_B},
        {TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format, NUM_FORMAT_FLOAT16_B},
        {TENSIX_FIELD_THCON_SEC0_REG1_Disable_zero_compress, 1},
        {TENSIX_FIELD_THCON_SEC0_REG1_L1_Dest_addr, OUTPUT / 16 - 1},
        {TENSIX_FIELD_THCON_SEC0_REG9_Pack_0_2_limit_address, 0x1ffff},
        {TENSIX_FIELD_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16},
        {TENSIX_FIELD_PCK_EDGE_OFFSET_SEC0_mask, 0xffff},
        {TENSIX_FIELD_PCK0_ADDR_CTRL_XY_REG_0_Ystride, 32},
    };
    for (unsigned i = 0; i < COUNT(fields); i++) {
        tensix_set_config_field(&tile->tensix, 0, fields[i].field, fields[i].value);
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        tile->tensix.gpr[thread][1] = COUNTER / 16;
        tile->tensix.gpr[thread][8 + thread] = 1 + thread;
    }
}

static const struct way {
    enum penrose_schedule schedule;
    bool timed;
} ways[] = {{PENROSE_FAST, false}, {PENROSE_LOCKSTEP, false}, {PENROSE_FAST, true}};

static struct penrose_chip *make_chip(const struct way *way)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct tile *tile;
    options.schedule = way->schedule;
    options.timed = way->timed;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_OK);
    ck_assert_int_eq(chip_tile(chip, X, Y, &tile, &error), PENROSE_OK);
    configure(tile);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        start_program(chip, X, Y, (enum penrose_hart)(PENROSE_TRISC0 + thread), CODE * (1 + thread),
                      programs[thread]);
    }
    return chip;
}

static void watch(struct penrose_chip *chip, uint32_t address)
{
    const struct penrose_point point = {.size = sizeof point,
                                        .kind = PENROSE_WATCHPOINT,
                                        .x = X,
                                        .y = Y,
                                        .hart = PENROSE_NO_HART,
                                        .address = address,
                                        .bytes = 8,
                                        .reads = true,
                                        .writes = true};
    ck_assert_msg(penrose_point_set(chip, &point, NULL, &error) == PENROSE_OK, "%s", error.text);
}

static uint64_t hits_of(const struct penrose_chip *chip, size_t point)
{
    struct penrose_point now = {.size = sizeof now};
    ck_assert(penrose_point_get(chip, point, &now));
    return now.hits;
}

static void step_all(struct penrose_chip *chip, uint64_t count)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        ck_assert_int_eq(penrose_tensix_step(chip, X, Y, thread, count, &error), PENROSE_OK);
    }
}

static void check_same(struct penrose_chip *chip, struct penrose_chip *plain)
{
    ck_assert_msg(penrose_state_hash(chip) == penrose_state_hash(plain), "%s",
                  state_difference(plain, chip));
    ck_assert_uint_eq(penrose_last_activity(chip), penrose_last_activity(plain));
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        enum penrose_hart hart = (enum penrose_hart)(PENROSE_TRISC0 + thread);
        struct penrose_hart_info a, b;
        penrose_hart_info(plain, X, Y, hart, &a, &error);
        penrose_hart_info(chip, X, Y, hart, &b, &error);
        ck_assert_int_eq(a.state, PENROSE_HART_PAUSED); /* by its ebreak */
        ck_assert_uint_eq(a.retired, b.retired);
    }
}

/* Stops at each access that is watched, or at each instruction, or both. */
enum { WATCHED = 1, STEPPED = 2, BOTH = 3 };

/* A copy, at which nobody looks, goes on from a stop. */
static void check_copy(struct penrose_chip *chip, struct penrose_chip *plain)
{
    struct penrose_chip *copy;
    void *bytes;
    size_t size;
    ck_assert_int_eq(penrose_snapshot_to_memory(chip, &bytes, &size, &error), PENROSE_OK);
    ck_assert_msg(penrose_snapshot_from_memory(NULL, bytes, size, &copy, &error) == PENROSE_OK,
                  "%s", error.text);
    ck_assert_int_eq(penrose_run(copy, &a_while), PENROSE_QUIET);
    check_same(copy, plain);
    penrose_chip_destroy(copy);
    free(bytes);
}

static unsigned run_stopped(struct penrose_chip *chip, struct penrose_chip *plain, int stopped)
{
    unsigned stops = 0;
    if (stopped & WATCHED) {
        watch(chip, OUTPUT);
        watch(chip, COUNTER);
    }
    do {
        if (stopped & STEPPED) {
            step_all(chip, 1);
        }
        ck_assert_uint_lt(stops++, 10000);
        if (stops % 32 == 0) {
            check_copy(chip, plain);
        }
    } while (penrose_run(chip, &a_while) == PENROSE_PAUSED);
    return stops;
}

TEST_EACH(stops_change_nothing, COUNT(ways) * BOTH * 2)
{
    const struct way *way = &ways[(unsigned)_i % COUNT(ways)];
    const int stopped = 1 + _i / (int)COUNT(ways) % BOTH;
    struct penrose_chip *plain = make_chip(way), *chip = make_chip(way);
    penrose_shortcuts_set(plain, _i / (int)(COUNT(ways) * BOTH));
    ck_assert_int_eq(penrose_run(plain, &a_while), PENROSE_QUIET);
    ck_assert_uint_ge(run_stopped(chip, plain, stopped), 3 * ROUNDS);
    if (stopped & WATCHED) {
        ck_assert_uint_eq(hits_of(chip, 0), ROUNDS); /* one for each PACR */
    }
    check_same(chip, plain);
    penrose_chip_destroy(plain);
    penrose_chip_destroy(chip);
}
