/*
 * Configuration of the Vector Unit: SFPCONFIG in every mode, instruction templates, LaneConfig and
 * what follows from it, power-on, soft reset, the seed register, what status and debug signals
 * show, and the Matrix Unit's moves with blocked columns. Against models written from the ISA's
 * pages.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/tensix/matrix_model.h"
#include "unit/run_suite.h"
#include "tensix/regs.h"
#include "unit/tensix/vector_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { ROUNDS = 200, SFPCONFIG = 0x91 };

static struct vector_harness harness;
static struct vector_model model;
static struct tensix *const tensix = &harness.base.tensix;

/* --- SFPCONFIG --- */

static uint32_t combine(unsigned mod, uint32_t old, uint32_t value)
{
    return mod & 2 ? (mod & 4 ? old ^ value : old | value) : mod & 4 ? old & value : value;
}

static uint32_t default_of(unsigned lreg)
{
    static const float values[] = {-1.0F, 1 / 512.0F, -0.67487759F, -0.34484843F};
    uint32_t bits;
    memcpy(&bits, &values[lreg - 11], sizeof bits);
    return bits;
}

static void configure_lane(struct vector_lane *lane, unsigned vd, unsigned mod, uint32_t imm16,
                           uint32_t lreg0)
{
    uint32_t value = mod & 1 ? imm16 : lreg0;
    if (vd < 4) {
        lane->macro.instruction[vd] = lreg0;
    } else if (vd < 8) {
        lane->macro.sequence[vd - 4] = value;
    } else if (vd == 8) {
        lane->macro.misc = combine(mod, lane->macro.misc, value) & 0xfff;
    } else if (vd >= 11 && vd <= 14) {
        lane->lreg[vd] = mod & 1 ? default_of(vd) : lreg0;
    } else if (vd == 15) {
        uint32_t old = lane->config;
        lane->config = combine(mod, old, value) & 0x3ffff;
        lane->config |= mod & 1 ? old & 0x30000 : 0;
    }
}

static bool model_config(struct vector_model *state, const struct vector_call *call)
{
    static struct vector_model old;
    uint32_t imm16 = call->word >> 8 & 0xffff;
    old = *state;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        const struct vector_lane *first = &old.lane[i % 8];
        if (call->mod & 8 && !(imm16 >> 2 * (i % 8) & 1)) {
            continue;
        }
        if ((first->uses_flags && !first->flags) ||
            (call->is_scheduled && !(call->lanes >> i & 1))) {
            continue;
        }
        configure_lane(&state->lane[i], call->vd, call->mod, imm16, first->lreg[0]);
    }
    return true;
}

static const struct vector_row config_row = {"SFPCONFIG", SFPCONFIG, 0xffffff, model_config, 0};
/* VD from 8 on, where there are modes. */
static const struct vector_row upper_row = {"SFPCONFIG", SFPCONFIG, 0xffffff, model_config, 8};

START_TEST(config_does_what_the_page_says)
{
    static const struct vector_row *const rows[] = {&config_row, &upper_row};
    vector_seed((uint64_t)_i + 200);
    if (vector_open(&harness, vector_kernel_sets[_i % VECTOR_KERNEL_SETS])) {
        const struct vector_row *row = rows[_i / VECTOR_KERNEL_SETS];
        vector_check_row(&harness, row, ROUNDS, VECTOR_ALL, false);
        vector_check_row(&harness, row, ROUNDS, VECTOR_ALL & ~VECTOR_FLAGS, false);
        vector_check_row(&harness, row, ROUNDS, VECTOR_ALL, true);
        vector_close(&harness);
    }
}
END_TEST

/* Every VD and Mod1 with immediates that a bit at a time selects. */
START_TEST(config_modes_are_complete)
{
    ck_assert(vector_open(&harness, NULL));
    vector_seed(3);
    for (unsigned i = 0; i < 16 * 18; i++) {
        unsigned vd = (unsigned)_i, mod = i / 18, bit = i % 18;
        uint32_t imm16 = bit < 16 ? 1u << bit : bit == 16 ? 0 : 0xffff;
        uint32_t word = (uint32_t)SFPCONFIG << 24 | imm16 << 8 | vd << 4 | mod;
        const struct vector_call call = {.word = word, .vd = vd, .mod = mod};
        vector_randomise(&model, VECTOR_ALL & ~VECTOR_FLAGS);
        vector_store(&model, tensix);
        ck_assert(model_config(&model, &call));
        ck_assert_ptr_null(vector_execute(&harness, word));
        vector_compare(&model, tensix, word, "modes");
    }
    vector_close(&harness);
}
END_TEST

/* LLK: `_init_sfpu_config_reg` writes 0 to LaneConfig; sfpi's constants; a mode that ttsim refuses.
 */
