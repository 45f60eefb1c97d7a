/* Hashes of what the coprocessor holds, see held.h. */
#include "observe/explain/held.h"

#include <stdlib.h>
#include <string.h>

#include "chip/snapshot.h"
#include "host/array.h"

static void update_held(void *held, const void *now, size_t size)
{
    if (memcmp(held, now, size) != 0) {
        memcpy(held, now, size);
    }
}

static void update_held_parts(struct held *held, const struct tensix *tensix)
{
    update_held(held->src, tensix->src_file, sizeof held->src);
    update_held(held->lreg, tensix->vector.lreg, sizeof held->lreg);
    update_held(held->config, tensix->config, sizeof held->config);
    update_held(held->thread_config, tensix->thread_config, sizeof held->thread_config);
}

void held_start(struct held *held, const struct tensix *tensix)
{
    held->dst = tensix->dst;
    update_held_parts(held, tensix);
}

void held_free(struct held *held)
{
    free(held->change);
}

static void note_dst_change(struct held *held, const struct observed *event, uint64_t sequence)
{
    if (!array_grow(&held->change, held->changes, &held->change_room, sizeof *held->change)) {
        return; /* later changes are not told */
    }
    held->change[held->changes++] =
        (struct held_change){sequence, {true, event->cycle, event->pc, event->word, event->thread}};
}

void held_look(struct held *held, const struct tensix *tensix, const struct observed *event,
               uint64_t sequence)
{
    if (memcmp(&held->dst, &tensix->dst, sizeof held->dst) != 0) {
        held->dst = tensix->dst;
        note_dst_change(held, event, sequence);
    }
    update_held_parts(held, tensix);
}

uint64_t held_hash_bytes(uint64_t before, const void *bytes, size_t size)
{
    struct snapshot_hash hash;
    snapshot_hash_init(&hash);
    snapshot_hash_add(&hash, &before, sizeof before);
    snapshot_hash_add(&hash, bytes, size);
    return snapshot_hash_value(&hash);
}

const uint64_t *held_hashes(struct held *held, uint64_t sequence)
{
    if (held->hashed != sequence) {
        uint64_t thread_config =
            held_hash_bytes(0, held->thread_config, sizeof held->thread_config);
        held->hash[WRITERS_PART_DST] = held_hash_bytes(0, &held->dst, sizeof held->dst);
        held->hash[WRITERS_PART_SRC] =
            held_hash_bytes(held_hash_bytes(0, held->src[0].bank, sizeof held->src[0].bank),
                            held->src[1].bank, sizeof held->src[1].bank);
        held->hash[WRITERS_PART_LREGS] = held_hash_bytes(0, held->lreg, sizeof held->lreg);
        held->hash[WRITERS_PART_CONFIG] =
            held_hash_bytes(thread_config, held->config, sizeof held->config);
        held->hashed = sequence;
    }
    return held->hash;
}

struct writers_dst_change held_dst_change(const struct held *held, uint64_t sequence)
{
    for (size_t i = 0; i < held->changes; i++) {
        if (held->change[i].sequence > sequence) {
            return held->change[i].what;
        }
    }
    return (struct writers_dst_change){.is_there = false};
}
