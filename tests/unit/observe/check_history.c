/*
 * penrose/history.h: a past is what the present was, whatever host and guests did and however time
 * is run; going back and forth over a moment gives the same; the last hit is found, and named as a
 * run forward names it.
 */
#include <stdlib.h>
#include <string.h>

#include <penrose/debug.h>
#include <penrose/history.h>

#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/chip/snapshot_scenes.h"
#include "unit/observe/random_host.h"
#include "unit/sanitized.h"
#include "unit/test.h"

enum { SCENES = 6, MOMENTS = SANITIZED ? 8 : 24, X = 1, Y = 2, CODE = 0x1000, WORD = 0x4000 };

static struct penrose_error error;

static struct penrose_history *start_history(struct penrose_chip *chip, uint64_t distance)
{
    const struct penrose_history_options options = {.size = sizeof options, .distance = distance};
    struct penrose_history *history;
    ck_assert_msg(penrose_history_start(chip, &options, &history, &error) == PENROSE_OK, "%s",
                  error.text);
    return history;
}

/* --- What the present was --- */

struct moment {
    uint64_t cycle, hash;
};

static void compare_past(struct penrose_history *history, const struct moment *moment,
                         const char *name)
{
    struct penrose_chip *past;
    ck_assert_msg(penrose_history_past(history, moment->cycle, &past, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_uint_eq(penrose_now(past), moment->cycle);
    ck_assert_msg(penrose_state_hash(past) == moment->hash, "%s: cycle %llu differs", name,
                  (unsigned long long)moment->cycle);
    penrose_chip_destroy(past);
}

TEST_EACH(a_past_is_what_the_present_was, SCENES *SCENE_SCHEDULES)
{
    const struct scene *scene = scene_at((unsigned)_i / SCENE_SCHEDULES);
    unsigned schedule = (unsigned)_i % SCENE_SCHEDULES, threads = 1 + (unsigned)_i % 3;
    struct random_host *host = calloc(1, sizeof *host);
    struct moment moment[MOMENTS];
    unsigned moments = 0;
    if (!scene) {
        free(host);
        return;
    }
    *host =
        (struct random_host){.chip = scene_chip(scene, schedule, threads), .seed = (uint32_t)_i};
    random_host_connect(host);
    if (!scene->make(host->chip, 7)) {
        penrose_chip_destroy(host->chip);
        free(host);
        return;
    }
    struct penrose_history *history = start_history(host->chip, 1 + scene->step * 3);
    while (moments < MOMENTS) {
        const struct penrose_run run = {.size = sizeof run,
                                        .cycles = 1 + scene_random(&host->seed, 2000),
                                        .pass_quiet_time = scene_random(&host->seed, 4) > 0};
        uint64_t before = penrose_now(host->chip);
        penrose_run(host->chip, &run);
        if (penrose_now(host->chip) > before) {
            moment[moments++] =
                (struct moment){penrose_now(host->chip), penrose_state_hash(host->chip)};
        } else {
            penrose_fault_isolate(host->chip);
        }
        for (unsigned i = scene_random(&host->seed, 4); i > 0; i--) {
            random_host_act(host);
        }
        if (penrose_now(host->chip) == before && scene_random(&host->seed, 50) == 0) {
            break;
        }
    }
    for (unsigned i = 0; i < 8 && moments > 0; i++) {
        compare_past(history, &moment[scene_random(&host->seed, moments)], scene->name);
    }
    uint64_t hash = penrose_state_hash(host->chip);
    compare_past(history, &(struct moment){penrose_now(host->chip), moment[moments - 1].hash},
                 scene->name);
    ck_assert_uint_eq(penrose_state_hash(host->chip), hash);
    penrose_history_end(history);
    penrose_chip_destroy(host->chip);
    free(host);
}

/* --- Back and forth --- */

/* Counts t0 to 2000, and stores it in each turn. */
static const char counting[] = "lui t1, 4; addi t0, zero, 0; addi t2, zero, 2000; addi t2, t2, 0;"
                               "addi t0, t0, 1; sw t0, 0(t1); bne t0, t2, 0x1010; ebreak";
enum { INCREMENT = CODE + 16, STORE = CODE + 20, BRANCH = CODE + 24, TURNS = 2000 };

static struct penrose_chip *counting_chip(bool timed, struct penrose_history **history)
{
    struct penrose_options options = {.size = sizeof options, .timed = timed};
    struct penrose_chip *chip;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_OK);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, counting);
    *history = start_history(chip, 700);
    return chip;
}

