/*
 * Result = f(A) datum by datum, in FP32, BF16 or FP16, for ROWS x COLUMNS tiles.
 *
 * OPERATION is an enum unary. Functions with range reduction and polynomials aim at the last places
 * of FP32; FAST ones and those by tables at a few bits, as kernels use them. USES_MACROS takes FAST
 * ones by SFPLOADMACRO, with the same bits. Denormals count as zeros.
 */
#include "exp.h"
#include "functions.h"

enum unary {
    UNARY_EXP,
    UNARY_LOG,
    UNARY_SQRT,
    UNARY_RECIPROCAL,
    UNARY_GELU, /* the form with tanh */
    UNARY_SIGMOID,
    UNARY_TANH,
    UNARY_FAST_EXP,
    UNARY_FAST_RECIPROCAL,
    UNARY_TABLE_SIGMOID,
    UNARY_TABLE_TANH,
    UNARY_TABLE_GELU,
};

static unsigned operands(void)
{
    return 1;
}

static unsigned results(void)
{
    return 1;
}

/* --- exp --- */

static void exp_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    exp_core(body);
    LOAD(L0, LOAD_IMPLIED, 0);
    CONSTANT(L1, 88.72283F);
    IF_GREATER(L0, L1);
    SFP(SFPLOADI, .vd = L2, .mod0 = LOADI_BF16, .imm16 = 0x7f80);
    ALL_LANES();
    CONSTANT(L1, -87.33655F);
    IF_NOT_GREATER(L0, L1);
    MOVE(L2, L_ZERO);
    ALL_LANES();
    round_result(body, L2);
    STORE(L2, LOAD_IMPLIED);
}

/* By the bits of 2^k: x / ln 2, with 8 bits behind the point and a bias, becomes sign and exponent
 * of the result and a first guess at its mantissa. */
static void fast_exp_prepare(struct body *body)
{
    PROGRAM(L12, 369.3299304675746F); /* 2^8 / ln 2 */
    PROGRAM(L13, 32500.818359375F);   /* 127 * 2^8 and what makes errors even */
    SFP(SFPMAD, .va = L12, .vb = 0, .vc = L13, .vd = TEMPLATE0);
    SFP(SFP_STOCH_RND, .vd = TEMPLATE1, .mod1 = ROUND_TO_UINT16);
    SFP(SFPSHFT, .imm12 = 15, .vd = TEMPLATE2, .mod1 = SHIFT_IMMEDIATE | SHIFT_OF_VC);
    MACRO_SEQUENCE(0, MACRO_STEP(MACRO_TEMPLATE + 2, 3, MACRO_LREG16),
                   MACRO_STEP(MACRO_TEMPLATE + 0, 0, MACRO_VB),
                   MACRO_STEP(MACRO_TEMPLATE + 1, 2, 0), MACRO_STEP(MACRO_STORE, 4, MACRO_LREG16));
    MACRO_MISC(true, 0, 0);
}

static void fast_exp_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    MAD(L0, L12, L0, L13);
    ROUND(L0, L0, ROUND_TO_UINT16, ROUND_NEAREST);
    SHIFT(L0, L0, 15);
    STORE(L0, LOAD_IMPLIED);
}

/* Eight at a time, an LReg each: the first is done when it is needed again. */
static void fast_exp_macros(struct body *body)
{
    MACRO(0, L0, LOAD_IMPLIED, 0, true);
    MACRO(0, L1, LOAD_IMPLIED, 0, true);
    MACRO(0, L2, LOAD_IMPLIED, 0, true);
    MACRO(0, L3, LOAD_IMPLIED, 0, true);
    MACRO(0, L4, LOAD_IMPLIED, 0, true);
    MACRO(0, L5, LOAD_IMPLIED, 0, true);
    MACRO(0, L6, LOAD_IMPLIED, 0, true);
    MACRO(0, L7, LOAD_IMPLIED, 0, true);
}

/* --- log --- */

