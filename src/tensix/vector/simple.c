/*
 * The simple sub-unit: bits, integers, fields of FP32, approximations, moves (SPEC: BlackholeA0,
 * the pages of the instructions). flags.c has its other half.
 *
 * Bits of Mod1 that a page calls reserved do what it says that silicon does today.
 */
#include "tensix/vector/schedule.h"

/* What most rows do: VD = operation(VB, VC, immediate), where VD can be written. */
static const char *apply(struct tensix *tensix, const struct tensix_vector_op *op, uint32_t lanes,
                         enum num_lanes_op operation, unsigned vb, uint32_t immediate)
{
    uint32_t(*lreg)[NUM_LANES] = tensix->vector.lreg;
    if (tensix_vector_may_write(op->vd)) {
        tensix->kernels->lanes->op[operation](lreg[op->vd], NULL, lreg[vb], lreg[op->vc], immediate,
                                              lanes);
    }
    return NULL;
}

/* Applies an operation of a row without VB. */
static const char *apply_unary(struct tensix *tensix, const struct tensix_vector_op *op,
                               uint32_t lanes, enum num_lanes_op operation, uint32_t immediate)
{
    return apply(tensix, op, lanes, operation, op->vc, immediate);
}

/* SPEC: LaneFlags follow a result only where VD is below 8. With `inverts` they are inverted after
 * `sets` has set them to `flags`, or as they were. */
static void put_flags(struct tensix *tensix, const struct tensix_vector_op *op, uint32_t lanes,
                      bool sets, uint32_t flags, bool inverts)
{
    struct tensix_vector *vector = &tensix->vector;
    if (op->vd >= TENSIX_LREG_WRITABLE) {
        return;
    }
    if (sets) {
        vector->flags = (flags & lanes) | (vector->flags & ~lanes);
    }
    if (inverts) {
        vector->flags ^= lanes;
    }
}

/* --- Bits --- */

enum { BITWISE_USE_VB = 1 };

/* SPEC: VB counts only where Mod1 says so, and is VD otherwise. */
static unsigned bitwise_vb(const struct tensix_vector_op *op)
{
    return op->mod & BITWISE_USE_VB ? op->vb : tensix_vector_vb_or_vd(op);
}

TENSIX_EXEC_VECTOR(SFPAND)
{
    return apply(tensix, op, lanes, NUM_LANES_AND, bitwise_vb(op), 0);
}

TENSIX_EXEC_VECTOR(SFPOR)
{
    return apply(tensix, op, lanes, NUM_LANES_OR, bitwise_vb(op), 0);
}

TENSIX_EXEC_VECTOR(SFPXOR)
{
    return apply(tensix, op, lanes, NUM_LANES_XOR, tensix_vector_vb_or_vd(op), 0);
}

TENSIX_EXEC_VECTOR(SFPNOT)
{
    return apply_unary(tensix, op, lanes, NUM_LANES_NOT, 0);
}

enum { LZ_SETS_FLAGS = 2, LZ_IGNORES_SIGN = 4, LZ_INVERTS_FLAGS = 8 };

TENSIX_EXEC_VECTOR(SFPLZ)
{
    const uint32_t mask = op->mod & LZ_IGNORES_SIGN ? INT32_MAX : UINT32_MAX;
    bool sets = op->mod & LZ_SETS_FLAGS;
    uint32_t flags = 0;
    if (sets) { /* VD may be VC */
        flags = tensix->kernels->lanes->nonzero(tensix->vector.lreg[op->vc], mask);
    }
    apply_unary(tensix, op, lanes, NUM_LANES_LEADING_ZEROS, mask);
    put_flags(tensix, op, lanes, sets, flags, op->mod & LZ_INVERTS_FLAGS);
    return NULL;
}

enum { SHIFT_BY_IMM = 1, SHIFT_ARITHMETIC = 2, SHIFT_OF_VC = 4 };

TENSIX_EXEC_VECTOR(SFPSHFT)
{
    const unsigned vb = tensix_vector_vb_or_vd(op);
    bool is_arithmetic = op->mod & SHIFT_ARITHMETIC;
    if (!(op->mod & SHIFT_BY_IMM)) {
        return apply(tensix, op, lanes,
                     is_arithmetic ? NUM_LANES_SHIFT_ARITHMETIC : NUM_LANES_SHIFT, vb, 0);
    }
    struct tensix_vector_op by_imm = *op;
    by_imm.vc = op->mod & SHIFT_OF_VC ? op->vc : (uint8_t)vb;
    return apply_unary(tensix, &by_imm, lanes,
                       is_arithmetic ? NUM_LANES_SHIFT_ARITHMETIC_CONSTANT
                                     : NUM_LANES_SHIFT_CONSTANT,
                       (uint32_t)tensix_vector_simm12(op));
}

