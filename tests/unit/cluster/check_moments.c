/*
 * A program on two linked chips has one state at each moment, however one comes to it: with any number
 * of host threads, without shortcuts, traced, from a snapshot, from a recording, and back and forth in
 * its history.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <penrose/debug.h>
#include <penrose/history.h>
#include <penrose/trace.h>

#include "chip/chip.h"
#include "observe/history/recording.h"
#include "observe/history/rerun.h"
#include "unit/chip/link_ends.h"
#include "unit/chip/state_difference.h"
#include "unit/test.h"

enum { X_A = 25, X_B = 31, MOMENTS = 5, BETWEEN = 7000, COMMAND = 4 /* ETH_TXQ_CMD of queue 0 */ };

/* Chip 1 has the end that begins. */
struct pair {
    struct penrose_cluster *cluster;
    struct penrose_chip *chip[2];
    struct link_end *end[2];
};

static struct penrose_error error;

static void open_chips(struct pair *pair, unsigned threads)
{
    pair->cluster = link_open_cluster(threads, 2, pair->chip);
    pair->end[0] = link_new_end(pair->chip[0], X_B);
    pair->end[1] = link_new_end(pair->chip[1], X_A);
}

/* Everything that a host does. */
static void start_program(struct pair *pair)
{
    const struct penrose_link_errors errors = {
        .size = sizeof errors, .rate = 0.1, .seed = 3, .down = 20000, .up = 21000};
    ck_assert_int_eq(
        penrose_ethernet_link(pair->chip[1], X_A, LINK_ROW, pair->chip[0], X_B, LINK_ROW, &error),
        PENROSE_OK);
    ck_assert_int_eq(penrose_ethernet_errors(pair->chip[0], X_B, LINK_ROW, &errors, &error),
                     PENROSE_OK);
    link_seed = 11;
    link_prepare(pair->end[0], false);
    link_prepare(pair->end[1], true);
    link_start(pair->end[0]);
    link_start(pair->end[1]);
}

static void close_pair(struct pair *pair)
{
    free(pair->end[0]);
    free(pair->end[1]);
    penrose_cluster_destroy(pair->cluster);
}

/* The state at some moments, and at the end. */
struct states {
    uint64_t hash[MOMENTS], cycle[MOMENTS];
    uint64_t last, end;
};

static void run_to_end(struct pair *pair, struct states *states)
{
    const struct penrose_run run = {
        .size = sizeof run, .cycles = LINK_CYCLES, .until = link_both_ended, .context = pair->end};
    ck_assert_int_eq(penrose_run(pair->chip[0], &run), PENROSE_CONDITION);
    link_check_arrived(pair->end[0], pair->end[1]);
    link_check_arrived(pair->end[1], pair->end[0]);
    states->last = penrose_cluster_state_hash(pair->cluster);
    states->end = penrose_now(pair->chip[1]);
}

static void run_all(struct pair *pair, struct states *states)
{
    for (unsigned i = 0; i < MOMENTS; i++) {
        link_pass(pair->chip[i % 2], BETWEEN);
        states->hash[i] = penrose_cluster_state_hash(pair->cluster);
        states->cycle[i] = penrose_now(pair->chip[0]);
    }
    run_to_end(pair, states);
}

static void compare_states(const struct states *a, const struct states *b)
{
    for (unsigned i = 0; i < MOMENTS; i++) {
        ck_assert_uint_eq(a->cycle[i], b->cycle[i]);
        ck_assert_uint_eq(a->hash[i], b->hash[i]);
    }
    ck_assert_uint_eq(a->end, b->end);
    ck_assert_uint_eq(a->last, b->last);
}

static struct states reference;

static void make_reference(void)
{
    struct pair pair;
    open_chips(&pair, 1);
    start_program(&pair);
    run_all(&pair, &reference);
    close_pair(&pair);
}

FIXTURE(make_reference, NULL);

/* --- However it runs --- */

struct seen {
    unsigned from; /* the chip that sends frames to this one */
    uint64_t events, frames;
};

static void take_event(void *context, const struct penrose_trace_event *event)
{
    struct seen *seen = context;
    seen->events++;
    if (event->agent == PENROSE_AGENT_ETHERNET) {
        ck_assert_int_eq(event->kind, PENROSE_TRACE_DATA);
        ck_assert_uint_eq(event->peer_chip, seen->from);
        ck_assert_uint_eq(event->peer_x, seen->from ? X_A : X_B);
        ck_assert_uint_eq(event->peer_y, LINK_ROW);
        seen->frames++;
    }
}

