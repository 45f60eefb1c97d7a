/*
 * Vectors of 32 bytes for the kernels, with AVX2 and FMA. vector_avx512.h has the same names for 64
 * bytes; a file includes one of the two after it has switched to the instructions.
 *
 * + - & | ^ << >> work on whole vectors as they do on their elements. Elements of 16 bits come in
 * pairs that share 32 bits: "even" is the lower one. A mask has all bits of an element set, or
 * none.
 */
#ifndef NUM_VECTOR_AVX2_H
#define NUM_VECTOR_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define VECTOR_INLINE static inline __attribute__((always_inline, unused))

enum {
    VECTOR_WORDS = 8, /* of 32 bits */
    VECTOR_PICKS = 0, /* v_pick is one instruction */
};

typedef uint16_t v_u16 __attribute__((vector_size(32)));
typedef int16_t v_s16 __attribute__((vector_size(32)));
typedef uint32_t v_u32 __attribute__((vector_size(32)));
typedef int32_t v_s32 __attribute__((vector_size(32)));
typedef float v_f32 __attribute__((vector_size(32)));
typedef v_u16 v_mask16;
typedef v_u32 v_mask32;

/* --- Memory --- */

VECTOR_INLINE v_u32 v_load(const void *from)
{
    return (v_u32)_mm256_loadu_si256(from);
}

VECTOR_INLINE void v_store(void *to, v_u32 x)
{
    _mm256_storeu_si256(to, (__m256i)x);
}

/* As many halves of 8 words of 32 bits, `stride` words apart, as a vector has: one. */
VECTOR_INLINE v_u32 v_load_halves(const uint32_t *from, unsigned stride)
{
    (void)stride;
    return v_load(from);
}

VECTOR_INLINE v_u32 v_all32(uint32_t x)
{
    return (v_u32)_mm256_set1_epi32((int)x);
}

VECTOR_INLINE v_u16 v_all16(unsigned x)
{
    return (v_u16)_mm256_set1_epi16((short)x);
}

VECTOR_INLINE v_f32 v_all_f32(float x)
{
    return (v_f32)_mm256_set1_ps(x);
}

/* Even elements from one row of 16 data, odd ones from the next row; the half `part` of both. */
VECTOR_INLINE v_u16 v_load_rows(const uint16_t *rows, unsigned part)
{
    __m128i first = _mm_loadu_si128((const __m128i *)(rows + part * 8));
    __m128i second = _mm_loadu_si128((const __m128i *)(rows + 16 + part * 8));
    return (v_u16)_mm256_set_m128i(_mm_unpackhi_epi16(first, second),
                                   _mm_unpacklo_epi16(first, second));
}

VECTOR_INLINE void v_store_rows(uint16_t *rows, unsigned part, v_u16 x)
{
    const __m256i order =
        _mm256_broadcastsi128_si256(_mm_set_epi32(0x0f0e0b0a, 0x07060302, 0x0d0c0908, 0x05040100));
    __m256i sorted = _mm256_permute4x64_epi64(_mm256_shuffle_epi8((__m256i)x, order), 0xd8);
    _mm_storeu_si128((__m128i *)(rows + part * 8), _mm256_castsi256_si128(sorted));
    _mm_storeu_si128((__m128i *)(rows + 16 + part * 8), _mm256_extracti128_si256(sorted, 1));
}

/* --- Bits --- */

/* Of `x` where `bits` has ones, of `y` elsewhere. */
VECTOR_INLINE v_u32 v_pick(v_u32 bits, v_u32 x, v_u32 y)
{
    return (x & bits) | (y & ~bits);
}

VECTOR_INLINE v_u32 v_pick_from(v_u32 x, v_u32 bits, v_u32 y)
{
    return v_pick(bits, x, y);
}

VECTOR_INLINE v_u16 v_pick16(v_u16 bits, v_u16 x, v_u16 y)
{
    return (x & bits) | (y & ~bits);
}

/* (x & bits) | ones */
VECTOR_INLINE v_u32 v_and_or(v_u32 x, v_u32 bits, v_u32 ones)
{
    return (x & bits) | ones;
}

/* The highest bit of `sign`, all bits of `exponent`, and `field` of `fraction`. */
VECTOR_INLINE v_u32 v_float_bits(v_u32 sign, v_u32 exponent, v_u32 field, v_u32 fraction)
{
    return (sign & v_all32(0x80000000)) | exponent | (fraction & field);
}

