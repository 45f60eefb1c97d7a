/*
 * Control flow, memory, atomics, pushes, pauses and faults of a hart, from the InstructionSet,
 * README and PushTensixInstruction pages and the RISC-V unprivileged ISA.
 */
#include "unit/rv32/rv32_harness.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

FIXTURE(NULL, harness_destroy_all);

#define MMIO UINT32_C(0xffb12000)

/* --- Branches and jumps --- */

static const struct {
    const char *mnemonic;
    uint32_t funct3;
    bool equal, less, greater, above; /* above: unsigned greater, signed less (-1 and 1) */
} conditions[] = {
    {"beq", 0, true, false, false, false},  {"bne", 1, false, true, true, true},
    {"blt", 4, false, true, false, true},   {"bge", 5, true, false, true, false},
    {"bltu", 6, false, true, false, false}, {"bgeu", 7, true, false, true, true},
};

static void check_branch(struct harness *h, uint32_t pc, uint32_t word, uint32_t a, uint32_t b,
                         uint32_t expected)
{
    h->hart.x[T1] = a;
    h->hart.x[T2] = b;
    harness_execute(h, pc, word);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    ck_assert_msg(h->hart.pc == expected, "%#x at %#x with %#x, %#x goes to %#x, not %#x", word, pc,
                  a, b, h->hart.pc, expected);
}

/* From within a page, across its end in both directions, to itself, and as far as it reaches. */
static const struct {
    uint32_t pc;
    int32_t displacement;
} distances[] = {
    {0x1000, 8},     {0x1008, -8},   {0x10fc, 4},    {0x1100, -4},
    {0x10fc, 8},     {0x1104, -8},   {0x1000, 0xfc}, {0x1000, 256},
    {0x10fc, -0xfc}, {0x10fc, -256}, {0x1080, 0},    {0x1000, 4094 & ~3},
    {0x2000, -4096}, {0x1040, 2044}, {0x1040, 2048}, {0x1040, -2048},
};

TEST_EACH(branch, COUNT(conditions))
{
    struct harness *h = harness_create(RV32_B);
    char text[48];
    for (int i = 0; i < COUNT(distances); i++) {
        uint32_t pc = distances[i].pc, target = pc + (uint32_t)distances[i].displacement;
        uint32_t word = words_b(conditions[_i].funct3, T1, T2, distances[i].displacement);
        snprintf(text, sizeof text, "%s t1, t2, 0x%x", conditions[_i].mnemonic, target);
        harness_check_text(h, word, pc, text);
        ck_assert_uint_eq(harness_encode(text, pc), word);
        const bool taken[] = {conditions[_i].equal, conditions[_i].less, conditions[_i].greater,
                              conditions[_i].above};
        static const uint32_t pair[][2] = {
            {0x80000000, 0x80000000}, {1, 2}, {0x7fffffff, 0x7ffffffe}, {0xffffffff, 1}};
        for (int j = 0; j < COUNT(taken); j++) {
            check_branch(h, pc, word, pair[j][0], pair[j][1], taken[j] ? target : pc + 4);
        }
    }
}

/* A branch that is not taken does not fault, wherever it would lead. */
TEST(branch_to_nowhere)
{
    struct harness *h = harness_create(RV32_B);
    check_branch(h, 0x40, words_b(0, T1, T2, 6), 1, 2, 0x44);
    check_branch(h, 0x40, words_b(0, T1, T2, -4096), 1, 2, 0x44);
    h->hart.x[T1] = h->hart.x[T2] = 1;
    harness_execute(h, 0x40, words_b(0, T1, T2, 6));
    harness_run(h, 2);
    ck_assert_int_eq(h->hart.stop, RV32_STOP_FAULT);
    ck_assert_int_eq(h->hart.fault.kind, PENROSE_FAULT_FETCH);
}

TEST(jal)
{
    struct harness *h = harness_create(RV32_NC);
    static const int32_t far[] = {4, -4, 0x800, -0x800, 0x1000, 0x7ffc, -0x4000, 0x5a5a4 & 0x7ffc};
    for (int i = 0; i < COUNT(far); i++) {
        uint32_t pc = 0x40fc;
        harness_execute(h, pc, words_j(RA, far[i]));
        ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
        ck_assert_uint_eq(h->hart.pc, pc + (uint32_t)far[i]);
        ck_assert_uint_eq(h->hart.x[RA], pc + 4);
        harness_execute(h, pc, words_j(X0, far[i]));
        ck_assert_uint_eq(h->hart.pc, pc + (uint32_t)far[i]);
        ck_assert_uint_eq(h->hart.x[0], 0);
    }
}

static const struct {
    uint32_t rd, rs1, base;
    int32_t immediate;
    uint32_t target;
} jumps[] = {
    {RA, T1, 0x1000, 0, 0x1000},    {RA, T1, 0x1001, 0, 0x1000},  {RA, T1, 0x1000, 1, 0x1000},
    {RA, T1, 0x1003, 1, 0x1004},    {RA, T1, 0x10ff, -3, 0x10fc}, {T1, T1, 0x2000, 4, 0x2004},
    {X0, T1, 0x2000, 2047, 0x27fe}, {X0, T1, 0x2001, -1, 0x2000}, {RA, T1, 0x2800, -2048, 0x2000},
    {X0, X0, 0, 0x100, 0x100},      {X0, X0, 0, 0x101, 0x100},
};

