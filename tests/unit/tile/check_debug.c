/* The debug registers: table laws, clocks, the harts' debug interface. */
#include <string.h>

#include "unit/tile/mmio_harness.h"
#include "tile/debug_internal.h"

FIXTURE(harness_setup, harness_teardown);

#define REG(offset) (UINT32_C(0xffb12000) + (uint32_t)(offset))

/* --- The table --- */

TEST(names_are_the_vendors)
{
    for (unsigned i = 1; i < debug_registers.rows; i++) {
        const struct reg *row = &debug_registers.row[i];
        ck_assert_int_eq(strncmp(row->name, "RISCV_DEBUG_REG_", strlen("RISCV_DEBUG_REG_")), 0);
        ck_assert(i == 1 || row->offset > row[-1].offset);
    }
}

/* A kernel that looks for NaN or infinity there must not take the 0 for an answer. */
TEST(special_value_flags_are_not_modelled)
{
    put(AGENT_T1, REG(0x0b4), 0);
    ck_assert_uint_eq(harness.unmodelled, 0);
    ck_assert_uint_eq(get(AGENT_T1, REG(0x0b4)), 0);
    ck_assert_uint_eq(harness.unmodelled, 1);
}

TEST(unnamed_registers_store_and_report)
{
    put(AGENT_NOC, REG(0x2c4), 7);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x2c4)), 7);
    put(AGENT_NOC, REG(0xffc), 8);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0xffc)), 8);
    ck_assert_uint_eq(harness.unmodelled, 2);
    ck_assert_ptr_null(reg_name(&debug_registers, 0x2c4));
    ck_assert_ptr_null(reg_name(&debug_registers, 0x024));
    uint32_t value = 0;
    ck_assert_int_eq(try_narrow(MMIO_WRITE, AGENT_B, REG(0x228), 2, &value), ANSWER_NARROW);
}

TEST_EACH(polls_are_declared, 8)
{
    static const struct {
        uint32_t offset;
        enum rv32_poll poll;
    } cases[] = {
        {0x1f0, RV32_POLL_CLOCK_LOW}, {0x1f4, RV32_POLL_CLOCK_HIGH}, {0x1f8, RV32_POLL_CLOCK_HIGH},
        {0x228, RV32_POLL_STATE},     {0x1e0, RV32_POLL_EFFECT},     {0x100, RV32_POLL_EFFECT},
        {0x05c, RV32_POLL_EFFECT},    {0xf00, RV32_POLL_STATE},
    };
    enum rv32_poll tile_mmio_poll_DEBUG(struct tile *, enum tile_agent, uint32_t);
    ck_assert_int_eq(tile_mmio_poll_DEBUG(harness.tile, AGENT_B, cases[_i].offset), cases[_i].poll);
}

/* --- Soft reset, configuration, instruction buffers --- */

TEST(soft_reset_keeps_24_bits)
{
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x1b0)), 0x47800);
    put(AGENT_NOC, REG(0x1b0), 0x80047800);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x1b0)), 0x47800);
    ck_assert_uint_eq(harness.unmodelled, 0);
    put(AGENT_NOC, REG(0x1b0), 0x47000);
    ck_assert_int_eq(harness.tile->run[RV32_B].state, HART_READY);
    ck_assert_int_eq(harness.tile->run[RV32_T0].state, HART_HELD);
    put(AGENT_NOC, REG(0x1b0), 0x47087); /* the unpackers */
    ck_assert_uint_eq(harness.unmodelled, 0);
    put(AGENT_NOC, REG(0x1b0), 0x47040); /* the mover */
    ck_assert_uint_eq(harness.unmodelled, 0);
    ck_assert_int_eq(try_access(MMIO_POKE, AGENT_NOC, REG(0x1b0), 0x47800), ANSWER_DONE);
    ck_assert_int_eq(harness.tile->run[RV32_B].state, HART_READY);
}

TEST(configuration_can_be_read)
{
    put(AGENT_B, 0xffef0000 + 4 * 10, 0xaaaa);
    harness.tile->tensix.thread_config[2][1] = 0xbb;
    put(AGENT_NC, REG(0x058), 10);
    ck_assert_uint_eq(get(AGENT_NC, REG(0x078)), 0xaaaa);
    put(AGENT_NC, REG(0x078), 1);
    ck_assert_uint_eq(get(AGENT_NC, REG(0x078)), 0xaaaa);
    put(AGENT_NC, REG(0x058), 0x800 | (672 + 2 * 68 + 1));
    ck_assert_uint_eq(get(AGENT_NC, REG(0x078)), 0xbb);
    put(AGENT_NC, REG(0x058), 0x7ff);
    ck_assert_uint_eq(get(AGENT_NC, REG(0x078)), 0);
}

