/*
 * Inside the overlay: the state of a stream besides its registers, and functions that the files of
 * the overlay share. No other file includes this.
 *
 * Words are 16 bytes. A message is in one of three places: in the header array of L1 (pushed or
 * arrived, MSG_INFO_PTR to MSG_INFO_WR_PTR), in the metadata FIFO (`message`), or, transmitted, in
 * the L1 read complete FIFO (`reading`) until its bytes have been read. WR_PTR moves when words
 * come, RD_PTR when an entry leaves `reading`.
 */
#ifndef NOC_OVERLAY_STREAM_H
#define NOC_OVERLAY_STREAM_H

#include "noc/overlay.h"

enum {
    OVERLAY_MESSAGES = 32, /* the largest capacities of any stream */
    OVERLAY_READINGS = 128,
    OVERLAY_POINTER = 0x1ffff,          /* the pointer within RD_PTR and WR_PTR */
    OVERLAY_WRAP = OVERLAY_POINTER + 1, /* toggles when it wraps */
    OVERLAY_PACKET_WORDS = 1024,        /* SPEC: BlackholeA0 MemoryMap, 16384 bytes */
    OVERLAY_FLIT_WORDS = 4,             /* a packet has so many flits as lines that it goes to */
    OVERLAY_RECEIVERS = 32,             /* of a multicast */
    OVERLAY_MESSAGE_LIMIT = 1 << 15     /* words */
};

/* STREAM_CURR_STATE of WAIT_STATUS. */
enum overlay_state {
    OVERLAY_IDLE = 0,
    OVERLAY_LOADING = 1, /* configuration from L1 */
    OVERLAY_READY = 3,   /* waits for PHASE_ADVANCE */
    OVERLAY_FLUSHING = 4,
    OVERLAY_RUNNING = 5,
};

/* The transmitting side of a running phase. */
enum overlay_sending {
    OVERLAY_SENDS,
    OVERLAY_ASKS,        /* looks for handshake responses, then sends a request */
    OVERLAY_AWAITS,      /* responses of all receivers */
    OVERLAY_AWAITS_ROOM, /* all is sent; credits have to come back */
    OVERLAY_HAS_SENT,
};

/* The handshake response that a receiver owes. */
enum overlay_response { OVERLAY_NO_RESPONSE, OVERLAY_SPECULATIVE, OVERLAY_TWO_WAY };

struct overlay_message {
    uint32_t address, words; /* where it starts */
    uint32_t sent;           /* words of it that have left */
    uint32_t header[4];
    uint8_t stream; /* whose receive buffer it is in */
    bool is_last;   /* the last of an infinite phase */
    uint8_t gap[2];
};

struct overlay_reading {
    uint32_t words;
    uint8_t stream;
    bool ends_message; /* a gathering stream owes its input one message less */
    bool is_joined;    /* leaves together with the next entry */
    uint8_t gap;
};

/* Where flow control goes; latched when a phase starts, since credits may come after its end. */
struct overlay_source {
    bool valid;
    uint8_t noc, x, y, stream, receiver, vc, gap;
};

struct overlay_stream {
    uint8_t state, sending, response; /* enums of those names */
    bool is_stuck;                    /* it broke a rule */
    bool keeps_source; /* the previous phase promised the same; after reset it did not */
    bool keeps_destination;
    bool loads_again;     /* RELOAD_PHASE_BLOB */
    bool is_endless;      /* an infinite phase whose last message has not been seen */
    bool awaits_source;   /* a handshake request is still answered */
    bool is_message_open; /* its first packet has arrived, its last has not */
    bool is_message_counted;
    bool sources_are_ready;      /* of a gathering stream */
    uint32_t misc;               /* MISC_CFG when the phase started */
    uint32_t remaining;          /* messages of the phase that are still to be transmitted */
    uint32_t to_receive;         /* and to be received */
    uint32_t dropped;            /* pushes when none was to be received any more */
    uint32_t early;              /* messages that arrived before their phase */
    uint32_t next_configuration; /* NEXT_PHASE_NUM_CFG_REG_WRITES */
    uint32_t load;               /* offset in the receive buffer of the next message to be loaded */
    uint32_t arrived;            /* words, ever */
    uint32_t consumed;           /* words that left the metadata FIFO, ever */
    uint32_t loaded;             /* words of messages that were loaded, ever */
    uint32_t freed, freed_headers;        /* not yet told to the source */
    uint32_t lent;                        /* messages that a gathering stream has */
    uint32_t answers;                     /* handshake: receivers that are ready */
    uint32_t to_clear;                    /* MULTI_MSG_CLEAR */
    uint32_t group, group_step, in_order; /* gathering: where it is */
    struct overlay_source source;
    uint8_t first_message, messages, first_reading, readings;
    struct overlay_message message[OVERLAY_MESSAGES];
    struct overlay_reading reading[OVERLAY_READINGS];
};

