/*
 * Observers: traces, counts, debuggers, checks.
 *
 * Tiles, coprocessors and NIUs report events through struct observer, and do not know the
 * observers. This header depends on nothing of the project. While a tile has an observer, only the
 * core runs in it. Shortcuts do not run, so they need not report anything. If an observer wants a
 * hart's instructions or data, harts go instruction by instruction, and each of their accesses goes
 * over the bus. Harts that poll then stay awake, unless all such observers let them sleep. A tile
 * without an observer pays nothing.
 *
 * An access to GDDR is reported by the tile through which it goes. A host's access does not create
 * an untouched tile. In that case another tile of the bank reports it, or a tile that exists for
 * this alone.
 *
 * Observers are called in the thread that runs the chip (one thread runs all tiles meanwhile), and
 * change nothing; the one exception is observe/delay. An observer may answer true to stop the tile:
 * before the instruction of OBSERVED_STARTS, and right after any other event (in the coprocessor
 * after the instruction that caused it). An observer that lets harts sleep must not do that.
 */
#ifndef OBSERVE_OBSERVER_H
#define OBSERVE_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

enum observed_kind {
    OBSERVED_STARTS,    /* a hart is about to execute `word` at `pc` */
    OBSERVED_FINISHED,  /* it has; after a wait or a fault it has not */
    OBSERVED_PAUSED,    /* a hart has executed ebreak or ecall */
    OBSERVED_TENSIX,    /* the coprocessor has executed `word`, which `agent` pushed for `thread` */
    OBSERVED_READ,      /* `size` bytes at `address` */
    OBSERVED_WRITTEN,   /* the same */
    OBSERVED_SENT,      /* a packet of `agent` leaves for `node` */
    OBSERVED_DELIVERED, /* a packet of `node` has done what it came for at `address` */
    OBSERVED_WAITS,     /* begins: an access of a hart that nobody answers, or, with a thread, the
                           instruction at its gate */
    OBSERVED_POLLS,     /* begins: a hart sleeps in a loop that reads `size` bytes at `address`
                           (0 bytes: nothing but the clock), perhaps among others */
    OBSERVED_GOES_ON,   /* that ends */
    OBSERVED_STALLS,  /* the instruction at a thread's gate does not start in this cycle. It is told
                           whenever the gate looks at it, so that what it waits for may be asked */
    OBSERVED_UNIT,    /* behind OBSERVED_TENSIX: `work` says what the instruction has read and
                           written, as far as its unit tells */
    OBSERVED_LOADED,  /* a loader or a debugger has written `size` bytes at `address` */
    OBSERVED_EXPANDS, /* the front end of `thread` takes `word`: MOP, MOP_CFG or REPLAY */
    OBSERVED_KINDS,
};

/* The kinds that need every instruction of the harts. */
enum {
    OBSERVED_OF_HARTS = 1 << OBSERVED_STARTS | 1 << OBSERVED_FINISHED | 1 << OBSERVED_PAUSED |
                        1 << OBSERVED_READ | 1 << OBSERVED_WRITTEN,
};

/* The agents of events. */
enum observed_agent {
    OBSERVED_BRISC,
    OBSERVED_TRISC0,
    OBSERVED_TRISC1,
    OBSERVED_TRISC2,
    OBSERVED_NCRISC,
    OBSERVED_NOC, /* a packet, which the tile `node` has asked for */
    OBSERVED_HOST,
    OBSERVED_UNPACKER,
    OBSERVED_PACKER,
    OBSERVED_MOVER,
    OBSERVED_SCALAR_UNIT,
    OBSERVED_ETHERNET, /* a frame, which the tile at the other end of the link has sent */
    OBSERVED_AGENTS,
};

enum { OBSERVED_NO_THREAD = 3 };

/* How reports call a Tensix instruction that no hart has pushed. */
#define OBSERVED_INJECTED "injected through a debug register, as ARC and hosts do"

/* --- What units do --- */

/*
 * Kinds of state that instructions of units read and write, and how pieces of it are counted.
 * Pieces are the smallest that are told: an instruction that writes a part of a piece reads it, too.
 */
