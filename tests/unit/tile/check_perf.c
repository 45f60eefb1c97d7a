/*
 * Performance counters, by tt-llk's docs/performance_counters/hardware_reference.md: its tables of
 * registers and selections, modes, and what the signals of a short program must have counted.
 */
#include <string.h>

#include "tile/timing.h"
#include "unit/tile/mmio_harness.h"
#include "tile/debug_internal.h"

FIXTURE(harness_setup, harness_teardown);

#define REG(offset) (UINT32_C(0xffb12000) + (uint32_t)(offset))

/* --- Registers --- */

TEST_EACH(perf_counters_count_cycles, 5)
{
    static const uint32_t banks[][2] = {
        {0x000, 0x100}, {0x00c, 0x108}, {0x018, 0x120}, {0x030, 0x118}, {0x0f0, 0x110}};
    uint32_t base = banks[_i][0], out = banks[_i][1];
    put(AGENT_NOC, REG(base), 0xffffffff);
    put(AGENT_NOC, REG(base + 4), 0);
    put(AGENT_NOC, REG(base + 8), 0);
    tile_run(harness.tile, 128);
    put(AGENT_NOC, REG(base + 8), 1);
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(get(AGENT_NOC, REG(out)), 1280 - 128);
    put(AGENT_NOC, REG(base + 8), 2);
    tile_run(harness.tile, 2560);
    ck_assert_uint_eq(get(AGENT_NOC, REG(out)), 1280 - 128);
    put(AGENT_NOC, REG(0x03c), 1); /* of all banks: FPU and INSTRN_THREAD */
    bool is_of_all = base == 0x000 || base == 0x018;
    ck_assert_uint_eq(get(AGENT_NOC, REG(out)), is_of_all ? 0 : 1280 - 128);
    ck_assert_uint_eq(get(AGENT_NOC, REG(out + 4)), 0);
}

static void push_nops(uint32_t thread, unsigned count, uint64_t until)
{
    for (unsigned i = 0; i < count; i++) {
        put(AGENT_B, 0xffe40000 + 0x10000 * thread, 0x02000000);
    }
    (void)tensix_run(&harness.tile->tensix, until);
}

/* tt-llk: grants of any of the eight selections of a thread are its instructions. */
TEST_EACH(perf_counters_count_instructions, 3)
{
    uint32_t thread = (uint32_t)_i;
    put(AGENT_NOC, REG(0x008), 1);
    push_nops(thread, 7, 100);
    for (uint32_t select = 0; select < 24; select++) {
        put(AGENT_NOC, REG(0x004), 1 << 16 | select << 8);
        ck_assert_uint_eq(get(AGENT_NOC, REG(0x104)), select / 8 == thread ? 7 : 0);
    }
    put(AGENT_NOC, REG(0x004), 1 << 16 | thread << 11);
    put(AGENT_NOC, REG(0x008), 2);
    push_nops(thread, 1, 200);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x104)), 7);
    put(AGENT_NOC, REG(0x008), 1);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x104)), 0);
    ck_assert_uint_eq(harness.unmodelled, 0);
    put(AGENT_NOC, REG(0x004), 1 << 16 | 24 << 8);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x104)), 0);
    ck_assert_uint_eq(harness.unmodelled, 1);
}

/* Mode 1: cycles and events end with the reference period, until the bank is started again. */
TEST(perf_counters_end_with_the_period)
{
    const uint32_t period = 1000; /* not a whole number of rounds */
    put(AGENT_NOC, REG(0x000), period);
    put(AGENT_NOC, REG(0x004), 1 << 16 | 1);
    for (unsigned round = 0; round < 2; round++) {
        put(AGENT_NOC, REG(0x008), 0);
        put(AGENT_NOC, REG(0x008), 1);
        uint64_t begin = harness.tile->now;
        push_nops(0, 3, begin + 50);
        tile_run(harness.tile, begin + 640);
        ck_assert_uint_eq(get(AGENT_NOC, REG(0x100)), 640);
        tile_run(harness.tile, begin + 1280);
        ck_assert_uint_eq(get(AGENT_NOC, REG(0x100)), period);
        push_nops(0, 2, begin + 1300);
        ck_assert_uint_eq(get(AGENT_NOC, REG(0x104)), 3);
        put(AGENT_NOC, REG(0x004), 1 << 16); /* how it is read */
        ck_assert_uint_eq(get(AGENT_NOC, REG(0x100)), period);
        ck_assert_uint_eq(get(AGENT_NOC, REG(0x104)), 3);
        put(AGENT_NOC, REG(0x004), 1 << 16 | 1);
        tile_run(harness.tile, begin + 1920);
    }
}

