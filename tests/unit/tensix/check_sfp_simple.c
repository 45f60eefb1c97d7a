/*
 * The simple sub-unit but for flags and their stack: every row with random operands, modes
 * (reserved ones as well), flags, masks and configurations, against a model written lane by lane
 * from the ISA's pages; with every set of kernels, as ordinary and as scheduled instructions.
 */
#include <check.h>
#include <string.h>

#include "unit/run_suite.h"
#include "unit/tensix/vector_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { ROUNDS = 50 };

/* A page's function of a lane: the new VD from its VB and VC; it may change LaneFlags. */
typedef uint32_t lane_function(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags);

/* `if (VD < 8 || VD == 16) lanewise if (LaneEnabled)`; LaneFlags stay where VD is no LReg[0..7]. */
static void lanewise(struct vector_model *model, const struct vector_call *call, unsigned vb,
                     lane_function *function)
{
    if (call->vd >= 8 && call->vd != 16) {
        return;
    }
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        if (vector_takes(model, call, i) && vector_is_enabled(model, i)) {
            bool flags = lane->flags;
            lane->lreg[call->vd] = function(call, lane->lreg[vb], lane->lreg[call->vc], &flags);
            lane->flags = call->vd < 8 ? flags : lane->flags;
        }
    }
}

/* --- Bits --- */

static uint32_t lane_and(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    (void)call;
    (void)flags;
    return b & c;
}

static uint32_t lane_or(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    (void)call;
    (void)flags;
    return b | c;
}

static uint32_t lane_xor(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    (void)call;
    (void)flags;
    return b ^ c;
}

static uint32_t lane_not(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    (void)call;
    (void)flags;
    (void)b;
    return ~c;
}

static bool model_and(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, call->mod & 1 ? call->vb : vector_vb(call), lane_and);
    return true;
}

static bool model_or(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, call->mod & 1 ? call->vb : vector_vb(call), lane_or);
    return true;
}

static bool model_xor(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_xor);
    return true;
}

static bool model_not(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_not);
    return true;
}

static uint32_t lane_lz(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    uint32_t zeros = 0;
    (void)b;
    c &= call->mod & 4 ? 0x7fffffff : 0xffffffff;
    while (zeros < 32 && !(c >> (31 - zeros) & 1)) {
        zeros++;
    }
    *flags = call->mod & 2 ? c != 0 : *flags;
    *flags = call->mod & 8 ? !*flags : *flags;
    return zeros;
}

static bool model_lz(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_lz);
    return true;
}

static int32_t signed_imm12(const struct vector_call *call)
{
    return call->imm12 & 0x800 ? (int32_t)call->imm12 - 0x1000 : (int32_t)call->imm12;
}

static uint32_t lane_shift(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    uint32_t x = b;
    int64_t amount = (int32_t)c;
    (void)flags;
    if (call->mod & 1) {
        x = call->mod & 4 ? c : b;
        amount = signed_imm12(call);
    }
    if (amount >= 0) {
        return x << amount % 32;
    }
    unsigned right = (unsigned)(-amount % 32);
    bool fills = call->mod & 2 && x >> 31;
    return x >> right | (fills && right ? ~(0xffffffffu >> right) : 0);
}

static bool model_shift(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_shift);
    return true;
}

/* --- Integers --- */

static uint32_t lane_iadd(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    uint32_t d = call->mod & 1 ? c + (uint32_t)signed_imm12(call) : call->mod & 2 ? c - b : c + b;
    *flags = call->mod & 4 ? *flags : d >= 0x80000000;
    *flags = call->mod & 8 ? !*flags : *flags;
    return d;
}

static bool model_iadd(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_iadd);
    return true;
}

static uint32_t lane_abs(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    (void)flags;
    (void)b;
    if (c < 0x80000000) {
        return c;
    }
    if (call->mod & 1) {
        return c > 0xff800000 ? c : c & 0x7fffffff;
    }
    return 0 - c;
}

static bool model_abs(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_abs);
    return true;
}

/* --- Fields of FP32 --- */

static uint32_t make_float(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    return sign << 31 | (exponent & 255) << 23 | mantissa;
}

static uint32_t lane_exexp(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    int32_t exponent = (int32_t)(c >> 23 & 255) - (call->mod & 1 ? 0 : 127);
    (void)b;
    *flags = call->mod & 2 ? exponent < 0 : *flags;
    *flags = call->mod & 8 ? !*flags : *flags;
    return (uint32_t)exponent;
}

