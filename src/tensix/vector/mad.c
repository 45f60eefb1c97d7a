/*
 * The MAD sub-unit: multiply-add and tables (SPEC: BlackholeA0 SFPMAD, SFPADD, SFPMUL, SFPADDI,
 * SFPMULI, SFPMUL24, SFPLUT, SFPLUTFP32).
 *
 * All of its rows end alike: the result goes to VD, or with INDIRECT_VD to the LReg that each
 * lane's LReg[7] names, and can be used the cycle after next. LReg[7] and operands are read before
 * anything is written. Numbers above 7 are read as they are and written nowhere.
 */
#include "tensix/vector/common.h"

enum {
    NEGATE_VB = 1 << 0, /* these two stand in the immediate of NUM_LANES_MAD as they do in Mod1 */
    NEGATE_VC = 1 << 1,
    NEGATE_BOTH = NEGATE_VB | NEGATE_VC,
    MUL24_UPPER = 1 << 0,
    LUT_KEEPS_SIGN = 1 << 2,
};

/* Mod1 of SFPLUTFP32: FP16_3 needs INDIRECT_VD, a bug of the hardware. */
enum { LUT_FP16 = 2, LUT_FP16_6_4 = 3, LUT_FP16_3 = LUT_FP16 | TENSIX_MODE_INDIRECT_VD };

/* --- Results --- */

/* Writes each lane to the LReg that it names; returns the LRegs as bits. */
static uint32_t scatter(struct tensix_vector *vector, const uint32_t *value, uint32_t lanes)
{
    uint32_t writes = 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        unsigned vd = tensix_vector_named(vector, lane);
        if (tensix_vector_may_write(vd)) {
            vector->lreg[vd][lane] = value[lane];
            writes |= 1u << vd;
        }
    }
    return writes;
}

/* Scheduled instructions are not watched for hazards: no automatic stall is for them. */
static const char *finish(struct tensix *tensix, const struct tensix_vector_op *op, uint32_t writes)
{
    if (!op->is_scheduled) {
        tensix_vector_note_slow(tensix, op, writes);
    }
    return NULL;
}

/* d = operation(a, b, c, immediate), wherever d is. */
static const char *compute_lanes(struct tensix *tensix, const struct tensix_vector_op *op,
                                 uint32_t lanes, enum num_lanes_op operation, const uint32_t *a,
                                 const uint32_t *b, const uint32_t *c, uint32_t immediate)
{
    struct tensix_vector *vector = &tensix->vector;
    num_lanes_function *function = tensix->kernels->lanes->op[operation];
    if (tensix_vector_is_indirect(op)) {
        uint32_t result[NUM_LANES];
        function(result, a, b, c, immediate, lanes);
        return finish(tensix, op, scatter(vector, result, lanes));
    }
    if (!tensix_vector_may_write(op->vd)) {
        return finish(tensix, op, 0);
    }
    function(vector->lreg[op->vd], a, b, c, immediate, lanes);
    return finish(tensix, op, 1u << op->vd);
}

/* --- Multiply-add --- */

/* Each lane of VA from the LReg that it names. */
static void gather_factor(const struct tensix_vector *vector, uint32_t *va)
{
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        va[lane] = vector->lreg[tensix_vector_named(vector, lane)][lane];
    }
}

/* The operands of SFPMAD and its kin. */
static const char *multiply_add(struct tensix *tensix, const struct tensix_vector_op *op,
                                uint32_t lanes, enum num_lanes_op operation, uint32_t immediate)
{
    const struct tensix_vector *vector = &tensix->vector;
    uint32_t gathered[NUM_LANES];
    const uint32_t *a = vector->lreg[op->va];
    if (op->mod & TENSIX_MODE_INDIRECT_VA) {
        gather_factor(vector, gathered);
        a = gathered;
    }
    return compute_lanes(tensix, op, lanes, operation, a, vector->lreg[op->vb],
                         vector->lreg[op->vc], immediate);
}

TENSIX_EXEC_VECTOR(SFPMAD)
{
    return multiply_add(tensix, op, lanes, NUM_LANES_MAD, op->mod & NEGATE_BOTH);
}

