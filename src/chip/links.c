/* See links.h. */
#include "chip/links.h"

#include <string.h>

#include "chip/chip.h"
#include "chip/multicast.h"
#include "chip/way.h"

enum {
    BUDDY = 1,
    CLASS_MULTICAST = 2 << 1,
    CLASS_RESPONSE = 3 << 1,
    HAS_WRAPPED = 8
}; /* of channels */

/* --- Packets --- */

static uint64_t cycles_of_hop(const struct penrose_chip *chip)
{
    return timing_cycles(chip->board.delivery.timing, TIMING_NOC_HOP);
}

uint32_t chip_links_pieces(const struct noc_packet *packet)
{
    const uint32_t flits = noc_data_flits(packet);
    return flits ? (flits + LINKS_FLITS - 1) / LINKS_FLITS : 1;
}

static bool is_last(const struct noc_packet *packet, unsigned number)
{
    return number + 1 >= chip_links_pieces(packet);
}

/* Bytes of a packet before a piece of it. */
static uint64_t bytes_before(unsigned number)
{
    return (uint64_t)number * LINKS_FLITS * NOC_FLIT_BYTES;
}

/* Bytes of data of a piece; 0: it is a header alone. */
static uint64_t bytes_of(const struct noc_packet *packet, unsigned number)
{
    const uint64_t all = (uint64_t)noc_data_flits(packet) * NOC_FLIT_BYTES;
    const uint64_t before = bytes_before(number), most = bytes_before(1);
    return all <= before ? 0 : all - before < most ? all - before : most;
}

unsigned chip_links_flits(const struct noc_packet *packet, unsigned piece)
{
    const uint64_t bytes = bytes_of(packet, piece);
    return bytes ? (unsigned)(bytes / NOC_FLIT_BYTES) : 1;
}

/* From the first flit of a packet to the first of a piece of it, in an NIU. */
static uint64_t cycles_before(const struct penrose_chip *chip, unsigned number)
{
    return bytes_before(number) / chip->costs.rate[TIMING_NOC_NIU_BYTES];
}

static bool is_answer(const struct noc_packet *packet)
{
    return packet->kind > NOC_ATOMIC;
}

unsigned chip_links_kind(const struct noc_packet *packet)
{
    return is_answer(packet) ? LINKS_ANSWERS : LINKS_REQUESTS;
}

/* --- Places --- */

/* A router of a NoC, and the packets and links at it. */
struct router {
    struct links_link *link; /* the ways on */
    unsigned noc;
    uint16_t node;
};

static struct router router_at(struct penrose_chip *chip, unsigned noc, uint16_t node)
{
    return (struct router){.link = chip->links->state.link[noc][node], .noc = noc, .node = node};
}

/* The router that is `steps` further in a direction. */
static uint16_t node_along(unsigned noc, uint16_t node, unsigned direction, unsigned steps)
{
    struct grid_position at = grid_mirror(noc, chip_position(node));
    if (direction == GRID_ALONG_X) {
        at.x = (uint8_t)((at.x + steps) % GRID_WIDTH);
    } else {
        at.y = (uint8_t)((at.y + steps) % GRID_HEIGHT);
    }
    at = grid_mirror(noc, at);
    return noc_node(at.x, at.y);
}

static uint16_t node_behind(unsigned noc, uint16_t node, unsigned direction)
{
    return node_along(noc, node, direction, 1);
}

static uint16_t node_before(unsigned noc, uint16_t node, unsigned direction)
{
    return node_along(noc, node, direction,
                      (direction == GRID_ALONG_X ? GRID_WIDTH : GRID_HEIGHT) - 1);
}

/* The way on of a unicast packet from a router. */
static unsigned way_on(const struct noc_packet *packet, uint16_t node)
{
    const struct grid_way way =
        grid_way(packet->noc, chip_position(node), chip_position(packet->to));
    const bool x_differs = way.from.x != way.to.x, y_differs = way.from.y != way.to.y;
    return x_differs && (!way.is_y_first || !y_differs) ? GRID_ALONG_X
           : y_differs                                  ? GRID_ALONG_Y
                                                        : LINKS_TO_NIU;
}

/* --- Channels --- */

