/*
 * Random traffic without races: thousands of reads, writes, enabled and inline writes, atomics and
 * broadcasts between workers, Ethernet tiles, DRAM and host memory, many on their way at once, and
 * afterwards every byte of every place and every counter against a model. And programs of harts
 * that send to each other: the same memory and counters for any number of threads and every
 * schedule.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/noc/noc_world.h"

FIXTURE(NULL, g_close);

/* --- Places and what they hold --- */

enum {
    WORKERS = 40,
    ETHERNETS = 6,
    PORTS = 24,
    PLACES = WORKERS + ETHERNETS + PORTS + 1,
    HOST = PLACES - 1,
    ARENA = 0x18000, /* bytes of each */
    LINE = 64,       /* of which marks are kept */
    LINES = ARENA / LINE,
    BANKS = 8,
};

struct arena {
    struct g_place at;
    uint64_t address;
    uint8_t *bytes; /* the model; ports of a bank share it */
    uint8_t *marks; /* of this batch: 1 is read, 2 is written */
    bool starts;    /* requests */
    bool has_atomics;
};

static struct arena arenas[PLACES];
static uint8_t *memory[PLACES];
static uint8_t *marked[PLACES];

static void lay_out(void)
{
    for (unsigned i = 0; i < PLACES; i++) {
        struct arena *arena = &arenas[i];
        unsigned owner = i;
        *arena = (struct arena){.address = 0x20000,
                                .starts = i < WORKERS + ETHERNETS,
                                .has_atomics = i < WORKERS + ETHERNETS};
        if (i < WORKERS) {
            unsigned x = 1 + i % 14;
            arena->at = (struct g_place){x > 7 ? x + 2 : x, 2 + i / 14 * 3 + i % 3};
        } else if (i < WORKERS + ETHERNETS) {
            arena->at = (struct g_place){20 + 2 * (i - WORKERS), 25};
        } else if (i < HOST) {
            unsigned port = i - WORKERS - ETHERNETS;
            arena->at = (struct g_place){17 + port / 12, 12 + port % 12};
            arena->address = UINT64_C(0x7fff0000); /* crosses 2^31 */
            owner = WORKERS + ETHERNETS + port / 3 * 3;
        } else {
            arena->at = (struct g_place){19, 24};
            arena->address = UINT64_C(0x1000000000000000);
        }
        if (owner == i) {
            memory[i] = calloc(1, ARENA);
            marked[i] = calloc(1, LINES);
        }
        arena->bytes = memory[owner];
        arena->marks = marked[owner];
        ck_assert_ptr_nonnull(arena->bytes);
        ck_assert_ptr_nonnull(arena->marks);
    }
}

static void clear_up(void)
{
    for (unsigned i = 0; i < PLACES; i++) {
        free(memory[i]);
        free(marked[i]);
        memory[i] = marked[i] = NULL;
    }
}

static void fill_all(void)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (!memory[i]) {
            continue;
        }
        g_random_bytes(memory[i], ARENA);
        if (i == HOST) {
            memcpy(world->host, memory[i], ARENA);
        } else {
            g_put(arenas[i].at, arenas[i].address, memory[i], ARENA);
        }
    }
}

static void compare_all(const char *what)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (!memory[i]) {
            continue;
        }
        if (i == HOST) {
            ck_assert_int_eq(memcmp(world->host, memory[i], ARENA), 0);
        } else {
            g_expect_bytes(arenas[i].at, arenas[i].address, memory[i], ARENA, what);
        }
    }
}

/* Takes part of an arena for this batch, if nobody else has it in a way that would race. */
static bool claim(struct arena *arena, uint32_t offset, uint32_t length, uint8_t mark)
{
    unsigned first = offset / LINE, last = (offset + length - 1) / LINE;
    for (unsigned i = first; i <= last; i++) {
        if (arena->marks[i] >= 2 || (arena->marks[i] && mark == 2)) {
            return false;
        }
    }
    memset(arena->marks + first, mark, last - first + 1);
    return true;
}

