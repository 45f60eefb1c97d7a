/* Time in a tile: rounds, turns, waiting, sleeping. See tile.h for the rules. */
#include <string.h>

#include "tile/eth_window.h"
#include "tile/fault.h"
#include "tile/noc_arrive.h"
#include "tile/overlay_port.h"
#include "tile/tell.h"
#include "tile/tensix_port.h"
#include "tile/tile.h"
#include "tile/weak.h"

/* A hart that runs alone is interrupted this often to see whether it waits in a loop. The first
 * searches after it was woken come soon, and end after few steps: mostly it waits again in a
 * moment. */
enum { SOLO_CYCLES = 16384, PROBE_INTERVAL = 16, FEW_STEPS = 24 };

/* --- What stops a hart --- */

static void hart_faulted(struct tile *tile, enum rv32_core core)
{
    struct rv32_hart *hart = &tile->hart[core];
    struct tile_fault fault = {
        .kind = hart->fault.kind,
        .agent = (enum tile_agent)core,
        .cycle = tile->run[core].time,
        .pc = hart->fault.pc,
        .word = hart->fault.word,
        .address = hart->fault.address,
    };
    memcpy(fault.text, hart->fault.detail, sizeof fault.text);
    bool can_skip = hart->fault.kind != PENROSE_FAULT_FETCH;
    if (tile_fault(tile, &fault) == PENROSE_STOP || !can_skip) {
        tile->run[core].state = HART_FAULTED;
        return;
    }
    hart->pc = hart->fault.pc + 4; /* as if it had been a nop */
    tile->run[core].time++;
}

static void after_burst(struct tile *tile, enum rv32_core core)
{
    struct tile_hart *run = &tile->run[core];
    struct rv32_hart *hart = &tile->hart[core];
    if (hart->is_put_off) { /* it has not begun */
        run->time += tile->late[core].hart;
        tile->late[core].hart = 0;
        return;
    }
    if (run->state != HART_READY) {
        return; /* it was reset or paused meanwhile, perhaps by itself */
    }
    switch (hart->stop) {
    case RV32_RUNNING:
        break;
    case RV32_STOP_WAIT:
        if (run->push.is_cut && tile->halt == TILE_PAUSED) {
            break;
        }
        if (hart->access.cycle > run->time) { /* the answer has its time (mailbox.h) */
            run->time = hart->access.cycle;
            break;
        }
        run->state = HART_WAITING;
        run->epoch = tile->epoch;
        tile_tell_hart(tile, core, OBSERVED_WAITS, hart->pc);
        break;
    case RV32_STOP_FAULT:
        hart_faulted(tile, core);
        break;
    case RV32_STOP_PAUSE:
        run->state = HART_PAUSED;
        tile->has_paused = true;
        debug_ebreak(tile, core);
        tile_event(tile, run->time);
        tile_tell_hart(tile, core, OBSERVED_PAUSED, hart->pc - 4);
        break;
    }
}

/* --- Running --- */

static void take_interrupt(struct tile *tile, enum rv32_core core)
{
    uint32_t handler;
    if (pic_listens(&tile->pic, core) && !tile->hart[core].in_handler &&
        !tile->run[core].push.is_cut && pic_take(tile, core, &handler)) {
        rv32_interrupt(&tile->hart[core], handler);
    }
}

static void fall_asleep(struct tile *tile, enum rv32_core core)
{
    struct tile_hart *run = &tile->run[core];
    run->state = HART_ASLEEP;
    run->epoch = tile->epoch;
    run->probe_fails = 0;
    struct tile_span registers = TILE_SPAN_NONE;
    for (unsigned i = 0; i < run->idle.places; i++) {
        const struct rv32_idle_place *place = &run->idle.place[i];
        uint32_t last = place->address + place->size - 1;
        if (place->address < tile->kind->l1_bytes) {
            tile->marks[place->address >> RV32_L1_MARK_SHIFT] |= TILE_MARK_POLLED;
            continue;
        }
        if (place->address - RV32_LOCAL_BASE < TILE_B_LOCAL_BYTES) {
            continue; /* any other write there makes it an event */
        }
        registers.first = place->address < registers.first ? place->address : registers.first;
        registers.last = last > registers.last ? last : registers.last;
    }
    tile_polls(tile, core, registers);
    tile_tell_hart(tile, core, OBSERVED_POLLS, tile->hart[core].pc);
}

