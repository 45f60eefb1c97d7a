/*
 * Distances between numbers: one step to each neighbour in every format, and the laws of distances
 * and tolerances on random numbers.
 */
#include <math.h>
#include <string.h>

#include "observe/compare/number.h"
#include "unit/random.h"
#include "unit/test.h"

enum { PAIRS = 200000 };

static double number_of_bits(uint32_t pattern)
{
    float number;
    memcpy(&number, &pattern, sizeof number);
    return (double)number;
}

static double ulps_in(enum num_format format, double a, double b)
{
    return compare_ulps(compare_scale_of(format), a, b, 0);
}

static const enum num_format float_formats[] = {
    NUM_FORMAT_FLOAT32, NUM_FORMAT_TF32, NUM_FORMAT_FLOAT16_B,
    NUM_FORMAT_FLOAT16, NUM_FORMAT_LF8,  NUM_FORMAT_FP8_E4M3,
};

/* The number of a pattern of a format that is sign, exponent and mantissa; all exponents are
 * finite, as in the hardware's narrow formats. */
static double number_in(enum num_format format, uint32_t magnitude)
{
    const struct num_format_info *info = num_format_info(format);
    int bias = (1 << (info->exponent_bits - 1)) - 1;
    int exponent = (int)(magnitude >> info->mantissa_bits);
    uint32_t mantissa = magnitude & ((UINT32_C(1) << info->mantissa_bits) - 1);
    uint32_t significand = exponent ? mantissa | UINT32_C(1) << info->mantissa_bits : mantissa;
    return ldexp(significand, (exponent ? exponent : 1) - bias - info->mantissa_bits);
}

/* Neighbours are a step apart: all of them up to 16 bits, else those around powers of two. */
TEST_EACH(neighbours_are_one_step_apart, COUNT(float_formats))
{
    enum num_format format = float_formats[_i];
    const struct num_format_info *info = num_format_info(format);
    uint32_t end = UINT32_C(1) << (info->exponent_bits + info->mantissa_bits);
    uint32_t mask = (UINT32_C(1) << info->mantissa_bits) - 1;
    end -= info->exponent_bits == 8 ? mask + 1 : 0; /* infinity of the others is a number here */
    for (uint32_t i = 0; i + 1 < end; i++) {
        if (info->mantissa_bits > 10 && (i & mask) > 8 && (i & mask) < mask - 8) {
            i |= mask - 8;
        }
        double a = number_in(format, i), b = number_in(format, i + 1);
        EXPECT(ulps_in(format, a, b) == 1);
        EXPECT(ulps_in(format, -b, -a) == 1);
        EXPECT(ulps_in(format, a, -a) == 2.0 * i);
    }
    ck_assert_double_eq(ulps_in(format, number_in(format, 0), number_in(format, end - 1)), end - 1);
}

TEST(halves_of_steps_count_as_halves)
{
    ck_assert_double_eq(ulps_in(NUM_FORMAT_FLOAT16_B, 1, 1 + 0x1p-8), 0.5);
    ck_assert_double_eq(ulps_in(NUM_FORMAT_FLOAT16_B, 1, 1 - 0x1p-8), 1);
    ck_assert_double_eq(ulps_in(NUM_FORMAT_FLOAT16, 0, 0x1p-25), 0.5);
}

TEST(doubles_have_their_own_steps)
{
    struct compare_scale scale = compare_scale_double();
    ck_assert_double_eq(compare_ulps(scale, 1, nextafter(1, 2), 0), 1);
    ck_assert_double_eq(compare_ulps(scale, 1, nextafter(1, 0), 0), 1);
    ck_assert_double_eq(compare_ulps(scale, 0x1p-1074, -0x1p-1074, 0), 2);
    ck_assert_double_eq(compare_ulps(scale, nextafter(8, 0), nextafter(8, 9), 0), 2);
}

TEST(integers_count_from_one_to_the_next)
{
    ck_assert_double_eq(ulps_in(NUM_FORMAT_INT32, -3, 4), 7);
    ck_assert_double_eq(ulps_in(NUM_FORMAT_UINT8, 0, 255), 255);
}

/* The greatest number of a block has its leading bit at the top of the magnitude. */
TEST(blocks_share_a_step)
{
    const double block[] = {0.25, -3.5, 0, INFINITY};
    int exponent = compare_exponent(block, COUNT(block));
    ck_assert_int_eq(exponent, 1);
    const struct {
        enum num_format format;
        double step;
    } rows[] = {{NUM_FORMAT_BFP8_B, 0x1p-5}, {NUM_FORMAT_BFP8, 0x1p-5}, {NUM_FORMAT_BFP4_B, 0.5},
                {NUM_FORMAT_BFP4, 0.5},      {NUM_FORMAT_BFP2_B, 2},    {NUM_FORMAT_BFP2, 2}};
    for (int i = 0; i < COUNT(rows); i++) {
        struct compare_scale scale = compare_scale_of(rows[i].format);
        ck_assert_double_eq(compare_ulps(scale, 0, rows[i].step, exponent), 1);
        ck_assert_double_eq(compare_ulps(scale, -rows[i].step, 2 * rows[i].step, exponent), 3);
    }
}

