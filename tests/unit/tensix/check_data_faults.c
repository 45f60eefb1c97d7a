/*
 * Bad input of the data path: what the ISA leaves undefined is a fault that names the instruction,
 * the number that is wrong and where it comes from, and nothing has happened then; hostile
 * configurations, counters and data neither crash, nor take long, nor change anything on the way to
 * a fault.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "num/random.h"
#include "num/tensix_format.h"
#include "unit/test.h"
#include "tensix/config/adc.h"
#include "unit/tensix/tensix_fixture.h"

#define FIELD(name) TENSIX_FIELD_##name

enum {
    TILE = 0x4000,
    OUTPUT = 0x8000,
    ZEROS = 0x10000,
    MOST_TEXT = 190, /* longer ones are cut */
    MOST_SETTINGS = 6,
};

static uint32_t random_state;

static uint32_t next_random(void)
{
    return num_random_next(&random_state);
}

static void set(enum tensix_field_id field, uint32_t value)
{
    if (tensix_fields[field].thread) {
        tensix_set_thread_field(tensix, 0, field, value);
    } else {
        tensix_set_config_field(tensix, 0, field, value);
    }
}

/* Unpackers and packer that work: 256 data of Float16_b from TILE, rows of Dst to OUTPUT. */
static void configure(void)
{
    for (unsigned which = 0; which < TENSIX_UNPACKERS; which++) {
        unsigned word = which ? TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor
                              : TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor;
        (void)tensix_config_write(tensix, word, NUM_FORMAT_FLOAT16_B | 1 << 4 | 256 << 16);
        (void)tensix_config_write(tensix, word + 1, 1 | 1 << 16);
        (void)tensix_config_write(tensix, word + 2, 1);
    }
    set(FIELD(THCON_SEC0_REG2_Out_data_format), NUM_FORMAT_FLOAT16_B);
    set(FIELD(THCON_SEC1_REG2_Out_data_format), NUM_FORMAT_FLOAT16_B);
    set(FIELD(THCON_SEC0_REG3_Base_address), TILE / 16 - 1);
    set(FIELD(THCON_SEC1_REG3_Base_address), TILE / 16 - 1);
    set(FIELD(THCON_SEC0_REG5_Tile_x_dim_cntx0), 256);
    set(FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0), 1);
    set(FIELD(THCON_SEC1_REG2_Disable_zero_compress_cntx0), 1);
    set(FIELD(ALU_FORMAT_SPEC_REG2_Dstacc), NUM_FORMAT_FLOAT16_B);
    set(FIELD(THCON_SEC0_REG1_In_data_format), NUM_FORMAT_FLOAT16_B);
    set(FIELD(THCON_SEC0_REG1_Out_data_format), NUM_FORMAT_FLOAT16_B);
    set(FIELD(THCON_SEC0_REG1_Disable_zero_compress), 1);
    set(FIELD(THCON_SEC0_REG1_L1_Dest_addr), OUTPUT / 16 - 1);
    set(FIELD(THCON_SEC0_REG9_Pack_0_2_limit_address), 0x1ffff);
    set(FIELD(PCK_EDGE_OFFSET_SEC0_mask), UINT16_MAX);
    tensix_harness_run(&harness, 0, "SETADCXX 3, 255, 0; SETADCXX 4, 15, 0");
}

static void set_up_path(void)
{
    setup();
    random_state = 1;
    for (unsigned i = 0; i < 0x2000; i++) {
        harness.l1[TILE - 0x1000 + i] = (uint8_t)(next_random() & 0x7f);
    }
    configure();
}

/* --- What a fault leaves alone --- */

struct before {
    struct tensix_dst dst;
    struct tensix_src_file src_file[TENSIX_SRCS];
    struct tensix_src_banks src[TENSIX_SRCS];
    struct tensix_adc adc[TENSIX_THREADS][TENSIX_ADCS];
    struct tensix_rwc rwc;
    struct tensix_matrix matrix;
    struct tensix_pack_output output;
    uint32_t generator, histogram[32], max_exponent;
    uint32_t src_row[TENSIX_UNPACKERS][TENSIX_THREADS];
    uint32_t context[TENSIX_UNPACKERS][TENSIX_THREADS];
    uint8_t position, face, metadata_count;
};