static uint32_t value_of(struct penrose_chip *chip, const char *name)
{
    struct penrose_register number;
    uint32_t value[4];
    ck_assert(penrose_register_find(NULL, name, &number));
    ck_assert_int_eq(penrose_register_read(chip, X, Y, PENROSE_BRISC, number, value, &error),
                     PENROSE_OK);
    return value[0];
}

static uint32_t word_of(struct penrose_chip *chip)
{
    uint32_t word;
    ck_assert_int_eq(penrose_peek(chip, X, Y, WORD, &word, sizeof word, &error), PENROSE_OK);
    return word;
}

static const struct penrose_goal one_step = {
    .size = sizeof one_step, .kind = PENROSE_GOAL_STEP, .x = X, .y = Y, .hart = PENROSE_BRISC};

static void go_back(struct penrose_history *history, struct penrose_chip **past,
                    const struct penrose_goal *goal, enum penrose_history_end wanted)
{
    enum penrose_history_end end;
    ck_assert_msg(penrose_history_back(history, past, goal, &end, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_int_eq(end, wanted);
}

static void go_forward(struct penrose_history *history, struct penrose_chip *past,
                       const struct penrose_goal *goal, enum penrose_history_end wanted)
{
    enum penrose_history_end end;
    ck_assert_msg(penrose_history_forward(history, past, goal, &end, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_int_eq(end, wanted);
}

TEST_EACH(steps_back_and_forth_lead_to_the_same_places, 2)
{
    enum { STEPS = 12 };
    static const uint32_t pcs[] = {BRANCH, STORE, INCREMENT};
    struct penrose_history *history;
    struct penrose_chip *chip = counting_chip(_i, &history), *past = NULL;
    uint64_t hash[STEPS];
    ck_assert_int_eq(penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run),
                                                             .cycles = 100000}),
                     PENROSE_QUIET);
    uint64_t present = penrose_state_hash(chip);
    go_back(history, &past, &one_step, PENROSE_HISTORY_STOP); /* the ebreak */
    ck_assert_uint_eq(value_of(past, "pc"), BRANCH + 4);
    for (unsigned i = 0; i < STEPS; i++) {
        go_back(history, &past, &one_step, PENROSE_HISTORY_STOP);
        ck_assert_uint_eq(value_of(past, "pc"), pcs[i % 3]);
        ck_assert_uint_eq(value_of(past, "t0"), TURNS - (i + 1) / 3);
        hash[i] = penrose_state_hash(past);
    }
    for (unsigned i = STEPS - 1; i-- > 0;) {
        go_forward(history, past, &one_step, PENROSE_HISTORY_STOP);
        ck_assert_uint_eq(value_of(past, "pc"), pcs[i % 3]);
        ck_assert_uint_eq(penrose_state_hash(past), hash[i]);
    }
    go_forward(history, past, &one_step, PENROSE_HISTORY_STOP);
    go_forward(history, past, &one_step, PENROSE_HISTORY_PRESENT);
    ck_assert_uint_eq(penrose_state_hash(past), present);
    ck_assert_uint_eq(penrose_state_hash(chip), present);
    penrose_chip_destroy(past);
    penrose_history_end(history);
    penrose_chip_destroy(chip);
}

TEST_EACH(breakpoints_are_hit_backwards, 2)
{
    const struct penrose_point point = {.size = sizeof point,
                                        .kind = PENROSE_BREAKPOINT,
                                        .x = X,
                                        .y = Y,
                                        .hart = PENROSE_NO_HART,
                                        .id = 7,
                                        .address = STORE};
    struct penrose_goal goal = {
        .size = sizeof goal, .kind = PENROSE_GOAL_POINTS, .point = &point, .points = 1};
    struct penrose_history *history;
    struct penrose_chip *chip = counting_chip(_i, &history), *past = NULL;
    struct penrose_stop stop;
    ck_assert_int_eq(penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run),
                                                             .cycles = 100000}),
                     PENROSE_QUIET);
    for (uint32_t turn = TURNS; turn > TURNS - 5; turn--) {
        go_back(history, &past, &goal, PENROSE_HISTORY_STOP);
        ck_assert_uint_eq(value_of(past, "pc"), STORE);
        ck_assert_uint_eq(value_of(past, "t0"), turn);
        ck_assert_uint_eq(word_of(past), turn - 1);
        ck_assert(penrose_history_stop_get(past, 0, &stop));
        ck_assert_uint_eq(stop.id, 7);
        ck_assert_uint_eq(stop.pc, STORE);
        ck_assert(!penrose_history_stop_get(past, 1, &stop));
    }
    goal.count = 1000; /* over several snapshots */
    go_back(history, &past, &goal, PENROSE_HISTORY_STOP);
    ck_assert_uint_eq(value_of(past, "t0"), TURNS - 4 - 1000);
    go_forward(history, past, &goal, PENROSE_HISTORY_STOP);
    ck_assert_uint_eq(value_of(past, "t0"), TURNS - 4);
    ck_assert_uint_eq(value_of(past, "pc"), STORE);
    goal.count = TURNS;
    go_back(history, &past, &goal, PENROSE_HISTORY_BEGIN);
    ck_assert_uint_eq(value_of(past, "pc"), CODE);
    ck_assert(!penrose_history_stop_get(past, 0, &stop));
    go_forward(history, past, &goal, PENROSE_HISTORY_STOP);
    ck_assert_uint_eq(value_of(past, "t0"), TURNS);
    penrose_chip_destroy(past);
    penrose_history_end(history);
    penrose_chip_destroy(chip);
}

