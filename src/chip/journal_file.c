/*
 * Files of journals: written as the journal grows, a zstd frame at a time, so that a process that
 * is killed leaves what was before. A process that forks goes on writing, its child does not.
 */
#include "chip/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "host/files.h"
#include "isa/error.h"
#include "isa/host_time.h"

enum { LEVEL = 1, FRAME_BYTES = 1 << 20, PAUSE_NANOSECONDS = 500000000 };

static const char magic[8] = "PENROSEJ";

struct file_head {
    char magic[8];
    uint32_t version, zero;
};

struct journal_file {
    int fd;
    pid_t process;
    bool failed;
    char *path;
    uint64_t written_at; /* host time of the latest frame */
    ZSTD_CCtx *zstd;
    uint8_t *packed;
    size_t packed_room;
};

static void write_to_file(struct journal_file *file, const void *bytes, size_t size)
{
    if (!file->failed && file->process == getpid()) {
        file->failed = !host_write_all(file->fd, bytes, size);
    }
}

static void free_file(struct journal_file *file)
{
    free(file->path);
    ZSTD_freeCCtx(file->zstd);
    free(file->packed);
    free(file);
}

static void write_frames(struct journal *journal)
{
    struct journal_file *file = journal->file;
    while (journal->filed < journal->size) {
        size_t left = journal->size - journal->filed;
        size_t part = left < FRAME_BYTES ? left : FRAME_BYTES;
        size_t size = ZSTD_compress2(file->zstd, file->packed, file->packed_room,
                                     journal->bytes + journal->filed, part);
        file->failed |= ZSTD_isError(size) != 0;
        write_to_file(file, file->packed, size);
        journal->filed += part;
    }
    if (!journal->keeps) {
        journal_forget(journal, journal->start + journal->filed);
    }
    file->written_at = host_nanoseconds();
}

enum penrose_status journal_record(struct journal *journal, const char *path,
                                   struct penrose_error *error)
{
    struct file_head head = {.version = JOURNAL_VERSION};
    struct journal_file *file = calloc(1, sizeof *file);
    memcpy(head.magic, magic, sizeof magic);
    if (file) {
        file->zstd = ZSTD_createCCtx();
        file->packed_room = ZSTD_compressBound(FRAME_BYTES);
        file->packed = malloc(file->packed_room);
        file->path = strdup(path);
    }
    if (!file || !file->zstd || !file->packed || !file->path) {
        if (file) {
            free_file(file);
        }
        return error_set(error, PENROSE_E_MEMORY, "no memory to record");
    }
    ZSTD_CCtx_setParameter(file->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(file->zstd, ZSTD_c_checksumFlag, 1);
    file->process = getpid();
    file->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    bool is_open = file->fd >= 0 && flock(file->fd, LOCK_EX | LOCK_NB) == 0;
    is_open = is_open && (ftruncate(file->fd, 0) == 0 || errno == EINVAL); /* a pipe */
    if (is_open) {
        write_to_file(file, &head, sizeof head);
    }
    if (!is_open || file->failed) {
        int reason = errno;
        if (file->fd >= 0) {
            if (file->failed) {
                host_discard_file(file->fd, path);
            }
            close(file->fd);
        }
        free_file(file);
        return error_set(error, PENROSE_E_FILE, "cannot write %s: %s", path,
                         reason == EWOULDBLOCK ? "something else is recorded there; give each "
                                                 "process a file of its own by %p in the name"
                                               : strerror(reason));
    }
    file->written_at = host_nanoseconds();
    journal->file = file;
    journal->filed = 0;
    journal_end(journal);
    write_frames(journal); /* so that it is a recording from the beginning */
    return PENROSE_OK;
}

void journal_file_some(struct journal *journal)
{
    struct journal_file *file = journal->file;
    if (file && (journal->size - journal->filed >= FRAME_BYTES ||
                 host_nanoseconds() - file->written_at > PAUSE_NANOSECONDS)) {
        journal_end(journal);
        write_frames(journal);
    }
}

bool journal_stop(struct journal *journal)
{
    struct journal_file *file = journal->file;
    if (!file) {
        return true;
    }
    if (!journal->failed) {
        JOURNAL_ADD(journal, 0, JOURNAL_END, NULL, 0, 0);
    }
    write_frames(journal);
    bool is_good = !file->failed && !journal->failed;
    if (!is_good && file->process == getpid()) {
        host_discard_file(file->fd, file->path);
    }
    is_good &= close(file->fd) == 0;
    free_file(file);
    journal->file = NULL;
    return is_good;
}

bool journal_destroy(struct journal *journal)
{
    if (!journal) {
        return true;
    }
    journal_end(journal);
    bool is_good = journal_stop(journal);
    free(journal->bytes);
    free(journal);
    return is_good;
}

/* --- Reading --- */

struct file_reader {
    FILE *file;
    ZSTD_DCtx *zstd;
    ZSTD_inBuffer in;
    size_t left;        /* 0: between frames */
    uint64_t file_size; /* 0: unknown */
    uint64_t most;      /* bytes of entries */
    uint64_t at;        /* behind the entries that have been looked at */
    bool has_end;       /* the last of them is the end */
    uint8_t packed[1 << 16];
};

/* Room for more at the end of a journal; false without memory. */
static bool grow_journal(struct journal *journal, size_t size)
{
    if (journal->room - journal->size >= size) {
        return true;
    }
    size_t room = journal->room + journal->room / 2 + size;
    uint8_t *grown = realloc(journal->bytes, room);
    if (grown) {
        journal->bytes = grown;
        journal->room = room;
    }
    return grown != NULL;
}

static enum penrose_status refuse_entry(const char *path, uint64_t at, struct penrose_error *error)
{
    return error_set(error, PENROSE_E_FORMAT,
                     "%s: the recording is damaged (no entry at byte %llu); record it again", path,
                     (unsigned long long)at);
}

/* Passes the entries that are whole. False: what comes next can never become one. */
static bool pass_entries(struct file_reader *reader, const struct journal *journal)
{
    struct journal_entry entry;
    while (!reader->has_end && journal_get(journal, reader->at, &entry)) {
        reader->at = entry.next;
        reader->has_end = entry.kind == JOURNAL_END;
    }
    bool has_more = reader->at < journal->size;
    return !has_more || (!reader->has_end && journal->bytes[reader->at] < JOURNAL_KINDS);
}

static enum penrose_status refuse_size(const struct file_reader *reader, const char *path,
                                       struct penrose_error *error)
{
    return error_set(
        error, PENROSE_E_MEMORY,
        "%s: the recording unpacks to more than %llu MiB, and its file has %llu KiB; if "
        "you trust it, allow more with --max-memory",
        path, (unsigned long long)reader->most >> 20, (unsigned long long)reader->file_size >> 10);
}

static enum penrose_status unpack_frames(struct file_reader *reader, const char *path,
                                         struct journal *journal, struct penrose_error *error)
{
    for (;;) {
        if (reader->in.pos == reader->in.size) {
            reader->in = (ZSTD_inBuffer){.src = reader->packed};
            reader->in.size = fread(reader->packed, 1, sizeof reader->packed, reader->file);
        }
        if (ferror(reader->file)) {
            return error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", path,
                             strerror(errno));
        }
        if (!grow_journal(journal, FRAME_BYTES)) {
            return error_set(error, PENROSE_E_MEMORY, "%s: no memory to read it", path);
        }
        ZSTD_outBuffer out = {.dst = journal->bytes + journal->size, .size = FRAME_BYTES};
        size_t left = ZSTD_decompressStream(reader->zstd, &out, &reader->in);
        if (ZSTD_isError(left)) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: the recording is damaged (%s); record it again", path,
                             ZSTD_getErrorName(left));
        }
        journal->size += out.pos;
        if (!pass_entries(reader, journal)) {
            return refuse_entry(path, reader->at, error);
        }
        if (journal->size > reader->most) {
            return refuse_size(reader, path, error);
        }
        if (out.pos == 0 && reader->in.size == 0) {
            return PENROSE_OK;
        }
        reader->left = left;
    }
}

