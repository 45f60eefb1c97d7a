/*
 * What meets in a cycle when load macros are under way: who wins, who reads first, when late
 * results come, columns that do different things.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO, SFPMAD, SFPLOAD, SFPSHFT2.
 */
#include "unit/tensix/macro_world.h"
#include "unit/run_suite.h"

#include <stdio.h>
#include <string.h>

START_TEST(a_scheduled_instruction_wins)
{
    static const struct {
        unsigned part;
        uint32_t word;
    } ordinary[] = {
        {PART_SIMPLE, 0x7d000550}, /* SFPABS 5, 5 */
        {PART_SIMPLE, 0x91700b81}, /* SFPCONFIG 0x700b, 8, 1 */
        {PART_SIMPLE, 0x8a003006}, /* SFPENCC 3 */
        {PART_MAD, 0x84050654},    {PART_MAD, 0x75123450},   {PART_ROUND, 0x94056755},
        {PART_ROUND, 0x8e200051},  {PART_STORE, 0x72360064}, {PART_LOAD, 0x70560040},
        {PART_LOAD, 0x71521234},
    };
    for (unsigned i = 0; i < sizeof ordinary / sizeof ordinary[0] * 5; i++) {
        unsigned part = i % 5, k = i / 5;
        if (part == PART_LOAD) {
            continue; /* nothing can be scheduled there */
        }
        dice_fill(&dice, tensix);
        uint32_t byte = part == PART_STORE ? slot(INTO_VB, 1, 4) : slot(INTO_STAGED, 1, THE_NOP);
        put_template(tensix, 0, wide(STORE, 3, UINT16, 0, 0));
        put_sequence(tensix, 0, byte << part * 8);
        put_misc(tensix, UINT16);
        unit_take(&unit, tensix);
        const uint32_t words[] = {macro(0, 1, UINT16, 0, 32), (uint32_t)SFPNOP << 24,
                                  ordinary[k].word};
        for (unsigned n = 0; n < 3; n++) {
            unit_cycle(&unit, tensix, words[n]);
        }
        (void)unit_rest(&unit, tensix);
        ck_assert_msg(!unit.unclear || part != ordinary[k].part, "%s", unit.unclear);
        ck_assert_uint_eq(unit.discarded, part == ordinary[k].part);
        burst(&harness, words, 3);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "%08x while part %u is busy", ordinary[k].word, part);
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}
END_TEST

/* What is discarded has been issued: it counts. */
START_TEST(discarded_ones_count)
{
    put_template(tensix, 0, mover(PART_ROUND));
    put_sequence(tensix, 0, sequence(slot(0, 0, THE_NOP), 0, slot(INTO_VB | INTO_STAGED, 2, 4), 0));
    put_misc(tensix, COUNTS_SIMPLE | COUNTS_ROUND);
    fill_lreg(STAGED, 0);
    unit.discarded = 1;
    const uint32_t words[] = {macro(0, 1, UINT16, 0, 8), narrow(NOT, 0, 5, 5, 0),
                              loadi(1, 2, 0x1111), loadi(1, 2, 0x2222), loadi(1, 2, 0x3333)};
    uint32_t before = lreg(5, 0);
    burst(&harness, words, 5);
    settle(&harness);
    ck_assert_uint_eq(lreg(5, 0), before);
    ck_assert_uint_eq(lreg(STAGED, 0), 0x1111);
    no_faults("discarded");
}
END_TEST

/* ... and takes its cycle, no more. */
START_TEST(discarded_ones_take_a_cycle)
{
    static const uint32_t taken[] = {0x80000550, 0x94052755, 0x8e200051, 0x84050654};
    for (unsigned i = 0; i < 4 * 5; i++) {
        unsigned k = i % 4, delay = 2 + i / 4;
        unsigned part = k == 1 || k == 2 ? PART_ROUND : k == 3 ? PART_MAD : PART_SIMPLE;
        unsigned other = part == PART_SIMPLE ? PART_ROUND : PART_SIMPLE;
        put_template(tensix, 0, mover(other));
        put_sequence(tensix, 0, slot(0, 0, THE_NOP) << part * 8 | slot_for(other, delay));
        put_misc(tensix, 0);
        fill_lreg(STAGED, 0);
        unit.discarded = 1;
        uint32_t words[12] = {macro(0, 1, UINT16, 0, 8), taken[k]};
        for (unsigned n = 2; n < 12; n++) {
            words[n] = loadi(1, 2, 0x1000 + n);
        }
        burst(&harness, words, 12);
        settle(&harness);
        no_faults("discarded");
        ck_assert_msg(lreg(STAGED, 0) == 0x1000 + delay, "%08x, delay %u: %x", taken[k], delay,
                      lreg(STAGED, 0));
    }
}
END_TEST