static uint32_t read_array(uint32_t command)
{
    put(AGENT_NOC, REG(0x064), command);
    return get(AGENT_NOC, REG(0x06c));
}

TEST(dst_can_be_read)
{
    struct tensix_dst *dst = &harness.tile->tensix.dst;
    for (unsigned column = 0; column < TENSIX_DST_COLUMNS; column++) {
        dst->bits[77][column] = (uint16_t)(0x4d00 + column);
    }
    dst->cleared[77] = true;
    put(AGENT_NOC, REG(0x060), 1);
    ck_assert_uint_eq(read_array(0x20000 | 77), 0x4d014d00);
    ck_assert_uint_eq(read_array(0x20000 | 7 << 12 | 77), 0x4d0f4d0e);
    ck_assert_uint_eq(read_array(0x20000 | 7 << 12 | 78), 0);
    ck_assert_uint_eq(harness.unmodelled, 0);
    static const uint32_t others[] = {0x20000 | 8 << 12 | 77, 0x20000 | 1024, 0x10000, 0xa0000};
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        ck_assert_uint_eq(read_array(others[i]), 0);
        ck_assert_uint_eq(harness.unmodelled, i + 1);
    }
    put(AGENT_NOC, REG(0x060), 0);
    ck_assert_uint_eq(read_array(0x20000 | 77), 0);
    ck_assert_uint_eq(harness.unmodelled, 5);
}

TEST_EACH(debug_bus_pushes_on_the_edge, 3)
{
    uint32_t control = 1u << _i, push = 16u << _i;
    struct tensix_thread *thread = &harness.tile->tensix.thread[_i];
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x0a8)), 0x77);
    put(AGENT_NOC, REG(0x0a4), 0xa3100008);
    put(AGENT_NOC, REG(0x0a0), push); /* no control */
    put(AGENT_NOC, REG(0x0a0), control);
    ck_assert_uint_eq(thread->back.count, 0);
    put(AGENT_NOC, REG(0x0a0), control | push);
    put(AGENT_NOC, REG(0x0a0), control | push);
    ck_assert_uint_eq(thread->back.count, 1);
    ck_assert_uint_eq(thread->back.entry[0].word, 0xa3100008);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x0a8)), 0x77 & ~push);
    for (unsigned i = 0; i < 40; i++) {
        put(AGENT_NOC, REG(0x0a0), control);
        put(AGENT_NOC, REG(0x0a0), control | push);
    }
    ck_assert_uint_eq(thread->back.count, 8);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x0a8)), 0x77 & ~push & ~control);
}

/* tt-exalens sets a bit of STALLWAIT that only Wormhole has; a hart that does so is at fault. */
TEST(debug_bus_forgives_stallwait)
{
    const struct tensix_thread *thread = &harness.tile->tensix.thread[1];
    put(AGENT_NOC, REG(0x0a4), 0xa2806001);
    put(AGENT_NOC, REG(0x0a0), 2);
    put(AGENT_NOC, REG(0x0a0), 2 | 2 << 4);
    ck_assert_uint_eq(thread->back.entry[0].word, 0xa2800001);
    ck_assert_uint_eq(get(AGENT_NOC, REG(0x0a4)), 0xa2806001);
    tile_run(harness.tile, 256);
    ck_assert_uint_eq(harness.faults, 0);
    put(AGENT_NOC, REG(0x0a0), 0);
    put(AGENT_T1, 0xffe40000, 0xa2806001);
    tile_run(harness.tile, 512);
    ck_assert_uint_eq(harness.faults, 1);
}

/* --- Clocks --- */

TEST(wall_clock_latches_its_high_word)
{
    harness.tile->now = UINT64_C(0x500000007);
    ck_assert_uint_eq(peek(AGENT_B, REG(0x1f0)), 7);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1f8)), 0);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1f0)), 7);
    harness.tile->now = UINT64_C(0x600000009);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1f8)), 5);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1f4)), 6);
    put(AGENT_B, REG(0x1f0), 0); /* latches, too */
    ck_assert_uint_eq(get(AGENT_B, REG(0x1f8)), 6);
    put(AGENT_B, REG(0x1f8), 0);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1f8)), 6);
}

