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
    TRACE_VERSION = 2,           /* 1 had no calls */
    TRACE_BLOCK_BYTES = 1 << 20, /* of records, at most */
    TRACE_HEADER_BYTES = 40,
    TRACE_NAME_BYTES = 1 << 14,                /* of a string, at most */
    TRACE_RECORD_BYTES = 6 * TRACE_NAME_BYTES, /* of an event with what it defines, at most */
    TRACE_KIND_BITS = 3,
    TRACE_DEFINITION = PENROSE_TRACE_KINDS, /* the kind of records that define something */
    TRACE_REGISTERS = 64,                   /* of X and F */
    TRACE_NO_REGISTER = 255,
};

#define TRACE_MAGIC "PNRSTRC" /* and a 0 */

/* What a definition defines. */
enum trace_definition { TRACE_NAME, TRACE_STREAM, TRACE_CODE, TRACE_CALLS, TRACE_DEFINITIONS };

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
    TRACE_NUMBERS,
};

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

static inline uint64_t trace_zigzag(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t trace_unzigzag(uint64_t value)
{
    return value >> 1 ^ -(value & 1);
}

#endif
