/*
 * Profiles of events that are made by hand: cycles of lanes, lines and waits are what they are to be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/profile/profile.h"
#include "unit/test.h"

enum { MATH = PROFILE_FIRST_THREAD + 1 };

static struct profile *profile;

static void begin_profile(void)
{
    profile = profile_create();
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
                                        .inlined_at = ""};
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

/* Both forms show what is there, and a name does not become a tag. */
TEST(text_and_page_show_the_rows)
{
    char *text = NULL;
    size_t size = 0;
    begin_profile();
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, 0, -1, 3);
    event.symbol = "f<int>";
    profile_take(profile, &event);
    executes(40, 4);
    profile_end(profile);
    FILE *file = open_memstream(&text, &size);
    profile_text(profile, file);
    fclose(file);
    ck_assert_ptr_nonnull(
        strstr(text, "          40         1  trisc1               f<int>  kernel.c:3"));
    free(text);
    file = open_memstream(&text, &size);
    profile_page(profile, file);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(text, "<td>f&lt;int></td><td>kernel.c:3</td>"));
    free(text);
    end_profile();
}
