/*
 * What instructions cost. A functional run counts a cycle for each and has no struct rv32_timing; with
 * one, an instruction takes effect at its first cycle, and the hart's next one begins when its cost
 * has passed. Instructions are the same either way, and hart->retired counts them.
 */
#ifndef RV32_TIMING_H
#define RV32_TIMING_H

#include <stdint.h>

#include "rv32/rv32.h"

struct rv32_timing {
    uint8_t row[RV32_ROWS]; /* cycles of each row of rv32.def, at least 1 */
    uint8_t push;           /* of a .ttinsn */
};

enum { RV32_MOST_CYCLES = UINT8_MAX };

#endif
