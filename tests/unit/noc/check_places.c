/*
 * Tiles of all kinds as the ends of NoC requests: DRAM through each of its ports, registers of
 * other tiles, PCIe and the memory of the host, ARC; identity registers; coordinate translation
 * with the firmware's and with guests' tables. Written from BlackholeA0 NoC/{README, MemoryMap,
 * Coordinates}, PCIExpressTile/README and TensixTile/SoftReset.
 */
#include <inttypes.h>
#include <string.h>

#include "chip/chip.h"
#include "unit/noc/noc_world.h"

FIXTURE(g_open_default, g_close);

enum { L1_BASE = 0x40000 };

static struct g_request with_any_buffer(struct g_request request)
{
    request.buffer = g_below(4);
    request.tag = G_ID(g_below(16));
    return request;
}

static struct g_request reading(unsigned noc, struct g_place from, struct g_place to, uint64_t targ,
                                uint64_t ret, uint32_t length)
{
    return with_any_buffer(g_request_of(G_READ, noc, to, targ, from, ret, length));
}

static struct g_request writing(unsigned noc, struct g_place from, struct g_place to, uint64_t targ,
                                uint64_t ret, uint32_t length)
{
    return with_any_buffer(g_request_of(G_WRITE | G_MARKED, noc, from, targ, to, ret, length));
}

/* A word for a register. */
static struct g_request inlining(unsigned noc, uint32_t flags, struct g_place to, uint64_t address,
                                 uint32_t data)
{
    return (struct g_request){.noc = noc,
                              .ctrl = G_WRITE | G_INLINE | flags,
                              .targ = address,
                              .targ_hi = g_hi(to),
                              .data = data};
}

/* --- DRAM --- */

static struct g_place port_of(unsigned bank, unsigned port)
{
    return (struct g_place){17 + bank / 4, 12 + 3 * (bank % 4) + port};
}

/* What goes in through one port comes out of all three, over either NoC, and of no other bank. */
TEST(ports_share_their_bank)
{
    static const uint64_t addresses[] = {0, 0x123400, 0x7fffffc0, 0x80000000, 0xfeffff00};
    for (unsigned bank = 0; bank < 8; bank++) {
        for (unsigned port = 0; port < 3; port++) {
            uint64_t address = addresses[(bank + port) % COUNT(addresses)];
            uint8_t bytes[192], other[192];
            struct g_place from = g_worker(), reader = g_worker();
            g_scatter(port_of((bank + 1) % 8, port), address, other, sizeof other);
            g_scatter(from, L1_BASE, bytes, sizeof bytes);
            unsigned noc = g_below(2);
            struct g_request request =
                writing(noc, from, port_of(bank, port), L1_BASE, address, sizeof bytes);
            g_do(from, &request);
            for (unsigned i = 0; i < 6; i++) {
                request = reading(i & 1, reader, port_of(bank, i / 2), address, 0x80000, 192);
                g_scatter(reader, 0x80000, NULL, 192);
                g_do(reader, &request);
                g_expect_bytes(reader, 0x80000, bytes, sizeof bytes, "another port");
            }
            g_expect_bytes(port_of(bank, (port + 1) % 3), address, bytes, 192, "host");
            g_expect_bytes(port_of((bank + 1) % 8, port), address, other, 192, "other bank");
        }
    }
}

/* Long transfers, and those that cross a page of whatever size. */
TEST(long_transfers_of_dram)
{
    enum { MOST = 0x30000 };
    static uint8_t bytes[MOST];
    for (unsigned i = 0; i < 12; i++) {
        struct g_place from = g_worker(), to = port_of(g_below(8), g_below(3));
        uint32_t length = 1 + g_below(MOST);
        uint64_t address = (uint64_t)g_below(0xfe000000) / 64 * 64;
        g_scatter(from, L1_BASE, bytes, length);
        struct g_request request = writing(i & 1, from, to, L1_BASE, address, length);
        g_do(from, &request);
        request = reading(i & 1, from, to, address, 0x100000, length);
        g_do(from, &request);
        g_expect_bytes(from, 0x100000, bytes, length, "there and back");
    }
}

