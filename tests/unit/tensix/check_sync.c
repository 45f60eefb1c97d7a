/*
 * The Sync Unit's mutexes and semaphores: whose turn it is, what saturates, what is reported.
 * Written from the pages SyncUnit, ATGETM, ATRELM, SEMINIT, SEMPOST and SEMGET (BlackholeA0).
 */
#include "unit/tensix/sync_world.h"
#include "unit/tensix/touched.h"

/* --- Mutexes --- */

enum { NO_MUTEX = 0xff };
static const unsigned mutexes[] = {0, 2, 3, 4},
                      no_mutexes[] = {1, 5, 6, 7, 8, 255, 0x100, 0x102, 0x8000, 0xffff};

static void mutex_op(unsigned thread, const char *name, unsigned index)
{
    char text[40];
    snprintf(text, sizeof text, "%s %u", name, index);
    run(thread, text);
}

FIXTURE(setup, teardown);

TEST_EACH(acquiring_starts_after_the_release, 2)
{
    tensix->timing = _i ? &tile_costs : NULL;
    run(1, "ATGETM 2");
    run(0, "ATGETM 2");
    uint64_t released = harness.time + 1; /* pushed now, it passes in the next cycle */
    run(1, "ATRELM 2");
    ck_assert_uint_eq(tensix->mutex[2], 0);
    ck_assert_uint_gt(tensix->thread[0].time, released + 1);
}

TEST_EACH(mutex_that_does_not_exist, 4 * COUNT(no_mutexes))
{
    unsigned index = no_mutexes[_i / 4];
    const char *name = _i % 2 ? "ATRELM" : "ATGETM";
    char what[40];
    struct tensix before = *tensix;
    harness.stop = _i / 2 % 2;
    mutex_op(2, name, index);
    snprintf(what, sizeof what, "%s: there is no mutex %u,", name, index);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_HANG);
    ck_assert_uint_eq(harness.fault.thread, 2);
    ck_assert_ptr_nonnull(strstr(harness.fault.text, what));
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "there are 0, 2, 3 and 4"));
    ck_assert_mem_eq(tensix->mutex, before.mutex, sizeof before.mutex);
    ck_assert(tensix->stopped == harness.stop);
    ck_assert(is_held(2) == harness.stop);
}

TEST_EACH(mutex_released_by_a_stranger, 6)
{
    unsigned holder = (unsigned)_i % 3 == 2 ? TENSIX_MUTEX_FREE : (unsigned)_i % 3;
    tensix->mutex[4] = (uint8_t)holder;
    harness.stop = _i / 3;
    run(2, "ATRELM 4");
    ck_assert_uint_eq(tensix->mutex[4], holder);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_MUTEX);
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "ATRELM: thread 2 does not hold mutex 4"));
    ck_assert_ptr_nonnull(strstr(harness.fault.text, holder == 0   ? "(thread 0 does)"
                                                     : holder == 1 ? "(thread 1 does)"
                                                                   : "(nobody does)"));
    ck_assert(is_held(2) == harness.stop);
}

/* Three threads that fight for a mutex have it in turn. */
TEST_EACH(mutex_is_fair, 2)
{
    enum { TURNS = 10 };
    unsigned turns[3] = {0}, holder = TENSIX_MUTEX_FREE, previous = TENSIX_MUTEX_FREE;
    tensix->timing = _i ? &tile_costs : NULL;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            queue(thread, "ATGETM 2; ATRELM 2");
        }
    }
    for (unsigned cycle = 0; cycle < 40 * TURNS; cycle++) {
        tensix_harness_go(&harness, 1);
        if (tensix->mutex[2] == holder) {
            continue;
        }
        holder = tensix->mutex[2];
        if (holder != TENSIX_MUTEX_FREE) {
            turns[holder]++;
            ck_assert_uint_ne(holder, previous);
            previous = holder;
        }
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        ck_assert(!is_held(thread));
        ck_assert_uint_eq(turns[thread], TURNS);
    }
    ck_assert_uint_eq(harness.faults, 0);
}

