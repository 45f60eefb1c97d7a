/* Reading dumps; see read.h. What is read was perhaps written by somebody else: names, types and sizes
 * are checked, and what is not understood is passed over. */
#include "observe/dump/read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/error.h"
#include "loader/elf_internal.h"

enum { MOST_TILES = 4096, MOST_PLACE = 64 };

const char dump_manifest_name[] = "manifest.json";

/* --- Files --- */

bool dump_path(char path[PATH_MAX], const char *directory, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

enum penrose_status dump_path_too_long(struct penrose_error *error, const char *directory)
{
    return error_set(error, PENROSE_E_FILE, "%.200s: the path is too long", directory);
}

/* "1-2" */
static bool is_tile_folder(const char *name)
{
    size_t x = strspn(name, "0123456789");
    size_t y = name[x] == '-' ? strspn(name + x + 1, "0123456789") : 0;
    return x && y && !name[x + 1 + y];
}

bool dump_is_cut(const char *directory)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    bool has_tiles = false;
    DIR *folder = dump_path(path, directory, dump_manifest_name) && access(path, F_OK) != 0
                      ? opendir(directory)
                      : NULL;
    while (folder && !has_tiles && (entry = readdir(folder))) {
        has_tiles =
            is_tile_folder(entry->d_name) || strcmp(entry->d_name, "manifest.json.part") == 0;
    }
    if (folder) {
        closedir(folder);
    }
    return has_tiles;
}

static enum penrose_status refuse_manifest(struct penrose_error *error, const char *path,
                                           const char *why)
{
    return error_set(error, PENROSE_E_FORMAT, "%s: %s", path, why);
}

/* Is this the name of a file in a dump: relative, and without ".."? */
static bool is_inside(const char *file)
{
    if (!*file || *file == '/') {
        return false;
    }
    for (const char *at = file; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2])) {
            return false;
        }
    }
    return true;
}

/* Opens it folder by folder, none of which may be a link. -1 and errno. */
static int open_inside(const char *directory, const char *file)
{
    int at = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t length; at >= 0 && *file; file += length + strspn(file + length, "/")) {
        char name[NAME_MAX + 1];
        length = strcspn(file, "/");
        snprintf(name, sizeof name, "%.*s", (int)(length < NAME_MAX ? length : NAME_MAX), file);
        int next = openat(at, name,
                          O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
                              (file[length] ? O_DIRECTORY : 0));
        int reason = errno;
        close(at);
        errno = reason;
        at = next;
    }
    return at;
}

/* Reads a file of a dump, whose name is_inside, into *bytes, to be freed. Nothing on the way to it may be
 * a link, and it must be a regular file, so that a dump from elsewhere shows nothing but what came
 * with it. */
static enum penrose_status read_dump_file(const char *directory, const char *file,
                                          const char *expected, uint8_t **bytes, size_t *size,
                                          struct penrose_error *error)
{
    char path[PATH_MAX], label[LOADER_NPY_LABEL];
    *bytes = NULL;
    if (!dump_path(path, directory, file)) {
        return dump_path_too_long(error, directory);
    }
    loader_quote(label, sizeof label, path);
    int descriptor = open_inside(directory, file);
    if (descriptor < 0) {
        bool is_link = errno == ELOOP || errno == ENOTDIR;
        return error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", label,
                         is_link ? "it is a link, or behind one, and a dump has none"
                                 : strerror(errno));
    }
    enum penrose_status status =
        loader_descriptor_read(descriptor, label, expected, bytes, size, error);
    close(descriptor);
    return status;
}

static enum penrose_status read_dump_json(const char *directory, const char *file, json_t **json,
                                          struct penrose_error *error)
{
    json_error_t reason;
    uint8_t *bytes;
    size_t size;
    *json = NULL;
    enum penrose_status status = read_dump_file(directory, file, "JSON", &bytes, &size, error);
    if (status == PENROSE_OK) {
        *json = json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, &reason);
        if (!*json) {
            char label[LOADER_NPY_LABEL], text[JSON_ERROR_TEXT_LENGTH];
            loader_quote(label, sizeof label, file);
            loader_quote(text, sizeof text, reason.text);
            status = error_set(error, PENROSE_E_FORMAT, "%s/%s:%d: %s; the dump is damaged",
                               directory, label, reason.line, text);
        }
    }
    free(bytes);
    return status;
}

static enum penrose_status read_dump_array(const char *directory, const char *file,
                                           struct loader_npy *array, struct penrose_error *error)
{
    char path[PATH_MAX];
    uint8_t *bytes;
    size_t size;
    *array = (struct loader_npy){0};
    enum penrose_status status =
        read_dump_file(directory, file, "a .npy file", &bytes, &size, error);
    if (status == PENROSE_OK) {
        (void)dump_path(path, directory, file);
        status = loader_npy_parse(bytes, size, path, array, error);
    }
    free(bytes);
    return status;
}

