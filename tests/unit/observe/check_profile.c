/*
 * Profiles of events that are made by hand: cycles of lanes, lines and waits are what they are to be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/calls.h"
#include "observe/profile/flame.h"
#include "observe/profile/perfetto.h"
#include "observe/profile/profile.h"
#include "tile/timing.h"
#include "unit/test.h"

enum { MATH = PROFILE_FIRST_THREAD + 1, CHIP = 3 };

static struct profile *profile;

static void begin_profile(void)
{
    profile = profile_create(&chip_calls, CHIP, &(struct profile_peaks){.niu = 62, .dram = 376});
    ck_assert_ptr_nonnull(profile);
}

static void end_profile(void)
{
    profile_destroy(profile);
}

static struct penrose_trace_event made_event(enum penrose_trace_kind kind, uint64_t cycle,
                                             int thread, unsigned line)
{
    return (struct penrose_trace_event){.kind = kind,
                                        .x = 1,
                                        .y = 2,
                                        .agent = (enum penrose_agent)PENROSE_TRISC1,
                                        .agent_name = "trisc1",
                                        .thread = thread,
                                        .cycle = cycle,
                                        .what = "",
                                        .symbol = "kernel_main",
                                        .source = "kernel.c",
                                        .line = line,
                                        .inlined_at = "",
                                        .kernel = "",
                                        .cause = {.thread = -1}};
}

static void executes(uint64_t cycle, unsigned line)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, line);
    profile_take(profile, &event);
}

static void waits(uint64_t cycle, unsigned line, const char *what)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, cycle, -1, line);
    event.begins = true;
    event.what = what;
    profile_take(profile, &event);
}

static void goes_on(uint64_t cycle, uint64_t waited)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, cycle, -1, 0);
    event.waited = waited;
    profile_take(profile, &event);
}

static void math_waits(uint64_t cycle, const char *what)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, cycle, 1, 0);
    event.begins = true;
    event.what = what;
    profile_take(profile, &event);
}

static void math_executes(uint64_t cycle, uint64_t waited, unsigned line)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_TENSIX, cycle, 1, line);
    event.waited = waited;
    profile_take(profile, &event);
}

static void expect_cycles(unsigned lane, uint64_t busy, uint64_t waiting, uint64_t idle)
{
    struct profile_cycles cycles = profile_lane_cycles(profile, lane);
    ck_assert_uint_eq(cycles.busy, busy);
    ck_assert_uint_eq(cycles.waiting, waiting);
    ck_assert_uint_eq(cycles.idle, idle);
}

/* The row of a line, busy or in that wait. */
static const struct profile_row *row_at(unsigned lane, unsigned line, const char *what)
{
    for (size_t i = 0; i < profile->rows; i++) {
        const struct profile_row *row = &profile->row[i];
        bool is_wanted = what ? row->waits && strcmp(row->waits, what) == 0 : !row->waits;
        if (row->lane == lane && row->line == line && is_wanted) {
            return row;
        }
    }
    ck_abort_msg("lane %u has no row of line %u, %s", lane, line, what ? what : "busy");
}

static void expect_row(unsigned lane, unsigned line, const char *what, uint64_t cycles,
                       uint64_t count)
{
    const struct profile_row *row = row_at(lane, line, what);
    ck_assert_uint_eq(row->cycles, cycles);
    ck_assert_uint_eq(row->count, count);
    ck_assert_str_eq(row->symbol, "kernel_main");
    ck_assert_str_eq(row->source, "kernel.c");
}

TEST(cycles_of_a_hart_belong_to_what_was_under_way)
{
    begin_profile();
    executes(10, 1); /* up to 13 */
    executes(13, 2); /* up to 14, where it waits */
    waits(14, 3, "the queue");
    goes_on(44, 30);
    executes(44, 3);
    executes(45, 1); /* up to the last event */
    math_executes(50, 0, 9);
    profile_end(profile);
    expect_cycles(PENROSE_TRISC1, 3 + 1 + 1 + 5, 30, 0);
    expect_row(PENROSE_TRISC1, 1, NULL, 3 + 5, 2);
    expect_row(PENROSE_TRISC1, 2, NULL, 1, 1);
    expect_row(PENROSE_TRISC1, 3, NULL, 1, 1);
    expect_row(PENROSE_TRISC1, 3, "the queue", 30, 1);
    ck_assert_uint_eq(profile->row[0].cycles, 30); /* sorted */
    end_profile();
}

TEST(a_wait_that_does_not_end_is_charged)
{
    begin_profile();
    executes(0, 1);
    waits(1, 2, "L1");
    math_executes(100, 0, 9);
    profile_end(profile);
    expect_row(PENROSE_TRISC1, 2, "L1", 99, 1);
    ck_assert_ptr_eq(profile_wait(profile, PENROSE_TRISC1), row_at(PENROSE_TRISC1, 2, "L1"));
    ck_assert_ptr_null(profile_wait(profile, MATH));
    end_profile();
}

TEST(a_thread_is_busy_waits_or_has_nothing)
{
    begin_profile();
    math_executes(5, 0, 1);
    math_executes(6, 0, 1);
    math_executes(10, 0, 2); /* nothing from 7 to 9 */
    math_waits(13, "SrcA");
    math_executes(20, 7, 3); /* nothing in 11 and 12 */
    profile_end(profile);
    expect_cycles(MATH, 4, 7, 5);
    expect_row(MATH, 1, NULL, 2, 2);
    expect_row(MATH, 3, NULL, 1, 1);
    expect_row(MATH, 3, "SrcA", 7, 1);
    char text[200];
    profile_bound(profile, text, sizeof text);
    ck_assert_str_eq(
        text, "math (thread 1) is busiest, for 25 % of its time; what it waits for longest: SrcA");
    end_profile();
}

