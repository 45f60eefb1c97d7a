/* See issue_fast.c. Functional runs only, where shortcuts_on allows it. */
#ifndef TENSIX_ISSUE_FAST_H
#define TENSIX_ISSUE_FAST_H

#include "tensix/tensix.h"

/* Starts instructions before `end`: what stands at the gate, what the replay buffer plays, and what
 * was pushed. What then still stands at the gate and is not blocked is for the gate. */
void tensix_go_on_fast(struct tensix *tensix, unsigned thread, uint64_t end);

/* A TRISC's push that needs no queue: executes the instruction if nothing is queued or can hold it. What
 * is not taken is to be pushed, and then nothing has happened. */
struct tensix_outcome tensix_execute(struct tensix *tensix, const struct tensix_pushed *pushed);

/* tensix_push_and_run where the thread is blocked, and would be if its instruction were offered once more. */
struct tensix_outcome tensix_push_behind(struct tensix *tensix, const struct tensix_pushed *pushed);

#endif
