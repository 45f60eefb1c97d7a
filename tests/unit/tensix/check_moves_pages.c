/*
 * Data moves of the Matrix Unit, ZEROSRC and ZEROACC, from the pages and tt_llk_blackhole without a
 * look at the unit: random MOVA2D, MOVDBGA2D, MOVB2D, MOVB2A, MOVD2A and MOVD2B against a model,
 * everything else by hand.
 *
 * SPEC: the newest WormholeB0 pages of those instructions with their conditionals for Blackhole
 * (implied formats, moves with Fp32_enabled), MatrixUnit (TruncateSrc), RWCs, ZEROACC, SHIFTXA,
 * SHIFTXB, TRNSPSRCB; BlackholeA0 Dst; assembly.yaml for ZEROACC.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/random.h"
#include "unit/run_suite.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_harness.h"

enum {
    ROUNDS = 1500,
    SRC_ROWS = 64,
    COLUMNS = 16,
    DST_ROWS = 1024,
    ONES = 0x7ffff,
    TF32 = 4,
    TEXT = 128,
};

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static uint64_t dice;

static void put(unsigned word, unsigned shift, unsigned width, uint32_t value)
{
    uint32_t ones = (UINT32_C(1) << width) - 1;
    for (unsigned state = 0; state < 2; state++) {
        tensix_put_config(tensix, 0, state, word, ones << shift, value << shift);
    }
}

static void own_put(unsigned thread, unsigned word, uint32_t value)
{
    tensix->thread_config[thread][word] = (uint16_t)value;
}

/* --- The world --- */

struct world {
    uint32_t src[2][2][SRC_ROWS][COLUMNS];
    uint16_t dst[DST_ROWS][COLUMNS];
    bool cleared[DST_ROWS];
    uint32_t rwc[7]; /* Dst, SrcA, SrcB, fidelity; checkpoints of the first three */
};

static struct world world;

static void take(struct world *w)
{
    memset(w, 0, sizeof *w);
    for (unsigned i = 0; i < 2; i++) {
        memcpy(w->src[i], tensix->src_file[i].bank, sizeof w->src[i]);
    }
    memcpy(w->dst, tensix->dst.bits, sizeof w->dst);
    memcpy(w->cleared, tensix->dst.cleared, sizeof w->cleared);
    const struct tensix_rwc *rwc = &tensix->thread[1].rwc;
    uint32_t all[7] = {rwc->dst,    rwc->src_a,    rwc->src_b,   rwc->fidelity,
                       rwc->dst_cr, rwc->src_a_cr, rwc->src_b_cr};
    memcpy(w->rwc, all, sizeof all);
}

/* What undefined rows hold does not matter. */
static void compare(const char *what)
{
    static struct world real;
    take(&real);
    for (unsigned i = 0; i < 2 * 2 * SRC_ROWS * COLUMNS; i++) {
        unsigned file = i / (2 * SRC_ROWS * COLUMNS), bank = i / (SRC_ROWS * COLUMNS) % 2;
        unsigned row = i / COLUMNS % SRC_ROWS, column = i % COLUMNS;
        uint32_t wanted = world.src[file][bank][row][column];
        if (wanted != real.src[file][bank][row][column]) {
            ck_abort_msg("%s: Src%c[%u][%u][%u] is %05x, not %05x", what, file ? 'B' : 'A', bank,
                         row, column, real.src[file][bank][row][column], wanted);
        }
    }
    for (unsigned row = 0; row < DST_ROWS; row++) {
        bool same = !memcmp(world.dst[row], real.dst[row], sizeof real.dst[row]);
        if (world.cleared[row] != real.cleared[row]) {
            ck_abort_msg("%s: physical row %u of Dst is %s", what, row,
                         real.cleared[row] ? "undefined" : "valid");
        }
        if (!same && !world.cleared[row]) {
            ck_abort_msg("%s: physical row %u of Dst is %04x %04x.., not %04x %04x..", what, row,
                         real.dst[row][0], real.dst[row][1], world.dst[row][0], world.dst[row][1]);
        }
    }
    for (unsigned i = 0; i < 7; i++) {
        ck_assert_msg(world.rwc[i] == real.rwc[i], "%s: RWC %u is %u, not %u", what, i, real.rwc[i],
                      world.rwc[i]);
    }
}

