/*
 * Shared by vector handlers; private to src/rv32. SPEC: BlackholeA0 BabyRISCV InstructionSet and
 * CSRs, RISC-V V 1.0.
 *
 * A function that returns enum answer executes a vector instruction. It first checks everything
 * that can be wrong (vector_begin, vector_check_*), and sets hart->fault if something is. Then it
 * runs over the elements below vl. VECTOR_ROW makes a handler that calls such a function.
 * Invariants:
 *  - elements that are not active (at or above vl, or masked off) keep their value: tails and
 *    masked elements are undisturbed whatever vta and vma say, in mask registers, too;
 *  - vstart is always 0;
 *  - the registers lie one after the other in hart->v, so that a group is one array;
 *  - elements are done in ascending order, each read before its result is written: with the
 *    overlaps that vector_check_overlap lets pass, none is overwritten before it is read.
 *
 * What V 1.0 reserves is a fault that names the rule. Only one rule is not checked: an instruction
 * must not use a register as two sources of different element widths. It cannot change results.
 */
#ifndef RV32_VECTOR_H
#define RV32_VECTOR_H

#include "rv32/exec.h"

enum { VECTOR_ELEN_LOG = 2, VECTOR_MASK_LOG = -3, VECTOR_LEAST_LMUL = -3, VECTOR_MOST_LMUL = 3 };

/* vtype, decoded. Widths are logarithms: an element has 8 << log bits, LMUL is 2^lmul. */
struct vector_type {
    int log, lmul;
    uint32_t vlmax;
};

/* One instruction in execution. */
struct vector {
    struct rv32_hart *hart;
    struct vector_type type;
    uint32_t vl;
    bool masked; /* v0 says which elements are active */
};

/* A register group: 2^emul registers (one where emul is negative) with elements of 8 << log bits;
 * a mask register has VECTOR_MASK_LOG and emul 0. */
struct vector_group {
    const char *name; /* of the operand, for faults */
    unsigned first;
    int log, emul;
};

/* The element width and LMUL of a vtype, without its vlmax. */
static inline struct vector_type vector_type_of(uint32_t vtype)
{
    return (struct vector_type){.log = (int)(vtype >> 3 & 7), .lmul = (int)((vtype & 7) ^ 4) - 4};
}

/* Decodes vtype; false, with hart->fault, when it is reserved or wider than the hardware. */
bool vector_type_decode(struct rv32_hart *hart, uint32_t vtype, struct vector_type *type);

/* False on a core without vectors. */
bool vector_check_core(struct rv32_hart *hart);

/* Fills *v for `op`; false when core, vtype or vl do not allow vector instructions. */
bool vector_begin(struct vector *v, struct rv32_hart *hart, const struct rv32_op *op);

/* The group at `first` with elements of SEW * 2^wider bits and the EMUL that goes with them. */
struct vector_group vector_group(const struct vector *v, const char *name, unsigned first,
                                 int wider);
struct vector_group vector_mask_group(const char *name, unsigned first);

/* Whether the group is one: EEW and EMUL in range, `first` a multiple of EMUL. */
bool vector_check_group(struct rv32_hart *hart, struct vector_group group);

/* Checks the group of the destination, which a masked instruction must not share with its mask. */
bool vector_check_destination(const struct vector *v, struct vector_group destination);

/* Whether the destination may lie on the source: not at all, or as V 1.0 5.2 says. */
bool vector_check_disjoint(struct rv32_hart *hart, struct vector_group destination,
                           struct vector_group source);
bool vector_check_overlap(struct rv32_hart *hart, struct vector_group destination,
                          struct vector_group source);

/* Whether FP32 elements of SEW * 2^wider bits are possible. */
bool vector_check_float(const struct vector *v, int wider);

/* --- Elements --- */

static inline uint8_t *vector_at(struct rv32_hart *hart, unsigned first, int log, uint32_t index)
{
    return &hart->v[0][0] + first * RV32_VLEN_BYTES + (index << log);
}

