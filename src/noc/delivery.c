/* See delivery.h. */
#include "noc/delivery.h"

uint64_t noc_latency(const struct noc_delivery *delivery, const struct noc_packet *packet,
                     unsigned hops)
{
    bool has_data =
        packet->kind == NOC_READ_RESPONSE || (packet->kind == NOC_WRITE && !packet->is_inline);
    const struct timing *timing = delivery->timing;
    if (!timing) {
        return delivery->window;
    }
    return 2 * timing_cycles(timing, TIMING_NOC_NIU) +
           (uint64_t)timing_cycles(timing, TIMING_NOC_HOP) * hops +
           (has_data ? noc_packet_flits(packet, packet->address) : 0);
}

/* SPEC: WormholeB0 NoC/Ordering: requests from one place to another keep their order where software
 * fixed the virtual channel, or linked them; responses never do. */
bool noc_keeps_order(const struct noc_delivery *delivery, const struct noc_packet *packet)
{
    return (delivery->timing || delivery->at_random) && packet->kind <= NOC_ATOMIC &&
           (packet->channel != NOC_ANY_CHANNEL || packet->is_linked);
}
