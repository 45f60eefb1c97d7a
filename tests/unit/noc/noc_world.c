/* The reader's chip and book of counters; see the header. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "unit/noc/noc_world.h"

#include "unit/random.h"

enum {
    MST_ATOMIC_RESP_RECEIVED,
    MST_WR_ACK_RECEIVED,
    MST_RD_RESP_RECEIVED,
    MST_RD_DATA_WORD_RECEIVED,
    MST_CMD_ACCEPTED,
    MST_RD_REQ_SENT,
    MST_NONPOSTED_ATOMIC_SENT,
    MST_POSTED_ATOMIC_SENT,
    MST_NONPOSTED_WR_DATA_WORD_SENT,
    MST_POSTED_WR_DATA_WORD_SENT,
    MST_NONPOSTED_WR_REQ_SENT,
    MST_POSTED_WR_REQ_SENT,
    MST_NONPOSTED_WR_REQ_STARTED,
    MST_POSTED_WR_REQ_STARTED,
    MST_RD_REQ_STARTED,
    MST_NONPOSTED_ATOMIC_STARTED,
    MST_REQS_OUTSTANDING,
    MST_WRITE_REQS_OUTGOING = 32,
    SLV_ATOMIC_RESP_SENT = 48,
    SLV_WR_ACK_SENT,
    SLV_RD_RESP_SENT,
    SLV_RD_DATA_WORD_SENT,
    SLV_REQ_ACCEPTED,
    SLV_RD_REQ_RECEIVED,
    SLV_NONPOSTED_ATOMIC_RECEIVED,
    SLV_POSTED_ATOMIC_RECEIVED,
    SLV_NONPOSTED_WR_DATA_WORD_RECEIVED,
    SLV_POSTED_WR_DATA_WORD_RECEIVED,
    SLV_NONPOSTED_WR_REQ_RECEIVED,
    SLV_POSTED_WR_REQ_RECEIVED,
    SLV_NONPOSTED_WR_REQ_STARTED,
    SLV_POSTED_WR_REQ_STARTED,
};

/* --- Opening and closing --- */

static struct g_world the_world;
struct g_world *const world = &the_world;

void g_open(const struct penrose_options *options)
{
    struct penrose_options defaults = {.size = sizeof defaults};
    struct penrose_error error = {0};
    the_world = (struct g_world){.random = 1};
    ck_assert_msg(penrose_chip_create(options ? options : &defaults, &world->chip, &error) ==
                      PENROSE_OK,
                  "%s", error.text);
}

void g_open_default(void)
{
    g_open(NULL);
}

void g_close(void)
{
    penrose_chip_destroy(world->chip);
    free(world->host);
    the_world = (struct g_world){0};
}

static uint8_t *host_bytes(uint64_t address, uint32_t size)
{
    uint64_t offset = address - world->host_base;
    bool is_inside = offset < world->host_size && size <= world->host_size - offset;
    return is_inside ? world->host + offset : NULL;
}

static bool host_read(void *context, uint64_t address, void *bytes, uint32_t size)
{
    (void)context;
    const uint8_t *from = host_bytes(address, size);
    if (from) {
        memcpy(bytes, from, size);
    }
    return from != NULL;
}

static bool host_write(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    (void)context;
    uint8_t *to = host_bytes(address, size);
    if (to) {
        memcpy(to, bytes, size);
    }
    return to != NULL;
}

void g_give_host_memory(uint64_t base, size_t size)
{
    world->host = calloc(1, size);
    ck_assert_ptr_nonnull(world->host);
    world->host_base = base;
    world->host_size = size;
    struct penrose_host_memory memory = {host_read, host_write, NULL};
    penrose_host_memory_set(world->chip, &memory);
}

/* --- Randomness --- */

uint32_t g_random(void)
{
    return random_next(&world->random);
}

uint32_t g_below(uint32_t limit)
{
    return (uint32_t)((uint64_t)g_random() * limit >> 32);
}

void g_random_bytes(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)g_random();
    }
}

struct g_place g_worker(void)
{
    unsigned x = 1 + g_below(14);
    return (struct g_place){.x = x > 7 ? x + 2 : x, .y = 2 + g_below(10)};
}

struct g_place g_other_worker(struct g_place not_this)
{
    struct g_place at;
    do {
        at = g_worker();
    } while (at.x == not_this.x && at.y == not_this.y);
    return at;
}

