/* A session: a chip is made, boots, launches and runs. session_explain.c tells what stopped it. */
#include "cli/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "cli/left_behind.h"
#include "cli/output.h"
#include "cli/session_explain.h"
#include "cli/terminal.h"
#include "metal/program_files.h"
#include "observe/error_line.h"
#include "observe/inside.h"

enum { PROGRESS_AFTER_MS = 500, PROGRESS_EVERY_MS = 200, MOST_TEXT = 8192 };

/* Does any option say how the chip is to be? A snapshot has that itself; it can only become timed. */
static bool describes_chip(const struct penrose_options *chip)
{
    static const enum penrose_policy defaults[PENROSE_FAULT_ROOM];
    return chip->schedule || chip->seed || chip->quantum || chip->rounds_to_nearest || chip->card ||
           memcmp(chip->policy, defaults, sizeof chip->policy) != 0;
}

/* Is the chip of the kind that --arch names? */
static enum cli_exit check_kind(const struct session *session, const char *option, const char *name)
{
    const struct chip_calls *kind = chip_calls_of(session->chip);
    return kind == session->cli->kind
               ? CLI_DONE
               : complain(session->cli, "%s: %s is of another kind of chip; add --arch %s", option,
                          name, kind->arch->name);
}

/* Takes one of the chips that were made. */
static enum cli_exit take_chip(struct session *session, const struct penrose_cluster *cluster,
                               const char *name)
{
    unsigned number = session->options->number, chips = 0;
    while (penrose_cluster_chip(cluster, chips)) {
        chips++;
    }
    struct penrose_chip *chip = penrose_cluster_chip(cluster, number);
    session->chip = chip ? chip : session->chip;
    return chip ? CLI_DONE
                : complain(session->cli, "--chip: %s has no chip %u; it has %u, counted from 0",
                           name, number, chips);
}

static enum cli_exit make_chip_of_card(struct session *session)
{
    struct penrose_error error;
    struct penrose_options wanted = session->options->chip;
    const struct chip_calls *kind = session->cli->kind, *own;
    wanted.card = wanted.card ? wanted.card : kind->card_at(0);
    own = api_chip_of_card(wanted.card);
    if (own && own != kind) {
        return complain(session->cli, "--card: %s is no card of --arch %s", wanted.card,
                        kind->arch->name);
    }
    return penrose_cluster_of_card(&wanted, &session->cluster, &error) == PENROSE_OK
               ? take_chip(session, session->cluster, wanted.card)
               : complain(session->cli, "%s", error.text);
}

static enum cli_exit make_chip_of_file(struct session *session)
{
    struct penrose_error error;
    const char *file = session->options->cluster;
    if (session->options->chip.card) {
        return complain(session->cli, "--cluster says which chips there are; leave --card %s out",
                        session->options->chip.card);
    }
    if (penrose_cluster_of_file(&session->options->chip, file, &session->cluster, &error) !=
        PENROSE_OK) {
        return complain(session->cli, "--cluster: %s", error.text);
    }
    enum cli_exit exit = take_chip(session, session->cluster, file);
    return exit ? exit : check_kind(session, "--cluster", file);
}

static enum cli_exit make_chip(struct session *session)
{
    struct penrose_error error;
    const struct machine_options *options = session->options;
    const char *file = options->restore_snapshot;
    if (file && (describes_chip(&options->chip) || options->cluster)) {
        return complain(session->cli,
                        "--restore-snapshot: schedule, stochastic rounding, policies and card are "
                        "those of the snapshot; leave them out");
    }
    if (error_line_check(&error) != PENROSE_OK) {
        return complain(session->cli, "PENROSE_ERROR_STYLE: %s", error.text);
    }
    if (!file) {
        return options->cluster ? make_chip_of_file(session) : make_chip_of_card(session);
    }
    if (penrose_snapshot_load(&options->chip, file, &session->chip, &error) != PENROSE_OK) {
        return complain(session->cli, "%s", error.text);
    }
    enum cli_exit exit = take_chip(session, penrose_chip_cluster(session->chip, NULL), file);
    return exit ? exit : check_kind(session, "--restore-snapshot", file);
}