TEST(waves_have_all_busy_cycles_however_long_the_run)
{
    begin_profile();
    executes(1000, 1);
    for (uint64_t cycle = 1001; cycle < 100000; cycle += 97) {
        executes(cycle, 1);
    }
    profile_end(profile);
    uint64_t sum = 0;
    for (unsigned i = 0; i < PROFILE_WAVES; i++) {
        sum += profile->wave[PENROSE_TRISC1][i];
    }
    ck_assert_uint_eq(sum, profile_lane_cycles(profile, PENROSE_TRISC1).busy);
    ck_assert_uint_gt(profile->wave_width, 500);
    end_profile();
}

TEST(harts_of_other_tiles_have_lanes_of_their_own)
{
    begin_profile();
    executes(0, 1);
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, 0, -1, 7);
    event.agent = (enum penrose_agent)PENROSE_BRISC;
    event.x = 20;
    for (unsigned i = 0; i < 8; i++) { /* more than there are lanes */
        char name[16];
        snprintf(name, sizeof name, "erisc%u", i);
        event.agent_name = name;
        event.cycle = i;
        profile_take(profile, &event);
    }
    profile_end(profile);
    ck_assert_ptr_null(profile->lane_name[PENROSE_BRISC]);
    ck_assert_str_eq(profile->lane_name[PENROSE_TRISC1], "trisc1");
    ck_assert_str_eq(profile->lane_name[PROFILE_OTHERS], "erisc0");
    ck_assert_str_eq(profile->lane_name[PROFILE_OTHERS + 1], "erisc1");
    end_profile();
}

/* --- Launches and critical paths --- */

/* A hart of a tile of row 2 executes an instruction of the kernel (empty: of firmware). */
static void runs(unsigned x, enum penrose_hart hart, const char *kernel, uint64_t cycle,
                 unsigned line)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, line);
    event.x = x;
    event.agent = (enum penrose_agent)hart;
    event.agent_name = penrose_agent_name(event.agent);
    event.kernel = kernel;
    profile_take(profile, &event);
}

/* It waits until somebody makes the wait end. */
static void is_released(unsigned x, enum penrose_hart hart, uint64_t since, uint64_t cycle,
                        const char *what, unsigned by_x, enum penrose_hart by, uint64_t by_cycle)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, since, -1, 90);
    event.x = x;
    event.agent = (enum penrose_agent)hart;
    event.agent_name = penrose_agent_name(event.agent);
    event.kernel = "k";
    event.begins = true;
    event.what = "L1";
    profile_take(profile, &event);
    event.begins = false;
    event.cycle = cycle;
    event.waited = cycle - since;
    event.what = what;
    event.cause = (struct penrose_trace_cause){.is_known = true,
                                               .x = by_x,
                                               .y = 2,
                                               .agent = (enum penrose_agent)by,
                                               .thread = -1,
                                               .cycle = by_cycle};
    profile_take(profile, &event);
}

static void sends(unsigned x, enum penrose_hart hart, const char *what, uint64_t cycle,
                  unsigned bytes, enum penrose_tile_kind to)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, cycle, -1, 0);
    event.x = x;
    event.agent = (enum penrose_agent)hart;
    event.begins = true;
    event.what = what;
    event.size = bytes;
    event.peer_kind = to;
    profile_take(profile, &event);
}

static const struct profile_launch *launch_at(size_t number)
{
    ck_assert_uint_lt(number, profile->launches);
    return &profile->launch[number];
}

TEST(the_critical_path_goes_to_who_was_waited_for)
{
    begin_profile();
    runs(1, PENROSE_BRISC, "k", 0, 1); /* works up to 50, when it lets trisc1 go */
    runs(1, PENROSE_TRISC1, "k", 0, 5);
    runs(1, PENROSE_BRISC, "k", 50, 2);
    is_released(1, PENROSE_TRISC1, 5, 60, "store", 1, PENROSE_BRISC, 50);
    runs(1, PENROSE_TRISC1, "k", 60, 6); /* up to 100 */
    runs(1, PENROSE_BRISC, "", 70, 0);
    runs(1, PENROSE_TRISC1, "", 100, 0);
    profile_end(profile);
    ck_assert_uint_eq(profile->launches, 1);
    const struct profile_launch *launch = launch_at(0);
    ck_assert_uint_eq(launch->last - launch->first, 100);
    ck_assert_uint_eq(launch->part[PATH_HARTS], 100);
    ck_assert_uint_eq(row_at(PENROSE_BRISC, 1, NULL)->critical, 50);
    ck_assert_uint_eq(row_at(PENROSE_BRISC, 2, NULL)->critical, 0);
    ck_assert_uint_eq(row_at(PENROSE_TRISC1, 90, "L1")->critical, 10);
    ck_assert_uint_eq(row_at(PENROSE_TRISC1, 5, NULL)->critical, 0);
    ck_assert_uint_eq(row_at(PENROSE_TRISC1, 6, NULL)->critical, 40);
    uint64_t all;
    const struct profile_row **row = profile_critical_rows(profile, &all);
    ck_assert_uint_eq(all, 100);
    ck_assert_ptr_eq(row[0], row_at(PENROSE_BRISC, 1, NULL));
    ck_assert_ptr_null(row[3]);
    free(row);
    end_profile();
}

