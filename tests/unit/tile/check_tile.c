/* Time in a tile: rounds, sleeping, waiting, resets; and laws of the address map. */
#include <string.h>

#include "unit/test.h"
#include "unit/tile/tile_harness.h"
#include "tile/observe.h"
#include "tile/tell.h"
#include "tile/weak.h"

/* B and T0 hand a counter back and forth through L1, each counting its spins. */
static const char ping[] =
    "addi s0, zero, 0x400; addi s1, zero, 0; addi s2, zero, 40; "
    "1: addi s1, s1, 1; sw s1, 0(s0); "
    "2: fence 0xf, 0xf; lw t0, 4(s0); bne t0, s1, 2b; bltu s1, s2, 1b; sw s1, 8(s0); ebreak";

static const char pong[] =
    "addi s0, zero, 0x400; addi s1, zero, 0; addi s2, zero, 40; "
    "1: addi s1, s1, 1; "
    "2: jal ra, 3f; bne a0, s1, 2b; addi t1, zero, 7; "
    "4: addi t1, t1, -1; bne t1, zero, 4b; sw s1, 4(s0); bltu s1, s2, 1b; ebreak; "
    "3: lw a0, 0(s0); jalr zero, 0(ra)";

/* T1 waits for the wall clock as tt-metal's TRISCs do, again and again. */
static const char clock_waits[] =
    "lui s0, 0xffb12; addi s3, zero, 12; addi s0, s0, 0x1f0; "
    "1: lw a4, 0(s0); lw a3, 8(s0); addi a1, a4, 600; sltu a4, a1, a4; add a3, a4, a3; "
    "2: lw a2, 0(s0); lw a4, 8(s0); bltu a4, a3, 2b; bne a3, a4, 3f; bltu a2, a1, 2b; "
    "3: addi s3, s3, -1; sw a2, 0x500(zero); bne s3, zero, 1b; ebreak";

/* T2 waits for a byte, then counts how often it polled a word that NC writes late. */
static const char late_reader[] = "addi s0, zero, 0x600; "
                                  "1: lbu a0, 3(s0); beq a0, zero, 1b; sw a0, 0x40(s0); ebreak";

static const char late_writer[] =
    "lui t0, 3; "
    "1: addi t0, t0, -1; bne t0, zero, 1b; addi t1, zero, 0x5a; sb t1, 0x603(zero); ebreak";

static void start_all(struct tile_harness *harness)
{
    harness_assemble(harness, 0x1000, ping);
    harness_assemble(harness, 0x1100, pong);
    harness_assemble(harness, 0x1200, clock_waits);
    harness_assemble(harness, 0x1300, late_reader);
    harness_assemble(harness, 0x1400, late_writer);
    for (unsigned core = 0; core < RV32_CORES; core++) {
        static const uint32_t pcs[RV32_CORES] = {0x1000, 0x1100, 0x1200, 0x1300, 0x1400};
        harness_release(harness, (enum rv32_core)core, pcs[core]);
    }
}

static void check_same(const struct tile *a, const struct tile *b)
{
    ck_assert_mem_eq(a->l1, b->l1, 0x2000);
    for (unsigned core = 0; core < RV32_CORES; core++) {
        ck_assert_int_eq(a->run[core].state, b->run[core].state);
        ck_assert_mem_eq(a->hart[core].x, b->hart[core].x, 32 * sizeof(uint32_t));
        ck_assert_uint_eq(a->hart[core].pc, b->hart[core].pc);
        ck_assert_uint_eq(a->hart[core].retired, b->hart[core].retired);
        ck_assert_uint_eq(a->run[core].time, b->run[core].time);
    }
}

static void wake_all(struct tile *tile)
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        tile_wake(tile, (enum rv32_core)core);
    }
}

