/*
 * Conversions between the data formats of a Tensix tile; see the header for pages and words.
 *
 * Every conversion goes through patterns: read a stored datum into its pattern, convert patterns,
 * store the pattern. Exponents of FP16 patterns are those of BF16 and FP32 less REBIAS.
 */
#include "num/tensix_format.h"

#include <stddef.h>

#include "num/fp32.h"
#include "num/random.h"

enum { REBIAS = 127 - 15 };

static const struct num_format_info formats[NUM_FORMATS] = {
    [NUM_FORMAT_FLOAT32] = {"Float32", 32, 8, 23, false, true},
    [NUM_FORMAT_FLOAT16] = {"Float16", 16, 5, 10, false, true},
    [NUM_FORMAT_BFP8] = {"Bfp8", 8, 5, 7, true, true},
    [NUM_FORMAT_BFP4] = {"Bfp4", 4, 5, 3, true, true},
    [NUM_FORMAT_TF32] = {"Tf32", 32, 8, 10, false, true},
    [NUM_FORMAT_FLOAT16_B] = {"Float16_b", 16, 8, 7, false, true},
    [NUM_FORMAT_BFP8_B] = {"Bfp8_b", 8, 8, 7, true, true},
    [NUM_FORMAT_BFP4_B] = {"Bfp4_b", 4, 8, 3, true, true},
    [NUM_FORMAT_INT32] = {"Int32", 32, 0, 31, false, true},
    [NUM_FORMAT_UINT16] = {"UInt16", 16, 0, 16, false, false},
    [NUM_FORMAT_LF8] = {"Lf8", 8, 5, 2, false, true},
    [NUM_FORMAT_BFP2] = {"Bfp2", 2, 5, 1, true, true},
    [NUM_FORMAT_INT8] = {"Int8", 8, 0, 7, false, true},
    [NUM_FORMAT_BFP2_B] = {"Bfp2_b", 2, 8, 1, true, true},
    [NUM_FORMAT_UINT32] = {"UInt32", 32, 0, 32, false, false},
    [NUM_FORMAT_FP8_E4M3] = {"Fp8_e4m3", 8, 4, 3, false, true},
    [NUM_FORMAT_UINT8] = {"UInt8", 8, 0, 8, false, false},
};

const struct num_format_info *num_format_info(unsigned format)
{
    return format < NUM_FORMATS && formats[format].name ? &formats[format] : NULL;
}

static bool is_block(unsigned format)
{
    return format < NUM_FORMATS && formats[format].is_block;
}

static bool has_narrow_exponent(unsigned format)
{
    unsigned bits = formats[format % NUM_FORMATS].exponent_bits;
    return bits == 5 || bits == 4;
}

/* --- Patterns --- */

/* FP16 from sign, an exponent of 8-bit bias and ten mantissa bits. An exponent that becomes 0 is
 * let through with its mantissa. */
static uint16_t fp16_from_wide(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    uint32_t bits = exponent < REBIAS        ? 0
                    : exponent > REBIAS + 31 ? 0x7fff
                                             : (exponent - REBIAS) << 10 | mantissa;
    return (uint16_t)(sign << 15 | bits);
}

static uint16_t fp16_from_fp32(uint32_t pattern)
{
    return fp16_from_wide(pattern >> 31, pattern >> 23 & 0xff, pattern >> 13 & 0x3ff);
}

static uint16_t fp16_from_bf16(uint32_t pattern)
{
    return fp16_from_fp32(pattern << 16);
}

static bool has_exponent(uint32_t pattern, unsigned mantissa_bits, uint32_t exponent_mask)
{
    return (pattern >> mantissa_bits & exponent_mask) != 0;
}

/* --- Rounding --- */

/*
 * `value` without its lowest bits, `cut` of them, 1 to 31: to nearest, ties away from zero, or
 * stochastic. GUESS: the latter goes up where the bits that go are not less than a random number,
 * as in SFPSTOCHRND, of at least 16 bits. So, as pages say of the packer, it is slightly biased
 * upwards and at times changes what needs no rounding.
 */
