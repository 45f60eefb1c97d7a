/*
 * What the packer does to data, against a model of the pages: WormholeB0 Packers/FormatConversion
 * (both tables and the list of configurations), FloatBitPatterns, ReLU, ExponentHistogram,
 * ExponentThresholding, CLREXPHIST, SETDMAREG_Special, EdgeMasking. A datum of which a page says
 * that it is "mishandled", or of which it leaves the sign of a zero open, is compared in what
 * remains (struct expected).
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "unit/tensix/pack_world.h"
#include "unit/random.h"
#include "unit/run_suite.h"

enum {
    COLUMNS = 16,
    DATA = TENSIX_DST_ROWS * COLUMNS, /* of Dst16b; half of them in Dst32b */
    FIRST_LINE = 0x1000,
    EXPONENTS = 64, /* lines, of a section for all rows of Dst */
};

/* --- Intermediate formats --- */

enum source { FROM_FP32, FROM_BF16, FROM_FP16, FROM_INT32, FROM_INT16 };

/* Those with 8 bits of exponent are FP32 patterns, those with 5 are FP16 patterns. */
enum kind { FP32, TF32, BF16, E8M6, FP16, E5M7, E5M6, FP8, INT32, INT16, INT8, UINT8 };

struct early {
    enum source source;
    uint8_t dstacc, raw, is_unsigned, round_10bit;
    enum kind kind;
    uint8_t in; /* In_data_format that says the same */
};

/*
 * The list "Configuring the conversions", item by item, but for those that give FP32 with the codes
 * of INT32 or TF32, or INT32 with that of FP32 or TF32: In_data_format would then differ from the
 * code of the early conversion, which ttsim calls undefined.
 */
static const struct early early_table[] = {
    {FROM_FP32, D_FP32, 0, 0, 0, FP32, D_FP32},   {FROM_FP32, D_FP32, 1, 0, 1, FP32, D_FP32},
    {FROM_FP32, D_TF32, 0, 0, 0, TF32, D_TF32},   {FROM_INT32, D_INT32, 1, 0, 1, INT32, D_INT32},
    {FROM_FP32, D_FP32, 0, 0, 1, TF32, D_TF32},   {FROM_FP32, D_BF16, 0, 0, 0, BF16, D_BF16},
    {FROM_FP32, D_BFP8, 1, 0, 0, BF16, D_BF16},   {FROM_FP32, D_BF16, 1, 0, 0, BF16, D_BF16},
    {FROM_FP32, D_BFP8, 0, 0, 0, E8M6, D_BFP8},   {FROM_INT32, D_INT32, 0, 0, 0, INT32, D_INT32},
    {FROM_FP32, D_INT8, 1, 0, 0, INT8, D_INT8},   {FROM_FP32, D_INT8, 1, 1, 0, UINT8, D_INT8},
    {FROM_BF16, D_TF32, 0, 0, 0, TF32, D_TF32},   {FROM_BF16, D_FP32, 0, 0, 1, TF32, D_TF32},
    {FROM_BF16, D_BF16, 0, 0, 0, BF16, D_BF16},   {FROM_BF16, D_BFP8, 1, 0, 0, BF16, D_BF16},
    {FROM_BF16, D_BF16, 1, 0, 0, BF16, D_BF16},   {FROM_BF16, D_BFP8, 0, 0, 0, E8M6, D_BFP8},
    {FROM_BF16, D_INT8, 1, 0, 0, INT8, D_INT8},   {FROM_FP16, D_FP16, 0, 0, 0, FP16, D_FP16},
    {FROM_FP16, D_FP16, 1, 0, 0, FP16, D_FP16},   {FROM_FP16, D_BFP8A, 1, 0, 0, E5M7, D_BFP8A},
    {FROM_FP16, D_BFP8A, 0, 0, 0, E5M6, D_BFP8A}, {FROM_FP16, D_FP8, 1, 0, 0, FP8, D_FP8},
    {FROM_FP16, D_INT8, 1, 0, 0, INT8, D_INT8},   {FROM_INT16, D_INT16, 0, 0, 0, INT16, D_INT16},
};

enum { EARLY = sizeof early_table / sizeof early_table[0] };

static bool is_32bit(enum source source)
{
    return source == FROM_FP32 || source == FROM_INT32;
}

static bool has_5bit_exponent(enum kind kind)
{
    return kind >= FP16 && kind <= FP8;
}

/* Mantissa bits of each kind. */
static const uint8_t mantissa_bits[] = {23, 10, 7, 6, 10, 7, 6, 2};

/* To `bits` of FP32's 23: ties away from zero, NaN infinity, denormals and -0 zero. The page lets
 * one think that denormals go first; ttsim rounds first, and some become the least normal number.
 */
static uint32_t round_fp32(uint32_t x, unsigned bits)
{
    uint32_t drop = 23 - bits;
    if ((x >> 23 & 0xff) == 0xff) {
        return x & 0xff800000;
    }
    x += UINT32_C(1) << (drop - 1);
    x &= ~((UINT32_C(1) << drop) - 1);
    return x >> 23 & 0xff ? x : 0;
}

