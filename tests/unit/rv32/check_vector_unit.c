/*
 * The vector extension of RISCV T2: every row runs, configuration, one representative of each kind
 * of arithmetic, undisturbed elements, what V 1.0 reserves, memory and refused accesses.
 */
#include "unit/rv32/rv32_harness.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

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

static void check_fault(struct harness *h, const char *text, enum rv32_fault_kind kind,
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

static void set_words(struct harness *h, unsigned number, const uint32_t words[4])
{
    memcpy(h->hart.v[number], words, RV32_VLEN_BYTES);
}

static void check_words(const struct harness *h, unsigned number, const uint32_t words[4],
                        const char *text)
{
    uint32_t got[4];
    memcpy(got, h->hart.v[number], sizeof got);
    ck_assert_msg(!memcmp(got, words, sizeof got),
                  "%s: v%u is %08x %08x %08x %08x, not %08x %08x %08x %08x", text, number, got[3],
                  got[2], got[1], got[0], words[3], words[2], words[1], words[0]);
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

START_TEST(every_row)
{
    unsigned row = (unsigned)_i;
    ck_assert_int_eq(rv32_row_extension(row), RV32_EXT_V);
    struct harness *h = harness_create(RV32_T2);
    uint32_t word = tame_word(row);
    bool runs =
        runs_with(h, word, E32 | M1) || runs_with(h, word, E16 | M1) || runs_with(h, word, E8 | M1);
    if (rv32_row_is_stub(row)) {
        harness_check_fault(h, RV32_FAULT_STUB, 0x40, word);
    } else {
        ck_assert_msg(runs, "%s: %s", rv32_rows[row].mnemonic, h->hart.fault.detail);
        prepare_tame(h, E32 | M1);
        h->hart.core = RV32_T1;
        harness_execute(h, 0x40, word);
        harness_check_fault(h, RV32_FAULT_ILLEGAL, 0x40, word);
    }
    check_text(row);
    harness_destroy(h);
}
END_TEST

/* GNU as 2.40 writes these so. */
START_TEST(texts)
{
    static const struct {
        uint32_t word;
        const char *text;
    } cases[] = {
        {0x0d05f557, "vsetvli a0, a1, e32, m1, ta, ma"},
        {0x002180d7, "vadd.vv v1, v2, v3, v0.t"},
        {0x022180d7, "vadd.vv v1, v2, v3"},
        {0x442180d7, "vmadc.vvm v1, v2, v3, v0"},
        {0x41055207, "vlseg3e16ff.v v4, (a0), v0.t"},
        {0x22855107, "vl2re16.v v2, (a0)"},
        {0xb6312457, "vmacc.vv v8, v2, v3"},
    };
    struct harness *h = harness_create(RV32_T2);
    for (int i = 0; i < COUNT(cases); i++) {
        harness_check_text(h, cases[i].word, 0, cases[i].text);
        ck_assert_uint_eq(harness_encode(cases[i].text, 0), cases[i].word);
    }
    harness_destroy(h);
}
END_TEST

/* --- Configuration --- */

START_TEST(configuration)
{
    struct harness *h = harness_create(RV32_T2);
    h->hart.x[A1] = 5;
    run(h, "vsetvli a0, a1, e32, m1, ta, ma");
    ck_assert_uint_eq(h->hart.x[A0], 4);
    ck_assert_uint_eq(h->hart.csr.vl, 4);
    ck_assert_uint_eq(h->hart.csr.vtype, 0xd0);
    run(h, "vsetvli a0, zero, e8, m8, tu, mu");
    ck_assert_uint_eq(h->hart.x[A0], 128);
    run(h, "vsetivli a0, 3, e16, mf2, tu, mu");
    ck_assert_uint_eq(h->hart.x[A0], 3);
    run(h, "vsetvli zero, zero, e8, mf4, tu, mu"); /* the same VLMAX: vl stays */
    ck_assert_uint_eq(h->hart.csr.vl, 3);
    h->hart.x[A2] = E8 | M2;
    run(h, "vsetvl zero, a1, a2");
    ck_assert_uint_eq(h->hart.csr.vl, 5);
    harness_destroy(h);
}
END_TEST

START_TEST(reserved_configuration)
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
    check_fault(h, cases[_i].text, RV32_FAULT_VECTOR, cases[_i].detail);
    ck_assert_uint_eq(h->hart.csr.vtype, 0);
    harness_destroy(h);
}
END_TEST

/* Texts have no reserved bits, but words do. */
START_TEST(reserved_vtype_bits)
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
        harness_check_fault(h, RV32_FAULT_VECTOR, 0x40, word);
        ck_assert_ptr_nonnull(strstr(h->hart.fault.detail, "bits 8 to 31"));
        ck_assert_uint_eq(h->hart.csr.vtype, 0);
        rv32_disassemble(rv32_code_store_index(h->store), word, 0, text, sizeof text);
        rv32_disassemble(rv32_code_store_index(h->store), words[_i][0], 0, clean, sizeof clean);
        ck_assert_str_eq(text, clean);
    }
    harness_execute(h, 0x40, words[_i][0]);
    ck_assert_uint_eq(h->hart.csr.vtype, 0xd0);
    harness_destroy(h);
}
END_TEST

