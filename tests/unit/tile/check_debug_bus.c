/* The daisychain of the debug registers. */
#include "unit/tile/mmio_harness.h"
#include "tile/debug_internal.h"

FIXTURE(harness_setup, harness_teardown);

#define REG(offset) (UINT32_C(0xffb12000) + (uint32_t)(offset))

static const enum rv32_core tensix_cores[] = {RV32_B, RV32_T0, RV32_T1, RV32_T2};

#define BUS(daisy, signal, word) (1u << 29 | (word) << 25 | (daisy) << 16 | (signal))

static uint32_t read_signal(uint32_t control)
{
    put(AGENT_NOC, REG(0x054), control);
    uint32_t value = get(AGENT_NOC, REG(0x05c));
    put(AGENT_NOC, REG(0x054), 0);
    return value;
}

TEST_EACH(daisychain_shows_pcs, 5)
{
    static const struct {
        enum rv32_core core;
        uint32_t signal;
    } cases[] = {{RV32_B, 11}, {RV32_T0, 13}, {RV32_T1, 15}, {RV32_T2, 17}, {RV32_NC, 25}};
    static const char spin[] = "1: jal zero, 1b";
    harness_assemble(H, 0x4560, spin);
    ck_assert_uint_eq(read_signal(BUS(7u, cases[_i].signal, 1u)) >> 31, 0);
    harness_release(H, cases[_i].core, 0x4560);
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(read_signal(BUS(7u, cases[_i].signal, 1u)), 0x80004560);
    ck_assert_uint_eq(read_signal(BUS(7u, cases[_i].signal - 1, 0u)), 0x80004560);
    ck_assert_uint_eq(read_signal(BUS(7u, cases[_i].signal - 1, 2u)), 0x4560);
    ck_assert_uint_eq(harness.unmodelled, 0);
}

TEST_EACH(daisychain_shows_other_harts, 2)
{
    static const char spin[] = "1: jal zero, 1b";
    const uint32_t group_a = 18 + 2 * (uint32_t)_i;
    tile_destroy(harness.tile); /* an Ethernet tile takes its place */
    harness.tile = tile_create(TILE_ETHERNET, 1, 1, harness.store, &harness.board, &harness);
    ck_assert_ptr_nonnull(harness.tile);
    harness_assemble(H, 0x4560, spin);
    ck_assert_uint_eq(read_signal(BUS(7u, group_a + 1, 1u)) >> 31, 0);
    put(AGENT_NOC, REG(0x1b0), _i ? 1u << 11 : 1u << 12);
    harness.tile->hart[_i ? RV32_NC : RV32_B].pc = 0x4560;
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(read_signal(BUS(7u, group_a + 1, 1u)), 0x80004560);
    ck_assert_uint_eq(read_signal(BUS(7u, group_a, 3u)), 0x8000006f);
    ck_assert_uint_eq(harness.unmodelled, 0);
    ck_assert_uint_eq(read_signal(BUS(7u, 12u, 0u)), 0); /* a worker's */
    ck_assert_uint_eq(harness.unmodelled, 1);
}

/* A hart loads from the mailbox that B writes to. */
TEST_RANGE(daisychain_shows_waiting_loads, 1, 3)
{
    static const char program[] = "lui a0, 0xffec0; lw a1, 0(a0); "
                                  "1: jal zero, 1b";
    const uint32_t all = 15u << 19, reader = (uint32_t)_i;
    const uint32_t group_a = 10 + 2 * reader, mailbox = 0xffec0000 + 0x1000 * reader;
    harness_assemble(H, 0x4560, program);
    ck_assert_uint_eq(read_signal(BUS(7u, 1u, 3u)), all);
    harness_release(H, tensix_cores[reader], 0x4560);
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(read_signal(BUS(7u, group_a, 0u)), 0x80004564);
    ck_assert_uint_eq(read_signal(BUS(7u, group_a, 1u)), 0x7fec0000);
    ck_assert_uint_eq(read_signal(BUS(7u, group_a, 3u)),
                      harness_word(H, 0x4564) | UINT32_C(0x80000000));
    ck_assert_uint_eq(read_signal(BUS(7u, 1u, 3u)), all & ~(1u << (19 + reader)));
    ck_assert_uint_eq(read_signal(BUS(7u, 22u, 3u)), 15u << 10); /* nobody waits for T2 */
    put(AGENT_B, mailbox, 7);
    ck_assert_uint_eq(read_signal(BUS(7u, 1u, 3u)), all);
    tile_run(harness.tile, 2560);
    ck_assert_uint_eq(read_signal(BUS(7u, group_a, 1u)), 0);
    ck_assert_uint_eq(harness.faults + harness.unmodelled, 0);
}

