/*
 * The overlay between its tile's L1 and NIUs: packets of streams leave like those of command
 * buffers. Streams work when software writes to them, when packets arrive, and at the ends of
 * rounds while something is left to do.
 */
#ifndef TILE_OVERLAY_PORT_H
#define TILE_OVERLAY_PORT_H

#include "tile/tile.h"

extern const struct overlay_board tile_overlay_board;

/* True when streams may be able to go on: not while what they want to send waits for the end of a
 * transaction of the request initiators. */
bool tile_overlay_is_due(const struct tile *tile);

/* Lets streams go on as far as they can. */
void tile_overlay_run(struct tile *tile, uint64_t cycle);

/* Tells the PIC, and all that wait for a stream, that registers changed. */
void tile_overlay_changed(struct tile *tile, uint64_t cycle);

#endif