/* Looks for a polling loop when it is time to. */
static void probe_hart(struct tile *tile, enum rv32_core core, uint64_t limit)
{
    struct tile_hart *run = &tile->run[core];
    if (run->time < run->probe_at || tile->restless) {
        return;
    }
    if (run->step || tile->keeps_awake || tile_interrupt_pending(tile, core)) {
        run->probe.steps = 0;
        return;
    }
    unsigned most = run->probe_fails <= TILE_PROBES_SOON ? FEW_STEPS : RV32_IDLE_STEPS;
    switch (rv32_idle_search(&tile->hart[core], &run->time, limit, most, &run->probe, &run->idle)) {
    case RV32_PROBE_MORE:
        return;
    case RV32_PROBE_IDLE:
        fall_asleep(tile, core);
        if (run->idle.wake < limit) { /* within this turn, in which nobody else acts */
            tile_wake_at(tile, core, run->idle.wake);
        }
        break;
    case RV32_PROBE_BUSY:
        run->probe_fails += run->probe_fails < TILE_MOST_BACKOFF;
        run->probe_at = run->time + ((uint64_t)PROBE_INTERVAL << run->probe_fails);
        after_burst(tile, core);
        break;
    }
    run->probe.steps = 0;
}

static void run_hart(struct tile *tile, enum rv32_core core, uint64_t limit)
{
    struct tile_hart *run = &tile->run[core];
    tile->running = core;
    tile->turn_end = limit;
    take_interrupt(tile, core);
    probe_hart(tile, core, limit);
    while (run->state == HART_READY && run->time < tile->turn_end && tile->halt == TILE_GOES) {
        take_interrupt(tile, core);
        if (run->step && !run->push.is_cut && debug_before_step(tile, core)) {
            run->state = HART_PAUSED;
            tile_event(tile, run->time);
            break;
        }
        bool is_single = run->step || tile->keeps_awake; /* an instruction at a time */
        bool probes_soon = !is_single && run->probe_fails <= TILE_PROBES_SOON &&
                           run->probe_at > run->time && run->probe_at < tile->turn_end;
        uint64_t due = run->probe_at;
        uint64_t end = is_single ? run->time + 1 : probes_soon ? due : tile->turn_end;
        run->time = rv32_run(&tile->hart[core], run->time, end);
        after_burst(tile, core);
        if ((probes_soon || run->probe_at < due) && run->state == HART_READY) {
            probe_hart(tile, core, tile->turn_end);
        }
    }
    tile->running = RV32_CORES;
}

/* --- Waking --- */

/* A sleeping hart's turn: wakes it at the time at which it would have seen a change. */
static void wake_hart(struct tile *tile, enum rv32_core core, uint64_t limit)
{
    struct tile_hart *run = &tile->run[core];
    bool changed = false;
    if (run->epoch != tile->epoch) {
        run->epoch = tile->epoch;
        changed = tile_interrupt_pending(tile, core) ||
                  !rv32_idle_unchanged(&tile->hart[core], &run->idle);
    }
    if (!changed && run->idle.wake >= limit) {
        return;
    }
    tile_wake_at(tile, core, changed ? tile->round_start : run->idle.wake);
}

/* --- Rounds --- */

static bool hart_turn(struct tile *tile, enum rv32_core core, uint64_t limit, bool first)
{
    struct tile_hart *run = &tile->run[core];
    if (run->state == HART_ASLEEP && first) {
        wake_hart(tile, core, limit);
    } else if (run->state == HART_WAITING && run->epoch != tile->epoch) {
        run->state = HART_READY;
        run->time = tile->event_time > run->time ? tile->event_time : run->time;
        tile_tell_hart(tile, core, OBSERVED_GOES_ON, tile->hart[core].pc);
    }
    const uint64_t before = run->time, retired = tile->hart[core].retired;
    if (run->state != HART_READY || run->time >= limit) {
        return false;
    }
    run_hart(tile, core, limit);
    /* A push that is fused with the one before takes no time. */
    return run->time > before || tile->hart[core].retired > retired;
}

/* The only agent that is awake: a hart, the coprocessor, or neither. */
enum solo { SOLO_COPROCESSOR = RV32_CORES, SOLO_NOBODY };

