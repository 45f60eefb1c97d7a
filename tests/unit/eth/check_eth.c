/*
 * Registers of the Ethernet subsystems, commands of the TX queues, and the frames that they build:
 * each frame against a model that appends what the page lists, checksums verified as a receiver
 * would.
 */
#include <string.h>

#include "unit/eth/eth_wire.h"
#include "unit/test.h"

FIXTURE(wire_open, wire_close);

#define TXQ(queue, offset)    (UINT32_C(0xffb90000) + (queue)*UINT32_C(0x1000) + (offset))
#define HEADER(entry, offset) (UINT32_C(0xffb98200) + (entry)*UINT32_C(0x80) + (offset))

enum { START = 0x14, SIZE = 0x18, DEST = 0x1c, CMD = 0x04, STATUS = 0x08, DATA = 0x44, MAX = 0x0c };

static struct wire_end *const a = &wire.end[0];

/* --- Registers --- */

static const struct {
    uint32_t address;
    const char *name;
    uint32_t reset;
} known[] = {
    {0xffb90000, "ETH_TXQ_CTRL", 1},
    {0xffb91000, "ETH_TXQ_CTRL", 1},
    {0xffb92000, "ETH_TXQ_CTRL", 0},
    {0xffb92004, "ETH_TXQ_CMD", 0},
    {0xffb90008, "ETH_TXQ_STATUS", 0},
    {0xffb9000c, "ETH_TXQ_MAX_PKT_SIZE_BYTES", 1500},
    {0xffb91030, "ETH_TXQ_TRANSFER_CNT", 0},
    {0xffb91034, "ETH_TXQ_PKT_START_CNT", 0},
    {0xffb9103c, "ETH_TXQ_PKT_END_CNT", 0},
    {0xffb91040, "ETH_TXQ_WORD_CNT", 0},
    {0xffb90080, "ETH_TXQ_TXPKT_CFG_SEL_SW", 0},
    {0xffb91080, "ETH_TXQ_TXPKT_CFG_SEL_SW", 0x111},
    {0xffb91084, "ETH_TXQ_TXPKT_CFG_SEL_HW", 1},
    {0xffb90088, "ETH_TXQ_TXPKT_CFG_SEL_OVL", 0},
    {0xffb94000, "ETH_RXQ_CTRL", 2},
    {0xffb96000, "ETH_RXQ_CTRL", 0},
    {0xffb95018, "ETH_RXQ_HDR_CTRL", 14},
    {0xffb9604c, "ETH_RXQ_PACKET_DROP_CNT", 0},
    {0xffb96050, "ETH_RXQ_OUTSTANDING_WR_CNT", 0},
    {0xffb9800c, "ETH_CTRL_PCS_STATUS", 1},
    {0xffb98120, "EOP_STATUS_GOOD_LO", 0x1f},
    {0xffb98150, "MAC_RX_ROUTING", 0},
    {0xffb98154, "MAC_RX_ADDR_ROUTING", 0xa50},
    {0xffb98218, "TXPKT_CFG_MAC_DA", 0xffffffff},
    {0xffb9829c, "TXPKT_CFG_MAC_DA", 0x100},
    {0xffb986f0, "TXPKT_CFG_L4_HEADER", 0},
    {0xffb98854, "PTP_TIMER_CFR_HI", 0},
    {0xffb9c000, "USER_DEFINED_ETHERTYPE", 0},
    {0xffb9c45c, "USER_DEFINED_DST_IP_ADDR", 0},
    {0xffb9c888, "REDUCED_ETHERTYPE", 0},
    {0xffb9cc00, "TCAM_ROW_MAPPING", 0},
    {0xffb9ccfc, "TCAM_ROW_MAPPING", 0},
    {0xffb9cd44, "TCAM_ROW_STATUS", 0},
    {0xffb9cdf0, "TCAM_UPDATE", 0},
    {0xffb9ce54, "TCAM_PRIORITY_READ", 0},
    {0xffb9cea0, "FTABLE_UPDATE", 0},
    {0xffb9d000, "OVERRIDE_DECISION", 0},
    {0xffb9d004, "HEADER_ERROR_CONTROL", 0},
};

