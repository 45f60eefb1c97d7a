/*
 * The exchange between windows: packets that left during a window are handed over.
 *
 * A packet never arrives in the window in which it was sent. In a functional run its way takes as long
 * as a window, whatever the distance, so windows can be as long as that. In a timed run packets go from
 * router to router (links.h). Tiles without a time of their own (ARC, PCIe, L2CPU, security)
 * are served here, at the start of the window in which a packet arrives.
 */
#include <stdio.h>

#include "chip/gddr.h"
#include "chip/link.h"
#include "chip/links.h"
#include "chip/multicast.h"
#include "noc/serve.h"
#include "tile/noc_serve.h"

/* --- Time --- */

/* The latest arrival on the packet's way. */
static uint64_t *flow(struct penrose_chip *chip, const struct noc_packet *packet)
{
    unsigned way = (unsigned)packet->from * NOC_NODES + packet->to;
    return &chip->flow[packet->noc][way];
}

static void set_arrival(struct penrose_chip *chip, struct noc_packet *packet, uint64_t arrival)
{
    arrival += packet->delay;
    packet->arrival = arrival < chip->head.time.now ? chip->head.time.now : arrival;
    if (noc_keeps_order(&chip->board.delivery, packet)) {
        uint64_t *last = flow(chip, packet);
        packet->arrival = packet->arrival < *last ? *last : packet->arrival;
        *last = packet->arrival;
    }
}

/* --- Delivery --- */

static bool is_fused_off(const struct penrose_chip *chip, uint16_t place)
{
    return grid_tile(&chip->grid, chip_position(place))->is_fused_off;
}

/* Why the tile answers nothing: fused off, or switched off by software; NULL: it does, or a policy
 * lets pass that it does not. Registers of its NIUs are there all the same; of one that is fused
 * off they can be read. */
static const char *is_held(const struct penrose_chip *chip, const struct noc_packet *packet)
{
    const struct tile *tile = chip->place[packet->to].tile;
    unsigned noc;
    uint32_t offset;
    bool is_niu = chip_is_niu_of_tile(chip, packet->to, packet->address, &noc, &offset);
    if (is_fused_off(chip, packet->to)) {
        return is_niu && packet->kind == NOC_READ
                   ? NULL
                   : "it is fused off on this card; use tiles that the card has";
    }
    bool is_excused = is_niu || (packet->is_void && packet->kind > NOC_ATOMIC);
    return tile && !is_excused && tile->niu[packet->noc].word[NIU_CFG_0 / 4] & NIU_CLOCK_OFF
               ? "its clock is off; clear bit 12 of its NIU_CFG_0"
               : NULL;
}

static void route_packet(struct penrose_chip *chip, struct noc_packet *packet);

/* Sends what arises between windows. */
static void send_on(struct penrose_chip *chip, struct noc_packet *packet, uint64_t cycle)
{
    (void)noc_leave(&chip->board.delivery, &chip->edge_ways[packet->noc][packet->from], packet,
                    cycle, 0);
    packet->order = (uint64_t)(NOC_NODES + GRID_BANKS) << 40 | chip->edge_sequence++;
    route_packet(chip, packet);
}

/* A packet reaches no tile. If a policy lets that pass, its sender is answered all the same. */
static void answer_lost(struct penrose_chip *chip, struct noc_packet *packet)
{
    bool is_request = packet->kind <= NOC_ATOMIC;
    bool goes_on = is_request ? noc_packet_turn_void(packet, packet->from)
                              : !packet->is_void || packet->to != packet->origin;
    if (!goes_on) {
        noc_packet_free(&chip->packets, packet);
        return;
    }
    packet->to = is_request ? packet->to : packet->origin;
    packet->is_void = true;
    send_on(chip, packet, chip->head.time.now);
}

static void drop_packet(struct penrose_chip *chip, struct noc_packet *packet,
                        enum penrose_fault_kind kind, const char *what)
{
    char text[160];
    struct grid_position name = chip_logical(chip, packet->to);
    if (chip->links) {
        chip_links_drop(chip, packet);
    }
    snprintf(text, sizeof text, "NoC %u, 0x%llx of tile (%u, %u): %s", packet->noc,
             (unsigned long long)packet->address, name.x, name.y, what);
    if (chip_packet_fault(chip, packet, kind, text)) {
        answer_lost(chip, packet);
    } else {
        noc_packet_free(&chip->packets, packet);
    }
}

