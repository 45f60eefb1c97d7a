/*
 * Vector fixed-point: saturating and averaging arithmetic, scaling shifts, clips. See
 * rv32/vector.h. vxrm says how they round, vxsat is set where they saturate.
 */
#include "rv32/vector.h"

enum vxrm { ROUND_NEAREST_UP, ROUND_NEAREST_EVEN, ROUND_DOWN, ROUND_TO_ODD };

#define MAP(token, form, rules, function)                                                          \
    VECTOR_ROW(token, vector_map(hart, op, VECTOR_##form, rules, function))

/* value / 2^by, rounded as vxrm says. */
static int64_t round_right(const struct vector_element *e, int64_t value, unsigned by)
{
    if (by == 0) {
        return value;
    }
    int64_t whole = value >> by;
    uint64_t rest = (uint64_t)value & ((UINT64_C(1) << by) - 1);
    uint64_t half = UINT64_C(1) << (by - 1);
    switch ((enum vxrm)(e->hart->csr.vxrm & 3)) {
    case ROUND_NEAREST_UP:
        return whole + (rest >= half);
    case ROUND_NEAREST_EVEN:
        return whole + (rest > half || (rest == half && whole & 1));
    case ROUND_DOWN:
        break;
    case ROUND_TO_ODD:
        return whole | (rest != 0);
    }
    return whole;
}

static uint32_t saturate(const struct vector_element *e, int64_t value, int64_t least, int64_t most)
{
    if (value < least || value > most) {
        e->hart->csr.vxsat = 1;
        return (uint32_t)(value < least ? least : most);
    }
    return (uint32_t)value;
}

static uint32_t saturate_signed(const struct vector_element *e, int64_t value)
{
    int64_t most = vector_low_bits(e->width - 1);
    return saturate(e, value, -most - 1, most);
}

static uint32_t saturate_unsigned(const struct vector_element *e, int64_t value)
{
    return saturate(e, value, 0, vector_low_bits(e->width));
}

static uint32_t add_saturating(const struct vector_element *e)
{
    return saturate_signed(e, e->a + e->b);
}

static uint32_t add_saturating_unsigned(const struct vector_element *e)
{
    return saturate_unsigned(e, e->a + e->b);
}

static uint32_t subtract_saturating(const struct vector_element *e)
{
    return saturate_signed(e, e->a - e->b);
}

static uint32_t subtract_saturating_unsigned(const struct vector_element *e)
{
    return saturate_unsigned(e, e->a - e->b);
}

static uint32_t add_averaging(const struct vector_element *e)
{
    return (uint32_t)round_right(e, e->a + e->b, 1);
}

static uint32_t subtract_averaging(const struct vector_element *e)
{
    return (uint32_t)round_right(e, e->a - e->b, 1);
}

static uint32_t multiply_fraction(const struct vector_element *e)
{
    return saturate_signed(e, round_right(e, e->a * e->b, e->width - 1));
}

static uint32_t shift_right_rounding(const struct vector_element *e)
{
    return (uint32_t)round_right(e, e->a, (unsigned)e->b & (e->width - 1));
}

/* The amount of a clip has one bit more, as vs2 is twice as wide as the result. */
static int64_t scale(const struct vector_element *e)
{
    return round_right(e, e->a, (unsigned)e->b & (2 * e->width - 1));
}

static uint32_t clip(const struct vector_element *e)
{
    return saturate_signed(e, scale(e));
}

static uint32_t clip_unsigned(const struct vector_element *e)
{
    return saturate_unsigned(e, scale(e));
}

MAP(VSADDU_VV, VV, VECTOR_PLAIN, add_saturating_unsigned)
MAP(VSADDU_VX, VX, VECTOR_PLAIN, add_saturating_unsigned)
MAP(VSADDU_VI, VI, VECTOR_PLAIN, add_saturating_unsigned)
MAP(VSADD_VV, VV, VECTOR_SIGNED, add_saturating)
MAP(VSADD_VX, VX, VECTOR_SIGNED, add_saturating)
MAP(VSADD_VI, VI, VECTOR_SIGNED, add_saturating)
MAP(VSSUBU_VV, VV, VECTOR_PLAIN, subtract_saturating_unsigned)
MAP(VSSUBU_VX, VX, VECTOR_PLAIN, subtract_saturating_unsigned)
MAP(VSSUB_VV, VV, VECTOR_SIGNED, subtract_saturating)
MAP(VSSUB_VX, VX, VECTOR_SIGNED, subtract_saturating)
MAP(VAADDU_VV, VV, VECTOR_PLAIN, add_averaging)
MAP(VAADDU_VX, VX, VECTOR_PLAIN, add_averaging)
MAP(VAADD_VV, VV, VECTOR_SIGNED, add_averaging)
MAP(VAADD_VX, VX, VECTOR_SIGNED, add_averaging)
MAP(VASUBU_VV, VV, VECTOR_PLAIN, subtract_averaging)
MAP(VASUBU_VX, VX, VECTOR_PLAIN, subtract_averaging)
MAP(VASUB_VV, VV, VECTOR_SIGNED, subtract_averaging)
MAP(VASUB_VX, VX, VECTOR_SIGNED, subtract_averaging)
MAP(VSMUL_VV, VV, VECTOR_SIGNED, multiply_fraction)
MAP(VSMUL_VX, VX, VECTOR_SIGNED, multiply_fraction)
MAP(VSSRL_VV, VV, VECTOR_PLAIN, shift_right_rounding)
MAP(VSSRL_VX, VX, VECTOR_PLAIN, shift_right_rounding)
MAP(VSSRL_VI, VU, VECTOR_PLAIN, shift_right_rounding)
MAP(VSSRA_VV, VV, VECTOR_A_SIGNED, shift_right_rounding)
MAP(VSSRA_VX, VX, VECTOR_A_SIGNED, shift_right_rounding)
MAP(VSSRA_VI, VU, VECTOR_A_SIGNED, shift_right_rounding)
MAP(VNCLIPU_WV, VV, VECTOR_WIDE_A, clip_unsigned)
MAP(VNCLIPU_WX, VX, VECTOR_WIDE_A, clip_unsigned)
MAP(VNCLIPU_WI, VU, VECTOR_WIDE_A, clip_unsigned)
MAP(VNCLIP_WV, VV, VECTOR_WIDE_A | VECTOR_A_SIGNED, clip)
MAP(VNCLIP_WX, VX, VECTOR_WIDE_A | VECTOR_A_SIGNED, clip)
MAP(VNCLIP_WI, VU, VECTOR_WIDE_A | VECTOR_A_SIGNED, clip)
