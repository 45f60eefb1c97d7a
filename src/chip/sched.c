/*
 * The scheduler: windows in which every tile runs by itself.
 *
 * While several tiles are awake a window has WINDOW_CYCLES; while one is, windows grow, because
 * nothing else can happen. Tiles that sleep are not visited. The order of tiles does not matter,
 * for what crosses between them does so at window ends.
 */
#include "chip/chip.h"

#define PENROSE_EXPORT __attribute__((visibility("default")))

enum { WINDOW_CYCLES = 1024, MOST_WINDOW_CYCLES = 65536 };

PENROSE_EXPORT uint64_t penrose_now(const struct penrose_chip *chip)
{
    return chip->now;
}

struct awake {
    unsigned tiles;
    bool any_stopped;
    uint64_t next; /* the earliest event of any tile */
};

static struct awake look_around(struct penrose_chip *chip)
{
    struct awake awake = {.next = UINT64_MAX};
    for (unsigned i = 0; i < chip->made_count; i++) {
        struct tile *tile = chip->made[i];
        awake.any_stopped |= tile->stopped;
        if (tile->now > chip->now) {
            awake.next = tile->now < awake.next ? tile->now : awake.next;
            awake.tiles++;
            continue;
        }
        uint64_t next = tile_next_event(tile);
        awake.tiles += next <= chip->now;
        awake.next = next < awake.next ? next : awake.next;
    }
    return awake;
}

static uint32_t granularity(const struct penrose_chip *chip)
{
    uint32_t quantum = 1;
    for (unsigned i = 0; i < chip->made_count; i++) {
        quantum = chip->made[i]->quantum > quantum ? chip->made[i]->quantum : quantum;
    }
    return quantum;
}

static void run_window(struct penrose_chip *chip, uint64_t end)
{
    for (unsigned i = 0; i < chip->made_count; i++) {
        struct tile *tile = chip->made[i];
        if (tile->now < end) {
            tile_run(tile, end);
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
        if (run->until && run->until(chip, run->context)) {
            return PENROSE_CONDITION;
        }
    }
    struct awake awake = look_around(chip);
    bool is_quiet = awake.next == UINT64_MAX && !run->pass_quiet_time;
    return awake.any_stopped ? PENROSE_FAULT : is_quiet ? PENROSE_QUIET : PENROSE_CYCLES;
}