/* --- Memory --- */

void g_put(struct g_place at, uint64_t address, const void *bytes, size_t size)
{
    struct penrose_error error = {0};
    if (penrose_write(world->chip, at.x, at.y, address, bytes, size, &error) != PENROSE_OK) {
        ck_abort_msg("(%u, %u): %s", at.x, at.y, error.text);
    }
}

void g_get(struct g_place at, uint64_t address, void *bytes, size_t size)
{
    struct penrose_error error = {0};
    if (penrose_read(world->chip, at.x, at.y, address, bytes, size, &error) != PENROSE_OK) {
        ck_abort_msg("(%u, %u): %s", at.x, at.y, error.text);
    }
}

void g_put_word(struct g_place at, uint64_t address, uint32_t value)
{
    g_put(at, address, &value, sizeof value);
}

uint32_t g_word(struct g_place at, uint64_t address)
{
    uint32_t value;
    g_get(at, address, &value, sizeof value);
    return value;
}

void g_scatter(struct g_place at, uint64_t address, uint8_t *bytes, size_t size)
{
    uint8_t *own = bytes ? bytes : malloc(size);
    ck_assert_ptr_nonnull(own);
    g_random_bytes(own, size);
    g_put(at, address, own, size);
    if (!bytes) {
        free(own);
    }
}

void g_expect_bytes(struct g_place at, uint64_t address, const uint8_t *bytes, size_t size,
                    const char *what)
{
    uint8_t *there = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(there);
    g_get(at, address, there, size);
    for (size_t i = 0; memcmp(there, bytes, size) != 0 && i < size; i++) {
        ck_assert_msg(there[i] == bytes[i], "%s: (%u, %u) 0x%" PRIx64 " is %02x, not %02x", what,
                      at.x, at.y, address + i, there[i], bytes[i]);
    }
    free(there);
}

/* --- Requests --- */

struct g_request g_request_of(uint32_t ctrl, unsigned noc, struct g_place targ_at, uint64_t targ,
                              struct g_place ret_at, uint64_t ret, uint32_t length)
{
    return (struct g_request){.noc = noc,
                              .ctrl = ctrl,
                              .targ = targ,
                              .targ_hi = g_hi(targ_at),
                              .ret = ret,
                              .ret_hi = g_hi(ret_at),
                              .length = length};
}

void g_issue(struct g_place from, const struct g_request *request)
{
    const struct {
        uint32_t offset, value;
    } registers[] = {
        {0x00, (uint32_t)request->targ},
        {0x04, (uint32_t)(request->targ >> 32)},
        {0x08, request->targ_hi},
        {0x0c, (uint32_t)request->ret},
        {0x10, (uint32_t)(request->ret >> 32)},
        {0x14, request->ret_hi},
        {0x18, request->tag},
        {0x1c, request->ctrl},
        {0x20, request->length},
        {0x24, request->length_high},
        {0x28, request->data},
        {0x2c, request->exclude},
        {0x40, 1},
    };
    uint64_t buffer = G_BUFFER(request->noc, request->buffer);
    while (g_word(from, buffer + 0x40) & 1) { /* the one before has not left */
        struct penrose_run run = {.size = sizeof run, .cycles = 64};
        ck_assert_int_ne(penrose_run(world->chip, &run), PENROSE_QUIET);
    }
    for (int i = 0; i < COUNT(registers); i++) {
        g_put_word(from, buffer + registers[i].offset, registers[i].value);
    }
}

void g_settle_with(enum penrose_fault_kind warning)
{
    struct penrose_run run = {.size = sizeof run, .cycles = UINT64_C(1) << 24};
    enum penrose_outcome outcome = penrose_run(world->chip, &run);
    struct penrose_fault fault = {0};
    for (size_t i = 0; penrose_fault_get(world->chip, i, &fault); i++) {
        ck_assert_msg(fault.kind == warning && fault.policy != PENROSE_STOP, "(%u, %u) %s: %s",
                      fault.x, fault.y, penrose_fault_name(fault.kind), fault.rule);
    }
    ck_assert_msg(outcome == PENROSE_QUIET, "the run ended with %d", (int)outcome);
    penrose_fault_clear(world->chip);
}

void g_settle(void)
{
    g_settle_with(PENROSE_FAULT_KINDS);
}