/* Mode 2: events without cycles. */
TEST(perf_counters_without_cycles)
{
    put(AGENT_NOC, REG(0x004), 1 << 16 | 2);
    put(AGENT_NOC, REG(0x008), 1);
    uint64_t begin = harness.tile->now;
    push_nops(0, 3, begin + 50);
    tile_run(harness.tile, begin + 640);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x100)), 0);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x104)), 3);
    put(AGENT_NOC, REG(0x004), 1 << 16);
    tile_run(harness.tile, begin + 640 + 128);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x100)), 128);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x104)), 3);
}

/* --- Selections --- */

enum { MUX = 0x218, GRANTS = 256 };

/* By enum debug_perf_bank_id: registers, and how many bits its selections have. */
static const struct {
    uint32_t base, out;
    unsigned bits;
} banks[DEBUG_PERF_BANKS] = {
    [DEBUG_PERF_INSTRN_THREAD] = {0x000, 0x100, 6}, [DEBUG_PERF_TDMA_UNPACK] = {0x00c, 0x108, 5},
    [DEBUG_PERF_FPU] = {0x018, 0x120, 1},           [DEBUG_PERF_L1] = {0x030, 0x118, 3},
    [DEBUG_PERF_TDMA_PACK] = {0x0f0, 0x110, 5},
};

static void control_all(uint32_t bits)
{
    for (unsigned bank = 0; bank < DEBUG_PERF_BANKS; bank++) {
        put(AGENT_NOC, REG(banks[bank].base + 8), 0);
        put(AGENT_NOC, REG(banks[bank].base + 8), bits);
    }
}

static uint32_t shown(enum debug_perf_bank_id bank, unsigned select)
{
    put(AGENT_NOC, REG(banks[bank].base + 4), select << 8);
    ck_assert_uint_eq(get(AGENT_NOC, REG(banks[bank].base + 4)), select << 8);
    uint32_t value = get(AGENT_NOC, REG(banks[bank].out + 4));
    ck_assert_uint_eq(peek(AGENT_NOC, REG(banks[bank].out + 4)), value);
    return value;
}

/* The architecture summary counts them; of each position of the bank L1 there are eight, of the
 * last one two. Two ports of the first position are not modelled. Others are, or always zero. */
TEST(selections_are_those_of_the_reference)
{
    static const unsigned counters[] = {[DEBUG_PERF_INSTRN_THREAD] = 59,
                                        [DEBUG_PERF_FPU] = 3,
                                        [DEBUG_PERF_TDMA_UNPACK] = 18,
                                        [DEBUG_PERF_L1] = 42,
                                        [DEBUG_PERF_TDMA_PACK] = 5};
    static const unsigned others[DEBUG_PERF_BANKS] = {/* that show something without a name */
                                                      [DEBUG_PERF_INSTRN_THREAD] =
                                                          3 + 3 * 7 + 3 * 9,
                                                      [DEBUG_PERF_L1] = 6};
    unsigned all = 0;
    for (unsigned bank = 0; bank < DEBUG_PERF_BANKS; bank++) {
        unsigned known = 0, positions = bank == DEBUG_PERF_L1 ? 6 : 1;
        for (uint32_t position = 0; position < positions; position++) {
            put(AGENT_NOC, REG(MUX), position << 4);
            for (unsigned select = 0; select < 1u << banks[bank].bits; select++) {
                harness.unmodelled = 0;
                (void)shown((enum debug_perf_bank_id)bank, select);
                known += !harness.unmodelled;
                harness.unmodelled = 0;
                (void)shown((enum debug_perf_bank_id)bank, GRANTS | select);
                known += bank != DEBUG_PERF_L1 && !harness.unmodelled;
            }
        }
        known += bank == DEBUG_PERF_L1 ? 2 : 0;
        ck_assert_msg(known == counters[bank] + others[bank], "bank %u shows %u", bank, known);
        all += counters[bank];
    }
    ck_assert_uint_eq(all, DEBUG_COUNTERS);
}

/* --- Signals --- */

enum {
    NOP = 0x02000000,
    SYNC_BLOCK = 1 << 1,
    ZERO = 1,
    FULL = 2,
    /* selections */
    SYNC_AVAILABLE = 3,
    STALLS = 24,
    SRCA_VALID = 29,
    WAITS_OF_THREAD = 31,
    UNPACK_IDLE = 1,
    MATH_IDLE = 3,
    NONZERO = 4,
    NONFULL = 5,
    KINDS_OF_WAIT = 9,
    INSTRUCTIONS = GRANTS,
    ANY_STALL = GRANTS | 27,
};

