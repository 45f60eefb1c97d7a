/*
 * Recognising a hart that waits by polling.
 *
 * A hart waits when it goes round a loop that changes nothing: no effect leaves the hart, and all
 * that an iteration depends on is the same at its end as at its start. Such a hart need not run:
 * as long as the polled places keep their values, its state at any later time follows from the
 * period. rv32_idle_probe finds such a loop by running it with a record; rv32_idle_resume brings
 * the hart to the state that it would have had at a given time, as if it had run all along.
 *
 * Loops that also read the wall clock are recognised when the clock only enters sums, differences
 * and comparisons with constants; `wake` is then a time before any of them can change its outcome.
 */
#ifndef RV32_IDLE_H
#define RV32_IDLE_H

#include "rv32/rv32.h"

enum { RV32_IDLE_STEPS = 96, RV32_IDLE_PLACES = 16 };

/* A place that the loop reads (or rewrites with the value it holds). */
struct rv32_idle_place {
    uint32_t address, value;
    uint8_t size;
};

struct rv32_idle {
    uint64_t since;  /* tile time at which the hart was at the loop's head */
    uint64_t period; /* cycles of an iteration */
    uint64_t wake;   /* must be resumed at this time; UINT64_MAX: only when a place changes */
    unsigned places;
    struct rv32_idle_place place[RV32_IDLE_PLACES];
};

/*
 * Runs the hart from *now, at most RV32_IDLE_STEPS instructions and not beyond `limit`, and says
 * whether it is in a loop that changes nothing. *now is the time reached in any case; what was run
 * was run for good. When true, the hart stands at the loop's head at *now and *idle is filled in.
 * hart->stop tells when the hart was stopped meanwhile.
 */
bool rv32_idle_probe(struct rv32_hart *hart, uint64_t *now, uint64_t limit,
                     struct rv32_idle *idle);

/* True when every place still holds its value. */
bool rv32_idle_unchanged(struct rv32_hart *hart, const struct rv32_idle *idle);

/* Brings the sleeping hart to its state at tile time `now` (>= idle->since), with the values that
 * the places had when it fell asleep. */
void rv32_idle_resume(struct rv32_hart *hart, const struct rv32_idle *idle, uint64_t now);

#endif
