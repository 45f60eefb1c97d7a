/*
 * `penrose exec`: its options. They become variables of the environment (libttsim(3)), in which
 * a module in Python runs the command.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "cli/chosen.h"
#include "cli/installation.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/python.h"
#include "cli/suggest.h"
#include "host/environment.h"
#include "num/kernels.h"
#include "observe/check/names.h"
#include "observe/settings.h"

enum { EXIT_NOT_STARTED = 125 }; /* as of env(1) */

/* --- Values: each prints a message that names `origin`, the option or a variable --- */

static error_t check_arch(const struct cli *cli, const char *origin, const char *text)
{
    if (strcmp(text, "blackhole") == 0) {
        return 0;
    }
    return options_refuse(cli, "%s: '%s' is not emulated; blackhole is", origin, text);
}

static error_t check_threads(const struct cli *cli, const char *origin, const char *text)
{
    uint64_t threads;
    error_t error = options_number(cli, origin, text, CLI_THREADS, &threads);
    if (!error && !threads) {
        return options_refuse(cli, "%s: at least one thread must run the tiles", origin);
    }
    return error;
}

/* The library would only warn about a wrong one. */
static error_t check_schedule(const struct cli *cli, const char *origin, const char *text)
{
    struct penrose_options chip = {.size = sizeof chip};
    struct penrose_error error;
    if (settings_schedule(&chip, text, &error) == PENROSE_OK) {
        return 0;
    }
    return options_refuse(cli,
                          "%s: '%s' is no schedule; choose fast, lockstep or random:SEED, for "
                          "example random:1",
                          origin, text);
}

static error_t check_timing(const struct cli *cli, const char *origin, const char *text)
{
    if (strcmp(text, "timed") == 0 || strcmp(text, "functional") == 0) {
        return 0;
    }
    return options_refuse(cli, "%s: '%s' is no timing; choose functional or timed", origin, text);
}

static error_t check_policy(const struct cli *cli, const char *origin, const char *text)
{
    struct penrose_options chip = {.size = sizeof chip};
    struct penrose_error error;
    return settings_policy(&chip, text, &error) == PENROSE_OK
               ? 0
               : options_refuse(cli, "%s: %s", origin, error.text);
}

/* MOST or FIRST:MOST, as the library reads it. */
static bool is_run_ahead(const char *text)
{
    enum { LARGEST = 1 << 30 };
    char *end;
    errno = 0;
    unsigned long first = strtoul(text, &end, 10), most = first;
    bool is_range = *end == ':', is_number = *text >= '0' && *text <= '9';
    if (is_range) {
        text = end + 1;
        is_number &= *text >= '0' && *text <= '9';
        most = strtoul(text, &end, 10);
    }
    return is_number && !*end && !errno && first <= most && most <= LARGEST &&
           (first > 0 || !is_range);
}

static error_t check_run_ahead(const struct cli *cli, const char *origin, const char *text)
{
    if (is_run_ahead(text)) {
        return 0;
    }
    return options_refuse(cli,
                          "%s: '%s' is not understood; write FIRST:MOST, or MOST, in cycles up to "
                          "1073741824, or 0 to switch it off",
                          origin, text);
}

static error_t check_loopback(const struct cli *cli, const char *origin, const char *text)
{
    struct penrose_place at;
    if (strcmp(text, "all") == 0 || options_place(text, &at)) {
        return 0;
    }
    return options_refuse(cli, "%s: '%s' is no Ethernet tile; write all, or X,Y", origin, text);
}

static error_t check_link_errors(const struct cli *cli, const char *origin, const char *text)
{
    struct settings_link link;
    struct penrose_error error;
    enum penrose_status status = settings_next_link(&link, &text, &error);
    return status == PENROSE_OK && !*text
               ? 0
               : options_refuse(cli, "%s: %s", origin,
                                status ? error.text : "write an option for each link");
}

static error_t check_kernels(const struct cli *cli, const char *origin, const char *text)
{
    if (*text && num_kernels_find(text)) {
        return 0;
    }
    return options_refuse(cli,
                          "%s: this host cannot run '%s'; choose reference, avx2 or avx512, or "
                          "none for the fastest",
                          origin, text);
}

