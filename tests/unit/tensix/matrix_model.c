#include "unit/tensix/matrix_model.h"

#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "unit/random.h"
#include "tensix/config/regs.h"

/* --- Random numbers --- */

static uint64_t random_state = 1;

void model_seed(uint64_t seed)
{
    random_state = seed * 2 + 1;
}

uint32_t model_random(void)
{
    return random_next(&random_state);
}

unsigned model_below(unsigned limit)
{
    return model_random() % limit;
}

bool model_chance(unsigned percent)
{
    return model_below(100) < percent;
}

/* Mostly exponents that meet: 127 has the same low five bits as 31, 120 as 24. */
static uint32_t random_exponent(void)
{
    switch (model_below(16)) {
    case 0:
        return 0;
    case 1:
        return model_below(256);
    case 2:
    case 3:
        return 16;
    default:
        return 112 + model_below(16);
    }
}

static uint32_t random_src(void)
{
    return (model_random() & 0x7ff00) | random_exponent();
}

static uint16_t random_half(void)
{
    return (uint16_t)((model_random() & 0xff00) | random_exponent());
}

/* --- State --- */

void model_randomise_data(struct matrix_model *model)
{
    for (unsigned i = 0; i < MODEL_ROWS * MODEL_COLUMNS; i++) {
        bool is_low = i / MODEL_COLUMNS & 8;
        (&model->dst[0][0])[i] =
            is_low && model_chance(50) ? (uint16_t)model_random() : random_half();
    }
    for (unsigned i = 0; i < MODEL_ROWS; i++) {
        model->valid[i] = model_chance(80);
    }
    for (unsigned i = 0; i < 4; i++) {
        uint32_t *bank = &model->src[i / 2][i % 2][0][0];
        bool is_clear = model_chance(20);
        for (unsigned datum = 0; datum < MODEL_SRC_ROWS * MODEL_COLUMNS; datum++) {
            bank[datum] = is_clear ? 0 : random_src();
        }
    }
}

/* Any format, most often one of a pair that goes together. */
static void random_formats(unsigned *a, unsigned *b)
{
    static const uint8_t wide[] = {0, 4, 5, 6, 7, 8, 9, 15}, narrow[] = {1, 2, 3, 10, 11, 14};
    const uint8_t *formats = model_chance(60) ? wide : narrow;
    unsigned count = formats == wide ? sizeof wide : sizeof narrow;
    *a = formats[model_below(count)];
    *b = formats[model_below(count)];
    if (model_chance(3)) {
        *b = model_below(16);
    }
    if (model_chance(2)) {
        *a = model_below(16);
    }
}

void model_randomise_setup(struct matrix_model *model)
{
    model->thread = model_below(3);
    model->state = model_below(2);
    random_formats(&model->configured[0], &model->configured[1]);
    for (unsigned bank = 0; bank < 4; bank++) {
        random_formats(&model->implied[0][bank / 2], &model->implied[1][bank % 2]);
    }
    if (model_chance(70)) { /* banks that go together */
        model->implied[1][0] = model->implied[1][1] = model->implied[0][0];
        model->implied[0][1] = model->implied[0][0];
    }
    for (unsigned src = 0; src < 2; src++) {
        model->disable_implied[src] = model_chance(40);
        model->matrix_may[src][0] = model->matrix_may[src][1] = true;
        model->matrix_bank[src] = model_below(2);
        model->unpack_bank[src] = model_below(2);
        model->clear_disabled[src] = model_chance(30);
        model->held[src] = 0;
    }
    model->fp32 = model_chance(50);
    model->int8 = model_chance(20);
    model->force = model_chance(10);
    model->zero_flag_disabled = model_chance(40);
    model->srnd = model_chance(10);
    model->rounds_to_nearest = model_chance(30);
    model->remap = model_chance(25);
    model->swizzle = model_chance(25);
    model->high_half = model_chance(25);
    model->absolute = model_chance(50);
    model->offset = model_chance(70) ? model_below(64) * 8 : model_below(4096);
    model->base = model_chance(80) ? 0 : model_below(65536);
    model->fidelity_base = model_below(4);
    model->rwc_dst = model_chance(70) ? model_below(128) * 8 : model_below(1024);
    model->rwc_a = model_below(64);
    model->rwc_b = model_below(64);
    model->fidelity = model_below(4);
    model->shift_row = model_below(64);
    model->generator = model_random();
}

