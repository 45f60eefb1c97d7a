/*
 * `penrose doctor`: looks at everything that a client program needs, and tries it. Each check is a
 * line: what it is about, "ok", "note" (works, but something is missing that some programs need) or
 * "FAILED", what was found, and where it is not ok what to do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chip/grid.h"
#include "cli/doctor.h"
#include "cli/installation.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "isa/json_text.h"

enum { KEY_CARD = 0x600, KEY_PYTHON, KEY_LIBRARY };

struct doctor_options {
    struct cli *cli;
    const char *card, *python, *library;
};

/* `origin` is where the name stands: the option or the variable. */
static error_t parse_card(struct doctor_options *options, const char *origin, const char *text)
{
    options->card = find_card(text);
    if (options->card) {
        return 0;
    }
    return options_refuse(options->cli, "%s: there is no card '%s'; known are %s", origin, text,
                          grid_products().text);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct doctor_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        return 0;
    case KEY_CARD:
        return parse_card(options, "--card", argument);
    case KEY_PYTHON:
        options->python = argument;
        return 0;
    case KEY_LIBRARY:
        options->library = argument;
        return 0;
    case ARGP_KEY_ARG:
        return options_refuse(options->cli, "what is '%s'? there are only options", argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&json_argp, 0, "Output:", 5}, {0}};

static const struct argp_option option_rows[] = {
    {"card", KEY_CARD, "CARD", 0,
     "unharvested (default, unless PENROSE_CARD names another), p150a, p100a or p100", 0},
    {"python", KEY_PYTHON, "PROGRAM", 0,
     "The Python that has the vendor's packages (default: the one that a wheel is installed in, "
     "else python3 from PATH)",
     0},
    {"library", KEY_LIBRARY, "FILE", 0, "Another libttsim.so", 0},
    {0},
};

static const struct argp argp = {
    .options = option_rows,
    .parser = parse,
    .doc =
        "Checks what programs need that run with 'penrose exec': the library and its descriptor, "
        "the vendor's Python packages, the compiler for kernels, firmware, a folder for what is "
        "kept; then boots a tile. Every line that is not ok says what to do."
        "\vExamples:\n"
        "  penrose doctor\n"
        "        checks the unharvested card, with the default Python\n"
        "  penrose doctor --card p150a --python venv/bin/python --json\n"
        "        another card and Python, for a script\n\n"
        "Exit codes: 0 no check FAILED, 1 some did, 2 usage.",
    .children = children,
};

/* --- Output --- */

static const char *state_name(enum doctor_state state)
{
    static const char *const names[] = {
        [DOCTOR_OK] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_FAILED] = "FAILED"};
    return names[state];
}

static void print_check(const struct doctor_check *check, bool colored)
{
    static const char *const colors[] = {
        [DOCTOR_OK] = "\033[32m", [DOCTOR_NOTE] = "\033[33m", [DOCTOR_FAILED] = "\033[31m"};
    printf("%-11s ", check->name);
    terminal_control(stdout, colored ? colors[check->state] : "");
    printf("%-6s", state_name(check->state));
    terminal_control(stdout, colored ? "\033[0m" : "");
    printf("  %s\n", check->text);
    if (*check->remedy) {
        printf("%-11s %-6s  to do: %s\n", "", "", check->remedy);
    }
}

static enum cli_exit print_all(struct cli *cli, const struct doctor *doctor)
{
    const char *no_color = getenv("NO_COLOR");
    bool colored = isatty(STDOUT_FILENO) && !(no_color && *no_color);
    json_t *list = json_array();
    enum cli_exit exit = CLI_DONE;
    for (unsigned i = 0; i < doctor->count; i++) {
        const struct doctor_check *check = &doctor->check[i];
        exit = check->state == DOCTOR_FAILED ? CLI_FAULT : exit;
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:o}", "name", check->name, "state",
                                        state_name(check->state), "text", json_text(check->text),
                                        "remedy", json_text(check->remedy)));
        if (!cli->json) {
            print_check(check, colored);
        }
    }
    if (!cli->json) {
        json_decref(list);
        return exit;
    }
    json_t *result = json_object();
    json_object_set_new(result, "command", json_text(cli->command));
    json_object_set_new(result, "outcome", json_text(exit == CLI_DONE ? "done" : "failed"));
    json_object_set_new(result, "exit_status", json_integer(exit));
    json_object_set_new(result, "card", json_text(doctor->card));
    json_object_set_new(result, "checks", list);
    return output_json(cli, result) == CLI_DONE ? exit : CLI_REFUSED;
}

/* --- All checks --- */

static bool choose_python(const struct doctor_options *options, struct doctor *doctor)
{
    if (options->python) {
        return find_program(options->python, doctor->python);
    }
    return find_python(NULL, doctor->python);
}

enum cli_exit cmd_doctor(struct cli *cli, int argc, char **argv)
{
    struct doctor_options options = {.cli = cli};
    enum cli_exit exit;
    if (!options_parse(cli, &argp, argc, argv, &options, &exit)) {
        return exit;
    }
    if (!options.card && parse_card(&options, "PENROSE_CARD", default_card()) != 0) {
        return CLI_REFUSED;
    }
    struct doctor *doctor = calloc(1, sizeof *doctor);
    if (!doctor) {
        return complain(cli, "no memory");
    }
    doctor->card = options.card;
    if (options.library) {
        doctor->is_other_library = true;
        snprintf(doctor->library, sizeof doctor->library, "%s%s",
                 strchr(options.library, '/') ? "" : "./", options.library);
    }
    if (options.python && !choose_python(&options, doctor)) {
        free(doctor);
        return complain(cli, "--python: there is no program %s", options.python);
    }
    doctor->has_python = choose_python(&options, doctor);
    doctor_check_library(doctor);
    doctor_check_python(doctor);
    doctor_check_compiler(doctor);
    doctor_check_firmware(doctor);
    doctor_check_cache(doctor);
    doctor_check_tile(doctor);
    exit = print_all(cli, doctor);
    free(doctor);
    return exit;
}
