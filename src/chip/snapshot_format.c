/* See snapshot_format.h. */
#include "chip/snapshot_format.h"

#include <string.h>

const char snapshot_magic[8] = {'P', 'E', 'N', 'R', 'O', 'S', 'E', '\x1a'};

/* Four lanes, so that multiplications do not wait for each other. */
static uint64_t mix(uint64_t lane, uint64_t word)
{
    lane = (lane ^ word) * UINT64_C(0x9fb21c651e98df25);
    return lane << 29 | lane >> 35;
}

void snapshot_hash_init(struct snapshot_hash *hash)
{
    *hash = (struct snapshot_hash){.lane = {1, 2, 3, 4}};
}

void snapshot_hash_add(struct snapshot_hash *hash, const void *bytes, size_t size)
{
    enum { STEP = SNAPSHOT_LANES * 8 };
    const uint8_t *from = bytes;
    uint64_t lane[SNAPSHOT_LANES], word[SNAPSHOT_LANES];
    memcpy(lane, hash->lane, sizeof lane);
    hash->bytes += size;
    for (; size >= STEP; size -= STEP, from += STEP) {
        memcpy(word, from, STEP);
        for (unsigned i = 0; i < SNAPSHOT_LANES; i++) {
            lane[i] = mix(lane[i], word[i]);
        }
    }
    if (size > 0) {
        memset(word, 0, sizeof word);
        memcpy(word, from, size);
        for (unsigned i = 0; i < SNAPSHOT_LANES; i++) {
            lane[i] = mix(lane[i], word[i]);
        }
    }
    memcpy(hash->lane, lane, sizeof lane);
}

uint64_t snapshot_hash_value(const struct snapshot_hash *hash)
{
    uint64_t value = hash->bytes;
    for (unsigned i = 0; i < SNAPSHOT_LANES; i++) {
        value = mix(value, hash->lane[i]);
        value ^= value >> 32;
    }
    value = mix(value, 0);
    return value ^ value >> 29;
}