static enum penrose_status check_manifest(const char *path, const json_t *manifest,
                                          struct penrose_error *error)
{
    const char *format = json_string_value(json_object_get(manifest, "format"));
    const json_t *version = json_object_get(manifest, "version");
    if (!format || strcmp(format, "penrose-dump") != 0) {
        return refuse_manifest(error, path, "its format is not \"penrose-dump\": this is no dump");
    }
    if (!json_is_integer(version) || json_integer_value(version) < 1) {
        return refuse_manifest(error, path, "its version is no number from 1 on");
    }
    if (json_integer_value(version) > DUMP_VERSION) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: a dump of version %lld; this program reads versions up to %d", path,
                         (long long)json_integer_value(version), DUMP_VERSION);
    }
    return json_is_array(json_object_get(manifest, "tiles"))
               ? PENROSE_OK
               : refuse_manifest(error, path, "it has no array of tiles");
}

enum penrose_status dump_read_manifest(const char *directory, json_t **manifest,
                                       struct penrose_error *error)
{
    char path[PATH_MAX];
    *manifest = NULL;
    if (dump_is_cut(directory)) {
        return error_set(
            error, PENROSE_E_FORMAT,
            "%.200s: a dump that was cut off while it was written: it has tiles, but no "
            "%s",
            directory, dump_manifest_name);
    }
    enum penrose_status status = read_dump_json(directory, dump_manifest_name, manifest, error);
    if (status == PENROSE_OK) {
        (void)dump_path(path, directory, dump_manifest_name);
        status = check_manifest(path, *manifest, error);
    }
    if (status != PENROSE_OK) {
        json_decref(*manifest);
        *manifest = NULL;
    }
    return status;
}

static enum penrose_status refuse_dump(const struct dump_files *dump, struct penrose_error *error,
                                       const char *what)
{
    char label[LOADER_NPY_LABEL];
    return error_set(error, PENROSE_E_FORMAT, "%s/%s: %s",
                     loader_quote(label, sizeof label, dump->path), dump_manifest_name, what);
}

/* --- The manifest --- */

