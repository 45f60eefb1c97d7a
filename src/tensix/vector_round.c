/*
 * The round sub-unit: rounding conversions, shuffles of lanes (SPEC: BlackholeA0 SFPSTOCHRND, SFPSHFT2).
 */
#include "tensix/vector_common.h"

const char *tensix_vector_SFP_STOCH_RND(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPSHFT2(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

TENSIX_VECTOR_RUNNER(SFP_STOCH_RND)
TENSIX_VECTOR_RUNNER(SFPSHFT2)
