/*
 * The pool of host threads, see chip/pool.h.
 *
 * A list is announced by a new number; workers look for it for a moment and then sleep. Each thread
 * has a share of the list, the same one every time, so that its data stay in the caches of its
 * core. A thread that is done helps the others. When the caller finds nothing more to do, it closes
 * the list and waits for threads that are still inside. It does not wait for a thread that comes
 * too late because the host had other work for its core.
 */
#include "chip/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "isa/host_time.h"

enum {
    TURNS_TO_SHARE = 2,       /* of those that are worth it; for fewer no thread is woken */
    SPIN_NANOSECONDS = 30000, /* as long as most of what a chip does between two lists takes */
    SPINS_PER_LOOK = 32,      /* at the clock */
};

/* A thread's share: the next number, and the end; in a cache line of its own. */
struct share {
    size_t next, end;
    char rest[64 - 2 * sizeof(size_t)];
};

#define INSIDE     UINT64_C(0xffff) /* threads that work on the list */
#define OPEN       UINT64_C(0x10000)
#define LIST_SHIFT 17 /* above is the number of the list */

struct pool {
    unsigned threads, started, named;
    pid_t process;
    pthread_t *thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool ends;
    uint64_t list;
    unsigned asleep;
    struct share *share; /* of each thread */
    void (*work)(void *context, size_t i);
    void *context;
};

/* A wait for another thread. */
struct wait {
    unsigned spins;
    uint64_t start;
};

/* Passes a little time; false when it has become a long wait. */
static bool is_short(struct wait *wait)
{
    host_pause();
    if (++wait->spins % SPINS_PER_LOOK) {
        return true;
    }
    uint64_t now = host_nanoseconds();
    wait->start = wait->start ? wait->start : now;
    return now - wait->start < SPIN_NANOSECONDS;
}

