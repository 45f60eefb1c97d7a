/*
 * num/matrix.h against a model of another make: exact numbers n * 2^e, rounded on named grids; with
 * properties that must hold whatever the rounding, and digests of what ttsim's arithmetic, which
 * its vendor calls bit-exact, gave for the same operands.
 */
#include <stdlib.h>

#include "num/matrix.h"
#include "num/tensix_format.h"
#include "unit/random.h"
#include "unit/sanitized.h"
#include "unit/test.h"

enum { TERMS = NUM_MATRIX_TERMS, CASES_A_MODE = SANITIZED ? 150 : 1500, DIGEST_CASES = 4000 };

/* --- Operands --- */

static uint32_t random_fraction(uint64_t *state, unsigned bits)
{
    uint32_t all = (UINT32_C(1) << bits) - 1;
    uint32_t word = random_xorshift(state);
    unsigned at = (word >> 8) % bits;
    switch (word & 7) {
    case 0:
        return 0;
    case 1:
        return all;
    case 2:
        return UINT32_C(1) << at;
    case 3:
        return all & ~(UINT32_C(1) << at);
    default:
        return random_xorshift(state) & all;
    }
}

/* Mostly within some binades of `near`; the extremes now and then. */
static uint32_t random_exponent(uint64_t *state, uint32_t near, uint32_t greatest)
{
    uint32_t word = random_xorshift(state);
    switch (word % 20) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return greatest;
    default:
        return (near + (word >> 8) % (word & 0x80 ? 7 : 30)) % (greatest + 1);
    }
}

static uint32_t random_src(uint64_t *state, enum num_matrix_style style, uint32_t near)
{
    uint32_t sign = random_xorshift(state) << 31 >> 13;
    if (style == NUM_MATRIX_FP16) {
        return num_src_from_tf32(sign | random_exponent(state, near, 31) << 10 |
                                 random_fraction(state, 10));
    }
    uint32_t mantissa =
        style == NUM_MATRIX_BF16 ? random_fraction(state, 7) << 3 : random_fraction(state, 10);
    return num_src_from_tf32(sign | random_exponent(state, near, 255) << 10 | mantissa);
}

static uint32_t random_dst(uint64_t *state, const struct num_matrix_mode *mode, uint32_t near)
{
    uint32_t sign = random_xorshift(state) << 31;
    if (mode->is_dst_32bit) {
        uint32_t up = mode->a == NUM_MATRIX_FP16 ? 127 - 15 : 0;
        return num_dst_from_fp32(sign | random_exponent(state, near + up, 255) << 23 |
                                 random_fraction(state, 23));
    }
    if (mode->a == NUM_MATRIX_FP16) {
        return num_dst_from_fp16((uint16_t)(sign >> 16 | random_exponent(state, near, 31) << 10 |
                                            random_fraction(state, 10)));
    }
    return num_dst_from_bf16((uint16_t)(sign >> 16 | random_exponent(state, near, 255) << 7 |
                                        random_fraction(state, 7)));
}

struct operands {
    uint32_t a[TERMS], b[TERMS], dst;
};

/* The factors' exponents lie around half of what Dst's are around. */
static struct operands random_operands(uint64_t *state, const struct num_matrix_mode *mode)
{
    struct operands operands;
    bool is_narrow = mode->a == NUM_MATRIX_FP16;
    uint32_t near = is_narrow ? random_xorshift(state) % 24 : 64 + random_xorshift(state) % 128;
    uint32_t near_b =
        is_narrow ? 8 + random_xorshift(state) % 12 : 100 + random_xorshift(state) % 40;
    for (unsigned i = 0; i < TERMS; i++) {
        bool repeats = i && random_xorshift(state) % 8 == 0;
        operands.a[i] = repeats ? operands.a[i - 1] ^ 0x40000 : random_src(state, mode->a, near);
        operands.b[i] = repeats ? operands.b[i - 1] : random_src(state, mode->b, near_b);
    }
    operands.dst = random_dst(state, mode, is_narrow ? (near + near_b) / 2 : near + near_b - 127);
    return operands;
}

