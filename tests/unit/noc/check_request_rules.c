/*
 * What NoC requests may name: alignment of the two ends, lengths, byte enables, inline data, header
 * stores; and each way to be wrong, which is a fault of the tile that asked, with nothing written.
 * Written from BlackholeA0 NoC/MemoryMap and WormholeB0 NoC/Alignment.
 */
#include <stdlib.h>
#include <string.h>

#include "unit/noc/noc_world.h"
#include "unit/test.h"

static struct g_world *world;
static const struct g_place here = {4, 6}, there = {13, 3}, dram = {18, 20}, ethernet = {24, 25};

static void setup(void)
{
    world = g_open(NULL);
}

static void teardown(void)
{
    g_close(world);
}

FIXTURE(setup, teardown);

enum { L1_BASE = 0x30000, ARENA = 0x1000 };

/* Four registers that hold all 32 bits, one for each place in 16 bytes: NOC_TARG_ADDR_LO and after,
 * of the last buffer of NoC 1; requests here do not use that buffer. */
#define REGISTERS UINT64_C(0xffb31800)

/* --- Ends that must fit each other --- */

enum kind { REGISTER, L1, OTHER };

/* What the table of the page and the words beside it allow; the pages leave open what is between.
 */
enum verdict { ALLOWED, FORBIDDEN, OPEN };

static enum verdict judge(enum kind from, enum kind to, bool is_read, uint64_t source,
                          uint64_t sink, uint32_t length)
{
    if (from == REGISTER || to == REGISTER) {
        if (length != 4) {
            return from == REGISTER && to != REGISTER && source % 4 + length <= 4 &&
                           source % 4 == sink % 4
                       ? OPEN /* Wormhole's page allows it, Blackhole's does not */
                       : FORBIDDEN;
        }
        if (to == REGISTER && sink % 4) {
            return FORBIDDEN;
        }
        if (from == REGISTER) {
            return source % 4 ? FORBIDDEN : sink % 4 ? FORBIDDEN : ALLOWED;
        }
        return source % 16 == sink % 16 ? ALLOWED : FORBIDDEN;
    }
    if (source % 16 != sink % 16) {
        return FORBIDDEN;
    }
    if (from == OTHER && is_read) {
        /* 32 on the page, of Wormhole; 64 in the vendor's headers. */
        return source % 64 == sink % 64 ? ALLOWED : source % 32 == sink % 32 ? OPEN : FORBIDDEN;
    }
    return ALLOWED;
}

static uint64_t address_of(enum kind kind, uint32_t offset)
{
    return kind == REGISTER ? REGISTERS + offset % 16 : L1_BASE + offset % 256;
}

/* One transfer of a random length between random places, near what is allowed. */
static void try_transfer(enum kind from, enum kind to, bool is_read, struct g_place asker,
                         struct g_place far)
{
    struct g_place source_at = is_read ? far : asker, sink_at = is_read ? asker : far;
    uint32_t offset = g_random(world), shift = g_random(world);
    uint32_t length = from == REGISTER || to == REGISTER ? 4 : 1 + g_below(world, 900);
    length = g_below(world, 8) ? length : 1 + g_below(world, 16);
    shift = g_below(world, 4) ? shift & ~63u : g_below(world, 2) ? shift & ~15u : shift;
    offset = from == REGISTER || to == REGISTER ? offset & ~(g_below(world, 4) ? 3u : 0u) : offset;
    uint64_t source = address_of(from, offset), sink = address_of(to, offset + shift) + ARENA * 8;
    sink = to == REGISTER ? address_of(to, offset + shift) : sink;
    uint8_t source_bytes[ARENA], sink_bytes[ARENA];
    g_random_bytes(world, source_bytes, ARENA);
    g_random_bytes(world, sink_bytes, ARENA);
    uint64_t source_base = from == REGISTER ? REGISTERS : L1_BASE;
    uint64_t sink_base = to == REGISTER ? REGISTERS : L1_BASE + ARENA * 8;
    uint32_t source_size = from == REGISTER ? 16 : ARENA, sink_size = to == REGISTER ? 16 : ARENA;
    for (uint32_t i = 0; i < source_size; i += source_size == 16 ? 4 : source_size) {
        g_put(world, source_at, source_base + i, source_bytes + i, source_size == 16 ? 4 : ARENA);
    }
    for (uint32_t i = 0; i < sink_size; i += sink_size == 16 ? 4 : sink_size) {
        g_put(world, sink_at, sink_base + i, sink_bytes + i, sink_size == 16 ? 4 : ARENA);
    }
    struct g_request request = {.noc = g_below(world, 2),
                                .buffer = g_below(world, 3),
                                .targ = source,
                                .ret = sink,
                                .length = length,
                                .targ_hi = g_hi(is_read ? far : asker),
                                .ret_hi = g_hi(is_read ? asker : far),
                                .tag = G_ID(2),
                                .ctrl = is_read ? G_READ : G_WRITE | g_below(world, 2) << 4};
    enum verdict verdict = judge(from, to, is_read, source, sink, length);
    const char *what = is_read ? "read" : "write";
    if (verdict == OPEN) {
        return;
    }
    if (verdict == FORBIDDEN) {
        g_expect_fault(world, asker, &request, G_KIND(NOC_ALIGNMENT) | G_KIND(NOC_LENGTH), what);
    } else {
        g_do(world, asker, &request);
        memcpy(sink_bytes + (sink - sink_base), source_bytes + (source - source_base), length);
    }
    if (to == REGISTER) {
        for (uint32_t i = 0; i < 16; i += 4) {
            uint32_t word;
            memcpy(&word, sink_bytes + i, 4);
            ck_assert_msg(g_word(world, sink_at, REGISTERS + i) == word, "%s of a register", what);
        }
    } else {
        g_expect_bytes(world, sink_at, sink_base, sink_bytes, ARENA, what);
    }
}

