/*
 * Load macros, from the pages without a look at the unit: templates, sequences, delays, overrides,
 * what meets in a cycle, what is undefined.
 * What meets in a cycle: check_macro_cycles.c.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO, SFPCONFIG, LReg, VectorUnit, SFPLOAD, SFPSTORE, SFPMAD, SFPNOP.
 */
#include "unit/tensix/macro_world.h"
#include "unit/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* --- Delays --- */

/* What the macro's instruction saw in LReg[1]. */
static uint32_t seen(unsigned part)
{
    return part == PART_STORE ? tensix->dst.bits[8][0] : lreg(STAGED, 0);
}

/* SFPLOADMACRO, then cycle for cycle either a new value for its VD or a pause. */
static void try_delay(unsigned part, unsigned delay, bool counts_instructions, unsigned pauses)
{
    uint32_t words[24] = {macro(0, 1, UINT16, 0, 8)};
    uint32_t by_cycle = 0x3f, by_instruction = 0x3f, value = 0x3f80;
    unsigned n = 1, instructions = 0;
    set_dst(8, 0x3f);
    fill_lreg(STAGED, 0);
    put_template(tensix, 0, mover(part));
    put_sequence(tensix, 0, slot_for(part, delay));
    put_misc(tensix, UINT16 | (counts_instructions ? 0x100u << part : 0));
    for (; n < 20; n++) {
        bool pause = pauses >> n & 1;
        words[n] = pause ? (uint32_t)NOP << 24 : loadi(1, part == PART_STORE ? 2 : 0, ++value);
        uint32_t now = part == PART_STORE ? value : value << 16;
        by_cycle = n <= delay && !pause ? now : by_cycle;
        by_instruction = !pause && ++instructions == delay ? now : by_instruction;
    }
    burst(&harness, words, n);
    settle(&harness);
    no_faults("delay");
    uint32_t wanted = counts_instructions ? by_instruction : by_cycle;
    if (part == PART_MAD && wanted == 0x3f) {
        wanted = 0; /* denormal */
    }
    ck_assert_msg(seen(part) == wanted, "part %u, delay %u by %s, pauses %05x: %08x, not %08x",
                  part, delay, counts_instructions ? "instructions" : "cycles", pauses, seen(part),
                  wanted);
}

START_TEST(delays)
{
    for (unsigned part = 0; part < 4; part++) {
        for (unsigned delay = 0; delay < 8; delay++) {
            try_delay(part, delay, false, 0);
            try_delay(part, delay, true, 0);
            for (unsigned i = 0; i < 6; i++) {
                unsigned pauses = dice_next(&dice) & 0x3fffe & dice_next(&dice);
                try_delay(part, delay, false, pauses);
                try_delay(part, delay, true, pauses);
            }
        }
    }
}
END_TEST

/* One that counts instructions makes all count them, of whatever sub-unit. */
START_TEST(one_makes_all_count_instructions)
{
    const uint32_t nop = (uint32_t)NOP << 24, words[] = {
                                                  macro(0, 1, UINT16, 0, 8),
                                                  nop,
                                                  nop,
                                                  nop,
                                                  nop,
                                                  loadi(1, 0, 0x1111),
                                                  loadi(1, 0, 0x2222),
                                                  nop,
                                                  loadi(1, 0, 0x3333),
                                                  nop,
                                                  nop,
                                                  loadi(1, 0, 0x4444),
                                                  loadi(1, 0, 0x5555),
                                              };
    put_template(tensix, 0, mover(PART_SIMPLE));
    put_sequence(tensix, 0, sequence(slot(INTO_STAGED, 2, 4), slot(0, 4, THE_NOP), 0, 0));
    put_misc(tensix, COUNTS_MAD);
    burst(&harness, words, sizeof words / sizeof words[0]);
    settle(&harness);
    ck_assert_uint_eq(lreg(STAGED, 31), 0x22220000);
    /* By cycles it would have been the datum of Dst. */
    set_dst(8, 0x77);
    put_misc(tensix, 0);
    burst(&harness, words, sizeof words / sizeof words[0]);
    settle(&harness);
    ck_assert_uint_eq(lreg(STAGED, 31), 0x77);
    no_faults("kinds");
}
END_TEST

