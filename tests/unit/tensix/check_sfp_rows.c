/*
 * The rows of the Vector Unit one at a time, every mode, against a model of its own that
 * is written from the pages. SFPLOAD and SFPSTORE are in check_sfpload.c, SFPLOADMACRO in
 * check_macro_schedules.c.
 *
 * SPEC: BlackholeA0 VectorUnit, LReg and the page of each row.
 */
#include "unit/tensix/lane_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/random.h"
#include "unit/test.h"
#include "tensix/table.h"

enum { SETS = F_SETS, VDS = 16, MODS = 16 };

static bool any_enabled(const struct f_state *s)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (f_enabled(s, lane)) {
            return true;
        }
    }
    return false;
}

/* Where the pages can be read in more than one way. */
static bool is_ambiguous(const struct f_world *w, uint32_t word)
{
    const struct f_state *s = &w->model.state;
    enum f_op op = (enum f_op)(word >> 24);
    unsigned vd = word >> 4 & 15, mod = word & 15;
    bool differs = false, open = false;
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        differs |= ((s->lane_config[lane] ^ s->lane_config[0]) & F_NO_BACKDOOR) != 0;
        open |= !(s->lane_config[lane] & F_NO_BACKDOOR);
    }
    switch (op) {
    case F_SFPTRANSP: /* the condition on VD is not lane by lane */
        return vd >= 12 && differs;
    case F_SFPSHFT2: /* the same; and an undefined mode in a word that is taken as a template */
        return (vd >= 12 && differs) || (mod > 6 && ((vd >= 12 && open) || !any_enabled(s)));
    case F_SFP_STOCH_RND: /* rounding mode 3 has no name; LLK sets UseImm5 in other modes, too */
        return (word >> 21 & 3) == 3;
    case F_SFPLOADI: /* undefined modes are behind two conditions */
        return (0x0515 >> (word >> 16 & 15) & 1) == 0 &&
               (!any_enabled(s) || (word >> 20 & 15) >= 8);
    default:
        return false;
    }
}

/* Executes in both. Words whose behaviour is undefined must be refused and change nothing. */
static void both(struct f_world *w, uint32_t word, const char *what)
{
    char text[160];
    unsigned faults = w->harness.faults;
    snprintf(text, sizeof text, "%s, %08x", what, (unsigned)word);
    if (is_ambiguous(w, word)) {
        return;
    }
    bool is_defined = f_execute(&w->model, 0, word);
    f_push(&w->harness, 0, word);
    if (is_defined) {
        F_EXPECT(w->harness.faults == faults, "%s: fault %s", text, w->harness.fault.text);
    } else {
        F_EXPECT(w->harness.faults == faults + 1 &&
                     w->harness.fault.kind == PENROSE_FAULT_TENSIX_UNDEFINED,
                 "%s: %u faults, the last %s", text, w->harness.faults - faults,
                 w->harness.fault.text);
    }
    f_compare(&w->model, &w->harness.tensix, text);
}

/* --- Every row, VD and mode --- */

static bool is_elsewhere(enum f_op op)
{
    return op == F_SFPLOAD || op == F_SFPSTORE || op == F_SFPLOADMACRO;
}

/* One row with one set of kernels. */
TEST_EACH(test_row, F_OPS *SETS)
{
    enum f_op op = (enum f_op)(F_FIRST_OP + _i % F_OPS);
    struct f_world *w = f_open_world(f_sets[_i / F_OPS], (uint64_t)_i);
    for (unsigned i = 0; w && i < VDS * MODS * 2 && !is_elsewhere(op); i++) {
        f_refill(&w->model, &w->random);
        if (i & 1) {
            f_configure(&w->model, &w->random);
        }
        f_put(&w->model, &w->harness.tensix);
        both(w, f_random_word(op, i / 2 % VDS, i / 2 / VDS, &w->random), f_row_of(op)->mnemonic);
    }
    f_close_world(w);
}

