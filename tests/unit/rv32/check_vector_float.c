/*
 * The vector unit of RISCV T2, fourth part: FP32 arithmetic against V 1.0 and the models of
 * spec_float.h. Same caveats as for scalars (InstructionSet page): to nearest even whatever frm
 * holds, denormals flushed by add, multiply and multiply-add, multiply-add as on the FMA page.
 *
 * Not asserted, because the pages do not say: the order of additions in vfredusum, floats of 16
 * bits, flags, whether vfmul flushes before or after rounding.
 */
#include "unit/rv32/spec_float.h"
#include "unit/rv32/spec_vector.h"

#include <stdio.h>

FIXTURE(NULL, harness_destroy_all);

enum { CASES = 100, LMULS = 4, SIGN_SHIFT = 31 };

#define SIGN (UINT32_C(1) << SIGN_SHIFT)

/* --- Models: one element; a is of vs2, b of vs1 or the scalar, d of vd --- */

typedef uint32_t model(uint32_t a, uint32_t b, uint32_t d);

#define MODEL(name, value)                                                                         \
    static uint32_t do_##name(uint32_t a, uint32_t b, uint32_t d)                                  \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        (void)d;                                                                                   \
        return value;                                                                              \
    }

MODEL(add, spec_add(spec_single, a, b))
MODEL(sub, spec_add(spec_single, a, b ^ SIGN))
MODEL(rsub, spec_add(spec_single, b, a ^ SIGN))
MODEL(mul, spec_mul(spec_single, a, b))
MODEL(min, spec_min(SPEC_F32, a, b))
MODEL(max, spec_max(SPEC_F32, a, b))
MODEL(sgnj, spec_inject(SPEC_F32, SPEC_SIGN_COPY, a, b))
MODEL(sgnjn, spec_inject(SPEC_F32, SPEC_SIGN_NOT, a, b))
MODEL(sgnjx, spec_inject(SPEC_F32, SPEC_SIGN_XOR, a, b))
MODEL(eq, spec_equal(SPEC_F32, a, b))
MODEL(ne, !spec_equal(SPEC_F32, a, b))
MODEL(lt, spec_less(SPEC_F32, a, b))
MODEL(le, spec_less(SPEC_F32, a, b) || spec_equal(SPEC_F32, a, b))
MODEL(gt, spec_less(SPEC_F32, b, a))
MODEL(ge, spec_less(SPEC_F32, b, a) || spec_equal(SPEC_F32, b, a))
MODEL(madd, spec_fma(b, d, a))
MODEL(nmadd, spec_fma(b ^ SIGN, d, a ^ SIGN))
MODEL(msub, spec_fma(b, d, a ^ SIGN))
MODEL(nmsub, spec_fma(b ^ SIGN, d, a))
MODEL(macc, spec_fma(b, a, d))
MODEL(nmacc, spec_fma(b ^ SIGN, a, d ^ SIGN))
MODEL(msac, spec_fma(b, a, d ^ SIGN))
MODEL(nmsac, spec_fma(b ^ SIGN, a, d))
MODEL(move, b)

/* --- Arithmetic --- */

enum form { FORM_V = 1, FORM_F = 2 };
enum kind { PLAIN, TIMES_VD, TIMES_VS2, COMPARE, MERGE, MOVE };

