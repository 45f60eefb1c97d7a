#include "observe/trace/causes.h"

#include <string.h>

#include "addresses.h"
#include "noc/kind.h"
#include "noc/niu.h"
#include "noc/packet.h"

/* --- Requests --- */

static const struct trace_request *note_request(struct trace_causes *causes,
                                                const struct observed *seen)
{
    if (causes->requests == TRACE_REQUESTS) {
        memmove(causes->request, causes->request + 1, --causes->requests * sizeof *causes->request);
    }
    struct trace_request *request = &causes->request[causes->requests++];
    *request = (struct trace_request){
        .cycle = seen->cycle,
        .left = seen->sent,
        .node = seen->node,
        .noc = seen->noc,
        .packet = seen->packet,
        .asker = seen->asker,
        .transaction = seen->carried ? (uint8_t)noc_transaction(seen->carried) : 0,
        .is_multicast = seen->is_multicast,
        .is_posted = seen->is_posted && seen->packet != NOC_READ};
    return request;
}

static bool may_be_answer(const struct observed *response, const struct trace_request *request)
{
    return request->noc == response->noc && !request->is_posted &&
           request->packet == response->packet - NOC_READ_RESPONSE + NOC_READ;
}

/* The oldest request to that tile that the response may answer; otherwise the latest multicast, which has
 * many responses. NULL: none is remembered. */
static const struct trace_request *find_request(const struct trace_causes *causes,
                                                const struct observed *response)
{
    const struct trace_request *multicast = NULL;
    for (unsigned i = 0; i < causes->requests; i++) {
        const struct trace_request *request = &causes->request[i];
        if (!may_be_answer(response, request)) {
            continue;
        }
        if (!request->is_multicast && request->node == response->node) {
            return request;
        }
        multicast = request->is_multicast ? request : multicast;
    }
    return multicast;
}

uint64_t trace_causes_asked(const struct trace_causes *sender, const struct observed *seen)
{
    for (unsigned i = sender->requests; i-- > 0;) {
        const struct trace_request *request = &sender->request[i];
        if (request->left == seen->sent && request->noc == seen->noc &&
            request->asker == seen->asker) {
            return request->cycle;
        }
    }
    return seen->sent;
}

static void forget_request(struct trace_causes *causes, const struct trace_request *request)
{
    size_t at = (size_t)(request - causes->request);
    if (!request->is_multicast) {
        memmove(&causes->request[at], &causes->request[at + 1],
                (--causes->requests - at) * sizeof *causes->request);
    }
}

/* --- What is touched --- */

/* Counters of a circular buffer are those of a stream, some of which change by a write to another
 * register of it. */
static bool is_touched(const struct trace_awaited *awaited, uint64_t address, uint32_t size)
{
    bool is_stream = address - AT_OVERLAY < END_OVERLAY - AT_OVERLAY &&
                     awaited->address / STEP_STREAM == address / STEP_STREAM;
    return awaited->size > 0 && (is_stream || (address < awaited->address + awaited->size &&
                                               awaited->address < address + size));
}

static void note_write(struct trace_causes *causes, const struct tile *tile,
                       const struct observed *seen, const struct trace_causes *sender)
{
    static const char *const packets[] = {
        [NOC_READ] = "read", [NOC_WRITE] = "write", [NOC_ATOMIC] = "atomic"};
    const bool is_packet = seen->agent == OBSERVED_NOC;
    if (is_packet && seen->packet > NOC_ATOMIC) {
        return; /* the response is told as delivered */
    }
    for (unsigned core = 0; core < RV32_CORES; core++) {
        struct trace_awaited *awaited = &causes->hart[core];
        if (core != (unsigned)seen->agent && is_touched(awaited, seen->address, seen->size)) {
            awaited->cause = (struct trace_cause){
                .is_known = true,
                .node = is_packet ? seen->node : tile->node,
                .agent = is_packet ? (enum observed_agent)seen->asker : seen->agent,
                .thread = seen->thread,
                .cycle = is_packet ? trace_causes_asked(sender, seen) : seen->cycle,
                .what = is_packet ? packets[seen->packet] : "store"};
        }
    }
}

