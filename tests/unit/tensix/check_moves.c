/*
 * What the Matrix Unit moves between Dst, SrcA and SrcB: each instruction against a model of the
 * newest pages, a datum at a time, on random data, formats, configuration and counters, with what
 * the pages leave undefined as faults; waiting for banks; columns that a soft reset holds; LLK's
 * transposition of 32-bit data by halves.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "unit/guest_program.h"
#include "unit/tensix/matrix_model.h"
#include "num/tensix_format.h"
#include "unit/test.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_fixture.h"

enum { ROUNDS = 3000, DATA_EVERY = 60 };

static struct matrix_model model;

static void seed_model(void)
{
    setup();
    model_seed(1);
}

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & ((UINT32_C(2) << (high - low)) - 1);
}

/* --- The model --- */

enum {
    MOVD2A = 0x08,
    MOVDBGA2D,
    MOVD2B,
    MOVB2A,
    MOVDBGB2D,
    MOVA2D = 0x12,
    MOVB2D,
    TRNSPSRCB = 0x16,
    SHIFTXA,
    SHIFTXB,
};

enum waits { WAITS_FOR_NONE, WAITS_FOR_A, WAITS_FOR_B };

static const struct row {
    const char *name;
    uint8_t opcode;
    uint32_t operands; /* bits that may be set */
    enum waits waits;
} rows[] = {
    {"MOVD2A", MOVD2A, 0xfff3ff, WAITS_FOR_NONE},
    {"MOVDBGA2D", MOVDBGA2D, 0xfff3ff, WAITS_FOR_NONE},
    {"MOVD2B", MOVD2B, 0xfff3ff, WAITS_FOR_NONE},
    {"MOVB2A", MOVB2A, 0x7ff03f, WAITS_FOR_B},
    {"MOVA2D", MOVA2D, 0xfff3ff, WAITS_FOR_A},
    {"MOVB2D", MOVB2D, 0xfffbff, WAITS_FOR_B},
    {"MOVDBGB2D", MOVDBGB2D, 0xfffbff, WAITS_FOR_NONE},
    {"TRNSPSRCB", TRNSPSRCB, 0, WAITS_FOR_B},
    {"SHIFTXA", SHIFTXA, 3, WAITS_FOR_A},
    {"SHIFTXB", SHIFTXB, 0x01c43f, WAITS_FOR_B},
};

/* SPEC: RemoveLowMantissa, RemoveHighExponent */
static uint16_t narrow(uint32_t x, bool wide_exponent)
{
    uint32_t sign = x & 1 << 18;
    uint32_t mantissa = x & (wide_exponent ? 0x7f << 11 : 0x3ff << 8);
    return (uint16_t)(sign >> 3 | mantissa >> 3 | (x & (wide_exponent ? 0xff : 0x1f)));
}

/* SPEC: MOVA2D and MOVB2D after the choice of the rows. */
struct to_dst {
    unsigned format;
    bool wide, is_32bit, low;
};

/* Instructions that write another width than Dst has: they are told of, and happen. */
static unsigned doubts;

/* False where the pages call it undefined. */
static bool choose_to_dst(uint32_t word, unsigned format, struct to_dst *how)
{
    enum num_matrix_style style;
    bool is_format = model_style(format, &style);
    *how = (struct to_dst){.format = format, .low = bits(word, 23, 23)};
    if (!model.force) {
        if (model.fp32 && !how->low) { /* lower halves: LLK does it, and ttsim */
            style = NUM_MATRIX_TF32;
        }
        how->wide = model.fp32 || model.int8 || style != NUM_MATRIX_FP16;
        how->is_32bit = style == NUM_MATRIX_TF32;
    }
    bool dst32 = model.fp32 || model.int8;
    bool agrees = how->low || how->is_32bit == dst32 || model.high_half;
    bool happens = is_format && !(how->is_32bit && how->low);
    doubts += happens && !agrees;
    return happens;
}

static void model_to_dst(const struct to_dst *how, enum model_src src, unsigned row_src,
                         unsigned row_dst, bool column0)
{
    for (unsigned column = 0; column < MODEL_COLUMNS; column++) {
        uint32_t x = *model_src(&model, src, row_src, column0 ? 0 : column);
        if (!model.zero_flag_disabled && !(x & 0xff)) {
            x = 0;
        }
        uint32_t value = narrow(x, how->wide);
        if (how->is_32bit) {
            value = value << 16 | (x >> 8 & 7) << 13;
        } else if (how->low) {
            value |= model_read_dst(&model, true, row_dst, column, 0) & 0xffff0000;
        }
        model_write_dst(&model, how->is_32bit || how->low, row_dst, column, value);
    }
}