TEST(dram_is_zero_at_first)
{
    uint8_t zeros[256] = {0};
    struct g_place from = {1, 2};
    g_scatter(from, L1_BASE, NULL, 256);
    struct g_request request = reading(0, from, port_of(3, 1), 0x33330000, L1_BASE, 256);
    g_do(from, &request);
    g_expect_bytes(from, L1_BASE, zeros, sizeof zeros, "fresh DRAM");
}

/* Each NIU of a DRAM tile leads where its own bit 15 of NIU_CFG_0 says: tt-metal's firmware has NIU
 * 0 lead to the hart's L1 and NIU 1 to GDDR. */
TEST(nius_of_a_dram_tile_differ)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned to_gddr = i & 1;
        struct g_place dram = port_of(2 + i, i % 3), other = port_of(2 + i, (i + 1) % 3);
        struct g_place from = {12, 4};
        uint8_t gddr[64], l1[64];
        g_scatter(other, 0x4000, gddr, sizeof gddr);
        g_scatter(dram, UINT64_C(0x2000004000), l1, sizeof l1);
        for (unsigned noc = 0; noc < 2; noc++) {
            uint64_t config = G_NIU(noc) + 0x100;
            uint32_t mode = g_word(dram, config) & ~(1u << 15);
            g_put_word(dram, config, mode | (uint32_t)(noc == to_gddr) << 15);
        }
        for (unsigned noc = 0; noc < 2; noc++) {
            struct g_request request = reading(noc, from, dram, 0x4000, L1_BASE, 64);
            g_do(from, &request);
            g_expect_bytes(from, L1_BASE, noc == to_gddr ? gddr : l1, 64,
                           noc == to_gddr ? "GDDR" : "L1 of a DRAM tile");
            request = reading(noc, from, dram, UINT64_C(0x2000004000), L1_BASE, 64);
            g_do(from, &request);
            g_expect_bytes(from, L1_BASE, l1, 64, "L1 by its own address");
        }
    }
}

/* While a NIU leads to the hart's address space, what the space has twice is the same both times:
 * L1 from 0 and at 2^37, registers with and without bit 40. */
TEST(aliases_of_a_dram_tile)
{
    const uint64_t l1_again = UINT64_C(0x2000000000), registers_again = UINT64_C(0x10000000000);
    for (unsigned i = 0; i < 16; i++) {
        unsigned noc = i & 1;
        bool again = i & 2;
        struct g_place dram = port_of(i % 8, i % 3), from = {12, 4};
        uint64_t config = G_NIU(noc) + 0x100, line = (again ? l1_again : 0) + 0x1000;
        uint64_t word = G_BUFFER(1 - noc, 3) + (again ? registers_again : 0);
        uint32_t old = g_below(1000), value = g_random();
        g_put_word(dram, config, g_word(dram, config) & ~(1u << 15));
        g_put_word(dram, l1_again + 0x1000, old);
        struct g_request request =
            g_request_of(G_ATOMIC | G_MARKED, noc, dram, line, from, L1_BASE, 0x107c);
        request.data = 5;
        g_do(from, &request);
        ck_assert_uint_eq(g_word(from, L1_BASE), old);
        ck_assert_uint_eq(g_word(dram, l1_again + 0x1000), old + 5);
        request = inlining(noc, G_MARKED, dram, word, value);
        g_do(from, &request);
        ck_assert_uint_eq(g_word(dram, G_BUFFER(1 - noc, 3)), value);
        request = reading(noc, from, dram, word, L1_BASE + 32, 4);
        g_do(from, &request);
        ck_assert_uint_eq(g_word(from, L1_BASE + 32), value);
        request.length = 8;
        g_expect_fault(from, &request, G_KIND(NOC_LENGTH), "two registers");
        /* the result goes there */
        request = g_request_of(G_ATOMIC | G_MARKED, noc, from, L1_BASE, dram, line + 16, 0x107c);
        request.data = 5;
        g_put_word(from, L1_BASE, 77 + i);
        g_issue(from, &request);
        g_settle_with(PENROSE_FAULT_NOC_CREDIT); /* it is not the asker's */
        ck_assert_uint_eq(g_word(dram, l1_again + 0x1010), 77 + i);
    }
}

