/* `penrose replay`: runs a recording (docs/RECORDING.md) again, and reports differences. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/dump.h>

#include "api/api.h"
#include "cli/check_options.h"
#include "cli/compare_options.h"
#include "cli/last_writer.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/rerun.h"
#include "cli/state.h"
#include "isa/json_text.h"
#include "observe/gdb/gdb.h"
#include "observe/inside.h"
#include "observe/history/recording.h"
#include "observe/launches/host_programs.h"
#include "observe/settings.h"
#include "observe/trace/file.h"

enum {
    KEY_THREADS = 0xa00,
    KEY_SCHEDULE,
    KEY_TIMING,
    KEY_FREE,
    KEY_LAST_WRITER,
    KEY_DUMP_STATE,
    KEY_AGAINST,
    KEY_GDB,
    KEY_REPLAY_SYMBOLS,
    KEY_MAX_MEMORY,
    KEY_REPLAY_CHIP,
    KEY_REPLAY_PROFILE,
    KEY_REPLAY_COST,
};

struct replay_options {
    struct cli *cli;
    const char *path, *schedule, *timing;
    const char *dump, *against;    /* folders; NULL: not asked for */
    const char *gdb;               /* an address; NULL: not asked for */
    const char *symbols;           /* a folder with programs, or NULL */
    const char *profile;           /* a file; NULL: not asked for */
    char costs[OPTIONS_COSTS];     /* of --cost; empty: not asked for */
    uint64_t threads, most_memory; /* 0: what its size allows */
    unsigned chip;
    bool is_free;
    struct last_writer_option writer;
    struct check_options checks;
};

/* --- Options --- */

static error_t parse_replay(int key, char *argument, struct argp_state *state)
{
    struct replay_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        state->child_inputs[1] = options->cli;
        state->child_inputs[2] = &options->checks;
        return 0;
    case KEY_THREADS:
        return options_number(options->cli, "--threads", argument, CLI_THREADS, &options->threads);
    case KEY_SCHEDULE:
        options->schedule = argument;
        return 0;
    case KEY_TIMING:
        options->timing = argument;
        if (strcmp(argument, "timed") != 0 && strcmp(argument, "functional") != 0) {
            return options_refuse(
                options->cli, "--timing: '%s' is no timing; choose functional or timed", argument);
        }
        return 0;
    case KEY_REPLAY_COST:
        return options_costs(options->cli, argument, options->costs);
    case KEY_FREE:
        options->is_free = true;
        return 0;
    case KEY_LAST_WRITER:
        return last_writer_parse(options->cli, argument, &options->writer);
    case KEY_DUMP_STATE:
        options->dump = argument;
        return 0;
    case KEY_AGAINST:
        options->against = argument;
        return 0;
    case KEY_GDB:
        options->gdb = argument;
        return 0;
    case KEY_REPLAY_PROFILE:
        options->profile = argument;
        return 0;
    case KEY_REPLAY_SYMBOLS:
        options->symbols = argument;
        return 0;
    case KEY_MAX_MEMORY:
        return options_number(options->cli, "--max-memory", argument, UINT64_MAX,
                              &options->most_memory);
    case KEY_REPLAY_CHIP:
        return options_chip(options->cli, argument, &options->chip);
    case ARGP_KEY_ARG:
        if (options->path) {
            return options_refuse(options->cli, "one recording is enough; what is '%s'?", argument);
        }
        options->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->against && !options->dump) {
            return options_refuse(options->cli,
                                  "--against compares what --dump-state DIR writes; add that");
        }
        return options->path ? 0 : options_refuse(options->cli, "name a recording");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option replay_rows[] = {
    {"threads", KEY_THREADS, "N", 0, "Host threads that run the tiles; results do not depend on it",
     0},
    {"schedule", KEY_SCHEDULE, "SCHEDULE", 0,
     "Another schedule than was recorded: fast, lockstep or random:SEED. Implies --free", 0},
    {"timing", KEY_TIMING, "TIMING", 0,
     "Another timing than was recorded: functional or timed. Implies --free", 0},
    {"cost", KEY_REPLAY_COST, "NAME=VALUE", 0,
     "Another cost in a timed run, as for 'penrose run'. Implies --free", 0},
    {"free", KEY_FREE, NULL, 0,
     "Let time pass as it comes, and poll as the host did, in place of running each window as it "
     "was; so are recordings of other builds",
     0},
    {"chip", KEY_REPLAY_CHIP, "N", 0,
     "The chip of which --last-writer, --dump-state and --gdb are, where a recording has several; "
     "from 0, the default",
     0},
    {"last-writer", KEY_LAST_WRITER, "X,Y:ADDRESS", 0,
     "At the end, tell who wrote the word at an address of a tile last, and where in its program",
     0},
    {"profile", KEY_REPLAY_PROFILE, "FILE", 0,
     "Write where the cycles went to FILE, as 'penrose run --profile' does; add --timing timed for "
     "times of silicon, and --symbols for lines. Of several chips each has a file, such as "
     "p.chip1.html",
     0},
    {"symbols", KEY_REPLAY_SYMBOLS, "DIR", 0,
     "Where the programs of the host are, such as tt-metal's cache: firmware and kernels whose "
     "code "
     "lies in tiles are then known by their lines. By default --check and --profile look where "
     "tt-metal keeps them (TT_METAL_CACHE, TT_METAL_RUNTIME_ROOT)",
     0},
    {"dump-state", KEY_DUMP_STATE, "DIR", 0,
     "Write what all tiles that were used hold at the end into a dump", 0},
    {"against", KEY_AGAINST, "DUMP", 0,
     "Compare that with a dump of the same program from elsewhere, a card for example, as `penrose "
     "compare` does; exit code 1 if it differs",
     0},
    {"gdb", KEY_GDB, "ADDRESS", 0,
     "At the end, wait for GDB at [HOST:]PORT or unix:PATH: it looks at any moment of the "
     "recording, "
     "back and forth (docs/DEBUGGING.md)",
     0},
    {"max-memory", KEY_MAX_MEMORY, "BYTES", 0,
     "So much may a recording unpack to; by default 64 MiB, or 256 times the size of its file "
     "where "
     "that is more, so that a file from elsewhere does not fill the memory",
     0},
    {0},
};

