/*
 * The simple sub-unit, flags and their stack: lane predication (SPEC: BlackholeA0 VectorUnit and
 * the pages of the instructions).
 *
 * Invariant of the stack: a lane that uses a level uses all those above it (nearer to the top), and
 * what a lane does not use is 0. Lanes are at different depths where the backdoor of some was open.
 */
#include "tensix/vector/schedule.h"

/* The bits of `a` in `lanes`, those of `old` elsewhere. */
static inline uint32_t merge(uint32_t lanes, uint32_t a, uint32_t old)
{
    return (a & lanes) | (old & ~lanes);
}

/* --- Flags --- */

enum encc {
    ENCC_INVERTS_ENABLE = 1,
    ENCC_SETS_ENABLE = 2,
    ENCC_SETS_RESULT = 8,
    ENCC_IMM_ENABLE = 1,
    ENCC_IMM_RESULT = 2,
};

TENSIX_EXEC_VECTOR(SFPENCC)
{
    struct tensix_vector *vector = &tensix->vector;
    const uint32_t imm2 = tensix_vector_imm12(op) & 3;
    uint32_t flags = op->mod & ENCC_SETS_RESULT && !(imm2 & ENCC_IMM_RESULT) ? 0 : UINT32_MAX;
    if (op->mod & ENCC_SETS_ENABLE) {
        uint32_t uses = imm2 & ENCC_IMM_ENABLE ? UINT32_MAX : 0;
        vector->uses_flags = merge(lanes, uses, vector->uses_flags);
    } else if (op->mod & ENCC_INVERTS_ENABLE) {
        vector->uses_flags ^= lanes;
    }
    vector->flags = merge(lanes, flags, vector->flags);
    return NULL;
}

enum setcc {
    SETCC_LESS = 0,
    SETCC_IMM = 1,
    SETCC_NOT_EQUAL = 2,
    SETCC_GREATER_EQUAL = 4,
    SETCC_EQUAL = 6,
    SETCC_CLEARS = 8,
};

/* SPEC: where flags are not used they become false. */
TENSIX_EXEC_VECTOR(SFPSETCC)
{
    struct tensix_vector *vector = &tensix->vector;
    const struct num_lanes_kernels *kernels = tensix->kernels->lanes;
    const uint32_t *c = vector->lreg[op->vc];
    uint32_t flags = 0;
    if (op->mod & SETCC_CLEARS) {
        flags = 0;
    } else if (op->mod & SETCC_IMM) {
        flags = tensix_vector_imm12(op) & 1 ? UINT32_MAX : 0;
    } else if (op->mod == SETCC_LESS) {
        flags = kernels->negative(c);
    } else if (op->mod == SETCC_GREATER_EQUAL) {
        flags = ~kernels->negative(c);
    } else if (op->mod == SETCC_NOT_EQUAL) {
        flags = kernels->nonzero(c, UINT32_MAX);
    } else {
        flags = ~kernels->nonzero(c, UINT32_MAX);
    }
    vector->flags = merge(lanes, flags & vector->uses_flags, vector->flags);
    return NULL;
}

/* --- The stack --- */

/* Mod1 of SFPPUSHC and SFPPOPC beside those of combine(). */
enum stack_mod { STACK_MOVES = 0, STACK_LAST_OP = 12, STACK_INVERTS = 13, STACK_TRUE, STACK_FALSE };

/* SPEC: BooleanOp, for Mod1 from 1 to 12. */
static uint32_t combine_flags(unsigned mod, uint32_t a, uint32_t b)
{
    switch (mod) {
    case 1:
        return b;
    case 2:
        return ~b;
    case 3:
        return a & b;
    case 4:
        return a | b;
    case 5:
        return a & ~b;
    case 6:
        return a | ~b;
    case 7:
        return ~a & b;
    case 8:
        return ~a | b;
    case 9:
        return ~(a | b);
    case 10:
        return ~(a & b);
    case 11:
        return a ^ b;
    default:
        return ~(a ^ b);
    }
}

static void push(struct tensix_vector *vector, uint32_t lanes)
{
    struct tensix_flag_level *stack = vector->stack;
    for (unsigned i = TENSIX_FLAG_STACK - 1; i > 0; i--) {
        stack[i].used = merge(lanes, stack[i - 1].used, stack[i].used);
        stack[i].flags = merge(lanes, stack[i - 1].flags, stack[i].flags);
        stack[i].uses_flags = merge(lanes, stack[i - 1].uses_flags, stack[i].uses_flags);
    }
    stack[0].used |= lanes;
    stack[0].flags = merge(lanes, vector->flags, stack[0].flags);
    stack[0].uses_flags = merge(lanes, vector->uses_flags, stack[0].uses_flags);
}

static void pop(struct tensix_vector *vector, uint32_t lanes)
{
    static const struct tensix_flag_level bottom = {.used = 0};
    struct tensix_flag_level *stack = vector->stack;
    vector->flags = merge(lanes, stack[0].flags, vector->flags);
    vector->uses_flags = merge(lanes, stack[0].uses_flags, vector->uses_flags);
    for (unsigned i = 0; i < TENSIX_FLAG_STACK; i++) {
        const struct tensix_flag_level *next = i + 1 < TENSIX_FLAG_STACK ? &stack[i + 1] : &bottom;
        stack[i].used = merge(lanes, next->used, stack[i].used);
        stack[i].flags = merge(lanes, next->flags, stack[i].flags);
        stack[i].uses_flags = merge(lanes, next->uses_flags, stack[i].uses_flags);
    }
}

