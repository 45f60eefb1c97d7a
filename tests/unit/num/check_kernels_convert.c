/*
 * The unpack, pack and accumulate members of every set of kernels against the reference set, and
 * the reference set against the functions on single data. Inputs of 16 bits and less are
 * exhaustive; the others are random words with exponents, mantissas and rests where something
 * happens. PENROSE_LONG=1 in the environment takes ten million data where 200,000 are usual.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "num/kernel_sets.h"
#include "unit/random.h"
#include "unit/test.h"

#if NUM_HAS_X86_KERNELS
#include <xmmintrin.h>
#endif

enum { ROW = NUM_BLOCK_DATUMS, CHUNK_ROWS = 256, CHUNK = CHUNK_ROWS * ROW, PATTERNS = 0x10000 };

static const char *const set_names[] = {"avx2", "avx512"};

/* How often CHUNK data make up the count that is asked for. */
static int chunks(void)
{
    const char *is_long = getenv("PENROSE_LONG");
    return (is_long && *is_long == '1' ? 10000000 : 200000) / CHUNK + 1;
}

/* FP32 patterns with exponents near the limits of all formats (or near `around`, which blocks
 * want), mantissas near ties, zeros and NaNs. */
static uint32_t random_fp32(uint64_t *state, uint32_t around)
{
    static const uint8_t near[] = {0,   0,   1,   2,   111, 112, 113, 119, 120,
                                   127, 135, 136, 143, 144, 145, 253, 254, 255};
    uint32_t word = random_xorshift(state);
    uint32_t exponent =
        word & 0x300 ? around - (word >> 10) % 11 : near[(word >> 10) % COUNT(near)];
    uint32_t mantissa = random_xorshift(state) & 0x7fffff;
    unsigned cut = word >> 16 & 31;
    if (word & 2 && cut < 24) {
        mantissa = ((mantissa >> cut << cut) | (word & 4 ? UINT32_C(1) << cut >> 1 : 0)) +
                   (word >> 24) % 3 - 1;
    }
    if ((word & 0xf0) == 0) {
        mantissa = word & 8 ? 0 : 0x7fffff;
    }
    return (word & 1) << 31 | (exponent & 0xff) << 23 | (mantissa & 0x7fffff);
}

static uint16_t random_fp16(uint64_t *state, uint32_t around)
{
    uint32_t word = random_xorshift(state);
    uint32_t exponent = word & 0x300 ? around - (word >> 10) % 11 : word >> 10;
    uint32_t mantissa = word >> 16 & (word & 8 ? 0x3ff : 0x3f8);
    return (uint16_t)((word & 1) << 15 | (exponent & 0x1f) << 10 | mantissa);
}

static void expect_same(const char *set, const char *what, const void *got, const void *expected,
                        size_t size, size_t datum_bits)
{
    const uint8_t *a = got, *b = expected;
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i]) {
            ck_abort_msg("%s: %s: datum %zu: byte %zu is %#x, not %#x", set, what,
                         i * 8 / datum_bits, i, a[i], b[i]);
        }
    }
}

/* --- The reference set against single data --- */

TEST(reference_order)
{
    static const uint8_t bytes[8] = {0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f};
    static const uint8_t exponents[2] = {127, 100};
    uint8_t data[16];
    memcpy(data, bytes, 8);
    memcpy(data + 8, bytes, 8);
    struct num_unpack bfp4 = {NUM_FORMAT_BFP4_B, NUM_FORMAT_BFP4_B, false};
    uint32_t stored[2 * ROW];
    num_kernels_reference.unpack(&bfp4, data, exponents, 2, stored);
    for (unsigned i = 0; i < 2 * ROW; i++) {
        uint8_t nibble = (uint8_t)((i + 1) % ROW);
        ck_assert_uint_eq(stored[i], num_unpack_to_src(NUM_FORMAT_BFP4_B, NUM_FORMAT_BFP4_B, nibble,
                                                       exponents[i / ROW]));
    }
    uint16_t dst[2 * ROW];
    for (unsigned i = 0; i < 2 * ROW; i++) {
        dst[i] = num_dst_from_bf16((uint16_t)(i < ROW ? (127 + i % 3) << 7 : 0x4000 | i));
    }
    struct num_pack pack = {.early = {.format = NUM_FORMAT_FLOAT16_B}, .to = NUM_FORMAT_BFP2_B};
    uint8_t out[2 * ROW / 4], shared[2];
    num_kernels_reference.pack(&pack, dst, NULL, 2, out, shared);
    ck_assert_uint_eq(shared[0], 129);
    ck_assert_uint_eq(shared[1], 128);
    ck_assert_uint_eq(out[0], 0x10); /* of 1, 2, 4 only the last reaches half of the greatest */
    ck_assert_uint_eq(out[4], 0x55);
}

