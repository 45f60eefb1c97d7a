/*
 * What the Matrix Unit computes: each instruction with each set of kernels against a model of the
 * pages, a datum at a time with the functions of num/matrix.h, on random data, formats,
 * configuration and counters; waiting for banks; operands and formats that are faults.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "unit/guest_program.h"
#include "unit/tensix/matrix_model.h"
#include "num/kernels.h"
#include "unit/test.h"
#include "tensix/exec.h"
#include "tensix/matrix/common.h"
#include "unit/tensix/tensix_fixture.h"

enum { ROUNDS = 1000, DATA_EVERY = 50 };

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
    CONV3S1 = 0x22,
    CONV3S2,
    MPOOL3S1,
    APOOL3S1,
    MVMUL,
    ELWMUL,
    ELWADD,
    DOTPV,
    ELWSUB = 0x30,
    MPOOL3S2,
    APOOL3S2,
    GMPOOL,
    GAPOOL,
    MFCONV3S1 = 0x3a,
};

static const struct row {
    const char *name;
    uint8_t opcode;
    uint32_t operands; /* bits that may be set */
    bool is_pool;      /* the address modifier is one bit higher */
} rows[] = {
    {"MVMUL", MVMUL, 0xc9c3ff, false},      {"DOTPV", DOTPV, 0xf9c3ff, false},
    {"GAPOOL", GAPOOL, 0xcb83ff, true},     {"ELWMUL", ELWMUL, 0xf9c3ff, false},
    {"ELWADD", ELWADD, 0xf9c3ff, false},    {"ELWSUB", ELWSUB, 0xf9c3ff, false},
    {"GMPOOL", GMPOOL, 0xcbc3ff, true},     {"CONV3S1", CONV3S1, 0xc3c3ff, false},
    {"CONV3S2", CONV3S2, 0xc3c3ff, false},  {"MFCONV3S1", MFCONV3S1, 0xc3c3ff, false},
    {"APOOL3S1", APOOL3S1, 0xc3c3ff, true}, {"APOOL3S2", APOOL3S2, 0xc3c3ff, true},
    {"MPOOL3S1", MPOOL3S1, 0xc3c3ff, true}, {"MPOOL3S2", MPOOL3S2, 0xc3c3ff, true},
};

static const char *const sets[] = {"reference", "avx2", "avx512"};

static unsigned model_format(enum model_src src)
{
    return model.disable_implied[src] ? model.configured[src]
                                      : model.implied[src][model.matrix_bank[src]];
}

/* The mode that the model's configuration asks for; false where its formats do not go together. */
static bool model_mode(struct num_matrix_mode *mode)
{
    *mode = (struct num_matrix_mode){
        .keeps_denormals = model.zero_flag_disabled,
        .fidelity = (model.fidelity + model.fidelity_base) & 3,
        .generator = model.srnd && !model.rounds_to_nearest ? &model.generator : NULL,
    };
    if (model.force) {
        mode->a = mode->b = NUM_MATRIX_FP16;
        return true;
    }
    if (model.int8) {
        mode->a = mode->b = NUM_MATRIX_INT8;
        mode->is_dst_32bit = true;
        mode->generator = NULL;
        return true;
    }
    mode->is_dst_32bit = model.fp32;
    return model_style(model_format(MODEL_A), &mode->a) &&
           model_style(model_format(MODEL_B), &mode->b) &&
           (mode->a == NUM_MATRIX_FP16) == (mode->b == NUM_MATRIX_FP16);
}

static void model_dot(const struct num_matrix_mode *mode, unsigned row_a, unsigned row_b,
                      unsigned row_dst)
{
    for (unsigned column = 0; column < MODEL_COLUMNS; column++) {
        uint32_t a[NUM_MATRIX_TERMS], b[NUM_MATRIX_TERMS];
        for (unsigned i = 0; i < NUM_MATRIX_TERMS; i++) {
            a[i] = *model_src(&model, MODEL_A, row_a + i, column);
            b[i] = *model_src(&model, MODEL_B, row_b, i);
        }
        uint32_t old = model_read_dst(&model, mode->is_dst_32bit, row_dst, column, 0);
        model_write_dst(&model, mode->is_dst_32bit, row_dst, column,
                        num_matrix_dot(mode, a, b, old));
    }
}

