/*
 * Requests to the NoC as tt-metal's profiler writes them (noc_trace JSON), for tt-npe and
 * ttnn-visualizer. SPEC: tt-npe, the page on the format of NoC traces: a list of objects, sorted by
 * tile, hart and time.
 */
#ifndef CLI_NOC_TRACE_H
#define CLI_NOC_TRACE_H

#include "cli/cli.h"

#include <penrose/trace.h>

struct noc_trace_request {
    struct penrose_trace_route route;
    unsigned noc, agent;
    uint64_t cycle;
    uint32_t bytes;
    const char *type;
};

struct noc_trace {
    struct noc_trace_request *request;
    size_t count, room;
    uint64_t unknown; /* left out: traces of older versions do not have their way */
    bool lacks_memory;
};

void noc_trace_take(struct noc_trace *trace, const struct penrose_trace_event *event);

/* Times begin with the first request. */
enum cli_exit noc_trace_write(struct noc_trace *trace, const char *path, const struct cli *cli);

void noc_trace_free(struct noc_trace *trace);

#endif
