/*
 * One of the two libraries, as the tester sees it: a worker process that is started when it is
 * needed, replaced when its tiles are used up, and whose death is caught and explained.
 */
#ifndef DIFFTEST_TENSIX_SIDE_H
#define DIFFTEST_TENSIX_SIDE_H

#include <sys/types.h>

#include "guest.h"

struct side {
    const char *library;
    const char *role; /* "ours", "reference" */
    unsigned timeout; /* seconds */
    pid_t pid;        /* 0: no worker */
    int requests, answers, messages;
    unsigned tiles_left;
    char text[MESSAGE_SIZE * 2]; /* the end of what the library printed during this request */
    size_t length;
};

void side_init(struct side *side, const char *library, const char *role, unsigned timeout);
void side_stop(struct side *side);

/* Starts a run; false when no worker can be started (outcome->ending says so). */
bool side_start(struct side *side, const struct image *image, struct outcome *outcome);

/* Waits for its end. */
void side_finish(struct side *side, const struct image *image, const struct state_map *map,
                 struct outcome *outcome);

/* Can the library be used at all? Otherwise *message says why. */
bool side_works(struct side *side, char message[MESSAGE_SIZE]);

#endif