/* The early conversion of an ordinary pattern. */
static uint32_t early_pattern(const struct early *e, uint32_t x)
{
    bool cuts = e->raw || e->kind == FP32 || e->kind == INT32;
    switch (e->kind) {
    case FP32:
    case INT32:
    case INT16:
        return x;
    case TF32:
    case BF16:
    case E8M6:
        if (e->source == FROM_BF16) { /* whose denormals do go first */
            x = cuts || (x & 0x7f80) ? x << 16 : 0;
        }
        return cuts ? x & 0xffff0000 : round_fp32(x, mantissa_bits[e->kind]);
    case FP16:
        return cuts || (x & 0x7c00) ? x : 0;
    case E5M7:
        return x & 0xfff8;
    case E5M6: /* an overflow is left to expectation() */
        x = (x + 8) & 0xfff0;
        return x & 0x7c00 ? x : 0;
    case FP8:
        return x & 0xff00;
    case INT8:
        return is_32bit(e->source) ? (x >> 24 & 0x80) | (x & 0x7f) : x >> 8 & 0x80;
    default:
        return x & 0xff;
    }
}

/* --- Late conversions --- */

struct expected {
    uint32_t value, mask; /* bits that a page fixes */
};

static struct expected all_of(uint32_t value)
{
    return (struct expected){value, UINT32_MAX};
}

static const struct expected nothing = {0, 0};

/* FP32 pattern to FP16's, mantissa cut. */
static struct expected narrow_exponent(uint32_t x)
{
    int exponent = (int)(x >> 23 & 0xff) - 127 + 15;
    uint32_t sign = x >> 16 & 0x8000;
    if (exponent < 0 || (exponent == 0 && (x & 0x7fffff) == 0)) {
        return (struct expected){0, 0x7fff}; /* the sign of a flushed datum is not said */
    }
    if (exponent == 0) {
        return nothing;
    }
    if (exponent > 31) {
        return all_of(sign | 0x7fff);
    }
    return all_of(sign | (uint32_t)exponent << 10 | (x >> 13 & 0x3ff));
}

/* FP16 pattern to FP32's. */
static struct expected widen_exponent(uint32_t x, bool narrows_mantissa)
{
    uint32_t exponent = x >> 10 & 31, mantissa = x & 0x3ff, sign = (x & 0x8000) << 16;
    if (exponent == 0) {
        bool is_known = mantissa == 0 || narrows_mantissa;
        return is_known ? (struct expected){0, INT32_MAX} : nothing;
    }
    return all_of(sign | (exponent + 112) << 23 | mantissa << 13);
}

/* As FP32 (or TF32, BF16, FP16, FP8 in its place: right-aligned) what the page says of `x`. */
static struct expected late_float(enum kind kind, uint32_t x, unsigned to)
{
    unsigned bits = to == D_FP32 ? 23 : to == D_BF16 ? 7 : to == D_FP8 ? 2 : 10;
    bool narrows = bits < mantissa_bits[kind], to_5bit = to == D_FP16 || to == D_FP8;
    struct expected e;
    if (to_5bit == has_5bit_exponent(kind)) {
        uint32_t exponent = to_5bit ? x >> 10 & 31 : x >> 23 & 0xff;
        uint32_t magnitude = to_5bit ? 0x7fff : INT32_MAX;
        e = narrows && exponent == 0 ? (struct expected){0, magnitude} : all_of(x);
    } else {
        e = to_5bit ? narrow_exponent(x) : widen_exponent(x, narrows);
    }
    unsigned shift = to == D_BF16 ? 16 : to == D_FP8 ? 8 : 0;
    if (to == D_TF32) {
        return (struct expected){e.value & 0xffffe000, e.mask};
    }
    return (struct expected){e.value >> shift, e.mask >> shift};
}

static bool late_is_legal(enum kind kind, unsigned to)
{
    if (kind >= INT32) {
        return to == (kind == INT32 ? D_INT32 : kind == INT16 ? D_INT16 : D_INT8);
    }
    return !(kind == FP32 && to == D_TF32) && to != D_INT32 && to != D_INT16 && to != D_INT8;
}

/* What an FP16 pattern that rounded beyond its format becomes is not said. */
static struct expected expectation(const struct early *e, uint32_t x, unsigned to)
{
    uint32_t pattern = early_pattern(e, x);
    if (e->kind >= INT32) {
        return all_of(pattern);
    }
    if (e->kind == E5M6 && (x & 0x7fff) > 0x7ff7) {
        return nothing;
    }
    return late_float(e->kind, pattern, to);
}

/* --- Running --- */

static unsigned datum_bytes(unsigned format)
{
    return (format & 3) == 0 ? 4 : (format & 3) == 1 ? 2 : 1;
}

static void open_early(struct tensix_harness *h, const struct early *e, unsigned out)
{
    d_open_packer(h, e->dstacc, e->in, out, FIRST_LINE);
    struct tensix *t = &h->tensix;
    D_CONFIG(t, PCK_DEST_RD_CTRL_Read_32b_data, is_32bit(e->source));
    D_CONFIG(t, PCK_DEST_RD_CTRL_Read_int8, e->raw);
    D_CONFIG(t, PCK_DEST_RD_CTRL_Read_unsigned, e->is_unsigned);
    D_CONFIG(t, PCK_DEST_RD_CTRL_Round_10b_mant, e->round_10bit);
    D_THREAD(t, ADDR_MOD_PACK_SEC0_YsrcIncr, 4);
}

static void put(struct tensix *t, enum source source, unsigned index, uint32_t x)
{
    unsigned row = index / COLUMNS, column = index % COLUMNS;
    if (is_32bit(source)) {
        tensix_dst_write32(&t->dst, d_no_map, row, column, d_store_fp32(x));
    } else {
        uint16_t stored = source == FROM_BF16   ? d_store_bf16(x)
                          : source == FROM_FP16 ? d_store_fp16(x)
                                                : (uint16_t)x;
        tensix_dst_write16(&t->dst, d_no_map, row, column, stored);
    }
}

