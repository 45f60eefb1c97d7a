/*
 * What the Matrix Unit clears: ZEROACC in all modes and ZEROSRC against a model of the pages on
 * random state, CLREXPHIST, and what the soft resets of SOFT_RESET_0 do to Dst, SrcA and SrcB.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/guest_program.h"
#include "unit/tensix/matrix_model.h"
#include "unit/test.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_fixture.h"

enum { ROUNDS = 4000, DATA_EVERY = 50, MODES = 8 };
enum { ZEROACC = 0x10, ZEROSRC };

static struct matrix_model model;

static void draw_model(void)
{
    setup();
    model_seed(1);
    model_randomise_data(&model);
    model_randomise_setup(&model);
}

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & ((UINT32_C(2) << (high - low)) - 1);
}

/* --- ZEROACC --- */

static void model_one_row(unsigned row, bool valid)
{
    row = model_dst_row(&model, row) & 0x3ff;
    bool is_32bit = model.fp32 || model.int8 || model.high_half;
    model.valid[is_32bit ? model_adj32(&model, row) : model_adj16(&model, row)] = valid;
}

/* The bank that silicon adds (ttsim in Dst32b), then as the page. */
static void model_16_rows(unsigned block, bool is_32b, bool valid)
{
    block &= 0xff;
    unsigned sum = model_dst_row(&model, is_32b ? 0 : block);
    if (!model.absolute && is_32b && sum & 768) {
        block += 16;
    } else if (!model.absolute && !is_32b && sum & 512) {
        block += 32;
    }
    for (unsigned i = 0; i < 16 && block < (is_32b ? 32 : 64); i++) {
        unsigned row = block * 16 + i;
        model.valid[is_32b || model.high_half ? model_adj32(&model, row)
                                              : model_adj16(&model, row)] = valid;
    }
}

static bool model_zeroacc(uint32_t word)
{
    bool valid = bits(word, 17, 17);
    unsigned mode = bits(word, 21, 19), where = bits(word, 9, 0);
    switch (mode) {
    case 0:
        model_one_row(where, valid);
        break;
    case 1:
        model_16_rows(where, bits(word, 18, 18), valid);
        break;
    case 2:
    case 6:
        memset(model.valid + (where % 2 ? 512 : 0), valid, 512);
        break;
    case 3:
    case 7:
        memset(model.valid, valid, 1024);
        break;
    default:
        return false;
    }
    model_flip(&model, bits(word, 23, 22));
    if (mode < 2) {
        model_addr_mod(&model, bits(word, 16, 14));
    }
    return true;
}

FIXTURE(draw_model, teardown);

TEST_EACH(zeroacc_is_as_the_model, MODES)
{
    unsigned faults = 0;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t word = (uint32_t)ZEROACC << 24 | (uint32_t)_i << 19 | (model_random() & 0xc7c3ff);
        if (i % DATA_EVERY == 0) {
            model_randomise_data(&model);
        }
        model_randomise_setup(&model);
        word = model_chance(70) ? word & ~UINT32_C(0x3c0) : word; /* a block that exists */
        model_store(&model, tensix);
        faults += !model_zeroacc(word);
        tensix_harness_push(&harness, model.thread, word);
        model_compare(&model, tensix, word);
    }
    ck_assert_uint_eq(faults, _i == 4 || _i == 5 ? ROUNDS : 0);
    ck_assert_uint_eq(harness.faults, faults);
}

/* Block n of Dst32b is the upper halves of its rows 16n to 16n + 15, physical rows 32n to 32n + 7 and
 * 32n + 16 to 32n + 23, whatever Fp32_enabled is; with a row offset that has bit 8 or 9 it counts
 * from the upper half of Dst. Of Dst16b the rows that a p150b cleared. */