TEST_EACH(registers_are_where_the_pages_say, COUNT(known))
{
    uint32_t offset = known[_i].address - ETH_REGISTER_BASE, value;
    ck_assert_str_eq(reg_name(&eth_registers, offset), known[_i].name);
    ck_assert_int_eq(eth_read(&a->eth, offset, true, &value, 0), ANSWER_DONE);
    ck_assert_uint_eq(value, known[_i].reset);
}

static uint32_t read_back(uint32_t offset, uint32_t value)
{
    uint32_t result = 0;
    ck_assert_int_ne(eth_write(&a->eth, offset, false, value, 0), ANSWER_REFUSED);
    ck_assert_int_ne(eth_read(&a->eth, offset, false, &result, 0), ANSWER_UNMAPPED);
    return result;
}

/* Each word of the window: either nothing, or some bits keep what is written and the others never
 * change; nothing else changes. */
TEST(every_register_keeps_its_bits)
{
    static struct eth before;
    for (uint32_t offset = 0; offset < ETH_REGISTER_BYTES; offset += 4) {
        uint32_t value = 0;
        if (!reg_name(&eth_registers, offset)) {
            before = a->eth;
            ck_assert_int_eq(eth_read(&a->eth, offset, true, &value, 0), ANSWER_UNMAPPED);
            ck_assert_int_eq(eth_write(&a->eth, offset, true, 0, 0), ANSWER_UNMAPPED);
            if (offset % 0x400 == 0) {
                ck_assert_int_eq(memcmp(&before, &a->eth, sizeof before), 0);
            }
            continue;
        }
        uint32_t zeros = read_back(offset, 0), kept = read_back(offset, 0xffffffff) ^ zeros;
        for (unsigned i = 0; i < 8; i++) {
            uint32_t bits = wire_random();
            ck_assert_uint_eq(read_back(offset, bits), (zeros & ~kept) | (bits & kept));
        }
    }
}

TEST(the_timer_latches)
{
    uint64_t tick = 27, ticks = (UINT64_C(5) << 32) + 7;
    uint32_t value;
    wire.now = ticks * tick + 26;
    eth_read(&a->eth, 0x8850, false, &value, wire.now); /* a peek does not */
    ck_assert_uint_eq(wire_get(a, 0xffb98854), 0);
    ck_assert_uint_eq(wire_get(a, 0xffb98850), 7);
    wire.now += UINT64_C(1) << 40;
    ck_assert_uint_eq(wire_get(a, 0xffb98854), 5);
}

/* --- Commands --- */

static const struct {
    unsigned queue;
    uint32_t start, size, destination, maximum, select, command;
    const char *words;
} refusals[] = {
    {0, 8, 16, 0, 1500, 0, 2, "multiples of 16"},
    {0, 0, 8, 0, 1500, 0, 2, "multiples of 16"},
    {0, 0, 16, 8, 1500, 0, 2, "multiples of 16"},
    {0, 0x7fff0, 32, 0, 1500, 0, 2, "within the tile's L1"},
    {0, 0, 32, 0x7fff0, 1500, 0, 2, "peer's L1"},
    {0, 0, 0xfffffff0, 0, 1500, 0, 2, "peer's L1"},
    {0, 0xfffffff0, 16, 0, 1500, 0, 2, "within the tile's L1"},
    {0, 0, 16, 0xfffffff0, 1500, 0, 2, "peer's L1"},
    {0, 0, 16, 0, 15, 0, 2, "MAX_PKT_SIZE"},
    {0, 0, 16, 0, 0, 0, 1, "MAX_PKT_SIZE"},
    {0, 0, 16, 0, 16257, 0, 1, "MAX_PKT_SIZE"},
    {0, 0x7ffff, 2, 0, 1500, 0, 1, "within the tile's L1"},
    {2, 0, 0, 0xffb40000, 1500, 0, 4, "queue 2"},
    {1, 0, 0, 0xffb40002, 1500, 0, 4, "multiple of 4"},
    {1, 0, 0, 0x1000, 1500, 0, 4, "command 2"},
    {1, 0, 0, 0xffb00000, 1500, 0, 4, "0xffb12000"},
    {1, 0, 0, 0, 1500, 0, 3, "ETH_TXQ_CMD takes"},
    {1, 0, 0, 0, 1500, 0, 0x10, "ETH_TXQ_CMD takes"},
    {1, 0, 16, 0, 1500, 0xa, 1, "entries 0 to 9"},
    {1, 0, 0, 0xffb40000, 1500, 0xf0, 4, "entries 0 to 9"},
    {1, 0, 16, 0, 1500, 0xb00, 2, "entries 0 to 9"},
};

