/*
 * The scheduler of a chip: what its cluster asks it window by window (chip/calls.h), and windows that
 * were recorded. Units that sleep are not visited. Threads may run units in any order, because units
 * exchange packets only between windows, in canonical order.
 */
#include <penrose/debug.h>

#include "chip/chip.h"
#include <string.h>

#include "chip/gddr.h"
#include "chip/links.h"

uint64_t chip_now(const struct penrose_chip *chip)
{
    return chip->head.time.now;
}

bool chip_is_running(const struct penrose_chip *chip)
{
    return chip->runnable_count > 0;
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
    uint64_t quantum = chip->options.quantum, end = chip->head.time.now;
    for (unsigned port = 0; port < DRAM_PORTS; port++) {
        if (bank->port[port].tile) {
            tile_catch_up(bank->port[port].tile, chip->head.time.now);
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

static void note_again(struct penrose_chip *chip, struct chip_unit *unit)
{
    note(unit);
    unit->next = unit_has_sent(unit) ? chip->head.time.now : unit->next;
    unit->touched = false;
}

static void add_event(struct chip_awake *awake, uint64_t next)
{
    awake->second = earlier(awake->second, next > awake->next ? next : awake->next);
    awake->next = earlier(awake->next, next);
}

static struct chip_awake look_at_units(struct penrose_chip *chip)
{
    const uint64_t now = chip->head.time.now;
    struct chip_awake awake = CHIP_NOBODY_AWAKE;
    for (unsigned i = 0; i < chip->units; i++) {
        struct chip_unit *unit = chip->unit[i];
        if (chip->touched || unit->touched) {
            note_again(chip, unit);
        }
        uint64_t next = unit->now > now ? unit->now : unit->next;
        awake.units += unit->now > now || next <= now;
        awake.any_stopped |= unit->stopped;
        awake.any_paused |= unit->paused;
        awake.bank = unit->bank ? earlier(awake.bank, next) : awake.bank;
        add_event(&awake, next);
    }
    awake.second = earlier(awake.second, earlier(chip->edge.earliest, chip_links_next(chip)));
    awake.next = earlier(awake.next, awake.second); /* the edge may be first */
    return awake;
}

/* Does a bank wait for the end of a window to be quiet again? */
static bool is_any_bank_loud(const struct penrose_chip *chip)
{
    bool is = false;
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        is |= chip->bank[i].loud_until != 0;
    }
    return is;
}

/* Units are looked at again only when one of them has something to do, or was touched: a chip that
 * sleeps costs as good as nothing, even if something will wake it. */
void chip_look_around(struct penrose_chip *chip, struct chip_awake *awake)
{
    struct chip_awake *own = &chip->awake;
    if (chip->touched || chip->any_touched || chip->idle_until <= chip->head.time.now) {
        *own = look_at_units(chip);
        bool sleeps =
            own->units == 0 && !own->any_stopped && !own->any_paused && !is_any_bank_loud(chip);
        chip->idle_until = sleeps ? earlier(own->next, chip_links_due(chip)) : 0;
        chip->touched = chip->any_touched = false;
    }
    awake->units += own->units;
    awake->any_stopped |= own->any_stopped;
    awake->any_paused |= own->any_paused;
    awake->bank = earlier(awake->bank, own->bank);
    add_event(awake, own->next);
    add_event(awake, own->second);
}

uint32_t chip_granularity(const struct penrose_chip *chip)
{
    for (unsigned i = 0; i < chip->units; i++) {
        if (chip->unit[i]->tile) {
            return chip->unit[i]->tile->quantum;
        }
    }
    return 1;
}

/* A chip that sleeps to the end of a window stays out of it, unless somebody looks. */
static bool takes_part(const struct penrose_chip *chip, uint64_t end)
{
    return chip->idle_until < end || chip->observers;
}

/* Chooses the units that have something to do in a window that was to end at `planned` and ends at
 * `actual`. One that paused in a window that is run again was not cut short. */
static void choose_units(struct penrose_chip *chip, uint64_t planned, uint64_t actual)
{
    chip->window_end = actual;
    chip->runnable_count = 0;
    for (unsigned i = 0; i < chip->units; i++) {
        struct chip_unit *unit = chip->unit[i];
        uint64_t end = unit->is_held ? planned : actual;
        if (unit->next < end && unit->now < end) {
            chip->runnable[chip->runnable_count++] = unit;
        }
    }
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        dram_begin_window(&chip->bank[i], chip->head.time.now, planned);
    }
}

static void run_turn(void *owner, void *unit)
{
    run_unit(owner, unit);
}

/* Will it take longer than most? A bank may have packets of many tiles. */
static bool is_heavy(const struct chip_unit *unit)
{
    return unit->bank || !unit->tile->tensix_idle;
}

/* The turns of what is to run. What units report meanwhile goes to their notes, so that reports do
 * not depend on threads. */
static size_t begin_turns(struct penrose_chip *chip, struct pool_turn *turn)
{
    for (size_t i = 0; i < chip->runnable_count; i++) {
        struct chip_unit *unit = chip->runnable[i];
        turn[i] = (struct pool_turn){.run = run_turn,
                                     .owner = chip,
                                     .unit = unit,
                                     .is_heavy = is_heavy(unit),
                                     .is_shared = !unit->bank};
    }
    chip->shares_time = true;
    rv32_code_store_share(chip->store, pool_threads(chip->head.pool) > 1);
    return chip->runnable_count;
}

static void end_turns(struct penrose_chip *chip)
{
    rv32_code_store_share(chip->store, false);
    chip->shares_time = false;
}

size_t chip_window_open(struct penrose_chip *chip, uint64_t end, struct pool_turn *turn)
{
    chip->takes_part = takes_part(chip, end);
    if (!chip->takes_part) {
        chip->runnable_count = 0;
        return 0;
    }
    choose_units(chip, end, end);
    return begin_turns(chip, turn);
}

void chip_window_alone(struct penrose_chip *chip, bool is_long)
{
    struct tile *alone = chip->runnable[0]->tile;
    if (alone) {
        alone->returns_early = is_long;
        alone->has_paused &= alone->cut.is_cut; /* in the round that goes on */
    }
}

uint64_t chip_window_stop(struct penrose_chip *chip, uint64_t planned)
{
    struct tile *alone = chip->runnable[0]->tile;
    if (!alone || !alone->returns_early) {
        return planned;
    }
    alone->returns_early = false;
    chip->stands = alone->halt == TILE_PAUSED;
    uint64_t stop =
        alone->halt == TILE_FAULTED ? round_up_cycles(alone->now, chip->head.window) : alone->now;
    return earlier(stop, planned);
}

void chip_window_ran(struct penrose_chip *chip)
{
    if (!chip->takes_part) {
        return;
    }
    end_turns(chip);
    chip_record_pauses(chip);
    /* What it has sent leaves when the round is over, which ends the window. */
    chip->runnable_count = chip->stands ? 0 : chip->runnable_count;
    chip->stands = false;
}

void chip_end_window(struct penrose_chip *chip, uint64_t end)
{
    chip->head.time.now = end;
    if (chip->head.journal) {
        chip->head.journal->inside++;
    }
    chip_merge_notes(chip);
    chip_exchange(chip, chip->head.time.now + chip->head.window);
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        dram_end_window(&chip->bank[i], chip->head.time.now);
    }
    chip->runnable_count = 0;
    if (chip->head.journal) {
        chip->head.journal->inside--;
    }
    chip_tell_window(chip);
}

