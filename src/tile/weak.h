/*
 * Weak memory: the L0 data cache and the store queue of each hart (SPEC: MemoryOrdering), for
 * --schedule random. Loads may see what a 16-byte line held when it was cached; stores take effect
 * some time later, in order, when the queue drains by chance, is full, or is forced to.
 */
#ifndef TILE_WEAK_H
#define TILE_WEAK_H

#include <stdbool.h>
#include <stdint.h>

#include "rv32/rv32.h"

struct tile;

enum { WEAK_QUEUE = 4, WEAK_LINES = 4, WEAK_LINE_BYTES = 16 };

struct weak_store {
    uint32_t address, value;
    uint8_t size;
    uint8_t gap[3];
};

struct weak_line {
    uint32_t address;
    uint8_t bytes[WEAK_LINE_BYTES];
    bool valid;
    uint8_t read; /* words of it that the hart has read: a bit each */
    uint8_t gap[2];
};

struct weak_core {
    struct weak_store queue[WEAK_QUEUE]; /* queue[0] is the oldest */
    unsigned queued;
    struct weak_line line[WEAK_LINES];
    unsigned victim;
};

/* Plain data. */
struct tile_weak {
    uint64_t random;
    struct weak_core core[RV32_CORES];
};

/* Turns weak memory on for a new tile, with random choices from `seed`; false without memory. */
bool tile_weak_enable(struct tile *tile, uint64_t seed);
void tile_weak_free(struct tile *tile);

/* A random number below `bound`, from the tile's own sequence. */
uint32_t tile_weak_choose(struct tile *tile, uint32_t bound);

/* Before a hart's turn: drains some of its stores; the length of its burst, 1..most. */
uint64_t tile_weak_turn(struct tile *tile, enum rv32_core core, uint64_t most);

/* True while the hart has stores that have not taken effect. */
bool tile_weak_pending(const struct tile *tile, enum rv32_core core);

/* A word that the hart has read of a line of its cache, and of which L1 holds another value, which a
 * fence would show it; false where there is none. */
bool tile_weak_stale(const struct tile *tile, enum rv32_core core, uint32_t *address,
                     uint32_t *cached, uint32_t *held);

/* A hart enters reset: its stores take effect, its cache is forgotten. */
void tile_weak_reset(struct tile *tile, enum rv32_core core);

#endif