/* Results of the MAD sub-unit come a cycle later: a new one every cycle, each stored in time. */
START_TEST(pipeline)
{
    uint32_t words[16];
    put_template(tensix, 0, mad(MUL24, 0, 0, ZEROES, 0, 0));
    put_sequence(
        tensix, 0,
        sequence(0, slot(INTO_VB | INTO_STAGED, 0, 4), 0, slot(INTO_STAGED, 2, THE_STORE)));
    for (unsigned kind = 0; kind < 2; kind++) {
        put_misc(tensix, UINT16 | (kind ? COUNTS_MAD | COUNTS_STORE : 0));
        fill_lreg(0, 3);
        for (unsigned i = 0; i < 8; i++) {
            set_dst(i * 4, (uint16_t)(i + 10));
            words[i] = macro(0, 1, UINT16, 0, i * 4);
            words[8 + i] = (uint32_t)SFPNOP << 24;
        }
        burst(&harness, words, 16);
        settle(&harness);
        for (unsigned i = 0; i < 8; i++) {
            ck_assert_msg(tensix->dst.bits[i * 4][0] == 3 * (i + 10), "row %u is %u", i * 4,
                          tensix->dst.bits[i * 4][0]);
            ck_assert_uint_eq(tensix->dst.bits[i * 4][1], i + 10);
        }
        no_faults("pipeline");
    }
}
END_TEST

/* Two results of two cycles at a time: both are there after them, as a store and another
 * instruction of the round sub-unit see. */
START_TEST(two_late_results)
{
    for (unsigned i = 0; i < 3 * 2 * 6; i++) {
        unsigned mode = 2 + i % 3, kind = i / 3 % 2, delay = i / 6;
        dice_fill(&dice, tensix);
        put_template(tensix, 0, mad(MUL24, 5, 0, ZEROES, 0, 0));
        put_template(tensix, 1, narrow(SHFT2, 0, 6, 0, mode));
        put_sequence(tensix, 0,
                     sequence(0, slot(INTO_VB, delay, 4), slot(INTO_VB | INTO_STAGED, delay, 5),
                              slot(0, 7, THE_STORE)));
        put_sequence(tensix, 1, sequence(0, 0, slot(INTO_VB | INTO_STAGED, delay + 1, 7), 0));
        put_template(tensix, 3, narrow(SHFT2, 0, 4, 0, 3));
        put_misc(tensix, UINT16 | (kind ? 0xf00 : 0));
        uint32_t words[16] = {macro(0, 4, UINT16, 0, 8), macro(1, 7, UINT16, 0, 16)};
        for (unsigned n = 2; n < 16; n++) {
            words[n] = (uint32_t)SFPNOP << 24;
        }
        words[1] = delay ? words[1] : words[2];
        unit_take(&unit, tensix);
        for (unsigned n = 0; n < 16; n++) {
            unit_cycle(&unit, tensix, words[n]);
        }
        (void)unit_rest(&unit, tensix);
        ck_assert_msg(!unit.unclear, "%s", unit.unclear);
        burst(&harness, words, 16);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "SFPSHFT2 mode %u beside MAD, delay %u", mode, delay);
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}
END_TEST

/* A late result comes in the cycle of a load into another LReg, of all or some lanes. */
START_TEST(late_results_beside_loads)
{
    for (unsigned i = 0; i < 8 * 8 * 4; i++) {
        unsigned to = i & 7, vd = i >> 3 & 7, how = i / 64;
        dice_fill(&dice, tensix);
        tensix->vector.uses_flags = how & 2 ? UINT32_MAX : 0;
        for (unsigned c = 0; c < 8; c++) {
            tensix->vector.lane_config[c] = how & 1 ? dice_next(&dice) & 0x7c : 0;
        }
        tensix_vector_derive(&tensix->vector);
        put_sequence(tensix, 0, slot(0, 6, THE_NOP));
        put_sequence(tensix, 1, 0);
        put_misc(tensix, 0);
        const uint32_t words[] = {macro(0, 0, BF16, 0, 8), mad(MAD, 1, 2, 3, to, 0),
                                  macro(1, vd, INT32, 0, 16)};
        unit_take(&unit, tensix);
        for (unsigned n = 0; n < 3; n++) {
            unit_cycle(&unit, tensix, words[n]);
        }
        (void)unit_rest(&unit, tensix);
        if (unit.unclear) {
            continue; /* both write the same LReg */
        }
        burst(&harness, words, 3);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "LReg[%u] late beside a load of LReg[%u], %u", to, vd, how);
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}
END_TEST

