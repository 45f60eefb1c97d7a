/*
 * The 32 lanes of the Vector Unit: operations on whole LRegs, as functions of a set of kernels
 * (num/kernels.h), and operations on one lane, which are the specification.
 *
 * An LReg is 32 words of 32 bits. `lanes` has a bit for each lane, lane 0 the lowest; a function
 * changes only the lanes that are set, and looks at no others. A result may replace an operand,
 * because each lane is read before it is written.
 *
 * SPEC: BlackholeA0 VectorUnit and the page of each instruction; Miscellaneous/FMA for MAD.
 *
 * Pure functions; safe from any thread.
 */
#ifndef NUM_LANES_H
#define NUM_LANES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    NUM_LANES = 32,
    NUM_LANES_A_ROW = 8,
    NUM_LANES_ROWS = NUM_LANES / NUM_LANES_A_ROW,
    NUM_LANES_LOW = 8 * 2 * NUM_LANES_A_ROW, /* words from upper to lower halves in Dst */
};

/* What is done lane by lane: d = operation(a, b, c, immediate). Operands that it does not name are
 * not looked at and may be NULL. */
enum num_lanes_op {
    /* Moves. */
    NUM_LANES_CONSTANT,   /* immediate */
    NUM_LANES_LOW_HALF,   /* c, with the low 16 bits of the immediate as its low half */
    NUM_LANES_HIGH_HALF,  /* c, with the low 16 bits of the immediate as its high half */
    NUM_LANES_FROM_FLAGS, /* all ones where the lane's bit of the immediate is set, 0 elsewhere */
    NUM_LANES_COPY,       /* c */
    /* Bits. */
    NUM_LANES_NOT, /* ~c */
    NUM_LANES_AND, /* b & c */
    NUM_LANES_OR,
    NUM_LANES_XOR,
    NUM_LANES_LEADING_ZEROS,             /* of c & immediate; 32 for 0 */
    NUM_LANES_SHIFT,                     /* b left by c mod 32, or right by -c mod 32 where c < 0 */
    NUM_LANES_SHIFT_ARITHMETIC,          /* the same; to the right the sign comes in */
    NUM_LANES_SHIFT_CONSTANT,            /* c by the immediate, a signed number */
    NUM_LANES_SHIFT_ARITHMETIC_CONSTANT, /* the same; to the right the sign comes in */
    /* Integers. */
    NUM_LANES_ADD,          /* c + b */
    NUM_LANES_SUBTRACT,     /* c - b */
    NUM_LANES_ADD_CONSTANT, /* c + immediate */
    NUM_LANES_ABS_INTEGER,  /* of two's complement; -2^31 stays */
    NUM_LANES_SWITCH_SIGNS, /* from two's complement to sign-magnitude, or back */
    NUM_LANES_MUL24,        /* a * b as SFPMUL24, then its addition of c; immediate 1: upper half */
    /* Fields of FP32. */
    NUM_LANES_NEGATE,       /* c with the other sign bit */
    NUM_LANES_ABS_FLOAT,    /* c without its sign, unless it is a NaN */
    NUM_LANES_EXPONENT,     /* exponent field of c, minus the immediate */
    NUM_LANES_MANTISSA,     /* mantissa of c, or-ed with the immediate */
    NUM_LANES_SET_EXPONENT, /* c with the exponent field `immediate` (0 to 255) */
    NUM_LANES_ADD_EXPONENT, /* c with immediate added to its exponent mod 256, unless that is 255 */
    NUM_LANES_COPY_EXPONENT,   /* c with the exponent field of b */
    NUM_LANES_INSERT_EXPONENT, /* c with the low 8 bits of b as exponent field */
    NUM_LANES_SET_MANTISSA,    /* c with the 23 bits of the immediate as mantissa */
    NUM_LANES_COPY_MANTISSA,   /* c with the mantissa of b */
    NUM_LANES_SET_SIGN,        /* c with bit 31 of the immediate as sign */
    NUM_LANES_COPY_SIGN,       /* c with the sign of b */
    /* Arithmetic. */
    NUM_LANES_MAD,                    /* a * b + c; immediate: bit 0 negates b, bit 1 negates c */
    NUM_LANES_RECIPROCAL,             /* SFPARECIP of c, by its three modes */
    NUM_LANES_CONDITIONAL_RECIPROCAL, /* where b < 0 */
    NUM_LANES_EXPONENTIAL,
    /* Conversions; `a` has random bits as the generator gives them where they round with them. */
    NUM_LANES_INT_TO_FLOAT,        /* of sign-magnitude, to nearest even */
    NUM_LANES_INT_TO_FLOAT_RANDOM, /* the same with the random bits of a */
    NUM_LANES_TO_FP16,             /* SFP_STOCH_RND of c against the low 23 bits of a */
    NUM_LANES_TO_BF16,
    NUM_LANES_TO_INTEGER, /* the same; immediate: an enum num_lanes_integer */
    NUM_LANES_DESCALE,    /* c >> b mod 32 against the low 23 bits of a; immediate likewise */
    NUM_LANES_OPS
};

