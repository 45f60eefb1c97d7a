/* How long things took. */
#ifndef DIFFTEST_CLOCK_H
#define DIFFTEST_CLOCK_H

#include "isa/host_time.h"

/* Seconds since host_nanoseconds() was `start`. */
static inline double seconds_since(uint64_t start)
{
    return (double)(host_nanoseconds() - start) * 1e-9;
}

#endif
