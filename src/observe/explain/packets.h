/*
 * Follows values through packets. It finds the address at the sender of a word that a packet has
 * brought. A write has that address itself. A response belongs to a request of the tile, which has
 * it.
 */
#ifndef OBSERVE_EXPLAIN_PACKETS_H
#define OBSERVE_EXPLAIN_PACKETS_H

#include "observe/observer.h"

enum { PACKET_REQUESTS = 256 }; /* the latest ones are known */

struct packet_requests {
    struct packet_request {
        uint64_t from, to; /* addresses at `node`, and here */
        uint32_t size;
        uint16_t node;
    } request[PACKET_REQUESTS];
    uint64_t count; /* so many there were */
};

/* A packet leaves the tile. */
void packets_note_sent(struct packet_requests *requests, const struct observed *event);

/* The address of `word`, which a packet writes, at the packet's sender; UINT64_MAX: not known. */
uint64_t packets_origin(const struct packet_requests *requests, const struct observed *event,
                        uint64_t word);

#endif
