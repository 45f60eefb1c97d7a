/*
 * Packets on their way from one NIU to another, and their queues.
 *
 * A request becomes its own response. The code that serves it turns the packet round (from, to and
 * address are then those of the way back) and sends it again. The code that uses it last frees it.
 * The copies of a multicast share data of more than a word, which never change.
 *
 * Canonical order: packets are taken in the order of (arrival, order, to). `order` has the sender's
 * number and the sender's sequence number, which all copies of a multicast share. So two packets never
 * compare equal, and the order does not depend on host threads.
 */
#ifndef NOC_PACKET_H
#define NOC_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "geometry.h"
#include "noc/kind.h"

enum {
    NOC_NODES = GRID_TILES,
    NOC_MOST_BYTES = 16384, /* of data in a packet */
    NOC_MOST_ENABLED = 64,  /* of a write with byte enables, whose data are as long */
    NOC_FLIT_BYTES = 64,
};

/* Bytes that are on their way. */
struct noc_data {
    unsigned users;        /* packets that point here; changed atomically */
    uint32_t room;         /* of bytes */
    struct noc_data *next; /* in a pool */
    uint8_t bytes[];
};

/* The receivers of a multicast: raw coordinates on the packet's NoC; a span whose start is above
 * its end wraps around. */
struct noc_span {
    uint8_t start_x, start_y, end_x, end_y;
    bool includes_source, y_is_major;
    bool has_looped;  /* the sender has its copy already */
    uint8_t turn;     /* where the stem of its tree lies on the major axis (chip/links.h) */
    uint32_t exclude; /* NOC_BRCST_EXCLUDE */
};

struct noc_packet_state {
    uint64_t sent, arrival, order; /* cycles */
    uint64_t address;              /* at `to` */
    uint64_t back_address;         /* at `back`, of responses that carry data */
    uint64_t enables;              /* of a write with byte enables */
    uint32_t size;                 /* bytes to read or write */
    uint32_t word;                 /* inline data, operand of an atomic, its result */
    uint32_t operation;            /* NOC_AT_LEN_BE of an atomic; of others NOC_AT_DATA for header
                                      stores */
    uint32_t delay; /* cycles that it is under way for longer than it needs (--schedule random) */
    uint32_t pc;    /* of the request: for reports */
    struct noc_span span;          /* of a multicast that has not been spread yet */
    uint16_t from, to, back;       /* places: y * GRID_WIDTH + x on NoC 0 */
    uint16_t origin;               /* the tile of the request */
    uint16_t tag;                  /* NOC_PACKET_TAG */
    uint16_t number, pieces, ends; /* between routers: chip/links.h */
    uint8_t agent, noc;
    uint8_t kind;    /* enum noc_kind */
    uint8_t links;   /* of its way that it has passed (chip/way.h) */
    uint8_t channel; /* class and buddy bit where software chose them, else NOC_ANY_CHANNEL */
    bool wants_response, is_inline, has_enables, is_multicast, is_linked, accumulates,
        stores_header;
    bool reserves_path; /* a multicast, unless it goes on with a transaction */
    bool has_passed;    /* GDDR has taken its time for it (timed runs) */
    bool is_answered;   /* a request whose sender has had the response already */
    bool is_excused;    /* it may break rules of its ends: a policy lets it pass */
    bool is_void; /* a policy lets it pass, and nothing can be done: it touches no memory, and is
                         counted and answered */
    bool is_at_router; /* it has come to its first one (chip/links.h) */
    uint8_t gap[2];
    uint32_t held; /* so many cycles the request was in GDDR (timed runs) */
};

struct noc_packet {
    struct noc_packet_state;
    struct noc_packet *next;
    struct noc_data *data; /* of writes and read responses, room for them in other packets; NULL:
                              `word` */
};

enum { NOC_ANY_CHANNEL = 0xff };

