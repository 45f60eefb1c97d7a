/*
 * F and Zfh against the models of spec_float.h, in four modes: single, FP16, and BF16 with each of
 * its static rounding modes. Pages: InstructionSet, CSRs (cfg0), FMA.
 *
 * Not asserted, because the pages do not say: whether fmul flushes before or after rounding; how
 * much fused multiply-add of halves keeps of the product; underflow flags.
 */
#include "unit/rv32/rv32_harness.h"
#include "unit/rv32/spec_float.h"
#include "unit/sanitized.h"

#include <stdio.h>
#include <string.h>

FIXTURE(NULL, harness_destroy_all);

enum {
    FCSR = 0x003,
    CFG0 = 0x7c0,
    PC = 0x40,
    RANDOM_CASES = SANITIZED ? 300 : 3000,
    ROUNDINGS = 8
};

static const struct mode {
    const char *suffix;
    uint32_t fmt;
    struct spec_float how;
    uint32_t cfg0; /* EnBFloat is bit 30, EnBFloatRTNE bit 31 */
} modes[] = {
    {"s", 0, {SPEC_F32, SPEC_RNE}, 0},
    {"s", 0, {SPEC_F32, SPEC_RNE}, UINT32_C(1) << 30},
    {"h", 2, {SPEC_F16, SPEC_RNE}, 0},
    {"h", 2, {SPEC_F16, SPEC_RNE}, UINT32_C(1) << 31}, /* RTNE without EnBFloat means nothing */
    {"h", 2, {SPEC_BF16, SPEC_RNE}, UINT32_C(3) << 30},
    {"h", 2, {SPEC_BF16, SPEC_RTZ}, UINT32_C(1) << 30},
};

/* --- Rows --- */

enum shape { F_FF, F_FFF, X_FF, X_F, F_X };

typedef uint32_t model(struct spec_float how, uint32_t a, uint32_t b, uint32_t c);

/* Sign changes of product and addend: fmadd, fmsub, fnmsub, fnmadd. */
static uint32_t fused(struct spec_float how, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t sum = 0;
    if (how.format == SPEC_F32) {
        return spec_fma(a, b, c);
    }
    spec_fma_is_exact(how, a, b, c, &sum); /* else the case is skipped, see is_silent */
    return sum;
}

#define MODEL(name, value)                                                                         \
    static uint32_t do_##name(struct spec_float how, uint32_t a, uint32_t b, uint32_t c)           \
    {                                                                                              \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        return value;                                                                              \
    }

MODEL(add, spec_add(how, a, b))
MODEL(sub, spec_add(how, a, b ^ spec_sign_bit(how.format)))
MODEL(mul, spec_mul(how, a, b))
MODEL(sgnj, spec_inject(how.format, SPEC_SIGN_COPY, a, b))
MODEL(sgnjn, spec_inject(how.format, SPEC_SIGN_NOT, a, b))
MODEL(sgnjx, spec_inject(how.format, SPEC_SIGN_XOR, a, b))
MODEL(min, spec_min(how.format, a, b))
MODEL(max, spec_max(how.format, a, b))
MODEL(eq, spec_equal(how.format, a, b))
MODEL(lt, spec_less(how.format, a, b))
MODEL(le, spec_less(how.format, a, b) || spec_equal(how.format, a, b))
MODEL(class, spec_class(how.format, a))
MODEL(cvt_w, spec_to_integer(how, a, 32, true))
MODEL(cvt_wu, spec_to_integer(how, a, 32, false))
MODEL(from_w, spec_from_integer(how, a, true))
MODEL(from_wu, spec_from_integer(how, a, false))
MODEL(madd, fused(how, a, b, c))
MODEL(msub, fused(how, a, b, c ^ spec_sign_bit(how.format)))
MODEL(nmsub, fused(how, a ^ spec_sign_bit(how.format), b, c))
MODEL(nmadd, fused(how, a ^ spec_sign_bit(how.format), b, c ^ spec_sign_bit(how.format)))

/* `selector` is funct5 of OP-FP, or the opcode of a fused multiply-add; `funct3` ROUNDS: any. */
enum { ROUNDS = 8 };

static const struct row {
    const char *mnemonic; /* before the format's suffix */
    enum shape shape;
    uint32_t selector, funct3, rs2;
    model *run;
} rows[] = {
    {"fadd", F_FF, 0x00, ROUNDS, 0, do_add},
    {"fsub", F_FF, 0x01, ROUNDS, 0, do_sub},
    {"fmul", F_FF, 0x02, ROUNDS, 0, do_mul},
    {"fsgnj", F_FF, 0x04, 0, 0, do_sgnj},
    {"fsgnjn", F_FF, 0x04, 1, 0, do_sgnjn},
    {"fsgnjx", F_FF, 0x04, 2, 0, do_sgnjx},
    {"fmin", F_FF, 0x05, 0, 0, do_min},
    {"fmax", F_FF, 0x05, 1, 0, do_max},
    {"feq", X_FF, 0x14, 2, 0, do_eq},
    {"flt", X_FF, 0x14, 1, 0, do_lt},
    {"fle", X_FF, 0x14, 0, 0, do_le},
    {"fclass", X_F, 0x1c, 1, 0, do_class},
    {"fcvt.w", X_F, 0x18, ROUNDS, 0, do_cvt_w},
    {"fcvt.wu", X_F, 0x18, ROUNDS, 1, do_cvt_wu},
    {"fcvt", F_X, 0x1a, ROUNDS, 0, do_from_w},
    {"fcvt", F_X, 0x1a, ROUNDS, 1, do_from_wu},
    {"fmadd", F_FFF, OPCODE_FMADD, ROUNDS, 0, do_madd},
    {"fmsub", F_FFF, OPCODE_FMSUB, ROUNDS, 0, do_msub},
    {"fnmsub", F_FFF, OPCODE_FNMSUB, ROUNDS, 0, do_nmsub},
    {"fnmadd", F_FFF, OPCODE_FNMADD, ROUNDS, 0, do_nmadd},
};