static void log_prepare(struct body *body)
{
    PROGRAM(L11, 0.06746601F);
    PROGRAM(L12, -0.11675642F);
    PROGRAM(L13, 0.11888175F);
    PROGRAM(L14, -0.124055915F);
    CONSTANT(L4, 0.14219551F);
    CONSTANT(L5, -0.16667996F);
    CONSTANT(L6, 0.20002119F);
    CONSTANT(L7, -0.2500001F);
}

/* L2 = log(1 + f) for f in L2, without f itself: f^2 (f P(f) - 1/2). Changes L0 and L3. */
BODY_INLINE void log_polynomial(struct body *body)
{
    MAD(L3, L11, L2, L12);
    MAD(L3, L3, L2, L13);
    MAD(L3, L3, L2, L14);
    MAD(L3, L3, L2, L4);
    MAD(L3, L3, L2, L5);
    MAD(L3, L3, L2, L6);
    MAD(L3, L3, L2, L7);
    CONSTANT(L0, 0.33333313F);
    MAD(L3, L3, L2, L0);
    CONSTANT_SHORT(L0, -0.5F);
    MAD(L3, L3, L2, L0);
    MUL(L0, L2, L2);
}

/* x = 2^k m with m around 1: log x = k ln 2 + log m. */
static void log_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    SFP(SFPEXEXP, .vc = L0, .vd = L1, .mod1 = EXPONENT_DEBIASED);
    SFP(SFPSETEXP, .imm8 = 127, .vc = L0, .vd = L2, .mod1 = FIELD_IMMEDIATE);
    CONSTANT(L3, 1.41421356F);
    IF_GREATER(L2, L3);
    SFP(SFPIADD, .imm12 = 1, .vc = L1, .vd = L1, .mod1 = IADD_IMMEDIATE | IADD_NO_FLAGS);
    SFP(SFPDIVP2, .imm12 = -1u, .vc = L2, .vd = L2, .mod1 = DIVP2_ADD);
    ALL_LANES();
    SFP(SFPADDI, .imm16 = 0xbf80, .vd = L2); /* f = m - 1 */
    CAST(L1, L1, CAST_SIGNS);
    CAST(L1, L1, CAST_TO_FLOAT);
    log_polynomial(body);
    MUL(L3, L3, L0);
    CONSTANT(L0, -2.12194440e-4F); /* ln 2 = 0.693359375 + this */
    MAD(L3, L1, L0, L3);
    ADD(L3, L2, L3);
    CONSTANT(L0, 0.693359375F);
    MAD(L3, L1, L0, L3);
    LOAD(L0, LOAD_IMPLIED, 0);
    CONSTANT_BITS(L1, 0x7f7fffff);
    IF_GREATER(L0, L1);
    MOVE(L3, L0);
    ALL_LANES();
    CONSTANT_BITS(L1, 0x007fffff);
    IF_NOT_GREATER(L0, L1);
    SFP(SFPLOADI, .vd = L3, .mod0 = LOADI_BF16, .imm16 = 0xff80);
    ABS(L1, L0);
    IF(L0, SETCC_NEGATIVE);
    SFP(SFPLZ, .vc = L1, .vd = L1, .mod1 = LZ_FLAGS_NOT_ZERO);
    SFP(SFPLOADI, .vd = L3, .mod0 = LOADI_BF16, .imm16 = 0x7fc0);
    ALL_LANES();
    round_result(body, L3);
    STORE(L3, LOAD_IMPLIED);
}

/* --- sqrt, reciprocal --- */

static void sqrt_prepare(struct body *body)
{
    PROGRAM_BITS(L11, 0x5f3759df); /* minus half of the bits of x: near 1 / sqrt(x) */
    PROGRAM(L12, 0.5F);
    PROGRAM(L13, 1.5F);
    PROGRAM_BITS(L14, 0x7f7fffff);
}

/* y (3/2 - x/2 y^2): a step of Newton for 1 / sqrt(x); L3 is x / 2, L1 y. */
BODY_INLINE void sqrt_step(struct body *body)
{
    MUL(L2, L3, L1);
    MAD_MODE(L2, L2, L1, L13, MAD_NEGATE_B);
    MUL(L1, L1, L2);
}

