/*
 * The bit order of data in SrcA and SrcB: 19 bits, stored with the exponent below the fraction, and
 * how they get from Dst to Src and back.
 *
 *   TF32   bit 18 sign, 17..8 fraction, 7..0 exponent
 *   BF16   as TF32 whose three lowest bits of the fraction (10..8) are 0
 *   FP16   bit 18 sign, 17..8 fraction, 7..5 zero, 4..0 exponent
 *   INT8   bit 18 sign, 17..8 magnitude, 7..5 zero, 4..0: 16, or 0 where the magnitude is 0
 *   INT16  bit 18 sign, 17..11 high magnitude, 10..8 zero, 7..0 low magnitude; or any 16 bits
 *
 * Pure functions on bit patterns, named as in dst_format.h; what unpackers need is in
 * tensix_format.h, the rest here.
 *
 * SPEC: WormholeB0 SrcASrcB, UNPACR_Regular, MOVA2D, MOVD2A.
 */
#ifndef NUM_SRC_FORMAT_H
#define NUM_SRC_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "num/dst_format.h"
#include "num/tensix_format.h"

enum {
    NUM_SRC_BITS = 0x7ffff,
    /* Minus infinity as the Matrix Unit sees it (SPEC: ZEROSRC). */
    NUM_SRC_MINUS_INFINITY = NUM_SRC_BITS,
    /* 1 in each format. GUESS: no page writes it out; this is what unpackers make of a 1. */
    NUM_SRC_ONE_FP16 = 15,
    NUM_SRC_ONE_BF16 = 127, /* and TF32 */
    NUM_SRC_ONE_INT8 = 1 << 8 | NUM_INT8_EXPONENT,
};

/* --- Between Src and ordinary patterns --- */

/* Truncates to TF32. */
static inline uint32_t num_src_from_fp32(uint32_t x)
{
    return num_src_from_tf32(x >> 13);
}

static inline uint32_t num_fp32_from_src(uint32_t stored)
{
    return num_tf32_from_src(stored) << 13;
}

/* Of what is TF32, drops the end of the fraction. */
static inline uint16_t num_bf16_from_src(uint32_t stored)
{
    return (uint16_t)(num_tf32_from_src(stored) >> 3);
}

/* Of what is not FP16, drops the top of the exponent. */
static inline uint16_t num_fp16_from_src(uint32_t stored)
{
    return (uint16_t)((stored >> 3 & 0x8000) | (stored & 0x1f) << 10 | (stored >> 8 & 0x3ff));
}

/* Keeps the low 10 bits of the magnitude. Minus zero is possible. */
static inline uint32_t num_src_from_int8(bool negative, uint32_t magnitude)
{
    magnitude &= NUM_INT8_MAGNITUDE;
    return (uint32_t)negative << 18 | magnitude << 8 | (magnitude ? NUM_INT8_EXPONENT : 0);
}

/* Whatever the eight lowest bits are: callers check first if exponent 0 means zero for them. */
static inline int32_t num_int8_from_src(uint32_t stored)
{
    int32_t magnitude = (int32_t)(stored >> 8 & NUM_INT8_MAGNITUDE);
    return stored >> 18 & 1 ? -magnitude : magnitude;
}

static inline uint16_t num_int16_from_src(uint32_t stored)
{
    return (uint16_t)((stored >> 3 & 0xff00) | (stored & 0x00ff));
}

/* --- Between Src and Dst --- */

/* BF16, also INT16 and anything else that shares its exponent's width. */
static inline uint32_t num_src_from_dst_bf16(uint16_t stored)
{
    return num_src_from_int16(stored);
}

/* FP16 and INT8. */
static inline uint32_t num_src_from_dst_fp16(uint16_t stored)
{
    return (stored & UINT32_C(0xffe0)) << 3 | (stored & UINT32_C(0x001f));
}

/* FP32 or TF32 of Dst32b, truncated to TF32. */
static inline uint32_t num_src_from_dst_fp32(uint32_t stored)
{
    return (stored >> 13 & 0x7f800) | (stored >> 5 & 0x00700) | (stored >> 16 & 0x000ff);
}

/* Drops bits 10..8, which TF32 has and BF16 has not. */
static inline uint16_t num_dst_bf16_from_src(uint32_t stored)
{
    return num_int16_from_src(stored);
}

/* Drops bits 7..5. */
static inline uint16_t num_dst_fp16_from_src(uint32_t stored)
{
    return (uint16_t)((stored >> 3 & 0xffe0) | (stored & 0x001f));
}

/* TF32 as Dst32b has it. */
static inline uint32_t num_dst_fp32_from_src(uint32_t stored)
{
    return (stored & 0x7f800) << 13 | (stored & 0x00700) << 5 | (stored & 0x000ff) << 16;
}

#endif
