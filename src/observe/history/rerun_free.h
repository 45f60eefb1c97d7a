/*
 * Carries out a recording by another build, or under another schedule or timing. Windows then end
 * elsewhere, and everything may take longer or shorter. The host waited for what it needed by
 * polling, and so does this code:
 *
 * - A run lasts at least until the cycle at which it ended, and until the chip has written to host
 *   memory everything that it had written by then.
 * - A read that differs is repeated while time passes. If the host itself repeated a read, only the
 *   last one counts; the others may differ.
 * - When the chip reads host memory, it finds what it found there in the recording. At other places
 *   it finds what was read or written there last.
 *
 * What has not come after FREE_MOST_CYCLES is a difference.
 */
#ifndef OBSERVE_RERUN_FREE_H
#define OBSERVE_RERUN_FREE_H

#include "chip/sparse.h"
#include "observe/history/rerun.h"

#define FREE_MOST_CYCLES UINT64_C(20000000)

/* An access of the chip to host memory that was recorded. */
struct free_call {
    uint64_t at; /* its entry */
    bool is_taken;
};

struct free_rerun {
    struct rerun rerun;
    struct free_call *call; /* in order */
    size_t calls, first;    /* the first that is not taken */
    struct sparse memory;   /* of the host, as far as it is known */
};

/* As rerun_begin and rerun_step; there are no stops. PENROSE_E_MEMORY. */
enum penrose_status free_rerun_begin(struct free_rerun *free_rerun, struct penrose_cluster *cluster,
                                     const struct journal *journal, uint64_t at,
                                     struct penrose_error *error);
enum rerun_end free_rerun_step(struct free_rerun *free_rerun);
void free_rerun_finish(struct free_rerun *free_rerun);

#endif
