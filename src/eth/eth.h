/*
 * The network side of an Ethernet tile: three TX queues, the TX header table, the RX classifier,
 * three RX queues, control registers, and the part of the MAC that software sees (SPEC: BlackholeA0
 * EthernetTile EthernetTxRx, EthernetRxClassifier; memory map in EthernetTile BabyRISCV README).
 *
 * It knows no tile and no other struct eth: L1, register writes of the peer and the wire are
 * reached through struct eth_board. The board is the wire: it keeps a frame that is handed to
 * `transmit` and calls eth_receive of the other end, at a later time and never from inside
 * `transmit`; for ETH_LINK_LOOPBACK the other end is this one.
 *
 * Invariants:
 *  - word[] of a bank holds what a read gives, for every register without a handler of its own;
 *  - packets that wait for acknowledgement are packet[first .. first + held) of a TX queue, in the
 *    order of their sequence numbers, the first of which is `oldest`; the first `sent` of them have
 *    been on the wire since the last resend;
 *  - state is plain data; only `board`, the last member, holds host pointers. The board sets `pc` before
 *    it has eth_write called.
 */
#ifndef ETH_ETH_H
#define ETH_ETH_H

#include <stdbool.h>
#include <stdint.h>

#include "addresses.h"
#include "isa/answer.h"
#include "isa/reg.h"

/* Registers come in banks: some exist once, some for each queue or header. */
enum {
#define BANK(bank, first, copies, stride, bytes)                                                   \
    ETH_##bank##_COUNT = (copies), ETH_##bank##_WORDS = (bytes) / 4,
#include "eth.def"
};

enum {
    ETH_QUEUES = ETH_TXQ_COUNT, /* as many of each direction */
    ETH_HEADERS = ETH_HEADER_COUNT,
    ETH_TCAM_ROWS = 64,
    ETH_NO_MATCH = ETH_TCAM_ROWS, /* the flow table's row for frames that no TCAM row matches */
    ETH_WINDOW = 64,              /* unacknowledged TT-link packets of a TX queue */
    ETH_FRAME_LIMIT = 16383,      /* bytes of a frame, without its CRC */
    ETH_PAYLOAD_LIMIT = 16256,    /* bytes that always fit in a frame with any headers */
    ETH_RULE_BYTES = 152,
};
#define ETH_REGISTER_BASE  AT_ETHERNET
#define ETH_REGISTER_BYTES (END_ETHERNET - AT_ETHERNET)

/* How a frame ended (SPEC: EthernetRxClassifier, stage 2); the ones that the classifier tells
 * apart by default. */
enum eth_eop {
    ETH_EOP_GOOD = 0,
    ETH_EOP_FLOW_CONTROL = 1,
    ETH_EOP_BAD_CRC = 8,
    ETH_EOP_LAST = 18,
};

/* A frame on the wire: from the destination MAC address to the last byte before the CRC. */
struct eth_frame {
    uint32_t length;
    uint32_t pc;                        /* of the sender's instruction, for reports; 0: none */
    uint8_t eop;                        /* enum eth_eop: what the receiver's MAC will find */
    uint8_t bytes[ETH_FRAME_LIMIT + 9]; /* room for metadata that the classifier prepends */
};

struct eth_board {
    void *owner;
    uint8_t *l1;
    uint32_t l1_size;
    /* Firmware has written bytes of L1, or a frame, whose `pc` is told. */
    void (*l1_written)(void *owner, uint32_t address, uint32_t size, uint64_t cycle);
    void (*frame_written)(void *owner, uint32_t address, uint32_t size, uint32_t pc,
                          uint64_t cycle);
    /* A TT-link MMIO write arrived; the address is a multiple of four. */
    void (*mmio_write)(void *owner, uint32_t address, uint32_t value, uint32_t pc, uint64_t cycle);
    /* Hands a frame to the wire, which copies what it keeps. */
    void (*transmit)(void *owner, const struct eth_frame *frame, uint64_t cycle);
    /* A guest fault that no register access caused: what arrived was not acceptable. */
    void (*fault)(void *owner, const char *text, uint64_t cycle);
    /* Hardware changed registers that software may poll. */
    void (*changed)(void *owner, uint64_t cycle);
    /* The data of a TT-link packet for a stream of the overlay are in L1. May be NULL. */
    void (*overlay_received)(void *owner, unsigned stream, uint32_t address, uint32_t size,
                             uint64_t cycle);
};