/* What a request was asked for while the hart did something else counts from the request on. */
TEST(a_packet_is_under_way_from_its_request_on)
{
    static const struct {
        const char *what;
        enum path_part part;
        const char *bound;
    } rows[] = {
        {"read response", PATH_NOC,
         "bound by the NoC (91 % of the critical path). A tile sends 5.0 and asks for 10.0 bytes a "
         "cycle, 16 % of its peak. Longest on the path: ncrisc in kernel_main, L1, 91 %"},
        {"read response from DRAM", PATH_DRAM,
         "bound by DRAM (91 % of the critical path). DRAM moves 10.0 bytes a cycle, 3 % of its "
         "peak. Longest on the path: ncrisc in kernel_main, L1, 91 %"}};
    for (unsigned i = 0; i < COUNT(rows); i++) {
        begin_profile();
        runs(1, PENROSE_NCRISC, "reader", 10, 1);
        runs(1, PENROSE_NCRISC, "reader", 20, 2); /* asks */
        sends(1, PENROSE_NCRISC, "read", 20, 1100, PENROSE_TILE_DRAM);
        sends(1, PENROSE_NCRISC, "write", 20, 550, PENROSE_TILE_TENSIX);
        runs(1, PENROSE_NCRISC, "reader", 30, 3);
        is_released(1, PENROSE_NCRISC, 40, 120, rows[i].what, 1, PENROSE_NCRISC, 20);
        runs(1, PENROSE_NCRISC, "", 120, 0);
        profile_end(profile);
        const struct profile_launch *launch = launch_at(0);
        char name[100], bound[500];
        profile_launch_name(launch, name, sizeof name);
        ck_assert_str_eq(name, "reader, 1 tile");
        ck_assert_uint_eq(launch->part[rows[i].part], 100);
        ck_assert_uint_eq(launch->part[PATH_HARTS], 10);
        profile_launch_bound(profile, launch, bound, sizeof bound);
        ck_assert_str_eq(bound, rows[i].bound);
        end_profile();
    }
}

/* A packet of another tile leads there. */
TEST(the_critical_path_goes_to_other_tiles)
{
    begin_profile();
    runs(3, PENROSE_NCRISC, "sender", 0, 7);
    runs(1, PENROSE_BRISC, "receiver", 0, 1);
    runs(3, PENROSE_NCRISC, "sender", 80, 8); /* sends */
    is_released(1, PENROSE_BRISC, 10, 100, "write", 3, PENROSE_NCRISC, 80);
    runs(3, PENROSE_NCRISC, "", 90, 0);
    runs(1, PENROSE_BRISC, "", 100, 0);
    profile_end(profile);
    ck_assert_uint_eq(row_at(PENROSE_NCRISC, 7, NULL)->critical, 80);
    ck_assert_uint_eq(launch_at(0)->part[PATH_NOC], 20);
    ck_assert_uint_eq(launch_at(0)->tiles[PROFILE_WORKERS], 2);
    ck_assert_uint_eq(launch_at(0)->kernels, 2);
    end_profile();
}

TEST(a_thread_without_instructions_leads_to_its_hart)
{
    begin_profile();
    runs(1, PENROSE_TRISC1, "k", 0, 4); /* pushes in cycle 30 */
    runs(1, PENROSE_TRISC1, "k", 30, 5);
    math_executes(33, 0, 9);
    math_executes(50, 0, 9); /* its hart has not moved */
    runs(1, PENROSE_TRISC1, "", 51, 0);
    profile_end(profile);
    ck_assert_uint_eq(launch_at(0)->last, 51);
    profile->launch[0].end = path_end(&profile->path, MATH);
    memset(profile->launch[0].part, 0, sizeof profile->launch[0].part);
    profile->launch[0].has_path = false;
    profile_find_paths(profile);
    ck_assert_uint_eq(launch_at(0)->part[PATH_HARTS], 33);
    ck_assert_uint_eq(launch_at(0)->part[PATH_MATH], 18);
    end_profile();
}

/* No chip tells of such, but a file may. */
TEST(a_thread_that_a_hart_has_released_leads_there)
{
    begin_profile();
    runs(1, PENROSE_BRISC, "k", 0, 1);
    math_executes(0, 0, 9);
    runs(1, PENROSE_BRISC, "k", 30, 2);
    struct penrose_trace_event event = made_event(PENROSE_TRACE_TENSIX, 40, 1, 9);
    event.waited = 39;
    event.cause = (struct penrose_trace_cause){.is_known = true,
                                               .x = 1,
                                               .y = 2,
                                               .agent = (enum penrose_agent)PENROSE_BRISC,
                                               .thread = -1,
                                               .cycle = 30};
    profile_take(profile, &event);
    runs(1, PENROSE_BRISC, "", 41, 0);
    profile_end(profile);
    struct path *path = &profile->path;
    const struct path_step *step = &path->step[path->step[path_end(path, MATH) - 1].before - 1];
    ck_assert_uint_eq(step->part, PATH_HARTS);
    ck_assert_uint_eq(step->begin, 30);
    ck_assert_uint_eq(path->step[step->before - 1].end, 30);
    end_profile();
}

