/*
 * Requests of kernels to the NoC, and whether their hart has waited for them.
 *
 * A hart waits by loads of counters of its NIU. A request whose answer had come when the hart looked
 * counts as waited for, whatever the program compared, so that nothing right is reported.
 */
#include "observe/check/check.h"

#include <stdio.h>
#include <string.h>

#include "noc/packet.h"

/* Is the request about any of these bytes? */
static bool is_about(const struct check_request *request, uint32_t address, uint32_t size)
{
    return request->first < address + size && address < request->first + request->size;
}

/* --- What relies on more --- */

static const char *const barrier[] = {
    [CHECK_READ] = "noc_async_read_barrier()",
    [CHECK_WRITE] = "noc_async_writes_flushed()",
    [CHECK_ATOMIC] = "noc_async_atomic_barrier()",
};

/* A request of one of the tile's harts that is about these bytes; NULL: none. */
static struct check_request *find_request(const struct check_scene *scene,
                                          enum check_request_kind kind, uint32_t first,
                                          uint32_t size, unsigned *hart)
{
    for (*hart = 0; *hart < RV32_CORES; ++*hart) {
        struct check_requests *requests = &scene->own->requests[*hart];
        for (unsigned i = 0; i < requests->count; i++) {
            struct check_request *request = &requests->request[i];
            if (request->kind == kind && !request->is_told && is_about(request, first, size)) {
                return request;
            }
        }
    }
    return NULL;
}

/* Reports that the scene's hart uses bytes of a read, or changes those of a write, of `hart`. `what` says
 * how. */
static void report_use(const struct check_scene *scene, struct check_request *request,
                       unsigned hart, uint32_t address, const char *what)
{
    bool is_read = request->kind == CHECK_READ;
    char place[CHECK_PLACE];
    request->is_told = true;
    check_report(scene, is_read ? PENROSE_FAULT_NOC_UNWAITED : PENROSE_FAULT_NOC_SOURCE,
                 scene->hart, scene->event->pc, address,
                 "%s, which the NoC %s of %s %s; %s is missing", what, is_read ? "read" : "write",
                 check_place(scene, hart, request->pc, place), is_read ? "fills" : "sends",
                 barrier[request->kind]);
}

void check_noc_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    bool writes = event->kind == OBSERVED_WRITTEN;
    uint32_t address = (uint32_t)event->address;
    unsigned hart;
    struct check_request *request =
        find_request(scene, writes ? CHECK_WRITE : CHECK_READ, address, event->size, &hart);
    char what[64];
    if (request) {
        snprintf(what, sizeof what, "%s of %u bytes at 0x%x", writes ? "write" : "read",
                 event->size, address);
        report_use(scene, request, hart, address, what);
    }
}

void check_noc_handed(const struct check_scene *scene, enum check_request_kind kind, uint32_t first,
                      uint32_t size, unsigned buffer)
{
    unsigned hart;
    struct check_request *request = find_request(scene, kind, first, size, &hart);
    char what[64];
    if (request && hart == scene->hart) { /* pages of others have their own rules */
        snprintf(what, sizeof what, "%s pages of circular buffer %u",
                 kind == CHECK_READ ? "pushes" : "pops", buffer);
        report_use(scene, request, hart, first, what);
    }
}

/* A NoC write reads the bytes that it sends. */
static void judge_source(const struct check_scene *scene, uint32_t first, uint32_t size)
{
    unsigned hart;
    struct check_request *request = find_request(scene, CHECK_READ, first, size, &hart);
    char what[64];
    if (request) {
        snprintf(what, sizeof what, "a NoC write sends bytes at 0x%x", first);
        report_use(scene, request, hart, first, what);
    }
}

/* --- Their life --- */