/* --- Registers of other tiles --- */

#define SOFT_RESET UINT64_C(0xffb121b0)
#define STREAM(stream, index)                                                                      \
    (UINT64_C(0xffb40000) + UINT64_C(0x1000) * (stream) + UINT64_C(4) * (index))

/* A tile takes another one's hart out of reset. */
TEST(harts_are_released_over_the_noc)
{
    static const char *const program[] = {"addi a0, zero, 1234", "sw a0, 0x400(zero)", "ebreak"};
    for (unsigned i = 0; i < 4; i++) {
        struct g_place from = g_worker(), to = g_other_worker(from);
        for (unsigned k = 0; k < 3; k++) {
            uint32_t word;
            struct penrose_error error;
            ck_assert_int_eq(penrose_assemble(NULL, program[k], 4 * k, &word, &error), PENROSE_OK);
            g_put_word(from, L1_BASE + 4 * k, word);
        }
        g_put_word(to, 0x400, 0);
        struct g_request request = writing(i & 1, from, to, L1_BASE, 0, 12);
        g_do(from, &request);
        uint32_t reset = g_word(to, SOFT_RESET);
        ck_assert_uint_eq(reset >> 11 & 1, 1);
        request = inlining(i & 1, (i & 2 ? G_MARKED : 0), to, SOFT_RESET, reset & ~(1u << 11));
        request.buffer = 2;
        g_do(from, &request);
        ck_assert_uint_eq(g_word(to, 0x400), 1234);
        request.data = reset;
        g_do(from, &request);
        ck_assert_uint_eq(g_word(to, SOFT_RESET), reset);
    }
}

/* Increments of the space that a stream of another tile has, as circular buffers of tt-metal do. */
TEST(streams_count_over_the_noc)
{
    enum { BUF_SIZE = 10, AVAILABLE = 297, UPDATE = 270 };
    for (unsigned i = 0; i < 40; i++) {
        struct g_place from = g_worker();
        struct g_place to = i % 4 ? g_worker() : (struct g_place){20 + i / 4, 25};
        unsigned stream = g_below(i % 4 ? 64 : 32), by = 1 + g_below(50);
        uint32_t size = g_below(1000);
        g_put_word(to, STREAM(stream, BUF_SIZE), size);
        for (unsigned k = 0; k < 3; k++) {
            struct g_request request =
                inlining(k & 1, (k & 1 ? G_MARKED : 0), to, STREAM(stream, UPDATE), by << 6);
            request.buffer = k;
            g_issue(from, &request);
        }
        g_settle();
        struct g_request request =
            reading(i & 1, from, to, STREAM(stream, AVAILABLE), L1_BASE + 4, 4);
        request.ret = L1_BASE + STREAM(stream, AVAILABLE) % 16;
        g_do(from, &request);
        ck_assert_uint_eq(g_word(from, request.ret), size + 3 * by);
    }
}

/* A tile starts a request of another one by writing its NIU over the NoC. */
TEST(requests_are_started_over_the_noc)
{
    uint8_t bytes[64];
    for (unsigned i = 0; i < 8; i++) {
        struct g_place from = g_worker(), middle = g_other_worker(from);
        struct g_place to = g_worker();
        g_scatter(middle, L1_BASE, bytes, sizeof bytes);
        const struct g_request inner = writing(i >> 1 & 1, middle, to, L1_BASE, 0x90000, 64);
        const uint32_t offsets[] = {0x00, 0x04, 0x08, 0x0c, 0x10, 0x14,
                                    0x18, 0x1c, 0x20, 0x24, 0x40};
        const uint32_t values[] = {
            L1_BASE, 0, inner.targ_hi, 0x90000, 0, inner.ret_hi, inner.tag, inner.ctrl, 64, 0, 1};
        for (int k = 0; k < COUNT(offsets); k++) {
            struct g_request request = inlining(
                i & 1, G_STATIC, middle, G_BUFFER(inner.noc, inner.buffer) + offsets[k], values[k]);
            request.buffer = 1;
            g_issue(from, &request);
        }
        g_settle();
        g_expect_bytes(to, 0x90000, bytes, sizeof bytes, "started by another tile");
        ck_assert_uint_gt(g_word(middle, G_COUNTER(inner.noc, 1)), 0);
    }
}