static uint32_t round_off(uint32_t value, unsigned cut, uint32_t *generator)
{
    if (!generator) {
        return (value >> cut) + (value >> (cut - 1) & 1);
    }
    unsigned width = cut < 16 ? 16 : cut;
    uint32_t gone = (value & ((UINT32_C(1) << cut) - 1)) << (width - cut);
    return (value >> cut) + (gone >= num_random_next(generator) >> (32 - width));
}

/* --- Blocks --- */

/* The magnitude with its leading one at bit 7, and by how much it moved up. */
static unsigned normalise_magnitude(unsigned datum, unsigned *magnitude)
{
    unsigned up = 1;
    *magnitude = (datum & 0x7f) << 1;
    while (!(*magnitude & 0x80)) {
        *magnitude <<= 1;
        up++;
    }
    return up - 1;
}

/* As a datum of eight bits: narrower ones have the upper bits of the magnitude. */
static unsigned widen_datum(enum num_format format, unsigned datum)
{
    return datum << (8 - formats[format].bits) & 0xff;
}

uint16_t num_block_to_half(enum num_format format, uint8_t datum, uint8_t exponent)
{
    unsigned wide = widen_datum(format, datum);
    unsigned sign = wide >> 7 << 15;
    bool is_narrow = has_narrow_exponent(format);
    if (!(wide & 0x7f)) {
        return (uint16_t)(sign ? (is_narrow ? 0xfc00 : 0xff80) : 0);
    }
    unsigned magnitude;
    unsigned raw = exponent - normalise_magnitude(wide, &magnitude);
    unsigned fraction = magnitude & 0x7f;
    return (uint16_t)(is_narrow ? sign | (raw & 0x1f) << 10 | fraction << 3
                                : sign | (raw & 0xff) << 7 | fraction);
}

bool num_block_is_defined(enum num_format format, uint8_t datum, uint8_t exponent)
{
    unsigned wide = widen_datum(format, datum);
    if (!has_narrow_exponent(format) || !(wide & 0x7f)) {
        return true;
    }
    unsigned magnitude;
    return exponent - normalise_magnitude(wide, &magnitude) <= 0x1f;
}

/* The magnitude of 7 bits under a shared exponent that lies `behind` binades above. GUESS: what is
 * zero or lies too far below remains so when rounding is stochastic. */
static unsigned block_magnitude(unsigned significand, unsigned behind, uint32_t *generator)
{
    unsigned rounded = round_off(significand, behind < 7 ? behind + 1 : 8, generator);
    if (behind > 7 || !significand) {
        return 0;
    }
    return rounded < 0x80 ? rounded : 0x7f;
}

void num_block_from_halves(enum num_format format, const uint16_t halves[NUM_BLOCK_DATUMS],
                           uint8_t *exponent, uint8_t datums[NUM_BLOCK_DATUMS])
{
    num_block_from_halves_stochastic(format, halves, exponent, datums, NULL);
}

void num_block_from_halves_stochastic(enum num_format format,
                                      const uint16_t halves[NUM_BLOCK_DATUMS], uint8_t *exponent,
                                      uint8_t datums[NUM_BLOCK_DATUMS], uint32_t *generator)
{
    bool is_narrow = has_narrow_exponent(format);
    unsigned bits = formats[format].bits;
    unsigned exponents[NUM_BLOCK_DATUMS];
    unsigned greatest = 0;
    for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
        exponents[i] = is_narrow ? halves[i] >> 10 & 0x1f : halves[i] >> 7 & 0xff;
        greatest = exponents[i] > greatest ? exponents[i] : greatest;
    }
    for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
        unsigned fraction = halves[i] >> (is_narrow ? 3 : 0) & 0x7f;
        unsigned significand = fraction | (exponents[i] ? 0x80 : 0);
        unsigned rounded = block_magnitude(significand, greatest - exponents[i], generator);
        unsigned magnitude = rounded >> (8 - bits);
        unsigned sign = magnitude ? halves[i] >> 15 : 0;
        datums[i] = (uint8_t)(sign << (bits - 1) | magnitude);
    }
    *exponent = (uint8_t)greatest;
}

