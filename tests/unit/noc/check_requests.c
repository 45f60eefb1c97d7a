/*
 * Every kind of NoC request with every flag, and all 62 counters of the NIUs that take part; what a
 * request leaves in its registers; splitting; transaction ids and their interrupts. Written from
 * BlackholeA0 NoC/{MemoryMap, Counters, Interrupts}.
 */
#include <string.h>

#include "unit/noc/noc_world.h"

static const struct g_place ethernet = {21, 25}, dram = {17, 13};

FIXTURE(g_open_default, g_close);

/* --- Kinds and flags --- */

enum { SOURCE = 0x10000, SINK = 0x40000, MOST = 3 * G_PACKET };

/* A register that holds all 32 bits: NOC_AT_DATA of the last buffer of NoC 0. */
#define REGISTER UINT64_C(0xffb21828)

static const struct row {
    const char *name;
    uint32_t ctrl, length;
    bool to_register, from_memory_only;
} rows[] = {
    {"read", G_READ, 64, false, false},
    {"read of 4 bytes", G_READ, 4, false, false},
    {"read, marked", G_READ | G_MARKED, 4096, false, false},
    {"longest read", G_READ, G_PACKET, false, false},
    {"split read", G_READ, G_PACKET + 64, false, false},
    {"long split read", G_READ, 2 * G_PACKET + 4096, false, false},
    {"read of a register", G_READ, 4, true, false},
    {"write", G_WRITE | G_MARKED, 128, false, false},
    {"posted write", G_WRITE, 128, false, false},
    {"write of a byte", G_WRITE | G_MARKED, 1, false, false},
    {"write of 65 bytes", G_WRITE | G_MARKED, 65, false, false},
    {"posted write of 63 bytes", G_WRITE, 63, false, false},
    {"longest write", G_WRITE | G_MARKED, G_PACKET, false, false},
    {"split write", G_WRITE | G_MARKED, G_PACKET + 1, false, false},
    {"posted split write", G_WRITE, 2 * G_PACKET + 100, false, false},
    {"write, three packets", G_WRITE | G_MARKED, 3 * G_PACKET, false, false},
    {"write of a register", G_WRITE | G_MARKED, 4, true, false},
    {"posted write of a register", G_WRITE, 4, true, false},
    {"enabled write", G_WRITE | G_ENABLES | G_MARKED, 0xffffffff, false, false},
    {"posted enabled write", G_WRITE | G_ENABLES, 0xf0f00f0f, false, false},
    {"enabled write of a register", G_WRITE | G_ENABLES | G_MARKED, 0, true, false},
    {"inline write", G_WRITE | G_INLINE | G_MARKED, 15, true, true},
    {"posted inline write", G_WRITE | G_INLINE, 15, true, true},
    {"inline write, enables", G_WRITE | G_INLINE | G_ENABLES | G_MARKED, 0, true, true},
    {"atomic", G_ATOMIC | G_MARKED, 0x107c, false, true},
    {"posted atomic", G_ATOMIC, 0x107c, false, true},
};

static const uint32_t flags[] = {
    0,
    G_STATIC,
    G_STATIC | G_BUDDY,
    G_STATIC | G_CLASS(1),
    G_STATIC | G_CLASS(1) | G_BUDDY,
    G_RESERVE,
    G_DROP_ACK,
    G_Y_MAJOR,
    G_SOURCE_TOO,
    G_PRIORITY(15),
    G_DROP_ACK | G_STATIC | G_PRIORITY(1) | G_BUDDY,
};

/* Fills a request of a row from `from` to `to`, answered to `from`. */
static struct g_request request_of(const struct row *row, struct g_place from, struct g_place to)
{
    bool is_write = (row->ctrl & 3) == G_WRITE && !(row->ctrl & G_INLINE);
    uint64_t far = row->to_register ? REGISTER : SINK;
    uint64_t near = row->to_register ? SOURCE + (REGISTER & 15) : SOURCE;
    struct g_request request = g_request_of(
        row->ctrl | flags[g_below(COUNT(flags))], g_below(2), is_write ? from : to,
        is_write ? near : far, is_write ? to : from, is_write ? far : near, row->length);
    request.buffer = g_below(4);
    request.data = g_random();
    request.tag = G_ID(g_below(16));
    return request;
}

