/*
 * The MAD sub-unit, every row and every value of its modifier, lane by lane against a model written
 * from the pages: random LRegs, flags and LaneConfig, ordinary and scheduled, with each set of
 * kernels. The multiply-add itself is num/fp32.h's, which check_num compares with its page.
 */
#include <check.h>
#include <stdio.h>

#include "num/fp32.h"
#include "unit/run_suite.h"
#include "unit/tensix/vector_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { ROUNDS = 25, MODS = 16, LREG_INDEX = 7 };

/* An instruction as the pages see it. */
struct call {
    unsigned row, va, vb, vc, vd, mod;
    uint32_t imm16;
    bool is_scheduled;
};

static struct vector_harness harness;
static struct vector_model model;

/* --- The model --- */

static uint32_t flip(uint32_t x, bool negates)
{
    return negates ? x ^ UINT32_C(0x80000000) : x;
}

static uint32_t lut8(uint32_t x)
{
    return x == 0xff ? 0 : (x >> 7) << 31 | (127 - (x >> 4 & 7)) << 23 | (x & 15) << 19;
}

static uint32_t lut16(uint32_t x)
{
    uint32_t exponent = x >> 10 & 31;
    return (x >> 15) << 31 | (exponent == 31 ? 0 : exponent + 112) << 23 | (x & 0x3ff) << 13;
}

static uint32_t with_sign(uint32_t x, uint32_t sign)
{
    return (x & 0x7fffffff) | (sign & UINT32_C(0x80000000));
}

/* 0.5, 1, 1.5, 2, 3 and 4 as FP32, of which the order of positive numbers is that of the bits. */
enum {
    HALF = 0x3f000000,
    ONE = 0x3f800000,
    ONE_AND_A_HALF = 0x3fc00000,
    TWO = 0x40000000,
    THREE = 0x40400000,
    FOUR = 0x40800000,
};

static uint32_t model_lut(const struct vector_lane *lane, unsigned mod)
{
    uint32_t b = lane->lreg[3] & 0x7fffffff;
    uint32_t pair = lane->lreg[b < ONE ? 0 : b < TWO ? 1 : 2];
    uint32_t d = num_fp32_fma(lut8(pair >> 8 & 0xff), b, lut8(pair & 0xff));
    return mod & 4 ? with_sign(d, lane->lreg[3]) : d;
}

static uint32_t model_lutfp32(const struct vector_lane *lane, unsigned mod)
{
    uint32_t b = lane->lreg[3] & 0x7fffffff, a, c;
    unsigned i = b < ONE ? 0 : b < TWO ? 1 : 2;
    if (!(mod & 2)) {
        a = lane->lreg[i];
        c = lane->lreg[4 + i];
    } else if (mod & 8) { /* three entries of 16 bits */
        a = lut16(lane->lreg[i] >> 16);
        c = lut16(lane->lreg[i] & 0xffff);
    } else {
        uint32_t cut = mod & 1 ? FOUR : THREE;
        bool is_upper = b < TWO ? (b >= HALF && b < ONE) || b >= ONE_AND_A_HALF : b >= cut;
        unsigned shift = is_upper ? 16 : 0;
        a = lut16(lane->lreg[i] >> shift & 0xffff);
        c = lut16(lane->lreg[4 + i] >> shift & 0xffff);
    }
    uint32_t d = num_fp32_fma(a, b, c);
    return mod & 4 ? with_sign(d, lane->lreg[3]) : d;
}

static uint32_t model_mul24(uint32_t a, uint32_t b, uint32_t z, bool is_upper)
{
    uint64_t product = (uint64_t)(a & 0x7fffff) * (b & 0x7fffff);
    uint32_t p = (uint32_t)(is_upper ? product >> 23 : product & 0x7fffff);
    unsigned z_exponent = z >> 23 & 0xff, p_exponent = 129;
    if (z_exponent == 0) {
        return p;
    }
    unsigned greater = z_exponent > p_exponent ? z_exponent : p_exponent;
    unsigned z_shift = (greater - z_exponent) % 32;
    uint32_t z_full = ((z & 0x7fffff) + 0x800000) * 8, z_kept = z_full >> z_shift;
    p >>= (greater - p_exponent) % 32;
    if (z_kept == 0) {
        return p;
    }
    uint32_t lost = (z_kept << z_shift) ^ z_full;
    return (p + z_kept + (lost > 0xffff ? 0x10000 : 0)) & 0x7fffff;
}

