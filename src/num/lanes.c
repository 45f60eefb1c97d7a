/*
 * The lanes of the Vector Unit one by one, see lanes.h, and the reference set, which is loops over
 * that.
 *
 * SPEC: BlackholeA0 VectorUnit, SFPLOAD, SFPSTORE and the page of each instruction that an
 * operation is named for.
 */
#include "num/lanes.h"

#include <stddef.h>
#include <string.h>

#include "num/fp32.h"
#include "num/kernel_sets.h"
#include "num/tensix_format.h"

#define SIGN     NUM_FP32_SIGN
#define EXPONENT UINT32_C(0x7f800000)
#define MANTISSA UINT32_C(0x007fffff)

static uint32_t exponent_of(uint32_t x)
{
    return x >> 23 & 0xff;
}

/* --- Integers --- */

/* SPEC: SFPSHFT. */
static uint32_t shift_lane(uint32_t x, uint32_t by, bool is_arithmetic)
{
    if (!(by & SIGN)) {
        return x << (by & 31);
    }
    uint32_t right = -by & 31;
    return is_arithmetic ? (uint32_t)((int32_t)x >> right) : x >> right;
}

/* What SFPMUL24 does with its product and VC: the addition of the multiply-add, whose product has
 * the exponent 129 and is no normalised number. VC of 0 changes nothing. */
static uint32_t mul24_add(uint32_t product, uint32_t c)
{
    enum { PRODUCT_EXPONENT = 129 };
    uint32_t exponent = exponent_of(c);
    if (exponent == 0) {
        return product;
    }
    uint32_t greater = exponent > PRODUCT_EXPONENT ? exponent : PRODUCT_EXPONENT;
    uint32_t down = (greater - exponent) & 31;
    uint32_t addend = ((c & MANTISSA) | 0x800000) << 3;
    uint32_t kept = addend >> down;
    product >>= (greater - PRODUCT_EXPONENT) & 31;
    if (kept == 0) {
        return product;
    }
    uint32_t is_lost = ((kept << down) ^ addend) > 0xffff;
    return (product + kept + (is_lost << 16)) & MANTISSA;
}

static uint32_t mul24(uint32_t a, uint32_t b, uint32_t c, bool is_upper)
{
    uint64_t product = (uint64_t)(a & MANTISSA) * (b & MANTISSA);
    return mul24_add((uint32_t)(is_upper ? product >> 23 : product & MANTISSA), c);
}

/* --- Floating point --- */

static uint32_t abs_float(uint32_t x)
{
    return num_fp32_is_nan(x) ? x : x & ~SIGN;
}

static uint32_t add_exponent(uint32_t x, uint32_t n)
{
    return exponent_of(x) == 255 ? x : (x & ~EXPONENT) | ((x + (n << 23)) & EXPONENT);
}

/*
 * About 1 / x for x without sign. The page's 128 mantissas are those of the reciprocal of the
 * middle of each 128th of [1, 2), rounded to 7 bits: 2 / ((257 + 2i) / 256), of which 1 is left
 * out.
 */
static uint32_t approximate_reciprocal(uint32_t x)
{
    if (x < UINT32_C(0x00800000)) {
        return NUM_FP32_INFINITY;
    }
    if (x >= UINT32_C(0x7e800000)) {
        return 0;
    }
    uint32_t middle = 257 + 2 * (x >> 16 & 0x7f);
    uint32_t mantissa = (2 * 65536 + middle) / (2 * middle) - 128;
    return (253 - (x >> 23)) << 23 | mantissa << 16;
}

/* e^x as an integer of 1/2^40; x, likewise, below 2. */
static uint64_t exponential_fixed(uint64_t x)
{
    uint64_t sum = UINT64_C(1) << 40;
    uint64_t term = sum;
    for (unsigned n = 1; term != 0; n++) {
        /* 40 bits times 41, without the lowest 20 of each: enough, see the test of every entry. */
        term = (term >> 16) * (x >> 16) / n >> 8;
        sum += term;
    }
    return sum;
}