/* Memory of both ends is random before, and what the row's request makes of it is told by kind. */
static void compare_memory(const struct row *row, struct g_place from, struct g_place to,
                           const struct g_request *request, const uint8_t *source,
                           const uint8_t *sink)
{
    uint8_t wanted[MOST];
    if ((row->ctrl & 3) == G_READ && !row->to_register) {
        g_expect_bytes(from, SOURCE, sink, row->length, row->name);
    } else if ((row->ctrl & 3) == G_WRITE && !row->to_register && row->ctrl & G_ENABLES) {
        for (unsigned i = 0; i < 64; i++) {
            wanted[i] = i < 32 && row->length >> i & 1 ? source[i] : sink[i];
        }
        g_expect_bytes(to, SINK, wanted, 64, row->name);
    } else if ((row->ctrl & 3) == G_WRITE && !row->to_register) {
        g_expect_bytes(to, SINK, source, row->length, row->name);
        g_expect_bytes(to, SINK + row->length, sink + row->length, 64, row->name);
    } else if (row->ctrl & G_INLINE) {
        ck_assert_uint_eq(g_word(to, REGISTER), request->data);
    } else if ((row->ctrl & 3) == G_ATOMIC) {
        uint32_t before;
        memcpy(&before, sink, 4);
        ck_assert_uint_eq(g_word(to, SINK), before + request->data);
        memcpy(&before, row->ctrl & G_MARKED ? sink : source, 4);
        ck_assert_uint_eq(g_word(from, SOURCE), before);
    } else {
        uint32_t word;
        memcpy(&word, source + (REGISTER & 15), 4);
        word = (row->ctrl & 3) == G_READ ? request->exclude : word;
        ck_assert_uint_eq(g_word(to, REGISTER), word);
        ck_assert_uint_eq(g_word(from, SOURCE + (REGISTER & 15)), word);
    }
}

static void run_row(const struct row *row, struct g_place from, struct g_place to)
{
    static uint8_t source[MOST + 64], sink[MOST + 64];
    g_scatter(from, SOURCE, source, sizeof source);
    g_scatter(to, SINK, sink, sizeof sink);
    struct g_request request = request_of(row, from, to);
    if (row->to_register) {
        request.buffer = g_below(3); /* the last one is what is read and written */
        uint32_t value = g_random();
        g_put_word(to, REGISTER, value);
        request.exclude = (row->ctrl & 3) == G_READ ? value : 0; /* remembered for the comparison */
        struct g_request issued = request;
        issued.exclude = 0;
        g_do(from, &issued);
    } else {
        g_do(from, &request);
    }
    g_book_unicast(from, &request);
    g_audit(row->name);
    compare_memory(row, from, to, &request, source, sink);
    uint64_t buffer = G_BUFFER(request.noc, request.buffer);
    ck_assert_msg(g_word(from, buffer + 0x40) == 0, "%s: NOC_CMD_CTRL stays 1", row->name);
    ck_assert_uint_eq(g_word(from, buffer + 0x08), request.targ_hi);
    ck_assert_uint_eq(g_word(from, buffer + 0x14), request.ret_hi);
}

TEST_EACH(worker_to_worker, COUNT(rows))
{
    for (int i = 0; i < 6; i++) {
        struct g_place from = g_worker();
        run_row(&rows[_i], from, g_other_worker(from));
    }
}

TEST_EACH(to_itself, COUNT(rows))
{
    for (int i = 0; i < 3; i++) {
        struct g_place at = g_worker();
        run_row(&rows[_i], at, at);
    }
}

TEST_EACH(ethernet_takes_part, COUNT(rows))
{
    run_row(&rows[_i], g_worker(), ethernet);
    run_row(&rows[_i], ethernet, g_worker());
}

TEST_EACH(dram_takes_part, COUNT(rows))
{
    if (rows[_i].to_register || rows[_i].from_memory_only) {
        return; /* other rules: check_request_rules.c */
    }
    g_word(dram, G_COUNTER(0, 0));
    run_row(&rows[_i], g_worker(), dram);
}

