/* Many bits, in words of 64: a shadow of bytes or of rows. */
#ifndef OBSERVE_CHECK_BITS_H
#define OBSERVE_CHECK_BITS_H

#include <stdbool.h>
#include <stdint.h>

enum { BITS_WORD = 64 };

static inline bool bits_get(const uint64_t *bits, uint32_t at)
{
    return bits[at / BITS_WORD] >> at % BITS_WORD & 1;
}

/* How many of `count` bits from `at` on lie in the word of the first one. */
static inline uint32_t bits_in_word(uint32_t at, uint32_t count)
{
    const uint32_t room = BITS_WORD - at % BITS_WORD;
    return count < room ? count : room;
}

/* `some` bits of a word, from that of `at` on; there is at least one. */
static inline uint64_t bits_mask(uint32_t at, uint32_t some)
{
    return UINT64_MAX >> (BITS_WORD - some) << at % BITS_WORD;
}

static inline void bits_set(uint64_t *bits, uint32_t first, uint32_t count, bool value)
{
    for (uint32_t at = first, end = first + count; at < end;) {
        const uint32_t some = bits_in_word(at, end - at);
        const uint64_t mask = bits_mask(at, some);
        uint64_t *word = &bits[at / BITS_WORD];
        *word = value ? *word | mask : *word & ~mask;
        at += some;
    }
}

static inline uint32_t bits_count(const uint64_t *bits, uint32_t first, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t at = first, end = first + count; at < end;) {
        const uint32_t some = bits_in_word(at, end - at);
        sum += (uint32_t)__builtin_popcountll(bits[at / BITS_WORD] & bits_mask(at, some));
        at += some;
    }
    return sum;
}

#endif