/* f0 or t0 <- f1 or t1, f2, f3 */
static uint32_t row_word(const struct row *row, const struct mode *mode, uint32_t rounding)
{
    uint32_t funct3 = row->funct3 == ROUNDS ? rounding : row->funct3;
    bool to_x = row->shape == X_FF || row->shape == X_F;
    uint32_t rd = to_x ? T0 : 0, rs1 = row->shape == F_X ? T1 : 1;
    if (row->shape == F_FFF) {
        return words_r4(row->selector, funct3, mode->fmt, rd, rs1, 2, 3);
    }
    bool two = row->shape == F_FF || row->shape == X_FF;
    return words_r(OPCODE_OP_FP, funct3, row->selector << 2 | mode->fmt, rd, rs1,
                   two ? 2 : row->rs2);
}

static void row_text(const struct row *row, const struct mode *mode, char *text, size_t size)
{
    static const char *const operands[] = {
        [F_FF] = "ft0, ft1, ft2", [F_FFF] = "ft0, ft1, ft2, ft3",
        [X_FF] = "t0, ft1, ft2",  [X_F] = "t0, ft1",
        [F_X] = "ft0, t1",
    };
    const char *source = row->shape != F_X ? "" : row->rs2 ? ".wu" : ".w";
    snprintf(text, size, "%s.%s%s %s", row->mnemonic, mode->suffix, source, operands[row->shape]);
}

/* --- Running --- */

static struct harness *bench(const struct mode *mode)
{
    struct harness *h = harness_create(RV32_T2);
    h->hart.csr.cfg0 = mode->cfg0;
    return h;
}

static uint32_t box(const struct mode *mode, uint32_t value)
{
    return mode->fmt ? 0xffff0000 | value : value;
}

/* The operands as fmadd would take them. */
static void as_fmadd(const struct row *row, const struct mode *mode, const uint32_t *v,
                     uint32_t *plain)
{
    uint32_t sign = spec_sign_bit(mode->how.format);
    plain[0] = row->run == do_nmsub || row->run == do_nmadd ? v[0] ^ sign : v[0];
    plain[1] = v[1];
    plain[2] = row->run == do_msub || row->run == do_nmadd ? v[2] ^ sign : v[2];
}

static bool is_silent(const struct row *row, const struct mode *mode, const uint32_t *v)
{
    struct spec_float how = mode->how;
    uint32_t sum, plain[3];
    if (row->run == do_mul) {
        return spec_mul_is_borderline(how, v[0], v[1]);
    }
    as_fmadd(row, mode, v, plain);
    return row->shape == F_FFF && mode->fmt &&
           !spec_fma_is_exact(how, plain[0], plain[1], plain[2], &sum) &&
           spec_is_finite(how.format, v[0]) && spec_is_finite(how.format, v[1]) &&
           spec_is_finite(how.format, v[2]);
}

/* What a fused multiply-add of halves gives for NaN and infinities: as in any format. */
static uint32_t expected_of(const struct row *row, const struct mode *mode, const uint32_t *v)
{
    struct spec_float how = mode->how;
    uint32_t sum, plain[3];
    as_fmadd(row, mode, v, plain);
    if (row->shape != F_FFF || !mode->fmt ||
        spec_fma_is_exact(how, plain[0], plain[1], plain[2], &sum)) {
        return row->run(how, v[0], v[1], v[2]);
    }
    bool finite = spec_is_finite(how.format, v[0]) && spec_is_finite(how.format, v[1]);
    uint32_t product = finite ? 0 : spec_mul(how, plain[0], plain[1]);
    return spec_add(how, product, plain[2]);
}

/* Where truncating the exact result differs from truncating what F32 arithmetic makes of it. These
 * cases have a test of their own. */
static bool truncates_in_two_steps(const struct row *row, const struct mode *mode,
                                   const uint32_t *v)
{
    bool rounds = row->run == do_add || row->run == do_sub || row->run == do_mul;
    if (mode->how.rounding != SPEC_RTZ || !rounds) {
        return false;
    }
    uint32_t single = row->run(spec_single, v[0] << 16, v[1] << 16, 0);
    return !spec_is_nan(SPEC_F32, single) && row->run(mode->how, v[0], v[1], 0) != single >> 16;
}

