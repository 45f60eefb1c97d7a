/*
 * What waits wait for: SEMWAIT on several semaphores, STALLWAIT's conditions, STREAMWAIT;
 * semaphores against a model; mutexes and in which order they are handed over.
 *
 * SPEC: BlackholeA0 SEMINIT, SEMPOST, SEMGET, SEMWAIT, STALLWAIT, STREAMWAIT, ATGETM, ATRELM.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit/random.h"
#include "unit/run_suite.h"
#include "unit/tensix/tensix_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum {
    CURR_PHASE = 29,         /* STREAM_CURR_PHASE_REG_INDEX */
    NUM_MSGS_RECEIVED = 259, /* STREAM_NUM_MSGS_RECEIVED_REG_INDEX */
    PHASE_HI = 57,
    NUM_MSGS_HI = 58,
    STREAM_ID_SYNC = 59,
    ROUNDS = 3000,
};

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static uint64_t random_state;

static uint32_t any(void)
{
    return random_next(&random_state);
}

static void setup(void)
{
    tensix_harness_open(&harness);
    random_state = 7;
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

static void run(unsigned thread, const char *text)
{
    tensix_harness_run(&harness, thread, text);
}

#define RUNF(thread, ...)                                                                          \
    do {                                                                                           \
        char text_[200];                                                                           \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                                \
        run(thread, text_);                                                                        \
    } while (0)

/* Queues without running. */
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

/* Every test's marker: SETC16 1, n. */
static unsigned marker(unsigned thread)
{
    return tensix->thread_config[thread][1];
}

/* --- Semaphores --- */

static uint8_t value[8], most[8];

static void model_semaphores(unsigned op, unsigned mask, unsigned new_value, unsigned new_max)
{
    for (unsigned i = 0; i < 8; i++) {
        if (!(mask >> i & 1)) {
            continue;
        }
        if (op == 0) {
            value[i] = (uint8_t)new_value;
            most[i] = (uint8_t)new_max;
        } else if (op == 1) {
            value[i] = (uint8_t)(value[i] < 15 ? value[i] + 1 : 15);
        } else {
            value[i] = (uint8_t)(value[i] > 0 ? value[i] - 1 : 0);
        }
    }
}

static void semaphores_agree(void)
{
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(tensix->semaphore[i].value, value[i]);
        ck_assert_uint_eq(tensix->semaphore[i].max, most[i]);
    }
}

static void random_semaphore_step(void)
{
    unsigned op = any() % 8, mask = any() >> 5 & any() & 255, thread = any() % 3;
    unsigned new_value = any() & 15, new_max = any() & 15;
    op = op == 0 ? 0 : 1 + op % 2;
    if (op == 0) {
        RUNF(thread, "SEMINIT %u, %u, %u", new_max, new_value, mask);
    } else {
        RUNF(thread, "%s %u", op == 1 ? "SEMPOST" : "SEMGET", mask);
    }
    model_semaphores(op, mask, new_value, new_max);
}

START_TEST(random_semaphores)
{
    memset(value, 0, sizeof value);
    memset(most, 0, sizeof most);
    for (unsigned n = 0; n < ROUNDS; n++) {
        random_semaphore_step();
        semaphores_agree();
    }
}
END_TEST

/* --- SEMWAIT: waits while the condition holds for any of the selected semaphores --- */

static bool semwait_keeps(unsigned mask, unsigned conditions)
{
    bool keeps = false;
    for (unsigned i = 0; i < 8; i++) {
        if (mask >> i & 1) {
            keeps |= (conditions & 1) && value[i] == 0;
            keeps |= (conditions & 2) && value[i] >= most[i];
        }
    }
    return keeps;
}

