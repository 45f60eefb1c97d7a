/*
 * PACR against a model of the ISA's pages that works datum by datum and keeps each stream to L1 as
 * a list of bytes: random configurations of all legal conversions, all modes but compression,
 * random data and address counters. Compared are L1, address counters, tile sizes and exponents.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "num/kernels.h"
#include "unit/random.h"
#include "unit/test.h"
#include "tensix/config/regs.h"
#include "unit/tensix/tensix_harness.h"
#include "unit/tensix/touched.h"

#define SET(state, field, value)                                                                   \
    tensix_set_config_field(tensix, state, TENSIX_FIELD_##field, (uint32_t)(value))

enum { SCENES = 16, BASE = 0x10000, WINDOW = 0x40000, STREAM_BYTES = 0x8000 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static uint64_t dice;

static bool once_in(unsigned n)
{
    return random_below(&dice, n) == 0;
}

/* --- Legal conversions: FormatConversion, "Configuring the conversions" --- */

static const struct early {
    uint8_t dstacc, in;
    bool is_32bit, is_raw, is_unsigned, rounds;
    enum num_pack_kind kind;
} earlies[] = {
    {NUM_FORMAT_INT32, NUM_FORMAT_INT32, true, false, false, false, NUM_PACK_INT32},
    {NUM_FORMAT_INT32, NUM_FORMAT_INT32, true, false, true, false, NUM_PACK_INT32},
    {NUM_FORMAT_INT32, NUM_FORMAT_INT32, true, true, false, true, NUM_PACK_INT32},
    {NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT32, true, false, false, false, NUM_PACK_FP32},
    {NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT32, true, true, false, true, NUM_PACK_FP32},
    {NUM_FORMAT_TF32, NUM_FORMAT_TF32, true, true, false, false, NUM_PACK_FP32},
    {NUM_FORMAT_TF32, NUM_FORMAT_TF32, true, false, false, false, NUM_PACK_TF32},
    {NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT32, true, false, false, true, NUM_PACK_TF32},
    {NUM_FORMAT_FLOAT32, NUM_FORMAT_TF32, true, false, false, true, NUM_PACK_TF32},
    {NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT16, true, false, false, true, NUM_PACK_TF32},
    {NUM_FORMAT_FLOAT16, NUM_FORMAT_FLOAT16, true, false, false, true, NUM_PACK_TF32},
    {NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, true, false, false, false, NUM_PACK_BF16},
    {NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, true, true, false, false, NUM_PACK_BF16},
    {NUM_FORMAT_BFP8_B, NUM_FORMAT_BFP8_B, true, true, false, false, NUM_PACK_BF16},
    {NUM_FORMAT_BFP8_B, NUM_FORMAT_FLOAT16_B, true, true, false, false, NUM_PACK_BF16},
    {NUM_FORMAT_BFP8_B, NUM_FORMAT_BFP8_B, true, false, false, false, NUM_PACK_E8M6},
    {NUM_FORMAT_INT8, NUM_FORMAT_INT8, true, false, false, false, NUM_PACK_INT8},
    {NUM_FORMAT_INT8, NUM_FORMAT_INT8, true, true, false, false, NUM_PACK_INT8},
    {NUM_FORMAT_INT8, NUM_FORMAT_INT8, true, false, true, false, NUM_PACK_UINT8},
    {NUM_FORMAT_INT8, NUM_FORMAT_INT8, true, true, true, false, NUM_PACK_UINT8},
    {NUM_FORMAT_TF32, NUM_FORMAT_TF32, false, false, false, false, NUM_PACK_TF32},
    {NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT32, false, false, false, true, NUM_PACK_TF32},
    {NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, false, false, false, false, NUM_PACK_BF16},
    {NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, false, true, false, false, NUM_PACK_BF16},
    {NUM_FORMAT_BFP8_B, NUM_FORMAT_BFP8_B, false, true, false, false, NUM_PACK_BF16},
    {NUM_FORMAT_BFP8_B, NUM_FORMAT_BFP8_B, false, false, false, false, NUM_PACK_E8M6},
    {NUM_FORMAT_INT8, NUM_FORMAT_INT8, false, true, false, false, NUM_PACK_INT8},
    {NUM_FORMAT_FLOAT16, NUM_FORMAT_FLOAT16, false, false, false, false, NUM_PACK_FP16},
    {NUM_FORMAT_FLOAT16, NUM_FORMAT_FLOAT16, false, true, false, false, NUM_PACK_FP16},
    {NUM_FORMAT_BFP8, NUM_FORMAT_BFP8, false, true, false, false, NUM_PACK_E5M7},
    {NUM_FORMAT_BFP8, NUM_FORMAT_BFP8, false, false, false, false, NUM_PACK_E5M6},
    {NUM_FORMAT_LF8, NUM_FORMAT_LF8, false, true, false, false, NUM_PACK_FP8},
    {NUM_FORMAT_UINT16, NUM_FORMAT_UINT16, false, false, false, false, NUM_PACK_INT16},
};

