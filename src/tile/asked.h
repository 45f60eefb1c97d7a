/* Recent NoC requests of a tile's harts, for reports: atomics and small writes, by which software
 * posts, to any place; and reads that a hart repeats, by which it polls memory elsewhere. */
#ifndef TILE_ASKED_H
#define TILE_ASKED_H

#include "rv32/rv32.h"
#include "noc/packet.h"

struct tile;

enum {
    ASKED_POSTS = 24,      /* that are remembered, for each tile */
    ASKED_POST_BYTES = 16, /* a write of more is data */
    ASKED_READS = 2,       /* that a hart does in turn */
    ASKED_AGAIN = 16, /* a hart polls that has done a read so often, and nothing else on the NoC */
};

/* Requests of one hart to one place; `times` is 0 where there is none. */
struct asked {
    uint64_t address;
    uint32_t times;
    uint32_t pc; /* of the latest */
    uint32_t size;
    uint16_t to;
    uint8_t agent, noc, kind;
    bool is_multicast;
    uint8_t gap[2];
    struct noc_span span;
};

struct tile_asked {
    struct asked post[ASKED_POSTS]; /* the latest new one is in front */
    struct asked read[RV32_CORES][ASKED_READS];
};

/* A packet leaves the tile. */
void tile_note_asked(struct tile *tile, const struct noc_packet *packet);

/* Does a post go to an address of a place? */
bool asked_reaches(const struct asked *asked, uint16_t place, uint64_t address);

/* The read that a hart does again and again, and nothing else on the NoC; NULL: it does not. */
const struct asked *asked_again(const struct tile_asked *asked, enum rv32_core core);

#endif