/* Whatever has happened: a snapshot of a chip that has stopped tells why. */
static enum cli_exit save_chip(struct session *session)
{
    struct penrose_error error;
    const char *file = session->options->save_snapshot;
    if (!file || !session->chip ||
        penrose_snapshot_save(session->chip, file, &error) == PENROSE_OK) {
        return CLI_DONE;
    }
    return complain(session->cli, "--save-snapshot: %s", error.text);
}

static enum cli_exit start_trace(struct session *session)
{
    struct penrose_error error;
    const struct trace_file_options *trace = &session->options->trace;
    if (trace_file_start(session->chip, trace, &session->trace, &error) == PENROSE_OK) {
        return CLI_DONE;
    }
    return complain(session->cli, "%s: %s", trace->is_profile ? "--profile" : "--trace",
                    error.text);
}

static enum cli_exit stop_trace(struct session *session)
{
    const struct trace_file_options *trace = &session->options->trace;
    if (trace_file_stop(session->trace)) {
        return CLI_DONE;
    }
    return complain(session->cli, "%s: cannot write %s: %s",
                    trace->is_profile ? "--profile" : "--trace",
                    trace->path ? trace->path : "stderr", strerror(errno));
}

/* The tiles of the options must be workers; without any, the first one is taken. */
static enum cli_exit find_workers(struct session *session, struct machine_options *options)
{
    struct penrose_place at = {0};
    for (unsigned i = 0; i < options->tiles; i++) {
        at = options->tile[i];
        if (penrose_tile_kind(session->chip, at.x, at.y) != PENROSE_TILE_TENSIX) {
            struct penrose_place first = {0}, last = {0};
            for (size_t k = 0; penrose_tile_at(session->chip, PENROSE_TILE_TENSIX, k, &last); k++) {
                first = k == 0 ? last : first;
            }
            return complain(session->cli,
                            "--tile: there is no worker tile at %u,%u; the first is at %u,%u and "
                            "the last at %u,%u",
                            at.x, at.y, first.x, first.y, last.x, last.y);
        }
    }
    if (!options->tiles && penrose_tile_at(session->chip, PENROSE_TILE_TENSIX, 0, &at)) {
        machine_options_add_tile(options, at.x, at.y);
    }
    options->workers = options->tiles;
    return CLI_DONE;
}

/* Where GDB may come; it is waited for when the chip is to run. */
static enum cli_exit start_gdb(struct session *session)
{
    struct penrose_error error;
    const char *address = session->options->gdb;
    if (!address) {
        return CLI_DONE;
    }
    if (gdb_create(session->chip, address, &session->gdb, &error) != PENROSE_OK) {
        return complain(session->cli, "--gdb: %s", error.text);
    }
    gdb_share_pauses(session->gdb);
    note("%s: %s", gdb_will_wait(session->gdb) ? "waiting for GDB" : "GDB may come",
         gdb_command(session->gdb));
    fflush(stderr);
    return CLI_DONE;
}

/* A run that a witness looks at writes nothing: its results are known. */
static void leave_out_results(struct machine_options *options)
{
    options->look.moments = 0;
    options->look.dump_state = NULL;
    options->look.show = 0;
    options->save_snapshot = NULL;
    options->gdb = NULL;
    options->tracing = false;
}

/* What --last-writer looks back with. */
static enum cli_exit start_history(struct session *session)
{
    struct penrose_error error;
    if (session->options->writer.is_wanted &&
        penrose_history_start(session->chip, NULL, &session->history, &error) != PENROSE_OK) {
        return complain(session->cli, "--last-writer: %s", error.text);
    }
    return CLI_DONE;
}

static enum cli_exit end_history(struct session *session)
{
    enum cli_exit told = CLI_DONE;
    if (session->history) {
        told = last_writer_tell(session->cli, &session->options->writer, session->chip,
                                session->history, NULL);
        penrose_history_end(session->history);
    }
    return told;
}

