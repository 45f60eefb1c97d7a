/*
 * Three threads at once: in a timed run nothing depends on how many cycles the coprocessor is run
 * at a time (in a functional run the interleaving of threads is free, and only programs without
 * races are compared); waits see conditions that hold for a cycle only; results of other threads;
 * an instruction that a fault has stopped and that is tried again.
 *
 * SPEC: BlackholeA0 STALLWAIT, SEMWAIT, SyncUnit; WormholeB0 WaitGate, ScalarUnit.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/test.h"
#include "unit/tensix/tensix_fixture.h"

enum { LENGTH = 24, LINE = 60, END = 4000 };

static uint64_t random_state;

static uint32_t any(void)
{
    return random_next(&random_state);
}

static void run(unsigned thread, const char *text)
{
    tensix_harness_run(&harness, thread, text);
}

static void push(unsigned thread, unsigned pusher, const char *line)
{
    uint32_t word = tensix_harness_assemble(line);
    struct tensix_origin origin = {.pusher = (uint8_t)pusher};
    ck_assert(tensix_push(tensix, thread, origin, &word, 1, harness.time));
}

static void queue(unsigned thread, const char *text)
{
    char line[LINE];
    for (; *text; text += strcspn(text, ";"), text += *text == ';') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, ";"), text);
        push(thread, TENSIX_BY_T0 + thread, line);
    }
}

static unsigned marker(unsigned thread)
{
    return tensix->thread_config[thread][1];
}

/* --- Any division of the time gives the same --- */

static void random_line(char line[LINE])
{
    unsigned a = any() % 4, b = any() >> 9, blocks = 1U << b % 9;
    blocks = any() % 3 ? 0x1ff : blocks;
    switch (any() % 12) {
    case 0:
    case 1:
        snprintf(line, LINE, "SEMPOST %u", 1U << a);
        break;
    case 2:
        snprintf(line, LINE, "SEMGET %u", 1U << a);
        break;
    case 3:
    case 4:
        snprintf(line, LINE, "SEMWAIT %u, %u, 1", blocks, 1U << a);
        break;
    case 5:
        snprintf(line, LINE, "ATGETM %u", a == 1 ? 4 : a);
        break;
    case 6:
        snprintf(line, LINE, "ATRELM %u", a == 1 ? 4 : a);
        break;
    case 7: /* whose turn it is shows in the word at 0x400 */
        snprintf(line, LINE, "ATINCGET 0, 31, 0, %u, 1", 16 + b % 32);
        break;
    case 8:
        snprintf(line, LINE, "STOREIND 1, 0, 1, 0, 0, 2, 1");
        break;
    case 9:
        snprintf(line, LINE, "CFGSHIFTMASK 1, 3, 31, %u, 3, 211", b % 32);
        break;
    case 10:
        snprintf(line, LINE, "STALLWAIT %u, 0x1001", blocks);
        break;
    default:
        snprintf(line, LINE, b % 2 ? "NOP" : "RDCFG %u, 211", 16 + b % 32);
    }
}

static char program[3][LENGTH][LINE];

struct state {
    uint32_t gpr[3][64], word, scratch[3];
    struct tensix_semaphore semaphore[8];
    uint8_t mutex[TENSIX_MUTEXES];
    uint64_t drained[3];
    bool waits[3];
};

static struct state state_after(unsigned cycles)
{
    struct state state = {.word = 0};
    memset(harness.l1, 0, 0x1000);
    harness.time = 0;
    tensix->timing = &harness.costs;
    tensix_reset(tensix);
    for (unsigned t = 0; t < 3; t++) {
        tensix->config[0][209 + t] = tensix->config[1][209 + t] = t + 1;
        tensix->gpr[t][1] = 0x40;
        tensix->gpr[t][2] = 1000 * (t + 1);
        for (unsigned i = 0; i < LENGTH; i++) {
            push(t, TENSIX_BY_T0 + t, program[t][i]);
        }
    }
    if (cycles == 0) {
        tensix_harness_go(&harness, 0);
    }
    for (unsigned at = 0; cycles > 0 && at < END; at += cycles) {
        tensix_harness_go(&harness, cycles);
    }
    memcpy(state.gpr, tensix->gpr, sizeof state.gpr);
    memcpy(state.scratch, &tensix->config[0][209], sizeof state.scratch);
    memcpy(state.semaphore, tensix->semaphore, sizeof state.semaphore);
    memcpy(state.mutex, tensix->mutex, sizeof state.mutex);
    for (unsigned t = 0; t < 3; t++) {
        state.drained[t] = tensix->thread[t].drained;
        state.waits[t] = tensix->thread[t].has_next;
    }
    state.word = tensix_harness_l1(&harness, 0x400);
    return state;
}