/* Without another instruction those wait for ever that count them; a delay of 0 is none. */
START_TEST(rest)
{
    for (unsigned delay = 0; delay < 8; delay++) {
        uint32_t one = macro(0, 2, UINT16, 0, 16), nop = (uint32_t)SFPNOP << 24;
        set_dst(16, 0x55);
        fill_lreg(STAGED, 0);
        put_template(tensix, 0, mover(PART_SIMPLE));
        put_sequence(tensix, 0, sequence(slot(INTO_STAGED, delay, 4), 0, 0, 0));
        put_misc(tensix, COUNTS_SIMPLE);
        burst(&harness, &one, 1);
        settle(&harness);
        for (unsigned i = 0; i < delay; i++) {
            ck_assert_msg(lreg(STAGED, 3) == 0, "delay %u after %u", delay, i);
            const uint32_t others[] = {(uint32_t)NOP << 24, (uint32_t)NOP << 24};
            burst(&harness, others, 2);
            settle(&harness);
            ck_assert_msg(lreg(STAGED, 3) == 0, "delay %u after %u and others", delay, i);
            burst(&harness, &nop, 1);
            settle(&harness);
        }
        ck_assert_msg(lreg(STAGED, 3) == 0x55, "delay %u", delay);
        no_faults("rest");
    }
}
END_TEST

/* STALLWAIT, and what it blocks for a while, are no instructions of the Vector Unit. */
START_TEST(waiting_at_the_gate)
{
    for (unsigned delay = 1; delay < 8; delay++) {
        put_template(tensix, 0, mover(PART_SIMPLE));
        put_sequence(tensix, 0, sequence(slot(INTO_STAGED, delay, 4), 0, 0, 0));
        put_misc(tensix, COUNTS_SIMPLE);
        harness.mover_busy = true;
        uint32_t words[16] = {macro(0, 2, UINT16, 0, 16), tensix_harness_assemble("NOP"),
                              tensix_harness_assemble("STALLWAIT 0x100, 0x400")};
        unsigned n = 3;
        for (unsigned i = 1; i <= 8; i++) {
            words[n++] = loadi(2, 2, 0x100 + i);
        }
        burst(&harness, words, n);
        settle(&harness);
        tensix_harness_go(&harness, 50);
        harness.mover_busy = false;
        tensix_look(tensix, harness.time);
        tensix_harness_go(&harness, 0);
        settle(&harness);
        no_faults("STALLWAIT");
        ck_assert_uint_eq(lreg(2, 0), 0x108);
        ck_assert_msg(lreg(STAGED, 0) == 0x100 + delay, "delay %u: %x", delay, lreg(STAGED, 0));
    }
}
END_TEST

/* --- Overrides --- */

