/*
 * SFPCONFIG: constants, LaneConfig and LoadMacroConfig; instruction templates; what power-on and the
 * seed register do (SPEC: BlackholeA0 SFPCONFIG, LReg, VectorUnit).
 */
#include "tensix/vector_common.h"

/* --- Power-on, seed --- */

void tensix_vector_init(struct tensix_vector *vector)
{
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        vector->lreg[TENSIX_LREG_ONE][lane] = UINT32_C(0x3f800000);
    }
}

void tensix_vector_derive(struct tensix_vector *vector)
{
    (void)vector;
}

void tensix_vector_seed(struct tensix *tensix, uint32_t seed)
{
    (void)tensix;
    (void)seed;
}

/* --- Instruction templates --- */

uint32_t tensix_vector_backdoor(struct tensix_vector *vector, const struct tensix_vector_op *op)
{
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        vector->macro[column].instruction[op->vd - TENSIX_LREG_BACKDOOR] = op->word;
    }
    return 0;
}

enum tensix_exec tensix_vector_fault(struct tensix *tensix, const struct tensix_vector_op *op,
                                     const char *rule)
{
    return tensix_fault(tensix, op->thread, TENSIX_FAULT_UNDEFINED, "%s: %s",
                        tensix_rows[op->row].mnemonic, rule);
}

const char *tensix_vector_SFPCONFIG(struct tensix *tensix, const struct tensix_vector_op *op,
                          uint32_t lanes)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL; /* NOT YET */
}

TENSIX_VECTOR_RUNNER(SFPCONFIG)
