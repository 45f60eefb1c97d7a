/*
 * Looking at the state of tiles while a program runs and at its end: options of boot and run. The
 * end counts whatever the outcome.
 *
 *   look_open, then look_begin_run and look_end_run around each run, then look_close
 */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include <argp.h>

#include <penrose/penrose.h>

#include "cli/cli.h"
#include "observe/history/moments.h"

enum { LOOK_PLACES = 16 };

struct look_options {
    const struct cli *cli;
    const char *dump_state; /* a folder; NULL: none */
    const char *dump_parts; /* NULL: all */
    unsigned show;          /* bits of enum show_item */
    /* --dump-at and --show-at, in the order in which they were given. */
    struct moment moment[LOOK_PLACES];
    bool dumps[LOOK_PLACES]; /* else it shows */
    unsigned moments;
};

extern const struct argp look_argp;

/* Can the dump be put where it is to go? */
enum cli_exit look_check(const struct look_options *options);

/* A look at a chip. */
struct look;

/* Looks out for the places of the options on these tiles, which are read later too. */
enum cli_exit look_open(const struct look_options *options, struct penrose_chip *chip,
                        const struct penrose_place *tiles, unsigned count, struct look **look);

/* To be called before a run: how many cycles it may last at most, so that it ends where somebody wants
 * to look. */
uint64_t look_begin_run(struct look *look, uint64_t cycles);

/* After a run: dumps and shows what was waited for. *goes_on: the run ended for that alone. */
enum cli_exit look_end_run(struct look *look, enum penrose_outcome outcome, bool *goes_on);

/* Kernels are about to start: the first time, the second ... */
enum cli_exit look_at_launch(struct look *look);

/* Does what is to be done at the end, for a run that ended with `exit`; says which places were not
 * reached. NULL does nothing. */
enum cli_exit look_close(struct look *look, enum cli_exit exit);

#endif
