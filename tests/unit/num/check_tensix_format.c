/*
 * num/tensix_format.h against values: what a pattern is worth as a double (which holds every one of
 * them exactly), and what rounding or cutting that worth gives. Exhaustive up to 16 bits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/tensix_format.h"
#include "unit/random.h"
#include "unit/test.h"

enum { CASES = 20000, BLOCK_CASES = 4000 };

/* As ck_assert_uint_eq, which costs a system call even where all is well. */
#define SAME(got, expected)  check_same(#got, __LINE__, got, expected)
#define WORTH(got, expected) check_worth(#got, __LINE__, got, expected)

static void check_same(const char *what, int line, uint32_t got, uint32_t expected)
{
    if (got != expected) {
        ck_abort_msg("line %d: %s is %#x, not %#x", line, what, got, expected);
    }
}

static void check_worth(const char *what, int line, double got, double expected)
{
    if (!(got == expected)) {
        ck_abort_msg("line %d: %s is %a, not %a", line, what, got, expected);
    }
}

/* FP32 with exponents near the limits of all formats, mantissas near ties. */
static uint32_t random_fp32(uint64_t *state)
{
    static const uint8_t near[] = {0, 1, 2, 111, 112, 113, 119, 120, 127, 135, 143, 144, 253, 255};
    uint32_t word = random_xorshift(state);
    uint32_t exponent = word & 1 ? near[(word >> 8) % COUNT(near)] : 100 + (word >> 8) % 60;
    uint32_t mantissa = random_xorshift(state) & 0x7fffff;
    if (word & 2) {
        mantissa = ((mantissa >> (word >> 16 & 15)) << (word >> 16 & 15)) + (word >> 20) % 3;
    }
    return (word & 4) << 29 | exponent << 23 | (mantissa & 0x7fffff);
}

/* --- Worth: all exponents but 0 are alike, 0 is zero; as the Matrix Unit sees numbers --- */

static double worth(uint32_t pattern, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t exponent = pattern >> mantissa_bits & ((1U << exponent_bits) - 1);
    double mantissa = (double)(pattern & ((1U << mantissa_bits) - 1));
    double magnitude =
        exponent ? ldexp(1 + ldexp(mantissa, -mantissa_bits), (int)exponent - bias) : 0;
    return pattern >> (exponent_bits + mantissa_bits) & 1 ? -magnitude : magnitude;
}

static double fp32_worth(uint32_t pattern)
{
    return worth(pattern, 8, 23);
}

static double half_worth(bool is_narrow, uint32_t pattern)
{
    return is_narrow ? worth(pattern, 5, 10) : worth(pattern, 8, 7);
}

/* Of stored datums: sign, ten mantissa bits, exponent; the family says the exponent's width. */
static double src_worth(bool is_narrow, uint32_t stored)
{
    uint32_t mantissa = stored >> 8 & 0x3ff;
    uint32_t exponent = stored & 0xff;
    SAME(stored >> 19, 0);
    SAME(is_narrow && exponent > 31, 0);
    return worth(is_narrow ? stored >> 18 << 15 | exponent << 10 | mantissa
                           : stored >> 18 << 18 | exponent << 10 | mantissa,
                 is_narrow ? 5 : 8, 10);
}

static double dst_worth(bool is_narrow, uint32_t stored)
{
    SAME(stored >> 16, 0);
    return is_narrow ? worth((stored & 0x8000) | (stored & 31) << 10 | (stored >> 5 & 1023), 5, 10)
                     : worth((stored & 0x8000) | (stored & 255) << 7 | (stored >> 8 & 127), 8, 7);
}

/* --- Formats --- */

TEST_EACH(properties, 40)
{
    const struct num_format_info *info = num_format_info((unsigned)_i);
    static const uint64_t known = 0x4500cfff;
    ck_assert_int_eq(info != NULL, (int)(known >> _i & 1));
    if (!info) {
        return;
    }
    static const uint8_t bits_by_code[] = {32, 16, 8};
    unsigned code = num_format_code((enum num_format)_i);
    bool is_sub_byte = (code & 3) == 3;
    ck_assert_uint_eq(info->bits, is_sub_byte ? (code & 8 ? 2 : 4) : bits_by_code[code & 3]);
    ck_assert_int_eq(info->is_block, is_sub_byte || (code & 11) == 2);
    if (info->is_block) {
        ck_assert_uint_eq(info->exponent_bits, code & 4 ? 8 : 5);
        ck_assert_int_eq(info->mantissa_bits, info->bits - 1);
    } else if (_i != NUM_FORMAT_TF32) {
        ck_assert_int_eq(info->bits, info->exponent_bits + info->mantissa_bits + info->is_signed);
    }
    bool is_integer = info->exponent_bits == 0;
    bool is_unsigned = is_integer && !info->is_signed;
    ck_assert_uint_eq(num_format_of(code, is_unsigned, _i == NUM_FORMAT_FP8_E4M3), (unsigned)_i);
    ck_assert_uint_eq(num_format_of(code, false, false), code);
}