static uint32_t op(uint32_t opcode, uint32_t operands)
{
    return opcode << 24 | operands;
}

static uint32_t semwait(unsigned semaphore, unsigned condition)
{
    return op(0xa6, SYNC_BLOCK << 15 | 1u << semaphore << 2 | condition);
}

static uint32_t sempost(unsigned semaphore)
{
    return op(0xa4, 1u << semaphore << 2);
}

static uint32_t seminit(unsigned semaphore, unsigned most, unsigned value)
{
    return op(0xa3, most << 20 | value << 16 | 1u << semaphore << 2);
}

static uint32_t wait_of(unsigned kind, unsigned thread)
{
    return shown(DEBUG_PERF_INSTRN_THREAD, WAITS_OF_THREAD + KINDS_OF_WAIT * thread + kind);
}

static uint32_t of_thread(unsigned select, unsigned step, unsigned thread)
{
    return shown(DEBUG_PERF_INSTRN_THREAD, select + step * thread);
}

static void push_one(unsigned thread, uint32_t word)
{
    put(AGENT_B, 0xffe40000 + 0x10000 * thread, word);
}

static void begin_signals(bool is_timed)
{
    harness.tile->tensix.timing = is_timed ? &tile_costs : NULL;
    harness.tile->quantum = is_timed ? 1 : harness.tile->quantum;
    control_all(1);
}

