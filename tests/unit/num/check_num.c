/*
 * src/num against references of another make: the multiply-add against big fixed-point integers,
 * the rest against the host's floats and doubles, which hold every value exactly. 16-bit formats
 * are tested exhaustively where a function has one operand.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/fp16.h"
#include "num/fp32.h"
#include "unit/random.h"
#include "unit/test.h"

enum { CHUNKS = 16, CASES_A_CHUNK = 20000 };

/* As ck_assert_uint_eq, which costs a system call even where all is well. */
#define SAME(got, expected) check_same(#got, got, expected)

static void check_same(const char *what, uint32_t got, uint32_t expected)
{
    if (got != expected) {
        ck_abort_msg("%s is %#x, not %#x", what, got, expected);
    }
}

/* --- Random operands near everything that matters --- */

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
    case 4:
        return all << at & all;
    case 5:
        return all >> at;
    default:
        return random_xorshift(state) & all;
    }
}

static uint32_t make_fp32(uint64_t *state, int32_t exponent)
{
    uint32_t clamped = exponent < 0 ? 0 : exponent > 255 ? 255 : (uint32_t)exponent;
    return (random_xorshift(state) & NUM_FP32_SIGN) | clamped << 23 | random_fraction(state, 23);
}

struct triple {
    uint32_t x, y, z;
};

/* Three operands whose product and addend are often near each other and near the limits. */
static struct triple random_triple(uint64_t *state)
{
    uint32_t word = random_xorshift(state);
    int32_t x = word >> 8 & 255;
    int32_t near = (int32_t)(word >> 16 & 7) - 4;
    int32_t y = word & 1 ? 127 - x + near : word & 2 ? 381 - x + near : (int32_t)(word >> 24);
    int32_t z = word & 4 ? x + y - 127 + (int32_t)(word >> 19 & 63) - 32
                         : (int32_t)(random_xorshift(state) & 255);
    struct triple t = {make_fp32(state, x), make_fp32(state, y), make_fp32(state, z)};
    if ((word >> 3 & 15) == 0) { /* nearly cancel */
        t.z = (num_fp32_fma(t.x, t.y, 0) ^ NUM_FP32_SIGN) + (random_xorshift(state) & 15) - 8;
    }
    return t;
}

/* --- The multiply-add on big integers --- */

/* Fixed point: bit 0 weighs 2^-BIG_BELOW. */
enum { BIG_WORDS = 11, BIG_BELOW = 180 };

struct big {
    uint32_t word[BIG_WORDS];
};

static bool big_bit(const struct big *big, int at)
{
    return at >= 0 && big->word[at / 32] >> (at % 32) & 1;
}

static int big_top(const struct big *big)
{
    int at = BIG_WORDS * 32 - 1;
    while (at >= 0 && !big_bit(big, at)) {
        at--;
    }
    return at;
}

static bool big_has_below(const struct big *big, int at)
{
    for (int i = 0; i < at; i++) {
        if (big_bit(big, i)) {
            return true;
        }
    }
    return false;
}

static struct big big_make(uint64_t value, int at)
{
    struct big big = {{0}};
    for (int i = 0; i < 64; i++) {
        if (value >> i & 1) {
            big.word[(at + i) / 32] |= UINT32_C(1) << ((at + i) % 32);
        }
    }
    return big;
}