static void expect_staged(uint32_t template, unsigned part, unsigned flags, unsigned vd,
                          uint32_t wanted)
{
    fill_lreg(STAGED, 0xdead);
    put_template(tensix, 1, template);
    put_sequence(tensix, 1, slot(flags, 0, 5) << part * 8);
    put_misc(tensix, 0);
    const uint32_t words[] = {macro(1, vd, UINT16, 0, 8), (uint32_t)SFPNOP << 24,
                              (uint32_t)SFPNOP << 24};
    for (unsigned r = 0; r < 8; r++) {
        fill_lreg(r, 0x100u << r);
    }
    set_dst(8, 0xf0f);
    burst(&harness, words, 3);
    settle(&harness);
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

START_TEST(overrides)
{
    for (unsigned vd = 0; vd < 8; vd++) {
        unsigned x = (vd + 3) & 7, y = (vd + 6) & 7; /* other registers */
        uint32_t in = 0xf0f, bx = 0x100u << x, by = 0x100u << y;
        for (unsigned staged = 0; staged <= INTO_STAGED; staged += INTO_STAGED) {
            unsigned vb = INTO_VB | staged;
            /* No VB field: VB is VD of the template, or of the macro. VC + VB, VC - VB. */
            expect_staged(narrow(IADD, 0, y, x, 4), PART_SIMPLE, staged, vd, in + bx);
            expect_staged(narrow(IADD, 0, y, x, 4), PART_SIMPLE, vb, vd, by + in);
            expect_staged(narrow(IADD, 0, y, x, 6), PART_SIMPLE, staged, vd, in - bx);
            expect_staged(narrow(IADD, 0, y, x, 6), PART_SIMPLE, vb, vd, by - in);
            expect_staged(narrow(IADD, 5, y, x, 5), PART_SIMPLE, staged, vd, in + 5);
            expect_staged(narrow(IADD, 5, y, x, 5), PART_SIMPLE, vb, vd, by + 5);
            expect_staged(narrow(XOR, 0, y, x, 0), PART_SIMPLE, staged, vd, in ^ bx);
            expect_staged(narrow(XOR, 0, y, x, 0), PART_SIMPLE, vb, vd, in ^ by);
            expect_staged(narrow(NOT, 0, y, x, 0), PART_SIMPLE, staged, vd, ~in);
            expect_staged(narrow(NOT, 0, y, x, 0), PART_SIMPLE, vb, vd, ~by);
            expect_staged(narrow(GT, 0, y, x, 8), PART_SIMPLE, staged, vd, bx > in ? ~0u : 0);
            expect_staged(narrow(GT, 0, y, x, 8), PART_SIMPLE, vb, vd, in > by ? ~0u : 0);
            expect_staged(narrow(LE, 0, y, x, 8), PART_SIMPLE, vb, vd, in <= by ? ~0u : 0);
            expect_staged(narrow(SETMAN, 0, ZEROES, x, 0), PART_SIMPLE, vb, vd, in);
            expect_staged(narrow(SHFT, 0, y, x, 0), PART_SIMPLE, staged, vd, bx << 15);
            /* A VB field stays, or is replaced. */
            expect_staged(narrow(AND, x, y, 0, 1), PART_SIMPLE, staged, vd, in & bx);
            expect_staged(narrow(OR, x, y, 0, 1), PART_SIMPLE, vb, vd, in | by);
            expect_staged(mad(MUL24, y, x, ZEROES, 3, 0), PART_MAD, vb, vd, (by * in) & 0x7fffff);
            expect_staged(narrow(SHFT2, x, y, 3, 5), PART_ROUND, staged, vd, bx << 15);
            expect_staged(narrow(SHFT2, x, ZEROES, 3, 5), PART_ROUND, vb, vd, in);
            /* Bits 15 to 12 of the immediate are VB, unless the macro gives another. */
            expect_staged(narrow(SHFT2, x, y, 3, 6), PART_ROUND, staged, vd, bx << x);
            expect_staged(narrow(SHFT2, x, y, 3, 6), PART_ROUND, vb, vd, in << x);
            expect_staged(narrow(SHFT2, 0xff0, y, 3, 6), PART_ROUND, vb, vd, in >> 16);
            /* SFPAND and SFPOR have a VB once they are scheduled, also in the mode without one. */
            expect_staged(narrow(AND, x, y, 0, 0), PART_SIMPLE, staged, vd, in & bx);
            expect_staged(narrow(OR, x, y, 0, 0), PART_SIMPLE, staged, vd, in | bx);
            expect_staged(narrow(AND, x, y, 0, 0), PART_SIMPLE, vb, vd, in & by);
            expect_staged(narrow(OR, x, y, 0, 0), PART_SIMPLE, vb, vd, in | by);
        }
    }
}
END_TEST

/* VC of SFPADDI and SFPMULI: VD of the macro, or that of the template. VA stays. */
START_TEST(overrides_of_floats)
{
    const struct {
        uint32_t template;
        unsigned flags;
        uint32_t wanted;
    } cases[] = {
        {imm16(ADDI, 0x3f80, 4, 0), INTO_STAGED, 0x40400000},           /* 2 + 1 */
        {imm16(ADDI, 0x3f80, 4, 0), INTO_STAGED | INTO_VB, 0x41880000}, /* 16 + 1 */
        {imm16(MULI, 0x4000, 4, 2), INTO_STAGED, 0xc0800000},           /* -2 * 2 */
        {imm16(MULI, 0x4000, 4, 0), INTO_STAGED | INTO_VB, 0x42000000}, /* 16 * 2 */
        {mad(MAD, 4, 5, 3, 2, 0), INTO_STAGED, 0x44008000},             /* 16 * 32 + 2 */
        {mad(MAD, 4, 5, 3, 2, 0), INTO_STAGED | INTO_VB, 0x42200000},   /* 16 * 2 + 8 */
        {mad(MAD, 4, 5, 3, 2, 1), INTO_STAGED | INTO_VB, 0xc1c00000},   /* 16 * -2 + 8 */
        {mad(ADD, ONE, 5, 3, 2, 0), INTO_STAGED, 0x42080000},           /* 32 + 2 */
        {mad(MUL, 4, 5, ZEROES, 2, 0), INTO_STAGED | INTO_VB, 0x42000000},
        {mad(MAD, 2, 5, 3, 2, 4), INTO_STAGED | INTO_VB, 0x42200000}, /* VA from LReg[7] */
        {mad(MAD, 4, 5, 3, 2, 8), INTO_STAGED | INTO_VB, 0x42200000}, /* 16 is never indirect */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned r = 0; r < 7; r++) {
            fill_lreg(r, (127 + r) << 23); /* 2 to the r-th */
        }
        fill_lreg(7, 0x12345674);
        set_dst(0, 0x80); /* 2.0 as BF16 is stored */
        put_template(tensix, 3, cases[i].template);
        put_sequence(tensix, 2, sequence(0, slot(cases[i].flags, 3, 7), 0, 0));
        put_misc(tensix, 0);
        const uint32_t one = macro(2, 6, BF16, 0, 0);
        burst(&harness, &one, 1);
        settle(&harness);
        no_faults("MAD");
        ck_assert_msg(lreg(STAGED, 9) == cases[i].wanted, "case %u: %08x, not %08x", i,
                      lreg(STAGED, 9), cases[i].wanted);
        ck_assert_uint_eq(lreg(6, 9), 0x40000000);
        ck_assert_uint_eq(lreg(4, 9), 0x41800000);
    }
    /* Indirect VD otherwise. */
    put_sequence(tensix, 2, sequence(0, slot(INTO_VB, 3, 7), 0, 0));
    const uint32_t one = macro(2, 6, BF16, 0, 0);
    burst(&harness, &one, 1);
    settle(&harness);
    ck_assert_uint_eq(lreg(4, 9), 0x42200000);
    ck_assert_uint_eq(lreg(6, 9), 0x40000000);
}
END_TEST

