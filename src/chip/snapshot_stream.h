/*
 * The bytes of a snapshot on their way out and in. Writers and readers know neither chips nor files:
 * whoever makes one gives it a function that takes or gives blocks.
 *
 * Bytes go through blocks of SNAPSHOT_BLOCK bytes. The hash is made block by block, so a reader uses the
 * blocks of the writer.
 */
#ifndef CHIP_SNAPSHOT_STREAM_H
#define CHIP_SNAPSHOT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>

#include "chip/snapshot_format.h"

enum { SNAPSHOT_BLOCK = 1 << 16 };

/* --- Out --- */

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

/* Gives the last block away. Returns the hash. */
uint64_t snapshot_flush(struct snapshot_writer *writer);

/* --- In --- */

struct snapshot_reader {
    /* Gives up to `size` bytes, 0 at the end and where nothing can be read. */
    size_t (*take)(void *context, uint8_t *bytes, size_t size);
    void *context;
    struct snapshot_hash hash;
    enum penrose_status status; /* not PENROSE_OK: something is wrong, reads give zeros */
    char rule[160];             /* what it is */
    const char *costs; /* of timed chips, see penrose_snapshot_load; NULL: the usual ones */
    bool is_timed;     /* chips go on timed, whatever they were */
    size_t at, fill;
    uint8_t block[SNAPSHOT_BLOCK];
};

void snapshot_get(struct snapshot_reader *reader, void *bytes, size_t size);

/* Reads bytes, but does not write to pages that have these bytes already. They stay untouched. */
void snapshot_get_sparing(struct snapshot_reader *reader, void *bytes, size_t size);

/* A number up to `most`; `what` names it. 0 after a failure. */
uint64_t snapshot_get_number(struct snapshot_reader *reader, const char *what, uint64_t most);

/* The first thing that is wrong stays. */
void snapshot_fail(struct snapshot_reader *reader, enum penrose_status status, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

#endif
