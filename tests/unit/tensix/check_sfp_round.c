/*
 * The round sub-unit, every mode of SFP_STOCH_RND and SFPSHFT2 lane by lane against a model written
 * from the pages, ordinary and scheduled, with each set of kernels; what its generators draw;
 * faults of reserved modes.
 */
#include <check.h>

#include "unit/run_suite.h"
#include "unit/tensix/vector_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { ROUNDS = 80, USE_IMM5 = 8, RANDOMLY = 1 };

/* An instruction as the pages see it; `mod` has UseImm5 in bit 3. */
struct call {
    unsigned vb, vc, vd, mod, rounding, imm5;
    uint32_t imm12;
    bool is_scheduled;
};

static struct vector_harness harness;
static struct vector_model model, before;

static void draw_state(void)
{
    vector_randomise(&model, VECTOR_ALL);
}

/* Lanes for which the call executes. */
static bool is_active(const struct call *call, uint32_t lanes, unsigned lane)
{
    return lanes >> lane & 1 && (call->is_scheduled || vector_is_open(&model, lane, call->vd)) &&
           vector_is_enabled(&model, lane);
}

static bool is_writable(unsigned vd)
{
    return vd < 8 || vd == 16;
}

/* --- SFP_STOCH_RND --- */

static uint32_t model_float(uint32_t x, unsigned mod, uint32_t prng)
{
    uint32_t exponent = x >> 23 & 0xff;
    if (exponent == 0) {
        return 0;
    }
    if (exponent == 255) {
        return x & UINT32_C(0xff800000);
    }
    unsigned dropped = mod == 0 ? 13 : 16;
    uint32_t unit = UINT32_C(1) << dropped, rest = x % unit;
    return x - rest + (rest >= prng >> (23 - dropped) ? unit : 0);
}

static uint32_t model_to_integer(uint32_t c, unsigned mod, uint32_t prng)
{
    bool keeps_sign = mod & 1;
    uint64_t most = mod == 2 ? 255 : mod == 3 ? 127 : mod == 6 ? 65535 : 32767, magnitude;
    int exponent = (int)(c >> 23 & 0xff) - 127;
    if (exponent < -1) {
        return 0;
    }
    if (exponent >= 16) {
        magnitude = most;
    } else { /* fixed point with 23 bits behind the point */
        uint64_t fixed = (c & 0x7fffff) + UINT64_C(0x800000);
        fixed = exponent < 0 ? fixed / 2 : fixed << exponent;
        magnitude = fixed / 0x800000 + (fixed % 0x800000 >= prng ? 1 : 0);
        magnitude = magnitude > most ? most : magnitude;
    }
    bool is_negative = keeps_sign && c >> 31 && magnitude != 0;
    return (uint32_t)magnitude | (is_negative ? UINT32_C(0x80000000) : 0);
}

static uint32_t model_descale(uint32_t c, unsigned mod, unsigned shift, uint32_t prng)
{
    uint64_t most = mod == 4 ? 255 : 127;
    uint64_t fixed = ((uint64_t)(c & 0x7fffffff) * 0x800000) >> shift;
    uint64_t magnitude = fixed / 0x800000 + (fixed % 0x800000 >= prng ? 1 : 0);
    magnitude = magnitude > most ? most : magnitude;
    bool is_negative = mod == 5 && c >> 31 && magnitude != 0;
    return (uint32_t)magnitude | (is_negative ? UINT32_C(0x80000000) : 0);
}

static void model_round(const struct call *call, uint32_t lanes)
{
    static const uint32_t fixed[] = {0x400000, 0, 0x7fffff};
    unsigned mod = call->mod & 7;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model.lane[i];
        if (!is_active(call, lanes, i)) {
            continue;
        }
        uint32_t prng = vector_advance(lane) & 0x7fffff, c = lane->lreg[call->vc];
        prng = call->rounding == RANDOMLY ? prng : fixed[call->rounding];
        unsigned shift = call->mod & USE_IMM5 ? call->imm5 : lane->lreg[call->vb] & 31;
        uint32_t d = mod < 2                ? model_float(c, mod, prng)
                     : mod == 4 || mod == 5 ? model_descale(c, mod, shift, prng)
                                            : model_to_integer(c, mod, prng);
        if (is_writable(call->vd)) {
            lane->lreg[call->vd] = d;
        }
    }
}

static uint32_t round_word(const struct call *call)
{
    return UINT32_C(0x8e000000) | call->rounding << 21 | call->imm5 << 16 | call->vb << 12 |
           call->vc << 8 | call->vd << 4 | call->mod;
}

