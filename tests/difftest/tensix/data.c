/* Contents of L1 that a step of a program names by a pattern and a seed: see data.h. */
#include "data.h"

#include "../common/random.h"

enum { ADDRESS_BITS = 17, ADDRESS_UNIT = 16, SIZE_UNIT = 64 };

uint32_t data_pack_place(struct data_place place)
{
    return place.address / ADDRESS_UNIT | place.bytes / SIZE_UNIT << ADDRESS_BITS;
}

struct data_place data_place_of(uint32_t word)
{
    return (struct data_place){
        .address = (word & ((UINT32_C(1) << ADDRESS_BITS) - 1)) * ADDRESS_UNIT,
        .bytes = (word >> ADDRESS_BITS) * SIZE_UNIT,
    };
}

/* A floating point format as the patterns see it. */
struct shape {
    uint8_t bytes, exponent_bits, mantissa_bits;
};

static const struct shape shapes[DATA_LAYOUTS] = {
    [DATA_FP32] = {4, 8, 23}, [DATA_BF16] = {2, 8, 7},   [DATA_FP16] = {2, 5, 10},
    [DATA_BYTES] = {1, 0, 8}, [DATA_WORDS] = {4, 8, 23},
};

static uint32_t join(const struct shape *shape, uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    return sign << (shape->exponent_bits + shape->mantissa_bits) |
           exponent << shape->mantissa_bits | mantissa;
}

static uint32_t bias_of(const struct shape *shape)
{
    return shape->exponent_bits ? (UINT32_C(1) << (shape->exponent_bits - 1)) - 1 : 0;
}

static uint32_t special(const struct shape *shape, struct random *random)
{
    uint32_t most = (UINT32_C(1) << shape->exponent_bits) - 1;
    uint32_t ones = (UINT32_C(1) << shape->mantissa_bits) - 1;
    uint32_t sign = random_below(random, 2), bits = (uint32_t)(random_next(random) >> 16) & ones;
    switch (random_below(random, 8)) {
    case 0:
        return join(shape, sign, 0, 0);
    case 1:
        return join(shape, sign, 0, bits); /* denormal */
    case 2:
        return join(shape, sign, 1, bits & 1 ? 0 : bits); /* smallest normals */
    case 3:
        return join(shape, sign, most - 1, bits & 1 ? ones : bits); /* largest */
    case 4:
        return join(shape, sign, most, 0);
    case 5:
        return join(shape, sign, most, bits);
    case 6:
        return join(shape, sign, most, ones);
    default:
        return join(shape, sign, bias_of(shape), bits & 3);
    }
}

static uint32_t narrow(const struct shape *shape, struct random *random)
{
    uint32_t ones = (UINT32_C(1) << shape->mantissa_bits) - 1;
    uint32_t spread = shape->exponent_bits > 5 ? 16 : 8;
    uint32_t exponent = bias_of(shape) + random_below(random, spread) - spread / 2;
    uint32_t mantissa = (uint32_t)(random_next(random) >> 16) & ones;
    uint32_t sign = random_below(random, 2); /* goldens depend on the order of the draws */
    return join(shape, sign, exponent, mantissa);
}

/* One of four magnitudes, which the seed gives. */
static uint32_t cancel(const struct shape *shape, uint32_t seed, struct random *random)
{
    struct random magnitude = {.state = seed + random_below(random, 4)};
    uint32_t value = narrow(shape, &magnitude);
    uint32_t sign = UINT32_C(1) << (shape->exponent_bits + shape->mantissa_bits);
    return random_once_in(random, 2) ? value ^ sign : value;
}

/* Bytes have no exponent of their own: exponents around 127, or small integers. */
static uint32_t byte_of(enum data_style style, struct random *random)
{
    uint32_t bits = (uint32_t)(random_next(random) >> 16) & 0xff;
    static const uint8_t edges[] = {0, 1, 2, 0x7f, 0x80, 0x81, 0xfe, 0xff};
    switch (style) {
    case DATA_ONES:
        return 127;
    case DATA_NARROW:
        return 120 + bits % 12;
    case DATA_SPECIAL:
        return edges[bits % sizeof edges];
    case DATA_CANCEL:
        return (bits & 0x80) | 0x35;
    default:
        return bits;
    }
}

/* --- Words of the Vector Unit --- */

/* Floats whose products and sums lie at the limits of the exponent. */
static uint32_t float_word(struct random *random)
{
    static const uint8_t edges[] = {1,   2,   23,  24,  25,  62,  63,  64,  65,  102, 103, 126,
                                    127, 128, 129, 150, 151, 189, 190, 191, 192, 230, 253, 254};
    if (random_once_in(random, 2)) {
        return narrow(&shapes[DATA_FP32], random);
    }
    uint32_t exponent = edges[random_below(random, sizeof edges)];
    uint32_t bits = (uint32_t)(random_next(random) >> 16);
    bits = random_once_in(random, 4) ? bits & 0x807f0000 : bits;
    return (bits & 0x807fffff) | exponent << 23;
}

