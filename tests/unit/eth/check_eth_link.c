/*
 * Two Ethernet subsystems connected to each other: random transfers arrive byte for byte and in
 * order, whatever the wire loses or damages; windows, acknowledgements, resends, drop notices; raw
 * buffers with wrap against a model that keeps a plain stream of bytes; loopback.
 */
#include <string.h>

#include "unit/eth/eth_wire.h"
#include "unit/test.h"

FIXTURE(wire_open, wire_close);

#define TXQ(queue, offset) (UINT32_C(0xffb90000) + (queue)*UINT32_C(0x1000) + (offset))
#define RXQ(queue, offset) (UINT32_C(0xffb94000) + (queue)*UINT32_C(0x1000) + (offset))

enum { START = 0x14, SIZE = 0x18, DEST = 0x1c, CMD = 0x04, STATUS = 0x08, DATA = 0x44 };
enum { RAW = 1, L1_WRITE = 2, MMIO_WRITE = 4, MANY = 1000000 };

static struct wire_end *const a = &wire.end[0];
static struct wire_end *const b = &wire.end[1];

static void fill(uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)wire_random();
    }
}

static void command(struct wire_end *end, unsigned queue, uint32_t number, uint32_t start,
                    uint32_t size, uint32_t destination)
{
    wire_set(end, TXQ(queue, START), start);
    wire_set(end, TXQ(queue, SIZE), size);
    wire_set(end, TXQ(queue, DEST), destination);
    wire_set(end, TXQ(queue, CMD), number);
    ck_assert_uint_eq(wire_get(end, TXQ(queue, CMD)), 0);
}

static void settle(void)
{
    ck_assert(wire_run(MANY));
    ck_assert_uint_eq(a->faults + b->faults, 0);
}

/* --- TT-link --- */

TEST_EACH(l1_writes_arrive_byte_for_byte, 3)
{
    static uint8_t image[WIRE_L1_BYTES];
    enum { ROUNDS = 300, HALF = WIRE_L1_BYTES / 2 };
    unsigned faults = (unsigned)_i;
    memset(image, 0, sizeof image);
    wire.lost_per_1000 = faults * 40;
    wire.damaged_per_1000 = faults * 40;
    fill(a->l1, HALF);
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned queue = wire_below(2);
        uint32_t size = wire_below(wire_below(8) ? 64 : 4000) * 16;
        uint32_t from = wire_below((HALF - size) / 16) * 16;
        uint32_t to = HALF + wire_below((HALF - size) / 16) * 16;
        while (wire_get(a, TXQ(queue, STATUS))) {
            ck_assert(!wire_run(1));
        }
        /* A word of one queue may arrive before an earlier one of the other. */
        if (wire_below(3) == 0 || queue != i % 2) {
            settle();
        }
        a->eth.pc = 0x6000 + 4 * i;
        command(a, queue, L1_WRITE, from, size, to);
        memcpy(image + to, a->l1 + from, size);
        if (wire_below(2)) {
            settle();
            ck_assert_int_eq(memcmp(b->l1 + HALF, image + HALF, HALF), 0);
        }
        settle();
        ck_assert(size == 0 || b->pc == a->eth.pc);
    }
    ck_assert_int_eq(memcmp(b->l1 + HALF, image + HALF, HALF), 0);
    for (unsigned queue = 0; queue < 2; queue++) {
        ck_assert_uint_eq(a->eth.txq[queue].held, 0);
        ck_assert_uint_eq(wire_get(a, TXQ(queue, STATUS)), 0);
        ck_assert_uint_eq(a->eth.txq[queue].oldest, wire_get(b, RXQ(queue, 0x40)));
        ck_assert_uint_eq(wire_get(b, RXQ(queue, 0x50)), 0);
        if (!faults) {
            ck_assert_uint_eq(wire_get(a, TXQ(queue, 0x68)), 0);
            ck_assert_uint_eq(wire_get(b, RXQ(queue, 0x4c)), 0);
        } else {
            ck_assert_uint_gt(wire_get(a, TXQ(queue, 0x68)), 0);
        }
    }
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x30)) + wire_get(a, TXQ(1, 0x30)), ROUNDS);
}

