/* What snapshots of all kinds of chips have in common: how a file begins, and the hash of bytes. */
#ifndef CHIP_SNAPSHOT_FORMAT_H
#define CHIP_SNAPSHOT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* What the file of a snapshot begins with. */
extern const char snapshot_magic[8];

enum { SNAPSHOT_LANES = 4 };

struct snapshot_hash {
    uint64_t lane[SNAPSHOT_LANES], bytes;
};

void snapshot_hash_init(struct snapshot_hash *hash);

/* Adds bytes; calls with all but the last a multiple of 32 bytes long are as good as one. */
void snapshot_hash_add(struct snapshot_hash *hash, const void *bytes, size_t size);
uint64_t snapshot_hash_value(const struct snapshot_hash *hash);

#endif
