/*
 * Vectors of 64 bytes for the kernels, with AVX-512 F, BW, VL and DQ. vector_avx2.h has the same
 * names for 32 bytes; a file includes one of the two after it has switched to the instructions.
 *
 * + - & | ^ << >> work on whole vectors as they do on their elements. Elements of 16 bits come in
 * pairs that share 32 bits: "even" is the lower one.
 */
#ifndef NUM_VECTOR_AVX512_H
#define NUM_VECTOR_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#define VECTOR_INLINE static inline __attribute__((always_inline, unused))

enum {
    VECTOR_WORDS = 16, /* of 32 bits */
    VECTOR_PICKS = 1,  /* v_pick is one instruction */
};

typedef uint16_t v_u16 __attribute__((vector_size(64)));
typedef int16_t v_s16 __attribute__((vector_size(64)));
typedef uint32_t v_u32 __attribute__((vector_size(64)));
typedef int32_t v_s32 __attribute__((vector_size(64)));
typedef float v_f32 __attribute__((vector_size(64)));
typedef __mmask32 v_mask16;
typedef __mmask16 v_mask32;

/* --- Memory --- */

VECTOR_INLINE v_u32 v_load(const void *from)
{
    return (v_u32)_mm512_loadu_si512(from);
}

VECTOR_INLINE void v_store(void *to, v_u32 x)
{
    _mm512_storeu_si512(to, (__m512i)x);
}

/* The half of 8 words of 32 bits at `from`, and the half at `from` + `stride` words. */
VECTOR_INLINE v_u32 v_load_halves(const uint32_t *from, unsigned stride)
{
    __m512i low = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)from));
    return (v_u32)_mm512_inserti64x4(low, _mm256_loadu_si256((const __m256i *)(from + stride)), 1);
}

VECTOR_INLINE v_u32 v_all32(uint32_t x)
{
    return (v_u32)_mm512_set1_epi32((int)x);
}

VECTOR_INLINE v_u16 v_all16(unsigned x)
{
    return (v_u16)_mm512_set1_epi16((short)x);
}

VECTOR_INLINE v_f32 v_all_f32(float x)
{
    return (v_f32)_mm512_set1_ps(x);
}