/*
 * About e^x for x without sign: the upper 16 bits of x make the upper 16 of the result, the lower
 * 16 are handed through. Every one of the page's 896 entries from 2^-6 to 2 is e^x cut to 8
 * significant bits.
 */
static uint32_t approximate_exponential(uint32_t x)
{
    uint32_t low = x & 0xffff;
    if (x < UINT32_C(0x00800000)) {
        return NUM_FP32_ONE;
    }
    if (x < UINT32_C(0x3c800000)) {
        return UINT32_C(0x3f810000) | low;
    }
    if (x >= UINT32_C(0x40000000)) {
        return UINT32_C(0x40800000) | low;
    }
    uint64_t significand = (x >> 16 & 0x7f) | 0x80;
    uint64_t power = exponential_fixed(significand << (33 + exponent_of(x) - 127));
    unsigned top = 63 - (unsigned)__builtin_clzll(power);
    uint32_t cut = (uint32_t)(power >> (top - 7)) & 0x7f;
    return (127 + top - 40) << 23 | cut << 16 | low;
}

/* --- Conversions --- */

/* SPEC: SFPCAST_IntFloat. `random` NULL: to nearest even. */
static uint32_t int_to_float(uint32_t c, const uint32_t *random)
{
    uint32_t magnitude = c & ~SIGN;
    if (magnitude == 0) {
        return c;
    }
    unsigned zeros = (unsigned)__builtin_clz(magnitude);
    uint32_t normal = magnitude << zeros;
    bool is_up =
        random ? (normal & 0xfe) > (*random >> 9 & 0xfe) : (normal & 0x80) && (normal & 0x17f);
    return (c & SIGN) + ((157 - zeros) << 23) + (normal >> 8) + is_up;
}

/* SPEC: SFPSTOCHRND_FloatFloat. Drops `bits` bits of the mantissa. */
static uint32_t round_float(uint32_t x, unsigned bits, uint32_t random)
{
    uint32_t exponent = exponent_of(x);
    if (exponent == 0) {
        return 0;
    }
    if (exponent == 255) {
        return x & (SIGN | EXPONENT);
    }
    uint32_t dropped = x & ((UINT32_C(1) << bits) - 1);
    bool is_up = dropped >= (random & MANTISSA) >> (23 - bits);
    return x - dropped + ((uint32_t)is_up << bits);
}

static bool keeps_sign(uint32_t mode)
{
    return mode == NUM_LANES_FLOAT_TO_INT8 || mode == NUM_LANES_FLOAT_TO_INT16 ||
           mode == NUM_LANES_INT_TO_INT8;
}

static uint32_t greatest_magnitude(uint32_t mode)
{
    switch (mode) {
    case NUM_LANES_FLOAT_TO_UINT16:
        return 65535;
    case NUM_LANES_FLOAT_TO_INT16:
        return 32767;
    case NUM_LANES_FLOAT_TO_UINT8:
    case NUM_LANES_INT_TO_UINT8:
        return 255;
    default:
        return 127;
    }
}

/* Rounds a magnitude of 1/2^23, saturates it and gives it the sign of c: sign-magnitude. */
static uint32_t round_integer(uint64_t magnitude, uint32_t c, uint32_t mode, uint32_t random)
{
    uint64_t rounded = (magnitude >> 23) + ((magnitude & MANTISSA) >= (random & MANTISSA));
    uint32_t most = greatest_magnitude(mode);
    uint32_t result = rounded > most ? most : (uint32_t)rounded;
    return result && keeps_sign(mode) ? (c & SIGN) | result : result;
}

