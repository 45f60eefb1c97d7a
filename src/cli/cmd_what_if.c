/* `penrose what-if`: its options. The runs are those of python/commands/what_if.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/python.h"
#include "observe/inside.h"

enum { KEY_SET = 0x800, KEY_FREE, KEY_LIST, MOST_CHANGES = 32 };

struct what_if {
    struct cli *cli;
    char *change[MOST_CHANGES]; /* as --cost of `run` has them */
    unsigned changes;
    bool lists;
};

static error_t add_change(struct what_if *command, const char *text, const char *suffix)
{
    if (command->changes == MOST_CHANGES) {
        return options_refuse(command->cli, "more than %d changes", MOST_CHANGES);
    }
    char **change = &command->change[command->changes];
    if (asprintf(change, "%s%s", text, suffix) < 0) {
        *change = NULL;
        return options_refuse(command->cli, "no memory for a change");
    }
    command->changes++;
    return 0;
}

/* A first run may be long, so a wrong change is told before. */
static error_t check_changes(const struct what_if *command)
{
    for (unsigned i = 0; i < command->changes; i++) {
        const struct penrose_options options = {.size = sizeof options,
                                                .card = command->cli->kind->card_at(0),
                                                .timed = true,
                                                .costs = command->change[i]};
        struct penrose_chip *chip = NULL;
        struct penrose_error error;
        if (penrose_chip_create(&options, &chip, &error) != PENROSE_OK) {
            return options_refuse(command->cli, "%s", error.text);
        }
        penrose_chip_destroy(chip);
    }
    return 0;
}

static error_t parse_what_if(int key, char *argument, struct argp_state *state)
{
    struct what_if *command = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = command->cli;
        return 0;
    case KEY_SET:
        return add_change(command, argument, "");
    case KEY_FREE:
        return add_change(command, argument, "=free");
    case KEY_LIST:
        command->lists = true;
        return 0;
    case ARGP_KEY_ARG:
        return options_refuse(command->cli, "put -- before the command: penrose what-if -- %s ...",
                              argument);
    case ARGP_KEY_END:
        return check_changes(command);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option rows[] = {
    {"set", KEY_SET, "NAME=VALUE[,NAME=VALUE...]", 0,
     "Run once with these costs, as --cost of 'penrose run' has them; may be repeated", 0},
    {"free", KEY_FREE, "NAME", 0, "The same as --set NAME=free", 0},
    {"list", KEY_LIST, NULL, 0, "Print the costs and units that can be changed, and run nothing",
     0},
    {0},
};

static const struct argp_child children[] = {{&json_argp, 0, "Output:", 5}, {0}};

static const struct argp argp = {
    .options = rows,
    .parser = parse_what_if,
    .args_doc = "-- run|boot|exec|replay ARGUMENT...",
    .doc = "Runs the same command again and again in timed runs, each time with another cost, and "
           "says how many cycles that makes: what a program is bound by. Without changes the "
           "unpackers, math, the packer, the NoC and GDDR are free in turn. A command of exec "
           "runs once, and its launches again and again."
           "\vExamples:\n"
           "  penrose what-if -- run program.json --firmware DIR --kernels DIR\n"
           "        what bounds the program\n"
           "  penrose what-if --set dram.bandwidth=2x --free unpack -- replay op.rec\n"
           "        GDDR twice as fast; then the unpackers for nothing\n"
           "  penrose what-if -- exec -- python3 program.py\n"
           "        what bounds the launches of a program of ttnn or tt-metal\n\n"
           "Exit codes: 0 done, 2 usage, or a run that does not end well.",
    .children = children,
};

static bool is_run(const char *name)
{
    return name && (strcmp(name, "run") == 0 || strcmp(name, "boot") == 0 ||
                    strcmp(name, "exec") == 0 || strcmp(name, "replay") == 0);
}

static enum cli_exit start_runs(struct what_if *command, char **words)
{
    char name[24];
    struct python_command python;
    python_begin(&python, command->cli, "what_if");
    python_tell_program(&python);
    for (unsigned i = 0; i < command->changes; i++) {
        snprintf(name, sizeof name, "change%u", i);
        python_tell(&python, name, "%s", command->change[i]);
    }
    return python_become(&python, words);
}

static enum cli_exit list_costs(const struct cli *cli)
{
    cli->kind->inside->tile_costs_print(stdout);
    return CLI_DONE;
}

enum cli_exit cmd_what_if(struct cli *cli, int argc, char **argv)
{
    struct what_if command = {.cli = cli};
    enum cli_exit exit;
    char **words = options_split_command(&argc, argv);
    if (options_parse(cli, &argp, argc, argv, &command, &exit)) {
        exit =
            command.lists ? list_costs(cli)
            : words && is_run(*words)
                ? start_runs(&command, words)
                : complain(cli, "name a command that runs a program: penrose what-if -- run ...");
    }
    for (unsigned i = 0; i < command.changes; i++) {
        free(command.change[i]);
    }
    return exit;
}
