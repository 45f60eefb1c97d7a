/*
 * Load macros, from the pages without a look at the unit: delays, overrides, what is forgotten, what
 * meets in a cycle. Random programs against models are in check_load_macro.c and
 * check_macro_schedules.c.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO, SFPCONFIG, LReg, VectorUnit, SFPLOAD, SFPSTORE, SFPMAD, SFPNOP.
 */
#include "unit/test.h"
#include "unit/tensix/lane_model.h"

/* Registers that are constants, and the mode of SFPMAD that negates VC. */
enum { ONE = 10, ZEROES = 9, STAGED = F_LREG_MACRO, NEGATES_C = 2 };

/* Mod0 of loads and stores. */
enum { BF16 = 2, UINT16 = 6, HI16 = 7, HI16_ONLY = 15 };

enum { NOP = 0x02000000 };
#define SFPNOP ((uint32_t)F_SFPNOP << 24)

/* A byte of a sequence, and the bits of `misc` that count instructions. */
enum { INTO_VB = 0x80, INTO_STAGED = 0x40, THE_NOP = 2, THE_STORE = 3 };
enum { COUNTS_SIMPLE = 0x100, COUNTS_MAD = 0x200, COUNTS_ROUND = 0x400, COUNTS_STORE = 0x800 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static bool discards; /* an ordinary instruction loses its sub-unit, which may be reported */

static void setup(void)
{
    tensix_harness_open(&harness);
    memset(tensix->dst.cleared, 0, sizeof tensix->dst.cleared);
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

static uint32_t slot(unsigned flags, unsigned delay, unsigned select)
{
    return flags | delay << 3 | select;
}

static uint32_t sequence(uint32_t simple, uint32_t mad, uint32_t round, uint32_t store)
{
    return simple | mad << 8 | round << 16 | store << 24;
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
    bool is_notice = discards && harness.fault.kind == TENSIX_FAULT_HAZARD;
    ck_assert_msg(!harness.faults || is_notice, "%s: %s", what, harness.fault.text);
    harness.faults = 0;
}

/* Templates of three sub-units that bring their operand, VD of the macro, to LReg[16]: SFPMOV,
 * x * 1 + -0, a shift by 0. */
static uint32_t mover(unsigned part)
{
    switch (part) {
    case F_SIMPLE:
        return f_insn(F_SFPMOV, 0, 0, 0, 0);
    case F_MAD:
        return f_insn4(F_SFPMAD, ONE, 0, ZEROES, 0, NEGATES_C);
    default:
        return f_insn(F_SFPSHFT2, 0, 0, 0, 6);
    }
}

static uint32_t slot_for(unsigned part, unsigned delay)
{
    unsigned flags = INTO_STAGED | (part == F_SIMPLE ? 0 : INTO_VB);
    return part == F_STORE ? slot(0, delay, THE_STORE) << 24 : slot(flags, delay, 4) << part * 8;
}

/* --- Delays --- */

/* What the macro's instruction saw in LReg[1]. */
static uint32_t seen(unsigned part)
{
    return part == F_STORE ? tensix->dst.bits[8][0] : lreg(STAGED, 0);
}

/* SFPLOADMACRO, then cycle for cycle either a new value for its VD or a pause. */
static void try_delay(unsigned part, unsigned delay, bool counts_instructions, unsigned pauses)
{
    uint32_t words[24] = {f_macro(0, 1, UINT16, 0, 8)};
    uint32_t by_cycle = 0x3f, by_instruction = 0x3f, value = 0x3f80;
    unsigned n = 1, instructions = 0;
    set_dst(8, 0x3f);
    fill_lreg(STAGED, 0);
    put_template(0, mover(part));
    put_sequence(0, slot_for(part, delay));
    put_misc(UINT16 | (counts_instructions ? 0x100u << part : 0));
    for (; n < 20; n++) {
        bool pause = pauses >> n & 1;
        words[n] = pause ? NOP : f_loadi(1, part == F_STORE ? 2 : 0, ++value);
        uint32_t now = part == F_STORE ? value : value << 16;
        by_cycle = n <= delay && !pause ? now : by_cycle;
        by_instruction = !pause && ++instructions == delay ? now : by_instruction;
    }
    burst(words, n);
    settle();
    no_faults("delay");
    uint32_t wanted = counts_instructions ? by_instruction : by_cycle;
    if (part == F_MAD && wanted == 0x3f) {
        wanted = 0; /* denormal */
    }
    ck_assert_msg(seen(part) == wanted, "part %u, delay %u by %s, pauses %05x: %08x, not %08x",
                  part, delay, counts_instructions ? "instructions" : "cycles", pauses, seen(part),
                  wanted);
}

FIXTURE(setup, teardown);

TEST(delays)
{
    uint64_t random_state = 6;
    for (unsigned part = 0; part < 4; part++) {
        for (unsigned delay = 0; delay < 8; delay++) {
            try_delay(part, delay, false, 0);
            try_delay(part, delay, true, 0);
            for (unsigned i = 0; i < 6; i++) {
                unsigned pauses = random_next(&random_state) & 0x3fffe & random_next(&random_state);
                try_delay(part, delay, false, pauses);
                try_delay(part, delay, true, pauses);
            }
        }
    }
}

/* One that counts instructions makes all count them, of whatever sub-unit. */
TEST(one_makes_all_count_instructions)
{
    const uint32_t nop = NOP, words[] = {
                                  f_macro(0, 1, UINT16, 0, 8),
                                  nop,
                                  nop,
                                  nop,
                                  nop,
                                  f_loadi(1, 0, 0x1111),
                                  f_loadi(1, 0, 0x2222),
                                  nop,
                                  f_loadi(1, 0, 0x3333),
                                  nop,
                                  nop,
                                  f_loadi(1, 0, 0x4444),
                                  f_loadi(1, 0, 0x5555),
                              };
    put_template(0, mover(F_SIMPLE));
    put_sequence(0, sequence(slot(INTO_STAGED, 2, 4), slot(0, 4, THE_NOP), 0, 0));
    put_misc(COUNTS_MAD);
    burst(words, sizeof words / sizeof words[0]);
    settle();
    ck_assert_uint_eq(lreg(STAGED, 31), 0x22220000);
    /* By cycles it would have been the datum of Dst. */
    set_dst(8, 0x77);
    put_misc(0);
    burst(words, sizeof words / sizeof words[0]);
    settle();
    ck_assert_uint_eq(lreg(STAGED, 31), 0x77);
    no_faults("kinds");
}

/* Without another instruction those wait for ever that count them; a delay of 0 is none. */
TEST(rest)
{
    for (unsigned delay = 0; delay < 8; delay++) {
        uint32_t one = f_macro(0, 2, UINT16, 0, 16), nop = SFPNOP;
        set_dst(16, 0x55);
        fill_lreg(STAGED, 0);
        put_template(0, mover(F_SIMPLE));
        put_sequence(0, sequence(slot(INTO_STAGED, delay, 4), 0, 0, 0));
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
        put_template(0, mover(F_SIMPLE));
        put_sequence(0, sequence(slot(INTO_STAGED, delay, 4), 0, 0, 0));
        put_misc(COUNTS_SIMPLE);
        harness.mover_busy = true;
        uint32_t words[16] = {f_macro(0, 2, UINT16, 0, 16), tensix_harness_assemble("NOP"),
                              tensix_harness_assemble("STALLWAIT 0x100, 0x400")};
        unsigned n = 3;
        for (unsigned i = 1; i <= 8; i++) {
            words[n++] = f_loadi(2, 2, 0x100 + i);
        }
        burst(words, n);
        settle();
        tensix_harness_go(&harness, 50);
        harness.mover_busy = false;
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

TEST(overrides)
{
    for (unsigned vd = 0; vd < 8; vd++) {
        unsigned x = (vd + 3) & 7, y = (vd + 6) & 7; /* other registers */
        uint32_t in = 0xf0f, bx = 0x100u << x, by = 0x100u << y;
        for (unsigned staged = 0; staged <= INTO_STAGED; staged += INTO_STAGED) {
            unsigned vb = INTO_VB | staged;
            /* No VB field: VB is VD of the template, or of the macro. VC + VB, VC - VB. */
            expect_staged(f_insn(F_SFPIADD, 0, y, x, 4), F_SIMPLE, staged, vd, in + bx);
            expect_staged(f_insn(F_SFPIADD, 0, y, x, 4), F_SIMPLE, vb, vd, by + in);
            expect_staged(f_insn(F_SFPIADD, 0, y, x, 6), F_SIMPLE, staged, vd, in - bx);
            expect_staged(f_insn(F_SFPIADD, 0, y, x, 6), F_SIMPLE, vb, vd, by - in);
            expect_staged(f_insn(F_SFPIADD, 5, y, x, 5), F_SIMPLE, staged, vd, in + 5);
            expect_staged(f_insn(F_SFPIADD, 5, y, x, 5), F_SIMPLE, vb, vd, by + 5);
            expect_staged(f_insn(F_SFPXOR, 0, y, x, 0), F_SIMPLE, staged, vd, in ^ bx);
            expect_staged(f_insn(F_SFPXOR, 0, y, x, 0), F_SIMPLE, vb, vd, in ^ by);
            expect_staged(f_insn(F_SFPNOT, 0, y, x, 0), F_SIMPLE, staged, vd, ~in);
            expect_staged(f_insn(F_SFPNOT, 0, y, x, 0), F_SIMPLE, vb, vd, ~by);
            expect_staged(f_insn(F_SFPGT, 0, y, x, 8), F_SIMPLE, staged, vd, bx > in ? ~0u : 0);
            expect_staged(f_insn(F_SFPGT, 0, y, x, 8), F_SIMPLE, vb, vd, in > by ? ~0u : 0);
            expect_staged(f_insn(F_SFPLE, 0, y, x, 8), F_SIMPLE, vb, vd, in <= by ? ~0u : 0);
            expect_staged(f_insn(F_SFPSETMAN, 0, ZEROES, x, 0), F_SIMPLE, vb, vd, in);
            expect_staged(f_insn(F_SFPSHFT, 0, y, x, 0), F_SIMPLE, staged, vd, bx << 15);
            /* A VB field stays, or is replaced. */
            expect_staged(f_insn(F_SFPAND, x, y, 0, 1), F_SIMPLE, staged, vd, in & bx);
            expect_staged(f_insn(F_SFPOR, x, y, 0, 1), F_SIMPLE, vb, vd, in | by);
            expect_staged(f_insn4(F_SFPMUL24, y, x, ZEROES, 3, 0), F_MAD, vb, vd,
                          (by * in) & 0x7fffff);
            expect_staged(f_insn(F_SFPSHFT2, x, y, 3, 5), F_ROUND, staged, vd, bx << 15);
            expect_staged(f_insn(F_SFPSHFT2, x, ZEROES, 3, 5), F_ROUND, vb, vd, in);
            /* Bits 15 to 12 of the immediate are VB, unless the macro gives another. */
            expect_staged(f_insn(F_SFPSHFT2, x, y, 3, 6), F_ROUND, staged, vd, bx << x);
            expect_staged(f_insn(F_SFPSHFT2, x, y, 3, 6), F_ROUND, vb, vd, in << x);
            expect_staged(f_insn(F_SFPSHFT2, 0xff0, y, 3, 6), F_ROUND, vb, vd, in >> 16);
            /* SFPAND and SFPOR have a VB once they are scheduled, also in the mode without one. */
            expect_staged(f_insn(F_SFPAND, x, y, 0, 0), F_SIMPLE, staged, vd, in & bx);
            expect_staged(f_insn(F_SFPOR, x, y, 0, 0), F_SIMPLE, staged, vd, in | bx);
            expect_staged(f_insn(F_SFPAND, x, y, 0, 0), F_SIMPLE, vb, vd, in & by);
            expect_staged(f_insn(F_SFPOR, x, y, 0, 0), F_SIMPLE, vb, vd, in | by);
        }
    }
}

/* VC of SFPADDI and SFPMULI: VD of the macro, or that of the template. VA stays. */
TEST(overrides_of_floats)
{
    const struct {
        uint32_t template;
        unsigned flags;
        uint32_t wanted;
    } cases[] = {
        {f_insn16(F_SFPADDI, 0x3f80, 4, 0), INTO_STAGED, 0x40400000},           /* 2 + 1 */
        {f_insn16(F_SFPADDI, 0x3f80, 4, 0), INTO_STAGED | INTO_VB, 0x41880000}, /* 16 + 1 */
        {f_insn16(F_SFPMULI, 0x4000, 4, 2), INTO_STAGED, 0xc0800000},           /* -2 * 2 */
        {f_insn16(F_SFPMULI, 0x4000, 4, 0), INTO_STAGED | INTO_VB, 0x42000000}, /* 16 * 2 */
        {f_insn4(F_SFPMAD, 4, 5, 3, 2, 0), INTO_STAGED, 0x44008000},            /* 16 * 32 + 2 */
        {f_insn4(F_SFPMAD, 4, 5, 3, 2, 0), INTO_STAGED | INTO_VB, 0x42200000},  /* 16 * 2 + 8 */
        {f_insn4(F_SFPMAD, 4, 5, 3, 2, 1), INTO_STAGED | INTO_VB, 0xc1c00000},  /* 16 * -2 + 8 */
        {f_insn4(F_SFPADD, ONE, 5, 3, 2, 0), INTO_STAGED, 0x42080000},          /* 32 + 2 */
        {f_insn4(F_SFPMUL, 4, 5, ZEROES, 2, 0), INTO_STAGED | INTO_VB, 0x42000000},
        {f_insn4(F_SFPMAD, 2, 5, 3, 2, 4), INTO_STAGED | INTO_VB, 0x42200000}, /* VA from LReg[7] */
        {f_insn4(F_SFPMAD, 4, 5, 3, 2, 8), INTO_STAGED | INTO_VB,
         0x42200000}, /* 16 is never indirect */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned r = 0; r < 7; r++) {
            fill_lreg(r, (127 + r) << 23); /* 2 to the r-th */
        }
        fill_lreg(7, 0x12345674);
        set_dst(0, 0x80); /* 2.0 as BF16 is stored */
        put_template(3, cases[i].template);
        put_sequence(2, sequence(0, slot(cases[i].flags, 3, 7), 0, 0));
        put_misc(0);
        const uint32_t one = f_macro(2, 6, BF16, 0, 0);
        burst(&one, 1);
        settle();
        no_faults("MAD");
        ck_assert_msg(lreg(STAGED, 9) == cases[i].wanted, "case %u: %08x, not %08x", i,
                      lreg(STAGED, 9), cases[i].wanted);
        ck_assert_uint_eq(lreg(6, 9), 0x40000000);
        ck_assert_uint_eq(lreg(4, 9), 0x41800000);
    }
    /* Indirect VD otherwise. */
    put_sequence(2, sequence(0, slot(INTO_VB, 3, 7), 0, 0));
    const uint32_t one = f_macro(2, 6, BF16, 0, 0);
    burst(&one, 1);
    settle();
    ck_assert_uint_eq(lreg(4, 9), 0x42200000);
    ck_assert_uint_eq(lreg(6, 9), 0x40000000);
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

/* --- Forgetting --- */

TEST(later_macros_forget)
{
    for (unsigned part = 0; part < 4; part++) {
        for (unsigned delay = 1; delay < 8; delay++) {
            set_dst(8, 0x3f80); /* 1.0 as LReg sees it by HI16 */
            set_dst(12, 0x4000);
            fill_lreg(STAGED, 0);
            put_template(0, mover(part));
            put_sequence(0, slot_for(part, delay));
            put_sequence(1, part == F_STORE ? slot(INTO_VB, delay - 1, 5) << 24
                                            : slot(0, delay - 1, THE_NOP) << part * 8);
            put_template(1, f_memory(F_SFPSTORE, 9, 0, 0, 0));
            put_misc(UINT16);
            const uint32_t words[] = {f_macro(0, 1, HI16, 0, 8), f_macro(1, 2, HI16, 0, 12)};
            burst(words, 2);
            settle();
            no_faults("forget");
            ck_assert_msg(lreg(STAGED, 0) == 0, "part %u, delay %u", part, delay);
            if (part == F_STORE) {
                ck_assert_uint_eq(tensix->dst.bits[8][0], 0x3f80); /* not the low half, 0 */
                ck_assert_uint_eq(tensix->dst.bits[12][0], 0);
            }
        }
    }
}

/* LLK schedules across macros whose bytes for the same sub-unit are 0. */
TEST(empty_bytes_do_not_forget)
{
    for (unsigned part = 0; part < 4; part++) {
        set_dst(8, 0x3f80);
        fill_lreg(STAGED, 0);
        fill_lreg(1, 0);
        put_template(0, mover(part));
        put_sequence(0, slot_for(part, 1));
        put_sequence(1, 0);
        put_misc(HI16_ONLY);
        const uint32_t words[] = {f_macro(0, 1, HI16, 0, 8), f_macro(1, 2, HI16, 0, 12)};
        burst(words, 2);
        settle();
        no_faults("empty");
        if (part != F_STORE) {
            ck_assert_msg(lreg(STAGED, 0) == 0x3f800000, "part %u", part);
        } else {
            ck_assert_uint_eq(tensix->dst.bits[8][0], 0x3f80);
        }
    }
}

/* --- What meets in a cycle --- */

/* What is discarded has been issued: it counts. */
TEST(discarded_ones_count)
{
    put_template(0, mover(F_ROUND));
    put_sequence(0, sequence(slot(0, 0, THE_NOP), 0, slot(INTO_VB | INTO_STAGED, 2, 4), 0));
    put_misc(COUNTS_SIMPLE | COUNTS_ROUND);
    fill_lreg(STAGED, 0);
    discards = true;
    const uint32_t words[] = {f_macro(0, 1, UINT16, 0, 8), f_insn(F_SFPNOT, 0, 5, 5, 0),
                              f_loadi(1, 2, 0x1111), f_loadi(1, 2, 0x2222), f_loadi(1, 2, 0x3333)};
    uint32_t before = lreg(5, 0);
    burst(words, 5);
    settle();
    ck_assert_uint_eq(lreg(5, 0), before);
    ck_assert_uint_eq(lreg(STAGED, 0), 0x1111);
    no_faults("discarded");
}

/* ... and takes its cycle, no more. */
TEST(discarded_ones_take_a_cycle)
{
    static const uint32_t taken[] = {0x80000550, 0x94052755, 0x8e200051, 0x84050654};
    for (unsigned i = 0; i < 4 * 5; i++) {
        unsigned k = i % 4, delay = 2 + i / 4;
        unsigned part = k == 1 || k == 2 ? F_ROUND : k == 3 ? F_MAD : F_SIMPLE;
        unsigned other = part == F_SIMPLE ? F_ROUND : F_SIMPLE;
        put_template(0, mover(other));
        put_sequence(0, slot(0, 0, THE_NOP) << part * 8 | slot_for(other, delay));
        put_misc(0);
        fill_lreg(STAGED, 0);
        discards = true;
        uint32_t words[12] = {f_macro(0, 1, UINT16, 0, 8), taken[k]};
        for (unsigned n = 2; n < 12; n++) {
            words[n] = f_loadi(1, 2, 0x1000 + n);
        }
        burst(words, 12);
        settle();
        no_faults("discarded");
        ck_assert_msg(lreg(STAGED, 0) == 0x1000 + delay, "%08x, delay %u: %x", taken[k], delay,
                      lreg(STAGED, 0));
    }
}

/* Results of the MAD sub-unit come a cycle later: a new one every cycle, each stored in time. */
TEST(pipeline)
{
    uint32_t words[16];
    put_template(0, f_insn4(F_SFPMUL24, 0, 0, ZEROES, 0, 0));
    put_sequence(
        0, sequence(0, slot(INTO_VB | INTO_STAGED, 0, 4), 0, slot(INTO_STAGED, 2, THE_STORE)));
    for (unsigned kind = 0; kind < 2; kind++) {
        put_misc(UINT16 | (kind ? COUNTS_MAD | COUNTS_STORE : 0));
        fill_lreg(0, 3);
        for (unsigned i = 0; i < 8; i++) {
            set_dst(i * 4, (uint16_t)(i + 10));
            words[i] = f_macro(0, 1, UINT16, 0, i * 4);
            words[8 + i] = SFPNOP;
        }
        burst(words, 16);
        settle();
        for (unsigned i = 0; i < 8; i++) {
            ck_assert_msg(tensix->dst.bits[i * 4][0] == 3 * (i + 10), "row %u is %u", i * 4,
                          tensix->dst.bits[i * 4][0]);
            ck_assert_uint_eq(tensix->dst.bits[i * 4][1], i + 10);
        }
        no_faults("pipeline");
    }
}

/* A load writes what a scheduled instruction and a store of the same cycle still read. */
TEST(reads_come_before_writes)
{
    set_dst(0, 0x1111);
    set_dst(4, 0x2222);
    put_template(0, f_insn(F_SFPSETCC, 0, 0, 0, 0));
    put_template(1, f_insn(F_SFPENCC, 0, 0, 0, 0));
    put_template(2, f_memory(F_SFPSTORE, 5, 0, 0, 0));
    put_sequence(0, sequence(slot(0, 0, 4), 0, 0, slot(0, 0, THE_STORE)));
    put_sequence(1, sequence(slot(0, 0, 5), 0, 0, slot(INTO_VB, 0, 6)));
    put_misc(UINT16);
    tensix->vector.uses_flags = tensix->vector.flags = UINT32_MAX;
    fill_lreg(5, 0x7777);
    const uint32_t words[] = {f_macro(0, 2, UINT16, 0, 0), f_macro(1, 2, UINT16, 0, 4),
                              f_loadi(5, 2, 0x8888), SFPNOP};
    burst(words, 4);
    settle();
    no_faults("order");
    /* 0x1111 is not negative: all lanes are off when the second load has come; on again after. */
    ck_assert_uint_eq(tensix->dst.bits[0][0], 0x1111);
    ck_assert_uint_eq(lreg(2, 0), 0x2222);
    ck_assert_uint_eq(tensix->vector.flags, UINT32_MAX);
    ck_assert_uint_ne(tensix->dst.bits[4][0], 0x7777); /* stored while off */
    ck_assert_uint_ne(lreg(5, 0), 0x8888);             /* loaded while off */
}

/* --- How configuration gets there --- */

/* A scheduled SFPCONFIG has VD of the macro as its target. */
TEST(scheduled_configuration)
{
    for (unsigned vd = 1; vd < 8; vd++) {
        fill_lreg(0, 0x1234567 + vd);
        put_template(0, f_insn16(F_SFPCONFIG, 0, 11, 0));
        put_sequence(0, sequence(slot(0, 2, 4), 0, 0, 0));
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
