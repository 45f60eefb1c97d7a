/* See spec_float.h. */
#include "unit/rv32/spec_float.h"

#include "unit/rv32/rv32_harness.h"

__extension__ typedef unsigned __int128 wide;

enum kind { NOT_A_NUMBER, INFINITE, FINITE };

/* FINITE: (-1)^sign * magnitude * 2^exponent; magnitudes of unpacked numbers have at most 24 bits,
 * of products 48. */
struct real {
    enum kind kind;
    bool sign;
    wide magnitude;
    int exponent;
};

static const struct layout {
    unsigned fraction_bits, exponent_bits;
} layouts[] = {[SPEC_F32] = {23, 8}, [SPEC_F16] = {10, 5}, [SPEC_BF16] = {7, 8}};

const struct spec_float spec_single = {SPEC_F32, SPEC_RNE};

static uint32_t fraction(enum spec_format format, uint32_t a)
{
    return a & ((UINT32_C(1) << layouts[format].fraction_bits) - 1);
}

static uint32_t greatest_exponent(enum spec_format format)
{
    return (UINT32_C(1) << layouts[format].exponent_bits) - 1;
}

static uint32_t exponent_field(enum spec_format format, uint32_t a)
{
    return a >> layouts[format].fraction_bits & greatest_exponent(format);
}

/* log2 of the distance between denormals */
static int least_exponent(enum spec_format format)
{
    int bias = (1 << (layouts[format].exponent_bits - 1)) - 1;
    return 1 - bias - (int)layouts[format].fraction_bits;
}

uint32_t spec_sign_bit(enum spec_format format)
{
    return UINT32_C(1) << (layouts[format].fraction_bits + layouts[format].exponent_bits);
}

uint32_t spec_infinity(enum spec_format format)
{
    return greatest_exponent(format) << layouts[format].fraction_bits;
}

uint32_t spec_nan(enum spec_format format)
{
    return spec_infinity(format) | UINT32_C(1) << (layouts[format].fraction_bits - 1);
}

bool spec_is_finite(enum spec_format format, uint32_t a)
{
    return exponent_field(format, a) != greatest_exponent(format);
}

bool spec_is_nan(enum spec_format format, uint32_t a)
{
    return !spec_is_finite(format, a) && fraction(format, a);
}

bool spec_is_signalling(enum spec_format format, uint32_t a)
{
    return spec_is_nan(format, a) && !(a >> (layouts[format].fraction_bits - 1) & 1);
}

bool spec_is_denormal(enum spec_format format, uint32_t a)
{
    return !exponent_field(format, a) && fraction(format, a);
}

static struct real unpack(enum spec_format format, uint32_t a)
{
    struct real real = {.kind = FINITE, .sign = a & spec_sign_bit(format)};
    uint32_t exponent = exponent_field(format, a);
    if (exponent == greatest_exponent(format)) {
        real.kind = fraction(format, a) ? NOT_A_NUMBER : INFINITE;
        return real;
    }
    real.magnitude = fraction(format, a);
    real.exponent = least_exponent(format);
    if (exponent) {
        real.magnitude |= (wide)1 << layouts[format].fraction_bits;
        real.exponent += (int)exponent - 1;
    }
    return real;
}

static struct real unpack_flushed(enum spec_format format, uint32_t a)
{
    return unpack(format, spec_is_denormal(format, a) ? a & spec_sign_bit(format) : a);
}

static unsigned bit_length(wide value)
{
    unsigned length = 0;
    while (value >> length) {
        length++;
        if (length == 128) {
            break;
        }
    }
    return length;
}

/* value / 2^shift, the lowest bit set when anything was lost */
static wide jam(wide value, unsigned shift)
{
    if (shift >= 128) {
        return value != 0;
    }
    wide kept = value >> shift;
    return kept | (kept << shift != value);
}

/* value / 2^shift rounded to an integer */
static wide round_shift(wide value, unsigned shift, enum spec_rounding rounding)
{
    if (!shift) {
        return value;
    }
    wide doubled = shift > 1 ? jam(value, shift - 2) : value << 1; /* two bits below the point */
    wide whole = doubled >> 2;
    unsigned rest = (unsigned)(doubled & 3);
    bool up = rest == 3 || (rest == 2 && whole & 1);
    return rounding == SPEC_RNE && up ? whole + 1 : whole;
}