/* SFPIADD, SFPEXEXP and SFPLZ set flags for LReg[0] to LReg[7] alone; SFPGT and SFPLE always. */
START_TEST(flags_of_staged_results)
{
    const struct {
        uint32_t template;
        bool always;
    } cases[] = {
        {narrow(IADD, 0, ZEROES, 0, 0), false}, {narrow(IADD, 1, 0, 0, 9), false},
        {narrow(EXEXP, 0, 0, 0, 10), false},    {narrow(LZ, 0, 0, 0, 2), false},
        {narrow(LZ, 0, 0, 0, 8), false},        {narrow(GT, 0, ZEROES, 3, 1), true},
        {narrow(GT, 0, ZEROES, 3, 15), true},   {narrow(LE, 0, ZEROES, 3, 9), true},
        {narrow(LE, 0, ZEROES, 3, 7), true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0] * 4; i++) {
        unsigned flags = (i & 1 ? INTO_STAGED : 0) | (i & 2 ? INTO_VB : 0);
        dice_fill(&dice, tensix);
        for (unsigned lane = 0; lane < LANES; lane++) {
            tensix->dst.bits[lane / 8][lane % 8 * 2] &= lane & 3 ? 0xffff : 0;
        }
        tensix->vector.uses_flags = UINT32_MAX;
        tensix->vector.flags = 0xffff00ff;
        tensix->vector.stack[0] = (struct tensix_flag_level){0xfffffff0, 0x5a5a5a50, 0};
        put_template(tensix, 0, cases[i / 4].template);
        put_sequence(tensix, 0, slot(flags, 2, 4));
        put_misc(tensix, 0);
        const uint32_t one = macro(0, 1, INT16, 0, 0);
        unit_take(&unit, tensix);
        unit_cycle(&unit, tensix, one);
        (void)unit_rest(&unit, tensix);
        ck_assert_msg(!unit.unclear, "%s", unit.unclear);
        burst(&harness, &one, 1);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "template %08x, flags %02x", cases[i / 4].template, flags);
        no_faults(text);
        unit_compare(&unit, tensix, text);
        if (i & 1 && !cases[i / 4].always) {
            ck_assert_uint_eq(tensix->vector.flags, 0xffff00ff);
        }
    }
}
END_TEST

