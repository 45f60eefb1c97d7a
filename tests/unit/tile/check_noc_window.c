/* NIU and overlay register files, and the status CSRs that show streams. */
#include <string.h>

#include "unit/tile/mmio_harness.h"
#include "tile/noc_window.h"

FIXTURE(harness_setup, harness_teardown);

#define NIU(noc, offset)                                                                           \
    (UINT32_C(0xffb20000) + UINT32_C(0x10000) * (unsigned)(noc) + (uint32_t)(offset))
#define STREAM(s, i) (UINT32_C(0xffb40000) + UINT32_C(0x1000) * (uint32_t)(s) + 4 * (uint32_t)(i))

/* --- NIU --- */

TEST_EACH(identity_is_in_each_buffer, 2)
{
    const uint32_t node = 0x10611081;
    niu_set_identity(&harness.tile->niu[_i], NIU_NODE_ID, node);
    for (unsigned buffer = 0; buffer < 4; buffer++) {
        ck_assert_uint_eq(get(AGENT_NC, NIU(_i, 0x800 * buffer + 0x44)), node);
        put(AGENT_NC, NIU(_i, 0x800 * buffer + 0x44), 0);
        ck_assert_uint_eq(get(AGENT_NC, NIU(_i, 0x800 * buffer + 0x44)), node);
        ck_assert_uint_eq(get(AGENT_NC, NIU(1 - _i, 0x800 * buffer + 0x44)), 0);
    }
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x100)) >> 14 & 1, 0); /* a chip turns translation on */
}

TEST_EACH(command_registers_hold_values, 4)
{
    uint32_t base = 0x800u * (unsigned)_i;
    for (uint32_t offset = 0; offset < 0x30; offset += 4) {
        put(AGENT_B, NIU(0, base + offset), 0x80000001 + offset);
        put(AGENT_B, NIU(1, base + offset), 5);
        uint32_t mask = offset == 0x18 ? 0xffff : UINT32_MAX; /* PACKET_TAG */
        ck_assert_uint_eq(get(AGENT_B, NIU(0, base + offset)), (0x80000001 + offset) & mask);
    }
    ck_assert_uint_eq(harness.unmodelled, 0);
    put(AGENT_B, NIU(0, base + 0x34), 5);
    ck_assert_uint_eq(harness.unmodelled, 1);
    uint32_t value = 0;
    ck_assert_int_eq(try_narrow(MMIO_WRITE, AGENT_B, NIU(0, base), 2, &value), ANSWER_NARROW);
    ck_assert_int_eq(try_narrow(MMIO_READ, AGENT_B, NIU(0, base + 3), 1, &value), ANSWER_DONE);
    ck_assert_uint_eq(value, 0x80);
}

/* A read of four bytes of tile (3, 4), to 0x100 of its own L1. */
TEST_EACH(command_sends_a_packet, 8)
{
    unsigned noc = (unsigned)_i / 4, buffer = (unsigned)_i % 4;
    uint32_t base = 0x800 * buffer;
    unsigned x = noc ? 16 - 3 : 3, y = noc ? 11 - 4 : 4;
    put(AGENT_B, NIU(noc, base + 0x08), x | y << 6);
    put(AGENT_B, NIU(noc, base + 0x00), 0x200);
    put(AGENT_B, NIU(noc, base + 0x0c), 0x100);
    put(AGENT_B, NIU(noc, base + 0x14), noc ? 15u | 9u << 6 : 1u | 2u << 6);
    put(AGENT_B, NIU(noc, base + 0x18), 5u << 10);
    put(AGENT_B, NIU(noc, base + 0x20), 4);
    put(AGENT_B, NIU(noc, base + 0x40), 2); /* the low bit asks */
    ck_assert_ptr_null(harness.tile->sent.head);
    put(AGENT_B, NIU(noc, base + 0x40), 1);
    const struct noc_packet *packet = harness.tile->sent.head;
    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->kind, NOC_READ);
    ck_assert_uint_eq(packet->noc, noc);
    ck_assert_uint_eq(packet->to, noc_node(3, 4));
    ck_assert_uint_eq(packet->back, noc_node(1, 2));
    ck_assert_uint_eq(packet->address, 0x200);
    ck_assert_uint_eq(packet->back_address, 0x100);
    ck_assert_uint_eq(get(AGENT_B, NIU(noc, base + 0x40)), 0);
    ck_assert_uint_eq(get(AGENT_B, NIU(noc, 0x200 + 4 * (16 + 5))), 1);
    ck_assert_uint_eq(get(AGENT_B, NIU(noc, 0x200 + 4 * 5)), 1);
}