/* The wall clock of another tile, and its counters. */
TEST(registers_are_read_over_the_noc)
{
    struct g_place from = {2, 3}, to = {15, 8};
    for (unsigned i = 0; i < 20; i++) {
        uint64_t address = G_COUNTER(i & 1, 52); /* requests that it accepted */
        uint32_t before = g_word(to, address);
        struct g_request request = reading(i & 1, from, to, address, L1_BASE + address % 16, 4);
        g_do(from, &request);
        uint32_t seen = g_word(from, L1_BASE + address % 16);
        ck_assert_msg(seen == before || seen == before + 1, "%u after %u", seen, before);
        ck_assert_uint_eq(g_word(to, address), before + 1);
    }
}

/* --- PCIe --- */

static const struct g_place pcie = {19, 24};

TEST(host_memory)
{
    enum { SIZE = 1 << 20 };
    static const uint64_t windows[] = {0,
                                       UINT64_C(0x0400000000000000),
                                       UINT64_C(0x0800000000000000),
                                       UINT64_C(0x0c00000000000000),
                                       UINT64_C(0x1000000000000000),
                                       UINT64_C(0x1400000000000000),
                                       UINT64_C(0x1800000000000000),
                                       UINT64_C(0x1c00000000000000)};
    g_give_host_memory(UINT64_C(0x1fff80000), SIZE); /* crosses 2^33 */
    for (unsigned i = 0; i < 120; i++) {
        struct g_place from = i % 5 ? g_worker() : (struct g_place){20 + i % 12, 25};
        uint32_t length = 1 + g_below(i % 7 ? 1000 : 40000);
        uint32_t offset = g_below((SIZE - 40000) / 64) * 64;
        uint64_t address = windows[i % COUNT(windows)] + world->host_base + offset;
        uint8_t *host = world->host + offset, before[64];
        static uint8_t bytes[40000];
        if (i & 1) {
            g_scatter(from, L1_BASE, bytes, length);
            memcpy(before, host + length, sizeof before);
            struct g_request request = writing(i >> 1 & 1, from, pcie, L1_BASE, address, length);
            g_do(from, &request);
            g_book_unicast(from, &request);
            ck_assert_int_eq(memcmp(host, bytes, length), 0);
            ck_assert_int_eq(memcmp(host + length, before, sizeof before), 0);
        } else {
            g_random_bytes(host, length);
            struct g_request request = reading(i >> 1 & 1, from, pcie, address, L1_BASE, length);
            g_do(from, &request);
            g_book_unicast(from, &request);
            g_expect_bytes(from, L1_BASE, host, length, "host memory");
        }
    }
    g_audit("host memory");
}

/* Byte enables count at the host's memory, wherever that is. */
TEST(enabled_bytes_of_the_host)
{
    g_give_host_memory(0, 0x1000);
    struct g_place from = {6, 6};
    for (unsigned i = 0; i < 40; i++) {
        uint8_t bytes[64], wanted[64];
        uint64_t window = i & 1 ? UINT64_C(0x1000000000000000) : 0;
        uint64_t mask = (uint64_t)g_random() << 32 | g_random();
        g_scatter(from, L1_BASE, bytes, sizeof bytes);
        g_random_bytes(world->host + 0x400, 64);
        for (unsigned k = 0; k < 64; k++) {
            wanted[k] = mask >> k & 1 ? bytes[k] : world->host[0x400 + k];
        }
        struct g_request request = writing(i >> 1 & 1, from, pcie, L1_BASE, window + 0x400, 0);
        request.ctrl |= G_ENABLES;
        request.length = (uint32_t)mask;
        request.length_high = (uint32_t)(mask >> 32);
        g_do(from, &request);
        ck_assert_msg(memcmp(world->host + 0x400, wanted, 64) == 0,
                      "mask %016" PRIx64 " at 0x%" PRIx64, mask, window + 0x400);
    }
}

