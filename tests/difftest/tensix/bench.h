/* The two libraries side by side: runs a program on both and compares what it leaves. */
#ifndef DIFFTEST_TENSIX_BENCH_H
#define DIFFTEST_TENSIX_BENCH_H

#include "run.h"

struct bench {
    const struct state_map *map;
    const struct mutant *mutant; /* of our side; NULL: none */
    bool verbose;                /* prints all that differs of a scene */
    struct side ours, reference;
    struct outcome ours_left, reference_left;
    char trouble[MESSAGE_SIZE]; /* what VERDICT_TROUBLE is about */
};

void bench_init(struct bench *bench, const struct state_map *map, const char *ours,
                const char *reference, unsigned timeout);
void bench_stop(struct bench *bench);

enum verdict bench_run(struct bench *bench, const struct program *program);

/* Runs a program on one side; false: trouble. */
bool bench_run_side(struct bench *bench, struct side *side, const struct program *program,
                    struct outcome *outcome);

/* Prints a mismatch: the program and the values that differ. */
void bench_print(const struct bench *bench, const struct program *program, FILE *to);

#endif
