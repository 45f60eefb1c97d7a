/* Mailboxes, PCBufs, TTSync and the semaphore window. */
#include <stdio.h>
#include <string.h>

#include "unit/guest_program.h"
#include "unit/tile/mmio_harness.h"

FIXTURE(harness_setup, harness_teardown);

#define SEMINIT      UINT32_C(0xa3000000)
#define MOP          UINT32_C(0x01000000)
#define NOP          UINT32_C(0x02000000)
#define MOP_CONFIG   UINT32_C(0xffb80000)
#define MAILBOX(i)   (UINT32_C(0xffec0000) + UINT32_C(0x1000) * (i))
#define PC_BUF       UINT32_C(0xffe80000)
#define B_PC_BUF(i)  (PC_BUF + UINT32_C(0x10000) * (i))
#define CORE_DONE    (PC_BUF + 4)
#define MOP_DONE     (PC_BUF + 8)
#define SEMAPHORE(i) (PC_BUF + 0x20 + 4 * (i))
#define OVERRIDE     UINT32_C(0xffb12090)
#define PUSH         UINT32_C(0xffe40000)
#define SOFT_RESET   UINT32_C(0xffb121b0)

/* Every pair of harts: what `from` writes at the other's base, `to` reads at the writer's. */
TEST_EACH(mailbox_connects_a_pair, 16)
{
    enum tile_agent from = (enum tile_agent)(_i / 4), to = (enum tile_agent)(_i % 4);
    ck_assert_uint_eq(get(to, MAILBOX((uint32_t)from) + 4), 0);
    ck_assert_int_eq(try_access(MMIO_READ, to, MAILBOX((uint32_t)from), 0), ANSWER_WAIT);
    ck_assert_event(put(from, MAILBOX((uint32_t)to), 0x1234));
    put(from, MAILBOX((uint32_t)to) + 8, 0x5678);
    ck_assert_uint_eq(get(to, MAILBOX((uint32_t)from) + 4), 1);
    ck_assert_uint_eq(peek(to, MAILBOX((uint32_t)from)), 0x1234);
    ck_assert_event(ck_assert_uint_eq(get(to, MAILBOX((uint32_t)from)), 0x1234));
    ck_assert_uint_eq(get(to, MAILBOX((uint32_t)from) + 0x10), 0x5678);
    ck_assert_uint_eq(get(to, MAILBOX((uint32_t)from) + 4), 0);
}

/* A mailbox has all of its 4 KiB: a store pushes wherever it goes, and bit 2 of a load's address
 * tells a question from a pop. */
TEST_EACH(mailbox_answers_at_any_offset, 5)
{
    static const uint32_t offsets[] = {0, 4, 8, 0x7fc, 0xff8};
    uint32_t offset = offsets[_i];
    put(AGENT_B, MAILBOX(2) + offset, 0x1234);
    ck_assert_uint_eq(get(AGENT_T1, MAILBOX(0) + (offset ^ 4) % 8), offset & 4 ? 0x1234 : 1);
    put(AGENT_B, MAILBOX(2), 0x5678);
    ck_assert_uint_eq(get(AGENT_T1, MAILBOX(0) + offset), offset & 4 ? 1 : 0x1234);
    ck_assert_uint_eq(get(AGENT_T1, MAILBOX(0) + (offset & ~4u)), 0x5678);
    ck_assert_uint_eq(get(AGENT_T1, MAILBOX(0) + (offset | 4)), 0);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T1, MAILBOX(0) + (offset & ~4u), 0), ANSWER_WAIT);
}

TEST(mailboxes_of_a_writer_hold_four)
{
    put(AGENT_T1, MAILBOX(0), 1);
    put(AGENT_T1, MAILBOX(1), 2);
    put(AGENT_T1, MAILBOX(2), 3);
    put(AGENT_T1, MAILBOX(2), 4);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_T1, MAILBOX(3), 5), ANSWER_WAIT);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_T0, MAILBOX(3), 5), ANSWER_DONE);
    ck_assert_uint_eq(get(AGENT_B, MAILBOX(2)), 1);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_T1, MAILBOX(3), 5), ANSWER_DONE);
}