TEST(a_hart_has_one_kernel_in_a_launch)
{
    begin_profile();
    for (unsigned i = 0; i < 3; i++) {
        uint64_t begin = 100 * i;
        runs(1, PENROSE_BRISC, "", begin + 5, 0);
        runs(1, PENROSE_BRISC, i == 1 ? "b" : "a", begin + 10, 1);
        runs(2, PENROSE_NCRISC, i == 1 ? "b" : "a", begin + 12, 1);
        runs(1, PENROSE_BRISC, "", begin + 20, 0);
        runs(2, PENROSE_NCRISC, "", begin + 30, 0);
    }
    profile_end(profile);
    ck_assert_uint_eq(profile->launches, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(launch_at(i)->tiles[PROFILE_WORKERS], 2);
        ck_assert_uint_eq(launch_at(i)->kernels, 1);
        ck_assert_str_eq(launch_at(i)->kernel[0], i == 1 ? "b" : "a");
        ck_assert_uint_eq(launch_at(i)->first, 100 * i + 10);
        ck_assert_uint_eq(launch_at(i)->last, 100 * i + 30);
        ck_assert_uint_eq(launch_at(i)->lane[PENROSE_NCRISC].busy, 18);
    }
    end_profile();
}

/* Harts that had no kernel in the launch before begin another one, when their tile has waited for work. */
TEST(a_tile_that_has_waited_for_work_begins_another_launch)
{
    for (unsigned waits = 0; waits < 2; waits++) {
        begin_profile();
        runs(1, PENROSE_BRISC, "a", 10, 1);
        runs(1, PENROSE_BRISC, "", 50, 1);
        if (waits) {
            is_released(1, PENROSE_BRISC, 60, 90, "write", 1, PENROSE_NCRISC, 85);
        }
        runs(1, PENROSE_TRISC0, "b", 100, 1);
        runs(1, PENROSE_TRISC0, "", 110, 1);
        profile_end(profile);
        ck_assert_uint_eq(profile->launches, 1 + waits);
        end_profile();
    }
}

/* What the thread did last is over when the hart's wait is. */
static void erisc_runs(const char *kernel, uint64_t cycle)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, 1);
    event.x = 9;
    event.agent = (enum penrose_agent)PENROSE_BRISC;
    event.agent_name = "erisc0";
    event.kernel = kernel;
    profile_take(profile, &event);
}

/* A kernel of an Ethernet tile belongs to the launch in which it begins. One that does not end, and one
 * that ends in the next launch, make it no longer. */
TEST(kernels_of_other_tiles_belong_to_launches)
{
    static const struct {
        uint64_t begin, end; /* 0: it does not end */
        unsigned others;
        uint64_t last;
    } rows[] = {{5, 60, 1, 60}, {5, 20, 1, 40}, {5, 0, 1, 40}, {5, 110, 1, 40}, {50, 60, 0, 40}};
    for (unsigned i = 0; i < COUNT(rows); i++) {
        begin_profile();
        for (uint64_t cycle = 0; cycle < 150; cycle++) {
            if (cycle == 0 || cycle == 100) {
                runs(1, PENROSE_BRISC, "worker", cycle, 1);
            } else if (cycle == 40 || cycle == 140) {
                runs(1, PENROSE_BRISC, "", cycle, 2);
            } else if (cycle == rows[i].begin) {
                erisc_runs("sender", cycle);
            } else if (cycle == rows[i].end) {
                erisc_runs("", cycle);
            }
        }
        profile_end(profile);
        ck_assert_uint_eq(profile->launches, 2);
        ck_assert_uint_eq(launch_at(0)->tiles[PROFILE_WORKERS], 1);
        ck_assert_uint_eq(launch_at(0)->tiles[PROFILE_ETHERNET], rows[i].others);
        ck_assert_uint_eq(launch_at(0)->kernels, 1 + rows[i].others);
        ck_assert_uint_eq(launch_at(0)->last, rows[i].last);
        ck_assert_uint_eq(launch_at(1)->last, 140);
        end_profile();
    }
}

static void expect_written(void (*write)(const struct profile *profile, FILE *file),
                           const char *wanted)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(file);
    write(profile, file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_msg(strstr(text, wanted) != NULL, "no %s in %s", wanted, text);
    free(text);
}

/* Folders do not matter, however many they are. A label is cut between letters. */
TEST(a_flame_graph_has_names_of_files)
{
    enum { LETTERS = 100, FITTING = 78 };
    char source[400], symbol[2 * LETTERS + 2] = "a", label[2 * FITTING + 16] = ">a";
    memset(source, 'd', sizeof source);
    snprintf(&source[300], sizeof source - 300, "/kernel.c");
    for (unsigned i = 0; i < LETTERS; i++) {
        strcat(symbol, "\u00e4");
        strcat(label, i < FITTING ? "\u00e4" : "");
    }
    strcat(label, "..</text>");
    begin_profile();
    for (unsigned i = 0; i < 2; i++) {
        struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, 10 * i, -1, 7);
        event.source = source;
        event.symbol = symbol;
        event.begins = i == 0;
        event.what = "L1";
        profile_take(profile, &event);
    }
    profile_end(profile);
    expect_written(flame_page, "<title>kernel.c:7: 10 cycles, ");
    expect_written(flame_page, label);
    end_profile();
}