TEST_EACH(mmio_writes_arrive_once_and_in_order, 2)
{
    enum { ROUNDS = 2000 };
    static struct wire_write sent[ROUNDS];
    wire.lost_per_1000 = 50;
    wire.damaged_per_1000 = 20;
    unsigned queue = (unsigned)_i;
    for (unsigned i = 0; i < ROUNDS; i++) {
        sent[i] = (struct wire_write){UINT32_C(0xffb40000) + 4 * wire_below(0x8000), wire_random()};
        while (wire_get(a, TXQ(queue, STATUS))) {
            ck_assert(!wire_run(1));
        }
        wire_set(a, TXQ(queue, DEST), sent[i].address);
        wire_set(a, TXQ(queue, DATA), sent[i].value);
        a->eth.pc = 0x6000 + 4 * i;
        wire_set(a, TXQ(queue, CMD), MMIO_WRITE);
    }
    settle();
    ck_assert_uint_eq(b->pc, a->eth.pc);
    ck_assert_uint_eq(b->mmio_writes, ROUNDS);
    ck_assert_int_eq(memcmp(b->mmio, sent, sizeof sent), 0);
    ck_assert_uint_eq(a->mmio_writes, 0);
    ck_assert_uint_eq(wire_get(a, TXQ(queue, 0x30)), ROUNDS);
}

/* Both ends send at once, all kinds, over a bad wire. */
TEST(both_directions_at_once)
{
    enum { ROUNDS = 500, BLOCK = 8192 };
    wire.lost_per_1000 = 30;
    uint32_t writes[2] = {0, 0};
    fill(a->l1, BLOCK);
    fill(b->l1, BLOCK);
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned from = wire_below(2), queue = wire_below(2);
        struct wire_end *end = &wire.end[from];
        if (wire_get(end, TXQ(queue, STATUS))) {
            wire_run(20);
            continue;
        }
        if (wire_below(2)) {
            uint32_t at = wire_below(BLOCK / 16) * 16;
            command(end, queue, L1_WRITE, at, BLOCK - at, BLOCK + at);
        } else {
            command(end, queue, MMIO_WRITE, 0, 0, 0xffb30000);
            writes[from]++;
        }
        wire_run(wire_below(30));
    }
    settle();
    command(a, 0, L1_WRITE, 0, BLOCK, BLOCK);
    command(b, 0, L1_WRITE, 0, BLOCK, BLOCK);
    settle();
    ck_assert_int_eq(memcmp(b->l1 + BLOCK, a->l1, BLOCK), 0);
    ck_assert_int_eq(memcmp(a->l1 + BLOCK, b->l1, BLOCK), 0);
    ck_assert_uint_eq(b->mmio_writes, writes[0]);
    ck_assert_uint_eq(a->mmio_writes, writes[1]);
}

/* A command is ongoing until its packets have places in the window; the peer's acknowledgements
 * make places. */
TEST(a_transfer_waits_for_the_window)
{
    enum { MAX = 160, PACKETS = ETH_WINDOW * 3 + 5 };
    wire_set(a, TXQ(0, 0x0c), MAX + 7);
    fill(a->l1, MAX * PACKETS);
    command(a, 0, L1_WRITE, 0, MAX * PACKETS, 0x40000);
    ck_assert_uint_eq(wire_get(a, TXQ(0, STATUS)), 0x10000);
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x30)), 0);
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x34)), ETH_WINDOW);
    wire_refused(a, TXQ(0, CMD), L1_WRITE, "still ongoing");
    wire_refused(a, TXQ(0, START), 0, "bit 16 of ETH_TXQ_STATUS");
    wire_refused(a, TXQ(0, DEST), 0, "ongoing");
    settle();
    ck_assert_uint_eq(wire_get(a, TXQ(0, STATUS)), 0);
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x30)), 1);
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x34)), PACKETS);
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x3c)), PACKETS);
    ck_assert_uint_eq(wire_get(b, RXQ(0, 0x28)), PACKETS);
    ck_assert_uint_eq(wire_get(b, RXQ(0, 0x04)), MAX * PACKETS);
    ck_assert_uint_eq(wire_get(b, RXQ(0, 0x40)), PACKETS % 256);
    ck_assert_uint_eq(wire_get(a, RXQ(0, 0x44)), PACKETS % 256);
    ck_assert_int_eq(memcmp(b->l1 + 0x40000, a->l1, MAX * PACKETS), 0);
}