/* Splitting carries into the high half of the address. */
TEST(addresses_carry)
{
    g_give_host_memory(UINT64_C(0x2ffff0000), 0x40000);
    struct g_place from = {6, 6};
    static uint8_t bytes[0x18000];
    g_scatter(from, L1_BASE, bytes, sizeof bytes);
    struct g_request request =
        writing(1, from, pcie, L1_BASE, UINT64_C(0x10000002ffff8000), 0x18000);
    g_do(from, &request);
    ck_assert_int_eq(memcmp(world->host + 0x8000, bytes, sizeof bytes), 0);
    uint64_t buffer = G_BUFFER(1, request.buffer);
    ck_assert_uint_eq(g_word(from, buffer + 0x0c), 0x0000c000);
    ck_assert_uint_eq(g_word(from, buffer + 0x10), 0x10000003);
    ck_assert_uint_eq(g_word(from, buffer + 0x00), L1_BASE + 0x14000);
}

TEST(no_host_memory)
{
    struct g_place from = {6, 6};
    g_scatter(from, L1_BASE, NULL, 64);
    for (unsigned i = 0; i < 4; i++) {
        struct g_request request = i & 2 ? reading(i & 1, from, pcie, 0x123000, L1_BASE, 64)
                                         : writing(i & 1, from, pcie, L1_BASE, 0x123000, 64);
        g_expect_fault(from, &request, G_KIND(NOC_ADDRESS), "no host");
    }
}

/* --- ARC --- */

TEST(arc_memory)
{
    struct g_place arc = {8, 0}, from = {3, 10};
    for (unsigned i = 0; i < 8; i++) {
        unsigned noc = 0;
        uint8_t bytes[64];
        g_scatter(from, L1_BASE, bytes, sizeof bytes);
        uint64_t address = UINT64_C(0x10040000) + 64 * i;
        struct g_request request = writing(noc, from, arc, L1_BASE, address, 64);
        g_do(from, &request);
        request = reading(noc, from, arc, address, 0x80000, 64);
        g_do(from, &request);
        g_expect_bytes(from, 0x80000, bytes, sizeof bytes, "ARC");
        g_expect_bytes(arc, address, bytes, sizeof bytes, "ARC as the host sees it");
    }
}

/* --- NIUs of tiles that start no requests --- */

static const struct {
    struct g_place at;
    bool is_empty;
    uint32_t type;
} edges[] = {
    {{8, 26}, false, 0x0901}, {{8, 29}, false, 0x0901}, {{8, 30}, false, 0x0a00},
    {{8, 0}, false, 0x0500},  {{1, 0}, true, 0},        {{8, 10}, true, 0},
};