/* --- ReLU: the rules of the page, on what patterns are worth --- */

static const struct {
    enum num_pack_kind kind;
    int exponent_bits, mantissa_bits; /* no exponent: an integer */
    bool has_sign;
} relu_kinds[] = {
    {NUM_PACK_FP32, 8, 23, true},  {NUM_PACK_TF32, 8, 10, true}, {NUM_PACK_BF16, 8, 7, true},
    {NUM_PACK_E8M6, 8, 7, true},   {NUM_PACK_FP16, 5, 10, true}, {NUM_PACK_E5M7, 5, 10, true},
    {NUM_PACK_E5M6, 5, 10, true},  {NUM_PACK_FP8, 5, 10, true},  {NUM_PACK_INT32, 0, 31, true},
    {NUM_PACK_INT16, 0, 15, true}, {NUM_PACK_INT8, 0, 7, true},  {NUM_PACK_UINT8, 0, 8, false},
};

/* All ones being an exponent as any other. */
static double worth(uint32_t pattern, int exponent_bits, int mantissa_bits, bool has_sign)
{
    uint32_t exponent = pattern >> mantissa_bits & ((1u << exponent_bits) - 1);
    double mantissa = (double)(pattern & ((1u << mantissa_bits) - 1));
    double hidden = exponent ? ldexp(1, mantissa_bits) : 0;
    double magnitude = ldexp(mantissa + hidden, exponent ? (int)exponent : 1);
    bool is_negative = has_sign && pattern >> (exponent_bits + mantissa_bits) & 1;
    return is_negative ? -magnitude : magnitude;
}

/* An assertion of Check costs a system call even where all is well. */
static void expect_relu(const struct num_pack_relu *relu, enum num_pack_kind kind, uint32_t x,
                        uint32_t expected)
{
    uint32_t got = num_pack_relu(relu, kind, x);
    if (got != expected) {
        ck_abort_msg("ReLU %u (%#x) of kind %d: %#x gives %#x, not %#x", relu->mode,
                     relu->threshold, (int)kind, x, got, expected);
    }
}

TEST_EACH(relu_rules, COUNT(relu_kinds))
{
    static const uint16_t thresholds[] = {0, 1, 0x3f80, 0x3c00, 0x4080, 0x7f7f, 0x7fff};
    int exponent_bits = relu_kinds[_i].exponent_bits, mantissa_bits = relu_kinds[_i].mantissa_bits;
    enum num_pack_kind kind = relu_kinds[_i].kind;
    bool has_sign = relu_kinds[_i].has_sign, is_integer = exponent_bits == 0;
    int bits = exponent_bits + mantissa_bits + has_sign;
    for (uint32_t n = 0; n < PATTERNS * 4; n++) {
        /* Wide patterns: all upper halves, with a lower half that is one of four. */
        static const uint16_t lower[] = {0, 1, 0x2000, 0xffff};
        uint32_t all = n / 4 << 16 | lower[n % 4];
        uint32_t x = all >> (32 - bits);
        double value = worth(x, exponent_bits, mantissa_bits, has_sign);
        struct num_pack_relu relu = {.threshold = thresholds[n % COUNT(thresholds)]};
        expect_relu(&relu, kind, x, x);
        relu.mode = NUM_RELU_ZERO;
        expect_relu(&relu, kind, x, value > 0 ? x : 0);
        if (is_integer) {
            continue;
        }
        uint32_t threshold = bits < 16 ? 0 : (uint32_t)relu.threshold << (bits - 16);
        double limit = worth(threshold, exponent_bits, mantissa_bits, true);
        relu.mode = NUM_RELU_MIN_THRESHOLD;
        expect_relu(&relu, kind, x, value <= limit ? 0 : x);
        /* FP32 is compared without its last 13 bits. */
        uint32_t top = kind == NUM_PACK_FP32 ? x & ~UINT32_C(0x1fff) : x;
        double cut = worth(top, exponent_bits, mantissa_bits, true);
        relu.mode = NUM_RELU_MAX_THRESHOLD;
        expect_relu(&relu, kind, x, value <= 0 ? 0 : cut > limit ? threshold : x);
    }
}

/* --- Unpackers --- */

