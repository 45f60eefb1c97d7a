/*
 * The RX classifier against a model of the page: random frames that are made from a description,
 * random registers, TCAM rows that are near what the frames give. Which row of the flow table a
 * frame got is seen in the metadata that is put before it. Then each way to drop, to change and to
 * route a frame.
 */
#include <string.h>

#include "unit/eth/eth_wire.h"
#include "unit/test.h"

#define CLASSIFIER(offset) (UINT32_C(0xffb9c000) + (offset))
#define RXQ(queue, offset) (UINT32_C(0xffb94000) + (queue)*UINT32_C(0x1000) + (offset))

enum { BUFFER = 0x10000, BUFFER_BYTES = 0x8000, NONE = -1 };
enum { TO_QUEUE_2 = 2, DROP = 4, REMOVE = 8, SW_METADATA = 0x20, HW_METADATA = 0x40 };

static struct wire_end *const a = &wire.end[0];

static void set(uint32_t offset, uint32_t value)
{
    wire_set(a, CLASSIFIER(offset), value);
}

static uint32_t get(uint32_t offset)
{
    return wire_get(a, CLASSIFIER(offset));
}

/* Queue 2 takes frames as they are, into a buffer that starts anew. */
static void setup(void)
{
    wire_open();
    wire_set(a, RXQ(2, 0x0c), BUFFER / 16);
    wire_set(a, RXQ(2, 0x10), BUFFER_BYTES / 16);
    wire_set(a, RXQ(2, 0x18), 0);
    wire_set(a, 0xffb98150, 2); /* the flow table chooses the queue */
    set(0xd04, TO_QUEUE_2);
}

FIXTURE(setup, wire_close);

/* How many bytes reached queue 2, at the start of the buffer; NONE: it got no frame. */
static int receive(const struct eth_frame *frame)
{
    uint32_t before = wire_get(a, RXQ(2, 0x24));
    wire_set(a, RXQ(2, 0x08), 0);
    eth_receive(&a->eth, frame, wire.now);
    ck_assert_uint_eq(a->faults, 0);
    return wire_get(a, RXQ(2, 0x24)) == before ? NONE : (int)wire_get(a, RXQ(2, 0x08));
}

static uint32_t big16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint32_t big32(const uint8_t *bytes)
{
    return big16(bytes) << 16 | big16(bytes + 2);
}

/* --- Frames --- */

struct description {
    uint32_t tags; /* bytes of VLAN tags */
    uint32_t type; /* behind them */
};

static void put(struct eth_frame *frame, uint64_t value, unsigned octets)
{
    while (octets--) {
        frame->bytes[frame->length++] = (uint8_t)(value >> 8 * octets);
    }
}

static const uint16_t types[] = {
    0x0800, 0x0800, 0x0800, 0x86dd, 0x86dd, 0x86dd, 0x88e5, 0x0806, 0x8035, 0x0842, 0x8902,
    0x22e7, 0x22e9, 0x8940, 0x88f7, 0x888e, 0x88cc, 0x8915, 0x88b7, 0x9000, 0x9001, 0x9002,
};
static const uint8_t protocols[] = {1, 2, 6, 6, 6, 17, 17, 17, 58, 99, 100, 0, 43, 254};
static const uint64_t addresses[] = {
    0x0180c200000e, 0x0180c2000001, 0x0180c2000015, 0x0180c200002f, 0x0180c2000030,
    0x0180c2445566, 0x011b19000000, 0x020000000001, 0x020000000002, 0xffffffffffff,
};