TEST(what_is_lost_is_sent_again)
{
    enum { TIMEOUT = 5000 };
    wire_set(a, TXQ(0, 0x48), TIMEOUT);
    wire.lost_per_1000 = 1000;
    fill(a->l1, 64);
    command(a, 0, L1_WRITE, 0, 64, 0x1000);
    ck_assert_uint_eq(eth_next_event(&a->eth), wire.now + TIMEOUT);
    eth_run(&a->eth, wire.now + TIMEOUT - 1); /* too early */
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x68)), 0);
    ck_assert(!wire_run(3));
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x68)), 3);
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x34)), 4);
    a->l1[0] ^= 0xff; /* data are read anew */
    wire.lost_per_1000 = 0;
    settle();
    ck_assert_int_eq(memcmp(b->l1 + 0x1000, a->l1, 64), 0);
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x68)), 4);
}

/* The first of two packets is lost: with drop notices it is sent again as soon as the peer has seen
 * the gap, without only after the timeout. */
TEST_EACH(drop_notices, 2)
{
    bool disabled = _i;
    wire_set(a, TXQ(0, 0x00), disabled ? 0x9 : 0x1);
    wire_set(a, TXQ(0, 0x48), 1000000);
    wire.lost_per_1000 = 1000;
    command(a, 0, L1_WRITE, 0, 16, 0x1000);
    wire.lost_per_1000 = 0;
    fill(a->l1, 32);
    command(a, 0, L1_WRITE, 16, 16, 0x1010);
    settle();
    ck_assert_int_eq(memcmp(b->l1 + 0x1000, a->l1, 32), 0);
    ck_assert_uint_eq(wire_get(b, RXQ(0, 0x4c)), 1);
    ck_assert_uint_eq(wire_get(a, TXQ(0, 0x68)), 1);
    if (disabled) {
        ck_assert_uint_ge(wire.now, 1000000);
    } else {
        ck_assert_uint_lt(wire.now, 100000);
    }
}

TEST(without_keepalive_nothing_is_acknowledged)
{
    wire_set(b, TXQ(0, 0x00), 0);
    command(a, 0, L1_WRITE, 0, 16, 0x1000);
    ck_assert(!wire_run(20));
    ck_assert_uint_eq(a->eth.txq[0].held, 1);
    ck_assert_uint_gt(wire_get(b, RXQ(0, 0x4c)), 0);
    wire_set(b, TXQ(0, DEST), 0xffb40000); /* any packet of b's acknowledges, too */
    wire_set(b, TXQ(0, CMD), MMIO_WRITE);
    ck_assert(wire_run(MANY));
    ck_assert_uint_eq(a->eth.txq[0].held, 0);
}

TEST(packets_wait_for_the_link)
{
    eth_set_link(&a->eth, ETH_LINK_DOWN, wire.now);
    ck_assert_uint_eq(wire_get(a, 0xffb9800c), 0);
    fill(a->l1, 4096);
    command(a, 0, L1_WRITE, 0, 4096, 0x8000);
    command(a, 2, RAW, 0, 100, 0);
    ck_assert_uint_eq(a->eth.statistics.lost, 1);
    ck_assert_uint_eq(a->frames, 0);
    ck_assert_uint_eq(eth_next_event(&a->eth), UINT64_MAX);
    eth_set_link(&a->eth, ETH_LINK_UP, wire.now);
    ck_assert_uint_eq(wire_get(a, 0xffb9800c), 1);
    settle();
    ck_assert_int_eq(memcmp(b->l1 + 0x8000, a->l1, 4096), 0);
}

