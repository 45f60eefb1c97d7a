/* Telling observers what happens in a tile (observe/observer.h). */
#ifndef TILE_TELL_H
#define TILE_TELL_H

#include "tile/tile.h"

/* Does somebody want to know of this? */
static inline bool tile_is_observed(const struct tile *tile, enum observed_kind kind)
{
    return tile->observed >> kind & 1;
}

/* Who looks at the tile has changed: finds what they want to know. Observers see the core, so it
 * takes no shortcuts for them. */
void tile_tell_kinds(struct tile *tile);

/* Tells them. True, and the tile has stopped, where one wants that. */
bool tile_tell(struct tile *tile, const struct observed *event);

/* An observer wants to know when the hart has finished the instruction under way. */
static inline void tile_ask(struct tile *tile, enum rv32_core core)
{
    tile->wanted_ends |= (uint8_t)(1u << core);
}

/* Tells observers, if there are any, what a hart is about to do, has done or waits for. */
bool tile_tell_hart(struct tile *tile, enum rv32_core core, enum observed_kind kind, uint32_t pc);
bool tile_tell_hart_at(struct tile *tile, enum rv32_core core, enum observed_kind kind, uint32_t pc,
                       uint64_t cycle);

#endif