static struct description random_frame(struct eth_frame *frame)
{
    struct description d = {0, types[wire_below(COUNT(types))]};
    frame->length = 0;
    frame->eop = 0;
    put(frame, addresses[wire_below(COUNT(addresses))], 6);
    put(frame, addresses[wire_below(COUNT(addresses))], 6);
    unsigned tags = wire_below(4);
    if (tags == 2) {
        put(frame, 0x88a80000 | wire_below(0x10000), 4);
    }
    if (tags == 1 || tags == 2) {
        put(frame, 0x81000000 | wire_below(0x10000), 4);
    }
    d.tags = tags == 1 ? 4 : tags == 2 ? 8 : 0;
    put(frame, d.type, 2);
    uint32_t l3 = frame->length;
    while (frame->length < l3 + 90) {
        put(frame, wire_random(), 1);
    }
    uint8_t *ip = frame->bytes + l3, protocol = protocols[wire_below(COUNT(protocols))];
    ip[0] = wire_below(20) ? 0x45 : 0x46;
    ip[d.type == 0x0800 ? 9 : 6] = protocol;
    for (unsigned i = 0; i < 8; i++) { /* few addresses and ports, so that rows match */
        ip[12 + i] &= 1;
    }
    for (unsigned i = 8; i < 40 && d.type == 0x86dd; i++) {
        ip[i] &= 1;
    }
    uint8_t *l4 = ip + (d.type == 0x0800 ? 20 : 40);
    for (unsigned i = 0; i < 4; i++) {
        l4[i] = i % 2 ? l4[i] & 7 : 0;
    }
    l4[12] = wire_below(20) ? 0x50 : 0x60;
    return d;
}

/* --- The model: what stage 3 finds --- */

enum kind { NOT_IP = 0, IPV4 = 1, IPV6 = 3 };

struct found {
    enum kind kind;
    bool odd, kept_anyway;
    uint32_t source[4], destination[4];
    uint32_t flags, type, priority, protocol, source_port, destination_port;
};

static uint32_t reduced_type(uint32_t type)
{
    static const uint16_t list[] = {0x0800, 0x86dd, 0x0806, 0x8035, 0x0842, 0x8902, 0x22e7,
                                    0x22e9, 0x8940, 0x88f7, 0x888e, 0x88cc, 0x8915, 0x88b7};
    if (type == (get(0x840) & 0xffff)) {
        return get(0x848) & 15;
    }
    if (type == (get(0x844) & 0xffff)) {
        return get(0x84c) & 15;
    }
    if (type < 0x600) {
        return get(0x850) & 15;
    }
    for (unsigned i = 0; i < COUNT(list); i++) {
        if (type == list[i]) {
            return get(0x854 + 4 * i) & 15;
        }
    }
    return 0;
}

static uint32_t reduced_address(uint64_t address)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t user = get(0x800 + 8 * i) | (uint64_t)(get(0x804 + 8 * i) & 0xffff) << 32;
        if (address == user) {
            return get(0x810 + 4 * i) & 15;
        }
    }
    uint64_t group = 0x0180c2;
    int row = address == 0x0180c200000e           ? 0
              : address >> 4 == group << 20       ? 1
              : address >> 4 == (group << 20 | 1) ? 2
              : address >> 4 == (group << 20 | 2) ? 3
              : address == 0x0180c2000030         ? 4
              : address >> 24 == group            ? 5
              : address == 0x011b19000000         ? 6
                                                  : NONE;
    return row == NONE ? 0 : get(0x818 + 4 * (uint32_t)row) & 15;
}

static uint32_t reduced_protocol(uint32_t protocol)
{
    if (protocol == (get(0x8a0) & 0xff)) {
        return get(0x8a8) & 15;
    }
    if (protocol == (get(0x8a4) & 0xff)) {
        return get(0x8ac) & 15;
    }
    switch (protocol) {
    case 1:
        return get(0x8b0) & 15;
    case 2:
        return get(0x8b4) & 15;
    case 6:
        return get(0x8b8) & 15;
    case 17:
        return get(0x8bc) & 15;
    case 58:
        return get(0x8c0) & 15;
    default:
        return 0;
    }
}

static uint32_t reduced_port(uint32_t port, bool is_destination, bool udp, bool tcp)
{
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t rule = get(0x940 + 4 * i), low = get(0x900 + 4 * i) & 0xffff;
        uint32_t high = get(0x900 + 4 * i) >> 16;
        bool for_protocol = rule & 1 << 12 ? tcp : udp;
        bool match = rule & 1 << 4 ? low <= port && port <= high : port == low || port == high;
        if (for_protocol && match && is_destination == !!(rule & 1 << 8)) {
            return rule & 15;
        }
    }
    return 0;
}