void g_do(struct g_place from, const struct g_request *request)
{
    g_issue(from, request);
    g_settle();
}

/* --- The book --- */

static void count(unsigned noc, struct g_place at, unsigned counter, uint32_t by)
{
    uint32_t *value = &world->want[noc][at.x][at.y][counter];
    *value += by;
    if (counter >= MST_REQS_OUTSTANDING && counter < SLV_ATOMIC_RESP_SENT) {
        *value &= 0xff;
    }
    world->is_used[noc][at.x][at.y] = true;
}

static uint32_t packets_of(const struct g_request *request)
{
    bool is_long = (request->ctrl & 3) == G_READ ||
                   ((request->ctrl & 3) == G_WRITE && !(request->ctrl & (G_ENABLES | G_INLINE)));
    return is_long && request->length > G_PACKET ? (request->length + G_PACKET - 1) / G_PACKET : 1;
}

static uint32_t flits_of(const struct g_request *request)
{
    if (request->ctrl & G_ENABLES && (request->ctrl & 3) == G_WRITE) {
        return 1;
    }
    uint32_t whole = request->length / G_PACKET * (G_PACKET / 64);
    return whole + (request->length % G_PACKET + 63) / 64;
}

static void book_read(struct g_place from, const struct g_request *request, struct g_place to,
                      struct g_place answer)
{
    unsigned noc = request->noc, id = request->tag >> 10 & 15;
    uint32_t packets = packets_of(request), flits = flits_of(request);
    count(noc, from, MST_REQS_OUTSTANDING + id, packets);
    count(noc, from, MST_CMD_ACCEPTED, packets);
    count(noc, from, MST_RD_REQ_STARTED, packets);
    count(noc, from, MST_RD_REQ_SENT, packets);
    count(noc, to, SLV_REQ_ACCEPTED, packets);
    count(noc, to, SLV_RD_REQ_RECEIVED, packets);
    count(noc, to, SLV_RD_RESP_SENT, packets);
    count(noc, to, SLV_RD_DATA_WORD_SENT, flits);
    count(noc, answer, MST_RD_RESP_RECEIVED, packets);
    count(noc, answer, MST_RD_DATA_WORD_RECEIVED, flits);
    count(noc, answer, MST_REQS_OUTSTANDING + id, 0 - packets);
}

/* Counters of the posted kind stand one behind those of the other, by `posted` 0 or 1. */
static void book_write(struct g_place from, const struct g_request *request,
                       const struct g_place *to, unsigned receivers, struct g_place answer)
{
    unsigned noc = request->noc, id = request->tag >> 10 & 15;
    bool is_inline = request->ctrl & G_INLINE;
    unsigned posted = request->ctrl & G_MARKED ? 0 : 1;
    uint32_t packets = packets_of(request), flits = is_inline ? 1 : flits_of(request);
    count(noc, from, MST_REQS_OUTSTANDING + id, posted ? 0 : packets);
    count(noc, from, MST_CMD_ACCEPTED, packets);
    count(noc, from, MST_NONPOSTED_WR_REQ_STARTED + posted, packets);
    count(noc, from, MST_NONPOSTED_WR_REQ_SENT + posted, packets);
    if (!is_inline) {
        count(noc, from, MST_NONPOSTED_WR_DATA_WORD_SENT + posted, flits);
    }
    for (unsigned i = 0; i < receivers; i++) {
        count(noc, to[i], SLV_NONPOSTED_WR_REQ_STARTED + posted, packets);
        count(noc, to[i], SLV_NONPOSTED_WR_REQ_RECEIVED + posted, packets);
        count(noc, to[i], SLV_NONPOSTED_WR_DATA_WORD_RECEIVED + posted, flits);
        if (!posted) {
            count(noc, to[i], SLV_WR_ACK_SENT, packets);
            count(noc, answer, MST_WR_ACK_RECEIVED, packets);
            count(noc, answer, MST_REQS_OUTSTANDING + id, 0 - packets);
        }
    }
}

