/* `penrose state`: shows what tiles hold, from a snapshot or a dump, and makes a dump of a snapshot. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <penrose/dump.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/show.h"
#include "cli/state.h"
#include "isa/json_text.h"
#include "observe/dump/html.h"

struct state_options {
    struct cli *cli;
    const char *path, *out, *parts, *html, *firmware;
    unsigned show; /* bits of enum show_item */
    struct penrose_place tile[CLI_MOST_TILES];
    unsigned tiles; /* 0: all */
    unsigned chip;  /* of a snapshot */
};

enum {
    KEY_OUT = 0x800,
    KEY_PARTS,
    KEY_HTML,
    KEY_SHOW,
    KEY_STATE_TILE,
    KEY_STATE_FIRMWARE,
    KEY_STATE_CHIP
};

/* --- Options --- */

static error_t parse_state_tile(struct state_options *options, const char *text)
{
    struct penrose_place at;
    if (!options_place(text, &at) || options->tiles == CLI_MOST_TILES) {
        return options_refuse(options->cli, "--tile: '%s' is no tile; write X,Y, for example 1,2",
                              text);
    }
    options->tile[options->tiles++] = at;
    return 0;
}

static error_t check_state_options(const struct state_options *options)
{
    struct penrose_error error;
    unsigned groups;
    if (!options->path) {
        return options_refuse(options->cli, "name a snapshot or the folder of a dump");
    }
    if (options->parts && !options->out) {
        return options_refuse(options->cli, "--parts says what goes into a dump; add --out DIR");
    }
    return dump_groups(options->parts, &groups, &error) == PENROSE_OK
               ? 0
               : options_refuse(options->cli, "--parts: %s", error.text);
}