static void find_ports(const uint8_t *l4, bool in_frame, struct found *f)
{
    uint32_t source, destination;
    bool udp = f->protocol == 17, tcp = f->protocol == 6;
    uint32_t user = f->protocol == (get(0x460) & 0xff)   ? 1
                    : f->protocol == (get(0x464) & 0xff) ? 2
                                                         : 0;
    if (user) {
        uint32_t fields = get(0x460 + 4 * (user - 1)), ports = get(0x468 + 4 * (user - 1));
        udp = fields >> 12 & 1;
        tcp = fields >> 8 & 1;
        source = ports >> 16;
        destination = ports & 0xffff;
    } else if (in_frame && (udp || tcp)) {
        source = big16(l4);
        destination = big16(l4 + 2);
        if (tcp && l4[12] >> 4 != 5) {
            f->odd = true;
            f->kept_anyway &= get(0x1004) >> 2 & 1;
        }
    } else {
        return;
    }
    f->source_port = source | reduced_port(source, false, udp, tcp) << 16;
    f->destination_port = destination | reduced_port(destination, true, udp, tcp) << 16;
}

static void find_ip(const uint8_t *ip, struct found *f)
{
    static const uint8_t unsupported[] = {0, 43, 44, 50, 51, 60, 135, 139, 140, 253, 254};
    if (f->kind == IPV4) {
        f->protocol = ip[9];
        f->source[0] = big32(ip + 12);
        f->destination[0] = big32(ip + 16);
        if ((ip[0] & 15) != 5) {
            f->odd = true;
            f->kept_anyway &= get(0x1004) & 1;
        }
        return;
    }
    f->protocol = ip[6];
    for (unsigned i = 0; i < 4; i++) {
        f->source[i] = big32(ip + 20 - 4 * i);
        f->destination[i] = big32(ip + 36 - 4 * i);
    }
    if (memchr(unsupported, ip[6], sizeof unsupported)) {
        f->odd = true;
        f->kept_anyway &= get(0x1004) >> 1 & 1;
    }
}

static struct found find(const struct eth_frame *frame, struct description d)
{
    struct found f = {.kept_anyway = true};
    const uint8_t *ip = frame->bytes + 14 + d.tags;
    uint32_t type = d.type;
    for (unsigned i = 0; i < 2 && type != 0x88e5; i++) {
        if (type == (get(4 * i) & 0xffff)) {
            type = get(4 * i) >> 16;
            break;
        }
    }
    int user = type == (get(0x418) & 0xffff) ? 0 : type == (get(0x41c) & 0xffff) ? 1 : NONE;
    uint32_t mode = user == NONE ? 0 : get(0x418 + 4 * (uint32_t)user) >> 24 & 7;
    if (user != NONE && (mode == 5 || mode == 7)) {
        f.kind = mode == 5 ? IPV4 : IPV6;
        f.protocol = get(0x418 + 4 * (uint32_t)user) >> 16 & 0xff;
        for (uint32_t j = 0; j < 4; j++) {
            f.source[j] = get(0x420 + 4 * (uint32_t)user + (3 - j) * 8);
            f.destination[j] = get(0x440 + 4 * (uint32_t)user + (3 - j) * 8);
        }
        find_ports(NULL, false, &f);
    } else if (user == NONE && (type == 0x0800 || type == 0x86dd)) {
        f.kind = type == 0x0800 ? IPV4 : IPV6;
        find_ip(ip, &f);
        find_ports(ip + (f.kind == IPV4 ? 20 : 40), true, &f);
    } else {
        uint64_t da = (uint64_t)big16(frame->bytes) << 32 | big32(frame->bytes + 2);
        uint64_t sa = (uint64_t)big16(frame->bytes + 6) << 32 | big32(frame->bytes + 8);
        f = (struct found){.kept_anyway = true, .kind = NOT_IP};
        f.destination[0] = (uint32_t)da;
        f.destination[1] = (uint32_t)(da >> 32);
        f.source[0] = (uint32_t)sa;
        f.source[1] = (uint32_t)(sa >> 32);
        f.flags = reduced_address(da);
        f.type = type | reduced_type(type) << 16;
        f.priority = d.tags ? frame->bytes[14] >> 5 : 0;
        return f;
    }
    f.protocol |= reduced_protocol(f.protocol) << 16;
    return f;
}

