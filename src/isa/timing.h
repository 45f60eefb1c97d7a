/*
 * What things cost: the policy of a run, and the one mechanism for what several share.
 *
 * Whoever takes time asks the `struct timing` of its chip. A functional run has none (NULL): it
 * answers 1 cycle for everything, and nothing waits for a resource. A timed run answers what the
 * chip's tables say. Nothing but that pointer differs between the two.
 *
 * A resource is a unit, a port, a link or a bank: something that serves one request after the other
 * at a rate. Requests are served in the order in which they come. So whoever asks must ask in the
 * order of time, and of the canonical order where times are equal. A request waits behind all
 * earlier ones, and no request overtakes another. That gives the throughput of fair sharing. Only
 * requests that overlap differ: the earlier one is done sooner than with turns.
 */
#ifndef ISA_TIMING_H
#define ISA_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum timing_cost {
#define CYCLES(token, cycles) TIMING_##token,
#define RATE(token, units)
#include "timing.def"
    TIMING_COSTS
};

enum timing_rate {
#define CYCLES(token, cycles)
#define RATE(token, units) TIMING_##token,
#include "timing.def"
    TIMING_RATES
};

struct rv32_timing;

struct timing {
    uint16_t cycles[TIMING_COSTS];
    uint32_t rate[TIMING_RATES];     /* units a cycle */
    const struct rv32_timing *harts; /* of instructions and loads */
    unsigned free_units; /* of the coprocessor, a bit each, whose instructions take a cycle */
};

/* Cycles of a row of the table. */
static inline unsigned timing_cycles(const struct timing *timing, enum timing_cost cost)
{
    return timing ? timing->cycles[cost] : 1;
}

/* State of a resource; all zero while nobody has asked. */
struct timing_resource {
    uint64_t free_at; /* the first cycle in which it can serve anything more */
    uint64_t used;    /* units that it serves already in that cycle, less than its rate */
};

/* From the first cycle in which something is served to the first in which it has been. */
struct timing_span {
    uint64_t begin, end;
};

/* Could a request be served from `now` on, without waiting? */
static inline bool timing_is_free(const struct timing_resource *resource, uint64_t now)
{
    return resource->free_at <= now;
}

/* Serves `units`, at `rate` of them a cycle, from `now` on or behind what was asked for before. */
static inline struct timing_span timing_serve(struct timing_resource *resource, uint32_t rate,
                                              uint64_t units, uint64_t now)
{
    if (resource->free_at < now) {
        *resource = (struct timing_resource){.free_at = now};
    }
    struct timing_span span = {.begin = resource->free_at};
    uint64_t used = resource->used + units;
    resource->free_at += used / rate;
    resource->used = used % rate;
    span.end = resource->free_at + (resource->used != 0);
    return span;
}

/* Asks a resource whose rate the table has. A functional run serves everything at once. */
static inline struct timing_span timing_ask(const struct timing *timing, enum timing_rate rate,
                                            struct timing_resource *resource, uint64_t units,
                                            uint64_t now)
{
    return timing ? timing_serve(resource, timing->rate[rate], units, now)
                  : (struct timing_span){now, now + 1};
}

#endif
