/*
 * Configuration of the Vector Unit: SFPCONFIG as kernels use it (all modes: check_sfp_rows.c),
 * power-on, soft reset, the seed register, what status and debug signals show, and the Matrix Unit's
 * moves with blocked columns. Against models written from the ISA's pages.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/tensix/matrix_model.h"
#include "unit/test.h"
#include "tensix/config/regs.h"
#include "tensix/exec.h"
#include "unit/tensix/lane_model.h"
#include "unit/tensix/tensix_fixture.h"

static struct f_model model;

/* Makes unit and model something random, LaneConfig and macros included. */
static void draw_all(void)
{
    f_fill(&model, tensix, &dice);
    f_configure(&model, &dice);
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        for (unsigned i = 0; i < TENSIX_MACROS; i++) {
            unsigned column = lane % TENSIX_LANE_COLUMNS;
            model.state.macro[lane].instruction[i] = 0x89abcdef * (column + i + 1);
            model.state.macro[lane].sequence[i] = 0x76543211 * (column + i + 1);
        }
        model.state.macro[lane].misc = 0xabc;
    }
    f_put(&model, tensix);
}

/* SPEC: LReg, SoftReset. Makes the model what the unit is after power-on. */
static void model_power_on(void)
{
    /* LReg[11] to [14] are -1, 1 / 512, -0.67487759 and -0.34484843. */
    static const uint32_t constants[] = {0x3f56594b, 0,          0x3f800000, 0xbf800000,
                                         0x3b000000, 0xbf2cc4c7, 0xbeb08ff9};
    struct f_state *s = &model.state;
    memset(&model, 0, sizeof model);
    model.tensix = tensix;
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        for (unsigned i = 0; i < COUNT(constants); i++) {
            s->lreg[8 + i][lane] = constants[i];
        }
        s->lreg[15][lane] = 2 * lane;
    }
    memcpy(s->dst, tensix->dst.bits, sizeof s->dst);
    memcpy(s->cleared, tensix->dst.cleared, sizeof s->cleared);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        s->rwc[i] = tensix->thread[i].rwc;
    }
}

/* --- SFPCONFIG --- */

FIXTURE(setup, teardown);

/* LLK: `_init_sfpu_config_reg` writes 0 to LaneConfig; sfpi's constants; a mode that ttsim refuses.
 */
TEST(kernels_configure)
{
    struct tensix_vector *vector = &tensix->vector;
    tensix_harness_run(&harness, 1,
                       "SFPCONFIG 4, 15, 1; SFPLOADI 0, 2, 0x1234; SFPCONFIG 0, 12, 0;"
                       "SFPCONFIG 0x0100, 8, 1; SFPCONFIG 0x0211, 8, 3; SFPCONFIG 0x0fff, 8, 7;"
                       "SFPCONFIG 5, 4, 8");
    ck_assert_uint_eq(harness.faults, 0);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        ck_assert_uint_eq(vector->lreg[12][i], 0x1234);
    }
    ck_assert_uint_eq(vector->sets.dest_index, UINT32_MAX);
    for (unsigned column = 0; column < 8; column++) {
        ck_assert_uint_eq(vector->lane_config[column], 4);
        ck_assert_uint_eq(vector->macro[column].misc, 0x0cee);
        ck_assert_uint_eq(vector->macro[column].sequence[0], column < 2 ? 0x1234 : 0);
    }
}

/* --- Power-on, soft reset, seed --- */

TEST(power_on_is_as_documented)
{
    model_power_on();
    f_compare(&model, tensix, "power-on");
}

TEST(soft_reset_resets)
{
    static struct tensix_vector before;
    const uint32_t others = ~(uint32_t)TENSIX_RESET_MATH;
    draw_all();
    memcpy(&before, &tensix->vector, sizeof before); /* padding as well */
    tensix_soft_reset(tensix, 0, others);
    tensix_soft_reset(tensix, others, 0);
    ck_assert_int_eq(memcmp(&before, &tensix->vector, sizeof before), 0);
    tensix->vector.schedules = 3;
    tensix_soft_reset(tensix, 0, TENSIX_RESET_MATH);
    ck_assert_uint_eq(tensix->vector.schedules, 0);
    f_compare(&model, tensix, "held");
    tensix_soft_reset(tensix, TENSIX_RESET_MATH, 0);
    model_power_on();
    f_compare(&model, tensix, "left");
}

/* While it is held nothing starts; afterwards what waited does. */
TEST(soft_reset_holds)
{
    tensix_soft_reset(tensix, 0, TENSIX_RESET_MATH);
    tensix_harness_run(&harness, 1, "SFPMOV 0, 10, 0, 0");
    ck_assert_uint_eq(tensix->vector.lreg[0][0], 0);
    tensix_soft_reset(tensix, TENSIX_RESET_MATH, 0);
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(tensix->vector.lreg[0][0], 0x3f800000);
}

