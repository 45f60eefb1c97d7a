/* Responses for which kernels that have ended have not waited. */
#ifndef OBSERVE_WAITS_LEFT_H
#define OBSERVE_WAITS_LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/penrose.h>

/* A request of a hart whose kernel has ended, for whose response it has not waited. */
struct response_left {
    unsigned noc, kind, hart; /* kind: 0 read, 1 write, 2 atomic */
    uint16_t node;            /* its tile */
    uint32_t pc;
    uint64_t
        code; /* a hash of the code around it: kernels follow one another at the same addresses */
};

/* Calls `visit` for those of workers that run firmware; all_ended: of all harts. */
void responses_visit_left(const struct penrose_chip *chip, bool all_ended,
                          void (*visit)(void *context, const struct response_left *left),
                          void *context);

/* Records it as a fault, and says what that does. */
enum penrose_policy responses_note_left(struct penrose_chip *chip,
                                        const struct response_left *left);

#endif
