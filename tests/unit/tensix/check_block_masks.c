/*
 * Which instruction each bit of a block mask holds at the wait gate, and for how long: the whole
 * table of BlackholeA0 STALLWAIT, entered here a second time from the page; the lag of one cycle;
 * that a wait is forgotten when it was met once, and never replaced by another.
 *
 * SPEC: BlackholeA0 STALLWAIT (also its later edition: "never replaces a latched wait
 * instruction"), SEMWAIT, STREAMWAIT; WormholeB0 WaitGate.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/table.h"
#include "unit/tensix/tensix_fixture.h"

enum { B0 = 1, B1 = 2, B2 = 4, B3 = 8, B4 = 16, B5 = 32, B6 = 64, B7 = 128, B8 = 256, ALL = 511 };

/* --- The page's table --- */

static const struct {
    unsigned blocks;
    const char *names; /* each with a space on both sides */
} page[] = {
    {B0 | B5, " ADDDMAREG ATCAS ATINCGET ATINCGETPTR ATSWAP BITWOPDMAREG CMPDMAREG DMANOP FLUSHDMA "
              "LOADIND LOADREG MULDMAREG REG2FLOP SETDMAREG SHIFTDMAREG STOREIND STOREREG "
              "SUBDMAREG "},
    {B0, " ADDRCRXY ADDRCRZW INCADCXY INCADCZW RSTDMA SETADC SETADCXX SETADCXY SETADCZW "
         "SETDVALID "},
    {B0 | B2, " PACR PACR_SETREG "},
    {B0 | B3, " UNPACR UNPACR_NOP "},
    {B0 | B4, " XMOV "},
    {B1, " ATGETM ATRELM SEMGET SEMINIT SEMPOST "},
    {ALL, " SEMWAIT STALLWAIT STREAMWAIT "},
    {B6, " APOOL3S1 APOOL3S2 CLEARDVALID CLREXPHIST CONV3S1 CONV3S2 DOTPV ELWADD ELWMUL ELWSUB "
         "GAPOOL GATESRCRST GMPOOL INCRWC MFCONV3S1 MOVA2D MOVB2A MOVB2D MOVD2A MOVD2B MOVDBGA2D "
         "MPOOL3S1 MPOOL3S2 MVMUL SETRWC SHIFTXA SHIFTXB TRNSPSRCB ZEROACC ZEROSRC "},
    {B7, " CFGSHIFTMASK RDCFG RMWCIB0 RMWCIB1 RMWCIB2 RMWCIB3 SETC16 STREAMWRCFG WRCFG "},
    {B8, " SFPABS SFPADD SFPADDI SFPAND SFPARECIP SFPCAST SFPCOMPC SFPCONFIG SFPDIVP2 SFPENCC "
         "SFPEXEXP SFPEXMAN SFPGT SFPIADD SFPLE SFPLOAD SFPLOADI SFPLOADMACRO SFPLUT SFPLUTFP32 "
         "SFPLZ SFPMAD SFPMOV SFPMUL SFPMUL24 SFPMULI SFPNOP SFPNOT SFPOR SFPPOPC SFPPUSHC "
         "SFPSETCC SFPSETEXP SFPSETMAN SFPSETSGN SFPSHFT SFPSHFT2 SFP_STOCH_RND SFPSTORE SFPSWAP "
         "SFPTRANSP SFPXOR "},
};

/* Instructions that the page does not have, or that do not reach the gate. */
static const char unlisted[] = " TBUFCMD TRNSPSRCA RAREB MOVDBGB2D SETIBRWC SETASHRMH0 SETASHRMH1 "
                               "SETASHRMH SETASHRMV SETPKEDGOF ";
static const char expanded[] = " MOP MOP_CFG REPLAY RESOURCEDECL ";

static bool lists(const char *names, const char *name)
{
    char spaced[40];
    snprintf(spaced, sizeof spaced, " %s ", name);
    return strstr(names, spaced) != NULL;
}

/* The page's row of a mnemonic, or -1. */
static int page_row(const char *mnemonic)
{
    for (int i = 0; i < COUNT(page); i++) {
        if (lists(page[i].names, mnemonic)) {
            return i;
        }
    }
    return -1;
}

static bool page_holds(const char *mnemonic, unsigned mask)
{
    mask = mask ? mask : B6;
    if (strcmp(mnemonic, "NOP") == 0) {
        return mask == ALL;
    }
    return (page[page_row(mnemonic)].blocks & mask) != 0;
}

static bool held(unsigned thread, uint32_t word)
{
    const struct tensix_thread *t = &tensix->thread[thread];
    return t->has_next && t->next == word && t->wait == TENSIX_WAITS_FOR_LATCH;
}

static void run(unsigned thread, const char *text)
{
    tensix_harness_run(&harness, thread, text);
}

static void runf(unsigned thread, const char *format, unsigned a, unsigned b)
{
    char text[100];
    snprintf(text, sizeof text, format, a, b);
    run(thread, text);
}

