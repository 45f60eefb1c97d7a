/*
 * The data formats of a Tensix tile, their encodings in L1, SrcA, SrcB and Dst, and the
 * conversions of the unpackers and the packer. Pure functions on bit patterns, exact, no host
 * floating point, safe from any thread.
 *
 * SPEC: WormholeB0 Unpackers/FormatConversion, Packers/FormatConversion, FloatBitPatterns,
 * UNPACR_Regular (supporting definitions), BlackholeA0 Dst (pseudocode helpers); tt_llk_blackhole
 * cunpack_common.h for pairs of formats; ttsim where a page gives no bits.
 *
 * The words used below. A datum's *pattern* has its fields from the top as sign, exponent, mantissa
 * (FP32, TF32 in 19 bits, BF16, FP16), integers are sign and magnitude. A *stored* datum has the
 * bits as a register file holds them: sign, mantissa, exponent in Src (19 bits: 1, 10, 8) and in
 * Dst of 16 bits; in Dst of 32 bits that order holds for the upper half, the lower half is plain.
 */
#ifndef NUM_TENSIX_FORMAT_H
#define NUM_TENSIX_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Values of DataFormat in tensix_types.h. The configuration registers have the low four bits; bit 4
 * stands for a mode that is configured elsewhere (SrcAUnsigned, Read_unsigned, *_LF8_4b_exp).
 */
enum num_format {
    NUM_FORMAT_FLOAT32 = 0,
    NUM_FORMAT_FLOAT16 = 1,
    NUM_FORMAT_BFP8 = 2, /* exponents of 5 bits: the A family */
    NUM_FORMAT_BFP4 = 3,
    NUM_FORMAT_TF32 = 4,
    NUM_FORMAT_FLOAT16_B = 5,
    NUM_FORMAT_BFP8_B = 6, /* exponents of 8 bits: the B family */
    NUM_FORMAT_BFP4_B = 7,
    NUM_FORMAT_INT32 = 8,
    NUM_FORMAT_UINT16 = 9,
    NUM_FORMAT_LF8 = 10, /* E5M2 */
    NUM_FORMAT_BFP2 = 11,
    NUM_FORMAT_INT8 = 14,
    NUM_FORMAT_BFP2_B = 15,
    NUM_FORMAT_UINT32 = 24,
    NUM_FORMAT_FP8_E4M3 = 26,
    NUM_FORMAT_UINT8 = 30,
};

enum { NUM_FORMAT_CODE_BITS = 4, NUM_FORMATS = 32, NUM_BLOCK_DATUMS = 16 };

/* A format in L1. Integers have no exponent; blocks share one (of a byte in L1) among
 * NUM_BLOCK_DATUMS datums, and their mantissa is a magnitude without a hidden one. */
struct num_format_info {
    const char *name;
    uint8_t bits; /* of one datum, the shared exponent not counted */
    uint8_t exponent_bits;
    uint8_t mantissa_bits;
    bool is_block;
    bool is_signed;
};

/* NULL for numbers that are no format: 12, 13 and most above 15. */
const struct num_format_info *num_format_info(unsigned format);

/* The format that a code of four bits and its mode bits mean; modes count only where they apply. */
static inline unsigned num_format_of(unsigned code, bool is_unsigned, bool is_e4m3)
{
    code &= (1 << NUM_FORMAT_CODE_BITS) - 1;
    bool is_extended = (is_unsigned && (code == NUM_FORMAT_INT8 || code == NUM_FORMAT_INT32)) ||
                       (is_e4m3 && code == NUM_FORMAT_LF8);
    return code | (is_extended ? 1U << NUM_FORMAT_CODE_BITS : 0);
}

static inline unsigned num_format_code(enum num_format format)
{
    return format & ((1U << NUM_FORMAT_CODE_BITS) - 1);
}

/* --- What the register files store --- */

static inline uint16_t num_dst_from_bf16(uint16_t pattern)
{
    return (uint16_t)((pattern & 0x8000) | (pattern & 0x7f) << 8 | (pattern >> 7 & 0xff));
}

static inline uint16_t num_bf16_from_dst(uint16_t stored)
{
    return (uint16_t)((stored & 0x8000) | (stored & 0xff) << 7 | (stored >> 8 & 0x7f));
}

static inline uint16_t num_dst_from_fp16(uint16_t pattern)
{
    return (uint16_t)((pattern & 0x8000) | (pattern & 0x3ff) << 5 | (pattern >> 10 & 0x1f));
}

static inline uint16_t num_fp16_from_dst(uint16_t stored)
{
    return (uint16_t)((stored & 0x8000) | (stored & 0x1f) << 10 | (stored >> 5 & 0x3ff));
}