/* The late conversions of a kind; 0xff ends. */
static const uint8_t *lates(enum num_pack_kind kind)
{
    static const uint8_t fp32[] = {0, 1, 2, 3, 5, 6, 7, 10, 26, 11, 15, 0xff};
    static const uint8_t others[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 26, 11, 15, 0xff};
    static const uint8_t int32[] = {8, 0xff}, int16[] = {9, 0xff}, int8[] = {14, 0xff};
    switch (kind) {
    case NUM_PACK_FP32:
        return fp32;
    case NUM_PACK_INT32:
        return int32;
    case NUM_PACK_INT16:
        return int16;
    case NUM_PACK_INT8:
    case NUM_PACK_UINT8:
        return int8;
    default:
        return others;
    }
}

static bool is_float(enum num_pack_kind kind)
{
    return kind < NUM_PACK_INT32;
}

/* --- The model --- */

struct stream {
    uint32_t start, count;
    bool open;
    uint8_t bytes[STREAM_BYTES];
};

struct scene {
    /* Configuration. */
    struct early early;
    unsigned out, bits, thread, state;
    bool is_block, accumulates, adds_header, subtracts_header, adds_offset, has_fifo,
        leaves_exponents;
    unsigned relu, threshold_relu, threshold;
    bool thresholds, counts, edge_infinity, face_sets, transposed, auto_last, swizzle, remap;
    unsigned downsample, reads_per_plane, exp_section, row_set, face_set, z_offset, shift_mode;
    uint32_t shifts[16];
    uint16_t masks[4];
    uint32_t row_map[4], face_map[4];
    uint32_t base[2], x_stride, y_stride[2], z_stride[2], w_stride[2], offset, dest, limit, fifo;
    uint16_t modifier[4], dest_offset;
    /* State. */
    struct tensix_adc adc[TENSIX_THREADS];
    struct stream data, exponents;
    uint32_t block[16], in_block, words, since_open;
    unsigned position, face, acc[TENSIX_THREADS], last_size, last_thread;
    unsigned histogram[32], greatest;
    uint8_t *l1;
};

static struct scene scene;

static void model_byte(struct stream *stream, uint8_t byte, bool adds)
{
    ck_assert_uint_lt(stream->count, STREAM_BYTES);
    stream->bytes[stream->count++] = byte;
    if (stream->count % 16) {
        return;
    }
    uint8_t *l1 = scene.l1 + stream->start + stream->count - 16;
    const uint8_t *line = stream->bytes + stream->count - 16;
    scene.words++;
    for (unsigned i = 0, size = adds ? scene.bits / 8 : 1; i < 16; i += size) {
        uint32_t old = 0, new = 0;
        memcpy(&old, l1 + i, size);
        memcpy(&new, line + i, size);
        new = adds ? num_pack_accumulate((enum num_format)scene.out, old, new) : new;
        memcpy(l1 + i, &new, size);
    }
}

static void model_datum(uint32_t datum)
{
    scene.since_open++;
    if (!scene.is_block) {
        for (unsigned i = 0; i < scene.bits; i += 8) {
            model_byte(&scene.data, (uint8_t)(datum >> i), scene.accumulates);
        }
        return;
    }
    scene.block[scene.in_block++] = datum;
    if (scene.in_block < 16) {
        return;
    }
    uint16_t halves[16];
    uint8_t exponent, datums[16];
    for (unsigned i = 0; i < 16; i++) {
        halves[i] = (uint16_t)scene.block[i];
    }
    num_block_from_halves((enum num_format)scene.out, halves, &exponent, datums);
    for (unsigned i = 0; i < 16; i += 8 / scene.bits) {
        unsigned byte = 0;
        for (unsigned j = 0; j < 8 / scene.bits; j++) {
            byte |= (unsigned)datums[i + j] << j * scene.bits;
        }
        model_byte(&scene.data, (uint8_t)byte, false);
    }
    if (!scene.leaves_exponents) {
        model_byte(&scene.exponents, exponent, false);
    }
    scene.in_block = 0;
}

static void model_open(struct stream *stream, uint32_t address)
{
    if (!stream->open) {
        stream->open = true;
        stream->start = (address & 0x1ffff) << 4;
        stream->count = 0;
    }
}

static void model_addresses(const struct tensix_adc_channel *adc)
{
    uint32_t yzw = scene.base[1] + adc->y * scene.y_stride[1] + adc->z * scene.z_stride[1] +
                   adc->w * scene.w_stride[1];
    uint32_t address = scene.dest + !scene.subtracts_header + (yzw >> 4);
    if (scene.adds_offset) {
        address += scene.dest_offset;
    }
    if (address > scene.limit * 2 + 1) {
        address -= scene.fifo * 2;
    }
    if (!scene.data.open) {
        scene.since_open = 0;
    }
    if (scene.out & 2) {
        model_open(&scene.exponents, address);
        address += scene.exp_section;
    }
    model_open(&scene.data, address);
}