/* Even elements from one row of 16 data, odd ones from the next row, `part` being 0. */
VECTOR_INLINE v_u16 v_load_rows(const uint16_t *rows, unsigned part)
{
    (void)part;
    const __m512i order =
        (__m512i)(v_u16){0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                         8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    return (v_u16)_mm512_permutexvar_epi16(order, _mm512_loadu_si512(rows));
}

VECTOR_INLINE void v_store_rows(uint16_t *rows, unsigned part, v_u16 x)
{
    (void)part;
    const __m512i order =
        (__m512i)(v_u16){0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
                         1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
    _mm512_storeu_si512(rows, _mm512_permutexvar_epi16(order, (__m512i)x));
}

/* --- Bits --- */

/* Of `x` where `bits` has ones, of `y` elsewhere. */
VECTOR_INLINE v_u32 v_pick(v_u32 bits, v_u32 x, v_u32 y)
{
    return (v_u32)_mm512_ternarylogic_epi32((__m512i)bits, (__m512i)x, (__m512i)y, 0xca);
}

/* Picks bits like v_pick, for an x that is not needed afterwards. */
VECTOR_INLINE v_u32 v_pick_from(v_u32 x, v_u32 bits, v_u32 y)
{
    return (v_u32)_mm512_ternarylogic_epi32((__m512i)x, (__m512i)bits, (__m512i)y, 0xe2);
}

VECTOR_INLINE v_u16 v_pick16(v_u16 bits, v_u16 x, v_u16 y)
{
    return (v_u16)v_pick((v_u32)bits, (v_u32)x, (v_u32)y);
}

/* (x & bits) | ones */
VECTOR_INLINE v_u32 v_and_or(v_u32 x, v_u32 bits, v_u32 ones)
{
    return (v_u32)_mm512_ternarylogic_epi32((__m512i)x, (__m512i)bits, (__m512i)ones, 0xea);
}

/* The highest bit of `sign`, `field` of `fraction`, and the other bits of `exponent`. */
VECTOR_INLINE v_u32 v_float_bits(v_u32 sign, v_u32 exponent, v_u32 field, v_u32 fraction)
{
    return v_pick(field, fraction, v_pick(v_all32(0x80000000), sign, exponent));
}

VECTOR_INLINE v_u16 v_even_odd(v_u32 even, v_u32 odd)
{
    return (v_u16)_mm512_mask_blend_epi16(0xaaaaaaaa, (__m512i)even, (__m512i)odd);
}

/* Even elements of a vector of 32-bit words at `even`, odd ones from those at `odd`, which become
 * its upper halves. The element before `odd` is read. */
VECTOR_INLINE v_u16 v_load_low_halves(const uint32_t *even, const uint32_t *odd)
{
    return (v_u16)_mm512_mask_loadu_epi16((__m512i)v_load(even), 0xaaaaaaaa,
                                          (const uint16_t *)odd - 1);
}

VECTOR_INLINE v_u16 v_swap(v_u16 x)
{
    return (v_u16)_mm512_rol_epi32((__m512i)x, 16);
}

VECTOR_INLINE v_u16 v_twice_even(v_u16 x)
{
    const __m512i order = _mm512_set4_epi32(0x0d0c0d0c, 0x09080908, 0x05040504, 0x01000100);
    return (v_u16)_mm512_shuffle_epi8((__m512i)x, order);
}

VECTOR_INLINE v_u16 v_twice_odd(v_u16 x)
{
    const __m512i order = _mm512_set4_epi32(0x0f0e0f0e, 0x0b0a0b0a, 0x07060706, 0x03020302);
    return (v_u16)_mm512_shuffle_epi8((__m512i)x, order);
}

/* --- Masks --- */

VECTOR_INLINE v_mask16 v_test16(v_u16 x, v_u16 bits)
{
    return _mm512_test_epi16_mask((__m512i)x, (__m512i)bits);
}

VECTOR_INLINE v_mask16 v_negative16(v_u16 x)
{
    return _mm512_movepi16_mask((__m512i)x);
}

VECTOR_INLINE v_mask16 v_less_u16(v_u16 x, v_u16 y)
{
    return _mm512_cmplt_epu16_mask((__m512i)x, (__m512i)y);
}

VECTOR_INLINE v_mask16 v_greater_s16(v_u16 x, v_u16 y)
{
    return _mm512_cmpgt_epi16_mask((__m512i)x, (__m512i)y);
}

VECTOR_INLINE v_mask16 v_both16(v_mask16 x, v_mask16 y)
{
    return x & y;
}

VECTOR_INLINE int v_any16(v_mask16 mask)
{
    return mask != 0;
}

VECTOR_INLINE v_u16 v_keep16(v_mask16 mask, v_u16 x)
{
    return (v_u16)_mm512_maskz_mov_epi16(mask, (__m512i)x);
}

VECTOR_INLINE v_u16 v_choose16(v_mask16 mask, v_u16 yes, v_u16 no)
{
    return (v_u16)_mm512_mask_mov_epi16((__m512i)no, mask, (__m512i)yes);
}

VECTOR_INLINE v_u16 v_negate16(v_mask16 mask, v_u16 x)
{
    return (v_u16)_mm512_mask_sub_epi16((__m512i)x, mask, _mm512_setzero_si512(), (__m512i)x);
}

VECTOR_INLINE v_mask32 v_test32(v_u32 x, v_u32 bits)
{
    return _mm512_test_epi32_mask((__m512i)x, (__m512i)bits);
}

VECTOR_INLINE v_mask32 v_negative32(v_u32 x)
{
    return _mm512_movepi32_mask((__m512i)x);
}

VECTOR_INLINE v_mask32 v_greater_s32(v_s32 x, v_s32 y)
{
    return _mm512_cmpgt_epi32_mask((__m512i)x, (__m512i)y);
}

VECTOR_INLINE v_mask32 v_both32(v_mask32 x, v_mask32 y)
{
    return (v_mask32)(x & y);
}

VECTOR_INLINE v_u32 v_keep32(v_mask32 mask, v_u32 x)
{
    return (v_u32)_mm512_maskz_mov_epi32(mask, (__m512i)x);
}

VECTOR_INLINE v_u32 v_choose32(v_mask32 mask, v_u32 yes, v_u32 no)
{
    return (v_u32)_mm512_mask_mov_epi32((__m512i)no, mask, (__m512i)yes);
}

/* x & bits where x & field is 0, x elsewhere */
VECTOR_INLINE v_u32 v_and_where_none(v_u32 x, v_u32 field, v_u32 bits)
{
    __mmask16 none = _mm512_testn_epi32_mask((__m512i)x, (__m512i)field);
    return (v_u32)_mm512_mask_and_epi32((__m512i)x, none, (__m512i)x, (__m512i)bits);
}

/* x << by where x & field is not 0, 0 elsewhere */
VECTOR_INLINE v_u32 v_shift_where_any(v_u32 x, v_u32 field, unsigned by)
{
    __mmask16 any = _mm512_test_epi32_mask((__m512i)x, (__m512i)field);
    return (v_u32)_mm512_maskz_slli_epi32(any, (__m512i)x, by);
}

VECTOR_INLINE v_u32 v_negate32(v_mask32 mask, v_u32 x)
{
    return (v_u32)_mm512_mask_sub_epi32((__m512i)x, mask, _mm512_setzero_si512(), (__m512i)x);
}

/* x + y where the mask is set, 0 elsewhere */
VECTOR_INLINE v_u32 v_keep_sum32(v_mask32 mask, v_u32 x, v_u32 y)
{
    return (v_u32)_mm512_maskz_add_epi32(mask, (__m512i)x, (__m512i)y);
}

VECTOR_INLINE v_f32 v_keep_difference_f32(v_mask32 mask, v_f32 x, v_f32 y)
{
    return (v_f32)_mm512_maskz_sub_ps(mask, (__m512)x, (__m512)y);
}

VECTOR_INLINE v_u32 v_increment32(v_mask32 mask, v_u32 x)
{
    return (v_u32)_mm512_mask_add_epi32((__m512i)x, mask, (__m512i)x, _mm512_set1_epi32(1));
}

/* --- Arithmetic --- */

VECTOR_INLINE v_u16 v_max_s16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm512_max_epi16((__m512i)x, (__m512i)y);
}

VECTOR_INLINE v_u16 v_min_u16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm512_min_epu16((__m512i)x, (__m512i)y);
}

