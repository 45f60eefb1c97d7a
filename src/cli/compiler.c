/*
 * See compiler.h. In the cache: sfpi-7.87.0, the compiler, and ttnn/<identity>/root, the second root
 * of a tt-metal and a compiler. Links that are there stay, so that several runs at once do not
 * disturb each other.
 */
#include "cli/compiler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/installation.h"
#include "host/environment.h"

/* As scripts/fetch-sfpi has them. */
#define SFPI_FOLDER    "sfpi-7.87.0"
#define PLUGIN         "jax-tt-plugin"
#define PLUGIN_VERSION "0.1.3"

enum { UNPACK_SECONDS = 600, REASON = 256 };

/* --- Where it is --- */

static bool is_compiler(const char *folder)
{
    char program[PATH_MAX];
    return path_join(program, folder, "compiler/bin/riscv-tt-elf-g++") && path_is_program(program);
}

/* The library of the package jax-tt-plugin, if this Python has the version that is known. */
static bool find_plugin(const char *python, char path[PATH_MAX])
{
    char program[PATH_MAX], option[] = "-c", name[] = PLUGIN, version[] = PLUGIN_VERSION;
    char script[] = "import importlib.metadata as m, sys; d = m.distribution(sys.argv[1]); "
                    "print(d.locate_file('jax_plugins/libtt/libtt.so') "
                    "if d.version == sys.argv[2] else '')";
    char *argv[] = {program, option, script, name, version, NULL};
    if ((size_t)snprintf(program, sizeof program, "%s", python) >= sizeof program) {
        return false;
    }
    struct child_result result = child_capture(argv, NULL, 0, 20, path, PATH_MAX);
    path[strcspn(path, "\n")] = 0;
    return result.end == CHILD_EXITED && result.status == 0 && *path && path_exists(path);
}

void compiler_find(const char *root, const char *python, struct compiler *compiler)
{
    char cache[PATH_MAX];
    compiler->library[0] = 0;
    compiler->place = COMPILER_USUAL;
    if ((root && path_join(compiler->folder, root, "runtime/sfpi") &&
         is_compiler(compiler->folder)) ||
        is_compiler(strcpy(compiler->folder, "/opt/tenstorrent/sfpi"))) {
        return;
    }
    compiler->place = COMPILER_CACHED;
    if (host_cache(cache, sizeof cache) && path_join(compiler->folder, cache, SFPI_FOLDER) &&
        is_compiler(compiler->folder)) {
        return;
    }
    compiler->folder[0] = 0;
    compiler->place =
        python && find_plugin(python, compiler->library) ? COMPILER_PACKED : COMPILER_NOWHERE;
}

void compiler_remedy(const char *python, char text[PATH_MAX + 128])
{
    enum { MOST_LEVELS = 3 };
    char folder[PATH_MAX], script[PATH_MAX], *slash = folder;
    bool found = find_own_folder(folder);
    for (unsigned i = 0; found && slash && i < MOST_LEVELS; i++) {
        if (path_join(script, folder, "scripts/fetch-sfpi") && path_is_program(script)) {
            snprintf(text, PATH_MAX + 128, "%s", script);
            return;
        }
        slash = strrchr(folder, '/');
        if (slash) {
            *slash = 0;
        }
    }
    /* ttnn runs on versions of Python that the package does not name; it is only unpacked here. */
    snprintf(text, PATH_MAX + 128, "%s -m pip install --no-deps --ignore-requires-python %s==%s",
             python ? python : "python3", PLUGIN, PLUGIN_VERSION);
}

void compiler_wanted(const char *root, char version[16])
{
    char path[PATH_MAX], line[256];
    FILE *file = path_join(path, root, "tt_metal/sfpi-version") ? fopen(path, "r") : NULL;
    version[0] = 0;
    while (file && !*version && fgets(line, sizeof line, file)) {
        if (sscanf(line, "sfpi_version='%15[0-9.]'", version) != 1) {
            version[0] = 0;
        }
    }
    if (file) {
        fclose(file);
    }
}

/* --- Unpacking --- */

/* The library makes a folder of a name of its own in TMPDIR. */
static bool find_unpacked(const char *work, char path[PATH_MAX])
{
    DIR *folder = opendir(work);
    struct dirent *entry;
    bool found = false;
    while (folder && !found && (entry = readdir(folder))) {
        char base[PATH_MAX];
        found = entry->d_name[0] != '.' && path_join(base, work, entry->d_name) &&
                path_join(path, base, "runtime/sfpi") && is_compiler(path);
    }
    if (folder) {
        closedir(folder);
    }
    return found;
}

/* The last line of what a program has said. */
static void copy_last_line(char *text, char reason[REASON])
{
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n') {
        text[--length] = 0;
    }
    const char *newline = strrchr(text, '\n');
    snprintf(reason, REASON, "%.200s", newline ? newline + 1 : text);
}

