/* Two Ethernet subsystems and the wire between them: a queue of frames that takes time, and that
 * may lose or damage some. Each end has L1 and a log of the MMIO writes and faults that it saw. */
#ifndef ETH_WIRE_H
#define ETH_WIRE_H

#include "eth/eth.h"

enum { WIRE_L1_BYTES = 512 * 1024, WIRE_LOG = 4096 };

struct wire_write {
    uint32_t address, value;
};

struct wire_end {
    struct eth eth;
    struct wire *wire;
    uint8_t l1[WIRE_L1_BYTES];
    struct wire_write mmio[WIRE_LOG];
    unsigned mmio_writes, faults, changes, l1_writes, overlays;
    uint32_t pc; /* of the latest frame that wrote */
    uint32_t overlay_bytes;
    char fault[ETH_RULE_BYTES];
    struct eth_frame last; /* that it transmitted */
    unsigned frames;
};

struct wire_frame {
    struct wire_frame *next;
    uint64_t arrives;
    struct wire_end *to;
    struct eth_frame frame;
};

struct wire {
    struct wire_end end[2];
    struct wire_frame *first, **last;
    uint64_t now, latency, random;
    unsigned lost_per_1000, damaged_per_1000;
    bool holds; /* frames are kept back for the test to look at, and not delivered */
};

/* One for all tests of a program; wire_open brings it to reset, with the link up. */
extern struct wire wire;
void wire_open(void);
void wire_close(void);

/* Runs until nothing is under way and nothing is due, or until `limit` events have happened;
 * returns whether it came to rest. */
bool wire_run(unsigned limit);

uint32_t wire_random(void);
uint32_t wire_below(uint32_t limit);

/* Registers of an end, by their address in the tile; accesses must be accepted. */
uint32_t wire_get(struct wire_end *end, uint32_t address);
void wire_set(struct wire_end *end, uint32_t address, uint32_t value);
/* A write that must be refused, with a text that contains `words`. */
void wire_refused(struct wire_end *end, uint32_t address, uint32_t value, const char *words);

#endif