TEST(loopback)
{
    eth_set_link(&a->eth, ETH_LINK_LOOPBACK, wire.now);
    fill(a->l1, 200000);
    command(a, 1, L1_WRITE, 0, 200000, 0x40000);
    command(a, 0, MMIO_WRITE, 0, 0, 0xffb40000);
    settle();
    ck_assert_int_eq(memcmp(a->l1 + 0x40000, a->l1, 200000), 0);
    ck_assert_uint_eq(a->mmio_writes, 1);
    ck_assert_uint_eq(b->eth.statistics.received, 0);
}

TEST(overlay_packets)
{
    fill(a->l1, 4096);
    ck_assert(!eth_send_overlay(&a->eth, 2, 0, 0, 0, 16, wire.now));
    unsigned sent = 0;
    while (eth_send_overlay(&a->eth, 0, sent % 32, 64 * (sent % 64), 0x2000 + 64 * (sent % 64), 64,
                            wire.now)) {
        sent++;
    }
    ck_assert_uint_eq(sent, ETH_WINDOW);
    settle();
    ck_assert_uint_eq(b->overlays, sent);
    ck_assert_uint_eq(b->overlay_bytes, 64 * sent);
    ck_assert_int_eq(memcmp(b->l1 + 0x2000, a->l1, 64 * sent), 0);
}

/* --- Raw mode --- */

/* What an RX queue in raw mode should have in its buffer. */
struct model {
    uint8_t buffer[8192];
    uint32_t size, pointer, dropped, bytes;
    bool wraps;
};

static void model_append(struct model *model, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        if (model->pointer == model->size) {
            model->dropped++;
            return;
        }
        model->buffer[model->pointer++] = bytes[i];
        model->bytes++;
        if (model->wraps && model->pointer == model->size) {
            model->pointer = 0;
        }
    }
}

/* A stream of bytes: transfers of any size and alignment, cut into packets, headers stripped. */
TEST_EACH(raw_streams, 2)
{
    enum { ROUNDS = 400, BUFFER = 0x20000 };
    static struct model model;
    static const uint32_t maxima[] = {1500, 1000, 64, 16, 7, 9000};
    memset(&model, 0, sizeof model);
    model.wraps = _i;
    model.size = 8192;
    unsigned rx_queue = 2;
    wire_set(b, 0xffb98154, 0x0aa); /* broadcast and groups go to queue 2 */
    wire_set(b, RXQ(rx_queue, 0x0c), BUFFER / 16);
    wire_set(b, RXQ(rx_queue, 0x10), model.size / 16);
    wire_set(b, RXQ(rx_queue, 0x00), model.wraps ? 4 : 0);
    fill(a->l1, 65536);
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned queue = wire_below(3);
        uint32_t maximum = maxima[wire_below(6)];
        uint32_t size = wire_below(i % 7 == 0 ? 9000 : 200), start = wire_below(40000);
        size = maximum > 1500 && size > 1500 ? 1500 : size; /* lengths would look like types */
        wire_set(a, TXQ(queue, 0x0c), maximum);
        wire_set(a, TXQ(queue, 0x80), wire_below(2));
        command(a, queue, RAW, start, size, 0);
        ck_assert_uint_eq(wire_get(a, TXQ(queue, STATUS)), size > 64 * maximum ? 0x10000 : 0);
        for (uint32_t at = 0; at < size; at += maximum) {
            model_append(&model, a->l1 + start + at, size - at < maximum ? size - at : maximum);
        }
        settle();
        ck_assert_uint_eq(wire_get(b, RXQ(rx_queue, 0x08)), model.pointer);
    }
    ck_assert_int_eq(memcmp(b->l1 + BUFFER, model.buffer, model.size), 0);
    ck_assert_uint_eq(wire_get(b, RXQ(rx_queue, 0x4c)), model.dropped);
    ck_assert_uint_eq(wire_get(b, RXQ(rx_queue, 0x04)), model.bytes);
    ck_assert(model.wraps == !model.dropped);
}

