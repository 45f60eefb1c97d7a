/*
 * Costs of instructions (rv32/timing.h). A hart whose instructions have random costs does what one does
 * without, and its time is the sum of the costs of what it ran and of its waits for registers, in bursts
 * of any length. The programs are random and share nothing; the sums are the test's own.
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

/* Registers that an instruction of draw_program reads. */
static uint32_t registers_read(uint32_t word)
{
    uint32_t rs1 = UINT32_C(1) << (word >> 15 & 31), rs2 = UINT32_C(1) << (word >> 20 & 31);
    switch (word & 0x7f) {
    case 0x33: /* two registers */
    case 0x63: /* a branch */
    case 0x23: /* a store */
        return rs1 | rs2;
    case 0x13: /* an immediate */
    case 0x03: /* a load */
        return rs1;
    default: /* a jump, a push, a read of a counter */
        return 0;
    }
}

/* When the next instruction is over, which begins at `now`: it and the registers that the one after it
 * reads. `known` is from when on each is known. */
static uint64_t end_of_next(struct harness *h, const struct rv32_timing *costs, uint64_t now,
                            uint64_t known[32])
{
    uint32_t word = harness_load(h, h->hart.pc, 4), opcode = word & 0x7f;
    int row = isa_index_find(rv32_code_store_index(h->store), word);
    bool writes = (word & 3) == 3 && opcode != 0x23 && opcode != 0x63;
    uint64_t result = row < 0 ? 0 : costs->result[row];
    for (unsigned i = 0; opcode == 0x03 && i < RV32_LOAD_TIMES; i++) {
        if (costs->load[i].first == RV32_LOCAL_BASE && costs->load[i].result > result) {
            result = costs->load[i].result;
        }
    }
    if (writes && (word >> 7 & 31)) {
        known[word >> 7 & 31] = now + result;
    }
    now += (word & 3) != 3 ? costs->push : costs->row[row];
    h->now = rv32_run(&h->hart, h->now, h->now + 1);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    uint32_t reads = registers_read(harness_load(h, h->hart.pc, 4));
    for (unsigned r = 1; r < 32; r++) {
        now = reads >> r & 1 && known[r] > now ? known[r] : now;
    }
    return now;
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
    uint64_t sum = START, known[32] = {0};
    for (unsigned i = 0; i < steps; i++) {
        uint32_t cycles;
        sum = end_of_next(h, costs, sum, known);
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

/* What the bus is told of a hart, one of whose instructions in four is put off once. */
static struct {
    unsigned starts, finished, put_off;
    uint32_t pc;
    uint64_t now;
} told;

static bool told_starts(void *owner, struct rv32_hart *hart, uint64_t now)
{
    (void)owner;
    const bool is_again = told.starts > told.finished;
    ck_assert(!is_again || (told.pc == hart->pc && told.now == now));
    told.starts += !is_again;
    told.pc = hart->pc;
    told.now = now;
    told.put_off += !is_again && told.starts % 4 == 0;
    return is_again || told.starts % 4;
}

static void told_finished(void *owner, struct rv32_hart *hart, uint32_t pc, uint64_t now)
{
    (void)owner;
    told.finished++;
    ck_assert_uint_eq(told.starts, told.finished);
    ck_assert_uint_eq(pc, told.pc);
    ck_assert_uint_gt(now, told.now);
    ck_assert_uint_eq(hart->retired, told.finished);
}

/* The bus is told of each instruction, with costs and without. A burst ends before one that is put
 * off, and the next burst begins with it. */
TEST_EACH(a_hart_that_is_looked_at_does_the_same, PROGRAMS)
{
    uint64_t random = 177 + (uint64_t)_i;
    struct harness *watched = harness_create(RV32_B), *plain = harness_create(RV32_B);
    struct harness *both[] = {watched, plain};
    struct rv32_timing costs;
    random_costs(&costs, &random);
    uint64_t program = random, seed = random | 1;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t state = program;
        draw_program(both[i], &state);
        set_hart(both[i], _i % 2 ? &costs : NULL, seed);
    }
    memset(&told, 0, sizeof told);
    watched->bus.starts = told_starts;
    watched->bus.finished = told_finished;
    plain->now = rv32_run(&plain->hart, START, START + STEPS);
    while (watched->now < plain->now) {
        watched->now = rv32_run(&watched->hart, watched->now, plain->now);
        ck_assert_int_eq(watched->hart.stop, RV32_RUNNING);
        ck_assert(watched->hart.is_put_off == (told.starts > told.finished));
        ck_assert(rv32_was_cut(&watched->hart, watched->now) == watched->hart.is_put_off);
    }
    ck_assert_uint_eq(watched->now, plain->now);
    ck_assert_uint_eq(told.finished, plain->hart.retired);
    ck_assert_uint_ge(told.put_off, told.finished / 4);
    check_alike(watched, plain);
    harness_destroy(watched);
    harness_destroy(plain);
}

static enum answer cut_soon(void *owner, struct rv32_hart *hart, struct rv32_access *access)
{
    (void)owner;
    rv32_cut(hart, access->cycle + 25);
    return ANSWER_DONE;
}

/* What an access asks for holds, though others run after it; the last one before the end is run whole. */
TEST(cuts_end_at_an_instruction)
{
    struct harness *h = harness_create(RV32_B);
    struct rv32_timing costs;
    memset(&costs, 0, sizeof costs);
    memset(costs.row, 10, sizeof costs.row);
    harness_put_word(h, 0, words_s(OPCODE_STORE, 2, X0, SP, 0));
    harness_put_word(h, 4, words_j(X0, 0));
    set_hart(h, &costs, 1);
    h->hart.x[SP] = UINT32_C(0xffb20000);
    h->bus.access = cut_soon;
    ck_assert_uint_eq(rv32_run(&h->hart, START, START + 1000), START + 30);
    ck_assert_uint_eq(h->hart.retired, 3);
    ck_assert(rv32_was_cut(&h->hart, START + 30));
}

/* --- What the chip's table says --- */

/* Turns of a loop: the body between `beq s0, zero, <end>` and `addi s0, s0, -1; j`, or alone. */
struct turn {
    const char *name;
    const char *body[10];
    unsigned cycles;
    bool is_whole; /* the body jumps back by itself */
};

static const struct turn turns[] = {
    /* HW: blackhole-py at 079993d, docs/riscv-core-microbench.md */
    {"nothing", {0}, 3, false},
    {"sums", {"addi s1, s1, 1", "addi s1, s1, 1", "addi s1, s1, 1", "addi s1, s1, 1"}, 7, false},
    {"products that depend",
     {"mul s1, s1, s4", "mul s1, s1, s4", "mul s1, s1, s4", "mul s1, s1, s4"},
     10,
     false},
    {"products",
     {"mul a0, a0, s4", "mul a1, a1, s4", "mul a2, a2, s4", "mul a3, a3, s4"},
     7,
     false},
    {"0 divided", {"divu s1, s1, s4"}, 9, false},
    {"CSRs",
     {"csrrs a0, cfg0, zero", "csrrs a0, cfg0, zero", "csrrs a0, cfg0, zero",
      "csrrs a0, cfg0, zero"},
     19,
     false},
    {"a fence", {"fence 3, 3"}, 7, false},
    {"a chain in L1", {"lw s3, 0(s3)"}, 8, false},
    {"a load and its use", {"lw s5, 0(s3)", "add a0, a0, s5"}, 12, false},
    {"a load and its use later",
     {"lw s5, 0(s3)", "addi a1, a1, 1", "addi a2, a2, 1", "addi a3, a3, 1", "addi a4, a4, 1",
      "add a0, a0, s5"},
     12,
     false},
    {"a chain in local RAM", {"lw s6, 0(s6)"}, 4, false},
    {"a poll of a register", {"lw a0, 0(s7)", "bne a0, zero, 0"}, 8, true},
    /* SPEC: BabyRISCV README, Load/Store Unit */
    {"local RAM and its use", {"lw s5, 0(s6)", "add a0, a0, s5"}, 6, false},
    {"an atomic and its use", {"amoadd.w s5, zero, (s3)", "add a0, a0, s5"}, 16, false},
    {"stores", {"sw s5, 0(s3)", "sw s5, 0(s6)"}, 5, false},
};

/* Puts a turn to 0; how many instructions it has. */
static unsigned put_turn(struct harness *h, const struct turn *turn)
{
    unsigned count = 0;
    if (!turn->is_whole) {
        harness_put_word(h, 4 * count++, words_b(0, S0, X0, 0x400));
    }
    for (const char *const *line = turn->body; *line; line++, count++) {
        harness_put_word(h, 4 * count, harness_encode(*line, 4 * count));
    }
    if (!turn->is_whole) {
        harness_put_word(h, 4 * count, harness_encode("addi s0, s0, -1", 4 * count));
        count++;
        harness_put_word(h, 4 * count, words_j(X0, -4 * (int32_t)count));
        count++;
    }
    return count;
}

TEST_EACH(turns_take_what_they_take_on_silicon, COUNT(turns))
{
    enum { S3 = 19, S4, S5, S6, S7, L1_PLACE = 0x1000, WARM = 2, TURNS = 10 };
    struct harness *h = harness_create(RV32_T0);
    set_hart(h, &rv32_chip_timing, 1);
    h->value = 1;
    h->hart.x[S0] = 1000;
    h->hart.x[S1] = 0;
    h->hart.x[S3] = L1_PLACE;
    h->hart.x[S4] = 3;
    h->hart.x[S6] = RV32_LOCAL_BASE;
    h->hart.x[S7] = AT_NIU;
    harness_store(h, L1_PLACE, 4, L1_PLACE);
    harness_store(h, RV32_LOCAL_BASE, 4, RV32_LOCAL_BASE);
    unsigned count = put_turn(h, &turns[_i]);
    uint64_t begins = 0;
    for (unsigned i = 0; i < (WARM + TURNS) * count; i++) {
        begins = i == WARM * count ? h->now : begins;
        h->now = rv32_run(&h->hart, h->now, h->now + 1);
        ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    }
    ck_assert_msg(h->now - begins == TURNS * turns[_i].cycles, "%s: %u turns take %u cycles",
                  turns[_i].name, TURNS, (unsigned)(h->now - begins));
}