TEST(watchdog_counts_down_and_interrupts)
{
    struct tile *tile = harness.tile;
    ck_assert_uint_eq(get(AGENT_B, REG(0x1e0)), 0xffffffff);
    put(AGENT_B, REG(0x1e0), 1000);
    ck_assert_uint_eq(debug_next_event(tile), UINT64_MAX);
    put(AGENT_B, REG(0x1e4), 1);
    ck_assert_uint_eq(debug_next_event(tile), 1000);
    tile_run(tile, 512);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1e0)), 1000 - 512);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1e8)), 0);
    ck_assert_uint_eq(get(AGENT_B, 0xffb130a4), 0);
    tile_run(tile, 1280);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1e0)), 0);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1e8)), 1);
    ck_assert_uint_eq(get(AGENT_B, 0xffb130a4), 1);
    ck_assert_uint_eq(debug_next_event(tile), UINT64_MAX);
    put(AGENT_B, REG(0x1e0), 50); /* feeding it clears the cause */
    ck_assert_uint_eq(get(AGENT_B, 0xffb130a4), 0);
    put(AGENT_B, REG(0x1e4), 0);
    tile_run(tile, 2560);
    ck_assert_uint_eq(get(AGENT_B, REG(0x1e0)), 50);
    ck_assert_uint_eq(get(AGENT_B, 0xffb130a4), 0);
}

/* --- Timestamper --- */

enum { STAMP = 0x1fc, STAMP_CONTROL = 0x200, STAMP_STATUS = 0x204, STAMP_START = 0x208 };

static void stamp_buffers(uint32_t start0, uint32_t end0, uint32_t start1, uint32_t end1)
{
    const uint32_t addresses[] = {start0, end0, start1, end1};
    for (unsigned i = 0; i < 4; i++) {
        put(AGENT_B, REG(STAMP_START + 4 * i), addresses[i]);
        ck_assert_uint_eq(get(AGENT_B, REG(STAMP_START + 4 * i)), addresses[i]);
    }
}

TEST(events_of_128_and_96_bits)
{
    harness.tile->now = UINT64_C(0x300000080);
    stamp_buffers(0x100, 0x10f, 0x200, 0x20f);
    put(AGENT_B, REG(STAMP), 0xabc0);
    ck_assert_uint_eq(harness_word(H, 0x1000), 0xabc0);
    ck_assert_uint_eq(harness_word(H, 0x1004), 0x80);
    ck_assert_uint_eq(harness_word(H, 0x1008), 3);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)) >> 14, 1);
    put(AGENT_B, REG(STAMP), 0xdef4); /* 96 bits */
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)) >> 11 & 3, 1);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, REG(STAMP), 1), ANSWER_UNIMPLEMENTED);
    put(AGENT_B, REG(STAMP), 0x1114);
    ck_assert_uint_eq(harness_word(H, 0x1010), 0xdef4);
    ck_assert_uint_eq(harness_word(H, 0x101c), 0x1114);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)) >> 11 & 3, 2);
    put(AGENT_B, REG(STAMP), 7); /* flush */
    ck_assert_uint_eq(harness_word(H, 0x1020), 0x80);
    ck_assert_uint_eq(harness_word(H, 0x1024), 3);
    ck_assert_uint_eq(harness_word(H, 0x1028), 0);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)), 3 << 14);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP)), 0);
}

TEST(events_of_32_and_64_bits)
{
    harness.tile->now = 0x12340;
    stamp_buffers(0x100, 0x10f, 0x200, 0x20f);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)) >> 9 & 3, i);
        put(AGENT_B, REG(STAMP), 0x5552);
    }
    ck_assert_uint_eq(harness_word(H, 0x100c), 0x5552 + (0x12340u << 11));
    put(AGENT_B, REG(STAMP), 0x71);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)) >> 8 & 1, 1);
    put(AGENT_B, REG(STAMP), 0x81);
    ck_assert_uint_eq(harness_word(H, 0x1010), 0x71);
    ck_assert_uint_eq(harness_word(H, 0x101c), 0x12340);
    put(AGENT_B, REG(STAMP), 0x91);
    put(AGENT_B, REG(STAMP), 3);
    ck_assert_uint_eq(harness_word(H, 0x1020), 0x91);
    ck_assert_uint_eq(harness_word(H, 0x1028), 0);
}

