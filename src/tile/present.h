/*
 * Brings a tile to the present time: harts that sleep, harts and threads that wait, and a tile that
 * is not visited because all of it sleeps, as if they had been run all along. Comparisons of states
 * need this, because who sleeps, and since when, depends on the search for polling loops.
 */
#ifndef TILE_PRESENT_H
#define TILE_PRESENT_H

#include "tile/tile.h"

/* What was there before. */
struct tile_past {
    uint64_t now;
    struct rv32_hart hart[RV32_CORES];
    struct tile_hart run[RV32_CORES];
    uint64_t thread_time[TENSIX_THREADS];
    uint32_t wall_clock_latch;
};

/* Between windows, at the time `now` of the chip. No instruction may run before tile_to_past. */
void tile_to_present(struct tile *tile, uint64_t now, struct tile_past *past);
void tile_to_past(struct tile *tile, const struct tile_past *past);

#endif
