/*
 * The binary form of a trace (docs/DUMPS.md), for its writer and its reader.
 *
 * A file is a row of blocks, each of which can be read by itself: a header and a zstd frame of
 * records. A record begins with 16 bits: a kind, and a bit for each number that is not what is
 * predicted; those numbers follow, as differences from the prediction.
 */
#ifndef OBSERVE_TRACE_RECORD_H
#define OBSERVE_TRACE_RECORD_H

#include <penrose/trace.h>

enum {
    TRACE_VERSION = 3,           /* 1 had no calls, 2 no kernels and no causes */
    TRACE_BLOCK_BYTES = 1 << 20, /* of records, at most */
    TRACE_HEADER_BYTES = 40,
    TRACE_NAME_BYTES = 1 << 14,                /* of a string, at most */
    TRACE_RECORD_BYTES = 6 * TRACE_NAME_BYTES, /* of an event with what it defines, at most */
    TRACE_KIND_BITS = 3,
    TRACE_DEFINITION = PENROSE_TRACE_KINDS, /* the kind of records that define something */
    TRACE_REGISTERS = 64,                   /* of X and F */
    TRACE_NO_REGISTER = 255,
};

/* Times of events are no later: a sum of two of them is a cycle, too. */
#define TRACE_LAST_CYCLE ((UINT64_C(1) << 62) - 1)

#define TRACE_MAGIC "PNRSTRC" /* and a 0 */

/* What a definition defines. */
enum trace_definition {
    TRACE_NAME,
    TRACE_STREAM,
    TRACE_CODE,
    TRACE_CALLS,
    TRACE_KERNEL,
    TRACE_DEFINITIONS
};

/* The numbers of an event. Names, streams and codes are numbered from 0 in the order of their
 * definitions; name 0 is empty, code 0 nothing. */
enum trace_number {
    TRACE_N_STREAM,
    TRACE_N_CYCLE,
    TRACE_N_CODE,
    TRACE_N_FLAGS,
    TRACE_N_RESULT,
    TRACE_N_ADDRESS,
    TRACE_N_SIZE,
    TRACE_N_VALUE,
    TRACE_N_PEER,
    TRACE_N_WAITED,
    TRACE_N_WHAT,
    TRACE_N_CAUSE,  /* who: see trace_pack_cause; 0: nobody */
    TRACE_N_CAUSED, /* so many cycles before */
    TRACE_NUMBERS,
};

_Static_assert(TRACE_DEFINITION < 1 << TRACE_KIND_BITS && TRACE_KIND_BITS + TRACE_NUMBERS <= 16,
               "a head of 16 bits has a kind and a bit for each number");

enum { TRACE_BEGINS = 1, TRACE_NOC = 2 };

/* What is predicted in a stream, which is what one agent of a tile does, by itself or for one thread
 * of the coprocessor. */
struct trace_stream {
    unsigned x, y, agent;
    int thread;
    uint64_t name;
    uint64_t code;
    uint64_t latest[PENROSE_TRACE_KINDS][TRACE_NUMBERS];
    uint64_t result[TRACE_REGISTERS];
};

/* Where the prediction of a number is; those of stream, cycle and code are the caller's. */
static inline uint64_t *trace_prediction(struct trace_stream *stream, unsigned kind,
                                         enum trace_number number, unsigned result)
{
    return number == TRACE_N_RESULT && result < TRACE_REGISTERS ? &stream->result[result]
                                                                : &stream->latest[kind][number];
}

/* The tile, agent and thread of a cause in a number, and back. */
static inline uint64_t trace_pack_cause(const struct penrose_trace_cause *cause)
{
    return cause->is_known
               ? 1 + (cause->x | (uint64_t)cause->y << 8 | (uint64_t)cause->agent << 16 |
                      (uint64_t)(cause->thread + 1) << 24)
               : 0;
}

static inline struct penrose_trace_cause trace_unpack_cause(uint64_t number, uint64_t cycle)
{
    const uint64_t packed = number ? number - 1 : 0;
    return (struct penrose_trace_cause){.is_known = number != 0,
                                        .x = packed & 0xff,
                                        .y = packed >> 8 & 0xff,
                                        .agent = (enum penrose_agent)(packed >> 16 & 0xff),
                                        .thread = (int)(packed >> 24 & 3) - 1,
                                        .cycle = number ? cycle : 0};
}

/* The route of a packet in a number, and back; 0: it is not known. */
static inline uint64_t trace_pack_route(const struct penrose_trace_route *route)
{
    return route->is_known
               ? 1 | (uint64_t)route->is_multicast << 1 | (uint64_t)route->is_y_major << 2 |
                     (uint64_t)route->from_x << 8 | (uint64_t)route->from_y << 16 |
                     (uint64_t)route->to_x << 24 | (uint64_t)route->to_y << 32 |
                     (uint64_t)route->last_x << 40 | (uint64_t)route->last_y << 48
               : 0;
}

static inline struct penrose_trace_route trace_unpack_route(uint64_t number)
{
    return (struct penrose_trace_route){.is_known = number & 1,
                                        .is_multicast = number >> 1 & 1,
                                        .is_y_major = number >> 2 & 1,
                                        .from_x = number >> 8 & 0xff,
                                        .from_y = number >> 16 & 0xff,
                                        .to_x = number >> 24 & 0xff,
                                        .to_y = number >> 32 & 0xff,
                                        .last_x = number >> 40 & 0xff,
                                        .last_y = number >> 48 & 0xff};
}

static inline uint64_t trace_zigzag(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t trace_unzigzag(uint64_t value)
{
    return value >> 1 ^ -(value & 1);
}

#endif
