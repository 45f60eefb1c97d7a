/*
 * Requests that need not travel, in functional runs.
 *
 * Packets between tiles take as long as a window, because tiles do not affect each other before its
 * end. A tile can have at once what it sends to itself, and what it reads from GDDR, which does not
 * change while tiles run. The responses are there at once, so the hart need not sleep. Software
 * relies on some of this: tt-metal's multicast matrix products use a block, or take a semaphore
 * back, that they have just sent to themselves too, without waiting for it.
 *
 * The data then do not show whether software waited for its responses. So the tile notes responses
 * for which software has not looked at the counters.
 */
#include "tile/noc_short.h"

#include "noc/serve.h"
#include "tile/noc_serve.h"
#include "tile/tell.h"

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

/* --- To the sender --- */

static void serve_own(struct tile *tile, struct noc_packet *packet, uint64_t cycle)
{
    packet->arrival = cycle;
    if (!tile_noc_serve(tile, &tile->behind[packet->noc], packet, cycle)) {
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
    bool is_on = !(tile->niu[packet->noc].word[NIU_CFG_0 / 4] & NIU_CLOCK_OFF);
    if (packet->to != tile->node || !is_on || !is_l1(tile, packet->address, packet->size)) {
        return false;
    }
    return packet->kind > NOC_ATOMIC ? packet->from == tile->node
                                     : is_plain(packet) && packet->back == tile->node &&
                                           is_l1(tile, packet->back_address, packet->size);
}

/* --- GDDR --- */

static void note_unseen(struct tile *tile, const struct noc_packet *packet)
{
    struct tile_unseen *unseen = &tile->unseen[packet->noc][packet->kind][packet->agent];
    tile->unseen_count += unseen->responses == 0;
    unseen->responses++;
    unseen->pc = packet->pc;
}

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
    bool is_read = packet->kind == NOC_READ;
    const uint8_t *bytes =
        is_read && board->read_gddr ? board->read_gddr(tile->owner, tile, packet) : NULL;
    bool is_answered =
        is_read ? bytes != NULL : board->gddr_takes && board->gddr_takes(tile->owner, packet);
    if (!is_answered) {
        return false;
    }
    noc_answer(&tile->behind[packet->noc], packet, bytes, cycle);
    tile_noc_tell_answer(tile, packet, cycle);
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
    if (!tile->board->delivery.at_once) {
        return false;
    }
    if (stays_here(tile, packet)) {
        serve_own(tile, packet, cycle);
        return true;
    }
    return asks_gddr(tile, packet) && serve_gddr(tile, packet, cycle);
}

/* --- Looking at the counters --- */

static void forget_unseen(struct tile_unseen *unseen, unsigned *count)
{
    *count -= unseen->responses > 0;
    unseen->responses = 0;
}

void tile_noc_look(struct tile *tile, unsigned noc, uint32_t offset, enum tile_agent agent)
{
    bool tells_all =
        (offset >= NIU_REQS_OUTSTANDING && offset < NIU_REQS_OUTSTANDING + 4 * NIU_TRANSACTIONS) ||
        offset == NIU_RTZ_SOURCE || offset == NIU_RTZ_NUM;
    if (tells_all || offset == NIU_COUNTERS + 4 * NIU_MST_RD_RESP_RECEIVED ||
        offset == NIU_COUNTERS + 4 * NIU_MST_RD_DATA_WORD_RECEIVED) {
        forget_unseen(&tile->unseen[noc][NOC_READ][agent], &tile->unseen_count);
    }
    if (tells_all || offset == NIU_COUNTERS + 4 * NIU_MST_WR_ACK_RECEIVED) {
        forget_unseen(&tile->unseen[noc][NOC_WRITE][agent], &tile->unseen_count);
    }
}

void tile_noc_forget(struct tile *tile, enum rv32_core core)
{
    for (unsigned i = 0; i < 2 * (NOC_WRITE + 1); i++) {
        forget_unseen(&tile->unseen[i % 2][i / 2][core], &tile->unseen_count);
    }
}

void tile_noc_count_unseen(struct tile *tile)
{
    tile->unseen_count = 0;
    for (unsigned i = 0; i < 2 * (NOC_WRITE + 1) * RV32_CORES; i++) {
        unsigned noc = i % 2, kind = i / 2 % (NOC_WRITE + 1), core = i / 2 / (NOC_WRITE + 1);
        tile->unseen_count += tile->unseen[noc][kind][core].responses > 0;
    }
}
