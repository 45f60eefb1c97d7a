/* The interrupt controller, delivery to the harts, and the pc snapshots. */
#include "unit/tile/mmio_harness.h"

FIXTURE(harness_setup, harness_teardown);

#define PIC(offset)    (UINT32_C(0xffb13000) + (offset))
#define SW_ENABLE(nc)  PIC((nc) ? 0x0cu : 0x00u)
#define HW_ENABLE(nc)  PIC((nc) ? 0x10u : 0x04u)
#define INT_NO(nc)     PIC((nc) ? 0x14u : 0x08u)
#define SW_INT(i)      PIC(0x18u + 4u * (unsigned)(i))
#define HW_INT(i)      PIC(0x98u + 4u * (unsigned)(i))
#define SW_INT_PC(i)   PIC(0xa8u + 4u * (unsigned)(i))
#define HW_INT_PC(i)   PIC(0x128u + 4u * (unsigned)(i))
#define PC_SNAPSHOT(i) PIC(0x138u + 4u * (unsigned)(i))

TEST_EACH(reading_a_software_irq_clears_it, 32)
{
    ck_assert_uint_eq(get(AGENT_T0, SW_INT(_i)), 0);
    ck_assert_event(put(AGENT_NOC, SW_INT(_i), 0xabcd));
    put(AGENT_NOC, SW_INT(_i), 0x1234);
    ck_assert_uint_eq(peek(AGENT_B, SW_INT(_i)), 0x1234);
    ck_assert_event(ck_assert_uint_eq(get(AGENT_B, SW_INT(_i)), 0x1234));
    ck_assert_no_event(ck_assert_uint_eq(get(AGENT_B, SW_INT(_i)), 0));
    put(AGENT_B, SW_INT(_i), 1);
    put(AGENT_B, SW_INT(_i), 0);
    ck_assert_uint_eq(get(AGENT_B, SW_INT(_i)), 0);
}

TEST_EACH(hardware_irqs_are_read_only, 4)
{
    put(AGENT_B, HW_INT(_i), 1);
    ck_assert_uint_eq(get(AGENT_B, HW_INT(_i)), 0);
    ck_assert_event(pic_set_hardware(harness.tile, (enum pic_source)_i, true, 5));
    ck_assert_no_event(pic_set_hardware(harness.tile, (enum pic_source)_i, true, 6));
    ck_assert_uint_eq(get(AGENT_B, HW_INT(_i)), 1);
    put(AGENT_B, HW_INT(_i), 0);
    ck_assert_uint_eq(get(AGENT_B, HW_INT(_i)), 1);
}

TEST_EACH(only_enabled_interrupts_are_pending, 2)
{
    enum rv32_core core = _i ? RV32_NC : RV32_B;
    uint32_t handler = 0;
    put(AGENT_B, SW_INT(7), 1);
    put(AGENT_B, SW_INT_PC(7), 0x4000);
    ck_assert(!pic_pending(&harness.tile->pic, core) && !pic_take(harness.tile, core, &handler));
    put(AGENT_B, SW_ENABLE(!_i), 1u << 7);
    ck_assert(!pic_pending(&harness.tile->pic, core));
    put(AGENT_B, SW_ENABLE(_i), 1u << 7);
    ck_assert(pic_pending(&harness.tile->pic, core));
    ck_assert(pic_take(harness.tile, core, &handler));
    ck_assert_uint_eq(handler, 0x4000);
    ck_assert_uint_eq(get(AGENT_B, INT_NO(_i)), 7);
    put(AGENT_B, INT_NO(_i), 99); /* read-only */
    ck_assert_uint_eq(get(AGENT_B, INT_NO(_i)), 7);
    ck_assert(!pic_pending(&harness.tile->pic, RV32_T1) &&
              !pic_take(harness.tile, RV32_T1, &handler));
}

TEST(arbitration_is_fair)
{
    uint32_t handler;
    static const unsigned order[] = {2, 31, 32 + 3, 2, 31, 32 + 3};
    put(AGENT_B, SW_INT(31), 1);
    put(AGENT_B, SW_INT(2), 1);
    pic_set_hardware(harness.tile, PIC_WATCHDOG, true, 0);
    put(AGENT_B, SW_ENABLE(0), UINT32_MAX);
    put(AGENT_B, HW_ENABLE(0), UINT32_MAX);
    ck_assert_uint_eq(get(AGENT_B, HW_ENABLE(0)), 15);
    put(AGENT_B, HW_INT_PC(3), 0x5550);
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        ck_assert(pic_take(harness.tile, RV32_B, &handler));
        ck_assert_uint_eq(get(AGENT_B, INT_NO(0)), order[i]);
        ck_assert_uint_eq(handler, order[i] == 35 ? 0x5550 : 0);
    }
}

/* NC spins; its handler counts what it takes from the IRQ's register. */
static const char spin[] = "1: addi a0, a0, 1; jal zero, 1b";
static const char *const handler_code[] = {
    "lui t0, 0xffb13",    "addi t0, t0, 0x18", "lw t1, 20(t0)", /* SW_INT[5] */
    "lw t2, 0x400(zero)", "add t2, t2, t1",    "sw t2, 0x400(zero)", "mret", NULL};

TEST(interrupt_runs_the_handler)
{
    harness_assemble(H, 0x1000, spin);
    harness_assemble_lines(H, 0x2000, handler_code);
    harness_release(H, RV32_NC, 0x1000);
    put(AGENT_NOC, SW_INT_PC(5), 0x2000);
    put(AGENT_NOC, SW_ENABLE(1), 1u << 5);
    tile_run(harness.tile, 1280);
    for (uint32_t n = 1; n <= 3; n++) {
        put(AGENT_NOC, SW_INT(5), 100);
        tile_run(harness.tile, harness.tile->now + 1280);
        ck_assert_uint_eq(harness_word(H, 0x400), 100 * n);
        ck_assert(!harness.tile->hart[RV32_NC].in_handler);
        ck_assert_uint_eq(get(AGENT_NOC, SW_INT(5)), 0);
    }
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_lt(harness.tile->hart[RV32_NC].pc, 0x1008);
}

TEST_EACH(snapshots_show_every_pc, 5)
{
    static const enum rv32_core core_of[] = {RV32_B, RV32_NC, RV32_T0, RV32_T1, RV32_T2};
    harness.tile->hart[core_of[_i]].pc = 0x1230;
    ck_assert_uint_eq(get(AGENT_NOC, PC_SNAPSHOT(_i)), 0x1230);
    put(AGENT_NOC, PC_SNAPSHOT(_i), 1);
    ck_assert_uint_eq(get(AGENT_NOC, PC_SNAPSHOT(_i)), 0x1230);
}

/* A hart that reads its own snapshot is near it. */
TEST(snapshot_of_the_running_hart_is_recent)
{
    static const char program[] = "lui s0, 0xffb13; lw t0, 0x138(s0); sw t0, 0x400(zero); ebreak";
    harness_assemble(H, 0x1000, program);
    harness_release(H, RV32_B, 0x1000);
    tile_run(harness.tile, 1280);
    ck_assert_uint_ge(harness_word(H, 0x400), 0x1000);
    ck_assert_uint_lt(harness_word(H, 0x400), 0x1010);
}

TEST(what_is_beyond_is_unmapped)
{
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, PIC(0x14c), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, PIC(0xffc), 0), ANSWER_UNMAPPED);
    uint32_t value = 1;
    ck_assert_int_eq(try_narrow(MMIO_WRITE, AGENT_B, SW_INT(0), 1, &value), ANSWER_NARROW);
}
