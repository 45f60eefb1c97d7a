/*
 * num/lanes.h, one lane: each operation against what its page says, worked out another way: with
 * host floating point, fields taken apart by arithmetic, counting over all random bits.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/fp32.h"
#include "num/kernel_sets.h"
#include "num/lanes.h"
#include "unit/sanitized.h"
#include "unit/test.h"

#define SIGN UINT32_C(0x80000000)

static uint32_t next(uint64_t *state)
{
    *state ^= *state << 7;
    *state ^= *state >> 9;
    return (uint32_t)(*state >> 16);
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint32_t unary(enum num_lanes_op op, uint32_t c, uint32_t immediate)
{
    return num_lane(op, 0, 0, c, immediate, false);
}

static uint32_t binary(enum num_lanes_op op, uint32_t b, uint32_t c)
{
    return num_lane(op, 0, b, c, 0, false);
}

/* Words of all magnitudes. */
static uint32_t word_of(uint64_t *state)
{
    uint32_t word = next(state);
    return (word & SIGN) | (next(state) & ~SIGN) >> word % 32;
}

enum { ROUNDS = SANITIZED ? 2000 : 20000 };

/* --- Bits and integers --- */

TEST(moves_and_bits)
{
    uint64_t state = 1;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t b = word_of(&state), c = word_of(&state), n = next(&state);
        ck_assert_uint_eq(unary(NUM_LANES_CONSTANT, c, n), n);
        ck_assert_uint_eq(unary(NUM_LANES_COPY, c, n), c);
        ck_assert_uint_eq(unary(NUM_LANES_LOW_HALF, c, n), c / 65536 * 65536 + n % 65536);
        ck_assert_uint_eq(unary(NUM_LANES_HIGH_HALF, c, n), n % 65536 * 65536 + c % 65536);
        ck_assert_uint_eq(unary(NUM_LANES_NOT, c, n), UINT32_MAX - c);
        uint32_t both = binary(NUM_LANES_AND, b, c), any = binary(NUM_LANES_OR, b, c);
        ck_assert_uint_eq(both + any, b + c);
        ck_assert_uint_eq(any - both, binary(NUM_LANES_XOR, b, c));
        ck_assert_uint_eq(binary(NUM_LANES_XOR, b, c) ^ b, c);
    }
    ck_assert_uint_eq(num_lane(NUM_LANES_FROM_FLAGS, 0, 0, 5, 0, true), UINT32_MAX);
    ck_assert_uint_eq(num_lane(NUM_LANES_FROM_FLAGS, 0, 0, 5, 0, false), 0);
}

TEST(leading_zeros)
{
    for (unsigned bit = 0; bit < 32; bit++) {
        uint32_t one = UINT32_C(1) << bit;
        ck_assert_uint_eq(unary(NUM_LANES_LEADING_ZEROS, one, UINT32_MAX), 31 - bit);
        ck_assert_uint_eq(unary(NUM_LANES_LEADING_ZEROS, one | (one - 1), UINT32_MAX), 31 - bit);
        uint32_t masked = unary(NUM_LANES_LEADING_ZEROS, one | 1, ~SIGN);
        ck_assert_uint_eq(masked, bit == 31 ? 31 : 31 - bit);
    }
    ck_assert_uint_eq(unary(NUM_LANES_LEADING_ZEROS, 0, UINT32_MAX), 32);
    ck_assert_uint_eq(unary(NUM_LANES_LEADING_ZEROS, SIGN, ~SIGN), 32);
}

TEST(shifts)
{
    uint64_t state = 2;
    for (int by = -70; by <= 70; by++) {
        for (int i = 0; i < 50; i++) {
            uint32_t x = word_of(&state);
            unsigned left = (unsigned)by % 32, right = (unsigned)-by % 32;
            uint32_t up = (uint32_t)((uint64_t)x << left);
            uint32_t logical = by >= 0 ? up : (uint32_t)((uint64_t)x >> right);
            double floored = floor(ldexp((double)(int32_t)x, -(int)right));
            uint32_t arithmetic = by >= 0 ? up : (uint32_t)(int32_t)floored;
            uint32_t n = (uint32_t)by;
            ck_assert_uint_eq(binary(NUM_LANES_SHIFT, x, n), logical);
            ck_assert_uint_eq(binary(NUM_LANES_SHIFT_ARITHMETIC, x, n), arithmetic);
            ck_assert_uint_eq(unary(NUM_LANES_SHIFT_CONSTANT, x, n), logical);
            ck_assert_uint_eq(unary(NUM_LANES_SHIFT_ARITHMETIC_CONSTANT, x, n), arithmetic);
        }
    }
    /* The negation of -2^31 is itself: no shift. */
    ck_assert_uint_eq(binary(NUM_LANES_SHIFT, 0x12345678, SIGN), 0x12345678);
}