/* Either address leads to the NIU of the NoC that the request comes over. */
TEST_EACH(nius_of_the_edge, COUNT(edges))
{
    struct g_place from = {6, 6};
    uint64_t high = edges[_i].is_empty ? 0 : UINT64_C(0xffffffff00000000);
    uint32_t node[2], config = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned noc = i & 1;
        uint64_t niu = high + G_NIU(i >> 1);
        struct g_place at = edges[_i].at;
        if (noc && at.y == 0) {
            continue; /* its row has another number there, which means another one to firmware */
        }
        struct g_request request = reading(noc, from, at, niu + 0x44, L1_BASE + 4, 4);
        g_do(from, &request);
        node[noc] = g_word(from, L1_BASE + 4);
        ck_assert_uint_eq(node[noc] >> 12 & 0x7f, 17);
        ck_assert_uint_eq(node[noc] >> 28, noc == 0);
        ck_assert(noc == 0 || (node[1] & 63) == 16 - (node[0] & 63));
        ck_assert(noc == 0 || (node[1] >> 6 & 63) == 11 - (node[0] >> 6 & 63));
        request = reading(noc, from, at, niu + 0x48, L1_BASE + 8, 4);
        g_do(from, &request);
        ck_assert_uint_eq(g_word(from, L1_BASE + 8) >> 8 & 0xffff, edges[_i].type);
        g_put_word(from, L1_BASE + 12, 0x5a000000 + i);
        request = writing(noc, from, at, L1_BASE + 12, niu + 0x10c, 4); /* ROUTER_CFG_2 */
        g_do(from, &request);
        config = noc ? config : 0x5a000000 + i;
        ck_assert_uint_eq(g_word(edges[_i].at, niu + 0x10c), config);
        ck_assert_uint_eq(g_word(edges[_i].at, niu + 0x44), node[0]); /* hosts: NoC 0 */
        request = reading(noc, from, at, niu + 0x44, L1_BASE, 8);
        request.ret = L1_BASE + 4;
        g_expect_fault(from, &request, G_KIND(NOC_ADDRESS) | G_KIND(NOC_ALIGNMENT), "8");
    }
}

/* --- Identity --- */

struct identity {
    const char *kind;
    unsigned type, first, last;
};

static const struct identity identities[] = {
    {"Tensix", 0x0100, 0, 139},
    {"Ethernet", 0x0200, 0, 13},
    {"DRAM", 0x0800, 0, 7},
};

TEST(who_they_are)
{
    bool seen[3][140] = {{false}};
    for (unsigned i = 0; i < G_WIDTH * G_HEIGHT; i++) {
        struct g_place at = {i % G_WIDTH, i / G_WIDTH};
        const char *kind = penrose_tile_kind_name(penrose_tile_kind(world->chip, at.x, at.y));
        for (int k = 0; kind && k < COUNT(identities); k++) {
            if (strcmp(kind, identities[k].kind) != 0 ||
                !chip_has_tile(world->chip, penrose_tile_kind(world->chip, at.x, at.y), at.x,
                               at.y)) {
                continue; /* what is left are other names of the same tiles */
            }
            uint32_t node0 = g_word(at, G_NIU(0) + 0x44);
            for (unsigned noc = 0; noc < 2; noc++) {
                uint32_t node = g_word(at, G_NIU(noc) + 0x44);
                uint32_t end = g_word(at, G_NIU(noc) + 0x48);
                ck_assert_uint_eq(node >> 12 & 0x7f, 17);
                ck_assert_uint_eq(node >> 19 & 0x7f, 12);
                ck_assert_uint_eq(node >> 28, noc == 0);
                unsigned x = node0 & 63, y = node0 >> 6 & 63;
                ck_assert_uint_eq(node & 63, noc ? 16 - x : x);
                ck_assert_uint_eq(node >> 6 & 63, noc ? 11 - y : y);
                ck_assert_uint_eq(end >> 24, noc);
                ck_assert_uint_eq(end >> 8 & 0xffff, identities[k].type);
                ck_assert_uint_le(end & 0xff, identities[k].last);
                seen[k][end & 0xff] = true;
                for (unsigned buffer = 1; buffer < 4; buffer++) {
                    ck_assert_uint_eq(g_word(at, G_BUFFER(noc, buffer) + 0x44), node);
                    ck_assert_uint_eq(g_word(at, G_BUFFER(noc, buffer) + 0x48), end);
                }
                ck_assert_uint_eq(g_word(at, G_NIU(noc) + 0x148) & 0xfff, g_hi(at));
            }
        }
    }
    for (unsigned i = 0; i < 140; i++) {
        ck_assert_msg(seen[0][i], "no Tensix tile has index %u", i);
        ck_assert(i > 7 || seen[2][i]);
    }
}

