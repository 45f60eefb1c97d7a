/*
 * Rows of the coprocessor and its surroundings that were in doubt, as somebody who had not seen the
 * emulator read the sources. Programs of harts do everything, and what comes of it is looked at
 * through the public headers alone.
 *
 * Sources by short names: "page X" is tt-isa-documentation, BlackholeA0 where it has X, WormholeB0
 * else; "yaml" is tt_llk_blackhole/instructions/assembly.yaml; "cfg_defines" the header of that name
 * for Blackhole, "hal" the comments of llk_lib/hal/cfg on its fields, "overlay parameters" its
 * noc_overlay_parameters.h; "seed X" is a founding document, "ttsim" the vendor's simulator. Where
 * sources leave a choice, cases have what docs/DEVIATIONS.md decides, and their comment the rest.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <penrose/debug.h>
#include <penrose/penrose.h>

#include "unit/test.h"

enum {
    X = 1,
    Y = 2,
    CODE = 0x10000,      /* of hart 0; others follow */
    CODE_BYTES = 0x4000, /* of one hart */
    RESULTS = 0x40000,   /* words that programs leave */
    INPUT = 0x50000,     /* what is unpacked */
    OUTPUT = 0x60000,    /* what is packed */
    RESULT_WORDS = 16,   /* which begin as */
    UNTOUCHED = 0x5555,
    DST_ROWS_16 = 1024,
    DST_ROWS_32 = 512,
};

#define DST        UINT32_C(0xffbd8000)
#define PC_BUF     UINT32_C(0xffe80000)
#define MAILBOX(i) (UINT32_C(0xffec0000) + 0x1000 * (i))
#define CONFIG(i)  (UINT32_C(0xffef0000) + 4 * (i))
/* tensix.h */
#define PC_BUF_OVERRIDE UINT32_C(0xffb12090)
#define RESET_PC(trisc) (UINT32_C(0xffb12228) + 4 * (trisc))
/* overlay parameters */
#define STREAM(stream, reg) (UINT32_C(0xffb40000) + 0x1000 * (stream) + 4 * (reg))

enum { THREAD_CONFIG_CONTEXTS = 41 }; /* UNPACK_MISC_CFG of cfg_defines */

static struct penrose_chip *chip;
static struct penrose_error error;
static uint32_t next_word; /* of the program that is being written */

static void put_l1(uint32_t address, const void *bytes, size_t size)
{
    ck_assert_msg(penrose_write(chip, X, Y, address, bytes, size, &error) == PENROSE_OK, "%s",
                  error.text);
}

static void put_word(uint32_t address, uint32_t word)
{
    put_l1(address, &word, sizeof word);
}

static void make_chip(void)
{
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
    for (unsigned i = 0; i < RESULT_WORDS; i++) {
        put_word(RESULTS + 4 * i, UNTOUCHED);
    }
}

static void free_chip(void)
{
    penrose_chip_destroy(chip);
}

FIXTURE(make_chip, free_chip);

static uint32_t word_at(uint32_t address)
{
    uint32_t word;
    ck_assert_msg(penrose_read(chip, X, Y, address, &word, sizeof word, &error) == PENROSE_OK, "%s",
                  error.text);
    return word;
}

static uint32_t named(const char *name)
{
    uint32_t value;
    ck_assert_msg(penrose_tensix_read(chip, X, Y, name, &value, &error) == PENROSE_OK, "%s: %s",
                  name, error.text);
    return value;
}

static void dst_row(unsigned row, enum penrose_dst_format format,
                    uint32_t datum[PENROSE_DST_COLUMNS])
{
    ck_assert_int_eq(penrose_dst_read(chip, X, Y, row, format, datum, &error), PENROSE_OK);
}

/* Of the bank that unpackers begin with. */
static void srca_row(unsigned row, uint32_t datum[PENROSE_SRC_COLUMNS])
{
    ck_assert_int_eq(penrose_src_read(chip, X, Y, false, 0, row, datum, &error), PENROSE_OK);
}

/* --- Programs --- */

static void begin(enum penrose_hart hart)
{
    ck_assert_int_eq(penrose_hart_hold(chip, X, Y, hart, &error), PENROSE_OK);
    next_word = CODE + (uint32_t)hart * CODE_BYTES;
}

static void emit(uint32_t word)
{
    put_word(next_word, word);
    next_word += 4;
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char line[120];
    uint32_t word;
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    ck_assert_msg(penrose_assemble(line, next_word, &word, &error) == PENROSE_OK, "%s: %s", line,
                  error.text);
    emit(word);
}

static void say_load(const char *reg, uint32_t value)
{
    const uint32_t high = (value + 0x800) >> 12 & 0xfffff;
    say("lui %s, 0x%x", reg, high);
    say("addi %s, %s, %d", reg, reg, (int)(value - (high << 12)));
}

static void say_store(uint32_t address, uint32_t value)
{
    say_load("t0", value);
    say_load("t1", address);
    say("sw t0, 0(t1)");
}

/* Reads a register, and leaves what it said in a word of RESULTS. */
static void say_read(uint32_t address, unsigned result)
{
    say_load("t1", address);
    say("lw t0, 0(t1)");
    say_load("t1", RESULTS + 4 * result);
    say("sw t0, 0(t1)");
}

static void say_tensix(const char *text)
{
    say(".ttinsn %s", text);
}

static void say_setc16(unsigned reg, unsigned value)
{
    say(".ttinsn SETC16 %u, 0x%x", reg, value);
}

