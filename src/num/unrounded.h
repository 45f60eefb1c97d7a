/*
 * Results before rounding, for all number formats. Private to src/num.
 *
 * A primitive computes a struct num_unrounded with integers; one round-and-pack function of each
 * format finishes it. Functions are inline so that a `flags` of NULL costs nothing.
 */
#ifndef NUM_UNROUNDED_H
#define NUM_UNROUNDED_H

#include "num/fp32.h"

/*
 * The value (-1)^(sign set) * significand * 2^(exponent - 127 - 26), where significand lies in
 * [2^26, 2^27) and its lowest bit is sticky: set when anything non-zero was dropped below it. Or,
 * where is_final, the FP32 value `bits`, which rounding leaves as it is.
 */
struct num_unrounded {
    bool is_final;
    uint32_t bits;
    uint32_t sign; /* 0 or NUM_FP32_SIGN */
    int32_t exponent;
    uint32_t significand;
};

enum { NUM_UNROUNDED_TOP = 26 };

static inline void num_raise(uint32_t *flags, uint32_t raised)
{
    if (flags) {
        *flags |= raised;
    }
}

/* value / 2^by with a sticky lowest bit. */
static inline uint32_t num_shift_sticky(uint32_t value, uint32_t by)
{
    if (by > 31) {
        return value != 0;
    }
    return value >> by | (value << (-by & 31) != 0 && by);
}

/* From magnitude * 2^(exponent - 127 - 26); magnitude is not zero. */
static inline struct num_unrounded num_normalise(uint32_t sign, uint32_t magnitude,
                                                 int32_t exponent)
{
    int32_t up = __builtin_clz(magnitude) - (31 - NUM_UNROUNDED_TOP);
    return (struct num_unrounded){
        .sign = sign,
        .exponent = exponent - up,
        .significand = up >= 0 ? magnitude << up : num_shift_sticky(magnitude, (uint32_t)-up),
    };
}

static inline struct num_unrounded num_final(uint32_t bits)
{
    return (struct num_unrounded){.is_final = true, .bits = bits};
}

static inline struct num_unrounded num_unrounded_integer(uint32_t sign, uint32_t magnitude)
{
    return magnitude ? num_normalise(sign, magnitude, 127 + NUM_UNROUNDED_TOP) : num_final(0);
}

/*
 * The FP32 result. A result below 2^-126 becomes zero unless rounding carries it there. As in
 * fma_model_bh that rounding is to 23 significant bits wherever the result lies below 2^-126.
 */
static inline uint32_t num_round_fp32(struct num_unrounded value, uint32_t *flags)
{
    if (value.is_final) {
        return value.bits;
    }
    if (value.exponent >= 255) {
        num_raise(flags, NUM_OVERFLOW | NUM_INEXACT);
        return value.sign | NUM_FP32_INFINITY;
    }
    bool is_low = value.exponent <= 0;
    uint32_t significand =
        is_low ? value.significand >> 1 | (value.significand & 1) : value.significand;
    /* The leading one of a significand that is not low adds the missing one to the exponent. */
    uint32_t bits = is_low ? 0 : (uint32_t)(value.exponent - 1) << 23;
    bits += significand >> 3;
    bits += ((significand & 7) + (bits & 1)) > 4;
    if (bits >> 23 == 0) {
        num_raise(flags, NUM_UNDERFLOW | NUM_INEXACT);
        return value.sign;
    }
    num_raise(flags, significand & 7 ? NUM_INEXACT : 0);
    num_raise(flags, bits == NUM_FP32_INFINITY ? NUM_OVERFLOW : 0);
    return value.sign | bits;
}

/* --- The multiply-add --- */

static inline bool num_fp32_is_infinite(uint32_t x)
{
    return (x & ~NUM_FP32_SIGN) == NUM_FP32_INFINITY;
}

/* The 24-bit significand; 0 for zeros and denormals. */
static inline uint32_t num_fp32_significand(uint32_t x)
{
    return x & NUM_FP32_INFINITY ? (x & 0x7fffff) | 0x800000 : 0;
}

static inline int32_t num_fp32_exponent(uint32_t x)
{
    return (int32_t)(x >> 23 & 0xff);
}