TEST_EACH(blocks_by_hand, 13 * 2)
{
    enum { NONE = -1 };
    static const struct {
        const char *insn;
        unsigned offset;
        bool is_absolute, is_32b;
        int first;
    } rows[] = {
        {"ZEROACC 1, 1, 0, 0, 0", 0, false, true, 0},
        {"ZEROACC 1, 1, 0, 0, 3", 0, false, true, 96},
        {"ZEROACC 1, 1, 0, 0, 3", 255, false, true, 96},
        {"ZEROACC 1, 1, 0, 0, 3", 256, false, true, 608},
        {"ZEROACC 1, 1, 0, 0, 3", 512, false, true, 608},
        {"ZEROACC 1, 1, 0, 0, 3", 256, true, true, 96},
        {"ZEROACC 1, 1, 0, 0, 31", 0, false, true, 992},
        {"ZEROACC 1, 1, 0, 0, 32", 0, false, true, NONE},
        {"ZEROACC 1, 1, 0, 0, 16", 256, false, true, NONE},
        {"ZEROACC 1, 0, 0, 0, 31", 480, false, false, 496},
        {"ZEROACC 1, 0, 0, 0, 31", 488, false, false, 1008},
        {"ZEROACC 1, 0, 0, 0, 15", 496, false, false, 240},
        {"ZEROACC 1, 0, 0, 0, 16", 496, false, false, 768},
    };
    unsigned i = (unsigned)_i / 2;
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_ALU_ACC_CTRL_Fp32_enabled, (uint32_t)_i % 2);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_DEST_ACCESS_CFG_zeroacc_absolute_tile_mode,
                            rows[i].is_absolute);
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_DEST_TARGET_REG_CFG_MATH_Offset,
                            rows[i].offset);
    tensix_harness_run(&harness, 0, rows[i].insn);
    ck_assert_uint_eq(harness.faults, 0);
    for (int row = 0; row < MODEL_ROWS; row++) {
        int at = row - rows[i].first;
        bool is_cleared =
            rows[i].first != NONE && at >= 0 && (rows[i].is_32b ? at < 32 && at % 16 < 8 : at < 16);
        ck_assert_msg(tensix->dst.cleared[row] == is_cleared, "row %d", row);
    }
}

TEST_RANGE(modes_that_are_none, 4, 5)
{
    char text[40];
    harness.stop = true;
    snprintf(text, sizeof text, "ZEROACC %d, 0, 0, 0, 0", _i);
    model_store(&model, tensix);
    tensix_harness_run(&harness, model.thread, text);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_UNDEFINED);
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "ZEROACC: no mode"));
    model_compare(&model, tensix, 0);
}

/* --- ZEROSRC --- */

static void model_zerosrc(uint32_t word)
{
    for (unsigned src = 0; src < 2; src++) {
        unsigned bank = bits(word, 3, 3) ? model.matrix_bank[src] : model.unpack_bank[src];
        uint32_t value = src == 0 && bits(word, 4, 4) ? 0x7ffff : 0;
        for (unsigned i = 0; bits(word, src, src) && i < 2 * MODEL_SRC_ROWS * MODEL_COLUMNS; i++) {
            bool is_named = bits(word, 2, 2) || i / (MODEL_SRC_ROWS * MODEL_COLUMNS) == bank;
            bool is_held = model.held[src] >> i % MODEL_COLUMNS & 1;
            uint32_t *datum = &model.src[src][0][0][0] + i;
            *datum = is_named && !is_held ? value : *datum;
        }
    }
}

/* With columns held, which have zeros then; it waits for no bank, and keeps them. */
TEST(zerosrc_is_as_the_model)
{
    for (int i = 0; i < 400; i++) {
        uint32_t word = (uint32_t)ZEROSRC << 24 | model_below(32);
        model_randomise_data(&model);
        model_randomise_setup(&model);
        for (unsigned src = 0; src < 2; src++) {
            model.matrix_may[src][0] = model_chance(50);
            model.matrix_may[src][1] = model_chance(50);
            model.held[src] = model_chance(30) ? model_random() & 0xffff : 0;
            for (unsigned j = 0; j < 2 * MODEL_SRC_ROWS * MODEL_COLUMNS; j++) {
                uint32_t *datum = &model.src[src][0][0][0] + j;
                *datum = model.held[src] >> j % MODEL_COLUMNS & 1 ? 0 : *datum;
            }
        }
        model_store(&model, tensix);
        model_zerosrc(word);
        tensix_harness_push(&harness, model.thread, word);
        model_compare(&model, tensix, word);
    }
    ck_assert_uint_eq(harness.faults + harness.unmodelled, 0);
}

/* --- CLREXPHIST --- */

