/* Functions that the stages of the coprocessor's front end call in each other. */
#ifndef TENSIX_FRONTEND_H
#define TENSIX_FRONTEND_H

#include "tensix/exec.h"

/* Brings the next instruction of a thread to the gate (frontend.c); false when there is none that
 * gets there before `end`. Only while there is none at the gate. */
bool tensix_fetch(struct tensix *tensix, unsigned thread, uint64_t end);

/* Is anything of the thread in the front end? */
bool tensix_has_more(const struct tensix_thread *thread);

/* Ends a push at `cycle`. A thread that waits only as long as others go on looks again after each. */
static inline struct tensix_outcome tensix_end_push(struct tensix *tensix, bool is_taken,
                                                    uint64_t cycle)
{
    const uint64_t event = tensix->outcome.event;
    const bool has_stopped = tensix->stopped != TENSIX_GOES;
    const struct tensix_outcome outcome = {
        .event = event > cycle ? event : cycle,
        .is_taken = is_taken,
        .changed = tensix->outcome.changed | tensix->is_polite | has_stopped,
        .moved = tensix->outcome.moved,
        .holds = tensix->outcome.holds,
        .has_stopped = has_stopped,
    };
    tensix->outcome.changed = tensix->outcome.moved = false;
    return outcome;
}

#endif