TEST_EACH(counters_are_read_only, 2)
{
    put(AGENT_B, NIU(_i, 0x204), 7);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x204)), 0);
    harness.tile->niu[_i].word[0x2f4 / 4] = 9;
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x2f4)), 9);
}

TEST_EACH(transactions_that_end_interrupt, 2)
{
    struct niu *niu = &harness.tile->niu[_i];
    uint32_t hw_int = UINT32_C(0xffb1309c) + 4 * (unsigned)_i;
    put(AGENT_B, NIU(_i, 0x178), 1u << 5 | 1u << 9);
    niu_set_outstanding(niu, 5, 2);
    niu_set_outstanding(niu, 9, 0x101); /* 8 bits */
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x240 + 4 * 9)), 1);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x37c)), 0);
    put(AGENT_B, NIU(_i, 0x60), 1u << 5 | 1u << 9);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x240 + 4 * 5)), 0);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x37c)), 1u << 5 | 1u << 9);
    ck_assert_uint_eq(get(AGENT_B, hw_int), 1);
    ck_assert_uint_eq(peek(AGENT_B, NIU(_i, 0x378)), 5);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x378)), 5); /* clears it */
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x378)), 9);
    ck_assert_uint_eq(get(AGENT_B, hw_int), 0);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x378)), 0);
    put(AGENT_B, NIU(_i, 0x178), 1u << 28 | 1u << 2); /* reads keep it */
    niu_set_outstanding(niu, 2, 1);
    niu_set_outstanding(niu, 2, 0);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x378)), 2);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x378)), 2);
    put(AGENT_B, NIU(_i, 0x17c), 1u << 2);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x37c)), 0);
    ck_assert_uint_eq(get(AGENT_B, NIU(_i, 0x17c)), 0);
}

TEST(what_is_not_modelled_is_reported)
{
    (void)get(AGENT_NOC, NIU(0, 0x68));  /* CMD_BUF_OVFL */
    (void)get(AGENT_NOC, NIU(0, 0x300)); /* router debug */
    put(AGENT_NOC, NIU(0, 0x174), 3);    /* DEBUG_COUNTER_RESET */
    ck_assert_uint_eq(harness.unmodelled, 3);
    (void)peek(AGENT_NOC, NIU(0, 0x68));
    (void)get(AGENT_NOC, NIU(0, 0x200));
    ck_assert_uint_eq(harness.unmodelled, 3);
    ck_assert_uint_eq(get(AGENT_NOC, NIU(0, 0x174)), 0); /* clears itself */
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_NOC, NIU(0, 0x600), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_NOC, NIU(0, 0x2000), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_NOC, NIU(1, 0xfffc), 0), ANSWER_UNMAPPED);
}