/* --- Arithmetic: v8 = v24 op v16, or with a1 = 3 and fa1 = 2.0 --- */

struct arithmetic {
    const char *text;
    uint32_t vtype;
    uint32_t d[4], vs1[4], vs2[4], result[4];
    uint32_t vxrm, vxsat;
};

#define ALL(word)                                                                                  \
    {                                                                                              \
        word, word, word, word                                                                     \
    }
#define NONE                                                                                       \
    {                                                                                              \
        0, 0, 0, 0                                                                                 \
    }

static const struct arithmetic arithmetic[] = {
    {"vadd.vv v8, v24, v16", E8, NONE, ALL(0x01020304), ALL(0xff807f00), ALL(0x00828204), 0, 0},
    {"vrsub.vx v8, v24, a1", E16, NONE, NONE, ALL(0x00010004), ALL(0x0002ffff), 0, 0},
    {"vmin.vv v8, v24, v16", E8, NONE, ALL(0x00000000), ALL(0xff7f8001), ALL(0xff008000), 0, 0},
    {"vmaxu.vx v8, v24, a1", E32, NONE, NONE, {0, 3, 4, UINT32_MAX}, {3, 3, 4, UINT32_MAX}, 0, 0},
    {"vsra.vi v8, v24, 0x1f", E16, NONE, NONE, ALL(0x80007fff), ALL(0xffff0000), 0, 0},
    {"vsll.vv v8, v24, v16", E32, NONE, ALL(36), ALL(3), ALL(48), 0, 0},
    {"vmulh.vv v8, v24, v16", E32, NONE, ALL(0x80000000), ALL(0x80000000), ALL(0x40000000), 0, 0},
    {"vmulhu.vv v8, v24, v16", E8, NONE, ALL(0xffffffff), ALL(0xff800100), ALL(0xfe7f0000), 0, 0},
    {"vmulhsu.vv v8, v24, v16", E16, NONE, ALL(0xffffffff), ALL(0xffff0001), ALL(0xffff0000), 0, 0},
    {"vmadd.vv v8, v16, v24", E32, ALL(5), ALL(7), ALL(100), ALL(135), 0, 0},
    {"vnmsub.vv v8, v16, v24", E32, ALL(5), ALL(7), ALL(100), ALL(65), 0, 0},
    {"vmacc.vx v8, a1, v24", E32, ALL(5), NONE, ALL(100), ALL(305), 0, 0},
    {"vnmsac.vx v8, a1, v24", E32, ALL(305), NONE, ALL(100), ALL(5), 0, 0},
    {"vsext.vf2 v8, v24",
     E16,
     NONE,
     NONE,
     {0x807f01ff, 0x00ff00ff, 9, 9},
     {0x0001ffff, 0xff80007f, 0x0000ffff, 0x0000ffff},
     0,
     0},
    {"vzext.vf4 v8, v24", E32, NONE, NONE, {0x80c001ff, 9, 9, 9}, {0xff, 1, 0xc0, 0x80}, 0, 0},
    {"vwmulsu.vv v8, v24, v16",
     E8 | MF2,
     NONE,
     ALL(0xff02ff02),
     ALL(0xffff8080),
     {0x8080ff00, 0xff01fffe, 0x8080ff00, 0xff01fffe},
     0,
     0},
    {"vwsub.wx v8, v24, a1", E16 | MF2, NONE, NONE, {1, 2, 3, 4}, {-2u, -1u, 0, 1}, 0, 0},
    {"vnsra.wi v8, v24, 8",
     E8 | MF2,
     NONE,
     NONE,
     {0x8000ff12, 0x01230080, 0, 0},
     {0x010080ff},
     0,
     0},
    {"vmerge.vim v8, v24, -1, v0",
     E32,
     NONE,
     NONE,
     {1, 2, 3, 4},
     {UINT32_MAX, 2, UINT32_MAX, 4},
     0,
     0},
    {"vadc.vvm v8, v24, v16, v0", E32, NONE, ALL(10), {1, 2, 3, 4}, {12, 12, 14, 14}, 0, 0},
    {"vsbc.vxm v8, v24, a1, v0", E32, NONE, NONE, {1, 2, 3, 4}, {-3u, -1u, -1u, 1}, 0, 0},
    {"vmadc.vvm v8, v24, v16, v0",
     E32,
     ALL(0xa5a5a5a0),
     ALL(0),
     {-1u, -1u, 0, 0},
     {0xa5a5a5a1, 0xa5a5a5a0, 0xa5a5a5a0, 0xa5a5a5a0},
     0,
     0},
    {"vmsbc.vx v8, v24, a1", E32, NONE, NONE, {2, 3, 4, 0}, {9, 0, 0, 0}, 0, 0},
    {"vmsle.vi v8, v24, -1", E32, NONE, NONE, {-1u, 0, -2u, 1}, {5, 0, 0, 0}, 0, 0},
    {"vmsgtu.vi v8, v24, -1", E32, NONE, NONE, {-1u, 0, -2u, 1}, NONE, 0, 0},
    {"vmv.v.i v8, -16", E8, NONE, NONE, NONE, ALL(0xf0f0f0f0), 0, 0},

    {"vsadd.vv v8, v24, v16", E8, NONE, ALL(0x01ff0101), ALL(0x7f800001), ALL(0x7f800102), 0, 1},
    {"vssubu.vx v8, v24, a1", E16, NONE, NONE, ALL(0x00040002), ALL(0x00010000), 0, 1},
    {"vaadd.vx v8, v24, a1", E32, NONE, NONE, {0, 2, -4u, -6u}, {2, 3, 0, -1u}, 0, 0},
    {"vaadd.vx v8, v24, a1", E32, NONE, NONE, {0, 2, -4u, -6u}, {2, 2, 0, -2u}, 1, 0},
    {"vaadd.vx v8, v24, a1", E32, NONE, NONE, {0, 2, -4u, -6u}, {1, 2, -1u, -2u}, 2, 0},
    {"vaadd.vx v8, v24, a1", E32, NONE, NONE, {0, 2, -4u, -6u}, {1, 3, -1u, -1u}, 3, 0},
    {"vsmul.vv v8, v24, v16", E16, NONE, ALL(0x80004000), ALL(0x80004000), ALL(0x7fff2000), 0, 1},
    {"vssrl.vi v8, v24, 1", E8, NONE, NONE, ALL(0xff030201), ALL(0x80020101), 0, 0},
    {"vnclip.wi v8, v24, 0",
     E8 | MF2,
     NONE,
     NONE,
     {0xff80ff7f, 0x00800012, 0, 0},
     {0x7f128080},
     0,
     1},
    {"vnclipu.wx v8, v24, a1",
     E8 | MF2,
     NONE,
     NONE,
     {0x08000004, 0x07f70003, 0, 0},
     {0xff00ff01},
     0,
     1},

    {"vredsum.vs v8, v24, v16",
     E8,
     ALL(0x5a5a5a5a),
     ALL(7),
     ALL(0x01010101),
     {0x5a5a5a17, 0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a},
     0,
     0},
    {"vredmin.vs v8, v24, v16", E32, NONE, ALL(7), {9, -5u, 3, 8}, {-5u, 0, 0, 0}, 0, 0},
    {"vwredsumu.vs v8, v24, v16",
     E16,
     NONE,
     {0x10000, 0, 0, 0},
     ALL(0xffffffff),
     {0x10000 + 8 * 0xffff, 0, 0, 0},
     0,
     0},

    {"vmandn.mm v8, v24, v16",
     E8,
     ALL(0xffffffff),
     {0x0000ff0f},
     {0x000f0f0f},
     {0xffff0000, -1u, -1u, -1u},
     0,
     0},
    {"vmsif.m v8, v24", E8, NONE, NONE, {0x00000410}, {0x0000001f}, 0, 0},
    {"vmsof.m v8, v24", E8, NONE, NONE, {0x00000410}, {0x00000010}, 0, 0},
    {"vmsbf.m v8, v24", E8, NONE, NONE, NONE, {0x0000ffff}, 0, 0},
    {"viota.m v8, v24",
     E16,
     NONE,
     NONE,
     {0xb3},
     {0x00010000, 0x00020002, 0x00030002, 0x00040004},
     0,
     0},
    {"vid.v v8", E16, NONE, NONE, NONE, {0x00010000, 0x00030002, 0x00050004, 0x00070006}, 0, 0},

    {"vslideup.vi v8, v24, 1", E32, ALL(9), NONE, {1, 2, 3, 4}, {9, 1, 2, 3}, 0, 0},
    {"vslidedown.vi v8, v24, 3", E32, ALL(9), NONE, {1, 2, 3, 4}, {4, 0, 0, 0}, 0, 0},
    {"vslide1up.vx v8, v24, a1", E32, ALL(9), NONE, {1, 2, 3, 4}, {3, 1, 2, 3}, 0, 0},
    {"vslide1down.vx v8, v24, a1", E32, ALL(9), NONE, {1, 2, 3, 4}, {2, 3, 4, 3}, 0, 0},
    {"vfslide1up.vf v8, v24, fa1", E32, ALL(9), NONE, {1, 2, 3, 4}, {0x40000000, 1, 2, 3}, 0, 0},
    {"vrgather.vv v8, v24, v16", E32, NONE, {3, 0, 4, -1u}, {1, 2, 3, 4}, {4, 1, 0, 0}, 0, 0},
    {"vrgatherei16.vv v8, v24, v16",
     E32,
     NONE,
     {0x00020003, 0xffff0001},
     {1, 2, 3, 4},
     {4, 3, 2, 0},
     0,
     0},
    {"vcompress.vm v8, v24, v16", E32, ALL(9), {0xa}, {1, 2, 3, 4}, {2, 4, 9, 9}, 0, 0},
    {"vmv.s.x v8, a1", E32, ALL(9), NONE, NONE, {3, 9, 9, 9}, 0, 0},

    {"vfadd.vf v8, v24, fa1", E32, NONE, NONE, ALL(0x3f800000), ALL(0x40400000), 0, 0},
    {"vfrsub.vf v8, v24, fa1", E32, NONE, NONE, ALL(0x3f800000), ALL(0x3f800000), 0, 0},
    {"vfmul.vv v8, v24, v16", E32, NONE, ALL(0x80000001), ALL(0x3f800000), ALL(0x80000000), 0, 0},
    {"vfmadd.vf v8, fa1, v24", E32, ALL(0x40400000), NONE, ALL(0x3f800000), ALL(0x40e00000), 0, 0},
    {"vfnmsac.vf v8, fa1, v24", E32, ALL(0x40400000), NONE, ALL(0x3f800000), ALL(0x3f800000), 0, 0},
    {"vmfge.vf v8, v24, fa1",
     E32,
     NONE,
     NONE,
     {0x40000000, 0x3f800000, 0x7fc00000, 0x7f800000},
     {9, 0, 0, 0},
     0,
     0},
    {"vmfne.vf v8, v24, fa1",
     E32,
     NONE,
     NONE,
     {0x40000000, 0x3f800000, 0x7fc00000, 0x7f800000},
     {14, 0, 0, 0},
     0,
     0},
    {"vfredosum.vs v8, v24, v16",
     E32,
     ALL(9),
     {0x3f800000},
     ALL(0x3f800000),
     {0x40a00000, 9, 9, 9},
     0,
     0},
    {"vfcvt.x.f.v v8, v24",
     E32,
     NONE,
     NONE,
     {0x40200000, 0xc0600000, 0x7fc00000, 0},
     {2, -4u, 0x7fffffff, 0},
     0,
     0},
    {"vfcvt.rtz.x.f.v v8, v24",
     E32,
     NONE,
     NONE,
     {0x40200000, 0xc0600000, 0xff800000, 0},
     {2, -3u, 0x80000000, 0},
     0,
     0},
    {"vfwcvt.f.x.v v8, v24", E16 | MF2, NONE, NONE, {0xffff0002}, {0x40000000, 0xbf800000}, 0, 0},
    {"vfncvt.x.f.w v8, v24", E16 | MF2, NONE, NONE, {0x47800000, 0xbf800000}, {0xffff7fff}, 0, 0},
};

