/*
 * TX queues. SPEC: EthernetTxRx. A command becomes a transfer, which is cut into packets of at most
 * ETH_TXQ_MAX_PKT_SIZE_BYTES of payload. Raw packets leave at once, with a pause after every
 * RAW_BURST, so that no command floods the wire. TT-link packets get a place in the window, and
 * keep it until the peer has acknowledged them; the command is ongoing until all of them have one.
 * Data are read from L1 each time that a packet is sent.
 *
 * Two things are done when a program could notice, not at the time of the hardware. A sequence
 * number update leaves ETH_TXQ_LOCAL_SEQ_UPDATE_TIMEOUT after the last packet only if something has
 * arrived since then (other updates would tell the peer nothing). Nothing is sent, or sent again,
 * while there is no link.
 */
#include "addresses.h"
#include "arch/arch.h"
#include "eth/eth_internal.h"

#include <stddef.h>
#include <string.h>

enum command {
    COMMAND_RAW = 1 << 0,
    COMMAND_L1 = 1 << 1,
    COMMAND_MMIO = 1 << 2,
    COMMAND_FLUSH = 1 << 3, /* HDR: empties the MAC's queue, which is always empty here */
};

enum { KEEPALIVE = 1 << 0, DIS_DROP = 1 << 3, ALIGNMENT = 16 };
enum { RAW_BURST = 64, RAW_PAUSE = 1024 /* cycles */ };

/* --- Commands --- */

/* What is common to packets with data: where they are, and how they are cut. */
static const char *check_data(const struct eth *eth, uint32_t piece, const struct eth_packet *p)
{
    if (p->local > eth->board.l1_size || p->size > eth->board.l1_size - p->local) {
        return "ETH_TXQ_TRANSFER_START_ADDR and SIZE_BYTES must lie within the tile's L1";
    }
    if (piece == 0 || piece > ETH_PAYLOAD_LIMIT) {
        return "ETH_TXQ_MAX_PKT_SIZE_BYTES must be 16 to 16256 (1 to 16256 for raw packets)";
    }
    return NULL;
}

static const char *check_l1_write(const struct eth *eth, const struct eth_packet *p)
{
    if ((p->local | p->destination | p->size) % ALIGNMENT) {
        return "TT-link L1 write: start, destination and size must be multiples of 16 bytes";
    }
    if (p->destination > eth->board.l1_size || p->size > eth->board.l1_size - p->destination) {
        return "TT-link L1 write: ETH_TXQ_DEST_ADDR and size must lie within the peer's L1";
    }
    return NULL;
}

static const char *check_mmio_write(unsigned queue, const struct eth_packet *p)
{
    if (queue == WITHOUT_MMIO) {
        return "TX queue 2 does not send TT-link MMIO writes; use queue 0 or 1";
    }
    if (p->destination % 4) {
        return "TT-link MMIO write: ETH_TXQ_DEST_ADDR must be a multiple of 4";
    }
    if (p->destination < AT_DEBUG) {
        return "TT-link MMIO write: no register below " ARCH_TEXT(
            AT_DEBUG) "; L1 takes L1 writes (command 2)";
    }
    return NULL;
}

/* The largest payload of a packet. */
static uint32_t piece_size(const struct eth_txq *txq, enum eth_packet_kind kind)
{
    uint32_t limit = txq->word[REG_ETH_TXQ_MAX_PKT_SIZE_BYTES / 4];
    return kind == ETH_PACKET_RAW ? limit : limit & ~(uint32_t)(ALIGNMENT - 1);
}

static const char *make_transfer(const struct eth *eth, unsigned queue, uint32_t command,
                                 struct eth_packet *p)
{
    const struct eth_txq *txq = &eth->txq[queue];
    uint32_t select = txq->word[REG_ETH_TXQ_TXPKT_CFG_SEL_SW / 4];
    *p = (struct eth_packet){
        .local = txq->word[REG_ETH_TXQ_TRANSFER_START_ADDR / 4],
        .destination = txq->word[REG_ETH_TXQ_DEST_ADDR / 4],
        .size = txq->word[REG_ETH_TXQ_TRANSFER_SIZE_BYTES / 4],
        .value = txq->word[REG_ETH_TXQ_REMOTE_REG_DATA / 4],
        .pc = eth->pc,
    };
    const char *rule = NULL;
    switch (command) {
    case COMMAND_RAW:
        p->kind = ETH_PACKET_RAW;
        p->header = select & 0xf;
        break;
    case COMMAND_L1:
        p->kind = ETH_PACKET_L1;
        p->header = select >> 8 & 0xf;
        rule = check_l1_write(eth, p);
        break;
    case COMMAND_MMIO:
        p->kind = ETH_PACKET_MMIO;
        p->header = select >> 4 & 0xf;
        rule = check_mmio_write(queue, p);
        break;
    default:
        return "ETH_TXQ_CMD takes 1 (raw), 2 (L1 write), 4 (MMIO write) or 8 (flush)";
    }
    if (!rule && p->kind != ETH_PACKET_MMIO) {
        rule = check_data(eth, piece_size(txq, p->kind), p);
    }
    return rule ? rule : eth_check_header(eth, p->header);
}