/* Looks at both tiles at many times on the way: a sleeping hart has the state of a restless one. */
static void compare_restless(uint32_t quantum)
{
    struct tile_harness sleepy, restless;
    harness_open(&sleepy);
    harness_open(&restless);
    restless.tile->restless = true;
    sleepy.tile->quantum = restless.tile->quantum = quantum;
    start_all(&sleepy);
    start_all(&restless);
    for (uint64_t until = quantum; until < 30000 + 100 * quantum;
         until += quantum * (1 + until % 7)) {
        tile_run(sleepy.tile, until);
        tile_run(restless.tile, until);
        ck_assert_uint_eq(sleepy.tile->now, restless.tile->now);
        wake_all(sleepy.tile);
        check_same(sleepy.tile, restless.tile);
    }
    ck_assert_uint_eq(harness_word(&sleepy, 0x408), 40);
    ck_assert_uint_eq(harness_word(&sleepy, 0x640), 0x5a);
    for (unsigned core = 0; core < RV32_CORES; core++) {
        ck_assert_int_eq(sleepy.tile->run[core].state, HART_PAUSED);
    }
    harness_close(&sleepy);
    harness_close(&restless);
}

TEST_EACH(sleeping_changes_nothing, 5)
{
    static const uint32_t quanta[] = {1, 7, 32, 128, 1000};
    compare_restless(quanta[_i]);
}

/* The same end, and the same memory, however far each call runs. */
TEST(chunks_change_nothing)
{
    struct tile_harness whole, pieces;
    harness_open(&whole);
    harness_open(&pieces);
    start_all(&whole);
    start_all(&pieces);
    tile_run(whole.tile, 128 * 250);
    for (unsigned i = 1; i <= 250; i++) {
        tile_run(pieces.tile, 128 * i);
    }
    check_same(whole.tile, pieces.tile);
    harness_close(&whole);
    harness_close(&pieces);
}

TEST(quiet_tile_has_no_event)
{
    static const char loop[] = "1: lw a0, 0x700(zero); beq a0, zero, 1b; ebreak";
    struct tile_harness harness;
    harness_open(&harness);
    harness_assemble(&harness, 0x1000, loop);
    harness_release(&harness, RV32_B, 0x1000);
    tile_run(harness.tile, 12800);
    ck_assert_int_eq(harness.tile->run[RV32_B].state, HART_ASLEEP);
    ck_assert_uint_eq(tile_next_event(harness.tile), UINT64_MAX);
    harness_set_word(&harness, 0x704, 1); /* the same line, another word */
    ck_assert_uint_eq(tile_next_event(harness.tile), UINT64_MAX);
    harness_set_word(&harness, 0x700, 9);
    ck_assert_uint_eq(tile_next_event(harness.tile), harness.tile->now);
    tile_run(harness.tile, 25600);
    ck_assert_int_eq(harness.tile->run[RV32_B].state, HART_PAUSED);
    ck_assert_uint_eq(harness.tile->hart[RV32_B].x[10], 9);
    harness_close(&harness);
}

TEST(loop_without_effect_sleeps)
{
    static const char loop[] = "1: jal zero, 1b";
    struct tile_harness harness;
    harness_open(&harness);
    harness_assemble(&harness, 0x1000, loop);
    harness_release(&harness, RV32_NC, 0x1000);
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(tile_next_event(harness.tile), UINT64_MAX);
    ck_assert_uint_eq(harness.tile->run[RV32_NC].idle.places, 0);
    tile_run(harness.tile, UINT64_C(128) << 40);
    wake_all(harness.tile);
    ck_assert_uint_eq(harness.tile->hart[RV32_NC].retired, UINT64_C(128) << 40);
    harness_close(&harness);
}

