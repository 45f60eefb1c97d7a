/* FP16 and BF16, see num/fp16.h. */
#include "num/fp16.h"

#include "num/unrounded.h"

struct half_format {
    unsigned fraction; /* bits */
    int32_t bias;
    uint16_t infinity; /* the exponent field at its maximum */
    bool truncates;
};

static const struct half_format formats[] = {
    [NUM_FP16] = {.fraction = 10, .bias = 15, .infinity = 0x7c00},
    [NUM_BF16] = {.fraction = 7, .bias = 127, .infinity = 0x7f80},
    [NUM_BF16_RTZ] = {.fraction = 7, .bias = 127, .infinity = 0x7f80, .truncates = true},
};

enum { SIGN = 0x8000 };

enum denormals { DENORMALS_KEPT, DENORMALS_FLUSHED };

uint32_t num_half_to_fp32(enum num_half format, uint16_t x)
{
    uint32_t sign = (uint32_t)(x & SIGN) << 16;
    uint32_t magnitude = x & 0x7fff;
    if (format != NUM_FP16) {
        return sign | magnitude << 16;
    }
    if (magnitude >= 0x7c00) {
        return sign | NUM_FP32_INFINITY | magnitude << 13;
    }
    if (magnitude >= 0x0400) {
        return sign | ((magnitude << 13) + ((127 - 15) << 23));
    }
    if (magnitude == 0) {
        return sign;
    }
    unsigned top = 31 - (unsigned)__builtin_clz(magnitude);
    return sign | (127 - 24 + top) << 23 | (magnitude << (23 - top) & 0x7fffff);
}

/* The carry that rounding adds to significand / 2^drop. */
static uint32_t round_half_up(const struct half_format *half, uint32_t significand, unsigned drop)
{
    uint32_t rest = significand & ((UINT32_C(1) << drop) - 1);
    uint32_t middle = UINT32_C(1) << (drop - 1);
    return !half->truncates && (rest > middle || (rest == middle && significand >> drop & 1));
}

/* Whether the result, rounded with an unlimited exponent, still lies below the smallest normal. */
static bool is_tiny(const struct half_format *half, uint32_t significand, int32_t exponent,
                    unsigned drop)
{
    uint32_t rounded = (significand >> drop) + round_half_up(half, significand, drop);
    return exponent < 0 || (exponent == 0 && rounded >> (half->fraction + 1) == 0);
}

static uint16_t round_number(const struct half_format *half, const struct num_unrounded *value,
                             enum denormals denormals, uint32_t *flags)
{
    uint16_t sign = (uint16_t)(value->sign >> 16);
    int32_t exponent = value->exponent - 127 + half->bias;
    uint32_t significand = value->significand;
    unsigned drop = NUM_UNROUNDED_TOP - half->fraction;
    if (exponent >= half->infinity >> half->fraction) {
        *flags |= NUM_OVERFLOW | NUM_INEXACT;
        return sign | half->infinity;
    }
    bool tiny = is_tiny(half, significand, exponent, drop);
    if (exponent <= 0) {
        significand = num_shift_sticky(significand, (uint32_t)(1 - exponent));
    }
    /* The leading one of a normal significand adds the missing one to the exponent. */
    uint32_t bits = exponent > 0 ? (uint32_t)(exponent - 1) << half->fraction : 0;
    bits += (significand >> drop) + round_half_up(half, significand, drop);
    bool inexact = significand & ((UINT32_C(1) << drop) - 1);
    if (denormals == DENORMALS_FLUSHED && bits >> half->fraction == 0) {
        bits = 0;
        inexact = true;
    }
    *flags |= inexact ? NUM_INEXACT : 0;
    *flags |= inexact && tiny ? NUM_UNDERFLOW : 0;
    *flags |= bits == half->infinity ? NUM_OVERFLOW : 0;
    return (uint16_t)(sign | bits);
}

/* `value` may be final only where its bits are a NaN or fit the format exactly. */
static uint16_t round_half(enum num_half format, const struct num_unrounded *value,
                           enum denormals denormals, uint32_t *flags)
{
    const struct half_format *half = &formats[format];
    if (!value->is_final) {
        return round_number(half, value, denormals, flags);
    }
    uint32_t sign = value->bits >> 16 & SIGN;
    uint32_t magnitude = value->bits & ~NUM_FP32_SIGN;
    if (magnitude > NUM_FP32_INFINITY) {
        return num_half_nan(format);
    }
    if (magnitude == 0 || magnitude == NUM_FP32_INFINITY) {
        return (uint16_t)(sign | (magnitude ? half->infinity : 0));
    }
    magnitude >>= 23 - half->fraction;
    return (uint16_t)(sign | (magnitude - ((uint32_t)(127 - half->bias) << half->fraction)));
}