static enum answer refuse_eth_command(struct eth *eth, const char *rule)
{
    strncpy(eth->rule, rule, sizeof eth->rule - 1);
    return ANSWER_REFUSED;
}

enum answer eth_command(struct eth *eth, unsigned queue, uint32_t command, uint64_t cycle)
{
    struct eth_txq *txq = &eth->txq[queue];
    if (txq->transfer.kind != ETH_PACKET_NONE) {
        return refuse_eth_command(eth,
                                  "ETH_TXQ_CMD: a command is still ongoing; wait until bit 16 of "
                                  "ETH_TXQ_STATUS is 0");
    }
    if (command == 0 || command == COMMAND_FLUSH) {
        return ANSWER_DONE;
    }
    struct eth_packet transfer;
    const char *rule = make_transfer(eth, queue, command, &transfer);
    if (rule) {
        return refuse_eth_command(eth, rule);
    }
    txq->transfer = transfer;
    *txq_word(txq, REG_ETH_TXQ_STATUS) = CMD_ONGOING;
    eth_pump(eth, cycle);
    return ANSWER_DONE;
}

/* --- The window --- */

static struct eth_packet *packet_at(struct eth_txq *txq, unsigned index)
{
    return &txq->packet[(txq->first + index) % ETH_WINDOW];
}

static void finish_transfer(struct eth *eth, struct eth_txq *txq, uint64_t cycle)
{
    txq->transfer.kind = ETH_PACKET_NONE;
    *txq_word(txq, REG_ETH_TXQ_STATUS) = 0;
    ++*txq_word(txq, REG_ETH_TXQ_TRANSFER_CNT);
    eth->board.changed(eth->board.owner, cycle);
}

/* Takes the next packet off the transfer. */
static struct eth_packet cut(struct eth_txq *txq)
{
    struct eth_packet *transfer = &txq->transfer, piece = *transfer;
    uint32_t limit = piece_size(txq, (enum eth_packet_kind)transfer->kind);
    if (transfer->kind != ETH_PACKET_MMIO && piece.size > limit) {
        piece.size = limit;
    }
    transfer->local += piece.size;
    transfer->destination += piece.size;
    transfer->size -= piece.size;
    return piece;
}

static void enqueue(struct eth_txq *txq, const struct eth_packet *packet)
{
    *packet_at(txq, txq->held) = *packet;
    txq->held++;
}

/* Gives packets of a TT-link transfer places in the window. GUESS: a command for no data sends
 * nothing. */
static void fill_window(struct eth *eth, struct eth_txq *txq, uint64_t cycle)
{
    struct eth_packet *transfer = &txq->transfer;
    if (transfer->kind == ETH_PACKET_MMIO && txq->held < ETH_WINDOW) {
        enqueue(txq, transfer);
        finish_transfer(eth, txq, cycle);
    }
    if (transfer->kind != ETH_PACKET_L1) {
        return;
    }
    while (transfer->size && txq->held < ETH_WINDOW) {
        struct eth_packet piece = cut(txq);
        enqueue(txq, &piece);
    }
    if (!transfer->size) {
        finish_transfer(eth, txq, cycle);
    }
}

bool eth_send_overlay(struct eth *eth, unsigned queue, unsigned stream, uint32_t local,
                      uint32_t destination, uint32_t size, uint64_t cycle)
{
    enum { SELECTED = 8 }; /* streams with a field in ETH_TXQ_TXPKT_CFG_SEL_OVL */
    struct eth_txq *txq = &eth->txq[queue];
    uint32_t select = txq->word[REG_ETH_TXQ_TXPKT_CFG_SEL_OVL / 4];
    struct eth_packet packet = {
        .kind = ETH_PACKET_OVERLAY,
        .header = stream < SELECTED ? select >> 4 * stream & 0xf : 0,
        .stream = (uint8_t)stream,
        .local = local,
        .destination = destination,
        .size = size,
    };
    if (queue >= WITHOUT_MMIO || txq->held == ETH_WINDOW || size > ETH_PAYLOAD_LIMIT ||
        eth_check_header(eth, packet.header)) {
        return false;
    }
    enqueue(txq, &packet);
    eth_pump(eth, cycle);
    return true;
}

