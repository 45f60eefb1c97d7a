/* Options of boot and run: the machine; see machine_options.h. */
#include "cli/machine_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/suggest.h"
#include "host/environment.h"
#include "host/processors.h"
#include "observe/settings.h"
#include "observe/trace/filter.h"

enum {
    KEY_TILE = 0x200,
    KEY_MAX_CYCLES,
    KEY_SCHEDULE,
    KEY_TIMING,
    KEY_COST,
    KEY_STOCHASTIC,
    KEY_POLICY,
    KEY_TRACE,
    KEY_PROFILE,
    KEY_TRACE_FILTER,
    KEY_WARN_UNMODELLED,
    KEY_THREADS,
    KEY_CARD,
    KEY_CLUSTER,
    KEY_CHIP,
    KEY_SAVE_SNAPSHOT,
    KEY_LAST_WRITER,
    KEY_RESTORE_SNAPSHOT,
    KEY_GDB,
};

void machine_options_init(struct machine_options *options, struct cli *cli)
{
    *options = (struct machine_options){.cli = cli,
                                        .chip = {.size = sizeof options->chip},
                                        .look = {.cli = cli},
                                        .checks = {.cli = cli}};
}

void machine_options_add_tile(struct machine_options *options, unsigned x, unsigned y)
{
    for (unsigned i = 0; i < options->tiles; i++) {
        if (options->tile[i].x == x && options->tile[i].y == y) {
            return;
        }
    }
    if (options->tiles < CLI_MOST_TILES) {
        options->tile[options->tiles++] = (struct penrose_place){x, y};
    }
}

void machine_options_finish(struct machine_options *options, uint64_t default_cycles)
{
    enum { TRACED_CYCLES = 1000000 };
    if (!options->chip.threads && !host_variable("PENROSE_THREADS")) {
        options->chip.threads = host_processors(CLI_THREADS);
    }
    options->tracing |= options->trace.filter != NULL;
    if (!options->max_cycles) {
        options->max_cycles =
            options->tracing && !options->trace.is_profile ? TRACED_CYCLES : default_cycles;
    }
}

enum cli_exit machine_options_check(const struct machine_options *options)
{
    struct output_file file = {.label = "--save-snapshot", .path = options->save_snapshot};
    enum cli_exit exit = look_check(&options->look);
    if (!file.path || exit) {
        return exit;
    }
    exit = output_file_check(options->cli, &file);
    output_file_free(&file);
    return exit;
}

const char *machine_options_hint(const struct machine_options *options)
{
    return options->tracing && !options->trace.path
               ? "; a file for the trace is written --trace=FILE, without a space"
               : "";
}

static error_t set_trace(struct machine_options *options, const char *path, bool is_profile)
{
    if (options->tracing && options->trace.is_profile != is_profile) {
        return options_refuse(options->cli,
                              "--trace and --profile do not go together: write a trace to "
                              "FILE.ptrace, and make a profile of it with 'penrose trace "
                              "FILE.ptrace --profile=OUT'");
    }
    options->tracing = true;
    options->trace.path = path;
    options->trace.is_profile = is_profile;
    return 0;
}

static error_t parse_tile(struct machine_options *options, const char *text)
{
    struct penrose_place at;
    if (!options_place(text, &at)) {
        return options_refuse(options->cli, "--tile: '%s' is no tile; write X,Y, for example 1,2",
                              text);
    }
    machine_options_add_tile(options, at.x, at.y);
    return 0;
}

static error_t parse_max_cycles(struct machine_options *options, const char *text)
{
    char number[32];
    size_t length = strlen(text);
    uint64_t factor = 1;
    if (length && length < sizeof number && strchr("kMG", text[length - 1])) {
        factor = text[length - 1] == 'k' ? 1000 : text[length - 1] == 'M' ? 1000000 : 1000000000;
        length--;
    }
    snprintf(number, sizeof number, "%.*s", (int)(length < INT_MAX ? length : INT_MAX), text);
    error_t error = options_number(options->cli, "--max-cycles", number, INT64_MAX / 2 / factor,
                                   &options->max_cycles);
    options->max_cycles *= factor;
    if (!error && !options->max_cycles) {
        return options_refuse(options->cli, "--max-cycles: at least one cycle must pass");
    }
    return error;
}

static error_t parse_schedule(struct machine_options *options, const char *text)
{
    struct penrose_error error;
    return settings_schedule(&options->chip, text, &error) == PENROSE_OK
               ? 0
               : options_refuse(options->cli, "--schedule: %s", error.text);
}