TEST_EACH(daisychain_shows_pc_bufs, 3)
{
    static const char program[] = "lui a0, 0xffe80; lw a1, 0(a0); lw a1, 4(a0); "
                                  "1: jal zero, 1b";
    enum { MAILBOXES = 15 << 10, EMPTY = 1 << 23, FULL = 1 << 24 };
    const uint32_t reads = UINT32_C(1) << 31, thread = (uint32_t)_i;
    const uint32_t group_c = 18 + 2 * thread, group_d = group_c + 1;
    harness_assemble(H, 0x4560, program);
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 0u)), EMPTY);
    harness_release(H, tensix_cores[1 + thread], 0x4560);
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 0u)), EMPTY | reads);
    for (unsigned i = 0; i < PC_BUF_DEPTH; i++) {
        put(AGENT_B, 0xffe80000 + 0x10000 * thread, 0x12345678);
    }
    ck_assert_uint_eq(read_signal(BUS(7u, group_c, 3u)), MAILBOXES | 0x078u << 23);
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 0u)), 0x12345678 >> 9 | FULL | reads);
    tile_run(harness.tile, 2560);
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 0u)), 0x12345678 >> 9);
    ck_assert_uint_eq(harness.faults + harness.unmodelled, 0);
}

/* The FIFO before the MOP expander, then the instruction at the wait gate. */
TEST_EACH(daisychain_shows_instructions, 3)
{
    const uint32_t semwait = 0xa6008005; /* a second one waits while semaphore 0 is 0 */
    const uint32_t nop = 0x02000000;
    const uint32_t thread = (uint32_t)_i, group_d = 19 + 2 * thread, gate = 12 - 4 * thread;
    const enum tile_agent trisc = (enum tile_agent)(AGENT_T0 + _i);
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 3u)), 1u << 30);
    ck_assert_uint_eq(read_signal(BUS(1u, gate, 2u)), 1u << 9 | 1u << 12);
    put(trisc, 0xffe40000, semwait);
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 0u)) >> 26 & 1, 1); /* busy */
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 2u)), semwait << 22);
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 3u)), semwait >> 10 | 1u << 22);
    put(trisc, 0xffe40000, semwait);
    for (unsigned i = 1; i < TENSIX_FIFO_ACCEPTS; i++) {
        put(trisc, 0xffe40000, nop);
    }
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 3u)) >> 29, 1);
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(read_signal(BUS(1u, gate, 1u)), semwait << 8);
    ck_assert_uint_eq(read_signal(BUS(1u, gate, 2u)), semwait >> 24 | 1u << 12);
    for (unsigned i = 0; i < TENSIX_BACK_DEPTH; i++) {
        put(AGENT_B, 0xffe40000 + 0x10000 * thread, nop);
    }
    ck_assert_uint_eq(read_signal(BUS(1u, gate, 2u)), semwait >> 24 | 1u << 11);
    put(trisc, 0xffe80020, 0); /* increments semaphore 0 */
    tile_run(harness.tile, 2560);
    ck_assert_uint_eq(read_signal(BUS(7u, group_d, 3u)), 1u << 30);
    ck_assert_uint_eq(read_signal(BUS(1u, gate, 2u)), 1u << 9 | 1u << 12);
    ck_assert_uint_eq(harness.faults + harness.unmodelled, 0);
}

