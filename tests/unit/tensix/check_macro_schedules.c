/*
 * Load macros, against a model that was written from page SFPLOADMACRO alone. First single
 * statements and every row that can be scheduled, then random programs cycle by cycle. Programs of
 * LLK are in check_load_macro.c.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO, SFPCONFIG, SFPMAD (two cycles).
 */
#include "unit/tensix/lane_model.h"
#include "unit/random.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = F_SETS, PROGRAM = 400, NOP = 0x02000000, DRAIN = 12 };
#define SFPNOP ((uint32_t)F_SFPNOP << 24)

/* Instructions that execute one a cycle, and SFPNOPs until nothing is scheduled. */
static void run_program(struct tensix_harness *harness, const uint32_t *word, unsigned words)
{
    const struct tensix_origin origin = {.pc = 0x1000, .pusher = TENSIX_BY_T0};
    harness->time += 4;
    for (unsigned i = 0; i < words + DRAIN; i++) {
        uint32_t next = i < words ? word[i] : SFPNOP;
        while (!tensix_push(&harness->tensix, 0, origin, &next, 1, harness->time)) {
            tensix_harness_go(harness, 4); /* the queue does not run empty */
        }
    }
    tensix_harness_go(harness, 0);
    harness->time += 4;
}

static void model_program(struct f_model *model, const uint32_t *word, unsigned words)
{
    for (unsigned i = 0; i < words + DRAIN; i++) {
        uint32_t next = i < words ? word[i] : SFPNOP;
        f_cycle(model, 0, next == NOP ? 0 : next);
    }
}

/* The same configuration for all lanes. */
static void set_macro(struct f_model *model, unsigned index, uint32_t sequence)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        model->state.macro[lane].sequence[index] = sequence;
    }
}

static void set_template(struct f_model *model, unsigned index, uint32_t word)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        model->state.macro[lane].instruction[index] = word;
    }
}

static void set_misc(struct f_model *model, unsigned misc)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        model->state.macro[lane].misc = misc;
    }
}

/* Runs the program in both. False where the pages do not define it. */
static bool both(struct f_world *w, const uint32_t *word, unsigned words, const char *what)
{
    f_put(&w->model, &w->harness.tensix);
    unsigned discarded = w->model.discarded;
    w->harness.faults = 0;
    model_program(&w->model, word, words);
    if (w->model.undefined) {
        w->model.undefined = false;
        w->model.pendings = 0;
        memset(&w->model.late, 0, sizeof w->model.late);
        return false;
    }
    run_program(&w->harness, word, words);
    /* Instructions that are discarded may be reported; the page has them vanish silently. */
    F_EXPECT(w->harness.faults == 0 || w->model.discarded != discarded, "%s: %s", what,
             w->harness.fault.text);
    f_compare(&w->model, &w->harness.tensix, what);
    return true;
}

/* Bits of a sequence: one byte a sub-unit. */
static uint32_t step(unsigned part, unsigned flags, unsigned delay, unsigned code)
{
    return (flags | delay << 3 | code) << 8 * part;
}

enum { TO_VB = 0x80, TO_MACRO_LREG = 0x40, LOAD_VD = 0, NO_OP = 2, STORE = 3, TEMPLATE = 4 };

/* --- Statements --- */

/* A scheduled instruction takes its sub-unit from one that comes in the same cycle; SFPNOP does so
 * too. */