enum cli_exit session_open(struct session *session, struct cli *cli,
                           struct machine_options *options)
{
    *session = (struct session){.cli = cli, .options = options};
    if (cli->witness) {
        leave_out_results(options);
    }
    enum cli_exit exit = make_chip(session);
    exit = exit ? exit : find_workers(session, options);
    exit = exit ? exit : start_history(session);
    exit = exit ? exit : check_options_start(&options->checks, session->chip);
    exit = exit ? exit : start_gdb(session);
    if (exit) {
        return exit;
    }
    session->opened_at = penrose_now(session->chip);
    if (cli->witness) {
        return cli->witness->opened(cli->witness->context, session->chip);
    }
    session->progress.enabled =
        isatty(STDERR_FILENO) && !session->gdb && (!options->tracing || options->trace.path);
    return options->tracing ? start_trace(session) : CLI_DONE;
}

unsigned session_add_tiles(struct session *session, struct machine_options *options,
                           enum penrose_tile_kind kind, unsigned wanted)
{
    unsigned found = 0;
    struct penrose_place at;
    while (found < wanted && penrose_tile_at(session->chip, kind, found, &at)) {
        machine_options_add_tile(options, at.x, at.y);
        found++;
    }
    return found;
}

enum cli_exit session_add_workers(struct session *session, struct machine_options *options,
                                  unsigned wanted)
{
    unsigned found = session_add_tiles(session, options, PENROSE_TILE_TENSIX, wanted);
    options->workers = options->tiles;
    if (found < wanted && wanted < CLI_TILES) {
        return complain(session->cli, "--tiles: %u are too many, this card has %u workers", wanted,
                        found);
    }
    return CLI_DONE;
}

/* --- Running --- */

struct ticking {
    struct session *session;
    const struct goal *goal;
};

static void show_progress(struct session *session, const struct goal *goal)
{
    double now = host_milliseconds();
    if (now < session->progress.next) {
        return;
    }
    uint64_t cycles = penrose_now(session->chip) - session->progress.first_cycle;
    terminal_control(stderr, "\r");
    if (goal->busy && session->options->tiles > 1) {
        fprintf(stderr, "%u of %u tiles busy, ", goal->busy(session, goal->context),
                session->options->tiles);
    }
    fprintf(stderr, "%" PRIu64 " cycles, %.1f s, %.1f M cycles/s ", cycles,
            (now - session->progress.started) / 1e3,
            (double)cycles / (now - session->progress.started) / 1e3);
    session->progress.shown = true;
    session->progress.next = now + PROGRESS_EVERY_MS;
}

static void clear_progress(struct session *session)
{
    if (session->progress.shown) {
        terminal_control(stderr, "\r\033[K");
        session->progress.shown = false;
    }
}

static bool tick(struct penrose_chip *chip, void *context)
{
    struct ticking *ticking = context;
    if (ticking->session->progress.enabled) {
        show_progress(ticking->session, ticking->goal);
    }
    return console_is_called(&ticking->session->console, chip) ||
           ticking->goal->reached(ticking->session, ticking->goal->context);
}

/* GDB may look at what is left. */
static void show_end(struct session *session, enum cli_exit exit)
{
    char *waits = session->gdb ? output_waits(session->chip, NULL) : NULL, text[MOST_TEXT];
    snprintf(text, sizeof text, "The run ends here: %s.\n%s", cli_exit_name(exit),
             waits ? waits : "");
    gdb_stop(session->gdb, text);
    free(waits);
}

/* Runs until something other than a call of the console or a look at tiles ends it. *exit is what came
 * of looking. */
