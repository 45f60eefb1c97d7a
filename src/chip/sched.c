/*
 * The scheduler: windows in which every tile runs by itself.
 *
 * While several tiles are awake a window has WINDOW_CYCLES; while one is, windows grow, because
 * nothing else can happen. Tiles that sleep are not visited. The order of tiles does not matter,
 * for what crosses between them does so at window ends.
 */
#include "chip/chip.h"
#include "isa/export.h"

enum { WINDOW_CYCLES = 1024, MOST_WINDOW_CYCLES = 65536 };

PENROSE_EXPORT uint64_t penrose_now(const struct penrose_chip *chip)
{
    return chip->now;
}

static uint64_t last_of_hart(const struct tile_hart *run)
{
    return run->state == HART_HELD ? 0 : run->state == HART_ASLEEP ? run->idle.since : run->time;
}

PENROSE_EXPORT uint64_t penrose_last_activity(const struct penrose_chip *chip)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < chip->made_count; i++) {
        for (unsigned core = 0; core < RV32_CORES; core++) {
            uint64_t time = last_of_hart(&chip->made[i].tile->run[core]);
            last = time > last ? time : last;
        }
    }
    return last;
}

struct awake {
    unsigned tiles;
    bool any_stopped;
    uint64_t next; /* the earliest event of any tile */
};

static void note(struct made_tile *made)
{
    made->now = made->tile->now;
    made->next = tile_next_event(made->tile);
    made->stopped = made->tile->stopped;
}

static bool has_stopped(const struct penrose_chip *chip)
{
    bool stopped = false;
    for (unsigned i = 0; i < chip->made_count; i++) {
        stopped |= chip->made[i].stopped;
    }
    return stopped;
}

static struct awake look_around(struct penrose_chip *chip)
{
    struct awake awake = {.next = UINT64_MAX};
    for (unsigned i = 0; i < chip->made_count; i++) {
        struct made_tile *made = &chip->made[i];
        if (chip->touched) {
            note(made);
        }
        uint64_t next = made->now > chip->now ? made->now : made->next;
        awake.tiles += made->now > chip->now || made->next <= chip->now;
        awake.any_stopped |= made->stopped;
        awake.next = next < awake.next ? next : awake.next;
    }
    chip->touched = false;
    return awake;
}

static uint32_t granularity(const struct penrose_chip *chip)
{
    return chip->made_count ? chip->made[0].tile->quantum : 1;
}

/* Runs every tile that has something to do before `end`; the others catch up with the time
 * when they are next touched (chip_tile). */
static void run_window(struct penrose_chip *chip, uint64_t end)
{
    for (unsigned i = 0; i < chip->made_count; i++) {
        struct made_tile *made = &chip->made[i];
        if (made->next < end && made->now < end) {
            tile_run(made->tile, end);
            note(made);
        }
    }
    chip->now = end;
}

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

PENROSE_EXPORT enum penrose_outcome penrose_run(struct penrose_chip *chip,
                                                const struct penrose_run *run)
{
    uint64_t quantum = granularity(chip);
    uint64_t limit = UINT64_MAX / 2 - chip->now;
    uint64_t end = round_up(chip->now + (run->cycles < limit ? run->cycles : limit), quantum);
    uint64_t window = round_up(WINDOW_CYCLES, quantum);
    while (chip->now < end) {
        struct awake awake = look_around(chip);
        if (awake.any_stopped) {
            return PENROSE_FAULT;
        }
        if (awake.next == UINT64_MAX && !run->pass_quiet_time) {
            return PENROSE_QUIET;
        }
        uint64_t window_end = chip->now + window;
        if (awake.tiles == 0 && awake.next > window_end) { /* nothing happens until then */
            window_end = awake.next < end ? awake.next / quantum * quantum : end;
        }
        window = awake.tiles <= 1 && window < MOST_WINDOW_CYCLES ? window * 2 : window;
        window = awake.tiles > 1 ? round_up(WINDOW_CYCLES, quantum) : window;
        run_window(chip, window_end < end ? window_end : end);
        if (run->until && !has_stopped(chip) && run->until(chip, run->context)) {
            return PENROSE_CONDITION;
        }
    }
    struct awake awake = look_around(chip);
    bool is_quiet = awake.next == UINT64_MAX && !run->pass_quiet_time;
    return awake.any_stopped ? PENROSE_FAULT : is_quiet ? PENROSE_QUIET : PENROSE_CYCLES;
}