void check_noc_sent(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_requests *requests = &scene->own->requests[scene->hart];
    static const enum check_request_kind kinds[] = {
        [NOC_READ] = CHECK_READ, [NOC_WRITE] = CHECK_WRITE, [NOC_ATOMIC] = CHECK_ATOMIC};
    if (event->packet > NOC_ATOMIC || requests->count == CHECK_REQUESTS ||
        (event->packet != NOC_WRITE && event->is_posted)) {
        return; /* nobody can wait for an atomic without an answer */
    }
    struct check_request request = {
        .kind = kinds[event->packet], .noc = event->noc, .pc = event->pc};
    if (event->back < scene->tile->kind->l1_bytes) {
        request.first = (uint32_t)event->back;
        request.size = event->size;
    }
    if (request.kind == CHECK_WRITE && !request.size) {
        return; /* its data were in the request */
    }
    if (request.kind == CHECK_WRITE) {
        judge_source(scene, request.first, request.size);
    }
    requests->request[requests->count++] = request;
}

/* Answers to writes and atomics come in the order of their requests. */
static bool is_answer_to(const struct observed *event, const struct check_request *request)
{
    switch (event->packet) {
    case NOC_READ_RESPONSE:
        return request->kind == CHECK_READ && request->first == event->address;
    case NOC_WRITE_ACK:
        return request->kind == CHECK_WRITE;
    default:
        return request->kind == CHECK_ATOMIC;
    }
}

void check_noc_answered(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_requests *requests = &scene->own->requests[scene->hart];
    for (unsigned i = 0; i < requests->count && event->packet > NOC_ATOMIC; i++) {
        struct check_request *request = &requests->request[i];
        if (!request->is_answered && request->noc == event->noc && is_answer_to(event, request)) {
            request->is_answered = true;
            return;
        }
    }
}

/* Does a look at the counter tell the hart that the request is over, or a write's data have left? */
static bool is_waited_for(const struct check_request *request, unsigned noc, unsigned counter)
{
    bool is_of_id = counter >= NIU_COUNT_REQS_OUTSTANDING;
    if (request->noc != noc) {
        return false;
    }
    switch (request->kind) {
    case CHECK_READ:
        return request->is_answered && (counter == NIU_MST_RD_RESP_RECEIVED || is_of_id);
    case CHECK_WRITE:
        return counter == NIU_MST_NONPOSTED_WR_REQ_SENT || counter == NIU_MST_POSTED_WR_REQ_SENT ||
               (request->is_answered && counter == NIU_MST_WR_ACK_RECEIVED) || is_of_id;
    case CHECK_ATOMIC:
        return request->is_answered && (counter == NIU_MST_ATOMIC_RESP_RECEIVED || is_of_id);
    }
    return false;
}

void check_noc_looked(const struct check_scene *scene)
{
    uint32_t in_range = (uint32_t)scene->event->address - AT_NIU;
    unsigned counter = (in_range % STEP_NIU - NIU_COUNTERS) / 4;
    struct check_requests *requests = &scene->own->requests[scene->hart];
    unsigned kept = 0;
    if (in_range % STEP_NIU < NIU_COUNTERS || counter >= NIU_COUNTER_COUNT) {
        return;
    }
    for (unsigned i = 0; i < requests->count; i++) {
        if (!is_waited_for(&requests->request[i], in_range / STEP_NIU, counter)) {
            requests->request[kept++] = requests->request[i];
        }
    }
    requests->count = kept;
}

/* --- The end --- */

void check_noc_ended(const struct check_scene *scene)
{
    struct check_requests *requests = &scene->own->requests[scene->hart];
    for (unsigned i = 0; i < requests->count; i++) {
        const struct check_request *request = &requests->request[i];
        static const char *const names[] = {"read", "write", "atomic"};
        if (!request->is_told) {
            check_report(scene, PENROSE_FAULT_NOC_OPEN, scene->hart, request->pc, request->first,
                         "the kernel ends and has not waited for this NoC %s; %s is missing",
                         names[request->kind], barrier[request->kind]);
        }
    }
    requests->count = 0;
}
