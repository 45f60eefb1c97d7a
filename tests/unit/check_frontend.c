/* The coprocessor's front end: queues, draining, status CSRs, semaphores. */
#include <check.h>
#include <string.h>

#include "tensix/tensix.h"

enum { NOP = 0x02000000, MOP = 0x01000000, ELWADD = 0x28000000 };
#define SEMINIT UINT32_C(0xa3000000)

static struct tensix tensix;

static void setup(void)
{
    tensix_reset(&tensix);
}

static void push_many(unsigned thread, unsigned count, uint64_t cycle)
{
    for (unsigned i = 0; i < count; i++) {
        ck_assert(tensix_push(&tensix, thread, TENSIX_FROM_TRISC, NOP, cycle));
    }
}

START_TEST(fifo_takes_29)
{
    push_many(0, TENSIX_FIFO_ACCEPTS + 1, 5);
    ck_assert(!tensix_accepts(&tensix, 0));
    ck_assert(!tensix_push(&tensix, 0, TENSIX_FROM_TRISC, NOP, 5));
    ck_assert(!tensix_push(&tensix, 0, TENSIX_FROM_B, NOP, 5));
    ck_assert(tensix_push(&tensix, 1, TENSIX_FROM_B, NOP, 5));
    ck_assert_uint_eq(tensix.thread[0].pushed, TENSIX_FIFO_ACCEPTS + 1);
}
END_TEST

START_TEST(leaves_one_a_cycle)
{
    uint64_t event;
    push_many(0, 3, 10);
    push_many(2, 1, 12);
    ck_assert(!tensix_run(&tensix, 0, 11, &event)); /* not in the cycle of the push */
    ck_assert(tensix_run(&tensix, 11, 13, &event));
    ck_assert_uint_eq(event, 12);
    ck_assert_uint_eq(tensix.thread[0].drained, 2);
    ck_assert(tensix_thread_busy(&tensix, 0) && tensix_thread_busy(&tensix, 2));
    ck_assert(tensix_run(&tensix, 13, 100, &event));
    ck_assert_uint_eq(event, 13);
    ck_assert(!tensix_busy(&tensix));
    ck_assert(!tensix_run(&tensix, 100, 200, &event));
}
END_TEST

/* The result does not depend on how time is cut up. */
START_TEST(chunks_change_nothing)
{
    struct tensix other;
    uint64_t event;
    for (unsigned i = 0; i < 20; i++) {
        (void)tensix_push(&tensix, i % 3, TENSIX_FROM_TRISC, NOP, i * i % 17);
    }
    other = tensix;
    tensix_run(&tensix, 0, 24, &event);
    for (uint64_t now = 0; now < 24; now += 3) {
        tensix_run(&other, now, now + 3, &event);
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        ck_assert_uint_eq(tensix.thread[i].drained, other.thread[i].drained);
        ck_assert_uint_eq(tensix.thread[i].free_at, other.thread[i].free_at);
    }
}
END_TEST

START_TEST(wraps_around)
{
    uint64_t event;
    for (unsigned round = 0; round < 5; round++) {
        push_many(0, 20, round * 100);
        ck_assert(tensix_run(&tensix, round * 100, round * 100 + 100, &event));
        ck_assert_uint_eq(event, round * 100 + 20);
    }
    ck_assert_uint_eq(tensix.thread[0].drained, 100);
}
END_TEST

START_TEST(discard_keeps_what_is_behind_the_mop_expander)
{
    tensix_push(&tensix, 1, TENSIX_FROM_TRISC, MOP, 0);
    tensix_push(&tensix, 1, TENSIX_FROM_B, SEMINIT, 0);
    tensix_push(&tensix, 1, TENSIX_FROM_TRISC, NOP, 0);
    ck_assert(tensix_mop_busy(&tensix, 1));
    tensix_discard(&tensix, 1);
    ck_assert_uint_eq(tensix.thread[1].count, 1);
    ck_assert_uint_eq(tensix.thread[1].fifo[tensix.thread[1].head].word, SEMINIT);
    ck_assert(!tensix_mop_busy(&tensix, 1));
}
END_TEST

START_TEST(mop_from_b_is_no_mop)
{
    tensix_push(&tensix, 0, TENSIX_FROM_B, MOP, 0);
    ck_assert(!tensix_mop_busy(&tensix, 0));
}
END_TEST