/* Modes of NUM_LANES_TO_INTEGER and NUM_LANES_DESCALE, as Mod1 of SFP_STOCH_RND. */
enum num_lanes_integer {
    NUM_LANES_FLOAT_TO_UINT8 = 2,
    NUM_LANES_FLOAT_TO_INT8 = 3,
    NUM_LANES_INT_TO_UINT8 = 4, /* the two of NUM_LANES_DESCALE */
    NUM_LANES_INT_TO_INT8 = 5,
    NUM_LANES_FLOAT_TO_UINT16 = 6,
    NUM_LANES_FLOAT_TO_INT16 = 7,
};

/* What SFP_STOCH_RND compares with instead of random bits. */
enum { NUM_LANES_ROUND_NEAREST = 0x400000, NUM_LANES_ROUND_ZERO = 0x7fffff };

/* Tables of SFPLUT and SFPLUTFP32. */
enum num_lanes_table {
    NUM_LANES_TABLE_FP8,      /* SFPLUT: three pairs of 8 bits */
    NUM_LANES_TABLE_FP32,     /* three pairs of FP32 */
    NUM_LANES_TABLE_FP16,     /* three pairs of 16 bits */
    NUM_LANES_TABLE_FP16_6,   /* six pairs of 16 bits, the last from 3.0 on */
    NUM_LANES_TABLE_FP16_6_4, /* six pairs of 16 bits, the last from 4.0 on */
};

/* How SFPLOAD and SFPSTORE see Dst: Mod0 where it is not 0 (MOD0_FMT_SRCB, which is resolved
 * first). */
enum num_lanes_format {
    NUM_LANES_FP16 = 1,
    NUM_LANES_BF16,
    NUM_LANES_FP32,
    NUM_LANES_INT32,
    NUM_LANES_INT8,
    NUM_LANES_UINT16,
    NUM_LANES_HI16,
    NUM_LANES_INT16,
    NUM_LANES_LO16,
    NUM_LANES_INT32_ALL,
    NUM_LANES_ZERO,
    NUM_LANES_INT32_SM,
    NUM_LANES_INT8_COMP,
    NUM_LANES_LO16_ONLY,
    NUM_LANES_HI16_ONLY,
    NUM_LANES_FORMATS
};

/* Does the format read and write Dst32b? SPEC: SFPSTORE writes 32 bits for HI16 and LO16, from
 * which SFPLOAD reads 16. */
static inline bool num_lanes_loads_32bit(enum num_lanes_format format)
{
    const unsigned formats = 1u << NUM_LANES_FP32 | 1u << NUM_LANES_INT32 |
                             1u << NUM_LANES_INT32_ALL | 1u << NUM_LANES_INT32_SM;
    return formats >> format & 1;
}

static inline bool num_lanes_stores_32bit(enum num_lanes_format format)
{
    return num_lanes_loads_32bit(format) || format == NUM_LANES_HI16 || format == NUM_LANES_LO16;
}

/* --- The functions of a set --- */

