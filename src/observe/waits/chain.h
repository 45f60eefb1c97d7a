/* The chain of waits in a tile, from the root cause on. */
#ifndef OBSERVE_WAIT_CHAIN_H
#define OBSERVE_WAIT_CHAIN_H

#include "chip/chip.h"
#include "observe/waits/lines.h"
#include "observe/waits/under_way.h"

enum {
    THREAD_0 = RV32_CORES, /* waiters: harts, then threads */
    WAITERS = RV32_CORES + TENSIX_THREADS,
    WAITS_FOR_NOBODY = -1,
    MOST_CANDIDATES = 4,
};

struct waiter {
    bool waits;
    const char *over;         /* it will not do anything any more: "has ended"; NULL: it may */
    char what[128];           /* that it waits for */
    char missing[192];        /* the event, as a sentence */
    struct under_way senders; /* other tiles that write to the word which it polls */
    bool waits_for_word;      /* of the tile's L1, */
    uint32_t word;            /* at this address */
    bool waits_for_frames;    /* it polls a register that changes with what the other end sends */
    uint8_t candidate[MOST_CANDIDATES]; /* harts and threads that may bring it about */
    unsigned candidates;
    bool is_guess;   /* they are */
    bool is_certain; /* `missing` is the root, whoever waits as well */
    bool runs;       /* it polls through the NoC, and nobody can know how long */
    const struct tensix_origin *culprit; /* the instruction that has taken the event back */
    int cause;                           /* the waiter for whom it waits, or WAITS_FOR_NOBODY */
};

struct chain {
    struct penrose_chip *chip;
    struct tile *tile;
    struct waiter waiter[WAITERS];
};

/* Finds out who in the tile waits for what, and for whom. */
void wait_chain_make(struct chain *chain, struct penrose_chip *chip, struct tile *tile);

/* "brisc (kernel.cc:12) waits for pages of circular buffer 0". */
void wait_chain_put(const struct chain *chain, unsigned number, struct wait_words *words);

/* A line of the same kind for each waiter of the tile that waits for that one, in the end. */
void wait_chain_put_dependents(const struct chain *chain, unsigned number,
                               struct wait_words *words);

/* The hart whose post reaches the word; RV32_CORES: none. */
enum rv32_core wait_chain_poster(const struct tile *tile, uint16_t place, uint32_t word);

/* Says that nobody is known for whom this waiter waits: the event that is missing, who would have to
 * bring it about, and who waits for it, one behind the other; and where posts of the tile went. */
void wait_chain_add_root(struct wait_lines *lines, struct chain *chain, unsigned number);

#endif