/* --- Unpackers --- */

/* What a register file is to hold. */
enum unpacked { UNPACKED_FP32, UNPACKED_TF32, UNPACKED_BF16, UNPACKED_FP16, UNPACKED_INT16 };

static bool is_wide_float(unsigned code)
{
    return code == NUM_FORMAT_FLOAT32 || code == NUM_FORMAT_TF32;
}

bool num_unpack_is_legal(unsigned in, unsigned out, bool to_dst)
{
    if (in >= 1 << NUM_FORMAT_CODE_BITS || out >= 1 << NUM_FORMAT_CODE_BITS ||
        !num_format_info(in) || !num_format_info(out)) {
        return false;
    }
    if (is_wide_float(in)) {
        return out == NUM_FORMAT_FLOAT16 || out == NUM_FORMAT_FLOAT16_B || out == NUM_FORMAT_TF32 ||
               (out == NUM_FORMAT_FLOAT32 && to_dst);
    }
    if (in == out) {
        return in != NUM_FORMAT_INT32 || to_dst;
    }
    switch (formats[in].exponent_bits) {
    case 5:
        return out == NUM_FORMAT_FLOAT16;
    case 8:
        return (out == NUM_FORMAT_TF32 && !to_dst) ||
               (is_block(in) && (out == NUM_FORMAT_FLOAT16_B || out == NUM_FORMAT_BFP8_B));
    default:
        return false;
    }
}

/* `in` is a code or its extension. */
static enum unpacked unpacked_as(unsigned in, unsigned out)
{
    unsigned code = in & ((1 << NUM_FORMAT_CODE_BITS) - 1);
    if (is_wide_float(code)) {
        return out == NUM_FORMAT_FLOAT16     ? UNPACKED_FP16
               : out == NUM_FORMAT_FLOAT16_B ? UNPACKED_BF16
               : out == NUM_FORMAT_TF32      ? UNPACKED_TF32
                                             : UNPACKED_FP32;
    }
    switch (code) {
    case NUM_FORMAT_INT32:
        return UNPACKED_FP32; /* stored like it */
    case NUM_FORMAT_UINT16:
        return UNPACKED_INT16;
    case NUM_FORMAT_INT8:
        return UNPACKED_FP16; /* the integer "8" overlays it */
    default:
        return formats[code].exponent_bits == 5 ? UNPACKED_FP16 : UNPACKED_BF16;
    }
}

bool num_unpack_is_32bit(unsigned in, unsigned out)
{
    enum unpacked as = unpacked_as(in, out);
    return as == UNPACKED_FP32 || as == UNPACKED_TF32;
}

/* HW: all ones below the sign are the greatest number of either FP8, and become FP16's. */
static uint32_t fp16_from_fp8(enum num_format in, uint32_t datum)
{
    uint32_t sign = (datum & 0x80) << 8;
    uint32_t rest = datum & 0x7f;
    if (in == NUM_FORMAT_LF8) {
        return sign | rest << 8 | (rest == 0x7f ? 0xff : 0);
    }
    uint32_t exponent = rest >> 3;
    uint32_t mantissa = rest == 0x7f ? 0x3ff : (rest & 7) << 7;
    return sign | (exponent ? exponent + (15 - 7) : 0) << 10 | mantissa;
}

static uint32_t fp16_from_int8(enum num_format in, uint32_t datum)
{
    uint32_t sign = in == NUM_FORMAT_UINT8 ? 0 : datum & 0x80;
    uint32_t magnitude = (datum & 0xff) - sign;
    return sign << 8 | (magnitude ? 16 << 10 : 0) | magnitude;
}

