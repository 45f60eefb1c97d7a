/* What loops that run whole turns at a time share (fill.c, copy.c). */
#ifndef RV32_BULK_H
#define RV32_BULK_H

#include "rv32/exec.h"

/* A branch that such loops may end with. */
static inline bool rv32_is_bulk_branch(const struct rv32_op *op)
{
    return op->run == rv32_exec_BNE || op->run == rv32_exec_BLT || op->run == rv32_exec_BGE ||
           op->run == rv32_exec_BLTU || op->run == rv32_exec_BGEU;
}

/* The branch back to `start` that ends a turn: `op`, which stands at *pc, or where it jumps to. Adds
 * the jump to *cycles, and sets *pc to where the branch is; NULL: the turn ends otherwise. */
static inline const struct rv32_op *rv32_bulk_branch(struct rv32_hart *hart,
                                                     const struct rv32_op *op, uint32_t *pc,
                                                     uint32_t start, unsigned *cycles)
{
    if (op->run == rv32_exec_JAL) {
        unsigned position;
        *pc = rv32_op_target(op, *pc);
        const struct rv32_page *page = rv32_page_at(hart, *pc, &position);
        op = page ? &page->ops[position] : NULL;
        ++*cycles;
    }
    return op && rv32_is_bulk_branch(op) && rv32_op_target(op, *pc) == start ? op : NULL;
}

static inline bool rv32_is_taken(const struct rv32_hart *hart, const struct rv32_op *branch)
{
    uint32_t a = hart->x[branch->rs1], b = hart->x[branch->rs2];
    if (branch->run == rv32_exec_BNE) {
        return a != b;
    }
    if (branch->run == rv32_exec_BLT) {
        return (int32_t)a < (int32_t)b;
    }
    if (branch->run == rv32_exec_BGE) {
        return (int32_t)a >= (int32_t)b;
    }
    return branch->run == rv32_exec_BLTU ? a < b : a >= b;
}

/* How a handler of such a loop goes on. It has no variables whose addresses others know, since it
 * must end in a jump: where nothing can be done at once, each turn comes to it again. */
struct rv32_bulk_end {
    int64_t left;
    uint32_t pc; /* where the hart goes on when the loop is over; else with its first instruction */
    bool is_over;
};

/* Can what a register points to, or what is near, be stored to whole turns at a time? */
static inline bool rv32_may_be_bulk(const struct rv32_hart *hart, unsigned base)
{
    enum { FARTHEST = 1 << 12 };
    return hart->x[base] >= RV32_LOCAL_BASE - FARTHEST;
}

/* Where words that are stored from `address` on go, and for how many bytes that holds; NULL: ask
 * for each. */
static inline uint8_t *rv32_bulk_room(struct rv32_hart *hart, uint32_t address, uint32_t *bytes)
{
    uint32_t offset = address - RV32_LOCAL_BASE;
    if (address % 4 || address < RV32_LOCAL_BASE) {
        return NULL;
    }
    if (offset < hart->local_size) {
        *bytes = hart->local_size - offset;
        return hart->local + offset;
    }
    return hart->bus->room ? hart->bus->room(hart->owner, address, bytes) : NULL;
}

#endif