/* SPEC: SFPSTOCHRND_FloatInt. */
static uint32_t to_integer(uint32_t c, uint32_t mode, uint32_t random)
{
    int32_t exponent = (int32_t)exponent_of(c) - 127;
    if (exponent < -1) {
        return 0;
    }
    uint64_t significand = (c & MANTISSA) | 0x800000;
    if (exponent >= 16) {
        return (keeps_sign(mode) ? c & SIGN : 0) | greatest_magnitude(mode);
    }
    return round_integer(exponent < 0 ? significand >> 1 : significand << exponent, c, mode,
                         random);
}

/* SPEC: SFPSTOCHRND_IntInt. */
static uint32_t descale(uint32_t c, uint32_t by, uint32_t mode, uint32_t random)
{
    return round_integer((uint64_t)(c & ~SIGN) << 23 >> (by & 31), c, mode, random);
}

/* --- Operations --- */

static uint32_t move_lane(enum num_lanes_op op, uint32_t b, uint32_t c, uint32_t immediate,
                          bool flag)
{
    switch (op) {
    case NUM_LANES_CONSTANT:
        return immediate;
    case NUM_LANES_LOW_HALF:
        return (c & 0xffff0000) | (immediate & 0xffff);
    case NUM_LANES_HIGH_HALF:
        return (c & 0xffff) | immediate << 16;
    case NUM_LANES_FROM_FLAGS:
        return flag ? UINT32_MAX : 0;
    case NUM_LANES_NOT:
        return ~c;
    case NUM_LANES_AND:
        return b & c;
    case NUM_LANES_OR:
        return b | c;
    case NUM_LANES_XOR:
        return b ^ c;
    default: /* NUM_LANES_COPY */
        return c;
    }
}

static uint32_t integer_lane(enum num_lanes_op op, uint32_t a, uint32_t b, uint32_t c,
                             uint32_t immediate)
{
    switch (op) {
    case NUM_LANES_LEADING_ZEROS:
        return c & immediate ? (uint32_t)__builtin_clz(c & immediate) : 32;
    case NUM_LANES_SHIFT:
        return shift_lane(b, c, false);
    case NUM_LANES_SHIFT_ARITHMETIC:
        return shift_lane(b, c, true);
    case NUM_LANES_SHIFT_CONSTANT:
        return shift_lane(c, immediate, false);
    case NUM_LANES_SHIFT_ARITHMETIC_CONSTANT:
        return shift_lane(c, immediate, true);
    case NUM_LANES_ADD:
        return c + b;
    case NUM_LANES_SUBTRACT:
        return c - b;
    case NUM_LANES_ADD_CONSTANT:
        return c + immediate;
    case NUM_LANES_ABS_INTEGER:
        return c & SIGN ? -c : c;
    case NUM_LANES_SWITCH_SIGNS:
        return c & SIGN ? SIGN | -c : c;
    default: /* NUM_LANES_MUL24 */
        return mul24(a, b, c, immediate & 1);
    }
}

static uint32_t field_lane(enum num_lanes_op op, uint32_t b, uint32_t c, uint32_t immediate)
{
    switch (op) {
    case NUM_LANES_NEGATE:
        return c ^ SIGN;
    case NUM_LANES_ABS_FLOAT:
        return abs_float(c);
    case NUM_LANES_EXPONENT:
        return exponent_of(c) - immediate;
    case NUM_LANES_MANTISSA:
        return (c & MANTISSA) | immediate;
    case NUM_LANES_SET_EXPONENT:
        return (c & ~EXPONENT) | (immediate & 0xff) << 23;
    case NUM_LANES_ADD_EXPONENT:
        return add_exponent(c, immediate);
    case NUM_LANES_COPY_EXPONENT:
        return (c & ~EXPONENT) | (b & EXPONENT);
    case NUM_LANES_INSERT_EXPONENT:
        return (c & ~EXPONENT) | (b & 0xff) << 23;
    case NUM_LANES_SET_MANTISSA:
        return (c & ~MANTISSA) | (immediate & MANTISSA);
    case NUM_LANES_COPY_MANTISSA:
        return (c & ~MANTISSA) | (b & MANTISSA);
    case NUM_LANES_SET_SIGN:
        return (c & ~SIGN) | (immediate & SIGN);
    default: /* NUM_LANES_COPY_SIGN */
        return (c & ~SIGN) | (b & SIGN);
    }
}

