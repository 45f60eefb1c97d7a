/*
 * What the environment asks of the library: schedules, policies, trace, summary; and what becomes
 * of values that it does not understand.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "observe/settings.h"
#include "unit/abi/abi_host.h"

FIXTURE(host_before, host_after);
TESTS_ALWAYS_FORK; /* reports are counted for the whole process */

/* --- Words --- */

TEST(schedules_are_lists_of_words)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_error error;
    ck_assert_int_eq(settings_schedule(&options, "lockstep,timed", &error), PENROSE_OK);
    ck_assert_int_eq(options.schedule, PENROSE_LOCKSTEP);
    ck_assert(options.timed);
    ck_assert_int_eq(settings_schedule(&options, "random:0x10", &error), PENROSE_OK);
    ck_assert_int_eq(options.schedule, PENROSE_RANDOM);
    ck_assert_uint_eq(options.seed, 16);
    ck_assert(options.timed);
    ck_assert_int_eq(settings_schedule(&options, "fast,functional", &error), PENROSE_OK);
    ck_assert_int_eq(options.schedule, PENROSE_FAST);
    ck_assert(!options.timed);
    static const char *const wrong[] = {"quick",       "random",      "random:",
                                        "random:x",    "random:-1",   "random:99999999999999999999",
                                        "timed,quick", "timed,,fast", "Fast",
                                        " fast"};
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        ck_assert_int_eq(settings_schedule(&options, wrong[i], &error), PENROSE_E_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.text, "choose fast"));
        ck_assert(!options.timed); /* all or nothing */
    }
}

