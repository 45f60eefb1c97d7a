/*
 * Looking back; see penrose/history.h. A history belongs to the present chips, those of a cluster. A
 * past (struct past) belongs to the chips of its own cluster, and is freed when those are destroyed.
 *
 * A search runs from a snapshot to the moment at which it begins, and notes the last hits. If there
 * are none, it runs from the snapshot before to this one, and so on. Then new chips are made
 * from the snapshot and stopped at the hit. Nothing observes it before the window of the hit, so
 * shortcuts run.
 */
#include <penrose/history.h>

#include <stdlib.h>
#include <string.h>

#include "cluster/snapshot.h"
#include "host/array.h"
#include "isa/error.h"
#include "isa/host_time.h"
#include "observe/history/rerun.h"
#include "observe/points.h"

enum {
    DEFAULT_MEGABYTES = 1024,
    COST_SHARE = 20,        /* snapshots take one part in so many of the time */
    LEAST_PAUSE = 20000000, /* nanoseconds between two of them */
    MOST_COUNT = 1 << 20,   /* of a goal */
    STOPS = 16,
    LONG_WAY = 1 << 17, /* cycles from a snapshot to a hit before which another one is taken, if
                           going over them takes longer than that: */
    NANOSECONDS = 50,   /* of the host a cycle, where somebody looks */
};

struct history_snapshot {
    uint64_t at, index; /* before this window of this entry of the journal */
    uint64_t cycle;
    void *bytes;
    size_t size;
};

struct history {
    struct penrose_chip *chip;         /* the present one that began it */
    struct penrose_cluster *cluster;   /* to which it belongs */
    struct history_snapshot *snapshot; /* in order */
    size_t snapshots, room;
    size_t bytes; /* of them */
    size_t most_bytes;
    uint64_t distance;
    uint64_t next_cycle, next_time; /* when to take the next one */
    uint64_t nanoseconds, cost;     /* of all of them, of the latest */
    bool owns_journal;              /* nobody recorded before */
};

/* What a past looks for, and how. */
enum seek_mode {
    SEEK_NOTHING,
    SEEK_NOTES,  /* hits before `limit` are noted, nobody stops */
    SEEK_STOPS,  /* at the count-th hit */
    SEEK_MOMENT, /* stops at a hit that was noted */
};

struct seek {
    enum seek_mode mode;
    struct penrose_goal goal;
    struct penrose_point *point; /* its points, with the names that tiles have */
    uint64_t retired[2];         /* of a step: instructions of the hart at the latest hit, and where
                                    the search began; UINT64_MAX: none */
    uint64_t left;               /* hits, the last of which stops */
    struct rerun_moment limit, moment;
    bool is_there;            /* SEEK_MOMENT: the next step is that of the moment */
    struct rerun_moment *hit; /* the latest goal.count ones, in a ring */
    uint64_t hits;
};

struct past {
    struct history *history;
    struct penrose_cluster *cluster;
    struct rerun rerun;
    struct rerun_moment moment; /* where it stands: what is before it has happened */
    uint64_t now;               /* of the chips then */
    struct penrose_stop stop[STOPS];
    size_t stops;
    struct seek seek;
};

/* What penrose_history_start gives out. */
struct penrose_history {
    const struct chip_calls *calls; /* comes first: see chip/calls.h */
    struct history history;
};

/* --- Snapshots --- */

static void drop_snapshot(struct history *history, size_t index)
{
    free(history->snapshot[index].bytes);
    history->bytes -= history->snapshot[index].size;
    history->snapshots--;
    memmove(&history->snapshot[index], &history->snapshot[index + 1],
            (history->snapshots - index) * sizeof *history->snapshot);
}

/* Drops what leaves the smallest gap for its age: so the distance grows with the age. The first stays
 * until there is nothing else. */
static void thin_out(struct history *history)
{
    uint64_t now = history->snapshot[history->snapshots - 1].cycle;
    size_t best = 0;
    double least = 0;
    for (size_t i = 1; i + 1 < history->snapshots; i++) {
        double gap = (double)(history->snapshot[i + 1].cycle - history->snapshot[i - 1].cycle);
        double cost = gap / (double)(now - history->snapshot[i].cycle + 1);
        if (best == 0 || cost < least) {
            best = i;
            least = cost;
        }
    }
    drop_snapshot(history, best);
}