/* The same with VD by lane, and lanes that do not load, while a shuffle is to come. */
START_TEST(indirect_results_beside_loads)
{
    for (unsigned i = 0; i < 200; i++) {
        unsigned vd = dice_below(&dice, 7), bits = i & 1 ? 0x1060 : dice_next(&dice) & 0xf06c;
        dice_fill(&dice, tensix);
        tensix->vector.uses_flags = 0;
        for (unsigned lane = 0; lane < LANES; lane++) {
            tensix->vector.lreg[7][lane] = dice_below(&dice, 16);
        }
        memset(tensix->vector.lane_config, 0, sizeof tensix->vector.lane_config);
        tensix->vector.lane_config[3] = bits;
        tensix_vector_derive(&tensix->vector);
        put_template(tensix, 2, narrow(SHFT2, 0x4d0, 12, 11, 4));
        put_sequence(tensix, 1, sequence(0, 0, slot(INTO_VB | INTO_STAGED, 6, 6), 0));
        put_sequence(tensix, 0, 0);
        put_misc(tensix, 0xf00);
        const uint32_t nop = (uint32_t)SFPNOP << 24;
        const uint32_t words[] = {
            macro(1, 5, BF16, 0, 8),    nop, nop, nop, nop, mad(ADD, 5, 0, 4, 0, 8),
            macro(0, vd, INT32, 0, 16), nop, nop, nop};
        unit_take(&unit, tensix);
        for (unsigned n = 0; n < 10; n++) {
            unit_cycle(&unit, tensix, words[n]);
        }
        (void)unit_rest(&unit, tensix);
        if (unit.unclear) {
            continue;
        }
        burst(&harness, words, 10);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "indirect VD beside a load of LReg[%u], column 3 with %04x", vd,
                 bits);
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}
END_TEST

/* VD by lane (LReg[7]), scheduled or ordinary while a macro is under way. */
START_TEST(indirect_results)
{
    for (unsigned i = 0; i < 4 * 60; i++) {
        bool by_macro = i & 1, discards = i & 2;
        dice_fill(&dice, tensix);
        tensix->vector.uses_flags = dice_next(&dice);
        tensix->vector.flags = dice_next(&dice);
        for (unsigned lane = 0; lane < LANES; lane++) {
            tensix->vector.lreg[7][lane] = dice_next(&dice) & 0xfffffff0;
            tensix->vector.lreg[7][lane] |= i < 120 ? lane % 3 * 5 : dice_below(&dice, 16);
        }
        uint32_t word = mad(MAD, 1, 2, 3, 5, 8);
        put_template(tensix, 0, word);
        put_sequence(tensix, 0,
                     sequence(slot(0, 2, THE_NOP), by_macro ? slot(INTO_VB, 0, 4) : 0, 0, 0));
        put_sequence(tensix, 1, 0);
        put_misc(tensix, 0);
        const uint32_t nop = (uint32_t)SFPNOP << 24;
        const uint32_t words[] = {macro(0, 2, BF16, 0, 8),
                                  by_macro ? nop : word,
                                  nop,
                                  discards ? narrow(NOT, 0, 4, 5, 0) : nop,
                                  nop,
                                  nop};
        unit_take(&unit, tensix);
        for (unsigned n = 0; n < 6; n++) {
            unit_cycle(&unit, tensix, words[n]);
        }
        (void)unit_rest(&unit, tensix);
        if (unit.unclear) {
            continue;
        }
        burst(&harness, words, 6);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "indirect VD %s, %s", by_macro ? "scheduled" : "ordinary",
                 discards ? "one is discarded" : "none is discarded");
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}
END_TEST

