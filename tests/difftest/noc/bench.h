/* The two libraries side by side: runs a program on both and compares what it leaves. */
#ifndef DIFFTEST_NOC_BENCH_H
#define DIFFTEST_NOC_BENCH_H

#include <stdio.h>

#include "run.h"

struct bench {
    const struct mutant *mutant; /* of our side; NULL: none */
    struct side ours, reference;
    struct outcome ours_left, reference_left;
    struct image image;         /* of the latest program: what the answers hold */
    char trouble[MESSAGE_SIZE]; /* what VERDICT_TROUBLE is about */
};

void bench_init(struct bench *bench, const char *ours, const char *reference, unsigned timeout);
void bench_stop(struct bench *bench);

enum verdict bench_run(struct bench *bench, const struct program *program);

/* Runs a program on one side; false: trouble. */
bool bench_run_side(struct bench *bench, struct side *side, const struct program *program,
                    struct outcome *outcome);

/* Prints a mismatch: the program and what differs. */
void bench_print(const struct bench *bench, const struct program *program, FILE *to);

#endif