static void keep_budget(struct history *history)
{
    struct journal *journal = history->cluster->journal;
    while (history->snapshots > 1 && history->bytes + journal->size > history->most_bytes) {
        bool is_journal = journal->size > history->most_bytes / 2;
        if (is_journal || history->snapshots == 2) { /* the beginning goes */
            drop_snapshot(history, 0);
            journal_forget(journal, history->snapshot[0].at);
        } else {
            thin_out(history);
        }
    }
}

/* Puts a snapshot among the others; takes over its bytes. False without memory. */
static bool insert_snapshot(struct history *history, const struct history_snapshot *snapshot)
{
    if (!array_grow(&history->snapshot, history->snapshots, &history->room,
                    sizeof *history->snapshot)) {
        return false;
    }
    size_t at = history->snapshots++;
    for (; at > 0 && history->snapshot[at - 1].at > snapshot->at; at--) {
        history->snapshot[at] = history->snapshot[at - 1];
    }
    history->snapshot[at] = *snapshot;
    history->bytes += snapshot->size;
    return true;
}

/* Of the present, which is at a place of its journal. */
static enum penrose_status take_snapshot(struct history *history, uint64_t at, uint64_t index,
                                         struct penrose_error *error)
{
    uint64_t begun = host_nanoseconds(), now = history->cluster->time.now;
    struct history_snapshot made = {.at = at, .index = index, .cycle = now};
    enum penrose_status status =
        cluster_snapshot_to_memory(history->cluster, &made.bytes, &made.size, error);
    if (status == PENROSE_OK && !insert_snapshot(history, &made)) {
        free(made.bytes);
        status = error_set(error, PENROSE_E_MEMORY, "no memory for a history");
    }
    uint64_t cost = host_nanoseconds() - begun;
    uint64_t pause = cost * COST_SHARE > LEAST_PAUSE ? cost * COST_SHARE : LEAST_PAUSE;
    history->nanoseconds += cost;
    history->cost = cost;
    history->next_time = begun + cost + pause;
    history->next_cycle = now + (history->distance ? history->distance : 1);
    return status;
}

static bool is_any_paused(const struct penrose_cluster *cluster)
{
    for (unsigned number = 0; number < cluster->chips; number++) {
        const struct penrose_chip *chip = cluster->chip[number];
        for (unsigned i = 0; i < chip->units; i++) {
            if (chip->unit[i]->paused) {
                return true;
            }
        }
    }
    return false;
}

static bool is_time(const struct history *history)
{
    const struct penrose_cluster *cluster = history->cluster;
    return cluster->time.now >= history->next_cycle &&
           (history->distance || host_nanoseconds() >= history->next_time) &&
           !is_any_paused(cluster) && !cluster->journal->failed;
}

/* After each window of the present. */
static void look_at_window(void *context)
{
    struct history *history = context;
    if (is_time(history) &&
        take_snapshot(history, journal_end(history->cluster->journal), 0, NULL) == PENROSE_OK) {
        keep_budget(history);
    }
}

void replay_note_step(struct penrose_history *result, const struct rerun *rerun)
{
    struct history *history = &result->history;
    uint64_t at, index;
    rerun_next(rerun, &at, &index);
    if (is_time(history) && rerun->marks == 0 &&
        take_snapshot(history, at, index, NULL) == PENROSE_OK) {
        keep_budget(history);
    }
}

/* --- Life --- */

/* A history of the chip's cluster, which all its chips know from now on. NULL without memory. */
static struct penrose_history *make_history(struct penrose_chip *chip)
{
    struct penrose_history *made = calloc(1, sizeof *made);
    if (made) {
        made->calls = chip->head.calls;
        made->history.chip = chip;
        made->history.cluster = cluster_of(chip);
        made->history.most_bytes = (size_t)DEFAULT_MEGABYTES << 20;
    }
    return made;
}

static void set_history(const struct penrose_cluster *cluster, struct history *history)
{
    for (unsigned i = 0; i < cluster->chips; i++) {
        cluster->chip[i]->history = history;
    }
}