TEST(test_discards)
{
    static const struct {
        unsigned part;
        uint32_t scheduled, regular;
    } row[] = {
        {F_SIMPLE, (uint32_t)F_SFPNOT << 24, (uint32_t)F_SFPMOV << 24 | 3 << 8 | 6 << 4},
        {F_SIMPLE, SFPNOP, (uint32_t)F_SFPMOV << 24 | 3 << 8 | 6 << 4},
        {F_MAD, (uint32_t)F_SFPADD << 24 | 10 << 16 | 10 << 12,
         (uint32_t)F_SFPMUL << 24 | 3 << 16 | 3 << 12 | 9 << 8 | 6 << 4},
        {F_MAD, SFPNOP, (uint32_t)F_SFPMUL << 24 | 3 << 16 | 3 << 12 | 9 << 8 | 6 << 4},
        {F_ROUND, (uint32_t)F_SFPSHFT2 << 24 | 0x004 << 12 | 6,
         (uint32_t)F_SFP_STOCH_RND << 24 | 3 << 12 | 3 << 8 | 6 << 4 | 1},
        {F_ROUND, SFPNOP, (uint32_t)F_SFPSHFT2 << 24 | 3 << 12 | 3 << 8 | 6 << 4 | 5},
        {F_STORE, (uint32_t)F_SFPSTORE << 24, (uint32_t)F_SFPSTORE << 24 | 3 << 20 | 4 << 16 | 128},
    };
    struct f_world *w = f_open_world(NULL, 50);
    for (unsigned i = 0; i < sizeof row / sizeof *row * 8; i++) {
        unsigned r = i / 8, delay = i % 4, at = i / 4 % 2, words = 0;
        uint32_t program[PROGRAM];
        f_refill(&w->model, &w->random);
        memset(w->model.state.uses_flags, 0, sizeof w->model.state.uses_flags);
        set_template(&w->model, 3, row[r].scheduled);
        set_macro(&w->model, 1, step(row[r].part, row[r].part == F_ROUND ? TO_VB : 0, delay, 7));
        set_misc(&w->model, 0x004);
        program[words++] = f_macro(1, 2, 4, 0, 32);
        for (unsigned k = 0; k < delay + at; k++) { /* then in the same cycle, or in the next one */
            program[words++] = SFPNOP;
        }
        program[words++] = row[r].regular;
        unsigned discarded = w->model.discarded;
        ck_assert(both(w, program, words, "same sub-unit"));
        ck_assert_uint_eq(w->model.discarded - discarded, at == 0);
    }
    f_close_world(w);
}

/* What would execute at the same time is forgotten, by a macro that schedules something. */
TEST(test_forgetting)
{
    struct f_world *w = f_open_world(NULL, 60);
    for (unsigned i = 0; i < 8 * 8 * 6 * 2; i++) {
        unsigned first = i % 8, second = i / 8 % 8, gap = i / 64 % 6, words = 0;
        bool schedules = i / 384;
        uint32_t program[PROGRAM];
        f_refill(&w->model, &w->random);
        memset(w->model.state.uses_flags, 0, sizeof w->model.state.uses_flags);
        set_template(&w->model, 0, (uint32_t)F_SFPNOT << 24);
        set_template(&w->model, 1, (uint32_t)F_SFPABS << 24);
        set_macro(&w->model, 0, step(F_SIMPLE, 0, first, TEMPLATE) | step(F_STORE, 0, 6, STORE));
        set_macro(&w->model, 3,
                  step(F_SIMPLE, 0, second, schedules ? TEMPLATE + 1 : 0) |
                      step(F_STORE, 0, 7, schedules ? STORE : 0) | step(F_MAD, 0, 7, 0) |
                      step(F_ROUND, 0, 7, 0));
        set_misc(&w->model, random_scaled(&w->random, 2) ? 0xf04 : 0x004);
        program[words++] = f_macro(0, 1, 4, 0, 16);
        for (unsigned k = 0; k < gap; k++) {
            program[words++] = SFPNOP;
        }
        program[words++] = f_macro(3, 6, 4, 0, 96);
        char text[80];
        snprintf(text, sizeof text, "delays %u and %u, %u between, second schedules %d, misc %x",
                 first, second, gap, schedules, (unsigned)w->model.state.macro[0].misc);
        (void)both(w, program, words, text);
    }
    f_close_world(w);
}

/* Where the page, taken literally, is not what programs rely on: check_macros.c
 * and check_load_macro.c have SFPCONFIG and SFPSWAP. */