TEST_EACH(fault_stops_or_skips, 2)
{
    static const char bad[] = "lui a0, 0xff000; sw a0, 0(a0); addi a1, zero, 5; ebreak";
    struct tile_harness harness;
    harness_open(&harness);
    harness.policy = _i ? PENROSE_WARN : PENROSE_STOP;
    harness_assemble(&harness, 0x1000, bad);
    harness_release(&harness, RV32_T1, 0x1000);
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_UNMAPPED);
    ck_assert_int_eq(harness.fault.agent, AGENT_T1);
    ck_assert_uint_eq(harness.fault.pc, 0x1004);
    ck_assert_uint_eq(harness.fault.address, 0xff000000);
    ck_assert_int_eq(harness.tile->halt, _i ? TILE_GOES : TILE_FAULTED);
    ck_assert_int_eq(harness.tile->run[RV32_T1].state, _i ? HART_PAUSED : HART_FAULTED);
    ck_assert_uint_eq(harness.tile->hart[RV32_T1].x[11], _i ? 5 : 0);
    harness_close(&harness);
}

TEST(reset_clears_and_restarts)
{
    static const char program[] =
        "lui t0, 0xffb00; lw a0, 0(t0); addi a1, zero, 1; sw a1, 0(t0); ebreak";
    static const uint32_t all = 0x47800;
    struct tile_harness harness;
    uint32_t value = 0x1000;
    harness_open(&harness);
    harness_assemble(&harness, 0x1000, program);
    ck_assert_int_eq(harness_access(&harness, MMIO_WRITE, AGENT_NOC, 0xffb12230, &value),
                     ANSWER_DONE);
    value = 4;
    ck_assert_int_eq(harness_access(&harness, MMIO_WRITE, AGENT_NOC, 0xffb12234, &value),
                     ANSWER_DONE);
    for (unsigned i = 0; i < 2; i++) {
        value = all & ~(UINT32_C(1) << 14);
        harness_access(&harness, MMIO_WRITE, AGENT_NOC, 0xffb121b0, &value);
        tile_run(harness.tile, harness.tile->now + 1280);
        ck_assert_int_eq(harness.tile->run[RV32_T2].state, HART_PAUSED);
        ck_assert_uint_eq(harness.tile->hart[RV32_T2].x[10], 0); /* the RAM is zeroed again */
        ck_assert_uint_eq(harness.tile->hart[RV32_T2].retired, 5);
        value = all;
        harness_access(&harness, MMIO_WRITE, AGENT_NOC, 0xffb121b0, &value);
        ck_assert_int_eq(harness.tile->run[RV32_T2].state, HART_HELD);
    }
    harness_close(&harness);
}

/* A stream of words made from a seed, for weak memory. */
TEST_EACH(weak_memory_keeps_fenced_programs_right, 20)
{
    static const char producer[] =
        "addi s0, zero, 0x400; addi s1, zero, 30; "
        "1: sw s1, 0(s0); fence 0xf, 0xf; sw s1, 64(s0); "
        "2: fence 0xf, 0xf; lw t0, 128(s0); bne t0, s1, 2b; addi s1, s1, -1; bne s1, zero, 1b; "
        "ebreak";
    static const char consumer[] =
        "addi s0, zero, 0x400; addi s1, zero, 30; addi a0, zero, 0; "
        "1: 2: fence 0xf, 0xf; lw t0, 64(s0); bne t0, s1, 2b; fence 0xf, 0xf; lw t1, 0(s0); "
        "add a0, a0, t1; sw s1, 128(s0); addi s1, s1, -1; bne s1, zero, 1b; ebreak";
    struct tile_harness harness;
    harness_open(&harness);
    ck_assert(tile_weak_enable(harness.tile, (uint64_t)_i));
    harness_assemble(&harness, 0x1000, producer);
    harness_assemble(&harness, 0x1100, consumer);
    harness_release(&harness, RV32_B, 0x1000);
    harness_release(&harness, RV32_T0, 0x1100);
    tile_run(harness.tile, 128 * 4000);
    ck_assert_int_eq(harness.tile->run[RV32_B].state, HART_PAUSED);
    ck_assert_int_eq(harness.tile->run[RV32_T0].state, HART_PAUSED);
    ck_assert_uint_eq(harness.tile->hart[RV32_T0].x[10], 30 * 31 / 2);
    tile_weak_free(harness.tile);
    harness_close(&harness);
}