static struct num_matrix_mode mode_of(int index)
{
    static const enum num_matrix_style styles[][2] = {
        {NUM_MATRIX_BF16, NUM_MATRIX_BF16},
        {NUM_MATRIX_FP16, NUM_MATRIX_FP16},
        {NUM_MATRIX_TF32, NUM_MATRIX_TF32},
        {NUM_MATRIX_BF16, NUM_MATRIX_TF32},
    };
    return (struct num_matrix_mode){
        .a = styles[index % 4][0],
        .b = styles[index % 4][1],
        .is_dst_32bit = index / 4 % 2,
        .fidelity = (uint8_t)(index / 8 % 4),
    };
}

enum { MODES = 32 };

/* --- The model --- */

struct exact { /* n * 2^e */
    int64_t n;
    int e;
};

enum ties { AWAY, UPWARD };

/* In units of 2^grid, to nearest. */
static int64_t on_grid(struct exact x, int grid, enum ties ties)
{
    int down = grid - x.e;
    if (x.n == 0 || down > 40) { /* n lies below 2^31 */
        return 0;
    }
    if (down <= 0) {
        ck_assert_int_ge(down, -30);
        return x.n * (INT64_C(1) << -down);
    }
    int64_t unit = INT64_C(1) << down;
    int64_t quotient = x.n / unit;
    int64_t rest = x.n % unit;
    if (rest < 0) {
        quotient--;
        rest += unit;
    }
    bool tie_goes_up = ties == UPWARD || x.n > 0;
    return quotient + (2 * rest > unit || (2 * rest == unit && tie_goes_up));
}

/* Exponents below are real ones, of the leading bit of a normalised number. */
struct model {
    const struct num_matrix_mode *mode;
    int bias, greatest; /* of the accumulator: the greatest biased exponent */
    int bits;
};

static struct model model_of(const struct num_matrix_mode *mode)
{
    bool is_narrow = mode->a == NUM_MATRIX_FP16 && !mode->is_dst_32bit;
    return (struct model){
        .mode = mode,
        .bias = is_narrow ? 15 : 127,
        .greatest = is_narrow ? 31 : 254,
        .bits = is_narrow            ? 11
                : mode->is_dst_32bit ? 24
                                     : 8,
    };
}

struct src {
    int sign, exponent; /* sign 0: a zero */
    int significand;
};

static struct src model_src(enum num_matrix_style style, uint32_t stored)
{
    int raw = (int)(stored & (style == NUM_MATRIX_FP16 ? 31 : 255));
    int mantissa = (int)(stored >> 8 & 0x3ff);
    if (style == NUM_MATRIX_BF16) {
        mantissa -= mantissa % 8;
    }
    return (struct src){
        .sign = raw == 0           ? 0
                : stored & 0x40000 ? -1
                                   : 1,
        .exponent = raw - (style == NUM_MATRIX_FP16 ? 15 : 127),
        .significand = 1024 + mantissa,
    };
}

struct aligned {
    struct exact value;
    int exponent;
};

static int weight_of(unsigned phase)
{
    return (phase & 1 ? 5 : 0) + (phase & 2 ? 7 : 0);
}

static struct aligned model_product(const struct model *model, struct src a, struct src b)
{
    unsigned phase = model->mode->fidelity;
    bool rebiases = model->mode->a == NUM_MATRIX_FP16 && model->mode->is_dst_32bit;
    if (!a.sign || !b.sign) {
        int lowest = rebiases ? -30 - weight_of(phase) : -model->bias;
        return (struct aligned){.exponent = lowest};
    }
    int upper_a = a.significand - a.significand % 64;
    int upper_b = b.significand - b.significand % 16;
    int used_a = phase & 1 ? (a.significand - upper_a) & ~1 : upper_a;
    int used_b = phase & 2 ? b.significand - upper_b : upper_b;
    return (struct aligned){
        .value = {a.sign * b.sign * used_a * used_b, a.exponent + b.exponent - 20},
        .exponent = a.exponent + b.exponent - weight_of(phase),
    };
}

static struct aligned model_dst(const struct model *model, uint32_t stored)
{
    uint32_t pattern;
    if (model->mode->is_dst_32bit) {
        pattern = num_fp32_from_dst(stored);
    } else if (model->bits == 8) {
        pattern = (uint32_t)num_bf16_from_dst((uint16_t)stored) << 16;
    } else {
        uint32_t half = num_fp16_from_dst((uint16_t)stored);
        pattern = half >> 15 << 31 | (half & 0x7fff) << 13;
    }
    int raw = (int)(pattern >> 23 & 255);
    struct aligned dst = {.exponent = raw - model->bias};
    if (raw) {
        int magnitude = (int)(pattern % (1 << 23)) + (1 << 23);
        dst.value = (struct exact){pattern >> 31 ? -magnitude : magnitude, dst.exponent - 23};
    }
    return dst;
}