/* --- To and from the coprocessor --- */

static void store_config(const struct matrix_model *model, struct tensix *tensix)
{
    const bool override[2] = {model->remap, model->swizzle}; /* as good as any */
    const struct {
        enum tensix_field_id id;
        uint32_t value;
    } rows[] = {
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcA_override, override[0]},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_override, override[1]},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcA_val, model->configured[0] ^ (override[0] ? 0 : 5)},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_val, model->configured[1] ^ (override[1] ? 0 : 6)},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcA, model->configured[0] ^ (override[0] ? 7 : 0)},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB, model->configured[1] ^ (override[1] ? 9 : 0)},
        {TENSIX_FIELD_ALU_ROUNDING_MODE_Fpu_srnd_en, model->srnd},
        {TENSIX_FIELD_ALU_ROUNDING_MODE_Gasket_srnd_en, model->fp32},
        {TENSIX_FIELD_ALU_ACC_CTRL_Fp32_enabled, model->fp32},
        {TENSIX_FIELD_ALU_ACC_CTRL_INT8_math_enabled, model->int8},
        {TENSIX_FIELD_ALU_ACC_CTRL_Zero_Flag_disabled_src, model->zero_flag_disabled},
        {TENSIX_FIELD_DEST_REGW_BASE_Base, model->base},
        {TENSIX_FIELD_DEST_ACCESS_CFG_remap_addrs, model->remap},
        {TENSIX_FIELD_DEST_ACCESS_CFG_swizzle_32b, model->swizzle},
        {TENSIX_FIELD_DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, model->absolute},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (tensix_fields[rows[i].id].word < TENSIX_GLOBAL_WORD) { /* the other state has noise */
            tensix_set_config_field(tensix, !model->state, rows[i].id, ~rows[i].value);
        }
        tensix_set_config_field(tensix, model->state, rows[i].id, rows[i].value);
    }
    tensix->stale = UINT32_MAX;
}

static void store_thread_config(const struct matrix_model *model, struct tensix *tensix)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        uint32_t noise = thread == model->thread ? 0 : UINT32_MAX;
        const struct {
            enum tensix_field_id id;
            uint32_t value;
        } rows[] = {
            {TENSIX_FIELD_CFG_STATE_ID_StateID, model->state},
            {TENSIX_FIELD_DEST_TARGET_REG_CFG_MATH_Offset, model->offset},
            {TENSIX_FIELD_DISABLE_IMPLIED_SRCA_FMT_Base, model->disable_implied[0]},
            {TENSIX_FIELD_DISABLE_IMPLIED_SRCB_FMT_Base, model->disable_implied[1]},
            {TENSIX_FIELD_CLR_DVALID_SrcA_Disable, model->clear_disabled[0]},
            {TENSIX_FIELD_CLR_DVALID_SrcB_Disable, model->clear_disabled[1]},
            {TENSIX_FIELD_FIDELITY_BASE_Phase, model->fidelity_base},
            {TENSIX_FIELD_FP16A_FORCE_Enable, model->force},
        };
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            tensix_set_thread_field(tensix, thread, rows[i].id, rows[i].value ^ noise);
        }
    }
    /* Address modifier i adds 2 i + 1, 3 i + 1, 5 i + 1 and i. */
    for (unsigned i = 0; i < 8; i++) {
        uint16_t *config = tensix->thread_config[model->thread];
        config[TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i] =
            (uint16_t)((2 * i + 1) | (3 * i + 1) << 8);
        config[TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] =
            (uint16_t)((5 * i + 1) | (i & 3) << 13);
        config[TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr + i] = 0;
    }
}

static bool has_data(const struct tensix_src_file *file, unsigned bank)
{
    static const uint32_t zeros[MODEL_SRC_ROWS][MODEL_COLUMNS];
    return memcmp(file->bank[bank], zeros, sizeof zeros) != 0;
}