static void compare_unpack(const struct num_unpack *how, const uint8_t *data,
                           const uint8_t *exponents, size_t rows)
{
    static uint32_t expected[PATTERNS], got[PATTERNS];
    static uint8_t odd[PATTERNS * 4 + 1];
    ck_assert_uint_le(rows * ROW, PATTERNS);
    memcpy(odd + 1, data, rows * ROW * num_format_info(how->in)->bits / 8);
    num_kernels_reference.unpack(how, data, exponents, rows, expected);
    for (int i = 0; i < COUNT(set_names); i++) {
        const struct num_kernels *set = num_kernels_find(set_names[i]);
        if (!set) {
            continue;
        }
        char what[64];
        snprintf(what, sizeof(what), "format %u to %u of %s", how->in, how->out,
                 how->to_dst ? "Dst" : "Src");
        memset(got, 0xa5, rows * ROW * sizeof(got[0]));
        set->unpack(how, odd + 1, exponents, rows, got);
        expect_same(set->name, what, got, expected, rows * ROW * sizeof(got[0]), 32);
    }
}

static void unpack_narrow(const struct num_unpack *how, unsigned bits)
{
    static uint8_t data[PATTERNS * 2];
    size_t size = 0;
    for (uint32_t x = 0; x < PATTERNS; x++) {
        uint16_t pattern = (uint16_t)x;
        memcpy(data + x * 2, &pattern, 2);
    }
    size = bits == 16 ? sizeof(data) : PATTERNS * bits / 8;
    compare_unpack(how, data, NULL, size * 8 / bits / ROW);
}

/* All pairs of datum and exponent, and all pairs of bytes. */
static void unpack_blocks(const struct num_unpack *how, unsigned bits)
{
    static uint8_t data[PATTERNS * 2], exponents[PATTERNS / ROW];
    for (uint32_t x = 0; x < PATTERNS; x++) {
        data[x * 2] = (uint8_t)x;
        data[x * 2 + 1] = (uint8_t)(x >> 8);
    }
    for (uint32_t first = 0; first < 256; first++) {
        size_t row_bytes = bits * ROW / 8;
        size_t rows = 256 / row_bytes;
        for (size_t i = 0; i < rows; i++) {
            exponents[i] = (uint8_t)(first + i);
        }
        for (size_t i = 0; i < 256; i++) {
            data[i] = (uint8_t)i;
        }
        compare_unpack(how, data, exponents, rows);
        for (size_t i = 0; i < rows; i++) {
            exponents[i] = (uint8_t)first;
        }
        compare_unpack(how, data, exponents, rows);
    }
}

static void unpack_wide(const struct num_unpack *how, uint64_t *state)
{
    static uint32_t data[CHUNK];
    for (int n = chunks(); n > 0; n--) {
        for (int i = 0; i < CHUNK; i++) {
            data[i] = random_fp32(state, 60 + random_xorshift(state) % 120);
        }
        compare_unpack(how, (const uint8_t *)data, NULL, CHUNK_ROWS);
    }
}

TEST_EACH(unpack_all, NUM_FORMATS)
{
    uint64_t state = 1 + (uint64_t)_i;
    unsigned in = (unsigned)_i;
    const struct num_format_info *info = num_format_info(in);
    for (unsigned out = 0; info && out < 2 * (1 << NUM_FORMAT_CODE_BITS); out++) {
        bool to_dst = out & 1;
        struct num_unpack how = {(uint8_t)in, (uint8_t)(out / 2), to_dst};
        if (!num_unpack_is_legal(num_format_code((enum num_format)in), how.out, to_dst)) {
            continue;
        }
        if (info->is_block) {
            unpack_blocks(&how, info->bits);
        } else if (info->bits <= 16) {
            unpack_narrow(&how, info->bits);
        } else {
            unpack_wide(&how, &state);
        }
    }
}

/* --- Packer --- */