static uint32_t arithmetic_lane(enum num_lanes_op op, uint32_t a, uint32_t b, uint32_t c,
                                uint32_t immediate)
{
    switch (op) {
    case NUM_LANES_MAD:
        return num_fp32_fma(a, b ^ (immediate & 1) << 31, c ^ (immediate & 2) << 30);
    case NUM_LANES_RECIPROCAL:
        return (c & SIGN) | approximate_reciprocal(c & ~SIGN);
    case NUM_LANES_CONDITIONAL_RECIPROCAL:
        return b & SIGN ? approximate_reciprocal(c & ~SIGN) : c;
    case NUM_LANES_EXPONENTIAL:
        return (c & SIGN) | approximate_exponential(c & ~SIGN);
    case NUM_LANES_INT_TO_FLOAT:
        return int_to_float(c, NULL);
    case NUM_LANES_INT_TO_FLOAT_RANDOM:
        return int_to_float(c, &a);
    case NUM_LANES_TO_FP16:
        return round_float(c, 13, a);
    case NUM_LANES_TO_BF16:
        return round_float(c, 16, a);
    case NUM_LANES_TO_INTEGER:
        return to_integer(c, immediate, a);
    default: /* NUM_LANES_DESCALE */
        return descale(c, b, immediate, a);
    }
}

uint32_t num_lane(enum num_lanes_op op, uint32_t a, uint32_t b, uint32_t c, uint32_t immediate,
                  bool flag)
{
    if (op >= NUM_LANES_MAD) {
        return arithmetic_lane(op, a, b, c, immediate);
    }
    if (op >= NUM_LANES_NEGATE) {
        return field_lane(op, b, c, immediate);
    }
    if (op >= NUM_LANES_LEADING_ZEROS) {
        return integer_lane(op, a, b, c, immediate);
    }
    return move_lane(op, b, c, immediate, flag);
}

bool num_lane_less(uint32_t x, uint32_t y)
{
    /* -0 and below become -1 and below. */
    int32_t ordered_x = (int32_t)(x & SIGN ? ~x | SIGN : x);
    int32_t ordered_y = (int32_t)(y & SIGN ? ~y | SIGN : y);
    return ordered_x < ordered_y;
}

/* --- Tables --- */

/* SPEC: SFPLUT, Lut8ToFp32: one more bit of exponent than the ranges of the page's table show; all
 * ones are zero. */
static uint32_t widen8(uint32_t x)
{
    x &= 0xff;
    return x == 0xff ? 0 : (x >> 7) << 31 | (127 - (x >> 4 & 7)) << 23 | (x & 15) << 19;
}

/* SPEC: SFPLUTFP32, Lut16ToFp32. Where the exponent is 31 the result is a zero: a denormal, which
 * the multiply-add takes for one. */
static uint32_t widen16(uint32_t x)
{
    uint32_t exponent = x >> 10 & 31;
    return (x >> 15 & 1) << 31 | (exponent == 31 ? 0 : exponent + 112) << 23 | (x & 0x3ff) << 13;
}

