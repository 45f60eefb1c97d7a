/* The tester's random numbers: splitmix64, the same on every host. */
#ifndef DIFFTEST_RANDOM_H
#define DIFFTEST_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number below `limit`, which must not be 0. */
static inline uint32_t random_below(struct random *random, uint32_t limit)
{
    return (uint32_t)((random_next(random) >> 32) * limit >> 32);
}

/* True once in `times`. */
static inline bool random_once_in(struct random *random, uint32_t times)
{
    return random_below(random, times) == 0;
}

#endif
