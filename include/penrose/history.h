/*
 * Time that runs backwards: the state of a chip at an earlier moment, and what led from there to now.
 *
 * A history consists of a journal of everything that the host does to a chip, and of snapshots that
 * are taken now and then while the chip runs. The chip itself, *the present*, is never disturbed. To
 * look back, the library makes another chip from the nearest snapshot. That chip, a *past*, does
 * again what the present did, until the wanted moment. A chip of a larger cluster has its history
 * together with all others, and a past comes with its whole cluster, too (penrose_chip_cluster). The journal has what the host wrote, and what
 * it answered when the chip read its memory. So programs may run alone or under a host program, and
 * runs may be functional or timed.
 *
 *     penrose_history_start(chip, NULL, &history, &error);
 *     ... the chip is used and run as always, until something is wrong ...
 *     struct penrose_chip *past = NULL;
 *     penrose_history_back(history, &past, &goal, &end, &error);   one instruction back, or to the
 *     penrose_history_stop_get(past, 0, &stop);                    last hit of a breakpoint
 *     penrose_register_read(past, x, y, hart, pc, value, &error);
 *     penrose_history_forward(history, past, &goal, &end, &error);
 *     penrose_chip_destroy(past);
 *
 * A past is a chip, and all functions that look at a chip work on it: registers, memory, Dst, wait
 * reports, symbols of the present's programs, penrose_now. Only the functions here may change or run
 * it. Otherwise it goes another way than the present did, which is PENROSE_E_STATE where it is
 * noticed. Destroy it by penrose_chip_destroy before its history ends.
 *
 * Moments are exact for the tile at which a past stops: before the instruction of a breakpoint, right
 * behind the access of a watchpoint, within the same burst of the same hart. Other tiles go on to the
 * end of the window (at most 512 cycles later while several are awake), as in a run that stops at a
 * breakpoint. Going back and forth over a moment gives the same state each time.
 *
 * Under PENROSE_RANDOM a tile that is observed draws other random numbers. A past then shows one way
 * in which things may have happened. Only penrose_history_past is exact.
 *
 * One thread at a time uses a history, its chip and its pasts. The rules of penrose/penrose.h hold.
 */
#ifndef PENROSE_HISTORY_H
#define PENROSE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/debug.h>
#include <penrose/error.h>
#include <penrose/penrose.h>

