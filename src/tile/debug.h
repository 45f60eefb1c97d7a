/*
 * Tile control, debug and status registers (SPEC: BlackholeA0 TileControlDebugStatus, SoftReset,
 * DebugTimestamper; WormholeB0 DebugInterface for the RISC_DBG protocol).
 */
#ifndef TILE_DEBUG_H
#define TILE_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "rv32/rv32.h"

enum { DEBUG_WORDS = 0x400, DEBUG_WATCHES = 8 };

/* The debug registers DR(0..17) of a hart. */
struct debug_hart {
    uint32_t status, command, argument[2], result, watch_mode, watch_address[DEBUG_WATCHES];
};

struct debug_registers {
    uint32_t word[DEBUG_WORDS];
    struct debug_hart hart[RV32_CORES];
    uint32_t wall_clock_latch;
    uint64_t wall_clock_offset;
};

struct tile;

void debug_init(struct tile *tile);

/* A hart in step mode is about to run the instruction at its pc: true when a breakpoint or
 * watchpoint pauses it (status bits set). Called only while tile->run[core].step is set. */
bool debug_before_step(struct tile *tile, enum rv32_core core);

/* ebreak or ecall retired: sets the status bits. */
void debug_ebreak(struct tile *tile, enum rv32_core core);

/* Entering and being in soft reset. */
void debug_enter_reset(struct tile *tile, enum rv32_core core);

/* Devices with a time of their own (watchdog, timestamper): the next time at which one acts
 * (UINT64_MAX: none), and acting. */
uint64_t debug_next_event(const struct tile *tile);
void debug_run(struct tile *tile, uint64_t now);

#endif
