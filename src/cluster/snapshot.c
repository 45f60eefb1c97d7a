/* See snapshot.h. Here are the header, the compression and the files. A file is written under another
 * name and renamed when it is complete, so an older file stays until then. */
#include "cluster/snapshot.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "isa/error.h"

static const struct chip_calls *kind_of(const struct penrose_cluster *cluster)
{
    return chip_calls_of(cluster->chip[0]);
}

/* --- Chips and links --- */

bool cluster_save(struct snapshot_writer *writer, struct penrose_cluster *cluster)
{
    const struct chip_calls *kind = kind_of(cluster);
    bool is_good = true;
    for (unsigned i = 0; is_good && i < cluster->chips; i++) {
        is_good = kind->save(writer, cluster->chip[i]);
    }
    for (unsigned i = 0; is_good && i < cluster->chips; i++) {
        kind->save_links(writer, cluster->chip[i]);
    }
    return is_good && !writer->failed;
}

static bool is_same_time(const struct chip_time *a, const struct chip_time *b)
{
    return a->now == b->now && a->is_paused == b->is_paused && a->cut.end == b->cut.end &&
           a->cut.window == b->cut.window;
}

static enum penrose_status load_chip(struct snapshot_reader *reader, const struct chip_calls *kind,
                                     struct penrose_cluster *cluster, struct penrose_error *error)
{
    struct penrose_chip *chip;
    enum penrose_status status = kind->load(reader, &chip, error);
    if (status == PENROSE_OK && cluster->chips > 0 &&
        (!is_same_time(&chip_head(chip)->time, &cluster->time) ||
         !cluster_runs_like(chip, cluster->chip[0]))) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "chip %u has another time than chip 0",
                      cluster->chips);
        kind->destroy(chip);
        return reader->status;
    }
    return status ? status : cluster_take(cluster, chip, error);
}

enum penrose_status cluster_load(struct snapshot_reader *reader, const struct chip_calls *kind,
                                 unsigned chips, unsigned threads, struct penrose_cluster **cluster,
                                 struct penrose_error *error)
{
    struct penrose_cluster *made;
    *cluster = NULL;
    enum penrose_status status = cluster_create(threads, &made, error);
    if (status != PENROSE_OK) {
        return status;
    }
    made->is_complete = true;
    for (unsigned i = 0; status == PENROSE_OK && i < chips; i++) {
        status = load_chip(reader, kind, made, error);
    }
    for (unsigned i = 0; status == PENROSE_OK && i < chips; i++) {
        kind->load_links(reader, made->chip[i], made->chip, chips);
        status = reader->status;
    }
    for (unsigned i = 0; status == PENROSE_OK && i < chips; i++) {
        kind->check_links(reader, made->chip[i]);
        status = reader->status;
    }
    if (status != PENROSE_OK) {
        cluster_destroy(made);
        return status;
    }
    *cluster = made;
    return PENROSE_OK;
}

/* --- The header --- */

enum { KIND_BYTES = 16, MADE_BY_BYTES = 16 };

struct header {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t layout; /* of the state of such chips */
    uint64_t chips;
    char made_by[MADE_BY_BYTES]; /* version of Penrose, for messages */
    char kind[KIND_BYTES];       /* of chips; struct arch has its name */
};

_Static_assert(sizeof(struct header) == 64, "it has no padding");

static struct header make_header(const struct penrose_cluster *cluster)
{
    const struct chip_calls *kind = kind_of(cluster);
    struct header header = {.version = SNAPSHOT_VERSION,
                            .header_bytes = sizeof header,
                            .layout = kind->layout(),
                            .chips = cluster->chips};
    memcpy(header.magic, snapshot_magic, sizeof snapshot_magic);
    strncpy(header.made_by, PACKAGE_VERSION, sizeof header.made_by - 1);
    strncpy(header.kind, kind->arch->name, sizeof header.kind - 1);
    return header;
}

