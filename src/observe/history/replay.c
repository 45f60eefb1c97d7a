/* See replay.h. */
#include "observe/history/replay.h"

#include <stdlib.h>

#include "isa/error.h"
#include "observe/history/rerun_free.h"

/* A free one begins with an exact one. */
enum penrose_status replay_begin(struct penrose_cluster *cluster, const struct journal *journal,
                                 uint64_t at, bool is_free, struct rerun **rerun,
                                 struct penrose_error *error)
{
    struct free_rerun *made = calloc(1, sizeof *made);
    *rerun = NULL;
    if (!made) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to run the recording");
    }
    enum penrose_status status = is_free
                                     ? free_rerun_begin(made, cluster, journal, at, error)
                                     : rerun_begin(&made->rerun, cluster, journal, at, 0, error);
    if (status != PENROSE_OK) {
        free(made);
        return status;
    }
    *rerun = &made->rerun;
    return PENROSE_OK;
}

enum rerun_end replay_step(struct rerun *rerun)
{
    return rerun->is_free ? free_rerun_step((struct free_rerun *)rerun) : rerun_step(rerun);
}

const struct journal_entry *replay_entry(const struct rerun *rerun)
{
    return &rerun->step;
}

const char *replay_difference(const struct rerun *rerun)
{
    return rerun->difference;
}

void replay_end(struct rerun *rerun)
{
    if (rerun && rerun->is_free) {
        free_rerun_finish((struct free_rerun *)rerun);
    } else if (rerun) {
        rerun_finish(rerun);
    }
    free(rerun);
}
