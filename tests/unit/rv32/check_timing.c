/*
 * Costs of instructions (rv32/timing.h). A hart whose instructions have random costs does what one does
 * without, and its time is the sum of the costs of what it ran and of its waits for registers, in bursts
 * of any length. The programs are random and share nothing; the sums are the test's own.
 */
#include "unit/rv32/rv32_harness.h"

#include <math.h>
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
    costs.has_queues = false; /* their rows stand below */
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

enum turn_kind {
    COUNTED, /* with cfg0 as the measurements had it: no L0 data cache, no fusion */
    WHOLE,   /* as COUNTED, but the body jumps back by itself */
    FRESH,   /* with cfg0 as after reset */
};

/* Turns of a loop: the body between `beq s0, zero, <end>` and `addi s0, s0, -1; j`, or alone. */
struct turn {
    const char *name;
    const char *body[10];
    double cycles;
    enum turn_kind kind;
};

static const struct turn turns[] = {
    /* HW: blackhole-py at 079993d, docs/riscv-core-microbench.md */
    {"nothing", {0}, 3, COUNTED},
    {"sums", {"addi s1, s1, 1", "addi s1, s1, 1", "addi s1, s1, 1", "addi s1, s1, 1"}, 7, COUNTED},
    {"products that depend",
     {"mul s1, s1, s4", "mul s1, s1, s4", "mul s1, s1, s4", "mul s1, s1, s4"},
     10,
     COUNTED},
    {"products",
     {"mul a0, a0, s4", "mul a1, a1, s4", "mul a2, a2, s4", "mul a3, a3, s4"},
     7,
     COUNTED},
    {"0 divided", {"divu s1, s1, s4"}, 9, COUNTED},
    {"CSRs",
     {"csrrs a0, cfg0, zero", "csrrs a0, cfg0, zero", "csrrs a0, cfg0, zero",
      "csrrs a0, cfg0, zero"},
     19,
     COUNTED},
    {"a fence", {"fence 3, 3"}, 7, COUNTED},
    {"a chain in L1", {"lw s3, 0(s3)"}, 8, COUNTED},
    {"a load and its use", {"lw s5, 0(s3)", "add a0, a0, s5"}, 12, COUNTED},
    {"a load and its use later",
     {"lw s5, 0(s3)", "addi a1, a1, 1", "addi a2, a2, 1", "addi a3, a3, 1", "addi a4, a4, 1",
      "add a0, a0, s5"},
     12,
     COUNTED},
    {"a chain in local RAM", {"lw s6, 0(s6)"}, 4, COUNTED},
    /* HW: the same, docs/riscv-memory-microbench.md, docs/riscv-contention-microbench.md. Silicon has 5.54
     * to 5.60 for the first, while other harts poll, and 5.50 while they do not. */
    {"a load that nobody waits for", {"lw s1, 0(s3)"}, 5.5, COUNTED},
    {"such a load of a register", {"lw s1, 0(s7)"}, 5, COUNTED},
    {"such a load of local RAM", {"lw s1, 0(s6)"}, 4, COUNTED},
    {"four loads", {"lw t0, 0(s3)", "lw t1, 4(s3)", "lw t2, 8(s3)", "lw t3, 12(s3)"}, 8, COUNTED},
    {"eight loads",
     {"lw t0, 0(s3)", "lw t1, 4(s3)", "lw t2, 8(s3)", "lw t3, 12(s3)", "lw t4, 16(s3)",
      "lw t5, 20(s3)", "lw t6, 24(s3)", "lw s5, 28(s3)"},
     16,
     COUNTED},
    {"a store and a load of it", {"sw s1, 4(s3)", "lw s5, 4(s3)"}, 9.5, COUNTED},
    {"a load and a store of it", {"lw a0, 8(s3)", "sw a0, 8(s3)"}, 19, COUNTED},
    {"a store and a load of it in local RAM", {"sw s1, 4(s6)", "lw s5, 4(s6)"}, 6, COUNTED},
    {"a store", {"sw s1, 4(s3)"}, 4, COUNTED},
    {"stores to a line",
     {"sw s1, 0(s3)", "sw s1, 4(s3)", "sw s1, 8(s3)", "sw s1, 12(s3)"},
     7,
     COUNTED},
    {"a branch that is never taken", {"bne s1, s1, 4"}, 4, COUNTED},
    {"a jump", {"jal zero, 8"}, 4, COUNTED},
    /* HW: the same, docs/sem-cb-microbench.md: a semaphore is set; one is found set */
    {"a store and a fence",
     {"lui a0, 1", "addi a0, a0, 0", "addi a1, zero, 1", "sw a1, 0(a0)", "fence 3, 3"},
     16,
     COUNTED},
    {"an address behind a load, used at once",
     {"lw s5, 0(s3)", "lui a0, 1", "addi a0, a0, 4", "lw a1, 0(a0)", "add a2, a1, s5"},
     15,
     COUNTED},
    {"an address behind a load, used later",
     {"lw s5, 0(s3)", "lui a0, 1", "addi a0, a0, 4", "addi a3, a3, 1", "lw a1, 0(a0)",
      "add a2, a1, s5"},
     22,
     COUNTED},
    {"a store to local RAM and a fence", {"sw s1, 4(s6)", "fence 3, 3"}, 13, COUNTED},
    {"a load between fences",
     {"lui a0, 1", "addi a0, a0, 0", "addi a1, zero, 1", "fence 3, 3", "lw a2, 0(a0)",
      "beq a2, zero, 4", "fence 3, 3"},
     23,
     COUNTED},
    /* HW: the same, docs/tensix-instr-microbench.md: the drain of an idle coprocessor */
    {"a store to the PC buffer and a load",
     {"sw zero, 0(s8)", "lw s1, 0(s8)", "and zero, zero, s1"},
     9,
     COUNTED},
    /* SPEC: a store every five cycles where none can be merged */
    {"stores to lines",
     {"sw s1, 0(s3)", "sw s1, 16(s3)", "sw s1, 32(s3)", "sw s1, 48(s3)"},
     20,
     COUNTED},
    /* SPEC: BabyRISCV README, EX1. Between a branch that is taken each second time and its target stands
     * an instruction; the branch is never foreseen. */
    {"1 divided by 1", {"divu s1, s4, a1"}, 5, COUNTED},
    {"a large number divided", {"divu a0, s9, s4"}, 36, COUNTED},
    {"a negative number divided", {"div a0, s9, s4"}, 10, COUNTED},
    {"a branch to and fro", {"andi a0, s0, 1", "beq a0, zero, 16", "add a0, a0, a0"}, 9.5, COUNTED},
    /* SPEC: MemoryOrdering, L0 data cache */
    {"a chain in the L0 cache", {"lw s3, 0(s3)"}, 4, FRESH},
    {"a chain in the L0 cache, and a fence",
     {"lw s3, 0(s3)", "fence 3, 3", "lw s3, 0(s3)", "lw s3, 0(s3)"},
     18,
     FRESH},
    /* SPEC: PushTensixInstruction */
    {"pushes",
     {".ttinsn 0x2000000", ".ttinsn 0x2000000", ".ttinsn 0x2000000", ".ttinsn 0x2000000",
      ".ttinsn 0x2000000"},
     8,
     COUNTED},
    {"pushes that are fused",
     {".ttinsn 0x2000000", ".ttinsn 0x2000000", ".ttinsn 0x2000000", ".ttinsn 0x2000000",
      ".ttinsn 0x2000000"},
     5,
     FRESH},
    {"a poll of a register", {"lw a0, 0(s7)", "bne a0, zero, 0"}, 8, WHOLE},
    /* SPEC: BabyRISCV README, Load/Store Unit */
    {"local RAM and its use", {"lw s5, 0(s6)", "add a0, a0, s5"}, 6, COUNTED},
    {"an atomic and its use", {"amoadd.w s5, zero, (s3)", "add a0, a0, s5"}, 16, COUNTED},
    {"stores", {"sw s5, 0(s3)", "sw s5, 0(s6)"}, 6, COUNTED},
};

