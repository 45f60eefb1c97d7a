/*
 * Recognising a hart that waits by polling.
 *
 * A hart waits when it runs a loop that changes nothing: the loop has no effect outside of the
 * hart, and everything on which an iteration depends is equal at its start and its end. Such a hart
 * need not run. As long as the polled places keep their values, its state at any later time follows
 * from the period. rv32_idle_search finds such a loop by running it with a record. rv32_idle_resume
 * brings the hart to the state of a given time, as if it had run all along.
 *
 * Loops that also read the wall clock are recognised when the clock only enters sums, differences
 * and comparisons with constants; `wake` is then a time before any of them can change its outcome.
 */
#ifndef RV32_IDLE_H
#define RV32_IDLE_H

#include "rv32/rv32.h"
#include "rv32/timing.h"

enum {
    RV32_IDLE_STEPS = 96,
    RV32_IDLE_PLACES = 16,
    RV32_IDLE_MOST_CYCLES = RV32_IDLE_STEPS * RV32_MOST_AHEAD, /* of an iteration */
};

/* A place that the loop reads (or rewrites with the value it holds). */
struct rv32_idle_place {
    uint32_t address, value;
    uint8_t size;
    uint8_t gap[3];
};

struct rv32_idle {
    uint64_t since;        /* tile time at which the hart was at the loop's head */
    uint64_t period;       /* cycles of an iteration */
    uint64_t instructions; /* of an iteration */
    uint64_t wake;         /* must be resumed at this time; UINT64_MAX: only when a place changes */
    unsigned places;
    bool reads_clock;
    uint8_t gap[3];
    struct rv32_idle_place place[RV32_IDLE_PLACES];
};

enum rv32_follow { RV32_FOLLOWS_NOT, RV32_FOLLOWS_UP, RV32_FOLLOWS_DOWN, RV32_FOLLOWS_SOMEHOW };

/* A search for a polling loop under way; plain data. */
struct rv32_probe {
    uint64_t start, start_retired;
    uint64_t start_pipeline; /* rv32_pipeline_hash, in timed runs */
    uint64_t steady; /* clock ticks for which no comparison with the clock changes its outcome */
    unsigned steps;  /* done so far; 0: not started */
    uint32_t start_pc, start_x[32];
    uint32_t written, live_in; /* registers; live_in: read before written */
    uint32_t counted;          /* registers that a constant was added to */
    uint8_t follow[32];        /* enum rv32_follow: how registers follow the wall clock */
    bool has_turned;           /* the hart has jumped back, and the search began anew there */
    bool is_late;              /* it begins anew at the next instruction */
    uint8_t gap[2];
};

enum rv32_probe_result { RV32_PROBE_MORE, RV32_PROBE_IDLE, RV32_PROBE_BUSY };

/*
 * Runs the hart from *now, not beyond `limit` and for `most` steps in all (up to RV32_IDLE_STEPS;
 * fewer find no loops that store), and looks whether it is in a loop that changes nothing. `probe`
 * is zeroed before the first call; RV32_PROBE_MORE asks for another call that goes on where this
 * one stopped (no other instruction of the hart may run in between). *now is the time reached; what
 * was run was run for good. On RV32_PROBE_IDLE the hart stands at the loop's head at *now and *idle
 * is filled in. hart->stop tells when the hart was stopped meanwhile, which is RV32_PROBE_BUSY.
 */
enum rv32_probe_result rv32_idle_search(struct rv32_hart *hart, uint64_t *now, uint64_t limit,
                                        unsigned most, struct rv32_probe *probe,
                                        struct rv32_idle *idle);

/* A whole search in one call: true when the loop was found before `limit`. */
bool rv32_idle_probe(struct rv32_hart *hart, uint64_t *now, uint64_t limit, struct rv32_idle *idle);

/* True when every place still holds its value. */
bool rv32_idle_unchanged(struct rv32_hart *hart, const struct rv32_idle *idle);

/* Brings the sleeping hart to its state at tile time `now`, or at idle->since if that is later, with
 * the values that the places had when it fell asleep. Returns when its next instruction begins: then
 * or later. */
uint64_t rv32_idle_resume(struct rv32_hart *hart, const struct rv32_idle *idle, uint64_t now);

#endif
