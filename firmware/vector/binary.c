/*
 * Result = f(A, B) or f(A, B, C) datum by datum, for ROWS x COLUMNS tiles; OPERATION is an enum
 * binary. Floats are FP32, BF16 or FP16, integers have 32 bits: sign and magnitude in Dst, two's
 * complement while they are added and multiplied. USES_MACROS takes SFPLOADMACRO where there is a
 * variant, with the same bits.
 */
#include "functions.h"

enum binary {
    BINARY_ADD,
    BINARY_MULTIPLY,
    BINARY_MAX,
    BINARY_MIN,
    BINARY_ADD_INT32,
    BINARY_SUBTRACT_INT32,
    BINARY_MULTIPLY_INT32, /* the low 32 bits */
    BINARY_WHERE,          /* A == 0 ? C : B; any bits */
    BINARY_CHOOSE,         /* see choose_body */
};

static unsigned operands(void)
{
    return operation() == BINARY_WHERE ? 3 : 2;
}

static unsigned results(void)
{
    return 1;
}

/* --- Floats --- */

static void add_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    LOAD(L1, LOAD_IMPLIED, 1);
    ADD(L0, L1, L0);
    STORE(L0, LOAD_IMPLIED);
}

static void multiply_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    LOAD(L1, LOAD_IMPLIED, 1);
    MUL(L0, L1, L0);
    STORE(L0, LOAD_IMPLIED);
}

/* B is in L0 or L2, so that a macro can still use one while the other is loaded. */
static void add_prepare(struct body *body)
{
    SFP(SFPADD, .va = L_ONE, .vb = L0, .vd = TEMPLATE0);
    SFP(SFPADD, .va = L_ONE, .vb = L2, .vd = TEMPLATE1);
    MACRO_SEQUENCE(0, 0, MACRO_STEP(MACRO_TEMPLATE + 0, 0, MACRO_LREG16), 0,
                   MACRO_STEP(MACRO_STORE, 2, MACRO_LREG16));
    MACRO_SEQUENCE(1, 0, MACRO_STEP(MACRO_TEMPLATE + 1, 0, MACRO_LREG16), 0,
                   MACRO_STEP(MACRO_STORE, 2, MACRO_LREG16));
    MACRO_MISC(true, 0, 0);
}

/* VC of the templates is zero; a loaded VB takes the place of another. */
static void multiply_prepare(struct body *body)
{
    SFP(SFPMUL, .va = L0, .vb = 0, .vc = L_ZERO, .vd = TEMPLATE2);
    SFP(SFPMUL, .va = L2, .vb = 0, .vc = L_ZERO, .vd = TEMPLATE3);
    MACRO_SEQUENCE(0, 0, MACRO_STEP(MACRO_TEMPLATE + 2, 0, MACRO_VB | MACRO_LREG16), 0,
                   MACRO_STEP(MACRO_STORE, 2, MACRO_LREG16));
    MACRO_SEQUENCE(1, 0, MACRO_STEP(MACRO_TEMPLATE + 3, 0, MACRO_VB | MACRO_LREG16), 0,
                   MACRO_STEP(MACRO_STORE, 2, MACRO_LREG16));
    MACRO_MISC(true, 0, 0);
}

static void binary_macros(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 1);
    MACRO(0, L1, LOAD_IMPLIED, 0, true);
    LOAD(L2, LOAD_IMPLIED, 1);
    MACRO(1, L3, LOAD_IMPLIED, 0, true);
}

static void max_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    LOAD(L1, LOAD_IMPLIED, 1);
    SWAP(L1, L0, SWAP_MAX);
    STORE(L0, LOAD_IMPLIED);
}

static void min_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    LOAD(L1, LOAD_IMPLIED, 1);
    SWAP(L1, L0, SWAP_MIN);
    STORE(L0, LOAD_IMPLIED);
}

/* --- Integers --- */

BODY_INLINE void load_integers(struct body *body)
{
    LOAD(L0, LOAD_INT32, 0);
    LOAD(L1, LOAD_INT32, 1);
    CAST(L0, L0, CAST_SIGNS);
    CAST(L1, L1, CAST_SIGNS);
}

BODY_INLINE void store_integer(struct body *body, unsigned lreg)
{
    CAST(lreg, lreg, CAST_SIGNS);
    STORE(lreg, LOAD_INT32);
}

static void add_int32_body(struct body *body)
{
    load_integers(body);
    IADD(L1, L0, 0);
    store_integer(body, L1);
}

static void subtract_int32_body(struct body *body)
{
    load_integers(body);
    IADD(L1, L0, IADD_SUBTRACT);
    store_integer(body, L1);
}

