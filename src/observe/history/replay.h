/* Running a recording again, step by step, exactly (rerun.h) or freely (rerun_free.h). */
#ifndef OBSERVE_REPLAY_H
#define OBSERVE_REPLAY_H

#include <penrose/history.h>

#include "chip/journal.h"

struct rerun;

/* How a step ended. */
enum rerun_end {
    RERUN_DONE,
    RERUN_STOPPED, /* an observer wanted it; the next step goes on from there */
    RERUN_AT_END,  /* of the journal: nothing was done */
    RERUN_DIFFERS, /* replay_difference says how */
};

/* Begins at an entry, with chips that are what they were then. PENROSE_E_STATE, PENROSE_E_MEMORY. */
enum penrose_status replay_begin(struct penrose_cluster *cluster, const struct journal *journal,
                                 uint64_t at, bool is_free, struct rerun **rerun,
                                 struct penrose_error *error);
enum rerun_end replay_step(struct rerun *rerun);

/* The entry of the latest step. */
const struct journal_entry *replay_entry(const struct rerun *rerun);
const char *replay_difference(const struct rerun *rerun);

/* NULL does nothing. */
void replay_end(struct rerun *rerun);

/* Begins a history of a chip and its cluster, which is about to run a journal. The cluster owns the
 * journal from then on, which stays as it is. penrose_history_end ends it. */
enum penrose_status replay_look_back(struct penrose_chip *chip, struct journal *journal,
                                     uint64_t at, struct penrose_history **history,
                                     struct penrose_error *error);

/* To be called between steps: takes a snapshot if it is time to. */
void replay_note_step(struct penrose_history *history, const struct rerun *rerun);

#endif
