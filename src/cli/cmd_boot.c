/* `penrose boot`: tt-metal's firmware starts on tiles, and kernels run on it. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/output.h"
#include "cli/session.h"

enum { DEFAULT_CYCLES = 10000000, MOST_TABLES = 4 };

struct boot_options {
    struct cli *cli;
    struct machine_options machine;
    struct launch_options launch;
    struct memory_options memory;
    const char *directory;
};

enum { KEY_TILES = 0x500 };

/* "all" or a number of tiles, row by row. */
static error_t parse_tiles(struct boot_options *options, const char *text)
{
    uint64_t wanted = CLI_TILES;
    if (text[0] != 'a' || text[1] != 'l' || text[2] != 'l' || text[3]) {
        error_t error = options_number(options->cli, "--tiles", text, CLI_TILES, &wanted);
        if (error) {
            return error;
        }
    }
    if (!wanted) {
        return options_refuse(options->cli, "--tiles: at least one tile must boot");
    }
    for (unsigned y = 0; y < 32 && wanted; y++) {
        for (unsigned x = 0; x < 32 && wanted; x++) {
            if (penrose_is_worker(x, y)) {
                machine_options_add_tile(&options->machine, x, y);
                wanted--;
            }
        }
    }
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
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
    case ARGP_KEY_ARG:
        if (options->directory) {
            return options_refuse(options->cli, "one firmware folder is enough; what is '%s'?",
                                  argument);
        }
        options->directory = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return options_refuse(options->cli,
                              "name a firmware folder, such as tt_metal/pre-compiled/<hash>");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option rows[] = {
    {NULL, 0, NULL, 0, "Several tiles:", 1},
    {"tiles", KEY_TILES, "all|N", 0, "Boot all 140 tiles, or the first N, row by row", 1},
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
    .parser = parse,
    .args_doc = "FIRMWARE_DIR",
    .doc = "Boots unmodified tt-metal firmware until it waits for work, and launches kernels on it "
           "if you name some. FIRMWARE_DIR is a folder pre-compiled/<hash> of tt-metal or ttnn, or "
           "any folder with brisc.elf, ncrisc.elf, trisc0.elf, trisc1.elf and trisc2.elf."
           "\vExamples:\n"
           "  penrose boot pre-compiled/1234 --tiles all\n"
           "        boots the whole chip\n"
           "  penrose boot pre-compiled/1234 --kernels out --arg brisc=0x80000 --repeat 2\n"
           "        then launches out/brisc.elf, out/ncrisc.elf, ... twice\n\n"
           "Exit codes: 0 ready (and kernels done), 1 guest fault, 2 usage or bad file,\n"
           "3 cycle limit, 4 deadlock.",
    .children = children,
};

static enum cli_exit report_json(struct session *session, struct boot_options *options,
                                 enum cli_exit exit)
{
    json_t *result = session_json(session, exit), *tiles = json_array();
    for (unsigned i = 0; i < options->machine.tiles; i++) {
        struct tile_position tile = options->machine.tile[i];
        json_t *object = json_object();
        json_set_count(object, "x", tile.x);
        json_set_count(object, "y", tile.y);
        json_object_set_new(
            object, "ready",
            json_boolean(penrose_firmware_ready(session->chip, tile.x, tile.y, session->firmware)));
        json_object_set_new(object, "harts",
                            session_harts_json(session, tile, (1u << PENROSE_HARTS) - 1));
        json_array_append_new(tiles, object);
    }
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

static enum cli_exit report(struct session *session, struct boot_options *options,
                            enum cli_exit exit)
{
    const struct machine_options *machine = &options->machine;
    if (options->cli->json) {
        return report_json(session, options, exit);
    }
    if (exit) {
        printf("%s", cli_exit_name(exit));
    } else {
        printf("%u %s ready", machine->tiles, machine->tiles == 1 ? "tile is" : "tiles are");
        if (launch_options_any(&options->launch)) {
            printf(", %u %s done", options->launch.repeat,
                   options->launch.repeat == 1 ? "launch" : "launches");
        }
    }
    printf(" after %" PRIu64 " cycles (host time: %.1f ms loading, %.1f ms running)\n",
           penrose_last_activity(session->chip), session->loading_ms, session->running_ms);
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
    if (!exit) {
        exit = session_boot(&session, options->directory);
    }
    if (!exit && launch_options_any(&options->launch)) {
        exit = session_launch(&session, &options->launch, &options->memory);
    } else if (!exit) {
        exit = memory_poke(&options->memory, session.chip, options->machine.tile[0]);
    }
    if (exit != CLI_REFUSED) {
        exit = report(&session, options, exit);
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
        exit = launch_options_finish(&options.launch);
        exit = exit ? exit : tensors_prepare(&options.memory.tensors, cli);
        exit = exit ? exit : boot(&options);
    }
    launch_options_free(&options.launch);
    memory_options_free(&options.memory);
    return exit;
}