enum penrose_status chip_history_start(struct penrose_chip *chip,
                                       const struct penrose_history_options *options,
                                       struct penrose_history **result, struct penrose_error *error)
{
    struct penrose_cluster *cluster = cluster_of(chip);
    *result = NULL;
    if (chip->history || chip->past) {
        return error_set(error, PENROSE_E_STATE, "%s",
                         chip->past ? "this chip is a past; a history is of the present"
                                    : "the chip has a history already");
    }
    enum penrose_status status = cluster_check_kinds(cluster, "history", error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct penrose_history *made = make_history(chip);
    struct journal *journal = cluster->journal ? cluster->journal : journal_create();
    if (!made || !journal) {
        free(made);
        if (!cluster->journal) {
            journal_destroy(journal);
        }
        return error_set(error, PENROSE_E_MEMORY, "no memory for a history");
    }
    struct history *history = &made->history;
    history->owns_journal = !cluster->journal;
    history->distance = options->distance;
    if (options->megabytes) {
        history->most_bytes = (size_t)options->megabytes << 20;
    }
    cluster_set_journal(cluster, journal);
    status = take_snapshot(history, journal_end(journal), 0, error);
    if (status != PENROSE_OK) {
        chip_history_end(made);
        return status;
    }
    journal->keeps = true;
    set_history(cluster, history);
    cluster->after_window = look_at_window;
    cluster->after_context = history;
    *result = made;
    return PENROSE_OK;
}

enum penrose_status replay_look_back(struct penrose_chip *chip, struct journal *journal,
                                     uint64_t at, struct penrose_history **result,
                                     struct penrose_error *error)
{
    struct penrose_history *made = make_history(chip);
    journal->is_read_only = journal->keeps = true;
    cluster_set_journal(cluster_of(chip), journal);
    *result = NULL;
    if (!made) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a history");
    }
    enum penrose_status status = take_snapshot(&made->history, at, 0, error);
    if (status != PENROSE_OK) {
        free(made);
        return status;
    }
    set_history(cluster_of(chip), &made->history);
    *result = made;
    return PENROSE_OK;
}

void chip_history_end(struct penrose_history *result)
{
    if (!result) {
        return;
    }
    struct history *history = &result->history;
    struct penrose_cluster *cluster = history->cluster;
    set_history(cluster, NULL);
    cluster->after_window = NULL;
    if (history->owns_journal) {
        journal_destroy(cluster->journal);
        cluster_set_journal(cluster, NULL);
    } else {
        cluster->journal->keeps = false;
    }
    for (size_t i = 0; i < history->snapshots; i++) {
        free(history->snapshot[i].bytes);
    }
    free(history->snapshot);
    free(result);
}

void chip_history_info(const struct penrose_history *result, struct penrose_history_info *info)
{
    const struct history *history = &result->history;
    *info = (struct penrose_history_info){.begin = history->snapshot[0].cycle,
                                          .snapshots = history->snapshots,
                                          .bytes = history->bytes + history->cluster->journal->size,
                                          .nanoseconds = history->nanoseconds};
}

/* --- Pasts --- */

/* Called when the last of its chips is destroyed. */
static void free_past(void *context)
{
    const struct rerun_chip *own = context;
    struct past *past = own->rerun->context;
    free(past->rerun.bytes);
    free(past->rerun.chip);
    free(past);
}

static void destroy_past(const struct past *past)
{
    cluster_destroy(past->cluster);
}

/* The one that callers get: of the number of the chip that began the history. */
static struct penrose_chip *chip_of_past(const struct past *past)
{
    return past->cluster->chip[past->history->chip->head.number];
}

static bool wants_tile_of_goal(void *context, unsigned chip, const struct tile *tile);
static bool see_event_of_past(void *context, struct tile *tile, const struct observed *event,
                              const struct rerun_moment *moment, uint64_t others, bool is_present);

/* What past chips have of the present ones. */
static void tell_of_present(const struct penrose_cluster *present, struct past *past)
{
    for (unsigned i = 0; i < present->chips; i++) {
        struct penrose_chip *chip = past->cluster->chip[i];
        chip->present = present->chip[i];
        chip->past = past;
        chip_shortcuts_set(chip, present->chip[i]->shortcuts);
    }
}