/* --- Requests --- */

static uint32_t some_length(void)
{
    switch (g_below(8)) {
    case 0:
        return 1 + g_below(40000);
    case 1:
        return 1 + g_below(16384);
    case 2:
        return 4;
    default:
        return 1 + g_below(1024);
    }
}

/* Offsets are multiples of 64, so the numbers of flits and all alignments are plain. */
static bool try_copy(struct arena *from, struct arena *to, bool is_read, struct g_request *request)
{
    uint32_t length = some_length();
    uint32_t source = g_below((ARENA - length) / 64) * 64;
    uint32_t sink = g_below((ARENA - length) / 64) * 64;
    if (!claim(from, source, length, 1) || !claim(to, sink, length, 2)) {
        return false;
    }
    request->targ = from->address + source;
    request->ret = to->address + sink;
    request->targ_hi = g_hi(from->at);
    request->ret_hi = g_hi(to->at);
    request->length = length;
    request->ctrl = is_read ? G_READ : G_WRITE | g_below(2) << 4;
    memcpy(to->bytes + sink, from->bytes + source, length);
    return true;
}

static bool try_enabled(struct arena *from, struct arena *to, struct g_request *request)
{
    uint32_t source = g_below(LINES) * 64, sink = g_below(LINES) * 64;
    if (!claim(from, source, 64, 1) || !claim(to, sink, 64, 2)) {
        return false;
    }
    uint64_t mask = (uint64_t)g_random() << 32 | g_random();
    *request = (struct g_request){.ctrl = G_WRITE | G_ENABLES | g_below(2) << 4,
                                  .targ = from->address + source,
                                  .ret = to->address + sink,
                                  .targ_hi = g_hi(from->at),
                                  .ret_hi = g_hi(to->at),
                                  .length = (uint32_t)mask,
                                  .length_high = (uint32_t)(mask >> 32)};
    for (unsigned i = 0; i < 64; i++) {
        if (mask >> i & 1) {
            to->bytes[sink + i] = from->bytes[source + i];
        }
    }
    return true;
}

/* Increments may meet at one word: lines marked 3 take nothing else in this batch. */
static bool try_atomic(struct arena *from, struct arena *to, struct g_request *request)
{
    uint32_t sink = g_below(16) * 64, answer = g_below(LINES) * 64, value;
    if (to->marks[sink / LINE] != 0 && to->marks[sink / LINE] != 3) {
        return false;
    }
    bool is_first = to->marks[sink / LINE] == 0, is_marked = g_below(2);
    to->marks[sink / LINE] = 3;
    if (is_marked && (!is_first || from->marks[answer / LINE])) {
        is_marked = false; /* the answer would depend on who comes first */
    }
    if (is_marked) {
        from->marks[answer / LINE] = 2;
    }
    uint32_t lane = 4 * g_below(4), data = g_random();
    *request = (struct g_request){.ctrl = G_ATOMIC | (is_marked ? G_MARKED : 0),
                                  .data = data,
                                  .targ = to->address + sink + lane,
                                  .ret = from->address + answer,
                                  .targ_hi = g_hi(to->at),
                                  .ret_hi = g_hi(from->at),
                                  .length = 0x107c | lane / 4};
    memcpy(&value, to->bytes + sink + lane, 4);
    if (is_marked) {
        to->marks[sink / LINE] = 2; /* nobody else, so that the answer is known */
        memcpy(from->bytes + answer, &value, 4);
    }
    value += data;
    memcpy(to->bytes + sink + lane, &value, 4);
    return true;
}

/* Makes one request of `starter` up and plays it on the model; false when it would have raced. */
static bool make_request(struct arena *starter, struct g_request *request)
{
    struct arena *other = &arenas[g_below(PLACES)];
    *request = (struct g_request){0};
    switch (g_below(8)) {
    case 0:
        return other->has_atomics && try_atomic(starter, other, request);
    case 1:
        return other != &arenas[HOST] && try_enabled(starter, other, request);
    case 2:
    case 3:
    case 4:
        return try_copy(other, starter, true, request);
    default:
        return try_copy(starter, other, false, request);
    }
}

