/* What the library tells at its end (PENROSE_SUMMARY), added up over devices and processes. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

enum { SUMMARY_TILES = 5, SUMMARY_NAME = 16 };

struct summary_tile {
    char name[SUMMARY_NAME]; /* "1-2" */
    uint64_t instructions;
};

struct summary {
    unsigned devices; /* that were used and closed; a line each */
    uint64_t cycles, faults, hangs, warnings, polls;
    uint64_t incomplete; /* recordings and traces that could not be written to their end */
    bool is_functional;  /* of any device: its cycles are no times */
    double seconds;      /* of the host, in the library */
    struct summary_tile tile[SUMMARY_TILES]; /* the busiest first */
    unsigned tiles;
};

/* Reads a file of one JSON object a line, from byte `start` on; lines of other shape are passed
 * over; a file that is not there has none. False when it cannot be read: see errno. */
bool summary_read(const char *path, long start, struct summary *summary);

/* Writes it to stderr; `seconds` of the host passed in all. */
void summary_print(const struct summary *summary, double seconds);

#endif