TEST(full_buffers_overflow)
{
    stamp_buffers(0x100, 0x101, 0x200, 0x200);
    for (uint32_t i = 0; i < 3; i++) {
        put(AGENT_B, REG(STAMP), 8 * i);
    }
    ck_assert_uint_eq(harness_word(H, 0x1010), 8);
    ck_assert_uint_eq(harness_word(H, 0x2000), 16);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)), 3 | 2 << 14);
    put(AGENT_B, REG(STAMP), 24);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)), 3 | 3 << 4 | 2 << 14);
    put(AGENT_B, REG(STAMP_STATUS), 1 | 1 << 5);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)), 2 | 1 << 4);
    put(AGENT_B, REG(STAMP), 32);
    ck_assert_uint_eq(harness_word(H, 0x1000), 32);
    put(AGENT_B, REG(STAMP_CONTROL), 0x80000002);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)), 1 << 14);
    put(AGENT_B, REG(STAMP_CONTROL), 2); /* buffer 1 only, whose position stays */
    put(AGENT_B, REG(STAMP), 40);
    ck_assert_uint_eq(get(AGENT_B, REG(STAMP_STATUS)), 1 << 5 | 1 << 14);
    stamp_buffers(0x18000, 0x18001, 0, 0);
    put(AGENT_B, REG(STAMP_CONTROL), 1);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, REG(STAMP), 48), ANSWER_UNMAPPED);
}

/* --- The debug interface, as tt-exalens uses it --- */

enum { DBG_CONTROL_0 = 0x080, DBG_CONTROL_1 = 0x084, DBG_STATUS_0 = 0x088, DBG_STATUS_1 = 0x08c };

static void dr_write(unsigned hart, uint32_t number, uint32_t value)
{
    put(AGENT_NOC, REG(DBG_CONTROL_1), value);
    put(AGENT_NOC, REG(DBG_CONTROL_0), 0x80010000 + (hart << 17) + number);
    put(AGENT_NOC, REG(DBG_CONTROL_0), 0);
}

static uint32_t dr_read(unsigned hart, uint32_t number)
{
    put(AGENT_NOC, REG(DBG_CONTROL_0), 0x80000000 + (hart << 17) + number);
    put(AGENT_NOC, REG(DBG_CONTROL_0), 0);
    ck_assert_uint_eq(get(AGENT_NOC, REG(DBG_STATUS_0)) >> 30 & 1, 1);
    return get(AGENT_NOC, REG(DBG_STATUS_1));
}

enum {
    PAUSE = 1,
    STEP = 2,
    GO_ON = 4,
    READ_GPR = 8,
    WRITE_GPR = 16,
    READ_MEM = 32,
    WRITE_MEM = 64
};
enum { ZERO_GPRS = 128, WRITE_PC = 256 };
#define SLOW UINT32_C(0x80000000)

static void command(unsigned hart, uint32_t bits)
{
    dr_write(hart, 1, SLOW | bits);
}

static uint32_t gpr(unsigned hart, uint32_t number)
{
    dr_write(hart, 2, number);
    command(hart, READ_GPR);
    return dr_read(hart, 4);
}

static uint32_t read_memory(unsigned hart, uint32_t address)
{
    dr_write(hart, 2, address);
    command(hart, READ_MEM);
    return dr_read(hart, 4);
}

static void write_memory(unsigned hart, uint32_t address, uint32_t value)
{
    dr_write(hart, 3, value);
    dr_write(hart, 2, address);
    command(hart, WRITE_MEM);
}

static void step(unsigned hart)
{
    command(hart, STEP);
    command(hart, STEP); /* HW: Blackhole needs two */
    tile_run(harness.tile, harness.tile->now + 256);
}

/* HW: tt-exalens writes the pc after an ebreak before it goes on. */
static void go_on(unsigned hart, uint32_t pc)
{
    dr_write(hart, 3, pc);
    command(hart, WRITE_PC);
    command(hart, GO_ON);
    tile_run(harness.tile, harness.tile->now + 1280);
}

/* "ebreak; *0x10000 = 0x87654000; loop" and loads, as in tt-exalens' own tests. */
static const char victim[] =
    "ebreak; addi a2, zero, 3; lui a0, 0x10; lui a1, 0x87654; sw a1, 0(a0); lui a0, 0x11; "
    "lw a3, 0(a0); "
    "1: addi a4, a4, 1; jal zero, 1b";
enum {
    VICTIM = 0x3000,
    VICTIM_STORE = VICTIM + 16,
    VICTIM_LOAD = VICTIM + 24,
    VICTIM_LOOP = VICTIM + 28
};
enum { PAUSED = 1, BREAKPOINT = 2, WATCHPOINT = 4, EBREAK = 8 };

