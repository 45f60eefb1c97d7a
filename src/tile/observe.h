/* Who observes a tile, and which bus its harts have. */
#ifndef TILE_OBSERVE_H
#define TILE_OBSERVE_H

#include "tile/tile.h"

/* Those of the list that want to know of this tile look at it from now on, and nobody else. More
 * than TILE_OBSERVERS cannot: false. */
bool tile_observe(struct tile *tile, const struct observer *first);

/* Turns weak memory (tile/weak.h) on for a new tile, with random choices from `seed`; false without
 * memory. */
bool tile_weak_enable(struct tile *tile, uint64_t seed);

#endif
