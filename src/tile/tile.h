/*
 * A tile with harts: a Tensix tile has five of them, the coprocessor, two NIUs, overlay streams, L1
 * and the address map that ties them together; an Ethernet tile has two harts and a link, a DRAM
 * tile one (tile_kinds). A tile knows no other tile; what leaves it goes through struct tile_board
 * or waits in `sent` for the chip.
 *
 * Time. tile->now is the time up to which every agent of the tile has been run. Agents run in
 * rounds of `quantum` cycles, in the fixed order B, T0, T1, T2, NC, coprocessor. An agent that was
 * blocked and can go on within the round is run again in that round. Every change that others can
 * see steps `epoch` (tile_event), and agents that wait or sleep are visited again only then. A hart
 * that serves a blocked one (by a word for its mailbox or PCBuf, or by room for one) ends its turn
 * there (tile_release), so that it does not run far past that moment. If only one hart is awake, it
 * runs through many rounds at once. tile_event ends its burst with the round, so the result does
 * not change.
 *
 * Reads and writes have the side effects of hardware; peeks and pokes never do.
 */
#ifndef TILE_TILE_H
#define TILE_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "arch/names.h"
#include "isa/answer.h"
#include "noc/delivery.h"
#include "noc/niu.h"
#include "noc/overlay.h"
#include "noc/packet.h"
#include "noc/serve.h"
#include "observe/observer.h"
#include "rv32/code.h"
#include "rv32/idle.h"
#include "rv32/rv32.h"
#include "tensix/tensix.h"
#include "tile/asked.h"
#include "tile/debug.h"
#include "tile/gddr_dma.h"
#include "tile/mailbox.h"
#include "tile/pic.h"
#include "tile/tdma.h"

enum {
    TILE_QUANTUM = 128, /* cycles of a round, where nobody asks for others */
    TILE_OBSERVERS = 4, /* at most */
};

/* --- Kinds of tile (kind.c) --- */

enum tile_type { TILE_TENSIX, TILE_ETHERNET, TILE_DRAM, TILE_TYPES };

struct tile_kind {
    enum tile_type type;
    const char *name;
    uint32_t l1_bytes;
    unsigned harts;               /* that it has: a bit for each enum rv32_core */
    unsigned streams;             /* of the overlay */
    const char *hart[RV32_CORES]; /* names; NULL where there is none */
};

extern const struct tile_kind tile_kinds[TILE_TYPES];

/* Instruction RAM of a hart's own (iram.def). */
struct tile_iram {
    enum tile_type type;
    enum rv32_core core;
    uint32_t first, bytes;
};

/* NULL: the hart has none. */
const struct tile_iram *tile_iram(enum tile_type type, enum rv32_core core);

/* Words of the control block of Ethernet and DRAM tiles. */
enum { TILE_CONTROL_WORDS = 64 };
extern const struct reg_file tile_control_registers;

/* Bytes of all of it in a tile. */
enum {
    TILE_IRAM_BYTES = 0
#define IRAM(KIND, hart, first, bytes) +(bytes)
#include "iram.def"
};

/* The agents of accesses: the harts by their number, then the NoC (and with it the host). */
enum tile_agent {
    AGENT_B = RV32_B,
    AGENT_T0 = RV32_T0,
    AGENT_T1 = RV32_T1,
    AGENT_T2 = RV32_T2,
    AGENT_NC = RV32_NC,
    AGENT_NOC,
    AGENTS,
};

/* "brisc" .. "ncrisc", "noc" */
static inline const char *tile_agent_name(enum tile_agent agent)
{
    return arch_hart_name((enum penrose_hart)agent);
}

/* --- The address map (mmio.def, map.c) --- */

enum mmio_operation { MMIO_READ, MMIO_WRITE, MMIO_PEEK, MMIO_POKE };

struct mmio_access {
    enum mmio_operation operation;
    enum tile_agent agent;
    uint8_t size; /* 1, 2 or 4 bytes, aligned */
    uint32_t address;
    uint32_t offset; /* from the start of the range */
    uint8_t copy; /* of the register's bank, and the word in its row, for its handler (report.h) */
    uint8_t word;
    uint8_t late;     /* cycles by which a hart gets its answer later than from such a place else */
    uint32_t value;   /* in or out, in the low `size` bytes */
    uint64_t cycle;   /* tile time; of the answer, where ANSWER_WAIT knows that */
    const char *rule; /* of a refusal: the violated rule, or NULL */
};