static bool is_elsewhere(enum f_op op, unsigned mod, unsigned flags)
{
    switch (op) {
    case F_SFPSWAP:
    case F_SFPCONFIG:
        return true;
    case F_SFPAND:
    case F_SFPOR: /* of VD or of VB */
        return !(mod & 1) && flags != TO_VB;
    case F_SFPSHFT2:
        return mod > 6;
    default:
        return false;
    }
}

/* Every row that a macro may schedule, in every mode, with any operands and LaneConfig. */
TEST_EACH(test_scheduled_rows, F_OPS *SETS)
{
    enum f_op op = (enum f_op)(F_FIRST_OP + _i % F_OPS);
    unsigned part = f_part_of(op), compared = 0;
    struct f_world *w =
        part < F_STORE ? f_open_world(f_sets[_i / F_OPS], 600 + (uint64_t)_i) : NULL;
    for (unsigned i = 0; w && i < 16 * 24; i++) {
        unsigned vd = random_scaled(&w->random, 16), flags = random_scaled(&w->random, 4) << 6;
        uint32_t word = f_random_word(op, vd, i % 16, &w->random);
        if (is_elsewhere(op, i % 16, flags) || (op == F_SFP_STOCH_RND && (word >> 21 & 3) == 3)) {
            continue;
        }
        f_refill(&w->model, &w->random);
        set_template(&w->model, 2, word);
        set_macro(&w->model, 0, step(part, flags, i % 3, TEMPLATE + 2));
        set_misc(&w->model, 4);
        uint32_t program = f_macro(0, random_scaled(&w->random, 8), 4, 0, 40);
        char text[60];
        snprintf(text, sizeof text, "%08x scheduled with %02x", (unsigned)word, flags);
        compared += both(w, &program, 1, text);
    }
    ck_assert_msg(w == NULL || compared > 16 || is_elsewhere(op, 0, 0), "%02x: %u compared",
                  (unsigned)op, compared);
    f_close_world(w);
}

/* The format of a store: the load's or Misc's, for each macro; its VD: the macro's, its own or 16;
 * its address: the load's, though the load has stepped on. */
TEST(test_stores)
{
    struct f_world *w = f_open_world(NULL, 80);
    F_THREAD(&w->harness.tensix, ADDR_MOD_DST_SEC3_DestIncr, 12);
    F_THREAD(&w->harness.tensix, DEST_TARGET_REG_CFG_MATH_Offset, 64);
    for (unsigned i = 0; i < 16 * 4 * 8; i++) {
        unsigned load = i % 16, macro = i / 16 % 4, kind = i / 64 % 4,
                 vd = random_scaled(&w->random, 8);
        unsigned store = random_scaled(&w->random, 16);
        load = load == 10 ? 3 : load;
        store = store == 10 ? 6 : store;
        f_refill(&w->model, &w->random);
        set_template(&w->model, 1,
                     f_memory(F_SFPSTORE, random_scaled(&w->random, 16), 3, 3, 0x155));
        set_macro(&w->model, macro, step(F_STORE, kind << 6, i / 256, TEMPLATE + 1));
        set_misc(&w->model, store | random_scaled(&w->random, 16) << 4);
        uint32_t program[4] = {f_macro(macro, vd, load, 3, random_scaled(&w->random, 512)),
                               f_loadi(vd, 2, 99), SFPNOP, f_loadi(vd, 4, 0x8001)};
        ck_assert(both(w, program, 4, "stores"));
    }
    f_close_world(w);
}

/* A sub-unit that cannot execute what the template has does nothing; the store sub-unit and the
 * reserved code are undefined. */
