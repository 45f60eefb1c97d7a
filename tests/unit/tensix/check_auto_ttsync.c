/*
 * Auto TTSync: which accesses of a TRISC wait for which instructions. The tables are those of page
 * AutoTTSync, entered again.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/frontend/auto_ttsync.h"
#include "tensix/config/regs.h"
#include "tensix/table.h"
#include "unit/tensix/tensix_fixture.h"

enum { WORDS = 224, DUAL = 2 * WORDS, THREAD = 3 * WORDS, GLOBAL = 180 };
enum { TRISC_SYNC = 56, SUBDIVIDED = 1 << 1, TRACKS_ALL = 0x1d };

static void track_all(void)
{
    setup();
    for (unsigned thread = 0; thread < 3; thread++) {
        tensix->thread_config[thread][TRISC_SYNC] = TRACKS_ALL | SUBDIVIDED;
    }
}

/* --- Pushing and asking --- */

static void push_word(unsigned thread, uint8_t pusher, uint32_t word)
{
    const struct tensix_origin origin = {.pusher = pusher};
    ck_assert(tensix_push(tensix, thread, origin, &word, 1, 0));
}

/* Queues an instruction of the thread's TRISC. */
static void push(unsigned thread, const char *text)
{
    push_word(thread, (uint8_t)(TENSIX_BY_T0 + thread), tensix_harness_assemble(text));
}

static void declare(unsigned thread, unsigned resources, unsigned op_class)
{
    char text[60];
    snprintf(text, sizeof text, "RESOURCEDECL 1, %u, %u", resources, op_class);
    tensix_declare(tensix, thread, tensix_harness_assemble(text));
}

static void forget_queue(unsigned thread)
{
    tensix->thread[thread].front.count = 0;
}

static bool config_waits(unsigned thread, unsigned index, bool is_store)
{
    return tensix_must_wait(tensix, thread, TENSIX_TRACKS_CONFIG, index, is_store);
}

static bool gpr_waits(unsigned thread, bool is_store)
{
    return tensix_must_wait(tensix, thread, TENSIX_TRACKS_GPRS, 0, is_store);
}

static bool tdma_waits(unsigned thread, bool is_store)
{
    return tensix_must_wait(tensix, thread, TENSIX_TRACKS_TDMA, 0, is_store);
}

/* The eight resources, by the word that belongs to nothing else when Config is subdivided. */
enum { UNPACKER0_WORD = 72, UNPACKER1_WORD = 124, REMAINDER_WORD = 10 };
enum {
    C0U0 = 1 << 0,
    C0U1 = 1 << 1,
    C0REST = 1 << 2,
    C1U0 = 1 << 3,
    C1U1 = 1 << 4,
    C1REST = 1 << 5,
    GPRS = 1 << 6,
    TDMA = 1 << 7,
    C0 = C0U0 | C0U1 | C0REST,
    C1 = C1U0 | C1U1 | C1REST,
};

/* Accesses to which of them wait. */
static unsigned waiting(unsigned thread, bool is_store)
{
    static const unsigned words[] = {UNPACKER0_WORD,         UNPACKER1_WORD,
                                     REMAINDER_WORD,         WORDS + UNPACKER0_WORD,
                                     WORDS + UNPACKER1_WORD, WORDS + REMAINDER_WORD};
    unsigned waits = 0;
    for (unsigned i = 0; i < (unsigned)COUNT(words); i++) {
        waits |= (unsigned)config_waits(thread, words[i], is_store) << i;
    }
    waits |= gpr_waits(thread, is_store) ? GPRS : 0;
    waits |= tdma_waits(thread, is_store) ? TDMA : 0;
    return waits;
}

/* --- Instructions --- */

