/* Looking at the state of tiles; see look.h. */
#include "cli/look.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <penrose/dump.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/show.h"
#include "observe/inside.h"

enum { KEY_DUMP_STATE = 0x900, KEY_DUMP_PARTS, KEY_DUMP_AT, KEY_SHOW_AT_END, KEY_SHOW_AT };

static error_t take_parts(struct look_options *options, const char *text)
{
    struct penrose_error error;
    unsigned groups;
    options->dump_parts = text;
    return dump_groups(text, &groups, &error) == PENROSE_OK
               ? 0
               : options_refuse(options->cli, "--dump-parts: %s", error.text);
}

static error_t take_place(struct look_options *options, const char *option, const char *text,
                          bool dumps)
{
    struct penrose_error error;
    if (options->moments == LOOK_PLACES) {
        return options_refuse(options->cli, "%s: at most %d places can be looked at", option,
                              LOOK_PLACES);
    }
    if (options->cli->kind->inside->moment_parse(text, &options->moment[options->moments],
                                                 &error) != PENROSE_OK) {
        return options_refuse(options->cli, "%s: %s", option, error.text);
    }
    options->dumps[options->moments++] = dumps;
    return 0;
}

static bool any_place(const struct look_options *options, bool dumps)
{
    for (unsigned i = 0; i < options->moments; i++) {
        if (options->dumps[i] == dumps) {
            return true;
        }
    }
    return false;
}

/* What does not go together. */
static error_t check_look_options(const struct look_options *options)
{
    if (options->dump_parts && !options->dump_state) {
        return options_refuse(options->cli,
                              "--dump-parts says what goes into a dump; add --dump-state DIR");
    }
    if (any_place(options, true) && !options->dump_state) {
        return options_refuse(options->cli,
                              "--dump-at says when a dump is made; add --dump-state DIR");
    }
    if (any_place(options, false) && !options->show) {
        return options_refuse(options->cli,
                              "--show-at says when something is shown; add --show dst or the like");
    }
    return 0;
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
    case KEY_DUMP_AT:
        return take_place(options, "--dump-at", argument, true);
    case KEY_SHOW_AT:
        return take_place(options, "--show-at", argument, false);
    case KEY_SHOW_AT_END:
        return show_parse(options->cli, "--show", argument, &options->show) ? 0 : EINVAL;
    case ARGP_KEY_END:
        return check_look_options(options);
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
     "Only these: tile, harts, memory, tensix, config, dst, src, lregs, cb, noc, streams; "
     "gddr is only there where it is named",
     0},
    {"dump-at", KEY_DUMP_AT, "PLACE", 0,
     "Write that dump when a hart comes to FUNCTION, FILE:LINE or 0xPC, or behind a Tensix "
     "instruction (MVMUL); with HART: before it that hart alone (trisc1:main), with :N behind it "
     "the N-th time; at cycle:N; before launch:N. Of several, each gets a folder DIR/1, DIR/2, ...",
     0},
    {"show", KEY_SHOW_AT_END, "WHAT,...", 0,
     "Print at the end: gprs (of harts), local (RAMs), tensix, config (fields that were changed), "
     "semaphores, dst, src, lregs, cb (circular buffers), rwc, adc, noc, streams, or all",
     0},
    {"show-at", KEY_SHOW_AT, "PLACE", 0, "Print that at a place, as for --dump-at", 0},
    {0},
};

const struct argp look_argp = {.options = look_rows, .parser = parse_look};

/* Where the dump of place `index` goes; where there is one place alone, or none, it is the folder
 * itself. */
static void dump_path(const struct look_options *options, unsigned index, char path[PATH_MAX])
{
    unsigned dumps = 0, number = 0;
    for (unsigned i = 0; i < options->moments; i++) {
        dumps += options->dumps[i];
        number += i <= index && options->dumps[i];
    }
    if (dumps > 1) {
        snprintf(path, PATH_MAX, "%s/%u", options->dump_state, number);
    } else {
        snprintf(path, PATH_MAX, "%s", options->dump_state);
    }
}

