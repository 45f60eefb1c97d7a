/*
 * Polling loops that a search has found before, so that a hart that comes back to one need not be
 * searched again.
 *
 * Kept is the way that the hart went round: loads, branches, jumps to a fixed place, and what only
 * computes. A hart that goes the same way once more, and is back at the head with the registers that
 * it had there, waits. Nobody needs to look at each step for that, only where the way might part:
 * behind branches and jumps, and at loads whose addresses the loop itself finds out.
 */
#ifndef RV32_LOOP_H
#define RV32_LOOP_H

#include "rv32/idle.h"

enum { RV32_LOOP_STEPS = 20, RV32_LOOP_PIECES = 3 };

struct rv32_loop {
    uint32_t low, span; /* the pieces lie within these bytes */
    uint32_t loads;     /* bit n: step n is a load */
    uint32_t stops; /* bit n: to look where the hart is before step n, and what loads from there on
                           up to the next stop find */
    /* Pieces are instructions in a row: their pcs and numbers, in their order from the head on. */
    uint32_t first[RV32_LOOP_PIECES];
    uint8_t length[RV32_LOOP_PIECES]; /* 0: no piece */
    uint8_t steps;                    /* instructions of a way round, and cycles; 0: no loop */
    uint32_t word[RV32_LOOP_STEPS];
};

/* Is `pc` in one of the pieces? */
bool rv32_loop_has(const struct rv32_loop *loop, uint32_t pc);

static inline bool rv32_loop_holds(const struct rv32_loop *loop, uint32_t pc)
{
    return pc - loop->low < loop->span && rv32_loop_has(loop, pc);
}

/* The loop at whose head a search has just found the hart; false, and *loop is as it was, when it
 * is not of the kind that is kept. */
bool rv32_loop_learn(struct rv32_hart *hart, const struct rv32_idle *idle, struct rv32_loop *loop);

/*
 * Runs the hart, which stands in the loop, from *now on, for a few iterations and not beyond
 * `limit`. True when it waits there: then it stands at the loop's head at *now, and *idle is filled
 * in as by rv32_idle_search. What was run was run for good; hart->stop tells whether the hart was
 * stopped meanwhile. Nothing is run where the code is another by now or the time is short.
 */
bool rv32_loop_waits(struct rv32_hart *hart, uint64_t *now, uint64_t limit,
                     const struct rv32_loop *loop, struct rv32_idle *idle);

#endif
