/*
 * The format of snapshots, see snapshot.h: header, compression, hash, files and memory.
 *
 * A file is written under another name and renamed when it is complete, so an older file stays
 * until then.
 */
#include "chip/snapshot.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "chip/chip.h"
#include "isa/error.h"

/* --- Blocks --- */

static void put_block(struct snapshot_writer *writer)
{
    snapshot_hash_add(&writer->hash, writer->block, writer->fill);
    if (writer->put && !writer->failed) {
        writer->failed = !writer->put(writer->context, writer->block, writer->fill);
    }
    writer->fill = 0;
}

void snapshot_put(struct snapshot_writer *writer, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        size_t room = SNAPSHOT_BLOCK - writer->fill, part = size < room ? size : room;
        memcpy(writer->block + writer->fill, from, part);
        writer->fill += part;
        from += part;
        size -= part;
        if (writer->fill == SNAPSHOT_BLOCK) {
            put_block(writer);
        }
    }
}

void snapshot_put_number(struct snapshot_writer *writer, uint64_t value)
{
    snapshot_put(writer, &value, sizeof value);
}

uint64_t snapshot_flush(struct snapshot_writer *writer)
{
    put_block(writer);
    return snapshot_hash_value(&writer->hash);
}

void snapshot_fail(struct snapshot_reader *reader, enum penrose_status status, const char *format,
                   ...)
{
    va_list arguments;
    if (reader->status != PENROSE_OK) {
        return;
    }
    reader->status = status;
    va_start(arguments, format);
    vsnprintf(reader->rule, sizeof reader->rule, format, arguments);
    va_end(arguments);
}

/* The next block, which is shorter than others only at the end. */
static void take_block(struct snapshot_reader *reader)
{
    snapshot_hash_add(&reader->hash, reader->block, reader->at);
    reader->at = reader->fill = 0;
    size_t part;
    while (reader->fill < SNAPSHOT_BLOCK &&
           (part = reader->take(reader->context, reader->block + reader->fill,
                                SNAPSHOT_BLOCK - reader->fill)) > 0) {
        reader->fill += part;
    }
}

/* The next bytes, at most `most` of them, how many in *size; NULL at the end. */
static const uint8_t *take_bytes(struct snapshot_reader *reader, size_t most, size_t *size)
{
    if (reader->at == reader->fill && reader->status == PENROSE_OK) {
        take_block(reader);
        if (reader->fill == 0) {
            snapshot_fail(reader, PENROSE_E_FORMAT, "it ends too early");
        }
    }
    if (reader->status != PENROSE_OK) {
        return NULL;
    }
    size_t left = reader->fill - reader->at;
    const uint8_t *bytes = reader->block + reader->at;
    *size = most < left ? most : left;
    reader->at += *size;
    return bytes;
}

void snapshot_get(struct snapshot_reader *reader, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    while (size > 0) {
        size_t part;
        const uint8_t *from = take_bytes(reader, size, &part);
        if (!from) {
            memset(to, 0, size);
            return;
        }
        memcpy(to, from, part);
        to += part;
        size -= part;
    }
}

void snapshot_get_sparing(struct snapshot_reader *reader, void *bytes, size_t size)
{
    enum { PAGE = 4096 };
    uint8_t *to = bytes;
    while (size > 0) {
        size_t rest = PAGE - (uintptr_t)to % PAGE, part;
        const uint8_t *from = take_bytes(reader, size < rest ? size : rest, &part);
        if (!from) {
            return;
        }
        if (memcmp(to, from, part) != 0) {
            memcpy(to, from, part);
        }
        to += part;
        size -= part;
    }
}

uint64_t snapshot_get_number(struct snapshot_reader *reader, const char *what, uint64_t most)
{
    uint64_t value = 0;
    snapshot_get(reader, &value, sizeof value);
    if (reader->status == PENROSE_OK && value > most) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "%s is %llu, the most is %llu", what,
                      (unsigned long long)value, (unsigned long long)most);
    }
    return reader->status == PENROSE_OK ? value : 0;
}

/* --- The header --- */

struct header {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t layout;
    char made_by[16]; /* version of Penrose, for messages */
};

static struct header make_header(void)
{
    struct header header = {
        .version = SNAPSHOT_VERSION, .header_bytes = sizeof header, .layout = snapshot_layout()};
    memcpy(header.magic, snapshot_magic, sizeof snapshot_magic);
    strncpy(header.made_by, PACKAGE_VERSION, sizeof header.made_by - 1);
    return header;
}

