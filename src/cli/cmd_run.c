/* `penrose run`: bare programs on chosen harts, kernels on tt-metal's firmware, or a program on a
 * grid of tiles that a description names. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/installation.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/session_results.h"
#include "cli/ttx.h"
#include "loader/elf.h"
#include "observe/gdb/gdb.h"
#include "chip/calls.h"

#define DEFAULT_CYCLES UINT64_C(1000000000)

struct run_options {
    struct cli *cli;
    struct machine_options machine;
    struct launch_options launch;
    struct memory_options memory;
    const char *firmware;
    const char *description;            /* of a program on a grid; NULL: none */
    const char *data;                   /* folder of its .npy files */
    bool trusts_outputs;                /* they may lie anywhere, and have any size */
    bool counts_units;                  /* of its units */
    const char *ttx;                    /* an image of tt-burnin; NULL: none */
    unsigned workers;                   /* that it runs on, besides those of --tile */
    const char *program[PENROSE_HARTS]; /* bare programs */
    char guest[PENROSE_HARTS][PATH_MAX];
    unsigned started; /* bit n: hart n has a program */
};

enum {
    KEY_FIRMWARE = 0x600,
    KEY_HART,
    KEY_PROGRAM,
    KEY_DATA,
    KEY_TRUST_OUTPUTS,
    KEY_TTX,
    KEY_TILES,
    KEY_UNITS
};

static error_t set_program(struct run_options *options, unsigned harts, const char *path)
{
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (!(harts & 1u << hart)) {
            continue;
        }
        if (options->program[hart]) {
            return options_refuse(options->cli, "%s has two programs, %s and %s%s",
                                  penrose_hart_name((enum penrose_hart)hart),
                                  options->program[hart], path,
                                  machine_options_hint(&options->machine));
        }
        options->program[hart] =
            find_guest(path, options->guest[hart]) ? options->guest[hart] : path;
        options->started |= 1u << hart;
    }
    return 0;
}

static error_t parse_hart(struct run_options *options, const char *text)
{
    unsigned harts;
    size_t length = strcspn(text, "=");
    if (!text[length]) {
        return options_refuse(options->cli,
                              "--hart: '%s' has no program; write for example --hart brisc=a.elf",
                              text);
    }
    error_t error = options_harts(options->cli, "--hart", text, length, &harts);
    return error ? error : set_program(options, harts, text + length + 1);
}

static error_t set_description(struct run_options *options, const char *path)
{
    if (options->description) {
        return options_refuse(options->cli, "one program is enough; what is '%s'?", path);
    }
    options->description = path;
    return 0;
}

static bool touches_memory(const struct memory_options *memory)
{
    return memory->pokes || memory->dumps || memory->tensors.input.count ||
           memory->tensors.output.count;
}

/* An image names its programs and memory itself. */
static error_t check_ttx(const struct run_options *options)
{
    if (options->description || options->started || options->firmware || options->launch.used ||
        touches_memory(&options->memory) || options->machine.restore_snapshot) {
        return options_refuse(options->cli,
                              "%s has programs and data of its own; with --ttx go only tiles and "
                              "options of the machine",
                              options->ttx);
    }
    return 0;
}

/* A description names tiles, kernels and memory itself. */
static error_t check_description(const struct run_options *options)
{
    const struct launch_options *launch = &options->launch;
    bool has_arguments = launch->buffers || launch->semaphores.count || launch->repeat > 1;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        has_arguments |=
            launch->path[hart] || launch->arguments[hart].count || launch->common[hart].count;
    }
    if (options->started || options->machine.tiles || has_arguments ||
        touches_memory(&options->memory)) {
        return options_refuse(options->cli,
                              "%s has tiles, kernels and buffers of its own; options for those do "
                              "not go with it, but --firmware, --kernels DIR and --data DIR do%s",
                              options->description, machine_options_hint(&options->machine));
    }
    return 0;
}

