/* Instructions on CSRs. */
#include "rv32/exec.h"

enum csr_action { CSR_WRITE, CSR_SET, CSR_CLEAR };

static int64_t csr_access(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                          enum csr_action action, uint32_t operand, bool writes)
{
    uint32_t number = (uint32_t)op->imm >> 20;
    uint64_t now = rv32_now(hart, left);
    uint32_t old = 0;
    bool reads = action != CSR_WRITE || op->rd != RV32_SINK;
    if (reads && !rv32_csr_read(hart, number, now, &old)) {
        return rv32_refused(hart, op, left, ANSWER_REFUSED);
    }
    uint32_t value = action == CSR_WRITE ? operand
                     : action == CSR_SET ? old | operand
                                         : old & ~operand;
    if (writes && !rv32_csr_write(hart, number, now, value)) {
        return rv32_refused(hart, op, left, ANSWER_REFUSED);
    }
    hart->x[op->rd] = old;
    return rv32_next(hart, op + 1, left);
}

/* csrrs and csrrc write only when they name a register other than x0 (an immediate other than
 * 0). */
#define CSR_INSN(token, action, operand, writes)                                                   \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        return csr_access(hart, op, left, action, operand, writes);                                \
    }

CSR_INSN(CSRRW, CSR_WRITE, hart->x[op->rs1], true)
CSR_INSN(CSRRS, CSR_SET, hart->x[op->rs1], op->rs1 != 0)
CSR_INSN(CSRRC, CSR_CLEAR, hart->x[op->rs1], op->rs1 != 0)
CSR_INSN(CSRRWI, CSR_WRITE, op->rs1, true)
CSR_INSN(CSRRSI, CSR_SET, op->rs1, op->rs1 != 0)
CSR_INSN(CSRRCI, CSR_CLEAR, op->rs1, op->rs1 != 0)
