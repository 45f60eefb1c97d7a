/*
 * When instructions of the Vector Unit may follow each other: USES of tensix.def against what rows really
 * read and write, automatic stalls in timed runs, hazards that the stalls miss.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/vector/schedule.h"
#include "unit/tensix/lane_model.h"
#include "unit/tensix/tensix_fixture.h"

enum { WORDS_A_ROW = 150, LREGS_READ = 16 };

static struct f_model model;

/* --- USES --- */

static bool is_vector_row(unsigned row)
{
    return tensix_row_infos[row].unit == TENSIX_UNIT_VECTOR;
}

static uint32_t random_word(unsigned row)
{
    return tensix_rows[row].match | (random_next(&dice) & 0xffffff & ~tensix_rows[row].mask);
}

static bool is_legal(const struct tensix_vector_op *op)
{
    return (tensix_traits(op->row) & TENSIX_TRAIT_WIDE) || op->row == TENSIX_ROW_SFPCONFIG
               ? true
               : op->vd < TENSIX_LREG_BACKDOOR;
}

FIXTURE(setup, teardown);

TEST(every_row_is_there)
{
    unsigned rows = 0;
    for (unsigned row = 0; row < TENSIX_ROWS; row++) {
        if (is_vector_row(row)) {
            ck_assert_msg(tensix_vector_execs[row] != NULL, "%s", tensix_rows[row].mnemonic);
            rows++;
        }
    }
    ck_assert_uint_eq(rows, 42);
}

/* What the stalls miss and rows read is what tensix_vector_start looks for. */
TEST(hidden_reads)
{
    for (unsigned row = 0; row < TENSIX_ROWS; row++) {
        for (unsigned i = 0; i < WORDS_A_ROW && is_vector_row(row); i++) {
            uint32_t word = random_word(row);
            struct tensix_vector_op op = tensix_vector_decode(row, 0, word);
            struct tensix_vector_uses uses = tensix_vector_uses(&tensix->vector, &op);
            uint32_t missed = uses.reads & ~uses.seen_reads & 0xff;
            uint32_t hidden = tensix_vector_hidden_reads(row, &op);
            bool reserved = row == TENSIX_ROW_SFPSHFT2 && op.mod > 6;
            ck_assert_msg((missed & ~hidden) == 0 || reserved,
                          "%s 0x%08" PRIx32 ": reads 0x%" PRIx32 ", seen 0x%" PRIx32
                          ", hidden 0x%" PRIx32,
                          tensix_rows[row].mnemonic, word, uses.reads, uses.seen_reads, hidden);
        }
    }
}

struct outcome {
    uint32_t lreg[TENSIX_LREGS][NUM_LANES], flags, uses_flags;
};

static struct tensix_vector start;

static bool execute(const struct tensix_vector_op *op, struct outcome *outcome)
{
    tensix->thread[0].rwc.dst = 0;
    const char *rule =
        tensix_vector_execs[op->row](tensix, op, tensix_vector_lanes(&tensix->vector, op, op->row));
    memcpy(outcome->lreg, tensix->vector.lreg, sizeof outcome->lreg);
    outcome->flags = tensix->vector.flags;
    outcome->uses_flags = tensix->vector.uses_flags;
    return rule == NULL;
}

static void draw_state(void)
{
    tensix->vector.schedules = 0;
    f_refill(&model, &dice);
    f_put(&model, tensix);
    start = tensix->vector;
}

/* An LReg that is not read makes no difference, and one that is not written stays. */
static void check_uses(const struct tensix_vector_op *op)
{
    struct outcome first, second;
    draw_state();
    const struct tensix_vector_uses uses = tensix_vector_uses(&start, op);
    if (!execute(op, &first)) {
        return;
    }
    for (unsigned i = 0; i < TENSIX_LREGS; i++) {
        ck_assert_msg(
            uses.writes >> i & 1 || memcmp(first.lreg[i], start.lreg[i], sizeof first.lreg[i]) == 0,
            "%s 0x%08" PRIx32 " writes LReg[%u]", tensix_rows[op->row].mnemonic, op->word, i);
    }
    unsigned other = random_below(&dice, 8);
    if (uses.reads >> other & 1) {
        return;
    }
    tensix->vector = start;
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        tensix->vector.lreg[other][lane] = random_next(&dice);
    }
    ck_assert(execute(op, &second));
    for (unsigned i = 0; i < TENSIX_LREGS; i++) {
        ck_assert_msg(
            i == other || memcmp(first.lreg[i], second.lreg[i], sizeof first.lreg[i]) == 0,
            "%s 0x%08" PRIx32 " reads LReg[%u]", tensix_rows[op->row].mnemonic, op->word, other);
    }
    ck_assert_uint_eq(first.flags, second.flags);
    ck_assert_uint_eq(first.uses_flags, second.uses_flags);
}

