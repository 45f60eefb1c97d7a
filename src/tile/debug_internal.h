/* Shared by the files of the debug registers. */
#ifndef TILE_DEBUG_INTERNAL_H
#define TILE_DEBUG_INTERNAL_H

#include "tile/debug.h"
#include "tile/report.h"
#include "tile/tile.h"

/* Handlers of rows, in the files of the devices. */
tile_mmio_handler debug_perf_setup, debug_perf_control, debug_perf_cycles, debug_perf_events,
    debug_sampler_control, debug_bus_data, debug_config_read, debug_feature_disable,
    debug_array_data, debug_risc_control, debug_risc_status, debug_risc_data,
    debug_instruction_control, debug_instruction_status, debug_soft_reset, debug_watchdog_timer,
    debug_watchdog_control, debug_watchdog_status, debug_wall_clock_low, debug_wall_clock_high,
    debug_wall_clock_latched, debug_stamp_command, debug_stamp_control, debug_stamp_status;

/* Word numbers of registers: REG_SOFT_RESET_0 and so on. */
enum debug_word {
#define REG(bank, offset, words, name, kind, traits) REG_##name = (offset) / 4,
#include "debug_registers.def"
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

/* Parts of debug_next_event and debug_run. */
uint64_t debug_watchdog_next(const struct tile *tile);
void debug_watchdog_update(struct tile *tile, uint64_t cycle);
uint64_t debug_sampler_next(const struct tile *tile);
void debug_sampler_run(struct tile *tile, uint64_t now);
void debug_perf_run(struct tile *tile, uint64_t now);

/* Counts what keeps high what is known to be, up to `cycle`. */
void debug_counts_settle(struct debug_counts *counts, const struct tile *tile, uint64_t cycle);

/* A bank starts, or stops, at a cycle up to which all is settled. */
void debug_counts_start(struct tile *tile, enum debug_perf_bank_id bank, uint64_t cycle);
void debug_counts_stop(struct tile *tile, enum debug_perf_bank_id bank, uint64_t cycle);

/* What a bank shows for a selection, with 256 for grants; false where nothing is known of it. */
bool debug_counts_show(const struct tile *tile, enum debug_perf_bank_id bank, unsigned select,
                       uint64_t cycle, uint32_t *value);

/* Looks at the tile while any bank runs. */
extern const struct observer debug_counts_observer;

void debug_time_init(struct tile *tile);

/* Writes 16 bytes to L1 at `address`; false outside L1. */
bool debug_write_l1(struct tile *tile, uint64_t address, const uint32_t data[4], uint64_t cycle);

#endif
