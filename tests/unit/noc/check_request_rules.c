/*
 * What NoC requests may name: alignment of the two ends, lengths, byte enables, inline data, header
 * stores; and each way to be wrong, which is a fault of the tile that asked, with nothing written.
 * Written from BlackholeA0 NoC/MemoryMap and WormholeB0 NoC/Alignment.
 */
#include <string.h>

#include "unit/noc/noc_world.h"

static const struct g_place here = {4, 6}, there = {13, 3}, dram = {18, 20}, ethernet = {24, 25};

FIXTURE(g_open_default, g_close);

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
    uint32_t offset = g_random(), shift = g_random();
    uint32_t length = from == REGISTER || to == REGISTER ? 4 : 1 + g_below(900);
    length = g_below(8) ? length : 1 + g_below(16);
    shift = g_below(4) ? shift & ~63u : g_below(2) ? shift & ~15u : shift;
    offset = from == REGISTER || to == REGISTER ? offset & ~(g_below(4) ? 3u : 0u) : offset;
    uint64_t source = address_of(from, offset), sink = address_of(to, offset + shift) + ARENA * 8;
    sink = to == REGISTER ? address_of(to, offset + shift) : sink;
    uint8_t source_bytes[ARENA], sink_bytes[ARENA];
    g_random_bytes(source_bytes, ARENA);
    g_random_bytes(sink_bytes, ARENA);
    uint64_t source_base = from == REGISTER ? REGISTERS : L1_BASE;
    uint64_t sink_base = to == REGISTER ? REGISTERS : L1_BASE + ARENA * 8;
    uint32_t source_size = from == REGISTER ? 16 : ARENA, sink_size = to == REGISTER ? 16 : ARENA;
    for (uint32_t i = 0; i < source_size; i += source_size == 16 ? 4 : source_size) {
        g_put(source_at, source_base + i, source_bytes + i, source_size == 16 ? 4 : ARENA);
    }
    for (uint32_t i = 0; i < sink_size; i += sink_size == 16 ? 4 : sink_size) {
        g_put(sink_at, sink_base + i, sink_bytes + i, sink_size == 16 ? 4 : ARENA);
    }
    struct g_request request =
        g_request_of(is_read ? G_READ : G_WRITE | g_below(2) << 4, g_below(2),
                     is_read ? far : asker, source, is_read ? asker : far, sink, length);
    request.buffer = g_below(3);
    request.tag = G_ID(2);
    enum verdict verdict = judge(from, to, is_read, source, sink, length);
    const char *what = is_read ? "read" : "write";
    if (verdict == OPEN) {
        return;
    }
    if (verdict == FORBIDDEN) {
        g_expect_fault(asker, &request, G_KIND(NOC_ALIGNMENT) | G_KIND(NOC_LENGTH), what);
    } else {
        g_do(asker, &request);
        memcpy(sink_bytes + (sink - sink_base), source_bytes + (source - source_base), length);
    }
    if (to == REGISTER) {
        for (uint32_t i = 0; i < 16; i += 4) {
            uint32_t word;
            memcpy(&word, sink_bytes + i, 4);
            ck_assert_msg(g_word(sink_at, REGISTERS + i) == word, "%s of a register", what);
        }
    } else {
        g_expect_bytes(sink_at, sink_base, sink_bytes, ARENA, what);
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

TEST_EACH(ends_at_the_edge, COUNT(edges))
{
    g_give_host_memory(0, 0x2000);
    for (unsigned i = 0; i < 120; i++) {
        bool is_read = i & 1;
        unsigned modulus = is_read ? edges[_i].read_modulus : 16;
        uint32_t near = g_below(128), far = g_below(128), length = 8;
        far = i % 3 ? far / modulus * modulus + near % modulus : far;
        uint64_t address = edges[_i].address + far;
        uint8_t bytes[8], before[8];
        g_scatter(is_read ? edges[_i].at : here, is_read ? address : L1_BASE + near, bytes, 8);
        g_get(edges[_i].at, address, before, 8);
        struct g_request request = g_request_of(
            is_read ? G_READ : G_WRITE | G_MARKED, edges[_i].at.y == 0 ? 0 : g_below(2),
            is_read ? edges[_i].at : here, is_read ? address : L1_BASE + near,
            is_read ? here : edges[_i].at, is_read ? L1_BASE + near : address, length);
        if (near % modulus == far % modulus) {
            g_do(here, &request);
            g_expect_bytes(here, L1_BASE + near, bytes, 8, edges[_i].what);
            g_expect_bytes(edges[_i].at, address, bytes, 8, edges[_i].what);
        } else {
            g_expect_fault(here, &request, G_KIND(NOC_ALIGNMENT), edges[_i].what);
            g_expect_bytes(edges[_i].at, address, before, 8, edges[_i].what);
        }
    }
}

/* Registers are words anywhere: NIU_CFG_0 of those tiles, and ARC's memory. */
TEST_EACH(words_at_the_edge, COUNT(edges))
{
    for (unsigned i = 0; i < 16; i++) {
        bool is_arc = i & 1;
        struct g_place at = is_arc ? edges[1].at : edges[_i].at;
        uint64_t address = is_arc ? edges[1].address + 4 * i : UINT64_C(0xffffffffffb20100);
        struct g_request request = g_request_of(G_READ, 0, at, address, here, L1_BASE + 4 * i, 4);
        g_put_word(here, request.ret, 0);
        g_do(here, &request);
        ck_assert_uint_eq(g_word(here, request.ret), g_word(at, address));
        request.ret += 2;
        g_expect_fault(here, &request, G_KIND(NOC_ALIGNMENT) | G_KIND(NOC_LENGTH), "word");
    }
}

/* Data cross the NoC in so many flits, whoever counts them. */
TEST(flits_are_the_same_at_both_ends)
{
    for (unsigned i = 0; i < 60; i++) {
        unsigned noc = i & 1;
        uint32_t shift = 16 * g_below(4), length = 1 + g_below(300);
        uint32_t sent = g_word(there, G_COUNTER(noc, 51));
        uint32_t received = g_word(here, G_COUNTER(noc, 3));
        struct g_request request = g_request_of(G_READ, noc, there, L1_BASE + shift, here,
                                                L1_BASE + ARENA + 16 * g_below(4), length);
        g_do(here, &request);
        ck_assert_uint_eq(g_word(there, G_COUNTER(noc, 51)) - sent,
                          g_word(here, G_COUNTER(noc, 3)) - received);
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
        g_scatter(here, L1_BASE, source, sizeof source);
        g_scatter(far, L1_BASE + ARENA, sink, sizeof sink);
        uint32_t from = to_dram ? g_below(3) * 64 : g_below(12) * 16;
        uint32_t to = to_dram ? from : g_below(12) * 16;
        from = to_dram ? from : to % 32 + from / 32 * 32;
        uint64_t mask = (uint64_t)g_random() << 32 | g_random();
        mask &= i % 3 ? UINT64_MAX : UINT32_MAX;
        uint32_t low = i % 4 || to_dram ? 0 : g_below(16);
        struct g_request request =
            g_request_of(G_WRITE | G_ENABLES | g_below(2) << 4, i & 1, here, L1_BASE + from + low,
                         far, L1_BASE + ARENA + to + low, (uint32_t)mask);
        request.buffer = g_below(4);
        request.length_high = (uint32_t)(mask >> 32);
        g_do(here, &request);
        for (unsigned byte = 0; byte < 64; byte++) {
            if (mask >> byte & 1) {
                sink[to + byte] = source[from + byte];
            }
        }
        g_expect_bytes(far, L1_BASE + ARENA, sink, sizeof sink, "byte enables");
    }
}

/* A register takes the whole word whatever the mask says. */
TEST(enables_of_registers)
{
    for (unsigned i = 0; i < 60; i++) {
        uint32_t offset = 4 * g_below(4), before[4], word = g_random();
        for (unsigned k = 0; k < 4; k++) {
            before[k] = g_random();
            g_put_word(there, REGISTERS + 4 * k, before[k]);
        }
        g_put_word(here, L1_BASE + offset, word);
        struct g_request request =
            g_request_of(G_WRITE | G_ENABLES | g_below(2) << 4, i & 1, here, L1_BASE + offset,
                         there, REGISTERS + offset, i % 3 ? g_random() : 0);
        request.length_high = g_random();
        g_do(here, &request);
        for (unsigned k = 0; k < 4; k++) {
            ck_assert_uint_eq(g_word(there, REGISTERS + 4 * k), 4 * k == offset ? word : before[k]);
        }
    }
}

/* Which addresses are registers is the receiver's business: host memory has none. */
TEST(enables_above_registers)
{
    const struct g_place pcie = {19, 24};
    uint8_t source[64], sink[64];
    g_give_host_memory(UINT64_C(0xff000000), 0x2000);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t mask = i ? (uint64_t)g_random() << 32 | g_random() : UINT64_MAX;
        uint64_t window = i & 1 ? UINT64_C(0x1000000000000000) : 0;
        g_scatter(here, L1_BASE, source, sizeof source);
        g_random_bytes(world->host + 0x1000, 64);
        memcpy(sink, world->host + 0x1000, 64);
        struct g_request request = g_request_of(G_WRITE | G_ENABLES | G_MARKED, i >> 1 & 1, here,
                                                L1_BASE, pcie, window + 0xff001000, (uint32_t)mask);
        request.length_high = (uint32_t)(mask >> 32);
        g_do(here, &request);
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
        uint32_t value = g_random(), from = 4 * g_below(4);
        bool to_register = i % 3 == 0;
        uint64_t mask = (uint64_t)g_random() << 32 | g_random();
        uint64_t to = to_register ? REGISTERS + 4 * g_below(4) : L1_BASE + ARENA;
        g_put_word(here, REGISTERS + from, value);
        g_scatter(there, L1_BASE + ARENA, sink, sizeof sink);
        struct g_request request = g_request_of(G_WRITE | G_ENABLES | g_below(2) << 4, i & 1, here,
                                                REGISTERS + from, there, to, (uint32_t)mask);
        request.length_high = (uint32_t)(mask >> 32);
        g_do(here, &request);
        for (unsigned byte = 0; byte < 64 && !to_register; byte++) {
            sink[byte] = mask >> byte & 1 ? (uint8_t)(value >> byte % 4 * 8) : sink[byte];
        }
        g_expect_bytes(there, L1_BASE + ARENA, sink, sizeof sink, "broadcast");
        ck_assert(!to_register || g_word(there, to) == value);
    }
}

