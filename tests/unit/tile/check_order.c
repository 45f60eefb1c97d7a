/*
 * Order in time between harts of a tile, however far each of them runs in a burst: who is blocked
 * goes on when it is released, and nobody sees a semaphore change before it does.
 */
#include <stdio.h>

#include "arch/blackhole/addresses.h"
#include "unit/test.h"
#include "unit/tile/tile_harness.h"

#define MAILBOX(i)  (AT_MAILBOX + UINT32_C(0x1000) * (i))
#define PC_BUF      AT_PC_BUF
#define B_PC_BUF(i) (AT_PC_BUF + UINT32_C(0x10000) * (i))

enum { STAMPS = 0x600, INSTRUCTION = 0x610, CYCLES = 8000, DELAYS = 200 };

static const uint32_t quanta[] = {1, 7, 32, 128, 1000};

/* Both count for a while. Then `actor` notes the time, acts, and goes on; `waiter` does what it
 * waits with and notes the time. The places that they use are in s0. */
struct order {
    enum rv32_core actor, waiter;
    uint32_t actor_base, waiter_base;
    const char *act;
    const char *wait[7];
};

struct times {
    uint32_t act, seen;
};

enum { MOST_LINES = 32 };

static void load(struct tile_harness *harness, uint32_t at, uint32_t base, unsigned delay,
                 const char *const *before, const char *const *middle, const char *const *behind)
{
    char upper[32], count[32];
    const char *line[MOST_LINES] = {upper, "lui s1, 0xffb12", count,
                                    "1:",  "addi t2, t2, -1", "bne t2, zero, 1b"};
    unsigned lines = 6;
    snprintf(upper, sizeof upper, "lui s0, 0x%x", base >> 12);
    snprintf(count, sizeof count, "addi t2, zero, %u", delay);
    for (const char *const *part = before; *part; part++) {
        line[lines++] = *part;
    }
    for (const char *const *part = middle; *part; part++) {
        line[lines++] = *part;
    }
    for (const char *const *part = behind; *part; part++) {
        line[lines++] = *part;
    }
    ck_assert_uint_lt(lines, MOST_LINES);
    harness_assemble_lines(harness, at, line);
}

static struct times run_order(const struct order *order, uint32_t quantum, unsigned act_delay,
                              unsigned wait_delay, uint32_t instruction)
{
    static const char *const none[] = {NULL};
    static const char *const stamp_act[] = {"lw t1, 0x610(zero)", "lw t0, 0x1f0(s1)",
                                            "sw t0, 0x600(zero)", NULL};
    static const char *const go_on[] = {"addi t2, zero, 100", "2:",     "addi t2, t2, -1",
                                        "bne t2, zero, 2b",   "ebreak", NULL};
    static const char *const stamp_seen[] = {"lw t0, 0x1f0(s1)", "sw t0, 0x604(zero)", "ebreak",
                                             NULL};
    const char *act[] = {order->act, NULL};
    struct tile_harness harness;
    harness_open(&harness);
    harness.tile->quantum = quantum;
    load(&harness, 0x1000, order->actor_base, act_delay, stamp_act, act, go_on);
    load(&harness, 0x2000, order->waiter_base, wait_delay, none, order->wait, stamp_seen);
    harness_set_word(&harness, INSTRUCTION, instruction);
    harness_release(&harness, order->actor, 0x1000);
    harness_release(&harness, order->waiter, 0x2000);
    tile_run(harness.tile, (CYCLES + quantum - 1) / quantum * quantum);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_int_eq(harness.tile->run[order->waiter].state, HART_PAUSED);
    struct times times = {harness_word(&harness, STAMPS), harness_word(&harness, STAMPS + 4)};
    harness_close(&harness);
    return times;
}

/* The same times with all lengths of bursts, whether the waiter comes before or behind the actor. */
static void check_exact(const struct order *order)
{
    for (unsigned delay = 1; delay < DELAYS; delay += 7) {
        struct times exact = run_order(order, 1, DELAYS / 2, delay, 1);
        for (unsigned i = 1; i < COUNT(quanta); i++) {
            struct times times = run_order(order, quanta[i], DELAYS / 2, delay, 1);
            ck_assert_uint_eq(times.act, exact.act);
            ck_assert_msg(times.seen == exact.seen, "quantum %u, delay %u: at %u, not %u",
                          quanta[i], delay, times.seen, exact.seen);
        }
    }
}

