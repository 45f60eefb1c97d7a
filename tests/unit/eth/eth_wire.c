/* The wire between two Ethernet subsystems. */
#include "unit/eth/eth_wire.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "unit/random.h"

struct wire wire;

uint32_t wire_random(void)
{
    return random_next(&wire.random);
}

uint32_t wire_below(uint32_t limit)
{
    return wire_random() % limit;
}

static void l1_written(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    struct wire_end *end = owner;
    ck_assert_uint_le((uint64_t)address + size, WIRE_L1_BYTES);
    ck_assert_uint_eq(cycle, wire.now);
    end->l1_writes++;
}

static void frame_written(void *owner, uint32_t address, uint32_t size, uint32_t pc, uint64_t cycle)
{
    struct wire_end *end = owner;
    l1_written(owner, address, size, cycle);
    end->pc = pc;
}

static void mmio_write(void *owner, uint32_t address, uint32_t value, uint32_t pc, uint64_t cycle)
{
    struct wire_end *end = owner;
    ck_assert_uint_eq(cycle, wire.now);
    end->mmio[end->mmio_writes % WIRE_LOG] = (struct wire_write){address, value};
    end->mmio_writes++;
    end->pc = pc;
}

static struct wire_end *receiver(struct wire_end *from)
{
    return from->eth.link == ETH_LINK_LOOPBACK ? from : &wire.end[from == &wire.end[0]];
}

static void transmit(void *owner, const struct eth_frame *frame, uint64_t cycle)
{
    struct wire_end *end = owner;
    ck_assert_uint_le(frame->length, ETH_FRAME_LIMIT);
    ck_assert_uint_ge(frame->length, 60);
    end->last = *frame;
    end->frames++;
    if (wire.holds || wire_below(1000) < wire.lost_per_1000) {
        return;
    }
    struct wire_frame *copy = malloc(sizeof *copy);
    ck_assert_ptr_nonnull(copy);
    copy->next = NULL;
    copy->arrives = cycle + wire.latency;
    copy->to = receiver(end);
    copy->frame = *frame;
    if (wire_below(1000) < wire.damaged_per_1000) {
        copy->frame.eop = ETH_EOP_BAD_CRC;
        copy->frame.bytes[wire_below(frame->length)] ^= 0x10;
    }
    *wire.last = copy;
    wire.last = &copy->next;
}

static void fault(void *owner, const char *text, uint64_t cycle)
{
    struct wire_end *end = owner;
    ck_assert_uint_eq(cycle, wire.now);
    ck_assert_uint_lt(strlen(text), ETH_RULE_BYTES);
    strncpy(end->fault, text, sizeof end->fault - 1);
    end->faults++;
}

static void changed(void *owner, uint64_t cycle)
{
    struct wire_end *end = owner;
    ck_assert_uint_eq(cycle, wire.now);
    end->changes++;
}

static void overlay_received(void *owner, unsigned stream, uint32_t address, uint32_t size,
                             uint64_t cycle)
{
    struct wire_end *end = owner;
    ck_assert_uint_lt(stream, 32);
    ck_assert_uint_eq(cycle, wire.now);
    ck_assert_uint_eq(address % 16, 0);
    end->overlays++;
    end->overlay_bytes += size;
}

void wire_open(void)
{
    memset(&wire, 0, sizeof wire);
    wire.last = &wire.first;
    wire.latency = 1000;
    wire.random = 1;
    for (unsigned i = 0; i < 2; i++) {
        struct wire_end *end = &wire.end[i];
        struct eth_board board = {
            .owner = end,
            .l1 = end->l1,
            .l1_size = WIRE_L1_BYTES,
            .l1_written = l1_written,
            .frame_written = frame_written,
            .mmio_write = mmio_write,
            .transmit = transmit,
            .fault = fault,
            .changed = changed,
            .overlay_received = overlay_received,
        };
        memset(&end->eth, 0, sizeof(struct eth));
        eth_init(&end->eth, &board);
        eth_set_link(&end->eth, ETH_LINK_UP, 0);
    }
}

void wire_close(void)
{
    while (wire.first) {
        struct wire_frame *frame = wire.first;
        wire.first = frame->next;
        free(frame);
    }
    wire.last = &wire.first;
}

static void deliver(void)
{
    struct wire_frame *frame = wire.first;
    wire.first = frame->next;
    wire.last = wire.first ? wire.last : &wire.first;
    wire.now = frame->arrives;
    eth_receive(&frame->to->eth, &frame->frame, wire.now);
    free(frame);
}

bool wire_run(unsigned limit)
{
    for (unsigned i = 0; i < limit; i++) {
        uint64_t arrival = wire.first ? wire.first->arrives : UINT64_MAX;
        uint64_t due[2] = {eth_next_event(&wire.end[0].eth), eth_next_event(&wire.end[1].eth)};
        struct wire_end *next = &wire.end[due[1] < due[0]];
        uint64_t event = due[1] < due[0] ? due[1] : due[0];
        if (arrival == UINT64_MAX && event == UINT64_MAX) {
            return true;
        }
        if (arrival <= event) {
            deliver();
        } else {
            wire.now = event > wire.now ? event : wire.now;
            eth_run(&next->eth, wire.now);
        }
    }
    return false;
}

uint32_t wire_get(struct wire_end *end, uint32_t address)
{
    uint32_t value = 0;
    enum answer effect = eth_read(&end->eth, address - ETH_REGISTER_BASE, true, &value, wire.now);
    ck_assert_msg(effect == ANSWER_DONE || effect == ANSWER_UNMODELLED, "0x%" PRIx32, address);
    return value;
}

void wire_set(struct wire_end *end, uint32_t address, uint32_t value)
{
    enum answer effect = eth_write(&end->eth, address - ETH_REGISTER_BASE, true, value, wire.now);
    ck_assert_msg(effect == ANSWER_DONE || effect == ANSWER_UNMODELLED, "0x%" PRIx32 ": %s",
                  address, end->eth.rule);
}

void wire_refused(struct wire_end *end, uint32_t address, uint32_t value, const char *words)
{
    static struct eth before;
    before = end->eth;
    unsigned frames = end->frames;
    memset(end->eth.rule, 0, sizeof end->eth.rule);
    ck_assert_int_eq(eth_write(&end->eth, address - ETH_REGISTER_BASE, true, value, wire.now),
                     ANSWER_REFUSED);
    ck_assert_msg(strstr(end->eth.rule, words) != NULL, "'%s' is not in '%s'", words,
                  end->eth.rule);
    ck_assert_uint_lt(strlen(end->eth.rule), ETH_RULE_BYTES - 1);
    memcpy(before.rule, end->eth.rule, sizeof before.rule);
    ck_assert_msg(memcmp(&before, &end->eth, sizeof before) == 0, "a refused write had an effect");
    ck_assert_uint_eq(end->frames, frames);
}