/* The hart of a DRAM tile has L1 of its own, which the NIU leads to with bit 15 of NIU_CFG_0 clear.
 */
TEST(dram_tile_starts_requests)
{
    uint8_t out[4096], in[4096];
    for (unsigned noc = 0; noc < 2; noc++) {
        struct g_place from = {18, 15 + noc}, to = {4, 7};
        uint32_t mode = g_word(from, G_NIU(noc) + 0x100);
        ck_assert_msg(mode >> 15 & 1, "NIU_CFG_0 of a DRAM tile is 0x%x", mode);
        g_scatter(from, UINT64_C(0x2000004000), out, sizeof out);
        g_put_word(from, G_NIU(noc) + 0x100, mode & ~(1u << 15));
        struct g_request write =
            g_request_of(G_WRITE | G_MARKED, noc, from, 0x4000, to, SINK, sizeof out);
        write.tag = G_ID(3);
        g_do(from, &write);
        g_book_unicast(from, &write);
        g_expect_bytes(to, SINK, out, sizeof out, "write of a DRAM tile");
        g_scatter(to, SOURCE, in, sizeof in);
        struct g_request read = g_request_of(G_READ, noc, to, SOURCE, from, 0x6000, sizeof in);
        read.tag = G_ID(4);
        read.buffer = 3;
        g_do(from, &read);
        g_book_unicast(from, &read);
        g_audit("DRAM tile");
        g_put_word(from, G_NIU(noc) + 0x100, mode);
        g_expect_bytes(from, UINT64_C(0x2000006000), in, sizeof in, "read of a DRAM tile");
    }
}

/* The same if nobody has looked at the DRAM tile before. */
TEST(dram_counts_from_the_start)
{
    run_row(&rows[_i], g_worker(), dram);
}

/* A transaction of several requests to one tile. */
TEST_EACH(linked_requests, 8)
{
    uint8_t bytes[4 * 256];
    struct g_place from = {3, 3}, to = {12, 10};
    g_scatter(from, SOURCE, bytes, sizeof bytes);
    for (unsigned i = 0; i < 4; i++) {
        struct g_request request =
            g_request_of(G_WRITE | (i < 3 ? G_LINKED : 0) | (_i & 4 ? G_MARKED : 0), _i & 1, from,
                         SOURCE + 256 * i, to, SINK + 256 * i, 256);
        request.buffer = (unsigned)_i >> 1 & 1 ? i : 0;
        request.tag = G_ID(i);
        g_issue(from, &request);
        g_book_unicast(from, &request);
    }
    g_settle();
    g_audit("linked");
    g_expect_bytes(to, SINK, bytes, sizeof bytes, "linked");
}

/* Many in flight at once, of all buffers and ids. */
TEST(many_at_once)
{
    enum { REQUESTS = 120, BLOCK = 2048 };
    static uint8_t bytes[REQUESTS][BLOCK];
    struct g_place from = {5, 6}, to = {6, 6};
    for (unsigned i = 0; i < REQUESTS; i++) {
        bool reads = g_below(2);
        g_scatter(reads ? to : from, SOURCE + BLOCK * i, bytes[i], BLOCK);
        struct g_request request =
            g_request_of(reads ? G_READ : G_WRITE | g_below(2) << 4, g_below(2), reads ? to : from,
                         SOURCE + BLOCK * i, reads ? from : to, SINK + 0x30000 + BLOCK * i, BLOCK);
        request.buffer = g_below(4);
        request.tag = G_ID(g_below(16));
        g_issue(from, &request);
        g_book_unicast(from, &request);
        /* Remember where to look. */
        bytes[i][0] = (uint8_t)(reads | (bytes[i][0] & 0xfe));
        g_put(reads ? to : from, SOURCE + BLOCK * i, bytes[i], 1);
        if (!reads) { /* the source had been read already */
            bytes[i][0] = 0;
        }
    }
    g_settle();
    g_audit("many");
    for (unsigned i = 0; i < REQUESTS; i++) {
        bool reads = bytes[i][0] & 1;
        g_expect_bytes(reads ? from : to, SINK + 0x30000 + BLOCK * i + 1, bytes[i] + 1, BLOCK - 1,
                       "many");
    }
}

