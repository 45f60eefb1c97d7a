/* See mmio_fast.c. */
#ifndef TILE_MMIO_FAST_H
#define TILE_MMIO_FAST_H

#include "tile/tile.h"

/* An access of the hart that runs, outside L1: true when it was done here, and access->value is
 * what a load finds. Else nothing has happened. */
bool tile_mmio_fast(struct tile *tile, struct rv32_access *access);

#endif