/* A Tensix instruction whose fields no macro names; TRISCs fetch them turned left by two bits. */
static void say_tensix_word(uint32_t word)
{
    emit(word << 2 | word >> 30);
}

/* Waits until the thread's instructions are done; page ManualTTSync. */
static void say_settle(void)
{
    say_load("t1", PC_BUF + 4);
    say("sw zero, 0(t1)");
    say("lw t0, 0(t1)");
    say("andi t0, t0, 0");
}

/* Stores `count` numbers that go up by one, of 2 or 4 bytes. */
static void say_fill(uint32_t address, uint32_t first, unsigned count, unsigned bytes)
{
    say_load("a0", address);
    say_load("a1", count);
    say_load("a2", first);
    const uint32_t loop = next_word;
    say("%s a2, 0(a0)", bytes == 2 ? "sh" : "sw");
    say("addi a0, a0, %u", bytes);
    say("addi a2, a2, 1");
    say("addi a1, a1, -1");
    say("bne a1, zero, 0x%x", loop);
}

/* Lets the program run until nothing happens any more. */
static void run_on(void)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 400000};
    const enum penrose_outcome outcome = penrose_run(chip, &run);
    if (outcome == PENROSE_FAULT) {
        struct penrose_fault fault;
        char text[1000];
        ck_assert(penrose_fault_get(chip, 0, &fault));
        penrose_fault_format(&fault, text, sizeof text);
        ck_abort_msg("%s", text);
    }
    ck_assert_int_eq(outcome, PENROSE_QUIET);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
}

static void start(enum penrose_hart hart)
{
    say("ebreak");
    ck_assert_uint_le(next_word, CODE + ((uint32_t)hart + 1) * CODE_BYTES);
    ck_assert_msg(penrose_hart_release(chip, X, Y, hart, CODE + (uint32_t)hart * CODE_BYTES,
                                       &error) == PENROSE_OK,
                  "%s", error.text);
}

static struct penrose_hart_info hart_state(enum penrose_hart hart)
{
    struct penrose_hart_info info;
    ck_assert_int_eq(penrose_hart_info(chip, X, Y, hart, &info, &error), PENROSE_OK);
    return info;
}

static void finish(enum penrose_hart hart)
{
    start(hart);
    run_on();
    ck_assert_int_eq(hart_state(hart).state, PENROSE_HART_PAUSED);
}

static void expect_done(void)
{
    ck_assert(!penrose_coprocessor_busy(chip, X, Y));
}

/* The instruction of a thread waits at its gate. */
static void expect_wait(unsigned thread)
{
    struct penrose_gate gate;
    ck_assert_int_eq(penrose_gate_read(chip, X, Y, thread, &gate, &error), PENROSE_OK);
    ck_assert(gate.has_instruction);
    ck_assert_str_ne(gate.waits, "");
}

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
    ck_assert_uint_eq(named("1.rwc.srca"), section + 1);
    ck_assert_uint_eq(named("1.rwc.srcb"), section + 9);
    ck_assert_uint_eq(named("1.rwc.dst"), 8 * (section + 1));
    ck_assert_uint_eq(named("1.rwc.fidelity"), section & 3);
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
    begin(PENROSE_TRISC1);
    say_setc16(2, 1); /* formats by configuration: nothing was unpacked */
    say_setc16(3, 1);
    say_sections();
    say_tensix("SETDVALID 3");
    say_tensix(modified[_i].text);
    finish(PENROSE_TRISC1);
    expect_done();
    expect_section(modified[_i].section);
    ck_assert_uint_eq(named("srca.matrix_bank"), modified[_i].bank_a);
    ck_assert_uint_eq(named("srcb.matrix_bank"), modified[_i].bank_b);
    ck_assert_uint_eq(named("srca.0.valid"), !modified[_i].bank_a);
    ck_assert_uint_eq(named("srcb.0.valid"), !modified[_i].bank_b);
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
    begin(PENROSE_TRISC1);
    say_setc16(2, 1);
    say_setc16(3, 1);
    say_tensix(waiting[_i].text);
    finish(PENROSE_TRISC1);
    if (!waiting[_i].waits) {
        expect_done();
        return;
    }
    expect_wait(1);
    for (unsigned bank = 1; bank <= 2; bank++) { /* SrcA alone is not enough */
        begin(PENROSE_TRISC0);
        say(".ttinsn SETDVALID %u", bank);
        finish(PENROSE_TRISC0);
        if (bank == 1) {
            expect_wait(1);
        }
    }
    expect_done();
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
    begin(PENROSE_TRISC1);
    say_sections();
    say_tensix(biased[_i].text);
    finish(PENROSE_TRISC1);
    expect_done();
    ck_assert_uint_eq(named("1.rwc.dst"), 0); /* no counter that rows are found by */
    ck_assert_uint_eq(named("1.rwc.srca"), 0);
    ck_assert_uint_eq(named("1.rwc.srcb"), 0);
    ck_assert_uint_eq(named("1.rwc.fidelity"), 0);
    begin(PENROSE_TRISC1);
    say_tensix("ZEROACC 1, 0, 0, 1, 0xff");
    finish(PENROSE_TRISC1);
    expect_section(biased[_i].section);
}

/* --- MOVDBGB2D --- */

enum { SRCB_ROW = 16, MOVED_TO = 64 };

/* Page MOVB2D, which MOVDBGB2D is without the wait (yaml; page MOVDBGA2D says so of its twin). `from`
 * is the row of SrcB that row i of Dst has, -1: it stays as it was. */
