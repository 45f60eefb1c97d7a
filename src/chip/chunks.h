/*
 * Chunks of sparse memory (chip/sparse.h) that are made ready before anybody needs them. A large
 * page takes the host 70 microseconds to fill with zeros, and milliseconds where a virtual machine
 * has to get it from its own host first; a thread that has nothing else to do takes that over.
 *
 * Who sees memory fill up asks for more; what nobody takes stays until the end. Any number of
 * threads. A child of fork() may do without those that were under way.
 */
#ifndef CHIP_CHUNKS_H
#define CHIP_CHUNKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CHUNKS_READY = 32 /* at most: 64 MiB */ };

/* All zero is a supply that has nothing ready. */
struct chunks {
    atomic_uint promised; /* asked for, under way or ready */
    atomic_uint wanted;   /* of those, that nobody has begun */
    _Atomic(uint8_t *) ready[CHUNKS_READY];
};

/* Asks for up to `count` more. */
void chunks_want(struct chunks *chunks, unsigned count);

/* Makes one that somebody asked for; false where there was nothing to do, or no memory. */
bool chunks_prepare(struct chunks *chunks);

/* One of SPARSE_CHUNK_BYTES zeros, for host_pages_unmap; NULL where none is ready. */
uint8_t *chunks_take(struct chunks *chunks);

/* Gives those back that nobody took. One thread. */
void chunks_free(struct chunks *chunks);

#endif