static enum penrose_status check_part(const struct dump_files *dump, const char *tile,
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
    if (file && !is_inside(json_string_value(file))) {
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

static enum penrose_status take_tile(struct dump_files *dump, json_t *object,
                                     struct penrose_error *error)
{
    struct dump_files_tile tile = {.about = object,
                                   .parts = json_object_get(object, "parts"),
                                   .l1_map = json_object_get(object, "l1_map")};
    if (!take_place(object, "x", &tile.x) || !take_place(object, "y", &tile.y) ||
        !json_is_object(tile.parts) || (tile.l1_map && !json_is_array(tile.l1_map))) {
        char text[120];
        snprintf(text, sizeof text, "tile number %zu has no parts, or no coordinates from 0 to 63",
                 dump->tiles);
        return refuse_dump(dump, error, text);
    }
    snprintf(tile.name, sizeof tile.name, "%u-%u", tile.x, tile.y);
    if (dump_tile_at(dump, tile.x, tile.y)) {
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

static enum penrose_status take_manifest(struct dump_files *dump, struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    const json_t *tiles = json_object_get(dump->manifest, "tiles");
    if (json_array_size(tiles) > MOST_TILES) {
        return refuse_dump(dump, error, "it has too many tiles");
    }
    dump->tile = calloc(json_array_size(tiles) + 1, sizeof *dump->tile);
    if (!dump->tile) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to read %s", dump->path);
    }
    for (size_t i = 0; i < json_array_size(tiles) && !status; i++) {
        status = take_tile(dump, json_array_get(tiles, i), error);
    }
    return status;
}

enum penrose_status dump_open(const char *path, struct dump_files *dump,
                              struct penrose_error *error)
{
    *dump = (struct dump_files){.path = strdup(path)};
    enum penrose_status status =
        dump->path ? dump_read_manifest(path, &dump->manifest, error)
                   : error_set(error, PENROSE_E_MEMORY, "no memory to read %s", path);
    status = status ? status : take_manifest(dump, error);
    if (status) {
        dump_close(dump);
    }
    return status;
}

void dump_close(struct dump_files *dump)
{
    json_decref(dump->manifest);
    free(dump->tile);
    free(dump->path);
    *dump = (struct dump_files){0};
}

/* --- What is in it --- */

const char *dump_text(const struct dump_files *dump, const char *member)
{
    const char *text = json_string_value(json_object_get(dump->manifest, member));
    return text ? text : "";
}

const struct dump_files_tile *dump_tile_at(const struct dump_files *dump, unsigned x, unsigned y)
{
    for (size_t i = 0; i < dump->tiles; i++) {
        if (dump->tile[i].x == x && dump->tile[i].y == y) {
            return &dump->tile[i];
        }
    }
    return NULL;
}

json_t *dump_tile_part(const struct dump_files_tile *tile, const char *name)
{
    json_t *part = json_object_get(tile->parts, name);
    return json_object_get(part, "file") ? part : NULL;
}

const char *dump_tile_missing(const struct dump_files_tile *tile, const char *name)
{
    const json_t *part = json_object_get(tile->parts, name);
    const char *reason = json_string_value(json_object_get(part, "missing"));
    return !part || json_object_get(part, "file") ? NULL : reason ? reason : "it could not be had";
}

bool dump_part_is_array(const json_t *part)
{
    const char *file = json_string_value(json_object_get(part, "file"));
    size_t length = file ? strlen(file) : 0;
    return length > 4 && strcmp(file + length - 4, ".npy") == 0;
}

enum penrose_status dump_part_array(const struct dump_files *dump, const json_t *part,
                                    struct loader_npy *array, struct penrose_error *error)
{
    const char *file = json_string_value(json_object_get(part, "file"));
    return read_dump_array(dump->path, file, array, error);
}

enum penrose_status dump_part_json(const struct dump_files *dump, const json_t *part, json_t **json,
                                   struct penrose_error *error)
{
    const char *file = json_string_value(json_object_get(part, "file"));
    return read_dump_json(dump->path, file, json, error); /* which is an object or an array */
}

/* --- Whole tiles --- */

/* The shape that the manifest names, if it goes with the array; its own, of two dimensions, if the
 * manifest has none. */
static bool take_shape(struct dump_part *part, const json_t *shape)
{
    uint64_t count = (uint64_t)part->array.rows * part->array.columns, product = 1;
    size_t dimensions = json_array_size(shape);
    if (!shape) {
        part->shape[0] = part->array.rows;
        part->shape[1] = part->array.columns;
        part->dimensions = 2;
        return true;
    }
    if (!dimensions || dimensions > DUMP_DIMENSIONS) {
        return false;
    }
    for (size_t i = 0; i < dimensions; i++) {
        json_int_t length = json_integer_value(json_array_get(shape, i));
        if (length < 1 || (uint64_t)length > count) {
            return false;
        }
        part->shape[i] = (uint32_t)length;
        product *= (uint64_t)length;
        if (product > count) {
            return false;
        }
    }
    part->dimensions = (unsigned)dimensions;
    return product == count;
}

static enum penrose_status read_part(const char *directory, const char *file,
                                     struct dump_part *part, struct penrose_error *error)
{
    size_t length = strlen(file);
    if (length > 5 && strcmp(file + length - 5, ".json") == 0) {
        return read_dump_json(directory, file, &part->json, error);
    }
    enum penrose_status status = read_dump_array(directory, file, &part->array, error);
    if (status == PENROSE_OK && !take_shape(part, json_object_get(part->about, "shape"))) {
        status =
            error_set(error, PENROSE_E_FORMAT,
                      "%s/%s: its shape is not the one that manifest.json names", directory, file);
    }
    return status;
}

/* The group that a part is in, by how its name begins; a part that nobody here knows is in all. */
static unsigned group_of_part(const char *name)
{
    static const struct {
        const char *begin;
        unsigned group;
    } known[] = {
        {"tile", DUMP_TILE},        {"harts", DUMP_HARTS},   {"l1", DUMP_MEMORY},
        {"local_", DUMP_MEMORY},    {"gpr", DUMP_TENSIX},    {"gates", DUMP_TENSIX},
        {"tensix", DUMP_TENSIX},    {"config", DUMP_CONFIG}, {"thread_config", DUMP_CONFIG},
        {"dst", DUMP_DST},          {"src", DUMP_SRC},       {"lregs", DUMP_LREGS},
        {"circular", DUMP_BUFFERS}, {"cb_", DUMP_BUFFERS},   {"noc", DUMP_NOC},
        {"streams", DUMP_STREAMS},  {"gddr_", DUMP_GDDR}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strncmp(name, known[i].begin, strlen(known[i].begin)) == 0) {
            return known[i].group;
        }
    }
    return DUMP_ALL;
}

static enum penrose_status read_parts(const char *directory, const json_t *parts, unsigned groups,
                                      struct dump_tile *tile, struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    const char *name;
    json_t *about;
    tile->part = calloc(json_object_size(parts) + 1, sizeof *tile->part);
    if (!tile->part) {
        return error_set(error, PENROSE_E_MEMORY, "%s: no memory to read it", directory);
    }
    json_object_foreach((json_t *)(uintptr_t)parts, name, about)
    {
        const char *file = json_string_value(json_object_get(about, "file"));
        bool is_wanted = (group_of_part(name) & groups) == group_of_part(name);
        if (!file || !is_wanted || strlen(name) >= DUMP_NAME) { /* missing, unknown, not wanted */
            continue;
        }
        struct dump_part *part = &tile->part[tile->parts++];
        part->about = json_incref(about);
        snprintf(part->name, sizeof part->name, "%s", name);
        status = read_part(directory, file, part, error);
        if (status != PENROSE_OK) {
            break;
        }
    }
    return status;
}

enum penrose_status dump_read_tile(const struct dump_files *dump, size_t index, unsigned groups,
                                   struct dump_tile *tile, struct penrose_error *error)
{
    const struct dump_files_tile *entry = &dump->tile[index];
    *tile = (struct dump_tile){.x = entry->x, .y = entry->y, .about = json_incref(entry->about)};
    return read_parts(dump->path, entry->parts, groups, tile, error);
}
