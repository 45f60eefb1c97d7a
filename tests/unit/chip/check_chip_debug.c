/* penrose/debug.h: counting changes no result and no cycle, and counts what was executed; Dst is
 * read as it is. */
#include <string.h>

#include <penrose/debug.h>
#include <penrose/penrose.h>

#include "unit/test.h"

enum { X = 1, Y = 2, PROGRAM = 0x6000, MANY = 7, ROW = 3 };

/* T0 records INCRWC MANY times and plays that twice; then it writes 1.5 and -2 as FP32 to the first
 * and the last datum of a row of Dst. */
static const uint32_t program[] = {
    0xffe40437,                         /* lui s0, 0xffe40 */
    0x040000b7, 0x07108093, 0x00142023, /* REPLAY 0, 7, 0, 1 */
    0x380002b7,                         /* lui t0, 0x38000: INCRWC 0, 0, 0, 0 */
    0x00542023, 0x00542023, 0x00542023, /* sw t0, 0(s0) */
    0x00542023, 0x00542023, 0x00542023, 0x00542023,
    0xfff08093, 0x00142023, 0x00142023, /* REPLAY 0, 7, 0, 0, twice */
    0xffbd84b7,                         /* lui s1, 0xffbd8: Dst, with 64 bytes a row */
    0x3fc00337, 0x0c64a023,             /* 1.5 */
    0xc00003b7, 0x0e74ae23,             /* -2 */
    0x00100073,                         /* ebreak */
};

/* T0 pushes an INCRWC that waits for semaphore 2 for ever, and polls L1. */
enum { POLLED = 0x100 };

static const uint32_t waiting_program[] = {
    0xffe40437,                         /* lui s0, 0xffe40 */
    0xa6ff82b7, 0x01128293, 0x00542023, /* SEMWAIT 0x1ff, 4, 1 */
    0x38000337, 0x00642023,             /* INCRWC 0, 0, 0, 0 */
    0x10002383, 0xfe038ee3,             /* lw t2, POLLED(zero); beq t2, zero, -4 */
    0x00100073,                         /* ebreak */
};

static struct penrose_chip *chip_with(const uint32_t *words, size_t size, bool counts)
{
    struct penrose_chip *chip = NULL;
    struct penrose_error error = {0};
    ck_assert_msg(penrose_chip_create(NULL, &chip, &error) == PENROSE_OK, "%s", error.text);
    if (counts) { /* before there is a tile */
        ck_assert_int_eq(penrose_tensix_counting(chip, true, &error), PENROSE_OK);
    }
    ck_assert_int_eq(penrose_poke(chip, X, Y, PROGRAM, words, size, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_hart_release(chip, X, Y, PENROSE_TRISC0, PROGRAM, &error), PENROSE_OK);
    return chip;
}

static struct penrose_chip *chip_with_program(bool counts)
{
    return chip_with(program, sizeof program, counts);
}

static struct penrose_tensix_count count_of(struct penrose_chip *chip, const char *mnemonic)
{
    struct penrose_tensix_count count, sum = {.mnemonic = mnemonic};
    for (size_t i = 0; penrose_tensix_count_get(chip, X, Y, i, &count); i++) {
        for (unsigned thread = 0; strcmp(count.mnemonic, mnemonic) == 0 && thread < 3; thread++) {
            sum.executed[thread] += count.executed[thread];
            sum.waited[thread] += count.waited[thread];
        }
    }
    return sum;
}

static uint64_t executed(struct penrose_chip *chip, const char *mnemonic, unsigned thread)
{
    return count_of(chip, mnemonic).executed[thread];
}

TEST(counting_sees_all_and_changes_nothing)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 10000};
    struct penrose_chip *chip[] = {chip_with_program(false), chip_with_program(true)};
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(penrose_run(chip[i], &run), PENROSE_QUIET);
        ck_assert_uint_eq(penrose_fault_count(chip[i]), 0);
    }
    ck_assert_uint_eq(penrose_last_activity(chip[0]), penrose_last_activity(chip[1]));
    ck_assert_uint_eq(penrose_state_hash(chip[0]), penrose_state_hash(chip[1]));
    ck_assert_uint_eq(executed(chip[0], "INCRWC", 0), 0); /* nobody counted */
    ck_assert_uint_eq(executed(chip[1], "INCRWC", 0), 2 * MANY);
    ck_assert_uint_eq(executed(chip[1], "INCRWC", 1), 0);
    ck_assert_int_eq(penrose_tensix_counting(chip[1], true, NULL), PENROSE_OK); /* from zero */
    ck_assert_uint_eq(executed(chip[1], "INCRWC", 0), 0);
    ck_assert_int_eq(penrose_tensix_counting(chip[1], false, NULL), PENROSE_OK);
    ck_assert(!penrose_tensix_count_get(chip[1], X, Y, 0, &(struct penrose_tensix_count){0}));
    for (unsigned i = 0; i < 2; i++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        ck_assert_int_eq(penrose_dst_read(chip[i], X, Y, ROW, PENROSE_DST_FP32, datum, NULL),
                         PENROSE_OK);
        ck_assert_uint_eq(datum[0], 0x3fc00000);
        ck_assert_uint_eq(datum[1], 0);
        ck_assert_uint_eq(datum[PENROSE_DST_COLUMNS - 1], 0xc0000000);
        penrose_chip_destroy(chip[i]);
    }
}

