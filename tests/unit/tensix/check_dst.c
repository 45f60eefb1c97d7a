/*
 * Dst: where rows lie, against a transcription of the page bit by bit; flags; formats, exhaustively
 * for 16 bits, against bit-by-bit descriptions of the layouts; the harts' window in every size.
 */
#include <check.h>
#include <string.h>

#include "num/dst_format.h"
#include "num/src_format.h"
#include "unit/random.h"
#include "unit/test.h"
#include "tensix/dst.h"

enum { ROWS = TENSIX_DST_ROWS, COLUMNS = TENSIX_DST_COLUMNS, MAPS = 8, RANDOM = 200000 };

static struct tensix_dst dst;
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
    memset(dst.bits, 0, sizeof dst.bits);
    tensix_dst_mark_all(&dst, true);
}

static struct tensix_dst_map map_of(int i)
{
    return (struct tensix_dst_map){.remap = i & 1, .swizzle = i >> 1 & 1, .high_half = i >> 2 & 1};
}

/* --- The page, bit by bit --- */

static unsigned bit(unsigned row, unsigned index)
{
    return row >> index & 1;
}

static unsigned page_adj16(bool remap, unsigned row)
{
    unsigned result = 0;
    for (unsigned i = 0; i < 10; i++) {
        /* bit i of the result is bit from[i] of the row */
        static const unsigned from[10] = {0, 1, 2, 4, 5, 3, 6, 7, 8, 9};
        result |= bit(row, remap ? from[i] : i) << i;
    }
    return result;
}

static unsigned page_adj32(struct tensix_dst_map map, unsigned row)
{
    row = page_adj16(map.remap, row);
    unsigned b[10];
    for (unsigned i = 0; i < 10; i++) {
        b[i] = bit(row, i);
    }
    if (map.swizzle) {
        unsigned bit2 = b[2];
        b[2] = b[3];
        b[3] = b[4] ^ bit2;
    }
    /* bits 0 to 2 stay, 3 to 8 move up; 9 stays, where 8 arrives too */
    return b[0] | b[1] << 1 | b[2] << 2 | b[3] << 4 | b[4] << 5 | b[5] << 6 | b[6] << 7 |
           b[7] << 8 | (b[8] | b[9]) << 9;
}

FIXTURE(setup, NULL);

TEST_EACH(rows_lie_where_the_page_says, MAPS)
{
    struct tensix_dst_map map = map_of(_i);
    for (unsigned row = 0; row < 2 * ROWS; row++) {
        unsigned physical32 = page_adj32(map, row % ROWS);
        unsigned physical16 = map.high_half ? physical32 : page_adj16(map.remap, row % ROWS);
        SAME(tensix_dst_physical16(map, row), physical16);
        SAME(tensix_dst_physical32(map, row), physical32);
    }
}

/* --- Reading and writing --- */

/* Writes of rows and of single data leave the same storage behind. */
TEST_EACH(rows_are_their_data, MAPS)
{
    struct tensix_dst_map map = map_of(_i);
    static struct tensix_dst other;
    tensix_dst_mark_all(&dst, false);
    other = dst;
    for (unsigned n = 0; n < 4 * ROWS; n++) {
        unsigned row = random_next(&dice) % ROWS;
        uint32_t longs[COLUMNS], longs_read[COLUMNS];
        uint16_t words[COLUMNS], words_read[COLUMNS];
        bool is_32b = random_next(&dice) & 1;
        for (unsigned column = 0; column < COLUMNS; column++) {
            longs[column] = random_next(&dice);
            words[column] = (uint16_t)longs[column];
            if (is_32b) {
                tensix_dst_write32(&other, map, row, column, longs[column]);
            } else {
                tensix_dst_write16(&other, map, row, column, words[column]);
            }
        }
        if (is_32b) {
            tensix_dst_write_row32(&dst, map, row, longs);
        } else {
            tensix_dst_write_row16(&dst, map, row, words);
        }
        unsigned look = random_next(&dice) % ROWS;
        enum tensix_dst_undefined undefined =
            n & 1 ? TENSIX_DST_READS_MINUS_INFINITY : TENSIX_DST_READS_ZERO;
        tensix_dst_read_row16(&dst, map, look, undefined, words_read);
        tensix_dst_read_row32(&dst, map, look, undefined, longs_read);
        for (unsigned column = 0; column < COLUMNS; column++) {
            SAME(tensix_dst_read16(&other, map, look, column, undefined), words_read[column]);
            SAME(tensix_dst_read32(&other, map, look, column, undefined), longs_read[column]);
        }
    }
    ck_assert_mem_eq(&dst, &other, sizeof dst);
}

