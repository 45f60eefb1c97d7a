/*
 * Vector integers: arithmetic, comparisons, merges and reductions. See rv32/vector.h.
 *
 * Operands come extended to 64 bits as the rules of the row say, so that signed and unsigned,
 * narrow and wide rows share their arithmetic.
 */
#include "rv32/vector.h"

#define MAP(token, form, rules, function)                                                          \
    VECTOR_ROW(token, vector_map(hart, op, VECTOR_##form, rules, function))
#define REDUCE(token, rules, function) VECTOR_ROW(token, vector_reduce(hart, op, rules, function))

/* Products wrap at 64 bits: every result is taken from the low ones. */
static uint64_t element_product(int64_t x, int64_t y)
{
    return (uint64_t)x * (uint64_t)y;
}

static uint32_t element_add(const struct vector_element *e)
{
    return (uint32_t)(e->a + e->b);
}

static uint32_t element_subtract(const struct vector_element *e)
{
    return (uint32_t)(e->a - e->b);
}

static uint32_t subtract_reversed(const struct vector_element *e)
{
    return (uint32_t)(e->b - e->a);
}

static uint32_t minimum(const struct vector_element *e)
{
    return (uint32_t)(e->a < e->b ? e->a : e->b);
}

static uint32_t maximum(const struct vector_element *e)
{
    return (uint32_t)(e->a > e->b ? e->a : e->b);
}

static uint32_t and (const struct vector_element *e)
{
    return (uint32_t)(e->a & e->b);
}

static uint32_t or (const struct vector_element *e)
{
    return (uint32_t)(e->a | e->b);
}

static uint32_t xor (const struct vector_element *e) { return (uint32_t)(e->a ^ e->b); }

    static uint32_t shift_left(const struct vector_element *e)
{
    return (uint32_t)e->a << (e->b & (e->width - 1));
}

static uint32_t shift_right(const struct vector_element *e)
{
    return (uint32_t)(e->a >> (e->b & (e->width - 1)));
}

/* The amount has one bit more, as vs2 is twice as wide as the result. */
static uint32_t shift_right_narrowing(const struct vector_element *e)
{
    return (uint32_t)(e->a >> (e->b & (2 * e->width - 1)));
}

static uint32_t element_multiply(const struct vector_element *e)
{
    return (uint32_t)element_product(e->a, e->b);
}

static uint32_t multiply_high(const struct vector_element *e)
{
    return (uint32_t)(element_product(e->a, e->b) >> e->width);
}

static uint32_t multiply_d_add(const struct vector_element *e)
{
    return (uint32_t)e->a + (uint32_t)e->b * e->d;
}

static uint32_t multiply_d_subtract(const struct vector_element *e)
{
    return (uint32_t)e->a - (uint32_t)e->b * e->d;
}

static uint32_t element_accumulate(const struct vector_element *e)
{
    return e->d + (uint32_t)element_product(e->a, e->b);
}

static uint32_t accumulate_negated(const struct vector_element *e)
{
    return e->d - (uint32_t)element_product(e->a, e->b);
}

static uint32_t copy_a(const struct vector_element *e)
{
    return (uint32_t)e->a;
}

static uint32_t copy_b(const struct vector_element *e)
{
    return (uint32_t)e->b;
}

static uint32_t choose(const struct vector_element *e)
{
    return (uint32_t)(e->carry ? e->b : e->a);
}

static uint32_t add_with_carry(const struct vector_element *e)
{
    return (uint32_t)(e->a + e->b + e->carry);
}

static uint32_t carry_out(const struct vector_element *e)
{
    return (uint32_t)((e->a + e->b + e->carry) >> e->width);
}

static uint32_t subtract_with_borrow(const struct vector_element *e)
{
    return (uint32_t)(e->a - e->b - e->carry);
}

static uint32_t borrow_out(const struct vector_element *e)
{
    return e->a < e->b + e->carry;
}

static uint32_t element_is_equal(const struct vector_element *e)
{
    return e->a == e->b;
}

static uint32_t is_unequal(const struct vector_element *e)
{
    return e->a != e->b;
}

static uint32_t is_less(const struct vector_element *e)
{
    return e->a < e->b;
}

static uint32_t is_less_or_equal(const struct vector_element *e)
{
    return e->a <= e->b;
}

static uint32_t is_greater(const struct vector_element *e)
{
    return e->a > e->b;
}

MAP(VADD_VV, VV, VECTOR_PLAIN, element_add)
MAP(VADD_VX, VX, VECTOR_PLAIN, element_add)
MAP(VADD_VI, VI, VECTOR_PLAIN, element_add)
MAP(VSUB_VV, VV, VECTOR_PLAIN, element_subtract)
MAP(VSUB_VX, VX, VECTOR_PLAIN, element_subtract)
MAP(VRSUB_VX, VX, VECTOR_PLAIN, subtract_reversed)
MAP(VRSUB_VI, VI, VECTOR_PLAIN, subtract_reversed)
MAP(VMINU_VV, VV, VECTOR_PLAIN, minimum)
MAP(VMINU_VX, VX, VECTOR_PLAIN, minimum)
MAP(VMIN_VV, VV, VECTOR_SIGNED, minimum)
MAP(VMIN_VX, VX, VECTOR_SIGNED, minimum)
MAP(VMAXU_VV, VV, VECTOR_PLAIN, maximum)
MAP(VMAXU_VX, VX, VECTOR_PLAIN, maximum)
MAP(VMAX_VV, VV, VECTOR_SIGNED, maximum)
MAP(VMAX_VX, VX, VECTOR_SIGNED, maximum)
MAP(VAND_VV, VV, VECTOR_PLAIN, and)
MAP(VAND_VX, VX, VECTOR_PLAIN, and)
MAP(VAND_VI, VI, VECTOR_PLAIN, and)
MAP(VOR_VV, VV, VECTOR_PLAIN, or)
MAP(VOR_VX, VX, VECTOR_PLAIN, or)
MAP(VOR_VI, VI, VECTOR_PLAIN, or)
MAP(VXOR_VV, VV, VECTOR_PLAIN, xor)
MAP(VXOR_VX, VX, VECTOR_PLAIN, xor)
MAP(VXOR_VI, VI, VECTOR_PLAIN, xor)
MAP(VSLL_VV, VV, VECTOR_PLAIN, shift_left)
MAP(VSLL_VX, VX, VECTOR_PLAIN, shift_left)
MAP(VSLL_VI, VU, VECTOR_PLAIN, shift_left)
MAP(VSRL_VV, VV, VECTOR_PLAIN, shift_right)
MAP(VSRL_VX, VX, VECTOR_PLAIN, shift_right)
MAP(VSRL_VI, VU, VECTOR_PLAIN, shift_right)
MAP(VSRA_VV, VV, VECTOR_A_SIGNED, shift_right)
MAP(VSRA_VX, VX, VECTOR_A_SIGNED, shift_right)
MAP(VSRA_VI, VU, VECTOR_A_SIGNED, shift_right)
MAP(VNSRL_WV, VV, VECTOR_WIDE_A, shift_right_narrowing)
MAP(VNSRL_WX, VX, VECTOR_WIDE_A, shift_right_narrowing)
MAP(VNSRL_WI, VU, VECTOR_WIDE_A, shift_right_narrowing)
MAP(VNSRA_WV, VV, VECTOR_WIDE_A | VECTOR_A_SIGNED, shift_right_narrowing)
MAP(VNSRA_WX, VX, VECTOR_WIDE_A | VECTOR_A_SIGNED, shift_right_narrowing)
MAP(VNSRA_WI, VU, VECTOR_WIDE_A | VECTOR_A_SIGNED, shift_right_narrowing)
MAP(VMULHU_VV, VV, VECTOR_PLAIN, multiply_high)
MAP(VMULHU_VX, VX, VECTOR_PLAIN, multiply_high)
MAP(VMUL_VV, VV, VECTOR_PLAIN, element_multiply)
MAP(VMUL_VX, VX, VECTOR_PLAIN, element_multiply)
MAP(VMULHSU_VV, VV, VECTOR_A_SIGNED, multiply_high)
MAP(VMULHSU_VX, VX, VECTOR_A_SIGNED, multiply_high)
MAP(VMULH_VV, VV, VECTOR_SIGNED, multiply_high)
MAP(VMULH_VX, VX, VECTOR_SIGNED, multiply_high)
MAP(VMADD_VV, VV, VECTOR_PLAIN, multiply_d_add)
MAP(VMADD_VX, VX, VECTOR_PLAIN, multiply_d_add)
MAP(VNMSUB_VV, VV, VECTOR_PLAIN, multiply_d_subtract)
MAP(VNMSUB_VX, VX, VECTOR_PLAIN, multiply_d_subtract)
MAP(VMACC_VV, VV, VECTOR_PLAIN, element_accumulate)
MAP(VMACC_VX, VX, VECTOR_PLAIN, element_accumulate)
MAP(VNMSAC_VV, VV, VECTOR_PLAIN, accumulate_negated)
MAP(VNMSAC_VX, VX, VECTOR_PLAIN, accumulate_negated)
MAP(VWADDU_VV, VV, VECTOR_WIDE_D, element_add)
MAP(VWADDU_VX, VX, VECTOR_WIDE_D, element_add)
MAP(VWADD_VV, VV, VECTOR_WIDE_D | VECTOR_SIGNED, element_add)
MAP(VWADD_VX, VX, VECTOR_WIDE_D | VECTOR_SIGNED, element_add)
MAP(VWSUBU_VV, VV, VECTOR_WIDE_D, element_subtract)
MAP(VWSUBU_VX, VX, VECTOR_WIDE_D, element_subtract)
MAP(VWSUB_VV, VV, VECTOR_WIDE_D | VECTOR_SIGNED, element_subtract)
MAP(VWSUB_VX, VX, VECTOR_WIDE_D | VECTOR_SIGNED, element_subtract)
MAP(VWADDU_WV, VV, VECTOR_WIDE_D | VECTOR_WIDE_A, element_add)
MAP(VWADDU_WX, VX, VECTOR_WIDE_D | VECTOR_WIDE_A, element_add)
MAP(VWADD_WV, VV, VECTOR_WIDE_D | VECTOR_WIDE_A | VECTOR_SIGNED, element_add)
MAP(VWADD_WX, VX, VECTOR_WIDE_D | VECTOR_WIDE_A | VECTOR_SIGNED, element_add)
MAP(VWSUBU_WV, VV, VECTOR_WIDE_D | VECTOR_WIDE_A, element_subtract)
MAP(VWSUBU_WX, VX, VECTOR_WIDE_D | VECTOR_WIDE_A, element_subtract)
MAP(VWSUB_WV, VV, VECTOR_WIDE_D | VECTOR_WIDE_A | VECTOR_SIGNED, element_subtract)
MAP(VWSUB_WX, VX, VECTOR_WIDE_D | VECTOR_WIDE_A | VECTOR_SIGNED, element_subtract)
MAP(VWMULU_VV, VV, VECTOR_WIDE_D, element_multiply)
MAP(VWMULU_VX, VX, VECTOR_WIDE_D, element_multiply)
MAP(VWMULSU_VV, VV, VECTOR_WIDE_D | VECTOR_A_SIGNED, element_multiply)
MAP(VWMULSU_VX, VX, VECTOR_WIDE_D | VECTOR_A_SIGNED, element_multiply)
MAP(VWMUL_VV, VV, VECTOR_WIDE_D | VECTOR_SIGNED, element_multiply)
MAP(VWMUL_VX, VX, VECTOR_WIDE_D | VECTOR_SIGNED, element_multiply)
MAP(VWMACCU_VV, VV, VECTOR_WIDE_D, element_accumulate)
MAP(VWMACCU_VX, VX, VECTOR_WIDE_D, element_accumulate)
MAP(VWMACC_VV, VV, VECTOR_WIDE_D | VECTOR_SIGNED, element_accumulate)
MAP(VWMACC_VX, VX, VECTOR_WIDE_D | VECTOR_SIGNED, element_accumulate)
MAP(VWMACCUS_VX, VX, VECTOR_WIDE_D | VECTOR_A_SIGNED, element_accumulate)
MAP(VWMACCSU_VV, VV, VECTOR_WIDE_D | VECTOR_B_SIGNED, element_accumulate)
MAP(VWMACCSU_VX, VX, VECTOR_WIDE_D | VECTOR_B_SIGNED, element_accumulate)
MAP(VZEXT_VF4, UNARY, VECTOR_QUARTER_A, copy_a)
MAP(VSEXT_VF4, UNARY, VECTOR_QUARTER_A | VECTOR_A_SIGNED, copy_a)
MAP(VZEXT_VF2, UNARY, VECTOR_HALF_A, copy_a)
MAP(VSEXT_VF2, UNARY, VECTOR_HALF_A | VECTOR_A_SIGNED, copy_a)
MAP(VADC_VVM, VV, VECTOR_WITH_V0, add_with_carry)
MAP(VADC_VXM, VX, VECTOR_WITH_V0, add_with_carry)
MAP(VADC_VIM, VI, VECTOR_WITH_V0, add_with_carry)
MAP(VMADC_VVM, VV, VECTOR_TO_MASK | VECTOR_WITH_V0, carry_out)
MAP(VMADC_VXM, VX, VECTOR_TO_MASK | VECTOR_WITH_V0, carry_out)
MAP(VMADC_VIM, VI, VECTOR_TO_MASK | VECTOR_WITH_V0, carry_out)
MAP(VMADC_VV, VV, VECTOR_TO_MASK, carry_out)
MAP(VMADC_VX, VX, VECTOR_TO_MASK, carry_out)
MAP(VMADC_VI, VI, VECTOR_TO_MASK, carry_out)
MAP(VSBC_VVM, VV, VECTOR_WITH_V0, subtract_with_borrow)
MAP(VSBC_VXM, VX, VECTOR_WITH_V0, subtract_with_borrow)
MAP(VMSBC_VVM, VV, VECTOR_TO_MASK | VECTOR_WITH_V0, borrow_out)
MAP(VMSBC_VXM, VX, VECTOR_TO_MASK | VECTOR_WITH_V0, borrow_out)
MAP(VMSBC_VV, VV, VECTOR_TO_MASK, borrow_out)
MAP(VMSBC_VX, VX, VECTOR_TO_MASK, borrow_out)
MAP(VMERGE_VVM, VV, VECTOR_WITH_V0, choose)
MAP(VMERGE_VXM, VX, VECTOR_WITH_V0, choose)
MAP(VMERGE_VIM, VI, VECTOR_WITH_V0, choose)
MAP(VMV_V_V, VV, VECTOR_PLAIN, copy_b)
MAP(VMV_V_X, VX, VECTOR_PLAIN, copy_b)
MAP(VMV_V_I, VI, VECTOR_PLAIN, copy_b)
MAP(VMSEQ_VV, VV, VECTOR_TO_MASK, element_is_equal)
MAP(VMSEQ_VX, VX, VECTOR_TO_MASK, element_is_equal)
MAP(VMSEQ_VI, VI, VECTOR_TO_MASK, element_is_equal)
MAP(VMSNE_VV, VV, VECTOR_TO_MASK, is_unequal)
MAP(VMSNE_VX, VX, VECTOR_TO_MASK, is_unequal)
MAP(VMSNE_VI, VI, VECTOR_TO_MASK, is_unequal)
MAP(VMSLTU_VV, VV, VECTOR_TO_MASK, is_less)
MAP(VMSLTU_VX, VX, VECTOR_TO_MASK, is_less)
MAP(VMSLT_VV, VV, VECTOR_TO_MASK | VECTOR_SIGNED, is_less)
MAP(VMSLT_VX, VX, VECTOR_TO_MASK | VECTOR_SIGNED, is_less)
MAP(VMSLEU_VV, VV, VECTOR_TO_MASK, is_less_or_equal)
MAP(VMSLEU_VX, VX, VECTOR_TO_MASK, is_less_or_equal)
MAP(VMSLEU_VI, VI, VECTOR_TO_MASK, is_less_or_equal)
MAP(VMSLE_VV, VV, VECTOR_TO_MASK | VECTOR_SIGNED, is_less_or_equal)
MAP(VMSLE_VX, VX, VECTOR_TO_MASK | VECTOR_SIGNED, is_less_or_equal)
MAP(VMSLE_VI, VI, VECTOR_TO_MASK | VECTOR_SIGNED, is_less_or_equal)
MAP(VMSGTU_VX, VX, VECTOR_TO_MASK, is_greater)
MAP(VMSGTU_VI, VI, VECTOR_TO_MASK, is_greater)
MAP(VMSGT_VX, VX, VECTOR_TO_MASK | VECTOR_SIGNED, is_greater)
MAP(VMSGT_VI, VI, VECTOR_TO_MASK | VECTOR_SIGNED, is_greater)

REDUCE(VREDSUM_VS, VECTOR_PLAIN, element_add)
REDUCE(VREDAND_VS, VECTOR_PLAIN, and)
REDUCE(VREDOR_VS, VECTOR_PLAIN, or)
REDUCE(VREDXOR_VS, VECTOR_PLAIN, xor)
REDUCE(VREDMINU_VS, VECTOR_PLAIN, minimum)
REDUCE(VREDMIN_VS, VECTOR_SIGNED, minimum)
REDUCE(VREDMAXU_VS, VECTOR_PLAIN, maximum)
REDUCE(VREDMAX_VS, VECTOR_SIGNED, maximum)
REDUCE(VWREDSUMU_VS, VECTOR_WIDE_D, element_add)
REDUCE(VWREDSUM_VS, VECTOR_WIDE_D | VECTOR_SIGNED, element_add)