/* The word is at PC already. */
static void check_always(struct harness *h, const struct row *row, const struct mode *mode,
                         const uint32_t *v)
{
    uint32_t expected = expected_of(row, mode, v);
    for (int i = 0; i < 3; i++) {
        h->hart.f[i + 1] = box(mode, v[i]);
    }
    h->hart.f[0] = h->hart.x[T0] = 0x12345678;
    h->hart.x[T1] = v[0];
    h->hart.pc = PC;
    harness_run(h, 1);
    bool to_x = row->shape == X_FF || row->shape == X_F;
    expected = to_x ? expected : box(mode, expected);
    uint32_t got = to_x ? h->hart.x[T0] : h->hart.f[0];
    ck_assert_msg(h->hart.stop == RV32_RUNNING, "%s.%s: %s", row->mnemonic, mode->suffix,
                  h->hart.fault.detail);
    ck_assert_msg(got == expected,
                  "%s.%s (cfg0 %#x) of %#010x, %#010x, %#010x gives %#010x, not %#010x",
                  row->mnemonic, mode->suffix, mode->cfg0, v[0], v[1], v[2], got, expected);
}

static void check_case(struct harness *h, const struct row *row, const struct mode *mode,
                       const uint32_t *v)
{
    if (!is_silent(row, mode, v) && !truncates_in_two_steps(row, mode, v)) {
        check_always(h, row, mode, v);
    }
}

static const uint32_t edges_single[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x3f000000, 0x3f7fffff, 0x3f800000,
    0x3f800001, 0x3fc00000, 0x40200000, 0x4b000001, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000,
    0x5f800000, 0x7e800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x3effffff,
};
static const uint32_t edges_fp16[] = {0x0000, 0x0001, 0x03ff, 0x0400, 0x0401, 0x3800, 0x3bff,
                                      0x3c00, 0x3c01, 0x3e00, 0x4100, 0x6400, 0x77ff, 0x7bff,
                                      0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff};
static const uint32_t edges_bf16[] = {0x0000, 0x0001, 0x007f, 0x0080, 0x0081, 0x3f00, 0x3f7f,
                                      0x3f80, 0x3f81, 0x3fc0, 0x4020, 0x4f00, 0x4eff, 0x4f80,
                                      0x7f7f, 0x7f80, 0x7f81, 0x7fbf, 0x7fc0, 0x7fff};

static uint32_t edge(enum spec_format format, int index, bool *end)
{
    static const struct {
        const uint32_t *values;
        int count;
    } sets[] = {
        [SPEC_F32] = {edges_single, COUNT(edges_single)},
        [SPEC_F16] = {edges_fp16, COUNT(edges_fp16)},
        [SPEC_BF16] = {edges_bf16, COUNT(edges_bf16)},
    };
    *end = index >= 2 * sets[format].count;
    uint32_t value = sets[format].values[index % sets[format].count];
    return index < sets[format].count ? value : value | spec_sign_bit(format);
}

static void check_edges(struct harness *h, const struct row *row, const struct mode *mode)
{
    enum spec_format format = mode->how.format;
    bool end_a = false, end_b = false;
    for (int i = 0; !end_a; i++) {
        uint32_t a = edge(format, i, &end_a);
        end_b = false;
        for (int j = 0; !end_b; j++) {
            uint32_t b = edge(format, j, &end_b);
            bool unused;
            uint32_t c = edge(format, (i * 7 + j * 3) % 38, &unused);
            check_case(h, row, mode, (const uint32_t[]){a, b, c});
        }
    }
}

/* Addends near the product or its negative, so that sums cancel. */
static uint32_t near_product(struct spec_float how, uint32_t a, uint32_t b, uint64_t *random)
{
    uint32_t product = spec_mul(how, a, b);
    uint32_t sign = spec_sign_bit(how.format);
    switch (harness_random(random) % 4) {
    case 0:
        return product ^ sign;
    case 1:
        return ((product ^ sign) + harness_random(random) % 7 - 3) & (sign * 2 - 1);
    default:
        return spec_random(how.format, random, product);
    }
}

static void check_random(struct harness *h, const struct row *row, const struct mode *mode,
                         uint64_t *random, int count)
{
    struct spec_float how = mode->how;
    for (int i = 0; i < count; i++) {
        uint32_t a = spec_random(how.format, random, harness_random(random));
        uint32_t b = spec_random(how.format, random, i & 1 ? a : harness_random(random));
        uint32_t c = near_product(how, a, b, random);
        if (row->shape == F_X) {
            a = harness_random_word(random);
        }
        check_case(h, row, mode, (const uint32_t[]){a, b, c});
    }
}

/* One loop step is a row in a mode. All rounding-mode bits, in the word and in fcsr, are ignored.
 */
TEST_EACH(operation, COUNT(rows) * COUNT(modes))
{
    const struct row *row = &rows[_i % COUNT(rows)];
    const struct mode *mode = &modes[_i / COUNT(rows)];
    struct harness *h = bench(mode);
    uint64_t random = 4711 + (uint64_t)_i;
    uint32_t roundings = row->funct3 == ROUNDS ? ROUNDINGS : 1;
    char text[64];
    row_text(row, mode, text, sizeof text);
    for (uint32_t rounding = 0; rounding < roundings; rounding++) {
        uint32_t word = row_word(row, mode, rounding), frm = harness_random(&random) % 8 << 5;
        harness_check_text(h, word, PC, text);
        harness_put_word(h, PC, word);
        h->hart.csr.fcsr = frm;
        if (!rounding) {
            ck_assert_uint_eq(harness_encode(text, PC) & ~UINT32_C(0x7000),
                              word & ~UINT32_C(0x7000));
            check_edges(h, row, mode);
        }
        check_random(h, row, mode, &random, RANDOM_CASES / (int)roundings);
        ck_assert_uint_eq(h->hart.csr.fcsr & 0xe0, frm);
    }
}

