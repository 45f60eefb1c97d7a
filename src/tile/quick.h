/*
 * Short ways for the accesses that data-movement kernels consist of: loads of the wall clock,
 * registers of command buffers and counters of NIUs, the counters of circular buffers. Each does
 * what the handler of its range does (mmio.def), and leaves the rest to it.
 */
#ifndef TILE_QUICK_H
#define TILE_QUICK_H

#include <stdbool.h>

#include "rv32/rv32.h"

struct tile;

/* An access of a hart to an address behind L1: true when it was done here. */
bool tile_quick(struct tile *tile, struct rv32_access *access);

#endif