static void sqrt_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    SHIFT(L1, L0, -1);
    IADD(L1, L11, IADD_SUBTRACT);
    MUL(L3, L0, L12);
    sqrt_step(body);
    sqrt_step(body);
    sqrt_step(body);
    MUL(L2, L0, L1);                        /* s = x y, near sqrt(x) */
    MAD_MODE(L3, L2, L2, L0, MAD_NEGATE_B); /* s + (x - s^2) y / 2 */
    MUL(L1, L1, L12);
    MAD(L2, L3, L1, L2);
    IF_GREATER(L0, L14);
    MOVE(L2, L0);
    ALL_LANES();
    ABS(L1, L0);
    IF(L0, SETCC_NEGATIVE);
    IF(L1, SETCC_NOT_ZERO);
    SFP(SFPLOADI, .vd = L2, .mod0 = LOADI_BF16, .imm16 = 0x7fc0);
    ALL_LANES();
    round_result(body, L2);
    STORE(L2, LOAD_IMPLIED);
}

/* The first guess is right but for 2^-7; two steps of Newton, where it is neither 0 nor infinite
 * (1 - x y would be a NaN, which is greater than 1). */
static void reciprocal_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    RECIPROCAL(L1, L0);
    MAD_MODE(L2, L0, L1, L_ONE, MAD_NEGATE_B);
    IF_NOT_GREATER(L2, L_ONE);
    MAD(L1, L1, L2, L1);
    MAD_MODE(L2, L0, L1, L_ONE, MAD_NEGATE_B);
    MAD(L1, L1, L2, L1);
    ALL_LANES();
    round_result(body, L1);
    STORE(L1, LOAD_IMPLIED);
}

static void fast_reciprocal_prepare(struct body *body)
{
    SFP(SFPARECIP, .vd = TEMPLATE0, .mod1 = RECIPROCAL_OF);
    MACRO_SEQUENCE(1, MACRO_STEP(MACRO_TEMPLATE + 0, 0, MACRO_LREG16), 0, 0,
                   MACRO_STEP(MACRO_STORE, 1, MACRO_LREG16));
    MACRO_MISC(true, 0, 0);
}

static void fast_reciprocal_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    RECIPROCAL(L0, L0);
    STORE(L0, LOAD_IMPLIED);
}

static void fast_reciprocal_macros(struct body *body)
{
    MACRO(1, L2, LOAD_IMPLIED, 0, true);
}

/* --- sigmoid, tanh, gelu --- */

/* L2 = e^-|v|, L1 = 1 / (1 + e^-|v|) for L0 = -|v|; changes L0 and L3. */
BODY_INLINE void logistic_core(struct body *body)
{
    CONSTANT(L1, -87.33F);
    SWAP(L1, L0, SWAP_MAX);
    exp_core(body);
    ADD(L3, L2, L_ONE);
    RECIPROCAL(L1, L3);
    MAD_MODE(L0, L3, L1, L_ONE, MAD_NEGATE_B);
    MAD(L1, L1, L0, L1);
    MAD_MODE(L0, L3, L1, L_ONE, MAD_NEGATE_B);
    MAD(L1, L1, L0, L1);
}

static void sigmoid_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    NEGATIVE_ABS(L0, L0);
    logistic_core(body);
    LOAD(L0, LOAD_IMPLIED, 0);
    IF(L0, SETCC_NEGATIVE);
    MUL(L1, L1, L2);
    ALL_LANES();
    round_result(body, L1);
    STORE(L1, LOAD_IMPLIED);
}

/* x + x^3 P(x^2) for L3 = |x|, to L1; changes L0 and L2. */
BODY_INLINE void small_tanh(struct body *body)
{
    MUL(L2, L3, L3);
    CONSTANT(L1, -0.0070138397F);
    CONSTANT(L0, 0.021479847F);
    MAD(L1, L1, L2, L0);
    CONSTANT(L0, -0.05393005F);
    MAD(L1, L1, L2, L0);
    CONSTANT(L0, 0.13333169F);
    MAD(L1, L1, L2, L0);
    CONSTANT(L0, -0.3333333F);
    MAD(L1, L1, L2, L0);
    MUL(L1, L1, L2);
    MAD(L1, L1, L3, L3);
}

