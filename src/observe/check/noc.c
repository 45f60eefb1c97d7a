/*
 * Requests of kernels to the NoC, and whether their hart has waited for them.
 *
 * A hart waits by loads of counters of its NIU, and of what its requests bring. A request whose
 * answer had come when the hart looked counts as waited for, whatever the program compared, so that
 * nothing right is reported.
 */
#include "observe/check/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chip/multicast.h"

enum {
    LOOK_PATIENCE = 8, /* instructions from the load of a counter to the comparison of a barrier */
    MOST_ANSWERS = 4096, /* answers by which a barrier may count too many */
};

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
            if (request->kind == kind && !request->is_told && !request->has_left &&
                is_about(request, first, size)) {
                return request;
            }
        }
    }
    return NULL;
}

static const char *const request_names[] = {
    [CHECK_READ] = "read", [CHECK_WRITE] = "write", [CHECK_ATOMIC] = "atomic"};

/* Reports that the scene's hart uses bytes of a read, or the answer of an atomic, or changes those of a
 * write, of `hart`. `what` says how. */
static void report_use(const struct check_scene *scene, struct check_request *request,
                       unsigned hart, uint32_t address, const char *what)
{
    const bool is_brought = request->kind != CHECK_WRITE;
    char place[CHECK_PLACE];
    request->is_told = true;
    check_report(scene, is_brought ? PENROSE_FAULT_NOC_UNWAITED : PENROSE_FAULT_NOC_SOURCE,
                 scene->hart, scene->event->pc, address,
                 "%s, which the NoC %s of %s %s; %s is missing", what, request_names[request->kind],
                 check_place(scene, hart, request->pc, place), is_brought ? "fills" : "sends",
                 barrier[request->kind]);
}

void check_noc_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    bool writes = event->kind == OBSERVED_WRITTEN;
    uint32_t address = (uint32_t)event->address;
    unsigned hart;
    struct check_request *request = find_request(scene, CHECK_READ, address, event->size, &hart);
    char what[64];
    if (writes && !request) {
        request = find_request(scene, CHECK_WRITE, address, event->size, &hart);
    }
    const bool may_be_answer = !writes && !request && event->agent <= OBSERVED_NCRISC;
    if (may_be_answer) { /* a hart may also wait for it by polling the place */
        request = find_request(scene, CHECK_ATOMIC, address, event->size, &hart);
        request =
            request && hart == scene->hart && check_reads_data(scene, event->pc) ? request : NULL;
    }
    if (request) {
        snprintf(what, sizeof what, "%s of %u bytes at 0x%x", writes ? "write" : "read",
                 event->size, address);
        report_use(scene, request, hart, address, what);
    }
}

/* A write of the scene's hart to its own tile that brings any of these bytes, and for which it has
 * not waited; NULL: none. Multicasts may come behind each other, and whoever polls the last of them
 * has waited for all. Nobody is told of the end of a posted write. */
static struct check_request *find_copy(const struct check_scene *scene, uint32_t first,
                                       uint32_t size)
{
    struct check_requests *requests = &scene->own->requests[scene->hart];
    for (unsigned i = 0; i < requests->count; i++) {
        struct check_request *request = &requests->request[i];
        if (request->kind == CHECK_WRITE && !request->is_multicast && !request->is_posted &&
            !request->is_told && !request->is_seen && request->node == scene->tile->node &&
            request->size && request->address < (uint64_t)first + size &&
            first < request->address + request->length) {
            return request;
        }
    }
    return NULL;
}