VECTOR_INLINE v_u16 v_even_odd(v_u32 even, v_u32 odd)
{
    return (v_u16)_mm256_blend_epi16((__m256i)even, (__m256i)odd, 0xaa);
}

/* Even elements of a vector of 32-bit words at `even`, odd ones from those at `odd`, which become
 * its upper halves. The element before `odd` is read. */
VECTOR_INLINE v_u16 v_load_low_halves(const uint32_t *even, const uint32_t *odd)
{
    return v_even_odd(v_load(even), v_load((const uint16_t *)odd - 1));
}

VECTOR_INLINE v_u16 v_swap(v_u16 x)
{
    const __m256i order =
        _mm256_broadcastsi128_si256(_mm_set_epi32(0x0d0c0f0e, 0x09080b0a, 0x05040706, 0x01000302));
    return (v_u16)_mm256_shuffle_epi8((__m256i)x, order);
}

VECTOR_INLINE v_u16 v_twice_even(v_u16 x)
{
    const __m256i order =
        _mm256_broadcastsi128_si256(_mm_set_epi32(0x0d0c0d0c, 0x09080908, 0x05040504, 0x01000100));
    return (v_u16)_mm256_shuffle_epi8((__m256i)x, order);
}

VECTOR_INLINE v_u16 v_twice_odd(v_u16 x)
{
    const __m256i order =
        _mm256_broadcastsi128_si256(_mm_set_epi32(0x0f0e0f0e, 0x0b0a0b0a, 0x07060706, 0x03020302));
    return (v_u16)_mm256_shuffle_epi8((__m256i)x, order);
}

/* --- Masks --- */

VECTOR_INLINE v_mask16 v_test16(v_u16 x, v_u16 bits)
{
    return ~(v_u16)_mm256_cmpeq_epi16((__m256i)(x & bits), _mm256_setzero_si256());
}

VECTOR_INLINE v_mask16 v_negative16(v_u16 x)
{
    return (v_u16)_mm256_srai_epi16((__m256i)x, 15);
}

VECTOR_INLINE v_mask16 v_less_u16(v_u16 x, v_u16 y)
{
    return ~(v_u16)_mm256_cmpeq_epi16(_mm256_max_epu16((__m256i)x, (__m256i)y), (__m256i)x);
}

VECTOR_INLINE v_mask16 v_greater_s16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm256_cmpgt_epi16((__m256i)x, (__m256i)y);
}

VECTOR_INLINE v_mask16 v_both16(v_mask16 x, v_mask16 y)
{
    return x & y;
}

VECTOR_INLINE int v_any16(v_mask16 mask)
{
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
}

VECTOR_INLINE v_u16 v_keep16(v_mask16 mask, v_u16 x)
{
    return x & mask;
}

VECTOR_INLINE v_u16 v_choose16(v_mask16 mask, v_u16 yes, v_u16 no)
{
    return (v_u16)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)mask);
}

VECTOR_INLINE v_u16 v_negate16(v_mask16 mask, v_u16 x)
{
    return (x ^ mask) - mask;
}

VECTOR_INLINE v_mask32 v_test32(v_u32 x, v_u32 bits)
{
    return ~(v_u32)_mm256_cmpeq_epi32((__m256i)(x & bits), _mm256_setzero_si256());
}

VECTOR_INLINE v_mask32 v_negative32(v_u32 x)
{
    return (v_u32)_mm256_srai_epi32((__m256i)x, 31);
}

VECTOR_INLINE v_mask32 v_greater_s32(v_s32 x, v_s32 y)
{
    return (v_u32)_mm256_cmpgt_epi32((__m256i)x, (__m256i)y);
}

VECTOR_INLINE v_mask32 v_both32(v_mask32 x, v_mask32 y)
{
    return x & y;
}

VECTOR_INLINE v_u32 v_keep32(v_mask32 mask, v_u32 x)
{
    return x & mask;
}

VECTOR_INLINE v_u32 v_choose32(v_mask32 mask, v_u32 yes, v_u32 no)
{
    return (v_u32)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)mask);
}

/* x & bits where x & field is 0, x elsewhere */
VECTOR_INLINE v_u32 v_and_where_none(v_u32 x, v_u32 field, v_u32 bits)
{
    return x & (v_test32(x, field) | bits);
}

