/*
 * UNPACR_NOP in all of its forms, SETDVALID and STOREIND to SrcA and SrcB: each against a model of
 * its page, on random state and operands.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "unit/guest_program.h"
#include "unit/test.h"
#include "tensix/exec.h"
#include "tensix/src_banks.h"
#include "unit/tensix/tensix_fixture.h"

enum { ROUNDS = 3000, STREAMS = 0xffb40000 - 0xffb00000 };

#define CONFIG(name, value) tensix_set_config_field(tensix, 0, TENSIX_FIELD_##name, value)
#define THREAD(name, value) tensix_set_thread_field(tensix, 0, TENSIX_FIELD_##name, value)

/* --- Banks --- */

struct banks {
    struct tensix_src_file file[2];
    struct tensix_src_banks src[2];
    uint32_t src_row[2];
};

static struct banks expected;

static void randomise(void)
{
    for (unsigned src = 0; src < 2; src++) {
        for (unsigned bank = 0; bank < 2; bank++) {
            tensix_src_file_fill(&tensix->src_file[src], 1u << bank, random_next(&dice));
            tensix->src_file[src].format[bank] = (uint8_t)random_below(&dice, 16);
            tensix->src[src].matrix_may[bank] = random_below(&dice, 2);
        }
        tensix->src[src].matrix_bank = (uint8_t)random_below(&dice, 2);
        tensix->src[src].unpack_bank = (uint8_t)random_below(&dice, 2);
        tensix->unpacker[src].src_row[0] = 16 * random_below(&dice, 4);
        tensix->unpacker[src].latest_format = (uint8_t)random_below(&dice, 16);
    }
    CONFIG(THCON_SEC0_REG2_Out_data_format, random_below(&dice, 16));
    CONFIG(THCON_SEC1_REG2_Out_data_format, random_below(&dice, 16));
    CONFIG(UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val, random_next(&dice));
    CONFIG(UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val, random_next(&dice));
    THREAD(SRCA_SET_Base, random_below(&dice, 4));
    THREAD(SRCB_SET_Base, random_below(&dice, 4));
    for (unsigned src = 0; src < 2; src++) {
        expected.file[src] = tensix->src_file[src];
        expected.src[src] = tensix->src[src];
        expected.src_row[src] = tensix->unpacker[src].src_row[0];
    }
}

static void check_banks(uint32_t word)
{
    for (unsigned src = 0; src < 2; src++) {
        const struct tensix_src_file *file = &tensix->src_file[src];
        ck_assert_msg(memcmp(file->bank, expected.file[src].bank, sizeof file->bank) == 0,
                      "0x%08x: data of Src%c, bank 0 starts with 0x%05x, bank 1 with 0x%05x", word,
                      "AB"[src], file -> bank[0][0][0], file -> bank[1][0][0]);
        ck_assert_msg(memcmp(file->format, expected.file[src].format, sizeof file->format) == 0,
                      "0x%08x: formats", word);
        ck_assert_msg(memcmp(&tensix->src[src], &expected.src[src], sizeof expected.src[src]) == 0,
                      "0x%08x: whose banks they are", word);
        ck_assert_uint_eq(tensix->unpacker[src].src_row[0], expected.src_row[src]);
    }
}

/* Hands the unpacker's bank over. */
static void give(unsigned src, unsigned format)
{
    struct tensix_src_banks *banks = &expected.src[src];
    banks->matrix_may[banks->unpack_bank] = true;
    expected.file[src].format[banks->unpack_bank] = (uint8_t)format;
    banks->unpack_bank ^= 1;
    expected.src_row[src] =
        16 * tensix_thread_field(tensix, 0,
                                 src ? TENSIX_FIELD_SRCB_SET_Base : TENSIX_FIELD_SRCA_SET_Base);
}

static unsigned out_format(unsigned src)
{
    return tensix_config_field(tensix, 0,
                               src ? TENSIX_FIELD_THCON_SEC1_REG2_Out_data_format
                                   : TENSIX_FIELD_THCON_SEC0_REG2_Out_data_format);
}