static error_t check_filter(const struct cli *cli, const char *origin, const char *text)
{
    (void)origin;
    return options_trace_filter(cli, text);
}

static error_t check_dump_on(const struct cli *cli, const char *origin, const char *text)
{
    struct penrose_error error;
    unsigned events;
    return settings_dump_events(&events, text, &error) == PENROSE_OK
               ? 0
               : options_refuse(cli, "%s: %s", origin, error.text);
}

static error_t check_launches(const struct cli *cli, const char *origin, const char *text)
{
    struct settings_numbers numbers;
    struct penrose_error error;
    return settings_numbers(&numbers, text, &error) == PENROSE_OK
               ? 0
               : options_refuse(cli, "%s: %s", origin, error.text);
}

static error_t check_fail_on(const struct cli *cli, const char *origin, const char *text)
{
    static const char *const events[] = {"fault", "hang", "warning", "finding"};
    size_t length;
    for (const char *at = text;; at += length + 1) {
        bool is_known = false;
        length = strcspn(at, ",");
        for (unsigned i = 0; i < sizeof events / sizeof events[0]; i++) {
            is_known |= strlen(events[i]) == length && strncmp(events[i], at, length) == 0;
        }
        if (!is_known) {
            return options_refuse(
                cli,
                "%s: '%.*s' is none of fault, hang, warning and finding; write for "
                "example %s fault,hang",
                origin, (int)length, at, origin);
        }
        if (!at[length]) {
            return 0;
        }
    }
}

static error_t check_on_hang(const struct cli *cli, const char *origin, const char *text)
{
    if (strcmp(text, "stop") == 0 || strcmp(text, "report") == 0 || strcmp(text, "throw") == 0) {
        return 0;
    }
    return options_refuse(cli, "%s: '%s' is none of report, stop and throw", origin, text);
}

/* --- Options --- */

enum exec_path {
    PATH_NONE,
    PATH_ADDED, /* a file that the library adds to */
    PATH_READ,
    PATH_FOLDER,
};

/* All that there is to say of an option; without a name it is the title of a group. */
struct exec_row {
    const char *name, *argument, *help;
    const char *variable; /* gets the value; NULL: only that module wants it */
    error_t (*check)(const struct cli *cli, const char *origin, const char *text);
    const char *without;   /* the value where none is given; NULL: one has to be */
    const char *separator; /* several options are one list; NULL: the last one counts */
    enum exec_path path;
    int letter;
    const char *setting; /* of PENROSE_CHECK; its value is a path */
};

