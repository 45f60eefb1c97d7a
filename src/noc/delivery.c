/* See delivery.h. */
#include "noc/delivery.h"

/* Bytes of flits of data. SPEC: headers have a flit of their own; HW: which takes no time
 * (noc.stream.write_dx1). */
static uint32_t bytes_of(const struct noc_packet *packet)
{
    bool has_data =
        packet->kind == NOC_READ_RESPONSE || (packet->kind == NOC_WRITE && !packet->is_inline);
    return has_data ? noc_packet_flits(packet, packet->address) * NOC_FLIT_BYTES : 0;
}

uint64_t noc_pass(const struct noc_delivery *delivery, struct timing_resource *way,
                  const struct noc_packet *packet, uint64_t last)
{
    uint32_t bytes = bytes_of(packet);
    if (bytes == 0 && packet->kind > NOC_ATOMIC) {
        return last;
    }
    uint64_t alone = bytes / delivery->timing->rate[TIMING_NOC_NIU_BYTES];
    timing_ask(delivery->timing, TIMING_NOC_NIU_BYTES, way, bytes, last > alone ? last - alone : 0);
    return way->free_at > last ? way->free_at : last;
}

uint64_t noc_leave(const struct noc_delivery *delivery, struct noc_ways *ways,
                   struct noc_packet *packet, uint64_t cycle)
{
    packet->sent = cycle;
    packet->has_passed = false;
    if (delivery->timing) {
        uint64_t alone = bytes_of(packet) / delivery->timing->rate[TIMING_NOC_NIU_BYTES];
        ways->begins = ways->out.free_at > cycle ? ways->out.free_at : cycle;
        packet->sent = noc_pass(delivery, &ways->out, packet, cycle + alone);
    }
    return packet->sent;
}

bool noc_must_pass(const struct noc_delivery *delivery, struct noc_ways *ways,
                   struct noc_packet *packet)
{
    if (!delivery->timing || packet->has_passed) {
        return false;
    }
    uint64_t passed = noc_pass(delivery, &ways->in, packet, packet->arrival);
    bool waits = passed > packet->arrival;
    packet->has_passed = true;
    packet->arrival = passed;
    return waits;
}

uint64_t noc_latency(const struct noc_delivery *delivery, unsigned hops)
{
    const struct timing *timing = delivery->timing;
    if (!timing) {
        return delivery->window;
    }
    uint64_t cycles = 2 * timing_cycles(timing, TIMING_NOC_NIU) +
                      (uint64_t)timing_cycles(timing, TIMING_NOC_HOP) * hops +
                      timing_cycles(timing, TIMING_NOC_END);
    return cycles > delivery->window ? cycles : delivery->window; /* where costs are changed */
}

/* SPEC: WormholeB0 NoC/Ordering: requests from one place to another keep their order where software
 * fixed the virtual channel, or linked them; responses never do. */
bool noc_keeps_order(const struct noc_delivery *delivery, const struct noc_packet *packet)
{
    return (delivery->timing || delivery->at_random || delivery->has_late) &&
           packet->kind <= NOC_ATOMIC && (packet->channel != NOC_ANY_CHANNEL || packet->is_linked);
}
