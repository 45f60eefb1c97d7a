/* See links.h. */
#include "chip/links.h"

#include "chip/chip.h"

enum { CLASS_RESPONSE = 3 << 1, BUDDY = 1, HAS_WRAPPED = 8 }; /* in numbers of channels */

_Static_assert(GRID_WIDTH - 1 + GRID_HEIGHT - 1 <=
                   8 * sizeof(((struct noc_packet_state *)0)->buddies),
               "each link of a way has a bit");

static uint64_t cycles_of_hop(const struct penrose_chip *chip)
{
    return timing_cycles(chip->board.delivery.timing, TIMING_NOC_HOP);
}

/* Bytes of data; a packet without any is its header alone. */
static uint64_t bytes_of(const struct noc_packet *packet)
{
    return (uint64_t)noc_data_flits(packet) * NOC_FLIT_BYTES;
}

/* Cycles in which the packet passes a link. */
static uint64_t cycles_of(const struct penrose_chip *chip, const struct noc_packet *packet)
{
    uint64_t cycles = bytes_of(packet) / chip->costs.rate[TIMING_NOC_LINK_BYTES];
    return cycles ? cycles : 1;
}

static bool is_multicast_copy(const struct noc_packet *packet)
{
    return packet->is_multicast && packet->kind <= NOC_ATOMIC;
}

/* Links that it has not passed yet. */
static unsigned links_left(const struct noc_packet *packet)
{
    unsigned all = grid_hops(packet->noc, chip_position(packet->from), chip_position(packet->to));
    unsigned passed = (unsigned)packet->links - (packet->waits ? 1 : 0);
    return is_multicast_copy(packet) || passed >= all ? 0 : all - passed;
}

/* --- Channels --- */

/* A link on the way of a packet. */
struct passage {
    struct links_link *link;
    unsigned channel; /* with a buddy bit of 0 where that is chosen anew at each router */
    bool chooses;     /* it is */
};

/* GUESS: the bit of the dateline is set behind the edge of an axis. Requests without a channel of their
 * own have class 0. Linked ones keep their order (noc_keeps_order), so they do not choose, either. */
static struct passage passage_of(struct penrose_chip *chip, const struct noc_packet *packet,
                                 unsigned number)
{
    struct grid_hop hop =
        grid_hop(packet->noc, chip_position(packet->from), chip_position(packet->to), number);
    bool is_response = packet->kind > NOC_ATOMIC;
    bool has_own = packet->channel != NOC_ANY_CHANNEL;
    unsigned channel = is_response ? CLASS_RESPONSE : has_own ? packet->channel : 0;
    return (struct passage){
        .link = &chip->links->link[packet->noc][noc_node(hop.from.x, hop.from.y)][hop.direction],
        .channel = (channel & (HAS_WRAPPED - 1)) | (hop.has_wrapped ? HAS_WRAPPED : 0),
        .chooses = is_response || (!has_own && !packet->is_linked)};
}

/* The channel of the latest link but `behind` that the packet has asked for. */
static struct links_channel *channel_behind(struct penrose_chip *chip,
                                            const struct noc_packet *packet, unsigned behind)
{
    struct passage passage = passage_of(chip, packet, packet->links - 1 - behind);
    uint32_t buddy = packet->buddies >> behind & (passage.chooses ? BUDDY : 0);
    return &passage.link->channel[passage.channel | buddy];
}

/* The buddy whose channel is free first. */
static uint32_t choose_buddy(const struct passage *passage)
{
    const struct links_channel *channel = &passage->link->channel[passage->channel];
    return passage->chooses && channel[BUDDY].free_at < channel->free_at ? BUDDY : 0;
}

static void hold(struct links_channel *channel, uint64_t cycles)
{
    channel->free_at += cycles;
    channel->held += cycles;
}

/* A packet's head waits, and so do flits on the links behind it, of which it has asked for `ahead`
 * more. */
static void hold_behind(struct penrose_chip *chip, const struct noc_packet *packet, unsigned ahead,
                        uint64_t cycles)
{
    const uint64_t hop = cycles_of_hop(chip), whole = cycles_of(chip, packet);
    for (unsigned i = 1; cycles && i + ahead <= packet->links && i * hop < whole; i++) {
        hold(channel_behind(chip, packet, i + ahead - 1), cycles);
    }
}

/* --- On the way --- */