/* x - y, not below 0 */
VECTOR_INLINE v_u16 v_minus_u16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm512_subs_epu16((__m512i)x, (__m512i)y);
}

/* x * y / 2^15 to nearest, ties upward */
VECTOR_INLINE v_u16 v_scale_s16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm512_mulhrs_epi16((__m512i)x, (__m512i)y);
}

/* The upper half of the product */
VECTOR_INLINE v_u16 v_high_u16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm512_mulhi_epu16((__m512i)x, (__m512i)y);
}

/* even * even + odd * odd */
VECTOR_INLINE v_u32 v_pair_products(v_u16 x, v_u16 y)
{
    return (v_u32)_mm512_madd_epi16((__m512i)x, (__m512i)y);
}

/* 2^x for 0 to 15; 0 where x, with its sign, is any other number above -1000. */
VECTOR_INLINE v_u16 v_power16(v_u16 x)
{
    return (v_u16)_mm512_sllv_epi16(_mm512_set1_epi16(1), (__m512i)x);
}

VECTOR_INLINE v_s32 v_max_s32(v_s32 x, v_s32 y)
{
    return (v_s32)_mm512_max_epi32((__m512i)x, (__m512i)y);
}

VECTOR_INLINE v_s32 v_min_s32(v_s32 x, v_s32 y)
{
    return (v_s32)_mm512_min_epi32((__m512i)x, (__m512i)y);
}

VECTOR_INLINE v_u32 v_min_u32(v_u32 x, v_u32 y)
{
    return (v_u32)_mm512_min_epu32((__m512i)x, (__m512i)y);
}

VECTOR_INLINE v_u32 v_magnitude32(v_u32 x)
{
    return (v_u32)_mm512_abs_epi32((__m512i)x);
}

/* Shifts by elements; shifting by 32 or more leaves copies of the sign, or 0. */
VECTOR_INLINE v_s32 v_right_s32(v_s32 x, v_s32 by)
{
    return (v_s32)_mm512_srav_epi32((__m512i)x, (__m512i)by);
}

VECTOR_INLINE v_u32 v_right_u32(v_u32 x, v_u32 by)
{
    return (v_u32)_mm512_srlv_epi32((__m512i)x, (__m512i)by);
}

VECTOR_INLINE v_u32 v_left_u32(v_u32 x, v_u32 by)
{
    return (v_u32)_mm512_sllv_epi32((__m512i)x, (__m512i)by);
}

VECTOR_INLINE v_u32 v_low_product32(v_u32 x, v_u32 y)
{
    return (v_u32)_mm512_mullo_epi32((__m512i)x, (__m512i)y);
}

/* x * y + z, rounded once as MXCSR says */
VECTOR_INLINE v_f32 v_fma(v_f32 x, v_f32 y, v_f32 z)
{
    return (v_f32)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
}

VECTOR_INLINE v_f32 v_f32_from_s32(v_u32 x)
{
    return (v_f32)_mm512_cvtepi32_ps((__m512i)x);
}

