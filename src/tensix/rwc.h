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

/* A DST word of a modifier. DestIncr is signed, which addition modulo the counter's ten bits does
 * by itself. */
enum {
    TENSIX_DEST_INCR = 0x3ff,
    TENSIX_DEST_CR = 1 << 10,
    TENSIX_DEST_CLEAR = 1 << 11,
    TENSIX_DEST_C_TO_CR = 1 << 12,
};

/* What SFPLOAD and SFPSTORE usually have: the modifier does nothing but step Dst, by that much.
 * Does modifier `index` (ExtraAddrModBit counted in) do more? */
static inline bool tensix_modifier_is_step(const struct tensix *tensix, unsigned thread,
                                           unsigned index, unsigned *step)
{
    const uint16_t *config = tensix->thread_config[thread];
    unsigned dst = config[TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + index];
    *step = dst & TENSIX_DEST_INCR;
    return !(config[TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + index] |
             config[TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr + index] |
             (dst & (TENSIX_DEST_CR | TENSIX_DEST_CLEAR | TENSIX_DEST_C_TO_CR)));
}

#endif