static struct before *note(void)
{
    struct before *before = calloc(1, sizeof *before);
    const struct tensix_packer *packer = &tensix->packer[0];
    ck_assert_ptr_nonnull(before);
    before->dst = tensix->dst;
    memcpy(before->src_file, tensix->src_file, sizeof before->src_file);
    memcpy(before->src, tensix->src, sizeof before->src);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        memcpy(before->adc[i], tensix->thread[i].adc, sizeof before->adc[i]);
    }
    before->rwc = tensix->thread[0].rwc;
    before->matrix = tensix->matrix;
    before->output = packer->output;
    before->generator = packer->generator;
    memcpy(before->histogram, packer->histogram, sizeof before->histogram);
    before->max_exponent = packer->max_exponent;
    for (unsigned i = 0; i < TENSIX_UNPACKERS; i++) {
        const struct tensix_unpacker *unpacker = &tensix->unpacker[i];
        memcpy(before->src_row[i], unpacker->src_row, sizeof before->src_row[i]);
        memcpy(before->context[i], unpacker->context_counter, sizeof before->context[i]);
    }
    before->position = packer->position;
    before->face = packer->face;
    before->metadata_count = packer->metadata_count;
    return before;
}

static bool is_unchanged(struct before *before)
{
    struct before *after = note();
    bool same = memcmp(before, after, sizeof *after) == 0;
    free(after);
    return same;
}

/* --- Each rule, under each policy --- */

struct setting {
    enum tensix_field_id field;
    uint32_t value;
};

struct bad {
    const char *first, *instruction; /* what comes before, and the culprit */
    const char *text;                /* in the report */
    enum penrose_fault_kind kind;
    struct setting setting[MOST_SETTINGS]; /* they end with a field that is 0 */
};

#define UNPACK_A         "UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1"
#define UNPACK_B         "UNPACR 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1"
#define UNPACK_A_CONTEXT "UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1"
#define UNPACK_A_SEARCH  "UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1"
#define UNPACK_A_SPREAD  "UNPACR 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1"
#define UNPACK_B_SPREAD  "UNPACR 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1"
#define PACK             "PACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1"
#define PACK_ALL         "PACR 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 1"
#define PACK_ZEROS       "PACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1"
#define UNDEFINED        PENROSE_FAULT_TENSIX_UNDEFINED
#define UNIMPLEMENTED    PENROSE_FAULT_UNIMPLEMENTED

#define IN0(format)                                                                                \
    {                                                                                              \
        FIELD(THCON_SEC0_REG0_TileDescriptor_in_data_format), NUM_FORMAT_##format                  \
    }
#define OUT0(format)                                                                               \
    {                                                                                              \
        FIELD(THCON_SEC0_REG2_Out_data_format), NUM_FORMAT_##format                                \
    }
#define COMPRESSED0                                                                                \
    {                                                                                              \
        FIELD(THCON_SEC0_REG0_TileDescriptor_uncompressed), 0                                      \
    }

