/*
 * Options of boot and run that are about the machine: its card, how it runs, which tiles are used, what
 * is looked at and written. They stand above the groups of options that they have in them.
 */
#ifndef CLI_MACHINE_OPTIONS_H
#define CLI_MACHINE_OPTIONS_H

#include <argp.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "cli/cli.h"
#include "cli/last_writer.h"
#include "cli/check_options.h"
#include "cli/look.h"
#include "cli/options.h"
#include "observe/trace/file.h"

struct machine_options {
    struct cli *cli;
    struct penrose_options chip;
    char costs[OPTIONS_COSTS]; /* of --cost, which `chip` names */
    uint64_t max_cycles;       /* 0 until an option or the default sets it */
    struct check_options checks;
    bool tracing;
    struct trace_file_options trace; /* a trace, or a profile */
    bool warn_unmodelled;
    const char *save_snapshot, *restore_snapshot; /* files; NULL: none */
    const char *cluster;                          /* the file that describes it; NULL: none */
    unsigned number;                              /* of the chip in its cluster */
    bool has_number;                              /* --chip was given */
    struct last_writer_option writer;
    struct look_options look;
    const char *gdb; /* where GDB is waited for; NULL: nowhere */
    struct penrose_place tile[CLI_MOST_TILES];
    unsigned tiles, workers; /* workers come first: --tile, or else session_open, adds some */
};

/* machine_options_init before parsing; machine_options_finish after it sets what no option has
 * set: the host threads, and the limit, which is lower for a run that writes a trace. */
void machine_options_init(struct machine_options *options, struct cli *cli);
void machine_options_finish(struct machine_options *options, uint64_t default_cycles);

/* Can the snapshot and the dump be put where they are to go? */
enum cli_exit machine_options_check(const struct machine_options *options);

/* What to add to a message about an argument too many: the file of --trace, whose value is
 * optional, must not be one. Often empty. */
const char *machine_options_hint(const struct machine_options *options);

/* Adds a tile unless it is there. */
void machine_options_add_tile(struct machine_options *options, unsigned x, unsigned y);

extern const struct argp machine_argp;

#endif