/* The pattern of what unpacked_as says. */
static uint32_t unpack_pattern(enum num_format in, unsigned out, uint32_t datum, uint8_t exponent)
{
    switch (in) {
    case NUM_FORMAT_FLOAT32:
    case NUM_FORMAT_TF32:
        if (out == NUM_FORMAT_FLOAT16) {
            return fp16_from_fp32(datum);
        }
        if (out == NUM_FORMAT_FLOAT16_B) {
            return has_exponent(datum, 23, 0xff) ? datum >> 16 : datum >> 31 << 15;
        }
        return datum;
    case NUM_FORMAT_LF8:
    case NUM_FORMAT_FP8_E4M3:
        return fp16_from_fp8(in, datum);
    case NUM_FORMAT_INT8:
    case NUM_FORMAT_UINT8:
        return fp16_from_int8(in, datum);
    default:
        return is_block(in) ? num_block_to_half(in, (uint8_t)datum, exponent) : datum;
    }
}

uint32_t num_unpack_to_src(enum num_format in, unsigned out, uint32_t datum, uint8_t exponent)
{
    uint32_t pattern = unpack_pattern(in, out, datum, exponent);
    switch (unpacked_as(in, out)) {
    case UNPACKED_FP16:
        return num_src_from_fp16((uint16_t)pattern);
    case UNPACKED_BF16:
        return num_src_from_bf16((uint16_t)pattern);
    case UNPACKED_INT16:
        return num_src_from_int16((uint16_t)pattern);
    default:
        return num_src_from_tf32(pattern >> 13);
    }
}

uint32_t num_unpack_to_dst(enum num_format in, unsigned out, uint32_t datum, uint8_t exponent)
{
    uint32_t pattern = unpack_pattern(in, out, datum, exponent);
    switch (unpacked_as(in, out)) {
    case UNPACKED_FP16:
        return num_dst_from_fp16((uint16_t)pattern);
    case UNPACKED_BF16:
        return num_dst_from_bf16((uint16_t)pattern);
    case UNPACKED_INT16:
        return pattern & 0xffff;
    default:
        return num_dst_from_fp32(pattern); /* in Dst, TF32 means FP32 */
    }
}

/* --- Packer, early conversion --- */

static enum num_pack_kind early_kind_32bit(const struct num_pack_early *early)
{
    switch (early->format) {
    case NUM_FORMAT_INT32:
        return NUM_PACK_INT32;
    case NUM_FORMAT_FLOAT32:
        return early->is_raw || !early->rounds_10bit ? NUM_PACK_FP32 : NUM_PACK_TF32;
    case NUM_FORMAT_TF32:
        return early->is_raw ? NUM_PACK_FP32 : NUM_PACK_TF32;
    case NUM_FORMAT_FLOAT16:
        /* As ttsim on Blackhole; WormholeB0 pages ask for BF16 here. */
        return early->rounds_10bit && !early->is_raw ? NUM_PACK_TF32 : NUM_PACK_NONE;
    case NUM_FORMAT_FLOAT16_B:
        return early->rounds_10bit && !early->is_raw && has_narrow_exponent(early->output)
                   ? NUM_PACK_TF32
                   : NUM_PACK_BF16;
    case NUM_FORMAT_BFP8_B:
        return early->is_raw ? NUM_PACK_BF16 : NUM_PACK_E8M6;
    case NUM_FORMAT_UINT16:
        return NUM_PACK_INT16; /* ttsim; the page knows no such conversion */
    case NUM_FORMAT_INT8:
        return early->is_unsigned ? NUM_PACK_UINT8 : NUM_PACK_INT8;
    default:
        return NUM_PACK_NONE;
    }
}