static inline bool mmio_is_write(const struct mmio_access *access)
{
    return access->operation == MMIO_WRITE || access->operation == MMIO_POKE;
}

/* False for peeks and pokes, which must have no side effects. */
static inline bool mmio_has_effects(const struct mmio_access *access)
{
    return access->operation == MMIO_READ || access->operation == MMIO_WRITE;
}

/* One handler for each row of mmio.def: tile_mmio_<token>. */
struct tile;
typedef enum answer tile_mmio_handler(struct tile *tile, struct mmio_access *access);
#define RANGE(token, first, last, agents, poll, title) tile_mmio_handler tile_mmio_##token;
#include "mmio.def"
#undef RANGE
tile_mmio_handler tile_mmio_BEYOND_L1, tile_mmio_CONTROL, tile_mmio_ETH, tile_mmio_GDDR_DMA,
    tile_mmio_GDDR_MC;

/* Performs an access anywhere in the tile's address space, L1 included. Fills in offset, value and
 * rule. */
enum answer tile_access(struct tile *tile, struct mmio_access *access);

/*
 * A helper for handlers of 32-bit registers: reads of fewer bytes take their part of *word; writes
 * of fewer bytes answer ANSWER_NARROW. Writes change *word only under `writable`.
 */
enum answer mmio_word(struct mmio_access *access, uint32_t *word, uint32_t writable);

/* Helps with reads of a value that is computed, and not stored. */
enum answer mmio_value(struct mmio_access *access, uint32_t value);

/* True where the agent's window on Dst has an element, in the format that it is seen in. */
bool tile_is_dst(const struct tile *tile, enum tile_agent agent, uint32_t address);

/* Whether the window has an element at an offset (dst_window.c). */
bool tile_dst_has(const struct tile *tile, enum tile_agent agent, uint32_t offset);

/* The GPR at an offset of the agent's window on GPRs (windows.c); false: there is none. */
bool tile_gpr_at(enum tile_agent agent, uint32_t offset, unsigned *thread, unsigned *index);

/* The physical row of Dst in which the element at an offset of the window lies, or its upper half. */
unsigned tile_dst_row(const struct tile *tile, enum tile_agent agent, uint32_t offset);

/* The title of the range that holds `address` for `agent`, "unmapped" where there is none. */
const char *tile_range_title(enum tile_type type, enum tile_agent agent, uint32_t address);

/* --- Harts as the tile runs them --- */

enum hart_state {
    HART_HELD, /* in soft reset */
    HART_READY,
    HART_WAITING, /* in an access that is not answered yet: hart.access */
    HART_ASLEEP,  /* in a polling loop: idle */
    HART_PAUSED,  /* by ebreak or a debugger */
    HART_FAULTED, /* after a guest fault under the policy "stop" */
};

enum {
    TILE_FIRST_PROBE = 64, /* cycles after a hart was woken */
    TILE_PROBES_SOON = 2,  /* as long as no more of them failed, searches come soon and are short */
    TILE_MOST_BACKOFF = 12, /* the next one comes later each time, but no more than so */
    TILE_LOADS = 4,
    TILE_FENCES = TILE_LOADS, /* behind them: the latest fence */
};

/* A register that the hart's load at `pc` has found unchanged `repeats` times in short succession,
 * the last time at `cycle`: perhaps it polls. */
struct tile_load {
    uint32_t pc, address, value, repeats;
    uint64_t cycle;
};

struct tile_hart_state {
    enum hart_state state;
    bool ram_used; /* the local RAM may hold something other than zeros */
    bool ram_kept; /* a loader has filled it while the hart was held: the release leaves it so */
    bool step;     /* run one instruction at a time: the debug registers */
    uint8_t gap;
    uint64_t time;               /* tile time of its next instruction */
    struct tensix_push_cut push; /* that an observer has stopped */
};

/* How it was found out that a hart waits; results do not depend on it. */
struct tile_hart_hints {
    uint64_t epoch; /* tile->epoch when it began to wait or sleep */
    struct rv32_idle idle;
    struct rv32_probe probe;               /* the search for a polling loop that is under way */
    uint64_t probe_at;                     /* tile time of the next one */
    struct tile_load load[TILE_LOADS + 1]; /* the latest of registers, by pc; TILE_FENCES */
    uint64_t probe_fails;                  /* searches in vain, for backing off */
};

