/*
 * The unpackers beyond what one UNPACR does to data: waiting for banks, contexts and their
 * counters, what is kept of Config, the sequences of LLK, time, and reports.
 */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "num/tensix_format.h"
#include "unit/guest_program.h"
#include "unit/test.h"
#include "tensix/config/adc.h"
#include "tensix/src_banks.h"
#include "unit/tensix/tensix_fixture.h"

enum { TILE = 0x4000, FACE = 256 };

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
static void set_up_unpackers(void)
{
    setup();
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

FIXTURE(set_up_unpackers, teardown);

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

/* --- Rows in L1 --- */

/* Rows of data wider than a byte have 32 data, others 16: Tileize_mode strides from row to row, and
 * a FIFO wraps round after a row. Its limit is where the tile starts, and it is as long as a row,
 * so that each row is the first one again. */
TEST_EACH(width_of_rows, 8)
{
    static const struct {
        enum num_format in, out;
        unsigned bytes, width;
    } rows[] = {
        {NUM_FORMAT_FLOAT32, NUM_FORMAT_TF32, 4, 32},
        {NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, 2, 32},
        {NUM_FORMAT_INT8, NUM_FORMAT_INT8, 1, 16},
        {NUM_FORMAT_LF8, NUM_FORMAT_LF8, 1, 16},
    };
    bool wraps = _i >= COUNT(rows);
    unsigned stride = wraps ? 0 : 0x120, kind = (unsigned)(_i % COUNT(rows));
    unsigned bytes = rows[kind].bytes, width = rows[kind].width;
    (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor,
                              (uint32_t)rows[kind].in | 1 << 4 | FACE << 16);
    CONFIG(THCON_SEC0_REG2_Out_data_format, rows[kind].out);
    if (wraps) {
        CONFIG(THCON_SEC0_REG2_Unpack_limit_address, TILE / 16 + 1);
        CONFIG(THCON_SEC0_REG2_Unpack_fifo_size, width * bytes / 16);
    } else {
        CONFIG(THCON_SEC0_REG2_Tileize_mode, 1);
        CONFIG(THCON_SEC0_REG2_Shift_amount_cntx0, stride >> 4 & 0xf);
        CONFIG(THCON_SEC0_REG2_Shift_amount_cntx1, stride >> 8);
    }
    for (unsigned i = 0; i < 0x2000; i++) {
        harness.l1[TILE + i] = (uint8_t)random_next(&dice);
    }
    RUN("UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
    for (unsigned i = 0; i < FACE; i++) {
        uint32_t value = 0;
        memcpy(&value, harness.l1 + TILE + 16 + i / width * stride + i % width * bytes, bytes);
        ck_assert_uint_eq(datum(0, 0, i / 16, i % 16),
                          num_unpack_to_src(rows[kind].in, rows[kind].out, value, 0));
    }
}

/* --- Contexts --- */

static unsigned counter(unsigned which, unsigned thread)
{
    return tensix->unpacker[which].context_counter[thread];
}

/* UNPACR_INC goes round, whatever the offsets are. */
TEST_EACH(context_counters, 2)
{
    unsigned which = (unsigned)_i;
    const uint32_t increment = UINT32_C(0x42002000) | which << 23;
    for (unsigned count = 0; count < 5; count++) {
        CONFIG(THCON_SEC0_REG2_Context_count, count % 4);
        CONFIG(THCON_SEC1_REG2_Context_count, count % 4);
        CONFIG(THCON_SEC0_REG2_Context_count_non_log2, 4);
        CONFIG(THCON_SEC1_REG2_Context_count_non_log2, 4);
        CONFIG(THCON_SEC0_REG2_Context_count_non_log2_en, count == 4);
        CONFIG(THCON_SEC1_REG2_Context_count_non_log2_en, count == 4);
        RUN("SETC16 41, 0x1313"); /* starts over; the offset does not matter to it */
        for (unsigned i = 1; i <= 20; i++) {
            tensix_harness_push(&harness, 0, increment);
            ck_assert_uint_eq(counter(which, 0), i % (count == 4 ? 5 : 1u << count));
            ck_assert_uint_eq(counter(!which, 0), 0);
        }
    }
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* SETC16 to the word of the offsets: bits 4 and 12 reset the own thread's counter of unpacker 0 and
 * 1 (0x1010 is what LLK writes), bits 5 and 13 count it up, and offsets alone leave both. */
TEST_EACH(context_commands, 11)
{
    static const struct {
        const char *write;
        unsigned counter[2]; /* from 2 and 3 of 0 to 3 */
    } rows[] = {
        {"SETC16 41, 0", {2, 3}},      {"SETC16 41, 0x0f0f", {2, 3}}, {"SETC16 41, 0x0010", {0, 3}},
        {"SETC16 41, 0x1000", {2, 0}}, {"SETC16 41, 0x1010", {0, 0}}, {"SETC16 41, 0x0020", {3, 3}},
        {"SETC16 41, 0x2000", {2, 0}}, {"SETC16 41, 0x2121", {3, 0}}, {"SETC16 41, 0x3030", {0, 0}},
        {"SETC16 40, 0x1010", {2, 3}}, {"SETC16 42, 0x1010", {2, 3}},
    };
    CONFIG(THCON_SEC0_REG2_Context_count, 2);
    CONFIG(THCON_SEC1_REG2_Context_count, 2);
    for (unsigned thread = 0; thread < 2; thread++) {
        tensix->unpacker[0].context_counter[thread] = 2;
        tensix->unpacker[1].context_counter[thread] = 3;
    }
    RUN(rows[_i].write);
    for (unsigned which = 0; which < 2; which++) {
        ck_assert_uint_eq(counter(which, 0), rows[_i].counter[which]);
        ck_assert_uint_eq(counter(which, 1), 2 + which);
    }
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* The counter goes from 0 to 3 and round by itself; what CfgContextOffset adds shows in the context
 * alone: with 1, contexts 1 to 4 in turn. The tile of context i begins with face i. */
TEST(offset_is_added_to_the_counter)
{
    const uint32_t pairs = 1 | 1 << 16;
    put_bf16(TILE + 16, 5 * FACE);
    for (unsigned i = 0; i < 5; i++) {
        (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC0_REG3_Base_address + i,
                                  (TILE + i * 2 * FACE) / 16);
    }
    (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC0_REG2_Disable_zero_compress_cntx0,
                              0xf | 1 << 16);
    (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC0_REG5_Tile_x_dim_cntx2, FACE * pairs);
    (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC0_REG5_Dest_cntx2_address, 64 * pairs);
    CONFIG(THCON_SEC0_REG2_Context_count, 2);
    RUN("SETC16 41, 1");
    for (unsigned i = 0; i < 9; i++) {
        unsigned bank = tensix->src[0].unpack_bank;
        tensix->src[0].matrix_may[bank] = false;
        RUN("UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1");
        ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
        check_face(0, bank, 0, (1 + i % 4) * FACE);
        ck_assert_uint_eq(counter(0, 0), (i + 1) % 4);
    }
}

/* An E4M3 has bias 7, an FP16 15; the mode is one per unpacker. */
TEST_EACH(e4m3_keeps_its_value, 2)
{
    CONFIG(THCON_SEC0_REG0_TileDescriptor_in_data_format, NUM_FORMAT_LF8);
    CONFIG(THCON_SEC1_REG0_TileDescriptor_in_data_format, NUM_FORMAT_LF8);
    CONFIG(THCON_SEC0_REG2_Out_data_format, NUM_FORMAT_LF8);
    CONFIG(THCON_SEC1_REG2_Out_data_format, NUM_FORMAT_LF8);
    CONFIG(THCON_SEC0_REG1_Unp_LF8_4b_exp, !_i);
    CONFIG(THCON_SEC1_REG1_Unp_LF8_4b_exp, (unsigned)_i);
    for (unsigned i = 0; i < FACE; i++) {
        harness.l1[TILE + 16 + i] = (uint8_t)i;
    }
    RUN(_i ? "UNPACR 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1"
           : "UNPACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(harness.faults, 0);
    for (unsigned i = 0; i < FACE; i++) {
        unsigned exponent = i >> 3 & 15, fraction = i & 7;
        if (exponent == 0 || (exponent == 15 && fraction == 7)) {
            continue; /* denormals and the NaN: no page */
        }
        ck_assert_uint_eq(datum((unsigned)_i, 0, i / 16, i % 16),
                          (i >> 7) << 18 | fraction << 15 | (exponent + 8));
    }
}

/* X1 one below X0: no data, but the bank is handed over. */
TEST(no_data_but_a_flip)
{
    RUN("SETADCXX 1, 19, 20; UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert(tensix->src[0].matrix_may[0] && tensix->src[0].unpack_bank == 1);
    ck_assert_uint_eq(tensix->src_file[0].format[0], NUM_FORMAT_FLOAT16_B);
    for (unsigned i = 0; i < 2 * FACE; i++) {
        ck_assert_uint_eq(datum(0, i / FACE, i % FACE / 16, i % 16), 0);
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

/* --- Sequences of LLK --- */

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
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_UNDEFINED);
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

/* --- Waiting for a bank --- */

#define UNPACK_A   "UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1; "
#define UNPACK_B   "UNPACR 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1; "
#define MATH(text) tensix_harness_run(&harness, 1, text)

/* Runs and waits: a timed run needs cycles in which nothing new comes. */
static void pass_time(void)
{
    tensix_harness_go(&harness, 400);
}

static bool is_held(unsigned which)
{
    return tensix->unpacker[which].held.is_held;
}

static void begin_waiting(int row)
{
    tensix->timing = row ? &harness.costs : NULL;
    RUN(UNPACK_A UNPACK_A UNPACK_A);
    pass_time();
}

/* Both banks of SrcA are full, and a third UNPACR has started. What follows in its thread starts, too:
 * it unpacks to SrcB. */
TEST_EACH(an_unpacr_waits_in_its_unpacker, 2)
{
    begin_waiting(_i);
    ck_assert(is_held(0) && !is_held(1) && !tensix->thread[0].has_next);
    ck_assert(tensix_thread_busy(tensix, 0) && !tensix_thread_busy(tensix, 1));
    RUN("SETADCXX 3, 15, 0; SETADCZW 1, 0, 3, 0, 0, 4; " UNPACK_B);
    pass_time();
    ck_assert(tensix->src[1].matrix_may[0] && is_held(0));
    MATH("CLEARDVALID 1, 0");
    pass_time();
    ck_assert(!is_held(0) && tensix->src[0].matrix_may[0] && tensix->src[0].matrix_may[1]);
    ck_assert(!tensix_thread_busy(tensix, 0));
    check_face(0, 0, 0, 0); /* all of it, and not the face that Z means by now */
}

/* HW: a program ends that unpacks four faces to each source in turn, and uses all of SrcA first. */
TEST_EACH(sources_are_filled_in_turn_and_used_one_after_the_other, 2)
{
    enum { FACES = 4 };
    tensix->timing = _i ? &harness.costs : NULL;
    for (unsigned i = 0; i < FACES; i++) {
        RUN(UNPACK_A UNPACK_B);
    }
    for (unsigned i = 0; i < 2 * FACES; i++) {
        pass_time();
        ck_assert(tensix->src[i / FACES].matrix_may[i % 2]);
        MATH(i < FACES ? "CLEARDVALID 1, 0" : "CLEARDVALID 2, 0");
    }
    pass_time();
    ck_assert(!tensix_busy(tensix));
    ck_assert_uint_eq(tensix->thread[0].drained, tensix->thread[0].pushed);
}

/* STALLWAIT waits for an unpacker in which an UNPACR of its own thread waits. */
TEST_EACH(both_unpackers_wait, 4)
{
    static const char *const waits[] = {"STALLWAIT 0x1ff, 2; ", "STALLWAIT 0x1ff, 4; "};
    const unsigned which = (unsigned)_i / 2;
    begin_waiting(_i % 2);
    RUN(UNPACK_B UNPACK_B UNPACK_B);
    pass_time();
    ck_assert(is_held(0) && is_held(1));
    RUN(waits[which]);
    RUN("SEMPOST 4");
    tensix_harness_run(&harness, 2, waits[which]);
    tensix_harness_run(&harness, 2, "SEMPOST 8");
    pass_time();
    ck_assert_uint_eq(tensix->semaphore[3].value, 1);
    ck_assert(tensix->thread[0].blocked && tensix->semaphore[2].value == 0);
    MATH(which ? "CLEARDVALID 1, 0" : "CLEARDVALID 2, 0");
    pass_time();
    ck_assert(is_held(which) && !is_held(!which) && tensix->semaphore[2].value == 0);
    MATH(which ? "CLEARDVALID 2, 0" : "CLEARDVALID 1, 0");
    pass_time();
    ck_assert(!is_held(0) && !is_held(1) && tensix->semaphore[2].value == 1);
    check_face(0, 0, 0, 0);
    check_face(1, 0, 0, 0);
}

/* What is for the unpacker in which an UNPACR waits stays at the gate, of whatever thread. */
TEST_EACH(an_unpacker_holds_one_instruction, 14)
{
    static const char *const rows[] = {
        UNPACK_A,
        "UNPACR 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1", /* counts contexts */
        "UNPACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1", /* flushes */
        "UNPACR_NOP 0, 0, 0, 0, 3, 0, 0, 0, 1",         /* hands over */
        "UNPACR_NOP 0, 0, 0, 0, 0, 1, 0, 0, 1",         /* clears */
        "UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 0",         /* pops */
        "UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 2",
    };
    const unsigned row = (unsigned)_i / 2, thread = (unsigned)_i % 2 * 2;
    const bool passes = row == 6 && thread != 0; /* a plain one of another thread */
    char text[160];
    begin_waiting(0);
    tensix_harness_run(&harness, thread, rows[row]);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(tensix->thread[thread].has_next, !passes);
    if (passes) {
        return;
    }
    ck_assert_int_eq(tensix->thread[thread].wait, TENSIX_WAITS_FOR_UNPACKER);
    ck_assert(tensix_wait_text(tensix, thread, text, sizeof text));
    ck_assert_msg(strstr(text, "unpacker 0, in which an UNPACR of thread 0 waits"), "%s", text);
    ck_assert(tensix_held_text(tensix, 0, text, sizeof text));
    ck_assert_msg(strstr(text, "waits in unpacker 0 for bank 0 of SrcA, which the Matrix Unit"),
                  "%s", text);
    MATH("CLEARDVALID 1, 0");
    MATH("CLEARDVALID 1, 0");
    ck_assert(!tensix->thread[thread].has_next && !is_held(0));
}

/* The data are looked at again when it goes on. */
TEST(an_unpacr_that_waits_may_stop)
{
    char text[160];
    CONFIG(THCON_SEC0_REG0_TileDescriptor_in_data_format, NUM_FORMAT_BFP8);
    CONFIG(THCON_SEC0_REG2_Out_data_format, NUM_FORMAT_FLOAT16);
    memset(harness.l1 + TILE + 16, 16, 4 * FACE);
    begin_waiting(0);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert(is_held(0));
    memset(harness.l1 + TILE + 16, 0xff, 4 * FACE);
    harness.stop = true;
    MATH("CLEARDVALID 1, 0");
    check_fault("leaves the five bits of its format");
    ck_assert_uint_eq(harness.fault.thread, 0);
    ck_assert_uint_eq(harness.fault.word, tensix->unpacker[0].held.word);
    ck_assert(tensix->stopped && is_held(0) && tensix_held_text(tensix, 0, text, sizeof text));
    memset(harness.l1 + TILE + 16, 16, 4 * FACE);
    tensix->stopped = TENSIX_GOES;
    tensix_harness_go(&harness, 0);
    ck_assert(!is_held(0) && harness.faults == 0 && tensix->src[0].matrix_may[0]);
}

/* SPEC: SoftReset. What is in flight is aborted; and banks that are reset come back. */
TEST_EACH(resets_end_the_wait, 2)
{
    static const uint32_t bits[] = {TENSIX_RESET_UNPACKERS, TENSIX_RESET_SRCA_CLIENT};
    begin_waiting(0);
    tensix_soft_reset(tensix, 0, bits[_i]);
    tensix_soft_reset(tensix, bits[_i], 0);
    pass_time();
    ck_assert(!is_held(0));
    ck_assert_uint_eq(tensix->src[0].matrix_may[0], 1);
    ck_assert_uint_eq(tensix->src[0].matrix_may[1], _i == 0);
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
    tensix->timing = &harness.costs;
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

/* Data that are all zero come as fast. HW: 128 bytes a cycle, and each unpacker on its own. */
TEST(unpackers_are_as_fast_together)
{
    enum { TILE_DATA = 1024, TILE_CYCLES = 2 * TILE_DATA / 128, ADDRESSES = 2 };
    struct tensix_origin origin = {.pusher = TENSIX_BY_T0};
    const uint32_t both[] = {UINT32_C(0x42800001), UINT32_C(0x42000001)};
    put_bf16(TILE + 16, TILE_DATA);
    CONFIG(THCON_SEC0_REG5_Tile_x_dim_cntx0, TILE_DATA);
    RUN("SETADCXX 3, 1023, 0");
    tensix->timing = &harness.costs;
    ck_assert(tensix_push(tensix, 0, origin, both, COUNT(both), harness.time));
    tensix_harness_go(&harness, 4000);
    ck_assert_uint_eq(tensix->unpacker[0].free_at - tensix->unpacker[1].free_at, ADDRESSES);
    ck_assert_uint_eq(cycles_each(0), TILE_CYCLES);
    ck_assert_uint_eq(cycles_each(1), TILE_CYCLES);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- By programs of harts --- */

FIXTURE(guest_open, guest_close);

/* --- UNPACR: contexts --- */

enum { BF16 = 5, CONTEXT_BYTES = 0x100 };

/* Unpacker 0, BF16, into rows of SrcA one after another; context i reads where only its number is.
 * Word numbers are cfg_defines'. */
static void say_unpack_setup(unsigned context_count)
{
    for (unsigned i = 0; i < 8; i++) {
        uint16_t data[PENROSE_SRC_COLUMNS];
        for (unsigned j = 0; j < PENROSE_SRC_COLUMNS; j++) {
            data[j] = (uint16_t)(0x4000 + i);
        }
        guest_put(GUEST_INPUT + i * CONTEXT_BYTES, data, sizeof data);
        say_store(GUEST_CONFIG(76 + i),
                  (GUEST_INPUT + i * CONTEXT_BYTES) / 16 - 1); /* a header comes first */
    }
    say_store(GUEST_CONFIG(64), BF16 | 1 << 4 | 16 << 16); /* TileDescriptor */
    say_store(GUEST_CONFIG(65), 1 | 1 << 16);
    say_store(GUEST_CONFIG(66), 1);
    say_store(GUEST_CONFIG(72), BF16 | 2 << 4 | context_count << 6);
    say_store(GUEST_CONFIG(73), 0xf000f);       /* nothing is compressed */
    say_store(GUEST_CONFIG(84), 64 | 64 << 16); /* past the four rows that SrcA has not */
    say_store(GUEST_CONFIG(85), 64 | 64 << 16);
    say_store(GUEST_CONFIG(86), 16 | 16 << 16);
    say_store(GUEST_CONFIG(87), 16 | 16 << 16);
    say_store(GUEST_CONFIG(50), 1 << 8);             /* add the address that counters give: */
    say_store(GUEST_CONFIG(56), UINT32_C(32) << 16); /* a row for each Y */
    say_setc16(5, 4);                                /* SRCA_SET_SetOvrdWithAddr */
    say_tensix("SETADCXX 1, 15, 0");
    say_settle();
}

/* Steps: a row is unpacked with the context of an id, or of the counter; the counter counts on. */
#define WITH_ID(id)  "UNPACR 0, 0x40, 0, " #id ", 0, 1, 0, 0, 0, 0, 0, 0, 1"
#define WITH_COUNTER "UNPACR 0, 0x40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1"
#define COUNT_ON     "UNPACR 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"

/*
 * Page UNPACR_Regular, hal: the context is that of the instruction or of the counter, plus
 * CfgContextOffset, in three bits. hal: the counter goes round behind (1 << Context_count) - 1. (The
 * page and the seed keep the sum with the offset as the counter: of offset 1 they have 1, 3, 1, 3 of
 * four contexts, and 1, 1, 1 of two.) Page UNPACR_IncrementContextCounter: it counts on alone. hal:
 * writing a one to bit 4 or 12 of word 41 resets the counter of unpacker 0 or 1, to bit 5 or 13 counts
 * on. (Seed unpack-data-path 9.3: bit 5 has each UNPACR count.)
 */
static const struct {
    unsigned context_count, offset;
    const char *steps[5];
    unsigned contexts[5], rows;
} contexts[] = {
    {2,
     0,
     {WITH_COUNTER, WITH_COUNTER, WITH_COUNTER, WITH_COUNTER, WITH_COUNTER},
     {0, 1, 2, 3, 0},
     5},
    {0, 0, {WITH_COUNTER, WITH_COUNTER}, {0, 0}, 2},
    {1, 0, {WITH_COUNTER, WITH_COUNTER, WITH_COUNTER}, {0, 1, 0}, 3},
    {3, 0, {WITH_ID(5), WITH_ID(7), WITH_ID(4)}, {5, 7, 4}, 3},
    {2, 1, {WITH_ID(0), WITH_ID(1), WITH_ID(2)}, {1, 2, 3}, 3},
    {3, 2, {WITH_ID(6), WITH_ID(7)}, {0, 1}, 2},
    {2,
     1,
     {WITH_COUNTER, WITH_COUNTER, WITH_COUNTER, WITH_COUNTER, WITH_COUNTER},
     {1, 2, 3, 4, 1},
     5},
    {1, 1, {WITH_COUNTER, WITH_COUNTER, WITH_COUNTER}, {1, 2, 1}, 3},
    {2, 0, {COUNT_ON, COUNT_ON, WITH_COUNTER, WITH_COUNTER}, {2, 3}, 2},
    {1, 0, {COUNT_ON, COUNT_ON, COUNT_ON, WITH_COUNTER}, {1}, 1},
    {2, 0, {WITH_COUNTER, WITH_COUNTER, "SETC16 41, 0x10", WITH_COUNTER}, {0, 1, 0}, 3},
    {2, 0, {WITH_COUNTER, WITH_COUNTER, "SETC16 41, 0x1000", WITH_COUNTER}, {0, 1, 2}, 3},
    {2, 0, {WITH_COUNTER, "SETC16 41, 0x20", WITH_COUNTER}, {0, 2}, 2},
    {2, 0, {"SETC16 41, 0x20", WITH_ID(0), WITH_COUNTER}, {0, 1}, 2},
    {2, 0, {WITH_COUNTER, "SETC16 41, 0x2000", WITH_COUNTER}, {0, 1}, 2},
};

TEST_EACH(contexts_are_counted, COUNT(contexts))
{
    guest_begin(PENROSE_TRISC0);
    say_unpack_setup(contexts[_i].context_count);
    say_setc16(GUEST_CONTEXTS_WORD, contexts[_i].offset);
    for (unsigned i = 0; i < 5 && contexts[_i].steps[i]; i++) {
        say_tensix(contexts[_i].steps[i]);
    }
    guest_finish(PENROSE_TRISC0);
    guest_expect_done();
    for (unsigned i = 0; i < contexts[_i].rows; i++) {
        uint32_t datum[PENROSE_SRC_COLUMNS];
        guest_srca_row(i, datum);
        /* 0x4000 + n of BF16 is exponent 0x80 and mantissa n, as page SrcASrcB orders bits */
        ck_assert_uint_eq(datum[0] & 0xff, 0x80);
        ck_assert_msg(datum[0] >> 11 == contexts[_i].contexts[i], "step %u: context %u", i,
                      datum[0] >> 11);
    }
}

/* Page UNPACR_Regular: each thread has a counter of its own. */
TEST(counters_of_contexts_belong_to_threads)
{
    uint32_t datum[PENROSE_SRC_COLUMNS];
    guest_begin(PENROSE_TRISC0);
    say_unpack_setup(2);
    say_tensix(WITH_COUNTER);
    guest_finish(PENROSE_TRISC0);
    guest_begin(PENROSE_TRISC2);
    say_setc16(GUEST_CONTEXTS_WORD, 0x10);
    guest_finish(PENROSE_TRISC2);
    guest_begin(PENROSE_TRISC0);
    say_tensix(WITH_COUNTER);
    guest_finish(PENROSE_TRISC0);
    guest_srca_row(1, datum);
    ck_assert_uint_eq(datum[0], 0x80 | 1 << 11);
}

/*
 * Page UNPACR_Regular: an unpack to Dst lands four rows before its address, and counters and
 * contexts move it on; with SRCA_SET_SetOvrdWithAddr it is undefined. (Seed unpack-data-path: four bits
 * of the row would be left then.)
 */
static const unsigned dst_unpacks[] = {0, 4}; /* ThreadConfig's word 5 */

TEST_EACH(unpack_reaches_dst, COUNT(dst_unpacks))
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 100000};
    struct penrose_fault fault;
    guest_begin(PENROSE_TRISC0);
    say_unpack_setup(0);
    say_store(GUEST_CONFIG(73), 0xf000f | 0xf << 4); /* Unpack_if_sel of contexts 0 to 3 */
    say_store(GUEST_CONFIG(84), 64 | (64 + 16 * 20) << 16);
    say_settle();
    say_setc16(5, dst_unpacks[_i]);
    say_tensix(WITH_ID(0));
    say_tensix(WITH_ID(1));
    guest_start(PENROSE_TRISC0);
    if (dst_unpacks[_i]) {
        ck_assert_int_eq(penrose_run(guest_chip, &run), PENROSE_FAULT);
        ck_assert(penrose_fault_get(guest_chip, 0, &fault));
        ck_assert_str_eq(penrose_fault_name(fault.kind), "undefined-operands");
        return;
    }
    guest_run();
    guest_expect_done();
    for (unsigned i = 0; i < 2; i++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        guest_dst_row(i * (20 + 1), PENROSE_DST_BF16, datum); /* Y is 1 at the second */
        for (unsigned j = 0; j < PENROSE_DST_COLUMNS; j++) {
            ck_assert_uint_eq(datum[j], 0x4000 + i);
        }
    }
}

/* --- UNPACR: width of rows --- */

static uint32_t src_bf16(uint32_t n)
{
    return 0x80 | n << 11; /* of 0x4000 + n */
}

static uint32_t src_tf32(uint32_t n)
{
    return 0x80 | n << 8; /* of 0x40000000 + (n << 13) */
}

static uint32_t src_int8(uint32_t n)
{
    return n ? 16 | n << 8 : 0; /* magnitude, and the exponent 16 where it is not 0 */
}

static uint32_t src_fp16(uint32_t n)
{
    return n << 8 | 16; /* of 0x4000 + n */
}

/*
 * With Tileize_mode a row of input is followed by one that begins RowStride bytes behind its start;
 * without it FIFOs wrap at ends of rows. Page UNPACR_Regular: rows have 16 data. ttsim for Blackhole:
 * 32 data where data are wider than a byte, else 16; llk_unpack_tilize.h agrees (one unpack for
 * the whole 32 x 32 tile except for data of a byte).
 */
static const struct {
    unsigned in, out, bytes, width;
    uint32_t (*expected)(uint32_t n);
    uint32_t first, step; /* datum n of the input */
} widths[] = {
    {5, 5, 2, 32, src_bf16, 0x4000, 1},
    {1, 1, 2, 32, src_fp16, 0x4000, 1},
    {0, 4, 4, 32, src_tf32, 0x40000000, 1 << 13},
    {14, 14, 1, 16, src_int8, 0, 1},
};

enum { WIDTH_ROWS = 4, INPUT_DATA = 128, STRIDE_DATA = 64 };

static void put_input(int i)
{
    for (uint32_t n = 0; n < INPUT_DATA; n++) {
        const uint32_t datum = widths[i].first + n * widths[i].step;
        guest_put(GUEST_INPUT + n * widths[i].bytes, &datum, widths[i].bytes);
    }
}

TEST_EACH(tileize_reads_rows_of_input, COUNT(widths))
{
    const uint32_t shift = STRIDE_DATA * widths[_i].bytes >> 4;
    guest_begin(PENROSE_TRISC0);
    say_unpack_setup(0);
    put_input(_i);
    say_store(GUEST_CONFIG(64), widths[_i].in | 1 << 4 | INPUT_DATA << 16);
    say_store(GUEST_CONFIG(86), INPUT_DATA | INPUT_DATA << 16);
    say_store(GUEST_CONFIG(72), widths[_i].out | 2 << 4 | 1 << 9 | shift << 16);
    say(".ttinsn SETADCXX 1, %u, 0", 2 * widths[_i].width - 1);
    say_tensix(WITH_ID(0));
    guest_finish(PENROSE_TRISC0);
    guest_expect_done();
    for (uint32_t i = 0; i < 2 * widths[_i].width; i++) {
        uint32_t datum[PENROSE_SRC_COLUMNS];
        guest_srca_row(i / 16, datum);
        ck_assert_msg(datum[i % 16] == widths[_i].expected(i / widths[_i].width * STRIDE_DATA +
                                                           i % widths[_i].width),
                      "datum %u: 0x%x", i, datum[i % 16]);
    }
}

/* Input begins at datum 64 of 128; the limit is passed in the middle of the first 32 data, and the
 * FIFO has 32 data. */
TEST_EACH(fifo_wraps_at_ends_of_rows, COUNT(widths))
{
    const uint32_t bytes = widths[_i].bytes, width = widths[_i].width;
    const uint32_t begins = GUEST_INPUT + 64 * bytes;
    guest_begin(PENROSE_TRISC0);
    say_unpack_setup(0);
    put_input(_i);
    say_store(GUEST_CONFIG(64), widths[_i].in | 1 << 4 | 64 << 16);
    say_store(GUEST_CONFIG(86), 64 | 64 << 16);
    say_store(GUEST_CONFIG(72), widths[_i].out | 2 << 4);
    say_store(GUEST_CONFIG(74), begins / 16); /* what lies above is past the limit */
    say_store(GUEST_CONFIG(75), 32 * bytes / 16);
    say_store(GUEST_CONFIG(76), begins / 16 - 1);
    say_tensix("SETADCXX 1, 63, 0");
    say_tensix(WITH_ID(0));
    guest_finish(PENROSE_TRISC0);
    guest_expect_done();
    uint32_t at = 64;
    for (uint32_t i = 0; i < 64; i++, at++) {
        uint32_t datum[PENROSE_SRC_COLUMNS];
        at -= i && i % width == 0 && at > 64 ? 32 : 0;
        guest_srca_row(i / 16, datum);
        ck_assert_msg(datum[i % 16] == widths[_i].expected(at), "datum %u: 0x%x, not of %u", i,
                      datum[i % 16], at);
    }
}
