/* The file soc_descriptor.yaml that UMD and tt-metal want beside a simulator's library. */
#ifndef METAL_DESCRIPTOR_H
#define METAL_DESCRIPTOR_H

#include <stdio.h>

#include <penrose/penrose.h>

#include "chip/plan.h"

/* Prints the descriptor for a card of this kind of chip to stdout. PENROSE_E_MEMORY. */
enum penrose_status metal_print_descriptor(const char *card, struct penrose_error *error);

/* What UMD calls a type of boards. */
const char *metal_board_name(unsigned type);

/* Writes the cluster_descriptor.yaml that UMD takes beside the library of several chips. Its first line,
 * a comment, has the title: "the card p300". */
void metal_print_cluster(const struct cluster_plan *plan, const char *title, FILE *file);

#endif
