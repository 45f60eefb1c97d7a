/* FP32, see num/fp32.h. */
#include "num/fp32.h"

#include <stddef.h>

#include "num/unrounded.h"

uint32_t num_fp32_fma(uint32_t x, uint32_t y, uint32_t z)
{
    return num_round_fp32(num_fma_unrounded(x, y, z, NUM_FMA_VANISHES, NULL), NULL);
}

uint32_t num_fp32_fma_flags(uint32_t x, uint32_t y, uint32_t z, uint32_t *flags)
{
    return num_round_fp32(num_fma_unrounded(x, y, z, NUM_FMA_VANISHES, flags), flags);
}

/* --- Order --- */

/* Maps numbers to integers of the same order; -0 lies just below +0. */
static int32_t order(uint32_t x)
{
    return (int32_t)(x & NUM_FP32_SIGN ? ~x ^ NUM_FP32_SIGN : x);
}

static bool is_zero(uint32_t x)
{
    return (x & ~NUM_FP32_SIGN) == 0;
}

static bool has_nan(uint32_t x, uint32_t y)
{
    return num_fp32_is_nan(x) || num_fp32_is_nan(y);
}

static void raise_signaling(uint32_t x, uint32_t y, uint32_t *flags)
{
    if (num_fp32_is_signaling(x) || num_fp32_is_signaling(y)) {
        *flags |= NUM_INVALID;
    }
}

/* The operand that is a number when one is a NaN. */
static uint32_t number_of(uint32_t x, uint32_t y)
{
    if (!num_fp32_is_nan(x)) {
        return x;
    }
    return num_fp32_is_nan(y) ? NUM_FP32_NAN : y;
}

uint32_t num_fp32_min(uint32_t x, uint32_t y, uint32_t *flags)
{
    raise_signaling(x, y, flags);
    if (has_nan(x, y)) {
        return number_of(x, y);
    }
    return order(x) < order(y) ? x : y;
}

uint32_t num_fp32_max(uint32_t x, uint32_t y, uint32_t *flags)
{
    raise_signaling(x, y, flags);
    if (has_nan(x, y)) {
        return number_of(x, y);
    }
    return order(x) > order(y) ? x : y;
}

bool num_fp32_equal(uint32_t x, uint32_t y, uint32_t *flags)
{
    raise_signaling(x, y, flags);
    return !has_nan(x, y) && (x == y || (is_zero(x) && is_zero(y)));
}

bool num_fp32_less(uint32_t x, uint32_t y, uint32_t *flags)
{
    if (has_nan(x, y)) {
        *flags |= NUM_INVALID;
        return false;
    }
    return order(x) < order(y) && !(is_zero(x) && is_zero(y));
}

bool num_fp32_less_equal(uint32_t x, uint32_t y, uint32_t *flags)
{
    if (has_nan(x, y)) {
        *flags |= NUM_INVALID;
        return false;
    }
    return order(x) <= order(y) || (is_zero(x) && is_zero(y));
}

uint32_t num_fp32_classify(uint32_t x)
{
    uint32_t magnitude = x & ~NUM_FP32_SIGN;
    if (magnitude > NUM_FP32_INFINITY) {
        return num_fp32_is_signaling(x) ? 1u << 8 : 1u << 9;
    }
    unsigned size = magnitude == NUM_FP32_INFINITY ? 3 : magnitude >> 23 ? 2 : magnitude ? 1 : 0;
    return x & NUM_FP32_SIGN ? 1u << (3 - size) : 1u << (4 + size);
}

/* --- Integers --- */

/* |x| rounded to an integer; 2^32 stands for everything above. x is no NaN. */
static uint64_t rounded_magnitude(uint32_t x, enum num_rounding rounding, bool *inexact)
{
    int32_t exponent = num_fp32_exponent(x);
    uint64_t significand = x & 0x7fffff;
    if (exponent) {
        significand |= 0x800000;
    }
    int32_t down = 127 + 23 - exponent;
    *inexact = false;
    if (down <= 0) {
        return exponent >= 127 + 32 ? UINT64_C(1) << 32 : significand << -down;
    }
    if (down > 25) {
        down = 25; /* all of it, and the bit that decides rounding, are below one */
    }
    uint64_t whole = significand >> down;
    uint64_t rest = significand & ((UINT64_C(1) << down) - 1);
    uint64_t half = UINT64_C(1) << (down - 1);
    *inexact = rest != 0;
    bool up = rounding == NUM_NEAREST_EVEN && (rest > half || (rest == half && whole & 1));
    return whole + up;
}

static uint32_t invalid(uint32_t result, uint32_t *flags)
{
    *flags |= NUM_INVALID;
    return result;
}

uint32_t num_fp32_to_int(uint32_t x, unsigned width, enum num_rounding rounding, uint32_t *flags)
{
    uint32_t most = (UINT32_C(1) << (width - 1)) - 1;
    if (num_fp32_is_nan(x)) {
        return invalid(most, flags);
    }
    bool is_negative = x & NUM_FP32_SIGN, inexact;
    uint64_t magnitude = rounded_magnitude(x, rounding, &inexact);
    if (magnitude > (uint64_t)most + is_negative) {
        return invalid(is_negative ? ~most : most, flags);
    }
    *flags |= inexact ? NUM_INEXACT : 0;
    return is_negative ? -(uint32_t)magnitude : (uint32_t)magnitude;
}

uint32_t num_fp32_to_uint(uint32_t x, unsigned width, enum num_rounding rounding, uint32_t *flags)
{
    uint32_t most = UINT32_MAX >> (32 - width);
    if (num_fp32_is_nan(x)) {
        return invalid(most, flags);
    }
    bool is_negative = x & NUM_FP32_SIGN, inexact;
    uint64_t magnitude = rounded_magnitude(x, rounding, &inexact);
    if (is_negative ? magnitude != 0 : magnitude > most) {
        return invalid(is_negative ? 0 : most, flags);
    }
    *flags |= inexact ? NUM_INEXACT : 0;
    return (uint32_t)magnitude;
}

uint32_t num_fp32_from_int(int32_t value, uint32_t *flags)
{
    uint32_t sign = value < 0 ? NUM_FP32_SIGN : 0;
    uint32_t magnitude = sign ? -(uint32_t)value : (uint32_t)value;
    return num_round_fp32(num_unrounded_integer(sign, magnitude), flags);
}

uint32_t num_fp32_from_uint(uint32_t value, uint32_t *flags)
{
    return num_round_fp32(num_unrounded_integer(0, value), flags);
}