TEST(the_histogram_is_cleared)
{
    const struct tensix_packer before = tensix->packer[0];
    memset(tensix->packer[0].histogram, 0xff, sizeof tensix->packer[0].histogram);
    tensix->packer[0].max_exponent = 200;
    tensix_harness_run(&harness, 2, "CLREXPHIST");
    ck_assert_mem_eq(&tensix->packer[0], &before, sizeof before);
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* --- Soft resets --- */

static void soft_reset(uint32_t value)
{
    uint32_t entering = value & ~tensix->held;
    tensix->held = value;
    tensix_matrix_soft_reset(tensix, entering);
}

/* Bits of SOFT_RESET_0, and the columns of SrcA and SrcB that they hold. */
static const struct held {
    uint32_t bit;
    uint16_t columns[2];
} held_rows[] = {
    {1 << 10, {0xffff, 0}}, {1 << 16, {0, 0xffff}}, {1 << 19, {0x000f, 0}},
    {1 << 20, {0x00f0, 0}}, {1 << 21, {0x0f00, 0}}, {1 << 22, {0xf000, 0}},
    {1 << 15, {0, 0}},      {1 << 17, {0, 0}},      {1 << 19 | 1 << 22, {0xf00f, 0}},
};

static void check_columns(const struct held *row, bool held)
{
    for (unsigned i = 0; i < 2 * 2 * 64 * 16; i++) {
        unsigned src = i / 2048, column = i % 16;
        uint32_t data = (&tensix->src_file[src].bank[0][0][0])[i % 2048];
        uint32_t old = (&model.src[src][0][0][0])[i % 2048];
        bool is_held = row->columns[src] >> column & 1;
        if (data != (is_held ? 0 : old)) {
            ck_abort_msg("column %u of Src%c is 0x%05" PRIx32, column, "AB"[src], data);
        }
    }
    ck_assert_uint_eq(tensix->src_file[0].held, held ? row->columns[0] : 0);
    ck_assert_uint_eq(tensix->src_file[1].held, held ? row->columns[1] : 0);
}

/* Entering clears columns, leaving lets them be written again; the rest stays. */
TEST_EACH(resets_hold_columns, COUNT(held_rows))
{
    const struct held *row = &held_rows[_i];
    model_store(&model, tensix);
    tensix->held = 0;
    soft_reset(row->bit);
    check_columns(row, true);
    soft_reset(row->bit | 1 << 6); /* another bit: nothing new */
    check_columns(row, true);
    soft_reset(0);
    check_columns(row, false);
}

TEST(the_reset_of_dst)
{
    model_store(&model, tensix);
    tensix->packer[0].max_exponent = 5;
    tensix->packer[0].histogram[3] = 1;
    soft_reset(TENSIX_RESET_DST);
    for (unsigned row = 0; row < MODEL_ROWS; row++) {
        ck_assert(!tensix->dst.cleared[row]);
    }
    ck_assert_mem_eq(tensix->dst.bits, model.dst, sizeof model.dst);
    ck_assert_uint_eq(tensix->packer[0].max_exponent + tensix->packer[0].histogram[3], 0);
    const struct tensix_rwc before = tensix->thread[0].rwc;
    tensix_harness_run(&harness, 0, "ZEROACC 3, 0, 0, 0, 0; ZEROACC 1, 0, 0, 3, 0");
    for (unsigned row = 0; row < MODEL_ROWS; row++) { /* discarded while it is held */
        ck_assert(!tensix->dst.cleared[row]);
    }
    ck_assert_mem_eq(&tensix->thread[0].rwc, &before, sizeof before);
    soft_reset(0);
    tensix_harness_run(&harness, 0, "ZEROACC 3, 0, 0, 0, 0");
    ck_assert(tensix->dst.cleared[0] && tensix->dst.cleared[MODEL_ROWS - 1]);
    ck_assert_uint_eq(harness.faults, 0);
}

TEST(the_reset_of_the_unit)
{
    tensix->matrix.generator = 5;
    soft_reset(TENSIX_RESET_DST);
    ck_assert_uint_eq(tensix->matrix.generator, 5);
    soft_reset(TENSIX_RESET_MATH);
    ck_assert_uint_eq(tensix->matrix.generator, 0);
    soft_reset(0);
}

/* --- By programs of harts --- */

FIXTURE(guest_open, guest_close);

/* --- ZEROACC --- */

/*
 * Page ZEROACC, on rows as the memory has them: 16 rows of 32-bit Dst are where * 32 + {0 to 7, 16 to
 * 23}, so that the valid bits of rows that hold low halves stay. Of 16 rows the low 8 bits of `where`
 * count, out of range nothing happens. Blackhole (ttsim; cfg_defines has the bit): unless
 * zeroacc_absolute_tile_mode is set, the address that MATH_Offset and the counter give chooses the
 * half: 32 blocks more where bit 9 is set, in 32-bit mode 16 more where bits 8 or 9 are. yaml:
 * clear_zero_flags makes rows valid again, with what they held.
 */
static const struct {
    const char *text;
    unsigned fp32, absolute, offset;
    unsigned first, count; /* physical rows that are cleared: */
    bool spread;           /* by eight, with a gap of eight */
    bool reverts;          /* all others are, these are valid again */
} clears[] = {
    {"ZEROACC 1, 1, 0, 0, 0", 0, 0, 0, 0, 16, true, false},
    {"ZEROACC 1, 1, 0, 0, 3", 0, 0, 0, 96, 16, true, false},
    {"ZEROACC 1, 1, 0, 0, 31", 0, 1, 0, 992, 16, true, false},
    {"ZEROACC 1, 1, 0, 0, 32", 0, 1, 0, 0, 0, true, false},
    {"ZEROACC 1, 1, 0, 0, 1", 0, 0, 256, 17 * 32, 16, true, false},
    {"ZEROACC 1, 1, 0, 0, 1", 0, 1, 256, 32, 16, true, false},
    {"ZEROACC 1, 0, 0, 0, 5", 0, 0, 0, 80, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 63", 0, 1, 0, 1008, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 64", 0, 1, 0, 0, 0, false, false},
    {"ZEROACC 1, 0, 0, 0, 0x105", 0, 1, 0, 80, 16, false, false},
    {"ZEROACC 1, 1, 1, 0, 2", 0, 1, 0, 64, 16, true, true},
    {"ZEROACC 1, 0, 1, 0, 7", 0, 1, 0, 112, 16, false, true},
    {"ZEROACC 1, 0, 0, 0, 1", 0, 0, 512, 33 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 1", 0, 1, 512, 16, 16, false, false},
    /* tt-metal #54295 measured on a p150b that the number of the block is added to the offset, and
     * the sum chooses the half; ttsim would have the low half in all of these */
    {"ZEROACC 1, 0, 0, 0, 31", 0, 0, 480, 31 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 31", 0, 0, 488, 63 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 31", 0, 0, 496, 63 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 15", 0, 0, 496, 15 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 16", 0, 0, 496, 48 * 16, 16, false, false},
    {"ZEROACC 0, 0, 0, 0, 5", 0, 0, 0, 5, 1, false, false},
    {"ZEROACC 0, 0, 0, 0, 13", 1, 0, 0, 21, 1, false, false}, /* Adj32 of page Dst */
    {"ZEROACC 2, 0, 0, 0, 1", 0, 0, 0, 512, 512, false, false},
};

static unsigned physical_32(unsigned row)
{
    return (row & 0x1f8) << 1 | (row & 7);
}

TEST_EACH(zeroacc_clears_rows, COUNT(clears))
{
    static uint32_t half[GUEST_DST_ROWS_16][PENROSE_DST_COLUMNS],
        full[GUEST_DST_ROWS_32][PENROSE_DST_COLUMNS];
    static bool cleared[GUEST_DST_ROWS_16];
    static const uint32_t zeros[PENROSE_DST_COLUMNS];
    guest_begin(PENROSE_TRISC1);
    say_fill(GUEST_DST, 0x3f812345, GUEST_DST_ROWS_32 * PENROSE_DST_COLUMNS, 4);
    guest_finish(PENROSE_TRISC1);
    memset(cleared, clears[_i].reverts, sizeof cleared);
    for (unsigned i = 0; i < clears[_i].count; i++) {
        cleared[clears[_i].first + (clears[_i].spread ? (i & 8) * 2 + (i & 7) : i)] =
            !clears[_i].reverts;
    }
    for (unsigned i = 0; i < GUEST_DST_ROWS_16; i++) {
        guest_dst_row(i, PENROSE_DST_BF16, half[i]);
        EXPECT(half[i][0] != 0);
    }
    for (unsigned i = 0; i < GUEST_DST_ROWS_32; i++) {
        guest_dst_row(i, PENROSE_DST_FP32, full[i]);
        EXPECT(full[i][0] == 0x3f812345 + i * PENROSE_DST_COLUMNS);
    }
    guest_begin(PENROSE_TRISC1);
    say_store(GUEST_CONFIG(1), clears[_i].fp32 << 29);
    say_store(GUEST_CONFIG(220), clears[_i].absolute << 3);
    say_setc16(1, clears[_i].offset); /* DEST_TARGET_REG_CFG_MATH_Offset */
    if (clears[_i].reverts) {
        say_tensix("ZEROACC 3, 0, 0, 0, 0");
    }
    say_tensix(clears[_i].text);
    guest_finish(PENROSE_TRISC1);
    guest_expect_done();
    for (unsigned i = 0; i < GUEST_DST_ROWS_16; i++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        guest_dst_row(i, PENROSE_DST_BF16, datum);
        ck_assert_msg(memcmp(datum, cleared[i] ? zeros : half[i], sizeof datum) == 0,
                      "16-bit row %u", i);
    }
    for (unsigned i = 0; i < GUEST_DST_ROWS_32; i++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        guest_dst_row(i, PENROSE_DST_FP32, datum);
        ck_assert_msg(memcmp(datum, cleared[physical_32(i)] ? zeros : full[i], sizeof datum) == 0,
                      "32-bit row %u", i);
    }
}
