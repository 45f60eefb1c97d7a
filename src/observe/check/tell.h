/* What the checks of a chip have found so far. */
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

#endif