/* Ends the journal behind the last entry that is whole. */
static void end_entries(const struct file_reader *reader, struct journal *journal,
                        enum journal_ending *ending)
{
    bool is_whole = reader->has_end && reader->left == 0;
    *ending = is_whole ? JOURNAL_WHOLE : JOURNAL_CUT;
    journal->size = (size_t)reader->at;
}

static enum penrose_status read_head(FILE *file, const char *path, struct penrose_error *error)
{
    struct file_head head;
    size_t size = fread(&head, 1, sizeof head, file);
    if (ferror(file)) {
        return error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
    }
    if (size < sizeof head || memcmp(head.magic, magic, sizeof magic) != 0) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: this is no recording of Penrose; PENROSE_RECORD and `penrose exec "
                         "--record` make them",
                         path);
    }
    if (head.version != JOURNAL_VERSION) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: a recording of format %u; this build reads format %d", path,
                         head.version, JOURNAL_VERSION);
    }
    return PENROSE_OK;
}

/* How many bytes of entries a file may have by itself. */
static uint64_t most_of_file(uint64_t file_size)
{
    uint64_t most = file_size * JOURNAL_RATIO;
    return most > JOURNAL_LEAST ? most : JOURNAL_LEAST;
}

enum penrose_status journal_load(const char *path, uint64_t most, struct journal **journal,
                                 enum journal_ending *ending, struct penrose_error *error)
{
    *journal = NULL;
    struct file_reader *reader = calloc(1, sizeof *reader);
    struct journal *made = journal_create();
    FILE *file = fopen(path, "rbe");
    enum penrose_status status = PENROSE_OK;
    if (!file) {
        status = error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
    } else if (!made || !reader || !(reader->zstd = ZSTD_createDCtx())) {
        status = error_set(error, PENROSE_E_MEMORY, "%s: no memory to read it", path);
    } else {
        struct stat state;
        bool is_file = fstat(fileno(file), &state) == 0 && S_ISREG(state.st_mode);
        reader->file = file;
        reader->file_size = is_file ? (uint64_t)state.st_size : 0;
        reader->most = most ? most : most_of_file(reader->file_size);
        status = read_head(file, path, error);
        status = status ? status : unpack_frames(reader, path, made, error);
        if (status == PENROSE_OK) {
            end_entries(reader, made, ending);
        }
    }
    if (file) {
        fclose(file);
    }
    if (reader) {
        ZSTD_freeDCtx(reader->zstd);
        free(reader);
    }
    if (status != PENROSE_OK) {
        journal_destroy(made);
        return status;
    }
    *journal = made;
    return PENROSE_OK;
}
