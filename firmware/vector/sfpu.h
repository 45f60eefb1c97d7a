/*
 * Instructions of the Vector Unit as loop bodies: names for LRegs and modes, and a word or two for
 * what bodies use most.
 *
 * A body is a function that emits its instructions by SFP(...) through a `struct body *body`. It is
 * run twice: it counts first, so that it can be recorded to the replay buffer if it fits.
 *
 * SPEC: BlackholeA0 VectorUnit and the page of each instruction. Results of the MAD sub-unit take
 * two cycles; PAUSE stands where SFPMAD's page says that the hardware does not wait by itself.
 */
#ifndef VECTOR_SFPU_H
#define VECTOR_SFPU_H

#include <stdbool.h>
#include <stdint.h>

#include "../tensor/math.h"

enum { L0, L1, L2, L3, L4, L5, L6, L7, L_ZERO = 9, L_ONE, L11, L12, L13, L14, L_LANES };

enum {
    REPLAY_SIZE = 32,
    GROUP_ROWS = 4,   /* of Dst, that SFPLOAD takes half of */
    ODD_COLUMNS = 2,  /* added to their address */
    TILE_GROUPS = 32, /* times 32 datums */
    ADDR_STEP = 6,    /* address modifiers: on to the next group; */
    ADDR_STAY = 7,    /* not */
};

/* Modes of SFPLOAD and SFPSTORE. */
enum load_format {
    LOAD_IMPLIED = 0, /* FP32, BF16 or FP16, as Config has it */
    LOAD_FP32 = 3,
    LOAD_INT32 = 4,
    LOAD_INT8 = 5,
    LOAD_UINT16 = 6,
};

enum loadi_mode {
    LOADI_BF16 = 0,
    LOADI_UINT16 = 2,
    LOADI_INT16 = 4,
    LOADI_UPPER = 8,
    LOADI_LOWER = 10
};
enum mad_mode { MAD_NEGATE_B = 1, MAD_NEGATE_C = 2 };
enum iadd_mode { IADD_IMMEDIATE = 1, IADD_SUBTRACT = 2, IADD_NO_FLAGS = 4 };
enum shift_mode { SHIFT_IMMEDIATE = 1, SHIFT_ARITHMETIC = 2, SHIFT_OF_VC = 4 };
enum setcc_mode { SETCC_NEGATIVE = 0, SETCC_NOT_ZERO = 2, SETCC_NOT_NEGATIVE = 4, SETCC_ZERO = 6 };
enum compare_mode { COMPARE_FLAGS = 1 };
enum lz_mode { LZ_FLAGS_NOT_ZERO = 2 };
enum divp2_mode { DIVP2_ADD = 1 };
enum encc_mode { ENCC_USES = 2, ENCC_FLAGS = 8 };
enum exponent_mode { EXPONENT_DEBIASED = 0, EXPONENT_FLAGS_NOT_NEGATIVE = 2 | 8 };
enum field_mode { FIELD_IMMEDIATE = 1 }; /* of SFPSETEXP, SFPSETSGN */
enum swap_mode {
    SWAP_ALWAYS = 0,
    SWAP_MIN = 1, /* VD becomes the smaller one, VC the greater one */
    SWAP_MIN_ROWS01 = 2,
    SWAP_MIN_ROWS02 = 3,
    SWAP_MAX = 9,
};
enum cast_mode { CAST_TO_FLOAT = 0, CAST_TO_FLOAT_RANDOM = 1, CAST_SIGNS = 3 };
enum round_mode {
    ROUND_TO_FP16 = 0,
    ROUND_TO_BF16 = 1,
    ROUND_TO_UINT8 = 2,
    ROUND_TO_INT8 = 3,
    ROUND_INT_TO_INT8 = 5, /* by a shift */
    ROUND_TO_UINT16 = 6,
    ROUND_BY_IMMEDIATE = 8,
};
enum rounding { ROUND_NEAREST, ROUND_RANDOM };
enum shift2_mode { SHIFT2_ROTATE_LANES = 3 };
enum mul24_mode { MUL24_LOWER = 0, MUL24_UPPER = 1 };
enum reciprocal_mode { RECIPROCAL_OF = 0 };
enum lut_mode { LUT_FP16_6 = 2, LUT_FP16_6_TO_4 = 3, LUT_KEEPS_SIGN = 4 };
enum mov_mode { MOV_SPECIAL = 8 };
enum { SPECIAL_RANDOM = 9 };