/* x << by where x & field is not 0, 0 elsewhere */
VECTOR_INLINE v_u32 v_shift_where_any(v_u32 x, v_u32 field, unsigned by)
{
    return x << by & v_test32(x, field);
}

VECTOR_INLINE v_u32 v_negate32(v_mask32 mask, v_u32 x)
{
    return (x ^ mask) - mask;
}

/* x + y where the mask is set, 0 elsewhere */
VECTOR_INLINE v_u32 v_keep_sum32(v_mask32 mask, v_u32 x, v_u32 y)
{
    return (x + y) & mask;
}

VECTOR_INLINE v_f32 v_keep_difference_f32(v_mask32 mask, v_f32 x, v_f32 y)
{
    return (v_f32)((v_u32)(x - y) & mask);
}

VECTOR_INLINE v_u32 v_increment32(v_mask32 mask, v_u32 x)
{
    return x - mask;
}

/* --- Arithmetic --- */

VECTOR_INLINE v_u16 v_max_s16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm256_max_epi16((__m256i)x, (__m256i)y);
}

VECTOR_INLINE v_u16 v_min_u16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm256_min_epu16((__m256i)x, (__m256i)y);
}

/* x - y, not below 0 */
VECTOR_INLINE v_u16 v_minus_u16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm256_subs_epu16((__m256i)x, (__m256i)y);
}

/* x * y / 2^15 to nearest, ties upward */
VECTOR_INLINE v_u16 v_scale_s16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm256_mulhrs_epi16((__m256i)x, (__m256i)y);
}

/* The upper half of the product */
VECTOR_INLINE v_u16 v_high_u16(v_u16 x, v_u16 y)
{
    return (v_u16)_mm256_mulhi_epu16((__m256i)x, (__m256i)y);
}

/* even * even + odd * odd */
VECTOR_INLINE v_u32 v_pair_products(v_u16 x, v_u16 y)
{
    return (v_u32)_mm256_madd_epi16((__m256i)x, (__m256i)y);
}

/* 2^x for 0 to 15; 0 where x, with its sign, is any other number above -1000 (and below 16). */
VECTOR_INLINE v_u16 v_power16(v_u16 x)
{
    /* A table by bytes: x is the index for the lower, x - 8 for the upper one; 0 below index 0. */
    const __m256i powers =
        _mm256_broadcastsi128_si256(_mm_set_epi32(0, 0, (int)0x80402010, 0x08040201));
    const __m256i low_bytes =
        _mm256_broadcastsi128_si256(_mm_set_epi32(0x0e0e0c0c, 0x0a0a0808, 0x06060404, 0x02020000));
    x = v_max_s16(x, v_all16(0xffc0));
    v_u16 index = (v_u16)_mm256_shuffle_epi8((__m256i)x, low_bytes) - v_all16(0x0800);
    return (v_u16)_mm256_shuffle_epi8(powers, (__m256i)index);
}

VECTOR_INLINE v_s32 v_max_s32(v_s32 x, v_s32 y)
{
    return (v_s32)_mm256_max_epi32((__m256i)x, (__m256i)y);
}

VECTOR_INLINE v_s32 v_min_s32(v_s32 x, v_s32 y)
{
    return (v_s32)_mm256_min_epi32((__m256i)x, (__m256i)y);
}

VECTOR_INLINE v_u32 v_min_u32(v_u32 x, v_u32 y)
{
    return (v_u32)_mm256_min_epu32((__m256i)x, (__m256i)y);
}

VECTOR_INLINE v_u32 v_magnitude32(v_u32 x)
{
    return (v_u32)_mm256_abs_epi32((__m256i)x);
}

/* Shifts by elements; shifting by 32 or more leaves copies of the sign, or 0. */
VECTOR_INLINE v_s32 v_right_s32(v_s32 x, v_s32 by)
{
    return (v_s32)_mm256_srav_epi32((__m256i)x, (__m256i)by);
}

VECTOR_INLINE v_u32 v_right_u32(v_u32 x, v_u32 by)
{
    return (v_u32)_mm256_srlv_epi32((__m256i)x, (__m256i)by);
}

VECTOR_INLINE v_u32 v_left_u32(v_u32 x, v_u32 by)
{
    return (v_u32)_mm256_sllv_epi32((__m256i)x, (__m256i)by);
}