/* --- Stores --- */

START_TEST(stores_where_the_macro_loaded)
{
    for (unsigned i = 0; i < 64; i++) {
        dice_fill(&dice, tensix);
        tensix->thread_config[0][TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + 5] = 6;
        tensix->thread_config[0][TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + 3] = 32;
        tensix->thread_config[0][TENSIX_WORD_DEST_TARGET_REG_CFG_MATH_Offset] =
            (uint16_t)(dice_below(&dice, 4) * 64);
        tensix->thread[0].rwc.dst = dice_below(&dice, 64);
        unsigned delay = 1 + dice_below(&dice, 6), index = dice_below(&dice, 4);
        put_template(tensix, 2, wide(STORE, dice_below(&dice, 15), 9, 3, 77));
        put_sequence(tensix, index,
                     slot((unsigned)(dice_next(&dice) & 0xc0), delay, i & 1 ? THE_STORE : 6) << 24);
        put_misc(tensix, (1u << dice_below(&dice, 8) & 15) << 4 | UINT16);
        const uint32_t words[] = {
            macro(index, dice_below(&dice, 8), INT16, 5, dice_below(&dice, 256)),
            wide(LOAD, 8, UINT16, 5, 0), (uint32_t)NOP << 24};
        unit_take(&unit, tensix);
        for (unsigned n = 0; n < 3; n++) {
            unit_cycle(&unit, tensix, words[n]);
        }
        (void)unit_rest(&unit, tensix);
        ck_assert_msg(!unit.unclear, "%s", unit.unclear);
        ck_assert_uint_eq(unit.executed[PART_STORE], 1);
        burst(&harness, words, 3);
        settle(&harness);
        no_faults("store");
        unit_compare(&unit, tensix, "store");
    }
}
END_TEST

/* All formats, by Misc and by Mod0 of the macro; SRCB is resolved as for SFPSTORE. */
START_TEST(formats_of_stores)
{
    for (unsigned i = 0; i < 16 * 2 * 3; i++) {
        unsigned format = i & 15, uses_load = i >> 4 & 1, srcb = i / 32;
        dice_fill(&dice, tensix);
        tensix->config[0][TENSIX_WORD_ALU_ACC_CTRL_SFPU_Fp32_enabled] =
            (srcb == 2 ? 1u : 0) << 30 | (srcb == 1 ? 1u : 5u) << 21; /* FP16 or BF16 */
        put_sequence(tensix, 3, slot(INTO_STAGED, 0, THE_STORE) << 24);
        put_misc(tensix, uses_load << 7 | (uses_load ? (format + 3) & 15 : format));
        const uint32_t one = macro(3, 4, uses_load ? format : BF16, 0, 130);
        unit_take(&unit, tensix);
        unit_cycle(&unit, tensix, one);
        (void)unit_rest(&unit, tensix);
        ck_assert_msg(!unit.unclear, "%s", unit.unclear);
        burst(&harness, &one, 1);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "format %u by %s, SRCB %u", format, uses_load ? "load" : "misc",
                 srcb);
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
    tensix->config[0][TENSIX_WORD_ALU_ACC_CTRL_SFPU_Fp32_enabled] = 0;
}
END_TEST

/* The load is as SFPLOAD in all formats: INT32_ALL does not ask whether lanes are enabled. */
START_TEST(loads_are_as_loads)
{
    for (unsigned i = 0; i < 16 * 16; i++) {
        unsigned format = i & 15, vd = i >> 4 & 7;
        bool by_macro = i >> 7;
        dice_fill(&dice, tensix);
        tensix->vector.uses_flags = dice_next(&dice);
        tensix->vector.flags = dice_next(&dice);
        for (unsigned c = 0; c < 8; c++) {
            tensix->vector.lane_config[c] = i & 16 ? dice_next(&dice) & 0xf06d : 0;
        }
        tensix_vector_derive(&tensix->vector);
        put_sequence(tensix, 0, 0);
        const uint32_t one = by_macro ? macro(0, vd, format, 5, 64 + (i >> 3 & 2))
                                      : wide(LOAD, vd, format, 5, 64 + (i >> 3 & 2));
        unit_take(&unit, tensix);
        unit_alone(&unit, tensix, one);
        ck_assert_msg(!unit.unclear, "%s", unit.unclear);
        burst(&harness, &one, 1);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "%s, format %u, LReg[%u], LaneConfig %s",
                 by_macro ? "SFPLOADMACRO" : "SFPLOAD", format, vd, i & 16 ? "random" : "0");
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}
END_TEST