static const struct bad bads[] = {
    /* Unpackers: formats and modes. */
    {"",
     UNPACK_A,
     "cannot convert format 2 (Bfp8) to 5 (Float16_b) in SrcA",
     UNDEFINED,
     {IN0(BFP8)}},
    {"",
     UNPACK_A_CONTEXT,
     "cannot convert format 0 (Float32) to 14 (Int8) in SrcA",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG2_Ovrd_data_format), 1},
      {FIELD(THCON_SEC0_REG7_Unpack_out_data_format_cntx0), NUM_FORMAT_INT8}}},
    {"SETADCXX 1, 255, 4",
     UNPACK_A,
     "with Haloize_mode its data must start at a multiple of 16 bytes, not at 0x4008",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG2_Haloize_mode), 1}}},
    {"",
     UNPACK_A,
     "Tileize_mode goes with neither upsampling nor compressed tiles",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG2_Tileize_mode), 1},
      COMPRESSED0,
      {FIELD(THCON_SEC0_REG3_Base_address), ZEROS / 16}}},
    {"",
     UNPACK_A,
     "on the way to Dst there is no Haloize_mode",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG2_Haloize_mode), 1}, {FIELD(THCON_SEC0_REG2_Unpack_If_Sel), 1}}},
    {"",
     UNPACK_A,
     "on the way to Dst SRCA_SET_SetOvrdWithAddr must be 0",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG2_Unpack_If_Sel), 1}, {FIELD(SRCA_SET_SetOvrdWithAddr), 1}}},
    /* Contexts and counters. */
    {"",
     "UNPACR 1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 1",
     "it has contexts 0 and 1, not 2; see CfgContextOffset_1",
     UNDEFINED,
     {{FIELD(THCON_SEC1_REG2_Disable_zero_compress_cntx0), 1}}},
    {"",
     "UNPACR 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 1",
     "counters of threads 0 to 2, not 3",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0), 1}}},
    {"SETADCXX 3, 3, 9",
     UNPACK_B,
     "its rows end before datum 4 and start at datum 9",
     UNDEFINED,
     {{FIELD(THCON_SEC1_REG2_Disable_zero_compress_cntx0), 1}}},
    {"SETADCXY 2, 1, 0, 0, 0, 8",
     UNPACK_B,
     "output address 0x1f",
     UNDEFINED,
     {{FIELD(UNP1_ADDR_CTRL_XY_REG_1_Ystride), 31}}},
    /* Input. */
    {"",
     UNPACK_A,
     "a datum at 0xffff",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG3_Base_address), 0xffff000}}},
    {"SETADC 1, 0, 3, 255",
     UNPACK_A,
     "is not in L1, which ends at 0x00180000; see "
     "THCON_SEC0_REG3_Base_address and the FIFO's limit",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG0_TileDescriptor_z_dim), 255},
      {FIELD(THCON_SEC0_REG0_TileDescriptor_y_dim), 255},
      {FIELD(THCON_SEC0_REG0_TileDescriptor_x_dim), 65535}}},
    {"",
     UNPACK_A_CONTEXT,
     "see THCON_SEC0_REG4_Base_cntx5 and the FIFO",
     UNDEFINED,
     {{FIELD(UNPACK_MISC_CFG_CfgContextOffset_0), 5},
      {FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx5), 1},
      {FIELD(THCON_SEC0_REG5_Tile_x_dim_cntx1), 256},
      {FIELD(THCON_SEC0_REG4_Base_cntx5_address), 0x18000}}},
    {"",
     UNPACK_A,
     "a datum at -0x001fbff0 is not in L1",
     UNDEFINED, /* the FIFO wraps to before L1 */
     {{FIELD(THCON_SEC0_REG2_Unpack_limit_address), 1},
      {FIELD(THCON_SEC0_REG2_Unpack_fifo_size), 0x1ffff}}},
    {"",
     UNPACK_A,
     "a row start index at 0x00180000 is not in L1",
     UNDEFINED,
     {COMPRESSED0, {FIELD(THCON_SEC0_REG3_Base_address), 0x17fff}}},
    {"",
     UNPACK_A,
     "the row start indices of rows 0 and 1 are",
     UNDEFINED,
     {COMPRESSED0, {FIELD(THCON_SEC0_REG3_Base_address), TILE / 16 - 0x81}}},
    {"SETADCXX 1, 255, 7",
     UNPACK_A_SEARCH,
     "X0 7 asks for the start of blob 8, but there are 8",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG0_TileDescriptor_blobs_per_xy_plane), 3}}},
    {"SETADCXX 1, 15, 0",
     UNPACK_A,
     "leaves the five bits of its format",
     UNDEFINED,
     {IN0(BFP8),
      OUT0(FLOAT16),
      {FIELD(THCON_SEC0_REG2_Force_shared_exp), 1},
      {FIELD(UNP0_FORCED_SHARED_EXP_shared_exp), 40}}},
    /* Output. */
    {"",
     UNPACK_A_SPREAD,
     "srcb_bcast is for one row of SrcB that goes to eight rows",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG2_Out_data_format), NUM_FORMAT_FLOAT16_B}}},
    {"",
     UNPACK_B_SPREAD,
     "srcb_bcast is for one row of SrcB",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG2_Out_data_format), NUM_FORMAT_FLOAT16_B}}},
    {"",
     UNPACK_A,
     "output reaches row 31 of a set of 16 rows of SrcA",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG2_Upsample_rate), 1}, {FIELD(UNP0_ADDR_BASE_REG_1_Base), 128}}},
    /* The packer. */
    {"",
     PACK,
     "Dst of 32 bits cannot give Lf8",
     UNDEFINED,
     {{FIELD(ALU_FORMAT_SPEC_REG2_Dstacc), NUM_FORMAT_LF8},
      {FIELD(PCK_DEST_RD_CTRL_Read_32b_data), 1}}},
    {"",
     PACK,
     "the source 0x180000, 32 bytes, is not in L1",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG1_Source_interface_selection), 1},
      {FIELD(THCON_SEC0_REG1_L1_source_addr), 6}}},
    {"",
     PACK,
     "compares numbers with a fraction",
     UNDEFINED,
     {{FIELD(ALU_FORMAT_SPEC_REG2_Dstacc), NUM_FORMAT_INT32},
      {FIELD(PCK_DEST_RD_CTRL_Read_32b_data), 1},
      {FIELD(STACC_RELU_ApplyRelu), 3},
      {FIELD(THCON_SEC0_REG1_In_data_format), NUM_FORMAT_INT32},
      {FIELD(THCON_SEC0_REG1_Out_data_format), NUM_FORMAT_INT32}}},
    {"SETADC 4, 0, 1, 1",
     PACK_ALL,
     "ReadIntfSel 0xf from row 1 of Dst goes beyond its group",
     UNDEFINED,
     {{FIELD(PCK0_ADDR_CTRL_XY_REG_0_Ystride), 32}}},
    {"SETADCXX 4, 16, 0",
     PACK_ZEROS,
     "X1 (16) one less than a multiple of 16",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG1_Disable_zero_compress), 1}}},
    {"",
     "PACR_SETREG 1, 0, 0, 0, 0, 0, 1, 0",
     "0xffb00000 is below 0xffb11000",
     UNDEFINED,
     {{FIELD(THCON_SEC0_REG1_Disable_zero_compress), 1}}},
};

