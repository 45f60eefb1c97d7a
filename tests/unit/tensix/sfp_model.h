/* See sfp_model.c. */
#ifndef SFP_MODEL_H
#define SFP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "unit/tensix/tensix_harness.h"

enum {
    LANES = 32,
    LREGS = 17,
    STAGED = 16,
    DEPTH = 8,
    ROWS = 1024,
    COLUMNS = 16,
    WAITING = 256,
    LATE = 16
};

/* High bytes, as ckernel_ops.h of Blackhole has them. */
enum code {
    NOP = 0x02,
    LOAD = 0x70,
    LOADI,
    STORE,
    LUT,
    MULI,
    ADDI,
    DIVP2,
    EXEXP,
    EXMAN,
    IADD,
    SHFT,
    SETCC,
    MOV,
    ABS,
    AND,
    OR,
    NOT,
    LZ,
    SETEXP,
    SETMAN,
    MAD,
    ADD,
    MUL,
    PUSHC,
    POPC,
    SETSGN,
    ENCC,
    COMPC,
    TRANSP,
    XOR,
    STOCH_RND,
    SFPNOP,
    CAST,
    CONFIG,
    SWAP,
    LOADMACRO,
    SHFT2,
    LUTFP32,
    LE,
    GT,
    MUL24,
    ARECIP,
};

enum format {
    SRCB,
    FP16,
    BF16,
    FP32,
    INT32,
    INT8,
    UINT16,
    HI16,
    INT16,
    LO16,
    INT32_ALL,
    ZERO,
    INT32_SM,
    INT8_COMP,
    LO16_ONLY,
    HI16_ONLY,
};

/* --- Words --- */

static inline uint32_t wide(enum code code, unsigned vd, unsigned mod0, unsigned addr_mod,
                            unsigned imm10)
{
    return (uint32_t)code << 24 | vd << 20 | mod0 << 16 | addr_mod << 13 | imm10;
}

static inline uint32_t loadi(unsigned vd, unsigned mod0, unsigned imm16)
{
    return (uint32_t)LOADI << 24 | vd << 20 | mod0 << 16 | imm16;
}

static inline uint32_t narrow(enum code code, unsigned imm12, unsigned vc, unsigned vd,
                              unsigned mod1)
{
    return (uint32_t)code << 24 | (imm12 & 0xfff) << 12 | vc << 8 | vd << 4 | mod1;
}

static inline uint32_t mad(enum code code, unsigned va, unsigned vb, unsigned vc, unsigned vd,
                           unsigned mod1)
{
    return narrow(code, va << 4 | vb, vc, vd, mod1);
}

static inline uint32_t imm16(enum code code, unsigned imm, unsigned vd, unsigned mod1)
{
    return (uint32_t)code << 24 | imm << 8 | vd << 4 | mod1;
}

static inline uint32_t stoch_rnd(unsigned rounding, unsigned imm5, unsigned vb, unsigned vc,
                                 unsigned vd, unsigned mod1)
{
    return (uint32_t)STOCH_RND << 24 | rounding << 21 | imm5 << 16 | vb << 12 | vc << 8 | vd << 4 |
           mod1;
}

/* SFPLOADMACRO; the third bit of VD is the lowest bit of the address. */
static inline uint32_t macro(unsigned index, unsigned vd, unsigned mod0, unsigned addr_mod,
                             unsigned imm10)
{
    return wide(LOADMACRO, index << 2 | (vd & 3), mod0, addr_mod, (imm10 & 0x3fe) | vd >> 2);
}

/* A byte of a sequence. */
enum { INTO_VB = 0x80, INTO_STAGED = 0x40, THE_NOP = 2, THE_STORE = 3 };

static inline uint32_t slot(unsigned flags, unsigned delay, unsigned select)
{
    return flags | delay << 3 | select;
}

static inline uint32_t sequence(uint32_t simple, uint32_t mad, uint32_t round, uint32_t store)
{
    return simple | mad << 8 | round << 16 | store << 24;
}