TEST(counts_how_long_harts_and_threads_wait)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 10000};
    const uint32_t goes_on = 1;
    struct penrose_chip *chip = chip_with(waiting_program, sizeof waiting_program, true);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_QUIET);
    uint64_t polled = penrose_hart_waited(chip, X, Y, PENROSE_TRISC0), now = penrose_now(chip);
    struct penrose_tensix_count held = count_of(chip, "INCRWC");
    ck_assert_uint_gt(polled, 0);
    ck_assert_uint_lt(polled, held.waited[0]); /* which began before */
    ck_assert_uint_lt(held.waited[0], now);
    ck_assert_uint_eq(held.executed[0] | held.waited[1] | held.waited[2], 0);
    ck_assert_uint_eq(penrose_hart_waited(chip, X, Y, PENROSE_TRISC1), 0);

    ck_assert_int_eq(penrose_poke(chip, X, Y, POLLED, &goes_on, sizeof goes_on, NULL), PENROSE_OK);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_QUIET);
    uint64_t passed = penrose_now(chip) - now;
    ck_assert_uint_gt(passed, 0);
    ck_assert_uint_lt(penrose_hart_waited(chip, X, Y, PENROSE_TRISC0), polled + passed);
    ck_assert_uint_eq(count_of(chip, "INCRWC").waited[0], held.waited[0] + passed);

    ck_assert_int_eq(penrose_tensix_counting(chip, false, NULL), PENROSE_OK);
    ck_assert_uint_eq(penrose_hart_waited(chip, X, Y, PENROSE_TRISC0), 0);
    penrose_chip_destroy(chip);
}

TEST(only_workers_have_dst)
{
    struct penrose_chip *chip = chip_with_program(true);
    struct penrose_error error;
    uint32_t datum[PENROSE_DST_COLUMNS];
    struct penrose_tensix_count count;
    ck_assert_int_eq(penrose_dst_read(chip, 20, 25, 0, PENROSE_DST_FP32, datum, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert(!penrose_tensix_count_get(chip, 20, 25, 0, &count));
    ck_assert(!penrose_tensix_count_get(chip, 99, 99, 0, &count));
    static const struct {
        enum penrose_dst_format format;
        unsigned rows;
    } views[] = {{PENROSE_DST_FP32, 512}, {PENROSE_DST_BF16, 1024}, {PENROSE_DST_FP16, 1024}};
    for (unsigned i = 0; i < sizeof views / sizeof views[0]; i++) {
        ck_assert_int_eq(
            penrose_dst_read(chip, X, Y, views[i].rows - 1, views[i].format, datum, &error),
            PENROSE_OK);
        ck_assert_int_eq(
            penrose_dst_read(chip, X, Y, views[i].rows, views[i].format, datum, &error),
            PENROSE_E_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.text, "Dst has rows"));
    }
    ck_assert_int_eq(penrose_dst_read(chip, X, Y, 0, (enum penrose_dst_format)3, datum, &error),
                     PENROSE_E_ARGUMENT);
    penrose_chip_destroy(chip);
}
