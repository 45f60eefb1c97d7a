/*
 * The random numbers of tests: the same in each run, from a state that the test seeds. (What
 * num/random.h has is a part of the chip.)
 */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

/* 32 bits of a linear congruential generator: its upper half. The state can be any number. */
static inline uint32_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* A number below `limit`, which must not be 0: the remainder. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return random_next(state) % limit;
}

/* The same by scaling; 0 for a limit of 0. */
static inline uint32_t random_scaled(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((uint64_t)random_next(state) * limit >> 32);
}

/* 64 bits of an xorshift generator, multiplied. The state must not be 0. */
static inline uint64_t random_xorshift64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x9e3779b97f4a7c15);
}

/* Their upper half. */
static inline uint32_t random_xorshift(uint64_t *state)
{
    return (uint32_t)(random_xorshift64(state) >> 32);
}

#endif
