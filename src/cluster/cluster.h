/*
 * A cluster: chips under one clock. Every chip belongs to one; a chip that stands alone is a cluster
 * of one, and runs in the same way.
 *
 * Time advances in windows (run.c). In a window no chip sees another, and the units of all chips are
 * run by one pool of host threads, in any order. Between windows packets and frames are handed over
 * in canonical order: chip by chip, and of a chip as chip/exchange.c has it. A frame takes a window
 * at least, so windows may be as long as that. A chip on which nothing happens is not visited.
 *
 * All chips of a cluster have the same schedule, quantum and costs; products may differ.
 */
#ifndef CLUSTER_CLUSTER_H
#define CLUSTER_CLUSTER_H

#include <stdatomic.h>

#include "chip/calls.h"
#include "chip/journal.h"
#include "chip/pool.h"

enum { CLUSTER_CHIPS = 64, CLUSTER_THREADS = 256 /* of the host */ };

struct penrose_cluster {
    struct chip_time time;
    struct penrose_chip *chip[CLUSTER_CHIPS];
    unsigned chips;
    bool is_complete; /* no chip is added, and the cluster goes with any of its chips */

    struct pool *pool;
    struct pool_turn *turn; /* room for the units of all chips */
    size_t turn_room;
    atomic_bool stop_is_wanted; /* penrose_stop_request */
    unsigned pauses;            /* runs that ended with PENROSE_PAUSED */

    struct journal *journal;             /* each chip has the pointer, too; NULL: nobody records */
    void (*after_window)(void *context); /* NULL: nobody wants to know */
    void *after_context;
};

static inline struct penrose_cluster *cluster_of(const struct penrose_chip *chip)
{
    return chip_head(chip)->cluster;
}

/* An empty cluster. 0 threads: the number in PENROSE_THREADS, or 1. PENROSE_E_ARGUMENT,
 * PENROSE_E_MEMORY. */
enum penrose_status cluster_create(unsigned threads, struct penrose_cluster **cluster,
                                   struct penrose_error *error);

/* Frees it with all its chips; NULL does nothing. */
void cluster_destroy(struct penrose_cluster *cluster);

/* Takes a chip that belongs to no cluster yet; its time must be that of the cluster, unless it is
 * the first. The chip is destroyed where that fails: PENROSE_E_ARGUMENT, PENROSE_E_STATE,
 * PENROSE_E_MEMORY. */
enum penrose_status cluster_add(struct penrose_cluster *cluster, struct penrose_chip *chip,
                                struct penrose_error *error);

/* The same, of a chip that is known to fit. */
enum penrose_status cluster_take(struct penrose_cluster *cluster, struct penrose_chip *chip,
                                 struct penrose_error *error);

/* Have they what all chips of a cluster have alike? */
bool cluster_runs_like(const struct penrose_chip *chip, const struct penrose_chip *other);

/* Puts a new chip into a cluster of its own, to which no other is added. Where that fails the chip is
 * destroyed, and *chip is NULL. */
enum penrose_status cluster_of_one(struct penrose_chip **chip, unsigned threads,
                                   struct penrose_error *error);

/* The journal of all its chips from now on, which goes with the cluster; NULL: none, and the caller has
 * what was there. */
void cluster_set_journal(struct penrose_cluster *cluster, struct journal *journal);

/* Sets the time of all chips. */
void cluster_set_now(struct penrose_cluster *cluster, uint64_t now);

/* PENROSE_E_STATE where its chips are of several kinds, because a `what` ("snapshot") is of one. */
enum penrose_status cluster_check_kinds(const struct penrose_cluster *cluster, const char *what,
                                        struct penrose_error *error);

/* As penrose_stop_request. Any thread. */
void cluster_stop(struct penrose_cluster *cluster);

/* A hash of the state of all chips and of who is linked with whom. 0 if memory runs out. */
uint64_t cluster_state_hash(struct penrose_cluster *cluster);

/* As penrose_run; run->until is called with `chip`. */
enum penrose_outcome cluster_run(struct penrose_cluster *cluster, struct penrose_chip *chip,
                                 const struct penrose_run *run);

#endif
