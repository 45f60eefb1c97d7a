/*
 * FP32 arithmetic as Blackhole computes it. Pure functions on bit patterns, no host floating
 * point, safe from any thread.
 *
 * Two families live here, and only the first flushes denormals:
 *  - fma, add, sub, mul. SPEC: Miscellaneous/FMA, fma_model_bh: the multiply-add of the baby RISC-V
 *    harts and of the Vector Unit (SFPU). It is only partly fused, takes denormal inputs for zeros
 *    of their sign, flushes denormal results to zeros of their sign, rounds to nearest even, and
 *    its only NaN is NUM_FP32_NAN;
 *  - comparisons, minimum and maximum, classification and conversions, which no page makes an
 *    exception of: as the RISC-V F extension 2.2 defines them, denormals included. ttsim's
 *    riscv_float.h agrees, except that its conversions know no rounding mode but nearest even.
 *
 * Functions with a `flags` parameter OR enum num_flag bits into *flags; it must not be NULL. GUESS:
 * no page says when the hardware raises flags. They follow the F extension, seen from the
 * result delivered: what was flushed or lost in the multiply-add counts as inexact.
 */
#ifndef NUM_FP32_H
#define NUM_FP32_H

#include <stdbool.h>
#include <stdint.h>

/* The accrued exceptions, numbered as in the low bits of the CSR fcsr. */
enum num_flag { NUM_INEXACT = 1, NUM_UNDERFLOW = 2, NUM_OVERFLOW = 4, NUM_INVALID = 16 };

enum num_rounding { NUM_NEAREST_EVEN, NUM_TOWARD_ZERO };

#define NUM_FP32_SIGN     UINT32_C(0x80000000)
#define NUM_FP32_INFINITY UINT32_C(0x7f800000)
#define NUM_FP32_NAN      UINT32_C(0x7fc00000)
#define NUM_FP32_ONE      UINT32_C(0x3f800000)

static inline bool num_fp32_is_nan(uint32_t x)
{
    return (x & ~NUM_FP32_SIGN) > NUM_FP32_INFINITY;
}

/* A NaN whose quiet bit is clear. */
static inline bool num_fp32_is_signaling(uint32_t x)
{
    return num_fp32_is_nan(x) && !(x & UINT32_C(0x00400000));
}

/*
 * x * y + z, partly fused: the product keeps 27 or 28 significant bits, the last one sticky; a
 * product that alone would overflow is an infinity, one that alone would underflow is a zero; one
 * rounding follows the addition.
 */
uint32_t num_fp32_fma(uint32_t x, uint32_t y, uint32_t z);
uint32_t num_fp32_fma_flags(uint32_t x, uint32_t y, uint32_t z, uint32_t *flags);

/* A factor of one makes the product exact, so that only the sum is rounded. SPEC: SFPMAD says that
 * this is a standalone addition; ttsim computes fadd.s so. */
static inline uint32_t num_fp32_add(uint32_t x, uint32_t y, uint32_t *flags)
{
    return num_fp32_fma_flags(x, NUM_FP32_ONE, y, flags);
}

static inline uint32_t num_fp32_sub(uint32_t x, uint32_t y, uint32_t *flags)
{
    return num_fp32_fma_flags(x, NUM_FP32_ONE, y ^ NUM_FP32_SIGN, flags);
}

/* Adding -0 changes no product: a zero product keeps its own sign, which +0 would make positive.
 * (SPEC: SFPMAD says that adding zero is a standalone multiplication. ttsim adds a zero of the
 * product's sign, with the same results.) */
static inline uint32_t num_fp32_mul(uint32_t x, uint32_t y, uint32_t *flags)
{
    return num_fp32_fma_flags(x, y, NUM_FP32_SIGN, flags);
}

/* minimumNumber, maximumNumber of IEEE 754-2019: a NaN yields the other operand, two NaNs the
 * canonical NaN, -0 lies below +0. */
uint32_t num_fp32_min(uint32_t x, uint32_t y, uint32_t *flags);
uint32_t num_fp32_max(uint32_t x, uint32_t y, uint32_t *flags);

/* Comparisons; false when an operand is a NaN. equal is quiet (only signaling NaNs are invalid),
 * the others are signaling. */
bool num_fp32_equal(uint32_t x, uint32_t y, uint32_t *flags);
bool num_fp32_less(uint32_t x, uint32_t y, uint32_t *flags);
bool num_fp32_less_equal(uint32_t x, uint32_t y, uint32_t *flags);

/* One bit of ten, numbered as fclass does: -inf, -normal, -denormal, -0, +0, +denormal, +normal,
 * +inf, signaling NaN, quiet NaN. */
uint32_t num_fp32_classify(uint32_t x);

/* To an integer of `width` bits (8, 16 or 32). What does not fit is invalid and becomes the nearest
 * integer that fits; a NaN becomes the largest. A signed result is sign-extended to 32 bits. */
uint32_t num_fp32_to_int(uint32_t x, unsigned width, enum num_rounding rounding, uint32_t *flags);
uint32_t num_fp32_to_uint(uint32_t x, unsigned width, enum num_rounding rounding, uint32_t *flags);

/* From an integer, to nearest even. */
uint32_t num_fp32_from_int(int32_t value, uint32_t *flags);
uint32_t num_fp32_from_uint(uint32_t value, uint32_t *flags);

#endif
