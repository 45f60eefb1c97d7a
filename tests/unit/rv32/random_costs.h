/* Random costs of rows of rv32.def, mostly small ones, of loads by address, and of what comes on top. */
#ifndef TESTS_RANDOM_COSTS_H
#define TESTS_RANDOM_COSTS_H

#include "rv32/timing.h"
#include "unit/random.h"

static inline void random_costs(struct rv32_timing *costs, uint64_t *state)
{
    uint32_t most = random_below(state, 4) ? 4 : RV32_MOST_CYCLES;
    uint32_t late = most < RV32_MOST_CYCLES ? 3 * most : most;
    for (unsigned row = 0; row < RV32_ROWS; row++) {
        costs->row[row] = (uint8_t)(1 + random_below(state, most));
        costs->result[row] = (uint8_t)random_below(state, late + 1);
    }
    costs->push = (uint8_t)(1 + random_below(state, most));
    costs->has_queues = random_below(state, 2);
    for (unsigned i = 0; i < RV32_DELAYS; i++) {
        costs->delay[i] = (uint8_t)(1 + random_below(state, 12));
    }
    for (unsigned i = 0; i < RV32_LOAD_TIMES; i++) {
        costs->load[i].first = rv32_chip_timing.load[i].first;
        costs->load[i].result = (uint8_t)random_below(state, late + 1);
    }
}

#endif