/* SPEC: MVMUL, with rows as GAPOOL has them. */
static void model_matrix(const struct num_matrix_mode *mode, uint32_t word)
{
    unsigned opcode = word >> 24;
    bool broadcast = opcode == MVMUL && bits(word, 19, 19);
    unsigned count = opcode == GAPOOL ? 4 : broadcast ? 7 : 8;
    unsigned row_a = model.rwc_a & 0x38, row_b = model.rwc_b & (broadcast ? 0x3f : 0x38);
    unsigned row = model_dst_row(&model, bits(word, 9, 0)) & (0x400 - count);
    for (unsigned i = 0; i < count; i += broadcast ? 2 : 1) {
        model_dot(mode, row_a, row_b + (broadcast ? 0 : i), row + i);
    }
}

static uint32_t model_element(const struct num_matrix_mode *mode, uint32_t word, uint32_t a,
                              uint32_t b, uint32_t old)
{
    bool add_dst = bits(word, 21, 21);
    switch (word >> 24) {
    case ELWMUL:
        return num_matrix_multiply(mode, a, b, old);
    case ELWADD:
        return num_matrix_add(mode, a, b, old, add_dst);
    case ELWSUB:
        return num_matrix_subtract(mode, a, b, old, add_dst);
    default:
        return num_matrix_multiply(mode, 0, 0, old); /* Dst += 0 */
    }
}

static void model_elements(const struct num_matrix_mode *mode, uint32_t word)
{
    bool legacy = word >> 24 < MVMUL || word >> 24 > ELWSUB;
    bool row0 = !legacy && bits(word, 20, 20), column0 = !legacy && bits(word, 19, 19);
    unsigned row_a = model.rwc_a & 0x38, row_b = model.rwc_b & (row0 ? 0x3f : 0x38);
    unsigned row = model_dst_row(&model, bits(word, 9, 0)) & 0x3f8;
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned column = 0; column < MODEL_COLUMNS; column++) {
            uint32_t a = *model_src(&model, MODEL_A, row_a + i, column);
            uint32_t b = *model_src(&model, MODEL_B, row_b + (row0 ? 0 : i), column0 ? 0 : column);
            uint32_t old = model_read_dst(&model, mode->is_dst_32bit, row + i, column, 0);
            model_write_dst(&model, mode->is_dst_32bit, row + i, column,
                            model_element(mode, word, a, b, old));
        }
    }
}

/* LLK: zeros have no format, so that one side of them takes that of the other. */
static bool model_mixed_mode(uint32_t word, struct num_matrix_mode *mode)
{
    bool row0 = bits(word, 20, 20), column0 = bits(word, 19, 19), is_zero[2] = {true, true};
    unsigned opcode = word >> 24;
    unsigned row_a = model.rwc_a & 0x38, row_b = model.rwc_b & (row0 ? 0x3f : 0x38);
    if ((opcode != ELWADD && opcode != ELWSUB && opcode != ELWMUL) ||
        !model_style(model_format(MODEL_A), &mode->a) ||
        !model_style(model_format(MODEL_B), &mode->b)) {
        return false;
    }
    for (unsigned i = 0; i < 8 * MODEL_COLUMNS; i++) {
        unsigned row = i / MODEL_COLUMNS, column = i % MODEL_COLUMNS;
        unsigned b_row = row_b + (row0 ? 0 : row), b_column = column0 ? 0 : column;
        is_zero[0] &= *model_src(&model, MODEL_A, row_a + row, column) % (1 << 18) == 0;
        is_zero[1] &= *model_src(&model, MODEL_B, b_row, b_column) % (1 << 18) == 0;
    }
    if (is_zero[1]) {
        mode->b = mode->a;
    } else {
        mode->a = mode->b;
    }
    return is_zero[0] || is_zero[1];
}

