/*
 * What Config says to the packer, derived once for each state and again when a word has changed
 * that config_users.def gives to the packer.
 *
 * SPEC: WormholeB0 Packers/FormatConversion, ReLU, ExponentThresholding, Downsampling; BlackholeA0
 * PACR; tt_llk_blackhole cpack_common.h for the pairs of formats that software uses.
 */
#include "tensix/pack/unit.h"

enum { RELU_MODES = 3, DOWNSAMPLE_ALL = 0xffff };
#define NEGATIVE UINT16_C(0x8000)

/* --- Formats --- */

/* SPEC: both conversions take the format of Dst's data from ALU_FORMAT_SPEC. */
static unsigned dstacc(const struct tensix *tensix, unsigned state)
{
    return tensix_get_ALU_FORMAT_SPEC_REG_Dstacc_override(tensix, state)
               ? tensix_get_ALU_FORMAT_SPEC_REG_Dstacc_val(tensix, state)
               : tensix_get_ALU_FORMAT_SPEC_REG2_Dstacc(tensix, state);
}

unsigned tensix_pack_int_shift(const struct tensix *tensix, unsigned state, unsigned face)
{
    enum { SHIFT = 0x1f };
    if (!tensix_get_INT_DESCALE_Enable(tensix, state)) {
        return 0;
    }
    if (!tensix_get_INT_DESCALE_Mode(tensix, state)) {
        return tensix_get_INT_DESCALE_VALUES_SEC0_Value(tensix, state) & SHIFT;
    }
    /* GUESS: the page has "some value z" here; faces are what the packer counts. */
    unsigned word = TENSIX_WORD_INT_DESCALE_VALUES_SEC0_Value + (face & 63) / 4;
    return tensix->config[state][word] >> face % 4 * 8 & SHIFT;
}

static struct num_pack derive_how(const struct tensix *tensix, unsigned state)
{
    bool is_unsigned = tensix_get_PCK_DEST_RD_CTRL_Read_unsigned(tensix, state);
    unsigned out = tensix_get_THCON_SEC0_REG1_Out_data_format(tensix, state);
    bool is_e4m3 = tensix_get_THCON_SEC0_REG1_Pac_LF8_4b_exp(tensix, state);
    return (struct num_pack){
        .early = {.format = (uint8_t)dstacc(tensix, state),
                  .output = (uint8_t)out,
                  .is_32bit = tensix_get_PCK_DEST_RD_CTRL_Read_32b_data(tensix, state),
                  .is_raw = tensix_get_PCK_DEST_RD_CTRL_Read_int8(tensix, state),
                  .is_unsigned = is_unsigned,
                  .rounds_10bit = tensix_get_PCK_DEST_RD_CTRL_Round_10b_mant(tensix, state),
                  .right_shift = (uint8_t)tensix_pack_int_shift(tensix, state, 0)},
        .relu = {.mode = (uint8_t)(tensix_get_STACC_RELU_ApplyRelu(tensix, state) & RELU_MODES),
                 .threshold = (uint16_t)tensix_get_STACC_RELU_ReluThreshold(tensix, state)},
        .to = (uint8_t)num_format_of(out, is_unsigned, is_e4m3),
    };
}

/* SPEC: "From L1" table, of which In_data_format chooses a column and a row at once (GUESS). */
static enum num_pack_kind kind_of_l1(unsigned in, bool is_unsigned)
{
    switch (in) {
    case NUM_FORMAT_FLOAT32:
        return NUM_PACK_FP32;
    case NUM_FORMAT_FLOAT16_B:
    case NUM_FORMAT_BFP8_B:
        return NUM_PACK_BF16;
    case NUM_FORMAT_FLOAT16:
        return NUM_PACK_FP16;
    case NUM_FORMAT_BFP8:
        return NUM_PACK_E5M7;
    case NUM_FORMAT_LF8:
        return NUM_PACK_FP8;
    case NUM_FORMAT_INT32:
        return NUM_PACK_INT32;
    case NUM_FORMAT_UINT16:
        return NUM_PACK_INT16;
    case NUM_FORMAT_INT8:
        return is_unsigned ? NUM_PACK_UINT8 : NUM_PACK_INT8;
    default:
        return NUM_PACK_NONE;
    }
}

