/*
 * Unpackers and packer with AVX2: the vector operations that the .inc files are written in, here
 * with 8 words or 16 halves a vector. See kernels_convert.inc.
 */
#include "num/kernel_sets.h"

#if NUM_HAS_X86_KERNELS

#include <immintrin.h>
#include <string.h>

#include "num/fp32.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define INLINE    static inline __attribute__((always_inline))
#define SET(name) name##_avx2

enum { VECTOR_WORDS = 8, VECTOR_HALVES = 16 };

typedef uint32_t words __attribute__((vector_size(32)));
typedef int32_t signed_words __attribute__((vector_size(32)));
typedef uint16_t halves __attribute__((vector_size(32)));

/* --- Memory --- */

INLINE words load_words(const void *p)
{
    return (words)_mm256_loadu_si256((const __m256i *)p);
}

INLINE void store_words(void *p, words x)
{
    _mm256_storeu_si256((__m256i *)p, (__m256i)x);
}

INLINE halves load_halves(const void *p)
{
    return (halves)load_words(p);
}

INLINE void store_halves(void *p, halves x)
{
    store_words(p, (words)x);
}

INLINE words load_words_of_halves(const void *p)
{
    return (words)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
}

INLINE words load_words_of_bytes(const void *p)
{
    return (words)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
}

INLINE words load_words_of_signed_bytes(const void *p)
{
    return (words)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p));
}

/* Data of 4 or 2 bits in the lowest bits of words that have others above. */
INLINE words load_words_of_nibbles(const uint8_t *p)
{
    int32_t all;
    memcpy(&all, p, sizeof(all));
    const __m256i down = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    return (words)_mm256_srlv_epi32(_mm256_set1_epi32(all), down);
}

INLINE words load_words_of_pairs(const uint8_t *p)
{
    uint16_t all;
    memcpy(&all, p, sizeof(all));
    const __m256i down = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
    return (words)_mm256_srlv_epi32(_mm256_set1_epi32(all), down);
}

/* --- Words --- */

INLINE words every_word(uint32_t x)
{
    return (words)_mm256_set1_epi32((int)x);
}

INLINE words words_count(void)
{
    return (words)_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}

/* Of eight, or of eight and eight, the entry that the lowest bits of an index say. */
INLINE words look_up_8(words table, words index)
{
    return (words)_mm256_permutevar8x32_epi32((__m256i)table, (__m256i)index);
}

INLINE words look_up_16(words first, words second, words index)
{
    words lower = look_up_8(first, index), upper = look_up_8(second, index);
    return (words)_mm256_blendv_ps((__m256)lower, (__m256)upper, (__m256)(index << 28));
}

INLINE words words_min(words x, words y)
{
    return (words)_mm256_min_epi32((__m256i)x, (__m256i)y);
}

INLINE words words_max(words x, words y)
{
    return (words)_mm256_max_epi32((__m256i)x, (__m256i)y);
}

INLINE words words_min_unsigned(words x, words y)
{
    return (words)_mm256_min_epu32((__m256i)x, (__m256i)y);
}

/* test ? x : y */
INLINE words words_where(words test, words x, words y)
{
    __m256i is_zero = _mm256_cmpeq_epi32((__m256i)test, _mm256_setzero_si256());
    return (words)_mm256_blendv_epi8((__m256i)x, (__m256i)y, is_zero);
}

/* test ? x : y & mask */
INLINE words words_where_else(words test, words x, words y, words mask)
{
    return words_where(test, x, y & mask);
}

/* test ? x : 0 */
INLINE words words_kept(words x, words test)
{
    __m256i is_zero = _mm256_cmpeq_epi32((__m256i)test, _mm256_setzero_si256());
    return (words)_mm256_andnot_si256(is_zero, (__m256i)x);
}

/* r | (x & mask) */
INLINE words words_or_masked(words r, words x, words mask)
{
    return r | (x & mask);
}

/* Is any word, each below 2^31, above the limit? */
INLINE bool words_any_above(words x, int32_t limit)
{
    return !!_mm256_movemask_epi8(_mm256_cmpgt_epi32((__m256i)x, _mm256_set1_epi32(limit)));
}

/* Of integers below 2^24, which FP32 holds exactly whatever the rounding mode. */
INLINE words words_to_float(words x)
{
    return (words)_mm256_cvtepi32_ps((__m256i)x);
}

INLINE words words_add_float(words x, words y)
{
    return (words)_mm256_add_ps((__m256)x, (__m256)y);
}

/* test ? x : the sign of x */
INLINE words words_kept_or_sign(words x, words test)
{
    __m256i is_zero = _mm256_cmpeq_epi32((__m256i)test, _mm256_setzero_si256());
    return (words)_mm256_andnot_si256(_mm256_srli_epi32(is_zero, 1), (__m256i)x);
}

/* x, or y where x is a NaN. */
INLINE words words_where_number(words x, words y)
{
    __m256 is_nan = _mm256_cmp_ps((__m256)x, (__m256)x, _CMP_UNORD_Q);
    return (words)_mm256_blendv_ps((__m256)x, (__m256)y, is_nan);
}

/* --- Halves --- */

INLINE halves every_half(uint16_t x)
{
    return (halves)_mm256_set1_epi16((short)x);
}

INLINE halves halves_min(halves x, halves y)
{
    return (halves)_mm256_min_epu16((__m256i)x, (__m256i)y);
}