static void pack_all(struct tensix_harness *h, unsigned data)
{
    struct tensix_adc_channel *channel = h->tensix.thread[0].adc[TENSIX_ADC_PACKER].channel;
    channel[0].y = channel[0].y_cr = 0;
    for (unsigned i = 0; i < data / 64; i++) {
        d_pack(h, (struct d_pacr){.interfaces = 15, .last = i == data / 64 - 1});
    }
    D_EXPECT(h->faults == 0, "%s", h->fault.text);
}

/* Both sets of kernels give the same; L1 is that of the fastest. */
static void pack_both_ways(struct tensix_harness *h, unsigned data)
{
    enum { BYTES = EXPONENTS * 16 + 4 * DATA };
    static uint8_t by_reference[BYTES];
    uint8_t *l1 = h->l1 + FIRST_LINE * 16;
    d_use_kernels(&h->tensix, true);
    pack_all(h, data);
    memcpy(by_reference, l1, BYTES);
    memset(l1, 0, BYTES);
    d_use_kernels(&h->tensix, false);
    pack_all(h, data);
    D_EXPECT(memcmp(by_reference, l1, BYTES) == 0, "sets of kernels differ");
}

/* Random data that are often at the edges of formats. */
static uint32_t structured32(uint64_t *random)
{
    uint32_t x = random_next(random);
    switch (random_scaled(random, 8)) {
    case 0: /* near the limits of 5-bit exponents */
        return (x & 0x807fffff) | (110 + random_scaled(random, 36)) << 23;
    case 1: /* extreme exponents */
        return (x & 0x807fffff) | (random_scaled(random, 4) * 85) << 23;
    case 2: /* ties and their neighbours */
        return (x & 0xffff0000) | (0x7fff + random_scaled(random, 3));
    case 3:
        return (x & 0xffffe000) | (0x0fff + random_scaled(random, 3));
    case 4: /* all ones or zeros below */
        return x | (x & 1 ? 0x7fffff : 0x00ffff);
    case 5:
        return x & 0x80000001 ? 0x80000000 : 0;
    default:
        return x;
    }
}

static uint32_t pattern(enum source source, unsigned fill, unsigned index, uint64_t *random)
{
    return is_32bit(source) ? structured32(random) : fill * DATA + index;
}

static void check_conversion(unsigned row, unsigned to)
{
    const struct early *e = &early_table[row];
    unsigned bytes = to == D_FP8 ? 1 : datum_bytes(to);
    uint64_t random = row * 16 + to + 1;
    unsigned data = is_32bit(e->source) ? DATA / 2 : DATA;
    static uint32_t x[DATA];
    for (unsigned fill = 0; fill < (is_32bit(e->source) ? 1 : 4); fill++) {
        struct tensix_harness h;
        open_early(&h, e, to);
        for (unsigned i = 0; i < data; i++) {
            x[i] = pattern(e->source, fill, i, &random);
            put(&h.tensix, e->source, i, x[i]);
        }
        pack_both_ways(&h, data);
        for (unsigned i = 0; i < data; i++) {
            struct expected expected = expectation(e, x[i], to);
            uint32_t got = d_l1(&h, FIRST_LINE * 16 + i * bytes, bytes);
            D_EXPECT(((got ^ expected.value) & expected.mask) == 0,
                     "row %u to format %u: 0x%x became 0x%x, should be 0x%x (bits 0x%x)", row, to,
                     x[i], got, expected.value, expected.mask);
        }
        tensix_harness_close(&h);
    }
}

/* All pairs of the two tables without blocks; sources of 16 bits exhaustively. */
START_TEST(conversions)
{
    static const uint8_t outputs[] = {D_FP32, D_TF32,  D_BF16,  D_FP16,
                                      D_FP8,  D_INT32, D_INT16, D_INT8};
    for (unsigned i = 0; i < sizeof outputs; i++) {
        if (late_is_legal(early_table[_i].kind, outputs[i])) {
            check_conversion((unsigned)_i, outputs[i]);
        }
    }
}
END_TEST

/* SPEC: BF16 with Round_10b_mant is TF32 exactly where the late conversion goes to FP16. */
START_TEST(tf32_on_the_way_to_fp16)
{
    struct early by_tf32 = {FROM_FP32, D_BF16, 0, 0, 1, TF32, D_TF32};
    struct tensix_harness h;
    uint64_t random = 4;
    static uint32_t x[DATA];
    open_early(&h, &by_tf32, D_FP16);
    for (unsigned i = 0; i < DATA / 2; i++) {
        x[i] = structured32(&random);
        put(&h.tensix, FROM_FP32, i, x[i]);
    }
    pack_both_ways(&h, DATA / 2);
    for (unsigned i = 0; i < DATA / 2; i++) {
        struct expected expected = expectation(&by_tf32, x[i], D_FP16);
        uint32_t got = d_l1(&h, FIRST_LINE * 16 + i * 2, 2);
        D_EXPECT(((got ^ expected.value) & expected.mask) == 0, "0x%x became 0x%x, not 0x%x", x[i],
                 got, expected.value);
    }
    tensix_harness_close(&h);
}
END_TEST

/*
 * LLK's set_packer_config for FP8 of four exponent bits: In_data_format is FP16 whatever Dst has,
 * Round_10b_mant is set for Dst of BF16 or of 32 bits, and Dstacc remains that of Dst.
 */
