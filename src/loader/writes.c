/* A growing list of writes; see writes.h. */
#include "loader/writes.h"

#include <stdlib.h>

uint8_t *loader_writes_add(struct loader_writes *writes, uint32_t address, uint32_t size)
{
    if (writes->count == writes->room) {
        unsigned room = writes->room ? writes->room * 2 : 16;
        struct loader_write *grown = realloc(writes->write, room * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        writes->write = grown;
        writes->room = room;
    }
    uint8_t *bytes = calloc(1, size);
    if (bytes) {
        writes->write[writes->count++] =
            (struct loader_write){.address = address, .size = size, .bytes = bytes};
    }
    return bytes;
}

void loader_writes_free(struct loader_writes *writes)
{
    for (unsigned i = 0; i < writes->count; i++) {
        free(writes->write[i].bytes);
    }
    free(writes->write);
    *writes = (struct loader_writes){0};
}