/* Which streams have a register or can do something. */
enum overlay_class {
    OVERLAY_ALL,
    OVERLAY_MULTICAST,
    OVERLAY_GATHERS,
    OVERLAY_ENDPOINT, /* keeps headers in its metadata FIFO */
    OVERLAY_DRAM,
    OVERLAY_ENDPOINT_OR_DRAM,
    OVERLAY_ZERO, /* registers of the whole overlay */
    OVERLAY_LINK, /* can reach the other end of an Ethernet link */
    OVERLAY_CLASSES,
};

/* Fields: get_NEW_MSG_ADDR(word) and make_NEW_MSG_ADDR(value). */
#define OVERLAY_FIELD(reg, name, first, bits)                                                      \
    static inline uint32_t get_##name(uint32_t word)                                               \
    {                                                                                              \
        return word >> (first) & ((UINT32_C(1) << (bits)) - 1);                                    \
    }                                                                                              \
    static inline uint32_t make_##name(uint32_t value)                                             \
    {                                                                                              \
        return (value & ((UINT32_C(1) << (bits)) - 1)) << (first);                                 \
    }
#include "overlay_fields.def"
#undef OVERLAY_FIELD

static inline unsigned overlay_count(const struct overlay *overlay)
{
    return overlay->streams ? overlay->streams : OVERLAY_STREAMS;
}

static inline uint64_t overlay_bit(unsigned s)
{
    return UINT64_C(1) << s;
}

/* The word of a register; always zero in a stream that does not have it. */
static inline uint32_t *overlay_word(const struct overlay *overlay, unsigned s, unsigned index)
{
    return &overlay->word[index * overlay_count(overlay) + s];
}

static inline uint32_t overlay_get(const struct overlay *overlay, unsigned s, unsigned index)
{
    return *overlay_word(overlay, s, index);
}

/* Untouched pages stay shared as long as nothing changes in them. */
static inline void overlay_set(struct overlay *overlay, unsigned s, unsigned index, uint32_t value)
{
    uint32_t *word = overlay_word(overlay, s, index);
    if (*word != value) {
        *word = value;
    }
}

extern const struct overlay_stream overlay_unused_stream; /* zeros */

/* The state of a stream to look at. What it points to becomes stale when the stream is owned. */
static inline const struct overlay_stream *overlay_look(const struct overlay *overlay, unsigned s)
{
    return overlay->used & overlay_bit(s) ? &overlay->state[s] : &overlay_unused_stream;
}

/* The state of a stream, to be changed. */
static inline struct overlay_stream *overlay_own(struct overlay *overlay, unsigned s)
{
    overlay->used |= overlay_bit(s);
    return &overlay->state[s];
}

/* --- overlay_stream.c --- */

bool overlay_is_ethernet(const struct overlay *overlay); /* of an Ethernet tile */
bool overlay_has(const struct overlay *overlay, enum overlay_class class, unsigned s);

/* Receivers that the stream counts room for, and those of the phase it is in. */
unsigned overlay_counters(const struct overlay *overlay, unsigned s);
unsigned overlay_receivers(const struct overlay *overlay, unsigned s);

unsigned overlay_message_capacity(const struct overlay *overlay, unsigned s);
unsigned overlay_reading_capacity(const struct overlay *overlay, unsigned s);