/* GUESS: the bit of the dateline is set behind the edge of an axis. */
static bool has_wrapped(const struct noc_packet *packet, uint16_t node, unsigned way)
{
    const struct grid_position from = grid_mirror(packet->noc, chip_position(packet->from)),
                               at = grid_mirror(packet->noc, chip_position(node));
    return way == GRID_ALONG_X ? at.x < from.x : way == GRID_ALONG_Y && at.y < from.y;
}

/* The channel of a packet on a way on from a router, with a buddy bit of 0 where it may have either.
 * GUESS: unicast requests without a channel of their own have class 0. */
static unsigned channel_on(const struct noc_packet *packet, uint16_t node, unsigned way)
{
    const unsigned own =
        packet->channel != NOC_ANY_CHANNEL ? packet->channel & (CLASS_MULTICAST - 1) : 0;
    const unsigned channel = is_answer(packet)      ? CLASS_RESPONSE
                             : packet->is_multicast ? CLASS_MULTICAST | (own & BUDDY)
                                                    : own;
    return channel | (has_wrapped(packet, node, way) ? HAS_WRAPPED : 0);
}

/* Linked requests keep their order (noc_keeps_order), so they do not choose. */
static bool chooses_buddy(const struct noc_packet *packet)
{
    return is_answer(packet) ||
           (packet->channel == NOC_ANY_CHANNEL && !packet->is_linked && !packet->is_multicast);
}

/* --- When links are looked at --- */

static void look_at(struct penrose_chip *chip, unsigned noc, uint16_t node, unsigned way,
                    uint64_t cycle)
{
    struct links_state *state = &chip->links->state;
    const unsigned number = (noc * NOC_NODES + node) * LINKS_WAYS + way;
    /* Links of the cycle before `now` may just be looked at, so that has its place still. */
    const uint64_t last = state->now + LINKS_SOON - 2;
    const uint64_t at = cycle < state->now ? state->now
                        : cycle < last     ? cycle
                                           : last; /* then it is too early, and seen again */
    state->due[at % LINKS_SOON][number / 64] |= UINT64_C(1) << number % 64;
}

static void look_at_all(struct penrose_chip *chip, unsigned noc, uint16_t node, uint64_t cycle)
{
    for (unsigned way = 0; way < LINKS_WAYS; way++) {
        look_at(chip, noc, node, way, cycle);
    }
}

/* A packet is the first one at a router since `cycle`. */
static void look_at_ways_of(struct penrose_chip *chip, const struct noc_packet *packet,
                            uint16_t node, uint64_t cycle)
{
    if (way_is_multicast(packet)) {
        look_at_all(chip, packet->noc, node, cycle);
    } else {
        look_at(chip, packet->noc, node, way_on(packet, node), cycle);
    }
}

/* --- Numbers --- */

/* Gives the packet a number; false: all are used. */
static bool take_number(struct links *links, struct noc_packet *packet)
{
    while (links->first_free < LINKS_PACKETS && links->packet[links->first_free]) {
        links->first_free++;
    }
    if (links->first_free == LINKS_PACKETS) {
        return false;
    }
    links->packet[links->first_free] = packet;
    packet->number = (uint16_t)(links->first_free + 1);
    return true;
}

static void give_number_back(struct links *links, struct noc_packet *packet)
{
    const unsigned index = packet->number - 1u;
    links->packet[index] = NULL;
    links->first_free = index < links->first_free ? index : links->first_free;
    links->active--;
    packet->number = 0;
}

/* --- Reads of GDDR --- */

static bool is_of_dram(const struct penrose_chip *chip, uint16_t node)
{
    return grid_tile(&chip->grid, chip_position(node))->kind == PENROSE_TILE_DRAM;
}

/* Must a request wait until its receiver's NIU has answered another one? */
static bool waits_for_niu(const struct penrose_chip *chip, const struct noc_packet *packet,
                          uint16_t node, unsigned way)
{
    return way == LINKS_TO_NIU && packet->kind == NOC_READ && is_of_dram(chip, node) &&
           chip->links->state.reads[packet->noc][node].count >=
               chip->costs.rate[TIMING_NOC_DRAM_READS];
}

/* When the packet's head comes to the router of its receiver, if nothing is before it; of a multicast, of
 * the first one. */
static uint64_t least_of(const struct penrose_chip *chip, const struct noc_packet *packet)
{
    return packet->arrival +
           (way_is_multicast(packet) ? 0 : way_left(packet) * cycles_of_hop(chip));
}

/* The NIU takes a read, which was at the last router from `ready` on. It has waited for GDDR since it could have
 * been there, but not longer than others have. */
