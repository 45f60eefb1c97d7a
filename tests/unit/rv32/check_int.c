/*
 * Integer arithmetic against models written from the ISA manuals: RV32I, M, Zba, Zbb, pack and
 * brev8 of Zbkb, grevi of Bitmanip 0.94. Every instruction is encoded here by hand and compared
 * with what the assembler makes of its text.
 */
#include "unit/rv32/rv32_harness.h"

#include <stdio.h>
#include <string.h>

FIXTURE(NULL, harness_destroy_all);

static const uint32_t edges[] = {
    0,          1,          2,          3,          7,          31,         32,         33,
    0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,     0x10000,    0x12345678,
    0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa, 0x55555555, 0xfffffffe, 0xffffffff,
};

enum { RANDOM_PAIRS = 200 };

/* --- Models --- */

static uint32_t sign_fill(uint32_t value, unsigned shift)
{
    uint32_t ones = value >> 31 && shift ? ~(UINT32_MAX >> shift) : 0;
    return value >> shift | ones;
}

static bool less(uint32_t a, uint32_t b)
{
    return (a ^ 0x80000000) < (b ^ 0x80000000);
}

/* The high word of a product, by schoolbook on 16-bit halves. */
static uint32_t high_product(uint32_t a, uint32_t b)
{
    uint32_t low = (a & 0xffff) * (b & 0xffff);
    uint32_t mid1 = (a >> 16) * (b & 0xffff) + (low >> 16);
    uint32_t mid2 = (a & 0xffff) * (b >> 16) + (mid1 & 0xffff);
    return (a >> 16) * (b >> 16) + (mid1 >> 16) + (mid2 >> 16);
}

static uint32_t negative(uint32_t a)
{
    return a >> 31 ? UINT32_MAX : 0;
}

static uint32_t do_mul(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i++) {
        sum += b >> i & 1 ? a << i : 0;
    }
    return sum;
}

static uint32_t magnitude(uint32_t a)
{
    return a >> 31 ? 0 - a : a;
}

/* Signed division by magnitudes: towards zero; -2^31 / -1 comes out as -2^31 by wrapping. */
static uint32_t do_div(uint32_t a, uint32_t b)
{
    uint32_t quotient = b ? magnitude(a) / magnitude(b) : 1;
    bool negate = b ? (a ^ b) >> 31 : true;
    return negate ? 0 - quotient : quotient;
}

static uint32_t do_rem(uint32_t a, uint32_t b)
{
    uint32_t rest = b ? magnitude(a) % magnitude(b) : magnitude(a);
    return a >> 31 ? 0 - rest : rest;
}

static uint32_t do_rol(uint32_t a, uint32_t b)
{
    for (unsigned i = 0; i < (b & 31); i++) {
        a = a << 1 | a >> 31;
    }
    return a;
}

static uint32_t do_ror(uint32_t a, uint32_t b)
{
    for (unsigned i = 0; i < (b & 31); i++) {
        a = a >> 1 | a << 31;
    }
    return a;
}

/* Generalised reverse: bit i comes from bit i ^ b. */
static uint32_t do_grev(uint32_t a, uint32_t b)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i++) {
        result |= (a >> (i ^ (b & 31)) & 1) << i;
    }
    return result;
}

static uint32_t do_clz(uint32_t a, uint32_t unused)
{
    (void)unused;
    unsigned count = 0;
    while (count < 32 && !(a >> (31 - count) & 1)) {
        count++;
    }
    return count;
}

static uint32_t do_ctz(uint32_t a, uint32_t unused)
{
    (void)unused;
    unsigned count = 0;
    while (count < 32 && !(a >> count & 1)) {
        count++;
    }
    return count;
}

static uint32_t do_cpop(uint32_t a, uint32_t unused)
{
    (void)unused;
    unsigned count = 0;
    for (unsigned i = 0; i < 32; i++) {
        count += a >> i & 1;
    }
    return count;
}

static uint32_t do_orc_b(uint32_t a, uint32_t unused)
{
    (void)unused;
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        result |= a >> i & 0xff ? UINT32_C(0xff) << i : 0;
    }
    return result;
}

static uint32_t do_brev8(uint32_t a, uint32_t unused)
{
    (void)unused;
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i++) {
        result |= (a >> i & 1) << (i / 8 * 8 + 7 - i % 8);
    }
    return result;
}

