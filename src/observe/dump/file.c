/*
 * Dumps in files; see dump.h and docs/DUMPS.md.
 *
 * The manifest is removed first and written last, under another name that is changed when it is
 * complete: a folder with a manifest has all that it names. What is read was perhaps written by
 * somebody else: names, types and sizes are checked, and what is not understood is passed over.
 */
#include "observe/dump/dump.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/error.h"
#include "isa/json_text.h"
#include "loader/elf_internal.h"
#include "observe/dump/parts.h"

static const char manifest_name[] = "manifest.json";

static enum penrose_status file_error(struct penrose_error *error, const char *path,
                                      const char *what)
{
    return error_set(error, PENROSE_E_FILE, "%s: cannot be %s: %s", path, what, strerror(errno));
}

/* The path of a file in a folder; false where it is too long. */
static bool join(char path[PATH_MAX], const char *directory, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

static enum penrose_status too_long(struct penrose_error *error, const char *directory)
{
    return error_set(error, PENROSE_E_FILE, "%.200s: the path is too long", directory);
}

/* --- Writing --- */

static bool is_empty(DIR *folder)
{
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            return false;
        }
    }
    return true;
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
    DIR *folder =
        join(path, directory, manifest_name) && access(path, F_OK) != 0 ? opendir(directory) : NULL;
    while (folder && !has_tiles && (entry = readdir(folder))) {
        has_tiles =
            is_tile_folder(entry->d_name) || strcmp(entry->d_name, "manifest.json.part") == 0;
    }
    if (folder) {
        closedir(folder);
    }
    return has_tiles;
}

/* Does the folder above exist, so that this one can be made? */
static enum penrose_status check_parent(const char *directory, struct penrose_error *error)
{
    char parent[PATH_MAX];
    const char *end = directory + strlen(directory);
    while (end > directory && end[-1] == '/') {
        end--;
    }
    while (end > directory && end[-1] != '/') {
        end--;
    }
    int length = snprintf(parent, sizeof parent, "%.*s.", (int)(end - directory), directory);
    if (length >= PATH_MAX || access(parent, W_OK | X_OK) != 0) {
        return file_error(error, directory, "made");
    }
    return PENROSE_OK;
}

/* Is what is there a dump, which another one may replace? */
static bool has_dump(const char *directory)
{
    json_t *manifest;
    bool is_one = dump_read_manifest(directory, &manifest, NULL) == PENROSE_OK;
    json_decref(manifest);
    return is_one;
}

enum penrose_status dump_check_directory(const char *directory, struct penrose_error *error)
{
    DIR *folder = opendir(directory);
    if (!folder) {
        return errno == ENOENT ? check_parent(directory, error)
                               : file_error(error, directory, "opened as a folder");
    }
    bool is_free = is_empty(folder);
    closedir(folder);
    if (!is_free && !has_dump(directory)) {
        return error_set(error, PENROSE_E_FILE,
                         "%s: has something else than a dump in it; name another folder",
                         directory);
    }
    return access(directory, W_OK | X_OK) == 0 ? PENROSE_OK
                                               : file_error(error, directory, "written");
}

static enum penrose_status make_folder(const char *path, struct penrose_error *error)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? PENROSE_OK : file_error(error, path, "made");
}

/* A folder in the dump, which no link stands for. */
static enum penrose_status make_inner_folder(const char *path, struct penrose_error *error)
{
    struct stat state;
    if (mkdir(path, 0777) == 0 || (lstat(path, &state) == 0 && S_ISDIR(state.st_mode))) {
        return PENROSE_OK;
    }
    return file_error(error, path, "made");
}

int dump_create_file(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT) {
        return -1;
    }
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

enum penrose_status dump_begin(const char *directory, struct penrose_error *error)
{
    char path[PATH_MAX];
    if (!join(path, directory, manifest_name)) {
        return too_long(error, directory);
    }
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR) {
        return file_error(error, path, "replaced");
    }
    return make_folder(directory, error);
}