static const struct default_use {
    const char *instruction;
    unsigned reads, writes; /* with state 0 */
} default_uses[] = {
    {"NOP", 0, 0},
    {"MOP_CFG 1", 0, 0},
    {"ADDDMAREG 0, 1, 2, 3", GPRS, GPRS},
    {"SUBDMAREG 0, 1, 2, 3", GPRS, GPRS},
    {"MULDMAREG 0, 1, 2, 3", GPRS, GPRS},
    {"BITWOPDMAREG 0, 0, 1, 2, 3", GPRS, GPRS},
    {"SHIFTDMAREG 0, 0, 1, 2, 3", GPRS, GPRS},
    {"CMPDMAREG 0, 0, 1, 2, 3", GPRS, GPRS},
    {"SETDMAREG 0, 1, 0, 2", GPRS, GPRS},
    {"SETDMAREG 0, 1, 1, 2", GPRS, GPRS},
    {"ATINCGET 0, 31, 0, 1, 2", GPRS, GPRS},
    {"ATINCGETPTR 0, 0, 1, 2, 0, 1, 2", GPRS, GPRS},
    {"ATSWAP 0, 15, 4, 2", GPRS, GPRS},
    {"ATCAS 0, 1, 2, 0, 1, 2", GPRS, GPRS},
    {"REG2FLOP 1, 0, 0, 0, 4, 2", GPRS | TDMA, GPRS | TDMA},
    {"REG2FLOP 1, 2, 0, 0, 4, 2", GPRS | TDMA, GPRS | TDMA},
    {"LOADIND 0, 2, 0, 3, 4", GPRS, GPRS},
    {"STOREIND 1, 0, 0, 2, 0, 3, 4", GPRS, GPRS},
    {"STOREIND 0, 1, 0, 2, 0, 3, 4", GPRS, GPRS},
    {"STREAMWRCFG 0, 1, 2", C0, C0},
    {"CFGSHIFTMASK 1, 3, 31, 0, 3, 76", C0, C0},
    {"STOREREG 3, 4", GPRS, 0},
    {"LOADREG 3, 4", 0, GPRS},
    {"FLUSHDMA 1", 0, TDMA},
    {"WRCFG 3, 0, 4", GPRS, C0},
    {"RDCFG 3, 4", C0, GPRS},
    {"XMOV 0, 0", GPRS | C0, GPRS | C0},
    {"PACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1", TDMA | C0REST, TDMA},
    {"MOP 0, 0, 0", GPRS | TDMA | C0, GPRS | TDMA | C0},
    {"REPLAY 0, 4, 0, 0", GPRS | TDMA | C0, GPRS | TDMA | C0},
    {"REPLAY 0, 4, 0, 1", GPRS | TDMA | C0, GPRS | TDMA | C0},
    /* class 15 */
    {"SETC16 1, 2", C0REST, 0},
    {"RMWCIB0 1, 1, 1", C0REST, 0},
    {"SEMPOST 1", C0REST, 0},
    {"STALLWAIT 1, 1", C0REST, 0},
    {"DMANOP", C0REST, 0},
    {"SETADC 1, 0, 0, 4", C0REST, 0},
    {"MVMUL 0, 0, 0, 0", C0REST, 0},
    {"SFPNOP", C0REST, 0},
    {"INCRWC 0, 1, 1, 1", C0REST, 0},
    {"PACR_SETREG 0, 0, 0, 0, 0, 0, 0, 1", C0REST, 0},
    {"SETDVALID 1", C0REST, 0},
};

FIXTURE(track_all, teardown);

TEST_EACH(instructions_use_what_their_class_says, COUNT(default_uses))
{
    const struct default_use *row = &default_uses[_i];
    const unsigned config = C0 | C1;
    push(1, row->instruction);
    ck_assert_uint_eq(waiting(1, false), row->writes);
    ck_assert_uint_eq(waiting(1, true), row->reads | row->writes);
    forget_queue(1);
    tensix->thread_config[1][0] = 1; /* the same with state 1 */
    push(1, row->instruction);
    unsigned others = row->writes & ~config, shifted = (row->writes & config) << 3;
    ck_assert_uint_eq(waiting(1, false), others | shifted);
    others |= row->reads & ~config;
    shifted |= (row->reads & config) << 3;
    ck_assert_uint_eq(waiting(1, true), others | shifted);
    ck_assert_uint_eq(waiting(0, true), 0);
}