TEST(what_is_not_finite_is_near_its_like_only)
{
    const struct compare_tolerance all = {true, true, true, 1e30, 1e30, 1e30};
    const double odd[] = {INFINITY, -INFINITY, NAN, 1, 0};
    for (int i = 0; i < COUNT(odd); i++) {
        for (int k = 0; k < COUNT(odd); k++) {
            double ulps = ulps_in(NUM_FORMAT_FLOAT32, odd[i], odd[k]);
            bool is_alike = i == k || (isfinite(odd[i]) && isfinite(odd[k]));
            ck_assert_int_eq(isfinite(ulps), is_alike);
            ck_assert_int_eq(compare_is_near(&all, odd[i], odd[k], ulps), is_alike);
        }
    }
}

TEST(zeros_differ_to_the_bit_alone)
{
    const struct compare_tolerance none = {0}, zero = {.has_ulp = true};
    ck_assert_double_eq(ulps_in(NUM_FORMAT_FLOAT16_B, -0.0, 0.0), 0);
    ck_assert(!compare_is_near(&none, -0.0, 0.0, 0));
    ck_assert(compare_is_near(&none, -0.0, -0.0, 0));
    ck_assert(compare_is_near(&zero, -0.0, 0.0, 0));
}

/* Symmetric, zero for equal numbers alone, and steps add up on the way from one to the other. */
TEST_EACH(distances_obey_their_laws, COUNT(float_formats))
{
    struct compare_scale scale = compare_scale_of(float_formats[_i]);
    uint64_t state = 1;
    for (unsigned i = 0; i < PAIRS; i++) {
        double a = number_of_bits(random_next(&state)), b = number_of_bits(random_next(&state));
        if (isfinite(a) && isfinite(b)) {
            double middle = a / 2 + b / 2;
            double whole = compare_ulps(scale, a, b, 0);
            double parts = compare_ulps(scale, a, middle, 0) + compare_ulps(scale, middle, b, 0);
            EXPECT(whole == compare_ulps(scale, b, a, 0));
            EXPECT((whole == 0) == (a == b));
            EXPECT(fabs(whole - parts) <= whole * 1e-9);
        }
    }
}

/* Two numbers near each other, so that tolerances decide. */
static void near_pair(uint64_t *state, double *a, double *b)
{
    uint32_t pattern = random_next(state);
    *a = number_of_bits(pattern);
    *b = number_of_bits(pattern ^ random_below(state, 1 << 22));
}

TEST(tolerances_obey_their_laws)
{
    uint64_t state = 2;
    for (unsigned i = 0; i < PAIRS; i++) {
        double a, b;
        near_pair(&state, &a, &b);
        double ulps = ulps_in(NUM_FORMAT_FLOAT32, a, b);
        struct compare_tolerance small = {
            .has_ulp = random_next(&state) >> 31,
            .has_relative = random_next(&state) >> 31,
            .has_absolute = random_next(&state) >> 31,
            .ulp = random_below(&state, 1 << 21),
            .relative = random_below(&state, 1000) * 1e-4,
            .absolute = fabs(a) * random_below(&state, 1000) * 1e-4,
        };
        struct compare_tolerance great = small, none = {0};
        great.has_ulp = great.has_relative = great.has_absolute = true;
        great.ulp *= 2;
        great.relative *= 2;
        great.absolute = isfinite(great.absolute) ? 2 * great.absolute : 0;
        bool is_near = compare_is_near(&small, a, b, ulps);
        EXPECT(is_near == compare_is_near(&small, b, a, ulps));
        EXPECT(!is_near || compare_is_near(&great, a, b, ulps) || !isfinite(a));
        EXPECT(!compare_is_near(&none, a, b, ulps) || is_near);
        EXPECT(compare_is_near(&small, a, a, 0));
    }
}

TEST(a_relative_tolerance_is_measured_by_the_greater)
{
    const struct compare_tolerance tolerance = {.has_relative = true, .relative = 0.1};
    ck_assert(compare_is_near(&tolerance, 100, 90, 0));
    ck_assert(compare_is_near(&tolerance, -90, -100, 0));
    ck_assert(!compare_is_near(&tolerance, 100, 89.9, 0));
    ck_assert(!compare_is_near(&tolerance, 1, -1, 0));
}