static error_t parse_timing(struct machine_options *options, const char *text)
{
    options->chip.timed = strcmp(text, "timed") == 0;
    if (options->chip.timed || strcmp(text, "functional") == 0) {
        return 0;
    }
    return options_refuse(options->cli, "--timing: '%s' is no timing; choose functional or timed",
                          text);
}

static error_t parse_stochastic(struct machine_options *options, const char *text)
{
    options->chip.rounds_to_nearest = strcmp(text, "nearest") == 0;
    if (options->chip.rounds_to_nearest || strcmp(text, "random") == 0) {
        return 0;
    }
    return options_refuse(options->cli,
                          "--stochastic: '%s' is no way to round; choose random or nearest", text);
}

static error_t parse_policy(struct machine_options *options, const char *text)
{
    char kind[64];
    enum penrose_policy policy;
    size_t length = strcspn(text, "=");
    snprintf(kind, sizeof kind, "%.*s", (int)(length < sizeof kind ? length : sizeof kind - 1),
             text);
    if (!text[length] || !settings_policy_find(text + length + 1, &policy)) {
        return options_refuse(options->cli,
                              "--policy: '%s' is no policy; write KIND=stop, KIND=warn or "
                              "KIND=ignore, for example unmapped-address=warn",
                              text);
    }
    bool is_all = strcmp(kind, "all") == 0, found = is_all;
    struct suggestion nearest = {.word = kind};
    for (unsigned i = 0; i < PENROSE_FAULT_KINDS; i++) {
        const char *name = penrose_fault_name((enum penrose_fault_kind)i);
        suggest(&nearest, name);
        if (is_all || strcmp(kind, name) == 0) {
            options->chip.policy[i] = policy;
            found = true;
        }
    }
    if (!found) {
        return options_refuse(options->cli, "--policy: there is no fault kind '%s'; %s%s%s", kind,
                              nearest.best ? "did you mean " : "penrose(1) lists them",
                              nearest.best ? nearest.best : "", nearest.best ? "?" : "");
    }
    return 0;
}

static error_t parse_threads(struct machine_options *options, const char *text)
{
    uint64_t threads;
    error_t error = options_number(options->cli, "--threads", text, CLI_THREADS, &threads);
    if (!error && !threads) {
        return options_refuse(options->cli, "--threads: at least one thread must run the tiles");
    }
    options->chip.threads = (unsigned)threads;
    return error;
}

