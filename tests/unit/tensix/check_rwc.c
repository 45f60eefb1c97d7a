/*
 * RWCs: SETRWC, INCRWC and address modifiers against a model of the ISA's pages that keeps plain
 * numbers and reduces them modulo each counter's size, on random state and operands; LLK's product.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_fixture.h"

enum { RANDOM_ROUNDS = 20000, SRC_ROWS = 64, DST_ROWS = 1024, PHASES = 4 };
enum { AB_WORD = 12, DST_WORD = 28, BIAS_WORD = 47 };
enum { OPCODE_SETRWC = 0x37, OPCODE_INCRWC = 0x38 };

/* --- The model --- */

struct pair {
    unsigned counter, checkpoint, size;
};

struct model {
    struct pair a, b, dst;
    unsigned fidelity, extra;
};

static struct model model[TENSIX_THREADS];

static void set(struct pair *pair, unsigned value)
{
    pair->counter = pair->checkpoint = value % pair->size;
}

static void random_pair(struct pair *pair, unsigned size)
{
    *pair = (struct pair){random_below(&dice, size), random_below(&dice, size), size};
}

static void load(unsigned thread)
{
    const struct model *from = &model[thread];
    tensix->thread[thread].rwc = (struct tensix_rwc){
        .dst = (uint16_t)from->dst.counter,
        .dst_cr = (uint16_t)from->dst.checkpoint,
        .src_a = (uint8_t)from->a.counter,
        .src_a_cr = (uint8_t)from->a.checkpoint,
        .src_b = (uint8_t)from->b.counter,
        .src_b_cr = (uint8_t)from->b.checkpoint,
        .fidelity = (uint8_t)from->fidelity,
        .extra_mod = (uint8_t)from->extra,
    };
}

static void randomise(void)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        random_pair(&model[thread].a, SRC_ROWS);
        random_pair(&model[thread].b, SRC_ROWS);
        random_pair(&model[thread].dst, DST_ROWS);
        model[thread].fidelity = random_below(&dice, PHASES);
        model[thread].extra = random_below(&dice, 2);
        load(thread);
    }
}

/* All threads are as the model says. */
static void compare(uint32_t what)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
        const struct model *wanted = &model[thread];
        ck_assert_msg(rwc->src_a == wanted->a.counter && rwc->src_a_cr == wanted->a.checkpoint,
                      "0x%08" PRIx32 ": SrcA of thread %u is %u (%u), not %u (%u)", what, thread,
                      rwc->src_a, rwc->src_a_cr, wanted->a.counter, wanted->a.checkpoint);
        ck_assert_msg(rwc->src_b == wanted->b.counter && rwc->src_b_cr == wanted->b.checkpoint,
                      "0x%08" PRIx32 ": SrcB of thread %u is %u (%u), not %u (%u)", what, thread,
                      rwc->src_b, rwc->src_b_cr, wanted->b.counter, wanted->b.checkpoint);
        ck_assert_msg(rwc->dst == wanted->dst.counter && rwc->dst_cr == wanted->dst.checkpoint,
                      "0x%08" PRIx32 ": Dst of thread %u is %u (%u), not %u (%u)", what, thread,
                      rwc->dst, rwc->dst_cr, wanted->dst.counter, wanted->dst.checkpoint);
        ck_assert_msg(rwc->fidelity == wanted->fidelity && rwc->extra_mod == wanted->extra,
                      "0x%08" PRIx32 ": phase and bit of thread %u are %u, %u, not %u, %u", what,
                      thread, rwc->fidelity, rwc->extra_mod, wanted->fidelity, wanted->extra);
    }
}

/* --- SETRWC --- */

struct setrwc {
    unsigned clear, cr, dst, b, a, mask;
};

static uint32_t encode_setrwc(const struct setrwc *op)
{
    return (uint32_t)OPCODE_SETRWC << 24 | op->clear << 22 | op->cr << 18 | op->dst << 14 |
           op->b << 10 | op->a << 6 | op->mask;
}

