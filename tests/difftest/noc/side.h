/*
 * One of the two libraries, as the tester sees it: a worker process that is started when it is
 * needed, and whose death is caught and explained.
 */
#ifndef DIFFTEST_NOC_SIDE_H
#define DIFFTEST_NOC_SIDE_H

#include <sys/types.h>

#include "link.h"

enum { MESSAGE_SIZE = 400 };

enum ending {
    ENDED,               /* the answer is there */
    ENDED_NOT,           /* the budget of clocks was used up */
    ENDED_DEATH,         /* the library ended its process */
    ENDED_SILENT,        /* the library did not come back in time, and was killed */
    ENDED_NEVER_STARTED, /* the library could not be used at all */
};

struct outcome {
    enum ending ending;
    uint8_t *answer; /* what was read back */
    size_t room;
    char message[MESSAGE_SIZE]; /* the last line that the library printed */
    double seconds;             /* between the request and its answer */
};

struct side {
    const char *library;
    const char *role; /* "ours", "reference" */
    unsigned timeout; /* seconds */
    pid_t pid;        /* 0: no worker */
    int requests, answers, messages;
    char text[MESSAGE_SIZE * 2]; /* the end of what the library printed during this request */
    size_t length;
    double sent;
};

void side_init(struct side *side, const char *library, const char *role, unsigned timeout);
void side_stop(struct side *side);

/* Starts a run; false when no worker can be started (outcome->message says why). */
bool side_start(struct side *side, const struct image *image, struct outcome *outcome);

/* Waits for its end. */
void side_finish(struct side *side, const struct image *image, struct outcome *outcome);

/* Can the library be used at all? Otherwise *message says why. */
bool side_works(struct side *side, char message[MESSAGE_SIZE]);

#endif