TEST(register_layouts)
{
    for (uint32_t x = 0; x < 0x10000; x++) {
        uint16_t half = (uint16_t)x;
        SAME(num_bf16_from_dst(num_dst_from_bf16(half)), x);
        SAME(num_fp16_from_dst(num_dst_from_fp16(half)), x);
        WORTH(dst_worth(false, num_dst_from_bf16(half)), half_worth(false, x));
        WORTH(dst_worth(true, num_dst_from_fp16(half)), half_worth(true, x));
        WORTH(src_worth(false, num_src_from_bf16(half)), half_worth(false, x));
        WORTH(src_worth(true, num_src_from_fp16(half)), half_worth(true, x));
        uint32_t opaque = num_src_from_int16(half);
        SAME((opaque >> 11) << 8 | (opaque & 0xff), x);
        SAME(num_dst_from_fp32(x << 16 | 0x1234), (uint32_t)num_dst_from_bf16(half) << 16 | 0x1234);
        SAME(num_fp32_from_dst(num_dst_from_fp32(x << 16 | x)), x << 16 | x);
    }
    for (uint32_t x = 0; x < 1 << 19; x++) {
        SAME(num_tf32_from_src(num_src_from_tf32(x)), x);
    }
}

TEST(sign_and_magnitude)
{
    static const int32_t values[] = {0, 1, -1, 127, -128, INT32_MAX, -INT32_MAX};
    for (int i = 0; i < COUNT(values); i++) {
        uint32_t stored = num_int32_to_sign_magnitude(values[i]);
        ck_assert_int_eq(num_int32_from_sign_magnitude(stored), values[i]);
    }
    ck_assert_uint_eq(num_int32_to_sign_magnitude(-5), UINT32_C(0x80000005));
    ck_assert_int_eq(num_int32_from_sign_magnitude(UINT32_C(0x80000000)), 0);
}

/* --- Unpackers --- */

/* For each code, what it may become in Src and in Dst: bit masks of codes. */
static const struct {
    uint16_t src, dst;
} legal_outputs[16] = {
    [NUM_FORMAT_FLOAT32] = {0x0032, 0x0033}, [NUM_FORMAT_FLOAT16] = {0x0002, 0x0002},
    [NUM_FORMAT_BFP8] = {0x0006, 0x0006},    [NUM_FORMAT_BFP4] = {0x000a, 0x000a},
    [NUM_FORMAT_TF32] = {0x0032, 0x0033},    [NUM_FORMAT_FLOAT16_B] = {0x0030, 0x0020},
    [NUM_FORMAT_BFP8_B] = {0x0070, 0x0060},  [NUM_FORMAT_BFP4_B] = {0x00f0, 0x00e0},
    [NUM_FORMAT_INT32] = {0x0000, 0x0100},   [NUM_FORMAT_UINT16] = {0x0200, 0x0200},
    [NUM_FORMAT_LF8] = {0x0402, 0x0402},     [NUM_FORMAT_BFP2] = {0x0802, 0x0802},
    [NUM_FORMAT_INT8] = {0x4000, 0x4000},    [NUM_FORMAT_BFP2_B] = {0x8070, 0x8060},
};

TEST_EACH(legal_pairs, 40)
{
    for (unsigned out = 0; out < 40; out++) {
        bool src = _i < 16 && out < 16 && (legal_outputs[_i].src >> out & 1);
        bool dst = _i < 16 && out < 16 && (legal_outputs[_i].dst >> out & 1);
        ck_assert_msg(num_unpack_is_legal((unsigned)_i, out, false) == src, "%d to %u", _i, out);
        ck_assert_msg(num_unpack_is_legal((unsigned)_i, out, true) == dst, "%d to %u", _i, out);
        if (dst) {
            bool is_wide = (_i & 3) == 0 && (out & 3) == 0;
            ck_assert_int_eq(num_unpack_is_32bit((unsigned)_i, out), is_wide);
        }
    }
}

/* The same datum by every legal name of the output, in Src and in Dst. */
static void check_unpacked(enum num_format in, uint32_t datum, uint8_t exponent, bool is_narrow,
                           double expected)
{
    for (unsigned out = 0; out < 16; out++) {
        unsigned code = num_format_code(in);
        if (num_unpack_is_legal(code, out, false)) {
            WORTH(src_worth(is_narrow, num_unpack_to_src(in, out, datum, exponent)), expected);
        }
        if (num_unpack_is_legal(code, out, true)) {
            WORTH(dst_worth(is_narrow, num_unpack_to_dst(in, out, datum, exponent)), expected);
        }
    }
}