/* May In_data_format be called that? LLK writes FP16 where ten bits of mantissa go on to E4M3. */
static bool fits_kind(unsigned in, enum num_pack_kind kind)
{
    switch (in) {
    case NUM_FORMAT_FLOAT16:
    case NUM_FORMAT_TF32:
        return kind == NUM_PACK_TF32;
    case NUM_FORMAT_FLOAT16_B:
        return kind == NUM_PACK_BF16;
    default:
        return false;
    }
}

static bool is_integer(enum num_pack_kind kind)
{
    return kind >= NUM_PACK_INT32;
}

static bool is_narrow(enum num_pack_kind kind)
{
    return kind >= NUM_PACK_FP16 && kind <= NUM_PACK_FP8;
}

static void see_exponents(struct tensix_pack_plan *plan, uint32_t mask, unsigned shift)
{
    plan->exponents_in = TENSIX_PACK_EXPONENTS_IN_HALVES;
    plan->exponent_mask = mask;
    plan->exponent_shift = (uint8_t)shift;
}

/* Only exponents that the late conversion leaves as they are can be seen behind it. */
static void find_exponents(struct tensix_pack_plan *plan)
{
    const uint32_t fp32 = 0x7f800000, bf16 = 0x7f807f80, fp16 = 0x7c007c00, int16 = 0x00ff00ff;
    enum num_pack_kind kind = (enum num_pack_kind)plan->kind;
    enum num_format to = (enum num_format)plan->how.to;
    bool is_same = (num_format_info(to)->exponent_bits == 5) == is_narrow(kind);
    if (kind == NUM_PACK_INT8 || kind == NUM_PACK_UINT8) {
        plan->exponents_in = TENSIX_PACK_EXPONENTS_NOWHERE;
    } else if (kind == NUM_PACK_INT16) {
        see_exponents(plan, int16, 0);
    } else if (kind == NUM_PACK_INT32) {
        see_exponents(plan, fp32, 7);
    } else if (!is_same || to == NUM_FORMAT_FP8_E4M3) {
        plan->exponents_in = TENSIX_PACK_EXPONENTS_LOST;
    } else if (to == NUM_FORMAT_FLOAT32 || to == NUM_FORMAT_TF32) {
        see_exponents(plan, fp32, 7);
    } else if (to == NUM_FORMAT_FLOAT16_B) {
        see_exponents(plan, bf16, 7);
    } else if (to == NUM_FORMAT_FLOAT16) {
        see_exponents(plan, fp16, 10);
    } else if (to == NUM_FORMAT_LF8) {
        plan->exponents_in = TENSIX_PACK_EXPONENTS_IN_BYTES;
    } else {
        plan->exponents_in = TENSIX_PACK_EXPONENTS_IN_BLOCKS;
    }
}

/* --- Edge masks --- */

/* Does any of the 16 fields of two bits of a mapping name a row set (mask) of `which`? */
static bool names_any(uint32_t mapping, unsigned which)
{
    for (unsigned i = 0; i < 16; i++) {
        if (which >> (mapping >> 2 * i & 3) & 1) {
            return true;
        }
    }
    return false;
}

/* Can any row of a tile have a mask that is not full? LLK sets the first mask alone. */
static bool derive_masks(const struct tensix *tensix, unsigned state)
{
    const uint32_t *config = tensix->config[state];
    unsigned partial = 0, sets = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t mask = config[TENSIX_WORD_PCK_EDGE_OFFSET_SEC0_mask + i] & UINT16_MAX;
        partial |= (unsigned)(mask != UINT16_MAX) << i;
    }
    for (unsigned i = 0; i < 4; i++) {
        uint32_t rows = config[TENSIX_WORD_TILE_ROW_SET_MAPPING_0_row_set_mapping_0 + i];
        sets |= (unsigned)names_any(rows, partial) << i;
    }
    if (tensix_get_PCK_EDGE_TILE_FACE_SET_SELECT_enable(tensix, state)) {
        unsigned faces = tensix_get_PCK_EDGE_TILE_FACE_SET_SELECT_select(tensix, state) & 3;
        return names_any(config[TENSIX_WORD_TILE_FACE_SET_MAPPING_0_face_set_mapping_0 + faces],
                         sets);
    }
    return sets >> (tensix_get_PCK_EDGE_TILE_ROW_SET_SELECT_select(tensix, state) & 3) & 1;
}