static void apply(const struct bad *bad)
{
    for (unsigned i = 0; i < MOST_SETTINGS && bad->setting[i].field; i++) {
        set(bad->setting[i].field, bad->setting[i].value);
    }
    tensix_harness_run(&harness, 0, bad->first);
}

FIXTURE(set_up_path, teardown);

TEST_EACH(undefined_is_reported_and_nothing_happens, 2 * COUNT(bads))
{
    const struct bad *bad = &bads[_i / 2];
    struct tensix_fault *fault = &harness.fault;
    uint8_t *l1 = malloc(TENSIX_HARNESS_L1);
    ck_assert_ptr_nonnull(l1);
    apply(bad);
    ck_assert_uint_eq(harness.faults, 0);
    memcpy(l1, harness.l1, TENSIX_HARNESS_L1);
    struct before *before = note();
    harness.stop = _i % 2;
    tensix_harness_run(&harness, 0, bad->instruction);
    ck_assert_msg(harness.faults == 1, "%u faults for: %s", harness.faults, bad->text);
    ck_assert_msg(strstr(fault->text, bad->text) != NULL, "%s", fault->text);
    ck_assert_msg(strlen(fault->text) < MOST_TEXT, "%s", fault->text);
    ck_assert_int_eq(fault->kind, bad->kind);
    ck_assert_uint_eq(fault->word, tensix_harness_assemble(bad->instruction));
    ck_assert(is_unchanged(before));
    ck_assert(memcmp(l1, harness.l1, TENSIX_HARNESS_L1) == 0);
    ck_assert_int_eq(tensix->stopped, harness.stop);
    ck_assert_int_eq(tensix_thread_busy(tensix, 0), harness.stop);
    free(before);
    free(l1);
}

/* After a fault that was ignored the same units work as they do without it. */
TEST_EACH(what_comes_after_is_not_affected, COUNT(bads))
{
    static const char good[] = UNPACK_A "; " UNPACK_B "; ELWADD 3, 0, 0, 0, 0; " PACK_ALL;
    const struct bad *bad = &bads[_i];
    uint8_t expected[128];
    tensix_harness_run(&harness, 0, good);
    ck_assert_uint_eq(harness.faults, 0);
    memcpy(expected, harness.l1 + OUTPUT, sizeof expected);
    struct before *before = note();
    teardown();
    set_up_path();
    apply(bad);
    tensix_harness_run(&harness, 0, bad->instruction);
    ck_assert_uint_eq(harness.faults, 1);
    memset(tensix->config, 0, sizeof tensix->config);
    memset(tensix->thread_config, 0, sizeof tensix->thread_config);
    tensix->stale = UINT32_MAX;
    tensix_harness_run(&harness, 0, "SETADCXY 7, 0, 0, 0, 0, 15; SETADCZW 7, 0, 0, 0, 0, 15");
    configure();
    tensix_harness_run(&harness, 0, good);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert(memcmp(expected, harness.l1 + OUTPUT, sizeof expected) == 0);
    ck_assert(is_unchanged(before));
    free(before);
}

/* --- Hostile values --- */

enum { ROUNDS = 150, SEEDS = 8, MOST_X = 0x3ffff };

static uint32_t below(uint32_t limit)
{
    return next_random() % limit;
}