static void begin_read(struct penrose_chip *chip, struct noc_packet *packet, uint16_t node,
                       uint64_t ready, uint64_t cycle)
{
    struct links_reads *reads = &chip->links->state.reads[packet->noc][node];
    if (packet->kind != NOC_READ || !is_of_dram(chip, node)) {
        return;
    }
    reads->count++;
    if (ready == cycle) {
        reads->at_once = cycle;
    } else {
        const uint64_t least = least_of(chip, packet);
        packet->held += (uint32_t)(cycle - (least > reads->at_once ? least : reads->at_once));
    }
}

static void end_read(struct penrose_chip *chip, unsigned noc, uint16_t node, uint64_t cycle)
{
    struct links_reads *reads = &chip->links->state.reads[noc][node];
    if (reads->count > 0) { /* one of a run without costs is not counted */
        reads->count--;
        if (chip->links->active > 0) {
            look_at(chip, noc, node, LINKS_TO_NIU, cycle);
        }
    }
}

void chip_links_drop(struct penrose_chip *chip, const struct noc_packet *packet)
{
    if (packet->kind == NOC_READ && is_of_dram(chip, packet->to)) {
        end_read(chip, packet->noc, packet->to, chip->links->state.now);
    }
}

/* --- Trees --- */

/* A link of a multicast's tree: its channel, and where its pieces come from. */
struct tree_link {
    uint32_t channel; /* its number */
    unsigned feed;
};

struct tree {
    unsigned count;
    struct tree_link link[2 * NOC_NODES];
};

static void add_link(struct tree *tree, const struct noc_packet *packet, uint16_t node,
                     unsigned way, unsigned feed)
{
    if (tree->count < sizeof tree->link / sizeof *tree->link) { /* so it is */
        const unsigned link = ((unsigned)packet->noc * NOC_NODES + node) * LINKS_WAYS + way;
        tree->link[tree->count++] =
            (struct tree_link){link * LINKS_CHANNELS + channel_on(packet, node, way) + 1, feed};
    }
}

/* From where the packet is, to which it comes by `feed`, to the end of its way, and of the branches on it. A
 * branch begins at a router that the stem has come to. */
static void add_links(struct penrose_chip *chip, struct tree *tree, struct noc_packet packet,
                      unsigned feed, bool is_branch)
{
    const struct grid_multicast multicast = chip_multicast_of(&packet);
    for (;; packet.links++, is_branch = false) {
        const struct grid_position place = way_place(&packet);
        const struct grid_position at = grid_mirror(packet.noc, place);
        const uint16_t node = noc_node(at.x, at.y);
        struct noc_packet branch = packet;
        if (!is_branch && grid_multicast_reaches(&multicast, place) &&
            chip_multicast_receiver(chip, packet.noc, place)) {
            add_link(tree, &packet, node, LINKS_TO_NIU, feed);
        }
        if (!is_branch && way_turn_into_branch(&branch)) {
            add_links(chip, tree, branch, feed, true);
        }
        if (way_left(&packet) == 0) {
            return;
        }
        const struct grid_way way = way_of_packet(&packet);
        const unsigned direction = grid_hop(packet.noc, &way, packet.links).direction;
        add_link(tree, &packet, node, direction, feed);
        feed = direction;
    }
}

static struct links_channel *channel_of_number(struct links *links, uint32_t number)
{
    struct links_link *link = &links->state.link[0][0][0] + (number - 1) / LINKS_CHANNELS;
    return &link->channel[(number - 1) % LINKS_CHANNELS];
}

/* A multicast says that it waits for a channel, unless another one does that came before. Could it take the
 * channel? */
static bool claim_channel(const struct links *links, struct links_channel *channel,
                          const struct noc_packet *packet)
{
    const struct noc_packet *other = channel->claim ? links->packet[channel->claim - 1] : NULL;
    if (!other || packet->arrival < other->arrival ||
        (packet->arrival == other->arrival && packet->order < other->order)) {
        channel->claim = packet->number;
    }
    return channel->owner == 0 && channel->claim == packet->number;
}

