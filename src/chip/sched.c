/*
 * The scheduler: windows in which every unit runs by itself, on as many host threads as there are.
 *
 * While several units are awake, a window ends at the next multiple of chip->window cycles, which
 * is also the least time that a packet takes. While only one tile is awake and no packet is under
 * way, windows grow, because nothing else can happen. The run of such a tile ends when it sends
 * something. Units that sleep are not visited.
 *
 * Threads may run units in any order, because units exchange packets only between windows, in
 * canonical order. Windows may also end anywhere, for example where a host wants it, as long as a
 * packet arrives after the window in which it leaves.
 */
#include <penrose/debug.h>

#include "chip/chip.h"
#include <string.h>

#include "chip/gddr.h"

enum { MOST_WINDOW_CYCLES = 65536, UNITS_PER_THREAD = 2 };

uint64_t chip_now(const struct penrose_chip *chip)
{
    return chip->now;
}

static uint64_t last_of_hart(const struct tile_hart *run)
{
    return run->state == HART_HELD ? 0 : run->state == HART_ASLEEP ? run->idle.since : run->time;
}

uint64_t chip_last_activity(const struct penrose_chip *chip)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        const struct tile *tile = chip->place[i].tile;
        for (unsigned core = 0; tile && core < RV32_CORES; core++) {
            uint64_t time = last_of_hart(&tile->run[core]);
            last = time > last ? time : last;
        }
    }
    return last;
}

/* --- Units --- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t round_up_cycles(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static void note_bank(struct chip_unit *unit)
{
    struct dram_bank *bank = unit->bank;
    unit->next = bank->inbox.earliest;
    if (bank->due.earliest != UINT64_MAX) {
        unit->next = earlier(unit->next, dram_next_grid(bank, bank->due.earliest));
    }
    unit->now = 0;
    unit->stopped = unit->paused = false;
    for (unsigned i = 0; i < DRAM_PORTS; i++) {
        struct tile *tile = bank->port[i].tile;
        if (tile) {
            unit->next = earlier(unit->next, tile_next_event(tile));
            unit->stopped |= tile->halt == TILE_FAULTED;
            unit->paused |= tile->halt == TILE_PAUSED;
        }
    }
}

static void note(struct chip_unit *unit)
{
    if (unit->bank) {
        note_bank(unit);
        return;
    }
    unit->now = unit->tile->now;
    unit->next = tile_next_event(unit->tile);
    unit->stopped = unit->tile->halt == TILE_FAULTED;
    unit->paused = unit->tile->halt == TILE_PAUSED;
}

static bool has_sent(const struct tile *tile)
{
    return tile && (tile->sent.head || tile->frames_sent);
}

/* Did somebody from outside make the unit send? It must run for that to leave. */
static bool unit_has_sent(const struct chip_unit *unit)
{
    bool sent = has_sent(unit->tile);
    for (unsigned i = 0; unit->bank && i < DRAM_PORTS; i++) {
        sent |= has_sent(unit->bank->port[i].tile);
    }
    return sent;
}

/* Packets and harts of a bank's tiles take turns, round by round. */
static void run_bank(struct penrose_chip *chip, struct dram_bank *bank)
{
    uint64_t quantum = chip->options.quantum, end = chip->now;
    for (unsigned port = 0; port < DRAM_PORTS; port++) {
        if (bank->port[port].tile) {
            tile_catch_up(bank->port[port].tile, chip->now);
        }
    }
    while (end < chip->window_end) {
        end = earlier((end / quantum + 1) * quantum, chip->window_end);
        dram_serve(bank, end);
        for (unsigned port = 0; port < DRAM_PORTS; port++) {
            if (bank->port[port].tile) {
                tile_run(bank->port[port].tile, end);
            }
        }
    }
}

