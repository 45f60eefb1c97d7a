/* See issue_fast.c. Functional runs only, where shortcuts_on allows it. */
#ifndef TENSIX_ISSUE_FAST_H
#define TENSIX_ISSUE_FAST_H

#include "tensix/tensix.h"

/* Starts the instruction at the gate, and goes on with what the replay buffer plays, before `end`.
 * False: nothing has happened. */
bool tensix_start_fast(struct tensix *tensix, unsigned thread, uint64_t end);

/* A TRISC's push that needs no queue: executes the instruction if nothing is queued or can hold it. What
 * is not taken is to be pushed, and then nothing has happened. */
struct tensix_outcome tensix_execute(struct tensix *tensix, const struct tensix_pushed *pushed);

#endif