static void states_agree(const struct state *a, const struct state *b, int seed, unsigned cycles)
{
    for (unsigned i = 0; i < 192; i++) {
        ck_assert_msg(a->gpr[i / 64][i % 64] == b->gpr[i / 64][i % 64],
                      "seed %d, %u at a time: R%u of %u is %#x and %#x", seed, cycles, i % 64,
                      i / 64, a->gpr[i / 64][i % 64], b->gpr[i / 64][i % 64]);
    }
    for (unsigned t = 0; t < 3; t++) {
        ck_assert_msg(a->waits[t] == b->waits[t], "seed %d, %u at a time: thread %u", seed, cycles,
                      t);
        ck_assert_uint_eq(a->drained[t], b->drained[t]);
        ck_assert_uint_eq(a->scratch[t], b->scratch[t]);
    }
    ck_assert_uint_eq(a->word, b->word);
    ck_assert_mem_eq(a->semaphore, b->semaphore, sizeof a->semaphore);
    ck_assert_mem_eq(a->mutex, b->mutex, sizeof a->mutex);
}

FIXTURE(setup, teardown);

TEST_EACH(time_can_be_divided_anyhow, 300)
{
    static const unsigned divisions[] = {1, 2, 3, 7, 16, 1000};
    random_state = (uint64_t)_i;
    for (unsigned i = 0; i < 3 * LENGTH; i++) {
        random_line(program[i / LENGTH][i % LENGTH]);
    }
    struct state expected = state_after(1);
    for (int i = 1; i <= COUNT(divisions); i++) {
        unsigned cycles = i < COUNT(divisions) ? divisions[i] : 0;
        struct state got = state_after(cycles);
        states_agree(&got, &expected, _i, cycles);
    }
}

/* --- A program without races gives one result --- */

enum { ITEMS = 40 };

/* Thread 0 makes numbers, 1 multiplies, 2 sums them up, each with two slots of L1 between them, as
 * LLK does it. Semaphores 0 and 1 count full slots. R4 to R7 are the slots' addresses, half 0 is no
 * offset. */
static void chain_line(unsigned thread, unsigned item, char *text, size_t size)
{
    unsigned slot = item % 2;
    switch (thread) {
    case 0:
        snprintf(text, size,
                 "SEMWAIT 0x1ff, 1, 2;SETDMAREG 0, %u, 0, 32;"
                 "STOREIND 1, 0, 1, 0, 0, 16, %u;STALLWAIT 2, 1;SEMPOST 1",
                 7 * item + 1, 4 + slot);
        break;
    case 1:
        snprintf(text, size,
                 "SEMWAIT 0x1ff, 1, 1;SEMWAIT 0x1ff, 2, 2;LOADIND 1, 0, 0, 16, %u;"
                 "STALLWAIT 0x20, 1;MULDMAREG 1, 16, 5, 16;"
                 "STOREIND 1, 0, 1, 0, 0, 16, %u;STALLWAIT 2, 1;SEMGET 1;SEMPOST 2",
                 4 + slot, 6 + slot);
        break;
    default:
        snprintf(text, size,
                 "SEMWAIT 0x1ff, 2, 1;LOADIND 1, 0, 0, 16, %u;STALLWAIT 0x20, 1;"
                 "SHIFTDMAREG 1, 0, 17, 1, 17;ADDDMAREG 0, 17, 16, 17;"
                 "STALLWAIT 2, 1;SEMGET 2",
                 6 + slot);
    }
}

