/*
 * penrose_state_hash sees state and nothing else: the same for any number of host threads, with and
 * without shortcuts, of a chip that was loaded or stopped; and every change that software can see
 * changes it.
 */
#include <stdlib.h>

#include <penrose/debug.h>
#include <penrose/trace.h>

#include "chip/chip.h"
#include "unit/chip/snapshot_scenes.h"
#include "unit/chip/state_difference.h"
#include "unit/sanitized.h"
#include "unit/test.h"

enum { SCENES = 6, MOST_STOPS = 200 /* in a window */ };

/* Ends the run at what the threads of the coprocessors that are in use do. */
static void ask_for_stops(struct penrose_chip *chip, uint32_t *seed)
{
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        for (unsigned thread = 0; tile && thread < TENSIX_THREADS; thread++) {
            if (tile->tensix.thread[thread].pushed > 0) {
                penrose_tensix_step(chip, tile->x, tile->y, thread, 1 + scene_random(seed, 7),
                                    NULL);
            }
        }
    }
}

/* With a seed it is stopped again and again. */
static void pass(struct penrose_chip *chip, uint64_t cycles, uint32_t *seed)
{
    const uint64_t end = penrose_now(chip) + cycles;
    enum penrose_outcome outcome = PENROSE_PAUSED;
    for (unsigned stops = 0; outcome == PENROSE_PAUSED; stops++) {
        const uint64_t now = penrose_now(chip);
        const struct penrose_run run = {
            .size = sizeof run, .cycles = end > now ? end - now : 0, .pass_quiet_time = true};
        if (seed && stops < MOST_STOPS) {
            ask_for_stops(chip, seed);
        }
        outcome = penrose_run(chip, &run);
    }
}

static struct penrose_chip *copy_of(struct penrose_chip *chip)
{
    struct penrose_options options = {.size = sizeof options, .threads = 2};
    struct penrose_chip *copy = NULL;
    struct penrose_error error = {0};
    void *bytes;
    size_t size;
    ck_assert_int_eq(penrose_snapshot_to_memory(chip, &bytes, &size, NULL), PENROSE_OK);
    ck_assert_msg(penrose_snapshot_from_memory(&options, bytes, size, &copy, &error) == PENROSE_OK,
                  "%s", error.text);
    free(bytes);
    return copy;
}

/* --- Ways to the same state --- */

enum shortcuts { ALWAYS, NEVER, EVERY_OTHER_WINDOW };

enum {
    COPIED = 1 << 0,  /* it goes on as a copy of itself after half of the windows */
    TRACED = 1 << 1,  /* every instruction is told of, and no hart sleeps */
    STIRRED = 1 << 2, /* who waits looks again before each window, in vain */
    STOPPED = 1 << 3, /* at instructions of the coprocessor */
};

/* The first is what the others are compared with. */
static const struct way {
    const char *name;
    unsigned threads;
    enum shortcuts shortcuts;
    unsigned also;
} ways[] = {
    {"shortcuts", 1, ALWAYS, 0},
    {"shortcuts, 7 threads", 7, ALWAYS, 0},
    {"no shortcuts", 1, NEVER, 0},
    {"no shortcuts, 2 threads", 2, NEVER, 0},
    {"no shortcuts, 7 threads, copied", 7, NEVER, COPIED},
    {"shortcuts now and then, 2 threads, copied", 2, EVERY_OTHER_WINDOW, COPIED},
    {"traced", 1, ALWAYS, TRACED},
    {"stirred", 1, ALWAYS, STIRRED},
    {"stopped", 1, ALWAYS, STOPPED},
    {"stopped, no shortcuts, copied", 1, NEVER, STOPPED | COPIED},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static void see_nothing(void *context, const struct penrose_trace_event *event)
{
    (void)context;
    (void)event;
}

static void stir(struct penrose_chip *chip)
{
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        if (tile) {
            tile_catch_up(tile, chip->head.time.now);
            tile_event(tile, tile->now);
        }
    }
    chip->touched = true;
}

