/* Packets between routers that are saved, loaded and listed: see links.h. */
#include "chip/chip.h"
#include "chip/links.h"

static struct noc_list *waiting_list(struct links *links, const struct noc_packet *packet)
{
    return &links->waiting[packet->noc][packet->from][chip_links_kind(packet)];
}

void chip_links_gather(struct penrose_chip *chip)
{
    struct links *links = chip->links;
    struct noc_list *lists = &links->waiting[0][0][0];
    for (unsigned i = 0; i < GRID_NOCS * NOC_NODES * LINKS_KINDS; i++) {
        for (struct noc_packet *packet; (packet = noc_list_take(&lists[i]));) {
            if (packet->number == 0) { /* the others are found by their numbers */
                noc_queue_put(&chip->on_way, packet);
            }
        }
    }
    for (unsigned i = 0; i < LINKS_PACKETS; i++) {
        if (links->packet[i]) {
            noc_queue_put(&chip->on_way, links->packet[i]);
            links->packet[i] = NULL;
        }
    }
    links->active = links->first_free = 0;
}

/* The packet takes its number again. One that has none, or that of another packet, or is not at a router
 * yet, begins anew. */
static void number_again(struct links *links, struct noc_packet *packet)
{
    const unsigned index = packet->number - 1u;
    if (packet->is_at_router && packet->number > 0 && index < LINKS_PACKETS &&
        !links->packet[index]) {
        links->packet[index] = packet;
    } else {
        packet->number = packet->pieces = packet->ends = 0;
    }
}

void chip_links_scatter(struct penrose_chip *chip)
{
    struct links *links = chip->links;
    struct noc_list all = {NULL, NULL};
    for (struct noc_packet *packet; (packet = noc_queue_take(&chip->on_way, UINT64_MAX));) {
        noc_list_append(&all, packet);
    }
    for (struct noc_packet *packet; (packet = noc_list_take(&all));) {
        number_again(links, packet);
        if (!packet->is_at_router) {
            noc_queue_put(&chip->on_way, packet);
            continue;
        }
        links->active++;
        if (packet->pieces < chip_links_pieces(packet)) {
            noc_list_append(waiting_list(links, packet), packet);
        }
    }
}

static bool has_number(const struct links *links, uint16_t number)
{
    return number > 0 && number <= LINKS_PACKETS && links->packet[number - 1];
}

/* What a damaged snapshot may say of a channel is put right. */
static void check_channel_of_link(const struct links *links, struct links_channel *channel)
{
    bool is_good = channel->pieces <= LINKS_ROOM;
    unsigned flits = 0;
    for (unsigned i = 0; is_good && i < channel->pieces; i++) {
        const struct links_piece *piece = &channel->piece[i];
        is_good = has_number(links, piece->packet);
        flits += is_good ? chip_links_flits(links->packet[piece->packet - 1], piece->number) : 0;
    }
    is_good &= flits <= LINKS_ROOM;
    channel->pieces = is_good ? channel->pieces : 0;
    channel->flits = is_good ? (uint8_t)flits : 0;
    channel->owner = has_number(links, channel->owner) ? channel->owner : 0;
    channel->claim = has_number(links, channel->claim) ? channel->claim : 0;
}

/* A packet that is not at a router yet comes to one from now on. So a damaged snapshot does not make the links
 * work on more cycles than a run has. */
static void check_arrivals(struct penrose_chip *chip)
{
    for (struct noc_packet *packet = chip->on_way.fresh; packet; packet = packet->next) {
        if (!packet->is_at_router && packet->arrival < chip->head.time.now) {
            packet->arrival = chip->head.time.now;
        }
    }
}

void chip_links_restore(struct penrose_chip *chip)
{
    struct links *links = chip->links;
    struct links_link *link = &links->state.link[0][0][0];
    struct links_source *source = &links->state.source[0][0][0];
    check_arrivals(chip);
    chip_links_scatter(chip);
    if (links->active > 0 && links->state.now < chip->head.time.now) {
        links->state.now = chip->head.time.now;
    }
    for (unsigned i = 0; i < LINKS_SOON; i++) {
        links->state.due[i][LINKS_WORDS - 1] &= UINT64_MAX >> (LINKS_WORDS * 64 - LINKS_ALL);
    }
    for (unsigned i = 0; i < GRID_NOCS * NOC_NODES * LINKS_KINDS; i++) {
        source[i].blocked %= LINKS_ALL * LINKS_CHANNELS + 1;
    }
    for (unsigned i = 0; i < LINKS_ALL; i++) {
        link[i].turn %= LINKS_PLACES + 1;
        link[i].has_pieces = 0;
        for (unsigned j = 0; j < LINKS_CHANNELS; j++) {
            check_channel_of_link(links, &link[i].channel[j]);
            link[i].has_pieces |= (uint32_t)(link[i].channel[j].pieces > 0) << j;
        }
    }
}

void chip_links_visit(const struct penrose_chip *chip,
                      void (*visit)(void *context, const struct noc_packet *packet), void *context)
{
    const struct links *links = chip->links;
    const struct noc_list *lists = links ? &links->waiting[0][0][0] : NULL;
    if (!links || links->active == 0) {
        return;
    }
    for (unsigned i = 0; i < GRID_NOCS * NOC_NODES * LINKS_KINDS; i++) {
        for (const struct noc_packet *packet = lists[i].head; packet; packet = packet->next) {
            if (packet->number == 0) { /* the others are found by their numbers */
                visit(context, packet);
            }
        }
    }
    for (unsigned i = 0; i < LINKS_PACKETS; i++) {
        if (links->packet[i]) {
            visit(context, links->packet[i]);
        }
    }
}
