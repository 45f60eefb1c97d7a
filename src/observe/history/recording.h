/*
 * Recordings: journals in files, from a new chip on (docs/RECORDING.md).
 */
#ifndef OBSERVE_RECORDING_H
#define OBSERVE_RECORDING_H

#include <penrose/penrose.h>

#include "chip/calls.h"
#include "chip/journal.h"

/* Records what happens to a cluster that is new, at first in memory. PENROSE_E_MEMORY,
 * PENROSE_E_STATE where a journal is kept already, or its chips are of several kinds. */
enum penrose_status recording_start(struct penrose_cluster *cluster, struct penrose_error *error);

/* From now on in a file, in whose name "%p" is the number of the process. PENROSE_E_FILE,
 * PENROSE_E_MEMORY. */
enum penrose_status recording_open(struct penrose_cluster *cluster, const char *path,
                                   struct penrose_error *error);

/* Ends it; false when not all could be written. True where there is none. */
bool recording_stop(struct penrose_cluster *cluster);

/* What a recording is of; texts are in the journal. */
struct recording_head {
    struct penrose_options options; /* of the first chip; its `card` may be of no table */
    const char *kind, *made_by;
    unsigned chips;
    uint64_t
        layout; /* of what builds save: in another one windows of time cannot be run as they were */
    uint64_t at; /* the first entry behind it */
};

/* PENROSE_E_FORMAT where the journal does not begin as one does. */
enum penrose_status recording_head(const struct journal *journal, struct recording_head *head,
                                   struct penrose_error *error);

/*
 * Makes the chips of a recording, of which the head has been read, as they were when it began, but
 * without links, which entries make. The cluster is complete. Threads, schedule, quantum and timing are
 * those of the options. PENROSE_E_FORMAT, PENROSE_E_ARGUMENT, PENROSE_E_MEMORY.
 */
enum penrose_status recording_make(const struct journal *journal, const struct chip_calls *kind,
                                   const struct penrose_options *options,
                                   struct penrose_cluster **cluster, struct penrose_error *error);

#endif
