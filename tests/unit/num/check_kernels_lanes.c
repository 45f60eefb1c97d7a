/*
 * num/lanes.h: every set of kernels against the reference, bit for bit, on structured random data,
 * with lanes left out, operands and results in the same place, and whatever the host's floating
 * point is set to. PENROSE_LONG=1 takes all 2^32 values of what has one operand, and two hundred
 * million triples for the multiply-add.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "num/fp32.h"
#include "num/kernel_sets.h"
#include "num/kernels.h"
#include "num/lanes.h"
#include "unit/test.h"
#include "unit/sanitized.h"

#if NUM_HAS_X86_KERNELS
#include <immintrin.h>
#endif

enum {
    CANARY = 0x5a5aa5a5,
    ROUNDS = SANITIZED ? 200 : 1500,
    MAD_ROUNDS = SANITIZED ? 2000 : 40000
};

static const char *const set_names[] = {"avx2", "avx512"};

static const struct num_lanes_kernels *set_of(int index)
{
    const struct num_kernels *kernels = num_kernels_find(set_names[index]);
    return kernels ? kernels->lanes : NULL;
}

static bool is_long(void)
{
    const char *value = getenv("PENROSE_LONG");
    return value && strcmp(value, "1") == 0;
}

/* --- Data --- */

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 7;
    *state ^= *state >> 9;
    return *state;
}

static uint32_t random_mantissa(uint64_t *state)
{
    uint64_t word = next(state);
    uint32_t any = (uint32_t)(word >> 8) & 0x7fffff;
    unsigned by = (unsigned)(word >> 40) % 23;
    switch (word & 7) {
    case 0:
        return any & (0x7fffffu << by);
    case 1:
        return any | 0x7fffffu >> by;
    case 2:
        return 0;
    case 3:
        return 0x7fffff;
    case 4:
        return 1u << by;
    case 5:
        return any & 0x7f0000;
    default:
        return any;
    }
}

static uint32_t random_float(uint64_t *state, int exponent)
{
    exponent = exponent < 0 ? 0 : exponent > 255 ? 255 : exponent;
    uint32_t sign = (uint32_t)(next(state) >> 13 & 1) << 31;
    return sign | (uint32_t)exponent << 23 | random_mantissa(state);
}

/* Any bits, small numbers of both signs, floating point of middle and of any exponents, corners. */
static uint32_t random_word(uint64_t *state)
{
    static const uint32_t corners[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 1,          0x80000001,
        0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
        0x7fc00000, 0x7f800001, 0xffffffff, 0x7fffffff, 0x7e800000, 0x3f000000,
        0x3fc00000, 0x40000000, 0x40400000, 0x40800000, 0x3c800000, 0xff00ff00,
    };
    uint64_t word = next(state);
    switch (word % 6) {
    case 0:
        return (uint32_t)(word >> 16);
    case 1:
        return corners[(word >> 16) % COUNT(corners)];
    case 2:
        return (uint32_t)((int32_t)(word >> 20 & 0x7ff) - 0x400);
    case 3:
        return random_float(state, 120 + (int)(word >> 16) % 24);
    case 4:
        return (uint32_t)(word >> 63) << 31 |
               (uint32_t)(word >> 16 & UINT32_MAX) >> (word >> 56) % 32;
    default:
        return random_float(state, (int)(word >> 16 & 0xff));
    }
}

/* Mantissas of ones and of zeros but for a few bits, where roundings carry or just do not. */
static uint32_t edge_float(uint64_t *state, int exponent)
{
    uint64_t word = next(state);
    uint32_t few = (uint32_t)(word >> 8 & 7), by = (uint32_t)(word >> 16) % 23;
    const uint32_t ones = 0x7fffff;
    uint32_t mantissa = word & 1 ? few : ones - few;
    mantissa = word & 2 ? ones >> by : word & 4 ? ones << by & ones : mantissa;
    exponent = exponent < 0 ? 0 : exponent > 254 ? 254 : exponent;
    return (uint32_t)(word >> 63) << 31 | (uint32_t)exponent << 23 | mantissa;
}

/* Products of about 2^-127 and addends of the same size: results below 2^-126 have roundings of
 * their own. */
static void low_triple(uint64_t *state, uint32_t *a, uint32_t *b, uint32_t *c)
{
    uint64_t word = next(state);
    int p = 1 + (int)(word >> 8 & 0xff) % 254, q = 127 - p + (int)(word >> 16 & 0xff) % 6 - 1;
    *a = edge_float(state, p), *b = edge_float(state, q);
    *c = edge_float(state, p + q - 127 + (int)(word >> 24 & 0xff) % 5 - 2);
}