TEST_EACH(jalr, COUNT(jumps))
{
    struct harness *h = harness_create(RV32_T1);
    h->mode = (enum harness_mode)(_i % HARNESS_MODES);
    uint32_t rd = jumps[_i].rd;
    h->hart.x[jumps[_i].rs1] = jumps[_i].base;
    harness_execute(h, 0xfc, words_i(0x67, 0, rd, jumps[_i].rs1, jumps[_i].immediate));
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    ck_assert_uint_eq(h->hart.pc, jumps[_i].target);
    ck_assert_uint_eq(h->hart.x[rd], rd ? 0x100 : 0);
}

/* A subroutine in another page, called in a loop. */
TEST(calls)
{
    static const char *const caller[] = {"addi t0, zero, 10",
                                         "addi t1, zero, 0",
                                         "jal ra, 0x200",
                                         "addi t0, t0, -1",
                                         "bne t0, zero, 0x100",
                                         "ebreak",
                                         NULL};
    static const char *const callee[] = {"add t1, t1, t0", "jalr zero, 0(ra)", NULL};
    for (enum harness_mode mode = 0; mode < HARNESS_MODES; mode++) {
        struct harness *h = harness_create(RV32_B);
        h->mode = mode;
        harness_program(h, 0xf8, caller);
        harness_program(h, 0x200, callee);
        h->hart.pc = 0xf8;
        unsigned used = harness_run(h, 1000);
        ck_assert_int_eq(h->hart.stop, RV32_STOP_PAUSE);
        ck_assert_uint_eq(h->hart.pc, 0x110);
        ck_assert_uint_eq(h->hart.x[T1], 55);
        ck_assert_uint_le(used, 2 + 10 * 5 + 1);
    }
}

/* --- Fetch --- */

static const uint32_t bad_pcs[] = {
    HARNESS_L1_BYTES, RV32_LOCAL_BASE, 0xfffffffc, 0x80000000, 0x102, 0x101, 0x103, 0xffb12000,
};

TEST_EACH(bad_fetch, COUNT(bad_pcs))
{
    struct harness *h = harness_create(RV32_B);
    h->mode = (enum harness_mode)(_i % HARNESS_MODES);
    harness_words(h, RV32_LOCAL_BASE, (const uint32_t[]){WORD_NOP, WORD_NOP}, 2);
    h->hart.pc = bad_pcs[_i];
    harness_run(h, 5);
    ck_assert_int_eq(h->hart.stop, RV32_STOP_FAULT);
    ck_assert_int_eq(h->hart.fault.kind, PENROSE_FAULT_FETCH);
    ck_assert_uint_eq(h->hart.fault.address, bad_pcs[_i]);
    ck_assert_uint_eq(h->hart.pc, bad_pcs[_i]);
}

TEST(runs_off_the_end)
{
    struct harness *h = harness_create(RV32_B);
    harness_words(h, HARNESS_L1_BYTES - 8, (const uint32_t[]){WORD_NOP, WORD_NOP}, 2);
    h->hart.pc = HARNESS_L1_BYTES - 8;
    harness_run(h, 5);
    ck_assert_int_eq(h->hart.stop, RV32_STOP_FAULT);
    ck_assert_int_eq(h->hart.fault.kind, PENROSE_FAULT_FETCH);
    ck_assert_uint_eq(h->hart.pc, HARNESS_L1_BYTES);
}

/* --- Loads and stores --- */

static const struct {
    const char *mnemonic;
    uint32_t funct3;
    unsigned size;
    bool sign;
} loads[] = {
    {"lb", 0, 1, true},   {"lh", 1, 2, true},   {"lw", 2, 4, false},
    {"lbu", 4, 1, false}, {"lhu", 5, 2, false},
};

static const struct {
    const char *mnemonic;
    uint32_t funct3;
    unsigned size;
} stores[] = {{"sb", 0, 1}, {"sh", 1, 2}, {"sw", 2, 4}};

static uint32_t extended(uint32_t value, unsigned size, bool sign)
{
    unsigned unused = 32 - 8 * size;
    uint32_t high = unused ? UINT32_MAX << (32 - unused) : 0;
    bool fill = sign && value >> (8 * size - 1) & 1;
    return (value & ~high) | (fill ? high : 0);
}

static const uint32_t data_bases[] = {0x8000, HARNESS_L1_BYTES - 8, RV32_LOCAL_BASE,
                                      RV32_LOCAL_BASE + HARNESS_LOCAL_BYTES - 8};

TEST_EACH(load, COUNT(loads))
{
    struct harness *h = harness_create(RV32_B);
    static const uint8_t bytes[8] = {0x80, 0x7f, 0xff, 0x01, 0x00, 0x81, 0x7e, 0xfe};
    char text[48];
    for (int i = 0; i < COUNT(data_bases); i++) {
        for (unsigned j = 0; j < 8; j++) {
            harness_store(h, data_bases[i] + j, 1, bytes[j]);
        }
        for (unsigned offset = 0; offset < 8; offset += loads[_i].size) {
            uint32_t address = data_bases[i] + offset;
            uint32_t expected =
                extended(harness_load(h, address, loads[_i].size), loads[_i].size, loads[_i].sign);
            h->hart.x[T1] = data_bases[i] + 100;
            uint32_t word = words_i(OPCODE_LOAD, loads[_i].funct3, T0, T1, (int)offset - 100);
            snprintf(text, sizeof text, "%s t0, %d(t1)", loads[_i].mnemonic, (int)offset - 100);
            harness_check_text(h, word, 0, text);
            harness_do(h, word);
            ck_assert_uint_eq(h->hart.x[T0], expected);
            harness_do(h, words_i(OPCODE_LOAD, loads[_i].funct3, T1, T1, (int)offset - 100));
            ck_assert_uint_eq(h->hart.x[T1], expected);
            h->hart.x[T1] = address;
            harness_do(h, words_i(OPCODE_LOAD, loads[_i].funct3, X0, T1, 0));
            ck_assert_uint_eq(h->hart.x[0], 0);
        }
    }
    ck_assert_uint_eq(h->accesses, 0);
}

