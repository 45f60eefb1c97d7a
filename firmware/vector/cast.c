/*
 * Result = A in another type, for ROWS x COLUMNS tiles; OPERATION is an enum cast. In Dst, integers
 * have sign and magnitude. USES_MACROS takes SFPLOADMACRO where there is a variant, with the same
 * bits.
 *
 * RANDOM ones round stochastically. Their result has two tiles for each of A: the second one begins
 * with what the lanes' generators gave before the tile (rows 0 to 3, even columns).
 */
#include "functions.h"

enum cast {
    CAST_FLOAT_TO_INT32,
    CAST_FLOAT_TO_UINT16,
    CAST_FLOAT_TO_INT8,
    CAST_FLOAT_TO_UINT8,
    CAST_FLOAT_TO_BF16,
    CAST_FLOAT_TO_BF16_RANDOM,
    CAST_FLOAT_TO_INT8_RANDOM,
    CAST_INT32_TO_FLOAT,
    CAST_INT32_TO_FLOAT_RANDOM,
    CAST_UINT16_TO_BF16,
    CAST_BF16_TO_INT8,      /* in a Dst of 16 bits, which shows them as FP16 of 2 to 4 */
    CAST_INT32_TO_INT8,     /* a quarter of it */
    CAST_BF16_THROUGH_INT8, /* and back again */
};

static unsigned operands(void)
{
    return 1;
}

static bool is_random(void)
{
    return operation() == CAST_FLOAT_TO_BF16_RANDOM || operation() == CAST_FLOAT_TO_INT8_RANDOM ||
           operation() == CAST_INT32_TO_FLOAT_RANDOM;
}

static unsigned results(void)
{
    return is_random() ? 2 : 1;
}

/* --- To integers --- */

/* Towards zero; what is too large, and NaNs, become the greatest magnitude. */
static void float_to_int32(struct body *body)
{
    LOAD(L0, LOAD_FP32, 0);
    MOVE(L1, L_ZERO);
    SFP(SFPEXEXP, .vc = L0, .vd = L2, .mod1 = EXPONENT_FLAGS_NOT_NEGATIVE);
    CONSTANT_BITS(L1, 0x7fffffff); /* from 1 on; and below 2^31: */
    SFP(SFPIADD, .imm12 = -31u & 0xfff, .vc = L2, .vd = L2, .mod1 = IADD_IMMEDIATE);
    SFP(SFPEXMAN, .vc = L0, .vd = L1);
    SFP(SFPIADD, .imm12 = 8, .vc = L2, .vd = L2, .mod1 = IADD_IMMEDIATE | IADD_NO_FLAGS);
    SFP(SFPSHFT, .vc = L2, .vd = L1);
    ALL_LANES();
    IF(L1, SETCC_NOT_ZERO);
    COPY_SIGN(L0, L1);
    MOVE(L1, L0);
    ALL_LANES();
    STORE(L1, LOAD_INT32);
}

/* Negative ones become 0. */
static void float_to_uint16(struct body *body)
{
    LOAD(L0, LOAD_FP32, 0);
    SWAP(L_ZERO, L0, SWAP_MAX);
    ROUND(L0, L0, ROUND_TO_UINT16, ROUND_NEAREST);
    STORE(L0, LOAD_INT32);
}

static void float_to_uint16_prepare(struct body *body)
{
    SFP(SFPSWAP, .vc = L_ZERO, .vd = TEMPLATE0, .mod1 = SWAP_MAX);
    SFP(SFP_STOCH_RND, .vd = TEMPLATE1, .mod1 = ROUND_TO_UINT16);
    MACRO_SEQUENCE(0, MACRO_STEP(MACRO_TEMPLATE + 0, 0, MACRO_VB), MACRO_STEP(MACRO_NOP, 0, 0),
                   MACRO_STEP(MACRO_TEMPLATE + 1, 2, MACRO_LREG16),
                   MACRO_STEP(MACRO_STORE, 3, MACRO_LREG16));
    MACRO_MISC(false, LOAD_INT32, 0);
}