/* Long runs of zeros, which L1 is full of, take no room on disk. */
static bool write_sparse(int fd, const uint8_t *bytes, size_t size)
{
    enum { BLOCK = 4096 };
    static const uint8_t zeros[BLOCK];
    for (size_t at = 0; at < size;) {
        size_t length = size - at < BLOCK ? size - at : BLOCK;
        bool is_hole = length == BLOCK && memcmp(bytes + at, zeros, BLOCK) == 0;
        ssize_t done = is_hole ? (ssize_t)length : pwrite(fd, bytes + at, length, (off_t)at);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        at += (size_t)done;
    }
    return ftruncate(fd, (off_t)size) == 0;
}

static enum penrose_status write_file(const char *path, const void *bytes, size_t size,
                                      struct penrose_error *error)
{
    int fd = dump_create_file(path);
    if (fd < 0) {
        return file_error(error, path, "written");
    }
    bool is_written = write_sparse(fd, bytes, size);
    int reason = errno;
    if (close(fd) != 0 && is_written) {
        is_written = false;
        reason = errno;
    }
    errno = reason;
    return is_written ? PENROSE_OK : file_error(error, path, "written");
}

static enum penrose_status write_json(const char *path, const json_t *json,
                                      struct penrose_error *error)
{
    char *text = json_dumps(json, JSON_INDENT(1));
    if (!text) {
        return error_set(error, PENROSE_E_MEMORY, "%s: no memory to write it", path);
    }
    enum penrose_status status = write_file(path, text, strlen(text), error);
    free(text);
    return status;
}

static enum penrose_status write_array(const char *path, const struct dump_part *part,
                                       struct penrose_error *error)
{
    size_t size;
    uint8_t *bytes = loader_npy_format_as(&part->array, part->shape, part->dimensions, &size);
    if (!bytes) {
        return error_set(error, PENROSE_E_MEMORY, "%s: no memory to write it", path);
    }
    enum penrose_status status = write_file(path, bytes, size, error);
    free(bytes);
    return status;
}

static const char *dtype_of(const struct loader_npy *array, char text[16])
{
    static const char *const names[] = {[LOADER_NPY_BOOL] = "bool",
                                        [LOADER_NPY_FLOAT] = "float",
                                        [LOADER_NPY_SIGNED] = "int",
                                        [LOADER_NPY_UNSIGNED] = "uint"};
    if (array->kind == LOADER_NPY_BOOL) {
        return names[LOADER_NPY_BOOL];
    }
    snprintf(text, 16, "%s%u", names[array->kind], 8 * array->size);
    return text;
}

/* What the manifest has about a part in a file. */
static json_t *describe_part(const struct dump_part *part, const char *file)
{
    json_t *object = json_object();
    char dtype[16];
    json_object_set_new(object, "file", json_text(file));
    if (!part->json) {
        json_t *shape = json_array();
        for (unsigned i = 0; i < part->dimensions; i++) {
            json_array_append_new(shape, json_integer(part->shape[i]));
        }
        json_object_set_new(object, "dtype", json_text(dtype_of(&part->array, dtype)));
        json_object_set_new(object, "shape", shape);
    }
    json_object_update(object, part->about);
    return object;
}

enum penrose_status dump_write_tile(const char *directory, const struct dump_tile *tile,
                                    json_t *manifest, struct penrose_error *error)
{
    const char *folder = json_string_value(json_object_get(tile->about, "folder"));
    json_t *about = json_copy(tile->about), *parts = json_object();
    char path[PATH_MAX], file[2 * DUMP_NAME + 16];
    enum penrose_status status =
        join(path, directory, folder) ? make_inner_folder(path, error) : too_long(error, directory);
    for (unsigned i = 0; i < tile->parts && status == PENROSE_OK; i++) {
        const struct dump_part *part = &tile->part[i];
        snprintf(file, sizeof file, "%s/%s.%s", folder, part->name, part->json ? "json" : "npy");
        status = !join(path, directory, file) ? too_long(error, directory)
                 : part->json                 ? write_json(path, part->json, error)
                                              : write_array(path, part, error);
        json_object_set_new(parts, part->name, describe_part(part, file));
    }
    if (json_object_set_new(about, "parts", parts) != 0 ||
        json_array_append_new(json_object_get(manifest, "tiles"), about) != 0) {
        status = status == PENROSE_OK
                     ? error_set(error, PENROSE_E_MEMORY, "no memory for the manifest of a dump")
                     : status;
    }
    return status;
}