void chip_window_close(struct penrose_chip *chip)
{
    if (!chip->takes_part) {
        return;
    }
    chip_end_window(chip, chip->head.time.now);
}

/* --- Windows that were recorded --- */

void chip_rerun_begin(struct penrose_chip *chip, uint64_t planned, uint64_t actual)
{
    struct chip_awake awake = CHIP_NOBODY_AWAKE;
    chip_look_around(chip, &awake);
    choose_units(chip, planned, actual);
}

void chip_rerun_units(struct penrose_chip *chip, uint64_t planned, uint64_t actual,
                      bool (*goes_on)(const struct penrose_chip *chip,
                                      const struct chip_unit *unit))
{
    struct chip_unit *unit[CHIP_UNITS];
    struct pool_turn turn[CHIP_UNITS];
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
        pool_run_turns(chip->head.pool, turn, begin_turns(chip, turn), chip->head.is_observed);
        end_turns(chip);
    }
    memcpy(chip->runnable, unit, count * sizeof *unit);
    chip->runnable_count = count;
    chip->window_end = actual;
}

/* --- Pauses --- */

void chip_go_on(struct penrose_chip *chip)
{
    chip->head.time.is_paused = false;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        if (tile && tile->halt == TILE_PAUSED) {
            tile_go_on(tile);
            chip->touched = true;
        }
    }
    (void)chip_look_again(chip, NULL); /* a step is over, a point that stops once has gone */
}