/* Every way of the early conversion. */
static const struct num_pack_early earlies[] = {
    {.format = NUM_FORMAT_FLOAT32, .rounds_10bit = true},
    {.format = NUM_FORMAT_TF32},
    {.format = NUM_FORMAT_FLOAT16},
    {.format = NUM_FORMAT_FLOAT16, .is_raw = true},
    {.format = NUM_FORMAT_FLOAT16, .rounds_10bit = true},
    {.format = NUM_FORMAT_FLOAT16, .rounds_10bit = true, .is_raw = true},
    {.format = NUM_FORMAT_BFP8},
    {.format = NUM_FORMAT_BFP8, .is_raw = true},
    {.format = NUM_FORMAT_LF8, .is_raw = true},
    {.format = NUM_FORMAT_FLOAT16_B},
    {.format = NUM_FORMAT_FLOAT16_B, .is_raw = true},
    {.format = NUM_FORMAT_FLOAT16_B, .rounds_10bit = true, .output = NUM_FORMAT_FLOAT16},
    {.format = NUM_FORMAT_BFP8_B},
    {.format = NUM_FORMAT_BFP8_B, .is_raw = true},
    {.format = NUM_FORMAT_UINT16},
    {.format = NUM_FORMAT_INT8, .is_raw = true},
    {.is_32bit = true, .format = NUM_FORMAT_FLOAT32},
    {.is_32bit = true, .format = NUM_FORMAT_FLOAT32, .rounds_10bit = true},
    {.is_32bit = true, .format = NUM_FORMAT_TF32, .is_raw = true},
    {.is_32bit = true, .format = NUM_FORMAT_FLOAT16, .rounds_10bit = true},
    {.is_32bit = true, .format = NUM_FORMAT_FLOAT16_B},
    {.is_32bit = true, .format = NUM_FORMAT_FLOAT16_B, .is_raw = true},
    {.is_32bit = true, .format = NUM_FORMAT_BFP8_B},
    {.is_32bit = true, .format = NUM_FORMAT_BFP8_B, .is_raw = true},
    {.is_32bit = true, .format = NUM_FORMAT_INT32},
    {.is_32bit = true, .format = NUM_FORMAT_UINT16},
    {.is_32bit = true, .format = NUM_FORMAT_INT8},
    {.is_32bit = true, .format = NUM_FORMAT_INT8, .is_raw = true},
    {.is_32bit = true, .format = NUM_FORMAT_INT8, .is_unsigned = true},
    {.is_32bit = true, .format = NUM_FORMAT_INT8, .is_unsigned = true, .is_raw = true},
    {.is_32bit = true, .format = NUM_FORMAT_INT8, .right_shift = 1},
    {.is_32bit = true, .format = NUM_FORMAT_INT8, .right_shift = 31},
    {.is_32bit = true, .format = NUM_FORMAT_INT8, .right_shift = 9, .is_unsigned = true},
};

struct dst_data {
    uint16_t high[PATTERNS], low[PATTERNS];
};

static void compare_pack(const struct num_pack *how, const struct dst_data *dst, size_t rows)
{
    static uint8_t expected[PATTERNS * 4], storage[PATTERNS * 4 + 1];
    static uint8_t expected_exponents[PATTERNS / ROW], got_exponents[PATTERNS / ROW];
    uint8_t *got = storage + 1; /* L1's addresses are no multiples of anything */
    const struct num_format_info *info = num_format_info(how->to);
    const uint16_t *low = how->early.is_32bit ? dst->low : NULL;
    size_t size = rows * ROW * info->bits / 8;
    num_kernels_reference.pack(how, dst->high, low, rows, expected,
                               info->is_block ? expected_exponents : NULL);
    for (int i = 0; i < COUNT(set_names); i++) {
        const struct num_kernels *set = num_kernels_find(set_names[i]);
        if (!set) {
            continue;
        }
        char what[96];
        snprintf(what, sizeof(what), "Dst of %d bits as %u to %u, raw %d, round %d, ReLU %u (%#x)",
                 how->early.is_32bit ? 32 : 16, how->early.format, how->to, how->early.is_raw,
                 how->early.rounds_10bit, how->relu.mode, how->relu.threshold);
        memset(got, 0xa5, size);
        set->pack(how, dst->high, low, rows, got, info->is_block ? got_exponents : NULL);
        expect_same(set->name, what, got, expected, size, info->bits);
        if (info->is_block) {
            expect_same(set->name, what, got_exponents, expected_exponents, rows, 8);
        }
        memset(got, 0xa5, size);
        memset(got_exponents, 0xa5, sizeof(got_exponents));
        set->choose_pack(how)(how, dst->high, low, rows, got,
                              info->is_block ? got_exponents : NULL);
        expect_same(set->name, what, got, expected, size, info->bits);
        if (info->is_block) {
            expect_same(set->name, what, got_exponents, expected_exponents, rows, 8);
        }
    }
}

/* Halves of both families, words, and (for integers) small magnitudes. */
static void fill_dst(struct dst_data *dst, uint64_t *state, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        static uint32_t around;
        uint32_t word = random_xorshift(state);
        if (i % ROW == 0) {
            around = word >> 24;
        }
        uint32_t stored = num_dst_from_fp32(random_fp32(state, around));
        if (word % 8 == 0) {
            stored =
                num_dst_from_fp32((word & 8) << 28 | random_xorshift(state) >> (word >> 4) % 31);
        }
        dst->high[i] = (uint16_t)(stored >> 16);
        dst->low[i] = (uint16_t)stored;
        if (i / ROW % 4 == 0) {
            dst->high[i] = num_dst_from_fp16(random_fp16(state, around & 0x1f));
        }
    }
}

static struct num_pack_relu random_relu(uint64_t *state)
{
    uint32_t word = random_xorshift(state);
    uint16_t threshold = (uint16_t)(word & 0x100 ? word >> 16 : 0x3f80 + (word >> 24));
    return (struct num_pack_relu){.mode = word & 3, .threshold = threshold & 0x7fff};
}