TEST(integers)
{
    uint64_t state = 3;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t b = word_of(&state), c = word_of(&state);
        int64_t value = (int32_t)c;
        ck_assert_uint_eq(binary(NUM_LANES_ADD, b, c), (uint32_t)(((uint64_t)b + c) % 0x100000000));
        ck_assert_uint_eq(binary(NUM_LANES_SUBTRACT, b, c) + b, c);
        ck_assert_uint_eq(unary(NUM_LANES_ADD_CONSTANT, c, b), binary(NUM_LANES_ADD, b, c));
        ck_assert_uint_eq(unary(NUM_LANES_ABS_INTEGER, c, 0), (uint32_t)llabs(value));
        uint32_t switched = unary(NUM_LANES_SWITCH_SIGNS, c, 0);
        ck_assert_uint_eq(switched, (value < 0 ? SIGN : 0) | (uint32_t)llabs(value));
        ck_assert_uint_eq(unary(NUM_LANES_SWITCH_SIGNS, switched, 0), c);
    }
    ck_assert_uint_eq(unary(NUM_LANES_ABS_INTEGER, SIGN, 0), SIGN);
    ck_assert_uint_eq(unary(NUM_LANES_SWITCH_SIGNS, SIGN, 0), SIGN);
}

TEST(mul24)
{
    uint64_t state = 4;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t a = word_of(&state), b = word_of(&state), c = next(&state) & 0x807fffff;
        uint64_t product = (uint64_t)(a % 0x800000) * (b % 0x800000);
        uint32_t low = num_lane(NUM_LANES_MUL24, a, b, c, 0, false);
        uint32_t high = num_lane(NUM_LANES_MUL24, a, b, c, 1, false);
        ck_assert_uint_eq((uint64_t)high * 0x800000 + low, product);
        /* An addend with the product's exponent comes in at eight times its mantissa. */
        uint32_t with = num_lane(NUM_LANES_MUL24, a, b, 129u << 23 | (c & 0x7fffff), 0, false);
        ck_assert_uint_eq(with, (low + 8 * (c & 0x7fffff)) % 0x800000);
        /* One far below vanishes; 26 places below its highest bit is left, and 2^16 for the rest.
         */
        with = num_lane(NUM_LANES_MUL24, a, b, 102u << 23 | (c & 0x7fffff), 0, false);
        ck_assert_uint_eq(with, low);
        with = num_lane(NUM_LANES_MUL24, a, b, 103u << 23, 0, false);
        ck_assert_uint_eq(with, (low + 1) % 0x800000);
        with = num_lane(NUM_LANES_MUL24, a, b, 103u << 23 | 0x7fffff, 0, false);
        ck_assert_uint_eq(with, (low + 1 + 0x10000) % 0x800000);
        /* One far above: the shift counts go round at 32. */
        with = num_lane(NUM_LANES_MUL24, a, b, (129u + 32) << 23, 0, false);
        ck_assert_uint_eq(with, low);
        with = num_lane(NUM_LANES_MUL24, a, b, (129u + 4) << 23, 0, false);
        ck_assert_uint_eq(with, low >> 4);
    }
}

/* --- Fields --- */

struct fields {
    uint32_t sign, exponent, mantissa;
};

static struct fields split(uint32_t x)
{
    return (struct fields){x / 0x80000000u, x / 0x800000u % 256, x % 0x800000u};
}

static uint32_t join(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    return sign * 0x80000000u + exponent * 0x800000u + mantissa;
}

