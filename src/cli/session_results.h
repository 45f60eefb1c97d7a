/* What a session has to tell when its runs are over, made from what is left on the chip. */
#ifndef CLI_SESSION_RESULTS_H
#define CLI_SESSION_RESULTS_H

#include <jansson.h>

#include "cli/session.h"

/* The chip's cycle at which the run has ended: the cycle limit where that ended it, else that of the
 * last activity. All that tells how long something ran tells it by this. */
uint64_t session_ended_at(const struct session *session);

/* How many cycles that is from where it was opened. */
uint64_t session_cycles(const struct session *session);

/* What cycles take at the chip's clock; NAN where no times are modelled. */
double session_simulated_ms(const struct session *session, uint64_t cycles);

/* What every result has: command, outcome, cycles, host time, faults. `exit` is the outcome. */
json_t *session_json(struct session *session, enum cli_exit exit);

/* Tiles of a kind that the options name, and those of them whose firmware is ready. */
struct tile_count {
    unsigned tiles, ready;
};
struct tile_count session_count(struct session *session, enum penrose_tile_kind kind);

/* An array with the state of the harts in the mask. */
json_t *session_harts_json(struct session *session, struct penrose_place tile, unsigned harts);

/* A line for each of these harts. With `with_exit` paused harts are done, and a0 is their exit
 * value. */
void session_print_harts(struct session *session, struct penrose_place tile, unsigned harts,
                         bool with_exit);

/* A chip of the session's cluster other than its own: the first from `number` on, which it moves; NULL
 * past the last. */
struct penrose_chip *session_companion(const struct session *session, size_t *number);

#endif