/* --- The last writer --- */

/* Runs like random_host_run, and keeps the last stop. */
static void host_acts(struct random_host *host, bool collects, struct penrose_stop *last)
{
    for (unsigned i = 0; i < 12; i++) {
        struct penrose_run run = {.size = sizeof run, .cycles = 1500, .pass_quiet_time = true};
        uint64_t end = penrose_now(host->chip) + run.cycles;
        while (penrose_run(host->chip, &run) == PENROSE_PAUSED) {
            struct penrose_stop stop;
            for (size_t j = 0; collects && penrose_stop_get(host->chip, j, &stop); j++) {
                *last = stop.cycle >= last->cycle ? stop : *last;
            }
            run.cycles = end > penrose_now(host->chip) ? end - penrose_now(host->chip) : 0;
        }
        random_host_act(host);
    }
}

/* Without a watchpoint, and with one: the last stop of a run forward is the first one backwards. */
TEST_EACH(the_last_writer_is_that_of_a_run_forward, SANITIZED ? 8 : 24)
{
    const struct scene *scene = scene_at(1 + (unsigned)_i % 2); /* traffic and pushes */
    unsigned schedule = (unsigned)_i / 2 % 2 ? 3 : 0;           /* timed, or fast */
    static const uint32_t places[2][6] = {
        {0x20000, 0x20014, 0x40000, 0x50000, 0x50200, 0x80000}, /* harts, packets, atomics */
        {0x20000, 0x21000, 0x22000, 0x20000, 0x21000, 0x22000}};
    uint32_t seed = (uint32_t)_i;
    struct penrose_stop forward = {.id = 0}, back = {.id = 0};
    enum penrose_history_end end;
    struct penrose_chip *past = NULL;
    struct random_host host = {.chip = scene_chip(scene, schedule, 1), .seed = (uint32_t)_i + 100};
    struct random_host other = {.chip = scene_chip(scene, schedule, 1), .seed = (uint32_t)_i + 100};
    struct penrose_point point = {.size = sizeof point,
                                  .kind = PENROSE_WATCHPOINT,
                                  .x = (unsigned)_i % 2 ? 10 : 1 + scene_random(&seed, 3),
                                  .y = (unsigned)_i % 2 ? 5 : 2 + scene_random(&seed, 3),
                                  .hart = PENROSE_NO_HART,
                                  .address = places[_i % 2][_i / 4],
                                  .bytes = 4,
                                  .writes = true};
    ck_assert(scene->make(host.chip, 5) && scene->make(other.chip, 5));
    struct penrose_history *history = start_history(host.chip, 2000);
    random_host_connect(&host);
    random_host_connect(&other);
    host_acts(&host, false, NULL);
    ck_assert_int_eq(penrose_point_set(other.chip, &point, NULL, &error), PENROSE_OK);
    host_acts(&other, true, &forward);
    ck_assert_msg(penrose_history_last_writer(history, &past, point.x, point.y, PENROSE_NO_HART,
                                              point.address, 4, &back, &end, &error) == PENROSE_OK,
                  "%s", error.text);
    ck_assert_int_eq(end == PENROSE_HISTORY_STOP, forward.size != 0);
    ck_assert_uint_eq(back.cycle, forward.cycle);
    ck_assert_uint_eq(back.agent, forward.agent);
    ck_assert_uint_eq(back.pc, forward.pc);
    ck_assert_uint_eq(back.address, forward.address);
    ck_assert_uint_eq(back.size, forward.size);
    ck_assert_uint_eq(back.from_x, forward.from_x);
    penrose_chip_destroy(past);
    penrose_history_end(history);
    penrose_chip_destroy(host.chip);
    penrose_chip_destroy(other.chip);
}