START_TEST(llk_fp8_e4m3)
{
    static const struct early cases[] = {
        {FROM_BF16, D_BF16, 0, 0, 1, FP16, D_FP16},
        {FROM_FP32, D_FP32, 0, 0, 1, FP16, D_FP16},
        {FROM_FP32, D_BF16, 0, 0, 1, FP16, D_FP16},
        {FROM_FP16, D_FP16, 0, 0, 0, FP16, D_FP16},
    };
    const struct early *e = &cases[_i];
    struct tensix_harness h;
    open_early(&h, e, D_FP8);
    D_CONFIG(&h.tensix, THCON_SEC0_REG1_Pac_LF8_4b_exp, 1);
    for (unsigned i = 0; i < 256; i++) { /* all normal numbers */
        uint32_t sign = i >> 7, exponent = i >> 3 & 15, mantissa = i & 7;
        uint32_t fp32 = exponent ? sign << 31 | (exponent + 120) << 23 | mantissa << 20 : 0;
        uint32_t fp16 = exponent ? sign << 15 | (exponent + 8) << 10 | mantissa << 7 : 0;
        put(&h.tensix, e->source, i,
            e->source == FROM_FP32   ? fp32
            : e->source == FROM_BF16 ? fp32 >> 16
                                     : fp16);
    }
    pack_both_ways(&h, 256);
    for (unsigned i = 0; i < 256; i++) {
        uint32_t expected = i & 0x78 ? i : 0;
        D_EXPECT(h.l1[FIRST_LINE * 16 + i] == expected, "0x%x became 0x%x", i,
                 h.l1[FIRST_LINE * 16 + i]);
    }
    tensix_harness_close(&h);
}
END_TEST

/* --- Blocks --- */

struct block {
    uint8_t exponent, datum[COLUMNS];
};

/* 16 data whose exponent (0: the datum is zero) and significand of 8 bits are known. */
static struct block assemble_block(const uint32_t exponent[COLUMNS],
                                   const uint32_t significand[COLUMNS], uint32_t signs,
                                   unsigned bits)
{
    struct block block = {0};
    uint32_t greatest = 0;
    for (unsigned i = 0; i < COLUMNS; i++) {
        greatest = exponent[i] > greatest ? exponent[i] : greatest;
    }
    block.exponent = (uint8_t)greatest;
    for (unsigned i = 0; i < COLUMNS; i++) {
        unsigned shift = greatest - exponent[i] + 1;
        uint32_t magnitude = exponent[i] && shift < 20
                                 ? (significand[i] + (UINT32_C(1) << (shift - 1))) >> shift
                                 : 0;
        magnitude = (magnitude > 127 ? 127 : magnitude) >> (8 - bits);
        block.datum[i] = (uint8_t)(magnitude | (magnitude ? (signs >> i & 1) << (bits - 1) : 0));
    }
    return block;
}

static struct block expected_block(const struct early *e, const uint32_t x[COLUMNS], unsigned to,
                                   unsigned bits)
{
    bool to_5bit = to == D_BFP8A || to == D_BFP4A || to == D_BFP2A;
    uint32_t exponent[COLUMNS], significand[COLUMNS], signs = 0;
    for (unsigned i = 0; i < COLUMNS; i++) {
        uint32_t late =
            late_float(e->kind, early_pattern(e, x[i]), to_5bit ? D_FP16 : D_BF16).value;
        signs |= late >> 15 << i;
        exponent[i] = to_5bit ? late >> 10 & 31 : late >> 7 & 0xff;
        significand[i] = 0x80 | (to_5bit ? late >> 3 & 0x7f : late & 0x7f);
    }
    return assemble_block(exponent, significand, signs, bits);
}

/* Exponents that stay normal on every way, near each other so that all shifts occur. */
static uint32_t block_datum(enum source source, uint64_t *random)
{
    uint32_t x = random_next(random), spread = random_scaled(random, 11);
    if (random_scaled(random, 16) == 0) {
        return 0;
    }
    switch (source) {
    case FROM_FP32:
        return (x & 0x807fffff) | (140 - spread) << 23;
    case FROM_BF16:
        return (x & 0x807f) | (140 - spread) << 7;
    default:
        return (x & 0x83ff) | (30 - spread) << 10;
    }
}

static void check_blocks(unsigned number, unsigned to)
{
    const struct early *e = &early_table[number];
    unsigned bits = to == D_BFP8 || to == D_BFP8A ? 8 : to == D_BFP4 || to == D_BFP4A ? 4 : 2;
    uint64_t random = number * 16 + to + 1;
    unsigned rows = TENSIX_DST_ROWS / 4;
    static uint32_t x[TENSIX_DST_ROWS][COLUMNS];
    struct tensix_harness h;
    open_early(&h, e, to);
    D_CONFIG(&h.tensix, THCON_SEC0_REG1_Exp_section_size, EXPONENTS);
    for (unsigned i = 0; i < rows * COLUMNS; i++) {
        x[i / COLUMNS][i % COLUMNS] = block_datum(e->source, &random);
        put(&h.tensix, e->source, i, x[i / COLUMNS][i % COLUMNS]);
    }
    pack_both_ways(&h, rows * COLUMNS);
    const uint8_t *exponents = h.l1 + FIRST_LINE * 16, *data = exponents + EXPONENTS * 16;
    for (unsigned row = 0; row < rows; row++) {
        struct block expected = expected_block(e, x[row], to, bits);
        D_EXPECT(exponents[row] == expected.exponent, "exponent of row %u", row);
        for (unsigned i = 0; i < COLUMNS; i++) {
            unsigned bit = (row * COLUMNS + i) * bits;
            unsigned got = data[bit / 8] >> bit % 8 & ((1U << bits) - 1);
            D_EXPECT(got == expected.datum[i],
                     "row %u to format %u: 0x%x (block %u) became 0x%x, should be 0x%x", number, to,
                     x[row][i], expected.exponent, got, expected.datum[i]);
        }
    }
    tensix_harness_close(&h);
}