static const enum rv32_core core_of[] = {RV32_B, RV32_T0, RV32_T1, RV32_T2};

/* An Ethernet tile takes the place of the worker. */
static void open_ethernet(void)
{
    tile_destroy(harness.tile);
    harness.tile = tile_create(TILE_ETHERNET, 1, 1, harness.store, &harness.board, &harness);
    ck_assert_ptr_nonnull(harness.tile);
}

static void release_ethernet(unsigned hart, uint32_t pc)
{
    put(AGENT_NOC, REG(0x1b0), hart ? 1u << 11 : 1u << 12);
    harness.tile->hart[hart ? RV32_NC : RV32_B].pc = pc;
}

static void start_victim(unsigned hart)
{
    harness_assemble(H, VICTIM, victim);
    harness_set_word(H, 0x10000, 0x12345678);
    harness_release(H, core_of[hart], VICTIM);
    tile_run(harness.tile, 256);
}

static void set_watch(unsigned hart, unsigned i, uint32_t mode, uint32_t address)
{
    uint32_t modes = dr_read(hart, 5) & ~(UINT32_C(15) << 4 * i);
    dr_write(hart, 10 + i, address);
    dr_write(hart, 5, modes | mode << 4 * i);
    ck_assert_uint_eq(dr_read(hart, 10 + i), address);
}

TEST_EACH(ebreak_pauses_and_goes_on, 4)
{
    unsigned hart = (unsigned)_i;
    start_victim(hart);
    ck_assert_uint_eq(dr_read(hart, 0), PAUSED | EBREAK);
    ck_assert_uint_eq(gpr(hart, 32), VICTIM + 4);
    ck_assert_uint_eq(dr_read((hart + 1) % 4, 0), 0);
    dr_write(hart, 3, VICTIM + 4);
    command(hart, WRITE_PC);
    ck_assert_uint_eq(dr_read(hart, 0), PAUSED);
    command(hart, GO_ON);
    tile_run(harness.tile, harness.tile->now + 1280);
    ck_assert_uint_eq(dr_read(hart, 0), 0);
    ck_assert_uint_eq(harness_word(H, 0x10000), 0x87654000);
    command(hart, PAUSE);
    ck_assert_uint_eq(dr_read(hart, 0), PAUSED);
    uint32_t count = gpr(hart, 14);
    tile_run(harness.tile, harness.tile->now + 1280);
    ck_assert_uint_eq(gpr(hart, 14), count);
    ck_assert_uint_gt(count, 100);
    command(hart, GO_ON);
    tile_run(harness.tile, harness.tile->now + 1280);
    command(hart, PAUSE);
    ck_assert_uint_gt(gpr(hart, 14), count);
    ck_assert_uint_eq(harness.faults + harness.unmodelled, 0);
}

TEST_EACH(steps_one_instruction, 4)
{
    unsigned hart = (unsigned)_i;
    start_victim(hart);
    for (uint32_t pc = VICTIM + 8; pc <= VICTIM_LOOP; pc += 4) {
        ck_assert_uint_eq(harness_word(H, 0x10000),
                          pc > VICTIM_STORE + 4 ? 0x87654000 : 0x12345678);
        step(hart);
        ck_assert_uint_eq(dr_read(hart, 0), PAUSED);
        ck_assert_uint_eq(gpr(hart, 32), pc);
    }
    for (unsigned i = 0; i < 6; i++) {
        step(hart);
        ck_assert_uint_eq(gpr(hart, 32), VICTIM_LOOP + 4 * ((i + 1) % 2));
    }
    ck_assert_uint_eq(gpr(hart, 14), 3);
    ck_assert(!harness.tile->run[core_of[hart]].step);
    command(hart, STEP); /* half a step */
    tile_run(harness.tile, harness.tile->now + 256);
    ck_assert_uint_eq(dr_read(hart, 0), PAUSED);
    ck_assert_uint_eq(gpr(hart, 32), VICTIM_LOOP);
}

