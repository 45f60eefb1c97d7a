/* `penrose waits`: reports who waits for whom in a saved chip. */
#include <stdio.h>
#include <stdlib.h>

#include <penrose/metal.h>

#include "observe/inside.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/state.h"
#include "isa/json_text.h"

struct waits_options {
    struct cli *cli;
    const char *path, *firmware; /* NULL: none */
    unsigned chip;
};

enum { KEY_WAITS_FIRMWARE = 0x900, KEY_WAITS_CHIP };

static error_t parse_waits(int key, char *argument, struct argp_state *state)
{
    struct waits_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        state->child_inputs[1] = options->cli;
        return 0;
    case KEY_WAITS_FIRMWARE:
        options->firmware = argument;
        return 0;
    case KEY_WAITS_CHIP:
        return options_chip(options->cli, argument, &options->chip);
    case ARGP_KEY_ARG:
        if (options->path) {
            return options_refuse(options->cli, "one snapshot is enough; what is '%s'?", argument);
        }
        options->path = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return options_refuse(options->cli, "name a snapshot that --save-snapshot has written");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option waits_rows[] = {
    {"chip", KEY_WAITS_CHIP, "N", 0,
     "Which one of the snapshot's chips, from 0, the default; waits over links are followed to "
     "others, too",
     0},
    {"firmware", KEY_WAITS_FIRMWARE, "DIR", 0,
     "The firmware of the snapshot's workers, by whose debug information circular buffers, "
     "semaphores and harts without work are known",
     0},
    {0},
};

static const struct argp_child waits_children[] = {
    {&json_argp, 0, "Output:", 5}, {&arch_argp, 0, "Chip:", 6}, {0}};

static const struct argp waits_argp = {
    .options = waits_rows,
    .parser = parse_waits,
    .args_doc = "SNAPSHOT",
    .doc = "Tells who waits for whom in a chip that --save-snapshot of boot and run has written: "
           "the root cause first, then each hart, thread and packet that waits. Snapshots have no "
           "programs, so there are neither symbols nor source lines."
           "\vExample:\n"
           "  penrose run hangs.json --save-snapshot hung; penrose waits hung\n\n"
           "Exit codes: 0 done, 2 usage or bad file.",
    .children = waits_children,
};

static enum cli_exit print_waits(struct cli *cli, struct penrose_chip *chip)
{
    char *text = output_waits(chip, stdout);
    if (!text) {
        return complain(cli, "no memory");
    }
    if (!cli->json) {
        puts(*text ? text : "nobody waits: all harts are in reset");
        free(text);
        return CLI_DONE;
    }
    json_t *result = json_object();
    json_object_set_new(result, "command", json_string("waits"));
    json_object_set_new(result, "outcome", json_text(cli_exit_name(CLI_DONE)));
    json_object_set_new(result, "exit_status", json_integer(CLI_DONE));
    json_object_set_new(result, "waits", json_text(text));
    free(text);
    return output_json(cli, result);
}

enum cli_exit cmd_waits(struct cli *cli, int argc, char **argv)
{
    struct waits_options options = {.cli = cli};
    struct penrose_chip *chip;
    struct penrose_error error;
    enum cli_exit exit;
    if (!options_parse(cli, &waits_argp, argc, argv, &options, &exit)) {
        return exit;
    }
    if (penrose_snapshot_load(NULL, options.path, &chip, &error) != PENROSE_OK) {
        return complain(cli, "%s", error.text);
    }
    struct penrose_firmware *firmware = NULL;
    exit = state_choose(cli, options.path, options.chip, &chip);
    if (!exit && options.firmware &&
        penrose_firmware_open(chip, options.firmware, &firmware, &error) != PENROSE_OK) {
        exit = complain(cli, "--firmware: %s", error.text);
    } else if (!exit) {
        inside(chip)->metal_assume(chip, firmware);
        exit = print_waits(cli, chip);
    }
    penrose_chip_destroy(chip);
    penrose_firmware_close(firmware);
    return exit;
}