TEST(unpack_small_floats)
{
    for (uint32_t x = 0; x < 0x10000; x++) {
        check_unpacked(NUM_FORMAT_FLOAT16, x, 0, true, half_worth(true, x));
        check_unpacked(NUM_FORMAT_FLOAT16_B, x, 0, false, half_worth(false, x));
        SAME(num_unpack_to_dst(NUM_FORMAT_UINT16, NUM_FORMAT_UINT16, x, 0), x);
        SAME(num_unpack_to_src(NUM_FORMAT_UINT16, NUM_FORMAT_UINT16, x, 0),
             (x >> 8) << 11 | (x & 0xff));
    }
    for (uint32_t x = 0; x < 0x100; x++) {
        double greatest = x & 0x80 ? -131008. : 131008.; /* of FP16 without infinity */
        bool is_greatest = (x & 0x7f) == 0x7f;
        check_unpacked(NUM_FORMAT_LF8, x, 0, true, is_greatest ? greatest : worth(x, 5, 2));
        bool ends = is_greatest; /* 480 in E4M3 becomes 511.75: the mantissa's ones are extended */
        check_unpacked(NUM_FORMAT_FP8_E4M3, x, 0, true,
                       ends ? (x & 0x80 ? -511.75 : 511.75) : worth(x, 4, 3));
    }
}

TEST_EACH(unpack_blocks, 6)
{
    static const enum num_format blocks[] = {NUM_FORMAT_BFP8,   NUM_FORMAT_BFP4,
                                             NUM_FORMAT_BFP2,   NUM_FORMAT_BFP8_B,
                                             NUM_FORMAT_BFP4_B, NUM_FORMAT_BFP2_B};
    enum num_format in = blocks[_i];
    const struct num_format_info *info = num_format_info(in);
    bool is_narrow = info->exponent_bits == 5;
    int bias = is_narrow ? 15 : 127;
    uint32_t top = 1U << (info->bits - 1);
    for (uint32_t datum = 0; datum < 2 * top; datum++) {
        uint32_t magnitude = datum % top;
        for (uint32_t exponent = 0; exponent < 256; exponent++) {
            double expected = ldexp(magnitude, (int)exponent - bias - (info->bits - 2));
            bool fits = expected == 0 || (expected >= ldexp(1, -bias) &&
                                          expected < ldexp(1, is_narrow ? bias + 2 : bias + 2));
            ck_assert_int_eq(num_block_is_defined(in, (uint8_t)datum, (uint8_t)exponent),
                             !is_narrow || fits);
            if (!fits || expected < ldexp(1, 1 - bias)) {
                continue;
            }
            expected = datum == top ? ldexp(1, bias + 1) : expected;
            check_unpacked(in, datum, (uint8_t)exponent, is_narrow,
                           datum >= top ? -expected : expected);
        }
        check_unpacked(in, 0, (uint8_t)datum, is_narrow, 0);
        check_unpacked(in, top, (uint8_t)datum, is_narrow, -ldexp(1, bias + 1));
    }
}

/* HW: an exponent below the leading zeros wraps around to a great one. */
TEST(block_exponents_wrap)
{
    SAME(num_block_to_half(NUM_FORMAT_BFP8_B, 0x01, 3), (3 - 6 + 256) << 7);
    SAME(num_block_to_half(NUM_FORMAT_BFP8_B, 0x81, 6), 0x8000);
    SAME(num_block_to_half(NUM_FORMAT_BFP4_B, 0x1, 0), 254 << 7);
    ck_assert(!num_block_is_defined(NUM_FORMAT_BFP4, 0x1, 1));
    ck_assert(!num_block_is_defined(NUM_FORMAT_BFP4, 0x4, 32));
    ck_assert(num_block_is_defined(NUM_FORMAT_BFP4, 0x8, 255));
}

TEST(unpack_integers)
{
    for (uint32_t x = 0; x < 0x100; x++) {
        uint32_t sign = x >> 7;
        uint32_t magnitude = x & 0x7f;
        enum { CODE = NUM_FORMAT_INT8 };
        SAME(num_unpack_to_src(NUM_FORMAT_INT8, CODE, x, 0),
             sign << 18 | magnitude << 8 | (magnitude ? 16 : 0));
        SAME(num_unpack_to_dst(NUM_FORMAT_INT8, CODE, x, 0),
             sign << 15 | magnitude << 5 | (magnitude ? 16 : 0));
        SAME(num_unpack_to_src(NUM_FORMAT_UINT8, CODE, x, 0), x << 8 | (x ? 16 : 0));
        SAME(num_unpack_to_dst(NUM_FORMAT_UINT8, CODE, x, 0), x << 5 | (x ? 16 : 0));
    }
    uint64_t state = 5;
    for (int i = 0; i < CASES; i++) {
        uint32_t x = random_xorshift(&state);
        SAME(num_unpack_to_dst(NUM_FORMAT_INT32, NUM_FORMAT_INT32, x, 0), num_dst_from_fp32(x));
        SAME(num_unpack_to_dst(NUM_FORMAT_UINT32, NUM_FORMAT_INT32, x, 0), num_dst_from_fp32(x));
    }
}