static const struct argp_child replay_children[] = {
    {&json_argp, 0, NULL, 0}, {&arch_argp, 0, "Chip:", 6}, {&check_argp, 0, "Checks:", 7}, {0}};

static const struct argp replay_argp = {
    .options = replay_rows,
    .parser = parse_replay,
    .children = replay_children,
    .args_doc = "RECORDING",
    .doc =
        "Runs a recording again that `penrose exec --record` or PENROSE_RECORD has made, without "
        "the program that was recorded, and compares each read of the host, and what the chip "
        "wrote to host memory. It ends at the first difference, and tells it."
        "\vExamples:\n"
        "  penrose replay matmul.rec\n"
        "        the same results, on this build and with any number of threads?\n"
        "  penrose replay matmul.rec --last-writer 1,2:0x4000\n"
        "        who wrote the word at 0x4000 of tile 1,2 last\n"
        "  penrose replay matmul.rec --dump-state here --against card\n"
        "        does the card that was dumped after this program hold the same?\n"
        "  penrose replay matmul.rec --check --symbols ~/.cache/tt-metal-cache\n"
        "        mistakes of its kernels that hurt only sometimes\n"
        "  penrose replay matmul.rec --gdb 1234\n"
        "        debug the kernels without the program that launched them\n"
        "  penrose replay matmul.rec --timing timed\n"
        "        what the host read is the same in a timed run\n\n"
        "Exit codes: 0 all is the same, 1 something differs, 2 usage, or the file is no "
        "recording, is damaged or of another format, 5 the recording is cut (its process was "
        "killed) and all that is there is the same.",
};

/* --- Running --- */

/* A chip, and what is asked for of each. */
struct watched {
    struct penrose_chip *chip;
    struct trace_file *profile;     /* NULL: none */
    struct host_programs *programs; /* NULL: nobody asks */
};

/* A recording that runs again. */
struct replay {
    const struct replay_options *options;
    struct journal *journal;
    struct recording_head head;
    enum journal_ending ending;
    struct penrose_cluster *cluster;
    struct watched watched[CLUSTER_CHIPS];
    unsigned chips;                  /* so many are watched */
    struct penrose_chip *chip;       /* the one that is looked at, */
    struct host_programs *programs;  /* and those of it; NULL: nobody asks */
    struct penrose_history *history; /* for --last-writer and --gdb, else NULL */
    struct gdb *gdb;                 /* NULL: not asked for */
    bool is_free;
    struct rerun *rerun;
    uint64_t entries, reads;
    size_t told[CLUSTER_CHIPS]; /* fault records */
    enum penrose_outcome latest;
};

