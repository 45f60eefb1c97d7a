/* Events: what one agent of a tile changes and others may wait for, and harts that are woken,
 * paused and let go on. */
#include <stddef.h>
#include <string.h>

#include "tile/tell.h"
#include "tile/tile.h"

void tile_event(struct tile *tile, uint64_t cycle)
{
    tile->epoch++;
    tile->event_time = cycle > tile->event_time ? cycle : tile->event_time;
    tile_end_round(tile, cycle);
}

void tile_end_round(struct tile *tile, uint64_t cycle)
{
    if (tile->running != RV32_CORES) {
        struct rv32_hart *hart = &tile->hart[tile->running];
        uint64_t round_end = tile_round_start(tile, cycle) + tile->quantum;
        tile->turn_end = round_end < tile->turn_end ? round_end : tile->turn_end;
        rv32_cut(hart, tile_interrupt_pending(tile, hart->core) ? cycle + 1 : round_end);
    }
}

void tile_release(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    struct tile_hart *run = &tile->run[core];
    if (tile->running != RV32_CORES && run->state == HART_WAITING) {
        run->state = HART_READY;
        run->time = cycle > run->time ? cycle : run->time;
        tile->turn_end = cycle + 1 < tile->turn_end ? cycle + 1 : tile->turn_end;
        rv32_cut(&tile->hart[tile->running], cycle + 1);
    }
}

static bool polls(const struct tile_hart *run, uint32_t address, uint32_t size)
{
    for (unsigned i = 0; i < run->idle.places && run->state == HART_ASLEEP; i++) {
        const struct rv32_idle_place *place = &run->idle.place[i];
        if (place->address < address + size && address < place->address + place->size) {
            return true;
        }
    }
    return false;
}

static bool is_polled(const struct tile *tile, uint32_t address, uint32_t size)
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        if (polls(&tile->run[core], address, size)) {
            return true;
        }
    }
    return false;
}

void tile_polls(struct tile *tile, enum rv32_core core, struct tile_span span)
{
    struct tile_span all = TILE_SPAN_NONE;
    tile->polled[core] = span;
    for (unsigned i = 0; i < RV32_CORES; i++) {
        span = tile->polled[i];
        all.first = span.first < all.first ? span.first : all.first;
        all.last = span.last - 1 > all.last - 1 ? span.last : all.last; /* 0: the last of all */
    }
    tile->polled_by_any = all;
}

/* Does a hart sleep that polls registers in [address, address + size)? */
static bool is_register_polled(const struct tile *tile, uint32_t address, uint32_t size)
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        if (tile_span_touches(&tile->polled[core], address, size) &&
            polls(&tile->run[core], address, size)) {
            return true;
        }
    }
    return false;
}

void tile_polled_changed(struct tile *tile, uint32_t address, uint32_t size, uint64_t cycle)
{
    if (is_register_polled(tile, address, size)) {
        tile_event(tile, cycle);
    }
}

/* Is any hart asleep on the marked 64-byte line that starts at `address`? */
static bool line_is_polled(const struct tile *tile, uint32_t address)
{
    return is_polled(tile, address, 1u << RV32_L1_MARK_SHIFT);
}

/* A thread that still waits marks its line again, and who polled one and does not may have been
 * woken. */
static void clear_marks(struct tile *tile, uint32_t address, uint32_t size, bool is_polled)
{
    uint32_t last = (address + size - 1) >> RV32_L1_MARK_SHIFT;
    for (uint32_t line = address >> RV32_L1_MARK_SHIFT; line <= last; line++) {
        uint8_t *mark = &tile->marks[line];
        *mark &= (uint8_t)~TILE_MARK_AWAITED;
        if (*mark & TILE_MARK_POLLED && !is_polled &&
            !line_is_polled(tile, line << RV32_L1_MARK_SHIFT)) {
            *mark &= (uint8_t)~TILE_MARK_POLLED;
        }
    }
}

/* Handles a write of which some lines have these marks. */
static void marked_written(struct tile *tile, uint32_t address, uint32_t size, unsigned marks,
                           uint64_t cycle)
{
    bool wakes = marks & TILE_MARK_POLLED && is_polled(tile, address, size);
    if (marks & (TILE_MARK_POLLED | TILE_MARK_AWAITED)) {
        clear_marks(tile, address, size, wakes);
    }
    if (marks & TILE_MARK_CODE) {
        rv32_code_written(&tile->code, address, size);
    }
    if (wakes || marks & TILE_MARK_AWAITED) {
        tile_event(tile, cycle);
    }
}