static uint32_t clear_value(unsigned src, unsigned kind, unsigned format)
{
    static const uint32_t ones[] = {0x0000f, 0x0007f, 0x00110};
    uint32_t immediate =
        tensix_config_field(tensix, 0,
                            src ? TENSIX_FIELD_UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val
                                : TENSIX_FIELD_UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val);
    return kind == 0 ? 0 : kind == 1 ? 0x7ffff : kind == 2 ? ones[format] : immediate & 0x7ffff;
}

/* False where it waits. */
static bool model_zerosrc(unsigned src, uint32_t word)
{
    struct tensix_src_banks *banks = &expected.src[src];
    bool waits_as_unpacr = word >> 5 & 1, both = word >> 4 & 1;
    unsigned kind = word >> 2 & 3, format = word >> 6 & 3;
    if (format == 3) {
        give(src, out_format(src));
        return true;
    }
    if (banks->matrix_may[waits_as_unpacr ? banks->unpack_bank : banks->matrix_bank]) {
        return false;
    }
    for (unsigned bank = 0; bank < 2; bank++) {
        for (unsigned i = 0; (both || bank == banks->unpack_bank) && i < 64 * 16; i++) {
            expected.file[src].bank[bank][i / 16][i % 16] = clear_value(src, kind, format);
        }
    }
    if (word >> 8 & 1) {
        give(src, out_format(src));
    }
    return true;
}

FIXTURE(setup, teardown);

/* Clearing, in any field's combination. */
TEST(clears_banks)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t word = UINT32_C(0x43000001) | random_below(&dice, 2) << 23 |
                        random_below(&dice, 16) << 8 | random_below(&dice, 64) << 2;
        unsigned src = word >> 23 & 1;
        randomise();
        bool goes = model_zerosrc(src, word);
        tensix_harness_push(&harness, 0, word);
        check_banks(word);
        ck_assert_uint_eq(tensix->thread[0].has_next, !goes);
        if (goes) {
            continue;
        }
        ck_assert_int_eq(tensix->thread[0].wait, TENSIX_WAITS_FOR_SRC);
        const struct tensix_src_banks *banks = &expected.src[src];
        unsigned bank = word >> 5 & 1 ? banks->unpack_bank : banks->matrix_bank;
        ck_assert_uint_eq(tensix->thread[0].wait_detail, src | bank << 1);
        expected.src[src].matrix_may[0] = expected.src[src].matrix_may[1] = false;
        memcpy(tensix->src, expected.src, sizeof expected.src);
        ck_assert(model_zerosrc(src, word));
        tensix_harness_go(&harness, 0);
        check_banks(word);
        ck_assert(!tensix->thread[0].has_next);
    }
    ck_assert_uint_eq(harness.faults, 0);
}

TEST(hands_over)
{
    for (unsigned i = 0; i < ROUNDS / 10; i++) {
        uint32_t word =
            UINT32_C(0x430000c1) | random_below(&dice, 2) << 23 | random_below(&dice, 16) << 8;
        randomise();
        give(word >> 23 & 1, out_format(word >> 23 & 1));
        tensix_harness_push(&harness, 0, word);
        check_banks(word);

        word = UINT32_C(0x57000000) | random_below(&dice, 4);
        randomise();
        for (unsigned src = 0; src < 2; src++) {
            if (word >> src & 1) {
                give(src, tensix->unpacker[src].latest_format);
            }
        }
        tensix_harness_push(&harness, 0, word);
        check_banks(word);
    }
    ck_assert_uint_eq(harness.faults, 0);
}

/* The form that only sets dvalid is a row of its own and a case of the form that clears: what its
 * word finds is the latter, and either gives the bank away. */
TEST(both_rows_hand_over)
{
    static const unsigned rows[] = {TENSIX_ROW_UNPACR_NOP_SETDVALID, TENSIX_ROW_UNPACR_NOP_ZEROSRC};
    for (unsigned which = 0; which < TENSIX_UNPACKERS; which++) {
        for (unsigned i = 0; i < 2; i++) {
            uint32_t word =
                tensix_rows[TENSIX_ROW_UNPACR_NOP_SETDVALID].match | which << 23 | 1 << 8;
            unsigned bank = tensix->src[which].unpack_bank;
            ck_assert_uint_eq(tensix_row_of(word), TENSIX_ROW_UNPACR_NOP_ZEROSRC);
            ck_assert_int_eq(tensix_runners[rows[i]](tensix, 0, word), TENSIX_DONE);
            ck_assert(tensix->src[which].matrix_may[bank]);
            ck_assert_uint_eq(tensix->src[which].unpack_bank, bank ^ 1);
        }
    }
}