/* A load writes what a scheduled instruction and a store of the same cycle still read. */
START_TEST(reads_come_before_writes)
{
    set_dst(0, 0x1111);
    set_dst(4, 0x2222);
    put_template(tensix, 0, narrow(SETCC, 0, 0, 0, 0));
    put_template(tensix, 1, narrow(ENCC, 0, 0, 0, 0));
    put_template(tensix, 2, wide(STORE, 5, 0, 0, 0));
    put_sequence(tensix, 0, sequence(slot(0, 0, 4), 0, 0, slot(0, 0, THE_STORE)));
    put_sequence(tensix, 1, sequence(slot(0, 0, 5), 0, 0, slot(INTO_VB, 0, 6)));
    put_misc(tensix, UINT16);
    tensix->vector.uses_flags = tensix->vector.flags = UINT32_MAX;
    fill_lreg(5, 0x7777);
    const uint32_t words[] = {macro(0, 2, UINT16, 0, 0), macro(1, 2, UINT16, 0, 4),
                              loadi(5, 2, 0x8888), (uint32_t)SFPNOP << 24};
    burst(&harness, words, 4);
    settle(&harness);
    no_faults("order");
    /* 0x1111 is not negative: all lanes are off when the second load has come; on again after. */
    ck_assert_uint_eq(tensix->dst.bits[0][0], 0x1111);
    ck_assert_uint_eq(lreg(2, 0), 0x2222);
    ck_assert_uint_eq(tensix->vector.flags, UINT32_MAX);
    ck_assert_uint_ne(tensix->dst.bits[4][0], 0x7777); /* stored while off */
    ck_assert_uint_ne(lreg(5, 0), 0x8888);             /* loaded while off */
}
END_TEST

/* The same with all formats of the load, which in INT32_ALL writes disabled lanes too, beside a
 * scheduled instruction of each sub-unit that reads the LReg. */
START_TEST(loads_beside_scheduled_ones)
{
    for (unsigned i = 0; i < 16 * 4 * 4; i++) {
        unsigned format = i & 15, part = i >> 4 & 3, vd = dice_below(&dice, 8);
        dice_fill(&dice, tensix);
        tensix->vector.uses_flags = dice_next(&dice);
        tensix->vector.flags = dice_next(&dice);
        put_template(tensix, 0, mover(part));
        put_sequence(tensix, 0, slot_for(part, 0));
        put_sequence(tensix, 1, 0);
        put_misc(tensix, UINT16);
        const uint32_t words[] = {macro(0, vd, UINT16, 0, 0), i & 64
                                                                  ? macro(1, vd, format, 0, 66)
                                                                  : wide(LOAD, vd, format, 0, 66)};
        unit_take(&unit, tensix);
        unit_cycle(&unit, tensix, words[0]);
        unit_cycle(&unit, tensix, words[1]);
        (void)unit_rest(&unit, tensix);
        ck_assert_msg(!unit.unclear, "%s", unit.unclear);
        burst(&harness, words, 2);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "part %u beside a load of format %u by %08x", part, format,
                 words[1]);
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}
END_TEST

