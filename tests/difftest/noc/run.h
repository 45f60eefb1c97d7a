/* A run of a program on one side, and what it leaves. */
#ifndef DIFFTEST_NOC_RUN_H
#define DIFFTEST_NOC_RUN_H

#include "../common/side.h"
#include "link.h"

#define TESTER "difftest-noc" /* the name of its workers, too */

struct outcome {
    enum ending ending;
    uint8_t *answer; /* what was read back */
    size_t room;
    char message[MESSAGE_SIZE]; /* the last line that the library printed */
    double seconds;             /* between the request and its answer */
};

/* Starts a run; false when no worker can be started (outcome->message says why). */
bool run_start(struct side *side, const struct image *image, struct outcome *outcome);

/* Waits for its end. */
void run_finish(struct side *side, const struct image *image, struct outcome *outcome);

#endif
