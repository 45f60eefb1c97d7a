/* See timing.h. */
#include "tile/timing.h"

#include "rv32/timing.h"

const struct timing tile_costs = {
#define RATE(token, units)
#define CYCLES(token, cycles) [TIMING_##token] = cycles,
    .cycles =
        {
#include "timing.def"
        },
#define CYCLES(token, cycles)
#define RATE(token, units) [TIMING_##token] = units,
    .rate =
        {
#include "timing.def"
        },
    .harts = &rv32_chip_timing,
};