/* CMD_BUF_AVAIL: a place in each command buffer whose request has departed. */
TEST(free_buffers_are_counted)
{
    struct niu *niu = &harness.tile->niu[1];
    ck_assert_uint_eq(get(AGENT_NOC, NIU(1, 0x64)), 0x01010101);
    niu->word[niu_buffer(2) + NIU_CMD_CTRL / 4] = 1;
    ck_assert_uint_eq(get(AGENT_NOC, NIU(1, 0x64)), 0x01000101);
    ck_assert_uint_eq(get(AGENT_NOC, NIU(1, 0x864)), 0x01000101);
    ck_assert_uint_eq(get(AGENT_NOC, NIU(0, 0x64)), 0x01010101);
    put(AGENT_NOC, NIU(1, 0x64), 0);
    ck_assert_uint_eq(get(AGENT_NOC, NIU(1, 0x64)), 0x01000101);
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* Offsets beyond the last command buffer belong to none, whatever waits. */
TEST_EACH(writes_beyond_the_buffers, 2)
{
    struct tile *tile = harness.tile;
    for (unsigned i = 0; i < 2 * NIU_BUFFERS; i++) {
        tile->command[i / NIU_BUFFERS][i % NIU_BUFFERS].waits = true;
    }
    tile->commands = 2 * NIU_BUFFERS;
    for (uint32_t offset = 0x2000; offset < 0x10000; offset += 0x800) {
        uint32_t address = NIU(_i, offset + 4 * (unsigned)_i);
        ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_NC, address, 1), ANSWER_UNMAPPED);
    }
    ck_assert_uint_eq(harness.faults, 0);
    put(AGENT_NC, NIU(_i, 0x1800), 1);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_NOC_BUSY);
}

/* --- Overlay --- */

/* A hart asleep that polls the space of stream s wakes for every event there. */
static void sleep_on_space(uint32_t s)
{
    struct tile_hart *run = &harness.tile->run[RV32_T2];
    run->idle.place[0] = (struct rv32_idle_place){.address = STREAM(s, 0x129), .size = 4};
    run->idle.places = 1;
    run->state = HART_ASLEEP;
    tile_polls(harness.tile, RV32_T2, (struct tile_span){STREAM(s, 0x129), STREAM(s, 0x129) + 3});
}

TEST_EACH(size_loads_space_and_updates_add, 64)
{
    uint32_t s = (uint32_t)_i;
    put(AGENT_T0, STREAM(s, 10), 100);
    ck_assert_uint_eq(harness.tile->epoch, 0); /* nobody waits yet */
    sleep_on_space(s);
    put(AGENT_T0, STREAM(s, 8), 0xfffff);
    ck_assert_uint_eq(get(AGENT_T0, STREAM(s, 8)), 0x1ffff);
    ck_assert_event(put(AGENT_T0, STREAM(s, 10), 100));
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 10)), 100);
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 0x129)), 100);
    ck_assert_event(put(AGENT_NOC, STREAM(s, 0x10e), 5 << 6));
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 0x129)), 105);
    put(AGENT_NOC, STREAM(s, 0x10e), 0x1ffff << 6); /* minus one */
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 0x129)), 104);
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 0x10e)), 0);
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 10)), 100);
    put(AGENT_B, STREAM(s, 0x129), 7); /* read-only */
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 0x129)), 104);
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 503)), 9);
    put(AGENT_B, STREAM(s, 10), 0);
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 503)), 1);
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* Streams 0 to 3 count for 32 destinations, the others for one. */
TEST_EACH(multicast_streams_have_32_counters, 6)
{
    uint32_t s = (uint32_t)_i;
    put(AGENT_B, STREAM(s, 10), 50);
    put(AGENT_B, STREAM(s, 0x10e), 2 << 6 | 31);
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 0x129 + 31)), s < 4 ? 52 : 0);
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 0x129 + 30)), s < 4 ? 50 : 0);
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 0x129)), 50);
    put(AGENT_B, STREAM(s, 24), 0x7ffff);
    ck_assert_uint_eq(get(AGENT_B, STREAM(s, 24)), s < 4 ? 0x7ffff : 0);
}

