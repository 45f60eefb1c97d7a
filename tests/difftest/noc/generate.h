/* Makes programs from a seed and a number. */
#ifndef DIFFTEST_NOC_GENERATE_H
#define DIFFTEST_NOC_GENERATE_H

#include "program.h"

struct generate_options {
    bool tiles_only; /* neither DRAM nor Ethernet nor ARC memory */
    bool compact;    /* few small transactions: a golden case */
};

void program_generate(struct program *program, uint64_t seed, uint64_t number,
                      const struct generate_options *options);

#endif