static const struct {
    unsigned mode;
    bool column_0;
    int from[8];
} debug_moves[] = {
    {0, false, {0, -1, -1, -1, -1, -1, -1, -1}}, {1, true, {0, -1, -1, -1, -1, -1, -1, -1}},
    {2, false, {0, 0, 0, 0, 0, 0, 0, 0}},        {3, true, {0, 0, 0, 0, 0, 0, 0, 0}},
    {4, false, {0, 1, 2, 3, -1, -1, -1, -1}},    {5, true, {0, 1, 2, 3, -1, -1, -1, -1}},
};

TEST_EACH(debug_move_needs_no_bank, COUNT(debug_moves))
{
    uint32_t source[4][PENROSE_DST_COLUMNS], before[8][PENROSE_DST_COLUMNS];
    begin(PENROSE_TRISC1);
    say_store(CONFIG(3), 3 << 21);           /* T1 sees Dst as BF16 */
    say_store(CONFIG(1), UINT32_C(5) << 17); /* the Matrix Unit too */
    say_setc16(2, 1);
    say_setc16(3, 1);
    say_fill(DST, 0x4000, 80 * PENROSE_DST_COLUMNS, 2);
    say(".ttinsn MOVD2B 0, %u, 0, 2, 0", SRCB_ROW);
    finish(PENROSE_TRISC1);
    for (unsigned i = 0; i < 4; i++) {
        dst_row(i, PENROSE_DST_BF16, source[i]);
    }
    for (unsigned i = 0; i < 8; i++) {
        dst_row(MOVED_TO + i, PENROSE_DST_BF16, before[i]);
        ck_assert_uint_eq(before[i][3], 0x4000 + (MOVED_TO + i) * PENROSE_DST_COLUMNS + 3);
    }
    begin(PENROSE_TRISC1);
    say(".ttinsn MOVDBGB2D 0, %u, 0, %u, %u", SRCB_ROW, debug_moves[_i].mode, MOVED_TO);
    finish(PENROSE_TRISC1);
    expect_done();
    ck_assert_uint_eq(named("srcb.0.valid"), 0);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        const int from = debug_moves[_i].from[i];
        dst_row(MOVED_TO + i, PENROSE_DST_BF16, datum);
        for (unsigned j = 0; j < PENROSE_DST_COLUMNS; j++) {
            ck_assert_uint_eq(datum[j], from < 0 ? before[i][j]
                                                 : source[from][debug_moves[_i].column_0 ? 0 : j]);
        }
    }
}

/* --- ZEROACC --- */

/*
 * Page ZEROACC, on rows as the memory has them: 16 rows of 32-bit Dst are where * 32 + {0 to 7, 16 to
 * 23}, so that the valid bits of rows that hold low halves stay. Of 16 rows the low 8 bits of `where`
 * count, out of range nothing happens. Blackhole (ttsim; cfg_defines has the bit): unless
 * zeroacc_absolute_tile_mode is set, the address that MATH_Offset and the counter give chooses the
 * half: 32 blocks more where bit 9 is set, in 32-bit mode 16 more where bits 8 or 9 are. yaml:
 * clear_zero_flags makes rows valid again, with what they held.
 */
