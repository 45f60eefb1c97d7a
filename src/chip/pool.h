/*
 * Host threads that work through a list together. The caller is one of them. The others start when
 * there is something to share for the first time, sleep between lists, and are joined by
 * pool_destroy. After a fork the child starts its own.
 */
#ifndef CHIP_POOL_H
#define CHIP_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool;

/* A pool of `threads` threads (1: the caller alone); NULL when memory runs out. */
struct pool *pool_create(unsigned threads);
void pool_destroy(struct pool *pool);

/* The first number of a list of `count` that `thread` takes, in order, up to the first of the next
 * one; who has no more helps the others. */
static inline size_t pool_share(size_t count, unsigned thread, unsigned threads)
{
    return count * thread / threads;
}

/* Something that runs by itself: unit `unit` of `owner`. */
struct pool_turn {
    void (*run)(void *owner, void *unit);
    void *owner, *unit;
    bool is_heavy;  /* it will take longer than most */
    bool is_shared; /* it is worth waking a thread for, if there are two of them */
};

/* Runs all of them, in any order, which it changes; see pool_run. What takes long comes first in each
 * thread's share, so that threads end together. Few turns run in the caller's thread alone, since
 * waking the others would take longer; with `in_order` all do, in their order. */
void pool_run_turns(struct pool *pool, struct pool_turn *turn, size_t count, bool in_order);

unsigned pool_threads(const struct pool *pool);

/* Calls work(context, i) for each i below `count`, in any order and at the same time on different
 * threads; returns when all are done. Where threads cannot be started the caller does it all. */
void pool_run(struct pool *pool, size_t count, void (*work)(void *context, size_t i),
              void *context);

#endif