static void take_part(struct pool *pool, unsigned self)
{
    for (unsigned i = 0; i < pool->threads; i++) {
        struct share *share = &pool->share[(self + i) % pool->threads];
        size_t number;
        while ((number = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < share->end) {
            pool->work(pool->context, number);
        }
    }
}

static uint64_t latest_list(struct pool *pool)
{
    return __atomic_load_n(&pool->list, __ATOMIC_ACQUIRE) >> LIST_SHIFT;
}

/* Looks for a list other than `seen` for a moment; the number of the latest. */
static uint64_t look_for_list(struct pool *pool, uint64_t seen)
{
    struct wait wait = {0};
    uint64_t number = latest_list(pool);
    while (number == seen && is_short(&wait)) {
        number = latest_list(pool);
    }
    return number;
}

/* Sleeps until there is a list other than `seen`. */
static void sleep_awhile(struct pool *pool, uint64_t seen)
{
    pthread_mutex_lock(&pool->mutex);
    pool->asleep++;
    while (latest_list(pool) == seen) {
        pthread_cond_wait(&pool->wake, &pool->mutex);
    }
    pool->asleep--;
    pthread_mutex_unlock(&pool->mutex);
}

/* Waits for a list other than *seen, which becomes its number; false when the pool ends. */
static bool await_list(struct pool *pool, uint64_t *seen)
{
    uint64_t number;
    while ((number = look_for_list(pool, *seen)) == *seen) {
        sleep_awhile(pool, *seen);
    }
    *seen = number;
    return !__atomic_load_n(&pool->ends, __ATOMIC_RELAXED);
}

/* Goes inside a list; false when it was closed. */
static bool enter_list(struct pool *pool, uint64_t number)
{
    uint64_t list = __atomic_load_n(&pool->list, __ATOMIC_ACQUIRE);
    while (list >> LIST_SHIFT == number && list & OPEN) {
        if (__atomic_compare_exchange_n(&pool->list, &list, list + 1, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return true;
        }
    }
    return false;
}

static void *worker(void *argument)
{
    struct pool *pool = argument;
    unsigned self = __atomic_add_fetch(&pool->named, 1, __ATOMIC_RELAXED);
    uint64_t seen = 0;
    while (await_list(pool, &seen)) {
        if (enter_list(pool, seen)) {
            take_part(pool, self);
            __atomic_sub_fetch(&pool->list, 1, __ATOMIC_RELEASE);
        }
    }
    return NULL;
}

/* Wakes at most `helpers` threads that sleep. */
static void announce(struct pool *pool, uint64_t open, size_t helpers)
{
    pthread_mutex_lock(&pool->mutex);
    __atomic_store_n(&pool->list, (latest_list(pool) + 1) << LIST_SHIFT | open, __ATOMIC_RELEASE);
    if (helpers >= pool->asleep) {
        pthread_cond_broadcast(&pool->wake);
    } else {
        for (size_t i = 0; i < helpers; i++) {
            pthread_cond_signal(&pool->wake);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
}

/* Signals of the process are for threads of its own: a handler that runs on one of these, in the
 * middle of the work of a call, could not be told from another caller. */
static void start_threads(struct pool *pool)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* new threads inherit it */
    while (pool->started < pool->threads - 1 &&
           pthread_create(&pool->thread[pool->started], NULL, worker, pool) == 0) {
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void start_pool(struct pool *pool)
{
    pool->process = getpid();
    pool->list = 0;
    pool->started = pool->named = pool->asleep = 0;
    pool->ends = false;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    start_threads(pool);
    if (pool->started < pool->threads - 1) {
        pool->threads = pool->started + 1; /* the host has no more */
    }
}

struct pool *pool_create(unsigned threads)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool) {
        pool->threads = threads ? threads : 1;
        pool->thread = calloc(pool->threads, sizeof *pool->thread);
        pool->share = calloc(pool->threads, sizeof *pool->share);
        if (!pool->thread || !pool->share) {
            free(pool->thread);
            free(pool->share);
            free(pool);
            return NULL;
        }
    }
    return pool;
}

unsigned pool_threads(const struct pool *pool)
{
    return pool->threads;
}

void pool_destroy(struct pool *pool)
{
    if (!pool) {
        return;
    }
    if (pool->started && pool->process == getpid()) {
        __atomic_store_n(&pool->ends, true, __ATOMIC_RELAXED);
        announce(pool, 0, pool->started);
        for (unsigned i = 0; i < pool->started; i++) {
            pthread_join(pool->thread[i], NULL);
        }
        pthread_cond_destroy(&pool->wake);
        pthread_mutex_destroy(&pool->mutex);
    }
    free(pool->share);
    free(pool->thread);
    free(pool);
}

static void start_if_need_be(struct pool *pool)
{
    if (pool->threads == 1) {
        return;
    }
    if (!pool->started || pool->process != getpid()) {
        start_pool(pool);
    }
}

void pool_run(struct pool *pool, size_t count, void (*work)(void *context, size_t i), void *context)
{
    if (count > 1) {
        start_if_need_be(pool);
    }
    if (pool->threads == 1 || count <= 1) {
        for (size_t i = 0; i < count; i++) {
            work(context, i);
        }
        return;
    }
    pool->work = work;
    pool->context = context;
    for (unsigned i = 0; i < pool->threads; i++) {
        pool->share[i].next = pool_share(count, i, pool->threads);
        pool->share[i].end = pool_share(count, i + 1, pool->threads);
    }
    announce(pool, OPEN, count - 1);
    take_part(pool, 0);
    __atomic_and_fetch(&pool->list, ~OPEN, __ATOMIC_ACQ_REL);
    struct wait wait = {0};
    while (__atomic_load_n(&pool->list, __ATOMIC_ACQUIRE) & INSIDE) {
        if (!is_short(&wait)) {
            sched_yield();
        }
    }
}

/* --- Turns --- */

static void put_heavy_first(struct pool_turn *turn, size_t count)
{
    size_t heavy = 0;
    for (size_t i = 0; i < count; i++) {
        if (turn[i].is_heavy) {
            struct pool_turn moved = turn[heavy];
            turn[heavy++] = turn[i];
            turn[i] = moved;
        }
    }
}

static bool are_shared(const struct pool_turn *turn, size_t count)
{
    unsigned shared = 0;
    for (size_t i = 0; i < count && shared < TURNS_TO_SHARE; i++) {
        shared += turn[i].is_shared;
    }
    return shared == TURNS_TO_SHARE;
}

static void take_turn(void *context, size_t i)
{
    const struct pool_turn *turn = (const struct pool_turn *)context + i;
    turn->run(turn->owner, turn->unit);
}

void pool_run_turns(struct pool *pool, struct pool_turn *turn, size_t count, bool in_order)
{
    if (in_order || pool->threads == 1 || !are_shared(turn, count)) {
        for (size_t i = 0; i < count; i++) {
            take_turn(turn, i);
        }
        return;
    }
    for (unsigned thread = 0; thread < pool->threads; thread++) {
        size_t first = pool_share(count, thread, pool->threads);
        put_heavy_first(turn + first, pool_share(count, thread + 1, pool->threads) - first);
    }
    pool_run(pool, count, take_turn, turn);
}