/* What does not go together. */
static error_t check_run_options(const struct run_options *options)
{
    if (options->ttx) {
        return check_ttx(options);
    }
    if (options->workers) {
        return options_refuse(options->cli, "--tiles is for --ttx; other programs are for one tile "
                                            "(--tile), or their description says for which");
    }
    if (options->description) {
        return check_description(options);
    }
    if (options->counts_units) {
        return options_refuse(options->cli,
                              "--units is for programs that a description names; name one");
    }
    if (options->data || options->trusts_outputs) {
        return options_refuse(options->cli,
                              "%s is for the .npy files of a program description; name one",
                              options->data ? "--data" : "--trust-outputs");
    }
    if (options->machine.tiles > 1) {
        return options_refuse(options->cli, "run works on one tile; boot takes several");
    }
    if (options->firmware && options->started) {
        return options_refuse(options->cli,
                              "bare programs and firmware exclude each other; on firmware a hart "
                              "runs a kernel: --kernel HART=ELF");
    }
    if (options->firmware && !options->launch.used) {
        return options_refuse(options->cli,
                              "no kernel was named; add --kernel HART=ELF or --kernels DIR, or use "
                              "'penrose boot'");
    }
    if (!options->firmware && options->launch.used) {
        return options_refuse(options->cli,
                              "kernels and their options need firmware: add --firmware DIR; a bare "
                              "program is --hart HART=ELF");
    }
    if (!options->firmware && !options->started && !options->machine.restore_snapshot) {
        return options_refuse(options->cli,
                              "name a program: an ELF file for brisc, or --hart HART=ELF");
    }
    return 0;
}

