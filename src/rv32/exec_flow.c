/* Branches, jumps, fences, and instructions that leave the ordinary flow: pauses, mret, illegal
 * words. */
#include "rv32/decode.h"
#include "rv32/exec.h"

/* Goes elsewhere, and remembers for reports where that was. `behind` is the address behind `op`. */
static inline int64_t jump_from(struct rv32_hart *hart, uint32_t behind, uint32_t target,
                                int64_t left)
{
    hart->jump.behind = behind;
    hart->jump.target = target;
    return rv32_jump(hart, target, left);
}

/* A taken branch or jal: in-page targets are op displacements (see rv32_decode). */
static inline int64_t take_branch(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    if (op->aux) {
        return rv32_next(hart, op + op->imm, left);
    }
    uint32_t pc = rv32_op_pc(hart, op);
    return jump_from(hart, pc + 4, pc + (uint32_t)op->imm, left);
}

#define BRANCH_IF(token, type, comparison)                                                         \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        if ((type)hart->x[op->rs1] comparison(type) hart->x[op->rs2]) {                            \
            return take_branch(hart, op, left);                                                    \
        }                                                                                          \
        return rv32_next(hart, op + 1, left);                                                      \
    }

BRANCH_IF(BEQ, uint32_t, ==)
BRANCH_IF(BNE, uint32_t, !=)
BRANCH_IF(BLT, int32_t, <)
BRANCH_IF(BGE, int32_t, >=)
BRANCH_IF(BLTU, uint32_t, <)
BRANCH_IF(BGEU, uint32_t, >=)

int64_t rv32_exec_JAL(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    hart->x[op->rd] = rv32_op_pc(hart, op) + 4;
    return take_branch(hart, op, left);
}

int64_t rv32_exec_JALR(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    uint32_t target = (hart->x[op->rs1] + (uint32_t)op->imm) & ~UINT32_C(1);
    uint32_t behind = rv32_op_pc(hart, op) + 4;
    if (target == 0) {
        hart->null_jump = behind - 4 + 1;
    }
    hart->x[op->rd] = behind;
    return jump_from(hart, behind, target, left);
}

/* In a functional run every store is done when its instruction is; there is nothing to order. The
 * board hears of it, because it may keep caches or store queues (--schedule random), or wants to
 * know who polls. */
int64_t rv32_exec_FENCE(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    hart->op = op;
    enum answer answer = hart->bus->fence(hart->owner, hart, rv32_now(hart, left));
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    return rv32_after_bus(hart, op + 1, left);
}

static int64_t pause_after(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    hart->stop = RV32_STOP_PAUSE;
    return rv32_suspend(hart, op + 1, left - 1);
}

/* SPEC: ebreak (and ecall, WormholeB0 DebugInterface) retire and pause the hart for a debugger. */
int64_t rv32_exec_EBREAK(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    return pause_after(hart, op, left);
}

int64_t rv32_exec_ECALL(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    return pause_after(hart, op, left);
}

int64_t rv32_exec_MRET(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    if (rv32_is_trisc(hart)) {
        return rv32_fault_at(hart, op, left, PENROSE_FAULT_ILLEGAL, 0,
                             "only RISCV B and RISCV NC have mret");
    }
    if (!hart->in_handler) {
        return rv32_fault_at(hart, op, left, PENROSE_FAULT_MRET, 0,
                             "mret, but no interrupt handler is running");
    }
    hart->in_handler = false;
    rv32_cut(hart, rv32_now(hart, left) + 1); /* the next interrupt may be pending */
    left = rv32_apply_cut(hart, left);
    return jump_from(hart, rv32_op_pc(hart, op) + 4, hart->resume_pc, left);
}

int64_t rv32_exec_illegal(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    return rv32_fault_at(hart, op, left, PENROSE_FAULT_ILLEGAL, 0,
                         "the word is no instruction of the baby RISC-V cores");
}

int64_t rv32_exec_stub(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    int row = hart->page->rows[op - hart->page->ops];
    return rv32_fault_at(hart, op, left, PENROSE_FAULT_STUB, 0, "the harts do not implement %s",
                         rv32_rows[row].mnemonic);
}

int64_t rv32_exec_page_end(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    (void)op;
    return rv32_enter(hart, hart->page_pc + RV32_PAGE_BYTES, left);
}
