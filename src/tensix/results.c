/*
 * Results that are under way in timed runs: loads of the Scalar Unit, RDCFG, WRCFG, STREAMWRCFG.
 *
 * Invariant: result[0 .. results - 1] are in the order in which they were issued; those that are
 * due at the same time arrive in that order.
 */
#include "tensix/exec.h"

static void arrive(struct tensix *tensix, const struct tensix_result *result)
{
    enum { MOST = sizeof result->value / sizeof result->value[0] };
    for (unsigned i = 0; i < result->count && i < MOST; i++) {
        if (result->is_config) {
            tensix_put_config(tensix, result->thread, result->state, result->first + i,
                              result->mask, result->value[i]);
        } else {
            tensix_store_gpr(tensix, result->thread, result->first + i, result->mask,
                             result->value[i]);
        }
    }
}

static void forget_result(struct tensix *tensix, unsigned i)
{
    tensix->results--;
    memmove(&tensix->result[i], &tensix->result[i + 1],
            (tensix->results - i) * sizeof tensix->result[0]);
}

/* The one that is due first. */
static unsigned earliest(const struct tensix *tensix)
{
    unsigned first = 0;
    for (unsigned i = 1; i < tensix->results; i++) {
        if (tensix->result[i].due < tensix->result[first].due) {
            first = i;
        }
    }
    return first;
}

static void let_arrive(struct tensix *tensix, unsigned i)
{
    struct tensix_result result = tensix->result[i];
    forget_result(tensix, i);
    arrive(tensix, &result);
}

/* What a memory request brings is not there when its instruction is over. */
static void touch_awaited(struct tensix *tensix, const struct tensix_result *result)
{
    if (result->requested) {
        tensix_touch(tensix, TENSIX_AWAITS, OBSERVED_STATE_GPR,
                     (unsigned)result->thread * TENSIX_GPRS + result->first, result->count);
    }
}

void tensix_deliver(struct tensix *tensix, struct tensix_result *result, unsigned latency)
{
    for (unsigned i = 0; result->is_config && i < result->count; i++) {
        tensix_report_race(tensix, result->thread, result->state, result->first + i, result->mask,
                           result->value[i]);
    }
    if (result->is_config) {
        tensix_note_fresh(tensix, result);
    }
    if (!tensix->timing) {
        result->due = tensix->now;
        arrive(tensix, result);
        touch_awaited(tensix, result);
        return;
    }
    result->due = tensix->now + latency;
    result->issued = tensix->now;
    result->word = tensix->thread[result->thread].next;
    result->origin = tensix->thread[result->thread].origin;
    if (tensix->results == TENSIX_RESULTS) {
        let_arrive(tensix, earliest(tensix));
    }
    tensix->result[tensix->results++] = *result;
}

void tensix_results_arrive(struct tensix *tensix, uint64_t now)
{
    while (tensix->results > 0) {
        unsigned first = earliest(tensix);
        if (tensix->result[first].due > now) {
            return;
        }
        let_arrive(tensix, first);
    }
}

bool tensix_requests_pending(const struct tensix *tensix, unsigned thread)
{
    for (unsigned i = 0; i < tensix->results; i++) {
        if (tensix->result[i].requested && tensix->result[i].thread == thread) {
            return true;
        }
    }
    return false;
}

/* --- Instructions that read a GPR before a result is there --- */

/* The GPR that a row reads bits of which the result is to write; TENSIX_GPRS: none. */
static unsigned awaited_gpr(const struct tensix_result *result, unsigned row, uint32_t word)
{
    for (unsigned gpr = result->first; gpr < result->first + (unsigned)result->count; gpr++) {
        if (tensix_gpr_bits_read(row, word, gpr) & result->mask) {
            return gpr;
        }
    }
    return TENSIX_GPRS;
}

const struct tensix_result *tensix_find_early_read(const struct tensix *tensix, unsigned thread,
                                                   uint32_t word, uint64_t now, unsigned *gpr)
{
    unsigned row = tensix_row_of(word);
    for (unsigned i = 0; i < tensix->results && row < TENSIX_ROWS; i++) {
        const struct tensix_result *result = &tensix->result[i];
        if (result->thread == thread && !result->is_config && result->issued < now) {
            *gpr = awaited_gpr(result, row, word);
            if (*gpr < TENSIX_GPRS) {
                return result;
            }
        }
    }
    return NULL;
}

void tensix_report_early_read(struct tensix *tensix, unsigned thread,
                              const struct tensix_result *result, unsigned gpr)
{
    uint32_t word = tensix->thread[thread].next;
    tensix_fault(tensix, thread, PENROSE_FAULT_GPR_HAZARD,
                 "%s reads GPR %u before the result of %s of trisc%u at pc 0x%08x is there; "
                 "STALLWAIT(%s, %s) is missing",
                 tensix_mnemonic(word), gpr, tensix_mnemonic(result->word), result->thread,
                 result->origin.pc, tensix_block_name(word),
                 result->requested ? "THCON" : "CFG_EXU");
}
