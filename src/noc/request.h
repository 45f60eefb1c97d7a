/* The initiating side of an NIU: requests that software starts by writing NOC_CMD_CTRL. SPEC:
 * BlackholeA0 NoC/MemoryMap (request initiators) and Counters. */
#ifndef NOC_REQUEST_H
#define NOC_REQUEST_H

#include <penrose/penrose.h>

#include "noc/niu.h"
#include "noc/packet.h"

/* What an NIU needs of the tile that it is in. */
struct noc_initiator {
    void *owner;
    struct noc_pool *pool;
    uint16_t here; /* the tile's place */
    uint8_t noc;
    uint8_t agent; /* that makes the request, for reports */
    uint32_t pc;
    uint8_t sender;        /* 0: a request initiator, else 1 + the overlay's stream */
    bool is_base_firmware; /* of an Ethernet tile: its inline writes may go to L1 */
    /* Reads the tile's own address space, the source of a write; NULL or the broken rule. A stream
     * needs none. */
    const char *(*fetch)(void *owner, uint64_t address, uint8_t *bytes, uint32_t size,
                         uint64_t cycle);
    /* Takes a packet that leaves; a multicast has not been spread yet. */
    void (*send)(void *owner, struct noc_packet *packet, uint64_t cycle);
    bool counts_data; /* it counts the data of writes when they have been read */
    /* The request breaks a rule. False: it is dropped; true: a policy lets it pass. */
    bool (*fault)(void *owner, enum penrose_fault_kind kind, const char *text, uint64_t cycle);
};

/*
 * A request is accepted and departs, which may be later. It is the first NIU_REQUEST_WORDS words of
 * a command buffer, or words like those; who lets it wait keeps a copy, so that what departs is what
 * was accepted. False: it broke a rule and was dropped.
 */
bool noc_request_accept(struct niu *niu, const uint32_t *word, uint64_t cycle,
                        const struct noc_initiator *by);

/* Takes a request that was accepted into the NIU's transaction, which noc_request_accept does at
 * once unless somebody else's is open (noc/transaction.h). False: it broke a rule, was dropped. */
bool noc_request_join(struct niu *niu, const uint32_t *word, uint64_t cycle,
                      const struct noc_initiator *by);

/* Sends a posted write of an overlay stream, which has its data, and takes the packet. `high` names
 * the receiver in software's coordinates, as the top of NOC_RET_ADDR does. A packet that breaks a rule is
 * dropped, unless a policy lets it pass. */
void noc_request_packet(struct niu *niu, uint32_t high, struct noc_packet *packet, uint64_t cycle,
                        const struct noc_initiator *by);

/* The data of a write have been read from the sender's memory: what that counts. */
void noc_request_count_data(struct niu *niu, const struct noc_packet *packet);

/* Returns how many bytes went in packets before the last one. */
uint32_t noc_request_depart(struct niu *niu, const uint32_t *word, uint64_t cycle,
                            const struct noc_initiator *by);

/* Where in its tile the result of the atomic goes that the words of a request say; UINT64_MAX: they say none. */
uint64_t noc_request_result(const uint32_t *word);

/* Moves words on by what has gone. SPEC: Counters, automatic request splitting: the registers move
 * on with each packet but the last. */
void noc_request_move(uint32_t *word, uint32_t bytes);

/* Does the write or atomic, given or not, go to an address of a place? */
bool noc_request_reaches(struct niu *niu, unsigned noc, const uint32_t *word, uint16_t place,
                         uint64_t address);

/* Is a place among the receivers of a multicast on a NoC? */
bool noc_span_has(const struct noc_span *span, unsigned noc, uint16_t place);

#endif
