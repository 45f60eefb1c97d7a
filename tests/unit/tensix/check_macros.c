/*
 * Load macros, from the pages without a look at the unit, where check_macro_schedules.c has no random
 * programs: waiting for instructions that never come or stand at the gate, rows whose operands the
 * page does not have as programs rely on them, what other units see.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO, SFPCONFIG, LReg, VectorUnit, SFPLOAD, SFPSTORE, SFPMAD, SFPNOP.
 */
#include "unit/test.h"
#include "unit/tensix/lane_model.h"
#include "unit/tensix/tensix_fixture.h"

enum { STAGED = F_LREG_MACRO };

/* Mod0 of loads and stores. */
enum { BF16 = 2, UINT16 = 6 };

enum { NOP = 0x02000000 };
#define SFPNOP ((uint32_t)F_SFPNOP << 24)

/* A byte of a sequence, and the bits of `misc` that count instructions. */
enum { INTO_VB = 0x80, INTO_STAGED = 0x40, THE_STORE = 3 };
enum { COUNTS_SIMPLE = 0x100 };

static void open_dst(void)
{
    setup();
    memset(tensix->dst.cleared, 0, sizeof tensix->dst.cleared);
}

static uint32_t slot(unsigned flags, unsigned delay, unsigned select)
{
    return flags | delay << 3 | select;
}

static uint32_t lreg(unsigned r, unsigned lane)
{
    return tensix->vector.lreg[r][lane];
}

static void fill_lreg(unsigned r, uint32_t value)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        tensix->vector.lreg[r][lane] = value;
    }
}

static void set_dst(unsigned row, uint16_t value)
{
    for (unsigned i = 0; i < 4 * TENSIX_DST_COLUMNS; i++) {
        tensix->dst.bits[row + i / TENSIX_DST_COLUMNS][i % TENSIX_DST_COLUMNS] = value;
    }
}

static void put_template(unsigned index, uint32_t word)
{
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        tensix->vector.macro[column].instruction[index] = word;
    }
}

static void put_sequence(unsigned index, uint32_t value)
{
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        tensix->vector.macro[column].sequence[index] = value;
    }
}

static void put_misc(unsigned value)
{
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        tensix->vector.macro[column].misc = (uint16_t)value;
    }
}

/* Pushes all words (at most 28) before anything runs, and runs until nothing goes on. */
static void burst(const uint32_t *words, unsigned count)
{
    struct tensix_origin origin = {.pc = 0x1000, .pusher = TENSIX_BY_T0};
    ck_assert_uint_le(count, TENSIX_FIFO_ACCEPTS);
    for (unsigned i = 0; i < count; i++) {
        ck_assert(tensix_push(tensix, 0, origin, &words[i], 1, harness.time));
    }
    tensix_harness_go(&harness, 0);
}

/* Lets all execute that counts cycles. */
static void settle(void)
{
    harness.time += 64;
    tensix_vector_settle(tensix, &tensix->vector, harness.time);
}

static void no_faults(const char *what)
{
    ck_assert_msg(!harness.faults, "%s: %s", what, harness.fault.text);
}

/* --- Delays --- */

FIXTURE(open_dst, teardown);

/* Without another instruction those wait for ever that count them; a delay of 0 is none. */
TEST(rest)
{
    for (unsigned delay = 0; delay < 8; delay++) {
        uint32_t one = f_macro(0, 2, UINT16, 0, 16), nop = SFPNOP;
        set_dst(16, 0x55);
        fill_lreg(STAGED, 0);
        put_template(0, f_insn(F_SFPMOV, 0, 0, 0, 0));
        put_sequence(0, slot(INTO_STAGED, delay, 4));
        put_misc(COUNTS_SIMPLE);
        burst(&one, 1);
        settle();
        for (unsigned i = 0; i < delay; i++) {
            ck_assert_msg(lreg(STAGED, 3) == 0, "delay %u after %u", delay, i);
            const uint32_t others[] = {NOP, NOP};
            burst(others, 2);
            settle();
            ck_assert_msg(lreg(STAGED, 3) == 0, "delay %u after %u and others", delay, i);
            burst(&nop, 1);
            settle();
        }
        ck_assert_msg(lreg(STAGED, 3) == 0x55, "delay %u", delay);
        no_faults("rest");
    }
}

