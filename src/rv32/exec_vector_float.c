/*
 * Vector floats: FP32 in elements of 32 bits (SPEC: InstructionSet: the caveats of scalar
 * arithmetic hold, see num/fp32.h). See rv32/vector.h.
 *
 * GUESS: the conversions with rtz in their name truncate; the page says only that rounding mode
 * bits are ignored, and here the mode is part of the opcode. GUESS: vfredusum.vs adds in ascending
 * order, as vfredosum.vs must.
 */
#include "num/fp32.h"
#include "rv32/vector.h"

#define A     ((uint32_t)e->a)
#define B     ((uint32_t)e->b)
#define D     (e->d)
#define FLAGS (&e->hart->csr.fcsr)

#define MAP(token, form, rules, function)                                                          \
    VECTOR_ROW(token, vector_map(hart, op, VECTOR_##form, rules, function))
#define REDUCE(token, rules, function) VECTOR_ROW(token, vector_reduce(hart, op, rules, function))

static uint32_t negated_element(uint32_t x)
{
    return x ^ NUM_FP32_SIGN;
}

static uint32_t element_with_sign(uint32_t x, uint32_t sign)
{
    return (x & ~NUM_FP32_SIGN) | (sign & NUM_FP32_SIGN);
}

static uint32_t element_add_float(const struct vector_element *e)
{
    return num_fp32_add(B, A, FLAGS);
}

static uint32_t element_subtract_float(const struct vector_element *e)
{
    return num_fp32_sub(A, B, FLAGS);
}

static uint32_t subtract_reversed(const struct vector_element *e)
{
    return num_fp32_sub(B, A, FLAGS);
}

static uint32_t element_multiply_float(const struct vector_element *e)
{
    return num_fp32_mul(A, B, FLAGS);
}

static uint32_t madd(const struct vector_element *e)
{
    return num_fp32_fma_flags(B, D, A, FLAGS);
}

static uint32_t nmadd(const struct vector_element *e)
{
    return num_fp32_fma_flags(negated_element(B), D, negated_element(A), FLAGS);
}

static uint32_t msub(const struct vector_element *e)
{
    return num_fp32_fma_flags(B, D, negated_element(A), FLAGS);
}

static uint32_t nmsub(const struct vector_element *e)
{
    return num_fp32_fma_flags(negated_element(B), D, A, FLAGS);
}

static uint32_t macc(const struct vector_element *e)
{
    return num_fp32_fma_flags(B, A, D, FLAGS);
}

static uint32_t nmacc(const struct vector_element *e)
{
    return num_fp32_fma_flags(negated_element(B), A, negated_element(D), FLAGS);
}

static uint32_t msac(const struct vector_element *e)
{
    return num_fp32_fma_flags(B, A, negated_element(D), FLAGS);
}

static uint32_t nmsac(const struct vector_element *e)
{
    return num_fp32_fma_flags(negated_element(B), A, D, FLAGS);
}

static uint32_t minimum(const struct vector_element *e)
{
    return num_fp32_min(A, B, FLAGS);
}

static uint32_t maximum(const struct vector_element *e)
{
    return num_fp32_max(A, B, FLAGS);
}

static uint32_t copy_sign(const struct vector_element *e)
{
    return element_with_sign(A, B);
}

static uint32_t copy_sign_negated(const struct vector_element *e)
{
    return element_with_sign(A, ~B);
}

static uint32_t xor_sign(const struct vector_element *e)
{
    return element_with_sign(A, A ^ B);
}

static uint32_t element_is_equal_float(const struct vector_element *e)
{
    return num_fp32_equal(A, B, FLAGS);
}

static uint32_t is_unequal(const struct vector_element *e)
{
    return !num_fp32_equal(A, B, FLAGS);
}

static uint32_t is_less(const struct vector_element *e)
{
    return num_fp32_less(A, B, FLAGS);
}

static uint32_t is_less_or_equal(const struct vector_element *e)
{
    return num_fp32_less_equal(A, B, FLAGS);
}

static uint32_t is_greater(const struct vector_element *e)
{
    return num_fp32_less(B, A, FLAGS);
}

static uint32_t is_greater_or_equal(const struct vector_element *e)
{
    return num_fp32_less_equal(B, A, FLAGS);
}

static uint32_t classify(const struct vector_element *e)
{
    return num_fp32_classify(A);
}

static uint32_t choose(const struct vector_element *e)
{
    return e->carry ? B : A;
}

static uint32_t copy_b(const struct vector_element *e)
{
    return B;
}

static uint32_t to_signed(const struct vector_element *e)
{
    return num_fp32_to_int(A, e->width, NUM_NEAREST_EVEN, FLAGS);
}

static uint32_t to_unsigned(const struct vector_element *e)
{
    return num_fp32_to_uint(A, e->width, NUM_NEAREST_EVEN, FLAGS);
}

static uint32_t to_signed_truncating(const struct vector_element *e)
{
    return num_fp32_to_int(A, e->width, NUM_TOWARD_ZERO, FLAGS);
}

static uint32_t to_unsigned_truncating(const struct vector_element *e)
{
    return num_fp32_to_uint(A, e->width, NUM_TOWARD_ZERO, FLAGS);
}

static uint32_t from_signed(const struct vector_element *e)
{
    return num_fp32_from_int((int32_t)e->a, FLAGS);
}

static uint32_t from_unsigned(const struct vector_element *e)
{
    return num_fp32_from_uint(A, FLAGS);
}

MAP(VFADD_VV, VV, VECTOR_FLOAT, element_add_float)
MAP(VFADD_VF, VF, VECTOR_FLOAT, element_add_float)
MAP(VFSUB_VV, VV, VECTOR_FLOAT, element_subtract_float)
MAP(VFSUB_VF, VF, VECTOR_FLOAT, element_subtract_float)
MAP(VFRSUB_VF, VF, VECTOR_FLOAT, subtract_reversed)
MAP(VFMUL_VV, VV, VECTOR_FLOAT, element_multiply_float)
MAP(VFMUL_VF, VF, VECTOR_FLOAT, element_multiply_float)
MAP(VFMADD_VV, VV, VECTOR_FLOAT, madd)
MAP(VFMADD_VF, VF, VECTOR_FLOAT, madd)
MAP(VFNMADD_VV, VV, VECTOR_FLOAT, nmadd)
MAP(VFNMADD_VF, VF, VECTOR_FLOAT, nmadd)
MAP(VFMSUB_VV, VV, VECTOR_FLOAT, msub)
MAP(VFMSUB_VF, VF, VECTOR_FLOAT, msub)
MAP(VFNMSUB_VV, VV, VECTOR_FLOAT, nmsub)
MAP(VFNMSUB_VF, VF, VECTOR_FLOAT, nmsub)
MAP(VFMACC_VV, VV, VECTOR_FLOAT, macc)
MAP(VFMACC_VF, VF, VECTOR_FLOAT, macc)
MAP(VFNMACC_VV, VV, VECTOR_FLOAT, nmacc)
MAP(VFNMACC_VF, VF, VECTOR_FLOAT, nmacc)
MAP(VFMSAC_VV, VV, VECTOR_FLOAT, msac)
MAP(VFMSAC_VF, VF, VECTOR_FLOAT, msac)
MAP(VFNMSAC_VV, VV, VECTOR_FLOAT, nmsac)
MAP(VFNMSAC_VF, VF, VECTOR_FLOAT, nmsac)
MAP(VFMIN_VV, VV, VECTOR_FLOAT, minimum)
MAP(VFMIN_VF, VF, VECTOR_FLOAT, minimum)
MAP(VFMAX_VV, VV, VECTOR_FLOAT, maximum)
MAP(VFMAX_VF, VF, VECTOR_FLOAT, maximum)
MAP(VFSGNJ_VV, VV, VECTOR_FLOAT, copy_sign)
MAP(VFSGNJ_VF, VF, VECTOR_FLOAT, copy_sign)
MAP(VFSGNJN_VV, VV, VECTOR_FLOAT, copy_sign_negated)
MAP(VFSGNJN_VF, VF, VECTOR_FLOAT, copy_sign_negated)
MAP(VFSGNJX_VV, VV, VECTOR_FLOAT, xor_sign)
MAP(VFSGNJX_VF, VF, VECTOR_FLOAT, xor_sign)
MAP(VMFEQ_VV, VV, VECTOR_FLOAT | VECTOR_TO_MASK, element_is_equal_float)
MAP(VMFEQ_VF, VF, VECTOR_FLOAT | VECTOR_TO_MASK, element_is_equal_float)
MAP(VMFLE_VV, VV, VECTOR_FLOAT | VECTOR_TO_MASK, is_less_or_equal)
MAP(VMFLE_VF, VF, VECTOR_FLOAT | VECTOR_TO_MASK, is_less_or_equal)
MAP(VMFLT_VV, VV, VECTOR_FLOAT | VECTOR_TO_MASK, is_less)
MAP(VMFLT_VF, VF, VECTOR_FLOAT | VECTOR_TO_MASK, is_less)
MAP(VMFNE_VV, VV, VECTOR_FLOAT | VECTOR_TO_MASK, is_unequal)
MAP(VMFNE_VF, VF, VECTOR_FLOAT | VECTOR_TO_MASK, is_unequal)
MAP(VMFGT_VF, VF, VECTOR_FLOAT | VECTOR_TO_MASK, is_greater)
MAP(VMFGE_VF, VF, VECTOR_FLOAT | VECTOR_TO_MASK, is_greater_or_equal)
MAP(VFCLASS_V, UNARY, VECTOR_FLOAT, classify)
MAP(VFMERGE_VFM, VF, VECTOR_FLOAT | VECTOR_WITH_V0, choose)
MAP(VFMV_V_F, VF, VECTOR_FLOAT, copy_b)
MAP(VFCVT_XU_F_V, UNARY, VECTOR_FLOAT, to_unsigned)
MAP(VFCVT_X_F_V, UNARY, VECTOR_FLOAT, to_signed)
MAP(VFCVT_F_XU_V, UNARY, VECTOR_FLOAT, from_unsigned)
MAP(VFCVT_F_X_V, UNARY, VECTOR_FLOAT, from_signed)
MAP(VFCVT_RTZ_XU_F_V, UNARY, VECTOR_FLOAT, to_unsigned_truncating)
MAP(VFCVT_RTZ_X_F_V, UNARY, VECTOR_FLOAT, to_signed_truncating)
MAP(VFWCVT_F_XU_V, UNARY, VECTOR_FLOAT_WIDE | VECTOR_WIDE_D, from_unsigned)
MAP(VFWCVT_F_X_V, UNARY, VECTOR_FLOAT_WIDE | VECTOR_WIDE_D | VECTOR_A_SIGNED, from_signed)
MAP(VFNCVT_XU_F_W, UNARY, VECTOR_FLOAT_WIDE | VECTOR_WIDE_A, to_unsigned)
MAP(VFNCVT_X_F_W, UNARY, VECTOR_FLOAT_WIDE | VECTOR_WIDE_A, to_signed)
MAP(VFNCVT_RTZ_XU_F_W, UNARY, VECTOR_FLOAT_WIDE | VECTOR_WIDE_A, to_unsigned_truncating)
MAP(VFNCVT_RTZ_X_F_W, UNARY, VECTOR_FLOAT_WIDE | VECTOR_WIDE_A, to_signed_truncating)

REDUCE(VFREDUSUM_VS, VECTOR_FLOAT, element_add_float)
REDUCE(VFREDOSUM_VS, VECTOR_FLOAT, element_add_float)
REDUCE(VFREDMIN_VS, VECTOR_FLOAT, minimum)
REDUCE(VFREDMAX_VS, VECTOR_FLOAT, maximum)