static void model_setrwc(struct model *rwc, const struct setrwc *op)
{
    if (op->mask & 1) {
        set(&rwc->a, op->a + (op->cr & 1 ? rwc->a.checkpoint : 0));
    }
    if (op->mask & 2) {
        set(&rwc->b, op->b + (op->cr & 2 ? rwc->b.checkpoint : 0));
    }
    if (op->cr & 8) {
        set(&rwc->dst, op->dst + rwc->dst.counter);
    } else if (op->mask & 4) {
        set(&rwc->dst, op->dst + (op->cr & 4 ? rwc->dst.checkpoint : 0));
    }
    if (op->mask & 8) {
        rwc->fidelity = 0;
    }
}

FIXTURE(setup, teardown);

TEST(setrwc_is_as_the_model)
{
    for (int i = 0; i < RANDOM_ROUNDS; i++) {
        unsigned thread = random_below(&dice, TENSIX_THREADS);
        struct setrwc op = {.clear = 0, /* check_misc.c has the banks */
                            .cr = random_below(&dice, 16),
                            .dst = random_below(&dice, 16),
                            .b = random_below(&dice, 16),
                            .a = random_below(&dice, 16),
                            .mask = random_below(&dice, 16)};
        randomise();
        model_setrwc(&model[thread], &op);
        tensix_harness_push(&harness, thread, encode_setrwc(&op));
        compare(encode_setrwc(&op));
    }
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- INCRWC --- */

static void model_step(struct pair *pair, bool cr, unsigned increment)
{
    if (cr) {
        set(pair, pair->checkpoint + increment);
    } else {
        pair->counter = (pair->counter + increment) % pair->size;
    }
}

static void model_step_dst(struct pair *pair, bool cr, bool c_to_cr, unsigned increment)
{
    if (c_to_cr) {
        set(pair, pair->counter + increment);
    } else {
        model_step(pair, cr, increment);
    }
}

TEST(incrwc_is_as_the_model)
{
    for (int i = 0; i < RANDOM_ROUNDS; i++) {
        unsigned thread = random_below(&dice, TENSIX_THREADS), cr = random_below(&dice, 16);
        unsigned dst = random_below(&dice, 16), b = random_below(&dice, 16),
                 a = random_below(&dice, 16);
        uint32_t word = (uint32_t)OPCODE_INCRWC << 24 | cr << 18 | dst << 14 | b << 10 | a << 6;
        randomise();
        model_step(&model[thread].a, cr & 1, a);
        model_step(&model[thread].b, cr & 2, b);
        model_step_dst(&model[thread].dst, cr & 4, cr & 8, dst);
        tensix_harness_push(&harness, thread, word);
        compare(word);
    }
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- Address modifiers --- */

static void model_src(struct pair *pair, unsigned incr, unsigned cr, unsigned clear)
{
    if (clear) {
        set(pair, 0);
    } else {
        model_step(pair, cr, incr);
    }
}

static unsigned field(unsigned word, unsigned shift, unsigned width)
{
    return word >> shift & ((1u << width) - 1);
}

static void model_modifier(unsigned thread, unsigned addr_mod, bool partial)
{
    struct model *rwc = &model[thread];
    unsigned index = rwc->extra ? (addr_mod + 4) % 8 : addr_mod;
    unsigned ab = tensix->thread_config[thread][AB_WORD + index];
    unsigned dst = tensix->thread_config[thread][DST_WORD + index];
    unsigned bias = tensix->thread_config[thread][BIAS_WORD + index];
    model_src(&rwc->a, field(ab, 0, 6), field(ab, 6, 1), field(ab, 7, 1));
    model_src(&rwc->b, field(ab, 8, 6), field(ab, 14, 1), field(ab, 15, 1));
    if (field(dst, 11, 1)) {
        set(&rwc->dst, 0);
    } else {
        model_step_dst(&rwc->dst, field(dst, 10, 1), field(dst, 12, 1), field(dst, 0, 10));
    }
    if (!partial) {
        rwc->fidelity = field(dst, 15, 1) ? 0 : (rwc->fidelity + field(dst, 13, 2)) % PHASES;
    }
    if (field(bias, 4, 1)) {
        rwc->extra = 0;
    } else if (field(bias, 0, 2)) {
        rwc->extra = (rwc->extra + 1) % 2;
    }
}

/* Random words in all banks, among them those of the modifiers with all their flags. */
static void randomise_modifiers(void)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned word = 0; word < TENSIX_THREAD_WORDS; word++) {
            tensix->thread_config[thread][word] = (uint16_t)random_next(&dice);
        }
    }
}

