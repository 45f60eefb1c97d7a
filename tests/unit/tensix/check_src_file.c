/*
 * SrcA and SrcB: banks, fills, soft reset of columns and implied formats; the stored formats, all
 * 2^19 patterns, against descriptions of the layouts field by field.
 */
#include <check.h>
#include <string.h>

#include "num/src_format.h"
#include "unit/random.h"
#include "unit/test.h"
#include "tensix/src_file.h"

enum { ROWS = TENSIX_SRC_FILE_ROWS, COLUMNS = TENSIX_SRC_FILE_COLUMNS };

static struct tensix_src_file file;
static uint64_t dice;

/* As ck_assert_uint_eq, which costs a system call even where all is well. */
#define SAME(got, expected) check_same(#got, __LINE__, got, expected)

static void check_same(const char *what, int line, uint64_t got, uint64_t expected)
{
    if (got != expected) {
        ck_abort_msg("line %d: %s is 0x%llx, not 0x%llx", line, what, (unsigned long long)got,
                     (unsigned long long)expected);
    }
}

static void setup(void)
{
    dice = 1;
    memset(&file, 0, sizeof file);
}

static void fill_with_noise(void)
{
    for (unsigned bank = 0; bank < 2; bank++) {
        for (unsigned row = 0; row < ROWS; row++) {
            for (unsigned column = 0; column < COLUMNS; column++) {
                tensix_src_file_write(&file, bank, row, column, random_next(&dice) | 1);
            }
        }
    }
}

FIXTURE(setup, NULL);

/* --- Data --- */

TEST(what_is_written_is_read)
{
    static uint32_t expected[2][ROWS][COLUMNS];
    for (int n = 0; n < 100000; n++) {
        unsigned bank = random_next(&dice) & 1, row = random_next(&dice) % 256;
        unsigned column = random_next(&dice) % COLUMNS;
        uint32_t value = random_next(&dice);
        tensix_src_file_write(&file, bank, row, column, value);
        expected[bank][row % 64][column] = value & 0x7ffff;
        row = random_next(&dice) % 256;
        SAME(tensix_src_file_read(&file, bank, row, column), expected[bank][row % 64][column]);
    }
    ck_assert_mem_eq(file.bank, expected, sizeof expected);
}

TEST(rows_are_their_data)
{
    for (unsigned n = 0; n < 1000; n++) {
        static struct tensix_src_file before;
        uint32_t data[COLUMNS];
        unsigned bank = random_next(&dice) & 1, row = random_next(&dice) % 128;
        for (unsigned column = 0; column < COLUMNS; column++) {
            data[column] = random_next(&dice);
        }
        before = file;
        tensix_src_file_write_row(&file, bank, row, data);
        for (unsigned column = 0; column < COLUMNS; column++) {
            before.bank[bank][row % 64][column] = data[column] & 0x7ffff;
        }
        before.filled |= (uint8_t)(1u << bank);
        ck_assert_mem_eq(&file, &before, sizeof file);
        ck_assert_mem_eq(tensix_src_file_row(&file, bank, row), before.bank[bank][row % 64],
                         sizeof data);
    }
}

static const uint32_t fills[] = {
    0, NUM_SRC_MINUS_INFINITY, NUM_SRC_ONE_FP16, NUM_SRC_ONE_BF16, NUM_SRC_ONE_INT8, 0x12345};

/* Of each choice of banks: all of those, nothing of the others, and no format changes. */
TEST_EACH(fills_take_whole_banks, COUNT(fills))
{
    for (unsigned banks = 0; banks <= TENSIX_SRC_FILE_BOTH; banks++) {
        fill_with_noise();
        tensix_src_file_imply(&file, 0, 5);
        tensix_src_file_imply(&file, 1, 14);
        static struct tensix_src_file before;
        before = file;
        for (unsigned bank = 0; bank < 2; bank++) {
            for (unsigned i = 0; banks >> bank & 1 && i < ROWS * COLUMNS; i++) {
                before.bank[bank][i / COLUMNS][i % COLUMNS] = fills[_i];
            }
        }
        before.filled = fills[_i] ? TENSIX_SRC_FILE_BOTH : (uint8_t)~banks & TENSIX_SRC_FILE_BOTH;
        tensix_src_file_fill(&file, banks, fills[_i]);
        ck_assert_mem_eq(&file, &before, sizeof file);
    }
}

/* Columns in soft reset are zero, and stay so whatever is written. */
TEST_EACH(held_columns_stay_zero, 4)
{
    unsigned columns = 0xfu << 4 * _i;
    fill_with_noise();
    tensix_src_file_hold(&file, columns);
    for (int round = 0; round < 3; round++) {
        for (unsigned bank = 0; bank < 2; bank++) {
            for (unsigned i = 0; i < ROWS * COLUMNS; i++) {
                uint32_t value = tensix_src_file_read(&file, bank, i / COLUMNS, i % COLUMNS);
                SAME(value != 0, !(columns >> i % COLUMNS & 1));
            }
        }
        if (round == 0) {
            tensix_src_file_fill(&file, TENSIX_SRC_FILE_BOTH, NUM_SRC_MINUS_INFINITY);
        } else {
            fill_with_noise();
        }
    }
    tensix_src_file_hold(&file, 0);
    fill_with_noise();
    SAME(tensix_src_file_read(&file, 1, 63, 4 * (unsigned)_i) != 0, true);
}

