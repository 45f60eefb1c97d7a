/*
 * The fields of the backend configuration: the laws over all rows, reading and setting each of
 * them, words, shifts and widths typed by hand from the sources, names in reports.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/config/users.h"
#include "tensix/config/regs.h"

enum { WORD_BITS = 32, THREAD_WORD_BITS = 16, TEXT_SIZE = 600 };

/* Numbers of rows in cfg_defines.h, and of the parts of two tile descriptors. */
enum { THREAD_ROWS = 223, CONFIG_ROWS = 597, ALIAS_ROWS = 2 * 11 };

static unsigned first_bit(const struct tensix_field *field)
{
    return field->word * (unsigned)WORD_BITS + field->shift;
}

static bool overlap(const struct tensix_field *a, const struct tensix_field *b)
{
    return a->thread == b->thread && first_bit(a) < first_bit(b) + b->width &&
           first_bit(b) < first_bit(a) + a->width;
}

/* --- Laws --- */

TEST(all_rows_are_there)
{
    int threads = 0, configs = 0, aliases = 0;
    for (int i = 0; i < TENSIX_FIELDS; i++) {
        const struct tensix_field *field = &tensix_fields[i];
        *(field->alias ? &aliases : field->thread ? &threads : &configs) += 1;
    }
    ck_assert_int_eq(threads, THREAD_ROWS);
    ck_assert_int_eq(configs, CONFIG_ROWS);
    ck_assert_int_eq(aliases, ALIAS_ROWS);
}

TEST_EACH(row_is_in_range, TENSIX_FIELDS)
{
    const struct tensix_field *field = &tensix_fields[_i];
    unsigned words = field->thread ? TENSIX_THREAD_WORDS : TENSIX_STATE_WORDS;
    ck_assert_msg(field->width >= 1, "%s has no bits", field->name);
    ck_assert_msg(first_bit(field) + field->width <= words * WORD_BITS, "%s", field->name);
    if (field->thread) {
        ck_assert_msg(field->shift + field->width <= THREAD_WORD_BITS, "%s", field->name);
    } else if (field->shift + field->width > WORD_BITS) {
        ck_assert_msg(field->shift == 0 && field->width % WORD_BITS == 0,
                      "%s covers no whole words", field->name);
    }
}

TEST_EACH(bits_have_one_field, TENSIX_FIELDS)
{
    const struct tensix_field *field = &tensix_fields[_i];
    for (int i = 0; i < _i; i++) {
        const struct tensix_field *other = &tensix_fields[i];
        ck_assert_msg(other->alias != field->alias || !overlap(field, other), "%s and %s overlap",
                      field->name, other->name);
    }
}

TEST_EACH(alias_is_part_of_a_field, TENSIX_FIELDS)
{
    const struct tensix_field *alias = &tensix_fields[_i];
    if (!alias->alias) {
        return;
    }
    for (int i = 0; i < TENSIX_FIELDS; i++) {
        const struct tensix_field *field = &tensix_fields[i];
        if (!field->alias && overlap(field, alias)) {
            ck_assert_msg(first_bit(alias) >= first_bit(field) &&
                              first_bit(alias) + alias->width <= first_bit(field) + field->width,
                          "%s is not in %s", alias->name, field->name);
            return;
        }
    }
    ck_abort_msg("%s is part of no field", alias->name);
}

TEST_EACH(name_finds_its_row_only, TENSIX_FIELDS)
{
    ck_assert_ptr_eq(tensix_field_find(tensix_fields[_i].name), &tensix_fields[_i]);
}

TEST(other_names_find_nothing)
{
    ck_assert_ptr_null(tensix_field_find(""));
    ck_assert_ptr_null(tensix_field_find("CFG_STATE_ID"));
    ck_assert_ptr_null(tensix_field_find("CFG_STATE_ID_StateID_ADDR32"));
    ck_assert_ptr_null(tensix_field_find("cfg_state_id_stateid"));
}

/* --- Values --- */

static uint32_t (*const getters[TENSIX_FIELDS])(const struct tensix *tensix, unsigned bank) = {
#define CONFIG_FIELD(name, word, shift, width) tensix_get_##name,
#define CONFIG_ALIAS(name, word, shift, width) tensix_get_##name,
#define THREAD_FIELD(name, word, shift, width) tensix_get_##name,
#include "regs.def"
};

