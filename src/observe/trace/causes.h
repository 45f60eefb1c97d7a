/*
 * Who makes a hart's wait end: what happens in its tile while it waits, and touches what it waits for.
 *
 * A hart that polls L1 or a register goes on when somebody has written there. A response ends a wait
 * for a counter that it changes, and what has caused it is the request of a hart of the tile. A request
 * that leaves ends a wait for a counter of what was sent, and one for a command buffer. What waits for
 * the coprocessor, for room in a thread's queue or for a mailbox has one possible cause. Threads of the
 * coprocessor tell themselves who has released them (struct observed_releaser).
 */
#ifndef OBSERVE_TRACE_CAUSES_H
#define OBSERVE_TRACE_CAUSES_H

#include "chip/chip.h"

enum { TRACE_REQUESTS = 256 }; /* that are remembered; more may be under way */

/* A place that has touched what the hart waits for. */
struct trace_cause {
    bool is_known;
    uint16_t node; /* of its tile */
    enum observed_agent agent;
    unsigned thread; /* OBSERVED_NO_THREAD: none */
    uint64_t cycle;
    const char *what; /* "read response from DRAM" */
    uint32_t held;    /* so many cycles GDDR had the request that was answered */
};

/* A request of the tile that has not been answered, as far as is known. */
struct trace_request {
    uint64_t cycle;
    uint64_t left; /* its NIU: where requests stand in a queue, that is later */
    uint16_t node; /* that is asked */
    uint8_t noc, packet, asker;
    uint8_t transaction;          /* its id */
    bool is_multicast, is_posted; /* nobody answers one that is posted */
};

/* Of a tile. All 0 at first. */
struct trace_causes {
    struct trace_awaited {
        uint64_t address;
        uint32_t size; /* 0: the hart waits for nothing that somebody may touch */
        struct trace_cause cause;
    } hart[RV32_CORES];
    struct trace_request request[TRACE_REQUESTS]; /* the oldest first */
    unsigned requests;
};

/* The kinds that it has to see, for a wait of a hart from its begin to its end. */
enum {
    TRACE_CAUSE_KINDS = 1 << OBSERVED_WAITS | 1 << OBSERVED_POLLS | 1 << OBSERVED_GOES_ON |
                        1 << OBSERVED_WRITTEN | 1 << OBSERVED_SENT | 1 << OBSERVED_DELIVERED,
};

/* `sender` is that of the tile `node` of a packet. */
void trace_causes_see(struct trace_causes *causes, const struct penrose_chip *chip,
                      const struct tile *tile, const struct observed *seen,
                      const struct trace_causes *sender);

/* The cycle in which the sender asked for a packet that comes. */
uint64_t trace_causes_asked(const struct trace_causes *sender, const struct observed *seen);

/* Of the wait that ends with this event, after trace_causes_see; forgets it. */
struct trace_cause trace_causes_take(struct trace_causes *causes, const struct tile *tile,
                                     const struct observed *seen);

#endif