/* --- Counters --- */

/* A hart waits for a command buffer of the NIU, which a request still holds. */
enum { AWAITS_COMMAND = NIU_COUNTER_COUNT + 1 };

/* The counter of that NoC for which the hart waits, or AWAITS_COMMAND; NIU_COUNTER_COUNT: it waits for
 * something else. */
static unsigned awaited_counter(const struct trace_awaited *awaited, unsigned noc)
{
    const uint64_t offset = awaited->address - AT_NIU - (uint64_t)noc * STEP_NIU;
    const bool is_counter = awaited->size > 0 && offset >= NIU_COUNTERS &&
                            offset < NIU_COUNTERS + 4 * NIU_COUNTER_COUNT;
    if (awaited->size > 0 && offset < NIU_BYTES && niu_makes_request((uint32_t)offset, 1)) {
        return AWAITS_COMMAND;
    }
    return is_counter ? (unsigned)(offset - NIU_COUNTERS) / 4 : (unsigned)NIU_COUNTER_COUNT;
}

/* Does the response to the request change that counter? */
static bool counts_response(unsigned counter, const struct trace_request *request)
{
    if (counter == (unsigned)NIU_COUNT_REQS_OUTSTANDING + request->transaction) {
        return true;
    }
    switch (request->packet) {
    case NOC_READ:
        return counter == NIU_MST_RD_RESP_RECEIVED || counter == NIU_MST_RD_DATA_WORD_RECEIVED;
    case NOC_WRITE:
        return counter == NIU_MST_WR_ACK_RECEIVED;
    default:
        return counter == NIU_MST_ATOMIC_RESP_RECEIVED;
    }
}

/* Does the counter change when the request leaves? */
static bool counts_departure(unsigned counter, const struct trace_request *request)
{
    if (counter == NIU_MST_CMD_ACCEPTED || counter == AWAITS_COMMAND) {
        return true;
    }
    switch (request->packet) {
    case NOC_READ:
        return counter == NIU_MST_RD_REQ_STARTED || counter == NIU_MST_RD_REQ_SENT;
    case NOC_WRITE:
        return counter == (unsigned)NIU_COUNT_WRITES_OUTGOING + request->transaction ||
               (request->is_posted ? counter == NIU_MST_POSTED_WR_REQ_STARTED ||
                                         counter == NIU_MST_POSTED_WR_REQ_SENT ||
                                         counter == NIU_MST_POSTED_WR_DATA_WORD_SENT
                                   : counter == NIU_MST_NONPOSTED_WR_REQ_STARTED ||
                                         counter == NIU_MST_NONPOSTED_WR_REQ_SENT ||
                                         counter == NIU_MST_NONPOSTED_WR_DATA_WORD_SENT);
    default:
        return request->is_posted ? counter == NIU_MST_POSTED_ATOMIC_SENT
                                  : counter == NIU_MST_NONPOSTED_ATOMIC_STARTED ||
                                        counter == NIU_MST_NONPOSTED_ATOMIC_SENT;
    }
}

static struct trace_cause cause_of_request(const struct tile *tile,
                                           const struct trace_request *request, const char *what,
                                           uint32_t held)
{
    return (struct trace_cause){.is_known = true,
                                .node = tile->node,
                                .agent = (enum observed_agent)request->asker,
                                .thread = OBSERVED_NO_THREAD,
                                .cycle = request->cycle,
                                .what = what,
                                .held = held};
}

/* The request, or its response, has ended the waits of harts for counters that `counts` says it changes. */
static void
end_waits_for_counters(struct trace_causes *causes, const struct tile *tile,
                       const struct trace_request *request, const char *what, uint32_t held,
                       bool (*counts)(unsigned counter, const struct trace_request *request))
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        struct trace_awaited *awaited = &causes->hart[core];
        if (counts(awaited_counter(awaited, request->noc), request)) {
            awaited->cause = cause_of_request(tile, request, what, held);
        }
    }
}