/* --- Integers --- */

enum { IADD_IMM = 1, IADD_SUBTRACTS = 2, IADD_KEEPS_FLAGS = 4, IADD_INVERTS_FLAGS = 8 };

TENSIX_EXEC_VECTOR(SFPIADD)
{
    bool sets = !(op->mod & IADD_KEEPS_FLAGS);
    uint32_t flags = 0;
    enum num_lanes_op operation = op->mod & IADD_IMM         ? NUM_LANES_ADD_CONSTANT
                                  : op->mod & IADD_SUBTRACTS ? NUM_LANES_SUBTRACT
                                                             : NUM_LANES_ADD;
    apply(tensix, op, lanes, operation, tensix_vector_vb_or_vd(op),
          (uint32_t)tensix_vector_simm12(op));
    if (sets) {
        flags = tensix->kernels->lanes->negative(tensix->vector.lreg[op->vd]);
    }
    put_flags(tensix, op, lanes, sets, flags, op->mod & IADD_INVERTS_FLAGS);
    return NULL;
}

enum { ABS_FLOAT = 1 };

TENSIX_EXEC_VECTOR(SFPABS)
{
    return apply_unary(tensix, op, lanes,
                       op->mod & ABS_FLOAT ? NUM_LANES_ABS_FLOAT : NUM_LANES_ABS_INTEGER, 0);
}

/* --- Fields of FP32 --- */

enum { EXEXP_KEEPS_BIAS = 1, EXEXP_SETS_FLAGS = 2, EXEXP_INVERTS_FLAGS = 8, BIAS = 127 };

TENSIX_EXEC_VECTOR(SFPEXEXP)
{
    bool sets = op->mod & EXEXP_SETS_FLAGS;
    uint32_t flags = 0;
    apply_unary(tensix, op, lanes, NUM_LANES_EXPONENT, op->mod & EXEXP_KEEPS_BIAS ? 0 : BIAS);
    if (sets) {
        flags = tensix->kernels->lanes->negative(tensix->vector.lreg[op->vd]);
    }
    put_flags(tensix, op, lanes, sets, flags, op->mod & EXEXP_INVERTS_FLAGS);
    return NULL;
}

enum { EXMAN_HIDES_BIT = 1, HIDDEN_BIT = 1 << 23 };

TENSIX_EXEC_VECTOR(SFPEXMAN)
{
    return apply_unary(tensix, op, lanes, NUM_LANES_MANTISSA,
                       op->mod & EXMAN_HIDES_BIT ? 0 : HIDDEN_BIT);
}

/* Of SFPSETEXP, SFPSETMAN and SFPSETSGN; the second of SFPSETEXP alone. */
enum { SET_IMM = 1, SET_FROM_EXPONENT = 2 };

TENSIX_EXEC_VECTOR(SFPSETEXP)
{
    enum num_lanes_op operation = op->mod & SET_IMM             ? NUM_LANES_SET_EXPONENT
                                  : op->mod & SET_FROM_EXPONENT ? NUM_LANES_COPY_EXPONENT
                                                                : NUM_LANES_INSERT_EXPONENT;
    return apply(tensix, op, lanes, operation, tensix_vector_vb_or_vd(op),
                 tensix_vector_imm12(op) & 0xff);
}

TENSIX_EXEC_VECTOR(SFPSETMAN)
{
    enum { IMM_SHIFT = 11 };
    return apply(tensix, op, lanes,
                 op->mod & SET_IMM ? NUM_LANES_SET_MANTISSA : NUM_LANES_COPY_MANTISSA,
                 tensix_vector_vb_or_vd(op), tensix_vector_imm12(op) << IMM_SHIFT);
}

TENSIX_EXEC_VECTOR(SFPSETSGN)
{
    enum { SIGN_SHIFT = 31 };
    return apply(tensix, op, lanes, op->mod & SET_IMM ? NUM_LANES_SET_SIGN : NUM_LANES_COPY_SIGN,
                 tensix_vector_vb_or_vd(op), tensix_vector_imm12(op) << SIGN_SHIFT);
}

enum { DIVP2_ADDS = 1 };

TENSIX_EXEC_VECTOR(SFPDIVP2)
{
    return apply_unary(tensix, op, lanes,
                       op->mod & DIVP2_ADDS ? NUM_LANES_ADD_EXPONENT : NUM_LANES_SET_EXPONENT,
                       tensix_vector_imm12(op) & 0xff);
}

