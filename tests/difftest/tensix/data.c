/* Contents of L1 that a step of a program names by a pattern and a seed: see data.h. */
#include "data.h"

#include "../rv32/random.h"

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
    [DATA_FP32] = {4, 8, 23},
    [DATA_BF16] = {2, 8, 7},
    [DATA_FP16] = {2, 5, 10},
    [DATA_BYTES] = {1, 0, 8},
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

static uint32_t datum(const struct step *step, enum data_layout layout, enum data_style style,
                      struct random *random)
{
    const struct shape *shape = &shapes[layout];
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
