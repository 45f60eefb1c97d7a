/*
 * What kernels leave behind when they return: requests for whose responses they have not waited. The
 * program tells of them at the end of a run, the library as soon as the host has seen something new
 * and the harts that asked wait for work again. Each request is told once, by where it was made.
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
    bool has_new;      /* while it is looked for */
};

struct device;

void leftovers_tell(struct device *device);

#endif
