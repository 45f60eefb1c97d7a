/* Chunks made in advance, see chip/chunks.h. */
#include "chip/chunks.h"

#include "chip/sparse.h"
#include "host/pages.h"

void chunks_want(struct chunks *chunks, unsigned count)
{
    for (; count > 0; count--) {
        if (atomic_fetch_add(&chunks->promised, 1) >= CHUNKS_READY) {
            atomic_fetch_sub(&chunks->promised, 1);
            return;
        }
        atomic_fetch_add(&chunks->wanted, 1);
    }
}

/* Takes over what somebody asked for. */
static bool begin(struct chunks *chunks)
{
    unsigned wanted = atomic_load(&chunks->wanted);
    while (wanted > 0) {
        if (atomic_compare_exchange_weak(&chunks->wanted, &wanted, wanted - 1)) {
            return true;
        }
    }
    return false;
}

/* There is a place for each that was promised. */
static void put(struct chunks *chunks, uint8_t *bytes)
{
    for (unsigned i = 0;; i = (i + 1) % CHUNKS_READY) {
        uint8_t *none = NULL;
        if (atomic_compare_exchange_strong(&chunks->ready[i], &none, bytes)) {
            return;
        }
    }
}

bool chunks_prepare(struct chunks *chunks)
{
    if (!begin(chunks)) {
        return false;
    }
    uint8_t *bytes = host_pages_map_large();
    if (!bytes) {
        atomic_fetch_sub(&chunks->promised, 1);
        return false;
    }
    host_pages_fill(bytes, SPARSE_CHUNK_BYTES);
    put(chunks, bytes);
    return true;
}

uint8_t *chunks_take(struct chunks *chunks)
{
    for (unsigned i = 0; i < CHUNKS_READY; i++) {
        uint8_t *bytes = atomic_load_explicit(&chunks->ready[i], memory_order_relaxed)
                             ? atomic_exchange(&chunks->ready[i], NULL)
                             : NULL;
        if (bytes) {
            atomic_fetch_sub(&chunks->promised, 1);
            return bytes;
        }
    }
    return NULL;
}

void chunks_free(struct chunks *chunks)
{
    for (uint8_t *bytes; (bytes = chunks_take(chunks));) {
        host_pages_unmap(bytes, SPARSE_CHUNK_BYTES);
    }
}