static enum num_pack_kind early_kind_16bit(const struct num_pack_early *early)
{
    switch (early->format) {
    case NUM_FORMAT_FLOAT32:
        return early->rounds_10bit && !early->is_raw ? NUM_PACK_TF32 : NUM_PACK_NONE;
    case NUM_FORMAT_TF32:
        return early->is_raw ? NUM_PACK_NONE : NUM_PACK_TF32;
    case NUM_FORMAT_FLOAT16:
        return NUM_PACK_FP16;
    case NUM_FORMAT_BFP8:
        return early->is_raw ? NUM_PACK_E5M7 : NUM_PACK_E5M6;
    case NUM_FORMAT_LF8:
        return early->is_raw ? NUM_PACK_FP8 : NUM_PACK_NONE;
    case NUM_FORMAT_FLOAT16_B:
        return early->rounds_10bit && !early->is_raw && has_narrow_exponent(early->output)
                   ? NUM_PACK_TF32
                   : NUM_PACK_BF16;
    case NUM_FORMAT_BFP8_B:
        return early->is_raw ? NUM_PACK_BF16 : NUM_PACK_E8M6;
    case NUM_FORMAT_UINT16:
        return NUM_PACK_INT16;
    case NUM_FORMAT_INT8:
        return early->is_raw && !early->is_unsigned ? NUM_PACK_INT8 : NUM_PACK_NONE;
    default:
        return NUM_PACK_NONE;
    }
}

enum num_pack_kind num_pack_early_kind(const struct num_pack_early *early)
{
    return early->is_32bit ? early_kind_32bit(early) : early_kind_16bit(early);
}

/* FP32 to its upper `32 - cut` bits. NaNs become infinities, what lies below the least normal
 * number afterwards becomes +0. */
static uint32_t round_fp32(uint32_t pattern, unsigned cut, uint32_t *generator)
{
    uint32_t rounded = round_off(pattern, cut, generator);
    if ((pattern & ~NUM_FP32_SIGN) >= NUM_FP32_INFINITY) {
        return ((pattern & NUM_FP32_SIGN) | NUM_FP32_INFINITY) >> cut;
    }
    return has_exponent(rounded, 23 - cut, 0xff) ? rounded : 0;
}

/* A magnitude of Dst's integers as 8 bits. */
static uint32_t early_int8(const struct num_pack_early *early, uint32_t pattern)
{
    uint32_t sign = pattern >> 31;
    uint32_t magnitude = pattern & INT32_MAX;
    if (early->is_raw) {
        return early->is_unsigned ? magnitude & 0xff : sign << 7 | (magnitude & 0x7f);
    }
    unsigned shift = early->right_shift & 31;
    if (shift) {
        magnitude = round_off(magnitude, shift, early->generator);
    }
    if (early->is_unsigned) {
        return sign ? 0 : magnitude < 0xff ? magnitude : 0xff;
    }
    return sign << 7 | (magnitude < 0x7f ? magnitude : 0x7f);
}

static uint32_t early_from_32bit(const struct num_pack_early *early, enum num_pack_kind kind,
                                 uint32_t stored)
{
    uint32_t pattern = num_fp32_from_dst(stored);
    switch (kind) {
    case NUM_PACK_TF32:
        return round_fp32(pattern, 13, early->generator);
    case NUM_PACK_BF16:
        return early->is_raw ? pattern >> 16 : round_fp32(pattern, 16, early->generator);
    case NUM_PACK_E8M6:
        return round_fp32(pattern, 17, early->generator) << 1;
    case NUM_PACK_INT16:
        return stored >> 16;
    case NUM_PACK_INT8:
    case NUM_PACK_UINT8:
        return early_int8(early, pattern);
    default:
        return pattern;
    }
}

/* BF16 with denormals as +0 and NaNs as infinities. Loses no bits, so this is never stochastic. */
static uint32_t clean_bf16(uint32_t pattern)
{
    return round_fp32(pattern << 16, 16, NULL);
}

/* The magnitude saturates; what is a denormal after rounding becomes +0. */
static uint32_t round_to_e5m6(uint32_t pattern, uint32_t *generator)
{
    uint32_t rounded = round_off(pattern & 0x7fff, 4, generator) << 4;
    rounded = rounded < 0x8000 ? rounded : 0x7ff0;
    return has_exponent(rounded, 10, 0x1f) ? (pattern & 0x8000) | rounded : 0;
}