/* --- When counters move --- */

/* What software sees at once after it has written NOC_CMD_CTRL, and later. */
TEST(outstanding_while_on_the_way)
{
    static const struct {
        uint32_t ctrl, length, outstanding;
    } cases[] = {
        {G_READ, 64, 1},
        {G_READ, G_PACKET, 1},
        {G_READ, G_PACKET + 64, 2},
        {G_READ, 50 * G_PACKET, 50},
        {G_WRITE | G_MARKED, 64, 1},
        {G_WRITE | G_MARKED, 7 * G_PACKET + 3, 8},
        {G_WRITE, 64, 0},
        {G_WRITE, 7 * G_PACKET, 0},
        {G_WRITE | G_ENABLES | G_MARKED, 0xffffffff, 1},
        {G_ATOMIC | G_MARKED, 0x107c, 1},
        {G_ATOMIC, 0x107c, 0},
    };
    struct g_place from = {2, 4}, to = {14, 9};
    for (int i = 0; i < COUNT(cases); i++) {
        unsigned noc = i & 1, id = (unsigned)i + 3;
        bool is_write = (cases[i].ctrl & 3) == G_WRITE;
        struct g_request request = g_request_of(cases[i].ctrl, noc, is_write ? from : to, SOURCE,
                                                is_write ? to : from, SOURCE, cases[i].length);
        request.tag = G_ID(id & 15);
        g_issue(from, &request);
        ck_assert_uint_eq(g_word(from, G_OUTSTANDING(noc, id & 15)), cases[i].outstanding);
        g_settle();
        ck_assert_uint_eq(g_word(from, G_OUTSTANDING(noc, id & 15)), 0);
        g_book_unicast(from, &request);
    }
    g_audit("on the way");
}

/* Counters are 8 bits wide: 300 outstanding packets are 44, and come back to zero. */
TEST(outstanding_wraps)
{
    struct g_place from = {2, 4}, to = {14, 9};
    for (unsigned i = 0; i < 6; i++) {
        struct g_request request = g_request_of(G_READ, 0, to, 0, from, 0, 50 * G_PACKET);
        request.buffer = i % 4;
        request.tag = G_ID(9);
        g_issue(from, &request);
        g_book_unicast(from, &request);
    }
    ck_assert_uint_eq(g_word(from, G_OUTSTANDING(0, 9)), 300 % 256);
    g_settle();
    g_audit("wrapped");
}

/* NOC_CLEAR_OUTSTANDING_REQ_CNT clears those that have a bit, and nothing else. */
TEST(outstanding_is_cleared)
{
    struct g_place from = {4, 4}, to = {4, 5};
    for (unsigned noc = 0; noc < 2; noc++) {
        for (unsigned id = 0; id < 16; id++) {
            struct g_request request =
                g_request_of(G_WRITE | G_MARKED, noc, from, SOURCE, to, SINK, 64);
            request.tag = G_ID(id);
            for (unsigned i = 0; i <= id; i++) {
                g_issue(from, &request);
            }
        }
        uint32_t mask = g_random() & 0xffff;
        g_put_word(from, G_CLEAR(noc), mask);
        for (unsigned id = 0; id < 16; id++) {
            ck_assert_uint_eq(g_word(from, G_OUTSTANDING(noc, id)), mask >> id & 1 ? 0 : id + 1);
        }
        ck_assert_uint_eq(g_word(from, G_COUNTER(noc, 10)), 136);
    }
}

/* --- What stays in the registers --- */