/* Every half through the instructions with one operand. */
TEST_EACH(all_halves, COUNT(rows) * COUNT(modes))
{
    const struct row *row = &rows[_i % COUNT(rows)];
    const struct mode *mode = &modes[_i / COUNT(rows)];
    if (!mode->fmt || row->shape != X_F) {
        return;
    }
    struct harness *h = bench(mode);
    harness_put_word(h, PC, row_word(row, mode, 1));
    for (uint32_t a = 0; a < 0x10000; a += SANITIZED ? 17 : 1) {
        check_case(h, row, mode, (const uint32_t[]){a, 0, 0});
    }
}

/* EnBFloat without EnBFloatRTNE: the exact sum or product is rounded towards zero, once. */
static const struct {
    uint32_t row, a, b;
} truncations[] = {
    {0, 0x3f80, 0xb080}, /* 1 - 2^-30 */
    {0, 0xbf80, 0x3080}, /* -1 + 2^-30 */
    {1, 0x4380, 0x0080}, /* 256 - 2^-126 */
    {1, 0x3f80, 0x3300}, /* 1 - 2^-25 */
    {2, 0x7f7f, 0x4000}, /* the greatest number is as far as truncation goes */
    {2, 0xff7f, 0x7f7f}, {0, 0x7f7f, 0x7f7f},
};

TEST_EACH(truncation, COUNT(truncations))
{
    const struct mode *mode = &modes[COUNT(modes) - 1];
    const struct row *row = &rows[truncations[_i].row];
    ck_assert_int_eq(mode->how.rounding, SPEC_RTZ);
    struct harness *h = bench(mode);
    harness_put_word(h, PC, row_word(row, mode, 0));
    check_always(h, row, mode, (const uint32_t[]){truncations[_i].a, truncations[_i].b, 0});
}

/* A half that is not NaN-boxed is the canonical NaN. */
TEST_EACH(unboxed_halves, COUNT(rows) * COUNT(modes))
{
    const struct row *row = &rows[_i % COUNT(rows)];
    const struct mode *mode = &modes[_i / COUNT(rows)];
    if (!mode->fmt || row->shape == F_X) {
        return;
    }
    static const uint32_t bad[] = {0x00003c00, 0xfffe3c00, 0x7fff3c00, 0x3f803f80, 0xff7f3f80};
    struct harness *h = bench(mode);
    uint32_t nan = spec_nan(mode->how.format), one = mode->how.format == SPEC_F16 ? 0x3c00 : 0x3f80;
    harness_put_word(h, PC, row_word(row, mode, 0));
    for (int i = 0; i < COUNT(bad); i++) {
        for (int bad_one = 0; bad_one < (row->shape == X_F     ? 1
                                         : row->shape == F_FFF ? 3
                                                               : 2);
             bad_one++) {
            uint32_t v[3] = {one, one, one};
            v[bad_one] = nan;
            uint32_t expected = expected_of(row, mode, v);
            for (int j = 0; j < 3; j++) {
                h->hart.f[j + 1] = j == bad_one ? bad[i] : box(mode, v[j]);
            }
            h->hart.pc = PC;
            harness_run(h, 1);
            bool to_x = row->shape == X_FF || row->shape == X_F;
            uint32_t got = to_x ? h->hart.x[T0] : h->hart.f[0];
            ck_assert_msg(got == (to_x ? expected : box(mode, expected)),
                          "%s.h of %#x as operand %d gives %#x", row->mnemonic, bad[i], bad_one,
                          got);
        }
    }
}

/* --- FMA by hand (FMA page) --- */

