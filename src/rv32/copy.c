/*
 * Loops that copy, see rv32/copy.h. The first load's `aux` is the base of the stores. A loop may lie in two pages, so it is read anew each time that a
 * hart comes to it; that costs less than two of its turns.
 */
#include "rv32/copy.h"

#include <string.h>

#include "rv32/bulk.h"
#include "rv32/fill.h"

enum { MOST_WORDS = 8, MOST_STEPS = 3, WORD_BYTES = 4, LEAST_CYCLES = 6 };

/* A turn of a loop, as far as it was read. */
struct copy {
    unsigned loads, stores, steps;
    uint8_t loaded[MOST_WORDS]; /* registers, in the order of words */
    uint8_t source, target;     /* bases */
    int32_t from, to;           /* the first word, counted from where a base is as a turn begins */
    struct {
        uint8_t base;
        int32_t bytes;
    } step[MOST_STEPS];             /* additions */
    uint64_t is_loaded, is_stepped; /* bit N: register N */
    unsigned cycles;
    const struct rv32_op *branch;
    uint32_t branch_pc;
};

enum part { PART_OF_TURN, PART_END, PART_NONE };

static bool has(uint64_t registers, unsigned number)
{
    return registers >> number & 1;
}

/* What was added to a register by now. */
static int32_t moved(const struct copy *copy, unsigned number)
{
    for (unsigned i = 0; i < copy->steps; i++) {
        if (copy->step[i].base == number) {
            return copy->step[i].bytes;
        }
    }
    return 0;
}

static bool take_load(struct copy *copy, const struct rv32_op *op)
{
    if (copy->loads == 0) {
        copy->source = op->rs1;
        copy->from = op->imm;
    }
    bool fits = copy->loads < MOST_WORDS && !copy->steps && !copy->stores &&
                op->rs1 == copy->source &&
                op->imm == copy->from + (int32_t)copy->loads * WORD_BYTES && op->rd != op->rs1 &&
                op->rd != RV32_SINK && !has(copy->is_loaded, op->rd);
    if (fits) {
        copy->loaded[copy->loads++] = op->rd;
        copy->is_loaded |= UINT64_C(1) << op->rd;
    }
    return fits;
}

static bool take_step(struct copy *copy, const struct rv32_op *op)
{
    bool fits = copy->steps < MOST_STEPS && op->rd == op->rs1 &&
                !has(copy->is_loaded | copy->is_stepped, op->rd);
    if (fits) {
        copy->step[copy->steps].base = op->rd;
        copy->step[copy->steps++].bytes = op->imm;
        copy->is_stepped |= UINT64_C(1) << op->rd;
    }
    return fits;
}

static bool take_store(struct copy *copy, const struct rv32_op *op)
{
    int32_t to = op->imm + moved(copy, op->rs1);
    if (copy->stores == 0) {
        copy->target = op->rs1;
        copy->to = to;
    }
    bool fits = copy->stores < copy->loads && op->rs2 == copy->loaded[copy->stores] &&
                op->rs1 == copy->target && op->rs1 != copy->source &&
                !has(copy->is_loaded, op->rs1) &&
                to == copy->to + (int32_t)copy->stores * WORD_BYTES;
    copy->stores += fits;
    return fits;
}

/* Reads the next instruction of a turn. */
static enum part read_part(struct copy *copy, const struct rv32_op *op)
{
    bool fits = false;
    copy->cycles++;
    if (op->run == rv32_exec_LW || op->run == rv32_exec_copy) {
        fits = take_load(copy, op);
    } else if (op->run == rv32_exec_ADDI) {
        fits = take_step(copy, op);
    } else if (op->run == rv32_exec_SW || op->run == rv32_exec_fill) {
        fits = take_store(copy, op);
    } else {
        bool ends = rv32_is_bulk_branch(op) || (op->run == rv32_exec_JAL && op->rd == RV32_SINK);
        return ends ? PART_END : PART_NONE;
    }
    return fits ? PART_OF_TURN : PART_NONE;
}

/* Has all been stored, and do both bases go on to the next words? */
static bool is_whole(const struct copy *copy)
{
    int32_t bytes = (int32_t)copy->loads * WORD_BYTES;
    return copy->loads > 0 && copy->stores == copy->loads && moved(copy, copy->source) == bytes &&
           moved(copy, copy->target) == bytes;
}

/* --- Finding --- */

/* Where a loop of which the stores are not seen copies to: the base that goes on as the source
 * does; 0: none. */
static unsigned guess_target(const struct copy *copy)
{
    for (unsigned i = 0; i < copy->steps; i++) {
        unsigned base = copy->step[i].base;
        if (base != copy->source && moved(copy, base) == (int32_t)copy->loads * WORD_BYTES) {
            return base;
        }
    }
    return 0;
}