/* All opcodes without a row above are of class 15. */
TEST_EACH(other_opcodes_are_of_class_15, 256)
{
    static const uint8_t known[] = {
        0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x45, 0x61, 0x62, 0x63, 0x64, 0x48, 0x49, 0x66, 0xb7,
        0xb8, 0x67, 0x68, 0x46, 0xb0, 0xb1, 0x40, 0x42, 0x43, 0x41, 0x01, 0x04, 0x02, 0x03, 0x05,
    };
    if (memchr(known, _i, sizeof known)) {
        return;
    }
    push_word(0, TENSIX_BY_T0, (uint32_t)_i << 24);
    ck_assert_uint_eq(waiting(0, false), 0);
    ck_assert_uint_eq(waiting(0, true), C0REST);
}

TEST_EACH(unpackers_use_their_part, 4)
{
    static const char *const texts[] = {"UNPACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1",
                                        "UNPACR 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1",
                                        "UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 2",
                                        "UNPACR_NOP 1, 0, 0, 0, 0, 0, 0, 0, 2"};
    push(0, texts[_i]);
    ck_assert_uint_eq(waiting(0, false), TDMA);
    ck_assert_uint_eq(waiting(0, true), TDMA | (_i % 2 ? C0U1 : C0U0));
    /* the instruction decides about the part, whatever is declared */
    declare(0, TENSIX_WRITES_CONFIG | TENSIX_USES_REMAINDER, 11);
    ck_assert_uint_eq(waiting(0, false), _i % 2 ? C0U1 : C0U0);
    /* but not when Config is one */
    tensix->thread_config[0][TRISC_SYNC] &= (uint16_t)~SUBDIVIDED;
    ck_assert_uint_eq(waiting(0, false), C0);
    declare(0, TENSIX_WRITES_CONFIG, 11); /* no part: nothing of Config */
    ck_assert_uint_eq(waiting(0, false), 0);
}

TEST(queued_setc16_changes_the_state_of_what_follows)
{
    push(0, "WRCFG 3, 0, 4");
    push(0, "SETC16 0, 1");
    ck_assert_uint_eq(waiting(0, false), C0);
    push(0, "WRCFG 3, 0, 4");
    ck_assert_uint_eq(waiting(0, false), C0 | C1);
    forget_queue(0);
    push(0, "SETC16 0, 3"); /* the field has one bit */
    push(0, "WRCFG 3, 0, 4");
    ck_assert_uint_eq(waiting(0, false), C1);
    push(0, "SETC16 1, 0"); /* another word */
    push(0, "SETC16 0, 2");
    push(0, "RDCFG 3, 4");
    ck_assert_uint_eq(waiting(0, true), C0 | C1 | GPRS);
}

/* --- When it looks at all --- */

TEST_EACH(each_resource_is_tracked_by_its_bit, 6)
{
    static const struct {
        unsigned bits, waits;
    } rows[] = {{0x10, 0},    {0x0d, 0},    {0x11 | SUBDIVIDED, C0},
                {0x14, GPRS}, {0x18, TDMA}, {0x1f, C0 | GPRS | TDMA}};
    push(2, "MOP 0, 0, 0");
    tensix->thread_config[2][TRISC_SYNC] = (uint16_t)rows[_i].bits;
    ck_assert_uint_eq(waiting(2, false), rows[_i].waits);
    tensix->held = TENSIX_RESET_AUTO_TTSYNC;
    ck_assert_uint_eq(waiting(2, true), 0);
    tensix->held = ~(uint32_t)TENSIX_RESET_AUTO_TTSYNC;
    ck_assert_uint_eq(waiting(2, true), rows[_i].waits);
}

TEST(nothing_queued_keeps_nobody_waiting)
{
    ck_assert_uint_eq(waiting(0, true), 0);
    tensix_harness_run(&harness, 0, "SETDMAREG 0, 1, 0, 2; WRCFG 1, 0, 4"); /* all executed */
    ck_assert_uint_eq(tensix->thread[0].drained, 2);
    ck_assert_uint_eq(waiting(0, true), 0);
}