/* --- The model: rows --- */

struct pattern {
    bool enabled;
    uint32_t priority, flow;
    struct found value, mask;
};
static struct pattern rows[64];

static bool same(uint32_t in, uint32_t value, uint32_t mask)
{
    return ((in ^ value) & ~mask) == 0;
}

static bool matches(const struct pattern *row, const struct found *f)
{
    const struct found *v = &row->value, *m = &row->mask;
    if (!row->enabled || !same(f->kind, v->kind, m->kind)) {
        return false;
    }
    unsigned words = f->kind == IPV4 ? 1 : f->kind == IPV6 ? 4 : 2;
    for (unsigned i = 0; i < words; i++) {
        uint32_t care = f->kind == NOT_IP && i == 1 ? 0xffff : 0xffffffff;
        if (!same(f->source[i] & care, v->source[i] & care, m->source[i]) ||
            !same(f->destination[i] & care, v->destination[i] & care, m->destination[i])) {
            return false;
        }
    }
    if (f->kind == NOT_IP) {
        return same(f->flags, v->flags, m->flags) && same(f->type, v->type, m->type) &&
               same(f->priority, v->priority, m->priority);
    }
    return same(f->protocol, v->protocol, m->protocol) &&
           same(f->source_port, v->source_port, m->source_port) &&
           same(f->destination_port, v->destination_port, m->destination_port);
}

static uint32_t best_flow(const struct found *f)
{
    int best = NONE;
    for (int i = 0; i < 64; i++) {
        if (matches(&rows[i], f) && (best == NONE || rows[i].priority > rows[best].priority)) {
            best = i;
        }
    }
    return best == NONE ? 64 : rows[best].flow;
}

static void write_part(uint32_t row, bool is_mask, const struct found *f, bool not_ip)
{
    set(0xd80, f->kind);
    for (uint32_t i = 0; i < 4; i++) {
        set(0xd90 + 4 * i, f->source[i]);
        set(0xda0 + 4 * i, f->destination[i]);
    }
    set(0xdb0, f->flags | (wire_random() & 0xff00ff00));
    set(0xdb4, f->source_port);
    set(0xdb8, f->destination_port);
    set(0xdbc, f->protocol);
    set(0xdc0, f->type);
    set(0xdc4, f->priority);
    uint32_t parts = not_ip ? UINT32_C(0xf8) << 16 : UINT32_C(0x3f) << 16;
    set(0xdf0,
        UINT32_C(1) << 31 | parts | (uint32_t)not_ip << 10 | 1 << 9 | (uint32_t)is_mask << 8 | row);
    ck_assert_uint_eq(get(0xdf0) >> 31, 0);
}

static void write_row(uint32_t number, const struct pattern *row)
{
    bool not_ip = row->value.kind == NOT_IP;
    write_part(number, false, &row->value, not_ip);
    write_part(number, true, &row->mask, not_ip);
    set(0xc00 + 4 * number, row->priority | row->flow << 16);
    set(0xd40, UINT32_C(1) << 31 | 1 << 16 | (uint32_t)row->enabled << 8 | number);
}

static uint32_t loose(uint32_t bits)
{
    static const uint32_t masks[] = {0, 0, 0xffffffff, 0xffff, 0xffff0000, 1};
    return masks[wire_below(6)] & bits;
}