/* Sends the word at 0x4000 to GDDR twice, and ends. */
static const char sending[] = "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0);"
                              "addi a3, zero, 1000; addi a3, a3, -1; bne a3, zero, 0x1010;"
                              "sw a4, 0x40(s0); ebreak";
enum { LAST_SEND = CODE + 24, DRAM_X = 17, DRAM_Y = 12, GDDR = 0x8000 };

static void check_gddr_writer(struct penrose_history *history, uint32_t address,
                              enum penrose_history_end wanted, enum penrose_agent agent,
                              uint32_t pc)
{
    struct penrose_chip *past = NULL;
    struct penrose_stop stop;
    enum penrose_history_end end;
    ck_assert_msg(penrose_history_last_writer(history, &past, DRAM_X, DRAM_Y, PENROSE_NO_HART,
                                              address, 4, &stop, &end, &error) == PENROSE_OK,
                  "%s", error.text);
    ck_assert_int_eq(end, wanted);
    if (end == PENROSE_HISTORY_STOP) {
        ck_assert_uint_eq(stop.agent, agent);
        ck_assert_uint_eq(stop.pc, pc);
        ck_assert_uint_eq(stop.from_x, agent == PENROSE_AGENT_NOC ? X : stop.from_x);
    }
    penrose_chip_destroy(past);
}

/* The host writes before any tile of the bank is there, and nothing makes one then. */
TEST_EACH(the_last_writer_of_gddr, 3)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 50000};
    struct penrose_options options = {.size = sizeof options, .timed = _i == 1};
    options.schedule = _i == 2 ? PENROSE_LOCKSTEP : PENROSE_FAST;
    const uint32_t words[32] = {1};
    struct penrose_chip *chip, *past;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_OK);
    struct penrose_history *history = start_history(chip, 1 << 20);
    ck_assert_int_eq(penrose_write(chip, DRAM_X, DRAM_Y + 1, GDDR, words, sizeof words, &error),
                     PENROSE_OK);
    command_fill(chip, X, Y, 0, COMMAND_WRITE, (struct command_end){X, Y, WORD},
                 (struct command_end){DRAM_X, DRAM_Y + 2, GDDR}, 64);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, sending);
    penrose_run(chip, &run);
    uint64_t hash = penrose_state_hash(chip);
    check_gddr_writer(history, GDDR + 60, PENROSE_HISTORY_STOP, PENROSE_AGENT_NOC, LAST_SEND);
    check_gddr_writer(history, GDDR + 64, PENROSE_HISTORY_STOP, PENROSE_AGENT_HOST, 0);
    check_gddr_writer(history, GDDR + 128, PENROSE_HISTORY_BEGIN, PENROSE_AGENT_HOST, 0);
    ck_assert_int_eq(penrose_history_past(history, penrose_now(chip), &past, &error), PENROSE_OK);
    ck_assert_uint_eq(penrose_state_hash(past), hash);
    penrose_chip_destroy(past);
    penrose_history_end(history);
    penrose_chip_destroy(chip);
}