static void pack_exhaustively(const struct num_pack *how)
{
    static struct dst_data dst;
    for (uint32_t x = 0; x < PATTERNS; x++) {
        dst.high[x] = (uint16_t)x;
    }
    compare_pack(how, &dst, PATTERNS / ROW);
    /* Blocks whose exponents are near each other. */
    for (uint32_t x = 0; x < PATTERNS; x++) {
        dst.high[x] = num_dst_from_bf16((uint16_t)(x * 0x9e37));
    }
    compare_pack(how, &dst, PATTERNS / ROW);
}

TEST_EACH(pack_all, COUNT(earlies))
{
    static struct dst_data dst;
    uint64_t state = 77 + (uint64_t)_i;
    struct num_pack how = {.early = earlies[_i]};
    enum num_pack_kind kind = num_pack_early_kind(&how.early);
    ck_assert_int_ne(kind, NUM_PACK_NONE);
    for (unsigned to = 0; to < NUM_FORMATS; to++) {
        if (!num_format_info(to) || !num_pack_late_is_legal(kind, (enum num_format)to)) {
            continue;
        }
        how.to = (uint8_t)to;
        how.relu = (struct num_pack_relu){0};
        if (!how.early.is_32bit) {
            pack_exhaustively(&how);
        }
        for (int n = chunks(); n > 0; n--) {
            fill_dst(&dst, &state, CHUNK);
            how.relu = n & 1 ? random_relu(&state) : (struct num_pack_relu){0};
            compare_pack(&how, &dst, CHUNK_ROWS);
        }
    }
}

/* All fields at random, thresholds that no program may use among them. */
TEST(pack_random)
{
    static struct dst_data dst;
    uint64_t state = 4711;
    int done = 0;
    while (done < 400 * chunks() / 10) {
        uint32_t word = random_xorshift(&state);
        struct num_pack how = {
            .early = {.format = word & 15,
                      .output = word >> 4 & 15,
                      .is_32bit = word >> 8 & 1,
                      .is_raw = word >> 9 & 1,
                      .is_unsigned = word >> 10 & 1,
                      .rounds_10bit = word >> 11 & 1,
                      .right_shift = word >> 12 & 31},
            .relu = {.mode = word >> 17 & 15, .threshold = (uint16_t)random_xorshift(&state)},
            .to = word >> 21 & 31,
        };
        enum num_pack_kind kind = num_pack_early_kind(&how.early);
        if (kind == NUM_PACK_NONE || !num_format_info(how.to) ||
            !num_pack_late_is_legal(kind, (enum num_format)how.to)) {
            continue;
        }
        size_t rows = 1 + (word >> 26) % 32;
        fill_dst(&dst, &state, rows * ROW);
        compare_pack(&how, &dst, rows);
        done++;
    }
}

/* --- Stochastic rounding --- */

/* Every set steps the generator as the reference does, once a datum. */
TEST(stochastic)
{
    static struct dst_data dst;
    uint64_t state = 5;
    fill_dst(&dst, &state, CHUNK);
    static uint8_t expected[CHUNK], got[CHUNK], expected_exponents[CHUNK_ROWS],
        got_exponents[CHUNK_ROWS];
    for (int i = 0; i < COUNT(set_names); i++) {
        const struct num_kernels *set = num_kernels_find(set_names[i]);
        uint32_t early = 1, late = 2, expected_early = 1, expected_late = 2;
        struct num_pack how = {.early = {.format = NUM_FORMAT_FLOAT16_B, .is_32bit = true},
                               .to = NUM_FORMAT_BFP8_B};
        how.early.generator = &expected_early;
        how.generator = &expected_late;
        num_kernels_reference.pack(&how, dst.high, dst.low, CHUNK_ROWS, expected,
                                   expected_exponents);
        ck_assert_uint_eq(expected_early, 1 + CHUNK * UINT32_C(0x9e3779b9));
        ck_assert_uint_eq(expected_late, 2 + CHUNK * UINT32_C(0x9e3779b9));
        how.early.generator = &early;
        how.generator = &late;
        if (set) {
            set->pack(&how, dst.high, dst.low, CHUNK_ROWS, got, got_exponents);
            expect_same(set->name, "stochastic", got, expected, CHUNK, 8);
            ck_assert_mem_eq(got_exponents, expected_exponents, CHUNK_ROWS);
            ck_assert_uint_eq(early, expected_early);
            ck_assert_uint_eq(late, expected_late);
        }
    }
}