/* The hash of what follows goes on from that of the header. */
static void start_hash(struct snapshot_hash *hash, const struct header *header)
{
    snapshot_hash_init(hash);
    snapshot_hash_add(hash, header, sizeof *header);
}

/* The kind of that name, NULL: none. */
static const struct chip_calls *find_kind(const struct chip_calls *const *kinds,
                                          const struct header *header)
{
    size_t i = 0;
    while (kinds[i] && strncmp(kinds[i]->arch->name, header->kind, sizeof header->kind) != 0) {
        i++;
    }
    return kinds[i];
}

static enum penrose_status check_header(const struct header *header, size_t size,
                                        const struct chip_calls *kind, const char *name,
                                        struct penrose_error *error)
{
    if (size != sizeof *header ||
        memcmp(header->magic, snapshot_magic, sizeof header->magic) != 0) {
        return error_set(error, PENROSE_E_FORMAT, "%s: this is no snapshot of Penrose", name);
    }
    if (header->version != SNAPSHOT_VERSION || header->header_bytes != sizeof *header) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: a snapshot of format %u, this build reads format %d; make it again",
                         name, header->version, SNAPSHOT_VERSION);
    }
    if (!kind) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: a snapshot of chips of the kind '%.*s', which this build has not",
                         name, KIND_BYTES, header->kind);
    }
    if (header->layout != kind->layout()) {
        return error_set(
            error, PENROSE_E_FORMAT,
            "%s: a snapshot by another build (Penrose %.15s); load it with that build, "
            "or make it again with this one (%s)",
            name, header->made_by, PACKAGE_VERSION);
    }
    if (header->chips == 0 || header->chips > CLUSTER_CHIPS) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: the snapshot is damaged (it has %llu chips, and a cluster has 1 to "
                         "%d); make it again",
                         name, (unsigned long long)header->chips, CLUSTER_CHIPS);
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
static bool write_snapshot(struct penrose_cluster *cluster, struct drain *drain)
{
    struct header header = make_header(cluster);
    struct packer packer = {.zstd = ZSTD_createCCtx(), .drain = drain};
    struct snapshot_writer *writer = malloc(sizeof *writer);
    bool is_good = packer.zstd && writer;
    if (is_good) {
        ZSTD_CCtx_setParameter(packer.zstd, ZSTD_c_compressionLevel, LEVEL);
        *writer = (struct snapshot_writer){.put = pack_block, .context = &packer, .shares = true};
        start_hash(&writer->hash, &header);
        is_good = drain_put(drain, &header, sizeof header) && cluster_save(writer, cluster);
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

/* What the header of a file has told. */
struct told {
    const char *name; /* of the file, for messages */
    const struct header *header;
    const struct chip_calls *kind;
    unsigned threads;
};

static enum penrose_status unpack_cluster(struct unpacker *unpacker, struct snapshot_reader *reader,
                                          const struct told *told, struct penrose_cluster **cluster,
                                          struct penrose_error *error)
{
    enum penrose_status status = cluster_load(reader, told->kind, (unsigned)told->header->chips,
                                              told->threads, cluster, error);
    if (status == PENROSE_OK) {
        check_end(reader, unpacker);
    }
    if (reader->status == PENROSE_OK) {
        return status;
    }
    cluster_destroy(*cluster);
    *cluster = NULL;
    return explain(reader, unpacker, told->name, error);
}

static enum penrose_status read_snapshot(struct source *source,
                                         const struct snapshot_loading *loading, const char *name,
                                         struct penrose_cluster **cluster,
                                         struct penrose_error *error)
{
    struct header header = {.version = 0};
    size_t size = source_take(source, &header, sizeof header);
    if (source->error) {
        return error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", name,
                         strerror(source->error));
    }
    const struct told told = {.name = name,
                              .header = &header,
                              .kind = find_kind(loading->kinds, &header),
                              .threads = loading->threads};
    enum penrose_status status = check_header(&header, size, told.kind, name, error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct unpacker *unpacker = calloc(1, sizeof *unpacker);
    struct snapshot_reader *reader = malloc(sizeof *reader);
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    if (unpacker && reader && zstd) {
        unpacker->zstd = zstd;
        unpacker->source = source;
        *reader = (struct snapshot_reader){.take = unpack_some,
                                           .context = unpacker,
                                           .is_timed = loading->is_timed,
                                           .costs = loading->costs};
        start_hash(&reader->hash, &header);
        status = unpack_cluster(unpacker, reader, &told, cluster, error);
    } else {
        status = error_set(error, PENROSE_E_MEMORY, "%s: no memory to read it", name);
    }
    ZSTD_freeDCtx(zstd);
    free(reader);
    free(unpacker);
    return status;
}

/* --- Files --- */

/* What runs is not all there: units are in the middle of a window. */
static enum penrose_status check_state(const struct penrose_cluster *cluster,
                                       struct penrose_error *error)
{
    const struct chip_calls *kind = cluster->chips > 0 ? kind_of(cluster) : NULL;
    enum penrose_status status = cluster_check_kinds(cluster, "snapshot", error);
    for (unsigned i = 0; !status && i < cluster->chips; i++) {
        if (kind->is_running(cluster->chip[i])) {
            return error_set(error, PENROSE_E_STATE,
                             "a chip that is running cannot be saved; do it between windows");
        }
    }
    return kind ? status : error_set(error, PENROSE_E_STATE, "the cluster has no chips");
}

/* Writes and closes the file; answers errno. */
static int write_file(struct penrose_cluster *cluster, int descriptor)
{
    struct drain drain = {.file = fdopen(descriptor, "wb")};
    if (!drain.file) {
        int error = errno;
        close(descriptor);
        return error;
    }
    write_snapshot(cluster, &drain);
    if (!drain.error && (fflush(drain.file) != 0 || fsync(descriptor) != 0)) {
        drain.error = errno;
    }
    if (fclose(drain.file) != 0 && !drain.error) {
        drain.error = errno;
    }
    return drain.error;
}

static enum penrose_status save_as(struct penrose_cluster *cluster, const char *path,
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
             (unsigned long long)(uintptr_t)cluster); /* nobody else's */
    int descriptor = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    int failure = descriptor < 0 ? errno : write_file(cluster, descriptor);
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

enum penrose_status cluster_snapshot_save(struct penrose_cluster *cluster, const char *path,
                                          struct penrose_error *error)
{
    enum penrose_status status = check_state(cluster, error);
    if (status != PENROSE_OK) {
        return status;
    }
    char *real = realpath(path, NULL); /* where a link leads */
    status = save_as(cluster, real ? real : path, error);
    free(real);
    return status;
}

enum penrose_status cluster_snapshot_load(const struct snapshot_loading *loading, const char *path,
                                          struct penrose_cluster **cluster,
                                          struct penrose_error *error)
{
    *cluster = NULL;
    errno = 0;
    struct source source = {.file = fopen(path, "rbe")};
    if (!source.file) {
        return error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
    }
    enum penrose_status status = read_snapshot(&source, loading, path, cluster, error);
    fclose(source.file);
    return status;
}

/* --- Memory --- */

enum penrose_status cluster_snapshot_to_memory(struct penrose_cluster *cluster, void **bytes,
                                               size_t *size, struct penrose_error *error)
{
    struct drain drain = {.file = NULL};
    *bytes = NULL;
    *size = 0;
    enum penrose_status status = check_state(cluster, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (!write_snapshot(cluster, &drain)) {
        free(drain.bytes);
        return error_set(error, PENROSE_E_MEMORY, "no memory for a snapshot");
    }
    *bytes = drain.bytes;
    *size = drain.size;
    return PENROSE_OK;
}

enum penrose_status cluster_snapshot_from_memory(const struct snapshot_loading *loading,
                                                 const void *bytes, size_t size,
                                                 struct penrose_cluster **cluster,
                                                 struct penrose_error *error)
{
    struct source source = {.bytes = bytes, .left = size};
    *cluster = NULL;
    return read_snapshot(&source, loading, "memory", cluster, error);
}