static unsigned run_batch(unsigned wanted)
{
    unsigned made = 0;
    for (unsigned i = 0; i < PLACES; i++) {
        if (marked[i]) {
            memset(marked[i], 0, LINES);
        }
    }
    for (unsigned tries = 0; made < wanted && tries < 4 * wanted; tries++) {
        struct arena *starter = &arenas[g_below(WORKERS + ETHERNETS)];
        struct g_request request;
        if (!make_request(starter, &request)) {
            continue;
        }
        request.noc = g_below(2);
        request.buffer = g_below(4);
        request.tag = G_ID(g_below(16));
        request.ctrl |= g_below(3) ? 0 : G_STATIC | g_below(4) << 13;
        g_issue(starter->at, &request);
        g_book_unicast(starter->at, &request);
        made++;
        if (g_below(10) == 0) { /* some while others are on their way */
            struct penrose_run run = {.size = sizeof run, .cycles = 256};
            penrose_run(world->chip, &run);
        }
    }
    g_settle();
    return made;
}

static void run_traffic(const struct penrose_options *options, uint64_t seed, unsigned total)
{
    g_open(options);
    world->random = seed;
    g_give_host_memory(0, ARENA);
    lay_out();
    for (unsigned i = 0; i < PLACES; i++) {
        if (i != HOST) { /* NIUs of DRAM tiles count once they exist */
            g_word(arenas[i].at, G_COUNTER(0, 0));
        }
    }
    fill_all();
    unsigned made = 0;
    for (unsigned batch = 0; made < total; batch++) {
        made += run_batch(100);
        if (batch % 16 == 0) {
            compare_all("after a batch");
            g_audit("after a batch");
        }
    }
    compare_all("at the end");
    g_audit("at the end");
    clear_up();
}

/* PENROSE_LONG: a hundred times as many. */
TEST_EACH(random_traffic, 4)
{
    struct penrose_options options = {.size = sizeof options};
    options.threads = _i == 0 ? 1 : 3;
    options.schedule = _i == 2 ? PENROSE_RANDOM : PENROSE_FAST;
    options.timed = _i == 3;
    run_traffic(&options, 1000 + (uint64_t)_i, getenv("PENROSE_LONG") ? 500000 : 5000);
}

/* --- Programs of harts --- */

enum {
    RING = 24,
    ROUNDS = 6,
    PROGRAM = 0x1000,
    DATA = 0x8000,
    BYTES = 1024,
    FLAG = 0x7000,
    SLOT = 1 /* stands for the slot that s2 points to */
};

struct code {
    uint32_t words[1024];
    unsigned count;
};

/* One instruction; the text may hold a %d. */
__attribute__((format(printf, 2, 3))) static void emit(struct code *code, const char *format, ...)
{
    char text[80];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct penrose_error error = {0};
    ck_assert_uint_lt(code->count, 1024);
    ck_assert_msg(penrose_assemble(NULL, text, PROGRAM + 4 * code->count, &code->words[code->count],
                                   &error) == PENROSE_OK,
                  "%s: %s", text, error.text);
    code->count++;
}

static void emit_value(struct code *code, const char *to, uint32_t value)
{
    uint32_t high = (value + 0x800) >> 12 & 0xfffff;
    emit(code, "lui %s, 0x%x", to, high);
    emit(code, "addi %s, %s, %d", to, to, (int)((value & 0xfff) ^ 0x800) - 0x800);
}

static void emit_store(struct code *code, uint64_t address, uint32_t value)
{
    emit_value(code, "a0", (uint32_t)address);
    emit_value(code, "a1", value);
    emit(code, "sw a1, 0(a0)");
}

