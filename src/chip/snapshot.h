/*
 * Snapshots: the whole state of a chip, as bytes. snapshot.c has the format (header, compression,
 * check sum, files), snapshot_rows.c saves structs by the rows of snapshot.def, and snapshot_state.c
 * walks over a chip.
 *
 * A snapshot is a header and a zstd frame, which holds the state and then the hash of the header
 * and the state. State goes through blocks of SNAPSHOT_BLOCK bytes. The hash is made block by
 * block, so a reader uses the blocks of the writer.
 *
 * Anybody may have written a snapshot. So nothing that is read is trusted before it was compared
 * with a limit, and a chip is handed out only after its hash was found right.
 */
#ifndef CHIP_SNAPSHOT_H
#define CHIP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "chip/snapshot_format.h"

enum { SNAPSHOT_BLOCK = 1 << 16, SNAPSHOT_VERSION = 3 };

/* --- What there is to save: snapshot.def --- */

enum snapshot_kind {
    SNAPSHOT_PLAIN,
    SNAPSHOT_LIMIT,
    SNAPSHOT_INNER,
    SNAPSHOT_PAGES,
    SNAPSHOT_LEAVE,  /* this member */
    SNAPSHOT_BESIDE, /* it and all behind it */
    SNAPSHOT_HINTS,  /* no member: the rows behind it are not hashed */
};

struct snapshot_type;

struct snapshot_member {
    const char *name;
    uint32_t offset, size;
    enum snapshot_kind kind;
    uint32_t unit;                    /* of SNAPSHOT_LIMIT: bytes of a number */
    uint64_t most;                    /* of SNAPSHOT_LIMIT */
    const struct snapshot_type *type; /* of SNAPSHOT_INNER */
};

struct snapshot_type {
    const char *name;
    uint32_t size, members;
    bool is_state; /* saved as it lies; members are those with limits, and lead to some */
    const struct snapshot_member *member;
};

/* All of them, for the layout and for tests; NULL past the last. */
const struct snapshot_type *snapshot_type_at(size_t index);

/* Those with which snapshot_state.c begins. */
extern const struct snapshot_type snapshot_type_tile, snapshot_type_tile_weak, snapshot_type_eth,
    snapshot_type_overlay_stream, snapshot_type_noc_packet, snapshot_type_tile_frame,
    snapshot_type_dram_bank, snapshot_type_chip_fault, snapshot_type_penrose_options,
    snapshot_type_penrose_unmodelled, snapshot_type_penrose_chip;

/* A number that says what this build saves, and in which order. */
uint64_t snapshot_layout(void);

/* --- Bytes on their way out --- */

struct snapshot_writer {
    /* Takes a block. False: it could not be written. NULL: only the hash of the state is wanted,
     * without hints, and with everybody brought to the present (tile/present.h). */
    bool (*put)(void *context, const uint8_t *bytes, size_t size);
    void *context;
    struct snapshot_hash hash;
    bool failed;
    bool shares; /* data that several packets have are written once */
    size_t fill;
    uint8_t block[SNAPSHOT_BLOCK];
};

void snapshot_put(struct snapshot_writer *writer, const void *bytes, size_t size);
void snapshot_put_number(struct snapshot_writer *writer, uint64_t value);

static inline bool snapshot_is_hash(const struct snapshot_writer *writer)
{
    return !writer->put;
}

void snapshot_put_object(struct snapshot_writer *writer, const struct snapshot_type *type,
                         const void *object);

enum { SNAPSHOT_PAGE = 4096 };
#define SNAPSHOT_NO_MORE UINT64_MAX /* behind the last page */

/* Pages that are not zero, each behind its number; `first` is that of the first. `size` is a
 * multiple of a page. */
void snapshot_put_pages(struct snapshot_writer *writer, const void *memory, size_t size,
                        uint64_t first);

/* All pages of a memory that are not zero. */
void snapshot_put_memory(struct snapshot_writer *writer, const void *memory, size_t size);

/* Is there nothing but zeros to save of it? */
bool snapshot_is_blank(const struct snapshot_type *type, const void *object);

/* Gives the last block away. Returns the hash. */
uint64_t snapshot_flush(struct snapshot_writer *writer);

/* Writes all of a chip. False when memory runs out. */
bool snapshot_save_chip(struct snapshot_writer *writer, struct penrose_chip *chip);

/* --- Bytes on their way in --- */

struct snapshot_reader {
    /* Gives up to `size` bytes, 0 at the end and where nothing can be read. */
    size_t (*take)(void *context, uint8_t *bytes, size_t size);
    void *context;
    struct snapshot_hash hash;
    enum penrose_status status; /* not PENROSE_OK: something is wrong, reads give zeros */
    char rule[160];             /* what it is */
    size_t at, fill;
    uint8_t block[SNAPSHOT_BLOCK];
};

void snapshot_get(struct snapshot_reader *reader, void *bytes, size_t size);

/* Reads bytes, but does not write to pages that have these bytes already. They stay untouched. */
void snapshot_get_sparing(struct snapshot_reader *reader, void *bytes, size_t size);

/* A number up to `most`; `what` names it. 0 after a failure. */
uint64_t snapshot_get_number(struct snapshot_reader *reader, const char *what, uint64_t most);

void snapshot_get_object(struct snapshot_reader *reader, const struct snapshot_type *type,
                         void *object);

/* The number of the next page, above *last if there is *any, and below `pages`; false at the end. */
bool snapshot_next_page(struct snapshot_reader *reader, uint64_t pages, uint64_t *last, bool *any);

/* What snapshot_put_memory has put. Other pages become zero. */
void snapshot_get_memory(struct snapshot_reader *reader, void *memory, size_t size);

/* The first thing that is wrong stays. */
void snapshot_fail(struct snapshot_reader *reader, enum penrose_status status, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/* Makes a chip of what the reader gives; host-only things come from `options`. On failure *chip is
 * NULL, and reader->status or *error says why. */
enum penrose_status snapshot_load_chip(struct snapshot_reader *reader,
                                       const struct penrose_options *options,
                                       struct penrose_chip **chip, struct penrose_error *error);

#endif