/* Threads get and release mutexes in any order; a thread that waits does nothing else. */
TEST_EACH(random_mutex_operations, 2)
{
    tensix->timing = _i ? &tile_costs : NULL;
    unsigned holder[TENSIX_MUTEXES], wants[TENSIX_THREADS] = {0}, handed_over = 0;
    for (unsigned step = 0; step < 6000; step++) {
        if (step % 60 == 0) {
            tensix_reset(tensix);
            for (unsigned i = 0; i < TENSIX_MUTEXES; i++) {
                holder[i] = TENSIX_MUTEX_FREE;
            }
            wants[0] = wants[1] = wants[2] = NO_MUTEX;
        }
        unsigned thread = random_below(&dice, 3), index = mutexes[random_below(&dice, 4)];
        unsigned faults = harness.faults;
        if (wants[thread] != NO_MUTEX) {
            continue;
        }
        bool is_get = random_below(&dice, 2), is_holder = holder[index] == thread;
        mutex_op(thread, is_get ? "ATGETM" : "ATRELM", index);
        ck_assert_uint_eq(harness.faults, faults + (!is_get && !is_holder));
        if (is_get && holder[index] != TENSIX_MUTEX_FREE && !is_holder) {
            wants[thread] = index;
        } else if (is_get) {
            holder[index] = thread;
        } else if (is_holder) {
            unsigned next = (thread + 1) % 3;
            next = wants[next] == index ? next : (thread + 2) % 3;
            bool is_wanted = wants[next] == index;
            holder[index] = is_wanted ? next : TENSIX_MUTEX_FREE;
            wants[next] = is_wanted ? NO_MUTEX : wants[next];
            handed_over += is_wanted;
        }
        for (unsigned i = 0; i < (unsigned)COUNT(mutexes); i++) {
            ck_assert_uint_eq(tensix->mutex[mutexes[i]], holder[mutexes[i]]);
        }
        for (unsigned i = 0; i < TENSIX_THREADS; i++) {
            ck_assert_int_eq(is_held(i), wants[i] != NO_MUTEX);
        }
    }
    ck_assert_uint_gt(handed_over, 100);
}

/* Threads count in the word at 0x200 under a mutex, by a load, an addition and a store. R1 holds
 * the address by 16 bytes, R0 no offset. */
TEST_EACH(mutex_excludes, 12)
{
    tensix->timing = _i % 2 ? &tile_costs : NULL;
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        tensix->gpr[t][1] = 0x20;
    }
    for (unsigned n = 0; n < 30; n++) {
        for (unsigned k = 0; k < TENSIX_THREADS; k++) {
            queue((k + (unsigned)_i / 2) % 3,
                  "ATGETM 4; LOADIND 1, 0, 0, 16, 1; STALLWAIT 0x1ff, 1; NOP; "
                  "ADDDMAREG 1, 16, 1, 16; STOREIND 1, 0, 1, 0, 0, 16, 1; STALLWAIT 2, 1; "
                  "ATRELM 4");
        }
        tensix_harness_go(&harness, _i < 6 ? 0 : 7);
        while (tensix_busy(tensix)) {
            tensix_harness_go(&harness, 0);
        }
    }
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x200), 90);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- Semaphores --- */

static void semaphore_op(unsigned thread, const char *name, unsigned mask)
{
    char text[40];
    snprintf(text, sizeof text, "%s 0x%x", name, mask);
    run(thread, text);
}

struct saturation {
    const char *name, *text;
    unsigned mask;
    uint8_t start[3], end[3]; /* of semaphores 0, 3 and 7 */
};

static const struct saturation saturations[] = {
    {"SEMPOST", "semaphore 3 is 15 already", 0x08, {14, 15, 15}, {14, 15, 15}},
    {"SEMPOST", "semaphores 3 and 7 are 15 already", 0x89, {14, 15, 15}, {15, 15, 15}},
    {"SEMPOST", "semaphores 0, 3 and 7 are 15 already", 0xff, {15, 15, 15}, {15, 15, 15}},
    {"SEMGET", "semaphore 0 is 0 already", 0x89, {0, 1, 15}, {0, 0, 14}},
    {"SEMGET", "semaphores 0, 3 and 7 are 0 already", 0x89, {0, 0, 0}, {0, 0, 0}},
};

TEST_EACH(semaphores_saturate_with_a_fault, 2 * COUNT(saturations))
{
    const struct saturation *saturation = &saturations[_i / 2];
    static const unsigned which[] = {0, 3, 7};
    harness.stop = _i % 2;
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        tensix->semaphore[i].value = 5;
    }
    for (unsigned i = 0; i < 3; i++) {
        tensix->semaphore[which[i]].value = saturation->start[i];
    }
    semaphore_op(1, saturation->name, saturation->mask);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_SEMAPHORE);
    ck_assert_uint_eq(harness.fault.thread, 1);
    ck_assert_uint_eq(harness.fault.word >> 24, strcmp(saturation->name, "SEMPOST") ? 0xa5 : 0xa4);
    ck_assert_int_eq(strncmp(harness.fault.text, saturation->name, strlen(saturation->name)), 0);
    ck_assert_ptr_nonnull(strstr(harness.fault.text, saturation->text));
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "SEMWAIT"));
    ck_assert_uint_lt(strlen(harness.fault.text), 190);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(tensix->semaphore[which[i]].value,
                          harness.stop ? saturation->start[i] : saturation->end[i]);
    }
    ck_assert(is_held(1) == harness.stop);
}