static void model_close(void)
{
    while (scene.in_block) {
        model_datum(0);
    }
    while (scene.data.count % 16) {
        model_byte(&scene.data, 0, scene.accumulates);
    }
    while (scene.exponents.count % 16) {
        model_byte(&scene.exponents, 0, false);
    }
    scene.data.open = scene.exponents.open = false;
    scene.data.count = scene.exponents.count = 0;
}

static uint32_t model_infinity(void)
{
    static const uint32_t patterns[] = {
        [NUM_PACK_FP32] = 0xff800000, [NUM_PACK_TF32] = 0x7fc00, [NUM_PACK_BF16] = 0xff80,
        [NUM_PACK_E8M6] = 0xff80,     [NUM_PACK_FP16] = 0xffff,  [NUM_PACK_E5M7] = 0xfff8,
        [NUM_PACK_E5M6] = 0xfff0,     [NUM_PACK_FP8] = 0xff00,   [NUM_PACK_INT32] = 0xffffffff,
        [NUM_PACK_INT16] = 0xffff,    [NUM_PACK_INT8] = 0xff,    [NUM_PACK_UINT8] = 0,
    };
    return patterns[scene.early.kind];
}

static unsigned model_exponent(uint32_t pattern)
{
    switch (scene.early.kind) {
    case NUM_PACK_FP32:
    case NUM_PACK_INT32:
        return pattern >> 23 & 0xff;
    case NUM_PACK_TF32:
        return pattern >> 10 & 0xff;
    case NUM_PACK_BF16:
    case NUM_PACK_E8M6:
        return pattern >> 7 & 0xff;
    case NUM_PACK_INT16:
        return pattern & 0xff;
    case NUM_PACK_INT8:
    case NUM_PACK_UINT8:
        return 0;
    default:
        return pattern >> 10 & 0x1f;
    }
}

static struct tensix_dst_map dst_map(void)
{
    return (struct tensix_dst_map){.remap = scene.remap, .swizzle = scene.swizzle};
}

/* FetchFromDst of EdgeMasking, then ReLU. `k` counts the rows of the instruction. */
static uint32_t model_fetch(unsigned row, unsigned column, unsigned k)
{
    unsigned y = scene.transposed ? scene.position : scene.position + k;
    unsigned z = scene.transposed ? scene.face + k : scene.face;
    unsigned b = scene.row_set;
    if (scene.face_sets) {
        b = scene.face_map[scene.face_set] >> 2 * ((scene.z_offset + z) & 15) & 3;
    }
    unsigned c = scene.row_map[b] >> 2 * (y & 15) & 3;
    struct num_pack_early early = {
        .format = scene.early.dstacc,
        .output = (uint8_t)(scene.out & 15),
        .is_32bit = scene.early.is_32bit,
        .is_raw = scene.early.is_raw,
        .is_unsigned = scene.early.is_unsigned,
        .rounds_10bit = scene.early.rounds,
    };
    if (scene.shift_mode == 1) {
        early.right_shift = scene.shifts[0] & 31;
    } else if (scene.shift_mode == 2) {
        early.right_shift = scene.shifts[(z & 63) >> 2] >> (z & 3) * 8 & 31;
    }
    uint32_t pattern = scene.edge_infinity ? model_infinity() : 0;
    if (scene.masks[c] >> column & 1) {
        uint32_t stored =
            early.is_32bit
                ? tensix_dst_read32(&tensix->dst, dst_map(), row, column, TENSIX_DST_READS_ZERO)
                : tensix_dst_read16(&tensix->dst, dst_map(), row, column, TENSIX_DST_READS_ZERO);
        pattern = num_pack_early(&early, num_pack_early_kind(&early), stored);
    }
    struct num_pack_relu relu = {(uint8_t)scene.relu, (uint16_t)scene.threshold_relu};
    return num_pack_relu(&relu, scene.early.kind, pattern);
}

static uint32_t model_statistics(uint32_t pattern)
{
    unsigned exponent = model_exponent(pattern);
    if (scene.counts && scene.histogram[exponent & 31] < 255) {
        scene.histogram[exponent & 31]++;
    }
    scene.greatest = exponent > scene.greatest ? exponent : scene.greatest;
    bool applies = scene.thresholds && scene.early.in != NUM_FORMAT_INT32 &&
                   scene.early.in != NUM_FORMAT_UINT16 && scene.early.in != NUM_FORMAT_INT8;
    return applies && exponent < scene.threshold ? 0 : pattern;
}

static void model_modify(struct tensix_adc_channel *adc, unsigned y, bool y_cr, bool y_clear,
                         unsigned z, bool z_clear)
{
    if (y_clear) {
        adc->y = adc->y_cr = 0;
    } else if (y_cr) {
        adc->y = adc->y_cr = (adc->y_cr + y) & 0x1fff;
    } else {
        adc->y = (adc->y + y) & 0x1fff;
    }
    if (z_clear) {
        adc->z = adc->z_cr = 0;
    } else {
        adc->z = (adc->z + z) & 0x1fff;
    }
}

