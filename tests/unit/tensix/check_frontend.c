/* The coprocessor's front end: queues, draining, MOP and REPLAY in the stream, soft reset. */
#include <check.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/table.h"
#include "unit/tensix/tensix_fixture.h"

enum { NOP = 0x02000000 };

static bool push_as(unsigned thread, uint8_t pusher, uint32_t word, uint64_t cycle)
{
    return tensix_push(tensix, thread, (struct tensix_origin){.pc = 0x500, .pusher = pusher}, &word,
                       1, cycle);
}

static bool push(unsigned thread, uint32_t word, uint64_t cycle)
{
    return push_as(thread, (uint8_t)(TENSIX_BY_T0 + thread), word, cycle);
}

static void push_many(unsigned thread, unsigned count, uint64_t cycle)
{
    for (unsigned i = 0; i < count; i++) {
        ck_assert(push(thread, NOP, cycle));
    }
}

FIXTURE(setup, teardown);

/* --- FIFOs --- */

TEST(fifo_takes_29)
{
    push_many(0, TENSIX_FIFO_ACCEPTS + 1, 5);
    ck_assert(!tensix_accepts(tensix, 0));
    ck_assert(!push(0, NOP, 5));
    ck_assert(push(1, NOP, 5));
    ck_assert_uint_eq(tensix->thread[0].pushed, TENSIX_FIFO_ACCEPTS + 1);
}

/* SPEC: 32 are reached only by a fused push of four to 28. */
TEST(fused_push_fills_all_32)
{
    const uint32_t words[TENSIX_FUSED] = {NOP, NOP, NOP, NOP};
    const struct tensix_origin origin = {.pusher = TENSIX_BY_T0};
    push_many(0, TENSIX_FIFO_ACCEPTS, 5);
    ck_assert(tensix_push(tensix, 0, origin, words, TENSIX_FUSED, 5));
    ck_assert_uint_eq(tensix->thread[0].front.count, TENSIX_FIFO_DEPTH);
    ck_assert(!tensix_push(tensix, 0, origin, words, 1, 5));
}

TEST(others_have_eight_places_of_their_own)
{
    push_many(0, TENSIX_FIFO_ACCEPTS + 1, 5);
    for (unsigned i = 0; i < TENSIX_BACK_DEPTH; i++) {
        ck_assert(push_as(0, TENSIX_BY_B, NOP, 5));
    }
    ck_assert(!push_as(0, TENSIX_BY_B, NOP, 5));
    ck_assert(!push_as(0, TENSIX_BY_DEBUG_BUS, NOP, 5));
}

TEST(leaves_one_a_cycle)
{
    push_many(0, 3, 10);
    push_many(2, 1, 12);
    ck_assert(!tensix_run(tensix, 11).passed); /* not in the cycle of the push */
    struct tensix_outcome outcome = tensix_run(tensix, 13);
    ck_assert(outcome.passed);
    ck_assert_uint_eq(outcome.event, 12);
    ck_assert_uint_eq(tensix->thread[0].drained, 2);
    ck_assert(tensix_thread_busy(tensix, 0) && tensix_thread_busy(tensix, 2));
    outcome = tensix_run(tensix, 100);
    ck_assert(outcome.passed);
    ck_assert_uint_eq(outcome.event, 13);
    ck_assert(!tensix_busy(tensix));
    ck_assert(!tensix_run(tensix, 200).passed);
    ck_assert(tensix_next_event(tensix) == UINT64_MAX);
}

/* The result does not depend on how time is cut up. */
TEST(chunks_change_nothing)
{
    struct tensix other;
    for (unsigned i = 0; i < 20; i++) {
        (void)push(i % 3, NOP, i * i % 17);
    }
    other = *tensix;
    (void)tensix_run(tensix, 24);
    for (uint64_t end = 3; end <= 24; end += 3) {
        (void)tensix_run(&other, end);
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        ck_assert_uint_eq(tensix->thread[i].drained, other.thread[i].drained);
        ck_assert_uint_eq(tensix->thread[i].time, other.thread[i].time);
    }
}

TEST(wraps_around)
{
    for (unsigned round = 0; round < 5; round++) {
        push_many(0, 20, round * 100);
        const struct tensix_outcome outcome = tensix_run(tensix, round * 100 + 100);
        ck_assert(outcome.passed);
        ck_assert_uint_eq(outcome.event, round * 100 + 20);
    }
    ck_assert_uint_eq(tensix->thread[0].drained, 100);
}