/* A multicast takes the channels of its tree, if it can take all of them. */
static bool reserve_tree(struct penrose_chip *chip, struct noc_packet *packet)
{
    struct links *links = chip->links;
    uint32_t *blocked = &links->state.source[packet->noc][packet->from][LINKS_REQUESTS].blocked;
    struct tree tree = {.count = 0};
    if (*blocked && !claim_channel(links, channel_of_number(links, *blocked), packet)) {
        return false;
    }
    *blocked = 0;
    add_links(chip, &tree, *packet, LINKS_FROM_NIU + LINKS_REQUESTS, false);
    for (unsigned i = 0; i < tree.count; i++) {
        if (!claim_channel(links, channel_of_number(links, tree.link[i].channel), packet)) {
            *blocked = tree.link[i].channel;
        }
    }
    for (unsigned i = 0; *blocked == 0 && i < tree.count; i++) {
        struct links_channel *channel = channel_of_number(links, tree.link[i].channel);
        channel->claim = 0;
        channel->owner = packet->number;
        channel->feed = (uint8_t)tree.link[i].feed;
        packet->ends++;
    }
    return *blocked == 0;
}

/* --- Where pieces come from --- */

/* The first piece at a place. */
struct origin {
    unsigned place, feed;
    struct noc_packet *packet; /* whose piece it is */
    unsigned number;           /* within the packet */
    uint64_t ready;            /* when it can go on */
    uint8_t *taken;            /* see links_channel */
};

/* The link that leads to a router in that direction. */
static struct links_link *link_before(struct penrose_chip *chip, const struct router *router,
                                      unsigned direction)
{
    const uint16_t node = node_before(router->noc, router->node, direction);
    return &chip->links->state.link[router->noc][node][direction];
}

/* Places with pieces: a bit each. */
static uint64_t places_with_pieces(struct penrose_chip *chip, const struct router *router)
{
    uint64_t places = 0;
    for (unsigned direction = 0; direction < GRID_DIRECTIONS; direction++) {
        places |= (uint64_t)link_before(chip, router, direction)->has_pieces
                  << direction * LINKS_CHANNELS;
    }
    for (unsigned kind = 0; kind < LINKS_KINDS; kind++) {
        const struct noc_list *waiting = &chip->links->waiting[router->noc][router->node][kind];
        places |= (uint64_t)(waiting->head != NULL) << (LINKS_OF_NIU + kind);
    }
    return places;
}

/* There are pieces. */
static struct origin origin_at(struct penrose_chip *chip, const struct router *router,
                               unsigned place)
{
    struct links *links = chip->links;
    if (place < LINKS_OF_NIU) {
        const unsigned direction = place / LINKS_CHANNELS;
        struct links_channel *channel =
            &link_before(chip, router, direction)->channel[place % LINKS_CHANNELS];
        return (struct origin){.place = place,
                               .feed = direction,
                               .packet = links->packet[channel->piece[0].packet - 1],
                               .number = channel->piece[0].number,
                               .ready = channel->piece[0].ready,
                               .taken = &channel->taken};
    }
    const unsigned kind = place - LINKS_OF_NIU;
    struct links_source *source = &links->state.source[router->noc][router->node][kind];
    struct noc_packet *packet = links->waiting[router->noc][router->node][kind].head;
    return (struct origin){.place = place,
                           .feed = LINKS_FROM_NIU + kind,
                           .packet = packet,
                           .number = packet->pieces,
                           .ready = packet->pieces
                                        ? source->begin + cycles_before(chip, packet->pieces)
                                        : packet->arrival,
                           .taken = &source->taken};
}

/* Does a multicast's piece still have to go on by this way? */
static bool branches_to(const struct router *router, const struct origin *origin, unsigned way)
{
    const struct noc_packet *packet = origin->packet;
    const struct links_channel *channel =
        &router->link[way].channel[channel_on(packet, router->node, way)];
    return channel->owner == packet->number && channel->feed == origin->feed &&
           !(*origin->taken >> way & 1);
}

static bool has_branches(const struct router *router, const struct origin *origin)
{
    bool has = false;
    for (unsigned way = 0; way < LINKS_WAYS; way++) {
        has |= branches_to(router, origin, way);
    }
    return has;
}

/* --- Pieces go on --- */

/* A multicast whose receivers have all opted out after it was sent. */
static void drop_first(struct penrose_chip *chip, const struct router *router,
                       struct noc_packet *packet, uint64_t cycle)
{
    (void)noc_list_take(&chip->links->waiting[router->noc][router->node][LINKS_REQUESTS]);
    give_number_back(chip->links, packet);
    noc_packet_free(&chip->packets, packet);
    look_at_all(chip, router->noc, router->node, cycle + 1);
}