static unsigned model_start_row(const struct tensix_adc_channel *adc)
{
    uint32_t address = scene.base[0] + adc->x * (scene.x_stride & 15) + adc->y * scene.y_stride[0] +
                       adc->z * scene.z_stride[0] + adc->w * scene.w_stride[0];
    uint32_t bytes = scene.early.in % 4 == 0 ? 4 : scene.early.in % 4 == 1 ? 2 : 1;
    uint32_t mask = 16 / bytes - 1;
    address = ((address / bytes) & ~mask) + (adc->x & mask);
    address += scene.offset << 4;
    return (address & 0x3fff) >> 4;
}

struct fields {
    unsigned row_pad, strided, addr_mod, context, zero, select, override, concat, flush, last;
};

static bool pads(const struct fields *f)
{
    unsigned when = f->row_pad & 3;
    return when == 1 || (when == 2 && !f->concat) || (when == 3 && f->last);
}

static void model_pad(unsigned counted)
{
    for (; counted % 16; counted++) {
        model_datum(0);
    }
}

/* The rows of the instruction; false where that is undefined. */
static bool model_rows(const struct fields *f, unsigned start, unsigned rows[4], unsigned *count)
{
    unsigned mask = f->select ? f->select : 15, enabled = 0;
    for (unsigned i = 0; i < 4; i++) {
        enabled += mask >> i & 1;
    }
    unsigned left = scene.reads_per_plane - scene.position;
    if (scene.auto_last && scene.reads_per_plane > scene.position && left <= enabled) {
        mask = (1u << left) - 1;
    }
    if (!f->strided && mask << (start & 3) > 15) {
        return false;
    }
    *count = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (mask >> i & 1) {
            rows[(*count)++] = (start + i * (f->strided ? 16 : 1)) & 1023;
        }
    }
    return true;
}

static void model_data_row(const struct fields *f, unsigned row, unsigned k, unsigned x0,
                           unsigned x1)
{
    unsigned written = 0, mask = scene.downsample ? scene.downsample : 0xffff;
    for (unsigned x = x0; x <= x1; x++) {
        uint32_t pattern = 0;
        if (!f->zero) {
            pattern = model_statistics(model_fetch(row, x, k));
        }
        if (mask & 1) {
            model_datum(
                f->zero ? 0 : num_pack_late(scene.early.kind, (enum num_format)scene.out, pattern));
            written++;
        }
        mask = mask >> 1 | (mask & 1) << 15;
    }
    if (pads(f) && f->row_pad < 4) {
        model_pad(written);
    }
}

static void model_advance(unsigned rows)
{
    unsigned *inner = scene.transposed ? &scene.face : &scene.position;
    unsigned *outer = scene.transposed ? &scene.position : &scene.face;
    *inner = (*inner + rows) & 0xff;
    if (*inner == scene.reads_per_plane) {
        *inner = 0;
        *outer = (*outer + 1) & 0xff;
    }
}

/* False: the instruction is undefined, and nothing has happened. */
static bool model_pacr(const struct fields *f)
{
    unsigned which = f->override ? f->context % 3 : scene.thread, rows[4] = {0}, count = 0;
    struct tensix_adc *adc = &scene.adc[which];
    unsigned x0 = adc->channel[0].x, x1 = adc->channel[1].x;
    unsigned start = model_start_row(&adc->channel[0]);
    bool is_long = f->zero && !f->select; /* assembly.yaml: X counts all data */
    if (!f->flush && !is_long && !f->zero && !model_rows(f, start, rows, &count)) {
        return false;
    }
    if (!f->flush && is_long && (x0 || (x1 + 1) % 16)) {
        return false;
    }
    if (!f->flush) {
        model_addresses(&adc->channel[1]);
        count = !f->zero  ? count
                : is_long ? (x1 + 1) / 16
                          : (unsigned)__builtin_popcount(f->select);
        for (unsigned k = 0; k < count; k++) {
            model_data_row(f, rows[k & 3], k, is_long ? 0 : x0, is_long ? 15 : x1);
        }
        if (pads(f) && f->row_pad >= 4) {
            model_pad(scene.since_open);
        }
        if (!f->zero) {
            model_advance(count);
        }
    }
    if (f->last || f->flush) {
        model_close();
    }
    if (f->last) {
        scene.last_size = scene.words & 0xffff;
        scene.last_thread = scene.thread;
        scene.acc[scene.thread] =
            (scene.acc[scene.thread] + scene.last_size + scene.adds_header) & 0xffff;
        scene.words = 0;
    }
    unsigned m = scene.modifier[f->addr_mod];
    model_modify(&adc->channel[0], m & 15, m >> 4 & 1, m >> 5 & 1, m >> 12 & 1, m >> 13 & 1);
    model_modify(&adc->channel[1], m >> 6 & 15, m >> 10 & 1, m >> 11 & 1, m >> 14 & 1, m >> 15);
    return true;
}

/* --- Scenes --- */