TEST(test_wrong_sub_units)
{
    struct f_world *w = f_open_world(NULL, 90);
    static const uint32_t templates[] = {
        (uint32_t)F_SFPNOT << 24,
        (uint32_t)F_SFPMUL << 24 | 9 << 8,
        (uint32_t)F_SFPSHFT2 << 24 | 6,
        (uint32_t)F_SFPSTORE << 24,
        (uint32_t)F_SFPLOADI << 24,
        (uint32_t)F_SFPLOAD << 24,
        (uint32_t)F_SFPLOADMACRO << 24,
        0xffffffff,
        0,
    };
    enum { TEMPLATES = sizeof templates / sizeof *templates };
    for (unsigned i = 0; i < TEMPLATES * 4; i++) {
        unsigned part = i % 4;
        uint32_t template = templates[i / 4], program = f_macro(0, 4, 4, 0, 8);
        f_refill(&w->model, &w->random);
        set_template(&w->model, 0, template);
        set_macro(&w->model, 0, step(part, 0, 0, TEMPLATE));
        bool fits = f_part_of((enum f_op)(template >> 24)) == (enum f_part)part;
        if (part < F_STORE && !(fits && template >> 28 != 7 && template >> 28 < 8)) {
            ck_assert(both(w, &program, 1, "another sub-unit"));
        }
    }
    for (unsigned i = 0; i < 5; i++) { /* code 1 anywhere; SFPNOP in the store sub-unit */
        unsigned faults = w->harness.faults;
        f_refill(&w->model, &w->random);
        set_macro(&w->model, 0, step(i < 4 ? i : F_STORE, 0, 2, i < 4 ? 1 : NO_OP));
        f_put(&w->model, &w->harness.tensix);
        f_push(&w->harness, 0, f_macro(0, 4, 4, 0, 8));
        ck_assert_uint_eq(w->harness.faults, faults + 1);
        ck_assert_int_eq(w->harness.fault.kind, PENROSE_FAULT_TENSIX_UNDEFINED);
        ck_assert_ptr_nonnull(strstr(w->harness.fault.text, "SFPLOADMACRO"));
        f_compare(&w->model, &w->harness.tensix, "undefined: nothing has happened");
    }
    for (unsigned i = 0; i < TEMPLATES; i++) {
        unsigned faults = w->harness.faults;
        bool is_store = templates[i] >> 24 == F_SFPSTORE;
        f_refill(&w->model, &w->random);
        set_template(&w->model, 3, templates[i]);
        set_macro(&w->model, 0, step(F_STORE, 0, 2, 7));
        f_put(&w->model, &w->harness.tensix);
        f_push(&w->harness, 0, f_macro(0, 4, 4, 0, 8));
        ck_assert_uint_eq(w->harness.faults, faults + !is_store);
        uint32_t nop = SFPNOP;
        run_program(&w->harness, &nop, 1);
    }
    f_close_world(w);
}

/* --- Random programs --- */

