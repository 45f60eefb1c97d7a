/* See issue_fast.c. Functional runs only, where shortcuts_on allows it. */
#ifndef TENSIX_ISSUE_FAST_H
#define TENSIX_ISSUE_FAST_H

#include "tensix/tensix.h"

/* Starts the instruction at the gate, and goes on with what the replay buffer plays, before `end`.
 * False: nothing has happened. */
bool tensix_start_fast(struct tensix *tensix, unsigned thread, uint64_t end);

/* A TRISC's push that needs no queue: executes the first instructions of it, as long as nothing is
 * queued or can hold them and they start before `end`, up to one that others may see or wait for.
 * Answers how many; the others are to be pushed. The thread is as after one push after the other. */
unsigned tensix_execute(struct tensix *tensix, unsigned thread, struct tensix_origin origin,
                        const uint32_t *words, unsigned count, uint64_t cycle, uint64_t end);

#endif
