/*
 * Programs with load macros of the kind that LLK has (typecasts, exp, reciprocal, where, products
 * of integers), and the same computations without macros: Dst is the same, with pauses or without.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO; schedules as in tt_llk_blackhole/common/inc/sfpu. Where a page
 * taken literally would break such a program, the program wins: a sequence's byte of 0 forgets
 * nothing, and a scheduled SFPSWAP exchanges VC with VB.
 */
#include "unit/tensix/sfp_model.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit/run_suite.h"
#include "tensix/regs.h"

enum { WORDS = 400, ROUNDS = 12, STAY = 7, NEXT = 6, ONE = 10, ZEROES = 9, TEXT = 160 };

/* Modes of SFPLOADI and SFP_STOCH_RND. */
enum { FLOATB = 0, USHORT = 2, UPPER = 8, LOWER = 10 };
enum { TO_BF16 = 1, TO_UINT16 = 6, TO_INT16 = 7 };

struct words {
    uint32_t word[WORDS];
    unsigned count;
};

struct program {
    const char *name;
    void (*prepare)(struct words *words);
    void (*macros)(struct words *words, unsigned rows);
    void (*plain)(struct words *words, unsigned rows);
    unsigned rows;
    bool fp32; /* Dst has 32 bits as SRCB says it */
    bool
        no_pauses; /* it needs an instruction each cycle, as what has no delay left does not wait */
};

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static struct dice dice;

static void setup(void)
{
    tensix_harness_open(&harness);
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

static void emit(struct words *words, uint32_t word)
{
    ck_assert_uint_lt(words->count, WORDS);
    words->word[words->count++] = word;
}

static void nops(struct words *words, unsigned count)
{
    while (count--) {
        emit(words, (uint32_t)SFPNOP << 24);
    }
}

/* LReg[0], and by SFPCONFIG what it is for. */
static void configure(struct words *words, unsigned target, uint32_t value)
{
    emit(words, loadi(0, LOWER, value & 0xffff));
    emit(words, loadi(0, UPPER, value >> 16));
    emit(words, imm16(CONFIG, 0, target, 0));
    nops(words, 1);
}

static void sequence_is(struct words *words, unsigned index, uint32_t simple, uint32_t mad_byte,
                        uint32_t round, uint32_t store)
{
    configure(words, 4 + index, sequence(simple, mad_byte, round, store));
}

static void misc_is(struct words *words, unsigned value)
{
    emit(words, imm16(CONFIG, value, 8, 1));
    nops(words, 1);
}

static void load(struct words *words, unsigned vd, unsigned format, unsigned addr_mod,
                 unsigned offset)
{
    emit(words, wide(LOAD, vd, format, addr_mod, offset));
}

static void store(struct words *words, unsigned vd, unsigned format, unsigned offset)
{
    emit(words, wide(STORE, vd, format, NEXT, offset));
}

static void nothing(struct words *words)
{
    (void)words;
}

/* --- Typecasts --- */

static void fp32_to_uint16_prepare(struct words *w)
{
    emit(w, narrow(SWAP, 0, ZEROES, 12, 15));
    emit(w, stoch_rnd(0, 0, 0, 0, 13, TO_UINT16));
    sequence_is(w, 0, slot(INTO_VB, 0, 4), 0, slot(INTO_STAGED, 2, 5),
                slot(INTO_STAGED, 3, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | LO16);
}

static void fp32_to_uint16(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, i & 1, SRCB, NEXT, 0));
        nops(w, 1);
    }
    nops(w, 3);
}

static void fp32_to_uint16_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, SRCB, STAY, 0);
        emit(w, narrow(SWAP, 0, ZEROES, 0, 9));
        nops(w, 1);
        emit(w, stoch_rnd(0, 0, 0, 0, 0, TO_UINT16));
        store(w, 0, LO16, 0);
    }
}

static void uint16_to_bf16_prepare(struct words *w)
{
    emit(w, narrow(CAST, 0, 0, 12, 0));
    emit(w, stoch_rnd(0, 0, 0, 0, 13, TO_BF16));
    sequence_is(w, 0, slot(0, 0, 4), 0, slot(INTO_STAGED, 1, 5), slot(INTO_STAGED, 2, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | SRCB);
}

static void uint16_to_bf16(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, i & 1, LO16, NEXT, 0));
    }
    nops(w, 3);
}

