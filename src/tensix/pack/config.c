/*
 * The packer's configuration, derived from Config once for each state, and again when a word has
 * changed that config_users.def gives to the packer.
 *
 * SPEC: WormholeB0 Packers/FormatConversion, Downsampling; BlackholeA0 PACR; tt_llk_blackhole
 * cpack_common.h for the pairs of formats that software uses.
 */
#include "tensix/pack/job.h"

enum { RELU_MODES = 3, DOWNSAMPLE_ALL = 0xffff };

/* --- Words --- */

const struct pack_words pack_words[TENSIX_PACKERS] = {
#define PACKER(section, limit, counters, offset)                                                   \
    {TENSIX_WORD_##section - TENSIX_WORD_THCON_SEC0_REG1_Row_start_section_size,                   \
     TENSIX_WORD_##limit - TENSIX_WORD_THCON_SEC0_REG9_Pack_0_2_limit_address,                     \
     TENSIX_WORD_##counters - TENSIX_WORD_PACK_COUNTERS_SEC0_pack_per_xy_plane,                    \
     TENSIX_WORD_##offset - TENSIX_WORD_DEST_TARGET_REG_CFG_PACK_SEC0_Offset},
#include "packers.def"
};

/* --- Formats --- */

/* SPEC: both conversions take the format of Dst's data from ALU_FORMAT_SPEC. */
static unsigned dstacc(const struct tensix *tensix, unsigned state)
{
    return tensix_get_ALU_FORMAT_SPEC_REG_Dstacc_override(tensix, state)
               ? tensix_get_ALU_FORMAT_SPEC_REG_Dstacc_val(tensix, state)
               : tensix_get_ALU_FORMAT_SPEC_REG2_Dstacc(tensix, state);
}

unsigned pack_int_shift(const struct tensix *tensix, unsigned state, unsigned face)
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

static struct num_pack derive_how(const struct tensix *tensix, unsigned which, unsigned state)
{
    bool is_unsigned = tensix_get_PCK_DEST_RD_CTRL_Read_unsigned(tensix, state);
    unsigned out = pack_section(tensix, which, state, TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format);
    bool is_e4m3 = pack_section(tensix, which, state, TENSIX_FIELD_THCON_SEC0_REG1_Pac_LF8_4b_exp);
    return (struct num_pack){
        .early = {.format = (uint8_t)dstacc(tensix, state),
                  .output = (uint8_t)out,
                  .is_32bit = tensix_get_PCK_DEST_RD_CTRL_Read_32b_data(tensix, state),
                  .is_raw = tensix_get_PCK_DEST_RD_CTRL_Read_int8(tensix, state),
                  .is_unsigned = is_unsigned,
                  .rounds_10bit = tensix_get_PCK_DEST_RD_CTRL_Round_10b_mant(tensix, state),
                  .right_shift = (uint8_t)pack_int_shift(tensix, state, 0)},
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

/* The late conversion may leave the intermediate format's exponents as they are. Where it does not,
 * rows are looked at in another format, `seen_as`. */
static void see_exponents(struct tensix_pack_plan *plan)
{
    enum num_pack_kind kind = (enum num_pack_kind)plan->kind;
    const struct num_format_info *info = num_format_info(plan->how.to);
    bool is_kept = info->exponent_bits == (pack_is_narrow(kind) ? 5 : 8);
    bool is_in_data = kind >= NUM_PACK_INT32 || (is_kept && info->bits >= 16);
    if (kind == NUM_PACK_INT8 || kind == NUM_PACK_UINT8) {
        plan->exponents_in = PACK_EXPONENTS_NOWHERE;
        return;
    }
    plan->exponents_in = is_in_data                  ? PACK_EXPONENTS_IN_DATA
                         : is_kept && info->is_block ? PACK_EXPONENTS_IN_BLOCKS
                                                     : PACK_EXPONENTS_LOST;
    plan->seen_as = is_in_data             ? plan->how.to
                    : pack_is_narrow(kind) ? NUM_FORMAT_FLOAT16
                                           : NUM_FORMAT_FLOAT32;
    switch (plan->seen_as) {
    case NUM_FORMAT_UINT16:
        plan->exponent_mask = 0x00ff00ff;
        plan->exponent_shift = 0;
        break;
    case NUM_FORMAT_FLOAT16:
        plan->exponent_mask = 0x7c007c00;
        plan->exponent_shift = 10;
        break;
    case NUM_FORMAT_FLOAT16_B:
        plan->exponent_mask = 0x7f807f80;
        plan->exponent_shift = 7;
        break;
    default:
        plan->exponent_mask = 0x7f800000;
        plan->exponent_shift = 7;
        break;
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
static bool derive_masks(const struct tensix *tensix, unsigned which, unsigned state)
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
        unsigned faces =
            tensix_get_PCK_EDGE_TILE_FACE_SET_SELECT_select(tensix, state) >> 2 * which & 3;
        return names_any(config[TENSIX_WORD_TILE_FACE_SET_MAPPING_0_face_set_mapping_0 + faces],
                         sets);
    }
    return sets >>
               (tensix_get_PCK_EDGE_TILE_ROW_SET_SELECT_select(tensix, state) >> 2 * which & 3) &
           1;
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
void pack_derive(struct tensix *tensix, unsigned which, unsigned state)
{
    struct tensix_pack_plan *plan = &tensix->packer[which].plan;
    unsigned out = pack_section(tensix, which, state, TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format);
    unsigned mask =
        pack_section(tensix, which, state, TENSIX_FIELD_THCON_SEC0_REG1_Downsample_mask);
    *plan = (struct tensix_pack_plan){
        .kernels = tensix->kernels,
        .which = (uint8_t)which,
        .state = (uint8_t)state,
        .how = derive_how(tensix, which, state),
        .in = (uint8_t)pack_section(tensix, which, state,
                                    TENSIX_FIELD_THCON_SEC0_REG1_In_data_format),
        .dstacc = (uint8_t)dstacc(tensix, state),
        .has_exponents = out & 2,
        .from_l1 = pack_section(tensix, which, state,
                                TENSIX_FIELD_THCON_SEC0_REG1_Source_interface_selection),
        .masks = derive_masks(tensix, which, state),
        .compresses =
            !pack_section(tensix, which, state, TENSIX_FIELD_THCON_SEC0_REG1_Disable_zero_compress),
        .accumulates = pack_section(tensix, which, state, TENSIX_FIELD_THCON_SEC0_REG1_Pack_L1_Acc),
        .thresholds =
            pack_section(tensix, which, state, TENSIX_FIELD_THCON_SEC0_REG1_Exp_threshold_en),
        .threshold =
            (uint8_t)pack_section(tensix, which, state, TENSIX_FIELD_THCON_SEC0_REG1_Exp_threshold),
        .shifts_by_face = tensix_get_INT_DESCALE_Enable(tensix, state) &&
                          tensix_get_INT_DESCALE_Mode(tensix, state),
        .is_stochastic = tensix_get_ALU_ROUNDING_MODE_Gasket_srnd_en(tensix, state) &&
                         !tensix->rounds_to_nearest,
        .rounds_blocks = tensix_get_ALU_ROUNDING_MODE_Packer_srnd_en(tensix, state) &&
                         !tensix->rounds_to_nearest,
        .downsample_mask = (uint16_t)(mask ? mask : DOWNSAMPLE_ALL),
        .plane_rows = (uint8_t)pack_field(tensix, state, pack_words[which].counters,
                                          TENSIX_FIELD_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane),
        .is_transposed = pack_field(tensix, state, pack_words[which].counters,
                                    TENSIX_FIELD_PACK_COUNTERS_SEC0_pack_yz_transposed),
        .finds_last = pack_section(tensix, which, state,
                                   TENSIX_FIELD_THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel),
    };
    const struct num_format_info *info = num_format_info(plan->how.to);
    plan->rounds_blocks = plan->rounds_blocks && info && info->is_block;
    plan->datum_shift = (uint8_t)datum_shift(plan->in);
    plan->kind = (uint8_t)(plan->from_l1 ? kind_of_l1(plan->in, plan->how.early.is_unsigned)
                                         : num_pack_early_kind(&plan->how.early));
    plan->is_plain = is_plain(plan);
    plan->refusal = (uint8_t)pack_check_output(tensix, plan);
    if (plan->refusal <= PACK_BAD_ACCUMULATION && plan->refusal != PACK_FINE) {
        plan->accumulates = false; /* what is flushed now was not for this format */
        return;
    }
    plan->bits = info->bits;
    plan->is_block = info->is_block;
    plan->writes_exponents =
        info->is_block &&
        !pack_section(tensix, which, state, TENSIX_FIELD_THCON_SEC0_REG1_Dis_shared_exp_assembler);
    if (plan->refusal == PACK_FINE) {
        plan->refusal = (uint8_t)pack_check_input(plan);
    }
    if (plan->refusal == PACK_FINE) {
        see_exponents(plan);
        plan->pack = plan->is_plain ? plan->kernels->choose_pack(&plan->how) : NULL;
    }
}
