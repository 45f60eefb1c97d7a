/*
 * When what the NoC carries gets there: the policy of a chip, and the one place that knows it.
 *
 *   at once    functional runs: what nobody else can tell from what travels takes no time
 *              (tile/noc_short.c, chip/gddr.c); all else arrives when the length of a window has
 *              passed, however far it goes
 *   by hops    timed runs: SPEC NoC/README, performance. A packet leaves, and arrives, when the last of
 *              its data has passed its NIU. Between routers packets wait for one another (chip/links.h)
 *   at random  --schedule random: requests depart late, packets are late, and they overtake each
 *              other as far as the hardware lets them
 */
#ifndef NOC_DELIVERY_H
#define NOC_DELIVERY_H

#include "isa/timing.h"
#include "noc/packet.h"

/* An NIU's way out. Timed runs: the data of packets pass one after the other. */
struct noc_ways {
    struct timing_resource out;
    uint64_t
        begins; /* when the latest that is to leave begins to. HW: until then an NIU takes no other
                        request (noc.y.write_64tx_same, 2 KiB: 34 cycles each) */
    bool is_linked; /* the request that left last belongs to a transaction that goes on */
    uint8_t gap[7];
};

struct noc_delivery {
    bool at_once, at_random;
    bool has_late;               /* some packets are late (penrose_delay) */
    const struct timing *timing; /* NULL unless by hops */
    uint64_t window;             /* cycles, of the chip's windows */
};

/* At random: cycles at most that a request waits to depart, and that a packet is late. */
enum { NOC_MOST_DEPARTURE = 600, NOC_MOST_DELAY = 1500 };

/* When a packet has passed a way of an NIU, through which its last flit would go at `last` if there
 * were no other packets. Requests pass out of an NIU in order. */
uint64_t noc_pass(const struct noc_delivery *delivery, struct timing_resource *way,
                  const struct noc_packet *packet, uint64_t last);

/* A packet begins to leave an NIU at `cycle`, or behind others. It is sent when it has passed, which is
 * also the result; at once where no time is charged. A multicast that reserves its path does so first:
 * its tree reaches as far as `hops`. */
uint64_t noc_leave(const struct noc_delivery *delivery, struct noc_ways *ways,
                   struct noc_packet *packet, uint64_t cycle, unsigned hops);

/* Timed runs: when the data of a packet that leaves a command buffer at `cycle` have been read. The NIU has
 * read the first flit before the way is free. GUESS: it reads the others as they leave. */
uint64_t noc_has_read(const struct noc_packet *packet, uint64_t cycle);

/* Flits of data. SPEC: headers have a flit of their own; HW: which takes no time
 * (noc.stream.write_dx1). */
uint32_t noc_data_flits(const struct noc_packet *packet);

/* Timed runs: from the first of them to the last, in an NIU that nobody else uses. */
uint64_t noc_cycles_alone(const struct noc_delivery *delivery, const struct noc_packet *packet);

/* Cycles from a packet's departure to its arrival that its way between routers does not take: at least
 * those of a window. */
uint64_t noc_cycles_of_ends(const struct noc_delivery *delivery);

/* Does a packet arrive after those that left before it on the same way? Where latencies are equal
 * all do by themselves. */
bool noc_keeps_order(const struct noc_delivery *delivery, const struct noc_packet *packet);

#endif