static uint32_t random_bits(void)
{
    static const uint8_t exponents[] = {0, 1, 15, 30, 31, 112, 113, 126, 127, 128, 143, 254, 255};
    uint32_t bits = random_next(&dice);
    if (once_in(6)) {
        return 0;
    }
    if (once_in(3)) { /* as stored: exponents in the low bits of the upper half */
        bits = (bits & 0xff00ffff) | (uint32_t)exponents[random_below(&dice, COUNT(exponents))]
                                         << 16;
    }
    return once_in(8) ? bits & 0x80ff00ff : bits;
}

static void random_dst(void)
{
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        for (unsigned column = 0; column < TENSIX_DST_COLUMNS; column++) {
            uint32_t bits = random_bits();
            tensix->dst.bits[row][column] = (uint16_t)(row & 8 ? bits : bits >> 16);
        }
        tensix->dst.cleared[row] = once_in(10);
    }
}

static void random_addresses(void)
{
    unsigned bytes = scene.early.in % 4 == 0 ? 4 : scene.early.in % 4 == 1 ? 2 : 1;
    scene.base[0] = random_below(&dice, 64) * 16;
    scene.base[1] = random_below(&dice, 0x400);
    scene.x_stride = once_in(2) ? 0 : bytes;
    scene.y_stride[0] = (once_in(4) ? random_below(&dice, 8) : 1) * 16 * bytes;
    scene.z_stride[0] = 256 * bytes;
    scene.w_stride[0] = 1024 * bytes;
    scene.y_stride[1] = once_in(3) ? random_below(&dice, 512) : 16 * random_below(&dice, 4);
    scene.z_stride[1] = once_in(3) ? random_below(&dice, 512) : 256;
    scene.w_stride[1] = random_below(&dice, 1024);
    scene.offset = once_in(2) ? 512 * random_below(&dice, 2) : random_below(&dice, 4096);
    scene.dest = BASE / 16 + random_below(&dice, 0x400);
    if (once_in(4)) {
        scene.dest |= 0x80000000;
    }
    scene.limit = 0x1ffff;
    scene.fifo = 0;
    if (once_in(3)) { /* all output wraps */
        scene.fifo = 0x40 + random_below(&dice, 0x40);
        scene.limit = BASE / 32 - 1;
        scene.dest += scene.fifo * 2;
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        for (unsigned j = 0; j < 2; j++) {
            scene.adc[i].channel[j] = (struct tensix_adc_channel){.x = j ? 15 : 0,
                                                                  .y = random_below(&dice, 16),
                                                                  .z = random_below(&dice, 4),
                                                                  .w = random_below(&dice, 4),
                                                                  .y_cr = random_below(&dice, 16)};
        }
        if (once_in(3)) {
            scene.adc[i].channel[0].x = random_below(&dice, 16);
            scene.adc[i].channel[1].x = 15 - random_below(&dice, 16 - scene.adc[i].channel[0].x);
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        static const uint16_t usual[] = {0x0104, 0x0004, 0x2820, 0x1820, 0x0041};
        scene.modifier[i] =
            (uint16_t)(once_in(3) ? random_next(&dice) : usual[random_below(&dice, COUNT(usual))]);
    }
}

static void random_edges(bool plain)
{
    for (unsigned i = 0; i < 4; i++) {
        scene.masks[i] = (uint16_t)(plain || once_in(3) ? 0xffff : random_next(&dice));
        scene.row_map[i] = random_next(&dice);
        scene.face_map[i] = random_next(&dice);
    }
    scene.row_set = random_below(&dice, 4);
    scene.face_set = random_below(&dice, 4);
    scene.face_sets = once_in(3);
    scene.edge_infinity = once_in(2);
    scene.z_offset = once_in(2) ? 0 : random_below(&dice, 64);
    scene.transposed = once_in(4);
    scene.reads_per_plane = once_in(3) ? random_below(&dice, 20) : 16;
    scene.auto_last = once_in(4);
}

static void random_scene(const struct early *early, unsigned out, bool plain)
{
    uint8_t *l1 = scene.l1;
    memset(&scene, 0, sizeof scene);
    scene.l1 = l1;
    scene.early = *early;
    scene.out = num_format_of(out, early->is_unsigned, out == NUM_FORMAT_FP8_E4M3);
    scene.bits = num_format_info(scene.out)->bits;
    scene.is_block = num_format_info(scene.out)->is_block;
    scene.thread = random_below(&dice, TENSIX_THREADS);
    scene.state = random_below(&dice, 2);
    scene.accumulates = (out == 0 || out == 1 || out == 5) && once_in(3);
    scene.adds_header = once_in(2);
    scene.subtracts_header = once_in(2);
    scene.adds_offset = once_in(3);
    scene.has_fifo = once_in(2);
    scene.leaves_exponents = once_in(6);
    scene.relu = once_in(2) ? 0 : random_below(&dice, is_float(early->kind) ? 4 : 2);
    scene.threshold_relu = random_next(&dice) & 0x7fff;
    scene.thresholds = !plain && once_in(4);
    scene.threshold = random_below(&dice, 256);
    scene.counts = once_in(4);
    scene.swizzle = once_in(2);
    scene.remap = once_in(2);
    scene.downsample = plain || once_in(2) ? 0 : random_next(&dice) & 0xffff;
    scene.exp_section = random_below(&dice, 6);
    scene.dest_offset = (uint16_t)random_below(&dice, 0x100);
    scene.shift_mode = random_below(&dice, 3);
    for (unsigned i = 0; i < 16; i++) {
        scene.shifts[i] = once_in(2) ? random_next(&dice) & 0x07070707 : random_next(&dice);
    }
    random_addresses();
    random_edges(plain);
}

static void set_words(unsigned word, uint32_t low, uint32_t high_bits)
{
    tensix->config[scene.state][word] = low | high_bits;
}

static void configure_packer(unsigned s)
{
    SET(s, THCON_SEC0_REG1_Out_data_format, scene.out & 15);
    SET(s, THCON_SEC0_REG1_In_data_format, scene.early.in);
    SET(s, THCON_SEC0_REG1_Pac_LF8_4b_exp, scene.out == NUM_FORMAT_FP8_E4M3);
    SET(s, THCON_SEC0_REG1_Disable_zero_compress, 1);
    SET(s, THCON_SEC0_REG1_Add_l1_dest_addr_offset, scene.adds_offset);
    SET(s, THCON_SEC0_REG1_Dis_shared_exp_assembler, scene.leaves_exponents);
    SET(s, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel, scene.auto_last);
    SET(s, THCON_SEC0_REG1_Enable_out_fifo, scene.has_fifo);
    SET(s, THCON_SEC0_REG1_Sub_l1_tile_header_size, scene.subtracts_header);
    SET(s, THCON_SEC0_REG1_Add_tile_header_size, scene.adds_header);
    SET(s, THCON_SEC0_REG1_Downsample_mask, scene.downsample);
    SET(s, THCON_SEC0_REG1_Pack_L1_Acc, scene.accumulates);
    SET(s, THCON_SEC0_REG1_Exp_threshold_en, scene.thresholds);
    SET(s, THCON_SEC0_REG1_Exp_threshold, scene.threshold);
    SET(s, THCON_SEC0_REG1_Exp_section_size, scene.exp_section);
    SET(s, THCON_SEC0_REG1_L1_Dest_addr, scene.dest);
    SET(s, THCON_SEC0_REG9_Pack_0_2_limit_address, scene.limit);
    SET(s, THCON_SEC0_REG9_Pack_0_2_fifo_size, scene.fifo);
    SET(s, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, scene.reads_per_plane);
    SET(s, PACK_COUNTERS_SEC0_pack_yz_transposed, scene.transposed);
    SET(s, DEST_TARGET_REG_CFG_PACK_SEC0_Offset, scene.offset);
    SET(s, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset, scene.z_offset);
    SET(0, DEST_ACCESS_CFG_remap_addrs, scene.remap);
    SET(0, DEST_ACCESS_CFG_swizzle_32b, scene.swizzle);
}

static void configure(void)
{
    unsigned s = scene.state;
    bool overrides = once_in(3);
    SET(s, ALU_FORMAT_SPEC_REG_Dstacc_override, overrides);
    SET(s, ALU_FORMAT_SPEC_REG_Dstacc_val, overrides ? scene.early.dstacc : random_next(&dice));
    SET(s, ALU_FORMAT_SPEC_REG2_Dstacc, overrides ? random_next(&dice) : scene.early.dstacc);
    SET(s, PCK_DEST_RD_CTRL_Read_32b_data, scene.early.is_32bit);
    SET(s, PCK_DEST_RD_CTRL_Read_unsigned, scene.early.is_unsigned);
    SET(s, PCK_DEST_RD_CTRL_Read_int8, scene.early.is_raw);
    SET(s, PCK_DEST_RD_CTRL_Round_10b_mant, scene.early.rounds);
    SET(s, STACC_RELU_ApplyRelu, scene.relu);
    SET(s, STACC_RELU_ReluThreshold, scene.threshold_relu);
    SET(s, INT_DESCALE_Enable, scene.shift_mode != 0);
    SET(s, INT_DESCALE_Mode, scene.shift_mode == 2);
    SET(s, PCK0_ADDR_BASE_REG_0_Base, scene.base[0]);
    SET(s, PCK0_ADDR_BASE_REG_1_Base, scene.base[1]);
    for (unsigned i = 0; i < 2; i++) {
        unsigned word = TENSIX_WORD_PCK0_ADDR_CTRL_XY_REG_0_Xstride + 2 * i;
        set_words(word, i ? random_next(&dice) & 0xffff : scene.x_stride, scene.y_stride[i] << 16);
        set_words(word + 1, scene.z_stride[i], scene.w_stride[i] << 16);
    }
    for (unsigned i = 0; i < 4; i++) {
        set_words(TENSIX_WORD_TILE_ROW_SET_MAPPING_0_row_set_mapping_0 + i, scene.row_map[i], 0);
        set_words(TENSIX_WORD_TILE_FACE_SET_MAPPING_0_face_set_mapping_0 + i, scene.face_map[i], 0);
        set_words(TENSIX_WORD_PCK_EDGE_OFFSET_SEC0_mask + i, scene.masks[i], 0);
        tensix->thread_config[scene.thread][TENSIX_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + i] =
            scene.modifier[i];
    }
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned state = 0; state < 2; state++) {
            tensix->config[state][TENSIX_WORD_INT_DESCALE_VALUES_SEC0_Value + i] = scene.shifts[i];
        }
    }
    SET(s, PCK_EDGE_MODE_mode, scene.edge_infinity);
    SET(s, PCK_EDGE_TILE_ROW_SET_SELECT_select, scene.row_set | (random_next(&dice) & 0xfc));
    SET(s, PCK_EDGE_TILE_FACE_SET_SELECT_select, scene.face_set | (random_next(&dice) & 0xfc));
    SET(s, PCK_EDGE_TILE_FACE_SET_SELECT_enable, scene.face_sets);
    configure_packer(s);
    tensix_set_thread_field(tensix, scene.thread, TENSIX_FIELD_CFG_STATE_ID_StateID, s);
    tensix_set_thread_field(tensix, random_below(&dice, 3), TENSIX_FIELD_ENABLE_ACC_STATS_Enable,
                            scene.counts);
}