static const struct {
    const char *text;
    unsigned fp32, absolute, offset;
    unsigned first, count; /* physical rows that are cleared: */
    bool spread;           /* by eight, with a gap of eight */
    bool reverts;          /* all others are, these are valid again */
} clears[] = {
    {"ZEROACC 1, 1, 0, 0, 0", 0, 0, 0, 0, 16, true, false},
    {"ZEROACC 1, 1, 0, 0, 3", 0, 0, 0, 96, 16, true, false},
    {"ZEROACC 1, 1, 0, 0, 31", 0, 1, 0, 992, 16, true, false},
    {"ZEROACC 1, 1, 0, 0, 32", 0, 1, 0, 0, 0, true, false},
    {"ZEROACC 1, 1, 0, 0, 1", 0, 0, 256, 17 * 32, 16, true, false},
    {"ZEROACC 1, 1, 0, 0, 1", 0, 1, 256, 32, 16, true, false},
    {"ZEROACC 1, 0, 0, 0, 5", 0, 0, 0, 80, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 63", 0, 1, 0, 1008, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 64", 0, 1, 0, 0, 0, false, false},
    {"ZEROACC 1, 0, 0, 0, 0x105", 0, 1, 0, 80, 16, false, false},
    {"ZEROACC 1, 1, 1, 0, 2", 0, 1, 0, 64, 16, true, true},
    {"ZEROACC 1, 0, 1, 0, 7", 0, 1, 0, 112, 16, false, true},
    {"ZEROACC 1, 0, 0, 0, 1", 0, 0, 512, 33 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 1", 0, 1, 512, 16, 16, false, false},
    /* tt-metal #54295 measured on a p150b that the number of the block is added to the offset, and
     * the sum chooses the half; ttsim would have the low half in all of these */
    {"ZEROACC 1, 0, 0, 0, 31", 0, 0, 480, 31 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 31", 0, 0, 488, 63 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 31", 0, 0, 496, 63 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 15", 0, 0, 496, 15 * 16, 16, false, false},
    {"ZEROACC 1, 0, 0, 0, 16", 0, 0, 496, 48 * 16, 16, false, false},
    {"ZEROACC 0, 0, 0, 0, 5", 0, 0, 0, 5, 1, false, false},
    {"ZEROACC 0, 0, 0, 0, 13", 1, 0, 0, 21, 1, false, false}, /* Adj32 of page Dst */
    {"ZEROACC 2, 0, 0, 0, 1", 0, 0, 0, 512, 512, false, false},
};

static unsigned physical_32(unsigned row)
{
    return (row & 0x1f8) << 1 | (row & 7);
}

TEST_EACH(zeroacc_clears_rows, COUNT(clears))
{
    static uint32_t half[DST_ROWS_16][PENROSE_DST_COLUMNS], full[DST_ROWS_32][PENROSE_DST_COLUMNS];
    static bool cleared[DST_ROWS_16];
    static const uint32_t zeros[PENROSE_DST_COLUMNS];
    begin(PENROSE_TRISC1);
    say_fill(DST, 0x3f812345, DST_ROWS_32 * PENROSE_DST_COLUMNS, 4);
    finish(PENROSE_TRISC1);
    memset(cleared, clears[_i].reverts, sizeof cleared);
    for (unsigned i = 0; i < clears[_i].count; i++) {
        cleared[clears[_i].first + (clears[_i].spread ? (i & 8) * 2 + (i & 7) : i)] =
            !clears[_i].reverts;
    }
    for (unsigned i = 0; i < DST_ROWS_16; i++) {
        dst_row(i, PENROSE_DST_BF16, half[i]);
        EXPECT(half[i][0] != 0);
    }
    for (unsigned i = 0; i < DST_ROWS_32; i++) {
        dst_row(i, PENROSE_DST_FP32, full[i]);
        EXPECT(full[i][0] == 0x3f812345 + i * PENROSE_DST_COLUMNS);
    }
    begin(PENROSE_TRISC1);
    say_store(CONFIG(1), clears[_i].fp32 << 29);
    say_store(CONFIG(220), clears[_i].absolute << 3);
    say_setc16(1, clears[_i].offset); /* DEST_TARGET_REG_CFG_MATH_Offset */
    if (clears[_i].reverts) {
        say_tensix("ZEROACC 3, 0, 0, 0, 0");
    }
    say_tensix(clears[_i].text);
    finish(PENROSE_TRISC1);
    expect_done();
    for (unsigned i = 0; i < DST_ROWS_16; i++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        dst_row(i, PENROSE_DST_BF16, datum);
        ck_assert_msg(memcmp(datum, cleared[i] ? zeros : half[i], sizeof datum) == 0,
                      "16-bit row %u", i);
    }
    for (unsigned i = 0; i < DST_ROWS_32; i++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        dst_row(i, PENROSE_DST_FP32, datum);
        ck_assert_msg(memcmp(datum, cleared[physical_32(i)] ? zeros : full[i], sizeof datum) == 0,
                      "32-bit row %u", i);
    }
}

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
        put_l1(INPUT + i * CONTEXT_BYTES, data, sizeof data);
        say_store(CONFIG(76 + i), (INPUT + i * CONTEXT_BYTES) / 16 - 1); /* a header comes first */
    }
    say_store(CONFIG(64), BF16 | 1 << 4 | 16 << 16); /* TileDescriptor */
    say_store(CONFIG(65), 1 | 1 << 16);
    say_store(CONFIG(66), 1);
    say_store(CONFIG(72), BF16 | 2 << 4 | context_count << 6);
    say_store(CONFIG(73), 0xf000f);       /* nothing is compressed */
    say_store(CONFIG(84), 64 | 64 << 16); /* past the four rows that SrcA has not */
    say_store(CONFIG(85), 64 | 64 << 16);
    say_store(CONFIG(86), 16 | 16 << 16);
    say_store(CONFIG(87), 16 | 16 << 16);
    say_store(CONFIG(50), 1 << 8);             /* add the address that counters give: */
    say_store(CONFIG(56), UINT32_C(32) << 16); /* a row for each Y */
    say_setc16(5, 4);                          /* SRCA_SET_SetOvrdWithAddr */
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
    begin(PENROSE_TRISC0);
    say_unpack_setup(contexts[_i].context_count);
    say_setc16(THREAD_CONFIG_CONTEXTS, contexts[_i].offset);
    for (unsigned i = 0; i < 5 && contexts[_i].steps[i]; i++) {
        say_tensix(contexts[_i].steps[i]);
    }
    finish(PENROSE_TRISC0);
    expect_done();
    for (unsigned i = 0; i < contexts[_i].rows; i++) {
        uint32_t datum[PENROSE_SRC_COLUMNS];
        srca_row(i, datum);
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
    begin(PENROSE_TRISC0);
    say_unpack_setup(2);
    say_tensix(WITH_COUNTER);
    finish(PENROSE_TRISC0);
    begin(PENROSE_TRISC2);
    say_setc16(THREAD_CONFIG_CONTEXTS, 0x10);
    finish(PENROSE_TRISC2);
    begin(PENROSE_TRISC0);
    say_tensix(WITH_COUNTER);
    finish(PENROSE_TRISC0);
    srca_row(1, datum);
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
    begin(PENROSE_TRISC0);
    say_unpack_setup(0);
    say_store(CONFIG(73), 0xf000f | 0xf << 4); /* Unpack_if_sel of contexts 0 to 3 */
    say_store(CONFIG(84), 64 | (64 + 16 * 20) << 16);
    say_settle();
    say_setc16(5, dst_unpacks[_i]);
    say_tensix(WITH_ID(0));
    say_tensix(WITH_ID(1));
    start(PENROSE_TRISC0);
    if (dst_unpacks[_i]) {
        ck_assert_int_eq(penrose_run(chip, &run), PENROSE_FAULT);
        ck_assert(penrose_fault_get(chip, 0, &fault));
        ck_assert_str_eq(penrose_fault_name(fault.kind), "undefined-operands");
        return;
    }
    run_on();
    expect_done();
    for (unsigned i = 0; i < 2; i++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        dst_row(i * (20 + 1), PENROSE_DST_BF16, datum); /* Y is 1 at the second */
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
        put_l1(INPUT + n * widths[i].bytes, &datum, widths[i].bytes);
    }
}

TEST_EACH(tileize_reads_rows_of_input, COUNT(widths))
{
    const uint32_t shift = STRIDE_DATA * widths[_i].bytes >> 4;
    begin(PENROSE_TRISC0);
    say_unpack_setup(0);
    put_input(_i);
    say_store(CONFIG(64), widths[_i].in | 1 << 4 | INPUT_DATA << 16);
    say_store(CONFIG(86), INPUT_DATA | INPUT_DATA << 16);
    say_store(CONFIG(72), widths[_i].out | 2 << 4 | 1 << 9 | shift << 16);
    say(".ttinsn SETADCXX 1, %u, 0", 2 * widths[_i].width - 1);
    say_tensix(WITH_ID(0));
    finish(PENROSE_TRISC0);
    expect_done();
    for (uint32_t i = 0; i < 2 * widths[_i].width; i++) {
        uint32_t datum[PENROSE_SRC_COLUMNS];
        srca_row(i / 16, datum);
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
    const uint32_t begins = INPUT + 64 * bytes;
    begin(PENROSE_TRISC0);
    say_unpack_setup(0);
    put_input(_i);
    say_store(CONFIG(64), widths[_i].in | 1 << 4 | 64 << 16);
    say_store(CONFIG(86), 64 | 64 << 16);
    say_store(CONFIG(72), widths[_i].out | 2 << 4);
    say_store(CONFIG(74), begins / 16); /* what lies above is past the limit */
    say_store(CONFIG(75), 32 * bytes / 16);
    say_store(CONFIG(76), begins / 16 - 1);
    say_tensix("SETADCXX 1, 63, 0");
    say_tensix(WITH_ID(0));
    finish(PENROSE_TRISC0);
    expect_done();
    uint32_t at = 64;
    for (uint32_t i = 0; i < 64; i++, at++) {
        uint32_t datum[PENROSE_SRC_COLUMNS];
        at -= i && i % width == 0 && at > 64 ? 32 : 0;
        srca_row(i / 16, datum);
        ck_assert_msg(datum[i % 16] == widths[_i].expected(at), "datum %u: 0x%x, not of %u", i,
                      datum[i % 16], at);
    }
}

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
    say_store(CONFIG(bases + select / 2 * SECTION_WORDS), base << (select % 2 ? 12 : 0));
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
    const uint32_t target = RESET_PC(unpack_writes[_i].trisc);
    begin(PENROSE_TRISC0);
    say_setreg_base(UNPACK_SETREG_BASES, unpack_writes[_i].select, target);
    for (unsigned i = 0; i < unpack_writes[_i].count; i++) {
        say_tensix_word(unpack_setreg(unpack_writes[_i].unpacker, unpack_writes[_i].select, target,
                                      unpack_writes[_i].steps[i].value,
                                      unpack_writes[_i].steps[i].accumulate));
    }
    finish(PENROSE_TRISC0);
    expect_done();
    ck_assert_uint_eq(word_at(target), unpack_writes[_i].expected);
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
    const uint32_t target = RESET_PC(pack_writes[_i].trisc), opcode = UINT32_C(0x4a000000);
    put_word(target, 0x55);
    begin(PENROSE_TRISC2);
    say_setreg_base(PACK_SETREG_BASES, pack_writes[_i].select, target);
    say_tensix_word(opcode | 1 << 22 | (pack_writes[_i].data & 0xffff) << 3);
    say_tensix_word(opcode | 1 << 22 | (pack_writes[_i].data >> 16) << 3 | 1 << 2);
    say(".ttinsn PACR_SETREG %u, 0, 0, 0, %u, %u, %u, 0", pack_writes[_i].push,
        pack_writes[_i].select, setreg_middle(target), pack_writes[_i].flush);
    finish(PENROSE_TRISC2);
    expect_done();
    ck_assert_uint_eq(word_at(target),
                      pack_writes[_i].push && pack_writes[_i].flush ? pack_writes[_i].data : 0x55);
}

/* --- OverlayClear --- */

enum { STREAM_ID = 8, STREAM_BUFFER = 0x70000, READ_POINTER = 19 };

/* A stream that receives three messages, of 1, 2 and 4 times 16 bytes, from software and hands them
 * to software, which has taken them from the FIFO of headers, the first `taken` at once, but not freed
 * their space. Pages ReceiveFromSoftware, TransmitToSoftware; overlay parameters. */
static void fill_stream(unsigned taken)
{
    put_word(STREAM(STREAM_ID, 3), 1 << 4 | 1 << 6); /* SOURCE_ENDPOINT, RECEIVER_ENDPOINT */
    put_word(STREAM(STREAM_ID, 17), STREAM_BUFFER / 16);
    put_word(STREAM(STREAM_ID, 18), 64);
    put_word(STREAM(STREAM_ID, 22), 0);
    put_word(STREAM(STREAM_ID, 23), 0);
    put_word(STREAM(STREAM_ID, 13), 0);
    put_word(STREAM(STREAM_ID, 34), 8 << 12 | 1); /* phase 1 has eight messages */
    put_word(STREAM(STREAM_ID, 267), 1);
    run_on();
    for (uint32_t i = 0, at = 0; i < 3; at += 1 << i, i++) {
        put_word(STREAM(STREAM_ID, 0), (STREAM_BUFFER / 16 + at) | UINT32_C(1) << (17 + i));
    }
    for (unsigned i = 0; i < 3; i += i ? 1 : taken) {
        put_word(STREAM(STREAM_ID, 265), i ? 1 : taken);
    }
    run_on();
    ck_assert_uint_eq(word_at(STREAM(STREAM_ID, READ_POINTER)) & 0x1ffff, 0);
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
    begin(PENROSE_TRISC0);
    say_setc16(42, STREAM_ID | 1 << 8);
    say_setc16(43, STREAM_ID | 2 << 8);
    say_tensix(overlay_clears[_i].text);
    finish(PENROSE_TRISC0);
    expect_done();
    ck_assert_uint_eq(word_at(STREAM(STREAM_ID, READ_POINTER)) & 0x1ffff, overlay_clears[_i].freed);
}

/* --- Mailboxes, PCBufs, TTSync, semaphores --- */

/* Page Mailboxes: any address of the 4 KiB pushes; of loads bit 2 alone decides between asking and
 * popping. `write` and `read` are offsets. */
static const struct {
    unsigned write, ask, read;
} offsets[] = {
    {0, 4, 0}, {4, 0xc, 8}, {8, 0x24, 0x20}, {0x20, 0xffc, 0xff8}, {0xffc, 0x14, 0x10},
};

TEST_EACH(mailboxes_answer_everywhere, COUNT(offsets))
{
    begin(PENROSE_BRISC);
    say_store(MAILBOX(2) + offsets[_i].write, 0x1001); /* to T1 */
    say_store(MAILBOX(2), 0x1002);
    say_store(MAILBOX(0) + offsets[_i].write, 0x1003); /* to itself */
    say_read(MAILBOX(0) + offsets[_i].ask, 0);
    say_read(MAILBOX(0) + offsets[_i].read, 1);
    say_read(MAILBOX(0) + offsets[_i].ask, 2);
    finish(PENROSE_BRISC);
    begin(PENROSE_TRISC1);
    say_read(MAILBOX(0) + offsets[_i].ask, 3);
    say_read(MAILBOX(0) + offsets[_i].read, 4);
    say_read(MAILBOX(0) + offsets[_i].ask, 5);
    say_read(MAILBOX(0) + offsets[_i].read, 6);
    say_read(MAILBOX(0) + offsets[_i].ask, 7);
    say_read(MAILBOX(0) + offsets[_i].read, 8); /* which stays empty */
    start(PENROSE_TRISC1);
    run_on();
    static const uint32_t expected[8] = {1, 0x1003, 0, 1, 0x1001, 1, 0x1002, 0};
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(word_at(RESULTS + 4 * i), expected[i]);
    }
    const struct penrose_hart_info info = hart_state(PENROSE_TRISC1);
    ck_assert_int_eq(info.state, PENROSE_HART_WAITING);
    ck_assert_uint_eq(info.wait_address[0], MAILBOX(0) + offsets[_i].read);
}