static bool model_exexp(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_exexp);
    return true;
}

static uint32_t lane_exman(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    (void)flags;
    (void)b;
    return c % 0x800000 + (call->mod & 1 ? 0 : 0x800000);
}

static bool model_exman(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_exman);
    return true;
}

static uint32_t lane_setexp(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    uint32_t exponent = call->mod & 1 ? call->imm12 : call->mod & 2 ? b >> 23 : b;
    (void)flags;
    return make_float(c >> 31, exponent, c % 0x800000);
}

static bool model_setexp(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_setexp);
    return true;
}

static uint32_t lane_setman(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    (void)flags;
    return make_float(c >> 31, c >> 23, call->mod & 1 ? call->imm12 << 11 : b % 0x800000);
}

static bool model_setman(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_setman);
    return true;
}

static uint32_t lane_setsgn(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    (void)flags;
    return make_float(call->mod & 1 ? call->imm12 & 1 : b >> 31, c >> 23, c % 0x800000);
}

static bool model_setsgn(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_setsgn);
    return true;
}

static uint32_t lane_divp2(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    uint32_t exponent = c >> 23 & 255;
    (void)flags;
    (void)b;
    if (!(call->mod & 1)) {
        exponent = call->imm12;
    } else if (exponent != 255) {
        exponent += call->imm12;
    }
    return make_float(c >> 31, exponent, c % 0x800000);
}

static bool model_divp2(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, vector_vb(call), lane_divp2);
    return true;
}

/* --- Approximations: here only which one is taken; their tables are tested with the kernels --- */

static uint32_t lane_arecip(const struct vector_call *call, uint32_t b, uint32_t c, bool *flags)
{
    uint32_t sign = c & 0x80000000, magnitude = c & 0x7fffffff;
    (void)flags;
    if (call->mod == 0) {
        return sign | num_lane(NUM_LANES_RECIPROCAL, 0, 0, magnitude, 0, false);
    }
    if (call->mod == 1) {
        return b >> 31 ? num_lane(NUM_LANES_RECIPROCAL, 0, 0, magnitude, 0, false) : c;
    }
    return sign | num_lane(NUM_LANES_EXPONENTIAL, 0, 0, magnitude, 0, false);
}

static bool model_arecip(struct vector_model *model, const struct vector_call *call)
{
    lanewise(model, call, call->vb, lane_arecip);
    return true;
}

/* --- Conversions --- */

/* `random`: seven bits to compare with, or -1 for the nearest even. */
static uint32_t to_float(uint32_t c, int random)
{
    uint32_t sign = c & 0x80000000, magnitude = c & 0x7fffffff, exponent = 127 + 30;
    if (magnitude == 0) {
        return sign;
    }
    uint64_t norm = magnitude; /* the highest bit goes to bit 30; 7 bits are below the mantissa */
    for (; !(norm >> 30); exponent--) {
        norm <<= 1;
    }
    uint32_t d = sign + (exponent << 23) + (uint32_t)(norm >> 7 & 0x7fffff);
    uint32_t rest = norm & 0x7f;
    bool up = random >= 0 ? (int)rest > random : rest > 0x40 || (rest == 0x40 && norm & 0x80);
    return d + up;
}

static bool model_cast(struct vector_model *model, const struct vector_call *call)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        uint32_t c = lane->lreg[call->vc], d = 0;
        if (!vector_takes(model, call, i) || !vector_is_enabled(model, i)) {
            continue;
        }
        switch (call->mod & 3) {
        case 0:
            d = to_float(c, -1);
            break;
        case 1: /* bits 10 to 16 */
            d = to_float(c, (int)(vector_advance(lane) >> 10 & 0x7f));
            break;
        case 2:
            d = c >> 31 ? 0 - c : c;
            break;
        default:
            d = c >> 31 ? (0 - c) | 0x80000000 : c;
            break;
        }
        if (call->vd < 8 || call->vd == 16) {
            lane->lreg[call->vd] = d;
        }
    }
    return true;
}

/* --- Moves --- */

static uint32_t special(struct vector_lane *lane, unsigned vc)
{
    if (vc <= 3) {
        return lane->macro.instruction[vc];
    }
    if (vc <= 7) {
        return lane->macro.sequence[vc - 4];
    }
    return vc == 8    ? lane->macro.misc
           : vc == 9  ? vector_advance(lane)
           : vc == 15 ? lane->config
                      : 0;
}