TEST(fields)
{
    uint64_t state = 5;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t b = next(&state), c = next(&state), n = next(&state) & 0xff;
        c |= i % 8 ? 0 : NUM_FP32_INFINITY;
        struct fields x = split(c), y = split(b);
        bool is_nan = x.exponent == 255 && x.mantissa;
        ck_assert_uint_eq(unary(NUM_LANES_NEGATE, c, 0), join(!x.sign, x.exponent, x.mantissa));
        ck_assert_uint_eq(unary(NUM_LANES_ABS_FLOAT, c, 0),
                          join(is_nan ? x.sign : 0, x.exponent, x.mantissa));
        ck_assert_uint_eq(unary(NUM_LANES_EXPONENT, c, 127), x.exponent - 127);
        ck_assert_uint_eq(unary(NUM_LANES_EXPONENT, c, 0), x.exponent);
        ck_assert_uint_eq(unary(NUM_LANES_MANTISSA, c, 0x800000), x.mantissa + 0x800000);
        ck_assert_uint_eq(unary(NUM_LANES_MANTISSA, c, 0), x.mantissa);
        ck_assert_uint_eq(unary(NUM_LANES_SET_EXPONENT, c, n), join(x.sign, n, x.mantissa));
        uint32_t sum = x.exponent == 255 ? 255 : (x.exponent + n) % 256;
        ck_assert_uint_eq(unary(NUM_LANES_ADD_EXPONENT, c, n), join(x.sign, sum, x.mantissa));
        ck_assert_uint_eq(binary(NUM_LANES_COPY_EXPONENT, b, c),
                          join(x.sign, y.exponent, x.mantissa));
        ck_assert_uint_eq(binary(NUM_LANES_INSERT_EXPONENT, b, c),
                          join(x.sign, b % 256, x.mantissa));
        ck_assert_uint_eq(unary(NUM_LANES_SET_MANTISSA, c, n << 11),
                          join(x.sign, x.exponent, n << 11));
        ck_assert_uint_eq(binary(NUM_LANES_COPY_MANTISSA, b, c),
                          join(x.sign, x.exponent, y.mantissa));
        ck_assert_uint_eq(unary(NUM_LANES_SET_SIGN, c, SIGN), join(1, x.exponent, x.mantissa));
        ck_assert_uint_eq(unary(NUM_LANES_SET_SIGN, c, 0), join(0, x.exponent, x.mantissa));
        ck_assert_uint_eq(binary(NUM_LANES_COPY_SIGN, b, c), join(y.sign, x.exponent, x.mantissa));
    }
}

/* --- Arithmetic --- */

/* What double holds exactly and float too: the sum of a small number and a product of such. */
TEST(mad_of_small_numbers)
{
    uint64_t state = 6;
    for (int i = 0; i < ROUNDS; i++) {
        float a = (float)(int)(next(&state) % 2001) / 8 - 125;
        float b = (float)(int)(next(&state) % 2001) / 8 - 125;
        float c = (float)(int)(next(&state) % 20001) / 64 - 156;
        uint32_t flips = (uint32_t)i & 3;
        float sum = a * (flips & 1 ? -b : b) + (flips & 2 ? -c : c);
        uint32_t found = num_lane(NUM_LANES_MAD, bits_of(a), bits_of(b), bits_of(c), flips, false);
        ck_assert_msg(float_of(found) == sum, "%g * %g + %g, %" PRIu32 ": %g, not %g", (double)a,
                      (double)b, (double)c, flips, (double)float_of(found), (double)sum);
    }
}

