/* The network side of an Ethernet tile (src/eth) in its tile. */
#ifndef TILE_ETH_WINDOW_H
#define TILE_ETH_WINDOW_H

#include "eth/eth.h"
#include "tile/tile.h"

/* A frame on the wire. */
struct tile_frame {
    uint64_t sent, arrival; /* cycles */
    struct eth_frame frame;
    struct tile_frame *next;
};

/* Makes tile->eth; false when memory runs out. */
bool tile_eth_init(struct tile *tile);
void tile_eth_free(struct tile *tile);

/* The frames that it has sent and those that are to arrive are lost. */
void tile_eth_lose(struct tile *tile);

/* When something happens by itself: a frame arrives, a packet is sent again. */
uint64_t tile_eth_next(const struct tile *tile);

/* Does what is due before `end`, at tile->now. */
void tile_eth_run(struct tile *tile, uint64_t end);

/* Takes over a frame that arrives at frame->arrival. */
void tile_eth_arrives(struct tile *tile, struct tile_frame *frame);

#endif