TEST_EACH(a_program_on_two_chips_has_one_state, 5)
{
    static const struct {
        unsigned threads;
        bool is_core, is_traced;
    } ways[] = {{.threads = 2},
                {.threads = 3},
                {.threads = 2, .is_core = true},
                {.threads = 1, .is_traced = true},
                {.threads = 3, .is_traced = true, .is_core = true}};
    struct pair pair;
    struct states states;
    struct seen seen[2] = {{.from = 1}, {.from = 0}};
    open_chips(&pair, ways[_i].threads);
    for (unsigned i = 0; i < 2; i++) {
        penrose_shortcuts_set(pair.chip[i], !ways[_i].is_core);
        if (ways[_i].is_traced) {
            ck_assert_int_eq(penrose_trace(pair.chip[i], "", take_event, &seen[i], &error),
                             PENROSE_OK);
        }
    }
    start_program(&pair);
    run_all(&pair, &states);
    compare_states(&states, &reference);
    for (unsigned i = 0; i < 2 && ways[_i].is_traced; i++) {
        ck_assert_uint_gt(seen[i].events, 1000);
        ck_assert_uint_ge(seen[i].frames, LINK_TRANSFERS);
    }
    close_pair(&pair);
}

/* --- From a snapshot --- */

TEST(a_snapshot_halfway_comes_to_the_same_end)
{
    struct pair pair, copy;
    struct states states;
    void *bytes;
    size_t size;
    open_chips(&pair, 1);
    start_program(&pair);
    link_pass(pair.chip[0], 3 * BETWEEN);
    ck_assert_int_eq(penrose_snapshot_to_memory(pair.chip[0], &bytes, &size, &error), PENROSE_OK);
    copy = pair;
    ck_assert_int_eq(penrose_snapshot_from_memory(NULL, bytes, size, &copy.chip[0], &error),
                     PENROSE_OK);
    copy.cluster = penrose_chip_cluster(copy.chip[0], NULL);
    copy.chip[1] = penrose_cluster_chip(copy.cluster, 1);
    copy.end[0]->chip = copy.chip[0];
    copy.end[1]->chip = copy.chip[1];
    ck_assert_uint_eq(penrose_cluster_state_hash(copy.cluster), reference.hash[2]);
    run_to_end(&copy, &states);
    ck_assert_uint_eq(states.last, reference.last);
    ck_assert_uint_eq(states.end, reference.end);
    penrose_cluster_destroy(copy.cluster);
    free(bytes);
    close_pair(&pair);
}

/* --- From a recording --- */

static char path[] = "/tmp/check_moments.XXXXXX";