TEST_EACH(ends_between_tiles, 8)
{
    enum kind from = (unsigned)_i & 1 ? REGISTER : L1, to = (unsigned)_i & 2 ? REGISTER : L1;
    for (unsigned i = 0; i < 400; i++) {
        struct g_place far = i % 5 == 0 ? ethernet : i % 5 == 1 && from != to ? here : there;
        try_transfer(from, to, (unsigned)_i & 4, here, far);
    }
}

TEST_EACH(ends_at_dram, 2)
{
    for (unsigned i = 0; i < 300; i++) {
        try_transfer(OTHER, (unsigned)_i & 1 ? REGISTER : L1, true, here, dram);
        try_transfer((unsigned)_i & 1 ? REGISTER : L1, OTHER, false, here, dram);
    }
}

/* SPEC: WormholeB0 Alignment, the rows and columns of other addresses; its cells "Any" are about
 * reads and writes of the host. PCIe: the vendor's noc_parameters. ARC: as ttsim. */
static const struct {
    const char *what;
    struct g_place at;
    uint64_t address;
    unsigned read_modulus;
} edges[] = {
    {"PCIe", {19, 24}, UINT64_C(0x1000000000001000), 64},
    {"ARC", {8, 0}, UINT64_C(0x10040000), 16},
    {"L2CPU", {8, 26}, UINT64_C(0x300030000), 32},
    {"security", {8, 30}, UINT64_C(0x30000), 32},
};

TEST_EACH(ends_at_the_edge, G_COUNT(edges))
{
    g_give_host_memory(world, 0, 0x2000);
    for (unsigned i = 0; i < 120; i++) {
        bool is_read = i & 1;
        unsigned modulus = is_read ? edges[_i].read_modulus : 16;
        uint32_t near = g_below(world, 128), far = g_below(world, 128), length = 8;
        far = i % 3 ? far / modulus * modulus + near % modulus : far;
        uint64_t address = edges[_i].address + far;
        uint8_t bytes[8], before[8];
        g_scatter(world, is_read ? edges[_i].at : here, is_read ? address : L1_BASE + near, bytes,
                  8);
        g_get(world, edges[_i].at, address, before, 8);
        struct g_request request = {.ctrl = is_read ? G_READ : G_WRITE | G_MARKED,
                                    .noc = edges[_i].at.y == 0 ? 0 : g_below(world, 2),
                                    .targ = is_read ? address : L1_BASE + near,
                                    .ret = is_read ? L1_BASE + near : address,
                                    .targ_hi = g_hi(is_read ? edges[_i].at : here),
                                    .ret_hi = g_hi(is_read ? here : edges[_i].at),
                                    .length = length};
        if (near % modulus == far % modulus) {
            g_do(world, here, &request);
            g_expect_bytes(world, here, L1_BASE + near, bytes, 8, edges[_i].what);
            g_expect_bytes(world, edges[_i].at, address, bytes, 8, edges[_i].what);
        } else {
            g_expect_fault(world, here, &request, G_KIND(NOC_ALIGNMENT), edges[_i].what);
            g_expect_bytes(world, edges[_i].at, address, before, 8, edges[_i].what);
        }
    }
}

