/* Options about checks; see check_options.h. */
#include "cli/check_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <penrose/debug.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cluster/cluster.h"
#include "observe/check/names.h"
#include "observe/check/tell.h"
#include "observe/inside.h"

enum {
    KEY_CHECK = 0xb00,
    KEY_REPORT,
    KEY_SUPPRESS,
    KEY_BASELINE,
    KEY_GENERATE,
    KEY_FAIL_ON,
    KEY_DELAY,
};

/* The word behind --check, where it is a list of checks: a program has no such name. NULL: it is none. */
static const char *list_behind(const struct argp_state *state)
{
    const char *word = state->next < state->argc ? state->argv[state->next] : NULL;
    struct check_settings settings;
    bool is_list = word && check_settings_parse(word, &settings, NULL) == PENROSE_OK;
    return is_list && access(word, F_OK) != 0 ? word : NULL;
}

static error_t parse_check(int key, char *argument, struct argp_state *state)
{
    struct check_options *options = state->input;
    switch (key) {
    case KEY_CHECK:
        if (!argument && list_behind(state)) {
            return options_refuse(options->cli, "--check: write --check=%s, without a space",
                                  list_behind(state));
        }
        options->names = argument ? argument : "all";
        return options_checks(options->cli, "--check", options->names);
    case KEY_REPORT:
        options->report = argument;
        return 0;
    case KEY_SUPPRESS:
        options->suppress = argument;
        return 0;
    case KEY_BASELINE:
        options->baseline = argument;
        return 0;
    case KEY_GENERATE:
        options->generate = argument;
        return 0;
    case KEY_FAIL_ON:
        options->fails = strcmp(argument, "finding") == 0;
        return options->fails
                   ? 0
                   : options_refuse(options->cli, "--fail-on: '%s' is not 'finding'", argument);
    case KEY_DELAY:
        options->delay = argument;
        return options_delays(options->cli, "--delay", argument);
    case ARGP_KEY_END:
        if (!options->names && (options->report || options->suppress || options->baseline ||
                                options->generate || options->fails)) {
            options->names = "core";
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option check_rows[] = {
    {"check", KEY_CHECK, "CHECK,...", OPTION_ARG_OPTIONAL,
     "Look for mistakes that hurt only sometimes: " CHECK_HELP " (default)", 0},
    {"report", KEY_REPORT, "FILE", 0,
     "Add what is found, also by the rules that are always on, to the SARIF file FILE, which "
     "GitHub and editors show at the line",
     0},
    {"suppress", KEY_SUPPRESS, "FILE", 0,
     "Do not report what a line KIND PATTERN REASON of FILE excuses (docs/CHECKS.md)", 0},
    {"gen-suppressions", KEY_GENERATE, "FILE", 0,
     "Add a line to FILE for each finding; write the reasons yourself", 0},
    {"baseline", KEY_BASELINE, "FILE", 0,
     "Do not report what the SARIF file FILE of an earlier run has", 0},
    {"fail-on", KEY_FAIL_ON, "finding", 0,
     "Let a run that ends well fail (exit code 1) after a finding, or if nothing was checked", 0},
    {"delay", KEY_DELAY, "[X-Y:]HART[.WHAT]@PC[/N]=CYCLES,...", 0,
     "Hold a hart up when it comes to PC, or its thread, or the departure or arrival of what it "
     "starts there; 'penrose hunt' finds delays that make a program fail. A replay is then --free",
     0},
    {0},
};

const struct argp check_argp = {.options = check_rows, .parser = parse_check};

enum cli_exit check_options_start(const struct check_options *options, struct penrose_chip *chip)
{
    const char *const settings[][2] = {{"report", options->report},
                                       {"suppress", options->suppress},
                                       {"baseline", options->baseline},
                                       {"generate", options->generate}};
    struct penrose_error error;
    char *list;
    if (options->delay && penrose_delay(chip, options->delay, &error) != PENROSE_OK) {
        return complain(options->cli, "--delay: %s", error.text);
    }
    if (!options->names) {
        return CLI_DONE;
    }
    if (asprintf(&list, "%s", options->names) < 0) {
        return complain(options->cli, "--check: no memory");
    }
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        char *longer;
        if (!settings[i][1]) {
            continue;
        }
        int length = asprintf(&longer, "%s,%s=%s", list, settings[i][0], settings[i][1]);
        free(list);
        if (length < 0) {
            return complain(options->cli, "--check: no memory");
        }
        list = longer;
    }
    enum penrose_status status = penrose_check(chip, list, &error);
    free(list);
    return status == PENROSE_OK ? CLI_DONE : complain(options->cli, "--check: %s", error.text);
}

enum cli_exit check_options_end(const struct check_options *options, struct penrose_chip *chip,
                                enum cli_exit exit)
{
    struct check_result result;
    char unused[128];
    if (options->delay && inside(chip)->delay_unused(chip, unused, sizeof unused)) {
        note("--delay: %s", unused);
    }
    if (!options->names || !inside(chip)->check_tell(chip, &result)) {
        return exit;
    }
    unsigned number;
    if (penrose_chip_cluster(chip, &number)->chips > 1) {
        fprintf(stderr, "chip %u: ", number);
    }
    fprintf(stderr, "%s\n", result.text);
    return options->fails && exit == CLI_DONE && (result.findings || result.is_blind) ? CLI_FAULT
                                                                                      : exit;
}