TEST(mad_corners)
{
    static const struct {
        uint32_t a, b, c, flips, d;
    } cases[] = {
        {0x7f800000, 0, 0x3f800000, 0, NUM_FP32_NAN},          /* infinity by zero */
        {0xffc12345, 0x3f800000, 0, 0, NUM_FP32_NAN},          /* no payload, no sign */
        {0x3f800000, 0x3f800000, 0x7f800000, 2, 0xff800000},   /* - infinity */
        {0x7f800000, 0x3f800000, 0x7f800000, 2, NUM_FP32_NAN}, /* infinity - infinity */
        {0x7f000000, 0x40800000, 0xff7fffff, 0, 0x7f800000},   /* the product alone overflows */
        {0x00400000, 0x7f000000, 0x3f800000, 0, 0x3f800000},   /* a denormal is zero */
        {0x80000000, 0x3f800000, 0x80000000, 0, 0x80000000},   /* -0 + -0 */
        {0x80000000, 0x3f800000, 0x80000000, 1, 0x00000000},   /* +0 + -0 */
        {0x00800000, 0x3f000000, 0, 0, 0x00000000},            /* a denormal result */
        {0x3f800001, 0x3f800001, 0x80000000, 0, 0x3f800002},
        /* 1 + 2^-24 is a tie, to even; the addend's lowest bit breaks it. */
        {0x3f800000, 0x3f800000, 0x33800000, 0, 0x3f800000},
        {0x3f800000, 0x3f800000, 0x33800001, 0, 0x3f800001},
        /* (1 + 2^-12)^2 is one as well: an addend of 2^-26 counts, what is below vanishes. */
        {0x3f800800, 0x3f800800, 0x32800000, 0, 0x3f801001},
        {0x3f800800, 0x3f800800, 0x327fffff, 0, 0x3f801000},
        /* Both are odd after rounding: their sum is a tie, and what was lost does not break it. */
        {0x41800004, 0x7cffffff, 0xf372e7bf, 0, 0x7f000002},
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        ck_assert_uint_eq(
            num_lane(NUM_LANES_MAD, cases[i].a, cases[i].b, cases[i].c, cases[i].flips, false),
            cases[i].d);
    }
}

/* A sum that changes with every entry of a table and with their order. */
static uint32_t hash_of(enum num_lanes_op op, uint32_t first, uint32_t entries, uint32_t mask)
{
    uint32_t hash = 0;
    for (uint32_t i = 0; i < entries; i++) {
        uint32_t result = unary(op, first + (i << 16), 0);
        hash = hash * 31 + (result >> 16 & mask);
    }
    return hash;
}

TEST(reciprocals)
{
    for (uint32_t high = 0; high < 0x10000; high++) {
        for (unsigned i = 0; i < 2; i++) {
            uint32_t x = high << 16 | (i ? 0xffff : 0);
            uint32_t magnitude = x & ~SIGN, found = unary(NUM_LANES_RECIPROCAL, x, 0);
            ck_assert_uint_eq(found & SIGN, x & SIGN);
            ck_assert_uint_eq(binary(NUM_LANES_CONDITIONAL_RECIPROCAL, SIGN, x), found & ~SIGN);
            ck_assert_uint_eq(binary(NUM_LANES_CONDITIONAL_RECIPROCAL, ~SIGN, x), x);
            double product = (double)float_of(magnitude) * (double)float_of(found & ~SIGN);
            if (magnitude < 0x00800000) {
                ck_assert_uint_eq(found & ~SIGN, NUM_FP32_INFINITY);
            } else if (magnitude >= 0x7e800000) {
                ck_assert_uint_eq(found & ~SIGN, 0);
            } else {
                ck_assert_msg(product > 0.9944 && product < 1.0054, "%08" PRIx32, x);
            }
        }
    }
    ck_assert_uint_eq(unary(NUM_LANES_RECIPROCAL, NUM_FP32_ONE, 0), bits_of(0.99609375f));
    /* The 128 mantissas of the page. */
    ck_assert_uint_eq(hash_of(NUM_LANES_RECIPROCAL, 0x3f800000, 128, 0x7f), UINT32_C(4276684731));
}

TEST(exponentials)
{
    for (uint32_t high = 0; high < 0x8000; high++) {
        for (unsigned i = 0; i < 2; i++) {
            uint32_t low = i ? 0xffff : 0, x = high << 16 | low;
            uint32_t found = unary(NUM_LANES_EXPONENTIAL, x, 0);
            ck_assert_uint_eq(unary(NUM_LANES_EXPONENTIAL, x | SIGN, 0), found | SIGN);
            ck_assert_uint_eq(found & 0xffff, x < 0x00800000 ? 0 : low);
            double e = exp((double)float_of(x));
            if (x < 0x40000000) {
                double ratio = (double)float_of(found) / e;
                ck_assert_msg(ratio > 0.9922 && ratio < 1.016, "%08" PRIx32, x);
            } else {
                ck_assert_uint_eq(found, 0x40800000 | low);
            }
            if (x >= 0x3c800000 && x < 0x40000000) {
                uint32_t cut = bits_of((float)exp((double)float_of(high << 16))) >> 16;
                ck_assert_uint_eq(found >> 16, cut);
            }
        }
    }
    ck_assert_uint_eq(unary(NUM_LANES_EXPONENTIAL, NUM_FP32_ONE, 0), bits_of(2.703125f));
    ck_assert_uint_eq(unary(NUM_LANES_EXPONENTIAL, 0x3c7f1234, 0), 0x3f811234);
}