/* The swap takes two cycles. */
static void float_to_uint16_macros(struct body *body)
{
    MACRO(0, L0, LOAD_FP32, 0, true);
    PAUSE();
    MACRO(0, L1, LOAD_FP32, 0, true);
    PAUSE();
}

static void float_to_int8(struct body *body)
{
    LOAD(L0, LOAD_FP32, 0);
    ROUND(L0, L0, ROUND_TO_INT8, ROUND_NEAREST);
    STORE(L0, LOAD_INT32);
}

static void float_to_uint8(struct body *body)
{
    LOAD(L0, LOAD_FP32, 0);
    ROUND(L0, L0, ROUND_TO_UINT8, ROUND_NEAREST);
    STORE(L0, LOAD_INT32);
}

static void bf16_to_int8(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    ROUND(L0, L0, ROUND_TO_INT8, ROUND_NEAREST);
    STORE(L0, LOAD_INT8);
}

static void bf16_through_int8(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    ROUND(L0, L0, ROUND_TO_INT8, ROUND_NEAREST);
    SFP(SFPSTORE, .vd = L0, .mod0 = LOAD_INT8, .addr_mod = ADDR_STAY);
    LOAD(L1, LOAD_INT8, 0);
    CAST(L1, L1, CAST_TO_FLOAT);
    STORE(L1, LOAD_IMPLIED);
}

static void float_to_int8_random(struct body *body)
{
    LOAD(L0, LOAD_FP32, 0);
    ROUND(L0, L0, ROUND_TO_INT8, ROUND_RANDOM);
    STORE(L0, LOAD_INT32);
}

static void int32_to_int8(struct body *body)
{
    LOAD(L0, LOAD_INT32, 0);
    SFP(SFP_STOCH_RND, .imm5 = 2, .vc = L0, .vd = L0,
        .mod1 = ROUND_BY_IMMEDIATE | ROUND_INT_TO_INT8);
    STORE(L0, LOAD_INT32);
}

/* --- To floats --- */

static void float_to_bf16(struct body *body)
{
    LOAD(L0, LOAD_FP32, 0);
    ROUND(L0, L0, ROUND_TO_BF16, ROUND_NEAREST);
    STORE(L0, LOAD_FP32);
}

static void float_to_bf16_prepare(struct body *body)
{
    SFP(SFP_STOCH_RND, .vd = TEMPLATE0, .mod1 = ROUND_TO_BF16);
    MACRO_SEQUENCE(1, 0, 0, MACRO_STEP(MACRO_TEMPLATE + 0, 0, MACRO_LREG16),
                   MACRO_STEP(MACRO_STORE, 1, MACRO_LREG16));
    MACRO_MISC(true, 0, 0);
}

static void float_to_bf16_macros(struct body *body)
{
    MACRO(1, L0, LOAD_FP32, 0, true);
}

static void float_to_bf16_random(struct body *body)
{
    LOAD(L0, LOAD_FP32, 0);
    ROUND(L0, L0, ROUND_TO_BF16, ROUND_RANDOM);
    STORE(L0, LOAD_FP32);
}

static void int32_to_float(struct body *body)
{
    LOAD(L0, LOAD_INT32, 0);
    CAST(L0, L0, CAST_TO_FLOAT);
    STORE(L0, LOAD_FP32);
}

static void int32_to_float_prepare(struct body *body)
{
    SFP(SFPCAST, .vd = TEMPLATE0, .mod1 = CAST_TO_FLOAT);
    MACRO_SEQUENCE(2, MACRO_STEP(MACRO_TEMPLATE + 0, 0, MACRO_LREG16), 0, 0,
                   MACRO_STEP(MACRO_STORE, 1, MACRO_LREG16));
    MACRO_MISC(false, LOAD_FP32, 0);
}

