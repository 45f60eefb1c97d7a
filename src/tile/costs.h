/* Costs of timed runs by name, for files that are compiled once. */
#ifndef TILE_COSTS_H
#define TILE_COSTS_H

#include <stdio.h>

/* Prints their names, as `costs` of struct penrose_options has them, and what they are; then names of
 * units. */
void tile_costs_print(FILE *file);

#endif