/* Counters at their ends, in between, and 0. */
static void scramble_counters(void)
{
    for (unsigned i = 0; i < 2 * TENSIX_ADCS * 4; i++) {
        struct tensix_adc_channel *channel = &tensix->thread[0].adc[i / 8].channel[i / 4 % 2];
        uint32_t value = next_random();
        uint32_t choice[] = {0, UINT32_MAX, value, value & 0xff, value & 0xf, 15};
        tensix_adc_put(channel, (enum tensix_adc_axis)(i % 4), choice[below(COUNT(choice))]);
    }
}

/* All of Config, or some fields of what works. */
static void scramble_config(bool all)
{
    for (unsigned i = 0; all && i < TENSIX_STATE_WORDS; i++) {
        (void)tensix_config_write(tensix, i, next_random());
    }
    for (unsigned i = 0; !all && i < 6; i++) {
        unsigned id = below(TENSIX_FIELDS);
        const struct tensix_field *field = &tensix_fields[id];
        bool counts = strncmp(field->name, "THCON_SEC", 9) == 0 ||
                      strncmp(field->name, "UNP", 3) == 0 || strncmp(field->name, "PCK", 3) == 0;
        if (counts || below(8) == 0) {
            set((enum tensix_field_id)id, next_random() >> below(32));
        }
    }
    tensix_set_thread_field(tensix, 0, FIELD(CFG_STATE_ID_StateID), 0);
}

static uint32_t random_instruction(void)
{
    static const unsigned rows[] = {
        TENSIX_ROW_UNPACR,     TENSIX_ROW_UNPACR,      TENSIX_ROW_UNPACR,
        TENSIX_ROW_PACR,       TENSIX_ROW_PACR,        TENSIX_ROW_UNPACR_NOP_ZEROSRC,
        TENSIX_ROW_UNPACR_INC, TENSIX_ROW_PACR_SETREG, TENSIX_ROW_MVMUL,
        TENSIX_ROW_ELWADD,     TENSIX_ROW_MOVD2A,      TENSIX_ROW_MOVA2D};
    unsigned row = rows[below(COUNT(rows))];
    uint32_t operands = below(4) ? next_random() & next_random() & 0xf01f5f : next_random();
    return (operands & ~tensix_rows[row].mask) | tensix_rows[row].match;
}

/* The unit has the banks that it needs, most of the time. */
static void hand_banks(uint32_t word)
{
    bool is_matrix = tensix_row_infos[tensix_row_of(word)].unit == TENSIX_UNIT_MATRIX;
    for (unsigned i = 0; i < TENSIX_SRCS; i++) {
        tensix->src[i].matrix_may[0] = tensix->src[i].matrix_may[1] = is_matrix;
    }
}

TEST_EACH(hostile_values_do_no_harm, SEEDS)
{
    unsigned faults = 0, moved = 0;
    random_state = (uint32_t)_i * 0x10001 + 7;
    uint8_t *l1 = malloc(TENSIX_HARNESS_L1);
    ck_assert_ptr_nonnull(l1);
    memcpy(l1, harness.l1, TENSIX_HARNESS_L1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round % 4 == 0) {
            memset(tensix->config, 0, sizeof tensix->config);
            tensix->stale = UINT32_MAX;
            configure();
            scramble_config(_i % 4 == 0);
        }
        if (below(2)) {
            scramble_counters();
        }
        uint32_t word = random_instruction();
        hand_banks(word);
        struct before *before = note();
        harness.faults = 0;
        tensix_harness_push(&harness, 0, word);
        ck_assert_uint_le(harness.faults, 1);
        ck_assert(!tensix_thread_busy(tensix, 0));
        bool same_l1 = memcmp(l1, harness.l1, TENSIX_HARNESS_L1) == 0;
        if (harness.faults) {
            ck_assert(harness.fault.text[0] && strlen(harness.fault.text) < MOST_TEXT);
            ck_assert_msg(is_unchanged(before) && same_l1, "%s", harness.fault.text);
        } else if (!same_l1) {
            memcpy(l1, harness.l1, TENSIX_HARNESS_L1);
        }
        moved += !harness.faults;
        faults += harness.faults;
        free(before);
    }
    ck_assert_uint_gt(faults, ROUNDS / 20); /* neither is all of it */
    ck_assert_uint_gt(moved, ROUNDS / 20);
    free(l1);
}

/* --- What takes longest --- */

