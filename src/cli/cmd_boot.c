/* `penrose boot`: tt-metal's firmware starts on tiles, and kernels run on it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <penrose/metal.h>

#include "cli/output.h"
#include "cli/session_results.h"
#include "isa/json_text.h"

enum { DEFAULT_CYCLES = 10000000, MOST_TABLES = 4 };

enum { KEY_TILES = 0x500, KEY_LOOPBACK };
enum { CLI_LINKS = 16 }; /* at most so many of --loopback */

struct boot_options {
    struct cli *cli;
    struct machine_options machine;
    struct launch_options launch;
    struct memory_options memory;
    const char *directory;
    unsigned workers; /* --tiles: so many, besides those that --tile names */
    bool whole_chip;  /* Ethernet and DRAM tiles too */
    /* --loopback: Ethernet tiles, or all of them */
    struct penrose_place loopback[CLI_LINKS];
    unsigned loopbacks;
    bool loops_all;
};

/* --- Options --- */

/* "chip", "all" (workers), or a number of workers, row by row. */
static error_t parse_tiles(struct boot_options *options, const char *text)
{
    options->whole_chip = strcmp(text, "chip") == 0;
    return options_workers(options->cli, options->whole_chip ? "all" : text, &options->workers);
}

/* "all" or the tile's coordinates. */
static error_t parse_loopback(struct boot_options *options, const char *text)
{
    struct penrose_place at;
    if (strcmp(text, "all") == 0) {
        options->loops_all = true;
        return 0;
    }
    if (!options_place(text, &at) || options->loopbacks == CLI_LINKS) {
        return options_refuse(
            options->cli,
            "--loopback: '%s' is no Ethernet tile; write all, or X,Y for up to %d tiles", text,
            CLI_LINKS);
    }
    options->loopback[options->loopbacks++] = at;
    return 0;
}

static error_t check_boot_options(const struct boot_options *options)
{
    if ((options->loops_all || options->loopbacks) && !options->whole_chip) {
        return options_refuse(options->cli,
                              "--loopback needs --tiles chip, which boots Ethernet tiles");
    }
    return 0;
}