/* Puts a turn to 0. */
static void put_turn(struct harness *h, const struct turn *turn)
{
    unsigned count = 0;
    if (turn->kind != WHOLE) {
        harness_put_word(h, 4 * count++, words_b(0, S0, X0, 0x400));
    }
    for (const char *const *line = turn->body; *line; line++, count++) {
        harness_put_word(h, 4 * count, harness_encode(*line, 4 * count));
    }
    if (turn->kind != WHOLE) {
        harness_put_word(h, 4 * count, harness_encode("addi s0, s0, -1", 4 * count));
        count++;
        harness_put_word(h, 4 * count, words_j(X0, -4 * (int32_t)count));
    }
}

TEST_EACH(turns_take_what_they_take_on_silicon, COUNT(turns))
{
    enum { S3 = 19, S4, S5, S6, S7, S8, S9, L1_PLACE = 0x1000, WARM = 10, TURNS = 20 };
    const uint32_t cfg0 = 0x60008; /* of the measurements */
    struct harness *h = harness_create(RV32_T0);
    set_hart(h, &rv32_chip_timing, 1);
    h->value = 1;
    h->hart.x[S0] = 1000;
    h->hart.x[S1] = 0;
    h->hart.x[S3] = L1_PLACE;
    h->hart.x[S4] = 3;
    h->hart.x[S6] = RV32_LOCAL_BASE;
    h->hart.x[S7] = AT_NIU;
    h->hart.x[S8] = AT_COPROCESSOR_DONE;
    h->hart.x[A1] = 1;
    h->hart.x[S9] = (uint32_t)-7;
    h->hart.csr.cfg0 = turns[_i].kind == FRESH ? h->hart.csr.cfg0 : cfg0;
    harness_store(h, L1_PLACE, 4, L1_PLACE);
    harness_store(h, RV32_LOCAL_BASE, 4, RV32_LOCAL_BASE);
    put_turn(h, &turns[_i]);
    uint64_t begins = 0;
    for (unsigned done = 0; done < WARM + TURNS; done += h->hart.pc == 0) {
        begins = done == WARM && h->hart.pc == 0 ? h->now : begins;
        h->now = rv32_run(&h->hart, h->now, h->now + 1);
        ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    }
    double cycles = (double)(h->now - begins) / TURNS;
    ck_assert_msg(fabs(cycles - turns[_i].cycles) < 0.01, "%s: a turn takes %.2f cycles",
                  turns[_i].name, cycles);
}
