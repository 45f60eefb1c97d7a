/*
 * Which GPRs instructions read, by SOURCE of tensix.def, and the warning of timed runs where one is
 * read before the result of an earlier instruction is there.
 *
 * SPEC: WormholeB0 ScalarUnit and the pages of its instructions; BlackholeA0 WRCFG, RDCFG.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_fixture.h"

FIXTURE(setup, teardown);

/* --- The warning --- */

#define LOAD8      "LOADIND 1, 40, 0, 8, 4; "  /* 32 bits to GPR 8 */
#define LOAD8_HALF "LOADIND 2, 40, 0, 8, 4; "  /* 16 bits to its low half */
#define LOAD8_BYTE "LOADIND 3, 40, 0, 8, 4; "  /* 8 bits */
#define LOAD8_TO11 "LOADIND 0, 40, 0, 10, 4; " /* 128 bits to GPR 8 to 11 */
#define READ8      "ADDDMAREG 1, 9, 5, 8; "
#define LATE(gpr)  "reads GPR " #gpr " before the result of LOADIND"
#define DMANOPS(n) DMANOPS_##n
#define DMANOPS_6  "DMANOP; DMANOP; DMANOP; DMANOP; DMANOP; DMANOP; "
#define DMANOPS_7  DMANOPS_6 "DMANOP; "

static const struct row {
    const char *program, *warning; /* NULL: none */
} rows[] = {
    {LOAD8 READ8, "ADDDMAREG reads GPR 8 before the result of LOADIND of trisc0 at pc "},
    {LOAD8 READ8, " is there; STALLWAIT(STALL_THCON, THCON) is missing"},
    /* the right operand, a register and an immediate */
    {LOAD8 "ADDDMAREG 0, 9, 8, 5", LATE(8)},
    {LOAD8 "ADDDMAREG 1, 9, 8, 5", NULL},
    {LOAD8 "MULDMAREG 0, 9, 8, 5", LATE(8)},
    {LOAD8 "CMPDMAREG 1, 0, 9, 8, 5", NULL},
    /* destinations */
    {LOAD8 "ADDDMAREG 1, 8, 1, 5", NULL},
    {LOAD8 "SETDMAREG 0, 5, 0, 16", NULL},
    {LOAD8 "SETDMAREG 0, 5, 0, 17", NULL},
    {LOAD8 "SETDMAREG 1, 8, 1, 16", NULL},
    {LOAD8 "SETDMAREG 2, 8, 1, 16", NULL},
    {LOAD8 "LOADIND 1, 40, 0, 8, 4", NULL},
    {LOAD8 "LOADREG 8, 0x8000", NULL},
    {LOAD8 "RDCFG 8, 50", NULL},
    {LOAD8 "ATINCGETPTR 0, 0, 0, 4, 1, 8, 4", NULL},
    {"LOADIND 1, 40, 0, 4, 4", NULL}, /* its own */
    {"LOADIND 1, 8, 0, 4, 4; " READ8, NULL},
    /* addresses and offsets */
    {LOAD8 "LOADIND 1, 40, 0, 9, 8", LATE(8)},
    {LOAD8 "LOADIND 1, 16, 0, 9, 4", LATE(8)},
    {LOAD8 "STOREIND 1, 0, 1, 40, 0, 9, 8", LATE(8)},
    {LOAD8 "STOREIND 1, 0, 1, 17, 1, 9, 4", LATE(8)},
    {LOAD8 "ATCAS 0, 0, 0, 0, 9, 8", LATE(8)},
    {LOAD8 "ATCAS 0, 0, 0, 0, 8, 4", NULL}, /* which does not use its data register */
    /* parts of words */
    {LOAD8_HALF "LOADIND 1, 16, 0, 9, 4", LATE(8)},
    {LOAD8_HALF "LOADIND 1, 17, 0, 9, 4", NULL},
    {LOAD8_BYTE "LOADIND 1, 17, 0, 9, 4", NULL},
    {LOAD8_BYTE READ8, LATE(8)},
    {LOAD8_HALF "ATSWAP 0, 0x2, 8, 4", NULL},
    {LOAD8_HALF "ATSWAP 0, 0x1, 8, 4", LATE(8)},
    {LOAD8 "ATSWAP 0, 0x2, 8, 4", LATE(8)},
    {LOAD8 "ATSWAP 0, 0xc, 8, 4", NULL},
    {LOAD8 "ATSWAP 0, 0x1ff, 9, 4", NULL},
    {LOAD8 "STOREIND 1, 1, 0, 40, 0, 8, 4", LATE(8)},
    /* groups of four */
    {LOAD8_TO11 "ADDDMAREG 1, 9, 5, 11", LATE(11)},
    {LOAD8_TO11 "ADDDMAREG 1, 9, 5, 12", NULL},
    {LOAD8 "STOREIND 1, 0, 0, 40, 0, 11, 4", LATE(8)},
    {LOAD8 "STOREIND 1, 0, 1, 40, 0, 11, 4", NULL},
    {LOAD8_TO11 "ATSWAP 0, 0xc0, 8, 4", LATE(11)},
    {LOAD8_TO11 "STOREIND 0, 0, 0, 40, 0, 8, 3", LATE(8)},
    {"LOADIND 1, 40, 0, 10, 4; STOREIND 0, 0, 0, 40, 0, 8, 3", NULL}, /* which takes two of them */
    /* the Configuration Unit */
    {LOAD8 "WRCFG 8, 0, 50", "STALLWAIT(STALL_CFG, THCON) is missing"},
    {LOAD8 "WRCFG 9, 0, 50", NULL},
    {LOAD8 "WRCFG 9, 1, 52", LATE(8)},
    {"RDCFG 8, 50; " READ8, NULL},
    {"RDCFG 8, 50; WRCFG 8, 0, 52", NULL},
    {"WRCFG 8, 0, 50; " READ8, NULL},
    /* who else has results, and who has none under way */
    {"LOADREG 8, 0x8000; STOREREG 8, 0x8001",
     "STOREREG reads GPR 8 before the result of LOADREG of"},
    {"ATINCGET 0, 31, 0, 8, 4; " READ8, "reads GPR 8 before the result of ATINCGET"},
    {"ATINCGET 0, 31, 0, 8, 4; ATINCGET 0, 31, 0, 8, 4", NULL}, /* twelve cycles later */
    {LOAD8 "ATINCGET 0, 31, 0, 8, 4", LATE(8)},
    {"ATINCGETPTR 0, 0, 0, 4, 1, 8, 4; " READ8, NULL},
    {"ADDDMAREG 1, 8, 5, 9; " READ8, NULL},
    {"SETDMAREG 0, 5, 0, 16; " READ8, NULL},
    /* waits */
    {LOAD8 DMANOPS(7) READ8, NULL},
    {LOAD8 DMANOPS(6) READ8, LATE(8)},
    {LOAD8 "STALLWAIT 0x20, 1; " READ8, NULL},
    {LOAD8 "STALLWAIT 0x80, 1; " READ8, LATE(8)},
    {LOAD8 "STALLWAIT 0x80, 1; WRCFG 8, 0, 50", NULL},
    {LOAD8 "FLUSHDMA 1; " READ8, NULL},
    {LOAD8 "FLUSHDMA 2; " READ8, LATE(8)},
    /* Vector and other units have fields of their own at the same bits. */
    {LOAD8 "SFPMAD 8, 8, 8, 8, 0", NULL},
    {LOAD8 "SETC16 8, 8", NULL},
};