/* A pattern near what a frame gives: some fields free, now and then a bit wrong. */
static void random_row(uint32_t number)
{
    struct eth_frame frame;
    struct description d = random_frame(&frame);
    struct pattern *row = &rows[number];
    struct found *m = &row->mask;
    *row =
        (struct pattern){wire_below(8) != 0, wire_below(8), wire_below(64), find(&frame, d), {0}};
    *m = (struct found){.flags = loose(0xf) | 0xf0000,
                        .type = loose(0xfffff),
                        .priority = loose(7),
                        .protocol = loose(0xf00ff),
                        .source_port = loose(0xfffff),
                        .destination_port = loose(0xfffff)};
    for (unsigned i = 0; i < 4; i++) {
        m->source[i] = wire_below(2) ? 0xffffffff : loose(0xffffffff);
        m->destination[i] = wire_below(2) ? 0xffffffff : loose(0xffffffff);
    }
    if (wire_below(8) == 0) {
        row->value.protocol ^= 1;
        row->value.type ^= 1;
    }
    write_row(number, row);
}

/* Augmentations, remappings, port rules: random, with keys that occur. */
static void random_registers(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        bool remaps = wire_below(2);
        set(4 * i, remaps ? types[wire_below(COUNT(types))] |
                                (uint32_t)types[wire_below(COUNT(types))] << 16
                          : 0);
        uint32_t l3_type = wire_below(3) ? 0 : types[wire_below(COUNT(types))];
        uint32_t protocol = protocols[wire_below(COUNT(protocols))];
        set(0x418 + 4 * i, l3_type | protocol << 16 | wire_below(8) << 24);
        set(0x840 + 4 * i, types[wire_below(COUNT(types))] | (wire_random() & 0xffff0000));
        set(0x8a0 + 4 * i, protocols[wire_below(COUNT(protocols))] | 0x100);
        protocol = wire_below(3) ? 77 : protocols[wire_below(COUNT(protocols))];
        set(0x460 + 4 * i, protocol | wire_below(2) << 8 | wire_below(2) << 12);
        set(0x468 + 4 * i, wire_below(8) | wire_below(8) << 16);
        uint64_t address = addresses[wire_below(COUNT(addresses))];
        set(0x800 + 8 * i, (uint32_t)address);
        set(0x804 + 8 * i, (uint32_t)(address >> 32) | (wire_random() & 0xffff0000));
    }
    for (uint32_t i = 0; i < 8; i++) {
        set(0x420 + 4 * i, wire_below(4));
        set(0x440 + 4 * i, wire_below(4));
    }
    for (uint32_t i = 0; i < 9; i++) {
        set(0x810 + 4 * i, wire_random());
    }
    for (uint32_t i = 0; i < 17; i++) {
        set(0x848 + 4 * i, wire_random());
    }
    for (uint32_t i = 0; i < 7; i++) {
        set(0x8a8 + 4 * i, wire_random());
    }
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t low = wire_below(8);
        set(0x900 + 4 * i, low | (low + wire_below(3)) << 16);
        set(0x940 + 4 * i, wire_random() & 0x111f);
    }
    set(0x1004, wire_below(8));
}

/* Each row of the flow table says its number in the software metadata. */
static void number_flows(void)
{
    for (uint32_t i = 0; i < 64; i++) {
        set(0xe80, 0);
        set(0xe84, TO_QUEUE_2 | SW_METADATA | HW_METADATA);
        set(0xe88, 0);
        set(0xe8c, 0xabcd0000 | i);
        set(0xea0, UINT32_C(1) << 31 | 1 << 8 | i);
    }
    set(0xd04, TO_QUEUE_2 | SW_METADATA | HW_METADATA);
    set(0xd0c, 0xabcd0000 | 64);
}

