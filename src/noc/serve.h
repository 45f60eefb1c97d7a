/*
 * The receiving side of an NIU: requests that arrive at a place, and responses that come back.
 * SPEC: BlackholeA0 NoC/MemoryMap, Counters, Atomics; WormholeB0 NoC/Alignment.
 */
#ifndef NOC_SERVE_H
#define NOC_SERVE_H

#include <penrose/penrose.h>

#include "isa/answer.h"
#include "noc/niu.h"
#include "noc/packet.h"

/* What a kind of receiver does for packets. `owner` is the receiver. */
struct noc_target_kind {
    bool has_registers; /* addresses from AT_NOC_REGISTERS to 2^32 take words only */
    enum answer (*access)(void *owner, bool writes, uint64_t address, void *bytes, uint32_t size,
                          uint64_t cycle, const char **rule);
    /* 16 bytes of L1 for an atomic operation, NULL where there are none; and after it. */
    uint8_t *(*line)(void *owner, uint64_t address);
    void (*line_written)(void *owner, uint64_t address, uint64_t cycle);
    /* The packet is for an overlay stream too. */
    void (*deliver)(void *owner, const struct noc_packet *packet, uint64_t cycle);
    /* Takes a response that leaves. */
    void (*send)(void *owner, struct noc_packet *packet, uint64_t cycle);
    /* Something here changed that software can see (counters). */
    void (*changed)(void *owner, unsigned noc, uint64_t cycle);
    /* The packet's request broke a rule. False: it is dropped without a response; true: a policy
     * lets it pass, and what the hardware would do is done as far as that is known. */
    bool (*fault)(void *owner, const struct noc_packet *packet, enum penrose_fault_kind kind,
                  const char *text);
};

/* What lies behind an NIU. */
struct noc_target {
    const struct noc_target_kind *kind;
    void *owner;
    struct noc_pool *pool;
    struct niu *niu;        /* NULL: nobody looks at its counters */
    const uint32_t *config; /* NIU_CFG_0, by which header stores are dropped; NULL: they are not */
    const char *name;       /* "tile (1, 2)", for reports */
    uint64_t registers_again; /* registers are also where they are plus this; 0: they are not */
    uint16_t here;
    /* Source and destination of a read from here, or of a write to here, are congruent modulo this;
     * 1: no rule. */
    uint8_t read_alignment, write_alignment;
};

/* Takes a packet that has arrived, and with it its memory, unless the answer is false: then it must
 * wait, nothing has happened and the caller tries again later. */
bool noc_serve(const struct noc_target *target, struct noc_packet *packet, uint64_t cycle);

/* What the response to a packet does at `target`, which is where it goes back to, at once: `bytes`
 * are what a read finds, the packet->size of them. The packet stays the caller's. False: it must
 * wait or is refused, and nothing has happened. */
bool noc_answer(const struct noc_target *target, const struct noc_packet *packet,
                const uint8_t *bytes, uint64_t cycle);

#endif