TEST(only_the_own_triscs_pushes_count)
{
    push_word(0, TENSIX_BY_B, tensix_harness_assemble("REPLAY 0, 4, 0, 0"));
    push_word(0, TENSIX_BY_DEBUG_BUS, tensix_harness_assemble("WRCFG 3, 0, 4"));
    push(1, "SETDMAREG 0, 1, 0, 2");
    ck_assert_uint_eq(waiting(0, true), 0);
    ck_assert_uint_eq(waiting(1, true), GPRS);
    ck_assert_uint_eq(waiting(2, true), 0);
}

/* --- Words of the configuration window --- */

/* Which of the six parts of Config an access to this word touches. */
static unsigned parts_of(unsigned index)
{
    unsigned parts = 0;
    for (unsigned part = 0; part < 6; part++) {
        tensix->thread_config[0][0] = (uint16_t)(part / 3);
        declare(0, TENSIX_WRITES_CONFIG | (unsigned)TENSIX_USES_UNPACKER0 << part % 3, 15);
        parts |= (unsigned)config_waits(0, index, false) << part;
    }
    return parts;
}

TEST(words_of_undivided_config)
{
    tensix->thread_config[0][TRISC_SYNC] = TRACKS_ALL;
    push(0, "SEMPOST 1");
    for (unsigned word = 0; word < WORDS; word++) {
        ck_assert_uint_eq(parts_of(word), word < GLOBAL ? C0 : C0 | C1);
        ck_assert_uint_eq(parts_of(WORDS + word), word < GLOBAL ? C1 : C0 | C1);
        ck_assert_uint_eq(parts_of(DUAL + word), C0 | C1);
    }
    for (unsigned word = 0; word < 3 * 68; word++) {
        ck_assert_uint_eq(parts_of(THREAD + word), C0 | C1);
    }
}