/*
 * Page PCBufs, and README's map: all of 64 KiB is B's side of a buffer; of the T side the first word.
 * A load of B waits until T has read all and waits for more. (The page has stores at +4 push as well;
 * a released image stores there to wait, and the TRISC would take the word for a command.) Page
 * SoftReset: the buffer is emptied when T leaves reset, which is why T is there first.
 */
static const struct {
    unsigned offset;
    bool pushes;
} pc_buf_offsets[] = {{0, true}, {4, false}, {8, true}, {0x20, true}, {0x24, true}, {0xfffc, true}};

TEST_EACH(pc_bufs_of_brisc_are_64_kib, COUNT(pc_buf_offsets))
{
    const uint32_t address = PC_BUF + 0x10000 + pc_buf_offsets[_i].offset; /* to T1 */
    begin(PENROSE_TRISC1);
    say_read(MAILBOX(1), 8);   /* waits for T0 */
    say_store(PC_BUF, 0x2003); /* discarded */
    for (unsigned i = pc_buf_offsets[_i].pushes ? 0 : 1; i < 3; i++) {
        say_read(PC_BUF, i);
    }
    start(PENROSE_TRISC1);
    begin(PENROSE_BRISC);
    say_store(address, 0x2001);
    say_store(PC_BUF + 0x10000, 0x2002);
    say_read(address, 3);
    start(PENROSE_BRISC);
    run_on();
    ck_assert_int_eq(hart_state(PENROSE_BRISC).state, PENROSE_HART_WAITING);
    ck_assert_uint_eq(hart_state(PENROSE_BRISC).wait_address[0], address);
    begin(PENROSE_TRISC0);
    say_store(MAILBOX(2), 1);
    finish(PENROSE_TRISC0);
    ck_assert_uint_eq(word_at(RESULTS), pc_buf_offsets[_i].pushes ? 0x2001 : UNTOUCHED);
    ck_assert_uint_eq(word_at(RESULTS + 4), 0x2002);
    ck_assert_int_eq(hart_state(PENROSE_TRISC1).state, PENROSE_HART_WAITING);
    ck_assert_uint_eq(hart_state(PENROSE_TRISC1).wait_address[0], PC_BUF);
    ck_assert_int_eq(hart_state(PENROSE_BRISC).state, PENROSE_HART_PAUSED);
    ck_assert_uint_eq(word_at(RESULTS + 12), 0);
    for (unsigned i = 0; i < 8; i++) { /* nothing of B went to the semaphores that T sees there */
        char name[32];
        snprintf(name, sizeof name, "semaphore.%u.value", i);
        ck_assert_uint_eq(named(name), 0);
    }
}

