/* `penrose doctor`: its options. What it looks at is in python/commands/doctor.py. */
#include <inttypes.h>
#include <stddef.h>

#include "api/api.h"
#include "cli/installation.h"
#include "cli/options.h"
#include "cli/python.h"

enum { KEY_CARD = 0x600, KEY_PYTHON, KEY_LIBRARY };

struct doctor_options {
    struct cli *cli;
    const char *card, *python, *library;
};

/* `origin` is where the name stands: the option or the variable. */
static error_t parse_card(struct doctor_options *options, const char *origin, const char *text)
{
    char known[200] = "";
    options->card = api_card(text);
    if (options->card) {
        return 0;
    }
    return options_refuse(options->cli, "%s: there is no card '%s'; known are %s", origin, text,
                          api_cards(known, sizeof known));
}

static error_t parse_doctor(int key, char *argument, struct argp_state *state)
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
    .parser = parse_doctor,
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

/* What a set of firmware for the card names: one column of workers is for dispatch. */
static void tell_banks(struct python_command *python, const struct chip_calls *kind,
                       const char *card)
{
    struct card_size size;
    struct cluster_plan plan;
    kind->plan_card(card, &plan);
    kind->size_of(&plan.chip[0].product, &size);
    python_tell(python, "l1_banks", "%u", (size.columns - 1) * size.rows);
    python_tell(python, "dram_banks", "%u", size.banks);
}

/* The card's first worker, and the words by which window 0 leads to it. */
static bool tell_window(struct python_command *python, const struct arch *of, const char *card)
{
    const struct penrose_options options = {.size = sizeof options, .card = card};
    const struct bar_region *region = arch_bar_region(of, REGION_WINDOWS);
    const unsigned local = of->noc_local_bits - region->shift;
    struct penrose_cluster *cluster;
    struct penrose_place at = {0, 0};
    struct penrose_error error;
    if (penrose_cluster_of_card(&options, &cluster, &error) != PENROSE_OK) {
        (void)options_refuse(python->cli, "%s", error.text);
        return false;
    }
    penrose_tile_at(penrose_cluster_chip(cluster, 0), PENROSE_TILE_TENSIX, 0, &at);
    penrose_cluster_destroy(cluster);
    const uint64_t tile = (uint64_t)at.x << of->window_bits[WINDOW_X_END].first |
                          (uint64_t)at.y << of->window_bits[WINDOW_Y_END].first;
    python_tell(python, "worker", "%u, %u", at.x, at.y);
    python_tell(python, "windows", "%" PRIu64, arch_bar_region(of, REGION_TLB)->first);
    python_tell(python, "window_words", "%u", of->window_words);
    python_tell(python, "window", "%" PRIu64, tile << local);
    return true;
}

enum cli_exit cmd_doctor(struct cli *cli, int argc, char **argv)
{
    struct doctor_options options = {.cli = cli};
    struct python_command python;
    enum cli_exit exit;
    if (!options_parse(cli, &argp, argc, argv, &options, &exit)) {
        return exit;
    }
    if (!options.card && parse_card(&options, "PENROSE_CARD", default_card()) != 0) {
        return CLI_REFUSED;
    }
    python_begin(&python, cli, "doctor");
    python_tell_installation(&python, options.card);
    if (options.python) {
        python_tell(&python, "python", "%s", options.python);
    }
    if (options.library) {
        python_tell(&python, "library", "%s", options.library);
    }
    const struct chip_calls *kind = api_chip_of_card(options.card);
    tell_banks(&python, kind, options.card);
    python_tell(&python, "pci_id", "%u", kind->arch->pci_id);
    if (!tell_window(&python, kind->arch, options.card)) {
        return CLI_REFUSED;
    }
    return python_become(&python, NULL);
}