enum eth_packet_kind {
    ETH_PACKET_NONE,
    ETH_PACKET_RAW,     /* a transfer only: raw packets are never kept */
    ETH_PACKET_UPDATE,  /* sequence numbers alone; never kept */
    ETH_PACKET_L1,      /* a TT-link L1 write */
    ETH_PACKET_MMIO,    /* a TT-link MMIO write */
    ETH_PACKET_OVERLAY, /* a TT-link L1 write on behalf of a stream */
};

/* Something to send: a command that is being cut into packets, or a packet that may have to be sent
 * again. */
struct eth_packet {
    uint8_t kind;   /* enum eth_packet_kind */
    uint8_t header; /* entry of the TX header table */
    uint8_t stream; /* ETH_PACKET_OVERLAY */
    uint8_t gap;
    uint32_t local, destination;
    uint32_t size;  /* bytes */
    uint32_t value; /* ETH_PACKET_MMIO */
    uint32_t pc;    /* of the instruction that gave the command; 0: none did */
};

struct eth_txq {
    uint32_t word[ETH_TXQ_WORDS];
    struct eth_packet transfer; /* of ETH_TXQ_CMD, while it is not all enqueued */
    struct eth_packet packet[ETH_WINDOW];
    uint8_t first, held, sent;
    uint8_t oldest;   /* sequence number of packet[first] */
    bool ack_owed;    /* something arrived since the last packet left */
    bool notice_owed; /* the peer is to be told that a packet is missing */
    uint8_t gap[6];
    uint64_t last_sent;   /* when the last TT-link packet left */
    uint64_t raw_next;    /* when a raw transfer that is not finished goes on */
    uint64_t waits_since; /* when the oldest packet left, or the one before it was acknowledged */
};

struct eth_rxq {
    uint32_t word[ETH_RXQ_WORDS];
    uint32_t gap_noticed; /* the peer has been told about the packet that is missing */
};

/* The pattern of a TCAM row, or what a frame gives to be matched, in the layout of the registers
 * TCAM_*_READ and TCAM_*_WRITE: augmentations in the high halves, word 0 of an address the lowest.
 */
struct eth_tuple {
    uint32_t kind; /* enum eth_tuple_kind */
    uint32_t source[4], destination[4];
    uint32_t address_flags;
    uint32_t source_port, destination_port;
    uint32_t protocol, ethertype, priority;
};

enum eth_tuple_kind { ETH_NOT_IP = 0, ETH_IPV4 = 1, ETH_IPV6 = 3 };

struct eth_tcam_row {
    uint32_t enabled;
    struct eth_tuple value, mask;
};

struct eth_flow {
    uint32_t labels, actions, vlan, metadata;
};

enum eth_link { ETH_LINK_DOWN, ETH_LINK_UP, ETH_LINK_LOOPBACK };

/* What goes wrong on the way to this end of a link; zeros: nothing. */
struct eth_errors {
    uint64_t damaged;  /* so many of 2^64 frames; UINT64_MAX: all of them */
    uint64_t seed;     /* by which frames are chosen */
    uint64_t down, up; /* cycles at which the link goes away and comes back; 0: it does not */
    uint64_t kept;     /* enum eth_link: the link that has gone away since `down` */
};