/* --- A present that stands at a breakpoint --- */

TEST_EACH(a_present_may_stand_at_a_breakpoint, 2)
{
    struct penrose_point point = {.size = sizeof point,
                                  .kind = PENROSE_BREAKPOINT,
                                  .x = X,
                                  .y = Y,
                                  .hart = PENROSE_NO_HART,
                                  .address = STORE};
    const struct penrose_goal goal = {
        .size = sizeof goal, .kind = PENROSE_GOAL_POINTS, .point = &point, .points = 1};
    const struct penrose_run run = {.size = sizeof run, .cycles = 100000};
    struct penrose_history *history;
    struct penrose_chip *chip = counting_chip(_i, &history), *past = NULL;
    struct penrose_register t0;
    const uint32_t value[4] = {500};
    ck_assert(penrose_register_find(NULL, "t0", &t0));
    ck_assert_int_eq(penrose_point_set(chip, &point, NULL, &error), PENROSE_OK);
    for (uint32_t turn = 1; turn <= 20; turn++) {
        ck_assert_int_eq(penrose_run(chip, &run), PENROSE_PAUSED);
        ck_assert_uint_eq(value_of(chip, "t0"), turn < 11 ? turn : turn - 11 + 501);
        if (turn == 10) { /* a debugger changes it */
            ck_assert_int_eq(penrose_register_write(chip, X, Y, PENROSE_BRISC, t0, value, &error),
                             PENROSE_OK);
        }
    }
    ck_assert_uint_eq(value_of(chip, "t0"), 510);
    for (uint32_t turn = 509; turn > 500; turn--) {
        go_back(history, &past, &goal, PENROSE_HISTORY_STOP);
        ck_assert_uint_eq(value_of(past, "t0"), turn);
        ck_assert_uint_eq(value_of(past, "pc"), STORE);
    }
    go_back(history, &past, &goal, PENROSE_HISTORY_STOP);
    ck_assert_uint_eq(value_of(past, "t0"), 10); /* before it was changed */
    go_back(history, &past, &one_step, PENROSE_HISTORY_STOP);
    ck_assert_uint_eq(value_of(past, "pc"), INCREMENT);
    for (uint32_t turn = 1; turn < 11; turn++) {
        go_forward(history, past, &goal, PENROSE_HISTORY_STOP);
    }
    ck_assert_uint_eq(value_of(past, "t0"), 509);
    go_forward(history, past, &goal, PENROSE_HISTORY_PRESENT);
    ck_assert_uint_eq(value_of(past, "t0"), 510);
    ck_assert_uint_eq(value_of(past, "pc"), STORE);
    penrose_chip_destroy(past);
    penrose_history_end(history);
    penrose_chip_destroy(chip);
}

/* --- Points on several tiles --- */

enum { MOST_HITS = 1000, BREAKPOINT_ID = 1, WATCHPOINT_ID };

struct hits {
    struct penrose_stop stop[MOST_HITS];
    unsigned count;
};

static void run_to_hits(struct penrose_chip *chip, uint64_t cycles, struct hits *hits)
{
    const uint64_t end = penrose_now(chip) + cycles;
    struct penrose_run run = {.size = sizeof run, .cycles = cycles, .pass_quiet_time = true};
    while (penrose_run(chip, &run) == PENROSE_PAUSED) {
        for (size_t i = 0; penrose_stop_get(chip, i, &hits->stop[hits->count]); i++) {
            ck_assert_uint_lt(++hits->count, MOST_HITS);
        }
        run.cycles = end > penrose_now(chip) ? end - penrose_now(chip) : 0;
    }
}