static const struct row {
    const char *mnemonic;
    uint32_t funct6;
    unsigned forms;
    enum kind kind;
    model *run;
} rows[] = {
    {"vfadd", 0x00, FORM_V | FORM_F, PLAIN, do_add},
    {"vfsub", 0x02, FORM_V | FORM_F, PLAIN, do_sub},
    {"vfrsub", 0x27, FORM_F, PLAIN, do_rsub},
    {"vfmul", 0x24, FORM_V | FORM_F, PLAIN, do_mul},
    {"vfmin", 0x04, FORM_V | FORM_F, PLAIN, do_min},
    {"vfmax", 0x06, FORM_V | FORM_F, PLAIN, do_max},
    {"vfsgnj", 0x08, FORM_V | FORM_F, PLAIN, do_sgnj},
    {"vfsgnjn", 0x09, FORM_V | FORM_F, PLAIN, do_sgnjn},
    {"vfsgnjx", 0x0a, FORM_V | FORM_F, PLAIN, do_sgnjx},
    {"vmfeq", 0x18, FORM_V | FORM_F, COMPARE, do_eq},
    {"vmfle", 0x19, FORM_V | FORM_F, COMPARE, do_le},
    {"vmflt", 0x1b, FORM_V | FORM_F, COMPARE, do_lt},
    {"vmfne", 0x1c, FORM_V | FORM_F, COMPARE, do_ne},
    {"vmfgt", 0x1d, FORM_F, COMPARE, do_gt},
    {"vmfge", 0x1f, FORM_F, COMPARE, do_ge},
    {"vfmadd", 0x28, FORM_V | FORM_F, TIMES_VD, do_madd},
    {"vfnmadd", 0x29, FORM_V | FORM_F, TIMES_VD, do_nmadd},
    {"vfmsub", 0x2a, FORM_V | FORM_F, TIMES_VD, do_msub},
    {"vfnmsub", 0x2b, FORM_V | FORM_F, TIMES_VD, do_nmsub},
    {"vfmacc", 0x2c, FORM_V | FORM_F, TIMES_VS2, do_macc},
    {"vfnmacc", 0x2d, FORM_V | FORM_F, TIMES_VS2, do_nmacc},
    {"vfmsac", 0x2e, FORM_V | FORM_F, TIMES_VS2, do_msac},
    {"vfnmsac", 0x2f, FORM_V | FORM_F, TIMES_VS2, do_nmsac},
    {"vfmerge", 0x17, FORM_F, MERGE, do_move},
    {"vfmv", 0x17, FORM_F, MOVE, do_move},
};

static uint32_t near_product(uint64_t *random, uint32_t a, uint32_t b)
{
    uint32_t product = spec_mul(spec_single, a, b);
    uint32_t pick = harness_random(random);
    return pick % 4 ? spec_random(SPEC_F32, random, product)
                    : (product ^ SIGN) + (pick >> 8) % 5 - 2;
}

/* Elements that interact: addends near products, all kinds of edges. A borderline product of vfmul
 * becomes another number. */
static void fill_elements(struct vector_bench *b, const struct row *row, unsigned vd, unsigned vs2,
                          unsigned vs1, bool scalar)
{
    uint32_t *float_register = &b->h->hart.f[VECTOR_FLOAT];
    *float_register = spec_random(SPEC_F32, &b->random, harness_random(&b->random));
    for (uint32_t i = 0; i < vector_vlmax(b->type); i++) {
        uint32_t one = scalar ? *float_register
                              : spec_random(SPEC_F32, &b->random, harness_random(&b->random));
        uint32_t two = spec_random(SPEC_F32, &b->random, i & 1 ? one : 0x3f800000);
        uint32_t three = near_product(&b->random, one, two);
        if (row->run == do_mul && spec_mul_is_borderline(spec_single, one, two)) {
            two = 0x3f800000;
        }
        if (!scalar) {
            vector_set(b, vs1, i, 32, one);
        }
        vector_set(b, vs2, i, 32, row->kind == TIMES_VD ? three : two);
        if (row->kind != COMPARE) {
            vector_set(b, vd, i, 32, row->kind == TIMES_VD ? two : three);
        }
    }
}

static void model_case(struct vector_bench *b, const struct row *row, unsigned vd, unsigned vs2,
                       unsigned vs1, bool scalar)
{
    for (uint32_t i = 0; i < b->vl; i++) {
        uint32_t one = scalar ? b->h->hart.f[VECTOR_FLOAT] : vector_get(b, vs1, i, 32);
        uint32_t two = vector_get(b, vs2, i, 32);
        if (row->kind == COMPARE) {
            if (vector_active(b, i)) {
                vector_put_bit(b, vd, i, row->run(two, one, 0));
            }
        } else if (vector_active(b, i)) {
            vector_put(b, vd, i, 32, row->run(two, one, vector_get(b, vd, i, 32)));
        } else if (row->kind == MERGE) {
            vector_put(b, vd, i, 32, two);
        }
    }
}