/* FP32 and 32-bit integers alike. */
static inline uint32_t num_dst_from_fp32(uint32_t pattern)
{
    return (uint32_t)num_dst_from_bf16((uint16_t)(pattern >> 16)) << 16 | (pattern & 0xffff);
}

static inline uint32_t num_fp32_from_dst(uint32_t stored)
{
    return (uint32_t)num_bf16_from_dst((uint16_t)(stored >> 16)) << 16 | (stored & 0xffff);
}

static inline uint32_t num_src_from_tf32(uint32_t pattern)
{
    return (pattern & 0x40000) | (pattern & 0x3ff) << 8 | (pattern >> 10 & 0xff);
}

static inline uint32_t num_tf32_from_src(uint32_t stored)
{
    return (stored & 0x40000) | (stored & 0xff) << 10 | (stored >> 8 & 0x3ff);
}

/* BF16 lies on TF32 with three mantissa bits clear. */
static inline uint32_t num_src_from_bf16(uint16_t pattern)
{
    return num_src_from_tf32((uint32_t)pattern << 3);
}

/* FP16 (and the integer "8", whose exponent is 16, or 0 for a zero) has the whole mantissa and the
 * low five bits of the exponent. */
static inline uint32_t num_src_from_fp16(uint16_t pattern)
{
    return num_src_from_tf32((uint32_t)(pattern & 0x8000) << 3 | (pattern & 0x7fff));
}

/* Opaque 16 bits: three zeros go between the bytes. */
static inline uint32_t num_src_from_int16(uint16_t value)
{
    return (uint32_t)(value & 0xff00) << 3 | (value & 0xff);
}

/* --- Integers that are stored as sign and magnitude --- */

/* -0 reads as 0. */
static inline int32_t num_int32_from_sign_magnitude(uint32_t value)
{
    int32_t magnitude = (int32_t)(value & INT32_MAX);
    return value > INT32_MAX ? -magnitude : magnitude;
}

/* `value` is not INT32_MIN. */
static inline uint32_t num_int32_to_sign_magnitude(int32_t value)
{
    return value < 0 ? UINT32_C(0x80000000) | (uint32_t)-value : (uint32_t)value;
}

/* --- Blocks --- */

/*
 * A datum of a block format, right-aligned, with the exponent of its block, as a BF16 pattern (B
 * family) or FP16 pattern (A family). No magnitude and a sign is -infinity, or rather the pattern
 * with all exponent bits set. The exponent of what is normalised wraps at 8 bits (B), as silicon's
 * does. A: an exponent that leaves 5 bits is undefined, see below. GUESS: it wraps at 5 bits then.
 */
uint16_t num_block_to_half(enum num_format format, uint8_t datum, uint8_t exponent);

/* False where the ISA leaves num_block_to_half undefined. */
bool num_block_is_defined(enum num_format format, uint8_t datum, uint8_t exponent);

/*
 * The shared exponent and right-aligned datums of 16 BF16 patterns (B) or FP16 patterns (A, of
 * which the lowest three mantissa bits are cut). The greatest exponent is shared, all ones being an
 * exponent as any other. Magnitudes are rounded to 7 bits, ties away from zero, saturating; 4- and
 * 2-bit formats then drop low bits. What becomes zero has no sign.
 */
void num_block_from_halves(enum num_format format, const uint16_t halves[NUM_BLOCK_DATUMS],
                           uint8_t *exponent, uint8_t datums[NUM_BLOCK_DATUMS]);

/* Makes a block with stochastic rounding to 7 bits, with one draw a datum, unless `generator` is
 * NULL. */
void num_block_from_halves_stochastic(enum num_format format,
                                      const uint16_t halves[NUM_BLOCK_DATUMS], uint8_t *exponent,
                                      uint8_t datums[NUM_BLOCK_DATUMS], uint32_t *generator);

/* --- Unpackers --- */

/*
 * May an unpacker convert `in` to `out`, both codes as configured? SPEC: Unpackers/FormatConversion
 * wants equal codes unless `in` is FP32; tt_llk_blackhole names the register's format as `out` as
 * well, takes TF32 for `in` where FP32 would do, and lets 4- and 2-bit blocks of B claim BFP8.
 */
bool num_unpack_is_legal(unsigned in, unsigned out, bool to_dst);

/* Does Dst receive 32 bits of this (legal) pair? */
bool num_unpack_is_32bit(unsigned in, unsigned out);