#ifdef __cplusplus
extern "C" {
#endif

struct penrose_history;

/* Options of a history, sized as struct penrose_options is; zeros are the defaults. */
struct penrose_history_options {
    size_t size;
    /* Memory for snapshots and journal; 0: 1024. When it is used up, every second snapshot is dropped,
     * older ones first, and at last the beginning. */
    unsigned megabytes;
    /* Cycles between snapshots. 0: chosen so that snapshots take a twentieth of the time, and that
     * going back from one to the one before takes less than a second. */
    uint64_t distance;
};

/* Begins a history now. A cluster has one history at a time; pasts are given out as the chip that began
 * it was then. PENROSE_E_STATE: there is one, the chip runs, or the cluster has chips of several kinds.
 * PENROSE_E_MEMORY. */
enum penrose_status penrose_history_start(struct penrose_chip *chip,
                                          const struct penrose_history_options *options,
                                          struct penrose_history **history,
                                          struct penrose_error *error);

/* Ends a history. Call it before its chips are destroyed. NULL does nothing. */
void penrose_history_end(struct penrose_history *history);

/* The extent and cost of a history. */
struct penrose_history_info {
    uint64_t begin;       /* the earliest cycle to which it goes back */
    uint64_t snapshots;   /* kept now */
    uint64_t bytes;       /* of them and of the journal */
    uint64_t nanoseconds; /* host time that taking snapshots has cost */
};
void penrose_history_info(const struct penrose_history *history, struct penrose_history_info *info);

/*
 * Makes a past of the first moment between two windows at which the chip's time was `cycle` or
 * more, before the host did anything at that moment. If that is in the future, it is a past of the
 * present. PENROSE_E_ARGUMENT: the cycle is before the beginning. PENROSE_E_MEMORY. *past is NULL
 * after an error.
 */
enum penrose_status penrose_history_past(struct penrose_history *history, uint64_t cycle,
                                         struct penrose_chip **past, struct penrose_error *error);

/* What a search looks for. */
enum penrose_goal_kind {
    PENROSE_GOAL_STEP,   /* the hart is about to execute the instruction before (back) or after
                            (forward) the one at which it is */
    PENROSE_GOAL_POINTS, /* any of these breakpoints and watchpoints is hit */
};

/* A goal, sized as struct penrose_options is. */
struct penrose_goal {
    size_t size;
    enum penrose_goal_kind kind;
    unsigned x, y; /* STEP: whose */
    enum penrose_hart hart;
    /* POINTS: as for penrose_point_set. Stops have their `id`; `once` and `hits` do not matter. */
    const struct penrose_point *point;
    size_t points;
    uint64_t count; /* stop at the count-th; 0 and 1: the nearest */
    /* A condition: if it is false, this is no hit. Called in the middle of a run, with the past chip of
     * the hit. It may look at
     * registers, memory and everything else that has no side effects. It must give the same answer
     * each time. NULL: all are hits. */
    bool (*accepts)(void *context, struct penrose_chip *past, const struct penrose_stop *stop);
    void *context;
    /* STEP: whose chip, by its number in the cluster. POINTS: each point has its own. */
    unsigned chip;
};

/* The end of a search. */
enum penrose_history_end {
    PENROSE_HISTORY_STOP,    /* a hit: penrose_history_stop_get */
    PENROSE_HISTORY_BEGIN,   /* no hit; the past is at the beginning of the history */
    PENROSE_HISTORY_PRESENT, /* no hit; the past has the state of the present */
};

/*
 * Goes back to the last hit before. If *past is NULL, the search begins at the present; otherwise
 * it begins at that past, which is destroyed then. Afterwards *past is a past at the hit. A
 * breakpoint at the current position does not count as a hit. Writes of the host are hits of
 * watchpoints (PENROSE_AGENT_HOST). PENROSE_E_ARGUMENT: the goal is malformed. PENROSE_E_STATE,
 * PENROSE_E_MEMORY. After an error *past is as it was.
 */
enum penrose_status penrose_history_back(struct penrose_history *history,
                                         struct penrose_chip **past,
                                         const struct penrose_goal *goal,
                                         enum penrose_history_end *end,
                                         struct penrose_error *error);

/* Goes on with a past until the next hit, or until the present. From there go on with the present
 * chip itself, because the future is in no journal. Errors are those of penrose_history_back. After
 * PENROSE_E_STATE the past can no longer be used. */
enum penrose_status penrose_history_forward(struct penrose_history *history,
                                            struct penrose_chip *past,
                                            const struct penrose_goal *goal,
                                            enum penrose_history_end *end,
                                            struct penrose_error *error);

/* A stop of a past, in the order of time. More than one of its tiles may have stopped within a
 * window. There is none at the beginning and at the present. */
bool penrose_history_stop_get(const struct penrose_chip *past, size_t index,
                              struct penrose_stop *stop);

/*
 * Finds the last write of any of these bytes of a tile, by penrose_history_back to a watchpoint on
 * them. The tile is one of *past, or if that is NULL of the chip that began the history. *past is as
 * there. PENROSE_HISTORY_BEGIN means that there was no write since the beginning.
 *
 * The bytes may be in L1, or in registers as harts, packets and the host write them. If `hart` is
 * not PENROSE_NO_HART, they may be in its local RAM. In a DRAM tile they are in GDDR, at an address
 * as in accesses of hosts and packets; with the tile's hart, they are what this hart has written
 * elsewhere. Programs that were loaded (penrose_load_program, penrose_poke) are no writes.
 */
enum penrose_status penrose_history_last_writer(struct penrose_history *history,
                                                struct penrose_chip **past, unsigned x, unsigned y,
                                                enum penrose_hart hart, uint32_t address,
                                                uint32_t bytes, struct penrose_stop *stop,
                                                enum penrose_history_end *end,
                                                struct penrose_error *error);

#ifdef __cplusplus
}
#endif

#endif