/* A packet that begins to leave its NIU gets a number, and a multicast its tree. False: not yet. */
static bool can_leave_niu(struct penrose_chip *chip, const struct router *router,
                          struct noc_packet *packet, uint64_t cycle)
{
    if (packet->number == 0 && !take_number(chip->links, packet)) {
        look_at_ways_of(chip, packet, router->node, cycle + cycles_of_hop(chip));
        return false;
    }
    if (!way_is_multicast(packet) || packet->ends > 0) {
        return true;
    }
    if (!reserve_tree(chip, packet)) {
        look_at(chip, router->noc, router->node, LINKS_TO_NIU, cycle + cycles_of_hop(chip));
        return false;
    }
    look_at_all(chip, router->noc, router->node, cycle + 1);
    if (packet->ends == 0) {
        drop_first(chip, router, packet, cycle);
        return false;
    }
    return true;
}

/* The channel by which a piece can go on; NULL: there is none now. */
static struct links_channel *channel_for(const struct router *router, const struct origin *origin,
                                         unsigned way)
{
    const struct noc_packet *packet = origin->packet;
    struct links_channel *channel =
        &router->link[way].channel[channel_on(packet, router->node, way)];
    const uint16_t owner = origin->number ? packet->number : 0;
    bool is_its_own = false;
    if (way_is_multicast(packet)) {
        is_its_own = branches_to(router, origin, way);
    } else if (way_on(packet, router->node) == way) {
        channel += channel->owner != owner && chooses_buddy(packet) ? BUDDY : 0;
        is_its_own = channel->owner == owner;
    }
    const bool has_room = channel->flits + chip_links_flits(packet, origin->number) <= LINKS_ROOM;
    return is_its_own && has_room ? channel : NULL;
}

/* A piece has passed a link, and lies behind it; unless it is a multicast's whose branch ends there. */
static void put_behind(struct penrose_chip *chip, const struct router *router, unsigned way,
                       struct links_channel *channel, const struct origin *origin, uint64_t ready)
{
    const struct router next =
        router_at(chip, router->noc, node_behind(router->noc, router->node, way));
    struct noc_packet *packet = origin->packet;
    uint8_t none = 0;
    const struct origin there = {.feed = way, .packet = packet, .taken = &none};
    if (way_is_multicast(packet) && !has_branches(&next, &there)) {
        return;
    }
    channel->piece[channel->pieces++] = (struct links_piece){
        .ready = ready, .packet = packet->number, .number = (uint16_t)origin->number};
    channel->flits += (uint8_t)chip_links_flits(packet, origin->number);
    router->link[way].has_pieces |= UINT32_C(1) << (unsigned)(channel - router->link[way].channel);
    look_at_ways_of(chip, packet, next.node, ready);
}

/* The first piece has left its place, on all ways on which it goes. */
static void leave_place(struct penrose_chip *chip, const struct router *router,
                        const struct origin *origin, uint64_t cycle)
{
    *origin->taken = 0;
    if (origin->place < LINKS_OF_NIU) {
        struct links_link *before = link_before(chip, router, origin->feed);
        struct links_channel *channel = &before->channel[origin->place % LINKS_CHANNELS];
        channel->flits -= (uint8_t)chip_links_flits(origin->packet, origin->number);
        channel->pieces--;
        for (unsigned i = 0; i < channel->pieces; i++) {
            channel->piece[i] = channel->piece[i + 1];
        }
        channel->piece[channel->pieces] = (struct links_piece){0};
        if (channel->pieces == 0) {
            before->has_pieces &= ~(UINT32_C(1) << origin->place % LINKS_CHANNELS);
        }
        look_at(chip, router->noc, node_before(router->noc, router->node, origin->feed),
                origin->feed, cycle + 1);
    } else {
        const unsigned kind = origin->feed - LINKS_FROM_NIU;
        struct links_source *source = &chip->links->state.source[router->noc][router->node][kind];
        source->begin = origin->number ? source->begin : cycle;
        origin->packet->pieces++;
        if (is_last(origin->packet, origin->number)) {
            (void)noc_list_take(&chip->links->waiting[router->noc][router->node][kind]);
            if (origin->packet->kind == NOC_READ_RESPONSE && is_of_dram(chip, router->node)) {
                end_read(chip, router->noc, router->node, cycle + 1);
            }
        }
    }
    if (places_with_pieces(chip, router) >> origin->place & 1) {
        const struct origin next = origin_at(chip, router, origin->place);
        if (next.packet) { /* a damaged snapshot may have a piece of none */
            look_at_ways_of(chip, next.packet, router->node,
                            next.ready > cycle ? next.ready : cycle + 1);
        }
    }
}