/* Registers are words anywhere: NIU_CFG_0 of those tiles, and ARC's memory. */
TEST_EACH(words_at_the_edge, G_COUNT(edges))
{
    for (unsigned i = 0; i < 16; i++) {
        bool is_arc = i & 1;
        struct g_place at = is_arc ? edges[1].at : edges[_i].at;
        uint64_t address = is_arc ? edges[1].address + 4 * i : UINT64_C(0xffffffffffb20100);
        struct g_request request = {.ctrl = G_READ,
                                    .targ = address,
                                    .ret = L1_BASE + 4 * i,
                                    .targ_hi = g_hi(at),
                                    .ret_hi = g_hi(here),
                                    .length = 4};
        g_put_word(world, here, request.ret, 0);
        g_do(world, here, &request);
        ck_assert_uint_eq(g_word(world, here, request.ret), g_word(world, at, address));
        request.ret += 2;
        g_expect_fault(world, here, &request, G_KIND(NOC_ALIGNMENT) | G_KIND(NOC_LENGTH), "word");
    }
}

/* Data cross the NoC in so many flits, whoever counts them. */
TEST(flits_are_the_same_at_both_ends)
{
    for (unsigned i = 0; i < 60; i++) {
        unsigned noc = i & 1;
        uint32_t shift = 16 * g_below(world, 4), length = 1 + g_below(world, 300);
        uint32_t sent = g_word(world, there, G_COUNTER(noc, 51));
        uint32_t received = g_word(world, here, G_COUNTER(noc, 3));
        struct g_request request = {.noc = noc,
                                    .ctrl = G_READ,
                                    .targ = L1_BASE + shift,
                                    .ret = L1_BASE + ARENA + 16 * g_below(world, 4),
                                    .targ_hi = g_hi(there),
                                    .ret_hi = g_hi(here),
                                    .length = length};
        g_do(world, here, &request);
        ck_assert_uint_eq(g_word(world, there, G_COUNTER(noc, 51)) - sent,
                          g_word(world, here, G_COUNTER(noc, 3)) - received);
    }
}

/* --- Byte enables --- */

/* 64 bytes from TARG & ~15 to RET & ~15, those that the mask of 64 bits names. */
TEST_EACH(enabled_bytes, 2)
{
    for (unsigned i = 0; i < 300; i++) {
        uint8_t source[256], sink[256];
        bool to_dram = _i == 1;
        struct g_place far = to_dram ? dram : i & 1 ? ethernet : there;
        g_scatter(world, here, L1_BASE, source, sizeof source);
        g_scatter(world, far, L1_BASE + ARENA, sink, sizeof sink);
        uint32_t from = to_dram ? g_below(world, 3) * 64 : g_below(world, 12) * 16;
        uint32_t to = to_dram ? from : g_below(world, 12) * 16;
        from = to_dram ? from : to % 32 + from / 32 * 32;
        uint64_t mask = (uint64_t)g_random(world) << 32 | g_random(world);
        mask &= i % 3 ? UINT64_MAX : UINT32_MAX;
        uint32_t low = i % 4 || to_dram ? 0 : g_below(world, 16);
        struct g_request request = {.noc = i & 1,
                                    .buffer = g_below(world, 4),
                                    .targ = L1_BASE + from + low,
                                    .ret = L1_BASE + ARENA + to + low,
                                    .targ_hi = g_hi(here),
                                    .ret_hi = g_hi(far),
                                    .length = (uint32_t)mask,
                                    .length_high = (uint32_t)(mask >> 32),
                                    .ctrl = G_WRITE | G_ENABLES | g_below(world, 2) << 4};
        g_do(world, here, &request);
        for (unsigned byte = 0; byte < 64; byte++) {
            if (mask >> byte & 1) {
                sink[to + byte] = source[from + byte];
            }
        }
        g_expect_bytes(world, far, L1_BASE + ARENA, sink, sizeof sink, "byte enables");
    }
}

/* A register takes the whole word whatever the mask says. */
TEST(enables_of_registers)
{
    for (unsigned i = 0; i < 60; i++) {
        uint32_t offset = 4 * g_below(world, 4), before[4], word = g_random(world);
        for (unsigned k = 0; k < 4; k++) {
            before[k] = g_random(world);
            g_put_word(world, there, REGISTERS + 4 * k, before[k]);
        }
        g_put_word(world, here, L1_BASE + offset, word);
        struct g_request request = {.noc = i & 1,
                                    .targ = L1_BASE + offset,
                                    .ret = REGISTERS + offset,
                                    .targ_hi = g_hi(here),
                                    .ret_hi = g_hi(there),
                                    .length = i % 3 ? g_random(world) : 0,
                                    .length_high = g_random(world),
                                    .ctrl = G_WRITE | G_ENABLES | g_below(world, 2) << 4};
        g_do(world, here, &request);
        for (unsigned k = 0; k < 4; k++) {
            ck_assert_uint_eq(g_word(world, there, REGISTERS + 4 * k),
                              4 * k == offset ? word : before[k]);
        }
    }
}