static bool looks_back(const struct replay_options *options)
{
    return options->writer.is_wanted || options->gdb;
}

static bool is_of_this_build(const struct recording_head *head)
{
    const struct chip_calls *kind = api_chip_of_name(head->kind);
    return kind && kind->layout() == head->layout;
}

static enum cli_exit choose_options(struct replay *replay, struct penrose_options *chip)
{
    const struct replay_options *options = replay->options;
    struct penrose_error error;
    *chip = replay->head.options;
    chip->threads = (unsigned)options->threads;
    chip->costs = *options->costs ? options->costs : NULL;
    replay->is_free = options->is_free || options->schedule || options->timing || chip->costs ||
                      options->checks.delay || !is_of_this_build(&replay->head);
    if (options->schedule || options->timing) {
        chip->quantum = 0;
    }
    if (options->schedule && settings_schedule(chip, options->schedule, &error) != PENROSE_OK) {
        return complain(options->cli, "--schedule: %s", error.text);
    }
    if (options->timing) {
        chip->timed = strcmp(options->timing, "timed") == 0;
    }
    if (chip->costs && !chip->timed) {
        return complain(options->cli, "--cost is for timed runs; add --timing timed");
    }
    if (replay->is_free && looks_back(options)) {
        return complain(options->cli,
                        "%s looks at time as it was recorded; leave out --free, --schedule, "
                        "--timing, --cost and --delay, and take the build that recorded it (%s)",
                        options->gdb ? "--gdb" : "--last-writer", replay->head.made_by);
    }
    return CLI_DONE;
}

static enum penrose_status begin_replay(struct replay *replay, struct penrose_error *error)
{
    uint64_t at = replay->head.at;
    enum penrose_status status = PENROSE_OK;
    if (looks_back(replay->options)) {
        status = inside(replay->chip)
                     ->replay_look_back(replay->chip, replay->journal, at, &replay->history, error);
    }
    return status ? status
                  : inside(replay->chip)
                        ->replay_begin(replay->cluster, replay->journal, at, replay->is_free,
                                       &replay->rerun, error);
}

static void tell_new_faults(struct replay *replay)
{
    struct penrose_fault fault;
    char text[2000];
    for (unsigned i = 0; i < replay->head.chips; i++) {
        for (; penrose_fault_get(penrose_cluster_chip(replay->cluster, i), replay->told[i], &fault);
             replay->told[i]++) {
            penrose_fault_format(&fault, text, sizeof text);
            if (replay->head.chips > 1) {
                fprintf(stderr, "chip %u: ", i);
            }
            fprintf(stderr, "%s\n", text);
        }
    }
}

static void note_step(struct replay *replay)
{
    const struct journal_entry *entry = inside(replay->chip)->replay_entry(replay->rerun);
    replay->entries++;
    replay->reads += entry->kind == JOURNAL_READ || entry->kind == JOURNAL_REGISTER_READ;
    if (entry->kind == JOURNAL_RAN) {
        replay->latest = (enum penrose_outcome)entry->number[0];
        tell_new_faults(replay);
    } else if (entry->kind == JOURNAL_CLEAR || entry->kind == JOURNAL_ISOLATE) {
        replay->told[entry->chip] =
            penrose_fault_count(penrose_cluster_chip(replay->cluster, entry->chip));
    }
    if (replay->history) {
        inside(replay->chip)->replay_note_step(replay->history, replay->rerun);
    }
}

static enum cli_exit run_replay(struct replay *replay)
{
    enum rerun_end end = RERUN_DONE;
    while (end == RERUN_DONE || end == RERUN_STOPPED) {
        end = inside(replay->chip)->replay_step(replay->rerun);
        if (end == RERUN_DONE) {
            note_step(replay);
        }
    }
    tell_new_faults(replay);
    return end == RERUN_DIFFERS ? CLI_FAULT : replay->ending == JOURNAL_CUT ? CLI_CUT : CLI_DONE;
}

/* --- Telling --- */

static const char *difference_of(const struct replay *replay)
{
    return inside(replay->chip)->replay_difference(replay->rerun);
}