static uint32_t get(const struct tensix *tensix, unsigned bank, enum tensix_field_id id)
{
    return tensix_fields[id].thread ? tensix_thread_field(tensix, bank, id)
                                    : tensix_config_field(tensix, bank, id);
}

static void set(struct tensix *tensix, unsigned bank, enum tensix_field_id id, uint32_t value)
{
    if (tensix_fields[id].thread) {
        tensix_set_thread_field(tensix, bank, id, value);
    } else {
        tensix_set_config_field(tensix, bank, id, value);
    }
}

static void fill(struct tensix *tensix, bool ones)
{
    int byte = ones ? 0xff : 0;
    memset(tensix, 0, sizeof *tensix);
    memset(tensix->config, byte, sizeof tensix->config);
    memset(tensix->thread_config, byte, sizeof tensix->thread_config);
}

/* Flips the field's bits one by one, as the rows say where they are. */
static void flip_bits(struct tensix *tensix, unsigned bank, const struct tensix_field *field)
{
    for (unsigned bit = field->shift; bit < WORD_BITS && bit < field->shift + field->width; bit++) {
        if (field->thread) {
            tensix->thread_config[bank][field->word] ^= (uint16_t)(1U << bit);
            continue;
        }
        tensix->config[bank][field->word] ^= UINT32_C(1) << bit;
        if (field->word >= 180) {
            tensix->config[!bank][field->word] ^= UINT32_C(1) << bit;
        }
    }
}

/* Sets the field in banks that hold the opposite everywhere. */
static void check_round_trip(enum tensix_field_id id, unsigned bank, bool ones)
{
    const struct tensix_field *field = &tensix_fields[id];
    uint32_t all = field->width < WORD_BITS ? (UINT32_C(1) << field->width) - 1 : UINT32_MAX;
    struct tensix tensix, expected;
    fill(&tensix, !ones);
    fill(&expected, !ones);
    ck_assert_msg(get(&tensix, bank, id) == (ones ? 0 : all), "%s before", field->name);
    set(&tensix, bank, id, ones ? UINT32_MAX : 0);
    flip_bits(&expected, bank, field);
    /* Units are told that the word has changed. */
    expected.stale |= field->thread ? 0 : (uint32_t)tensix_config_uses[field->word].cached;
    ck_assert_msg(get(&tensix, bank, id) == (ones ? all : 0), "%s after", field->name);
    ck_assert_msg(getters[id](&tensix, bank) == (ones ? all : 0), "%s by its getter", field->name);
    ck_assert_msg(memcmp(&tensix, &expected, sizeof tensix) == 0,
                  "%s: setting it touched other bits", field->name);
}

TEST_EACH(round_trip_leaves_neighbours_alone, TENSIX_FIELDS)
{
    unsigned banks = tensix_fields[_i].thread ? TENSIX_THREADS : TENSIX_STATES;
    for (unsigned bank = 0; bank < banks; bank++) {
        check_round_trip((enum tensix_field_id)_i, bank, true);
        check_round_trip((enum tensix_field_id)_i, bank, false);
    }
}

TEST(tile_descriptor_gives_its_first_word)
{
    struct tensix tensix;
    fill(&tensix, false);
    for (unsigned i = 0; i < 4; i++) {
        tensix.config[1][64 + i] = 0x01000110U + i;
    }
    ck_assert_uint_eq(tensix_get_THCON_SEC0_REG0_TileDescriptor(&tensix, 1), 0x01000110U);
    ck_assert_uint_eq(tensix_get_THCON_SEC0_REG0_TileDescriptor_x_dim(&tensix, 1), 0x100);
    ck_assert_uint_eq(tensix_get_THCON_SEC0_REG0_TileDescriptor_uncompressed(&tensix, 1), 1);
    ck_assert_uint_eq(tensix_get_THCON_SEC0_REG0_TileDescriptor_w_dim(&tensix, 1), 0x112);
    ck_assert_uint_eq(tensix_get_THCON_SEC0_REG0_TileDescriptor_digest_size(&tensix, 1), 1);
}

/* --- Known places, typed from cfg_defines.h --- */