static void check_row_text(const struct vector_bench *b, const struct row *row, uint32_t word,
                           unsigned vd, unsigned vs2, const char *second)
{
    char mnemonic[24], operands[48];
    char letter = *second == 'v' ? 'v' : 'f';
    if (row->kind == MERGE) {
        snprintf(operands, sizeof operands, "vfmerge.vfm v%u, v%u, %s, v0", vd, vs2, second);
        harness_check_text(b->h, word, 0, operands);
        return;
    }
    snprintf(mnemonic, sizeof mnemonic, row->kind == MOVE ? "%s.v.%c" : "%s.v%c", row->mnemonic,
             letter);
    if (row->kind == MOVE) {
        snprintf(operands, sizeof operands, "v%u, %s", vd, second);
    } else if (row->kind == TIMES_VD || row->kind == TIMES_VS2) {
        snprintf(operands, sizeof operands, "v%u, %s, v%u", vd, second, vs2);
    } else {
        snprintf(operands, sizeof operands, "v%u, v%u, %s", vd, vs2, second);
    }
    vector_check_text(b, word, mnemonic, operands);
}

static void run_case(struct vector_bench *b, const struct row *row, enum form form)
{
    int lmul = b->type.lmul;
    bool scalar = form == FORM_F;
    char second[8] = "ft1";
    b->masked = row->kind == MERGE || (row->kind != MOVE && b->masked);
    if (b->masked) {
        b->free &= ~UINT32_C(1);
    }
    unsigned vd = vector_take(b, row->kind == COMPARE ? 0 : lmul);
    unsigned vs2 = row->kind == MOVE ? 0 : vector_take(b, lmul);
    unsigned vs1 = scalar ? VECTOR_FLOAT : vector_take(b, lmul);
    if (row->kind != MOVE) {
        fill_elements(b, row, vd, vs2, vs1, scalar);
    }
    if (row->kind == PLAIN && harness_random(&b->random) % 4 == 0) {
        vd = vs2;
    }
    uint32_t word = words_v(row->funct6, vector_vm(b), vs2, vs1, scalar ? OPFVF : OPFVV, vd);
    if (!scalar) {
        snprintf(second, sizeof second, "v%u", vs1);
    }
    check_row_text(b, row, word, vd, vs2, second);
    model_case(b, row, vd, vs2, vs1, scalar);
    uint32_t frm = harness_random(&b->random) % 8 << 5;
    b->h->hart.csr.fcsr = frm;
    vector_check(b, word);
    ck_assert_uint_eq(b->h->hart.csr.fcsr & 0xe0, frm);
}

TEST_EACH(arithmetic, COUNT(rows))
{
    struct vector_bench b;
    rvv_open(&b, 4000 + (uint64_t)_i);
    for (int lmul = 0; lmul < LMULS; lmul++) {
        for (int i = 0; i < CASES; i++) {
            enum form form = i & 1 ? FORM_V : FORM_F;
            vector_roll(&b, (struct vector_type){32, lmul});
            if (rows[_i].forms & form) {
                run_case(&b, &rows[_i], form);
            }
        }
    }
}

/* --- Conversions and classes --- */

static const struct spec_float truncating = {SPEC_F32, SPEC_RTZ};

MODEL(class, spec_class(SPEC_F32, a))
MODEL(to_xu, spec_to_integer(spec_single, a, 32, false))
MODEL(to_x, spec_to_integer(spec_single, a, 32, true))
MODEL(rtz_to_xu, spec_to_integer(truncating, a, 32, false))
MODEL(rtz_to_x, spec_to_integer(truncating, a, 32, true))
MODEL(from_xu, spec_from_integer(spec_single, a, false))
MODEL(from_x, spec_from_integer(spec_single, a, true))
MODEL(from_short, spec_from_integer(spec_single, a & 0x8000 ? a | 0xffff0000 : a, true))
MODEL(to_ushort, spec_to_integer(spec_single, a, 16, false))
MODEL(to_short, spec_to_integer(spec_single, a, 16, true))
MODEL(rtz_to_ushort, spec_to_integer(truncating, a, 16, false))
MODEL(rtz_to_short, spec_to_integer(truncating, a, 16, true))