static void tanh_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    ADD(L0, L0, L0);
    NEGATIVE_ABS(L0, L0);
    logistic_core(body);
    SUBTRACT(L2, L_ONE, L2);
    MUL(L1, L1, L2);
    LOAD(L0, LOAD_IMPLIED, 0);
    ABS(L3, L0);
    CONSTANT(L2, 0.45F);
    IF_NOT_GREATER(L3, L2);
    small_tanh(body);
    ALL_LANES();
    LOAD(L0, LOAD_IMPLIED, 0);
    COPY_SIGN(L0, L1);
    round_result(body, L0);
    STORE(L0, LOAD_IMPLIED);
}

/* x / (1 + e^-2u), u = sqrt(2 / pi) (x + 0.044715 x^3): the same as x (1 + tanh u) / 2. */
static void gelu_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    MUL(L1, L0, L0);
    CONSTANT(L2, 0.07135481283F);
    CONSTANT(L3, 1.595769122F);
    MAD(L1, L1, L2, L3);
    MUL(L0, L0, L1);
    NEGATIVE_ABS(L0, L0);
    logistic_core(body);
    LOAD(L0, LOAD_IMPLIED, 0);
    IF(L0, SETCC_NEGATIVE);
    MUL(L1, L1, L2);
    ALL_LANES();
    MUL(L1, L1, L0);
    CONSTANT(L2, -10.1F); /* the result is less than FP32 has */
    IF_NOT_GREATER(L0, L2);
    MOVE(L1, L_ZERO);
    ALL_LANES();
    round_result(body, L1);
    STORE(L1, LOAD_IMPLIED);
}

/* --- By tables --- */

/* Slopes or offsets of two pieces, in FP16; 0x7c00 counts as 0. */
#define PIECES(to, low, high) CONSTANT_BITS(to, (uint32_t)(high) << 16 | (low))

/* sigmoid(x) - 1/2 = sign(x) f(|x|), in pieces from 0, 1/2, 1, 3/2, 2 and 4 on. */
static void table_sigmoid_prepare(struct body *body)
{
    SFP(SFPLUTFP32, .vd = TEMPLATE0, .mod1 = LUT_FP16_6_TO_4 | LUT_KEEPS_SIGN);
    MACRO_SEQUENCE(2, 0, MACRO_STEP(MACRO_TEMPLATE + 0, 0, 0), 0, MACRO_STEP(MACRO_STORE, 4, 0));
    MACRO_MISC(true, 0, 8);
    PIECES(L0, 0x33d6, 0x32f3); /* 0.24492, 0.21720 */
    PIECES(L1, 0x3189, 0x300c); /* 0.17303, 0.12645 */
    PIECES(L2, 0x2a7a, 0x7c00); /* 0.05061, 0 */
    PIECES(L4, 0x0fdd, 0x23b7); /* 0.00048, 0.01507 */
    PIECES(L5, 0x2b9e, 0x3023); /* 0.05952, 0.12929 */
    PIECES(L6, 0x34a5, 0x37d7); /* 0.29034, 0.49000 */
}

static void table_sigmoid_body(struct body *body)
{
    LOAD(L3, LOAD_IMPLIED, 0);
    SFP(SFPLUTFP32, .vd = L3, .mod1 = LUT_FP16_6_TO_4 | LUT_KEEPS_SIGN);
    SFP(SFPADDI, .imm16 = 0x3f00, .vd = L3);
    STORE(L3, LOAD_IMPLIED);
}

/* The macro's table, an instruction that adds a half, the macro's store. */
static void table_sigmoid_macros(struct body *body)
{
    MACRO(2, L3, LOAD_IMPLIED, 0, true);
    PAUSE();
    PAUSE();
    SFP(SFPADDI, .imm16 = 0x3f00, .vd = L3);
    PAUSE();
    PAUSE();
}