/* --- Conversions --- */

TEST(integers_to_float)
{
    uint64_t state = 8;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t x = word_of(&state), magnitude = x & ~SIGN;
        float nearest = (float)(int32_t)magnitude;
        ck_assert_uint_eq(unary(NUM_LANES_INT_TO_FLOAT, x, 0), bits_of(nearest) | (x & SIGN));
        if (i % 100 || magnitude == 0) {
            continue;
        }
        /* Of the 128 values of the random bits as many round up as the first 7 lost bits say. */
        double exact = (double)magnitude, spacing = ldexp(1, ilogb(exact) - 23);
        double below = spacing > 1 ? floor(exact / spacing) * spacing : exact;
        unsigned ups = 0, expected = (unsigned)((exact - below) / spacing * 128);
        for (uint32_t random = 0; random < 128; random++) {
            uint32_t found =
                num_lane(NUM_LANES_INT_TO_FLOAT_RANDOM, random << 10, 0, magnitude, 0, false);
            double value = (double)float_of(found);
            ck_assert(value == below || value == below + spacing);
            ups += value > below;
        }
        ck_assert_uint_eq(ups, expected);
    }
    ck_assert_uint_eq(unary(NUM_LANES_INT_TO_FLOAT, SIGN, 0), SIGN);
}

/* Nearest goes up from half a unit on; of all random numbers as many go up as were lost, and one.
 */
TEST_EACH(rounding_of_floats, 2)
{
    static const unsigned lost_bits[] = {13, 16};
    enum num_lanes_op op = _i ? NUM_LANES_TO_BF16 : NUM_LANES_TO_FP16;
    uint32_t unit = UINT32_C(1) << lost_bits[_i];
    uint64_t state = 9;
    for (int i = 0; i < 200; i++) {
        uint32_t x = next(&state), exponent = x >> 23 & 0xff, lost = x % unit;
        if (exponent == 0 || exponent == 255) {
            continue;
        }
        ck_assert_uint_eq(num_lane(op, NUM_LANES_ROUND_NEAREST, 0, x, 0, false),
                          x - lost + (lost >= unit / 2 ? unit : 0));
        ck_assert_uint_eq(num_lane(op, NUM_LANES_ROUND_ZERO, 0, x, 0, false),
                          x - lost + (lost == unit - 1 ? unit : 0));
        uint32_t ups = 0;
        for (uint32_t random = 0; random < unit; random++) {
            uint32_t bits = random << (23 - lost_bits[_i]) | (x & 0xff800000);
            ups += num_lane(op, bits, 0, x, 0, false) != x - lost;
        }
        ck_assert_uint_eq(ups, lost + 1);
    }
    ck_assert_uint_eq(num_lane(op, 0, 0, 0x807fffff, 0, false), 0);
    ck_assert_uint_eq(num_lane(op, 0, 0, 0xffc12345, 0, false), 0xff800000);
    ck_assert_uint_eq(num_lane(op, 0, 0, 0x7f812345, 0, false), 0x7f800000);
    ck_assert_uint_eq(num_lane(op, 0, 0, 0x7f7fffff, 0, false), 0x7f800000);
}

static const struct {
    uint32_t mode;
    double most;
    bool keeps_sign;
} integer_modes[] = {
    {NUM_LANES_FLOAT_TO_UINT8, 255, false},    {NUM_LANES_FLOAT_TO_INT8, 127, true},
    {NUM_LANES_FLOAT_TO_UINT16, 65535, false}, {NUM_LANES_FLOAT_TO_INT16, 32767, true},
    {NUM_LANES_INT_TO_UINT8, 255, false},      {NUM_LANES_INT_TO_INT8, 127, true},
};

/* `exact` times 2^-23 is the magnitude, already cut there. */
static uint32_t rounded(int mode, double exact, bool is_negative, uint32_t limit)
{
    double whole = floor(exact / 8388608), rest = exact - whole * 8388608;
    whole += rest >= limit;
    whole = whole > integer_modes[mode].most ? integer_modes[mode].most : whole;
    return (uint32_t)whole |
           (is_negative && integer_modes[mode].keeps_sign && whole > 0 ? SIGN : 0);
}