static uint32_t model_encode(const struct model *model, struct exact x)
{
    if (x.n == 0) {
        return 0;
    }
    bool is_negative = x.n < 0;
    struct exact magnitude = {is_negative ? -x.n : x.n, x.e};
    int exponent = x.e - 1;
    for (int64_t left = magnitude.n; left; left >>= 1) {
        exponent++;
    }
    int64_t rounded = on_grid(magnitude, exponent - (model->bits - 1), AWAY);
    if (rounded == INT64_C(1) << model->bits) {
        rounded /= 2;
        exponent++;
    }
    int raw = exponent + model->bias;
    if (raw <= 0) {
        return 0;
    }
    uint32_t fraction = (uint32_t)(rounded - (INT64_C(1) << (model->bits - 1)));
    uint32_t rest = (uint32_t)raw << (model->bits - 1) | fraction;
    if (raw > model->greatest) {
        rest = model->bits == 11 ? 0x7fff : UINT32_C(255) << (model->bits - 1);
    }
    if (model->bits == 24) {
        return num_dst_from_fp32((is_negative ? UINT32_C(1) << 31 : 0) | rest);
    }
    uint16_t half = (uint16_t)((is_negative ? 0x8000 : 0) | rest);
    return model->bits == 8 ? num_dst_from_bf16(half) : num_dst_from_fp16(half);
}

static uint32_t model_accumulate(const struct model *model, const struct aligned *sums, int count,
                                 uint32_t stored)
{
    struct aligned dst = model_dst(model, stored);
    int exponent = dst.exponent;
    for (int i = 0; i < count; i++) {
        exponent = sums[i].exponent > exponent ? sums[i].exponent : exponent;
    }
    if (exponent + model->bias <= 0) {
        return 0;
    }
    int fine = exponent - 23;
    int coarse = model->mode->is_dst_32bit ? fine : exponent - 10;
    struct exact total = {0, coarse};
    for (int i = 0; i < count; i++) {
        struct exact once = {on_grid(sums[i].value, fine, UPWARD), fine};
        total.n += on_grid(once, coarse, UPWARD);
    }
    struct exact once = {on_grid(dst.value, fine, AWAY), fine};
    total.n += on_grid(once, coarse, AWAY);
    return model_encode(model, total);
}

static struct aligned model_group(const struct model *model, const struct operands *operands,
                                  unsigned first)
{
    struct aligned products[8];
    int exponent = -1000;
    for (unsigned i = 0; i < 8; i++) {
        products[i] = model_product(model, model_src(model->mode->a, operands->a[first + i]),
                                    model_src(model->mode->b, operands->b[first + i]));
        exponent = products[i].exponent > exponent ? products[i].exponent : exponent;
    }
    struct aligned group = {.value = {0, exponent - 10}, .exponent = exponent};
    if (exponent + model->bias <= 0) {
        return (struct aligned){.exponent = -model->bias};
    }
    for (unsigned i = 0; i < 8; i++) {
        group.value.n += on_grid(products[i].value, exponent - 10, AWAY);
    }
    return group;
}

static uint32_t model_dot(const struct num_matrix_mode *mode, const struct operands *operands)
{
    struct model model = model_of(mode);
    struct aligned groups[] = {
        model_group(&model, operands, 0),
        model_group(&model, operands, 8),
    };
    return model_accumulate(&model, groups, 2, operands->dst);
}

static uint32_t model_multiply(const struct num_matrix_mode *mode, uint32_t a, uint32_t b,
                               uint32_t dst)
{
    struct model model = model_of(mode);
    struct aligned product = model_product(&model, model_src(mode->a, a), model_src(mode->b, b));
    if (product.exponent + model.bias <= 0) {
        product = model_product(&model, (struct src){0}, (struct src){0});
    }
    return model_accumulate(&model, &product, 1, dst);
}

static struct exact model_summand(struct src src)
{
    return (struct exact){src.sign * src.significand, src.exponent - 10};
}