START_TEST(semwait_on_several)
{
    unsigned kept = 0;
    memset(value, 0, sizeof value);
    memset(most, 0, sizeof most);
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned mask = any() & any() & 255, conditions = 1 + any() % 3, thread = n % 3;
        tensix_reset(tensix);
        for (unsigned i = 0; i < 8; i++) {
            value[i] = any() % 4 == 0 ? 0 : (uint8_t)(any() % 16);
            most[i] = any() % 8 == 0 ? (uint8_t)(any() % 16) : 15;
            tensix->semaphore[i] = (struct tensix_semaphore){.value = value[i], .max = most[i]};
        }
        RUNF(thread, "SEMWAIT 0x80, %u, %u; SETC16 1, 7", mask, conditions);
        ck_assert_uint_eq(marker(thread), semwait_keeps(mask, conditions) ? 0 : 7);
        kept += marker(thread) == 0;
        /* Others change semaphores one by one; the first time that it is met it is over. */
        for (unsigned k = 0; k < 12 && marker(thread) == 0; k++) {
            unsigned op = 1 + any() % 2, one = 1U << any() % 8;
            RUNF((thread + 1) % 3, "%s %u; NOP; NOP", op == 1 ? "SEMPOST" : "SEMGET", one);
            model_semaphores(op, one, 0, 0);
            ck_assert_uint_eq(marker(thread), semwait_keeps(mask, conditions) ? 0 : 7);
        }
    }
    ck_assert_uint_gt(kept, ROUNDS / 5);
    ck_assert_uint_lt(kept, ROUNDS);
}
END_TEST

/* The later edition of the page; the one before it made it a STALLWAIT on C0 to C3. */
START_TEST(semwait_without_condition_is_undefined)
{
    run(0, "SEMWAIT 0x1ff, 1, 0; SETC16 1, 7");
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_UNDEFINED);
    ck_assert_uint_eq(marker(0), 7);
}
END_TEST

/* --- STALLWAIT --- */

/* C0 to C4, C11 and C12 are of units that are idle here. */
static bool stallwait_keeps(unsigned conditions)
{
    bool keeps = false;
    conditions = conditions ? conditions : 15;
    for (unsigned src = 0; src < 2; src++) {
        const struct tensix_src_banks *s = &tensix->src[src];
        keeps |= (conditions >> (5 + src) & 1) && s->matrix_may[s->unpack_bank];
        keeps |= (conditions >> (7 + src) & 1) && !s->matrix_may[s->matrix_bank];
    }
    keeps |= (conditions >> 9 & 1) && harness.mover_busy;
    keeps |= (conditions >> 10 & 1) && harness.hart_access_pending;
    return keeps;
}

static void random_stalls(void)
{
    for (unsigned src = 0; src < 2; src++) {
        struct tensix_src_banks *s = &tensix->src[src];
        s->matrix_may[0] = any() & 1;
        s->matrix_may[1] = any() & 1;
        s->matrix_bank = any() & 1;
        s->unpack_bank = any() & 1;
    }
    harness.mover_busy = any() % 4 == 0;
    harness.hart_access_pending = any() % 4 == 0;
}

START_TEST(stallwait_conditions)
{
    unsigned kept = 0;
    for (unsigned n = 0; n < 4 * 8192; n++) {
        unsigned conditions = n & 0x1fff, thread = any() % 3;
        tensix_reset(tensix);
        random_stalls();
        RUNF(thread, "STALLWAIT 0x80, %u; SETC16 1, 7", conditions);
        ck_assert_msg(marker(thread) == (stallwait_keeps(conditions) ? 0 : 7), "%#x", conditions);
        kept += marker(thread) == 0;
        for (unsigned k = 0; k < 5 && marker(thread) == 0; k++) {
            random_stalls();
            tensix_harness_go(&harness, 0);
            ck_assert_msg(marker(thread) == (stallwait_keeps(conditions) ? 0 : 7), "%#x",
                          conditions);
        }
    }
    ck_assert_uint_gt(kept, 1000);
}
END_TEST

/* A bank that an instruction of another thread gives away. SETDVALID is the unpackers' side. */
START_TEST(stallwait_for_setdvalid)
{
    run(0, "STALLWAIT 0x80, 0x180; SETC16 1, 7"); /* the matrix unit's banks */
    run(1, "SETDVALID 1; NOP; NOP");
    ck_assert_uint_eq(marker(0), 0);
    run(1, "SETDVALID 2");
    ck_assert_uint_eq(marker(0), 7);
    run(2, "SETDVALID 3; STALLWAIT 0x80, 0x60; SETC16 1, 7"); /* both banks are given away */
    ck_assert_uint_eq(marker(2), 0);
    run(1, "CLEARDVALID 1, 0; NOP; NOP");
    ck_assert_uint_eq(marker(2), 0);
    run(1, "CLEARDVALID 2, 0");
    ck_assert_uint_eq(marker(2), 7);
}
END_TEST

/* --- STREAMWAIT --- */