/* The page's table; '*' stands for [], which are digits. What it does not name is remainder. */
static const struct field_row {
    const char *name, *parts; /* '0', '1' unpackers, 'R' remainder */
} field_rows[] = {
    {"THCON_SEC0_REG2_Context_count", "0"},
    {"THCON_SEC0_REG2_Context_count_non_log2", "0"},
    {"THCON_SEC0_REG2_Context_count_non_log2_en", "0"},
    {"THCON_SEC0_REG2_Disable_zero_compress_cntx*", "0"},
    {"THCON_SEC0_REG2_Force_shared_exp", "0"},
    {"THCON_SEC0_REG2_Haloize_mode", "0"},
    {"THCON_SEC0_REG2_Metadata_x_end", "0"},
    {"THCON_SEC0_REG2_Out_data_format", "0"},
    {"THCON_SEC0_REG2_Ovrd_data_format", "0"},
    {"THCON_SEC0_REG2_Shift_amount_cntx*", "0"},
    {"THCON_SEC0_REG2_Throttle_mode", "0"},
    {"THCON_SEC0_REG2_Tileize_mode", "0"},
    {"THCON_SEC0_REG2_Unpack_If_Sel", "0"},
    {"THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd", "0"},
    {"THCON_SEC0_REG2_Unpack_fifo_size", "0"},
    {"THCON_SEC0_REG2_Unpack_if_sel_cntx*", "0"},
    {"THCON_SEC0_REG2_Unpack_limit_address", "0"},
    {"THCON_SEC0_REG2_Upsample_and_interleave", "0"},
    {"THCON_SEC0_REG2_Upsample_rate", "0"},
    {"THCON_SEC0_REG3_Base_address", "0"},
    {"THCON_SEC0_REG3_Base_cntx*_address", "0"},
    {"THCON_SEC0_REG4_Base_cntx*_address", "0"},
    {"THCON_SEC0_REG5_Dest_cntx*_address", "0"},
    {"THCON_SEC0_REG5_Tile_x_dim_cntx*", "0"},
    {"THCON_SEC0_REG7_Offset_address", "0"},
    {"THCON_SEC0_REG7_Offset_cntx*_address", "0"},
    {"THCON_SEC0_REG7_Unpack_data_format_cntx*", "0"},
    {"THCON_SEC0_REG7_Unpack_out_data_format_cntx*", "0"},
    {"THCON_SEC0_REG10_Unpack_fifo_size", "0"},
    {"THCON_SEC0_REG10_Unpack_limit_address", "0"},
    {"THCON_SEC0_REG10_Unpack_limit_address_en", "0"},
    {"THCON_SEC1_REG2_Context_count", "1"},
    {"THCON_SEC1_REG2_Context_count_non_log2", "1"},
    {"THCON_SEC1_REG2_Context_count_non_log2_en", "1"},
    {"THCON_SEC1_REG2_Disable_zero_compress_cntx*", "1"},
    {"THCON_SEC1_REG2_Force_shared_exp", "1"},
    {"THCON_SEC1_REG2_Haloize_mode", "1"},
    {"THCON_SEC1_REG2_Metadata_x_end", "1"},
    {"THCON_SEC1_REG2_Out_data_format", "1"},
    {"THCON_SEC1_REG2_Ovrd_data_format", "1"},
    {"THCON_SEC1_REG2_Shift_amount_cntx*", "1"},
    {"THCON_SEC1_REG2_Throttle_mode", "1"},
    {"THCON_SEC1_REG2_Tileize_mode", "1"},
    {"THCON_SEC1_REG2_Unpack_If_Sel", "1"},
    {"THCON_SEC1_REG2_Unpack_Src_Reg_Set_Upd", "1"},
    {"THCON_SEC1_REG2_Unpack_if_sel_cntx*", "1"},
    {"THCON_SEC1_REG2_Upsample_and_interleave", "1"},
    {"THCON_SEC1_REG2_Upsample_rate", "1"},
    {"THCON_SEC1_REG3_Base_address", "1"},
    {"THCON_SEC1_REG3_Base_cntx1_address", "1"},
    {"THCON_SEC1_REG7_Offset_address", "1"},
    {"THCON_SEC1_REG7_Offset_cntx1_address", "1"},
    {"THCON_SEC1_REG7_Unpack_data_format_cntx0", "1"},
    {"THCON_SEC1_REG7_Unpack_data_format_cntx1", "1"},
    {"THCON_SEC1_REG7_Unpack_data_format_cntx4", "1"},
    {"THCON_SEC1_REG7_Unpack_data_format_cntx5", "1"},
    {"THCON_SEC1_REG7_Unpack_out_data_format_cntx0", "1"},
    {"THCON_SEC1_REG7_Unpack_out_data_format_cntx1", "1"},
    {"THCON_SEC1_REG7_Unpack_out_data_format_cntx4", "1"},
    {"THCON_SEC1_REG7_Unpack_out_data_format_cntx5", "1"},
    {"UNP0_ADDR_BASE_REG_0_Base", "01R"},
    {"UNP0_ADDR_BASE_REG_1_Base", "01R"},
    {"UNP0_ADDR_CTRL_XY_REG_0_Xstride", "0"},
    {"UNP0_ADDR_CTRL_XY_REG_0_Ystride", "0"},
    {"UNP0_ADDR_CTRL_ZW_REG_0_Zstride", "01"},
    {"UNP0_ADDR_CTRL_ZW_REG_0_Wstride", "01"},
    {"UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr", "01R"},
    {"UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start", "0"},
    {"UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start", "0"},
    {"UNP0_FORCED_SHARED_EXP_shared_exp", "01R"},
    {"UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val", "0"},
    {"UNP1_ADDR_BASE_REG_0_Base", "1"},
    {"UNP1_ADDR_BASE_REG_1_Base", "1"},
    {"UNP1_ADDR_CTRL_XY_REG_0_Xstride", "1"},
    {"UNP1_ADDR_CTRL_XY_REG_0_Ystride", "1"},
    {"UNP1_ADDR_CTRL_ZW_REG_0_Zstride", "1"},
    {"UNP1_ADDR_CTRL_ZW_REG_0_Wstride", "1"},
    {"UNP1_ADDR_CTRL_XY_REG_1_Xstride", "1"},
    {"UNP1_ADDR_CTRL_XY_REG_1_Ystride", "1"},
    {"UNP1_ADDR_CTRL_ZW_REG_1_Zstride", "1"},
    {"UNP1_ADDR_CTRL_ZW_REG_1_Wstride", "1"},
    {"UNP1_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr", "1"},
    {"UNP1_FORCED_SHARED_EXP_shared_exp", "1"},
    {"UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val", "1"},
};

