/* Reads a trace in its binary form (docs/DUMPS.md). */
#ifndef OBSERVE_TRACE_READER_H
#define OBSERVE_TRACE_READER_H

#include <penrose/error.h>
#include <penrose/trace.h>

struct trace_reading {
    void (*take)(void *context, const struct penrose_trace_event *event);
    void *context;
    uint64_t events; /* that were read; those that the filter does not take included */
    bool is_cut;     /* the file ends in the middle of a block: what was before it has been read */
    uint64_t blocks, damaged;    /* that were read; that could not be: the others have been */
    struct penrose_error damage; /* what the first of them has */
};

/*
 * Calls `take` with the events of a file that pass the filter, in the order in which they stand
 * there. What their strings point to lives until the function returns. PENROSE_E_FILE,
 * PENROSE_E_MEMORY, PENROSE_E_ARGUMENT for a wrong filter; PENROSE_E_FORMAT where the file is no trace,
 * of another version, or no block of it can be read. A damaged block costs only itself.
 */
enum penrose_status trace_read(const char *path, const char *filter, struct trace_reading *reading,
                               struct penrose_error *error);

/* Reads a trace from bytes in memory. */
enum penrose_status trace_read_bytes(const void *bytes, size_t size, const char *filter,
                                     struct trace_reading *reading, struct penrose_error *error);

#endif
