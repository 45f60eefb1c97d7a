/*
 * The fixture of programs that test one coprocessor: each test begins with a coprocessor as after
 * power-on, and with the same random numbers.
 */
#ifndef TENSIX_FIXTURE_H
#define TENSIX_FIXTURE_H

#include "unit/random.h"
#include "unit/tensix/tensix_harness.h"

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static uint64_t dice;

static inline void setup(void)
{
    tensix_harness_open(&harness);
    dice = 1;
}

static inline void teardown(void)
{
    tensix_harness_close(&harness);
}

#endif
