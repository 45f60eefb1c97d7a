/*
 * Writing dumps into files; see dump.h and docs/DUMPS.md. The manifest is removed first and written
 * last, under another name that is changed when it is complete. So a folder with a manifest has all
 * files that it names.
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
#include "observe/dump/parts.h"
#include "observe/dump/read.h"

static enum penrose_status file_error(struct penrose_error *error, const char *path,
                                      const char *what)
{
    return error_set(error, PENROSE_E_FILE, "%s: cannot be %s: %s", path, what, strerror(errno));
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
    if (!dump_path(path, directory, dump_manifest_name)) {
        return dump_path_too_long(error, directory);
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
    enum penrose_status status = dump_path(path, directory, folder)
                                     ? make_inner_folder(path, error)
                                     : dump_path_too_long(error, directory);
    for (unsigned i = 0; i < tile->parts && status == PENROSE_OK; i++) {
        const struct dump_part *part = &tile->part[i];
        snprintf(file, sizeof file, "%s/%s.%s", folder, part->name, part->json ? "json" : "npy");
        status = !dump_path(path, directory, file) ? dump_path_too_long(error, directory)
                 : part->json                      ? write_json(path, part->json, error)
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
    if (!dump_path(path, directory, dump_manifest_name) ||
        !dump_path(part, directory, "manifest.json.part")) {
        return dump_path_too_long(error, directory);
    }
    enum penrose_status status = write_json(part, manifest, error);
    if (status == PENROSE_OK && rename(part, path) != 0) {
        status = file_error(error, path, "written");
    }
    return status;
}
