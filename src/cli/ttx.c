/* See ttx.h. Loading and starting as tt-burnin does it: all harts into reset, the image into L1 of
 * each tile, all harts but NCRISC out of reset. */
#include "cli/ttx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/debug.h>

#include "cli/output.h"
#include "cli/session.h"
#include "loader/ttx.h"
#include "tile/tile.h"

/* All instructions of a unit on all tiles, by thread, and which there were most of. */
struct unit_work {
    const char *unit, *most;
    uint64_t executed[PENROSE_TENSIX_THREADS], most_times;
};

enum { MOST_UNITS = 16 };

struct work {
    struct unit_work unit[MOST_UNITS];
    unsigned units;
};

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

static enum cli_exit load(struct session *session, const struct loader_writes *writes)
{
    struct penrose_error error;
    double start = host_milliseconds();
    enum cli_exit exit = CLI_DONE;
    if (penrose_tensix_counting(session->chip, true, &error) != PENROSE_OK) {
        exit = complain(session->cli, "%s", error.text);
    }
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

static void describe(struct session *session, void *context, char *text, size_t size)
{
    (void)session;
    (void)context;
    snprintf(text, size, "the image, which never ends");
}

/* --- What the units did --- */

static struct unit_work *work_of(struct work *work, const char *unit)
{
    for (unsigned i = 0; i < work->units; i++) {
        if (strcmp(work->unit[i].unit, unit) == 0) {
            return &work->unit[i];
        }
    }
    work->units += work->units + 1 < MOST_UNITS;
    struct unit_work *added = &work->unit[work->units - 1];
    *added = (struct unit_work){.unit = unit};
    return added;
}

static uint64_t sum_of(const uint64_t executed[PENROSE_TENSIX_THREADS])
{
    return executed[0] + executed[1] + executed[2];
}

static int by_work(const void *a, const void *b)
{
    uint64_t x = sum_of(((const struct unit_work *)a)->executed);
    uint64_t y = sum_of(((const struct unit_work *)b)->executed);
    return (x < y) - (x > y);
}

static void sum_up(struct session *session, struct work *work)
{
    *work = (struct work){.units = 0};
    for (unsigned i = 0; i < session->options->tiles; i++) {
        struct penrose_place tile = session->options->tile[i];
        struct penrose_tensix_count count;
        for (size_t at = 0; penrose_tensix_count_get(session->chip, tile.x, tile.y, at, &count);
             at++) {
            struct unit_work *unit = work_of(work, count.unit);
            uint64_t times = sum_of(count.executed);
            for (unsigned thread = 0; thread < PENROSE_TENSIX_THREADS; thread++) {
                unit->executed[thread] += count.executed[thread];
            }
            if (times > unit->most_times) { /* on one tile */
                unit->most = count.mnemonic;
                unit->most_times = times;
            }
        }
    }
    qsort(work->unit, work->units, sizeof work->unit[0], by_work);
}

/* --- The report --- */

static enum cli_exit report_json(struct session *session, const char *path, const struct work *work,
                                 enum cli_exit exit)
{
    json_t *result = session_json(session, exit), *units = json_array();
    for (unsigned i = 0; i < work->units; i++) {
        const struct unit_work *unit = &work->unit[i];
        json_t *object = json_object(), *threads = json_array();
        for (unsigned thread = 0; thread < PENROSE_TENSIX_THREADS; thread++) {
            json_array_append_new(threads, json_integer((json_int_t)unit->executed[thread]));
        }
        json_object_set_new(object, "unit", json_string(unit->unit));
        json_object_set_new(object, "executed", threads);
        json_object_set_new(object, "most", json_string(unit->most));
        json_array_append_new(units, object);
    }
    json_object_set_new(result, "image", json_string(path));
    json_set_count(result, "tiles", session->options->tiles);
    json_object_set_new(result, "units", units);
    json_object_set_new(
        result, "harts",
        session_harts_json(session, session->options->tile[0], (1u << PENROSE_HARTS) - 1));
    enum cli_exit written = output_json(session->cli, result);
    return exit ? exit : written;
}

static void print_units(const struct session *session, const struct work *work)
{
    double tile_cycles =
        (double)(penrose_now(session->chip) - session->opened_at) * session->options->tiles;
    printf("  %-9s %14s %14s %14s  %s\n", "unit", "from trisc0", "from trisc1", "from trisc2",
           "instructions per cycle and tile, most of them");
    for (unsigned i = 0; i < work->units; i++) {
        const struct unit_work *unit = &work->unit[i];
        printf("  %-9s %14" PRIu64 " %14" PRIu64 " %14" PRIu64 "  %.4f %s\n", unit->unit,
               unit->executed[0], unit->executed[1], unit->executed[2],
               tile_cycles > 0 ? (double)sum_of(unit->executed) / tile_cycles : 0, unit->most);
    }
}

static enum cli_exit report(struct session *session, const char *path, enum cli_exit exit)
{
    const struct machine_options *options = session->options;
    struct work work;
    sum_up(session, &work);
    if (session->cli->json) {
        return report_json(session, path, &work, exit);
    }
    printf("%s: %s on %u %s after %" PRIu64 " cycles (host time: %.1f ms loading, %.1f ms "
           "running)\n",
           path, exit ? cli_exit_name(exit) : "still at work", options->tiles,
           options->tiles == 1 ? "tile" : "tiles", penrose_now(session->chip) - session->opened_at,
           session->loading_ms, session->running_ms);
    print_units(session, &work);
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
    const struct goal goal = {.reached = never, .describe = describe, .is_endless = true};
    if (loader_ttx_read(path, TILE_L1_BYTES, &writes, &error) != PENROSE_OK) {
        return complain(cli, "%s", error.text);
    }
    enum cli_exit exit = session_open(&session, cli, machine);
    exit = exit ? exit : session_add_workers(&session, machine, workers);
    exit = exit ? exit : load(&session, &writes);
    exit = exit ? exit : session_run(&session, &goal);
    if (exit != CLI_REFUSED) {
        exit = report(&session, path, exit);
    }
    loader_writes_free(&writes);
    return session_close(&session, exit);
}