TEST(mailbox_takes_words)
{
    uint32_t value = 1;
    ck_assert_int_eq(try_narrow(MMIO_WRITE, AGENT_B, MAILBOX(1), 2, &value), ANSWER_NARROW);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_NC, MAILBOX(0), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_NOC, MAILBOX(0), 0), ANSWER_UNMAPPED);
}

TEST(entering_reset_empties_the_writers_mailboxes)
{
    harness_release(H, RV32_T0, 0);
    put(AGENT_T0, MAILBOX(0), 1);
    put(AGENT_B, MAILBOX(1), 2);
    put(AGENT_NOC, SOFT_RESET, 0x47800);
    ck_assert_uint_eq(get(AGENT_B, MAILBOX(1) + 4), 0);
    ck_assert_uint_eq(get(AGENT_T0, MAILBOX(0) + 4), 1);
}

/* --- PCBufs --- */

TEST_EACH(pc_buf_holds_sixteen, 3)
{
    uint32_t i = (uint32_t)_i;
    enum tile_agent trisc = (enum tile_agent)(AGENT_T0 + _i);
    ck_assert_int_eq(try_access(MMIO_READ, trisc, PC_BUF, 0), ANSWER_WAIT);
    for (uint32_t n = 0; n < 16; n++) {
        put(AGENT_B, B_PC_BUF(i) + 8 * n, 100 + n); /* any address of the range but +4 */
        put(AGENT_B, B_PC_BUF(i) + 4, 7);           /* not pushed */
    }
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, B_PC_BUF(i), 0), ANSWER_WAIT);
    for (uint32_t n = 0; n < 16; n++) {
        ck_assert_event(ck_assert_uint_eq(get(trisc, PC_BUF), 100 + n));
    }
    ck_assert_int_eq(try_access(MMIO_READ, trisc, PC_BUF, 0), ANSWER_WAIT);
    put(trisc, PC_BUF, 7); /* discarded */
    ck_assert_int_eq(try_access(MMIO_READ, trisc, PC_BUF, 0), ANSWER_WAIT);
}

TEST(leaving_reset_empties_the_pc_buf)
{
    put(AGENT_B, B_PC_BUF(2), 1);
    harness_release(H, RV32_T2, 0);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T2, PC_BUF, 0), ANSWER_WAIT);
}

TEST(override_answers_for_an_empty_pc_buf)
{
    put(AGENT_NOC, OVERRIDE, (1u | 0xa5u << 2) << 10);
    ck_assert_uint_eq(get(AGENT_T1, PC_BUF), 0xa5);
    put(AGENT_B, B_PC_BUF(1), 77);
    ck_assert_uint_eq(get(AGENT_T1, PC_BUF), 77);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, B_PC_BUF(1), 0), ANSWER_WAIT);
    put(AGENT_NOC, OVERRIDE, 3u << 10); /* busy, too */
    ck_assert_uint_eq(get(AGENT_B, B_PC_BUF(1)), 0);
}

/* B's load returns when T0 has taken everything, waits for more, and its thread is idle; at any
 * offset of its side, that of TTSync and of semaphores included. */
TEST_EACH(b_waits_for_the_trisc, 5)
{
    static const char *const loads[] = {"lw t1, 0(s0)", "lw t1, 4(s0)", "lw t1, 8(s0)",
                                        "lw t1, 0x20(s0)", "lw t1, 0x7fc(s0)"};
    const char *const b_program[] = {"lui s0, 0xffe80",
                                     "addi t0, zero, 5",
                                     "addi t1, zero, 7",
                                     "sw t0, 0(s0)",
                                     "sw t1, 4(s0)", /* not pushed: orders the next */
                                     loads[_i],
                                     "sw t0, 0x400(zero)",
                                     "sw t1, 0x408(zero)",
                                     "ebreak",
                                     NULL};
    static const char t_program[] =
        "lui s0, 0xffe80; lui s1, 0xffe40; lui t2, 1; "
        "1: addi t2, t2, -1; bne t2, zero, 1b; lw t0, 0(s0); sw t0, 0x404(zero); lui t2, 0x02000; "
        "sw t2, 0(s1); lw t1, 0(s0)";
    harness_assemble_lines(H, 0x1000, b_program);
    harness_assemble(H, 0x2000, t_program);
    harness_release(H, RV32_B, 0x1000);
    harness_release(H, RV32_T0, 0x2000);
    tile_run(harness.tile, 128 * 200);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(harness_word(H, 0x404), 5);
    ck_assert_uint_eq(harness_word(H, 0x400), 5);
    ck_assert_uint_eq(harness_word(H, 0x408), 0);
    ck_assert_int_eq(harness.tile->run[RV32_B].state, HART_PAUSED);
    ck_assert_int_eq(harness.tile->run[RV32_T0].state, HART_WAITING);
    ck_assert_uint_gt(harness.tile->run[RV32_B].time, 8192); /* T0's loop */
    ck_assert_uint_eq(tile_next_event(harness.tile), UINT64_MAX);
}