struct tile_hart {
    struct tile_hart_state;
    struct tile_hart_hints;
};

/* --- What leaves the tile --- */

/* A guest fault. */
struct tile_fault {
    uint64_t cycle;
    enum penrose_fault_kind kind;
    enum tile_agent agent; /* of a Tensix instruction: the hart that pushed it */
    unsigned thread;       /* where it is_tensix */
    uint32_t pc, word;     /* of the instruction */
    uint32_t address;
    uint16_t origin; /* where it is_remote: a request of the tile at this place is at fault */
    bool is_tensix, is_remote;
    bool is_of_check;                 /* which has judged it (observe/check/findings.h) */
    char text[PENROSE_RULE_TEXT + 3]; /* the violated rule in words */
};

/* Cycles by which a hart is to be late, and the request that its instruction starts
 * (penrose_delay). */
struct tile_late {
    uint32_t hart, departure, arrival;
};

struct tile_board {
    struct noc_delivery delivery;
    /* Records a fault and says what to do. */
    enum penrose_policy (*fault)(void *owner, struct tile *tile, const struct tile_fault *fault);
    /* Records a fault of a DRAM bank, which keeps its notes at *notes. */
    enum penrose_policy (*bank_fault)(void *owner, void **notes, const struct tile_fault *fault);
    /* Does the instruction at `pc` belong to a program that has no object in the first bytes of L1,
     * where null pointers lead? Called while the tile runs. NULL: no. */
    bool (*has_nothing_at_null)(void *owner, const struct tile *tile, uint32_t pc);
    /* Records it if the agent is at work for a kernel that tt-metal has launched, whose rules others
     * need not keep, and if the launch makes it a fault. NULL: nobody can tell. */
    enum penrose_policy (*claim)(void *owner, struct tile *tile, const struct tile_fault *fault);
    /* Can it be found out what tt-metal has launched on the tile? */
    bool (*knows_launches)(void *owner, const struct tile *tile);
    /* Does code of a loaded program lie at the address? `name` is that of its function, with
     * the hart whose program it is. Called while the tile runs. NULL: no. */
    bool (*finds_code)(void *owner, const struct tile *tile, uint32_t address, char *name,
                       size_t size);
    /* A register was written (or read) whose behaviour is not modelled; `field` is the one of the
     * configuration that it is about, NULL elsewhere. May be NULL. */
    void (*unmodelled)(void *owner, struct tile *tile, const struct mmio_access *access,
                       const char *field);
    /* A Tensix instruction wrote a word of the configuration, at `address`, whose effect is not
     * modelled. */
    void (*unmodelled_config)(void *owner, struct tile *tile, enum tile_agent pusher, uint32_t pc,
                              uint32_t word, uint32_t address, const char *field);
    /* Does the multicast reach the tile that sends it, and without delay? Called while the tile
     * runs. NULL: no. */
    bool (*loops_back)(void *owner, const struct tile *tile, const struct noc_packet *packet);
    /* Hops to the farthest router of a multicast's tree. Called while the tile runs. May be NULL. */
    unsigned (*multicast_hops)(const struct noc_packet *packet);
    /* The bytes that a read of GDDR finds now, and it has taken place; NULL: it must travel. Called
     * while the tile runs. May be NULL. */
    const uint8_t *(*read_gddr)(void *owner, const struct tile *tile,
                                const struct noc_packet *packet);
    /* May a write to GDDR, which travels, be answered now? May be NULL. */
    bool (*gddr_takes)(void *owner, const struct noc_packet *packet);
    /* Copies bytes of L1 to the GDDR of the DRAM tile's bank, or from there; false where GDDR has
     * none of them, with the rule. Called while the tile runs. May be NULL. */
    bool (*move_gddr)(void *owner, const struct tile *tile, bool writes, uint64_t address,
                      uint8_t *bytes, uint32_t size, const char **rule);
};

/* Why a tile stands still. A fault outweighs a pause. */
enum tile_halt {
    TILE_GOES,
    TILE_PAUSED,  /* by an observer, until tile_go_on */
    TILE_FAULTED, /* under the policy "stop", until the chip's faults are cleared */
};

