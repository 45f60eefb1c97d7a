/*
 * NoC requests for whose responses a kernel has not waited when it returned. The program reports
 * them at the end of a run. The library reports them as soon as the host has seen something new and
 * the harts that made them wait for work again. Each request is a fault once, at the place where it
 * was made.
 */
#ifndef ABI_LEFTOVERS_H
#define ABI_LEFTOVERS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_LEFTOVERS = 64 };

struct leftovers {
    uint64_t checked;              /* the cycle in which that was looked for last */
    uint64_t told[MOST_LEFTOVERS]; /* hashes of requests */
    unsigned count;
    unsigned searches; /* for firmware, in vain */
};

struct device;

/* Reports new ones. */
void leftovers_tell(struct device *device);

#endif
