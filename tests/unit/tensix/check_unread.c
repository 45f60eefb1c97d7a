/*
 * Fields of the configuration that no unit looks at: the table's laws, and that a program is told of
 * each that matters, and of no other, whoever sets it.
 */
#include <check.h>
#include <stdio.h>

#include "tensix/config/unread.h"
#include "unit/tensix/tensix_fixture.h"
#include "unit/test.h"

/* What unread.def says of a field, or NULL. */
static const struct tensix_unread *row_of(unsigned id)
{
    for (const struct tensix_unread *row = tensix_unread; row->text; row++) {
        if (id >= row->first && id <= row->last) {
            return row;
        }
    }
    return NULL;
}

static bool matters(unsigned id)
{
    const struct tensix_unread *row = row_of(id);
    return row && row->kind == TENSIX_UNREAD_RESULTS;
}

/* The lowest bit of the field, alone in its word. */
static uint32_t lowest(const struct tensix_field *field)
{
    return UINT32_C(1) << field->shift;
}

TEST(rows_are_in_order_and_apart)
{
    unsigned end = 0, rows = 0;
    for (const struct tensix_unread *row = tensix_unread; row->text; row++, rows++) {
        ck_assert_msg(row->first >= end && row->last >= row->first, "%s",
                      tensix_fields[row->first].name);
        end = row->last + 1;
    }
    ck_assert_uint_gt(rows, 50);
    ck_assert_uint_le(end, TENSIX_FIELDS);
}

FIXTURE(setup, teardown);

/* SETC16 writes a whole word of ThreadConfig. */
static void set_by_instruction(const struct tensix_field *field)
{
    char text[40];
    tensix->gpr[1][4] = lowest(field);
    snprintf(text, sizeof text, field->thread ? "SETC16 %u, %u" : "WRCFG 4, 0, %u", field->word,
             lowest(field));
    tensix_harness_run(&harness, 1, text);
}

TEST(an_instruction_that_sets_it_is_reported)
{
    for (unsigned id = 0; id < TENSIX_FIELDS; id++) {
        const struct tensix_field *field = &tensix_fields[id];
        unsigned index =
            field->thread ? TENSIX_CONFIG_THREAD + TENSIX_THREAD_WORDS + field->word : field->word;
        teardown();
        setup();
        set_by_instruction(field);
        ck_assert_msg(harness.unmodelled == matters(id), "%s", field->name);
        if (harness.unmodelled) {
            ck_assert_str_eq(harness.unmodelled_field, field->name);
            ck_assert_uint_eq(harness.unmodelled_index, index);
        }
    }
}

TEST(a_store_of_a_hart_that_sets_it_is_reported)
{
    for (unsigned id = 0; id < TENSIX_FIELDS; id++) {
        const struct tensix_field *field = &tensix_fields[id];
        if (field->thread) {
            continue;
        }
        enum answer effect =
            tensix_config_write(tensix, TENSIX_STATE_WORDS + field->word, lowest(field));
        ck_assert_msg((effect == ANSWER_UNMODELLED) == matters(id), "%s", field->name);
        ck_assert_int_ne(tensix_config_write(tensix, field->word, 0), ANSWER_UNMODELLED);
    }
}

/* Those that programs are most likely to think of. */
static const struct {
    const char *name;
    bool matters;
} known[] = {
    {"SRC_ACCESS_CFG_math_view_srca_as_one_bank", true},
    {"SRC_ACCESS_CFG_math_view_srcb_as_one_bank", true},
    {"ALU_ACC_CTRL_Zero_Flag_disabled_dst", true},
    {"ALU_ROUNDING_MODE_GS_LF", true},
    {"ALU_ROUNDING_MODE_Bfp8_HF", true},
    {"DEST_OFFSET_Enable", true},
    {"THCON_SEC0_REG11_Metadata_l1_addr", true},
    {"PACK_CONCAT_MASK_SEC0_pack_concat_mask", true},
    {"PACK_COUNTERS_SEC0_pack_xys_per_tile", true},
    {"PERF_CNT_CMD_Cmd2Start", true},
    {"THCON_SEC0_REG8_Downsample_mask", false}, /* PACR refuses the context */
    {"PACK_COUNTERS_SEC1_pack_reads_per_xy_plane",
     false}, /* LLK writes those of all four packers */
    {"CG_SRC_PIPELINE_GateSrcAPipeEn", false},
    {"ECC_SCRUBBER_Delay", false},
};

TEST_EACH(what_is_known_of_them_has_a_row, COUNT(known))
{
    const struct tensix_field *field = tensix_field_find(known[_i].name);
    ck_assert_ptr_nonnull(field);
    unsigned id = (unsigned)(field - tensix_fields);
    ck_assert_ptr_nonnull(row_of(id));
    ck_assert_int_eq(matters(id), known[_i].matters);
}

/* LLK's words: a field that matters in a word of others that do not. */
TEST(a_word_is_reported_for_its_own_bits)
{
    char text[40];
    unsigned counters = tensix_field_find("PACK_COUNTERS_SEC0_pack_reads_per_xy_plane")->word;
    tensix->gpr[0][1] = 16 << 8;
    snprintf(text, sizeof text, "WRCFG 1, 0, %u", counters);
    tensix_harness_run(&harness, 0, text);
    ck_assert_uint_eq(harness.unmodelled, 0);
    snprintf(text, sizeof text, "RMWCIB0 255, 4, %u", counters);
    tensix_harness_run(&harness, 0, text);
    ck_assert_uint_eq(harness.unmodelled, 1);
    ck_assert_str_eq(harness.unmodelled_field, "PACK_COUNTERS_SEC0_pack_per_xy_plane");
}
