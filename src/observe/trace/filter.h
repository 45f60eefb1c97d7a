/* Filters of traces; the grammar is in penrose/trace.h. */
#ifndef OBSERVE_TRACE_FILTER_H
#define OBSERVE_TRACE_FILTER_H

#include <penrose/trace.h>

enum { TRACE_FILTER_ROOM = 16, TRACE_FUNCTION_BYTES = 128 };

struct trace_range {
    uint64_t first, last;
};

struct trace_ranges {
    struct trace_range range[TRACE_FILTER_ROOM];
    unsigned count; /* 0: all numbers pass */
};

struct trace_filter {
    struct {
        struct trace_range x, y;
    } tile[TRACE_FILTER_ROOM];
    unsigned tiles;
    unsigned agents, threads, kinds; /* a bit each; 0: all */
    struct trace_ranges cycle, pc, address;
    char function[TRACE_FILTER_ROOM][TRACE_FUNCTION_BYTES];
    unsigned functions;
};

/* NULL is the empty filter. PENROSE_E_ARGUMENT says which word is wrong, and what it may be. */
enum penrose_status trace_filter_parse(const char *text, struct trace_filter *filter,
                                       struct penrose_error *error);

bool trace_filter_takes_tile(const struct trace_filter *filter, unsigned x, unsigned y);
bool trace_filter_takes(const struct trace_filter *filter, const struct penrose_trace_event *event);

/* May an event between these cycles pass? */
bool trace_filter_takes_cycles(const struct trace_filter *filter, uint64_t first, uint64_t last);

/* "instruction" and so on; NULL out of range. */
const char *trace_kind_name(enum penrose_trace_kind kind);

#endif