uint32_t num_lane_look_up(const uint32_t lreg[8], enum num_lanes_table table, bool keeps_the_sign)
{
    enum { HALF = 0x3f000000, ONE = 0x3f800000, ONE_AND_HALF = 0x3fc00000, TWO = 0x40000000 };
    enum { THREE = 0x40400000, FOUR = 0x40800000 };
    uint32_t x = lreg[3] & ~SIGN; /* NaNs are above all */
    unsigned line = x < ONE ? 0 : x < TWO ? 1 : 2;
    uint32_t last = table == NUM_LANES_TABLE_FP16_6_4 ? FOUR : THREE;
    uint32_t middle = line == 0 ? HALF : line == 1 ? ONE_AND_HALF : last;
    unsigned half = x < middle ? 0 : 16;
    uint32_t slope, offset;
    switch (table) {
    case NUM_LANES_TABLE_FP8:
        slope = widen8(lreg[line] >> 8);
        offset = widen8(lreg[line]);
        break;
    case NUM_LANES_TABLE_FP32:
        slope = lreg[line];
        offset = lreg[4 + line];
        break;
    case NUM_LANES_TABLE_FP16:
        slope = widen16(lreg[line] >> 16);
        offset = widen16(lreg[line]);
        break;
    default: /* six lines */
        slope = widen16(lreg[line] >> half);
        offset = widen16(lreg[4 + line] >> half);
        break;
    }
    uint32_t result = num_fp32_fma(slope, x, offset);
    return keeps_the_sign ? (result & ~SIGN) | (lreg[3] & SIGN) : result;
}

/* --- Dst --- */

/* SPEC: SFPLOAD, ReadFP16: no denormals, but other ones. */
static uint32_t load_fp16(uint32_t stored, bool has_infinity)
{
    uint32_t sign = (stored & 0x8000) << 16;
    uint32_t fraction = stored >> 5 & 0x3ff;
    uint32_t exponent = stored & 31;
    if (has_infinity && fraction == 0x3ff && exponent == 31) {
        return sign | NUM_FP32_INFINITY;
    }
    return sign | (exponent ? exponent + 112 : 0) << 23 | fraction << 13;
}

uint32_t num_lane_load(enum num_lanes_format format, uint32_t stored, uint32_t old,
                       bool has_infinity)
{
    uint32_t half = stored & 0xffff;
    uint32_t sign = (stored & 0x8000) << 16;
    switch (format) {
    case NUM_LANES_FP16:
        return load_fp16(half, has_infinity);
    case NUM_LANES_BF16:
        return (uint32_t)num_bf16_from_dst((uint16_t)half) << 16;
    case NUM_LANES_INT8:
        return sign | (half >> 5 & 0xff);
    case NUM_LANES_INT8_COMP:
        return sign | (half >> 5 & 0x3ff);
    case NUM_LANES_INT16:
        return sign | (half & 0x7fff);
    case NUM_LANES_UINT16:
    case NUM_LANES_LO16:
        return half;
    case NUM_LANES_HI16:
        return half << 16;
    case NUM_LANES_LO16_ONLY:
        return (old & 0xffff0000) | half;
    case NUM_LANES_HI16_ONLY:
        return half << 16 | (old & 0xffff);
    case NUM_LANES_ZERO:
        return 0;
    default: /* 32 bits */
        return num_fp32_from_dst(stored);
    }
}

/* SPEC: SFPSTORE, ToFP16: cuts; saturates to the greatest magnitude, NaNs too. */
static uint32_t store_fp16(uint32_t x)
{
    uint32_t sign = x >> 16 & 0x8000;
    uint32_t exponent = exponent_of(x);
    if (exponent <= 112) {
        return num_dst_from_fp16((uint16_t)sign);
    }
    uint32_t magnitude = exponent > 143 ? 0x7fff : (exponent - 112) << 10 | (x & MANTISSA) >> 13;
    return num_dst_from_fp16((uint16_t)(sign | magnitude));
}

static uint32_t without_denormals(uint32_t x)
{
    return x & EXPONENT ? x : x & SIGN;
}