void model_store(const struct matrix_model *model, struct tensix *tensix)
{
    struct tensix_rwc *rwc = &tensix->thread[model->thread].rwc;
    memcpy(tensix->dst.bits, model->dst, sizeof model->dst);
    for (unsigned i = 0; i < MODEL_ROWS; i++) {
        tensix->dst.cleared[i] = !model->valid[i];
    }
    for (unsigned src = 0; src < 2; src++) {
        struct tensix_src_file *file = &tensix->src_file[src];
        struct tensix_src_banks *banks = &tensix->src[src];
        memcpy(file->bank, model->src[src], sizeof file->bank);
        file->filled = (uint8_t)(has_data(file, 0) | has_data(file, 1) << 1);
        file->held = (uint16_t)model->held[src];
        banks->matrix_bank = (uint8_t)model->matrix_bank[src];
        banks->unpack_bank = (uint8_t)model->unpack_bank[src];
        for (unsigned bank = 0; bank < 2; bank++) {
            file->format[bank] = (uint8_t)model->implied[src][bank];
            banks->matrix_may[bank] = model->matrix_may[src][bank];
        }
    }
    store_config(model, tensix);
    store_thread_config(model, tensix);
    tensix->dst_high_half = model->high_half;
    memset(rwc, 0, sizeof *rwc);
    rwc->dst = model->rwc_dst;
    rwc->src_a = model->rwc_a;
    rwc->src_b = model->rwc_b;
    rwc->fidelity = model->fidelity;
    tensix->rounds_to_nearest = model->rounds_to_nearest;
    tensix->matrix.generator = model->generator;
    tensix->matrix.src_a_row = (uint8_t)model->shift_row;
}

/* Each assertion of Check costs system calls, so what holds is looked at without them. */
static void compare_dst(const struct matrix_model *model, const struct tensix *tensix,
                        uint32_t what)
{
    bool same = memcmp(tensix->dst.bits, model->dst, sizeof model->dst) == 0;
    for (unsigned i = 0; !same && i < MODEL_ROWS * MODEL_COLUMNS; i++) {
        unsigned row = i / MODEL_COLUMNS, column = i % MODEL_COLUMNS;
        ck_assert_msg(tensix->dst.bits[row][column] == model->dst[row][column],
                      "0x%08" PRIx32 ": Dst[%u][%u] is 0x%04x, not 0x%04x", what, row, column,
                      tensix->dst.bits[row][column], model->dst[row][column]);
    }
    for (unsigned i = 0; i < MODEL_ROWS; i++) {
        if (tensix->dst.cleared[i] == model->valid[i]) {
            ck_abort_msg("0x%08" PRIx32 ": row %u of Dst is%s valid", what, i,
                         model->valid[i] ? " not" : "");
        }
    }
}

static void compare_src(const struct matrix_model *model, const struct tensix *tensix, unsigned src,
                        uint32_t what)
{
    const struct tensix_src_file *file = &tensix->src_file[src];
    const struct tensix_src_banks *banks = &tensix->src[src];
    bool same = memcmp(file->bank, model->src[src], sizeof file->bank) == 0;
    for (unsigned bank = 0; bank < 2; bank++) {
        if (has_data(file, bank) && !(file->filled >> bank & 1)) {
            ck_abort_msg("0x%08" PRIx32 ": Src%c has data in bank %u, which counts as clear", what,
                         "AB"[src], bank);
        }
    }
    for (unsigned i = 0; !same && i < 2 * MODEL_SRC_ROWS * MODEL_COLUMNS; i++) {
        uint32_t got = (&file->bank[0][0][0])[i], wanted = (&model->src[src][0][0][0])[i];
        ck_assert_msg(got == wanted,
                      "0x%08" PRIx32 ": datum %u of Src%c is 0x%05" PRIx32 ", not 0x%05" PRIx32,
                      what, i, "AB"[src], got, wanted);
    }
    for (unsigned bank = 0; bank < 2; bank++) {
        same = same && banks->matrix_may[bank] == model->matrix_may[src][bank] &&
               file->format[bank] == model->implied[src][bank];
    }
    same = same && banks->matrix_bank == model->matrix_bank[src] &&
           banks->unpack_bank == model->unpack_bank[src];
    if (!same) {
        ck_abort_msg("0x%08" PRIx32 ": banks of Src%c: %u %u %d %d, not %u %u %d %d", what,
                     "AB"[src], banks -> matrix_bank, banks -> unpack_bank, banks -> matrix_may[0],
                     banks -> matrix_may[1], model -> matrix_bank[src], model -> unpack_bank[src],
                     model -> matrix_may[src][0], model -> matrix_may[src][1]);
    }
}