static uint32_t encode(const struct fields *f)
{
    return UINT32_C(0x41) << 24 | f->row_pad << 18 | f->strided << 17 | f->addr_mod << 15 |
           f->context << 13 | f->zero << 12 | f->select << 8 | f->override << 7 | f->concat << 4 |
           f->flush << 1 | f->last;
}

static struct fields random_fields(bool plain, bool ends)
{
    struct fields f = {.addr_mod = random_below(&dice, 4), .context = random_below(&dice, 4)};
    f.select = once_in(2) ? 0 : random_below(&dice, 16);
    f.strided = once_in(4);
    f.override = once_in(4);
    f.concat = once_in(4);
    f.last = once_in(6);
    if (!plain) {
        f.row_pad = once_in(2) ? 0 : random_below(&dice, 8);
        f.zero = once_in(6);
        f.flush = once_in(10);
    }
    if (ends) {
        f.last = 1;
    }
    return f;
}

static void compare_adcs(uint32_t word)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        for (unsigned j = 0; j < 2; j++) {
            ck_assert_msg(!memcmp(&scene.adc[i].channel[j],
                                  &tensix->thread[i].adc[TENSIX_ADC_PACKER].channel[j],
                                  sizeof scene.adc[i].channel[j]),
                          "0x%08" PRIx32 ": counters of thread %u, channel %u", word, i, j);
        }
    }
}

