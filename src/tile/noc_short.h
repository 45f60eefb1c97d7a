/* What need not travel, in functional runs: see noc_short.c. */
#ifndef TILE_NOC_SHORT_H
#define TILE_NOC_SHORT_H

#include "noc/packet.h"
#include "tile/tile.h"

/* A packet leaves: does at once what can be done. True: all of it, and the packet is gone. */
bool tile_noc_short(struct tile *tile, struct noc_packet *packet, uint64_t cycle);

/* A hart reads the register at `offset` of an NIU, which may tell it of responses. */
void tile_noc_look(struct tile *tile, unsigned noc, uint32_t offset, enum tile_agent agent);

#endif