TEST(discard_keeps_what_is_behind_the_mop_expander)
{
    push(1, tensix_harness_assemble("MOP 1, 0, 0"), 0);
    push_as(1, TENSIX_BY_B, tensix_harness_assemble("SEMINIT 5, 1, 8"), 0);
    push(1, NOP, 0);
    ck_assert(tensix_mop_busy(tensix, 1));
    tensix_discard(tensix, 1);
    ck_assert(!tensix_mop_busy(tensix, 1));
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(tensix->thread[1].drained, 1);
    ck_assert_uint_eq(tensix->semaphore[3].value, 1);
}

TEST(mop_from_b_is_misplaced)
{
    push_as(0, TENSIX_BY_B, tensix_harness_assemble("MOP 1, 0, 0"), 0);
    ck_assert(!tensix_mop_busy(tensix, 0));
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_EXPANSION);
    ck_assert_uint_eq(harness.fault.origin.pc, 0x500);
}

/* --- MOP and REPLAY in the stream --- */

static void set_mop(unsigned thread, const uint32_t words[MOP_WORDS])
{
    memcpy(tensix->thread[thread].mop.config, words, MOP_WORDS * sizeof words[0]);
}

/* A loop whose instruction is `text`, outer x inner times. */
static void set_loop(unsigned thread, unsigned outer, unsigned inner, const char *text)
{
    uint32_t loop = tensix_harness_assemble(text);
    const uint32_t words[MOP_WORDS] = {outer, inner, NOP, NOP, NOP, loop, NOP, loop, loop};
    set_mop(thread, words);
}

/* LLK's tests use counts of 128 and 1000. */
TEST_EACH(mop_repeats, 5)
{
    static const unsigned counts[][2] = {{1, 1}, {128, 1}, {1, 128}, {3, 1000}, {1000, 7}};
    const unsigned *count = counts[_i];
    set_loop(0, count[0], count[1], "ADDDMAREG 0, 4, 5, 4");
    tensix->gpr[0][5] = 1;
    tensix_harness_run(&harness, 0, "MOP 1, 0, 0; ADDDMAREG 0, 6, 5, 4");
    ck_assert_uint_eq(tensix->gpr[0][4], count[0] * count[1]);
    ck_assert_uint_eq(tensix->gpr[0][6], count[0] * count[1] + 1);
    ck_assert_uint_eq(harness.faults, 0);
}

TEST(replay_plays_what_it_loaded)
{
    tensix->gpr[0][5] = 1;
    tensix->gpr[0][7] = 100;
    tensix_harness_run(&harness, 0,
                       "REPLAY 31, 2, 0, 1; ADDDMAREG 0, 4, 5, 4; ADDDMAREG 0, 6, 7, 6");
    ck_assert_uint_eq(tensix->gpr[0][4], 0); /* loaded, not executed */
    tensix_harness_run(&harness, 0, "REPLAY 31, 2, 0, 0; REPLAY 31, 1, 0, 0; REPLAY 0, 1, 0, 0");
    ck_assert_uint_eq(tensix->gpr[0][4], 2);
    ck_assert_uint_eq(tensix->gpr[0][6], 200);
    tensix_harness_run(&harness, 0, "REPLAY 3, 1, 1, 1; ADDDMAREG 0, 4, 7, 4");
    ck_assert_uint_eq(tensix->gpr[0][4], 102);
    ck_assert_uint_eq(harness.faults, 0);
}

TEST(mop_drives_replay)
{
    tensix->gpr[2][5] = 1;
    tensix_harness_run(&harness, 2,
                       "REPLAY 0, 2, 0, 1; ADDDMAREG 0, 4, 5, 4; ADDDMAREG 0, 6, 4, 6");
    set_loop(2, 10, 20, "REPLAY 0, 2, 0, 0");
    tensix_harness_run(&harness, 2, "MOP 1, 0, 0");
    ck_assert_uint_eq(tensix->gpr[2][4], 200);
    ck_assert_uint_eq(tensix->gpr[2][6], 200 * 201 / 2);
}

