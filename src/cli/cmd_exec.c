/*
 * `penrose exec`: a program of tt-metal's world runs on the emulated chip. Options become variables
 * of its environment (libttsim(3)); signals reach it, and its exit code becomes ours.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chip/grid.h"
#include "cli/child.h"
#include "cli/compiler.h"
#include "cli/installation.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/suggest.h"
#include "cli/summary.h"
#include "host/environment.h"
#include "num/kernels.h"
#include "observe/settings.h"

enum {
    /* As of env(1). */
    EXIT_NOT_STARTED = 125,
    EXIT_NOT_RUNNABLE = 126,
    EXIT_NOT_FOUND = 127,
    EXIT_SIGNAL = 128,
    /* What --fail-on asks for, where the command itself ends with 0. */
    EXIT_FAULT = 121,
    EXIT_HANG = 122,
    EXIT_WARNING = 123,

    MOST_VARIABLES = 24,
    MOST_LIST = 4096,
};

enum failure { ON_FAULT = 1, ON_HANG = 2, ON_WARNING = 4 };

struct exec_options {
    struct cli *cli;
    const char *card; /* NULL: as the environment says */
    const char *library, *threads, *trace, *trace_filter, *record, *report, *gdb, *run_ahead,
        *kernels, *timing;
    const char *dump_on, *dump_dir, *record_launch, *launches;
    char schedule[64], policy[MOST_LIST], loopback[MOST_LIST];
    bool fast_dispatch, quiet;
    const char *on_hang; /* NULL: as the environment says */
    unsigned fail_on;    /* bits of enum failure */
};

enum {
    KEY_HELP = 'h',
    KEY_QUIET = 'q',
    KEY_CARD = 0x500,
    KEY_ARCH,
    KEY_LIBRARY,
    KEY_FAST_DISPATCH,
    KEY_COMPILE_FIRMWARE,
    KEY_THREADS,
    KEY_SCHEDULE,
    KEY_TIMING,
    KEY_POLICY,
    KEY_RUN_AHEAD,
    KEY_EXEC_LOOPBACK,
    KEY_KERNELS,
    KEY_TRACE,
    KEY_TRACE_FILTER,
    KEY_RECORD,
    KEY_RECORD_LAUNCH,
    KEY_LAUNCHES,
    KEY_REPORT,
    KEY_DUMP_ON,
    KEY_DUMP_DIR,
    KEY_FAIL_ON,
    KEY_ON_HANG,
    KEY_GDB,
};

/* --- Options --- */

/* `origin` is where the name stands: the option or the variable. */
static error_t parse_card(struct exec_options *options, const char *origin, const char *text)
{
    struct suggestion nearest = {.word = text};
    options->card = find_card(text);
    if (options->card) {
        return 0;
    }
    for (size_t i = 0; card_at(i); i++) {
        suggest(&nearest, card_at(i));
    }
    if (nearest.best) {
        return options_refuse(options->cli, "%s: there is no card '%s'; did you mean %s?", origin,
                              text, nearest.best);
    }
    return options_refuse(options->cli, "%s: there is no card '%s'; known are %s", origin, text,
                          grid_products().text);
}

static error_t parse_arch(struct exec_options *options, const char *text)
{
    if (strcmp(text, "blackhole") == 0) {
        return 0;
    }
    return options_refuse(options->cli, "--arch: '%s' is not emulated; blackhole is", text);
}

static error_t parse_threads(struct exec_options *options, const char *text)
{
    uint64_t threads;
    error_t error = options_number(options->cli, "--threads", text, CLI_THREADS, &threads);
    if (!error && !threads) {
        return options_refuse(options->cli, "--threads: at least one thread must run the tiles");
    }
    options->threads = text;
    return error;
}

/* The library would only warn about a wrong one. */
static error_t parse_schedule(struct exec_options *options, const char *text)
{
    struct penrose_options chip = {.size = sizeof chip};
    struct penrose_error error;
    if (strlen(text) >= sizeof options->schedule / 2 ||
        settings_schedule(&chip, text, &error) != PENROSE_OK) {
        return options_refuse(options->cli,
                              "--schedule: '%s' is no schedule; choose fast, lockstep or "
                              "random:SEED, for example random:1",
                              text);
    }
    snprintf(options->schedule, sizeof options->schedule, "%s", text);
    return 0;
}

