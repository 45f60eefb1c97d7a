/*
 * Costs of instructions (rv32/timing.h). A hart whose instructions have random costs does what one does
 * without, and its time is the sum of the costs of what it ran, in bursts of any length. The programs
 * are random and share nothing; the sums are the test's own.
 */
#include "unit/rv32/rv32_harness.h"

#include <stdio.h>
#include <string.h>

#include "rv32/exec.h"
#include "unit/rv32/random_costs.h"

enum { PROGRAMS = 60, LENGTH = 150, STEPS = 600, START = 1000 };

/* A random program that goes through its lines again and again, forwards and with short jumps. */
static void draw_program(struct harness *h, uint64_t *random)
{
    static const char *const kinds[] = {"add %s, %s, %s",   "mul %s, %s, %s", "divu %s, %s, %s",
                                        "sltu %s, %s, %s",  "xor %s, %s, %s", "min %s, %s, %s",
                                        "sh1add %s, %s, %s"};
    enum { KINDS = sizeof kinds / sizeof kinds[0], JUMP = KINDS, LOAD, STORE, PUSH, COUNT, ALL };
    for (unsigned i = 0; i < LENGTH; i++) {
        uint32_t rd = 5 + random_below(random, 20), a = 5 + random_below(random, 20);
        uint32_t b = 5 + random_below(random, 20), kind = random_below(random, ALL);
        uint32_t word = WORD_NOP;
        if (kind < KINDS) {
            char text[80];
            snprintf(text, sizeof text, kinds[kind], rv32_x_names[rd], rv32_x_names[a],
                     rv32_x_names[b]);
            word = harness_encode(text, 4 * i);
        } else if (kind == JUMP) {
            word =
                words_b(random_below(random, 2), a, b, 4 * (int32_t)(1 + random_below(random, 4)));
        } else if (kind == LOAD) {
            word = words_i(OPCODE_LOAD, 2, rd, SP, 4 * (int32_t)random_below(random, 100));
        } else if (kind == STORE) {
            word = words_s(OPCODE_STORE, 2, a, SP, 4 * (int32_t)random_below(random, 100));
        } else if (kind == PUSH) {
            word = harness_encode(".ttinsn 0x2000000", 4 * i);
        } else if (kind == COUNT) {
            word = harness_encode("csrrs t1, minstret, zero", 4 * i);
        }
        harness_put_word(h, 4 * i, word);
    }
    for (unsigned i = LENGTH; i < LENGTH + 4; i++) { /* where the last jumps lead */
        harness_put_word(h, 4 * i, words_j(X0, -4 * (int32_t)i));
    }
}

static void set_hart(struct harness *h, const struct rv32_timing *timing, uint64_t seed)
{
    harness_reset(h);
    memset(h->local, 0, sizeof h->local);
    h->now = START;
    rv32_reset(&h->hart, 0, START);
    h->hart.timing = timing;
    h->hart.x[SP] = RV32_LOCAL_BASE;
    for (unsigned r = 5; r < 32; r++) {
        h->hart.x[r] = harness_random_word(&seed);
    }
}

/* Cycles of the next instruction, from its word. */
static unsigned cost_of_next(struct harness *h, const struct rv32_timing *costs)
{
    uint32_t word = harness_load(h, h->hart.pc, 4);
    int row = isa_index_find(rv32_code_store_index(h->store), word);
    return (word & 3) != 3 ? costs->push : costs->row[row];
}

static void check_alike(const struct harness *timed, const struct harness *plain)
{
    ck_assert_mem_eq(timed->hart.x, plain->hart.x, 32 * sizeof timed->hart.x[0]);
    ck_assert_mem_eq(timed->local, plain->local, sizeof timed->local);
    ck_assert_uint_eq(timed->hart.pc, plain->hart.pc);
    ck_assert_uint_eq(timed->hart.retired, plain->hart.retired);
}

/* The time at which `steps` instructions are over, one by one. */
static uint64_t step(struct harness *h, const struct rv32_timing *costs, unsigned steps)
{
    uint64_t sum = START;
    for (unsigned i = 0; i < steps; i++) {
        uint32_t cycles;
        sum += cost_of_next(h, costs);
        h->now = rv32_run(&h->hart, h->now, h->now + 1);
        ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
        ck_assert_uint_eq(h->now, sum);
        ck_assert(rv32_csr_read(&h->hart, 0xb00, h->now, &cycles));
        ck_assert_uint_eq(cycles, sum - START);
    }
    return sum;
}

TEST_EACH(costs_change_times_alone, PROGRAMS)
{
    uint64_t random = 77 + (uint64_t)_i;
    struct harness *stepped = harness_create(RV32_B), *burst = harness_create(RV32_B);
    struct harness *plain = harness_create(RV32_B);
    struct rv32_timing costs;
    random_costs(&costs, &random);
    uint64_t program = random, seed = random | 1;
    struct harness *all[] = {stepped, burst, plain};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t state = program;
        draw_program(all[i], &state);
        set_hart(all[i], all[i] == plain ? NULL : &costs, seed);
    }
    uint64_t end = step(stepped, &costs, STEPS);
    while (burst->now < end) {
        uint64_t to = burst->now + 1 + random_below(&random, 200);
        burst->now = rv32_run(&burst->hart, burst->now, to < end ? to : end);
        ck_assert_int_eq(burst->hart.stop, RV32_RUNNING);
    }
    plain->now = rv32_run(&plain->hart, START, START + STEPS);
    ck_assert_uint_eq(burst->now, end);
    ck_assert_uint_eq(plain->now, START + STEPS);
    check_alike(stepped, plain);
    check_alike(burst, plain);
    for (unsigned i = 0; i < 3; i++) {
        harness_destroy(all[i]);
    }
}

static enum rv32_reply cut_soon(void *owner, struct rv32_hart *hart, struct rv32_access *access)
{
    (void)owner;
    rv32_cut(hart, access->cycle + 25);
    return RV32_OK;
}

/* What an access asks for holds, though others run after it; the last one before the end is run whole. */
TEST(cuts_end_at_an_instruction)
{
    struct harness *h = harness_create(RV32_B);
    struct rv32_timing costs;
    memset(&costs, 10, sizeof costs);
    harness_put_word(h, 0, words_s(OPCODE_STORE, 2, X0, SP, 0));
    harness_put_word(h, 4, words_j(X0, 0));
    set_hart(h, &costs, 1);
    h->hart.x[SP] = UINT32_C(0xffb20000);
    h->bus.access = cut_soon;
    ck_assert_uint_eq(rv32_run(&h->hart, START, START + 1000), START + 30);
    ck_assert_uint_eq(h->hart.retired, 3);
    ck_assert(rv32_was_cut(&h->hart, START + 30));
}
