/*
 * Who may use the banks of SrcA and SrcB (SPEC: WormholeB0 SrcASrcB, SETDVALID, CLEARDVALID,
 * SETRWC; BlackholeA0 SoftReset).
 *
 * Either side has a bank that it is at. It hands that bank over and turns to the other one without
 * asking whose that is; who uses a bank waits until it may. Handing over what the other side
 * already has is no error on any page: the bank stays there, and the giver turns all the same.
 *
 * In a timed run the Matrix Unit gets a bank when the unpacker has fetched what goes there; who asks
 * whether the unpackers may use it sees at once that they may not.
 *
 * Invariant: while a bit of SOFT_RESET_0 holds the banks, they are as tensix_src_reset leaves them.
 */
#include "tensix/src_banks.h"

#include "tensix/exec.h"

static bool is_held(const struct tensix *tensix, enum tensix_src src)
{
    uint32_t bit = src == TENSIX_SRC_A ? TENSIX_RESET_SRCA_CLIENT : TENSIX_RESET_SRCB;
    return tensix->held & bit;
}

void tensix_src_give(struct tensix *tensix, enum tensix_src src)
{
    struct tensix_src_banks *banks = &tensix->src[src];
    if (!is_held(tensix, src)) {
        banks->matrix_may[banks->unpack_bank] = true;
        banks->given_at[banks->unpack_bank] = tensix->unpacker[src].free_at;
        banks->unpack_bank ^= 1;
        tensix_reconsider(tensix, tensix->now);
    }
}

void tensix_src_release(struct tensix *tensix, enum tensix_src src, bool keep)
{
    struct tensix_src_banks *banks = &tensix->src[src];
    if (!is_held(tensix, src)) {
        banks->matrix_may[banks->matrix_bank] &= keep;
        banks->matrix_bank ^= 1;
        tensix->flight[src].until = 0; /* what filled the bank is over: flights are by unpacker */
        tensix_reconsider(tensix, tensix->now);
    }
}

void tensix_src_withdraw(struct tensix *tensix, enum tensix_src src)
{
    struct tensix_src_banks *banks = &tensix->src[src];
    if (!is_held(tensix, src)) {
        banks->matrix_may[banks->matrix_bank] = false;
        tensix_reconsider(tensix, tensix->now);
    }
}

void tensix_src_reset(struct tensix *tensix, enum tensix_src src)
{
    tensix->src[src] = (struct tensix_src_banks){.matrix_bank = 0};
    tensix_reconsider(tensix, tensix->now);
}