static error_t parse_machine(int key, char *argument, struct argp_state *state)
{
    struct machine_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->look;
        state->child_inputs[1] = options->cli;
        state->child_inputs[2] = &options->checks;
        return 0;
    case KEY_TILE:
        return parse_tile(options, argument);
    case KEY_MAX_CYCLES:
        return parse_max_cycles(options, argument);
    case KEY_SCHEDULE:
        return parse_schedule(options, argument);
    case KEY_STOCHASTIC:
        return parse_stochastic(options, argument);
    case ARGP_KEY_END:
        return options->chip.costs && !options->chip.timed
                   ? options_refuse(options->cli, "--cost is for timed runs; add --timing timed")
                   : 0;
    case KEY_COST:
        options->chip.costs = options->costs;
        return options_costs(options->cli, argument, options->costs);
    case KEY_TIMING:
        return parse_timing(options, argument);
    case KEY_POLICY:
        return parse_policy(options, argument);
    case KEY_TRACE:
        return set_trace(options, argument, false);
    case KEY_PROFILE:
        return set_trace(options, argument, true);
    case KEY_TRACE_FILTER:
        options->trace.filter = argument;
        return options_trace_filter(options->cli, argument);
    case KEY_THREADS:
        return parse_threads(options, argument);
    case KEY_CARD:
        options->chip.card = argument;
        return 0;
    case KEY_CLUSTER:
        options->cluster = argument;
        return 0;
    case KEY_CHIP:
        options->has_number = true;
        return options_chip(options->cli, argument, &options->number);
    case KEY_LAST_WRITER:
        return last_writer_parse(options->cli, argument, &options->writer);
    case KEY_SAVE_SNAPSHOT:
        options->save_snapshot = argument;
        return 0;
    case KEY_RESTORE_SNAPSHOT:
        options->restore_snapshot = argument;
        return 0;
    case KEY_WARN_UNMODELLED:
        options->warn_unmodelled = true;
        return 0;
    case KEY_GDB:
        options->gdb = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option machine_option_rows[] = {
    {"tile", KEY_TILE, "X,Y", 0, "The tile, in NoC 0 coordinates (default 1,2)", 0},
    {"max-cycles", KEY_MAX_CYCLES, "N", 0,
     "Give up after N cycles (exit code 3); k, M and G are understood; 1M with --trace", 0},
    {"schedule", KEY_SCHEDULE, "SCHEDULE", 0,
     "fast (default), lockstep (cycle by cycle), or random:SEED, which shows stale and reordered "
     "data as the hardware may",
     0},
    {"timing", KEY_TIMING, "TIMING", 0,
     "functional (default), one cycle for each Tensix instruction, or timed: the coprocessor's "
     "units take their time, results arrive late, and all goes cycle by cycle as with lockstep",
     0},
    {"cost", KEY_COST, "NAME=VALUE", 0,
     "Another cost in a timed run: NAME is a row of the table of costs, or how rows or a unit are "
     "called (dram, noc, unpack, math, pack); VALUE is a number, 2x for twice as fast, or free",
     0},
    {"stochastic", KEY_STOCHASTIC, "HOW", 0,
     "What stochastic rounding of the Matrix Unit and the packer does: random (default; a "
     "generator "
     "of our own, since none is documented) or nearest",
     0},
    {"policy", KEY_POLICY, "KIND=POLICY", 0,
     "What a guest fault does: stop, warn or ignore; KIND is a name that fault reports begin with, "
     "or all",
     0},
    {"trace", KEY_TRACE, "FILE", OPTION_ARG_OPTIONAL,
     "Write what harts, coprocessors and NoC do to stderr or FILE; in binary form, for 'penrose "
     "trace', where its name ends in .ptrace",
     0},
    {"profile", KEY_PROFILE, "FILE", 0,
     "Write where the cycles of harts and the coprocessor went to FILE: text, a page where its "
     "name ends in .html, a table where in .csv (.ops.csv: of launches), or a trace for "
     "ui.perfetto.dev where in .pftrace; "
     "most useful with "
     "--timing timed",
     0},
    {"trace-filter", KEY_TRACE_FILTER, "FILTER", 0,
     "Trace or profile only this: tile=X,Y hart=NAME thread=N kind=NAME cycle=N-N pc=N-N "
     "function=NAME "
     "address=N-N, with spaces between them; see penrose(1)",
     0},
    {"threads", KEY_THREADS, "N", 0,
     "Host threads that run the tiles (default: PENROSE_THREADS, or as many as there are "
     "processors that penrose may use); results do not depend on it",
     0},
    {"card", KEY_CARD, "CARD", 0,
     "Which tiles the chip has: unharvested (default), p150a, p100a or p100; or a card with "
     "several "
     "chips: p300, p300x2, quietbox or galaxy",
     0},
    {"cluster", KEY_CLUSTER, "FILE", 0,
     "In place of a card, the chips and links that UMD's cluster descriptor FILE names", 0},
    {"chip", KEY_CHIP, "N", 0, "Of several chips, the one that is used, counted from 0 (default 0)",
     0},
    {"last-writer", KEY_LAST_WRITER, "X,Y:ADDRESS", 0,
     "At the end, tell who wrote the word at an address of a tile last, and where in its program",
     0},
    {"save-snapshot", KEY_SAVE_SNAPSHOT, "FILE", 0,
     "Write the whole chip to FILE at the end, whatever the outcome", 0},
    {"restore-snapshot", KEY_RESTORE_SNAPSHOT, "FILE", 0,
     "Go on with the chip in FILE, with the schedule, policies and card that it had; its timing "
     "is that of FILE, or timed if --timing is timed. Firmware that is ready on a tile is not "
     "booted again",
     0},
    {"gdb", KEY_GDB, "ADDRESS", 0,
     "Wait for GDB at [HOST:]PORT or unix:PATH before anything runs, and let it debug all harts "
     "(docs/DEBUGGING.md)",
     0},
    {"warn-unmodelled", KEY_WARN_UNMODELLED, NULL, 0,
     "List the registers that were used and only store their value, and the Tensix instructions "
     "that "
     "were skipped",
     0},
    {0},
};

static const struct argp_child machine_children[] = {
    {&look_argp, 0, NULL, 0}, {&arch_argp, 0, NULL, 0}, {&check_argp, 0, NULL, 0}, {0}};

const struct argp machine_argp = {
    .options = machine_option_rows, .parser = parse_machine, .children = machine_children};