/* --- Forgetting --- */

START_TEST(later_macros_forget)
{
    for (unsigned part = 0; part < 4; part++) {
        for (unsigned delay = 1; delay < 8; delay++) {
            set_dst(8, 0x3f80); /* 1.0 as LReg sees it by HI16 */
            set_dst(12, 0x4000);
            fill_lreg(STAGED, 0);
            put_template(tensix, 0, mover(part));
            put_sequence(tensix, 0, slot_for(part, delay));
            put_sequence(tensix, 1,
                         part == PART_STORE ? slot(INTO_VB, delay - 1, 5) << 24
                                            : slot(0, delay - 1, THE_NOP) << part * 8);
            put_template(tensix, 1, wide(STORE, 9, 0, 0, 0));
            put_misc(tensix, UINT16);
            const uint32_t words[] = {macro(0, 1, HI16, 0, 8), macro(1, 2, HI16, 0, 12)};
            burst(&harness, words, 2);
            settle(&harness);
            no_faults("forget");
            ck_assert_msg(lreg(STAGED, 0) == 0, "part %u, delay %u", part, delay);
            if (part == PART_STORE) {
                ck_assert_uint_eq(tensix->dst.bits[8][0], 0x3f80); /* not the low half, 0 */
                ck_assert_uint_eq(tensix->dst.bits[12][0], 0);
            }
        }
    }
}
END_TEST

/* LLK schedules across macros whose bytes for the same sub-unit are 0. */
START_TEST(empty_bytes_do_not_forget)
{
    for (unsigned part = 0; part < 4; part++) {
        set_dst(8, 0x3f80);
        fill_lreg(STAGED, 0);
        fill_lreg(1, 0);
        put_template(tensix, 0, mover(part));
        put_sequence(tensix, 0, slot_for(part, 1));
        put_sequence(tensix, 1, 0);
        put_misc(tensix, HI16_ONLY);
        const uint32_t words[] = {macro(0, 1, HI16, 0, 8), macro(1, 2, HI16, 0, 12)};
        burst(&harness, words, 2);
        settle(&harness);
        no_faults("empty");
        if (part != PART_STORE) {
            ck_assert_msg(lreg(STAGED, 0) == 0x3f800000, "part %u", part);
        } else {
            ck_assert_uint_eq(tensix->dst.bits[8][0], 0x3f80);
        }
    }
}
END_TEST

/* --- What is undefined --- */

static void expect_undefined(const char *what)
{
    static struct tensix_vector before;
    tensix->vector.uses_flags = 0;
    unit_take(&unit, tensix);
    harness.faults = 0;
    before = tensix->vector;
    const uint32_t one = macro(1, 3, UINT16, 5, 40);
    burst(&harness, &one, 1);
    settle(&harness);
    ck_assert_msg(harness.faults == 1, "%s: %u faults", what, harness.faults);
    ck_assert_msg(harness.fault.kind == TENSIX_FAULT_UNDEFINED, "%s: kind %d", what,
                  harness.fault.kind);
    ck_assert_msg(strncmp(harness.fault.text, "SFPLOADMACRO", 12) == 0, "%s", harness.fault.text);
    unit_compare(&unit, tensix, what);
    ck_assert_uint_eq(tensix->vector.schedules, before.schedules);
    harness.faults = 0;
}

