/* A run of a program on one side. */
#ifndef DIFFTEST_TENSIX_RUN_H
#define DIFFTEST_TENSIX_RUN_H

#include "../common/side.h"
#include "guest.h"

#define TESTER "difftest-tensix" /* the name of its workers, too */

/* Starts a run; false when no worker can be started (outcome->message says why). */
bool run_start(struct side *side, const struct image *image, struct outcome *outcome);

/* Waits for its end. */
void run_finish(struct side *side, const struct image *image, const struct state_map *map,
                struct outcome *outcome);

#endif