/* --- Translation --- */

/* The algorithm of the page, on the registers of an NIU. */
static unsigned entry(const uint32_t *registers, unsigned table, unsigned index)
{
    return registers[table / 4 + index / 6] >> 5 * (index % 6) & 31;
}

static void translate(const uint32_t *registers, unsigned *x, unsigned *y)
{
    enum { X_TABLE = 0x18, Y_TABLE = 0x30, COLUMNS = 0x50, ROWS = 0x54, DDR = 0x58, SWAP = 0x70 };
    unsigned x31 = *x & 31, y31 = *y & 31;
    bool is_ddr[32] = {false};
    if (!(registers[0] >> 14 & 1)) {
        return;
    }
    is_ddr[9] = registers[DDR / 4 + 5] >> 10 & 1;
    is_ddr[0] = registers[DDR / 4 + 5] >> 11 & 1;
    if (registers[SWAP / 4] >> y31 & 1 && is_ddr[x31 ^ 9]) {
        *x = x31 ^ 9;
    } else if (!(registers[ROWS / 4] >> y31 & 1)) {
        *x = entry(registers, X_TABLE, x31);
    }
    if (is_ddr[x31]) {
        *y = entry(registers, DDR, y31);
    } else if (!(registers[COLUMNS / 4] >> x31 & 1)) {
        *y = entry(registers, Y_TABLE, y31);
    }
}

static void load(struct g_place at, unsigned noc, uint32_t registers[32])
{
    for (unsigned i = 0; i < 32; i++) {
        registers[i] = g_word(at, G_NIU(noc) + 0x100 + 4 * i);
    }
}

/* With the firmware's tables both NoCs know all tiles by the names that hosts use, from row 2 on.
 */
TEST(tables_of_firmware)
{
    struct g_place from = {5, 5};
    for (unsigned noc = 0; noc < 2; noc++) {
        uint32_t registers[32];
        load(from, noc, registers);
        for (unsigned i = 0; i < G_WIDTH * G_HEIGHT; i++) {
            unsigned x = i % G_WIDTH, y = i / G_WIDTH;
            struct g_place at = {x, y};
            if (y < 2 || !penrose_hart_name_at(world->chip, x, y, PENROSE_BRISC)) {
                continue;
            }
            translate(registers, &x, &y);
            ck_assert_uint_eq(g_word(at, G_NIU(noc) + 0x44) & 0xfff, x | y << 6);
        }
    }
}

/* Raw rows: in 0 and 1 each NoC has its own numbers. */
TEST(rows_of_their_own)
{
    struct g_place from = {5, 5}, ethernet = {20, 25};
    for (unsigned i = 0; i < 12; i++) {
        ethernet.x = 20 + i;
        for (unsigned noc = 0; noc < 2; noc++) {
            uint32_t node = g_word(ethernet, G_NIU(noc) + 0x44);
            struct g_place raw = {node & 63, node >> 6 & 63};
            uint32_t value = g_random();
            g_put_word(from, L1_BASE, value);
            if (raw.y < 2) {
                struct g_request request = writing(noc, from, raw, L1_BASE, 0x50000, 4);
                g_do(from, &request);
                ck_assert_uint_eq(g_word(ethernet, 0x50000), value);
            }
        }
    }
}

static const struct g_place *worker_at(unsigned noc, unsigned x, unsigned y, struct g_place *at)
{
    if (x >= 17 || y >= 12) {
        return NULL;
    }
    *at = noc ? (struct g_place){16 - x, 11 - y} : (struct g_place){x, y};
    return penrose_tile_kind(world->chip, at->x, at->y) == PENROSE_TILE_TENSIX ? at : NULL;
}

