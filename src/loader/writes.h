/* The product of the loader: a list of writes to one tile's memory. The owner of the tile applies
 * them in order. Every write owns its bytes; addresses are L1 addresses of the tile. */
#ifndef LOADER_WRITES_H
#define LOADER_WRITES_H

#include <stddef.h>
#include <stdint.h>

struct loader_write {
    uint32_t address;
    uint32_t size;  /* at least 1 */
    uint8_t *bytes; /* malloc'ed */
};

/* An empty list is all zero. */
struct loader_writes {
    struct loader_write *write;
    unsigned count;
    size_t room; /* allocated entries */
};

/*
 * Appends a write of `size` zero bytes, at least 1, and returns them for filling; NULL when memory
 * runs out (the list is as before).
 */
uint8_t *loader_writes_add(struct loader_writes *writes, uint32_t address, uint32_t size);

/* Frees all writes and leaves an empty list. */
void loader_writes_free(struct loader_writes *writes);

#endif
