/*
 * The generator behind stochastic rounding of the Matrix Unit and of the packer. GUESS: hardware
 * has a generator there that no page describes; this one is only deterministic. Its state is one
 * word of the unit's state, so results do not depend on threads, schedules or the host.
 *
 * A function that rounds takes a pointer to the state, NULL for its usual rounding, and steps it
 * once for each datum that it rounds, in the order of the data.
 */
#ifndef NUM_RANDOM_H
#define NUM_RANDOM_H

#include <stdint.h>

/* Steps the state (any value) and returns 32 random bits: a Weyl sequence whose steps are mixed. */
static inline uint32_t num_random_next(uint32_t *state)
{
    *state += UINT32_C(0x9e3779b9);
    uint32_t bits = *state;
    bits = (bits ^ bits >> 16) * UINT32_C(0x85ebca6b);
    bits = (bits ^ bits >> 13) * UINT32_C(0xc2b2ae35);
    return bits ^ bits >> 16;
}

#endif
