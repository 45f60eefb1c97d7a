/*
 * Lane flags and their stacks, from the pages without a look at the unit: SFPENCC, SFPSETCC,
 * SFPPUSHC, SFPPOPC, SFPCOMPC, SFPLE, SFPGT, and the flags of SFPIADD, SFPEXEXP and SFPLZ, with
 * stacks whose depth differs from lane to lane.
 *
 * SPEC: BlackholeA0 VectorUnit (lane predication masks) and the pages of these instructions.
 */
#include "unit/tensix/sfp_model.h"
#include "unit/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1500, TEXT = 160 };

static const uint32_t numbers[] = {
    0,          1,          2,          0x7f,       0x00800000, 0x3f800000, 0x3f800001, 0x7f7fffff,
    0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x80000000, 0x80000001, 0x80800000, 0xbf800000,
    0xbf800001, 0xff7fffff, 0xff800000, 0xff800001, 0xffc00000, 0xffffffff, 0x12345678, 0x92345678,
    0x80000002, 0x00400000, 0x3f000000, 0x40000000, 0xc0000000, 0x5a5a5a5a, 0xa5a5a5a5, 0x7f000000,
};

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static struct unit unit;
static struct dice dice;

static void setup(void)
{
    tensix_harness_open(&harness);
    dice.state = 7;
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

/* Executes a word on both sides, from the state of the coprocessor, and compares. */
static void both(uint32_t word, const char *what)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%s, %08x", what, word);
    harness.faults = 0;
    unit_take(&unit, tensix);
    unit_alone(&unit, tensix, word);
    ck_assert_msg(!unit.unclear, "%s: %s", text, unit.unclear);
    burst(&harness, &word, 1);
    settle(&harness);
    ck_assert_msg(harness.faults == unit.undefined, "%s: %u faults: %s", text, harness.faults,
                  harness.fault.text);
    if (unit.undefined) {
        ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_UNDEFINED);
        ck_assert_msg(strstr(harness.fault.text, word >> 24 == PUSHC ? "SFPPUSHC: " : "SFPPOPC: "),
                      "%s", harness.fault.text);
        ck_assert_uint_lt(strlen(harness.fault.text), 160);
    }
    unit_compare(&unit, tensix, text);
}

/* Lanes have all values of flag and use, now and at the top of stacks of `depth`. */
static void all_states(unsigned depth, unsigned turn)
{
    struct tensix_vector *vector = &tensix->vector;
    memset(vector->stack, 0, sizeof vector->stack);
    vector->flags = 0xaaaaaaaa;
    vector->uses_flags = 0xcccccccc;
    for (unsigned i = 0; i < depth; i++) {
        vector->stack[i].used = UINT32_MAX;
        vector->stack[i].flags = i ? dice_next(&dice) : 0xf0f0f0f0;
        vector->stack[i].uses_flags = i ? dice_next(&dice) : 0xff00ff00;
    }
    if (turn & 1) { /* other lanes for the same */
        vector->flags = vector->flags << 5 | vector->flags >> 27;
        vector->uses_flags = ~vector->uses_flags;
    }
}

/* Stacks of all depths at once; entries that are not there are 0 as after power-on. */
static void ragged(unsigned least, unsigned most)
{
    struct tensix_vector *vector = &tensix->vector;
    memset(vector->stack, 0, sizeof vector->stack);
    vector->flags = dice_next(&dice);
    vector->uses_flags = dice_next(&dice);
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned depth = least + dice_below(&dice, most - least + 1);
        for (unsigned i = 0; i < depth; i++) {
            vector->stack[i].used |= UINT32_C(1) << lane;
            vector->stack[i].flags |= (dice_next(&dice) & 1) << lane;
            vector->stack[i].uses_flags |= (dice_next(&dice) & 1) << lane;
        }
    }
}

static void mask_lanes(void)
{
    for (unsigned column = 0; column < 8; column++) {
        tensix->vector.lane_config[column] = (dice_next(&dice) & dice_next(&dice) & 0xf000) | 2;
    }
    tensix_vector_derive(&tensix->vector);
}

/* --- The stack --- */

START_TEST(all_modes_at_all_depths)
{
    unsigned mod = (unsigned)_i;
    for (unsigned depth = 0; depth <= DEPTH; depth++) {
        for (unsigned turn = 0; turn < 4; turn++) {
            all_states(depth, turn);
            both(imm16(PUSHC, 0, turn, mod), "push");
            all_states(depth, turn);
            both(imm16(POPC, 0, turn, mod), "pop");
            all_states(depth, turn);
            both(imm16(COMPC, 0, turn, 0), "complement");
        }
    }
}
END_TEST