START_TEST(undefined)
{
    tensix->thread_config[0][TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + 5] = 6;
    put_misc(tensix, UINT16);
    for (unsigned part = 0; part < 4; part++) {
        put_sequence(tensix, 1, 1u << part * 8);
        expect_undefined("select 1");
        put_sequence(tensix, 1, 0);
        tensix->vector.macro[5].sequence[1] = slot(INTO_VB, 5, 1) << part * 8;
        expect_undefined("select 1 in a column");
    }
    put_sequence(tensix, 1, slot(0, 2, THE_NOP) << 24);
    expect_undefined("SFPNOP in the store sub-unit");
    for (unsigned code = 0; code < 256; code++) {
        if (code != STORE) {
            put_template(tensix, 0, code << 24 | 0x300);
            put_sequence(tensix, 1, slot(0, 2, 4) << 24);
            expect_undefined("another template in the store sub-unit");
        }
    }
    for (unsigned columns = 1; columns < 255; columns += 9) {
        for (unsigned c = 0; c < 8; c++) {
            tensix->vector.macro[c].sequence[1] =
                columns >> c & 1 ? slot(0, 2, THE_STORE) << 24 : slot(0, 2, THE_NOP);
        }
        expect_undefined("stores of some columns");
    }
}
END_TEST

/* What a sub-unit cannot execute becomes a SFPNOP, which occupies it. */
START_TEST(strangers_become_nops)
{
    for (unsigned code = 0; code < 256; code++) {
        for (unsigned part = 0; part < 3; part++) {
            if (code >= LOAD && code <= ARECIP && code != SFPNOP && part_of(code) == part) {
                continue;
            }
            dice_fill(&dice, tensix);
            put_template(tensix, 0, code << 24 | 0x001230);
            put_sequence(tensix, 0, slot(0, 0, code == STORE ? THE_STORE : 4) << part * 8);
            put_misc(tensix, 0);
            const uint32_t words[] = {
                macro(0, 1, UINT16, 0, 32),
                part == PART_SIMPLE ? narrow(NOT, 0, 3, 3, 0)
                : part == PART_MAD  ? imm16(ADDI, 0x3f80, 3, 0)
                                    : narrow(SHFT2, 3, 3, 3, 5),
                (uint32_t)SFPNOP << 24,
            };
            unit_take(&unit, tensix);
            for (unsigned n = 0; n < 3; n++) {
                unit_cycle(&unit, tensix, words[n]);
            }
            ck_assert_uint_eq(unit.discarded, 1);
            burst(&harness, words, 3);
            settle(&harness);
            char text[TEXT];
            snprintf(text, sizeof text, "%02x in part %u", code, part);
            no_faults(text);
            unit_compare(&unit, tensix, text);
        }
    }
}
END_TEST

/* --- How configuration gets there --- */

START_TEST(backdoor)
{
    for (unsigned code = LOAD; code <= ARECIP; code++) {
        if (code == CONFIG || code == SFPNOP || code == LOADMACRO) {
            continue;
        }
        for (unsigned vd = 12; vd < 16; vd++) {
            dice_fill(&dice, tensix);
            unsigned closed = dice_next(&dice) & 0xff & (vd & 1 ? 0xff : 0);
            for (unsigned c = 0; c < 8; c++) {
                tensix->vector.lane_config[c] = closed >> c & 1 ? 2 : 0;
            }
            tensix_vector_derive(&tensix->vector);
            tensix->vector.uses_flags = dice_next(&dice);
            tensix->vector.flags = dice_next(&dice);
            bool is_wide = code == LOAD || code == LOADI || code == STORE || code == LUT;
            uint32_t word = is_wide ? wide((enum code)code, vd, 2, 0, code == LUT ? 0 : 16)
                                    : narrow((enum code)code, 0, 0, vd, 0);
            if (code == PUSHC || code == POPC || code == COMPC || code == TRANSP || code == ENCC ||
                code == LUTFP32) {
                closed = 0;
                tensix->vector.lane_config[0] = 0;
                memset(tensix->vector.lane_config, 0, sizeof tensix->vector.lane_config);
                tensix_vector_derive(&tensix->vector);
                word = imm16((enum code)code, 0, vd, 0);
            }
            unit_take(&unit, tensix);
            if (closed && (code == LUT || code == SWAP)) {
                continue; /* its operands then lie where no LReg is */
            }
            unit_alone(&unit, tensix, word);
            ck_assert_msg(!unit.unclear, "%02x: %s", code, unit.unclear);
            burst(&harness, &word, 1);
            settle(&harness);
            char text[TEXT];
            snprintf(text, sizeof text, "%08x with %02x closed", word, closed);
            no_faults(text);
            unit_compare(&unit, tensix, text);
            ck_assert_uint_eq(tensix->vector.macro[0].instruction[vd - 12] == word, !(closed & 1));
        }
    }
}
END_TEST

