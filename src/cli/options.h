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
#include "cli/last_writer.h"
#include "cli/look.h"

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

/* Names of penrose_check. For --check, and for `origin`. */
error_t options_checks(const struct cli *cli, const char *origin, const char *text);

/* A filter of penrose/trace.h. For the option --trace-filter. */
error_t options_trace_filter(const struct cli *cli, const char *text);

/* A growing list of words. */
struct word_list {
    uint32_t *word;
    unsigned count;
};

/* Appends "1,0x20,3". */
error_t options_words(const struct cli *cli, const char *option, const char *text,
                      struct word_list *list);

/* --- Chips: --arch --- */

/* The kind of chip that --arch names; the first one where the option is not there, or wrong. */
const struct chip_calls *options_find_kind(int argc, char **argv);

/* For commands that are about a chip; input: struct cli. */
extern const struct argp arch_argp;

/* --- Every command: --json --- */

/* Input: struct cli. */
extern const struct argp json_argp;

/* --- boot and run: the machine --- */

enum {
    CLI_TILES = 0xffff, /* all workers */
    CLI_MOST_TILES = 512,
    CLI_THREADS = 256, /* at most so many host threads */
};

struct machine_options {
    struct cli *cli;
    struct penrose_options chip;
    uint64_t max_cycles; /* 0 until an option or the default sets it */
    const char *checks;  /* penrose_check; NULL: none */
    bool tracing;
    const char *trace_file;   /* NULL: stderr */
    const char *trace_filter; /* penrose/trace.h; NULL: none */
    bool warn_unmodelled;
    const char *save_snapshot, *restore_snapshot; /* files; NULL: none */
    const char *cluster;                          /* the file that describes it; NULL: none */
    unsigned number;                              /* of the chip in its cluster */
    struct last_writer_option writer;
    struct look_options look;
    const char *gdb; /* where GDB is waited for; NULL: nowhere */
    struct penrose_place tile[CLI_MOST_TILES];
    unsigned tiles, workers; /* workers come first: --tile, or else session_open, adds some */
};

/* Turns the checks of --check on. */
enum cli_exit options_start_checks(const struct machine_options *options,
                                   struct penrose_chip *chip);

/* machine_options_init before parsing; machine_options_finish after it sets what no option has
 * set: the host threads, and the limit, which is lower for a run that writes a trace. */
void machine_options_init(struct machine_options *options, struct cli *cli);
void machine_options_finish(struct machine_options *options, uint64_t default_cycles);

/* Can the snapshot and the dump be put where they are to go? */
enum cli_exit machine_options_check(const struct machine_options *options);

/* What to add to a message about an argument too many: the file of --trace, whose value is
 * optional, must not be one. Often empty. */
const char *machine_options_hint(const struct machine_options *options);

/* "X,Y"; false: it is not. */
bool options_place(const char *text, struct penrose_place *place);

/* Adds a tile unless it is there. */
void machine_options_add_tile(struct machine_options *options, unsigned x, unsigned y);

extern const struct argp machine_argp;

#endif
