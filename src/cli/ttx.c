/* See ttx.h. Loading and starting as tt-burnin does it: all harts into reset, the image into L1 of
 * each tile, all harts but NCRISC out of reset. */
#include "cli/ttx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/session_results.h"
#include "cli/units.h"
#include "isa/json_text.h"
#include "loader/ttx.h"
#include "chip/calls.h"

static enum cli_exit load_tile(struct session *session, struct penrose_place tile,
                               const struct loader_writes *writes)
{
    struct penrose_error error;
    for (unsigned i = 0; i < writes->count; i++) {
        const struct loader_write *write = &writes->write[i];
        if (penrose_poke(session->chip, tile.x, tile.y, write->address, write->bytes, write->size,
                         &error) != PENROSE_OK) {
            return complain(session->cli, "%s", error.text);
        }
    }
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        static const uint32_t entry[PENROSE_HARTS] = {
            [PENROSE_TRISC0] = 0x6000, [PENROSE_TRISC1] = 0xa000, [PENROSE_TRISC2] = 0xe000};
        if (hart != PENROSE_NCRISC &&
            penrose_hart_release(session->chip, tile.x, tile.y, (enum penrose_hart)hart,
                                 entry[hart], &error) != PENROSE_OK) {
            return complain(session->cli, "%s", error.text);
        }
    }
    return CLI_DONE;
}

static enum cli_exit load_tasks(struct session *session, const struct loader_writes *writes)
{
    double start = host_milliseconds();
    enum cli_exit exit = units_count(session);
    for (unsigned i = 0; i < session->options->tiles && !exit; i++) {
        exit = load_tile(session, session->options->tile[i], writes);
    }
    session->loading_ms += host_milliseconds() - start;
    return exit;
}

static bool never(struct session *session, void *context)
{
    (void)session;
    (void)context;
    return false;
}

static void describe_tasks(struct session *session, void *context, char *text, size_t size)
{
    (void)session;
    (void)context;
    snprintf(text, size, "the image, which never ends");
}

/* --- The report --- */

static enum cli_exit report_tasks_json(struct session *session, const char *path,
                                       enum cli_exit exit)
{
    json_t *result = session_json(session, exit);
    json_object_set_new(result, "image", json_text(path));
    json_set_count(result, "tiles", session->options->tiles);
    json_object_set_new(result, "units", units_json(session));
    json_object_set_new(
        result, "harts",
        session_harts_json(session, session->options->tile[0], (1u << PENROSE_HARTS) - 1));
    enum cli_exit written = output_json(session->cli, result);
    return exit ? exit : written;
}

static enum cli_exit report_tasks(struct session *session, const char *path, enum cli_exit exit)
{
    const struct machine_options *options = session->options;
    if (session->cli->json) {
        return report_tasks_json(session, path, exit);
    }
    printf("%s: %s on %u %s after %" PRIu64 " cycles (host time: %.1f ms loading, %.1f ms "
           "running)\n",
           path, exit ? cli_exit_name(exit) : "still at work", options->tiles,
           options->tiles == 1 ? "tile" : "tiles", session_cycles(session), session->loading_ms,
           session->running_ms);
    units_print(session, session_cycles(session));
    if (options->tiles > 1) {
        printf("tile (%u, %u):\n", options->tile[0].x, options->tile[0].y);
    }
    session_print_harts(session, options->tile[0], (1u << PENROSE_HARTS) - 1, false);
    return exit;
}

enum cli_exit ttx_run(struct cli *cli, struct machine_options *machine, const char *path,
                      unsigned workers)
{
    struct session session;
    struct loader_writes writes = {0};
    struct penrose_error error;
    const struct goal goal = {.reached = never, .describe = describe_tasks, .is_endless = true};
    if (loader_ttx_read(path, cli->kind->arch->l1_bytes[PENROSE_TILE_TENSIX], &writes, &error) !=
        PENROSE_OK) {
        return complain(cli, "%s", error.text);
    }
    enum cli_exit exit = session_open(&session, cli, machine);
    exit = exit ? exit : session_add_workers(&session, machine, workers);
    exit = exit ? exit : load_tasks(&session, &writes);
    exit = exit ? exit : session_run(&session, &goal);
    if (exit != CLI_REFUSED) {
        exit = report_tasks(&session, path, exit);
    }
    loader_writes_free(&writes);
    return session_close(&session, exit);
}