/* By hand, for one lane of each kind: what SFPPUSHC and SFPPOPC with a mode make of A and B. */
START_TEST(modes_by_hand)
{
    /* by A: 0 0 1 1 and B: 0 1 0 1 */
    static const char *const results[13] = {"",     "0101", "1010", "0001", "0111", "0010", "1011",
                                            "0100", "1101", "1000", "1110", "0110", "1001"};
    for (unsigned mod = 1; mod <= 12; mod++) {
        for (unsigned i = 0; i < 4; i++) {
            uint32_t a = i >> 1 ? UINT32_MAX : 0, b = i & 1 ? UINT32_MAX : 0;
            uint32_t wanted = results[mod][i] == '1' ? UINT32_MAX : 0;
            struct tensix_vector *vector = &tensix->vector;
            memset(vector->stack, 0, sizeof vector->stack);
            vector->stack[0] = (struct tensix_flag_level){UINT32_MAX, a, 0};
            vector->flags = b;
            vector->uses_flags = UINT32_MAX;
            uint32_t word = imm16(PUSHC, 0, 0, mod);
            burst(&harness, &word, 1);
            ck_assert_msg(vector->stack[0].flags == wanted, "push %u", mod);
            ck_assert_msg(vector->stack[0].uses_flags == UINT32_MAX, "push %u", mod);
            ck_assert_uint_eq(vector->flags, b);
            vector->stack[0] = (struct tensix_flag_level){UINT32_MAX, b, 0};
            vector->flags = a;
            word = imm16(POPC, 0, 0, mod);
            burst(&harness, &word, 1);
            ck_assert_msg(vector->flags == wanted, "pop %u", mod);
            ck_assert_msg(vector->uses_flags == 0, "pop %u", mod);
            ck_assert_uint_eq(vector->stack[0].used, UINT32_MAX);
        }
    }
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

START_TEST(depth_differs_between_lanes)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        mask_lanes();
        if (i & 1) { /* templates may be there, which closes VD from 12 on */
            tensix->vector.lane_config[dice_below(&dice, 8)] &= ~2u;
            tensix_vector_derive(&tensix->vector);
        }
        unsigned mod = dice_below(&dice, 16), vd = dice_below(&dice, 16);
        ragged(1, 7);
        both(imm16(PUSHC, 0, vd, mod), "push");
        ragged(1, 8);
        both(imm16(POPC, 0, vd, mod), "pop");
        ragged(0, 8);
        both(imm16(POPC, 0, vd, mod ? mod : 1), "peek");
        ragged(0, 8);
        both(imm16(COMPC, 0, vd, 0), "complement");
    }
}
END_TEST

/* A lane in which it is undefined is enough, and then nothing happens in any; not if it has a
 * template written instead. */
START_TEST(one_lane_overflows)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t bit = UINT32_C(1) << lane;
        for (unsigned mod = 0; mod < 16; mod++) {
            mask_lanes();
            ragged(1, 7);
            for (unsigned i = 0; i < DEPTH; i++) {
                tensix->vector.stack[i].used =
                    mod ? tensix->vector.stack[i].used & ~bit : tensix->vector.stack[i].used | bit;
                tensix->vector.stack[i].flags &= tensix->vector.stack[i].used;
                tensix->vector.stack[i].uses_flags &= tensix->vector.stack[i].used;
            }
            both(imm16(PUSHC, 0, 2, mod), "overflow");
            ck_assert(unit.undefined);
            tensix->vector.lane_config[lane & 7] &= ~2u;
            tensix_vector_derive(&tensix->vector);
            both(imm16(PUSHC, 0, 13, mod), "a template instead");
        }
        mask_lanes();
        ragged(1, 8);
        for (unsigned i = 0; i < DEPTH; i++) {
            tensix->vector.stack[i].used &= ~bit;
            tensix->vector.stack[i].flags &= ~bit;
            tensix->vector.stack[i].uses_flags &= ~bit;
        }
        both(imm16(POPC, 0, 0, 0), "underflow");
        ck_assert(unit.undefined);
        both(imm16(POPC, 0, 0, 1 + dice_below(&dice, 15)), "peek");
        ck_assert(!unit.undefined);
    }
}
END_TEST