TEST_EACH(registers_and_memory, 4)
{
    unsigned hart = (unsigned)_i;
    start_victim(hart);
    for (uint32_t n = 1; n < 32; n++) {
        dr_write(hart, 3, 0x1000 + n);
        dr_write(hart, 2, n);
        command(hart, WRITE_GPR);
    }
    dr_write(hart, 2, 0);
    command(hart, WRITE_GPR);
    for (uint32_t n = 0; n < 32; n++) {
        ck_assert_uint_eq(gpr(hart, n), n ? 0x1000 + n : 0);
    }
    command(hart, ZERO_GPRS);
    ck_assert_uint_eq(gpr(hart, 31), 0);
    write_memory(hart, 0xffb00010, 0xabcdef01); /* local RAM */
    ck_assert_uint_eq(read_memory(hart, 0xffb00010), 0xabcdef01);
    static const uint32_t slow[] = {0xffb14010, 0xffb18010, 0xffb1a010, 0xffb1c010};
    ck_assert_uint_eq(get(AGENT_NOC, slow[hart]), 0xabcdef01);
    write_memory(hart, 0xffef0008, 1); /* backend configuration */
    ck_assert_uint_eq(read_memory(hart, 0xffef0008), 1);
    write_memory(hart, 0x500, 9);
    ck_assert_uint_eq(harness_word(H, 0x500), 9);
    ck_assert_uint_eq(read_memory(hart, 0x80000000), 0); /* nothing there: no guest fault */
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(harness.unmodelled, 1);
    ck_assert_uint_eq(dr_read(hart, 2), 0x80000000);
    ck_assert_uint_eq(dr_read(hart, 1), SLOW | READ_MEM);
    ck_assert_uint_eq(dr_read(hart, 7), 0);
}

/* Code that a debugger writes through the hart is executed. */
TEST(writing_code)
{
    start_victim(0);
    write_memory(0, VICTIM + 4, 0x00100073); /* ebreak */
    go_on(0, VICTIM + 4);
    ck_assert_uint_eq(dr_read(0, 0), PAUSED | EBREAK);
    ck_assert_uint_eq(gpr(0, 32), VICTIM + 8);
}

TEST_EACH(breakpoints_hit, 4)
{
    unsigned hart = (unsigned)_i;
    start_victim(hart);
    set_watch(hart, 0, 8, VICTIM + 8);
    set_watch(hart, 7, 8, VICTIM_LOOP + 4);
    ck_assert(harness.tile->run[core_of[hart]].step);
    go_on(hart, VICTIM + 4);
    ck_assert_uint_eq(dr_read(hart, 0), PAUSED | BREAKPOINT | 1 << 8);
    ck_assert_uint_eq(gpr(hart, 32), VICTIM + 12); /* the instruction retires first */
    ck_assert_uint_eq(harness_word(H, 0x10000), 0x12345678);
    for (uint32_t n = 1; n < 4; n++) {
        command(hart, GO_ON);
        tile_run(harness.tile, harness.tile->now + 256);
        ck_assert_uint_eq(dr_read(hart, 0), PAUSED | BREAKPOINT | 1 << 15);
        ck_assert_uint_eq(gpr(hart, 14), n);
    }
    dr_write(hart, 5, 0x70000000); /* modes below 8 are off */
    ck_assert(!harness.tile->run[core_of[hart]].step);
    command(hart, GO_ON);
    tile_run(harness.tile, harness.tile->now + 1280);
    ck_assert_uint_eq(dr_read(hart, 0), 0);
}

TEST_EACH(watchpoints_hit, 4)
{
    unsigned hart = (unsigned)_i;
    start_victim(hart);
    set_watch(hart, 1, 9, 0x10000);  /* read: not hit by the store */
    set_watch(hart, 2, 10, 0x10000); /* write */
    set_watch(hart, 3, 11, 0x11000); /* either */
    set_watch(hart, 4, 10, 0x11000);
    go_on(hart, VICTIM + 4);
    ck_assert_uint_eq(dr_read(hart, 0), PAUSED | WATCHPOINT | 1 << 10);
    ck_assert_uint_eq(harness_word(H, 0x10000), 0x87654000);
    ck_assert_uint_eq(gpr(hart, 32), VICTIM_STORE + 4);
    command(hart, GO_ON);
    tile_run(harness.tile, harness.tile->now + 1280);
    ck_assert_uint_eq(dr_read(hart, 0), PAUSED | WATCHPOINT | 1 << 11);
    ck_assert_uint_eq(gpr(hart, 32), VICTIM_LOAD + 4);
}

/* A pause by ebreak is one of that, not of what stands behind it; a debugger may pause a hart there,
 * too. */