/* --- What cannot be --- */

static enum tensix_pack_refusal check_output(const struct tensix *tensix, unsigned state,
                                             const struct tensix_pack_plan *plan)
{
    unsigned to = plan->how.to;
    bool is_sum =
        to == NUM_FORMAT_FLOAT32 || to == NUM_FORMAT_FLOAT16 || to == NUM_FORMAT_FLOAT16_B;
    if (!num_format_info(to)) {
        return TENSIX_PACK_BAD_OUT;
    }
    if (plan->accumulates && !is_sum) {
        return TENSIX_PACK_BAD_ACCUMULATION;
    }
    if (plan->compresses && plan->accumulates) {
        return TENSIX_PACK_BAD_COMPRESSION;
    }
    if (tensix_get_THCON_SEC0_REG1_pack_start_intf_pos(tensix, state)) {
        return TENSIX_PACK_NO_START_POSITION;
    }
    if (tensix_get_THCON_SEC0_REG1_pack_dis_y_pos_start_offset(tensix, state)) {
        return TENSIX_PACK_NO_Y_OFFSET;
    }
    if (tensix_get_THCON_SEC0_REG1_Downsample_rate(tensix, state)) {
        return TENSIX_PACK_NO_DOWNSAMPLE_RATE;
    }
    return TENSIX_PACK_FINE;
}

static enum tensix_pack_refusal check_relu(const struct tensix_pack_plan *plan)
{
    if (plan->from_l1 || plan->how.relu.mode <= NUM_RELU_ZERO) {
        return TENSIX_PACK_FINE;
    }
    if (plan->how.relu.threshold & NEGATIVE) {
        return TENSIX_PACK_BAD_RELU_SIGN;
    }
    return is_integer((enum num_pack_kind)plan->kind) ? TENSIX_PACK_BAD_RELU_INTEGER
                                                      : TENSIX_PACK_FINE;
}

static enum tensix_pack_refusal check_input(const struct tensix_pack_plan *plan)
{
    enum num_pack_kind kind = (enum num_pack_kind)plan->kind;
    if (kind == NUM_PACK_NONE) {
        return plan->from_l1 ? TENSIX_PACK_BAD_L1_SOURCE : TENSIX_PACK_BAD_EARLY;
    }
    if (!plan->from_l1 && plan->in != plan->dstacc && !fits_kind(plan->in, kind)) {
        return TENSIX_PACK_BAD_IN;
    }
    if (!num_pack_late_is_legal(kind, (enum num_format)plan->how.to)) {
        return TENSIX_PACK_BAD_LATE;
    }
    if (plan->thresholds && plan->in == NUM_FORMAT_BFP2) {
        return TENSIX_PACK_BAD_THRESHOLD;
    }
    return check_relu(plan);
}

/* Fields that no source explains, and combinations that it does not mention. */
static const char *const unknown[TENSIX_PACK_REFUSALS] = {
    [TENSIX_PACK_BAD_COMPRESSION] = "Pack_L1_Acc does to a compressed tile; set "
                                    "THCON_SEC0_REG1_Disable_zero_compress",
    [TENSIX_PACK_NO_START_POSITION] = "THCON_SEC0_REG1_pack_start_intf_pos does; it must be 0",
    [TENSIX_PACK_NO_Y_OFFSET] = "THCON_SEC0_REG1_pack_dis_y_pos_start_offset does; it must be 0",
    [TENSIX_PACK_NO_DOWNSAMPLE_RATE] = "THCON_SEC0_REG1_Downsample_rate does; it must be 0",
};

static const char *format_name(unsigned format)
{
    static const char *const none[] = {"12", "13"};
    const struct num_format_info *info = num_format_info(format);
    return info ? info->name : none[format & 1];
}