TEST_EACH(floats_to_integers, 4)
{
    uint64_t state = 10;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t x = (next(&state) & 0x807fffff) | (115 + next(&state) % 32) << 23;
        uint32_t random = i & 1 ? NUM_LANES_ROUND_NEAREST : next(&state);
        double magnitude = fabs((double)float_of(x));
        double exact = magnitude < 0.5 ? 0 : floor(ldexp(magnitude, 23));
        /* Nothing below a half rounds up, even at a limit of 0. */
        uint32_t limit = magnitude < 0.5 ? 1 : random & 0x7fffff;
        ck_assert_uint_eq(
            num_lane(NUM_LANES_TO_INTEGER, random, 0, x, integer_modes[_i].mode, false),
            rounded(_i, exact, x & SIGN, limit));
    }
    uint32_t most = (uint32_t)integer_modes[_i].most;
    uint32_t sign = integer_modes[_i].keeps_sign ? SIGN : 0;
    enum num_lanes_op op = NUM_LANES_TO_INTEGER;
    ck_assert_uint_eq(unary(op, 0x7fc00000, integer_modes[_i].mode), most);
    ck_assert_uint_eq(unary(op, 0xff800000, integer_modes[_i].mode), most | sign);
    ck_assert_uint_eq(unary(op, 0x80000000, integer_modes[_i].mode), 0);
}

TEST_RANGE(integers_descaled, 4, 5)
{
    uint64_t state = 11;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t x = word_of(&state), by = next(&state) & (i & 2 ? 31 : UINT32_MAX);
        uint32_t random = i & 1 ? NUM_LANES_ROUND_NEAREST : next(&state);
        double exact = floor(ldexp((double)(x & ~SIGN), 23 - (int)(by % 32)));
        ck_assert_uint_eq(num_lane(NUM_LANES_DESCALE, random, by, x, integer_modes[_i].mode, false),
                          rounded(_i, exact, x & SIGN, random & 0x7fffff));
    }
}

/* --- Order, generator, tables --- */

TEST(order)
{
    static const uint32_t rising[] = {
        0xffffffff, 0xffc00000, 0xff800001, 0xff800000, 0xff7fffff, 0xbf800000,
        0x80800000, 0x80000001, 0x80000000, 0x00000000, 0x00000001, 0x00800000,
        0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
    };
    for (unsigned i = 0; i < COUNT(rising); i++) {
        for (unsigned j = 0; j < COUNT(rising); j++) {
            ck_assert_int_eq(num_lane_less(rising[i], rising[j]), i < j);
        }
    }
}

TEST(generator)
{
    uint32_t state = 0x12345678;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t before = state;
        uint32_t sum = before % 2 + before / 2 % 2 + before / 0x200000 % 2 + before / 0x80000000;
        ck_assert_uint_eq(num_lane_random(&state), before);
        ck_assert_uint_eq(state, before / 2 + (sum % 2 ? 0 : 0x80000000));
    }
}

/* Lut8ToFp32 and Lut16ToFp32 as numbers. */
static double number8(uint32_t x)
{
    double magnitude = ldexp(1 + x % 16 / 16.0, -(int)(x / 16 % 8));
    return x == 255 ? 0 : x / 128 ? -magnitude : magnitude;
}

static double number16(uint32_t x)
{
    int exponent = (int)(x / 1024 % 32);
    double magnitude = exponent == 31 ? 0 : ldexp(1 + x % 1024 / 1024.0, exponent - 15);
    return x / 32768 ? -magnitude : magnitude;
}