static bool remap, swizzle;

static unsigned adjust16(unsigned row)
{
    row &= DST_ROWS - 1;
    return remap ? (row & 0x3c7) ^ (row & 0x30) >> 1 ^ (row & 0x08) << 2 : row;
}

static unsigned adjust32(unsigned row)
{
    row = adjust16(row);
    if (swizzle) {
        row = (row & 0x3f3) ^ (row & 0x18) >> 1 ^ (row & 0x04) << 1;
    }
    return (row & 0x1f8) << 1 | (row & 0x207);
}

static uint32_t read32(unsigned row, unsigned column)
{
    unsigned at = adjust32(row);
    return world.cleared[at] ? 0
                             : (uint32_t)world.dst[at][column] << 16 | world.dst[at + 8][column];
}

static void write32(unsigned row, unsigned column, uint32_t value)
{
    unsigned at = adjust32(row);
    world.dst[at][column] = (uint16_t)(value >> 16);
    world.dst[at + 8][column] = (uint16_t)value;
}

/* --- Moves --- */

enum kind { A2D, DBG_A2D, B2D, B2A, D2A, D2B, KINDS };
static const char *const names[KINDS] = {"MOVA2D", "MOVDBGA2D", "MOVB2D",
                                         "MOVB2A", "MOVD2A",    "MOVD2B"};
static const uint8_t opcodes[KINDS] = {0x12, 0x09, 0x13, 0x0b, 0x08, 0x0a};

struct move {
    enum kind kind;
    unsigned src_row, dst_row, addr_mod; /* of MOVB2A: rows of SrcA and SrcB */
    bool low, many, broadcast_row, broadcast_column;
    unsigned format; /* of SrcA as the move sees it */
    bool fp32, int8, keeps_denormals;
    unsigned offset, base;
};

static bool format_has_8_bits(unsigned format)
{
    static const uint8_t eight[] = {0, 4, 5, 6, 7, 15, 8, 9};
    return memchr(eight, (int)format, sizeof eight) != NULL;
}

static uint32_t word_of(const struct move *m)
{
    uint32_t word = (uint32_t)opcodes[m->kind] << 24 | m->addr_mod << 14 | m->src_row << 17;
    if (m->kind == B2A) {
        return word | (unsigned)m->many << 13 | m->dst_row;
    }
    return word | (unsigned)m->low << 23 | (unsigned)m->many << 13 |
           (unsigned)m->broadcast_row << 12 | (unsigned)m->broadcast_column << 11 | m->dst_row;
}

static uint32_t keep(const struct move *m, uint32_t stored)
{
    return m->keeps_denormals || (stored & 0xff) ? stored : 0;
}

static void move_to_dst(const struct move *m, unsigned from, unsigned to, unsigned rows)
{
    unsigned file = m->kind == B2D, bank = tensix->src[file].matrix_bank;
    unsigned format = m->fp32 ? TF32 : m->format;
    bool has_8_bits = m->fp32 || m->int8 || format_has_8_bits(format);
    for (unsigned i = 0; i < rows * COLUMNS; i++) {
        unsigned row = m->broadcast_row ? from : from + i / COLUMNS, column = i % COLUMNS;
        unsigned at = to + i / COLUMNS;
        uint32_t x = keep(m, world.src[file][bank][row][m->broadcast_column ? 0 : column]);
        uint32_t half = has_8_bits ? (x >> 18) << 15 | (x >> 11 & 0x7f) << 8 | (x & 0xff)
                                   : (x >> 18) << 15 | (x >> 8 & 0x3ff) << 5 | (x & 0x1f);
        if (format == TF32) {
            write32(at, column, half << 16 | (x >> 8 & 7) << 13);
        } else if (m->low) {
            write32(at, column, (read32(at, column) & 0xffff0000) | half);
        } else {
            world.dst[adjust16(at)][column] = (uint16_t)half;
        }
    }
    for (unsigned i = 0; i < rows; i++) {
        world.cleared[format == TF32 || m->low ? adjust32(to + i) : adjust16(to + i)] = false;
    }
}