START_TEST(block_conversions)
{
    static const uint8_t outputs[] = {D_BFP8, D_BFP4, D_BFP2, D_BFP8A, D_BFP4A, D_BFP2A};
    for (unsigned i = 0; i < sizeof outputs && early_table[_i].kind < INT32; i++) {
        check_blocks((unsigned)_i, outputs[i]);
    }
}
END_TEST

/* --- Integers --- */

/* Magnitude shifted right and rounded, saturated; UINT8 of what is negative is 0. */
START_TEST(descaling)
{
    unsigned shift = (unsigned)_i / 2;
    bool is_unsigned = _i & 1;
    struct early e = {FROM_INT32, D_INT8, 0, is_unsigned, 0, is_unsigned ? UINT8 : INT8, D_INT8};
    struct tensix_harness h;
    open_early(&h, &e, D_INT8);
    D_CONFIG(&h.tensix, INT_DESCALE_Enable, shift != 0);
    D_CONFIG(&h.tensix, INT_DESCALE_VALUES_SEC0_Value, shift | 0xffffffe0);
    uint64_t random = (uint64_t)_i;
    uint32_t x[1024];
    for (unsigned i = 0; i < 1024; i++) {
        uint32_t magnitude = random_next(&random) >> (1 + random_scaled(&random, 31));
        if (random_scaled(&random, 2)) { /* near saturation and ties */
            magnitude = (random_scaled(&random, 300) << shift) + random_scaled(&random, 3) - 1 +
                        (shift ? UINT32_C(1) << (shift - 1) : 1);
        }
        x[i] = (magnitude & INT32_MAX) | (random_next(&random) & 0x80000000);
        put(&h.tensix, FROM_INT32, i, x[i]);
    }
    pack_both_ways(&h, 1024);
    uint32_t most = is_unsigned ? 255 : 127;
    for (unsigned i = 0; i < 1024; i++) {
        uint64_t magnitude = x[i] & INT32_MAX;
        magnitude = (magnitude + (shift ? UINT64_C(1) << (shift - 1) : 0)) >> shift;
        magnitude = magnitude > most ? most : magnitude;
        bool negative = x[i] >> 31;
        uint32_t got = h.l1[FIRST_LINE * 16 + i];
        if (is_unsigned) {
            D_EXPECT(got == (negative ? 0 : magnitude), "0x%x >> %u became %u", x[i], shift, got);
        } else {
            D_EXPECT((got & 0x7f) == magnitude && (!magnitude || got >> 7 == negative),
                     "0x%x >> %u became 0x%x", x[i], shift, got);
        }
    }
    tensix_harness_close(&h);
}
END_TEST

/* --- ReLU --- */

/* FP16 has neither infinity nor NaN. */
static double value_of(enum kind kind, uint32_t x)
{
    if (has_5bit_exponent(kind)) {
        int exponent = (int)(x >> 10 & 31);
        double m = exponent ? 1024 + (x & 0x3ff) : x & 0x3ff;
        return ldexp(x & 0x8000 ? -m : m, (exponent ? exponent : 1) - 25);
    }
    int exponent = (int)(x >> 23 & 0xff);
    double m = exponent ? 0x800000 + (x & 0x7fffff) : x & 0x7fffff;
    return ldexp(x >> 31 ? -m : m, (exponent ? exponent : 1) - 150);
}

struct relu_case {
    struct early early;
    uint8_t out;
};

static const struct relu_case relu_cases[] = {
    {{FROM_FP32, D_FP32, 0, 0, 0, FP32, D_FP32}, D_FP32},
    {{FROM_FP32, D_TF32, 0, 0, 0, TF32, D_TF32}, D_TF32},
    {{FROM_FP32, D_BF16, 1, 0, 0, BF16, D_BF16}, D_BF16},
    {{FROM_BF16, D_BF16, 1, 0, 0, BF16, D_BF16}, D_BF16},
    {{FROM_FP16, D_FP16, 1, 0, 0, FP16, D_FP16}, D_FP16},
};

enum { RELU_CASES = sizeof relu_cases / sizeof relu_cases[0] };

static uint32_t relu_pattern(unsigned mode, enum kind kind, uint32_t x, uint32_t threshold)
{
    double value = value_of(kind, x), limit = value_of(kind, threshold);
    switch (mode) {
    case 0:
        return x;
    case 1:
        return value <= 0 ? 0 : x;
    case 2:
        return value <= limit ? 0 : x;
    default: /* ttsim clamps FP32 where it is greater in the bits that TF32 has */
        if (kind == FP32 && x >> 13 == threshold >> 13) {
            return x;
        }
        return value <= 0 ? 0 : value > limit ? threshold : x;
    }
}