/* Which addresses are registers is the receiver's business: host memory has none. */
TEST(enables_above_registers)
{
    const struct g_place pcie = {19, 24};
    uint8_t source[64], sink[64];
    g_give_host_memory(world, UINT64_C(0xff000000), 0x2000);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t mask = i ? (uint64_t)g_random(world) << 32 | g_random(world) : UINT64_MAX;
        uint64_t window = i & 1 ? UINT64_C(0x1000000000000000) : 0;
        g_scatter(world, here, L1_BASE, source, sizeof source);
        g_random_bytes(world, world->host + 0x1000, 64);
        memcpy(sink, world->host + 0x1000, 64);
        struct g_request request = {.noc = i >> 1 & 1,
                                    .targ = L1_BASE,
                                    .ret = window + 0xff001000,
                                    .targ_hi = g_hi(here),
                                    .ret_hi = g_hi(pcie),
                                    .length = (uint32_t)mask,
                                    .length_high = (uint32_t)(mask >> 32),
                                    .ctrl = G_WRITE | G_ENABLES | G_MARKED};
        g_do(world, here, &request);
        for (unsigned byte = 0; byte < 64; byte++) {
            sink[byte] = mask >> byte & 1 ? source[byte] : sink[byte];
        }
        ck_assert_int_eq(memcmp(world->host + 0x1000, sink, 64), 0);
    }
}

/* SPEC: WormholeB0 Alignment, byte enables: a register is read once and goes to all lanes. */
TEST(registers_are_broadcast)
{
    for (unsigned i = 0; i < 60; i++) {
        uint8_t sink[64];
        uint32_t value = g_random(world), from = 4 * g_below(world, 4);
        bool to_register = i % 3 == 0;
        uint64_t mask = (uint64_t)g_random(world) << 32 | g_random(world);
        uint64_t to = to_register ? REGISTERS + 4 * g_below(world, 4) : L1_BASE + ARENA;
        g_put_word(world, here, REGISTERS + from, value);
        g_scatter(world, there, L1_BASE + ARENA, sink, sizeof sink);
        struct g_request request = {.noc = i & 1,
                                    .targ = REGISTERS + from,
                                    .ret = to,
                                    .targ_hi = g_hi(here),
                                    .ret_hi = g_hi(there),
                                    .length = (uint32_t)mask,
                                    .length_high = (uint32_t)(mask >> 32),
                                    .ctrl = G_WRITE | G_ENABLES | g_below(world, 2) << 4};
        g_do(world, here, &request);
        for (unsigned byte = 0; byte < 64 && !to_register; byte++) {
            sink[byte] = mask >> byte & 1 ? (uint8_t)(value >> byte % 4 * 8) : sink[byte];
        }
        g_expect_bytes(world, there, L1_BASE + ARENA, sink, sizeof sink, "broadcast");
        ck_assert(!to_register || g_word(world, there, to) == value);
    }
}

/* --- Inline data --- */

TEST(inline_data)
{
    for (unsigned i = 0; i < 200; i++) {
        uint32_t offset = 4 * g_below(world, 4), before[4];
        struct g_place far = i % 3 == 0 ? ethernet : i % 3 == 1 ? there : here;
        for (unsigned k = 0; k < 4; k++) {
            before[k] = g_random(world);
            g_put_word(world, far, REGISTERS + 4 * k, before[k]);
        }
        struct g_request request = {.noc = i & 1,
                                    .buffer = g_below(world, 3),
                                    .targ = REGISTERS + offset,
                                    .targ_hi = g_hi(far),
                                    .ret = g_random(world),
                                    .ret_hi = g_random(world),
                                    .data = g_random(world),
                                    .length = g_random(world),
                                    .length_high = g_random(world),
                                    .ctrl = G_WRITE | G_INLINE | g_below(world, 2) << 4 |
                                            g_below(world, 2) << 2};
        g_do(world, here, &request);
        for (unsigned k = 0; k < 4; k++) {
            ck_assert_uint_eq(g_word(world, far, REGISTERS + 4 * k),
                              4 * k == offset ? request.data : before[k]);
        }
    }
}

/* --- Header stores --- */