TEST(splitting_moves_the_registers)
{
    static const uint32_t lengths[] = {1,
                                       64,
                                       G_PACKET - 1,
                                       G_PACKET,
                                       G_PACKET + 1,
                                       G_PACKET + 64,
                                       2 * G_PACKET,
                                       2 * G_PACKET + 1,
                                       9 * G_PACKET + 4000};
    struct g_place from = {2, 4}, to = {14, 9};
    for (unsigned i = 0; i < 4 * COUNT(lengths); i++) {
        uint32_t length = lengths[i / 4];
        bool reads = i & 1;
        struct g_request request =
            g_request_of(reads ? G_READ : G_WRITE | G_MARKED, i >> 1 & 1, reads ? to : from, SOURCE,
                         reads ? from : to, SINK + 0x40000, length);
        request.buffer = i & 3;
        request.data = 0x12345678;
        request.tag = G_ID(5);
        g_do(from, &request);
        uint64_t buffer = G_BUFFER(request.noc, request.buffer);
        uint32_t moved = (length - 1) / G_PACKET * G_PACKET;
        ck_assert_uint_eq(g_word(from, buffer + 0x00), SOURCE + moved);
        ck_assert_uint_eq(g_word(from, buffer + 0x0c), SINK + 0x40000 + moved);
        ck_assert_uint_eq(g_word(from, buffer + 0x20), length - moved);
        ck_assert_uint_eq(g_word(from, buffer + 0x24), 0);
        ck_assert_uint_eq(g_word(from, buffer + 0x28), 0x12345678);
        ck_assert_uint_eq(g_word(from, buffer + 0x18), G_ID(5));
        ck_assert_uint_eq(g_word(from, buffer + 0x40), 0);
    }
}

/* Writing NOC_CMD_CTRL without its low bit starts nothing; the high half of the tag is zero. */
TEST(what_starts_nothing)
{
    struct g_place at = {7, 7};
    for (unsigned buffer = 0; buffer < 4; buffer++) {
        for (unsigned noc = 0; noc < 2; noc++) {
            g_put_word(at, G_BUFFER(noc, buffer) + 0x40, 0xfffffffe);
            g_put_word(at, G_BUFFER(noc, buffer) + 0x18, 0xffffffff);
            ck_assert_uint_eq(g_word(at, G_BUFFER(noc, buffer) + 0x18) >> 16, 0);
            world->is_used[noc][at.x][at.y] = true;
        }
    }
    g_settle();
    g_audit("nothing");
    for (unsigned i = 0; i < G_COUNTERS; i++) {
        g_put_word(at, G_COUNTER(0, i), 77); /* read only */
    }
    g_put_word(at, G_NIU(0) + 0x44, 1);
    g_audit("counters are read only");
}

/* --- Responses to a third tile --- */

TEST(third_tile_answers)
{
    static const uint32_t kinds[] = {G_READ, G_WRITE | G_MARKED, G_ATOMIC | G_MARKED,
                                     G_WRITE | G_MARKED | G_ENABLES};
    struct g_place from = {2, 2}, to = {11, 5}, third = {6, 8};
    for (unsigned i = 0; i < 16; i++) {
        uint8_t bytes[256];
        unsigned noc = i & 1;
        uint32_t ctrl = kinds[i / 4];
        bool is_write = (ctrl & 3) == G_WRITE;
        g_scatter(is_write ? from : to, SOURCE, bytes, sizeof bytes);
        struct g_request request =
            g_request_of(ctrl, noc, is_write ? third : to, SOURCE, is_write ? to : third, SINK,
                         (ctrl & 3) == G_ATOMIC ? 0x107c
                         : ctrl & G_ENABLES     ? 0xffffffff
                                                : sizeof bytes);
        request.tag = G_ID(i);
        request.data = 5;
        g_issue(from, &request);
        g_settle_with(PENROSE_FAULT_NOC_CREDIT);
        g_book_unicast(from, &request);
        g_audit("third tile");
        g_expect_bytes(is_write ? to : third, SINK, bytes,
                       (ctrl & 3) == G_ATOMIC ? 4
                       : ctrl & G_ENABLES     ? 32
                                              : sizeof bytes,
                       "third");
        ck_assert_uint_eq(g_word(from, G_OUTSTANDING(noc, i)), 1);
        ck_assert_uint_eq(g_word(third, G_OUTSTANDING(noc, i)), 255);
    }
}

/* --- Interrupts --- */

#define HW_INT(i) (UINT64_C(0xffb13098) + UINT64_C(4) * (i))

static void write_once(struct g_place from, unsigned noc, unsigned id)
{
    struct g_request request =
        g_request_of(G_WRITE | G_MARKED, noc, from, SOURCE, (struct g_place){9 + 1, 10}, SINK, 64);
    request.tag = G_ID(id);
    g_do(from, &request);
}