/* Around what modes cut at, and around the halves between. */
static void draw_roundable(unsigned vc)
{
    static const uint32_t edges[] = {0x3f000000, 0x3f7fffff, 0x3fffffff, 0x42fe0000, 0x437f0000,
                                     0x46fffe00, 0x477fff00, 0x47800000, 0x3f800000, 0x3effffff};
    for (unsigned i = 0; vc < 8 && i < NUM_LANES; i++) {
        uint32_t *lreg = model.lane[i].lreg;
        lreg[vc] = edges[vector_below(COUNT(edges))] + vector_below(5) - 2;
        lreg[vc] += vector_chance(30) ? (vector_below(4) << 15) : 0;
        lreg[vc] |= vector_random() & UINT32_C(0x80000000);
    }
}

static void check_round(unsigned mod, unsigned rounding)
{
    struct tensix *tensix = &harness.base.tensix;
    struct call call = {.mod = mod, .rounding = rounding, .is_scheduled = vector_chance(40)};
    call.vb = vector_below(16);
    call.vc = vector_below(16);
    call.vd = vector_chance(70) ? vector_below(8) : vector_below(16);
    call.imm5 = vector_below(32);
    draw_state();
    if (vector_chance(50)) {
        draw_roundable(call.vc);
    }
    vector_store(&model, tensix);
    uint32_t word = round_word(&call), lanes = vector_random() | vector_random();
    if (call.is_scheduled) {
        call.vb = vector_below(8);
        call.vd = vector_chance(40) ? TENSIX_LREG_MACRO : vector_below(8);
        model_round(&call, lanes);
        ck_assert_ptr_null(
            vector_execute_scheduled(&harness, word, call.vb, call.vc, call.vd, lanes));
    } else {
        model_round(&call, UINT32_MAX);
        if (call.vd >= TENSIX_LREG_BACKDOOR) {
            vector_model_backdoor(&model, word, call.vd);
        }
        ck_assert_ptr_null(vector_execute(&harness, word));
    }
    vector_compare(&model, tensix, word, harness.kernels);
    ck_assert_uint_eq(tensix->vector.slow_word, 0);
}

/* UseImm5 says nothing where nothing is shifted. */
enum { ROUND_MODS = 16, ROUNDINGS = 3 };

START_TEST(rounding_is_as_the_pages)
{
    unsigned mod = (unsigned)_i / ROUNDINGS, rounding = (unsigned)_i % ROUNDINGS;
    for (int set = 0; set < VECTOR_KERNEL_SETS; set++) {
        if (!vector_open(&harness, vector_kernel_sets[set])) {
            continue;
        }
        vector_seed((uint64_t)_i + 1);
        for (int i = 0; i < ROUNDS; i++) {
            check_round(mod, rounding);
        }
        vector_close(&harness);
    }
}
END_TEST

/* SPEC: the bugs of the hardware, by the numbers that the pages name. */
START_TEST(rounding_by_hand)
{
    static const struct {
        const char *text;
        uint32_t c, d;
    } cases[] = {
        {"SFP_STOCH_RND 2, 0, 1, 1, 2, 3", 0x3f7ffffe, 1}, /* 0.99999988 is not cut */
        {"SFP_STOCH_RND 2, 0, 1, 1, 2, 3", 0x3f7fffff, 1},
        {"SFP_STOCH_RND 2, 0, 1, 1, 2, 3", 0x3fffffff, 2},
        {"SFP_STOCH_RND 2, 0, 1, 1, 2, 3", 0x3f7ffffd, 0},
        {"SFP_STOCH_RND 0, 0, 1, 1, 2, 3", 0xbf000000, 0x80000001}, /* ties away from zero */
        {"SFP_STOCH_RND 0, 0, 1, 1, 2, 3", 0xbeffffff, 0},
        {"SFP_STOCH_RND 0, 0, 1, 1, 2, 7", 0xff800000, 0x80007fff},
        {"SFP_STOCH_RND 0, 0, 1, 1, 2, 6", 0xffc00000, 0xffff},
        {"SFP_STOCH_RND 0, 0, 1, 1, 2, 1", 0x80000000, 0},
        {"SFP_STOCH_RND 0, 0, 1, 1, 2, 1", 0xffffffff, 0xff800000},
        {"SFP_STOCH_RND 0, 0, 1, 1, 2, 1", 0x3f808000, 0x3f810000},
        {"SFP_STOCH_RND 2, 0, 1, 1, 2, 1", 0x3f80ffff, 0x3f810000},
        {"SFP_STOCH_RND 2, 0, 1, 1, 2, 1", 0x3f80fffe, 0x3f800000},
        {"SFP_STOCH_RND 0, 3, 1, 1, 2, 12", 0x80000064, 13}, /* -100 / 8 */
        {"SFP_STOCH_RND 0, 3, 1, 1, 2, 13", 0x80000064, 0x8000000d},
    };
    ck_assert(vector_open(&harness, NULL));
    for (int i = 0; i < COUNT(cases); i++) {
        vector_power_on(&model);
        model.lane[31].lreg[1] = cases[i].c;
        vector_store(&model, &harness.base.tensix);
        ck_assert_ptr_null(vector_execute(&harness, tensix_harness_assemble(cases[i].text)));
        ck_assert_msg(harness.base.tensix.vector.lreg[2][31] == cases[i].d,
                      "%s of 0x%08x is 0x%08x", cases[i].text, (unsigned)cases[i].c,
                      (unsigned)harness.base.tensix.vector.lreg[2][31]);
    }
    vector_close(&harness);
}
END_TEST

