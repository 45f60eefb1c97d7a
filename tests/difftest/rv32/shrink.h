/* Making a program that two machines disagree on smaller, and comparing the machines at all. */
#ifndef DIFFTEST_SHRINK_H
#define DIFFTEST_SHRINK_H

#include "generate.h"
#include "machine.h"

/* Both machines, and what they left in the last comparison. */
struct bench {
    struct board *board;
    struct qemu qemu;
    int mutant;     /* see board_step; -1: none */
    bool impatient; /* do not wait for qemu where our hart did not end */
    struct outcome step, burst, qemu_left;
};

bool bench_create(struct bench *bench, const char *qemu_path);
void bench_destroy(struct bench *bench);

enum verdict {
    VERDICT_SAME,
    VERDICT_DIFFERENT, /* our hart and qemu, or stepping and bursts */
    VERDICT_USELESS,   /* both ended badly, or our hart never: the program is at fault */
    VERDICT_TROUBLE,   /* the host cannot run it */
};

/* Runs the image on both machines. `hits` as in board_step. Stepping and bursts of our hart are
 * both compared with qemu; with a mutant, stepping only. */
enum verdict bench_compare(struct bench *bench, const struct image *image, uint64_t most,
                           struct random *random, uint64_t *hits);

/* Removes elements while the machines differ as they did in the last comparison. Fills in `choice`
 * (free choice->present). False when memory runs out. */
bool program_shrink(struct bench *bench, const struct program *program, struct choice *choice);

#endif