static uint32_t early_from_16bit(const struct num_pack_early *early, enum num_pack_kind kind,
                                 uint32_t stored)
{
    uint32_t fp16 = num_fp16_from_dst((uint16_t)stored);
    uint32_t bf16 = num_bf16_from_dst((uint16_t)stored);
    switch (kind) {
    case NUM_PACK_TF32:
        return clean_bf16(bf16) << 3;
    case NUM_PACK_BF16:
        return early->is_raw ? bf16 : clean_bf16(bf16);
    case NUM_PACK_E8M6:
        return round_fp32(clean_bf16(bf16) << 16, 17, early->generator) << 1;
    case NUM_PACK_FP16:
        if (early->rounds_10bit) {
            return fp16_from_bf16(bf16); /* HW: Dst counts as BF16 then; -0 stays */
        }
        return early->is_raw || has_exponent(fp16, 10, 0x1f) ? fp16 : 0;
    case NUM_PACK_E5M7:
        return fp16 & 0xfff8;
    case NUM_PACK_E5M6:
        return round_to_e5m6(fp16, early->generator);
    case NUM_PACK_FP8:
        return fp16 & 0xff00;
    case NUM_PACK_INT8:
        return stored >> 8 & 0x80;
    default:
        return stored & 0xffff;
    }
}

uint32_t num_pack_early(const struct num_pack_early *early, enum num_pack_kind kind,
                        uint32_t stored)
{
    return early->is_32bit ? early_from_32bit(early, kind, stored)
                           : early_from_16bit(early, kind, stored & 0xffff);
}

/* --- Packer, late conversion --- */

static bool is_float_kind(enum num_pack_kind kind)
{
    return kind >= NUM_PACK_FP32 && kind <= NUM_PACK_FP8;
}

static bool is_narrow_kind(enum num_pack_kind kind)
{
    return kind >= NUM_PACK_FP16 && kind <= NUM_PACK_FP8;
}

bool num_pack_late_is_legal(enum num_pack_kind kind, enum num_format to)
{
    switch (to) {
    case NUM_FORMAT_INT32:
    case NUM_FORMAT_UINT32:
        return kind == NUM_PACK_INT32;
    case NUM_FORMAT_UINT16:
        return kind == NUM_PACK_INT16;
    case NUM_FORMAT_INT8:
    case NUM_FORMAT_UINT8:
        return kind == NUM_PACK_INT8 || kind == NUM_PACK_UINT8;
    case NUM_FORMAT_TF32:
        return is_float_kind(kind) && kind != NUM_PACK_FP32;
    default:
        return is_float_kind(kind) && num_format_info(to);
    }
}

/* FP16 to FP32. HW: a denormal keeps its mantissa below an exponent of 0, and is no longer worth
 * what it was. */
static uint32_t fp32_from_fp16(uint32_t pattern)
{
    uint32_t rest = (pattern & 0x7fff) << 13;
    return (pattern & 0x8000) << 16 |
           (has_exponent(pattern, 10, 0x1f) ? rest + (REBIAS << 23) : rest);
}

static uint32_t late_to_fp32(enum num_pack_kind kind, uint32_t pattern)
{
    if (is_narrow_kind(kind)) {
        return fp32_from_fp16(pattern);
    }
    return kind == NUM_PACK_FP32 ? pattern : kind == NUM_PACK_TF32 ? pattern << 13 : pattern << 16;
}

/* Where the mantissa is cut, denormals become +0. HW: also on the way from FP16; GUESS: E5M7, E5M6
 * and FP8, which lose no bits, likewise. */
static uint32_t late_to_bf16(enum num_pack_kind kind, uint32_t pattern)
{
    if (kind == NUM_PACK_BF16 || kind == NUM_PACK_E8M6) {
        return pattern;
    }
    uint32_t wide = late_to_fp32(kind, pattern);
    return has_exponent(wide, 23, 0xff) ? wide >> 16 : 0;
}

