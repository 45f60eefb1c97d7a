/* Shared by the files of src/eth: register offsets, the TT-link header, the steps of a frame. */
#ifndef ETH_ETH_INTERNAL_H
#define ETH_ETH_INTERNAL_H

#include "eth/eth.h"

/* Offsets of registers in their bank, by the names of eth.def. */
enum eth_register {
#define REG(bank, offset, words, name, kind, traits) REG_##name = (offset),
#include "eth.def"
};

static inline uint32_t *txq_word(struct eth_txq *txq, enum eth_register offset)
{
    return &txq->word[(unsigned)offset / 4];
}

static inline uint32_t *rxq_word(struct eth_rxq *rxq, enum eth_register offset)
{
    return &rxq->word[(unsigned)offset / 4];
}

/* A word of the classifier, counted from a register's first one. */
static inline uint32_t classifier_word(const struct eth *eth, enum eth_register offset,
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
enum answer eth_command(struct eth *eth, unsigned queue, uint32_t command, uint64_t cycle);

/* A packet for `queue` arrived which says what the peer expects next. */
void eth_acknowledged(struct eth *eth, unsigned queue, uint8_t expected, bool notice,
                      uint64_t cycle);

/* Everything that can be sent is handed to the wire. */
void eth_pump(struct eth *eth, uint64_t cycle);

/* When something is due that queues do by themselves, UINT64_MAX: nothing is; and doing it. */
uint64_t eth_queues_due(const struct eth *eth);
void eth_run_queues(struct eth *eth, uint64_t cycle);

/* --- errors.c --- */

/* As eth_set_link, for a link that may change again. */
void eth_put_link(struct eth *eth, enum eth_link link, uint64_t cycle);

/* When the link goes away or comes back; UINT64_MAX: it stays. eth_change_link does it if it is due. */
uint64_t eth_link_due(const struct eth *eth);
void eth_change_link(struct eth *eth, uint64_t cycle);

/* Damages a frame that has just been counted as received, if its turn has come. */
void eth_damage(struct eth *eth, struct eth_frame *frame, uint64_t cycle);

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
