/*
 * Address modifiers: how an instruction of the Matrix or Vector Unit leaves the RWCs for the next
 * one (SPEC: WormholeB0 RWCs; BlackholeA0 SFPLOAD). A modifier is three words of ThreadConfig that
 * SETC16 fills in.
 *
 * In Blackhole an instruction names any of the eight modifiers with three bits. WormholeB0 has two
 * bits and takes modifiers 4 to 7 while ExtraAddrModBit or ADDR_MOD_SET_Base is set; Blackhole has
 * no ADDR_MOD_SET_Base (its other per-thread fields moved up), but still the bias fields that flip
 * the bit. GUESS: the bit adds 4 modulo 8; LLK never sets it, ttsim refuses it.
 */
#include "tensix/exec.h"
#include "tensix/rwc.h"

enum { MODIFIERS = 8, UPPER_HALF = 4 };

/* ThreadConfig words ADDR_MOD_AB_SEC, ADDR_MOD_DST_SEC and ADDR_MOD_BIAS_SEC of all eight. */
_Static_assert(TENSIX_WORD_ADDR_MOD_AB_SEC7_SrcAIncr ==
                   TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + MODIFIERS - 1,
               "words of the eight modifiers follow each other");
_Static_assert(TENSIX_WORD_ADDR_MOD_DST_SEC7_DestIncr ==
                   TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + MODIFIERS - 1,
               "words of the eight modifiers follow each other");
_Static_assert(TENSIX_WORD_ADDR_MOD_BIAS_SEC7_BiasIncr ==
                   TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr + MODIFIERS - 1,
               "words of the eight modifiers follow each other");

/* The halves of an AB word. */
enum { SRC_INCR = 0x3f, SRC_CR = 1 << 6, SRC_CLEAR = 1 << 7, SRC_B_SHIFT = 8 };
/* A DST word. DestIncr is signed, which addition modulo the counter's ten bits does by itself. */
enum {
    DEST_INCR = 0x3ff,
    DEST_CR = 1 << 10,
    DEST_CLEAR = 1 << 11,
    DEST_C_TO_CR = 1 << 12,
    FIDELITY_SHIFT = 13,
    FIDELITY_CLEAR = 1 << 15,
};
/* A BIAS word: only two of the four bits of BiasIncr count, and only whether they are 0. */
enum { BIAS_INCR = 3, BIAS_CLEAR = 1 << 4 };

static void modify_src(uint32_t *counter, uint32_t *checkpoint, unsigned half)
{
    if (half & SRC_CLEAR) {
        *counter = *checkpoint = 0;
    } else {
        tensix_rwc_step_src(counter, checkpoint, half & SRC_CR, half & SRC_INCR);
    }
}

/* SPEC: clearing comes before CToCR, and that before CR. */
static void modify_dst(struct tensix_rwc *rwc, unsigned word)
{
    if (word & DEST_CLEAR) {
        rwc->dst = rwc->dst_cr = 0;
    } else {
        tensix_rwc_step_dst(rwc, word & DEST_CR, word & DEST_C_TO_CR, word & DEST_INCR);
    }
}

static void modify_fidelity(struct tensix_rwc *rwc, unsigned word)
{
    unsigned next = rwc->fidelity + (word >> FIDELITY_SHIFT);
    rwc->fidelity = word & FIDELITY_CLEAR ? 0 : next & TENSIX_RWC_FIDELITY_MASK;
}

static void touch_modifier(struct tensix *tensix, unsigned first)
{
    tensix_touch(tensix, TENSIX_READS, OBSERVED_STATE_THREAD_CONFIG,
                 first + TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr, 1);
    tensix_touch(tensix, TENSIX_READS, OBSERVED_STATE_THREAD_CONFIG,
                 first + TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr, 1);
    tensix_touch(tensix, TENSIX_READS, OBSERVED_STATE_THREAD_CONFIG,
                 first + TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr, 1);
}

/* Answers the DST word, where fidelity is. */
static unsigned modify(struct tensix *tensix, unsigned thread, unsigned addr_mod)
{
    struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    const uint16_t *config = tensix->thread_config[thread];
    unsigned index = (addr_mod + UPPER_HALF * rwc->extra_mod) % MODIFIERS;
    unsigned ab = config[TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + index];
    unsigned dst = config[TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + index];
    unsigned bias = config[TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr + index];
    if (tensix_wants_work(tensix)) {
        touch_modifier(tensix, thread * TENSIX_THREAD_WORDS + index);
    }
    modify_src(&rwc->src_a, &rwc->src_a_cr, ab);
    modify_src(&rwc->src_b, &rwc->src_b_cr, ab >> SRC_B_SHIFT);
    modify_dst(rwc, dst);
    if (bias & BIAS_CLEAR) {
        rwc->extra_mod = 0;
    } else if (bias & BIAS_INCR) {
        rwc->extra_mod ^= 1; /* SPEC: plus 1, in one bit */
    }
    return dst;
}

void tensix_apply_addr_mod(struct tensix *tensix, unsigned thread, unsigned addr_mod)
{
    modify_fidelity(&tensix->thread[thread].rwc, modify(tensix, thread, addr_mod));
}

/* SPEC: the fidelity stays. */
void tensix_apply_partial_addr_mod(struct tensix *tensix, unsigned thread, unsigned addr_mod)
{
    (void)modify(tensix, thread, addr_mod);
}
