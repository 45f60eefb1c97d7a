/* The coprocessor in its tile: see tensix_port.h. */
#include "tile/tensix_port.h"

#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "isa/shortcuts.h"
#include "tensix/frontend/issue_fast.h"
#include "tile/debug_internal.h"
#include "tile/fault.h"
#include "tile/pages.h"
#include "tile/tell.h"
#include "tile/weak.h"

/* How far a thread runs ahead of the hart that pushed: about what the queues hold. */
enum { RUN_AHEAD = TENSIX_FIFO_DEPTH };

/* --- What the coprocessor reaches --- */

/* SPEC: BabyRISCV README, the coprocessor sees the map as the NoC does; ManualTTSync and LOADREG
 * add TDMA-RISC, here as B reaches it (a TRISC's access would wait for Auto TTSync). */
static enum tile_agent agent_for(uint32_t address)
{
    return address >= AT_TDMA && address < END_TDMA ? AGENT_B : AGENT_NOC;
}

static enum answer access_for_tensix(struct tile *tile, struct mmio_access *access,
                                     const char **rule)
{
    enum answer answer = tile_access(tile, access);
    if (answer_is_refusal(answer)) {
        *rule = access->rule ? access->rule : "nothing is mapped there";
    }
    return answer;
}

static enum answer tensix_board_read(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                                     uint32_t *value, const char **rule)
{
    struct mmio_access access = {.operation = MMIO_READ,
                                 .agent = agent_for(address),
                                 .size = 4,
                                 .address = address,
                                 .cycle = cycle};
    (void)thread;
    enum answer answer = access_for_tensix(owner, &access, rule);
    *value = access.value;
    return answer;
}

static enum tile_agent agent_of(struct tensix_origin origin)
{
    return origin.pusher < TENSIX_BY_DEBUG_BUS ? (enum tile_agent)origin.pusher : AGENT_NOC;
}

static struct tile_fault fault_of_tensix(const struct tensix_fault *fault)
{
    struct tile_fault record = {.kind = fault->kind,
                                .agent = agent_of(fault->origin),
                                .is_tensix = true,
                                .thread = fault->thread,
                                .cycle = fault->cycle,
                                .pc = fault->origin.pc,
                                .word = fault->word};
    memcpy(record.text, fault->text, sizeof record.text);
    return record;
}

/* The instruction that the thread executes pops too many pages. */
static void claim_of_instruction(struct tile *tile, unsigned thread, uint32_t address,
                                 uint64_t cycle, const char *text)
{
    const struct tensix_thread *own = &tile->tensix.thread[thread];
    struct tensix_fault fault = {.kind = PENROSE_FAULT_CB_COUNT,
                                 .thread = thread,
                                 .cycle = cycle,
                                 .word = own->next,
                                 .origin = own->origin};
    snprintf(fault.text, sizeof fault.text, "%s", text);
    struct tile_fault claim = fault_of_tensix(&fault);
    claim.address = address;
    tile_claim(tile, &claim);
}

static enum answer tensix_board_write(void *owner, unsigned thread, uint32_t address,
                                      uint64_t cycle, uint32_t value, const char **rule)
{
    struct mmio_access access = {.operation = MMIO_WRITE,
                                 .agent = agent_for(address),
                                 .size = 4,
                                 .address = address,
                                 .value = value,
                                 .cycle = cycle};
    struct tile *tile = owner;
    const enum answer answer = access_for_tensix(tile, &access, rule);
    char excess[TILE_PAGES_TEXT];
    if (answer == ANSWER_DONE && tile_counts_pops(address) &&
        tile_pops_too_many(tile, address, excess)) {
        claim_of_instruction(tile, thread, address, cycle, excess);
    }
    return answer;
}

static void port_iram_written(void *owner, uint32_t offset, uint32_t size)
{
    tile_iram_written(owner, RV32_NC, offset, size);
}

static void port_l1_written(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    tile_l1_written(owner, address, size, cycle);
}