enum penrose_status dump_finish(const char *directory, const json_t *manifest,
                                struct penrose_error *error)
{
    char path[PATH_MAX], part[PATH_MAX];
    if (!join(path, directory, manifest_name) || !join(part, directory, "manifest.json.part")) {
        return too_long(error, directory);
    }
    enum penrose_status status = write_json(part, manifest, error);
    if (status == PENROSE_OK && rename(part, path) != 0) {
        status = file_error(error, path, "written");
    }
    return status;
}

/* --- Reading --- */

static enum penrose_status refuse_manifest(struct penrose_error *error, const char *path,
                                           const char *why)
{
    return error_set(error, PENROSE_E_FORMAT, "%s: %s", path, why);
}

bool dump_is_inside(const char *file)
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

enum penrose_status dump_read_file(const char *directory, const char *file, const char *expected,
                                   uint8_t **bytes, size_t *size, struct penrose_error *error)
{
    char path[PATH_MAX], label[LOADER_NPY_LABEL];
    *bytes = NULL;
    if (!join(path, directory, file)) {
        return too_long(error, directory);
    }
    loader_quote(label, sizeof label, path);
    if (!dump_is_inside(file)) {
        return refuse_manifest(error, label, "this is outside of the dump");
    }
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

enum penrose_status dump_read_json(const char *directory, const char *file, json_t **json,
                                   struct penrose_error *error)
{
    json_error_t reason;
    uint8_t *bytes;
    size_t size;
    *json = NULL;
    enum penrose_status status = dump_read_file(directory, file, "JSON", &bytes, &size, error);
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

enum penrose_status dump_read_array(const char *directory, const char *file,
                                    struct loader_npy *array, struct penrose_error *error)
{
    char path[PATH_MAX];
    uint8_t *bytes;
    size_t size;
    *array = (struct loader_npy){0};
    enum penrose_status status =
        dump_read_file(directory, file, "a .npy file", &bytes, &size, error);
    if (status == PENROSE_OK) {
        (void)join(path, directory, file);
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
            directory, manifest_name);
    }
    enum penrose_status status = dump_read_json(directory, manifest_name, manifest, error);
    if (status == PENROSE_OK) {
        (void)join(path, directory, manifest_name);
        status = check_manifest(path, *manifest, error);
    }
    if (status != PENROSE_OK) {
        json_decref(*manifest);
        *manifest = NULL;
    }
    return status;
}

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
        return dump_read_json(directory, file, &part->json, error);
    }
    enum penrose_status status = dump_read_array(directory, file, &part->array, error);
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
        if (!dump_is_inside(file)) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s/%s: part %s names the file '%.100s', which "
                             "is outside of the dump",
                             directory, manifest_name, name, file);
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

enum penrose_status dump_read_tile(const char *directory, const json_t *manifest, size_t index,
                                   unsigned groups, struct dump_tile *tile,
                                   struct penrose_error *error)
{
    json_t *about = json_array_get(json_object_get(manifest, "tiles"), index);
    json_int_t x = json_integer_value(json_object_get(about, "x"));
    json_int_t y = json_integer_value(json_object_get(about, "y"));
    const json_t *parts = json_object_get(about, "parts");
    *tile = (struct dump_tile){0};
    if (!json_is_object(about) || !json_is_object(parts) || x < 0 || x > 63 || y < 0 || y > 63) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s/%s: tile number %zu has no parts, or no coordinates from 0 to 63",
                         directory, manifest_name, index);
    }
    tile->x = (unsigned)x;
    tile->y = (unsigned)y;
    tile->about = json_incref(about);
    return read_parts(directory, parts, groups, tile, error);
}