/* The hash of what follows goes on from that of the header. */
static void start_hash(struct snapshot_hash *hash, const struct header *header)
{
    _Static_assert(sizeof *header == 40, "it has no padding");
    snapshot_hash_init(hash);
    hash->lane[0] ^= header->layout;
    hash->lane[1] ^= header->version | (uint64_t)header->header_bytes << 32;
    memcpy(&hash->lane[2], header->made_by, sizeof header->made_by);
}

static enum penrose_status check_header(const struct header *header, size_t size, const char *name,
                                        struct penrose_error *error)
{
    struct header own = make_header();
    if (size != sizeof *header ||
        memcmp(header->magic, snapshot_magic, sizeof header->magic) != 0) {
        return error_set(error, PENROSE_E_FORMAT, "%s: this is no snapshot of Penrose", name);
    }
    if (header->version != SNAPSHOT_VERSION || header->header_bytes != sizeof *header) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: a snapshot of format %u, this build reads format %d; make it again",
                         name, header->version, SNAPSHOT_VERSION);
    }
    if (header->layout != own.layout) {
        return error_set(
            error, PENROSE_E_FORMAT,
            "%s: a snapshot by another build (Penrose %.15s); load it with that build, "
            "or make it again with this one (%s)",
            name, header->made_by, PACKAGE_VERSION);
    }
    return PENROSE_OK;
}

/* --- Compression --- */

enum { LEVEL = 1 };

/* Where a snapshot goes: a file, or memory that grows. */
struct drain {
    FILE *file; /* NULL: memory */
    uint8_t *bytes;
    size_t size, room;
    int error; /* errno of the first failure */
};

static bool drain_put(struct drain *drain, const void *bytes, size_t size)
{
    if (drain->error) {
        return false;
    }
    if (drain->file) {
        errno = EIO;
        drain->error = fwrite(bytes, 1, size, drain->file) == size ? 0 : errno;
        return !drain->error;
    }
    if (size > drain->room - drain->size) {
        size_t room = 2 * drain->room + size;
        uint8_t *grown = realloc(drain->bytes, room);
        if (!grown) {
            drain->error = ENOMEM;
            return false;
        }
        drain->bytes = grown;
        drain->room = room;
    }
    memcpy(drain->bytes + drain->size, bytes, size);
    drain->size += size;
    return true;
}

struct packer {
    ZSTD_CCtx *zstd;
    struct drain *drain;
};

static bool pack_bytes(struct packer *packer, const void *bytes, size_t size, ZSTD_EndDirective end)
{
    uint8_t packed[1 << 14];
    ZSTD_inBuffer in = {.src = bytes, .size = size};
    size_t left;
    do {
        ZSTD_outBuffer out = {.dst = packed, .size = sizeof packed};
        left = ZSTD_compressStream2(packer->zstd, &out, &in, end);
        if (ZSTD_isError(left)) {
            packer->drain->error = ENOMEM; /* nothing else can go wrong with valid parameters */
            return false;
        }
        if (!drain_put(packer->drain, packed, out.pos)) {
            return false;
        }
    } while (in.pos < in.size || (end == ZSTD_e_end && left > 0));
    return true;
}

static bool pack_block(void *context, const uint8_t *bytes, size_t size)
{
    return pack_bytes(context, bytes, size, ZSTD_e_continue);
}

/* Writes a whole snapshot; false: drain->error says why. */
static bool write_snapshot(struct penrose_chip *chip, struct drain *drain)
{
    struct header header = make_header();
    struct packer packer = {.zstd = ZSTD_createCCtx(), .drain = drain};
    struct snapshot_writer *writer = malloc(sizeof *writer);
    bool is_good = packer.zstd && writer;
    if (is_good) {
        ZSTD_CCtx_setParameter(packer.zstd, ZSTD_c_compressionLevel, LEVEL);
        *writer = (struct snapshot_writer){.put = pack_block, .context = &packer, .shares = true};
        start_hash(&writer->hash, &header);
        is_good = drain_put(drain, &header, sizeof header) && snapshot_save_chip(writer, chip);
        uint64_t hash = snapshot_flush(writer);
        is_good = is_good && !writer->failed && pack_bytes(&packer, &hash, sizeof hash, ZSTD_e_end);
    }
    if (!is_good && !drain->error) {
        drain->error = ENOMEM;
    }
    free(writer);
    ZSTD_freeCCtx(packer.zstd);
    return is_good;
}

/* Where a snapshot comes from. */
struct source {
    FILE *file; /* NULL: memory */
    const uint8_t *bytes;
    size_t left;
    int error;
};