TEST(policies_are_lists_of_words)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_error error;
    ck_assert_int_eq(
        settings_policy(&options, "all=warn,bad-csr=ignore,hardware-hang=stop", &error),
        PENROSE_OK);
    ck_assert_int_eq(options.policy[PENROSE_FAULT_ILLEGAL], PENROSE_WARN);
    ck_assert_int_eq(options.policy[PENROSE_FAULT_CSR], PENROSE_IGNORE);
    ck_assert_int_eq(options.policy[PENROSE_FAULT_HANG], PENROSE_STOP);
    static const char *const wrong[] = {
        "stop",  "bad-csr",         "bad-csr=",   "bad-csr=halt", "bad-cs=warn",
        "=warn", "all=stop,x=warn", "all=stop,,", "bad-csrs=warn"};
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        ck_assert_int_eq(settings_policy(&options, wrong[i], &error), PENROSE_E_ARGUMENT);
        ck_assert_int_eq(options.policy[PENROSE_FAULT_ILLEGAL], PENROSE_WARN);
    }
    char longer[400];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ck_assert_int_eq(settings_policy(&options, longer, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(settings_schedule(&options, longer, &error), PENROSE_E_ARGUMENT);
}

TEST(empty_values_are_as_if_not_set)
{
    static const char *const names[] = {
        "PENROSE_CARD",      "PENROSE_THREADS",     "PENROSE_KERNELS",     "PENROSE_POLICY",
        "PENROSE_SCHEDULE",  "PENROSE_TRACE",       "PENROSE_SUMMARY",     "PENROSE_REPORT",
        "PENROSE_RUN_AHEAD", "PENROSE_SHORTCUTS",   "PENROSE_ERROR_STYLE", "PENROSE_GDB",
        "PENROSE_LOOPBACK",  "PENROSE_LINK_ERRORS", "PENROSE_CLUSTER",     "PENROSE_PROFILE"};
    for (unsigned i = 0; i < COUNT(names); i++) {
        setenv(names[i], "", 1);
        libttsim_init();
        libttsim_clock(1);
        ck_assert_msg(reported("PENROSE_") == 0, "%s", names[i]);
        libttsim_exit();
        unsetenv(names[i]);
    }
}

/* --- Values that are not understood --- */

static uint32_t cycles_of_two_stores(void)
{
    static const char *const lines[] = {"addi a0, zero, 1", "sw a0, 0x400(zero)",
                                        "jal zero, 0x1008", NULL};
    start(2, 2, lines);
    libttsim_clock(500);
    return tile_rd(2, 2, 0x400);
}

TEST(wrong_values_are_told_and_the_default_is_used)
{
    static const char *const names[] = {
        "PENROSE_CARD",        "PENROSE_THREADS",     "PENROSE_KERNELS", "PENROSE_POLICY",
        "PENROSE_SCHEDULE",    "PENROSE_SUMMARY",     "PENROSE_TRACE",   "PENROSE_RUN_AHEAD",
        "PENROSE_SHORTCUTS",   "PENROSE_ERROR_STYLE", "PENROSE_GDB",     "PENROSE_LOOPBACK",
        "PENROSE_LINK_ERRORS", "PENROSE_CLUSTER",     "PENROSE_PROFILE"};
    for (unsigned i = 0; i < COUNT(names); i++) {
        char line[64];
        setenv(names[i], "/no/such", 1);
        snprintf(line, sizeof line, "%s: ", names[i]);
        libttsim_init();
        ck_assert_uint_eq(libttsim_pci_config_rd32(0, 0), 0xb1401e52);
        ck_assert_uint_eq(reported(line), 0);
        ck_assert_uint_eq(cycles_of_two_stores(), 1);
        ck_assert_uint_eq(reported(line), 1);
        ck_assert_uint_eq(reported("the default is used"), i + 1);
        ck_assert_str_eq(getenv(names[i]), "/no/such"); /* the environment is its host's */
        libttsim_exit();
        unsetenv(names[i]);
        libttsim_init();
        ck_assert_uint_eq(cycles_of_two_stores(), 1);
        ck_assert_uint_eq(reported(line), 1);
        libttsim_exit();
        setenv(names[i], "", 1);
        libttsim_init();
        ck_assert_uint_eq(cycles_of_two_stores(), 1);
        ck_assert_uint_eq(reported(line), 1);
        libttsim_exit();
        unsetenv(names[i]);
    }
    static const char *const threads[] = {"0", "-1", "257", "two", "2x", "99999999999999999999"};
    for (unsigned i = 0; i < COUNT(threads); i++) {
        setenv("PENROSE_THREADS", threads[i], 1);
        libttsim_init();
        ck_assert_uint_eq(cycles_of_two_stores(), 1);
        libttsim_exit();
        ck_assert_uint_eq(reported("PENROSE_THREADS: "), i + 2);
    }
}

TEST(several_wrong_values_are_told_one_by_one)
{
    setenv("PENROSE_CARD", "n150", 1);
    setenv("PENROSE_SCHEDULE", "slow", 1);
    setenv("PENROSE_POLICY", "all=nothing", 1);
    libttsim_init();
    libttsim_clock(1);
    ck_assert_uint_eq(reported("PENROSE_CARD: there is no card 'n150'"), 1);
    ck_assert_uint_eq(reported("PENROSE_SCHEDULE: 'slow' is no schedule"), 1);
    ck_assert_uint_eq(reported("PENROSE_POLICY: 'all=nothing' is no policy"), 1);
    ck_assert_uint_eq(reported(""), 3);
    libttsim_exit();
    libttsim_init(); /* never used: nothing is told */
    libttsim_exit();
    ck_assert_uint_eq(reported(""), 3);
}

/* The schedule that was asked for is the one that the chip has. */
TEST(the_schedule_reaches_the_chip)
{
    setenv("PENROSE_RUN_AHEAD", "0", 1);
    setenv("PENROSE_SCHEDULE", "lockstep", 1);
    libttsim_init();
    static const char *const counts[] = {"addi a0, a0, 1", "sw a0, 0x404(zero)", "jal zero, 0x1000",
                                         NULL};
    start(2, 2, counts);
    uint32_t before = tile_rd(2, 2, WALL_CLOCK);
    libttsim_clock(3);
    libttsim_clock(4);
    ck_assert_uint_eq(tile_rd(2, 2, WALL_CLOCK) - before, 7); /* rounds of one cycle */
}

/* --- Trace --- */

static char file_path[64];

static void make_file(const char *variable)
{
    strcpy(file_path, P_tmpdir "/check_abi_file_XXXXXX");
    int fd = mkstemp(file_path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    setenv(variable, file_path, 1);
}

static unsigned lines_with(const char *text)
{
    FILE *file = fopen(file_path, "r");
    unsigned count = lines_of(file, text);
    fclose(file);
    return count;
}

TEST(traces_are_written)
{
    static const char *const lines[] = {"lui a1, 0xffb12",
                                        "lw a0, 0x1f0(a1)",
                                        "addi a2, zero, 100",
                                        "addi a2, a2, -1",
                                        "bne a2, zero, 0x100c",
                                        "jal zero, 0x1014",
                                        NULL};
    make_file("PENROSE_TRACE");
    libttsim_init();
    start(2, 2, lines);
    libttsim_clock(2000);
    libttsim_exit();
    ck_assert_uint_eq(lines_with("lw a0, 496(a1)"), 1);
    ck_assert_uint_eq(lines_with("load  0xffb121f0"), 1);
    ck_assert_uint_eq(lines_with("addi a2, a2, -1"), 100);
    ck_assert_uint_gt(lines_with(" 2,2  brisc "), 200);
    unsigned before = lines_with("");
    libttsim_init(); /* lines are added */
    start(2, 2, lines);
    libttsim_clock(2000);
    pid_t child = fork();
    if (child == 0) { /* it traces nothing */
        libttsim_clock(2000);
        libttsim_exit();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    libttsim_exit();
    ck_assert_uint_eq(lines_with(""), 2 * before);
    ck_assert_uint_eq(reported(""), 0);
    unlink(file_path);
}

/* A disk that is full is told at the end, and the run is what it would have been. */
TEST(profiles_are_written)
{
    make_file("PENROSE_PROFILE");
    libttsim_init();
    uint32_t stored = cycles_of_two_stores();
    libttsim_exit();
    ck_assert_uint_eq(lines_with("Profile of "), 1);
    ck_assert_uint_eq(lines_with("  brisc "), 3); /* lane, critical path, line */
    ck_assert_uint_eq(reported(""), 0);
    unlink(file_path);
    setenv("PENROSE_PROFILE", "/dev/full", 1);
    libttsim_init();
    ck_assert_uint_eq(cycles_of_two_stores(), stored);
    ck_assert_uint_eq(reported("PENROSE_PROFILE"), 0);
    libttsim_exit();
    ck_assert_uint_eq(
        reported("PENROSE_PROFILE: not all of the profile could be written to /dev/full"), 1);
}

/* A second run adds a text to the file, and replaces a table. */
TEST_EACH(a_table_of_a_profile_replaces_another_one, 2)
{
    static const char *const endings[] = {"", ".csv"};
    static const char *const lines[] = {"Profile of ", "lane,kind,"};
    make_file("PENROSE_PROFILE");
    ck_assert_int_eq(unlink(file_path), 0);
    strcat(file_path, endings[_i]);
    setenv("PENROSE_PROFILE", file_path, 1);
    for (unsigned i = 0; i < 2; i++) {
        libttsim_init();
        cycles_of_two_stores();
        libttsim_exit();
    }
    ck_assert_uint_eq(lines_with(lines[_i]), _i == 0 ? 2 : 1);
    ck_assert_uint_eq(reported(""), 0);
    unlink(file_path);
}

/* --- Summary --- */

static json_t *summary_line(unsigned number)
{
    char line[4096];
    json_t *object = NULL;
    FILE *file = fopen(file_path, "r");
    ck_assert_ptr_nonnull(file);
    for (unsigned i = 0; fgets(line, sizeof line, file); i++) {
        if (i == number) {
            json_error_t error;
            object = json_loads(line, 0, &error);
            ck_assert_msg(object != NULL, "%s: %s", line, error.text);
        }
    }
    fclose(file);
    return object;
}

static json_int_t number_of(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    ck_assert_msg(json_is_integer(value), "%s", name);
    return json_integer_value(value);
}

static void run_counters(void)
{
    static const char *const bad[] = {"lui a0, 0x200", "sw a0, 4(a0)", NULL};
    for (unsigned x = 1; x <= 7; x++) {
        char delay[32];
        snprintf(delay, sizeof delay, "lui a0, %u", x); /* 4096 times */
        const char *const lines[] = {delay, "addi a0, a0, -1", "bne a0, zero, 0x1004",
                                     "jal zero, 0x100c", NULL};
        start(x, 3, lines);
    }
    start(10, 3, bad);
    for (unsigned i = 0; i < 50; i++) {
        libttsim_clock(2000);
    }
}

TEST(summaries_are_lines_of_json)
{
    make_file("PENROSE_SUMMARY");
    libttsim_init(); /* somebody only looks */
    libttsim_pci_config_rd32(0, 0);
    libttsim_exit();
    ck_assert_uint_eq(lines_with(""), 0);
    libttsim_init();
    run_counters();
    tile_wr(7, 3, SOFT_RESET, ALL_HELD); /* a second life */
    tile_wr(7, 3, SOFT_RESET, BRISC_RUNS);
    libttsim_clock(100000);
    libttsim_exit();
    libttsim_init();
    libttsim_clock(1000);
    libttsim_exit();
    ck_assert_uint_eq(lines_with(""), 2);
    json_t *object = summary_line(0);
    json_t *tiles = json_object_get(object, "tiles");
    ck_assert_int_eq(number_of(object, "pid"), getpid());
    ck_assert_int_ge(number_of(object, "cycles"), 200000);
    ck_assert_int_eq(number_of(object, "faults"), 1);
    ck_assert_int_eq(number_of(object, "polls"), 51);
    ck_assert_double_gt(json_real_value(json_object_get(object, "seconds")), 0.0);
    ck_assert_double_lt(json_real_value(json_object_get(object, "seconds")), 10.0);
    ck_assert_uint_eq(json_array_size(tiles), 5);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(tiles, 0), "tile")), "7-3");
    json_int_t most = INT64_MAX; /* loops without effect count until they are found out */
    for (unsigned i = 0; i < 5; i++) {
        json_int_t instructions = number_of(json_array_get(tiles, i), "instructions");
        ck_assert_int_ge(instructions, i == 0 ? 2 * 7 * 8192 : 3 * 8192);
        ck_assert_int_le(instructions, most);
        most = instructions;
    }
    json_decref(object);
    object = summary_line(1);
    ck_assert_int_eq(number_of(object, "polls"), 1);
    ck_assert_int_ge(number_of(object, "cycles"), 1000); /* also where nothing runs */
    ck_assert_uint_eq(json_array_size(json_object_get(object, "tiles")), 0);
    json_decref(object);
    unlink(file_path);
}

