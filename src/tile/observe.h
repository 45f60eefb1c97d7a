/* Telling observers what happens in a tile (observe/observer.h). */
#ifndef TILE_OBSERVE_H
#define TILE_OBSERVE_H

#include "tile/tile.h"

/* Those of the list that want to know of this tile look at it from now on, and nobody else. More
 * than TILE_OBSERVERS cannot: false. */
bool tile_observe(struct tile *tile, const struct observer *first);

/* Does somebody want to know of this? */
static inline bool tile_is_observed(const struct tile *tile, enum observed_kind kind)
{
    return tile->observed >> kind & 1;
}

/* Tells them. True, and the tile has stopped, where one wants that. */
bool tile_tell(struct tile *tile, const struct observed *event);

/* Tells observers, if there are any, what a hart is about to do, has done or waits for. */
bool tile_tell_hart(struct tile *tile, enum rv32_core core, enum observed_kind kind, uint32_t pc);

/* Chooses the bus of every hart: what it reaches by itself, and whether somebody looks. */
void tile_choose_buses(struct tile *tile);

#endif
