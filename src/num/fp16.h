/*
 * The 16-bit formats: FP16 (5 exponent bits, 10 fraction bits) and BF16 (8 and 7), and the
 * computations of the harts' Zfh instructions. Pure functions on bit patterns, no host floating
 * point, safe from any thread. `flags` as in num/fp32.h.
 */
#ifndef NUM_FP16_H
#define NUM_FP16_H

#include <stdint.h>

#include "num/fp32.h"

/* A format and how results are rounded to it. */
enum num_half {
    NUM_FP16,     /* to nearest even */
    NUM_BF16,     /* to nearest even */
    NUM_BF16_RTZ, /* toward zero */
};

/* The only NaN that these functions make. */
static inline uint16_t num_half_nan(enum num_half format)
{
    return format == NUM_FP16 ? 0x7e00 : 0x7fc0;
}

/* The FP32 value of x: exact, denormals included; a NaN keeps its sign and payload. */
uint32_t num_half_to_fp32(enum num_half format, uint16_t x);

/* x rounded once. Denormal operands and results count as what they are; NaNs become canonical. */
uint16_t num_half_from_fp32(enum num_half format, uint32_t x, uint32_t *flags);

/* An integer rounded once. */
uint16_t num_half_from_int(enum num_half format, int32_t value, uint32_t *flags);
uint16_t num_half_from_uint(enum num_half format, uint32_t value, uint32_t *flags);

/* As num_fp32_classify. */
uint32_t num_half_classify(enum num_half format, uint16_t x);

/*
 * x * y + z; denormal operands count as zeros of their sign, denormal results become zeros of
 * theirs. GUESS: the page says that Zfh has the caveats of F and no more. Taken here: the widened
 * operands go through the FP32 multiply-add, in which their product is exact (but overflows and
 * underflows by itself as FP32 does), and the sum is rounded once, to the format. Toward zero, an
 * overflow is the largest finite number.
 */
uint16_t num_half_fma(enum num_half format, uint16_t x, uint16_t y, uint16_t z, uint32_t *flags);

/* Sum, difference and product: see num_fp32_add and num_fp32_mul for the constants. */
uint16_t num_half_add(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags);
uint16_t num_half_sub(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags);
uint16_t num_half_mul(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags);

/* As num_fp32_min and num_fp32_max. */
uint16_t num_half_min(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags);
uint16_t num_half_max(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags);

#endif
