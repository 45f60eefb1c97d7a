/*
 * The vector unit of RISCV T2, second part: reductions, mask instructions, moves, extensions,
 * slides, gathers and compress, against V 1.0 with the limits of the InstructionSet page.
 */
#include "unit/rv32/spec_vector.h"

#include <stdio.h>

FIXTURE(NULL, harness_destroy_all);

enum { CASES = 25 };

static int64_t sx(uint64_t value, unsigned bits)
{
    uint64_t top = UINT64_C(1) << (bits - 1);
    value &= top * 2 - 1;
    return (int64_t)(value ^ top) - (int64_t)top;
}

static uint32_t minimum(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Calls `run` CASES times for every type that `fits` (NULL: all). */
static void for_types(uint64_t seed, bool (*fits)(struct vector_type type),
                      void (*run)(struct vector_bench *b, int what), int what)
{
    struct vector_bench b;
    rvv_open(&b, seed);
    for (int t = 0; t < VECTOR_TYPES; t++) {
        for (int i = 0; i < CASES && (!fits || fits(vector_types[t])); i++) {
            vector_roll(&b, vector_types[t]);
            run(&b, what);
        }
    }
}

static bool doubles(struct vector_type type)
{
    return type.sew < 32;
}

/* --- Reductions --- */

enum reduction { SUM, AND, OR, XOR, MINU, MIN, MAXU, MAX, WSUMU, WSUM };

static const struct {
    const char *mnemonic;
    uint32_t funct6;
} reductions[] = {
    [SUM] = {"vredsum.vs", 0x00},     [AND] = {"vredand.vs", 0x01},
    [OR] = {"vredor.vs", 0x02},       [XOR] = {"vredxor.vs", 0x03},
    [MINU] = {"vredminu.vs", 0x04},   [MIN] = {"vredmin.vs", 0x05},
    [MAXU] = {"vredmaxu.vs", 0x06},   [MAX] = {"vredmax.vs", 0x07},
    [WSUMU] = {"vwredsumu.vs", 0x30}, [WSUM] = {"vwredsum.vs", 0x31},
};

static uint32_t reduce(enum reduction what, unsigned sew, uint32_t sum, uint32_t element)
{
    switch (what) {
    case AND:
        return sum & element;
    case OR:
        return sum | element;
    case XOR:
        return sum ^ element;
    case MINU:
        return minimum(sum, element);
    case MIN:
        return sx(element, sew) < sx(sum, sew) ? element : sum;
    case MAXU:
        return element > sum ? element : sum;
    case MAX:
        return sx(element, sew) > sx(sum, sew) ? element : sum;
    case WSUM:
        return sum + (uint32_t)sx(element, sew);
    default:
        return sum + element;
    }
}

static void run_reduction(struct vector_bench *b, int what)
{
    bool wide = what >= WSUMU;
    unsigned bits = wide ? 2 * b->type.sew : b->type.sew;
    char operands[48];
    unsigned vs2 = vector_take(b, b->type.lmul), vs1 = vector_take(b, 0);
    b->free |= 1; /* a scalar result may go to v0 even when masked */
    if (vs2 == 0 || vs1 == 0) {
        b->free &= ~UINT32_C(1);
    }
    unsigned vd = vector_take(b, 0);
    if (harness_random(&b->random) % 4 == 0) {
        vd = vs1;
    }
    uint32_t sum = vector_get(b, vs1, 0, bits);
    for (uint32_t i = 0; i < b->vl; i++) {
        if (vector_active(b, i)) {
            uint32_t element = vector_get(b, vs2, i, b->type.sew);
            sum = reduce((enum reduction)what, b->type.sew, sum, element);
        }
    }
    if (b->vl) {
        vector_put(b, vd, 0, bits, sum);
    }
    uint32_t word =
        words_v(reductions[what].funct6, vector_vm(b), vs2, vs1, wide ? OPIVV : OPMVV, vd);
    snprintf(operands, sizeof operands, "v%u, v%u, v%u", vd, vs2, vs1);
    vector_check_text(b, word, reductions[what].mnemonic, operands);
    vector_check(b, word);
}

TEST_EACH(reduction, COUNT(reductions))
{
    for_types(200 + (uint64_t)_i, _i >= WSUMU ? doubles : NULL, run_reduction, _i);
}

/* --- Mask registers --- */

static const struct {
    const char *mnemonic;
    uint32_t funct6;
    uint8_t truth; /* bit 2 * vs2 + vs1 */
} logicals[] = {
    {"vmandn.mm", 0x18, 4}, {"vmand.mm", 0x19, 8},  {"vmor.mm", 0x1a, 14}, {"vmxor.mm", 0x1b, 6},
    {"vmorn.mm", 0x1c, 13}, {"vmnand.mm", 0x1d, 7}, {"vmnor.mm", 0x1e, 1}, {"vmxnor.mm", 0x1f, 9},
};

static void run_logical(struct vector_bench *b, int what)
{
    char operands[48];
    b->masked = false;
    uint32_t pick = harness_random(&b->random);
    unsigned vd = pick & 31, vs2 = pick >> 5 & 31, vs1 = pick >> 10 & 31;
    for (uint32_t i = 0; i < b->vl; i++) {
        unsigned index = 2u * vector_mask_bit(b, vs2, i) + vector_mask_bit(b, vs1, i);
        vector_put_bit(b, vd, i, logicals[what].truth >> index & 1);
    }
    uint32_t word = words_v(logicals[what].funct6, 1, vs2, vs1, OPMVV, vd);
    snprintf(operands, sizeof operands, "v%u, v%u, v%u", vd, vs2, vs1);
    vector_check_text(b, word, logicals[what].mnemonic, operands);
    vector_check(b, word);
}

TEST_EACH(mask_logical, COUNT(logicals))
{
    for_types(300 + (uint64_t)_i, NULL, run_logical, _i);
}

/* Sparse masks, so that the first set bit is anywhere. */
static void thin_out(struct vector_bench *b, unsigned reg)
{
    for (uint32_t i = 0; i < RV32_VLEN_BYTES; i++) {
        uint32_t keep = harness_random(&b->random) % 16 ? 0 : 1u << harness_random(&b->random) % 8;
        b->before[reg][i] = b->expected[reg][i] = (uint8_t)(b->before[reg][i] & keep);
    }
}

enum { SBF = 1, SOF = 2, SIF = 3 };

static void run_set_first(struct vector_bench *b, int what)
{
    static const char *const mnemonics[] = {
        [SBF] = "vmsbf.m", [SOF] = "vmsof.m", [SIF] = "vmsif.m"};
    char operands[32];
    unsigned vd = vector_take(b, 0), vs2 = vector_take(b, 0);
    thin_out(b, vs2);
    bool found = false;
    for (uint32_t i = 0; i < b->vl; i++) {
        if (!vector_active(b, i)) {
            continue;
        }
        bool here = !found && vector_mask_bit(b, vs2, i);
        bool before = !found && !here;
        vector_put_bit(b, vd, i, what == SBF ? before : what == SOF ? here : before || here);
        found |= here;
    }
    uint32_t word = words_v(0x14, vector_vm(b), vs2, (uint32_t)what, OPMVV, vd);
    snprintf(operands, sizeof operands, "v%u, v%u", vd, vs2);
    vector_check_text(b, word, mnemonics[what], operands);
    vector_check(b, word);
}

TEST_RANGE(set_first, SBF, SIF)
{
    for_types(400 + (uint64_t)_i, NULL, run_set_first, _i);
}

enum { CPOP, FIRST };

static void run_to_scalar(struct vector_bench *b, int what)
{
    unsigned vs2 = vector_take(b, 0);
    uint32_t count = 0, first = UINT32_MAX;
    char operands[32];
    if (harness_random(&b->random) & 1) {
        thin_out(b, vs2);
    }
    for (uint32_t i = 0; i < b->vl; i++) {
        if (vector_active(b, i) && vector_mask_bit(b, vs2, i)) {
            count++;
            first = minimum(first, i);
        }
    }
    uint32_t word = words_v(0x10, vector_vm(b), vs2, what == CPOP ? 0x10 : 0x11, OPMVV, T0);
    b->h->hart.x[T0] = 0x12345678;
    snprintf(operands, sizeof operands, "t0, v%u", vs2);
    vector_check_text(b, word, what == CPOP ? "vcpop.m" : "vfirst.m", operands);
    vector_check(b, word);
    ck_assert_uint_eq(b->h->hart.x[T0], what == CPOP ? count : first);
    rvv_execute(b, word & ~UINT32_C(0xf80)); /* rd = x0 */
    ck_assert_uint_eq(b->h->hart.x[0], 0);
}

TEST_RANGE(mask_to_scalar, CPOP, FIRST)
{
    for_types(500 + (uint64_t)_i, NULL, run_to_scalar, _i);
}

enum { IOTA, ID };

static void run_iota(struct vector_bench *b, int what)
{
    unsigned sew = b->type.sew;
    unsigned vd = vector_take(b, b->type.lmul), vs2 = what == IOTA ? vector_take(b, 0) : 0;
    uint32_t count = 0;
    char operands[32];
    for (uint32_t i = 0; i < b->vl; i++) {
        if (vector_active(b, i)) {
            vector_put(b, vd, i, sew, what == IOTA ? count : i);
            count += vector_mask_bit(b, vs2, i);
        }
    }
    uint32_t word = words_v(0x14, vector_vm(b), vs2, what == IOTA ? 0x10 : 0x11, OPMVV, vd);
    snprintf(operands, sizeof operands, what == IOTA ? "v%u, v%u" : "v%u", vd, vs2);
    vector_check_text(b, word, what == IOTA ? "viota.m" : "vid.v", operands);
    vector_check(b, word);
}

TEST_RANGE(iota_and_id, IOTA, ID)
{
    for_types(600 + (uint64_t)_i, NULL, run_iota, _i);
}

/* --- Extensions and moves --- */

static const struct {
    const char *mnemonic;
    uint32_t selector;
    unsigned factor;
    bool sign;
} extensions[] = {
    {"vzext.vf4", 4, 4, false},
    {"vsext.vf4", 5, 4, true},
    {"vzext.vf2", 6, 2, false},
    {"vsext.vf2", 7, 2, true},
};

static void run_extension(struct vector_bench *b, int what)
{
    unsigned factor = extensions[what].factor, narrow = b->type.sew / factor;
    char operands[32];
    unsigned vd = vector_take(b, b->type.lmul);
    unsigned vs2 = vector_take(b, b->type.lmul - (factor == 4 ? 2 : 1));
    for (uint32_t i = 0; i < b->vl; i++) {
        uint32_t element = vector_get(b, vs2, i, narrow);
        if (vector_active(b, i)) {
            vector_put(b, vd, i, b->type.sew,
                       extensions[what].sign ? (uint32_t)sx(element, narrow) : element);
        }
    }
    uint32_t word = words_v(0x12, vector_vm(b), vs2, extensions[what].selector, OPMVV, vd);
    snprintf(operands, sizeof operands, "v%u, v%u", vd, vs2);
    vector_check_text(b, word, extensions[what].mnemonic, operands);
    vector_check(b, word);
}

static bool extends_by_2(struct vector_type type)
{
    return type.sew >= 16;
}

static bool extends_by_4(struct vector_type type)
{
    return type.sew >= 32;
}

TEST_EACH(extension, COUNT(extensions))
{
    for_types(700 + (uint64_t)_i, extensions[_i].factor == 4 ? extends_by_4 : extends_by_2,
              run_extension, _i);
}

/* vmv.x.s also with vl = 0; vmv.s.x not then. Both take single registers, whatever LMUL says. */
static void run_scalar_moves(struct vector_bench *b, int unused)
{
    (void)unused;
    b->masked = false;
    unsigned reg = harness_random(&b->random) & 31;
    char operands[32];
    uint32_t word = words_v(0x10, 1, reg, 0, OPMVV, T0);
    snprintf(operands, sizeof operands, "t0, v%u", reg);
    vector_check_text(b, word, "vmv.x.s", operands);
    vector_check(b, word);
    ck_assert_uint_eq(b->h->hart.x[T0],
                      (uint32_t)sx(vector_get(b, reg, 0, b->type.sew), b->type.sew));
    if (b->vl) {
        vector_put(b, reg, 0, b->type.sew, b->h->hart.x[VECTOR_SCALAR]);
    }
    word = words_v(0x10, 1, 0, VECTOR_SCALAR, OPMVX, reg);
    snprintf(operands, sizeof operands, "v%u, t3", reg);
    vector_check_text(b, word, "vmv.s.x", operands);
    vector_check(b, word);
}

TEST(scalar_moves)
{
    for_types(800, NULL, run_scalar_moves, 0);
}

/* Whole registers: neither vl nor vtype matters. */
static void run_whole_move(struct vector_bench *b, int log)
{
    static const char *const mnemonics[] = {"vmv1r.v", "vmv2r.v", "vmv4r.v", "vmv8r.v"};
    unsigned count = 1u << log;
    char operands[32];
    b->masked = false;
    uint32_t pick = harness_random(&b->random);
    unsigned vd = (pick & 31) / count * count, vs2 = (pick >> 5 & 31) / count * count;
    for (uint32_t i = 0; i < count * RV32_VLEN_BYTES; i++) {
        vector_put(b, vd, i, 8, vector_get(b, vs2, i, 8));
    }
    uint32_t word = words_v(0x27, 1, vs2, count - 1, OPIVI, vd);
    snprintf(operands, sizeof operands, "v%u, v%u", vd, vs2);
    vector_check_text(b, word, mnemonics[log], operands);
    vector_check(b, word);
}

TEST_EACH(whole_move, 4)
{
    for_types(900 + (uint64_t)_i, NULL, run_whole_move, _i);
}

/* --- Slides --- */

enum { UP_X, UP_I, DOWN_X, DOWN_I };

/* Offsets that fall inside, at the ends, and far outside; a negative one is a huge one. */
static uint32_t slide_offset(struct vector_bench *b)
{
    uint32_t vlmax = vector_vlmax(b->type), pick = harness_random(&b->random);
    const uint32_t far[] = {vlmax - 1, vlmax, vlmax + 1, 0, 0xffffffff, 0x80000000, 0x10000};
    return pick & 1 ? (pick >> 8) % (vlmax + 1) : far[(pick >> 8) % COUNT(far)];
}

static void run_slide(struct vector_bench *b, int what)
{
    static const char *const mnemonics[] = {"vslideup.vx", "vslideup.vi", "vslidedown.vx",
                                            "vslidedown.vi"};
    bool up = what == UP_X || what == UP_I, immediate = what == UP_I || what == DOWN_I;
    unsigned sew = b->type.sew;
    uint32_t offset = immediate ? harness_random(&b->random) & 31 : slide_offset(b);
    unsigned vs2 = vector_take(b, b->type.lmul), vd = vector_take(b, b->type.lmul);
    char operands[48], number[16];
    if (!up && harness_random(&b->random) % 4 == 0 && !(b->masked && vs2 == 0)) {
        vd = vs2; /* only slides up must not overlap */
    }
    for (uint32_t i = 0; i < b->vl; i++) {
        uint64_t from = (uint64_t)i + offset;
        if (!vector_active(b, i) || (up && i < offset)) {
            continue;
        }
        if (up) {
            vector_put(b, vd, i, sew, vector_get(b, vs2, i - offset, sew));
        } else {
            bool inside = from < vector_vlmax(b->type);
            vector_put(b, vd, i, sew, inside ? vector_get(b, vs2, (uint32_t)from, sew) : 0);
        }
    }
    b->h->hart.x[VECTOR_SCALAR] = offset;
    uint32_t word = words_v(up ? 0x0e : 0x0f, vector_vm(b), vs2, immediate ? offset : VECTOR_SCALAR,
                            immediate ? OPIVI : OPIVX, vd);
    snprintf(number, sizeof number, offset < 10 ? "%u" : "0x%x", offset);
    snprintf(operands, sizeof operands, "v%u, v%u, %s", vd, vs2, immediate ? number : "t3");
    vector_check_text(b, word, mnemonics[what], operands);
    vector_check(b, word);
}

TEST_RANGE(slide, UP_X, DOWN_I)
{
    for_types(1000 + (uint64_t)_i, NULL, run_slide, _i);
}

enum { UP_1, DOWN_1 };

static void run_slide_1(struct vector_bench *b, int what)
{
    unsigned sew = b->type.sew;
    unsigned vs2 = vector_take(b, b->type.lmul), vd = vector_take(b, b->type.lmul);
    uint32_t scalar = b->h->hart.x[VECTOR_SCALAR];
    char operands[48];
    for (uint32_t i = 0; i < b->vl; i++) {
        bool end = what == UP_1 ? i == 0 : i == b->vl - 1;
        if (vector_active(b, i)) {
            uint32_t from = what == UP_1 ? i - 1 : i + 1;
            vector_put(b, vd, i, sew, end ? scalar : vector_get(b, vs2, from, sew));
        }
    }
    uint32_t word =
        words_v(what == UP_1 ? 0x0e : 0x0f, vector_vm(b), vs2, VECTOR_SCALAR, OPMVX, vd);
    snprintf(operands, sizeof operands, "v%u, v%u, t3", vd, vs2);
    vector_check_text(b, word, what == UP_1 ? "vslide1up.vx" : "vslide1down.vx", operands);
    vector_check(b, word);
}

TEST_RANGE(slide_1, UP_1, DOWN_1)
{
    for_types(1100 + (uint64_t)_i, NULL, run_slide_1, _i);
}

/* --- Gathers --- */

enum { GATHER_V, GATHER_X, GATHER_I, GATHER_16 };

static void set_index(struct vector_bench *b, unsigned reg, uint32_t i, unsigned bits)
{
    uint32_t index = slide_offset(b) & (uint32_t)(UINT64_C(0xffffffff) >> (32 - bits));
    vector_set(b, reg, i, bits, index);
}

/* EMUL of vrgatherei16's indices is 16 / SEW times LMUL. */
static int index_lmul(struct vector_type type)
{
    return type.sew == 8 ? type.lmul + 1 : type.sew == 16 ? type.lmul : type.lmul - 1;
}

static bool has_gather_16(struct vector_type type)
{
    return index_lmul(type) <= 3;
}

static void run_gather(struct vector_bench *b, int what)
{
    static const char *const mnemonics[] = {"vrgather.vv", "vrgather.vx", "vrgather.vi",
                                            "vrgatherei16.vv"};
    static const enum vector_funct3 funct3[] = {OPIVV, OPIVX, OPIVI, OPIVV};
    unsigned sew = b->type.sew, bits = what == GATHER_16 ? 16 : sew;
    int emul = what == GATHER_16 ? index_lmul(b->type) : b->type.lmul;
    bool vector = what == GATHER_V || what == GATHER_16;
    unsigned s1 = vector ? vector_take(b, emul) : VECTOR_SCALAR;
    unsigned vs2 = vector_take(b, b->type.lmul), vd = vector_take(b, b->type.lmul);
    uint32_t fixed = what == GATHER_I ? harness_random(&b->random) & 31 : slide_offset(b);
    char operands[48], third[16];
    b->h->hart.x[VECTOR_SCALAR] = fixed;
    for (uint32_t i = 0; vector && i < b->vl; i++) {
        set_index(b, s1, i, bits);
    }
    for (uint32_t i = 0; i < b->vl; i++) {
        uint32_t index = vector ? vector_get(b, s1, i, bits) : fixed;
        if (vector_active(b, i)) {
            bool inside = index < vector_vlmax(b->type);
            vector_put(b, vd, i, sew, inside ? vector_get(b, vs2, index, sew) : 0);
        }
    }
    uint32_t word = words_v(what == GATHER_16 ? 0x0e : 0x0c, vector_vm(b), vs2,
                            what == GATHER_I ? fixed : s1, funct3[what], vd);
    if (what == GATHER_X) {
        snprintf(third, sizeof third, "t3");
    } else if (what == GATHER_I) {
        snprintf(third, sizeof third, fixed < 10 ? "%u" : "0x%x", fixed);
    } else {
        snprintf(third, sizeof third, "v%u", s1);
    }
    snprintf(operands, sizeof operands, "v%u, v%u, %s", vd, vs2, third);
    vector_check_text(b, word, mnemonics[what], operands);
    vector_check(b, word);
}

TEST_RANGE(gather, GATHER_V, GATHER_16)
{
    for_types(1200 + (uint64_t)_i, _i == GATHER_16 ? has_gather_16 : NULL, run_gather, _i);
}

static void run_compress(struct vector_bench *b, int unused)
{
    (void)unused;
    unsigned sew = b->type.sew;
    char operands[48];
    b->masked = false;
    b->free = UINT32_MAX;
    unsigned vd = vector_take(b, b->type.lmul), vs2 = vector_take(b, b->type.lmul);
    unsigned vs1 = vector_take(b, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->vl; i++) {
        if (vector_mask_bit(b, vs1, i)) {
            vector_put(b, vd, count++, sew, vector_get(b, vs2, i, sew));
        }
    }
    uint32_t word = words_v(0x17, 1, vs2, vs1, OPMVV, vd);
    snprintf(operands, sizeof operands, "v%u, v%u, v%u", vd, vs2, vs1);
    vector_check_text(b, word, "vcompress.vm", operands);
    vector_check(b, word);
}

TEST(compress)
{
    for_types(1300, NULL, run_compress, 0);
}

/* --- Words assembled by hand from the manual's diagrams --- */

static const struct harness_encoding encodings[] = {
    {0x022180d7, "vadd.vv v1, v2, v3"},
    {0x002180d7, "vadd.vv v1, v2, v3, v0.t"},
    {0x02284057, "vadd.vx v0, v2, a6"},
    {0x0227b457, "vadd.vi v8, v2, 15"},
    {0x02283457, "vadd.vi v8, v2, -16"},
    {0x9622b457, "vsll.vi v8, v2, 5"},
    {0xa22fb457, "vsrl.vi v8, v2, 0x1f"},
    {0x5c218457, "vmerge.vvm v8, v2, v3, v0"},
    {0x5e018457, "vmv.v.v v8, v3"},
    {0x5e02c457, "vmv.v.x v8, t0"},
    {0x5e0fb457, "vmv.v.i v8, -1"},
    {0x4021c457, "vadc.vxm v8, v2, gp, v0"},
    {0x46218457, "vmadc.vv v8, v2, v3"},
    {0x44218457, "vmadc.vvm v8, v2, v3, v0"},
    {0xb621a457, "vmacc.vv v8, v3, v2"},
    {0xb622e457, "vmacc.vx v8, t0, v2"},
    {0xfa22e457, "vwmaccus.vx v8, t0, v2"},
    {0xd221a457, "vwaddu.wv v8, v2, v3"},
    {0xb2218457, "vnsrl.wv v8, v2, v3"},
    {0x0221a457, "vredsum.vs v8, v2, v3"},
    {0xc2218457, "vwredsumu.vs v8, v2, v3"},
    {0x422022d7, "vmv.x.s t0, v2"},
    {0x420862d7, "vmv.s.x v5, a6"},
    {0x422822d7, "vcpop.m t0, v2"},
    {0x4028a2d7, "vfirst.m t0, v2, v0.t"},
    {0x5220a457, "vmsbf.m v8, v2"},
    {0x52212457, "vmsof.m v8, v2"},
    {0x5221a457, "vmsif.m v8, v2"},
    {0x52282457, "viota.m v8, v2"},
    {0x5208a457, "vid.v v8"},
    {0x4a222457, "vzext.vf4 v8, v2"},
    {0x4a23a457, "vsext.vf2 v8, v2"},
    {0x9e203457, "vmv1r.v v8, v2"},
    {0x9f03b457, "vmv8r.v v8, v16"},
    {0x5e21a457, "vcompress.vm v8, v2, v3"},
    {0x32218457, "vrgather.vv v8, v2, v3"},
    {0x3a218457, "vrgatherei16.vv v8, v2, v3"},
    {0x3a22e457, "vslide1up.vx v8, v2, t0"},
    {0x3e22c457, "vslidedown.vx v8, v2, t0"},
    {0x6e21a457, "vmxor.mm v8, v2, v3"},
};

TEST(encoding)
{
    harness_check_encodings(encodings, COUNT(encodings), true);
}
