/* A random cost for each row of rv32.def: mostly small ones. */
#ifndef TESTS_RANDOM_COSTS_H
#define TESTS_RANDOM_COSTS_H

#include "rv32/timing.h"
#include "unit/random.h"

static inline void random_costs(struct rv32_timing *costs, uint64_t *state)
{
    uint32_t most = random_below(state, 4) ? 4 : RV32_MOST_CYCLES;
    for (unsigned row = 0; row < RV32_ROWS; row++) {
        costs->row[row] = (uint8_t)(1 + random_below(state, most));
    }
    costs->push = (uint8_t)(1 + random_below(state, most));
}

#endif