TEST_EACH(store, COUNT(stores))
{
    struct harness *h = harness_create(RV32_T2);
    char text[48];
    for (int i = 0; i < COUNT(data_bases); i++) {
        for (unsigned offset = 0; offset < 8; offset += stores[_i].size) {
            uint32_t base = data_bases[i], bits = stores[_i].size * 8;
            for (unsigned j = 0; j < 8; j++) {
                harness_store(h, base + j, 1, 0x10 + j);
            }
            h->hart.x[T1] = base - 2047 + offset;
            h->hart.x[T2] = 0x89abcdef;
            uint32_t word = words_s(OPCODE_STORE, stores[_i].funct3, T2, T1, 2047);
            snprintf(text, sizeof text, "%s t2, 2047(t1)", stores[_i].mnemonic);
            harness_check_text(h, word, 0, text);
            harness_do(h, word);
            for (unsigned j = 0; j < 8; j++) {
                bool hit = j >= offset && j < offset + stores[_i].size;
                uint32_t byte = hit ? 0x89abcdef >> 8 * (j - offset) & 0xff : 0x10 + j;
                ck_assert_uint_eq(harness_load(h, base + j, 1), byte);
            }
            h->hart.x[T1] = base + offset;
            harness_do(h, words_s(OPCODE_STORE, stores[_i].funct3, X0, T1, 0));
            ck_assert_uint_eq(harness_load(h, base + offset, bits / 8), 0);
        }
    }
    ck_assert_uint_eq(h->accesses, 0);
}

/* Addresses outside L1 and the own local RAM reach the bus, with size and extension. */
TEST(bus_access)
{
    struct harness *h = harness_create(RV32_B);
    h->value = 0xfedcba98;
    h->hart.x[T1] = MMIO;
    for (int i = 0; i < COUNT(loads); i++) {
        unsigned before = h->accesses;
        harness_do(h, words_i(OPCODE_LOAD, loads[i].funct3, T0, T1, 8));
        ck_assert_uint_eq(h->accesses, before + 1);
        ck_assert_uint_eq(h->log[before].address, MMIO + 8);
        ck_assert_uint_eq(h->log[before].size, loads[i].size);
        ck_assert(!h->log[before].store);
        if (loads[i].size == 4) {
            ck_assert_uint_eq(h->hart.x[T0], h->value);
        }
    }
    for (int i = 0; i < COUNT(stores); i++) {
        unsigned before = h->accesses;
        uint32_t mask = UINT32_MAX >> (32 - 8 * stores[i].size);
        h->hart.x[T2] = 0x01234567;
        harness_do(h, words_s(OPCODE_STORE, stores[i].funct3, T2, T1, -4));
        ck_assert_uint_eq(h->accesses, before + 1);
        ck_assert_uint_eq(h->log[before].address, MMIO - 4);
        ck_assert_uint_eq(h->log[before].size, stores[i].size);
        ck_assert_uint_eq(h->log[before].value & mask, 0x01234567 & mask);
        ck_assert(h->log[before].store);
    }
    /* a load into x0 is a load all the same */
    unsigned before = h->accesses;
    harness_do(h, words_i(OPCODE_LOAD, 2, X0, T1, 0));
    ck_assert_uint_eq(h->accesses, before + 1);
    ck_assert_uint_eq(h->hart.x[0], 0);
}

/* Narrow loads from the bus: what the bus answers is extended from the access's size. */
TEST(bus_extension)
{
    struct harness *h = harness_create(RV32_B);
    static const uint32_t values[] = {0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff};
    h->hart.x[T1] = MMIO;
    for (int i = 0; i < COUNT(loads); i++) {
        for (int j = 0; j < COUNT(values); j++) {
            if (loads[i].size == 1 && values[j] > 0xff) {
                continue;
            }
            h->value = values[j];
            harness_do(h, words_i(OPCODE_LOAD, loads[i].funct3, T0, T1, 0));
            ck_assert_uint_eq(h->hart.x[T0], extended(values[j], loads[i].size, loads[i].sign));
        }
    }
}

/* An access that has to wait leaves no trace and is offered again. */
TEST(waits)
{
    for (enum harness_mode mode = 0; mode < HARNESS_MODES; mode++) {
        struct harness *h = harness_create(RV32_T0);
        h->mode = mode;
        static const char *const lines[] = {"addi t0, zero, 1", "lw t0, 4(t1)", "addi t2, t0, 1",
                                            "sw t2, 8(t1)",     "ebreak",       NULL};
        harness_program(h, 0x80, lines);
        h->hart.x[T1] = MMIO;
        h->hart.pc = 0x80;
        h->waits = 3;
        h->value = 41;
        for (int i = 0; i < 3; i++) {
            harness_run(h, 10);
            ck_assert_int_eq(h->hart.stop, RV32_STOP_WAIT);
            ck_assert_uint_eq(h->hart.pc, 0x84);
            ck_assert_uint_eq(h->hart.x[T0], 1);
            ck_assert_uint_eq(h->hart.access.address, MMIO + 4);
            ck_assert(!h->hart.access.store);
        }
        harness_run(h, 10);
        ck_assert_int_eq(h->hart.stop, RV32_STOP_PAUSE);
        ck_assert_uint_eq(h->hart.x[T0], 41);
        ck_assert_uint_eq(h->accesses, 2);
        ck_assert_uint_eq(h->log[1].value, 42);
    }
}

