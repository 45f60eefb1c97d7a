/* What the files of the debug registers share. */
#ifndef TILE_DEBUG_INTERNAL_H
#define TILE_DEBUG_INTERNAL_H

#include "tile/debug.h"
#include "tile/report.h"
#include "tile/tile.h"

/* The handler of a device's register: reads, writes, peeks and pokes. */
typedef enum mmio_reply debug_handler(struct tile *tile, struct mmio_access *access);

#define PLAIN(offset, name, reset)
#define LATER(offset, name, reset)
#define BLIND(offset, name)
#define DEVICE(offset, name, reset, handler, poll) debug_handler debug_##handler;
#include "debug_registers.def"
#undef PLAIN
#undef LATER
#undef BLIND
#undef DEVICE

/* Word numbers of registers: REG_SOFT_RESET_0 and so on. */
enum debug_word {
#define PLAIN(offset, name, reset)                 REG_##name = (offset) / 4,
#define LATER(offset, name, reset)                 REG_##name = (offset) / 4,
#define BLIND(offset, name)                        REG_##name = (offset) / 4,
#define DEVICE(offset, name, reset, handler, poll) REG_##name = (offset) / 4,
#include "debug_registers.def"
#undef PLAIN
#undef LATER
#undef BLIND
#undef DEVICE
};

/* The storage of the register that is accessed. */
static inline uint32_t *debug_word(struct tile *tile, const struct mmio_access *access)
{
    return &tile->debug.word[access->offset / 4];
}

/* Did a write of `value` over `old` raise the bit? */
static inline bool debug_rises(uint32_t old, uint32_t value, unsigned bit)
{
    return ~old & value & UINT32_C(1) << bit;
}

/* Cycles that the watchdog has left. */
uint32_t debug_watchdog_left(const struct tile *tile, uint64_t cycle);

/* Parts of debug_next_event and debug_run. */
uint64_t debug_watchdog_next(const struct tile *tile);
void debug_watchdog_update(struct tile *tile, uint64_t cycle);
uint64_t debug_sampler_next(const struct tile *tile);
void debug_sampler_run(struct tile *tile, uint64_t now);
void debug_perf_run(struct tile *tile, uint64_t now);

void debug_time_init(struct tile *tile);

/* Writes 16 bytes to L1 at `address`; false outside L1. */
bool debug_write_l1(struct tile *tile, uint64_t address, const uint32_t data[4], uint64_t cycle);

#endif
