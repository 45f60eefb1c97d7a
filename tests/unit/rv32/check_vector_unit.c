/*
 * The vector extension of RISCV T2: every row runs, groups, what V 1.0 reserves, refused accesses.
 * What instructions do is in check_vector.c, check_vector_permute.c, check_vector_memory.c and
 * check_vector_float.c.
 */
#include "unit/rv32/rv32_harness.h"

#include <string.h>

FIXTURE(NULL, harness_destroy_all);

enum { E8 = 0 << 3, E16 = 1 << 3, E32 = 2 << 3, M1 = 0, M2 = 1, M4 = 2, M8 = 3, MF2 = 7, MF4 = 6 };
enum { DATA = 0x1000 };

#define OUTSIDE UINT32_C(0xffe80000)

static void configure(struct harness *h, uint32_t vtype, uint32_t vl)
{
    h->hart.csr.vtype = vtype;
    h->hart.csr.vl = vl;
}

static void run(struct harness *h, const char *text)
{
    harness_do(h, harness_encode(text, 0));
}

static void check_fault(struct harness *h, const char *text, enum penrose_fault_kind kind,
                        const char *detail)
{
    uint32_t word = harness_encode(text, 0);
    struct rv32_hart before = h->hart;
    harness_execute(h, 0x40, word);
    harness_check_fault(h, kind, 0x40, word);
    ck_assert_msg(strstr(h->hart.fault.detail, detail) != NULL, "%s: \"%s\" lacks \"%s\"", text,
                  h->hart.fault.detail, detail);
    ck_assert_mem_eq(before.v, h->hart.v, sizeof before.v);
    ck_assert_mem_eq(before.x, h->hart.x, sizeof before.x);
}

/* --- Every row --- */

static uint32_t put(unsigned row, uint32_t word, const char *name, int64_t value)
{
    const struct isa_format *format = rv32_rows[row].format;
    for (int i = 0; i < ISA_MAX_FIELDS && format->field[i]; i++) {
        if (!strcmp(format->field[i]->name, name)) {
            ck_assert(isa_field_put(format->field[i], &word, value));
        }
    }
    return word;
}

/* Registers that suit every row with LMUL 1: v8, v16, v24, a0 for DATA, a1 for 4. */
static uint32_t tame_word(unsigned row)
{
    static const struct {
        const char *name;
        int64_t value;
    } operands[] = {{"vd", 8},  {"vs3", 8}, {"vs1", 16}, {"vs2", 24}, {"vm", 1},
                    {"sew", 2}, {"rd", A2}, {"rs1", A0}, {"rs2", A1}};
    uint32_t word = rv32_rows[row].match;
    for (int i = 0; i < COUNT(operands); i++) {
        word = put(row, word, operands[i].name, operands[i].value);
    }
    return word;
}

static void prepare_tame(struct harness *h, uint32_t vtype)
{
    harness_reset(h);
    h->hart.x[A0] = DATA;
    h->hart.x[A1] = 4;
    configure(h, vtype, 2);
}

static bool runs_with(struct harness *h, uint32_t word, uint32_t vtype)
{
    prepare_tame(h, vtype);
    if ((word & 0x7f) == 0x57 && (word & 0x7000) == 0x7000) {
        h->hart.x[A1] = vtype; /* for vsetvl */
    }
    harness_execute(h, 0x40, word);
    return h->hart.stop == RV32_RUNNING && h->hart.pc == 0x44;
}

static unsigned first_vector_row(void)
{
    unsigned row = 0;
    while (rv32_row_extension(row) != RV32_EXT_V) {
        row++;
    }
    return row;
}

/* What is printed assembles to the same word. */
static void check_text(unsigned row)
{
    uint64_t state = 0x1234567 + row;
    for (int i = 0; i < 64; i++) {
        const struct isa_format *format = rv32_rows[row].format;
        uint32_t random = harness_random(&state), word = rv32_rows[row].match, back = 0;
        for (int k = 0; k < ISA_MAX_FIELDS && format->field[k]; k++) {
            word |= random & isa_field_bits(format->field[k]);
        }
        char text[80];
        isa_print(&rv32_rows[row], word, 0, text, sizeof text);
        struct penrose_error error;
        ck_assert_msg(rv32_assemble(text, 0, &back, &error) == PENROSE_OK, "%s", text);
        ck_assert_msg(back == word, "%s: %#x, not %#x", text, back, word);
    }
}

TEST_RANGE(every_row, (int)first_vector_row(), RV32_ROWS - 1)
{
    unsigned row = (unsigned)_i;
    ck_assert_int_eq(rv32_row_extension(row), RV32_EXT_V);
    struct harness *h = harness_create(RV32_T2);
    uint32_t word = tame_word(row);
    bool runs =
        runs_with(h, word, E32 | M1) || runs_with(h, word, E16 | M1) || runs_with(h, word, E8 | M1);
    if (rv32_row_is_stub(row)) {
        harness_check_fault(h, PENROSE_FAULT_STUB, 0x40, word);
    } else {
        ck_assert_msg(runs, "%s: %s", rv32_rows[row].mnemonic, h->hart.fault.detail);
        prepare_tame(h, E32 | M1);
        h->hart.core = RV32_T1;
        harness_execute(h, 0x40, word);
        harness_check_fault(h, PENROSE_FAULT_ILLEGAL, 0x40, word);
    }
    check_text(row);
}