TEST(formats_belong_to_banks)
{
    for (unsigned format = 0; format < 16; format++) {
        tensix_src_file_imply(&file, 0, format);
        tensix_src_file_imply(&file, 1, 15 - format + 16);
        SAME(tensix_src_file_format(&file, 0, false, 3), format);
        SAME(tensix_src_file_format(&file, 1, false, 3), 15 - format);
        SAME(tensix_src_file_format(&file, 0, true, 3), 3);
    }
}

/* --- Formats --- */

TEST(tf32_and_its_shorter_kin)
{
    for (uint32_t stored = 0; stored <= NUM_SRC_BITS; stored++) {
        uint32_t sign = stored / 0x40000, fraction = stored / 256 % 1024, exponent = stored % 256;
        uint32_t tf32 = sign << 18 | exponent << 10 | fraction;
        uint16_t bf16 = (uint16_t)(sign << 15 | exponent << 7 | fraction >> 3);
        SAME(num_tf32_from_src(stored), tf32);
        SAME(num_src_from_tf32(tf32), stored);
        SAME(num_fp32_from_src(stored), tf32 << 13);
        SAME(num_src_from_fp32(tf32 << 13 | 0x1fff), stored);
        SAME(num_bf16_from_src(stored), bf16);
        SAME(num_src_from_bf16(bf16), stored & ~UINT32_C(0x700));
        SAME(num_fp16_from_src(stored), sign << 15 | exponent % 32 << 10 | fraction);
    }
}

TEST(formats_of_16_bits)
{
    for (uint32_t i = 0; i <= UINT16_MAX; i++) {
        uint16_t x = (uint16_t)i;
        uint32_t sign = i >> 15;
        SAME(num_src_from_fp16(x), sign << 18 | i % 1024 << 8 | i / 1024 % 32);
        SAME(num_fp16_from_src(num_src_from_fp16(x)), x);
        SAME(num_src_from_bf16(x), sign << 18 | i % 128 << 11 | i / 128 % 256);
        SAME(num_bf16_from_src(num_src_from_bf16(x)), x);
        SAME(num_src_from_int16(x), sign << 18 | i / 256 % 128 << 11 | i % 256);
        SAME(num_int16_from_src(num_src_from_int16(x)), x);
    }
}

TEST(int8_lies_over_fp16)
{
    for (int value = -1023; value <= 1023; value++) {
        uint32_t magnitude = (uint32_t)(value < 0 ? -value : value);
        uint32_t stored = num_src_from_int8(value < 0, magnitude);
        SAME(stored, (uint32_t)(value < 0) << 18 | magnitude << 8 | (value ? 16 : 0));
        ck_assert_int_eq(num_int8_from_src(stored), value);
        SAME(num_dst_fp16_from_src(stored), num_dst_from_int8(value < 0, magnitude));
    }
    SAME(num_src_from_int8(true, 0x400), 0x40000);
}

TEST(ones_are_ones)
{
    SAME(num_fp32_from_src(NUM_SRC_ONE_BF16), 0x3f800000);
    SAME(num_bf16_from_src(NUM_SRC_ONE_BF16), 0x3f80);
    SAME(num_fp16_from_src(NUM_SRC_ONE_FP16), 0x3c00);
    SAME(num_src_from_int8(false, 1), NUM_SRC_ONE_INT8);
    SAME(num_bf16_from_src(NUM_SRC_MINUS_INFINITY), 0xffff);
}

/* Between Dst and Src, the long way round: through the ordinary patterns. */
TEST(moves_keep_values)
{
    for (uint32_t i = 0; i <= UINT16_MAX; i++) {
        uint16_t x = (uint16_t)i;
        SAME(num_src_from_dst_bf16(num_dst_from_bf16(x)), num_src_from_bf16(x));
        SAME(num_src_from_dst_fp16(num_dst_from_fp16(x)), num_src_from_fp16(x));
        SAME(num_src_from_dst_fp32(num_dst_from_fp32(i << 16 | 0x8000)),
             num_src_from_fp32(i << 16 | 0x8000));
        SAME(num_src_from_dst_bf16(x), num_src_from_int16(x)); /* INT16 is stored as it is */
    }
    for (uint32_t stored = 0; stored <= NUM_SRC_BITS; stored++) {
        SAME(num_dst_bf16_from_src(stored), num_dst_from_bf16(num_bf16_from_src(stored)));
        SAME(num_dst_fp16_from_src(stored), num_dst_from_fp16(num_fp16_from_src(stored)));
        SAME(num_dst_fp32_from_src(stored), num_dst_from_fp32(num_fp32_from_src(stored)));
        SAME(num_src_from_dst_fp32(num_dst_fp32_from_src(stored)), stored);
        SAME(num_src_from_dst_fp32(num_dst_fp32_from_src(stored) | 0x1fff), stored);
    }
}