/* `what` says how it uses them. */
static void judge_copy(const struct check_scene *scene, uint32_t first, uint32_t size,
                       const char *what)
{
    struct check_request *request = find_copy(scene, first, size);
    char place[CHECK_PLACE];
    if (request) {
        request->is_told = true;
        check_report(scene, PENROSE_FAULT_NOC_UNWAITED, scene->hart, scene->event->pc, first,
                     "%s, which the NoC write of %s to its own tile fills; "
                     "noc_async_write_barrier() is missing",
                     what, check_place(scene, scene->hart, request->pc, place));
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
    if (kind == CHECK_READ) {
        snprintf(what, sizeof what, "pushes pages of circular buffer %u", buffer);
        judge_copy(scene, first, size, what);
    }
}

/* Reports a request of the kind that still uses the bytes. */
static void judge_bytes(const struct check_scene *scene, enum check_request_kind kind,
                        uint32_t first, uint32_t size, const char *what)
{
    unsigned hart;
    struct check_request *request = find_request(scene, kind, first, size, &hart);
    if (request) {
        report_use(scene, request, hart, first, what);
    }
}

/* A NoC write reads the bytes that it sends. */
static void judge_source(const struct check_scene *scene, uint32_t first, uint32_t size)
{
    char what[64];
    snprintf(what, sizeof what, "a NoC write sends bytes at 0x%x", first);
    judge_bytes(scene, CHECK_READ, first, size, what);
    judge_copy(scene, first, size, what);
}

/* A NoC read brings bytes to where a write still sends them from. */
static void judge_target(const struct check_scene *scene, uint32_t first, uint32_t size)
{
    char what[64];
    snprintf(what, sizeof what, "a NoC read brings bytes to 0x%x", first);
    judge_bytes(scene, CHECK_WRITE, first, size, what);
}

/* A NoC read asks for bytes that a write of its hart still brings. SPEC: WormholeB0 NoC/Ordering: writes
 * and atomics keep their order, reads do not. Where a word follows the write, the hart may have heard
 * from whoever has read that. */
static void judge_read_back(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_requests *requests = &scene->own->requests[scene->hart];
    char place[CHECK_PLACE];
    for (unsigned i = 0; i < requests->count; i++) {
        struct check_request *request = &requests->request[i];
        if (request->kind == CHECK_WRITE && !request->is_multicast && !request->is_posted &&
            !request->is_told && !request->is_seen && !request->has_word &&
            request->node == event->node && request->address < event->address + event->size &&
            event->address < request->address + request->length) {
            request->is_told = true;
            check_report(scene, PENROSE_FAULT_NOC_UNWAITED, scene->hart, event->pc,
                         (uint32_t)event->address,
                         "a NoC read asks for bytes at 0x%" PRIx64 " of another place, which the "
                         "NoC write of %s still brings there; noc_async_write_barrier() is missing",
                         event->address, check_place(scene, scene->hart, request->pc, place));
            return;
        }
    }
}

/* --- Their life --- */

static void note_multicast(struct check_requests *requests, const struct check_request *request)
{
    requests->latest = NULL;
    for (unsigned i = 0; i < CHECK_MULTICASTS && request->is_multicast; i++) {
        struct check_multicast *multicast = &requests->multicast[i];
        if (multicast->request.receivers == 0 || multicast->request.pc == request->pc) {
            *multicast = (struct check_multicast){.request = *request};
            requests->latest = multicast;
            return;
        }
    }
}

void check_noc_local(const struct check_scene *scene)
{
    struct check_requests *requests = &scene->own->requests[scene->hart];
    const struct observed *event = scene->event;
    struct check_word *word = NULL;
    for (unsigned i = 0; i < CHECK_WORDS; i++) {
        word = requests->word[i].address == event->address ? &requests->word[i] : word;
    }
    struct check_multicast *latest = requests->latest;
    if (word && event->kind == OBSERVED_WRITTEN && latest && latest->growths < CHECK_GROWTHS) {
        latest->growth[latest->growths++] = event->value - word->value;
    }
    word = word ? word : &requests->word[requests->words++ % CHECK_WORDS];
    *word = (struct check_word){.address = (uint32_t)event->address, .value = event->value};
}

/* --- Counters of which a kernel does not know where they stand --- */

/* Those that its requests change are never set back, so a kernel loads them before. */
static void note_unknown(const struct check_scene *scene, const struct check_request *request)
{
    static const unsigned changed[][2] = {
        [CHECK_READ] = {NIU_MST_RD_RESP_RECEIVED, NIU_MST_RD_RESP_RECEIVED},
        [CHECK_WRITE] = {NIU_MST_WR_ACK_RECEIVED, NIU_MST_NONPOSTED_WR_REQ_SENT},
        [CHECK_ATOMIC] = {NIU_MST_ATOMIC_RESP_RECEIVED, NIU_MST_ATOMIC_RESP_RECEIVED},
    };
    struct check_requests *requests = &scene->own->requests[scene->hart];
    for (unsigned i = 0; i < 2; i++) {
        const unsigned counter = changed[request->kind][i];
        uint32_t *at = &requests->unknown_at[request->noc][counter];
        bool is_known = requests->looked_from[request->noc][counter] >= scene->own->launched.base;
        *at = *at || is_known || request->is_posted ? *at : request->pc;
    }
}

/* What the firmware has loaded the kernel does not know. */
static void judge_counter(const struct check_scene *scene, unsigned noc, unsigned counter)
{
    struct check_requests *requests = &scene->own->requests[scene->hart];
    uint32_t *from = &requests->looked_from[noc][counter];
    uint32_t *at = &requests->unknown_at[noc][counter];
    char place[CHECK_PLACE];
    if (*at && *from < scene->own->launched.base) {
        check_report(scene, PENROSE_FAULT_NOC_COUNT, scene->hart, scene->event->pc,
                     (uint32_t)scene->event->address,
                     "waits by a counter of NoC %u which it has not loaded before %s changed it; "
                     "kernels before may leave it anywhere; noc_local_state_init() is missing",
                     noc, check_place(scene, scene->hart, *at, place));
    }
    *at = 0;
    *from = scene->event->pc > *from ? scene->event->pc : *from;
}

/* Makes room by the oldest write that has left. */
static void forget_one(struct check_requests *requests)
{
    for (unsigned i = 0; i < requests->count; i++) {
        if (requests->request[i].has_left) {
            requests->count--;
            memmove(&requests->request[i], &requests->request[i + 1],
                    (requests->count - i) * sizeof requests->request[0]);
            return;
        }
    }
}

void check_noc_sent(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_requests *requests = &scene->own->requests[scene->hart];
    static const enum check_request_kind kinds[] = {
        [NOC_READ] = CHECK_READ, [NOC_WRITE] = CHECK_WRITE, [NOC_ATOMIC] = CHECK_ATOMIC};
    const struct noc_packet *packet = event->carried;
    if (event->packet > NOC_ATOMIC || (event->packet != NOC_WRITE && event->is_posted)) {
        return; /* nobody can wait for an atomic without an answer */
    }
    if (requests->count == CHECK_REQUESTS) {
        forget_one(requests);
    }
    if (requests->count == CHECK_REQUESTS) {
        requests->is_short = true;
        return;
    }
    requests->is_short &= requests->count > 0;
    struct check_request request = {
        .kind = kinds[event->packet],
        .noc = event->noc,
        .channel = packet->channel,
        .transaction = (uint8_t)noc_transaction(packet),
        .is_multicast = event->is_multicast,
        .receivers =
            event->is_multicast ? chip_multicast_receivers(scene->checks->chip, packet) : 1,
        .number = ++scene->checks->requests,
        .stores = check_races_stores(scene),
        .pc = event->pc,
        .node = event->node,
        .span = packet->span,
        .address = event->address,
        .length = event->size,
        .is_posted = event->is_posted};
    if (event->back < scene->tile->kind->l1_bytes) {
        request.first = (uint32_t)event->back;
        request.size = event->size;
    } else if (request.kind == CHECK_ATOMIC && packet->back == scene->tile->node) {
        request.first = (uint32_t)packet->back_address;
        request.size = sizeof(uint32_t);
    }
    note_multicast(requests, &request);
    request.has_left =
        request.kind == CHECK_WRITE && !request.size; /* its data were in the request */
    if (request.kind == CHECK_WRITE && request.size) {
        judge_source(scene, request.first, request.size);
    }
    if (request.kind == CHECK_READ) {
        judge_target(scene, request.first, request.size);
        judge_read_back(scene);
    }
    requests->request[requests->count++] = request;
    if (scene->own->is_known && !scene->checks->is_late) {
        note_unknown(scene, &request);
    }
}

/* Answers to writes and atomics come in the order of their requests. */
static bool is_answer_to(const struct observed *event, const struct check_request *request)
{
    switch (event->packet) {
    case NOC_READ_RESPONSE:
        return request->kind == CHECK_READ && request->first == event->address;
    case NOC_WRITE_ACK:
        return request->kind == CHECK_WRITE && !request->is_posted;
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
            request->is_answered = ++request->answers >= request->receivers;
            return;
        }
    }
}