static void run_unit(struct penrose_chip *chip, struct chip_unit *unit)
{
    if (unit->tile) {
        tile_run(unit->tile, chip->window_end);
    } else {
        run_bank(chip, unit->bank);
    }
    note(unit);
    unit->sends = unit_has_sent(unit) || unit->has_read[0] | unit->has_read[1];
    unit->reports = unit->bank || unit->tile->notes;
}

/* --- Windows --- */

struct awake {
    unsigned units;
    bool any_stopped, any_paused;
    uint64_t next, second; /* the earliest event of any unit, and of any other */
    uint64_t bank;         /* of any bank */
};

static struct awake look_around(struct penrose_chip *chip)
{
    struct awake awake = {.next = UINT64_MAX, .second = chip_edge_next(chip), .bank = UINT64_MAX};
    for (unsigned i = 0; i < chip->units; i++) {
        struct chip_unit *unit = chip->unit[i];
        if (chip->touched || unit->touched) {
            note(unit);
            unit->next = unit_has_sent(unit) ? chip->now : unit->next;
            unit->touched = false;
        }
        uint64_t next = unit->now > chip->now ? unit->now : unit->next;
        awake.units += unit->now > chip->now || next <= chip->now;
        awake.any_stopped |= unit->stopped;
        awake.any_paused |= unit->paused;
        awake.second = earlier(awake.second, next > awake.next ? next : awake.next);
        awake.next = earlier(awake.next, next);
        awake.bank = unit->bank ? earlier(awake.bank, next) : awake.bank;
    }
    awake.next = earlier(awake.next, awake.second); /* the edge may be first */
    chip->touched = false;
    return awake;
}

static bool has_stopped(struct penrose_chip *chip)
{
    struct awake awake = look_around(chip);
    return awake.any_stopped || awake.any_paused;
}

static uint32_t granularity(const struct penrose_chip *chip)
{
    for (unsigned i = 0; i < chip->units; i++) {
        if (chip->unit[i]->tile) {
            return chip->unit[i]->tile->quantum;
        }
    }
    return 1;
}

static void choose_units(struct penrose_chip *chip, uint64_t end)
{
    chip->window_end = end;
    chip->runnable_count = 0;
    for (unsigned i = 0; i < chip->units; i++) {
        struct chip_unit *unit = chip->unit[i];
        if (unit->next < end && unit->now < end) {
            chip->runnable[chip->runnable_count++] = unit;
        }
    }
}

/* Will it take longer than most? */
static bool is_heavy(const struct chip_unit *unit)
{
    return unit->bank || !unit->tile->tensix_idle;
}

/* What takes long comes first in each thread's share, so that threads end together. */
static void choose_turns(struct penrose_chip *chip)
{
    size_t count = 0;
    for (unsigned thread = 0; thread < chip->threads; thread++) {
        size_t first = pool_share(chip->runnable_count, thread, chip->threads);
        size_t end = pool_share(chip->runnable_count, thread + 1, chip->threads);
        for (unsigned heavy = 2; heavy-- > 0;) {
            for (size_t i = first; i < end; i++) {
                if (is_heavy(chip->runnable[i]) == heavy) {
                    chip->turn[count++] = chip->runnable[i];
                }
            }
        }
    }
}

static void run_turn(void *context, size_t i)
{
    struct penrose_chip *chip = context;
    run_unit(chip, chip->turn[i]);
}

/* Few units are not worth waking other threads for. */
static void run_units(struct penrose_chip *chip)
{
    bool is_shared =
        chip->threads > 1 && chip->runnable_count >= UNITS_PER_THREAD && !chip->is_observed;
    chip->shares_time = true; /* in any case, so that reports do not depend on threads */
    if (is_shared) {
        choose_turns(chip);
        rv32_code_store_share(chip->store, true);
        pool_run(chip->pool, chip->runnable_count, run_turn, chip);
        rv32_code_store_share(chip->store, false);
    } else {
        for (size_t i = 0; i < chip->runnable_count; i++) {
            run_unit(chip, chip->runnable[i]);
        }
    }
    chip->shares_time = false;
}