/* A datum of Dst32b is the two halves that the page names, and nothing else changes. */
TEST_EACH(views_share_their_storage, MAPS)
{
    struct tensix_dst_map map = map_of(_i);
    uint16_t words[COLUMNS];
    uint32_t longs[COLUMNS];
    static struct tensix_dst before;
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            words[column] = (uint16_t)random_next(&dice);
            longs[column] = random_next(&dice);
        }
        unsigned physical32 = page_adj32(map, row);
        before = dst;
        tensix_dst_write_row32(&dst, map, row, longs);
        for (unsigned column = 0; column < COLUMNS; column++) {
            SAME(dst.bits[physical32][column], longs[column] >> 16);
            SAME(dst.bits[physical32 + 8][column], longs[column] & 0xffff);
            before.bits[physical32][column] = dst.bits[physical32][column];
            before.bits[physical32 + 8][column] = dst.bits[physical32 + 8][column];
        }
        SAME(memcmp(&dst, &before, sizeof dst) == 0, true);
        tensix_dst_write_row16(&dst, map, row, words);
        unsigned physical16 = map.high_half ? physical32 : page_adj16(map.remap, row);
        memcpy(before.bits[physical16], words, sizeof words);
        if (map.high_half) {
            memset(before.bits[physical32 + 8], 0, sizeof words);
        }
        SAME(memcmp(&dst, &before, sizeof dst) == 0, true);
    }
}

/* --- Flags --- */

TEST_EACH(undefined_rows_read_as_the_reader_wants, MAPS)
{
    struct tensix_dst_map map = map_of(_i);
    tensix_dst_mark_all(&dst, false);
    for (unsigned row = 0; row < ROWS; row++) {
        SAME(tensix_dst_valid16(&dst, map, row), false);
        SAME(tensix_dst_valid32(&dst, map, row), false);
        SAME(tensix_dst_read16(&dst, map, row, 3, TENSIX_DST_READS_ZERO), 0);
        SAME(tensix_dst_read16(&dst, map, row, 3, TENSIX_DST_READS_MINUS_INFINITY), 0xffff);
        SAME(tensix_dst_read32(&dst, map, row, 3, TENSIX_DST_READS_ZERO), 0);
        SAME(tensix_dst_read32(&dst, map, row, 3, TENSIX_DST_READS_MINUS_INFINITY), UINT32_MAX);
    }
}

/* One flag of a row counts and changes: of Dst32b that of the upper halves. */
TEST_EACH(a_row_has_one_flag, MAPS)
{
    struct tensix_dst_map map = map_of(_i);
    for (unsigned row = 0; row < ROWS; row++) {
        unsigned physical32 = page_adj32(map, row);
        unsigned physical16 = map.high_half ? physical32 : page_adj16(map.remap, row);
        for (int is_32b = 0; is_32b < 2; is_32b++) {
            bool flags[ROWS];
            unsigned physical = is_32b ? physical32 : physical16;
            tensix_dst_mark_all(&dst, true);
            memset(flags, false, sizeof flags);
            flags[physical] = true;
            (is_32b ? tensix_dst_mark_row32 : tensix_dst_mark_row16)(&dst, map, row, false);
            SAME(memcmp(dst.cleared, flags, sizeof flags) == 0, true);
            SAME((is_32b ? tensix_dst_valid32 : tensix_dst_valid16)(&dst, map, row), false);

            tensix_dst_mark_all(&dst, false);
            memset(flags, true, sizeof flags);
            flags[physical] = false;
            if (is_32b) {
                tensix_dst_write32(&dst, map, row, 5, 1);
            } else {
                tensix_dst_write16(&dst, map, row, 5, 1);
            }
            SAME(memcmp(dst.cleared, flags, sizeof flags) == 0, true);
        }
    }
}