/* --- What tells the hart of its requests, besides counters --- */

void check_noc_delivered(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_tile *sender = scene->checks->tile[event->node];
    if (!sender || event->asker >= RV32_CORES) {
        return;
    }
    struct check_requests *requests = &sender->requests[event->asker];
    requests->delivered = (struct check_delivered){event->pc, event->sent};
    for (unsigned i = 0; i < NIU_BUFFERS; i++) {
        struct check_started *started = &requests->started[event->noc][i];
        started->is_delivered |= started->pc == event->pc;
    }
}

static bool brings(const struct check_request *request, uint64_t address, uint32_t size)
{
    return request->kind != CHECK_READ && request->address < address + size &&
           address < request->address + request->length;
}

void check_noc_arrived(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_requests *all = scene->own->requests;
    scene->own->arrival[scene->own->arrivals++ % CHECK_ARRIVALS] =
        (struct check_arrival){(uint32_t)event->address, event->size};
    if (event->node != scene->tile->node || event->asker >= RV32_CORES) {
        return;
    }
    for (unsigned i = 0; i < all[event->asker].count; i++) {
        struct check_request *request = &all[event->asker].request[i];
        if (!request->has_arrived && request->pc == event->pc && request->noc == event->noc &&
            brings(request, event->address, event->size)) {
            request->has_arrived = true;
            return;
        }
    }
}

