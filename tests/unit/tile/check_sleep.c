/*
 * Harts that poll and have more to do than that: a tile in which they sleep and one in which they
 * never do (tile->restless) must agree, to the cycle. With weak memory a hart sleeps when its L0
 * cache has what is in L1, or never looks there again.
 */
#include <string.h>

#include "unit/test.h"
#include "tile/observe.h"
#include "tile/weak.h"
#include "unit/tile/tile_harness.h"

#define NIU_BASE_ADDRESS UINT32_C(0xffb20000)
#define CODE             UINT32_C(0x1000)
#define HANDLER          UINT32_C(0x3000)

enum { ROUND = 128, MOST_LINES = 320, NOPS = 280, RESULT = 0x400 };

/* Waits at 9: until the word at s0 is not zero; before the second wait come `middle` and so many
 * instructions that do nothing. */
static void load_waits(struct tile_harness *harness, const char *const *first, unsigned nops,
                       const char *const *middle)
{
    const char *line[MOST_LINES];
    unsigned count = 0;
    while (*first) {
        line[count++] = *first++;
    }
    line[count++] = "addi a0, zero, 0";
    line[count++] = "jal ra, 9f";
    line[count++] = "addi a0, zero, 0";
    for (unsigned i = 0; i < nops; i++) {
        line[count++] = "addi t0, t0, 1";
    }
    while (*middle) {
        line[count++] = *middle++;
    }
    line[count++] = "jal ra, 9f";
    line[count++] = "sw a0, 0x400(zero)";
    line[count++] = "ebreak";
    line[count++] = "9:";
    line[count++] = "lw a0, 0(s0)";
    line[count++] = "beq a0, zero, 9b";
    line[count++] = "jalr zero, 0(ra)";
    line[count] = NULL;
    harness_assemble_lines(harness, CODE, line);
}

struct ending {
    enum hart_state state;
    uint32_t result;
    uint64_t time;
};

static struct ending finish(struct tile_harness *harness)
{
    tile_run(harness->tile, harness->tile->now + UINT64_C(200) * ROUND);
    struct ending ending = {harness->tile->run[RV32_B].state, harness_word(harness, RESULT),
                            harness->tile->run[RV32_B].time};
    ck_assert_uint_eq(harness->faults, 0);
    harness_close(harness);
    return ending;
}

static void check_same(struct ending asleep, struct ending awake, int nops)
{
    ck_assert_msg(awake.state == HART_PAUSED, "%d: awake, it does not end either", nops);
    ck_assert_msg(asleep.state == awake.state, "%d: state %d", nops, asleep.state);
    ck_assert_uint_eq(asleep.result, awake.result);
    ck_assert_uint_eq(asleep.time, awake.time);
}

static void set_niu(struct tile_harness *harness, uint32_t offset, uint32_t value)
{
    harness->tile->niu[0].word[offset / 4] = value;
    tile_registers_changed(harness->tile, NIU_BASE_ADDRESS, 0x10000, harness->tile->now);
}

/* The hart interrupts itself, and what it waits for then comes from the handler. */
static struct ending interrupted(unsigned nops, bool is_restless)
{
    static const char *const first[] = {"lui s0, 0xffb20", "addi s0, s0, 0x2f4", NULL};
    static const char *const middle[] = {"lui s2, 0xffb13", "addi t1, zero, 1",
                                         "addi s0, zero, 0x500", "sw t1, 0x18(s2)", NULL};
    static const char *const handler[] = {"lw t4, 0x18(s2)", "addi t5, zero, 3",
                                          "sw t5, 0x500(zero)", "mret", NULL};
    struct tile_harness harness;
    harness_open(&harness);
    harness.tile->restless = is_restless;
    load_waits(&harness, first, nops, middle);
    harness_assemble_lines(&harness, HANDLER, handler);
    harness.tile->pic.software_enable[0] = 1;
    harness.tile->pic.handler[0] = HANDLER;
    harness_release(&harness, RV32_B, CODE);
    tile_run(harness.tile, UINT64_C(4) * ROUND);
    set_niu(&harness, 0x2f4, 1);
    return finish(&harness);
}

TEST(interrupts_end_a_search)
{
    for (unsigned nops = 0; nops < NOPS; nops++) {
        check_same(interrupted(nops, false), interrupted(nops, true), (int)nops);
    }
}

/* Reading NIU_RTZ_NUM takes an interrupt away, that of transaction 0 too, which reads as zero. */
static struct ending taking(unsigned nops, bool is_restless)
{
    enum { MASK = 0x178, NUMBER = 0x378, RAISED = 0x37c };
    static const char *const first[] = {"lui s0, 0xffb20", "addi s0, s0, 0x378", NULL};
    static const char *const none[] = {NULL};
    struct tile_harness harness;
    harness_open(&harness);
    harness.tile->restless = is_restless;
    load_waits(&harness, first, nops, none);
    harness.tile->niu[0].word[MASK / 4] = 1u << 0 | 1u << 5 | 1u << 9;
    harness_release(&harness, RV32_B, CODE);
    tile_run(harness.tile, UINT64_C(4) * ROUND);
    set_niu(&harness, RAISED, 1u << 9);
    tile_run(harness.tile, UINT64_C(5) * ROUND);
    set_niu(&harness, RAISED, harness.tile->niu[0].word[RAISED / 4] | 1u << 0 | 1u << 5);
    return finish(&harness);
}

TEST(reads_that_act_are_done)
{
    for (unsigned nops = 0; nops < NOPS; nops++) {
        check_same(taking(nops, false), taking(nops, true), (int)nops);
    }
}