START_TEST(last_in_first_out)
{
    uint32_t flags[DEPTH], uses[DEPTH];
    const uint32_t push = imm16(PUSHC, 0, 0, 0), pop = imm16(POPC, 0, 0, 0);
    for (unsigned i = 0; i < DEPTH; i++) {
        flags[i] = tensix->vector.flags = dice_next(&dice);
        uses[i] = tensix->vector.uses_flags = dice_next(&dice);
        burst(&harness, &push, 1);
    }
    ck_assert_uint_eq(harness.faults, 0);
    burst(&harness, &push, 1);
    ck_assert_uint_eq(harness.faults, 1);
    for (unsigned i = DEPTH; i--;) {
        tensix->vector.flags = tensix->vector.uses_flags = 0;
        burst(&harness, &pop, 1);
        ck_assert_uint_eq(tensix->vector.flags, flags[i]);
        ck_assert_uint_eq(tensix->vector.uses_flags, uses[i]);
    }
    ck_assert_uint_eq(harness.faults, 1);
    burst(&harness, &pop, 1);
    ck_assert_uint_eq(harness.faults, 2);
}
END_TEST

/* --- Setting flags --- */

START_TEST(encc)
{
    for (unsigned mod = 0; mod < 16; mod++) {
        for (unsigned imm = 0; imm < 4; imm++) {
            for (unsigned i = 0; i < 8; i++) {
                mask_lanes();
                ragged(0, 8);
                both(narrow(ENCC, imm, 0, dice_below(&dice, 16), mod), "SFPENCC");
            }
        }
    }
}
END_TEST

/* All pairs of numbers come to a lane. */
static void put_numbers(unsigned turn)
{
    const unsigned many = sizeof numbers / sizeof numbers[0];
    for (unsigned r = 0; r < 8; r++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            tensix->vector.lreg[r][lane] = numbers[(lane + r * turn) % many];
        }
    }
}

START_TEST(setcc)
{
    for (unsigned mod = 0; mod < 16; mod++) {
        for (unsigned i = 0; i < 32; i++) {
            mask_lanes();
            ragged(0, 8);
            if (i < 16) {
                tensix->vector.uses_flags = tensix->vector.flags = UINT32_MAX;
            }
            put_numbers(i);
            both(narrow(SETCC, i & 1, i >> 1, dice_below(&dice, 16), mod), "SFPSETCC");
        }
    }
}
END_TEST

START_TEST(comparisons)
{
    unsigned mod = (unsigned)_i;
    for (unsigned turn = 0; turn < 32; turn++) {
        for (unsigned vd = 0; vd < 16; vd += 1 + (turn & 1) + (vd > 3 ? 1 : 0)) {
            mask_lanes();
            if (turn % 8 == 5) {
                tensix->vector.lane_config[turn & 7] &= ~2u;
                tensix_vector_derive(&tensix->vector);
            }
            ragged(0, 8);
            put_numbers(turn);
            unsigned vc = dice_below(&dice, 16);
            both(narrow(LE, 0, vc, vd, mod), "SFPLE");
            put_numbers(turn);
            both(narrow(GT, 0, vc, vd, mod), "SFPGT");
        }
    }
}
END_TEST

/* By hand: -NaN < -Inf < ... < -0 < +0 < ... < +Inf < +NaN. */
START_TEST(total_order)
{
    static const uint32_t order[] = {0xffffffff, 0xffc00000, 0xff800001, 0xff800000, 0xff7fffff,
                                     0xbf800000, 0x80800000, 0x80000001, 0x80000000, 0,
                                     1,          0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000,
                                     0x7f800001, 0x7fc00000, 0x7fffffff};
    enum { MANY = sizeof order / sizeof order[0] };
    const uint32_t le = narrow(LE, 0, 1, 0, 8), gt = narrow(GT, 0, 1, 2, 8);
    for (unsigned i = 0; i < MANY; i++) {
        for (unsigned j = 0; j < MANY; j++) {
            tensix->vector.lreg[0][5] = tensix->vector.lreg[2][5] = order[i];
            tensix->vector.lreg[1][5] = order[j];
            burst(&harness, &le, 1);
            burst(&harness, &gt, 1);
            ck_assert_uint_eq(tensix->vector.lreg[0][5], i <= j ? UINT32_MAX : 0);
            ck_assert_uint_eq(tensix->vector.lreg[2][5], i > j ? UINT32_MAX : 0);
        }
    }
}
END_TEST

