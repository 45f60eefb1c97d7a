/* tt-burnin's .ttx images; see ttx.h. */
#include "loader/ttx.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "isa/error.h"

#define MAGIC     UINT32_C(0x9704266b)
#define MOST_FILE (16u << 20) /* bytes; L1 holds a tenth of it */

enum { HEADER_BYTES = 32, CHUNK_BYTES = 16 };

static uint32_t word_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* A file of the zip that is being read. */
struct member {
    const char *path, *name;
    const uint8_t *bytes;
    size_t size;
    uint32_t l1_bytes;
};

static enum penrose_status refuse_member(const struct member *member, const char *what,
                                         struct penrose_error *error)
{
    return error_set(error, PENROSE_E_FORMAT,
                     "%s: %s %s; fetch the image anew from the Python package tt-burnin",
                     member->path, member->name, what);
}

static bool has_header(const struct member *member)
{
    bool is_one = member->size >= HEADER_BYTES && word_of(member->bytes) == MAGIC;
    for (unsigned at = 4; is_one && at < HEADER_BYTES; at += 4) {
        is_one = word_of(member->bytes + at) == 0;
    }
    return is_one;
}

static enum penrose_status read_chunks(const struct member *member, struct loader_writes *writes,
                                       struct penrose_error *error)
{
    if (!has_header(member)) {
        return refuse_member(member, "does not begin with the header of such a file", error);
    }
    for (size_t at = HEADER_BYTES; at < member->size;) {
        const uint8_t *chunk = member->bytes + at;
        if (member->size - at < CHUNK_BYTES || word_of(chunk + 12)) {
            return refuse_member(member, "has a broken chunk header", error);
        }
        uint32_t address = word_of(chunk), size = word_of(chunk + 8);
        at += CHUNK_BYTES;
        if (size > member->size - at) {
            return refuse_member(member, "is cut off", error);
        }
        if (word_of(chunk + 4) || address >= member->l1_bytes ||
            size > member->l1_bytes - address) {
            return refuse_member(member, "has a chunk that is not in L1", error);
        }
        uint8_t *bytes = size ? loader_writes_add(writes, address, size) : NULL;
        if (bytes) {
            memcpy(bytes, member->bytes + at, size);
        } else if (size) {
            return error_set(error, PENROSE_E_MEMORY, "%s: no memory for the image", member->path);
        }
        at += size;
    }
    return PENROSE_OK;
}

/* The unpacked bytes of a file of the zip. */
static enum penrose_status unpack(zip_t *zip, struct member *member, uint8_t **bytes,
                                  struct penrose_error *error)
{
    zip_stat_t status;
    zip_file_t *file = zip_fopen(zip, member->name, 0);
    *bytes = NULL;
    if (!file || zip_stat(zip, member->name, 0, &status) != 0 || status.size > MOST_FILE) {
        if (file) {
            zip_fclose(file);
        }
        return refuse_member(member, file ? "is larger than any tile" : "is missing", error);
    }
    *bytes = malloc(status.size ? status.size : 1);
    zip_int64_t got = *bytes ? zip_fread(file, *bytes, status.size) : 0;
    zip_fclose(file);
    if (!*bytes) {
        return error_set(error, PENROSE_E_MEMORY, "%s: no memory for the image", member->path);
    }
    if (got < 0 || (zip_uint64_t)got != status.size) {
        return refuse_member(member, "cannot be unpacked", error);
    }
    member->bytes = *bytes;
    member->size = status.size;
    return PENROSE_OK;
}

/* Files of other tiles than 0-0 would be lost. */
static enum penrose_status check_tiles(zip_t *zip, const char *path, struct penrose_error *error)
{
    for (zip_int64_t i = 0; i < zip_get_num_entries(zip, 0); i++) {
        const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);
        const char *slash = name ? strchr(name, '/') : NULL;
        if (slash && slash[1] && strncmp(name, "0-0/", 4) != 0) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s is for several tiles (%.80s); only images for 0-0, which goes to "
                             "every tile, can be loaded",
                             path, name);
        }
    }
    return PENROSE_OK;
}

static enum penrose_status read_members(zip_t *zip, const char *path, uint32_t l1_bytes,
                                        struct loader_writes *writes, struct penrose_error *error)
{
    static const char *const names[] = {"0-0/image.bin", "0-0/ckernels.bin"};
    enum penrose_status status = check_tiles(zip, path, error);
    for (unsigned i = 0; i < sizeof names / sizeof names[0] && status == PENROSE_OK; i++) {
        struct member member = {.path = path, .name = names[i], .l1_bytes = l1_bytes};
        uint8_t *bytes;
        status = unpack(zip, &member, &bytes, error);
        status = status == PENROSE_OK ? read_chunks(&member, writes, error) : status;
        free(bytes);
    }
    return status;
}

enum penrose_status loader_ttx_read(const char *path, uint32_t l1_bytes,
                                    struct loader_writes *writes, struct penrose_error *error)
{
    int code;
    zip_t *zip = zip_open(path, ZIP_RDONLY, &code);
    if (!zip) {
        zip_error_t reason;
        zip_error_init_with_code(&reason, code);
        bool is_other = code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS;
        enum penrose_status status = error_set(error, is_other ? PENROSE_E_FORMAT : PENROSE_E_FILE,
                                               "%s: %s%s", path, zip_error_strerror(&reason),
                                               is_other ? "; a .ttx image is a zip archive" : "");
        zip_error_fini(&reason);
        return status;
    }
    enum penrose_status status = read_members(zip, path, l1_bytes, writes, error);
    zip_discard(zip);
    if (status != PENROSE_OK) {
        loader_writes_free(writes);
    }
    return status;
}