static void uint16_to_bf16_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, LO16, STAY, 0);
        emit(w, narrow(CAST, 0, 0, 0, 0));
        emit(w, stoch_rnd(0, 0, 0, 0, 0, TO_BF16));
        store(w, 0, SRCB, 0);
    }
}

static void int32_to_float_prepare(struct words *w, bool rounds)
{
    configure(w, 12, 0u - 31);
    emit(w, narrow(SETSGN, 0, 4, 12, 0));
    emit(w, mad(MAD, 0, ONE, 0, 13, 4));
    emit(w, stoch_rnd(0, 0, 0, 0, 14, TO_BF16));
    sequence_is(w, 0, slot(INTO_VB, 3, 4), slot(rounds ? 0 : INTO_STAGED, 4, 5),
                rounds ? slot(INTO_STAGED, 6, 6) : 0, slot(INTO_STAGED, rounds ? 7 : 6, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | (rounds ? SRCB : FP32));
    emit(w, loadi(0, USHORT, 0));
    emit(w, loadi(1, FLOATB, 0xcf00)); /* -2 to the 31st */
}

static void int32_to_fp32_prepare(struct words *w)
{
    int32_to_float_prepare(w, false);
}

static void int32_to_bf16_prepare(struct words *w)
{
    int32_to_float_prepare(w, true);
}

static void int32_to_float(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        unsigned v = 2 + (i & 1);
        emit(w, macro(0, v, INT32, NEXT, 0));
        emit(w, narrow(ABS, 0, v, 4, 0));
        emit(w, narrow(SHFT2, 4, 12, 7, 5));
        emit(w, narrow(CAST, 0, 4, 4, 0));
    }
    nops(w, 5);
}

static void int32_to_float_plain(struct words *w, unsigned rows, bool rounds)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, INT32, STAY, 0);
        emit(w, narrow(ABS, 0, 0, 1, 0));
        emit(w, narrow(CAST, 0, 1, 2, 0));
        emit(w, narrow(SETSGN, 0, 2, 0, 0));
        emit(w, narrow(SETCC, 0, 1, 0, 0));
        emit(w, imm16(ADDI, 0xcf00, 0, 0));
        emit(w, narrow(ENCC, 0, 0, 0, 0));
        if (rounds) {
            emit(w, stoch_rnd(0, 0, 0, 0, 0, TO_BF16));
        }
        store(w, 0, rounds ? SRCB : FP32, 0);
    }
}

static void int32_to_fp32_plain(struct words *w, unsigned rows)
{
    int32_to_float_plain(w, rows, false);
}

static void int32_to_bf16_plain(struct words *w, unsigned rows)
{
    int32_to_float_plain(w, rows, true);
}

static void fp32_to_bf16_prepare(struct words *w)
{
    configure(w, 12, 1);
    configure(w, 13, 0x7fff);
    emit(w, narrow(SHFT2, 0xff0, 0, 12, 6));
    emit(w, narrow(IADD, 0, 13, 13, 4));
    emit(w, narrow(IADD, 0, 2, 14, 4));
    sequence_is(w, 0, slot(INTO_VB | INTO_STAGED, 3, 6), 0, slot(INTO_VB, 0, 4),
                slot(0, 3, THE_STORE));
    sequence_is(w, 1, slot(INTO_VB, 1, 5), 0, 0, slot(INTO_STAGED, 3, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | COUNTS_MAD | 0x10 | BF16);
}

static void fp32_to_bf16(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, i & 1, SRCB, STAY, 0));
        emit(w, macro(1, 2, SRCB, NEXT, 0));
        emit(w, narrow(AND, 0, 12, i & 1, 0));
    }
    nops(w, 3);
}

static void fp32_to_bf16_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 1, SRCB, STAY, 0);
        emit(w, narrow(SHFT, 0xff0, 1, 0, 5));
        emit(w, narrow(AND, 0, 12, 0, 0));
        emit(w, narrow(IADD, 0, 13, 1, 4));
        emit(w, narrow(IADD, 0, 0, 1, 4));
        emit(w, wide(STORE, 0, SRCB, STAY, 0));
        store(w, 1, BF16, 0);
    }
}

static void uint16_to_fp32_prepare(struct words *w)
{
    emit(w, narrow(CAST, 0, 0, 12, 0));
    sequence_is(w, 0, slot(INTO_STAGED, 0, 4), 0, 0, slot(INTO_STAGED, 1, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | FP32);
}

static void uint16_to_fp32(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, 0, LO16, NEXT, 0));
    }
    nops(w, 2);
}

