/* Packets that have left and have not arrived, in all queues. */
#ifndef OBSERVE_UNDER_WAY_H
#define OBSERVE_UNDER_WAY_H

#include "chip/chip.h"
#include "observe/sink.h"

/* Calls `visit` for each packet: those that have left a tile or bank, and those that wait at the
 * place where they are to be served. */
void under_way_visit(const struct penrose_chip *chip,
                     void (*visit)(void *context, const struct noc_packet *packet), void *context);

/* Is it a request, and not a response on its way back? */
static inline bool under_way_is_request(const struct noc_packet *packet)
{
    return packet->kind <= NOC_ATOMIC;
}

/* The place at the other end, as the sender sees it. */
static inline uint16_t under_way_peer(const struct noc_packet *packet)
{
    return under_way_is_request(packet) ? packet->to : packet->from;
}

/* Packets of some kind, by the place at their other end: how many, and the first few places. */
enum { UNDER_WAY_PLACES = 6 };
struct under_way {
    unsigned packets, places;
    uint16_t place[UNDER_WAY_PLACES];
    bool has_more; /* than these places */
};

void under_way_add(struct under_way *under_way, uint16_t place);

/* "3 requests are under way, to DRAM (17, 12), worker (2, 2)", or that there are none. `what` is
 * "request", `where` is "to". */
void under_way_put(struct sink *sink, const struct penrose_chip *chip,
                   const struct under_way *under_way, const char *what, const char *where);

/* "worker (1, 2)", "DRAM (17, 12)", as hosts name it. */
void under_way_put_place(struct sink *sink, const struct penrose_chip *chip, uint16_t place);

/* As under_way_put_place in a report of `home`: "chip 1 worker (1, 2)" where the chip is another. */
void under_way_put_far_place(struct sink *sink, const struct penrose_chip *home,
                             const struct penrose_chip *chip, uint16_t place);

#endif