/* A hart begins to wait. If it is for a counter of what leaves, the latest request has left its command
 * buffer already, and its data have not left the NIU. */
static void begin_to_wait(struct trace_causes *causes, const struct tile *tile,
                          const struct observed *seen)
{
    struct trace_awaited *awaited = &causes->hart[seen->agent];
    *awaited = (struct trace_awaited){.address = seen->address, .size = seen->size};
    for (unsigned i = 0; i < causes->requests; i++) {
        const struct trace_request *request = &causes->request[i];
        if (counts_departure(awaited_counter(awaited, request->noc), request)) {
            awaited->cause = cause_of_request(tile, request, "departure", 0);
        }
    }
}

static void note_response(struct trace_causes *causes, const struct penrose_chip *chip,
                          const struct tile *tile, const struct observed *seen)
{
    static const char *const responses[][2] = {
        {"read response", "read response from DRAM"},
        {"write acknowledgement", "write acknowledgement from DRAM"},
        {"atomic response", "atomic response from DRAM"}};
    const struct trace_request *request = find_request(causes, seen);
    const bool is_dram = chip->place[seen->node].port != NULL;
    if (request) {
        end_waits_for_counters(causes, tile, request,
                               responses[seen->packet - NOC_READ_RESPONSE][is_dram], seen->held,
                               counts_response);
        forget_request(causes, request);
    }
}

void trace_causes_see(struct trace_causes *causes, const struct penrose_chip *chip,
                      const struct tile *tile, const struct observed *seen,
                      const struct trace_causes *sender)
{
    bool is_hart = seen->agent < OBSERVED_NOC && seen->thread == OBSERVED_NO_THREAD;
    if (is_hart && (seen->kind == OBSERVED_WAITS || seen->kind == OBSERVED_POLLS)) {
        begin_to_wait(causes, tile, seen);
    } else if (seen->kind == OBSERVED_WRITTEN && !seen->is_gddr) {
        note_write(causes, tile, seen, sender);
    } else if (seen->kind == OBSERVED_SENT && seen->packet <= NOC_ATOMIC) {
        end_waits_for_counters(causes, tile, note_request(causes, seen), "departure", 0,
                               counts_departure);
    } else if (seen->kind == OBSERVED_DELIVERED && seen->packet >= NOC_READ_RESPONSE) {
        note_response(causes, chip, tile, seen);
    }
}

/* --- The end of a wait --- */

struct trace_cause trace_causes_take(struct trace_causes *causes, const struct tile *tile,
                                     const struct observed *seen)
{
    struct trace_awaited *awaited = &causes->hart[seen->agent];
    struct trace_cause cause = awaited->cause;
    const uint64_t address = awaited->address;
    const bool is_trisc = seen->agent >= OBSERVED_TRISC0 && seen->agent <= OBSERVED_TRISC2;
    const bool awaits = awaited->size > 0 && tile->kind->type == TILE_TENSIX;
    *awaited = (struct trace_awaited){.size = 0};
    if (cause.is_known || !awaits) {
        return cause;
    }
    cause = (struct trace_cause){
        .node = tile->node, .thread = OBSERVED_NO_THREAD, .cycle = seen->cycle, .what = ""};
    if (address >= AT_MAILBOX && address < END_MAILBOX) {
        cause.is_known = true;
        cause.agent = (enum observed_agent)((address - AT_MAILBOX) / STEP_MAILBOX);
    } else if (is_trisc && address >= AT_GPR) {
        cause.is_known = true;
        cause.agent = seen->agent;
        cause.thread = seen->agent - OBSERVED_TRISC0;
    } else if (address >= AT_INSTRN_BUF && address < END_INSTRN_BUF) { /* that thread's, was full */
        cause.is_known = true;
        cause.thread = (unsigned)((address - AT_INSTRN_BUF) / STEP_INSTRN_BUF);
        cause.agent = OBSERVED_TRISC0 + cause.thread;
    }
    return cause;
}