/* The first 16 bytes of a posted write also go to NOC_AT_DATA << 4. */
TEST_EACH(headers_are_stored, 3)
{
    for (unsigned i = 0; i < 60; i++) {
        uint8_t source[512], header[64];
        struct g_place far = _i == 0 ? there : _i == 1 ? ethernet : dram;
        uint32_t length = i % 2 ? 16 : 64 + g_below(world, 448), start = 16 * g_below(world, 4);
        length -= i % 2 ? 0 : start;
        start = far.y == dram.y && far.x == dram.x ? 0 : start;
        bool is_stored = g_below(world, 2);
        g_scatter(world, here, L1_BASE, source, sizeof source);
        g_scatter(world, far, L1_BASE + ARENA, NULL, ARENA);
        g_scatter(world, far, 0x50000, header, sizeof header);
        if (far.x == dram.x && far.y == dram.y) { /* no disabled double stores */
            for (unsigned noc = 0; noc < 2; noc++) {
                uint64_t config = G_NIU(noc) + 0x100;
                g_put_word(world, far, config, g_word(world, far, config) & ~(1u << 13));
            }
        }
        struct g_request request = {.noc = i & 1,
                                    .targ = L1_BASE + start,
                                    .ret = L1_BASE + ARENA + start,
                                    .targ_hi = g_hi(here),
                                    .ret_hi = g_hi(far),
                                    .length = length,
                                    .data = (0x50000 + 16) >> 4,
                                    .ctrl = G_WRITE,
                                    .tag = is_stored ? G_HEADER_STORE : 0};
        g_do(world, here, &request);
        g_expect_bytes(world, far, L1_BASE + ARENA + start, source + start, length, "data");
        if (is_stored) {
            memcpy(header + 16, source + start, 16);
        }
        g_expect_bytes(world, far, 0x50000, header, sizeof header, "header");
    }
}

/* With byte enables too, whatever the mask. */
TEST(headers_of_enabled_bytes)
{
    for (unsigned i = 0; i < 16; i++) {
        uint8_t source[64], sink[64], header[16];
        uint64_t mask = i ? (uint64_t)g_random(world) << 32 | g_random(world) : 0;
        bool is_posted = i % 4;
        g_scatter(world, here, L1_BASE, source, sizeof source);
        g_scatter(world, there, L1_BASE, sink, sizeof sink);
        g_scatter(world, there, 0x50000, header, sizeof header);
        struct g_request request = {.noc = i & 1,
                                    .targ = L1_BASE,
                                    .ret = L1_BASE,
                                    .targ_hi = g_hi(here),
                                    .ret_hi = g_hi(there),
                                    .length = (uint32_t)mask,
                                    .length_high = (uint32_t)(mask >> 32),
                                    .data = 0x5000,
                                    .ctrl = G_WRITE | G_ENABLES | (is_posted ? 0 : G_MARKED),
                                    .tag = G_HEADER_STORE};
        g_do(world, here, &request);
        for (unsigned byte = 0; byte < 64; byte++) {
            sink[byte] = mask >> byte & 1 ? source[byte] : sink[byte];
        }
        g_expect_bytes(world, there, L1_BASE, sink, sizeof sink, "data");
        g_expect_bytes(world, there, 0x50000, is_posted ? source : header, 16, "header");
    }
}

/* Bit 13 of NIU_CFG_0 counts at tiles of other kinds; firmware has set it. */
TEST_EACH(headers_at_the_edge, G_COUNT(edges))
{
    static const uint64_t config[] = {UINT64_C(0xffffffffffb20100), UINT64_C(0xffffffffffb30100)};
    const struct g_place at = edges[_i].at;
    uint64_t place = _i == 0 ? 0x800 : edges[_i].address + 0x800; /* of 36 bits */
    g_give_host_memory(world, 0, 0x2000);
    for (unsigned i = 0; i < 4; i++) {
        bool is_on = i & 1;
        uint8_t source[64], header[16];
        uint32_t mode = g_word(world, at, config[i >> 1]);
        ck_assert(i > 0 || mode >> 13 & 1);
        g_put_word(world, at, config[i >> 1], (mode & ~(1u << 13)) | (is_on ? 0u : 1u << 13));
        g_scatter(world, here, L1_BASE, source, sizeof source);
        g_scatter(world, at, place, header, sizeof header);
        struct g_request request = {.targ = L1_BASE, /* on NoC 0, as the host's accesses */
                                    .ret = edges[_i].address,
                                    .targ_hi = g_hi(here),
                                    .ret_hi = g_hi(at),
                                    .length = 64,
                                    .data = (uint32_t)(place >> 4),
                                    .ctrl = G_WRITE,
                                    .tag = G_HEADER_STORE};
        g_do(world, here, &request);
        g_expect_bytes(world, at, edges[_i].address, source, sizeof source, "data");
        g_expect_bytes(world, at, place, is_on ? source : header, 16, edges[_i].what);
    }
}

/* A DRAM tile can be told to ignore the flag. */
TEST(double_stores_can_be_off)
{
    uint8_t header[16], data[64];
    for (unsigned noc = 0; noc < 2; noc++) {
        uint64_t config = G_NIU(noc) + 0x100;
        g_put_word(world, dram, config, g_word(world, dram, config) | 1u << 13);
        g_scatter(world, here, L1_BASE, data, sizeof data);
        g_scatter(world, dram, 0x50000, header, sizeof header);
        struct g_request request = {.noc = noc,
                                    .targ = L1_BASE,
                                    .ret = L1_BASE,
                                    .targ_hi = g_hi(here),
                                    .ret_hi = g_hi(dram),
                                    .length = 64,
                                    .data = 0x5000,
                                    .ctrl = G_WRITE,
                                    .tag = G_HEADER_STORE};
        g_do(world, here, &request);
        g_expect_bytes(world, dram, L1_BASE, data, sizeof data, "data");
        g_expect_bytes(world, dram, 0x50000, header, sizeof header, "ignored header");
    }
}