/* The marks of any of the lines. */
static unsigned marks_of(const struct tile *tile, uint32_t address, uint32_t size)
{
    if (size == 0) {
        return 0;
    }
    const uint8_t *mark = tile->marks + (address >> RV32_L1_MARK_SHIFT);
    const uint8_t *last = tile->marks + ((address + size - 1) >> RV32_L1_MARK_SHIFT);
    uint64_t marks = 0, eight;
    for (; last - mark >= (ptrdiff_t)sizeof eight - 1; mark += sizeof eight) {
        memcpy(&eight, mark, sizeof eight);
        marks |= eight;
    }
    marks |= marks >> 32;
    marks |= marks >> 16;
    marks |= marks >> 8;
    for (; mark <= last; mark++) {
        marks |= *mark;
    }
    return marks & UINT8_MAX;
}

void tile_l1_written(struct tile *tile, uint32_t address, uint32_t size, uint64_t cycle)
{
    unsigned marks = marks_of(tile, address, size);
    if (marks) {
        marked_written(tile, address, size, marks, cycle);
    }
}

void tile_l1_write(struct tile *tile, uint32_t address, const void *bytes, uint32_t size,
                   uint64_t cycle)
{
    unsigned marks = marks_of(tile, address, size);
    if (marks & TILE_MARK_CODE && memcmp(tile->l1 + address, bytes, size) == 0) {
        return; /* hosts load the same program for each launch: what was decoded stays right */
    }
    memcpy(tile->l1 + address, bytes, size);
    if (marks) {
        marked_written(tile, address, size, marks, cycle);
    }
}

void tile_iram_written(struct tile *tile, enum rv32_core core, uint32_t offset, uint32_t size)
{
    rv32_code_written(tile->hart[core].iram, offset, size);
    tile->code.stale |= tile->hart[core].iram->stale; /* a burst looks there */
    tile->hart[core].iram->stale = false;
}

void tile_wipe_l1(struct tile *tile, uint64_t cycle)
{
    enum { LINE_BYTES = 1 << RV32_L1_MARK_SHIFT };
    static const uint8_t zeros[LINE_BYTES];
    for (uint32_t at = 0; at < tile->kind->l1_bytes; at += LINE_BYTES) {
        if (memcmp(tile->l1 + at, zeros, LINE_BYTES) != 0) { /* pages of zeros stay untouched */
            memset(tile->l1 + at, 0, LINE_BYTES);
            tile_l1_written(tile, at, LINE_BYTES, cycle);
        }
    }
}

void tile_wake_at(struct tile *tile, enum rv32_core core, uint64_t time)
{
    struct tile_hart *run = &tile->run[core];
    enum rv32_core running = tile->running;
    tile->running = core; /* it may run the last turn of the loop */
    run->time = rv32_idle_resume(&tile->hart[core], &run->idle, time);
    tile->running = running;
    tile_polls(tile, core, TILE_SPAN_NONE);
    run->state = HART_READY;
    run->probe_at = run->time + TILE_FIRST_PROBE; /* it saw a change and has work to do */
    tile_tell_hart(tile, core, OBSERVED_GOES_ON, tile->hart[core].pc);
}

void tile_wake(struct tile *tile, enum rv32_core core)
{
    if (tile->run[core].state == HART_ASLEEP) {
        tile_wake_at(tile, core, tile->now);
    }
}

void tile_pause(struct tile *tile, enum rv32_core core)
{
    struct tile_hart *run = &tile->run[core];
    if (run->state == HART_HELD) {
        return;
    }
    tile_wake(tile, core);
    run->state = HART_PAUSED;
    if (tile->running == core) {
        rv32_cut(&tile->hart[core], 0);
    }
}

void tile_resume(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    struct tile_hart *run = &tile->run[core];
    if (run->state == HART_PAUSED) {
        run->state = HART_READY;
        run->time = cycle > run->time ? cycle : run->time;
        run->probe_at = run->time;
    }
}