FIXTURE(setup, teardown);

TEST_EACH(page_and_table_have_the_same_instructions, TENSIX_ROWS)
{
    const char *name = tensix_rows[_i].mnemonic;
    int ways = (page_row(name) >= 0) + lists(unlisted, name) + lists(expanded, name) +
               (strcmp(name, "NOP") == 0);
    ck_assert_msg(ways == 1, "%s is listed %d times", name, ways);
}

/* Every row under each of the 512 masks, behind a wait that is not met; then it is met. */
TEST_EACH(blocks_are_the_pages, TENSIX_ROWS)
{
    const char *name = tensix_rows[_i].mnemonic;
    if (lists(unlisted, name) || lists(expanded, name)) {
        return;
    }
    uint32_t word = tensix_rows[_i].match;
    for (unsigned mask = 0; mask <= ALL; mask++) {
        tensix_reset(tensix);
        runf(0, "SEMWAIT %u, %u, 1", mask, 1);
        tensix_harness_push(&harness, 0, word);
        bool expected = page_holds(name, mask);
        ck_assert_msg(held(0, word) == expected, "%s under block mask %#x is %sheld", name, mask,
                      expected ? "not " : "");
        run(1, "SEMPOST 1");
        ck_assert_msg(!held(0, word), "%s under block mask %#x is not let go", name, mask);
    }
}

static const char *const waits[] = {"SEMWAIT %u, 1, 1", "SEMWAIT %u, 1, 2", "STALLWAIT %u, 0x200",
                                    "STREAMWAIT %u, 1, 0, 0", "STREAMWAIT %u, 1, 1, 0"};

/* The other waits block like SEMWAIT. */
TEST_EACH(blocks_are_those_of_all_waits, COUNT(waits))
{
    for (int row = 0; row < TENSIX_ROWS; row++) {
        const char *name = tensix_rows[row].mnemonic;
        uint32_t word = tensix_rows[row].match;
        if (lists(unlisted, name) || lists(expanded, name)) {
            continue;
        }
        for (unsigned bit = 0; bit <= 10; bit++) {
            unsigned mask = bit < 9 ? 1U << bit : bit == 9 ? 0 : ALL;
            tensix_reset(tensix);
            tensix_harness_set_mover(&harness, true);
            runf(2, waits[_i], mask, 0);
            tensix_harness_push(&harness, 2, word);
            ck_assert_msg(held(2, word) == page_holds(name, mask), "%s %#x", name, mask);
        }
    }
}

/* "Never reaches the wait gate": nothing can hold them. */
TEST(expanded_instructions_are_not_held)
{
    run(0, "SEMWAIT 0x1ff, 1, 1; MOP_CFG 5; RESOURCEDECL 0, 0x1ff, 3; REPLAY 2, 1, 0, 1;"
           "SETC16 1, 7");
    const struct tensix_thread *t = &tensix->thread[0];
    ck_assert(!t->has_next);
    ck_assert_uint_eq(t->front.count + t->back.count, 0);
    ck_assert_uint_eq(tensix->thread_config[0][1], 0);
    run(0, "REPLAY 2, 1, 0, 0"); /* what it makes is */
    ck_assert(held(0, tensix_harness_assemble("SETC16 1, 7")));
    run(1, "SEMPOST 1");
    ck_assert_uint_eq(tensix->thread_config[0][1], 7);
}

TEST(order_is_kept_behind_a_held_instruction)
{
    run(0, "SEMWAIT 0x100, 1, 1; SETC16 1, 5; SFPNOP; SETC16 1, 6; NOP; SETDMAREG 0, 9, 0, 0");
    ck_assert_uint_eq(tensix->thread_config[0][1], 5);
    ck_assert_uint_eq(tensix->gpr[0][0], 0);
    run(1, "SETC16 1, 3"); /* other threads go on */
    ck_assert_uint_eq(tensix->thread_config[1][1], 3);
    run(1, "SEMPOST 1");
    ck_assert_uint_eq(tensix->thread_config[0][1], 6);
    ck_assert_uint_eq(tensix->gpr[0][0], 9);
}

/* --- One cycle --- */

static void queue(unsigned thread, const char *text)
{
    char line[100];
    for (; *text; text += strcspn(text, ";"), text += *text == ';') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, ";"), text);
        uint32_t word = tensix_harness_assemble(line);
        struct tensix_origin origin = {.pusher = (uint8_t)(TENSIX_BY_T0 + thread)};
        ck_assert(tensix_push(tensix, thread, origin, &word, 1, harness.time));
    }
}

/* Cycles until ThreadConfig[0][1] is 7; 0 where it takes too long. */
static unsigned cycles_until_7(void)
{
    for (unsigned n = 1; n < 60; n++) {
        tensix_harness_go(&harness, 1);
        if (tensix->thread_config[0][1] == 7) {
            return n;
        }
    }
    return 0;
}

