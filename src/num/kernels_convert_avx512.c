/*
 * Unpackers and packer with AVX-512 (F, BW, DQ, VL): the vector operations that the .inc files are
 * written in, here with 16 words or 32 halves a vector. See kernels_convert.inc.
 */
#include "num/kernel_sets.h"

#if NUM_HAS_X86_KERNELS

#include <immintrin.h>
#include <string.h>

#include "num/fp32.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))),        \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")
#endif

#define INLINE    static inline __attribute__((always_inline))
#define SET(name) name##_avx512

enum { VECTOR_WORDS = 16, VECTOR_HALVES = 32 };

typedef uint32_t words __attribute__((vector_size(64)));
typedef int32_t signed_words __attribute__((vector_size(64)));
typedef uint16_t halves __attribute__((vector_size(64)));

/* --- Memory --- */

/* Only once: compilers would rather load again for every use, and as a rule such a load crosses
 * two cache lines. */
INLINE words load_words(const void *p)
{
    words x = (words)_mm512_loadu_si512(p);
    __asm__("" : "+v"(x));
    return x;
}

INLINE void store_words(void *p, words x)
{
    _mm512_storeu_si512(p, (__m512i)x);
}

INLINE halves load_halves(const void *p)
{
    return (halves)_mm512_loadu_si512(p);
}

INLINE void store_halves(void *p, halves x)
{
    _mm512_storeu_si512(p, (__m512i)x);
}

INLINE words load_words_of_halves(const void *p)
{
    return (words)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}

INLINE words load_words_of_bytes(const void *p)
{
    return (words)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
}

INLINE words load_words_of_signed_bytes(const void *p)
{
    return (words)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
}

/* Data of 4 or 2 bits in the lowest bits of words that have others above. */
INLINE words load_words_of_nibbles(const uint8_t *p)
{
    int32_t lower, upper;
    memcpy(&lower, p, sizeof(lower));
    memcpy(&upper, p + sizeof(lower), sizeof(upper));
    __m512i all = _mm512_mask_set1_epi32(_mm512_set1_epi32(lower), 0xff00, upper);
    const __m512i down =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    return (words)_mm512_srlv_epi32(all, down);
}

INLINE words load_words_of_pairs(const uint8_t *p)
{
    int32_t all;
    memcpy(&all, p, sizeof(all));
    const __m512i down =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return (words)_mm512_srlv_epi32(_mm512_set1_epi32(all), down);
}

/* --- Words --- */

INLINE words every_word(uint32_t x)
{
    return (words)_mm512_set1_epi32((int)x);
}