/* The same with all lanes enabled and VD below 8, where most values are looked at. */
TEST_EACH(test_values, F_OPS *SETS)
{
    enum f_op op = (enum f_op)(F_FIRST_OP + _i % F_OPS);
    struct f_world *w = f_open_world(f_sets[_i / F_OPS], 1000 + (uint64_t)_i);
    for (unsigned i = 0; w && i < MODS * 40 && !is_elsewhere(op); i++) {
        f_refill(&w->model, &w->random);
        memset(w->model.state.uses_flags, 0, sizeof w->model.state.uses_flags);
        f_put(&w->model, &w->harness.tensix);
        both(w, f_random_word(op, random_scaled(&w->random, 8), i % MODS, &w->random), "all lanes");
    }
    f_close_world(w);
}

/* Programs: what one row leaves behind is what the next one finds. */
TEST_EACH(test_programs, 2 * SETS)
{
    struct f_world *w = f_open_world(f_sets[_i % SETS], 2000 + (uint64_t)_i);
    for (unsigned program = 0; w && program < 40; program++) {
        f_refill(&w->model, &w->random);
        if (program & 1) {
            f_configure(&w->model, &w->random);
        }
        f_put(&w->model, &w->harness.tensix);
        for (unsigned i = 0; i < 60; i++) {
            enum f_op op = (enum f_op)(F_FIRST_OP + random_scaled(&w->random, F_OPS));
            bool shuts_lanes = op == F_SFPCONFIG || op == F_SFPCOMPC || op == F_SFPSETCC;
            if (is_elsewhere(op) || (shuts_lanes && random_scaled(&w->random, 4))) {
                continue;
            }
            uint32_t word = f_random_word(op, random_scaled(&w->random, 13),
                                          random_scaled(&w->random, MODS), &w->random);
            both(w, word, "program");
        }
    }
    f_close_world(w);
}

/* --- Arithmetic --- */

static const uint32_t floats[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x0c000000,
    0x1f800000, 0x1fffffff, 0x20000000, 0x33800000, 0x34000000, 0x3f000000, 0x3f7fffff, 0x3f800000,
    0x3f800001, 0x3fffffff, 0x40000000, 0x4b7fffff, 0x4b800000, 0x4b800001, 0x5f000000, 0x5f7fffff,
    0x5f800000, 0x7e800000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
};
enum { FLOATS = sizeof floats / sizeof *floats };

/* Numbers worked out by hand: LReg[2] of LReg[0] and LReg[1]. SPEC: SFPMUL24's products of 23 bits;
 * SFPMULI and SFPMUL on the sign of zero, a NaN is always the same one; the bugs of rounding that
 * the pages name. */
static const struct {
    const char *text;
    uint32_t a, b, d;
} by_hand[] = {
    {"SFPMUL24 0, 1, 9, 2, 0", 3, 5, 15},
    {"SFPMUL24 0, 1, 9, 2, 1", 3, 5, 0},
    {"SFPMUL24 0, 1, 9, 2, 0", 0x7fffff, 0x7fffff, 1},
    {"SFPMUL24 0, 1, 9, 2, 1", 0x7fffff, 0x7fffff, 0x7ffffe},
    {"SFPMUL24 0, 1, 9, 2, 1", 0x400000, 2, 1},
    {"SFPMUL24 0, 1, 9, 2, 0", 0xffffffff, 0x80000001, 0x7fffff},
    {"SFPMUL 0, 1, 9, 2, 0", 0x80000000, 0x3f800000, 0},
    {"SFPMUL 0, 1, 9, 2, 2", 0x80000000, 0x3f800000, 0x80000000},
    {"SFPMUL 0, 1, 9, 2, 3", 0x80000000, 0x3f800000, 0},
    {"SFPADD 10, 0, 1, 2, 0", 0x80000000, 0x80000000, 0x80000000},
    {"SFPADD 10, 0, 1, 2, 1", 0x3f800000, 0x3f800000, 0},
    {"SFPADD 10, 0, 1, 2, 0", 0x007fffff, 0x00000001, 0},
    {"SFPADD 10, 0, 1, 2, 0", 0xffc00001, 0x3f800000, 0x7fc00000},
    {"SFPMUL 0, 1, 9, 2, 0", 0x7f800000, 0x00000001, 0x7fc00000},
    {"SFP_STOCH_RND 2, 0, 1, 1, 2, 3", 0, 0x3f7ffffe, 1}, /* 0.99999988 is not cut */
    {"SFP_STOCH_RND 2, 0, 1, 1, 2, 3", 0, 0x3fffffff, 2},
    {"SFP_STOCH_RND 2, 0, 1, 1, 2, 3", 0, 0x3f7ffffd, 0},
    {"SFP_STOCH_RND 0, 0, 1, 1, 2, 3", 0, 0xbf000000, 0x80000001}, /* ties away from zero */
    {"SFP_STOCH_RND 0, 0, 1, 1, 2, 3", 0, 0xbeffffff, 0},
    {"SFP_STOCH_RND 0, 0, 1, 1, 2, 7", 0, 0xff800000, 0x80007fff},
    {"SFP_STOCH_RND 0, 0, 1, 1, 2, 6", 0, 0xffc00000, 0xffff},
    {"SFP_STOCH_RND 0, 0, 1, 1, 2, 1", 0, 0x80000000, 0},
    {"SFP_STOCH_RND 0, 0, 1, 1, 2, 1", 0, 0xffffffff, 0xff800000},
    {"SFP_STOCH_RND 0, 0, 1, 1, 2, 1", 0, 0x3f808000, 0x3f810000},
    {"SFP_STOCH_RND 2, 0, 1, 1, 2, 1", 0, 0x3f80ffff, 0x3f810000},
    {"SFP_STOCH_RND 2, 0, 1, 1, 2, 1", 0, 0x3f80fffe, 0x3f800000},
    {"SFP_STOCH_RND 0, 3, 1, 1, 2, 12", 0, 0x80000064, 13}, /* -100 / 8 */
    {"SFP_STOCH_RND 0, 3, 1, 1, 2, 13", 0, 0x80000064, 0x8000000d},
};