/* Pieces from 0, 1 and 2 on, in 8 bits a number. */
static void table_tanh_prepare(struct body *body)
{
    SFP(SFPLUT, .vd = TEMPLATE0, .mod0 = LUT_KEEPS_SIGN);
    MACRO_SEQUENCE(3, 0, MACRO_STEP(MACRO_TEMPLATE + 0, 0, MACRO_LREG16), 0,
                   MACRO_STEP(MACRO_STORE, 2, MACRO_LREG16));
    MACRO_MISC(true, 0, 0);
    SFP(SFPLOADI, .vd = L0, .mod0 = LOADI_UINT16, .imm16 = 0x18ff); /* 0.75 x */
    SFP(SFPLOADI, .vd = L1, .mod0 = LOADI_UINT16, .imm16 = 0x3a12); /* 0.203 x + 0.5625 */
    SFP(SFPLOADI, .vd = L2, .mod0 = LOADI_UINT16, .imm16 = 0xff1f); /* 0.96875 */
}

static void table_tanh_body(struct body *body)
{
    LOAD(L3, LOAD_IMPLIED, 0);
    SFP(SFPLUT, .vd = L3, .mod0 = LUT_KEEPS_SIGN);
    STORE(L3, LOAD_IMPLIED);
}

static void table_tanh_macros(struct body *body)
{
    MACRO(3, L3, LOAD_IMPLIED, 0, true);
    PAUSE();
}

/* The normal distribution's integral from 0 on, in pieces from 0, 1/2, 1, 3/2, 2 and 3 on. */
static void table_gelu_prepare(struct body *body)
{
    PIECES(L0, 0x3620, 0x34cc); /* 0.38293, 0.29976 */
    PIECES(L1, 0x31e1, 0x2da4); /* 0.18370, 0.08811 */
    PIECES(L2, 0x257a, 0x7c00); /* 0.02140, 0 */
    PIECES(L4, 0x163a, 0x29c5); /* 0.00152, 0.04507 */
    PIECES(L5, 0x3128, 0x34db); /* 0.16119, 0.30339 */
    PIECES(L6, 0x3700, 0x37fe); /* 0.43745, 0.49950 */
}

static void table_gelu_body(struct body *body)
{
    LOAD(L3, LOAD_IMPLIED, 0);
    SFP(SFPLUTFP32, .vd = L7, .mod1 = LUT_FP16_6 | LUT_KEEPS_SIGN);
    SFP(SFPADDI, .imm16 = 0x3f00, .vd = L7);
    MUL(L3, L3, L7);
    round_result(body, L3);
    STORE(L3, LOAD_IMPLIED);
}

/* --- All of them --- */

static const struct function functions[] = {
    [UNARY_EXP] = {exp_body, exp_prepare, 0, 0, 0},
    [UNARY_LOG] = {log_body, log_prepare, 0, 0, 0},
    [UNARY_SQRT] = {sqrt_body, sqrt_prepare, 0, 0, 0},
    [UNARY_RECIPROCAL] = {reciprocal_body, 0, 0, 0, 0},
    [UNARY_GELU] = {gelu_body, exp_prepare, 0, 0, 0},
    [UNARY_SIGMOID] = {sigmoid_body, exp_prepare, 0, 0, 0},
    [UNARY_TANH] = {tanh_body, exp_prepare, 0, 0, 0},
    [UNARY_FAST_EXP] = {fast_exp_body, fast_exp_prepare, fast_exp_macros, fast_exp_prepare, 8},
    [UNARY_FAST_RECIPROCAL] = {fast_reciprocal_body, fast_reciprocal_prepare,
                               fast_reciprocal_macros, fast_reciprocal_prepare, 1},
    [UNARY_TABLE_SIGMOID] = {table_sigmoid_body, table_sigmoid_prepare, table_sigmoid_macros,
                             table_sigmoid_prepare, 1},
    [UNARY_TABLE_TANH] = {table_tanh_body, table_tanh_prepare, table_tanh_macros,
                          table_tanh_prepare, 1},
    [UNARY_TABLE_GELU] = {table_gelu_body, table_gelu_prepare, 0, 0, 0},
};

static void prepare(void)
{
    function_prepare(&functions[operation()]);
}

static void compute_tile(void)
{
    function_run(&functions[operation()]);
}
