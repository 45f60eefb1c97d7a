/* The overlay in its tile, see tile/overlay_port.h. */
#include "tile/overlay_port.h"

#include <stdio.h>
#include <string.h>

#include "noc/request.h"
#include "noc/transaction.h"
#include "tile/fault.h"
#include "tile/noc_port.h"
#include "tile/pic.h"

enum { RUNS = 64 /* of the overlay for one call: packets leave between them */ };

static bool packet_refused(void *owner, enum penrose_fault_kind kind, const char *text,
                           uint64_t cycle)
{
    return tile_agent_fault(owner, kind, AGENT_NOC, cycle, 0, text);
}

/* The receiver, as the top of NOC_RET_ADDR names one. */
static uint32_t receiver_of(const struct overlay_packet *packet)
{
    uint32_t start = packet->x | packet->y << 6;
    return packet->is_multicast ? packet->end_x | packet->end_y << 6 | start << 12 : start;
}

static uint16_t tag_of(const struct overlay_packet *packet)
{
    unsigned tag = packet->stores_header ? NOC_TAG_HEADER_STORE : 0;
    if (packet->delivers) {
        tag |= packet->stream | NOC_TAG_TO_OVERLAY | (packet->first ? NOC_TAG_FIRST : 0u) |
               (packet->last ? NOC_TAG_LAST : 0u);
    }
    return (uint16_t)tag;
}

/* Sends what a stream hands over. Its data are taken at once, so no rule about their source can be
 * broken: the other end is as far from a line as this one. */
static void send_for_stream(struct tile *tile, const struct overlay_packet *from, uint64_t cycle)
{
    const struct noc_initiator by = {.owner = tile,
                                     .pool = &tile->pool,
                                     .here = tile->node,
                                     .noc = (uint8_t)from->noc,
                                     .agent = AGENT_NOC,
                                     .sender = (uint8_t)(from->sender + 1),
                                     .send = tile_noc_send,
                                     .counts_data = tile_noc_counts_data(tile),
                                     .fault = packet_refused};
    struct noc_packet *packet = noc_packet_new(&tile->pool);
    uint8_t *bytes = packet ? noc_packet_room(&tile->pool, packet, from->size) : NULL;
    if (!bytes) {
        noc_packet_free(&tile->pool, packet);
        tile_agent_fault(tile, PENROSE_FAULT_NOC_COMMAND, AGENT_NOC, cycle, 0,
                         "the host has no memory for a packet");
        return;
    }
    memcpy(bytes, from->bytes, from->size);
    packet->kind = NOC_WRITE;
    packet->size = from->size;
    packet->address = from->address;
    packet->back_address = from->is_register ? 0 : (uint32_t)from->address;
    packet->operation = from->is_register ? packet->word : (uint32_t)(from->header_address >> 4);
    packet->tag = tag_of(from);
    packet->channel = (uint8_t)from->vc;
    packet->is_inline = from->is_register;
    packet->is_multicast = from->is_multicast;
    packet->is_linked = from->is_linked;
    packet->stores_header = from->stores_header;
    packet->span.y_is_major = from->is_multicast && from->y_is_major;
    noc_request_packet(&tile->niu[from->noc], receiver_of(from), packet, cycle, &by);
    if (tile->commands) {
        tile_noc_let_depart(tile, from->noc, cycle);
    }
}

/* Nobody has said how the packets of streams look on an Ethernet link. */
static void refuse_link(struct tile *tile, const struct overlay_packet *packet, uint64_t cycle)
{
    char text[160];
    snprintf(text, sizeof text,
             "stream %u sends to (63, 63), the other end of the Ethernet link: not modelled, the "
             "packet is lost; use a transmit queue (ETH_TXQ_CMD)",
             packet->sender);
    tile_agent_fault(tile, PENROSE_FAULT_UNIMPLEMENTED, AGENT_NOC, cycle, 0, text);
}

/* Somebody's linked transaction keeps others waiting; a stream's own, which is a multicast, keeps
 * what it tells its source. */
static bool must_wait(const struct tile *tile, const struct overlay_packet *packet)
{
    const struct niu *niu = &tile->niu[packet->noc];
    return noc_transaction_holds(niu, packet->sender + 1) ||
           (niu->transaction.is_open && !packet->is_multicast);
}

static bool port_send(void *owner, const struct overlay_packet *packet, uint64_t cycle)
{
    struct tile *tile = owner;
    if (packet->is_ethernet) {
        refuse_link(tile, packet, cycle);
    } else if (must_wait(tile, packet)) {
        tile->overlay_waits |= (uint8_t)(1u << packet->noc);
        return false;
    } else {
        send_for_stream(tile, packet, cycle);
    }
    if (!packet->is_register) {
        tile->overlay_left[packet->sender]++;
    }
    return true;
}

static uint32_t port_node(void *owner, unsigned noc)
{
    const struct tile *tile = owner;
    return tile->niu[noc].word[NIU_ID_LOGICAL / 4] & 0xfff;
}

static void stream_fault(void *owner, unsigned stream, const char *text, uint64_t cycle)
{
    (void)stream;
    tile_agent_fault(owner, PENROSE_FAULT_NOC_COMMAND, AGENT_NOC, cycle, 0, text);
}

void tile_overlay_changed(struct tile *tile, uint64_t cycle)
{
    pic_set_hardware(tile, PIC_OVERLAY, overlay_interrupt(&tile->overlay), cycle);
    if (tensix_watches(&tile->tensix)) {
        tensix_look(&tile->tensix, cycle); /* a STREAMWAIT may be met for a moment only */
        tile_event(tile, cycle);
    } else {
        tile_registers_changed(tile, OVERLAY_REGISTERS_ADDRESS,
                               OVERLAY_STREAMS * OVERLAY_REGISTERS * 4, cycle);
    }
}

static void stream_changed(void *owner, uint64_t cycle)
{
    tile_overlay_changed(owner, cycle);
}

const struct overlay_board tile_overlay_board = {port_send, port_node, stream_fault,
                                                 stream_changed};

/* What was sent has left L1 at once; true when anything was. */
static bool let_leave(struct tile *tile, uint64_t cycle)
{
    bool any = false;
    for (unsigned s = 0; s < OVERLAY_STREAMS; s++) {
        for (; tile->overlay_left[s]; tile->overlay_left[s]--) {
            overlay_sent(&tile->overlay, s, cycle);
            any = true;
        }
    }
    return any;
}

bool tile_overlay_is_due(const struct tile *tile)
{
    bool has_ended = false;
    for (unsigned noc = 0; noc < 2; noc++) {
        has_ended |= tile->overlay_waits >> noc & 1 && !tile->niu[noc].transaction.is_open;
    }
    return tile->overlay.due || (tile->overlay.blocked && has_ended);
}

void tile_overlay_run(struct tile *tile, uint64_t cycle)
{
    for (unsigned i = 0; i < RUNS && tile_overlay_is_due(tile); i++) {
        tile->overlay_waits = 0;
        bool more = overlay_run(&tile->overlay, cycle);
        if (!let_leave(tile, cycle) && !more) {
            return;
        }
    }
}