TEST_EACH(test_by_hand, sizeof by_hand / sizeof *by_hand)
{
    struct tensix_harness harness;
    tensix_harness_open(&harness);
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        harness.tensix.vector.lreg[0][lane] = by_hand[_i].a;
        harness.tensix.vector.lreg[1][lane] = by_hand[_i].b;
    }
    tensix_harness_run(&harness, 0, by_hand[_i].text);
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        ck_assert_msg(harness.tensix.vector.lreg[2][lane] == by_hand[_i].d, "%s: %08x",
                      by_hand[_i].text, (unsigned)harness.tensix.vector.lreg[2][lane]);
    }
    tensix_harness_close(&harness);
}

/* All combinations of special operands; lanes differ in the addend. */
TEST_EACH(test_mad_specials, SETS)
{
    struct f_world *w = f_open_world(f_sets[_i], 3000);
    for (unsigned i = 0; w && i < FLOATS * FLOATS * 4; i++) {
        struct f_state *s = &w->model.state;
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            s->uses_flags[lane] = false;
            s->lreg[0][lane] = floats[i % FLOATS];
            s->lreg[1][lane] = floats[i / FLOATS % FLOATS] | (i & 1) << 31;
            s->lreg[2][lane] = floats[lane];
            w->harness.tensix.vector.lreg[0][lane] = s->lreg[0][lane];
            w->harness.tensix.vector.lreg[1][lane] = s->lreg[1][lane];
            w->harness.tensix.vector.lreg[2][lane] = s->lreg[2][lane];
        }
        w->harness.tensix.vector.uses_flags = 0;
        uint32_t word = f_insn4(F_SFPMAD, 0, 1, 2, 3, i / FLOATS / FLOATS);
        f_push(&w->harness, 0, word);
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            uint32_t a = s->lreg[0][lane] ^ (word & 1) << 31;
            uint32_t c = s->lreg[2][lane] ^ (word & 2) << 30;
            uint32_t expected = f_mad(a, s->lreg[1][lane], c);
            F_EXPECT(w->harness.tensix.vector.lreg[3][lane] == expected,
                     "%08x * %08x + %08x is %08x, not %08x", (unsigned)a,
                     (unsigned)s->lreg[1][lane], (unsigned)c,
                     (unsigned)w->harness.tensix.vector.lreg[3][lane], (unsigned)expected);
        }
    }
    f_close_world(w);
}