/* --- Inline data --- */

TEST(inline_data)
{
    for (unsigned i = 0; i < 200; i++) {
        uint32_t offset = 4 * g_below(4), before[4];
        struct g_place far = i % 3 == 0 ? ethernet : i % 3 == 1 ? there : here;
        for (unsigned k = 0; k < 4; k++) {
            before[k] = g_random();
            g_put_word(far, REGISTERS + 4 * k, before[k]);
        }
        struct g_request request = {.noc = i & 1,
                                    .buffer = g_below(3),
                                    .targ = REGISTERS + offset,
                                    .targ_hi = g_hi(far),
                                    .ret = g_random(),
                                    .ret_hi = g_random(),
                                    .data = g_random(),
                                    .length = g_random(),
                                    .length_high = g_random(),
                                    .ctrl = G_WRITE | G_INLINE | g_below(2) << 4 | g_below(2) << 2};
        g_do(here, &request);
        for (unsigned k = 0; k < 4; k++) {
            ck_assert_uint_eq(g_word(far, REGISTERS + 4 * k),
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
        uint32_t length = i % 2 ? 16 : 64 + g_below(448), start = 16 * g_below(4);
        length -= i % 2 ? 0 : start;
        start = far.y == dram.y && far.x == dram.x ? 0 : start;
        bool is_stored = g_below(2);
        g_scatter(here, L1_BASE, source, sizeof source);
        g_scatter(far, L1_BASE + ARENA, NULL, ARENA);
        g_scatter(far, 0x50000, header, sizeof header);
        if (far.x == dram.x && far.y == dram.y) { /* no disabled double stores */
            for (unsigned noc = 0; noc < 2; noc++) {
                uint64_t config = G_NIU(noc) + 0x100;
                g_put_word(far, config, g_word(far, config) & ~(1u << 13));
            }
        }
        struct g_request request = g_request_of(G_WRITE, i & 1, here, L1_BASE + start, far,
                                                L1_BASE + ARENA + start, length);
        request.data = (0x50000 + 16) >> 4;
        request.tag = is_stored ? G_HEADER_STORE : 0;
        g_do(here, &request);
        g_expect_bytes(far, L1_BASE + ARENA + start, source + start, length, "data");
        if (is_stored) {
            memcpy(header + 16, source + start, 16);
        }
        g_expect_bytes(far, 0x50000, header, sizeof header, "header");
    }
}

/* With byte enables too, whatever the mask. */
TEST(headers_of_enabled_bytes)
{
    for (unsigned i = 0; i < 16; i++) {
        uint8_t source[64], sink[64], header[16];
        uint64_t mask = i ? (uint64_t)g_random() << 32 | g_random() : 0;
        bool is_posted = i % 4;
        g_scatter(here, L1_BASE, source, sizeof source);
        g_scatter(there, L1_BASE, sink, sizeof sink);
        g_scatter(there, 0x50000, header, sizeof header);
        struct g_request request =
            g_request_of(G_WRITE | G_ENABLES | (is_posted ? 0 : G_MARKED), i & 1, here, L1_BASE,
                         there, L1_BASE, (uint32_t)mask);
        request.length_high = (uint32_t)(mask >> 32);
        request.data = 0x5000;
        request.tag = G_HEADER_STORE;
        g_do(here, &request);
        for (unsigned byte = 0; byte < 64; byte++) {
            sink[byte] = mask >> byte & 1 ? source[byte] : sink[byte];
        }
        g_expect_bytes(there, L1_BASE, sink, sizeof sink, "data");
        g_expect_bytes(there, 0x50000, is_posted ? source : header, 16, "header");
    }
}

/* Bit 13 of NIU_CFG_0 counts at tiles of other kinds; firmware has set it. */
TEST_EACH(headers_at_the_edge, COUNT(edges))
{
    static const uint64_t config[] = {UINT64_C(0xffffffffffb20100), UINT64_C(0xffffffffffb30100)};
    const struct g_place at = edges[_i].at;
    uint64_t place = _i == 0 ? 0x800 : edges[_i].address + 0x800; /* of 36 bits */
    g_give_host_memory(0, 0x2000);
    for (unsigned i = 0; i < 4; i++) {
        bool is_on = i & 1;
        uint8_t source[64], header[16];
        uint32_t mode = g_word(at, config[i >> 1]);
        ck_assert(i > 0 || mode >> 13 & 1);
        g_put_word(at, config[i >> 1], (mode & ~(1u << 13)) | (is_on ? 0u : 1u << 13));
        g_scatter(here, L1_BASE, source, sizeof source);
        g_scatter(at, place, header, sizeof header);
        /* on NoC 0, as the host's accesses */
        struct g_request request =
            g_request_of(G_WRITE, 0, here, L1_BASE, at, edges[_i].address, 64);
        request.data = (uint32_t)(place >> 4);
        request.tag = G_HEADER_STORE;
        g_do(here, &request);
        g_expect_bytes(at, edges[_i].address, source, sizeof source, "data");
        g_expect_bytes(at, place, is_on ? source : header, 16, edges[_i].what);
    }
}

/* A DRAM tile can be told to ignore the flag. */
TEST(double_stores_can_be_off)
{
    uint8_t header[16], data[64];
    for (unsigned noc = 0; noc < 2; noc++) {
        uint64_t config = G_NIU(noc) + 0x100;
        g_put_word(dram, config, g_word(dram, config) | 1u << 13);
        g_scatter(here, L1_BASE, data, sizeof data);
        g_scatter(dram, 0x50000, header, sizeof header);
        struct g_request request = g_request_of(G_WRITE, noc, here, L1_BASE, dram, L1_BASE, 64);
        request.data = 0x5000;
        request.tag = G_HEADER_STORE;
        g_do(here, &request);
        g_expect_bytes(dram, L1_BASE, data, sizeof data, "data");
        g_expect_bytes(dram, 0x50000, header, sizeof header, "ignored header");
    }
}

/* --- Being wrong --- */

#define ADDRESS   G_KIND(NOC_ADDRESS)
#define ALIGNMENT G_KIND(NOC_ALIGNMENT)
#define LENGTH    G_KIND(NOC_LENGTH)
#define COMMAND   G_KIND(NOC_COMMAND)
#define UNKNOWN   G_KIND(UNIMPLEMENTED)

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
    {"atomic with opcode 0", ROW(G_ATOMIC | G_MARKED, 0x1000, T, 0x2000, H, 0), UNKNOWN},
    {"atomic with opcode 2", ROW(G_ATOMIC | G_MARKED, 0x1000, T, 0x2000, H, 0x2000), UNKNOWN},
    {"atomic with opcode 5", ROW(G_ATOMIC | G_MARKED, 0x1000, T, 0x2000, H, 0x5000), UNKNOWN},
    {"atomic with opcode 8", ROW(G_ATOMIC | G_MARKED, 0x1000, T, 0x2000, H, 0x8000), UNKNOWN},
    {"atomic with opcode 11", ROW(G_ATOMIC, 0x1000, T, 0x2000, H, 0xb000), COMMAND},
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
    {"broadcast that leaves the NoC",
     ROW(G_WRITE | G_BROADCAST | G_MARKED, 0x1000, H, 0x2000, AT(20, 0) | T << 12, 64),
     ADDRESS | G_KIND(NOC_MULTICAST)},
    {"host memory that is not there", ROW(G_READ, 0x1000, AT(19, 24), 0x2000, H, 64), ADDRESS},
    {"ARC where nothing is", ROW(G_READ, 0x60000000, AT(8, 0), 0x2000, H, 4), ADDRESS},
    {"GDDR beyond its end", ROW(G_WRITE, 0x2000, H, UINT64_C(0x200000000), D, 64), ADDRESS},
    {"GDDR far beyond", ROW(G_READ, UINT64_C(0x1000000000000), D, 0x2000, H, 64), ADDRESS},
};

/* Nothing is written, at either end. */
TEST_EACH(wrong_requests, COUNT(wrong))
{
    static const uint32_t watched[] = {0, 0x1000, 0x2000, 0x10000, 0x20000};
    static const struct g_place places[] = {{4, 6}, {13, 3}, {18, 20}, {24, 25}, {2, 2}, {3, 3}};
    uint8_t before[COUNT(places)][COUNT(watched)][256];
    for (int i = 0; i < COUNT(places); i++) {
        for (int k = 0; k < COUNT(watched); k++) {
            g_scatter(places[i], watched[k], before[i][k], 256);
        }
        if (i != 2) {
            g_put_word(places[i], REGISTERS, 0x13579bdf);
        }
    }
    for (unsigned noc = 0; noc < 2; noc++) {
        struct g_request request = wrong[_i].request;
        request.noc = noc;
        request.buffer = g_below(3);
        request.tag = G_ID(g_below(16));
        g_expect_fault(here, &request, wrong[_i].kinds, wrong[_i].what);
        for (int i = 0; i < COUNT(places); i++) {
            for (int k = 0; k < COUNT(watched); k++) {
                g_expect_bytes(places[i], watched[k], before[i][k], 256, wrong[_i].what);
            }
            ck_assert(i == 2 || g_word(places[i], REGISTERS) == 0x13579bdf);
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
        g_scatter(there, address, before, kept);
        g_scatter(here, L1_BASE, NULL, 128);
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
        g_expect_fault(here, &request, ADDRESS, enables ? "enabled" : "header");
        g_get(there, address, after, kept);
        ck_assert_int_eq(memcmp(before, after, kept), 0);
    }
}

/* The text names both ends. */
TEST(faults_name_both_ends)
{
    struct g_request request = {
        .ctrl = G_READ, .targ = L1_END, .ret = 0x2000, .targ_hi = T, .ret_hi = H, .length = 64};
    g_issue(here, &request);
    struct penrose_run run = {.size = sizeof run, .cycles = 100000};
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
    for (unsigned i = 0; i < 2 * COUNT(places); i++) {
        uint64_t config = G_NIU(i & 1) + 0x100;
        g_put_word(here, config, g_word(here, config) & ~(1u << 14));
        struct g_request request = {.noc = i & 1,
                                    .ctrl = i & 2 ? G_READ : G_INLINE | G_WRITE,
                                    .targ = REGISTERS,
                                    .ret = 0x2000,
                                    .targ_hi = places[i / 2],
                                    .ret_hi = H,
                                    .length = 4};
        g_expect_fault(here, &request, ADDRESS, "beyond the grid");
    }
}

/* A tile whose clock is off. */
TEST(held_tile)
{
    for (unsigned noc = 0; noc < 2; noc++) {
        uint64_t config = G_NIU(noc) + 0x100;
        uint32_t before = g_word(there, config);
        g_put_word(there, config, before | 1u << 12);
        struct g_request request = {.noc = noc,
                                    .ctrl = G_READ,
                                    .targ = 0x1000,
                                    .ret = 0x2000,
                                    .targ_hi = T,
                                    .ret_hi = H,
                                    .length = 64};
        g_expect_fault(here, &request, G_KIND(NOC_HELD), "clock off");
        g_put_word(there, config, before);
        g_do(here, &request);
    }
}

/* --- What a policy lets pass --- */

static void open_with(enum penrose_policy policy)
{
    struct penrose_options options = {.size = sizeof options};
    for (unsigned kind = 0; kind < PENROSE_FAULT_KINDS; kind++) {
        options.policy[kind] = policy;
    }
    g_close();
    g_open(&options);
}

/* Runs until nothing can happen; faults are told under `warn` only. */
static void pass(const struct g_request *request, enum penrose_policy policy, const char *what)
{
    struct penrose_run run = {.size = sizeof run, .cycles = UINT64_C(1) << 24};
    g_issue(here, request);
    ck_assert_msg(penrose_run(world->chip, &run) == PENROSE_QUIET, "%s: not quiet", what);
    ck_assert_msg((penrose_fault_count(world->chip) > 0) == (policy == PENROSE_WARN), "%s: faults",
                  what);
    penrose_fault_clear(world->chip);
}

enum { ATOMIC_RESPONSES, WRITE_ACKS, READ_RESPONSES, ACCEPTED = 4, OUTGOING = 32 };

/* What barriers wait for: every packet that asks for a response gets one. */
static void expect_answers(const struct g_request *request, enum penrose_policy policy,
                           const char *what)
{
    unsigned noc = request->noc, type = request->ctrl & 3, id = request->tag >> 10 & 15;
    unsigned counter = type == G_READ    ? READ_RESPONSES
                       : type == G_WRITE ? WRITE_ACKS
                                         : ATOMIC_RESPONSES;
    bool is_split = (type == G_READ || type == G_WRITE) && !(request->ctrl & G_INLINE) &&
                    (request->length > G_PACKET || request->length_high);
    uint64_t length = request->length_high ? UINT64_MAX : request->length;
    uint64_t most = (2u << 20) - G_PACKET;
    uint32_t packets =
        is_split ? (uint32_t)(((length < most ? length : most) + G_PACKET - 1) / G_PACKET) : 1;
    uint32_t before = g_word(here, G_COUNTER(noc, counter));
    uint32_t accepted = g_word(here, G_COUNTER(noc, ACCEPTED));
    pass(request, policy, what);
    bool is_marked = type == G_READ || request->ctrl & G_MARKED;
    uint32_t answers = g_word(here, G_COUNTER(noc, counter)) - before;
    ck_assert_msg(answers == (is_marked ? packets : 0), "%s: %u answers", what, answers);
    ck_assert_msg(g_word(here, G_COUNTER(noc, ACCEPTED)) - accepted == packets, "%s: not sent",
                  what);
    ck_assert_msg(g_word(here, G_OUTSTANDING(noc, id)) == 0, "%s: outstanding", what);
    ck_assert_msg(g_word(here, G_COUNTER(noc, OUTGOING + id)) == 0, "%s: outgoing", what);
}

TEST_EACH(what_passes_is_answered, COUNT(wrong) * 2)
{
    enum penrose_policy policy = _i & 1 ? PENROSE_WARN : PENROSE_IGNORE;
    open_with(policy);
    for (unsigned noc = 0; noc < 2; noc++) {
        struct g_request request = wrong[_i / 2].request;
        request.noc = noc;
        request.buffer = g_below(3);
        request.tag = G_ID(g_below(16));
        expect_answers(&request, policy, wrong[_i / 2].what);
    }
}

/* Kinds that are no matter of one request alone: a tile whose clock is off, a transaction that another
 * request breaks. */
TEST_EACH(what_passes_elsewhere_is_answered, 4)
{
    enum penrose_policy policy = _i & 1 ? PENROSE_WARN : PENROSE_IGNORE;
    unsigned noc = (unsigned)_i / 2;
    struct g_request request =
        g_request_of(G_WRITE | G_MARKED, noc, here, L1_BASE, there, L1_BASE, 64);
    struct g_place other = {2, 2};
    uint8_t bytes[64];
    open_with(policy);
    g_scatter(here, L1_BASE, bytes, sizeof bytes);
    g_put_word(there, G_NIU(noc) + 0x100, g_word(there, G_NIU(noc) + 0x100) | 1u << 12);
    expect_answers(&request, policy, "clock off");
    request.ctrl |= G_LINKED;
    request.ret_hi = g_hi(other);
    g_issue(here, &request);
    request.ctrl &= ~G_LINKED;
    request.ret_hi = g_hi(ethernet);
    g_issue(here, &request);
    struct penrose_run run = {.size = sizeof run, .cycles = UINT64_C(1) << 24};
    ck_assert_int_eq(penrose_run(world->chip, &run), PENROSE_QUIET);
    ck_assert_uint_eq(penrose_fault_count(world->chip), policy == PENROSE_WARN);
    ck_assert_uint_eq(g_word(here, G_OUTSTANDING(noc, 0)), 0);
    g_expect_bytes(other, L1_BASE, bytes, sizeof bytes, "the first");
    g_expect_bytes(ethernet, L1_BASE, bytes, sizeof bytes, "the one that does not belong");
}

/* What arrives: `bytes` of the source, from where the row says, at where it says; their size is 0
 * where nothing comes. Source and sink hold an ARENA at 0x10000 and 0x20000. */
static const struct {
    const char *what;
    struct g_request request;
    struct g_place source_at, sink_at;
    uint32_t source, sink, size;
} passing[] = {
    {"accumulating write",
     ROW(G_WRITE | G_ACCUMULATE, 0x10000, H, 0x20000, T, 64),
     {4, 6},
     {13, 3},
     0,
     0,
     64},
    {"static channel",
     ROW(G_READ | G_STATIC | G_CLASS(3), 0x10000, T, 0x20000, H, 64),
     {13, 3},
     {4, 6},
     0,
     0,
     64},
    {"broadcast read",
     ROW(G_READ | G_BROADCAST, 0x10000, T | T << 12, 0x20000, H, 64),
     {13, 3},
     {4, 6},
     0,
     0,
     64},
    {"acknowledged nowhere",
     ROW(G_WRITE | G_MARKED, 0x10000, AT(20, 0), 0x20000, T, 64),
     {4, 6},
     {13, 3},
     0,
     0,
     64},
    {"lanes of a read of L1",
     ROW(G_READ, 0x10024, T, 0x20040, H, 32),
     {13, 3},
     {4, 6},
     0x20,
     0x40,
     32},
    {"lanes of a read of DRAM",
     ROW(G_READ, 0x10020, D, 0x20040, H, 32),
     {18, 20},
     {4, 6},
     0,
     0x40,
     32},
    {"lanes of a write", ROW(G_WRITE, 0x10024, H, 0x20040, T, 32), {4, 6}, {13, 3}, 0x24, 0x44, 32},
    {"no bytes", ROW(G_READ, 0x10000, T, 0x20000, H, 0), {13, 3}, {4, 6}, 0, 0, 0},
    {"beyond L1", ROW(G_READ, L1_END, T, 0x20000, H, 64), {13, 3}, {4, 6}, 0, 0, 0},
    {"two registers of a word",
     ROW(G_WRITE, 0x10000, H, REGISTERS, T, 8),
     {4, 6},
     {13, 3},
     0,
     (uint32_t)REGISTERS,
     4},
};

TEST_EACH(what_passes_arrives, COUNT(passing) * 2)
{
    enum { SOURCE = 0x10000, SINK = 0x20000 };
    enum penrose_policy policy = _i & 1 ? PENROSE_WARN : PENROSE_IGNORE;
    uint8_t source[ARENA], sink[ARENA];
    struct g_place from = passing[_i / 2].source_at, to = passing[_i / 2].sink_at;
    bool to_register = passing[_i / 2].sink > ARENA;
    uint32_t word;
    open_with(policy);
    g_scatter(from, SOURCE, source, ARENA);
    g_scatter(to, SINK, sink, ARENA);
    pass(&passing[_i / 2].request, policy, passing[_i / 2].what);
    if (to_register) {
        memcpy(&word, source + passing[_i / 2].source, 4);
        ck_assert_uint_eq(g_word(to, passing[_i / 2].sink), word);
    } else {
        memcpy(sink + passing[_i / 2].sink, source + passing[_i / 2].source, passing[_i / 2].size);
    }
    g_expect_bytes(to, SINK, sink, ARENA, passing[_i / 2].what);
}

/* The largest packet may begin anywhere, as those of tt-metal's prefetch kernel do, and is one. */
TEST_EACH(largest_packets_need_not_be_aligned, 2)
{
    static uint8_t bytes[G_PACKET];
    const uint32_t from = 0x10010, to = 0x20010;
    bool is_read = _i & 1;
    struct g_place source = is_read ? there : here, sink = is_read ? here : there;
    struct g_request request =
        g_request_of(is_read ? G_READ : G_WRITE | G_MARKED, 0, is_read ? there : here, from,
                     is_read ? here : there, to, G_PACKET);
    open_with(PENROSE_STOP);
    g_scatter(source, from, bytes, sizeof bytes);
    expect_answers(&request, PENROSE_STOP, "257 lines");
    g_expect_bytes(sink, to, bytes, sizeof bytes, "257 lines");
}

/* A register that is read for more than a word is in all of them. */
TEST(registers_that_pass_are_repeated)
{
    struct g_request request =
        g_request_of(G_READ, 0, there, REGISTERS, here, UINT64_C(0x20000), 16);
    open_with(PENROSE_WARN);
    g_put_word(there, REGISTERS, 0x12345678);
    pass(&request, PENROSE_WARN, "registers");
    for (unsigned i = 0; i < 16; i += 4) {
        ck_assert_uint_eq(g_word(here, UINT64_C(0x20000) + i), 0x12345678);
    }
}

/* Inline data in L1: NOC_AT_LEN_BE is shifted by the address modulo 64, as the vendor's software does. */
TEST_EACH(inline_data_that_pass, 2)
{
    enum penrose_policy policy = _i & 1 ? PENROSE_WARN : PENROSE_IGNORE;
    open_with(policy);
    for (unsigned at = 0; at < 128; at += 4) {
        struct g_place to = at % 3 ? there : ethernet;
        uint8_t sink[256];
        uint64_t enables = UINT64_C(15) << at % 64;
        struct g_request request = g_request_of(G_WRITE | G_INLINE | G_MARKED, at / 4 & 1, to,
                                                L1_BASE + at, here, 0, (uint32_t)enables);
        request.length_high = (uint32_t)(enables >> 32);
        request.data = g_random();
        g_scatter(to, L1_BASE, sink, sizeof sink);
        expect_answers(&request, policy, "inline");
        memcpy(sink + at, &request.data, 4);
        g_expect_bytes(to, L1_BASE, sink, sizeof sink, "inline");
    }
}