#define MODEL(name, value)                                                                         \
    static uint32_t do_##name(uint32_t a, uint32_t b)                                              \
    {                                                                                              \
        (void)b;                                                                                   \
        return value;                                                                              \
    }

MODEL(add, a + b)
MODEL(sub, a - b)
MODEL(sll, a << (b & 31))
MODEL(slt, less(a, b))
MODEL(sltu, a < b)
MODEL(xor, a ^ b)
MODEL(srl, a >> (b & 31))
MODEL(sra, sign_fill(a, b & 31))
MODEL(or, a | b)
MODEL(and, (a & b))
MODEL(mulhu, high_product(a, b))
MODEL(mulh, high_product(a, b) - (negative(a) & b) - (negative(b) & a))
MODEL(mulhsu, high_product(a, b) - (negative(a) & b))
MODEL(divu, b ? a / b : UINT32_MAX)
MODEL(remu, b ? a % b : a)
MODEL(sh1add, 2 * a + b)
MODEL(sh2add, 4 * a + b)
MODEL(sh3add, 8 * a + b)
MODEL(andn, a & ~b)
MODEL(orn, a | ~b)
MODEL(xnor, ~(a ^ b))
MODEL(min, less(a, b) ? a : b)
MODEL(minu, a < b ? a : b)
MODEL(max, less(a, b) ? b : a)
MODEL(maxu, a < b ? b : a)
MODEL(pack, (a & 0xffff) | (b & 0xffff) << 16)
MODEL(sext_b, (a & 0xff) ^ (a & 0x80 ? 0xffffff00 : 0))
MODEL(sext_h, (a & 0xffff) ^ (a & 0x8000 ? 0xffff0000 : 0))
MODEL(zext_h, a & 0xffff)
MODEL(rev8, a >> 24 | (a >> 8 & 0xff00) | (a << 8 & 0xff0000) | a << 24)

/* --- Tables --- */

typedef uint32_t model(uint32_t a, uint32_t b);

struct operation {
    const char *mnemonic;
    uint32_t funct3, funct7;
    model *run;
};

static const struct operation register_operations[] = {
    {"add", 0, 0x00, do_add},       {"sub", 0, 0x20, do_sub},       {"sll", 1, 0x00, do_sll},
    {"slt", 2, 0x00, do_slt},       {"sltu", 3, 0x00, do_sltu},     {"xor", 4, 0x00, do_xor},
    {"srl", 5, 0x00, do_srl},       {"sra", 5, 0x20, do_sra},       {"or", 6, 0x00, do_or},
    {"and", 7, 0x00, do_and},       {"mul", 0, 0x01, do_mul},       {"mulh", 1, 0x01, do_mulh},
    {"mulhsu", 2, 0x01, do_mulhsu}, {"mulhu", 3, 0x01, do_mulhu},   {"div", 4, 0x01, do_div},
    {"divu", 5, 0x01, do_divu},     {"rem", 6, 0x01, do_rem},       {"remu", 7, 0x01, do_remu},
    {"sh1add", 2, 0x10, do_sh1add}, {"sh2add", 4, 0x10, do_sh2add}, {"sh3add", 6, 0x10, do_sh3add},
    {"andn", 7, 0x20, do_andn},     {"orn", 6, 0x20, do_orn},       {"xnor", 4, 0x20, do_xnor},
    {"min", 4, 0x05, do_min},       {"minu", 5, 0x05, do_minu},     {"max", 6, 0x05, do_max},
    {"maxu", 7, 0x05, do_maxu},     {"rol", 1, 0x30, do_rol},       {"ror", 5, 0x30, do_ror},
    {"pack", 4, 0x04, do_pack},
};

static const struct operation immediate_operations[] = {
    {"addi", 0, 0, do_add}, {"slti", 2, 0, do_slt}, {"sltiu", 3, 0, do_sltu},
    {"xori", 4, 0, do_xor}, {"ori", 6, 0, do_or},   {"andi", 7, 0, do_and},
};

static const struct operation shift_operations[] = {
    {"slli", 1, 0x00, do_sll}, {"srli", 5, 0x00, do_srl},   {"srai", 5, 0x20, do_sra},
    {"rori", 5, 0x30, do_ror}, {"grevi", 5, 0x34, do_grev},
};

/* One source; funct7 and rs2 together are bits 31:20. */
struct unary {
    const char *mnemonic;
    uint32_t opcode, funct3, high;
    model *run;
};