/* A round that an observer has stopped, and where: it goes on there. */
struct tile_cut {
    uint64_t limit, long_limit, turn_end;
    enum rv32_core core; /* whose turn it was; RV32_CORES: the coprocessor's */
    unsigned solo;
    bool is_cut, first, progress;
    uint8_t gap[5];
};

/* A request that was accepted and departs later. */
struct tile_command {
    uint64_t due;
    uint32_t pc;
    bool waits;
    uint8_t agent;
    uint8_t gap[2];
    uint32_t word[NIU_REQUEST_WORDS]; /* as it was accepted */
};

/* Bytes that requests of an NIU took with them in the latest period of time in which any did. */
struct tile_left {
    uint64_t period, bytes;
};

/* Responses of GDDR to a hart's requests that came at once and of which it does not know: it has
 * not read a counter since. */
struct tile_unseen {
    uint32_t responses;
    uint32_t pc; /* of the last request */
};

/* Registers from `first` to `last` that a sleeping hart polls some of; derived, {0, 0} when nobody
 * knows. */
struct tile_span {
    uint32_t first, last;
};

#define TILE_SPAN_NONE ((struct tile_span){.first = UINT32_MAX, .last = 1})

/* What a reset makes zero, before init_devices. */
struct tile_devices {
    struct debug_registers debug;
    struct mailboxes mailboxes;
    struct niu niu[2];
    struct tile_command command[2][NIU_BUFFERS];             /* requests that have not left */
    struct tile_unseen unseen[2][NOC_WRITE + 1][RV32_CORES]; /* by NoC, kind of request, hart */
    struct pic pic;
    struct tdma tdma;
    uint32_t commands; /* in `command` */
    /* NoCs on which others' transactions kept it from sending: a bit each */
    uint32_t overlay_waits;
    uint8_t overlay_left[OVERLAY_STREAMS]; /* packets that it sent and has not been told of */
};

struct tile_state {
    uint64_t now;
    uint64_t noc_sequence; /* of packets that it sent */
    struct tile_left left[2];
    struct noc_ways ways[2];              /* of the NIUs */
    struct timing_resource slow_path;     /* to the local RAMs of all harts; timed runs */
    struct tile_cut cut;                  /* and its round */
    struct gddr_dma gddr_dma;             /* of DRAM tiles */
    uint32_t control[TILE_CONTROL_WORDS]; /* of Ethernet and DRAM tiles */
    enum tile_halt halt;
};

/* Results do not depend on this. */
struct tile_hints {
    uint64_t epoch;        /* changes of anything that another agent can see */
    uint64_t event_time;   /* when the last of them happened */
    uint64_t round_start;  /* of the round being run */
    uint64_t tensix_epoch; /* tile->epoch when the coprocessor last ran as far as it could */
    uint64_t moves;        /* changes that were room in a queue of the coprocessor, and no more */
    uint64_t gate_epoch[TENSIX_THREADS]; /* the other changes when a thread was found to wait */
    uint64_t inbox_epoch;
    struct tile_asked asked;
    bool restless;    /* harts never sleep; for tests */
    bool tensix_idle; /* it holds nothing, so that nobody needs to look (tensix_port.c) */
    bool inbox_waits; /* the first packet cannot be served before tile->epoch changes */
    bool has_paused;  /* a hart executed ebreak, or read GDDR that is watched: tile_run ends */
    uint8_t gap[4];
};

struct tile {
    struct tile_devices; /* come first, see tile_reset */
    struct tile_state;
    struct tile_hints;
    struct overlay overlay;
    struct rv32_hart hart[RV32_CORES];
    struct tile_hart run[RV32_CORES];
    struct tensix tensix;

    /* What it is and whose. */
    const struct tile_kind *kind;
    const struct tile_map *map; /* of its addresses (tile/map.h) */
    unsigned x, y;              /* as hosts name it, in reports */
    uint16_t node;              /* its place: noc_node(x, y) */
    char name[24];              /* "worker (1, 2)" */
    uint32_t quantum;
    bool allows_shortcuts; /* tile_allow_shortcuts */
    bool shortcuts;        /* may be taken: they are allowed, and nobody looks */
    bool returns_early;    /* tile_run ends with the round in which something was sent */
    const struct observer *observer[TILE_OBSERVERS]; /* `observers` of them */
    const struct observer *counts;                   /* performance counters that run, or NULL */
    unsigned observers, observed;                    /* kinds that any of these wants: a bit each */
    bool keeps_awake; /* one of them wants to know of each turn of a loop that polls */
    /* harts, a bit each, of whose instruction under way one wants to know the end */
    uint8_t wanted_ends;
    struct tile_late late[RV32_CORES];
    /* cycles by which the packets of a request are to be late, and of the one that leaves now */
    uint32_t late_command[2][NIU_BUFFERS];
    uint32_t late_packets;
    struct noc_target behind[2]; /* the tile as its NIUs' packets find it */
    const struct tile_board *board;
    void *owner;
    void *notes;                /* the owner's, about this tile */
    struct observed stopped_at; /* TILE_PAUSED: what an observer stopped it at */

