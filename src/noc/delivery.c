/* See delivery.h. */
#include "noc/delivery.h"

uint32_t noc_data_flits(const struct noc_packet *packet)
{
    bool has_data =
        packet->kind == NOC_READ_RESPONSE || (packet->kind == NOC_WRITE && !packet->is_inline);
    return has_data ? noc_packet_flits(packet, packet->address) : 0;
}

uint64_t noc_cycles_alone(const struct noc_delivery *delivery, const struct noc_packet *packet)
{
    return noc_data_flits(packet) * NOC_FLIT_BYTES / delivery->timing->rate[TIMING_NOC_NIU_BYTES];
}

uint64_t noc_pass(const struct noc_delivery *delivery, struct timing_resource *way,
                  const struct noc_packet *packet, uint64_t last)
{
    uint32_t flits = noc_data_flits(packet);
    if (flits == 0 && packet->kind > NOC_ATOMIC) {
        return last;
    }
    uint64_t alone = noc_cycles_alone(delivery, packet);
    timing_ask(delivery->timing, TIMING_NOC_NIU_BYTES, way, (uint64_t)flits * NOC_FLIT_BYTES,
               last > alone ? last - alone : 0);
    return way->free_at > last ? way->free_at : last;
}

/* SPEC: BlackholeA0 NoC/README: all routers of the tree tell the NIU that they are ready. */
static uint64_t cycles_of_reservation(const struct timing *timing, unsigned hops)
{
    return 2 * (uint64_t)timing_cycles(timing, TIMING_NOC_NIU) +
           hops * ((uint64_t)timing_cycles(timing, TIMING_NOC_HOP) +
                   timing_cycles(timing, TIMING_NOC_READY));
}

uint64_t noc_leave(const struct noc_delivery *delivery, struct noc_ways *ways,
                   struct noc_packet *packet, uint64_t cycle, unsigned hops)
{
    packet->sent = cycle;
    packet->has_passed = false;
    if (delivery->timing) {
        ways->begins = ways->out.free_at > cycle ? ways->out.free_at : cycle;
        if (packet->kind <= NOC_ATOMIC) {
            bool reserves = packet->reserves_path && !ways->is_linked;
            cycle = reserves ? ways->begins + cycles_of_reservation(delivery->timing, hops) : cycle;
            ways->is_linked = packet->is_linked;
        }
        packet->sent =
            noc_pass(delivery, &ways->out, packet, cycle + noc_cycles_alone(delivery, packet));
    }
    return packet->sent;
}

uint64_t noc_has_read(const struct noc_packet *packet, uint64_t cycle)
{
    return noc_data_flits(packet) > 1 && packet->sent > cycle ? packet->sent : cycle;
}

uint64_t noc_cycles_of_ends(const struct noc_delivery *delivery)
{
    const struct timing *timing = delivery->timing;
    uint64_t cycles = timing ? 2 * (uint64_t)timing_cycles(timing, TIMING_NOC_NIU) +
                                   timing_cycles(timing, TIMING_NOC_END)
                             : 0;
    return cycles > delivery->window ? cycles : delivery->window; /* where costs are changed */
}

/* SPEC: WormholeB0 NoC/Ordering: requests from one place to another keep their order where software
 * fixed the virtual channel, or linked them; responses never do. */
bool noc_keeps_order(const struct noc_delivery *delivery, const struct noc_packet *packet)
{
    return (delivery->timing || delivery->at_random || delivery->has_late) &&
           packet->kind <= NOC_ATOMIC && (packet->channel != NOC_ANY_CHANNEL || packet->is_linked);
}