/* x cut to a mantissa of so many bits. */
static double cut(double x, int mantissa_bits)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    return ldexp(trunc(ldexp(fraction, mantissa_bits + 1)), exponent - mantissa_bits - 1);
}

/* As the hardware makes FP16 of FP32: cut, then at most the greatest; exponents that become 0 read
 * as zero (their mantissa stays behind it). */
static double cut_to_fp16(double x)
{
    double result = fabs(x) < ldexp(1, -14) ? 0 : fabs(x) >= 131072 ? 131008 : cut(fabs(x), 10);
    return copysign(result, x);
}

TEST(unpack_fp32)
{
    uint64_t state = 3;
    for (int i = 0; i < 10 * CASES; i++) {
        uint32_t x = random_fp32(&state);
        double value = fp32_worth(x);
        enum num_format in = i & 1 ? NUM_FORMAT_TF32 : NUM_FORMAT_FLOAT32;
        WORTH(src_worth(false, num_unpack_to_src(in, NUM_FORMAT_TF32, x, 0)), cut(value, 10));
        WORTH(src_worth(false, num_unpack_to_src(in, NUM_FORMAT_FLOAT16_B, x, 0)), cut(value, 7));
        WORTH(src_worth(true, num_unpack_to_src(in, NUM_FORMAT_FLOAT16, x, 0)), cut_to_fp16(value));
        WORTH(dst_worth(false, num_unpack_to_dst(in, NUM_FORMAT_FLOAT16_B, x, 0)), cut(value, 7));
        WORTH(dst_worth(true, num_unpack_to_dst(in, NUM_FORMAT_FLOAT16, x, 0)), cut_to_fp16(value));
        SAME(num_fp32_from_dst(num_unpack_to_dst(in, NUM_FORMAT_TF32, x, 0)), x);
        SAME(num_fp32_from_dst(num_unpack_to_dst(in, NUM_FORMAT_FLOAT32, x, 0)), x);
    }
    /* Signs survive; denormals become zeros in BF16, and FP16's exponent of 0 keeps a mantissa. */
    SAME(num_unpack_to_src(NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT16_B, 0x807fffff, 0), 0x40000);
    SAME(num_unpack_to_src(NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT16, 0xb8400000, 0),
         0x40000 | 512 << 8);
    SAME(num_unpack_to_src(NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT16, 0xb77fffff, 0), 0x40000);
}

/* --- Packer --- */

/* To nearest, ties away, so many mantissa bits; denormal inputs and NaNs are not for here. */
static double round_away(double x, int mantissa_bits)
{
    int exponent;
    double fraction = ldexp(frexp(fabs(x), &exponent), mantissa_bits + 1);
    return copysign(ldexp(floor(fraction + 0.5), exponent - mantissa_bits - 1), x);
}

static struct num_pack_early early_of(unsigned format, bool is_32bit)
{
    return (struct num_pack_early){.format = (uint8_t)format, .is_32bit = is_32bit};
}

static uint32_t early_pattern(const struct num_pack_early *how, uint32_t stored)
{
    return num_pack_early(how, num_pack_early_kind(how), stored);
}

TEST(early_from_32_bits)
{
    struct num_pack_early tf32 = early_of(NUM_FORMAT_TF32, true);
    struct num_pack_early bf16 = early_of(NUM_FORMAT_FLOAT16_B, true);
    struct num_pack_early e8m6 = early_of(NUM_FORMAT_BFP8_B, true);
    struct num_pack_early fp32 = early_of(NUM_FORMAT_FLOAT32, true);
    uint64_t state = 9;
    for (int i = 0; i < 10 * CASES; i++) {
        uint32_t x = random_fp32(&state);
        uint32_t stored = num_dst_from_fp32(x);
        SAME(early_pattern(&fp32, stored), x);
        if ((x & INT32_MAX) >= 0x7f800000) {
            uint32_t sign = x >> 31;
            SAME(early_pattern(&tf32, stored), sign << 18 | 0x3fc00);
            SAME(early_pattern(&bf16, stored), sign << 15 | 0x7f80);
            SAME(early_pattern(&e8m6, stored), sign << 15 | 0x7f80);
        } else if ((x & INT32_MAX) < 0x7f0000) { /* nothing rounds up to the least normal number */
            SAME(early_pattern(&tf32, stored) | early_pattern(&bf16, stored), 0);
            SAME(early_pattern(&e8m6, stored), 0);
        } else if ((x & INT32_MAX) >= 0x800000) {
            double value = fp32_worth(x);
            WORTH(worth(early_pattern(&tf32, stored), 8, 10), round_away(value, 10));
            WORTH(worth(early_pattern(&bf16, stored), 8, 7), round_away(value, 7));
            WORTH(worth(early_pattern(&e8m6, stored), 8, 7), round_away(value, 6));
        }
        bf16.is_raw = e8m6.is_raw = true;
        SAME(early_pattern(&bf16, stored), x >> 16);
        SAME(early_pattern(&e8m6, stored), x >> 16);
        bf16.is_raw = e8m6.is_raw = false;
    }
    SAME(early_pattern(&bf16, num_dst_from_fp32(0x807fffff)), 0x8080); /* rounds up first */
    SAME(early_pattern(&bf16, num_dst_from_fp32(0x80000000)), 0);
}