/* GMPOOL with instr_mod19 0, which no page has: it is told of, and takes the row of the RWC. */
static unsigned doubts;

static void model_maximum(const struct num_matrix_mode *mode, uint32_t word)
{
    bool is_one_row = word >> 24 == GMPOOL && !bits(word, 19, 19);
    bool is_32bit = mode->is_dst_32bit, has_index = bits(word, 14, 14);
    unsigned row_a = model.rwc_a & 0x30, row_b = model.rwc_b & 0x38;
    unsigned row = model_dst_row(&model, bits(word, 9, 0)) & 0x3fc;
    doubts += is_one_row;
    row_a = is_one_row ? model.rwc_a & 0x3f : row_a;
    for (unsigned column = 0; column < MODEL_COLUMNS; column++) {
        uint32_t a[NUM_MATRIX_TERMS] = {0}, scale[NUM_MATRIX_TERMS] = {0};
        for (unsigned i = 0; i < (is_one_row ? 1 : NUM_MATRIX_TERMS); i++) {
            a[i] = word >> 24 == GMPOOL ? *model_src(&model, MODEL_A, row_a + i, column) : 0;
            scale[i] = *model_src(&model, MODEL_B, row_b, i);
        }
        uint32_t old = model_read_dst(&model, is_32bit, row, column, UINT32_MAX);
        model_write_dst(&model, is_32bit, row, column,
                        num_matrix_max(mode, a, scale, old, has_index));
        for (unsigned i = 1; i < 4; i++) {
            old = model_read_dst(&model, is_32bit, row + i, column, UINT32_MAX);
            model_write_dst(&model, is_32bit, row + i, column,
                            is_32bit && has_index ? (old + 0x100) & 0xf00 : 0);
        }
    }
}

/* False where it is a fault, and then nothing happens. */
static bool model_instruction(const struct row *row, uint32_t word)
{
    struct num_matrix_mode mode;
    if ((!model_mode(&mode) && !model_mixed_mode(word, &mode)) ||
        (row->opcode == GAPOOL && bits(word, 14, 14))) {
        return false;
    }
    switch (row->opcode) {
    case MVMUL:
    case DOTPV:
    case GAPOOL:
        model_matrix(&mode, word);
        break;
    case GMPOOL:
    case MPOOL3S1: /* SPEC: as if SrcA were zeros */
    case MPOOL3S2:
        model_maximum(&mode, word);
        break;
    default:
        model_elements(&mode, word);
        break;
    }
    model_flip(&model, bits(word, 23, 22));
    model_addr_mod(&model, row->is_pool ? bits(word, 17, 15) : bits(word, 16, 14));
    return true;
}

/* Mostly rows that are aligned, and what is not a fault. */
static uint32_t random_word(const struct row *row)
{
    uint32_t word = (uint32_t)row->opcode << 24 | (model_random() & row->operands);
    if (row->opcode == GAPOOL && model_chance(90)) {
        word &= ~(UINT32_C(1) << 14);
    }
    if (row->opcode == GMPOOL && model_chance(90)) {
        word |= UINT32_C(1) << 19;
    }
    return model_chance(70) ? word & ~UINT32_C(7) : word;
}

static void check_word(const struct row *row, uint32_t word, unsigned *done)
{
    model_store(&model, tensix);
    unsigned faults = harness.faults - doubts;
    bool happens = model_instruction(row, word);
    tensix_harness_push(&harness, model.thread, word);
    model_compare(&model, tensix, word);
    ck_assert_msg(harness.faults == faults + doubts + !happens, "0x%08" PRIx32 ": %s", word,
                  harness.fault.text);
    *done += happens;
}