static const struct known {
    bool thread;
    const char *name;
    unsigned word, shift, width;
} known[] = {
    {true, "CFG_STATE_ID_StateID", 0, 0, 1},
    {true, "DEST_TARGET_REG_CFG_MATH_Offset", 1, 0, 12},
    {true, "SFPU_DEST_FMT_Base", 4, 1, 4},
    {true, "SRCA_SET_SetOvrdWithAddr", 5, 2, 1},
    {true, "CLR_DVALID_SrcB_Disable", 7, 1, 1},
    {true, "FIDELITY_BASE_Phase", 11, 0, 2},
    {true, "ADDR_MOD_AB_SEC0_SrcAIncr", 12, 0, 6},
    {true, "ADDR_MOD_AB_SEC3_SrcBClear", 15, 15, 1},
    {true, "SFPU_STACK_Incr", 36, 0, 10},
    {true, "UNPACK_MISC_CFG_CfgContextOffset_1", 41, 8, 4},
    {true, "UNPACK_MISC_CFG_CfgContextCntReset_0", 41, 4, 1},
    {true, "FP16A_FORCE_Enable", 55, 0, 1},
    {true, "TENSIX_TRISC_SYNC_TrackGlobalCfg", 56, 0, 1},
    {true, "TENSIX_TRISC_SYNC_TrackGPR", 56, 2, 1},
    {true, "TENSIX_TRISC_SYNC_TrackTDMARegs", 56, 3, 1},
    {true, "STREAMWAIT_PHASE_HI_Val", 57, 0, 10},
    {true, "STREAMWAIT_NUM_MSGS_HI_Val", 58, 0, 7},
    {true, "STREAM_ID_SYNC_SEC0_BankSel", 59, 0, 6},
    {true, "TENSIX_CSR_CONFIG_RawBusyStatus", 67, 0, 1},
    {false, "ALU_FORMAT_SPEC_REG_SrcA_val", 0, 0, 4},
    {false, "ALU_FORMAT_SPEC_REG0_SrcA", 1, 17, 4},
    {false, "ALU_FORMAT_SPEC_REG1_SrcB", 1, 21, 4},
    {false, "ALU_FORMAT_SPEC_REG2_Dstacc", 1, 25, 4},
    {false, "ALU_ACC_CTRL_Fp32_enabled", 1, 29, 1},
    {false, "ALU_ACC_CTRL_INT8_math_enabled", 1, 31, 1},
    {false, "STACC_RELU_ReluThreshold", 2, 6, 16},
    {false, "RISC_DEST_ACCESS_CTRL_SEC2_fmt", 3, 26, 3},
    {false, "STATE_RESET_EN", 4, 0, 1},
    {false, "DEST_REGW_BASE_Base", 6, 0, 16},
    {false, "PCK0_ADDR_CTRL_XY_REG_0_Ystride", 12, 16, 16},
    {false, "PCK_DEST_RD_CTRL_Round_10b_mant", 18, 3, 1},
    {false, "PCK_EDGE_OFFSET_SEC3_mask", 27, 0, 16},
    {false, "PACK_COUNTERS_SEC0_pack_reads_per_xy_plane", 28, 8, 8},
    {false, "UNP0_ADDR_BASE_REG_1_Base", 49, 0, 18},
    {false, "UNP0_ADDR_CTRL_ZW_REG_1_Zstride", 57, 0, 16},
    {false, "UNP1_ADDR_CTRL_ZW_REG_1_Wstride", 59, 16, 16},
    {false, "UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val", 63, 0, 32},
    {false, "THCON_SEC0_REG0_TileDescriptor", 64, 0, 128},
    {false, "THCON_SEC0_REG1_L1_Dest_addr", 69, 0, 32},
    {false, "THCON_SEC0_REG1_In_data_format", 70, 8, 4},
    {false, "THCON_SEC0_REG1_Pack_L1_Acc", 71, 19, 1},
    {false, "THCON_SEC0_REG2_Haloize_mode", 72, 8, 1},
    {false, "THCON_SEC0_REG3_Base_cntx1_address", 77, 0, 32},
    {false, "THCON_SEC0_REG6_Transfer_direction", 90, 30, 2},
    {false, "THCON_SEC0_REG7_Unpack_out_data_format_cntx4", 92, 28, 4},
    {false, "THCON_SEC1_REG0_TileDescriptor", 112, 0, 128},
    {false, "THCON_SEC1_REG0_TileDescriptor_z_dim", 113, 16, 16},
    {false, "THCON_SEC1_REG3_Base_address", 124, 0, 32},
    {false, "THCON_SEC1_REG11_Metadata_cntxt_switch_unpacr_count", 159, 8, 8},
    {false, "DEST_TARGET_REG_CFG_PACK_SEC3_ZOffset", 183, 12, 6},
    {false, "RISCV_IC_INVALIDATE_InvalidateAll", 185, 0, 5},
    {false, "PRNG_SEED_Seed_Val", 186, 0, 32},
    {false, "SCRATCH_SEC2_val", 211, 0, 32},
    {false, "L1_CACHE_TAG_SEARCH_ACCEL_Start_Addr", 212, 1, 17},
    {false, "DEST_ACCESS_CFG_zeroacc_absolute_tile_mode", 220, 3, 1},
    {false, "SRC_ACCESS_CFG_math_view_srcb_as_one_bank", 221, 1, 1},
    {false, "CHICKEN_BITS_sfpu_scbd_disable", 222, 0, 1},
};