static void compare_scene(int row, unsigned n)
{
    bool is_same = !memcmp(harness.l1, scene.l1, TENSIX_HARNESS_L1);
    for (uint32_t i = 0; !is_same && i < TENSIX_HARNESS_L1; i++) {
        if (harness.l1[i] == scene.l1[i]) {
            continue;
        }
        ck_abort_msg("conversion %d to %s, scene %u: L1 0x%" PRIx32 " has 0x%02x, not 0x%02x", row,
                     num_format_info(scene.out)->name, n, i, harness.l1[i], scene.l1[i]);
    }
    const struct tensix_packer *packer = &tensix->packer[0];
    for (unsigned i = 0; i < 32; i++) {
        ck_assert_uint_eq(packer->histogram[i], scene.histogram[i]);
    }
    ck_assert_msg(packer->max_exponent == scene.greatest,
                  "conversion %d to %s, scene %u: greatest exponent %u, not %u", row,
                  num_format_info(scene.out)->name, n, packer->max_exponent, scene.greatest);
    ck_assert_uint_eq(packer->last_tile_size, scene.last_size);
    ck_assert_uint_eq(packer->last_thread, scene.last_thread);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        ck_assert_uint_eq(packer->acc_tile_size[i], scene.acc[i]);
    }
}

/* The machine as the scene says. */
static void prepare_machine(void)
{
    uint8_t *l1 = harness.l1;
    const struct num_kernels *kernels = tensix->kernels;
    tensix_reset(tensix);
    tensix->kernels = kernels;
    harness.time = harness.faults = 0;
    random_dst();
    for (uint32_t i = BASE; i < BASE + WINDOW; i += 4) {
        uint32_t value = random_next(&dice);
        memcpy(l1 + i, &value, sizeof value);
    }
    memcpy(scene.l1, l1, BASE + WINDOW);
    configure();
    tensix->packer[0].l1_dest_addr_offset = scene.dest_offset;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tensix->thread[i].adc[TENSIX_ADC_PACKER] = scene.adc[i];
    }
}