static void expect_half(uint32_t got, uint32_t expected)
{
    if (got != expected) {
        ck_abort_msg("%#x, not %#x", got, expected);
    }
}

/* What lies k sixteenths above goes up about k times of 16; the neighbours are the only results. */
TEST(stochastic_share)
{
    enum { TRIES = 4096 };
    uint32_t generator = 3;
    struct num_pack_early early = {
        .format = NUM_FORMAT_FLOAT16_B, .is_32bit = true, .generator = &generator};
    for (uint32_t k = 0; k < 16; k++) {
        uint32_t stored = num_dst_from_fp32(0x3f800000 | k << 12);
        int up = 0;
        for (int i = 0; i < TRIES; i++) {
            uint32_t rounded = num_pack_early(&early, num_pack_early_kind(&early), stored);
            expect_half(rounded & ~UINT32_C(1), 0x3f80);
            up += (int)(rounded & 1);
        }
        int share = (int)k * TRIES / 16;
        ck_assert_int_le(abs(up - share), 5 * 32); /* five times the deviation */
    }
    /* Infinities and zeros stay; a datum that needs no rounding is drawn for as well. */
    static const uint32_t kept[] = {0, 0x7f800000, 0xff800000};
    for (int i = 0; i < COUNT(kept); i++) {
        for (int j = 0; j < TRIES; j++) {
            uint32_t zero_or_infinity = kept[i] >> 16;
            expect_half(
                num_pack_early(&early, num_pack_early_kind(&early), num_dst_from_fp32(kept[i])),
                zero_or_infinity);
        }
    }
    ck_assert_uint_eq(generator, 3 + 19 * TRIES * UINT32_C(0x9e3779b9));
}

/* A half goes up half of the times, also where a single bit goes; what needs no rounding all but
 * never. */
TEST(stochastic_blocks)
{
    enum { TRIES = 4096 };
    uint32_t generator = 8;
    uint16_t halves[ROW] = {0x3f80, 0x3f81, 0xbf81, 0x3f01, 0x3e83, 0x0000, 0x3f00};
    static const uint8_t least[ROW] = {0x40, 0x40, 0xc0, 0x20, 0x10, 0x00, 0x20};
    static const int percent[ROW] = {0, 50, 50, 25, 38, 0, 0};
    int up[ROW] = {0};
    for (int i = 0; i < TRIES; i++) {
        uint8_t exponent, datums[ROW];
        num_block_from_halves_stochastic(NUM_FORMAT_BFP8_B, halves, &exponent, datums, &generator);
        expect_half(exponent, 127);
        for (int j = 0; j < ROW; j++) {
            up[j] += datums[j] - least[j];
        }
    }
    for (int j = 0; j < ROW; j++) {
        ck_assert_int_le(abs(up[j] - percent[j] * TRIES / 100), percent[j] ? 5 * 32 : 4);
    }
    ck_assert_uint_eq(generator, 8 + ROW * TRIES * UINT32_C(0x9e3779b9));
}

/* --- L1 accumulation --- */

static void compare_accumulate(enum num_format format, const uint8_t *old, const uint8_t *data,
                               size_t rows)
{
    static uint8_t expected[PATTERNS * 4], storage[PATTERNS * 4 + 1];
    uint8_t *got = storage + 1;
    unsigned bits = num_format_info(format)->bits;
    size_t size = rows * ROW * bits / 8;
    memcpy(expected, old, size);
    num_kernels_reference.accumulate(format, data, rows, expected);
    for (int i = 0; i < COUNT(set_names); i++) {
        const struct num_kernels *set = num_kernels_find(set_names[i]);
        if (set) {
            memcpy(got, old, size);
            set->accumulate(format, data, rows, got);
            expect_same(set->name, num_format_info(format)->name, got, expected, size, bits);
        }
    }
}

/* Every pattern with some that matter. */
static void accumulate_halves(enum num_format format)
{
    static const uint16_t data[] = {0,      0x8000, 1,      0x0400, 0x0080, 0x3c00, 0x3f80,
                                    0xbf80, 0x7c00, 0x7bff, 0x7f80, 0xff80, 0x7f7f, 0x7fff,
                                    0xffff, 0x7f81, 0x0401, 0x8401, 0x00ff, 0x7f00};
    static uint16_t old[PATTERNS], datums[PATTERNS];
    for (uint32_t x = 0; x < PATTERNS; x++) {
        old[x] = (uint16_t)x;
    }
    for (int i = 0; i < COUNT(data); i++) {
        for (uint32_t x = 0; x < PATTERNS; x++) {
            datums[x] = data[i];
        }
        compare_accumulate(format, (uint8_t *)old, (uint8_t *)datums, PATTERNS / ROW);
        compare_accumulate(format, (uint8_t *)datums, (uint8_t *)old, PATTERNS / ROW);
    }
}