static enum tensix_exec refuse_input(struct tensix *tensix, unsigned thread,
                                     const struct tensix_pack_plan *plan)
{
    const enum tensix_fault_kind kind = TENSIX_FAULT_UNDEFINED;
    const char *in = format_name(plan->in);
    switch (plan->refusal) {
    case TENSIX_PACK_BAD_EARLY:
        return tensix_fault(
            tensix, thread, kind,
            "PACR: Dst of %u bits cannot give %s (ALU_FORMAT_SPEC_REG2_Dstacc) with Read_int8 %u, "
            "Read_unsigned %u, Round_10b_mant %u (PCK_DEST_RD_CTRL)",
            plan->how.early.is_32bit ? 32 : 16, format_name(plan->dstacc), plan->how.early.is_raw,
            plan->how.early.is_unsigned, plan->how.early.rounds_10bit);
    case TENSIX_PACK_BAD_L1_SOURCE:
        return tensix_fault(tensix, thread, kind,
                            "PACR: L1 as the source (Source_interface_selection) cannot give %s "
                            "(THCON_SEC0_REG1_In_data_format)",
                            in);
    case TENSIX_PACK_BAD_IN:
        return tensix_fault(tensix, thread, kind,
                            "PACR: THCON_SEC0_REG1_In_data_format is %s, but "
                            "ALU_FORMAT_SPEC_REG2_Dstacc %s; they have to be equal",
                            in, format_name(plan->dstacc));
    case TENSIX_PACK_BAD_LATE:
        return tensix_fault(tensix, thread, kind,
                            "PACR: the late conversion cannot make %s "
                            "(THCON_SEC0_REG1_Out_data_format) of %s (In_data_format)",
                            format_name(plan->how.to), in);
    case TENSIX_PACK_BAD_RELU_SIGN:
        return tensix_fault(tensix, thread, kind,
                            "PACR: STACC_RELU_ReluThreshold 0x%04x is negative, which ApplyRelu 2 "
                            "and 3 do not allow; clear its bit 15",
                            plan->how.relu.threshold);
    case TENSIX_PACK_BAD_RELU_INTEGER:
        return tensix_fault(tensix, thread, kind,
                            "PACR: STACC_RELU_ApplyRelu %u compares numbers with a fraction, and "
                            "Dst gives %s; use 0 or 1",
                            plan->how.relu.mode, format_name(plan->dstacc));
    default:
        return tensix_fault(tensix, thread, kind,
                            "PACR: THCON_SEC0_REG1_Exp_threshold_en does not work with "
                            "In_data_format %s, a hardware bug",
                            in);
    }
}

enum tensix_exec tensix_pack_refuse(struct tensix *tensix, unsigned thread,
                                    const struct tensix_pack_plan *plan)
{
    if (plan->refusal >= TENSIX_PACK_BAD_EARLY) {
        return refuse_input(tensix, thread, plan);
    }
    if (plan->refusal == TENSIX_PACK_BAD_OUT) {
        return tensix_fault(
            tensix, thread, TENSIX_FAULT_UNDEFINED,
            "PACR: THCON_SEC0_REG1_Out_data_format is %s, which is no format; 12 and "
            "13 are none",
            format_name(plan->how.to));
    }
    if (plan->refusal == TENSIX_PACK_BAD_ACCUMULATION) {
        return tensix_fault(
            tensix, thread, TENSIX_FAULT_UNIMPLEMENTED,
            "PACR: THCON_SEC0_REG1_Pack_L1_Acc adds Float32, Float16 and Float16_b; "
            "no source says what it does with %s",
            format_name(plan->how.to));
    }
    return tensix_fault(tensix, thread, TENSIX_FAULT_UNIMPLEMENTED, "PACR: no source says what %s",
                        unknown[plan->refusal]);
}

/* --- The plan --- */

static unsigned datum_shift(unsigned in)
{
    return in % 4 == 0 ? 2 : in % 4 == 1;
}