/* The last piece goes from the receiver's router to its NIU. */
static void reach_receiver(struct penrose_chip *chip, const struct router *router,
                           const struct origin *origin, uint64_t cycle, struct noc_list *arrived)
{
    const struct noc_delivery *delivery = &chip->board.delivery;
    struct noc_packet *packet = origin->packet;
    struct noc_packet *copy =
        way_is_multicast(packet) ? noc_packet_copy(&chip->packets, packet) : packet;
    if (copy) {
        copy->to = router->node;
        copy->arrival = cycle + noc_cycles_alone(delivery, packet) -
                        cycles_before(chip, origin->number) + noc_cycles_of_ends(delivery) -
                        timing_cycles(delivery->timing, TIMING_NOC_NIU);
        copy->number = 0;
        noc_list_append(arrived, copy);
    }
}

/* The last piece of a packet has passed a link. Those of a multicast pass each link of its tree. */
static void end_passage(struct penrose_chip *chip, const struct router *router, unsigned way,
                        const struct origin *origin, uint64_t cycle, struct noc_list *arrived)
{
    struct noc_packet *packet = origin->packet;
    const bool is_multicast = way_is_multicast(packet);
    packet->ends -= is_multicast;
    const bool is_over = packet->pieces >= chip_links_pieces(packet) &&
                         (is_multicast ? packet->ends == 0 : way == LINKS_TO_NIU);
    if (is_over) {
        give_number_back(chip->links, packet);
    }
    if (way == LINKS_TO_NIU && (is_multicast || is_over)) {
        reach_receiver(chip, router, origin, cycle, arrived);
    }
    if (is_over && is_multicast) {
        noc_packet_free(&chip->packets, packet);
    }
}

/* A piece passes a link from this cycle on. */
static void pass_link(struct penrose_chip *chip, const struct router *router, unsigned way,
                      const struct origin *origin, struct links_channel *channel, uint64_t cycle,
                      struct noc_list *arrived)
{
    const struct timing *timing = chip->board.delivery.timing;
    struct noc_packet *packet = origin->packet;
    struct links_link *link = &router->link[way];
    const enum timing_rate rate =
        way == LINKS_TO_NIU ? TIMING_NOC_NIU_BYTES : TIMING_NOC_LINK_BYTES;
    const uint64_t bytes = bytes_of(packet, origin->number);
    const bool ends = is_last(packet, origin->number);
    const bool has_header = bytes == 0 || (origin->number == 0 && way != LINKS_TO_NIU);
    timing_ask(timing, rate, &link->way, bytes + (has_header ? timing->rate[rate] : 0), cycle);
    link->turn = origin->place + 1;
    if (way != LINKS_TO_NIU) {
        put_behind(chip, router, way, channel, origin, cycle + cycles_of_hop(chip));
    }
    channel->owner = ends ? 0 : packet->number;
    *origin->taken |= (uint8_t)(1u << way);
    if (way == LINKS_TO_NIU) {
        begin_read(chip, packet, router->node, origin->ready, cycle);
    }
    if (!way_is_multicast(packet) || !has_branches(router, origin)) {
        leave_place(chip, router, origin, cycle);
    }
    if (ends) {
        end_passage(chip, router, way, origin, cycle, arrived);
    }
    look_at(chip, router->noc, router->node, way,
            link->way.free_at > cycle ? link->way.free_at : cycle + 1);
}