/* Sums that cancel, differ by one unit, differ so much that parts are lost, ends of the range. */
static void random_triple(uint64_t *state, uint32_t *a, uint32_t *b, uint32_t *c)
{
    uint64_t word = next(state);
    int p = (int)(word >> 8 & 0xff), q, r;
    switch (word % 13) {
    case 0:
        *a = random_word(state), *b = random_word(state), *c = random_word(state);
        return;
    case 12:
        low_triple(state, a, b, c);
        return;
    case 1:
        q = (int)(word >> 16 & 0xff), r = (int)(word >> 24 & 0xff);
        break;
    case 2: /* tiny */
        q = 127 - p + (int)(word >> 16) % 60, r = (int)(word >> 24) % 60;
        break;
    case 3: /* huge */
        q = 127 + 255 - p - (int)(word >> 16) % 8, r = 255 - (int)(word >> 24) % 40;
        break;
    default:
        p = 100 + p % 54, q = 112 + (int)(word >> 16) % 31;
        r = p + q - 127 + (int)(word >> 24) % 72 - 36;
        if ((word >> 32 & 3) == 0) {
            r = p + q - 127 + (int)(word >> 40) % 8 - 4;
        }
        break;
    }
    *a = random_float(state, p), *b = random_float(state, q), *c = random_float(state, r);
    if ((word >> 50 & 7) == 0) {
        *c = (num_fp32_fma(*a, *b, 0) ^ NUM_FP32_SIGN) + (uint32_t)(word >> 53) % 7 - 3;
    }
    if ((word >> 56 & 15) == 0) {
        uint32_t *one = word >> 60 & 1 ? a : word >> 61 & 1 ? b : c;
        *one &= NUM_FP32_SIGN;
    }
}

static uint32_t random_lanes(uint64_t *state)
{
    uint64_t word = next(state);
    return word & 1 ? UINT32_MAX : word & 2 ? (uint32_t)(word >> 8) : 1u << (word >> 8) % 32;
}

/* What a row gives with an operation. */
static uint32_t random_immediate(uint64_t *state, enum num_lanes_op op)
{
    static const uint32_t modes[] = {NUM_LANES_FLOAT_TO_UINT8, NUM_LANES_FLOAT_TO_INT8,
                                     NUM_LANES_FLOAT_TO_UINT16, NUM_LANES_FLOAT_TO_INT16};
    uint32_t word = (uint32_t)(next(state) >> 8);
    switch (op) {
    case NUM_LANES_TO_INTEGER:
        return modes[word % 4];
    case NUM_LANES_DESCALE:
        return word & 1 ? NUM_LANES_INT_TO_UINT8 : NUM_LANES_INT_TO_INT8;
    case NUM_LANES_LEADING_ZEROS:
        return word & 1 ? UINT32_MAX : 0x7fffffff;
    case NUM_LANES_SHIFT_CONSTANT:
    case NUM_LANES_SHIFT_ARITHMETIC_CONSTANT:
        return (uint32_t)((int32_t)(word << 20) >> 20);
    case NUM_LANES_EXPONENT:
        return word & 1 ? 127 : 0;
    case NUM_LANES_MANTISSA:
        return word & 1 ? 0x800000 : 0;
    case NUM_LANES_SET_EXPONENT:
    case NUM_LANES_ADD_EXPONENT:
        return word & 0xff;
    case NUM_LANES_SET_MANTISSA:
        return (word & 0xfff) << 11;
    default:
        return word;
    }
}

/* --- Operations --- */

enum { A, B, C, D, GUARD, REGISTERS };

struct file {
    uint32_t lreg[REGISTERS][NUM_LANES];
};

static void fill(struct file *file, uint64_t *state, enum num_lanes_op op)
{
    uint32_t shape = (uint32_t)(next(state) >> 30) % 8;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        if (op == NUM_LANES_MAD) {
            random_triple(state, &file->lreg[A][i], &file->lreg[B][i], &file->lreg[C][i]);
            /* Sums and products alone. */
            file->lreg[A][i] = shape == 0 ? NUM_FP32_ONE : file->lreg[A][i];
            file->lreg[C][i] &= shape == 1 ? NUM_FP32_SIGN : UINT32_MAX;
        } else {
            for (unsigned r = A; r <= C; r++) {
                file->lreg[r][i] = random_word(state);
            }
        }
        file->lreg[D][i] = (uint32_t)(next(state) >> 8);
        file->lreg[GUARD][i] = CANARY;
    }
}