static size_t source_take(struct source *source, void *bytes, size_t size)
{
    if (source->file) {
        size_t done = fread(bytes, 1, size, source->file);
        if (done < size && ferror(source->file)) {
            source->error = errno ? errno : EIO;
        }
        return done;
    }
    size_t part = size < source->left ? size : source->left;
    if (part > 0) {
        memcpy(bytes, source->bytes, part);
        source->bytes += part;
        source->left -= part;
    }
    return part;
}

struct unpacker {
    ZSTD_DCtx *zstd;
    struct source *source;
    ZSTD_inBuffer in;
    bool ended;       /* the frame is complete */
    const char *rule; /* what is wrong with it */
    uint8_t packed[1 << 14];
};

static size_t unpack_some(void *context, uint8_t *bytes, size_t size)
{
    struct unpacker *unpacker = context;
    ZSTD_outBuffer out = {.dst = bytes, .size = size};
    while (!unpacker->ended && !unpacker->rule && out.pos == 0) {
        if (unpacker->in.pos == unpacker->in.size) {
            unpacker->in = (ZSTD_inBuffer){.src = unpacker->packed};
            unpacker->in.size =
                source_take(unpacker->source, unpacker->packed, sizeof unpacker->packed);
        }
        size_t before = unpacker->in.pos;
        size_t left = ZSTD_decompressStream(unpacker->zstd, &out, &unpacker->in);
        if (ZSTD_isError(left)) {
            unpacker->rule = ZSTD_getErrorName(left);
        } else if (left == 0) {
            unpacker->ended = true;
        } else if (unpacker->in.pos == before && out.pos == 0) {
            unpacker->rule = "it ends too early";
        }
    }
    return out.pos;
}

/* Nothing may follow. */
static bool is_at_end(struct unpacker *unpacker)
{
    uint8_t byte;
    return unpack_some(unpacker, &byte, sizeof byte) == 0 && unpacker->ended &&
           unpacker->in.pos == unpacker->in.size &&
           source_take(unpacker->source, &byte, sizeof byte) == 0;
}

static void check_end(struct snapshot_reader *reader, struct unpacker *unpacker)
{
    uint64_t hash = 0;
    snapshot_hash_add(&reader->hash, reader->block, reader->at);
    struct snapshot_hash computed = reader->hash;
    snapshot_get(reader, &hash, sizeof hash);
    if (hash != snapshot_hash_value(&computed)) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "its check sum is wrong");
    } else if (reader->at != reader->fill || !is_at_end(unpacker)) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "something follows its end");
    }
}

static enum penrose_status explain(const struct snapshot_reader *reader,
                                   const struct unpacker *unpacker, const char *name,
                                   struct penrose_error *error)
{
    if (unpacker->source->error) {
        return error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", name,
                         strerror(unpacker->source->error));
    }
    if (reader->status == PENROSE_E_MEMORY) {
        return error_set(error, PENROSE_E_MEMORY, "%s: %s", name, reader->rule);
    }
    return error_set(error, PENROSE_E_FORMAT, "%s: the snapshot is damaged (%s); make it again",
                     name, unpacker->rule ? unpacker->rule : reader->rule);
}

static enum penrose_status unpack_chip(struct unpacker *unpacker, struct snapshot_reader *reader,
                                       const struct penrose_options *options, const char *name,
                                       struct penrose_chip **chip, struct penrose_error *error)
{
    enum penrose_status status = snapshot_load_chip(reader, options, chip, error);
    if (status == PENROSE_OK) {
        check_end(reader, unpacker);
    }
    if (reader->status == PENROSE_OK) {
        return status;
    }
    chip_destroy(*chip);
    *chip = NULL;
    return explain(reader, unpacker, name, error);
}

static enum penrose_status read_snapshot(struct source *source,
                                         const struct penrose_options *options, const char *name,
                                         struct penrose_chip **chip, struct penrose_error *error)
{
    struct header header = {.version = 0};
    size_t size = source_take(source, &header, sizeof header);
    if (source->error) {
        return error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", name,
                         strerror(source->error));
    }
    enum penrose_status status = check_header(&header, size, name, error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct unpacker *unpacker = calloc(1, sizeof *unpacker);
    struct snapshot_reader *reader = malloc(sizeof *reader);
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    if (unpacker && reader && zstd) {
        unpacker->zstd = zstd;
        unpacker->source = source;
        *reader = (struct snapshot_reader){.take = unpack_some, .context = unpacker};
        start_hash(&reader->hash, &header);
        status = unpack_chip(unpacker, reader, options, name, chip, error);
    } else {
        status = error_set(error, PENROSE_E_MEMORY, "%s: no memory to read it", name);
    }
    ZSTD_freeDCtx(zstd);
    free(reader);
    free(unpacker);
    return status;
}