/* Without fences some seed must show the consumer a stale word: the mode has teeth. */
TEST(weak_memory_shows_missing_fences)
{
    static const char producer[] =
        "addi s0, zero, 0x400; lui s2, 0xffe00; addi s1, zero, 30; "
        "1: sw s1, 0(s0); sw s1, 0(s2); "
        "2: lw t0, 4(s2); bne t0, s1, 2b; addi s1, s1, -1; bne s1, zero, 1b; ebreak";
    static const char consumer[] =
        "addi s0, zero, 0x400; lui s2, 0xffe00; addi s1, zero, 30; addi a0, zero, 0; "
        "1: 2: lw t0, 0(s2); bne t0, s1, 2b; fence 0xf, 0xf; lw t1, 0(s0); add a0, a0, t1; "
        "sw s1, 4(s2); addi s1, s1, -1; bne s1, zero, 1b; ebreak";
    bool seen = false;
    for (uint64_t seed = 0; seed < 20 && !seen; seed++) {
        struct tile_harness harness;
        harness_open(&harness);
        ck_assert(tile_weak_enable(harness.tile, seed));
        harness_assemble(&harness, 0x1000, producer);
        harness_assemble(&harness, 0x1100, consumer);
        harness_release(&harness, RV32_B, 0x1000);
        harness_release(&harness, RV32_T0, 0x1100);
        tile_run(harness.tile, 128 * 4000);
        seen = harness.tile->hart[RV32_T0].x[10] != 30 * 31 / 2;
        tile_weak_free(harness.tile);
        harness_close(&harness);
    }
    ck_assert(seen);
}

/* Ends of instructions of which an observer was told, after it has asked for that at `asks_at`. */
struct told_ends {
    uint32_t asks_at, at;
    unsigned count;
};

static bool see_ends(void *context, struct tile *tile, const struct observed *event)
{
    struct told_ends *told = context;
    if (event->kind == OBSERVED_STARTS && event->pc == told->asks_at) {
        tile_ask(tile, (enum rv32_core)event->agent);
    } else if (event->kind == OBSERVED_FINISHED) {
        told->count++;
        told->at = event->pc;
    }
    return false;
}

TEST(observers_are_told_of_ends_for_which_they_ask)
{
    static const char program[] = "addi a0, zero, 1; addi a1, zero, 2; addi a2, zero, 3; ebreak";
    for (unsigned asks = 0; asks < 2; asks++) {
        struct told_ends told = {.asks_at = 0x1004};
        const struct observer observer = {.kinds = 1 << OBSERVED_STARTS | 1 << OBSERVED_FINISHED,
                                          .asks = asks,
                                          .see = see_ends,
                                          .context = &told};
        struct tile_harness harness;
        harness_open(&harness);
        harness_assemble(&harness, 0x1000, program);
        ck_assert(tile_observe(harness.tile, &observer));
        harness_release(&harness, RV32_B, 0x1000);
        tile_run(harness.tile, 12800);
        ck_assert_uint_eq(told.count, asks ? 1 : 4);
        ck_assert_uint_eq(told.at, asks ? 0x1004 : 0x100c);
        harness_close(&harness);
    }
}

struct range_row {
    uint32_t first, last;
    unsigned agents;
};

TEST(ranges_do_not_overlap)
{
    enum { B = 1, TRISCS = 2 | 4 | 8, NC = 16, HARTS = B | TRISCS | NC, NOC = 32 };
    static const struct range_row rows[] = {
#define RANGE(token, first, last, agents, poll, title) {UINT32_C(first), UINT32_C(last), agents},
#include "mmio.def"
#undef RANGE
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_uint_lt(rows[i].first, rows[i].last);
        for (unsigned j = 0; j < i; j++) {
            ck_assert(!(rows[i].agents & rows[j].agents) || rows[i].first > rows[j].last ||
                      rows[j].first > rows[i].last);
        }
    }
}
