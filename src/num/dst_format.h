/*
 * The bit order of data in Dst. A datum is stored with its exponent below its fraction: sign,
 * fraction, exponent from the top of 16 bits down. Of 32 bits the upper 16 are ordered like BF16
 * and the lower 16 are the low end of the fraction or magnitude. Integers are stored as sign and
 * magnitude, never in two's complement.
 *
 *   BF16        bit 15 sign, 14..8 fraction, 7..0 exponent
 *   FP16        bit 15 sign, 14..5 fraction, 4..0 exponent
 *   INT8        bit 15 sign, 14..5 magnitude (10 bits), 4..0: 16, or 0 where the magnitude is 0
 *   INT16       bit 15 sign, 14..0 magnitude; or any 16 bits
 *   FP32, TF32  bit 31 sign, 30..24 high fraction, 23..16 exponent, 15..0 low fraction
 *   INT32       the same as if its sign and magnitude were the pattern of an FP32
 *
 * Here are the integers of Dst; the floating-point formats are in tensix_format.h:
 * num_dst_from_bf16 takes the ordinary pattern and returns what is stored, num_bf16_from_dst is the
 * way back, and so on. Pure functions on bit patterns.
 *
 * SPEC: BlackholeA0 Dst.
 */
#ifndef NUM_DST_FORMAT_H
#define NUM_DST_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "num/tensix_format.h"

enum {
    NUM_INT8_EXPONENT = 16,    /* with which INT8 lies over FP16 */
    NUM_INT8_MAGNITUDE = 0x3ff /* the largest in Dst, SrcA and SrcB */
};

/* --- Sign and magnitude --- */

/* The integer's magnitude with the sign in bit 31. INT32_MIN, which has none, becomes the most
 * negative that there is. */
static inline uint32_t num_int32_clamp_to_sign_magnitude(int32_t value)
{
    if (value >= 0) {
        return (uint32_t)value;
    }
    uint32_t magnitude = 0 - (uint32_t)value;
    return UINT32_C(0x80000000) | (magnitude - (magnitude >> 31));
}

/* Sign and magnitude with the sign in bit 15; -0 reads as 0. */
static inline uint16_t num_int16_clamp_to_sign_magnitude(int16_t value)
{
    if (value >= 0) {
        return (uint16_t)value;
    }
    int magnitude = value == INT16_MIN ? INT16_MAX : -value;
    return (uint16_t)(0x8000 | magnitude);
}

static inline int16_t num_int16_from_sign_magnitude(uint16_t x)
{
    int magnitude = x & 0x7fff;
    return (int16_t)(x >> 15 ? -magnitude : magnitude);
}

/* --- As stored --- */

/* Keeps the low 10 bits of the magnitude. Minus zero is possible. */
static inline uint16_t num_dst_from_int8(bool negative, uint32_t magnitude)
{
    magnitude &= NUM_INT8_MAGNITUDE;
    return (uint16_t)((uint32_t)negative << 15 | magnitude << 5 |
                      (magnitude ? NUM_INT8_EXPONENT : 0));
}

/* Whatever the five lowest bits are; SFPLOAD does not look at them either. */
static inline int32_t num_int8_from_dst(uint16_t stored)
{
    int32_t magnitude = stored >> 5 & NUM_INT8_MAGNITUDE;
    return stored >> 15 ? -magnitude : magnitude;
}

/* INT16 is stored as it is: num_int16_clamp_to_sign_magnitude, or nothing at all. */

/* INT32_MIN becomes the most negative that there is. */
static inline uint32_t num_dst_from_int32(int32_t value)
{
    return num_dst_from_fp32(num_int32_clamp_to_sign_magnitude(value));
}

static inline int32_t num_int32_from_dst(uint32_t stored)
{
    return num_int32_from_sign_magnitude(num_fp32_from_dst(stored));
}

#endif