/* Guests' tables: random ones that mostly lead to workers. */
TEST(tables_of_guests)
{
    unsigned hits = 0;
    struct g_place from = {5, 5};
    for (unsigned round = 0; round < 60; round++) {
        unsigned noc = round & 1;
        uint32_t registers[32], before[32];
        load(from, noc, before);
        memcpy(registers, before, sizeof registers);
        for (unsigned i = 6; i < 32; i++) {
            bool is_table = i < 18 || (i >= 22 && i < 28);
            uint32_t word = g_random();
            for (unsigned k = 0; is_table && k < 6; k++) {
                word &= ~(31u << 5 * k);
                word |= (i < 12 ? 1 + g_below(15) : g_below(12)) << 5 * k;
            }
            if (i != 18 && i != 19 &&
                i < 29) { /* not NOC_ID_LOGICAL, nor what follows the tables */
                registers[i] = word;
                g_put_word(from, G_NIU(noc) + 0x100 + 4 * i, word);
            }
        }
        registers[0] = round % 5 ? before[0] : before[0] & ~(1u << 14);
        g_put_word(from, G_NIU(noc) + 0x100, registers[0]);
        for (unsigned i = 0; i < 30; i++) {
            struct g_place at, written = {g_below(i & 1 ? 64 : 17), g_below(i & 2 ? 64 : 12)};
            unsigned x = written.x, y = written.y;
            translate(registers, &x, &y);
            if (!worker_at(noc, x, y, &at)) {
                continue;
            }
            uint32_t value = g_random();
            struct g_request request = {.noc = noc,
                                        .ctrl = G_WRITE | G_INLINE,
                                        .targ = G_BUFFER(1 - noc, 3) + 0x28,
                                        .data = value,
                                        .targ_hi = g_hi(written) | (g_random() & 0xff000000)};
            g_do(from, &request);
            uint32_t is = g_word(at, G_BUFFER(1 - noc, 3) + 0x28);
            ck_assert_msg(is == value, "NoC %u (%u, %u) means raw (%u, %u)", noc, written.x,
                          written.y, x, y);
            ck_assert_uint_eq(g_word(from, G_BUFFER(noc, 0) + 0x08), request.targ_hi);
            hits++;
        }
        for (unsigned i = 0; i < 30; i++) {
            g_put_word(from, G_NIU(noc) + 0x100 + 4 * i, before[i]);
        }
    }
    ck_assert_uint_gt(hits, 500);
}

/* Harvested products: workers are named without gaps, and each of them can be reached. */
TEST_EACH(products, 3)
{
    static const char *const cards[] = {"unharvested", "p150a", "p100a"};
    static const unsigned workers[] = {140, 140, 120};
    struct penrose_options options = {.size = sizeof options};
    options.card = cards[_i];
    g_close();
    g_open(&options);
    unsigned count = 0;
    for (unsigned i = 0; i < 17 * 12; i++) {
        struct g_place at = {i % 17, i / 17}, from = {1, 2};
        if (penrose_tile_kind(world->chip, at.x, at.y) != PENROSE_TILE_TENSIX) {
            continue;
        }
        count++;
        g_put_word(from, L1_BASE, 77 + i);
        for (unsigned noc = 0; noc < 2; noc++) {
            struct g_request request = writing(noc, from, at, L1_BASE, 0x50000 + 16 * noc, 4);
            g_do(from, &request);
            ck_assert_uint_eq(g_word(at, 0x50000 + 16 * noc), 77 + i);
        }
        ck_assert_uint_eq(g_word(at, G_NIU(0) + 0x148) & 0xfff, g_hi(at));
    }
    ck_assert_uint_eq(count, workers[_i]);
    struct g_place low = {1, 2};
    struct g_request request = {.ctrl = G_WRITE | G_MARKED | G_BROADCAST | G_SOURCE_TOO,
                                .targ = L1_BASE,
                                .ret = 0x60000,
                                .targ_hi = g_hi(low),
                                .ret_hi = g_rectangle(low, (struct g_place){_i == 2 ? 14 : 16, 11}),
                                .length = 4,
                                .tag = G_ID(1)};
    uint32_t before = g_word(low, G_COUNTER(0, 1));
    g_do(low, &request);
    ck_assert_uint_eq(g_word(low, G_COUNTER(0, 1)) - before, count);
}