/* The folder in which several dumps are. */
static enum cli_exit make_parent(const struct look_options *options)
{
    return mkdir(options->dump_state, 0777) == 0 || errno == EEXIST
               ? CLI_DONE
               : complain(options->cli, "--dump-state: %s: cannot be made: %s", options->dump_state,
                          strerror(errno));
}

enum cli_exit look_check(const struct look_options *options)
{
    struct penrose_error error;
    char path[PATH_MAX];
    if (!options->dump_state) {
        return CLI_DONE;
    }
    dump_path(options, 0, path);
    bool is_one = strcmp(path, options->dump_state) == 0;
    enum cli_exit exit = is_one ? CLI_DONE : make_parent(options);
    for (unsigned i = 0; (i < options->moments || i == 0) && !exit; i++) {
        dump_path(options, i, path);
        if ((is_one || options->dumps[i]) && dump_check_directory(path, &error) != PENROSE_OK) {
            exit = complain(options->cli, "--dump-state: %s", error.text);
        }
    }
    return exit;
}

/* --- Looking --- */

struct look {
    const struct look_options *options;
    struct penrose_chip *chip;
    const struct penrose_place *tiles;
    unsigned count;
    struct moment moment[LOOK_PLACES];
    bool is_done[LOOK_PLACES]; /* what was to be done there */
    struct moments *moments;   /* NULL: no code is looked at */
    bool has_looked;           /* in the middle of the run */
    enum cli_exit exit;        /* what came of that */
    uint64_t launches;
};

