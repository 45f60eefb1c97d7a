/* See profile_events.h. */
#include "unit/observe/profile_events.h"

#include <stdlib.h>
#include <string.h>

#include "chip/calls.h"
#include "unit/test.h"

struct profile *profile;

void begin_profile(void)
{
    profile =
        profile_create(&chip_calls, MADE_CHIP, &(struct profile_peaks){.niu = 62, .dram = 376});
    ck_assert_ptr_nonnull(profile);
}

void end_profile(void)
{
    profile_destroy(profile);
}

struct penrose_trace_event made_event(enum penrose_trace_kind kind, uint64_t cycle, int thread,
                                      unsigned line)
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

void executes(uint64_t cycle, unsigned line)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, line);
    profile_take(profile, &event);
}

void waits(uint64_t cycle, unsigned line, const char *what)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, cycle, -1, line);
    event.begins = true;
    event.what = what;
    profile_take(profile, &event);
}

void goes_on(uint64_t cycle, uint64_t waited)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, cycle, -1, 0);
    event.waited = waited;
    profile_take(profile, &event);
}

void math_waits(uint64_t cycle, const char *what)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, cycle, 1, 0);
    event.begins = true;
    event.what = what;
    profile_take(profile, &event);
}

void math_executes(uint64_t cycle, uint64_t waited, unsigned line)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_TENSIX, cycle, 1, line);
    event.waited = waited;
    profile_take(profile, &event);
}

void expect_cycles(unsigned lane, uint64_t busy, uint64_t waiting, uint64_t idle)
{
    struct profile_cycles cycles = profile_lane_cycles(profile, lane);
    ck_assert_uint_eq(cycles.busy, busy);
    ck_assert_uint_eq(cycles.waiting, waiting);
    ck_assert_uint_eq(cycles.idle, idle);
}

/* The row of a line, busy or in that wait. */
const struct profile_row *row_at(unsigned lane, unsigned line, const char *what)
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

void expect_row(unsigned lane, unsigned line, const char *what, uint64_t cycles, uint64_t count)
{
    const struct profile_row *row = row_at(lane, line, what);
    ck_assert_uint_eq(row->cycles, cycles);
    ck_assert_uint_eq(row->count, count);
    ck_assert_str_eq(row->symbol, "kernel_main");
    ck_assert_str_eq(row->source, "kernel.c");
}

/* A hart of a tile of row 2 executes an instruction of the kernel (empty: of firmware). */
void runs(unsigned x, enum penrose_hart hart, const char *kernel, uint64_t cycle, unsigned line)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, line);
    event.x = x;
    event.agent = (enum penrose_agent)hart;
    event.agent_name = penrose_agent_name(event.agent);
    event.kernel = kernel;
    profile_take(profile, &event);
}

/* It waits until somebody makes the wait end. */
void is_released(unsigned x, enum penrose_hart hart, uint64_t since, uint64_t cycle,
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

void sends(unsigned x, enum penrose_hart hart, const char *what, uint64_t cycle, unsigned bytes,
           enum penrose_tile_kind to)
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

const struct profile_launch *launch_at(size_t number)
{
    ck_assert_uint_lt(number, profile->launches);
    return &profile->launch[number];
}

void erisc_runs(const char *kernel, uint64_t cycle)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, 1);
    event.x = 9;
    event.agent = (enum penrose_agent)PENROSE_BRISC;
    event.agent_name = "erisc0";
    event.kernel = kernel;
    profile_take(profile, &event);
}

char *shown(void (*show)(const struct profile *profile, FILE *file))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    show(profile, file);
    fclose(file);
    return text;
}

void expect_written(void (*write)(const struct profile *profile, FILE *file), const char *wanted)
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
