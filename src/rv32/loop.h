/*
 * Polling loops that a search has found before, so that a hart that comes back to one need not be
 * searched again.
 *
 * Kept are loops of a few instructions in a row that load, compute and end in the only branch. Such
 * a loop has only one way round, so a hart waits in it when it is back at the head with the
 * registers that it had there: nobody needs to look at each step.
 */
#ifndef RV32_LOOP_H
#define RV32_LOOP_H

#include "rv32/idle.h"

enum { RV32_LOOP_STEPS = 8 };

struct rv32_loop {
    uint32_t first; /* pc of its head */
    uint32_t steps; /* instructions, and cycles; 0: no loop */
    uint32_t loads; /* bit n: instruction n is a load */
    uint32_t word[RV32_LOOP_STEPS];
};

static inline bool rv32_loop_holds(const struct rv32_loop *loop, uint32_t pc)
{
    return pc - loop->first < 4 * loop->steps;
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
