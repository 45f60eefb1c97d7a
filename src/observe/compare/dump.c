/* Reading dumps; see dump.h. */
#include "observe/compare/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "loader/elf_internal.h"
#include "observe/dump/dump.h"

enum { MOST_TILES = 4096, MOST_PLACE = 4096 };

static const char manifest_name[] = "manifest.json";

static enum penrose_status refuse_dump(const struct compare_dump *dump, struct penrose_error *error,
                                       const char *what)
{
    char label[LOADER_NPY_LABEL];
    return error_set(error, PENROSE_E_FORMAT, "%s/%s: %s",
                     loader_quote(label, sizeof label, dump->path), manifest_name, what);
}

/* --- The manifest --- */

static enum penrose_status check_part(const struct compare_dump *dump, const char *tile,
                                      const char *name, const json_t *part,
                                      struct penrose_error *error)
{
    const json_t *file = json_object_get(part, "file");
    char text[300], quoted[64], path[128];
    loader_quote(quoted, sizeof quoted, name);
    if (!json_is_object(part) || (file && !json_is_string(file))) {
        snprintf(text, sizeof text, "part '%s' of tile %s is not an object with a file", quoted,
                 tile);
        return refuse_dump(dump, error, text);
    }
    if (file && !dump_is_inside(json_string_value(file))) {
        snprintf(text, sizeof text,
                 "part '%s' of tile %s is in the file '%s', which is not in the dump's folder",
                 quoted, tile, loader_quote(path, sizeof path, json_string_value(file)));
        return refuse_dump(dump, error, text);
    }
    return PENROSE_OK;
}

static bool take_place(const json_t *object, const char *member, unsigned *value)
{
    const json_t *number = json_object_get(object, member);
    bool is_good = json_is_integer(number) && json_integer_value(number) >= 0 &&
                   json_integer_value(number) < MOST_PLACE;
    *value = is_good ? (unsigned)json_integer_value(number) : 0;
    return is_good;
}

static enum penrose_status take_tile(struct compare_dump *dump, const json_t *object,
                                     struct penrose_error *error)
{
    struct compare_tile tile = {.parts = json_object_get(object, "parts"),
                                .l1_map = json_object_get(object, "l1_map")};
    if (!take_place(object, "x", &tile.x) || !take_place(object, "y", &tile.y) ||
        !json_is_object(tile.parts) || (tile.l1_map && !json_is_array(tile.l1_map))) {
        return refuse_dump(dump, error, "a tile has x, y and an object 'parts'");
    }
    snprintf(tile.name, sizeof tile.name, "%u-%u", tile.x, tile.y);
    if (compare_dump_tile(dump, tile.x, tile.y)) {
        return refuse_dump(dump, error, "two entries of 'tiles' are the same tile");
    }
    const char *name;
    json_t *part;
    enum penrose_status status = PENROSE_OK;
    json_object_foreach(tile.parts, name, part)
    {
        status = status ? status : check_part(dump, tile.name, name, part, error);
    }
    dump->tile[dump->tiles++] = tile;
    return status;
}

static enum penrose_status take_manifest(struct compare_dump *dump, struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    const json_t *tiles = json_object_get(dump->manifest, "tiles");
    if (!json_array_size(tiles) || json_array_size(tiles) > MOST_TILES) {
        return refuse_dump(dump, error, "it has no tiles, or too many");
    }
    dump->tile = calloc(json_array_size(tiles), sizeof *dump->tile);
    if (!dump->tile) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to read %s", dump->path);
    }
    for (size_t i = 0; i < json_array_size(tiles) && !status; i++) {
        status = take_tile(dump, json_array_get(tiles, i), error);
    }
    return status;
}

enum penrose_status compare_dump_open(const char *path, struct compare_dump *dump,
                                      struct penrose_error *error)
{
    *dump = (struct compare_dump){.path = strdup(path)};
    enum penrose_status status =
        dump->path ? dump_read_manifest(path, &dump->manifest, error)
                   : error_set(error, PENROSE_E_MEMORY, "no memory to read %s", path);
    status = status ? status : take_manifest(dump, error);
    if (status) {
        compare_dump_close(dump);
    }
    return status;
}

void compare_dump_close(struct compare_dump *dump)
{
    json_decref(dump->manifest);
    free(dump->tile);
    free(dump->path);
    *dump = (struct compare_dump){0};
}

/* --- What is in it --- */

const char *compare_dump_text(const struct compare_dump *dump, const char *member)
{
    const char *text = json_string_value(json_object_get(dump->manifest, member));
    return text ? text : "";
}

const struct compare_tile *compare_dump_tile(const struct compare_dump *dump, unsigned x,
                                             unsigned y)
{
    for (size_t i = 0; i < dump->tiles; i++) {
        if (dump->tile[i].x == x && dump->tile[i].y == y) {
            return &dump->tile[i];
        }
    }
    return NULL;
}

json_t *compare_tile_part(const struct compare_tile *tile, const char *name)
{
    json_t *part = json_object_get(tile->parts, name);
    return json_object_get(part, "file") ? part : NULL;
}

const char *compare_tile_missing(const struct compare_tile *tile, const char *name)
{
    const json_t *part = json_object_get(tile->parts, name);
    const char *reason = json_string_value(json_object_get(part, "missing"));
    return !part || json_object_get(part, "file") ? NULL : reason ? reason : "it could not be had";
}

bool compare_part_is_array(const json_t *part)
{
    const char *file = json_string_value(json_object_get(part, "file"));
    size_t length = file ? strlen(file) : 0;
    return length > 4 && strcmp(file + length - 4, ".npy") == 0;
}

enum penrose_status compare_part_array(const struct compare_dump *dump, const json_t *part,
                                       struct loader_npy *array, struct penrose_error *error)
{
    const char *file = json_string_value(json_object_get(part, "file"));
    return dump_read_array(dump->path, file, array, error);
}

enum penrose_status compare_part_json(const struct compare_dump *dump, const json_t *part,
                                      json_t **json, struct penrose_error *error)
{
    const char *file = json_string_value(json_object_get(part, "file"));
    return dump_read_json(dump->path, file, json, error); /* which is an object or an array */
}