/* Widths of vd and vs2; the type's SEW is the smaller one. */
static const struct conversion {
    const char *mnemonic;
    uint32_t funct6, selector;
    unsigned to, from;
    bool from_float;
    model *run;
} conversions[] = {
    {"vfclass.v", 0x13, 0x10, 32, 32, true, do_class},
    {"vfcvt.xu.f.v", 0x12, 0x00, 32, 32, true, do_to_xu},
    {"vfcvt.x.f.v", 0x12, 0x01, 32, 32, true, do_to_x},
    {"vfcvt.f.xu.v", 0x12, 0x02, 32, 32, false, do_from_xu},
    {"vfcvt.f.x.v", 0x12, 0x03, 32, 32, false, do_from_x},
    {"vfcvt.rtz.xu.f.v", 0x12, 0x06, 32, 32, true, do_rtz_to_xu},
    {"vfcvt.rtz.x.f.v", 0x12, 0x07, 32, 32, true, do_rtz_to_x},
    {"vfwcvt.f.xu.v", 0x12, 0x0a, 32, 16, false, do_from_xu},
    {"vfwcvt.f.x.v", 0x12, 0x0b, 32, 16, false, do_from_short},
    {"vfncvt.xu.f.w", 0x12, 0x10, 16, 32, true, do_to_ushort},
    {"vfncvt.x.f.w", 0x12, 0x11, 16, 32, true, do_to_short},
    {"vfncvt.rtz.xu.f.w", 0x12, 0x16, 16, 32, true, do_rtz_to_ushort},
    {"vfncvt.rtz.x.f.w", 0x12, 0x17, 16, 32, true, do_rtz_to_short},
};

/* Numbers on both sides of where 16-bit and 32-bit integers end, halves, edges. */
static uint32_t convertible(uint64_t *random, bool is_float)
{
    uint32_t pick = harness_random(random);
    if (!is_float) {
        return harness_random_word(random);
    }
    uint32_t near = pick & 1 ? 0x4f000000 : pick & 2 ? 0x47000000 : 0x3f800000;
    if (pick >> 8 & 1) { /* n + 1/2 */
        return spec_from_integer(spec_single, pick >> 12 | 1, true) - 0x00800000;
    }
    return spec_random(SPEC_F32, random, near);
}

static void run_conversion(struct vector_bench *b, const struct conversion *conversion)
{
    int lmul = b->type.lmul;
    unsigned vd = vector_take(b, conversion->to > b->type.sew ? lmul + 1 : lmul);
    unsigned vs2 = vector_take(b, conversion->from > b->type.sew ? lmul + 1 : lmul);
    char operands[32];
    for (uint32_t i = 0; i < vector_vlmax(b->type); i++) {
        vector_set(b, vs2, i, conversion->from, convertible(&b->random, conversion->from_float));
    }
    for (uint32_t i = 0; i < b->vl; i++) {
        if (vector_active(b, i)) {
            uint32_t element = vector_get(b, vs2, i, conversion->from);
            vector_put(b, vd, i, conversion->to, conversion->run(element, 0, 0));
        }
    }
    uint32_t word = words_v(conversion->funct6, vector_vm(b), vs2, conversion->selector, OPFVV, vd);
    snprintf(operands, sizeof operands, "v%u, v%u", vd, vs2);
    vector_check_text(b, word, conversion->mnemonic, operands);
    b->h->hart.csr.fcsr = harness_random(&b->random) % 8 << 5;
    vector_check(b, word);
}