static void compare(const struct num_lanes_kernels *set, uint64_t *state, enum num_lanes_op op)
{
    struct file file;
    fill(&file, state, op);
    const struct file before = file;
    struct file expected = file;
    uint32_t immediate = random_immediate(state, op), lanes = random_lanes(state);
    unsigned d = (unsigned)(next(state) >> 20) % GUARD;
    num_lanes_reference.op[op](expected.lreg[d], expected.lreg[A], expected.lreg[B],
                               expected.lreg[C], immediate, lanes);
    set->op[op](file.lreg[d], file.lreg[A], file.lreg[B], file.lreg[C], immediate, lanes);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        ck_assert_msg(file.lreg[d][i] == expected.lreg[d][i],
                      "operation %d, immediate %" PRIx32 ", lane %u: a %08" PRIx32 " b %08" PRIx32
                      " c %08" PRIx32 ": %08" PRIx32 ", not %08" PRIx32,
                      (int)op, immediate, i, before.lreg[A][i], before.lreg[B][i],
                      before.lreg[C][i], file.lreg[d][i], expected.lreg[d][i]);
    }
    ck_assert(memcmp(&file, &expected, sizeof(file)) == 0);
}

TEST_EACH(sets_agree_on_operations, NUM_LANES_OPS)
{
    enum num_lanes_op op = (enum num_lanes_op)_i;
    for (int s = 0; s < (int)COUNT(set_names); s++) {
        const struct num_lanes_kernels *set = set_of(s);
        uint64_t state = 0x9e3779b97f4a7c15u + (uint64_t)_i;
        long rounds = op != NUM_LANES_MAD ? ROUNDS : is_long() ? 200000000 / NUM_LANES : MAD_ROUNDS;
        for (long i = 0; set && i < rounds; i++) {
            compare(set, &state, op);
        }
    }
}

/* --- Operations with one operand, all of its values --- */

static const struct {
    enum num_lanes_op op;
    uint32_t random, immediate;
} unary[] = {
    {NUM_LANES_LEADING_ZEROS, 0, UINT32_MAX},
    {NUM_LANES_LEADING_ZEROS, 0, 0x7fffffff},
    {NUM_LANES_ABS_INTEGER, 0, 0},
    {NUM_LANES_SWITCH_SIGNS, 0, 0},
    {NUM_LANES_ABS_FLOAT, 0, 0},
    {NUM_LANES_EXPONENT, 0, 127},
    {NUM_LANES_ADD_EXPONENT, 0, 1},
    {NUM_LANES_ADD_EXPONENT, 0, 0xff},
    {NUM_LANES_RECIPROCAL, 0, 0},
    {NUM_LANES_EXPONENTIAL, 0, 0},
    {NUM_LANES_INT_TO_FLOAT, 0, 0},
    {NUM_LANES_INT_TO_FLOAT_RANDOM, 0x5a5a5a5a, 0},
    {NUM_LANES_TO_FP16, NUM_LANES_ROUND_NEAREST, 0},
    {NUM_LANES_TO_FP16, NUM_LANES_ROUND_ZERO, 0},
    {NUM_LANES_TO_BF16, NUM_LANES_ROUND_NEAREST, 0},
    {NUM_LANES_TO_BF16, NUM_LANES_ROUND_ZERO, 0},
    {NUM_LANES_TO_INTEGER, NUM_LANES_ROUND_NEAREST, NUM_LANES_FLOAT_TO_UINT8},
    {NUM_LANES_TO_INTEGER, NUM_LANES_ROUND_NEAREST, NUM_LANES_FLOAT_TO_INT8},
    {NUM_LANES_TO_INTEGER, NUM_LANES_ROUND_NEAREST, NUM_LANES_FLOAT_TO_UINT16},
    {NUM_LANES_TO_INTEGER, NUM_LANES_ROUND_ZERO, NUM_LANES_FLOAT_TO_INT16},
};