/* Before a window. */
static void take_way(struct penrose_chip **chip, const struct way *way, unsigned window,
                     unsigned windows)
{
    if (way->also & COPIED && window == windows / 2) {
        struct penrose_chip *copy = copy_of(*chip);
        penrose_chip_destroy(*chip);
        *chip = copy;
    }
    if (way->also & STIRRED) {
        stir(*chip);
    }
    penrose_shortcuts_set(*chip, way->shortcuts == ALWAYS ||
                                     (way->shortcuts == EVERY_OTHER_WINDOW && window % 2));
}

TEST_EACH(hash_does_not_depend_on_the_way, (SCENES * SCENE_SCHEDULES))
{
    enum { WINDOWS = SANITIZED ? 6 : 12 };
    const struct scene *scene = scene_at((unsigned)_i % SCENES);
    unsigned schedule = (unsigned)_i / SCENES;
    uint32_t seed = 1;
    struct penrose_chip *chip[WAYS];
    for (unsigned i = 0; i < WAYS; i++) {
        chip[i] = scene_chip(scene, schedule, ways[i].threads);
        scene->make(chip[i], 3);
        penrose_trace(chip[i], NULL, ways[i].also & TRACED ? see_nothing : NULL, NULL, NULL);
    }
    for (unsigned window = 0; window < WINDOWS; window++) {
        for (unsigned i = 0; i < WAYS; i++) {
            if (ways[i].also & (TRACED | STIRRED | STOPPED) &&
                chip[i]->options.schedule == PENROSE_RANDOM) {
                continue; /* others look, and draw other random numbers */
            }
            take_way(&chip[i], &ways[i], window, WINDOWS);
            pass(chip[i], window % 3 ? scene->step / 3 : 777,
                 ways[i].also & STOPPED ? &seed : NULL);
            ck_assert_msg(penrose_state_hash(chip[i]) == penrose_state_hash(chip[0]),
                          "%s, schedule %u, window %u, %s: %s", scene->name, schedule, window,
                          ways[i].name, state_difference(chip[0], chip[i]));
            ck_assert_msg(ways[i].also & (STIRRED | STOPPED) ||
                              penrose_last_activity(chip[i]) == penrose_last_activity(chip[0]),
                          "%s, schedule %u, window %u, %s: the harts fall asleep at other times",
                          scene->name, schedule, window, ways[i].name);
        }
    }
    for (unsigned i = 0; i < WAYS; i++) {
        penrose_chip_destroy(chip[i]);
    }
}

/* --- Changes --- */

/* Every change that software can see changes the hash. */
TEST(hash_sees_changes)
{
    static const struct {
        unsigned x, y;
        uint64_t address;
    } places[] = {{1, 2, 0x100},          {16, 11, 0x17fffc}, {17, 12, 0x100}, {18, 20, 0xfeffff00},
                  {20, 25, 0x400},        {1, 2, 0xffb20000}, {8, 3, 0x1000},  {1, 2, 0xffb12228},
                  {18, 14, 0x2000000100}, {1, 2, 0xffb41010}};
    struct penrose_chip *chip = scene_chip(NULL, 0, 1);
    uint64_t seen[sizeof places / sizeof places[0] + 1] = {penrose_state_hash(chip)};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        uint32_t word = 0x10;
        struct penrose_error error = {0};
        ck_assert_msg(penrose_write(chip, places[i].x, places[i].y, places[i].address, &word, 4,
                                    &error) == PENROSE_OK,
                      "%s", error.text);
        seen[i + 1] = penrose_state_hash(chip);
        ck_assert_uint_eq(penrose_state_hash(chip), seen[i + 1]);
        for (unsigned j = 0; j <= i; j++) {
            ck_assert_uint_ne(seen[i + 1], seen[j]);
        }
    }
    penrose_chip_destroy(chip);
}