TEST_EACH(conversion, COUNT(conversions))
{
    const struct conversion *row = &conversions[_i];
    struct vector_bench b;
    rvv_open(&b, 5000 + (uint64_t)_i);
    unsigned sew = row->to < row->from ? row->to : row->from;
    int least = sew == 16 ? -1 : 0, most = row->to == row->from ? 3 : 2;
    for (int lmul = least; lmul <= most; lmul++) {
        for (int i = 0; i < CASES; i++) {
            vector_roll(&b, (struct vector_type){sew, lmul});
            run_conversion(&b, row);
        }
    }
}

/* --- Reductions --- */

enum reduction { USUM, OSUM, MIN, MAX };

static const struct {
    const char *mnemonic;
    uint32_t funct6;
    model *run;
} reductions[] = {
    [USUM] = {"vfredusum.vs", 0x01, do_add},
    [OSUM] = {"vfredosum.vs", 0x03, do_add},
    [MIN] = {"vfredmin.vs", 0x05, do_min},
    [MAX] = {"vfredmax.vs", 0x07, do_max},
};

/* Small integers make sums exact in every order. */
static uint32_t addend(struct vector_bench *b, enum reduction what)
{
    if (what == USUM) {
        return spec_from_integer(spec_single, harness_random(&b->random) % 2000 - 1000, true);
    }
    return spec_random(SPEC_F32, &b->random, 0x3f800000);
}

static void run_reduction(struct vector_bench *b, enum reduction what)
{
    char operands[48];
    unsigned vs2 = vector_take(b, b->type.lmul), vs1 = vector_take(b, 0), vd = vector_take(b, 0);
    for (uint32_t i = 0; i < vector_vlmax(b->type); i++) {
        vector_set(b, vs2, i, 32, addend(b, what));
    }
    vector_set(b, vs1, 0, 32, addend(b, what));
    uint32_t sum = vector_get(b, vs1, 0, 32);
    bool any = false;
    for (uint32_t i = 0; i < b->vl; i++) {
        if (vector_active(b, i)) {
            sum = reductions[what].run(sum, vector_get(b, vs2, i, 32), 0);
            any = true;
        }
    }
    if (!any && b->vl && spec_is_nan(SPEC_F32, sum) && what >= MIN) {
        return; /* a payload with nothing to compare it to: may become canonical or stay */
    }
    if (b->vl) {
        vector_put(b, vd, 0, 32, sum);
    }
    uint32_t word = words_v(reductions[what].funct6, vector_vm(b), vs2, vs1, OPFVV, vd);
    snprintf(operands, sizeof operands, "v%u, v%u, v%u", vd, vs2, vs1);
    vector_check_text(b, word, reductions[what].mnemonic, operands);
    vector_check(b, word);
}

TEST_RANGE(reduction, USUM, MAX)
{
    struct vector_bench b;
    rvv_open(&b, 6000 + (uint64_t)_i);
    for (int lmul = 0; lmul < LMULS; lmul++) {
        for (int i = 0; i < 2 * CASES; i++) {
            vector_roll(&b, (struct vector_type){32, lmul});
            run_reduction(&b, (enum reduction)_i);
        }
    }
}

/* --- Moves and slides --- */

/* vfmv.f.s ignores vl; vfmv.s.f writes nothing when it is 0. Bits move unchanged. */
TEST(scalar_moves)
{
    struct vector_bench b;
    rvv_open(&b, 7000);
    for (int i = 0; i < CASES * LMULS; i++) {
        char operands[32];
        vector_roll(&b, (struct vector_type){32, i % LMULS});
        b.masked = false;
        unsigned reg = harness_random(&b.random) & 31;
        vector_set(&b, reg, 0, 32, spec_random(SPEC_F32, &b.random, 0x3f800000));
        uint32_t word = words_v(0x10, 1, reg, 0, OPFVV, 2);
        snprintf(operands, sizeof operands, "ft2, v%u", reg);
        vector_check_text(&b, word, "vfmv.f.s", operands);
        vector_check(&b, word);
        ck_assert_uint_eq(b.h->hart.f[2], vector_get(&b, reg, 0, 32));
        b.h->hart.f[VECTOR_FLOAT] = spec_random(SPEC_F32, &b.random, 0x3f800000);
        if (b.vl) {
            vector_put(&b, reg, 0, 32, b.h->hart.f[VECTOR_FLOAT]);
        }
        word = words_v(0x10, 1, 0, VECTOR_FLOAT, OPFVF, reg);
        snprintf(operands, sizeof operands, "v%u, ft1", reg);
        vector_check_text(&b, word, "vfmv.s.f", operands);
        vector_check(&b, word);
    }
}