/* Runs a loop in a hart whose next search is far away, after many in vain. */
static struct ending begin_late(struct tile_harness *harness, const char *const *lines,
                                bool is_restless, unsigned fails)
{
    harness_open(harness);
    harness->tile->restless = is_restless;
    harness_assemble_lines(harness, CODE, lines);
    harness_release(harness, RV32_B, CODE);
    struct tile_hart *run = &harness->tile->run[RV32_B];
    run->probe_fails = fails;
    run->probe_at = UINT64_C(100) * ROUND;
    tile_run(harness->tile, ROUND);
    return (struct ending){.state = run->state, .time = run->idle.since};
}

/* A loop that reads the clock over and over is one that waits, most likely. */
TEST(clocks_are_noticed)
{
    static const char *const lines[] = {
        "lui s0, 0xffb12",  "lw t0, 0x1f0(s0)", "addi t0, t0, 1500",  "1:",     "fence 15, 15",
        "lw t1, 0x1f0(s0)", "bltu t1, t0, 1b",  "sw t1, 0x400(zero)", "ebreak", NULL};
    struct tile_harness harness, awake;
    struct ending ending = begin_late(&harness, lines, false, TILE_MOST_BACKOFF);
    ck_assert_int_eq(ending.state, HART_ASLEEP);
    ck_assert_uint_lt(ending.time, 32);
    begin_late(&awake, lines, true, TILE_MOST_BACKOFF);
    ck_assert_int_eq(awake.tile->run[RV32_B].state, HART_READY);
    tile_run(harness.tile, UINT64_C(30) * ROUND); /* it wakes, and nothing else is touched */
    ck_assert_uint_eq(harness_word(&harness, RESULT), harness.tile->hart[RV32_B].x[6]);
    for (unsigned i = 0; i < 2 * RV32_CORES; i++) {
        ck_assert_uint_eq(harness.tile->unseen[i % 2][NOC_WRITE][i / 2].responses, 0);
    }
    check_same(finish(&harness), finish(&awake), 0);
}

/* So is one with a fence; what stands in memory, loads do not tell. */
TEST(fences_are_noticed)
{
    static const char *const lines[] = {"1:",
                                        "fence 15, 15",
                                        "lw a0, 0x500(zero)",
                                        "beq a0, zero, 1b",
                                        "sw a0, 0x400(zero)",
                                        "ebreak",
                                        NULL};
    struct tile_harness harness, awake;
    struct ending ending = begin_late(&harness, lines, false, 0);
    ck_assert_int_eq(ending.state, HART_ASLEEP);
    ck_assert_uint_lt(ending.time, 32);
    begin_late(&awake, lines, true, 0);
    harness_set_word(&harness, 0x500, 7);
    tile_event(harness.tile, ROUND);
    harness_set_word(&awake, 0x500, 7);
    check_same(finish(&harness), finish(&awake), 0);
}

/* --- Weak memory --- */

static const struct {
    uint32_t cfg0;
    bool sees_change; /* some time */
} caches[] = {
    {0, true},
    {UINT32_C(1) << 24, false}, /* no flush by chance */
    {RV32_CFG0_DIS_LOW_CASH, true},
};

TEST_EACH(who_polls_a_cached_word_sleeps, COUNT(caches))
{
    static const char *const lines[] = {
        "1:", "lw a0, 0x500(zero)", "beq a0, zero, 1b", "sw a0, 0x400(zero)", "ebreak", NULL};
    struct tile_harness harness;
    harness_open(&harness);
    struct tile *tile = harness.tile;
    ck_assert(tile_weak_enable(tile, 5));
    harness_assemble_lines(&harness, CODE, lines);
    harness_release(&harness, RV32_B, CODE);
    tile->hart[RV32_B].csr.cfg0 = caches[_i].cfg0;
    for (uint32_t value = 0; value < 8; value += 7) {
        harness_set_word(&harness, 0x500, value);
        tile_event(tile, tile->now);
        tile_run(tile, tile->now + UINT64_C(200) * ROUND);
        bool has_seen = value && caches[_i].sees_change;
        ck_assert_int_eq(tile->run[RV32_B].state, has_seen ? HART_PAUSED : HART_ASLEEP);
        ck_assert_uint_eq(tile_next_event(tile), UINT64_MAX);
        ck_assert_uint_eq(harness_word(&harness, RESULT), has_seen ? value : 0);
    }
    tile_weak_free(tile);
    harness_close(&harness);
}

/* Instructions of a hart that has polled until it is held in reset. */
static uint64_t retired_until_held(bool is_restless)
{
    static const char *const none[] = {NULL};
    static const char *const first[] = {"addi s0, zero, 0x500", NULL};
    struct tile_harness harness;
    harness_open(&harness);
    struct tile *tile = harness.tile;
    tile->restless = is_restless;
    load_waits(&harness, first, 0, none);
    harness_release(&harness, RV32_B, CODE);
    tile_run(tile, UINT64_C(40) * ROUND);
    ck_assert_int_eq(tile->run[RV32_B].state, is_restless ? HART_READY : HART_ASLEEP);
    tile_soft_reset(tile, 0, tile_reset_bit(tile, RV32_B), tile->now);
    ck_assert_int_eq(tile->run[RV32_B].state, HART_HELD);
    const uint64_t retired = tile->hart[RV32_B].retired;
    harness_close(&harness);
    return retired;
}

TEST(who_is_held_has_counted_until_then)
{
    ck_assert_uint_eq(retired_until_held(false), retired_until_held(true));
}