static uint32_t vlmax(uint32_t vtype)
{
    uint32_t sew_bytes = 1u << (vtype >> 3), all = RV32_VLEN_BYTES / sew_bytes;
    return (vtype & 7) < 4 ? all << (vtype & 7) : all >> (8 - (vtype & 7));
}

START_TEST(arithmetic_row)
{
    const struct arithmetic *row = &arithmetic[_i];
    static const uint32_t mask[4] = {5, 0, 0, 0};
    struct harness *h = harness_create(RV32_T2);
    set_words(h, 0, mask);
    set_words(h, 8, row->d);
    set_words(h, 16, row->vs1);
    set_words(h, 24, row->vs2);
    h->hart.x[A1] = 3;
    h->hart.f[A1] = 0x40000000;
    h->hart.csr.vxrm = row->vxrm;
    configure(h, row->vtype, vlmax(row->vtype));
    run(h, row->text);
    check_words(h, 8, row->result, row->text);
    ck_assert_uint_eq(h->hart.csr.vxsat, row->vxsat);
    harness_destroy(h);
}
END_TEST

START_TEST(scalar_results)
{
    static const uint32_t words[4] = {0x8580, 0, 0, 0}, mask[4] = {0xff00, 0, 0, 0};
    struct harness *h = harness_create(RV32_T2);
    set_words(h, 8, words);
    set_words(h, 0, mask);
    configure(h, E8 | M1, 16);
    run(h, "vcpop.m a0, v8");
    ck_assert_uint_eq(h->hart.x[A0], 4);
    run(h, "vcpop.m a0, v8, v0.t");
    ck_assert_uint_eq(h->hart.x[A0], 3);
    run(h, "vfirst.m a0, v8, v0.t");
    ck_assert_uint_eq(h->hart.x[A0], 8);
    run(h, "vmv.x.s a0, v8");
    ck_assert_uint_eq(h->hart.x[A0], 0xffffff80);
    configure(h, E8 | M1, 0);
    run(h, "vfirst.m a0, v8");
    ck_assert_uint_eq(h->hart.x[A0], UINT32_MAX);
    configure(h, E32 | M8, 0); /* neither LMUL nor vl matter */
    run(h, "vfmv.f.s fa0, v9");
    ck_assert_uint_eq(h->hart.f[A0], 0);
    run(h, "vmv.x.s zero, v8");
    ck_assert_uint_eq(h->hart.x[0], 0);
    harness_destroy(h);
}
END_TEST