TEST_EACH(blocks_are_sixteen_rows, 16)
{
    bool is_32b = _i & 1;
    struct tensix_dst_map map = map_of(_i >> 1);
    bool goes_by_32 = is_32b || map.high_half;
    for (unsigned block = 0; block < 256; block++) {
        bool flags[ROWS];
        memset(flags, false, sizeof flags);
        bool exists = block < (is_32b ? 32 : 64);
        for (unsigned row = block * 16; exists && row < block * 16 + 16; row++) {
            flags[goes_by_32 ? page_adj32(map, row) : page_adj16(map.remap, row)] = true;
        }
        tensix_dst_mark_all(&dst, true);
        SAME(tensix_dst_mark_block(&dst, map, block, is_32b, false), exists);
        ck_assert_mem_eq(dst.cleared, flags, sizeof flags);
        SAME(tensix_dst_mark_block(&dst, map, block, is_32b, true), exists);
        memset(flags, false, sizeof flags);
        ck_assert_mem_eq(dst.cleared, flags, sizeof flags);
    }
}

/* Half of the rows of either view, whatever the map. */
TEST_EACH(halves_are_halves_of_both_views, MAPS)
{
    struct tensix_dst_map map = map_of(_i);
    for (unsigned upper = 0; upper < 2; upper++) {
        tensix_dst_mark_all(&dst, true);
        tensix_dst_mark_half(&dst, upper, false);
        for (unsigned row = 0; row < ROWS; row++) {
            SAME(dst.cleared[row], row / 512 == upper);
            if (!map.high_half) {
                SAME(tensix_dst_valid16(&dst, map, row), row / 512 != upper);
            }
            if (row < 512) {
                SAME(tensix_dst_valid32(&dst, map, row), row / 256 != upper);
            }
        }
    }
}

/* --- Formats --- */

/* Fields from the top down as the hart has them, and where each ends in Dst. */
struct field {
    unsigned width, lowest; /* lowest: its bit 0 in storage */
};

static const struct field bf16_fields[] = {{1, 15}, {8, 0}, {7, 8}};
static const struct field fp16_fields[] = {{1, 15}, {5, 0}, {10, 5}};
static const struct field fp32_fields[] = {{1, 31}, {8, 16}, {7, 24}, {16, 0}};

static uint32_t laid_out(const struct field *fields, int count, uint32_t x)
{
    uint32_t stored = 0;
    for (int i = count - 1; i >= 0; i--) { /* from the lowest field of x */
        stored |= (x & ((UINT32_C(1) << fields[i].width) - 1)) << fields[i].lowest;
        x >>= fields[i].width;
    }
    return stored;
}

TEST(formats_of_16_bits)
{
    for (uint32_t i = 0; i <= UINT16_MAX; i++) {
        uint16_t x = (uint16_t)i;
        uint16_t bf16 = (uint16_t)laid_out(bf16_fields, COUNT(bf16_fields), x);
        uint16_t fp16 = (uint16_t)laid_out(fp16_fields, COUNT(fp16_fields), x);
        SAME(num_dst_from_bf16(x), bf16);
        SAME(num_bf16_from_dst(bf16), x);
        SAME(num_dst_from_fp16(x), fp16);
        SAME(num_fp16_from_dst(fp16), x);
        /* INT32 and FP32 have BF16's order on top */
        SAME(num_dst_from_fp32(i << 16 | 0x1234), (uint32_t)bf16 << 16 | 0x1234);
    }
}

TEST(formats_of_32_bits)
{
    for (int n = 0; n < RANDOM; n++) {
        uint32_t x = n < 32 ? UINT32_C(1) << n : random_next(&dice);
        uint32_t stored = laid_out(fp32_fields, COUNT(fp32_fields), x);
        SAME(num_dst_from_fp32(x), stored);
        SAME(num_fp32_from_dst(stored), x);
        if (x != UINT32_C(0x80000000)) {
            SAME((uint32_t)num_int32_from_dst(num_dst_from_int32((int32_t)x)), x);
        }
    }
    SAME(num_dst_from_int32(-1), UINT32_C(0x80000001));
    SAME(num_dst_from_int32(0x00800000), UINT32_C(0x00010000));
    SAME(num_dst_from_int32(INT32_MIN), UINT32_C(0xffffffff));
    SAME((uint32_t)num_int32_from_dst(UINT32_C(0x80000000)), 0);
}

