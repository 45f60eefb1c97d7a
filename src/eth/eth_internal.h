/* What the files of src/eth share: register offsets, the TT-link header, the steps of a frame. */
#ifndef ETH_ETH_INTERNAL_H
#define ETH_ETH_INTERNAL_H

#include "eth/eth.h"

enum txq_offset {
    TXQ_CTRL = 0x00,
    TXQ_CMD = 0x04,
    TXQ_STATUS = 0x08,
    TXQ_MAX_PKT_SIZE = 0x0c,
    TXQ_START_ADDR = 0x14,
    TXQ_SIZE_BYTES = 0x18,
    TXQ_DEST_ADDR = 0x1c,
    TXQ_TRANSFER_CNT = 0x30,
    TXQ_PKT_START_CNT = 0x34,
    TXQ_PKT_END_CNT = 0x3c,
    TXQ_WORD_CNT = 0x40,
    TXQ_REG_DATA = 0x44,
    TXQ_SEQ_TIMEOUT = 0x48,
    TXQ_UPDATE_TIMEOUT = 0x4c,
    TXQ_RESEND_CNT = 0x68,
    TXQ_CFG_SEL_SW = 0x80,
    TXQ_CFG_SEL_HW = 0x84,
    TXQ_CFG_SEL_OVL = 0x88,
};

enum rxq_offset {
    RXQ_CTRL = 0x00,
    RXQ_BYTE_CNT = 0x04,
    RXQ_BUF_PTR = 0x08,
    RXQ_BUF_START = 0x0c,
    RXQ_BUF_SIZE = 0x10,
    RXQ_WORD_CNT = 0x14,
    RXQ_HDR_CTRL = 0x18,
    RXQ_PKT_START_CNT = 0x24,
    RXQ_PKT_END_CNT = 0x28,
    RXQ_LOCAL_SEQ = 0x40,
    RXQ_REMOTE_SEQ = 0x44,
    RXQ_DROP_CNT = 0x4c,
};

enum control_offset {
    CTRL_PCS_STATUS = 0x00c,
    CTRL_EOP_STATUS_GOOD = 0x120,
    CTRL_RX_ROUTING = 0x150,
    CTRL_RX_ADDR_ROUTING = 0x154,
};

enum header_offset {
    HEADER_INSERT_CTL = 0x00,
    HEADER_CUSTOM = 0x04,
    HEADER_MAC_SA = 0x10,
    HEADER_MAC_DA = 0x18,
    HEADER_ETHERTYPE = 0x20,
    HEADER_VLAN = 0x24,
    HEADER_L3 = 0x30,
    HEADER_L4 = 0x60,
};

enum ptp_offset { PTP_CFR_LO = 0x50, PTP_CFR_HI = 0x54 };

enum classifier_offset {
    CLASSIFY_ETHERTYPE = 0x000,
    CLASSIFY_VLAN_TAG = 0x400,
    CLASSIFY_STAG = 0x408,
    CLASSIFY_CTAG = 0x410,
    CLASSIFY_L3_HDR = 0x418,
    CLASSIFY_SRC_IP = 0x420,
    CLASSIFY_DST_IP = 0x440,
    CLASSIFY_L4_FIELDS = 0x460,
    CLASSIFY_L4_PORT = 0x468,
    CLASSIFY_USER_MAC_DA = 0x800,
    CLASSIFY_USER_REDUCED_DA = 0x810,
    CLASSIFY_REDUCED_DA = 0x818,
    CLASSIFY_USER_ETHERTYPE = 0x840,
    CLASSIFY_USER_REDUCED_ETHERTYPE = 0x848,
    CLASSIFY_REDUCED_ETHERTYPE = 0x850,
    CLASSIFY_USER_PROTOCOL = 0x8a0,
    CLASSIFY_USER_REDUCED_PROTOCOL = 0x8a8,
    CLASSIFY_REDUCED_PROTOCOL = 0x8b0,
    CLASSIFY_PORT = 0x900,
    CLASSIFY_PORT_RULE = 0x940,
    CLASSIFY_ROW_MAPPING = 0xc00,
    CLASSIFY_NO_MATCH_LABELS = 0xd00,
    CLASSIFY_NO_MATCH_ACTIONS = 0xd04,
    CLASSIFY_NO_MATCH_VLAN = 0xd08,
    CLASSIFY_NO_MATCH_METADATA = 0xd0c,
    CLASSIFY_ROW_STATUS = 0xd44,
    CLASSIFY_TUPLE_WRITE = 0xd80,
    CLASSIFY_TUPLE_READ = 0xe00,
    CLASSIFY_FTABLE = 0xe80, /* LABELS, ACTIONS, VLAN, SW_METADATA */
    CLASSIFY_OVERRIDE = 0x1000,
    CLASSIFY_HEADER_ERRORS = 0x1004,
};

