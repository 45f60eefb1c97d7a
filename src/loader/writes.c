/* A growing list of writes; see writes.h. */
#include "loader/writes.h"

#include <stdlib.h>

#include "host/array.h"

uint8_t *loader_writes_add(struct loader_writes *writes, uint32_t address, uint32_t size)
{
    bool has_room = array_grow(&writes->write, writes->count, &writes->room, sizeof *writes->write);
    uint8_t *bytes = has_room ? calloc(1, size) : NULL;
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