static enum penrose_outcome run_on(struct session *session, const struct goal *goal,
                                   enum cli_exit *exit)
{
    struct ticking ticking = {.session = session, .goal = goal};
    enum penrose_outcome outcome;
    bool looks_on, serves_on, debugs_on;
    do {
        uint64_t used = penrose_now(session->chip) - session->opened_at;
        uint64_t limit = session->options->max_cycles;
        struct penrose_run run = {
            .size = sizeof run,
            .cycles = look_begin_run(session->look, used < limit ? limit - used : 0),
            .exactly = true,
            .until = tick,
            .context = &ticking};
        outcome = gdb_run(session->gdb, session->chip, &run);
        clear_progress(session);
        *exit = look_end_run(session->look, outcome, &looks_on);
        debugs_on = gdb_goes_on(session->gdb);
        serves_on = console_serve(&session->console, session->chip) && outcome == PENROSE_CONDITION;
    } while (!*exit && (looks_on || serves_on || debugs_on));
    return outcome;
}

/* Made when the first run begins, since then it is known which tiles there are. */
static enum cli_exit find_look(struct session *session)
{
    const struct machine_options *options = session->options;
    return session->look ? CLI_DONE
                         : look_open(&options->look, session->chip, options->tile, options->tiles,
                                     &session->look);
}

enum cli_exit session_note_launch(struct session *session)
{
    return session->look ? look_at_launch(session->look) : CLI_DONE;
}

enum cli_exit session_run(struct session *session, const struct goal *goal)
{
    session->progress.first_cycle = penrose_now(session->chip);
    session->progress.started = host_milliseconds();
    session->progress.next = session->progress.started + PROGRESS_AFTER_MS;
    enum cli_exit exit = find_look(session);
    enum penrose_outcome outcome = exit ? PENROSE_CYCLES : run_on(session, goal, &exit);
    session->running_ms += host_milliseconds() - session->progress.started;
    console_finish(&session->console);
    if (exit) {
        return exit;
    }
    exit = outcome == PENROSE_FAULT   ? CLI_FAULT
           : outcome == PENROSE_QUIET ? CLI_DEADLOCK
                                      : CLI_CYCLES;
    if (outcome != PENROSE_FAULT && goal->reached(session, goal->context)) {
        if (!left_behind_explain(session->chip)) {
            return CLI_DONE;
        }
        exit = CLI_FAULT;
    }
    session->at_limit = exit == CLI_CYCLES;
    if (goal->is_endless && exit == CLI_CYCLES) {
        return CLI_DONE;
    }
    session_explain(session, goal, exit);
    if (outcome != PENROSE_FAULT) { /* that it knows */
        show_end(session, exit);
    }
    return exit;
}

/* --- Firmware --- */

/* The goal of a step that the first `tiles` tiles take. */
struct step {
    const char *what;
    unsigned tiles;
    bool (*taken)(struct penrose_chip *chip, unsigned x, unsigned y,
                  const struct penrose_firmware *firmware);
    unsigned known; /* so many tiles have taken it */
};

static bool step_taken(struct session *session, void *context)
{
    struct step *step = context;
    while (step->known < step->tiles) {
        struct penrose_place tile = session->options->tile[step->known];
        if (!step->taken(session->chip, tile.x, tile.y, session->firmware)) {
            return false;
        }
        step->known++;
    }
    return true;
}

static unsigned busy_in_step(struct session *session, void *context)
{
    const struct step *step = context;
    unsigned busy = 0;
    for (unsigned i = step->known; i < step->tiles; i++) {
        struct penrose_place tile = session->options->tile[i];
        busy += !step->taken(session->chip, tile.x, tile.y, session->firmware);
    }
    return busy;
}

static void describe_step(struct session *session, void *context, char *text, size_t size)
{
    const struct step *step = context;
    struct penrose_place tile = session->options->tile[step->known];
    enum penrose_tile_kind kind = penrose_tile_kind(session->chip, tile.x, tile.y);
    bool is_worker = kind == PENROSE_TILE_TENSIX;
    unsigned busy = busy_in_step(session, context);
    char others[40] = "";
    if (busy > 1) {
        snprintf(others, sizeof others, " and %u other%s", busy - 1, busy == 2 ? "" : "s");
    }
    snprintf(text, size, "%s on %s%stile (%u, %u)%s", step->what,
             is_worker ? "" : penrose_tile_kind_name(kind), is_worker ? "" : " ", tile.x, tile.y,
             others);
}