/* Chips that are what the present ones were at a snapshot. */
static enum penrose_status make_past(struct history *history, size_t index, struct past **result,
                                     struct penrose_error *error)
{
    const struct history_snapshot *snapshot = &history->snapshot[index];
    const struct penrose_cluster *present = history->cluster;
    const struct chip_calls *const kinds[] = {history->chip->head.calls, NULL};
    const struct snapshot_loading loading = {.kinds = kinds,
                                             .threads = pool_threads(present->pool)};
    struct past *past = calloc(1, sizeof *past);
    *result = NULL;
    if (!past) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a past");
    }
    enum penrose_status status = cluster_snapshot_from_memory(
        &loading, snapshot->bytes, snapshot->size, &past->cluster, error);
    if (status != PENROSE_OK) {
        free(past);
        return status;
    }
    tell_of_present(present, past);
    status = rerun_begin(&past->rerun, past->cluster, present->journal, snapshot->at,
                         snapshot->index, error);
    if (status != PENROSE_OK) {
        destroy_past(past);
        free(past);
        return status;
    }
    past->history = history;
    past->moment = (struct rerun_moment){.at = snapshot->at, .index = snapshot->index};
    past->now = past->cluster->time.now;
    past->rerun.wants = wants_tile_of_goal;
    past->rerun.see = see_event_of_past;
    past->rerun.context = past;
    past->rerun.chip[past->rerun.chips - 1].observer.free = free_past;
    *result = past;
    return PENROSE_OK;
}

/* Takes a step; whatever did not stop it has happened then. */
static enum rerun_end step_past(struct past *past)
{
    enum rerun_end end = rerun_step(&past->rerun);
    if (end == RERUN_DONE) {
        past->moment = (struct rerun_moment){
            .at = past->rerun.step.at, .index = past->rerun.index, .place = RERUN_ALL};
    }
    past->now = past->cluster->time.now;
    return end;
}

static enum penrose_status check_past(const struct past *past, struct penrose_error *error)
{
    if (past->rerun.differs || past->now != past->cluster->time.now ||
        past->rerun.at < past->rerun.journal->start) {
        return error_set(error, PENROSE_E_STATE, "this past is lost: %s",
                         past->rerun.differs ? past->rerun.difference
                         : past->now != past->cluster->time.now
                             ? "it has been run"
                             : "the history has forgotten the time in which it was");
    }
    return PENROSE_OK;
}

static enum penrose_status check_history(const struct history *history, struct penrose_error *error)
{
    const struct penrose_cluster *cluster = history->cluster;
    if (cluster->journal->failed) {
        return error_set(error, PENROSE_E_STATE, "the history has ended: memory ran out");
    }
    for (unsigned i = 0; i < cluster->chips; i++) {
        if (chip_is_running(cluster->chip[i])) {
            return error_set(error, PENROSE_E_STATE, "the present chip is running");
        }
    }
    journal_end(cluster->journal);
    return PENROSE_OK;
}

enum penrose_status chip_history_past(struct penrose_history *result, uint64_t cycle,
                                      struct penrose_chip **chip, struct penrose_error *error)
{
    struct history *history = &result->history;
    struct past *past;
    size_t index = history->snapshots - 1;
    *chip = NULL;
    enum penrose_status status = check_history(history, error);
    if (status != PENROSE_OK) {
        return status;
    }
    while (index > 0 && history->snapshot[index].cycle >= cycle) {
        index--;
    }
    if (history->snapshot[index].cycle > cycle) {
        return error_set(
            error, PENROSE_E_ARGUMENT, "cycle %llu is before the history, which begins at %llu",
            (unsigned long long)cycle, (unsigned long long)history->snapshot[index].cycle);
    }
    status = make_past(history, index, &past, error);
    if (status != PENROSE_OK) {
        return status;
    }
    enum rerun_end end = RERUN_DONE;
    while (end == RERUN_DONE && past->now < cycle) {
        end = step_past(past);
    }
    status = check_past(past, error);
    if (status != PENROSE_OK) {
        destroy_past(past);
        return status;
    }
    *chip = chip_of_past(past);
    return PENROSE_OK;
}

bool chip_history_stop_get(const struct penrose_chip *chip, size_t index, struct penrose_stop *stop)
{
    const struct past *past = chip->past;
    if (!past || index >= past->stops) {
        return false;
    }
    *stop = past->stop[index];
    return true;
}

/* --- Goals --- */

static void free_seek(struct seek *seek)
{
    free(seek->point);
    free(seek->hit);
    *seek = (struct seek){.mode = SEEK_NOTHING};
}

/* The present chip of that number. */
static enum penrose_status present_chip(const struct history *history, unsigned number,
                                        struct penrose_chip **chip, struct penrose_error *error)
{
    const struct penrose_cluster *cluster = history->cluster;
    *chip = number < cluster->chips ? cluster->chip[number] : NULL;
    return *chip ? PENROSE_OK
                 : error_set(error, PENROSE_E_ARGUMENT,
                             "there is no chip %u; chips are numbered from 0 to %u", number,
                             cluster->chips - 1);
}