static const struct exec_row exec_rows[] = {
    {.help = "The chip:"},
    {"card", "CARD",
     "unharvested (default, unless PENROSE_CARD names another; 140 workers), p150a, or p100a or "
     "p100 (120 workers, 7 DRAM banks, no Ethernet); with several chips: p300, p300x2, quietbox, "
     "galaxy",
     .variable = "PENROSE_CARD", .check = chosen_check_card},
    {"cluster", "FILE",
     "In place of a card, the chips and links that UMD's cluster descriptor FILE names "
     "(docs/CLUSTERS.md)",
     .variable = "PENROSE_CLUSTER", .path = PATH_READ},
    {"arch", "ARCH", "blackhole (default)", .check = check_arch},
    {"library", "FILE", "Another libttsim.so, with a soc_descriptor.yaml beside it",
     .variable = NULL},
    {"threads", "N",
     "Host threads that run the tiles (default: as many as there are processors, at most 8); "
     "results do not depend on it",
     .variable = "PENROSE_THREADS", .check = check_threads},
    {"schedule", "SCHEDULE", "fast (default), lockstep, or random:SEED, as for penrose run",
     .check = check_schedule},
    {"timing", "TIMING", "functional (default) or timed, as for penrose run",
     .check = check_timing},
    {"policy", "KIND=POLICY", "What a guest fault does: stop, warn or ignore",
     .variable = "PENROSE_POLICY", .check = check_policy, .separator = ","},
    {"run-ahead", "FIRST:MOST",
     "Cycles that pass while the host polls, see libttsim(3); 0: only those that it asks for",
     .variable = "PENROSE_RUN_AHEAD", .check = check_run_ahead},
    {"loopback", "all|X,Y", "Plug a cable from this Ethernet tile to itself, as for penrose boot",
     .variable = "PENROSE_LOOPBACK", .check = check_loopback, .separator = " "},
    {"link-errors", "CHIP:PORT=RATE[,...]",
     "Damage this share of the frames on a link, chosen by ,seed=N; with ,down=CYCLE and ,up=CYCLE "
     "the link goes away and comes back",
     .variable = "PENROSE_LINK_ERRORS", .check = check_link_errors, .separator = " "},
    {"kernels-set", "SET",
     "What computes: reference, avx2 or avx512 (default: the fastest; same bits)",
     .variable = "PENROSE_KERNELS", .check = check_kernels},
    {.help = "tt-metal:"},
    {"fast-dispatch", NULL,
     "Let prefetch and dispatch kernels run; without it TT_METAL_SLOW_DISPATCH_MODE is set",
     .variable = NULL},
    {"compile-firmware", NULL, "Let ttnn compile firmware; this is what it does anyway",
     .variable = NULL},
    {.help = "What it tells:"},
    {"report", "FILE",
     "Add fault and deadlock reports to FILE, in full; what checks find in SARIF, where its name "
     "ends in .sarif",
     .variable = "PENROSE_REPORT", .path = PATH_ADDED},
    {"check", "CHECK,...",
     "Look for mistakes of kernels that hurt only sometimes: " CHECK_HELP " (default)",
     .variable = "PENROSE_CHECK", .check = options_checks, .without = "all"},
    {"suppress", "FILE", "Do not report what a line KIND PATTERN REASON of FILE excuses",
     .setting = "suppress"},
    {"gen-suppressions", "FILE", "Add a line to FILE for each finding", .setting = "generate"},
    {"baseline", "FILE", "Do not report what the SARIF file FILE of an earlier run has",
     .setting = "baseline"},
    {"delay", "[X-Y:]HART[.WHAT]@PC[/N]=CYCLES",
     "Hold a hart up when it comes to PC, or the thread, departure or arrival of what it starts "
     "there, as for penrose run",
     .variable = "PENROSE_DELAY", .check = options_delays, .separator = ","},
    {"trace", "FILE",
     "Add what harts, coprocessors and NoC do to FILE; in binary form where its name ends in "
     ".ptrace",
     .variable = "PENROSE_TRACE", .path = PATH_ADDED},
    {"profile", "FILE",
     "Add where the cycles of harts and the coprocessor went to FILE: text, a page where its name "
     "ends in .html, a table where in .csv (.ops.csv: of launches), or a trace for ui.perfetto.dev "
     "where in .pftrace; a page or a table replaces what FILE has",
     .variable = "PENROSE_PROFILE", .path = PATH_ADDED},
    {"operations", "FILE",
     "Add the operations of ttnn that a Python program calls to FILE, by which penrose trace "
     "--profile calls launches; a profile knows them without it, too (docs/PROFILING.md)",
     .variable = "PENROSE_OPERATIONS", .path = PATH_ADDED},
    {"trace-filter", "FILTER", "Trace or profile only this, see penrose(1)",
     .variable = "PENROSE_TRACE_FILTER", .check = check_filter},
    {"dump-on", "EVENT,...",
     "Write what the tiles hold to files (see 'penrose state --help') at the exit, at each fault, "
     "or at SIGUSR1: exit, fault, signal",
     .variable = "PENROSE_DUMP_ON", .check = check_dump_on},
    {"dump-dir", "DIR", "A folder for what --dump-on writes (default: penrose-dumps)",
     .variable = "PENROSE_DUMP_DIR", .path = PATH_FOLDER},
    {"gdb", "ADDRESS",
     "Wait for GDB at [HOST:]PORT or unix:PATH when the chip is first used; with ,nowait behind it "
     "GDB may come at any time (docs/DEBUGGING.md)",
     .variable = "PENROSE_GDB"},
    {"record", "FILE",
     "Record what the command does to the chip, for penrose replay; %p in FILE is the number of "
     "the process",
     .variable = "PENROSE_RECORD", .path = PATH_ADDED},
    {"record-launch", "DIR",
     "Write each program that tt-metal launches to a folder in DIR, with a PROGRAM.json for "
     "penrose run: kernels, arguments, buffers, and the chip as it was (docs/RECORDING.md)",
     .variable = "PENROSE_RECORD_LAUNCH", .path = PATH_FOLDER},
    {"launches", "N,...", "With --record-launch: only these, counted from 1: 3,5-7",
     .variable = "PENROSE_LAUNCHES", .check = check_launches},
    {"quiet", NULL, "Say nothing at the end", .letter = 'q'},
    {"on-hang", "WHAT",
     "When nothing can happen any more and the host polls on: report (default) who waits for what; "
     "stop: end the command then, too; throw: throw a C++ exception to it",
     .variable = "PENROSE_ON_HANG", .check = check_on_hang},
    {"fail-on", "LIST",
     "Let a command that ends with 0 fail where there were any of: fault,hang,warning,finding; "
     "finding is one of --check and of the rules that are always on, or that nothing was checked",
     .check = check_fail_on, .separator = ","},
    {"help", NULL, "Show this help", .letter = 'h'},
};