static unsigned run_scene(int row, unsigned n, bool plain)
{
    unsigned executed = 0, faults = 0, last = 4 + random_below(&dice, 12);
    prepare_machine();
    for (unsigned i = 0; i <= last; i++) {
        struct fields f = random_fields(plain, i == last);
        if (i == last) { /* always defined */
            f.zero = 1, f.select = 3, f.flush = 0;
        }
        bool is_defined = model_pacr(&f);
        faults += !is_defined;
        executed += is_defined;
        tensix_harness_push(&harness, scene.thread, encode(&f));
        ck_assert_msg(harness.faults == faults, "conversion %d: 0x%08" PRIx32 ": %s", row,
                      encode(&f), harness.fault.text);
        ck_assert_uint_eq(tensix->packer[0].position, scene.position);
        ck_assert_uint_eq(tensix->packer[0].face, scene.face);
        compare_adcs(encode(&f));
    }
    compare_scene(row, n);
    return executed;
}

/* --- Tests --- */

static void setup(void)
{
    tensix_harness_open(&harness);
    scene.l1 = malloc(TENSIX_HARNESS_L1);
    ck_assert_ptr_nonnull(scene.l1);
}

static void teardown(void)
{
    free(scene.l1);
    tensix_harness_close(&harness);
}

static void check_conversion(int row, const char *kernels)
{
    const struct early *early = &earlies[row];
    unsigned executed = 0;
    const struct num_kernels *set = num_kernels_find(kernels);
    dice = (uint64_t)row + 1;
    if (!set) {
        return; /* this host cannot run it; the reference always can */
    }
    for (const uint8_t *out = lates(early->kind); *out != 0xff; out++) {
        /* Round_10b_mant with BF16 is another conversion where L1 has narrow exponents. */
        for (unsigned n = 0; n < SCENES / (is_float(early->kind) ? 8 : 1); n++) {
            bool plain = n % 2;
            tensix->kernels = set;
            random_scene(early, *out, plain);
            executed += run_scene(row, n, plain);
        }
    }
    ck_assert_uint_gt(executed, 20);
}

FIXTURE(setup, teardown);

TEST_EACH(packs_as_the_model, COUNT(earlies))
{
    check_conversion(_i, "reference");
}

TEST_EACH(packs_as_the_model_with_avx2, COUNT(earlies))
{
    check_conversion(_i, "avx2");
}

TEST_EACH(packs_as_the_model_with_avx512, COUNT(earlies))
{
    check_conversion(_i, "avx512");
}

/* --- What observers are told --- */

/* Modes beside those of a scene: compression, data of L1, stochastic rounding. */
static void add_modes(void)
{
    unsigned s = scene.state;
    SET(s, THCON_SEC0_REG1_Disable_zero_compress, !once_in(4));
    SET(s, THCON_SEC0_REG1_Source_interface_selection, once_in(5));
    SET(s, THCON_SEC0_REG1_L1_source_addr, (BASE + WINDOW) >> 18);
    SET(s, THCON_SEC0_REG1_Row_start_section_size, 8);
    SET(s, ALU_ROUNDING_MODE_Gasket_srnd_en, once_in(4));
    SET(s, ALU_ROUNDING_MODE_Packer_srnd_en, once_in(4));
    SET(s, THCON_SEC0_REG10_Packer_Reg_Wr_Addr, UINT32_C(0xb00400));
    for (unsigned word = TENSIX_GLOBAL_WORD; word < TENSIX_STATE_WORDS; word++) {
        uint32_t bits = tensix->config[0][word] | tensix->config[1][word];
        tensix->config[0][word] = tensix->config[1][word] = bits; /* both states have them */
    }
}

/* Any instruction of the packer. */
static uint32_t random_word(void)
{
    struct fields f = random_fields(false, false);
    switch (random_below(&dice, 10)) {
    case 0: /* PACR_SETREG, which writes a register if it has both Push and Flush */
        return UINT32_C(0x4a000004) | random_below(&dice, 2) << 23 | random_below(&dice, 2) << 1;
    case 1: /* with data */
        return UINT32_C(0x4a400000) | (random_next(&dice) & UINT32_C(0x3fffff));
    case 2: /* resets a context, and does nothing else */
        return encode(&f) | 2 << 2;
    default:
        return encode(&f);
    }
}

TEST(all_that_is_touched_is_told)
{
    enum { TOLD_SCENES = 3, WORDS = 6 };
    unsigned executed = 0;
    dice = 1;
    touched_open(&harness);
    for (int i = 0; i < COUNT(earlies) * TOLD_SCENES; i++) {
        const uint8_t *late = lates(earlies[i / TOLD_SCENES].kind);
        unsigned outs = 1;
        for (; late[outs] != 0xff; outs++) {
        }
        random_scene(&earlies[i / TOLD_SCENES], late[random_below(&dice, outs)], once_in(3));
        prepare_machine();
        add_modes();
        for (unsigned n = 0; n < WORDS; n++) {
            executed += touched_check(&harness, scene.thread, random_word(), &dice, BASE, WINDOW);
        }
    }
    ck_assert_uint_gt(executed, WORDS * COUNT(earlies) * TOLD_SCENES / 2);
    ck_assert_uint_gt(touched_times(OBSERVED_STATE_DST, false), 500);
    ck_assert_uint_gt(touched_times(OBSERVED_STATE_L1, false), 50);
    ck_assert_uint_gt(touched_times(OBSERVED_STATE_L1, true), 100);
    touched_close();
}