static uint32_t random_template(uint64_t *r, unsigned part)
{
    static const enum f_op ops[3][12] = {
        {F_SFPABS, F_SFPNOT, F_SFPXOR, F_SFPIADD, F_SFPSETCC, F_SFPENCC, F_SFPSHFT, F_SFPGT,
         F_SFPMOV, F_SFPCAST, F_SFPARECIP, F_SFPDIVP2},
        {F_SFPMAD, F_SFPADD, F_SFPMUL, F_SFPADDI, F_SFPMULI, F_SFPMUL24, F_SFPLUT, F_SFPLUTFP32,
         F_SFPMAD, F_SFPMAD, F_SFPADD, F_SFPMUL},
        {F_SFPSHFT2, F_SFP_STOCH_RND, F_SFPSHFT2, F_SFP_STOCH_RND, F_SFPSHFT2, F_SFP_STOCH_RND,
         F_SFPSHFT2, F_SFP_STOCH_RND, F_SFPSHFT2, F_SFP_STOCH_RND, F_SFPSHFT2, F_SFP_STOCH_RND},
    };
    enum f_op op = ops[part][random_scaled(r, 12)];
    unsigned vb = random_scaled(r, 16), vc = random_scaled(r, 16), vd = random_scaled(r, 16),
             mod = random_scaled(r, 4);
    switch (op) {
    case F_SFPSETCC:
        return f_insn(op, 0, vc, vd, 2 * mod);
    case F_SFPENCC:
        return f_insn(op, 3, 0, vd, random_scaled(r, 2) ? 10 : 0);
    case F_SFPLUT:
        return (uint32_t)op << 24 | vd << 20;
    case F_SFPSHFT2:
        return mod ? f_insn(op, vb, vc, vd, 5) : f_insn(op, random_next(r), 0, vd, 6);
    case F_SFP_STOCH_RND:
        return f_insn(op, vb | random_scaled(r, 3) << 9, vc, vd, random_scaled(r, 8));
    case F_SFPADDI:
    case F_SFPMULI:
        return f_insn16(op, random_next(r), vd, mod & 2);
    case F_SFPMAD:
    case F_SFPADD:
    case F_SFPMUL:
    case F_SFPMUL24:
        return f_insn4(op, random_scaled(r, 16), vb, vc, vd, mod);
    case F_SFPIADD:
        return f_insn(op, random_next(r), vc, vd, mod | 4);
    case F_SFPDIVP2:
        return f_insn(op, random_next(r) & 255, vc, vd, mod & 1);
    case F_SFPGT:
        return f_insn(op, 0, vc, vd, random_scaled(r, 2) ? 8 : 9);
    case F_SFPARECIP:
        return f_insn(op, vb, vc, vd, mod);
    case F_SFPMOV:
        return f_insn(op, 0, vc, vd, mod);
    case F_SFPCAST:
        return f_insn(op, 0, vc, vd, mod);
    case F_SFPSHFT:
        return f_insn(op, random_next(r), vc, vd, mod);
    case F_SFPABS:
        return f_insn(op, 0, vc, vd, mod & 1);
    default:
        return f_insn(op, 0, vc, vd, 0);
    }
}

static uint32_t random_step(uint64_t *r, unsigned part)
{
    if (random_scaled(r, 2)) {
        return step(part, 0, random_scaled(r, 3) ? 7 : random_scaled(r, 7), 0);
    }
    unsigned code = part == F_STORE ? STORE : random_scaled(r, 10) ? TEMPLATE + part : NO_OP;
    unsigned flags = random_scaled(r, 4) << 6;
    flags &= part == F_STORE ? TO_MACRO_LREG : 0xc0;
    return step(part, flags, random_scaled(r, 7), code);
}

static uint32_t random_instruction(uint64_t *r)
{
    static const uint8_t formats[] = {4, 4, 2, 6, 9, 10, 14, 15, 3};
    unsigned format = formats[random_scaled(r, sizeof formats)];
    switch (random_scaled(r, 9)) {
    case 0:
    case 1:
    case 2:
        return f_macro(random_scaled(r, 4), random_scaled(r, 8), format, 0,
                       random_scaled(r, 32) * 8);
    case 3:
        return f_memory(F_SFPLOAD, random_scaled(r, 8), format, 0, random_scaled(r, 32) * 8);
    case 4:
        return f_loadi(random_scaled(r, 8), 2 * random_scaled(r, 3), random_next(r));
    case 5:
        return f_memory(F_SFPSTORE, random_scaled(r, 8), format, 0, random_scaled(r, 32) * 8);
    case 6:
        return NOP;
    case 7: {
        uint32_t word =
            random_template(r, random_scaled(r, 2) * 2); /* no MAD: it may stall the next */
        return word & ~UINT32_C(0x80);
    }
    default:
        return SFPNOP;
    }
}