static struct big big_add(const struct big *a, const struct big *b, bool subtract)
{
    struct big sum;
    uint64_t carry = subtract;
    for (int i = 0; i < BIG_WORDS; i++) {
        carry += (uint64_t)a->word[i] + (subtract ? ~b->word[i] : b->word[i]);
        sum.word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return sum;
}

static bool big_less(const struct big *a, const struct big *b)
{
    struct big difference = big_add(a, b, true);
    return difference.word[BIG_WORDS - 1] >> 31;
}

/* Rounds to odd at bit `at`: what was below survives as that bit. */
static void big_chop(struct big *big, int at)
{
    if (big_has_below(big, at)) {
        big->word[at / 32] |= UINT32_C(1) << (at % 32);
    }
    for (int i = 0; i < at; i++) {
        big->word[i / 32] &= ~(UINT32_C(1) << (i % 32));
    }
}

/* The `bits` bits from the top one down, to nearest even or cut off; may carry to one bit more. */
static uint32_t big_round(const struct big *big, int bits, bool truncates)
{
    int low = big_top(big) - bits + 1;
    uint32_t kept = 0;
    for (int i = 0; i < bits; i++) {
        kept |= (uint32_t)big_bit(big, low + i) << i;
    }
    bool half = big_bit(big, low - 1);
    bool more = big_has_below(big, low - 1);
    return kept + (!truncates && half && (more || kept & 1));
}

/* A target format. quirk, of FP32: below the smallest normal one bit less is kept, however far
 * below, and a summand that alignment shifts out altogether is gone. */
struct format {
    int fraction, least_exponent, most_exponent;
    bool truncates, quirk;
};

static const struct format fp32 = {23, -126, 127, false, true};

/* Where what is too large ends. */
static uint32_t overflow_of(const struct format *format)
{
    uint32_t infinity = (uint32_t)(format->most_exponent - format->least_exponent + 2)
                        << format->fraction;
    return format->truncates ? infinity - 1 : infinity;
}

/* The result's magnitude: exponent and fraction fields. */
static uint32_t big_pack(const struct big *big, const struct format *format)
{
    int exponent = big_top(big) - BIG_BELOW;
    uint32_t hidden = UINT32_C(1) << format->fraction;
    uint32_t most = overflow_of(format);
    if (exponent < format->least_exponent) {
        int kept = format->quirk ? format->fraction
                                 : format->fraction - (format->least_exponent - 1 - exponent);
        /* Only a carry out of the kept bits reaches the smallest normal. */
        bool is_near = format->quirk || exponent == format->least_exponent - 1;
        return is_near && big_round(big, kept, format->truncates) >> format->fraction ? hidden : 0;
    }
    uint32_t field = (uint32_t)(exponent - format->least_exponent + 1) << format->fraction;
    uint32_t rounded = field - hidden + big_round(big, format->fraction + 1, format->truncates);
    return exponent > format->most_exponent || rounded > most ? most : rounded;
}

static uint64_t flushed_significand(uint32_t x)
{
    return x >> 23 & 255 ? (x & 0x7fffff) | 0x800000 : 0;
}

/* What the page says, in its order: specials, vanishing products, alignment, sum, rounding. */
static uint32_t reference_fma(struct triple t, const struct format *format, uint32_t *special)
{
    int ex = t.x >> 23 & 255, ey = t.y >> 23 & 255, ez = t.z >> 23 & 255;
    uint32_t sign_p = (t.x ^ t.y) & NUM_FP32_SIGN, sign_z = t.z & NUM_FP32_SIGN;
    int ep = ex + ey - 127;
    *special = 1;
    bool is_infinite_product = ex == 255 || ey == 255;
    if ((ex == 255 && t.x << 9) || (ey == 255 && t.y << 9) || (ez == 255 && t.z << 9) ||
        (is_infinite_product && !(flushed_significand(t.x) && flushed_significand(t.y))) ||
        (is_infinite_product && ez == 255 && sign_p != sign_z)) {
        return NUM_FP32_NAN;
    }
    if (ez == 255) {
        return t.z;
    }
    if (is_infinite_product) {
        return sign_p | NUM_FP32_INFINITY;
    }
    if (ep >= 255) {
        *special = 0;
        return (format == &fp32 ? sign_p : sign_p >> 16) | overflow_of(format);
    }
    uint64_t product = flushed_significand(t.x) * flushed_significand(t.y);
    if (!product || ep < 0) {
        return flushed_significand(t.z) ? t.z : sign_p & sign_z;
    }
    struct big p = big_make(product, ex + ey - 300 + BIG_BELOW);
    struct big z = big_make(flushed_significand(t.z), ez ? ez - 150 + BIG_BELOW : 0);
    big_chop(&p, ep - 127 - 26 + BIG_BELOW);
    int unit = (ep > ez ? ep : ez) - 127 - 26 + BIG_BELOW;
    struct big *small = ep > ez ? &z : &p;
    if (format->quirk && big_top(small) < unit) {
        memset(small, 0, sizeof *small);
    } else {
        big_chop(small, unit);
    }
    bool p_is_less = big_less(&p, &z);
    struct big sum = sign_p == sign_z ? big_add(&p, &z, false)
                     : p_is_less      ? big_add(&z, &p, true)
                                      : big_add(&p, &z, true);
    if (big_top(&sum) < 0) {
        return sign_p & sign_z;
    }
    *special = 0;
    uint32_t sign = p_is_less ? sign_z : sign_p;
    return (format == &fp32 ? sign : sign >> 16) | big_pack(&sum, format);
}

TEST_EACH(multiply_add, CHUNKS)
{
    uint64_t state = 0x1234567 + (uint64_t)_i;
    for (int i = 0; i < CASES_A_CHUNK; i++) {
        struct triple t = random_triple(&state);
        uint32_t special, flags = 0;
        uint32_t expected = reference_fma(t, &fp32, &special);
        uint32_t got = num_fp32_fma(t.x, t.y, t.z);
        if (got != expected) {
            ck_abort_msg("fma(%#x, %#x, %#x) is %#x, not %#x", t.x, t.y, t.z, got, expected);
        }
        SAME(num_fp32_fma_flags(t.x, t.y, t.z, &flags), expected);
    }
}

struct fma_case {
    uint32_t x, y, z, result, flags;
};

static const struct fma_case fma_cases[] = {
    /* denormal operands are zeros of their sign */
    {0x00000001, 0x3f800000, 0x80000001, 0x00000000, 0},
    {0x80000001, 0x3f800000, 0x80000001, 0x80000000, 0},
    {0x007fffff, 0x7f800000, 0x00000000, 0x7fc00000, NUM_INVALID},
    /* a product that overflows alone, though the sum would be finite */
    {0x7f000000, 0x40000000, 0xff000000, 0x7f800000, NUM_OVERFLOW | NUM_INEXACT},
    {0x7f000000, 0x40000000, 0xff800000, 0xff800000, 0},
    /* one that does not overflow by its exponents is rescued */
    {0x7f400000, 0x3fc00000, 0xfe800000, 0x7f600000, 0},
    /* a product below 2^-127 is zero, whatever it would add; one at 2^-127 is not */
    {0x00800000, 0x3f000000, 0x00800000, 0x00c00000, 0},
    {0x00800000, 0x3e800000, 0x00800000, 0x00800000, NUM_INEXACT},
    {0x80800000, 0x3e800000, 0x00000000, 0x00000000, NUM_INEXACT | NUM_UNDERFLOW},
    /* rounding carries a result just below the smallest normal to it */
    {0x00ffffff, 0x3f000000, 0x80000000, 0x00800000, NUM_INEXACT},
    {0x00fffffe, 0x3f000000, 0x80000000, 0x00000000, NUM_INEXACT | NUM_UNDERFLOW},
    /* just below 2^-127, but rounded to 23 bits all the same, which carries it to 2^-126 */
    {0x20000002, 0x203ffffd, 0x80800000, 0x00800000, NUM_INEXACT},
    /* infinities and NaNs */
    {0x7f800000, 0x3f800000, 0xff800000, 0x7fc00000, NUM_INVALID},
    {0x7f800000, 0x3f800000, 0x3f800000, 0x7f800000, 0},
    {0x7fc01234, 0x3f800000, 0x3f800000, 0x7fc00000, 0},
    {0x7f801234, 0x3f800000, 0x3f800000, 0x7fc00000, NUM_INVALID},
    {0x7f800000, 0x00000000, 0x7fc00001, 0x7fc00000, NUM_INVALID},
    /* signs of zeros */
    {0x3f800000, 0x3f800000, 0xbf800000, 0x00000000, 0},
    {0x00000000, 0xbf800000, 0x80000000, 0x80000000, 0},
    {0x00000000, 0xbf800000, 0x00000000, 0x00000000, 0},
};

TEST_EACH(multiply_add_rules, COUNT(fma_cases))
{
    const struct fma_case *c = &fma_cases[_i];
    uint32_t flags = 0;
    uint32_t got = num_fp32_fma_flags(c->x, c->y, c->z, &flags);
    ck_assert_msg(got == c->result, "fma(%#x, %#x, %#x) is %#x, not %#x", c->x, c->y, c->z, got,
                  c->result);
    ck_assert_msg(flags == c->flags, "fma(%#x, %#x, %#x) raises %#x, not %#x", c->x, c->y, c->z,
                  flags, c->flags);
    SAME(num_fp32_fma(c->x, c->y, c->z), c->result);
}

/* --- Against the host's floats --- */

static float to_float(uint32_t x)
{
    float value;
    memcpy(&value, &x, sizeof value);
    return value;
}

static uint32_t to_bits(float value)
{
    uint32_t x;
    memcpy(&x, &value, sizeof x);
    return num_fp32_is_nan(x) ? NUM_FP32_NAN : x;
}

static float flushed(uint32_t x)
{
    return to_float(x & NUM_FP32_INFINITY ? x : x & NUM_FP32_SIGN);
}

static uint32_t flushed_bits(float value)
{
    uint32_t x = to_bits(value);
    return x & NUM_FP32_INFINITY ? x : x & NUM_FP32_SIGN;
}

TEST_EACH(sums_and_products, CHUNKS)
{
    uint64_t state = 0x7654321 + (uint64_t)_i;
    for (int i = 0; i < CASES_A_CHUNK; i++) {
        struct triple t = random_triple(&state);
        uint32_t flags = 0;
        volatile float x = flushed(t.x), y = flushed(t.y), z = flushed(t.z);
        SAME(num_fp32_add(t.x, t.z, &flags), flushed_bits(x + z));
        SAME(num_fp32_sub(t.x, t.z, &flags), flushed_bits(x - z));
        uint32_t product = flushed_bits(x * y);
        SAME(num_fp32_mul(t.x, t.y, &flags), product);
    }
}

/* Every sign of zero, both denormals, both infinities, NaNs of both kinds, and neighbours. */
static const uint32_t ordered[] = {
    0xff800000, 0xff7fffff, 0xc0000000, 0xbf800001, 0xbf800000, 0x80800000, 0x807fffff,
    0x80000001, 0x80000000, 0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x3f800000,
    0x3f800001, 0x40000000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0xffc00001,
};

TEST_EACH(order, COUNT(ordered))
{
    uint32_t x = ordered[_i];
    for (int i = 0; i < COUNT(ordered); i++) {
        uint32_t y = ordered[i], flags = 0;
        float fx = to_float(x), fy = to_float(y);
        bool has_nan = num_fp32_is_nan(x) || num_fp32_is_nan(y);
        bool has_signaling = num_fp32_is_signaling(x) || num_fp32_is_signaling(y);
        ck_assert_int_eq(num_fp32_equal(x, y, &flags), fx == fy);
        SAME(flags, has_signaling ? NUM_INVALID : 0);
        flags = 0;
        ck_assert_int_eq(num_fp32_less(x, y, &flags), isless(fx, fy));
        SAME(flags, has_nan ? NUM_INVALID : 0);
        ck_assert_int_eq(num_fp32_less_equal(x, y, &flags), islessequal(fx, fy));
        flags = 0;
        bool x_is_least = num_fp32_is_nan(y) || (!num_fp32_is_nan(x) && _i <= i);
        bool x_is_most = num_fp32_is_nan(y) || (!num_fp32_is_nan(x) && _i >= i);
        uint32_t least = x_is_least ? x : y, most = x_is_most ? x : y;
        SAME(num_fp32_min(x, y, &flags), num_fp32_is_nan(least) ? NUM_FP32_NAN : least);
        SAME(num_fp32_max(x, y, &flags), num_fp32_is_nan(most) ? NUM_FP32_NAN : most);
        SAME(flags, has_signaling ? NUM_INVALID : 0);
    }
}

static uint32_t expected_class(double value, bool is_denormal, bool is_signaling)
{
    if (isnan(value)) {
        return is_signaling ? 0x100 : 0x200;
    }
    unsigned size = isinf(value) ? 3 : value == 0 ? 0 : is_denormal ? 1 : 2;
    return signbit(value) ? 8u >> size : 16u << size;
}

TEST(classes)
{
    uint64_t state = 99;
    for (int i = 0; i < CASES_A_CHUNK; i++) {
        uint32_t x = make_fp32(&state, (int32_t)(random_xorshift(&state) & 255));
        x = i < COUNT(ordered) ? ordered[i] : x;
        bool is_denormal = !(x & NUM_FP32_INFINITY);
        SAME(num_fp32_classify(x),
             expected_class((double)to_float(x), is_denormal, !(x & 0x400000)));
    }
}

static const unsigned widths[] = {8, 16, 32};

TEST_EACH(to_integers, 6)
{
    uint64_t state = 77 + (uint64_t)_i;
    unsigned width = widths[_i % 3];
    enum num_rounding rounding = _i < 3 ? NUM_NEAREST_EVEN : NUM_TOWARD_ZERO;
    double most_signed = ldexp(1, (int)width - 1) - 1, most_unsigned = ldexp(1, (int)width) - 1;
    for (int i = 0; i < CASES_A_CHUNK; i++) {
        uint32_t x = make_fp32(&state, 120 + (int32_t)(random_xorshift(&state) % 42));
        double value = (double)to_float(x);
        double whole = rounding == NUM_NEAREST_EVEN ? nearbyint(value) : trunc(value);
        uint32_t flags = 0;
        bool fits = whole >= -most_signed - 1 && whole <= most_signed;
        int32_t expected = (int32_t)(fits ? whole : value < 0 ? -most_signed - 1 : most_signed);
        SAME(num_fp32_to_int(x, width, rounding, &flags), (uint32_t)expected);
        SAME(flags, !fits ? NUM_INVALID : whole != value ? NUM_INEXACT : 0);
        flags = 0;
        fits = whole >= 0 && whole <= most_unsigned;
        uint32_t positive = (uint32_t)(fits ? whole : value < 0 ? 0 : most_unsigned);
        SAME(num_fp32_to_uint(x, width, rounding, &flags), positive);
        SAME(flags, !fits ? NUM_INVALID : whole != value ? NUM_INEXACT : 0);
    }
    uint32_t flags = 0;
    SAME(num_fp32_to_int(0xffc00000, 32, rounding, &flags), INT32_MAX);
    SAME(num_fp32_to_uint(0xff800000, 32, rounding, &flags), 0);
    SAME(num_fp32_to_uint(0x7f800000, 32, rounding, &flags), UINT32_MAX);
}

TEST(from_integers)
{
    uint64_t state = 55;
    for (int i = 0; i < CASES_A_CHUNK; i++) {
        uint32_t value = random_xorshift(&state) >> (random_xorshift(&state) & 31);
        value = i & 1 ? value : value << (random_xorshift(&state) & 15);
        uint32_t flags = 0;
        uint32_t got = num_fp32_from_uint(value, &flags);
        SAME(got, to_bits((float)value));
        SAME(flags, (double)to_float(got) != (double)value ? NUM_INEXACT : 0);
        SAME(num_fp32_from_int((int32_t)value, &flags), to_bits((float)(int32_t)value));
    }
}

/* --- 16-bit formats --- */

static const struct half {
    enum num_half format;
    struct format shape;
} halves[] = {
    {NUM_FP16, {10, -14, 15, false, false}},
    {NUM_BF16, {7, -126, 127, false, false}},
    {NUM_BF16_RTZ, {7, -126, 127, true, false}},
};

static double half_value(const struct half *half, uint32_t x)
{
    int fraction_bits = half->shape.fraction;
    int field = (int)(x >> fraction_bits & (0x7fffu >> fraction_bits));
    double fraction = (double)(x & ((1u << fraction_bits) - 1));
    double hidden = field ? ldexp(1, fraction_bits) : 0;
    int exponent = (field ? field : 1) - 1 + half->shape.least_exponent - fraction_bits;
    double magnitude = ldexp(hidden + fraction, exponent);
    if (field == (int)(0x7fffu >> fraction_bits)) {
        magnitude = fraction != 0 ? NAN : INFINITY;
    }
    return x & 0x8000 ? -magnitude : magnitude;
}

static bool half_is_denormal(const struct half *half, uint32_t x)
{
    return !(x >> half->shape.fraction & (0x7fffu >> half->shape.fraction));
}

TEST_EACH(half_widening, COUNT(halves))
{
    const struct half *half = &halves[_i];
    for (uint32_t x = 0; x < 0x10000; x++) {
        double value = half_value(half, x);
        uint32_t wide = num_half_to_fp32(half->format, (uint16_t)x), flags = 0;
        bool is_signaling = !(x >> (half->shape.fraction - 1) & 1);
        ck_assert_msg(to_bits((float)value) == (isnan(value) ? NUM_FP32_NAN : wide), "%#x", x);
        SAME(num_half_classify(half->format, (uint16_t)x),
             expected_class(value, half_is_denormal(half, x), is_signaling));
        uint16_t back = num_half_from_fp32(half->format, wide, &flags);
        SAME(back, isnan(value) ? num_half_nan(half->format) : x);
        SAME(flags, isnan(value) && is_signaling ? NUM_INVALID : 0);
    }
}

/* The FP32 values at, just below and just above each 16-bit value and each middle between two. */
TEST_EACH(half_narrowing, COUNT(halves))
{
    const struct half *half = &halves[_i];
    uint32_t infinity = half->format == NUM_FP16 ? 0x7c00 : 0x7f80;
    for (uint32_t x = 0; x < infinity; x++) {
        double low = half_value(half, x);
        double high =
            x + 1 < infinity ? half_value(half, x + 1) : 2 * low - half_value(half, x - 1);
        double middle = low / 2 + high / 2;
        uint32_t at = to_bits((float)middle), flags = 0;
        if ((double)to_float(at) != middle) {
            continue; /* beyond FP32 */
        }
        bool rtz = half->shape.truncates;
        uint32_t even = x & 1 ? x + 1 : x;
        SAME(num_half_from_fp32(half->format, at, &flags), rtz ? x : even);
        SAME(num_half_from_fp32(half->format, at + 1, &flags), rtz ? x : x + 1);
        SAME(num_half_from_fp32(half->format, at - 1, &flags), x);
        SAME(num_half_from_fp32(half->format, at ^ NUM_FP32_SIGN, &flags),
             (rtz ? x : even) | 0x8000);
    }
}

static uint32_t widened(const struct half *half, uint16_t x)
{
    x = half_is_denormal(half, x) ? x & 0x8000 : x;
    return num_half_to_fp32(half->format, x);
}

static uint16_t expected_half_fma(const struct half *half, struct triple t)
{
    uint32_t special;
    uint32_t result = reference_fma(t, &half->shape, &special);
    if (!special) {
        return (uint16_t)result;
    }
    uint32_t flags = 0; /* a NaN, an infinity, a zero or the addend: exact in the format */
    return num_half_from_fp32(half->format, result, &flags);
}

TEST_EACH(half_arithmetic, 9)
{
    const struct half *half = &halves[_i % 3];
    uint64_t state = 33 + (uint64_t)_i;
    uint32_t sign = NUM_FP32_SIGN;
    for (int i = 0; i < CASES_A_CHUNK; i++) {
        uint32_t word = random_xorshift(&state);
        uint16_t x = (uint16_t)word, y = (uint16_t)(word >> 16),
                 z = (uint16_t)random_xorshift(&state);
        if (word >> 5 & 1) {
            x = (uint16_t)((x & 0xff80) | random_fraction(&state, 7));
        }
        uint32_t wx = widened(half, x), wy = widened(half, y), wz = widened(half, z), flags = 0;
        enum num_half format = half->format;
        SAME(num_half_fma(format, x, y, z, &flags),
             expected_half_fma(half, (struct triple){wx, wy, wz}));
        SAME(num_half_add(format, x, y, &flags),
             expected_half_fma(half, (struct triple){wx, NUM_FP32_ONE, wy}));
        SAME(num_half_sub(format, x, y, &flags),
             expected_half_fma(half, (struct triple){wx, NUM_FP32_ONE, wy ^ sign}));
        SAME(num_half_mul(format, x, y, &flags),
             expected_half_fma(half, (struct triple){wx, wy, sign}));
    }
}

/* Sums and products of FP16 normals, as the host computes them: exact in double, rounded once. */
TEST_EACH(fp16_against_doubles, 4)
{
    uint64_t state = 11 + (uint64_t)_i;
    const struct half *half = &halves[0];
    for (int i = 0; i < CASES_A_CHUNK; i++) {
        uint16_t x = (uint16_t)((random_xorshift(&state) & 0x83ff) |
                                (5 + random_xorshift(&state) % 20) << 10);
        uint16_t y = (uint16_t)((random_xorshift(&state) & 0x83ff) |
                                (5 + random_xorshift(&state) % 20) << 10);
        double exact[2] = {half_value(half, x) + half_value(half, y),
                           half_value(half, x) * half_value(half, y)};
        uint32_t flags = 0;
        uint16_t got[2] = {num_half_add(NUM_FP16, x, y, &flags),
                           num_half_mul(NUM_FP16, x, y, &flags)};
        for (int k = 0; k < 2; k++) {
            double magnitude = fabs(exact[k]);
            int exponent = magnitude == 0 ? 0 : ilogb(magnitude);
            double unit = ldexp(1, exponent - 10);
            double rounded = nearbyint(magnitude / unit) * unit;
            rounded = rounded < ldexp(1, -14) ? 0 : rounded >= 65520 ? INFINITY : rounded;
            if (exponent >= -14) { /* below, rounding is coarser */
                ck_assert_msg(fabs(half_value(half, got[k])) == rounded, "%#x %#x", x, y);
            }
        }
    }
}

TEST_EACH(half_from_integers, COUNT(halves))
{
    const struct half *half = &halves[_i];
    uint64_t state = 22;
    for (int i = 0; i < CASES_A_CHUNK; i++) {
        uint32_t value = random_xorshift(&state) >> (random_xorshift(&state) & 31), flags = 0;
        struct big big = big_make(value, BIG_BELOW);
        uint32_t expected = value ? big_pack(&big, &half->shape) : 0;
        SAME(num_half_from_uint(half->format, value, &flags), expected);
        uint32_t negative = -(value >> 1);
        big = big_make(value >> 1, BIG_BELOW);
        expected = negative ? big_pack(&big, &half->shape) | 0x8000 : 0;
        SAME(num_half_from_int(half->format, (int32_t)negative, &flags), expected);
    }
}
