/* Distances between numbers; see number.h. */
#include "observe/compare/number.h"

#include <limits.h>
#include <math.h>

enum { DOUBLE_EXPONENT_BITS = 11, DOUBLE_MANTISSA_BITS = 52 };

struct compare_scale compare_scale_of(enum num_format format)
{
    const struct num_format_info *info = num_format_info(format);
    struct compare_scale scale = {info->exponent_bits, info->mantissa_bits, info->is_block};
    return scale;
}

struct compare_scale compare_scale_double(void)
{
    struct compare_scale scale = {DOUBLE_EXPONENT_BITS, DOUBLE_MANTISSA_BITS, false};
    return scale;
}

/* e of 2^e <= |number| < 2^(e+1) */
static int exponent_of(double number)
{
    int exponent;
    frexp(number, &exponent);
    return exponent - 1;
}

int compare_exponent(const double *number, unsigned count)
{
    int greatest = INT_MIN / 2;
    for (unsigned i = 0; i < count; i++) {
        if (isfinite(number[i]) && number[i] != 0 && exponent_of(number[i]) > greatest) {
            greatest = exponent_of(number[i]);
        }
    }
    return greatest;
}

/* A magnitude on the scale of a format: binades above the denormals, and steps within the binade.
 * binades * 2^mantissa_bits + steps is the number of steps from zero. Kept apart, as the sum of double
 * precision would not be exact. */
struct scale_place {
    int binades;
    double steps;
};

static struct scale_place place_on_scale(struct compare_scale scale, double number)
{
    int lowest = 2 - (1 << (scale.exponent_bits - 1)); /* exponent of the least normal number */
    int exponent = number == 0 || exponent_of(number) < lowest ? lowest : exponent_of(number);
    struct scale_place place = {
        .binades = exponent - lowest,
        .steps = ldexp(fabs(number), (int)scale.mantissa_bits - exponent),
    };
    return place;
}

static double float_ulps(struct compare_scale scale, double a, double b)
{
    struct scale_place x = place_on_scale(scale, a), y = place_on_scale(scale, b);
    bool same_side = signbit(a) == signbit(b);
    double steps = same_side ? x.steps - y.steps : x.steps + y.steps;
    int binades = same_side ? x.binades - y.binades : x.binades + y.binades;
    return fabs(ldexp(binades, (int)scale.mantissa_bits) + steps);
}

double compare_ulps(struct compare_scale scale, double a, double b, int block_exponent)
{
    if (a == b || (isnan(a) && isnan(b))) {
        return 0;
    }
    if (!isfinite(a) || !isfinite(b)) {
        return INFINITY;
    }
    if (!scale.exponent_bits) {
        return fabs(a - b);
    }
    if (scale.is_block) { /* the magnitude has no hidden bit */
        return ldexp(fabs(a - b), (int)scale.mantissa_bits - 1 - block_exponent);
    }
    return float_ulps(scale, a, b);
}

bool compare_is_near(const struct compare_tolerance *tolerance, double a, double b, double ulps)
{
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b);
    }
    if (a == b) {
        bool has_any = tolerance->has_ulp || tolerance->has_relative || tolerance->has_absolute;
        return has_any || signbit(a) == signbit(b);
    }
    if (isinf(a) || isinf(b)) {
        return false;
    }
    double apart = fabs(a - b), greater = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return (tolerance->has_ulp && ulps <= tolerance->ulp) ||
           (tolerance->has_relative && apart <= tolerance->relative * greater) ||
           (tolerance->has_absolute && apart <= tolerance->absolute);
}