void chip_end_window(struct penrose_chip *chip, uint64_t end)
{
    if (chip->journal) {
        chip->journal->inside++;
    }
    chip->now = end;
    chip_merge_notes(chip);
    chip_exchange(chip, chip->now + chip->window);
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        dram_end_window(&chip->bank[i], chip->now);
    }
    chip->runnable_count = 0;
    if (chip->journal) {
        chip->journal->inside--;
    }
    chip_tell_window(chip);
}

/* Runs every unit that has something to do before `end`; the others catch up with the time when
 * they are next touched (chip_tile). In a long window a unit that is alone may end it early. */
static void run_window(struct penrose_chip *chip, uint64_t end, bool is_long)
{
    uint64_t start = chip->now;
    choose_units(chip, end);
    struct tile *alone = chip->runnable_count == 1 ? chip->runnable[0]->tile : NULL;
    bool stands = false;
    if (alone) {
        alone->returns_early = is_long;
        alone->has_paused &= alone->cut.is_cut; /* in the round that goes on */
    }
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        dram_begin_window(&chip->bank[i], chip->now, end);
    }
    run_units(chip);
    chip->now = end;
    if (alone && alone->returns_early) {
        alone->returns_early = false;
        uint64_t stop =
            alone->halt == TILE_FAULTED ? round_up_cycles(alone->now, chip->window) : alone->now;
        chip->now = earlier(stop, end);
        stands = alone->halt == TILE_PAUSED;
    }
    chip_record_window(chip, start, end);
    /* What it has sent leaves when the round is over, which ends the window. */
    chip->runnable_count = stands ? 0 : chip->runnable_count;
    chip_end_window(chip, chip->now);
}

/* --- Windows that were recorded --- */

void chip_rerun_begin(struct penrose_chip *chip, uint64_t planned, uint64_t actual)
{
    look_around(chip);
    chip->window_end = actual;
    chip->runnable_count = 0;
    for (unsigned i = 0; i < chip->units; i++) { /* one that paused was not cut short */
        struct chip_unit *unit = chip->unit[i];
        uint64_t end = unit->is_held ? planned : actual;
        if (unit->next < end && unit->now < end) {
            chip->runnable[chip->runnable_count++] = unit;
        }
    }
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        dram_begin_window(&chip->bank[i], chip->now, planned);
    }
}

void chip_rerun_units(struct penrose_chip *chip, uint64_t planned, uint64_t actual,
                      bool (*goes_on)(const struct penrose_chip *chip,
                                      const struct chip_unit *unit))
{
    struct chip_unit *unit[CHIP_UNITS];
    size_t count = chip->runnable_count;
    memcpy(unit, chip->runnable, count * sizeof *unit);
    for (unsigned goes_far = 0; goes_far < 2; goes_far++) {
        chip->window_end = goes_far ? planned : actual;
        chip->runnable_count = 0;
        for (size_t i = 0; i < count; i++) {
            if ((planned != actual && goes_on(chip, unit[i])) == goes_far) {
                chip->runnable[chip->runnable_count++] = unit[i];
            }
        }
        run_units(chip);
    }
    memcpy(chip->runnable, unit, count * sizeof *unit);
    chip->runnable_count = count;
    chip->window_end = actual;
}

/* Where a window of at most `window` cycles ends: before anybody else has something to do, unless
 * that is within the least that packets take. What a bank answers leaves at the end of a window, so
 * no window grows while one has something to do. */
static uint64_t choose_end(const struct penrose_chip *chip, const struct awake *awake,
                           uint64_t window, uint64_t quantum)
{
    uint64_t least = (chip->now / chip->window + 1) * chip->window;
    uint64_t end = chip->now + window;
    if (awake->units == 0 && awake->next > end) { /* nothing happens until then */
        return awake->next / quantum * quantum;
    }
    end = earlier(end, earlier(awake->second, awake->bank)) / chip->window * chip->window;
    return end > least ? end : least;
}

/* --- Pauses --- */