TEST(int8_lies_over_fp16)
{
    for (int value = -1023; value <= 1023; value++) {
        uint32_t magnitude = (uint32_t)(value < 0 ? -value : value);
        uint16_t stored = num_dst_from_int8(value < 0, magnitude);
        SAME(stored & 0x1f, value ? 16 : 0);
        SAME(stored >> 5 & 0x3ff, magnitude);
        SAME(stored >> 15, value < 0);
        ck_assert_int_eq(num_int8_from_dst(stored), value);
        ck_assert_int_eq(num_int8_from_dst((uint16_t)(stored ^ 0x1f)), value);
    }
    SAME(num_dst_from_int8(true, 0), 0x8000);
    SAME(num_dst_from_int8(false, 0x401), 1 << 5 | 16);
}

TEST(sign_and_magnitude_of_16_bits)
{
    for (int value = INT16_MIN; value <= INT16_MAX; value++) {
        int clamped = value == INT16_MIN ? -INT16_MAX : value;
        uint16_t x = num_int16_clamp_to_sign_magnitude((int16_t)value);
        SAME(x, clamped < 0 ? (unsigned)(0x8000 - clamped) : (unsigned)clamped);
        ck_assert_int_eq(num_int16_from_sign_magnitude(x), clamped);
    }
    ck_assert_int_eq(num_int16_from_sign_magnitude(0x8000), 0);
}

/* --- The window --- */

/* What the page's Load8 .. Store32 do with a value, in arithmetic. */
static uint32_t page_load(struct tensix_dst_window window, uint32_t stored)
{
    uint32_t plain = stored;
    int64_t sign = 1;
    switch (window.format) {
    case 0:
    case 1:
        for (unsigned i = 0; !window.no_swizzle && i < 32; i++) {
            uint32_t one = UINT32_C(1) << i;
            uint32_t at = laid_out(fp32_fields, COUNT(fp32_fields), one);
            plain = stored & at ? plain | one : plain & ~one;
        }
        if (window.format == 1 && !window.no_swizzle && plain >> 31) {
            return (uint32_t) - (int64_t)(plain & 0x7fffffff);
        }
        return plain;
    case 2:
    case 3:
        for (unsigned i = 0; !window.no_swizzle && i < 16; i++) {
            uint32_t one = UINT32_C(1) << i;
            uint32_t at = window.format == 2 ? laid_out(fp16_fields, COUNT(fp16_fields), one)
                                             : laid_out(bf16_fields, COUNT(bf16_fields), one);
            plain = stored & at ? plain | one : plain & ~one;
        }
        return plain;
    case 4:
        if (window.no_swizzle || window.unsigned_int || stored < 0x8000) {
            return stored;
        }
        return (uint32_t)(0x10000 - (stored - 0x8000)) & 0xffff;
    default:
        if (window.no_swizzle || window.unsigned_int) {
            return stored / 32 % 256;
        }
        sign = stored < 0x8000 ? 1 : -1;
        return (uint32_t)(sign * (stored / 32 % 128)) & 0xff;
    }
}

static uint32_t page_store(struct tensix_dst_window window, uint32_t value)
{
    switch (window.format) {
    case 0:
    case 1:
        if (window.no_swizzle) {
            return value;
        }
        if (window.format == 1 && value >> 31) {
            int64_t integer = (int64_t)value - (INT64_C(1) << 32);
            integer = integer < -INT32_MAX ? -INT32_MAX : integer;
            value = (uint32_t)(UINT32_C(0x80000000) - integer);
        }
        return laid_out(fp32_fields, COUNT(fp32_fields), value);
    case 2:
        return window.no_swizzle ? value : laid_out(fp16_fields, COUNT(fp16_fields), value);
    case 3:
        return window.no_swizzle ? value : laid_out(bf16_fields, COUNT(bf16_fields), value);
    case 4:
        if (window.no_swizzle || window.unsigned_int || value < 0x8000) {
            return value;
        }
        return value == 0x8000 ? 0xffff : 0x8000 + (0x10000 - value);
    default:
        if (window.no_swizzle || window.unsigned_int || value < 0x80) {
            return value * 32 + (value != 0 ? 16 : 0);
        }
        value = (0x180 - value - (value == 0x80)) % 256;
        return 0x8000 + value * 32 + 16;
    }
}