TEST_EACH(accumulate_all, 3)
{
    static const enum num_format format_of[] = {NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT16,
                                                NUM_FORMAT_FLOAT16_B};
    static uint32_t old[CHUNK], data[CHUNK];
    enum num_format format = format_of[_i];
    uint64_t state = 99;
    if (format != NUM_FORMAT_FLOAT32) {
        accumulate_halves(format);
    }
    for (int n = chunks(); n > 0; n--) {
        for (int i = 0; i < CHUNK; i++) {
            uint32_t around = random_xorshift(&state) % 30;
            around = around < 10 ? around : around < 20 ? 127 + around : 235 + around;
            uint32_t x = random_fp32(&state, around), y = random_fp32(&state, around);
            if (random_xorshift(&state) % 8 == 0) {
                y = x ^ UINT32_C(0x80000000) ^
                    random_xorshift(&state) % 4 << random_xorshift(&state) % 24;
            }
            if (format == NUM_FORMAT_FLOAT16_B) {
                /* Infinities and NaNs, for which vectors give up, in some rows only. */
                uint32_t mask = i / ROW % 4 ? 0xbfffbfff : UINT32_MAX;
                x = (x ^ x << 16) & mask;
                y = (y ^ y << 16) & mask;
            } else if (format == NUM_FORMAT_FLOAT16) {
                x = (uint32_t)random_fp16(&state, around) << 16 | random_fp16(&state, around);
                y = (uint32_t)random_fp16(&state, around) << 16 | random_fp16(&state, around);
            }
            old[i] = x;
            data[i] = y;
        }
        compare_accumulate(format, (uint8_t *)old, (uint8_t *)data, CHUNK_ROWS);
    }
}

/* --- Memory: no byte but those of the rows, and any address --- */

/* `size` bytes, unaligned as a rule, behind which lies a page that nobody may touch. */
static uint8_t *fenced(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole = (size + page - 1) / page * page;
    uint8_t *base =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(base, MAP_FAILED);
    ck_assert_int_eq(mprotect(base + whole, page, PROT_NONE), 0);
    memset(base, 0xa5, whole);
    return base + whole - size;
}

static void release(uint8_t *end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *base = end - (uintptr_t)end % page;
    ck_assert_int_eq(munmap(base, 2 * page), 0);
}

enum { FENCED_ROWS = 5, FENCED_BYTES = FENCED_ROWS * ROW * 4 + 1 };

/* Output begins a byte behind the beginning of what is fenced. */
static void check_before(const uint8_t *out)
{
    ck_assert_uint_eq(out[-1], 0xa5);
}

static void fence_unpack(const struct num_kernels *set, const struct num_unpack *how, size_t rows)
{
    const struct num_format_info *info = num_format_info(how->in);
    uint8_t *data = fenced(rows * ROW * info->bits / 8);
    uint8_t *exponents = fenced(rows);
    uint8_t *out = fenced(rows * ROW * 4);
    uint32_t expected[FENCED_ROWS * ROW];
    set->unpack(how, data, exponents, rows, (uint32_t *)(void *)out);
    check_before(out);
    num_kernels_reference.unpack(how, data, exponents, rows, expected);
    expect_same(set->name, info->name, out, expected, rows * ROW * 4, 32);
    release(data);
    release(exponents);
    release(out);
}

static void fence_pack(const struct num_kernels *set, struct num_pack *how, size_t rows)
{
    const struct num_format_info *info = num_format_info(how->to);
    uint8_t *high = fenced(rows * ROW * 2);
    uint8_t *low = fenced(rows * ROW * 2);
    uint8_t *exponents = fenced(rows);
    size_t size = rows * ROW * info->bits / 8;
    uint8_t *out = fenced(size);
    uint8_t expected[FENCED_ROWS * ROW * 4], expected_exponents[FENCED_ROWS];
    set->pack(how, (uint16_t *)(void *)high, (uint16_t *)(void *)low, rows, out, exponents);
    check_before(out);
    check_before(exponents);
    num_kernels_reference.pack(how, (uint16_t *)(void *)high, (uint16_t *)(void *)low, rows,
                               expected, expected_exponents);
    expect_same(set->name, info->name, out, expected, size, info->bits);
    release(high);
    release(low);
    release(exponents);
    release(out);
}