/* Packs a finite value; `flush` turns what is denormal after rounding to zero. */
static uint32_t pack(struct spec_float how, struct real real, bool flush)
{
    enum spec_format format = how.format;
    unsigned fraction_bits = layouts[format].fraction_bits;
    uint32_t sign = real.sign ? spec_sign_bit(format) : 0;
    if (!real.magnitude) {
        return sign;
    }
    int unit = (int)bit_length(real.magnitude) - 1 + real.exponent - (int)fraction_bits;
    unit = unit < least_exponent(format) ? least_exponent(format) : unit;
    int shift = unit - real.exponent;
    wide whole = shift > 0 ? round_shift(real.magnitude, (unsigned)shift, how.rounding)
                           : real.magnitude << -shift;
    if (whole >> (fraction_bits + 1)) {
        whole >>= 1; /* rounding reached the next power of two: the lost bit is zero */
        unit++;
    }
    if (!(whole >> fraction_bits)) {
        return flush ? sign : sign | (uint32_t)whole;
    }
    uint32_t exponent = (uint32_t)(unit - least_exponent(format)) + 1;
    if (exponent >= greatest_exponent(format)) {
        uint32_t infinity = spec_infinity(format);
        return sign | (how.rounding == SPEC_RNE ? infinity : infinity - 1);
    }
    return sign | exponent << fraction_bits | fraction(format, (uint32_t)whole);
}

/* Exact, except that bits 60 and more below the other operand are jammed. */
static struct real sum_of(struct real a, struct real b)
{
    if (!a.magnitude || !b.magnitude) {
        struct real sum = a.magnitude ? a : b;
        sum.sign = a.magnitude || b.magnitude ? sum.sign : a.sign && b.sign;
        return sum;
    }
    if (a.exponent < b.exponent) {
        struct real other = a;
        a = b;
        b = other;
    }
    int distance = a.exponent - b.exponent;
    int left = distance < 64 ? distance : 64;
    a.magnitude <<= left;
    a.exponent -= left;
    b.magnitude = jam(b.magnitude, (unsigned)(distance - left));
    struct real sum = {.kind = FINITE, .sign = a.sign, .exponent = a.exponent};
    if (a.sign == b.sign) {
        sum.magnitude = a.magnitude + b.magnitude;
    } else if (a.magnitude >= b.magnitude) {
        sum.magnitude = a.magnitude - b.magnitude;
    } else {
        sum.magnitude = b.magnitude - a.magnitude;
        sum.sign = b.sign;
    }
    sum.sign = sum.magnitude && sum.sign;
    return sum;
}

/* A sum with at least one operand that is no finite number. */
static uint32_t special_sum(enum spec_format format, struct real a, struct real b)
{
    bool opposite = a.kind == INFINITE && b.kind == INFINITE && a.sign != b.sign;
    if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER || opposite) {
        return spec_nan(format);
    }
    bool sign = a.kind == INFINITE ? a.sign : b.sign;
    return spec_infinity(format) | (sign ? spec_sign_bit(format) : 0);
}

uint32_t spec_add(struct spec_float how, uint32_t a, uint32_t b)
{
    struct real x = unpack_flushed(how.format, a), y = unpack_flushed(how.format, b);
    if (x.kind != FINITE || y.kind != FINITE) {
        return special_sum(how.format, x, y);
    }
    return pack(how, sum_of(x, y), true);
}

/* The exact product of flushed operands. */
static struct real product_of(enum spec_format format, uint32_t a, uint32_t b)
{
    struct real x = unpack_flushed(format, a), y = unpack_flushed(format, b);
    struct real product = {.kind = FINITE, .sign = x.sign != y.sign};
    bool infinite = x.kind == INFINITE || y.kind == INFINITE;
    bool zero = (x.kind == FINITE && !x.magnitude) || (y.kind == FINITE && !y.magnitude);
    if (x.kind == NOT_A_NUMBER || y.kind == NOT_A_NUMBER || (infinite && zero)) {
        product.kind = NOT_A_NUMBER;
    } else if (infinite) {
        product.kind = INFINITE;
    } else {
        product.magnitude = x.magnitude * y.magnitude;
        product.exponent = x.exponent + y.exponent;
    }
    return product;
}

uint32_t spec_mul(struct spec_float how, uint32_t a, uint32_t b)
{
    struct real product = product_of(how.format, a, b);
    if (product.kind == NOT_A_NUMBER) {
        return spec_nan(how.format);
    }
    if (product.kind == INFINITE) {
        return spec_infinity(how.format) | (product.sign ? spec_sign_bit(how.format) : 0);
    }
    return pack(how, product, true);
}

/* log2 of a finite value that is not zero, rounded down */
static int magnitude_log(struct real real)
{
    return (int)bit_length(real.magnitude) - 1 + real.exponent;
}

static int least_normal_log(enum spec_format format)
{
    return least_exponent(format) + (int)layouts[format].fraction_bits;
}

bool spec_mul_is_borderline(struct spec_float how, uint32_t a, uint32_t b)
{
    struct real product = product_of(how.format, a, b);
    if (product.kind != FINITE || !product.magnitude) {
        return false;
    }
    uint32_t packed = pack(how, product, true) & ~spec_sign_bit(how.format);
    return magnitude_log(product) < least_normal_log(how.format) && packed;
}