/* Page PCBufs: OverrideEn with OverrideBusy lets B's loads return 0, OverrideEn T's the eight bits of
 * OverrideValue. */
TEST(pc_bufs_are_overridden)
{
    put_word(PC_BUF_OVERRIDE, 3 | UINT32_C(0x5a) << 22 | 1 << 20); /* of T0 busy, of T2 a value */
    begin(PENROSE_BRISC);
    say_store(PC_BUF + 8, 7);
    say_read(PC_BUF + 0x20, 0);
    finish(PENROSE_BRISC);
    ck_assert_uint_eq(word_at(RESULTS), 0);
    begin(PENROSE_TRISC2);
    say_read(PC_BUF, 1);
    finish(PENROSE_TRISC2);
    ck_assert_uint_eq(word_at(RESULTS + 4), 0x5a);
}

/*
 * Page ManualTTSync: a load of +4 waits for all instructions of the thread, one of +8 for MOPs that
 * are still to be expanded; stores are discarded, and an override ends the wait. Page MOPExpander: of
 * template 1 words 0 and 1 count, the others are instructions.
 */
static const struct {
    const char *text;
    unsigned passes, waits; /* loads from there */
} syncs[] = {
    {"MVMUL 0, 0, 0, 0", 8, 4}, /* for which there are no data */
    {"MOP 1, 0, 0", 0, 8},      /* 127 x 127 of them, for which there is no room */
};