void eth_acknowledged(struct eth *eth, unsigned queue, uint8_t expected, bool notice,
                      uint64_t cycle)
{
    struct eth_txq *txq = &eth->txq[queue];
    uint8_t freed = (uint8_t)(expected - txq->oldest);
    if (freed > txq->held) {
        return; /* not about anything that is under way */
    }
    txq->first = (uint8_t)((txq->first + freed) % ETH_WINDOW);
    txq->oldest = expected;
    txq->held = (uint8_t)(txq->held - freed);
    txq->sent = (uint8_t)(txq->sent > freed ? txq->sent - freed : 0);
    txq->waits_since = freed ? cycle : txq->waits_since;
    if (notice && txq->sent && !(txq->word[REG_ETH_TXQ_CTRL / 4] & DIS_DROP)) {
        txq->sent = 0;
        ++*txq_word(txq, REG_ETH_TXQ_RESEND_CNT);
    }
    if (freed) {
        eth->board.changed(eth->board.owner, cycle);
    }
}

unsigned eth_held(const struct eth *eth)
{
    unsigned held = 0;
    for (unsigned queue = 0; queue < ETH_QUEUES; queue++) {
        held += eth->txq[queue].held;
    }
    return held;
}

unsigned eth_resends(const struct eth *eth)
{
    unsigned resends = 0;
    for (unsigned queue = 0; queue < ETH_QUEUES; queue++) {
        resends += eth->txq[queue].word[REG_ETH_TXQ_RESEND_CNT / 4];
    }
    return resends;
}

/* --- The wire --- */

static void put_on_wire(struct eth *eth, struct eth_txq *txq, const struct eth_frame *frame,
                        uint64_t cycle)
{
    ++*txq_word(txq, REG_ETH_TXQ_PKT_START_CNT);
    ++*txq_word(txq, REG_ETH_TXQ_PKT_END_CNT);
    *txq_word(txq, REG_ETH_TXQ_WORD_CNT) += (frame->length + COUNTED_WORD - 1) / COUNTED_WORD;
    if (eth->link == ETH_LINK_DOWN) {
        eth->statistics.lost++;
        return;
    }
    eth->statistics.transmitted++;
    eth->board.transmit(eth->board.owner, frame, cycle);
}

static void send_raw(struct eth *eth, struct eth_txq *txq, uint64_t cycle)
{
    unsigned sent = 0;
    do {
        if (sent++ == RAW_BURST && eth->link != ETH_LINK_DOWN) {
            txq->raw_next = cycle + RAW_PAUSE;
            eth->board.changed(eth->board.owner, cycle);
            return;
        }
        struct eth_packet piece = cut(txq);
        struct eth_frame frame;
        eth_build_frame(eth, piece.header, NULL, eth->board.l1 + piece.local, piece.size, &frame);
        frame.pc = piece.pc;
        put_on_wire(eth, txq, &frame, cycle);
    } while (txq->transfer.size);
    finish_transfer(eth, txq, cycle);
}

static void send_tt_link(struct eth *eth, unsigned queue, const struct eth_packet *packet,
                         uint8_t *tt_link, const uint8_t *payload, uint32_t size, uint64_t cycle)
{
    struct eth_txq *txq = &eth->txq[queue];
    struct eth_frame frame;
    tt_link[TT_LINK_EXPECTED] = (uint8_t)eth->rxq[queue].word[REG_ETH_RXQ_LOCAL_RX_SEQ_NUM / 4];
    put32_low_first(tt_link + TT_LINK_SIZE, size);
    eth_build_frame(eth, packet->header, tt_link, payload, size, &frame);
    frame.pc = packet->pc;
    txq->ack_owed = false;
    txq->last_sent = cycle;
    put_on_wire(eth, txq, &frame, cycle);
}

static void send_update(struct eth *eth, unsigned queue, uint64_t cycle)
{
    struct eth_txq *txq = &eth->txq[queue];
    uint8_t tt_link[TT_LINK_BYTES] = {0};
    const struct eth_packet update = {.kind = ETH_PACKET_UPDATE,
                                      .header = txq->word[REG_ETH_TXQ_TXPKT_CFG_SEL_HW / 4] & 0xf};
    tt_link[TT_LINK_FLAGS] = txq->notice_owed ? TT_LINK_NOTICE : 0;
    txq->notice_owed = false;
    const char *rule = eth_check_header(eth, update.header);
    if (rule) {
        txq->ack_owed = false;
        eth->board.fault(eth->board.owner, rule, cycle);
        return;
    }
    send_tt_link(eth, queue, &update, tt_link, NULL, 0, cycle);
}