    /* Memory, and packets that arrive or left. */
    uint8_t *l1;
    uint8_t *marks; /* a byte for each 64 bytes of L1, see below */
    uint8_t *local[RV32_CORES];
    struct rv32_code code;
    struct tile_weak *weak; /* L0 caches and store queues; NULL: memory is coherent (tile/weak.h) */
    struct noc_queue inbox;
    struct noc_queue
        reading; /* writes without data: when their data will have been read; timed runs */
    struct noc_list sent;
    struct noc_pool pool;
    struct eth *eth;                         /* of Ethernet tiles, else NULL (tile/eth_window.h) */
    struct tile_frame *frames, *frames_sent; /* that arrive, in order; that left */

    /* What follows from the state, or is of the burst under way. */
    enum rv32_core running; /* the hart whose burst it is, or RV32_CORES */
    uint64_t turn_end;      /* of its turn; tile_event brings it forward */
    unsigned unseen_count;  /* of `unseen`, that are not zero */
    struct tile_span polled[RV32_CORES];
    struct tile_span polled_by_any; /* all of those, and what lies between them */
};

/* Bits of tile->marks: decoded code, places that sleeping harts poll, places that the coprocessor
 * waits for. */
enum {
    TILE_MARK_CODE = RV32_MARK_CODE,
    TILE_MARK_POLLED = 2,
    TILE_MARK_AWAITED = 4, /* by a Tensix thread, see tensix_board */
};

/*
 * A tile at the place (x, y) of NoC 0 with all harts held in reset. `store` is shared by the tiles
 * of a chip. NULL when memory runs out. Its memory is allocated on first touch, and starts with a
 * page: register files that vectors of the host work on are aligned.
 */
struct tile *tile_create(enum tile_type type, unsigned x, unsigned y, struct rv32_code_store *store,
                         const struct tile_board *board, void *owner);
void tile_destroy(struct tile *tile); /* NULL does nothing */

/* Bytes of a hart's local RAM. */
uint32_t tile_local_size(enum rv32_core core);

/* Shortcuts (isa/shortcuts.h) may be taken from now on, or not: how long things take depends on it,
 * nothing else. They are allowed in a new tile. */
void tile_allow_shortcuts(struct tile *tile, bool allows);

/* Reports name it so from now on; a new tile is named by the place where it stands. */
void tile_rename(struct tile *tile, unsigned x, unsigned y);

/* The start of the round that holds `time`. */
static inline uint64_t tile_round_start(const struct tile *tile, uint64_t time)
{
    uint64_t quantum = tile->quantum;
    return quantum & (quantum - 1) ? time / quantum * quantum : time & -quantum;
}

/* Runs every agent up to `until`, mostly a multiple of tile->quantum, or until the tile stops (or as
 * returns_early says). */
void tile_run(struct tile *tile, uint64_t until);

/* A tile that an observer has stopped goes on where it was, as if it had not been stopped (but
 * under --schedule random, whose choices are made anew). */
void tile_go_on(struct tile *tile);

/* The earliest time at which the tile has something to do: tile->now when an agent is awake,
 * UINT64_MAX when all sleep until something outside changes. */
uint64_t tile_next_event(struct tile *tile);

/* A tile that slept and was not visited comes to the time `now`: what is about to happen to it
 * happens then. */
void tile_catch_up(struct tile *tile, uint64_t now);

/* Something that others can see changed at tile time `cycle`. */
void tile_event(struct tile *tile, uint64_t cycle);

/* Does [address, address + size) touch the span, or does nobody know? A `last` of 0 is above all
 * addresses here. */