/* At 4.5, 2.5 and the like the product of an entry is exact, and double has all sums. */
TEST_EACH(tables, NUM_LANES_TABLE_FP16_6_4 + 1)
{
    static const float xs[] = {0.0f, 0.25f, 0.5f, 0.75f, 1.0f, 1.25f, 1.5f, 1.75f,
                               2.0f, 2.5f,  3.0f, 3.5f,  4.0f, 4.5f,  64.0f};
    enum num_lanes_table table = (enum num_lanes_table)_i;
    uint64_t state = 12;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t lreg[8];
        for (unsigned r = 0; r < 8; r++) {
            lreg[r] = table == NUM_LANES_TABLE_FP32 ? next(&state) & 0x83fff000 : next(&state);
            lreg[r] += table == NUM_LANES_TABLE_FP32 ? 0x3e000000 : 0;
        }
        float x = xs[(unsigned)i % COUNT(xs)];
        lreg[3] = bits_of(i & 16 ? -x : x);
        unsigned line = x < 1 ? 0 : x < 2 ? 1 : 2;
        float middle = line == 0                         ? 0.5f
                       : line == 1                       ? 1.5f
                       : table == NUM_LANES_TABLE_FP16_6 ? 3
                                                         : 4;
        unsigned half = x < middle ? 0 : 16;
        double slope, offset;
        if (table == NUM_LANES_TABLE_FP8) {
            slope = number8(lreg[line] >> 8 & 0xff), offset = number8(lreg[line] & 0xff);
        } else if (table == NUM_LANES_TABLE_FP32) {
            slope = (double)float_of(lreg[line]), offset = (double)float_of(lreg[4 + line]);
        } else if (table == NUM_LANES_TABLE_FP16) {
            slope = number16(lreg[line] >> 16), offset = number16(lreg[line] & 0xffff);
        } else {
            slope = number16(lreg[line] >> half & 0xffff);
            offset = number16(lreg[4 + line] >> half & 0xffff);
        }
        double exact = slope * (double)x + offset;
        uint32_t found = num_lane_look_up(lreg, table, false);
        /* Wide differences of exponents may have vanished bits, but no more than half a unit. */
        ck_assert_msg(fabs((double)float_of(found) - exact) <= ldexp(fabs(exact), -24),
                      "table %d, x %g: %.9g, not %.9g", _i, (double)x, (double)float_of(found),
                      exact);
        ck_assert_uint_eq(num_lane_look_up(lreg, table, true), (found & ~SIGN) | (lreg[3] & SIGN));
    }
}

/* --- Dst --- */

static uint32_t load_of(enum num_lanes_format format, uint32_t stored)
{
    return num_lane_load(format, stored, 0x89abcdef, false);
}

/* All 16-bit words as the page's fields. */
TEST(loads)
{
    for (uint32_t stored = 0; stored < 0x10000; stored++) {
        uint32_t sign = stored / 0x8000 * SIGN;
        uint32_t exponent = stored % 32, fraction = stored / 32 % 1024;
        uint32_t fp16 = sign + (exponent ? exponent + 112 : 0) * 0x800000 + fraction * 0x2000;
        ck_assert_uint_eq(load_of(NUM_LANES_FP16, stored), fp16);
        ck_assert_uint_eq(num_lane_load(NUM_LANES_FP16, stored, 0, true),
                          stored % 0x8000 == 0x7fff ? sign | NUM_FP32_INFINITY : fp16);
        uint32_t bf16 = sign + stored % 256 * 0x800000 + stored / 256 % 128 * 0x10000;
        ck_assert_uint_eq(load_of(NUM_LANES_BF16, stored), bf16);
        ck_assert_uint_eq(load_of(NUM_LANES_FP32, stored << 16 | 0x1234), bf16 | 0x1234);
        ck_assert_uint_eq(load_of(NUM_LANES_INT32, stored << 16 | 0x1234), bf16 | 0x1234);
        ck_assert_uint_eq(load_of(NUM_LANES_INT32_ALL, stored << 16 | 0x1234), bf16 | 0x1234);
        ck_assert_uint_eq(load_of(NUM_LANES_INT32_SM, stored << 16 | 0x1234), bf16 | 0x1234);
        ck_assert_uint_eq(load_of(NUM_LANES_INT8, stored), sign + fraction % 256);
        ck_assert_uint_eq(load_of(NUM_LANES_INT8_COMP, stored), sign + fraction);
        ck_assert_uint_eq(load_of(NUM_LANES_INT16, stored), sign + stored % 0x8000);
        ck_assert_uint_eq(load_of(NUM_LANES_UINT16, stored), stored);
        ck_assert_uint_eq(load_of(NUM_LANES_LO16, stored), stored);
        ck_assert_uint_eq(load_of(NUM_LANES_HI16, stored), stored * 0x10000);
        ck_assert_uint_eq(load_of(NUM_LANES_LO16_ONLY, stored), 0x89ab0000 + stored);
        ck_assert_uint_eq(load_of(NUM_LANES_HI16_ONLY, stored), stored * 0x10000 + 0xcdef);
        ck_assert_uint_eq(load_of(NUM_LANES_ZERO, stored), 0);
    }
}