static inline uint32_t *txq_word(struct eth_txq *txq, enum txq_offset offset)
{
    return &txq->word[(unsigned)offset / 4];
}

static inline uint32_t *rxq_word(struct eth_rxq *rxq, enum rxq_offset offset)
{
    return &rxq->word[(unsigned)offset / 4];
}

/* A word of the classifier, counted from a register's first one. */
static inline uint32_t classifier_word(const struct eth *eth, enum classifier_offset offset,
                                       unsigned index)
{
    return eth->classifier[(unsigned)offset / 4 + index];
}

/*
 * The 18 bytes that follow the Ethernet header of a TT-link packet. SPEC says how many there are,
 * that there are two sequence numbers, and that bit 216 of the frame tells MMIO writes. GUESS: the
 * rest; both ends are ours.
 */
enum tt_link {
    TT_LINK_AT = 14,
    TT_LINK_BYTES = 18,
    TT_LINK_SEQUENCE = 0, /* of this packet */
    TT_LINK_EXPECTED = 1, /* the next one expected from the peer: acknowledges those before it */
    TT_LINK_FLAGS = 2,    /* enum tt_link_flag */
    TT_LINK_STREAM = 3,
    TT_LINK_ADDRESS = 4, /* four bytes, lowest first */
    TT_LINK_SIZE = 8,    /* of the payload, four bytes */
    TT_LINK_MMIO = 13,   /* its lowest bit is bit 216 of the frame */
};

enum tt_link_flag {
    TT_LINK_HAS_SEQUENCE = 1 << 0,
    TT_LINK_NOTICE = 1 << 1, /* packets from EXPECTED on have not arrived */
    TT_LINK_OVERLAY = 1 << 2,
};

enum {
    MAC_BYTES = 6,
    TYPE_AT = 2 * MAC_BYTES, /* of the type or length of a frame without tags */
    ETHERNET_BYTES = 14,
    FRAME_MINIMUM = 60, /* without CRC: shorter ones are padded by the MAC */
    FIRST_TYPE = 0x600, /* smaller values at TYPE_AT are lengths */
    COUNTED_WORD = 96,  /* bytes of a WORD_CNT */
    WITHOUT_MMIO = 2,   /* the queue that carries neither MMIO writes nor overlay packets */
};

static inline uint32_t get16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static inline uint32_t get32(const uint8_t *bytes)
{
    return get16(bytes) << 16 | get16(bytes + 2);
}

static inline void put16(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static inline void put32(uint8_t *bytes, uint32_t value)
{
    put16(bytes, value >> 16);
    put16(bytes + 2, value);
}

static inline uint32_t get32_low_first(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void put32_low_first(uint8_t *bytes, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

/* --- tx.c --- */

enum { CMD_ONGOING = 1 << 16 };

/* ETH_TXQ_CMD is written. */
enum eth_effect eth_command(struct eth *eth, unsigned queue, uint32_t command, uint64_t cycle);

/* A packet for `queue` arrived which says what the peer expects next. */
void eth_acknowledged(struct eth *eth, unsigned queue, uint8_t expected, bool notice,
                      uint64_t cycle);

/* Everything that can be sent is handed to the wire. */
void eth_pump(struct eth *eth, uint64_t cycle);

/* --- frame.c --- */

/* NULL, or the rule that entry `header` of the TX header table breaks. */
const char *eth_check_header(const struct eth *eth, unsigned header);

/* Headers of entry `header`, the TT-link header (NULL: a raw packet), `size` bytes of payload.
 * The entry has been checked, and size is at most ETH_PAYLOAD_LIMIT. */
void eth_build_frame(const struct eth *eth, unsigned header, const uint8_t *tt_link,
                     const uint8_t *payload, uint32_t size, struct eth_frame *frame);

/* --- tables.c --- */

void eth_update_tcam_row(struct eth *eth, uint32_t command);
void eth_update_tuple(struct eth *eth, uint32_t command);
void eth_update_flow(struct eth *eth, uint32_t command);
void eth_flush_tcam(struct eth *eth);

/* The flow table's row for a tuple. */
unsigned eth_match(const struct eth *eth, const struct eth_tuple *tuple);
struct eth_flow eth_flow_row(const struct eth *eth, unsigned row);

/* --- classify.c --- */

/* Stages 2 to 7: false when the frame is dropped. *frame becomes what the queue gets. */
bool eth_classify(const struct eth *eth, struct eth_frame *frame, unsigned *queue);

#endif
