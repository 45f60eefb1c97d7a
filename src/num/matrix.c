/*
 * The arithmetic of the Matrix Unit; see the header.
 *
 * Inside, a struct term is value * 2^(exponent - 23) in the bias of the accumulator, so that a
 * normalised number has its leading one at bit 23. Values stay below 2^29, exponents between -300
 * and 700. The accumulator has FP32's bias, except that FP16 in a 16-bit Dst keeps its own.
 */
#include "num/matrix.h"

#include <assert.h>
#include <stddef.h>

#include "num/random.h"
#include "num/tensix_format.h"

enum {
    POINT = 23,         /* bits below the leading one of a term */
    PRODUCT_POINT = 10, /* of a product of slices */
    SRC_POINT = 10,     /* of a significand of Src */
    FURTHEST = 40,      /* shifting by more makes no difference to values below 2^29 */
};

struct term {
    int64_t value;
    int32_t exponent;
};

struct factor {
    bool is_negative;
    bool is_zero;
    int32_t exponent;
    int32_t significand; /* 11 bits */
};

/* --- Rounding shifts --- */

/* value / 2^by to nearest, ties away from zero. */
static int64_t divide_away(int64_t value, int32_t by)
{
    if (by <= 0) {
        return value;
    }
    int64_t half = INT64_C(1) << ((by < FURTHEST ? by : FURTHEST) - 1);
    int64_t magnitude = ((value < 0 ? -value : value) + half) / (2 * half);
    return value < 0 ? -magnitude : magnitude;
}

/* value / 2^by to nearest, ties upward. */
static int64_t divide_up(int64_t value, int32_t by)
{
    if (by <= 0) {
        return value;
    }
    int64_t half = INT64_C(1) << ((by < FURTHEST ? by : FURTHEST) - 1);
    return value < 0 ? -((-value + half - 1) / (2 * half)) : (value + half) / (2 * half);
}