enum { COUNTS_SIMPLE = 0x100, COUNTS_MAD = 0x200, COUNTS_ROUND = 0x400, COUNTS_STORE = 0x800 };

/* --- The model --- */

enum part { PART_SIMPLE, PART_MAD, PART_ROUND, PART_STORE, PART_LOAD };

struct op {
    enum code code;
    uint32_t word;
    unsigned va, vb, vc, vd, mod;
    bool scheduled, has_vb; /* has_vb: a macro has put its VD there */
    unsigned address;       /* of a scheduled store */
};

struct waiting {
    struct op op;
    enum part part;
    unsigned delay;
    bool counts_instructions;
    uint32_t lanes;
};

struct flags {
    bool flag, use;
};

struct registers {
    uint32_t lreg[LREGS][LANES];
    struct flags now[LANES], stack[LANES][DEPTH]; /* stack[lane][depth - 1] is the top */
    unsigned depth[LANES];
    uint32_t generator[LANES];
    uint32_t lane_config[LANES];
    struct {
        uint32_t instruction[4], sequence[4], misc;
    } macro[LANES];
};

struct unit {
    struct registers reg;
    uint16_t dst[ROWS][COLUMNS];
    uint32_t rwc_dst;
    struct waiting waiting[WAITING];
    unsigned waits;
    /* Results of two cycles, to be written at the end of the next one. */
    struct {
        bool is_swap, is_there;
        unsigned vc, vd;
        uint32_t lanes, value[LANES];
    } late[LATE];
    enum code last; /* an ordinary instruction of the cycle before, or 0 */
    uint32_t last_word;
    bool swapped;         /* a scheduled SFPSWAP executed in the cycle before */
    const char *unclear;  /* the pages do not say what happens, or leave it to software */
    bool undefined;       /* the latest instruction must be a fault without effect */
    unsigned executed[5]; /* how many instructions of each part a macro has brought to execution */
    unsigned discarded, forgotten;
};

void unit_take(struct unit *unit, const struct tensix *tensix);

/* The state as it is in the model; what is scheduled is dropped. */
void unit_give(const struct unit *unit, struct tensix *tensix);

/* Fails the test where the coprocessor is in another state than the model. */
void unit_compare(const struct unit *unit, const struct tensix *tensix, const char *what);

/* A cycle; `word` is 0 where no instruction of the Vector Unit comes. */
void unit_cycle(struct unit *unit, const struct tensix *tensix, uint32_t word);

/* Cycles until nothing changes any more, and whether something still waits for instructions. */
bool unit_rest(struct unit *unit, const struct tensix *tensix);

/* One instruction, and what it leads to: cycles until nothing is late. */
void unit_alone(struct unit *unit, const struct tensix *tensix, uint32_t word);

unsigned part_of(enum code code);

/* --- Random --- */

struct dice {
    uint64_t state;
};

uint32_t dice_next(struct dice *dice);

static inline unsigned dice_below(struct dice *dice, unsigned limit)
{
    return dice_next(dice) % limit;
}

/* FP32 and integers with many special ones. */
uint32_t dice_number(struct dice *dice);

/* Fills LRegs 0 to 7 and 11 to 14 (four equal rows), 16, generators and Dst. */
void dice_fill(struct dice *dice, struct tensix *tensix);

/* --- Running --- */

/* Pushes all words (at most 28) before anything runs, and runs until nothing goes on. */
void burst(struct tensix_harness *harness, const uint32_t *words, unsigned count);

/* Lets all execute that counts cycles. */
void settle(struct tensix_harness *harness);

/* Configures a template, sequence or `misc` of all lanes by way of the coprocessor's state. */
void put_template(struct tensix *tensix, unsigned index, uint32_t word);
void put_sequence(struct tensix *tensix, unsigned index, uint32_t value);
void put_misc(struct tensix *tensix, uint32_t value);

#endif