static void uint16_to_fp32_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, LO16, STAY, 0);
        emit(w, narrow(CAST, 0, 0, 0, 0));
        store(w, 0, FP32, 0);
    }
}

static void uint32_to_bf16_prepare(struct words *w)
{
    configure(w, 12, 0u - 31);
    emit(w, narrow(CAST, 0, 0, 12, 0));
    emit(w, mad(MAD, 0, ONE, 0, 13, 4));
    emit(w, stoch_rnd(0, 0, 0, 0, 14, TO_BF16));
    sequence_is(w, 0, slot(0, 2, 4), slot(0, 3, 5), slot(INTO_STAGED, 5, 6),
                slot(INTO_STAGED, 6, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | SRCB);
    emit(w, loadi(0, USHORT, 0));
    emit(w, loadi(1, FLOATB, 0x4f00));
}

static void uint32_to_bf16(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        unsigned v = 2 + (i & 1);
        emit(w, macro(0, v, INT32, NEXT, 0));
        emit(w, narrow(SHFT2, v, 12, 7, 5));
        emit(w, narrow(SETSGN, 0, v, v, 1));
    }
    nops(w, 5);
}

static void uint32_to_float_plain(struct words *w, unsigned rows, bool rounds)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, INT32, STAY, 0);
        emit(w, narrow(SETSGN, 0, 0, 1, 1));
        emit(w, narrow(CAST, 0, 1, 1, 0));
        emit(w, narrow(SETCC, 0, 0, 0, 0));
        emit(w, imm16(ADDI, 0x4f00, 1, 0));
        emit(w, narrow(ENCC, 0, 0, 0, 0));
        if (rounds) {
            emit(w, stoch_rnd(0, 0, 1, 1, 1, TO_BF16));
        }
        store(w, 1, rounds ? SRCB : FP32, 0);
    }
}

static void uint32_to_bf16_plain(struct words *w, unsigned rows)
{
    uint32_to_float_plain(w, rows, true);
}

static void uint32_to_fp32_plain(struct words *w, unsigned rows)
{
    uint32_to_float_plain(w, rows, false);
}

static void uint32_to_fp32_prepare(struct words *w)
{
    configure(w, 12, 0u - 31);
    emit(w, narrow(SETSGN, 0, 0, 12, 1));
    emit(w, narrow(CAST, 0, 2, 13, 0));
    emit(w, narrow(SHFT2, 0, 12, 14, 5));
    emit(w, mad(MAD, 0, ONE, 0, 15, 4));
    sequence_is(w, 0, slot(0, 0, 4), 0, 0, 0);
    sequence_is(w, 1, slot(INTO_VB, 0, 5), slot(INTO_STAGED, 2, 7), 0, 0);
    sequence_is(w, 2, 0, 0, slot(INTO_VB, 0, 6), slot(INTO_STAGED, 3, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | COUNTS_MAD | COUNTS_ROUND | FP32);
    emit(w, loadi(0, USHORT, 0));
    emit(w, loadi(1, FLOATB, 0x4f00));
}

static void uint32_to_fp32(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, 2, INT32, STAY, 0));
        emit(w, macro(1, 3, INT32, STAY, 0));
        emit(w, macro(2, 7, INT32, NEXT, 0));
    }
    nops(w, 4);
}

static void uint16_to_uint32_prepare(struct words *w)
{
    sequence_is(w, 0, 0, 0, 0, slot(0, 0, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | INT32);
}

static void uint16_to_uint32_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, LO16, STAY, 0);
        store(w, 0, INT32, 0);
    }
}

static void uint32_to_uint16_prepare(struct words *w)
{
    emit(w, narrow(GT, 0, ZEROES, 12, 8));
    emit(w, narrow(OR, 0, 0, 13, 0));
    sequence_is(w, 0, slot(INTO_VB, 0, 4), 0, 0, 0);
    sequence_is(w, 1, slot(INTO_VB, 0, 5), 0, 0, slot(0, 1, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | LO16);
}

static void uint32_to_uint16(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, 0, LO16, STAY, 0));
        emit(w, macro(1, 1, INT32, NEXT, 0));
    }
    nops(w, 2);
}