static void prepare(unsigned queue, uint32_t start, uint32_t size, uint32_t destination)
{
    wire_set(a, TXQ(queue, START), start);
    wire_set(a, TXQ(queue, SIZE), size);
    wire_set(a, TXQ(queue, DEST), destination);
}

TEST_EACH(commands_that_are_refused, COUNT(refusals))
{
    unsigned queue = refusals[_i].queue;
    prepare(queue, refusals[_i].start, refusals[_i].size, refusals[_i].destination);
    wire_set(a, TXQ(queue, MAX), refusals[_i].maximum);
    wire_set(a, TXQ(queue, 0x80), refusals[_i].select);
    wire_refused(a, TXQ(queue, CMD), refusals[_i].command, refusals[_i].words);
    ck_assert_uint_eq(wire_get(a, TXQ(queue, STATUS)), 0);
    ck_assert_uint_eq(wire_get(a, TXQ(queue, 0x30)), 0);
}

static const struct {
    uint32_t insert, custom;
    const char *words;
} headers_refused[] = {
    {1 << 8 | 2 << 12, 0, "type 2 is reserved"},
    {1 << 16 | 2 << 20, 0, "type 2 is reserved"},
    {1 << 8 | 3 << 12, 42, "at most 40"},
    {1 << 8 | 3 << 12, 7, "even"},
    {1 << 16 | 3 << 20, 22 << 16, "at most 20"},
    {1 << 16 | 3 << 20, 5 << 16, "even"},
    {1 << 26 | 1 << 8, 0, "iCRC"},
};

TEST_EACH(headers_that_are_refused, COUNT(headers_refused))
{
    prepare(2, 0, 64, 0);
    wire_set(a, TXQ(2, 0x80), 7);
    wire_set(a, HEADER(7, 0), headers_refused[_i].insert);
    wire_set(a, HEADER(7, 4), headers_refused[_i].custom);
    wire_refused(a, TXQ(2, CMD), 1, headers_refused[_i].words);
    wire_set(a, HEADER(7, 0), 0); /* without inserting, it is nobody's business */
    wire_set(a, TXQ(2, CMD), 1);
    ck_assert_uint_eq(a->frames, 1);
}

TEST(commands_without_effect)
{
    wire_set(a, TXQ(0, CMD), 0);
    wire_set(a, TXQ(0, CMD), 8);
    prepare(0, 0x100, 0, 0x100); /* no data to write */
    wire_set(a, TXQ(0, CMD), 2);
    ck_assert_uint_eq(a->frames, 0);
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x30)), 1);
    ck_assert_uint_eq(wire_get(a, TXQ(0, STATUS)), 0);
}

/* --- Frames --- */

struct model_frame {
    uint8_t bytes[ETH_FRAME_LIMIT];
    uint32_t length;
};

static void append(struct model_frame *frame, uint64_t value, unsigned octets)
{
    while (octets--) {
        frame->bytes[frame->length++] = (uint8_t)(value >> 8 * octets);
    }
}

/* Everything that a random entry of the header table says. */
struct entry {
    uint64_t destination, source;
    bool uses_type, vlan, both, l3, l4, checksum;
    unsigned l3_type, l4_type;
    uint32_t type, tag[2], l3_bytes, l4_bytes;
    uint8_t l3_header[40], l4_header[20];
};

static void random_entry(struct entry *e)
{
    static const unsigned types[] = {0, 1, 3};
    *e = (struct entry){
        .destination = (uint64_t)wire_random() << 16 | wire_below(65536),
        .source = (uint64_t)wire_random() << 16 | wire_below(65536),
        .uses_type = wire_below(2),
        .vlan = wire_below(2),
        .both = wire_below(2),
        .l3 = wire_below(2),
        .l4 = wire_below(2),
        .checksum = wire_below(2),
        .l3_type = types[wire_below(3)],
        .l4_type = types[wire_below(3)],
        .type = wire_below(65536),
        .tag = {wire_random(), wire_random()},
    };
    e->l3_bytes = e->l3_type == 0 ? 20 : e->l3_type == 1 ? 40 : wire_below(21) * 2;
    e->l4_bytes = e->l4_type == 0 ? 8 : e->l4_type == 1 ? 20 : wire_below(11) * 2;
    for (unsigned i = 0; i < 40; i++) {
        e->l3_header[i] = (uint8_t)wire_random();
        e->l4_header[i % 20] = (uint8_t)wire_random();
    }
}