/* --- Approximations --- */

enum arecip { ARECIP_RECIPROCAL, ARECIP_CONDITIONAL };

/* SPEC: all other modes are the exponential. */
TENSIX_EXEC_VECTOR(SFPARECIP)
{
    enum num_lanes_op operation = op->mod == ARECIP_RECIPROCAL    ? NUM_LANES_RECIPROCAL
                                  : op->mod == ARECIP_CONDITIONAL ? NUM_LANES_CONDITIONAL_RECIPROCAL
                                                                  : NUM_LANES_EXPONENTIAL;
    return apply(tensix, op, lanes, operation, op->vb, 0);
}

/* --- Conversions --- */

enum cast { CAST_TO_FLOAT, CAST_TO_FLOAT_RANDOM, CAST_ABS, CAST_SIGNS, CAST_MODES };

/* SPEC: the generator steps in enabled lanes whether VD can be written or not. */
TENSIX_EXEC_VECTOR(SFPCAST)
{
    struct tensix_vector *vector = &tensix->vector;
    const struct num_lanes_kernels *kernels = tensix->kernels->lanes;
    uint32_t bits[NUM_LANES];
    switch ((enum cast)(op->mod % CAST_MODES)) {
    case CAST_TO_FLOAT_RANDOM:
        kernels->random(vector->generator, bits, lanes);
        if (tensix_vector_may_write(op->vd)) {
            kernels->op[NUM_LANES_INT_TO_FLOAT_RANDOM](vector->lreg[op->vd], bits, NULL,
                                                       vector->lreg[op->vc], 0, lanes);
        }
        return NULL;
    case CAST_ABS:
        return apply_unary(tensix, op, lanes, NUM_LANES_ABS_INTEGER, 0);
    case CAST_SIGNS:
        return apply_unary(tensix, op, lanes, NUM_LANES_SWITCH_SIGNS, 0);
    case CAST_TO_FLOAT:
    case CAST_MODES:
        break;
    }
    return apply_unary(tensix, op, lanes, NUM_LANES_INT_TO_FLOAT, 0);
}

/* --- Moves --- */

enum { MOV_NEGATES = 1, MOV_ALL_LANES = 2, MOV_RESERVED = 4, MOV_FROM_SPECIAL = 8 };

/* VC of MOV_FROM_SPECIAL, as the first of a group. */
enum special { OF_TEMPLATE = 0, OF_SEQUENCE = 4, OF_MISC = 8, OF_PRNG = 9, OF_LANE_CONFIG = 15 };

/* SPEC: as VD of SFPCONFIG, where there is something to be read. */
static uint32_t special_of(const struct tensix_vector *vector, unsigned vc, unsigned column)
{
    const struct tensix_macro_config *macro = &vector->macro[column];
    if (vc < OF_SEQUENCE) {
        return macro->instruction[vc - OF_TEMPLATE];
    }
    if (vc < OF_MISC) {
        return macro->sequence[vc - OF_SEQUENCE];
    }
    return vc == OF_MISC ? macro->misc : vc == OF_LANE_CONFIG ? vector->lane_config[column] : 0;
}

/* SPEC: the generator steps in enabled lanes whether VD can be written or not. */
static void move_from_special(struct tensix *tensix, const struct tensix_vector_op *op,
                              uint32_t lanes)
{
    struct tensix_vector *vector = &tensix->vector;
    uint32_t value[NUM_LANES];
    if (op->vc == OF_PRNG) {
        tensix->kernels->lanes->random(vector->generator, value, lanes);
    } else {
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            value[lane] = special_of(vector, op->vc, lane % TENSIX_LANE_COLUMNS);
        }
    }
    if (tensix_vector_may_write(op->vd)) {
        tensix->kernels->lanes->op[NUM_LANES_COPY](vector->lreg[op->vd], NULL, NULL, value, 0,
                                                   lanes);
    }
}

TENSIX_EXEC_VECTOR(SFPMOV)
{
    const unsigned mod = op->mod & ~(unsigned)MOV_RESERVED;
    if (mod != MOV_ALL_LANES) {
        lanes &= tensix_vector_enabled(&tensix->vector);
    }
    if (mod & MOV_FROM_SPECIAL) {
        move_from_special(tensix, op, lanes);
        return NULL;
    }
    return apply_unary(tensix, op, lanes, mod & MOV_NEGATES ? NUM_LANES_NEGATE : NUM_LANES_COPY, 0);
}

