/* See noc_trace.h. */
#include "cli/noc_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "host/array.h"

static const char *const procs[] = {[PENROSE_BRISC] = "BRISC",
                                    [PENROSE_TRISC0] = "TRISC_0",
                                    [PENROSE_TRISC1] = "TRISC_1",
                                    [PENROSE_TRISC2] = "TRISC_2",
                                    [PENROSE_NCRISC] = "NCRISC"};

/* What the vendor calls a request; NULL: it has no name. */
static const char *type_of(const char *what)
{
    static const char *const types[][2] = {{"read", "READ"},
                                           {"write", "WRITE_"},
                                           {"atomic", "SEMAPHORE_INC"},
                                           {"multicast write", "WRITE_MULTICAST"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i][0], what) == 0) {
            return types[i][1];
        }
    }
    return NULL;
}

void noc_trace_take(struct noc_trace *trace, const struct penrose_trace_event *event)
{
    bool is_request = event->kind == PENROSE_TRACE_NOC && event->begins &&
                      (unsigned)event->agent < sizeof procs / sizeof procs[0];
    const char *type = is_request ? type_of(event->what) : NULL;
    trace->unknown += type && !event->route.is_known;
    if (!type || !event->route.is_known) {
        return;
    }
    if (!array_grow(&trace->request, trace->count, &trace->room, sizeof *trace->request)) {
        trace->lacks_memory = true;
        return;
    }
    trace->request[trace->count++] = (struct noc_trace_request){.route = event->route,
                                                                .noc = event->noc,
                                                                .agent = event->agent,
                                                                .cycle = event->cycle,
                                                                .bytes = event->size,
                                                                .type = type};
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_requests(const void *first, const void *second)
{
    const struct noc_trace_request *a = first, *b = second;
    int order = compare_numbers(a->route.from_x, b->route.from_x);
    order = order ? order : compare_numbers(a->route.from_y, b->route.from_y);
    order = order ? order : compare_numbers(a->agent, b->agent);
    return order ? order : compare_numbers(a->cycle, b->cycle);
}

/* The rectangle of a multicast, or the other end. */
static void print_target(const struct penrose_trace_route *route, FILE *file)
{
    if (route->is_multicast) {
        fprintf(file,
                "\"mcast_start_x\": %u, \"mcast_start_y\": %u, \"mcast_end_x\": %u, "
                "\"mcast_end_y\": %u",
                route->to_x, route->to_y, route->last_x, route->last_y);
    } else {
        fprintf(file, "\"dx\": %u, \"dy\": %u", route->to_x, route->to_y);
    }
}

static void print_requests(const struct noc_trace *trace, FILE *file)
{
    uint64_t begin = UINT64_MAX;
    for (size_t i = 0; i < trace->count; i++) {
        begin = trace->request[i].cycle < begin ? trace->request[i].cycle : begin;
    }
    fputs("[", file);
    for (size_t i = 0; i < trace->count; i++) {
        const struct noc_trace_request *request = &trace->request[i];
        fprintf(file,
                "%s\n{\"proc\": \"%s\", \"noc\": \"NOC_%u\", \"vc\": -1, \"sx\": %u, \"sy\": %u, ",
                i ? "," : "", procs[request->agent], request->noc, request->route.from_x,
                request->route.from_y);
        print_target(&request->route, file);
        fprintf(file, ", \"type\": \"%s\", \"num_bytes\": %" PRIu32 ", \"timestamp\": %" PRIu64 "}",
                request->type, request->bytes, request->cycle - begin);
    }
    fputs("\n]\n", file);
}

enum cli_exit noc_trace_write(struct noc_trace *trace, const char *path, const struct cli *cli)
{
    if (trace->lacks_memory) {
        return complain(cli, "no memory for requests to the NoC");
    }
    if (trace->count > 0) {
        qsort(trace->request, trace->count, sizeof *trace->request, compare_requests);
    }
    FILE *file = fopen(path, "we");
    bool is_written = file != NULL;
    if (file) {
        print_requests(trace, file);
        is_written = !ferror(file);
        is_written &= fclose(file) == 0;
    }
    if (!is_written) {
        return complain(cli, "--noc-trace: cannot write %s: %s", path, strerror(errno));
    }
    if (trace->unknown) {
        note("%" PRIu64 " requests are left out, since traces of older versions do not have their "
             "way",
             trace->unknown);
    }
    return CLI_DONE;
}

void noc_trace_free(struct noc_trace *trace)
{
    free(trace->request);
}