static void send_packet(struct eth *eth, unsigned queue, unsigned index, uint64_t cycle)
{
    struct eth_txq *txq = &eth->txq[queue];
    const struct eth_packet *packet = packet_at(txq, index);
    txq->waits_since = index ? txq->waits_since : cycle;
    uint8_t tt_link[TT_LINK_BYTES] = {0}, value[ALIGNMENT] = {0};
    tt_link[TT_LINK_SEQUENCE] = (uint8_t)(txq->oldest + index);
    tt_link[TT_LINK_FLAGS] = TT_LINK_HAS_SEQUENCE;
    put32_low_first(tt_link + TT_LINK_ADDRESS, packet->destination);
    if (packet->kind == ETH_PACKET_MMIO) {
        tt_link[TT_LINK_MMIO] = 1;
        put32_low_first(value, packet->value);
        send_tt_link(eth, queue, packet, tt_link, value, sizeof value, cycle);
        return;
    }
    if (packet->kind == ETH_PACKET_OVERLAY) {
        tt_link[TT_LINK_FLAGS] |= TT_LINK_OVERLAY;
        tt_link[TT_LINK_STREAM] = packet->stream;
    }
    send_tt_link(eth, queue, packet, tt_link, eth->board.l1 + packet->local, packet->size, cycle);
}

static void pump_queue(struct eth *eth, unsigned queue, uint64_t cycle)
{
    struct eth_txq *txq = &eth->txq[queue];
    if (txq->transfer.kind == ETH_PACKET_RAW &&
        (cycle >= txq->raw_next || eth->link == ETH_LINK_DOWN)) {
        send_raw(eth, txq, cycle);
    }
    fill_window(eth, txq, cycle);
    if (eth->link == ETH_LINK_DOWN) {
        return;
    }
    bool sends = txq->sent < txq->held;
    while (txq->sent < txq->held) {
        send_packet(eth, queue, txq->sent++, cycle);
    }
    if (txq->notice_owed && txq->word[REG_ETH_TXQ_CTRL / 4] & KEEPALIVE) {
        send_update(eth, queue, cycle);
        sends = true;
    }
    if (sends) {
        eth->board.changed(eth->board.owner, cycle);
    }
}

void eth_pump(struct eth *eth, uint64_t cycle)
{
    for (unsigned queue = 0; queue < ETH_QUEUES; queue++) {
        pump_queue(eth, queue, cycle);
    }
}

/* --- Time --- */

/* GUESS: a timeout of 0 is none. */
static uint64_t after(uint64_t since, uint32_t timeout)
{
    return timeout ? since + timeout : UINT64_MAX;
}

static uint64_t resend_due(const struct eth_txq *txq)
{
    uint32_t timeout = txq->word[REG_ETH_TXQ_REMOTE_SEQ_TIMEOUT / 4];
    return txq->sent ? after(txq->waits_since, timeout) : UINT64_MAX;
}

static uint64_t raw_due(const struct eth_txq *txq)
{
    return txq->transfer.kind == ETH_PACKET_RAW ? txq->raw_next : UINT64_MAX;
}

static uint64_t earlier_event(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t update_due(const struct eth_txq *txq)
{
    bool wanted = txq->ack_owed && txq->word[REG_ETH_TXQ_CTRL / 4] & KEEPALIVE;
    return wanted ? after(txq->last_sent, txq->word[REG_ETH_TXQ_LOCAL_SEQ_UPDATE_TIMEOUT / 4])
                  : UINT64_MAX;
}

uint64_t eth_queues_due(const struct eth *eth)
{
    uint64_t next = UINT64_MAX;
    for (unsigned queue = 0; queue < ETH_QUEUES && eth->link != ETH_LINK_DOWN; queue++) {
        const struct eth_txq *txq = &eth->txq[queue];
        next = earlier_event(
            next, earlier_event(raw_due(txq), earlier_event(resend_due(txq), update_due(txq))));
    }
    return next;
}

void eth_run_queues(struct eth *eth, uint64_t cycle)
{
    for (unsigned queue = 0; queue < ETH_QUEUES && eth->link != ETH_LINK_DOWN; queue++) {
        struct eth_txq *txq = &eth->txq[queue];
        if (resend_due(txq) <= cycle) {
            txq->sent = 0;
            ++*txq_word(txq, REG_ETH_TXQ_RESEND_CNT);
        } else if (update_due(txq) <= cycle) {
            send_update(eth, queue, cycle);
            eth->board.changed(eth->board.owner, cycle);
        }
    }
    eth_pump(eth, cycle);
}
