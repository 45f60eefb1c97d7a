/* The windows to the coprocessor: MOP configuration, GPRs, instruction push, configuration. */
#include <string.h>

#include "unit/tile/mmio_harness.h"

FIXTURE(harness_setup, harness_teardown);

#define MOP_CFG(i)   (UINT32_C(0xffb80000) + 4 * (uint32_t)(i))
#define GPR(i)       (UINT32_C(0xffe00000) + 4 * (uint32_t)(i))
#define PUSH(i)      (UINT32_C(0xffe40000) + UINT32_C(0x10000) * (uint32_t)(i))
#define CONFIG(i)    (UINT32_C(0xffef0000) + 4 * (uint32_t)(i))
#define SOFT_RESET   UINT32_C(0xffb121b0)
#define INSTRN_CTRL0 UINT32_C(0xffb120a0)

enum { STATE_RESET_EN = 4, THCON = 64, GLOBAL = 180, IC_INVALIDATE = 185, TAG_SEARCH = 212 };
enum { STATE_1 = 224, DUAL = 448, THREAD = 672 };

TEST_EACH(mop_configuration_is_write_only, 3)
{
    enum tile_agent trisc = (enum tile_agent)(AGENT_T0 + _i);
    for (unsigned i = 0; i < 9; i++) {
        put(trisc, MOP_CFG(i), 0x100 + i);
        ck_assert_uint_eq(harness.tile->tensix.thread[_i].mop.config[i], 0x100 + i);
        ck_assert_uint_eq(peek(trisc, MOP_CFG(i)), 0x100 + i);
        ck_assert_int_eq(try_access(MMIO_READ, trisc, MOP_CFG(i), 0), ANSWER_UNMAPPED);
    }
    ck_assert_int_eq(try_access(MMIO_WRITE, trisc, MOP_CFG(9), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, MOP_CFG(0), 0), ANSWER_UNMAPPED);
}

TEST_EACH(gprs_of_each_thread, 3)
{
    enum tile_agent trisc = (enum tile_agent)(AGENT_T0 + _i);
    struct tile_hart *sleeper = &harness.tile->run[RV32_NC];
    sleeper->idle.place[0] = (struct rv32_idle_place){.address = GPR(0), .size = 4};
    sleeper->idle.places = 1;
    put(trisc, GPR(0), 1);
    ck_assert_uint_eq(harness.tile->epoch, 0); /* nobody waits for a GPR */
    sleeper->state = HART_ASLEEP;              /* now somebody waits for one, at whatever address */
    tile_polls(harness.tile, RV32_NC, (struct tile_span){0});
    for (unsigned i = 0; i < 64; i++) {
        ck_assert_event(put(trisc, GPR(i), 0xa0b0c000 + i));
        ck_assert_uint_eq(get(trisc, GPR(i)), 0xa0b0c000 + i);
        ck_assert_uint_eq(get(AGENT_B, GPR(64u * (unsigned)_i + i)), 0xa0b0c000 + i);
        ck_assert_uint_eq(harness.tile->tensix.gpr[_i][i], 0xa0b0c000 + i);
    }
    put(AGENT_B, GPR(64u * (unsigned)_i + 63), 5);
    ck_assert_uint_eq(get(trisc, GPR(63)), 5);
    ck_assert_uint_eq(get(trisc, GPR(64 + 63)), 5); /* a TRISC's bank repeats */
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, GPR(192), 0), ANSWER_UNMAPPED);
    uint32_t value = 0;
    ck_assert_int_eq(try_narrow(MMIO_READ, trisc, GPR(0) + 2, 2, &value), ANSWER_DONE);
    ck_assert_uint_eq(value, 0xa0b0);
    ck_assert_int_eq(try_narrow(MMIO_WRITE, trisc, GPR(0) + 2, 2, &value), ANSWER_NARROW);
}

/* What stores of a hart to GPRs lead to. */
struct outcome {
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];
    enum hart_state state;
    enum penrose_fault_kind fault;
    uint32_t pc;
    bool is_woken;
};