TEST(refused)
{
    struct harness *h = harness_create(RV32_T0);
    h->reply = ANSWER_REFUSED;
    h->hart.x[T1] = MMIO;
    h->hart.x[T0] = 5;
    uint32_t word = words_i(OPCODE_LOAD, 2, T0, T1, 0);
    harness_execute(h, 0x80, word);
    harness_check_fault(h, PENROSE_FAULT_UNMAPPED, 0x80, word);
    ck_assert_uint_eq(h->hart.fault.address, MMIO);
    ck_assert_uint_eq(h->hart.x[T0], 5);
    word = words_s(OPCODE_STORE, 0, T0, T1, 1);
    harness_execute(h, 0x80, word);
    harness_check_fault(h, PENROSE_FAULT_UNMAPPED, 0x80, word);
    ck_assert_uint_eq(h->hart.fault.address, MMIO + 1);
}

static const struct {
    uint32_t opcode, funct3, address;
} misaligned[] = {
    {OPCODE_LOAD, 1, 0x8001},
    {OPCODE_LOAD, 5, 0x8003},
    {OPCODE_LOAD, 2, 0x8001},
    {OPCODE_LOAD, 2, 0x8002},
    {OPCODE_LOAD, 2, 0x8003},
    {OPCODE_LOAD, 1, RV32_LOCAL_BASE + 1},
    {OPCODE_LOAD, 2, RV32_LOCAL_BASE + 2},
    {OPCODE_LOAD, 2, MMIO + 2},
    {OPCODE_LOAD, 1, MMIO + 1},
    {OPCODE_STORE, 1, 0x8001},
    {OPCODE_STORE, 2, 0x8002},
    {OPCODE_STORE, 2, 0x8001},
    {OPCODE_STORE, 1, RV32_LOCAL_BASE + 3},
    {OPCODE_STORE, 2, RV32_LOCAL_BASE + 1},
    {OPCODE_STORE, 2, MMIO + 1},
    {OPCODE_STORE, 1, MMIO + 3},
    {OPCODE_STORE, 2, 0x43},
    {OPCODE_LOAD, 2, HARNESS_L1_BYTES - 2},
};

TEST_EACH(misaligned_access, COUNT(misaligned))
{
    struct harness *h = harness_create(RV32_B);
    uint32_t address = misaligned[_i].address;
    uint32_t word = misaligned[_i].opcode == OPCODE_LOAD
                        ? words_i(OPCODE_LOAD, misaligned[_i].funct3, T0, T1, 0)
                        : words_s(OPCODE_STORE, misaligned[_i].funct3, T0, T1, 0);
    h->hart.x[T0] = 0x5a5a5a5a;
    h->hart.x[T1] = address;
    harness_execute(h, 0x40, word);
    harness_check_fault(h, PENROSE_FAULT_MISALIGNED, 0x40, word);
    ck_assert_uint_eq(h->hart.fault.address, address);
    ck_assert_uint_eq(h->hart.x[T0], 0x5a5a5a5a);
    ck_assert_uint_eq(h->accesses, 0);
}

/* Into L1, bytes keep their lanes; none gets beyond its line. */
static const struct {
    uint32_t funct3, address, value;
    uint32_t words[2]; /* from the word of the address on; 0xdeadbeef before */
} in_lanes[] = {
    {2, 0x8001, 0x11223344, {0x112233ef, 0xdeadbe44}},
    {2, 0x8002, 0x11223344, {0x1122beef, 0xdead3344}},
    {2, 0x8003, 0x11223344, {0x11adbeef, 0xde223344}},
    {2, 0x800b, 0x11223344, {0x11adbeef, 0xde223344}},
    {2, 0x800d, 0x11223344, {0x112233ef, 0xdeadbeef}},
    {2, 0x800e, 0x11223344, {0x1122beef, 0xdeadbeef}},
    {2, 0x800f, 0x11223344, {0x11adbeef, 0xdeadbeef}},
    {1, 0x8001, 0xffffcc69, {0xde69ccef, 0xdeadbeef}},
    {1, 0x8003, 0xffffcc69, {0xccadbeef, 0xdeadbe69}},
    {1, 0x8007, 0xffffcc69, {0xccadbeef, 0xdeadbe69}},
    {1, 0x800f, 0xffffcc69, {0xccadbeef, 0xdeadbeef}},
    {2, HARNESS_L1_BYTES - 1, 0x11223344, {0x11adbeef}},
    {1, RV32_LOCAL_BASE + 3, 0xffffcc69, {0xdeadbeef, 0xdeadbeef}}, /* nobody has tried there */
};

TEST_EACH(misaligned_store, COUNT(in_lanes))
{
    struct harness *h = harness_create(RV32_B);
    uint32_t first = in_lanes[_i].address & ~3u;
    unsigned words = in_lanes[_i].words[1] ? 2 : 1;
    uint32_t word = words_s(OPCODE_STORE, in_lanes[_i].funct3, T0, T1, 0);
    for (unsigned i = 0; i < words; i++) {
        harness_store(h, first + 4 * i, 4, 0xdeadbeef);
    }
    h->hart.x[T0] = in_lanes[_i].value;
    h->hart.x[T1] = in_lanes[_i].address;
    harness_execute(h, 0x40, word);
    harness_check_fault(h, PENROSE_FAULT_MISALIGNED, 0x40, word);
    ck_assert_uint_eq(h->hart.fault.address, in_lanes[_i].address);
    for (unsigned i = 0; i < words; i++) {
        ck_assert_uint_eq(harness_load(h, first + 4 * i, 4), in_lanes[_i].words[i]);
    }
}