/* The hart knows that a request to its own tile has arrived, and so have those whose order with it
 * is kept. */
static void see_arrival(struct check_requests *requests, unsigned index)
{
    const struct check_request *seen = &requests->request[index];
    for (unsigned i = 0; i <= index; i++) {
        struct check_request *request = &requests->request[i];
        request->is_seen |= i == index || check_keeps_order(request, seen);
    }
}

void check_noc_loaded(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_requests *requests = &scene->own->requests[scene->hart];
    bool is_brought = false;
    for (unsigned i = 0; i < requests->count; i++) {
        const struct check_request *request = &requests->request[i];
        if (request->has_arrived && !request->is_seen &&
            brings(request, event->address, event->size)) {
            see_arrival(requests, i);
        }
    }
    for (unsigned i = 0; requests->delivered.pc && i < CHECK_ARRIVALS; i++) {
        const struct check_arrival *arrival = &scene->own->arrival[i];
        is_brought |= event->address < (uint64_t)arrival->first + arrival->size &&
                      arrival->first < event->address + event->size;
    }
    requests->delivered.pc = is_brought ? 0 : requests->delivered.pc;
    for (unsigned i = 0; is_brought && i < GRID_NOCS * NIU_BUFFERS; i++) { /* a round trip */
        struct check_started *started = &requests->started[i / NIU_BUFFERS][i % NIU_BUFFERS];
        started->pc = started->is_delivered ? 0 : started->pc;
    }
}

