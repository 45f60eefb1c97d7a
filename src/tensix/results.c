/*
 * Results that are under way in timed runs: loads of the Scalar Unit, RDCFG, WRCFG, STREAMWRCFG.
 *
 * Invariant: result[0 .. results - 1] are in the order in which they were issued; those that are
 * due at the same time arrive in that order.
 */
#include "tensix/exec.h"

static void arrive(struct tensix *tensix, const struct tensix_result *result)
{
    for (unsigned i = 0; i < result->count; i++) {
        if (result->is_config) {
            tensix_put_config(tensix, result->thread, result->state, result->first + i,
                              result->mask, result->value[i]);
        } else {
            tensix_store_gpr(tensix, result->thread, result->first + i, result->mask,
                             result->value[i]);
        }
    }
}

static void forget(struct tensix *tensix, unsigned i)
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
    forget(tensix, i);
    arrive(tensix, &result);
}

void tensix_deliver(struct tensix *tensix, struct tensix_result *result, unsigned latency)
{
    for (unsigned i = 0; result->is_config && i < result->count; i++) {
        tensix_report_race(tensix, result->thread, result->state, result->first + i, result->mask,
                           result->value[i]);
    }
    if (!tensix->timed) {
        result->due = tensix->now;
        arrive(tensix, result);
        return;
    }
    result->due = tensix->now + latency;
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
