/* Shared by instruction handlers: the decoded op, going on, waiting and faulting. */
#ifndef RV32_EXEC_H
#define RV32_EXEC_H

#include "rv32/code.h"
#include "rv32/rv32.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* Handlers call each other where the compiler makes jumps of that; else rv32_run loops over
 * them. */
#if defined(__OPTIMIZE__) && !defined(PENROSE_NO_TAIL_CALLS)
#define RV32_TAIL_CALLS 1
#endif

/* A function that needs room on the stack, which the handler that calls it does not, stays a function.
 * As a part of the handler it would take that room at each pass. Where it passes on the address of
 * a local variable, the compiler could make no jump of the handler's last call any more, and the
 * stack would grow with each instruction of a burst. */
#define RV32_APART __attribute__((noinline))

struct rv32_op {
    rv32_handler *run;
    uint8_t rd; /* x0 is RV32_SINK here; f and v registers are plain numbers */
    uint8_t rs1, rs2;
    uint8_t aux; /* rs3; 1 when a branch target lies in the same page (imm counts ops then) */
    int32_t imm; /* the immediate; branch displacement; the whole word for rows that want it */
};

/* A decoded page, see rv32/code.h. ops[RV32_PAGE_OPS] goes on in the next page. */
struct rv32_page {
    struct rv32_op ops[RV32_PAGE_OPS + 1];
    uint32_t words[RV32_PAGE_OPS];
    int16_t rows[RV32_PAGE_OPS]; /* row numbers in rv32_rows, -1 where none matches */
    uint64_t hash;
    uint32_t users;         /* maps that hold the page */
    struct rv32_page *next; /* of the same bucket of the store */
};

/* Ends the burst in front of `op`. */
static inline int64_t rv32_suspend(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    hart->op = op;
    return left;
}

/* Goes on with `op` after an instruction that took its cycle. */
static inline int64_t rv32_next(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    left -= 1;
#ifdef RV32_TAIL_CALLS
    if (__builtin_expect(left > 0, 1)) {
        return op->run(hart, op, left);
    }
#endif
    return rv32_suspend(hart, op, left);
}

/* Tile time of the instruction that runs with `left`. */
static inline uint64_t rv32_now(const struct rv32_hart *hart, int64_t left)
{
    return hart->end - (uint64_t)left;
}

static inline uint32_t rv32_op_pc(const struct rv32_hart *hart, const struct rv32_op *op)
{
    return hart->page_pc + 4 * (uint32_t)(op - hart->page->ops);
}

/* The decoded page that holds the instruction at `pc`, and where in it; NULL where harts fetch
 * nothing. */
static inline const struct rv32_page *rv32_page_at(struct rv32_hart *hart, uint32_t pc,
                                                   unsigned *position)
{
    struct rv32_code *code = rv32_code_has(hart->code, pc) ? hart->code : hart->iram;
    *position = pc >> 2 & (RV32_PAGE_OPS - 1);
    return pc & 3 || !rv32_code_has(code, pc)
               ? NULL
               : rv32_code_page(code, (pc - code->base) >> RV32_PAGE_SHIFT);
}

/* The word that `op` was decoded from. */
static inline uint32_t rv32_op_word(const struct rv32_hart *hart, const struct rv32_op *op)
{
    return hart->page->words[op - hart->page->ops];
}

/* Goes on at an arbitrary address. */
int64_t rv32_enter(struct rv32_hart *hart, uint32_t pc, int64_t left);

/* Goes on at an arbitrary address after an instruction that took its cycle. */
int64_t rv32_jump(struct rv32_hart *hart, uint32_t pc, int64_t left);

/* Stops at `op` with a fault; the op has had no effect. */
int64_t rv32_fault_at(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                      enum penrose_fault_kind kind, uint32_t address, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Stops at `op` as a bus function or CSR access said: ANSWER_WAIT or ANSWER_REFUSED. */
int64_t rv32_refused(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                     enum answer answer);

/* Shortens the burst as rv32_cut asked for; returns the cycles that are left now. */
int64_t rv32_apply_cut(struct rv32_hart *hart, int64_t left);

/* Goes on where rv32_cut was called or code was overwritten. */
int64_t rv32_after_change(struct rv32_hart *hart, const struct rv32_op *op, int64_t left);

/* Goes on after an access that the bus served: honours both. */
static inline int64_t rv32_after_bus(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    bool is_changed = hart->cut < hart->end || hart->code->stale;
    return is_changed ? rv32_after_change(hart, op, left) : rv32_next(hart, op, left);
}

static inline bool rv32_is_trisc(const struct rv32_hart *hart)
{
    return hart->core != RV32_B && hart->core != RV32_NC;
}

/*
 * Memory access of a handler: L1 and local RAM directly, the rest over the bus. size is 1, 2 or 4.
 * ANSWER_DONE: *value holds the zero-extended load result. On ANSWER_WAIT and ANSWER_REFUSED the caller
 * returns rv32_refused(). After a store, and after a load that went over the bus, a handler ends
 * in rv32_after_bus() instead of rv32_next(). `now` is rv32_now().
 */
enum answer rv32_load(struct rv32_hart *hart, uint32_t address, unsigned size, uint64_t now,
                      uint32_t *value);
enum answer rv32_store(struct rv32_hart *hart, uint32_t address, unsigned size, uint64_t now,
                       uint32_t value);

/* Every row of rv32.def that is no STUB has its handler here: rv32_exec_<token>. */
#define INSN(token, mnemonic, extension, match, mask, format, traits)                              \
    rv32_handler rv32_exec_##token;
#define STUB(token, mnemonic, extension, match, mask, format, traits)
#include "rv32/rv32.def"
#undef INSN
#undef STUB

#endif