TEST(stores)
{
    uint64_t state = 14;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t x = i & 1 ? word_of(&state) : next(&state);
        if (i % 4 == 2) {
            x = (x & 0x807fffff) | (100 + next(&state) % 50) << 23;
        }
        struct fields f = split(x);
        uint32_t flushed = f.exponent ? x : x & SIGN, high = x >> 16, sign = x >> 31 << 15;
        ck_assert_uint_eq(load_of(NUM_LANES_FP32, num_lane_store(NUM_LANES_FP32, x)), flushed);
        ck_assert_uint_eq(load_of(NUM_LANES_BF16, num_lane_store(NUM_LANES_BF16, x)),
                          flushed & 0xffff0000);
        ck_assert_uint_eq(load_of(NUM_LANES_INT32, num_lane_store(NUM_LANES_INT32, x)), x);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_INT32_ALL, x),
                          num_lane_store(NUM_LANES_INT32, x));
        ck_assert_uint_eq(num_lane_store(NUM_LANES_INT32_SM, x),
                          num_lane_store(NUM_LANES_INT32, x));
        uint32_t stored = num_lane_store(NUM_LANES_FP16, x);
        double value = fabs((double)float_of(x));
        uint32_t magnitude = f.exponent == 255 || value >= 131072 ? 0x7fff
                             : value < ldexp(1, -14)
                                 ? 0
                                 : (uint32_t)(x >> 13 & 0x3ff) << 5 | (f.exponent - 112);
        ck_assert_uint_eq(stored, sign | magnitude);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_INT8, x), sign + x % 1024 * 32 + 16);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_INT8_COMP, x), sign + x % 1024 * 32 + 16);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_INT16, x), sign + x % 0x8000);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_UINT16, x), x % 0x10000);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_LO16_ONLY, x), x % 0x10000);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_HI16_ONLY, x), high);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_HI16, x), x);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_LO16, x), x % 0x10000 * 0x10000 + high);
        ck_assert_uint_eq(num_lane_store(NUM_LANES_ZERO, x), 0);
    }
}

/* Where the reference set finds a lane among four rows, and which halves it leaves alone. */
TEST_RANGE(places_in_dst, NUM_LANES_FP16, NUM_LANES_FORMATS - 1)
{
    enum num_lanes_format format = (enum num_lanes_format)_i;
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        for (unsigned odd = 0; odd < 2; odd++) {
            uint16_t high[64], low[64];
            uint32_t x[NUM_LANES], y[NUM_LANES];
            for (unsigned i = 0; i < 64; i++) {
                high[i] = (uint16_t)(0x100 + i), low[i] = (uint16_t)(0x200 + i);
            }
            for (unsigned i = 0; i < NUM_LANES; i++) {
                x[i] = y[i] = 0xc1230000 + i;
            }
            unsigned at = lane / 8 * 16 + lane % 8 * 2 + odd;
            uint32_t stored =
                num_lanes_loads_32bit(format) ? (0x100 + at) << 16 | (0x200 + at) : 0x100 + at;
            uint32_t which = UINT32_C(1) << lane;
            num_lanes_reference.load[format](x, high, low, odd << lane, which, 0);
            num_lanes_reference.store[format](y, high, low, odd << lane, which);
            uint32_t expected = num_lane_store(format, y[lane]);
            bool is_wide = num_lanes_stores_32bit(format);
            for (unsigned i = 0; i < NUM_LANES; i++) {
                ck_assert_uint_eq(x[i],
                                  i == lane ? num_lane_load(format, stored, y[i], false) : y[i]);
            }
            for (unsigned i = 0; i < 64; i++) {
                uint32_t wide = (0x100 + i) << 16 | (0x200 + i);
                uint32_t changed = is_wide ? expected : expected << 16 | (0x200 + i);
                ck_assert_uint_eq((uint32_t)high[i] << 16 | low[i], i == at ? changed : wide);
            }
        }
    }
}