/* A command for half a million packets is sent a few at a time, and what waits is bounded. */
TEST(raw_packets_do_not_flood_the_wire)
{
    wire_set(a, TXQ(2, 0x0c), 1);
    command(a, 2, RAW, 0, WIRE_L1_BYTES, 0);
    for (unsigned burst = 1; burst < 100; burst++) {
        ck_assert_uint_eq(a->frames, 64 * burst);
        ck_assert_uint_eq(wire_get(a, TXQ(2, STATUS)), 0x10000);
        wire_refused(a, TXQ(2, CMD), 1, "ongoing");
        ck_assert_uint_gt(eth_next_event(&a->eth), wire.now);
        wire.now = eth_next_event(&a->eth);
        eth_run(&a->eth, wire.now);
        wire_close(); /* nobody is interested in the frames */
    }
    eth_set_link(&a->eth, ETH_LINK_DOWN, wire.now); /* what is left is lost, and the command over */
    ck_assert_uint_eq(wire_get(a, TXQ(2, STATUS)), 0);
    ck_assert_uint_eq(wire_get(a, TXQ(2, 0x34)), WIRE_L1_BYTES);
    ck_assert_uint_eq(a->eth.statistics.lost + a->frames, WIRE_L1_BYTES);
}

TEST(a_buffer_outside_l1)
{
    wire_set(b, 0xffb98154, 0x0aa);
    wire_set(b, RXQ(2, 0x0c), (WIRE_L1_BYTES - 16) / 16);
    wire_set(b, RXQ(2, 0x10), 2);
    command(a, 2, RAW, 0, 100, 0);
    ck_assert(wire_run(MANY));
    ck_assert_uint_eq(b->faults, 1);
    ck_assert_ptr_nonnull(strstr(b->fault, "within the tile's L1"));
    ck_assert_uint_eq(wire_get(b, RXQ(2, 0x4c)), 1);
    ck_assert_uint_eq(b->l1_writes, 0);
    wire_set(b, RXQ(2, 0x0c), UINT32_MAX);
    wire_set(b, RXQ(2, 0x10), UINT32_MAX);
    command(a, 2, RAW, 0, 100, 0);
    ck_assert(wire_run(MANY));
    ck_assert_uint_eq(b->faults, 2);
    wire_set(b, RXQ(2, 0x0c), 0); /* a buffer of no size wraps for ever nowhere */
    wire_set(b, RXQ(2, 0x10), 0);
    wire_set(b, RXQ(2, 0x00), 4);
    command(a, 2, RAW, 0, 100, 0);
    ck_assert(wire_run(MANY));
    ck_assert_uint_eq(wire_get(b, RXQ(2, 0x4c)), 3);
    ck_assert_uint_eq(b->l1_writes, 0);
}

/* Frames of noise, to all queues in both modes: nothing outside L1, no crash, time comes to rest.
 */
TEST(noise)
{
    static struct eth_frame frame;
    for (unsigned i = 0; i < 20000; i++) {
        frame.length = wire_below(i % 8 ? 120 : ETH_FRAME_LIMIT + 2);
        frame.eop = (uint8_t)(wire_below(16) ? 0 : wire_random());
        uint32_t noisy = frame.length < 200 ? frame.length : 200;
        for (uint32_t k = 0; k < noisy; k++) {
            frame.bytes[k] = (uint8_t)(wire_below(3) ? 0 : wire_random());
        }
        if (wire_below(2)) { /* nearly a TT-link packet */
            memset(frame.bytes, 0xff, 6);
            frame.bytes[16] = (uint8_t)wire_below(8);
            frame.bytes[14] = (uint8_t)b->eth.rxq[0].word[0x40 / 4];
            frame.bytes[18] &= 0xf0;
            memcpy(frame.bytes + 22, (uint8_t[]){16, 0, 0, 0}, 4);
        }
        if (i % 64 == 0) {
            wire_set(b, 0xffb98154, wire_random());
            wire_set(b, RXQ(wire_below(3), 0x00), wire_random());
            wire_set(b, RXQ(wire_below(3), 0x0c), wire_below(0x9000));
            wire_set(b, RXQ(wire_below(3), 0x10), wire_below(0x1000));
            wire_set(b, RXQ(wire_below(3), 0x18), wire_below(40));
        }
        eth_receive(&b->eth, &frame, wire.now);
    }
    ck_assert_uint_gt(b->faults, 0);
    ck_assert_uint_gt(b->l1_writes, 0);
    ck_assert_uint_gt(b->mmio_writes, 0);
    ck_assert(wire_run(MANY));
}
