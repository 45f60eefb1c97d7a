/*
 * The trace of a chip: what its harts, coprocessors and NIUs do, event by event.
 *
 * Events come in the order of time: those of all tiles and agents of a window (at most 512 cycles
 * while more than one tile is awake) are sorted by cycle and handed out at its end; of one cycle
 * they come tile by tile. Whatever is traced, results, cycles and penrose_state_hash are those of a
 * chip that is not. A hart that polls is shown until it is found to (some hundred cycles) and from
 * where it goes on: what lies between is a PENROSE_TRACE_WAIT. Tiles that the filter takes run
 * without shortcuts, many times slower; all others run as always, but by one thread.
 *
 * A filter is a text, the same here, in PENROSE_TRACE_FILTER and in `penrose trace`: words KEY=VALUE
 * with spaces between them. An event passes when it fits one word of each key that occurs:
 *   tile=X,Y   tile=X-X,Y-Y     a tile, a rectangle of tiles
 *   hart=NAME[,NAME...]         who does it, or pushed the instruction: brisc, trisc0, ncrisc,
 *                               erisc0, drisc, noc, host, unpacker, packer, mover, scalar-unit;
 *                               trisc stands for all three
 *   thread=N[,N...]             of the coprocessor: 0 to 2
 *   kind=NAME[,NAME...]         penrose_trace_kind_name
 *   cycle=N   cycle=N-N         N-: no last one. Numbers are decimal or 0x...
 *   pc=N   pc=N-N               of the hart's instruction, or of the one that pushed it
 *   function=NAME               which contains the pc
 *   address=N   address=N-N     what an access or packet touches any byte of
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
    PENROSE_TRACE_INSTRUCTION, /* a hart executes `word` at `pc`; `result` is what it leaves in its
                                  destination register */
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
                                  wait ends, which has taken `waited` cycles */
    PENROSE_TRACE_KINDS,
};

/* "instruction", "tensix", "memory", "register", "data", "noc", "wait"; NULL out of range. Any
 * thread. */
const char *penrose_trace_kind_name(enum penrose_trace_kind kind);

/* An event. Members of which the kind says nothing are 0; strings live as long as the trace does,
 * and are empty where nothing is known. */
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
    unsigned peer_x, peer_y; /* of packets, and of DATA by PENROSE_AGENT_NOC */
    uint64_t waited;
    const char *what;
    const char *symbol; /* of pc: a function, */
    uint32_t symbol_offset;
    const char *source; /* a file */
    unsigned line;
};

/*
 * Calls `take` with each event that passes the filter (NULL: all do); a NULL `take` ends that, after
 * the last events. The caller's thread alone runs the chip meanwhile. PENROSE_E_ARGUMENT says what is
 * wrong with the filter; PENROSE_E_MEMORY.
 */
enum penrose_status penrose_trace(struct penrose_chip *chip, const char *filter,
                                  void (*take)(void *context,
                                               const struct penrose_trace_event *event),
                                  void *context, struct penrose_error *error);

#ifdef __cplusplus
}
#endif
#endif
