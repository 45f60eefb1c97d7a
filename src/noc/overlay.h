/*
 * The NoC overlay of a tile: streams that send and receive messages, and whose registers software
 * also uses as plain storage and as counters.
 *
 * SPEC: WormholeB0 NoC Overlay pages, there are none for Blackhole; Blackhole's registers and
 * fields from tt-metal's noc_overlay_parameters.
 *
 * Registers of a stream are words, which overlay.def describes. `state` has the other state of a
 * stream. Writes and arrivals change registers, and note in `due` which streams may go on.
 * overlay_run lets them go on. A stream that was never started costs nothing, and zeros are the
 * state after reset.
 *
 * Memory is one block of plain data without pointers: a copy of all of it and of struct overlay is
 * a copy of the overlay.
 *
 *   from 0               register by register a word for each stream, so that what circular buffers
 *                        use of all streams is in few pages. All of it is in the first `streams`
 *                        times OVERLAY_STREAM_BYTES.
 *   OVERLAY_FILE_BYTES   struct overlay_stream for each stream. While a stream is not marked as
 *                        used this is neither read nor written, and zeros.
 *
 * Words are written only when they change. Firmware that boots writes none.
 *
 * Files, the lowest first: overlay_stream.c, overlay_room.c (buffers), overlay_transmit.c (packets),
 * overlay_receive.c (arrivals, headers, credits), overlay_gather.c, overlay_phase.c (the state
 * machine), overlay.c (registers), overlay_blob.c (configuration from L1), overlay_run.c.
 */
#ifndef NOC_OVERLAY_H
#define NOC_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addresses.h"
#include "arch/overlay.h"
#include "isa/answer.h"
#include "isa/reg.h"

enum {
    OVERLAY_STREAMS = 64, /* of a Tensix tile */
    OVERLAY_ETHERNET_STREAMS = 32,
    OVERLAY_STREAM_BYTES = STEP_STREAM, /* of the address space */
    OVERLAY_REGISTERS = OVERLAY_STREAM_BYTES / 4,
    OVERLAY_RULE_BYTES = 160,
    OVERLAY_OFFSETS = 8, /* entries of the global offset table */
    OVERLAY_READY_UNICAST = 24,
    OVERLAY_READY_MULTICAST = 8,
    OVERLAY_ANSWERS = OVERLAY_READY_UNICAST + OVERLAY_READY_MULTICAST,
    OVERLAY_WORD = 16,          /* bytes of a word of messages */
    OVERLAY_STATE_BYTES = 2560, /* room for a struct overlay_stream */
    OVERLAY_FILE_BYTES = OVERLAY_STREAMS * OVERLAY_STREAM_BYTES,
    OVERLAY_MEMORY_BYTES = OVERLAY_FILE_BYTES + OVERLAY_STREAMS * OVERLAY_STATE_BYTES,
};

#define OVERLAY_REGISTERS_ADDRESS AT_OVERLAY

/* A posted write that a stream sends, with a static VC: a piece of a message, or a word for a
 * register of another overlay. */
struct overlay_packet {
    const uint8_t *bytes; /* valid during the call */
    uint32_t size;
    uint64_t address;
    unsigned sender; /* the stream that sends; overlay_sent wants it back */
    unsigned noc, vc;
    unsigned x, y;         /* as software wrote them; where a multicast's rectangle starts */
    unsigned end_x, end_y; /* of a multicast */
    bool is_multicast, is_linked, y_is_major;
    bool is_ethernet; /* to the overlay at the other end of the link; x and y mean nothing */
    bool is_register; /* 4 bytes; no overlay_sent is expected */
    bool delivers;    /* the receiver's overlay is told: stream, first, last */
    bool first, last;
    unsigned stream;
    bool stores_header; /* its first 16 bytes are also written to header_address */
    uint64_t header_address;
};