/* Waits until the request has left, so that the initiator may be used again. */
static void emit_request(struct code *code, const struct g_request *request)
{
    uint64_t buffer = G_BUFFER(request->noc, request->buffer);
    emit_store(code, buffer + 0x00, (uint32_t)request->targ);
    emit_store(code, buffer + 0x04, 0);
    emit_store(code, buffer + 0x08, request->targ_hi);
    emit_store(code, buffer + 0x0c, (uint32_t)request->ret);
    if (request->ret == SLOT) {
        emit(code, "sw s2, 0(a0)");
    }
    emit_store(code, buffer + 0x10, 0);
    emit_store(code, buffer + 0x14, request->ret_hi);
    emit_store(code, buffer + 0x18, request->tag);
    emit_store(code, buffer + 0x1c, request->ctrl);
    emit_store(code, buffer + 0x20, request->length);
    emit_store(code, buffer + 0x28, request->data);
    emit(code, "fence 0xf, 0xf");
    emit_store(code, buffer + 0x40, 1);
    unsigned loop = code->count;
    emit(code, "lw a2, 0(a0)");
    emit(code, "bne a2, zero, 0x%x", PROGRAM + 4 * loop);
}

/* Waits until the outstanding counter of the request's id is zero. */
static void emit_barrier(struct code *code, const struct g_request *request)
{
    emit_value(code, "a0", (uint32_t)G_OUTSTANDING(request->noc, request->tag >> 10 & 15));
    unsigned loop = code->count;
    emit(code, "lw a1, 0(a0)");
    emit(code, "bne a1, zero, 0x%x", PROGRAM + 4 * loop);
}

static struct g_place ring_at(unsigned i)
{
    i %= RING;
    return (struct g_place){i < 12 ? 1 + i % 6 : 16 - i % 6, 2 + i / 6 * 2};
}

/*
 * Round after round: send a block to a fresh slot of the next tile, wait for the acknowledgement,
 * increment the next tile's flag and a counter that all share, wait for the own flag, add the block
 * that came to the own one and keep a copy of that in DRAM over the other NoC.
 */
static void write_ring_program(unsigned i, struct code *code)
{
    struct g_place here = ring_at(i), next = ring_at(i + 1), dram = {17 + i % 2, 12 + i % 12};
    struct g_request send = g_request_of(G_WRITE | G_MARKED, i & 1, here, DATA, next, SLOT, BYTES);
    send.tag = G_ID(1);
    struct g_request flag =
        g_request_of(G_ATOMIC | G_MARKED, i & 1, next, FLAG, here, 0x7100, 0x107c);
    flag.buffer = 3;
    flag.tag = G_ID(2);
    flag.data = 1;
    struct g_request common = flag;
    common.targ_hi = g_hi(ring_at(0));
    common.targ = FLAG + 0x40;
    common.ctrl = G_ATOMIC;
    struct g_request keep = g_request_of(G_WRITE | G_MARKED, 1 - (i & 1), here, DATA, dram,
                                         0x100000 + UINT64_C(0x10000) * i, BYTES);
    keep.buffer = 1;
    keep.tag = G_ID(3);
    emit_value(code, "s0", 1);
    emit_value(code, "s2", DATA + BYTES);
    unsigned head = code->count;
    emit_request(code, &send);
    emit_barrier(code, &send);
    emit_request(code, &flag);
    emit_barrier(code, &flag);
    emit_request(code, &common);
    emit_value(code, "a0", FLAG);
    unsigned loop = code->count;
    emit(code, "fence 0xf, 0xf");
    emit(code, "lw a1, 0(a0)");
    emit(code, "bltu a1, s0, 0x%x", PROGRAM + 4 * loop);
    emit_value(code, "a0", DATA);
    emit_value(code, "a3", BYTES / 4);
    loop = code->count;
    emit(code, "lw a1, 0(s2)");
    emit(code, "addi s2, s2, 4");
    emit(code, "lw a2, 0(a0)");
    emit(code, "add a1, a1, a2");
    emit(code, "add a1, a1, s0");
    emit(code, "sw a1, 0(a0)");
    emit(code, "addi a0, a0, 4");
    emit(code, "addi a3, a3, -1");
    emit(code, "bne a3, zero, 0x%x", PROGRAM + 4 * loop);
    emit(code, "fence 0xf, 0xf");
    emit_request(code, &keep);
    emit_barrier(code, &keep);
    emit(code, "addi s0, s0, 1");
    emit_value(code, "a1", ROUNDS + 1);
    emit(code, "beq s0, a1, 0x%x", PROGRAM + 4 * (code->count + 2));
    emit(code, "jal zero, 0x%x", PROGRAM + 4 * head);
    emit(code, "ebreak");
}

