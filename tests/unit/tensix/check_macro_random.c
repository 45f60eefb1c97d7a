/*
 * Random programs with load macros against the model, through the queues, straight, and in a timed
 * run. Steps at which the pages leave something open or to software are not taken.
 * PENROSE_LONG=<seed> runs many more.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO, VectorUnit and the pages of the scheduled instructions.
 */
#include "unit/tensix/sfp_model.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/run_suite.h"
#include "tensix/regs.h"
#include "tensix/table.h"

enum { PROGRAMS = 600, STEPS = 19, TAIL = 8, TRIES = 12, TEXT = 160 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static struct unit unit;
static struct dice dice;

static void setup(void)
{
    tensix_harness_open(&harness);
    dice.state = 6;
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

/* Hazards may be reported (an ordinary instruction is discarded; an LReg is read early, though not
 * in the lanes that were written), but change nothing. */
static void no_faults(const char *what)
{
    bool is_notice = harness.fault.kind == TENSIX_FAULT_HAZARD;
    ck_assert_msg(!harness.faults || is_notice, "%s: %s", what, harness.fault.text);
    harness.faults = 0;
}

/* Bits of imm12 that have a meaning. */
static uint32_t immediate_bits(enum code code)
{
    switch (code) {
    case IADD:
    case SHFT:
    case SETMAN:
        return 0xfff;
    case DIVP2:
    case SETEXP:
        return 0xff;
    case SETCC:
    case SETSGN:
        return 1;
    case ENCC:
        return 3;
    case ARECIP:
        return 15;
    default:
        return 0;
    }
}

static uint32_t random_template(unsigned part)
{
    static const uint8_t simples[] = {ABS,  AND,  OR,   XOR,   NOT,    CAST,   DIVP2,  EXEXP, EXMAN,
                                      IADD, LZ,   MOV,  SETCC, SETEXP, SETMAN, SETSGN, SHFT,  GT,
                                      LE,   SWAP, ENCC, PUSHC, POPC,   COMPC,  ARECIP, TRANSP};
    static const uint8_t mads[] = {ADD, ADDI, MAD, MUL, MULI, MUL24, MAD, MAD};
    uint32_t random = dice_next(&dice);
    unsigned va = dice_below(&dice, 16), vb = dice_below(&dice, 16), vc = dice_below(&dice, 16);
    unsigned vd = dice_below(&dice, 12), mod = random & 15;
    enum code code;
    if (part == PART_SIMPLE) {
        code = (enum code)simples[(random >> 8) % sizeof simples];
        if (code == AND || code == OR) {
            return narrow(code, vb, vc, vd, mod & 1);
        }
        mod = code == ARECIP ? 0 : mod;
        if (code == PUSHC || code == POPC || code == COMPC || code == TRANSP) {
            return imm16(code, 0, vd, code == COMPC || code == TRANSP ? 0 : mod);
        }
        mod = code == NOT || code == XOR ? 0 : mod;
        vc = code == ENCC ? 0 : vc;
        return narrow(code, random >> 16 & immediate_bits(code), vc, vd, mod);
    }
    if (part == PART_MAD) {
        code = (enum code)mads[(random >> 8) % sizeof mads];
        mod &= random >> 30 ? 3 : 15;
        if (code == ADDI || code == MULI) {
            return imm16(code, random >> 16, vd, mod);
        }
        return mad(code, va, vb, vc, vd, mod);
    }
    if (part == PART_ROUND) {
        return random & 1 << 20
                   ? narrow(SHFT2, random >> 8, vc, vd, random >> 28 & 1 ? 5 : mod % 7)
                   : stoch_rnd((random >> 24) % 3, random >> 8 & 31, vb, vc, vd,
                               (random >> 16 & 8 && (mod & 6) == 4 ? 8u : 0) | (mod & 7));
    }
    return wide(STORE, vd, dice_below(&dice, 16), dice_below(&dice, 8), random & 0xfe);
}

static uint32_t random_sequence(const unsigned parts[4])
{
    uint32_t bytes = 0;
    for (unsigned part = 0; part < 4; part++) {
        unsigned flags = dice_next(&dice) & 0xc0, delay = dice_below(&dice, 8);
        unsigned select = part == PART_STORE ? THE_STORE : THE_NOP;
        for (unsigned i = 0; i < 4; i++) {
            if (parts[i] == part && dice_below(&dice, 4)) {
                select = 4 + i;
            }
        }
        if (dice_below(&dice, 3)) {
            bytes |= slot(flags, delay, select) << part * 8;
        }
    }
    return bytes;
}

static void random_configuration(void)
{
    unsigned parts[4];
    for (unsigned i = 0; i < 4; i++) {
        parts[i] = i < 3 ? i : dice_below(&dice, 4);
        put_template(tensix, i, random_template(parts[i]));
    }
    for (unsigned i = 0; i < 4; i++) {
        put_sequence(tensix, i, random_sequence(parts));
    }
    unsigned kinds = dice_below(&dice, 3);
    put_misc(tensix, (dice_next(&dice) & 0xff) | (kinds == 0   ? 0
                                                  : kinds == 1 ? 0xf00
                                                               : dice_next(&dice) & 0xf00));
    for (unsigned i = 0; i < 8; i++) {
        tensix->thread_config[0][TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] = (uint16_t)(i * 3);
        tensix->vector.lane_config[i] =
            dice_below(&dice, 4) ? 0 : dice_next(&dice) & 0xf1f3 & dice_next(&dice);
    }
    if (dice_below(&dice, 6) == 0) { /* columns that differ */
        unsigned column = dice_below(&dice, 8);
        uint32_t store = tensix->vector.macro[column].sequence[0] & 0xff000000;
        tensix->vector.macro[column].sequence[0] = store | (random_sequence(parts) & 0xffffff);
        tensix->vector.macro[column].instruction[1] = random_template(PART_MAD);
    }
    tensix->vector.uses_flags = dice_below(&dice, 3) ? UINT32_MAX : dice_next(&dice);
    tensix->vector.flags = dice_next(&dice) | dice_next(&dice);
    tensix_vector_derive(&tensix->vector);
    tensix->config[0][TENSIX_WORD_ALU_ACC_CTRL_SFPU_Fp32_enabled] =
        (dice_next(&dice) & 1) << 30 | (dice_next(&dice) & 15) << 21;
    tensix->thread[0].rwc.dst = dice_below(&dice, 32);
}

static uint32_t random_step(void)
{
    unsigned vd = dice_below(&dice, 8), addr_mod = dice_below(&dice, 8);
    unsigned address = dice_below(&dice, 40) * 4 + (dice_next(&dice) & 2);
    unsigned format = dice_below(&dice, 16);
    switch (dice_below(&dice, 16)) {
    case 0:
        return (uint32_t)NOP << 24;
    case 1:
    case 2:
        return (uint32_t)SFPNOP << 24;
    case 3:
        return loadi(vd, dice_below(&dice, 2) * 8, dice_next(&dice) & 0xffff);
    case 4:
        return wide(LOAD, dice_below(&dice, 9), format, addr_mod, address);
    case 5:
        return wide(STORE, dice_below(&dice, 12), format, addr_mod, address);
    case 6:
    case 7:
        return random_template(PART_SIMPLE);
    case 8:
        return random_template(PART_MAD);
    case 9:
        return random_template(PART_ROUND);
    default:
        return macro(dice_below(&dice, 4), vd, format, addr_mod, address);
    }
}

static uint32_t for_unit(uint32_t word)
{
    return word >> 24 == NOP ? 0 : word;
}

/* Does the step keep to what the pages define, now and when all that is scheduled executes? */
static bool is_clear(uint32_t word)
{
    static struct unit copy;
    copy = unit;
    unit_cycle(&copy, tensix, for_unit(word));
    for (unsigned i = 0; i < 10 && !copy.unclear && !copy.undefined; i++) {
        unit_cycle(&copy, tensix, i < 9 ? (uint32_t)SFPNOP << 24 : 0);
    }
    return !copy.unclear && !copy.undefined;
}

enum way { QUEUED, TIMED, STRAIGHT, WAYS };

/* Straight: what is not executed at once is pushed so that it goes on in the next cycle. */
static void run(enum way way, const uint32_t *words, unsigned count)
{
    struct tensix_origin origin = {.pc = 0x1000, .pusher = TENSIX_BY_T0};
    unsigned done = 0;
    tensix->timed = way == TIMED;
    harness.time += 64;
    while (way == STRAIGHT && done < count) {
        unsigned n = 1 + dice_below(&dice, count - done);
        unsigned went =
            tensix_execute(tensix, 0, origin, words + done, n, harness.time, harness.time + n);
        harness.time += went;
        done += went;
        if (went < n) {
            break;
        }
    }
    harness.time -= way == STRAIGHT;
    burst(&harness, words + done, count - done);
    settle(&harness);
    tensix->timed = false;
}

/* PENROSE_SHOW=<number>: that program as text, with its templates and sequences. */
static void show(const struct unit *start, const uint32_t *words, unsigned count, unsigned number)
{
    const char *which = getenv("PENROSE_SHOW");
    char text[TEXT];
    if (!which || strtoul(which, NULL, 10) != number) {
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        tensix_disassemble(start->reg.macro[0].instruction[i], text, sizeof text);
        printf("sequence %08x, template %s\n", start->reg.macro[0].sequence[i], text);
    }
    for (unsigned c = 0; c < 8; c++) {
        tensix_disassemble(start->reg.macro[c].instruction[1], text, sizeof text);
        printf("column %u: sequence 0 %08x, template 1 %s, LaneConfig %05x\n", c,
               start->reg.macro[c].sequence[0], text, start->reg.lane_config[c]);
    }
    printf("misc %03x\n", start->reg.macro[0].misc);
    for (unsigned i = 0; i < count; i++) {
        tensix_disassemble(words[i], text, sizeof text);
        printf("%2u %s\n", i, text);
    }
    fflush(stdout);
}

struct totals {
    unsigned programs, executed[5], discarded, forgotten, macros, tries;
};

static void random_program(struct totals *totals, unsigned number)
{
    static struct unit start;
    uint32_t words[STEPS + TAIL];
    unsigned count = 0, steps = 3 + dice_below(&dice, STEPS - 3);
    tensix_reset(tensix);
    dice_fill(&dice, tensix);
    random_configuration();
    unit_take(&unit, tensix);
    start = unit;
    while (count < steps) {
        uint32_t word = (uint32_t)SFPNOP << 24;
        for (unsigned i = 0; i < TRIES; i++) {
            uint32_t candidate = random_step();
            totals->tries++;
            if (is_clear(candidate)) {
                word = candidate;
                break;
            }
        }
        totals->macros += word >> 24 == LOADMACRO;
        words[count++] = word;
        unit_cycle(&unit, tensix, for_unit(word));
    }
    for (unsigned i = 0; i < TAIL; i++) {
        words[count++] = (uint32_t)SFPNOP << 24;
        unit_cycle(&unit, tensix, (uint32_t)SFPNOP << 24);
    }
    ck_assert(!unit_rest(&unit, tensix));
    if (unit.unclear) {
        return;
    }
    totals->programs++;
    show(&start, words, count, number);
    for (unsigned part = 0; part < 5; part++) {
        totals->executed[part] += unit.executed[part];
    }
    totals->discarded += unit.discarded;
    totals->forgotten += unit.forgotten;
    for (enum way way = QUEUED; way < WAYS; way++) {
        char text[TEXT];
        snprintf(text, sizeof text, "program %u, way %d", number, way);
        unit_give(&start, tensix);
        run(way, words, count);
        no_faults(text);
        unit_compare(&unit, tensix, text);
    }
}

START_TEST(random_programs)
{
    struct totals totals = {0};
    const char *many = getenv("PENROSE_LONG");
    unsigned programs = many ? 100 * PROGRAMS : PROGRAMS;
    dice.state = many ? (uint64_t)strtoull(many, NULL, 10) : 11;
    for (unsigned i = 0; i < programs; i++) {
        random_program(&totals, i);
    }
    printf("%u programs, %u macros; executed for them: %u simple, %u MAD, %u round, %u store; "
           "%u discarded, %u lanes forgotten\n",
           totals.programs, totals.macros, totals.executed[PART_SIMPLE], totals.executed[PART_MAD],
           totals.executed[PART_ROUND], totals.executed[PART_STORE], totals.discarded,
           totals.forgotten);
    ck_assert_uint_gt(totals.programs, programs / 2);
    for (unsigned part = 0; part < 4; part++) {
        ck_assert_uint_gt(totals.executed[part], programs / 2);
    }
    ck_assert_uint_gt(totals.discarded, 0);
    ck_assert_uint_gt(totals.forgotten, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("random");
    TCase *tcase = tcase_create("all");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, random_programs);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
