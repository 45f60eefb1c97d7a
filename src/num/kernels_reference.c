/* The reference set of kernels.h: rows as loops over the functions on single data. */
#include "num/kernels.h"

#include <string.h>

#include "num/kernel_sets.h"

/* --- Matrix Unit --- */

static uint32_t get(struct num_dst_rows dst, unsigned i, bool is_32bit)
{
    return is_32bit ? (uint32_t)dst.high[i] << 16 | dst.low[i] : dst.high[i];
}

static void put_datum(struct num_dst_rows dst, unsigned i, bool is_32bit, uint32_t value)
{
    dst.high[i] = (uint16_t)(is_32bit ? value >> 16 : value);
    if (is_32bit) {
        dst.low[i] = (uint16_t)value;
    }
}

static void dot(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                unsigned rows, struct num_dst_rows dst)
{
    for (unsigned i = 0; i < rows * NUM_BLOCK_DATUMS; i++) {
        uint32_t column[NUM_MATRIX_TERMS];
        for (unsigned j = 0; j < NUM_MATRIX_TERMS; j++) {
            column[j] = a[j * NUM_BLOCK_DATUMS + i % NUM_BLOCK_DATUMS];
        }
        const uint32_t *row = b + i / NUM_BLOCK_DATUMS * NUM_BLOCK_DATUMS;
        put_datum(dst, i, mode->is_dst_32bit,
                  num_matrix_dot(mode, column, row, get(dst, i, mode->is_dst_32bit)));
    }
}

static void multiply_rows(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                          unsigned rows, struct num_dst_rows dst)
{
    for (unsigned i = 0; i < rows * NUM_BLOCK_DATUMS; i++) {
        uint32_t old = get(dst, i, mode->is_dst_32bit);
        put_datum(dst, i, mode->is_dst_32bit, num_matrix_multiply(mode, a[i], b[i], old));
    }
}

static void reference_add(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                          unsigned rows, struct num_dst_rows dst, bool accumulates)
{
    for (unsigned i = 0; i < rows * NUM_BLOCK_DATUMS; i++) {
        uint32_t old = get(dst, i, mode->is_dst_32bit);
        put_datum(dst, i, mode->is_dst_32bit, num_matrix_add(mode, a[i], b[i], old, accumulates));
    }
}

static void subtract_row(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                         unsigned rows, struct num_dst_rows dst, bool accumulates)
{
    for (unsigned i = 0; i < rows * NUM_BLOCK_DATUMS; i++) {
        uint32_t old = get(dst, i, mode->is_dst_32bit);
        put_datum(dst, i, mode->is_dst_32bit,
                  num_matrix_subtract(mode, a[i], b[i], old, accumulates));
    }
}

/* --- Unpackers and packer --- */

/* Datum `i` of `bits` bits, which lie from the lowest bit of the first byte on. */
static uint32_t reference_load(const uint8_t *data, size_t i, unsigned bits)
{
    if (bits < 8) {
        size_t position = i * bits;
        return (uint32_t)data[position / 8] >> position % 8 & ((1u << bits) - 1);
    }
    uint32_t value = 0;
    memcpy(&value, data + i * bits / 8, bits / 8);
    return value;
}

static void store_bits(uint8_t *data, size_t i, unsigned bits, uint32_t value)
{
    if (bits < 8) {
        size_t position = i * bits;
        unsigned mask = ((1u << bits) - 1) << position % 8;
        uint8_t *byte = &data[position / 8];
        *byte = (uint8_t)((*byte & ~mask) | (value << position % 8 & mask));
        return;
    }
    memcpy(data + i * bits / 8, &value, bits / 8);
}

static void unpack(const struct num_unpack *how, const uint8_t *data, const uint8_t *exponents,
                   size_t rows, uint32_t *stored)
{
    enum num_format in = (enum num_format)how->in;
    const struct num_format_info *info = num_format_info(in);
    for (size_t i = 0; i < rows * NUM_BLOCK_DATUMS; i++) {
        uint32_t datum = reference_load(data, i, info->bits);
        uint8_t exponent = info->is_block ? exponents[i / NUM_BLOCK_DATUMS] : 0;
        stored[i] = how->to_dst ? num_unpack_to_dst(in, how->out, datum, exponent)
                                : num_unpack_to_src(in, how->out, datum, exponent);
    }
}

static void store_block(const struct num_pack *how, const uint32_t *patterns, size_t row,
                        uint8_t *data, uint8_t *exponents)
{
    enum num_format to = (enum num_format)how->to;
    uint16_t halves[NUM_BLOCK_DATUMS];
    uint8_t datums[NUM_BLOCK_DATUMS];
    for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
        halves[i] = (uint16_t)patterns[i];
    }
    num_block_from_halves_stochastic(to, halves, &exponents[row], datums, how->generator);
    for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
        store_bits(data, row * NUM_BLOCK_DATUMS + i, num_format_info(to)->bits, datums[i]);
    }
}

static void pack_row(const struct num_pack *how, const uint16_t *high, const uint16_t *low,
                     size_t rows, uint8_t *data, uint8_t *exponents)
{
    enum num_format to = (enum num_format)how->to;
    enum num_pack_kind kind = num_pack_early_kind(&how->early);
    const struct num_format_info *info = num_format_info(to);
    for (size_t row = 0; row < rows; row++) {
        uint32_t patterns[NUM_BLOCK_DATUMS];
        for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
            size_t at = row * NUM_BLOCK_DATUMS + i;
            uint32_t stored = how->early.is_32bit ? (uint32_t)high[at] << 16 | low[at] : high[at];
            uint32_t pattern =
                num_pack_relu(&how->relu, kind, num_pack_early(&how->early, kind, stored));
            patterns[i] = num_pack_late(kind, to, pattern);
            if (!info->is_block) {
                store_bits(data, at, info->bits, patterns[i]);
            }
        }
        if (info->is_block) {
            store_block(how, patterns, row, data, exponents);
        }
    }
}

static num_pack_function *choose_pack(const struct num_pack *how)
{
    (void)how;
    return pack_row;
}

static uint16_t greatest(const uint8_t *data, size_t rows, uint32_t mask, uint16_t floor)
{
    for (size_t i = 0; i < rows * NUM_BLOCK_DATUMS; i++) {
        uint16_t half = (uint16_t)(reference_load(data, i, 16) & mask >> i % 2 * 16);
        floor = half > floor ? half : floor;
    }
    return floor;
}

static void accumulate_rows(enum num_format format, const uint8_t *data, size_t rows, uint8_t *l1)
{
    unsigned bits = num_format_info(format)->bits;
    for (size_t i = 0; i < rows * NUM_BLOCK_DATUMS; i++) {
        store_bits(l1, i, bits,
                   num_pack_accumulate(format, reference_load(l1, i, bits),
                                       reference_load(data, i, bits)));
    }
}

const struct num_kernels num_kernels_reference = {
    .name = "reference",
    .dot = dot,
    .multiply = multiply_rows,
    .add = reference_add,
    .subtract = subtract_row,
    .unpack = unpack,
    .pack = pack_row,
    .choose_pack = choose_pack,
    .greatest = greatest,
    .accumulate = accumulate_rows,
    .lanes = &num_lanes_reference,
};