static const struct {
    uint32_t a, b, c, expected;
    const char *why;
} fma_cases[] = {
    {0x40000000, 0x40400000, 0x3f800000, 0x40e00000, "2 * 3 + 1"},
    {0x00000001, 0x7f000000, 0x40000000, 0x40000000, "a denormal factor is zero"},
    {0x3f800000, 0x3f800000, 0x007fffff, 0x3f800000, "a denormal addend is zero"},
    {0x80000001, 0x3f800000, 0x80000000, 0x80000000, "-0 + -0"},
    {0x80000001, 0x3f800000, 0x00000000, 0x00000000, "-0 + +0"},
    {0x80000001, 0x3f800000, 0x80000001, 0x80000000, "flushed zeros keep their signs"},
    {0x3f800000, 0x00c00000, 0x80800000, 0x00000000, "1.5 - 1 in the least binade is flushed"},
    {0x3f800000, 0x00800000, 0x80c00000, 0x80000000, "1 - 1.5 there is flushed to -0"},
    {0x5f800000, 0x5f800000, 0xff7fffff, 0x7f800000, "an overflowing product is infinite"},
    {0x5f800000, 0xdf800000, 0x7f7fffff, 0xff800000, "with its sign"},
    {0x5f800000, 0x5f800000, 0xff800000, 0xff800000, "but an infinite addend prevails"},
    {0x0d800000, 0x0d800000, 0x80000000, 0x00000000, "an underflowing product is +0: +0 + -0"},
    {0x8d800000, 0x0d800000, 0x80000000, 0x80000000, "-0 + -0"},
    {0x8d800000, 0x0d800000, 0x00000000, 0x00000000, "-0 + +0"},
    /* (1 + u)^2 = 1 + 2u + u^2, u = 2^-23: only a sticky 2^-26 is left of u^2 = 2^-46 */
    {0x3f800001, 0x3f800001, 0xbf800002, 0x32800000, "three bits below, the last sticky"},
    {0xbf800001, 0x3f800001, 0x3f800002, 0xb2800000, "and with the other sign"},
    /* (1 + 2^-13)^2 - (1 + 2^-12) = 2^-26 exactly: representable, no stickiness at work */
    {0x3f800400, 0x3f800400, 0xbf800800, 0x32800000, "the last bit itself"},
    /* (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24 */
    {0x3f800800, 0x3f800800, 0xbf801000, 0x33800000, "two bits above it"},
    /* 1.5^2 = 2.25: a product of two or more has one bit less at its end in the same scale */
    {0x3fc00000, 0x3fc00000, 0xc0100000, 0x00000000, "exact cancellation is +0"},
    {0xbfc00000, 0x3fc00000, 0x40100000, 0x00000000, "also of negative products"},
    {0x3f800000, 0x3f800000, 0x33800000, 0x3f800000, "a tie goes to even"},
    {0x3f800001, 0x3f800000, 0x33800000, 0x3f800002, "up where that is even"},
    {0x3f800000, 0x3f800000, 0x33800001, 0x3f800001, "more than a tie goes up"},
    {0x7f7fffff, 0x3f800000, 0x73000000, 0x7f800000, "rounding may overflow"},
    {0x7f800000, 0x00000000, 0x3f800000, 0x7fc00000, "inf * 0"},
    {0x7f800000, 0x00000001, 0x3f800000, 0x7fc00000, "inf * denormal is inf * 0"},
    {0x7f800000, 0x3f800000, 0xff800000, 0x7fc00000, "inf - inf"},
    {0x7f800000, 0xbf800000, 0x3f800000, 0xff800000, "inf * -1"},
    {0xffc00001, 0x3f800000, 0x3f800000, 0x7fc00000, "NaN is canonical"},
    {0x3f800000, 0x3f800000, 0x7f800001, 0x7fc00000, "so is the answer to a signalling one"},
    /* what only the page's program tells (fma.c was run for these) */
    {0x3fb023b7, 0xff400001, 0x7f400001, 0xfe906b26, "a carry to 2^128 is no overflow yet"},
    {0x3f214475, 0x00800001, 0x80a5f4c7, 0x80000000, "a carry from 2^-127 is no underflow"},
    {0xc163107a, 0x40c00000, 0x34800001, 0xc2aa4c5c, "27 binades below a tie: lost"},
    {0xc163107a, 0x40c00000, 0x35000001, 0xc2aa4c5b, "26 binades below: breaks the tie"},
    {0x3f7fffff, 0x00c00000, 0x80ffffff, 0x80800000, "just below 2^-127 becomes 2^-126"},
    {0x3f000001, 0x80800001, 0x00800001, 0x00800000, "with either sign"},
};

TEST_EACH(fma_by_hand, COUNT(fma_cases))
{
    struct harness *h = harness_create(RV32_B);
    const uint32_t sign = 0x80000000;
    static const uint32_t opcodes[] = {OPCODE_FMADD, OPCODE_FMSUB, OPCODE_FNMSUB, OPCODE_FNMADD};
    for (int i = 0; i < COUNT(opcodes); i++) {
        bool negate_product = i >= 2, negate_addend = i == 1 || i == 3;
        h->hart.f[1] = fma_cases[_i].a ^ (negate_product ? sign : 0);
        h->hart.f[2] = fma_cases[_i].b;
        h->hart.f[3] = fma_cases[_i].c ^ (negate_addend ? sign : 0);
        harness_do(h, words_r4(opcodes[i], 7, 0, 0, 1, 2, 3));
        ck_assert_msg(h->hart.f[0] == fma_cases[_i].expected, "%s: %#010x instead of %#010x",
                      fma_cases[_i].why, h->hart.f[0], fma_cases[_i].expected);
    }
    ck_assert_uint_eq(spec_fma(fma_cases[_i].a, fma_cases[_i].b, fma_cases[_i].c),
                      fma_cases[_i].expected); /* the model agrees with the hand */
}

/* --- Between formats --- */

static const uint32_t to_single = 0x402000d3; /* fcvt.s.h ft1, ft0; to_half: fcvt.h.s ft1, ft0 */
static const uint32_t to_half = 0x440000d3;

TEST_EACH(half_to_single, COUNT(modes))
{
    const struct mode *mode = &modes[_i];
    if (!mode->fmt) {
        return;
    }
    struct harness *h = bench(mode);
    harness_check_text(h, to_single, 0, "fcvt.s.h ft1, ft0");
    harness_put_word(h, PC, to_single);
    for (uint32_t a = 0; a < 0x10000; a += SANITIZED ? 17 : 1) {
        h->hart.f[0] = box(mode, a);
        h->hart.pc = PC;
        harness_run(h, 1);
        uint32_t expected = spec_convert(mode->how.format, spec_single, a);
        ck_assert_msg(h->hart.f[1] == expected, "fcvt.s.h of %#x gives %#x, not %#x", a,
                      h->hart.f[1], expected);
    }
    h->hart.f[0] = 0x3c003c00;
    harness_do(h, to_single);
    ck_assert_uint_eq(h->hart.f[1], 0x7fc00000);
}