static const unsigned element_bytes[] = {4, 4, 2, 2, 2, 1};

static struct tensix_dst_window window_of(int i) /* 0 to 23 */
{
    return (struct tensix_dst_window){
        .format = (uint8_t)(i / 4), .no_swizzle = i & 1, .unsigned_int = i >> 1 & 1};
}

static uint32_t load(struct tensix_dst_map map, struct tensix_dst_window window, uint32_t offset,
                     size_t size)
{
    uint8_t bytes[4] = {0};
    const char *rule = NULL;
    if (!tensix_dst_window_read(&dst, map, window, offset, bytes, size, &rule)) {
        ck_abort_msg("refused: %s", rule);
    }
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void store(struct tensix_dst_map map, struct tensix_dst_window window, uint32_t offset,
                  size_t size, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    const char *rule = NULL;
    if (!tensix_dst_window_write(&dst, map, window, offset, bytes, size, &rule)) {
        ck_abort_msg("refused: %s", rule);
    }
}

/* Every 16-bit content and value (and random ones of 32 bits) in every mode of the window. */
TEST_EACH(window_converts, 4 * TENSIX_DST_WINDOW_FORMATS)
{
    struct tensix_dst_window window = window_of(_i);
    struct tensix_dst_map map = {.remap = false};
    unsigned size = element_bytes[window.format];
    unsigned mask = size == 4 ? UINT32_MAX : (1u << 8 * size) - 1;
    for (uint32_t i = 0; i <= UINT16_MAX; i++) {
        static const uint32_t corners[] = {0, 0x80000000, 0x80000001, 0x7fffffff, 0xffffffff};
        uint32_t x = size < 4 ? i : i < COUNT(corners) ? corners[i] : random_next(&dice);
        if (size == 4) {
            tensix_dst_write32(&dst, map, 0, 1, x);
        } else {
            tensix_dst_write16(&dst, map, 0, 1, (uint16_t)x);
        }
        SAME(load(map, window, size, size), page_load(window, x));
        store(map, window, size, size, x & mask);
        uint32_t stored = size == 4 ? tensix_dst_read32(&dst, map, 0, 1, TENSIX_DST_READS_ZERO)
                                    : tensix_dst_read16(&dst, map, 0, 1, TENSIX_DST_READS_ZERO);
        SAME(stored, page_store(window, x & mask));
    }
}

TEST_EACH(window_is_all_of_dst, TENSIX_DST_WINDOW_FORMATS)
{
    struct tensix_dst_window window = window_of(_i * 4 + 3);
    unsigned size = element_bytes[window.format];
    for (int m = 0; m < MAPS; m++) {
        struct tensix_dst_map map = map_of(m);
        unsigned rows = size == 4 || map.high_half ? 512 : 1024;
        for (unsigned row = 0; row < rows; row++) {
            for (unsigned column = 0; column < COLUMNS; column++) {
                uint32_t value = (row * COLUMNS + column) % (size == 1 ? 256 : 0x8000);
                store(map, window, (row * COLUMNS + column) * size, size, value);
                uint32_t stored =
                    size == 4 ? tensix_dst_read32(&dst, map, row, column, TENSIX_DST_READS_ZERO)
                              : tensix_dst_read16(&dst, map, row, column, TENSIX_DST_READS_ZERO);
                SAME(stored, page_store(window, value));
            }
        }
    }
}

/* T2's wide accesses are those of their elements. */
TEST_EACH(window_takes_many_elements, 4 * TENSIX_DST_WINDOW_FORMATS)
{
    struct tensix_dst_window one = window_of(_i), many = one;
    struct tensix_dst_map map = {.remap = true, .swizzle = true};
    static struct tensix_dst other;
    uint32_t step = element_bytes[one.format];
    uint32_t window_bytes = step == 1 ? 0x4000 : 0x8000;
    many.many = true;
    for (int n = 0; n < 10000; n++) {
        uint8_t in[TENSIX_DST_WINDOW_MOST], out[TENSIX_DST_WINDOW_MOST];
        const char *rule = NULL;
        uint32_t size = step << random_next(&dice) % 8;
        if (size > sizeof in) {
            continue;
        }
        uint32_t offset = random_next(&dice) % (window_bytes / size) * size;
        for (uint32_t i = 0; i < size; i++) {
            in[i] = (uint8_t)random_next(&dice);
        }
        bool all = tensix_dst_window_write(&dst, map, many, offset, in, size, &rule);
        for (uint32_t i = 0; i < size; i += step) {
            all &= tensix_dst_window_write(&other, map, one, offset + i, in + i, step, &rule);
        }
        all &= tensix_dst_window_read(&dst, map, many, offset, in, size, &rule);
        for (uint32_t i = 0; i < size; i += step) {
            all &= tensix_dst_window_read(&dst, map, one, offset + i, out + i, step, &rule);
        }
        SAME(all, true);
        SAME(memcmp(in, out, size) == 0, true);
    }
    ck_assert_mem_eq(dst.bits, other.bits, sizeof dst.bits);
}

TEST(window_and_flags)
{
    struct tensix_dst_map map = {.remap = false};
    struct tensix_dst_window fp32 = {.format = TENSIX_DST_WINDOW_FP32, .no_swizzle = true};
    struct tensix_dst_window bf16 = {.format = TENSIX_DST_WINDOW_BF16, .no_swizzle = true};
    memset(dst.bits, 0x77, sizeof dst.bits);
    tensix_dst_mark_all(&dst, false);
    SAME(load(map, fp32, 0, 4), 0);
    SAME(load(map, bf16, 0, 2), 0);
    store(map, bf16, 16 * 2, 2, 0x1234);
    SAME(dst.cleared[1], false);
    SAME(dst.cleared[0], true);
    SAME(load(map, fp32, 16 * 4, 4), 0x12347777);
}

/* Each of these is undefined: refused with a rule, and Dst stays as it is. */
static const struct refusal {
    unsigned format;
    bool many;
    uint32_t offset;
    size_t size;
    const char *rule; /* a part of it */
} refusals[] = {
    {6, false, 0, 4, "reserved"},
    {7, true, 0, 16, "reserved"},
    {0, false, 0, 2, "narrower"},
    {0, false, 0, 1, "narrower"},
    {1, true, 0, 2, "narrower"},
    {3, true, 0, 1, "narrower"},
    {2, false, 0, 4, "trisc2"},
    {3, false, 0, 4, "trisc2"},
    {4, false, 0, 4, "trisc2"},
    {5, false, 0, 2, "trisc2"},
    {5, false, 0, 4, "trisc2"},
    {0, false, 0, 16, "trisc2"},
    {0, true, 8, 16, "aligned"},
    {3, true, 2, 4, "aligned"},
    {0, true, 0, 12, "aligned"},
    {0, true, 0, 256, "aligned"},
    {0, false, 2, 4, "aligned"},
    {5, false, 0x4000, 1, "0xffbdbfff"},
    {5, true, 0x7ff0, 16, "0xffbdbfff"},
    {4, false, 0x8000, 2, "last element"},
    {0, false, 0x8000, 4, "last element"},
    {1, true, 0x8000, 128, "last element"},
    {0, true, 0xfffffff0, 16, "last element"},
};

TEST_EACH(window_refuses, COUNT(refusals))
{
    const struct refusal *refusal = &refusals[_i];
    struct tensix_dst_map map = {.remap = false};
    struct tensix_dst_window window = {.format = (uint8_t)refusal->format, .many = refusal->many};
    static struct tensix_dst before;
    uint8_t bytes[256];
    for (int is_write = 0; is_write < 2; is_write++) {
        const char *rule = NULL;
        before = dst;
        memset(bytes, 0x5a, sizeof bytes);
        bool done = is_write ? tensix_dst_window_write(&dst, map, window, refusal->offset, bytes,
                                                       refusal->size, &rule)
                             : tensix_dst_window_read(&dst, map, window, refusal->offset, bytes,
                                                      refusal->size, &rule);
        ck_assert(!done);
        ck_assert_ptr_nonnull(rule);
        ck_assert_msg(strstr(rule, refusal->rule) != NULL, "%s", rule);
        ck_assert_uint_lt(strlen(rule), 190);
        ck_assert_mem_eq(&dst, &before, sizeof dst);
        ck_assert_uint_eq(bytes[0], 0x5a);
    }
}