static void uint32_to_uint16_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, LO16, STAY, 0);
        emit(w, narrow(GT, 0, ZEROES, 0, 8));
        load(w, 1, INT32, STAY, 0);
        emit(w, narrow(OR, 0, 0, 1, 0));
        store(w, 1, LO16, 0);
    }
}

static void int32_to_uint16_prepare(struct words *w)
{
    emit(w, narrow(SWAP, 0, ZEROES, 12, 15));
    emit(w, stoch_rnd(0, 0, 0, 0, 13, TO_UINT16));
    sequence_is(w, 0, slot(INTO_VB, 1, 4), 0, slot(INTO_STAGED, 3, 5),
                slot(INTO_STAGED, 4, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | LO16);
}

static void int32_to_uint16(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, i & 1, INT32, NEXT, 0));
        emit(w, narrow(CAST, 0, i & 1, i & 1, 0));
        nops(w, 1);
    }
    nops(w, 3);
}

static void int32_to_uint16_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, INT32, STAY, 0);
        emit(w, narrow(CAST, 0, 0, 0, 0));
        emit(w, narrow(SWAP, 0, ZEROES, 0, 9));
        nops(w, 1);
        emit(w, stoch_rnd(0, 0, 0, 0, 0, TO_UINT16));
        store(w, 0, LO16, 0);
    }
}

/* --- Exponentials --- */

static void exp_prepare(struct words *w)
{
    configure(w, 14, 0xc2b10000);
    configure(w, 12, 0x43b8aa3b);
    configure(w, 13, 0x46fde9a3);
    configure(w, 0, 0x920000e1); /* SFPSWAP 0, 14, 1 */
    emit(w, mad(MAD, 12, 0, 13, 13, 0));
    emit(w, stoch_rnd(0, 0, 0, 0, 14, 14));
    emit(w, narrow(SHFT, 15, 0, 15, 1));
    configure(w, 5, 0x13000004);
    configure(w, 4, 0x631685df);
    misc_is(w, 0);
}

/* The first half limits the numbers in Dst, the second computes. */
static void exp_macros(struct words *w, unsigned rows)
{
    (void)rows;
    for (unsigned i = 0; i < 8; i++) {
        emit(w, macro(1, i & 3, SRCB, STAY, i * 2));
        nops(w, i < 7);
    }
    for (unsigned i = 0; i < 8; i++) {
        emit(w, macro(0, i & 3, SRCB, STAY, i * 2));
    }
    nops(w, 3);
}

static void exp_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, SRCB, STAY, 0);
        emit(w, narrow(SWAP, 0, 14, 0, 9));
        nops(w, 1);
        emit(w, mad(MAD, 12, 0, 13, 0, 0));
        nops(w, 1);
        emit(w, stoch_rnd(0, 0, 0, 0, 0, TO_UINT16));
        emit(w, narrow(SHFT, 15, 0, 0, 1));
        store(w, 0, SRCB, 0);
    }
}

static void signed_exp_prepare(struct words *w)
{
    configure(w, 12, 0x43b8aa3b);
    configure(w, 13, 0x46fde9a3);
    configure(w, 14, 15);
    emit(w, mad(MAD, 12, 0, 13, 13, 0));
    emit(w, stoch_rnd(0, 0, 0, 0, 14, TO_INT16));
    emit(w, narrow(SETSGN, 0, 4, 15, 0));
    configure(w, 4, 0x731e85ef);
    misc_is(w, 0xf00);
}

static void signed_exp(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows + 2; i++) {
        if (i < rows) {
            emit(w, macro(0, i & 3, SRCB, NEXT, 0));
        } else {
            nops(w, 1);
        }
        emit(w, narrow(SHFT2, (i + 2) & 3, 14, 4, 5));
    }
    nops(w, 2);
}

static void signed_exp_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, SRCB, STAY, 0);
        emit(w, mad(MAD, 12, 0, 13, 0, 0));
        nops(w, 1);
        emit(w, stoch_rnd(0, 0, 0, 0, 0, TO_INT16));
        emit(w, narrow(SHFT2, 0, 14, 1, 5));
        emit(w, narrow(SETSGN, 0, 1, 0, 0));
        store(w, 0, SRCB, 0);
    }
}

/* --- Reciprocals --- */

static void reciprocal7_prepare(struct words *w)
{
    emit(w, narrow(ARECIP, 0, 0, 12, 0));
    sequence_is(w, 0, slot(INTO_STAGED, 0, 4), 0, 0, slot(INTO_STAGED, 1, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | 0x10);
}

static void reciprocal7(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, 0, SRCB, NEXT, 0));
    }
    nops(w, 2);
}

