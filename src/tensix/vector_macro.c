/*
 * SFPLOADMACRO: loads that schedule up to four instructions for the cycles to come (SPEC: BlackholeA0
 * SFPLOADMACRO).
 */
#include "tensix/vector_common.h"

void tensix_vector_run_schedules(struct tensix *tensix, uint64_t now)
{
    (void)tensix;
    (void)now;
}

enum tensix_exec tensix_vector_issue(struct tensix *tensix, const struct tensix_vector_op *op)
{
    return tensix_vector_fault(tensix, op, "not there yet");
}

const char *tensix_vector_SFPLOADMACRO(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

TENSIX_VECTOR_RUNNER(SFPLOADMACRO)