static uint32_t from_dst(const struct move *m, unsigned row, unsigned column)
{
    bool narrow = !format_has_8_bits(m->format);
    uint32_t half;
    if (m->fp32 || m->int8) {
        uint32_t value = read32(row, column);
        if (m->format == TF32) {
            uint32_t top = value >> 13;
            return m->low ? value & 0x1fff : (top & 0x7f800) | (top & 7) << 8 | (top >> 3 & 0xff);
        }
        half = m->low ? value & 0xffff : value >> 16;
    } else {
        unsigned at = adjust16(row);
        half = world.cleared[at] ? 0 : world.dst[at][column];
    }
    return narrow ? (half & 0xffe0) << 3 | (half & 0x1f) : (half & 0xff00) << 3 | (half & 0xff);
}

static void move_to_src(const struct move *m, unsigned from, unsigned to, unsigned rows)
{
    unsigned file = m->kind == D2B;
    for (unsigned i = 0; i < rows * COLUMNS; i++) {
        unsigned row = i / COLUMNS, column = i % COLUMNS;
        unsigned bank = tensix->src[file].matrix_bank;
        uint32_t value = m->kind == B2A
                             ? keep(m, world.src[1][tensix->src[1].matrix_bank][from + row][column])
                             : from_dst(m, from + row, column);
        world.src[file][bank][to + row][column] = value;
    }
}

static void advance(unsigned thread, unsigned addr_mod)
{
    static const uint32_t ones[3] = {0x3ff, 0x3f, 0x3f};
    unsigned ab = tensix->thread_config[thread][12 + addr_mod];
    unsigned dst = tensix->thread_config[thread][28 + addr_mod];
    for (unsigned i = 0; i < 3; i++) {
        unsigned by = i == 0 ? dst & 0x3ff : ab >> (i == 1 ? 0 : 8) & 0x3f;
        unsigned flags =
            i == 0 ? dst >> 10 & 7 : ab >> (i == 1 ? 6 : 14) & 3; /* CR, clear, CtoCR */
        uint32_t *now = &world.rwc[i], *checkpoint = &world.rwc[4 + i];
        if (flags & 2) {
            *now = *checkpoint = 0;
        } else if (flags & 4) {
            *now = *checkpoint = (*now + by) & ones[i];
        } else if (flags & 1) {
            *now = *checkpoint = (*checkpoint + by) & ones[i];
        } else {
            *now = (*now + by) & ones[i];
        }
    }
    world.rwc[3] = dst >> 15 ? 0 : (world.rwc[3] + (dst >> 13)) & 3;
}

static void model(const struct move *m)
{
    unsigned src_counter = m->kind == B2D || m->kind == D2B ? 2 : 1;
    unsigned src = m->src_row + world.rwc[src_counter];
    unsigned dst = m->dst_row + m->offset + m->base + world.rwc[0];
    unsigned rows = !m->many ? 1 : m->kind <= DBG_A2D ? 8 : 4;
    if (m->kind == B2A) {
        dst = (m->dst_row + world.rwc[2]) & (rows == 4 ? 0x3c : 0x3f);
    }
    if (m->broadcast_row) {
        rows = 8;
        src &= 0x3f;
    } else {
        src &= 0x40 - rows;
    }
    dst &= 0x400 - rows;
    if (m->kind <= B2D) {
        move_to_dst(m, src, dst, rows);
    } else {
        move_to_src(m, dst, src, rows);
    }
    advance(1, m->addr_mod);
}

/* --- Random moves --- */

static void spoil(void)
{
    for (unsigned i = 0; i < 2 * 2 * SRC_ROWS * COLUMNS; i++) {
        uint32_t value = random_next(&dice) & ONES;
        tensix_src_file_write(&tensix->src_file[i / 2048], i / 1024 % 2, i / COLUMNS % SRC_ROWS,
                              i % COLUMNS, random_below(&dice, 8) ? value : value & ~0xffU);
    }
    for (unsigned i = 0; i < DST_ROWS * COLUMNS; i++) {
        tensix->dst.bits[i / COLUMNS][i % COLUMNS] = (uint16_t)random_next(&dice);
    }
}