enum {
    NOC_TAG_STREAM = 0x3f,
    NOC_TAG_TO_OVERLAY = 1 << 6,
    NOC_TAG_FIRST = 1 << 7,
    NOC_TAG_LAST = 1 << 8,
    NOC_TAG_HEADER_STORE = 1 << 9,
    NOC_TAG_TRANSACTION_SHIFT = 10,
};

/* Makes a request its own response, which brings nothing, on its way from `from`. False: nobody
 * waits for one. */
bool noc_packet_turn_void(struct noc_packet *packet, uint16_t from);

static inline unsigned noc_transaction(const struct noc_packet *packet)
{
    return packet->tag >> NOC_TAG_TRANSACTION_SHIFT & 15;
}

static inline uint16_t noc_node(unsigned x, unsigned y)
{
    return (uint16_t)(y * GRID_WIDTH + x);
}

enum { NOC_ROOMS = 7 /* sizes of data */ };

/* Spare packets and data of one owner; used by one thread at a time. */
struct noc_pool {
    struct noc_packet *spare;
    unsigned count;
    struct noc_data *data[NOC_ROOMS];
    uint32_t data_bytes; /* together */
};

/* A packet of zeros, NULL when memory runs out. */
struct noc_packet *noc_packet_new(struct noc_pool *pool);

/* Gives the packet and its share of the data back; NULL does nothing. */
void noc_packet_free(struct noc_pool *pool, struct noc_packet *packet);
void noc_pool_empty(struct noc_pool *pool);

/* Gives the packet room for `size` bytes that only it uses; NULL when memory runs out. A packet
 * keeps the room that it has, so who asks for a read gives the answer its room: it comes back with
 * it. */
uint8_t *noc_packet_room(struct noc_pool *pool, struct noc_packet *packet, uint32_t size);

/* Another packet with the same contents and shared data; NULL when memory runs out. */
struct noc_packet *noc_packet_copy(struct noc_pool *pool, const struct noc_packet *packet);

/* The data of a write or of a read response. */
static inline const uint8_t *noc_packet_bytes(const struct noc_packet *packet)
{
    return packet->data ? packet->data->bytes : (const uint8_t *)&packet->word;
}

/* Packets that will arrive somewhere, in canonical order once they are settled. */
struct noc_queue {
    struct noc_packet *head;               /* in order */
    struct noc_packet *fresh, *fresh_tail; /* put since the last was taken */
    bool is_mixed;                         /* those are not in order */
    uint64_t earliest;                     /* arrival of any of them, UINT64_MAX: none */
};

static inline void noc_queue_init(struct noc_queue *queue)
{
    *queue = (struct noc_queue){.earliest = UINT64_MAX};
}

void noc_queue_put(struct noc_queue *queue, struct noc_packet *packet);

/* Takes the first packet if it arrives before `end`, else NULL. */
struct noc_packet *noc_queue_take(struct noc_queue *queue, uint64_t end);

/* Puts back the packet that was taken last, for another try. */
void noc_queue_return(struct noc_queue *queue, struct noc_packet *packet);
void noc_queue_free(struct noc_queue *queue, struct noc_pool *pool);

/* Packets that left, in the order in which they did. */
struct noc_list {
    struct noc_packet *head, *tail;
};

void noc_list_append(struct noc_list *list, struct noc_packet *packet);
struct noc_packet *noc_list_take(struct noc_list *list);

/* Flits of data that `size` bytes at `address` are sent in. GUESS: counted in aligned 64 bytes. */
static inline uint32_t noc_flits(uint64_t address, uint32_t size)
{
    return ((uint32_t)(address % NOC_FLIT_BYTES) + size + NOC_FLIT_BYTES - 1) / NOC_FLIT_BYTES;
}

/* Those of a packet, whose data go to `destination`: the same number wherever it is counted. GUESS:
 * the block of a write with byte enables is one. */
static inline uint32_t noc_packet_flits(const struct noc_packet *packet, uint64_t destination)
{
    return packet->is_inline || packet->has_enables ? 1 : noc_flits(destination, packet->size);
}

#endif