TEST_EACH(frames_find_their_rows, 3)
{
    enum { ROUNDS = 20, FRAMES = 120 };
    unsigned matched = 0, odd = 0, dropped = 0;
    wire.random = (uint64_t)_i + 1;
    number_flows();
    set(0x1000, 2);
    for (unsigned round = 0; round < ROUNDS; round++) {
        random_registers();
        for (uint32_t i = 0; i < 64; i++) {
            random_row(i);
        }
        for (unsigned i = 0; i < FRAMES; i++) {
            struct eth_frame frame;
            struct description d = random_frame(&frame);
            struct found f = find(&frame, d);
            int bytes = receive(&frame);
            odd += f.odd;
            if (f.odd && !f.kept_anyway) {
                ck_assert_int_eq(bytes, NONE);
                dropped++;
                continue;
            }
            uint32_t extra = f.odd ? 0 : 8, flow = best_flow(&f);
            ck_assert_int_eq(bytes, (int)(frame.length + extra));
            ck_assert_int_eq(memcmp(a->l1 + BUFFER + extra, frame.bytes, frame.length), 0);
            if (!f.odd) {
                ck_assert_uint_eq(big32(a->l1 + BUFFER), 0xabcd0000 | flow);
                ck_assert_uint_eq(big32(a->l1 + BUFFER + 4), frame.length | 2 << 20);
                matched += flow < 64;
            }
        }
    }
    ck_assert_uint_gt(matched, ROUNDS * FRAMES / 8); /* the test tests something */
    ck_assert_uint_lt(matched, ROUNDS * FRAMES * 7 / 8);
    ck_assert_uint_gt(dropped, 20);
    ck_assert_uint_gt(odd, dropped + 10);
}

/* --- Tables through their registers --- */

TEST(tables_read_back)
{
    for (uint32_t i = 0; i < 64; i++) {
        random_row(i);
        for (uint32_t k = 0; k < 4; k++) {
            set(0xe80 + 4 * k, i * 16 + k);
        }
        set(0xea0, UINT32_C(1) << 31 | 1 << 8 | i);
    }
    for (uint32_t i = 0; i < 64; i++) {
        const struct pattern *row = &rows[i];
        set(0xd40, UINT32_C(1) << 31 | i);
        ck_assert_uint_eq(get(0xd44), i | (uint32_t)row->enabled << 8);
        for (unsigned is_mask = 0; is_mask < 2; is_mask++) {
            const struct found *f = is_mask ? &row->mask : &row->value;
            bool not_ip = row->value.kind == NOT_IP;
            set(0xdf0, UINT32_C(1) << 31 | is_mask << 8 | i);
            ck_assert_uint_eq(get(0xe00), f->kind);
            ck_assert_uint_eq(get(0xe10), f->source[0]);
            ck_assert_uint_eq(get(0xe20), f->destination[0]);
            ck_assert_uint_eq(get(not_ip ? 0xe50 : 0xe4c), not_ip ? f->type : f->protocol);
            ck_assert_uint_eq(get(not_ip ? 0xe54 : 0xe34), not_ip ? f->priority : f->source_port);
            ck_assert_uint_eq(get(not_ip ? 0xe54 : 0xe48),
                              not_ip ? f->priority : f->destination_port);
        }
        set(0xea0, UINT32_C(1) << 31 | i);
        for (uint32_t k = 0; k < 4; k++) {
            ck_assert_uint_eq(get(0xe80 + 4 * k), i * 16 + k);
        }
    }
    /* Without `go` nothing happens; with some parts only, the others stay. */
    write_part(5, false, &rows[5].value, false);
    set(0xdbc, 0x30055);
    set(0xdb4, 0x70077);
    set(0xdf0, 1 << 16 | 1 << 9 | 5);
    set(0xdf0, UINT32_C(1) << 31 | 5);
    uint32_t ports = rows[5].value.kind == NOT_IP ? 0 : rows[5].value.source_port;
    set(0xd80, IPV4);
    set(0xdf0, UINT32_C(1) << 31 | 1 << 16 | 1 << 21 | 1 << 9 | 5);
    set(0xdf0, UINT32_C(1) << 31 | 5);
    ck_assert_uint_eq(get(0xe4c), 0x30055);
    ck_assert_uint_eq(get(0xe34), ports);
    set(0xd60, 1);
    set(0xdf0, UINT32_C(1) << 31 | 5);
    ck_assert_uint_eq(get(0xe4c), 0xf00ff);
    set(0xd40, UINT32_C(1) << 31 | 5);
    ck_assert_uint_eq(get(0xd44), 5);
}