/* d of a lane, before anything is written. */
static uint32_t model_result(const struct call *call, const struct vector_lane *lane)
{
    const uint32_t *lreg = lane->lreg;
    uint32_t a = lreg[call->mod & 4 ? lreg[LREG_INDEX] & 15 : call->va];
    uint32_t b = lreg[call->vb], c = lreg[call->vc], imm = call->imm16 << 16;
    switch (call->row) {
    case TENSIX_ROW_SFPLUT:
        return model_lut(lane, call->mod);
    case TENSIX_ROW_SFPLUTFP32:
        return model_lutfp32(lane, call->mod);
    case TENSIX_ROW_SFPADDI:
        c = lreg[call->is_scheduled ? call->vc : call->vd];
        return num_fp32_fma(imm, ONE, flip(c, call->mod & 2));
    case TENSIX_ROW_SFPMULI:
        c = lreg[call->is_scheduled ? call->vc : call->vd];
        return num_fp32_fma(imm, flip(c, call->mod & 2), 0);
    case TENSIX_ROW_SFPMUL24:
        return model_mul24(a, b, c, call->mod & 1);
    default: /* SFPMAD, SFPADD, SFPMUL */
        return num_fp32_fma(a, flip(b, call->mod & 1), flip(c, call->mod & 2));
    }
}

/* Returns the LRegs that were written, as bits. */
static uint32_t model_execute(const struct call *call, uint32_t lanes)
{
    uint32_t writes = 0;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model.lane[i];
        bool is_open = call->is_scheduled || vector_is_open(&model, i, call->vd);
        if (!(lanes >> i & 1) || !is_open || !vector_is_enabled(&model, i)) {
            continue;
        }
        uint32_t d = model_result(call, lane);
        unsigned vd = call->mod & 8 && call->vd != 16 ? lane->lreg[LREG_INDEX] & 15 : call->vd;
        if (vd < 8 || vd == 16) {
            lane->lreg[vd] = d;
            writes |= 1u << vd;
        }
    }
    return writes;
}

/* --- Words --- */

static uint32_t word_of(const struct call *call)
{
    uint32_t opcode = tensix_rows[call->row].match & UINT32_C(0xff000000);
    uint32_t low = call->vd << 4 | call->mod;
    switch (call->row) {
    case TENSIX_ROW_SFPLUT:
        return opcode | call->vd << 20 | call->mod << 16;
    case TENSIX_ROW_SFPLUTFP32: /* the copy of Mod1 does not matter */
        return opcode | vector_below(16) << 16 | low;
    case TENSIX_ROW_SFPADDI:
    case TENSIX_ROW_SFPMULI:
        return opcode | call->imm16 << 8 | low;
    default:
        return opcode | call->va << 16 | call->vb << 12 | call->vc << 8 | low;
    }
}

static struct call draw_call(unsigned row, unsigned mod)
{
    struct call call = {.row = row, .mod = mod};
    call.va = vector_below(16);
    call.vb = vector_below(16);
    call.vc = vector_chance(30) ? TENSIX_LREG_ZERO : vector_below(16);
    call.vd = vector_chance(70) ? vector_below(8) : vector_below(16);
    call.imm16 = vector_chance(50) ? vector_datum() >> 16 : vector_random() & 0xffff;
    return call;
}

/* Numbers for which tables and SFPMUL24 have cases of their own. */
static void draw_special(void)
{
    static const uint32_t edges[] = {HALF, ONE, ONE_AND_A_HALF, TWO, THREE, FOUR};
    bool is_table = vector_chance(50), is_uniform = vector_chance(30);
    uint32_t index = vector_random();
    for (unsigned i = 0; i < NUM_LANES; i++) {
        uint32_t *lreg = model.lane[i].lreg;
        if (is_table) {
            lreg[3] = edges[vector_below(COUNT(edges))] + vector_below(3) - 1;
            lreg[3] |= vector_random() & UINT32_C(0x80000000);
        } else { /* addends around the exponent of SFPMUL24 */
            lreg[vector_below(8)] = (vector_random() & 0x807fffff) | (95 + vector_below(70)) << 23;
        }
        if (is_uniform) {
            lreg[LREG_INDEX] = index;
        }
    }
}

static const unsigned rows[] = {TENSIX_ROW_SFPMAD,  TENSIX_ROW_SFPADD,    TENSIX_ROW_SFPMUL,
                                TENSIX_ROW_SFPADDI, TENSIX_ROW_SFPMULI,   TENSIX_ROW_SFPMUL24,
                                TENSIX_ROW_SFPLUT,  TENSIX_ROW_SFPLUTFP32};

/* --- Tests --- */

static void check_ordinary(unsigned row, unsigned mod)
{
    struct tensix *tensix = &harness.base.tensix;
    struct call call = draw_call(row, mod);
    vector_randomise(&model, VECTOR_ALL);
    if (vector_chance(40)) {
        draw_special();
    }
    vector_store(&model, tensix);
    uint32_t word = word_of(&call), writes = model_execute(&call, UINT32_MAX);
    ck_assert_ptr_null(vector_execute(&harness, word));
    if (call.vd >= TENSIX_LREG_BACKDOOR) {
        vector_model_backdoor(&model, word, call.vd);
    }
    vector_compare(&model, tensix, word, harness.kernels);
    ck_assert_uint_eq(tensix->vector.slow_word, word);
    ck_assert_uint_eq(tensix->vector.slow_start, tensix->now);
    ck_assert_uint_eq(writes & ~tensix->vector.slow_writes, 0);
    if (mod & 8) { /* exactly what was written */
        ck_assert_uint_eq(tensix->vector.slow_writes, writes);
    } else {
        ck_assert_uint_eq(tensix->vector.slow_writes, call.vd < 8 ? 1u << call.vd : 0);
    }
}