static unsigned cycles_of(const char *text, bool timed)
{
    tensix_reset(tensix);
    harness.tensix.timing = timed ? &tile_costs : NULL;
    tensix->semaphore[0] = (struct tensix_semaphore){.value = 1, .max = 2};
    tensix_harness_go(&harness, 20);
    queue(0, text);
    return cycles_until_7();
}

/* A wait that is met holds for a cycle what it blocks, and nothing that it does not block. */
static const struct {
    const char *text;
    unsigned later; /* cycles later than three instructions that nothing holds */
} lags[] = {
    {"NOP; NOP; SETC16 1, 7", 0},
    {"NOP; SEMWAIT 0x80, 1, 1; SETC16 1, 7", 1},
    {"NOP; SEMWAIT 0x80, 1, 3; SETC16 1, 7", 1},
    {"NOP; SEMWAIT 0x80, 0, 3; SETC16 1, 7", 1}, /* no semaphore selected: met */
    {"NOP; SEMWAIT 0x100, 1, 1; SETC16 1, 7", 0},
    {"NOP; STALLWAIT 0x80, 1; SETC16 1, 7", 1},
    {"NOP; STALLWAIT 0x1ff, 0; SETC16 1, 7", 1},
    {"NOP; STALLWAIT 0x7f, 0x1fff; SETC16 1, 7", 0},
    {"NOP; STREAMWAIT 0x80, 0, 0, 0; SETC16 1, 7", 1},
    {"NOP; STREAMWAIT 0x100, 0, 1, 0; SETC16 1, 7", 0},
    {"SEMWAIT 0x80, 1, 1; NOP; SETC16 1, 7", 0}, /* forgotten while NOP passes */
    {"SEMWAIT 0x1ff, 1, 1; NOP; SETC16 1, 7", 1},
    {"SEMWAIT 0x100, 1, 1; STALLWAIT 0x100, 1; SETC16 1, 7", 1}, /* a wait waits for a wait */
    {"SEMWAIT 0x80, 1, 1; STALLWAIT 0x80, 1; SETC16 1, 7", 2},
    {"SEMWAIT 0, 1, 1; INCRWC 0, 1, 1, 1; SETC16 1, 7", 1},
};

TEST_EACH(lag_of_a_wait_that_is_met, COUNT(lags))
{
    for (int timed = 0; timed < 2; timed++) {
        unsigned base = cycles_of(lags[0].text, timed);
        ck_assert_uint_gt(base, 0);
        unsigned cycles = cycles_of(lags[_i].text, timed);
        ck_assert_msg(cycles == base + lags[_i].later, "%s takes %u cycles, not %u", lags[_i].text,
                      cycles, base + lags[_i].later);
    }
}

/* Cycles from that of SEMPOST to that of what waited for it. */
static unsigned cycles_after_post(unsigned waiter, unsigned poster, unsigned delay)
{
    tensix_reset(tensix);
    tensix_harness_go(&harness, 10);
    queue(waiter, "SEMWAIT 0x80, 1, 1; SETC16 1, 7");
    tensix_harness_go(&harness, 10 + delay);
    queue(poster, "NOP; SEMPOST 1");
    for (unsigned n = 0; n < 20 && tensix->semaphore[0].value == 0; n++) {
        tensix_harness_go(&harness, 1);
    }
    ck_assert_uint_eq(tensix->semaphore[0].value, 1);
    for (unsigned n = 0; n < 20; n++) {
        if (tensix->thread_config[waiter][1] == 7) {
            return n;
        }
        tensix_harness_go(&harness, 1);
    }
    return 20;
}

/* One cycle of lag; the pages do not say whether the gate sees the semaphore in the cycle of the
 * SEMPOST or in the next one, but it cannot depend on which threads these are. */
TEST(lag_of_a_wait_that_becomes_met)
{
    unsigned first = cycles_after_post(0, 1, 0);
    ck_assert_uint_ge(first, 1);
    ck_assert_uint_le(first, 2);
    for (unsigned pair = 0; pair < 9; pair++) {
        for (unsigned delay = 0; delay < 4 && pair / 3 != pair % 3; delay++) {
            ck_assert_uint_eq(cycles_after_post(pair / 3, pair % 3, delay), first);
        }
    }
}

/* --- Latched conditions --- */

TEST(threads_have_gates_of_their_own)
{
    run(0, "SEMWAIT 0x1ff, 1, 1; SETC16 1, 7");
    run(1, "SEMWAIT 0x1ff, 2, 1; SETC16 1, 7");
    run(2, "SEMPOST 2");
    ck_assert_uint_eq(tensix->thread_config[0][1], 0);
    ck_assert_uint_eq(tensix->thread_config[1][1], 7);
    run(2, "SEMPOST 1");
    ck_assert_uint_eq(tensix->thread_config[0][1], 7);
}