static void write_entry(unsigned number, const struct entry *e)
{
    wire_set(a, HEADER(number, 0x00),
             (uint32_t)e->vlan | (uint32_t)e->both << 4 | (uint32_t)e->l3 << 8 | e->l3_type << 12 |
                 (uint32_t)e->l4 << 16 | (uint32_t)e->checksum << 18 | e->l4_type << 20 |
                 (wire_random() & 0x3bca808e) | 0);
    wire_set(a, HEADER(number, 0x04), e->l3_bytes | e->l4_bytes << 16);
    wire_set(a, HEADER(number, 0x10), (uint32_t)e->source);
    wire_set(a, HEADER(number, 0x14), (uint32_t)(e->source >> 32) | wire_below(65536) << 16);
    wire_set(a, HEADER(number, 0x18), (uint32_t)e->destination);
    wire_set(a, HEADER(number, 0x1c), (uint32_t)(e->destination >> 32));
    wire_set(a, HEADER(number, 0x20), e->type << 16 | 0xaa00 | e->uses_type);
    wire_set(a, HEADER(number, 0x24), e->tag[0]);
    wire_set(a, HEADER(number, 0x28), e->tag[1]);
    for (unsigned i = 0; i < 10; i++) {
        const uint8_t *at = &e->l3_header[4 * i];
        wire_set(a, HEADER(number, 0x30 + 4 * i),
                 (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
    }
    for (unsigned i = 0; i < 5; i++) {
        const uint8_t *at = &e->l4_header[4 * i];
        wire_set(a, HEADER(number, 0x60 + 4 * i),
                 (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
    }
}

static uint32_t ones_sum(const uint8_t *bytes, uint32_t size)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < size; i++) {
        sum += (uint64_t)bytes[i] << (i % 2 ? 0 : 8);
    }
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return (uint32_t)sum;
}

static uint32_t number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

/* Takes what hardware fills in from the frame into the model, and checks it as a receiver would. */
static void check_l3(const struct entry *e, const uint8_t *sent, uint8_t *l3, uint32_t after)
{
    if (e->l3_type == 0) {
        ck_assert_uint_eq(number(sent + 2), 20 + after);
        ck_assert_uint_eq(ones_sum(sent, 20), 0xffff);
        memcpy(l3 + 2, sent + 2, 2);
        memcpy(l3 + 10, sent + 10, 2);
    } else if (e->l3_type == 1) {
        ck_assert_uint_eq(number(sent + 4), after);
        memcpy(l3 + 4, sent + 4, 2);
    }
}

static void check_l4(const struct entry *e, const uint8_t *l3, const uint8_t *sent, uint8_t *l4,
                     uint32_t size)
{
    uint8_t pseudo[36] = {0};
    uint32_t at = e->l4_type == 0 ? 6 : 16;
    if (e->l4_type == 3) {
        return;
    }
    if (e->l4_type == 0) {
        ck_assert_uint_eq(number(sent + 4), size);
        memcpy(l4 + 4, sent + 4, 2);
    }
    if (!e->checksum || !e->l3 || e->l3_type == 3) {
        return;
    }
    memcpy(pseudo, e->l3_type == 0 ? l3 + 12 : l3 + 8, e->l3_type == 0 ? 8 : 32);
    pseudo[33] = e->l4_type == 0 ? 17 : 6;
    uint32_t sum = ones_sum(pseudo, sizeof pseudo) + size + ones_sum(sent, size);
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    ck_assert_uint_eq(sum, 0xffff);
    ck_assert_uint_ne(e->l4_type == 0 ? number(sent + at) : 1, 0);
    memcpy(l4 + at, sent + at, 2);
}

/* Builds the wanted frame for `body` and compares it with the one that was sent. */
static void check_frame(const struct entry *e, const uint8_t *body, uint32_t size)
{
    static struct model_frame wanted;
    const struct eth_frame *sent = &a->last;
    uint32_t l3_bytes = e->l3 ? e->l3_bytes : 0, l4_bytes = e->l4 ? e->l4_bytes : 0;
    wanted.length = 0;
    append(&wanted, e->destination, 6);
    append(&wanted, e->source, 6);
    if (e->vlan) {
        append(&wanted, e->tag[0], 4);
    }
    if (e->vlan && e->both) {
        append(&wanted, e->tag[1], 4);
    }
    append(&wanted, e->uses_type ? e->type : l3_bytes + l4_bytes + size, 2);
    uint32_t l3 = wanted.length, l4 = l3 + l3_bytes;
    memcpy(wanted.bytes + l3, e->l3_header, l3_bytes);
    memcpy(wanted.bytes + l4, e->l4_header, l4_bytes);
    wanted.length = l4 + l4_bytes;
    memcpy(wanted.bytes + wanted.length, body, size);
    wanted.length += size;
    if (e->l3) {
        check_l3(e, sent->bytes + l3, wanted.bytes + l3, l4_bytes + size);
    }
    if (e->l4) {
        check_l4(e, wanted.bytes + l3, sent->bytes + l4, wanted.bytes + l4, l4_bytes + size);
    }
    while (wanted.length < 60) {
        wanted.bytes[wanted.length++] = 0;
    }
    ck_assert_uint_eq(sent->length, wanted.length);
    ck_assert_int_eq(memcmp(sent->bytes, wanted.bytes, wanted.length), 0);
}

static void random_l1(uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        a->l1[i] = (uint8_t)wire_random();
    }
}

TEST(raw_frames)
{
    wire.holds = true;
    random_l1(8192);
    uint32_t words = 0;
    for (unsigned i = 0; i < 3000; i++) {
        struct entry entry;
        unsigned at = wire_below(ETH_HEADERS);
        uint32_t start = wire_below(4000), size = wire_below(i % 5 ? 100 : 1501);
        random_entry(&entry);
        write_entry(at, &entry);
        prepare(2, start, size, wire_random());
        wire_set(a, TXQ(2, 0x80), at | (wire_random() & 0xfff000));
        wire_set(a, TXQ(2, CMD), 1);
        check_frame(&entry, a->l1 + start, size);
        words += (a->last.length + 95) / 96;
        ck_assert_uint_eq(a->frames, i + 1);
        ck_assert_uint_eq(wire_get(a, TXQ(2, 0x30)), i + 1);
        ck_assert_uint_eq(wire_get(a, TXQ(2, 0x34)), i + 1);
        ck_assert_uint_eq(wire_get(a, TXQ(2, 0x3c)), i + 1);
        ck_assert_uint_eq(wire_get(a, TXQ(2, 0x40)), words);
    }
}

/* TT-link packets have 18 bytes of header, two sequence numbers first, and bit 216 of the frame
 * tells MMIO writes. */
TEST(tt_link_frames)
{
    wire.holds = true;
    random_l1(4096);
    for (unsigned i = 0; i < ETH_WINDOW; i++) {
        struct entry entry;
        bool mmio = wire_below(2);
        uint32_t size = mmio ? 16 : 16 * (1 + wire_below(90)), start = 16 * wire_below(100);
        random_entry(&entry);
        write_entry(3, &entry);
        prepare(0, start, size, mmio ? 0xffb30000 : 0x4000);
        wire_set(a, TXQ(0, DATA), 0x12345678);
        wire_set(a, TXQ(0, 0x80), mmio ? 0x030 : 0x300);
        wire_set(a, 0xffb94040, i * 5); /* what the RX queue expects next */
        wire_set(a, TXQ(0, CMD), mmio ? 4 : 2);
        uint32_t tags = entry.vlan ? entry.both ? 8 : 4 : 0;
        uint32_t headers =
            14 + tags + (entry.l3 ? entry.l3_bytes : 0) + (entry.l4 ? entry.l4_bytes : 0);
        const uint8_t *body = a->last.bytes + headers;
        ck_assert_uint_eq(body[0], i);
        ck_assert_uint_eq(body[1], i * 5 % 256);
        ck_assert_uint_eq(body[13] & 1, mmio);
        if (!mmio) {
            ck_assert_int_eq(memcmp(body + 18, a->l1 + start, size), 0);
        }
        static uint8_t copy[2048];
        memcpy(copy, body, 18 + size);
        check_frame(&entry, copy, 18 + size);
    }
}
