/*
 * The right to use the banks of SrcA and SrcB (SPEC: WormholeB0 SrcASrcB, SETDVALID, CLEARDVALID,
 * SETRWC; BlackholeA0 SoftReset).
 *
 * Each side has a current bank. It hands that bank over and turns to the other one, whoever has
 * that. A user of a bank waits until it may use it. On no page it is an error to hand over a bank
 * that the other side already has: the bank stays there, and the giver turns to the other one all
 * the same.
 *
 * In a timed run the Matrix Unit gets a bank when the unpacker has fetched its data and it knows of
 * that. But the unpackers may not use the bank any more from the start. They get it back a while
 * after the Matrix Unit has given it, which may not use it any more from the start either.
 *
 * Invariant: while a bit of SOFT_RESET_0 holds the banks, they are as tensix_src_reset leaves them.
 */
#include "tensix/src_banks.h"

#include "tensix/exec.h"
#include "tensix/frontend/frontend.h"

static bool is_held(const struct tensix *tensix, enum tensix_src src)
{
    uint32_t bit = src == TENSIX_SRC_A ? TENSIX_RESET_SRCA_CLIENT : TENSIX_RESET_SRCB;
    return tensix->held & bit;
}

/* A bank that was given back may be what another thread waits for: it can go on. */
static void let_go_on(struct tensix *tensix, uint64_t now)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_thread *thread = &tensix->thread[i];
        if (!tensix->timing && thread->blocked && thread->wait == TENSIX_WAITS_FOR_SRC) {
            thread->blocked = false;
            thread->time = thread->time > now ? thread->time : now + 1;
        }
    }
}

/* An UNPACR that waits for the bank goes on behind the instruction at hand, which may still use its
 * data. */
static void note_awaited(struct tensix *tensix, enum tensix_src src)
{
    if (tensix_unpack_is_held(tensix, src) && tensix_src_unpack_may(tensix, src)) {
        tensix->frees_unpacker = true;
        tensix->outcome.holds = true;
    }
}

static void touch_bank(struct tensix *tensix, enum tensix_src src, unsigned bank)
{
    tensix_touch(tensix, TENSIX_CHANGES, OBSERVED_STATE_SRC_BANK, 2 * src + bank, 1);
}

/* Timed runs: when the Matrix Unit may use what is handed over now. */
static uint64_t valid_at(const struct tensix *tensix, enum tensix_src src)
{
    const uint64_t fetched = tensix->unpacker[src].free_at;
    if (!tensix->timing) {
        return 0;
    }
    return (fetched > tensix->now ? fetched : tensix->now) +
           timing_cycles(tensix->timing, TIMING_SRC_VALID);
}

void tensix_src_give(struct tensix *tensix, enum tensix_src src)
{
    struct tensix_src_banks *banks = &tensix->src[src];
    if (!is_held(tensix, src)) {
        touch_bank(tensix, src, banks->unpack_bank);
        tensix_touch(tensix, TENSIX_CHANGES, OBSERVED_STATE_SRC_BANK, 4 + src, 1);
        if (!banks->matrix_may[banks->unpack_bank]) {
            banks->matrix_may[banks->unpack_bank] = true;
            banks->given_at[banks->unpack_bank] = valid_at(tensix, src);
        }
        banks->unpack_bank ^= 1;
        note_awaited(tensix, src);
        tensix_reconsider(tensix, tensix->now);
    }
}

void tensix_src_release(struct tensix *tensix, enum tensix_src src, bool keep)
{
    struct tensix_src_banks *banks = &tensix->src[src];
    if (!is_held(tensix, src)) {
        touch_bank(tensix, src, banks->matrix_bank);
        if (tensix->timing && banks->matrix_may[banks->matrix_bank] && !keep) {
            banks->freed_at[banks->matrix_bank] =
                tensix->now + timing_cycles(tensix->timing, TIMING_SRC_FREE);
        }
        banks->matrix_may[banks->matrix_bank] &= keep;
        banks->matrix_bank ^= 1;
        if (!tensix_unpack_is_held(tensix, src)) { /* flights are by unpacker */
            tensix->flight[src].until = 0;         /* what filled the bank is over */
        }
        note_awaited(tensix, src);
        let_go_on(tensix, tensix->now);
        tensix_reconsider(tensix, tensix->now);
    }
}

bool tensix_src_comes_later(struct tensix *tensix, unsigned thread, unsigned banks,
                            enum tensix_src *src)
{
    bool others_go_on = false;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_thread *other = &tensix->thread[i];
        others_go_on |= i != thread && !other->blocked && tensix_has_more(other);
    }
    if (tensix->timing || !others_go_on) {
        return false;
    }
    for (unsigned i = 0; i < TENSIX_SRCS; i++) {
        if (banks >> i & 1 && !tensix_src_matrix_may(tensix, (enum tensix_src)i) &&
            !is_held(tensix, (enum tensix_src)i)) {
            *src = (enum tensix_src)i;
            tensix->is_polite = true;
            return true;
        }
    }
    return false;
}

void tensix_src_withdraw(struct tensix *tensix, enum tensix_src src)
{
    struct tensix_src_banks *banks = &tensix->src[src];
    if (!is_held(tensix, src)) {
        banks->matrix_may[banks->matrix_bank] = false;
        note_awaited(tensix, src);
        tensix_reconsider(tensix, tensix->now);
    }
}

void tensix_src_reset(struct tensix *tensix, enum tensix_src src)
{
    tensix->src[src] = (struct tensix_src_banks){.matrix_bank = 0};
    tensix_reconsider(tensix, tensix->now);
}
