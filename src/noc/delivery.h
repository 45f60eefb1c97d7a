/*
 * When what the NoC carries gets there: the policy of a chip, and the one place that knows it.
 *
 *   at once    functional runs: what nobody else can tell from what travels takes no time
 *              (tile/noc_short.c, chip/gddr.c); all else arrives when the length of a window has
 *              passed, however far it goes
 *   by hops    timed runs: SPEC NoC/README, performance
 *   at random  --schedule random: requests depart late, packets are late, and they overtake each
 *              other as far as the hardware lets them
 */
#ifndef NOC_DELIVERY_H
#define NOC_DELIVERY_H

#include "isa/timing.h"
#include "noc/packet.h"

struct noc_delivery {
    bool at_once, at_random;
    const struct timing *timing; /* NULL unless by hops */
    uint64_t window;             /* cycles, of the chip's windows */
};

/* At random: cycles at most that a request waits to depart, and that a packet is late. */
enum { NOC_MOST_DEPARTURE = 600, NOC_MOST_DELAY = 1500 };

/* Cycles from a packet's departure, over so many hops, to its arrival. */
uint64_t noc_latency(const struct noc_delivery *delivery, const struct noc_packet *packet,
                     unsigned hops);

/* Does a packet arrive after those that left before it on the same way? Where latencies are equal
 * all do by themselves. */
bool noc_keeps_order(const struct noc_delivery *delivery, const struct noc_packet *packet);

#endif