TEST_EACH(sets_agree_on_all_values, (int)COUNT(unary))
{
    /* By default the lower half of a word takes few values, the upper one all. */
    uint32_t step = is_long() ? 1 : SANITIZED ? 0xfffb : 0x147b;
    uint32_t random[NUM_LANES], x[NUM_LANES], expected[NUM_LANES], found[NUM_LANES];
    for (unsigned i = 0; i < NUM_LANES; i++) {
        random[i] = unary[_i].random;
    }
    enum num_lanes_op op = unary[_i].op;
    for (uint64_t first = 0; first <= UINT32_MAX; first += (uint64_t)step * NUM_LANES) {
        for (unsigned i = 0; i < NUM_LANES; i++) {
            x[i] = (uint32_t)(first + (uint64_t)i * step);
        }
        num_lanes_reference.op[op](expected, random, x, x, unary[_i].immediate, UINT32_MAX);
        for (int s = 0; s < (int)COUNT(set_names); s++) {
            const struct num_lanes_kernels *set = set_of(s);
            if (set) {
                set->op[op](found, random, x, x, unary[_i].immediate, UINT32_MAX);
                ck_assert_msg(memcmp(found, expected, sizeof(found)) == 0,
                              "%s, operation %d from %08" PRIx32, set_names[s], (int)op, x[0]);
            }
        }
    }
}

/* --- Lanes, pairs, generators --- */

TEST_EACH(sets_agree_on_lanes, (int)COUNT(set_names))
{
    uint64_t state = 7;
    const struct num_lanes_kernels *set = set_of(_i);
    for (int round = 0; set && round < ROUNDS; round++) {
        struct file file;
        fill(&file, &state, NUM_LANES_COPY);
        for (unsigned i = 0; i < NUM_LANES; i += 3) {
            file.lreg[B][i] = file.lreg[A][i] ^ (next(&state) & 2 ? NUM_FP32_SIGN : 0);
        }
        uint32_t mask = (uint32_t)(next(&state) >> 9), lanes = random_lanes(&state);
        ck_assert_uint_eq(set->less(file.lreg[A], file.lreg[B]),
                          num_lanes_reference.less(file.lreg[A], file.lreg[B]));
        ck_assert_uint_eq(set->negative(file.lreg[A]), num_lanes_reference.negative(file.lreg[A]));
        ck_assert_uint_eq(set->nonzero(file.lreg[A], mask),
                          num_lanes_reference.nonzero(file.lreg[A], mask));
        struct file expected = file;
        set->swap(file.lreg[A], file.lreg[B], lanes);
        num_lanes_reference.swap(expected.lreg[A], expected.lreg[B], lanes);
        set->random(file.lreg[C], round & 1 ? file.lreg[D] : NULL, lanes);
        num_lanes_reference.random(expected.lreg[C], round & 1 ? expected.lreg[D] : NULL, lanes);
        ck_assert(memcmp(&file, &expected, sizeof(file)) == 0);
    }
}

TEST_EACH(sets_agree_on_tables, NUM_LANES_TABLE_FP16_6_4 + 1)
{
    enum num_lanes_table table = (enum num_lanes_table)_i;
    for (int s = 0; s < (int)COUNT(set_names); s++) {
        const struct num_lanes_kernels *set = set_of(s);
        uint64_t state = 11;
        for (int round = 0; set && round < ROUNDS; round++) {
            uint32_t file[8][NUM_LANES], expected[NUM_LANES], found[NUM_LANES];
            for (unsigned r = 0; r < 8; r++) {
                for (unsigned i = 0; i < NUM_LANES; i++) {
                    file[r][i] = random_word(&state);
                    if (r == 3 && round & 1) {
                        file[r][i] = random_float(&state, 124 + (int)i % 7);
                    }
                }
            }
            memcpy(expected, file[7], sizeof(expected));
            memcpy(found, file[7], sizeof(found));
            uint32_t lanes = random_lanes(&state);
            num_lanes_reference.look_up(expected, (const uint32_t(*)[NUM_LANES])file, table,
                                        round & 2, lanes);
            set->look_up(found, (const uint32_t(*)[NUM_LANES])file, table, round & 2, lanes);
            ck_assert(memcmp(found, expected, sizeof(found)) == 0);
        }
    }
}

/* --- Dst --- */

enum { DST = 2 * NUM_LANES, MARGIN = 16 };

struct dst {
    uint16_t high[DST + MARGIN], low[DST + MARGIN];
};

