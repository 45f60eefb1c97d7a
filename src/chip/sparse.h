/* Memory of up to 2^64 bytes. Only written parts take room; the rest reads as zeros. One thread at
 * a time. */
#ifndef CHIP_SPARSE_H
#define CHIP_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPARSE_CHUNK_SHIFT = 21 };
#define SPARSE_CHUNK_BYTES (UINT64_C(1) << SPARSE_CHUNK_SHIFT)

struct sparse_chunk {
    uint64_t number; /* address >> SPARSE_CHUNK_SHIFT */
    uint8_t *bytes;  /* NULL: a free slot */
};

struct sparse {
    struct sparse_chunk *slot; /* a hash table, a power of two of them */
    size_t slots, used;
};

/* All zero is an empty memory. */
void sparse_free(struct sparse *memory);

void sparse_read(const struct sparse *memory, uint64_t address, void *bytes, uint64_t size);

/* False when memory runs out; a part may have been written then. */
bool sparse_write(struct sparse *memory, uint64_t address, const void *bytes, uint64_t size);

/* The bytes of the chunk that holds `address`, or NULL where nothing was written yet. */
uint8_t *sparse_chunk(const struct sparse *memory, uint64_t address);

#endif