/* Both orders of arriving work, and two TRISCs that wait do not keep each other awake. */
TEST(waiting_triscs_sleep)
{
    static const char t_program[] = "lui s0, 0xffe80; lw t0, 0(s0)";
    static const char b_program[] =
        "lui t2, 1; "
        "1: addi t2, t2, -1; bne t2, zero, 1b; lui s0, 0xffe90; lw t1, 0(s0); ebreak";
    harness_assemble(H, 0x1000, b_program);
    harness_assemble(H, 0x2000, t_program);
    harness_release(H, RV32_T0, 0x2000);
    harness_release(H, RV32_T1, 0x2000);
    harness_release(H, RV32_T2, 0x2000);
    tile_run(harness.tile, 1280);
    ck_assert_uint_eq(tile_next_event(harness.tile), UINT64_MAX);
    harness_release(H, RV32_B, 0x1000);
    tile_run(harness.tile, 1280 + 128 * 200);
    ck_assert_int_eq(harness.tile->run[RV32_B].state, HART_PAUSED);
    ck_assert_uint_eq(tile_next_event(harness.tile), UINT64_MAX);
}

/* --- TTSync --- */

TEST(done_checks_wait_for_the_own_thread)
{
    put(AGENT_T0, CORE_DONE, 1); /* discarded */
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, CORE_DONE, 0), ANSWER_DONE);
    put(AGENT_T0, PUSH, SEMINIT);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, CORE_DONE, 0), ANSWER_WAIT);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, MOP_DONE, 0), ANSWER_DONE);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T1, CORE_DONE, 0), ANSWER_DONE);
    for (uint32_t i = 0; i < 9; i++) {
        put(AGENT_T0, MOP_CONFIG + 4 * i, NOP);
    }
    put(AGENT_T0, PUSH, MOP);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, MOP_DONE, 0), ANSWER_WAIT);
    put(AGENT_NOC, OVERRIDE, 3);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, CORE_DONE, 0), ANSWER_DONE);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, MOP_DONE, 0), ANSWER_DONE);
    put(AGENT_NOC, OVERRIDE, 0);
    (void)tensix_run(&harness.tile->tensix, 100);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, CORE_DONE, 0), ANSWER_DONE);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, MOP_DONE, 0), ANSWER_DONE);
}

/* --- Semaphores --- */

TEST_EACH(semaphores_count_and_saturate, 8)
{
    uint32_t i = (uint32_t)_i;
    ck_assert_uint_eq(get(AGENT_T2, SEMAPHORE(i)), 0);
    put(AGENT_T2, SEMAPHORE(i), 1); /* get of zero */
    ck_assert_uint_eq(get(AGENT_T2, SEMAPHORE(i)), 0);
    ck_assert_event(put(AGENT_T0, SEMAPHORE(i), 0));
    put(AGENT_T0, SEMAPHORE(i), 2); /* even: post */
    ck_assert_uint_eq(get(AGENT_T1, SEMAPHORE(i)), 2);
    put(AGENT_T1, SEMAPHORE(i), 3); /* odd: get */
    ck_assert_uint_eq(get(AGENT_T1, SEMAPHORE(i)), 1);
    for (unsigned n = 0; n < 30; n++) {
        put(AGENT_T1, SEMAPHORE(i), 0);
    }
    ck_assert_uint_eq(get(AGENT_T1, SEMAPHORE(i)), 15);
    ck_assert_uint_eq(get(AGENT_T1, SEMAPHORE((i + 1) % 8)), 0);
}

TEST_EACH(holes_are_unmapped, 5)
{
    static const uint32_t holes[] = {PC_BUF + 0x0c, PC_BUF + 0x1c, PC_BUF + 0x40, PC_BUF + 0xfffc,
                                     PC_BUF + 0x10000};
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T0, holes[_i], 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_T0, holes[_i], 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_NC, holes[_i], 0), ANSWER_UNMAPPED);
}