TEST(early_from_16_bits)
{
    struct num_pack_early fp16 = early_of(NUM_FORMAT_FLOAT16, false);
    struct num_pack_early bfp8 = early_of(NUM_FORMAT_BFP8, false);
    struct num_pack_early lf8 = early_of(NUM_FORMAT_LF8, false);
    struct num_pack_early bf16 = early_of(NUM_FORMAT_FLOAT16_B, false);
    struct num_pack_early e8m6 = early_of(NUM_FORMAT_BFP8_B, false);
    struct num_pack_early opaque = early_of(NUM_FORMAT_UINT16, false);
    struct num_pack_early int8 = early_of(NUM_FORMAT_INT8, false);
    struct num_pack_early narrows = {.format = NUM_FORMAT_FLOAT16, .rounds_10bit = true};
    lf8.is_raw = int8.is_raw = true;
    for (uint32_t x = 0; x < 0x10000; x++) {
        uint16_t half = (uint16_t)x;
        uint32_t narrow = num_dst_from_fp16(half);
        uint32_t wide = num_dst_from_bf16(half);
        double value = half_worth(true, x);
        SAME(early_pattern(&fp16, narrow), value != 0 ? x : 0);
        double rounded = round_away(value, 6);
        double limit = 130048; /* 2^17 less the last place of six mantissa bits */
        rounded = fabs(rounded) > limit ? copysign(limit, value) : rounded;
        if ((x & 0x7fff) < 0x3f8 || value != 0) {
            WORTH(half_worth(true, early_pattern(&bfp8, narrow)), rounded);
        }
        bfp8.is_raw = fp16.is_raw = bf16.is_raw = e8m6.is_raw = true;
        SAME(early_pattern(&fp16, narrow), x);
        SAME(early_pattern(&bfp8, narrow), x & ~7U);
        SAME(early_pattern(&bf16, wide), x);
        SAME(early_pattern(&e8m6, wide), x);
        bfp8.is_raw = fp16.is_raw = bf16.is_raw = e8m6.is_raw = false;
        SAME(early_pattern(&lf8, narrow), x & 0xff00);
        value = half_worth(false, x);
        bool is_odd = (x & 0x7fff) > 0x7f80;
        SAME(early_pattern(&bf16, wide), is_odd ? (x & 0x8000) | 0x7f80 : value != 0 ? x : 0);
        if (!is_odd) {
            WORTH(half_worth(false, early_pattern(&e8m6, wide)), round_away(value, 6));
        }
        SAME(early_pattern(&opaque, x), x);
        SAME(early_pattern(&int8, x), x >> 8 & 0x80);
        WORTH(half_worth(true, early_pattern(&narrows, wide)), cut_to_fp16(value));
    }
}

TEST(early_integers)
{
    uint64_t state = 17;
    for (int i = 0; i < 10 * CASES; i++) {
        struct num_pack_early early = early_of(NUM_FORMAT_INT8, true);
        early.right_shift = (uint8_t)(random_xorshift(&state) & 31);
        uint32_t x = random_xorshift(&state) >> (random_xorshift(&state) & 31);
        x = (x & INT32_MAX) | random_xorshift(&state) << 31;
        uint32_t sign = x >> 31;
        uint32_t magnitude = x & INT32_MAX;
        double rounded = floor(ldexp(magnitude, -early.right_shift) + 0.5);
        uint32_t stored = num_dst_from_fp32(x);
        SAME(early_pattern(&early, stored), sign << 7 | (rounded > 127 ? 127 : (uint32_t)rounded));
        early.is_unsigned = true;
        SAME(early_pattern(&early, stored), sign ? 0 : rounded > 255 ? 255 : (uint32_t)rounded);
        early.is_raw = true;
        SAME(early_pattern(&early, stored), x & 0xff);
        early.is_unsigned = false;
        SAME(early_pattern(&early, stored), sign << 7 | (x & 0x7f));
        early = early_of(NUM_FORMAT_INT32, true);
        SAME(early_pattern(&early, stored), x);
        early = early_of(NUM_FORMAT_UINT16, true);
        SAME(early_pattern(&early, stored), stored >> 16);
    }
}