static void reciprocal7_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, SRCB, STAY, 0);
        emit(w, narrow(ARECIP, 0, 0, 0, 0));
        store(w, 0, SRCB, 0);
    }
}

static void reciprocal8_prepare(struct words *w)
{
    configure(w, 11, 0xbf800000);
    emit(w, narrow(ARECIP, 0, 0, 12, 0));
    emit(w, mad(MAD, ZEROES, ZEROES, 0, 13, 8));
    emit(w, mad(MAD, 1, 0, 11, 14, 0));
    emit(w, narrow(IADD, 0, 1, 15, 4));
    sequence_is(w, 0, slot(0, 0, 4), slot(0, 0, 5), 0, slot(INTO_VB, 0, THE_STORE));
    sequence_is(w, 1, slot(INTO_VB | INTO_STAGED, 5, 7), slot(INTO_VB | INTO_STAGED, 0, 6), 0,
                slot(INTO_STAGED, 2, THE_STORE));
    sequence_is(w, 2, 0, 0, 0, slot(INTO_STAGED, 1, THE_STORE));
    misc_is(w, COUNTS_SIMPLE | COUNTS_MAD | COUNTS_ROUND | SRCB);
    emit(w, loadi(0, FLOATB, 0x8000));
    emit(w, loadi(7, USHORT, 1));
    emit(w, loadi(2, USHORT, 0x8000)); /* of the plain one */
}

static void reciprocal8(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows + 2; i++) {
        unsigned y = 3 + i % 3;
        if (i < rows) {
            emit(w, macro(0, y, SRCB, STAY, 0));
        } else {
            nops(w, 1);
        }
        if (i >= 2) {
            emit(w, macro(2, 1, LO16, i < rows ? STAY : NEXT, 0x3fc));
        } else {
            nops(w, 1);
        }
        if (i < rows) {
            emit(w, macro(1, y, LO16_ONLY, NEXT, 0));
        } else {
            nops(w, 1);
        }
    }
    nops(w, 1);
}

static void reciprocal8_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, SRCB, STAY, 0);
        emit(w, mad(MAD, ZEROES, ZEROES, 0, 1, 0));
        emit(w, narrow(ARECIP, 0, 0, 0, 0));
        emit(w, narrow(OR, 0, 2, 0, 0));
        emit(w, mad(MAD, 1, 0, 11, 1, 0));
        nops(w, 1);
        emit(w, narrow(SHFT, 0xff0, 1, 1, 5));
        emit(w, narrow(IADD, 0, 1, 0, 4));
        store(w, 0, SRCB, 0);
    }
}

static void reciprocal24_prepare(struct words *w)
{
    emit(w, narrow(ARECIP, 0, 0, 12, 0));
    emit(w, mad(MAD, 0, 0, 0, 13, 0));
    emit(w, mad(MAD, 1, 0, 2, 14, 0));
    emit(w, narrow(SWAP, 0, ONE, 15, 1));
    sequence_is(w, 0, slot(0, 0, 4), 0, 0, slot(INTO_STAGED, 6, THE_STORE));
    sequence_is(w, 1, slot(INTO_STAGED, 0, 4), slot(0, 2, 5), 0, slot(0, 2, THE_STORE));
    emit(w, imm16(CONFIG, sequence(slot(INTO_VB, 2, 7), slot(0, 0, 6), 0, 0), 6, 1));
    nops(w, 1);
    sequence_is(w, 3, 0, slot(INTO_VB | INTO_STAGED, 1, 6), 0, slot(INTO_STAGED, 3, THE_STORE));
    misc_is(w, 0xff0);
}

static void reciprocal24(struct words *w, unsigned rows)
{
    const uint32_t steps[5] = {macro(0, 3, SRCB, STAY, 0), macro(2, 1, SRCB, STAY, 0x3fe),
                               macro(1, 0, SRCB, STAY, 0), mad(MAD, 0, 3, ONE, 0, 1),
                               macro(3, 2, SRCB, NEXT, 0x3fe)};
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned k = 0; k < 5; k++) {
            if (i == 0 && k == 4) {
                load(w, 7, SRCB, NEXT, 0);
            } else {
                emit(w, steps[k]);
            }
        }
    }
    nops(w, 1);
    emit(w, steps[1]);
    nops(w, 1);
    emit(w, steps[3]);
    emit(w, steps[4]);
    nops(w, 4);
}

