/*
 * Looking at what tiles hold while a program runs and at its end: options of boot and run. At the end
 * means whatever the outcome.
 */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include <argp.h>

#include <penrose/penrose.h>

#include "cli/cli.h"

struct look_options {
    const struct cli *cli;
    const char *dump_state; /* a folder; NULL: none */
    const char *dump_parts; /* NULL: all */
    unsigned show;          /* bits of enum show_item */
};

extern const struct argp look_argp;

/* Can the dump be put where it is to go? */
enum cli_exit look_check(const struct look_options *options);

/* Does what is to be done at the end, for a run that ended with `exit`. */
enum cli_exit look_at_end(const struct look_options *options, struct penrose_chip *chip,
                          const struct penrose_place *tiles, unsigned count, enum cli_exit exit);

#endif