/* STALLWAIT, and what it blocks for a while, are no instructions of the Vector Unit. */
TEST(waiting_at_the_gate)
{
    for (unsigned delay = 1; delay < 8; delay++) {
        put_template(0, f_insn(F_SFPMOV, 0, 0, 0, 0));
        put_sequence(0, slot(INTO_STAGED, delay, 4));
        put_misc(COUNTS_SIMPLE);
        tensix_harness_set_mover(&harness, true);
        uint32_t words[16] = {f_macro(0, 2, UINT16, 0, 16), tensix_harness_assemble("NOP"),
                              tensix_harness_assemble("STALLWAIT 0x100, 0x200")};
        unsigned n = 3;
        for (unsigned i = 1; i <= 8; i++) {
            words[n++] = f_loadi(2, 2, 0x100 + i);
        }
        burst(words, n);
        settle();
        tensix_harness_go(&harness, 50);
        tensix_harness_set_mover(&harness, false);
        tensix_look(tensix, harness.time);
        tensix_harness_go(&harness, 0);
        settle();
        no_faults("STALLWAIT");
        ck_assert_uint_eq(lreg(2, 0), 0x108);
        ck_assert_msg(lreg(STAGED, 0) == 0x100 + delay, "delay %u: %x", delay, lreg(STAGED, 0));
    }
}

/* --- Overrides --- */

static void expect_staged(uint32_t template, unsigned part, unsigned flags, unsigned vd,
                          uint32_t wanted)
{
    fill_lreg(STAGED, 0xdead);
    put_template(1, template);
    put_sequence(1, slot(flags, 0, 5) << part * 8);
    put_misc(0);
    const uint32_t words[] = {f_macro(1, vd, UINT16, 0, 8), SFPNOP, SFPNOP};
    for (unsigned r = 0; r < 8; r++) {
        fill_lreg(r, 0x100u << r);
    }
    set_dst(8, 0xf0f);
    burst(words, 3);
    settle();
    no_faults("override");
    unsigned to = flags & INTO_STAGED ? STAGED : vd;
    for (unsigned r = 0; r < 8; r++) {
        uint32_t other = r == vd ? 0xf0f : 0x100u << r;
        ck_assert_msg(lreg(r, 17) == (r == to ? wanted : other),
                      "%08x, flags %02x, VD %u: LReg[%u] is %08x, not %08x", template, flags, vd, r,
                      lreg(r, 17), r == to ? wanted : other);
    }
    ck_assert_uint_eq(lreg(STAGED, 17), to == STAGED ? wanted : 0xdead);
}

/* SFPAND and SFPOR have a VB once they are scheduled, also in the mode without one. */
TEST(overrides)
{
    for (unsigned vd = 0; vd < 8; vd++) {
        unsigned x = (vd + 3) & 7, y = (vd + 6) & 7; /* other registers */
        uint32_t in = 0xf0f, bx = 0x100u << x, by = 0x100u << y;
        for (unsigned staged = 0; staged <= INTO_STAGED; staged += INTO_STAGED) {
            unsigned vb = INTO_VB | staged;
            expect_staged(f_insn(F_SFPAND, x, y, 0, 1), F_SIMPLE, staged, vd, in & bx);
            expect_staged(f_insn(F_SFPOR, x, y, 0, 1), F_SIMPLE, vb, vd, in | by);
            expect_staged(f_insn(F_SFPAND, x, y, 0, 0), F_SIMPLE, staged, vd, in & bx);
            expect_staged(f_insn(F_SFPOR, x, y, 0, 0), F_SIMPLE, staged, vd, in | bx);
            expect_staged(f_insn(F_SFPAND, x, y, 0, 0), F_SIMPLE, vb, vd, in & by);
            expect_staged(f_insn(F_SFPOR, x, y, 0, 0), F_SIMPLE, vb, vd, in | by);
        }
    }
}

