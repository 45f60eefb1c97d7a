/*
 * Turns a program into guest code, tables and the operations that load, run and read it back.
 *
 * Each agent's hart runs the same small interpreter over a table of its own: store a word, wait
 * until a word has a value, copy a word, end. Layout of its tile's L1 below the compared region:
 * interpreters from 0 on, the control page, a table for each of two agents (Ethernet: one).
 */
#ifndef DIFFTEST_NOC_LINK_H
#define DIFFTEST_NOC_LINK_H

#include "../common/request.h"
#include "program.h"

/* Changes transactions on their way to one of the libraries, as a broken NIU would. */
struct mutant {
    const char *name;
    uint64_t kind;  /* enum transaction_kind of those it changes */
    uint64_t least; /* and their length at least */
    size_t field;   /* offset in struct transaction */
    uint64_t add, flip;
    bool drops;
};

enum item_kind {
    ITEM_MEMORY, /* bytes of a region */
    ITEM_WORD,   /* a register */
    ITEM_COUNT,  /* a counter: how much it grew */
};

/* A named piece of what is left. */
struct item {
    char name[56];
    enum item_kind kind;
    uint32_t at, size; /* in the answer */
    uint32_t before;   /* ITEM_COUNT: where its first value is */
    uint32_t mask;     /* of a word */
    uint64_t memory;   /* ITEM_MEMORY */
};

enum { MOST_ITEMS = 8192 };

struct image {
    struct request request;
    struct item *item;
    uint32_t items;
    uint64_t started; /* transactions that are in it, with those of barriers */
    bool ok;          /* false: no memory, or a program too long */
};

/* The program is sound (program_fault). Free the image in any case. */
void image_link(struct image *image, const struct program *program, const struct mutant *mutant);
void image_free(struct image *image);

/* The value of a word or counter in an answer. */
uint32_t item_value(const struct item *item, const uint8_t *answer);

#endif