static void port_l1_watch(void *owner, uint32_t address, uint32_t size)
{
    struct tile *tile = owner;
    tile->marks[address >> RV32_L1_MARK_SHIFT] |= TILE_MARK_AWAITED;
    tile->marks[(address + size - 1) >> RV32_L1_MARK_SHIFT] |= TILE_MARK_AWAITED;
}

static uint32_t port_stream(void *owner, unsigned stream, unsigned index)
{
    const struct tile *tile = owner;
    return overlay_register(&tile->overlay, stream, index);
}

static bool tensix_board_fault(void *owner, const struct tensix_fault *fault)
{
    const struct tile_fault record = fault_of_tensix(fault);
    return tile_fault(owner, &record) == PENROSE_STOP;
}

static void port_unmodelled(void *owner, unsigned thread, unsigned index, const char *field)
{
    struct tile *tile = owner;
    const struct tensix_thread *own = &tile->tensix.thread[thread];
    if (tile->board->unmodelled_config) {
        tile->board->unmodelled_config(tile->owner, tile, agent_of(own->origin), own->origin.pc,
                                       own->next, AT_CONFIG + 4 * index, field);
    }
}

static void port_observe(void *owner, struct observed *event)
{
    struct tile *tile = owner;
    event->thread = tile->tensix.executing;
    if (event->thread < TENSIX_THREADS) {
        const struct tensix_thread *thread = &tile->tensix.thread[event->thread];
        event->pc = thread->origin.pc;
        event->word = thread->next;
        if (event->agent == OBSERVED_AGENTS) { /* the hart that pushed the instruction */
            event->agent = (enum observed_agent)agent_of(thread->origin);
        }
    }
    (void)tile_tell(tile, event);
}

const struct tensix_board tile_tensix_board = {
    .read = tensix_board_read,
    .write = tensix_board_write,
    .l1_written = port_l1_written,
    .iram_written = port_iram_written,
    .l1_watch = port_l1_watch,
    .stream = port_stream,
    .fault = tensix_board_fault,
    .unmodelled = port_unmodelled,
    .observe = port_observe,
};

/* --- Pushing --- */

/* May a push run the thread at once? Not where agents take turns cycle by cycle or at random. */
static bool runs_ahead(const struct tile *tile)
{
    return !tile->weak && !tile->tensix.timing && tile->running != RV32_CORES;
}

/* Does any other hart sleep or wait? What awake ones see of a queue they see when they look. */
static bool is_watched(const struct tile *tile, enum tile_agent pusher)
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        enum hart_state state = tile->run[core].state;
        if (core != (unsigned)pusher && (state == HART_ASLEEP || state == HART_WAITING)) {
            return true;
        }
    }
    return false;
}

/* Wakes all who have to look again after a push of `by`, or a turn. False: nobody has to. */
static inline bool wake_others(struct tile *tile, enum tile_agent by, struct tensix_outcome outcome)
{
    tile->tensix_idle &= !outcome.holds;
    if (!outcome.changed && !(outcome.moved && is_watched(tile, by))) {
        return false;
    }
    tile->moves += !outcome.changed;
    tile_event(tile, outcome.event);
    return true;
}

/* The changes for which an instruction at the gate may wait. */
static uint64_t gate_changes(const struct tile *tile)
{
    return tile->epoch - tile->moves;
}

/* Notes that the thread has gone as far as it could, unless that depends on what others do. */
static void note_wait(struct tile *tile, unsigned thread)
{
    const bool is_polite = tile->tensix.is_polite;
    tile->gate_epoch[thread] = is_polite ? UINT64_MAX : gate_changes(tile);
}

/* Does the thread wait, and has nothing changed since it was found to? Then nobody need look once
 * more. */
static bool still_waits(const struct tile *tile, unsigned thread)
{
    const struct tensix *tensix = &tile->tensix;
    return tensix->thread[thread].blocked && tile->gate_epoch[thread] == gate_changes(tile) &&
           !tensix->outcome.changed && !tensix->stopped;
}

/* SPEC: pushes are discarded while the debug bus has control. */
static bool is_discarded(const struct tile *tile, unsigned thread)
{
    return tile->debug.word[REG_DBG_INSTRN_BUF_CTRL0] >> thread & 1;
}