enum { MOP_TYPE = 1 << 1, SYNC_TYPE = 1 << 7, MATRIX_TYPE = 1 << 10, CC = 1 << 11 | 1 << 24 };

START_TEST(status_shows_types)
{
    ck_assert_uint_eq(tensix_status(&tensix, 0, 0), CC);
    ck_assert_uint_eq(tensix_status(&tensix, 0, 1), 0);
    tensix_push(&tensix, 0, TENSIX_FROM_TRISC, MOP, 0);
    tensix_push(&tensix, 0, TENSIX_FROM_TRISC, SEMINIT, 0);
    tensix_push(&tensix, 2, TENSIX_FROM_TRISC, ELWADD, 0);
    uint32_t all = MOP_TYPE | SYNC_TYPE | MATRIX_TYPE;
    ck_assert_uint_eq(tensix_status(&tensix, 0, 0), (MOP_TYPE | SYNC_TYPE | CC) | all << 13);
    ck_assert_uint_eq(tensix_status(&tensix, 1, 1), all << 11);
    ck_assert_uint_eq(tensix_status(&tensix, TENSIX_THREADS, 1), all | all << 11);
    ck_assert_uint_eq(tensix_status(&tensix, 0, 2), 0);
}
END_TEST

/* REPLAY counts unless it only loads: bit 0 loads, bit 1 executes meanwhile. */
START_TEST(replay_counts_when_it_executes)
{
    static const struct {
        uint32_t word;
        uint32_t type;
    } cases[] = {{0x04000000, 1}, {0x04000001, 0}, {0x04000002, 1}, {0x04000003, 1}};
    tensix_push(&tensix, 0, TENSIX_FROM_TRISC, cases[_i].word, 0);
    ck_assert_uint_eq(tensix_status(&tensix, 0, 1) & 1, cases[_i].type);
}
END_TEST

START_TEST(semaphores_saturate)
{
    for (unsigned i = 0; i < 20; i++) {
        tensix_semaphore_post(&tensix, 3);
    }
    ck_assert_uint_eq(tensix.semaphore[3].value, 15);
    for (unsigned i = 0; i < 20; i++) {
        tensix_semaphore_get(&tensix, 3);
    }
    ck_assert_uint_eq(tensix.semaphore[3].value, 0);
}
END_TEST

/* ThreadConfig word 56: bit 4 tracks instructions, bits 0, 2 and 3 say for what. */
START_TEST(auto_ttsync_waits_for_what_is_tracked)
{
    tensix_push(&tensix, 0, TENSIX_FROM_TRISC, ELWADD, 0);
    ck_assert(!tensix_must_wait(&tensix, 0, TENSIX_TRACKS_GPRS));
    tensix.thread_config[0][56] = 1 << 4 | TENSIX_TRACKS_GPRS;
    ck_assert(tensix_must_wait(&tensix, 0, TENSIX_TRACKS_GPRS));
    ck_assert(!tensix_must_wait(&tensix, 0, TENSIX_TRACKS_CONFIG));
    ck_assert(!tensix_must_wait(&tensix, 1, TENSIX_TRACKS_GPRS));
    tensix.held = TENSIX_RESET_AUTO_TTSYNC;
    ck_assert(!tensix_must_wait(&tensix, 0, TENSIX_TRACKS_GPRS));
    tensix_reset(&tensix);
    tensix.thread_config[0][56] = 0x1f;
    tensix_push(&tensix, 0, TENSIX_FROM_TRISC, NOP, 0); /* uses nothing */
    ck_assert(!tensix_must_wait(&tensix, 0, TENSIX_TRACKS_GPRS));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("frontend");
    TCase *tcase = tcase_create("frontend");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, fifo_takes_29);
    tcase_add_test(tcase, leaves_one_a_cycle);
    tcase_add_test(tcase, chunks_change_nothing);
    tcase_add_test(tcase, wraps_around);
    tcase_add_test(tcase, discard_keeps_what_is_behind_the_mop_expander);
    tcase_add_test(tcase, mop_from_b_is_no_mop);
    tcase_add_test(tcase, status_shows_types);
    tcase_add_loop_test(tcase, replay_counts_when_it_executes, 0, 4);
    tcase_add_test(tcase, semaphores_saturate);
    tcase_add_test(tcase, auto_ttsync_waits_for_what_is_tracked);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