TEST(does_nothing)
{
    randomise();
    tensix_harness_run(&harness, 0,
                       "UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 2;"
                       "UNPACR_NOP 1, 0, 0, 0, 0, 0, 0, 0, 2");
    check_banks(0);
    ck_assert_uint_eq(harness.regs, 0);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- Registers --- */

static unsigned writes(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < harness.regs; i++) {
        sum += harness.reg[i].writes;
    }
    return sum;
}

/* One write, whose value is the number of messages: the stream and the number are those of the
 * instruction, or of ThreadConfig where it has no number; 1 where neither has one. */
TEST(clears_messages)
{
    for (unsigned i = 0; i < 100; i++) {
        unsigned which = random_below(&dice, 2), stream = random_below(&dice, 64),
                 count = random_below(&dice, 8), own = random_below(&dice, 64),
                 own_count = random_below(&dice, 4);
        bool is_long = random_below(&dice, 2);
        harness.regs = 0;
        memset(harness.reg, 0, sizeof harness.reg);
        tensix_set_thread_field(tensix, 0,
                                which ? TENSIX_FIELD_NOC_OVERLAY_MSG_CLEAR_StreamId_1
                                      : TENSIX_FIELD_NOC_OVERLAY_MSG_CLEAR_StreamId_0,
                                own);
        tensix_set_thread_field(tensix, 0,
                                which ? TENSIX_FIELD_NOC_OVERLAY_MSG_CLEAR_MsgNum_1
                                      : TENSIX_FIELD_NOC_OVERLAY_MSG_CLEAR_MsgNum_0,
                                own_count);
        uint32_t word = UINT32_C(0x43000000) | which << 23;
        if (is_long) {
            word |= stream << 16 | count << 12 | 3;
        }
        tensix_harness_push(&harness, 0, word);
        unsigned expected_stream = is_long && count ? stream : own;
        unsigned expected_count = is_long && count ? count : own_count;
        ck_assert_uint_eq(harness.regs, 1);
        ck_assert_uint_eq(harness.reg[0].address,
                          0xffb00000 + STREAMS + expected_stream * 0x1000 + 266 * 4);
        ck_assert_uint_eq(harness.reg[0].value, expected_count ? expected_count : 1);
        ck_assert_uint_eq(writes(), 1);
    }
    ck_assert_uint_eq(harness.faults, 0);
}

/* The long form writes a sum, or a value, to one of four addresses. */
TEST(writes_registers)
{
    uint32_t sum[2] = {0};
    for (unsigned i = 0; i < ROUNDS / 10; i++) {
        unsigned which = random_below(&dice, 2), select = random_below(&dice, 4),
                 middle = random_below(&dice, 64), value = random_below(&dice, 2048);
        bool accumulates = random_below(&dice, 2);
        uint32_t set[4];
        value = random_below(&dice, 4) ? value : 0;
        for (unsigned j = 0; j < 4; j++) {
            set[j] = 0x400 + random_below(&dice, 0xc00); /* 0xffb40000 and above */
        }
        CONFIG(THCON_SEC0_REG10_Unpacker_Reg_Wr_Addr, set[0] | set[1] << 12);
        CONFIG(THCON_SEC1_REG10_Unpacker_Reg_Wr_Addr, set[2] | set[3] << 12);
        harness.regs = 0;
        memset(harness.reg, 0, sizeof harness.reg);
        uint32_t word = UINT32_C(0x43000007) | which << 23 | select >> 1 << 22 | middle << 16 |
                        (select & 1) << 15 | value << 4 | (uint32_t)accumulates << 3;
        harness.registers_busy = true;
        harness.changed = false;
        tensix_harness_push(&harness, 0, word);
        harness.registers_busy = false;
        tensix_harness_go(&harness, 0);
        ck_assert(harness.changed || !accumulates); /* harts that poll the sum wake up */
        uint32_t address =
            0xffb00000 + (set[select] >> 10 << 18) + (middle << 12) + (set[select] & 0x3ff) * 4;
        if (accumulates) {
            sum[which] = value ? (sum[which] + value) & 0x1ffff : 0;
        }
        ck_assert_uint_eq(writes(), !(accumulates && value == 0));
        if (writes()) {
            ck_assert_uint_eq(harness.reg[0].address, address);
            ck_assert_uint_eq(harness.reg[0].value, accumulates ? sum[which] : value);
        }
        ck_assert_uint_eq(tensix->unpacker[which].register_sum, sum[which]);
    }
    ck_assert_uint_eq(harness.faults, 0);
}

