/* Looking at what tiles hold; see look.h. */
#include "cli/look.h"

#include <stdio.h>
#include <string.h>

#include <penrose/dump.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/show.h"

enum { KEY_DUMP_STATE = 0x900, KEY_DUMP_PARTS, KEY_SHOW_AT_END };

static error_t take_parts(struct look_options *options, const char *text)
{
    struct penrose_error error;
    unsigned groups;
    options->dump_parts = text;
    return dump_groups(text, &groups, &error) == PENROSE_OK
               ? 0
               : options_refuse(options->cli, "--dump-parts: %s", error.text);
}

static error_t parse_look(int key, char *argument, struct argp_state *state)
{
    struct look_options *options = state->input;
    switch (key) {
    case KEY_DUMP_STATE:
        options->dump_state = argument;
        return 0;
    case KEY_DUMP_PARTS:
        return take_parts(options, argument);
    case KEY_SHOW_AT_END:
        return show_parse(options->cli, "--show", argument, &options->show) ? 0 : EINVAL;
    case ARGP_KEY_END:
        return options->dump_parts && !options->dump_state
                   ? options_refuse(options->cli, "--dump-parts says what goes into a dump; add "
                                                  "--dump-state DIR")
                   : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option look_rows[] = {
    {"dump-state", KEY_DUMP_STATE, "DIR", 0,
     "Write what the tiles hold at the end, whatever the outcome, to files in a folder: memory, "
     "registers, Dst, Src, LRegs, configuration, circular buffers as .npy and JSON "
     "(docs/DUMPS.md), and index.html to look at",
     0},
    {"dump-parts", KEY_DUMP_PARTS, "PART,...", 0,
     "Only these: tile, harts, memory, tensix, config, dst, src, lregs, cb, noc, streams", 0},
    {"show", KEY_SHOW_AT_END, "WHAT,...", 0,
     "Print at the end: gprs (of harts), local (RAMs), tensix, config (fields that were changed), "
     "semaphores, dst, src, lregs, cb (circular buffers), rwc, adc, noc, streams, or all",
     0},
    {0},
};

const struct argp look_argp = {.options = look_rows, .parser = parse_look};

enum cli_exit look_check(const struct look_options *options)
{
    struct penrose_error error;
    return !options->dump_state || dump_check_directory(options->dump_state, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(options->cli, "--dump-state: %s", error.text);
}

/* The fault that stopped the chip, in words; else the outcome. */
static const char *reason_of(struct penrose_chip *chip, enum cli_exit exit,
                             struct penrose_fault *fault)
{
    for (size_t i = 0; exit == CLI_FAULT && penrose_fault_get(chip, i, fault); i++) {
        if (fault->policy == PENROSE_STOP) {
            return fault->rule;
        }
    }
    return cli_exit_name(exit);
}

static enum cli_exit dump_at_end(const struct look_options *options, struct penrose_chip *chip,
                                 const struct penrose_place *tiles, unsigned count,
                                 enum cli_exit exit)
{
    struct penrose_error error;
    struct penrose_fault fault;
    struct penrose_dump_options dump = {.size = sizeof dump,
                                        .tiles = tiles,
                                        .tiles_count = count,
                                        .parts = options->dump_parts,
                                        .reason = exit == CLI_FAULT ? "fault" : "exit",
                                        .text = reason_of(chip, exit, &fault),
                                        .html = true};
    return penrose_dump_write(chip, &dump, options->dump_state, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(options->cli, "--dump-state: %s", error.text);
}

enum cli_exit look_at_end(const struct look_options *options, struct penrose_chip *chip,
                          const struct penrose_place *tiles, unsigned count, enum cli_exit exit)
{
    enum cli_exit looked = CLI_DONE;
    if (options->show) {
        looked = show_chip(options->cli, chip, tiles, count, options->show);
    }
    if (options->dump_state && !looked) {
        looked = dump_at_end(options, chip, tiles, count, exit);
    }
    return looked;
}