static inline bool tile_span_touches(const struct tile_span *span, uint32_t address, uint32_t size)
{
    return (span->first < address + size) & (address - 1 <= span->last - 1);
}

/* A hart begins to poll registers in `span`, or ends (TILE_SPAN_NONE). */
void tile_polls(struct tile *tile, enum rv32_core core, struct tile_span span);

/* As tile_event where nothing but registers that sleeping harts may poll has changed: costs nobody
 * anything when no hart polls [address, address + size). */
void tile_polled_changed(struct tile *tile, uint32_t address, uint32_t size, uint64_t cycle);
static inline void tile_registers_changed(struct tile *tile, uint32_t address, uint32_t size,
                                          uint64_t cycle)
{
    if (tile_span_touches(&tile->polled_by_any, address, size)) {
        tile_polled_changed(tile, address, size, cycle);
    }
}

/* The burst under way ends with its round: others have something to do then. */
void tile_end_round(struct tile *tile, uint64_t cycle);

/* What the hart that runs has just done at `cycle` may be what `core` is blocked in an access for:
 * if so that one goes on at this time, and before the other, whose turn ends behind this
 * instruction. Call it beside tile_event. */
void tile_release(struct tile *tile, enum rv32_core core, uint64_t cycle);

/* True when B or NC would take an interrupt now. */
static inline bool tile_interrupt_pending(const struct tile *tile, enum rv32_core core)
{
    return !tile->hart[core].in_handler && pic_pending(&tile->pic, core);
}

/* Plain memory in L1 was written by anything but a hart's own fast path: forgets decoded code and
 * wakes harts that poll there. Call after the write. */
void tile_l1_written(struct tile *tile, uint32_t address, uint32_t size, uint64_t cycle);

/* Where a hart fetches the word at `pc` from: L1 or its instruction RAM. NULL: nothing is there. */
uint8_t *tile_code_at(const struct tile *tile, enum rv32_core core, uint32_t pc);

/* Bytes of a hart's instruction RAM were written, counted from its begin; call after the write. */
void tile_iram_written(struct tile *tile, enum rv32_core core, uint32_t offset, uint32_t size);

/* Writes plain memory in L1, with all that follows from it. */
void tile_l1_write(struct tile *tile, uint32_t address, const void *bytes, uint32_t size,
                   uint64_t cycle);

/* The bit of SOFT_RESET_0 that holds a hart, 0 for one that the tile does not have. */
uint32_t tile_reset_bit(const struct tile *tile, enum rv32_core core);

/* All of them. */
uint32_t tile_reset_bits(const struct tile *tile);

/* Applies a write of SOFT_RESET_0 (tile/reset.c). `old` is the value before. */
void tile_soft_reset(struct tile *tile, uint32_t old, uint32_t value, uint64_t cycle);

/* The reset of a whole tile, as after power-on: harts are held, everything but L1, local RAM and
 * packets that are under way is as tile_create leaves it. Not while a hart runs. */
void tile_reset(struct tile *tile, uint64_t cycle);

/* Zeros L1. */
void tile_wipe_l1(struct tile *tile, uint64_t cycle);

/* A sleeping hart is made ready, with the state that it has at `time` (at the earliest, when it
 * fell asleep). */
void tile_wake_at(struct tile *tile, enum rv32_core core, uint64_t time);

/* Wakes a hart at tile->now. Harts that do not sleep are left alone. */
void tile_wake(struct tile *tile, enum rv32_core core);

/* Pauses or resumes a hart for a debugger. */
void tile_pause(struct tile *tile, enum rv32_core core);
void tile_resume(struct tile *tile, enum rv32_core core, uint64_t cycle);

/* Accesses like `access`, one behind the other, to `size` bytes from its address + *done on; *done
 * tells how many bytes were transferred, and *rule what an access that failed says. */
enum answer tile_access_bytes(struct tile *tile, struct mmio_access access, void *bytes,
                              size_t size, uint32_t *done, const char **rule);

/* The NoC's (and the host's) plain access of `size` bytes; memory in bulk, registers word by word.
 * ANSWER_WAIT is answered as hardware would answer a NoC request: by waiting; here the caller
 * retries later. *done tells how many bytes were transferred. */
enum answer tile_noc_access(struct tile *tile, enum mmio_operation operation, uint32_t address,
                            void *bytes, uint32_t size, uint64_t cycle, uint32_t *done,
                            const char **rule);

#endif