/* --- Dropping --- */

static void plain_frame(struct eth_frame *frame, uint64_t address, uint32_t type)
{
    frame->length = 0;
    frame->eop = 0;
    put(frame, address, 6);
    put(frame, 0x020000000009, 6);
    put(frame, type, 2);
    while (frame->length < 100) {
        put(frame, frame->length * 2, 1);
    }
}

TEST_EACH(malformed_frames, 40)
{
    struct eth_frame frame;
    plain_frame(&frame, 0x020000000001, 0x9000);
    frame.eop = (uint8_t)_i;
    ck_assert_int_eq(receive(&frame), _i <= 4 ? 100 : NONE);
    wire_set(a, 0xffb98120, UINT32_C(1) << (_i % 32));
    ck_assert_int_eq(receive(&frame), _i < 32 ? 100 : NONE);
    wire_set(a, 0xffb98120, ~(UINT32_C(1) << (_i % 32)));
    ck_assert_int_eq(receive(&frame), NONE);
}

TEST(override_and_drop)
{
    struct eth_frame frame;
    plain_frame(&frame, 0x020000000001, 0x9000);
    for (uint32_t override = 0; override < 3; override++) {
        for (uint32_t drop = 0; drop < 2; drop++) {
            set(0x1000, override);
            set(0xd04, TO_QUEUE_2 | (drop ? DROP : 0));
            bool kept = override == 0 || (override == 2 && !drop);
            ck_assert_int_eq(receive(&frame), kept ? 100 : NONE);
        }
    }
    ck_assert_uint_eq(a->eth.statistics.classified, 3);
    ck_assert_uint_eq(wire_get(a, RXQ(2, 0x4c)), 0); /* what never reached the queue */
}

/* Tags that are required, present, or replaced by register. */
TEST(required_tags)
{
    struct eth_frame frame;
    enum { C_TAG = 0x123, S_TAG = 0x456 };
    set(0x1000, 2);
    for (unsigned i = 0; i < 256; i++) {
        bool wants_c = i & 1, wants_s = i & 2, has = i & 4, both = i & 8, c_differs = i & 16;
        bool s_differs = i & 32, replaced = i & 64, replaced_both = i & 128;
        frame.length = 0;
        frame.eop = 0;
        put(&frame, 0x020000000001, 6);
        put(&frame, 0x020000000009, 6);
        if (has && both) {
            put(&frame, 0x88a8e000 | (s_differs ? 1 : S_TAG), 4);
        }
        if (has) {
            put(&frame, 0x8100f000 | (c_differs ? 1 : C_TAG), 4);
        }
        put(&frame, 0x9000, 2);
        memset(frame.bytes + frame.length, 0, 60);
        frame.length += 60;
        uint32_t mode = !replaced ? 0 : replaced_both ? 3 : 1;
        set(0x400, 0x9000 | mode << 16);
        set(0x408, 0x88a80000 | S_TAG);
        set(0x410, 0x81000000 | C_TAG);
        set(0xd08, (wants_c ? 0x8000u | C_TAG : 7) | (wants_s ? UINT32_C(0x8000) | S_TAG : 7)
                                                         << 16);
        bool c_fits = replaced || (has && !c_differs);
        bool s_fits = (replaced && replaced_both) || (has && both && !s_differs);
        bool kept = (!wants_c || c_fits) && (!wants_s || s_fits);
        ck_assert_int_eq(receive(&frame), kept ? (int)frame.length : NONE);
    }
}

/* --- Changing --- */