/* --- Order between a hart and the one that it releases --- */

/* `actor` does `act` when `waiter` has long been blocked behind `block`, and some instructions later
 * stores to 0x400. As on silicon, the other has gone on by then: its next load finds zero there. */
struct release {
    enum rv32_core actor, waiter;
    const char *act, *block; /* with s0 as the base */
    uint32_t act_base, block_base;
};

static void run_release(const struct release *release)
{
    char actor[300], waiter[300];
    bool loads = strncmp(release->block, "lw", 2) == 0; /* one load blocks, the fifth store does */
    snprintf(actor, sizeof actor,
             "lui s0, 0x%x; addi t2, zero, 200; 1: addi t2, t2, -1; bne t2, zero, 1b; %s; "
             "addi t0, zero, 8; 2: addi t0, t0, -1; bne t0, zero, 2b; "
             "addi t1, zero, 1; sw t1, 0x400(zero); ebreak",
             release->act_base >> 12, release->act);
    int length = snprintf(waiter, sizeof waiter, "lui s0, 0x%x; ", release->block_base >> 12);
    for (unsigned i = 0; i < (loads ? 1 : 5); i++) {
        length += sprintf(waiter + length, "%s; ", release->block);
    }
    strcpy(waiter + length, "lw t0, 0x400(zero); sw t0, 0x404(zero); ebreak");
    harness_assemble(H, 0x1000, actor);
    harness_assemble(H, 0x2000, waiter);
    harness_set_word(H, 0x404, 7);
    harness_release(H, release->actor, 0x1000);
    harness_release(H, release->waiter, 0x2000);
    tile_run(harness.tile, 1024);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_int_eq(harness.tile->run[release->waiter].state, HART_PAUSED);
    ck_assert_uint_eq(harness_word(H, 0x400), 1);
    ck_assert_uint_eq(harness_word(H, 0x404), 0);
}

TEST_EACH(who_gets_a_message_goes_on_before_its_sender, 16)
{
    uint32_t from = (uint32_t)_i / 4, to = (uint32_t)_i % 4;
    if (from != to) {
        run_release(&(struct release){(enum rv32_core)from, (enum rv32_core)to, "sw t2, 0(s0)",
                                      "lw t1, 0(s0)", MAILBOX(to), MAILBOX(from)});
    }
}

TEST_EACH(who_gets_room_goes_on_before_the_reader, 16)
{
    uint32_t from = (uint32_t)_i / 4, to = (uint32_t)_i % 4;
    if (from != to) {
        run_release(&(struct release){(enum rv32_core)to, (enum rv32_core)from, "lw t1, 0(s0)",
                                      "sw t2, 0(s0)", MAILBOX(from), MAILBOX(to)});
    }
}

TEST_EACH(who_gets_a_command_goes_on_before_b, 3)
{
    uint32_t i = (uint32_t)_i;
    run_release(&(struct release){RV32_B, (enum rv32_core)(RV32_T0 + i), "sw t2, 0(s0)",
                                  "lw t1, 0(s0)", B_PC_BUF(i), PC_BUF});
}

/* --- By programs of harts --- */

FIXTURE(guest_open, guest_close);

/* --- Mailboxes, PCBufs, TTSync, semaphores --- */

/* Page Mailboxes: any address of the 4 KiB pushes; of loads bit 2 alone decides between asking and
 * popping. `write` and `read` are offsets. */
static const struct {
    unsigned write, ask, read;
} offsets[] = {
    {0, 4, 0}, {4, 0xc, 8}, {8, 0x24, 0x20}, {0x20, 0xffc, 0xff8}, {0xffc, 0x14, 0x10},
};

