/* The coprocessor in its tile: the functions of its struct tensix_board, and pushes of harts. */
#ifndef TILE_TENSIX_PORT_H
#define TILE_TENSIX_PORT_H

#include "addresses.h"
#include "tile/tile.h"

extern const struct tensix_board tile_tensix_board;

/*
 * Pushes an instruction of an agent to a thread at tile time `cycle`. In a functional run the thread
 * runs then, as far as it may. False: there is no room, or an observer has stopped it.
 */
bool tile_push(struct tile *tile, enum tile_agent agent, unsigned thread, uint32_t word,
               uint64_t cycle);

/* Pushes one instruction without running anything. False if the FIFO has no room. */
bool tile_queue(struct tile *tile, enum tile_agent agent, unsigned thread, uint32_t word,
                uint64_t cycle);

/* The thread to which a hart pushes by a store `offset` bytes into the instruction buffers; false: it
 * cannot there. */
bool tile_pushes_to(enum tile_agent agent, uint32_t offset, unsigned *thread);

/* Where harts find the GPRs. */
enum { TILE_GPR_WINDOW_BYTES = END_GPR - AT_GPR };
#define TILE_GPR_WINDOW AT_GPR

/* Must an access of a TRISC wait for instructions that it pushed before (Auto TTSync)? */
bool tile_waits_for_ttsync(const struct tile *tile, const struct mmio_access *access,
                           enum tensix_resource resource);

/* The coprocessor's turn, up to `limit`; true when it got on. */
bool tile_tensix_turn(struct tile *tile, uint64_t limit);

/* When the coprocessor has something to do: a time that may have passed, UINT64_MAX: nothing. */
uint64_t tile_tensix_next(const struct tile *tile);

#endif