struct overlay_board {
    /* Takes a packet; false when it cannot now: overlay_run tries again. Must not call the overlay
     * back: overlay_sent and arrivals come later. */
    bool (*send)(void *owner, const struct overlay_packet *packet, uint64_t cycle);
    /* The tile's coordinates on a NoC: y << 6 | x. */
    uint32_t (*node)(void *owner, unsigned noc);
    /* A stream did what the pages do not define; it stands still until software resets it. */
    void (*fault)(void *owner, unsigned stream, const char *text, uint64_t cycle);
    /* Registers changed that others can see. */
    void (*changed)(void *owner, uint64_t cycle);
};

/* A handshake response that came before its stream waited for it. */
struct overlay_answer {
    bool valid;
    uint8_t stream;
    uint8_t gap[2];
    uint32_t phase, receivers; /* that have answered: a bit for each */
};

struct overlay_stream;

extern const struct reg_file overlay_registers;

struct overlay_shared {
    uint64_t due;     /* streams that may be able to go on */
    uint64_t blocked; /* the board could not take their packet */
    uint64_t used;    /* streams whose state may be other than zeros */
    uint64_t differs; /* streams that multicast whose receivers have different room; the counters of
                         the others but the first mean nothing */
    uint64_t now;
    struct overlay_answer answer[OVERLAY_ANSWERS];
    uint8_t answer_turn[2]; /* which is overwritten next: unicast, multicast */
    uint8_t blob_turn;      /* where BLOB_NEXT_AUTO_CFG_DONE looks first */
    uint8_t gap[5];
    uint32_t offset[OVERLAY_OFFSETS];
    char rule[OVERLAY_RULE_BYTES]; /* the latest that was broken */
};

/* Without a board nothing starts: the overlay is a register file. */
struct overlay {
    struct overlay_shared;
    unsigned streams; /* 0 means OVERLAY_STREAMS */
    uint32_t *word;   /* of registers */
    struct overlay_stream *state;
    const uint8_t *l1;
    uint32_t l1_size;
    const struct overlay_board *board;
    void *owner;
};

/* Gives the overlay its memory (OVERLAY_MEMORY_BYTES of zeros, aligned to 8; what nobody configures
 * stays untouched), L1 and surroundings; state is left alone. */
void overlay_attach(struct overlay *overlay, unsigned streams, void *memory, const uint8_t *l1,
                    uint32_t l1_size, const struct overlay_board *board, void *owner);

/* All streams as after power-on. */
void overlay_reset(struct overlay *overlay);

/* Reads or writes register `index` of a stream as software does; without `effects` a read or
 * write does nothing else. Streams that the tile does not have are refused; overlay->rule says why.
 */
enum answer overlay_read(struct overlay *overlay, unsigned stream, unsigned index, bool effects,
                         uint32_t *value);
enum answer overlay_write(struct overlay *overlay, unsigned stream, unsigned index, bool effects,
                          uint32_t value);

/* The value of a register, without effects; 0 of a stream that is not there. */
uint32_t overlay_register(const struct overlay *overlay, unsigned stream, unsigned index);

/* The same of a register that reads as it was written, such as one that counts pages. */
uint32_t overlay_stored(const struct overlay *overlay, unsigned stream, unsigned index);

/* Has the stream been used for more than registers? If not, its state is all zeros. */
bool overlay_is_used(const struct overlay *overlay, unsigned stream);

/* Is the overlay's interrupt raised (SPEC: LoadConfigurationFromL1)? */
bool overlay_interrupt(const struct overlay *overlay);

/* True when overlay_run has something to do. */
static inline bool overlay_is_due(const struct overlay *overlay)
{
    return (overlay->due | overlay->blocked) != 0;
}

/* Lets streams go on as far as they can now; a bounded amount of work. True when something is left
 * that can be done without anything else happening. */
bool overlay_run(struct overlay *overlay, uint64_t cycle);

/* A packet with DeliverToReceiverOverlay has been written to L1, its header to the header array. */
void overlay_packet_arrived(struct overlay *overlay, unsigned stream, bool first, bool last,
                            uint32_t size, uint64_t cycle);

/* The oldest packet of `stream` that has not left yet has left L1. */
void overlay_sent(struct overlay *overlay, unsigned stream, uint64_t cycle);

/* Says what a stream that is in a phase waits for; false when it is idle. */
bool overlay_describe_wait(const struct overlay *overlay, unsigned stream, char *text, size_t size);

#endif