uint16_t num_half_from_fp32(enum num_half format, uint32_t x, uint32_t *flags)
{
    uint32_t magnitude = x & ~NUM_FP32_SIGN;
    struct num_unrounded value = num_final(x);
    if (num_fp32_is_signaling(x)) {
        *flags |= NUM_INVALID;
    }
    if (magnitude != 0 && magnitude < NUM_FP32_INFINITY) {
        uint32_t hidden = magnitude >> 23 ? 0x800000 : 0;
        int32_t exponent = hidden ? num_fp32_exponent(x) : 1;
        uint32_t significand = (magnitude & 0x7fffff) | hidden;
        value = num_normalise(x & NUM_FP32_SIGN, significand << 3, exponent);
    }
    return round_half(format, &value, DENORMALS_KEPT, flags);
}

uint16_t num_half_from_int(enum num_half format, int32_t value, uint32_t *flags)
{
    uint32_t sign = value < 0 ? NUM_FP32_SIGN : 0;
    struct num_unrounded unrounded =
        num_unrounded_integer(sign, sign ? -(uint32_t)value : (uint32_t)value);
    return round_half(format, &unrounded, DENORMALS_KEPT, flags);
}

uint16_t num_half_from_uint(enum num_half format, uint32_t value, uint32_t *flags)
{
    struct num_unrounded unrounded = num_unrounded_integer(0, value);
    return round_half(format, &unrounded, DENORMALS_KEPT, flags);
}

uint32_t num_half_classify(enum num_half format, uint16_t x)
{
    const struct half_format *half = &formats[format];
    bool is_denormal = !(x & half->infinity) && x & 0x7fff;
    if (is_denormal) { /* an FP16 denormal is a normal FP32 number */
        return x & SIGN ? 1u << 2 : 1u << 5;
    }
    return num_fp32_classify(num_half_to_fp32(format, x));
}

/* --- Arithmetic --- */

static uint32_t flushed(enum num_half format, uint16_t x)
{
    bool is_zero = !(x & formats[format].infinity);
    return num_half_to_fp32(format, is_zero ? x & SIGN : x);
}

/* Toward zero, nothing finite becomes an infinity. */
static uint16_t multiply_add(enum num_half format, uint32_t x, uint32_t y, uint32_t z,
                             uint32_t *flags)
{
    uint32_t raised = 0;
    struct num_unrounded sum = num_fma_unrounded(x, y, z, NUM_FMA_STICKY, &raised);
    uint16_t result = round_half(format, &sum, DENORMALS_FLUSHED, &raised);
    *flags |= raised;
    return raised & NUM_OVERFLOW && formats[format].truncates ? (uint16_t)(result - 1) : result;
}

uint16_t num_half_fma(enum num_half format, uint16_t x, uint16_t y, uint16_t z, uint32_t *flags)
{
    return multiply_add(format, flushed(format, x), flushed(format, y), flushed(format, z), flags);
}

uint16_t num_half_add(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags)
{
    return multiply_add(format, flushed(format, x), NUM_FP32_ONE, flushed(format, y), flags);
}

uint16_t num_half_sub(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags)
{
    return num_half_add(format, x, y ^ SIGN, flags);
}

uint16_t num_half_mul(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags)
{
    return multiply_add(format, flushed(format, x), flushed(format, y), NUM_FP32_SIGN, flags);
}

/* --- Order: widening is exact and keeps it --- */

uint16_t num_half_min(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags)
{
    uint32_t least = num_fp32_min(num_half_to_fp32(format, x), num_half_to_fp32(format, y), flags);
    return num_half_from_fp32(format, least, flags);
}

uint16_t num_half_max(enum num_half format, uint16_t x, uint16_t y, uint32_t *flags)
{
    uint32_t most = num_fp32_max(num_half_to_fp32(format, x), num_half_to_fp32(format, y), flags);
    return num_half_from_fp32(format, most, flags);
}