START_TEST(kernels_configure)
{
    ck_assert(vector_open(&harness, NULL));
    struct tensix_vector *vector = &tensix->vector;
    tensix_harness_run(&harness.base, 1,
                       "SFPCONFIG 4, 15, 1; SFPLOADI 0, 2, 0x1234; SFPCONFIG 0, 12, 0;"
                       "SFPCONFIG 0x0100, 8, 1; SFPCONFIG 0x0211, 8, 3; SFPCONFIG 0x0fff, 8, 7;"
                       "SFPCONFIG 5, 4, 8");
    ck_assert_uint_eq(harness.base.faults, 0);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        ck_assert_uint_eq(vector->lreg[12][i], 0x1234);
    }
    ck_assert_uint_eq(vector->sets.dest_index, UINT32_MAX);
    for (unsigned column = 0; column < 8; column++) {
        ck_assert_uint_eq(vector->lane_config[column], 4);
        ck_assert_uint_eq(vector->macro[column].misc, 0x0cee);
        ck_assert_uint_eq(vector->macro[column].sequence[0], column < 2 ? 0x1234 : 0);
    }
    vector_close(&harness);
}
END_TEST

/* --- Instruction templates --- */

/* Rows that have a VD in bits 7:4 and in bits 23:20: none but SFPCONFIG keeps it from being a
 * template; templates are written in all lanes whose backdoor is open, enabled or not. */
START_TEST(backdoors_take_words)
{
    static const uint32_t narrow[] = {
        0x74000000, 0x75000000, 0x76000000, 0x77000000, 0x78000000, 0x79000000, 0x7a000000,
        0x7b000000, 0x7c000000, 0x7d000000, 0x7e000000, 0x7f000000, 0x80000000, 0x81000000,
        0x82000000, 0x83000000, 0x84000000, 0x85000000, 0x86000000, 0x87000000, 0x88000000,
        0x89000000, 0x8a000000, 0x8b000000, 0x8c000000, 0x8d000000, 0x8e000000, 0x90000000,
        0x92000000, 0x94000000, 0x95000000, 0x96000000, 0x97000000, 0x98000000, 0x99000000};
    static const uint32_t wide[] = {0x70000000, 0x71000000, 0x72000000, 0x73000000};
    bool is_narrow = _i < COUNT(narrow);
    uint32_t word = is_narrow ? narrow[_i] : wide[_i - COUNT(narrow)];
    vector_seed((uint64_t)_i);
    ck_assert(vector_open(&harness, NULL));
    for (unsigned i = 0; i < 4 * 8; i++) {
        unsigned vd = 12 + i % 4;
        uint32_t full = word | vd << (is_narrow ? 4 : 20);
        vector_randomise(&model, VECTOR_LREGS | VECTOR_FLAGS | VECTOR_MACROS | VECTOR_CONFIG);
        vector_store(&model, tensix);
        vector_model_backdoor(&model, full, vd);
        ck_assert_ptr_null(vector_execute(&harness, full));
        vector_compare(&model, tensix, full, "backdoor");
    }
    vector_close(&harness);
}
END_TEST

enum { BACKDOOR_ROWS = 35 + 4 };

/* --- Power-on, soft reset, seed --- */

START_TEST(power_on_is_as_documented)
{
    ck_assert(vector_open(&harness, NULL));
    vector_power_on(&model);
    vector_compare(&model, tensix, 0, "power-on");
    for (unsigned lreg = 11; lreg <= 14; lreg++) {
        ck_assert_uint_eq(tensix->vector.lreg[lreg][31], default_of(lreg));
    }
    vector_close(&harness);
}
END_TEST

START_TEST(soft_reset_resets)
{
    static struct tensix_vector before;
    const uint32_t others = ~(uint32_t)TENSIX_RESET_MATH;
    ck_assert(vector_open(&harness, NULL));
    vector_seed(5);
    vector_randomise(&model, VECTOR_ALL);
    vector_store(&model, tensix);
    memcpy(&before, &tensix->vector, sizeof before); /* padding as well */
    tensix_soft_reset(tensix, 0, others);
    tensix_soft_reset(tensix, others, 0);
    ck_assert_int_eq(memcmp(&before, &tensix->vector, sizeof before), 0);
    tensix->vector.schedules = 3;
    tensix_soft_reset(tensix, 0, TENSIX_RESET_MATH);
    ck_assert_uint_eq(tensix->vector.schedules, 0);
    vector_compare(&model, tensix, 0, "held");
    tensix_soft_reset(tensix, TENSIX_RESET_MATH, 0);
    vector_power_on(&model);
    vector_compare(&model, tensix, 0, "left");
    vector_close(&harness);
}
END_TEST

