/* Random programs over the rows that our harts and qemu have in common. */
#ifndef DIFFTEST_GENERATE_H
#define DIFFTEST_GENERATE_H

#include "../common/random.h"
#include "program.h"

/* The rows that random programs are made of. */
struct tested_rows {
    uint16_t *row;
    unsigned count;
};

bool tested_rows_find(struct tested_rows *rows);
void tested_rows_free(struct tested_rows *rows);

struct generate_options {
    uint32_t items; /* about how long the program becomes */
    int favourite;  /* a row that is taken more often, or -1 */
};

/* Makes a program that surely ends; false when memory runs out. */
bool program_generate(struct program *program, const struct tested_rows *rows,
                      struct random *random, const struct generate_options *options);

#endif