TEST(waits_for_registers)
{
    harness.registers_busy = true;
    tensix_harness_push(&harness, 0, 0x43000000);
    ck_assert(tensix->thread[0].has_next);
    ck_assert_int_eq(tensix->thread[0].wait, TENSIX_WAITS_FOR_DEVICE);
    ck_assert_uint_eq(tensix->thread[0].wait_detail, 0xffb40000 + 266 * 4);
    harness.registers_busy = false;
    tensix_harness_go(&harness, 0);
    ck_assert(!tensix->thread[0].has_next);
    ck_assert_uint_eq(writes(), 1);
    tensix_harness_push(&harness, 0, 0x43000007); /* Unpacker_Reg_Wr_Addr is 0 */
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "UNPACR_NOP: address 0xffb00000"));
}

/* --- STOREIND --- */

/* SPEC: four BF16 from two GPRs, whose low halves have their fields in another order. */
static void model_storeind(unsigned src, unsigned row, unsigned column, const uint32_t *gpr)
{
    unsigned bank = expected.src[src].unpack_bank;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t half = gpr[i / 2] >> 16 * (i % 2) & 0xffff;
        uint32_t sign = half >> 15, exponent = half & 0xff, fraction = half >> 8 & 0x7f;
        if (i % 2) {
            exponent = half >> 7 & 0xff;
            fraction = half & 0x7f;
        }
        expected.file[src].bank[bank][row][column + i] = sign << 18 | fraction << 11 | exponent;
    }
}

TEST(stores_from_gprs)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned src = random_below(&dice, 2), any_row = src == 0 && random_below(&dice, 2),
                 address = random_below(&dice, src ? 64 : 80);
        randomise();
        for (unsigned j = 0; j < 2; j++) {
            bool *may = tensix->src[j].matrix_may;
            may[0] = may[1] = expected.src[j].matrix_may[0] = expected.src[j].matrix_may[1] = false;
        }
        THREAD(SRCA_SET_SetOvrdWithAddr, any_row);
        if (any_row) {
            address = random_below(&dice, 68 * 4);
        }
        tensix->gpr[0][8] = random_next(&dice);
        tensix->gpr[0][9] = random_next(&dice);
        tensix->gpr[0][1] = address / 2;
        tensix->gpr[0][2] = (address - address / 2) << 4;
        int row = (int)(address / 4) - (src ? 0 : 4);
        if (row >= 0) {
            unsigned base = any_row ? 0 : tensix->unpacker[src].src_row[0];
            model_storeind(src, (unsigned)row + base, address % 4 * 4, &tensix->gpr[0][8]);
        }
        uint32_t word = UINT32_C(0x66000000) | src << 21 | 4u << 14 | 8u << 6 | 1;
        ck_assert_uint_eq(tensix_row_of(word), TENSIX_ROW_STOREIND_SRC);
        tensix_harness_push(&harness, 0, word);
        ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
        check_banks(word);
    }
}

/* --- By programs of harts --- */

FIXTURE(guest_open, guest_close);

/* --- Register writes by UNPACR_NOP and PACR_SETREG --- */

enum { UNPACK_SETREG_BASES = 106, PACK_SETREG_BASES = 107, SECTION_WORDS = 48 };

/*
 * yaml: the address is 0xffb00000 with two bits and ten bits of one of four bases, and six of the
 * instruction between them. cfg_defines and hal: four bases of twelve bits in Unpacker_Reg_Wr_Addr, as
 * many in Packer_Reg_Wr_Addr, both sections together; in which order is a guess. (Pages TDMA-RISC,
 * UNPACR_NOP_SETREG, PACR_SETREG: two for each, in 0xffb11024 and 0xffb11038.)
 */
static void say_setreg_base(unsigned bases, unsigned select, uint32_t address)
{
    const uint32_t base = (address >> 18 & 3) << 10 | (address >> 2 & 0x3ff);
    say_store(GUEST_CONFIG(bases + select / 2 * SECTION_WORDS), base << (select % 2 ? 12 : 0));
    say_settle();
}