/* What an observer has stopped goes on, and comes to where the others are before any of those does:
 * so what it sends arrives when it would have. */
void chip_go_on(struct penrose_chip *chip)
{
    if (!chip->is_paused || look_around(chip).any_stopped) {
        return;
    }
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        if (tile && tile->halt == TILE_PAUSED) {
            tile_go_on(tile);
            chip->touched = true;
        }
    }
    chip->is_paused = false;
    if (JOURNAL_BEGIN(chip->journal, JOURNAL_GO_ON, NULL, 0, 0)) {
        chip->journal->paused_at = UINT64_MAX;
        journal_done(chip->journal, true, PENROSE_OK);
    }
    (void)chip_look_again(chip, NULL); /* a step is over, a point that stops once has gone */
    look_around(chip);
    run_window(chip, chip->now, false);
}

/* How far windows of one unit go depends on what others have to do, and with it in which bursts the
 * agents of its tile take turns. So a window that is cut short by a pause goes on as it was planned. */
static enum penrose_outcome pause_chip(struct penrose_chip *chip, struct chip_cut cut)
{
    chip->is_paused = true;
    chip->cut = cut;
    chip->pauses++;
    return PENROSE_PAUSED;
}

void chip_stop_request(struct penrose_chip *chip)
{
    atomic_store(&chip->stop_is_wanted, true);
}

static enum penrose_outcome run_windows(struct penrose_chip *chip, const struct penrose_run *run)
{
    uint64_t quantum = granularity(chip);
    uint64_t limit = UINT64_MAX / 2 - chip->now;
    uint64_t end = chip->now + (run->cycles < limit ? run->cycles : limit);
    struct chip_cut cut = chip->cut, next = cut;
    next.window = cut.window ? cut.window : chip->window;
    chip->cut = (struct chip_cut){.end = 0};
    end = run->exactly ? end : round_up_cycles(end, quantum);
    chip_go_on(chip);
    while (chip->now < end) {
        struct awake awake = look_around(chip);
        if (awake.any_stopped) {
            return PENROSE_FAULT;
        }
        if (awake.any_paused || atomic_exchange(&chip->stop_is_wanted, false)) {
            next.end = awake.any_paused ? next.end : cut.end; /* the latest window is over */
            return pause_chip(chip, next);
        }
        if (awake.next == UINT64_MAX && !run->pass_quiet_time) {
            return PENROSE_QUIET;
        }
        bool goes_on = cut.end > chip->now;
        if (!goes_on) {
            uint64_t window = awake.units > 1 ? chip->window : next.window;
            next.end = choose_end(chip, &awake, window, quantum);
            next.window = awake.units <= 1 && window < MOST_WINDOW_CYCLES ? window * 2 : window;
        }
        next.end = earlier(next.end, end);
        run_window(chip, next.end, goes_on || next.end - chip->now > chip->window);
        cut.end = 0;
        if (chip->after_window) {
            chip->after_window(chip->history);
        }
        if (run->until && !has_stopped(chip) && run->until(chip, run->context)) {
            return PENROSE_CONDITION;
        }
    }
    struct awake awake = look_around(chip);
    bool is_quiet = awake.next == UINT64_MAX && !run->pass_quiet_time;
    if (awake.any_paused && !awake.any_stopped) {
        return pause_chip(chip, next);
    }
    return awake.any_stopped ? PENROSE_FAULT : is_quiet ? PENROSE_QUIET : PENROSE_CYCLES;
}

enum penrose_outcome chip_run(struct penrose_chip *chip, const struct penrose_run *run)
{
    enum penrose_outcome outcome = run_windows(chip, run);
    if (chip->journal) {
        bool is_entry =
            JOURNAL_BEGIN(chip->journal, JOURNAL_RAN, NULL, 0, (uint64_t)outcome, chip->now);
        (void)journal_done(chip->journal, is_entry, PENROSE_OK);
        journal_file_some(chip->journal);
    }
    return outcome;
}