static bool matches(const char *pattern, const char *name)
{
    while (*pattern && (*pattern == *name || (*pattern == '*' && *name >= '0' && *name <= '7'))) {
        pattern++;
        name++;
    }
    return *pattern == *name;
}

/* As bits of the parts of Config[0]. */
static unsigned expected_parts(const char *name)
{
    unsigned parts = 0;
    for (unsigned i = 0; i < (unsigned)COUNT(field_rows); i++) {
        const char *marks = field_rows[i].parts;
        if (matches(field_rows[i].name, name)) {
            parts |= strchr(marks, '0') ? C0U0 : 0;
            parts |= strchr(marks, '1') ? C0U1 : 0;
            parts |= strchr(marks, 'R') ? C0REST : 0;
            return parts;
        }
    }
    return C0REST;
}

TEST_EACH(fields_of_subdivided_config, TENSIX_FIELDS)
{
    const struct tensix_field *field = &tensix_fields[_i];
    if (field->thread || field->alias || field->word >= GLOBAL || field->width > 32) {
        return;
    }
    push(0, "SEMPOST 1");
    unsigned expected = expected_parts(field->name);
    ck_assert_msg(parts_of(field->word) == expected, "%s", field->name);
    ck_assert_uint_eq(parts_of(WORDS + field->word), expected << 3);
}

TEST_EACH(page_names_existing_fields, COUNT(field_rows))
{
    bool found = false;
    for (unsigned i = 0; i < TENSIX_FIELDS; i++) {
        found |= matches(field_rows[_i].name, tensix_fields[i].name);
    }
    ck_assert_msg(found, "%s", field_rows[_i].name);
}

TEST(other_words_of_subdivided_config)
{
    push(0, "SEMPOST 1");
    ck_assert_uint_eq(parts_of(64), C0U0); /* tile descriptors: their first words alone */
    ck_assert_uint_eq(parts_of(112), C0U1);
    for (unsigned i = 1; i < 4; i++) {
        ck_assert_uint_eq(parts_of(64 + i), C0REST);
        ck_assert_uint_eq(parts_of(WORDS + 112 + i), C1REST);
    }
    for (unsigned word = 0; word < WORDS; word++) {
        ck_assert_uint_eq(parts_of(DUAL + word), C0REST | C1REST);
    }
    for (unsigned word = GLOBAL; word < WORDS; word++) {
        ck_assert_uint_eq(parts_of(word), C0REST | C1REST);
        ck_assert_uint_eq(parts_of(WORDS + word), C0REST | C1REST);
    }
    for (unsigned word = 0; word < 3 * 68; word++) { /* word 1: DEST_TARGET_REG_CFG_MATH_Offset */
        ck_assert_uint_eq(parts_of(THREAD + word),
                          word == 1 ? C0U0 | C0U1 | C1U0 | C1U1 : C0REST | C1REST);
    }
}

/* --- RESOURCEDECL --- */