enum { EXEC_ROWS = sizeof exec_rows / sizeof exec_rows[0], KEY_FIRST = 0x500 };

struct exec_options {
    struct cli *cli;
    char *value[EXEC_ROWS]; /* NULL: the option is not there */
};

static int exec_key(size_t row)
{
    return exec_rows[row].letter ? exec_rows[row].letter : KEY_FIRST + (int)row;
}

static const char *exec_value(const struct exec_options *options, const char *name)
{
    for (size_t i = 0; i < EXEC_ROWS; i++) {
        if (exec_rows[i].name && strcmp(exec_rows[i].name, name) == 0) {
            return options->value[i];
        }
    }
    return NULL;
}

static error_t keep_value(const struct exec_row *row, char **value, const char *text)
{
    char *before = *value, *whole;
    bool is_added = before && row->separator;
    if (asprintf(&whole, "%s%s%s", is_added ? before : "", is_added ? row->separator : "", text) <
        0) {
        return ENOMEM;
    }
    free(before);
    *value = whole;
    return 0;
}

static error_t take_value(struct exec_options *options, size_t i, const char *text)
{
    const struct exec_row *row = &exec_rows[i];
    char origin[32];
    snprintf(origin, sizeof origin, "--%s", row->name);
    error_t error = row->check ? row->check(options->cli, origin, text) : 0;
    return error ? error : keep_value(row, &options->value[i], text);
}

/* The value of an option that may go without one. Nothing but options stands in front of the command, so
 * another word behind the option is its value. */
static const char *optional_value(const struct exec_row *row, struct argp_state *state)
{
    bool has_word = state->next < state->argc && *state->argv[state->next] != '-';
    return has_word ? state->argv[state->next++] : row->without;
}

static error_t parse_exec(int key, char *argument, struct argp_state *state)
{
    struct exec_options *options = state->input;
    if (key == 'h') {
        argp_help(state->root_argp, stdout, ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC,
                  state->name);
        return ECANCELED;
    }
    if (key == ARGP_KEY_ARG) {
        return options_refuse(options->cli,
                              "the command goes behind --: penrose exec [OPTION...] -- %s ...",
                              argument);
    }
    for (size_t i = 0; i < EXEC_ROWS; i++) {
        const struct exec_row *row = &exec_rows[i];
        if (row->name && key == exec_key(i)) {
            const char *value = argument       ? argument
                                : row->without ? optional_value(row, state)
                                               : "1";
            return take_value(options, i, value);
        }
    }
    return ARGP_ERR_UNKNOWN;
}

static const char exec_doc[] =
    "Runs a program that uses tt-metal, ttnn, UMD, the LLK tests or tt-exalens on the "
    "emulated chip, unchanged: its environment names the library and what the options say. "
    "{library} in an argument stands for the library's path; tt-exalens gets -s with it. "
    "At the end stderr tells cycles, faults, hangs, warnings and the busiest tiles."
    "\vExamples:\n"
    "  penrose exec -- python3 program.py\n"
    "        ttnn on a whole chip, in slow dispatch\n"
    "  penrose exec --card p150a --fast-dispatch -- python3 program.py\n"
    "        with the grid of a p150a and the real dispatch kernels\n"
    "  penrose exec --report faults.txt -- pytest --run-simulator test_eltwise.py\n"
    "        LLK tests; what goes wrong is explained in faults.txt\n"
    "  penrose exec -- tt-exalens --commands 'device; exit'\n"
    "        looks at a chip with tt-exalens\n\n"
    "The exit code is that of COMMAND, 128 + N when signal N ended it; 125 when this program "
    "cannot do its part, such as a recording for which there is no room, 126 when COMMAND "
    "cannot be run, 127 when it is not found. With "
    "--fail-on "
    "and --on-hang stop: 121 after a fault, 122 after a hang, 123 after a warning or a finding.\n"
    "`penrose doctor` checks what is installed.";