TEST_EACH(known_places, COUNT(known))
{
    const struct tensix_field *field = tensix_field_find(known[_i].name);
    ck_assert_msg(field != NULL, "%s is missing", known[_i].name);
    ck_assert_msg(field->thread == known[_i].thread, "%s", field->name);
    ck_assert_uint_eq(field->word, known[_i].word);
    ck_assert_uint_eq(field->shift, known[_i].shift);
    ck_assert_uint_eq(field->width, known[_i].width);
}

TEST(word_numbers_are_those_of_the_rows)
{
    ck_assert_uint_eq(TENSIX_WORD_CFG_STATE_ID_StateID, 0);
    ck_assert_uint_eq(TENSIX_WORD_STATE_RESET_EN, 4);
    ck_assert_uint_eq(TENSIX_WORD_RISCV_IC_INVALIDATE_InvalidateAll, 185);
    ck_assert_uint_eq(TENSIX_WORD_TENSIX_TRISC_SYNC_TrackGPR, 56);
}

/* --- Names in reports --- */

static const struct naming {
    bool thread;
    unsigned word;
    uint32_t bits;
    const char *names;
} namings[] = {
    {false, 2, 0x3c, "STACC_RELU_ApplyRelu"},
    {false, 2, 0xc0, "STACC_RELU_ReluThreshold"},
    {false, 2, 0x42, "ALU_ACC_CTRL_Zero_Flag_disabled_dst, STACC_RELU_ReluThreshold"},
    {true, 2, UINT32_MAX, "DISABLE_IMPLIED_SRCA_FMT_Base"},
    {true, 2, 0xfffe, ""},
    {false, 65, 1U << 31, "THCON_SEC0_REG0_TileDescriptor_z_dim"},
    {false, 67, 1U << 31, "THCON_SEC0_REG0_TileDescriptor_digest_size"},
    {false, 64, 1U << 12 | 1U << 16,
     "THCON_SEC0_REG0_TileDescriptor, THCON_SEC0_REG0_TileDescriptor_x_dim"}, /* bit 12 has no name */
    {false, 68, 1, "THCON_SEC0_REG1_Row_start_section_size"},
    {false, 186, 0, ""},
    {false, 223, UINT32_MAX, ""},
    {false, 1000, UINT32_MAX, ""},
};

TEST_EACH(bits_have_names, COUNT(namings))
{
    char text[TEXT_SIZE];
    const struct naming *naming = &namings[_i];
    int length = tensix_field_names(naming->thread, naming->word, naming->bits, text, sizeof text);
    ck_assert_str_eq(text, naming->names);
    ck_assert_int_eq(length, (int)strlen(naming->names));
}

TEST(names_are_cut_to_the_space)
{
    char text[TEXT_SIZE], cut[TEXT_SIZE];
    int length = tensix_field_names(false, 1, UINT32_MAX, text, sizeof text);
    ck_assert_int_lt(length, TEXT_SIZE);
    for (int size = 1; size <= length + 1; size++) {
        memset(cut, 'x', sizeof cut);
        ck_assert_int_eq(tensix_field_names(false, 1, UINT32_MAX, cut, (size_t)size), length);
        ck_assert_uint_eq(strlen(cut), (size_t)size - 1);
        ck_assert_int_eq(strncmp(cut, text, (size_t)size - 1), 0);
        ck_assert_int_eq(cut[size], 'x');
    }
    ck_assert_int_eq(tensix_field_names(false, 1, UINT32_MAX, NULL, 0), length);
}