START_TEST(relu)
{
    const struct relu_case *c = &relu_cases[_i / 8 % RELU_CASES];
    unsigned mode = (unsigned)_i & 3, bytes = datum_bytes(c->out);
    bool is_5bit = has_5bit_exponent(c->early.kind);
    uint64_t random = (uint64_t)_i + 1;
    uint32_t threshold = is_5bit ? random_scaled(&random, 0x7800) : random_scaled(&random, 0x7f00);
    uint32_t limit = is_5bit ? threshold : threshold << 16;
    unsigned data = DATA / 4;
    struct tensix_harness h;
    static uint32_t x[DATA];
    open_early(&h, &c->early, c->out);
    D_CONFIG(&h.tensix, STACC_RELU_ApplyRelu, mode | (_i & 4 ? 12 : 0));
    D_CONFIG(&h.tensix, STACC_RELU_ReluThreshold, threshold);
    if (_i & 4) { /* the format from the other place */
        D_CONFIG(&h.tensix, ALU_FORMAT_SPEC_REG2_Dstacc, is_5bit ? D_BF16 : D_FP16);
        D_CONFIG(&h.tensix, ALU_FORMAT_SPEC_REG_Dstacc_val, c->early.dstacc);
        D_CONFIG(&h.tensix, ALU_FORMAT_SPEC_REG_Dstacc_override, 1);
    }
    for (unsigned i = 0; i < data; i++) {
        uint32_t word = random_next(&random), near = random_scaled(&random, 5) - 2;
        word = word & 1 ? limit + near : word >> 1;
        x[i] = (word & INT32_MAX) | (random_next(&random) & 0x80000000);
        x[i] = is_32bit(c->early.source) ? x[i] : (x[i] & 0x7fff) | (x[i] >> 16 & 0x8000);
        if (!is_5bit) { /* no NaN */
            uint32_t all = is_32bit(c->early.source) ? 0x7f800000 : 0x7f80;
            x[i] = (x[i] & all) == all ? 0 : x[i];
        }
        put(&h.tensix, c->early.source, i, x[i]);
    }
    pack_both_ways(&h, data);
    for (unsigned i = 0; i < data; i++) {
        uint32_t before = early_pattern(&c->early, x[i]);
        uint32_t after = relu_pattern(mode, c->early.kind, before, limit);
        after = c->out == D_BF16 ? after >> 16 : after;
        uint32_t got = d_l1(&h, FIRST_LINE * 16 + i * bytes, bytes);
        D_EXPECT(got == after, "mode %u, threshold 0x%x: 0x%x became 0x%x, should be 0x%x", mode,
                 threshold, x[i], got, after);
    }
    tensix_harness_close(&h);
}
END_TEST

/* SPEC: ReLU: integers pass (mode 0), or lose what is negative (mode 1). */
START_TEST(relu_of_integers)
{
    struct early e = {FROM_INT32, D_INT32, 0, 0, 0, INT32, D_INT32};
    struct tensix_harness h;
    uint64_t random = (uint64_t)_i;
    uint32_t x[1024];
    open_early(&h, &e, D_INT32);
    D_CONFIG(&h.tensix, STACC_RELU_ApplyRelu, _i);
    for (unsigned i = 0; i < 1024; i++) {
        x[i] = random_next(&random);
        put(&h.tensix, FROM_INT32, i, x[i]);
    }
    pack_both_ways(&h, 1024);
    for (unsigned i = 0; i < 1024; i++) {
        uint32_t right = _i && x[i] >> 31 ? 0 : x[i];
        D_EXPECT(d_l1(&h, FIRST_LINE * 16 + i * 4, 4) == right, "0x%x", x[i]);
    }
    tensix_harness_close(&h);
}
END_TEST

/* Masked data are minus infinity before ReLU: ReLU makes them 0. A negative threshold is a fault.
 */
START_TEST(relu_after_edges)
{
    struct tensix_harness h;
    open_early(&h, &relu_cases[3].early, D_BF16);
    D_CONFIG(&h.tensix, PCK_EDGE_OFFSET_SEC0_mask, 0x00ff);
    D_CONFIG(&h.tensix, PCK_EDGE_MODE_mode, 1);
    for (unsigned i = 0; i < 64; i++) {
        put(&h.tensix, FROM_BF16, i, 0x3f80);
    }
    pack_all(&h, 64);
    ck_assert_uint_eq(d_l1(&h, FIRST_LINE * 16 + 14, 4), 0xff803f80);
    D_CONFIG(&h.tensix, STACC_RELU_ApplyRelu, 1);
    pack_all(&h, 64);
    ck_assert_uint_eq(d_l1(&h, FIRST_LINE * 16 + 14, 4), 0x3f80);
    for (unsigned mode = 2; mode < 4; mode++) {
        D_CONFIG(&h.tensix, STACC_RELU_ApplyRelu, mode);
        D_CONFIG(&h.tensix, STACC_RELU_ReluThreshold, 0xbf80);
        h.faults = 0;
        d_pack(&h, (struct d_pacr){.interfaces = 15, .last = 1});
        ck_assert_uint_eq(h.faults, 1);
        ck_assert_int_eq(h.fault.kind, TENSIX_FAULT_UNDEFINED);
    }
    tensix_harness_close(&h);
}
END_TEST

/* --- Exponents --- */

START_TEST(exponent_threshold)
{
    const struct relu_case *c = &relu_cases[_i % RELU_CASES];
    bool is_5bit = has_5bit_exponent(c->early.kind);
    unsigned bytes = datum_bytes(c->out), data = DATA / 4;
    uint64_t random = (uint64_t)_i + 1;
    unsigned threshold = random_scaled(&random, is_5bit ? 34 : 256);
    struct tensix_harness h;
    static uint32_t x[DATA];
    open_early(&h, &c->early, c->out);
    D_CONFIG(&h.tensix, THCON_SEC0_REG1_Exp_threshold_en, 1);
    D_CONFIG(&h.tensix, THCON_SEC0_REG1_Exp_threshold, threshold);
    for (unsigned i = 0; i < data; i++) {
        x[i] = is_32bit(c->early.source) ? structured32(&random) : random_next(&random) >> 16;
        put(&h.tensix, c->early.source, i, x[i]);
    }
    pack_both_ways(&h, data);
    for (unsigned i = 0; i < data; i++) {
        uint32_t middle = early_pattern(&c->early, x[i]);
        uint32_t exponent = is_5bit ? middle >> 10 & 31 : middle >> 23 & 0xff;
        middle = exponent < threshold ? 0 : c->out == D_BF16 ? middle >> 16 : middle;
        D_EXPECT(d_l1(&h, FIRST_LINE * 16 + i * bytes, bytes) == middle,
                 "threshold %u: 0x%x became 0x%x", threshold, x[i],
                 d_l1(&h, FIRST_LINE * 16 + i * bytes, bytes));
    }
    tensix_harness_close(&h);
}
END_TEST