/* --- Configuration --- */

TEST_EACH(reserved_configuration, 8)
{
    static const struct {
        const char *text, *detail;
        uint32_t vtype;
    } cases[] = {
        {"vsetvli a0, a1, e64, m1, tu, mu", "SEW 64 exceeds ELEN", 0},
        {"vsetvli a0, a1, e32, mf2, tu, mu", "LMUL 1/2", 0},
        {"vsetvli a0, a1, e16, mf4, tu, mu", "LMUL 1/4", 0},
        {"vsetivli a0, 1, e8, mf8, tu, mu", "LMUL 1/8", 0},
        {"vsetvli a0, a1, e8, 4, tu, mu", "LMUL code 4", 0},
        {"vsetvl a0, a1, a2", "bits 8 to 31", 0x80000000},
        {"vsetvl a0, a1, a2", "bits 8 to 31", 0x100},
        {"vsetvli zero, zero, e32, m1, tu, mu", "VLMAX would change", 0},
    };
    struct harness *h = harness_create(RV32_T2);
    h->hart.x[A2] = cases[_i].vtype;
    check_fault(h, cases[_i].text, PENROSE_FAULT_VECTOR, cases[_i].detail);
    ck_assert_uint_eq(h->hart.csr.vtype, 0);
}

/* Texts have no reserved bits, but words do. */
TEST_EACH(reserved_vtype_bits, 2)
{
    static const uint32_t words[][2] = {{0x0d05f557, 0x700},
                                        {0xcd01f557, 0x300}}; /* vsetvli, vsetivli */
    struct harness *h = harness_create(RV32_T2);
    for (uint32_t bits = 0x100; bits < 0x800; bits += 0x100) {
        uint32_t word = words[_i][0] | bits << 20;
        char text[80], clean[80];
        if (bits & ~words[_i][1]) {
            continue;
        }
        harness_execute(h, 0x40, word);
        harness_check_fault(h, PENROSE_FAULT_VECTOR, 0x40, word);
        ck_assert_ptr_nonnull(strstr(h->hart.fault.detail, "bits 8 to 31"));
        ck_assert_uint_eq(h->hart.csr.vtype, 0);
        rv32_disassemble(rv32_code_store_index(h->store), word, 0, text, sizeof text);
        rv32_disassemble(rv32_code_store_index(h->store), words[_i][0], 0, clean, sizeof clean);
        ck_assert_str_eq(text, clean);
    }
    harness_execute(h, 0x40, words[_i][0]);
    ck_assert_uint_eq(h->hart.csr.vtype, 0xd0);
}

/* --- Groups --- */

/* LMUL 8 takes eight registers each; a narrower source takes fewer. */
TEST(groups)
{
    struct harness *h = harness_create(RV32_T2);
    for (unsigned i = 0; i < 8; i++) {
        memset(h->hart.v[16 + i], (int)i, RV32_VLEN_BYTES);
    }
    configure(h, E8 | M8, 128);
    run(h, "vadd.vi v8, v16, 1");
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(h->hart.v[8 + i][15], i + 1);
    }
    configure(h, E16 | M4, 32);
    run(h, "vsext.vf2 v0, v22");
    ck_assert_uint_eq(h->hart.v[1][14], 6);
    ck_assert_uint_eq(h->hart.v[3][14], 7);
    ck_assert_uint_eq(h->hart.v[4][14], 0);
}

/* --- What V 1.0 reserves --- */

