/* Inputs as files, for what reads nothing else. */
#ifndef TESTS_FUZZ_FILES_H
#define TESTS_FUZZ_FILES_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

static inline void fuzz_write_file(const char *path, const void *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static inline void fuzz_read_file(const char *path, struct fuzz_bytes *to)
{
    uint8_t part[4096];
    size_t size;
    FILE *file = fopen(path, "rbe");
    REQUIRE(file);
    while ((size = fread(part, 1, sizeof part, file)) > 0) {
        fuzz_append(to, part, size);
    }
    fclose(file);
}

/* A folder in /tmp for all inputs of the process, which is removed at its end. */
static char fuzz_folder_path[] = "/tmp/penrose-fuzz-XXXXXX";

static inline void fuzz_folder_remove(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", fuzz_folder_path);
    REQUIRE(system(command) == 0);
}

static inline const char *fuzz_folder(void)
{
    static bool is_made;
    if (!is_made) {
        REQUIRE(mkdtemp(fuzz_folder_path) && atexit(fuzz_folder_remove) == 0);
        is_made = true;
    }
    return fuzz_folder_path;
}

/* A path in it; valid until the next call. */
static inline const char *fuzz_path(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    return path;
}

#endif