TEST_EACH(loads_wait_for_the_coprocessor, COUNT(syncs))
{
    enum { DONE = 0x6666 };
    begin(PENROSE_TRISC1);
    for (unsigned i = 0; i < 9; i++) {
        say_store(UINT32_C(0xffb80000) + 4 * i, i < 2 ? 127 : UINT32_C(0x26000000));
    }
    say_tensix(syncs[_i].text);
    say_store(PC_BUF + 4, 0x3001);
    say_store(PC_BUF + 8, 0x3002);
    if (syncs[_i].passes) {
        say_read(PC_BUF + syncs[_i].passes, 0);
    }
    say_store(RESULTS + 4, DONE);
    say_read(PC_BUF + syncs[_i].waits, 2);
    say_store(RESULTS + 12, DONE);
    start(PENROSE_TRISC1);
    run_on();
    expect_wait(1);
    ck_assert_uint_eq(word_at(RESULTS + 4), DONE);
    ck_assert_uint_eq(word_at(RESULTS + 12), UNTOUCHED);
    ck_assert_int_eq(hart_state(PENROSE_TRISC1).state, PENROSE_HART_WAITING);
    ck_assert_uint_eq(hart_state(PENROSE_TRISC1).wait_address[0], PC_BUF + syncs[_i].waits);
    put_word(PC_BUF_OVERRIDE, 3 << 10);
    run_on();
    ck_assert_int_eq(hart_state(PENROSE_TRISC1).state, PENROSE_HART_PAUSED);
    ck_assert_uint_eq(word_at(RESULTS + 12), DONE);
    expect_wait(1);
}

/* README's map and page SyncUnit: from +0x20 on TRISCs see semaphores, a word each; an even number
 * posts, an odd one gets. */
TEST(triscs_see_semaphores_behind_ttsync)
{
    begin(PENROSE_TRISC2);
    for (unsigned i = 0; i < 3; i++) {
        say_store(PC_BUF + 0x20 + 4 * 5, 0);
    }
    say_store(PC_BUF + 0x20 + 4 * 5, 1);
    say_store(PC_BUF + 0x20, 1); /* of one that is 0 */
    say_read(PC_BUF + 0x20 + 4 * 5, 0);
    finish(PENROSE_TRISC2);
    ck_assert_uint_eq(word_at(RESULTS), 2);
    ck_assert_uint_eq(named("semaphore.5.value"), 2);
    ck_assert_uint_eq(named("semaphore.0.value"), 0);
}

/* --- PACR: edge masks --- */

enum { PACKED_ROWS = 16, FIRST_DATUM = 0x4000, MINUS_INFINITY = 0xff80 };

/*
 * Page Packers/EdgeMasking; page PACR: each of the four rows of a PACR is a row of the tile, of which
 * four bits of a counter tell the number; it starts anew, with the next plane, only where it becomes
 * pack_reads_per_xy_plane, and steps over that else. (ttsim: ends of tiles start it anew as well.)
 * cfg_defines has the words.
 */
