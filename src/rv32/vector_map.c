/* The element loops that most vector rows are: see rv32/vector.h. */
#include "rv32/vector.h"

static int64_t extend(uint32_t value, int log, bool is_signed)
{
    unsigned unused = 64 - (8u << log);
    uint64_t high = (uint64_t)value << unused;
    return is_signed ? (int64_t)high >> unused : (int64_t)(high >> unused);
}

static int wider_a(unsigned rules)
{
    if (rules & VECTOR_WIDE_A) {
        return 1;
    }
    return rules & VECTOR_HALF_A ? -1 : rules & VECTOR_QUARTER_A ? -2 : 0;
}

static bool check_float(const struct vector *v, unsigned rules)
{
    if (rules & (VECTOR_FLOAT | VECTOR_FLOAT_WIDE)) {
        return vector_check_float(v, rules & VECTOR_FLOAT_WIDE ? 1 : 0);
    }
    return true;
}

struct map {
    struct vector v;
    struct vector_group d, a, b;
};

static bool begin_map(struct map *map, struct rv32_hart *hart, const struct rv32_op *op,
                      enum vector_form form, unsigned rules)
{
    struct vector *v = &map->v;
    if (!vector_begin(v, hart, op) || !check_float(v, rules)) {
        return false;
    }
    map->d = rules & VECTOR_TO_MASK ? vector_mask_group("vd", op->rd)
                                    : vector_group(v, "vd", op->rd, rules & VECTOR_WIDE_D ? 1 : 0);
    map->a = vector_group(v, "vs2", op->rs2, wider_a(rules));
    map->b = vector_group(v, "vs1", op->rs1, 0);
    /* A row that takes v0 as an operand is encoded as masked and must not write v0, either. */
    if (!vector_check_destination(v, map->d) || !vector_check_group(hart, map->a) ||
        !vector_check_overlap(hart, map->d, map->a)) {
        return false;
    }
    if (form == VECTOR_VV &&
        (!vector_check_group(hart, map->b) || !vector_check_overlap(hart, map->d, map->b))) {
        return false;
    }
    if (rules & VECTOR_WITH_V0) {
        v->masked = false;
    }
    return true;
}

static uint32_t scalar(const struct rv32_hart *hart, const struct rv32_op *op,
                       enum vector_form form)
{
    switch (form) {
    case VECTOR_VX:
        return hart->x[op->rs1];
    case VECTOR_VI:
        return (uint32_t)((op->rs1 ^ 16) - 16);
    case VECTOR_VU:
        return op->rs1;
    case VECTOR_VF:
        return hart->f[op->rs1];
    case VECTOR_VV:
    case VECTOR_UNARY:
        break;
    }
    return 0;
}

enum answer vector_map(struct rv32_hart *hart, const struct rv32_op *op, enum vector_form form,
                       unsigned rules, vector_function *function)
{
    struct map map;
    if (!begin_map(&map, hart, op, form, rules)) {
        return ANSWER_REFUSED;
    }
    const struct vector *v = &map.v;
    bool to_mask = rules & VECTOR_TO_MASK;
    struct vector_element e = {
        .hart = hart,
        .b = extend(scalar(hart, op, form), map.b.log, rules & VECTOR_B_SIGNED),
        .width = 8u << (to_mask ? map.b.log : map.d.log),
    };
    for (uint32_t i = 0; i < v->vl; i++) {
        if (!vector_is_active(v, i)) {
            continue;
        }
        e.a = extend(vector_read(hart, map.a.first, map.a.log, i), map.a.log,
                     rules & VECTOR_A_SIGNED);
        if (form == VECTOR_VV) {
            e.b = extend(vector_read(hart, map.b.first, map.b.log, i), map.b.log,
                         rules & VECTOR_B_SIGNED);
        }
        if (rules & VECTOR_WITH_V0) {
            e.carry = vector_bit(hart, 0, i);
        }
        if (to_mask) {
            vector_set_bit(hart, map.d.first, i, function(&e));
            continue;
        }
        e.d = vector_read(hart, map.d.first, map.d.log, i);
        vector_write(hart, map.d.first, map.d.log, i, function(&e));
    }
    return ANSWER_DONE;
}

enum answer vector_reduce(struct rv32_hart *hart, const struct rv32_op *op, unsigned rules,
                          vector_function *function)
{
    struct vector v;
    if (!vector_begin(&v, hart, op) || !check_float(&v, rules)) {
        return ANSWER_REFUSED;
    }
    /* vd and vs1 are single registers whatever LMUL is, and may lie on vs2 and v0. */
    struct vector_group a = vector_group(&v, "vs2", op->rs2, 0);
    int log = v.type.log + (rules & VECTOR_WIDE_D ? 1 : 0);
    struct vector_group d = {.name = "vd", .first = op->rd, .log = log};
    if (!vector_check_group(hart, a) || !vector_check_group(hart, d)) {
        return ANSWER_REFUSED;
    }
    struct vector_element e = {.hart = hart, .width = 8u << log};
    uint32_t result = vector_read(hart, op->rs1, log, 0);
    for (uint32_t i = 0; i < v.vl; i++) {
        if (vector_is_active(&v, i)) {
            e.a = extend(vector_read(hart, a.first, a.log, i), a.log, rules & VECTOR_A_SIGNED);
            e.b = extend(result, log, rules & VECTOR_B_SIGNED);
            result = function(&e);
        }
    }
    if (v.vl > 0) {
        vector_write(hart, d.first, log, 0, result);
    }
    return ANSWER_DONE;
}
