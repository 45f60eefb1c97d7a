/* What the tester prints: how the machines differ, and what was executed. */
#ifndef DIFFTEST_REPORT_H
#define DIFFTEST_REPORT_H

#include "shrink.h"

/* Executed instructions of programs that both machines agreed on. */
struct tally {
    uint64_t *row;     /* by row number, instructions under test only */
    uint64_t tested;   /* their sum */
    uint64_t executed; /* with what keeps the programs going */
    uint64_t programs;
};

bool tally_create(struct tally *tally);
void tally_free(struct tally *tally);

/* Adds a program whose word number i was executed hits[i] times. */
void tally_add(struct tally *tally, const struct image *image, const uint64_t *hits,
               const struct isa_index *index);

/* Prints counts and the time since `start` (host_nanoseconds); false when a tested row was never
 * executed. */
bool tally_print(const struct tally *tally, const struct tested_rows *rows, uint64_t seed,
                 uint64_t start, FILE *to);

/* Prints how the runs of the last comparison ended. */
void print_endings(const struct bench *bench, FILE *to);

/* Prints that and the states the machines left. */
void print_difference(const struct bench *bench, FILE *to);

#endif