static const struct {
    uint32_t face_select;  /* word 19: select, enable in bit 8 */
    uint32_t mode_select;  /* word 24 from bit 16 on: -infinity, row set in bits 17 and 18 */
    uint32_t masks[4];     /* words 24 to 27 */
    uint32_t row_sets[4];  /* words 20 to 23, two bits a row */
    uint32_t face_sets[4]; /* words 36 to 39, two bits a face */
    unsigned reads, z_offset;
    bool transposed;
    bool all_last; /* each PACR ends a tile */
} edges[] = {
    /* llk_pack_common.h, reduction of rows: the first column of each row */
    {0, 1 << 1, {0, 1}, {0, 0x55555555}, {0}, 16, 0, false, false},
    /* reduction of columns: the first row */
    {0, 1 << 1, {0, 0xffff}, {0, 1}, {0}, 16, 0, false, false},
    /* all four masks, by row */
    {0, 0, {0xffff, 0x00ff, 0x8001, 0}, {0xe4e4e4e4}, {0}, 16, 0, false, false},
    {0, 3 << 1, {0xffff, 0x00ff, 0x8001, 0x5555}, {0, 0, 0, 0x1b1b1b1b}, {0}, 8, 0, false, false},
    /* -infinity in place of 0 */
    {0, 1, {0xffff, 0x00ff, 0x8001, 0}, {0xe4e4e4e4}, {0}, 16, 0, false, false},
    /* by face: four planes of four rows */
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0xe4},
     4,
     0,
     false,
     false},
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0x1b},
     8,
     0,
     false,
     false},
    /* the row set that word 24 selects does not count then; another mapping of faces does */
    {1 << 8 | 2,
     1 << 1,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0, 0, 0x6c, 0},
     4,
     0,
     false,
     false},
    /* faces are counted from ZOffset on */
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0xe4 << 6},
     4,
     3,
     false,
     false},
    {1 << 8,
     1,
     {0x7ffe, 0xf00f, 0, 0xffff},
     {0xffffffff, 0xe4e4e4e4, 0x55555555, 0},
     {0x39},
     4,
     0,
     false,
     false},
    /* faces go first where y and z are exchanged */
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0xe4},
     4,
     0,
     true,
     false},
    /* over ends of tiles, and over a plane of six rows, the position counts on */
    {0, 0, {0xffff, 0x00ff, 0x8001, 0x5555}, {0xffaa5500}, {0}, 16, 0, false, true},
    {0, 0, {0xffff, 0x00ff, 0x8001, 0x5555}, {0xffaa5500}, {0}, 6, 0, false, false},
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0x1b},
     4,
     0,
     false,
     true},
};

TEST_EACH(edges_are_masked, COUNT(edges))
{
    begin(PENROSE_TRISC2);
    say_store(CONFIG(3), 3 << 26); /* T2 sees Dst as BF16 */
    say_fill(DST, FIRST_DATUM, PACKED_ROWS * PENROSE_DST_COLUMNS, 2);
    say_store(CONFIG(1), (uint32_t)BF16 << 25);
    say_store(CONFIG(12), UINT32_C(32) << 16 | 2);
    say_store(CONFIG(19), edges[_i].face_select);
    for (unsigned i = 0; i < 4; i++) {
        say_store(CONFIG(20 + i), edges[_i].row_sets[i]);
        say_store(CONFIG(24 + i), edges[_i].masks[i] | (i ? 0 : edges[_i].mode_select << 16));
        say_store(CONFIG(36 + i), edges[_i].face_sets[i]);
    }
    say_store(CONFIG(28), edges[_i].reads << 8 | (uint32_t)edges[_i].transposed << 23);
    say_store(CONFIG(69), OUTPUT / 16 - 1);
    say_store(CONFIG(70), 1 | BF16 << 4 | BF16 << 8);
    say_store(CONFIG(180), edges[_i].z_offset << 12);
    say_store(CONFIG(14), UINT32_C(4 * 32) << 16);
    say_setc16(37, 4 | 1 << 6); /* each PACR four rows further in Dst, each tile in L1 */
    say_tensix("SETADCXX 4, 15, 0");
    say_tensix("SETADCXY 4, 0, 0, 0, 0, 0xb");
    say_tensix("SETADCZW 4, 0, 0, 0, 0, 0xf");
    say_settle();
    for (unsigned i = 0; i < PACKED_ROWS; i += 4) {
        say(".ttinsn PACR 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, %u",
            edges[_i].all_last || i == PACKED_ROWS - 4);
    }
    finish(PENROSE_TRISC2);
    expect_done();
    for (unsigned i = 0, position = 0, high = 0; i < PACKED_ROWS; i++) {
        if (i % 4 == 0 && position == edges[_i].reads) {
            position = 0;
            high++;
        }
        const unsigned low = position++;
        const unsigned y = edges[_i].transposed ? high : low;
        const unsigned z = (edges[_i].transposed ? low : high) + edges[_i].z_offset;
        const unsigned row_set =
            edges[_i].face_select & 1 << 8
                ? edges[_i].face_sets[edges[_i].face_select & 3] >> (2 * (z & 15)) & 3
                : edges[_i].mode_select >> 1 & 3;
        const uint32_t mask = edges[_i].masks[edges[_i].row_sets[row_set] >> (2 * (y & 15)) & 3];
        uint16_t row[PENROSE_DST_COLUMNS];
        ck_assert_int_eq(penrose_read(chip, X, Y, OUTPUT + i * sizeof row, row, sizeof row, &error),
                         PENROSE_OK);
        for (unsigned j = 0; j < PENROSE_DST_COLUMNS; j++) {
            const unsigned inside = FIRST_DATUM + i * PENROSE_DST_COLUMNS + j;
            const unsigned outside = edges[_i].mode_select & 1 ? MINUS_INFINITY : 0;
            ck_assert_msg(row[j] == (mask >> j & 1 ? inside : outside), "row %u, column %u: 0x%x",
                          i, j, row[j]);
        }
    }
}