static unsigned implied(unsigned configured_as, enum model_src bank_of)
{
    return model.disable_implied[configured_as]
               ? model.configured[configured_as]
               : model.implied[bank_of][model.matrix_bank[bank_of]];
}

static bool model_a_to_dst(uint32_t word)
{
    struct to_dst how;
    unsigned count = bits(word, 13, 13) ? 8 : 1;
    if (bits(word, 12, 12) || !choose_to_dst(word, implied(0, MODEL_A), &how)) {
        return false;
    }
    unsigned row = model_dst_row(&model, bits(word, 9, 0)) & (0x400 - count);
    unsigned row_a = (bits(word, 22, 17) + model.rwc_a) & (0x40 - count);
    for (unsigned i = 0; i < count; i++) {
        model_to_dst(&how, MODEL_A, row_a + i, row + i, false);
    }
    model.shift_row = row_a;
    return true;
}

static bool model_b_to_dst(uint32_t word)
{
    struct to_dst how;
    bool one_row = bits(word, 12, 12);
    unsigned count = one_row ? 8 : bits(word, 13, 13) ? 4 : 1;
    if (!choose_to_dst(word, implied(0, MODEL_B), &how)) {
        return false;
    }
    unsigned row = model_dst_row(&model, bits(word, 9, 0)) & (0x400 - count);
    unsigned row_b = (bits(word, 22, 17) + model.rwc_b) & (one_row ? 0x3f : 0x40 - count);
    for (unsigned i = 0; i < count; i++) {
        model_to_dst(&how, MODEL_B, row_b + (one_row ? 0 : i), row + i, bits(word, 11, 11));
    }
    model.shift_row = model.rwc_a;
    return true;
}

/* SPEC: ShuffleBF16, ShuffleFP16; ShuffleTF32 of the top 19 bits. */
static uint32_t widen(enum num_matrix_style style, uint32_t x)
{
    switch (style) {
    case NUM_MATRIX_FP16:
        return (x & 0xffe0) << 3 | (x & 0x1f);
    case NUM_MATRIX_TF32:
        return (x & 0x7f800) | (x & 7) << 8 | (x & 0x7f8) >> 3;
    default:
        return (x & 0xff00) << 3 | (x & 0xff);
    }
}

static uint32_t model_from_dst(enum num_matrix_style style, bool dst32, bool low, unsigned row,
                               unsigned column)
{
    if (!dst32 && !low) {
        return widen(style, model_read_dst(&model, false, row, column, 0));
    }
    uint32_t value = model_read_dst(&model, true, row, column, 0);
    if (style == NUM_MATRIX_TF32) {
        return low ? value & 0x1fff : widen(style, value >> 13);
    }
    return widen(style, low ? value & 0xffff : value >> 16);
}

static bool model_dst_to_src(uint32_t word, enum model_src src)
{
    enum num_matrix_style style;
    bool low = bits(word, 23, 23), dst32 = (model.fp32 || model.int8) && !model.force;
    unsigned count = bits(word, 13, 13) ? 4 : 1;
    bool is_format = model_style(implied(0, src), &style);
    style = model.force ? NUM_MATRIX_FP16 : style;
    if (!is_format || bits(word, 12, 12) || (!dst32 && style == NUM_MATRIX_TF32) ||
        (!dst32 && low && !model.high_half)) {
        return false;
    }
    unsigned row = model_dst_row(&model, bits(word, 9, 0)) & (0x400 - count);
    unsigned row_src =
        (bits(word, 22, 17) + (src == MODEL_A ? model.rwc_a : model.rwc_b)) & (0x40 - count);
    for (unsigned i = 0; i < count * MODEL_COLUMNS; i++) {
        unsigned column = i % MODEL_COLUMNS, at = i / MODEL_COLUMNS;
        model_write_src(&model, src, row_src + at, column,
                        model_from_dst(style, dst32, low, row + at, column));
    }
    model.shift_row = src == MODEL_A ? row_src : model.rwc_a;
    return true;
}