/* Each bit of a declaration, for its class and thread alone. */
TEST_EACH(declarations_change_a_class, 16)
{
    static const struct {
        unsigned resources, reads, writes;
    } rows[] = {
        {TENSIX_READS_GPRS, GPRS, 0},
        {TENSIX_WRITES_GPRS, 0, GPRS},
        {TENSIX_READS_TDMA, TDMA, 0},
        {TENSIX_WRITES_TDMA, 0, TDMA},
        {TENSIX_READS_CONFIG | TENSIX_USES_UNPACKER0, C0U0, 0},
        {TENSIX_READS_CONFIG | TENSIX_USES_UNPACKER1, C0U1, 0},
        {TENSIX_WRITES_CONFIG | TENSIX_USES_REMAINDER, 0, C0REST},
        {TENSIX_USES_PARTS, 0, 0},
        {0, 0, 0},
        {0x1ff, C0 | GPRS | TDMA, C0 | GPRS | TDMA},
    };
    for (unsigned i = 0; i < (unsigned)COUNT(rows); i++) {
        uint16_t before[3][16];
        for (unsigned thread = 0; thread < 3; thread++) {
            memcpy(before[thread], tensix->thread[thread].declared, sizeof before[thread]);
        }
        declare(1, rows[i].resources, (unsigned)_i);
        before[1][_i] = (uint16_t)rows[i].resources;
        for (unsigned thread = 0; thread < 3; thread++) {
            ck_assert_mem_eq(before[thread], tensix->thread[thread].declared,
                             sizeof before[thread]);
        }
        if (_i == 15) {
            push(1, "SEMPOST 1");
            ck_assert_uint_eq(waiting(1, false), rows[i].writes);
            ck_assert_uint_eq(waiting(1, true), rows[i].reads | rows[i].writes);
            forget_queue(1);
        }
    }
}

/* The layout is that of the instruction: YAML's 9'b10_00_000_00 is a write to TDMA. */
TEST(declaration_bits)
{
    tensix_declare(tensix, 0, UINT32_C(0x05000000) | 0x7ffU << 13 | 0x100 << 4 | 7);
    ck_assert_uint_eq(tensix->thread[0].declared[7], TENSIX_WRITES_TDMA);
    tensix_declare(tensix, 0, UINT32_C(0x05000000) | 0x0aa << 4 | 12);
    ck_assert_uint_eq(tensix->thread[0].declared[12], 0x0aa);
    tensix_declare_defaults(&tensix->thread[0]);
    ck_assert_mem_eq(tensix->thread[0].declared, tensix->thread[1].declared,
                     sizeof tensix->thread[0].declared);
    static const uint16_t yaml[] = {0x060, 0x060, 0x1e0, 0x060, 0x01f, 0x020, 0x040, 0x100,
                                    0x03e, 0x05d, 0x07f, 0x19d, 0x191, 0x1ff, 0x1ff, 0x011};
    ck_assert_mem_eq(tensix->thread[0].declared, yaml, sizeof yaml);
}

