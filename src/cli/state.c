/* Snapshots and dumps; see state.h. */
#include "cli/state.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <penrose/metal.h>

#include "api/api.h"
#include "chip/snapshot_format.h"
#include "observe/inside.h"
#include "cli/output.h"
#include "isa/json_text.h"

enum { MOST_SHOWN = 16 /* tiles whose harts are listed */ };

enum state_kind state_kind(const char *path)
{
    char manifest[PATH_MAX], magic[sizeof snapshot_magic];
    struct stat status;
    if (stat(path, &status) != 0) {
        return STATE_NONE;
    }
    if (S_ISDIR(status.st_mode)) {
        bool fits =
            snprintf(manifest, sizeof manifest, "%s/manifest.json", path) < (int)sizeof manifest;
        bool is_dump = fits && stat(manifest, &status) == 0;
        return is_dump || dump_is_cut(path) ? STATE_DUMP : STATE_NONE;
    }
    FILE *file = S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
    bool is_snapshot = file && fread(magic, sizeof magic, 1, file) == 1 &&
                       memcmp(magic, snapshot_magic, sizeof magic) == 0;
    if (file) {
        fclose(file);
    }
    return is_snapshot ? STATE_SNAPSHOT : STATE_NONE;
}

/* --- Opening --- */

enum cli_exit state_choose(const struct cli *cli, const char *path, unsigned number,
                           struct penrose_chip **chip)
{
    const struct penrose_cluster *cluster = penrose_chip_cluster(*chip, NULL);
    struct penrose_chip *chosen = penrose_cluster_chip(cluster, number);
    *chip = chosen ? chosen : *chip;
    return chosen ? CLI_DONE
           : cluster->chips == 1
               ? complain(cli, "--chip: %s has one chip, which is chip 0", path)
               : complain(cli, "--chip: %s has chips 0 to %u", path, cluster->chips - 1);
}

static enum cli_exit open_snapshot(struct state *state, unsigned chip)
{
    struct penrose_error error;
    struct tile_facts tile;
    unsigned next = 0;
    if (penrose_snapshot_load(NULL, state->path, &state->chip, &error) != PENROSE_OK) {
        return complain(state->cli, "%s", error.text);
    }
    enum cli_exit exit = state_choose(state->cli, state->path, chip, &state->chip);
    if (exit) {
        return exit;
    }
    state->manifest = inside(state->chip)->dump_manifest(state->chip, "snapshot", state->path);
    while (chip_calls_of(state->chip)->next_tile(state->chip, &next, &tile)) {
        state->tile[state->tiles] = (struct penrose_place){tile.x, tile.y};
        state->tiles++;
    }
    return state->manifest ? CLI_DONE : complain(state->cli, "%s: no memory", state->path);
}

static enum cli_exit open_dump(struct state *state)
{
    const struct dump_files *files = &state->files;
    struct penrose_error error;
    if (dump_open(state->path, &state->files, &error) != PENROSE_OK) {
        return complain(state->cli, "%s", error.text);
    }
    state->manifest = json_incref(files->manifest);
    for (size_t i = 0; i < files->tiles; i++) { /* no two are the same */
        state->tile[state->tiles++] = (struct penrose_place){files->tile[i].x, files->tile[i].y};
    }
    return CLI_DONE;
}

enum cli_exit state_open(const struct cli *cli, const char *path, unsigned chip,
                         struct state **state)
{
    struct stat status;
    *state = calloc(1, sizeof **state);
    if (!*state) {
        return complain(cli, "%s: no memory", path);
    }
    (*state)->cli = cli;
    (*state)->path = path;
    (*state)->kind = state_kind(path);
    switch ((*state)->kind) {
    case STATE_SNAPSHOT:
        return open_snapshot(*state, chip);
    case STATE_DUMP:
        return chip ? complain(cli, "--chip: %s is a dump, and a dump is of one chip", path)
                    : open_dump(*state);
    case STATE_NONE:
        break;
    }
    return stat(path, &status) != 0
               ? complain(cli, "%s: there is no such file or folder", path)
               : complain(cli,
                          "%s: neither a snapshot (--save-snapshot) nor the folder of a dump "
                          "(--dump-state)",
                          path);
}

void state_close(struct state *state)
{
    if (state) {
        json_decref(state->manifest);
        dump_close(&state->files);
        penrose_chip_destroy(state->chip);
        penrose_firmware_close(state->firmware);
    }
    free(state);
}

enum cli_exit state_set_firmware(struct state *state, const char *directory)
{
    struct penrose_error error;
    return state->cli->kind->firmware_open(directory, &state->firmware, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(state->cli, "--firmware: %s", error.text);
}

enum cli_exit state_tile(struct state *state, size_t index, unsigned groups, struct dump_tile *tile)
{
    struct penrose_error error;
    enum penrose_status status = state->chip
                                     ? inside(state->chip)
                                           ->dump_collect(state->chip, state->tile[index], groups,
                                                          state->firmware, tile, &error)
                                     : dump_read_tile(&state->files, index, groups, tile, &error);
    if (!state->chip) {
        const struct chip_calls *kind = api_chip_of_name(dump_text(&state->files, "chip"));
        tile->kind = kind ? kind : state->cli->kind;
    }
    return status == PENROSE_OK ? CLI_DONE : complain(state->cli, "%s", error.text);
}

/* --- What it is --- */

static const char *text_at(const json_t *object, const char *name, const char *other)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : other;
}