TEST_RANGE(sets_agree_on_dst, NUM_LANES_FP16, NUM_LANES_FORMATS - 1)
{
    enum num_lanes_format format = (enum num_lanes_format)_i;
    for (int s = 0; s < (int)COUNT(set_names); s++) {
        const struct num_lanes_kernels *set = set_of(s);
        uint64_t state = 13;
        for (int round = 0; set && round < ROUNDS; round++) {
            struct dst dst;
            uint32_t x[NUM_LANES], y[NUM_LANES];
            for (unsigned i = 0; i < DST + MARGIN; i++) {
                dst.high[i] = (uint16_t)(next(&state) >> 9), dst.low[i] = (uint16_t)next(&state);
                dst.high[i] |= round % 4 == 3 ? 0x7fff : 0;
            }
            for (unsigned i = 0; i < NUM_LANES; i++) {
                x[i] = y[i] = random_word(&state);
            }
            struct dst expected = dst;
            uint64_t word = next(&state);
            uint32_t odd = word & 1 ? 0 : word & 2 ? UINT32_MAX : (uint32_t)(word >> 8);
            uint32_t lanes = random_lanes(&state), infinities = (uint32_t)(word >> 16);
            set->load[format](x, dst.high, dst.low, odd, lanes, infinities);
            num_lanes_reference.load[format](y, expected.high, expected.low, odd, lanes,
                                             infinities);
            ck_assert_msg(memcmp(x, y, sizeof(x)) == 0, "%s loads %d", set_names[s], _i);
            for (unsigned i = 0; i < NUM_LANES; i++) {
                x[i] = random_word(&state);
            }
            set->store[format](x, dst.high, dst.low, odd, lanes);
            num_lanes_reference.store[format](x, expected.high, expected.low, odd, lanes);
            ck_assert_msg(memcmp(&dst, &expected, sizeof(dst)) == 0, "%s stores %d", set_names[s],
                          _i);
        }
    }
}

/* What is done to all lanes and the same columns, against the reference for lanes that are given.
 */
TEST_RANGE(whole_columns_of_dst, NUM_LANES_FP16, NUM_LANES_FORMATS - 1)
{
    enum { WORDS = NUM_LANES_LOW + DST + MARGIN };
    enum num_lanes_format format = (enum num_lanes_format)_i;
    for (int s = -1; s < (int)COUNT(set_names); s++) {
        const struct num_lanes_kernels *set = s < 0 ? &num_lanes_reference : set_of(s);
        uint64_t state = 17;
        for (int round = 0; set && round < ROUNDS; round++) {
            uint16_t rows[WORDS], expected[WORDS];
            uint32_t x[NUM_LANES], y[NUM_LANES];
            uint32_t odd = round & 1 ? UINT32_MAX : 0;
            for (unsigned i = 0; i < WORDS; i++) {
                rows[i] = expected[i] = (uint16_t)(next(&state) >> 9);
            }
            for (unsigned i = 0; i < NUM_LANES; i++) {
                x[i] = y[i] = random_word(&state);
            }
            set->load_all[round & 1][format](x, rows);
            num_lanes_reference.load[format](y, expected, expected + NUM_LANES_LOW, odd, UINT32_MAX,
                                             0);
            ck_assert_msg(memcmp(x, y, sizeof(x)) == 0, "set %d loads %d", s, _i);
            for (unsigned i = 0; i < NUM_LANES; i++) {
                x[i] = random_word(&state);
            }
            set->store_all[round & 1][format](x, rows);
            num_lanes_reference.store[format](x, expected, expected + NUM_LANES_LOW, odd,
                                              UINT32_MAX);
            ck_assert_msg(memcmp(rows, expected, sizeof(rows)) == 0, "set %d stores %d", s, _i);
        }
    }
}

/* --- The host's modes --- */

TEST(host_modes_do_not_matter)
{
#if NUM_HAS_X86_KERNELS
    static const unsigned modes[] = {0x3f80, 0x5f80, 0x7f80, 0x9f80, 0x1fc0, 0x9fc0, 0xffc0};
    static const enum num_lanes_op ops[] = {NUM_LANES_MAD,           NUM_LANES_INT_TO_FLOAT,
                                            NUM_LANES_LEADING_ZEROS, NUM_LANES_RECIPROCAL,
                                            NUM_LANES_EXPONENTIAL,   NUM_LANES_INT_TO_FLOAT_RANDOM};
    unsigned before = _mm_getcsr();
    for (int s = 0; s < (int)COUNT(set_names); s++) {
        const struct num_lanes_kernels *set = set_of(s);
        for (unsigned m = 0; set && m < COUNT(modes); m++) {
            uint64_t state = 17 + m;
            for (unsigned o = 0; o < COUNT(ops); o++) {
                for (int round = 0; round < ROUNDS; round++) {
                    _mm_setcsr(modes[m]);
                    compare(set, &state, ops[o]);
                    _mm_setcsr(before);
                }
            }
        }
    }
#endif
}