TEST_EACH(modifiers_are_as_the_model, 2)
{
    bool partial = _i == 1;
    for (int i = 0; i < RANDOM_ROUNDS; i++) {
        unsigned thread = random_below(&dice, TENSIX_THREADS), addr_mod = random_below(&dice, 8);
        randomise();
        randomise_modifiers();
        model_modifier(thread, addr_mod, partial);
        if (partial) {
            tensix_apply_partial_addr_mod(tensix, thread, addr_mod);
        } else {
            tensix_apply_addr_mod(tensix, thread, addr_mod);
        }
        compare(addr_mod);
    }
}

static void set_modifier(unsigned thread, unsigned index, unsigned ab, unsigned dst, unsigned bias)
{
    tensix->thread_config[thread][AB_WORD + index] = (uint16_t)ab;
    tensix->thread_config[thread][DST_WORD + index] = (uint16_t)dst;
    tensix->thread_config[thread][BIAS_WORD + index] = (uint16_t)bias;
}

/* The matrix product of two tiles: five modifiers, and where the counters are after each of 16
 * instructions. SrcB of instruction 8 wraps: 32 + 48 is 16 modulo 64. */
enum { CR = 1 << 6, CLEAR = 1 << 7, B = 8, DST_CR = 1 << 10, DST_CLEAR = 1 << 11 };
static const struct matmul_step {
    unsigned addr_mod, a, a_cr, b, b_cr, dst;
} matmul[] = {
    {0, 0, 0, 8, 0, 8},      {1, 16, 0, 0, 0, 16},    {0, 16, 0, 8, 0, 24},
    {2, 0, 0, 32, 32, 32},   {0, 0, 0, 40, 32, 40},   {1, 16, 0, 32, 32, 48},
    {0, 16, 0, 40, 32, 56},  {4, 32, 32, 16, 16, 0},  {0, 32, 32, 24, 16, 8},
    {1, 48, 32, 16, 16, 16}, {0, 48, 32, 24, 16, 24}, {2, 32, 32, 48, 48, 32},
    {0, 32, 32, 56, 48, 40}, {1, 48, 32, 48, 48, 48}, {0, 48, 32, 56, 48, 56},
    {5, 0, 0, 0, 0, 0},
};

TEST(matrix_product_walks_its_tiles)
{
    const struct tensix_rwc *rwc = &tensix->thread[1].rwc;
    set_modifier(1, 0, 8 << B, 8, 0);
    set_modifier(1, 1, 16 | CR << B, 8, 0);
    set_modifier(1, 2, CR | (CR | 32) << B, 8, 0);
    set_modifier(1, 4, (CR | 32) | (CR | 48) << B, DST_CR, 0);
    set_modifier(1, 5, CLEAR | CLEAR << B, DST_CLEAR | 1 << 13, 0);
    for (unsigned phase = 0; phase < PHASES; phase++) {
        for (int i = 0; i < COUNT(matmul); i++) {
            const struct matmul_step *step = &matmul[i];
            ck_assert_uint_eq(rwc->fidelity, phase);
            tensix_apply_addr_mod(tensix, 1, step->addr_mod);
            ck_assert_uint_eq(rwc->src_a, step->a);
            ck_assert_uint_eq(rwc->src_a_cr, step->a_cr);
            ck_assert_uint_eq(rwc->src_b, step->b);
            ck_assert_uint_eq(rwc->src_b_cr, step->b_cr);
            ck_assert_uint_eq(rwc->dst, step->dst);
            ck_assert_uint_eq(rwc->dst_cr, 0);
        }
    }
    ck_assert_uint_eq(rwc->fidelity, 0);
}

/* The same words by SETC16, as LLK's addr_mod_t writes them. */
TEST(modifiers_come_from_setc16)
{
    tensix_harness_run(&harness, 2, "SETC16 19, 0x4203; SETC16 35, 0x27ff; SETC16 54, 1");
    tensix->thread[2].rwc.dst_cr = 3;
    tensix_apply_addr_mod(tensix, 2, 7);
    ck_assert_mem_eq(&tensix->thread[2].rwc,
                     &((struct tensix_rwc){.dst = 2,
                                           .dst_cr = 2,
                                           .src_a = 3,
                                           .src_b = 2,
                                           .src_b_cr = 2,
                                           .fidelity = 1,
                                           .extra_mod = 1}),
                     sizeof(struct tensix_rwc));
}