TEST(daisychain_tests_itself)
{
    ck_assert_uint_eq(read_signal(BUS(3u, 255u, 0u)), 3);
    ck_assert_uint_eq(read_signal(BUS(3u, 255u, 1u)), 0xa5a5a5a5);
    ck_assert_uint_eq(read_signal(BUS(3u, 255u, 2u)), 0x5a5a5a5a);
    ck_assert_uint_eq(read_signal(BUS(3u, 255u, 3u)), 0xa5a5a5a5);
    ck_assert_uint_eq(read_signal(3u << 16 | 255), 0); /* not enabled */
    ck_assert_uint_eq(harness.unmodelled, 0);
    ck_assert_uint_eq(read_signal(BUS(1u, 9u, 2u)), 0);
    ck_assert_uint_eq(harness.unmodelled, 1);
}

TEST(daisychain_writes_l1)
{
    put(AGENT_NOC, REG(0x054), BUS(2u, 255u, 0u));
    put(AGENT_NOC, REG(0x050), 0xf);
    put(AGENT_NOC, REG(0x048), 0x1000 >> 4);
    put(AGENT_NOC, REG(0x050), 1);
    for (uint32_t n = 0; n < 2; n++) {
        ck_assert_uint_eq(harness_word(H, 0x1000 + 16 * n), 0);
        put(AGENT_NOC, REG(0x050), 1 | 1 << 12);
        put(AGENT_NOC, REG(0x050), 1);
        ck_assert_uint_eq(harness_word(H, 0x1000 + 16 * n), 2);
        ck_assert_uint_eq(harness_word(H, 0x100c + 16 * n), 0xa5a5a5a5);
    }
    put(AGENT_NOC, REG(0x050), 0xf);
    put(AGENT_NOC, REG(0x048), 0x100000 >> 4);
    put(AGENT_NOC, REG(0x050), 0);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_NOC, REG(0x050), 1 << 12), ANSWER_UNMAPPED);
}

TEST(daisychain_samples)
{
    put(AGENT_NOC, REG(0x054), BUS(2u, 255u, 0u));
    put(AGENT_NOC, REG(0x050), 0xf);
    put(AGENT_NOC, REG(0x048), 0x1000 >> 4);
    put(AGENT_NOC, REG(0x04c), (0x1000 >> 4) + 5);
    put(AGENT_NOC, REG(0x050), 4 | 199 << 4);
    put(AGENT_NOC, REG(0x050), 4 | 199 << 4 | 1 << 12);
    put(AGENT_NOC, REG(0x050), 4 | 199 << 4);
    tile_run(harness.tile, 512);
    ck_assert_uint_eq(harness_word(H, 0x1000), 2);
    ck_assert_uint_eq(harness_word(H, 0x1000 + 16 * 4), 0);
    tile_run(harness.tile, 2560);
    ck_assert_uint_eq(harness_word(H, 0x1000 + 16 * 4), 2);
    ck_assert_uint_eq(harness_word(H, 0x1000 + 16 * 5), 0);
    ck_assert_uint_eq(debug_next_event(harness.tile), UINT64_MAX);
}

/* Straight code, of which each sample shows a later instruction. */
TEST(daisychain_samples_the_cycle)
{
    enum { SAMPLES = 20, FROM = 0x4000, TO = 0x5000 };
    uint32_t last = 0;
    for (uint32_t at = FROM; at < TO; at += 4) {
        harness_set_word(H, at, 0x00150513); /* addi a0, a0, 1 */
    }
    harness_set_word(H, TO, 0x0000006f);
    harness_release(H, RV32_T1, FROM);
    put(AGENT_NOC, REG(0x054), BUS(7u, 14u, 0u));
    put(AGENT_NOC, REG(0x050), 0xf);
    put(AGENT_NOC, REG(0x048), 0x1000 >> 4);
    put(AGENT_NOC, REG(0x04c), (0x1000 >> 4) + SAMPLES);
    put(AGENT_NOC, REG(0x050), 4 | 10 << 4 | 1 << 12);
    tile_run(harness.tile, 256);
    ck_assert_uint_eq(debug_next_event(harness.tile), UINT64_MAX);
    ck_assert_uint_eq(harness.tile->now, 256);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint32_t pc = harness_word(H, 0x1000 + 16 * i) & 0x7fffffff;
        ck_assert_uint_gt(pc, last);
        ck_assert_uint_lt(pc, TO);
        last = pc;
    }
}
