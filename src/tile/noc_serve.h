/* The tile as packets find it: where their addresses lead, and what observers are told of them. */
#ifndef TILE_NOC_SERVE_H
#define TILE_NOC_SERVE_H

#include "noc/serve.h"
#include "tile/tile.h"

/* Does an address of a DRAM tile's NoC space lead to its own space? *local: where, or `address`. */
bool tile_dram_address(uint64_t address, uint64_t *local);

/* The address that harts have for what a NoC finds at `address`. */
uint64_t tile_noc_address(const struct tile *tile, uint64_t address);

/* An access over the NoC (struct noc_target_kind); `owner` is the tile. */
enum answer tile_noc_reach(void *owner, bool writes, uint64_t address, void *bytes, uint32_t size,
                           uint64_t cycle, const char **rule);

/* A packet does at `target` what it came for, and the tile's observers are told; `tile` may be NULL.
 * False when it must wait. */
bool tile_noc_serve(struct tile *tile, const struct noc_target *target, struct noc_packet *packet,
                    uint64_t cycle);

/* Tells observers of a packet that leaves. */
void tile_noc_tell_sent(struct tile *tile, const struct noc_packet *packet, uint64_t cycle);

/* Tells observers of the answer to a request of GDDR that did not travel. */
void tile_noc_tell_answer(struct tile *tile, const struct noc_packet *request, uint64_t cycle);

/* Tells observers of a request that took place without being served by this tile. */
void tile_noc_tell_request(struct tile *tile, const struct noc_packet *request, uint64_t cycle);

#endif
