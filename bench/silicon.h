/*
 * Parts of bench/silicon: each has rows that somebody has measured on silicon, and runs the same here.
 */
#ifndef BENCH_SILICON_H
#define BENCH_SILICON_H

#include <penrose/penrose.h>

#include "bench.h"

/* A row of a part's table. One without cycles is a heading: those behind it are of that family. */
struct silicon_row {
    const char *name;
    double cycles;      /* of silicon, as published */
    const char *reason; /* why nothing is run for it, or NULL */
};

struct silicon_part {
    unsigned rows;
    struct silicon_row (*row)(unsigned row);

    /* What a row takes here, in the unit of its source. */
    double (*measure)(unsigned row, const struct bench_options *options);

    /* The guest program without which nothing can be measured, or NULL. */
    const char *guest;
};

extern const struct silicon_part silicon_hart, silicon_noc, silicon_tensix;

/* Ends the program where a call has failed. */
void silicon_must(enum penrose_status status, const char *what, const struct penrose_error *error);

#endif