static void erisc_sends(uint64_t cycle, uint32_t size)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, cycle, -1, 1);
    event.x = 9;
    event.agent = (enum penrose_agent)PENROSE_BRISC;
    event.agent_name = "erisc0";
    event.begins = true;
    event.what = "write";
    event.size = size;
    profile_take(profile, &event);
}

/* Shares are those of workers, which other tiles of the launch do not make smaller. */
TEST(other_tiles_leave_shares_of_workers_alone)
{
    for (unsigned others = 0; others < 2; others++) {
        char text[512];
        begin_profile();
        runs(1, PENROSE_TRISC1, "worker", 0, 1);
        if (others) {
            erisc_runs("sender", 0);
            erisc_sends(1, 500);
            erisc_runs("sender", 10);
            erisc_runs("", 20);
        }
        for (uint64_t cycle = 30; cycle < 80; cycle++) {
            math_executes(cycle, 0, 9);
        }
        runs(1, PENROSE_TRISC1, "worker", 80, 2);
        runs(1, PENROSE_TRISC1, "", 100, 3);
        profile_end(profile);
        profile_launch_bound(profile, launch_at(0), text, sizeof text);
        ck_assert_msg(strstr(text, "The busiest hart is trisc1, for 100 % of the time. ") != NULL,
                      "%s", text);
        ck_assert_msg(strstr(text, ". Math is busy for 50 % of the time") != NULL, "%s", text);
        profile_launch_name(launch_at(0), text, sizeof text);
        ck_assert_str_eq(text, others ? "worker, sender, 1 tile, 1 of Ethernet" : "worker, 1 tile");
        ck_assert_uint_eq(launch_at(0)->bytes[PROFILE_ETHERNET].sent, others ? 500 : 0);
        ck_assert_uint_eq(launch_at(0)->bytes[PROFILE_WORKERS].sent, 0);
        expect_written(profile_operations,
                       "\n\"worker\",tt_dnn_device,1,3,blackhole,1,74,0,,,,,,\n");
        end_profile();
    }
}

/* What others do than harts is in no lane. */
TEST(other_agents_have_no_lane)
{
    begin_profile();
    erisc_runs("sender", 0);
    for (unsigned agent = PENROSE_HARTS; agent < PENROSE_AGENTS; agent++) {
        struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, agent, -1, 1);
        event.agent = (enum penrose_agent)agent;
        event.agent_name = penrose_agent_name(event.agent);
        profile_take(profile, &event);
        event.kind = PENROSE_TRACE_NOC;
        event.begins = true;
        event.what = "write";
        event.size = 64;
        profile_take(profile, &event);
    }
    profile_end(profile);
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        const char *name = profile->lane_name[lane];
        ck_assert(lane == PROFILE_OTHERS ? strcmp(name, "erisc0") == 0 : !name);
    }
    for (size_t i = 0; i < profile->tiles; i++) {
        ck_assert_uint_eq(profile->tile[i].bytes.sent, 0);
    }
    end_profile();
}

TEST(each_cycle_of_a_launch_is_on_its_path)
{
    begin_profile();
    runs(1, PENROSE_TRISC1, "k", 0, 1);
    runs(1, PENROSE_TRISC1, "k", 9, 2); /* pushes */
    math_executes(10, 0, 9);
    struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, 20, -1, 3);
    event.begins = true;
    event.what = "the coprocessor";
    profile_take(profile, &event);
    event.begins = false;
    event.cycle = 60;
    event.waited = 40;
    event.what = "";
    event.cause = (struct penrose_trace_cause){
        .is_known = true, .x = 1, .y = 2, .agent = event.agent, .thread = 1, .cycle = 60};
    profile_take(profile, &event);
    runs(1, PENROSE_TRISC1, "k", 60, 4);
    runs(1, PENROSE_TRISC1, "", 100, 5);
    profile_end(profile);
    ck_assert_uint_eq(launch_at(0)->part[PATH_HARTS], 9 + 1 + 40);
    ck_assert_uint_eq(launch_at(0)->part[PATH_MATH], 1 + 49);
    ck_assert_uint_eq(launch_at(0)->last - launch_at(0)->first, 100);
    end_profile();
}

/* The hart is in the same line when it has left its kernel. */
TEST(a_path_ends_with_its_launch)
{
    begin_profile();
    runs(1, PENROSE_BRISC, "k", 0, 1);
    runs(1, PENROSE_BRISC, "", 10, 1);
    runs(1, PENROSE_BRISC, "", 50, 2);
    profile_end(profile);
    ck_assert_uint_eq(launch_at(0)->last, 10);
    ck_assert_uint_eq(launch_at(0)->part[PATH_HARTS], 10);
    end_profile();
}

/* Without a kernel and with one: brisc works longest, and then all wait for ever. */
TEST(a_path_ends_with_the_latest_work)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *kernel = i ? "k" : "";
        begin_profile();
        runs(1, PENROSE_BRISC, kernel, 0, 1);
        runs(1, PENROSE_TRISC1, kernel, 0, 2);
        waits(50, 3, "L1");
        runs(1, PENROSE_BRISC, kernel, 80, 1);
        struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, 90, -1, 4);
        event.agent = (enum penrose_agent)PENROSE_BRISC;
        event.agent_name = "brisc";
        event.begins = true;
        event.what = "L1";
        profile_take(profile, &event);
        sends(2, PENROSE_NCRISC, "write", 200, 4, PENROSE_TILE_TENSIX);
        profile_end(profile);
        ck_assert_uint_eq(profile->launches, 1);
        ck_assert_uint_eq(launch_at(0)->part[PATH_HARTS], 90);
        ck_assert_uint_eq(row_at(PENROSE_BRISC, 1, NULL)->critical, 90);
        end_profile();
    }
}

