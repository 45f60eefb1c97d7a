/* Vector masks: logic, counting, searching, iota. See rv32/vector.h. */
#include "rv32/vector.h"

/* Bit 2 * vs2 + vs1 of `truth` is the result. */
static RV32_APART enum answer mask_logic(struct rv32_hart *hart, const struct rv32_op *op,
                                         unsigned truth)
{
    struct vector v;
    if (!vector_begin(&v, hart, op)) {
        return ANSWER_REFUSED;
    }
    for (uint32_t i = 0; i < v.vl; i++) {
        unsigned both = 2u * vector_bit(hart, op->rs2, i) + vector_bit(hart, op->rs1, i);
        vector_set_bit(hart, op->rd, i, truth >> both & 1);
    }
    return ANSWER_DONE;
}

VECTOR_ROW(VMAND_MM, mask_logic(hart, op, 0x8))
VECTOR_ROW(VMNAND_MM, mask_logic(hart, op, 0x7))
VECTOR_ROW(VMANDN_MM, mask_logic(hart, op, 0x4))
VECTOR_ROW(VMXOR_MM, mask_logic(hart, op, 0x6))
VECTOR_ROW(VMOR_MM, mask_logic(hart, op, 0xe))
VECTOR_ROW(VMNOR_MM, mask_logic(hart, op, 0x1))
VECTOR_ROW(VMORN_MM, mask_logic(hart, op, 0xd))
VECTOR_ROW(VMXNOR_MM, mask_logic(hart, op, 0x9))

/* --- Counting: results go to an x register --- */

static RV32_APART enum answer count(struct rv32_hart *hart, const struct rv32_op *op)
{
    struct vector v;
    if (!vector_begin(&v, hart, op)) {
        return ANSWER_REFUSED;
    }
    uint32_t set = 0;
    for (uint32_t i = 0; i < v.vl; i++) {
        set += vector_is_active(&v, i) && vector_bit(hart, op->rs2, i);
    }
    hart->x[op->rd] = set;
    return ANSWER_DONE;
}

/* The first active element that is set; `otherwise` when there is none. */
static uint32_t first_set(const struct vector *v, unsigned mask, uint32_t otherwise)
{
    for (uint32_t i = 0; i < v->vl; i++) {
        if (vector_is_active(v, i) && vector_bit(v->hart, mask, i)) {
            return i;
        }
    }
    return otherwise;
}

static RV32_APART enum answer find(struct rv32_hart *hart, const struct rv32_op *op)
{
    struct vector v;
    if (!vector_begin(&v, hart, op)) {
        return ANSWER_REFUSED;
    }
    hart->x[op->rd] = first_set(&v, op->rs2, UINT32_MAX);
    return ANSWER_DONE;
}

VECTOR_ROW(VCPOP_M, count(hart, op))
VECTOR_ROW(VFIRST_M, find(hart, op))

/* --- Masks and elements made from where a mask is set --- */

/* vd may be neither the source nor the mask, though masks overlap elsewhere. */
static bool begin_from_mask(struct vector *v, struct rv32_hart *hart, const struct rv32_op *op,
                            struct vector_group destination)
{
    struct vector_group v0 = vector_mask_group("the mask", 0);
    return vector_check_destination(v, destination) &&
           vector_check_disjoint(hart, destination, vector_mask_group("vs2", op->rs2)) &&
           (!v->masked || vector_check_disjoint(hart, destination, v0));
}

enum set_where { SET_BEFORE = 1, SET_AT = 2 };

/* Sets the bits of vd that lie before, at, or up to the first one in vs2; clears the others. */
static RV32_APART enum answer set_relative(struct rv32_hart *hart, const struct rv32_op *op,
                                           unsigned where)
{
    struct vector v;
    if (!vector_begin(&v, hart, op) ||
        !begin_from_mask(&v, hart, op, vector_mask_group("vd", op->rd))) {
        return ANSWER_REFUSED;
    }
    uint32_t first = first_set(&v, op->rs2, UINT32_MAX);
    for (uint32_t i = 0; i < v.vl; i++) {
        if (vector_is_active(&v, i)) {
            bool is_set = (where & SET_BEFORE && i < first) || (where & SET_AT && i == first);
            vector_set_bit(hart, op->rd, i, is_set);
        }
    }
    return ANSWER_DONE;
}

VECTOR_ROW(VMSBF_M, set_relative(hart, op, SET_BEFORE))
VECTOR_ROW(VMSIF_M, set_relative(hart, op, SET_BEFORE | SET_AT))
VECTOR_ROW(VMSOF_M, set_relative(hart, op, SET_AT))

/* Each element becomes the number of active set bits in front of it. */
static RV32_APART enum answer iota(struct rv32_hart *hart, const struct rv32_op *op)
{
    struct vector v;
    if (!vector_begin(&v, hart, op)) {
        return ANSWER_REFUSED;
    }
    struct vector_group d = vector_group(&v, "vd", op->rd, 0);
    if (!begin_from_mask(&v, hart, op, d)) {
        return ANSWER_REFUSED;
    }
    uint32_t set = 0;
    for (uint32_t i = 0; i < v.vl; i++) {
        if (vector_is_active(&v, i)) {
            vector_write(hart, d.first, d.log, i, set);
            set += vector_bit(hart, op->rs2, i);
        }
    }
    return ANSWER_DONE;
}

static RV32_APART enum answer index_elements(struct rv32_hart *hart, const struct rv32_op *op)
{
    struct vector v;
    if (!vector_begin(&v, hart, op)) {
        return ANSWER_REFUSED;
    }
    struct vector_group d = vector_group(&v, "vd", op->rd, 0);
    if (!vector_check_destination(&v, d)) {
        return ANSWER_REFUSED;
    }
    for (uint32_t i = 0; i < v.vl; i++) {
        if (vector_is_active(&v, i)) {
            vector_write(hart, d.first, d.log, i, i);
        }
    }
    return ANSWER_DONE;
}

VECTOR_ROW(VIOTA_M, iota(hart, op))
VECTOR_ROW(VID_V, index_elements(hart, op))