/* Operands whose exponents lie so that sums cancel, round and fall out of range. */
TEST_EACH(test_mad_near, SETS)
{
    struct f_world *w = f_open_world(f_sets[_i], 4000);
    for (unsigned i = 0; w && i < 4000; i++) {
        struct tensix_vector *v = &w->harness.tensix.vector;
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            uint32_t a = random_next(&w->random), b = random_next(&w->random),
                     c = random_next(&w->random);
            int exponent = (int)(a >> 23 & 255) + (int)(b >> 23 & 255) - 127 +
                           (int)random_scaled(&w->random, 60) - 30;
            exponent = exponent < 0 ? (int)(c >> 23 & 3) : exponent > 254 ? 254 : exponent;
            if (c & 1) { /* few bits, so that halves between two results come up */
                a &= 0xfffff000;
                b &= 0xfffff800;
            }
            v->lreg[0][lane] = a;
            v->lreg[1][lane] = b;
            v->lreg[2][lane] = (c & 0x807fffff) | (uint32_t)exponent << 23;
        }
        f_push(&w->harness, 0, f_insn4(F_SFPMAD, 0, 1, 2, 3, 0));
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            uint32_t a = v->lreg[0][lane], b = v->lreg[1][lane], c = v->lreg[2][lane];
            F_EXPECT(v->lreg[3][lane] == f_mad(a, b, c), "%08x * %08x + %08x is %08x, not %08x",
                     (unsigned)a, (unsigned)b, (unsigned)c, (unsigned)v->lreg[3][lane],
                     (unsigned)f_mad(a, b, c));
        }
    }
    f_close_world(w);
}

/* The upper 16 bits of everything: SFPARECIP in its modes, SFP_STOCH_RND, SFPCAST, SFPLZ ... */
TEST_EACH(test_upper_halves, SETS)
{
    static const struct {
        enum f_op op;
        uint32_t imm12, mod;
    } row[] = {
        {F_SFPARECIP, 0, 0},
        {F_SFPARECIP, 0, 1},
        {F_SFPARECIP, 0, 2},
        {F_SFPARECIP, 0, 7},
        {F_SFP_STOCH_RND, 0, 0},
        {F_SFP_STOCH_RND, 0x400, 1},
        {F_SFP_STOCH_RND, 0, 2},
        {F_SFP_STOCH_RND, 0, 3},
        {F_SFP_STOCH_RND, 0x200, 6},
        {F_SFP_STOCH_RND, 0, 7},
        {F_SFP_STOCH_RND, 0x200, 7},
        {F_SFP_STOCH_RND, 0x090, 12},
        {F_SFP_STOCH_RND, 0x390, 13},
        {F_SFPCAST, 0, 0},
        {F_SFPCAST, 0, 1},
        {F_SFPCAST, 0, 3},
        {F_SFPLUTFP32, 0, 2},
        {F_SFPLUTFP32, 0, 7},
        {F_SFPABS, 0, 1},
        {F_SFPEXEXP, 0, 0},
    };
    struct f_world *w = f_open_world(f_sets[_i], 5000);
    struct f_state *s = w ? &w->model.state : NULL;
    for (unsigned upper = 0; w && upper < 0x10000; upper += F_LANES) {
        f_refill(&w->model, &w->random);
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            static const uint16_t lower[] = {0, 1, 0x7fff, 0x8000, 0xffff};
            unsigned pick = random_scaled(&w->random, 6);
            s->uses_flags[lane] = false;
            s->lreg[3][lane] =
                (upper + lane) << 16 | (pick < 5 ? lower[pick] : random_next(&w->random) & 0xffff);
        }
        f_put(&w->model, &w->harness.tensix);
        unsigned i = upper / F_LANES % (sizeof row / sizeof *row);
        for (unsigned n = 0; n < 4;
             n++) { /* every row gets a fifth of all numbers and a set more */
            unsigned r = (i + n * 5 + random_scaled(&w->random, 5)) % (sizeof row / sizeof *row);
            uint32_t vc = row[r].op == F_SFPLUTFP32 ? 0 : 3;
            uint32_t word = f_insn(row[r].op, row[r].imm12, vc, 7, row[r].mod);
            f_execute(&w->model, 0, word);
            f_push(&w->harness, 0, word);
            F_EXPECT(memcmp(s->lreg[7], w->harness.tensix.vector.lreg[7], sizeof s->lreg[7]) == 0,
                     "%08x is not the same for %04x0000 and so on", (unsigned)word, upper);
        }
        f_compare(&w->model, &w->harness.tensix, "upper halves");
    }
    f_close_world(w);
}