/* The target of the loop that seems to begin here; 0: none does. */
static unsigned find_target(const struct rv32_page *page, unsigned start)
{
    struct copy copy = {0};
    enum part part = PART_OF_TURN;
    unsigned i = start;
    for (; part == PART_OF_TURN && i < RV32_PAGE_OPS; i++) {
        part = read_part(&copy, &page->ops[i]);
    }
    if (part == PART_OF_TURN) { /* it goes on in the next page */
        return copy.stores > 0 ? copy.target : guess_target(&copy);
    }
    const struct rv32_op *end = &page->ops[i - 1];
    bool is_back = end->run == rv32_exec_JAL ||
                   (end->aux && end->imm == (int32_t)(start + 1 - i)) ||
                   (!end->aux && end->imm < 0);
    return part == PART_END && is_back && is_whole(&copy) ? copy.target : 0;
}

void rv32_copy_find(struct rv32_page *page)
{
    for (unsigned i = 0; i < RV32_PAGE_OPS; i++) {
        struct rv32_op *op = &page->ops[i];
        unsigned target = op->run == rv32_exec_LW ? find_target(page, i) : 0;
        if (target > 0) {
            op->run = rv32_exec_copy;
            op->aux = (uint8_t)target;
        }
    }
}

/* --- Running --- */

static const struct rv32_op *op_at(struct rv32_hart *hart, uint32_t pc)
{
    unsigned position;
    const struct rv32_page *page = rv32_page_at(hart, pc, &position);
    return page ? &page->ops[position] : NULL;
}

/* Reads the loop that begins at `op`; false when it is none. */
static bool read_loop(struct rv32_hart *hart, const struct rv32_op *op, struct copy *copy)
{
    const struct rv32_op *page_end = &hart->page->ops[RV32_PAGE_OPS];
    uint32_t start = rv32_op_pc(hart, op), pc = start;
    enum part part;
    memset(copy, 0, sizeof *copy);
    while ((part = read_part(copy, op)) == PART_OF_TURN) {
        pc += WORD_BYTES;
        op = op + 1 == page_end ? op_at(hart, pc) : op + 1;
        if (!op) {
            return false;
        }
    }
    if (part != PART_END || !is_whole(copy)) {
        return false;
    }
    copy->branch_pc = pc;
    copy->branch = op = rv32_bulk_branch(hart, op, &copy->branch_pc, start, &copy->cycles);
    return op && !has(copy->is_loaded, op->rs1) && !has(copy->is_loaded, op->rs2);
}

/* Turns that are taken whole: at most `most`, and up to the first that does not branch back; then
 * *goes_on is false. Moves the bases and the count. */
static uint32_t take_turns(struct rv32_hart *hart, const struct copy *copy, uint32_t most,
                           bool *goes_on)
{
    uint32_t turns = 0;
    *goes_on = true;
    while (turns < most && *goes_on) {
        for (unsigned i = 0; i < copy->steps; i++) {
            hart->x[copy->step[i].base] += (uint32_t)copy->step[i].bytes;
        }
        *goes_on = rv32_is_taken(hart, copy->branch);
        turns++;
    }
    return turns;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static __attribute__((noinline)) struct rv32_bulk_end
copy_turns(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    struct copy copy;
    if (!read_loop(hart, op, &copy)) {
        return (struct rv32_bulk_end){.left = left};
    }
    uint32_t from = hart->x[copy.source] + (uint32_t)copy.from, bytes = copy.loads * WORD_BYTES;
    uint32_t room = 0, there = from % WORD_BYTES ? 0 : hart->l1_size - from;
    uint8_t *to = rv32_bulk_room(hart, hart->x[copy.target] + (uint32_t)copy.to, &room);
    uint32_t most = least(least(there, to ? room : 0) / bytes,
                          least((uint32_t)(left - 1), INT32_MAX) / copy.cycles);
    if (most == 0) {
        return (struct rv32_bulk_end){.left = left};
    }
    bool goes_on;
    uint32_t turns = take_turns(hart, &copy, most, &goes_on);
    const uint8_t *last = hart->l1 + from + (size_t)(turns - 1) * bytes;
    memcpy(to, hart->l1 + from, (size_t)turns * bytes);
    for (unsigned i = 0; i < copy.loads; i++) {
        memcpy(&hart->x[copy.loaded[i]], last + (size_t)i * WORD_BYTES, WORD_BYTES);
    }
    return (struct rv32_bulk_end){.left = left - (int64_t)turns * copy.cycles,
                                  .pc = copy.branch_pc + WORD_BYTES,
                                  .is_over = !goes_on};
}

int64_t rv32_exec_copy(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    bool is_from_l1 = hart->x[op->rs1] + (uint32_t)op->imm < hart->l1_size;
    if (left < LEAST_CYCLES || !is_from_l1 || !rv32_may_be_bulk(hart, op->aux)) {
        return rv32_exec_LW(hart, op, left);
    }
    struct rv32_bulk_end end = copy_turns(hart, op, left);
    return end.is_over ? rv32_enter(hart, end.pc, end.left) : rv32_exec_LW(hart, op, end.left);
}