/* A number between two others becomes either of them, about as often as it is near them. */
START_TEST(random_rounding_is_random)
{
    enum { DRAWS = 500, QUARTER = NUM_LANES * DRAWS / 4, SLACK = QUARTER / 10 };
    struct tensix *tensix = &harness.base.tensix;
    ck_assert(vector_open(&harness, NULL));
    vector_seed(1);
    vector_randomise(&model, VECTOR_PRNG);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        model.lane[i].lreg[1] = 0x3f804000; /* a quarter of the way up */
    }
    vector_store(&model, tensix);
    unsigned up = 0;
    for (unsigned draw = 0; draw < DRAWS; draw++) {
        ck_assert_ptr_null(
            vector_execute(&harness, tensix_harness_assemble("SFP_STOCH_RND 1, 0, 1, 1, 2, 1")));
        for (unsigned i = 0; i < NUM_LANES; i++) {
            uint32_t d = tensix->vector.lreg[2][i];
            ck_assert(d == 0x3f800000 || d == 0x3f810000);
            up += d == 0x3f810000;
        }
    }
    ck_assert_uint_gt(up, QUARTER - SLACK);
    ck_assert_uint_lt(up, QUARTER + SLACK);
    vector_close(&harness);
}
END_TEST

/* --- SFPSHFT2 --- */

static uint32_t shifted(uint32_t b, int32_t by)
{
    uint32_t amount = by >= 0 ? (uint32_t)by % 32 : (0 - (uint32_t)by) % 32;
    return by >= 0 ? b << amount : b >> amount;
}

/* What comes into a lane from `lreg` of the lanes before it. */
static uint32_t from_left(unsigned lreg, unsigned lane, bool rotates)
{
    if (lane % 8 == 0 && !rotates) {
        return 0;
    }
    return before.lane[lane % 8 ? lane - 1 : lane + 7].lreg[lreg];
}

static void model_shuffle_lane(const struct call *call, unsigned i)
{
    uint32_t *lreg = model.lane[i].lreg, d;
    const uint32_t *old = before.lane[i].lreg;
    int32_t imm12 = call->imm12 & 0x800 ? (int32_t)call->imm12 - 0x1000 : (int32_t)call->imm12;
    unsigned vb = call->is_scheduled ? call->vb : call->imm12 & 15;
    switch (call->mod) {
    case 0:
    case 1:
    case 2:
        lreg[0] = old[1];
        lreg[1] = old[2];
        lreg[2] = old[3];
        lreg[3] = call->mod == 0   ? 0
                  : call->mod == 2 ? from_left(call->vc, i, true)
                  : i < 24         ? before.lane[i + 8].lreg[0]
                                   : 0;
        return;
    case 3:
    case 4:
        d = from_left(call->vc, i, call->mod == 3);
        break;
    case 5:
        d = shifted(old[call->vb], (int32_t)old[call->vc]);
        break;
    default:
        d = shifted(old[vb], imm12);
        break;
    }
    if (is_writable(call->vd)) {
        lreg[call->vd] = d;
    }
}

static void model_shuffle(const struct call *call, uint32_t lanes)
{
    before = model;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        if (is_active(call, lanes, i)) {
            model_shuffle_lane(call, i);
        }
    }
}

static uint32_t shuffle_word(const struct call *call)
{
    return UINT32_C(0x94000000) | call->imm12 << 12 | call->vc << 8 | call->vd << 4 | call->mod;
}