static enum penrose_status take_points(struct history *history, struct seek *seek,
                                       struct penrose_error *error)
{
    struct penrose_goal *goal = &seek->goal;
    enum penrose_status status = PENROSE_OK;
    seek->point = calloc(goal->points + 1, sizeof *seek->point);
    if (!seek->point) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a goal");
    }
    for (size_t i = 0; i < goal->points && status == PENROSE_OK; i++) {
        struct tile *tile;
        struct penrose_chip *chip;
        struct penrose_point *own = &seek->point[i];
        *own = goal->point[i];
        status = present_chip(history, own->chip, &chip, error);
        status = status ? status : chip_tile(chip, own->x, own->y, &tile, error);
        status = status ? status : point_check(tile, own, error);
        if (status == PENROSE_OK) {
            own->x = tile->x; /* other coordinates may lead there too */
            own->y = tile->y;
        }
    }
    goal->point = seek->point;
    return status;
}

/* A search for what the caller wants; to be freed in any case. */
static enum penrose_status begin_seek(struct history *history, const struct penrose_goal *given,
                                      struct seek *seek, struct penrose_error *error)
{
    struct penrose_goal *goal = &seek->goal;
    struct penrose_chip *chip;
    struct tile *tile;
    *seek = (struct seek){.goal = *given, .retired = {UINT64_MAX, UINT64_MAX}};
    enum penrose_status status = check_history(history, error);
    if (status != PENROSE_OK) {
        return status;
    }
    goal->count = goal->count ? goal->count : 1;
    if (goal->kind > PENROSE_GOAL_POINTS || goal->count > MOST_COUNT) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "a goal is a step or points, at most %d hits "
                         "away",
                         MOST_COUNT);
    }
    if (goal->kind == PENROSE_GOAL_POINTS) {
        return take_points(history, seek, error);
    }
    status = present_chip(history, goal->chip, &chip, error);
    status = status ? status : chip_hart_tile(chip, goal->x, goal->y, goal->hart, &tile, error);
    if (status == PENROSE_OK) {
        goal->x = tile->x;
        goal->y = tile->y;
        goal->points = 0;
    }
    return status;
}

static bool is_tile_of_goal(const struct penrose_goal *goal, unsigned chip, const struct tile *tile)
{
    if (goal->kind == PENROSE_GOAL_STEP) {
        return goal->chip == chip && goal->x == tile->x && goal->y == tile->y;
    }
    for (size_t i = 0; i < goal->points; i++) {
        if (goal->point[i].chip == chip && point_is_on(&goal->point[i], tile)) {
            return true;
        }
    }
    return false;
}

static bool wants_tile_of_goal(void *context, unsigned chip, const struct tile *tile)
{
    const struct seek *seek = &((const struct past *)context)->seek;
    switch (seek->mode) {
    case SEEK_NOTHING:
        return false;
    case SEEK_MOMENT:
        return seek->is_there && seek->moment.place == rerun_place(chip, tile);
    case SEEK_NOTES:
    case SEEK_STOPS:
        break;
    }
    return is_tile_of_goal(&seek->goal, chip, tile);
}

/* Is the hart about to execute an instruction for the first time, and not the one where the search
 * began? One that has to wait is told of again. */
static bool is_step(struct seek *seek, const struct tile *tile, const struct observed *event)
{
    uint64_t retired;
    if (event->kind != OBSERVED_STARTS || event->agent != (enum observed_agent)seek->goal.hart) {
        return false;
    }
    retired = tile->hart[event->agent].retired;
    if (seek->retired[0] == retired || seek->retired[1] == retired) {
        return false;
    }
    seek->retired[0] = retired;
    return true;
}

/* Does an event of a tile of the chip meet the goal, perhaps of a point? */
static bool meets_goal(struct past *past, const struct penrose_chip *chip, const struct tile *tile,
                       const struct observed *event, struct penrose_stop *stop)
{
    struct seek *seek = &past->seek;
    const unsigned number = chip->head.number;
    if (seek->goal.kind == PENROSE_GOAL_STEP) {
        bool is_met = is_tile_of_goal(&seek->goal, number, tile) &&
                      (seek->mode == SEEK_MOMENT || is_step(seek, tile, event));
        if (is_met) {
            *stop = point_stop(chip, tile, event, PENROSE_STOP_STEP, 0);
        }
        return is_met;
    }
    for (size_t i = 0; i < seek->goal.points; i++) {
        const struct penrose_point *point = &seek->goal.point[i];
        if (point->chip == number && point_is_met(point, tile, event)) {
            bool is_code = point->kind == PENROSE_BREAKPOINT;
            *stop =
                point_stop(chip, tile, event,
                           is_code ? PENROSE_STOP_BREAKPOINT : PENROSE_STOP_WATCHPOINT, point->id);
            return true;
        }
    }
    return false;
}

