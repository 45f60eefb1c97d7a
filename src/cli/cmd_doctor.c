/* `penrose doctor`: its options. What it looks at is in python/commands/doctor.py. */
#include <inttypes.h>
#include <stddef.h>

#include "arch/bar.h"
#include "chip/grid.h"
#include "cli/installation.h"
#include "cli/options.h"
#include "cli/python.h"
#include "geometry.h"

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
static void tell_banks(struct python_command *python, const char *card)
{
    const struct grid_product *product = grid_product(card);
    unsigned columns = GRID_COLUMNS - (unsigned)__builtin_popcount(product->fused.columns);
    unsigned rows = GRID_ROWS - (unsigned)__builtin_popcount(product->fused.rows);
    unsigned banks = GRID_BANKS - (unsigned)__builtin_popcount(product->fused.banks);
    python_tell(python, "l1_banks", "%u", (columns - 1) * rows);
    python_tell(python, "dram_banks", "%u", banks);
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
    tell_banks(&python, options.card);
    python_tell(&python, "pci_id", "%u", PCI_DEVICE_AND_VENDOR);
    python_tell(&python, "windows", "%" PRIu64, bar_regions[REGION_TLB].first);
    return python_become(&python, NULL);
}