static const struct unary unary_operations[] = {
    {"clz", OPCODE_OP_IMM, 1, 0x600, do_clz},       {"ctz", OPCODE_OP_IMM, 1, 0x601, do_ctz},
    {"cpop", OPCODE_OP_IMM, 1, 0x602, do_cpop},     {"sext.b", OPCODE_OP_IMM, 1, 0x604, do_sext_b},
    {"sext.h", OPCODE_OP_IMM, 1, 0x605, do_sext_h}, {"orc.b", OPCODE_OP_IMM, 5, 0x287, do_orc_b},
    {"rev8", OPCODE_OP_IMM, 5, 0x698, do_rev8},     {"brev8", OPCODE_OP_IMM, 5, 0x687, do_brev8},
    {"zext.h", OPCODE_OP, 4, 0x080, do_zext_h},
};

/* --- Checks --- */

/* Runs a word that is already at pc 0x40 with t1 = a, t2 = b and compares t0. */
static void check_pair(struct harness *h, const char *text, uint32_t a, uint32_t b,
                       uint32_t expected)
{
    h->hart.x[T0] = 0xdeadbeef;
    h->hart.x[T1] = a;
    h->hart.x[T2] = b;
    h->hart.pc = 0x40;
    harness_run(h, 1);
    ck_assert_msg(h->hart.stop == RV32_RUNNING, "%s stops: %s", text, h->hart.fault.detail);
    ck_assert_msg(h->hart.x[T0] == expected, "%s with %#x, %#x gives %#x, not %#x", text, a, b,
                  h->hart.x[T0], expected);
    ck_assert_uint_eq(h->hart.x[T1], a);
    ck_assert_uint_eq(h->hart.x[T2], b);
    ck_assert_uint_eq(h->hart.x[0], 0);
    ck_assert_uint_eq(h->hart.pc, 0x44);
}

static void place(struct harness *h, const char *text, uint32_t word)
{
    uint32_t assembled = harness_encode(text, 0x40);
    ck_assert_msg(assembled == word, "\"%s\" assembles to %#010x, not %#010x", text, assembled,
                  word);
    harness_check_text(h, word, 0x40, text);
    harness_put_word(h, 0x40, word);
}

TEST_EACH(register_operation, COUNT(register_operations))
{
    const struct operation *operation = &register_operations[_i];
    struct harness *h = harness_create(RV32_T0);
    uint64_t random = 1 + (uint64_t)_i;
    char text[40];
    snprintf(text, sizeof text, "%s t0, t1, t2", operation->mnemonic);
    place(h, text, words_r(OPCODE_OP, operation->funct3, operation->funct7, T0, T1, T2));
    for (int i = 0; i < COUNT(edges); i++) {
        for (int j = 0; j < COUNT(edges); j++) {
            check_pair(h, text, edges[i], edges[j], operation->run(edges[i], edges[j]));
        }
    }
    for (int i = 0; i < RANDOM_PAIRS; i++) {
        uint32_t a = harness_random_word(&random), b = harness_random_word(&random);
        check_pair(h, text, a, b, operation->run(a, b));
    }
}

/* Registers that coincide: sources are read before the destination is written. */
TEST_EACH(register_overlap, COUNT(register_operations))
{
    const struct operation *operation = &register_operations[_i];
    struct harness *h = harness_create(RV32_NC);
    static const uint32_t a = 0x89abcdef, b = 0x00000013;
    static const struct {
        uint32_t rd, rs1, rs2;
    } shapes[] = {{T1, T1, T2}, {T2, T1, T2}, {T1, T1, T1}, {T0, X0, T1}, {T0, T1, X0}};
    for (int i = 0; i < COUNT(shapes); i++) {
        h->hart.x[T1] = a;
        h->hart.x[T2] = b;
        uint32_t one = h->hart.x[shapes[i].rs1], two = h->hart.x[shapes[i].rs2];
        harness_do(h, words_r(OPCODE_OP, operation->funct3, operation->funct7, shapes[i].rd,
                              shapes[i].rs1, shapes[i].rs2));
        ck_assert_msg(h->hart.x[shapes[i].rd] == operation->run(one, two), "%s, shape %d",
                      operation->mnemonic, i);
    }
    h->hart.x[T1] = a;
    harness_do(h, words_r(OPCODE_OP, operation->funct3, operation->funct7, X0, T1, T2));
    ck_assert_uint_eq(h->hart.x[0], 0);
    harness_do(h, words_i(OPCODE_OP_IMM, 0, T0, X0, 0));
    ck_assert_uint_eq(h->hart.x[T0], 0);
}