/* --- Being wrong --- */

#define ADDRESS   G_KIND(NOC_ADDRESS)
#define ALIGNMENT G_KIND(NOC_ALIGNMENT)
#define LENGTH    G_KIND(NOC_LENGTH)
#define COMMAND   G_KIND(NOC_COMMAND)

enum { L1_END = 0x180000, ETH_L1_END = 0x80000 };

/* HI registers are written as places: H here, T there, D DRAM, E Ethernet, anything else a number.
 */
#define AT(x, y) ((x) | (y) << 6)
#define H        AT(4, 6)
#define T        AT(13, 3)
#define D        AT(18, 20)
#define E        AT(24, 25)
#define NOWHERE  AT(3, 0) /* a router without a tile */

/* NOC_CTRL, TARG and its place, RET and its place, NOC_AT_LEN_BE. */
#define ROW(control, target, target_at, back, back_at, ...)                                        \
    {                                                                                              \
        .ctrl = (control), .targ = (target), .targ_hi = (target_at), .ret = (back),                \
        .ret_hi = (back_at), .data = 1, .length = __VA_ARGS__                                      \
    }

static const struct {
    const char *what;
    struct g_request request;
    uint64_t kinds;
} wrong[] = {
    {"kind 3", ROW(3, 0x1000, T, 0x2000, H, 64), COMMAND},
    {"accumulating write", ROW(G_WRITE | G_ACCUMULATE, 0x1000, H, 0x2000, T, 64),
     G_KIND(NOC_ACCUMULATE)},
    {"accumulating read", ROW(G_READ | G_ACCUMULATE, 0x1000, T, 0x2000, H, 64),
     G_KIND(NOC_ACCUMULATE)},
    {"inline to L1", ROW(G_WRITE | G_INLINE, 0x1000, T, 0, 0, 15), G_KIND(NOC_INLINE)},
    {"inline to own L1", ROW(G_WRITE | G_INLINE | G_MARKED, 0x1000, H, 0, 0, 0),
     G_KIND(NOC_INLINE)},
    {"inline to Ethernet L1", ROW(G_WRITE | G_INLINE | G_MARKED, 0x1000, E, 0, 0, 0),
     G_KIND(NOC_INLINE)},
    {"inline to DRAM", ROW(G_WRITE | G_INLINE | G_MARKED, 0x1000, D, 0, 0, 0),
     COMMAND | ADDRESS | G_KIND(NOC_INLINE)},
    {"inline misaligned", ROW(G_WRITE | G_INLINE | G_MARKED, REGISTERS + 2, T, 0, 0, 0), ALIGNMENT},
    {"broadcast read", ROW(G_READ | G_BROADCAST, 0x1000, T | T << 12, 0x2000, H, 64),
     COMMAND | G_KIND(NOC_MULTICAST)},
    {"read of nothing", ROW(G_READ, 0x1000, T, 0x2000, H, 0), LENGTH},
    {"write of nothing", ROW(G_WRITE, 0x1000, H, 0x2000, T, 0), LENGTH},
    {"64-bit length", ROW(G_READ, 0x1000, T, 0x2000, H, 64, .length_high = 1), LENGTH},
    {"everything", ROW(G_WRITE | G_MARKED, 0, H, 0, T, 0xffffffff), LENGTH | ADDRESS},
    {"read of two registers", ROW(G_READ, REGISTERS, T, 0x2000, H, 8), LENGTH | ALIGNMENT},
    {"write of two registers", ROW(G_WRITE, 0x2000, H, REGISTERS, T, 8), LENGTH | ALIGNMENT},
    {"read beyond L1", ROW(G_READ, L1_END, T, 0x2000, H, 64), ADDRESS},
    {"read across the end of L1", ROW(G_READ, L1_END - 32, T, 0x2020, H, 64), ADDRESS},
    {"response beyond L1", ROW(G_READ, 0x2000, T, L1_END, H, 64), ADDRESS},
    {"write beyond L1", ROW(G_WRITE | G_MARKED, 0x2000, H, L1_END + 0x1000, T, 64), ADDRESS},
    {"write across the end of L1", ROW(G_WRITE, 0x2020, H, L1_END - 32, T, 64), ADDRESS},
    {"write beyond Ethernet L1", ROW(G_WRITE, 0x2000, H, ETH_L1_END, E, 64), ADDRESS},
    {"write from beyond L1", ROW(G_WRITE, L1_END, H, 0x2000, T, 64), ADDRESS},
    {"write far beyond", ROW(G_WRITE, 0x2000, H, UINT64_C(0x100002000), T, 64), ADDRESS},
    {"read far beyond", ROW(G_READ, UINT64_C(0x8000000000002000), T, 0x2000, H, 64), ADDRESS},
    {"last bytes of all", ROW(G_READ, UINT64_C(0xffffffffffffffc0), T, 0x2000, H, 128),
     ADDRESS | LENGTH | ALIGNMENT},
    {"no such register", ROW(G_READ, 0xff000000, T, 0x2000, H, 4), ADDRESS},
    {"write to no register", ROW(G_WRITE | G_MARKED, 0x2000, H, 0xffa00000, T, 4), ADDRESS},
    {"register that the NoC does not see", ROW(G_READ, 0xffe40000, T, 0x2000, H, 4), ADDRESS},
    {"read from nowhere", ROW(G_READ, 0x2000, NOWHERE, 0x2000, H, 64), ADDRESS},
    {"write to nowhere", ROW(G_WRITE, 0x2000, H, 0x2000, NOWHERE, 64), ADDRESS},
    {"response to nowhere", ROW(G_READ, 0x2000, T, 0x2000, NOWHERE, 64), ADDRESS},
    {"atomic to a register", ROW(G_ATOMIC | G_MARKED, REGISTERS, T, 0x2000, H, 0x107c),
     ADDRESS | COMMAND},
    {"atomic to DRAM", ROW(G_ATOMIC | G_MARKED, 0x1000, D, 0x2000, H, 0x107c), ADDRESS | COMMAND},
    {"atomic beyond L1", ROW(G_ATOMIC | G_MARKED, L1_END, T, 0x2000, H, 0x107c), ADDRESS},
    {"atomic with opcode 0", ROW(G_ATOMIC | G_MARKED, 0x1000, T, 0x2000, H, 0), COMMAND},
    {"atomic with opcode 15", ROW(G_ATOMIC, 0x1000, T, 0x2000, H, 0xf000), COMMAND},
    {"atomic sum of format 3", ROW(G_ATOMIC, 0x1000, T, 0x2000, H, 0x9003), COMMAND},
    {"atomic answered misaligned", ROW(G_ATOMIC | G_MARKED, 0x1000, T, 0x2002, H, 0x107c),
     ALIGNMENT},
    {"atomic answered to a register", ROW(G_ATOMIC | G_MARKED, 0x1000, T, REGISTERS, H, 0x107c),
     ADDRESS | COMMAND | ALIGNMENT},
    {"atomic answered to DRAM", ROW(G_ATOMIC | G_MARKED, 0x1000, T, 0x2000, D, 0x107c),
     ADDRESS | COMMAND},
    {"split, misaligned", ROW(G_WRITE, 0x10010, H, 0x20010, T, 0x8000), ALIGNMENT | LENGTH},
    {"split read, misaligned", ROW(G_READ, 0x10020, T, 0x20020, H, 0x4001), ALIGNMENT | LENGTH},
    {"static channel of broadcasts", ROW(G_WRITE | G_STATIC | G_CLASS(2), 0x1000, H, 0x2000, T, 64),
     COMMAND},
    {"static channel of responses", ROW(G_READ | G_STATIC | G_CLASS(3), 0x1000, T, 0x2000, H, 64),
     COMMAND},
    {"broadcast on another channel",
     ROW(G_WRITE | G_BROADCAST | G_STATIC | G_CLASS(1), 0x1000, H, 0x2000,
         AT(3, 3) | AT(2, 2) << 12, 64),
     COMMAND | G_KIND(NOC_MULTICAST)},
    {"broadcast to nobody",
     ROW(G_WRITE | G_BROADCAST | G_MARKED, 0x1000, H, 0x2000, AT(8, 5) | AT(8, 5) << 12, 64),
     G_KIND(NOC_MULTICAST)},
    {"broadcast to oneself, not included",
     ROW(G_WRITE | G_BROADCAST | G_MARKED, 0x1000, H, 0x2000, H | H << 12, 64),
     G_KIND(NOC_MULTICAST)},
    {"GDDR beyond its end", ROW(G_WRITE, 0x2000, H, UINT64_C(0x200000000), D, 64), ADDRESS},
    {"GDDR far beyond", ROW(G_READ, UINT64_C(0x1000000000000), D, 0x2000, H, 64), ADDRESS},
};