/* GPR 8 to 11 get 128 bits of packer state. */
static const uint32_t *special(struct tensix_harness *h, unsigned source)
{
    tensix_harness_push(h, 0, UINT32_C(0x45) << 24 | 2U << 22 | source << 11 | 1U << 7 | 8 << 1);
    return &h->tensix.gpr[0][8];
}

static unsigned bin(struct tensix_harness *h, unsigned i)
{
    return special(h, 6 + i / 16)[i % 16 / 4] >> 8 * (i % 4) & 0xff;
}

static unsigned exponent_of(const struct early *e, uint32_t x)
{
    uint32_t middle = early_pattern(e, x);
    if (e->kind == INT16) {
        return middle & 0xff;
    }
    return has_5bit_exponent(e->kind) ? middle >> 10 & 31 : middle >> 23 & 0xff;
}

/* The histogram counts exponents after edge masks and ReLU, before thresholds and downsampling,
 * saturates at 255, and counts only where a thread asks for it; the maximum is always kept. */
START_TEST(histogram)
{
    static const struct early cases[] = {
        {FROM_FP32, D_FP32, 0, 0, 0, FP32, D_FP32},
        {FROM_FP32, D_TF32, 0, 0, 0, TF32, D_TF32},
        {FROM_BF16, D_BF16, 1, 0, 0, BF16, D_BF16},
        {FROM_FP16, D_FP16, 1, 0, 0, FP16, D_FP16},
        {FROM_FP16, D_BFP8A, 1, 0, 0, E5M7, D_BFP8A},
        {FROM_INT32, D_INT32, 0, 0, 0, INT32, D_INT32},
        {FROM_INT16, D_INT16, 0, 0, 0, INT16, D_INT16},
    };
    const struct early *e = &cases[_i % 7];
    static const uint8_t outputs[] = {D_FP32, D_TF32, D_BF16, D_FP16, D_FP16, D_INT32, D_INT16};
    unsigned variant = (unsigned)_i / 7;
    bool is_integer = e->kind >= INT32;
    struct tensix_harness h;
    open_early(&h, e, outputs[_i % 7]);
    struct tensix *t = &h.tensix;
    tensix_set_thread_field(t, variant % 3, TENSIX_FIELD_ENABLE_ACC_STATS_Enable, variant != 3);
    D_CONFIG(t, PCK_EDGE_OFFSET_SEC0_mask, variant == 1 ? 0x0ff0 : 0xffff);
    D_CONFIG(t, STACC_RELU_ApplyRelu, variant == 2 && !is_integer);
    D_CONFIG(t, THCON_SEC0_REG1_Downsample_mask, variant == 0 ? 0x5555 : 0);
    D_CONFIG(t, THCON_SEC0_REG1_Exp_threshold_en, variant == 0 && !is_integer);
    D_CONFIG(t, THCON_SEC0_REG1_Exp_threshold, 20);
    uint64_t random = (uint64_t)_i + 1;
    unsigned count[32] = {0}, greatest = 0;
    for (unsigned i = 0; i < 2048; i++) {
        uint32_t x = is_32bit(e->source) ? random_next(&random) : random_next(&random) >> 16;
        x = random_scaled(&random, 4) ? x : 0x3f803c00; /* one bin that fills */
        x = is_32bit(e->source) ? x : x & 0xffff;
        put(t, e->source, i, x);
        bool negative = early_pattern(e, x) >> (has_5bit_exponent(e->kind) ? 15 : 31) & 1;
        bool is_masked = variant == 1 && (i % 16 < 4 || i % 16 > 11);
        unsigned exponent =
            is_masked || (variant == 2 && !is_integer && negative) ? 0 : exponent_of(e, x);
        count[exponent & 31] += count[exponent & 31] < 255 && variant != 3;
        greatest = exponent > greatest ? exponent : greatest;
    }
    pack_all(&h, 2048);
    for (unsigned i = 0; i < 32; i++) {
        D_EXPECT(bin(&h, i) == count[i], "bin %u has %u, should have %u", i, bin(&h, i), count[i]);
    }
    ck_assert_uint_eq(special(&h, 9)[0], greatest);
    tensix_harness_run(&h, 1, "CLREXPHIST");
    for (unsigned i = 0; i < 32; i++) {
        ck_assert_uint_eq(bin(&h, i), 0);
    }
    ck_assert_uint_eq(special(&h, 9)[0], 0);
    tensix_harness_close(&h);
}
END_TEST

/* --- Accumulation in L1 --- */