static struct outcome run_stores(enum rv32_core core, bool is_traced, bool waits, const char *store)
{
    const char *const lines[] = {"lui a5, 0xffe00",   "lui a6, 0xffe01",
                                 "addi a0, zero, 77", "sw a0, 4(a5)",
                                 "addi a0, a0, 1",    "sw a0, 260(a5)",
                                 "addi a0, a0, 1",    "sw a0, 252(a5)",
                                 "addi a0, a0, 1",    store,
                                 "jal zero, 0x1028",  NULL};
    struct outcome outcome = {0};
    harness_teardown(); /* of what ran before */
    harness_setup();
    struct tile *tile = harness.tile;
    struct tile_hart *sleeper = &tile->run[core == RV32_NC ? RV32_B : RV32_NC];
    harness_look(tile, is_traced); /* then all goes through tile_access() */
    if (waits) {
        tile->tensix.thread_config[core - RV32_T0][56] = 0x1f;
        tile->tensix.thread[core - RV32_T0].front.count = 1;
        tile->tensix.thread[core - RV32_T0].front.entry[0].word = 0x01000000;
    }
    harness_assemble_lines(H, 0x1000, lines);
    harness_release(H, core, 0x1000);
    sleeper->state = HART_ASLEEP;
    sleeper->idle = (struct rv32_idle){.period = 1, .wake = UINT64_MAX, .places = 1};
    sleeper->idle.place[0] = (struct rv32_idle_place){.address = GPR(1), .size = 4};
    tile_polls(tile, (enum rv32_core)(sleeper - tile->run), (struct tile_span){0});
    uint64_t epoch = tile->epoch;
    tile->restless = true;
    tile_run(tile, 128);
    memcpy(outcome.gpr, tile->tensix.gpr, sizeof outcome.gpr);
    outcome.state = tile->run[core].state;
    outcome.fault = harness.faults ? harness.fault.kind : 0;
    outcome.pc = tile->hart[core].pc;
    outcome.is_woken = tile->epoch != epoch;
    return outcome;
}

static void compare_stores(enum rv32_core core, bool waits, const char *store)
{
    struct outcome quick = run_stores(core, false, waits, store);
    struct outcome traced = run_stores(core, true, waits, store);
    ck_assert_int_eq(quick.state, traced.state);
    ck_assert_int_eq(quick.fault, traced.fault);
    ck_assert_uint_eq(quick.pc, traced.pc);
    ck_assert(quick.is_woken == traced.is_woken);
    ck_assert(memcmp(quick.gpr, traced.gpr, sizeof quick.gpr) == 0);
}

/* An observed hart stores as any other. */
TEST_EACH(stores_of_harts, RV32_CORES)
{
    static const char *const stores[] = {"sw a0, -4(a6)",  "sw a0, 0(a6)", "sw a0, 764(a5)",
                                         "sw a0, 768(a5)", "sh a0, 8(a5)", "sw a0, 2(a5)"};
    for (unsigned i = 0; i < sizeof stores / sizeof *stores; i++) {
        compare_stores((enum rv32_core)_i, false, stores[i]);
    }
}

TEST_EACH(stores_of_triscs, 3)
{
    enum rv32_core core = (enum rv32_core)(RV32_T0 + _i);
    struct outcome outcome = run_stores(core, false, false, "sw a0, -4(a6)");
    ck_assert_uint_eq(outcome.gpr[_i][1], 78); /* 256 bytes further the bank comes again */
    ck_assert_uint_eq(outcome.gpr[_i][63], 80);
    ck_assert(outcome.is_woken);
    outcome = run_stores(core, false, true, "sw a0, -4(a6)");
    ck_assert_int_eq(outcome.state, HART_WAITING);
    ck_assert_uint_eq(outcome.gpr[_i][1], 0);
    compare_stores(core, true, "sw a0, -4(a6)");
}

TEST_EACH(b_pushes_to_any_thread, 3)
{
    ck_assert_event(put(AGENT_B, PUSH(_i), 0x02000000));
    put(AGENT_B, PUSH(_i) + 0xfffc, 0x02000001);
    ck_assert_uint_eq(harness.tile->tensix.thread[_i].back.count, 2);
    ck_assert_uint_eq(harness.tile->tensix.thread[_i].back.entry[1].word, 0x02000001);
    ck_assert_uint_eq(harness.tile->tensix.thread[_i].back.entry[1].origin.pusher, TENSIX_BY_B);
}