/* --- Files --- */

/* A chip that runs is not all there: units are in the middle of a window. */
static enum penrose_status check_state(const struct penrose_chip *chip, struct penrose_error *error)
{
    if (chip->runnable_count > 0) {
        return error_set(error, PENROSE_E_STATE,
                         "a chip that is running cannot be saved; do it between windows");
    }
    return PENROSE_OK;
}

/* Writes and closes the file; answers errno. */
static int write_file(struct penrose_chip *chip, int descriptor)
{
    struct drain drain = {.file = fdopen(descriptor, "wb")};
    if (!drain.file) {
        int error = errno;
        close(descriptor);
        return error;
    }
    write_snapshot(chip, &drain);
    if (!drain.error && (fflush(drain.file) != 0 || fsync(descriptor) != 0)) {
        drain.error = errno;
    }
    if (fclose(drain.file) != 0 && !drain.error) {
        drain.error = errno;
    }
    return drain.error;
}

static enum penrose_status save_as(struct penrose_chip *chip, const char *path,
                                   struct penrose_error *error)
{
    struct stat status;
    size_t size = strlen(path) + 64;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return error_set(error, PENROSE_E_FILE, "%s: a snapshot is not written over %s", path,
                         S_ISDIR(status.st_mode) ? "a directory" : "what is no file");
    }
    char *other = malloc(size);
    if (!other) {
        return error_set(error, PENROSE_E_MEMORY, "%s: no memory for a snapshot", path);
    }
    snprintf(other, size, "%s.%ld-%llx.part", path, (long)getpid(),
             (unsigned long long)(uintptr_t)chip); /* nobody else's */
    int descriptor = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    int failure = descriptor < 0 ? errno : write_file(chip, descriptor);
    if (!failure && rename(other, path) != 0) {
        failure = errno;
    }
    if (failure && descriptor >= 0) {
        unlink(other);
    }
    free(other);
    if (!failure) {
        return PENROSE_OK;
    }
    return error_set(error, failure == ENOMEM ? PENROSE_E_MEMORY : PENROSE_E_FILE,
                     "%s: the snapshot cannot be written: %s", path, strerror(failure));
}

enum penrose_status chip_snapshot_save(struct penrose_chip *chip, const char *path,
                                       struct penrose_error *error)
{
    enum penrose_status status = check_state(chip, error);
    if (status != PENROSE_OK) {
        return status;
    }
    char *real = realpath(path, NULL); /* where a link leads */
    status = save_as(chip, real ? real : path, error);
    free(real);
    return status;
}

enum penrose_status chip_snapshot_load(const struct penrose_options *options, const char *path,
                                       struct penrose_chip **chip, struct penrose_error *error)
{
    *chip = NULL;
    errno = 0;
    struct source source = {.file = fopen(path, "rbe")};
    if (!source.file) {
        return error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
    }
    enum penrose_status status = read_snapshot(&source, options, path, chip, error);
    fclose(source.file);
    return status;
}

/* --- Memory --- */

enum penrose_status chip_snapshot_to_memory(struct penrose_chip *chip, void **bytes, size_t *size,
                                            struct penrose_error *error)
{
    struct drain drain = {.file = NULL};
    *bytes = NULL;
    *size = 0;
    enum penrose_status status = check_state(chip, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (!write_snapshot(chip, &drain)) {
        free(drain.bytes);
        return error_set(error, PENROSE_E_MEMORY, "no memory for a snapshot");
    }
    *bytes = drain.bytes;
    *size = drain.size;
    return PENROSE_OK;
}

enum penrose_status chip_snapshot_from_memory(const struct penrose_options *options,
                                              const void *bytes, size_t size,
                                              struct penrose_chip **chip,
                                              struct penrose_error *error)
{
    struct source source = {.bytes = bytes, .left = size};
    *chip = NULL;
    return read_snapshot(&source, options, "memory", chip, error);
}

/* --- The hash of a chip --- */

uint64_t chip_state_hash(struct penrose_chip *chip)
{
    struct snapshot_writer *writer = malloc(sizeof *writer);
    if (!writer) {
        return 0;
    }
    *writer = (struct snapshot_writer){.put = NULL};
    snapshot_hash_init(&writer->hash);
    snapshot_save_chip(writer, chip);
    uint64_t hash = snapshot_flush(writer);
    free(writer);
    return hash;
}