/* Sums that every format has exactly, so that no page needs to say how they round. */
START_TEST(accumulation)
{
    static const struct relu_case cases[] = {
        {{FROM_FP32, D_FP32, 0, 0, 0, FP32, D_FP32}, D_FP32},
        {{FROM_BF16, D_BF16, 1, 0, 0, BF16, D_BF16}, D_BF16},
        {{FROM_FP16, D_FP16, 1, 0, 0, FP16, D_FP16}, D_FP16},
    };
    const struct relu_case *c = &cases[_i];
    unsigned bytes = datum_bytes(c->out);
    struct tensix_harness h;
    open_early(&h, &c->early, c->out);
    D_CONFIG(&h.tensix, THCON_SEC0_REG1_Pack_L1_Acc, 1);
    int sum[64] = {0};
    uint64_t random = (uint64_t)_i;
    for (unsigned round = 0; round < 8; round++) {
        for (unsigned i = 0; i < 64; i++) {
            int value = (int)random_scaled(&random, 31) - 15;
            float f = (float)value;
            uint32_t x;
            memcpy(&x, &f, sizeof x);
            x = c->out == D_FP32 ? x : c->out == D_BF16 ? x >> 16 : narrow_exponent(x).value;
            put(&h.tensix, c->early.source, i, x);
            sum[i] += value;
        }
        pack_all(&h, 64);
    }
    for (unsigned i = 0; i < 64; i++) {
        uint32_t got = d_l1(&h, FIRST_LINE * 16 + i * bytes, bytes);
        double value = c->out == D_FP16   ? value_of(FP16, got)
                       : c->out == D_BF16 ? value_of(FP32, got << 16)
                                          : value_of(FP32, got);
        D_EXPECT(value == sum[i], "%u: %f, should be %d", i, value, sum[i]);
    }
    tensix_harness_close(&h);
}
END_TEST

/* --- Stochastic rounding --- */

static void open_stochastic(struct tensix_harness *h, const struct early *e, unsigned out)
{
    open_early(h, e, out);
    D_CONFIG(&h->tensix, ALU_ROUNDING_MODE_Packer_srnd_en, 1);
    D_CONFIG(&h->tensix, ALU_ROUNDING_MODE_Gasket_srnd_en, 1);
    D_CONFIG(&h->tensix, THCON_SEC0_REG1_Exp_section_size, out == D_BFP8 ? EXPONENTS : 0);
}

/* A datum that lies `sixteenths` of the way from one BF16 to the next. The page's "slight bias"
 * to greater magnitudes allows for a little more than sampling does. */
START_TEST(stochastic_mean)
{
    struct early e = {FROM_FP32, D_BF16, 0, 0, 0, BF16, D_BF16};
    unsigned sixteenths = 1 + (unsigned)_i;
    unsigned ups = 0;
    struct tensix_harness h, again;
    open_stochastic(&h, &e, D_BF16);
    open_stochastic(&again, &e, D_BF16);
    for (unsigned i = 0; i < DATA / 2; i++) {
        uint32_t x = 0x3f810000 | sixteenths << 12 | (i & 1 ? 0x80000000 : 0);
        put(&h.tensix, FROM_FP32, i, x);
        put(&again.tensix, FROM_FP32, i, x);
    }
    pack_all(&h, DATA / 2);
    pack_all(&again, DATA / 2);
    for (unsigned i = 0; i < DATA / 2; i++) {
        uint32_t got = d_l1(&h, FIRST_LINE * 16 + 2 * i, 2) & 0x7fff;
        D_EXPECT(d_l1(&again, FIRST_LINE * 16 + 2 * i, 2) == (got | (i & 1) << 15),
                 "two runs differ");
        D_EXPECT(got == 0x3f81 || got == 0x3f82, "0x%x", got);
        ups += got == 0x3f82;
    }
    double mean = 1.0 * ups / (DATA / 2), right = sixteenths / 16.0;
    double sigma = sqrt(right * (1 - right) / (DATA / 2));
    D_EXPECT(mean > right - 5 * sigma && mean < right + 5 * sigma + 0.01,
             "%u sixteenths: %f of the data went up", sixteenths, mean);
    tensix_harness_close(&h);
    tensix_harness_close(&again);
}
END_TEST

/* The same for magnitudes of a block: 64.5 between 64 and 65. */
START_TEST(stochastic_blocks)
{
    struct early e = {FROM_BF16, D_BF16, 1, 0, 0, BF16, D_BF16};
    unsigned ups = 0;
    struct tensix_harness h;
    open_stochastic(&h, &e, D_BFP8);
    for (unsigned i = 0; i < DATA; i++) {
        put(&h.tensix, FROM_BF16, i, 0x3f81);
    }
    pack_all(&h, DATA);
    for (unsigned i = 0; i < DATA; i++) {
        uint32_t got = h.l1[(FIRST_LINE + EXPONENTS) * 16 + i];
        D_EXPECT(got == 64 || got == 65, "0x%x", got);
        ups += got == 65;
    }
    ck_assert_uint_gt(ups, DATA / 2 - DATA / 40);
    ck_assert_uint_lt(ups, DATA / 2 + DATA / 40);
    tensix_harness_close(&h);
}
END_TEST

int main(void)
{
    Suite *all = suite_create("packer, what it does to data");
    TCase *formats = tcase_create("formats");
    tcase_set_timeout(formats, 120);
    tcase_add_loop_test(formats, conversions, 0, EARLY);
    tcase_add_test(formats, tf32_on_the_way_to_fp16);
    tcase_add_loop_test(formats, llk_fp8_e4m3, 0, 4);
    tcase_add_loop_test(formats, block_conversions, 0, EARLY);
    tcase_add_loop_test(formats, descaling, 0, 48);
    suite_add_tcase(all, formats);
    TCase *modes = tcase_create("modes");
    tcase_set_timeout(modes, 120);
    tcase_add_loop_test(modes, relu, 0, 8 * RELU_CASES);
    tcase_add_loop_test(modes, relu_of_integers, 0, 2);
    tcase_add_test(modes, relu_after_edges);
    tcase_add_loop_test(modes, exponent_threshold, 0, 4 * RELU_CASES);
    tcase_add_loop_test(modes, histogram, 0, 7 * 4);
    tcase_add_loop_test(modes, accumulation, 0, 3);
    tcase_add_loop_test(modes, stochastic_mean, 0, 15);
    tcase_add_test(modes, stochastic_blocks);
    suite_add_tcase(all, modes);
    return run_suite(all);
}
