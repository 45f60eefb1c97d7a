/* The state of a tile at the present time; see present.h. */
#include "tile/present.h"

#include <string.h>

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* As tile_wake_at, but for what only helps to run on. */
static void hart_to_present(struct tile *tile, enum rv32_core core)
{
    struct tile_hart *run = &tile->run[core];
    if (run->state == HART_ASLEEP) {
        tile->running = core;
        run->time = rv32_idle_resume(&tile->hart[core], &run->idle, tile->now);
        tile->running = RV32_CORES;
        run->state = HART_READY;
    }
    struct rv32_access *access = &tile->hart[core].access;
    if (run->state == HART_WAITING) { /* what it waits for comes now at the earliest */
        run->time = later(run->time, tile->now);
        access->cycle = run->time;
    } else { /* scratch */
        *access = (struct rv32_access){.address = 0};
    }
}

void tile_to_present(struct tile *tile, uint64_t now, struct tile_past *past)
{
    past->now = tile->now;
    past->wall_clock_latch = tile->debug.wall_clock_latch;
    memcpy(past->hart, tile->hart, sizeof past->hart);
    memcpy(past->run, tile->run, sizeof past->run);
    if (tile->halt == TILE_GOES && tile->now < now && tile_next_event(tile) >= now) {
        tile->now = now;
    }
    for (unsigned core = 0; core < RV32_CORES; core++) {
        hart_to_present(tile, (enum rv32_core)core);
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_thread *thread = &tile->tensix.thread[i];
        past->thread_time[i] = thread->time;
        thread->time = thread->blocked ? later(thread->time, tile->now) : thread->time;
    }
}

void tile_to_past(struct tile *tile, const struct tile_past *past)
{
    tile->now = past->now;
    tile->debug.wall_clock_latch = past->wall_clock_latch;
    memcpy(tile->hart, past->hart, sizeof past->hart);
    memcpy(tile->run, past->run, sizeof past->run);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tile->tensix.thread[i].time = past->thread_time[i];
    }
}