INLINE words words_count(void)
{
    return (words)_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* The entry that the lowest bits of an index say; `first` has all 16, `second` is of narrower sets.
 * A table of eight repeats itself. */
INLINE words look_up_8(words table, words index)
{
    return (words)_mm512_permutexvar_epi32((__m512i)index, (__m512i)table);
}

INLINE words look_up_16(words first, words second, words index)
{
    (void)second;
    return look_up_8(first, index);
}

INLINE words words_min(words x, words y)
{
    return (words)_mm512_min_epi32((__m512i)x, (__m512i)y);
}

INLINE words words_max(words x, words y)
{
    return (words)_mm512_max_epi32((__m512i)x, (__m512i)y);
}

INLINE words words_min_unsigned(words x, words y)
{
    return (words)_mm512_min_epu32((__m512i)x, (__m512i)y);
}

/* test ? x : y */
INLINE words words_where(words test, words x, words y)
{
    __mmask16 kept = _mm512_test_epi32_mask((__m512i)test, (__m512i)test);
    return (words)_mm512_mask_mov_epi32((__m512i)y, kept, (__m512i)x);
}

/* test ? x : y & mask */
INLINE words words_where_else(words test, words x, words y, words mask)
{
    __mmask16 other = _mm512_testn_epi32_mask((__m512i)test, (__m512i)test);
    return (words)_mm512_mask_and_epi32((__m512i)x, other, (__m512i)y, (__m512i)mask);
}

/* test ? x : 0 */
INLINE words words_kept(words x, words test)
{
    __mmask16 kept = _mm512_test_epi32_mask((__m512i)test, (__m512i)test);
    return (words)_mm512_maskz_mov_epi32(kept, (__m512i)x);
}

/* r | (x & mask) */
INLINE words words_or_masked(words r, words x, words mask)
{
    return (words)_mm512_ternarylogic_epi32((__m512i)r, (__m512i)x, (__m512i)mask, 0xf8);
}

/* Is any word, each below 2^31, above the limit? */
INLINE bool words_any_above(words x, int32_t limit)
{
    return _mm512_cmpgt_epi32_mask((__m512i)x, _mm512_set1_epi32(limit)) != 0;
}

/* Of integers below 2^24, which FP32 holds exactly whatever the rounding mode. */
INLINE words words_to_float(words x)
{
    return (words)_mm512_cvtepi32_ps((__m512i)x);
}

INLINE words words_add_float(words x, words y)
{
    return (words)_mm512_add_round_ps((__m512)x, (__m512)y,
                                      _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* test ? x : the sign of x */
INLINE words words_kept_or_sign(words x, words test)
{
    __mmask16 other = _mm512_testn_epi32_mask((__m512i)test, (__m512i)test);
    return (words)_mm512_mask_and_epi32((__m512i)x, other, (__m512i)x,
                                        _mm512_set1_epi32(INT32_MIN));
}

/* x, or y where x is a NaN. */
INLINE words words_where_number(words x, words y)
{
    __mmask16 is_nan =
        _mm512_cmp_round_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q, _MM_FROUND_NO_EXC);
    return (words)_mm512_mask_mov_epi32((__m512i)x, is_nan, (__m512i)y);
}

/* --- Halves --- */

INLINE halves every_half(uint16_t x)
{
    return (halves)_mm512_set1_epi16((short)x);
}

INLINE halves halves_min(halves x, halves y)
{
    return (halves)_mm512_min_epu16((__m512i)x, (__m512i)y);
}

/* x - y, or 0 if that is negative. */
INLINE halves halves_less(halves x, halves y)
{
    return (halves)_mm512_subs_epu16((__m512i)x, (__m512i)y);
}

/* test ? x : 0 */
INLINE halves halves_kept(halves x, halves test)
{
    __mmask32 kept = _mm512_test_epi16_mask((__m512i)test, (__m512i)test);
    return (halves)_mm512_maskz_mov_epi16(kept, (__m512i)x);
}

/* r | (x & mask) */
INLINE halves halves_or_masked(halves r, halves x, halves mask)
{
    return (halves)_mm512_ternarylogic_epi32((__m512i)r, (__m512i)x, (__m512i)mask, 0xf8);
}

/* (x + 2^by) >> (by + 1), for x and by below 256. */
INLINE halves halves_rounded_down(halves x, halves by)
{
    halves down = (halves)_mm512_srlv_epi16((__m512i)x, (__m512i)by);
    return (down + every_half(1)) >> 1;
}

/* The least of each row, in all of its elements; at most 255. */
INLINE halves halves_row_min(halves x)
{
    __m512i least = (__m512i)x;
    least = _mm512_min_epu16(least, _mm512_permutex_epi64(least, 0x4e));
    least = _mm512_min_epu16(least, _mm512_shuffle_epi32(least, (_MM_PERM_ENUM)0x4e));
    least = _mm512_min_epu16(least, _mm512_shuffle_epi32(least, (_MM_PERM_ENUM)0xb1));
    return (halves)_mm512_min_epu16(least, _mm512_rol_epi32(least, 16));
}

/* --- Between words and halves: a vector of halves is two of words, of which the first has the
 * lower four elements of each eight --- */

INLINE words lower_words(halves low, halves high)
{
    return (words)_mm512_unpacklo_epi16((__m512i)low, (__m512i)high);
}

INLINE words upper_words(halves low, halves high)
{
    return (words)_mm512_unpackhi_epi16((__m512i)low, (__m512i)high);
}

/* All are below 65536. GCC 12 takes the first half of such a result, where only that is used, for
 * the whole of `lower`, so it must not see what this is. */
INLINE halves join_words(words lower, words upper)
{
    __m512i joined = _mm512_packus_epi32((__m512i)lower, (__m512i)upper);
    __asm__("" : "+v"(joined));
    return (halves)joined;
}

INLINE void store_joined(void *p, words lower, words upper)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    uint8_t *at = p;
    _mm512_storeu_si512(at, _mm512_permutex2var_epi64((__m512i)lower, first, (__m512i)upper));
    _mm512_storeu_si512(at + 64, _mm512_permutex2var_epi64((__m512i)lower, second, (__m512i)upper));
}

/* --- Narrow data to memory --- */

/* A half of each word, all below 65536. */
INLINE void store_halves_of_words(void *p, words x)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((__m512i)x));
}

/* A byte of each half, all below 256. */
INLINE void store_bytes(uint8_t *p, halves x)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi16_epi8((__m512i)x));
}

/* Each half has 4 bits: two make a byte. */
INLINE void store_nibbles(uint8_t *p, halves x)
{
    words pairs = (words)x;
    pairs |= pairs >> 12;
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((__m512i)pairs));
}

/* Each half has 2 bits: four make a byte. */
INLINE void store_pairs(uint8_t *p, halves x)
{
    words pairs = (words)x;
    pairs |= pairs >> 14;
    __m512i quads = _mm512_or_si512((__m512i)pairs, _mm512_srli_epi64((__m512i)pairs, 28));
    _mm_storel_epi64((__m128i *)p, _mm512_cvtepi64_epi8(quads));
}

/* The lowest byte of each row. */
INLINE void store_row_bytes(uint8_t *p, halves x)
{
    p[0] = (uint8_t)_mm_cvtsi128_si32(_mm512_castsi512_si128((__m512i)x));
    p[1] = (uint8_t)_mm_cvtsi128_si32(_mm512_extracti32x4_epi32((__m512i)x, 2));
}

/* --- The host's rounding mode, which no operation above depends on --- */

INLINE uint32_t set_rounding(uint32_t mode)
{
    return mode;
}

#include "num/kernels_convert.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