uint32_t num_lane_store(enum num_lanes_format format, uint32_t x)
{
    uint32_t sign = x >> 16 & 0x8000;
    switch (format) {
    case NUM_LANES_FP16:
        return store_fp16(x);
    case NUM_LANES_BF16:
        return num_dst_from_bf16((uint16_t)(without_denormals(x) >> 16));
    case NUM_LANES_FP32:
        return num_dst_from_fp32(without_denormals(x));
    case NUM_LANES_INT8:
    case NUM_LANES_INT8_COMP:
        /* The exponent of 16 is there even with a magnitude of 0, unlike in what unpackers make. */
        return sign | (x & 0x3ff) << 5 | 16;
    case NUM_LANES_INT16:
        return sign | (x & 0x7fff);
    case NUM_LANES_UINT16:
    case NUM_LANES_LO16_ONLY:
        return x & 0xffff;
    case NUM_LANES_HI16_ONLY:
        return x >> 16;
    case NUM_LANES_LO16:
        return x << 16 | x >> 16;
    case NUM_LANES_HI16:
        return x;
    case NUM_LANES_ZERO:
        return 0;
    default: /* NUM_LANES_INT32 and its like */
        return num_dst_from_fp32(x);
    }
}

/* --- The reference set --- */

static bool has(uint32_t lanes, unsigned lane)
{
    return lanes >> lane & 1;
}

static void run_lanes_op(enum num_lanes_op op, uint32_t *d, const uint32_t *a, const uint32_t *b,
                         const uint32_t *c, uint32_t immediate, uint32_t lanes)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        if (has(lanes, i)) {
            d[i] = num_lane(op, a ? a[i] : 0, b ? b[i] : 0, c ? c[i] : 0, immediate,
                            has(immediate, i));
        }
    }
}

/* One function for each operation, with NULL for the operands that it does not have: what callers
 * pass there need not be readable. */
#define LANES_FUNCTION(op, a_used, b_used, c_used)                                                 \
    static void run_##op(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,     \
                         uint32_t immediate, uint32_t lanes)                                       \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        run_lanes_op(NUM_LANES_##op, d, a_used, b_used, c_used, immediate, lanes);                 \
    }
#include "num/lanes_ops.def"
#undef LANES_FUNCTION

static uint32_t less(const uint32_t *x, const uint32_t *y)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        lanes |= (uint32_t)num_lane_less(x[i], y[i]) << i;
    }
    return lanes;
}

static uint32_t negative(const uint32_t *x)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        lanes |= (x[i] >> 31) << i;
    }
    return lanes;
}

static uint32_t nonzero(const uint32_t *x, uint32_t mask)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        lanes |= (uint32_t)((x[i] & mask) != 0) << i;
    }
    return lanes;
}

static void swap(uint32_t *x, uint32_t *y, uint32_t lanes)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        if (has(lanes, i)) {
            uint32_t old = x[i];
            x[i] = y[i];
            y[i] = old;
        }
    }
}

static void look_up(uint32_t *d, const uint32_t (*lreg)[NUM_LANES], enum num_lanes_table table,
                    bool keeps_the_sign, uint32_t lanes)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        if (has(lanes, i)) {
            uint32_t column[8] = {0};
            for (unsigned r = 0; r < 7; r++) {
                column[r] = lreg[r][i];
            }
            d[i] = num_lane_look_up(column, table, keeps_the_sign);
        }
    }
}

static void random_bits(uint32_t *state, uint32_t *bits, uint32_t lanes)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        if (has(lanes, i)) {
            uint32_t result = num_lane_random(&state[i]);
            if (bits) {
                bits[i] = result;
            }
        }
    }
}

/* Where a lane is among the words of four rows of Dst. */
static size_t place_of_lane(uint32_t odd, unsigned lane)
{
    return 2 * (size_t)lane + has(odd, lane);
}

static void load_lanes(enum num_lanes_format format, uint32_t *d, const uint16_t *high,
                       const uint16_t *low, uint32_t odd, uint32_t lanes, uint32_t infinities)
{
    bool is_32bit = num_lanes_loads_32bit(format);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        if (has(lanes, i)) {
            size_t at = place_of_lane(odd, i);
            uint32_t stored = is_32bit ? (uint32_t)high[at] << 16 | low[at] : high[at];
            d[i] = num_lane_load(format, stored, d[i], has(infinities, i));
        }
    }
}