TEST_EACH(test_programs, 2 * SETS)
{
    struct f_world *w = f_open_world(f_sets[_i % SETS], 100 + (uint64_t)_i);
    unsigned compared = 0, tried = 0;
    for (; w && compared < 400 && tried < 100000; tried++) {
        struct f_state *s = &w->model.state;
        uint32_t program[PROGRAM];
        unsigned words = 3 + random_scaled(&w->random, 10);
        w->harness.tensix.timing = tried % 2 ? &tile_costs : NULL;
        f_refill(&w->model, &w->random);
        if (tried % 3 == 0) {
            f_configure(&w->model, &w->random);
        }
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            s->uses_flags[lane] = true;
            s->flags[lane] = random_scaled(&w->random, 4);
        }
        for (unsigned i = 0; i < 4; i++) {
            set_template(&w->model, i, random_template(&w->random, i < 3 ? i : 0));
            uint32_t sequence = 0;
            for (unsigned part = 0; part < F_LOAD; part++) {
                sequence |= random_step(&w->random, part);
            }
            set_macro(&w->model, i, sequence);
        }
        unsigned kinds = random_scaled(&w->random, 3);
        kinds = kinds == 0 ? 0 : kinds == 1 ? 0xf00 : random_next(&w->random) & 0xf00;
        set_misc(&w->model,
                 kinds | (random_next(&w->random) & 0xf0) | (random_scaled(&w->random, 2) ? 4 : 2));
        for (unsigned i = 0; i < words; i++) {
            program[i] = random_instruction(&w->random);
        }
        program[0] = f_macro(random_scaled(&w->random, 4), random_scaled(&w->random, 8), 4, 0, 24);
        char text[800];
        int at = 0;
        for (unsigned i = 0; i < 4; i++) {
            at += snprintf(text + at, sizeof text - (size_t)at, "%08x %08x; ",
                           (unsigned)s->macro[0].instruction[i], (unsigned)s->macro[0].sequence[i]);
        }
        at += snprintf(text + at, sizeof text - (size_t)at, "%03x:", (unsigned)s->macro[0].misc);
        for (unsigned i = 0; i < words; i++) {
            at += snprintf(text + at, sizeof text - (size_t)at, " %08x", (unsigned)program[i]);
        }
        compared += both(w, program, words, text);
    }
    ck_assert(w == NULL || compared == 400);
    f_close_world(w);
}

/* A late result beside the load of a macro of which some lanes capture an index into the same LReg. */
TEST(test_captured_indices)
{
    struct f_world *w = f_open_world(NULL, 450);
    unsigned compared = 0;
    for (unsigned i = 0; i < 200; i++) {
        unsigned vd = i % 4, addend = (vd + 1) % 4;
        f_refill(&w->model, &w->random);
        memset(w->model.state.uses_flags, 0, sizeof w->model.state.uses_flags);
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            bool captures = (i / 4 + lane) & 1;
            w->model.state.lane_config[lane] = captures ? F_DEST_INDEX | F_CAPTURE_INDEX : 0;
            /* There the sum is what the LReg holds already. */
            w->model.state.lreg[vd + 4][lane] = 0x3f800000;
            w->model.state.lreg[addend][lane] = captures ? 0 : 0x3f800000;
        }
        set_macro(&w->model, 0, step(F_SIMPLE, 0, 6, NO_OP));
        uint32_t program[] = {f_macro(0, addend + 4, 4, 0, 16),
                              f_insn4(F_SFPADD, 10, vd + 4, addend, vd + 4, 0),
                              f_macro(1, vd, 4, 0, 8 * i % 512)};
        compared += both(w, program, 3, "an index beside a late result");
    }
    ck_assert_uint_eq(compared, 200);
    f_close_world(w);
}

static void take_columns(struct f_state *s, const struct f_state *from, uint32_t columns)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (!(columns >> (lane & 7) & 1)) {
            continue;
        }
        for (unsigned i = 0; i < F_LREGS; i++) {
            s->lreg[i][lane] = from->lreg[i][lane];
        }
        s->flags[lane] = from->flags[lane];
        s->uses_flags[lane] = from->uses_flags[lane];
        s->generator[lane] = from->generator[lane];
        s->depth[lane] = from->depth[lane];
        memcpy(s->stack[lane], from->stack[lane], sizeof s->stack[lane]);
        s->macro[lane] = from->macro[lane];
    }
    for (unsigned i = 0; i < 1024 * 16; i++) {
        if (columns >> i % 16 / 2 & 1) {
            s->dst[i / 16][i % 16] = from->dst[i / 16][i % 16];
        }
    }
}

