/* The costs of timed runs, gathered from the chip's tables for all that a tile has. */
#ifndef TILE_TIMING_H
#define TILE_TIMING_H

#include <penrose/error.h>

#include "isa/timing.h"
#include "rv32/timing.h"

extern const struct timing tile_costs;

/* Changes costs, and those of harts, as `costs` of struct penrose_options says. PENROSE_E_ARGUMENT:
 * there is no such cost, or no such value. */
enum penrose_status tile_costs_change(struct timing *costs, struct rv32_timing *harts,
                                      const char *text, struct penrose_error *error);

#endif