static uint32_t late_to_fp16(enum num_pack_kind kind, uint32_t pattern)
{
    return is_narrow_kind(kind) ? pattern : fp16_from_fp32(late_to_fp32(kind, pattern));
}

/* GUESS: from FP16, TF32, ... denormals become zeros of their sign as they do in E4M3. */
static uint32_t late_to_lf8(enum num_pack_kind kind, uint32_t pattern)
{
    uint32_t half = late_to_fp16(kind, pattern);
    bool is_kept = kind == NUM_PACK_FP8 || has_exponent(half, 10, 0x1f);
    return is_kept ? half >> 8 : half >> 8 & 0x80;
}

static uint32_t late_to_e4m3(enum num_pack_kind kind, uint32_t pattern)
{
    uint32_t half = late_to_fp16(kind, pattern);
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t rest = exponent <= 15 - 7       ? 0
                    : exponent > 15 - 7 + 15 ? 0x7f
                                             : (exponent - (15 - 7)) << 3 | (half >> 7 & 7);
    return (half >> 8 & 0x80) | rest;
}

/* GUESS: as BF16, where mantissa bits are cut; the others keep denormals. */
static uint32_t late_to_e5m7(enum num_pack_kind kind, uint32_t pattern)
{
    uint32_t half = late_to_fp16(kind, pattern);
    bool is_kept = (is_narrow_kind(kind) && kind != NUM_PACK_FP16) || has_exponent(half, 10, 0x1f);
    return is_kept ? half & 0xfff8 : 0;
}

uint32_t num_pack_late(enum num_pack_kind kind, enum num_format to, uint32_t pattern)
{
    switch (to) {
    case NUM_FORMAT_FLOAT32:
    case NUM_FORMAT_TF32:
        return late_to_fp32(kind, pattern);
    case NUM_FORMAT_FLOAT16_B:
    case NUM_FORMAT_BFP8_B:
    case NUM_FORMAT_BFP4_B:
    case NUM_FORMAT_BFP2_B:
        return late_to_bf16(kind, pattern);
    case NUM_FORMAT_FLOAT16:
        return late_to_fp16(kind, pattern);
    case NUM_FORMAT_LF8:
        return late_to_lf8(kind, pattern);
    case NUM_FORMAT_FP8_E4M3:
        return late_to_e4m3(kind, pattern);
    case NUM_FORMAT_BFP8:
    case NUM_FORMAT_BFP4:
    case NUM_FORMAT_BFP2:
        return late_to_e5m7(kind, pattern);
    default:
        return pattern;
    }
}

/* --- L1 accumulation --- */

/* The upper 32 - cut bits of a finite FP32, to nearest even. */
static uint32_t nearest_even(uint32_t pattern, unsigned cut)
{
    uint32_t half = UINT32_C(1) << (cut - 1);
    return (pattern + half - 1 + (pattern >> cut & 1)) >> cut;
}

static uint32_t accumulate_fp16(uint32_t old, uint32_t datum)
{
    uint32_t flags = 0;
    uint32_t x = has_exponent(old, 10, 0x1f) ? fp32_from_fp16(old) : (old & 0x8000) << 16;
    uint32_t y = has_exponent(datum, 10, 0x1f) ? fp32_from_fp16(datum) : (datum & 0x8000) << 16;
    uint32_t sum = num_fp32_add(x, y, &flags);
    uint32_t sign = sum >> 16 & 0x8000;
    uint32_t exponent = sum >> 23 & 0xff;
    if (!(sum & INT32_MAX)) {
        return sign | ((old >> 10 & 0x1f) >= 30 ? 0x7fff : 0);
    }
    if (exponent <= REBIAS) {
        return sign | (exponent < REBIAS ? 0x7fff : 0);
    }
    uint32_t bits = nearest_even((sum & INT32_MAX) - (REBIAS << 23), 13);
    return sign | (bits < 0x7fff ? bits : 0x7fff);
}

/* A BF16 NaN in L1 outweighs all finite numbers; one that arrives has an exponent of 255 like any
 * other number. Infinities come first. */
