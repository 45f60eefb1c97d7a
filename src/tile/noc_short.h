/* Requests that need not travel, in functional runs: see noc_short.c. */
#ifndef TILE_NOC_SHORT_H
#define TILE_NOC_SHORT_H

#include "noc/packet.h"
#include "tile/tile.h"

/* A packet leaves: does at once what can be done. True: all of it, and the packet is gone. */
bool tile_noc_short(struct tile *tile, struct noc_packet *packet, uint64_t cycle);

/* A hart reads the register at `offset` of an NIU, which may tell it of responses. */
void tile_noc_look(struct tile *tile, unsigned noc, uint32_t offset, enum tile_agent agent);

/* A hart enters reset: nobody is going to look any more. */
void tile_noc_forget(struct tile *tile, enum rv32_core core);

/* Sets tile->unseen_count by tile->unseen. */
void tile_noc_count_unseen(struct tile *tile);

#endif