struct outcome {
    uint32_t counters[RING][G_NOCS][G_COUNTERS];
    uint8_t data[RING][BYTES], kept[RING][BYTES];
    uint32_t flags[RING], common;
};

static void run_ring(const struct penrose_options *options, struct outcome *outcome)
{
    g_open(options);
    world->random = 5;
    for (unsigned i = 0; i < RING; i++) {
        struct code code = {.count = 0};
        struct penrose_error error = {0};
        write_ring_program(i, &code);
        g_put(ring_at(i), PROGRAM, code.words, 4 * code.count);
        g_scatter(ring_at(i), DATA, NULL, BYTES);
        g_put_word(ring_at(i), FLAG, 0);
        g_put_word(ring_at(i), FLAG + 0x40, 0);
        ck_assert_int_eq(penrose_hart_release(world->chip, ring_at(i).x, ring_at(i).y,
                                              PENROSE_BRISC, PROGRAM, &error),
                         PENROSE_OK);
    }
    g_settle();
    for (unsigned i = 0; i < RING; i++) {
        struct g_place at = ring_at(i), dram = {17 + i % 2, 12 + i % 12};
        struct penrose_hart_info info;
        penrose_hart_info(world->chip, at.x, at.y, PENROSE_BRISC, &info, NULL);
        ck_assert_msg(info.state == PENROSE_HART_PAUSED, "hart %u is in state %d at 0x%x", i,
                      (int)info.state, info.pc);
        for (unsigned noc = 0; noc < G_NOCS; noc++) {
            for (unsigned k = 0; k < G_COUNTERS; k++) {
                outcome->counters[i][noc][k] = g_word(at, G_COUNTER(noc, k));
            }
        }
        g_get(at, DATA, outcome->data[i], BYTES);
        g_get(dram, 0x100000 + UINT64_C(0x10000) * i, outcome->kept[i], BYTES);
        outcome->flags[i] = g_word(at, FLAG);
    }
    outcome->common = g_word(ring_at(0), FLAG + 0x40);
    g_close();
}

static const struct {
    enum penrose_schedule schedule;
    unsigned threads;
    uint64_t seed;
    bool timed;
} runs[] = {
    {PENROSE_FAST, 2, 0, false},     {PENROSE_FAST, 7, 0, false},   {PENROSE_LOCKSTEP, 1, 0, false},
    {PENROSE_LOCKSTEP, 7, 0, false}, {PENROSE_RANDOM, 1, 1, false}, {PENROSE_RANDOM, 2, 1, false},
    {PENROSE_RANDOM, 7, 99, false},  {PENROSE_FAST, 2, 0, true},
};

TEST_EACH(any_threads_and_schedules, COUNT(runs))
{
    static struct outcome first, other;
    struct penrose_options options = {.size = sizeof options};
    options.threads = 1;
    run_ring(&options, &first);
    ck_assert_uint_eq(first.common, RING * ROUNDS);
    ck_assert_uint_eq(first.flags[3], ROUNDS);
    for (unsigned i = 0; i < RING; i++) {
        ck_assert_int_eq(memcmp(first.data[i], first.kept[i], BYTES), 0);
    }
    options.schedule = runs[_i].schedule;
    options.threads = runs[_i].threads;
    options.seed = runs[_i].seed;
    options.timed = runs[_i].timed;
    run_ring(&options, &other);
    ck_assert_int_eq(memcmp(&first, &other, sizeof first), 0);
}