/* Formats as configured, or as the bank implies; the other sources say something else. */
static void configure_formats(struct move *m)
{
    bool configured = random_below(&dice, 2), overridden = random_below(&dice, 2);
    unsigned file = m->kind == B2D || m->kind == D2B;
    unsigned other = m->format == 5 ? 1 : 5;
    put(0, 0, 5, (configured && overridden ? m->format : other) | (unsigned)overridden << 4);
    put(1, 17, 4, configured && !overridden ? m->format : other);
    put(1, 21, 4, other);
    for (unsigned i = 0; i < 4; i++) {
        tensix->src_file[i / 2].format[i % 2] = (uint8_t)other;
    }
    if (!configured) {
        tensix->src_file[file].format[tensix->src[file].matrix_bank] = (uint8_t)m->format;
    }
    /* MOVB2D and MOVD2B look at the switch of SrcA, and at the bank of SrcB. An older page has the
     * switch of SrcB for MOVD2B, and says that it is a guess; ttsim has that of SrcA. */
    own_put(1, 2, configured);
    own_put(1, 3, random_below(&dice, 2));
}

static struct move random_move(enum kind kind)
{
    static const uint8_t formats[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15};
    struct move m = {.kind = kind};
    bool to_dst = kind <= B2D;
    m.format = formats[random_below(&dice, sizeof formats)];
    m.fp32 = random_below(&dice, 3) == 0;
    m.int8 = random_below(&dice, 3) == 0;
    m.low = random_below(&dice, 2);
    if (to_dst) { /* what is written must be as wide as Dst is configured */
        bool wide = m.fp32 || m.int8;
        if (m.fp32 || !wide || m.format == TF32) {
            m.low = false;
        } else {
            m.low = true;
        }
        m.format = !wide && m.format == TF32 ? 5 : m.format;
    } else if (!m.fp32 && !m.int8) {
        m.low = false;
        m.format = m.format == TF32 ? 0 : m.format;
    }
    m.many = random_below(&dice, 2);
    m.broadcast_row = kind == B2D && random_below(&dice, 2);
    m.broadcast_column = kind == B2D && random_below(&dice, 2);
    m.src_row = random_below(&dice, 64);
    m.dst_row = kind == B2A ? random_below(&dice, 64) : random_below(&dice, 1024);
    m.low = m.low && kind != B2A;
    m.addr_mod = random_below(&dice, 8);
    m.keeps_denormals = random_below(&dice, 2);
    m.offset = random_below(&dice, 4) ? random_below(&dice, 2) * 512 : random_below(&dice, 1024);
    m.base = random_below(&dice, 3) ? 0 : random_below(&dice, 1024);
    return m;
}

static void configure(struct move *m)
{
    for (unsigned file = 0; file < 2; file++) {
        tensix->src[file].matrix_bank = (uint8_t)random_below(&dice, 2);
        tensix->src[file].matrix_may[0] = tensix->src[file].matrix_may[1] = true;
    }
    configure_formats(m);
    put(1, 29, 1, m->fp32);
    put(1, 31, 1, m->int8);
    put(2, 0, 1, m->keeps_denormals);
    put(6, 0, 16, m->base);
    own_put(1, 1, m->offset);
    for (unsigned i = 0; i < 8; i++) {
        own_put(1, 12 + i, random_next(&dice));
        own_put(1, 28 + i, random_next(&dice));
    }
    remap = random_below(&dice, 2);
    swizzle = random_below(&dice, 2);
    put(220, 0, 2, (unsigned)swizzle | (unsigned)remap << 1);
    for (unsigned row = 0; row < DST_ROWS; row++) {
        tensix->dst.cleared[row] = random_below(&dice, 4) == 0;
    }
    struct tensix_rwc *rwc = &tensix->thread[1].rwc;
    rwc->dst = random_below(&dice, 1024);
    rwc->dst_cr = random_below(&dice, 1024);
    rwc->src_a = random_below(&dice, 64);
    rwc->src_a_cr = random_below(&dice, 64);
    rwc->src_b = random_below(&dice, 64);
    rwc->src_b_cr = random_below(&dice, 64);
    rwc->fidelity = random_below(&dice, 4);
    rwc->extra_mod = 0;
}