static enum cli_exit make_dump(const struct look *look, const char *path, const char *reason,
                               const char *text)
{
    struct penrose_error error;
    struct penrose_dump_options dump = {.size = sizeof dump,
                                        .tiles = look->tiles,
                                        .tiles_count = look->count,
                                        .parts = look->options->dump_parts,
                                        .reason = reason,
                                        .text = text,
                                        .html = true};
    return penrose_dump_write(look->chip, &dump, path, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(look->options->cli, "--dump-state: %s", error.text);
}

/* "main.c:12, trisc1 of (1, 2), in cycle 5000" */
static void describe_moment(const struct look *look, const struct moment *moment, char *text,
                            size_t size)
{
    char where[64] = "";
    if (moment->hart >= 0) {
        snprintf(where, sizeof where, ", %s of (%u, %u)",
                 penrose_hart_name_at(look->chip, moment->at.x, moment->at.y,
                                      (enum penrose_hart)moment->hart),
                 moment->at.x, moment->at.y);
    }
    snprintf(text, size, "%s%s, in cycle %" PRIu64, moment->text, where,
             moment->hart >= 0 ? moment->cycle : penrose_now(look->chip));
}

/* Of a place in code the tile that came there is of interest, of others all are. */
static enum cli_exit look_at_moment(struct look *look, unsigned index)
{
    const struct look_options *options = look->options;
    const struct moment *moment = &look->moment[index];
    bool is_of_tile = moment->hart >= 0;
    char text[MOMENT_NAME + 96], path[PATH_MAX];
    FILE *file = options->cli->json ? stderr : stdout;
    look->is_done[index] = true;
    describe_moment(look, moment, text, sizeof text);
    if (!options->dumps[index]) {
        fprintf(file, "at %s\n", text);
        return show_chip(options->cli, look->chip, is_of_tile ? &moment->at : look->tiles,
                         is_of_tile ? 1 : look->count, options->show);
    }
    dump_path(options, index, path);
    enum cli_exit exit = make_dump(look, path, "place", text);
    if (!exit) {
        fprintf(file, "%s: dump at %s\n", path, text);
    }
    return exit;
}

static void look_within_run(void *context, unsigned index)
{
    struct look *look = context;
    enum cli_exit exit = look_at_moment(look, index);
    look->has_looked = true;
    look->exit = look->exit ? look->exit : exit;
}

enum cli_exit look_open(const struct look_options *options, struct penrose_chip *chip,
                        const struct penrose_place *tiles, unsigned count, struct look **look)
{
    struct penrose_error error;
    struct look *made = calloc(1, sizeof *made);
    *look = made;
    if (!made) {
        return complain(options->cli, "no memory to look at tiles");
    }
    made->options = options;
    made->chip = chip;
    made->tiles = tiles;
    made->count = count;
    memcpy(made->moment, options->moment, sizeof made->moment);
    return inside(chip)->moments_start(chip, made->moment, options->moments, tiles, count,
                                       look_within_run, made, &made->moments, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(options->cli, "--dump-at, --show-at: %s", error.text);
}

uint64_t look_begin_run(struct look *look, uint64_t cycles)
{
    uint64_t now = penrose_now(look->chip);
    inside(look->chip)->moments_prepare(look->moments);
    for (unsigned i = 0; i < look->options->moments; i++) {
        const struct moment *moment = &look->moment[i];
        if (moment->kind == MOMENT_CYCLE && !look->is_done[i] && moment->number > now &&
            moment->number - now < cycles) {
            cycles = moment->number - now;
        }
    }
    return cycles;
}

enum cli_exit look_end_run(struct look *look, enum penrose_outcome outcome, bool *goes_on)
{
    enum cli_exit exit = look->exit;
    uint64_t now = penrose_now(look->chip);
    bool any = look->has_looked;
    look->has_looked = false;
    for (unsigned i = 0; i < look->options->moments && !exit; i++) {
        struct moment *moment = &look->moment[i];
        moment->is_over |= moment->kind == MOMENT_CYCLE && moment->number <= now;
        if (moment->is_over && !look->is_done[i]) {
            exit = look_at_moment(look, i);
            any = true;
        }
    }
    inside(look->chip)->moments_rest(look->moments);
    *goes_on = any && !exit && (outcome == PENROSE_PAUSED || outcome == PENROSE_CYCLES);
    return exit;
}

enum cli_exit look_at_launch(struct look *look)
{
    enum cli_exit exit = CLI_DONE;
    look->launches++;
    for (unsigned i = 0; i < look->options->moments && !exit; i++) {
        struct moment *moment = &look->moment[i];
        if (moment->kind == MOMENT_LAUNCH && moment->number == look->launches) {
            moment->is_over = true;
            exit = look_at_moment(look, i);
        }
    }
    return exit;
}

/* --- The end --- */

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

static void tell_missed(const struct look *look)
{
    for (unsigned i = 0; i < look->options->moments; i++) {
        const struct moment *moment = &look->moment[i];
        bool is_named = moment->kind == MOMENT_FUNCTION || moment->kind == MOMENT_LINE;
        if (!moment->is_over) {
            note("%s: %s was not reached%s", look->options->dumps[i] ? "--dump-at" : "--show-at",
                 moment->text,
                 is_named && !moment->is_known
                     ? "; no program on these tiles has such a place (was it compiled with -g?)"
                     : "");
        }
    }
}

/* What no place was named for. */
static enum cli_exit look_at_end(const struct look *look, enum cli_exit exit)
{
    const struct look_options *options = look->options;
    enum cli_exit looked = CLI_DONE;
    struct penrose_fault fault;
    if (options->show && !any_place(options, false)) {
        looked = show_chip(options->cli, look->chip, look->tiles, look->count, options->show);
    }
    if (options->dump_state && !any_place(options, true) && !looked) {
        looked = make_dump(look, options->dump_state, exit == CLI_FAULT ? "fault" : "exit",
                           reason_of(look->chip, exit, &fault));
    }
    return looked;
}

enum cli_exit look_close(struct look *look, enum cli_exit exit)
{
    enum cli_exit looked = CLI_DONE;
    if (look && exit != CLI_REFUSED) {
        tell_missed(look);
        looked = look_at_end(look, exit);
    }
    if (look) {
        inside(look->chip)->moments_end(look->moments);
    }
    free(look);
    return looked;
}