/* --- For the lanes of the Vector Unit --- */

/* How v_nearest_* and conversions round does not depend on MXCSR, and they raise no exceptions. */
enum {
    VECTOR_NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC,
    VECTOR_DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC,
    VECTOR_UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC,
};

VECTOR_INLINE int v_rounds_to_nearest(void)
{
    return 1;
}

/* Elements whose bit of `lanes` is set, and back. */
VECTOR_INLINE v_mask32 v_mask_of_lanes(uint32_t lanes)
{
    return (v_mask32)lanes;
}

VECTOR_INLINE uint32_t v_lanes_of_mask(v_mask32 mask)
{
    return mask;
}

VECTOR_INLINE void v_store_where(void *to, v_mask32 mask, v_u32 x)
{
    /* Not a masked store: loads that follow would wait until it has left the store buffer. */
    _mm512_storeu_si512(to, _mm512_mask_mov_epi32(_mm512_loadu_si512(to), mask, (__m512i)x));
}

VECTOR_INLINE v_mask32 v_equal32(v_u32 x, v_u32 y)
{
    return _mm512_cmpeq_epi32_mask((__m512i)x, (__m512i)y);
}

VECTOR_INLINE v_mask32 v_either32(v_mask32 x, v_mask32 y)
{
    return (v_mask32)(x | y);
}

VECTOR_INLINE v_mask32 v_not32(v_mask32 x)
{
    return (v_mask32)~x;
}

/* The high words of the products; the low ones to *low. */
VECTOR_INLINE v_u32 v_wide_product32(v_u32 x, v_u32 y, v_u32 *low)
{
    __m512i even = _mm512_mul_epu32((__m512i)x, (__m512i)y);
    __m512i odd =
        _mm512_mul_epu32(_mm512_srli_epi64((__m512i)x, 32), _mm512_srli_epi64((__m512i)y, 32));
    *low = (v_u32)_mm512_mask_mov_epi32(even, 0xaaaa, _mm512_slli_epi64(odd, 32));
    return (v_u32)_mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xaaaa, odd);
}

/* x * y, x * y + z, x * y - z, rounded once to nearest even. */
VECTOR_INLINE v_f32 v_nearest_product(v_f32 x, v_f32 y)
{
    return (v_f32)_mm512_mul_round_ps((__m512)x, (__m512)y, VECTOR_NEAREST);
}

VECTOR_INLINE v_f32 v_nearest_fma(v_f32 x, v_f32 y, v_f32 z)
{
    return (v_f32)_mm512_fmadd_round_ps((__m512)x, (__m512)y, (__m512)z, VECTOR_NEAREST);
}

VECTOR_INLINE v_f32 v_nearest_fms(v_f32 x, v_f32 y, v_f32 z)
{
    return (v_f32)_mm512_fmsub_round_ps((__m512)x, (__m512)y, (__m512)z, VECTOR_NEAREST);
}

VECTOR_INLINE v_f32 v_nearest_sum(v_f32 x, v_f32 y)
{
    return (v_f32)_mm512_add_round_ps((__m512)x, (__m512)y, VECTOR_NEAREST);
}

VECTOR_INLINE v_f32 v_nearest_quotient(v_f32 x, v_f32 y)
{
    return (v_f32)_mm512_div_round_ps((__m512)x, (__m512)y, VECTOR_NEAREST);
}

/* The product where the mask is set, `no` elsewhere. */
VECTOR_INLINE v_f32 v_nearest_product_where(v_mask32 mask, v_f32 x, v_f32 y, v_f32 no)
{
    return (v_f32)_mm512_mask_mul_round_ps((__m512)no, mask, (__m512)x, (__m512)y, VECTOR_NEAREST);
}

VECTOR_INLINE v_f32 v_nearest_f32_from_s32(v_u32 x)
{
    return (v_f32)_mm512_cvt_roundepi32_ps((__m512i)x, VECTOR_NEAREST);
}

VECTOR_INLINE v_u32 v_floor_s32(v_f32 x)
{
    return (v_u32)_mm512_cvt_roundps_epi32((__m512)x, VECTOR_DOWN);
}

VECTOR_INLINE v_u32 v_ceiling_s32(v_f32 x)
{
    return (v_u32)_mm512_cvt_roundps_epi32((__m512)x, VECTOR_UP);
}

/* Of an integer, or cut. */
VECTOR_INLINE v_u32 v_whole_s32(v_f32 x)
{
    return (v_u32)_mm512_cvtt_roundps_epi32((__m512)x, _MM_FROUND_NO_EXC);
}

#endif
