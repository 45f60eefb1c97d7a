/*
 * The unpackers beyond what one UNPACR does to data: waiting for banks, contexts and their
 * counters, what is kept of Config, the sequences of LLK, time, and reports.
 */
#include <check.h>
#include <string.h>

#include "num/tensix_format.h"
#include "unit/test.h"
#include "tensix/config/adc.h"
#include "tensix/src_banks.h"
#include "unit/tensix/tensix_harness.h"

enum { TILE = 0x4000, FACE = 256 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;

#define CONFIG(name, value) tensix_set_config_field(tensix, 0, TENSIX_FIELD_##name, value)
#define THREAD(thread, name, value)                                                                \
    tensix_set_thread_field(tensix, thread, TENSIX_FIELD_##name, value)
#define RUN(text) tensix_harness_run(&harness, 0, text)

/* Words that tell where they lay. */
static void put_bf16(unsigned address, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint16_t value = (uint16_t)(i * 7 + 3);
        memcpy(harness.l1 + address + 2 * i, &value, sizeof value);
    }
}

static uint32_t stored_bf16(unsigned i)
{
    return num_src_from_bf16((uint16_t)(i * 7 + 3));
}

/* Both unpackers as LLK leaves them: BF16 faces of 16 rows, four to a tile at TILE. */
static void setup(void)
{
    tensix_harness_open(&harness);
    put_bf16(TILE + 16, 4 * FACE);
    for (unsigned section = 0; section < 2; section++) {
        unsigned word = section ? TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor
                                : TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor;
        (void)tensix_config_write(tensix, word, NUM_FORMAT_FLOAT16_B | 1 << 4 | FACE << 16);
        (void)tensix_config_write(tensix, word + 1, 1 | 4 << 16);
    }
    CONFIG(THCON_SEC0_REG2_Out_data_format, NUM_FORMAT_FLOAT16_B);
    CONFIG(THCON_SEC1_REG2_Out_data_format, NUM_FORMAT_FLOAT16_B);
    for (unsigned i = 0; i < 2; i++) {
        CONFIG(THCON_SEC0_REG2_Disable_zero_compress_cntx0 + i, 1);
        CONFIG(THCON_SEC1_REG2_Disable_zero_compress_cntx0 + i, 1);
        CONFIG(THCON_SEC0_REG5_Tile_x_dim_cntx0 + i, FACE);
        CONFIG(THCON_SEC0_REG5_Dest_cntx0_address + i, 64);
    }
    CONFIG(THCON_SEC0_REG3_Base_address, TILE / 16);
    CONFIG(THCON_SEC0_REG3_Base_cntx1_address, TILE / 16);
    CONFIG(THCON_SEC1_REG3_Base_address, TILE / 16);
    CONFIG(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1);
    RUN("SETC16 5, 4; SETADCXX 3, 255, 0");
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

static uint32_t datum(unsigned src, unsigned bank, unsigned row, unsigned column)
{
    return tensix->src_file[src].bank[bank][row][column];
}

static void check_face(unsigned src, unsigned bank, unsigned row, unsigned first)
{
    for (unsigned i = 0; i < FACE; i++) {
        if (datum(src, bank, row + i / 16, i % 16) != stored_bf16(first + i)) {
            ck_abort_msg("Src%c bank %u, datum %u from row %u on is 0x%05x, not 0x%05x", "AB"[src],
                         bank, i, row, datum(src, bank, row + i / 16, i % 16),
                         stored_bf16(first + i));
        }
    }
}

FIXTURE(setup, teardown);

/* --- Banks --- */

/* Two faces go to two banks, the third waits until the Matrix Unit gives one back. */
TEST_EACH(waits_for_its_bank, 2)
{
    unsigned which = (unsigned)_i;
    const char *face = which ? "UNPACR 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1"
                             : "UNPACR 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1";
    RUN(face);
    RUN(face);
    RUN(face);
    check_face(which, 0, 0, 0);
    check_face(which, 1, 0, FACE);
    ck_assert(tensix->thread[0].has_next);
    ck_assert_int_eq(tensix->thread[0].wait, TENSIX_WAITS_FOR_SRC);
    ck_assert_uint_eq(tensix->thread[0].wait_detail, which);
    ck_assert_uint_eq(tensix->thread[0].adc[which].channel[0].z, 2);
    ck_assert_uint_eq(tensix->src_file[which].format[0], NUM_FORMAT_FLOAT16_B);
    tensix_src_release(tensix, (enum tensix_src)which, false);
    tensix_harness_go(&harness, 0);
    ck_assert(!tensix->thread[0].has_next);
    check_face(which, 0, 0, 2 * FACE);
    check_face(which, 1, 0, FACE);
    ck_assert_uint_eq(harness.faults, 0);
}

/* On the way to Dst the bank of SrcA counts as well. */
TEST(dst_waits_for_src_a)
{
    tensix->src[0].matrix_may[0] = true;
    CONFIG(THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
    RUN("SETC16 5, 0; UNPACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    ck_assert(tensix->thread[0].has_next);
    ck_assert_uint_eq(tensix->dst.bits[0][0], 0);
    tensix_src_release(tensix, TENSIX_SRC_A, false);
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(tensix->dst.bits[0][0], num_dst_from_bf16(3));
    ck_assert_uint_eq(datum(0, 0, 0, 0), 0);
}

/* The implied format is that of the context. */
TEST(implied_format)
{
    CONFIG(THCON_SEC1_REG2_Ovrd_data_format, 1);
    CONFIG(THCON_SEC1_REG7_Unpack_data_format_cntx0, NUM_FORMAT_LF8);
    CONFIG(THCON_SEC1_REG7_Unpack_out_data_format_cntx0, NUM_FORMAT_LF8);
    RUN("UNPACR 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(tensix->src_file[1].format[0], NUM_FORMAT_LF8);
    RUN("UNPACR 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(tensix->src_file[1].format[1], NUM_FORMAT_FLOAT16_B);
}

TEST(held_columns_stay_zero)
{
    tensix_src_file_hold(&tensix->src_file[0], 0x00f0);
    RUN("UNPACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    for (unsigned i = 0; i < FACE; i++) {
        bool held = i % 16 / 4 == 1;
        ck_assert_uint_eq(datum(0, 0, i / 16, i % 16), held ? 0 : stored_bf16(i));
    }
}

/* SPEC: SoftReset of the Matrix Unit. */
TEST(no_way_to_dst_in_reset)
{
    CONFIG(THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
    tensix_soft_reset(tensix, 0, TENSIX_RESET_MATH);
    RUN("SETC16 5, 0; UNPACR 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(tensix->dst.bits[0][0], 0);
    ck_assert_uint_eq(tensix->thread[0].adc[0].channel[0].z, 1);
}

/* --- Contexts --- */

static unsigned counter(unsigned which)
{
    return tensix->unpacker[which].context_counter[0];
}

/* UNPACR_INC goes round; SETC16 to the word of the offsets starts over, for its thread only. */
TEST(context_counters)
{
    for (unsigned count = 0; count < 4; count++) {
        CONFIG(THCON_SEC0_REG2_Context_count, count);
        RUN("SETC16 41, 0");
        for (unsigned i = 1; i <= 20; i++) {
            RUN("UNPACR 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0");
            ck_assert_uint_eq(counter(0), i % (1u << count));
            ck_assert_uint_eq(counter(1), 0);
        }
    }
    CONFIG(THCON_SEC0_REG2_Context_count_non_log2, 4);
    CONFIG(THCON_SEC0_REG2_Context_count_non_log2_en, 1);
    RUN("SETC16 41, 0");
    for (unsigned i = 1; i <= 20; i++) {
        RUN("UNPACR 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0");
        ck_assert_uint_eq(counter(0), i % 5);
    }
    RUN("SETC16 41, 0; UNPACR 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0");
    tensix_harness_run(&harness, 1,
                       "UNPACR 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0; SETC16 41, 0x100");
    ck_assert_uint_eq(counter(0), 1);
    ck_assert_uint_eq(tensix->unpacker[0].context_counter[1], 0);
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* As switch_config_context of LLK: offsets 0 and 1 choose base addresses. */
TEST(context_offsets)
{
    CONFIG(THCON_SEC0_REG3_Base_cntx1_address, (TILE + 2 * FACE) / 16);
    RUN("UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1; SETC16 41, 0x101;"
        "UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    check_face(0, 0, 0, 0);
    check_face(0, 1, 0, FACE);
}

/* SPEC: counters of the thread and of the context that is named count up. */
TEST(counters_of_two_threads)
{
    RUN("UNPACR 0, 0xe4, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1");
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_adc_channel *channel = tensix->thread[i].adc[0].channel;
        ck_assert_uint_eq(channel[0].z, 0);
        ck_assert_uint_eq(channel[0].y, i == 1 ? 0 : 1);
        ck_assert_uint_eq(channel[1].z, i == 1 ? 0 : 2);
        ck_assert_uint_eq(channel[1].y, i == 1 ? 0 : 3);
    }
}

/* Whatever way Config is written, the next instruction follows it. */
TEST(config_is_never_stale)
{
    const char *face = "UNPACR 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1";
    unsigned word = TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor;
    RUN(face);
    check_face(1, 0, 0, 0);
    (void)tensix_config_write(tensix, word, NUM_FORMAT_UINT16 | 1 << 4 | FACE << 16);
    (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC1_REG2_Out_data_format,
                              NUM_FORMAT_UINT16);
    RUN(face);
    ck_assert_uint_eq(datum(1, 0, 15, 15), num_src_from_int16(255 * 7 + 3));
    RUN("RMWCIB0 0xf, 5, 112; RMWCIB0 0xf, 5, 120");
    RUN(face);
    check_face(1, 0, 0, 0);
    tensix->gpr[0][4] = NUM_FORMAT_UINT16 | 1 << 4 | FACE << 16;
    tensix->gpr[0][5] = NUM_FORMAT_UINT16;
    RUN("WRCFG 4, 0, 112; WRCFG 5, 0, 120");
    RUN(face);
    ck_assert_uint_eq(datum(1, 0, 15, 15), num_src_from_int16(255 * 7 + 3));
    RUN("SETC16 0, 1"); /* the other state: zeros */
    unsigned faults = harness.faults;
    RUN(face);
    ck_assert_uint_eq(harness.faults, faults + 1);
}

/* --- SrcRow --- */

/* Without SetOvrdWithAddr, sets of 16 rows follow each other until a bank is handed over. */
TEST_EACH(src_row_advances, 2)
{
    unsigned which = (unsigned)_i;
    CONFIG(THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd, 1);
    CONFIG(THCON_SEC1_REG2_Unpack_Src_Reg_Set_Upd, 1);
    RUN("SETC16 5, 0");
    for (unsigned i = 0; i < 4; i++) {
        RUN(which ? "UNPACR 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1"
                  : "UNPACR 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
        ck_assert_uint_eq(tensix->unpacker[which].src_row[0], (16 * i + 16) % 64);
    }
    for (unsigned i = 0; i < 4; i++) {
        check_face(which, 0, 16 * i, FACE * i);
    }
    RUN(which ? "SETC16 6, 2; UNPACR 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1"
              : "SETC16 5, 2; UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(tensix->unpacker[which].src_row[0], 32);
    ck_assert_uint_eq(tensix->unpacker[which].src_row[1], 0);
}

/* --- Sequences of LLK --- */

/* _llk_unpack_tilize_: 32 rows of 32 data, whose rows are 64 data apart, in one go: two faces of 16
 * rows above each other would be four, so row r of the block becomes rows 2r and 2r + 1 of SrcA. */
TEST(tilize)
{
    CONFIG(THCON_SEC0_REG2_Tileize_mode, 1);
    CONFIG(THCON_SEC0_REG2_Shift_amount_cntx0, 64 * 2 / 16);
    CONFIG(THCON_SEC0_REG5_Tile_x_dim_cntx0, 1024);
    put_bf16(TILE + 16, 64 * 32);
    RUN("SETADCXX 1, 1023, 0; UNPACR 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    for (unsigned i = 0; i < 1024; i++) {
        unsigned row = i / 32, column = i % 32;
        ck_assert_uint_eq(datum(0, 0, i / 16, i % 16), stored_bf16(row * 64 + column));
    }
}

/* _llk_unpack_untilize_pass_: rows of 16 of face 0 and face 1 in turn, CH1_Y and CH0_Z counting. */
TEST(untilize)
{
    CONFIG(UNP0_ADDR_CTRL_XY_REG_1_Ystride, 16 * 2);
    CONFIG(THCON_SEC0_REG5_Tile_x_dim_cntx0, 16);
    (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor + 1, 16 | 4 << 16);
    RUN("SETADCXX 1, 15, 0; SETADCXY 1, 0, 0, 0, 0, 0xa; SETADC 1, 0, 2, 0");
    for (unsigned row = 0; row < 16; row++) {
        RUN("UNPACR 0, 0x41, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1;"
            "UNPACR 0, 0x41, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1;"
            "ADDRCRZW 1, 0, 0, 0, 0, 1; INCADCXY 1, 0, 0, 1, 0");
    }
    for (unsigned i = 0; i < 2 * FACE; i++) {
        unsigned row = i / 32, face = i / 16 % 2;
        ck_assert_uint_eq(datum(0, 0, i / 16, i % 16),
                          stored_bf16(face * FACE + row * 16 + i % 16));
    }
    ck_assert_uint_eq(harness.faults, 0);
}

/* Haloize_mode exchanges rows and columns of each face. */
TEST(transpose)
{
    CONFIG(THCON_SEC0_REG2_Haloize_mode, 1);
    CONFIG(THCON_SEC0_REG5_Tile_x_dim_cntx0, 1024);
    RUN("SETADCXX 1, 1023, 0; UNPACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    for (unsigned i = 0; i < 1024; i++) {
        unsigned face = i / FACE, row = i % FACE / 16, column = i % 16;
        ck_assert_uint_eq(datum(0, 0, face * 16 + column, row), stored_bf16(i));
    }
}

/* The factor is two to the rate; without interleaving, zeros fill the gaps. */
TEST_EACH(upsampling, 8)
{
    unsigned rate = (unsigned)_i / 2, interleaves = (unsigned)_i % 2, factor = 1u << rate;
    CONFIG(THCON_SEC1_REG2_Upsample_rate, rate);
    CONFIG(THCON_SEC1_REG2_Upsample_and_interleave, interleaves);
    tensix_src_file_fill(&tensix->src_file[1], 1, 0x12345);
    RUN("SETADCXX 2, 63, 0; UNPACR 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    for (unsigned i = 0; i < 64 * factor; i++) {
        uint32_t gap = interleaves ? 0x12345 : 0;
        ck_assert_uint_eq(datum(1, 0, i / 16, i % 16), i % factor ? gap : stored_bf16(i / factor));
    }
    for (unsigned i = 64 * factor; i < 64 * 16; i++) {
        ck_assert_uint_eq(datum(1, 0, i / 16, i % 16), 0x12345);
    }
}

/* Bit 5: one row goes to eight. */
TEST(broadcast)
{
    CONFIG(UNP1_ADDR_BASE_REG_1_Base, 8 * 16 * 2);
    RUN("SETADCXX 2, 15, 0; UNPACR 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1");
    for (unsigned i = 0; i < 64 * 16; i++) {
        bool is_in = i / 16 >= 8 && i / 16 < 16;
        ck_assert_uint_eq(datum(1, 0, i / 16, i % 16), is_in ? stored_bf16(i % 16) : 0);
    }
    RUN("SETADCXX 2, 31, 0; UNPACR 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(harness.faults, 1);
    RUN("UNPACR 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(harness.faults, 2);
}

/* Channel 1 counts on and on; LLK's custom matmul gets from face 1 of SrcB back to face 0 so. */
TEST(rows_of_src_b_wrap)
{
    CONFIG(UNP1_ADDR_CTRL_ZW_REG_1_Zstride, 2 * FACE);
    for (unsigned bank = 0; bank < 2; bank++) {
        RUN("UNPACR 1, 0x11, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
        RUN("UNPACR 1, 0x34, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
        check_face(1, bank, 0, 2 * bank * FACE);
        check_face(1, bank, 16, (2 * bank + 1) * FACE);
    }
    CONFIG(UNP1_ADDR_CTRL_ZW_REG_1_Zstride, 2 * (FACE - 8 * 16)); /* row 56 at Z = 7 */
    RUN("CLEARDVALID 2, 0; SETADCXY 2, 0, 0, 0, 0, 10; SETADCZW 2, 0, 7, 0, 0, 15");
    RUN("UNPACR 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    for (unsigned i = 0; i < FACE; i++) {
        ck_assert_uint_eq(datum(1, 0, (56 + i / 16) % 64, i % 16), stored_bf16(i));
    }
    check_face(1, 0, 16, FACE);
    ck_assert_uint_eq(harness.faults, 0);
}

TEST(flush_does_nothing)
{
    static struct tensix_src_file before;
    RUN("UNPACR 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    before = tensix->src_file[0];
    RUN("UNPACR 0, 0xff, 0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1");
    ck_assert(memcmp(&before, &tensix->src_file[0], sizeof before) == 0);
    ck_assert_uint_eq(tensix->thread[0].adc[0].channel[0].z, 1);
    ck_assert(!tensix->src[0].matrix_may[0]);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- Reports --- */

static void check_fault(const char *words)
{
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_UNDEFINED);
    ck_assert_msg(strstr(harness.fault.text, words) != NULL, "%s", harness.fault.text);
    harness.faults = 0;
}

/* The last line of L1 is read, the one after it is not. */
TEST(end_of_l1)
{
    CONFIG(THCON_SEC1_REG3_Base_address, (TENSIX_HARNESS_L1 - 512) / 16 - 1);
    RUN("UNPACR 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(harness.faults, 0);
    CONFIG(THCON_SEC1_REG3_Base_address, (TENSIX_HARNESS_L1 - 512) / 16);
    RUN("UNPACR 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1");
    check_fault("a datum at 0x00180000 is not in L1, which ends at 0x00180000; see "
                "THCON_SEC1_REG3_Base_address");
    ck_assert_uint_eq(tensix->thread[0].adc[1].channel[0].z, 0);
    ck_assert(!tensix->src[1].matrix_may[0]);
    CONFIG(THCON_SEC0_REG3_Base_cntx1_address, 0xffffff);
    RUN("UNPACR 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    check_fault("see THCON_SEC0_REG3_Base_cntx1 ");
}

TEST(reports)
{
    RUN("UNPACR 1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    check_fault("it has contexts 0 and 1, not 2; see CfgContextOffset_1");
    RUN("UNPACR 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 1");
    check_fault("counters of threads 0 to 2, not 3");
    RUN("SETADCXX 3, 3, 9; UNPACR 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    check_fault("its rows end before datum 4 and start at datum 9");
    RUN("SETADCXX 3, 1023, 0; SETADCXY 2, 1, 0, 0, 0, 8");
    CONFIG(UNP1_ADDR_CTRL_XY_REG_1_Ystride, 31);
    RUN("UNPACR 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    check_fault("output address 0x1f");
    RUN("SETADCXX 3, 271, 0; SETC16 5, 0; UNPACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    check_fault("output reaches row 16 of a set of 16 rows of SrcA");
    CONFIG(THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
    RUN("SETC16 5, 4; UNPACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    check_fault("SRCA_SET_SetOvrdWithAddr must be 0");
    CONFIG(THCON_SEC0_REG2_Haloize_mode, 1);
    RUN("UNPACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    check_fault("on the way to Dst there is no Haloize_mode");
    CONFIG(THCON_SEC0_REG2_Out_data_format, NUM_FORMAT_INT8);
    RUN("UNPACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    check_fault("cannot convert format 5 (Float16_b) to 14 (Int8) in Dst");
}

/* Under the policy "stop" the instruction stays, and goes on once its cause is gone. */
TEST(stops_and_goes_on)
{
    harness.stop = true;
    CONFIG(THCON_SEC1_REG2_Out_data_format, NUM_FORMAT_INT8);
    RUN("UNPACR 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    check_fault("cannot convert");
    ck_assert(tensix->stopped && tensix->thread[0].has_next);
    CONFIG(THCON_SEC1_REG2_Out_data_format, NUM_FORMAT_FLOAT16_B);
    tensix->stopped = false;
    tensix_harness_go(&harness, 0);
    check_face(1, 0, 0, 0);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- Time --- */

/* Cycles from one UNPACR of the unpacker to the next in a row of equal ones. */
static uint64_t cycles_each(unsigned which)
{
    enum { TIMES = 8 };
    struct tensix_origin origin = {.pusher = TENSIX_BY_T0};
    uint32_t word = UINT32_C(0x42000001) | (uint32_t)which << 23;
    tensix_harness_go(&harness, 4000);
    uint64_t start = harness.time;
    for (unsigned i = 0; i < TIMES; i++) {
        ck_assert(tensix_push(tensix, 0, origin, &word, 1, start));
    }
    tensix_harness_go(&harness, 4000);
    ck_assert(!tensix->thread[0].has_next);
    return (tensix->unpacker[which].free_at - start) / TIMES;
}

/* Throttle_mode and what constrains it; an instruction's addresses hide behind the one before. */
TEST_EACH(speed, 10)
{
    static const struct {
        unsigned format, throttle, overrides, upsample, expected;
    } rows[] = {
        {NUM_FORMAT_FLOAT16_B, 2, 0, 0, 512 / 128}, {NUM_FORMAT_FLOAT16_B, 0, 0, 0, 512 / 128},
        {NUM_FORMAT_FLOAT16_B, 0, 1, 0, 512 / 16},  {NUM_FORMAT_FLOAT16_B, 1, 1, 0, 512 / 32},
        {NUM_FORMAT_INT8, 0, 0, 0, 256 / 128},      {NUM_FORMAT_INT8, 2, 1, 0, 256 / 64},
        {NUM_FORMAT_BFP2_B, 2, 0, 0, 64 / 16},      {NUM_FORMAT_BFP4_B, 2, 0, 0, 128 / 64},
        {NUM_FORMAT_FLOAT16_B, 2, 0, 1, 512 / 32},  {NUM_FORMAT_FLOAT16_B, 2, 0, 2, 512 / 16},
    };
    tensix->timed = true;
    CONFIG(THCON_SEC1_REG1_ovrd_default_throttle_mode, rows[_i].overrides);
    CONFIG(THCON_SEC1_REG2_Throttle_mode, rows[_i].throttle);
    CONFIG(THCON_SEC1_REG2_Upsample_rate, rows[_i].upsample);
    CONFIG(THCON_SEC1_REG2_Out_data_format, rows[_i].format);
    CONFIG(THCON_SEC1_REG0_TileDescriptor_in_data_format, rows[_i].format);
    uint64_t expected = rows[_i].expected > 2 ? rows[_i].expected : 2, each = cycles_each(1);
    ck_assert_uint_ge(each, expected);
    ck_assert_uint_le(each, expected + 1);
    ck_assert_uint_eq(harness.faults, 0);
}