/* SPEC: tails and masked elements are undisturbed whatever vta and vma say. */
START_TEST(undisturbed)
{
    static const uint32_t old[4] = ALL(0x55555555), mask[4] = {0xfffffff6, 0, 0, 0};
    static const uint32_t sum[4] = {0x55555555, 7, 7, 0x55555555};
    static const uint32_t bits[4] = {0x55555557, 0x55555555, 0x55555555, 0x55555555};
    uint32_t agnostic = _i ? 0xc0 : 0;
    struct harness *h = harness_create(RV32_T2);
    set_words(h, 0, mask);
    set_words(h, 8, old);
    set_words(h, 9, old);
    configure(h, agnostic | E32 | M2, 3);
    run(h, "vadd.vi v8, v24, 7, v0.t");
    check_words(h, 8, sum, "vadd.vi");
    check_words(h, 9, old, "vadd.vi");
    run(h, "vmseq.vv v9, v24, v16, v0.t");
    check_words(h, 9, bits, "vmseq.vv");
    harness_destroy(h);
}
END_TEST

/* LMUL 8 takes eight registers each; a narrower source takes fewer. */
START_TEST(groups)
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
    harness_destroy(h);
}
END_TEST

/* --- What V 1.0 reserves --- */

START_TEST(reserved)
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
    check_fault(h, cases[_i].text, RV32_FAULT_VECTOR, cases[_i].detail);
    harness_destroy(h);
}
END_TEST