START_TEST(streamwait_compares)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned hi = any() & 0x3ff, lo = any() & 0x3ff, is_msgs = any() & 1, select = any() & 3;
        unsigned stream = any() & 63, thread = any() % 3;
        uint32_t target = (is_msgs ? hi & 0x7f : hi) << 10 | lo;
        uint32_t got = target + any() % 5 - 2;
        got = any() % 8 == 0 ? any() : got;
        tensix_reset(tensix);
        memset(harness.stream[stream], any() & 1 ? 0xff : 0, sizeof harness.stream[stream]);
        harness.stream[stream][is_msgs ? NUM_MSGS_RECEIVED : CURR_PHASE] = got;
        RUNF(thread, "SETC16 %u, %u; SETC16 %u, %u; SETC16 %u, %u", (unsigned)PHASE_HI,
             is_msgs ? ~hi & 0x3ff : hi, (unsigned)NUM_MSGS_HI, is_msgs ? hi & 0x7f : ~hi & 0x7f,
             STREAM_ID_SYNC + select, stream);
        RUNF(thread, "STREAMWAIT 0x80, %u, %u, %u; SETC16 1, 7", lo, is_msgs, select);
        ck_assert_msg(marker(thread) == (got < target ? 0 : 7), "%#x against %#x", got, target);
        harness.stream[stream][is_msgs ? NUM_MSGS_RECEIVED : CURR_PHASE] = target;
        tensix_harness_go(&harness, 0);
        ck_assert_uint_eq(marker(thread), 7);
    }
}
END_TEST

/* The target is taken when the instruction executes, the stream's number when the gate looks. */
START_TEST(streamwait_latches_target_and_selector)
{
    harness.stream[5][CURR_PHASE] = 2000;
    run(0, "SETC16 57, 3; SETC16 60, 5; STREAMWAIT 0x20, 0, 0, 1; NOP; NOP");
    run(0, "SETC16 57, 0; NOP; SETDMAREG 0, 1, 0, 0");
    ck_assert_uint_eq(tensix->gpr[0][0], 0); /* 3072, not 0 */
    harness.stream[5][CURR_PHASE] = 3072;
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(tensix->gpr[0][0], 1);

    harness.stream[6][NUM_MSGS_RECEIVED] = 9;
    run(1, "SETC16 60, 5; STREAMWAIT 0x20, 9, 1, 1; NOP; SETC16 60, 6; SETDMAREG 0, 1, 0, 0");
    ck_assert_uint_eq(tensix->gpr[1][0], 1);
}
END_TEST

START_TEST(streamwait_is_forgotten_when_met_once)
{
    run(0, "STREAMWAIT 0x80, 4, 1, 0; NOP");
    harness.stream[0][NUM_MSGS_RECEIVED] = 4;
    run(0, "NOP; NOP; NOP");
    harness.stream[0][NUM_MSGS_RECEIVED] = 0;
    run(0, "SETC16 1, 7");
    ck_assert_uint_eq(marker(0), 7);
}
END_TEST

/* --- Mutexes --- */

static const unsigned mutexes[] = {0, 2, 3, 4};