/* Does a hart sleep that the coprocessor may wake at any time? It would see the change at the start
 * of a round only. A hart that waits for an answer goes on at the time of the event; but two of
 * them would take turns in bursts as long as the round. */
static bool is_awaited(const struct tile *tile)
{
    unsigned waiting = 0;
    for (unsigned core = 0; core < RV32_CORES; core++) {
        if (tile->run[core].state == HART_ASLEEP) {
            return true;
        }
        waiting += tile->run[core].state == HART_WAITING;
    }
    return waiting > 1;
}

static unsigned find_solo(const struct tile *tile, uint64_t round_end)
{
    bool tensix_awake = tile_tensix_next(tile) != UINT64_MAX;
    unsigned solo = tensix_awake ? SOLO_COPROCESSOR : SOLO_NOBODY;
    if (tile->weak || (tensix_awake && tile->quantum == 1)) {
        return SOLO_NOBODY;
    }
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const struct tile_hart *run = &tile->run[core];
        bool is_awake = run->state == HART_READY;
        bool may_wake = (run->state == HART_ASLEEP || run->state == HART_WAITING) &&
                        (run->epoch != tile->epoch ||
                         (run->state == HART_ASLEEP && run->idle.wake < round_end));
        if (may_wake || (is_awake && solo != SOLO_NOBODY)) {
            return SOLO_NOBODY;
        }
        solo = is_awake ? core : solo;
    }
    return solo == SOLO_COPROCESSOR && is_awaited(tile) ? SOLO_NOBODY : solo;
}

static uint64_t earlier_cycle(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The earliest time at which something wakes by itself. */
static uint64_t next_timer(const struct tile *tile)
{
    uint64_t next = earlier_cycle(earlier_cycle(tile_noc_next(tile), tile_eth_next(tile)),
                                  debug_next_event(tile));
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const struct tile_hart *run = &tile->run[core];
        if (run->state == HART_ASLEEP && run->idle.wake < next) {
            next = run->idle.wake;
        }
    }
    return next;
}

/* How far a lone agent may run: to the round in which something else has to act. */
static uint64_t solo_limit(const struct tile *tile, uint64_t round_end, uint64_t until)
{
    uint64_t timer = next_timer(tile);
    uint64_t limit = tile->now + SOLO_CYCLES;
    limit = timer < limit ? tile_round_start(tile, timer) : tile_round_start(tile, limit);
    limit = until < limit ? until : limit;
    return limit > round_end ? limit : round_end;
}

/* One turn of every hart, in order; true when any of them got on. The solo hart may run on to
 * `long_limit`; `limit` is then the end of the round that it reached. What an observer stops stands
 * in `cut`, and goes on from there. */
static bool pass(struct tile *tile, struct tile_cut *cut)
{
    bool progress = false;
    for (; cut->core < RV32_CORES; cut->core++) {
        enum rv32_core core = cut->core;
        bool is_long = cut->first && core == cut->solo && cut->long_limit > cut->limit;
        uint64_t turn_end = is_long ? cut->long_limit : cut->limit;
        bool got_on = hart_turn(tile, core, earlier_cycle(turn_end, cut->turn_end), cut->first);
        uint64_t reached = earlier_cycle(tile->run[core].time, tile->turn_end);
        uint64_t last = tile->halt == TILE_FAULTED ? reached : reached - 1; /* of its cycles */
        progress |= got_on;
        if (is_long && got_on && last >= cut->limit) {
            tile->round_start = tile_round_start(tile, last);
            cut->limit = earlier_cycle(tile->round_start + tile->quantum, cut->long_limit);
        }
        cut->turn_end = tile->halt == TILE_PAUSED ? tile->turn_end : UINT64_MAX;
        if (tile->halt != TILE_GOES) {
            break;
        }
    }
    return progress;
}

/* Runs a pass in random order, with bursts of random length (--schedule random). */
static bool random_pass(struct tile *tile, uint64_t limit, bool first)
{
    bool progress = false;
    unsigned start = tile_weak_choose(tile, RV32_CORES);
    unsigned step = 1 + tile_weak_choose(tile, RV32_CORES - 1);
    for (unsigned i = 0; i < RV32_CORES && tile->halt == TILE_GOES; i++) {
        enum rv32_core core = (enum rv32_core)((start + i * step) % RV32_CORES);
        uint64_t burst = tile_weak_turn(tile, core, tile->quantum);
        uint64_t end = tile->run[core].time + burst;
        bool is_whole = end >= limit || tile->run[core].state == HART_ASLEEP;
        progress |= hart_turn(tile, core, is_whole ? limit : end, first);
        progress |= tile_weak_pending(tile, core);
    }
    return progress;
}

