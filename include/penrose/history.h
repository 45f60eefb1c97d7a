/*
 * Time that runs backwards: what a chip was at an earlier moment, and how it came to be what it is.
 *
 * A history is a journal of all that the host has done to a chip since it began, and snapshots that
 * are taken now and then while the chip runs. The chip itself, *the present*, is never disturbed. To
 * look back, another chip is made of the nearest snapshot, and does again what the present one did
 * until the moment that is wanted: a *past*. What a host wrote, and what it answered when the chip
 * read its memory, comes from the journal. So it makes no difference whether a program runs alone or
 * under a host program, nor whether a run is functional or timed.
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
 * A past is a chip: everything that looks works on it (registers, memory, Dst, wait reports, symbols
 * of the present's programs, penrose_now). It must neither be changed nor run but by the functions
 * here; who does has a chip that went another way, and is told so (PENROSE_E_STATE) where that is
 * noticed. It is destroyed before its history ends, by penrose_chip_destroy.
 *
 * Moments are exact for the tile at which a past stops: before the instruction of a breakpoint,
 * right behind the access of a watchpoint, within the same burst of the same hart. Other tiles have
 * come to the end of the window (at most 512 cycles later while several are awake), as when a run
 * stops at a breakpoint. Going back and forth over a moment gives the same state each time.
 *
 * Under PENROSE_RANDOM a tile that is looked at draws other random numbers, so what happens there is
 * one of the ways in which it may have happened; penrose_history_past alone is exact.
 *
 * A history, its chip and its pasts are used by one thread at a time. The rules of penrose/penrose.h
 * hold.
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
    unsigned megabytes; /* of memory for snapshots and journal, 0: 1024. When they are used up every
                           second snapshot goes, the older the sooner, and at last the beginning */
    uint64_t distance;  /* cycles between snapshots; 0: so that they take a twentieth of the time,
                           and going back over what lies between two takes less than a second */
};

/*
 * Begins a history now; there is one of a chip at a time. PENROSE_E_STATE where there is one, while
 * the chip runs, and where an Ethernet link leads to another chip (one that is made later ends the
 * history: looking back is PENROSE_E_STATE then). PENROSE_E_MEMORY.
 */
enum penrose_status penrose_history_start(struct penrose_chip *chip,
                                          const struct penrose_history_options *options,
                                          struct penrose_history **history,
                                          struct penrose_error *error);

/* Ends it; before its chip is destroyed. NULL does nothing. */
void penrose_history_end(struct penrose_history *history);

/* What a history has. */
struct penrose_history_info {
    uint64_t begin;       /* the earliest cycle to which it leads */
    uint64_t snapshots;   /* kept now */
    uint64_t bytes;       /* of them and of the journal */
    uint64_t nanoseconds; /* host time that taking snapshots has cost */
};
void penrose_history_info(const struct penrose_history *history, struct penrose_history_info *info);

/*
 * Makes a past of the first moment between two windows at which the chip's time was `cycle` or
 * more, before the host did anything then; of the present where that is to come. A cycle before the
 * beginning is PENROSE_E_ARGUMENT. PENROSE_E_MEMORY; *past is NULL after an error.
 */
enum penrose_status penrose_history_past(struct penrose_history *history, uint64_t cycle,
                                         struct penrose_chip **past, struct penrose_error *error);

/* What is looked for. */
enum penrose_goal_kind {
    PENROSE_GOAL_STEP,   /* the hart is about to execute an instruction: the one before (back) or
                            behind (forward) the one where it stands */
    PENROSE_GOAL_POINTS, /* any of these breakpoints and watchpoints is hit */
};

/* A goal, sized as struct penrose_options is. */
struct penrose_goal {
    size_t size;
    enum penrose_goal_kind kind;
    unsigned x, y; /* STEP: whose */
    enum penrose_hart hart;
    const struct penrose_point
        *point; /* POINTS: as penrose_point_set takes them; `id` is what stops
                                          tell, `once` and `hits` do not matter */
    size_t points;
    uint64_t count; /* stop at the count-th; 0 and 1: the nearest */
    /*
     * Conditions: false, and it is no hit. Called in the middle of a run, where the chip may be
     * looked at: registers, memory, everything without side effects. It must answer the same each
     * time. NULL: all are hits.
     */
    bool (*accepts)(void *context, struct penrose_chip *past, const struct penrose_stop *stop);
    void *context;
};

/* Where a search has ended. */
enum penrose_history_end {
    PENROSE_HISTORY_STOP,    /* at a hit: penrose_history_stop_get */
    PENROSE_HISTORY_BEGIN,   /* there is none before: at the beginning of the history */
    PENROSE_HISTORY_PRESENT, /* there is none until the present, and the past is what it is */
};

/*
 * Goes back. *past is NULL (from the present) or a past (from there), and afterwards a past at the
 * last hit before; the one that it was is destroyed then. What stands at a point of its own now is
 * not hit there, it is behind. A host's writes are hits of watchpoints (PENROSE_AGENT_HOST).
 * PENROSE_E_ARGUMENT: a goal that makes no sense; PENROSE_E_STATE; PENROSE_E_MEMORY; then *past is
 * as it was.
 */
enum penrose_status penrose_history_back(struct penrose_history *history,
                                         struct penrose_chip **past,
                                         const struct penrose_goal *goal,
                                         enum penrose_history_end *end,
                                         struct penrose_error *error);

/*
 * Goes on with a past until the next hit, or the present. (Then go on with the present chip itself:
 * what is to come was in no journal.) Errors as above; after PENROSE_E_STATE the past is of no more
 * use.
 */
enum penrose_status penrose_history_forward(struct penrose_history *history,
                                            struct penrose_chip *past,
                                            const struct penrose_goal *goal,
                                            enum penrose_history_end *end,
                                            struct penrose_error *error);

/* What stopped a past: more than one of its tiles may have been stopped within a window, the first
 * in time comes first. None at the beginning and at the present. */
bool penrose_history_stop_get(const struct penrose_chip *past, size_t index,
                              struct penrose_stop *stop);

/*
 * Who has written any of these bytes of a tile last: penrose_history_back to a watchpoint on them.
 * *past as there; PENROSE_HISTORY_BEGIN says that nobody has since the beginning. L1, and registers
 * as harts, packets and the host write them; the local RAM of `hart`, else PENROSE_NO_HART. Of a DRAM
 * tile GDDR, as hosts and packets address it; or, with its hart, what that has written elsewhere.
 * Programs that were loaded (penrose_load_program, penrose_poke) are no writes.
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
