/*
 * The address counters of a thread, RWCs and ADCs, as instructions see them together, and the data
 * of counters_fast.c about runs of such instructions in the replay buffer.
 *
 * Counters come in sets of four with a checkpoint ("Cr") each: the RWCs are one set, and each
 * channel of an ADC is another. After any instructions on them a counter or checkpoint has the old
 * value of the counter, the old value of the checkpoint, or 0, plus a constant, modulo its width.
 * So a run of any length is one such map of each set. The maps are not written by hand. They are
 * found by playing the run, with the handlers of its instructions, on two states from which the
 * three cases can be told apart.
 *
 * Invariant: runs agree with the entries of the replay buffer, because recording an entry drops all
 * runs.
 *
 * SPEC: WormholeB0 RWCs, ADCs (what there is to add, to set and to return to).
 */
#ifndef TENSIX_COUNTERS_H
#define TENSIX_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/frontend/replay.h"

enum {
    TENSIX_LANES = 4,        /* of a set: a counter of any width has 32 bits here */
    TENSIX_COUNTER_SETS = 7, /* 0: RWCs; 1 + 2 * unit + channel: ADCs */
    TENSIX_RUN_SHORTEST = 2,
};

struct tensix_counters {
    uint32_t counter[TENSIX_LANES], checkpoint[TENSIX_LANES];
};

/* (counter & from_counter) + (checkpoint & from_checkpoint) + plus, cut to the width. */
struct tensix_counter_sum {
    uint32_t from_counter[TENSIX_LANES], from_checkpoint[TENSIX_LANES], plus[TENSIX_LANES];
};

/* What becomes of set number `set`. */
struct tensix_counter_map {
    unsigned set;
    struct tensix_counter_sum counter, checkpoint;
};

/* `length` instructions; maps of the sets that they may change. */
struct tensix_counter_run {
    uint8_t length, maps;
    struct tensix_counter_map map[TENSIX_COUNTER_SETS];
};

/* By entry of the replay buffer: what starts there. */
enum {
    TENSIX_RUN_UNKNOWN, /* never played */
    TENSIX_RUN_SEEN,    /* played once: the next time it pays to look */
    TENSIX_RUN_NONE,
    TENSIX_RUN_KNOWN, /* in `run` */
};

/* A run for every entry: plays start and are taken up again anywhere. */
struct tensix_counter_runs {
    uint8_t at[REPLAY_ENTRIES];
    struct tensix_counter_run run[REPLAY_ENTRIES];
};

struct tensix;

/* Plays what of the next `left` entries, from `index` on, is a known run. Answers their number; 0
 * where there is none, and then nothing has happened. Functional runs only, while nothing can hold
 * the thread's instructions. */
unsigned tensix_play_run(struct tensix *tensix, unsigned thread, unsigned index, unsigned left);

/* Does the instruction change counters of its own thread, and nothing else? */
bool tensix_is_counting(unsigned thread, uint32_t word);

static inline void tensix_forget_runs(struct tensix_counter_runs *runs)
{
    for (unsigned i = 0; i < REPLAY_ENTRIES; i++) {
        runs->at[i] = TENSIX_RUN_UNKNOWN;
    }
}

#endif
