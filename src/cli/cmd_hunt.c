/* `penrose hunt`: its options. What it does is in python/commands/hunt.py. */
#include <inttypes.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/python.h"
#include "host/processors.h"
#include "observe/check/names.h"

enum { KEY_HUNT_JOBS = 0xc00, KEY_HUNT_CHECK, KEY_HUNT_SCHEDULES, KEY_HUNT_SYMBOLS };
enum { MOST_JOBS = 1024, MOST_SCHEDULES = 100000 };

struct hunt_options {
    struct cli *cli;
    uint64_t jobs, schedules;
    const char *check, *symbols;
    const char *recording; /* NULL: a command behind -- */
};

static error_t parse_hunt(int key, char *argument, struct argp_state *state)
{
    struct hunt_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        return 0;
    case KEY_HUNT_JOBS:
        return options_number(options->cli, "--jobs", argument, MOST_JOBS, &options->jobs);
    case KEY_HUNT_CHECK:
        options->check = argument;
        return options_checks(options->cli, "--check", argument);
    case KEY_HUNT_SCHEDULES:
        return options_number(options->cli, "--schedules", argument, MOST_SCHEDULES,
                              &options->schedules);
    case KEY_HUNT_SYMBOLS:
        options->symbols = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->recording) {
            return options_refuse(options->cli,
                                  "one recording is enough; what is '%s'? a command "
                                  "goes behind --",
                                  argument);
        }
        options->recording = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option hunt_rows[] = {
    {"jobs", KEY_HUNT_JOBS, "N", 0, "So many runs at a time (default: one for each processor)", 0},
    {"check", KEY_HUNT_CHECK, "CHECK,...", 0,
     "Whose findings are hunted: " CHECK_HELP " (default: noc,cb,races)", 0},
    {"schedules", KEY_HUNT_SCHEDULES, "N", 0,
     "If no finding fails, also try random schedules with the seeds 1 to N (default 16)", 0},
    {"symbols", KEY_HUNT_SYMBOLS, "DIR", 0,
     "Where the programs of a recording are, as for penrose replay: findings then tell lines", 0},
    {0},
};

static const struct argp_child hunt_children[] = {{&json_argp, 0, "Output:", 5}, {0}};

static const struct argp hunt_argp = {
    .options = hunt_rows,
    .parser = parse_hunt,
    .args_doc = "RECORDING\n-- COMMAND [ARGUMENT...]",
    .doc = "Makes a program fail that is right by luck. It runs the program with checks, holds up "
           "what these name, one after the other, and tells the shortest delay with which results "
           "differ or nothing goes on, as an option that shows it again."
           "\vThe program is 'penrose run ...', whose outputs are compared; a recording, whose "
           "reads are compared; or any other command, whose exit code has to say whether all is "
           "well.\n\n"
           "Examples:\n"
           "  penrose hunt -- penrose run program.json --firmware DIR --kernels DIR\n"
           "        kernels on a grid\n"
           "  penrose hunt matmul.rec --symbols ~/.cache/tt-metal-cache\n"
           "        what 'penrose exec --record matmul.rec' has recorded\n"
           "  penrose hunt --check races -- python3 test_matmul.py\n"
           "        a test that compares its results itself, under 'penrose exec'\n\n"
           "Exit codes: 0 nothing has failed, 1 something was made to fail, 2 usage, or the "
           "program fails as it is.",
    .children = hunt_children,
};

enum cli_exit cmd_hunt(struct cli *cli, int argc, char **argv)
{
    struct hunt_options options = {
        .cli = cli, .jobs = host_processors(MOST_JOBS), .schedules = 16, .check = "noc,cb,races"};
    struct python_command python;
    enum cli_exit exit;
    char **command = options_split_command(&argc, argv);
    if (!options_parse(cli, &hunt_argp, argc, argv, &options, &exit)) {
        return exit;
    }
    if (!options.recording == !(command && *command)) {
        options_refuse(cli, "name a recording, or a command behind --: penrose hunt -- penrose run "
                            "program.json ...");
        return CLI_REFUSED;
    }
    if (options.symbols && command) {
        options_refuse(cli, "--symbols is for recordings; a command finds its programs itself");
        return CLI_REFUSED;
    }
    if (options.jobs == 0) {
        options_refuse(cli, "--jobs: at least one run must go on");
        return CLI_REFUSED;
    }
    python_begin(&python, cli, "hunt");
    python_tell_program(&python);
    python_tell(&python, "jobs", "%" PRIu64, options.jobs);
    python_tell(&python, "schedules", "%" PRIu64, options.schedules);
    python_tell(&python, "check", "%s", options.check);
    if (options.symbols) {
        python_tell(&python, "symbols", "%s", options.symbols);
    }
    if (options.recording) {
        python_tell(&python, "recording", "%s", options.recording);
    }
    return python_become(&python, command);
}