/* Columns whose macros differ, but for what they store: each as if all were like it. */
TEST_EACH(test_columns, SETS)
{
    struct f_world *w = f_open_world(f_sets[_i], 400);
    struct f_model *other = calloc(1, sizeof *other);
    ck_assert_ptr_nonnull(other);
    unsigned compared = 0;
    for (unsigned i = 0; w && compared < 100 && i < 10000; i++) {
        uint32_t program[8], same = random_step(&w->random, F_STORE);
        uint32_t columns = random_next(&w->random) & 0xff;
        f_refill(&w->model, &w->random);
        set_misc(&w->model, random_scaled(&w->random, 2) ? 0xf04 : 0x004);
        *other = w->model;
        for (unsigned m = 0; m < 8; m++) {
            uint32_t sequence = same;
            for (unsigned part = 0; part < F_STORE; part++) {
                sequence |= random_step(&w->random, part);
            }
            set_macro(m & 1 ? other : &w->model, m / 2, sequence);
            set_template(m & 1 ? other : &w->model, m / 2,
                         random_template(&w->random, m / 2 < 3 ? m / 2 : 0));
        }
        f_put(&w->model, &w->harness.tensix);
        for (unsigned column = 0; column < 8; column++) {
            struct tensix_macro_config *config = &w->harness.tensix.vector.macro[column];
            for (unsigned m = 0; m < 4 && columns >> column & 1; m++) {
                config->instruction[m] = other->state.macro[0].instruction[m];
                config->sequence[m] = other->state.macro[0].sequence[m];
            }
        }
        for (unsigned k = 0; k < 8; k++) {
            uint32_t any = random_scaled(&w->random, 2) ? SFPNOP : f_loadi(k, 2, k);
            program[k] =
                k % 4 ? any : f_macro(random_scaled(&w->random, 4), k / 2 + 1, 4, 0, k * 8);
        }
        model_program(&w->model, program, 8);
        model_program(other, program, 8);
        bool undefined = w->model.undefined || other->undefined;
        w->model.undefined = false;
        w->model.pendings = 0;
        memset(&w->model.late, 0, sizeof w->model.late);
        if (undefined) {
            continue;
        }
        take_columns(&w->model.state, &other->state, columns);
        run_program(&w->harness, program, 8);
        f_compare(&w->model, &w->harness.tensix, "columns");
        compared++;
    }
    ck_assert(w == NULL || compared == 100);
    free(other);
    f_close_world(w);
}

/* What other units look at is there once its time has come, without another instruction; what
 * counts instructions waits for them. */
TEST_EACH(test_settling, SETS)
{
    struct f_world *w = f_open_world(f_sets[_i], 500);
    for (unsigned i = 0; w && i < 64; i++) {
        struct tensix *t = &w->harness.tensix;
        uint32_t program = f_macro(0, 3, 4, 0, 4 * i);
        f_refill(&w->model, &w->random);
        set_template(&w->model, 0, (uint32_t)F_SFPNOT << 24);
        set_macro(&w->model, 0,
                  step(F_SIMPLE, 0, i % 4, TEMPLATE) | step(F_STORE, 0, 1 + i / 8, STORE));
        set_misc(&w->model, i & 4 ? 0xf04 : 0x004);
        f_put(&w->model, t);
        f_cycle(&w->model, 0, program);
        for (unsigned k = 0; k < DRAIN; k++) {
            f_cycle(&w->model, 0, 0);
        }
        f_push(&w->harness, 0, program);
        w->harness.time += DRAIN;
        tensix_vector_settle(t, &t->vector, w->harness.time);
        f_compare(&w->model, t, "settled");
        uint32_t nop = SFPNOP; /* the others */
        model_program(&w->model, &nop, 1);
        run_program(&w->harness, &nop, 1);
        f_compare(&w->model, t, "after instructions");
    }
    f_close_world(w);
}
