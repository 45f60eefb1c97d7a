/* Files that the client reads from the server, because the server has named them: programs with
 * their symbols. Source: GDB manual, Host I/O Packets. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "observe/gdb/internal.h"

/* Errors as the protocol numbers them. */
enum { FILE_NOENT = 2, FILE_BADF = 9, FILE_ACCES = 13, FILE_INVAL = 22, FILE_EMFILE = 24 };

enum { PIECE = GDB_PACKET_BYTES / 2 - 32, PATH_BYTES = 4096 };

void gdb_name_file(struct gdb *gdb, const char *path)
{
    for (size_t i = 0; i < gdb->paths; i++) {
        if (strcmp(gdb->path[i], path) == 0) {
            return;
        }
    }
    char **list = realloc(gdb->path, (gdb->paths + 1) * sizeof *list), *copy = strdup(path);
    gdb->path = list ? list : gdb->path;
    if (list && copy) {
        list[gdb->paths++] = copy;
    } else {
        free(copy);
    }
}

static bool is_named(const struct gdb *gdb, const char *path)
{
    for (size_t i = 0; i < gdb->paths; i++) {
        if (strcmp(gdb->path[i], path) == 0) {
            return true;
        }
    }
    return false;
}

static void fail(struct gdb_text *answer, int error)
{
    gdb_put(answer, "F-1,%x", (unsigned)error);
}

/* "PATH,FLAGS,MODE" with the path in hexadecimal */
static void open_file(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    char path[PATH_BYTES];
    uint64_t flags, slot = 0;
    size_t digits = strcspn(packet, ",");
    if (digits / 2 >= sizeof path || !gdb_take_bytes(&packet, path, digits / 2) ||
        !gdb_take_text(&packet, ",") || !gdb_take_hex(&packet, &flags)) {
        fail(answer, FILE_INVAL);
        return;
    }
    path[digits / 2] = '\0';
    if (!is_named(gdb, path) || flags != 0) {
        fail(answer, flags != 0 ? FILE_ACCES : FILE_NOENT);
        return;
    }
    while (slot < GDB_FILES && gdb->file[slot] >= 0) {
        slot++;
    }
    if (slot < GDB_FILES) {
        gdb->file[slot] = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (slot == GDB_FILES || gdb->file[slot] < 0) {
        fail(answer, slot == GDB_FILES ? FILE_EMFILE : FILE_NOENT);
        return;
    }
    gdb_put(answer, "F%x", (unsigned)slot);
}

/* The file that the packet names first; -1, after an answer: there is none. */
static int take_file(struct gdb *gdb, const char **packet, uint64_t *slot, struct gdb_text *answer)
{
    if (!gdb_take_hex(packet, slot) || *slot >= GDB_FILES || gdb->file[*slot] < 0) {
        fail(answer, FILE_BADF);
        return -1;
    }
    return gdb->file[*slot];
}

static void read_file(int file, const char *packet, struct gdb_text *answer)
{
    uint64_t size, offset;
    if (!gdb_take_text(&packet, ",") || !gdb_take_hex(&packet, &size) ||
        !gdb_take_text(&packet, ",") || !gdb_take_hex(&packet, &offset) || offset > INT64_MAX) {
        fail(answer, FILE_INVAL);
        return;
    }
    size = size < PIECE ? size : PIECE;
    char *bytes = malloc(size + 1);
    ssize_t length = bytes ? pread(file, bytes, (size_t)size, (off_t)offset) : -1;
    if (length < 0) {
        fail(answer, FILE_INVAL);
    } else {
        gdb_put(answer, "F%zx;", (size_t)length);
        gdb_put_escaped(answer, bytes, (size_t)length);
    }
    free(bytes);
}

static void put_big(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    }
}

/* The protocol's struct stat: size is at 28, mode at 8, blocks at 44. */
static void stat_file(int file, struct gdb_text *answer)
{
    enum { STAT_BYTES = 64, AT_MODE = 8, AT_SIZE = 28, AT_BLOCK = 36, AT_TIME = 60 };
    uint8_t bytes[STAT_BYTES] = {0};
    struct stat state;
    if (fstat(file, &state)) {
        fail(answer, FILE_BADF);
        return;
    }
    put_big(bytes + AT_MODE, S_IFREG | 0444, 4);
    put_big(bytes + AT_SIZE, (uint64_t)state.st_size, 8);
    put_big(bytes + AT_BLOCK, 4096, 8);
    put_big(bytes + AT_TIME, (uint64_t)state.st_mtime, 4);
    gdb_put(answer, "F%x;", STAT_BYTES);
    gdb_put_escaped(answer, bytes, sizeof bytes);
}

void gdb_file_packet(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    uint64_t slot;
    int file;
    if (gdb_take_text(&packet, "setfs:")) {
        gdb_put(answer, "F0"); /* there is one file system */
    } else if (gdb_take_text(&packet, "open:")) {
        open_file(gdb, packet, answer);
    } else if (gdb_take_text(&packet, "pread:")) {
        file = take_file(gdb, &packet, &slot, answer);
        if (file >= 0) {
            read_file(file, packet, answer);
        }
    } else if (gdb_take_text(&packet, "fstat:")) {
        file = take_file(gdb, &packet, &slot, answer);
        if (file >= 0) {
            stat_file(file, answer);
        }
    } else if (gdb_take_text(&packet, "close:")) {
        file = take_file(gdb, &packet, &slot, answer);
        if (file >= 0) {
            close(file);
            gdb->file[slot] = -1;
            gdb_put(answer, "F0");
        }
    }
}

void gdb_close_files(struct gdb *gdb)
{
    for (unsigned i = 0; i < GDB_FILES; i++) {
        if (gdb->file[i] >= 0) {
            close(gdb->file[i]);
            gdb->file[i] = -1;
        }
    }
}
