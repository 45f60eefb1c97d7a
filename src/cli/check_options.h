/* Options about checks and delays of run, boot and replay. */
#ifndef CLI_CHECK_OPTIONS_H
#define CLI_CHECK_OPTIONS_H

#include <argp.h>

#include "cli/cli.h"

#include <penrose/penrose.h>

struct check_options {
    const struct cli *cli;
    const char *names; /* penrose_check; NULL: nothing is asked of findings */
    const char *report, *suppress, *baseline, *generate;
    bool fails;        /* --fail-on finding */
    const char *delay; /* penrose_delay; NULL: none */
};

/* A child of a command's options; its input is a struct check_options. */
extern const struct argp check_argp;

/* Turns the checks and the delays on that were asked for. */
enum cli_exit check_options_start(const struct check_options *options, struct penrose_chip *chip);

/* Says what was found on the chip and what was not checked. The exit code is that of the command so far, or
 * one of a failure by --fail-on. */
enum cli_exit check_options_end(const struct check_options *options, struct penrose_chip *chip,
                                enum cli_exit exit);

#endif