/* While it is held nothing starts; afterwards what waited does. */
START_TEST(soft_reset_holds)
{
    ck_assert(vector_open(&harness, NULL));
    tensix_soft_reset(tensix, 0, TENSIX_RESET_MATH);
    tensix_harness_run(&harness.base, 1, "SFPMOV 0, 10, 0, 0");
    ck_assert_uint_eq(tensix->vector.lreg[0][0], 0);
    tensix_soft_reset(tensix, TENSIX_RESET_MATH, 0);
    tensix_harness_go(&harness.base, 0);
    ck_assert_uint_eq(tensix->vector.lreg[0][0], 0x3f800000);
    vector_close(&harness);
}
END_TEST

/* What ttsim does: the seed steps 32 times and twice more for each lane, from the last one down. */
static void model_seeded(struct vector_model *state, uint32_t seed)
{
    struct vector_lane lane = {.generator = seed};
    for (unsigned i = 0; i < 32; i++) {
        vector_advance(&lane);
    }
    for (unsigned i = 32; i-- > 0;) {
        vector_advance(&lane);
        vector_advance(&lane);
        state->lane[i].generator = lane.generator;
    }
}

START_TEST(seed_register_seeds)
{
    static const uint32_t seeds[] = {0, 1, 0xffffffff, 0x80000000, 0x12345678, 0xdeadbeef};
    enum { PRNG_SEED = TENSIX_WORD_PRNG_SEED_Seed_Val };
    uint32_t seed = seeds[_i];
    ck_assert(vector_open(&harness, NULL));
    vector_seed(6);
    vector_randomise(&model, VECTOR_ALL);
    vector_store(&model, tensix);
    model_seeded(&model, seed);
    ck_assert_int_eq(tensix_config_write(tensix, PRNG_SEED, seed), TENSIX_CONFIG_STORED);
    vector_compare(&model, tensix, 0, "store of a hart");
    ck_assert_uint_eq(tensix_config_read(tensix, PRNG_SEED), seed);
    tensix->gpr[0][1] = ~seed;
    char text[40];
    (void)snprintf(text, sizeof text, "WRCFG 1, 0, %u", PRNG_SEED);
    tensix_harness_run(&harness.base, 0, text);
    model_seeded(&model, ~seed);
    vector_compare(&model, tensix, 0, "WRCFG");
    (void)snprintf(text, sizeof text, "RMWCIB1 255, 0xa5, %u", PRNG_SEED);
    tensix_harness_run(&harness.base, 0, text);
    model_seeded(&model, (~seed & ~UINT32_C(0xff00)) | 0xa500);
    vector_compare(&model, tensix, 0, "RMWCIB");
    ck_assert_uint_eq(harness.base.unmodelled + harness.base.faults, 0);
    vector_close(&harness);
}
END_TEST

/* The same numbers come whatever the schedule: each lane of SFPMOV draws its own. */
START_TEST(random_numbers_come_from_the_seed)
{
    ck_assert(vector_open(&harness, NULL));
    (void)tensix_config_write(tensix, TENSIX_WORD_PRNG_SEED_Seed_Val, 42);
    vector_power_on(&model);
    model_seeded(&model, 42);
    for (unsigned k = 0; k < 100; k++) {
        tensix_harness_run(&harness.base, 2, "SFPMOV 0, 9, 3, 8");
        for (unsigned i = 0; i < NUM_LANES; i++) {
            model.lane[i].lreg[3] = vector_advance(&model.lane[i]);
        }
        vector_compare(&model, tensix, 0, "SFPMOV");
    }
    vector_close(&harness);
}
END_TEST

/* --- What shows outside --- */

START_TEST(debug_signals_show_lanes)
{
    ck_assert(vector_open(&harness, NULL));
    vector_seed(9);
    for (unsigned round = 0; round < 200; round++) {
        uint32_t data[4], wanted = 0;
        vector_randomise(&model, VECTOR_FLAGS | VECTOR_CONFIG);
        vector_store(&model, tensix);
        for (unsigned i = 0; i < NUM_LANES; i++) {
            wanted |= (uint32_t)vector_is_enabled(&model, i) << (i % 8 * 4 + i / 8);
        }
        ck_assert(tensix_debug_signals(tensix, 7, 28, data));
        ck_assert_uint_eq(data[0], wanted);
        ck_assert_uint_eq(data[1] | data[2] | data[3], 0);
        const uint32_t cc = 1u << 11 | 1u << 24;
        ck_assert_uint_eq(tensix_status(tensix, 0, 0) & cc, wanted ? cc : 0);
    }
    vector_close(&harness);
}
END_TEST

/* --- Moves of the Matrix Unit --- */