/* The most data that each instruction can be told to move. */
static const struct heavy {
    const char *instruction;
    struct setting setting[MOST_SETTINGS];
    bool may_fault;
} heavies[] = {
    {UNPACK_A,
     {{FIELD(THCON_SEC0_REG2_Unpack_If_Sel), 1}, {FIELD(UNP0_ADDR_BASE_REG_1_Base), 128}},
     false},
    {UNPACK_A,
     {{FIELD(THCON_SEC0_REG2_Unpack_If_Sel), 1},
      {FIELD(UNP0_ADDR_BASE_REG_1_Base), 128},
      {FIELD(THCON_SEC0_REG2_Upsample_rate), 3}},
     false},
    {UNPACK_A,
     {{FIELD(SRCA_SET_SetOvrdWithAddr), 1},
      {FIELD(THCON_SEC0_REG2_Shift_amount_cntx0), 1},
      {FIELD(THCON_SEC0_REG2_Upsample_rate), 3}},
     false},
    {UNPACK_A, /* all around a FIFO of 16 KiB, to the odd columns */
     {{FIELD(THCON_SEC0_REG2_Unpack_If_Sel), 1},
      {FIELD(UNP0_ADDR_BASE_REG_1_Base), 130},
      {FIELD(THCON_SEC0_REG2_Unpack_limit_address), 0x800},
      {FIELD(THCON_SEC0_REG2_Unpack_fifo_size), 0x400},
      {FIELD(THCON_SEC0_REG2_Upsample_rate), 3}},
     false},
    {UNPACK_A, /* data by data: exponents have to be looked at */
     {{FIELD(SRCA_SET_SetOvrdWithAddr), 1},
      IN0(BFP8),
      OUT0(BFP8),
      {FIELD(THCON_SEC0_REG0_TileDescriptor_x_dim), 65535},
      {FIELD(THCON_SEC0_REG0_TileDescriptor_y_dim), 4}},
     true},
    {UNPACK_A, /* compressed, all zeros that are counted */
     {COMPRESSED0,
      {FIELD(SRCA_SET_SetOvrdWithAddr), 1},
      {FIELD(THCON_SEC0_REG3_Base_address), ZEROS / 16},
      {FIELD(UNP0_ADDR_BASE_REG_1_Base), 128}},
     false},
    {PACK_ZEROS,
     {{FIELD(THCON_SEC0_REG1_L1_Dest_addr), OUTPUT / 16},
      {FIELD(ALU_FORMAT_SPEC_REG2_Dstacc), 0},
      {FIELD(THCON_SEC0_REG1_Out_data_format), NUM_FORMAT_FLOAT32}},
     false},
    {PACK_ZEROS,
     {{FIELD(THCON_SEC0_REG1_L1_Dest_addr), OUTPUT / 16},
      {FIELD(THCON_SEC0_REG1_Disable_zero_compress), 0}},
     false},
    {PACK_ZEROS,
     {{FIELD(THCON_SEC0_REG1_L1_Dest_addr), OUTPUT / 16},
      {FIELD(THCON_SEC0_REG1_Pack_L1_Acc), 1},
      {FIELD(THCON_SEC0_REG1_Out_data_format), NUM_FORMAT_FLOAT32}},
     false},
    {PACK_ZEROS,
     {{FIELD(THCON_SEC0_REG1_L1_Dest_addr), OUTPUT / 16},
      {FIELD(THCON_SEC0_REG1_Out_data_format), NUM_FORMAT_BFP8_B}},
     false},
};

TEST_EACH(the_longest_instructions_are_short, COUNT(heavies))
{
    const struct heavy *heavy = &heavies[_i];
    for (unsigned i = 0; i < MOST_SETTINGS && heavy->setting[i].field; i++) {
        set(heavy->setting[i].field, heavy->setting[i].value);
    }
    tensix->thread[0].adc[TENSIX_ADC_UNPACKER0].channel[1].x = MOST_X;
    tensix->thread[0].adc[TENSIX_ADC_PACKER].channel[1].x = MOST_X;
    clock_t begin = clock();
    tensix_harness_run(&harness, 0, heavy->instruction);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    ck_assert_msg(harness.faults == 0 || heavy->may_fault, "%s", harness.fault.text);
    ck_assert(!tensix_thread_busy(tensix, 0));
    ck_assert_msg(seconds < 1, "%f s", seconds); /* milliseconds; sanitizers take their time */
    if (getenv("PENROSE_SHOW_TIMES")) {
        printf("%d: %.3f ms %s\n", _i, seconds * 1e3, harness.faults ? harness.fault.text : "");
    }
}