TEST_EACH(immediate_operation, COUNT(immediate_operations))
{
    static const int32_t immediates[] = {0, 1, -1, 31, 0x555, -0x556, 2047, -2048};
    const struct operation *operation = &immediate_operations[_i];
    struct harness *h = harness_create(RV32_B);
    char text[40];
    for (int i = 0; i < COUNT(immediates); i++) {
        int32_t immediate = immediates[i];
        snprintf(text, sizeof text, "%s t0, t1, %d", operation->mnemonic, immediate);
        place(h, text, words_i(OPCODE_OP_IMM, operation->funct3, T0, T1, immediate));
        for (int j = 0; j < COUNT(edges); j++) {
            check_pair(h, text, edges[j], 0, operation->run(edges[j], (uint32_t)immediate));
        }
    }
    harness_do(h, words_i(OPCODE_OP_IMM, operation->funct3, X0, T1, -1));
    ck_assert_uint_eq(h->hart.x[0], 0);
}

/* grevi 24 is rev8 and grevi 7 is brev8; the disassembler may use those names. */
static bool has_other_name(const struct operation *operation, uint32_t amount)
{
    return operation->run == do_grev && (amount == 7 || amount == 24);
}

TEST_EACH(shift_operation, COUNT(shift_operations))
{
    const struct operation *operation = &shift_operations[_i];
    struct harness *h = harness_create(RV32_T1);
    char text[40];
    for (uint32_t amount = 0; amount < 32; amount++) {
        uint32_t word =
            words_r(OPCODE_OP_IMM, operation->funct3, operation->funct7, T0, T1, amount);
        const char *format = amount < 10 ? "%s t0, t1, %u" : "%s t0, t1, 0x%x";
        snprintf(text, sizeof text, format, operation->mnemonic, amount);
        if (has_other_name(operation, amount)) {
            ck_assert_uint_eq(harness_encode(text, 0x40), word);
            harness_put_word(h, 0x40, word);
        } else {
            place(h, text, word);
        }
        for (int j = 0; j < COUNT(edges); j++) {
            check_pair(h, text, edges[j], 0, operation->run(edges[j], amount));
        }
    }
}

TEST_EACH(unary_operation, COUNT(unary_operations))
{
    const struct unary *operation = &unary_operations[_i];
    struct harness *h = harness_create(RV32_T2);
    uint64_t random = 77 + (uint64_t)_i;
    char text[40];
    snprintf(text, sizeof text, "%s t0, t1", operation->mnemonic);
    place(h, text,
          words_r(operation->opcode, operation->funct3, operation->high >> 5, T0, T1,
                  operation->high & 31));
    for (int i = 0; i < COUNT(edges); i++) {
        check_pair(h, text, edges[i], 0, operation->run(edges[i], 0));
    }
    for (int i = 0; i < RANDOM_PAIRS; i++) {
        uint32_t a = harness_random_word(&random);
        check_pair(h, text, a, 0, operation->run(a, 0));
    }
}

