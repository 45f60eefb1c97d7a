/* `penrose doctor`: its options. What it looks at is in python/commands/doctor.py. */
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>

#include "api/api.h"
#include "cli/chosen.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/python.h"
#include "host/environment.h"

enum { KEY_CARD = 0x600, KEY_DOCTOR_CLUSTER, KEY_PYTHON, KEY_LIBRARY };

struct doctor_options {
    struct cli *cli;
    const char *card, *cluster, *python, *library;
};

static error_t parse_doctor(int key, char *argument, struct argp_state *state)
{
    struct doctor_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        return 0;
    case KEY_CARD:
        options->card = argument;
        return chosen_check_card(options->cli, "--card", argument);
    case KEY_DOCTOR_CLUSTER:
        options->cluster = argument;
        return 0;
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
     "unharvested (default, unless PENROSE_CARD names another), p150a, p100a or p100; or p300, "
     "p300x2, quietbox or galaxy",
     0},
    {"cluster", KEY_DOCTOR_CLUSTER, "FILE", 0,
     "In place of a card, the chips and links that UMD's cluster descriptor FILE names "
     "(docs/CLUSTERS.md)",
     0},
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

/* What a set of firmware for the first chip names: one column of workers is for dispatch. */
static void tell_banks(struct python_command *python, const struct cluster_plan *plan)
{
    struct card_size size;
    plan->kind->size_of(&plan->chip[0].product, &size);
    python_tell(python, "l1_banks", "%u", (size.columns - 1) * size.rows);
    python_tell(python, "dram_banks", "%u", size.banks);
}

/* The first worker, and the words by which window 0 leads to it. */
static bool tell_window(struct python_command *python, const struct chosen_chips *chosen)
{
    const struct penrose_options options = {.size = sizeof options,
                                            .card = chosen->cluster ? NULL : chosen->card};
    const struct arch *of = chosen->plan.kind->arch;
    const struct bar_region *region = arch_bar_region(of, REGION_WINDOWS);
    const unsigned local = of->noc_local_bits - region->shift;
    struct penrose_cluster *cluster;
    struct penrose_place at = {0, 0};
    struct penrose_error error;
    const enum penrose_status status =
        chosen->cluster ? penrose_cluster_of_file(&options, chosen->cluster, &cluster, &error)
                        : penrose_cluster_of_card(&options, &cluster, &error);
    if (status != PENROSE_OK) {
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
    char cluster[PATH_MAX];
    struct chosen_chips chosen;
    if (!chosen_find(&chosen, cli, options.card, options.cluster)) {
        return CLI_REFUSED;
    }
    if (chosen.cluster && !host_absolute(cluster, sizeof cluster, chosen.cluster)) {
        return complain(cli, "--cluster: the path is too long");
    }
    chosen.cluster = chosen.cluster ? cluster : NULL;
    if (!chosen_set_environment(&chosen)) {
        return complain(cli, "no memory for the environment");
    }
    python_begin(&python, cli, "doctor");
    chosen_tell(&chosen, &python);
    if (options.python) {
        python_tell(&python, "python", "%s", options.python);
    }
    if (options.library) {
        python_tell(&python, "library", "%s", options.library);
    }
    tell_banks(&python, &chosen.plan);
    python_tell(&python, "pci_id", "%u", chosen.plan.kind->arch->pci_id);
    if (!tell_window(&python, &chosen)) {
        return CLI_REFUSED;
    }
    return python_become(&python, NULL);
}