static uint64_t number_at(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

static void print_what(const struct state *state)
{
    const json_t *manifest = state->manifest, *why = json_object_get(manifest, "reason");
    const json_t *producer = json_object_get(manifest, "producer"), *fault;
    size_t i;
    printf("%s: %s of %s, card %s", state->path,
           state->kind == STATE_DUMP ? "a dump" : "a snapshot",
           text_at(manifest, "chip", "an unknown chip"), text_at(manifest, "card", "unknown"));
    if (json_object_get(manifest, "chip_number")) {
        printf(", chip %" PRIu64, number_at(manifest, "chip_number"));
    }
    if (state->chip && cluster_of(state->chip)->chips > 1) {
        printf(" of %u (penrose state --chip N shows others)", cluster_of(state->chip)->chips);
    }
    printf(", at cycle %" PRIu64 "\n", number_at(manifest, "cycle"));
    if (state->kind == STATE_DUMP) {
        printf("  written by    %s %s, from %s\n", text_at(producer, "name", "an unknown program"),
               text_at(producer, "version", ""), text_at(manifest, "source", "an unknown source"));
        printf("  made for      %s%s%s\n", text_at(why, "kind", "unknown"),
               *text_at(why, "text", "") ? ": " : "", text_at(why, "text", ""));
    }
    printf("  state hash    %s\n", text_at(manifest, "state_hash", "unknown"));
    json_array_foreach(json_object_get(manifest, "faults"), i, fault)
    {
        printf("  fault         %s of (%" PRIu64 ", %" PRIu64 ") %s, cycle %" PRIu64 ": %s\n",
               text_at(fault, "kind", "?"), number_at(fault, "x"), number_at(fault, "y"),
               text_at(fault, "hart", "?"), number_at(fault, "cycle"), text_at(fault, "rule", ""));
    }
    printf("  tiles         %zu\n", state->tiles);
}

static void print_harts(const struct dump_tile *tile)
{
    const struct dump_part *harts = dump_find(tile, "harts");
    const json_t *hart;
    size_t i;
    printf("tile (%u, %u), %s\n", tile->x, tile->y, text_at(tile->about, "kind", "unknown"));
    json_array_foreach(json_object_get(tile->about, "harts"), i, hart)
    {
        const char *name = json_string_value(hart);
        char state[64], pc[64], retired[64];
        if (!name || !harts) {
            continue;
        }
        snprintf(state, sizeof state, "%.32s.state", name);
        snprintf(pc, sizeof pc, "%.32s.pc", name);
        snprintf(retired, sizeof retired, "%.32s.minstret", name);
        printf("  %-7s %-8s %12" PRIu64 " instructions  pc 0x%08" PRIx64 "\n", name,
               text_at(harts->json, state, "?"), number_at(harts->json, retired),
               number_at(harts->json, pc));
    }
}

enum cli_exit state_print(struct state *state)
{
    enum cli_exit exit = CLI_DONE;
    print_what(state);
    for (size_t i = 0; i < state->tiles && i < MOST_SHOWN && !exit; i++) {
        struct dump_tile tile;
        exit = state_tile(state, i, DUMP_HARTS, &tile);
        if (!exit) {
            print_harts(&tile);
        }
        dump_tile_free(&tile);
    }
    if (!exit && state->tiles > MOST_SHOWN) {
        printf("and %zu more tiles\n", state->tiles - MOST_SHOWN);
    }
    return exit;
}

json_t *state_json(struct state *state)
{
    json_t *object = json_copy(state->manifest), *tiles = json_array();
    enum cli_exit exit = CLI_DONE;
    json_object_del(object, "volatile");
    json_object_set_new(object, "path", json_text(state->path));
    json_object_set_new(object, "kind", json_text(state->kind == STATE_DUMP ? "dump" : "snapshot"));
    for (size_t i = 0; i < state->tiles && !exit; i++) {
        struct dump_tile tile;
        exit = state_tile(state, i, DUMP_HARTS, &tile);
        if (!exit) {
            const struct dump_part *harts = dump_find(&tile, "harts");
            json_t *about = json_copy(tile.about);
            json_object_del(about, "parts");
            json_object_del(about, "l1_map");
            if (harts && harts->json) {
                json_object_set(about, "registers", harts->json);
            }
            json_array_append_new(tiles, about);
        }
        dump_tile_free(&tile);
    }
    json_object_set_new(object, "tiles", tiles);
    if (exit) {
        json_decref(object);
        return NULL;
    }
    return object;
}