/* --- Files that cannot be written --- */

TEST(lost_reports_are_told_once)
{
    static const char *const paths[] = {"/no/such/report", "/", "/dev/full"};
    static const char *const bad[] = {"lui a0, 0x200", "sw a0, 4(a0)", NULL};
    for (unsigned i = 0; i < COUNT(paths); i++) {
        char line[64];
        make_file("PENROSE_REPORT");
        ck_assert_ptr_nonnull(freopen(file_path, "w", stderr));
        setenv("PENROSE_REPORT", paths[i], 1);
        snprintf(line, sizeof line, "penrose: PENROSE_REPORT: %s cannot be written: ", paths[i]);
        libttsim_init();
        start(2, 3, bad);
        start(3, 3, bad);
        libttsim_clock(1000);
        libttsim_tile_wr_bytes(0, 0, 0, paths, 0);
        libttsim_exit();
        ck_assert_uint_eq(lines_with("unmapped-address: tile"), 2);
        ck_assert_msg(lines_with(line) == 1, "%s%u times", line, lines_with(line));
        unlink(file_path);
    }
}

TEST(lost_summaries_are_told)
{
    setenv("PENROSE_SUMMARY", "/dev/full", 1);
    libttsim_init();
    libttsim_clock(1000);
    ck_assert_uint_eq(reported(""), 0);
    libttsim_exit();
    ck_assert_uint_eq(reported("PENROSE_SUMMARY: /dev/full cannot be written: No space left"), 1);
}

