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

/* Memory that tile_weak_enable took (tile/observe.h). NULL there: memory is coherent. */
void tile_weak_free(struct tile *tile);

/* A hart's load from L1 and its store there. */
void tile_weak_load(struct tile *tile, struct rv32_hart *hart, struct rv32_access *access);
void tile_weak_store(struct tile *tile, struct rv32_hart *hart, const struct rv32_access *access);

/* A fence: the hart's stores take effect, its cache is forgotten. */
void tile_weak_fence(struct tile *tile, enum rv32_core core, uint64_t cycle);

/* What polling a place means to a hart, if `poll` and *value are that with coherent memory. A hart that
 * polls a stale copy waits for nobody while its cache may be flushed: it will see L1's value some time. */
enum rv32_poll tile_weak_poll(struct tile *tile, const struct rv32_hart *hart, uint32_t address,
                              unsigned size, enum rv32_poll poll, uint32_t *value);

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