static uint32_t integer_word(struct random *random)
{
    static const uint32_t corners[] = {
        0,         1,          0x7fffff,   0xffffff,   0x1000000,
        0x1000001, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
    };
    uint32_t power = UINT32_C(1) << random_below(random, 32);
    uint32_t step = random_below(random, 5) - 2, bits = (uint32_t)(random_next(random) >> 16);
    uint32_t value = 0;
    switch (random_below(random, 6)) {
    case 0:
        value = corners[random_below(random, sizeof corners / sizeof corners[0])];
        break;
    case 1:
        value = power + step;
        break;
    case 2:
        value = bits % 67 - 33; /* amounts of shifts */
        break;
    case 3:
        value = bits >> random_below(random, 32);
        break;
    case 4:
        return (0 - (bits >> random_below(random, 32)));
    default:
        value = 0x1000000 + (bits & 0xff) - 0x80; /* where FP32 loses bits */
    }
    return random_once_in(random, 3) ? value ^ 0x80000000 : value;
}

static uint32_t edge_word(struct random *random)
{
    static const uint32_t edges[] = {
        0x00800000, 0x3c000000, 0x3c800000, 0x3f000000, 0x3f320000, 0x3f800000, 0x3fc00000,
        0x40000000, 0x40400000, 0x40800000, 0x42fe0000, 0x42ff0000, 0x437f0000, 0x437f8000,
        0x46fffe00, 0x46ffff00, 0x477fff00, 0x477fff80, 0x47800000, 0x7e800000, 0x7f000000,
        0x7f7fffff, 0x7f800000, 0x7f80ffff, 0x7fc00000, 0x3effffff, 0x38800000, 0x477fe000,
    };
    uint32_t edge = edges[random_below(random, sizeof edges / sizeof edges[0])];
    uint32_t step = random_below(random, 7) - 3, bits = (uint32_t)(random_next(random) >> 16);
    uint32_t sign = random_below(random, 2) << 31;
    switch (random_below(random, 5)) {
    case 0: /* halves of a float of 16 bits, and pairs of 8 */
        return random_once_in(random, 2) ? bits | 0x7c000000 : bits | 0xff;
    case 1: /* a step of a table, at any exponent */
        return (sign | (bits & 0x7fff0000)) + step;
    case 2: /* halves of what BF16 and TF32 keep */
        return (sign | (bits & 0x7fffe000)) + (random_below(random, 2) ? 0x8000 : 0x1000) + step;
    default:
        return sign | (edge + step);
    }
}

static uint32_t pool_word(uint32_t seed, struct random *random)
{
    struct random magnitude = {.state = (seed >> 8) * UINT64_C(4) + random_below(random, 4)};
    uint32_t value = narrow(&shapes[DATA_FP32], &magnitude) & 0x7fffffff;
    uint32_t step = random_once_in(random, 2) ? 0 : random_below(random, 3) - 1;
    uint32_t sign = random_below(random, 2) << 31;
    return (value + step) | sign;
}

static uint32_t word_of(const struct step *step, enum data_words style, struct random *random)
{
    if (style == WORDS_MIXED) {
        style = (enum data_words)random_below(random, WORDS_MIXED);
    }
    switch (style) {
    case WORDS_FLOATS:
        return float_word(random);
    case WORDS_SPECIAL:
        return special(&shapes[DATA_FP32], random);
    case WORDS_INTEGERS:
        return integer_word(random);
    case WORDS_EDGES:
        return edge_word(random);
    default:
        return pool_word(step->seed, random);
    }
}

static uint32_t datum(const struct step *step, enum data_layout layout, enum data_style style,
                      struct random *random)
{
    const struct shape *shape = &shapes[layout];
    if (layout == DATA_WORDS) {
        return word_of(step, (enum data_words)style, random);
    }
    if (style == DATA_MIXED) {
        style = DATA_UNIFORM + random_below(random, DATA_MIXED - DATA_UNIFORM);
    }
    if (layout == DATA_BYTES) {
        return byte_of(style, random);
    }
    switch (style) {
    case DATA_ONES:
        return join(shape, 0, bias_of(shape), 0);
    case DATA_NARROW:
        return narrow(shape, random);
    case DATA_SPECIAL:
        return special(shape, random);
    case DATA_CANCEL:
        return cancel(shape, step->seed, random);
    default:
        return (uint32_t)(random_next(random) >> 16);
    }
}

void data_fill(const struct step *step, uint8_t *bytes)
{
    enum data_layout layout = step->number / DATA_STYLES % DATA_LAYOUTS;
    enum data_style style = step->number % DATA_STYLES;
    struct random random = {.state = step->seed};
    uint32_t size = data_place_of(step->word).bytes, width = shapes[layout].bytes;
    for (uint32_t at = 0; at < size; at += width) {
        uint32_t value = datum(step, layout, style, &random);
        for (uint32_t i = 0; i < width; i++) {
            bytes[at + i] = (uint8_t)(value >> 8 * i);
        }
    }
}