/* Kinds by format code, as letters: - none, f FP32, t TF32, b BF16, 6 E8M6, h FP16, 7 E5M7, s E5M6,
 * 8 FP8, I, S, c, u integers of 32, 16 and 8 bits. */
TEST_EACH(early_kinds, 10)
{
    static const char letters[] = "-ftb6h7s8IScu";
    static const struct {
        bool is_32bit, is_raw, is_unsigned, rounds_10bit;
        uint8_t output;
        const char *kinds;
    } rows[] = {
        {true, false, false, false, 0, "f---tb6-IS----c-"},
        {true, true, false, false, 0, "f---fbb-IS----c-"},
        {true, false, true, false, 0, "f---tb6-IS----u-"},
        {true, false, false, true, 0, "tt--tb6-IS----c-"},
        {true, false, false, true, NUM_FORMAT_FLOAT16, "tt--tt6-IS----c-"},
        {false, false, false, false, 0, "-hs-tb6--S------"},
        {false, true, false, false, 0, "-h7--bb--S8---c-"},
        {false, true, true, false, 0, "-h7--bb--S8-----"},
        {false, false, false, true, 0, "ths-tb6--S------"},
        {false, false, false, true, NUM_FORMAT_LF8, "ths-tt6--S------"},
    };
    for (uint8_t format = 0; format < 16; format++) {
        struct num_pack_early early = {
            .format = format,
            .output = rows[_i].output,
            .is_32bit = rows[_i].is_32bit,
            .is_raw = rows[_i].is_raw,
            .is_unsigned = rows[_i].is_unsigned,
            .rounds_10bit = rows[_i].rounds_10bit,
        };
        enum num_pack_kind kind = num_pack_early_kind(&early);
        ck_assert_msg(letters[kind] == rows[_i].kinds[format], "row %d, format %u: %c", _i, format,
                      letters[kind]);
    }
}

TEST(late_pairs)
{
    for (int kind = 0; kind < NUM_PACK_KINDS; kind++) {
        for (unsigned to = 0; to < NUM_FORMATS; to++) {
            const struct num_format_info *info = num_format_info(to);
            bool is_float = kind >= NUM_PACK_FP32 && kind <= NUM_PACK_FP8;
            bool expected = false;
            if (info && info->exponent_bits) {
                expected = is_float && !(kind == NUM_PACK_FP32 && to == NUM_FORMAT_TF32);
            } else if (info) {
                expected = info->bits == 32   ? kind == NUM_PACK_INT32
                           : info->bits == 16 ? kind == NUM_PACK_INT16
                                              : kind == NUM_PACK_INT8 || kind == NUM_PACK_UINT8;
            }
            ck_assert_int_eq(num_pack_late_is_legal((enum num_pack_kind)kind, (enum num_format)to),
                             expected);
        }
    }
}

/* From patterns of 16 bits, all of them. */
TEST(late_from_halves)
{
    for (uint32_t x = 0; x < 0x10000; x++) {
        double wide = half_worth(false, x);
        double narrow = half_worth(true, x);
        SAME(num_pack_late(NUM_PACK_BF16, NUM_FORMAT_FLOAT32, x), x << 16);
        SAME(num_pack_late(NUM_PACK_BF16, NUM_FORMAT_TF32, x), x << 16);
        SAME(num_pack_late(NUM_PACK_BF16, NUM_FORMAT_FLOAT16_B, x), x);
        SAME(num_pack_late(NUM_PACK_E8M6, NUM_FORMAT_BFP4_B, x), x);
        WORTH(half_worth(true, num_pack_late(NUM_PACK_BF16, NUM_FORMAT_FLOAT16, x)),
              cut_to_fp16(wide));
        SAME(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_FLOAT16, x), x);
        WORTH(fp32_worth(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_FLOAT32, x)), narrow);
        WORTH(fp32_worth(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_TF32, x)), narrow);
        WORTH(half_worth(false, num_pack_late(NUM_PACK_FP16, NUM_FORMAT_FLOAT16_B, x)),
              cut(narrow, 7));
        WORTH(worth(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_LF8, x), 5, 2), cut(narrow, 2));
        SAME(num_pack_late(NUM_PACK_FP8, NUM_FORMAT_LF8, x & 0xff00), x >> 8);
        double e4m3 = fabs(narrow) < ldexp(1, -6) ? 0 : fabs(narrow) >= 512 ? 480 : cut(narrow, 3);
        WORTH(worth(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_FP8_E4M3, x), 4, 3),
              copysign(fabs(e4m3), narrow));
        WORTH(half_worth(true, num_pack_late(NUM_PACK_FP16, NUM_FORMAT_BFP8, x)), cut(narrow, 7));
        if (fabs(narrow) < ldexp(1, -6)) { /* no denormals come out, not even a mantissa's rest */
            SAME(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_FP8_E4M3, x), x >> 8 & 0x80);
        }
        if (narrow == 0) {
            SAME(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_FLOAT16_B, x), 0);
            SAME(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_BFP8, x), 0);
            SAME(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_LF8, x), x >> 8 & 0x80);
            SAME(num_pack_late(NUM_PACK_FP16, NUM_FORMAT_FLOAT32, x),
                 (x & 0x8000) << 16 | (x & 0x3ff) << 13);
        }
        SAME(num_pack_late(NUM_PACK_E5M7, NUM_FORMAT_BFP2, x & ~7U), x & ~7U);
        SAME(num_pack_late(NUM_PACK_INT16, NUM_FORMAT_UINT16, x), x);
        SAME(num_pack_late(NUM_PACK_INT8, NUM_FORMAT_INT8, x & 0xff), x & 0xff);
    }
}

