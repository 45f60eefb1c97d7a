/* Packets that arrive at a tile: the chip puts them into tile->inbox, the tile serves them in order. */
#ifndef TILE_NOC_ARRIVE_H
#define TILE_NOC_ARRIVE_H

#include "tile/tile.h"

/* Lets requests that are due depart, and serves the packets that arrive before `end`, at the cycle
 * at which they do but not before tile->now. */
void tile_noc_arrivals(struct tile *tile, uint64_t end);

/* When the next packet arrives that can be served, UINT64_MAX: none. */
uint64_t tile_noc_next(const struct tile *tile);

/* Makes tile->behind of a new tile. */
void tile_noc_attach(struct tile *tile);

/* Tells the PIC what the NIU wants. */
void tile_noc_tell_pic(struct tile *tile, unsigned noc, uint64_t cycle);

#endif