static inline uint32_t vector_read(struct rv32_hart *hart, unsigned first, int log, uint32_t index)
{
    const uint8_t *at = vector_at(hart, first, log, index);
    uint32_t value = at[0];
    if (log > 0) {
        value |= (uint32_t)at[1] << 8;
    }
    if (log > 1) {
        value |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    return value;
}

static inline void vector_write(struct rv32_hart *hart, unsigned first, int log, uint32_t index,
                                uint32_t value)
{
    uint8_t *at = vector_at(hart, first, log, index);
    at[0] = (uint8_t)value;
    if (log > 0) {
        at[1] = (uint8_t)(value >> 8);
    }
    if (log > 1) {
        at[2] = (uint8_t)(value >> 16);
        at[3] = (uint8_t)(value >> 24);
    }
}

static inline bool vector_bit(const struct rv32_hart *hart, unsigned mask, uint32_t index)
{
    return hart->v[mask][index >> 3] >> (index & 7) & 1;
}

static inline void vector_set_bit(struct rv32_hart *hart, unsigned mask, uint32_t index, bool value)
{
    uint8_t *at = &hart->v[mask][index >> 3];
    *at = (uint8_t)((*at & ~(1u << (index & 7))) | (unsigned)value << (index & 7));
}

static inline bool vector_is_active(const struct vector *v, uint32_t index)
{
    return !v->masked || vector_bit(v->hart, 0, index);
}

/* --- Element by element (vector_map.c) --- */

/* The operands of one element, extended to 64 bits as the row wants them. */
struct vector_element {
    struct rv32_hart *hart;
    int64_t a;      /* of vs2 */
    int64_t b;      /* of vs1, or the scalar or immediate that stands for it */
    uint32_t d;     /* of vd, as it was */
    unsigned width; /* bits of the result; of the operands where the result is a mask bit */
    bool carry;     /* of v0, where the row has VECTOR_WITH_V0 */
};

/* The result; bits beyond `width` are dropped. */
typedef uint32_t vector_function(const struct vector_element *e);

/* Where `b` comes from: vs1, x register, signed or unsigned immediate, f register, nowhere. */
enum vector_form { VECTOR_VV, VECTOR_VX, VECTOR_VI, VECTOR_VU, VECTOR_VF, VECTOR_UNARY };

/* What a row does otherwise than unsigned elements of SEW to elements of SEW. */
enum {
    VECTOR_PLAIN = 0,
    VECTOR_A_SIGNED = 1,
    VECTOR_B_SIGNED = 2,
    VECTOR_SIGNED = VECTOR_A_SIGNED | VECTOR_B_SIGNED,
    VECTOR_WIDE_D = 4,      /* vd has elements of 2 * SEW */
    VECTOR_WIDE_A = 8,      /* vs2 has */
    VECTOR_HALF_A = 16,     /* vs2 has elements of SEW / 2 */
    VECTOR_QUARTER_A = 32,  /* SEW / 4 */
    VECTOR_TO_MASK = 64,    /* vd is a mask */
    VECTOR_WITH_V0 = 128,   /* v0 is an operand (`carry`) and masks nothing */
    VECTOR_FLOAT = 256,     /* elements of SEW are FP32 */
    VECTOR_FLOAT_WIDE = 512 /* elements of 2 * SEW are FP32 */
};

/* vd[i] = function(vs2[i], b, vd[i]) for all active elements. */
RV32_APART enum answer vector_map(struct rv32_hart *hart, const struct rv32_op *op,
                                  enum vector_form form, unsigned rules, vector_function *function);

/* vd[0] = function over vs1[0] (`b`, the result so far) and the active vs2[i] (`a`). */
RV32_APART enum answer vector_reduce(struct rv32_hart *hart, const struct rv32_op *op,
                                     unsigned rules, vector_function *function);

static inline uint32_t vector_low_bits(unsigned width)
{
    return UINT32_MAX >> (32 - width);
}

/* --- Handlers --- */

static inline int64_t vector_end(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                                 enum answer answer)
{
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    return rv32_next(hart, op + 1, left);
}

/* A handler that does nothing but `call`, which may use hart and op. */
#define VECTOR_ROW(token, call)                                                                    \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        return vector_end(hart, op, left, call);                                                   \
    }

#endif