void model_compare(const struct matrix_model *model, const struct tensix *tensix, uint32_t what)
{
    const struct tensix_rwc *rwc = &tensix->thread[model->thread].rwc;
    compare_dst(model, tensix, what);
    compare_src(model, tensix, MODEL_A, what);
    compare_src(model, tensix, MODEL_B, what);
    ck_assert_msg(rwc->dst == model->rwc_dst && rwc->src_a == model->rwc_a &&
                      rwc->src_b == model->rwc_b && rwc->fidelity == model->fidelity,
                  "0x%08" PRIx32 ": counters %u %u %u %u, not %u %u %u %u", what, rwc->dst,
                  rwc->src_a, rwc->src_b, rwc->fidelity, model->rwc_dst, model->rwc_a, model->rwc_b,
                  model->fidelity);
    ck_assert_msg(tensix->matrix.generator == model->generator, "0x%08" PRIx32 ": generator", what);
}

/* --- Dst and Src --- */

unsigned model_adj16(const struct matrix_model *model, unsigned row)
{
    row %= MODEL_ROWS;
    if (!model->remap) {
        return row;
    }
    return (row & 0x3c7) ^ (row & 0x030) >> 1 ^ (row & 0x008) << 2;
}

unsigned model_adj32(const struct matrix_model *model, unsigned row)
{
    row = model_adj16(model, row);
    if (model->swizzle) {
        row = (row & 0x3f3) ^ (row & 0x018) >> 1 ^ (row & 0x004) << 1;
    }
    return ((row & 0x1f8) << 1) | (row & 0x207);
}

uint32_t model_read_dst(const struct matrix_model *model, bool is_32bit, unsigned row,
                        unsigned column, uint32_t undefined)
{
    unsigned at = is_32bit || model->high_half ? model_adj32(model, row) : model_adj16(model, row);
    if (!model->valid[at]) {
        return is_32bit ? undefined : undefined & 0xffff;
    }
    uint32_t upper = model->dst[at][column];
    return is_32bit ? upper << 16 | model->dst[at + 8][column] : upper;
}

void model_write_dst(struct matrix_model *model, bool is_32bit, unsigned row, unsigned column,
                     uint32_t value)
{
    bool has_lower = is_32bit || model->high_half;
    unsigned at = has_lower ? model_adj32(model, row) : model_adj16(model, row);
    model->dst[at][column] = (uint16_t)(is_32bit ? value >> 16 : value);
    if (has_lower) {
        model->dst[at + 8][column] = (uint16_t)(is_32bit ? value : 0);
    }
    model->valid[at] |= column == MODEL_COLUMNS - 1;
}

uint32_t *model_src(struct matrix_model *model, enum model_src src, unsigned row, unsigned column)
{
    return &model->src[src][model->matrix_bank[src]][row % MODEL_SRC_ROWS][column];
}

void model_write_src(struct matrix_model *model, enum model_src src, unsigned row, unsigned column,
                     uint32_t value)
{
    if (!(model->held[src] >> column & 1)) {
        *model_src(model, src, row, column) = value;
    }
}

unsigned model_dst_row(const struct matrix_model *model, unsigned row)
{
    return row + model->offset + model->rwc_dst + model->base;
}

/* --- Ends --- */

void model_flip(struct matrix_model *model, unsigned flips)
{
    for (unsigned src = 0; src < 2; src++) {
        if (flips >> src & 1) {
            unsigned bank = model->matrix_bank[src];
            if (!model->clear_disabled[src]) {
                model->matrix_may[src][bank] = false;
            }
            model->matrix_bank[src] = 1 - bank;
        }
    }
}

void model_addr_mod(struct matrix_model *model, unsigned addr_mod)
{
    model->rwc_a = (model->rwc_a + 2 * addr_mod + 1) % 64;
    model->rwc_b = (model->rwc_b + 3 * addr_mod + 1) % 64;
    model->rwc_dst = (model->rwc_dst + 5 * addr_mod + 1) % 1024;
    model->fidelity = (model->fidelity + addr_mod) % 4;
}

bool model_style(unsigned format, enum num_matrix_style *style)
{
    static const char styles[] = "BFFFTBBBBBFF..FB"; /* by code */
    *style = styles[format] == 'T'   ? NUM_MATRIX_TF32
             : styles[format] == 'F' ? NUM_MATRIX_FP16
                                     : NUM_MATRIX_BF16;
    return styles[format] != '.';
}