/* Opcode, operands that are drawn, a word that is there in any case. */
static const struct move_row {
    const char *name;
    uint32_t opcode, operands;
    bool is_blocked;
} move_rows[] = {
    {"MOVD2A", 0x08000000, 0x7e23ff, true}, {"MOVDBGA2D", 0x09000000, 0x7e23ff, true},
    {"MOVD2B", 0x0a000000, 0x7e23ff, true}, {"MOVB2A", 0x0b000000, 0x7e203f, false},
    {"MOVA2D", 0x12000000, 0x7e23ff, true}, {"MOVB2D", 0x13000000, 0x7e3bff, true},
};

static bool is_blocked(unsigned column)
{
    return tensix->vector.lane_config[column / 2] >> (9 + column % 2) & 1;
}

/* What is stored is as `before` in blocked columns and as `free` in the others. */
static void compare_move(const struct move_row *row, const struct tensix *before,
                         const struct tensix *free)
{
    bool keeps[16];
    for (unsigned column = 0; column < 16; column++) {
        keeps[column] = row->is_blocked && is_blocked(column);
    }
    for (unsigned i = 0; i < TENSIX_DST_ROWS; i++) {
        const uint16_t *old = before->dst.bits[i], *new = free->dst.bits[i];
        uint16_t wanted[16];
        for (unsigned column = 0; column < 16; column++) {
            wanted[column] = keeps[column] ? old[column] : new[column];
        }
        ck_assert_msg(memcmp(wanted, tensix->dst.bits[i], sizeof wanted) == 0, "%s: row %u of Dst",
                      row->name, i);
    }
    for (unsigned i = 0; i < 2 * 2 * 64; i++) {
        unsigned src = i / 128, bank = i / 64 % 2, line = i % 64;
        const uint32_t *old = before->src_file[src].bank[bank][line];
        const uint32_t *new = free->src_file[src].bank[bank][line];
        uint32_t wanted[16];
        for (unsigned column = 0; column < 16; column++) {
            wanted[column] = keeps[column] ? old[column] : new[column];
        }
        ck_assert_msg(memcmp(wanted, tensix->src_file[src].bank[bank][line], sizeof wanted) == 0,
                      "%s: row %u of Src", row->name, line);
    }
    const struct tensix *like = tensix->vector.sets.blocked_moves == 0xffff ? before : free;
    like = row->is_blocked ? like : free;
    ck_assert_int_eq(memcmp(like->dst.cleared, tensix->dst.cleared, sizeof free->dst.cleared), 0);
    ck_assert_int_eq(memcmp(&free->thread, &tensix->thread, sizeof free->thread), 0);
}

START_TEST(blocked_columns_do_not_move)
{
    static struct matrix_model matrix;
    static struct tensix before, free;
    const struct move_row *row = &move_rows[_i];
    unsigned moves = 0;
    ck_assert(vector_open(&harness, NULL));
    vector_seed(11);
    model_seed(11);
    for (unsigned round = 0; round < 16; round++) {
        if (round % 8 == 0) {
            model_randomise_data(&matrix);
        }
        model_randomise_setup(&matrix);
        matrix.matrix_may[MODEL_A][matrix.matrix_bank[MODEL_A]] = true;
        matrix.matrix_may[MODEL_B][matrix.matrix_bank[MODEL_B]] = true;
        model_store(&matrix, tensix);
        uint32_t word = row->opcode | (vector_random() & row->operands);
        before = *tensix;
        memset(tensix->vector.lane_config, 0, sizeof tensix->vector.lane_config);
        tensix_vector_derive(&tensix->vector);
        const char *fault = vector_execute(&harness, word);
        free = *tensix;
        *tensix = before;
        for (unsigned column = 0; column < 8; column++) {
            tensix->vector.lane_config[column] = round % 10 == 0 ? 0x600 : vector_random() & 0x600;
        }
        tensix_vector_derive(&tensix->vector);
        ck_assert_int_eq(vector_execute(&harness, word) != NULL, fault != NULL);
        compare_move(row, &before, &free);
        moves += !fault;
    }
    ck_assert_uint_gt(moves, 2);
    vector_close(&harness);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tensix_vector_config");
    TCase *tcase = tcase_create("tensix_vector_config");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, config_does_what_the_page_says, 0, 2 * VECTOR_KERNEL_SETS);
    tcase_add_loop_test(tcase, config_modes_are_complete, 0, 16);
    tcase_add_test(tcase, kernels_configure);
    tcase_add_loop_test(tcase, backdoors_take_words, 0, BACKDOOR_ROWS);
    tcase_add_test(tcase, power_on_is_as_documented);
    tcase_add_test(tcase, soft_reset_resets);
    tcase_add_test(tcase, soft_reset_holds);
    tcase_add_loop_test(tcase, seed_register_seeds, 0, 6);
    tcase_add_test(tcase, random_numbers_come_from_the_seed);
    tcase_add_test(tcase, debug_signals_show_lanes);
    tcase_add_loop_test(tcase, blocked_columns_do_not_move, 0, COUNT(move_rows));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