TEST_EACH(returns_to_zero_are_remembered, 2)
{
    struct g_place at = {3, 9};
    unsigned noc = (unsigned)_i & 1;
    g_put_word(at, G_RTZ_CFG(noc), 0);
    uint32_t source = 0;
    for (unsigned i = 0; i < 40; i++) {
        unsigned id = g_below(16);
        write_once(at, noc, id);
        source |= 1u << id;
        ck_assert_uint_eq(g_word(at, G_RTZ_SOURCE(noc)), source);
        ck_assert_uint_eq(g_word(at, G_RTZ_SOURCE(1 - noc)), 0);
        uint32_t clear = g_random() & g_random();
        g_put_word(at, G_RTZ_CLR(noc), clear);
        source &= ~clear;
        ck_assert_uint_eq(g_word(at, G_RTZ_SOURCE(noc)), source);
        ck_assert_uint_eq(g_word(at, G_RTZ_CLR(noc)), 0);
        g_put_word(at, G_RTZ_SOURCE(noc), ~source); /* no effect */
        ck_assert_uint_eq(g_word(at, G_RTZ_SOURCE(noc)), source);
        ck_assert_uint_eq(g_word(at, HW_INT(1)), 0);
        ck_assert_uint_eq(g_word(at, HW_INT(2)), 0);
    }
}

TEST(posted_requests_are_not_remembered)
{
    struct g_place at = {3, 9};
    struct g_request request =
        g_request_of(G_WRITE, 0, at, SOURCE, (struct g_place){5, 5}, SINK, 64);
    request.tag = G_ID(6);
    g_do(at, &request);
    ck_assert_uint_eq(g_word(at, G_RTZ_SOURCE(0)), 0);
}

/* NUM names a bit that is set and enabled; reading it clears that bit unless bit 28 says not to. */
TEST_EACH(num_names_one, 2)
{
    struct g_place at = {3, 9};
    unsigned noc = (unsigned)_i & 1;
    for (unsigned round = 0; round < 12; round++) {
        uint32_t source = 0, enable = g_random() & 0xffff;
        bool keeps = round & 1;
        for (unsigned id = 0; id < 16; id++) {
            if (g_below(2)) {
                write_once(at, noc, id);
                source |= 1u << id;
            }
        }
        g_put_word(at, G_RTZ_CFG(noc), enable | (keeps ? 1u << 28 : 0));
        for (unsigned i = 0; i < 20; i++) {
            ck_assert_uint_eq(g_word(at, HW_INT(1 + noc)) & 1, (source & enable) != 0);
            uint32_t num = 99;
            struct penrose_error error;
            penrose_peek(world->chip, at.x, at.y, G_RTZ_NUM(noc), &num, 4, &error);
            ck_assert_uint_eq(g_word(at, G_RTZ_SOURCE(noc)), source); /* peeking keeps it */
            num = g_word(at, G_RTZ_NUM(noc));
            if (!(source & enable)) {
                ck_assert_uint_eq(num, 0);
                break;
            }
            ck_assert_uint_lt(num, 16);
            ck_assert(source & enable & 1u << num);
            source &= keeps ? source : ~(1u << num);
            ck_assert_uint_eq(g_word(at, G_RTZ_SOURCE(noc)), source);
        }
        g_put_word(at, G_RTZ_CLR(noc), 0xffff);
        ck_assert_uint_eq(g_word(at, HW_INT(1 + noc)) & 1, 0);
    }
}

/* "Whenever the counter changes from positive to zero": when software clears it, too. */
TEST(clearing_is_a_return_to_zero)
{
    struct g_place at = {3, 9};
    struct g_request request =
        g_request_of(G_WRITE | G_MARKED, 0, at, SOURCE, (struct g_place){5, 5}, SINK, 64);
    request.tag = G_ID(6);
    g_issue(at, &request);
    g_put_word(at, G_CLEAR(0), 0xffff);
    ck_assert_uint_eq(g_word(at, G_RTZ_SOURCE(0)), 1u << 6);
}