TEST(fences)
{
    struct harness *h = harness_create(RV32_B);
    /* any pred, succ, fm, rd and rs1: all fences are the strongest */
    static const uint32_t words[] = {0x0ff0000f, 0x0000000f, 0x8330000f, 0x0120000f, 0x01f9838f};
    h->hart.x[T2] = 9;
    for (int i = 0; i < COUNT(words); i++) {
        harness_do(h, words[i]);
        ck_assert_uint_eq(h->fences, (unsigned)i + 1);
        harness_check_mnemonic(h, words[i], "fence");
    }
    ck_assert_uint_eq(h->hart.x[T2], 9);
}

/* --- Atomics --- */

static const struct {
    const char *mnemonic;
    uint32_t funct5, memory, operand, result;
} atomics[] = {
    {"amoadd.w", 0x00, 0xffffffff, 2, 1},
    {"amoswap.w", 0x01, 0x12345678, 0x9abcdef0, 0x9abcdef0},
    {"amoxor.w", 0x04, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
    {"amoor.w", 0x08, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
    {"amoand.w", 0x0c, 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
    {"amomin.w", 0x10, 0x80000000, 1, 0x80000000},
    {"amomin.w", 0x10, 1, 0xffffffff, 0xffffffff},
    {"amomax.w", 0x14, 0x80000000, 1, 1},
    {"amomax.w", 0x14, 5, 0xffffffff, 5},
    {"amominu.w", 0x18, 0x80000000, 1, 1},
    {"amominu.w", 0x18, 1, 0xffffffff, 1},
    {"amomaxu.w", 0x1c, 0x80000000, 1, 0x80000000},
    {"amomaxu.w", 0x1c, 5, 0xffffffff, 0xffffffff},
};

static uint32_t atomic_word(uint32_t funct5, uint32_t ordering, uint32_t rd, uint32_t rs1,
                            uint32_t rs2)
{
    return words_r(OPCODE_AMO, 2, funct5 << 2 | ordering, rd, rs1, rs2);
}

TEST_EACH(atomic, COUNT(atomics))
{
    struct harness *h = harness_create(RV32_NC);
    uint32_t funct5 = atomics[_i].funct5;
    for (uint32_t ordering = 0; ordering < 4; ordering++) {
        harness_store(h, 0x8004, 4, atomics[_i].memory);
        h->hart.x[T1] = 0x8004;
        h->hart.x[T2] = atomics[_i].operand;
        uint32_t word = atomic_word(funct5, ordering, T0, T1, T2);
        harness_check_mnemonic(h, word, atomics[_i].mnemonic);
        harness_do(h, word);
        ck_assert_uint_eq(h->hart.x[T0], atomics[_i].memory);
        ck_assert_uint_eq(harness_load(h, 0x8004, 4), atomics[_i].result);
        ck_assert_uint_eq(harness_load(h, 0x8000, 4), 0);
        ck_assert_uint_eq(harness_load(h, 0x8008, 4), 0);
        ck_assert_uint_eq(h->hart.x[T2], atomics[_i].operand);
    }
    /* rd is the operand's register, rd is x0, rd is the address's register */
    static const uint32_t destinations[] = {T2, X0, T1};
    for (int i = 0; i < COUNT(destinations); i++) {
        harness_store(h, 0x8004, 4, atomics[_i].memory);
        h->hart.x[T1] = 0x8004;
        h->hart.x[T2] = atomics[_i].operand;
        harness_do(h, atomic_word(funct5, 0, destinations[i], T1, T2));
        ck_assert_uint_eq(harness_load(h, 0x8004, 4), atomics[_i].result);
        ck_assert_uint_eq(h->hart.x[destinations[i]], destinations[i] ? atomics[_i].memory : 0);
    }
}

static const struct {
    uint32_t address;
    enum penrose_fault_kind kind;
} bad_atomics[] = {
    {RV32_LOCAL_BASE, PENROSE_FAULT_ATOMIC},  {MMIO, PENROSE_FAULT_ATOMIC},
    {HARNESS_L1_BYTES, PENROSE_FAULT_ATOMIC}, {RV32_PUSH_BASE, PENROSE_FAULT_ATOMIC},
    {0x8001, PENROSE_FAULT_MISALIGNED},       {0x8002, PENROSE_FAULT_MISALIGNED},
};

TEST_EACH(bad_atomic, COUNT(bad_atomics))
{
    struct harness *h = harness_create(RV32_T0);
    for (int i = 0; i < COUNT(atomics); i++) {
        h->hart.x[T0] = 3;
        h->hart.x[T1] = bad_atomics[_i].address;
        h->hart.x[T2] = 7;
        uint32_t word = atomic_word(atomics[i].funct5, 0, T0, T1, T2);
        harness_execute(h, 0x40, word);
        harness_check_fault(h, bad_atomics[_i].kind, 0x40, word);
        ck_assert_uint_eq(h->hart.fault.address, bad_atomics[_i].address);
        ck_assert_uint_eq(h->hart.x[T0], 3);
        ck_assert_uint_eq(h->accesses + h->pushes, 0);
    }
}

/* An atomic flushes like a fence; both may have to wait, and then leave no trace. */
TEST(ordering_waits)
{
    struct harness *h = harness_create(RV32_B);
    static const uint32_t fence = 0x0ff0000f;
    const uint32_t words[] = {fence, atomic_word(0x00, 0, T0, T1, T2)};
    for (int i = 0; i < COUNT(words); i++) {
        harness_reset(h);
        harness_store(h, 0x8000, 4, 5);
        h->hart.x[T1] = 0x8000;
        h->hart.x[T2] = 7;
        h->waits = 2;
        for (int j = 0; j < 2; j++) {
            harness_execute(h, 0x40, words[i]);
            ck_assert_int_eq(h->hart.stop, RV32_STOP_WAIT);
            ck_assert_uint_eq(h->hart.pc, 0x40);
            ck_assert_uint_eq(h->hart.x[T0], 0);
            ck_assert_uint_eq(harness_load(h, 0x8000, 4), 5);
        }
        harness_do(h, words[i]);
        ck_assert_uint_eq(h->fences, 1);
        ck_assert_uint_eq(harness_load(h, 0x8000, 4), i ? 12 : 5);
        ck_assert_uint_eq(h->hart.x[T0], i ? 5 : 0);
    }
}

/* --- Code that writes code --- */

/* Each program overwrites one of its own words; t0 counts what was executed. t1 is the word's
 * address, t2 the new word (addi t0, t0, 64). */
static const struct {
    const char *lines[7];
    uint32_t pc, victim, expected;
} rewrites[] = {
    /* the next instruction */
    {{"sw t2, 0(t1)", "addi t0, t0, 1", "ebreak"}, 0x100, 0x104, 64},
    /* the next but one, first and last word of the page after */
    {{"sw t2, 0(t1)", "addi t0, t0, 1", "addi t0, t0, 1", "ebreak"}, 0x1f8, 0x200, 65},
    {{"sw t2, 0(t1)", "addi t0, t0, 1", "ebreak"}, 0x1fc, 0x200, 64},
    /* behind, then jump back to it */
    {{"addi t0, t0, 1", "bge t0, a0, 0x110", "sw t2, 0(t1)", "jal zero, 0x100", "ebreak"},
     0x100,
     0x100,
     65},
    /* the store itself: it has been fetched, so the old one finishes */
    {{"addi t0, t0, 1", "sw t2, 0(t1)", "bge t0, a0, 0x110", "jal zero, 0x104", "ebreak"},
     0x100,
     0x104,
     65},
    /* a halfword and a byte of the word: the immediate becomes 64 */
    {{"sh a1, 2(t1)", "addi t0, t0, 1", "ebreak"}, 0x100, 0x104, 64},
    {{"sb a2, 3(t1)", "addi t0, t0, 1", "ebreak"}, 0x100, 0x104, 65},
    /* an atomic swap */
    {{"amoswap.w a3, t2, (t1)", "addi t0, t0, 1", "ebreak"}, 0x100, 0x104, 64},
    /* fences do no harm */
    {{"sw t2, 0(t1)", "fence 0xf, 0xf", "addi t0, t0, 1", "ebreak"}, 0x100, 0x108, 64},
    /* data in the page of the code, not executed */
    {{"sw t2, 0(t1)", "addi t0, t0, 1", "ebreak"}, 0x100, 0x180, 1},
};

TEST_EACH(rewrite, COUNT(rewrites))
{
    for (enum harness_mode mode = 0; mode < HARNESS_MODES; mode++) {
        struct harness *h = harness_create(RV32_B);
        h->mode = mode;
        /* everything has been executed once before: all pages are decoded */
        for (int round = 0; round < 2; round++) {
            harness_reset(h);
            harness_program(h, rewrites[_i].pc, rewrites[_i].lines);
            h->hart.pc = rewrites[_i].pc;
            h->hart.x[T1] = rewrites[_i].victim;
            h->hart.x[T2] = words_i(OPCODE_OP_IMM, 0, T0, T0, 64);
            h->hart.x[A0] = 64;
            h->hart.x[A1] = h->hart.x[T2] >> 16;
            h->hart.x[A2] = h->hart.x[T2] >> 24;
            harness_run(h, 100);
            ck_assert_int_eq(h->hart.stop, RV32_STOP_PAUSE);
            ck_assert_msg(h->hart.x[T0] == rewrites[_i].expected, "case %d round %d: t0 = %u", _i,
                          round, h->hart.x[T0]);
        }
    }
}

/* Another agent's write (rv32_code_written) shows between bursts; same bytes, two places. */
TEST(foreign_write)
{
    struct harness *h = harness_create(RV32_B);
    static const char *const lines[] = {"addi t0, t0, 1", "jal zero, 0x100", NULL};
    harness_program(h, 0x100, lines);
    h->hart.pc = 0x100;
    harness_run(h, 20);
    ck_assert_uint_eq(h->hart.x[T0], 10);
    harness_put_word(h, 0x100, words_i(OPCODE_OP_IMM, 0, T0, T0, -1));
    harness_run(h, 8);
    ck_assert_uint_eq(h->hart.x[T0], 6);
    harness_put_word(h, 0x104, WORD_EBREAK);
    harness_run(h, 8);
    ck_assert_int_eq(h->hart.stop, RV32_STOP_PAUSE);
    ck_assert_uint_eq(h->hart.x[T0], 5);
}

/* --- Pushes --- */

static const uint32_t tensix_words[] = {0x00000000, 0x40000001, 0x80000002, 0xbfffffff,
                                        0x12345678, 0x45000000, 0x92345679, 0x3fffffff};

TEST_EACH(ttinsn, COUNT(tensix_words))
{
    uint32_t instruction = tensix_words[_i];
    uint32_t word = instruction << 2 | instruction >> 30; /* rotated left by two */
    static const enum rv32_core cores[] = {RV32_T0, RV32_T1, RV32_T2, RV32_B};
    char text[40];
    ck_assert_uint_ne(word & 3, 3);
    for (int i = 0; i < COUNT(cores); i++) {
        struct harness *h = harness_create(cores[i]);
        snprintf(text, sizeof text, ".ttinsn 0x%x", instruction);
        ck_assert_uint_eq(harness_encode(text, 0), word);
        harness_do(h, word);
        ck_assert_uint_eq(h->pushes, 1);
        ck_assert_uint_eq(h->accesses, 0);
        ck_assert_uint_eq(h->pushed[0].instruction, instruction);
        /* the same as a store word to the instruction buffer */
        h->hart.x[T1] = RV32_PUSH_BASE;
        h->hart.x[T2] = instruction;
        harness_do(h, words_s(OPCODE_STORE, 2, T2, T1, 0));
        ck_assert_uint_eq(h->pushes, 2);
        ck_assert_uint_eq(h->pushed[1].instruction, instruction);
        for (int r = 0; r < 32; r++) {
            ck_assert_uint_eq(h->hart.x[r], r == T1 ? RV32_PUSH_BASE : r == T2 ? instruction : 0);
        }
    }
}

/* Pushes keep their order and are offered again when the FIFO is full. */
TEST(push_waits)
{
    for (enum harness_mode mode = 0; mode < HARNESS_MODES; mode++) {
        struct harness *h = harness_create(RV32_T1);
        h->mode = mode;
        for (uint32_t i = 0; i < 6; i++) {
            harness_put_word(h, 0xf8 + 4 * i, (0x10000000 + i) << 2);
        }
        harness_put_word(h, 0x110, WORD_EBREAK);
        h->hart.pc = 0xf8;
        h->waits = 2;
        for (int i = 0; i < 2; i++) {
            harness_run(h, 20);
            ck_assert_int_eq(h->hart.stop, RV32_STOP_WAIT);
            ck_assert_uint_eq(h->hart.pc, 0xf8);
        }
        harness_run(h, 3);
        h->waits = 1;
        harness_run(h, 20);
        ck_assert_int_eq(h->hart.stop, RV32_STOP_WAIT);
        ck_assert_uint_eq(h->hart.pc, 0x104);
        harness_run(h, 20);
        ck_assert_int_eq(h->hart.stop, RV32_STOP_PAUSE);
        ck_assert_uint_eq(h->pushes, 6);
        for (uint32_t i = 0; i < 6; i++) {
            ck_assert_uint_eq(h->pushed[i].instruction, 0x10000000 + i);
        }
    }
}

/* Stores to one place that stand together are pushed together, each with its own word and cycle, and
 * no store behind a different one. */
TEST(adjacent_stores_push)
{
    static const struct {
        uint32_t offset, source;
    } rows[] = {{0, T2}, {0, A0}, {0, A1}, {4, A0}, {0, A1}, {0, T2}};
    enum { STORES = COUNT(rows), SECOND = 3 };
    for (enum harness_mode mode = 0; mode < HARNESS_MODES; mode++) {
        struct harness *h = harness_create(RV32_T2);
        h->mode = mode;
        h->hart.x[T1] = RV32_PUSH_BASE;
        h->hart.x[T2] = 0x11111111;
        h->hart.x[A0] = 0x22222222;
        h->hart.x[A1] = 0x33333333;
        for (uint32_t i = 0; i < STORES; i++) {
            harness_put_word(h, 0x100 + 4 * i,
                             words_s(OPCODE_STORE, 2, rows[i].source, T1, (int)rows[i].offset));
        }
        harness_put_word(h, 0x100 + 4 * STORES, WORD_EBREAK);
        h->hart.pc = 0x100;
        harness_run(h, STORES);
        ck_assert_uint_eq(h->pushes, STORES - 1);
        ck_assert_uint_eq(h->accesses,
                          1); /* the one to RV32_PUSH_BASE + 4, which this bus leaves */
        for (uint32_t i = 0, n = 0; i < STORES; i++) {
            if (i == SECOND) {
                continue;
            }
            ck_assert_uint_eq(h->pushed[n].instruction, h->hart.x[rows[i].source]);
            ck_assert_uint_eq(h->pushed[n].cycle, h->pushed[0].cycle + i);
            n++;
        }
    }
}

/* --- Pauses, illegal words, instructions that the harts do not have --- */

TEST(pauses)
{
    static const uint32_t words[] = {WORD_EBREAK, WORD_ECALL};
    for (int i = 0; i < 2 * RV32_CORES; i++) {
        struct harness *h = harness_create((enum rv32_core)(i / 2));
        h->mode = (enum harness_mode)(i % HARNESS_MODES);
        h->hart.pc = 0xf8;
        harness_words(h, 0xf8, (const uint32_t[]){WORD_NOP, words[i % 2], 0x00100293}, 3);
        harness_run(h, 100);
        ck_assert_int_eq(h->hart.stop, RV32_STOP_PAUSE);
        ck_assert_uint_eq(h->hart.pc, 0x100); /* past it */
        ck_assert_uint_eq(h->hart.x[T0], 0);
        harness_run(h, 1);
        ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
        ck_assert_uint_eq(h->hart.x[T0], 1);
    }
}

static const uint32_t illegal_words[] = {
    0xffffffff, 0x0000000b, 0x0000002b, 0x0000005b, 0x0000007b, /* custom opcodes */
    0x00003003, 0x00006003, 0x00007003,                         /* ld, lwu, none */
    0x00003023, 0x00004023,                                     /* sd, none */
    0x0000001b, 0x0000003b,                                     /* addiw, addw */
    0x00002063, 0x00003063,                                     /* no such branches */
    0x00001067, 0x00007067,                                     /* no such jumps */
    0x02001013, 0x02005013, 0x40001013,                         /* shifts of RV64, none */
    0x04000033, 0x80000033, 0x40001033, 0x40002033,             /* none */
    0x0000302f, 0x0000002f, 0x2800202f,                         /* amoadd.d, none, none */
    0x00004073, 0x00200073, 0x7b200073,                         /* none, uret, dret */
    0x60301013, 0x6bf05013, 0x28605013,                         /* none, rev8 of RV64, gorci 6 */
    0x0000201f, 0x0000003f, 0x0000007f,                         /* long encodings */
};

TEST_EACH(illegal, COUNT(illegal_words))
{
    uint32_t word = illegal_words[_i];
    for (enum rv32_core core = 0; core < RV32_CORES; core++) {
        struct harness *h = harness_create(core);
        h->mode = (enum harness_mode)(core % HARNESS_MODES);
        harness_execute(h, 0xfc, word);
        harness_check_fault(h, PENROSE_FAULT_ILLEGAL, 0xfc, word);
        for (int i = 0; i < 32; i++) {
            ck_assert_uint_eq(h->hart.x[i], 0);
        }
    }
}

/* What the InstructionSet page says is missing. */
static const struct {
    uint32_t word;
    const char *mnemonic;
} absent[] = {
    {0x100322af, "lr.w"},    {0x160322af, "lr.w"},    {0x187322af, "sc.w"},
    {0x1e7322af, "sc.w"},    {0x187302d3, "fdiv.s"},  {0x187372d3, "fdiv.s"},
    {0x580302d3, "fsqrt.s"}, {0x1c7302d3, "fdiv.h"},  {0x5c0372d3, "fsqrt.h"},
    {0x10500073, "wfi"},     {0x0000100f, "fence.i"}, {0x10200073, "sret"},
    {0x087372b3, "packh"},   {0x08f31293, "zip"},     {0x08f35293, "unzip"},
    {0x487312b3, "bclr"},    {0x487352b3, "bext"},    {0x687312b3, "binv"},
    {0x287312b3, "bset"},    {0x48731293, "bclri"},   {0x48735293, "bexti"},
    {0x68731293, "binvi"},   {0x28731293, "bseti"},   {0x0a7312b3, "clmul"},
    {0x0a7322b3, "clmulr"},  {0x0a7332b3, "clmulh"},  {0x287322b3, "xperm4"},
    {0x287342b3, "xperm8"},
};

TEST_EACH(absent_instruction, COUNT(absent))
{
    struct harness *h = harness_create(RV32_B);
    uint32_t word = absent[_i].word;
    h->hart.x[T0] = 11;
    h->hart.x[T1] = 0x8000;
    harness_check_mnemonic(h, word, absent[_i].mnemonic);
    harness_execute(h, 0x40, word);
    harness_check_fault(h, PENROSE_FAULT_STUB, 0x40, word);
    ck_assert_uint_eq(h->hart.x[T0], 11);
    ck_assert_msg(strstr(h->hart.fault.detail, absent[_i].mnemonic), "%s is not named in \"%s\"",
                  absent[_i].mnemonic, h->hart.fault.detail);
}

/* V belongs to T2 alone: vsetvli t0, t1, e32, m1; vadd.vv v1, v2, v3; vle32.v v1, (t1) */
TEST(vector_elsewhere)
{
    static const uint32_t words[] = {0x010372d7, 0x022180d7, 0x02036087};
    for (enum rv32_core core = 0; core < RV32_CORES; core++) {
        for (int i = 0; i < COUNT(words) && core != RV32_T2; i++) {
            struct harness *h = harness_create(core);
            h->hart.x[T1] = 0x8000;
            harness_execute(h, 0x40, words[i]);
            harness_check_fault(h, PENROSE_FAULT_ILLEGAL, 0x40, words[i]);
        }
    }
}

/* --- The stack --- */

/* Instructions that need room on the stack, over the bus where that makes a difference. */
static const char *const greedy[] = {
    "lw t0, 0(a0)",
    "sw t0, 0(a0)",
    "sw t0, 0(a2)",
    ".ttinsn 0x2000000",
    "amoadd.w t0, t1, (a1)",
    "flw ft0, 0(a0)",
    "flh ft0, 0(a0)",
    "fadd.s ft0, ft1, ft2",
    "vsetivli t0, 4, e32, m1, ta, ma",
    "vle32.v v1, (a1)",
    "vse32.v v1, (a1)",
    "vadd.vv v1, v2, v3",
    "vredsum.vs v1, v2, v3",
    "vmand.mm v1, v2, v3",
    "vcpop.m t0, v1",
    "vfirst.m t0, v1",
    "vmsbf.m v1, v2",
    "viota.m v1, v2",
    "vid.v v1",
    "vmv.x.s t0, v1",
    "vmv.s.x v1, t0",
    "vslideup.vi v1, v2, 1",
    "vslidedown.vi v1, v2, 1",
    "vslide1down.vx v1, v2, t0",
    "vrgather.vv v1, v2, v3",
    "vrgather.vi v1, v2, 1",
    "vcompress.vm v1, v2, v3",
    "vmv1r.v v1, v2",
};

enum { GREEDY_STACK = 512 << 10, GREEDY_BURST = 100000 };

static void *run_greedily(void *harness)
{
    (void)harness_run(harness, GREEDY_BURST);
    return NULL;
}

/* However long a burst is, its handlers are jumps from one to the next, or calls that come back. */
TEST_EACH(a_burst_takes_no_stack, COUNT(greedy))
{
    struct harness *h = harness_create(RV32_T2);
    const char *lines[] = {"vsetivli t0, 4, e32, m1, ta, ma", greedy[_i], greedy[_i], "jal zero, 4",
                           NULL};
    pthread_t thread;
    pthread_attr_t small;
    harness_program(h, 0, lines);
    h->hart.x[A0] = MMIO;
    h->hart.x[A1] = 0x8000;
    h->hart.x[A2] = RV32_PUSH_BASE;
    ck_assert_int_eq(pthread_attr_init(&small), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&small, GREEDY_STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &small, run_greedily, h), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&small);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    ck_assert_uint_eq(h->hart.retired, GREEDY_BURST);
}