TEST(peaks_are_those_of_the_chip)
{
    static const struct {
        const char *card, *costs;
        unsigned banks, bytes;
    } rows[] = {{"p150a", NULL, 8, 1}, {"p150a", "dram=2x", 8, 2}, {"p100a", NULL, 7, 1}};
    for (unsigned i = 0; i < COUNT(rows); i++) {
        const struct penrose_options options = {
            .size = sizeof options, .timed = true, .card = rows[i].card, .costs = rows[i].costs};
        struct penrose_chip *chip;
        ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
        ck_assert_uint_eq(profile_peaks(chip).dram,
                          rows[i].banks * rows[i].bytes * tile_costs.rate[TIMING_DRAM_BANK_BYTES]);
        penrose_chip_destroy(chip);
    }
}

TEST(a_profile_says_what_its_trace_lacks)
{
    for (unsigned has_causes = 0; has_causes < 2; has_causes++) {
        char text[256];
        begin_profile();
        runs(1, PENROSE_BRISC, "k", 0, 1);
        is_released(1, PENROSE_BRISC, 5, 60, "store", 1, PENROSE_BRISC, 5);
        profile->has_causes &= has_causes;
        profile_lacks(profile, text, sizeof text);
        ck_assert_str_eq(text, has_causes ? ""
                                          : " The trace does not say who ended waits, so critical "
                                            "paths stay in their lanes.");
        end_profile();
    }
}

/* Those of further kernels are many. */
TEST(a_launch_names_six_kernels)
{
    char text[512];
    begin_profile();
    for (unsigned i = 0; i < PROFILE_KERNELS + 2; i++) {
        char kernel[16];
        snprintf(kernel, sizeof kernel, "k%u", i);
        runs(1 + i, PENROSE_BRISC, kernel, i, 1);
    }
    profile_launch_name(launch_at(0), text, sizeof text);
    ck_assert_str_eq(text, "k0, k1, k2, k3, k4, k5, and others, 8 tiles");
    end_profile();
}

TEST(a_kernel_that_does_not_end_has_a_path)
{
    begin_profile();
    runs(1, PENROSE_BRISC, "k", 10, 1);
    runs(1, PENROSE_BRISC, "k", 60, 2);
    profile_end(profile);
    ck_assert_uint_eq(launch_at(0)->part[PATH_HARTS], 50);
    ck_assert_uint_eq(launch_at(0)->last, 61);
    end_profile();
}

/* What chains have stays, and what no chain has goes. */
TEST(forgotten_steps_leave_chains_as_they_are)
{
    enum { ROUNDS = 1000, STEP = 100 };
    struct path path = {0};
    ck_assert(path_lanes(&path, 2));
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t now = (uint64_t)i * 2 * STEP;
        path_add(&path, 0, 1, PATH_HARTS, now, now + STEP); /* which lane 1 waits for */
        path_add(&path, 1, 2, PATH_MATH, now, now + 1);
        path_add_wait(&path, 1, 3, PATH_HARTS, now + STEP, 0, now + STEP - 1);
        path_add(&path, 1, 4, PATH_MATH, now + STEP, now + 2 * STEP); /* which lane 0 waits for */
        path_add_wait(&path, 0, 5, PATH_HARTS, now + 2 * STEP, 1, now + 2 * STEP - 1);
    }
    size_t before = path.steps;
    ck_assert(!path_is_full(&path));
    ck_assert(path_sweep(&path, 0));
    ck_assert_uint_lt(path.steps, before);
    uint64_t cycles = 0;
    for (uint32_t at = path_end(&path, 1); at; at = path.step[at - 1].before) {
        ck_assert_uint_ne(path.step[at - 1].row, 2); /* lane 1 was not what took so long */
        cycles++;
    }
    ck_assert_uint_eq(cycles, 4 * ROUNDS - 1);
    ck_assert_uint_eq(path.forgotten, 0);
    ck_assert(path_sweep(&path, (uint64_t)ROUNDS * STEP)); /* half of it */
    cycles = 0;
    for (uint32_t at = path_end(&path, 1); at; at = path.step[at - 1].before) {
        cycles++;
    }
    ck_assert_uint_gt(cycles, 2 * ROUNDS - 4);
    ck_assert_uint_lt(cycles, 2 * ROUNDS + 4);
    path_free(&path);
}

/* Accesses are in traces, too; they are no work of a lane. */
TEST(other_events_change_nothing)
{
    begin_profile();
    executes(0, 1);
    struct penrose_trace_event event = made_event(PENROSE_TRACE_MEMORY, 50, -1, 7);
    profile_take(profile, &event);
    event.kind = PENROSE_TRACE_DATA;
    event.agent = PENROSE_AGENT_NOC;
    profile_take(profile, &event);
    executes(3, 2);
    profile_end(profile);
    ck_assert_uint_eq(profile->last, 3);
    expect_cycles(PENROSE_TRISC1, 3, 0, 0);
    end_profile();
}

TEST(a_packet_of_no_bytes_adds_none)
{
    begin_profile();
    struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, 5, -1, 1);
    event.begins = true;
    profile_take(profile, &event);
    ck_assert_uint_eq(profile->wave[PROFILE_NOC_WAVE][0], 0);
    end_profile();
}

