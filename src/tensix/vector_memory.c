/*
 * The load and store sub-units: between Dst and LRegs, and immediates (SPEC: BlackholeA0 SFPLOAD,
 * SFPSTORE, SFPLOADI).
 */
#include "tensix/vector_common.h"

const char *tensix_vector_SFPLOAD(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPSTORE(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPLOADI(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPNOP(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

TENSIX_VECTOR_RUNNER(SFPLOAD)
TENSIX_VECTOR_RUNNER(SFPSTORE)
TENSIX_VECTOR_RUNNER(SFPLOADI)
TENSIX_VECTOR_RUNNER(SFPNOP)
