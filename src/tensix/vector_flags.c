/*
 * The simple sub-unit, flags and their stack: lane predication (SPEC: BlackholeA0 VectorUnit and the
 * pages of the instructions).
 */
#include "tensix/vector_common.h"

const char *tensix_vector_SFPENCC(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPSETCC(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPPUSHC(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPPOPC(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPCOMPC(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPLE(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

const char *tensix_vector_SFPGT(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

TENSIX_VECTOR_RUNNER(SFPENCC)
TENSIX_VECTOR_RUNNER(SFPSETCC)
TENSIX_VECTOR_RUNNER(SFPPUSHC)
TENSIX_VECTOR_RUNNER(SFPPOPC)
TENSIX_VECTOR_RUNNER(SFPCOMPC)
TENSIX_VECTOR_RUNNER(SFPLE)
TENSIX_VECTOR_RUNNER(SFPGT)