/* What loads the replay buffer may come from a MOP and from B as well, and so may what plays it. */
TEST(replay_loads_from_anywhere)
{
    tensix->gpr[0][5] = 1;
    set_loop(0, 1, 2, "ADDDMAREG 0, 4, 5, 4");
    tensix_harness_run(&harness, 0, "REPLAY 0, 3, 0, 1; MOP 1, 0, 0");
    ck_assert_uint_eq(tensix->gpr[0][4], 0);
    push_as(0, TENSIX_BY_B, tensix_harness_assemble("ADDDMAREG 0, 6, 5, 6"), harness.time);
    tensix_harness_go(&harness, 0);
    tensix_harness_run(&harness, 0, "REPLAY 0, 3, 0, 0");
    ck_assert_uint_eq(tensix->gpr[0][4], 2);
    ck_assert_uint_eq(tensix->gpr[0][6], 1);
    push_as(0, TENSIX_BY_B, tensix_harness_assemble("REPLAY 1, 2, 0, 0"), harness.time);
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(tensix->gpr[0][4], 3);
    ck_assert_uint_eq(tensix->gpr[0][6], 2);
}

TEST_EACH(expansions_do_not_nest, 5)
{
    static const char *const programs[] = {
        "REPLAY 0, 1, 0, 1; MOP 1, 0, 0; REPLAY 0, 1, 0, 0",
        "REPLAY 0, 1, 0, 1; REPLAY 4, 1, 0, 0; REPLAY 0, 1, 0, 0",
        "REPLAY 0, 33, 0, 0",
        "REPLAY 5, 63, 0, 1",
        "MOP 1, 0, 0",
    };
    set_loop(0, 1, 1, _i == 4 ? "MOP 1, 0, 0" : "MOP_CFG 3");
    tensix_harness_run(&harness, 0, programs[_i]);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_EXPANSION);
    ck_assert(!tensix_busy(tensix));
}

/* An instruction is held back by what it is, whoever expanded it. */
TEST_EACH(words_that_are_none, 2)
{
    tensix_harness_push(&harness, 1, _i ? 0xff123456 : 0x60000001);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_ILLEGAL);
    ck_assert_uint_eq(harness.fault.thread, 1);
    ck_assert_uint_eq(harness.fault.word, _i ? 0xff123456 : 0x60000001);
    ck_assert_ptr_nonnull(strstr(harness.fault.text, _i ? "0xff123456" : "DMANOP"));
}

TEST(a_stop_keeps_the_culprit)
{
    harness.stop = true;
    tensix_harness_run(&harness, 0, "RAREB; SETDMAREG 0, 7, 0, 8");
    ck_assert(tensix->stopped);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_uint_eq(tensix->gpr[0][4], 0);
    harness.stop = false;
    tensix->stopped = false;
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(harness.faults, 2); /* it was tried again, and skipped */
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_UNIMPLEMENTED);
    ck_assert_uint_eq(tensix->gpr[0][4], 7);
}

/* --- Soft reset of units --- */

TEST(held_units_start_nothing)
{
    tensix_soft_reset(tensix, 0, TENSIX_RESET_THCON);
    tensix_harness_run(&harness, 0, "SETDMAREG 0, 7, 0, 8; DMANOP; ADDDMAREG 1, 5, 1, 4");
    ck_assert_uint_eq(tensix->gpr[0][4], 7); /* SPEC: SETDMAREG and DMANOP execute */
    ck_assert_uint_eq(tensix->gpr[0][5], 0);
    char text[200];
    ck_assert(tensix_wait_text(tensix, 0, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "ADDDMAREG 1, 5, 1, 4 waits for its unit"));
    tensix_soft_reset(tensix, TENSIX_RESET_THCON, 0);
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(tensix->gpr[0][5], 8);
}

/* --- Timed runs --- */

/* SPEC: ScalarUnit; ADDDMAREG blocks its thread and the unit for three cycles, NOP takes one. */
TEST_EACH(timed_runs_charge_occupancy, 3)
{
    static const struct {
        const char *program;
        unsigned cycles;
    } cases[] = {
        {"NOP; NOP; NOP; NOP", 4},
        {"ADDDMAREG 0, 4, 5, 4; ADDDMAREG 0, 4, 5, 4; NOP", 7},
        {"SETC16 7, 1; SETC16 7, 2; NOP", 3},
    };
    tensix->timing = &harness.costs;
    for (unsigned i = 0; i < 2; i++) { /* once alone, once with a second thread at the same unit */
        uint64_t start = harness.time;
        tensix_harness_run(&harness, i, cases[_i].program);
        const struct tensix_outcome outcome = tensix_run(tensix, start + 1000);
        /* The first starts a cycle after it was pushed. */
        ck_assert_uint_eq(tensix->thread[i].time - start, 1 + cases[_i].cycles);
        /* When the unit is done with the last one. */
        ck_assert_uint_eq(outcome.event, tensix->thread[i].time);
        harness.time = start + 1000;
    }
}