static void record_program(bool is_linked_first)
{
    struct pair pair;
    struct states states;
    strcpy(path + sizeof path - 7, "XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    open_chips(&pair, 2);
    if (is_linked_first) { /* which its head tells */
        pair.chip[1]->identity.bus = 0x42;
        ck_assert_int_eq(
            penrose_ethernet_link(pair.chip[1], 20, LINK_ROW, pair.chip[0], 21, LINK_ROW, &error),
            PENROSE_OK);
        ck_assert_int_eq(
            penrose_ethernet_link(pair.chip[1], 22, LINK_ROW, pair.chip[1], 22, LINK_ROW, &error),
            PENROSE_OK);
    }
    ck_assert_int_eq(recording_start(pair.cluster, &error), PENROSE_OK);
    ck_assert_int_eq(recording_start(pair.cluster, &error), PENROSE_E_STATE);
    ck_assert_msg(recording_open(pair.cluster, path, &error) == PENROSE_OK, "%s", error.text);
    start_program(&pair);
    run_all(&pair, &states);
    if (is_linked_first) {
        reference = states;
    } else {
        compare_states(&states, &reference);
    }
    ck_assert(recording_stop(pair.cluster));
    close_pair(&pair);
}

TEST_EACH(a_recording_of_two_chips_comes_again, 2)
{
    struct journal *journal;
    struct recording_head head;
    struct penrose_cluster *cluster;
    enum journal_ending ending;
    enum rerun_end end = RERUN_DONE;
    struct rerun rerun;
    uint64_t windows = 0;
    record_program(_i == 1);
    ck_assert_msg(journal_load(path, 0, &journal, &ending, &error) == PENROSE_OK, "%s", error.text);
    ck_assert_int_eq(recording_head(journal, &head, &error), PENROSE_OK);
    ck_assert_uint_eq(head.chips, 2);
    ck_assert_str_eq(head.kind, "blackhole");
    head.options.threads = 2;
    ck_assert_int_eq(recording_make(journal, &chip_calls, &head.options, &cluster, &error),
                     PENROSE_OK);
    ck_assert_int_eq(rerun_begin(&rerun, cluster, journal, head.at, 0, &error), PENROSE_OK);
    ck_assert_uint_eq(chip_calls.plan(cluster->chip[1]).identity.bus, _i == 1 ? 0x42 : 0);
    for (unsigned i = 0; end == RERUN_DONE; windows++) {
        end = rerun_step(&rerun);
        if (i < MOMENTS && rerun.step.kind == JOURNAL_RAN) {
            ck_assert_uint_eq(cluster->time.now, reference.cycle[i]);
            ck_assert_uint_eq(penrose_cluster_state_hash(cluster), reference.hash[i]);
            i++;
        }
    }
    ck_assert_msg(end == RERUN_AT_END, "%s", rerun.difference);
    ck_assert_uint_gt(windows, 100);
    ck_assert_uint_eq(penrose_cluster_state_hash(cluster), reference.last);
    rerun_finish(&rerun);
    penrose_cluster_destroy(cluster);
    journal_destroy(journal);
    unlink(path);
}

/* --- Back and forth --- */

static struct penrose_cluster *cluster_of_past(struct penrose_chip *past)
{
    return penrose_chip_cluster(past, NULL);
}

static uint64_t hash_of_past(struct penrose_chip *past)
{
    return penrose_cluster_state_hash(cluster_of_past(past));
}

TEST(pasts_are_what_was)
{
    const struct penrose_history_options options = {.size = sizeof options, .distance = 10000};
    struct penrose_history *history, *second;
    struct penrose_chip *past;
    struct states states;
    struct pair pair;
    unsigned number;
    open_chips(&pair, 2);
    ck_assert_int_eq(penrose_history_start(pair.chip[1], &options, &history, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_history_start(pair.chip[0], &options, &second, &error),
                     PENROSE_E_STATE);
    start_program(&pair);
    run_all(&pair, &states);
    compare_states(&states, &reference);
    for (unsigned i = MOMENTS; i-- > 0;) {
        ck_assert_msg(penrose_history_past(history, states.cycle[i], &past, &error) == PENROSE_OK,
                      "%s", error.text);
        ck_assert_uint_eq(hash_of_past(past), states.hash[i]);
        penrose_chip_cluster(past, &number);
        ck_assert_uint_eq(number, 1);
        penrose_chip_destroy(past);
    }
    ck_assert_uint_eq(penrose_cluster_state_hash(pair.cluster), reference.last);
    penrose_history_end(history);
    close_pair(&pair);
}

/* For the latest transfer that one of the chips has begun. */
TEST_EACH(searches_go_over_all_chips, 2)
{
    const struct penrose_history_options options = {.size = sizeof options, .distance = 10000};
    struct penrose_history *history;
    struct penrose_chip *past = NULL;
    struct penrose_stop stop, again;
    struct states states;
    struct pair pair;
    const unsigned of = (unsigned)_i;
    enum penrose_history_end end;
    open_chips(&pair, 1 + of);
    ck_assert_int_eq(penrose_history_start(pair.chip[!of], &options, &history, &error), PENROSE_OK);
    start_program(&pair);
    run_all(&pair, &states);
    const struct penrose_point points[2] = {{.size = sizeof *points,
                                             .kind = PENROSE_WATCHPOINT,
                                             .chip = of,
                                             .x = pair.end[of]->x,
                                             .y = LINK_ROW,
                                             .hart = PENROSE_NO_HART,
                                             .address = LINK_REGISTERS + COMMAND,
                                             .bytes = 4,
                                             .writes = true,
                                             .id = 7},
                                            {.size = sizeof *points,
                                             .kind = PENROSE_BREAKPOINT,
                                             .chip = of,
                                             .x = pair.end[!of]->x, /* where nothing runs */
                                             .y = LINK_ROW,
                                             .hart = PENROSE_NCRISC,
                                             .address = LINK_CODE,
                                             .id = 8}};
    const struct penrose_goal sent = {
        .size = sizeof sent, .kind = PENROSE_GOAL_POINTS, .point = points, .points = 2};
    ck_assert_msg(penrose_history_back(history, &past, &sent, &end, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_int_eq(end, PENROSE_HISTORY_STOP);
    ck_assert(penrose_history_stop_get(past, 0, &stop));
    ck_assert_uint_eq(stop.id, 7);
    ck_assert_uint_eq(stop.chip, of);
    ck_assert_uint_lt(stop.cycle, states.end);
    const uint64_t hash = hash_of_past(past);
    /* Steps of both chips' harts, back and forth again. */
    for (unsigned i = 0; i < 4; i++) {
        struct penrose_hart_info before, behind;
        const struct penrose_goal step = {.size = sizeof step,
                                          .kind = PENROSE_GOAL_STEP,
                                          .chip = i % 2,
                                          .x = pair.end[i % 2]->x,
                                          .y = LINK_ROW,
                                          .hart = PENROSE_NCRISC,
                                          .count = 1 + 100 * i};
        ck_assert_msg(penrose_history_back(history, &past, &step, &end, &error) == PENROSE_OK, "%s",
                      error.text);
        ck_assert_int_eq(end, PENROSE_HISTORY_STOP);
        ck_assert(penrose_history_stop_get(past, 0, &again));
        ck_assert_uint_eq(again.chip, i % 2);
        penrose_hart_info(penrose_cluster_chip(cluster_of_past(past), i % 2), step.x, LINK_ROW,
                          PENROSE_NCRISC, &before, NULL);
        const struct penrose_goal next = {.size = sizeof next,
                                          .kind = PENROSE_GOAL_STEP,
                                          .chip = i % 2,
                                          .x = step.x,
                                          .y = LINK_ROW,
                                          .hart = PENROSE_NCRISC};
        ck_assert_int_eq(penrose_history_forward(history, past, &next, &end, &error), PENROSE_OK);
        penrose_hart_info(penrose_cluster_chip(cluster_of_past(past), i % 2), step.x, LINK_ROW,
                          PENROSE_NCRISC, &behind, NULL);
        ck_assert_uint_eq(behind.retired, before.retired + 1);
    }
    do { /* transfers before that one */
        ck_assert_int_eq(penrose_history_forward(history, past, &sent, &end, &error), PENROSE_OK);
        ck_assert_int_eq(end, PENROSE_HISTORY_STOP);
        ck_assert(penrose_history_stop_get(past, 0, &again));
    } while (again.cycle < stop.cycle);
    ck_assert_uint_eq(again.cycle, stop.cycle);
    ck_assert_uint_eq(hash_of_past(past), hash);
    ck_assert_int_eq(penrose_history_forward(history, past, &sent, &end, &error), PENROSE_OK);
    ck_assert_int_eq(end, PENROSE_HISTORY_PRESENT);
    ck_assert_uint_eq(states.last, reference.last);
    for (unsigned i = 0; i < 2; i++) {
        struct penrose_chip *own = penrose_cluster_chip(cluster_of_past(past), i);
        ck_assert_msg(penrose_state_hash(own) == penrose_state_hash(pair.chip[i]), "chip %u: %s", i,
                      state_difference(pair.chip[i], own));
    }
    penrose_chip_destroy(past);
    penrose_history_end(history);
    close_pair(&pair);
}

TEST(the_last_writer_is_one_of_the_chip_that_is_meant)
{
    const struct penrose_history_options options = {.size = sizeof options};
    for (unsigned of = 0; of < 2; of++) {
        struct penrose_history *history;
        struct penrose_chip *past = NULL;
        struct penrose_stop stop;
        struct states states;
        struct pair pair;
        enum penrose_history_end end;
        open_chips(&pair, 1);
        ck_assert_int_eq(penrose_history_start(pair.chip[of], &options, &history, &error),
                         PENROSE_OK);
        start_program(&pair);
        run_all(&pair, &states);
        ck_assert_int_eq(penrose_history_last_writer(history, &past, pair.end[of]->x, LINK_ROW,
                                                     PENROSE_NO_HART, LINK_REGISTERS + COMMAND, 4,
                                                     &stop, &end, &error),
                         PENROSE_OK);
        ck_assert_int_eq(end, PENROSE_HISTORY_STOP);
        ck_assert_uint_eq(stop.chip, of);
        ck_assert_uint_eq(stop.address, LINK_REGISTERS + COMMAND);
        penrose_chip_destroy(past);
        penrose_history_end(history);
        close_pair(&pair);
    }
}

/* --- Frames --- */

static void check_frame(const struct pair *pair, const struct penrose_stop *stop, unsigned of)
{
    char text[300], from[80];
    ck_assert_uint_eq(stop->chip, of);
    ck_assert_int_eq(stop->agent, PENROSE_AGENT_ETHERNET);
    ck_assert(stop->write);
    ck_assert_uint_le(stop->address, LINK_FLAG);
    ck_assert_uint_gt(stop->address + stop->size, LINK_FLAG);
    ck_assert_uint_eq(stop->from_chip, !of);
    ck_assert_uint_eq(stop->from_x, pair->end[!of]->x);
    ck_assert_uint_eq(stop->from_y, LINK_ROW);
    ck_assert_uint_ge(stop->pc, LINK_CODE);
    ck_assert_uint_lt(stop->pc, LINK_CODE + 0x100);
    penrose_stop_format(stop, text, sizeof text);
    snprintf(from, sizeof from, ", a frame of chip %u (%u, %u), sent at pc 0x30", !of, stop->from_x,
             stop->from_y);
    ck_assert_msg(strstr(text, from) != NULL, "%s", text);
}

TEST_EACH(a_watchpoint_stops_at_a_frame_of_the_other_chip, 2)
{
    struct penrose_stop stop;
    struct states states;
    struct pair pair;
    const unsigned of = (unsigned)_i;
    open_chips(&pair, 1 + of);
    const struct penrose_point flag = {.size = sizeof flag,
                                       .kind = PENROSE_WATCHPOINT,
                                       .x = pair.end[of]->x,
                                       .y = LINK_ROW,
                                       .hart = PENROSE_NO_HART,
                                       .address = LINK_FLAG,
                                       .bytes = 4,
                                       .writes = true,
                                       .once = true};
    const struct penrose_run run = {.size = sizeof run, .cycles = LINK_CYCLES};
    start_program(&pair);
    ck_assert_int_eq(penrose_point_set(pair.chip[of], &flag, NULL, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_run(pair.chip[0], &run), PENROSE_PAUSED);
    ck_assert(penrose_stop_get(pair.chip[of], 0, &stop));
    check_frame(&pair, &stop, of);
    run_to_end(&pair, &states);
    ck_assert_uint_eq(states.end, reference.end);
    ck_assert_uint_eq(states.last, reference.last);
    close_pair(&pair);
}

TEST_EACH(the_last_writer_may_be_a_frame_of_the_other_chip, 2)
{
    const struct penrose_history_options options = {.size = sizeof options, .distance = 10000};
    struct penrose_history *history;
    struct penrose_chip *past = NULL;
    struct penrose_stop stop;
    struct states states;
    struct pair pair;
    const unsigned of = (unsigned)_i;
    enum penrose_history_end end;
    open_chips(&pair, 1);
    ck_assert_int_eq(penrose_history_start(pair.chip[of], &options, &history, &error), PENROSE_OK);
    start_program(&pair);
    run_all(&pair, &states);
    ck_assert_int_eq(penrose_history_last_writer(history, &past, pair.end[of]->x, LINK_ROW,
                                                 PENROSE_NO_HART, LINK_FLAG, 4, &stop, &end,
                                                 &error),
                     PENROSE_OK);
    ck_assert_int_eq(end, PENROSE_HISTORY_STOP);
    check_frame(&pair, &stop, of);
    penrose_chip_destroy(past);
    penrose_history_end(history);
    close_pair(&pair);
}

TEST(goals_name_chips_that_there_are)
{
    struct penrose_history *history;
    struct penrose_chip *past = NULL;
    enum penrose_history_end end;
    struct pair pair;
    open_chips(&pair, 1);
    ck_assert_int_eq(penrose_history_start(pair.chip[0], NULL, &history, &error), PENROSE_OK);
    const struct penrose_goal step = {.size = sizeof step,
                                      .kind = PENROSE_GOAL_STEP,
                                      .chip = 2,
                                      .x = X_A,
                                      .y = LINK_ROW,
                                      .hart = PENROSE_NCRISC};
    ck_assert_int_eq(penrose_history_back(history, &past, &step, &end, &error), PENROSE_E_ARGUMENT);
    ck_assert_str_eq(error.text, "there is no chip 2; chips are numbered from 0 to 1");
    penrose_history_end(history);
    close_pair(&pair);
}