static int32_t greater(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

/* --- Accumulating into Dst --- */

static bool has_wide_exponent(const struct num_matrix_mode *mode)
{
    return mode->a != NUM_MATRIX_FP16;
}

/* Dst as a pattern of FP32; FP16 with its exponent of 5 bits where FP32 has eight. */
static uint32_t read_dst(const struct num_matrix_mode *mode, uint32_t dst)
{
    if (mode->is_dst_32bit) {
        return num_fp32_from_dst(dst);
    }
    if (has_wide_exponent(mode)) {
        return (uint32_t)num_bf16_from_dst((uint16_t)dst) << 16;
    }
    uint32_t half = num_fp16_from_dst((uint16_t)dst);
    return (half & 0x8000) << 16 | (half & 0x7fff) << 13;
}

static struct term dst_term(const struct num_matrix_mode *mode, uint32_t dst)
{
    uint32_t pattern = read_dst(mode, dst);
    struct term term = {.exponent = (int32_t)(pattern >> POINT & 0xff)};
    if (term.exponent) {
        int64_t significand = (int64_t)(pattern & 0x7fffff) | INT64_C(1) << POINT;
        term.value = pattern >> 31 ? -significand : significand;
    }
    return term;
}

/* A sign, a biased exponent that may lie anywhere, and 24 significant bits as Dst stores them. */
static uint32_t write_dst(const struct num_matrix_mode *mode, bool is_negative, int32_t exponent,
                          uint32_t significand)
{
    if (exponent <= 0) {
        return 0;
    }
    uint32_t sign = is_negative ? UINT32_C(0x80000000) : 0;
    uint32_t fraction = significand & 0x7fffff;
    if (mode->is_dst_32bit || has_wide_exponent(mode)) {
        uint32_t pattern = sign | (exponent >= 255 ? UINT32_C(0x7f800000)
                                                   : (uint32_t)exponent << POINT | fraction);
        return mode->is_dst_32bit ? num_dst_from_fp32(pattern)
                                  : num_dst_from_bf16((uint16_t)(pattern >> 16));
    }
    uint32_t bits = exponent >= 32 ? 0x7fff : (uint32_t)exponent << 10 | fraction >> 13;
    return num_dst_from_fp16((uint16_t)(sign >> 16 | bits));
}

/* Significant bits of a result. */
static int32_t result_bits(const struct num_matrix_mode *mode)
{
    return mode->is_dst_32bit ? 24 : has_wide_exponent(mode) ? 8 : 11;
}

/* magnitude / 2^by; random bits, where there are any, stand in for the half. */
static int64_t divide_result(int64_t magnitude, int32_t by, const uint32_t *random)
{
    if (!random) {
        return divide_away(magnitude, by);
    }
    return (magnitude + (*random & ((INT64_C(1) << by) - 1))) >> by;
}

static uint32_t normalise(const struct num_matrix_mode *mode, struct term sum,
                          const uint32_t *random)
{
    if (sum.value == 0) {
        return 0;
    }
    bool is_negative = sum.value < 0;
    int64_t magnitude = is_negative ? -sum.value : sum.value;
    int32_t length = 64 - __builtin_clzll((unsigned long long)magnitude);
    int32_t bits = result_bits(mode);
    int32_t exponent = sum.exponent + length - (POINT + 1);
    magnitude = length > bits ? divide_result(magnitude, length - bits, random)
                              : magnitude << (bits - length);
    if (magnitude >> bits) {
        magnitude >>= 1;
        exponent++;
    }
    return write_dst(mode, is_negative, exponent, (uint32_t)magnitude << (POINT + 1 - bits));
}

/*
 * dst + first + second. All three go to the largest exponent, where Dst rounds ties away from zero
 * and sums round them upward; for a Dst of 16 bits each loses its 13 lowest bits in the same ways.
 */
static uint32_t accumulate_term(const struct num_matrix_mode *mode, struct term first,
                                struct term second, uint32_t dst)
{
    uint32_t random = mode->generator ? num_random_next(mode->generator) : 0;
    struct term old = dst_term(mode, dst);
    struct term sum = {.exponent = greater(greater(first.exponent, second.exponent), old.exponent)};
    if (sum.exponent <= 0) {
        return 0;
    }
    int64_t x = divide_up(first.value, sum.exponent - first.exponent);
    int64_t y = divide_up(second.value, sum.exponent - second.exponent);
    int64_t z = divide_away(old.value, sum.exponent - old.exponent);
    if (!mode->is_dst_32bit) {
        enum { DROPPED = 13 };
        x = divide_up(x, DROPPED) * (1 << DROPPED);
        y = divide_up(y, DROPPED) * (1 << DROPPED);
        z = divide_away(z, DROPPED) * (1 << DROPPED);
    }
    sum.value = x + y + z;
    return normalise(mode, sum, mode->generator ? &random : NULL);
}

/* --- Factors --- */

/* Fields beyond the style's are ignored; an exponent of 0 is a zero unless denormals are kept, and
 * then it is an exponent like any other. */
static struct factor read_src(enum num_matrix_style style, uint32_t src, bool keeps_denormals)
{
    uint32_t pattern = num_tf32_from_src(src);
    if (style == NUM_MATRIX_BF16) {
        pattern &= ~UINT32_C(7);
    }
    int32_t exponent = (int32_t)(pattern >> SRC_POINT & (style == NUM_MATRIX_FP16 ? 0x1f : 0xff));
    return (struct factor){
        .is_negative = pattern >> 18 & 1,
        .is_zero = !exponent && !keeps_denormals,
        .exponent = exponent,
        .significand = (int32_t)(pattern & 0x3ff) | 1 << SRC_POINT,
    };
}

/* What the multipliers take of SrcA: 5 bits, the upper ones or those below. */
static int32_t slice_a(const struct num_matrix_mode *mode, int32_t significand)
{
    return mode->fidelity & 1 ? significand >> 1 & 0x1f : significand >> 6;
}

/* And of SrcB: 7 bits; the four lowest go to the upper end. */
static int32_t slice_b(const struct num_matrix_mode *mode, int32_t significand)
{
    return mode->fidelity & 2 ? (significand & 0xf) << 3 : significand >> 4;
}

/* How much less the phase's lower slices are worth, in binades. */
static int32_t phase_weight(const struct num_matrix_mode *mode)
{
    return (mode->fidelity & 1 ? 5 : 0) + (mode->fidelity & 2 ? 7 : 0);
}

/* From the sum of two exponents of Src to the accumulator's. */
static int32_t product_bias(const struct num_matrix_mode *mode)
{
    int32_t bias = has_wide_exponent(mode) ? -127 : mode->is_dst_32bit ? 127 - 2 * 15 : -15;
    return bias - phase_weight(mode);
}

/* HW: zeros have an exponent as well, and others are aligned to it. */
static struct term zero_product(const struct num_matrix_mode *mode)
{
    return (struct term){.exponent = greater(product_bias(mode), 0)};
}

/* The product, its value in units of 2^-PRODUCT_POINT. */
static struct term product_of_factors(const struct num_matrix_mode *mode, struct factor a,
                                      struct factor b)
{
    if (a.is_zero || b.is_zero) {
        return zero_product(mode);
    }
    int32_t value = slice_a(mode, a.significand) * slice_b(mode, b.significand);
    return (struct term){
        .value = a.is_negative == b.is_negative ? value : -value,
        .exponent = a.exponent + b.exponent + product_bias(mode),
    };
}

static struct term widen_product(struct term product)
{
    product.value *= 1 << (POINT - PRODUCT_POINT);
    return product;
}

/* --- Integers --- */

/* Ten bits of magnitude; an exponent field of 0 says zero. */
static int32_t read_int8(uint32_t src, uint32_t magnitude_mask, bool keeps_denormals)
{
    int32_t magnitude = (int32_t)(src >> 8 & magnitude_mask);
    if (!(src & 0xff) && !keeps_denormals) {
        return 0;
    }
    return src >> 18 & 1 ? -magnitude : magnitude;
}

/* HW: SrcA does not know the magnitude's upper two bits, nor Zero_Flag_disabled_src. */
static int32_t multiply_int8(const struct num_matrix_mode *mode, uint32_t a, uint32_t b)
{
    return read_int8(a, mode->fidelity & 1 ? 0x01f : 0x0e0, false) *
           read_int8(b, mode->fidelity & 2 ? 0x00f : 0x3f0, mode->keeps_denormals);
}

static uint32_t accumulate_int32(int32_t sum, uint32_t dst)
{
    int64_t exact = (int64_t)sum + num_int32_from_sign_magnitude(num_fp32_from_dst(dst));
    int32_t saturated = exact > INT32_MAX    ? INT32_MAX
                        : exact < -INT32_MAX ? -INT32_MAX
                                             : (int32_t)exact;
    return num_dst_from_fp32(num_int32_to_sign_magnitude(saturated));
}

/* --- Instructions --- */

/* Eight products. HW: a group whose exponents are all below 1 is nothing at all. */
static struct term dot_half(const struct num_matrix_mode *mode, const uint32_t *a,
                            const uint32_t *b)
{
    struct term products[NUM_MATRIX_TERMS / 2];
    struct term sum = {0};
    for (unsigned i = 0; i < NUM_MATRIX_TERMS / 2; i++) {
        products[i] = product_of_factors(mode, read_src(mode->a, a[i], false),
                                         read_src(mode->b, b[i], false));
        sum.exponent = greater(sum.exponent, products[i].exponent);
    }
    if (sum.exponent == 0) {
        return sum;
    }
    for (unsigned i = 0; i < NUM_MATRIX_TERMS / 2; i++) {
        sum.value += divide_away(products[i].value, sum.exponent - products[i].exponent);
    }
    return widen_product(sum);
}

uint32_t num_matrix_dot(const struct num_matrix_mode *mode, const uint32_t a[NUM_MATRIX_TERMS],
                        const uint32_t b[NUM_MATRIX_TERMS], uint32_t dst)
{
    assert((mode->a == NUM_MATRIX_INT8) == (mode->b == NUM_MATRIX_INT8));
    if (mode->a == NUM_MATRIX_INT8) {
        int32_t sum = 0;
        for (unsigned i = 0; i < NUM_MATRIX_TERMS; i++) {
            sum += multiply_int8(mode, a[i], b[i]);
        }
        return accumulate_int32(sum, dst);
    }
    enum { HALF = NUM_MATRIX_TERMS / 2 };
    return accumulate_term(mode, dot_half(mode, a, b), dot_half(mode, a + HALF, b + HALF), dst);
}

uint32_t num_matrix_multiply(const struct num_matrix_mode *mode, uint32_t a, uint32_t b,
                             uint32_t dst)
{
    if (mode->a == NUM_MATRIX_INT8) {
        return accumulate_int32(multiply_int8(mode, a, b), dst);
    }
    struct term only = product_of_factors(mode, read_src(mode->a, a, false),
                                          read_src(mode->b, b, mode->keeps_denormals));
    if (only.exponent <= 0) {
        only = zero_product(mode);
    }
    return accumulate_term(mode, widen_product(only), (struct term){0}, dst);
}

static int64_t signed_significand(struct factor factor)
{
    int64_t value = factor.is_zero ? 0 : factor.significand;
    return factor.is_negative ? -value : value;
}

/* The sum in the bias of Src, its value in units of 2^-SRC_POINT: the smaller exponent is aligned,
 * ties away from zero. */
static struct term add_factors(struct factor a, struct factor b)
{
    int32_t exponent = greater(a.exponent, b.exponent);
    return (struct term){
        .value = divide_away(signed_significand(a), exponent - a.exponent) +
                 divide_away(signed_significand(b), exponent - b.exponent),
        .exponent = exponent,
    };
}

static uint32_t sum_of_factors(const struct num_matrix_mode *mode, struct factor a, struct factor b,
                               uint32_t dst)
{
    struct term sum = add_factors(a, b);
    if (mode->is_dst_32bit && !has_wide_exponent(mode)) {
        /* HW: 0, as the exponent of a product of zeros, is less than what rebiasing makes of 1. */
        sum.exponent = sum.exponent ? sum.exponent + (127 - 15) : 127 - 2 * 15;
    }
    sum.exponent = greater(sum.exponent - phase_weight(mode), 0);
    sum.value *= 1 << (POINT - SRC_POINT);
    return accumulate_term(mode, sum, (struct term){0}, dst);
}

static uint32_t add_signed(const struct num_matrix_mode *mode, uint32_t a, uint32_t b, uint32_t dst,
                           bool accumulates)
{
    if (!accumulates) {
        dst = 0;
    }
    if (mode->a == NUM_MATRIX_INT8) {
        int32_t sum = read_int8(a, 0x3ff, false) + read_int8(b, 0x3ff, mode->keeps_denormals);
        return accumulate_int32(sum, dst);
    }
    struct factor second = read_src(mode->b, b, mode->keeps_denormals);
    /* HW: of all that has an exponent of 0, +0 alone is a zero even where denormals are kept. */
    second.is_zero = second.is_zero || (!second.is_negative && !second.exponent &&
                                        second.significand == 1 << SRC_POINT);
    return sum_of_factors(mode, read_src(mode->a, a, false), second, dst);
}

uint32_t num_matrix_add(const struct num_matrix_mode *mode, uint32_t a, uint32_t b, uint32_t dst,
                        bool accumulates)
{
    return add_signed(mode, a, b, dst, accumulates);
}

uint32_t num_matrix_subtract(const struct num_matrix_mode *mode, uint32_t a, uint32_t b,
                             uint32_t dst, bool accumulates)
{
    enum { SRC_SIGN = 0x40000 };
    return add_signed(mode, a, b ^ SRC_SIGN, dst, accumulates);
}

/* --- GMPOOL --- */

/* How Dst is read and written. */
enum pool_dst { POOL_BF16, POOL_FP16, POOL_TF32, POOL_INT32 };

/* Exponents of 9 bits have Src's bias twice, or are more magnitude bits of integers. */
struct pool {
    bool is_negative;
    uint32_t exponent;
    uint32_t magnitude; /* or mantissa; 10 bits */
};

enum { POOL_EXPONENT = 0x1ff, POOL_MAGNITUDE = 0x3ff };

static enum pool_dst pool_dst(const struct num_matrix_mode *mode, bool has_index)
{
    if (mode->a == NUM_MATRIX_INT8 || (mode->a == NUM_MATRIX_TF32 && has_index)) {
        return POOL_INT32;
    }
    if (mode->is_dst_32bit && !has_index) {
        return POOL_TF32;
    }
    return mode->a == NUM_MATRIX_FP16 ? POOL_FP16 : POOL_BF16;
}

/* `upper` has a 16-bit Dst in its upper half. */
static struct pool read_pool(enum pool_dst as, uint32_t upper)
{
    struct pool pool = {.is_negative = upper >> 31};
    uint32_t pattern = num_fp32_from_dst(upper);
    switch (as) {
    case POOL_INT32:
        pool.magnitude = pattern & POOL_MAGNITUDE;
        pool.exponent = (upper >> 10 & 0x3f) | (upper >> 24 & 7) << 6; /* as the page has them */
        break;
    case POOL_FP16:
        pool.exponent = (upper >> 16 & 0x1f) + 15;
        pool.magnitude = upper >> 21 & POOL_MAGNITUDE;
        break;
    case POOL_BF16:
    case POOL_TF32:
        pool.exponent = (pattern >> 23 & 0xff) + 127;
        pool.magnitude = pattern >> 13 & (as == POOL_TF32 ? POOL_MAGNITUDE : POOL_MAGNITUDE - 7);
        break;
    }
    return pool;
}

/* A float under a scale loses it again, and may wrap around if the scale was not one. */
static uint32_t write_pool(enum pool_dst as, struct pool pool)
{
    uint32_t sign = pool.is_negative ? UINT32_C(0x80000000) : 0;
    switch (as) {
    case POOL_INT32:
        return sign | (pool.exponent & 7) << 10 | pool.magnitude;
    case POOL_FP16:
        return pool.exponent & 0x3f
                   ? sign | pool.magnitude << 21 | ((pool.exponent - 15) & 0x1f) << 16
                   : 0;
    default:
        if (!pool.exponent) {
            return 0;
        }
        if (as == POOL_BF16) {
            pool.magnitude &= ~UINT32_C(7);
        }
        return num_dst_from_fp32(sign | ((pool.exponent - 127) & 0xff) << 23 |
                                 pool.magnitude << 13);
    }
}

static struct pool scale_src(enum num_matrix_style style, uint32_t src, uint32_t scale)
{
    if (!(scale & 0xff)) {
        return (struct pool){true, POOL_EXPONENT, POOL_MAGNITUDE};
    }
    if (!(src & 0xff)) {
        return (struct pool){0};
    }
    struct pool pool = {.is_negative = src >> 18 & 1, .magnitude = src >> 8 & POOL_MAGNITUDE};
    uint32_t field = style == NUM_MATRIX_FP16 ? 0x1f : 0xff;
    if (style == NUM_MATRIX_BF16) {
        pool.magnitude &= ~UINT32_C(7);
    }
    pool.exponent = style == NUM_MATRIX_INT8 ? 0 : (src & field) + (scale & field);
    return pool;
}

static int32_t pool_order(struct pool pool)
{
    int32_t magnitude = (int32_t)(pool.exponent << 10 | pool.magnitude);
    return pool.is_negative ? -magnitude : magnitude;
}

uint32_t num_matrix_max(const struct num_matrix_mode *mode, const uint32_t a[NUM_MATRIX_TERMS],
                        const uint32_t scale[NUM_MATRIX_TERMS], uint32_t dst, bool has_index)
{
    static const uint8_t index_codes[] = {0, 3, 6, 1, 4, 7, 2, 5};
    enum { INDEXED = sizeof(index_codes) };
    uint32_t upper = mode->is_dst_32bit ? dst : dst << 16;
    enum pool_dst as = pool_dst(mode, has_index);
    struct pool greatest = read_pool(as, upper);
    uint32_t phase = (upper + 0x100) & 0xf00;
    uint32_t index = upper & 0xff;
    for (unsigned at = 0; at < NUM_MATRIX_TERMS; at++) {
        unsigned i = at < INDEXED ? at ^ 4 : at; /* the order matters to the index of equals */
        struct pool next = scale_src(mode->a, a[i], scale[i]);
        if (pool_order(next) >= pool_order(greatest)) {
            greatest = next;
            index = i < INDEXED ? ((phase >> 4) + index_codes[i]) & 0xff : index;
        }
    }
    uint32_t result = has_index && as == POOL_INT32 ? 0 : write_pool(as, greatest);
    result |= has_index ? phase | index : 0;
    return mode->is_dst_32bit ? result : result >> 16;
}