TEST_EACH(chain_of_threads, 12)
{
    static const unsigned divisions[] = {0, 1, 2, 5, 128, 1000};
    unsigned next[3] = {0, 0, 0}, cycles = divisions[_i / 2];
    uint32_t expected = 0;
    tensix->timing = _i % 2 ? &tile_costs : NULL;
    for (unsigned t = 0; t < 3; t++) {
        for (unsigned i = 0; i < 4; i++) {
            tensix->gpr[t][4 + i] = 0x40 + i;
        }
    }
    run(2, "SEMINIT 2, 0, 3");
    for (unsigned n = 0; n < 20000 && (next[2] < ITEMS || tensix_busy(tensix)); n++) {
        for (unsigned t = 0; t < 3; t++) {
            while (next[t] < ITEMS && tensix->thread[t].front.count < 16) {
                char text[300];
                chain_line(t, next[t]++, text, sizeof text);
                queue(t, text);
            }
        }
        tensix_harness_go(&harness, cycles);
    }
    for (unsigned item = 0; item < ITEMS; item++) {
        expected = (expected << 1) + (7 * item + 1) * 5;
    }
    ck_assert(!tensix_busy(tensix));
    ck_assert_uint_eq(tensix->gpr[2][17], expected);
    ck_assert_uint_eq(tensix->semaphore[0].value + tensix->semaphore[1].value, 0);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- Conditions that hold for a cycle --- */

TEST_EACH(semaphore_up_for_one_cycle, 12)
{
    unsigned waiter = (unsigned)_i % 3, poster = ((unsigned)_i + 1 + (unsigned)_i / 3 % 2) % 3;
    char text[LINE];
    tensix->timing = _i >= 6 ? &tile_costs : NULL;
    snprintf(text, sizeof text, "SEMWAIT 0x80, 1, 1; SETC16 1, 7");
    run(waiter, text);
    run(poster, "SEMPOST 1; SEMGET 1");
    ck_assert_uint_eq(tensix->semaphore[0].value, 0);
    ck_assert_uint_eq(marker(waiter), 7);
}

/* Both at once, for one cycle; one after the other would not do. */
TEST(two_semaphores_up_together_for_one_cycle)
{
    run(0, "SEMWAIT 0x80, 3, 1; SETC16 1, 7");
    run(1, "SEMPOST 1; SEMGET 1; SEMPOST 2; SEMGET 2; SEMPOST 1");
    ck_assert_uint_eq(marker(0), 0);
    run(1, "SEMPOST 2; SEMGET 3");
    ck_assert_uint_eq(marker(0), 7);
}

TEST(bank_of_src_for_a_cycle)
{
    run(0, "STALLWAIT 0x80, 0x80; SETC16 1, 7");
    run(1, "SETDVALID 1; CLEARDVALID 1, 0");
    ck_assert_uint_eq(marker(0), 7);
}

/* A hart posts and gets while the coprocessor has not run: each store is at a time of its own. */
TEST(semaphore_that_a_hart_posts_and_gets)
{
    run(0, "SEMWAIT 0x80, 1, 1; SETC16 1, 7");
    uint64_t now = harness.time + 100;
    tensix_semaphore_post(tensix, 0, now);
    tensix_semaphore_get(tensix, 0, now + 5);
    harness.time = now + 10;
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(tensix->semaphore[0].value, 0);
    ck_assert_uint_eq(marker(0), 7);
}

/* A pulse before the wait is latched does not count. */
TEST(pulse_before_the_wait)
{
    tensix->timing = &harness.costs;
    queue(0, "NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;SEMWAIT 0x80, 1, 1;SETC16 1, 7");
    queue(1, "SEMPOST 1;NOP;SEMGET 1");
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(marker(0), 0);
    queue(2, "NOP;NOP;SEMPOST 1;NOP;SEMGET 1");
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(marker(0), 7);
}

/* --- Timed runs --- */

/* Cycles from now until thread 0 has 7. */
static unsigned cycles_until_7(void)
{
    for (unsigned n = 1; n < 200; n++) {
        tensix_harness_go(&harness, 1);
        if (marker(0) == 7) {
            return n;
        }
    }
    return 200;
}

/* C0 looks at the thread's own requests, C12 at the configuration pipeline of all. */
TEST_EACH(stallwait_looks_at_whose_results, 6)
{
    static const struct {
        const char *own, *other;
        unsigned condition;
        bool waits;
    } cases[] = {
        {"LOADREG 9, 0x20000", "NOP", 1, true},
        {"NOP", "LOADREG 9, 0x20000", 1, false},
        {"STREAMWRCFG 0, 1, 100", "NOP", 0x1000, true},
        {"NOP", "STREAMWRCFG 0, 1, 100", 0x1000, true},
        {"STREAMWRCFG 0, 1, 100", "NOP", 1, false},
        {"LOADREG 9, 0x20000", "NOP", 0x1000, false},
    };
    unsigned cycles[2];
    for (unsigned has_wait = 0; has_wait < 2; has_wait++) {
        char text[LINE];
        harness.time = 0;
        tensix->timing = &harness.costs;
        tensix_reset(tensix);
        tensix_harness_go(&harness, 10);
        queue(1, cases[_i].other);
        tensix_harness_go(&harness, 1);
        queue(0, cases[_i].own);
        snprintf(text, sizeof text, "STALLWAIT 0x80, %u", has_wait ? cases[_i].condition : 16);
        queue(0, text);
        queue(0, "SETC16 1, 7");
        cycles[has_wait] = cycles_until_7();
    }
    ck_assert_msg((cycles[1] > cycles[0]) == cases[_i].waits, "%u and %u cycles", cycles[0],
                  cycles[1]);
}

/* --- Faults --- */

/* Under the policy "stop" nothing happens, and what has been repaired is done when it goes on. */
TEST_EACH(stopped_instruction_is_tried_again, 5)
{
    static const struct {
        const char *text;
        unsigned reg;
        uint32_t wrong, right;
    } cases[] = {
        {"LOADIND 1, 8, 3, 10, 1", 1, 0x18000, 0x40},
        {"STOREIND 1, 0, 1, 8, 3, 10, 1", 1, 0x18000, 0x40},
        {"STOREIND 0, 1, 0, 8, 3, 10, 1", 1, 0x10ff0, 0x80000},
        {"ATSWAP 0, 0xff, 8, 1", 1, 0x18000, 0x40},
        {"ATINCGET 0, 31, 0, 10, 1", 1, 0x18000, 0x40},
    };
    uint32_t *gpr = tensix->gpr[0];
    harness.stop = true;
    gpr[10] = 5;
    gpr[cases[_i].reg] = cases[_i].wrong;
    run(0, cases[_i].text);
    push(0, TENSIX_BY_T0, "SETC16 1, 7");
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert(tensix->stopped);
    ck_assert_uint_eq(gpr[4], 0);
    ck_assert_uint_eq(gpr[10], 5);
    tensix->stopped = false;
    gpr[cases[_i].reg] = cases[_i].right;
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_uint_eq(marker(0), 7);
    ck_assert_uint_eq(gpr[4], _i < 3 ? 16 : 0);
}