TEST_EACH(triscs_push_to_their_own, 3)
{
    enum tile_agent trisc = (enum tile_agent)(AGENT_T0 + _i);
    put(trisc, PUSH(0), 0x02000000);
    ck_assert_uint_eq(harness.tile->tensix.thread[_i].front.count, 1);
    ck_assert_int_eq(try_access(MMIO_WRITE, trisc, PUSH(1), 0), ANSWER_HANG);
    ck_assert_int_eq(try_access(MMIO_WRITE, trisc, PUSH(2), 0), ANSWER_HANG);
    ck_assert_int_eq(try_access(MMIO_READ, trisc, PUSH(0), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_NC, PUSH(0), 0), ANSWER_UNMAPPED);
    uint32_t value = 0;
    ck_assert_int_eq(try_narrow(MMIO_WRITE, trisc, PUSH(0), 2, &value), ANSWER_NARROW);
    ck_assert_int_eq(try_access(MMIO_POKE, trisc, PUSH(0), 0), ANSWER_DONE);
    ck_assert_uint_eq(harness.tile->tensix.thread[_i].front.count, 1);
}

TEST(full_fifo_makes_wait)
{
    for (unsigned i = 0; i < 29; i++) {
        put(AGENT_T1, PUSH(0), 0x02000000);
    }
    ck_assert_no_event(ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_T1, PUSH(0), 0), ANSWER_WAIT));
    for (unsigned i = 0; i < 8; i++) { /* B has a FIFO behind the MOP expander */
        put(AGENT_B, PUSH(1), 0x02000000);
    }
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, PUSH(1), 0), ANSWER_WAIT);
}

TEST(debug_bus_takes_the_fifo)
{
    put(AGENT_NOC, INSTRN_CTRL0, 1);
    put(AGENT_T0, PUSH(0), 0x02000000);
    put(AGENT_T1, PUSH(0), 0x02000000);
    ck_assert_uint_eq(harness.tile->tensix.thread[0].front.count, 0);
    ck_assert_uint_eq(harness.tile->tensix.thread[1].front.count, 1);
}

/* A hart's .ttinsn and store loop of 100 instructions all leave the coprocessor. */
TEST(pushes_of_a_program_drain)
{
    static const char program[] =
        "lui s0, 0xffe40; lui t1, 0x02000; addi t0, zero, 100; "
        "1: sw t1, 0(s0); addi t0, t0, -1; bne t0, zero, 1b; .ttinsn 0x02000000; lui s1, 0xffe80; "
        "sw zero, 4(s1); lw t2, 4(s1); sw t0, 0x400(zero); ebreak";
    harness_set_word(H, 0x400, 1);
    harness_assemble(H, 0x1000, program);
    harness_release(H, RV32_T2, 0x1000);
    tile_run(harness.tile, 128 * 10);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_int_eq(harness.tile->run[RV32_T2].state, HART_PAUSED);
    ck_assert_uint_eq(harness_word(H, 0x400), 0);
    ck_assert_uint_eq(harness.tile->tensix.thread[2].drained, 101);
}

/* --- Configuration --- */

TEST(states_are_separate_below_the_globals)
{
    put(AGENT_T0, CONFIG(10), 1);
    put(AGENT_B, CONFIG(STATE_1 + 10), 2);
    ck_assert_uint_eq(get(AGENT_T1, CONFIG(10)), 1);
    ck_assert_uint_eq(get(AGENT_T1, CONFIG(STATE_1 + 10)), 2);
    put(AGENT_T0, CONFIG(DUAL + 10), 3);
    ck_assert_uint_eq(get(AGENT_T1, CONFIG(10)), 3);
    ck_assert_uint_eq(get(AGENT_T1, CONFIG(STATE_1 + 10)), 3);
    ck_assert_uint_eq(get(AGENT_T1, CONFIG(DUAL + 10)), 3);
    ck_assert_event(put(AGENT_T0, CONFIG(GLOBAL), 4));
    ck_assert_uint_eq(get(AGENT_T1, CONFIG(STATE_1 + GLOBAL)), 4);
    put(AGENT_T0, CONFIG(STATE_1 + GLOBAL + 43), 5);
    ck_assert_uint_eq(get(AGENT_T1, CONFIG(GLOBAL + 43)), 5);
    ck_assert_uint_eq(harness.unmodelled, 0);
}

TEST(state_reset_clears_one_state)
{
    for (unsigned i = 0; i < 224; i++) {
        if (i != STATE_RESET_EN && i != IC_INVALIDATE) {
            put(AGENT_B, CONFIG(DUAL + i), i + 1);
        }
    }
    put(AGENT_B, CONFIG(STATE_1 + STATE_RESET_EN), 0);
    for (unsigned i = 5; i < 180; i++) {
        ck_assert_uint_eq(get(AGENT_B, CONFIG(i)), i + 1);
        ck_assert_uint_eq(get(AGENT_B, CONFIG(STATE_1 + i)), 0);
    }
    ck_assert_uint_eq(get(AGENT_B, CONFIG(STATE_1 + GLOBAL)), GLOBAL + 1);
}