static void book_atomic(struct g_place from, const struct g_request *request,
                        const struct g_place *to, unsigned receivers, struct g_place answer)
{
    unsigned noc = request->noc, id = request->tag >> 10 & 15;
    unsigned posted = request->ctrl & G_MARKED ? 0 : 1;
    count(noc, from, MST_CMD_ACCEPTED, 1);
    count(noc, from, MST_NONPOSTED_ATOMIC_SENT + posted, 1);
    if (!posted) {
        count(noc, from, MST_REQS_OUTSTANDING + id, 1);
        count(noc, from, MST_NONPOSTED_ATOMIC_STARTED, 1);
    }
    for (unsigned i = 0; i < receivers; i++) {
        count(noc, to[i], SLV_REQ_ACCEPTED, 1);
        count(noc, to[i], SLV_NONPOSTED_ATOMIC_RECEIVED + posted, 1);
        if (!posted) {
            count(noc, to[i], SLV_ATOMIC_RESP_SENT, 1);
            count(noc, answer, MST_ATOMIC_RESP_RECEIVED, 1);
            count(noc, answer, MST_REQS_OUTSTANDING + id, UINT32_MAX);
        }
    }
}

void g_book(struct g_place from, const struct g_request *request, const struct g_place *to,
            unsigned receivers, struct g_place answer)
{
    switch (request->ctrl & 3) {
    case G_READ:
        book_read(from, request, to[0], answer);
        break;
    case G_WRITE:
        book_write(from, request, to, receivers, answer);
        break;
    default:
        book_atomic(from, request, to, receivers, answer);
        break;
    }
}

void g_book_unicast(struct g_place from, const struct g_request *request)
{
    struct g_place targ = {request->targ_hi & 63, request->targ_hi >> 6 & 63};
    struct g_place ret = {request->ret_hi & 63, request->ret_hi >> 6 & 63};
    bool is_write = (request->ctrl & 3) == G_WRITE;
    bool is_inline = is_write && request->ctrl & G_INLINE;
    struct g_place to = is_write && !is_inline ? ret : targ;
    struct g_place answer = is_inline ? from : is_write ? targ : ret;
    g_book(from, request, &to, 1, answer);
}

static bool has_harts(unsigned x, unsigned y)
{
    return penrose_hart_name_at(world->chip, x, y, PENROSE_BRISC) != NULL;
}

void g_audit(const char *what)
{
    for (unsigned noc = 0; noc < G_NOCS; noc++) {
        for (unsigned i = 0; i < G_WIDTH * G_HEIGHT; i++) {
            struct g_place at = {i % G_WIDTH, i / G_WIDTH};
            if (!world->is_used[noc][at.x][at.y] || !has_harts(at.x, at.y)) {
                continue;
            }
            for (unsigned counter = 0; counter < G_COUNTERS; counter++) {
                uint32_t is = g_word(at, G_COUNTER(noc, counter));
                uint32_t wanted = world->want[noc][at.x][at.y][counter];
                if (is != wanted) {
                    ck_abort_msg("%s: NoC %u (%u, %u) counter %u is %u, not %u", what, noc, at.x,
                                 at.y, counter, is, wanted);
                }
            }
        }
    }
}

/* --- Faults --- */

void g_expect_fault(struct g_place from, const struct g_request *request, uint64_t kinds,
                    const char *what)
{
    g_issue(from, request);
    struct penrose_run run = {.size = sizeof run, .cycles = UINT64_C(1) << 24};
    enum penrose_outcome outcome = penrose_run(world->chip, &run);
    struct penrose_fault fault = {0};
    bool is_there = penrose_fault_get(world->chip, 0, &fault);
    ck_assert_msg(is_there,
                  "%s: no fault (ctrl 0x%x targ 0x%" PRIx64 " %x ret 0x%" PRIx64 " %x length 0x%x)",
                  what, request->ctrl, request->targ, request->targ_hi, request->ret,
                  request->ret_hi, request->length);
    ck_assert_msg(kinds >> fault.kind & 1, "%s: the fault is %s: %s", what,
                  penrose_fault_name(fault.kind), fault.rule);
    ck_assert_msg(fault.x == from.x && fault.y == from.y, "%s: the fault is of (%u, %u): %s", what,
                  fault.x, fault.y, fault.rule);
    ck_assert_msg(strlen(fault.rule) > 10 && strlen(fault.rule) < 150, "%s: %s", what, fault.rule);
    ck_assert_msg(fault.policy != PENROSE_STOP || outcome == PENROSE_FAULT, "%s: outcome %d", what,
                  (int)outcome);
    ck_assert_uint_eq(penrose_fault_count(world->chip), 1);
    penrose_fault_clear(world->chip);
    g_settle();
}