TEST(events_of_no_time_change_nothing)
{
    begin_profile();
    executes(0, 1);
    executes(UINT64_MAX, 1);
    executes(3, 2);
    profile_end(profile);
    ck_assert_uint_eq(profile->last, 3);
    end_profile();
}

static void crosses(const char *what, unsigned noc, uint64_t cycle, uint32_t bytes,
                    struct penrose_trace_route route)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, cycle, -1, 0);
    event.begins = strstr(what, "response") == NULL;
    event.what = what;
    event.noc = noc;
    event.size = bytes;
    event.peer_x = 7;
    event.route = route;
    profile_take(profile, &event);
}

static uint64_t flits_at(unsigned noc, unsigned x, unsigned y, unsigned direction)
{
    return profile->links.use[noc][y][x][direction].flits;
}

/* A write of 2 flits and a header goes to the right and down, the answer to a read up and to the left. */
TEST(packets_cross_links)
{
    const struct penrose_trace_route right_down = {true, .from_x = 2, .from_y = 3, .to_x = 4,
                                                   .to_y = 4};
    const struct penrose_trace_route around = {true, .from_x = 16, .from_y = 3, .to_x = 0,
                                               .to_y = 3};
    const struct penrose_trace_route tree = {
        true,      .is_multicast = true, .from_x = 2, .from_y = 3, .to_x = 3,
        .to_y = 3, .last_x = 4,          .last_y = 4};
    struct link_place place[4];
    char name[80];
    begin_profile();
    crosses("write", 0, 100, 128, right_down);
    ck_assert_uint_eq(flits_at(0, 2, 3, 0), 3);
    ck_assert_uint_eq(flits_at(0, 3, 3, 0), 3);
    ck_assert_uint_eq(flits_at(0, 4, 3, 1), 3);
    ck_assert_uint_eq(flits_at(0, 4, 3, 0) + flits_at(0, 4, 4, 1) + flits_at(0, 2, 3, 1), 0);
    crosses("read", 0, 101, 4096, around);
    ck_assert_uint_eq(flits_at(0, 16, 3, 0), 1); /* a header */
    crosses("read response", 1, 102, 65, right_down);
    ck_assert_uint_eq(flits_at(1, 2, 3, 1), 3);
    ck_assert_uint_eq(flits_at(1, 2, 4, 0), 3); /* round the torus */
    ck_assert_uint_eq(flits_at(1, 2, 3, 0), 0);
    crosses("multicast write", 0, 2148, 64, tree);
    ck_assert_uint_eq(flits_at(0, 2, 3, 0), 3 + 2);
    ck_assert_uint_eq(flits_at(0, 3, 3, 0), 3 + 2);
    ck_assert_uint_eq(flits_at(0, 3, 3, 1), 2);
    ck_assert_uint_eq(flits_at(0, 3, 4, 0), 2);
    ck_assert_uint_eq(profile->links.use[0][3][2][0].most, 3);
    ck_assert_uint_eq(links_busiest(&profile->links, place, COUNT(place)), COUNT(place));
    ck_assert_double_eq(links_share(&profile->links, links_at(&profile->links, &place[0])),
                        5.0 / (2148 - 100 + 1));
    links_name(&profile->links, &place[0], name, sizeof name);
    ck_assert_str_eq(name, "NoC 0, right from router 2,3 (tile 1,2)");
    ck_assert_uint_ge(links_at(&profile->links, &place[0])->flits,
                      links_at(&profile->links, &place[1])->flits);
    crosses("write", 0, 3000, 64, (struct penrose_trace_route){false});
    crosses("write", 0, 3000, 64, (struct penrose_trace_route){true, .to_x = 40});
    ck_assert_uint_eq(profile->links.lost, 2);
    end_profile();
}

TEST(many_lines_keep_their_rows)
{
    enum { LINES = 5000 };
    begin_profile();
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned line = 1; line <= LINES; line++) {
            executes((uint64_t)round * LINES + line, line);
        }
    }
    profile_end(profile);
    ck_assert_uint_eq(profile->rows, LINES);
    expect_row(PENROSE_TRISC1, 1234, NULL, 2, 2);
    end_profile();
}

/* --- Perfetto --- */

struct written {
    size_t size;
    char bytes[4096];
};

static void keep_written(void *context, const void *bytes, size_t size)
{
    struct written *written = context;
    ck_assert_uint_le(size, sizeof written->bytes - written->size);
    memcpy(written->bytes + written->size, bytes, size);
    written->size += size;
}

/* A file may have names of any length. */
TEST(long_names_are_cut_for_perfetto)
{
    struct written written = {0};
    char what[2000];
    struct perfetto *perfetto = perfetto_create(&chip_calls, keep_written, &written);
    ck_assert_ptr_nonnull(perfetto);
    memset(what, 'w', sizeof what - 1);
    what[sizeof what - 1] = '\0';
    struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, 5, -1, 1);
    event.what = what;
    event.begins = true;
    perfetto_take(perfetto, &event);
    event.begins = false;
    event.cause = (struct penrose_trace_cause){
        .is_known = true, .x = 1, .y = 2, .agent = event.agent, .thread = -1, .cycle = 5};
    perfetto_take(perfetto, &event);
    perfetto_end(perfetto);
    perfetto_destroy(perfetto);
    what[200] = '\0';
    ck_assert_ptr_nonnull(memmem(written.bytes, written.size, what, 200));
    ck_assert_ptr_null(memmem(written.bytes, written.size, "arrives", strlen("arrives")));
}