/*
 * A datum of L1, right-aligned, as it is stored in SrcA or SrcB (19 bits) or in Dst (16 or 32
 * bits). `in` says INT8 or UINT8, LF8 or FP8_E4M3 (num_format_of); `exponent` is the block's. The
 * pair must be legal. Mantissas are cut, never rounded; FP32 below 2^-126 becomes a zero of its
 * sign on the way to BF16, and what does not fit FP16 becomes zero or all ones, its sign kept.
 */
uint32_t num_unpack_to_src(enum num_format in, unsigned out, uint32_t datum, uint8_t exponent);
uint32_t num_unpack_to_dst(enum num_format in, unsigned out, uint32_t datum, uint8_t exponent);

/* --- Packer: Dst to the intermediate format (early), that to L1 (late) --- */

/* What travels between the two conversions. */
enum num_pack_kind {
    NUM_PACK_NONE, /* no such conversion */
    NUM_PACK_FP32,
    NUM_PACK_TF32, /* patterns of 19 bits */
    NUM_PACK_BF16,
    NUM_PACK_E8M6, /* BF16 patterns with a lowest mantissa bit of zero */
    NUM_PACK_FP16,
    NUM_PACK_E5M7, /* FP16 patterns with 3 zeros */
    NUM_PACK_E5M6, /* FP16 patterns with 4 zeros */
    NUM_PACK_FP8,  /* FP16 patterns with 8 zeros */
    NUM_PACK_INT32,
    NUM_PACK_INT16,
    NUM_PACK_INT8, /* 8 bits, sign and magnitude */
    NUM_PACK_UINT8,
    NUM_PACK_KINDS
};

/* The configuration of the early conversion; `format` is the code that ALU_FORMAT_SPEC gives. */
struct num_pack_early {
    uint8_t format;
    uint8_t output;      /* Out_data_format: says what Round_10b_mant means with BF16 */
    bool is_32bit;       /* Read_32b_data */
    bool is_raw;         /* Read_int8 */
    bool is_unsigned;    /* Read_unsigned */
    bool rounds_10bit;   /* Round_10b_mant */
    uint8_t right_shift; /* of INT_DESCALE, 0 to 31 */
    uint32_t *generator; /* stochastic rounding (num/random.h), or NULL: to nearest */
};

enum num_pack_kind num_pack_early_kind(const struct num_pack_early *early);

/*
 * A stored datum of Dst (16 bits of it unless is_32bit) as its intermediate pattern. Rounding is to
 * nearest, ties away from zero, or stochastic; it makes NaNs infinities, denormals and -0 plain
 * zeros. The generator is stepped once where bits are rounded away, not where the pattern only
 * loses its denormals and NaNs. `kind` is num_pack_early_kind's, and not NUM_PACK_NONE.
 */
uint32_t num_pack_early(const struct num_pack_early *early, enum num_pack_kind kind,
                        uint32_t stored);

/* What stands for minus infinity there. GUESS: FP16 and its kin have no infinity but their greatest
 * number; integers have that, too. */
uint32_t num_pack_minus_infinity(enum num_pack_kind kind);

/* STACC_RELU, between the two conversions. */
enum num_relu { NUM_RELU_NONE, NUM_RELU_ZERO, NUM_RELU_MIN_THRESHOLD, NUM_RELU_MAX_THRESHOLD };

struct num_pack_relu {
    uint8_t mode;       /* enum num_relu: ApplyRelu */
    uint16_t threshold; /* ReluThreshold, as configured */
};

/*
 * An intermediate pattern after ReLU. Data compare with the threshold as sign and magnitude, a NaN
 * being greater than all numbers; the threshold is BF16, or FP16 where the kind has 5 bits of
 * exponent, and must not be negative. SPEC: ReLU allows integers NUM_RELU_ZERO only. GUESS: in
 * other modes they compare with the threshold's upper bits.
 */
uint32_t num_pack_relu(const struct num_pack_relu *relu, enum num_pack_kind kind, uint32_t pattern);

/* `to`: NUM_FORMAT_FP8_E4M3 for LF8 with Pac_LF8_4b_exp. */
bool num_pack_late_is_legal(enum num_pack_kind kind, enum num_format to);

/* The L1 datum, right-aligned; or for blocks the pattern that num_block_from_halves takes. The
 * conversion must be legal. */
uint32_t num_pack_late(enum num_pack_kind kind, enum num_format to, uint32_t pattern);

/*
 * L1 accumulation, Pack_L1_Acc: what `datum` leaves in L1 that held `old`. FLOAT32, FLOAT16 and
 * FLOAT16_B. To nearest even, denormals are zeros. As ttsim, which says of silicon: FP16 sums below
 * 2^-15 and some that cancel become the greatest number; a BF16 NaN is a great number.
 */
uint32_t num_pack_accumulate(enum num_format format, uint32_t old, uint32_t datum);

#endif