static void run_row(const struct row *row, bool timed)
{
    tensix->timing = timed ? &tile_costs : NULL;
    tensix->gpr[0][3] = 0x10; /* a row of SrcA */
    tensix->gpr[0][4] = 0x20;
    tensix_harness_run(&harness, 0, row->program);
    ck_assert_msg(!tensix_busy(tensix), "%s", row->program);
}

TEST_EACH(timed_runs_warn, COUNT(rows))
{
    const struct row *row = &rows[_i];
    run_row(row, true);
    ck_assert_msg(harness.faults == (row->warning != NULL), "%s: %u faults, %s", row->program,
                  harness.faults, harness.fault.text);
    if (row->warning) {
        ck_assert_int_eq((int)harness.fault.kind, PENROSE_FAULT_GPR_HAZARD);
        ck_assert_msg(strstr(harness.fault.text, row->warning), "%s: %s", row->program,
                      harness.fault.text);
    }
}

TEST_EACH(functional_runs_do_not, COUNT(rows))
{
    run_row(&rows[_i], false);
    ck_assert_msg(harness.faults == 0, "%s: %s", rows[_i].program, harness.fault.text);
}

/* What was read too early may be what is wrong with an instruction that stops the run. */
TEST(it_is_told_beside_a_fault)
{
    const uint32_t load = tensix_harness_assemble("LOADIND 1, 40, 0, 8, 4");
    const uint32_t read = tensix_harness_assemble("LOADIND 1, 40, 0, 9, 8");
    const struct tensix_origin origin = {.pusher = TENSIX_BY_T0};
    tensix->timing = &harness.costs;
    harness.stop = true;
    tensix->gpr[0][8] = UINT32_C(0x0fffffff);
    ck_assert(tensix_push(tensix, 0, origin, &load, 1, 0));
    ck_assert(tensix_push(tensix, 0, origin, &read, 1, 0));
    tensix_harness_go(&harness, 8);
    ck_assert_uint_eq(harness.faults, 2);
    ck_assert_int_eq((int)harness.fault.kind, PENROSE_FAULT_GPR_HAZARD);
    ck_assert_int_eq((int)tensix->stopped, TENSIX_FAULTED);
}