static void reciprocal24_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, SRCB, STAY, 0);
        emit(w, narrow(ARECIP, 0, 0, 1, 0));
        emit(w, mad(MAD, 0, 1, ONE, 2, 1));
        emit(w, mad(MAD, 2, 2, 2, 3, 0));
        emit(w, mad(MAD, 3, 2, 2, 3, 0));
        nops(w, 1);
        emit(w, narrow(SWAP, 0, ONE, 3, 1));
        nops(w, 1);
        emit(w, mad(MAD, 3, 1, 1, 0, 0));
        store(w, 0, SRCB, 0);
    }
}

/* --- Where, products and sums of two tiles --- */

enum { TILE = 64, OUT = 192 };

static void where_prepare(struct words *w)
{
    emit(w, narrow(SETCC, 0, 0, 12, 6));
    emit(w, imm16(ENCC, 0, 13, 0));
    sequence_is(w, 0, slot(0, 0, 4), 0, 0, slot(0, 2, THE_STORE));
    emit(w, imm16(CONFIG, slot(0, 0, 4), 5, 1));
    emit(w, imm16(CONFIG, slot(0, 0, 5), 6, 1));
    misc_is(w, 0x770);
}

/* LLK has the condition in the simple sub-unit of the first macro, and all lanes on again by the
 * second one. */
static void where_in_place(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, 0, INT32, STAY, 0));
        emit(w, macro(2, 0, INT32, STAY, TILE));
        load(w, 0, INT32, NEXT, 2 * TILE);
    }
    nops(w, 4);
}

static void where_elsewhere(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(1, 0, INT32, STAY, 0));
        emit(w, macro(2, 0, INT32, STAY, TILE));
        load(w, 0, INT32, STAY, 2 * TILE);
        store(w, 0, INT32, OUT);
    }
}

static void where_plain(struct words *w, unsigned rows, unsigned out)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, INT32, STAY, 0);
        load(w, 1, INT32, STAY, TILE);
        emit(w, narrow(SETCC, 0, 0, 0, 6));
        load(w, 1, INT32, STAY, 2 * TILE);
        emit(w, narrow(ENCC, 0, 0, 0, 0));
        store(w, 1, INT32, out);
    }
}

static void where_in_place_plain(struct words *w, unsigned rows)
{
    where_plain(w, rows, 0);
}

static void where_elsewhere_plain(struct words *w, unsigned rows)
{
    where_plain(w, rows, OUT);
}

static void product_prepare(struct words *w)
{
    emit(w, mad(MUL24, 0, 0, ZEROES, 12, 0));
    sequence_is(w, 0, 0, slot(INTO_VB | INTO_STAGED, 0, 4), 0, slot(INTO_STAGED, 2, THE_STORE));
    sequence_is(w, 1, 0, slot(INTO_VB | INTO_STAGED, 1, 4), 0, slot(INTO_STAGED, 3, THE_STORE));
    misc_is(w, 0x330);
}

static void square(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        emit(w, macro(0, 0, LO16, NEXT, 0));
    }
    nops(w, 3);
}

static void product_in_place(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, LO16, STAY, TILE);
        emit(w, macro(0, 1, LO16, NEXT, 0));
    }
    nops(w, 3);
}

static void product_elsewhere(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, LO16, STAY, 0);
        emit(w, macro(1, 1, LO16, STAY, OUT));
        load(w, 1, LO16, NEXT, TILE);
    }
    nops(w, 3);
}

static void product_plain(struct words *w, unsigned rows, unsigned other, unsigned out)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, LO16, STAY, 0);
        load(w, 1, LO16, STAY, other);
        emit(w, mad(MUL24, 0, 1, ZEROES, 0, 0));
        nops(w, 1);
        store(w, 0, LO16, out);
    }
}

static void square_plain(struct words *w, unsigned rows)
{
    product_plain(w, rows, 0, 0);
}

static void product_in_place_plain(struct words *w, unsigned rows)
{
    product_plain(w, rows, TILE, 0);
}

static void product_elsewhere_plain(struct words *w, unsigned rows)
{
    product_plain(w, rows, TILE, OUT);
}