/* VLAN tags, and IP and UDP headers, go; MAC addresses, type and the rest stay. */
TEST(headers_are_removed)
{
    set(0xd04, TO_QUEUE_2 | REMOVE);
    set(0x1004, 0);
    for (unsigned i = 0; i < 2000; i++) {
        struct eth_frame frame;
        struct description d = random_frame(&frame);
        struct found f = find(&frame, d);
        if (f.odd) {
            continue;
        }
        uint32_t end = 14 + d.tags + (f.kind == IPV4 ? 20 : f.kind == IPV6 ? 40 : 0);
        end += f.kind != NOT_IP && (f.protocol & 0xff) == 17 ? 8 : 0;
        int bytes = receive(&frame);
        ck_assert_int_eq(bytes, (int)(frame.length - end + 14));
        ck_assert_int_eq(memcmp(a->l1 + BUFFER, frame.bytes, 12), 0);
        ck_assert_uint_eq(big16(a->l1 + BUFFER + 12), d.type);
        ck_assert_int_eq(memcmp(a->l1 + BUFFER + 14, frame.bytes + end, frame.length - end), 0);
    }
}

TEST(metadata_is_prepended)
{
    struct eth_frame frame;
    plain_frame(&frame, 0x020000000001, 0x9000);
    frame.eop = 3;
    set(0xd0c, 0x01020304);
    set(0xd00, 0xffffff35);
    for (uint32_t parts = 0; parts < 4; parts++) {
        uint32_t size = 4 * ((parts & 1) + (parts >> 1));
        set(0xd04, TO_QUEUE_2 | 0x10 | parts << 5);
        ck_assert_int_eq(receive(&frame), 100 + (int)size);
        if (parts & 1) {
            ck_assert_uint_eq(big32(a->l1 + BUFFER), 0x01020304);
        }
        if (parts & 2) {
            ck_assert_uint_eq(big32(a->l1 + BUFFER + size - 4),
                              100 | 3 << 14 | 2 << 20 | 1 << 22 | 0x15 << 24);
        }
        ck_assert_int_eq(memcmp(a->l1 + BUFFER + size, frame.bytes, 100), 0);
    }
}

/* --- Routing --- */

TEST(routing_by_address)
{
    static const uint64_t kinds[] = {0xffffffffffff, 0x0180c2000001, 0x020000000001};
    wire_set(a, 0xffb98150, 0);
    for (unsigned queue = 0; queue < 2; queue++) {
        wire_set(a, RXQ(queue, 0x00), 0); /* raw, without a buffer: they only count */
    }
    for (unsigned i = 0; i < 600; i++) {
        uint32_t routing = wire_random();
        unsigned kind = wire_below(3);
        bool mmio = wire_below(2), is_short = wire_below(8) == 0;
        struct eth_frame frame;
        plain_frame(&frame, kinds[kind], 0x9000);
        frame.bytes[27] = (uint8_t)((wire_random() & 0xfe) | mmio);
        frame.length = is_short ? 27 : 100;
        wire_set(a, 0xffb98154, routing);
        unsigned wanted = routing >> (4 * kind + (mmio && !is_short ? 2 : 0)) & 3;
        uint32_t before[3];
        for (unsigned queue = 0; queue < 3; queue++) {
            before[queue] = wire_get(a, RXQ(queue, 0x28));
        }
        uint64_t unrouted = a->eth.statistics.unrouted;
        receive(&frame);
        for (unsigned queue = 0; queue < 3; queue++) {
            ck_assert_uint_eq(wire_get(a, RXQ(queue, 0x28)) - before[queue], queue == wanted);
        }
        ck_assert_uint_eq(a->eth.statistics.unrouted - unrouted, wanted == 3);
    }
}

/* Frames cut off anywhere, of tags and headers that promise more. */
TEST(truncated_frames)
{
    for (unsigned i = 0; i < 6000; i++) {
        struct eth_frame frame;
        random_frame(&frame);
        if (wire_below(3) == 0) {
            frame.bytes[12 + 4 * wire_below(2)] = 0x81;
            frame.bytes[13 + 4 * wire_below(2)] = 0;
        }
        frame.length = 14 + wire_below(60);
        set(0xd04, TO_QUEUE_2 | (wire_random() & (REMOVE | SW_METADATA | HW_METADATA)));
        ck_assert_int_le(receive(&frame), (int)frame.length + 8);
    }
}