static error_t parse_timing(struct exec_options *options, const char *text)
{
    if (strcmp(text, "timed") != 0 && strcmp(text, "functional") != 0) {
        return options_refuse(options->cli,
                              "--timing: '%s' is no timing; choose functional or timed", text);
    }
    options->timing = text;
    return 0;
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

static error_t parse_run_ahead(struct exec_options *options, const char *text)
{
    if (!is_run_ahead(text)) {
        return options_refuse(options->cli,
                              "--run-ahead: '%s' is not understood; write FIRST:MOST, or MOST, in "
                              "cycles up to 1073741824, or 0 to switch it off",
                              text);
    }
    options->run_ahead = text;
    return 0;
}

static error_t parse_kernels(struct exec_options *options, const char *text)
{
    if (!*text || !num_kernels_find(text)) {
        return options_refuse(options->cli,
                              "--kernels-set: this host cannot run '%s'; choose reference, avx2 or "
                              "avx512, or none for the fastest",
                              text);
    }
    options->kernels = text;
    return 0;
}

static error_t parse_dump_on(struct exec_options *options, const char *text)
{
    struct penrose_error error;
    unsigned events;
    options->dump_on = text;
    return settings_dump_events(&events, text, &error) == PENROSE_OK
               ? 0
               : options_refuse(options->cli, "--dump-on: %s", error.text);
}

/* Several options are one list. */
static error_t parse_policy(struct exec_options *options, const char *text)
{
    struct penrose_options chip = {.size = sizeof chip};
    struct penrose_error error;
    size_t length = strlen(options->policy);
    if (settings_policy(&chip, text, &error) != PENROSE_OK) {
        return options_refuse(options->cli, "--policy: %s", error.text);
    }
    if (length + strlen(text) + 2 > sizeof options->policy) {
        return options_refuse(options->cli, "--policy: too many of them");
    }
    snprintf(options->policy + length, sizeof options->policy - length, "%s%s", length ? "," : "",
             text);
    return 0;
}

/* "all", or a tile; several options add up. */
static error_t parse_exec_loopback(struct exec_options *options, const char *text)
{
    struct penrose_place at;
    size_t length = strlen(options->loopback);
    bool is_all = strcmp(text, "all") == 0;
    if (!is_all && !options_place(text, &at)) {
        return options_refuse(options->cli,
                              "--loopback: '%s' is no Ethernet tile; write all, or X,Y", text);
    }
    if (is_all || strcmp(options->loopback, "all") == 0) {
        length = 0;
        text = "all";
    }
    if (length + strlen(text) + 2 > sizeof options->loopback) {
        return options_refuse(options->cli, "--loopback: too many of them");
    }
    snprintf(options->loopback + length, sizeof options->loopback - length, "%s%s",
             length ? " " : "", text);
    return 0;
}

/* A list of words; several options add up. */
static error_t parse_fail_on(struct exec_options *options, const char *text)
{
    static const struct {
        const char *name;
        enum failure failure;
    } failures[] = {{"fault", ON_FAULT}, {"hang", ON_HANG}, {"warning", ON_WARNING}};
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        unsigned found = 0;
        for (unsigned i = 0; i < sizeof failures / sizeof failures[0]; i++) {
            bool is_it =
                strlen(failures[i].name) == length && strncmp(failures[i].name, at, length) == 0;
            found |= is_it ? failures[i].failure : 0u;
        }
        if (!found) {
            return options_refuse(options->cli,
                                  "--fail-on: '%.*s' is none of fault, hang and warning; write for "
                                  "example --fail-on fault,hang",
                                  (int)length, at);
        }
        options->fail_on |= found;
        at += length;
        if (!*at) {
            return 0;
        }
    }
}