/* Says what rule stream `s` broke, in overlay->rule; false. */
bool overlay_refuse(struct overlay *overlay, unsigned s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Handles a broken rule outside of a write: tells the board, and stops the stream. */
void overlay_break(struct overlay *overlay, unsigned s);

/* A new phase comes next. */
void overlay_start(struct overlay *overlay, unsigned s);

/* --- overlay_room.c --- */

/* A pointer of a circular buffer of `size`, `words` on. */
uint32_t overlay_on(uint32_t pointer, uint32_t words, uint32_t size);

/* Room at a receiver, as its register has it. */
uint32_t overlay_space(const struct overlay *overlay, unsigned s, unsigned receiver);
void overlay_set_space(struct overlay *overlay, unsigned s, unsigned receiver, uint32_t value);

/* In a part of the counters of all receivers; has every one of them room? */
void overlay_set_all_space(struct overlay *overlay, unsigned s, uint32_t mask, uint32_t value);
bool overlay_all_have_space(const struct overlay *overlay, unsigned s);

/* Are the receivers' counters their own? If not, the first stands for all. */
static inline bool overlay_spaces_differ(const struct overlay *overlay, unsigned s)
{
    return overlay->differs & overlay_bit(s);
}

/* Room in the receive buffer. */
uint32_t overlay_room(const struct overlay *overlay, unsigned s);

/* --- overlay.c --- */

/* Writes PHASE_AUTO_CFG_HEADER. */
void overlay_write_header(struct overlay *overlay, unsigned s, uint32_t value);

/* --- overlay_phase.c --- */

bool overlay_check(struct overlay *overlay, unsigned s);
void overlay_reset_stream(struct overlay *overlay, unsigned s);
void overlay_answered(struct overlay *overlay, unsigned s, uint32_t value);

/* Begins a phase as soon as all L1 reads of the previous one are done, or need not be. */
bool overlay_begin(struct overlay *overlay, unsigned s);

/* Goes on with a phase. Both: true when something was done. */
bool overlay_run_phase(struct overlay *overlay, unsigned s);

/* --- overlay_blob.c --- */

/* Loads the configuration of the next phase; what comes after is the state. */
void overlay_load_blob(struct overlay *overlay, unsigned s);

/* --- overlay_receive.c --- */

bool overlay_push_headers(struct overlay *overlay, unsigned s, uint32_t value);
bool overlay_push_message(struct overlay *overlay, unsigned s, uint32_t value);
bool overlay_load_headers(struct overlay *overlay, unsigned s);
void overlay_take_early(struct overlay *overlay, unsigned s);

/* The header array: entries in it, and the address (in words) of the next to read. */
uint32_t overlay_headers(const struct overlay *overlay, unsigned s);

/* Tells the source of room and sends the handshake response that is owed; true when it sent. */
bool overlay_send_credits(struct overlay *overlay, unsigned s);

/* --- overlay_transmit.c --- */

bool overlay_transmit(struct overlay *overlay, unsigned s);
bool overlay_clear_info(struct overlay *overlay, unsigned s, uint32_t count);
bool overlay_clear_data(struct overlay *overlay, unsigned s);
bool overlay_send_request(struct overlay *overlay, unsigned s);
bool overlay_goes_to_dram(const struct overlay *overlay, unsigned s);
bool overlay_is_multicast(const struct overlay *overlay, unsigned s);
bool overlay_has_all_room(const struct overlay *overlay, unsigned s);

struct overlay_message *overlay_front(struct overlay_stream *stream);
void overlay_append(struct overlay *overlay, unsigned s, const struct overlay_message *message);
void overlay_pop(struct overlay *overlay, unsigned s);

/* Sends a packet; false and noted in `blocked` when the board cannot take it. */
bool overlay_post(struct overlay *overlay, const struct overlay_packet *packet);

/* A word for register `index` of another overlay's stream. */
struct overlay_packet overlay_register_packet(unsigned s, unsigned stream, unsigned index,
                                              const uint8_t *bytes);

/* --- overlay_gather.c --- */

bool overlay_check_gather(struct overlay *overlay, unsigned s);
bool overlay_gather(struct overlay *overlay, unsigned s);

#endif