/*
 * FMA page: denormal inputs are zeros; a product that overflows is infinite, one that underflows is
 * exactly zero; else 23 of its bits are given up, leaving three below those of an F32 and one
 * above, the lowest being sticky; sum and rounding as usual, denormal results flushed.
 *
 * Where the prose is loose the page's program decides (it was run, not read): overflow and
 * underflow of the product go by the sum of the exponents alone, before a carry of the fractions;
 * an addend 27 or more binades below the product leaves no sticky bit; whether a sum too small for
 * a normal number rounds up to one is judged as if it lay in the binade right below.
 */
enum { LOST_ADDEND = 27, PRODUCT_SCALE = 26 };

/* log2 of a normal operand: the place of its leading one */
static int operand_log(uint32_t a)
{
    return (int)exponent_field(SPEC_F32, a) - 127;
}

static uint32_t fma_special(struct real product, struct real addend, uint32_t c)
{
    bool overflowed = product.kind == INFINITE && product.magnitude;
    return overflowed && addend.kind == INFINITE ? c : special_sum(SPEC_F32, product, addend);
}

static uint32_t fma_pack(struct real sum)
{
    int lack = -127 - magnitude_log(sum);
    sum.exponent += sum.magnitude && lack > 0 ? lack : 0;
    return pack(spec_single, sum, true);
}

uint32_t spec_fma(uint32_t a, uint32_t b, uint32_t c)
{
    struct real product = product_of(SPEC_F32, a, b), addend = unpack_flushed(SPEC_F32, c);
    int log = operand_log(a) + operand_log(b);
    bool counts = product.kind == FINITE && product.magnitude;
    if (counts && log > 127) {
        product.kind = INFINITE;
    }
    if (product.kind != FINITE || addend.kind != FINITE) {
        return fma_special(product, addend, c);
    }
    if (counts && log < -127) {
        product.magnitude = 0;
    }
    if (!product.magnitude || !addend.magnitude) {
        return pack(spec_single, sum_of(product, addend), true);
    }
    product.magnitude = jam(product.magnitude, 20); /* 48 bits to 28 */
    product.exponent = log - PRODUCT_SCALE;
    int below = log - operand_log(c);
    addend.magnitude <<= 3;
    addend.exponent -= 3;
    if (below >= LOST_ADDEND) {
        addend.magnitude = 0;
    } else if (below > 0) {
        addend.magnitude = jam(addend.magnitude, (unsigned)below);
        addend.exponent = product.exponent;
    } else {
        product.magnitude = jam(product.magnitude, (unsigned)-below);
        product.exponent = addend.exponent;
    }
    return fma_pack(sum_of(product, addend));
}

bool spec_fma_is_exact(struct spec_float how, uint32_t a, uint32_t b, uint32_t c, uint32_t *sum)
{
    struct real product = product_of(how.format, a, b), addend = unpack_flushed(how.format, c);
    if (product.kind != FINITE || addend.kind != FINITE) {
        return false;
    }
    struct real exact = sum_of(product, addend);
    struct spec_float truncate = {how.format, SPEC_RTZ};
    const struct real *parts[] = {&product, &exact};
    for (int i = 0; i < 2; i++) {
        uint32_t packed = pack(truncate, *parts[i], false);
        struct real back = unpack(how.format, packed);
        back.sign = !parts[i]->sign;
        if (spec_is_denormal(how.format, packed) || sum_of(*parts[i], back).magnitude) {
            return false;
        }
    }
    *sum = pack(how, exact, true);
    return true;
}

/* --- Comparison and selection --- */

static bool both_numbers(enum spec_format format, uint32_t a, uint32_t b)
{
    return !spec_is_nan(format, a) && !spec_is_nan(format, b);
}

/* The order of the values as integers; both zeros are 0. */
static int64_t rank(enum spec_format format, uint32_t a)
{
    int64_t magnitude = a & (spec_sign_bit(format) - 1);
    return a & spec_sign_bit(format) ? -magnitude : magnitude;
}

bool spec_equal(enum spec_format format, uint32_t a, uint32_t b)
{
    return both_numbers(format, a, b) && rank(format, a) == rank(format, b);
}

bool spec_less(enum spec_format format, uint32_t a, uint32_t b)
{
    return both_numbers(format, a, b) && rank(format, a) < rank(format, b);
}

static uint32_t select_number(enum spec_format format, uint32_t a, uint32_t b, bool greater)
{
    if (!both_numbers(format, a, b)) {
        bool none = spec_is_nan(format, a) && spec_is_nan(format, b);
        return none ? spec_nan(format) : spec_is_nan(format, a) ? b : a;
    }
    int64_t x = rank(format, a), y = rank(format, b);
    if (x == y) { /* equal patterns, or two zeros */
        bool want_sign = !greater;
        return ((a & spec_sign_bit(format)) != 0) == want_sign ? a : b;
    }
    return (x > y) == greater ? a : b;
}