/* What SFPCONFIG writes to, and how. */
enum {
    CONFIG_SEQUENCE = 4,
    CONFIG_MISC = 8,
    CONFIG_LANES = 15,
    CONFIG_IMMEDIATE = 1,
    CONFIG_XOR = 6,
    LANES_DEST_INDEX = 1 << 2,
    LANES_CAPTURE_INDEX = 1 << 3,
    LANES_EXCHANGE = 1 << 8, /* SFPSWAP the other way round */
};

/* --- Bodies --- */

struct body {
    bool counts;
    unsigned count;
};

#define BODY_INLINE static inline __attribute__((always_inline))

#define SFP(token, ...)                                                                            \
    do {                                                                                           \
        if (body->counts) {                                                                        \
            body->count++;                                                                         \
        } else {                                                                                   \
            PUSH(token, __VA_ARGS__);                                                              \
        }                                                                                          \
    } while (0)

/* The bits of a constant. */
BODY_INLINE uint32_t float_bits(float value)
{
    union {
        float value;
        uint32_t bits;
    } both = {.value = value};
    return both.bits;
}

/* From a tile of the half, and to one. The latter goes on to the next 32 datums. */
#define LOAD(to, format, tile)                                                                     \
    SFP(SFPLOAD, .vd = (to), .mod0 = (format), .addr_mod = ADDR_STAY, .imm10 = (tile)*DST_TILE_ROWS)
#define STORE(from, format) SFP(SFPSTORE, .vd = (from), .mod0 = (format), .addr_mod = ADDR_STEP)

#define CONSTANT_BITS(to, value)                                                                   \
    do {                                                                                           \
        SFP(SFPLOADI, .vd = (to), .mod0 = LOADI_UPPER, .imm16 = (uint32_t)(value) >> 16);          \
        SFP(SFPLOADI, .vd = (to), .mod0 = LOADI_LOWER, .imm16 = (uint32_t)(value)&0xffff);         \
    } while (0)
#define CONSTANT(to, value)       CONSTANT_BITS(to, float_bits(value))
#define CONSTANT_SHORT(to, value) /* with 8 bits of mantissa */                                    \
    SFP(SFPLOADI, .vd = (to), .mod0 = LOADI_BF16, .imm16 = float_bits(value) >> 16)

#define MAD(to, a, b, c) SFP(SFPMAD, .va = (a), .vb = (b), .vc = (c), .vd = (to))
#define MAD_MODE(to, a, b, c, mode)                                                                \
    SFP(SFPMAD, .va = (a), .vb = (b), .vc = (c), .vd = (to), .mod1 = (mode))
#define MUL(to, a, b) SFP(SFPMUL, .va = (a), .vb = (b), .vc = L_ZERO, .vd = (to))
#define ADD(to, b, c) SFP(SFPADD, .va = L_ONE, .vb = (b), .vc = (c), .vd = (to))
#define SUBTRACT(to, b, c)                                                                         \
    SFP(SFPADD, .va = L_ONE, .vb = (b), .vc = (c), .vd = (to), .mod1 = MAD_NEGATE_C)
#define MOVE(to, from)     SFP(SFPMOV, .vc = (from), .vd = (to))
#define SWAP(c, d, mode)   SFP(SFPSWAP, .vc = (c), .vd = (d), .mod1 = (mode))
#define PAUSE()            SFP(SFPNOP, )
#define IADD(to, c, mode)  SFP(SFPIADD, .vc = (c), .vd = (to), .mod1 = IADD_NO_FLAGS | (mode))
#define SHIFT(to, c, left) /* VC by a constant */                                                  \
    SFP(SFPSHFT, .imm12 = (uint32_t)(left)&0xfff, .vc = (c), .vd = (to),                           \
        .mod1 = SHIFT_IMMEDIATE | SHIFT_OF_VC)
#define RECIPROCAL(to, c) SFP(SFPARECIP, .vc = (c), .vd = (to), .mod1 = RECIPROCAL_OF)
#define ABS(to, c)        SFP(SFPSETSGN, .imm1 = 0, .vc = (c), .vd = (to), .mod1 = FIELD_IMMEDIATE)
#define NEGATIVE_ABS(to, c)                                                                        \
    SFP(SFPSETSGN, .imm1 = 1, .vc = (c), .vd = (to), .mod1 = FIELD_IMMEDIATE)