TEST(pointers_follow_their_bases)
{
    put(AGENT_B, STREAM(9, 17), 0x100);
    put(AGENT_B, STREAM(9, 19), 7);
    put(AGENT_B, STREAM(9, 20), 8);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 262)), 0x107);
    put(AGENT_B, STREAM(9, 17), 0x200);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 19)), 0);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 20)), 0);
    put(AGENT_B, STREAM(9, 11), 3);
    put(AGENT_B, STREAM(9, 8), 1);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 11)), 0);
    put(AGENT_B, STREAM(9, 28), 0x1000); /* phase base */
    put(AGENT_B, STREAM(9, 29), 5);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 29)), 5);
    put(AGENT_B, STREAM(9, 28), 0x1004);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 29)), 1);
    put(AGENT_B, STREAM(9, 34), 0xabc00000 | 6); /* the low 12 bits add to the phase */
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 29)), 7);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 34)) >> 12, 0xabc00);
    put(AGENT_B, STREAM(9, 23), 4);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 275)), 0);
    put(AGENT_B, STREAM(9, 22), 3);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 23)), 3);
    ck_assert_uint_eq(get(AGENT_B, STREAM(9, 275)), 1);
}

TEST(streams_stay_idle)
{
    ck_assert_uint_eq(get(AGENT_B, STREAM(20, 257)), 1);
    put(AGENT_B, STREAM(20, 600), 0x1234); /* no register that a source names */
    ck_assert_uint_eq(get(AGENT_B, STREAM(20, 600)), 0x1234);
    ck_assert_uint_eq(harness.unmodelled, 2);
    ck_assert_uint_eq(get(AGENT_B, STREAM(20, 257)), 1);
    ck_assert(!overlay_is_due(&harness.tile->overlay));
}

TEST(blob_done_raises_the_irq)
{
    uint32_t done = 1u << 3;
    ck_assert_int_eq(try_access(MMIO_POKE, AGENT_B, STREAM(0, 289), done), ANSWER_DONE);
    put(AGENT_B, STREAM(5, 4), 1); /* any write looks at the IRQ */
    ck_assert_uint_eq(get(AGENT_B, 0xffb13098), 1);
    ck_assert_uint_eq(peek(AGENT_B, STREAM(0, 290)), 0x10000 | 35);
    ck_assert_uint_eq(get(AGENT_B, STREAM(0, 290)), 0x10000 | 35);
    ck_assert_uint_eq(get(AGENT_B, STREAM(0, 290)), 0);
    ck_assert_uint_eq(get(AGENT_B, 0xffb13098), 0);
    ck_assert_int_eq(try_access(MMIO_POKE, AGENT_B, STREAM(0, 288), 6), ANSWER_DONE);
    put(AGENT_B, STREAM(0, 288), 2); /* writes clear */
    ck_assert_uint_eq(get(AGENT_B, STREAM(0, 288)), 4);
    ck_assert_uint_eq(get(AGENT_B, STREAM(1, 288)), 0);
}

TEST(registers_have_names)
{
    ck_assert_str_eq(reg_name(&overlay_registers, 4 * 10), "STREAM_REMOTE_DEST_BUF_SIZE");
    ck_assert_ptr_null(reg_name(&overlay_registers, 4 * 600));
    ck_assert_str_eq(reg_name(&niu_registers, 0x1840), "NOC_CMD_CTRL");
    ck_assert_ptr_null(reg_name(&niu_registers, 0x600));
}

TEST(status_csrs_show_streams)
{
    struct tile *tile = harness.tile;
    tile->tensix.thread_config[1][63 + 2] = 17; /* STREAM_ID_TRISC_SEC[2] */
    put(AGENT_B, STREAM(17, 29), 0x77);
    ck_assert_uint_eq(tile_status_csr(tile, RV32_T1, 2 + 2), 0x77);
    ck_assert_uint_eq(tile_status_csr(tile, RV32_T1, 2 + 6), 0);
    ck_assert_uint_eq(tile_status_csr(tile, RV32_T0, 2 + 2), 0);
    ck_assert_uint_eq(tile_status_csr(tile, RV32_NC, 2 + 2), 0);
    put(AGENT_T1, 0xffe40000, 0xa3000000);
    ck_assert_uint_eq(tile_status_csr(tile, RV32_T1, 1), 1u << 7 | 1u << 18);
    ck_assert_uint_eq(tile_status_csr(tile, RV32_B, 1), 1u << 7 | 1u << 18);
    ck_assert_uint_eq(tile_status_csr(tile, RV32_T2, 1), 1u << 18);
}
