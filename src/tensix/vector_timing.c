/*
 * When instructions of the Vector Unit may follow each other: automatic stalls, and hazards that are
 * left to software (SPEC: BlackholeA0 SFPMAD, instruction scheduling).
 */
#include "tensix/vector_common.h"

enum tensix_exec tensix_vector_report_hazard(struct tensix *tensix,
                                             const struct tensix_vector_op *op, uint32_t reads)
{
    (void)reads;
    return tensix_fault(tensix, op->thread, TENSIX_FAULT_HAZARD, "%s reads too early",
                        tensix_rows[op->row].mnemonic);
}