TEST_EACH(slide_1, 2)
{
    bool up = _i;
    struct vector_bench b;
    rvv_open(&b, 7100 + (uint64_t)_i);
    for (int c = 0; c < CASES * LMULS; c++) {
        char operands[32];
        vector_roll(&b, (struct vector_type){32, c % LMULS});
        unsigned vs2 = vector_take(&b, b.type.lmul), vd = vector_take(&b, b.type.lmul);
        uint32_t scalar = b.h->hart.f[VECTOR_FLOAT] = spec_random(SPEC_F32, &b.random, 0);
        for (uint32_t i = 0; i < b.vl; i++) {
            bool end = up ? i == 0 : i == b.vl - 1;
            if (vector_active(&b, i)) {
                vector_put(&b, vd, i, 32,
                           end ? scalar : vector_get(&b, vs2, up ? i - 1 : i + 1, 32));
            }
        }
        uint32_t word = words_v(up ? 0x0e : 0x0f, vector_vm(&b), vs2, VECTOR_FLOAT, OPFVF, vd);
        snprintf(operands, sizeof operands, "v%u, v%u, ft1", vd, vs2);
        vector_check_text(&b, word, up ? "vfslide1up.vf" : "vfslide1down.vf", operands);
        vector_check(&b, word);
    }
}

/* --- Words assembled by hand from the manual's diagrams --- */

static const struct harness_encoding encodings[] = {
    {0x02219457, "vfadd.vv v8, v2, v3"},
    {0x0220d457, "vfadd.vf v8, v2, ft1"},
    {0x0a219457, "vfsub.vv v8, v2, v3"},
    {0x9e20d457, "vfrsub.vf v8, v2, ft1"},
    {0x92219457, "vfmul.vv v8, v2, v3"},
    {0x12219457, "vfmin.vv v8, v2, v3"},
    {0x1a20d457, "vfmax.vf v8, v2, ft1"},
    {0x22219457, "vfsgnj.vv v8, v2, v3"},
    {0x2620d457, "vfsgnjn.vf v8, v2, ft1"},
    {0x60219457, "vmfeq.vv v8, v2, v3, v0.t"},
    {0x7620d457, "vmfgt.vf v8, v2, ft1"},
    {0xb2219457, "vfmacc.vv v8, v3, v2"},
    {0xae20d457, "vfnmsub.vf v8, ft1, v2"},
    {0xa0219457, "vfmadd.vv v8, v3, v2, v0.t"},
    {0x5c20d457, "vfmerge.vfm v8, v2, ft1, v0"},
    {0x5e00d457, "vfmv.v.f v8, ft1"},
    {0x4a201457, "vfcvt.xu.f.v v8, v2"},
    {0x4a219457, "vfcvt.f.x.v v8, v2"},
    {0x4a239457, "vfcvt.rtz.x.f.v v8, v2"},
    {0x4a259457, "vfwcvt.f.x.v v8, v2"},
    {0x4a289457, "vfncvt.x.f.w v8, v2"},
    {0x4e281457, "vfclass.v v8, v2"},
    {0x06219457, "vfredusum.vs v8, v2, v3"},
    {0x0e219457, "vfredosum.vs v8, v2, v3"},
    {0x422010d7, "vfmv.f.s ft1, v2"},
    {0x4200d457, "vfmv.s.f v8, ft1"},
    {0x3a20d457, "vfslide1up.vf v8, v2, ft1"},
    {0x3e20d457, "vfslide1down.vf v8, v2, ft1"},
};

TEST(encoding)
{
    harness_check_encodings(encodings, COUNT(encodings), true);
}