static bool model_b_to_a(uint32_t word)
{
    unsigned count = bits(word, 13, 13) ? 4 : 1;
    unsigned row_a = (bits(word, 22, 17) + model.rwc_a) & (0x40 - count);
    unsigned row_b = (bits(word, 5, 0) + model.rwc_b) & (0x40 - count);
    if (bits(word, 12, 12)) {
        return false;
    }
    for (unsigned i = 0; i < count * MODEL_COLUMNS; i++) {
        uint32_t x = *model_src(&model, MODEL_B, row_b + i / MODEL_COLUMNS, i % MODEL_COLUMNS);
        bool is_zero = !model.zero_flag_disabled && !(x & 0xff);
        model_write_src(&model, MODEL_A, row_a + i / MODEL_COLUMNS, i % MODEL_COLUMNS,
                        is_zero ? 0 : x);
    }
    model.shift_row = row_a;
    return true;
}

static void model_transpose(void)
{
    uint32_t old[MODEL_COLUMNS][MODEL_COLUMNS];
    memcpy(old, model_src(&model, MODEL_B, 16, 0), sizeof old);
    for (unsigned i = 0; i < MODEL_COLUMNS * MODEL_COLUMNS; i++) {
        unsigned row = i / MODEL_COLUMNS, column = i % MODEL_COLUMNS;
        *model_src(&model, MODEL_B, 16 + row, column) = old[column][row];
    }
}

/* A shift by one column, `direction` as SHIFTXA has it, and what comes in. */
static void model_shift(enum model_src src, unsigned from, unsigned to, bool right, uint32_t in)
{
    uint32_t old[MODEL_COLUMNS];
    memcpy(old, model_src(&model, src, from, 0), sizeof old);
    for (int column = 0; column < MODEL_COLUMNS; column++) {
        int other = right ? column - 1 : column + 1;
        bool is_inside = other >= 0 && other < MODEL_COLUMNS;
        model_write_src(&model, src, to, (unsigned)column, is_inside ? old[other] : in);
    }
}

static bool model_shift_a(uint32_t word)
{
    for (unsigned i = 0; bits(word, 1, 1) && i < 16; i++) {
        model_shift(MODEL_A, (model.shift_row & 0x30) + i, i, !bits(word, 0, 0), 0);
    }
    return bits(word, 1, 1);
}

static void model_shift_b(uint32_t word)
{
    unsigned row = (bits(word, 5, 0) + model.rwc_b) % MODEL_SRC_ROWS;
    uint32_t first = *model_src(&model, MODEL_B, row, 0);
    model_shift(MODEL_B, row, row, false, bits(word, 10, 10) ? 0 : first);
}

static bool model_data(uint32_t word)
{
    switch (word >> 24) {
    case MOVD2A:
        return model_dst_to_src(word, MODEL_A);
    case MOVD2B:
        return model_dst_to_src(word, MODEL_B);
    case MOVB2A:
        return model_b_to_a(word);
    case MOVA2D:
        return model_a_to_dst(word);
    case MOVDBGA2D:
    case MOVDBGB2D: {
        unsigned row = model.shift_row; /* SPEC: SHIFTXA does not list MOVDBGA2D */
        bool happens = word >> 24 == MOVDBGA2D ? model_a_to_dst(word) : model_b_to_dst(word);
        model.shift_row = row;
        return happens;
    }
    case MOVB2D:
        return model_b_to_dst(word);
    case TRNSPSRCB:
        model_transpose();
        return true;
    case SHIFTXA:
        return model_shift_a(word);
    default:
        model_shift_b(word);
        return true;
    }
}

static bool model_instruction(uint32_t word)
{
    bool happens = model_data(word);
    if (happens && word >> 24 != TRNSPSRCB && word >> 24 != SHIFTXA) {
        model_addr_mod(&model, bits(word, 16, 14));
    }
    return happens;
}

/* --- Against it --- */

static uint32_t random_word(const struct row *row)
{
    uint32_t word = (uint32_t)row->opcode << 24 | (model_random() & row->operands);
    if (row->opcode < TRNSPSRCB && row->opcode != MOVB2D && row->opcode != MOVDBGB2D &&
        model_chance(90)) {
        word &= ~(UINT32_C(1) << 12); /* bit 0 of instr_mod has no meaning */
    }
    return row->opcode != SHIFTXA && model_chance(50) ? word & ~UINT32_C(7) : word;
}