/* SFPCONFIG of all targets, with all modes, lane masks and flags. */
START_TEST(configuration)
{
    for (unsigned i = 0; i < 3000; i++) {
        unsigned vd = dice_below(&dice, 16), mod = dice_below(&dice, 16);
        if (i % 50 == 0) {
            dice_fill(&dice, tensix);
        }
        tensix->vector.uses_flags = i & 1 ? dice_next(&dice) : 0;
        tensix->vector.flags = dice_next(&dice);
        uint32_t word = imm16(CONFIG, dice_next(&dice) & 0xffff, vd, mod);
        unit_take(&unit, tensix);
        unit_alone(&unit, tensix, word);
        ck_assert_msg(!unit.unclear, "%s", unit.unclear);
        const uint32_t words[] = {word, (uint32_t)SFPNOP << 24};
        burst(&harness, words, 2);
        char text[TEXT];
        snprintf(text, sizeof text, "SFPCONFIG %08x", word);
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}
END_TEST

/* A scheduled SFPCONFIG has VD of the macro as its target. */
START_TEST(scheduled_configuration)
{
    for (unsigned vd = 1; vd < 8; vd++) {
        fill_lreg(0, 0x1234567 + vd);
        put_template(tensix, 0, imm16(CONFIG, 0, 11, 0));
        put_sequence(tensix, 0, sequence(slot(0, 2, 4), 0, 0, 0));
        put_misc(tensix, 0);
        const uint32_t one = macro(0, vd, UINT16, 0, 0);
        unit_take(&unit, tensix);
        unit_cycle(&unit, tensix, one);
        (void)unit_rest(&unit, tensix);
        burst(&harness, &one, 1);
        settle(&harness);
        no_faults("SFPCONFIG");
        unit_compare(&unit, tensix, "scheduled SFPCONFIG");
    }
}
END_TEST

/* --- The rest of the tile --- */

/* The Matrix Unit sees what macros have stored. */
START_TEST(matrix_unit_sees_stores)
{
    tensix->src[TENSIX_SRC_A].matrix_may[0] = true;
    put_sequence(tensix, 0, slot(INTO_STAGED, 5, THE_STORE) << 24);
    put_misc(tensix, BF16);
    fill_lreg(STAGED, 0x40a00000);
    const uint32_t words[] = {macro(0, 1, BF16, 0, 0),
                              tensix_harness_assemble("MOVD2A 0, 0, 0, 0, 0")};
    burst(&harness, words, 1);
    harness.time += 20;
    burst(&harness, words + 1, 1);
    no_faults("MOVD2A");
    ck_assert_uint_eq(tensix->dst.bits[0][0], 0x2081); /* 5.0 */
    ck_assert_uint_ne(tensix->src_file[0].bank[0][0][0], 0);
    ck_assert_uint_eq(tensix->src_file[0].bank[0][0][0], tensix->src_file[0].bank[0][0][2]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("load macros");
    TCase *tcase = tcase_create("all");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, delays);
    tcase_add_test(tcase, one_makes_all_count_instructions);
    tcase_add_test(tcase, rest);
    tcase_add_test(tcase, waiting_at_the_gate);
    tcase_add_test(tcase, overrides);
    tcase_add_test(tcase, overrides_of_floats);
    tcase_add_test(tcase, flags_of_staged_results);
    tcase_add_test(tcase, stores_where_the_macro_loaded);
    tcase_add_test(tcase, formats_of_stores);
    tcase_add_test(tcase, loads_are_as_loads);
    tcase_add_test(tcase, later_macros_forget);
    tcase_add_test(tcase, empty_bytes_do_not_forget);
    tcase_add_test(tcase, undefined);
    tcase_add_test(tcase, strangers_become_nops);
    tcase_add_test(tcase, backdoor);
    tcase_add_test(tcase, configuration);
    tcase_add_test(tcase, scheduled_configuration);
    tcase_add_test(tcase, matrix_unit_sees_stores);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