/* Stops are in the order of time; the past stands at the first. */
static void keep_stop(struct past *past, const struct penrose_stop *stop,
                      const struct rerun_moment *moment)
{
    size_t at = past->stops < STOPS ? past->stops++ : STOPS - 1;
    if (at == 0 || rerun_compare(moment, &past->moment) < 0) {
        past->moment = *moment;
    }
    for (; at > 0 && past->stop[at - 1].cycle > stop->cycle; at--) {
        past->stop[at] = past->stop[at - 1];
    }
    past->stop[at] = *stop;
}

/* Notes a hit; tiles run in the order of places only where one thread runs few of them. */
static void note_hit(struct seek *seek, const struct rerun_moment *moment)
{
    uint64_t count = seek->goal.count, at = seek->hits++;
    uint64_t kept = at < count ? at : count - 1;
    for (; kept > 0 && rerun_compare(&seek->hit[(at - 1) % count], moment) > 0; at--, kept--) {
        seek->hit[at % count] = seek->hit[(at - 1) % count];
    }
    seek->hit[at % count] = *moment;
}

/* Is it at the moment at which the search began, or behind? */
static bool is_late(const struct seek *seek, const struct rerun_moment *moment, uint64_t others)
{
    const struct rerun_moment *limit = &seek->limit;
    if (moment->at != limit->at || moment->index != limit->index || moment->place != limit->place) {
        return rerun_compare(moment, limit) > 0;
    }
    return others >= limit->ordinal;
}

static bool see_event_of_past(void *context, struct tile *tile, const struct observed *event,
                              const struct rerun_moment *moment, uint64_t others, bool is_present)
{
    struct past *past = context;
    struct seek *seek = &past->seek;
    struct penrose_stop stop;
    struct penrose_chip *chip = past->cluster->chip[rerun_chip_of(moment->place)];
    bool is_wanted = seek->mode == SEEK_MOMENT ? rerun_compare(moment, &seek->moment) == 0
                                               : seek->mode != SEEK_NOTHING && !is_present;
    if (!is_wanted || !meets_goal(past, chip, tile, event, &stop) ||
        (seek->mode == SEEK_NOTES && is_late(seek, moment, others))) {
        return false;
    }
    if (seek->mode != SEEK_MOMENT && seek->goal.accepts &&
        !seek->goal.accepts(seek->goal.context, chip, &stop)) {
        return false;
    }
    if (seek->mode == SEEK_NOTES) {
        note_hit(seek, moment);
        return false;
    }
    if (seek->mode == SEEK_STOPS && seek->left > 1) {
        seek->left--;
        return false;
    }
    keep_stop(past, &stop, moment);
    return true;
}

/* The kinds of events that may meet a goal. */
static unsigned kinds_of(const struct penrose_goal *goal)
{
    unsigned kinds = goal->kind == PENROSE_GOAL_STEP ? 1 << OBSERVED_STARTS : 0;
    for (size_t i = 0; i < goal->points; i++) {
        const struct penrose_point *point = &goal->point[i];
        bool is_watch = point->kind == PENROSE_WATCHPOINT;
        kinds |= is_watch ? 0 : 1 << OBSERVED_STARTS;
        kinds |= is_watch && point->reads ? 1 << OBSERVED_READ : 0;
        kinds |= is_watch && point->writes ? 1 << OBSERVED_WRITTEN : 0;
    }
    return kinds;
}

/* --- Forward --- */

/* How many instructions the hart of a step has retired. */
static uint64_t retired_by(const struct penrose_cluster *cluster, const struct penrose_goal *goal)
{
    struct tile *tile;
    bool is_step = goal->kind == PENROSE_GOAL_STEP && chip_tile(cluster->chip[goal->chip], goal->x,
                                                                goal->y, &tile, NULL) == PENROSE_OK;
    return is_step ? tile->hart[goal->hart].retired : UINT64_MAX;
}

