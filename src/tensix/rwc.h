/*
 * Stepping of the RWCs, which INCRWC and the address modifiers share (SPEC: WormholeB0 RWCs,
 * INCRWC). A counter has a checkpoint ("Cr", LLK's carriage return): a step goes either from the
 * counter, or from the checkpoint and then moves both.
 */
#ifndef TENSIX_RWC_H
#define TENSIX_RWC_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/config/regs.h"

enum {
    TENSIX_RWC_SRC_MASK = 0x3f,
    TENSIX_RWC_DST_MASK = 0x3ff,
    TENSIX_RWC_FIDELITY_MASK = 3,
    TENSIX_RWC_SP_MASK = 0x3ff,
};

/* A counter of SrcA or SrcB. */
static inline void tensix_rwc_step_src(uint32_t *counter, uint32_t *checkpoint,
                                       bool from_checkpoint, unsigned increment)
{
    if (from_checkpoint) {
        *checkpoint = (*checkpoint + increment) & TENSIX_RWC_SRC_MASK;
        *counter = *checkpoint;
    } else {
        *counter = (*counter + increment) & TENSIX_RWC_SRC_MASK;
    }
}

/* The counter of Dst; with `to_checkpoint` the step goes from the counter and moves both. */
static inline void tensix_rwc_step_dst(struct tensix_rwc *rwc, bool from_checkpoint,
                                       bool to_checkpoint, unsigned increment)
{
    if (to_checkpoint) {
        rwc->dst = (rwc->dst + increment) & TENSIX_RWC_DST_MASK;
        rwc->dst_cr = rwc->dst;
    } else if (from_checkpoint) {
        rwc->dst_cr = (rwc->dst_cr + increment) & TENSIX_RWC_DST_MASK;
        rwc->dst = rwc->dst_cr;
    } else {
        rwc->dst = (rwc->dst + increment) & TENSIX_RWC_DST_MASK;
    }
}

#endif
