/* The life of a cluster, see cluster.h. */
#include "cluster/cluster.h"

#include <stdlib.h>

#include "host/environment.h"
#include "isa/error.h"

static enum penrose_status choose_threads(unsigned *threads, struct penrose_error *error)
{
    const char *text = host_variable("PENROSE_THREADS");
    if (*threads > CLUSTER_THREADS) {
        return error_set(error, PENROSE_E_ARGUMENT, "%u threads are more than %d", *threads,
                         CLUSTER_THREADS);
    }
    if (*threads > 0) {
        return PENROSE_OK;
    }
    *threads = 1;
    if (text && !host_count(text, CLUSTER_THREADS, threads)) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "PENROSE_THREADS=%s is not understood; it is a number from 1 to %d", text,
                         CLUSTER_THREADS);
    }
    return PENROSE_OK;
}

enum penrose_status cluster_create(unsigned threads, struct penrose_cluster **cluster,
                                   struct penrose_error *error)
{
    *cluster = NULL;
    enum penrose_status status = choose_threads(&threads, error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct penrose_cluster *made = calloc(1, sizeof *made);
    if (made) {
        made->pool = pool_create(threads);
    }
    if (!made || !made->pool) {
        cluster_destroy(made);
        return error_set(error, PENROSE_E_MEMORY, "no memory for a chip");
    }
    *cluster = made;
    return PENROSE_OK;
}

void cluster_destroy(struct penrose_cluster *cluster)
{
    if (!cluster) {
        return;
    }
    pool_destroy(cluster->pool);
    for (unsigned i = 0; i < cluster->chips; i++) {
        chip_head(cluster->chip[i])->calls->destroy(cluster->chip[i]);
    }
    journal_destroy(cluster->journal);
    free(cluster->turn);
    free(cluster);
}

bool cluster_runs_like(const struct penrose_chip *chip, const struct penrose_chip *other)
{
    const struct penrose_options *a = chip_calls_of(chip)->options(chip);
    const struct penrose_options *b = chip_calls_of(other)->options(other);
    return a->schedule == b->schedule && a->quantum == b->quantum && a->timed == b->timed;
}

static enum penrose_status check_addition(const struct penrose_cluster *cluster,
                                          const struct penrose_chip *chip,
                                          struct penrose_error *error)
{
    if (cluster->chips == CLUSTER_CHIPS) {
        return error_set(error, PENROSE_E_ARGUMENT, "a cluster has at most %d chips",
                         CLUSTER_CHIPS);
    }
    if (cluster->chips == 0) {
        return PENROSE_OK;
    }
    if (cluster->is_complete) {
        return error_set(error, PENROSE_E_STATE,
                         "chip 0 was made alone or loaded; make all chips by penrose_cluster_add");
    }
    if (cluster->journal) {
        return error_set(error, PENROSE_E_STATE,
                         "the cluster is recorded; add chips before that begins");
    }
    if (chip_head(chip)->time.now != cluster->time.now || cluster->time.is_paused) {
        return error_set(error, PENROSE_E_STATE,
                         "the cluster has run to cycle %llu; add chips before it runs",
                         (unsigned long long)cluster->time.now);
    }
    if (!cluster_runs_like(chip, cluster->chip[0])) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "the chip's schedule, quantum or timed differ from those of chip 0; one "
                         "clock runs all chips of a cluster");
    }
    return PENROSE_OK;
}

static enum penrose_status make_room_for_turns(struct penrose_cluster *cluster, size_t units,
                                               struct penrose_error *error)
{
    size_t room = cluster->turn_room + units;
    struct pool_turn *turn = realloc(cluster->turn, room * sizeof *turn);
    if (!turn) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a chip");
    }
    cluster->turn = turn;
    cluster->turn_room = room;
    return PENROSE_OK;
}

enum penrose_status cluster_take(struct penrose_cluster *cluster, struct penrose_chip *chip,
                                 struct penrose_error *error)
{
    struct chip_head *head = chip_head(chip);
    enum penrose_status status = make_room_for_turns(cluster, head->calls->units, error);
    if (status != PENROSE_OK) {
        head->calls->destroy(chip);
        return status;
    }
    head->cluster = cluster;
    head->number = cluster->chips;
    head->pool = cluster->pool;
    if (cluster->chips == 0) {
        cluster->time = head->time; /* one from a snapshot goes on */
    }
    cluster->chip[cluster->chips++] = chip;
    return PENROSE_OK;
}

enum penrose_status cluster_add(struct penrose_cluster *cluster, struct penrose_chip *chip,
                                struct penrose_error *error)
{
    enum penrose_status status = check_addition(cluster, chip, error);
    if (status != PENROSE_OK) {
        chip_head(chip)->calls->destroy(chip);
        return status;
    }
    return cluster_take(cluster, chip, error);
}

enum penrose_status cluster_of_one(struct penrose_chip **chip, unsigned threads,
                                   struct penrose_error *error)
{
    struct penrose_cluster *cluster;
    enum penrose_status status = cluster_create(threads, &cluster, error);
    if (status != PENROSE_OK) {
        chip_head(*chip)->calls->destroy(*chip);
    } else {
        status = cluster_add(cluster, *chip, error);
        if (status != PENROSE_OK) {
            cluster_destroy(cluster);
        } else {
            cluster->is_complete = true;
        }
    }
    *chip = status == PENROSE_OK ? *chip : NULL;
    return status;
}

void cluster_set_journal(struct penrose_cluster *cluster, struct journal *journal)
{
    cluster->journal = journal;
    for (unsigned i = 0; i < cluster->chips; i++) {
        chip_head(cluster->chip[i])->journal = journal;
    }
}

void cluster_set_now(struct penrose_cluster *cluster, uint64_t now)
{
    cluster->time.now = now;
    for (unsigned i = 0; i < cluster->chips; i++) {
        chip_head(cluster->chip[i])->time.now = now;
    }
}

enum penrose_status cluster_check_kinds(const struct penrose_cluster *cluster, const char *what,
                                        struct penrose_error *error)
{
    for (unsigned i = 1; i < cluster->chips; i++) {
        const struct chip_calls *kind = chip_calls_of(cluster->chip[0]);
        const struct chip_calls *other = chip_calls_of(cluster->chip[i]);
        if (other != kind) {
            return error_set(error, PENROSE_E_STATE,
                             "a %s is of chips of one kind; this cluster has a %s and a %s", what,
                             kind->arch->name, other->arch->name);
        }
    }
    return PENROSE_OK;
}

uint64_t cluster_state_hash(struct penrose_cluster *cluster)
{
    uint64_t hash = cluster->chips;
    for (unsigned i = 0; i < cluster->chips; i++) {
        uint64_t own = chip_head(cluster->chip[i])->calls->state_hash(cluster->chip[i]);
        if (own == 0) {
            return 0;
        }
        hash = (hash ^ own) * UINT64_C(0x9e3779b97f4a7c15); /* the order counts */
        hash ^= hash >> 32;
    }
    return hash;
}