/* --- Cables --- */

/* Ports that are up, by bits; the other end of each is the tile itself. */
static unsigned ports_up(const char *card, const char *loopback)
{
    unsigned up = 0;
    setenv("PENROSE_CARD", card, 1);
    setenv("PENROSE_LOOPBACK", loopback, 1);
    libttsim_init();
    for (unsigned x = 20; x < 32; x++) {
        bool is_up = tile_rd(x, 25, 0x7cc04) == 1;
        up |= (unsigned)is_up << (x - 20);
        ck_assert_int_eq(tile_rd(x, 25, 0x7cc08) == 4, is_up); /* an external loopback */
        ck_assert_int_eq(tile_rd(x, 25, 0xffb9800c) == 1, is_up);
        ck_assert_int_eq(is_up && tile_rd(x, 25, 0x7cfe0) == tile_rd(x, 25, 0x7cfc0), is_up);
    }
    libttsim_clock(100000);
    ck_assert_int_eq(tile_rd(20, 25, 0x7cc70) >> 16 == 0xabcd, up & 1);
    libttsim_exit();
    unsetenv("PENROSE_LOOPBACK");
    unsetenv("PENROSE_CARD");
    return up;
}

TEST(cables_are_plugged)
{
    ck_assert_uint_eq(ports_up("p150a", ""), 0);
    ck_assert_uint_eq(ports_up("p150a", "all"), 0xfff);
    ck_assert_uint_eq(ports_up("unharvested", "20,25"), 1);
    ck_assert_uint_eq(ports_up("p150a", " 31,25 20,25  21,25 20,25 "), 0x803);
    ck_assert_uint_eq(reported(""), 0);
    ck_assert_uint_eq(ports_up("p150a", "20,25 1,2"), 0); /* a worker */
    ck_assert_uint_eq(ports_up("p150a", "20,25 x"), 0);
    ck_assert_uint_eq(reported("PENROSE_LOOPBACK: write all, or Ethernet tiles"), 2);
}

TEST(cables_need_ethernet)
{
    setenv("PENROSE_CARD", "p100a", 1);
    setenv("PENROSE_LOOPBACK", "all", 1);
    libttsim_init();
    tile_rd(1, 2, 0);
    libttsim_exit();
    ck_assert_uint_eq(reported("PENROSE_LOOPBACK: the card has no Ethernet tiles"), 1);
}