/* What the manuals spell out, in numbers: no model between the page and the hart. */
static const struct {
    const char *text;
    uint32_t a, b, expected;
} golden[] = {
    {"div t0, t1, t2", 7, 0, 0xffffffff},
    {"div t0, t1, t2", 0, 0, 0xffffffff},
    {"div t0, t1, t2", 0x80000000, 0xffffffff, 0x80000000},
    {"div t0, t1, t2", 0xfffffff9, 2, 0xfffffffd},
    {"divu t0, t1, t2", 7, 0, 0xffffffff},
    {"divu t0, t1, t2", 0x80000000, 0xffffffff, 0},
    {"rem t0, t1, t2", 7, 0, 7},
    {"rem t0, t1, t2", 0x80000000, 0, 0x80000000},
    {"rem t0, t1, t2", 0x80000000, 0xffffffff, 0},
    {"rem t0, t1, t2", 0xfffffff9, 2, 0xffffffff},
    {"rem t0, t1, t2", 7, 0xfffffffe, 1},
    {"remu t0, t1, t2", 7, 0, 7},
    {"remu t0, t1, t2", 0x80000000, 0xffffffff, 0x80000000},
    {"mulhsu t0, t1, t2", 0xffffffff, 0xffffffff, 0xffffffff},
    {"mulhsu t0, t1, t2", 0x80000000, 0xffffffff, 0x80000000},
    {"mulhsu t0, t1, t2", 0x7fffffff, 0xffffffff, 0x7ffffffe},
    {"mulhsu t0, t1, t2", 0xffffffff, 2, 0xffffffff},
    {"mulhsu t0, t1, t2", 2, 0xffffffff, 1},
    {"mulh t0, t1, t2", 0x80000000, 0x80000000, 0x40000000},
    {"mulhu t0, t1, t2", 0xffffffff, 0xffffffff, 0xfffffffe},
    {"sll t0, t1, t2", 1, 32, 1},
    {"sll t0, t1, t2", 1, 33, 2},
    {"srl t0, t1, t2", 0x80000000, 0xffffffff, 1},
    {"srl t0, t1, t2", 0x80000000, 0x40, 0x80000000},
    {"sra t0, t1, t2", 0x80000000, 0x3f, 0xffffffff},
    {"sra t0, t1, t2", 0x80000000, 0x21, 0xc0000000},
    {"rol t0, t1, t2", 0x80000001, 0x21, 3},
    {"ror t0, t1, t2", 0x80000001, 0xffffffe1, 0xc0000000},
    {"slti t0, t1, -1", 0x80000000, 0, 1},
    {"sltiu t0, t1, -1", 0xfffffffe, 0, 1},
    {"sltiu t0, t1, 1", 0, 0, 1},
    {"clz t0, t1", 0, 0, 32},
    {"ctz t0, t1", 0, 0, 32},
    {"cpop t0, t1", 0xffffffff, 0, 32},
    {"orc.b t0, t1", 0x01000080, 0, 0xff0000ff},
    {"rev8 t0, t1", 0x01020304, 0, 0x04030201},
    {"brev8 t0, t1", 0x01020408, 0, 0x80402010},
    {"pack t0, t1, t2", 0x11112222, 0x33334444, 0x44442222},
    {"zext.h t0, t1", 0xffff8001, 0, 0x8001},
    {"sext.h t0, t1", 0x00008001, 0, 0xffff8001},
    {"sext.b t0, t1", 0x00000180, 0, 0xffffff80},
    {"grevi t0, t1, 31", 0x00000001, 0, 0x80000000},
    {"grevi t0, t1, 0", 0x12345678, 0, 0x12345678},
    {"grevi t0, t1, 16", 0x12345678, 0, 0x56781234},
    {"grevi t0, t1, 1", 0x55555555, 0, 0xaaaaaaaa},
    {"grevi t0, t1, 8", 0x12345678, 0, 0x34127856},
    {"grevi t0, t1, 4", 0x12345678, 0, 0x21436587},
    {"lui t0, 0x80000", 0, 0, 0x80000000},
    {"lui t0, 0xfffff", 0, 0, 0xfffff000},
    {"auipc t0, 0", 0, 0, 0x40},
    {"auipc t0, 0x80001", 0, 0, 0x80001040},
    {"auipc t0, 0xfffff", 0, 0, 0xfffff040},
};

TEST_EACH(golden_case, COUNT(golden))
{
    for (enum harness_mode mode = 0; mode < HARNESS_MODES; mode++) {
        struct harness *h = harness_create(RV32_B);
        h->mode = mode;
        harness_put_word(h, 0x40, harness_encode(golden[_i].text, 0x40));
        check_pair(h, golden[_i].text, golden[_i].a, golden[_i].b, golden[_i].expected);
    }
}