/* --- The rest of the unit --- */

TEST(gatesrcrst_changes_nothing)
{
    randomise();
    struct tensix_src_banks banks[TENSIX_SRCS];
    memcpy(banks, tensix->src, sizeof banks);
    for (uint32_t operands = 0; operands < 4; operands++) {
        tensix_harness_push(&harness, 1, UINT32_C(0x35000000) | operands);
        compare(operands);
    }
    ck_assert_mem_eq(banks, tensix->src, sizeof banks);
    ck_assert_uint_eq(harness.faults + harness.unmodelled, 0);
}

/* Instructions with reserved bits are not executed. */
static const uint32_t reserved[] = {0x38000001, 0x38000020, 0x38400000,
                                    0x37000020, 0x35000004, 0x36000004};

TEST_EACH(reserved_bits_fault, COUNT(reserved))
{
    tensix->thread[0].rwc.src_a = 9;
    tensix_harness_push(&harness, 0, reserved[_i] | 15 << 6);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_ILLEGAL);
    ck_assert_uint_eq(tensix->thread[0].rwc.src_a, 9);
}

/* --- SETIBRWC --- */

/* GUESS: the bias counter of assembly.yaml is the bit that BiasIncr of address modifiers flips. */
static const struct bias {
    unsigned before, value, increments, after;
} biases[] = {
    {0, 1, 0, 1}, {1, 1, 0, 1}, {1, 0, 0, 0}, {1, 2, 0, 0}, {0, 0xfff, 0, 1},
    {0, 1, 1, 1}, {1, 1, 1, 0}, {1, 0, 1, 1}, {0, 2, 1, 1}, {1, 4, 1, 1},
};

TEST_EACH(setibrwc_sets_the_bias_bit, COUNT(biases))
{
    const struct bias *row = &biases[_i];
    char text[40];
    randomise();
    model[1].extra = row->before;
    load(1);
    snprintf(text, sizeof text, "SETIBRWC 0, %u, %u", row->value, row->increments);
    tensix_harness_run(&harness, 1, text);
    model[1].extra = row->after;
    compare(0x39000000);
    ck_assert_uint_eq(harness.faults, 0);
}

/* The next address modifier is one of the upper half. */
TEST(the_bias_bit_chooses_a_modifier)
{
    tensix->thread_config[0][DST_WORD + 1] = 3;
    tensix->thread_config[0][DST_WORD + 5] = 40;
    tensix_harness_run(&harness, 0, "SETIBRWC 0, 1, 0; ZEROACC 3, 0, 0, 1, 0");
    ck_assert_uint_eq(tensix->thread[0].rwc.dst, 0); /* ZEROACC of all has none */
    tensix_harness_run(&harness, 0, "ZEROACC 0, 0, 0, 1, 0");
    ck_assert_uint_eq(tensix->thread[0].rwc.dst, 40);
    tensix_harness_run(&harness, 0, "SETIBRWC 0, 1, 1; ZEROACC 0, 0, 0, 1, 0");
    ck_assert_uint_eq(tensix->thread[0].rwc.dst, 43);
}

TEST(setibrwc_without_a_source_is_a_fault)
{
    tensix->thread[0].rwc.extra_mod = 1;
    tensix_harness_run(&harness, 0, "SETIBRWC 1, 0, 0");
    ck_assert_str_eq(harness.fault.text, "SETIBRWC: no source says what rwc_cr 1 does; use 0");
    tensix_harness_run(&harness, 0, "SETIBRWC 0, 0, 2");
    ck_assert_str_eq(harness.fault.text,
                     "SETIBRWC: no source says what set_inc_ctrl 2 does; use 0 to "
                     "set and 1 to increment");
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_UNIMPLEMENTED);
    ck_assert_uint_eq(harness.faults, 2);
    ck_assert_uint_eq(tensix->thread[0].rwc.extra_mod, 1);
}
