/*
 * RX queues. SPEC: EthernetTxRx. In raw mode frames are appended to a buffer in L1, in TT-link mode
 * they are acted upon. Data are in L1 at once, so ETH_RXQ_OUTSTANDING_WR_CNT is always 0.
 */
#include "eth/eth_internal.h"

#include <string.h>

enum { PACKET_MODE = 1 << 1, BUF_WRAP = 1 << 2, WORD_BYTES = 16, STREAMS = 32 };

static void rxq_drop(struct eth_rxq *rxq)
{
    ++*rxq_word(rxq, REG_ETH_RXQ_PACKET_DROP_CNT);
}

static void write_l1(struct eth *eth, struct eth_rxq *rxq, const struct eth_frame *frame,
                     uint32_t address, const uint8_t *bytes, uint32_t size, uint64_t cycle)
{
    memcpy(eth->board.l1 + address, bytes, size);
    *rxq_word(rxq, REG_ETH_RXQ_BYTE_CNT) += size;
    eth->board.frame_written(eth->board.owner, address, size, frame->pc, cycle);
}

/* --- Raw mode --- */

/* GUESS: a packet of which some bytes are dropped counts as one dropped packet. */
static void rxq_append(struct eth *eth, struct eth_rxq *rxq, const struct eth_frame *frame,
                       uint32_t strip, uint64_t cycle)
{
    const uint8_t *bytes = frame->bytes + strip;
    uint32_t left = frame->length - strip;
    uint64_t start = (uint64_t)*rxq_word(rxq, REG_ETH_RXQ_BUF_START_WORD_ADDR) * WORD_BYTES;
    uint64_t size = (uint64_t)*rxq_word(rxq, REG_ETH_RXQ_BUF_SIZE_WORDS) * WORD_BYTES;
    bool wraps = *rxq_word(rxq, REG_ETH_RXQ_CTRL) & BUF_WRAP;
    uint32_t *pointer = rxq_word(rxq, REG_ETH_RXQ_BUF_PTR);
    if (start + size > eth->board.l1_size) {
        rxq_drop(rxq);
        eth->board.fault(eth->board.owner,
                         "ETH_RXQ_BUF_START_WORD_ADDR and BUF_SIZE_WORDS: the RX "
                         "buffer must lie within the tile's L1",
                         cycle);
        return;
    }
    while (left) {
        if (*pointer >= size && wraps && size) {
            *pointer = 0;
        }
        if (*pointer >= size) {
            rxq_drop(rxq);
            return;
        }
        uint32_t room = (uint32_t)size - *pointer;
        uint32_t piece = left < room ? left : room;
        write_l1(eth, rxq, frame, (uint32_t)start + *pointer, bytes, piece, cycle);
        *pointer += piece;
        bytes += piece;
        left -= piece;
    }
    if (wraps && *pointer == size) {
        *pointer = 0;
    }
}

static void receive_raw(struct eth *eth, struct eth_rxq *rxq, const struct eth_frame *frame,
                        uint64_t cycle)
{
    uint32_t strip = *rxq_word(rxq, REG_ETH_RXQ_HDR_CTRL);
    if (strip < frame->length) {
        rxq_append(eth, rxq, frame, strip, cycle);
    }
}

/* --- TT-link mode --- */

/* NULL, or why the packet cannot be acted upon. */
static const char *check_packet(const struct eth *eth, unsigned queue, const uint8_t *tt_link,
                                uint32_t payload)
{
    uint32_t address = get32_low_first(tt_link + TT_LINK_ADDRESS);
    uint32_t size = get32_low_first(tt_link + TT_LINK_SIZE);
    if (size > payload) {
        return "An RX queue in TT-link mode got a frame that is no TT-link packet: have the RX "
               "classifier route it elsewhere";
    }
    if (tt_link[TT_LINK_MMIO] & 1) {
        if (queue == WITHOUT_MMIO) {
            return "RX queue 2 does not take TT-link MMIO writes; route them to queue 0 or 1";
        }
        return size < 4 || address % 4 ? "A TT-link MMIO write must be to a multiple of 4" : NULL;
    }
    if (tt_link[TT_LINK_FLAGS] & TT_LINK_OVERLAY && tt_link[TT_LINK_STREAM] >= STREAMS) {
        return "A TT-link packet arrived for a stream that an Ethernet tile does not have";
    }
    if (address % WORD_BYTES || size % WORD_BYTES) {
        return "A TT-link L1 write must be of whole 16-byte words, at a multiple of 16";
    }
    if (address > eth->board.l1_size || size > eth->board.l1_size - address) {
        return "A TT-link L1 write arrived for an address beyond the tile's L1";
    }
    return NULL;
}

