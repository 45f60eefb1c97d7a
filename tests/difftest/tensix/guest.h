/*
 * Guest code: turns a program into RV32 code for the three TRISCs (and BRISC where it pushes) and
 * into the requests that load and run it.
 *
 * Each TRISC executes its steps, waits until the coprocessor has done them, stores its GPRs and
 * raises a flag. T0 waits for the flags of the others, stores everything else, and raises the flag
 * that the host polls. BRISC only pushes; the threads that it pushes for wait for its flag first.
 */
#ifndef DIFFTEST_TENSIX_GUEST_H
#define DIFFTEST_TENSIX_GUEST_H

#include "state.h"

#define GUEST_DUMP    UINT32_C(0x000e0000)
#define GUEST_FLAGS   UINT32_C(0x000f8000) /* T0 (all is done), T1, T2, BRISC: a word each */
#define GUEST_SCRATCH UINT32_C(0x00100000)

enum { GUEST_AGENTS = 4, GUEST_B = 3, GUEST_FLAG_UP = 1 };

/* Replaces instructions on their way to one of the libraries, as a broken handler would. */
struct mutant {
    uint32_t mask, match; /* of the words that it changes */
    uint32_t flip;        /* bits that change */
    bool drop;            /* or: becomes a NOP */
};

struct code {
    uint32_t *word;
    uint32_t words, room;
};

struct image {
    struct code code[GUEST_AGENTS];
    uint32_t logs[THREADS]; /* words of the logs, behind the dump */
    uint32_t dump_words;
    const struct program *program;
    uint32_t release; /* of SOFT_RESET_0: what runs */
    uint32_t clocks;  /* more than any run needs */
    bool ok;
};

/* What selects a word of the debug bus. */
uint32_t guest_bus_select(unsigned daisy, unsigned signal, unsigned word);

/* Where the code of an agent goes. */
uint32_t guest_code_address(unsigned agent);

/* Links a program; !image->ok: no memory, or too long. Free it in both cases. */
void image_link(struct image *image, const struct program *program, const struct state_map *map,
                const struct mutant *mutant);
void image_free(struct image *image);

#endif
