/*
 * Load macros, against a model that was written from page SFPLOADMACRO alone. First single
 * statements and every row that can be scheduled, then random programs cycle by cycle, then
 * programs of the kind that LLK has (typecasts, where, products, exponentials), which must leave in
 * Dst what the same computation leaves without macros.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO, SFPCONFIG, SFPMAD (two cycles).
 */
#include "unit/tensix/lane_model.h"
#include "unit/random.h"
#include "unit/run_suite.h"

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
START_TEST(test_discards)
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
END_TEST

/* What would execute at the same time is forgotten, by a macro that schedules something. */
START_TEST(test_forgetting)
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
END_TEST

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
START_TEST(test_scheduled_rows)
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
END_TEST

/* The format of a store: the load's or Misc's, for each macro; its VD: the macro's, its own or 16;
 * its address: the load's, though the load has stepped on. */
START_TEST(test_stores)
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
END_TEST

/* A sub-unit that cannot execute what the template has does nothing; the store sub-unit and the
 * reserved code are undefined. */
START_TEST(test_wrong_sub_units)
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
        ck_assert_int_eq(w->harness.fault.kind, TENSIX_FAULT_UNDEFINED);
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
END_TEST

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

START_TEST(test_programs)
{
    struct f_world *w = f_open_world(f_sets[_i % SETS], 100 + (uint64_t)_i);
    unsigned compared = 0, tried = 0;
    for (; w && compared < 400 && tried < 100000; tried++) {
        struct f_state *s = &w->model.state;
        uint32_t program[PROGRAM];
        unsigned words = 3 + random_scaled(&w->random, 10);
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
END_TEST

/* A late result beside the load of a macro of which some lanes capture an index into the same LReg. */
START_TEST(test_captured_indices)
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
END_TEST

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
START_TEST(test_columns)
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
END_TEST

/* What other units look at is there once its time has come, without another instruction; what
 * counts instructions waits for them. */
START_TEST(test_settling)
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
END_TEST

/* --- Programs of LLK's kind --- */

/* Two passes over what an iteration does, with the registers of even and odd iterations. Of the
 * macros only those that the text uses are set. Text of plain instructions does the same. */
struct kernel {
    const char *name;
    const char *templates; /* VD 12 to 15 */
    uint8_t step[4][4];    /* of macros: simple, MAD, round, store */
    uint16_t misc;
    uint32_t constants[3]; /* of LReg[12] to LReg[14] */
    const char *before;
    const char *even, *odd;
    const char *plain; /* an iteration */
};

/* Address modifier 6 goes to the next data, 7 stays. Bits of a step are those of a sequence. */
static const struct kernel kernels[] = {
    {"where, in place",
     "SFPSETCC 0, 0, 12, 6; SFPENCC 0, 0, 13, 0",
     {{0x04, 0, 0, 0x13}, {0}, {0x05, 0, 0, 0}},
     0x770,
     {0},
     "SFPENCC 3, 0, 0, 10",
     "SFPLOADMACRO 0, 4, 7, 0; SFPLOADMACRO 8, 4, 7, 64; SFPLOAD 0, 4, 6, 128",
     NULL,
     "SFPLOAD 0, 4, 7, 0; SFPLOAD 1, 4, 7, 64; SFPSETCC 0, 0, 0, 6; SFPLOAD 1, 4, 7, 128; "
     "SFPENCC 0, 0, 0, 0; SFPSTORE 1, 4, 6, 0"},
    {"where, 16 bits, to another place",
     "SFPSETCC 0, 0, 12, 6; SFPENCC 0, 0, 13, 0",
     {{0}, {0x04, 0, 0, 0}, {0x05, 0, 0, 0}},
     0x770,
     {0},
     "SFPENCC 3, 0, 0, 10",
     "SFPLOADMACRO 4, 9, 7, 0; SFPLOADMACRO 8, 9, 7, 64; SFPLOAD 0, 9, 7, 128; "
     "SFPSTORE 0, 6, 6, 192",
     NULL,
     "SFPLOAD 0, 9, 7, 0; SFPLOAD 1, 9, 7, 64; SFPSETCC 0, 0, 0, 6; SFPLOAD 1, 9, 7, 128; "
     "SFPENCC 0, 0, 0, 0; SFPSTORE 1, 6, 6, 192"},
    {"uint16 to bf16",
     "SFPCAST 0, 12, 0; SFP_STOCH_RND 0, 0, 0, 0, 13, 1",
     {{0x04, 0, 0x4d, 0x53}},
     0xf02,
     {0},
     "",
     "SFPLOADMACRO 0, 9, 6, 0",
     "SFPLOADMACRO 1, 9, 6, 0",
     "SFPLOAD 0, 9, 7, 0; SFPCAST 0, 0, 0; SFP_STOCH_RND 0, 0, 0, 0, 0, 1; SFPSTORE 0, 2, 6, 0"},
    {"uint16 to bf16, by cycles",
     "SFPCAST 0, 12, 0; SFP_STOCH_RND 0, 0, 0, 0, 13, 1",
     {{0x04, 0, 0x4d, 0x53}},
     0x000,
     {0},
     "",
     "SFPLOADMACRO 0, 9, 6, 0",
     "SFPLOADMACRO 1, 9, 6, 0",
     "SFPLOAD 0, 9, 7, 0; SFPCAST 0, 0, 0; SFP_STOCH_RND 0, 0, 0, 0, 0, 1; SFPSTORE 0, 0, 6, 0"},
    {"uint16 to fp32",
     "SFPCAST 0, 12, 0",
     {{0x44, 0, 0, 0x4b}},
     0x103,
     {0},
     "",
     "SFPLOADMACRO 0, 9, 6, 0",
     NULL,
     "SFPLOAD 0, 9, 7, 0; SFPCAST 0, 0, 0; SFPSTORE 0, 3, 6, 0"},
    {"int32 to fp32",
     "SFPSETSGN 0, 4, 12, 0; SFPMAD 0, 10, 0, 13, 4",
     {{0x9c, 0x65, 0, 0x73}},
     0x103,
     {(uint32_t)-31},
     "SFPLOADI 0, 2, 0; SFPLOADI 1, 0, 0xcf00",
     "SFPLOADMACRO 2, 4, 6, 0; SFPABS 0, 2, 4, 0; SFPSHFT2 4, 12, 7, 5; SFPCAST 4, 4, 0",
     "SFPLOADMACRO 3, 4, 6, 0; SFPABS 0, 3, 4, 0; SFPSHFT2 4, 12, 7, 5; SFPCAST 4, 4, 0",
     "SFPENCC 3, 0, 0, 10; SFPLOAD 0, 4, 7, 0; SFPABS 0, 0, 1, 0; SFPCAST 1, 2, 0; "
     "SFPSETSGN 0, 2, 0, 0; SFPSETCC 0, 1, 0, 0; SFPADDI 0xcf00, 0, 0; SFPENCC 0, 0, 0, 0; "
     "SFPSTORE 0, 3, 6, 0"},
    {"int32 to bf16",
     "SFPSETSGN 0, 4, 12, 0; SFPMAD 0, 10, 0, 13, 4; "
     "SFP_STOCH_RND 0, 0, 0, 0, 14, 1",
     {{0x9c, 0x25, 0x76, 0x7b}},
     0x100,
     {(uint32_t)-31},
     "SFPLOADI 0, 2, 0; SFPLOADI 1, 0, 0xcf00",
     "SFPLOADMACRO 2, 4, 6, 0; SFPABS 0, 2, 4, 0; SFPSHFT2 4, 12, 7, 5; SFPCAST 4, 4, 0",
     "SFPLOADMACRO 3, 4, 6, 0; SFPABS 0, 3, 4, 0; SFPSHFT2 4, 12, 7, 5; SFPCAST 4, 4, 0",
     "SFPENCC 3, 0, 0, 10; SFPLOAD 0, 4, 7, 0; SFPABS 0, 0, 1, 0; SFPCAST 1, 2, 0; "
     "SFPSETSGN 0, 2, 0, 0; SFPSETCC 0, 1, 0, 0; SFPADDI 0xcf00, 0, 0; SFPENCC 0, 0, 0, 0; "
     "SFP_STOCH_RND 0, 0, 0, 0, 0, 1; SFPSTORE 0, 2, 6, 0"},
    {"uint32 to fp32",
     "SFPSETSGN 0, 0, 12, 1; SFPCAST 2, 13, 0; SFPSHFT2 0, 12, 14, 5; "
     "SFPMAD 0, 10, 0, 15, 4",
     {{0x04, 0, 0, 0}, {0x85, 0x57, 0, 0}, {0, 0, 0x86, 0x5b}},
     0x703,
     {(uint32_t)-31},
     "SFPLOADI 0, 2, 0; SFPLOADI 1, 0, 0x4f00",
     "SFPLOADMACRO 2, 4, 7, 0; SFPLOADMACRO 7, 4, 7, 0; SFPLOADMACRO 11, 4, 6, 1",
     NULL,
     "SFPENCC 3, 0, 0, 10; SFPLOAD 0, 4, 7, 0; SFPSETSGN 0, 0, 1, 1; SFPCAST 1, 2, 0; "
     "SFPSETCC 0, 0, 0, 0; SFPADDI 0x4f00, 2, 0; SFPENCC 0, 0, 0, 0; SFPSTORE 2, 3, 6, 0"},
    {"uint32 to bf16",
     "SFPCAST 0, 12, 0; SFPMAD 0, 10, 0, 13, 4; SFP_STOCH_RND 0, 0, 0, 0, 14, 1",
     {{0x14, 0x1d, 0x6e, 0x73}},
     0x100,
     {(uint32_t)-31},
     "SFPLOADI 0, 2, 0; SFPLOADI 1, 0, 0x4f00",
     "SFPLOADMACRO 2, 4, 6, 0; SFPSHFT2 2, 12, 7, 5; SFPSETSGN 0, 2, 2, 1",
     "SFPLOADMACRO 3, 4, 6, 0; SFPSHFT2 3, 12, 7, 5; SFPSETSGN 0, 3, 3, 1",
     "SFPENCC 3, 0, 0, 10; SFPLOAD 0, 4, 7, 0; SFPSETSGN 0, 0, 1, 1; SFPCAST 1, 2, 0; "
     "SFPSETCC 0, 0, 0, 0; SFPADDI 0x4f00, 2, 0; SFPENCC 0, 0, 0, 0; "
     "SFP_STOCH_RND 0, 0, 0, 2, 2, 1; SFPSTORE 2, 2, 6, 0"},
    {"fp32 to uint16",
     "SFPSWAP 0, 9, 12, 15; SFP_STOCH_RND 0, 0, 0, 0, 13, 6",
     {{0x84, 0, 0x55, 0x5b}},
     0x106,
     {0},
     "",
     "SFPLOADMACRO 0, 4, 6, 0; SFPNOP",
     "SFPLOADMACRO 1, 4, 6, 0; SFPNOP",
     "SFPLOAD 0, 4, 7, 0; SFPSWAP 0, 9, 0, 9; SFP_STOCH_RND 0, 0, 0, 0, 0, 6; SFPSTORE 0, 6, 6, 0"},
    {"fp32 to bf16",
     "SFPSHFT2 0xff0, 0, 12, 6; SFPIADD 0, 13, 13, 4; SFPIADD 0, 2, 14, 4",
     {{0xde, 0, 0x84, 0x1b}, {0x8d, 0, 0, 0x5b}},
     0x312,
     {1, 0x7fff},
     "",
     "SFPLOADMACRO 0, 4, 7, 0; SFPLOADMACRO 6, 4, 6, 0; SFPAND 0, 12, 0, 0",
     "SFPLOADMACRO 1, 4, 7, 0; SFPLOADMACRO 6, 4, 6, 0; SFPAND 0, 12, 1, 0",
     "SFPLOAD 1, 4, 7, 0; SFPSHFT 0xff0, 1, 0, 5; SFPAND 0, 12, 0, 0; SFPIADD 0, 13, 1, 4; "
     "SFPIADD 0, 0, 1, 4; SFPSTORE 0, 4, 7, 0; SFPSTORE 1, 2, 6, 0"},
    {"uint32 to uint16",
     "SFPGT 0, 9, 12, 8; SFPOR 0, 0, 13, 0",
     {{0x84, 0, 0, 0}, {0x85, 0, 0, 0x0b}},
     0x106,
     {0},
     "",
     "SFPLOADMACRO 0, 4, 7, 0; SFPLOADMACRO 5, 4, 6, 0",
     NULL,
     "SFPLOAD 0, 4, 7, 0; SFPGT 0, 9, 0, 8; SFPLOAD 1, 4, 7, 0; SFPOR 0, 0, 1, 0; "
     "SFPSTORE 1, 6, 6, 0"},
    {"uint16 to uint32",
     "",
     {{0, 0, 0, 0x03}},
     0x104,
     {0},
     "",
     "SFPLOADMACRO 0, 9, 6, 0",
     NULL,
     "SFPLOAD 0, 9, 7, 0; SFPSTORE 0, 4, 6, 0"},
    {"product of integers, a square",
     "SFPMUL24 0, 0, 9, 12, 0",
     {{0, 0xc4, 0, 0x53}},
     0x330,
     {0},
     "",
     "SFPLOADMACRO 0, 6, 6, 0",
     NULL,
     "SFPLOAD 0, 6, 7, 0; SFPMUL24 0, 0, 9, 0, 0; SFPSTORE 0, 6, 6, 0"},
    {"product of integers, in place",
     "SFPMUL24 0, 0, 9, 12, 0",
     {{0, 0xc4, 0, 0x53}},
     0x330,
     {0},
     "",
     "SFPLOAD 0, 6, 7, 64; SFPLOADMACRO 1, 6, 6, 0",
     NULL,
     "SFPLOAD 0, 6, 7, 0; SFPLOAD 1, 6, 7, 64; SFPMUL24 0, 1, 9, 0, 0; SFPSTORE 0, 6, 6, 0"},
    {"product of integers, to another place",
     "SFPMUL24 0, 0, 9, 12, 0",
     {{0}, {0, 0xcc, 0, 0x5b}},
     0x330,
     {0},
     "",
     "SFPLOAD 0, 6, 7, 0; SFPLOADMACRO 5, 6, 7, 128; SFPLOAD 1, 6, 6, 64",
     NULL,
     "SFPLOAD 0, 6, 7, 0; SFPLOAD 1, 6, 7, 64; SFPMUL24 0, 1, 9, 0, 0; SFPSTORE 0, 6, 6, 128"},
    {"sum of bf16",
     "SFPADD 10, 0, 0, 12, 0",
     {{0, 0xc4, 0, 0x53}},
     0xf02,
     {0},
     "",
     "SFPLOAD 0, 2, 7, 64; SFPLOADMACRO 1, 2, 6, 0",
     NULL,
     "SFPLOAD 0, 2, 7, 64; SFPLOAD 1, 2, 7, 0; SFPADD 10, 1, 0, 0, 0; SFPSTORE 0, 2, 6, 0"},
    {"product of fp32, rounded",
     "SFPMUL 0, 0, 9, 12, 0; SFP_STOCH_RND 0, 0, 0, 0, 13, 0",
     {{0, 0x84, 0x55, 0x5b}},
     0x003,
     {0},
     "",
     "SFPLOAD 0, 3, 7, 64; SFPLOADMACRO 1, 3, 6, 0; SFPNOP",
     "SFPLOAD 0, 3, 7, 64; SFPLOADMACRO 2, 3, 6, 0; SFPNOP",
     "SFPLOAD 0, 3, 7, 64; SFPLOAD 1, 3, 7, 0; SFPMUL 0, 1, 9, 0, 0; "
     "SFP_STOCH_RND 0, 0, 0, 0, 0, 0; SFPSTORE 0, 3, 6, 0"},
    {"exponential of clamped data",
     "SFPMAD 12, 0, 13, 13, 0; SFP_STOCH_RND 0, 0, 0, 0, 14, 14; "
     "SFPSHFT 15, 0, 15, 1",
     {{0xdf, 0x85, 0x16, 0x63}},
     0x003,
     {0x43b8aa3b, 0x46fde9a3},
     "",
     "SFPLOADMACRO 0, 3, 6, 0; SFPLOADMACRO 1, 3, 6, 0",
     "SFPLOADMACRO 2, 3, 6, 0; "
     "SFPLOADMACRO 3, 3, 6, 0",
     "SFPLOAD 0, 3, 7, 0; SFPMAD 12, 0, 13, 0, 0; SFP_STOCH_RND 0, 0, 0, 0, 0, 6; "
     "SFPSHFT 15, 0, 0, 1; SFPSTORE 0, 3, 6, 0; SFPLOAD 0, 3, 7, 0; SFPMAD 12, 0, 13, 0, 0; "
     "SFP_STOCH_RND 0, 0, 0, 0, 0, 6; SFPSHFT 15, 0, 0, 1; SFPSTORE 0, 3, 6, 0"},
};
enum { KERNELS = sizeof kernels / sizeof *kernels, ITERATIONS = 8 };

static unsigned assemble(uint32_t *word, unsigned words, const char *text)
{
    while (*text) {
        char line[80];
        size_t length = strcspn(text, ";");
        ck_assert_uint_lt(length, sizeof line);
        memcpy(line, text, length);
        line[length] = 0;
        const char *start = line + strspn(line, " ");
        if (*start) {
            ck_assert_uint_lt(words, PROGRAM);
            word[words++] = tensix_harness_assemble(start);
        }
        text += length + (text[length] != 0);
    }
    return words;
}

static unsigned constant(uint32_t *word, unsigned words, unsigned to, uint32_t value)
{
    word[words++] = f_loadi(0, 10, value & 0xffff);
    word[words++] = f_loadi(0, 8, value >> 16);
    word[words++] = f_insn16(F_SFPCONFIG, 0, to, 0);
    return words;
}

static void run_apart(struct tensix_harness *harness, const uint32_t *word, unsigned words)
{
    for (unsigned i = 0; i < words; i++) {
        f_push(harness, 0, word[i]);
    }
}

static void set_up(struct f_world *w, const struct kernel *kernel)
{
    struct tensix *t = &w->harness.tensix;
    uint32_t word[PROGRAM];
    unsigned words = 0;
    F_CONFIG(t, ALU_FORMAT_SPEC_REG1_SrcB, 5); /* BF16, for MOD0_FMT_SRCB */
    F_THREAD(t, ADDR_MOD_DST_SEC6_DestIncr, 2);
    f_put(&w->model, t);
    for (unsigned i = 0; i < 3; i++) {
        words = constant(word, words, 12 + i, kernel->constants[i]);
    }
    words = assemble(word, words, kernel->templates);
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *s = kernel->step[i];
        words = constant(word, words, 4 + i,
                         s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24);
    }
    word[words++] = f_insn16(F_SFPCONFIG, kernel->misc, 8, 1);
    words = assemble(word, words, kernel->before);
    run_apart(&w->harness, word, words);
}

/* Data of all kinds where the kernel looks for them: small integers, floats, zeros. */
static void fill_dst(struct f_world *w, bool wide)
{
    struct f_state *s = &w->model.state;
    memset(s->uses_flags, 0, sizeof s->uses_flags);
    for (unsigned i = 0; i < 512 * 16; i++) {
        uint32_t x = random_scaled(&w->random, 5) ? f_word(&w->random) : 0;
        unsigned row = i / 16, physical = wide ? (row & 0x1f8) << 1 | (row & 7) : row;
        s->dst[physical][i % 16] =
            (uint16_t)(wide ? (x >> 16 & 0x8000) | (x >> 16 & 0x7f) << 8 | (x >> 23 & 0xff) : x);
        if (wide) {
            s->dst[physical + 8][i % 16] = (uint16_t)x;
        }
    }
}

static void check_kernel(const char *set, const struct kernel *kernel, uint64_t seed, bool timed)
{
    struct f_world *macros = f_open_world(set, seed), *plain = f_open_world(set, seed);
    uint32_t word[PROGRAM];
    unsigned words = 0, iterations = kernel->odd ? ITERATIONS : ITERATIONS / 2;
    if (macros && plain) {
        bool wide = strstr(kernel->even, ", 4, ") || strstr(kernel->even, ", 3, ");
        fill_dst(macros, wide);
        fill_dst(plain, wide);
        set_up(macros, kernel);
        set_up(plain, kernel);
        for (unsigned i = 0; i < iterations; i++) {
            words = assemble(word, words, i & 1 && kernel->odd ? kernel->odd : kernel->even);
        }
        macros->harness.tensix.timed = timed;
        run_program(&macros->harness, word, words);
        words = 0;
        for (unsigned i = 0; i < iterations; i++) {
            words = assemble(word, words, kernel->plain);
        }
        run_apart(&plain->harness, word, words);
        const struct tensix *one = &macros->harness.tensix, *other = &plain->harness.tensix;
        ck_assert_msg(macros->harness.faults + plain->harness.faults == 0, "%s: %s%s", kernel->name,
                      macros->harness.fault.text, plain->harness.fault.text);
        for (unsigned i = 0; i < 1024 * 16; i++) {
            F_EXPECT(one->dst.bits[i / 16][i % 16] == other->dst.bits[i / 16][i % 16],
                     "%s: with macros row %u, column %u is %04x, without them %04x", kernel->name,
                     i / 16, i % 16, one->dst.bits[i / 16][i % 16],
                     other->dst.bits[i / 16][i % 16]);
        }
        F_EXPECT(memcmp(one->dst.bits, macros->model.state.dst, sizeof one->dst.bits) != 0,
                 "%s has changed nothing", kernel->name);
        ck_assert_uint_eq(one->thread[0].rwc.dst, other->thread[0].rwc.dst);
    }
    f_close_world(macros);
    f_close_world(plain);
}

START_TEST(test_kernels)
{
    for (unsigned seed = 0; seed < 3; seed++) { /* the last with times of the tables */
        check_kernel(f_sets[_i / KERNELS], &kernels[_i % KERNELS], 200 + seed, seed == 2);
    }
}
END_TEST

/* LLK's exponential first clamps by SFPSWAP with LReg[14], whose number VD has in the template: the
 * greater of it and the loaded value is left in the loaded LReg. */
START_TEST(test_clamp)
{
    struct f_world *w = f_open_world(f_sets[_i], 300);
    static const struct kernel kernel = {.step = {{0}, {0x04, 0, 0, 0x13}},
                                         .misc = 0x003,
                                         .constants = {0, 0, 0xc2b10000},
                                         .templates = "",
                                         .before = "",
                                         .name = "clamp"};
    if (w) {
        uint32_t program[2] = {f_macro(1, 3, 3, 6, 0), SFPNOP}, word[PROGRAM];
        fill_dst(w, true);
        set_up(w, &kernel);
        run_apart(&w->harness, word, constant(word, 0, 0, 0x920000e1)); /* SFPSWAP 0, 0, 14, 1 */
        run_program(&w->harness, program, 2);
        ck_assert_msg(w->harness.faults == 0, "%s", w->harness.fault.text);
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            const uint16_t(*old)[16] = (const uint16_t(*)[16])w->model.state.dst;
            const uint16_t(*now)[16] = (const uint16_t(*)[16])w->harness.tensix.dst.bits;
            unsigned row = lane / 8, column = lane % 8 * 2;
            uint32_t x = (uint32_t)old[row][column] << 16 | old[row + 8][column];
            uint32_t y = (uint32_t)now[row][column] << 16 | now[row + 8][column];
            uint32_t value = (x & 0x8000ffff) | (x & 0x00ff0000) << 7 | (x & 0x7f000000) >> 8;
            uint32_t result = (y & 0x8000ffff) | (y & 0x00ff0000) << 7 | (y & 0x7f000000) >> 8;
            bool is_less = value > 0xc2b10000; /* negative, and greater in magnitude */
            uint32_t expected = is_less ? 0xc2b10000 : value;
            expected = expected & 0x7f800000 ? expected : expected & 0x80000000;
            F_EXPECT(result == expected, "lane %u: %08x becomes %08x, not %08x", lane,
                     (unsigned)value, (unsigned)result, (unsigned)expected);
        }
    }
    f_close_world(w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("macro schedules");
    TCase *tc = tcase_create("macros");
    tcase_add_test(tc, test_discards);
    tcase_add_test(tc, test_forgetting);
    tcase_add_loop_test(tc, test_scheduled_rows, 0, F_OPS * SETS);
    tcase_add_test(tc, test_stores);
    tcase_add_test(tc, test_wrong_sub_units);
    tcase_add_loop_test(tc, test_programs, 0, 2 * SETS);
    tcase_add_test(tc, test_captured_indices);
    tcase_add_loop_test(tc, test_columns, 0, SETS);
    tcase_add_loop_test(tc, test_settling, 0, SETS);
    tcase_add_loop_test(tc, test_kernels, 0, KERNELS * SETS);
    tcase_add_loop_test(tc, test_clamp, 0, SETS);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