/* --- Looks at counters --- */

/* Does the counter count what is outstanding of the request's transaction id? */
static bool counts_id_of(const struct check_request *request, unsigned counter)
{
    return counter == (unsigned)NIU_COUNT_REQS_OUTSTANDING + request->transaction ||
           counter == (unsigned)NIU_COUNT_WRITES_OUTGOING + request->transaction;
}

/* Does a look at the counter tell the hart that the request is over? */
static bool is_waited_for(const struct check_request *request, unsigned noc, unsigned counter)
{
    bool is_of_id = counts_id_of(request, counter);
    if (request->noc != noc || !request->is_answered) {
        return false;
    }
    switch (request->kind) {
    case CHECK_READ:
        return counter == NIU_MST_RD_RESP_RECEIVED || is_of_id;
    case CHECK_WRITE:
        return counter == NIU_MST_WR_ACK_RECEIVED || is_of_id;
    case CHECK_ATOMIC:
        return counter == NIU_MST_ATOMIC_RESP_RECEIVED || is_of_id;
    }
    return false;
}

/* Or that a write's data have left? */
static bool is_left(const struct check_request *request, unsigned noc, unsigned counter)
{
    bool is_of_id = counts_id_of(request, counter);
    return request->kind == CHECK_WRITE && request->noc == noc &&
           (counter == NIU_MST_NONPOSTED_WR_REQ_SENT || counter == NIU_MST_POSTED_WR_REQ_SENT ||
            is_of_id);
}

/* Has a hart requests on the NoC whose answers have not come? */
static bool has_open(const struct check_requests *requests, unsigned noc)
{
    for (unsigned i = 0; i < requests->count; i++) {
        const struct check_request *request = &requests->request[i];
        if (request->noc == noc && !request->is_answered && !request->is_posted) {
            return true;
        }
    }
    return requests->is_short;
}

/* The hart has loaded a counter of answers; it may compare it. */
static void note_look(const struct check_scene *scene, unsigned noc, unsigned counter)
{
    static const unsigned counters[] = {[CHECK_READ] = NIU_MST_RD_RESP_RECEIVED,
                                        [CHECK_WRITE] = NIU_MST_WR_ACK_RECEIVED,
                                        [CHECK_ATOMIC] = NIU_MST_ATOMIC_RESP_RECEIVED};
    struct check_requests *requests = &scene->own->requests[scene->hart];
    struct check_look *look = &requests->look;
    scene->own->waits[scene->hart] = true;
    *look = (struct check_look){.noc = (uint8_t)noc,
                                .value = scene->event->value,
                                .pc = scene->event->pc,
                                .is_final = !has_open(requests, noc)};
    bool others = false;
    for (unsigned hart = 0; hart < RV32_CORES; hart++) {
        others |= hart != scene->hart && has_open(&scene->own->requests[hart], noc);
    }
    for (unsigned kind = 0; kind <= CHECK_ATOMIC; kind++) {
        if (counters[kind] == counter && !others) {
            look->kind = (enum check_request_kind)kind;
            look->patience = LOOK_PATIENCE;
        }
    }
    for (unsigned i = 0; i < requests->count; i++) {
        const struct check_request *request = &requests->request[i];
        if (request->kind == look->kind && request->noc == noc && request->is_multicast &&
            !request->is_answered && !request->is_told) {
            look->open = request;
        }
    }
}

/* --- Request initiators --- */

/* The initiator of a register of an NIU; NIU_BUFFERS: it is of none. */
static unsigned initiator_of(uint32_t in_niu)
{
    const bool is_of_one =
        in_niu < NIU_BYTES && in_niu % NIU_BUFFER_BYTES < NIU_BUFFER_WORDS * sizeof(uint32_t);
    return is_of_one ? in_niu / NIU_BUFFER_BYTES : NIU_BUFFERS;
}

