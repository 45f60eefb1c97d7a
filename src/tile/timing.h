/* The costs of timed runs, gathered from the chip's tables for all that a tile has. */
#ifndef TILE_TIMING_H
#define TILE_TIMING_H

#include "isa/timing.h"

extern const struct timing tile_costs;

/* The policy of a run: NULL if it is functional. */
static inline const struct timing *tile_timing(bool is_timed)
{
    return is_timed ? &tile_costs : NULL;
}

#endif