static enum cli_exit tell_json(struct replay *replay, enum cli_exit exit, double milliseconds)
{
    json_t *object = json_pack("{s:s, s:s, s:b, s:f}", "command", "replay", "outcome",
                               exit == CLI_FAULT ? "different"
                               : exit == CLI_CUT ? "cut"
                                                 : "same",
                               "free", replay->is_free, "host_ms", milliseconds);
    json_object_set_new(object, "exit_status", json_integer(exit));
    json_set_count(object, "cycles", penrose_now(replay->chip));
    json_set_count(object, "entries", replay->entries);
    json_set_count(object, "reads", replay->reads);
    if (exit == CLI_FAULT) {
        json_object_set_new(object, "difference", json_text(difference_of(replay)));
    }
    enum cli_exit told = output_json(replay->options->cli, object);
    return told == CLI_DONE ? exit : told;
}

static void tell_waits(struct replay *replay)
{
    char *text = output_waits(replay->chip, stderr);
    if (text && *text) {
        fprintf(stderr, "%s\n", text);
    }
    free(text);
}

static enum cli_exit tell_replay(struct replay *replay, enum cli_exit exit, double milliseconds)
{
    const char *path = replay->options->path;
    if (exit == CLI_CUT && replay->latest == PENROSE_QUIET) {
        tell_waits(replay); /* the process may have been killed because of them */
    }
    if (replay->options->cli->json) {
        return tell_json(replay, exit, milliseconds);
    }
    if (exit == CLI_FAULT) {
        printf("%s differs %s\n", path, difference_of(replay));
        return exit;
    }
    printf("%s: %s: %" PRIu64 " reads in %" PRIu64 " cycles, replayed in %.2f s%s\n", path,
           exit == CLI_CUT ? "the recording is cut; what is there is the same" : "the same",
           replay->reads, penrose_now(replay->chip), milliseconds * 1e-3,
           replay->is_free ? ", time as it came" : "");
    return exit;
}

/* Dumps the chip that has run, and compares; `exit` where all is well. */
static enum cli_exit dump_replay(const struct replay *replay, enum cli_exit exit)
{
    const struct replay_options *options = replay->options;
    const struct penrose_dump_options dump = {.size = sizeof dump,
                                              .reason = exit == CLI_FAULT ? "fault" : "exit",
                                              .text = "the end of a recording"};
    struct penrose_error error;
    if (!options->dump) {
        return exit;
    }
    if (penrose_dump_write(replay->chip, &dump, options->dump, &error) != PENROSE_OK) {
        return complain(options->cli, "%s", error.text);
    }
    enum cli_exit differs = options->against
                                ? compare_two_dumps(options->cli, options->dump, options->against)
                                : CLI_DONE;
    return differs == CLI_DONE ? exit : differs;
}

