/* The address map of a tile as data: ranges, and what answers there. tile_access goes by it. */
#ifndef TILE_ACCESS_H
#define TILE_ACCESS_H

#include "tile/tile.h"

typedef enum rv32_poll tile_poll_function(struct tile *tile, enum tile_agent agent,
                                          uint32_t offset);

struct tile_range {
    uint32_t first, last;
    unsigned agents;
    tile_mmio_handler *handle;
    enum rv32_poll poll; /* where poll_of is NULL */
    tile_poll_function *poll_of;
    const char *title;
};

struct tile_map {
    const struct tile_range *range;
    unsigned count;
};

/* The range that holds `address` for `agent`, NULL: there is none. */
const struct tile_range *tile_find_range(const struct tile_map *map, enum tile_agent agent,
                                         uint32_t address);

#endif
