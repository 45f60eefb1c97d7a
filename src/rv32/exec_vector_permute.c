/* Vector permutations: scalar moves, slides, gathers, compress, registers. See rv32/vector.h. */
#include <string.h>

#include "rv32/vector.h"

/* --- Element 0 and scalars: LMUL plays no part --- */

static int32_t sign_extended(uint32_t value, int log)
{
    unsigned unused = 32 - (8u << log);
    return (int32_t)(value << unused) >> unused;
}

static RV32_APART enum answer move_to_x(struct rv32_hart *hart, const struct rv32_op *op)
{
    struct vector v;
    if (!vector_begin(&v, hart, op)) {
        return ANSWER_REFUSED;
    }
    uint32_t value = vector_read(hart, op->rs2, v.type.log, 0);
    hart->x[op->rd] = (uint32_t)sign_extended(value, v.type.log);
    return ANSWER_DONE;
}

static RV32_APART enum answer move_to_f(struct rv32_hart *hart, const struct rv32_op *op)
{
    struct vector v;
    if (!vector_begin(&v, hart, op) || !vector_check_float(&v, 0)) {
        return ANSWER_REFUSED;
    }
    hart->f[op->rd] = vector_read(hart, op->rs2, v.type.log, 0);
    return ANSWER_DONE;
}

static RV32_APART enum answer move_to_element(struct rv32_hart *hart, const struct rv32_op *op,
                                              uint32_t value, bool is_float)
{
    struct vector v;
    if (!vector_begin(&v, hart, op) || (is_float && !vector_check_float(&v, 0))) {
        return ANSWER_REFUSED;
    }
    if (v.vl > 0) {
        vector_write(hart, op->rd, v.type.log, 0, value);
    }
    return ANSWER_DONE;
}

VECTOR_ROW(VMV_X_S, move_to_x(hart, op))
VECTOR_ROW(VFMV_F_S, move_to_f(hart, op))
VECTOR_ROW(VMV_S_X, move_to_element(hart, op, hart->x[op->rs1], false))
VECTOR_ROW(VFMV_S_F, move_to_element(hart, op, hart->f[op->rs1], true))

/* --- Slides --- */

struct permutation {
    struct vector v;
    struct vector_group d, a;
};

static bool begin(struct permutation *p, struct rv32_hart *hart, const struct rv32_op *op)
{
    if (!vector_begin(&p->v, hart, op)) {
        return false;
    }
    p->d = vector_group(&p->v, "vd", op->rd, 0);
    p->a = vector_group(&p->v, "vs2", op->rs2, 0);
    return vector_check_destination(&p->v, p->d) && vector_check_group(hart, p->a);
}

static void copy_element(const struct permutation *p, uint32_t to, uint32_t from)
{
    struct rv32_hart *hart = p->v.hart;
    vector_write(hart, p->d.first, p->d.log, to,
                 from < p->v.type.vlmax ? vector_read(hart, p->a.first, p->a.log, from) : 0);
}

static RV32_APART enum answer slide_up(struct rv32_hart *hart, const struct rv32_op *op,
                                       uint32_t by)
{
    struct permutation p;
    if (!begin(&p, hart, op) || !vector_check_disjoint(hart, p.d, p.a)) {
        return ANSWER_REFUSED;
    }
    for (uint32_t i = by; i < p.v.vl; i++) {
        if (vector_is_active(&p.v, i)) {
            copy_element(&p, i, i - by);
        }
    }
    return ANSWER_DONE;
}

static RV32_APART enum answer slide_down(struct rv32_hart *hart, const struct rv32_op *op,
                                         uint32_t by)
{
    struct permutation p;
    if (!begin(&p, hart, op)) {
        return ANSWER_REFUSED;
    }
    for (uint32_t i = 0; i < p.v.vl; i++) {
        if (vector_is_active(&p.v, i)) {
            copy_element(&p, i, by < p.v.type.vlmax ? i + by : by);
        }
    }
    return ANSWER_DONE;
}

enum direction { UP, DOWN };

/* By one element; `value` enters at the end that gets free. */
static RV32_APART enum answer slide_one(struct rv32_hart *hart, const struct rv32_op *op,
                                        enum direction direction, uint32_t value, bool is_float)
{
    struct permutation p;
    if (!begin(&p, hart, op) || (is_float && !vector_check_float(&p.v, 0)) ||
        (direction == UP && !vector_check_disjoint(hart, p.d, p.a))) {
        return ANSWER_REFUSED;
    }
    uint32_t entry = direction == UP ? 0 : p.v.vl - 1;
    for (uint32_t i = 0; i < p.v.vl; i++) {
        if (!vector_is_active(&p.v, i)) {
            continue;
        }
        if (i == entry) {
            vector_write(hart, p.d.first, p.d.log, i, value);
        } else {
            copy_element(&p, i, direction == UP ? i - 1 : i + 1);
        }
    }
    return ANSWER_DONE;
}