/* An address for GDB that is wrong is told before the recording runs. */
static enum cli_exit listen_for_gdb(struct replay *replay)
{
    const char *address = replay->options->gdb;
    struct penrose_error error;
    return !address || gdb_create(replay->chip, address, &replay->gdb, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(replay->options->cli, "--gdb: %s", error.text);
}

/* Programs are known to rules of the core, to checks, to profiles, and to whoever looks at the end. They are
 * found in the folder of --symbols, or where tt-metal keeps them. */
static enum cli_exit open_host_programs(struct replay *replay)
{
    const struct replay_options *options = replay->options;
    struct penrose_error error;
    bool observes = options->checks.names || options->profile;
    replay->chips = replay->cluster->chips;
    for (unsigned i = 0; i < replay->chips; i++) {
        struct watched *watched = &replay->watched[i];
        watched->chip = penrose_cluster_chip(replay->cluster, i);
        if ((options->symbols || observes) &&
            host_programs_create(watched->chip, options->symbols, &watched->programs, &error) !=
                PENROSE_OK) {
            return complain(options->cli, "--symbols: %s", error.text);
        }
        host_programs_serve(watched->programs);
        if (watched->chip == replay->chip) {
            replay->programs = watched->programs;
        }
    }
    return CLI_DONE;
}

/* Checks and profiles look while it runs, at all chips. */
static enum cli_exit start_observers(struct replay *replay)
{
    const struct replay_options *options = replay->options;
    enum cli_exit exit = CLI_DONE;
    for (unsigned i = 0; i < replay->chips && exit == CLI_DONE; i++) {
        struct watched *watched = &replay->watched[i];
        char own[PATH_MAX];
        const struct trace_file_options profile = {
            .path = options->profile ? trace_file_of_chip(options->profile, i, own) : NULL,
            .is_profile = true,
            .chip = i};
        struct penrose_error error;
        if (profile.path &&
            trace_file_start(watched->chip, &profile, &watched->profile, &error) != PENROSE_OK) {
            return complain(options->cli, "--profile: %s", error.text);
        }
        exit = check_options_start(&options->checks, watched->chip);
    }
    return exit;
}

static enum cli_exit end_observers(struct replay *replay, enum cli_exit exit)
{
    const struct replay_options *options = replay->options;
    for (unsigned i = 0; i < replay->chips; i++) {
        exit = check_options_end(&options->checks, replay->watched[i].chip, exit);
        if (!trace_file_stop(replay->watched[i].profile)) {
            exit = complain(options->cli, "--profile: cannot write %s: %s", options->profile,
                            strerror(errno));
        }
    }
    return exit;
}

static void serve_end(struct replay *replay, enum cli_exit exit)
{
    if (replay->gdb) {
        note("waiting for GDB: %s", gdb_command(replay->gdb));
        fflush(stderr);
        gdb_serve_recording(replay->gdb, replay->history);
        gdb_destroy(replay->gdb, (int)exit);
    }
}

static enum cli_exit run_and_look(struct replay *replay)
{
    const struct replay_options *options = replay->options;
    double start = host_milliseconds();
    enum cli_exit exit = run_replay(replay);
    exit = tell_replay(replay, exit, host_milliseconds() - start);
    if (options->writer.is_wanted) {
        enum cli_exit told =
            last_writer_tell(options->cli, &options->writer, replay->chip, replay->history,
                             host_programs_files(replay->programs));
        exit = told == CLI_DONE ? exit : told;
    }
    const bool is_looked_at = options->dump || options->profile || replay->gdb;
    for (unsigned i = 0; is_looked_at && i < replay->chips; i++) {
        host_programs_forget(replay->watched[i].programs);
        host_programs_know(replay->watched[i].programs);
    }
    exit = dump_replay(replay, exit);
    exit = end_observers(replay, exit);
    serve_end(replay, exit);
    return exit;
}

static enum cli_exit replay_journal(struct replay *replay)
{
    struct cli *cli = replay->options->cli;
    struct penrose_options chip;
    struct penrose_error error;
    enum cli_exit exit = choose_options(replay, &chip);
    if (exit != CLI_DONE) {
        return exit;
    }
    const struct chip_calls *kind = api_chip_of_name(replay->head.kind);
    if (!kind) {
        return complain(cli, "%s: a recording of chips of the kind '%s', which this build has not",
                        replay->options->path, replay->head.kind);
    }
    if (recording_make(replay->journal, kind, &chip, &replay->cluster, &error) != PENROSE_OK) {
        return complain(cli, "%s: %s", replay->options->path, error.text);
    }
    replay->chip = penrose_cluster_chip(replay->cluster, 0);
    exit = state_choose(cli, replay->options->path, replay->options->chip, &replay->chip);
    exit = exit ? exit : open_host_programs(replay);
    if (exit != CLI_DONE) {
        return exit;
    }
    if (begin_replay(replay, &error) != PENROSE_OK) {
        return complain(cli, "%s: %s", replay->options->path, error.text);
    }
    exit = start_observers(replay);
    exit = exit == CLI_DONE ? listen_for_gdb(replay) : exit;
    exit = exit == CLI_DONE ? run_and_look(replay) : exit;
    inside(replay->chip)->replay_end(replay->rerun);
    return exit;
}

static void free_replay(struct replay *replay)
{
    bool is_owned = replay->cluster && replay->cluster->journal;
    penrose_history_end(replay->history);
    penrose_cluster_destroy(replay->cluster);
    for (unsigned i = 0; i < replay->chips; i++) {
        host_programs_free(replay->watched[i].programs);
    }
    if (!is_owned) {
        journal_destroy(replay->journal);
    }
    free(replay);
}

enum cli_exit cmd_replay(struct cli *cli, int argc, char **argv)
{
    struct replay_options options = {.cli = cli, .checks = {.cli = cli}};
    struct penrose_error error;
    enum cli_exit exit;
    if (!options_parse(cli, &replay_argp, argc, argv, &options, &exit)) {
        return exit;
    }
    struct replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        return complain(cli, "no memory");
    }
    replay->options = &options;
    if (journal_load(options.path, options.most_memory, &replay->journal, &replay->ending,
                     &error) != PENROSE_OK) {
        exit = complain(cli, "%s", error.text);
    } else if (recording_head(replay->journal, &replay->head, &error) != PENROSE_OK) {
        exit = complain(cli, "%s: %s", options.path, error.text);
    } else {
        exit = replay_journal(replay);
    }
    free_replay(replay);
    return exit;
}
