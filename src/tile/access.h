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

/* A block of 64 KiB, by the low bits of its number: what other blocks share them is no matter. */
enum { TILE_BLOCKS = 256 };
#define TILE_BLOCK(address) ((address) >> 16 & (TILE_BLOCKS - 1))

/* Ranges ascend, and one is looked for from the last that has a place in the address's block. */
struct tile_map {
    const struct tile_range *range;
    unsigned count;
    const uint8_t *last_of; /* by block: the number of that range */
};

/* The range that holds `address` for `agent`, NULL: there is none. */
const struct tile_range *tile_find_range(const struct tile_map *map, enum tile_agent agent,
                                         uint32_t address);

/* The local RAM, and the byte of it, to which an address of the slow path leads; false: it is none. */
bool tile_slow_local(uint32_t address, enum rv32_core *core, uint32_t *at);

#endif