/* A zero's exponent is that of raw 0, below all others, unless FP16 goes to FP32. */
static uint32_t model_add(const struct num_matrix_mode *mode, uint32_t a, uint32_t b, uint32_t dst)
{
    struct model model = model_of(mode);
    struct src x = model_src(mode->a, a);
    struct src y = model_src(mode->b, b);
    int exponent = !x.sign || (y.sign && y.exponent > x.exponent) ? y.exponent : x.exponent;
    struct aligned sum = {.value = {0, exponent - 10}, .exponent = exponent};
    if (!x.sign && !y.sign) {
        bool rebiases = mode->a == NUM_MATRIX_FP16 && mode->is_dst_32bit;
        sum.exponent = rebiases ? -30 : -model.bias;
    } else {
        sum.value.n = on_grid(model_summand(x), exponent - 10, AWAY) +
                      on_grid(model_summand(y), exponent - 10, AWAY);
    }
    return model_accumulate(&model, &sum, 1, dst);
}

static void check_same(const char *what, int mode, uint32_t got, uint32_t expected)
{
    if (got != expected) {
        ck_abort_msg("%s in mode %d is %#x, not %#x", what, mode, got, expected);
    }
}

TEST_EACH(against_model, MODES)
{
    struct num_matrix_mode mode = mode_of(_i);
    uint64_t state = UINT64_C(0x1234567) + (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < CASES_A_MODE; i++) {
        struct operands operands = random_operands(&state, &mode);
        uint32_t dot = num_matrix_dot(&mode, operands.a, operands.b, operands.dst);
        check_same("dot", _i, dot, model_dot(&mode, &operands));
        if (mode.is_dst_32bit) {
            operands.dst = dot ^ UINT32_C(0x80000000); /* cancels, or nearly so */
            dot = num_matrix_dot(&mode, operands.a, operands.b, operands.dst);
            check_same("cancelling dot", _i, dot, model_dot(&mode, &operands));
        }
        struct num_matrix_mode first = mode;
        first.fidelity = 0;
        for (int k = 0; k < 4; k++) {
            uint32_t a = operands.a[k];
            uint32_t b = operands.b[k];
            uint32_t dst = operands.dst;
            check_same("product", _i, num_matrix_multiply(&mode, a, b, dst),
                       model_multiply(&mode, a, b, dst));
            check_same("accumulated sum", _i, num_matrix_add(&first, a, b, dst, true),
                       model_add(&first, a, b, dst));
            check_same("sum", _i, num_matrix_add(&first, a, b, dst, false),
                       model_add(&first, a, b, 0));
            check_same("difference", _i, num_matrix_subtract(&first, a, b, dst, true),
                       model_add(&first, a, b ^ 0x40000, dst));
        }
    }
}

/* --- Results of ttsim --- */

static uint32_t digest(uint32_t hash, uint32_t word)
{
    return (hash ^ word) * UINT32_C(16777619) ^ hash >> 15;
}

/* Over DIGEST_CASES operands of mode i, seeded by it: dots, products, sums. */
static const uint32_t digests[MODES][3] = {
    {0xb3e060cb, 0x030cd9b6, 0x2c6d2d45}, {0xa9ba0183, 0x931d1f66, 0xd1aaecd0},
    {0xdf7b85ce, 0x020f3223, 0xbb5644a5}, {0x7781054d, 0xb42f4e1a, 0x783d0e4f},
    {0x3306633a, 0x69f4dccc, 0x82da6872}, {0xc76a2bd5, 0x12d64a95, 0x5614225a},
    {0x5c760ea1, 0x554f3cb5, 0x68ff0a57}, {0xac947c1d, 0xa19fdda6, 0xd58abb25},
    {0x3dc8e094, 0xad0471a1, 0xbf3dad8d}, {0x81a4a763, 0x8e7aa5cc, 0x419debcc},
    {0x055b5d11, 0x64887433, 0xa5a0a9da}, {0xe23176e2, 0xde11759d, 0xd3533b53},
    {0x77ccd849, 0x4dba56f9, 0x399a9898}, {0xe99e2eac, 0x677139db, 0x16880371},
    {0xa2a444f3, 0xf4051731, 0x231f02ce}, {0xcac7ef01, 0x04a8a430, 0x04990948},
    {0xd9d11f03, 0x998631ef, 0x7fd29677}, {0xaa861a9c, 0xb23c7498, 0x9cc620e2},
    {0xf8c76c52, 0x3594b74f, 0xd62b7ce8}, {0xf598018f, 0x9fdad66b, 0x94c7bc1b},
    {0x71bfb532, 0x06ec5c68, 0x59827b37}, {0x916f5abf, 0xbd4f409d, 0x7f170a7e},
    {0xceadfaee, 0xf9d9930b, 0x020919ac}, {0xa30d01d6, 0x02700bdd, 0x5d3b01fc},
    {0x62dc2360, 0x8e7f4b29, 0x099edbf2}, {0xab3ec114, 0x3b2c1653, 0x9ed11b03},
    {0x213714bf, 0xffe79dca, 0xe8e4200a}, {0x79458c95, 0xf199b7ad, 0xebb5891f},
    {0x9c83054f, 0x5fb4f96f, 0xfe3ff723}, {0x1e348807, 0xbac61019, 0xfbaa6be7},
    {0xe22a5e87, 0xcda271e2, 0xdccbbb9c}, {0x9f542354, 0xbcf29c7e, 0x055cde19},
};