/* The words of the bit manipulation instructions, assembled by hand from the manuals' diagrams. */
static const struct harness_encoding encodings[] = {
    {0x80001297, "auipc t0, 0x80001"},
    {0xff8300e7, "jalr ra, -8(t1)"},
    {0x00100073, "ebreak"},
    {0x00000073, "ecall"},
    {0x30200073, "mret"},
    {0x60031293, "clz t0, t1"},
    {0x60131293, "ctz t0, t1"},
    {0x60231293, "cpop t0, t1"},
    {0x60431293, "sext.b t0, t1"},
    {0x60531293, "sext.h t0, t1"},
    {0x080342b3, "zext.h t0, t1"},
    {0x28735293, "orc.b t0, t1"},
    {0x69835293, "rev8 t0, t1"},
    {0x68735293, "brev8 t0, t1"},
    {0x087342b3, "pack t0, t1, t2"},
    {0x68535293, "grevi t0, t1, 5"},
    {0x69f35293, "grevi t0, t1, 0x1f"},
    {0x69035293, "grevi t0, t1, 0x10"},
    {0x68035293, "grevi t0, t1, 0"},
    {0x60535293, "rori t0, t1, 5"},
    {0x607312b3, "rol t0, t1, t2"},
    {0x607352b3, "ror t0, t1, t2"},
    {0x407372b3, "andn t0, t1, t2"},
    {0x407362b3, "orn t0, t1, t2"},
    {0x407342b3, "xnor t0, t1, t2"},
    {0x207322b3, "sh1add t0, t1, t2"},
    {0x207342b3, "sh2add t0, t1, t2"},
    {0x207362b3, "sh3add t0, t1, t2"},
    {0x0a7342b3, "min t0, t1, t2"},
    {0x0a7352b3, "minu t0, t1, t2"},
    {0x0a7362b3, "max t0, t1, t2"},
    {0x0a7372b3, "maxu t0, t1, t2"},
    {0x00000037, "lui zero, 0"},
    {0xfff0000f, "fence 0xf, 0xf"},
    {0x0000006f, "jal zero, 0x40"},
    {0x80000f6f, "jal t5, 0xfff00040"},
    {0xfe7318e3, "bne t1, t2, 0x30"},
    {0x80032003, "lw zero, -2048(t1)"},
    {0x7e731fa3, "sh t2, 2047(t1)"},
    {0x06732e2f, "amoadd.w t3, t2, (t1)"},
    {0x0e732e2f, "amoswap.w t3, t2, (t1)"},
};

TEST(encoding)
{
    harness_check_encodings(encodings, COUNT(encodings), false);
}

/* --- Random programs: a burst, single steps and the models agree --- */

enum { PROGRAM_WORDS = 300 };

static uint32_t random_instruction(uint64_t *random, uint32_t *x)
{
    uint32_t rd = harness_random(random) % 32, rs1 = harness_random(random) % 32;
    uint32_t rs2 = harness_random(random) % 32, bits = harness_random(random);
    uint32_t word, result;
    const struct operation *operation;
    switch (harness_random(random) % 3) {
    case 0:
        operation = &register_operations[bits % (uint32_t)COUNT(register_operations)];
        word = words_r(OPCODE_OP, operation->funct3, operation->funct7, rd, rs1, rs2);
        result = operation->run(x[rs1], x[rs2]);
        break;
    case 1:
        operation = &immediate_operations[bits % (uint32_t)COUNT(immediate_operations)];
        int32_t immediate = (int32_t)(bits >> 20) - 2048;
        word = words_i(OPCODE_OP_IMM, operation->funct3, rd, rs1, immediate);
        result = operation->run(x[rs1], (uint32_t)immediate);
        break;
    default:
        operation = &shift_operations[bits % (uint32_t)COUNT(shift_operations)];
        word = words_r(OPCODE_OP_IMM, operation->funct3, operation->funct7, rd, rs1, bits >> 27);
        result = operation->run(x[rs1], bits >> 27);
        break;
    }
    x[rd] = rd ? result : 0;
    return word;
}

TEST_EACH(random_program, 100)
{
    uint64_t random = 1234567 + 1000 * (uint64_t)_i;
    struct harness *h = harness_create(RV32_B);
    uint32_t start[32] = {0}, x[32], words[PROGRAM_WORDS];
    uint32_t base = 4 * (harness_random(&random) % 1000);
    for (int i = 1; i < 32; i++) {
        start[i] = harness_random_word(&random);
    }
    memcpy(x, start, sizeof x);
    for (int i = 0; i < PROGRAM_WORDS; i++) {
        words[i] = random_instruction(&random, x);
    }
    harness_words(h, base, words, PROGRAM_WORDS);
    for (h->mode = 0; h->mode < HARNESS_MODES; h->mode++) {
        memcpy(h->hart.x, start, sizeof start);
        h->hart.pc = base;
        ck_assert_uint_eq(harness_run(h, PROGRAM_WORDS), PROGRAM_WORDS);
        ck_assert_uint_eq(h->hart.pc, base + 4 * PROGRAM_WORDS);
        for (int i = 0; i < 32; i++) {
            ck_assert_msg(h->hart.x[i] == x[i], "program %d: x%d is %#x, not %#x", _i, i,
                          h->hart.x[i], x[i]);
        }
    }
}