uint32_t spec_min(enum spec_format format, uint32_t a, uint32_t b)
{
    return select_number(format, a, b, false);
}

uint32_t spec_max(enum spec_format format, uint32_t a, uint32_t b)
{
    return select_number(format, a, b, true);
}

uint32_t spec_inject(enum spec_format format, enum spec_sign_from from, uint32_t a, uint32_t b)
{
    uint32_t sign = b & spec_sign_bit(format);
    if (from == SPEC_SIGN_NOT) {
        sign ^= spec_sign_bit(format);
    } else if (from == SPEC_SIGN_XOR) {
        sign ^= a & spec_sign_bit(format);
    }
    return (a & (spec_sign_bit(format) - 1)) | sign;
}

uint32_t spec_class(enum spec_format format, uint32_t a)
{
    bool sign = a & spec_sign_bit(format);
    if (spec_is_nan(format, a)) {
        return spec_is_signalling(format, a) ? 1 << 8 : 1 << 9;
    }
    if (!spec_is_finite(format, a)) {
        return sign ? 1 << 0 : 1 << 7;
    }
    if (exponent_field(format, a)) {
        return sign ? 1 << 1 : 1 << 6;
    }
    if (fraction(format, a)) {
        return sign ? 1 << 2 : 1 << 5;
    }
    return sign ? 1 << 3 : 1 << 4;
}

/* --- Conversion --- */

uint32_t spec_to_integer(struct spec_float how, uint32_t a, unsigned bits, bool is_signed)
{
    struct real real = unpack(how.format, a);
    int64_t most = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    int64_t least = is_signed ? -most - 1 : 0;
    uint32_t mask = (uint32_t)(UINT64_C(0xffffffff) >> (32 - bits));
    if (real.kind == NOT_A_NUMBER) {
        return (uint32_t)most & mask;
    }
    bool large = real.kind == INFINITE || (real.magnitude && magnitude_log(real) >= 40);
    if (large) {
        return (uint32_t)(real.sign ? least : most) & mask;
    }
    wide whole = real.exponent >= 0
                     ? real.magnitude << real.exponent
                     : round_shift(real.magnitude, (unsigned)-real.exponent, how.rounding);
    int64_t value = real.sign ? -(int64_t)whole : (int64_t)whole;
    value = value > most ? most : value < least ? least : value;
    return (uint32_t)value & mask;
}

uint32_t spec_from_integer(struct spec_float how, uint32_t a, bool is_signed)
{
    struct real real = {.kind = FINITE, .sign = is_signed && a >> 31};
    real.magnitude = real.sign ? 0 - a : a;
    return pack(how, real, false);
}

uint32_t spec_convert(enum spec_format from, struct spec_float to, uint32_t a)
{
    struct real real = unpack(from, a);
    if (real.kind == NOT_A_NUMBER) {
        return spec_nan(to.format);
    }
    if (real.kind == INFINITE) {
        return spec_infinity(to.format) | (real.sign ? spec_sign_bit(to.format) : 0);
    }
    return pack(to, real, false);
}

/* --- Random patterns --- */

uint32_t spec_random(enum spec_format format, uint64_t *state, uint32_t near)
{
    unsigned fraction_bits = layouts[format].fraction_bits;
    uint32_t sign = harness_random(state) & 1 ? spec_sign_bit(format) : 0;
    uint32_t infinity = spec_infinity(format), one = UINT32_C(1) << fraction_bits;
    uint32_t bits = harness_random(state);
    uint32_t body = fraction(format, bits);
    switch (bits >> 26 & 3) {
    case 0:
        body = 0;
        break;
    case 1:
        body = one - 1;
        break;
    case 2:
        body &= one >> 1 | 1;
        break;
    default:
        break;
    }
    uint32_t exponent = harness_random(state) % (greatest_exponent(format) + 1);
    switch (harness_random(state) % 16) {
    case 0:
        return sign;
    case 1:
        return sign | infinity;
    case 2:
        return sign | infinity | fraction(format, bits);
    case 3:
        return sign | fraction(format, bits); /* denormal */
    case 4:
        return sign | one | body; /* the least binade */
    case 5:
        return sign | (infinity - one) | body; /* the greatest binade */
    case 6:
        return sign | exponent << fraction_bits | body;
    default:
        break;
    }
    uint32_t around = exponent_field(format, near) + (bits >> 20 & 7);
    around = around > 3 ? around - 3 : 1;
    around = around < greatest_exponent(format) ? around : greatest_exponent(format) - 1;
    return sign | around << fraction_bits | (bits >> 30 ? fraction(format, bits) : body);
}