TEST_EACH(against_digests, MODES)
{
    struct num_matrix_mode mode = mode_of(_i);
    uint64_t state = UINT64_C(0xabcdef) + (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t hashes[3] = {1, 1, 1};
    for (int i = 0; i < DIGEST_CASES; i++) {
        struct operands operands = random_operands(&state, &mode);
        struct num_matrix_mode first = mode;
        first.fidelity = 0;
        uint32_t a = operands.a[0];
        uint32_t b = operands.b[0];
        uint32_t dot = num_matrix_dot(&mode, operands.a, operands.b, operands.dst);
        hashes[0] = digest(hashes[0], dot);
        hashes[1] = digest(hashes[1], num_matrix_multiply(&mode, a, b, operands.dst));
        hashes[2] = digest(hashes[2], num_matrix_add(&first, a, b, operands.dst, i % 2));
    }
    for (int k = 0; k < 3; k++) {
        ck_assert_msg(hashes[k] == digests[_i][k], "mode %d, operation %d: digest %#x", _i, k,
                      hashes[k]);
    }
}

/* --- What holds whatever is rounded --- */

static uint32_t bf16_src(int value)
{
    ck_assert_int_lt(abs(value), 256);
    uint32_t magnitude = (uint32_t)abs(value);
    if (!magnitude) {
        return 0;
    }
    int top = 31 - __builtin_clz(magnitude);
    uint32_t fraction = magnitude << (7 - top) & 0x7f;
    return num_src_from_bf16(
        (uint16_t)((value < 0 ? 0x8000 : 0) | (uint32_t)(127 + top) << 7 | fraction));
}

static float float_of(uint32_t stored)
{
    union {
        uint32_t bits;
        float value;
    } both = {num_fp32_from_dst(stored)};
    return both.value;
}

/* Four phases over integers of eight bits that BF16 holds add up to the exact dot product. */
TEST(phases_add_up)
{
    uint64_t state = 42;
    for (int i = 0; i < 2000; i++) {
        uint32_t a[TERMS], b[TERMS];
        int exact = 0;
        for (int k = 0; k < TERMS; k++) {
            int x = 128 + (int)(random_xorshift(&state) & 127);
            int y = (int)(random_xorshift(&state) & 1 ? 128 : -256) +
                    (int)(random_xorshift(&state) & 127);
            y = y < -255 ? -255 : y;
            a[k] = bf16_src(x);
            b[k] = bf16_src(y);
            exact += x * y;
        }
        uint32_t dst = 0;
        for (uint8_t phase = 0; phase < 4; phase++) {
            struct num_matrix_mode mode = {.is_dst_32bit = true, .fidelity = phase};
            dst = num_matrix_dot(&mode, a, b, dst);
        }
        ck_assert_msg(float_of(dst) == (float)exact, "%g, not %d", (double)float_of(dst), exact);
    }
}

/* A product or a sum with nothing else is exact in FP32. */
TEST(exact_where_nothing_is_lost)
{
    struct num_matrix_mode mode = {.is_dst_32bit = true};
    for (int x = -255; x < 256; x++) {
        for (int y = -255; y < 256; y += 7) {
            float sum = float_of(num_matrix_add(&mode, bf16_src(x), bf16_src(y), 0, true));
            float difference = float_of(num_matrix_subtract(&mode, bf16_src(x), bf16_src(y), 0, 0));
            ck_assert(sum == (float)(x + y) && difference == (float)(x - y));
            uint32_t dst = 0;
            for (uint8_t phase = 0; phase < 4; phase++) {
                mode.fidelity = phase;
                dst = num_matrix_multiply(&mode, bf16_src(x), bf16_src(y), dst);
            }
            mode.fidelity = 0;
            ck_assert(float_of(dst) == (float)(x * y));
        }
    }
}

/* Too much, too little, and what looks like NaN. */
TEST(special_values)
{
    uint32_t one = bf16_src(1);
    uint32_t huge = num_src_from_bf16(0x7f7f);
    uint32_t infinity = num_src_from_bf16(0x7f80);
    uint32_t tiny = num_src_from_bf16(0x0080);
    uint32_t denormal = num_src_from_bf16(0x007f);
    struct num_matrix_mode wide = {.is_dst_32bit = true};
    struct num_matrix_mode bf16 = {.is_dst_32bit = false};
    struct num_matrix_mode fp16 = {.a = NUM_MATRIX_FP16, .b = NUM_MATRIX_FP16};
    uint32_t inf32 = num_dst_from_fp32(0x7f800000);
    ck_assert_uint_eq(num_matrix_multiply(&wide, huge, huge, 0), inf32);
    ck_assert_uint_eq(num_matrix_multiply(&wide, huge, huge ^ 0x40000, 0), inf32 | UINT32_C(1)
                                                                                       << 31);
    ck_assert_uint_eq(num_matrix_multiply(&bf16, huge, huge, 0), num_dst_from_bf16(0x7f80));
    ck_assert_uint_eq(num_matrix_multiply(&wide, infinity, one, 0), inf32);
    ck_assert_uint_eq(num_matrix_multiply(&wide, tiny, tiny, 0), 0);
    ck_assert_uint_eq(num_matrix_multiply(&wide, denormal, one, 0), 0);
    ck_assert_uint_eq(num_matrix_add(&wide, denormal, denormal, 0, false), 0);
    /* Infinities cancel like numbers; -0 in Dst does not survive. */
    ck_assert_uint_eq(num_matrix_subtract(&wide, infinity, infinity, 0, false), 0);
    ck_assert_uint_eq(num_matrix_add(&wide, 0, 0, UINT32_C(1) << 31, true), 0);
    uint32_t half_max = num_src_from_fp16(0x7bff);
    ck_assert_uint_eq(num_matrix_multiply(&fp16, half_max, half_max, 0), num_dst_from_fp16(0x7fff));
    /* 1 and 2^-8: kept in FP32, a tie in BF16 that goes away from zero; 2^-12 is aligned away. */
    uint32_t dst = num_dst_from_fp32(0x3f800000);
    uint32_t small = num_src_from_bf16((127 - 8) << 7);
    ck_assert_uint_eq(num_matrix_multiply(&wide, one, small, dst), num_dst_from_fp32(0x3f808000));
    dst = num_dst_from_bf16(0x3f80);
    ck_assert_uint_eq(num_matrix_multiply(&bf16, one, small, dst), num_dst_from_bf16(0x3f81));
    ck_assert_uint_eq(num_matrix_multiply(&bf16, one, num_src_from_bf16((127 - 12) << 7), dst),
                      dst);
    /* Phases divide sums as well. */
    struct num_matrix_mode last = {.is_dst_32bit = true, .fidelity = 3};
    ck_assert_uint_eq(num_matrix_add(&last, one, one, 0, false), num_dst_from_fp32(0x3a000000));
    /* Kept denormals count as 2^-127 and up, but only of SrcB. */
    struct num_matrix_mode keeps = {.is_dst_32bit = true, .keeps_denormals = true};
    uint32_t two = num_src_from_bf16(0x4000);
    ck_assert_uint_eq(num_matrix_multiply(&keeps, two, num_src_from_bf16(0x0040), 0),
                      num_dst_from_fp32(0x00c00000));
    ck_assert_uint_eq(num_matrix_multiply(&keeps, num_src_from_bf16(0x0040), two, 0), 0);
}

TEST_EACH(styles, 16)
{
    static const enum num_matrix_style expected[16] = {
        [NUM_FORMAT_FLOAT16] = NUM_MATRIX_FP16, [NUM_FORMAT_LF8] = NUM_MATRIX_FP16,
        [NUM_FORMAT_BFP8] = NUM_MATRIX_FP16,    [NUM_FORMAT_BFP4] = NUM_MATRIX_FP16,
        [NUM_FORMAT_BFP2] = NUM_MATRIX_FP16,    [NUM_FORMAT_INT8] = NUM_MATRIX_FP16,
        [NUM_FORMAT_TF32] = NUM_MATRIX_TF32, /* all others BF16 */
    };
    ck_assert_int_eq(num_matrix_style_of((unsigned)_i), expected[_i]);
}

/* --- Integers --- */

static uint32_t int8_src(int value)
{
    uint32_t magnitude = (uint32_t)abs(value);
    return (value < 0 ? 0x40000 : 0) | magnitude << 8 | (value ? 16 : 0);
}

static uint32_t int32_dst(int64_t value)
{
    uint32_t magnitude = (uint32_t)(value < 0 ? -value : value);
    return num_dst_from_fp32((value < 0 ? UINT32_C(1) << 31 : 0) | magnitude);
}

static int64_t saturate(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < -INT32_MAX ? -INT32_MAX : value;
}

TEST(integers)
{
    struct num_matrix_mode mode = {
        .a = NUM_MATRIX_INT8, .b = NUM_MATRIX_INT8, .is_dst_32bit = true};
    uint64_t state = 7;
    for (int i = 0; i < 5000; i++) {
        uint32_t a[TERMS], b[TERMS];
        int64_t exact = 0;
        int x = 0;
        int y = 0;
        for (int k = 0; k < TERMS; k++) {
            x = (int)(random_xorshift(&state) % 511) - 255;
            y = (int)(random_xorshift(&state) % 2047) - 1023;
            a[k] = int8_src(x);
            b[k] = int8_src(y);
            exact += x * y;
        }
        int64_t old = (int32_t)random_xorshift(&state);
        old = saturate(i % 3 ? old : (old < 0 ? -INT32_MAX : INT32_MAX) - old % 9);
        /* Phases saturate one by one; far from the limits that is the same as at the end. */
        int64_t start = i % 2 ? old : old % 1000000;
        uint32_t dst = int32_dst(start);
        int64_t expected = start;
        for (unsigned phase = 0; phase < 4; phase++) {
            mode.fidelity = (uint8_t)phase;
            int64_t part = 0;
            for (int k = 0; k < TERMS; k++) {
                int mask_a = phase & 1 ? 31 : 255 - 31;
                int mask_b = phase & 2 ? 15 : 1023 - 15;
                int magnitude_a = (int)(a[k] >> 8 & 1023) & mask_a;
                int magnitude_b = (int)(b[k] >> 8 & 1023) & mask_b;
                part += ((a[k] ^ b[k]) & 0x40000 ? -1 : 1) * magnitude_a * magnitude_b;
            }
            expected = saturate(expected + part);
            dst = num_matrix_dot(&mode, a, b, dst);
            ck_assert_uint_eq(dst, int32_dst(expected));
        }
        if (i % 2 == 0) {
            ck_assert_int_eq(expected, start + exact);
        }
        mode.fidelity = 0;
        ck_assert_uint_eq(num_matrix_add(&mode, int8_src(x), int8_src(y), int32_dst(old), true),
                          int32_dst(saturate(old + x + y)));
        ck_assert_uint_eq(num_matrix_subtract(&mode, int8_src(x), int8_src(y), dst, false),
                          int32_dst(x - y));
    }
    /* A magnitude below an exponent of 0 is a zero; SrcB can be told otherwise. */
    mode.fidelity = 3;
    ck_assert_uint_eq(num_matrix_multiply(&mode, int8_src(3), 5 << 8, 0), 0);
    mode.keeps_denormals = true;
    ck_assert_uint_eq(num_matrix_multiply(&mode, int8_src(3), 5 << 8, 0), int32_dst(15));
    ck_assert_uint_eq(num_matrix_multiply(&mode, 3 << 8, int8_src(5), 0), 0);
}

/* --- Pools --- */

static void fill(uint32_t row[TERMS], uint32_t value)
{
    for (int i = 0; i < TERMS; i++) {
        row[i] = value;
    }
}

TEST_EACH(greatest, 2)
{
    struct num_matrix_mode mode = {.is_dst_32bit = _i};
    uint32_t scale[TERMS];
    fill(scale, bf16_src(1));
    uint64_t state = 11;
    for (int i = 0; i < 3000; i++) {
        uint32_t a[TERMS];
        int expected = (int)(random_xorshift(&state) % 511) - 255;
        uint32_t dst = num_dst_from_fp32(num_tf32_from_src(bf16_src(expected)) << 13);
        for (int k = 0; k < TERMS; k++) {
            int value = (int)(random_xorshift(&state) % 511) - 255;
            a[k] = bf16_src(value);
            expected = value > expected ? value : expected;
        }
        dst = mode.is_dst_32bit ? dst : dst >> 16;
        uint32_t result = num_matrix_max(&mode, a, scale, dst, false);
        ck_assert(float_of(mode.is_dst_32bit ? result : result << 16) == (float)expected);
        /* A cleared row loses against all. */
        fill(a, num_src_from_bf16(0xff7f));
        result = num_matrix_max(&mode, a, scale, mode.is_dst_32bit ? UINT32_MAX : 0xffff, false);
        uint32_t least = num_dst_from_fp32(UINT32_C(0xff7f0000));
        ck_assert_uint_eq(result, mode.is_dst_32bit ? least : least >> 16);
    }
}

TEST_EACH(greatest_index, TERMS)
{
    static const uint32_t codes[] = {0, 3, 6, 1, 4, 7, 2, 5};
    struct num_matrix_mode mode = {.is_dst_32bit = true};
    uint32_t a[TERMS], scale[TERMS];
    fill(scale, bf16_src(1));
    fill(a, bf16_src(1));
    a[_i] = bf16_src(2);
    uint32_t two = num_dst_from_fp32(0x40000000);
    uint32_t result = num_matrix_max(&mode, a, scale, UINT32_MAX, true);
    /* Rows 8 to 15 have no index of their own: the last of the first eight equals has it, row 3. */
    uint32_t index = codes[_i < 8 ? _i : 3];
    ck_assert_uint_eq(result, two | index);
    /* The next call is of the next phase, and equals go to the newcomer. */
    result = num_matrix_max(&mode, a, scale, result, true);
    ck_assert_uint_eq(result, two | 0x100 | (_i < 8 ? 0x10 + index : index));
    mode.a = NUM_MATRIX_TF32;
    mode.b = NUM_MATRIX_TF32;
    ck_assert_uint_eq(num_matrix_max(&mode, a, scale, 0, true) >> 16, 0);
}

TEST(greatest_scaled)
{
    struct num_matrix_mode mode = {0};
    uint32_t a[TERMS], scale[TERMS];
    fill(scale, bf16_src(1));
    fill(a, bf16_src(-3));
    a[5] = bf16_src(1);
    scale[5] = bf16_src(4 + 3); /* its exponent counts: times four */
    ck_assert_uint_eq(num_matrix_max(&mode, a, scale, 0xffff, false), num_dst_from_bf16(0x4080));
    scale[5] = 0; /* out of the contest */
    ck_assert_uint_eq(num_matrix_max(&mode, a, scale, 0xffff, false), num_dst_from_bf16(0xc040));
    mode = (struct num_matrix_mode){.a = NUM_MATRIX_FP16, .b = NUM_MATRIX_FP16};
    fill(scale, num_src_from_fp16(0x3c00));
    fill(a, num_src_from_fp16(0xc400));
    a[9] = num_src_from_fp16(0x4240);
    ck_assert_uint_eq(num_matrix_max(&mode, a, scale, 0xffff, false), num_dst_from_fp16(0x4240));
    ck_assert_uint_eq(num_matrix_max(&mode, a, scale, num_dst_from_fp16(0x4241), false),
                      num_dst_from_fp16(0x4241));
    mode =
        (struct num_matrix_mode){.a = NUM_MATRIX_INT8, .b = NUM_MATRIX_INT8, .is_dst_32bit = true};
    fill(a, int8_src(-100));
    a[2] = int8_src(77);
    ck_assert_uint_eq(num_matrix_max(&mode, a, scale, int32_dst(-5), false), 77);
}