/* Results of atomics go to L1; that must be known before the operation happens. */
static bool takes_results(const struct penrose_chip *chip, const struct noc_packet *packet)
{
    const struct tile *tile = chip->place[packet->back].tile;
    unsigned kind = grid_tile(&chip->grid, chip_position(packet->back))->kind;
    uint64_t address = packet->back_address;
    bool is_stream = kind == PENROSE_TILE_DRAM && tile &&
                     !(tile->niu[packet->noc].word[NIU_CFG_0 / 4] & NIU_AXI_SUBORDINATE);
    if (is_stream) {
        tile_dram_address(address, &address);
    }
    return (kind == PENROSE_TILE_TENSIX || kind == PENROSE_TILE_ETHERNET || is_stream) &&
           address <= UINT32_MAX;
}

/* The unit that runs what stands there has something to do when the packet arrives. */
static void put_in(struct noc_queue *inbox, const struct chip_place *place,
                   struct noc_packet *packet)
{
    struct chip_unit *unit = place->unit;
    unit->next = packet->arrival < unit->next ? packet->arrival : unit->next;
    noc_queue_put(inbox, packet);
}

static void deliver_packet(struct penrose_chip *chip, struct noc_packet *packet)
{
    struct chip_place *place = &chip->place[packet->to];
    const struct grid_tile *tile = grid_tile(&chip->grid, chip_position(packet->to));
    const char *held = is_held(chip, packet);
    if (held) {
        drop_packet(chip, packet, PENROSE_FAULT_NOC_HELD, held);
        return;
    }
    if (packet->kind == NOC_ATOMIC && packet->wants_response && !takes_results(chip, packet)) {
        packet->back = packet->origin; /* if it passes */
        drop_packet(chip, packet, PENROSE_FAULT_NOC_ADDRESS,
                    "its result goes to the L1 of a Tensix or Ethernet tile: "
                    "NOC_RET_ADDR_" NOC_COORDINATES);
        return;
    }
    if (tile->is_fused_off) { /* nobody runs there */
        noc_queue_put(&chip->edge, packet);
        return;
    }
    switch ((enum penrose_tile_kind)tile->kind) {
    case PENROSE_TILE_TENSIX:
    case PENROSE_TILE_ETHERNET:
        if (!chip_make_tile(chip, packet->to)) {
            drop_packet(chip, packet, PENROSE_FAULT_NOC_ADDRESS,
                        "the host has no memory for the tile");
            return;
        }
        put_in(&place->tile->inbox, place, packet);
        break;
    case PENROSE_TILE_DRAM: /* whose NIU counts */
        if (!chip_make_tile(chip, packet->to)) {
            drop_packet(chip, packet, PENROSE_FAULT_NOC_ADDRESS,
                        "the host has no memory for the tile");
            return;
        }
        if (!chip_gddr_keep(chip, packet)) {
            put_in(&place->port->bank->inbox, place, packet);
        }
        break;
    case PENROSE_TILE_EMPTY:
    case PENROSE_TILE_PCIE:
    case PENROSE_TILE_ARC:
    case PENROSE_TILE_L2CPU:
    case PENROSE_TILE_SECURITY:
    case PENROSE_TILE_KINDS:
        noc_queue_put(&chip->edge, packet);
        break;
    }
}

static void start_packet(struct penrose_chip *chip, struct noc_packet *packet)
{
    if (chip->links) {
        chip_links_enter(chip, packet);
        return;
    }
    set_arrival(chip, packet, packet->sent + noc_cycles_of_ends(&chip->board.delivery));
    deliver_packet(chip, packet);
}

/* --- Multicast --- */

