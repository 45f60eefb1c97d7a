/* What the checks of a chip have found so far, and what they are told. */
#ifndef OBSERVE_CHECK_TELL_H
#define OBSERVE_CHECK_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/penrose.h>

struct check_result {
    uint64_t findings;
    bool is_blind;  /* nothing was launched, so nothing was checked */
    char text[400]; /* that, and what was not checked, in a sentence */
};

/* False: no check is on. */
bool check_tell(struct penrose_chip *chip, struct check_result *result);

/* All harts have ended, before check_tell. Judges what bare programs leave open. */
void check_programs_ended(struct penrose_chip *chip);

/* A buffer in L1 or GDDR, by the coordinates of the tile or of any tile of the bank. */
struct check_allocation {
    unsigned x, y;
    uint64_t address, size;
    bool is_circular;
    const char *name; /* as its program calls it */
};

/* A program has allocated a buffer. From the first one in a memory on, its kernels may access
 * nothing else there. Does nothing where the check memory is not on. False: there is no memory. */
bool check_allocated(struct penrose_chip *chip, const struct check_allocation *allocation);

#endif