/* Thread i releases while both others wait: thread (i + 1) % 3 has it next, whoever came first. */
START_TEST(mutex_goes_round)
{
    unsigned index = mutexes[_i % 4], i = (unsigned)_i / 4 % 3, swap = (unsigned)_i / 12 % 2;
    unsigned next = (i + 1) % 3, last = (i + 2) % 3;
    harness.tensix.timed = _i >= 24;
    RUNF(i, "ATGETM %u; NOP", index);
    RUNF(swap ? last : next, "ATGETM %u; SETC16 1, 7", index);
    RUNF(swap ? next : last, "ATGETM %u; SETC16 1, 7", index);
    ck_assert_uint_eq(tensix->mutex[index], i);
    ck_assert_uint_eq(marker(next) + marker(last), 0);
    RUNF(i, "ATRELM %u; ATGETM %u; SETC16 1, 5", index, index); /* and comes again */
    ck_assert_uint_eq(tensix->mutex[index], next);
    ck_assert_uint_eq(marker(next), 7);
    ck_assert_uint_eq(marker(last) + marker(i), 0);
    RUNF(next, "ATRELM %u", index);
    ck_assert_uint_eq(tensix->mutex[index], last);
    ck_assert_uint_eq(marker(last), 7);
    ck_assert_uint_eq(marker(i), 0);
    RUNF(last, "ATRELM %u", index);
    ck_assert_uint_eq(tensix->mutex[index], i);
    ck_assert_uint_eq(marker(i), 5);
    RUNF(i, "ATRELM %u", index);
    ck_assert_uint_eq(tensix->mutex[index], TENSIX_MUTEX_FREE);
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

START_TEST(mutex_of_its_own_or_of_a_stranger)
{
    run(1, "ATGETM 3; ATGETM 3; ATGETM 2; SETC16 1, 7");
    ck_assert_uint_eq(marker(1), 7); /* twice is as good as once */
    run(2, "ATRELM 3; SETC16 1, 7"); /* completes, and changes nothing */
    ck_assert_uint_eq(marker(2), 7);
    ck_assert_uint_eq(tensix->mutex[3], 1);
    run(2, "ATRELM 0; ATGETM 0; ATGETM 4");
    ck_assert_uint_eq(tensix->mutex[0], 2);
    run(1, "ATRELM 3");
    ck_assert_uint_eq(tensix->mutex[3], TENSIX_MUTEX_FREE); /* no count is kept */
    ck_assert_uint_eq(tensix->mutex[2], 1);
}
END_TEST

/* "Invalid index causes infinite wait." */
START_TEST(mutexes_that_do_not_exist)
{
    static const unsigned wrong[] = {1, 5, 6, 7, 255, 0xffff};
    for (int i = 0; i < COUNT(wrong); i++) {
        RUNF(0, "ATGETM %u", wrong[i]);
        ck_assert_uint_eq(harness.faults, 2 * (unsigned)i + 1);
        ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_HANG);
        RUNF(0, "ATRELM %u", wrong[i]);
        ck_assert_uint_eq(harness.faults, 2 * (unsigned)i + 2);
        ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_HANG);
    }
}
END_TEST

/* Threads count in the word at 0x200 under a mutex, by a load, an addition and a store. R1 holds
 * the address by 16 bytes, R0 no offset. */
static void count_once(unsigned thread)
{
    queue(thread, "ATGETM 4;LOADIND 1, 0, 0, 16, 1;STALLWAIT 0x1ff, 1;NOP");
    queue(thread, "ADDDMAREG 1, 16, 1, 16;STOREIND 1, 0, 1, 0, 0, 16, 1;STALLWAIT 2, 1;ATRELM 4");
}

START_TEST(mutex_excludes)
{
    harness.tensix.timed = _i % 2;
    for (unsigned t = 0; t < 3; t++) {
        tensix->gpr[t][1] = 0x20;
    }
    for (unsigned n = 0; n < 30; n++) {
        for (unsigned k = 0; k < 3; k++) {
            count_once((k + (unsigned)_i / 2) % 3);
        }
        tensix_harness_go(&harness, _i < 6 ? 0 : 7);
        while (tensix_busy(tensix)) {
            tensix_harness_go(&harness, 0);
        }
    }
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x200), 90);
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

int main(void)
{
    Suite *all = suite_create("reader B: sync unit");
    TCase *waits = tcase_create("waits");
    tcase_add_checked_fixture(waits, setup, teardown);
    tcase_set_timeout(waits, 60);
    tcase_add_test(waits, random_semaphores);
    tcase_add_test(waits, semwait_on_several);
    tcase_add_test(waits, semwait_without_condition_is_undefined);
    tcase_add_test(waits, stallwait_conditions);
    tcase_add_test(waits, stallwait_for_setdvalid);
    tcase_add_test(waits, streamwait_compares);
    tcase_add_test(waits, streamwait_latches_target_and_selector);
    tcase_add_test(waits, streamwait_is_forgotten_when_met_once);
    suite_add_tcase(all, waits);
    TCase *mutex = tcase_create("mutexes");
    tcase_add_checked_fixture(mutex, setup, teardown);
    tcase_add_loop_test(mutex, mutex_goes_round, 0, 48);
    tcase_add_test(mutex, mutex_of_its_own_or_of_a_stranger);
    tcase_add_test(mutex, mutexes_that_do_not_exist);
    tcase_add_loop_test(mutex, mutex_excludes, 0, 12);
    suite_add_tcase(all, mutex);
    return run_suite(all);
}
