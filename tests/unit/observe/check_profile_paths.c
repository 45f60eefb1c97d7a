/* Launches of profiles, and their critical paths. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tile/timing.h"
#include "unit/observe/profile_events.h"
#include "unit/test.h"

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
        profile_launch_name(launch, true, name, sizeof name);
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

/* Firmware has used the thread when it booted. */
TEST(a_launch_has_no_idle_cycles_from_before_it)
{
    begin_profile();
    math_executes(3, 0, 9);
    runs(1, PENROSE_TRISC1, "k", 1000, 4);
    math_executes(1010, 0, 9);
    runs(1, PENROSE_TRISC1, "", 1020, 0);
    profile_end(profile);
    ck_assert_uint_eq(profile_lane_cycles(profile, MATH).idle, 1006);
    ck_assert_uint_eq(profile_work_cycles(profile, MATH).idle, 10);
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
        profile_launch_name(launch_at(0), true, text, sizeof text);
        ck_assert_str_eq(text, others ? "worker, sender, 1 tile, 1 of Ethernet" : "worker, 1 tile");
        ck_assert_uint_eq(launch_at(0)->bytes[PROFILE_ETHERNET].sent, others ? 500 : 0);
        ck_assert_uint_eq(launch_at(0)->bytes[PROFILE_WORKERS].sent, 0);
        expect_written(profile_operations,
                       "\n\"worker\",tt_dnn_device,1,3,blackhole,1,74,0,,,,,,\n");
        end_profile();
    }
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
    profile_launch_name(launch_at(0), true, text, sizeof text);
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

/* --- Operations --- */

static void runs_in(enum penrose_hart hart, const char *kernel, const char *source, uint64_t cycle)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, 1);
    event.agent = (enum penrose_agent)hart;
    event.agent_name = penrose_agent_name(event.agent);
    event.kernel = kernel;
    event.source = source;
    profile_take(profile, &event);
}

#define TREE "/root/ttnn/cpp/ttnn/operations/"

/* A launch is called as the folder of its kernels, that which computes first, and those that others borrow
 * last. A header does not count. */
TEST(operations_are_known_by_the_files_of_kernels)
{
    static const struct {
        const char *move, *compute, *name, *operation;
    } rows[] = {
        {TREE "eltwise/unary/device/kernels/dataflow/move.cpp",
         TREE "matmul/device/kernels/compute/compute.cpp", "ttnn matmul: move, compute, 1 tile",
         "matmul"},
        {TREE "data_movement/concat/device/kernels/move.cpp",
         TREE "eltwise/unary/device/kernels/compute.cpp",
         "ttnn eltwise/unary: move, compute, 1 tile", "eltwise/unary"},
        {TREE "data_movement/untilize/codegen/kernels/move.cpp", TREE "x/device/kernels/other.hpp",
         "ttnn data_movement/untilize: move, compute, 1 tile", "data_movement/untilize"},
        {TREE "move.cpp", "/home/me/compute.cpp", "move, compute, 1 tile", "move"},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        char name[200];
        begin_profile();
        runs_in(PENROSE_NCRISC, "move", rows[i].move, 0);
        runs_in(PENROSE_TRISC1, "compute", rows[i].compute, 1);
        runs_in(PENROSE_NCRISC, "move", rows[i].move, 2);
        profile_end(profile);
        profile_launch_name(launch_at(0), true, name, sizeof name);
        ck_assert_str_eq(name, rows[i].name);
        ck_assert_str_eq(profile_operation_name(launch_at(0)), rows[i].operation);
        end_profile();
    }
}

/* Of three launches two are the same operation. Between launches nobody works. */
TEST(cycles_of_operations_are_summed)
{
    begin_profile();
    for (unsigned i = 0; i < 3; i++) {
        const char *kernel = i == 1 ? "other" : "same";
        runs(1, PENROSE_BRISC, "", 100 * i, 0);
        runs(1, PENROSE_BRISC, kernel, 100 * i + 10, 1);
        runs(1, PENROSE_BRISC, "", 100 * i + 40, 2);
    }
    profile_end(profile);
    uint64_t between;
    struct profile_operation *sum = profile_sum_operations(profile, &between);
    ck_assert_ptr_nonnull(sum);
    ck_assert_str_eq(sum[0].name, "same");
    ck_assert_uint_eq(sum[0].launches, 2);
    ck_assert_uint_eq(sum[0].cycles, 60);
    ck_assert_str_eq(sum[1].name, "other");
    ck_assert_uint_eq(sum[1].cycles, 30);
    ck_assert_uint_eq(sum[2].launches, 0);
    ck_assert_uint_eq(between, 2 * 70);
    free(sum);
    expect_written(profile_text, "            60   26.1%         2  same\n");
    expect_written(profile_page, "<td class=\"n\">2</td><td>same</td></tr>\n");
    expect_written(profile_page, "<td></td><td>between launches</td></tr>\n");
    end_profile();
}

/* --- Operations that the host has told of --- */

/* Told by two processes, in part what cannot be read, and in part twice: a number may come again. */
static const char told[] =
    "{\"process\": 7, \"first\": 1, \"end\": 3, \"name\": \"ttnn.add\", \"file\": "
    "\"/home/me/net.py\","
    " \"line\": 12, \"inputs\": [{\"shape\": [2, 3, 1, 30, 64], \"padded\": [2, 3, 1, 32, 64],"
    " \"type\": \"BFLOAT16\", \"memory\": \"DRAM_INTERLEAVED\"}, {\"shape\": [64]}], \"outputs\": "
    "[]}\n"
    "no JSON\n"
    "[]\n"
    "{\"process\": 7, \"first\": 3, \"name\": \"it has no end\"}\n"
    "{\"process\": 7, \"first\": 3, \"end\": 3, \"name\": \"of no program\"}\n"
    "{\"process\": 7, \"first\": -1, \"end\": 4294967296, \"name\": \"of what are no numbers\"}\n"
    "{\"process\": 7, \"first\": 3, \"end\": 4, \"name\": \"\"}\n"
    "{\"process\": 7, \"first\": 5, \"end\": 6, \"name\": \"old\"}\n"
    "{\"process\": 7, \"first\": 5, \"end\": 6, \"name\": \"ttnn.\\u001b[31m\", \"inputs\": 3, "
    "\"line\": []}\n"
    "{\"process\": 8, \"first\": 6, \"end\": 7, \"name\": \"of another process\"}\n"
    "{\"process\": 7, \"first\": 8, \"en";