/* a + b of floats, one load and one macro a row. */
static void sum_prepare(struct words *w)
{
    emit(w, mad(ADD, ONE, 0, 0, 12, 0));
    sequence_is(w, 0, 0, slot(INTO_VB | INTO_STAGED, 0, 4), 0, slot(INTO_STAGED, 2, THE_STORE));
    misc_is(w, 0xf10);
}

static void sum(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, SRCB, STAY, TILE);
        emit(w, macro(0, 1, SRCB, NEXT, 0));
    }
    nops(w, 3);
}

static void sum_plain(struct words *w, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        load(w, 0, SRCB, STAY, TILE);
        load(w, 1, SRCB, STAY, 0);
        emit(w, mad(ADD, ONE, 1, 0, 0, 0));
        nops(w, 1);
        store(w, 0, SRCB, 0);
    }
}

/* --- Running --- */

static const struct program programs[] = {
    {"fp32 to uint16", fp32_to_uint16_prepare, fp32_to_uint16, fp32_to_uint16_plain, 8, true,
     false},
    {"bf16 to uint16", fp32_to_uint16_prepare, fp32_to_uint16, fp32_to_uint16_plain, 8, false,
     false},
    {"uint16 to bf16", uint16_to_bf16_prepare, uint16_to_bf16, uint16_to_bf16_plain, 8, false,
     false},
    {"int32 to bf16", int32_to_bf16_prepare, int32_to_float, int32_to_bf16_plain, 8, false, true},
    {"int32 to fp32", int32_to_fp32_prepare, int32_to_float, int32_to_fp32_plain, 8, true, false},
    {"fp32 to bf16", fp32_to_bf16_prepare, fp32_to_bf16, fp32_to_bf16_plain, 8, true, false},
    {"uint16 to fp32", uint16_to_fp32_prepare, uint16_to_fp32, uint16_to_fp32_plain, 8, true,
     false},
    {"uint32 to bf16", uint32_to_bf16_prepare, uint32_to_bf16, uint32_to_bf16_plain, 8, false,
     true},
    {"uint32 to fp32", uint32_to_fp32_prepare, uint32_to_fp32, uint32_to_fp32_plain, 8, true,
     false},
    {"uint16 to uint32", uint16_to_uint32_prepare, uint16_to_fp32, uint16_to_uint32_plain, 8, true,
     false},
    {"uint32 to uint16", uint32_to_uint16_prepare, uint32_to_uint16, uint32_to_uint16_plain, 8,
     true, false},
    {"int32 to uint16", int32_to_uint16_prepare, int32_to_uint16, int32_to_uint16_plain, 8, true,
     false},
    {"exp", exp_prepare, exp_macros, exp_plain, 8, false, false},
    {"exp of fp32", exp_prepare, exp_macros, exp_plain, 8, true, false},
    {"signed exp", signed_exp_prepare, signed_exp, signed_exp_plain, 8, true, false},
    {"signed exp of bf16", signed_exp_prepare, signed_exp, signed_exp_plain, 32, false, false},
    {"reciprocal, 7 bits", reciprocal7_prepare, reciprocal7, reciprocal7_plain, 8, true, false},
    {"reciprocal, 8 bits", reciprocal8_prepare, reciprocal8, reciprocal8_plain, 8, false, true},
    {"reciprocal, 24 bits", reciprocal24_prepare, reciprocal24, reciprocal24_plain, 8, true, true},
    {"where in place", where_prepare, where_in_place, where_in_place_plain, 8, true, true},
    {"where elsewhere", where_prepare, where_elsewhere, where_elsewhere_plain, 8, true, true},
    {"square", product_prepare, square, square_plain, 8, true, false},
    {"product in place", product_prepare, product_in_place, product_in_place_plain, 8, true, false},
    {"product elsewhere", product_prepare, product_elsewhere, product_elsewhere_plain, 8, true,
     false},
    {"sum", sum_prepare, sum, sum_plain, 8, true, false},
    {"sum of bf16", sum_prepare, sum, sum_plain, 8, false, false},
    {"nothing", nothing, uint16_to_uint32_plain, uint16_to_uint32_plain, 4, true, false},
};

/* Numbers as both kinds of Dst have them, special ones among them. */
static void fill_dst(bool fp32)
{
    for (unsigned row = 0; row < 512; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            uint32_t x = dice_number(&dice);
            uint32_t high = x >> 16;
            high = (high & 0x8000) | (high & 0x7f) << 8 | (high >> 7 & 0xff);
            tensix_dst_write32(&tensix->dst, (struct tensix_dst_map){.high_half = true}, row,
                               column, high << 16 | (fp32 ? x & 0xffff : 0));
        }
    }
}