static bool single_to_half_is_denormal(const struct mode *mode, uint32_t a, uint32_t half)
{
    return spec_is_denormal(SPEC_F32, a) || spec_is_denormal(mode->how.format, half);
}

/* Twice: without and with denormals on either side. */
TEST_EACH(single_to_half, 2 * COUNT(modes))
{
    const struct mode *mode = &modes[_i / 2];
    bool denormals = _i % 2;
    if (!mode->fmt) {
        return;
    }
    struct harness *h = bench(mode);
    uint64_t random = 99;
    harness_check_text(h, to_half, 0, "fcvt.h.s ft1, ft0");
    harness_put_word(h, PC, to_half | UINT32_C(3) << 12);
    for (int i = 0; i < (SANITIZED ? 4000 : 40000); i++) {
        uint32_t near = 0x38000000 - (harness_random(&random) % 20 << 23);
        uint32_t a = denormals && i & 1 ? harness_random(&random) & 0x807fffff
                                        : spec_random(SPEC_F32, &random, near);
        uint32_t expected = spec_convert(SPEC_F32, mode->how, a);
        if (single_to_half_is_denormal(mode, a, expected) != denormals) {
            continue;
        }
        h->hart.f[0] = a;
        h->hart.pc = PC;
        harness_run(h, 1);
        ck_assert_msg(h->hart.f[1] == box(mode, expected),
                      "fcvt.h.s (cfg0 %#x) of %#x gives %#x, not %#x", mode->cfg0, a, h->hart.f[1],
                      box(mode, expected));
    }
}

/* --- Moves, loads, stores --- */

TEST_EACH(moves, COUNT(modes))
{
    struct harness *h = bench(&modes[_i]);
    static const uint32_t values[] = {0,          0x80000000, 0x7f800001,
                                      0xffffffff, 0xffff8001, 0x12347fff};
    for (int i = 0; i < COUNT(values); i++) {
        uint32_t v = values[i], low = v & 0xffff;
        h->hart.x[T1] = h->hart.f[6] = v;
        harness_do(h, 0xe00302d3); /* fmv.x.w t0, ft6 */
        ck_assert_uint_eq(h->hart.x[T0], v);
        harness_do(h, 0xf0030053); /* fmv.w.x ft0, t1 */
        ck_assert_uint_eq(h->hart.f[0], v);
        harness_do(h, 0xe40302d3); /* fmv.x.h t0, ft6 */
        ck_assert_uint_eq(h->hart.x[T0], low & 0x8000 ? low | 0xffff0000 : low);
        harness_do(h, 0xf4030053); /* fmv.h.x ft0, t1 */
        ck_assert_uint_eq(h->hart.f[0], 0xffff0000 | low);
        h->hart.x[T2] = 0x8000;
        harness_do(h, words_s(OPCODE_STORE_FP, 2, 6, T2, -4));
        ck_assert_uint_eq(harness_load(h, 0x7ffc, 4), v);
        harness_do(h, words_i(OPCODE_LOAD_FP, 2, 7, T2, -4));
        ck_assert_uint_eq(h->hart.f[7], v);
        harness_do(h, words_s(OPCODE_STORE_FP, 1, 6, T2, 6));
        ck_assert_uint_eq(harness_load(h, 0x8006, 2), low);
        ck_assert_uint_eq(harness_load(h, 0x8004, 2), 0);
        ck_assert_uint_eq(harness_load(h, 0x8008, 2), 0);
        harness_do(h, words_i(OPCODE_LOAD_FP, 1, 7, T2, 6));
        ck_assert_uint_eq(h->hart.f[7], 0xffff0000 | low);
        h->hart.x[T2] = RV32_LOCAL_BASE + 2;
        harness_do(h, words_s(OPCODE_STORE_FP, 1, 6, T2, 0));
        harness_do(h, words_i(OPCODE_LOAD_FP, 1, 8, T2, 0));
        ck_assert_uint_eq(h->hart.f[8], 0xffff0000 | low);
    }
    ck_assert_uint_eq(h->hart.x[0], 0);
    harness_do(h, 0xe0030053); /* fmv.x.w zero, ft6 */
    ck_assert_uint_eq(h->hart.x[0], 0);
}

