/*
 * The simple sub-unit: bits, integers, fields of FP32, approximations, moves (SPEC: the pages of the
 * instructions).
 */
#include "tensix/vector_common.h"

const char *tensix_vector_SFPABS(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPAND(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPOR(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPXOR(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPNOT(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPLZ(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPSHFT(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPIADD(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPEXEXP(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPEXMAN(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPSETEXP(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPSETMAN(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPSETSGN(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPDIVP2(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPMOV(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPCAST(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPARECIP(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPSWAP(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPTRANSP(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

TENSIX_VECTOR_RUNNER(SFPABS)
TENSIX_VECTOR_RUNNER(SFPAND)
TENSIX_VECTOR_RUNNER(SFPOR)
TENSIX_VECTOR_RUNNER(SFPXOR)
TENSIX_VECTOR_RUNNER(SFPNOT)
TENSIX_VECTOR_RUNNER(SFPLZ)
TENSIX_VECTOR_RUNNER(SFPSHFT)
TENSIX_VECTOR_RUNNER(SFPIADD)
TENSIX_VECTOR_RUNNER(SFPEXEXP)
TENSIX_VECTOR_RUNNER(SFPEXMAN)
TENSIX_VECTOR_RUNNER(SFPSETEXP)
TENSIX_VECTOR_RUNNER(SFPSETMAN)
TENSIX_VECTOR_RUNNER(SFPSETSGN)
TENSIX_VECTOR_RUNNER(SFPDIVP2)
TENSIX_VECTOR_RUNNER(SFPMOV)
TENSIX_VECTOR_RUNNER(SFPCAST)
TENSIX_VECTOR_RUNNER(SFPARECIP)
TENSIX_VECTOR_RUNNER(SFPSWAP)
TENSIX_VECTOR_RUNNER(SFPTRANSP)