TEST(who_has_paused_itself_stands_at_its_ebreak)
{
    harness_assemble(H, 0x1000, "addi t0, zero, 1; ebreak; 1: addi t0, t0, 1; jal zero, 1b");
    harness_release(H, RV32_T1, 0x1000);
    ck_assert_uint_eq(debug_stands_at(harness.tile, RV32_T1), 0x1000);
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(harness.tile->hart[RV32_T1].pc, 0x1008);
    ck_assert_uint_eq(debug_stands_at(harness.tile, RV32_T1), 0x1004);
    tile_resume(harness.tile, RV32_T1, harness.tile->now);
    tile_run(harness.tile, harness.tile->now + 1280);
    tile_pause(harness.tile, RV32_T1);
    harness.tile->hart[RV32_T1].pc = 0x1008;
    ck_assert_uint_eq(debug_stands_at(harness.tile, RV32_T1), 0x1008);
}

/* A hart that sleeps in its polling loop notices a breakpoint in it. */
TEST(breakpoint_wakes_a_sleeper)
{
    static const char program[] = "1: lw t0, 0x700(zero); beq t0, zero, 1b; ebreak";
    harness_assemble(H, 0x1000, program);
    harness_release(H, RV32_T1, 0x1000);
    tile_run(harness.tile, 12800);
    ck_assert_int_eq(harness.tile->run[RV32_T1].state, HART_ASLEEP);
    set_watch(2, 0, 8, 0x1004);
    tile_run(harness.tile, harness.tile->now + 256);
    ck_assert_uint_eq(dr_read(2, 0), PAUSED | BREAKPOINT | 1 << 8);
}

/* The debugger's load waits as the hart's would; the hart is busy until then. */
TEST(memory_command_waits_for_a_mailbox)
{
    start_victim(1);
    dr_write(1, 2, 0xffec0000);
    command(1, READ_MEM);
    ck_assert_uint_eq(dr_read(1, 0) & PAUSED, 0);
    dr_write(1, 2, 0x10000); /* is lost, and so is the next */
    command(1, WRITE_MEM);
    ck_assert_uint_eq(dr_read(1, 0) & PAUSED, 0);
    put(AGENT_B, 0xffec1000, 0x4242);
    ck_assert_uint_eq(dr_read(1, 0) & PAUSED, PAUSED);
    ck_assert_uint_eq(dr_read(1, 4), 0x4242);
    ck_assert_uint_eq(harness_word(H, 0x10000), 0x12345678);
    command(1, READ_MEM);
    command(1, PAUSE); /* gives it up */
    ck_assert_uint_eq(dr_read(1, 0) & PAUSED, PAUSED);
    put(AGENT_B, 0xffec1000, 0x4343);
    ck_assert_uint_eq(dr_read(1, 4), 0x4242);
    ck_assert_uint_eq(read_memory(1, 0xffec0000), 0x4343);
}

/* A load that waits for a mailbox begins anew after a pause; a step ends with it. */
TEST_EACH(waiting_harts_pause, 2)
{
    static const char reader[] = "lui a0, 0xffec0; lw a1, 0(a0); addi a2, a1, 1; "
                                 "1: jal zero, 1b";
    bool steps = _i;
    harness_assemble(H, VICTIM, reader);
    harness_release(H, RV32_T0, VICTIM);
    tile_run(harness.tile, 256);
    ck_assert_int_eq(harness.tile->run[RV32_T0].state, HART_WAITING);
    command(1, PAUSE);
    ck_assert_uint_eq(dr_read(1, 0), PAUSED);
    ck_assert_uint_eq(gpr(1, 32), VICTIM + 4);
    if (steps) {
        step(1);
        ck_assert_uint_eq(dr_read(1, 0), 0);
    }
    put(AGENT_B, 0xffec1000, 0x55);
    tile_run(harness.tile, harness.tile->now + 256);
    if (steps) {
        ck_assert_uint_eq(dr_read(1, 0), PAUSED);
        ck_assert_uint_eq(gpr(1, 32), VICTIM + 8);
    }
    ck_assert_uint_eq(gpr(1, 11), steps ? 0x55 : 0);
    ck_assert_uint_eq(gpr(1, 12), 0);
    command(1, GO_ON);
    tile_run(harness.tile, harness.tile->now + 256);
    command(1, PAUSE);
    ck_assert_uint_eq(gpr(1, 11), 0x55);
    ck_assert_uint_eq(gpr(1, 12), 0x56);
    ck_assert_uint_eq(harness.tile->mailboxes.box[RV32_B][RV32_T0].count, 0);
    ck_assert_uint_eq(harness.faults + harness.unmodelled, 0);
}

