/*
 * A test program: what the generator makes, the linker turns into guest code, the shrinker takes
 * apart and files hold as text.
 *
 * It is one list of steps for all three threads. A thread executes its steps in the order of the
 * list; steps of different threads run side by side. The list as a whole is a possible schedule,
 * so that a program in which threads wait for each other always has a way to its end.
 */
#ifndef DIFFTEST_TENSIX_PROGRAM_H
#define DIFFTEST_TENSIX_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 3, GPRS = 64, SEMAPHORES = 8 };

enum step_kind {
    STEP_PUSH,      /* the thread's hart pushes `word` with a fused .ttinsn */
    STEP_STORE,     /* the same with a store to the instruction buffer */
    STEP_MOP,       /* the hart writes `word` to word `number` of the MOP configuration */
    STEP_GPR,       /* the hart writes `word` to GPR `number` */
    STEP_CONFIG,    /* the hart writes `word` to word `number` of configuration state 0 */
    STEP_SEMAPHORE, /* the hart posts (word 0) or gets (word 1) semaphore `number` */
    STEP_SYNC,      /* the hart waits until the coprocessor has done all that was pushed */
    STEP_SAMPLE,    /* the same, then appends probe word `number` to the thread's log */
    STEP_FILL,      /* before the run: L1 at `word` holds pattern `number` of `seed`; see data.h */
    STEP_KINDS
};

struct step {
    enum step_kind kind;
    uint8_t thread;
    uint16_t number;
    uint32_t word;
    uint32_t seed;
    /* Steps of one group (0: none) stay or go together, and those whose `needs` is that group go
     * with it: what is left of a program is then still free of races. */
    uint32_t group, needs;
};

struct program {
    struct step *step;
    uint32_t steps, room;
    bool by_brisc[THREADS]; /* BRISC stores the thread's instructions, behind the MOP expander */
    bool unfenced;          /* no automatic waits between units that share GPRs */
    bool scene;             /* of the data path: Dst, Src and packed L1 are compared too */
    bool vector;            /* a scene of the Vector Unit: Dst alone is compared too */
    uint64_t number;        /* which case of its seed */
    bool ok;                /* no memory otherwise */
};

void program_init(struct program *program);
void program_free(struct program *program);
void program_add(struct program *program, struct step step);
bool program_copy(struct program *to, const struct program *from);

static inline bool step_is_push(const struct step *step)
{
    return step->kind == STEP_PUSH || step->kind == STEP_STORE;
}

/* --- Text (text.c) --- */

struct outcome;
struct state_map;

/* Writes one case; with `expected`, also the state that it must leave. */
void program_print(const struct program *program, const struct outcome *expected,
                   const struct state_map *map, FILE *to);

/* Writes one step, a line. */
void step_print(const struct step *step, const struct state_map *map, FILE *to);

/*
 * Reads the next case of a file. 1: read; 0: end of file; -1: a message was written to `error`
 * (at least 200 bytes). *expected is filled in when the file has it (expected->ending is
 * ENDED then), else left as it was. *line counts lines.
 */
int program_read(struct program *program, struct outcome *expected, const struct state_map *map,
                 FILE *from, unsigned *line, char *error, size_t size);

#endif