/* A store reads what the cycle before has written, whatever writes the LReg in its own cycle. */
START_TEST(stores_beside_writers)
{
    for (unsigned i = 0; i < 3 * 8 * 4; i++) {
        unsigned part = i % 3, delay = i / 3 % 8, how = i / 24;
        dice_fill(&dice, tensix);
        tensix->vector.uses_flags = how & 1 ? UINT32_MAX : 0;
        uint32_t byte = slot(part == PART_SIMPLE ? 0 : INTO_VB, delay, 4);
        put_template(tensix, 0, part == PART_SIMPLE ? narrow(NOT, 0, 0, 0, 0) : mover(part));
        put_sequence(tensix, 0, byte << part * 8 | slot(0, delay, THE_STORE) << 24);
        put_sequence(tensix, 1, 0);
        put_misc(tensix, INT32);
        uint32_t words[9] = {macro(0, 2, INT32, 0, 0)};
        for (unsigned n = 1; n <= delay; n++) {
            words[n] = how & 2 ? macro(1, 2, UINT16, 0, 64 + 4 * n) : loadi(2, 2, 100 * n);
        }
        unit_take(&unit, tensix);
        for (unsigned n = 0; n <= delay; n++) {
            unit_cycle(&unit, tensix, words[n]);
        }
        (void)unit_rest(&unit, tensix);
        ck_assert_msg(!unit.unclear, "%s", unit.unclear);
        burst(&harness, words, delay + 1);
        settle(&harness);
        char text[TEXT];
        snprintf(text, sizeof text, "store beside part %u, delay %u, loads %u", part, delay, how);
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}
END_TEST

/* Each column does what its own LoadMacroConfig says, in the same cycles. */
START_TEST(columns_that_differ)
{
    static const uint8_t codes[] = {SETCC, GT, LE, ENCC, COMPC, IADD, LZ, NOT, ABS, MOV};
    for (unsigned i = 0; i < 400; i++) {
        tensix_reset(tensix);
        dice_fill(&dice, tensix);
        tensix->vector.uses_flags = UINT32_MAX;
        tensix->vector.flags = dice_next(&dice) | dice_next(&dice);
        put_misc(tensix, UINT16);
        for (unsigned c = 0; c < 8; c++) {
            struct tensix_macro_config *config = &tensix->vector.macro[c];
            unsigned code = codes[dice_below(&dice, i & 1 ? 5 : 10)];
            config->instruction[0] = code == ENCC || code == COMPC
                                         ? imm16((enum code)code, 0, 3, code == ENCC)
                                         : narrow((enum code)code, 0, 5, 3, code == NOT ? 0 : 1);
            config->instruction[1] = mad(MUL24, dice_below(&dice, 8), 4, ZEROES, 0, 0);
            config->instruction[2] = narrow(SHFT2, dice_next(&dice) & 0xfff, 0, 0, 6);
            config->sequence[0] =
                sequence(slot(0, dice_below(&dice, 3), 4), slot(INTO_VB, dice_below(&dice, 2), 5),
                         slot(INTO_STAGED | INTO_VB, 4 + dice_below(&dice, 2), 6),
                         slot(INTO_STAGED, dice_below(&dice, 2) + 6, THE_STORE));
        }
        const uint32_t one = macro(0, 1, INT16, 0, 0);
        unit_take(&unit, tensix);
        unit_cycle(&unit, tensix, one);
        (void)unit_rest(&unit, tensix);
        if (unit.unclear) {
            continue;
        }
        burst(&harness, &one, 1);
        settle(&harness);
        /* An LReg is late in the lanes of some columns, and read in others. */
        ck_assert(!harness.faults || harness.fault.kind == TENSIX_FAULT_HAZARD);
        harness.faults = 0;
        unit_compare(&unit, tensix, "columns");
    }
}
END_TEST

/* SFPSWAPs of several columns, which compare what a load then changes; equal operands too. */
START_TEST(swaps_of_columns)
{
    unsigned compared = 0;
    for (unsigned i = 0; i < 400; i++) {
        unsigned vd = dice_below(&dice, 4), delay = dice_below(&dice, 3);
        tensix_reset(tensix);
        dice_fill(&dice, tensix);
        for (unsigned r = 0; r < 8 && i & 1; r++) {
            for (unsigned lane = 0; lane < LANES; lane++) {
                tensix->vector.lreg[r][lane] &= 0x80000001;
            }
        }
        tensix->vector.flags = dice_next(&dice);
        tensix->vector.uses_flags = dice_next(&dice);
        put_misc(tensix, UINT16);
        for (unsigned c = 0; c < 8; c++) {
            struct tensix_macro_config *config = &tensix->vector.macro[c];
            unsigned other = 4 + dice_below(&dice, i & 2 ? 4 : 1), mod = dice_below(&dice, 12);
            config->instruction[0] = narrow(SWAP, 0, other, 0, mod);
            config->sequence[0] = sequence(slot(INTO_VB, delay, 4), 0, 0, 0);
            config->sequence[0] = dice_below(&dice, 6) ? config->sequence[0] : 0;
            tensix->vector.lane_config[c] = dice_below(&dice, 4) ? 0 : 0x100;
        }
        tensix_vector_derive(&tensix->vector);
        const uint32_t nop = (uint32_t)SFPNOP << 24;
        uint32_t words[6] = {macro(0, vd, INT32, 0, 0), nop, nop, nop, nop, nop};
        words[1 + delay] = loadi(i & 4 ? vd : 4 + dice_below(&dice, 4), 2, dice_next(&dice) & 1);
        unit_take(&unit, tensix);
        for (unsigned n = 0; n < 6; n++) {
            unit_cycle(&unit, tensix, words[n]);
        }
        (void)unit_rest(&unit, tensix);
        if (unit.unclear) {
            continue;
        }
        compared++;
        burst(&harness, words, 6);
        settle(&harness);
        no_faults("swaps");
        unit_compare(&unit, tensix, "swaps of columns");
    }
    ck_assert_uint_gt(compared, 300);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("load macros: cycles");
    TCase *tcase = tcase_create("all");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_scheduled_instruction_wins);
    tcase_add_test(tcase, discarded_ones_count);
    tcase_add_test(tcase, discarded_ones_take_a_cycle);
    tcase_add_test(tcase, pipeline);
    tcase_add_test(tcase, two_late_results);
    tcase_add_test(tcase, late_results_beside_loads);
    tcase_add_test(tcase, indirect_results_beside_loads);
    tcase_add_test(tcase, indirect_results);
    tcase_add_test(tcase, reads_come_before_writes);
    tcase_add_test(tcase, loads_beside_scheduled_ones);
    tcase_add_test(tcase, stores_beside_writers);
    tcase_add_test(tcase, columns_that_differ);
    tcase_add_test(tcase, swaps_of_columns);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
