/*
 * The tile's command buffers: requests of its harts, which leave at once or wait for their time.
 * Packets that leave wait in tile->sent until the chip takes them at the end of a window.
 */
#ifndef TILE_NOC_PORT_H
#define TILE_NOC_PORT_H

#include "addresses.h"
#include "tile/tile.h"

/* Issues what command buffer `buffer` of an NIU describes, for `agent`. */
void tile_noc_request(struct tile *tile, unsigned noc, unsigned buffer, enum tile_agent agent,
                      uint64_t cycle);

/* What a command buffer was given last: the words of the request that waits to depart, else its
 * registers. */
const uint32_t *tile_noc_words(struct tile *tile, unsigned noc, unsigned buffer);

/* Reports software that changes a command buffer whose request has not departed. */
bool tile_noc_buffer_busy(struct tile *tile, unsigned noc, unsigned buffer, uint64_t cycle);

/* Did an initiator last send an atomic, or is it to send one, whose result goes to the word at the address? */
bool tile_noc_has_result(const struct tile *tile, uint32_t address);

/* When the next request departs that waits for its time, UINT64_MAX: none. */
uint64_t tile_noc_departure(const struct tile *tile);

/* Requests that are due before `end` depart, in their order, at `latest` at the latest. */
void tile_noc_depart(struct tile *tile, uint64_t end, uint64_t latest);

/* Takes a packet that leaves; `owner` is the tile. */
void tile_noc_send(void *owner, struct noc_packet *packet, uint64_t cycle);

/* Does it count the data of writes, when they have been read? In timed runs. */
bool tile_noc_counts_data(const struct tile *tile);

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

#endif