START_TEST(flags_of_results)
{
    static const uint8_t codes[] = {IADD, EXEXP, LZ};
    for (unsigned i = 0; i < 3 * 16 * 40; i++) {
        unsigned code = codes[i % 3], mod = i / 3 % 16;
        mask_lanes();
        ragged(0, 8);
        put_numbers(i / 48);
        uint32_t imm = code == IADD ? dice_next(&dice) : 0;
        both(narrow((enum code)code, imm, dice_below(&dice, 16), dice_below(&dice, 16), mod),
             "flags of a result");
    }
}
END_TEST

/* --- Programs --- */

START_TEST(random_words)
{
    static const uint8_t codes[] = {ENCC, SETCC, PUSHC, POPC, COMPC, LE, GT, IADD, EXEXP, LZ, MOV};
    for (unsigned i = 0; i < 4 * ROUNDS; i++) {
        unsigned code = codes[dice_below(&dice, sizeof codes)], vd = dice_below(&dice, 16);
        unsigned mod = code == COMPC ? 0 : dice_below(&dice, 16), vc = dice_below(&dice, 9);
        unsigned imm = code == ENCC ? dice_below(&dice, 4) : code == SETCC ? i & 1 : 0;
        if (i % 64 == 0) {
            dice_fill(&dice, tensix);
            mask_lanes();
        }
        if ((code == PUSHC || code == POPC) && dice_below(&dice, 2)) {
            mod = 0;
        }
        vc = code == PUSHC || code == POPC || code == COMPC || code == ENCC ? 0 : vc;
        both(narrow((enum code)code, imm, vc, vd, mod), "random");
    }
}
END_TEST

/* if (x < 0) { if (x == -5) y = 1 else y = 2 } else { if (x & 1) y = 3 else y = 4 }, as compilers
 * map it to the stack. */
START_TEST(nested_conditions)
{
    const uint32_t words[] = {
        narrow(ENCC, 3, 0, 0, 10), /* flags count, all are set */
        imm16(PUSHC, 0, 0, 0),
        narrow(SETCC, 0, 0, 0, 0), /* x < 0 */
        imm16(PUSHC, 0, 0, 0),
        narrow(IADD, 5, 0, 2, 5),
        narrow(SETCC, 0, 2, 0, 6),
        loadi(1, 2, 1),
        imm16(COMPC, 0, 0, 0),
        loadi(1, 2, 2),
        imm16(POPC, 0, 0, 0),
        imm16(COMPC, 0, 0, 0),
        imm16(PUSHC, 0, 0, 0),
        loadi(3, 2, 1),
        narrow(AND, 0, 0, 3, 0),
        narrow(SETCC, 0, 3, 0, 2),
        loadi(1, 2, 3),
        imm16(COMPC, 0, 0, 0),
        loadi(1, 2, 4),
        imm16(POPC, 0, 0, 0),
        imm16(POPC, 0, 0, 0),
        narrow(ENCC, 2, 0, 0, 10), /* off again */
    };
    for (unsigned i = 0; i < 50; i++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            tensix->vector.lreg[0][lane] = lane == i ? 0u - 5 : dice_below(&dice, 16) - 8;
        }
        burst(&harness, words, sizeof words / sizeof words[0]);
        ck_assert_uint_eq(harness.faults, 0);
        for (unsigned lane = 0; lane < LANES; lane++) {
            int32_t x = (int32_t)tensix->vector.lreg[0][lane];
            unsigned wanted = x < 0 ? (x == -5 ? 1 : 2) : x & 1 ? 3 : 4;
            ck_assert_msg(tensix->vector.lreg[1][lane] == wanted, "%d: %u, not %u", x,
                          tensix->vector.lreg[1][lane], wanted);
        }
        ck_assert_uint_eq(tensix->vector.uses_flags, 0);
        ck_assert_uint_eq(tensix->vector.stack[0].used, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("flags");
    TCase *tcase = tcase_create("all");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, all_modes_at_all_depths, 0, 16);
    tcase_add_test(tcase, modes_by_hand);
    tcase_add_test(tcase, depth_differs_between_lanes);
    tcase_add_test(tcase, one_lane_overflows);
    tcase_add_test(tcase, last_in_first_out);
    tcase_add_test(tcase, encc);
    tcase_add_test(tcase, setcc);
    tcase_add_loop_test(tcase, comparisons, 0, 16);
    tcase_add_test(tcase, total_order);
    tcase_add_test(tcase, flags_of_results);
    tcase_add_test(tcase, random_words);
    tcase_add_test(tcase, nested_conditions);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
