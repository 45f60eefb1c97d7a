/*
 * Recordings: journals in files, from a new chip on (docs/RECORDING.md).
 */
#ifndef OBSERVE_RECORDING_H
#define OBSERVE_RECORDING_H

#include <penrose/penrose.h>

#include "chip/journal.h"

/* Records what happens to a chip that is new, at first in memory. PENROSE_E_MEMORY,
 * PENROSE_E_STATE where a journal is kept already. */
enum penrose_status recording_start(struct penrose_chip *chip, struct penrose_error *error);

/* From now on in a file, in whose name "%p" is the number of the process. PENROSE_E_FILE,
 * PENROSE_E_MEMORY. */
enum penrose_status recording_open(struct penrose_chip *chip, const char *path,
                                   struct penrose_error *error);

/* Ends it; false when not all could be written. True where there is none. */
bool recording_stop(struct penrose_chip *chip);

/* What a recording is of. */
struct recording_head {
    struct penrose_options options; /* `card` points into the journal */
    const char *card, *made_by;
    uint64_t
        layout; /* of what builds save: in another one windows of time cannot be run as they were */
    uint64_t at; /* the first entry behind it */
};

/* PENROSE_E_FORMAT where the journal does not begin as one does. */
enum penrose_status recording_head(const struct journal *journal, struct recording_head *head,
                                   struct penrose_error *error);

#endif