static bool model_mov(struct vector_model *model, const struct vector_call *call)
{
    unsigned mod = call->mod & ~4u;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        if (!vector_takes(model, call, i) || !(vector_is_enabled(model, i) || mod == 2)) {
            continue;
        }
        uint32_t x = mod & 8 ? special(lane, call->vc) : lane->lreg[call->vc];
        if (!(mod & 8) && mod & 1) {
            x ^= 0x80000000;
        }
        if (call->vd < 8 || call->vd == 16) {
            lane->lreg[call->vd] = x;
        }
    }
    return true;
}

/* Lanes where VD gets the lesser, by Mod1. */
static bool gets_min(unsigned mod, unsigned lane)
{
    static const char *const rows[16] = {[1] = "0123", [2] = "01", [3] = "02", [4] = "03",
                                         [5] = "0",    [6] = "1",  [7] = "2",  [8] = "3"};
    return rows[mod] && strchr(rows[mod], "0123"[lane / 8]);
}

static bool model_swap(struct vector_model *model, const struct vector_call *call)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        uint32_t *lreg = lane->lreg, c = lreg[call->vc], d = lreg[call->vd];
        if (!vector_takes(model, call, i) || !vector_is_enabled(model, i)) {
            continue;
        }
        bool swaps = true;
        if (call->mod != 0) {
            swaps = vector_is_smaller(c, d) == gets_min(call->mod, i);
            swaps = lane->config >> 8 & 1 ? !swaps : swaps;
        }
        unsigned writable = lane->config >> 2 & 1 ? 4 : 8;
        if (swaps && call->vc < writable) {
            lreg[call->vc] = d;
        }
        if (swaps && call->vd < writable) {
            lreg[call->vd] = c;
        }
        if (swaps && writable == 4) {
            uint32_t *other_c = &lreg[4 + call->vc % 4], *other_d = &lreg[4 + call->vd % 4];
            uint32_t old = *other_c;
            *other_c = *other_d;
            *other_d = old;
        }
    }
    return true;
}

static void transpose4(struct vector_model *model, const struct vector_call *call, unsigned base)
{
    for (unsigned k = 0; k < 8 * 16; k++) {
        unsigned column = k / 16, i = k / 4 % 4, j = k % 4;
        if (j >= i) {
            continue;
        }
        unsigned low = j * 8 + column, high = i * 8 + column;
        uint32_t *at_low = &model->lane[low].lreg[base + i];
        uint32_t *at_high = &model->lane[high].lreg[base + j];
        uint32_t ij = *at_low, ji = *at_high;
        if (vector_takes(model, call, low) && vector_is_enabled(model, low)) {
            *at_low = ji;
        }
        if (vector_takes(model, call, high) && vector_is_enabled(model, high)) {
            *at_high = ij;
        }
    }
}

static bool model_transp(struct vector_model *model, const struct vector_call *call)
{
    transpose4(model, call, 0);
    transpose4(model, call, 4);
    return true;
}

/* --- Tests --- */

enum { VC_VD_MOD1 = 0xfff, VD_ONLY = 0xf0, VC_VD = 0xff0, ALL = 0xffffff, VB_TOO = 0xffff };

static const struct vector_row rows[] = {
    {"SFPDIVP2", 0x76, ALL, model_divp2, 0},        {"SFPEXEXP", 0x77, VC_VD_MOD1, model_exexp, 0},
    {"SFPEXMAN", 0x78, VC_VD_MOD1, model_exman, 0}, {"SFPIADD", 0x79, ALL, model_iadd, 0},
    {"SFPSHFT", 0x7a, ALL, model_shift, 0},         {"SFPMOV", 0x7c, VC_VD_MOD1, model_mov, 0},
    {"SFPABS", 0x7d, VC_VD_MOD1, model_abs, 0},     {"SFPAND", 0x7e, VB_TOO, model_and, 0},
    {"SFPOR", 0x7f, VB_TOO, model_or, 0},           {"SFPNOT", 0x80, VC_VD, model_not, 0},
    {"SFPLZ", 0x81, VC_VD_MOD1, model_lz, 0},       {"SFPSETEXP", 0x82, 0xfffff, model_setexp, 0},
    {"SFPSETMAN", 0x83, ALL, model_setman, 0},      {"SFPSETSGN", 0x89, 0x1fff, model_setsgn, 0},
    {"SFPTRANSP", 0x8c, VD_ONLY, model_transp, 0},  {"SFPXOR", 0x8d, VC_VD, model_xor, 0},
    {"SFPCAST", 0x90, VC_VD_MOD1, model_cast, 0},   {"SFPSWAP", 0x92, VC_VD_MOD1, model_swap, 0},
    {"SFPARECIP", 0x99, VB_TOO, model_arecip, 0},
};