enum penrose_status chip_history_forward(struct penrose_history *history, struct penrose_chip *chip,
                                         const struct penrose_goal *goal,
                                         enum penrose_history_end *end, struct penrose_error *error)
{
    struct past *past = chip->past;
    struct seek seek;
    if (!past || past->history != &history->history) {
        return error_set(error, PENROSE_E_ARGUMENT, "the chip is no past of this history");
    }
    enum penrose_status status = begin_seek(&history->history, goal, &seek, error);
    status = status ? status : check_past(past, error);
    if (status != PENROSE_OK) {
        free_seek(&seek);
        return status;
    }
    seek.mode = SEEK_STOPS;
    seek.left = seek.goal.count;
    seek.retired[0] = retired_by(past->cluster, &seek.goal);
    past->seek = seek;
    past->rerun.kinds = kinds_of(&seek.goal);
    past->stops = 0;
    rerun_look_again(&past->rerun);
    enum rerun_end step = RERUN_DONE;
    while (step == RERUN_DONE) {
        step = step_past(past);
    }
    free_seek(&past->seek);
    *end = step == RERUN_STOPPED ? PENROSE_HISTORY_STOP : PENROSE_HISTORY_PRESENT;
    return check_past(past, error);
}

/* --- Back --- */

/* The last snapshot before a moment. */
static size_t snapshot_before(const struct history *history, const struct rerun_moment *moment)
{
    size_t index = history->snapshots - 1;
    for (; index > 0; index--) {
        const struct history_snapshot *snapshot = &history->snapshot[index];
        if (snapshot->at < moment->at ||
            (snapshot->at == moment->at && snapshot->index <= moment->index)) {
            break;
        }
    }
    return index;
}

static bool is_before_step(const struct past *past, const struct rerun_moment *moment)
{
    uint64_t at, index;
    rerun_next(&past->rerun, &at, &index);
    return at < moment->at || (at == moment->at && index < moment->index);
}

/* Notes the hits between a snapshot and seek->limit. */
static enum penrose_status note_hits(struct history *history, size_t index, struct seek *seek,
                                     struct penrose_error *error)
{
    struct past *past;
    enum penrose_status status = make_past(history, index, &past, error);
    if (status != PENROSE_OK) {
        return status;
    }
    seek->mode = SEEK_NOTES;
    seek->hits = 0;
    past->seek = *seek;
    past->rerun.kinds = kinds_of(&seek->goal);
    rerun_look_again(&past->rerun);
    enum rerun_end end = RERUN_DONE;
    bool is_last = false;
    while (end == RERUN_DONE && !is_last) {
        is_last = !is_before_step(past, &seek->limit);
        if (is_last && seek->limit.kinds != 0) {
            past->rerun.other_kinds = seek->limit.kinds;
            rerun_look_again(&past->rerun);
        }
        end = step_past(past);
    }
    status = check_past(past, error);
    *seek = past->seek;
    destroy_past(past);
    return status;
}

/* A snapshot of a past shortly before the hit, where a way was long: the next search will probably
 * be for something near. */
static void keep_near(struct history *history, const struct past *past)
{
    struct history_snapshot made = {.cycle = past->now};
    rerun_next(&past->rerun, &made.at, &made.index);
    if (cluster_snapshot_to_memory(past->cluster, &made.bytes, &made.size, NULL) == PENROSE_OK) {
        if (insert_snapshot(history, &made)) {
            keep_budget(history);
        } else {
            free(made.bytes);
        }
    }
}

/* Is it so long that a snapshot pays? */
static bool is_long_way(const struct history *history, size_t index, const struct past *past)
{
    uint64_t cycles = past->now - history->snapshot[index].cycle;
    return cycles > LONG_WAY && cycles * NANOSECONDS > history->cost;
}