/* The pieces that could pass the link have their turns in the order of their places, behind the latest one. */
static void look(struct penrose_chip *chip, const struct router *router, unsigned way,
                 uint64_t cycle, struct noc_list *arrived)
{
    struct links_link *link = &router->link[way];
    if (!timing_is_free(&link->way, cycle)) {
        look_at(chip, router->noc, router->node, way, link->way.free_at);
        return;
    }
    const uint64_t places = places_with_pieces(chip, router);
    const uint64_t behind = UINT64_MAX << link->turn;
    uint64_t turns[] = {places & behind, places & ~behind};
    for (unsigned i = 0; i < 2; i++) {
        for (; turns[i]; turns[i] &= turns[i] - 1) {
            const struct origin origin =
                origin_at(chip, router, (unsigned)__builtin_ctzll(turns[i]));
            struct links_channel *channel;
            if (!origin.packet) { /* of a damaged snapshot */
                continue;
            }
            if (origin.ready > cycle) {
                look_at(chip, router->noc, router->node, way, origin.ready);
                continue;
            }
            if (origin.place >= LINKS_OF_NIU && origin.number == 0 &&
                !can_leave_niu(chip, router, origin.packet, cycle)) {
                continue;
            }
            channel = waits_for_niu(chip, origin.packet, router->node, way)
                          ? NULL
                          : channel_for(router, &origin, way);
            if (channel) {
                pass_link(chip, router, way, &origin, channel, cycle, arrived);
                return;
            }
        }
    }
}

/* --- All --- */

/* What leaves from now on comes to its first router so much later. */
static uint64_t ahead(const struct penrose_chip *chip)
{
    return timing_cycles(chip->board.delivery.timing, TIMING_NOC_NIU);
}

void chip_links_enter(struct penrose_chip *chip, struct noc_packet *packet)
{
    const struct noc_delivery *delivery = &chip->board.delivery;
    const uint64_t alone = noc_cycles_alone(delivery, packet);
    /* One of a run with other costs, or without any, can have left in less time. */
    const uint64_t begin = packet->sent > alone ? packet->sent - alone : 0;
    packet->arrival = begin + ahead(chip);
    packet->links = 0;
    packet->number = packet->pieces = packet->ends = 0;
    packet->is_at_router = false;
    if (way_is_multicast(packet)) {
        const struct grid_multicast multicast = chip_multicast_of(packet);
        const struct grid_way stem = grid_stem(&multicast);
        packet->span.turn = stem.turn;
        way_set_end(packet, stem.to);
    }
    noc_queue_put(&chip->on_way, packet);
}

/* The packet's head is at its first router, behind others that left its NIU before. */
static void come_to_router(struct penrose_chip *chip, struct noc_packet *packet)
{
    struct noc_list *waiting =
        &chip->links->waiting[packet->noc][packet->from][chip_links_kind(packet)];
    const bool is_first = waiting->head == NULL;
    packet->is_at_router = true;
    noc_list_append(waiting, packet);
    chip->links->active++;
    if (is_first) {
        look_at_ways_of(chip, packet, packet->from, packet->arrival);
    }
}

static void look_at_links(struct penrose_chip *chip, uint64_t cycle, struct noc_list *arrived)
{
    uint64_t *due = chip->links->state.due[cycle % LINKS_SOON];
    for (unsigned i = 0; i < LINKS_WORDS; i++) {
        for (; due[i]; due[i] &= due[i] - 1) {
            const unsigned link = i * 64 + (unsigned)__builtin_ctzll(due[i]);
            const unsigned place = link / LINKS_WAYS;
            const struct router router =
                router_at(chip, place / NOC_NODES, (uint16_t)(place % NOC_NODES));
            look(chip, &router, link % LINKS_WAYS, cycle, arrived);
        }
    }
}

void chip_links_run(struct penrose_chip *chip, struct noc_list *arrived)
{
    struct links *links = chip->links;
    struct links_state *state = &links->state;
    const uint64_t end = chip->head.time.now + ahead(chip);
    while (links->active > 0 ? state->now < end : chip->on_way.earliest < end) {
        state->now = links->active > 0 ? state->now : chip->on_way.earliest;
        for (struct noc_packet *packet; (packet = noc_queue_take(&chip->on_way, state->now + 1));) {
            come_to_router(chip, packet);
        }
        look_at_links(chip, state->now++, arrived);
        if (links->active == 0) {
            memset(state->due, 0, sizeof state->due);
            state->now = 0;
        }
    }
}

uint64_t chip_links_due(const struct penrose_chip *chip)
{
    const struct links *links = chip->links;
    uint64_t first = chip->on_way.earliest;
    if (links && links->active > 0) {
        first = links->state.now < first ? links->state.now : first;
    }
    return first == UINT64_MAX ? first : first > ahead(chip) ? first - ahead(chip) : 0;
}

uint64_t chip_links_next(const struct penrose_chip *chip)
{
    const struct noc_delivery *delivery = &chip->board.delivery;
    uint64_t next = chip->links && chip->links->active ? chip->links->state.now : UINT64_MAX;
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
