/*
 * One of the two libraries, as a tester sees it: a worker process that is started when it is
 * needed, replaced when it serves no more, and whose death is caught and explained.
 */
#ifndef DIFFTEST_SIDE_H
#define DIFFTEST_SIDE_H

#include <sys/types.h>
#include <sys/uio.h>

#include "ending.h"
#include "request.h"

struct side {
    const char *program; /* the tester's name, which its workers have too */
    const char *library;
    const char *role; /* "ours", "reference" */
    unsigned timeout; /* seconds */
    pid_t pid;        /* 0: no worker */
    int requests, answers, messages;
    uint32_t requests_left;      /* that the worker serves */
    char text[MESSAGE_SIZE * 2]; /* the end of what the library printed during this request */
    size_t length;
    uint64_t sent;  /* when the request was, by host_nanoseconds */
    double seconds; /* between the request and the beginning of its answer */
};

void side_init(struct side *side, const char *program, const char *library, const char *role,
               unsigned timeout);
void side_stop(struct side *side);

/* Starts a worker; false: the library cannot be used, and *message says why. */
bool side_open(struct side *side, char message[MESSAGE_SIZE]);

/* Sends a request to the worker, a new one where needed; false as above. */
bool side_start(struct side *side, const struct request *request, char message[MESSAGE_SIZE]);

/* Waits for the answer, puts it into the parts one after the other, and stops a worker that did not
 * come to an end. *message becomes the last line that the library printed, or says more. */
enum ending side_finish(struct side *side, const struct iovec *part, unsigned parts,
                        char message[MESSAGE_SIZE]);

/* Puts the side's name before a text that tells of trouble; false. */
bool side_trouble(const struct side *side, const char *text, char trouble[MESSAGE_SIZE]);

#endif