static void act(struct eth *eth, unsigned queue, const struct eth_frame *frame, uint64_t cycle)
{
    const struct eth_board *board = &eth->board;
    const uint8_t *tt_link = frame->bytes + TT_LINK_AT, *payload = tt_link + TT_LINK_BYTES;
    uint32_t address = get32_low_first(tt_link + TT_LINK_ADDRESS);
    uint32_t size = get32_low_first(tt_link + TT_LINK_SIZE);
    if (tt_link[TT_LINK_MMIO] & 1) {
        board->mmio_write(board->owner, address, get32_low_first(payload), frame->pc, cycle);
        return;
    }
    if (size) {
        write_l1(eth, &eth->rxq[queue], frame, address, payload, size, cycle);
    }
    if (tt_link[TT_LINK_FLAGS] & TT_LINK_OVERLAY && board->overlay_received) {
        board->overlay_received(board->owner, tt_link[TT_LINK_STREAM], address, size, cycle);
    }
}

/* True when the packet is the one that is expected. Otherwise it is dropped, and the peer hears
 * of it: once about a gap, and what to go on with in any case. */
static bool in_sequence(struct eth *eth, unsigned queue, uint8_t sequence)
{
    struct eth_rxq *rxq = &eth->rxq[queue];
    struct eth_txq *txq = &eth->txq[queue];
    uint8_t ahead = (uint8_t)(sequence - *rxq_word(rxq, REG_ETH_RXQ_LOCAL_RX_SEQ_NUM));
    txq->ack_owed = true;
    if (ahead == 0) {
        rxq->gap_noticed = false;
        *rxq_word(rxq, REG_ETH_RXQ_LOCAL_RX_SEQ_NUM) = (uint8_t)(sequence + 1);
        return true;
    }
    if (ahead < 0x80 && !rxq->gap_noticed) {
        rxq->gap_noticed = true;
        txq->notice_owed = true;
    }
    rxq_drop(rxq);
    return false;
}

static void receive_tt_link(struct eth *eth, unsigned queue, const struct eth_frame *frame,
                            uint64_t cycle)
{
    struct eth_rxq *rxq = &eth->rxq[queue];
    const uint8_t *tt_link = frame->bytes + TT_LINK_AT;
    const char *rule = "An RX queue in TT-link mode got a frame that is too short for a TT-link "
                       "packet; have the RX classifier drop it";
    if (frame->length >= TT_LINK_AT + TT_LINK_BYTES) {
        rule = check_packet(eth, queue, tt_link, frame->length - TT_LINK_AT - TT_LINK_BYTES);
    }
    if (rule) {
        rxq_drop(rxq);
        eth->board.fault(eth->board.owner, rule, cycle);
        return;
    }
    uint8_t flags = tt_link[TT_LINK_FLAGS], expected = tt_link[TT_LINK_EXPECTED];
    *rxq_word(rxq, REG_ETH_RXQ_REMOTE_RX_SEQ_NUM) = expected;
    eth_acknowledged(eth, queue, expected, flags & TT_LINK_NOTICE, cycle);
    if (flags & TT_LINK_HAS_SEQUENCE && in_sequence(eth, queue, tt_link[TT_LINK_SEQUENCE])) {
        act(eth, queue, frame, cycle);
    }
}

/* --- Arrival --- */

/* GUESS: the MAC removes the padding of a frame that says its length. */
static void remove_padding(struct eth_frame *frame)
{
    uint32_t length = get16(frame->bytes + TYPE_AT);
    if (length < FIRST_TYPE && ETHERNET_BYTES + length < frame->length) {
        frame->length = ETHERNET_BYTES + length;
    }
}

void eth_receive(struct eth *eth, const struct eth_frame *arrived, uint64_t cycle)
{
    if (eth->link == ETH_LINK_DOWN || arrived->length < ETHERNET_BYTES ||
        arrived->length > ETH_FRAME_LIMIT) {
        eth->statistics.lost++;
        return;
    }
    struct eth_frame frame;
    frame.length = arrived->length;
    frame.pc = arrived->pc;
    frame.eop = arrived->eop;
    memcpy(frame.bytes, arrived->bytes, arrived->length);
    eth->statistics.received++;
    eth_damage(eth, &frame, cycle);
    remove_padding(&frame);
    unsigned queue;
    if (!eth_classify(eth, &frame, &queue)) {
        eth->statistics.classified++;
        return;
    }
    if (queue >= ETH_QUEUES) {
        eth->statistics.unrouted++;
        return;
    }
    struct eth_rxq *rxq = &eth->rxq[queue];
    ++*rxq_word(rxq, REG_ETH_RXQ_PKT_START_CNT);
    *rxq_word(rxq, REG_ETH_RXQ_WORD_CNT) += (frame.length + COUNTED_WORD - 1) / COUNTED_WORD;
    ++*rxq_word(rxq, REG_ETH_RXQ_PKT_END_CNT);
    if (*rxq_word(rxq, REG_ETH_RXQ_CTRL) & PACKET_MODE) {
        receive_tt_link(eth, queue, &frame, cycle);
    } else {
        receive_raw(eth, rxq, &frame, cycle);
    }
    eth->board.changed(eth->board.owner, cycle);
    eth_pump(eth, cycle);
}
