/*
 * tensix_execute, which takes a push at once, leaves a thread as a push through the queue does. So
 * does tensix_push_behind, which does not offer what waits once more.
 */
#include <check.h>

#include "tensix/frontend/issue_fast.h"
#include "unit/test.h"
#include "unit/tensix/tensix_harness.h"

enum { MOST_WORDS = 4, CYCLE = 100, TIME = 32 };

static const struct run {
    const char *text[MOST_WORDS]; /* of its instructions, pushed one a cycle */
    unsigned done;                /* so many are taken at once */
    bool is_polite;               /* a thread waits as long as others go on */
} runs[] = {
    {{"NOP", "INCRWC 0, 1, 0, 0", "NOP", "NOP"}, 4, false},
    {{"NOP", "SEMPOST 2", "NOP", "NOP"}, 4, false},           /* others may wait for it */
    {{"NOP", "STALLWAIT 0x40, 0x1", "NOP", "NOP"}, 2, false}, /* latches */
    {{"NOP", "NOP", "MVMUL 0, 0, 0, 0", "NOP"}, 2, false},    /* no data in Src */
    {{"MVMUL 0, 0, 0, 0", "NOP", "NOP", "NOP"}, 0, false},
    {{"NOP", "NOP", "MOP 1, 0, 0", "NOP"}, 2, false}, /* ends in the front end */
    {{"NOP", "ATRELM 2", "NOP", "NOP"}, 2, false},    /* of a mutex that it does not hold: stops */
    {{"ATRELM 2", "NOP", "NOP", "NOP"}, 1, false},
    {{"NOP", "NOP", "NOP", "NOP"}, 4, true},
};

static struct tensix_harness at_once, one_by_one;

static void open_both(void)
{
    tensix_harness_open(&at_once);
    tensix_harness_open(&one_by_one);
    at_once.stop = one_by_one.stop = true;
    one_by_one.tensix.shortcuts = false;
}

static void close_both(void)
{
    tensix_harness_close(&at_once);
    tensix_harness_close(&one_by_one);
}

static void compare_threads(void)
{
    const struct tensix_thread *thread = &at_once.tensix.thread[0];
    const struct tensix_thread *other = &one_by_one.tensix.thread[0];
    ck_assert_uint_eq(thread->has_next, other->has_next);
    ck_assert_uint_eq(thread->next, other->next);
    ck_assert_uint_eq(thread->origin.pc, other->origin.pc);
    ck_assert_uint_eq(thread->wait, other->wait);
    ck_assert_uint_eq(thread->blocked, other->blocked);
    ck_assert_uint_eq(thread->time, other->time);
    ck_assert_uint_eq(thread->pushed, other->pushed);
    ck_assert_uint_eq(thread->drained, other->drained);
    ck_assert_uint_eq(thread->front.count, other->front.count);
    ck_assert_uint_eq(thread->latch.block_mask, other->latch.block_mask);
    ck_assert_uint_eq(at_once.tensix.stopped, one_by_one.tensix.stopped);
    ck_assert_uint_eq(at_once.tensix.outcome.event, one_by_one.tensix.outcome.event);
    ck_assert_uint_eq(at_once.faults, one_by_one.faults);
}

FIXTURE(open_both, close_both);

TEST_EACH(push_at_once_is_a_push, sizeof runs / sizeof runs[0])
{
    const struct run *run = &runs[_i];
    unsigned done = 0;
    at_once.tensix.is_polite = one_by_one.tensix.is_polite = run->is_polite;
    for (bool is_taken = true; is_taken && done < MOST_WORDS;) {
        struct tensix_push_cut cut = {.is_cut = false};
        const struct tensix_pushed pushed = {
            .word = tensix_harness_assemble(run->text[done]),
            .origin = {.pc = 0x500 + 4 * done, .pusher = TENSIX_BY_T0},
            .cycle = CYCLE + done,
            .end = CYCLE + done + TIME};
        struct tensix_outcome outcome = tensix_execute(&at_once.tensix, &pushed);
        ck_assert(!at_once.tensix.outcome.changed); /* it is told */
        is_taken = outcome.is_taken;
        if (is_taken) { /* else it is pushed now, and found out about */
            struct tensix_outcome other = tensix_push_and_run(&one_by_one.tensix, &pushed, &cut);
            done++;
            ck_assert(other.is_taken);
            ck_assert_uint_eq(outcome.event, other.event);
            ck_assert(outcome.changed == other.changed);
            ck_assert(outcome.has_stopped == other.has_stopped);
            ck_assert(outcome.has_stopped || !other.moved);
            compare_threads();
        }
    }
    ck_assert_uint_eq(done, run->done);
}

/* What stands at the gate, and how many cycles its thread may run ahead of the push. */
static const struct waiting {
    const char *text;
    unsigned ahead;
} waiting[] = {
    {"MVMUL 0, 0, 0, 0", TIME}, /* no data in Src */
    {"MVMUL 0, 0, 0, 0", 1},    /* it would not even be offered */
    {"SEMWAIT 0x40, 4, 1", TIME},
};

TEST_EACH(push_behind_is_a_push, sizeof waiting / sizeof waiting[0])
{
    const char *const text[] = {waiting[_i].text, "MVMUL 0, 0, 0, 0", "NOP", "NOP"};
    struct tensix_harness *const both[] = {&at_once, &one_by_one};
    for (unsigned i = 0; i < sizeof text / sizeof text[0]; i++) {
        const bool is_first = i < 2;
        struct tensix_outcome outcome[2];
        for (unsigned h = 0; h < 2; h++) {
            struct tensix *tensix = &both[h]->tensix;
            struct tensix_push_cut cut = {.is_cut = false};
            const uint64_t cycle = CYCLE + i;
            const struct tensix_pushed pushed = {
                .word = tensix_harness_assemble(text[i]),
                .origin = {.pc = 0x500 + 4 * i, .pusher = TENSIX_BY_T0},
                .cycle = cycle,
                .end = cycle + (is_first ? TIME : waiting[_i].ahead)};
            tensix_wake(tensix, is_first ? 0 : cycle);
            const bool is_behind = h == 0 && !is_first && tensix->thread[0].blocked;
            outcome[h] = is_behind ? tensix_push_behind(tensix, &pushed)
                                   : tensix_push_and_run(tensix, &pushed, &cut);
        }
        ck_assert(i != 1 || at_once.tensix.thread[0].blocked);
        ck_assert(outcome[0].is_taken == outcome[1].is_taken);
        ck_assert(outcome[0].moved == outcome[1].moved);
        ck_assert(outcome[0].changed == outcome[1].changed);
        ck_assert_uint_eq(outcome[0].event, outcome[1].event);
        compare_threads();
    }
}