static bool parse_options(struct exec_options *options, int argc, char **argv, enum cli_exit *exit)
{
    struct argp_option shown[EXEC_ROWS + 1] = {0};
    const struct argp argp = {.options = shown,
                              .parser = parse_exec,
                              .args_doc = "-- COMMAND [ARGUMENT...]",
                              .doc = exec_doc};
    int group = 0;
    for (size_t i = 0; i < EXEC_ROWS; i++) {
        const struct exec_row *row = &exec_rows[i];
        group += !row->name;
        shown[i] = row->name
                       ? (struct argp_option){row->name,     exec_key(i),
                                              row->argument, row->without ? OPTION_ARG_OPTIONAL : 0,
                                              row->help,     0}
                       : (struct argp_option){.doc = row->help, .group = group};
    }
    return options_parse(options->cli, &argp, argc, argv, options, exit);
}

/* --- The environment of the command --- */

/* A command may change its folder, so paths become absolute. What the library will add to is checked
 * now, as it could only tell when something is lost. */
static bool set_path(const struct cli *cli, const char *origin, const char *variable,
                     enum exec_path kind, const char *wanted)
{
    char path[PATH_MAX];
    if (!host_absolute(path, sizeof path, wanted)) {
        complain(cli, "%s: the path is too long", origin);
        return false;
    }
    return (kind != PATH_ADDED || output_file_check_added(cli, origin, path) == CLI_DONE) &&
           setenv(variable, path, 1) == 0;
}

/* Which the checks write, and not the library's reports. */
static bool is_sarif(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && strcmp(dot, ".sarif") == 0;
}

static bool set_paths(const struct exec_options *options)
{
    const struct cli *cli = options->cli;
    for (size_t i = 0; i < EXEC_ROWS; i++) {
        const struct exec_row *row = &exec_rows[i];
        const char *value = options->value[i];
        char origin[32];
        snprintf(origin, sizeof origin, "--%s", row->name ? row->name : "");
        const char *wanted = value || !row->path ? value : host_variable(row->variable);
        if (row->path && wanted && !is_sarif(wanted) &&
            !set_path(cli, value ? origin : row->variable, row->variable, row->path, wanted)) {
            return false;
        }
    }
    const char *summary = host_variable("PENROSE_SUMMARY");
    return !summary || set_path(cli, "PENROSE_SUMMARY", "PENROSE_SUMMARY", PATH_ADDED, summary);
}

/* Options that make sense with another one only, and the folder for dumps. */
static bool check_pairs(const struct exec_options *options)
{
    const struct cli *cli = options->cli;
    bool has_dumps = exec_value(options, "dump-on") || host_variable("PENROSE_DUMP_ON");
    if (exec_value(options, "dump-dir") && !has_dumps) {
        complain(cli, "--dump-dir is for dumps; say with --dump-on when they are made");
        return false;
    }
    if (exec_value(options, "launches") && !host_variable("PENROSE_RECORD_LAUNCH")) {
        complain(cli, "--launches says which ones; add --record-launch DIR");
        return false;
    }
    return !exec_value(options, "dump-on") || host_variable("PENROSE_DUMP_DIR") ||
           set_path(cli, "--dump-dir", "PENROSE_DUMP_DIR", PATH_FOLDER, "penrose-dumps");
}

static const char no_checks[] = "core";