/* All coefficients of 8 and 16 bits. */
TEST_EACH(test_tables, SETS)
{
    struct f_world *w = f_open_world(f_sets[_i], 6000);
    for (unsigned c = 0; w && c < 0x10000; c += F_LANES) {
        struct f_state *s = &w->model.state;
        f_refill(&w->model, &w->random);
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            s->uses_flags[lane] = false;
            for (unsigned i = 0; i < 7; i++) {
                s->lreg[i][lane] = i == 3 ? s->lreg[3][lane] : (c + lane) * 0x10001u;
            }
            s->lreg[7][lane] = random_scaled(&w->random, 16);
        }
        f_put(&w->model, &w->harness.tensix);
        unsigned mod = random_scaled(&w->random, 16);
        both(w, (uint32_t)F_SFPLUT << 24 | 7u << 20 | (mod & 4) << 16, "SFPLUT");
        f_put(&w->model, &w->harness.tensix);
        both(w, f_insn(F_SFPLUTFP32, 0, 0, 7, mod), "SFPLUTFP32");
    }
    f_close_world(w);
}

/* --- Flags --- */

/* Every mode of the stack's rows at every depth. */
TEST(test_stack)
{
    static const enum f_op ops[] = {F_SFPPUSHC, F_SFPPOPC, F_SFPCOMPC, F_SFPGT, F_SFPLE};
    struct f_world *w = f_open_world(NULL, 7000);
    for (unsigned i = 0; i < 5 * 9 * 16 * 3; i++) {
        enum f_op op = ops[i % 5];
        struct f_state *s = &w->model.state;
        f_refill(&w->model, &w->random);
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            s->depth[lane] = i / 5 % 9;
            for (unsigned k = 0; k < F_STACK; k++) {
                s->stack[lane][k].flags = random_scaled(&w->random, 2);
                s->stack[lane][k].uses_flags = random_scaled(&w->random, 2);
            }
        }
        f_put(&w->model, &w->harness.tensix);
        both(w, f_random_word(op, random_scaled(&w->random, 12), i / 45 % 16, &w->random), "stack");
    }
    ck_assert_uint_gt(w->harness.faults, 0);
    ck_assert_uint_lt(strlen(w->harness.fault.text), 170);
    ck_assert_ptr_nonnull(strstr(w->harness.fault.text, "SFPP"));
    f_close_world(w);
}

/* Eight pushes fit, in all lanes; the ninth and the ninth pop do not. */
TEST(test_stack_full)
{
    struct f_world *w = f_open_world(NULL, 7100);
    memset(w->model.state.depth, 0, sizeof w->model.state.depth);
    f_put(&w->model, &w->harness.tensix);
    for (unsigned i = 0; i < 9; i++) {
        both(w, f_insn(F_SFPPUSHC, 0, 0, 0, 0), "push");
        both(w, f_insn(F_SFPPOPC, 0, 0, 0, 13), "invert");
    }
    ck_assert_uint_eq(w->harness.faults, 1);
    for (unsigned i = 0; i < 9; i++) {
        both(w, f_insn(F_SFPPOPC, 0, 0, 0, 0), "pop");
    }
    ck_assert_uint_eq(w->harness.faults, 2);
    f_close_world(w);
}

/*
 * Nested conditions as sfpi writes them: v_if pushes and sets, v_else complements, v_endif pops. At
 * each of five levels lanes go by a bit of their number; each leaf writes its path to LReg[1].
 */