#define COPY_SIGN(to, c)  SFP(SFPSETSGN, .vc = (c), .vd = (to)) /* to: its sign, the rest of c */
#define CAST(to, c, mode) SFP(SFPCAST, .vc = (c), .vd = (to), .mod1 = (mode))
#define ROUND(to, c, mode, how)                                                                    \
    SFP(SFP_STOCH_RND, .rounding_mode = (how), .vb = (c), .vc = (c), .vd = (to), .mod1 = (mode))

/* Flags: lanes that are enabled become fewer until all are again. */
#define IF(c, mode)          SFP(SFPSETCC, .vc = (c), .mod1 = (mode))
#define IF_GREATER(d, c)     SFP(SFPGT, .vc = (c), .vd = (d), .mod1 = COMPARE_FLAGS)
#define IF_NOT_GREATER(d, c) SFP(SFPLE, .vc = (c), .vd = (d), .mod1 = COMPARE_FLAGS)
#define ALL_LANES()          SFP(SFPENCC, )

/* --- Running --- */

typedef void body_function(struct body *body);

static inline unsigned body_count(body_function *function)
{
    struct body body = {.counts = true};
    function(&body);
    return body.count;
}

/* Emits it once. */
static inline void body_emit(body_function *function)
{
    struct body body = {.counts = false};
    function(&body);
}

/* How long a body is if it fits into the replay buffer, else 0. */
static inline unsigned body_fits(body_function *function)
{
    const unsigned count = body_count(function);
    return count <= REPLAY_SIZE ? count : 0;
}

/* Records a body that fits; returns how long it is. */
static inline unsigned body_record(body_function *function)
{
    const unsigned count = body_fits(function);
    if (count) {
        replay_record(0, count);
        body_emit(function);
    }
    return count;
}

/* So many times what is recorded, or the body if it does not fit. */
static inline void body_run(body_function *function, unsigned times)
{
    const unsigned recorded = body_fits(function);
    for (unsigned i = 0; i < times; i++) {
        if (recorded) {
            tensix_push(REPLAY_WORD(0, recorded));
        } else {
            body_emit(function);
        }
    }
}

/* So many times, past the replay buffer, which holds another one. */
static inline void body_repeat(body_function *function, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        body_emit(function);
    }
}

/* --- Programmable constants and load macros --- */

#define PROGRAM_BITS(to, value)                                                                    \
    do {                                                                                           \
        CONSTANT_BITS(L0, value);                                                                  \
        SFP(SFPCONFIG, .vd = (to));                                                                \
    } while (0)
#define PROGRAM(to, value) PROGRAM_BITS(to, float_bits(value))

/* An instruction that is issued with VD 12 to 15 becomes a template. */
enum { TEMPLATE0 = 12, TEMPLATE1, TEMPLATE2, TEMPLATE3 };

/* Eight bits of a sequence: what, when, and which registers it takes. */
enum {
    MACRO_NOTHING = 0,
    MACRO_NOP = 2,
    MACRO_STORE = 3,
    MACRO_TEMPLATE = 4, /* plus its number */
    MACRO_LREG16 = 0x40,
    MACRO_VB = 0x80, /* the loaded LReg is VB, else VC; of a store: VD is the template's */
};
#define MACRO_STEP(what, delay, flags)                                                             \
    ((uint32_t)(what) | (uint32_t)(delay) << 3 | (uint32_t)(flags))

#define MACRO_SEQUENCE(macro, simple, mad, round, store)                                           \
    PROGRAM_BITS(CONFIG_SEQUENCE + (macro), (uint32_t)(store) << 24 | (uint32_t)(round) << 16 |    \
                                                (uint32_t)(mad) << 8 | (uint32_t)(simple))

/* Stores in the format of the load for all macros, or in another; delays in instructions for the
 * sub-units of a mask (1 simple, 2 MAD, 4 round, 8 store), else in cycles. */
#define MACRO_MISC(load_format_too, format, units)                                                 \
    SFP(SFPCONFIG, .imm16 = (load_format_too ? 0xf0 : (format)) | (units) << 8, .vd = CONFIG_MISC, \
        .mod1 = CONFIG_IMMEDIATE)

/* Starts a macro; `step` goes on to the next 32 datums. */
#define MACRO(number, to, format, tile, step)                                                      \
    SFP(SFPLOADMACRO, .macro_index = (number), .vd_lo = (to)&3, .mod0 = (format),                  \
        .addr_mod = (step) ? ADDR_STEP : ADDR_STAY, .imm9 = (tile)*DST_TILE_ROWS / 2,              \
        .vd_hi = (to) >> 2)

#endif
