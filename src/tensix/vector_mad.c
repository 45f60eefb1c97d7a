/*
 * The MAD sub-unit: multiply-add and tables (SPEC: BlackholeA0 SFPMAD, SFPADDI, SFPMULI, SFPMUL24,
 * SFPLUT, SFPLUTFP32).
 */
#include "tensix/vector_common.h"

const char *tensix_vector_SFPMAD(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPADD(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPMUL(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPADDI(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPMULI(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPMUL24(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPLUT(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPLUTFP32(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

TENSIX_VECTOR_RUNNER(SFPMAD)
TENSIX_VECTOR_RUNNER(SFPADD)
TENSIX_VECTOR_RUNNER(SFPMUL)
TENSIX_VECTOR_RUNNER(SFPADDI)
TENSIX_VECTOR_RUNNER(SFPMULI)
TENSIX_VECTOR_RUNNER(SFPMUL24)
TENSIX_VECTOR_RUNNER(SFPLUT)
TENSIX_VECTOR_RUNNER(SFPLUTFP32)