static enum cli_exit run_step(struct session *session, struct step *step)
{
    struct goal goal = {
        .reached = step_taken, .describe = describe_step, .busy = busy_in_step, .context = step};
    return session_run(session, &goal);
}

enum cli_exit session_boot(struct session *session, const char *directory)
{
    struct penrose_error error;
    struct step step = {
        .what = "booting", .tiles = session->options->tiles, .taken = penrose_firmware_ready};
    double start = host_milliseconds();
    if (session->cli->kind->firmware_open(directory, &session->firmware, &error) != PENROSE_OK) {
        return complain(session->cli, "%s", error.text);
    }
    if (session->options->restore_snapshot) {
        inside(session->chip)
            ->metal_assume(session->chip, session->firmware); /* which is not booted again */
    }
    for (unsigned i = 0; i < session->options->tiles; i++) {
        struct penrose_place tile = session->options->tile[i];
        if (session->options->restore_snapshot &&
            penrose_firmware_ready(session->chip, tile.x, tile.y, session->firmware)) {
            continue;
        }
        if (penrose_boot(session->chip, tile.x, tile.y, session->firmware, &error) != PENROSE_OK) {
            return complain(session->cli, "%s", error.text);
        }
    }
    session->loading_ms += host_milliseconds() - start;
    return run_step(session, &step);
}

enum cli_exit session_wait(struct session *session, const char *what)
{
    struct step step = {
        .what = what, .tiles = session->options->workers, .taken = penrose_launch_done};
    return run_step(session, &step);
}

static enum cli_exit launch_once(struct session *session, const struct penrose_launch *launch,
                                 const struct memory_options *memory, const char *what)
{
    struct step step = {
        .what = what, .tiles = session->options->workers, .taken = penrose_launch_done};
    double start = host_milliseconds();
    for (unsigned i = 0; i < step.tiles; i++) {
        struct penrose_place tile = session->options->tile[i];
        struct penrose_error error;
        enum cli_exit exit = memory_poke(memory, session->chip, tile);
        if (exit) {
            return exit;
        }
        if (penrose_launch(session->chip, tile.x, tile.y, session->firmware, launch, &error) !=
            PENROSE_OK) {
            return complain(session->cli, "%s", error.text);
        }
    }
    session->loading_ms += host_milliseconds() - start;
    enum cli_exit exit = session_note_launch(session);
    return exit ? exit : run_step(session, &step);
}

enum cli_exit session_launch(struct session *session, const struct launch_options *options,
                             const struct memory_options *memory)
{
    struct penrose_launch launch = launch_options_launch(options);
    enum cli_exit exit = CLI_DONE;
    for (unsigned i = 0; i < options->repeat && !exit; i++) {
        char what[64];
        snprintf(what, sizeof what, "launch %u of %u", i + 1, options->repeat);
        exit = launch_once(session, &launch, memory, what);
    }
    return exit;
}

/* --- The end --- */

enum cli_exit session_close(struct session *session, enum cli_exit exit)
{
    if (session->chip) {
        session_explain_warnings(session);
        exit = check_options_end(&session->options->checks, session->chip, exit);
        if (session->options->warn_unmodelled) {
            session_list_unmodelled(session);
        }
    }
    json_decref(session->console.lines);
    if (session->cli->witness && session->chip) {
        session->cli->witness->ended(session->cli->witness->context, session->chip);
    }
    enum cli_exit looked = look_close(session->look, exit);
    enum cli_exit traced = stop_trace(session);
    enum cli_exit saved = save_chip(session);
    enum cli_exit told = end_history(session);
    gdb_destroy(session->gdb, (int)exit);
    penrose_chip_destroy(session->chip); /* which is nothing if it belongs to a cluster */
    penrose_cluster_destroy(session->cluster);
    program_files_free(session->files);
    penrose_firmware_close(session->firmware);
    return exit ? exit : looked ? looked : traced ? traced : saved ? saved : told;
}