const char *tensix_vector_check_push(const struct tensix_vector *vector,
                                     const struct tensix_vector_op *op, uint32_t lanes)
{
    if (op->mod == STACK_MOVES) {
        return vector->stack[TENSIX_FLAG_STACK - 1].used & lanes
                   ? "the flag stack is full, it has eight entries; SFPPOPC first, or use another "
                     "Mod1 to change the top"
                   : NULL;
    }
    return lanes & ~vector->stack[0].used
               ? "this Mod1 changes the top of the flag stack, which is empty; SFPPUSHC with Mod1 "
                 "0 first"
               : NULL;
}

const char *tensix_vector_check_pop(const struct tensix_vector *vector,
                                    const struct tensix_vector_op *op, uint32_t lanes)
{
    return op->mod == STACK_MOVES && lanes & ~vector->stack[0].used
               ? "the flag stack is empty; each SFPPOPC with Mod1 0 takes back one SFPPUSHC with "
                 "Mod1 0"
               : NULL;
}

TENSIX_EXEC_VECTOR(SFPPUSHC)
{
    struct tensix_vector *vector = &tensix->vector;
    struct tensix_flag_level *top = &vector->stack[0];
    const char *rule = tensix_vector_check_push(vector, op, lanes);
    if (rule) {
        return rule;
    }
    if (op->mod == STACK_MOVES) {
        push(vector, lanes);
        return NULL;
    }
    if (op->mod == STACK_TRUE || op->mod == STACK_FALSE) {
        top->uses_flags |= lanes;
        top->flags = merge(lanes, op->mod == STACK_TRUE ? UINT32_MAX : 0, top->flags);
        return NULL;
    }
    if (op->mod == STACK_INVERTS) {
        vector->flags ^= lanes;
    }
    uint32_t flags = op->mod <= STACK_LAST_OP ? combine_flags(op->mod, top->flags, vector->flags)
                                              : vector->flags;
    top->uses_flags = merge(lanes, vector->uses_flags, top->uses_flags);
    top->flags = merge(lanes, flags, top->flags);
    return NULL;
}

/* SPEC: all but the plain mode only look at the top, which is false where the stack is empty. */
TENSIX_EXEC_VECTOR(SFPPOPC)
{
    struct tensix_vector *vector = &tensix->vector;
    const struct tensix_flag_level *top = &vector->stack[0];
    const char *rule = tensix_vector_check_pop(vector, op, lanes);
    if (rule) {
        return rule;
    }
    if (op->mod == STACK_MOVES) {
        pop(vector, lanes);
    } else if (op->mod <= STACK_LAST_OP) {
        uint32_t flags = combine_flags(op->mod, vector->flags, top->flags);
        vector->uses_flags = merge(lanes, top->uses_flags, vector->uses_flags);
        vector->flags = merge(lanes, flags, vector->flags);
    } else if (op->mod == STACK_INVERTS) {
        vector->flags ^= lanes;
    } else {
        vector->uses_flags |= lanes;
        vector->flags = merge(lanes, op->mod == STACK_TRUE ? UINT32_MAX : 0, vector->flags);
    }
    return NULL;
}

/* SPEC: an empty stack stands for a top that is true. */
TENSIX_EXEC_VECTOR(SFPCOMPC)
{
    struct tensix_vector *vector = &tensix->vector;
    const struct tensix_flag_level *top = &vector->stack[0];
    (void)op;
    uint32_t flags = (top->flags | ~top->used) & (top->uses_flags | ~top->used) &
                     vector->uses_flags & ~vector->flags;
    vector->flags = merge(lanes, flags, vector->flags);
    return NULL;
}

/* --- Comparisons of sign-magnitude numbers --- */

enum compare {
    COMPARE_SETS_FLAGS = 1,
    COMPARE_MUTATES_STACK = 2,
    COMPARE_OR = 4,
    COMPARE_SETS_VD = 8
};

/* SPEC: the stack changes whether a lane is enabled or not, if it has an entry. */
static void put_comparison(struct tensix *tensix, const struct tensix_vector_op *op, uint32_t lanes,
                           uint32_t result)
{
    struct tensix_vector *vector = &tensix->vector;
    struct tensix_flag_level *top = &vector->stack[0];
    const uint32_t enabled = lanes & tensix_vector_enabled(vector);
    if (op->mod & COMPARE_SETS_VD && tensix_vector_may_write(op->vd)) {
        tensix->kernels->lanes->op[NUM_LANES_FROM_FLAGS](vector->lreg[op->vd], NULL, NULL, NULL,
                                                         result, enabled);
    }
    if (op->mod & COMPARE_SETS_FLAGS) {
        vector->flags = merge(enabled, result, vector->flags);
    }
    if (op->mod & COMPARE_MUTATES_STACK) {
        uint32_t flags = op->mod & COMPARE_OR ? top->flags | result : top->flags & result;
        top->flags = merge(lanes & top->used, flags, top->flags);
    }
}

/* VD <= VC */
TENSIX_EXEC_VECTOR(SFPLE)
{
    const struct tensix_vector *vector = &tensix->vector;
    const uint32_t *b = vector->lreg[tensix_vector_vb_or_vd(op)];
    uint32_t is_smaller = tensix->kernels->lanes->less(vector->lreg[op->vc], b);
    put_comparison(tensix, op, lanes, ~is_smaller);
    return NULL;
}

/* VD > VC */
TENSIX_EXEC_VECTOR(SFPGT)
{
    const struct tensix_vector *vector = &tensix->vector;
    const uint32_t *b = vector->lreg[tensix_vector_vb_or_vd(op)];
    put_comparison(tensix, op, lanes, tensix->kernels->lanes->less(vector->lreg[op->vc], b));
    return NULL;
}