enum observed_state {
    OBSERVED_STATE_L1,       /* bytes */
    OBSERVED_STATE_REGISTER, /* bytes of the tile's registers, by their addresses */
    OBSERVED_STATE_DST,      /* physical rows of 16 bits; a row of Dst32b is two of them */
    OBSERVED_STATE_DST_FLAG, /* whether ZEROACC has made a physical row undefined; a row of Dst32b has
                                the flag of its upper halves */
    OBSERVED_STATE_SRC,      /* rows: 128 * (0: SrcA, 1: SrcB) + 64 * bank + row */
    OBSERVED_STATE_SRC_BANK, /* who may use a bank, and its implied format: 2 * (0: SrcA, 1: SrcB) +
                                bank; and from 4 on, the bank that comes next for the unpackers */
    OBSERVED_STATE_LREG,     /* of all lanes */
    OBSERVED_STATE_GPR,      /* 64 * thread + GPR */
    OBSERVED_STATE_CONFIG, /* words of Config[0] and Config[1], as in the harts' window. Words that
                                both share are those of Config[0] */
    OBSERVED_STATE_THREAD_CONFIG, /* words of ThreadConfig, one thread's behind the other's */
    OBSERVED_STATE_SEMAPHORE,
    OBSERVED_STATE_MUTEX,
    OBSERVED_STATE_RWC, /* counters: 4 * thread + (0: SrcA, 1: SrcB, 2: Dst, 3: fidelity) */
    OBSERVED_STATE_ADC, /* a counter and its checkpoint: ((3 * thread + unit) * 2 + channel) * 4
                                + (0 to 3: X, Y, Z, W); units: unpacker 0, unpacker 1, packer */
    OBSERVED_STATE_UNPACKER, /* what an unpacker keeps between instructions, by unpacker */
    OBSERVED_STATE_PACKER,   /* what a packer keeps: open streams, tile position, statistics */
    OBSERVED_STATES
};

/* `count` pieces from `first` on. */
struct observed_touch {
    enum observed_state state;
    bool is_write;
    bool is_late; /* the data come when the instruction has left its unit */
    uint32_t first, count;
};

/* The instruction that changed what another one had waited for. */
struct observed_releaser {
    bool is_known; /* otherwise time has, a hart, or a unit that does not tell everything yet */
    unsigned thread;
    uint32_t pc, word;
    uint64_t cycle;
};

/* An instruction of a unit. It is told when all of it has happened: what it has both read and
 * written is new then. */
struct observed_work {
    unsigned unit, row; /* enum tensix_unit and enum tensix_row of the chip */
    const struct observed_touch *touch;
    unsigned touches;
    unsigned reads, writes; /* kinds of state in the list: a bit for each enum observed_state */
    bool tells_all; /* false: it may have touched more, since its unit does not tell all yet */
    bool continues; /* the list was full: the next event goes on with the same instruction */
    bool is_held;   /* an UNPACR that waits in its unpacker: it continues, too, but later */
    bool goes_on;   /* the rest of such an UNPACR; others of its thread may have come between */
    /* It is under way from the cycle in which it passed its gate on, and over at `end`. In a
     * functional run the two are equal. */
    uint64_t begin, end;
    unsigned waited_for; /* enum tensix_wait, what it waited for last; 0: it has not waited */
    uint32_t waited_detail;
    struct observed_releaser released_by;
};

struct tile;
struct noc_packet;

/* Most events tell of a hart's instruction, and there are many: what they have comes first, and all
 * is small enough to be cleared by some stores. */
struct observed {
    enum observed_kind kind : 8;
    enum observed_agent agent : 8;
    unsigned thread : 8; /* of the coprocessor, OBSERVED_NO_THREAD: none */
    bool is_gddr;        /* `address` is one of GDDR behind a DRAM tile */
    uint32_t size;       /* bytes */
    uint64_t cycle;      /* tile time */
    uint32_t pc, word; /* of the instruction that does it, 0: none; OBSERVED_NOC: that asked for the
                            packet, a request by a hart of `node`, a response by one of this tile;
                            OBSERVED_ETHERNET: that sent the frame, in the other tile */
    uint64_t address;  /* as the tile's harts and NIUs have it */
    uint32_t value;    /* of accesses of up to 4 bytes by harts */
    uint16_t node;     /* OBSERVED_NOC: the other tile, y * GRID_WIDTH + x */
    uint8_t noc;       /* of packets */
    uint8_t packet;    /* enum noc_kind of packets */
    bool is_multicast; /* of packets that are sent: `node` says nothing */
    uint8_t asker;     /* of packets: the enum observed_agent that has asked for it */
    bool is_posted;    /* of packets: nobody answers */
    uint32_t held;     /* of responses: so many cycles the request was in GDDR (timed runs) */
    uint64_t sent;     /* of packets: the cycle in which it left */
    uint64_t back;     /* of packets: where a write's data were at its sender, where those of a read
                          go to; UINT64_MAX: nowhere */
    const struct observed_work *work; /* OBSERVED_UNIT, during the call */
    const struct noc_packet *carried; /* OBSERVED_SENT, during the call: the packet */
};

struct observer {
    unsigned kinds;  /* that it wants: a bit for each */
    bool lets_sleep; /* it need not be told of each turn of a loop that polls */
    /* Of OBSERVED_FINISHED it wants those alone for which it asks by tile_ask (tile/tell.h), when the
     * instruction starts or has accessed something. It may be told of others. */
    bool asks;
    bool (*see)(void *context, struct tile *tile, const struct observed *event);
    /* Does it want to know of this tile? NULL: of all. */
    bool (*wants)(void *context, const struct tile *tile);
    void (*window)(void *context); /* behind each window of the chip; may be NULL */
    void (*free)(void *context);   /* when the chip is destroyed; may be NULL */
    void *context;
    struct observer *next; /* of the chip */
};

#endif