/* x * y + z where an operand is no finite number, or the product overflows. */
static inline uint32_t num_fma_special(uint32_t x, uint32_t y, uint32_t z, uint32_t *flags)
{
    uint32_t product_sign = (x ^ y) & NUM_FP32_SIGN;
    bool has_infinite_factor = num_fp32_is_infinite(x) || num_fp32_is_infinite(y);
    bool has_nan = num_fp32_is_nan(x) || num_fp32_is_nan(y) || num_fp32_is_nan(z);
    bool is_infinity_times_zero = (num_fp32_is_infinite(x) && !num_fp32_significand(y)) ||
                                  (num_fp32_is_infinite(y) && !num_fp32_significand(x));
    bool is_infinity_minus_infinity = !has_nan && has_infinite_factor && num_fp32_is_infinite(z) &&
                                      product_sign != (z & NUM_FP32_SIGN);
    bool has_signaling =
        num_fp32_is_signaling(x) || num_fp32_is_signaling(y) || num_fp32_is_signaling(z);
    if (is_infinity_times_zero || is_infinity_minus_infinity || has_signaling) {
        num_raise(flags, NUM_INVALID);
    }
    if (has_nan || is_infinity_times_zero || is_infinity_minus_infinity) {
        return NUM_FP32_NAN;
    }
    if (num_fp32_is_infinite(z)) {
        return z;
    }
    num_raise(flags, has_infinite_factor ? 0 : NUM_OVERFLOW | NUM_INEXACT);
    return product_sign | NUM_FP32_INFINITY;
}

/* What becomes of the smaller summand when alignment shifts it out altogether: in FP32 it vanishes
 * without a trace (as in fma_model_bh), for the 16-bit formats it still counts as inexact. */
enum num_fma_rule { NUM_FMA_VANISHES, NUM_FMA_STICKY };

/* Aligns the summand with the smaller exponent; `value` is below 2^31. */
static inline uint32_t num_fma_align(uint32_t value, int32_t by, enum num_fma_rule rule,
                                     uint32_t *flags)
{
    uint32_t shift = by < 31 ? (uint32_t)by : 31;
    uint32_t kept = value >> shift;
    bool lost = kept << shift != value;
    num_raise(flags, lost ? NUM_INEXACT : 0);
    return kept | (lost && (kept || rule == NUM_FMA_STICKY));
}

static inline struct num_unrounded num_fma_unrounded(uint32_t x, uint32_t y, uint32_t z,
                                                     enum num_fma_rule rule, uint32_t *flags)
{
    int32_t x_exponent = num_fp32_exponent(x);
    int32_t y_exponent = num_fp32_exponent(y);
    int32_t exponent = num_fp32_exponent(z);
    int32_t product_exponent = x_exponent + y_exponent - 127;
    if (x_exponent == 255 || y_exponent == 255 || exponent == 255 || product_exponent >= 255) {
        return num_final(num_fma_special(x, y, z, flags));
    }
    uint32_t sign = z & NUM_FP32_SIGN;
    uint32_t product_sign = (x ^ y) & NUM_FP32_SIGN;
    uint64_t exact = (uint64_t)num_fp32_significand(x) * num_fp32_significand(y);
    uint32_t addend = num_fp32_significand(z) << 3;
    if (exact == 0 || product_exponent < 0) {
        num_raise(flags, exact ? NUM_INEXACT : 0);
        num_raise(flags, exact && !addend ? NUM_UNDERFLOW : 0);
        return num_final(addend ? z : sign & product_sign);
    }
    uint32_t product = (uint32_t)(exact >> 20) | ((exact & 0xfffff) != 0);
    int32_t behind = exponent - product_exponent;
    if (behind > 0) {
        product = num_fma_align(product, behind, rule, flags);
    } else {
        addend = num_fma_align(addend, -behind, rule, flags);
        exponent = product_exponent;
    }
    uint32_t sum = sign == product_sign ? product + addend
                   : product >= addend  ? product - addend
                                        : addend - product;
    if (sum == 0) {
        return num_final(sign & product_sign);
    }
    return num_normalise(product >= addend ? product_sign : sign, sum, exponent);
}

#endif