TEST_EACH(reserved, 27)
{
    static const struct {
        const char *text;
        uint32_t vtype;
        const char *detail;
    } cases[] = {
        {"vadd.vv v1, v2, v4", E8 | M2, "vd is v1"},
        {"vadd.vv v2, v1, v4", E8 | M2, "vs2 is v1"},
        {"vadd.vv v2, v2, v5", E8 | M4, "vd is v2"},
        {"vadd.vv v0, v2, v4, v0.t", E8 | M1, "vd is v0"},
        {"vadc.vvm v0, v2, v4, v0", E8 | M1, "vd is v0"},
        {"vwadd.vv v8, v16, v17", E32 | M1, "elements of 64 bits"},
        {"vwadd.vv v8, v16, v24", E8 | M8, "EMUL"},
        {"vwadd.vv v8, v8, v24", E8 | M1, "narrower"},
        {"vnsrl.wv v9, v8, v24", E8 | M1, "wider"},
        {"vmseq.vv v9, v8, v16", E8 | M2, "wider"},
        {"vzext.vf2 v8, v16", E8 | M1, "elements of 4 bits"},
        {"vslideup.vi v8, v8, 1", E8 | M1, "no overlap"},
        {"vrgather.vv v8, v16, v8", E8 | M1, "no overlap"},
        {"vrgatherei16.vv v8, v16, v24", E8 | M8, "EMUL"},
        {"vcompress.vm v8, v16, v8", E8 | M1, "no overlap"},
        {"vmsbf.m v8, v8", E8 | M1, "no overlap"},
        {"vmsbf.m v0, v8, v0.t", E8 | M1, "no overlap"},
        {"viota.m v8, v9", E8 | M2, "no overlap"},
        {"vfadd.vv v8, v16, v24", E16 | M1, "FP32 only"},
        {"vfncvt.x.f.w v8, v16", E8 | M1, "FP32 only"},
        {"vmv2r.v v3, v4", E8 | M1, "vd is v3"},
        {"vlseg3e8.v v8, (a0)", E8 | M4, "at most 8 registers"},
        {"vlseg3e8.v v30, (a0)", E8 | M1, "at most 8 registers"},
        {"vluxseg2ei8.v v8, (a0), v9", E8 | M1, "no overlap"},
        {"vle32.v v8, (a0)", E8 | M4, "EMUL"},
        {"vle8.v v0, (a0), v0.t", E8 | M1, "vd is v0"},
        {"vadd.vv v8, v16, v24", E32 | MF2, "exceeds LMUL"},
    };
    struct harness *h = harness_create(RV32_T2);
    h->hart.x[A0] = DATA;
    configure(h, cases[_i].vtype, 1);
    check_fault(h, cases[_i].text, PENROSE_FAULT_VECTOR, cases[_i].detail);
}

/* vl and vtype can be written as CSRs; the loops stay bounded. */
TEST(excessive_vl)
{
    struct harness *h = harness_create(RV32_T2);
    h->hart.x[A0] = DATA;
    configure(h, E8 | M1, 17);
    check_fault(h, "vadd.vv v8, v16, v24", PENROSE_FAULT_VECTOR, "VLMAX");
    check_fault(h, "vle8.v v8, (a0)", PENROSE_FAULT_VECTOR, "VLMAX");
    run(h, "vl8re8.v v8, (a0)"); /* whatever vl is */
}

/* --- Memory --- */

static struct harness *memory_harness(uint32_t vtype, uint32_t vl)
{
    struct harness *h = harness_create(RV32_T2);
    for (uint32_t i = 0; i < 256; i++) {
        h->l1[DATA + i] = (uint8_t)i;
    }
    h->hart.x[A0] = DATA;
    h->hart.x[A1] = 8;
    configure(h, vtype, vl);
    return h;
}

TEST(misaligned)
{
    struct harness *h = memory_harness(E16 | M1, 4);
    h->hart.x[A1] = 3; /* the second element is the culprit */
    memset(h->hart.v[8], 0xee, RV32_VLEN_BYTES);
    check_fault(h, "vsse16.v v8, (a0), a1", PENROSE_FAULT_MISALIGNED, "not aligned");
    ck_assert_uint_eq(h->hart.fault.address, DATA + 3);
    ck_assert_uint_eq(h->l1[DATA], 0);
    check_fault(h, "vlse16.v v8, (a0), a1", PENROSE_FAULT_MISALIGNED, "not aligned");
}

TEST(fault_only_first)
{
    struct harness *h = memory_harness(E32 | M1, 4);
    h->hart.x[A0] = HARNESS_L1_BYTES - 8;
    memset(h->hart.v[8], 0xee, RV32_VLEN_BYTES);
    run(h, "vle32ff.v v8, (a0)");
    ck_assert_uint_eq(h->hart.csr.vl, 2);
    ck_assert_uint_eq(h->hart.v[8][7], 0);
    ck_assert_uint_eq(h->hart.v[8][8], 0xee);
    ck_assert_uint_eq(h->accesses, 0);
    h->hart.x[A0] = DATA + 1;
    check_fault(h, "vle32ff.v v8, (a0)", PENROSE_FAULT_MISALIGNED, "not aligned");
}

TEST(long_burst)
{
    static const char *const lines[] = {"vle32.v v8, (a0)",
                                        "vadd.vv v8, v8, v8",
                                        "vse32.v v8, (a0)",
                                        "vredsum.vs v9, v8, v8",
                                        "vmv.x.s a2, v9",
                                        "vslide1down.vx v10, v8, a2",
                                        "vsetvli a3, zero, e32, m1, tu, mu"};
    struct harness *h = memory_harness(E32 | M1, 4);
    uint32_t address = 0x40;
    for (int i = 0; i < COUNT(lines); i++, address += 4) {
        harness_put_word(h, address, harness_encode(lines[i], address));
    }
    harness_put_word(h, address, harness_encode("jal zero, 0x40", address));
    h->hart.pc = 0x40;
    harness_run(h, 800000);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    ck_assert_uint_eq(h->hart.pc, 0x40);
}