/* vl and vtype can be written as CSRs; the loops stay bounded. */
START_TEST(excessive_vl)
{
    struct harness *h = harness_create(RV32_T2);
    h->hart.x[A0] = DATA;
    configure(h, E8 | M1, 17);
    check_fault(h, "vadd.vv v8, v16, v24", RV32_FAULT_VECTOR, "VLMAX");
    check_fault(h, "vle8.v v8, (a0)", RV32_FAULT_VECTOR, "VLMAX");
    run(h, "vl8re8.v v8, (a0)"); /* whatever vl is */
    harness_destroy(h);
}
END_TEST

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

static void check_bytes(const uint8_t *got, const uint8_t *expected, size_t size, const char *text)
{
    for (size_t i = 0; i < size; i++) {
        ck_assert_msg(got[i] == expected[i], "%s: byte %zu is %#x, not %#x", text, i, got[i],
                      expected[i]);
    }
}

START_TEST(loads)
{
    static const struct {
        const char *text;
        uint32_t vtype;
        unsigned number;
        uint8_t bytes[8];
    } cases[] = {
        {"vle8.v v8, (a0)", E8 | M1, 8, {0, 1, 2, 3, 0, 0, 0, 0}},
        {"vle16.v v8, (a0)", E8 | M1, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
        {"vlse16.v v8, (a0), a1", E16 | M1, 8, {0, 1, 8, 9, 16, 17, 24, 25}},
        {"vluxei8.v v8, (a0), v16", E16 | M1, 8, {6, 7, 4, 5, 2, 3, 0, 1}},
        {"vloxei8.v v8, (a0), v16", E8 | M1, 8, {6, 4, 2, 0, 0, 0, 0, 0}},
        {"vlseg3e8.v v8, (a0)", E8 | M1, 10, {2, 5, 8, 11, 0, 0, 0, 0}},
        {"vlsseg2e16.v v8, (a0), a1", E16 | M1, 9, {2, 3, 10, 11, 18, 19, 26, 27}},
        {"vluxseg2ei8.v v8, (a0), v16", E8 | M1, 9, {7, 5, 3, 1, 0, 0, 0, 0}},
        {"vle8.v v8, (a0), v0.t", E8 | M1, 8, {0, 0, 2, 0, 0, 0, 0, 0}},
        {"vlm.v v8, (a0)", E8 | M1, 8, {0, 0, 0, 0, 0, 0, 0, 0}},
        {"vl2re16.v v8, (a0)", E8 | M1, 9, {16, 17, 18, 19, 20, 21, 22, 23}},
    };
    static const uint32_t index[4] = {0x00020406, 0, 0, 0}, mask[4] = {4, 0, 0, 0};
    struct harness *h = memory_harness(cases[_i].vtype, 4);
    set_words(h, 16, index);
    set_words(h, 0, mask);
    run(h, cases[_i].text);
    check_bytes(h->hart.v[cases[_i].number], cases[_i].bytes, 8, cases[_i].text);
    harness_destroy(h);
}
END_TEST

START_TEST(stores)
{
    static const struct {
        const char *text;
        uint32_t vtype;
        uint8_t bytes[12];
    } cases[] = {
        {"vse8.v v8, (a0)", E8 | M1, {0x80, 0x81, 0x82, 0x83, 4, 5, 6, 7, 8, 9, 10, 11}},
        {"vsse8.v v8, (a0), a2", E8 | M1, {0x80, 1, 2, 0x81, 4, 5, 0x82, 7, 8, 0x83, 10, 11}},
        {"vsuxei8.v v8, (a0), v16", E8 | M1, {0x83, 1, 0x82, 3, 0x81, 5, 0x80, 7, 8, 9, 10, 11}},
        {"vsseg2e8.v v8, (a0)",
         E8 | M1,
         {0x80, 0x90, 0x81, 0x91, 0x82, 0x92, 0x83, 0x93, 8, 9, 10, 11}},
        {"vse16.v v8, (a0), v0.t", E16 | M1, {0, 1, 2, 3, 0x84, 0x85, 6, 7, 8, 9, 10, 11}},
        {"vsm.v v8, (a0)", E8 | M1, {0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
    };
    static const uint32_t index[4] = {0x00020406, 0, 0, 0}, mask[4] = {4, 0, 0, 0};
    struct harness *h = memory_harness(cases[_i].vtype, 4);
    h->hart.x[A2] = 3;
    for (unsigned i = 0; i < 2 * RV32_VLEN_BYTES; i++) {
        h->hart.v[8 + i / RV32_VLEN_BYTES][i % RV32_VLEN_BYTES] = (uint8_t)(0x80 + i);
    }
    set_words(h, 16, index);
    set_words(h, 0, mask);
    run(h, cases[_i].text);
    check_bytes(h->l1 + DATA, cases[_i].bytes, 12, cases[_i].text);
    harness_destroy(h);
}
END_TEST

START_TEST(local_memory)
{
    struct harness *h = memory_harness(E32 | M1, 4);
    run(h, "vle32.v v8, (a0)");
    h->hart.x[A0] = RV32_LOCAL_BASE + 16;
    run(h, "vse32.v v8, (a0)");
    ck_assert_mem_eq(h->local + 16, h->l1 + DATA, 16);
    harness_destroy(h);
}
END_TEST

/* One element may reach a device, and waits for it; more may not. */
START_TEST(devices)
{
    struct harness *h = memory_harness(E32 | M1, 1);
    uint32_t word = harness_encode("vle32.v v8, (a0)", 0);
    h->hart.x[A0] = OUTSIDE;
    h->waits = 1;
    h->value = 0xcafe;
    harness_execute(h, 0x40, word);
    ck_assert_int_eq(h->hart.stop, RV32_STOP_WAIT);
    ck_assert_uint_eq(h->hart.access.address, OUTSIDE);
    ck_assert_uint_eq(h->hart.v[8][0], 0);
    harness_run(h, 1);
    ck_assert_uint_eq(h->hart.v[8][0], 0xfe);
    ck_assert_uint_eq(h->accesses, 1);
    configure(h, E32 | M1, 2);
    check_fault(h, "vle32.v v8, (a0)", RV32_FAULT_UNIMPLEMENTED, "more than one element");
    check_fault(h, "vse32.v v8, (a0)", RV32_FAULT_UNIMPLEMENTED, "more than one element");
    ck_assert_uint_eq(h->accesses, 1);
    harness_destroy(h);
}
END_TEST

START_TEST(misaligned)
{
    struct harness *h = memory_harness(E16 | M1, 4);
    h->hart.x[A1] = 3; /* the second element is the culprit */
    memset(h->hart.v[8], 0xee, RV32_VLEN_BYTES);
    check_fault(h, "vsse16.v v8, (a0), a1", RV32_FAULT_MISALIGNED, "not aligned");
    ck_assert_uint_eq(h->hart.fault.address, DATA + 3);
    ck_assert_uint_eq(h->l1[DATA], 0);
    check_fault(h, "vlse16.v v8, (a0), a1", RV32_FAULT_MISALIGNED, "not aligned");
    harness_destroy(h);
}
END_TEST

START_TEST(fault_only_first)
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
    check_fault(h, "vle32ff.v v8, (a0)", RV32_FAULT_MISALIGNED, "not aligned");
    harness_destroy(h);
}
END_TEST

/* Stores over decoded code are noticed. */
START_TEST(self_modification)
{
    struct harness *h = memory_harness(E32 | M1, 1);
    uint32_t addi = harness_encode("addi a2, zero, 5", 0);
    memcpy(h->hart.v[8], &addi, 4);
    harness_put_word(h, 0x40, harness_encode("vse32.v v8, (a0)", 0));
    harness_put_word(h, 0x44, harness_encode("addi a2, zero, 4", 0));
    h->hart.x[A0] = 0x44;
    h->hart.pc = 0x40;
    harness_run(h, 2);
    ck_assert_uint_eq(h->hart.x[A2], 5);
    harness_destroy(h);
}
END_TEST

START_TEST(long_burst)
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
    harness_destroy(h);
}
END_TEST

static void fill(Suite *suite)
{
    TCase *tcase = tcase_create("vector");
    tcase_add_loop_test(tcase, every_row, (int)first_vector_row(), (int)RV32_ROWS);
    tcase_add_test(tcase, texts);
    tcase_add_test(tcase, configuration);
    tcase_add_loop_test(tcase, reserved_configuration, 0, 8);
    tcase_add_loop_test(tcase, reserved_vtype_bits, 0, 2);
    tcase_add_loop_test(tcase, arithmetic_row, 0, COUNT(arithmetic));
    tcase_add_test(tcase, scalar_results);
    tcase_add_loop_test(tcase, undisturbed, 0, 2);
    tcase_add_test(tcase, groups);
    tcase_add_loop_test(tcase, reserved, 0, 27);
    tcase_add_test(tcase, excessive_vl);
    tcase_add_loop_test(tcase, loads, 0, 11);
    tcase_add_loop_test(tcase, stores, 0, 6);
    tcase_add_test(tcase, local_memory);
    tcase_add_test(tcase, devices);
    tcase_add_test(tcase, misaligned);
    tcase_add_test(tcase, fault_only_first);
    tcase_add_test(tcase, self_modification);
    tcase_add_test(tcase, long_burst);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    return harness_main("rv32: vector", fill);
}
