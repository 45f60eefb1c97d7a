/* Sparse memory, see chip/sparse.h. */
#include "chip/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "host/pages.h"

enum { LEAST_SLOTS = 64 };

static size_t home(const struct sparse *memory, uint64_t number)
{
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (memory->slots - 1);
}

/* The slot of a chunk, or the free one where it would stand. */
static struct sparse_chunk *find(const struct sparse *memory, uint64_t number)
{
    size_t i = home(memory, number);
    while (memory->slot[i].bytes && memory->slot[i].number != number) {
        i = (i + 1) & (memory->slots - 1);
    }
    return &memory->slot[i];
}

uint8_t *sparse_chunk(const struct sparse *memory, uint64_t address)
{
    return memory->slots ? find(memory, address >> SPARSE_CHUNK_SHIFT)->bytes : NULL;
}

static bool grow_sparse(struct sparse *memory)
{
    struct sparse larger = *memory;
    larger.slots = memory->slots ? 2 * memory->slots : LEAST_SLOTS;
    larger.slot = calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot) {
        return false;
    }
    for (size_t i = 0; i < memory->slots; i++) {
        if (memory->slot[i].bytes) {
            *find(&larger, memory->slot[i].number) = memory->slot[i];
        }
    }
    free(memory->slot);
    *memory = larger;
    return true;
}

static uint8_t *touch(struct sparse *memory, uint64_t address)
{
    uint8_t *bytes = sparse_chunk(memory, address);
    if (bytes) {
        return bytes;
    }
    if (2 * memory->used >= memory->slots && !grow_sparse(memory)) {
        return NULL;
    }
    bytes = host_pages_map(SPARSE_CHUNK_BYTES);
    if (!bytes) {
        return NULL;
    }
    uint64_t number = address >> SPARSE_CHUNK_SHIFT;
    *find(memory, number) = (struct sparse_chunk){.number = number, .bytes = bytes};
    memory->used++;
    return bytes;
}

void sparse_free(struct sparse *memory)
{
    for (size_t i = 0; i < memory->slots; i++) {
        if (memory->slot[i].bytes) {
            host_pages_unmap(memory->slot[i].bytes, SPARSE_CHUNK_BYTES);
        }
    }
    free(memory->slot);
    *memory = (struct sparse){0};
}

/* Bytes of [address, address + size) that lie in the chunk of `address`. */
static uint64_t in_chunk(uint64_t address, uint64_t size)
{
    uint64_t rest = SPARSE_CHUNK_BYTES - (address & (SPARSE_CHUNK_BYTES - 1));
    return size < rest ? size : rest;
}

void sparse_read(const struct sparse *memory, uint64_t address, void *bytes, uint64_t size)
{
    uint8_t *to = bytes;
    while (size > 0) {
        uint64_t piece = in_chunk(address, size);
        const uint8_t *chunk = sparse_chunk(memory, address);
        if (chunk) {
            memcpy(to, chunk + (address & (SPARSE_CHUNK_BYTES - 1)), piece);
        } else {
            memset(to, 0, piece);
        }
        address += piece;
        to += piece;
        size -= piece;
    }
}

bool sparse_write(struct sparse *memory, uint64_t address, const void *bytes, uint64_t size)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        uint64_t piece = in_chunk(address, size);
        uint8_t *chunk = touch(memory, address);
        if (!chunk) {
            return false;
        }
        memcpy(chunk + (address & (SPARSE_CHUNK_BYTES - 1)), from, piece);
        address += piece;
        from += piece;
        size -= piece;
    }
    return true;
}