static void check_shuffle(unsigned mod)
{
    struct tensix *tensix = &harness.base.tensix;
    struct call call = {.mod = mod, .is_scheduled = vector_chance(40)};
    call.imm12 = vector_chance(40) ? vector_below(16) : vector_random() & 0xfff;
    call.vb = call.imm12 & 15;
    call.vc = vector_below(16);
    call.vd = vector_chance(70) ? vector_below(8) : vector_below(16);
    draw_state();
    vector_store(&model, tensix);
    uint32_t word = shuffle_word(&call), lanes = vector_random() | vector_random();
    if (call.is_scheduled) {
        call.vb = vector_below(8);
        call.vd = vector_chance(40) ? TENSIX_LREG_MACRO : vector_below(8);
        model_shuffle(&call, lanes);
        ck_assert_ptr_null(
            vector_execute_scheduled(&harness, word, call.vb, call.vc, call.vd, lanes));
    } else {
        model_shuffle(&call, UINT32_MAX);
        if (call.vd >= TENSIX_LREG_BACKDOOR) {
            vector_model_backdoor(&model, word, call.vd);
        }
        ck_assert_ptr_null(vector_execute(&harness, word));
    }
    vector_compare(&model, tensix, word, harness.kernels);
}

START_TEST(shuffles_are_as_the_page)
{
    for (int set = 0; set < VECTOR_KERNEL_SETS; set++) {
        if (!vector_open(&harness, vector_kernel_sets[set])) {
            continue;
        }
        vector_seed((uint64_t)_i + 1);
        for (int i = 0; i < 2 * ROUNDS; i++) {
            check_shuffle((unsigned)_i);
        }
        vector_close(&harness);
    }
}
END_TEST

/* --- Reserved modes --- */

/* Nothing happens but the fault. */
static void check_fault(uint32_t word, const char *text)
{
    struct tensix *tensix = &harness.base.tensix;
    vector_randomise(&model, VECTOR_ALL);
    vector_store(&model, tensix);
    const char *rule = vector_execute(&harness, word);
    ck_assert_msg(rule && strcmp(rule, text) == 0, "0x%08x: %s", (unsigned)word,
                  rule ? rule : "no fault");
    ck_assert_int_eq(harness.base.fault.kind, TENSIX_FAULT_UNDEFINED);
    vector_compare(&model, tensix, word, "after a fault");
}

START_TEST(reserved_modes_are_faults)
{
    ck_assert(vector_open(&harness, NULL));
    vector_seed((uint64_t)_i + 1);
    for (unsigned vd = 0; vd < TENSIX_LREG_BACKDOOR; vd++) {
        struct call call = {.vb = 1, .vc = 1, .vd = vd};
        if (_i >= 7) {
            call.mod = (unsigned)_i;
            check_fault(shuffle_word(&call), "SFPSHFT2: Mod1 7 to 15 are reserved: use 0 to 6");
        }
        call.mod = (unsigned)_i;
        call.rounding = 3;
        check_fault(round_word(&call), "SFP_STOCH_RND: rounding mode 3 is reserved: 0 is to "
                                       "nearest, 1 stochastic, 2 to zero");
    }
    vector_close(&harness);
}
END_TEST

/* With VD 12 and up they are templates, which may hold anything. */
START_TEST(templates_may_be_reserved)
{
    ck_assert(vector_open(&harness, NULL));
    vector_seed(1);
    for (unsigned vd = TENSIX_LREG_BACKDOOR; vd < 16; vd++) {
        for (unsigned mod = 7; mod < 16; mod++) {
            struct call call = {.vb = 1, .vc = 1, .vd = vd, .mod = mod, .rounding = 3};
            const uint32_t words[] = {shuffle_word(&call), round_word(&call)};
            for (int i = 0; i < COUNT(words); i++) {
                vector_randomise(&model, VECTOR_LREGS | VECTOR_MACROS);
                vector_store(&model, &harness.base.tensix);
                vector_model_backdoor(&model, words[i], vd);
                ck_assert_ptr_null(vector_execute(&harness, words[i]));
                vector_compare(&model, &harness.base.tensix, words[i], "template");
            }
        }
    }
    vector_close(&harness);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tensix_vector_round");
    TCase *tcase = tcase_create("round");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, rounding_is_as_the_pages, 0, ROUND_MODS * ROUNDINGS);
    tcase_add_test(tcase, rounding_by_hand);
    tcase_add_test(tcase, random_rounding_is_random);
    tcase_add_loop_test(tcase, shuffles_are_as_the_page, 0, 7);
    tcase_add_loop_test(tcase, reserved_modes_are_faults, 0, 16);
    tcase_add_test(tcase, templates_may_be_reserved);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