static error_t parse_state(int key, char *argument, struct argp_state *state)
{
    struct state_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        state->child_inputs[1] = options->cli;
        return 0;
    case KEY_OUT:
        options->out = argument;
        return 0;
    case KEY_PARTS:
        options->parts = argument;
        return 0;
    case KEY_HTML:
        options->html = argument;
        return 0;
    case KEY_SHOW:
        return show_parse(options->cli, "--show", argument, &options->show) ? 0 : EINVAL;
    case KEY_STATE_TILE:
        return parse_state_tile(options, argument);
    case KEY_STATE_FIRMWARE:
        options->firmware = argument;
        return 0;
    case KEY_STATE_CHIP:
        return options_chip(options->cli, argument, &options->chip);
    case ARGP_KEY_ARG:
        if (options->path) {
            return options_refuse(options->cli, "one snapshot or dump is enough; what is '%s'?",
                                  argument);
        }
        options->path = argument;
        return 0;
    case ARGP_KEY_END:
        return check_state_options(options);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option state_rows[] = {
    {"show", KEY_SHOW, "WHAT,...", 0,
     "Print gprs (of harts), local (RAMs), tensix (GPRs, gates, mutexes), config (fields that were "
     "changed), semaphores, dst, src, lregs, cb (circular buffers and their pages), rwc, adc, noc, "
     "streams, or all",
     0},
    {"tile", KEY_STATE_TILE, "X,Y", 0, "Of this tile alone; give it once a tile", 0},
    {"chip", KEY_STATE_CHIP, "N", 0, "Which one of the snapshot's chips, from 0, the default", 0},
    {"firmware", KEY_STATE_FIRMWARE, "DIR", 0,
     "The firmware of the snapshot's workers, by whose debug information circular buffers are "
     "found",
     0},
    {"out", KEY_OUT, "DIR", 0, "Write a dump of the snapshot to a folder", 0},
    {"parts", KEY_PARTS, "PART,...", 0,
     "What the dump shall have: tile, harts, memory, tensix, config, dst, src, lregs, cb, noc, "
     "streams (default: all)",
     0},
    {"html", KEY_HTML, "FILE", 0,
     "Write a page for a browser: Dst and circular buffers as pictures, L1 as a map", 0},
    {0},
};

static const struct argp_child state_children[] = {
    {&json_argp, 0, "Output:", 5}, {&arch_argp, 0, "Chip:", 6}, {0}};

static const struct argp state_argp = {
    .options = state_rows,
    .parser = parse_state,
    .args_doc = "SNAPSHOT\nDUMP",
    .doc = "Shows the state of tiles, from a snapshot (--save-snapshot of run and boot) or a dump "
           "(--dump-state, PENROSE_DUMP_ON, or of a card); docs/DUMPS.md is the format of dumps. "
           "Without options it tells where the harts are."
           "\vExamples:\n"
           "  penrose state out --show dst,lregs\n"
           "        what Dst and the LRegs hold in the dump out\n"
           "  penrose state saved --tile 1,2 --out out --html out.html\n"
           "        a dump of one tile of a snapshot, and a page of it\n\n"
           "Exit codes: 0 done, 2 usage or bad file.",
    .children = state_children,
};

/* --- The work --- */

static bool is_chosen(const struct state_options *options, struct penrose_place at)
{
    for (unsigned i = 0; i < options->tiles; i++) {
        if (options->tile[i].x == at.x && options->tile[i].y == at.y) {
            return true;
        }
    }
    return options->tiles == 0;
}

static enum cli_exit check_tiles(const struct state_options *options, const struct state *state)
{
    for (unsigned i = 0; i < options->tiles; i++) {
        bool is_there = false;
        for (size_t k = 0; k < state->tiles; k++) {
            is_there |=
                state->tile[k].x == options->tile[i].x && state->tile[k].y == options->tile[i].y;
        }
        if (!is_there) {
            return complain(options->cli, "--tile: %s has no tile %u,%u, or nothing was done there",
                            options->path, options->tile[i].x, options->tile[i].y);
        }
    }
    return CLI_DONE;
}

static enum cli_exit write_dump(const struct state_options *options, const struct state *state)
{
    struct penrose_error error;
    struct penrose_dump_options dump = {.size = sizeof dump,
                                        .tiles = options->tiles ? options->tile : NULL,
                                        .tiles_count = options->tiles,
                                        .parts = options->parts,
                                        .reason = "snapshot",
                                        .text = options->path,
                                        .firmware = state->firmware};
    if (!options->out) {
        return CLI_DONE;
    }
    if (!state->chip) {
        return complain(options->cli, "--out: %s is a dump already; copy it", options->path);
    }
    return penrose_dump_write(state->chip, &dump, options->out, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(options->cli, "--out: %s", error.text);
}

static enum cli_exit write_page(const struct state_options *options, struct state *state)
{
    const unsigned groups = DUMP_HARTS | DUMP_MEMORY | DUMP_DST | DUMP_LREGS | DUMP_BUFFERS;
    struct dump_page *page;
    struct penrose_error error;
    enum cli_exit exit = CLI_DONE;
    if (!options->html) {
        return CLI_DONE;
    }
    if (dump_page_open(options->html, state->manifest, &page, &error) != PENROSE_OK) {
        return complain(options->cli, "--html: %s", error.text);
    }
    for (size_t i = 0; i < state->tiles && !exit; i++) {
        struct dump_tile tile = {0};
        if (is_chosen(options, state->tile[i])) {
            exit = state_tile(state, i, groups, &tile);
        }
        if (tile.about && !exit) {
            dump_page_add(page, &tile);
        }
        dump_tile_free(&tile);
    }
    return dump_page_close(page, &error) == PENROSE_OK
               ? exit
               : complain(options->cli, "--html: %s", error.text);
}

static enum cli_exit show_tiles(const struct state_options *options, struct state *state)
{
    enum cli_exit exit = CLI_DONE;
    for (size_t i = 0; i < state->tiles && !exit; i++) {
        struct dump_tile tile = {0};
        if (is_chosen(options, state->tile[i])) {
            exit = state_tile(state, i, show_groups(options->show), &tile);
        }
        if (tile.about && !exit) {
            show_tile(options->cli->json ? stderr : stdout, &tile, options->show);
        }
        dump_tile_free(&tile);
    }
    return exit;
}

static enum cli_exit report_state(const struct state_options *options, struct state *state)
{
    if (!options->cli->json) {
        return options->show || options->out || options->html ? CLI_DONE : state_print(state);
    }
    json_t *object = json_object(), *what = state_json(state);
    if (!what) {
        json_decref(object);
        return CLI_REFUSED;
    }
    json_object_set_new(object, "command", json_string("state"));
    json_object_set_new(object, "outcome", json_text(cli_exit_name(CLI_DONE)));
    json_object_set_new(object, "exit_status", json_integer(CLI_DONE));
    json_object_set_new(object, "state", what);
    return output_json(options->cli, object);
}

enum cli_exit cmd_state(struct cli *cli, int argc, char **argv)
{
    struct state_options options = {.cli = cli};
    struct state *state;
    enum cli_exit exit;
    if (!options_parse(cli, &state_argp, argc, argv, &options, &exit)) {
        return exit;
    }
    exit = state_open(cli, options.path, options.chip, &state);
    exit = exit || !options.firmware ? exit : state_set_firmware(state, options.firmware);
    exit = exit ? exit : check_tiles(&options, state);
    exit = exit ? exit : write_dump(&options, state);
    exit = exit ? exit : write_page(&options, state);
    exit = exit || !options.show ? exit : show_tiles(&options, state);
    exit = exit ? exit : report_state(&options, state);
    state_close(state);
    return exit;
}
