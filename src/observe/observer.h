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
 * change nothing. An observer may answer true to stop the tile: before the instruction of
 * OBSERVED_STARTS, and right after any other event (in the coprocessor after the instruction that
 * caused it). An observer that lets harts sleep must not do that.
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
    OBSERVED_AGENTS,
};

enum { OBSERVED_NO_THREAD = 3 };

/* How reports call a Tensix instruction that no hart has pushed. */
#define OBSERVED_INJECTED "injected through a debug register, as ARC and hosts do"

struct tile;

struct observed {
    enum observed_kind kind;
    enum observed_agent agent;
    unsigned thread;   /* of the coprocessor, OBSERVED_NO_THREAD: none */
    uint64_t cycle;    /* tile time */
    uint32_t pc, word; /* of the instruction that does it, 0: none; OBSERVED_NOC: that asked for the
                          packet, a request by a hart of `node`, a response by one of this tile */
    uint64_t address;  /* as the tile's harts and NIUs have it, */
    bool is_gddr;      /* or of GDDR behind a DRAM tile */
    uint32_t size;     /* bytes */
    uint32_t value;    /* of accesses of up to 4 bytes by harts */
    uint16_t node;     /* OBSERVED_NOC: the other tile, y * GRID_WIDTH + x */
    uint8_t noc;       /* of packets */
    uint8_t packet;    /* enum noc_kind of packets */
    bool is_multicast; /* of packets that are sent: `node` says nothing */
    uint8_t asker;     /* of packets: the enum observed_agent that has asked for it */
    uint64_t sent;     /* of packets: the cycle in which it left */
    uint64_t back;     /* of packets: where a write's data were at its sender, where those of a read
                          go to; UINT64_MAX: nowhere */
};

struct observer {
    unsigned kinds;  /* that it wants: a bit for each */
    bool lets_sleep; /* it need not be told of each turn of a loop that polls */
    bool (*see)(void *context, struct tile *tile, const struct observed *event);
    /* Does it want to know of this tile? NULL: of all. */
    bool (*wants)(void *context, const struct tile *tile);
    void (*window)(void *context); /* behind each window of the chip; may be NULL */
    void (*free)(void *context);   /* when the chip is destroyed; may be NULL */
    void *context;
    struct observer *next; /* of the chip */
};

#endif