/* Thread 0 waits for a post of thread 1, which comes late; thread 2 for room, for less long. */
TEST_EACH(waits_for_semaphores_are_counted, 2)
{
    const bool is_timed = _i;
    begin_signals(is_timed);
    push_one(2, seminit(0, 2, 0));
    push_one(2, seminit(1, 1, 1));
    tile_run(harness.tile, 20);
    push_one(0, semwait(0, ZERO));
    push_one(0, sempost(2));
    push_one(2, semwait(1, FULL));
    push_one(2, sempost(3));
    tile_run(harness.tile, 100);
    push_one(1, op(0xa5, 1u << 1 << 2)); /* SEMGET */
    tile_run(harness.tile, 200);
    push_one(1, sempost(0));
    tile_run(harness.tile, 300);
    uint32_t zero = wait_of(NONZERO, 0), full = wait_of(NONFULL, 2);
    ck_assert_uint_ge(zero, 200 - 20 - 10);
    ck_assert_uint_le(zero, of_thread(STALLS, 1, 0));
    ck_assert_uint_le(of_thread(STALLS, 1, 0), zero + 4);
    ck_assert_uint_ge(full, 100 - 20 - 10);
    ck_assert_uint_lt(full, 100);
    ck_assert_uint_eq(wait_of(NONFULL, 0) + wait_of(NONZERO, 2) + wait_of(MATH_IDLE, 0), 0);
    ck_assert_uint_eq(of_thread(STALLS, 1, 1), 0);
    if (is_timed) { /* thread 2 waits while thread 0 does, but for the second SEMINIT */
        uint32_t any = shown(DEBUG_PERF_INSTRN_THREAD, ANY_STALL);
        ck_assert_uint_ge(any, of_thread(STALLS, 1, 0));
        ck_assert_uint_le(any, of_thread(STALLS, 1, 0) + 2);
    }
    static const unsigned passed[] = {2, 2, 4};
    for (unsigned thread = 0; thread < 3; thread++) {
        ck_assert_uint_eq(of_thread(INSTRUCTIONS, 8, thread), passed[thread]);
        ck_assert_uint_eq(of_thread(SYNC_AVAILABLE, 1, thread), passed[thread]);
    }
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* What a thread waits for already is counted from the start on, and what it still waits for up to
 * the stop. */
TEST(counters_begin_and_end_in_a_wait)
{
    begin_signals(true);
    push_one(2, seminit(0, 2, 0));
    tile_run(harness.tile, 20);
    push_one(0, semwait(0, ZERO));
    push_one(0, NOP);
    push_one(0, sempost(2));
    tile_run(harness.tile, 100);
    control_all(1);
    tile_run(harness.tile, 150);
    ck_assert_uint_eq(wait_of(NONZERO, 0), 50);
    tile_run(harness.tile, 180);
    control_all(2);
    tile_run(harness.tile, 300);
    ck_assert_uint_eq(wait_of(NONZERO, 0), 80);
    ck_assert_uint_eq(of_thread(STALLS, 1, 0), 80);
    ck_assert_ptr_null(harness.tile->counts);
}

/* A matrix instruction waits for data that never come, or a drained Matrix Unit lets another one
 * on. */
TEST(waits_for_data_and_units_are_counted)
{
    enum { STALL_SYNC_ON_MATH = SYNC_BLOCK << 15 | 1 << 4, ELWADDS = 5 };
    begin_signals(true);
    for (unsigned i = 0; i < ELWADDS; i++) {
        push_one(1, op(0x10, 0)); /* ZEROACC of one row: it needs no data */
    }
    push_one(1, op(0xa2, STALL_SYNC_ON_MATH));
    push_one(1, sempost(2));
    tile_run(harness.tile, 100);
    ck_assert_uint_eq(shown(DEBUG_PERF_FPU, 0), ELWADDS);
    ck_assert_uint_eq(shown(DEBUG_PERF_FPU, 1), 0);
    ck_assert_uint_eq(shown(DEBUG_PERF_FPU, GRANTS | 1), ELWADDS);
    ck_assert_uint_eq(shown(DEBUG_PERF_TDMA_UNPACK, 3), ELWADDS);
    ck_assert_uint_gt(wait_of(MATH_IDLE, 1), 0);
    ck_assert_uint_eq(wait_of(UNPACK_IDLE, 1), 0);
    push_one(1, op(0x28, 0)); /* ELWADD */
    tile_run(harness.tile, 200);
    uint32_t available = shown(DEBUG_PERF_TDMA_UNPACK, 4), ready = shown(DEBUG_PERF_TDMA_UNPACK, 0);
    ck_assert_uint_ge(shown(DEBUG_PERF_INSTRN_THREAD, SRCA_VALID), 90);
    ck_assert_uint_ge(available, 90);
    ck_assert_uint_lt(ready, available - 80);
    ck_assert_uint_eq(shown(DEBUG_PERF_TDMA_UNPACK, 3), ELWADDS);
}

/* Instructions of all threads, some of which wait for one another and for units. */
static void push_scene(void)
{
    push_one(2, seminit(0, 2, 0));
    for (unsigned i = 0; i < 6; i++) {
        push_one(1, i % 2 ? op(0x10, 0) : sempost(1));
        push_one(0, i ? NOP : semwait(0, ZERO));
    }
    push_one(0, sempost(3));
    push_one(1, op(0xa2, SYNC_BLOCK << 15 | 1 << 4));
    push_one(1, sempost(0));
}

/* A machine whose counters run does what it does without them, in the same cycles. */
TEST_EACH(counting_changes_nothing, 2)
{
    static struct tensix_thread without[TENSIX_THREADS];
    for (unsigned round = 0; round < 2; round++) {
        harness_teardown();
        harness_setup();
        begin_signals(_i);
        if (!round) {
            control_all(2);
            ck_assert_ptr_null(harness.tile->counts);
        }
        push_scene();
        tile_run(harness.tile, 40);
        for (unsigned i = 0; i < TENSIX_THREADS; i++) {
            if (round) {
                const struct tensix_thread *with = &harness.tile->tensix.thread[i];
                ck_assert_int_eq(memcmp(with, &without[i], sizeof *with), 0);
            }
        }
        memcpy(without, harness.tile->tensix.thread, sizeof without);
        tile_run(harness.tile, 300);
        ck_assert_uint_eq(harness.tile->tensix.semaphore[3].value, 1);
    }
}

/* However a run is divided, and whether anybody looks at the registers meanwhile. */
TEST(counts_do_not_depend_on_how_a_run_is_divided)
{
    uint64_t counts[2][DEBUG_COUNTERS];
    for (unsigned round = 0; round < 2; round++) {
        harness_teardown();
        harness_setup();
        begin_signals(true);
        push_scene();
        for (uint64_t cycle = 0; cycle < 200; cycle += round ? 1 : 200) {
            tile_run(harness.tile, cycle + (round ? 1 : 200));
            (void)(round && wait_of(NONZERO, 0));
        }
        control_all(2);
        memcpy(counts[round], harness.tile->debug.counts.count, sizeof counts[round]);
    }
    for (unsigned i = 0; i < DEBUG_COUNTERS; i++) {
        ck_assert_msg(counts[0][i] == counts[1][i], "counter %u: %llu, %llu", i,
                      (unsigned long long)counts[0][i], (unsigned long long)counts[1][i]);
    }
    ck_assert_uint_gt(counts[0][DEBUG_WAITING_FOR_NONZERO_SEM_0], 0);
}