enum { TOGETHER, TIMED, APART, PAUSES, WAYS };

/* One instruction each cycle: the queue never runs empty. */
static void run_without_gaps(const struct words *words)
{
    struct tensix_origin origin = {.pc = 0x1000, .pusher = TENSIX_BY_T0};
    unsigned done = 0;
    while (done < words->count) {
        while (done < words->count && tensix_accepts(tensix, 0)) {
            ck_assert(tensix_push(tensix, 0, origin, &words->word[done++], 1, harness.time));
        }
        tensix_harness_go(&harness, 8);
    }
    tensix_harness_go(&harness, 0);
}

/* In small bursts, or with other instructions between. */
static void run_with_gaps(const struct words *words, unsigned way)
{
    unsigned done = 0;
    while (done < words->count) {
        uint32_t chunk[TENSIX_FIFO_ACCEPTS];
        unsigned n = 0, most = way == APART ? 1 + dice_below(&dice, 9) : TENSIX_FIFO_ACCEPTS;
        while (n < most && done < words->count) {
            if (way == PAUSES && dice_below(&dice, 3) == 0) {
                chunk[n++] = (uint32_t)NOP << 24;
            } else {
                chunk[n++] = words->word[done++];
            }
        }
        burst(&harness, chunk, n);
    }
}

static void run_words(const struct words *words, unsigned way)
{
    tensix->timed = way == TIMED;
    if (way == TOGETHER || way == TIMED) {
        run_without_gaps(words);
    } else {
        run_with_gaps(words, way);
    }
    settle(&harness);
    tensix->timed = false;
}

static void start(const struct program *program, uint64_t seed)
{
    tensix_reset(tensix);
    tensix->dst_high_half = true;
    dice.state = seed;
    dice_fill(&dice, tensix);
    fill_dst(program->fp32);
    for (unsigned lane = 0; lane < LANES; lane++) {
        tensix->vector.lreg[11][lane] = 0xbf800000;
    }
    tensix->vector.uses_flags = tensix->vector.flags = UINT32_MAX;
    tensix->config[0][TENSIX_WORD_ALU_ACC_CTRL_SFPU_Fp32_enabled] =
        (program->fp32 ? 1u : 0) << 30 | 5 << 21;
    tensix->thread_config[0][TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + STAY] = 0;
    tensix->thread_config[0][TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + NEXT] = 2;
}

static void compare_dst(const struct tensix_dst *plain, const char *what)
{
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            uint16_t real = tensix->dst.bits[row][column], wanted = plain->bits[row][column];
            if (real != wanted) {
                ck_abort_msg("%s: physical row %u, column %u: %04x, not %04x", what, row, column,
                             real, wanted);
            }
        }
    }
}

START_TEST(macros_give_the_same)
{
    static struct tensix_dst plain, before;
    static struct words words;
    const struct program *program = &programs[_i];
    for (unsigned round = 0; round < ROUNDS * WAYS; round++) {
        unsigned way = round % WAYS, rows = program->rows;
        char text[TEXT];
        snprintf(text, sizeof text, "%s, round %u, way %u", program->name, round, way);
        start(program, round / WAYS);
        before = tensix->dst;
        words.count = 0;
        program->prepare(&words);
        run_words(&words, TOGETHER);
        words.count = 0;
        program->plain(&words, rows);
        run_words(&words, TOGETHER);
        ck_assert_msg(!harness.faults, "%s without macros: %s", text, harness.fault.text);
        plain = tensix->dst;
        ck_assert(program->prepare == nothing ||
                  memcmp(plain.bits, before.bits, sizeof plain.bits));

        start(program, round / WAYS);
        words.count = 0;
        program->prepare(&words);
        run_words(&words, TOGETHER);
        words.count = 0;
        program->macros(&words, rows);
        run_words(&words, program->no_pauses ? round & 1 : way);
        ck_assert_msg(!harness.faults, "%s: %s", text, harness.fault.text);
        compare_dst(&plain, text);
        ck_assert_msg(tensix->vector.schedules == 0, "%s: something still waits", text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("programs with macros");
    TCase *tcase = tcase_create("all");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, macros_give_the_same, 0, sizeof programs / sizeof programs[0]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
