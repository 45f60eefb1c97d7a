/*
 * Reading the command line: the frame around argp that every command uses, and the groups of
 * options that several commands share. A group is an argp child with a struct that it fills; the
 * command passes a pointer to the struct as the child's input.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <argp.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "cli/cli.h"

enum {
    CLI_TILES = 0xffff, /* all workers */
    CLI_MOST_TILES = 512,
    CLI_THREADS = 256, /* at most so many host threads */
};

/*
 * Parses argv with `argp`. False when the command must end with *exit: after --help (CLI_DONE) or a
 * message. Options that do not exist are answered with the nearest one.
 */
bool options_parse(struct cli *cli, const struct argp *argp, int argc, char **argv, void *input,
                   enum cli_exit *exit);

/* Ends a parser function with a message and a pointer to --help. Returns EINVAL. */
error_t options_refuse(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- Values: each prints a message that names `option` and returns EINVAL for bad text --- */

/* Decimal or 0x...; 0..most. */
error_t options_number(const struct cli *cli, const char *option, const char *text, uint64_t most,
                       uint64_t *value);

/* The number of a chip. For the option --chip. */
error_t options_chip(const struct cli *cli, const char *text, unsigned *chip);

/* "brisc", "ncrisc", "trisc0".. as a bit of *harts; "trisc" all three, "all" all five. `length` of
 * `text` is read. */
error_t options_harts(const struct cli *cli, const char *option, const char *text, size_t length,
                      unsigned *harts);

/* "all", or a number of workers, at least 1; CLI_TILES stands for all. For the option --tiles. */
error_t options_workers(const struct cli *cli, const char *text, unsigned *workers);

/* The command of another program, which begins behind the first "--"; argc is cut there. NULL:
 * there is none. */
char **options_split_command(int *argc, char **argv);

/* Names of penrose_check. For --check, and for `origin`. */
error_t options_checks(const struct cli *cli, const char *origin, const char *text);
/* Rules of penrose_delay, likewise. */
error_t options_delays(const struct cli *cli, const char *origin, const char *text);

/* A filter of penrose/trace.h. For the option --trace-filter. */
error_t options_trace_filter(const struct cli *cli, const char *text);

/* "X,Y"; false: it is not. */
bool options_place(const char *text, struct penrose_place *place);

/* A growing list of words. */
struct word_list {
    uint32_t *word;
    unsigned count;
};

/* Appends "1,0x20,3". */
error_t options_words(const struct cli *cli, const char *option, const char *text,
                      struct word_list *list);

/* Adds the NAME=VALUE of a --cost to those before it, with commas between them. */
enum { OPTIONS_COSTS = 512 };
error_t options_costs(const struct cli *cli, const char *text, char costs[OPTIONS_COSTS]);

/* --- Chips: --arch --- */

/* The kind of chip that --arch names; the first one where the option is not there, or wrong. */
const struct chip_calls *options_find_kind(int argc, char **argv);

/* For commands that are about a chip; input: struct cli. */
extern const struct argp arch_argp;

/* --- Every command: --json --- */

/* Input: struct cli. */
extern const struct argp json_argp;

#endif
