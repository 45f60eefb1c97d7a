/* The state of a cluster as bytes, without compression and check sum: for tests that change them. */
#ifndef SNAPSHOT_BYTES_H
#define SNAPSHOT_BYTES_H

#include <stdlib.h>
#include <string.h>

#include "cluster/snapshot.h"

struct snapshot_bytes {
    uint8_t *bytes;
    size_t size, at; /* `at`: how many have been read */
    unsigned chips;
    char rule[160]; /* why it was refused */
};

static inline bool snapshot_bytes_append(void *context, const uint8_t *bytes, size_t size)
{
    struct snapshot_bytes *state = context;
    uint8_t *grown = realloc(state->bytes, state->size + size + 1);
    if (!grown) {
        return false;
    }
    memcpy(grown + state->size, bytes, size);
    state->bytes = grown;
    state->size += size;
    return true;
}

static inline size_t snapshot_bytes_take(void *context, uint8_t *bytes, size_t size)
{
    struct snapshot_bytes *state = context;
    size_t left = state->size - state->at, part = size < left ? size : left;
    memcpy(bytes, state->bytes + state->at, part);
    state->at += part;
    return part;
}

/* All chips of the chip's cluster. *state is zeros before; free(state->bytes) afterwards. False without
 * memory. */
static inline bool snapshot_bytes_save(struct snapshot_bytes *state, struct penrose_chip *chip)
{
    struct snapshot_writer *writer = malloc(sizeof *writer);
    if (!writer) {
        return false;
    }
    *writer =
        (struct snapshot_writer){.put = snapshot_bytes_append, .context = state, .shares = true};
    snapshot_hash_init(&writer->hash);
    bool is_saved = cluster_save(writer, cluster_of(chip));
    state->chips = cluster_of(chip)->chips;
    snapshot_flush(writer);
    is_saved = is_saved && !writer->failed;
    free(writer);
    return is_saved;
}

/* *chip is the first one. */
static inline enum penrose_status snapshot_bytes_load(struct snapshot_bytes *state,
                                                      struct penrose_chip **chip)
{
    struct penrose_error error;
    struct penrose_cluster *cluster;
    struct snapshot_reader *reader = malloc(sizeof *reader);
    *chip = NULL;
    if (!reader) {
        return PENROSE_E_MEMORY;
    }
    state->at = 0;
    *reader = (struct snapshot_reader){.take = snapshot_bytes_take, .context = state};
    snapshot_hash_init(&reader->hash);
    enum penrose_status status =
        cluster_load(reader, &chip_calls, state->chips, 1, &cluster, &error);
    memcpy(state->rule, reader->rule, sizeof state->rule);
    free(reader);
    *chip = status == PENROSE_OK ? cluster->chip[0] : NULL;
    return status;
}

#endif