static uint32_t accumulate_bf16(uint32_t old, uint32_t datum)
{
    uint32_t old_rest = old & 0x7fff;
    uint32_t datum_rest = datum & 0x7fff;
    if (old_rest == 0x7f80 || datum_rest == 0x7f80) {
        bool cancels = old_rest == datum_rest && old != datum;
        return cancels ? 0x7fc0 : old_rest == 0x7f80 ? old : datum;
    }
    if (old_rest > 0x7f80) {
        return (old & 0x8000) | 0x7f80;
    }
    uint32_t flags = 0;
    if (datum_rest <= 0x7f80) {
        uint32_t sum = num_fp32_add(old << 16, datum << 16, &flags);
        return sum >> 31 << 15 | nearest_even(sum & INT32_MAX, 16);
    }
    /* A binade lower, where FP32 has room; then back. Halving makes no difference to rounding: the
     * sum lies well above the least normal number. */
    uint32_t halved = has_exponent(old, 7, 0xff) && old_rest >= 0x100 ? old - 0x80 : old & 0x8000;
    uint32_t sum = num_fp32_add(halved << 16, (datum - 0x80) << 16, &flags);
    uint32_t bits = nearest_even(sum & INT32_MAX, 16) + 0x80;
    return sum >> 31 << 15 | (bits < 0x7f80 ? bits : 0x7f80);
}

uint32_t num_pack_accumulate(enum num_format format, uint32_t old, uint32_t datum)
{
    switch (format) {
    case NUM_FORMAT_FLOAT16:
        return accumulate_fp16(old, datum);
    case NUM_FORMAT_FLOAT16_B:
        return accumulate_bf16(old, datum);
    default: {
        uint32_t flags = 0;
        return num_fp32_add(old, datum, &flags);
    }
    }
}

uint32_t num_pack_minus_infinity(enum num_pack_kind kind)
{
    static const uint32_t patterns[NUM_PACK_KINDS] = {
        [NUM_PACK_FP32] = 0xff800000, [NUM_PACK_TF32] = 0x7fc00, [NUM_PACK_BF16] = 0xff80,
        [NUM_PACK_E8M6] = 0xff80,     [NUM_PACK_FP16] = 0xffff,  [NUM_PACK_E5M7] = 0xfff8,
        [NUM_PACK_E5M6] = 0xfff0,     [NUM_PACK_FP8] = 0xff00,   [NUM_PACK_INT32] = 0xffffffff,
        [NUM_PACK_INT16] = 0xffff,    [NUM_PACK_INT8] = 0xff,
    };
    return patterns[kind];
}

/* --- ReLU --- */

/* The highest bit of a pattern, which is the sign's but for UINT8, and the threshold's highest. */
static unsigned relu_top(enum num_pack_kind kind)
{
    switch (kind) {
    case NUM_PACK_FP32:
    case NUM_PACK_INT32:
        return 31;
    case NUM_PACK_TF32:
        return 18;
    case NUM_PACK_INT8:
    case NUM_PACK_UINT8:
        return 7;
    default:
        return 15;
    }
}

uint32_t num_pack_relu(const struct num_pack_relu *relu, enum num_pack_kind kind, uint32_t pattern)
{
    unsigned mode = relu->mode & 3;
    if (mode == NUM_RELU_NONE) {
        return pattern;
    }
    unsigned top = relu_top(kind);
    uint32_t threshold = ((uint32_t)relu->threshold << 16) >> (31 - top);
    if (kind != NUM_PACK_UINT8 && pattern >> top & 1) {
        return 0;
    }
    if (mode == NUM_RELU_MIN_THRESHOLD) {
        return pattern <= threshold ? 0 : pattern;
    }
    /* HW: of 32 bits, the upper 19 are compared here. */
    unsigned ignored = top == 31 ? 13 : 0;
    bool is_above = pattern >> ignored > threshold >> ignored;
    return mode == NUM_RELU_MAX_THRESHOLD && is_above ? threshold : pattern;
}