TEST(late_from_wide)
{
    uint64_t state = 23;
    for (int i = 0; i < 10 * CASES; i++) {
        uint32_t x = random_fp32(&state);
        double value = fp32_worth(x);
        SAME(num_pack_late(NUM_PACK_FP32, NUM_FORMAT_FLOAT32, x), x);
        SAME(num_pack_late(NUM_PACK_INT32, NUM_FORMAT_INT32, x), x);
        SAME(num_pack_late(NUM_PACK_TF32, NUM_FORMAT_TF32, x >> 13), x >> 13 << 13);
        WORTH(half_worth(false, num_pack_late(NUM_PACK_FP32, NUM_FORMAT_BFP8_B, x)), cut(value, 7));
        WORTH(half_worth(true, num_pack_late(NUM_PACK_FP32, NUM_FORMAT_FLOAT16, x)),
              cut_to_fp16(value));
        WORTH(half_worth(true, num_pack_late(NUM_PACK_TF32, NUM_FORMAT_FLOAT16, x >> 13)),
              cut_to_fp16(value));
        WORTH(half_worth(false, num_pack_late(NUM_PACK_TF32, NUM_FORMAT_FLOAT16_B, x >> 13)),
              cut(value, 7));
    }
}

/* Nearest multiples of the block's unit, ties away, at most 127; narrower formats cut those. */
TEST_EACH(pack_blocks, 6)
{
    static const enum num_format blocks[] = {NUM_FORMAT_BFP8,   NUM_FORMAT_BFP4,
                                             NUM_FORMAT_BFP2,   NUM_FORMAT_BFP8_B,
                                             NUM_FORMAT_BFP4_B, NUM_FORMAT_BFP2_B};
    enum num_format format = blocks[_i];
    const struct num_format_info *info = num_format_info(format);
    bool is_narrow = info->exponent_bits == 5;
    uint64_t state = 31;
    for (int i = 0; i < BLOCK_CASES; i++) {
        uint16_t halves[NUM_BLOCK_DATUMS];
        unsigned greatest = 1 + random_xorshift(&state) % (is_narrow ? 31 : 255);
        unsigned spread = random_xorshift(&state) & 1 ? 4 : 12;
        for (int k = 0; k < NUM_BLOCK_DATUMS; k++) {
            unsigned below = k == i % NUM_BLOCK_DATUMS ? 0 : random_xorshift(&state) % spread;
            unsigned exponent = below < greatest ? greatest - below : 0;
            unsigned sign = random_xorshift(&state) & 0x8000;
            unsigned fraction = exponent ? random_xorshift(&state) & 0x7f : 0;
            halves[k] = (uint16_t)(sign | (is_narrow ? exponent << 10 | fraction << 3
                                                     : exponent << 7 | fraction));
        }
        uint8_t shared;
        uint8_t datums[NUM_BLOCK_DATUMS];
        num_block_from_halves(format, halves, &shared, datums);
        SAME(shared, greatest);
        for (int k = 0; k < NUM_BLOCK_DATUMS; k++) {
            double value = half_worth(is_narrow, halves[k]);
            double units = ldexp(fabs(value), 6 + (is_narrow ? 15 : 127) - (int)greatest);
            double wide = fmin(floor(units + 0.5), 127);
            uint32_t magnitude = (uint32_t)wide >> (8 - info->bits);
            uint32_t sign = value < 0 && magnitude ? 1U << (info->bits - 1) : 0;
            SAME(datums[k], sign | magnitude);
            /* And back, where that is defined: less than a unit away. */
            double back = half_worth(is_narrow, num_block_to_half(format, datums[k], shared));
            double unit = ldexp(1, (int)greatest - (is_narrow ? 15 : 127) + 2 - info->bits);
            if (num_block_is_defined(format, datums[k], shared) && greatest > 8) {
                ck_assert(fabs(back - value) < unit);
            }
        }
    }
}

/* --- L1 accumulation --- */

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

