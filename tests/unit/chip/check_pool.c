/* The pool of host threads. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chip/pool.h"
#include "unit/test.h"
#include "unit/sanitized.h"

enum { MOST = 1000, LISTS = 300 };

static unsigned done[MOST];

static void work(void *context, size_t i)
{
    unsigned *times = context;
    __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
}

static void run_lists(struct pool *pool)
{
    for (unsigned list = 0; list < LISTS; list++) {
        size_t count = (size_t)list * 7 % MOST;
        memset(done, 0, sizeof done);
        pool_run(pool, count, work, done);
        for (size_t i = 0; i < MOST; i++) {
            ck_assert_uint_eq(done[i], i < count);
        }
    }
}

TEST_EACH(everything_is_done_once, 6)
{
    struct pool *pool = pool_create((unsigned)_i);
    ck_assert_ptr_nonnull(pool);
    run_lists(pool);
    pool_destroy(pool);
}

TEST(child_starts_its_own_threads)
{
    if (THREAD_SANITIZED) {
        return; /* a child cannot start threads */
    }
    struct pool *pool = pool_create(3);
    run_lists(pool);
    pid_t child = fork();
    if (child == 0) {
        memset(done, 0, sizeof done);
        pool_run(pool, MOST, work, done);
        unsigned sum = 0;
        for (size_t i = 0; i < MOST; i++) {
            sum += done[i];
        }
        pool_destroy(pool);
        _exit(sum == MOST ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    run_lists(pool);
    pool_destroy(pool);
}

/* Most of these are over before the others come. */
TEST(short_lists)
{
    enum { MANY = 20000 };
    struct pool *pool = pool_create(4);
    for (unsigned list = 0; list < MANY; list++) {
        size_t count = 2 + list % 5;
        memset(done, 0, sizeof done[0] * 8);
        pool_run(pool, count, work, done);
        for (size_t i = 0; i < 8; i++) {
            ck_assert_uint_eq(done[i], i < count);
        }
    }
    pool_destroy(pool);
}

static void note_thread(void *owner, void *unit)
{
    *(pthread_t *)unit = pthread_self();
    (void)owner;
}

/* A tile beside banks. */
TEST(one_turn_that_is_worth_it_wakes_nobody)
{
    enum { TURNS = 8, TIMES = 100 };
    pthread_t by[TURNS];
    struct pool_turn turn[TURNS];
    struct pool *pool = pool_create(4);
    run_lists(pool); /* its threads are there */
    for (unsigned time = 0; time < TIMES; time++) {
        for (unsigned i = 0; i < TURNS; i++) {
            turn[i] = (struct pool_turn){
                .run = note_thread, .unit = &by[i], .is_heavy = true, .is_shared = i == 0};
        }
        pool_run_turns(pool, turn, TURNS, false);
        for (unsigned i = 0; i < TURNS; i++) {
            ck_assert(pthread_equal(by[i], pthread_self()));
        }
    }
    pool_destroy(pool);
}

TEST(sleepers_wake)
{
    struct pool *pool = pool_create(4);
    for (unsigned i = 0; i < 5; i++) {
        memset(done, 0, sizeof done);
        pool_run(pool, 50, work, done);
        ck_assert_uint_eq(done[49], 1);
        usleep(20000); /* the threads fall asleep */
    }
    pool_destroy(pool);
    pool_destroy(NULL);
}