START_TEST(random_moves_are_as_the_pages_say)
{
    enum kind kind = (enum kind)_i;
    dice = 5 + kind;
    spoil();
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct move m = random_move(kind);
        char what[TEXT];
        configure(&m);
        take(&world);
        model(&m);
        (void)snprintf(what, sizeof what, "%s %u: %08x, format %u%s%s%s%s", names[kind], round,
                       word_of(&m), m.format, m.fp32 ? ", fp32" : "", m.int8 ? ", int8" : "",
                       remap ? ", remap" : "", swizzle ? ", swizzle" : "");
        tensix_harness_push(&harness, 1, word_of(&m));
        if (harness.faults) {
            ck_abort_msg("%s: %s", what, harness.fault.text);
        }
        compare(what);
        if (round % 64 == 0) {
            spoil();
        }
    }
}
END_TEST

/* --- Waiting and faults --- */

START_TEST(moves_wait_for_the_bank_that_they_read)
{
    static const int waits_for[KINDS] = {0, -1, 1, 1, -1, -1};
    struct move m = {.kind = (enum kind)_i};
    own_put(1, 2, 1);
    own_put(1, 3, 1);
    put(1, 17, 4, 5);
    take(&world);
    tensix_harness_push(&harness, 1, word_of(&m));
    ck_assert_uint_eq(harness.faults, 0);
    if (waits_for[_i] < 0) {
        ck_assert(!tensix->thread[1].has_next);
        return;
    }
    ck_assert(tensix->thread[1].blocked);
    ck_assert_uint_eq(tensix->thread[1].wait, TENSIX_WAITS_FOR_SRC);
    ck_assert_int_eq((int)tensix->thread[1].wait_detail, waits_for[_i]);
    compare("waits");
    tensix_harness_run(&harness, 0, waits_for[_i] ? "SETDVALID 2" : "SETDVALID 1");
    ck_assert(!tensix->thread[1].has_next);
}
END_TEST

/* Data that are too narrow for what is asked. */
START_TEST(undefined_moves_fault)
{
    static const struct {
        enum kind kind;
        unsigned format;
        bool low;
    } cases[] = {{D2A, TF32, false}, {D2B, TF32, false}, {D2A, 1, true}, {D2A, 5, true}};
    struct move m = {.kind = cases[_i].kind, .low = cases[_i].low};
    own_put(1, 2, 1);
    own_put(1, 3, 1);
    put(1, 17, 4, cases[_i].format);
    dice = 3;
    spoil();
    take(&world);
    tensix_harness_push(&harness, 1, word_of(&m));
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_uint_eq(harness.fault.kind, TENSIX_FAULT_UNDEFINED);
    ck_assert_uint_lt(strlen(harness.fault.text), 190);
    compare("undefined");
}
END_TEST

/*
 * LLK (llk_math_eltwise_unary_datacopy.h) broadcasts a row of 32 bits in two halves by way of SrcB,
 * with Fp32_enabled off and bit 11 of DBG_FEATURE_DISABLE on; pages call its use of the low halves
 * undefined, silicon evidently does it.
 */
START_TEST(llk_broadcasts_32_bits_in_halves)
{
    dice = 9;
    spoil();
    remap = swizzle = false;
    tensix->dst_high_half = true;
    put(1, 17, 4, (unsigned)_i ? 8 : 0); /* INT32, FP32 */
    put(1, 31, 1, (unsigned)_i);         /* INT8_math_enabled is on for INT32 */
    put(2, 0, 1, 1);
    own_put(1, 2, 1);
    own_put(1, 3, 1);
    take(&world);
    uint32_t row[COLUMNS];
    for (unsigned i = 0; i < COLUMNS; i++) {
        row[i] = read32(0, i);
    }
    tensix_harness_run(&harness, 1,
                       "SETDVALID 2\n"
                       "MOVD2B 0, 16, 3, 0, 0\n"
                       "MOVD2B 1, 0, 3, 0, 0\n"
                       "MOVB2D 0, 16, 3, 2, 0\n"
                       "MOVB2D 0, 16, 3, 2, 8\n"
                       "MOVB2D 1, 0, 3, 2, 0\n"
                       "MOVB2D 1, 0, 3, 2, 8\n"
                       "CLEARDVALID 2, 0");
    ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
    take(&world);
    for (unsigned i = 0; i < 16 * COLUMNS; i++) {
        uint32_t found = read32(i / COLUMNS, i % COLUMNS);
        ck_assert_msg(found == row[i % COLUMNS], "row %u, column %u: %08x, not %08x", i / COLUMNS,
                      i % COLUMNS, found, row[i % COLUMNS]);
    }
}
END_TEST