VECTOR_ROW(VSLIDEUP_VX, slide_up(hart, op, hart->x[op->rs1]))
VECTOR_ROW(VSLIDEUP_VI, slide_up(hart, op, op->rs1))
VECTOR_ROW(VSLIDEDOWN_VX, slide_down(hart, op, hart->x[op->rs1]))
VECTOR_ROW(VSLIDEDOWN_VI, slide_down(hart, op, op->rs1))
VECTOR_ROW(VSLIDE1UP_VX, slide_one(hart, op, UP, hart->x[op->rs1], false))
VECTOR_ROW(VSLIDE1DOWN_VX, slide_one(hart, op, DOWN, hart->x[op->rs1], false))
VECTOR_ROW(VFSLIDE1UP_VF, slide_one(hart, op, UP, hart->f[op->rs1], true))
VECTOR_ROW(VFSLIDE1DOWN_VF, slide_one(hart, op, DOWN, hart->f[op->rs1], true))

/* --- Gathers: an index at or above VLMAX yields 0 --- */

static RV32_APART enum answer gather_one(struct rv32_hart *hart, const struct rv32_op *op,
                                         uint32_t from)
{
    struct permutation p;
    if (!begin(&p, hart, op) || !vector_check_disjoint(hart, p.d, p.a)) {
        return ANSWER_REFUSED;
    }
    for (uint32_t i = 0; i < p.v.vl; i++) {
        if (vector_is_active(&p.v, i)) {
            copy_element(&p, i, from);
        }
    }
    return ANSWER_DONE;
}

/* Indices have 16 bits, or as many as the elements. */
static RV32_APART enum answer gather_elements(struct rv32_hart *hart, const struct rv32_op *op,
                                              bool indices_are_16_bits)
{
    struct permutation p;
    if (!begin(&p, hart, op)) {
        return ANSWER_REFUSED;
    }
    struct vector_group b =
        vector_group(&p.v, "vs1", op->rs1, indices_are_16_bits ? 1 - p.v.type.log : 0);
    if (!vector_check_group(hart, b) || !vector_check_disjoint(hart, p.d, p.a) ||
        !vector_check_disjoint(hart, p.d, b)) {
        return ANSWER_REFUSED;
    }
    for (uint32_t i = 0; i < p.v.vl; i++) {
        if (vector_is_active(&p.v, i)) {
            copy_element(&p, i, vector_read(hart, b.first, b.log, i));
        }
    }
    return ANSWER_DONE;
}

VECTOR_ROW(VRGATHER_VV, gather_elements(hart, op, false))
VECTOR_ROW(VRGATHEREI16_VV, gather_elements(hart, op, true))
VECTOR_ROW(VRGATHER_VX, gather_one(hart, op, hart->x[op->rs1]))
VECTOR_ROW(VRGATHER_VI, gather_one(hart, op, op->rs1))

/* --- Compress, whole registers --- */

static RV32_APART enum answer compress(struct rv32_hart *hart, const struct rv32_op *op)
{
    struct permutation p;
    if (!begin(&p, hart, op) || !vector_check_disjoint(hart, p.d, p.a) ||
        !vector_check_disjoint(hart, p.d, vector_mask_group("vs1", op->rs1))) {
        return ANSWER_REFUSED;
    }
    uint32_t to = 0;
    for (uint32_t i = 0; i < p.v.vl; i++) {
        if (vector_bit(hart, op->rs1, i)) {
            copy_element(&p, to++, i);
        }
    }
    return ANSWER_DONE;
}

/* vtype and vl play no part. */
static RV32_APART enum answer move_registers(struct rv32_hart *hart, const struct rv32_op *op,
                                             int emul)
{
    struct vector_group d = {.name = "vd", .first = op->rd, .emul = emul};
    struct vector_group a = {.name = "vs2", .first = op->rs2, .emul = emul};
    if (!vector_check_core(hart) || !vector_check_group(hart, d) || !vector_check_group(hart, a)) {
        return ANSWER_REFUSED;
    }
    memmove(hart->v[d.first], hart->v[a.first], (size_t)RV32_VLEN_BYTES << emul);
    return ANSWER_DONE;
}

VECTOR_ROW(VCOMPRESS_VM, compress(hart, op))
VECTOR_ROW(VMV1R_V, move_registers(hart, op, 0))
VECTOR_ROW(VMV2R_V, move_registers(hart, op, 1))
VECTOR_ROW(VMV4R_V, move_registers(hart, op, 2))
VECTOR_ROW(VMV8R_V, move_registers(hart, op, 3))