static unsigned setreg_middle(uint32_t address)
{
    return address >> 12 & 0x3f;
}

/*
 * yaml, UNPACR_NOP: bits 1:0 are 3 and bit 2 is 1; bits 22 and 15 select the base, 21:16 are the
 * middle of the address, 14:4 the value, 3 accumulates. (The seed and the page have the form of
 * Wormhole, where the low bits are 4.)
 */
static uint32_t unpack_setreg(unsigned unpacker, unsigned select, uint32_t address, unsigned value,
                              bool accumulate)
{
    return UINT32_C(0x43000000) | unpacker << 23 | (select >> 1) << 22 |
           setreg_middle(address) << 16 | (select & 1) << 15 | value << 4 |
           (uint32_t)accumulate << 3 | 7;
}

static const struct {
    unsigned unpacker, select, trisc; /* whose reset PC is the register */
    struct {
        unsigned value;
        bool accumulate;
    } steps[4];
    unsigned count;
    uint32_t expected;
} unpack_writes[] = {
    {0, 0, 0, {{0x5a5, false}}, 1, 0x5a5},
    {1, 0, 0, {{0x7ff, false}}, 1, 0x7ff},
    {0, 1, 2, {{0x123, false}}, 1, 0x123},
    {0, 2, 0, {{0x321, false}}, 1, 0x321},
    {1, 3, 1, {{0x456, false}}, 1, 0x456},
    {0, 0, 1, {{5, true}, {7, true}}, 2, 12},
    {0, 0, 1, {{5, true}, {0, true}}, 2, 5}, /* 0 forgets the sum, and writes nothing */
    {0, 0, 1, {{5, true}, {0, true}, {3, true}}, 3, 3},
    {1, 0, 1, {{5, true}, {9, false}, {3, true}}, 3, 8}, /* others leave the sum alone */
};

TEST_EACH(unpacker_writes_registers, COUNT(unpack_writes))
{
    const uint32_t target = GUEST_RESET_PC(unpack_writes[_i].trisc);
    guest_begin(PENROSE_TRISC0);
    say_setreg_base(UNPACK_SETREG_BASES, unpack_writes[_i].select, target);
    for (unsigned i = 0; i < unpack_writes[_i].count; i++) {
        say_tensix_word(unpack_setreg(unpack_writes[_i].unpacker, unpack_writes[_i].select, target,
                                      unpack_writes[_i].steps[i].value,
                                      unpack_writes[_i].steps[i].accumulate));
    }
    guest_finish(PENROSE_TRISC0);
    guest_expect_done();
    ck_assert_uint_eq(guest_word(target), unpack_writes[_i].expected);
}

/*
 * yaml, PACR_SETREG: ModeSel (bit 22) puts bits 18:3 into the half of the data that bit 2 names;
 * without it Push (23) and Flush (1), both, write the data to the register; AddrSel (9:8) selects the
 * base, StreamId (7:2) is the middle of the address. (Page PACR_SETREG: ten bits of the instruction
 * are the data.)
 */
static const struct {
    unsigned select, trisc;
    bool push, flush;
    uint32_t data;
} pack_writes[] = {
    {0, 0, true, true, 0x12345678},  {1, 2, true, true, 0xcafef00d},
    {2, 1, true, true, 0x00010000},  {3, 0, true, true, 0x8000ffff},
    {0, 1, false, true, 0x12345678}, {0, 1, true, false, 0x12345678},
};

TEST_EACH(packer_writes_registers, COUNT(pack_writes))
{
    const uint32_t target = GUEST_RESET_PC(pack_writes[_i].trisc), opcode = UINT32_C(0x4a000000);
    guest_put_word(target, 0x55);
    guest_begin(PENROSE_TRISC2);
    say_setreg_base(PACK_SETREG_BASES, pack_writes[_i].select, target);
    say_tensix_word(opcode | 1 << 22 | (pack_writes[_i].data & 0xffff) << 3);
    say_tensix_word(opcode | 1 << 22 | (pack_writes[_i].data >> 16) << 3 | 1 << 2);
    say(".ttinsn PACR_SETREG %u, 0, 0, 0, %u, %u, %u, 0", pack_writes[_i].push,
        pack_writes[_i].select, setreg_middle(target), pack_writes[_i].flush);
    guest_finish(PENROSE_TRISC2);
    guest_expect_done();
    ck_assert_uint_eq(guest_word(target),
                      pack_writes[_i].push && pack_writes[_i].flush ? pack_writes[_i].data : 0x55);
}

