/*
 * The trace of a chip: what its harts, coprocessors and NIUs do, event by event.
 *
 * Events come in the order of time. Those of all tiles and agents in a window (at most 512 cycles
 * while more than one tile is awake) are sorted by cycle, and handed out at its end. Within a cycle
 * they come tile by tile. A trace changes neither results nor cycles nor penrose_state_hash.
 *
 * The library needs some hundred cycles to recognise a polling loop. The trace shows the hart until
 * then, and again from where it goes on; between them is a PENROSE_TRACE_WAIT. Tiles that the filter
 * takes run without shortcuts, many times slower. All others run as always, but in one thread.
 *
 * A filter is a text of words KEY=VALUE with spaces between them. PENROSE_TRACE_FILTER and
 * `penrose trace` take the same text. An event passes if it fits one word of each key that occurs:
 *   tile=X,Y   tile=X-X,Y-Y     a tile, a rectangle of tiles
 *   hart=NAME[,NAME...]         the agent, or the hart that pushed the instruction: brisc, trisc0,
 *                               ncrisc,
 *                               erisc0, drisc, noc, host, unpacker, packer, mover, scalar-unit;
 *                               trisc stands for all three
 *   thread=N[,N...]             of the coprocessor: 0 to 2
 *   kind=NAME[,NAME...]         penrose_trace_kind_name
 *   cycle=N   cycle=N-N         N-: no last one. Numbers are decimal or 0x...
 *   pc=N   pc=N-N               of the hart's instruction, or of the one that pushed it
 *   function=NAME               which contains the pc
 *   address=N   address=N-N     bytes, of which an access or packet touches at least one
 * The empty filter takes everything.
 *
 * The rules of penrose/penrose.h hold.
 */
#ifndef PENROSE_TRACE_H
#define PENROSE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/debug.h>

#ifdef __cplusplus
extern "C" {
#endif

enum penrose_trace_kind {
    PENROSE_TRACE_INSTRUCTION, /* a hart executes `word` at `pc`; `result` is the new value of its
                                  destination register; in a kernel of a Tensix tile, `value` is
                                  the number that the host gave to its program (host_assigned_id
                                  of tt-metal's launch message) */
    PENROSE_TRACE_TENSIX,      /* the coprocessor executes `word`, which `agent` pushed by the
                                  instruction at `pc`, perhaps in a MOP or replay buffer; it has
                                  waited for `waited` cycles at its gate */
    PENROSE_TRACE_MEMORY,      /* a hart loads or stores `value` in L1 or its local RAM, */
    PENROSE_TRACE_REGISTER,    /* or at any other address; `what` lies there */
    PENROSE_TRACE_DATA,        /* a unit of the coprocessor, a packet or the host reads or writes
                                  `size` bytes; `what` is "GDDR" where they are there */
    PENROSE_TRACE_NOC,         /* a packet is sent to, or delivered from, the tile `peer`; `what` is
                                  "read", "write", "atomic", "read response", ..., and of what is
                                  sent to many tiles "multicast write" or "multicast atomic" */
    PENROSE_TRACE_WAIT,        /* a wait begins, of a hart (`size` bytes at `address`) or of an
                                  instruction at its gate (then `what` says for what); or a hart's
                                  wait ends, which has taken `waited` cycles, by `what`: "store",
                                  "write", "read response from DRAM"; of a response, `value` is
                                  for how many cycles GDDR had the request in a timed run */
    PENROSE_TRACE_KINDS,
};

/* "instruction", "tensix", "memory", "register", "data", "noc", "wait"; NULL out of range. Any
 * thread. */
const char *penrose_trace_kind_name(enum penrose_trace_kind kind);

/* Who has made a wait end. */
struct penrose_trace_cause {
    bool is_known; /* otherwise time has, or somebody who is not seen */
    unsigned x, y; /* his tile */
    enum penrose_agent agent;
    int thread;     /* of the coprocessor, whose instruction it was; -1: none */
    uint64_t cycle; /* in which he executed it, or sent the packet, or made the request that was
                       answered */
};

/* The way of a packet over its NoC, in raw coordinates of NoC 0, which number the routers: to a tile, or
 * along the tree of a multicast to a rectangle of tiles, through which it begins to go at `to` and ends
 * at `last`. */
struct penrose_trace_route {
    bool is_known, is_multicast;
    bool is_y_major; /* NOC_CMD_BRCST_XY of a multicast */
    uint8_t from_x, from_y, to_x, to_y, last_x, last_y;
};

/* An event. Members that the kind does not mention are 0. Strings live as long as the trace, and
 * are empty if nothing is known. */
struct penrose_trace_event {
    enum penrose_trace_kind kind;
    bool begins; /* accesses: it is a write; packets: it is sent; waits: it begins */
    unsigned x, y;
    enum penrose_agent agent;
    const char *agent_name; /* as its tile calls it: "erisc0" */
    int thread;             /* of the coprocessor; -1: none */
    uint64_t cycle;
    uint32_t pc, word;
    bool has_result;                /* the instruction writes a register of X or F, */
    struct penrose_register result; /* this one */
    uint32_t result_value;
    uint64_t address;
    uint32_t size, value;    /* bytes; the value of up to four */
    unsigned noc;            /* of packets */
    unsigned peer_x, peer_y; /* of packets, and of DATA by PENROSE_AGENT_NOC or _ETHERNET */
    uint64_t waited;
    const char *what;
    const char *symbol; /* of pc: a function, */
    uint32_t symbol_offset;
    const char *source; /* a file */
    unsigned line;
    const char *inlined_at; /* FILE:LINE of the calls that were inlined there, the innermost first,
                               with newlines between them */
    unsigned peer_chip;     /* of DATA by PENROSE_AGENT_ETHERNET: the chip of that tile */
    enum penrose_tile_kind peer_kind; /* of packets but multicasts: what that tile is */
    const char *kernel;               /* of pc: its name; empty in firmware */
    struct penrose_trace_cause cause; /* of TENSIX, if it has waited, and of a hart's wait that
                                         ends: who has brought that about; of a request that is
                                         delivered: who has sent it */
    struct penrose_trace_route route; /* of packets */
};

/* Calls `take` with each event that passes the filter. A NULL filter lets all events pass. A NULL
 * `take` ends the trace, after its last events. While there is a trace, only the caller's thread
 * runs the chip. PENROSE_E_ARGUMENT says what is wrong with the filter. PENROSE_E_MEMORY. */
enum penrose_status penrose_trace(struct penrose_chip *chip, const char *filter,
                                  void (*take)(void *context,
                                               const struct penrose_trace_event *event),
                                  void *context, struct penrose_error *error);

#ifdef __cplusplus
}
#endif
#endif