/* What happened to frames, for reports: no register shows it. */
struct eth_statistics {
    uint64_t transmitted, received;
    uint64_t damaged;    /* of those that were received, by eth_errors */
    uint64_t lost;       /* handed to a MAC without a link */
    uint64_t classified; /* dropped by the classifier */
    uint64_t unrouted;   /* for a queue that does not exist */
};

struct eth_state {
    struct eth_statistics statistics;
    struct eth_txq txq[ETH_QUEUES];
    struct eth_rxq rxq[ETH_QUEUES];
    uint32_t header[ETH_HEADERS][ETH_HEADER_WORDS];
    uint32_t control[ETH_CTRL_WORDS];
    uint32_t ptp[ETH_PTP_WORDS];
    uint32_t classifier[ETH_CLASSIFIER_WORDS];
    uint32_t timestamp[ETH_TIMESTAMP_WORDS];
    uint32_t mac[ETH_MAC_WORDS];
    struct eth_tcam_row tcam[ETH_TCAM_ROWS];
    struct eth_flow flow[ETH_TCAM_ROWS];
    char rule[ETH_RULE_BYTES]; /* of the last ANSWER_REFUSED */
    enum eth_link link;
    struct eth_errors errors;
};

struct eth {
    struct eth_state;
    uint32_t pc; /* of the instruction that accesses a register; its frames tell it */
    struct eth_board board;
};

/* Gives zeroed memory the registers as the tile's base firmware leaves them; the link is down. The
 * board is copied. */
void eth_init(struct eth *eth, const struct eth_board *board);

/* A link comes or goes, and with it what went wrong on it. Packets that wait are sent when it comes. */
void eth_set_link(struct eth *eth, enum eth_link link, uint64_t cycle);

/* From now on this goes wrong. */
void eth_set_errors(struct eth *eth, const struct eth_errors *errors, uint64_t cycle);

/* Of all TX queues: packets that the peer has not acknowledged, and how often queues went back to the
 * oldest of these. */
unsigned eth_held(const struct eth *eth);
unsigned eth_resends(const struct eth *eth);

/* Reads or writes the register at `offset` from ETH_REGISTER_BASE, a multiple of four. Without
 * `effects` nothing else happens. Where the answer is ANSWER_REFUSED, eth->rule says why. */
enum answer eth_read(struct eth *eth, uint32_t offset, bool effects, uint32_t *value,
                     uint64_t cycle);
enum answer eth_write(struct eth *eth, uint32_t offset, bool effects, uint32_t value,
                      uint64_t cycle);

extern const struct reg_file eth_registers;

/* A register of the timer, which runs, and of which reading one half latches the other. */
bool eth_is_of_timer(uint32_t offset);

/* Is the register, if there is one, of MAC, PCS or what else brings links up? */
bool eth_is_of_phy(uint32_t offset);

/* The time of the next packet, resend, acknowledgement or change of the link (it may have passed),
 * UINT64_MAX when there will be none; eth_run does what is due at `cycle`. A call too early does nothing. */
uint64_t eth_next_event(const struct eth *eth);
void eth_run(struct eth *eth, uint64_t cycle);

/* Packets that the peer has not acknowledged yet, of the TX queue whose register is at `offset`; 0 for
 * other registers. */
unsigned eth_unacknowledged(const struct eth *eth, uint32_t offset);

/* Is the address in what one of the latest TT-link packets has written at the peer? */
bool eth_has_sent(const struct eth *eth, uint32_t address);

/* A frame arrives. */
void eth_receive(struct eth *eth, const struct eth_frame *frame, uint64_t cycle);

/* Sends `size` bytes (a multiple of 16) of L1 to the peer's L1 for a stream of the overlay. False
 * when the queue has no room (the board calls `changed` when it may have), or does not carry
 * overlay packets (queue 2). Addresses must have been checked. */
bool eth_send_overlay(struct eth *eth, unsigned queue, unsigned stream, uint32_t local,
                      uint32_t destination, uint32_t size, uint64_t cycle);

#endif