static error_t parse_launches(struct exec_options *options, const char *text)
{
    struct settings_numbers numbers;
    struct penrose_error error;
    options->launches = text;
    return settings_numbers(&numbers, text, &error) == PENROSE_OK
               ? 0
               : options_refuse(options->cli, "--launches: %s", error.text);
}

static error_t parse_on_hang(struct exec_options *options, const char *text)
{
    if (strcmp(text, "stop") != 0 && strcmp(text, "report") != 0 && strcmp(text, "throw") != 0) {
        return options_refuse(options->cli, "--on-hang: '%s' is none of report, stop and throw",
                              text);
    }
    options->on_hang = text;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct exec_options *options = state->input;
    switch (key) {
    case KEY_HELP:
        argp_help(state->root_argp, stdout, ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC,
                  state->name);
        return ECANCELED;
    case KEY_CARD:
        return parse_card(options, "--card", argument);
    case KEY_ARCH:
        return parse_arch(options, argument);
    case KEY_THREADS:
        return parse_threads(options, argument);
    case KEY_SCHEDULE:
        return parse_schedule(options, argument);
    case KEY_TIMING:
        return parse_timing(options, argument);
    case KEY_POLICY:
        return parse_policy(options, argument);
    case KEY_LIBRARY:
        options->library = argument;
        return 0;
    case KEY_EXEC_LOOPBACK:
        return parse_exec_loopback(options, argument);
    case KEY_RUN_AHEAD:
        return parse_run_ahead(options, argument);
    case KEY_KERNELS:
        return parse_kernels(options, argument);
    case KEY_TRACE:
        options->trace = argument;
        return 0;
    case KEY_TRACE_FILTER:
        options->trace_filter = argument;
        return options_trace_filter(options->cli, argument);
    case KEY_RECORD:
        options->record = argument;
        return 0;
    case KEY_RECORD_LAUNCH:
        options->record_launch = argument;
        return 0;
    case KEY_LAUNCHES:
        return parse_launches(options, argument);
    case KEY_REPORT:
        options->report = argument;
        return 0;
    case KEY_DUMP_ON:
        return parse_dump_on(options, argument);
    case KEY_DUMP_DIR:
        options->dump_dir = argument;
        return 0;
    case KEY_FAIL_ON:
        return parse_fail_on(options, argument);
    case KEY_ON_HANG:
        return parse_on_hang(options, argument);
    case KEY_GDB:
        options->gdb = argument;
        return 0;
    case KEY_FAST_DISPATCH:
        options->fast_dispatch = true;
        return 0;
    case KEY_COMPILE_FIRMWARE:
        return 0; /* it is the only way */
    case KEY_QUIET:
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        return options_refuse(options->cli,
                              "the command goes behind --: penrose exec [OPTION...] -- %s ...",
                              argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_rows[] = {
    {NULL, 0, NULL, 0, "The chip:", 1},
    {"card", KEY_CARD, "CARD", 0,
     "unharvested (default, unless PENROSE_CARD names another; 140 workers), p150a, or p100a or "
     "p100 (120 workers, 7 DRAM banks, no Ethernet)",
     0},
    {"arch", KEY_ARCH, "ARCH", 0, "blackhole (default)", 0},
    {"library", KEY_LIBRARY, "FILE", 0, "Another libttsim.so, with a soc_descriptor.yaml beside it",
     0},
    {"threads", KEY_THREADS, "N", 0,
     "Host threads that run the tiles (default: as many as there are processors, at most 8); "
     "results do not depend on it",
     0},
    {"schedule", KEY_SCHEDULE, "SCHEDULE", 0,
     "fast (default), lockstep, or random:SEED, as for penrose run", 0},
    {"timing", KEY_TIMING, "TIMING", 0, "functional (default) or timed, as for penrose run", 0},
    {"policy", KEY_POLICY, "KIND=POLICY", 0, "What a guest fault does: stop, warn or ignore", 0},
    {"run-ahead", KEY_RUN_AHEAD, "FIRST:MOST", 0,
     "Cycles that pass while the host polls, see libttsim(3); 0: only those that it asks for", 0},
    {"loopback", KEY_EXEC_LOOPBACK, "all|X,Y", 0,
     "Plug a cable from this Ethernet tile to itself, as for penrose boot", 0},
    {"kernels-set", KEY_KERNELS, "SET", 0,
     "What computes: reference, avx2 or avx512 (default: the fastest; same bits)", 0},
    {NULL, 0, NULL, 0, "tt-metal:", 2},
    {"fast-dispatch", KEY_FAST_DISPATCH, NULL, 0,
     "Let prefetch and dispatch kernels run; without it TT_METAL_SLOW_DISPATCH_MODE is set", 0},
    {"compile-firmware", KEY_COMPILE_FIRMWARE, NULL, 0,
     "Let ttnn compile firmware; this is what it does anyway", 0},
    {NULL, 0, NULL, 0, "What it tells:", 3},
    {"report", KEY_REPORT, "FILE", 0, "Add fault and deadlock reports to FILE, in full", 0},
    {"trace", KEY_TRACE, "FILE", 0,
     "Add what harts, coprocessors and NoC do to FILE; in binary form where its name ends in "
     ".ptrace",
     0},
    {"trace-filter", KEY_TRACE_FILTER, "FILTER", 0, "Trace only this, see penrose(1)", 0},
    {"dump-on", KEY_DUMP_ON, "EVENT,...", 0,
     "Write what the tiles hold to files (see 'penrose state --help') at the exit, at each fault, "
     "or at "
     "SIGUSR1: exit, fault, signal",
     0},
    {"dump-dir", KEY_DUMP_DIR, "DIR", 0,
     "A folder for what --dump-on writes (default: penrose-dumps)", 0},
    {"gdb", KEY_GDB, "ADDRESS", 0,
     "Wait for GDB at [HOST:]PORT or unix:PATH when the chip is first used; with ,nowait behind it "
     "GDB may come at any time (docs/DEBUGGING.md)",
     0},
    {"record", KEY_RECORD, "FILE", 0,
     "Record what the command does to the chip, for penrose replay; %p in FILE is the number of "
     "the "
     "process",
     0},
    {"record-launch", KEY_RECORD_LAUNCH, "DIR", 0,
     "Write each program that tt-metal launches to a folder in DIR, with a PROGRAM.json for "
     "penrose "
     "run: kernels, arguments, buffers, and the chip as it was (docs/RECORDING.md)",
     0},
    {"launches", KEY_LAUNCHES, "N,...", 0,
     "With --record-launch: only these, counted from 1: 3,5-7", 0},
    {"quiet", KEY_QUIET, NULL, 0, "Say nothing at the end", 0},
    {"on-hang", KEY_ON_HANG, "WHAT", 0,
     "When nothing can happen any more and the host polls on: report (default) who waits for what; "
     "stop: end the command then, too; throw: throw a C++ exception to it",
     0},
    {"fail-on", KEY_FAIL_ON, "LIST", 0,
     "Let a command that ends with 0 fail where there were any of: fault,hang,warning", 0},
    {"help", KEY_HELP, NULL, 0, "Show this help", 0},
    {0},
};

static const struct argp argp = {
    .options = option_rows,
    .parser = parse,
    .args_doc = "-- COMMAND [ARGUMENT...]",
    .doc =
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
        "and --on-hang stop: 121 after a fault, 122 after a hang, 123 after a warning.\n"
        "`penrose doctor` checks what is installed.",
};

/* --- What the command gets --- */

struct job {
    const struct exec_options *options;
    char library[PATH_MAX];
    char root[PATH_MAX];                    /* for tt-metal; empty: its own */
    char summary[PATH_MAX];                 /* empty: none */
    bool owns_summary;                      /* and removes it */
    long summary_start;                     /* what is before it was there already */
    bool summary_is_device;                 /* which cannot be read again */
    char trace[PATH_MAX], report[PATH_MAX]; /* empty: none */
    char record[PATH_MAX];                  /* the same */
    char launches[PATH_MAX];                /* a folder; the same */
    char dumps[PATH_MAX];                   /* the folder for them; empty: none are wanted */
    struct child_variable variable[MOST_VARIABLES];
    unsigned variables;
    char schedule[96];
    char **argv;
};

static void set_variable(struct job *job, const char *name, const char *value)
{
    if (value && *value) {
        job->variable[job->variables++] = (struct child_variable){name, value};
    }
}

/* PENROSE_SCHEDULE has both. */
static void set_schedule(struct job *job)
{
    const struct exec_options *options = job->options;
    snprintf(job->schedule, sizeof job->schedule, "%s%s%s", options->schedule,
             *options->schedule && options->timing ? "," : "",
             options->timing ? options->timing : "");
    set_variable(job, "PENROSE_SCHEDULE", job->schedule);
}

static void set_environment(struct job *job)
{
    const struct exec_options *options = job->options;
    set_variable(job, "TT_METAL_SIMULATOR", job->library);
    set_variable(job, "TT_UMD_SIMULATOR_PATH", job->library);
    set_variable(job, "TTEXALENS_SIMULATOR", job->library);
    set_variable(job, "CHIP_ARCH", "blackhole"); /* for the LLK tests */
    job->variable[job->variables++] =
        (struct child_variable){"TT_METAL_SLOW_DISPATCH_MODE", options->fast_dispatch ? NULL : "1"};
    set_variable(job, "TT_METAL_RUNTIME_ROOT", job->root);
    set_variable(job, "PENROSE_CARD", options->card);
    set_variable(job, "PENROSE_THREADS", options->threads);
    set_schedule(job);
    set_variable(job, "PENROSE_POLICY", options->policy);
    set_variable(job, "PENROSE_RUN_AHEAD", options->run_ahead);
    set_variable(job, "PENROSE_LOOPBACK", *options->loopback ? options->loopback : NULL);
    set_variable(job, "PENROSE_KERNELS", options->kernels);
    set_variable(job, "PENROSE_TRACE", job->trace);
    set_variable(job, "PENROSE_TRACE_FILTER", options->trace_filter);
    set_variable(job, "PENROSE_RECORD", job->record);
    set_variable(job, "PENROSE_RECORD_LAUNCH", job->launches);
    set_variable(job, "PENROSE_LAUNCHES", options->launches);
    set_variable(job, "PENROSE_REPORT", job->report);
    set_variable(job, "PENROSE_GDB", options->gdb);
    set_variable(job, "PENROSE_SUMMARY", job->summary);
    set_variable(job, "PENROSE_DUMP_ON", options->dump_on);
    set_variable(job, "PENROSE_DUMP_DIR", job->dumps);
    set_variable(job, "PENROSE_ON_HANG", options->on_hang);
}

/* A copy of `argument` with the library's path in place of each "{library}". */
static char *insert_library(const char *argument, const char *library)
{
    static const char mark[] = "{library}";
    size_t size = 1;
    for (const char *at = argument; *at; at++) {
        bool is_mark = strncmp(at, mark, sizeof mark - 1) == 0;
        size += is_mark ? strlen(library) : 1;
        at += is_mark ? sizeof mark - 2 : 0;
    }
    char *text = malloc(size), *end = text;
    for (const char *at = argument; text && *at; at++) {
        if (strncmp(at, mark, sizeof mark - 1) == 0) {
            end = stpcpy(end, library);
            at += sizeof mark - 2;
        } else {
            *end++ = *at;
        }
    }
    if (text) {
        *end = 0;
    }
    return text;
}

/* tt-exalens takes its simulator from the command line only. */
static bool wants_simulator(char **command)
{
    const char *slash = strrchr(command[0], '/');
    if (strcmp(slash ? slash + 1 : command[0], "tt-exalens") != 0) {
        return false;
    }
    for (char **argument = command + 1; *argument; argument++) {
        if (strncmp(*argument, "-s", 2) == 0 || strncmp(*argument, "--remote", 8) == 0 ||
            strcmp(*argument, "-h") == 0 || strcmp(*argument, "--help") == 0) {
            return false;
        }
    }
    return true;
}

/* The command as it is to be run; false without memory. */
static bool make_arguments(struct job *job, char **command)
{
    unsigned count = 0, at = 0;
    while (command[count]) {
        count++;
    }
    job->argv = calloc(count + 3, sizeof *job->argv);
    if (!job->argv) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!(job->argv[at++] = insert_library(command[i], job->library))) {
            return false;
        }
        if (i == 0 && wants_simulator(command)) {
            job->argv[at++] = strdup("-s");
            job->argv[at++] = strdup(job->library);
            if (!job->argv[at - 2] || !job->argv[at - 1]) {
                return false;
            }
        }
    }
    return true;
}

static void free_job(struct job *job)
{
    for (char **argument = job->argv; argument && *argument; argument++) {
        free(*argument);
    }
    free(job->argv);
    if (job->owns_summary) {
        unlink(job->summary);
    }
    free(job);
}

/* --- Running it --- */

/* By absolute paths, for a command that changes its folder. */
static bool choose_library(struct job *job)
{
    const struct exec_options *options = job->options;
    char descriptor[PATH_MAX];
    if (options->library) {
        if (!path_exists(options->library) ||
            !host_absolute(job->library, PATH_MAX, options->library)) {
            complain(options->cli, "--library: there is no file %s", options->library);
            return false;
        }
    } else if (!find_library(options->card, job->library)) {
        complain(options->cli,
                 "the library for card %s is not at %s: run 'make install', or 'make' in the "
                 "build tree, or name one with --library",
                 options->card, job->library);
        return false;
    }
    if (!find_descriptor(job->library, descriptor)) {
        complain(options->cli,
                 "%s is missing, without which UMD does not open the library: "
                 "'penrose info --soc-descriptor %s' prints one",
                 descriptor, options->card);
        return false;
    }
    return true;
}

/* Tells what to do where there is no compiler, before ttnn throws; a command that does not open a
 * device by ttnn runs without. */
static void tell_remedy(const char *python)
{
    char remedy[PATH_MAX + 128];
    compiler_remedy(python, remedy);
    note("exec: ttnn opens no device without SFPI, Tenstorrent's compiler, and there is none; this "
         "gets it (84 MB, 310 MB on disk): %s",
         remedy);
}

/* Lets tt-metal find a compiler, if the command's Python has ttnn. */
static void choose_compiler(struct job *job, char *const *command)
{
    char python_path[PATH_MAX], found[PATH_MAX], root[PATH_MAX], reason[256];
    const char *python = find_python(command, python_path) ? python_path : NULL;
    struct compiler compiler;
    if (!find_metal_root(python, found) || !realpath(found, root)) {
        return;
    }
    compiler_find(root, python, &compiler);
    if (compiler.place == COMPILER_PACKED) {
        note("exec: unpacking the compiler of the installed jax-tt-plugin into the cache, once");
        if (!compiler_unpack(&compiler, python, reason)) {
            note("exec: it cannot be unpacked: %s", reason);
        }
    }
    if (compiler.place == COMPILER_NOWHERE) {
        tell_remedy(python);
    } else if (compiler.place == COMPILER_CACHED && !compiler_root(root, &compiler, job->root)) {
        note("exec: ttnn does not find its compiler, since no folder of links can be made in the "
             "cache: %s; set PENROSE_CACHE to another folder",
             strerror(errno));
        job->root[0] = 0;
    }
}

/* A file that the library will add to: what the option says, or else the variable. It is checked
 * now, as the library could only tell when something is lost. */
static bool choose_file(const struct job *job, const char *option, const char *value,
                        const char *variable, char path[PATH_MAX])
{
    const struct cli *cli = job->options->cli;
    const char *wanted = value ? value : host_variable(variable);
    const char *origin = value ? option : variable;
    if (!wanted) {
        return true;
    }
    if (!host_absolute(path, PATH_MAX, wanted)) {
        complain(cli, "%s: the path is too long", origin);
        return false;
    }
    return output_file_check_added(cli, origin, path) == CLI_DONE;
}

/* The folder for dumps, for a command that changes its own. */
static bool choose_dumps(struct job *job)
{
    const struct exec_options *options = job->options;
    const char *wanted = options->dump_dir ? options->dump_dir : host_variable("PENROSE_DUMP_DIR");
    if (options->dump_dir && !options->dump_on && !host_variable("PENROSE_DUMP_ON")) {
        complain(options->cli, "--dump-dir is for dumps; say with --dump-on when they are made");
        return false;
    }
    if ((options->dump_on || wanted) &&
        !host_absolute(job->dumps, PATH_MAX, wanted ? wanted : "penrose-dumps")) {
        complain(options->cli, "--dump-dir: the path is too long");
        return false;
    }
    return true;
}

/* The folder for launches, for a command that changes its own. */
static bool choose_launches(struct job *job)
{
    const struct exec_options *options = job->options;
    const char *wanted =
        options->record_launch ? options->record_launch : host_variable("PENROSE_RECORD_LAUNCH");
    if (options->launches && !wanted) {
        complain(options->cli, "--launches says which ones; add --record-launch DIR");
        return false;
    }
    if (wanted && !host_absolute(job->launches, PATH_MAX, wanted)) {
        complain(options->cli, "--record-launch: the path is too long");
        return false;
    }
    return true;
}

static bool choose_files(struct job *job)
{
    const struct exec_options *options = job->options;
    struct stat status;
    if (!choose_file(job, "--trace", options->trace, "PENROSE_TRACE", job->trace) ||
        !choose_file(job, "--record", options->record, "PENROSE_RECORD", job->record) ||
        !choose_file(job, "--report", options->report, "PENROSE_REPORT", job->report) ||
        !choose_file(job, NULL, NULL, "PENROSE_SUMMARY", job->summary)) {
        return false;
    }
    if (!choose_dumps(job) || !choose_launches(job)) {
        return false;
    }
    if (*job->summary) {
        bool exists = stat(job->summary, &status) == 0;
        job->summary_is_device = exists && !S_ISREG(status.st_mode);
        job->summary_start = exists ? (long)status.st_size : 0;
    }
    return true;
}

/* The library adds its lines to the file that the user wants them in, or to one of our own. */
static void make_summary_file(struct job *job)
{
    const char *folder = host_variable("TMPDIR");
    if (*job->summary) {
        return;
    }
    int length =
        snprintf(job->summary, PATH_MAX, "%s/penrose-exec.XXXXXX", folder ? folder : "/tmp");
    int fd = length < PATH_MAX ? mkstemp(job->summary) : -1;
    if (fd < 0) {
        int reason = length < PATH_MAX ? errno : ENAMETOOLONG;
        job->summary[0] = 0;
        if (!job->options->quiet) {
            note("exec: there will be no report at the end: no file can be made in %s: %s",
                 folder ? folder : "/tmp", strerror(reason));
        }
        return;
    }
    job->owns_summary = true;
    close(fd);
}

/* The worst that --fail-on asks for and that has happened; 0: nothing. */
static int failure_of(const struct exec_options *options, const struct summary *summary)
{
    return options->fail_on & ON_FAULT && summary->faults       ? EXIT_FAULT
           : options->fail_on & ON_HANG && summary->hangs       ? EXIT_HANG
           : options->fail_on & ON_WARNING && summary->warnings ? EXIT_WARNING
                                                                : 0;
}

/* The exit code of a command that ended with `exit`, by what its devices tell. */
static int judge(const struct job *job, int exit, const struct summary *summary)
{
    const struct exec_options *options = job->options;
    bool is_ended = options->on_hang && strcmp(options->on_hang, "stop") == 0 && summary->hangs;
    if (is_ended && exit == EXIT_SIGNAL + SIGTERM) {
        if (!options->quiet) {
            note("exec: the chip hung, so the command was ended (--on-hang stop): exit code %d",
                 EXIT_HANG);
        }
        return EXIT_HANG;
    }
    if (!exit && summary->incomplete) {
        note("exec: the command ended with 0, but what it was to leave (--record, --trace) is not "
             "whole: exit code %d",
             EXIT_NOT_STARTED);
        return EXIT_NOT_STARTED;
    }
    int failure = exit ? 0 : failure_of(options, summary);
    if (failure && !options->quiet) {
        note("exec: the command ended with 0; this is a failure by --fail-on: exit code %d",
             failure);
    }
    return failure ? failure : exit;
}

/* Says what the command used, and returns the exit code. */
static int tell_summary(const struct job *job, int exit, double seconds)
{
    struct summary summary;
    bool is_quiet = job->options->quiet;
    if (!*job->summary) {
        return exit;
    }
    if (job->summary_is_device) {
        if (!is_quiet) {
            note("the command ran for %.2f s; what it used was written to %s", seconds,
                 job->summary);
        }
    } else if (summary_read(job->summary, job->summary_start, &summary)) {
        if (!is_quiet) {
            summary_print(&summary, seconds);
        }
        return judge(job, exit, &summary);
    } else if (!is_quiet) {
        note("the command ran for %.2f s; what it used cannot be told: %s cannot be read: %s",
             seconds, job->summary, strerror(errno));
    }
    return exit;
}

/* Can it be known what happened? */
static bool check_fail_on(const struct job *job)
{
    if (!job->options->fail_on || (*job->summary && !job->summary_is_device)) {
        return true;
    }
    complain(
        job->options->cli,
        "--fail-on: there is no file to learn from what happened: let TMPDIR name a folder that "
        "can be written, and PENROSE_SUMMARY no device");
    return false;
}

static int exit_of(const struct cli *cli, const char *name, struct child_result result)
{
    switch (result.end) {
    case CHILD_EXITED:
        return result.status;
    case CHILD_KILLED:
        note("%s was ended by signal %d (%s)", name, result.status, strsignal(result.status));
        return EXIT_SIGNAL + result.status;
    case CHILD_LATE:
    case CHILD_FAILED:
        break;
    }
    complain(cli, "%s: %s%s", name, strerror(result.status),
             result.status == ENOENT ? "; check the command behind --" : "");
    return result.status == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE;
}

static int run_job(struct job *job, char **command)
{
    const struct exec_options *options = job->options;
    char found[PATH_MAX];
    if (!choose_files(job) || !choose_library(job)) {
        return EXIT_NOT_STARTED;
    }
    if (!make_arguments(job, command)) {
        complain(options->cli, "no memory for the command");
        return EXIT_NOT_STARTED;
    }
    if (find_program(command[0], found)) {
        choose_compiler(job, command);
    }
    make_summary_file(job);
    if (!check_fail_on(job)) {
        return EXIT_NOT_STARTED;
    }
    set_environment(job);
    double start = host_milliseconds();
    struct child_result result = child_stand_in(job->argv, job->variable, job->variables);
    double seconds = (host_milliseconds() - start) * 1e-3;
    int exit = exit_of(options->cli, command[0], result);
    return result.end == CHILD_FAILED ? exit : tell_summary(job, exit, seconds);
}

/* The command, which begins behind the first "--"; argc is cut there. */
static char **split_command(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            *argc = i;
            argv[i] = NULL;
            return argv + i + 1;
        }
    }
    return NULL;
}

enum cli_exit cmd_exec(struct cli *cli, int argc, char **argv)
{
    struct exec_options options = {.cli = cli};
    enum cli_exit exit;
    cli->json = false; /* if it occurs, it is an argument of the command */
    char **command = split_command(&argc, argv);
    if (!options_parse(cli, &argp, argc, argv, &options, &exit)) {
        return exit == CLI_DONE ? exit : (enum cli_exit)EXIT_NOT_STARTED;
    }
    if (!command || !*command) {
        options_refuse(cli, "name a command: penrose exec -- python3 program.py");
        return (enum cli_exit)EXIT_NOT_STARTED;
    }
    if (!options.card && parse_card(&options, "PENROSE_CARD", default_card()) != 0) {
        return (enum cli_exit)EXIT_NOT_STARTED;
    }
    struct job *job = calloc(1, sizeof *job);
    if (!job) {
        complain(cli, "no memory");
        return (enum cli_exit)EXIT_NOT_STARTED;
    }
    job->options = &options;
    int status = run_job(job, command);
    free_job(job);
    return (enum cli_exit)status;
}
