/*
 * Short ways for the accesses that kernels consist of: loads of the wall clock, registers of
 * command buffers and counters of NIUs, the counters of circular buffers, stores to GPRs. Each does
 * what the handler of its range does (mmio.def), and leaves the rest to it.
 */
#ifndef TILE_QUICK_H
#define TILE_QUICK_H

#include <stdbool.h>
#include <stdint.h>

struct tile;

/* A hart's store or load of an aligned word: true when it was done here. */
bool tile_quick_put(struct tile *tile, uint32_t address, uint32_t value, uint64_t cycle);
bool tile_quick_get(struct tile *tile, uint32_t address, uint64_t cycle, uint32_t *value);

#endif
