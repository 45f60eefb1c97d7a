/* The board as the harts of a tile see it; private to src/tile. */
#ifndef TILE_BUS_H
#define TILE_BUS_H

#include "tile/tile.h"

extern const struct rv32_bus tile_bus;      /* coherent memory */
extern const struct rv32_bus tile_weak_bus; /* with L0 caches and store queues (weak.c) */

/* An access outside L1; a reply other than OK or WAIT is recorded as the fault. */
enum answer tile_bus_device(struct tile *tile, struct rv32_hart *hart, struct rv32_access *access);

/* Tells of an access of a program to the first bytes of L1 where it has no object: of an atomic
 * instruction once. */
void tile_bus_judge_null(struct tile *tile, struct rv32_hart *hart,
                         const struct rv32_access *access);

/* What polling a place means, and its value; see struct rv32_bus. */
enum rv32_poll tile_poll(struct tile *tile, enum tile_agent agent, uint32_t address, unsigned size,
                         uint32_t *value);

/* The parts of struct rv32_bus that do not depend on the memory model. */
unsigned tile_bus_push(void *owner, struct rv32_hart *hart, uint32_t address, const uint32_t *words,
                       unsigned count, uint64_t cycle);
enum rv32_poll tile_bus_poll(void *owner, struct rv32_hart *hart, uint32_t address, unsigned size,
                             uint32_t *value);
bool tile_bus_repeatable(void *owner, struct rv32_hart *hart, uint32_t address);
uint32_t tile_bus_status(void *owner, struct rv32_hart *hart, unsigned index);

#endif