static void nest(struct tensix_harness *harness, unsigned level, unsigned path)
{
    char text[160];
    if (level == 5) {
        (void)snprintf(text, sizeof text, "SFPLOADI 1, 2, %u", path);
        tensix_harness_run(harness, 0, text);
        return;
    }
    (void)snprintf(
        text, sizeof text,
        "SFPPUSHC 0, 0, 0, 0; SFPMOV 0, 15, 0, 0; SFPSHFT %u, 0, 0, 1; SFPSETCC 0, 0, 0, 0",
        30 - level);
    tensix_harness_run(harness, 0, text);
    nest(harness, level + 1, path | 1u << level);
    tensix_harness_run(harness, 0, "SFPCOMPC 0, 0, 0, 0");
    nest(harness, level + 1, path);
    tensix_harness_run(harness, 0, "SFPPOPC 0, 0, 0, 0");
}

TEST(conditions_nest)
{
    struct tensix_harness harness;
    tensix_harness_open(&harness);
    const struct tensix_vector *vector = &harness.tensix.vector;
    tensix_harness_run(&harness, 0, "SFPENCC 3, 0, 0, 10");
    nest(&harness, 0, 0);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(vector->flags, UINT32_MAX);
    ck_assert_uint_eq(vector->stack[0].used, 0);
    for (unsigned i = 0; i < F_LANES; i++) { /* LReg[15] is twice the lane */
        ck_assert_uint_eq(vector->lreg[1][i], i);
    }
    tensix_harness_close(&harness);
}

/* --- Generator --- */

TEST_EACH(test_generator, SETS)
{
    struct f_world *w = f_open_world(f_sets[_i], 8000);
    if (w) {
        f_put(&w->model, &w->harness.tensix);
    }
    for (unsigned i = 0; w && i < 2000; i++) {
        static const uint32_t vd[] = {3, 8, 11};
        both(w, f_insn(F_SFPMOV, 0, 9, vd[i % 3], 8), "random bits");
        if (i % 100 == 0) {
            f_refill(&w->model, &w->random);
            f_put(&w->model, &w->harness.tensix);
        }
    }
    f_close_world(w);
}

/* --- SFPCONFIG --- */

/* All destinations and modes, in programs, read back by SFPMOV; then Dst's columns of templates. */
TEST(test_config)
{
    struct f_world *w = f_open_world(NULL, 9000);
    f_put(&w->model, &w->harness.tensix);
    for (unsigned i = 0; i < 16 * 16 * 6; i++) {
        if (i % 16 == 0) {
            f_refill(&w->model, &w->random);
            f_configure(&w->model, &w->random);
            f_put(&w->model, &w->harness.tensix);
        }
        unsigned vd = i % 16;
        both(w, f_insn16(F_SFPCONFIG, random_next(&w->random), vd, i / 16 % 16), "SFPCONFIG");
        both(w, f_insn(F_SFPNOP, 0, 0, 0, 0), "SFPNOP");
        unsigned from = random_scaled(&w->random, 16);
        both(w, f_insn(F_SFPMOV, 0, from == 9 ? vd : from, random_scaled(&w->random, 8), 8),
             "SFPMOV");
    }
    f_close_world(w);
}

/* Every row with VD 12 to 15 and the backdoor open is a template, word for word, and nothing else
 * happens. */
TEST(test_backdoor)
{
    struct f_world *w = f_open_world(NULL, 9100);
    for (unsigned i = 0; i < F_OPS * 4; i++) {
        enum f_op op = (enum f_op)(F_FIRST_OP + i % F_OPS);
        if (op == F_SFPCONFIG || op == F_SFPNOP || op == F_SFPLOADMACRO) {
            continue;
        }
        f_refill(&w->model, &w->random);
        f_put(&w->model, &w->harness.tensix);
        bool is_wide = op == F_SFPLOAD || op == F_SFPSTORE;
        uint32_t word = f_random_word(op, 12 + i / F_OPS, random_scaled(&w->random, 3), &w->random);
        if (is_wide) { /* all modifiers do nothing here */
            word = f_memory(op, 12 + i / F_OPS, random_scaled(&w->random, 10), 0, word & 0x3ff);
        }
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            w->model.state.macro[lane].instruction[i / F_OPS] = word;
        }
        f_push(&w->harness, 0, word);
        F_EXPECT(w->harness.faults == 0, "%08x: %s", (unsigned)word, w->harness.fault.text);
        f_compare(&w->model, &w->harness.tensix, f_row_of(op)->mnemonic);
    }
    f_close_world(w);
}
