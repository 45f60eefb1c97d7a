/*
 * Tile control, debug and status registers (SPEC: BlackholeA0 TileControlDebugStatus, SoftReset,
 * DebugTimestamper; WormholeB0 DebugInterface, DebugDaisychain, CycleCounters).
 *
 * word[] holds every register that is plain storage; devices have a struct of their own. The
 * blocks: debug.c registers and odds and ends, debug_risc.c the debug interface of the harts,
 * debug_time.c clock, timestamper and watchdog, debug_bus.c the daisychain, debug_perf.c the
 * performance counters and debug_counts.c what they count.
 */
#ifndef TILE_DEBUG_H
#define TILE_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "addresses.h"
#include "isa/reg.h"
#include "rv32/rv32.h"

enum {
    DEBUG_WORDS = (END_DEBUG - AT_DEBUG) / 4,
    DEBUG_WATCHES = 8,
    DEBUG_INTERFACES = 4, /* NC has none */
    DEBUG_PERF_THREADS = 3,
};

enum debug_perf_bank_id {
    DEBUG_PERF_INSTRN_THREAD,
    DEBUG_PERF_FPU,
    DEBUG_PERF_TDMA_UNPACK,
    DEBUG_PERF_L1,
    DEBUG_PERF_TDMA_PACK,
    DEBUG_PERF_BANKS,
};

/* Counters: DEBUG_FPU_COUNTER and so on. */
enum debug_counter {
#define COUNTER(bank, select, name)       DEBUG_##name,
#define THREADS(bank, select, step, name) DEBUG_##name##_0, DEBUG_##name##_1, DEBUG_##name##_2,
#define PORT(position, select, name)      DEBUG_##name,
#include "perf_counters.def"
    DEBUG_COUNTERS
};

/* Carrying out what a debugger asked of a hart that goes on. */
enum debug_going { DEBUG_GOES_ON, DEBUG_STEPS, DEBUG_STEP_STARTED };

/* The debug registers DR(0..17) of a hart, and what its debug interface is about to do. */
struct debug_hart {
    uint32_t status, command, argument[2], result, watch_mode, watch_address[DEBUG_WATCHES];
    uint64_t going_retired; /* instructions retired when the step or the hit began */
    uint32_t hit_status;    /* status bits of the pause where `hit` */
    enum debug_going going;
    bool half_step; /* the first of the two step commands of a step was given */
    bool hit;       /* a watch was hit: pauses when the instruction has retired */
    bool accesses;  /* a memory command waits to be answered */
    uint8_t gap[5];
};

/* SPEC: DebugTimestamper, relevant state. Addresses count units of 16 bytes. */
struct debug_timestamper {
    struct debug_stamp_buffer {
        bool is_valid, is_full, has_overflowed;
        uint8_t gap;
        uint32_t start, end, position;
    } buffer[2];
    uint32_t data[4], position;
    unsigned event_bits; /* of the events being accumulated; 0: none */
    uint32_t holds_reset;
};

/* Counts down while running: its value was `value` at `since`. */
struct debug_watchdog {
    uint64_t since;
    uint32_t value;
    uint8_t gap[4];
};

/* The daisychain's writer to L1. Addresses count units of 16 bytes. */
struct debug_sampler {
    uint32_t position, is_sampling;
    uint64_t next;
};

/* A bank of performance counters: cycles up to `start`; while running, from then on too. */
struct debug_perf_bank {
    uint64_t is_running, start, cycles;
};

/* What the counters of banks that run have counted. A signal that is known to stay high for a while
 * is counted in advance. */
struct debug_counts {
    uint64_t count[DEBUG_COUNTERS];
    uint64_t until[DEBUG_COUNTERS]; /* the cycle up to which each has counted */
    /* Signals that a waiting thread keeps high, a bit each, are counted up to `since`. */
    uint64_t high[DEBUG_PERF_THREADS][(DEBUG_COUNTERS + 63) / 64];
    uint64_t since[DEBUG_PERF_THREADS];
};

struct debug_registers {
    uint32_t read_is_valid; /* bit 30 of RISC_DBG_STATUS_0 */
    uint32_t read_value;
    uint32_t wall_clock_latch;
    struct debug_timestamper timestamper;
    struct debug_watchdog watchdog;
    struct debug_sampler sampler;
    uint64_t perf_end; /* when the first of `perf` ends by its reference period; UINT64_MAX: none */
    uint32_t word[DEBUG_WORDS];
    struct debug_hart hart[RV32_CORES];
    struct debug_perf_bank perf[DEBUG_PERF_BANKS];
    struct debug_counts counts;
};

/* Names are the vendor's. */
extern const struct reg_file debug_registers;

struct tile;

/* Makes zeroed memory the registers as after power-on. */
void debug_init(struct tile *tile);

/* Performance counters look at the tile if any of them runs; called when its state was loaded. */
void debug_perf_look(struct tile *tile);

/* A hart in step mode is about to run the instruction at its pc: true when a step is over or a
 * watch pauses it (status bits set). Called only while tile->run[core].step is set. */
bool debug_before_step(struct tile *tile, enum rv32_core core);

/* ebreak or ecall retired: sets the status bits. */
void debug_ebreak(struct tile *tile, enum rv32_core core);

/* Where a hart stands: at the ebreak or ecall that has paused it, which its pc is past, else at its
 * next instruction. */
uint32_t debug_stands_at(const struct tile *tile, enum rv32_core core);

/* Entering soft reset. */
void debug_enter_reset(struct tile *tile, enum rv32_core core);

/* Devices with a time of their own (watchdog, daisychain sampling, performance counters): the next
 * time at which one acts (UINT64_MAX: none), and acting. */
uint64_t debug_next_event(const struct tile *tile);
void debug_run(struct tile *tile, uint64_t now);

/* When the daisychain samples or a performance counter ends next (UINT64_MAX: never); after
 * debug_run that is in the future. A round ends there, so that either shows the cycle that it is
 * of. */
uint64_t debug_exact_event(const struct tile *tile);

#endif