void chip_links_enter(struct penrose_chip *chip, struct noc_packet *packet, unsigned hops)
{
    const struct noc_delivery *delivery = &chip->board.delivery;
    const uint64_t alone = noc_cycles_alone(delivery, packet);
    /* One of a run with other costs, or without any, can have left in less time. */
    const uint64_t begin = packet->sent > alone ? packet->sent - alone : 0;
    packet->arrival =
        begin + timing_cycles(delivery->timing, TIMING_NOC_NIU) + cycles_of_hop(chip) * hops;
    packet->links = (uint8_t)hops;
    packet->waits = false;
    noc_queue_put(&chip->on_way, packet);
}

/* The packet's head has come to a router, or has its turn at the next link. */
static void take_link(struct penrose_chip *chip, struct noc_packet *packet)
{
    const struct timing *timing = chip->board.delivery.timing;
    struct passage passage =
        passage_of(chip, packet, (unsigned)packet->links - (packet->waits ? 1 : 0));
    struct links_channel *channel;
    uint64_t wait;
    if (packet->waits) { /* perhaps others before it were held up meanwhile */
        channel = channel_behind(chip, packet, 0);
        wait = channel->held - packet->held;
    } else {
        packet->buddies = packet->buddies << 1 | choose_buddy(&passage);
        packet->links++;
        channel = channel_behind(chip, packet, 0);
        uint64_t turn = channel->free_at > packet->arrival ? channel->free_at : packet->arrival;
        wait = turn - packet->arrival;
        channel->free_at = turn + cycles_of(chip, packet);
    }
    packet->held = channel->held;
    packet->waits = wait > 0;
    if (!packet->waits) {
        if (bytes_of(packet)) {
            wait = timing_ask(timing, TIMING_NOC_LINK_BYTES, &passage.link->way, bytes_of(packet),
                              packet->arrival)
                       .begin -
                   packet->arrival;
            hold(channel, wait);
        }
        packet->arrival += cycles_of_hop(chip);
    }
    packet->arrival += wait;
    hold_behind(chip, packet, 1, wait);
}

/* Its head has come to the router of its receiver. */
static void reach_receiver(struct penrose_chip *chip, struct noc_packet *packet)
{
    const struct noc_delivery *delivery = &chip->board.delivery;
    uint64_t last = packet->arrival - timing_cycles(delivery->timing, TIMING_NOC_NIU) +
                    noc_cycles_of_ends(delivery) + noc_cycles_alone(delivery, packet);
    packet->arrival = noc_pass(delivery, &chip->links->end[packet->noc][packet->to], packet, last);
    if (!is_multicast_copy(packet)) {
        hold_behind(chip, packet, 0, packet->arrival - last);
    }
}

/* What leaves from now on comes to its first router so much later. */
static uint64_t ahead(const struct penrose_chip *chip)
{
    return timing_cycles(chip->board.delivery.timing, TIMING_NOC_NIU);
}

void chip_links_run(struct penrose_chip *chip, struct noc_list *arrived)
{
    const uint64_t end = chip->head.time.now + ahead(chip);
    struct noc_list later = {NULL, NULL};
    for (struct noc_packet *packet; (packet = noc_queue_take(&chip->on_way, end));) {
        if (links_left(packet) == 0) {
            reach_receiver(chip, packet);
            noc_list_append(arrived, packet);
            continue;
        }
        take_link(chip, packet);
        if (packet->arrival < end) {
            noc_queue_put(&chip->on_way, packet);
        } else {
            noc_list_append(&later, packet);
        }
    }
    for (struct noc_packet *packet; (packet = noc_list_take(&later));) {
        noc_queue_put(&chip->on_way, packet);
    }
}

uint64_t chip_links_due(const struct penrose_chip *chip)
{
    uint64_t first = chip->on_way.earliest;
    return first == UINT64_MAX ? first : first > ahead(chip) ? first - ahead(chip) : 0;
}

/* When the packet's head comes to the router of its receiver, if nothing is before it. */
static uint64_t least_of(const struct penrose_chip *chip, const struct noc_packet *packet)
{
    return packet->arrival + links_left(packet) * cycles_of_hop(chip);
}

uint64_t chip_links_next(const struct penrose_chip *chip)
{
    const struct noc_delivery *delivery = &chip->board.delivery;
    uint64_t next = UINT64_MAX;
    for (const struct noc_packet *packet = chip->on_way.fresh; packet; packet = packet->next) {
        uint64_t least = least_of(chip, packet);
        next = least < next ? least : next;
    }
    for (const struct noc_packet *packet = chip->on_way.head; /* those are in order */
         packet && packet->arrival < next; packet = packet->next) {
        uint64_t least = least_of(chip, packet);
        next = least < next ? least : next;
    }
    return next == UINT64_MAX ? next
                              : next + noc_cycles_of_ends(delivery) -
                                    timing_cycles(delivery->timing, TIMING_NOC_NIU);
}
