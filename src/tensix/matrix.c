/*
 * The Matrix Unit, first part: RWCs, the hand-over of SrcA and SrcB, and clearing (SPEC: WormholeB0
 * MatrixUnit, RWCs and the pages of the instructions). matrix_math.c computes, matrix_move.c moves.
 */
#include "tensix/exec.h"
#include "tensix/rwc.h"
#include "tensix/src_banks.h"

/* --- RWCs --- */

static void set_src(uint32_t *counter, uint32_t *checkpoint, bool from_checkpoint, unsigned value)
{
    unsigned base = from_checkpoint ? *checkpoint : 0;
    *counter = *checkpoint = (base + value) & TENSIX_RWC_SRC_MASK;
}

static void set_dst(struct tensix_rwc *rwc, bool from_checkpoint, bool from_counter, unsigned value)
{
    unsigned base = from_counter ? rwc->dst : from_checkpoint ? rwc->dst_cr : 0;
    rwc->dst = rwc->dst_cr = (base + value) & TENSIX_RWC_DST_MASK;
}

/* SPEC: DstCtoCr sets Dst even where the mask does not name it; the other Cr bits only choose what
 * is added. (The seeds look for DstCtoCr in the mask, where that bit is Fidelity.) Not inlined:
 * taking all operands would cost the usual case most of its time. */
static __attribute__((noinline)) enum tensix_exec set_rwc(struct tensix *tensix, unsigned thread,
                                                          uint32_t word)
{
    const struct tensix_args_SETRWC args = tensix_decode_SETRWC(word);
    struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    if (args.src_a) {
        set_src(&rwc->src_a, &rwc->src_a_cr, args.src_a_cr, args.src_a_val);
    }
    if (args.src_b) {
        set_src(&rwc->src_b, &rwc->src_b_cr, args.src_b_cr, args.src_b_val);
    }
    if (args.dst || args.dst_c_to_cr) {
        set_dst(rwc, args.dst_cr, args.dst_c_to_cr, args.dst_val);
    }
    if (args.fidelity) {
        rwc->fidelity = 0;
    }
    if (args.flip_src_a) {
        tensix_src_release(tensix, TENSIX_SRC_A,
                           tensix_get_CLR_DVALID_SrcA_Disable(tensix, thread));
    }
    if (args.flip_src_b) {
        tensix_src_release(tensix, TENSIX_SRC_B,
                           tensix_get_CLR_DVALID_SrcB_Disable(tensix, thread));
    }
    return TENSIX_DONE;
}

/* Usually there are no carriage returns, and no bank is given back. */
static enum tensix_exec exec_SETRWC(struct tensix *tensix, unsigned thread,
                                    const struct tensix_args_SETRWC *args)
{
    struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    if (args->rwc_cr | args->clear_ab_vld) {
        return set_rwc(tensix, thread, args->word);
    }
    if (args->src_a) {
        rwc->src_a = rwc->src_a_cr = args->src_a_val;
    }
    if (args->src_b) {
        rwc->src_b = rwc->src_b_cr = args->src_b_val;
    }
    if (args->dst) {
        rwc->dst = rwc->dst_cr = args->dst_val;
    }
    if (args->fidelity) {
        rwc->fidelity = 0;
    }
    return TENSIX_DONE;
}

/* GUESS: bit 21 moves the checkpoint of Dst along, as in SETRWC and in address modifiers; see the
 * row. */
static __attribute__((noinline)) enum tensix_exec
increment_rwc(struct tensix *tensix, unsigned thread, uint32_t word)
{
    const struct tensix_args_INCRWC args = tensix_decode_INCRWC(word);
    struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    tensix_rwc_step_src(&rwc->src_a, &rwc->src_a_cr, args.src_a_cr, args.src_a_inc);
    tensix_rwc_step_src(&rwc->src_b, &rwc->src_b_cr, args.src_b_cr, args.src_b_inc);
    tensix_rwc_step_dst(rwc, args.dst_cr, args.dst_c_to_cr, args.dst_inc);
    return TENSIX_DONE;
}

static enum tensix_exec exec_INCRWC(struct tensix *tensix, unsigned thread,
                                    const struct tensix_args_INCRWC *args)
{
    struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    if (args->rwc_cr) {
        return increment_rwc(tensix, thread, args->word);
    }
    rwc->src_a = (rwc->src_a + args->src_a_inc) & TENSIX_RWC_SRC_MASK;
    rwc->src_b = (rwc->src_b + args->src_b_inc) & TENSIX_RWC_SRC_MASK;
    rwc->dst = (rwc->dst + args->dst_inc) & TENSIX_RWC_DST_MASK;
    return TENSIX_DONE;
}

/* --- Banks of SrcA and SrcB --- */

static void clear_valid(struct tensix *tensix, enum tensix_src src, bool keep_reading_same_src)
{
    if (keep_reading_same_src) {
        tensix_src_withdraw(tensix, src);
    } else {
        tensix_src_release(tensix, src, false);
    }
}

/* CLR_DVALID_SrcA_Disable and SrcB_Disable do not matter here. */
static enum tensix_exec exec_CLEARDVALID(struct tensix *tensix, unsigned thread,
                                         const struct tensix_args_CLEARDVALID *args)
{
    (void)thread;
    if (args->reset) {
        tensix_src_reset(tensix, TENSIX_SRC_A);
        tensix_src_reset(tensix, TENSIX_SRC_B);
        return TENSIX_DONE;
    }
    if (args->flip_src_a) {
        clear_valid(tensix, TENSIX_SRC_A, args->keep_reading_same_src);
    }
    if (args->flip_src_b) {
        clear_valid(tensix, TENSIX_SRC_B, args->keep_reading_same_src);
    }
    return TENSIX_DONE;
}

/* It empties a cache of SrcB, which does not exist here and would always be right. */
static enum tensix_exec exec_GATESRCRST(struct tensix *tensix, unsigned thread,
                                        const struct tensix_args_GATESRCRST *args)
{
    (void)tensix;
    (void)thread;
    (void)args;
    return TENSIX_DONE;
}

/* --- Not yet: a handler takes the place of its line --- */

#define NOT_YET(token)                                                                             \
    static enum tensix_exec exec_##token(struct tensix *tensix, unsigned thread,                   \
                                         const struct tensix_args_##token *args)                   \
    {                                                                                              \
        return tensix_skip(tensix, thread, args->word);                                            \
    }                                                                                              \
    TENSIX_RUNNER(token)

NOT_YET(ZEROACC)
NOT_YET(ZEROSRC)
NOT_YET(CLREXPHIST)

#undef NOT_YET

TENSIX_RUNNER(SETRWC)
TENSIX_RUNNER(INCRWC)
TENSIX_RUNNER(CLEARDVALID)
TENSIX_RUNNER(GATESRCRST)
