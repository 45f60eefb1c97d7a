/*
 * Loops that fill, see rv32/fill.h. The first store's `aux` says how many stores there are; the
 * addition and the branch come behind the last one.
 */
#include "rv32/fill.h"

#include <string.h>

#include "rv32/bulk.h"

enum { MOST_STORES = 16, WORD_BYTES = 4 };

/* --- Finding --- */

/* Does the store at `i` write the same as the first one, a word up or down from the one before? */
static bool is_next_store(const struct rv32_op *first, unsigned i)
{
    const struct rv32_op *op = &first[i];
    int32_t step = first[1].imm > first->imm ? WORD_BYTES : -WORD_BYTES;
    return op->run == rv32_exec_SW && op->rs1 == first->rs1 && op->rs2 == first->rs2 &&
           op->imm == op[-1].imm + step;
}

/* Does the loop end here, `back` ops behind its start? Where a jump does, to a branch that stands
 * elsewhere, perhaps in another page, find_branch looks at that. */
static bool is_end(const struct rv32_op *op, unsigned back)
{
    return op->run == rv32_exec_JAL
               ? op->rd == RV32_SINK
               : rv32_is_bulk_branch(op) && op->aux && op->imm == -(int32_t)back;
}

/* The number of stores of the loop that begins here, 0 where none does. */
static unsigned stores_of_loop(const struct rv32_op *op, unsigned left)
{
    unsigned stores = 1;
    while (stores < MOST_STORES && stores + 2 < left && is_next_store(op, stores)) {
        stores++;
    }
    const struct rv32_op *step = op + stores;
    bool is_loop = stores + 2 <= left && op->rs1 != op->rs2 && step->run == rv32_exec_ADDI &&
                   step->rd == op->rs1 && step->rs1 == op->rs1 &&
                   step->imm == (int32_t)(WORD_BYTES * stores) && is_end(step + 1, stores + 1);
    return is_loop ? stores : 0;
}

void rv32_fill_find(struct rv32_page *page)
{
    for (unsigned i = 0; i + 2 < RV32_PAGE_OPS; i++) {
        struct rv32_op *op = &page->ops[i];
        unsigned stores =
            op->run == rv32_exec_SW ? stores_of_loop(op, (unsigned)RV32_PAGE_OPS - i) : 0;
        if (stores > 0) {
            op->run = rv32_exec_fill;
            op->aux = (uint8_t)stores;
        }
    }
}

/* --- Running --- */

/* How a loop goes on. */
struct turn {
    const struct rv32_op *branch;
    uint32_t pc; /* the branch's */
    unsigned cycles;
};

/* Fills in what is known of the loop that begins at `op`; false when it is none. */
static bool find_branch(struct rv32_hart *hart, const struct rv32_op *op, struct turn *turn)
{
    const struct rv32_op *end = op + op->aux + 1;
    *turn = (struct turn){.pc = rv32_op_pc(hart, end), .cycles = op->aux + 2u};
    turn->branch = rv32_bulk_branch(hart, end, &turn->pc, rv32_op_pc(hart, op), &turn->cycles);
    return turn->branch != NULL;
}

/* The turn after which `base`, which goes up to `limit` by `bytes` a turn, makes the branch fall
 * through; UINT32_MAX: none soon. False for branches that compare otherwise. */
static bool find_last_turn(const struct rv32_op *branch, uint32_t base, uint32_t limit,
                           bool base_is_first, uint32_t bytes, uint32_t *turn)
{
    uint32_t distance = limit > base ? limit - base : 0;
    if (branch->run == rv32_exec_BNE) {
        *turn = distance > 0 && distance % bytes == 0 ? distance / bytes : UINT32_MAX;
        return true;
    }
    if (branch->run == rv32_exec_BLTU && base_is_first) {
        *turn = distance > bytes ? (distance + bytes - 1) / bytes : 1;
        return true;
    }
    if (branch->run == rv32_exec_BGEU && !base_is_first) {
        *turn = distance / bytes + 1;
        return true;
    }
    return false;
}

/* The same a turn at a time, for all branches. */
static uint32_t count_one_by_one(struct rv32_hart *hart, const struct turn *turn, uint32_t *base,
                                 uint32_t bytes, uint32_t most, bool *goes_on)
{
    uint32_t turns = 0;
    *goes_on = true;
    while (turns < most && *goes_on) {
        *base += bytes;
        *goes_on = rv32_is_taken(hart, turn->branch);
        turns++;
    }
    return turns;
}

/* Fills `bytes` bytes, a number of words. */
static void fill(uint8_t *to, size_t bytes, uint32_t value)
{
    const uint8_t *end = to + bytes;
    if (value == (value & 0xff) * UINT32_C(0x01010101)) { /* zeros, mostly */
        memset(to, (int)(value & 0xff), bytes);
        return;
    }
    for (; to < end; to += WORD_BYTES) {
        memcpy(to, &value, sizeof value);
    }
}

/* Turns that are taken whole: at most `most`, and up to the first that does not branch back; then
 * *goes_on is false. Moves the base from turn to turn. */
static uint32_t count_turns(struct rv32_hart *hart, const struct turn *turn, uint32_t *base,
                            uint32_t bytes, uint32_t most, bool *goes_on)
{
    const struct rv32_op *branch = turn->branch;
    const uint32_t *first = &hart->x[branch->rs1], *second = &hart->x[branch->rs2];
    uint32_t last;
    if ((base == first) == (base == second) ||
        !find_last_turn(branch, *base, base == first ? *second : *first, base == first, bytes,
                        &last)) {
        return count_one_by_one(hart, turn, base, bytes, most, goes_on);
    }
    uint32_t turns = last < most ? last : most;
    *goes_on = turns < last;
    *base += turns * bytes;
    return turns;
}

static __attribute__((noinline)) struct rv32_bulk_end
fill_turns(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    const uint32_t stores = op->aux, bytes = stores * WORD_BYTES;
    const int32_t last = op[stores - 1].imm, lowest = op->imm < last ? op->imm : last;
    uint32_t *base = &hart->x[op->rs1], room = 0;
    uint8_t *to = rv32_bulk_room(hart, *base + (uint32_t)lowest, &room);
    struct turn turn;
    if (!to || !find_branch(hart, op, &turn)) {
        return (struct rv32_bulk_end){.left = left};
    }
    uint32_t most = (uint32_t)((left - 1) / turn.cycles);
    most = room / bytes < most ? room / bytes : most;
    if (most == 0) {
        return (struct rv32_bulk_end){.left = left};
    }
    bool goes_on;
    uint32_t turns = count_turns(hart, &turn, base, bytes, most, &goes_on);
    fill(to, (size_t)turns * bytes, hart->x[op->rs2]);
    return (struct rv32_bulk_end){.left = left - (int64_t)turns * turn.cycles,
                                  .pc = turn.pc + WORD_BYTES,
                                  .is_over = !goes_on};
}

int64_t rv32_exec_fill(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    if (!rv32_may_be_bulk(hart, op->rs1)) {
        return rv32_exec_SW(hart, op, left);
    }
    struct rv32_bulk_end end = fill_turns(hart, op, left);
    return end.is_over ? rv32_enter(hart, end.pc, end.left) : rv32_exec_SW(hart, op, end.left);
}