TEST(longest_report_fits)
{
    semaphore_op(0, "SEMGET", 0xff);
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "semaphores 0, 1, 2, 3, 4, 5, 6 and 7 are 0"));
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "until somebody has posted"));
}

TEST_EACH(random_semaphore_operations, 2)
{
    unsigned value[TENSIX_SEMAPHORES] = {0}, max[TENSIX_SEMAPHORES] = {0};
    static struct tensix before;
    tensix->timing = _i ? &tile_costs : NULL;
    before = *tensix;
    for (unsigned step = 0; step < 5000; step++) {
        char text[40];
        unsigned mask = random_next(&dice) & 0xff, operation = random_next(&dice) % 5;
        unsigned init = random_next(&dice) & 15, limit = random_next(&dice) & 15,
                 index = random_next(&dice) & 7;
        mask = operation > 2 ? 1u << index : mask;
        harness.changed = tensix->outcome.changed = false;
        unsigned faults = harness.faults;
        if (operation == 0) {
            snprintf(text, sizeof text, "SEMINIT %u, %u, %u", limit, init, mask);
        } else {
            snprintf(text, sizeof text, "%s %u", operation == 1 ? "SEMPOST" : "SEMGET", mask);
        }
        if (operation <= 2) {
            run(random_next(&dice) % 3, text);
        } else if (operation == 3) {
            tensix_semaphore_post(tensix, index, harness.time);
        } else {
            tensix_semaphore_get(tensix, index, harness.time);
        }
        /* Whoever waits for them is told. */
        ck_assert(harness.changed || tensix->outcome.changed || !mask);
        ck_assert(operation < 3 || harness.faults == faults); /* the harts' window says nothing */
        for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
            if (mask >> i & 1) {
                bool posts = operation == 1 || operation == 3;
                value[i] = operation == 0 ? init
                           : posts        ? value[i] + (value[i] < 15)
                                          : value[i] - (value[i] > 0);
                max[i] = operation == 0 ? limit : max[i];
            }
            ck_assert_uint_eq(tensix->semaphore[i].value, value[i]);
            ck_assert_uint_eq(tensix->semaphore[i].max, max[i]);
        }
    }
    ck_assert_mem_eq(tensix->gpr, before.gpr, sizeof before.gpr);
    ck_assert_mem_eq(tensix->config, before.config, sizeof before.config);
    ck_assert_mem_eq(tensix->mutex, before.mutex, sizeof before.mutex);
    ck_assert_mem_eq(tensix->src, before.src, sizeof before.src);
}

/* --- What observers are told --- */

/* Words of the unit with random operands, in random states. */
TEST(all_that_is_touched_is_told)
{
    enum { WORDS = 150 };
    unsigned executed = 0;
    touched_open(&harness);
    const struct tensix fresh = *tensix;
    for (unsigned n = 0; n < WORDS; n++) {
        unsigned row = TENSIX_ROW_ATGETM + random_below(&dice, 8), thread = random_below(&dice, 3);
        uint32_t word = tensix_rows[row].match | (random_next(&dice) & ~tensix_rows[row].mask);
        bool is_mutex = row == TENSIX_ROW_ATGETM || row == TENSIX_ROW_ATRELM;
        word &= is_mutex ? UINT32_C(0xff000007) : UINT32_MAX;
        *tensix = fresh;
        for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
            tensix->semaphore[i].value = (uint8_t)random_below(&dice, 16);
            tensix->semaphore[i].max = (uint8_t)random_below(&dice, 16);
        }
        for (unsigned i = 0; i < TENSIX_MUTEXES; i++) {
            tensix->mutex[i] = (uint8_t)(i == 1 ? TENSIX_MUTEX_FREE : random_below(&dice, 4));
        }
        executed += touched_check(&harness, thread, word, &dice, 0, 0);
    }
    ck_assert_uint_gt(executed, WORDS / 2);
    ck_assert_uint_gt(touched_times(OBSERVED_STATE_SEMAPHORE, true), 100);
    ck_assert_uint_gt(touched_times(OBSERVED_STATE_MUTEX, true), 5);
    touched_close();
}