TEST(memory)
{
    for (int i = 0; i < COUNT(set_names); i++) {
        const struct num_kernels *set = num_kernels_find(set_names[i]);
        for (unsigned format = 0; set && format < NUM_FORMATS; format++) {
            if (!num_format_info(format)) {
                continue;
            }
            unsigned code = num_format_code((enum num_format)format);
            for (size_t rows = 1; rows <= FENCED_ROWS; rows++) {
                struct num_unpack unpack = {(uint8_t)format, (uint8_t)code, true};
                fence_unpack(set, &unpack, rows);
                bool is_integer = num_format_info(format)->exponent_bits == 0;
                struct num_pack pack = {
                    .early = {.format = (uint8_t)(is_integer ? code : NUM_FORMAT_FLOAT16_B),
                              .is_32bit = true},
                    .to = (uint8_t)format};
                fence_pack(set, &pack, rows);
            }
        }
    }
}

/* --- The host's floating-point modes --- */

#if NUM_HAS_X86_KERNELS
TEST(host_modes)
{
    /* Toward zero, flushing both ways; no exception is masked in the last. */
    static const unsigned modes[] = {0x1f80, 0xff80 | 0x40, 0x3fc0, 0x8040};
    static uint32_t old[CHUNK], data[CHUNK];
    static struct dst_data dst;
    unsigned usual = _mm_getcsr();
    uint64_t state = 12;
    for (int i = 0; i < CHUNK; i++) {
        old[i] = random_fp32(&state, 5);
        data[i] = random_fp32(&state, 5);
    }
    fill_dst(&dst, &state, CHUNK);
    for (int i = 0; i < COUNT(modes); i++) {
        _mm_setcsr(modes[i]);
        for (int format = 0; format < NUM_FORMAT_BFP8_B; format += NUM_FORMAT_FLOAT16_B) {
            compare_accumulate((enum num_format)format, (uint8_t *)old, (uint8_t *)data,
                               CHUNK_ROWS);
        }
        compare_accumulate(NUM_FORMAT_FLOAT16, (uint8_t *)old, (uint8_t *)data, CHUNK_ROWS);
        compare_unpack(&(struct num_unpack){NUM_FORMAT_BFP8_B, NUM_FORMAT_BFP8_B, false},
                       (uint8_t *)old, (uint8_t *)data, CHUNK_ROWS);
        struct num_pack how = {.early = {.format = NUM_FORMAT_FLOAT16_B}, .to = NUM_FORMAT_BFP8_B};
        compare_pack(&how, &dst, CHUNK_ROWS);
        unsigned now = _mm_getcsr();
        _mm_setcsr(usual);
        ck_assert_uint_eq(now & ~0x3fu, modes[i] & ~0x3fu); /* flags may be raised */
    }
}
#endif

/* --- The greatest half under a mask --- */

/* By hand: which halves count, from where on, and up to where. */
TEST(greatest_rules)
{
    uint16_t data[3 * ROW];
    for (int i = -1; i < COUNT(set_names); i++) {
        const struct num_kernels *set =
            i < 0 ? &num_kernels_reference : num_kernels_find(set_names[i]);
        for (int at = 0; set && at < COUNT(data); at++) {
            memset(data, 0, sizeof(data));
            data[at] = 0xffff;
            for (size_t rows = 0; rows <= 3; rows++) {
                bool counts = (size_t)at < rows * ROW;
                uint16_t expected = counts ? at % 2 ? 0x7f80 : 0x7c00 : 5;
                ck_assert_uint_eq(set->greatest((uint8_t *)data, rows, 0x7f807c00, 5), expected);
                ck_assert_uint_eq(set->greatest((uint8_t *)data, rows, 0x7f807c00, 0x7fff), 0x7fff);
            }
        }
    }
}

TEST(greatest_random)
{
    static const uint32_t masks[] = {0x7f800000, 0x7f807f80, 0x7c007c00, 0x00ff00ff, 0x7fff7fff};
    uint64_t state = 4711;
    uint8_t data[9 * 2 * ROW + 1];
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t mask = masks[n % COUNT(masks)], few = random_xorshift(&state);
        uint16_t floor =
            (uint16_t)(random_xorshift(&state) >> random_xorshift(&state) % 17 & 0x7fff & mask);
        size_t rows = random_xorshift(&state) % 10, odd = n / 2 % 2;
        for (size_t i = 0; i < sizeof(data); i++) {
            data[i] = (uint8_t)(random_xorshift(&state) & few);
        }
        uint16_t expected = num_kernels_reference.greatest(data + odd, rows, mask, floor);
        for (int i = 0; i < COUNT(set_names); i++) {
            const struct num_kernels *set = num_kernels_find(set_names[i]);
            if (set) {
                uint16_t got = set->greatest(data + odd, rows, mask, floor);
                ck_assert_msg(got == expected, "%s, mask %#x, %zu rows: %#x instead of %#x",
                              set->name, mask, rows, got, expected);
            }
        }
    }
}