VECTOR_INLINE v_u32 v_low_product32(v_u32 x, v_u32 y)
{
    return (v_u32)_mm256_mullo_epi32((__m256i)x, (__m256i)y);
}

/* x * y + z, rounded once as MXCSR says */
VECTOR_INLINE v_f32 v_fma(v_f32 x, v_f32 y, v_f32 z)
{
    return (v_f32)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
}

VECTOR_INLINE v_f32 v_f32_from_s32(v_u32 x)
{
    return (v_f32)_mm256_cvtepi32_ps((__m256i)x);
}

/* --- For the lanes of the Vector Unit --- */

/* Does MXCSR have what v_nearest_* and conversions need: to nearest, exceptions masked? */
VECTOR_INLINE int v_rounds_to_nearest(void)
{
    return (_mm_getcsr() & 0x7f80) == 0x1f80;
}

/* Elements whose bit of `lanes` is set, and back. */
VECTOR_INLINE v_mask32 v_mask_of_lanes(uint32_t lanes)
{
    const v_u32 bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return (v_u32)_mm256_cmpeq_epi32((__m256i)(v_all32(lanes) & bit), (__m256i)bit);
}

VECTOR_INLINE uint32_t v_lanes_of_mask(v_mask32 mask)
{
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
}

VECTOR_INLINE void v_store_where(void *to, v_mask32 mask, v_u32 x)
{
    v_store(to, v_choose32(mask, x, v_load(to)));
}

VECTOR_INLINE v_mask32 v_equal32(v_u32 x, v_u32 y)
{
    return (v_u32)_mm256_cmpeq_epi32((__m256i)x, (__m256i)y);
}

VECTOR_INLINE v_mask32 v_either32(v_mask32 x, v_mask32 y)
{
    return x | y;
}

VECTOR_INLINE v_mask32 v_not32(v_mask32 x)
{
    return ~x;
}

/* The high words of the products; the low ones to *low. */
VECTOR_INLINE v_u32 v_wide_product32(v_u32 x, v_u32 y, v_u32 *low)
{
    __m256i even = _mm256_mul_epu32((__m256i)x, (__m256i)y);
    __m256i odd =
        _mm256_mul_epu32(_mm256_srli_epi64((__m256i)x, 32), _mm256_srli_epi64((__m256i)y, 32));
    *low = (v_u32)_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    return (v_u32)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

/* x * y, x * y + z, x * y - z, rounded once to nearest even (if v_rounds_to_nearest). */
VECTOR_INLINE v_f32 v_nearest_product(v_f32 x, v_f32 y)
{
    return x * y;
}

VECTOR_INLINE v_f32 v_nearest_fma(v_f32 x, v_f32 y, v_f32 z)
{
    return (v_f32)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
}

VECTOR_INLINE v_f32 v_nearest_fms(v_f32 x, v_f32 y, v_f32 z)
{
    return (v_f32)_mm256_fmsub_ps((__m256)x, (__m256)y, (__m256)z);
}

VECTOR_INLINE v_f32 v_nearest_sum(v_f32 x, v_f32 y)
{
    return x + y;
}

VECTOR_INLINE v_f32 v_nearest_quotient(v_f32 x, v_f32 y)
{
    return x / y;
}

/* The product where the mask is set, `no` elsewhere. */
VECTOR_INLINE v_f32 v_nearest_product_where(v_mask32 mask, v_f32 x, v_f32 y, v_f32 no)
{
    return (v_f32)v_choose32(mask, (v_u32)(x * y), (v_u32)no);
}

VECTOR_INLINE v_f32 v_nearest_f32_from_s32(v_u32 x)
{
    return (v_f32)_mm256_cvtepi32_ps((__m256i)x);
}

VECTOR_INLINE v_u32 v_floor_s32(v_f32 x)
{
    return (v_u32)_mm256_cvttps_epi32(_mm256_floor_ps((__m256)x));
}

VECTOR_INLINE v_u32 v_ceiling_s32(v_f32 x)
{
    return (v_u32)_mm256_cvttps_epi32(_mm256_ceil_ps((__m256)x));
}

/* Of an integer, or cut. */
VECTOR_INLINE v_u32 v_whole_s32(v_f32 x)
{
    return (v_u32)_mm256_cvttps_epi32((__m256)x);
}

#endif