TEST(accumulate_fp32)
{
    uint64_t state = 41;
    for (int i = 0; i < 10 * CASES; i++) {
        uint32_t x = random_fp32(&state);
        uint32_t y =
            i & 1 ? random_fp32(&state) : (x ^ 0x80000000) + random_xorshift(&state) % 3 - 1;
        uint32_t sum = num_pack_accumulate(NUM_FORMAT_FLOAT32, x, y);
        if ((x >> 23 & 255) == 255 || (y >> 23 & 255) == 255) {
            continue;
        }
        float expected = (float)(fp32_worth(x) + fp32_worth(y)); /* doubles hold enough of a sum */
        if (fabs(fp32_worth(x)) < ldexp(fabs(fp32_worth(y)), -25) ||
            fabs(fp32_worth(y)) < ldexp(fabs(fp32_worth(x)), -25)) {
            continue; /* for these see below */
        }
        SAME(sum, fabsf(expected) < ldexpf(1, -126) ? bits_of(expected) & 0x80000000
                                                    : bits_of(expected));
    }
    SAME(num_pack_accumulate(NUM_FORMAT_FLOAT32, 0x7f800000, 0xff800000), 0x7fc00000);
    SAME(num_pack_accumulate(NUM_FORMAT_FLOAT32, 0x3f800000, 0x00400000), 0x3f800000);
    SAME(num_pack_accumulate(NUM_FORMAT_FLOAT32, 0x3f800000, 0x80800000), 0x3f800000);
}

/* To nearest even with so many mantissa bits. */
static double round_even(double x, int mantissa_bits)
{
    int exponent;
    double fraction = ldexp(frexp(x, &exponent), mantissa_bits + 1);
    return ldexp(nearbyint(fraction), exponent - mantissa_bits - 1);
}

TEST(accumulate_halves)
{
    uint64_t state = 43;
    for (int i = 0; i < 20 * CASES; i++) {
        uint32_t word = random_xorshift(&state);
        uint32_t x = word & 0xffff;
        uint32_t y = i & 1 ? word >> 16 : ((x ^ 0x8000) + (word >> 16 & 0x1ff)) & 0xffff;
        double exact = half_worth(true, x) + half_worth(true, y);
        double sum = half_worth(true, num_pack_accumulate(NUM_FORMAT_FLOAT16, x, y));
        if (fabs(exact) >= ldexp(1, -14)) {
            double expected = round_even(exact, 10);
            WORTH(sum, fabs(expected) > 131008 ? copysign(131008, exact) : expected);
        }
        if ((x & 0x7f80) == 0x7f80 || (y & 0x7f80) == 0x7f80) {
            continue;
        }
        exact = half_worth(false, x) + half_worth(false, y);
        sum = half_worth(false, num_pack_accumulate(NUM_FORMAT_FLOAT16_B, x, y));
        double nearest = round_even(exact, 7);
        double limit = copysign(ldexp(1, 128), exact);
        WORTH(sum, fabs(exact) < ldexp(1, -126)  ? 0
                   : fabs(nearest) < fabs(limit) ? nearest
                                                 : limit);
    }
}

TEST_EACH(accumulate_rules, 14)
{
    static const struct {
        enum num_format format;
        uint16_t old, datum, sum;
    } rows[] = {
        {NUM_FORMAT_FLOAT16, 0x3c00, 0xbc00, 0x0000}, /* cancels */
        {NUM_FORMAT_FLOAT16, 0x7800, 0xf800, 0x7fff}, /* cancels among great numbers */
        {NUM_FORMAT_FLOAT16, 0x0401, 0x8400, 0x7fff}, /* far below the least normal number */
        {NUM_FORMAT_FLOAT16, 0x0600, 0x8400, 0x0000}, /* a binade below it */
        {NUM_FORMAT_FLOAT16, 0x7fff, 0x7fff, 0x7fff},
        {NUM_FORMAT_FLOAT16, 0x3c00, 0x83ff, 0x3c00}, /* denormals are zeros */
        {NUM_FORMAT_FLOAT16_B, 0x7f80, 0xff80, 0x7fc0},
        {NUM_FORMAT_FLOAT16_B, 0x7f80, 0xff81, 0x7f80},
        {NUM_FORMAT_FLOAT16_B, 0x7f81, 0xff7f, 0x7f80}, /* a NaN in L1 outweighs */
        {NUM_FORMAT_FLOAT16_B, 0x7f81, 0xff80, 0xff80},
        {NUM_FORMAT_FLOAT16_B, 0x3f80, 0xffc0, 0xff80}, /* one that comes is great */
        {NUM_FORMAT_FLOAT16_B, 0xff7f, 0x7f81,
         0x7c40}, /* 2^128 * (1 + 1/128), less 2^128 - 2^120 */
        {NUM_FORMAT_FLOAT16_B, 0x0080, 0x80ff, 0x8000},
        {NUM_FORMAT_FLOAT16_B, 0x8000, 0x8000, 0x8000},
    };
    SAME(num_pack_accumulate(rows[_i].format, rows[_i].old, rows[_i].datum), rows[_i].sum);
}