static void check_scheduled(unsigned row, unsigned mod)
{
    struct tensix *tensix = &harness.base.tensix;
    struct call call = draw_call(row, mod);
    call.is_scheduled = true;
    vector_randomise(&model, VECTOR_ALL);
    if (vector_chance(40)) {
        draw_special();
    }
    vector_store(&model, tensix);
    uint32_t word = word_of(&call), lanes = vector_random() | (vector_random() & 1 ? 0 : ~0u);
    call.vb = vector_below(8);
    call.vc = vector_below(16);
    call.vd = vector_chance(40) ? TENSIX_LREG_MACRO : vector_below(16);
    (void)model_execute(&call, lanes);
    const char *rule = vector_execute_scheduled(&harness, word, call.vb, call.vc, call.vd, lanes);
    ck_assert_ptr_null(rule);
    vector_compare(&model, tensix, word, "scheduled");
    ck_assert_uint_eq(tensix->vector.slow_word, 0); /* not watched */
}

START_TEST(rows_are_as_the_pages)
{
    unsigned row = rows[_i / MODS], mod = (unsigned)_i % MODS;
    for (int set = 0; set < VECTOR_KERNEL_SETS; set++) {
        if (!vector_open(&harness, vector_kernel_sets[set])) {
            continue;
        }
        vector_seed((uint64_t)_i + 1);
        for (int i = 0; i < ROUNDS; i++) {
            check_ordinary(row, mod);
            check_scheduled(row, mod);
        }
        vector_close(&harness);
    }
}
END_TEST

/* SPEC: SFPMUL24's products of 23 bits, with numbers worked out by hand. */
START_TEST(products_of_23_bits)
{
    static const struct {
        uint32_t a, b, lower, upper;
    } products[] = {
        {3, 5, 15, 0},         {0x7fffff, 0x7fffff, 1, 0x7ffffe},
        {0x400000, 2, 0, 1},   {0xffffffff, 0x80000001, 0x7fffff, 0},
        {0x1000, 0x800, 0, 1},
    };
    ck_assert(vector_open(&harness, NULL));
    for (int i = 0; i < COUNT(products); i++) {
        for (unsigned upper = 0; upper < 2; upper++) {
            vector_power_on(&model);
            model.lane[9].lreg[1] = products[i].a;
            model.lane[9].lreg[2] = products[i].b;
            vector_store(&model, &harness.base.tensix);
            char text[64];
            (void)snprintf(text, sizeof text, "SFPMUL24 1, 2, 9, 4, %u", upper);
            ck_assert_ptr_null(vector_execute(&harness, tensix_harness_assemble(text)));
            ck_assert_uint_eq(harness.base.tensix.vector.lreg[4][9],
                              upper ? products[i].upper : products[i].lower);
        }
    }
    vector_close(&harness);
}
END_TEST

/* SPEC: SFPMULI and SFPMUL on the sign of zero; a NaN is always the same one. */
START_TEST(zeros_and_nans)
{
    static const struct {
        const char *text;
        uint32_t a, b, d;
    } cases[] = {
        {"SFPMUL 0, 1, 9, 2, 0", 0x80000000, 0x3f800000, 0},
        {"SFPMUL 0, 1, 9, 2, 2", 0x80000000, 0x3f800000, 0x80000000},
        {"SFPMUL 0, 1, 9, 2, 3", 0x80000000, 0x3f800000, 0},
        {"SFPADD 10, 0, 1, 2, 0", 0x80000000, 0x80000000, 0x80000000},
        {"SFPADD 10, 0, 1, 2, 1", 0x3f800000, 0x3f800000, 0},
        {"SFPADD 10, 0, 1, 2, 0", 0x007fffff, 0x00000001, 0},
        {"SFPADD 10, 0, 1, 2, 0", 0xffc00001, 0x3f800000, 0x7fc00000},
        {"SFPMUL 0, 1, 9, 2, 0", 0x7f800000, 0x00000001, 0x7fc00000},
    };
    ck_assert(vector_open(&harness, NULL));
    for (int i = 0; i < COUNT(cases); i++) {
        vector_power_on(&model);
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            model.lane[lane].lreg[0] = cases[i].a;
            model.lane[lane].lreg[1] = cases[i].b;
        }
        vector_store(&model, &harness.base.tensix);
        ck_assert_ptr_null(vector_execute(&harness, tensix_harness_assemble(cases[i].text)));
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            ck_assert_msg(harness.base.tensix.vector.lreg[2][lane] == cases[i].d, "%s",
                          cases[i].text);
        }
    }
    vector_close(&harness);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tensix_vector_mad");
    TCase *tcase = tcase_create("mad");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, rows_are_as_the_pages, 0, COUNT(rows) * MODS);
    tcase_add_test(tcase, products_of_23_bits);
    tcase_add_test(tcase, zeros_and_nans);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