/* By Mod1 of SFPSWAP: lanes in which VD gets the lesser one; the others, and all other modes from 9
 * on, have VD get the greater one. Mode 0 does not compare. */
static const uint32_t swap_minima[] = {
    [1] = 0xffffffff, [2] = 0x0000ffff, [3] = 0x00ff00ff, [4] = 0xff0000ff,
    [5] = 0x000000ff, [6] = 0x0000ff00, [7] = 0x00ff0000, [8] = 0xff000000,
};

enum { SWAP_ALWAYS = 0, SWAP_INDICES = 4 };

static void exchange(struct tensix *tensix, unsigned vc, unsigned vd, unsigned writable,
                     uint32_t lanes)
{
    const struct num_lanes_kernels *kernels = tensix->kernels->lanes;
    uint32_t *c = tensix->vector.lreg[vc], *d = tensix->vector.lreg[vd];
    if (vc < writable && vd < writable) {
        kernels->swap(c, d, lanes);
    } else if (vc < writable) {
        kernels->op[NUM_LANES_COPY](c, NULL, NULL, d, 0, lanes);
    } else if (vd < writable) {
        kernels->op[NUM_LANES_COPY](d, NULL, NULL, c, 0, lanes);
    }
}

/* Lanes whose operands are to change places. */
static uint32_t misordered(const struct tensix *tensix, const struct tensix_vector_op *op)
{
    const struct tensix_vector *vector = &tensix->vector;
    if (op->mod == SWAP_ALWAYS) {
        return UINT32_MAX;
    }
    bool is_table = op->mod < sizeof swap_minima / sizeof swap_minima[0];
    uint32_t minima = is_table ? swap_minima[op->mod] : 0;
    uint32_t less = tensix->kernels->lanes->less(vector->lreg[op->vc], vector->lreg[op->vd]);
    return ~(less ^ minima) ^ vector->sets.exchanges;
}

uint32_t tensix_vector_misordered(const struct tensix *tensix, const struct tensix_vector_op *op)
{
    return misordered(tensix, op);
}

/* SPEC: LReg[8] and up are compared, but not written. It takes two cycles, but the next instruction
 * always waits. */
TENSIX_EXEC_VECTOR(SFPSWAP)
{
    const struct tensix_lane_sets *sets = &tensix->vector.sets;
    const uint32_t swaps = lanes & misordered(tensix, op);
    exchange(tensix, op->vc, op->vd, TENSIX_LREG_WRITABLE, swaps & ~sets->dest_index);
    if ((swaps & sets->dest_index) != 0) {
        exchange(tensix, op->vc, op->vd, SWAP_INDICES, swaps & sets->dest_index);
        exchange(tensix, SWAP_INDICES + op->vc % SWAP_INDICES, SWAP_INDICES + op->vd % SWAP_INDICES,
                 TENSIX_LREG_WRITABLE, swaps & sets->dest_index);
    }
    return NULL;
}

/* Exchanges rows of eight lanes. */
static inline void swap_rows(uint32_t *a, uint32_t *b)
{
    uint32_t old_a[NUM_LANES_A_ROW], old_b[NUM_LANES_A_ROW];
    memcpy(old_a, a, sizeof old_a);
    memcpy(old_b, b, sizeof old_b);
    memcpy(a, old_b, sizeof old_b);
    memcpy(b, old_a, sizeof old_a);
}

/* Rows of lanes of four LRegs change places: row i of LReg[j] is row j of LReg[i]. Lanes that are
 * not enabled get back what they had. */
static void transpose(struct tensix *tensix, unsigned first, uint32_t lanes)
{
    uint32_t(*lreg)[NUM_LANES] = &tensix->vector.lreg[first];
    uint32_t old[NUM_LANES_ROWS][NUM_LANES];
    if (lanes != UINT32_MAX) {
        memcpy(old, lreg, sizeof old);
    }
    for (unsigned i = 1; i < NUM_LANES_ROWS; i++) {
        for (unsigned j = 0; j < i; j++) {
            swap_rows(&lreg[i][j * NUM_LANES_A_ROW], &lreg[j][i * NUM_LANES_A_ROW]);
        }
    }
    for (unsigned i = 0; lanes != UINT32_MAX && i < NUM_LANES_ROWS; i++) {
        tensix->kernels->lanes->op[NUM_LANES_COPY](lreg[i], NULL, NULL, old[i], 0, ~lanes);
    }
}

TENSIX_EXEC_VECTOR(SFPTRANSP)
{
    (void)op;
    transpose(tensix, 0, lanes);
    transpose(tensix, NUM_LANES_ROWS, lanes);
    return NULL;
}