/* --- Within Src --- */

START_TEST(trnspsrcb_transposes_rows_16_to_31)
{
    dice = 2;
    spoil();
    tensix->src[1].matrix_bank = 1;
    tensix->src[1].matrix_may[1] = true;
    take(&world);
    for (unsigned i = 0; i < 256; i++) {
        world.src[1][1][16 + i % 16][i / 16] = tensix->src_file[1].bank[1][16 + i / 16][i % 16];
    }
    tensix_harness_push(&harness, 1, 0x16000000);
    compare("TRNSPSRCB");
}
END_TEST

/* It takes the rows that the latest instruction with rows of SrcA was at, and writes the first 16.
 */
START_TEST(shiftxa_moves_a_block_by_a_lane)
{
    static const uint8_t kinds[] = {A2D, B2A, D2A, DBG_A2D};
    bool left = _i & 1;
    unsigned block = (unsigned)_i / 2 % 4, kind = kinds[_i / 8];
    dice = (uint64_t)_i;
    spoil();
    own_put(1, 2, 1);
    own_put(1, 3, 1);
    put(1, 17, 4, 5);
    tensix->src[0].matrix_may[0] = tensix->src[1].matrix_may[0] = true;
    struct move before = {.kind = A2D, .src_row = 48}; /* MOVDBGA2D is not in the page's list */
    struct move m = {.kind = (enum kind)kind, .src_row = block * 16 + 5};
    tensix_harness_push(&harness, 1, word_of(&before));
    tensix_harness_push(&harness, 1, word_of(&m));
    take(&world);
    unsigned from = kind == DBG_A2D ? 48 : block * 16;
    for (unsigned i = 0; i < 256; i++) {
        unsigned row = i / 16, column = i % 16;
        bool vacant = column == (left ? 15 : 0);
        const uint32_t *old = tensix->src_file[0].bank[0][from + row];
        world.src[0][0][row][column] = vacant ? 0 : left ? old[column + 1] : old[column - 1];
    }
    tensix_harness_push(&harness, 1, 0x17000002U | (unsigned)left);
    ck_assert_uint_eq(harness.faults, 0);
    if (kind == DBG_A2D) {
        return; /* whether it counts as MOVA2D is nobody's word */
    }
    compare("SHIFTXA");
}
END_TEST

START_TEST(shiftxb_moves_or_rotates_a_row)
{
    bool zero = _i & 1;
    unsigned src_row = 50 + (unsigned)_i;
    dice = (uint64_t)_i;
    spoil();
    tensix->src[1].matrix_may[0] = true;
    tensix->thread[1].rwc.src_b = 13;
    own_put(1, 12 + 6, 9 << 8);
    take(&world);
    uint32_t *row = world.src[1][0][(src_row + 13) % SRC_ROWS], first = row[0];
    memmove(row, row + 1, 15 * sizeof *row);
    row[15] = zero ? 0 : first;
    advance(1, 6);
    tensix_harness_push(&harness, 1, 0x18000000U | 6U << 14 | (unsigned)zero << 10 | src_row);
    compare("SHIFTXB");
}
END_TEST

/* --- ZEROSRC --- */

START_TEST(zerosrc_clears_what_it_names)
{
    unsigned word = (unsigned)_i; /* -inf, Matrix Unit's bank, both, B, A from bit 4 down */
    dice = word;
    spoil();
    tensix->src[0].matrix_bank = 1;
    tensix->src[1].unpack_bank = 1;
    take(&world);
    for (unsigned i = 0; i < 2 * 2 * SRC_ROWS * COLUMNS; i++) {
        unsigned file = i / 2048, bank = i / 1024 % 2;
        unsigned single =
            word >> 3 & 1 ? tensix->src[file].matrix_bank : tensix->src[file].unpack_bank;
        if (word >> file & 1 && (word >> 2 & 1 || bank == single)) {
            world.src[file][bank][i / COLUMNS % SRC_ROWS][i % COLUMNS] =
                word >> 4 & 1 && !file ? ONES : 0;
        }
    }
    tensix_harness_push(&harness, 1, 0x11000000U | word);
    ck_assert_uint_eq(harness.faults, 0);
    compare("ZEROSRC");
}
END_TEST