#define MUL24(to, a, b, half)                                                                      \
    SFP(SFPMUL24, .va = (a), .vb = (b), .vc = L_ZERO, .vd = (to), .mod1 = (half))

/* Of pieces of 23 and 9 bits: low + ((high + A's low B's high + A's high B's low) << 23). */
static void multiply_int32_body(struct body *body)
{
    load_integers(body);
    SHIFT(L2, L0, -23);
    SHIFT(L3, L1, -23);
    MUL24(L4, L0, L1, MUL24_LOWER);
    MUL24(L5, L0, L1, MUL24_UPPER);
    MUL24(L2, L2, L1, MUL24_LOWER);
    MUL24(L3, L3, L0, MUL24_LOWER);
    IADD(L5, L2, 0);
    IADD(L5, L3, 0);
    SHIFT(L5, L5, 23);
    IADD(L4, L5, 0);
    store_integer(body, L4);
}

/* --- Choices --- */

static void where_body(struct body *body)
{
    LOAD(L0, LOAD_INT32, 0);
    LOAD(L1, LOAD_INT32, 1);
    IF(L0, SETCC_ZERO);
    LOAD(L1, LOAD_INT32, 2);
    ALL_LANES();
    STORE(L1, LOAD_INT32);
}

static void where_prepare(struct body *body)
{
    SFP(SFPSETCC, .vd = TEMPLATE0, .mod1 = SETCC_ZERO);
    SFP(SFPENCC, .vd = TEMPLATE1);
    MACRO_SEQUENCE(0, MACRO_STEP(MACRO_TEMPLATE + 0, 0, 0), 0, 0, MACRO_STEP(MACRO_STORE, 2, 0));
    MACRO_SEQUENCE(1, MACRO_STEP(MACRO_TEMPLATE + 1, 0, 0), 0, 0, 0);
    MACRO_MISC(true, 0, 7);
}

/* All in L0. While B is loaded, flags are set by A, which the LReg still holds; while C is loaded
 * where they are set, all lanes are enabled for what comes next. */
static void where_macros(struct body *body)
{
    MACRO(0, L0, LOAD_INT32, 0, false);
    MACRO(1, L0, LOAD_INT32, 1, false);
    SFP(SFPLOAD, .vd = L0, .mod0 = LOAD_INT32, .addr_mod = ADDR_STEP, .imm10 = 2 * DST_TILE_ROWS);
}

/*
 * Nested conditions by the stack of flags:
 *
 *     if (a < 0) { if (b > a) result = a; else result = -b; }
 *     else if (a == 0) result = a + b;
 *     else { if (b >= 0) result = a * b; else result = a; }
 */
static void choose_body(struct body *body)
{
    LOAD(L0, LOAD_IMPLIED, 0);
    LOAD(L1, LOAD_IMPLIED, 1);
    SFP(SFPPUSHC, );
    IF(L0, SETCC_NEGATIVE);
    SFP(SFPPUSHC, );
    IF_GREATER(L1, L0);
    MOVE(L2, L0);
    SFP(SFPCOMPC, );
    SFP(SFPMOV, .vc = L1, .vd = L2, .mod1 = 1);
    SFP(SFPPOPC, );
    SFP(SFPCOMPC, );
    SFP(SFPPUSHC, );
    IF(L0, SETCC_ZERO);
    ADD(L2, L0, L1);
    SFP(SFPCOMPC, );
    SFP(SFPPUSHC, );
    IF(L1, SETCC_NOT_NEGATIVE);
    MUL(L2, L0, L1);
    SFP(SFPCOMPC, );
    MOVE(L2, L0);
    SFP(SFPPOPC, );
    SFP(SFPPOPC, );
    SFP(SFPPOPC, );
    STORE(L2, LOAD_IMPLIED);
}

/* --- All of them --- */

static const struct function functions[] = {
    [BINARY_ADD] = {add_body, 0, binary_macros, add_prepare, 2},
    [BINARY_MULTIPLY] = {multiply_body, 0, binary_macros, multiply_prepare, 2},
    [BINARY_MAX] = {max_body, 0, 0, 0, 0},
    [BINARY_MIN] = {min_body, 0, 0, 0, 0},
    [BINARY_ADD_INT32] = {add_int32_body, 0, 0, 0, 0},
    [BINARY_SUBTRACT_INT32] = {subtract_int32_body, 0, 0, 0, 0},
    [BINARY_MULTIPLY_INT32] = {multiply_int32_body, 0, 0, 0, 0},
    [BINARY_WHERE] = {where_body, 0, where_macros, where_prepare, 1},
    [BINARY_CHOOSE] = {choose_body, 0, 0, 0, 0},
};

static void prepare(void)
{
    function_prepare(&functions[operation()]);
}

static void compute_tile(void)
{
    function_run(&functions[operation()]);
}