/* SPEC: the preferred names where VA is LReg[10] or VC is LReg[9], but nothing depends on that. */
TENSIX_EXEC_VECTOR(SFPADD)
{
    return multiply_add(tensix, op, lanes, NUM_LANES_MAD, op->mod & NEGATE_BOTH);
}

TENSIX_EXEC_VECTOR(SFPMUL)
{
    return multiply_add(tensix, op, lanes, NUM_LANES_MAD, op->mod & NEGATE_BOTH);
}

/* Bit 1 of Mod1 means nothing here. */
TENSIX_EXEC_VECTOR(SFPMUL24)
{
    return multiply_add(tensix, op, lanes, NUM_LANES_MUL24, op->mod & MUL24_UPPER);
}

/* --- With an immediate --- */

/* The immediate is the upper half of an FP32 number. */
static void spread_immediate(const struct tensix *tensix, const struct tensix_vector_op *op,
                             uint32_t *value)
{
    tensix->kernels->lanes->op[NUM_LANES_CONSTANT](value, NULL, NULL, NULL,
                                                   tensix_vector_imm16(op) << 16, UINT32_MAX);
}

/* SPEC: `unsigned VC = VD`, which a macro has done in its own way. */
static const uint32_t *addend(const struct tensix *tensix, const struct tensix_vector_op *op)
{
    return tensix->vector.lreg[op->is_scheduled ? op->vc : op->vd];
}

TENSIX_EXEC_VECTOR(SFPADDI)
{
    uint32_t immediate[NUM_LANES];
    spread_immediate(tensix, op, immediate);
    return compute_lanes(tensix, op, lanes, NUM_LANES_MAD, immediate,
                         tensix->vector.lreg[TENSIX_LREG_ONE], addend(tensix, op),
                         op->mod & NEGATE_VC);
}

/* The product of -0 and a number becomes +0 by the addition. */
TENSIX_EXEC_VECTOR(SFPMULI)
{
    uint32_t immediate[NUM_LANES];
    spread_immediate(tensix, op, immediate);
    return compute_lanes(tensix, op, lanes, NUM_LANES_MAD, immediate, addend(tensix, op),
                         tensix->vector.lreg[TENSIX_LREG_ZERO],
                         op->mod & NEGATE_VC ? NEGATE_VB : 0);
}

/* --- Tables --- */

static const char *mad_look_up(struct tensix *tensix, const struct tensix_vector_op *op,
                               uint32_t lanes, enum num_lanes_table table)
{
    struct tensix_vector *vector = &tensix->vector;
    const uint32_t(*lreg)[NUM_LANES] = (const uint32_t(*)[NUM_LANES])vector->lreg;
    bool keeps_sign = op->mod & LUT_KEEPS_SIGN;
    if (tensix_vector_is_indirect(op)) {
        uint32_t result[NUM_LANES];
        tensix->kernels->lanes->look_up(result, lreg, table, keeps_sign, lanes);
        return finish(tensix, op, scatter(vector, result, lanes));
    }
    if (!tensix_vector_may_write(op->vd)) {
        return finish(tensix, op, 0);
    }
    tensix->kernels->lanes->look_up(vector->lreg[op->vd], lreg, table, keeps_sign, lanes);
    return finish(tensix, op, 1u << op->vd);
}

TENSIX_EXEC_VECTOR(SFPLUT)
{
    return mad_look_up(tensix, op, lanes, NUM_LANES_TABLE_FP8);
}

/* Mod1Mirror is for the automatic stalls alone. */
TENSIX_EXEC_VECTOR(SFPLUTFP32)
{
    enum num_lanes_table table = NUM_LANES_TABLE_FP32;
    if ((op->mod & LUT_FP16_3) == LUT_FP16_3) {
        table = NUM_LANES_TABLE_FP16;
    } else if (op->mod & LUT_FP16) {
        table = (op->mod & LUT_FP16_6_4) == LUT_FP16_6_4 ? NUM_LANES_TABLE_FP16_6_4
                                                         : NUM_LANES_TABLE_FP16_6;
    }
    return mad_look_up(tensix, op, lanes, table);
}