/* Does a tile that is alone awake let others go on, since it has sent something? */
static bool must_return(const struct tile *tile)
{
    return tile->returns_early && (tile->sent.head || tile->frames_sent || tile->has_paused);
}

static struct tile_cut begin_round(struct tile *tile, uint64_t until)
{
    uint64_t limit = tile_round_start(tile, tile->now) + tile->quantum;
    limit = earlier_cycle(earlier_cycle(limit, until), debug_exact_event(tile));
    unsigned solo = must_return(tile) ? SOLO_NOBODY : find_solo(tile, limit);
    uint64_t long_limit = solo == SOLO_NOBODY ? limit : solo_limit(tile, limit, until);
    tile->round_start = tile->now;
    return (struct tile_cut){.first = true,
                             .solo = solo,
                             .limit = solo == SOLO_COPROCESSOR ? long_limit : limit,
                             .long_limit = long_limit,
                             .turn_end = UINT64_MAX};
}

static void run_round(struct tile *tile, struct tile_cut cut)
{
    bool again;
    do {
        cut.progress |= tile->weak ? random_pass(tile, cut.limit, cut.first) : pass(tile, &cut);
        cut.progress |= tile->halt == TILE_GOES && tile_tensix_turn(tile, cut.limit);
        if (tile->halt == TILE_PAUSED) {
            tile->cut = cut;
            tile->cut.is_cut = true;
            return;
        }
        again = cut.progress;
        cut.core = RV32_B;
        cut.first = cut.progress = false;
    } while (again && tile->halt == TILE_GOES);
    tile->now = cut.limit;
}

void tile_go_on(struct tile *tile)
{
    tile->halt = TILE_GOES;
    if (tile->tensix.stopped == TENSIX_PAUSED) {
        tile->tensix.stopped = TENSIX_GOES;
    }
}

uint64_t tile_next_event(struct tile *tile)
{
    if (tile->cut.is_cut) {
        return tile->now;
    }
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const struct tile_hart *run = &tile->run[core];
        bool waits = run->state == HART_ASLEEP || run->state == HART_WAITING;
        if (run->state == HART_READY || (waits && run->epoch != tile->epoch)) {
            return tile->now;
        }
    }
    if (tile_overlay_is_due(tile)) {
        return tile->now;
    }
    uint64_t tensix = tile_tensix_next(tile);
    return tensix <= tile->now ? tile->now : earlier_cycle(tensix, next_timer(tile));
}

/* What comes before the turns of a round: time in which nothing happens, devices, arrivals. False
 * when nothing happens until `until`. */
static bool prepare_round(struct tile *tile, uint64_t until)
{
    uint64_t next = tile_next_event(tile);
    if (next > tile->now) {
        uint64_t skip = tile_round_start(tile, next);
        tile->now = skip < tile->now ? tile->now : skip < until ? skip : until;
        if (tile->now == until) {
            return false;
        }
    }
    if (debug_next_event(tile) < tile->now + tile->quantum) {
        debug_run(tile, tile->now);
    }
    uint64_t round_end = tile_round_start(tile, tile->now) + tile->quantum;
    tile_noc_arrivals(tile, round_end);
    if (tile_overlay_is_due(tile)) {
        tile_overlay_run(tile, tile->now);
    }
    tile_eth_run(tile, round_end);
    return true;
}

void tile_run(struct tile *tile, uint64_t until)
{
    while (tile->now < until && tile->halt == TILE_GOES) {
        struct tile_cut cut = tile->cut;
        tile->cut = (struct tile_cut){.is_cut = false};
        if (!cut.is_cut && !prepare_round(tile, until)) {
            return;
        }
        run_round(tile, cut.is_cut ? cut : begin_round(tile, until));
        if (must_return(tile)) {
            return;
        }
    }
}

void tile_catch_up(struct tile *tile, uint64_t now)
{
    if (tile->now < now && tile_next_event(tile) >= now) {
        tile_run(tile, now);
    }
}