/* Nobody is reached; `rule` says why, NULL: nobody listens. */
static void refuse_multicast(struct penrose_chip *chip, struct noc_packet *packet, const char *rule)
{
    char text[PENROSE_RULE_TEXT], nobody[80];
    const struct noc_span *span = &packet->span;
    snprintf(nobody, sizeof nobody,
             "no worker there takes it (the sender only with bit %d of NOC_CTRL)",
             NIU_CTRL_INCLUDE_SOURCE);
    snprintf(text, sizeof text, "NoC %u, multicast to 0x%llx of raw (%u, %u) to (%u, %u): %s",
             packet->noc, (unsigned long long)packet->address, span->start_x, span->start_y,
             span->end_x, span->end_y, rule ? rule : nobody);
    if (chip_packet_fault(chip, packet, PENROSE_FAULT_NOC_MULTICAST, text)) {
        answer_lost(chip, packet);
    } else {
        noc_packet_free(&chip->packets, packet);
    }
}

/* Tensix tiles that take it, by copies; the others have opted out since the chip was started. */
static unsigned spread(struct penrose_chip *chip, const struct noc_packet *packet,
                       const struct grid_multicast *multicast)
{
    struct grid_target target[GRID_TILES];
    unsigned count = grid_multicast(multicast, target);
    unsigned reached = packet->span.has_looped;
    for (unsigned i = 0; i < count; i++) {
        const struct tile *tile = chip_multicast_receiver(chip, packet->noc, target[i].at);
        struct noc_packet *copy = tile ? noc_packet_copy(&chip->packets, packet) : NULL;
        if (copy) {
            copy->to = tile->node;
            start_packet(chip, copy);
            reached++;
        }
    }
    return reached;
}

static void route_multicast(struct penrose_chip *chip, struct noc_packet *packet)
{
    const struct grid_multicast multicast = chip_multicast_of(packet);
    const char *rule = grid_multicast_check(&multicast);
    packet->to = packet->from;
    if (!rule && chip->links && chip_multicast_receivers(chip, packet)) {
        start_packet(chip, packet); /* links.c makes the copies */
    } else if (!rule && !chip->links && spread(chip, packet, &multicast)) {
        noc_packet_free(&chip->packets, packet);
    } else {
        refuse_multicast(chip, packet, rule);
    }
}

static void route_packet(struct penrose_chip *chip, struct noc_packet *packet)
{
    if (packet->is_multicast && packet->kind <= NOC_ATOMIC) {
        route_multicast(chip, packet);
    } else {
        start_packet(chip, packet);
    }
}

/* --- Tiles without time --- */

struct edge {
    struct penrose_chip *chip;
    uint16_t place;
    unsigned noc;
    char rule[GRID_RULE_BYTES];
};

static enum answer edge_access(void *owner, bool writes, uint64_t address, void *bytes,
                               uint32_t size, uint64_t cycle, const char **rule)
{
    struct edge *edge = owner;
    (void)cycle;
    *rule = chip_edge_access(edge->chip, edge->place, edge->noc, writes ? MMIO_WRITE : MMIO_READ,
                             address, bytes, size, edge->rule);
    return *rule ? ANSWER_REFUSED : ANSWER_DONE;
}

static void edge_send(void *owner, struct noc_packet *packet, uint64_t cycle)
{
    send_on(((struct edge *)owner)->chip, packet, cycle);
}

static void edge_changed(void *owner, unsigned noc, uint64_t cycle)
{
    (void)owner;
    (void)noc;
    (void)cycle;
}

static bool edge_fault(void *owner, const struct noc_packet *packet, enum penrose_fault_kind kind,
                       const char *text)
{
    return chip_packet_fault(((struct edge *)owner)->chip, packet, kind, text);
}

static const struct noc_target_kind edge_target = {
    .access = edge_access, .send = edge_send, .changed = edge_changed, .fault = edge_fault};

/* SPEC: WormholeB0 NoC/Alignment; the vendor's noc_parameters has 64 for reads of PCIe tiles, 16
 * for writes, 4 for registers. ttsim: 16 for ARC. GUESS: words of ARC are registers wherever they
 * are. */