TEST_EACH(mailboxes_answer_everywhere, COUNT(offsets))
{
    guest_begin(PENROSE_BRISC);
    say_store(GUEST_MAILBOX(2) + offsets[_i].write, 0x1001); /* to T1 */
    say_store(GUEST_MAILBOX(2), 0x1002);
    say_store(GUEST_MAILBOX(0) + offsets[_i].write, 0x1003); /* to itself */
    say_read(GUEST_MAILBOX(0) + offsets[_i].ask, 0);
    say_read(GUEST_MAILBOX(0) + offsets[_i].read, 1);
    say_read(GUEST_MAILBOX(0) + offsets[_i].ask, 2);
    guest_finish(PENROSE_BRISC);
    guest_begin(PENROSE_TRISC1);
    say_read(GUEST_MAILBOX(0) + offsets[_i].ask, 3);
    say_read(GUEST_MAILBOX(0) + offsets[_i].read, 4);
    say_read(GUEST_MAILBOX(0) + offsets[_i].ask, 5);
    say_read(GUEST_MAILBOX(0) + offsets[_i].read, 6);
    say_read(GUEST_MAILBOX(0) + offsets[_i].ask, 7);
    say_read(GUEST_MAILBOX(0) + offsets[_i].read, 8); /* which stays empty */
    guest_start(PENROSE_TRISC1);
    guest_run();
    static const uint32_t expected[8] = {1, 0x1003, 0, 1, 0x1001, 1, 0x1002, 0};
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(guest_word(GUEST_RESULTS + 4 * i), expected[i]);
    }
    const struct penrose_hart_info info = guest_hart(PENROSE_TRISC1);
    ck_assert_int_eq(info.state, PENROSE_HART_WAITING);
    ck_assert_uint_eq(info.wait_address[0], GUEST_MAILBOX(0) + offsets[_i].read);
}

/*
 * Page PCBufs, and README's map: all of 64 KiB is B's side of a buffer; of the T side the first word.
 * A load of B waits until T has read all and waits for more. (The page has stores at +4 push as well;
 * a released image stores there to wait, and the TRISC would take the word for a command.) Page
 * SoftReset: the buffer is emptied when T leaves reset, which is why T is there first.
 */
static const struct {
    unsigned offset;
    bool pushes;
} pc_buf_offsets[] = {{0, true}, {4, false}, {8, true}, {0x20, true}, {0x24, true}, {0xfffc, true}};

TEST_EACH(pc_bufs_of_brisc_are_64_kib, COUNT(pc_buf_offsets))
{
    const uint32_t address = GUEST_PC_BUF + 0x10000 + pc_buf_offsets[_i].offset; /* to T1 */
    guest_begin(PENROSE_TRISC1);
    say_read(GUEST_MAILBOX(1), 8);   /* waits for T0 */
    say_store(GUEST_PC_BUF, 0x2003); /* discarded */
    for (unsigned i = pc_buf_offsets[_i].pushes ? 0 : 1; i < 3; i++) {
        say_read(GUEST_PC_BUF, i);
    }
    guest_start(PENROSE_TRISC1);
    guest_begin(PENROSE_BRISC);
    say_store(address, 0x2001);
    say_store(GUEST_PC_BUF + 0x10000, 0x2002);
    say_read(address, 3);
    guest_start(PENROSE_BRISC);
    guest_run();
    ck_assert_int_eq(guest_hart(PENROSE_BRISC).state, PENROSE_HART_WAITING);
    ck_assert_uint_eq(guest_hart(PENROSE_BRISC).wait_address[0], address);
    guest_begin(PENROSE_TRISC0);
    say_store(GUEST_MAILBOX(2), 1);
    guest_finish(PENROSE_TRISC0);
    ck_assert_uint_eq(guest_word(GUEST_RESULTS),
                      pc_buf_offsets[_i].pushes ? 0x2001 : GUEST_UNTOUCHED);
    ck_assert_uint_eq(guest_word(GUEST_RESULTS + 4), 0x2002);
    ck_assert_int_eq(guest_hart(PENROSE_TRISC1).state, PENROSE_HART_WAITING);
    ck_assert_uint_eq(guest_hart(PENROSE_TRISC1).wait_address[0], GUEST_PC_BUF);
    ck_assert_int_eq(guest_hart(PENROSE_BRISC).state, PENROSE_HART_PAUSED);
    ck_assert_uint_eq(guest_word(GUEST_RESULTS + 12), 0);
    for (unsigned i = 0; i < 8; i++) { /* nothing of B went to the semaphores that T sees there */
        char name[32];
        snprintf(name, sizeof name, "semaphore.%u.value", i);
        ck_assert_uint_eq(guest_named(name), 0);
    }
}