TEST(held_harts_take_no_commands)
{
    dr_write(1, 2, 5);
    ck_assert_uint_eq(dr_read(1, 2), 0);
    put(AGENT_NOC, REG(0x224), 1 << 1); /* DISABLE_RESET of T0's registers */
    dr_write(1, 2, 5);
    ck_assert_uint_eq(dr_read(1, 2), 5);
    start_victim(1);
    ck_assert_uint_eq(dr_read(1, 2), 5);
    set_watch(1, 0, 8, 0x1000);
    put(AGENT_NOC, REG(0x1b0), 0x47800);
    ck_assert_uint_eq(dr_read(1, 5), 8);
    put(AGENT_NOC, REG(0x224), 0);
    put(AGENT_NOC, REG(0x1b0), 0x46800);
    put(AGENT_NOC, REG(0x1b0), 0x47800);
    ck_assert_uint_eq(dr_read(1, 5), 0);
    ck_assert(!harness.tile->run[RV32_T0].step);
}

/* Nobody answers for a hart that the tile does not have. */
TEST_EACH(other_tiles_have_other_harts, 2)
{
    unsigned hart = (unsigned)_i;
    open_ethernet();
    harness_assemble(H, VICTIM, victim);
    release_ethernet(hart, VICTIM);
    tile_run(harness.tile, 256);
    ck_assert_uint_eq(dr_read(hart, 0), PAUSED | EBREAK);
    ck_assert_uint_eq(dr_read(1 - hart, 0), 0);
    step(hart);
    ck_assert_uint_eq(gpr(hart, 32), VICTIM + 8);
    ck_assert_uint_eq(gpr(hart, 12), 3);
    ck_assert_uint_eq(harness.faults + harness.unmodelled, 0);
    for (unsigned absent = 2; absent < 4; absent++) {
        put(AGENT_NOC, REG(DBG_CONTROL_0), 0x80000000 + (absent << 17) + 5);
        ck_assert_uint_eq(get(AGENT_NOC, REG(DBG_STATUS_0)) >> 30, 2); /* no valid bit */
        ck_assert_uint_eq(get(AGENT_NOC, REG(DBG_STATUS_1)), 0);
        put(AGENT_NOC, REG(DBG_CONTROL_0), 0);
        dr_write(absent, 1, SLOW | PAUSE);
        ck_assert_uint_eq(harness.unmodelled, 2 * (absent - 1));
    }
    ck_assert_uint_eq(dr_read(hart, 0), PAUSED);
}

TEST(status_echoes_control)
{
    put(AGENT_NOC, REG(DBG_CONTROL_0), 0x80010000 | 2u << 17 | 3);
    ck_assert_uint_eq(get(AGENT_NOC, REG(DBG_STATUS_0)), 0x80000000 | 1u << (13 + 2) | 3);
    put(AGENT_NOC, REG(DBG_CONTROL_0), 0);
    put(AGENT_NOC, REG(DBG_STATUS_0), 0xffffffff);
    ck_assert_uint_eq(get(AGENT_NOC, REG(DBG_STATUS_0)), 0);
    put(AGENT_NOC, REG(DBG_CONTROL_0), 0x80000000 | 1);
    ck_assert_uint_eq(get(AGENT_NOC, REG(DBG_STATUS_0)), 0xc0000001);
}

/* BRISC pauses TRISC0, and itself. */
TEST(harts_pause_harts)
{
    static const char program[] =
        "lui s0, 0xffb12; addi t0, zero, 1; sw t0, 0x84(s0); lui t1, 0x80030; addi t1, t1, 1; "
        "sw t1, 0x80(s0); sw zero, 0x80(s0); sw t0, 0x400(zero); lui t1, 0x80010; addi t1, t1, 1; "
        "sw t1, 0x80(s0); sw t0, 0x404(zero); ebreak";
    static const char spin[] = "1: addi a0, a0, 1; jal zero, 1b";
    harness_assemble(H, 0x1000, program);
    harness_assemble(H, 0x2000, spin);
    harness_release(H, RV32_T0, 0x2000);
    harness_release(H, RV32_B, 0x1000);
    tile_run(harness.tile, 2560);
    ck_assert_int_eq(harness.tile->run[RV32_T0].state, HART_PAUSED);
    ck_assert_int_eq(harness.tile->run[RV32_B].state, HART_PAUSED);
    ck_assert_uint_eq(harness_word(H, 0x400), 1);
    ck_assert_uint_eq(harness_word(H, 0x404), 0);
    ck_assert_uint_eq(harness.tile->hart[RV32_B].pc, 0x102c);
}
