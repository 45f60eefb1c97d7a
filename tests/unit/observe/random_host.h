/* A host that does all sorts of things to a chip, right and wrong, and has memory of its own. */
#ifndef RANDOM_HOST_H
#define RANDOM_HOST_H

#include <penrose/penrose.h>

enum { RANDOM_HOST_BYTES = 4096 };

struct random_host {
    struct penrose_chip *chip;
    uint32_t seed;
    uint8_t memory[RANDOM_HOST_BYTES];
};

/* The chip reaches its memory, where no two reads give the same. */
void random_host_connect(struct random_host *host);

/* One thing. */
void random_host_act(struct random_host *host);

#endif
