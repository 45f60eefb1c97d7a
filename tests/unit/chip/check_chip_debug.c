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

static struct penrose_chip *chip_with_program(bool counts)
{
    struct penrose_chip *chip = NULL;
    struct penrose_error error = {0};
    ck_assert_msg(penrose_chip_create(NULL, &chip, &error) == PENROSE_OK, "%s", error.text);
    if (counts) { /* before there is a tile */
        ck_assert_int_eq(penrose_tensix_counting(chip, true, &error), PENROSE_OK);
    }
    ck_assert_int_eq(penrose_poke(chip, X, Y, PROGRAM, program, sizeof program, &error),
                     PENROSE_OK);
    ck_assert_int_eq(penrose_hart_release(chip, X, Y, PENROSE_TRISC0, PROGRAM, &error), PENROSE_OK);
    return chip;
}

static uint64_t executed(struct penrose_chip *chip, const char *mnemonic, unsigned thread)
{
    struct penrose_tensix_count count;
    uint64_t sum = 0;
    for (size_t i = 0; penrose_tensix_count_get(chip, X, Y, i, &count); i++) {
        sum += strcmp(count.mnemonic, mnemonic) == 0 ? count.executed[thread] : 0;
    }
    return sum;
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