/* Writes it to a file, whose path is the result. */
static const char *write_told(void)
{
    static char path[32];
    strcpy(path, "/tmp/told-XXXXXX");
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, told, sizeof told - 1), sizeof told - 1);
    close(file);
    return path;
}

TEST(operations_of_a_host_are_read)
{
    struct host_operations list = {0};
    struct names names = {0};
    const char *path = write_told();
    ck_assert(host_operations_read(&list, &names, path, 7));
    ck_assert_uint_eq(list.count, 3);
    ck_assert_uint_eq(list.unread, 7);
    const struct host_operation *add = host_operations_find(&list, 2);
    ck_assert_ptr_eq(add, host_operations_find(&list, 1));
    ck_assert_str_eq(add->name, "ttnn.add");
    ck_assert_str_eq(add->shapes, "2x3x1x30x64, 64");
    ck_assert_str_eq(add->tensor[0].type, "BFLOAT16");
    ck_assert_str_eq(add->tensor[0].memory, "DRAM_INTERLEAVED");
    ck_assert_mem_eq(add->tensor[0].side, ((uint32_t[]){6, 1, 30, 64}), sizeof add->tensor[0].side);
    ck_assert_mem_eq(add->tensor[0].padded, ((uint32_t[]){6, 1, 32, 64}),
                     sizeof add->tensor[0].padded);
    ck_assert_mem_eq(add->tensor[1].padded, ((uint32_t[]){1, 1, 1, 64}),
                     sizeof add->tensor[1].padded);
    ck_assert_uint_eq(add->tensor[HOST_OUTPUT].side[3], 0);
    ck_assert_str_eq(host_operations_find(&list, 5)->name, "ttnn.?[31m"); /* the latest */
    const uint32_t unknown[] = {0, 3, 4, 6, 8};
    for (unsigned i = 0; i < COUNT(unknown); i++) {
        ck_assert_ptr_null(host_operations_find(&list, unknown[i]));
    }
    host_operations_free(&list);
    ck_assert(host_operations_read(&list, &names, path, 0));
    ck_assert_str_eq(host_operations_find(&list, 6)->name, "of another process");
    host_operations_free(&list);
    unlink(path);
    ck_assert(!host_operations_read(&list, &names, path, 0));
    ck_assert_int_eq(errno, ENOENT);
    names_free(&names);
}

/* In a program that has this number. */
static void runs_program(unsigned x, uint32_t program, const char *kernel, const char *source,
                         uint64_t cycle)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, 1);
    event.x = x;
    event.agent = (enum penrose_agent)PENROSE_BRISC;
    event.agent_name = "brisc";
    event.kernel = kernel;
    event.source = source;
    event.value = program;
    profile_take(profile, &event);
}

/* A kernel that never ends, as of tt-metal's dispatch, and programs that begin while it runs: one that the
 * host has told of, and one that it has not. */
TEST(launches_are_called_by_operations_of_the_host)
{
    static const char *const names[] = {
        "dispatch, 1 tile",
        "ttnn.add (net.py:12) of 2x3x1x30x64, 64, eltwise/binary_ng: binary, 2 tiles",
        "ttnn eltwise/binary_ng: binary, 1 tile",
    };
    const char *path = write_told(), *source = TREE "eltwise/binary_ng/device/kernels/binary.cpp";
    char name[200];
    begin_profile();
    runs_program(3, 0, "dispatch", "dispatch.cpp", 0);
    runs_program(1, 2, "binary", source, 10);
    runs_program(2, 2, "binary", source, 11);
    runs_program(1, 0, "", source, 20);
    runs_program(2, 0, "", source, 21);
    runs_program(1, 4, "binary", source, 40);
    runs_program(1, 0, "", source, 50);
    ck_assert(profile_know_operations(profile, path, 7));
    unlink(path);
    profile_end(profile);
    ck_assert_uint_eq(profile->launches, COUNT(names));
    for (unsigned i = 0; i < COUNT(names); i++) {
        profile_launch_name(launch_at(i), true, name, sizeof name);
        ck_assert_str_eq(name, names[i]);
    }
    ck_assert_uint_eq(launch_at(1)->last - launch_at(1)->first, 11);
    expect_written(profile_text, "\nLaunch 2 (ttnn.add (net.py:12) of 2x3x1x30x64, 64, "
                                 "eltwise/binary_ng: binary, 2 tiles), cycle=10-21:\n");
    expect_written(profile_text, " 1  ttnn.add\n");
    expect_written(profile_text, " 7 lines of the host's file tell no operation.\n");
    expect_written(profile_page, "<td>ttnn.add</td>");
    expect_written(profile_page, "ttnn.add (net.py:12) of 2x3x1x30x64, 64");
    expect_written(profile_table,
                   "\"launch 2\",\"length\",\"\",\"ttnn.add of 2x3x1x30x64, 64, eltwise/binary_ng: "
                   "binary, 2 tiles\",\"/home/me/net.py\",12,\"\",\"\",11,1\n");
    end_profile();
}