static struct vector_harness harness;

/* Each row with each set. */
static bool open_for(int i)
{
    vector_seed((uint64_t)i + 1);
    return vector_open(&harness, vector_kernel_sets[i % VECTOR_KERNEL_SETS]);
}

START_TEST(rows_do_what_pages_say)
{
    if (open_for(_i)) {
        vector_check_row(&harness, &rows[_i / VECTOR_KERNEL_SETS], ROUNDS, VECTOR_ALL, false);
        vector_check_row(&harness, &rows[_i / VECTOR_KERNEL_SETS], ROUNDS, VECTOR_LREGS, false);
        vector_close(&harness);
    }
}
END_TEST

START_TEST(macros_schedule_rows)
{
    if (open_for(_i)) {
        vector_check_row(&harness, &rows[_i / VECTOR_KERNEL_SETS], ROUNDS, VECTOR_ALL, true);
        vector_close(&harness);
    }
}
END_TEST

/* Each mode once more with every pair of registers, constants included. */
START_TEST(all_registers_can_be_operands)
{
    static struct vector_model model;
    const struct vector_row *row = &rows[_i];
    unsigned free = row->operands & 0xfff;
    ck_assert(vector_open(&harness, NULL));
    vector_seed(7);
    for (unsigned operands = 0; operands <= 0xfff; operands++) {
        if (operands & ~free) {
            continue;
        }
        uint32_t word = (uint32_t)row->opcode << 24 | operands;
        word |= vector_random() & row->operands & ~0xfffu;
        const struct vector_call call = {
            .word = word,
            .vb = word >> 12 & 15,
            .vc = word >> 8 & 15,
            .vd = word >> 4 & 15,
            .mod = word & 15,
            .imm12 = word >> 12 & 0xfff,
        };
        if (operands % 64 == 0) {
            vector_randomise(&model, VECTOR_LREGS | VECTOR_FLAGS | VECTOR_PRNG | VECTOR_MACROS);
            for (unsigned i = 0; i < NUM_LANES; i++) {
                model.lane[i].config |= TENSIX_LANE_DISABLE_BACKDOOR_LOAD;
            }
            vector_store(&model, &harness.base.tensix);
        }
        ck_assert(row->model(&model, &call));
        ck_assert_ptr_null(vector_execute(&harness, word));
        if (operands % 4 == 3 || !(free & 3)) { /* after four modes at once */
            vector_compare(&model, &harness.base.tensix, word, "registers");
        }
    }
    vector_close(&harness);
}
END_TEST

/* Through the queue, as a kernel does: what LLK uses SFPSWAP for, with a constant. */
START_TEST(a_kernel_clamps)
{
    ck_assert(vector_open(&harness, NULL));
    struct tensix_vector *vector = &harness.base.tensix.vector;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        vector->lreg[1][i] = i % 2 ? i : 0x80000000 | i;
    }
    tensix_harness_run(&harness.base, 1,
                       "SFPSWAP 0, 9, 1, 15; SFPMOV 0, 1, 2, 0; SFPSWAP 0, 10, 2, 1");
    ck_assert_uint_eq(harness.base.faults, 0);
    for (unsigned i = 0; i < NUM_LANES; i++) { /* small integers are below 1.0 */
        ck_assert_uint_eq(vector->lreg[1][i], i % 2 ? i : 0);
        ck_assert_uint_eq(vector->lreg[2][i], i % 2 ? i : 0);
        ck_assert_uint_eq(vector->lreg[9][i], 0);
        ck_assert_uint_eq(vector->lreg[10][i], 0x3f800000);
    }
    vector_close(&harness);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tensix_vector_simple");
    TCase *tcase = tcase_create("tensix_vector_simple");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rows_do_what_pages_say, 0, COUNT(rows) * VECTOR_KERNEL_SETS);
    tcase_add_loop_test(tcase, macros_schedule_rows, 0, COUNT(rows) * VECTOR_KERNEL_SETS);
    tcase_add_loop_test(tcase, all_registers_can_be_operands, 0, COUNT(rows));
    tcase_add_test(tcase, a_kernel_clamps);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