/* Calls the library in a process of its own, as it ends the process when the disk is full. */
static bool call_library(const struct compiler *compiler, const char *python, const char *work,
                         char reason[REASON])
{
    char program[PATH_MAX], library[PATH_MAX], text[4096], option[] = "-c";
    char script[] = "import ctypes, resource, sys\n"
                    "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
                    "library = ctypes.CDLL(sys.argv[1])\n"
                    "library.GetPjrtApi.restype = ctypes.c_void_p\n"
                    "library.GetPjrtApi()\n";
    char *argv[] = {program, option, script, library, NULL};
    const struct child_variable variable[] = {{"TMPDIR", work}};
    snprintf(program, sizeof program, "%s", python);
    memcpy(library, compiler->library, sizeof library);
    struct child_result result =
        child_capture(argv, variable, 1, UNPACK_SECONDS, text, sizeof text);
    if (result.end == CHILD_EXITED && result.status == 0) {
        return true;
    }
    copy_last_line(text, reason);
    return false;
}

/* Gives what was unpacked its place. */
static bool keep_unpacked(const char *from, const char *to)
{
    char mark[PATH_MAX];
    FILE *file = path_join(mark, from, "complete") ? fopen(mark, "w") : NULL;
    if (!file || fclose(file) != 0) {
        return false;
    }
    path_remove(to); /* one without a program */
    return rename(from, to) == 0;
}

/* Holds the lock that scripts/fetch-sfpi holds; -1 and errno. */
static int lock_cache(const char *cache)
{
    char path[PATH_MAX];
    int fd = path_make(cache) && path_join(path, cache, "lock-sfpi")
                 ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)
                 : -1;
    if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Unpacks it in `work`, and gives it its place. */
static bool unpack_in(const char *work, const struct compiler *compiler, const char *python,
                      char reason[REASON])
{
    char from[PATH_MAX];
    if (!call_library(compiler, python, work, reason)) {
        return false;
    }
    if (!find_unpacked(work, from)) {
        snprintf(reason, REASON, "the library of " PLUGIN " has unpacked none");
        return false;
    }
    if (!keep_unpacked(from, compiler->folder)) {
        snprintf(reason, REASON, "it cannot be moved to its place: %s", strerror(errno));
        return false;
    }
    return true;
}

bool compiler_unpack(struct compiler *compiler, const char *python, char *reason)
{
    char cache[PATH_MAX], work[PATH_MAX];
    compiler->place = COMPILER_NOWHERE;
    int lock = host_cache(cache, sizeof cache) ? lock_cache(cache) : -1;
    if (lock < 0 || !path_join(compiler->folder, cache, SFPI_FOLDER) ||
        !path_join(work, cache, "making-sfpi.XXXXXX")) {
        snprintf(reason, REASON, "there is no cache folder: set PENROSE_CACHE");
    } else if (is_compiler(compiler->folder)) { /* another run has unpacked it meanwhile */
        compiler->place = COMPILER_CACHED;
    } else if (!mkdtemp(work)) {
        snprintf(reason, REASON, "%.150s cannot be written: %s", cache, strerror(errno));
    } else {
        bool done = unpack_in(work, compiler, python, reason);
        compiler->place = done ? COMPILER_CACHED : COMPILER_NOWHERE;
        path_remove(work);
    }
    if (lock >= 0) {
        close(lock);
    }
    return compiler->place == COMPILER_CACHED;
}

/* --- The second root --- */

static uint64_t hash_text(uint64_t hash, const char *text) /* FNV-1a */
{
    for (; *text; text++) {
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
    return (hash ^ '\n') * UINT64_C(0x100000001b3);
}

/* A file by its path, size and time of change. */
static uint64_t hash_file(uint64_t hash, const char *path)
{
    struct stat status;
    char text[64] = "";
    if (stat(path, &status) == 0) {
        snprintf(text, sizeof text, "%jd %jd %ld", (intmax_t)status.st_size,
                 (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    }
    return hash_text(hash_text(hash, path), text);
}

/* Another installation of tt-metal at the same place gets another root. */
static bool name_root(const char *root, const struct compiler *compiler, char path[PATH_MAX])
{
    char cache[PATH_MAX], library[PATH_MAX];
    if (!host_cache(cache, sizeof cache) || !path_join(library, root, "build/lib/libtt_metal.so")) {
        errno = ENOENT;
        return false;
    }
    uint64_t identity = hash_text(UINT64_C(0xcbf29ce484222325), root);
    identity = hash_text(hash_file(identity, library), compiler->folder);
    return snprintf(path, PATH_MAX, "%s/ttnn/%016" PRIx64 "/root", cache, identity) < PATH_MAX;
}

/* Links to all that is in `from`, but for one name. */
static bool link_entries(const char *from, const char *to, const char *except)
{
    DIR *folder = opendir(from);
    bool done = folder && path_make(to);
    struct dirent *entry;
    while (done && (entry = readdir(folder))) {
        char source[PATH_MAX], target[PATH_MAX];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, except) == 0) {
            continue;
        }
        done = path_join(source, from, entry->d_name) && path_join(target, to, entry->d_name) &&
               (symlink(source, target) == 0 || errno == EEXIST);
    }
    if (folder) {
        closedir(folder);
    }
    return done;
}

bool compiler_root(const char *root, const struct compiler *compiler, char path[PATH_MAX])
{
    char from[PATH_MAX], to[PATH_MAX], link[PATH_MAX];
    return name_root(root, compiler, path) && path_join(from, root, "runtime") &&
           path_join(to, path, "runtime") && path_join(link, to, "sfpi") &&
           link_entries(root, path, "runtime") && path_make(to) &&
           (!path_exists(from) || link_entries(from, to, "sfpi")) &&
           (symlink(compiler->folder, link) == 0 || errno == EEXIST);
}