static unsigned count_hits(const struct hits *hits, const struct penrose_stop *wanted)
{
    unsigned count = 0;
    for (unsigned i = 0; i < hits->count; i++) {
        const struct penrose_stop *stop = &hits->stop[i];
        count += stop->cycle == wanted->cycle && stop->pc == wanted->pc && stop->x == wanted->x &&
                 stop->y == wanted->y && stop->agent == wanted->agent &&
                 stop->address == wanted->address && stop->size == wanted->size;
    }
    return count;
}

/* A breakpoint at an instruction, and a watchpoint of what packets and harts write. */
static const struct {
    unsigned scene;
    unsigned x, y, watched_x, watched_y;
    uint32_t pc;
} several[] = {
    {1, 1, 2, 2, 3, 0x1028},   {1, 3, 4, 2, 3, 0x1028},   {2, 12, 5, 11, 5, 0x4190},
    {2, 11, 5, 12, 5, 0x4190}, {2, 12, 5, 12, 5, 0x4190}, /* a push that has to wait */
};

/* Each hit of a run forward is one backwards, and there are no others. The present has passed the
 * points, or has stopped at each. */
TEST_EACH(points_on_several_tiles_are_hit_backwards, 4 * (sizeof several / sizeof several[0]))
{
    const unsigned row = (unsigned)_i / 4, schedule = _i % 2 ? 3 : 0;
    const bool stops = _i / 2 % 2;
    const struct scene *scene = scene_at(several[row].scene);
    const struct penrose_point point[] = {{.size = sizeof point[0],
                                           .kind = PENROSE_BREAKPOINT,
                                           .x = several[row].x,
                                           .y = several[row].y,
                                           .hart = PENROSE_NO_HART,
                                           .id = BREAKPOINT_ID,
                                           .address = several[row].pc},
                                          {.size = sizeof point[0],
                                           .kind = PENROSE_WATCHPOINT,
                                           .x = several[row].watched_x,
                                           .y = several[row].watched_y,
                                           .hart = PENROSE_NO_HART,
                                           .id = WATCHPOINT_ID,
                                           .address = 0x20000,
                                           .bytes = 0x10000,
                                           .writes = true}};
    const struct penrose_goal goal = {
        .size = sizeof goal, .kind = PENROSE_GOAL_POINTS, .point = point, .points = 2};
    struct hits *forward = calloc(2, sizeof *forward);
    struct penrose_chip *chip = scene_chip(scene, schedule, 1 + (unsigned)_i % 3);
    struct penrose_chip *other = scene_chip(scene, schedule, 1), *past = NULL;
    enum penrose_history_end end = PENROSE_HISTORY_STOP;
    unsigned of_breakpoint = 0, back = 0;
    ck_assert(scene->make(chip, 5) && scene->make(other, 5));
    struct penrose_history *history = start_history(chip, 2000);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(penrose_point_set(other, &point[i], NULL, &error), PENROSE_OK);
        ck_assert(!stops || penrose_point_set(chip, &point[i], NULL, &error) == PENROSE_OK);
    }
    run_to_hits(other, 5000, &forward[0]);
    run_to_hits(chip, 5000, &forward[1]);
    ck_assert_uint_eq(forward[1].count, stops ? forward[0].count : 0);
    while (end == PENROSE_HISTORY_STOP) {
        struct penrose_stop stop;
        ck_assert_msg(penrose_history_back(history, &past, &goal, &end, &error) == PENROSE_OK, "%s",
                      error.text);
        if (end == PENROSE_HISTORY_STOP) {
            ck_assert(penrose_history_stop_get(past, 0, &stop));
            ck_assert_uint_eq(count_hits(forward, &stop), 1);
            of_breakpoint += stop.id == BREAKPOINT_ID;
            back++;
        }
    }
    ck_assert_uint_eq(back, forward[0].count);
    ck_assert_uint_gt(of_breakpoint, 0);
    ck_assert_uint_gt(back, of_breakpoint);
    penrose_chip_destroy(past);
    penrose_history_end(history);
    penrose_chip_destroy(chip);
    penrose_chip_destroy(other);
    free(forward);
}
