/*
 * Profiles of events that are made by hand: cycles of lanes, lines and waits are what they are to be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/profile/flame.h"
#include "unit/observe/profile_events.h"
#include "unit/test.h"

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

static void executes_at(uint64_t cycle, unsigned line, uint32_t pc, uint32_t word)
{
    struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, line);
    event.pc = pc;
    event.word = word;
    profile_take(profile, &event);
}

/* A wait has no word, so it is that of the instruction there. Lines come in the order of addresses. */
TEST(a_page_shows_instructions_below_their_lines)
{
    enum { ADDI = 0x00150513, LOAD = 0x0005a503, NOP = 0x02000000 };
    static const char wanted[] =
        ">kernel.c:7</td></tr>\n"
        "<tr><td class=\"n\" style=\"background:rgb(34 170 119/0.70)\">5</td>"
        "<td class=\"n\" style=\"background:rgb(221 136 51/0.00)\"></td>"
        "<td class=\"n\">1</td><td>0x1000</td><td>addi a0, a0, 1</td><td></td></tr>\n";
    static const char wanted_wait[] =
        ">30</td><td class=\"n\">1</td><td>0x1004</td><td>lw a0, 0(a1)</td>";
    static const char wanted_push[] = "<td>0x1008</td><td>NOP</td>";
    begin_profile();
    executes_at(10, 7, 0x1000, ADDI);
    struct penrose_trace_event event = made_event(PENROSE_TRACE_WAIT, 15, -1, 8);
    event.begins = true;
    event.pc = 0x1004;
    event.what = "L1";
    profile_take(profile, &event);
    event.begins = false;
    event.cycle = 45;
    event.waited = 30;
    profile_take(profile, &event);
    executes_at(45, 8, 0x1004, LOAD);
    executes_at(47, 9, 0x1010, ADDI);
    event = made_event(PENROSE_TRACE_TENSIX, 48, 1, 9);
    event.pc = 0x1008;
    event.word = NOP;
    profile_take(profile, &event);
    profile_end(profile);
    expect_written(spots_page, wanted);
    expect_written(spots_page, wanted_wait);
    expect_written(spots_page, wanted_push);
    end_profile();
}

/* Each is there once, however many there are. */
TEST(many_instructions_are_kept)
{
    enum { INSTRUCTIONS = 3000 };
    struct spots spots = {0};
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
            ck_assert(spots_add(&spots, 1 + i % 7, 4 * i, i, 2, 1));
        }
    }
    ck_assert_uint_eq(spots.count, INSTRUCTIONS);
    for (size_t i = 0; i < spots.room; i++) {
        ck_assert(!spots.cell[i].row || (spots.cell[i].cycles == 4 && spots.cell[i].times == 2));
    }
    spots_free(&spots);
}
