/*
 * The tile between its NIUs and its address space: requests of its harts that leave, packets that
 * arrive. Packets that leave wait in tile->sent until the chip takes them at the end of a window.
 * The chip puts packets that arrive into tile->inbox.
 */
#ifndef TILE_NOC_PORT_H
#define TILE_NOC_PORT_H

#include "addresses.h"
#include "noc/serve.h"
#include "tile/tile.h"

/* Issues what command buffer `buffer` of an NIU describes, for `agent`. */
void tile_noc_request(struct tile *tile, unsigned noc, unsigned buffer, enum tile_agent agent,
                      uint64_t cycle);

/* What a command buffer was given last: the words of the request that waits to depart, else its
 * registers. */
const uint32_t *tile_noc_words(struct tile *tile, unsigned noc, unsigned buffer);

/* Reports software that changes a command buffer whose request has not departed. */
bool tile_noc_buffer_busy(struct tile *tile, unsigned noc, unsigned buffer, uint64_t cycle);

/* Lets requests that are due depart, and serves the packets that arrive before `end`, at the cycle
 * at which they do but not before tile->now. */
void tile_noc_arrivals(struct tile *tile, uint64_t end);

/* A packet does at `target` what it came for, and the tile's observers are told; `tile` may be NULL.
 * False when it must wait. */
bool tile_noc_serve(struct tile *tile, const struct noc_target *target, struct noc_packet *packet,
                    uint64_t cycle);

/* Tells observers of the answer to a request of GDDR that did not travel. */
void tile_noc_tell_answer(struct tile *tile, const struct noc_packet *request, uint64_t cycle);

/* Tells observers of a request that took place without being served by this tile. */
void tile_noc_tell_request(struct tile *tile, const struct noc_packet *request, uint64_t cycle);

/* When the next packet arrives that can be served, UINT64_MAX: none. */
uint64_t tile_noc_next(const struct tile *tile);

/* Makes tile->behind of a new tile. */
void tile_noc_attach(struct tile *tile);

/* Does an address of a DRAM tile's NoC space lead to its own space? *local: where, or `address`. */
bool tile_dram_address(uint64_t address, uint64_t *local);

/* Takes a packet that leaves; `owner` is the tile. */
void tile_noc_send(void *owner, struct noc_packet *packet, uint64_t cycle);

/* A hart enters reset: reports the transactions that it has begun and not ended, and ends them. */
void tile_noc_enter_reset(struct tile *tile, enum rv32_core core, uint64_t cycle);

/* Requests that waited for the end of the overlay's transaction on that NoC depart when it has
 * ended. */
void tile_noc_let_depart(struct tile *tile, unsigned noc, uint64_t cycle);

/* Where the registers of the NIUs are: NoC 0's, then NoC 1's. */
#define TILE_NIU_BASE AT_NIU
enum { TILE_NIU_BYTES = STEP_NIU /* of each */ };

/* Registers of an NIU changed, whichever. */
static inline void tile_niu_changed(struct tile *tile, unsigned noc, uint64_t cycle)
{
    tile_registers_changed(tile, TILE_NIU_BASE + noc * TILE_NIU_BYTES, TILE_NIU_BYTES, cycle);
}

/* Tells the PIC what the NIU wants. */
void tile_noc_tell_pic(struct tile *tile, unsigned noc, uint64_t cycle);

#endif