static error_t parse_run(int key, char *argument, struct argp_state *state)
{
    struct run_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->launch;
        state->child_inputs[1] = &options->machine;
        state->child_inputs[2] = &options->memory;
        state->child_inputs[3] = options->cli;
        return 0;
    case KEY_FIRMWARE:
        options->firmware = argument;
        return 0;
    case KEY_HART:
        return parse_hart(options, argument);
    case KEY_PROGRAM:
        return set_description(options, argument);
    case KEY_DATA:
        options->data = argument;
        return 0;
    case KEY_TRUST_OUTPUTS:
        options->trusts_outputs = true;
        return 0;
    case KEY_TILES:
        return options_workers(options->cli, argument, &options->workers);
    case KEY_UNITS:
        options->counts_units = true;
        return 0;
    case KEY_TTX:
        options->ttx = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (program_is_description(argument)) {
            return set_description(options, argument);
        }
        return set_program(options, 1u << PENROSE_BRISC, argument);
    case ARGP_KEY_END:
        return check_run_options(options);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option rows[] = {
    {NULL, 0, NULL, 0, "Bare programs:", 1},
    {"hart", KEY_HART, "HART=ELF", 0,
     "Run a program on brisc, ncrisc, trisc0, trisc1 or trisc2; give it once a hart", 1},
    {NULL, 0, NULL, 0, "Programs on a grid of tiles:", 6},
    {"program", KEY_PROGRAM, "FILE", 0,
     "Run what a description says (see below); the same as an argument that ends in .json", 6},
    {"data", KEY_DATA, "DIR", 0,
     "The folder of its .npy files (default: that of the description; --kernels DIR is the same "
     "for "
     "its kernels)",
     6},
    {"trust-outputs", KEY_TRUST_OUTPUTS, NULL, 0,
     "Its outputs may lie outside of that folder, and have more than 256 MiB together", 6},
    {"units", KEY_UNITS, NULL, 0,
     "Tell what each unit of the coprocessor did, too, which takes some times longer", 6},
    {NULL, 0, NULL, 0, "Images that run on every card:", 7},
    {"ttx", KEY_TTX, "FILE", 0,
     "Run an image of tt-burnin (bhpv.ttx) on the tiles chosen, and tell what each unit does; "
     "it never ends, so --max-cycles (1M) does",
     7},
    {"tiles", KEY_TILES, "all|N", 0, "Run it on all workers, or so many of them", 7},
    {NULL, 0, NULL, 0, "Kernels on firmware:", 2},
    {"firmware", KEY_FIRMWARE, "DIR", 0, "Boot this firmware first (see 'penrose boot --help')", 2},
    {0},
};

static const struct argp_child children[] = {
    {&launch_argp, 0, NULL, 2},
    {&machine_argp, 0, "The machine:", 3},
    {&memory_argp, 0, "Memory of the tile:", 4},
    {&json_argp, 0, "Output:", 5},
    {0},
};

static const struct argp argp = {
    .options = rows,
    .parser = parse_run,
    .args_doc = "ELF\n--hart HART=ELF...\n--firmware DIR --kernel HART=ELF...\nPROGRAM.json\n"
                "--restore-snapshot FILE\n--ttx FILE",
    .doc =
        "Runs programs on one tile: bare ones, which have the harts to themselves and end with "
        "ebreak (a0 is the exit value), or kernels on tt-metal's firmware; or a program on a grid "
        "of tiles. ELF without a hart is for brisc; a relative path that leads nowhere is that of "
        "an installed guest program (hello.elf, fault-load.elf, tensor/copy-trisc0.elf)."
        "\vExamples:\n"
        "  penrose run hello.elf --dump 0x8000,64\n"
        "        runs a bare program on brisc and shows 64 bytes of L1\n"
        "  penrose run --firmware pre-compiled/1234 --kernel brisc=writer.elf \\\n"
        "      --arg brisc=0x80000,4 --cb 0,0x40000,2,2048 --dump 0x80000,16\n"
        "        launches a kernel with two arguments and a circular buffer\n"
        "  penrose run scale.elf --input 0x20000=a.npy:Float16_b \\\n"
        "      --output 0x40000=b.npy:64x32:Float32:rows\n"
        "        puts a matrix to L1 as tiles of 32x32, and fetches one of 64 rows\n"
        "  penrose run copy.json --firmware pre-compiled/1234\n"
        "        boots a grid, fills buffers from .npy files, launches kernels, writes outputs\n"
        "  penrose run --ttx bhpv.ttx --tiles all\n"
        "        tt-burnin's power virus on all workers: what every unit does for a million "
        "cycles\n"
        "  penrose run long.elf --max-cycles 100M --save-snapshot half\n"
        "  penrose run --restore-snapshot half\n"
        "        stops after so many cycles, and goes on from there\n\n"
        "A program description is JSON (comments are allowed; penrose(1) has all keys):\n"
        "  {\"grid\": \"11x10\",\n"
        "   \"dram\": {\"A\": {\"input\": \"a.npy\", \"format\": \"Float16_b\"},\n"
        "            \"B\": {\"output\": \"b.npy\", \"format\": \"Float16_b\",\n"
        "                  \"rows\": \"dram.A.rows\", \"columns\": \"dram.A.columns\"}},\n"
        "   \"kernels\": [{\"hart\": \"brisc\", \"elf\": \"copy.elf\", \"tiles\": \"0-10,0-9\",\n"
        "                \"arguments\": [\"dram.A\", \"dram.B\", \"index\", \"tiles\"]}]}\n\n"
        "Exit codes: 0 done, 1 guest fault, 2 usage or bad file, 3 cycle limit, 4 deadlock.",
    .children = children,
};

/* --- Bare programs --- */

/* Programs of several harts must not lie on top of each other in L1. */
static enum cli_exit check_overlap(const struct run_options *options, const char *path_a,
                                   const struct loader_elf *a, const char *path_b,
                                   const struct loader_elf *b)
{
    const uint32_t l1_bytes = options->cli->kind->arch->l1_bytes[PENROSE_TILE_TENSIX];
    unsigned count_a, count_b;
    const struct loader_segment *segment_a = loader_elf_segments(a, &count_a);
    const struct loader_segment *segment_b = loader_elf_segments(b, &count_b);
    for (unsigned i = 0; i < count_a; i++) {
        for (unsigned j = 0; j < count_b; j++) {
            uint32_t start_a = segment_a[i].vaddr, start_b = segment_b[j].vaddr;
            bool overlap = start_a < l1_bytes && start_b < l1_bytes &&
                           start_a < start_b + segment_b[j].memsz &&
                           start_b < start_a + segment_a[i].memsz;
            if (overlap) {
                return complain(options->cli,
                                "%s (from 0x%x) and %s (from 0x%x) overlap in L1, which the harts "
                                "share; link each for addresses of its own",
                                path_a, start_a, path_b, start_b);
            }
        }
    }
    return CLI_DONE;
}

static enum cli_exit check_overlaps(const struct run_options *options)
{
    struct loader_elf *elf[PENROSE_HARTS] = {0};
    enum cli_exit exit = CLI_DONE;
    for (unsigned hart = 0; hart < PENROSE_HARTS && !exit; hart++) {
        struct penrose_error error;
        const char *path = options->program[hart];
        if (path && loader_elf_open(path, &elf[hart], &error) != PENROSE_OK) {
            exit = complain(options->cli, "%s", error.text);
        }
        for (unsigned other = 0; path && other < hart && !exit; other++) {
            if (elf[other] && strcmp(path, options->program[other]) != 0) {
                exit = check_overlap(options, options->program[other], elf[other], path, elf[hart]);
            }
        }
    }
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        loader_elf_close(elf[hart]);
    }
    return exit;
}