/* --- ZEROACC --- */

static void zeroacc(unsigned clear_mode, unsigned wide, unsigned revert, unsigned addr_mod,
                    unsigned where)
{
    tensix_harness_push(&harness, 1,
                        0x10000000U | clear_mode << 19 | wide << 18 | revert << 17 |
                            addr_mod << 14 | where);
    ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
}

static void set_map(bool remaps, bool swizzles)
{
    remap = remaps;
    swizzle = swizzles;
    put(220, 0, 2, (unsigned)swizzle | (unsigned)remap << 1);
}

/* Rows count from the RWC, the offset and the base; 32 bits wide by Fp32_enabled or INT8_math. */
START_TEST(zeroacc_of_one_row)
{
    bool wide = _i & 1;
    dice = (uint64_t)_i;
    spoil();
    set_map(wide && (_i & 2), wide && (_i & 4));
    put(1, _i & 8 ? 29 : 31, 1, wide);
    for (unsigned round = 0; round < 200; round++) {
        unsigned where = random_below(&dice, 1024), addr_mod = random_below(&dice, 8),
                 base = random_below(&dice, 2) * random_below(&dice, 1024);
        own_put(1, 1, random_below(&dice, 1024));
        put(6, 0, 16, base);
        own_put(1, 12 + addr_mod, random_next(&dice));
        own_put(1, 28 + addr_mod, random_next(&dice));
        tensix->thread[1].rwc.dst = random_below(&dice, 1024);
        memset(tensix->dst.cleared, 0, sizeof tensix->dst.cleared);
        take(&world);
        unsigned row = where + tensix->thread_config[1][1] + world.rwc[0] + base;
        world.cleared[wide ? adjust32(row) : row & 0x3ff] = true;
        advance(1, addr_mod);
        zeroacc(0, random_below(&dice, 2), 0, addr_mod, where);
        compare("ZEROACC of one row");
    }
}
END_TEST

/* Blocks are rows of the view; from the bank that MATH_Offset and the RWC are in unless
 * zeroacc_absolute_tile_mode (LLK, ttsim). Numbers beyond Dst count the RWCs alone. */
START_TEST(zeroacc_of_16_rows)
{
    bool wide = _i & 1, absolute = _i & 2;
    set_map(_i & 4, _i & 8);
    put(220, 3, 1, absolute);
    for (unsigned where = 0; where < 256; where += where < 70 ? 1 : 37) {
        unsigned second_half = where % 3 == 0, block = where, addr_mod = where % 8;
        own_put(1, 1, second_half && where % 2 ? 512 : 0);
        tensix->thread[1].rwc.dst = second_half && where % 2 == 0 ? 512 : 3;
        own_put(1, 28 + addr_mod, 8 + where);
        memset(tensix->dst.cleared, 0, sizeof tensix->dst.cleared);
        take(&world);
        if (!absolute && second_half) {
            block += wide ? 16 : 32;
        }
        for (unsigned i = 0; i < 16; i++) {
            if (wide && block < 32) {
                world.cleared[adjust32(block * 16 + i)] = true;
            } else if (!wide && block < 64) {
                world.cleared[adjust16(block * 16 + i)] = true;
            }
        }
        advance(1, addr_mod);
        char what[TEXT];
        (void)snprintf(what, sizeof what, "ZEROACC of block %u%s%s%s", where, wide ? ", wide" : "",
                       absolute ? ", absolute" : "", second_half ? ", second half" : "");
        zeroacc(1, wide, 0, addr_mod, where);
        compare(what);
    }
}
END_TEST

/* tt-metal #53693, measured on a p150b: the half is that of the row offset plus the block's number,
 * here with the offset in MATH_Offset or the RWC; likewise in the upper half. */