TEST(float_access)
{
    struct harness *h = harness_create(RV32_T0);
    static const uint32_t misaligned[][2] = {
        {2, 0x8002}, {2, 0x8001}, {1, 0x8001}, {2, RV32_LOCAL_BASE + 2}, {1, 0xffb12001}};
    for (int i = 0; i < COUNT(misaligned); i++) {
        h->hart.x[T1] = misaligned[i][1];
        h->hart.f[7] = 0x5a5a5a5a;
        uint32_t word = words_i(OPCODE_LOAD_FP, misaligned[i][0], 7, T1, 0);
        harness_execute(h, PC, word);
        harness_check_fault(h, PENROSE_FAULT_MISALIGNED, PC, word);
        ck_assert_uint_eq(h->hart.f[7], 0x5a5a5a5a);
        word = words_s(OPCODE_STORE_FP, misaligned[i][0], 7, T1, 0);
        harness_execute(h, PC, word);
        harness_check_fault(h, PENROSE_FAULT_MISALIGNED, PC, word);
    }
    /* on the bus: a wait without trace, then the access */
    h->hart.x[T1] = 0xffb12000;
    h->waits = 1;
    h->value = 0xc001;
    uint32_t word = words_i(OPCODE_LOAD_FP, 1, 7, T1, 2);
    harness_execute(h, PC, word);
    ck_assert_int_eq(h->hart.stop, RV32_STOP_WAIT);
    ck_assert_uint_eq(h->hart.f[7], 0x5a5a5a5a);
    harness_do(h, word);
    ck_assert_uint_eq(h->hart.f[7], 0xffffc001);
    ck_assert_uint_eq(h->log[0].size, 2);
    harness_do(h, words_s(OPCODE_STORE_FP, 2, 7, T1, 4));
    ck_assert_uint_eq(h->log[1].address, 0xffb12004);
    ck_assert_uint_eq(h->log[1].value, 0xffffc001);
    ck_assert_uint_eq(h->log[1].size, 4);
}

/* --- Flags --- */

enum { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16 };

/* fcsr "contains all the relevant bits": what F says of them where no denormal is involved. */
static const struct {
    const char *text;
    uint32_t a, b, flags; /* of ft1 or t1, ft2 */
} flag_cases[] = {
    {"fadd.s ft0, ft1, ft2", 0x3f800000, 0x3f800000, 0},
    {"fadd.s ft0, ft1, ft2", 0x3f800000, 0x30800000, NX},
    {"fadd.s ft0, ft1, ft2", 0x7f800000, 0xff800000, NV},
    {"fsub.s ft0, ft1, ft2", 0x7f800000, 0x7f800000, NV},
    {"fadd.s ft0, ft1, ft2", 0x7f800001, 0x3f800000, NV},
    {"fadd.s ft0, ft1, ft2", 0x7fc00000, 0x3f800000, 0},
    {"fmul.s ft0, ft1, ft2", 0x7f800000, 0x00000000, NV},
    {"fmul.s ft0, ft1, ft2", 0x7f000000, 0x7f000000, OF | NX},
    {"fmul.s ft0, ft1, ft2", 0x3f800001, 0x3f800001, NX},
    {"fmadd.s ft0, ft1, ft2, ft1", 0x7f800000, 0x00000000, NV},
    {"fmadd.s ft0, ft1, ft2, ft1", 0x40000000, 0x40400000, 0},
    {"feq.s t0, ft1, ft2", 0x7fc00000, 0x3f800000, 0},
    {"feq.s t0, ft1, ft2", 0x7f800001, 0x3f800000, NV},
    {"flt.s t0, ft1, ft2", 0x7fc00000, 0x3f800000, NV},
    {"fle.s t0, ft1, ft2", 0x3f800000, 0x7fc00000, NV},
    {"fmin.s ft0, ft1, ft2", 0x7fc00000, 0x3f800000, 0},
    {"fmin.s ft0, ft1, ft2", 0x7f800001, 0x3f800000, NV},
    {"fmax.s ft0, ft1, ft2", 0x3f800000, 0x7f800001, NV},
    {"fcvt.w.s t0, ft1", 0x7fc00000, 0, NV},
    {"fcvt.w.s t0, ft1", 0x3fc00000, 0, NX},
    {"fcvt.w.s t0, ft1", 0x3f800000, 0, 0},
    {"fcvt.w.s t0, ft1", 0x4f000000, 0, NV},
    {"fcvt.wu.s t0, ft1", 0xbf800000, 0, NV},
    {"fcvt.wu.s t0, ft1", 0xbe800000, 0, NX},
    {"fcvt.s.w ft0, t1", 0x01000001, 0, NX},
    {"fcvt.s.w ft0, t1", 0x01000000, 0, 0},
    {"fclass.s t0, ft1", 0x7f800001, 0, 0},
    {"fsgnj.s ft0, ft1, ft2", 0x7f800001, 0x3f800000, 0},
    {"fmv.x.w t0, ft1", 0x7f800001, 0, 0},
    {"fcvt.h.s ft0, ft1", 0x3f800001, 0, NX},
    {"fcvt.h.s ft0, ft1", 0x7f800001, 0, NV},
    {"fadd.h ft0, ft1, ft2", 0xffff3c00, 0xffff3c00, 0},
    {"fadd.h ft0, ft1, ft2", 0xffff3c00, 0xffff1000, NX},
    {"fadd.h ft0, ft1, ft2", 0xffff7c00, 0xfffffc00, NV},
    {"fmul.h ft0, ft1, ft2", 0xffff7bff, 0xffff7bff, OF | NX},
};

