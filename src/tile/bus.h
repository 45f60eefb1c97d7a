/* The board as the harts of a tile see it; private to src/tile. */
#ifndef TILE_BUS_H
#define TILE_BUS_H

#include "tile/tile.h"

extern const struct rv32_bus tile_bus;      /* coherent memory */
extern const struct rv32_bus tile_weak_bus; /* with L0 caches and store queues (tile/weak.h) */

/* The parts of struct rv32_bus that observed harts share. */
bool tile_bus_repeatable(void *owner, struct rv32_hart *hart, uint32_t address);
uint32_t tile_bus_status(void *owner, struct rv32_hart *hart, unsigned index);

#endif