TEST(reads_and_writes)
{
    f_fill(&model, tensix, &dice);
    for (unsigned row = 0; row < TENSIX_ROWS; row++) {
        for (unsigned i = 0; i < WORDS_A_ROW && is_vector_row(row); i++) {
            struct tensix_vector_op op = tensix_vector_decode(row, 0, random_word(row));
            bool is_scheduled = random_below(&dice, 2) && row != TENSIX_ROW_SFPCONFIG &&
                                tensix_vector_row(row)->part != TENSIX_PART_LOAD;
            if (row == TENSIX_ROW_SFPLOADMACRO || !is_legal(&op)) {
                continue;
            }
            if (is_scheduled) {
                op.is_scheduled = true;
                op.vb = (uint8_t)random_below(&dice, 16);
                op.vd = (uint8_t)(random_below(&dice, 3) == 0 ? TENSIX_LREG_MACRO
                                                              : random_below(&dice, 8));
            }
            check_uses(&op);
        }
    }
}

/* --- Stalls --- */

static const struct pair {
    const char *text;
    unsigned cycles; /* from the first instruction to the one after the last, or 0: any */
    bool hazard;
} pairs[] = {
    {"SFPMAD 0, 0, 0, 1, 0; SFPMAD 2, 2, 2, 3, 0", 2, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPMAD 1, 2, 2, 3, 0", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPMAD 2, 1, 2, 3, 0", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPMAD 2, 2, 1, 3, 0", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPMAD 2, 2, 2, 1, 0", 2, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPNOP; SFPMAD 1, 1, 1, 1, 0", 3, false},
    {"SFPMAD 0, 0, 0, 1, 8; SFPABS 0, 5, 6, 0", 3, false},    /* writes all, by what they assume */
    {"SFPMAD 0, 0, 0, 1, 0; SFPMAD 2, 2, 2, 3, 4", 3, false}, /* reads all */
    {"SFPADDI 0, 1, 0; SFPMULI 0, 1, 0", 3, false},
    {"SFPADDI 0, 1, 0; SFPMULI 0, 2, 0", 2, false},
    {"SFPMUL24 0, 0, 9, 1, 0; SFPSTORE 1, 3, 0, 0", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSTORE 2, 3, 0, 0", 2, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPLOAD 1, 3, 0, 0", 2, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPLOAD 1, 14, 0, 0", 3, false}, /* keeps a half */
    {"SFPMAD 0, 0, 0, 1, 0; SFPLOADI 1, 8, 5", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPLOADI 1, 0, 5", 2, false},
    {"SFPMAD 0, 0, 0, 3, 0; SFPLUT 1, 0, 0", 3, false},
    {"SFPMAD 0, 0, 0, 4, 0; SFPLUT 1, 0, 0", 2, false},
    {"SFPMAD 0, 0, 0, 7, 0; SFPLUTFP32 1, 0", 2, false},
    {"SFPMAD 0, 0, 0, 6, 0; SFPLUTFP32 1, 10", 3, false},
    {"SFPLUTFP32 1, 0; SFPABS 0, 2, 3, 0", 2, false},
    {"SFPLUTFP32 1, 0; SFPABS 0, 1, 3, 0", 3, false},
    {".word 0x95080010; SFPABS 0, 2, 3, 0", 3, false}, /* Mod1Mirror: INDIRECT_VD */
    {".word 0x95080010; .word 0x95080020", 3, false},
    {"SFPSWAP 0, 1, 2, 1; SFPNOP", 2, false},
    {"SFPSWAP 0, 1, 2, 1; SFPNOP; SFPABS 0, 1, 2, 0", 3, false},
    {"SFPSWAP 0, 1, 2, 1; SFPABS 0, 5, 6, 0", 3, false},
    {"SFPSWAP 0, 1, 2, 0; SFPLOAD 5, 3, 0, 0", 3, false},
    {"SFPSHFT2 0, 1, 2, 3; SFPABS 0, 5, 6, 0", 3, false},
    {"SFPSHFT2 0, 1, 2, 2; SFPNOP", 2, false},
    {"SFPSHFT2 0, 1, 2, 4; SFPNOP; SFPNOP", 3, false},
    {"SFPSHFT2 0, 1, 2, 5; SFPABS 0, 2, 6, 0", 2, false},
    {"SFPSHFT2 0, 1, 2, 0; SFPABS 0, 2, 6, 0", 2, false},
    {"SFPABS 0, 1, 2, 0; SFPABS 0, 2, 3, 0", 2, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFP_STOCH_RND 0, 0, 1, 2, 3, 0", 3, false}, /* VB is not read */
    {"SFPMAD 0, 0, 0, 1, 0; SFP_STOCH_RND 0, 0, 2, 2, 3, 0", 2, false},
    {"SFPCONFIG 0, 0xb, 0; SFPABS 0, 0xb, 2, 0", 2, false},
    /* What they miss. */
    {"SFPMAD 0, 0, 0, 1, 0; SFPAND 1, 2, 3, 1", 2, true},
    {"SFPMAD 0, 0, 0, 1, 0; SFPAND 2, 1, 3, 1", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPAND 2, 3, 1, 1", 3, false}, /* VD, though it is not read */
    {"SFPMAD 0, 0, 0, 1, 0; SFPAND 1, 1, 3, 1", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPOR 1, 2, 3, 1", 2, true},
    {"SFPMAD 0, 0, 0, 1, 0; SFPIADD 0, 2, 1, 4", 2, true},
    {"SFPMAD 0, 0, 0, 1, 0; SFPIADD 5, 2, 1, 5", 2, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPIADD 0, 1, 1, 4", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPNOP; SFPIADD 0, 2, 1, 4", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSHFT 0, 2, 1, 0", 2, true},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSHFT 3, 2, 1, 1", 2, true},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSHFT 3, 2, 1, 5", 2, false},
    {"SFPMAD 0, 0, 0, 0, 0; SFPCONFIG 0, 0xb, 0", 2, true},
    {"SFPMAD 0, 0, 0, 0, 0; SFPCONFIG 0, 0xb, 1", 2, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSWAP 0, 1, 2, 1", 2, true},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSWAP 0, 2, 1, 1", 2, true},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSWAP 0, 1, 2, 0", 2, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSHFT2 0, 1, 2, 3", 2, true},
    {"SFPMAD 0, 0, 0, 2, 0; SFPSHFT2 0, 1, 5, 2", 2, true},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSHFT2 1, 2, 3, 5", 2, true},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSHFT2 2, 1, 3, 5", 3, false},
    {"SFPMAD 0, 0, 0, 1, 0; SFPSHFT2 1, 0, 3, 6", 2, true},
};

/* Cycles from the first instruction to the one after the last. */
static uint64_t measure(const char *text, bool timed)
{
    char all[200];
    tensix->timing = timed ? &tile_costs : NULL;
    snprintf(all, sizeof all, "NOP; NOP; %s", text);
    uint64_t before = harness.time;
    tensix_harness_run(&harness, 0, all);
    uint64_t with = tensix->thread[0].time - before;
    tensix_harness_run(&harness, 0, "NOP; NOP; NOP; NOP; NOP; NOP; NOP; NOP");
    before = harness.time;
    tensix_harness_run(&harness, 0, "NOP; NOP");
    return with - (tensix->thread[0].time - before);
}

TEST_EACH(stalls, (int)(sizeof pairs / sizeof pairs[0]))
{
    const struct pair *pair = &pairs[_i];
    uint64_t cycles = measure(pair->text, true);
    ck_assert_msg(cycles == pair->cycles, "%s: %" PRIu64 " cycles, not %u", pair->text, cycles,
                  pair->cycles);
    for (unsigned timed = 0; timed < 2; timed++) {
        harness.faults = 0;
        measure(pair->text, timed);
        ck_assert_msg(harness.faults == pair->hazard, "%s (timed: %u): %s", pair->text, timed,
                      harness.faults ? harness.fault.text : "no hazard");
        ck_assert(!pair->hazard || harness.fault.kind == PENROSE_FAULT_VECTOR_HAZARD);
    }
}

TEST(words_of_hazards)
{
    tensix_harness_run(&harness, 0, "SFPMAD 0, 0, 0, 2, 0; SFPIADD 0, 1, 2, 4");
    ck_assert_str_eq(harness.fault.text, "SFPIADD reads LReg[2] 1 cycle after SFPMAD wrote it; it "
                                         "comes after 2: put an SFPNOP between");
}

/* Silicon: vec.mad_dep_tput, vec.dep_add_latency 2 cycles, vec.movlike 1, sfpload and sfpstore 1.
 */
static const struct chain {
    const char *instruction;
    unsigned cycles;
} chains[] = {
    {"SFPMAD 1, 1, 1, 1, 0", 2}, {"SFPADD 10, 1, 1, 1, 0", 2}, {"SFPMUL 1, 1, 9, 1, 0", 2},
    {"SFPMOV 0, 1, 1, 1", 1},    {"SFPABS 0, 1, 1, 1", 1},     {"SFPLOAD 1, 3, 0, 0", 1},
    {"SFPSTORE 1, 3, 0, 0", 1},  {"SFPLOADI 1, 0, 0", 1},      {"SFPARECIP 0, 1, 1, 0", 1},
};

TEST_EACH(throughput, (int)(sizeof chains / sizeof chains[0]))
{
    enum { LENGTH = 20 };
    const struct chain *chain = &chains[_i];
    tensix->timing = &harness.costs;
    tensix_harness_run(&harness, 0, chain->instruction);
    tensix_harness_go(&harness, 64);
    uint64_t begin = harness.time;
    uint32_t word = tensix_harness_assemble(chain->instruction);
    struct tensix_origin origin = {.pc = 0x1000, .pusher = TENSIX_BY_T0};
    for (unsigned i = 0; i < LENGTH; i++) {
        ck_assert(tensix_push(tensix, 0, origin, &word, 1, begin));
    }
    tensix_harness_go(&harness, 0);
    uint64_t cycles = tensix->thread[0].time - begin;
    uint64_t wanted = (LENGTH - 1) * chain->cycles + 1;
    ck_assert_msg(cycles >= wanted && cycles <= wanted + 2, "%s: %" PRIu64 " cycles, not %" PRIu64,
                  chain->instruction, cycles, wanted);
}