TEST_EACH(flags, COUNT(flag_cases))
{
    struct harness *h = harness_create(RV32_NC);
    uint32_t word = harness_encode(flag_cases[_i].text, PC);
    h->hart.f[1] = h->hart.x[T1] = flag_cases[_i].a;
    h->hart.f[2] = flag_cases[_i].b;
    harness_do(h, word);
    harness_do(h, words_csr(CSR_RS, A0, FCSR, X0));
    ck_assert_msg(h->hart.x[A0] == flag_cases[_i].flags, "%s of %#x, %#x: fcsr %#x, not %#x",
                  flag_cases[_i].text, flag_cases[_i].a, flag_cases[_i].b, h->hart.x[A0],
                  flag_cases[_i].flags);
    /* flags accumulate and stay until software clears them */
    h->hart.x[A1] = DZ;
    harness_do(h, words_csr(CSR_RW, X0, FCSR, A1));
    harness_do(h, word);
    harness_do(h, words_csr(CSR_RW, A0, FCSR, X0));
    ck_assert_uint_eq(h->hart.x[A0], flag_cases[_i].flags | DZ);
    harness_do(h, words_csr(CSR_RS, A0, FCSR, X0));
    ck_assert_uint_eq(h->hart.x[A0], 0);
}

/* Words assembled by hand from the manuals' diagrams, with several rounding modes. */
static const struct harness_encoding encodings[] = {
    {0xffc32007, "flw ft0, -4(t1)"},
    {0x00712427, "fsw ft7, 8(sp)"},
    {0x00251507, "flh fa0, 2(a0)"},
    {0xfeb51f27, "fsh fa1, -2(a0)"},
    {0xe0050553, "fmv.x.w a0, fa0"},
    {0xf0050553, "fmv.w.x fa0, a0"},
    {0xe4050553, "fmv.x.h a0, fa0"},
    {0xf4050553, "fmv.h.x fa0, a0"},
    {0x00c5f553, "fadd.s fa0, fa1, fa2"},
    {0x00c5a553, "fadd.s fa0, fa1, fa2"},
    {0x0cc5f553, "fsub.h fa0, fa1, fa2"},
    {0x10c5e553, "fmul.s fa0, fa1, fa2"},
    {0x68c5f543, "fmadd.s fa0, fa1, fa2, fa3"},
    {0x6cc5f547, "fmsub.h fa0, fa1, fa2, fa3"},
    {0x68c5954b, "fnmsub.s fa0, fa1, fa2, fa3"},
    {0x6cc5f54f, "fnmadd.h fa0, fa1, fa2, fa3"},
    {0x20c58553, "fsgnj.s fa0, fa1, fa2"},
    {0x24c5a553, "fsgnjx.h fa0, fa1, fa2"},
    {0x28c58553, "fmin.s fa0, fa1, fa2"},
    {0x2cc59553, "fmax.h fa0, fa1, fa2"},
    {0xa0c5a553, "feq.s a0, fa1, fa2"},
    {0xa4c59553, "flt.h a0, fa1, fa2"},
    {0xa0c58553, "fle.s a0, fa1, fa2"},
    {0xe4059553, "fclass.h a0, fa1"},
    {0xc005f553, "fcvt.w.s a0, fa1"},
    {0xc415f553, "fcvt.wu.h a0, fa1"},
    {0xd015f553, "fcvt.s.wu fa0, a1"},
    {0xd405f553, "fcvt.h.w fa0, a1"},
    {0x40258553, "fcvt.s.h fa0, fa1"},
    {0x4405f553, "fcvt.h.s fa0, fa1"},
};

TEST(encoding)
{
    harness_check_encodings(encodings, COUNT(encodings), false);
}

/* --- What there is not --- */

static const uint32_t illegal_words[] = {
    0x02000053, 0x06000053, 0x0a000053, 0x12000053, /* fadd.d, fadd.q, fsub.d, fmul.d */
    0x02000043, 0x06000047,                         /* fmadd.d, fmsub.q */
    0x00003007, 0x00003027, 0x00004007,             /* fld, fsd, flq */
    0x40100053, 0x42000053, 0x42200053,             /* fcvt.s.d, fcvt.d.s, fcvt.d.h */
    0xc0200053, 0xc0300053, 0xd0200053, 0xc4200053, /* fcvt of 64-bit integers */
    0xe2000053, 0xf2000053,                         /* fmv of doubles */
    0x20003053, 0x28002053, 0xa0003053, 0xe0002053, /* no such functions */
};

TEST_EACH(illegal, COUNT(illegal_words))
{
    struct harness *h = harness_create(RV32_T0);
    harness_execute(h, PC, illegal_words[_i]);
    harness_check_fault(h, PENROSE_FAULT_ILLEGAL, PC, illegal_words[_i]);
}

static const struct {
    uint32_t word;
    const char *mnemonic;
} absent[] = {
    {0x187302d3, "fdiv.s"},
    {0x580372d3, "fsqrt.s"},
    {0x1c7372d3, "fdiv.h"},
    {0x5c0302d3, "fsqrt.h"},
};

TEST_EACH(absent_instruction, COUNT(absent))
{
    struct harness *h = harness_create(RV32_T2);
    h->hart.f[5] = 3;
    harness_check_mnemonic(h, absent[_i].word, absent[_i].mnemonic);
    harness_execute(h, PC, absent[_i].word);
    harness_check_fault(h, PENROSE_FAULT_STUB, PC, absent[_i].word);
    ck_assert_ptr_nonnull(strstr(h->hart.fault.detail, absent[_i].mnemonic));
    ck_assert_uint_eq(h->hart.f[5], 3);
}