static bool is_plain(const struct tensix_pack_plan *plan)
{
    return !plan->from_l1 && !plan->masks && !plan->compresses && !plan->thresholds &&
           !plan->shifts_by_face && !plan->is_stochastic && !plan->rounds_blocks &&
           plan->downsample_mask == DOWNSAMPLE_ALL;
}

/*
 * GUESS: All_pack_disable_zero_compress_ovrd has lost the bits that it chooses on Wormhole, and
 * chooses nothing. GUESS: Gasket_srnd_en is about the early conversion, which stands between Dst
 * and the packer proper, and Packer_srnd_en about blocks; LLK sets both.
 * GUESS: Dis_shared_exp_assembler leaves the exponents of blocks out.
 */
void tensix_pack_derive(struct tensix *tensix, unsigned state)
{
    struct tensix_pack_plan *plan = &tensix->packer.plan;
    unsigned out = tensix_get_THCON_SEC0_REG1_Out_data_format(tensix, state);
    unsigned mask = tensix_get_THCON_SEC0_REG1_Downsample_mask(tensix, state);
    *plan = (struct tensix_pack_plan){
        .kernels = tensix->kernels,
        .state = (uint8_t)state,
        .how = derive_how(tensix, state),
        .in = (uint8_t)tensix_get_THCON_SEC0_REG1_In_data_format(tensix, state),
        .dstacc = (uint8_t)dstacc(tensix, state),
        .has_exponents = out & 2,
        .from_l1 = tensix_get_THCON_SEC0_REG1_Source_interface_selection(tensix, state),
        .masks = derive_masks(tensix, state),
        .compresses = !tensix_get_THCON_SEC0_REG1_Disable_zero_compress(tensix, state),
        .accumulates = tensix_get_THCON_SEC0_REG1_Pack_L1_Acc(tensix, state),
        .thresholds = tensix_get_THCON_SEC0_REG1_Exp_threshold_en(tensix, state),
        .threshold = (uint8_t)tensix_get_THCON_SEC0_REG1_Exp_threshold(tensix, state),
        .shifts_by_face = tensix_get_INT_DESCALE_Enable(tensix, state) &&
                          tensix_get_INT_DESCALE_Mode(tensix, state),
        .is_stochastic = tensix_get_ALU_ROUNDING_MODE_Gasket_srnd_en(tensix, state) &&
                         !tensix->rounds_to_nearest,
        .rounds_blocks = tensix_get_ALU_ROUNDING_MODE_Packer_srnd_en(tensix, state) &&
                         !tensix->rounds_to_nearest,
        .downsample_mask = (uint16_t)(mask ? mask : DOWNSAMPLE_ALL),
        .plane_rows = (uint8_t)tensix_get_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane(tensix, state),
        .is_transposed = tensix_get_PACK_COUNTERS_SEC0_pack_yz_transposed(tensix, state),
        .finds_last = tensix_get_THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel(tensix, state),
    };
    const struct num_format_info *info = num_format_info(plan->how.to);
    plan->rounds_blocks = plan->rounds_blocks && info && info->is_block;
    plan->datum_shift = (uint8_t)datum_shift(plan->in);
    plan->kind = (uint8_t)(plan->from_l1 ? kind_of_l1(plan->in, plan->how.early.is_unsigned)
                                         : num_pack_early_kind(&plan->how.early));
    plan->is_plain = is_plain(plan);
    plan->refusal = (uint8_t)check_output(tensix, state, plan);
    if (plan->refusal <= TENSIX_PACK_BAD_ACCUMULATION && plan->refusal != TENSIX_PACK_FINE) {
        plan->accumulates = false; /* what is flushed now was not for this format */
        return;
    }
    plan->bits = info->bits;
    plan->is_block = info->is_block;
    plan->writes_exponents =
        info->is_block && !tensix_get_THCON_SEC0_REG1_Dis_shared_exp_assembler(tensix, state);
    if (plan->refusal == TENSIX_PACK_FINE) {
        plan->refusal = (uint8_t)check_input(plan);
    }
    if (plan->refusal == TENSIX_PACK_FINE) {
        find_exponents(plan);
        plan->pack = plan->is_plain ? plan->kernels->choose_pack(&plan->how) : NULL;
    }
}