void check_noc_prepares(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const uint32_t in_range = (uint32_t)event->address - AT_NIU, in_niu = in_range % STEP_NIU;
    const unsigned buffer = initiator_of(in_niu), noc = in_range / STEP_NIU;
    char place[CHECK_PLACE];
    if (buffer == NIU_BUFFERS) {
        return;
    }
    uint32_t *word = &scene->own->initiator[noc][buffer][in_niu % NIU_BUFFER_BYTES / 4];
    const bool is_same = *word == event->value && in_niu % NIU_BUFFER_BYTES != NIU_CMD_CTRL;
    *word = event->value;
    if (is_same || !check_is_of_kernel(scene, event->pc)) {
        return;
    }
    const struct check_delivered *delivered = &scene->own->requests[scene->hart].delivered;
    struct check_started *started = &scene->own->requests[scene->hart].started[noc][buffer];
    if (started->pc) {
        check_report(scene, PENROSE_FAULT_NOC_BUSY, scene->hart, event->pc,
                     (uint32_t)event->address,
                     "changes a register of request initiator %u, and the request of %s may not "
                     "have left it; a loop until its NOC_CMD_CTRL is 0 is missing "
                     "(noc_cmd_buf_ready())",
                     buffer, check_place(scene, scene->hart, started->pc, place));
    }
    *started = (struct check_started){.pc = niu_makes_request(in_niu, event->value) ? event->pc : 0,
                                      .is_delivered = delivered->pc == event->pc &&
                                                      delivered->sent >= event->cycle};
}

/* The hart has loaded a register: an initiator is free, or a counter may tell that all are. */
static void see_initiators(const struct check_scene *scene, unsigned noc, uint32_t in_niu)
{
    struct check_requests *requests = &scene->own->requests[scene->hart];
    const unsigned buffer = initiator_of(in_niu);
    if (in_niu - NIU_COUNTERS < NIU_COUNTER_COUNT * sizeof(uint32_t)) {
        memset(requests->started[noc], 0, sizeof requests->started[noc]);
    } else if (buffer < NIU_BUFFERS && in_niu % NIU_BUFFER_BYTES == NIU_CMD_CTRL &&
               !(scene->event->value & 1)) {
        requests->started[noc][buffer].pc = 0;
    }
}

void check_noc_looked(const struct check_scene *scene)
{
    uint32_t in_range = (uint32_t)scene->event->address - AT_NIU;
    unsigned counter = (in_range % STEP_NIU - NIU_COUNTERS) / 4, noc = in_range / STEP_NIU;
    struct check_requests *requests = &scene->own->requests[scene->hart];
    unsigned kept = 0;
    see_initiators(scene, noc, in_range % STEP_NIU);
    if (in_range % STEP_NIU < NIU_COUNTERS || counter >= NIU_COUNTER_COUNT) {
        return;
    }
    for (unsigned i = 0; i < requests->count; i++) {
        struct check_request *request = &requests->request[i];
        request->has_left |= is_left(request, noc, counter);
        if (!is_waited_for(request, noc, counter)) {
            requests->request[kept++] = *request;
        } else if (request->kind != CHECK_READ) {
            see_arrival(requests, i);
        }
    }
    requests->count = kept;
    judge_counter(scene, noc, counter);
    note_look(scene, noc, counter);
}

/* --- Barriers that count wrong --- */

static void report_count(const struct check_scene *scene, const struct check_request *request,
                         const char *more, uint32_t by)
{
    char place[CHECK_PLACE];
    check_report(
        scene, PENROSE_FAULT_NOC_COUNT, scene->hart, request->pc, (uint32_t)request->address,
        "the multicast reaches %u tiles%s, and the barrier of %s waits for %u answers too %s; "
        "its number of destinations is wrong, or its rectangle",
        request->receivers, request->span.includes_source ? "" : " besides its own",
        check_place(scene, scene->hart, scene->own->requests[scene->hart].look.pc, place), by,
        more);
}

