/*
 * Costs of instructions. A functional run counts a cycle for each instruction, and has no struct
 * rv32_timing. In a timed run an instruction takes effect at its first cycle. The hart's next
 * instruction begins when that cost has passed and the registers that it reads are known.
 * hart->retired counts instructions in both kinds of run.
 */
#ifndef RV32_TIMING_H
#define RV32_TIMING_H

#include <stdint.h>

#include "rv32/rv32.h"

enum {
#define COST(token, occupied, result)
#define LOADS(first, result) +1
    RV32_LOAD_TIMES = 0
#include "hart_times.def"
#undef COST
#undef LOADS
};

struct rv32_timing {
    uint8_t row[RV32_ROWS];    /* cycles of each row of rv32.def; 0 is 1 */
    uint8_t result[RV32_ROWS]; /* until what it writes is known; of loads: the least */
    uint8_t push;              /* of a .ttinsn; 0 is 1 */
    struct {
        uint32_t first;
        uint8_t result;
    } load[RV32_LOAD_TIMES]; /* of loads, by rising addresses */
};

enum { RV32_MOST_CYCLES = UINT8_MAX };

/* What the chip's table says. */
extern const struct rv32_timing rv32_chip_timing;

/* What the next instruction takes, looked up before it runs. */
struct rv32_cost {
    uint8_t cycles, result;
    uint32_t writes; /* registers */
};
struct rv32_cost rv32_cost(struct rv32_hart *hart);

/* An instruction of that cost began at `now` and has run: when the one that comes now can begin. */
uint64_t rv32_charge(struct rv32_hart *hart, struct rv32_cost cost, uint64_t now);

/* Cycles from `now` on until a register is known. */
unsigned rv32_pending(const struct rv32_hart *hart, unsigned r, uint64_t now);

#endif