TEST(thread_configuration_is_read_only)
{
    harness.tile->tensix.thread_config[2][67] = 0x1234;
    ck_assert_uint_eq(get(AGENT_B, CONFIG(THREAD + 2 * 68 + 67)), 0x1234);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_T2, CONFIG(THREAD), 1), ANSWER_READ_ONLY);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T2, CONFIG(THREAD + 204), 1), ANSWER_UNMAPPED);
    uint32_t value = 0;
    ck_assert_int_eq(try_narrow(MMIO_WRITE, AGENT_T2, CONFIG(0), 1, &value), ANSWER_NARROW);
}

/* Decoded code follows memory, so invalidating caches leaves it alone; a hart may do it in the code
 * that it runs. */
TEST(ic_invalidate_is_stored)
{
    static const char program[] = "lui s0, 0xffef0; addi t0, zero, 31; sw t0, 0x2e4(s0); ebreak";
    static const char other[] = "addi t0, zero, 7; ebreak";
    struct rv32_page **page = &harness.tile->code.map[0x1000 >> RV32_PAGE_SHIFT];
    harness_assemble(H, 0x1000, program);
    harness_release(H, RV32_B, 0x1000);
    tile_run(harness.tile, 128);
    ck_assert_int_eq(harness.tile->run[RV32_B].state, HART_PAUSED);
    ck_assert_uint_eq(harness.tile->hart[RV32_B].pc, 0x1010);
    ck_assert_uint_eq(get(AGENT_B, CONFIG(IC_INVALIDATE)), 31);
    const struct rv32_page *decoded = *page;
    ck_assert_ptr_nonnull(decoded);
    put(AGENT_B, CONFIG(STATE_1 + IC_INVALIDATE), 1);
    ck_assert_ptr_eq(*page, decoded);
    harness_assemble(H, 0x1000, other);
    harness.tile->hart[RV32_B].pc = 0x1000;
    tile_resume(harness.tile, RV32_B, harness.tile->now);
    tile_run(harness.tile, 256);
    ck_assert_uint_eq(harness.tile->hart[RV32_B].pc, 0x1008);
    ck_assert_uint_eq(harness.tile->hart[RV32_B].x[5], 7);
}

TEST(tag_search_is_stored_and_reported)
{
    put(AGENT_T0, CONFIG(TAG_SEARCH), 77);
    ck_assert_uint_eq(get(AGENT_T0, CONFIG(TAG_SEARCH)), 77);
    ck_assert_uint_eq(harness.unmodelled, 1);
}

TEST(thcon_reset_clears_and_holds)
{
    put(AGENT_B, CONFIG(THCON), 1);
    put(AGENT_B, CONFIG(THCON - 1), 2);
    put(AGENT_B, CONFIG(GLOBAL), 3);
    put(AGENT_NOC, SOFT_RESET, 0x47800 | 1 << 9);
    ck_assert_uint_eq(get(AGENT_B, CONFIG(THCON)), 0);
    ck_assert_uint_eq(get(AGENT_B, CONFIG(THCON - 1)), 2);
    ck_assert_uint_eq(get(AGENT_B, CONFIG(GLOBAL)), 3);
    put(AGENT_B, CONFIG(THCON), 4);
    ck_assert_uint_eq(get(AGENT_B, CONFIG(THCON)), 0);
    put(AGENT_NOC, SOFT_RESET, 0x47800);
    put(AGENT_B, CONFIG(THCON), 4);
    ck_assert_uint_eq(get(AGENT_B, CONFIG(THCON)), 4);
}

TEST(auto_ttsync_makes_wait)
{
    harness.tile->tensix.thread_config[0][56] = 0x1f;
    put(AGENT_T0, PUSH(0), 0x01000000); /* a MOP may use everything */
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, GPR(0), 0), ANSWER_WAIT);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_T0, CONFIG(0), 0), ANSWER_WAIT);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_T0, 0xffb11000, 0), ANSWER_WAIT);
    ck_assert_int_eq(try_access(MMIO_PEEK, AGENT_T0, GPR(0), 0), ANSWER_DONE);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, GPR(0), 0), ANSWER_DONE);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T1, GPR(0), 0), ANSWER_DONE);
}