/* --- OverlayClear --- */

enum { STREAM_ID = 8, STREAM_BUFFER = 0x70000, READ_POINTER = 19 };

/* A stream that receives three messages, of 1, 2 and 4 times 16 bytes, from software and hands them
 * to software, which has taken them from the FIFO of headers, the first `taken` at once, but not freed
 * their space. Pages ReceiveFromSoftware, TransmitToSoftware; overlay parameters. */
static void fill_stream(unsigned taken)
{
    guest_put_word(GUEST_STREAM(STREAM_ID, 3),
                   1 << 4 | 1 << 6); /* SOURCE_ENDPOINT, RECEIVER_ENDPOINT */
    guest_put_word(GUEST_STREAM(STREAM_ID, 17), STREAM_BUFFER / 16);
    guest_put_word(GUEST_STREAM(STREAM_ID, 18), 64);
    guest_put_word(GUEST_STREAM(STREAM_ID, 22), 0);
    guest_put_word(GUEST_STREAM(STREAM_ID, 23), 0);
    guest_put_word(GUEST_STREAM(STREAM_ID, 13), 0);
    guest_put_word(GUEST_STREAM(STREAM_ID, 34), 8 << 12 | 1); /* phase 1 has eight messages */
    guest_put_word(GUEST_STREAM(STREAM_ID, 267), 1);
    guest_run();
    for (uint32_t i = 0, at = 0; i < 3; at += 1 << i, i++) {
        guest_put_word(GUEST_STREAM(STREAM_ID, 0), (STREAM_BUFFER / 16 + at) | UINT32_C(1)
                                                                                   << (17 + i));
    }
    for (unsigned i = 0; i < 3; i += i ? 1 : taken) {
        guest_put_word(GUEST_STREAM(STREAM_ID, 265), i ? 1 : taken);
    }
    guest_run();
    ck_assert_uint_eq(guest_word(GUEST_STREAM(STREAM_ID, READ_POINTER)) & 0x1ffff, 0);
}

/*
 * yaml: Unpack_Pop 3 takes stream (21:16) and count (14:12) from the instruction, 0 from
 * NOC_OVERLAY_MSG_CLEAR, words 42 and 43 of the thread (stream in bits 5:0, count from bit 8 on).
 * Overlay parameters: what is written to MSG_DATA_CLEAR is a number of messages, the one that
 * MSG_INFO_CLEAR had. Page TransmitToSoftware: any value frees what one MSG_INFO_CLEAR took. (Seed
 * unpack-data-path 8.4: ClearCount messages are cleared, however they were taken, which would free 3 in
 * the third case. Page UNPACR_NOP_OverlayClear: 1 is written, whatever the count.)
 */
static const struct {
    const char *text;
    unsigned taken, freed; /* messages at once; 16 bytes each */
} overlay_clears[] = {
    {"UNPACR_NOP 0, 8, 1, 0, 0, 0, 0, 0, 3", 1, 1}, {"UNPACR_NOP 1, 8, 2, 0, 0, 0, 0, 0, 3", 2, 3},
    {"UNPACR_NOP 0, 8, 2, 0, 0, 0, 0, 0, 3", 1, 1}, {"UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 0", 1, 1},
    {"UNPACR_NOP 1, 0, 0, 0, 0, 0, 0, 0, 0", 2, 3},
};

TEST_EACH(messages_are_freed_by_count, COUNT(overlay_clears))
{
    fill_stream(overlay_clears[_i].taken);
    guest_begin(PENROSE_TRISC0);
    say_setc16(42, STREAM_ID | 1 << 8);
    say_setc16(43, STREAM_ID | 2 << 8);
    say_tensix(overlay_clears[_i].text);
    guest_finish(PENROSE_TRISC0);
    guest_expect_done();
    ck_assert_uint_eq(guest_word(GUEST_STREAM(STREAM_ID, READ_POINTER)) & 0x1ffff,
                      overlay_clears[_i].freed);
}