static struct tensix_origin origin_of(const struct tile *tile, enum tile_agent agent)
{
    return (struct tensix_origin){.pc = rv32_current_pc(&tile->hart[agent]),
                                  .pusher = (uint8_t)agent};
}

bool tile_queue(struct tile *tile, enum tile_agent agent, unsigned thread, uint32_t word,
                uint64_t cycle)
{
    if (is_discarded(tile, thread)) {
        return true;
    }
    if (tile->run[agent].push.is_cut ||
        !tensix_push(&tile->tensix, thread, origin_of(tile, agent), &word, 1, cycle)) {
        return false;
    }
    tile->tensix_idle = false;
    tile_event(tile, cycle);
    return true;
}

bool tile_push(struct tile *tile, enum tile_agent agent, unsigned thread, uint32_t word,
               uint64_t cycle)
{
    if (is_discarded(tile, thread)) {
        return true;
    }
    if (!runs_ahead(tile)) {
        return tile_queue(tile, agent, thread, word, cycle);
    }
    const uint64_t end = cycle + RUN_AHEAD;
    const struct tensix_pushed pushed = {.thread = thread,
                                         .word = word,
                                         .origin = origin_of(tile, agent),
                                         .cycle = cycle,
                                         .end = end < tile->turn_end ? end : tile->turn_end};
    struct tensix_push_cut *cut = &tile->run[agent].push;
    const bool is_short = shortcuts_on(tile->tensix.shortcuts) && !cut->is_cut;
    const bool is_behind = is_short && still_waits(tile, thread);
    struct tensix_outcome outcome = {.is_taken = false};
    if (is_behind) {
        outcome = tensix_push_behind(&tile->tensix, &pushed);
    } else if (is_short) {
        outcome = tensix_execute(&tile->tensix, &pushed);
    }
    const bool runs = !is_behind && !outcome.is_taken;
    if (runs) {
        outcome = tensix_push_and_run(&tile->tensix, &pushed, cut);
    }
    if (wake_others(tile, agent, outcome)) {
        rv32_cut(&tile->hart[agent], outcome.has_stopped ? cycle + 1 : UINT64_MAX);
    }
    if (runs) {
        note_wait(tile, thread);
    }
    return outcome.is_taken;
}

bool tile_waits_for_ttsync(const struct tile *tile, const struct mmio_access *access,
                           enum tensix_resource resource)
{
    bool is_trisc = access->agent >= AGENT_T0 && access->agent <= AGENT_T2;
    return is_trisc && mmio_has_effects(access) &&
           tensix_must_wait(&tile->tensix, mmio_thread(access), resource, access->offset / 4,
                            mmio_is_write(access));
}

/* --- Turns --- */

static bool may_go_on(const struct tile *tile)
{
    return tile->tensix_epoch != tile->epoch &&
           (tensix_busy(&tile->tensix) || tensix_watches(&tile->tensix));
}

uint64_t tile_tensix_next(const struct tile *tile)
{
    if (tile->tensix_idle) {
        return UINT64_MAX;
    }
    return may_go_on(tile) ? tile->now : tensix_next_event(&tile->tensix);
}

bool tile_tensix_turn(struct tile *tile, uint64_t limit)
{
    struct tensix *tensix = &tile->tensix;
    if (tile->tensix_idle) {
        return false;
    }
    if (!tensix->cut.is_cut) {
        if (!may_go_on(tile) && tensix_next_event(tensix) >= limit) {
            tile->tensix_idle = !tensix_busy(tensix) && !tensix_watches(tensix);
            return false;
        }
        tensix_wake(tensix, tile->event_time);
    }
    struct tensix_outcome outcome = tensix_run(tensix, limit);
    if (outcome.is_cut) {
        return false;
    }
    outcome.changed |= outcome.passed | outcome.moved; /* nobody has looked meanwhile */
    (void)wake_others(tile, AGENT_NOC, outcome);
    tile->tensix_epoch = tile->epoch;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        note_wait(tile, thread);
    }
    return outcome.passed;
}
