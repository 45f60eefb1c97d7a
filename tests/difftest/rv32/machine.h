/* The two machines that run an image: our hart on a small board, and qemu in user mode. */
#ifndef DIFFTEST_MACHINE_H
#define DIFFTEST_MACHINE_H

#include <sys/types.h>

#include <penrose/penrose.h>

#include "../common/random.h"
#include "program.h"

enum ending {
    ENDED,       /* as programs should; the memory below is what it left */
    ENDED_BADLY, /* fault, signal, wrong place: `detail` says what */
    ENDED_NEVER, /* more instructions than the program can have */
};

/* What a run left behind. `l1` is the window, then the log. */
struct outcome {
    enum ending ending;
    char detail[PENROSE_RULE_TEXT + 40];
    uint32_t l1_words;
    uint32_t *l1;
    uint32_t local[LOCAL_WORDS];
    uint64_t retired; /* our hart only */
};

bool outcome_create(struct outcome *outcome);
void outcome_free(struct outcome *outcome);

/* True when both ended well and left the same memory. */
bool outcome_equal(const struct outcome *a, const struct outcome *b);

/* --- Our hart --- */

struct board;

/* NULL when memory runs out. */
struct board *board_create(void);
void board_destroy(struct board *board);
const struct isa_index *board_index(const struct board *board);

/*
 * Steps through the program, an instruction a call of rv32_run. Counts into hits[word of the
 * image] when hits is given. Where the executed row is `mutant` (-1: none), some of its results
 * are falsified, the same ones for the same operands: what the tester must find.
 */
void board_step(struct board *board, const struct image *image, uint64_t most, int mutant,
                uint64_t *hits, struct outcome *outcome);

/* Runs the program in bursts of random length. */
void board_burst(struct board *board, const struct image *image, uint64_t most,
                 struct random *random, struct outcome *outcome);

/* --- qemu --- */

struct qemu {
    const char *path;
    bool quiet;           /* its messages go to /dev/null */
    unsigned cpu_seconds; /* a run that takes longer is killed */
    /* The run that is under way. */
    pid_t child;
    int output;
};

/* True when there is such a program. */
bool qemu_works(struct qemu *qemu);

/* Starts the image; qemu_finish waits and fetches what it left. */
bool qemu_start(struct qemu *qemu, const struct image *image);
void qemu_finish(struct qemu *qemu, const struct image *image, struct outcome *outcome);

/* Ends the run at once; qemu_finish must still be called. */
void qemu_kill(struct qemu *qemu);

#endif