/* What ttsim does: the seed steps 32 times and twice more for each lane, from the last one down. */
static void model_seeded(uint32_t seed)
{
    uint32_t *generator = model.state.generator;
    generator[0] = seed;
    for (unsigned i = 0; i < 32; i++) {
        (void)f_next_random(&model.state, 0);
    }
    for (unsigned i = NUM_LANES; i-- > 0;) {
        (void)f_next_random(&model.state, 0);
        (void)f_next_random(&model.state, 0);
        generator[i] = generator[0];
    }
}

TEST_EACH(seed_register_seeds, 6)
{
    static const uint32_t seeds[] = {0, 1, 0xffffffff, 0x80000000, 0x12345678, 0xdeadbeef};
    enum { PRNG_SEED = TENSIX_WORD_PRNG_SEED_Seed_Val };
    uint32_t seed = seeds[_i];
    draw_all();
    model_seeded(seed);
    ck_assert_int_eq(tensix_config_write(tensix, PRNG_SEED, seed), ANSWER_DONE);
    f_compare(&model, tensix, "store of a hart");
    ck_assert_uint_eq(tensix_config_read(tensix, PRNG_SEED), seed);
    tensix->gpr[0][1] = ~seed;
    char text[40];
    (void)snprintf(text, sizeof text, "WRCFG 1, 0, %u", PRNG_SEED);
    tensix_harness_run(&harness, 0, text);
    model_seeded(~seed);
    f_compare(&model, tensix, "WRCFG");
    (void)snprintf(text, sizeof text, "RMWCIB1 255, 0xa5, %u", PRNG_SEED);
    tensix_harness_run(&harness, 0, text);
    model_seeded((~seed & ~UINT32_C(0xff00)) | 0xa500);
    f_compare(&model, tensix, "RMWCIB");
    ck_assert_uint_eq(harness.unmodelled + harness.faults, 0);
}

/* The same numbers come whatever the schedule: each lane of SFPMOV draws its own. */
TEST(random_numbers_come_from_the_seed)
{
    (void)tensix_config_write(tensix, TENSIX_WORD_PRNG_SEED_Seed_Val, 42);
    model_power_on();
    model_seeded(42);
    for (unsigned k = 0; k < 100; k++) {
        tensix_harness_run(&harness, 2, "SFPMOV 0, 9, 3, 8");
        for (unsigned i = 0; i < NUM_LANES; i++) {
            model.state.lreg[3][i] = f_next_random(&model.state, i);
        }
        f_compare(&model, tensix, "SFPMOV");
    }
}

/* --- What shows outside --- */

TEST(debug_signals_show_lanes)
{
    for (unsigned round = 0; round < 200; round++) {
        uint32_t data[4], wanted = 0;
        draw_all();
        for (unsigned i = 0; i < NUM_LANES; i++) {
            wanted |= (uint32_t)f_enabled(&model.state, i) << (i % 8 * 4 + i / 8);
        }
        ck_assert(tensix_debug_signals(tensix, 7, 28, data));
        ck_assert_uint_eq(data[0], wanted);
        ck_assert_uint_eq(data[1] | data[2] | data[3], 0);
        const uint32_t cc = 1u << 11 | 1u << 24;
        ck_assert_uint_eq(tensix_status(tensix, 0, 0) & cc, wanted ? cc : 0);
    }
}

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

/* Is there no fault? */
static bool execute_move(uint32_t word)
{
    unsigned row = tensix_row_of(word), faults = harness.faults;
    tensix->now += 8;
    tensix->thread[0].next = word;
    ck_assert_int_eq(tensix_runners[row](tensix, 0, word), TENSIX_DONE);
    return harness.faults == faults;
}

TEST_EACH(blocked_columns_do_not_move, COUNT(move_rows))
{
    static struct matrix_model matrix;
    static struct tensix before, free;
    const struct move_row *row = &move_rows[_i];
    unsigned moves = 0;
    model_seed(11);
    for (unsigned round = 0; round < 16; round++) {
        if (round % 8 == 0) {
            model_randomise_data(&matrix);
        }
        model_randomise_setup(&matrix);
        matrix.matrix_may[MODEL_A][matrix.matrix_bank[MODEL_A]] = true;
        matrix.matrix_may[MODEL_B][matrix.matrix_bank[MODEL_B]] = true;
        model_store(&matrix, tensix);
        uint32_t word = row->opcode | (random_next(&dice) & row->operands);
        before = *tensix;
        memset(tensix->vector.lane_config, 0, sizeof tensix->vector.lane_config);
        tensix_vector_derive(&tensix->vector);
        bool executes = execute_move(word);
        free = *tensix;
        *tensix = before;
        for (unsigned column = 0; column < 8; column++) {
            tensix->vector.lane_config[column] =
                round % 10 == 0 ? 0x600 : random_next(&dice) & 0x600;
        }
        tensix_vector_derive(&tensix->vector);
        ck_assert_int_eq(execute_move(word), executes);
        compare_move(row, &before, &free);
        moves += executes;
    }
    ck_assert_uint_gt(moves, 2);
}