FIXTURE(seed_model, teardown);

TEST_EACH(computes_as_the_model, COUNT(rows) * COUNT(sets))
{
    const struct row *row = &rows[_i / COUNT(sets)];
    const struct num_kernels *set = num_kernels_find(sets[_i % COUNT(sets)]);
    unsigned done = 0;
    if (!set) {
        return; /* this host cannot run it */
    }
    tensix->kernels = set;
    model_seed((uint64_t)_i / COUNT(sets) + 1);
    for (int i = 0; i < ROUNDS; i++) {
        if (i % DATA_EVERY == 0) {
            model_randomise_data(&model);
        }
        model_randomise_setup(&model);
        check_word(row, random_word(row), &done);
    }
    ck_assert_uint_gt(done, ROUNDS * 3 / 5);
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* Every format of SrcA with every one of SrcB, implied and configured. */
TEST_EACH(pairs_of_formats, COUNT(rows))
{
    const struct row *row = &rows[_i];
    unsigned done = 0, wanted = 0;
    model_randomise_data(&model);
    for (unsigned i = 0; i < 512; i++) {
        struct num_matrix_mode mode;
        model_randomise_setup(&model);
        model.force = model.int8 = false;
        for (unsigned src = 0; src < 2; src++) {
            unsigned format = src ? i / 16 % 16 : i % 16;
            model.disable_implied[src] = i / 256;
            model.configured[src] = i / 256 ? format : 12;
            model.implied[src][model.matrix_bank[src]] = i / 256 ? 13 : format;
        }
        wanted += model_mode(&mode);
        uint32_t word = random_word(row) & ~(UINT32_C(1) << 14);
        check_word(row, row->opcode == GMPOOL ? word | UINT32_C(1) << 19 : word, &done);
    }
    ck_assert_uint_eq(done, wanted);
    ck_assert_uint_eq(wanted, 2 * (8 * 8 + 6 * 6));
}

/* A code means the same here as in the unpackers, whose banks imply it. */
TEST(styles_by_code)
{
    static const struct {
        const char *name;
        unsigned code;
        enum num_matrix_style style;
    } formats[] = {
        {"FP32", 0, NUM_MATRIX_BF16},  {"FP16", 1, NUM_MATRIX_FP16},
        {"BFP8a", 2, NUM_MATRIX_FP16}, {"BFP4a", 3, NUM_MATRIX_FP16},
        {"TF32", 4, NUM_MATRIX_TF32},  {"BF16", 5, NUM_MATRIX_BF16},
        {"BFP8", 6, NUM_MATRIX_BF16},  {"BFP4", 7, NUM_MATRIX_BF16},
        {"INT32", 8, NUM_MATRIX_BF16}, {"INT16", 9, NUM_MATRIX_BF16},
        {"FP8", 10, NUM_MATRIX_FP16},  {"BFP2a", 11, NUM_MATRIX_FP16},
        {"INT8", 14, NUM_MATRIX_FP16}, {"BFP2", 15, NUM_MATRIX_BF16},
    };
    for (int i = 0; i < COUNT(formats); i++) {
        ck_assert_msg(tensix_matrix_is_format(formats[i].code) &&
                          num_matrix_style_of(formats[i].code) == formats[i].style,
                      "%s", formats[i].name);
    }
    ck_assert(!tensix_matrix_is_format(12) && !tensix_matrix_is_format(13));
}

/* Exponents of 5 and of 8 bits, where one side is zeros, some of them negative. */
TEST_EACH(zeros_take_the_format_of_the_other_side, COUNT(rows))
{
    static const uint8_t narrow[] = {1, 2, 10, 14}, wide[] = {0, 4, 5, 6};
    const struct row *row = &rows[_i];
    bool takes = row->opcode == ELWADD || row->opcode == ELWSUB || row->opcode == ELWMUL;
    unsigned done = 0;
    for (unsigned i = 0; i < 128; i++) {
        unsigned zeros = i & 1, is_wide = i >> 1 & 1;
        model_randomise_data(&model);
        model_randomise_setup(&model);
        model.force = model.int8 = false;
        for (unsigned src = 0; src < 2; src++) {
            unsigned format = (src ^ is_wide ? wide : narrow)[model_below(4)];
            model.configured[src] = model.implied[src][0] = model.implied[src][1] = format;
        }
        for (unsigned j = 0; j < MODEL_SRC_ROWS * MODEL_COLUMNS; j++) {
            *model_src(&model, (enum model_src)zeros, j / MODEL_COLUMNS, j % MODEL_COLUMNS) =
                model_chance(5) ? 1 << 18 : 0;
        }
        uint32_t word = random_word(row) & ~(UINT32_C(1) << 14);
        check_word(row, row->opcode == GMPOOL ? word | UINT32_C(1) << 19 : word, &done);
    }
    ck_assert_uint_eq(done, takes ? 128 : 0);
}

/* As LLK copies FP8 to a 32-bit Dst: beside zeros that are called BF16. */
TEST(fp8_beside_zeros_is_copied)
{
    enum { FP8 = 10, BF16 = 5, ONE_AND_A_HALF = 1 << 17 | 0xf, DST_ONE_AND_A_HALF = 0x407f0000 };
    model_randomise_data(&model);
    model_randomise_setup(&model);
    model.force = model.int8 = model.srnd = model.high_half = false;
    model.fp32 = true;
    model.fidelity = model.fidelity_base = 0;
    model.implied[MODEL_A][0] = model.implied[MODEL_A][1] = model.configured[MODEL_A] = FP8;
    model.implied[MODEL_B][0] = model.implied[MODEL_B][1] = model.configured[MODEL_B] = BF16;
    for (unsigned i = 0; i < MODEL_SRC_ROWS * MODEL_COLUMNS; i++) {
        *model_src(&model, MODEL_A, i / MODEL_COLUMNS, i % MODEL_COLUMNS) = ONE_AND_A_HALF;
        *model_src(&model, MODEL_B, i / MODEL_COLUMNS, i % MODEL_COLUMNS) = 0;
    }
    model_store(&model, tensix);
    unsigned row = model_dst_row(&model, 0) & 0x3f8;
    tensix_harness_run(&harness, model.thread, "ELWADD 0, 0, 0, 0, 0");
    ck_assert_uint_eq(harness.faults, 0);
    uint32_t data[16];
    tensix_dst_read_row32(&tensix->dst, tensix_dst_map_now(tensix), row, TENSIX_DST_READS_ZERO,
                          data);
    ck_assert_uint_eq(data[0], DST_ONE_AND_A_HALF);
    ck_assert_uint_eq(data[15], DST_ONE_AND_A_HALF);
}

TEST(styles_are_those_of_the_arithmetic)
{
    for (unsigned format = 0; format < 16; format++) {
        enum num_matrix_style style;
        ck_assert_int_eq(tensix_matrix_is_format(format), model_style(format, &style));
        ck_assert_int_eq(tensix_matrix_is_format(format), num_format_info(format) != NULL);
        if (tensix_matrix_is_format(format)) {
            ck_assert_int_eq(num_matrix_style_of(format), style);
        }
    }
}

/* --- Banks --- */

/* Each waits for both banks, whichever is missing, and goes on when it is given. */
TEST_EACH(waits_for_both_banks, COUNT(rows) * 3)
{
    const struct row *row = &rows[_i / 3];
    unsigned missing = (unsigned)_i % 3 + 1; /* bits: SrcA, SrcB */
    struct num_matrix_mode mode;
    model_randomise_data(&model);
    do {
        model_randomise_setup(&model);
    } while (!model_mode(&mode));
    uint32_t word = random_word(row) & ~(UINT32_C(1) << 14);
    word |= row->opcode == GMPOOL ? UINT32_C(1) << 19 : 0;
    for (unsigned src = 0; src < 2; src++) {
        model.unpack_bank[src] = model.matrix_bank[src];
        model.matrix_may[src][model.matrix_bank[src]] = !(missing >> src & 1);
    }
    model_store(&model, tensix);
    const struct tensix_thread *thread = &tensix->thread[model.thread];
    tensix_harness_push(&harness, model.thread, word);
    for (unsigned src = 0; src < 2; src++) {
        if (missing >> src & 1) {
            model_compare(&model, tensix, word);
            ck_assert(thread->has_next);
            ck_assert_int_eq(thread->wait, TENSIX_WAITS_FOR_SRC);
            ck_assert_uint_eq(thread->wait_detail, src | model.matrix_bank[src] << 1);
            model.matrix_may[src][model.unpack_bank[src]] = true;
            model.unpack_bank[src] = 1 - model.unpack_bank[src];
            tensix_src_give(tensix, (enum tensix_src)src);
            tensix_harness_go(&harness, 0);
        }
    }
    ck_assert(model_instruction(row, word));
    model_compare(&model, tensix, word);
    ck_assert(!thread->has_next);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- Faults --- */

static const struct fault {
    const char *instruction;
    uint8_t format_a, format_b;
    const char *text; /* part of it */
} faults[] = {
    {"MVMUL 0, 0, 0, 0", 1, 5, "MVMUL: SrcA is Float16, SrcB is Float16_b"},
    {"ELWADD 0, 0, 0, 0, 0", 5, 14, "ELWADD: SrcA is Float16_b, SrcB is Int8"},
    {"ELWMUL 0, 0, 0, 0, 0", 4, 10, "ELWMUL: SrcA is Tf32"},
    {"ELWSUB 0, 0, 0, 0, 0", 12, 5, "ELWSUB: format 12 of SrcA is none"},
    {"DOTPV 0, 0, 0, 0, 0", 5, 13, "DOTPV: format 13 of SrcB is none"},
    {"GAPOOL 0, 1, 0, 1, 0", 5, 5, "GAPOOL: max_pool_index_en is 1"},
    {"MPOOL3S1 0, 0, 0, 0", 5, 2, "MPOOL3S1: SrcA is Float16_b, SrcB is Bfp8"},
    {"MPOOL3S2 0, 0, 0, 0", 5, 13, "MPOOL3S2: format 13 of SrcB is none"},
    {"CONV3S1 3, 0, 0, 0", 2, 6, "CONV3S1: SrcA is Bfp8, SrcB is Bfp8_b"},
};

TEST_EACH(faults_name_the_rule, COUNT(faults))
{
    const struct fault *row = &faults[_i];
    for (unsigned stop = 0; stop < 2; stop++) {
        model_randomise_data(&model);
        model_randomise_setup(&model);
        model.force = model.int8 = false;
        for (unsigned bank = 0; bank < 2; bank++) {
            model.implied[0][bank] = row->format_a;
            model.implied[1][bank] = row->format_b;
        }
        model.configured[0] = row->format_a;
        model.configured[1] = row->format_b;
        for (unsigned i = 0; i < 2 * MODEL_SRC_ROWS; i++) { /* zeros have no format */
            *model_src(&model, (enum model_src)(i % 2), i / 2, 0) = 0x12345;
        }
        model_store(&model, tensix);
        harness.stop = stop;
        tensix_harness_run(&harness, model.thread, row->instruction);
        ck_assert_uint_eq(harness.faults, stop + 1);
        ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_UNDEFINED);
        ck_assert_msg(strstr(harness.fault.text, row->text) != NULL, "%s", harness.fault.text);
        ck_assert_uint_lt(strlen(harness.fault.text), 190);
        ck_assert_int_eq(tensix->thread[model.thread].has_next, stop);
        model_compare(&model, tensix, 0);
    }
}

/* --- By hand --- */

/* 2.0 * 3.0 summed over 16 columns, on 1.0: 97, in each of the eight rows and nowhere else. */
TEST(a_product_by_hand)
{
    const uint32_t two = num_src_from_bf16(0x4000), three = num_src_from_bf16(0x4040);
    tensix_src_file_fill(&tensix->src_file[TENSIX_SRC_A], TENSIX_SRC_FILE_BOTH, two);
    tensix_src_file_fill(&tensix->src_file[TENSIX_SRC_B], TENSIX_SRC_FILE_BOTH, three);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_ALU_ACC_CTRL_Fp32_enabled, 1);
    for (unsigned column = 0; column < MODEL_COLUMNS; column++) {
        tensix_dst_write32(&tensix->dst, (struct tensix_dst_map){0}, 16, column,
                           num_dst_from_fp32(0x3f800000));
    }
    tensix_harness_run(&harness, 0, "SETDVALID 3");
    tensix_harness_run(&harness, 1,
                       "ZEROACC 3, 0, 0, 0, 0; ZEROACC 1, 1, 1, 0, 1; MVMUL 3, 0, 0, 16");
    const struct tensix_dst_map map = {0};
    for (unsigned row = 0; row < 32; row++) {
        uint32_t value = num_fp32_from_dst(
            tensix_dst_read32(&tensix->dst, map, row, row % 16, TENSIX_DST_READS_ZERO));
        uint32_t wanted = row == 16 ? 0x42c20000 : row > 16 && row < 24 ? 0x42c00000 : 0;
        ck_assert_msg(value == wanted, "row %u: 0x%08" PRIx32, row, value);
    }
    ck_assert(!tensix_src_matrix_may(tensix, TENSIX_SRC_A));
    ck_assert_uint_eq(tensix->src[TENSIX_SRC_B].matrix_bank, 1);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- By programs of harts --- */

FIXTURE(guest_open, guest_close);

/* --- Counters of the Matrix Unit --- */

/* Every section of ADDR_MOD_AB and ADDR_MOD_DST differs. cfg_defines: AB from 12 on, DST from 28. */
static void say_sections(void)
{
    for (unsigned i = 0; i < 8; i++) {
        say_setc16(12 + i, (i + 1) | (i + 9) << 8);
        say_setc16(28 + i, (8 * (i + 1)) | (i & 3) << 13);
    }
}

static void expect_section(unsigned section)
{
    ck_assert_uint_eq(guest_named("1.rwc.srca"), section + 1);
    ck_assert_uint_eq(guest_named("1.rwc.srcb"), section + 9);
    ck_assert_uint_eq(guest_named("1.rwc.dst"), 8 * (section + 1));
    ck_assert_uint_eq(guest_named("1.rwc.fidelity"), section & 3);
}

/*
 * Legacy instructions apply the address modifier like others (seed isa-rwcs, page RWCs: "Legacy").
 * yaml: pool_addr_mode is an index of three bits from bit 15 on for MPOOL3S1 and MPOOL3S2,
 * clear_dvalid (bits 22, 23) gives up banks when the instruction is done.
 */
static const struct {
    const char *text;
    unsigned section;
    unsigned bank_a, bank_b; /* of the Matrix Unit, afterwards */
} modified[] = {
    {"MPOOL3S1 0, 0, 0, 0", 0, 0, 0},  {"MPOOL3S1 0, 3, 0, 0", 3, 0, 0},
    {"MPOOL3S1 0, 6, 0, 0", 6, 0, 0},  {"MPOOL3S1 1, 1, 0, 0", 1, 1, 0},
    {"MPOOL3S1 2, 2, 0, 16", 2, 0, 1}, {"MPOOL3S2 0, 1, 0, 0", 1, 0, 0},
    {"MPOOL3S2 0, 7, 0, 32", 7, 0, 0}, {"MPOOL3S2 3, 4, 0, 0", 4, 1, 1},
};

TEST_EACH(pooling_applies_the_address_modifier, COUNT(modified))
{
    guest_begin(PENROSE_TRISC1);
    say_setc16(2, 1); /* formats by configuration: nothing was unpacked */
    say_setc16(3, 1);
    say_sections();
    say_tensix("SETDVALID 3");
    say_tensix(modified[_i].text);
    guest_finish(PENROSE_TRISC1);
    guest_expect_done();
    expect_section(modified[_i].section);
    ck_assert_uint_eq(guest_named("srca.matrix_bank"), modified[_i].bank_a);
    ck_assert_uint_eq(guest_named("srcb.matrix_bank"), modified[_i].bank_b);
    ck_assert_uint_eq(guest_named("srca.0.valid"), !modified[_i].bank_a);
    ck_assert_uint_eq(guest_named("srcb.0.valid"), !modified[_i].bank_b);
}

/* yaml: src_mask says of which banks an instruction waits for data; 0x3 here, as for GMPOOL, 0x0 for
 * MOVDBGB2D, which "does not wait for ready signals". */
static const struct {
    const char *text;
    bool waits;
} waiting[] = {
    {"MPOOL3S1 0, 0, 0, 0", true},  {"MPOOL3S2 0, 0, 0, 0", true},
    {"CONV3S1 0, 0, 0, 0", true},   {"CONV3S2 0, 0, 0, 0", true},
    {"APOOL3S1 0, 0, 0, 0", true},  {"APOOL3S2 0, 0, 0, 0", true},
    {"MFCONV3S1 0, 0, 0, 0", true}, {"MOVDBGB2D 0, 0, 0, 0, 0", false},
    {"SETIBRWC 0, 0, 0", false},
};

TEST_EACH(banks_are_waited_for, COUNT(waiting))
{
    guest_begin(PENROSE_TRISC1);
    say_setc16(2, 1);
    say_setc16(3, 1);
    say_tensix(waiting[_i].text);
    guest_finish(PENROSE_TRISC1);
    if (!waiting[_i].waits) {
        guest_expect_done();
        return;
    }
    guest_expect_wait(1);
    for (unsigned bank = 1; bank <= 2; bank++) { /* SrcA alone is not enough */
        guest_begin(PENROSE_TRISC0);
        say(".ttinsn SETDVALID %u", bank);
        guest_finish(PENROSE_TRISC0);
        if (bank == 1) {
            guest_expect_wait(1);
        }
    }
    guest_expect_done();
}

/*
 * yaml and p_setibrwc: SETIBRWC sets (0) or increments (1) the bias counter. Seed rwc-and-addressing:
 * while it (ExtraAddrModBit) is set, an instruction of address modifier i uses section i + 4; bits
 * BiasIncr and BiasClear of a section change it as well. ZEROACC of 16 rows with 0xff only applies
 * its address modifier (seed isa-rwcs).
 */
static const struct {
    const char *text;
    unsigned section;
} biased[] = {
    {"SETIBRWC 0, 0, 0", 1},
    {"SETIBRWC 0, 1, 0", 5},
    {"SETIBRWC 0, 1, 1", 5},
};

TEST_EACH(bias_is_set, COUNT(biased))
{
    guest_begin(PENROSE_TRISC1);
    say_sections();
    say_tensix(biased[_i].text);
    guest_finish(PENROSE_TRISC1);
    guest_expect_done();
    ck_assert_uint_eq(guest_named("1.rwc.dst"), 0); /* no counter that rows are found by */
    ck_assert_uint_eq(guest_named("1.rwc.srca"), 0);
    ck_assert_uint_eq(guest_named("1.rwc.srcb"), 0);
    ck_assert_uint_eq(guest_named("1.rwc.fidelity"), 0);
    guest_begin(PENROSE_TRISC1);
    say_tensix("ZEROACC 1, 0, 0, 1, 0xff");
    guest_finish(PENROSE_TRISC1);
    expect_section(biased[_i].section);
}
