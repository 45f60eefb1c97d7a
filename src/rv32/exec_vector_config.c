/*
 * vsetvl, vsetvli, vsetivli. See rv32/vector.h.
 *
 * GUESS: for AVL above VLMAX vl becomes VLMAX; V 1.0 also allows less while AVL is below 2 * VLMAX.
 * A vtype that the hardware does not have is a fault: there is no vill to set (SPEC:
 * InstructionSet), and no page says what happens instead.
 */
#include "rv32/vector.h"

enum { X0 = 0 };

/* With x0 for both, vl stays, and V 1.0 reserves a change of VLMAX. */
static bool check_kept_vl(struct rv32_hart *hart, uint32_t vlmax)
{
    struct vector_type old;
    bool is_changed = vector_type_decode(hart, hart->csr.vtype, &old) && old.vlmax != vlmax;
    if (is_changed || hart->csr.vl > vlmax) {
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0,
                       "x0, x0 keeps vl, but VLMAX would change (vl %u, VLMAX %u)", hart->csr.vl,
                       vlmax);
        return false;
    }
    return true;
}

static enum answer configure(struct rv32_hart *hart, const struct rv32_op *op, uint32_t vtype,
                             bool keeps_vl, uint32_t avl)
{
    struct vector_type type;
    if (!vector_check_core(hart) || !vector_type_decode(hart, vtype, &type) ||
        (keeps_vl && !check_kept_vl(hart, type.vlmax))) {
        return ANSWER_REFUSED;
    }
    hart->csr.vtype = vtype;
    if (!keeps_vl) {
        hart->csr.vl = avl < type.vlmax ? avl : type.vlmax;
    }
    hart->x[op->rd] = hart->csr.vl;
    return ANSWER_DONE;
}

/* rs1 = x0 stands for the largest vl, or for the present one when rd is x0, too. */
static RV32_APART enum answer configure_from_register(struct rv32_hart *hart,
                                                      const struct rv32_op *op, uint32_t vtype)
{
    bool keeps_vl = op->rs1 == X0 && op->rd == RV32_SINK;
    uint32_t avl = op->rs1 == X0 ? UINT32_MAX : hart->x[op->rs1];
    return configure(hart, op, vtype, keeps_vl, avl);
}

static RV32_APART enum answer configure_from_immediate(struct rv32_hart *hart,
                                                       const struct rv32_op *op, uint32_t vtype)
{
    return configure(hart, op, vtype, false, op->rs1);
}

VECTOR_ROW(VSETVLI, configure_from_register(hart, op, (uint32_t)op->imm >> 20 & 0x7ff))
VECTOR_ROW(VSETIVLI, configure_from_immediate(hart, op, (uint32_t)op->imm >> 20 & 0x3ff))
VECTOR_ROW(VSETVL, configure_from_register(hart, op, hart->x[op->rs2]))