static error_t parse_boot(int key, char *argument, struct argp_state *state)
{
    struct boot_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->machine;
        state->child_inputs[1] = &options->launch;
        state->child_inputs[2] = &options->memory;
        state->child_inputs[3] = options->cli;
        return 0;
    case KEY_TILES:
        return parse_tiles(options, argument);
    case KEY_LOOPBACK:
        return parse_loopback(options, argument);
    case ARGP_KEY_ARG:
        if (options->directory) {
            return options_refuse(options->cli, "one firmware folder is enough; what is '%s'?%s",
                                  argument, machine_options_hint(&options->machine));
        }
        options->directory = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return options_refuse(options->cli,
                              "name a firmware folder, such as tt_metal/pre-compiled/<hash>");
    case ARGP_KEY_END:
        return check_boot_options(options);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option rows[] = {
    {NULL, 0, NULL, 0, "Several tiles:", 1},
    {"tiles", KEY_TILES, "all|chip|N", 0,
     "Boot all worker tiles, or the first N of them, row by row; or the whole chip, with its "
     "Ethernet and DRAM tiles",
     1},
    {"loopback", KEY_LOOPBACK, "all|X,Y", 0,
     "With --tiles chip: plug a cable from this Ethernet tile to itself. Its port is up, and "
     "active_erisc boots beside base firmware; idle_erisc boots on the others",
     1},
    {0},
};

static const struct argp_child children[] = {
    {&machine_argp, 0, "The machine:", 2},
    {&launch_argp, 0, "Kernels to launch after booting:", 3},
    {&memory_argp, 0, "Memory of the tile:", 4},
    {&json_argp, 0, "Output:", 5},
    {0},
};

static const struct argp argp = {
    .options = rows,
    .parser = parse_boot,
    .args_doc = "FIRMWARE_DIR",
    .doc = "Boots unmodified tt-metal firmware until it waits for work, and launches kernels on it "
           "if you name some. FIRMWARE_DIR is a folder pre-compiled/<hash> of tt-metal or ttnn, or "
           "any folder with brisc.elf, ncrisc.elf, trisc0.elf, trisc1.elf and trisc2.elf (and "
           "idle_erisc.elf, drisc.elf, ... for --tiles chip)."
           "\vExamples:\n"
           "  penrose boot pre-compiled/1234 --tiles all\n"
           "        boots all workers\n"
           "  penrose boot pre-compiled/1234 --tiles chip --loopback all --card p150a\n"
           "        boots the whole chip, with a link on each Ethernet tile\n"
           "  penrose boot pre-compiled/1234 --kernels out --arg brisc=0x80000 --repeat 2\n"
           "        then launches out/brisc.elf, out/ncrisc.elf, ... twice\n\n"
           "Exit codes: 0 ready (and kernels done), 1 guest fault, 2 usage or bad file,\n"
           "3 cycle limit, 4 deadlock.",
    .children = children,
};

/* --- The tiles --- */

/* The tiles of the card that the options ask for; workers come first. */
static enum cli_exit choose_tiles(struct session *session, struct boot_options *options)
{
    enum cli_exit exit = session_add_workers(session, &options->machine, options->workers);
    if (!exit && options->whole_chip) {
        session_add_tiles(session, &options->machine, PENROSE_TILE_ETHERNET, CLI_MOST_TILES);
        session_add_tiles(session, &options->machine, PENROSE_TILE_DRAM, CLI_MOST_TILES);
    }
    return exit;
}

static enum cli_exit plug_cable(struct session *session, const struct boot_options *options,
                                struct penrose_place at)
{
    struct penrose_error error;
    if (penrose_ethernet_link(session->chip, at.x, at.y, session->chip, at.x, at.y, &error) ==
        PENROSE_OK) {
        return CLI_DONE;
    }
    return complain(options->cli, "--loopback: %s%s", error.text,
                    options->machine.restore_snapshot
                        ? "; a snapshot brings its links, so leave out those that it has"
                        : "");
}

static enum cli_exit plug_cables(struct session *session, const struct boot_options *options)
{
    enum cli_exit exit = CLI_DONE;
    struct penrose_place at;
    for (size_t i = 0; !exit && options->loops_all &&
                       penrose_tile_at(session->chip, PENROSE_TILE_ETHERNET, i, &at);
         i++) {
        exit = plug_cable(session, options, at);
    }
    for (unsigned i = 0; !exit && !options->loops_all && i < options->loopbacks; i++) {
        exit = plug_cable(session, options, options->loopback[i]);
    }
    return exit;
}

/* --- The report --- */

/* Of what kinds the tiles are. */
struct kind_counts {
    struct tile_count worker, ethernet, dram;
};

static struct kind_counts count_kinds(struct session *session)
{
    return (struct kind_counts){.worker = session_count(session, PENROSE_TILE_TENSIX),
                                .ethernet = session_count(session, PENROSE_TILE_ETHERNET),
                                .dram = session_count(session, PENROSE_TILE_DRAM)};
}

static unsigned count_ready(const struct kind_counts *counts)
{
    return counts->worker.ready + counts->ethernet.ready + counts->dram.ready;
}

static json_t *count_json(struct tile_count count)
{
    json_t *object = json_object();
    json_set_count(object, "tiles", count.tiles);
    json_set_count(object, "ready", count.ready);
    return object;
}

static json_t *counts_json(struct session *session)
{
    struct kind_counts counts = count_kinds(session);
    json_t *object = json_object();
    json_object_set_new(object, "worker", count_json(counts.worker));
    json_object_set_new(object, "ethernet", count_json(counts.ethernet));
    json_object_set_new(object, "dram", count_json(counts.dram));
    return object;
}

static enum cli_exit report_boot_json(struct session *session, struct boot_options *options,
                                      enum cli_exit exit)
{
    json_t *result = session_json(session, exit), *tiles = json_array();
    for (unsigned i = 0; i < options->machine.tiles; i++) {
        struct penrose_place tile = options->machine.tile[i];
        json_t *object = json_object();
        json_set_count(object, "x", tile.x);
        json_set_count(object, "y", tile.y);
        json_object_set_new(
            object, "kind",
            json_text(penrose_tile_kind_name(penrose_tile_kind(session->chip, tile.x, tile.y))));
        json_object_set_new(
            object, "ready",
            json_boolean(penrose_firmware_ready(session->chip, tile.x, tile.y, session->firmware)));
        json_object_set_new(object, "harts",
                            session_harts_json(session, tile, (1u << PENROSE_HARTS) - 1));
        json_array_append_new(tiles, object);
    }
    json_object_set_new(result, "counts", counts_json(session));
    json_object_set_new(result, "tiles", tiles);
    enum cli_exit dumped =
        memory_dump(&options->memory, session->chip, options->machine.tile[0], result);
    dumped = dumped ? dumped
                    : tensors_finish(&options->memory.tensors, options->cli, session->chip,
                                     options->machine.tile[0], exit, result);
    if (dumped) {
        json_decref(result);
        return dumped;
    }
    enum cli_exit written = output_json(options->cli, result);
    return exit ? exit : written;
}

/* "176 tiles are ready", and of the whole chip how many of each kind. */
static void print_outcome(struct session *session, const struct boot_options *options,
                          enum cli_exit exit)
{
    struct kind_counts counts = count_kinds(session);
    unsigned tiles = options->machine.tiles, ready = count_ready(&counts);
    if (exit) {
        printf("%s, %u of %u %s ready", cli_exit_name(exit), ready, tiles,
               tiles == 1 ? "tile" : "tiles");
    } else {
        printf("%u %s ready", tiles, tiles == 1 ? "tile is" : "tiles are");
    }
    if (options->whole_chip) {
        printf(" (%u workers, %u Ethernet, %u DRAM)", counts.worker.ready, counts.ethernet.ready,
               counts.dram.ready);
    }
    if (!exit && launch_options_any(&options->launch)) {
        printf(", %u %s done", options->launch.repeat,
               options->launch.repeat == 1 ? "launch" : "launches");
    }
}

static enum cli_exit report_boot(struct session *session, struct boot_options *options,
                                 enum cli_exit exit)
{
    const struct machine_options *machine = &options->machine;
    if (options->cli->json) {
        return report_boot_json(session, options, exit);
    }
    print_outcome(session, options, exit);
    printf(" after %" PRIu64 " cycles (host time: %.1f ms loading, %.1f ms running)\n",
           session_cycles(session), session->loading_ms, session->running_ms);
    for (unsigned i = 0; i < machine->tiles && machine->tiles <= MOST_TABLES; i++) {
        printf("tile (%u, %u)\n", machine->tile[i].x, machine->tile[i].y);
        session_print_harts(session, machine->tile[i], (1u << PENROSE_HARTS) - 1, false);
    }
    enum cli_exit dumped = memory_dump(&options->memory, session->chip, machine->tile[0], NULL);
    dumped = dumped ? dumped
                    : tensors_finish(&options->memory.tensors, options->cli, session->chip,
                                     machine->tile[0], exit, NULL);
    return exit ? exit : dumped;
}

static enum cli_exit boot(struct boot_options *options)
{
    struct session session;
    enum cli_exit exit = session_open(&session, options->cli, &options->machine);
    exit = exit ? exit : choose_tiles(&session, options);
    exit = exit ? exit : plug_cables(&session, options);
    exit = exit ? exit : session_boot(&session, options->directory);
    if (!exit && launch_options_any(&options->launch)) {
        exit = session_launch(&session, &options->launch, &options->memory);
    } else if (!exit) {
        exit = memory_poke(&options->memory, session.chip, options->machine.tile[0]);
    }
    if (exit != CLI_REFUSED) {
        exit = report_boot(&session, options, exit);
    }
    return session_close(&session, exit);
}

enum cli_exit cmd_boot(struct cli *cli, int argc, char **argv)
{
    struct boot_options options = {.cli = cli, .memory = {.cli = cli}};
    enum cli_exit exit;
    machine_options_init(&options.machine, cli);
    launch_options_init(&options.launch, cli);
    if (options_parse(cli, &argp, argc, argv, &options, &exit)) {
        machine_options_finish(&options.machine, DEFAULT_CYCLES);
        exit = machine_options_check(&options.machine);
        exit = exit ? exit : launch_options_finish(&options.launch);
        exit = exit ? exit : tensors_prepare(&options.memory.tensors, cli);
        exit = exit ? exit : boot(&options);
    }
    launch_options_free(&options.launch);
    memory_options_free(&options.memory);
    return exit;
}