TEST(other_threads_have_their_own)
{
    const uint32_t load = tensix_harness_assemble("LOADIND 1, 40, 0, 8, 4");
    const uint32_t read = tensix_harness_assemble("ADDDMAREG 1, 9, 5, 8");
    const struct tensix_origin origin = {.pusher = TENSIX_BY_T0};
    tensix->timing = &harness.costs;
    ck_assert(tensix_push(tensix, 0, origin, &load, 1, 0));
    tensix_harness_go(&harness, 4);
    ck_assert_uint_eq(tensix->results, 1);
    ck_assert(tensix_push(tensix, 1, origin, &read, 1, harness.time));
    tensix_harness_go(&harness, 4);
    ck_assert(tensix->results == 1 && !tensix->thread[1].has_next);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- The rows agree with what instructions do --- */

enum { TRIALS = 60, SMALL_L1 = 0x4000 };

/* One that starts from `before`, and what it has changed in L1. */
static void execute(const struct tensix *before, uint32_t word)
{
    *tensix = *before;
    harness.regs = harness.faults = 0;
    harness.time = 0;
    for (unsigned i = 0; i < SMALL_L1; i++) {
        harness.l1[i] = (uint8_t)(i * 7 + i / 256);
    }
    tensix_harness_push(&harness, 0, word);
}

struct outcome {
    struct tensix tensix;
    uint8_t l1[SMALL_L1];
    unsigned regs, faults;
    uint32_t address, value;
    char text[200];
};

static void note_outcome(struct outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    memcpy(&outcome->tensix, tensix, sizeof *tensix);
    memcpy(outcome->l1, harness.l1, SMALL_L1);
    outcome->regs = harness.regs;
    outcome->faults = harness.faults;
    if (harness.regs) {
        outcome->address = harness.reg[0].address;
        outcome->value = harness.reg[0].value;
    }
    if (harness.faults) {
        memcpy(outcome->text, harness.fault.text, sizeof outcome->text);
    }
}

/* Where bits of GPRs that have been flipped stay, they are no difference. */
static bool is_same(const struct outcome *a, struct outcome *b, const uint32_t flipped[TENSIX_GPRS])
{
    for (unsigned i = 0; i < TENSIX_GPRS; i++) {
        b->tensix.gpr[0][i] ^= (a->tensix.gpr[0][i] ^ b->tensix.gpr[0][i]) & flipped[i];
    }
    return memcmp(a, b, sizeof *a) == 0;
}

/* Values of which many are addresses in L1, of rows of Src and of registers. */
static void fill_gprs(struct tensix *before)
{
    static const uint32_t masks[] = {UINT32_MAX, 0x1f, 0x3ff, 0x0000fff0, 0x800000ff, 0};
    for (unsigned i = 0; i < TENSIX_GPRS; i++) {
        before->gpr[0][i] = random_next(&dice) & masks[random_below(&dice, COUNT(masks))];
    }
}

/* Flips what the row does not read, or what it does; does anything come out otherwise? */
static bool makes_a_difference(const struct tensix *before, unsigned row, uint32_t word,
                               bool flips_read, struct outcome outcome[2])
{
    struct tensix *flipped = malloc(sizeof *flipped);
    uint32_t bits[TENSIX_GPRS];
    ck_assert_ptr_nonnull(flipped);
    *flipped = *before;
    for (unsigned i = 0; i < TENSIX_GPRS; i++) {
        uint32_t read = tensix_gpr_bits_read(row, word, i);
        bits[i] = (flips_read ? read : ~read) & random_next(&dice);
        flipped->gpr[0][i] ^= bits[i];
    }
    execute(before, word);
    note_outcome(&outcome[0]);
    execute(flipped, word);
    note_outcome(&outcome[1]);
    free(flipped);
    return !is_same(&outcome[0], &outcome[1], bits);
}

TEST_EACH(rows_read_what_they_say, TENSIX_ROWS)
{
    const unsigned row = (unsigned)_i;
    const bool has_gprs = tensix_row_infos[row].unit == TENSIX_UNIT_SCALAR ||
                          tensix_row_infos[row].unit == TENSIX_UNIT_CONFIG;
    struct outcome *outcome = malloc(2 * sizeof *outcome);
    struct tensix *before = malloc(sizeof *before);
    bool reads = false, differs = false;
    ck_assert(outcome && before);
    tensix->l1_size = SMALL_L1;
    *before = *tensix;
    for (unsigned trial = 0; trial < (has_gprs ? TRIALS : 1); trial++) {
        uint32_t word = (random_next(&dice) & ~tensix_rows[row].mask) | tensix_rows[row].match;
        for (unsigned gpr = 0; gpr < TENSIX_GPRS; gpr++) {
            reads |= tensix_gpr_bits_read(row, word, gpr) != 0;
        }
        if (!has_gprs) {
            continue;
        }
        fill_gprs(before);
        ck_assert_msg(!makes_a_difference(before, row, word, false, outcome),
                      "%s, 0x%08x: reads more", tensix_rows[row].mnemonic, word);
        differs |= makes_a_difference(before, row, word, true, outcome);
    }
    ck_assert_msg(reads == differs || (reads && tensix_row_infos[row].is_stub),
                  "%s reads GPRs: the row says %d, the handler does %d", tensix_rows[row].mnemonic,
                  reads, differs);
    free(before);
    free(outcome);
}