/* A RESOURCEDECL of the TRISC takes effect by the time the front end has seen it. */
TEST(pushed_declarations_take_effect)
{
    push(0, "RESOURCEDECL 0, 0x60, 15");
    push(0, "SEMPOST 1");
    ck_assert_uint_eq(waiting(0, false), GPRS);
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(tensix->thread[0].declared[15], 0x60);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- MOP, REPLAY, the gate --- */

/* Lets the thread's gate hold what comes after this. */
static void close_gate(unsigned thread)
{
    push(thread, "SEMINIT 1, 0, 1");
    push(thread, "SEMWAIT 0x1ff, 1, 1");
}

static void open_gate(void)
{
    tensix->semaphore[0].value = 1;
    tensix_harness_go(&harness, 0);
}

TEST(instruction_at_the_gate_counts)
{
    close_gate(0);
    push(0, "WRCFG 3, 0, 4");
    tensix_harness_go(&harness, 0);
    ck_assert(tensix->thread[0].has_next);
    ck_assert_uint_eq(tensix->thread[0].front.count, 0);
    ck_assert_uint_eq(waiting(0, true), GPRS | C0);
    open_gate();
    ck_assert_uint_eq(waiting(0, true), 0);
}

TEST(instruction_of_b_at_the_gate_does_not_count)
{
    close_gate(0);
    tensix_harness_go(&harness, 0);
    push_word(0, TENSIX_BY_B, tensix_harness_assemble("WRCFG 3, 0, 4"));
    tensix_harness_go(&harness, 0);
    ck_assert(tensix->thread[0].has_next);
    ck_assert_uint_eq(waiting(0, true), 0);
    push(0, "STOREREG 3, 4");
    ck_assert_uint_eq(waiting(0, true), GPRS);
}

/* Six times NOP-like instructions that touch Config alone; MOP says otherwise. */
TEST(mop_counts_as_mop_until_it_is_over)
{
    tensix->thread[0].mop.config[3] = tensix_harness_assemble("RDCFG 3, 4");
    close_gate(0);
    push(0, "MOP 0, 5, 0");
    tensix_harness_go(&harness, 0);
    ck_assert(tensix->thread[0].has_next && mop_busy(&tensix->thread[0].mop));
    ck_assert_uint_eq(waiting(0, false) & (TDMA | C0), TDMA | C0);
    declare(0, TENSIX_WRITES_TDMA, 13);
    ck_assert_uint_eq(waiting(0, true) & TDMA, TDMA);
    open_gate();
    ck_assert_uint_eq(waiting(0, true), 0);
}

TEST(replay_counts_as_replay_until_it_is_over)
{
    push(0, "REPLAY 0, 3, 0, 1");
    push(0, "RDCFG 3, 4");
    push(0, "RDCFG 3, 4");
    push(0, "RDCFG 3, 4");
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(waiting(0, true), 0); /* loaded, not executed */
    close_gate(0);
    push(0, "REPLAY 0, 3, 0, 0");
    tensix_harness_go(&harness, 0);
    ck_assert(tensix->thread[0].has_next && replay_is_playing(&tensix->thread[0].replay));
    ck_assert_uint_eq(waiting(0, false) & (TDMA | C0), TDMA | C0);
    open_gate();
    ck_assert_uint_eq(waiting(0, true), 0);
}

TEST(replay_of_b_does_not_count)
{
    push(0, "REPLAY 0, 3, 0, 1");
    push(0, "RDCFG 3, 4");
    push(0, "RDCFG 3, 4");
    push(0, "RDCFG 3, 4");
    close_gate(0);
    tensix_harness_go(&harness, 0);
    push_word(0, TENSIX_BY_B, tensix_harness_assemble("REPLAY 0, 3, 0, 0"));
    tensix_harness_go(&harness, 0);
    ck_assert(tensix->thread[0].has_next && replay_is_playing(&tensix->thread[0].replay));
    ck_assert_uint_eq(waiting(0, true), 0);
}

/* The last instruction of an expansion is still of the class of MOP or REPLAY. */
TEST(what_an_expansion_leaves_at_the_gate)
{
    struct tensix_thread *own = &tensix->thread[0];
    own->has_next = true;
    own->next = tensix_harness_assemble("STOREREG 3, 4");
    own->origin.pusher = TENSIX_BY_T0;
    ck_assert_uint_eq(waiting(0, true), GPRS);
    declare(0, TENSIX_WRITES_TDMA, 13);
    declare(0, TENSIX_READS_CONFIG | TENSIX_USES_UNPACKER1, 14);
    own->parent = 0x01;
    ck_assert_uint_eq(waiting(0, true), TDMA);
    own->parent = 0x04;
    ck_assert_uint_eq(waiting(0, true), C0U1);
    own->origin.pusher = TENSIX_BY_B;
    ck_assert_uint_eq(waiting(0, true), 0);
}

/* A REPLAY that a MOP expanded to is of the class of MOP. */
TEST(replay_within_mop_is_of_mop)
{
    struct tensix_thread *own = &tensix->thread[0];
    own->origin.pusher = TENSIX_BY_T0;
    own->replay.state = REPLAY_PLAYING;
    own->replay.left = 1;
    declare(0, TENSIX_WRITES_TDMA, 13);
    declare(0, TENSIX_WRITES_GPRS, 14);
    ck_assert_uint_eq(waiting(0, false), GPRS);
    own->parent = 0x01;
    ck_assert_uint_eq(waiting(0, false), TDMA);
}

/* As kernels have it: RESOURCEDECL frees MOPs, whose thread may then wait for the hart. */
TEST(declared_mop_keeps_nobody_waiting)
{
    declare(0, 0, 13);
    push(0, "MOP 0, 5, 0");
    ck_assert_uint_eq(waiting(0, true), 0);
    push(0, "SETDMAREG 0, 1, 0, 2");
    ck_assert_uint_eq(waiting(0, true), GPRS);
}