TEST_EACH(a_message_comes_when_it_is_sent, 16)
{
    uint32_t from = (uint32_t)_i / 4, to = (uint32_t)_i % 4;
    if (from != to) {
        check_exact(&(struct order){.actor = (enum rv32_core)from,
                                    .waiter = (enum rv32_core)to,
                                    .actor_base = MAILBOX(to),
                                    .waiter_base = MAILBOX(from),
                                    .act = "sw t1, 0(s0)",
                                    .wait = {"lw a0, 0(s0)"}});
    }
}

TEST_EACH(room_comes_when_a_message_is_read, 16)
{
    uint32_t from = (uint32_t)_i / 4, to = (uint32_t)_i % 4;
    if (from != to) {
        check_exact(&(struct order){.actor = (enum rv32_core)to,
                                    .waiter = (enum rv32_core)from,
                                    .actor_base = MAILBOX(from),
                                    .waiter_base = MAILBOX(to),
                                    .act = "lw t1, 0(s0)",
                                    .wait = {"sw a0, 0(s0)", "sw a0, 0(s0)", "sw a0, 0(s0)",
                                             "sw a0, 0(s0)", "sw a0, 0(s0)"}});
    }
}

TEST_EACH(a_command_comes_when_b_sends_it, 3)
{
    uint32_t i = (uint32_t)_i;
    check_exact(&(struct order){.actor = RV32_B,
                                .waiter = (enum rv32_core)(RV32_T0 + i),
                                .actor_base = B_PC_BUF(i),
                                .waiter_base = PC_BUF,
                                .act = "sw t1, 0(s0)",
                                .wait = {"lw a0, 0(s0)"}});
}

/* Who polls may see a change later than it happens, by the length of a burst, never before. */
static void check_not_before(const struct order *order, uint32_t instruction)
{
    enum { SLACK = 40 };
    for (unsigned i = 0; i < COUNT(quanta); i++) {
        for (unsigned delay = 1; delay < DELAYS; delay++) {
            struct times times = run_order(order, quanta[i], DELAYS / 2, delay, instruction);
            ck_assert_msg(times.seen > times.act + 1,
                          "quantum %u, delay %u: seen at %u, done at %u", quanta[i], delay,
                          times.seen, times.act);
            if (delay < DELAYS / 2) {
                ck_assert_uint_lt(times.seen, times.act + 2 * quanta[i] + SLACK);
            }
        }
    }
}

#define POLL_SEMAPHORE                                                                             \
    {                                                                                              \
        "3:", "lw a0, 0x2c(s0)", "beq a0, zero, 3b"                                                \
    }

TEST_EACH(a_post_is_not_seen_before, 9)
{
    uint32_t from = (uint32_t)_i / 3, to = (uint32_t)_i % 3;
    if (from != to) {
        check_not_before(&(struct order){.actor = (enum rv32_core)(RV32_T0 + from),
                                         .waiter = (enum rv32_core)(RV32_T0 + to),
                                         .actor_base = PC_BUF,
                                         .waiter_base = PC_BUF,
                                         .act = "sw zero, 0x2c(s0)",
                                         .wait = POLL_SEMAPHORE},
                         0);
    }
}

TEST_EACH(a_post_by_the_coprocessor_is_not_seen_before, 9)
{
    enum { SEMAPHORE_3 = 1 << (2 + 3) };
    uint32_t from = (uint32_t)_i / 3, to = (uint32_t)_i % 3;
    if (from != to) {
        check_not_before(&(struct order){.actor = (enum rv32_core)(RV32_T0 + from),
                                         .waiter = (enum rv32_core)(RV32_T0 + to),
                                         .actor_base = AT_INSTRN_BUF,
                                         .waiter_base = PC_BUF,
                                         .act = "sw t1, 0(s0)",
                                         .wait = POLL_SEMAPHORE},
                         UINT32_C(0xa4) << 24 | SEMAPHORE_3);
    }
}