static void check_word(uint32_t word, unsigned *done)
{
    model_store(&model, tensix);
    unsigned faults = harness.faults - doubts;
    bool happens = model_instruction(word);
    tensix_harness_push(&harness, model.thread, word);
    model_compare(&model, tensix, word);
    if (harness.faults != faults + doubts + !happens) {
        ck_abort_msg("0x%08" PRIx32 " %s: %s", word, happens ? "works" : "is a fault",
                     harness.fault.text);
    }
    *done += happens;
}

FIXTURE(seed_model, teardown);

TEST_EACH(moves_as_the_model, COUNT(rows))
{
    const struct row *row = &rows[_i];
    unsigned done = 0;
    for (int i = 0; i < ROUNDS; i++) {
        if (i % DATA_EVERY == 0) {
            model_randomise_data(&model);
        }
        model_randomise_setup(&model);
        if (model_chance(10)) {
            model.held[0] = model_random() & 0xffff;
            model.held[1] = model_chance(50) && row->opcode != TRNSPSRCB ? 0xffff : 0;
        }
        check_word(random_word(row), &done);
    }
    ck_assert_uint_gt(done, ROUNDS / 4);
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* Runs of all of them on one state: SHIFTXA reads where the one before it did. */
TEST(sequences_are_as_the_model)
{
    unsigned done = 0, faults = 0;
    doubts = 0;
    for (int i = 0; i < 60; i++) {
        model_randomise_data(&model);
        model_randomise_setup(&model);
        model_store(&model, tensix);
        for (int j = 0; j < 24; j++) {
            uint32_t word = random_word(&rows[model_below((unsigned)COUNT(rows))]);
            bool happens = model_instruction(word);
            tensix_harness_push(&harness, model.thread, word);
            done += happens;
            faults += !happens;
        }
        model_compare(&model, tensix, 0);
        ck_assert_uint_eq(harness.faults, faults + doubts);
    }
    ck_assert_uint_gt(done, 700);
}

/* --- Banks --- */

TEST_EACH(waits_for_its_bank, COUNT(rows))
{
    const struct row *row = &rows[_i];
    unsigned done = 0;
    for (unsigned missing = 1; missing < 4; missing++) {
        model_randomise_data(&model);
        model_randomise_setup(&model);
        model.fp32 = model.int8 = model.force = false;
        for (unsigned src = 0; src < 2; src++) {
            model.configured[src] = model.implied[src][0] = model.implied[src][1] = 5;
            model.unpack_bank[src] = model.matrix_bank[src];
            model.matrix_may[src][model.matrix_bank[src]] = !(missing >> src & 1);
        }
        uint32_t word = random_word(row) & ~UINT32_C(0x801000);
        word |= row->opcode == SHIFTXA ? 2 : 0;
        if (!(missing & row->waits)) {
            check_word(word, &done);
            continue;
        }
        unsigned src = row->waits == WAITS_FOR_B;
        model_store(&model, tensix);
        tensix_harness_push(&harness, model.thread, word);
        model_compare(&model, tensix, word);
        ck_assert_int_eq(tensix->thread[model.thread].wait, TENSIX_WAITS_FOR_SRC);
        ck_assert_uint_eq(tensix->thread[model.thread].wait_detail,
                          src | model.matrix_bank[src] << 1);
        model.matrix_may[src][model.matrix_bank[src]] = true;
        model.unpack_bank[src] = 1 - model.unpack_bank[src];
        ck_assert(model_instruction(word));
        tensix_src_give(tensix, (enum tensix_src)src);
        tensix_harness_go(&harness, 0);
        model_compare(&model, tensix, word);
    }
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- Faults --- */

enum { FP32 = 1, INT8 = 2, DOUBT = 4 };

static const struct fault {
    const char *instruction;
    uint8_t format, flags;
    const char *text; /* part of it; NULL: it works without a word */
} faults[] = {
    {"MOVA2D 1, 0, 0, 2, 0", 4, 0, "TEN-4245"},
    {"MOVA2D 1, 0, 0, 2, 0", 5, FP32, NULL},
    {"MOVA2D 1, 0, 0, 2, 0", 5, 0, NULL},
    {"MOVA2D 0, 0, 0, 2, 0", 4, DOUBT, "16-bit Dst, which gets 32 bits"},
    {"MOVA2D 0, 0, 0, 2, 0", 14, INT8 | DOUBT, "16 bits to Dst"},
    {"MOVA2D 1, 0, 0, 2, 0", 14, INT8, NULL},
    {"MOVA2D 0, 0, 0, 2, 0", 5, FP32, NULL},
    {"MOVA2D 0, 0, 0, 3, 0", 5, 0, "no instr_mod 3"},
    {"MOVDBGA2D 0, 0, 0, 1, 0", 5, 0, "MOVDBGA2D: no instr_mod 1"},
    {"MOVB2D 0, 0, 0, 0, 0", 12, 0, "MOVB2D: the format of its source, 12"},
    {"MOVB2D 1, 0, 0, 4, 0", 9, 0, NULL},
    {"MOVDBGB2D 0, 0, 0, 4, 0", 4, DOUBT, "MOVDBGB2D: TF32 to a 16-bit Dst"},
    {"MOVB2D 0, 0, 0, 4, 0", 4, DOUBT, "MOVB2D: TF32 to a 16-bit Dst"},
    {"MOVD2A 0, 0, 0, 2, 0", 4, 0, "TF32 from a 16-bit Dst"},
    {"MOVD2A 1, 0, 0, 2, 0", 5, 0, "dest_32b_lo of a 16-bit Dst"},
    {"MOVD2A 1, 0, 0, 2, 0", 5, FP32, NULL},
    {"MOVD2B 1, 0, 0, 0, 0", 4, INT8, NULL},
    {"MOVD2B 0, 0, 0, 0, 0", 13, 0, "MOVD2B: the format of its source, 13"},
    {"MOVD2B 0, 0, 0, 1, 0", 5, 0, "MOVD2B: no instr_mod 1"},
    {"MOVB2A 0, 0, 1, 0", 5, 0, "MOVB2A: no instr_mod 1"},
    {"SHIFTXA 0, 1", 5, 0, "SHIFTXA: shift mode 1 is reserved"},
};

TEST_EACH(faults_name_the_rule, COUNT(faults))
{
    const struct fault *row = &faults[_i];
    model_randomise_data(&model);
    model_randomise_setup(&model);
    model.force = model.high_half = false;
    model.fp32 = row->flags & FP32;
    model.int8 = row->flags & INT8;
    model.configured[0] = row->format;
    for (unsigned bank = 0; bank < 4; bank++) {
        model.implied[bank / 2][bank % 2] = row->format;
    }
    model_store(&model, tensix);
    tensix_harness_run(&harness, model.thread, row->instruction);
    ck_assert_uint_eq(harness.faults, row->text != NULL);
    if (row->text) {
        if (row->flags & DOUBT) {
            (void)model_instruction(tensix_harness_assemble(row->instruction));
        }
        model_compare(&model, tensix, 0);
        ck_assert_int_eq(harness.fault.kind, row->flags & DOUBT ? PENROSE_FAULT_TENSIX_DOUBTFUL
                                                                : PENROSE_FAULT_TENSIX_UNDEFINED);
        ck_assert_msg(strstr(harness.fault.text, row->text) != NULL, "%s", harness.fault.text);
        ck_assert_uint_lt(strlen(harness.fault.text), 190);
    }
}

/* --- By hand --- */

/* LLK transposes 16 x 16 data of 32 bits with Fp32_enabled clear and bit 11 of DBG_FEATURE_DISABLE
 * set: upper halves by way of SrcA, then lower halves. */
static const char transpose[] = "MOVD2B 0, 16, 0, 2, 0; MOVD2B 0, 20, 0, 2, 4;"
                                "MOVD2B 0, 24, 0, 2, 8; MOVD2B 0, 28, 0, 2, 12; TRNSPSRCB;"
                                "MOVB2A 32, 0, 2, 16; MOVB2A 36, 0, 2, 20;"
                                "MOVB2A 40, 0, 2, 24; MOVB2A 44, 0, 2, 28;"
                                "MOVD2B 1, 16, 0, 2, 0; MOVD2B 1, 20, 0, 2, 4;"
                                "MOVD2B 1, 24, 0, 2, 8; MOVD2B 1, 28, 0, 2, 12; TRNSPSRCB;"
                                "MOVA2D 0, 32, 0, 2, 0; MOVA2D 0, 40, 0, 2, 8;"
                                "MOVB2D 1, 16, 0, 4, 0; MOVB2D 1, 20, 0, 4, 4;"
                                "MOVB2D 1, 24, 0, 4, 8; MOVB2D 1, 28, 0, 4, 12";

TEST(halves_of_32_bits_by_hand)
{
    const struct tensix_dst_map map = {.high_half = true};
    uint32_t data[MODEL_COLUMNS][MODEL_COLUMNS];
    for (unsigned i = 0; i < MODEL_COLUMNS * MODEL_COLUMNS; i++) {
        data[i / MODEL_COLUMNS][i % MODEL_COLUMNS] = model_random();
        tensix_dst_write32(&tensix->dst, map, i / MODEL_COLUMNS, i % MODEL_COLUMNS,
                           data[i / MODEL_COLUMNS][i % MODEL_COLUMNS]);
    }
    tensix->dst_high_half = true;
    tensix->src[MODEL_A].matrix_may[0] = tensix->src[MODEL_B].matrix_may[0] = true;
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_ALU_ACC_CTRL_Zero_Flag_disabled_src, 1);
    tensix_harness_run(&harness, 1, transpose);
    ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
    for (unsigned i = 0; i < MODEL_COLUMNS * MODEL_COLUMNS; i++) {
        unsigned row = i / MODEL_COLUMNS, column = i % MODEL_COLUMNS;
        ck_assert_uint_eq(tensix_dst_read32(&tensix->dst, map, row, column, TENSIX_DST_READS_ZERO),
                          data[column][row]);
    }
}

/* --- By programs of harts --- */

FIXTURE(guest_open, guest_close);

/* --- MOVDBGB2D --- */

enum { SRCB_ROW = 16, MOVED_TO = 64 };

/* Page MOVB2D, which MOVDBGB2D is without the wait (yaml; page MOVDBGA2D says so of its twin). `from`
 * is the row of SrcB that row i of Dst has, -1: it stays as it was. */
static const struct {
    unsigned mode;
    bool column_0;
    int from[8];
} debug_moves[] = {
    {0, false, {0, -1, -1, -1, -1, -1, -1, -1}}, {1, true, {0, -1, -1, -1, -1, -1, -1, -1}},
    {2, false, {0, 0, 0, 0, 0, 0, 0, 0}},        {3, true, {0, 0, 0, 0, 0, 0, 0, 0}},
    {4, false, {0, 1, 2, 3, -1, -1, -1, -1}},    {5, true, {0, 1, 2, 3, -1, -1, -1, -1}},
};

TEST_EACH(debug_move_needs_no_bank, COUNT(debug_moves))
{
    uint32_t source[4][PENROSE_DST_COLUMNS], before[8][PENROSE_DST_COLUMNS];
    guest_begin(PENROSE_TRISC1);
    say_store(GUEST_CONFIG(3), 3 << 21);           /* T1 sees Dst as BF16 */
    say_store(GUEST_CONFIG(1), UINT32_C(5) << 17); /* the Matrix Unit too */
    say_setc16(2, 1);
    say_setc16(3, 1);
    say_fill(GUEST_DST, 0x4000, 80 * PENROSE_DST_COLUMNS, 2);
    say(".ttinsn MOVD2B 0, %u, 0, 2, 0", SRCB_ROW);
    guest_finish(PENROSE_TRISC1);
    for (unsigned i = 0; i < 4; i++) {
        guest_dst_row(i, PENROSE_DST_BF16, source[i]);
    }
    for (unsigned i = 0; i < 8; i++) {
        guest_dst_row(MOVED_TO + i, PENROSE_DST_BF16, before[i]);
        ck_assert_uint_eq(before[i][3], 0x4000 + (MOVED_TO + i) * PENROSE_DST_COLUMNS + 3);
    }
    guest_begin(PENROSE_TRISC1);
    say(".ttinsn MOVDBGB2D 0, %u, 0, %u, %u", SRCB_ROW, debug_moves[_i].mode, MOVED_TO);
    guest_finish(PENROSE_TRISC1);
    guest_expect_done();
    ck_assert_uint_eq(guest_named("srcb.0.valid"), 0);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        const int from = debug_moves[_i].from[i];
        guest_dst_row(MOVED_TO + i, PENROSE_DST_BF16, datum);
        for (unsigned j = 0; j < PENROSE_DST_COLUMNS; j++) {
            ck_assert_uint_eq(datum[j], from < 0 ? before[i][j]
                                                 : source[from][debug_moves[_i].column_0 ? 0 : j]);
        }
    }
}