static enum penrose_hart_state state_of(struct session *session, unsigned hart)
{
    struct penrose_place tile = session->options->tile[0];
    struct penrose_hart_info info;
    bool is_known = penrose_hart_info(session->chip, tile.x, tile.y, (enum penrose_hart)hart, &info,
                                      NULL) == PENROSE_OK;
    return is_known ? info.state : PENROSE_HART_HELD;
}

static bool is_unfinished(struct session *session, const struct run_options *options, unsigned hart)
{
    return options->started & 1u << hart && state_of(session, hart) != PENROSE_HART_PAUSED;
}

static bool all_paused(struct session *session, void *context)
{
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (is_unfinished(session, context, hart)) {
            return false;
        }
    }
    return true;
}

/* In a restored chip the harts may be running; they start anew. */
static enum cli_exit load_programs(struct session *session, const struct run_options *options,
                                   uint32_t entry[PENROSE_HARTS])
{
    struct penrose_place tile = options->machine.tile[0];
    struct penrose_error error;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (options->program[hart] && state_of(session, hart) != PENROSE_HART_HELD &&
            penrose_hart_hold(session->chip, tile.x, tile.y, (enum penrose_hart)hart, &error) !=
                PENROSE_OK) {
            return complain(options->cli, "%s", error.text);
        }
        if (options->program[hart] &&
            penrose_load_program(session->chip, tile.x, tile.y, (enum penrose_hart)hart,
                                 options->program[hart], &entry[hart], &error) != PENROSE_OK) {
            return complain(options->cli, "%s", error.text);
        }
    }
    return memory_poke(&options->memory, session->chip, tile);
}

/* The harts that have not paused: "brisc, trisc0". */
static void name_unfinished(struct session *session, void *context, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (is_unfinished(session, context, hart)) {
            snprintf(text + length, size - length, "%s%s", length ? ", " : "",
                     penrose_hart_name((enum penrose_hart)hart));
            length = strlen(text);
        }
    }
}

static enum cli_exit start_hart(struct session *session, enum penrose_hart hart, uint32_t entry)
{
    struct penrose_place tile = session->options->tile[0];
    struct penrose_error error;
    return penrose_hart_release(session->chip, tile.x, tile.y, hart, entry, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(session->cli, "%s", error.text);
}

/* Programs that a restored chip is in the middle of. */
static enum cli_exit find_started(struct session *session, struct run_options *options)
{
    struct penrose_place tile = options->machine.tile[0];
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        options->started |= (unsigned)(state_of(session, hart) != PENROSE_HART_HELD) << hart;
    }
    return options->started ? CLI_DONE
                            : complain(options->cli,
                                       "%s: no hart of tile (%u, %u) has been started; name a "
                                       "program for one, or another tile with --tile X,Y",
                                       options->machine.restore_snapshot, tile.x, tile.y);
}

/* Several harts that talk are told apart by their names. */
static void open_console(struct session *session, const struct run_options *options)
{
    gdb_run_bare(session->gdb);
    unsigned harts = options->started;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        harts |= (unsigned)(options->launch.path[hart] != NULL) << hart;
    }
    session->console = (struct console){.tile = options->machine.tile[0],
                                        .harts = harts,
                                        .names = (harts & (harts - 1)) != 0,
                                        .lines = options->cli->json ? json_array() : NULL};
}

static enum cli_exit run_bare(struct session *session, struct run_options *options)
{
    uint32_t entry[PENROSE_HARTS];
    struct goal goal = {.reached = all_paused, .describe = name_unfinished, .context = options};
    double start = host_milliseconds();
    enum cli_exit exit =
        options->started ? check_overlaps(options) : find_started(session, options);
    exit = exit ? exit : load_programs(session, options, entry);
    for (unsigned hart = 0; hart < PENROSE_HARTS && !exit; hart++) {
        if (options->program[hart]) {
            exit = start_hart(session, (enum penrose_hart)hart, entry[hart]);
        }
    }
    session->loading_ms += host_milliseconds() - start;
    open_console(session, options);
    return exit ? exit : session_run(session, &goal);
}