/* Nothing is written, at either end. */
TEST_EACH(wrong_requests, G_COUNT(wrong))
{
    static const uint32_t watched[] = {0, 0x1000, 0x2000, 0x10000, 0x20000};
    static const struct g_place places[] = {{4, 6}, {13, 3}, {18, 20}, {24, 25}, {2, 2}, {3, 3}};
    uint8_t before[G_COUNT(places)][G_COUNT(watched)][256];
    for (int i = 0; i < G_COUNT(places); i++) {
        for (int k = 0; k < G_COUNT(watched); k++) {
            g_scatter(world, places[i], watched[k], before[i][k], 256);
        }
        if (i != 2) {
            g_put_word(world, places[i], REGISTERS, 0x13579bdf);
        }
    }
    for (unsigned noc = 0; noc < 2; noc++) {
        struct g_request request = wrong[_i].request;
        request.noc = noc;
        request.buffer = g_below(world, 3);
        request.tag = G_ID(g_below(world, 16));
        g_expect_fault(world, here, &request, wrong[_i].kinds, wrong[_i].what);
        for (int i = 0; i < G_COUNT(places); i++) {
            for (int k = 0; k < G_COUNT(watched); k++) {
                g_expect_bytes(world, places[i], watched[k], before[i][k], 256, wrong[_i].what);
            }
            ck_assert(i == 2 || g_word(world, places[i], REGISTERS) == 0x13579bdf);
        }
    }
}

