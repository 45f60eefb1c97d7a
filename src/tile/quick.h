/*
 * Short ways for the accesses that kernels consist of: loads of the wall clock, registers of
 * command buffers and counters of NIUs, the counters of circular buffers, stores to GPRs. Each does
 * what the handler of its range does (mmio.def), and leaves the rest to it.
 */
#ifndef TILE_QUICK_H
#define TILE_QUICK_H

#include "tile/tile.h"

/* A store or load of an aligned word by the hart that runs (struct rv32_bus; `owner` is a tile):
 * true when it was done here. A store that a hart waits for is not. */
bool tile_quick_put(void *owner, uint32_t address, uint32_t value, uint64_t cycle);
bool tile_quick_get(void *owner, uint32_t address, uint32_t pc, uint64_t cycle, uint32_t *value);

/* Harts store to registers of command buffers by themselves while nobody minds: no request waits, no
 * hart polls such a register. To be called when one of these changes. */
void tile_lend_registers(struct tile *tile);

/* The same when a hart begins to poll or ends. */
void tile_lend_unless_polled(struct tile *tile, enum rv32_core core);

#endif