static void store_lanes(enum num_lanes_format format, const uint32_t *x, uint16_t *high,
                        uint16_t *low, uint32_t odd, uint32_t lanes)
{
    bool is_32bit = num_lanes_stores_32bit(format);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        if (has(lanes, i)) {
            size_t at = place_of_lane(odd, i);
            uint32_t stored = num_lane_store(format, x[i]);
            high[at] = (uint16_t)(is_32bit ? stored >> 16 : stored);
            if (is_32bit) {
                low[at] = (uint16_t)stored;
            }
        }
    }
}

static void load_all(enum num_lanes_format format, uint32_t *d, const uint16_t *rows, uint32_t odd)
{
    const uint16_t *low = num_lanes_loads_32bit(format) ? rows + NUM_LANES_LOW : rows;
    load_lanes(format, d, rows, low, odd, UINT32_MAX, 0);
}

static void store_all(enum num_lanes_format format, const uint32_t *x, uint16_t *rows, uint32_t odd)
{
    uint16_t *low = num_lanes_stores_32bit(format) ? rows + NUM_LANES_LOW : rows;
    store_lanes(format, x, rows, low, odd, UINT32_MAX);
}

#define LANES_FORMAT(token)                                                                        \
    static void load_##token(uint32_t *d, const uint16_t *high, const uint16_t *low, uint32_t odd, \
                             uint32_t lanes, uint32_t infinities)                                  \
    {                                                                                              \
        load_lanes(NUM_LANES_##token, d, high, low, odd, lanes, infinities);                       \
    }                                                                                              \
    static void store_##token(const uint32_t *x, uint16_t *high, uint16_t *low, uint32_t odd,      \
                              uint32_t lanes)                                                      \
    {                                                                                              \
        store_lanes(NUM_LANES_##token, x, high, low, odd, lanes);                                  \
    }                                                                                              \
    static void load_even_##token(uint32_t *d, const uint16_t *rows)                               \
    {                                                                                              \
        load_all(NUM_LANES_##token, d, rows, 0);                                                   \
    }                                                                                              \
    static void load_odd_##token(uint32_t *d, const uint16_t *rows)                                \
    {                                                                                              \
        load_all(NUM_LANES_##token, d, rows, UINT32_MAX);                                          \
    }                                                                                              \
    static void store_even_##token(const uint32_t *x, uint16_t *rows)                              \
    {                                                                                              \
        store_all(NUM_LANES_##token, x, rows, 0);                                                  \
    }                                                                                              \
    static void store_odd_##token(const uint32_t *x, uint16_t *rows)                               \
    {                                                                                              \
        store_all(NUM_LANES_##token, x, rows, UINT32_MAX);                                         \
    }
#include "num/lanes_formats.def"

const struct num_lanes_kernels num_lanes_reference = {
    .op =
        {
#define LANES_FUNCTION(op, a_used, b_used, c_used) [NUM_LANES_##op] = run_##op,
#include "num/lanes_ops.def"
#undef LANES_FUNCTION
        },
    .less = less,
    .negative = negative,
    .nonzero = nonzero,
    .swap = swap,
    .look_up = look_up,
    .random = random_bits,
    .load =
        {
#define LANES_FORMAT(token) [NUM_LANES_##token] = load_##token,
#include "num/lanes_formats.def"
        },
    .store =
        {
#define LANES_FORMAT(token) [NUM_LANES_##token] = store_##token,
#include "num/lanes_formats.def"
        },
    .load_all = {{
#define LANES_FORMAT(token) [NUM_LANES_##token] = load_even_##token,
#include "num/lanes_formats.def"
                 },
                 {
#define LANES_FORMAT(token) [NUM_LANES_##token] = load_odd_##token,
#include "num/lanes_formats.def"
                 }},
    .store_all = {{
#define LANES_FORMAT(token) [NUM_LANES_##token] = store_even_##token,
#include "num/lanes_formats.def"
                  },
                  {
#define LANES_FORMAT(token) [NUM_LANES_##token] = store_odd_##token,
#include "num/lanes_formats.def"
                  }},
};