/* Arrivals are of the flow of a sender that has been seen, and do not end it. */
TEST(flows_of_packets_do_not_end)
{
    static const char flow[] = "\xf9\x02",
                      flow_that_ends[] = "\x81\x03"; /* keys of fields 47, 48 */
    for (unsigned is_seen = 0; is_seen < 2; is_seen++) {
        struct written written = {0};
        struct perfetto *perfetto = perfetto_create(&chip_calls, keep_written, &written);
        ck_assert_ptr_nonnull(perfetto);
        struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, 5, -1, 1);
        event.what = "write";
        event.begins = true;
        if (is_seen) {
            perfetto_take(perfetto, &event);
        }
        event.begins = false;
        event.cause = (struct penrose_trace_cause){
            .is_known = true, .x = 1, .y = 2, .agent = event.agent, .thread = -1, .cycle = 5};
        event.x = 2;
        written.size = 0;
        perfetto_take(perfetto, &event);
        ck_assert_ptr_nonnull(memmem(written.bytes, written.size, "write arrives", 13));
        ck_assert_int_eq(memmem(written.bytes, written.size, flow, 2) != NULL, is_seen);
        ck_assert_ptr_null(memmem(written.bytes, written.size, flow_that_ends, 2));
        perfetto_destroy(perfetto);
    }
}

static void count_written(void *context, const void *bytes, size_t size)
{
    static const char is_full[] = "the file is full";
    struct written *written = context;
    written->size += size;
    written->bytes[0] |= memmem(bytes, size, is_full, strlen(is_full)) != NULL;
}

/* Packets fill a file as slices do. */
TEST(a_file_for_perfetto_has_an_end)
{
    struct written written = {0};
    struct perfetto *perfetto = perfetto_create(&chip_calls, count_written, &written);
    ck_assert_ptr_nonnull(perfetto);
    struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, 5, -1, 1);
    event.begins = true;
    for (event.cycle = 0; event.cycle < PERFETTO_MOST_BYTES / 24; event.cycle++) {
        perfetto_take(perfetto, &event);
    }
    perfetto_end(perfetto);
    perfetto_destroy(perfetto);
    ck_assert_uint_gt(written.size, PERFETTO_MOST_BYTES);
    ck_assert_uint_lt(written.size, PERFETTO_MOST_BYTES + 1000);
    ck_assert(written.bytes[0]);
}

static char *shown(void (*show)(const struct profile *profile, FILE *file))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    show(profile, file);
    fclose(file);
    return text;
}

/* One wait of three ends by a hart of another tile, one by a response, and of one nobody knows. */
TEST(waits_say_what_ended_them)
{
    begin_profile();
    runs(3, PENROSE_NCRISC, "far", 0, 1);
    runs(1, PENROSE_BRISC, "near", 0, 1);
    is_released(1, PENROSE_BRISC, 10, 50, "write", 3, PENROSE_NCRISC, 20);
    runs(1, PENROSE_BRISC, "near", 50, 2);
    is_released(1, PENROSE_BRISC, 60, 80, "read response", 1, PENROSE_BRISC, 55);
    runs(1, PENROSE_BRISC, "near", 80, 3);
    waits(90, 4, "the queue");
    profile_end(profile);
    const struct profile_row *row = row_at(PENROSE_BRISC, 90, "L1");
    ck_assert_str_eq(row[0].ended, "write by ncrisc of another tile");
    ck_assert_uint_eq(row[0].cycles, 40);
    char *table = shown(profile_table), *text = shown(profile_text), *page = shown(profile_page);
    ck_assert_ptr_nonnull(strstr(table, "\"brisc\",\"waits\",\"k\",\"kernel_main\",\"kernel.c\",90,"
                                        "\"L1\",\"read response\",20,1\n"));
    ck_assert_ptr_null(strstr(table, "\"L1\",\"\",0,0"));
    ck_assert_ptr_nonnull(strstr(text, "L1 (write by ncrisc of another tile): kernel_main"));
    ck_assert_ptr_nonnull(strstr(page, "<title>waits for: L1: 60 cycles, 100.0 %</title>"));
    ck_assert_ptr_nonnull(strstr(page, "<title>ended: read response: 20 cycles, 33.3 %</title>"));
    free(table);
    free(text);
    free(page);
    end_profile();
}

/* Both forms show what is there, and a name does not become a tag. */
TEST(text_and_page_show_the_rows)
{
    begin_profile();
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, 0, -1, 3);
    event.symbol = "f<int>";
    profile_take(profile, &event);
    event.agent_name = "<b>";
    profile_take(profile, &event);
    executes(40, 4);
    profile_end(profile);
    char *text = shown(profile_text);
    ck_assert_ptr_nonnull(
        strstr(text, "          40         1  trisc1               f<int>  kernel.c:3"));
    free(text);
    text = shown(profile_page);
    ck_assert_ptr_nonnull(
        strstr(text, "<td>f&lt;int></td><td class=\"p\" title=\"kernel.c\">kernel.c:3</td>"));
    ck_assert_ptr_nonnull(strstr(text, "<td>&lt;b></td>"));
    ck_assert_ptr_null(strstr(text, "<b>"));
    free(text);
    end_profile();
}
