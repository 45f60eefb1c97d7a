/* The address maps of the kinds of tile. */
#ifndef TILE_MAP_H
#define TILE_MAP_H

#include "tile/access.h"

extern const struct tile_map tile_maps[TILE_TYPES];

/* What polling a place means, and its value; see struct rv32_bus. */
enum rv32_poll tile_poll(struct tile *tile, enum tile_agent agent, uint32_t address, unsigned size,
                         uint32_t *value);

#endif