static void int32_to_float_macros(struct body *body)
{
    MACRO(2, L5, LOAD_INT32, 0, true);
}

static void int32_to_float_random(struct body *body)
{
    LOAD(L0, LOAD_INT32, 0);
    CAST(L0, L0, CAST_TO_FLOAT_RANDOM);
    STORE(L0, LOAD_FP32);
}

static void uint16_to_bf16(struct body *body)
{
    LOAD(L0, LOAD_UINT16, 0);
    CAST(L0, L0, CAST_TO_FLOAT);
    ROUND(L0, L0, ROUND_TO_BF16, ROUND_NEAREST);
    STORE(L0, LOAD_IMPLIED);
}

static void uint16_to_bf16_prepare(struct body *body)
{
    SFP(SFPCAST, .vd = TEMPLATE0, .mod1 = CAST_TO_FLOAT);
    SFP(SFP_STOCH_RND, .vd = TEMPLATE1, .mod1 = ROUND_TO_BF16);
    MACRO_SEQUENCE(3, MACRO_STEP(MACRO_TEMPLATE + 0, 0, 0), 0,
                   MACRO_STEP(MACRO_TEMPLATE + 1, 1, MACRO_LREG16),
                   MACRO_STEP(MACRO_STORE, 2, MACRO_LREG16));
    MACRO_MISC(false, LOAD_IMPLIED, 0);
}

/* While one is rounded the next is cast: they take turns in two LRegs. */
static void uint16_to_bf16_macros(struct body *body)
{
    MACRO(3, L0, LOAD_UINT16, 0, true);
    MACRO(3, L1, LOAD_UINT16, 0, true);
}

/* --- All of them --- */

static const struct function functions[] = {
    [CAST_FLOAT_TO_INT32] = {float_to_int32, 0, 0, 0, 0},
    [CAST_FLOAT_TO_UINT16] = {float_to_uint16, 0, float_to_uint16_macros, float_to_uint16_prepare,
                              2},
    [CAST_FLOAT_TO_INT8] = {float_to_int8, 0, 0, 0, 0},
    [CAST_FLOAT_TO_UINT8] = {float_to_uint8, 0, 0, 0, 0},
    [CAST_FLOAT_TO_BF16] = {float_to_bf16, 0, float_to_bf16_macros, float_to_bf16_prepare, 1},
    [CAST_FLOAT_TO_BF16_RANDOM] = {float_to_bf16_random, 0, 0, 0, 0},
    [CAST_FLOAT_TO_INT8_RANDOM] = {float_to_int8_random, 0, 0, 0, 0},
    [CAST_INT32_TO_FLOAT] = {int32_to_float, 0, int32_to_float_macros, int32_to_float_prepare, 1},
    [CAST_INT32_TO_FLOAT_RANDOM] = {int32_to_float_random, 0, 0, 0, 0},
    [CAST_UINT16_TO_BF16] = {uint16_to_bf16, 0, uint16_to_bf16_macros, uint16_to_bf16_prepare, 2},
    [CAST_BF16_TO_INT8] = {bf16_to_int8, 0, 0, 0, 0},
    [CAST_INT32_TO_INT8] = {int32_to_int8, 0, 0, 0, 0},
    [CAST_BF16_THROUGH_INT8] = {bf16_through_int8, 0, 0, 0, 0},
};

static void prepare(void)
{
    function_prepare(&functions[operation()]);
}

static void show_generators(struct body *body)
{
    SFP(SFPMOV, .vc = SPECIAL_RANDOM, .vd = L0, .mod1 = MOV_SPECIAL);
    SFP(SFPSTORE, .vd = L0, .mod0 = LOAD_INT32, .addr_mod = ADDR_STAY, .imm10 = DST_TILE_ROWS);
}

static void compute_tile(void)
{
    if (is_random()) {
        body_emit(show_generators);
    }
    function_run(&functions[operation()]);
}
