/* State of the two unpackers that is their own: plain data, all zero after power-on. */
#ifndef TENSIX_UNPACK_H
#define TENSIX_UNPACK_H

#include <stdint.h>

enum { TENSIX_UNPACKERS = 2 };

struct tensix_unpacker {
    uint32_t context_counter[3]; /* of each thread */
    uint32_t src_row[3];         /* SPEC: SrcRow, of each thread */
};

#endif
