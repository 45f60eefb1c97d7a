/* See links.h. */
#include "chip/links.h"

#include "chip/chip.h"
#include "chip/multicast.h"
#include "chip/way.h"

enum {
    BUDDY = 1,
    CLASS_MULTICAST = 2 << 1,
    CLASS_RESPONSE = 3 << 1,
    HAS_WRAPPED = 8
}; /* of channels */

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

/* --- Channels --- */

/* A link on the way of a packet. */
struct passage {
    struct links_link *link;
    unsigned channel; /* with a buddy bit of 0 where that is chosen anew at each router */
    bool chooses;     /* it is */
};

/* GUESS: the bit of the dateline is set behind the edge of an axis. Unicast requests without a channel of
 * their own have class 0. Linked ones keep their order (noc_keeps_order), so they do not choose, either. */
static struct passage passage_of(struct penrose_chip *chip, const struct noc_packet *packet,
                                 unsigned number)
{
    const struct grid_way way = way_of_packet(packet);
    const struct grid_hop hop = grid_hop(packet->noc, &way, number);
    bool is_response = packet->kind > NOC_ATOMIC;
    bool has_own = packet->channel != NOC_ANY_CHANNEL;
    unsigned own = has_own ? packet->channel & (CLASS_MULTICAST - 1) : 0;
    unsigned channel = is_response            ? CLASS_RESPONSE
                       : packet->is_multicast ? CLASS_MULTICAST | (own & BUDDY)
                                              : own;
    return (struct passage){
        .link = &chip->links->link[packet->noc][noc_node(hop.from.x, hop.from.y)][hop.direction],
        .channel = (channel & (HAS_WRAPPED - 1)) | (hop.has_wrapped ? HAS_WRAPPED : 0),
        .chooses = is_response || (!has_own && !packet->is_linked && !packet->is_multicast)};
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
    channel->used_until += cycles;
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

/* A multicast's head goes on from a router at `head`, behind which its flits have waited. Branches wait at
 * the same time, so the longest wait counts. */
static void keep_tree(struct penrose_chip *chip, const struct noc_packet *packet, uint64_t head)
{
    const uint64_t hop = cycles_of_hop(chip), whole = cycles_of(chip, packet);
    for (unsigned i = 1; i <= packet->links && i * hop < whole; i++) {
        struct links_channel *channel = channel_behind(chip, packet, i - 1);
        const uint64_t until = head - i * hop + whole;
        if (until > channel->used_until) {
            channel->free_at += until - channel->used_until;
            channel->used_until = until;
        }
    }
}

/* --- On the way --- */

void chip_links_enter(struct penrose_chip *chip, struct noc_packet *packet)
{
    const struct noc_delivery *delivery = &chip->board.delivery;
    const uint64_t alone = noc_cycles_alone(delivery, packet);
    /* One of a run with other costs, or without any, can have left in less time. */
    const uint64_t begin = packet->sent > alone ? packet->sent - alone : 0;
    packet->arrival = begin + timing_cycles(delivery->timing, TIMING_NOC_NIU);
    packet->links = 0;
    packet->waits = false;
    if (way_is_multicast(packet)) {
        const struct grid_multicast multicast = chip_multicast_of(packet);
        const struct grid_way stem = grid_stem(&multicast);
        packet->span.turn = stem.turn;
        way_set_end(packet, stem.to);
    }
    noc_queue_put(&chip->on_way, packet);
}

/* Its turn comes when the packets before it have passed. How long that takes. */
static uint64_t take_channel(const struct penrose_chip *chip, const struct noc_packet *packet,
                             struct links_channel *channel)
{
    uint64_t turn = channel->free_at > packet->arrival ? channel->free_at : packet->arrival;
    channel->free_at = turn + cycles_of(chip, packet);
    return turn - packet->arrival;
}

/* The packet's head has come to a router, or has its turn at the next link. */
static void take_link(struct penrose_chip *chip, struct noc_packet *packet)
{
    const struct timing *timing = chip->board.delivery.timing;
    struct passage passage = passage_of(chip, packet, way_passed(packet));
    struct links_channel *channel;
    uint64_t wait;
    if (packet->waits) { /* perhaps others before it were held up meanwhile */
        channel = channel_behind(chip, packet, 0);
        wait = channel->held - packet->held;
    } else {
        packet->buddies = packet->buddies << 1 | choose_buddy(&passage);
        packet->links++;
        channel = channel_behind(chip, packet, 0);
        wait = way_is_multicast(packet) ? 0 : take_channel(chip, packet, channel);
    }
    packet->held = channel->held;
    packet->waits = wait > 0;
    if (!packet->waits) {
        if (bytes_of(packet)) {
            wait = timing_ask(timing, TIMING_NOC_LINK_BYTES, &passage.link->way, bytes_of(packet),
                              packet->arrival)
                       .begin -
                   packet->arrival;
            hold(channel, way_is_multicast(packet) ? 0 : wait);
        }
        packet->arrival += cycles_of_hop(chip);
    }
    packet->arrival += wait;
    if (way_is_multicast(packet)) {
        keep_tree(chip, packet, packet->arrival);
    } else {
        hold_behind(chip, packet, 1, wait);
    }
}

/* Its head has come to the router of its receiver. */
static void reach_receiver(struct penrose_chip *chip, struct noc_packet *packet)
{
    const struct noc_delivery *delivery = &chip->board.delivery;
    uint64_t last = packet->arrival - timing_cycles(delivery->timing, TIMING_NOC_NIU) +
                    noc_cycles_of_ends(delivery) + noc_cycles_alone(delivery, packet);
    const uint64_t head = packet->arrival;
    packet->arrival = noc_pass(delivery, &chip->links->end[packet->noc][packet->to], packet, last);
    if (way_is_multicast(packet)) {
        keep_tree(chip, packet, head + packet->arrival - last);
    } else {
        hold_behind(chip, packet, 0, packet->arrival - last);
    }
}

/* --- Multicasts --- */

/* The channels of a tree, and how many cycles after the start the head comes to each. */
struct tree {
    unsigned count;
    struct links_channel *channel[NOC_NODES];
    uint64_t ahead[NOC_NODES];
};

/* Adds those from where the packet is to the end of its way, and of the branches on it. */
static void add_channels(struct penrose_chip *chip, struct noc_packet packet, struct tree *tree)
{
    for (packet.waits = false; way_left(&packet) > 0; packet.links++) {
        const struct passage passage = passage_of(chip, &packet, packet.links);
        struct noc_packet branch = packet;
        if (tree->count < NOC_NODES) { /* so it is, a router has one link that leads to it */
            tree->channel[tree->count] = &passage.link->channel[passage.channel];
            tree->ahead[tree->count++] = packet.links * cycles_of_hop(chip);
        }
        if (way_turn_into_branch(&branch)) {
            add_channels(chip, branch, tree);
        }
    }
}

/* A multicast at its first router takes its turn at the channels of its whole tree at once. When that
 * comes, those before it may have been held up meanwhile. False: it is there again later. */
static bool reserve_tree(struct penrose_chip *chip, struct noc_packet *packet)
{
    const uint64_t cycles = cycles_of(chip, packet);
    uint64_t start = packet->arrival;
    struct tree tree = {.count = 0};
    add_channels(chip, *packet, &tree);
    for (unsigned i = 0; i < tree.count; i++) {
        const uint64_t free_at =
            packet->waits ? tree.channel[i]->used_until : tree.channel[i]->free_at;
        start = free_at > start + tree.ahead[i] ? free_at - tree.ahead[i] : start;
    }
    for (unsigned i = 0; i < tree.count; i++) {
        struct links_channel *channel = tree.channel[i];
        channel->free_at = packet->waits ? channel->free_at + (start - packet->arrival)
                                         : start + tree.ahead[i] + cycles;
        channel->used_until =
            start > packet->arrival ? channel->used_until : start + tree.ahead[i] + cycles;
    }
    packet->waits = start > packet->arrival;
    packet->arrival = start;
    return !packet->waits;
}

/* A multicast's head has come to a router, whose NIU gets a copy if it is a receiver. */
static void give_copy(struct penrose_chip *chip, const struct noc_packet *packet,
                      struct noc_list *arrived)
{
    const struct grid_multicast multicast = chip_multicast_of(packet);
    const struct grid_position at = way_place(packet);
    struct noc_packet *copy =
        grid_multicast_reaches(&multicast, at) && chip_multicast_receiver(chip, packet->noc, at)
            ? noc_packet_copy(&chip->packets, packet)
            : NULL;
    if (copy) {
        way_set_end(copy, at);
        reach_receiver(chip, copy);
        noc_list_append(arrived, copy);
    }
}

/* --- All --- */

/* What leaves from now on comes to its first router so much later. */
static uint64_t ahead(const struct penrose_chip *chip)
{
    return timing_cycles(chip->board.delivery.timing, TIMING_NOC_NIU);
}

/* Where the packets of one run of links go. */
struct links_run {
    uint64_t end; /* they go on as far as to this cycle */
    struct noc_list *arrived, later;
};

static void put_on_way(struct penrose_chip *chip, struct noc_packet *packet, struct links_run *run)
{
    if (packet->arrival < run->end) {
        noc_queue_put(&chip->on_way, packet);
    } else {
        noc_list_append(&run->later, packet);
    }
}

static void send_on_its_way(struct penrose_chip *chip, struct noc_packet *packet,
                            struct links_run *run)
{
    if (way_left(packet) > 0) {
        take_link(chip, packet);
        put_on_way(chip, packet, run);
    } else if (way_is_multicast(packet)) { /* its receivers have copies */
        noc_packet_free(&chip->packets, packet);
    } else {
        reach_receiver(chip, packet);
        noc_list_append(run->arrived, packet);
    }
}

/* A multicast has come to a router. */
static void visit_router(struct penrose_chip *chip, struct noc_packet *packet,
                         struct links_run *run)
{
    struct noc_packet branch = *packet;
    give_copy(chip, packet, run->arrived);
    if (way_turn_into_branch(&branch)) {
        struct noc_packet *other = noc_packet_copy(&chip->packets, packet);
        if (other) {
            other->to = branch.to;
            send_on_its_way(chip, other, run);
        }
    }
    send_on_its_way(chip, packet, run);
}

void chip_links_run(struct penrose_chip *chip, struct noc_list *arrived)
{
    struct links_run run = {.end = chip->head.time.now + ahead(chip), .arrived = arrived};
    for (struct noc_packet *packet; (packet = noc_queue_take(&chip->on_way, run.end));) {
        if (way_is_multicast(packet) && packet->links == 0 && !reserve_tree(chip, packet)) {
            put_on_way(chip, packet, &run);
        } else if (way_is_multicast(packet)) {
            visit_router(chip, packet, &run);
        } else {
            send_on_its_way(chip, packet, &run);
        }
    }
    for (struct noc_packet *packet; (packet = noc_list_take(&run.later));) {
        noc_queue_put(&chip->on_way, packet);
    }
}

uint64_t chip_links_due(const struct penrose_chip *chip)
{
    uint64_t first = chip->on_way.earliest;
    return first == UINT64_MAX ? first : first > ahead(chip) ? first - ahead(chip) : 0;
}

/* When the packet's head comes to the router of its receiver, if nothing is before it; of a multicast, of
 * the first one. */
static uint64_t least_of(const struct penrose_chip *chip, const struct noc_packet *packet)
{
    return packet->arrival +
           (way_is_multicast(packet) ? 0 : way_left(packet) * cycles_of_hop(chip));
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
