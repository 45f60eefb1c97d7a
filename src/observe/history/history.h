/* Histories of chips that carry out a recording: the journal is there before the present is. */
#ifndef OBSERVE_HISTORY_H
#define OBSERVE_HISTORY_H

#include <penrose/history.h>

#include "observe/history/rerun.h"

/* Begins one of a chip that is about to; the chip owns the journal from then on, which stays as it
 * is. penrose_history_end ends it. */
enum penrose_status history_of_recording(struct penrose_chip *chip, struct journal *journal,
                                         uint64_t at, struct penrose_history **history,
                                         struct penrose_error *error);

/* To be called between steps: takes a snapshot if it is time to. */
void history_look_at_rerun(struct penrose_history *history, const struct rerun *rerun);

#endif