START_TEST(zeroacc_takes_its_half_from_a_sum)
{
    static const struct {
        unsigned offset, where, block;
    } rows[] = {{480, 31, 31},  {488, 31, 63},  {496, 31, 63},  {496, 15, 15},
                {496, 16, 48},  {0, 31, 31},    {1000, 15, 47}, {1008, 15, 47},
                {1008, 16, 16}, {1008, 31, 31}, {512, 0, 32},   {960, 31, 63}};
    for (unsigned i = 0; i < 3 * (sizeof rows / sizeof rows[0]); i++) {
        unsigned where = rows[i / 3].where, offset = rows[i / 3].offset;
        bool absolute = i % 3 == 2;
        put(220, 3, 1, absolute);
        own_put(1, 1, i % 3 ? offset : 0);
        tensix->thread[1].rwc.dst = i % 3 ? 0 : (uint16_t)offset;
        own_put(1, 28, 0);
        memset(tensix->dst.cleared, 0, sizeof tensix->dst.cleared);
        take(&world);
        unsigned block = absolute ? where : rows[i / 3].block;
        memset(world.cleared + (size_t)block * 16, true, 16);
        char what[TEXT];
        (void)snprintf(what, sizeof what, "ZEROACC of block %u at %u%s", where, offset,
                       absolute ? ", absolute" : "");
        zeroacc(1, 0, 0, 0, where);
        compare(what);
    }
}
END_TEST

START_TEST(zeroacc_of_a_half_and_of_all)
{
    static const unsigned modes[] = {2, 3, 6, 7};
    unsigned mode = modes[_i % 4], where = (unsigned)_i / 4 % 2, wide = (unsigned)_i / 8 % 2;
    where = mode & 1 ? 0 : where;
    set_map(_i & 16, _i & 16);
    own_put(1, 1, 512);
    own_put(1, 28 + 2, 77); /* not applied */
    take(&world);
    for (unsigned row = 0; row < DST_ROWS; row++) {
        world.cleared[row] = mode & 1 || row / 512 == where;
    }
    zeroacc(mode, wide, 0, 2, where);
    compare("ZEROACC of much");
}
END_TEST

/* LLK clears the flags of a face after an unpack to Dst; what the rows held shows again. */
START_TEST(zeroacc_reverts)
{
    bool wide = _i;
    dice = 4;
    spoil();
    zeroacc(3, 0, 0, 0, 0);
    take(&world);
    for (unsigned i = 0; i < 16; i++) {
        world.cleared[wide ? 96 + (i & 8) * 2 + (i & 7) : 48 + i] = false;
    }
    zeroacc(1, wide, 1, 0, 3);
    compare("ZEROACC reverts");
}
END_TEST

/* assembly.yaml: bits 23 and 22 clear data valid. */
START_TEST(zeroacc_releases_banks)
{
    unsigned flips = (unsigned)_i;
    tensix->src[0].matrix_may[0] = tensix->src[1].matrix_may[0] = true;
    zeroacc(flips << 3 | 1, 0, 0, 0, 255);
    for (unsigned file = 0; file < 2; file++) {
        bool released = flips >> file & 1;
        ck_assert_uint_eq(tensix->src[file].matrix_may[0], !released);
        ck_assert_uint_eq(tensix->src[file].matrix_bank, released);
    }
}
END_TEST

static void setup(void)
{
    tensix_harness_open(&harness);
    dice = 1;
    remap = swizzle = false;
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

int main(void)
{
    Suite *suite = suite_create("moves");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, random_moves_are_as_the_pages_say, 0, KINDS);
    tcase_add_loop_test(all, moves_wait_for_the_bank_that_they_read, 0, KINDS);
    tcase_add_loop_test(all, undefined_moves_fault, 0, 4);
    tcase_add_loop_test(all, llk_broadcasts_32_bits_in_halves, 0, 2);
    tcase_add_test(all, trnspsrcb_transposes_rows_16_to_31);
    tcase_add_loop_test(all, shiftxa_moves_a_block_by_a_lane, 0, 32);
    tcase_add_loop_test(all, shiftxb_moves_or_rotates_a_row, 0, 14);
    tcase_add_loop_test(all, zerosrc_clears_what_it_names, 0, 32);
    tcase_add_loop_test(all, zeroacc_of_one_row, 0, 16);
    tcase_add_loop_test(all, zeroacc_of_16_rows, 0, 16);
    tcase_add_test(all, zeroacc_takes_its_half_from_a_sum);
    tcase_add_loop_test(all, zeroacc_of_a_half_and_of_all, 0, 32);
    tcase_add_loop_test(all, zeroacc_reverts, 0, 2);
    tcase_add_loop_test(all, zeroacc_releases_banks, 0, 4);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
