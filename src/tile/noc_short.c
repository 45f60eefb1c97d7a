/*
 * What need not travel, in functional runs.
 *
 * Packets between tiles take as long as a window, since tiles know nothing of each other before its
 * end. What a tile sends to itself, and what it reads from GDDR, which does not change while tiles
 * run, it can have at once, and as the responses are there at once the hart need not sleep.
 * Software relies on some of that: tt-metal's multicast matrix products use a block, or take a
 * semaphore back, which they have just sent to themselves too, without waiting for it.
 *
 * Whether software looked at the counters before it went on cannot be seen any more by what it got.
 * So the tile notes responses that nobody has looked for.
 */
#include "tile/noc_short.h"

#include "noc/serve.h"
#include "tile/noc_port.h"

/* Plain bytes of the tile's own L1? */
static bool is_l1(const struct tile *tile, uint64_t address, uint32_t size)
{
    return address < tile->kind->l1_bytes && size <= tile->kind->l1_bytes - address;
}

/* Nothing but bytes that go from one place to another? */
static bool is_plain(const struct noc_packet *packet)
{
    return !packet->stores_header && !(packet->tag & NOC_TAG_TO_OVERLAY);
}

/* A hart's request has its response. */
static void note_unseen(struct tile *tile, const struct noc_packet *packet)
{
    if (packet->kind > NOC_ATOMIC || !packet->wants_response || packet->agent >= AGENT_NOC) {
        return;
    }
    struct tile_unseen *unseen = &tile->unseen[packet->noc][packet->kind];
    tile->unseen_count += unseen->responses == 0;
    unseen->responses = unseen->agent == packet->agent ? unseen->responses + 1 : 1;
    unseen->agent = packet->agent;
    unseen->pc = packet->pc;
}

/* --- To the sender --- */

static void serve_own(struct tile *tile, struct noc_packet *packet, uint64_t cycle)
{
    struct noc_target target = tile_noc_target(tile, packet->noc);
    packet->arrival = cycle;
    if (!noc_serve(&target, packet, cycle)) {
        noc_queue_put(&tile->inbox, packet);
    }
}

/* The sender's own copy of a multicast to L1. */
static void loop_back(struct tile *tile, struct noc_packet *packet, uint64_t cycle)
{
    if (packet->address >= tile->kind->l1_bytes || !is_plain(packet) ||
        !packet->span.includes_source || !tile->board->loops_back ||
        !tile->board->loops_back(tile->owner, tile, packet)) {
        return;
    }
    struct noc_packet *copy = noc_packet_copy(&tile->pool, packet);
    if (!copy) {
        return; /* the chip makes it, or tells */
    }
    packet->span.includes_source = false;
    packet->span.has_looped = true;
    copy->is_multicast = false;
    copy->to = tile->node;
    serve_own(tile, copy, cycle);
}

/* From L1 to L1 of the same tile, or the response to that. */
static bool stays_here(const struct tile *tile, const struct noc_packet *packet)
{
    if (packet->to != tile->node || !is_l1(tile, packet->address, packet->size)) {
        return false;
    }
    return packet->kind > NOC_ATOMIC ? packet->from == tile->node
                                     : is_plain(packet) && packet->back == tile->node &&
                                           is_l1(tile, packet->back_address, packet->size);
}

/* --- GDDR --- */

/* A read or write of GDDR by a hart, from or to plain L1 of its tile. */
static bool asks_gddr(const struct tile *tile, const struct noc_packet *packet)
{
    return packet->kind <= NOC_WRITE && packet->wants_response && packet->agent < AGENT_NOC &&
           packet->back == tile->node && packet->to != tile->node &&
           is_l1(tile, packet->back_address, packet->size);
}

static bool serve_gddr(struct tile *tile, struct noc_packet *packet, uint64_t cycle)
{
    const struct tile_board *board = tile->board;
    struct noc_target here = tile_noc_target(tile, packet->noc);
    bool is_read = packet->kind == NOC_READ;
    const uint8_t *bytes =
        is_read && board->read_gddr ? board->read_gddr(tile->owner, tile, packet) : NULL;
    bool is_answered =
        is_read ? bytes != NULL : board->gddr_takes && board->gddr_takes(tile->owner, packet);
    if (!is_answered) {
        return false;
    }
    noc_answer(&here, packet, bytes, cycle);
    note_unseen(tile, packet);
    packet->is_answered = true;
    if (is_read) {
        noc_packet_free(&tile->pool, packet);
    }
    return is_read;
}

/* --- All --- */

bool tile_noc_short(struct tile *tile, struct noc_packet *packet, uint64_t cycle)
{
    if (packet->is_multicast && packet->kind <= NOC_ATOMIC) {
        loop_back(tile, packet, cycle);
        return false;
    }
    if (!tile->board->serves_at_once) {
        return false;
    }
    if (stays_here(tile, packet)) {
        note_unseen(tile, packet);
        serve_own(tile, packet, cycle);
        return true;
    }
    return asks_gddr(tile, packet) && serve_gddr(tile, packet, cycle);
}

/* --- Who looked --- */

static void forget(struct tile *tile, unsigned noc, enum noc_kind kind, enum tile_agent agent)
{
    struct tile_unseen *unseen = &tile->unseen[noc][kind];
    if (unseen->responses > 0 && unseen->agent == agent) {
        unseen->responses = 0;
        tile->unseen_count--;
    }
}

void tile_noc_look(struct tile *tile, unsigned noc, uint32_t offset, enum tile_agent agent)
{
    bool is_id =
        offset >= NIU_REQS_OUTSTANDING && offset < NIU_REQS_OUTSTANDING + 4 * NIU_TRANSACTIONS;
    if (is_id || offset == NIU_COUNTERS + 4 * NIU_MST_RD_RESP_RECEIVED ||
        offset == NIU_COUNTERS + 4 * NIU_MST_RD_DATA_WORD_RECEIVED) {
        forget(tile, noc, NOC_READ, agent);
    }
    if (is_id || offset == NIU_COUNTERS + 4 * NIU_MST_WR_ACK_RECEIVED) {
        forget(tile, noc, NOC_WRITE, agent);
    }
    if (is_id || offset == NIU_COUNTERS + 4 * NIU_MST_ATOMIC_RESP_RECEIVED) {
        forget(tile, noc, NOC_ATOMIC, agent);
    }
}