/* A multicast of the sort for which the barrier waits whose number of receivers no counter has
 * got; otherwise any one. NULL: there is none. */
static struct check_multicast *find_miscounted(struct check_requests *requests)
{
    struct check_multicast *found = NULL;
    bool is_sure = false;
    for (unsigned i = 0; i < CHECK_MULTICASTS; i++) {
        struct check_multicast *multicast = &requests->multicast[i];
        const struct check_request *request = &multicast->request;
        bool is_counted = multicast->growths == 0;
        for (unsigned k = 0; k < multicast->growths; k++) {
            is_counted |= multicast->growth[k] == request->receivers;
        }
        if (request->receivers && request->kind == requests->look.kind &&
            request->noc == requests->look.noc && !request->is_posted && !is_sure) {
            found = multicast;
            is_sure = !is_counted;
        }
    }
    return found;
}

/* The hart compares what it has just loaded with `due`. */
static void judge_barrier(const struct check_scene *scene, uint32_t due)
{
    struct check_requests *requests = &scene->own->requests[scene->hart];
    const struct check_look *look = &requests->look;
    uint32_t more = due - look->value, less = look->value - due;
    bool is_final = look->is_final && !scene->tile->board->delivery.at_random;
    bool is_late = is_final && more > 0 && more < MOST_ANSWERS;
    bool is_missed = is_final && less > 0 && less < MOST_ANSWERS;
    struct check_multicast *multicast = find_miscounted(requests);
    if (multicast && more == 0 && look->open) {
        report_count(scene, &multicast->request, "few",
                     look->open->receivers - look->open->answers);
    } else if (multicast && (is_late || is_missed)) {
        report_count(scene, &multicast->request, is_late ? "many" : "few", is_late ? more : less);
    } else {
        return;
    }
    memset(requests->multicast, 0, sizeof requests->multicast);
    requests->latest = NULL;
}

/* Compares the hart what it has just loaded? Equal ends a barrier. */
bool check_noc_starts(const struct check_scene *scene)
{
    struct check_look *look = &scene->own->requests[scene->hart].look;
    const struct rv32_operands *insn = check_instruction(scene);
    const uint32_t *x = scene->tile->hart[scene->hart].x;
    if (look->patience == 0 || !scene->checks->does[CHECK_NOC]) {
        return false;
    }
    look->patience--;
    if ((insn->row == RV32_ROW_BNE || insn->row == RV32_ROW_BEQ) &&
        (x[insn->rs1] == look->value || x[insn->rs2] == look->value)) {
        look->patience = 0;
        judge_barrier(scene, x[insn->rs1] == look->value ? x[insn->rs2] : x[insn->rs1]);
    }
    return look->patience > 0;
}

/* --- The end --- */

void check_noc_ended(const struct check_scene *scene)
{
    struct check_requests *requests = &scene->own->requests[scene->hart];
    for (unsigned i = 0; i < requests->count; i++) {
        const struct check_request *request = &requests->request[i];
        bool is_over = request->has_left && request->is_posted; /* nobody answers it */
        if (!request->is_told && !is_over) {
            check_report(scene, PENROSE_FAULT_NOC_OPEN, scene->hart, request->pc, request->first,
                         "the kernel ends and has not waited for this NoC %s; %s is missing",
                         request_names[request->kind],
                         request->has_left ? "noc_async_write_barrier()" : barrier[request->kind]);
        }
    }
    requests->count = 0;
    memset(requests->started, 0, sizeof requests->started);
    memset(requests->looked_from, 0, sizeof requests->looked_from);
    memset(requests->unknown_at, 0, sizeof requests->unknown_at);
    memset(requests->multicast, 0, sizeof requests->multicast);
    requests->latest = NULL;
    requests->look.patience = 0;
}
