/* The overlay in its tile, see tile/overlay_port.h. */
#include "tile/overlay_port.h"

#include <stdio.h>
#include <string.h>

#include "noc/request.h"
#include "noc/transaction.h"
#include "tile/noc_port.h"
#include "tile/pic.h"

/* A packet as the request of a request initiator that nobody sees. */
enum {
    CTRL_WRITE = 2,
    CTRL_INLINE = 1 << 3,
    CTRL_MULTICAST = 1 << 5,
    CTRL_LINKED = 1 << 6,
    CTRL_STATIC = 1 << 7,
    CTRL_RESERVE = 1 << 8,
    CTRL_CHANNEL_SHIFT = 13,
    CTRL_Y_MAJOR = 1 << 16,
    CTRL_PRIORITY_SHIFT = 27,
    RUNS = 64, /* of the overlay for one call: packets leave between them */
};

struct sender {
    struct tile *tile;
    const struct overlay_packet *packet;
};

static const char *stream_fetch(void *owner, uint64_t address, uint8_t *bytes, uint32_t size,
                                uint64_t cycle)
{
    const struct sender *sender = owner;
    (void)address;
    (void)cycle;
    memcpy(bytes, sender->packet->bytes, size);
    return NULL;
}

static void send(void *owner, struct noc_packet *packet, uint64_t cycle)
{
    const struct sender *sender = owner;
    tile_noc_send(sender->tile, packet, cycle);
}

static bool report_overlay_fault(struct tile *tile, enum penrose_fault_kind kind, const char *text,
                                 uint64_t cycle)
{
    struct tile_fault fault = {.kind = kind, .agent = AGENT_NOC, .cycle = cycle};
    snprintf(fault.text, sizeof fault.text, "%s", text);
    return tile_fault(tile, &fault) != PENROSE_STOP;
}

static bool refused(void *owner, enum penrose_fault_kind kind, const char *text, uint64_t cycle)
{
    const struct sender *sender = owner;
    return report_overlay_fault(sender->tile, kind, text, cycle);
}

static uint32_t control(const struct overlay_packet *packet)
{
    return CTRL_WRITE | CTRL_STATIC | packet->vc << CTRL_CHANNEL_SHIFT |
           packet->priority << CTRL_PRIORITY_SHIFT | (packet->is_register ? CTRL_INLINE : 0u) |
           (packet->is_multicast ? CTRL_MULTICAST : 0u) | (packet->is_linked ? CTRL_LINKED : 0u) |
           (packet->reserves_path ? CTRL_RESERVE : 0u) | (packet->y_is_major ? CTRL_Y_MAJOR : 0u);
}

static uint32_t high_word(const struct overlay_packet *packet)
{
    uint32_t start = packet->x | packet->y << 6;
    return packet->is_multicast ? packet->end_x | packet->end_y << 6 | start << 12 : start;
}

static uint32_t tag(const struct overlay_packet *packet)
{
    if (!packet->delivers) {
        return packet->stores_header ? NOC_TAG_HEADER_STORE : 0;
    }
    return packet->stream | NOC_TAG_TO_OVERLAY | (packet->first ? NOC_TAG_FIRST : 0u) |
           (packet->last ? NOC_TAG_LAST : 0u) | (packet->stores_header ? NOC_TAG_HEADER_STORE : 0u);
}

/* The request that asks for the packet. */
static void write_words(uint32_t *word, const struct overlay_packet *packet)
{
    unsigned low = packet->is_register ? NIU_TARG_ADDR_LO : NIU_RET_ADDR_LO;
    memset(word, 0, NIU_REQUEST_WORDS * sizeof *word);
    word[low / 4] = (uint32_t)packet->address;
    word[low / 4 + 1] = (uint32_t)(packet->address >> 32);
    word[low / 4 + 2] = high_word(packet);
    word[NIU_CTRL / 4] = control(packet);
    word[NIU_PACKET_TAG / 4] = tag(packet);
    word[NIU_AT_LEN_BE / 4] = packet->size;
    if (packet->is_register) {
        memcpy(&word[NIU_AT_DATA / 4], packet->bytes, 4);
    } else {
        /* Alike modulo the line for the receiver's rule; the data are given by `fetch`. */
        word[NIU_TARG_ADDR_LO / 4] = (uint32_t)packet->address;
        word[NIU_AT_DATA / 4] = (uint32_t)(packet->header_address >> 4);
    }
}

/* Asks for the packet as software would. */
static void request(struct tile *tile, const struct overlay_packet *packet, uint64_t cycle)
{
    struct sender sender = {.tile = tile, .packet = packet};
    struct noc_initiator by = {.owner = &sender,
                               .pool = &tile->pool,
                               .here = tile->node,
                               .noc = (uint8_t)packet->noc,
                               .agent = AGENT_NOC,
                               .sender = (uint8_t)(packet->sender + 1),
                               .fetch = stream_fetch,
                               .send = send,
                               .fault = refused};
    struct niu *niu = &tile->niu[packet->noc];
    uint32_t word[NIU_REQUEST_WORDS];
    write_words(word, packet);
    if (noc_request_accept(niu, word, cycle, &by)) {
        noc_request_depart(niu, word, cycle, &by);
    }
    if (tile->commands) {
        tile_noc_let_depart(tile, packet->noc, cycle);
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
    report_overlay_fault(tile, PENROSE_FAULT_UNIMPLEMENTED, text, cycle);
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
        request(tile, packet, cycle);
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
    report_overlay_fault(owner, PENROSE_FAULT_NOC_COMMAND, text, cycle);
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
