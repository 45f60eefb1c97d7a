/*
 * Time: windows in which every unit of every chip runs by itself, on as many host threads as there
 * are.
 *
 * While several units are awake, a window ends at the next multiple of `window` cycles, which is
 * also the least time that a packet or a frame takes. While only one tile is awake and nothing is
 * under way, windows grow, because nothing else can happen. The run of such a tile ends when it
 * sends something.
 *
 * Windows may also end anywhere, for example where a host wants it, as long as a packet arrives
 * after the window in which it leaves.
 */
#include "cluster/cluster.h"

enum { MOST_WINDOW_CYCLES = 65536 };

static uint64_t earlier_end(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static const struct chip_calls *calls_of(const struct penrose_chip *chip)
{
    return chip_head(chip)->calls;
}

/* Cycles of a window in which several units are awake. */
static uint64_t usual_window(const struct penrose_cluster *cluster)
{
    return chip_head(cluster->chip[0])->window;
}

static struct chip_awake look_at_all(const struct penrose_cluster *cluster)
{
    struct chip_awake awake = CHIP_NOBODY_AWAKE;
    for (unsigned i = 0; i < cluster->chips; i++) {
        calls_of(cluster->chip[i])->look_around(cluster->chip[i], &awake);
    }
    return awake;
}

/* A run ends at a multiple of this. */
static uint32_t granularity(const struct penrose_cluster *cluster)
{
    uint32_t most = 1;
    for (unsigned i = 0; i < cluster->chips; i++) {
        uint32_t own = calls_of(cluster->chip[i])->granularity(cluster->chip[i]);
        most = own > most ? own : most;
    }
    return most;
}

/* --- Windows --- */

/* Starts the window on all chips that have anything to do in it; *turns units are to run. The chip
 * whose unit is the only one. */
static struct penrose_chip *open_window(const struct penrose_cluster *cluster, uint64_t end,
                                        size_t *turns)
{
    struct penrose_chip *alone = NULL;
    *turns = 0;
    for (unsigned i = 0; i < cluster->chips; i++) {
        struct penrose_chip *chip = cluster->chip[i];
        size_t count = calls_of(chip)->window_open(chip, end, cluster->turn + *turns);
        alone = count == 1 && *turns == 0 ? chip : count > 0 ? NULL : alone;
        *turns += count;
    }
    return alone;
}

static void tell_time(const struct penrose_cluster *cluster)
{
    for (unsigned i = 0; i < cluster->chips; i++) {
        chip_head(cluster->chip[i])->time = cluster->time;
    }
}

/* Where a window ended; pauses in it come before. */
static void record_window(struct penrose_cluster *cluster, uint64_t planned, uint64_t end)
{
    struct journal *journal = cluster->journal;
    uint64_t start = cluster->time.now;
    if (!journal || journal->inside > 0) {
        return;
    }
    if (end == planned) {
        journal_add_window(journal, planned - start);
    } else {
        JOURNAL_ADD(journal, 0, JOURNAL_EARLY, NULL, 0, planned - start, end - start);
    }
}

/* Packets and frames of a chip are handed over when the time of all chips is that of the end. */
static void close_window(struct penrose_cluster *cluster, uint64_t planned, uint64_t end)
{
    for (unsigned i = 0; i < cluster->chips; i++) {
        calls_of(cluster->chip[i])->window_ran(cluster->chip[i]);
    }
    record_window(cluster, planned, end);
    cluster->time.now = end;
    tell_time(cluster);
    for (unsigned i = 0; i < cluster->chips; i++) {
        calls_of(cluster->chip[i])->window_close(cluster->chip[i]);
    }
    if (cluster->after_window) {
        cluster->after_window(cluster->after_context);
    }
}

static bool is_observed(const struct penrose_cluster *cluster)
{
    for (unsigned i = 0; i < cluster->chips; i++) {
        if (chip_head(cluster->chip[i])->is_observed) {
            return true;
        }
    }
    return false;
}

/* Runs every unit that has something to do before `end`. The others catch up with the time when they
 * are next touched. In a long window a unit that is alone may end it early. */
static void run_window(struct penrose_cluster *cluster, uint64_t end, bool is_long)
{
    size_t turns;
    struct penrose_chip *alone = open_window(cluster, end, &turns);
    uint64_t actual = end;
    if (alone) {
        calls_of(alone)->window_alone(alone, is_long);
    }
    pool_run_turns(cluster->pool, cluster->turn, turns, is_observed(cluster));
    if (alone) {
        actual = calls_of(alone)->window_stop(alone, end);
    }
    close_window(cluster, end, actual);
}

/* Where a window of at most `window` cycles ends: before anybody else has something to do, unless
 * that is within the least that packets take. What a bank answers leaves at the end of a window, so
 * no window grows while one has something to do. */
static uint64_t choose_end(const struct penrose_cluster *cluster, const struct chip_awake *awake,
                           uint64_t window, uint64_t quantum)
{
    uint64_t now = cluster->time.now, usual = usual_window(cluster);
    uint64_t least = (now / usual + 1) * usual;
    uint64_t end = now + window;
    if (awake->units == 0 && awake->next > end) { /* nothing happens until then */
        return awake->next / quantum * quantum;
    }
    end = earlier_end(end, earlier_end(awake->second, awake->bank)) / usual * usual;
    return end > least ? end : least;
}

/* --- Pauses --- */

/* What an observer has stopped goes on, and comes to where the others are before any of those does:
 * so what it sends arrives when it would have. */
static void go_on(struct penrose_cluster *cluster)
{
    if (!cluster->time.is_paused || look_at_all(cluster).any_stopped) {
        return;
    }
    cluster->time.is_paused = false;
    for (unsigned i = 0; i < cluster->chips; i++) {
        calls_of(cluster->chip[i])->go_on(cluster->chip[i]);
    }
    if (JOURNAL_BEGIN(cluster->journal, 0, JOURNAL_GO_ON, NULL, 0, 0)) {
        cluster->journal->paused_at = UINT64_MAX;
        journal_done(cluster->journal, true, PENROSE_OK);
    }
    look_at_all(cluster);
    run_window(cluster, cluster->time.now, false);
}

/* How far windows of one unit go depends on what others have to do, and with it in which bursts the
 * agents of its tile take turns. So a window that is cut short by a pause goes on as it was planned. */
static enum penrose_outcome pause_all(struct penrose_cluster *cluster, struct chip_cut cut)
{
    cluster->time.is_paused = true;
    cluster->time.cut = cut;
    cluster->pauses++;
    return PENROSE_PAUSED;
}

/* --- Runs --- */

static enum penrose_outcome run_windows(struct penrose_cluster *cluster, struct penrose_chip *chip,
                                        const struct penrose_run *run)
{
    const uint64_t quantum = granularity(cluster), usual = usual_window(cluster);
    uint64_t limit = UINT64_MAX / 2 - cluster->time.now;
    uint64_t end = cluster->time.now + earlier_end(run->cycles, limit);
    struct chip_cut cut = cluster->time.cut, next = cut;
    next.window = cut.window ? cut.window : usual;
    cluster->time.cut = (struct chip_cut){.end = 0};
    end = run->exactly ? end : (end + quantum - 1) / quantum * quantum;
    go_on(cluster);
    while (cluster->time.now < end) {
        struct chip_awake awake = look_at_all(cluster);
        if (awake.any_stopped) {
            return PENROSE_FAULT;
        }
        if (awake.any_paused || atomic_exchange(&cluster->stop_is_wanted, false)) {
            next.end = awake.any_paused ? next.end : cut.end; /* the latest window is over */
            return pause_all(cluster, next);
        }
        if (awake.next == UINT64_MAX && !run->pass_quiet_time) {
            return PENROSE_QUIET;
        }
        bool goes_on = cut.end > cluster->time.now;
        if (!goes_on) {
            uint64_t window = awake.units > 1 ? usual : next.window;
            next.end = choose_end(cluster, &awake, window, quantum);
            next.window = awake.units <= 1 && window < MOST_WINDOW_CYCLES ? window * 2 : window;
        }
        next.end = earlier_end(next.end, end);
        run_window(cluster, next.end, goes_on || next.end - cluster->time.now > usual);
        cut.end = 0;
        if (run->until) {
            awake = look_at_all(cluster);
            bool has_stopped = awake.any_stopped || awake.any_paused;
            if (!has_stopped && run->until(chip, run->context)) {
                return PENROSE_CONDITION;
            }
        }
    }
    struct chip_awake awake = look_at_all(cluster);
    bool is_quiet = awake.next == UINT64_MAX && !run->pass_quiet_time;
    if (awake.any_paused && !awake.any_stopped) {
        return pause_all(cluster, next);
    }
    return awake.any_stopped ? PENROSE_FAULT : is_quiet ? PENROSE_QUIET : PENROSE_CYCLES;
}

void cluster_stop(struct penrose_cluster *cluster)
{
    atomic_store(&cluster->stop_is_wanted, true);
}

enum penrose_outcome cluster_run(struct penrose_cluster *cluster, struct penrose_chip *chip,
                                 const struct penrose_run *run)
{
    enum penrose_outcome outcome = run_windows(cluster, chip, run);
    struct journal *journal = cluster->journal;
    tell_time(cluster);
    if (journal) {
        bool is_entry =
            JOURNAL_BEGIN(journal, 0, JOURNAL_RAN, NULL, 0, (uint64_t)outcome, cluster->time.now);
        (void)journal_done(journal, is_entry, PENROSE_OK);
        journal_file_some(journal);
    }
    return outcome;
}