/* Page PCBufs: OverrideEn with OverrideBusy lets B's loads return 0, OverrideEn T's the eight bits of
 * OverrideValue. */
TEST(pc_bufs_are_overridden)
{
    guest_put_word(GUEST_PC_BUF_OVERRIDE,
                   3 | UINT32_C(0x5a) << 22 | 1 << 20); /* of T0 busy, of T2 a value */
    guest_begin(PENROSE_BRISC);
    say_store(GUEST_PC_BUF + 8, 7);
    say_read(GUEST_PC_BUF + 0x20, 0);
    guest_finish(PENROSE_BRISC);
    ck_assert_uint_eq(guest_word(GUEST_RESULTS), 0);
    guest_begin(PENROSE_TRISC2);
    say_read(GUEST_PC_BUF, 1);
    guest_finish(PENROSE_TRISC2);
    ck_assert_uint_eq(guest_word(GUEST_RESULTS + 4), 0x5a);
}

/*
 * Page ManualTTSync: a load of +4 waits for all instructions of the thread, one of +8 for MOPs that
 * are still to be expanded; stores are discarded, and an override ends the wait. Page MOPExpander: of
 * template 1 words 0 and 1 count, the others are instructions.
 */
static const struct {
    const char *text;
    unsigned passes, waits; /* loads from there */
} syncs[] = {
    {"MVMUL 0, 0, 0, 0", 8, 4}, /* for which there are no data */
    {"MOP 1, 0, 0", 0, 8},      /* 127 x 127 of them, for which there is no room */
};

TEST_EACH(loads_wait_for_the_coprocessor, COUNT(syncs))
{
    enum { DONE = 0x6666 };
    guest_begin(PENROSE_TRISC1);
    for (unsigned i = 0; i < 9; i++) {
        say_store(UINT32_C(0xffb80000) + 4 * i, i < 2 ? 127 : UINT32_C(0x26000000));
    }
    say_tensix(syncs[_i].text);
    say_store(GUEST_PC_BUF + 4, 0x3001);
    say_store(GUEST_PC_BUF + 8, 0x3002);
    if (syncs[_i].passes) {
        say_read(GUEST_PC_BUF + syncs[_i].passes, 0);
    }
    say_store(GUEST_RESULTS + 4, DONE);
    say_read(GUEST_PC_BUF + syncs[_i].waits, 2);
    say_store(GUEST_RESULTS + 12, DONE);
    guest_start(PENROSE_TRISC1);
    guest_run();
    guest_expect_wait(1);
    ck_assert_uint_eq(guest_word(GUEST_RESULTS + 4), DONE);
    ck_assert_uint_eq(guest_word(GUEST_RESULTS + 12), GUEST_UNTOUCHED);
    ck_assert_int_eq(guest_hart(PENROSE_TRISC1).state, PENROSE_HART_WAITING);
    ck_assert_uint_eq(guest_hart(PENROSE_TRISC1).wait_address[0], GUEST_PC_BUF + syncs[_i].waits);
    guest_put_word(GUEST_PC_BUF_OVERRIDE, 3 << 10);
    guest_run();
    ck_assert_int_eq(guest_hart(PENROSE_TRISC1).state, PENROSE_HART_PAUSED);
    ck_assert_uint_eq(guest_word(GUEST_RESULTS + 12), DONE);
    guest_expect_wait(1);
}

/* README's map and page SyncUnit: from +0x20 on TRISCs see semaphores, a word each; an even number
 * posts, an odd one gets. */
TEST(triscs_see_semaphores_behind_ttsync)
{
    guest_begin(PENROSE_TRISC2);
    for (unsigned i = 0; i < 3; i++) {
        say_store(GUEST_PC_BUF + 0x20 + 4 * 5, 0);
    }
    say_store(GUEST_PC_BUF + 0x20 + 4 * 5, 1);
    say_store(GUEST_PC_BUF + 0x20, 1); /* of one that is 0 */
    say_read(GUEST_PC_BUF + 0x20 + 4 * 5, 0);
    guest_finish(PENROSE_TRISC2);
    ck_assert_uint_eq(guest_word(GUEST_RESULTS), 2);
    ck_assert_uint_eq(guest_named("semaphore.5.value"), 2);
    ck_assert_uint_eq(guest_named("semaphore.0.value"), 0);
}