/* Of a block that leaves L1, or whose header does, no part is written. */
TEST(no_part_is_written)
{
    uint8_t before[128], after[128];
    for (unsigned i = 0; i < 4; i++) {
        bool enables = i & 1;
        uint32_t address = enables ? L1_END - 32 : 0x3000;
        uint32_t kept = enables ? 32 : 64;
        g_scatter(world, there, address, before, kept);
        g_scatter(world, here, L1_BASE, NULL, 128);
        struct g_request request = {.noc = i >> 1,
                                    .targ = L1_BASE,
                                    .ret = address,
                                    .targ_hi = H,
                                    .ret_hi = T,
                                    .length = enables ? 0x0f0f0f0f : 64,
                                    .length_high = enables ? 1 : 0,
                                    .data = L1_END >> 4,
                                    .ctrl = G_WRITE | (enables ? G_ENABLES : 0),
                                    .tag = enables ? 0 : G_HEADER_STORE};
        g_expect_fault(world, here, &request, ADDRESS, enables ? "enabled" : "header");
        g_get(world, there, address, after, kept);
        ck_assert_int_eq(memcmp(before, after, kept), 0);
    }
}

/* The text names both ends. */
TEST(faults_name_both_ends)
{
    struct g_request request = {
        .ctrl = G_READ, .targ = L1_END, .ret = 0x2000, .targ_hi = T, .ret_hi = H, .length = 64};
    g_issue(world, here, &request);
    struct penrose_run run = {.cycles = 100000};
    ck_assert_int_eq(penrose_run(world->chip, &run), PENROSE_FAULT);
    struct penrose_fault fault;
    ck_assert(penrose_fault_get(world->chip, 0, &fault));
    ck_assert_uint_eq(fault.x, 4);
    ck_assert_uint_eq(fault.y, 6);
    ck_assert_int_eq(fault.hart, PENROSE_NO_HART);
    ck_assert_msg(strstr(fault.rule, "(13, 3)") != NULL, "%s", fault.rule);
    ck_assert_msg(strstr(fault.rule, "180000") != NULL, "%s", fault.rule);
}

/* Raw coordinates beyond the grid, which only a guest's own tables or none at all let through. */
TEST(beyond_the_grid)
{
    static const uint32_t places[] = {AT(17, 5), AT(5, 12), AT(63, 63), AT(31, 0)};
    for (unsigned i = 0; i < 2 * G_COUNT(places); i++) {
        uint64_t config = G_NIU(i & 1) + 0x100;
        g_put_word(world, here, config, g_word(world, here, config) & ~(1u << 14));
        struct g_request request = {.noc = i & 1,
                                    .ctrl = i & 2 ? G_READ : G_INLINE | G_WRITE,
                                    .targ = REGISTERS,
                                    .ret = 0x2000,
                                    .targ_hi = places[i / 2],
                                    .ret_hi = H,
                                    .length = 4};
        g_expect_fault(world, here, &request, ADDRESS, "beyond the grid");
    }
}

/* A tile whose clock is off. */
TEST(held_tile)
{
    for (unsigned noc = 0; noc < 2; noc++) {
        uint64_t config = G_NIU(noc) + 0x100;
        uint32_t before = g_word(world, there, config);
        g_put_word(world, there, config, before | 1u << 12);
        struct g_request request = {.noc = noc,
                                    .ctrl = G_READ,
                                    .targ = 0x1000,
                                    .ret = 0x2000,
                                    .targ_hi = T,
                                    .ret_hi = H,
                                    .length = 64};
        g_expect_fault(world, here, &request, G_KIND(NOC_HELD), "clock off");
        g_put_word(world, there, config, before);
        g_do(world, here, &request);
    }
}