/* Adds a setting with an absolute path to PENROSE_CHECK. */
static bool add_setting(const struct cli *cli, const char *origin, const char *setting,
                        const char *value)
{
    const char *checks = host_variable("PENROSE_CHECK"), *before = checks ? checks : no_checks;
    char path[PATH_MAX], *list;
    if (!host_absolute(path, sizeof path, value) ||
        asprintf(&list, "%s,%s=%s", before, setting, path) < 0) {
        complain(cli, "%s: the path is too long", origin);
        return false;
    }
    bool done = options_checks(cli, origin, list) == 0 && setenv("PENROSE_CHECK", list, 1) == 0;
    free(list);
    return done;
}

static bool set_checks(const struct exec_options *options)
{
    const char *report = exec_value(options, "report");
    for (size_t i = 0; i < EXEC_ROWS; i++) {
        const struct exec_row *row = &exec_rows[i];
        char origin[32];
        snprintf(origin, sizeof origin, "--%s", row->name ? row->name : "");
        if (row->setting && options->value[i] &&
            !add_setting(options->cli, origin, row->setting, options->value[i])) {
            return false;
        }
    }
    const char *fails = exec_value(options, "fail-on");
    bool done = !is_sarif(report) || add_setting(options->cli, "--report", "report", report);
    bool is_asked = fails && strstr(fails, "finding") && !host_variable("PENROSE_CHECK");
    return done && (!is_asked || setenv("PENROSE_CHECK", no_checks, 1) == 0);
}

/* PENROSE_SCHEDULE has both. */
static bool set_schedule(const struct exec_options *options)
{
    const char *schedule = exec_value(options, "schedule"), *timing = exec_value(options, "timing");
    char *both;
    if (!schedule && !timing) {
        return true;
    }
    bool done = asprintf(&both, "%s%s%s", schedule ? schedule : "", schedule && timing ? "," : "",
                         timing ? timing : "") >= 0;
    done = done && setenv("PENROSE_SCHEDULE", both, 1) == 0;
    if (done) {
        free(both);
    }
    return done;
}

static bool set_environment(const struct exec_options *options, const struct chosen_chips *chosen)
{
    /* What the option says counts, whatever the environment has. */
    bool done = chosen_set_environment(chosen);
    done = done && set_schedule(options);
    for (size_t i = 0; i < EXEC_ROWS; i++) {
        const struct exec_row *row = &exec_rows[i];
        const char *value = options->value[i];
        if (row->check == check_loopback && value && strstr(value, "all")) {
            value = "all"; /* the others are among them */
        }
        if (value && *value && row->variable && !row->path) {
            done &= setenv(row->variable, value, 1) == 0;
        }
    }
    if (!done) {
        complain(options->cli, "no memory for the environment");
    }
    return done && set_paths(options) && set_checks(options) && check_pairs(options);
}

/* --- Running it --- */

static void run_in_python(const struct exec_options *options, const struct chosen_chips *chosen,
                          char **command)
{
    struct python_command python;
    python_begin(&python, options->cli, "execute");
    for (size_t i = 0; i < EXEC_ROWS; i++) {
        if (options->value[i]) {
            python_tell(&python, exec_rows[i].name, "%s", options->value[i]);
        }
    }
    chosen_tell(chosen, &python);
    python_tell(&python, "clock_mhz", "%u", chosen->plan.kind->arch->clock_mhz);
    python_become(&python, command);
}

/* Returns when the command has not been started, after a message. */
static void start_command(const struct exec_options *options, char **command)
{
    struct chosen_chips chosen;
    if (!command || !*command) {
        options_refuse(options->cli, "name a command: penrose exec -- python3 program.py");
    } else if (chosen_find(&chosen, options->cli, exec_value(options, "card"),
                           exec_value(options, "cluster")) &&
               set_environment(options, &chosen)) {
        run_in_python(options, &chosen, command);
    }
}

enum cli_exit cmd_exec(struct cli *cli, int argc, char **argv)
{
    struct exec_options options = {.cli = cli};
    enum cli_exit exit;
    cli->json = false; /* if it occurs, it is an argument of the command */
    char **command = options_split_command(&argc, argv);
    bool is_parsed = parse_options(&options, argc, argv, &exit);
    if (is_parsed) {
        start_command(&options, command);
    }
    for (size_t i = 0; i < EXEC_ROWS; i++) {
        free(options.value[i]);
    }
    return !is_parsed && exit == CLI_DONE ? exit : (enum cli_exit)EXIT_NOT_STARTED;
}
