/*
 * Costs of instructions. A functional run counts a cycle for each instruction, and has no struct
 * rv32_timing. In a timed run an instruction takes effect at its first cycle, which is when it enters
 * EX1. The hart's next instruction begins when that one has left EX1, the registers that it reads are
 * known, and the queues have room: that of instructions that have not retired, that of loads without
 * an answer, that of stores. hart->retired counts instructions in both kinds of run.
 */
#ifndef RV32_TIMING_H
#define RV32_TIMING_H

#include <stdint.h>

#include "rv32/rv32.h"

enum {
#define LOADS(first, result) +1
    RV32_LOAD_TIMES = 0
#include "hart_times.def"
};

enum rv32_delay {
#define DELAY(token, cycles) RV32_DELAY_##token,
#include "hart_times.def"
    RV32_DELAYS
};

struct rv32_timing {
    uint8_t row[RV32_ROWS];    /* cycles of each row of rv32.def; 0 is 1 */
    uint8_t result[RV32_ROWS]; /* until what it writes is known; of loads: the least */
    uint8_t push;              /* of a .ttinsn; 0 is 1 */
    bool has_queues; /* otherwise a hart never waits for room, nor for an earlier writer */
    uint8_t delay[RV32_DELAYS];
    struct {
        uint32_t first;
        uint8_t result;
    } load[RV32_LOAD_TIMES]; /* of loads, by rising addresses */
};

/* More than anything takes. What a snapshot says to be later has been made up. */
enum { RV32_MOST_CYCLES = UINT8_MAX, RV32_MOST_AHEAD = 16 * RV32_MOST_CYCLES };

/* What the chip's table says. */
extern const struct rv32_timing rv32_chip_timing;

/* Frees the delays that are guesses. */
void rv32_timing_free_guesses(struct rv32_timing *timing);

/* What the next instruction is and takes, looked up before it runs. Without a page nothing but `pc` and
 * `cycles` is meant. */
struct rv32_cost {
    const struct rv32_page *page; /* NULL: it takes a cycle */
    struct rv32_effects effects;
    unsigned position; /* in the page */
    uint32_t pc;
    uint32_t address; /* of a load or store */
    uint8_t cycles, result;
};
void rv32_cost(struct rv32_hart *hart, struct rv32_cost *cost);

/* An instruction of that cost began at `now` and has run: when the one that comes now can begin, whose cost
 * is in *cost then. */
uint64_t rv32_charge(struct rv32_hart *hart, struct rv32_cost *cost, uint64_t now);

/* A number that is the same for two times of a hart if what is under way takes the same time from then
 * on. */
uint64_t rv32_pipeline_hash(const struct rv32_hart *hart, uint64_t now);

/* What is under way at `since` is put off by so many cycles. */
void rv32_pipeline_put_off(struct rv32_hart *hart, uint64_t since, uint64_t cycles);

#endif