/* --- The report --- */

static enum cli_exit report_run_json(struct session *session, struct run_options *options,
                                     enum cli_exit exit)
{
    struct penrose_place tile = options->machine.tile[0];
    json_t *result = session_json(session, exit);
    json_set_count(result, "x", tile.x);
    json_set_count(result, "y", tile.y);
    json_t *harts = session_harts_json(
        session, tile, options->firmware ? (1u << PENROSE_HARTS) - 1 : options->started);
    json_object_set_new(result, "harts", harts);
    json_object_set(result, "console", session->console.lines);
    size_t index;
    json_t *hart;
    json_array_foreach(harts, index, hart)
    {
        const char *state = json_string_value(json_object_get(hart, "state"));
        if (!options->firmware && state &&
            strcmp(state, hart_state_name(PENROSE_HART_PAUSED)) == 0) {
            json_object_set(hart, "exit_value", json_array_get(json_object_get(hart, "x"), 10));
        }
    }
    enum cli_exit dumped = memory_dump(&options->memory, session->chip, tile, result);
    dumped = dumped ? dumped
                    : tensors_finish(&options->memory.tensors, options->cli, session->chip, tile,
                                     exit, result);
    if (dumped) {
        json_decref(result);
        return dumped;
    }
    enum cli_exit written = output_json(options->cli, result);
    return exit ? exit : written;
}

static enum cli_exit report_run(struct session *session, struct run_options *options,
                                enum cli_exit exit)
{
    struct penrose_place tile = options->machine.tile[0];
    if (options->cli->json) {
        return report_run_json(session, options, exit);
    }
    printf("tile (%u, %u): %s after %" PRIu64
           " cycles (host time: %.1f ms loading, %.1f ms running)\n",
           tile.x, tile.y, cli_exit_name(exit), session_cycles(session), session->loading_ms,
           session->running_ms);
    session_print_harts(session, tile,
                        options->firmware ? (1u << PENROSE_HARTS) - 1 : options->started,
                        !options->firmware);
    enum cli_exit dumped = memory_dump(&options->memory, session->chip, tile, NULL);
    dumped = dumped ? dumped
                    : tensors_finish(&options->memory.tensors, options->cli, session->chip, tile,
                                     exit, NULL);
    return exit ? exit : dumped;
}

static enum cli_exit run_programs(struct run_options *options)
{
    struct session session;
    enum cli_exit exit = session_open(&session, options->cli, &options->machine);
    if (!exit && options->firmware) {
        exit = session_boot(&session, options->firmware);
        open_console(&session, options);
        exit = exit ? exit : session_launch(&session, &options->launch, &options->memory);
    } else if (!exit) {
        exit = run_bare(&session, options);
    }
    if (exit != CLI_REFUSED) {
        exit = report_run(&session, options, exit);
    }
    return session_close(&session, exit);
}

static enum cli_exit run_description(struct run_options *options)
{
    const struct program_options program = {.path = options->description,
                                            .firmware = options->firmware,
                                            .kernels = options->launch.directory,
                                            .data = options->data,
                                            .trusts_outputs = options->trusts_outputs,
                                            .counts_units = options->counts_units};
    return program_run(options->cli, &options->machine, &program);
}

static enum cli_exit run_here(struct run_options *options)
{
    enum cli_exit exit = launch_options_finish(&options->launch);
    exit = exit ? exit : tensors_prepare(&options->memory.tensors, options->cli);
    return exit ? exit : run_programs(options);
}

enum cli_exit cmd_run(struct cli *cli, int argc, char **argv)
{
    struct run_options options = {.cli = cli, .memory = {.cli = cli}};
    enum cli_exit exit;
    machine_options_init(&options.machine, cli);
    launch_options_init(&options.launch, cli);
    if (options_parse(cli, &argp, argc, argv, &options, &exit)) {
        machine_options_finish(&options.machine, options.ttx ? TTX_CYCLES : DEFAULT_CYCLES);
        exit = machine_options_check(&options.machine);
        if (!exit) {
            exit = options.ttx ? ttx_run(cli, &options.machine, options.ttx, options.workers)
                   : options.description ? run_description(&options)
                                         : run_here(&options);
        }
    }
    launch_options_free(&options.launch);
    memory_options_free(&options.memory);
    return exit;
}