static uint8_t read_alignment(const struct penrose_chip *chip, const struct noc_packet *packet)
{
    enum { WORD = 4, OF_ARC = 16, OF_OTHERS = 32, OF_PCIE = 64 };
    const struct grid_tile *tile = grid_tile(&chip->grid, chip_position(packet->to));
    uint32_t offset;
    bool is_register =
        tile->kind == PENROSE_TILE_ARC || tile->is_fused_off ||
        grid_niu_address((enum penrose_tile_kind)tile->kind, packet->address, &offset) ||
        (tile->kind == PENROSE_TILE_PCIE &&
         pcie_is_register(&chip->pcie[tile->index & 1], packet->address));
    if (is_register && packet->size == WORD && packet->address % WORD == 0) {
        return WORD;
    }
    return tile->kind == PENROSE_TILE_PCIE  ? OF_PCIE
           : tile->kind == PENROSE_TILE_ARC ? OF_ARC
                                            : OF_OTHERS;
}

/* SerDes read zero and ignore writes: firmware that trains links would wait for seconds in vain. */
static void check_serdes(struct penrose_chip *chip, const struct noc_packet *packet,
                         const char *name)
{
    char text[PENROSE_RULE_TEXT];
    if (grid_tile(&chip->grid, chip_position(packet->to))->kind == PENROSE_TILE_PCIE &&
        pcie_is_serdes(packet->address)) {
        snprintf(text, sizeof text,
                 "NoC %u, %s of %u bytes at 0x%llx of %s: SerDes are not modelled, so firmware "
                 "cannot train a link; links that are plugged are up without it",
                 packet->noc, packet->kind == NOC_READ ? "read" : "write", packet->size,
                 (unsigned long long)packet->address, name);
        chip_packet_fault(chip, packet, PENROSE_FAULT_UNIMPLEMENTED, text);
    }
}

static void serve_edge(struct penrose_chip *chip, struct noc_packet *packet)
{
    enum { WRITE_ALIGNMENT = 16 };
    struct edge edge = {.chip = chip, .place = packet->to, .noc = packet->noc};
    struct grid_position name = chip_logical(chip, packet->to);
    const struct niu *niu = chip_edge_niu(chip, packet->to, packet->noc);
    char text[32];
    snprintf(text, sizeof text, "%s (%u, %u)",
             arch_tile_kind_name(
                 (enum penrose_tile_kind)grid_tile(&chip->grid, chip_position(packet->to))->kind),
             name.x, name.y);
    const struct noc_target target = {.kind = &edge_target,
                                      .owner = &edge,
                                      .pool = &chip->packets,
                                      .config = &niu->word[NIU_CFG_0 / 4],
                                      .name = text,
                                      .here = packet->to,
                                      .read_alignment = read_alignment(chip, packet),
                                      .write_alignment = WRITE_ALIGNMENT};
    check_serdes(chip, packet, text);
    noc_serve(&target, packet, packet->arrival);
}

/* --- All of it --- */

static void route_all(struct penrose_chip *chip, struct noc_list *sent)
{
    for (struct noc_packet *packet; (packet = noc_list_take(sent));) {
        if (!chip_gddr_ends(chip, packet)) {
            route_packet(chip, packet);
        }
    }
}

/* Not what banks send: see below. */
static void route_unit(struct penrose_chip *chip, struct chip_unit *unit)
{
    chip_gddr_count(chip, unit);
    if (unit->tile) {
        route_all(chip, &unit->tile->sent);
        return;
    }
    for (unsigned port = 0; port < DRAM_PORTS; port++) {
        if (unit->bank->port[port].tile) {
            route_all(chip, &unit->bank->port[port].tile->sent);
        }
    }
}

/* Packets that have come to the ends of their ways. */
static void deliver_from_links(struct penrose_chip *chip)
{
    struct noc_list arrived = {NULL, NULL};
    if (chip->links) {
        chip_links_run(chip, &arrived);
    }
    for (struct noc_packet *packet; (packet = noc_list_take(&arrived));) {
        set_arrival(chip, packet, packet->arrival);
        deliver_packet(chip, packet);
    }
}

void chip_exchange(struct penrose_chip *chip, uint64_t end)
{
    for (size_t i = 0; i < chip->runnable_count; i++) {
        if (chip->runnable[i]->sends) {
            route_unit(chip, chip->runnable[i]);
        }
    }
    chip_gddr_serve(chip);
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        route_all(chip, &chip->bank[i].sent);
    }
    deliver_from_links(chip);
    for (struct noc_packet *packet; (packet = noc_queue_take(&chip->edge, end));) {
        serve_edge(chip, packet);
    }
    chip_exchange_frames(chip);
}