/* x - y, or 0 if that is negative. */
INLINE halves halves_less(halves x, halves y)
{
    return (halves)_mm256_subs_epu16((__m256i)x, (__m256i)y);
}

/* test ? x : 0 */
INLINE halves halves_kept(halves x, halves test)
{
    __m256i is_zero = _mm256_cmpeq_epi16((__m256i)test, _mm256_setzero_si256());
    return (halves)_mm256_andnot_si256(is_zero, (__m256i)x);
}

/* r | (x & mask) */
INLINE halves halves_or_masked(halves r, halves x, halves mask)
{
    return r | (x & mask);
}

/* (x + 2^by) >> (by + 1), for x and by below 256: a rounding product with 2^(7 - by), whose table
 * has zeros above 7. A saturated index has its highest bit set, which gives zero too. */
INLINE halves halves_rounded_down(halves x, halves by)
{
    const __m256i powers = _mm256_broadcastsi128_si256(
        _mm_setr_epi8((char)128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0));
    __m256i index = _mm256_adds_epu8((__m256i)by, _mm256_set1_epi16((short)0x8070));
    __m256i power = _mm256_shuffle_epi8(powers, index);
    return (halves)_mm256_mulhrs_epi16((__m256i)(x << 7), power);
}

/* The least of each row, in all of its elements; at most 255. */
INLINE halves halves_row_min(halves x)
{
    __m256i all = (__m256i)x;
    __m128i least = _mm_min_epu16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    return (halves)_mm256_broadcastw_epi16(_mm_minpos_epu16(least));
}

/* --- Between words and halves: a vector of halves is two of words, of which the first has the
 * lower four elements of each eight --- */

INLINE words lower_words(halves low, halves high)
{
    return (words)_mm256_unpacklo_epi16((__m256i)low, (__m256i)high);
}

INLINE words upper_words(halves low, halves high)
{
    return (words)_mm256_unpackhi_epi16((__m256i)low, (__m256i)high);
}

/* All are below 65536. GCC 12 takes the first half of such a result, where only that is used, for
 * the whole of `lower`, so it must not see what this is. */
INLINE halves join_words(words lower, words upper)
{
    __m256i joined = _mm256_packus_epi32((__m256i)lower, (__m256i)upper);
    __asm__("" : "+x"(joined));
    return (halves)joined;
}

INLINE void store_joined(void *p, words lower, words upper)
{
    __m256i *at = (__m256i *)p;
    _mm256_storeu_si256(at, _mm256_permute2x128_si256((__m256i)lower, (__m256i)upper, 0x20));
    _mm256_storeu_si256(at + 1, _mm256_permute2x128_si256((__m256i)lower, (__m256i)upper, 0x31));
}

/* --- Narrow data to memory --- */

/* A half of each word, all below 65536. */
INLINE void store_halves_of_words(void *p, words x)
{
    __m256i joined = _mm256_packus_epi32((__m256i)x, (__m256i)x);
    __m256i ordered = _mm256_permute4x64_epi64(joined, 0x08);
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(ordered));
}

/* A byte of each half, all below 256. */
INLINE void store_bytes(uint8_t *p, halves x)
{
    __m256i bytes = _mm256_packus_epi16((__m256i)x, (__m256i)x);
    __m256i ordered = _mm256_permute4x64_epi64(bytes, 0x08);
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(ordered));
}

/* Each half has 4 bits: two make a byte. */
INLINE void store_nibbles(uint8_t *p, halves x)
{
    words pairs = (words)x;
    pairs |= pairs >> 12;
    const __m256i lowest = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
    __m256i bytes = _mm256_shuffle_epi8((__m256i)pairs, lowest);
    __m128i row =
        _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    _mm_storel_epi64((__m128i *)p, row);
}

/* Each half has 2 bits: four make a byte. */
INLINE void store_pairs(uint8_t *p, halves x)
{
    words pairs = (words)x;
    pairs |= pairs >> 14;
    __m256i quads = _mm256_or_si256((__m256i)pairs, _mm256_srli_epi64((__m256i)pairs, 28));
    const __m256i lowest = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
    __m256i bytes = _mm256_shuffle_epi8(quads, lowest);
    __m128i row =
        _mm_unpacklo_epi16(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    int32_t word = _mm_cvtsi128_si32(row);
    memcpy(p, &word, sizeof(word));
}

/* The lowest byte of each row. */
INLINE void store_row_bytes(uint8_t *p, halves x)
{
    *p = (uint8_t)_mm_cvtsi128_si32(_mm256_castsi256_si128((__m256i)x));
}

/* --- The host's rounding mode --- */

enum { MXCSR_FLAGS = 0x3f };

/* Sets the mode if it is another, which takes long, and returns the old one. Memory is clobbered so
 * that additions, which take their operands from memory and leave their sums there, stay between
 * two calls. Exception flags may remain raised; nobody here looks at them. */
INLINE uint32_t set_rounding(uint32_t mode)
{
    uint32_t old;
    __asm__ volatile("stmxcsr %0" : "=m"(old) : : "memory");
    if ((old ^ mode) & ~(uint32_t)MXCSR_FLAGS) {
        __asm__ volatile("ldmxcsr %0" : : "m"(mode) : "memory");
    }
    return old;
}

#include "num/kernels_convert.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
