/*
 * Waits between units. The Scalar and the Config unit share the GPRs and take different times, so
 * an instruction of one that uses a GPR after the other used GPRs is a race unless something
 * waits: STALLWAIT for the Scalar unit; for the Config unit, which the reference cannot wait for,
 * a few instructions that do nothing.
 */
#ifndef DIFFTEST_TENSIX_FENCE_H
#define DIFFTEST_TENSIX_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#define FENCE_NOP UINT32_C(0x02000000)

enum { MOST_FENCES = 8 };

/* What a thread has under way; all zero at the start. */
struct fence {
    bool scalar, config; /* GPRs were used by the unit, and nothing has waited since */
    unsigned recording;  /* instructions that go to the replay buffer: nothing may come between */
};

/* The instructions that must precede `word`; their number. Then takes note of `word`. */
unsigned fence_before(struct fence *fence, uint32_t word, uint32_t before[MOST_FENCES]);

#endif