/* Makes a past at seek->moment, which was noted after the same snapshot. */
static enum penrose_status go_to_hit(struct history *history, size_t index, struct seek *seek,
                                     struct past **result, struct penrose_error *error)
{
    struct past *past;
    enum penrose_status status = make_past(history, index, &past, error);
    if (status != PENROSE_OK) {
        return status;
    }
    seek->mode = SEEK_MOMENT;
    seek->is_there = false;
    past->seek = *seek;
    enum rerun_end end = RERUN_DONE;
    while (end == RERUN_DONE) {
        past->seek.is_there = !is_before_step(past, &seek->moment);
        if (past->seek.is_there && past->rerun.marks == 0 && is_long_way(history, index, past)) {
            keep_near(history, past);
        }
        if (past->seek.is_there) {
            past->rerun.kinds = seek->moment.kinds;
            rerun_look_again(&past->rerun);
        }
        end = step_past(past);
    }
    past->seek = (struct seek){.mode = SEEK_NOTHING};
    status = check_past(past, error);
    if (status == PENROSE_OK && end != RERUN_STOPPED) {
        status = error_set(error, PENROSE_E_STATE, "a hit was not found again");
    }
    if (status != PENROSE_OK) {
        destroy_past(past);
        return status;
    }
    *result = past;
    return PENROSE_OK;
}

/* From a moment back to a hit; *result is a past there, or at the beginning. */
static enum penrose_status search_back(struct history *history, struct seek *seek,
                                       struct past **result, enum penrose_history_end *end,
                                       struct penrose_error *error)
{
    size_t index = snapshot_before(history, &seek->limit);
    uint64_t wanted = seek->goal.count;
    seek->hit = calloc(seek->goal.count, sizeof *seek->hit);
    if (!seek->hit) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a search");
    }
    for (;; index--) {
        enum penrose_status status = note_hits(history, index, seek, error);
        if (status != PENROSE_OK) {
            return status;
        }
        if (seek->hits >= wanted) {
            seek->moment = seek->hit[(seek->hits - wanted) % seek->goal.count];
            *end = PENROSE_HISTORY_STOP;
            return go_to_hit(history, index, seek, result, error);
        }
        wanted -= seek->hits;
        if (index == 0) {
            *end = PENROSE_HISTORY_BEGIN;
            return make_past(history, 0, result, error);
        }
        seek->limit = (struct rerun_moment){.at = history->snapshot[index].at,
                                            .index = history->snapshot[index].index};
        seek->retired[0] = UINT64_MAX;
    }
}

enum penrose_status chip_history_back(struct penrose_history *result, struct penrose_chip **chip,
                                      const struct penrose_goal *goal,
                                      enum penrose_history_end *end, struct penrose_error *error)
{
    struct history *history = &result->history;
    const struct past *from = *chip ? (*chip)->past : NULL;
    struct past *made = NULL;
    struct seek seek;
    if (*chip && (!from || from->history != history)) {
        return error_set(error, PENROSE_E_ARGUMENT, "the chip is no past of this history");
    }
    enum penrose_status status = begin_seek(history, goal, &seek, error);
    status = status == PENROSE_OK && from ? check_past(from, error) : status;
    if (status == PENROSE_OK) {
        seek.limit =
            from ? from->moment : (struct rerun_moment){.at = UINT64_MAX, .place = RERUN_ALL};
        seek.retired[1] = retired_by(from ? from->cluster : history->cluster, &seek.goal);
        status = search_back(history, &seek, &made, end, error);
    }
    free_seek(&seek);
    if (status == PENROSE_OK) {
        if (from) {
            destroy_past(from);
        }
        *chip = chip_of_past(made);
    }
    return status;
}

enum penrose_status chip_history_last_writer(struct penrose_history *history,
                                             struct penrose_chip **past, unsigned x, unsigned y,
                                             enum penrose_hart hart, uint32_t address,
                                             uint32_t bytes, struct penrose_stop *stop,
                                             enum penrose_history_end *end,
                                             struct penrose_error *error)
{
    struct tile *tile;
    const unsigned number = (*past ? *past : history->history.chip)->head.number;
    enum penrose_status status =
        chip_tile(history->history.cluster->chip[number], x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    const struct penrose_point point = {.size = sizeof point,
                                        .kind = PENROSE_WATCHPOINT,
                                        .chip = number,
                                        .x = x,
                                        .y = y,
                                        .hart = hart,
                                        .address = address,
                                        .bytes = bytes,
                                        .writes = true,
                                        .gddr = tile->kind->type == TILE_DRAM &&
                                                hart == PENROSE_NO_HART};
    const struct penrose_goal goal = {
        .size = sizeof goal, .kind = PENROSE_GOAL_POINTS, .point = &point, .points = 1};
    status = chip_history_back(history, past, &goal, end, error);
    if (status == PENROSE_OK && *end == PENROSE_HISTORY_STOP) {
        chip_history_stop_get(*past, 0, stop);
    }
    return status;
}