/* Both operands of SFPSWAP: with neither override VD of the template, as LLK's exponential has it.
 * LReg[16] is read and stays. */
TEST_EACH(swaps, 4)
{
    enum { VD = 5, TEMPLATE_VC = 2, TEMPLATE_VD = 3 };
    unsigned flags = (unsigned)_i << 6, vc = flags & INTO_VB ? TEMPLATE_VC : VD;
    unsigned vd = flags & INTO_STAGED ? STAGED : flags & INTO_VB ? VD : TEMPLATE_VD;
    uint32_t wanted[F_LREGS] = {0};
    set_dst(8, 0xf0f);
    for (unsigned r = 0; r < F_LREGS; r++) {
        wanted[r] = r < 8 || r == STAGED ? 0x100 + r : lreg(r, 0);
        fill_lreg(r, wanted[r]);
    }
    wanted[VD] = 0xf0f;
    uint32_t old = wanted[vd];
    wanted[vd] = vd == STAGED ? old : wanted[vc];
    wanted[vc] = old;
    put_template(0, f_insn(F_SFPSWAP, 0, TEMPLATE_VC, TEMPLATE_VD, 0));
    put_sequence(0, slot(flags, 0, 4));
    const uint32_t words[] = {f_macro(0, VD, UINT16, 0, 8), SFPNOP, SFPNOP, SFPNOP};
    burst(words, 4);
    settle();
    no_faults("SFPSWAP");
    for (unsigned r = 0; r < F_LREGS; r++) {
        ck_assert_msg(lreg(r, 0) == wanted[r], "flags %02x: LReg[%u] is %x, not %x", flags, r,
                      lreg(r, 0), wanted[r]);
    }
}

/* --- How configuration gets there --- */

/* A scheduled SFPCONFIG has VD of the macro as its target. */
TEST(scheduled_configuration)
{
    for (unsigned vd = 1; vd < 8; vd++) {
        fill_lreg(0, 0x1234567 + vd);
        put_template(0, f_insn16(F_SFPCONFIG, 0, 11, 0));
        put_sequence(0, slot(0, 2, 4));
        put_misc(0);
        const uint32_t one = f_macro(0, vd, UINT16, 0, 0);
        burst(&one, 1);
        settle();
        no_faults("SFPCONFIG");
        for (unsigned c = 0; c < TENSIX_LANE_COLUMNS; c++) {
            const struct tensix_macro_config *config = &tensix->vector.macro[c];
            ck_assert_uint_eq(vd < 4 ? config->instruction[vd] : config->sequence[vd - 4],
                              0x1234567 + vd);
        }
    }
}

/* --- The rest of the tile --- */

/* The Matrix Unit sees what macros have stored. */
TEST(matrix_unit_sees_stores)
{
    tensix->src[TENSIX_SRC_A].matrix_may[0] = true;
    put_sequence(0, slot(INTO_STAGED, 5, THE_STORE) << 24);
    put_misc(BF16);
    fill_lreg(STAGED, 0x40a00000);
    const uint32_t words[] = {f_macro(0, 1, BF16, 0, 0),
                              tensix_harness_assemble("MOVD2A 0, 0, 0, 0, 0")};
    burst(words, 1);
    harness.time += 20;
    burst(words + 1, 1);
    no_faults("MOVD2A");
    ck_assert_uint_eq(tensix->dst.bits[0][0], 0x2081); /* 5.0 */
    ck_assert_uint_ne(tensix->src_file[0].bank[0][0][0], 0);
    ck_assert_uint_eq(tensix->src_file[0].bank[0][0][0], tensix->src_file[0].bank[0][0][2]);
}