typedef void num_lanes_function(uint32_t *d, const uint32_t *a, const uint32_t *b,
                                const uint32_t *c, uint32_t immediate, uint32_t lanes);

/*
 * Between four rows of Dst and an LReg. The rows lie one after the other: 16-bit words as stored,
 * 16 a row; `high` is Dst16b, or the upper halves of Dst32b with `low` its lower halves. Lane i is
 * in row i / 8, in column 2 * (i % 8), or in the one right of that where its bit of `odd` is set.
 * `infinities`, for FP16: lanes where the greatest magnitude is infinity. What LO16_ONLY and
 * HI16_ONLY do not load stays.
 */
typedef void num_lanes_load_function(uint32_t *d, const uint16_t *high, const uint16_t *low,
                                     uint32_t odd, uint32_t lanes, uint32_t infinities);
typedef void num_lanes_store_function(const uint32_t *x, uint16_t *high, uint16_t *low,
                                      uint32_t odd, uint32_t lanes);

/* Loads and stores of all lanes from one column of each pair, without infinities. Lower halves are
 * NUM_LANES_LOW words after the upper ones. */
typedef void num_lanes_load_all_function(uint32_t *d, const uint16_t *rows);
typedef void num_lanes_store_all_function(const uint32_t *x, uint16_t *rows);

struct num_lanes_kernels {
    num_lanes_function *op[NUM_LANES_OPS];

    /* Lanes where x < y in the order of sign-magnitude numbers, in which -0 < +0. */
    uint32_t (*less)(const uint32_t *x, const uint32_t *y);
    /* Lanes whose highest bit is set; lanes where x & mask is not 0. */
    uint32_t (*negative)(const uint32_t *x);
    uint32_t (*nonzero)(const uint32_t *x, uint32_t mask);

    /* Exchanges lanes of two LRegs. */
    void (*swap)(uint32_t *x, uint32_t *y, uint32_t lanes);

    /* d = the table's line for LReg[3]; `keeps_sign`: with the sign of LReg[3]. The table is in
     * lreg[0] to lreg[2] and lreg[4] to lreg[6]. */
    void (*look_up)(uint32_t *d, const uint32_t (*lreg)[NUM_LANES], enum num_lanes_table table,
                    bool keeps_sign, uint32_t lanes);

    /* bits = the generators' states, which step. `bits` may be NULL. */
    void (*random)(uint32_t *state, uint32_t *bits, uint32_t lanes);

    /* By enum num_lanes_format; [0] is NULL. */
    num_lanes_load_function *load[NUM_LANES_FORMATS];
    num_lanes_store_function *store[NUM_LANES_FORMATS];
    /* Those of even columns, then those of odd ones. */
    num_lanes_load_all_function *load_all[2][NUM_LANES_FORMATS];
    num_lanes_store_all_function *store_all[2][NUM_LANES_FORMATS];
};

/* --- One lane (lanes.c): what the reference set is made of --- */

uint32_t num_lane(enum num_lanes_op op, uint32_t a, uint32_t b, uint32_t c, uint32_t immediate,
                  bool flag);
bool num_lane_less(uint32_t x, uint32_t y);

/* Steps the generator of a lane and returns what its state was (SPEC: VectorUnit, PRNG). */
static inline uint32_t num_lane_random(uint32_t *state)
{
    uint32_t result = *state;
    uint32_t taps = (uint32_t)__builtin_parity(result & UINT32_C(0x80200003));
    *state = ~taps << 31 | result >> 1;
    return result;
}

/* A datum of Dst as stored (16 bits in the low half where the format has 16) to a lane and back.
 * `old`: what the lane holds. */
uint32_t num_lane_load(enum num_lanes_format format, uint32_t stored, uint32_t old,
                       bool has_infinity);
uint32_t num_lane_store(enum num_lanes_format format, uint32_t x);

/* One lane of look_up; `lreg` is its column of the LRegs. */
uint32_t num_lane_look_up(const uint32_t lreg[8], enum num_lanes_table table, bool keeps_sign);

#endif
