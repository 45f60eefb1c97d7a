/*
 * A model of UNPACR that was written from the pages alone: WormholeB0 UNPACR_Regular with its
 * conditionals for Blackhole, Unpackers/FormatConversion, SrcASrcB, ADCs (Blackhole's 13 bits),
 * BlackholeA0 Dst, and tt_llk_blackhole for encodings; of ttsim it has what Blackhole makes of an
 * FP8 of all ones, that rows of data wider than a byte are 32 long,
 * and FP32 to FP16; of the vendor's description of CfgContextOffset, that the context counter counts
 * without it. Slow, a datum at a time, with addresses in
 * sixteenths of a byte since the pages count exponents and BFP2 datums in fractions.
 */
#include "unit/tensix/unpack_model.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tensix/exec.h"

enum {
    SECTION = 48,   /* words from THCON_SEC0 to THCON_SEC1 */
    PART = 16,      /* of a byte: the unit of addresses */
    MOST = 1 << 17, /* datums, before the model gives up */
    HEADER_ROWS = 4,
    ROW_BITS = 0x3ff,
};

/* --- Configuration --- */

uint32_t config_get(const struct tensix *tensix, unsigned state, unsigned word, unsigned shift,
                    unsigned width)
{
    uint32_t value = tensix->config[state][word] >> shift;
    return width == 32 ? value : value & ((UINT32_C(1) << width) - 1);
}

void config_put(struct tensix *tensix, unsigned state, unsigned word, unsigned shift,
                unsigned width, uint32_t value)
{
    uint32_t ones = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
    tensix_put_config(tensix, 0, state, word, ones << shift, value << shift);
}

void own_put(struct tensix *tensix, unsigned thread, unsigned word, uint32_t value)
{
    tensix->thread_config[thread][word] = (uint16_t)value;
}

uint32_t unpacr_word(const struct unpacr *u)
{
    unsigned mode = u->ch1_y << 6 | u->ch1_z << 4 | u->ch0_y << 2 | u->ch0_z;
    return UINT32_C(0x42) << 24 | u->unpacker << 23 | mode << 15 | u->context << 10 | u->adc << 8 |
           (unsigned)u->multi << 7 | (unsigned)u->flip << 6 | (unsigned)u->zero << 4 |
           (unsigned)u->use_counter << 3 | (unsigned)u->row_search << 2;
}

/* --- World --- */

static void take_adc(uint32_t axes[AXES], const struct tensix_adc_channel *channel)
{
    axes[X] = channel->x;
    axes[Y] = channel->y;
    axes[Z] = channel->z;
    axes[W] = channel->w;
}

void world_take(struct world *world, const struct tensix *tensix)
{
    memset(world, 0, sizeof *world);
    memcpy(world->dst, tensix->dst.bits, sizeof world->dst);
    for (unsigned u = 0; u < UNPACKERS; u++) {
        memcpy(world->src[u], tensix->src_file[u].bank, sizeof world->src[u]);
        memcpy(world->implied[u], tensix->src_file[u].format, BANKS);
        world->bank[u] = tensix->src[u].unpack_bank;
        memcpy(world->matrix_has[u], tensix->src[u].matrix_may, sizeof world->matrix_has[u]);
        for (unsigned thread = 0; thread < THREADS; thread++) {
            world->src_row[u][thread] = tensix->unpacker[u].src_row[thread] % SRC_ROWS;
            world->counter[u][thread] = tensix->unpacker[u].context_counter[thread];
            for (unsigned i = 0; i < 2; i++) {
                take_adc(world->adc[thread][u][i], &tensix->thread[thread].adc[u].channel[i]);
            }
        }
    }
}

/* Asserting is slow in Check: whole arrays are looked at first. */
void world_compare(const struct world *world, const struct tensix *tensix, const char *what)
{
    static struct world real;
    world_take(&real, tensix);
    if (!memcmp(world, &real, sizeof real)) {
        return;
    }
    for (unsigned i = 0; i < UNPACKERS * BANKS * SRC_ROWS * COLUMNS; i++) {
        unsigned u = i / (BANKS * SRC_ROWS * COLUMNS), bank = i / (SRC_ROWS * COLUMNS) % BANKS;
        unsigned row = i / COLUMNS % SRC_ROWS, column = i % COLUMNS;
        uint32_t wanted = world->src[u][bank][row][column], found = real.src[u][bank][row][column];
        if (wanted != found) {
            ck_abort_msg("%s: Src%c[%u][%u][%u] is %05x, not %05x", what, u ? 'B' : 'A', bank, row,
                         column, found, wanted);
        }
    }
    for (unsigned i = 0; i < DST_ROWS * COLUMNS; i++) {
        unsigned row = i / COLUMNS, column = i % COLUMNS;
        if (world->dst[row][column] != real.dst[row][column]) {
            ck_abort_msg("%s: Dst[%u][%u] is %04x, not %04x", what, row, column,
                         real.dst[row][column], world->dst[row][column]);
        }
    }
    for (unsigned u = 0; u < UNPACKERS; u++) {
        ck_assert_msg(!memcmp(world->implied[u], real.implied[u], BANKS),
                      "%s: implied formats of %u are %u %u, not %u %u", what, u, real.implied[u][0],
                      real.implied[u][1], world->implied[u][0], world->implied[u][1]);
        ck_assert_msg(world->bank[u] == real.bank[u], "%s: bank of unpacker %u", what, u);
        ck_assert_msg(!memcmp(world->matrix_has[u], real.matrix_has[u], sizeof real.matrix_has[u]),
                      "%s: who has the banks of %u", what, u);
    }
    for (unsigned i = 0; i < UNPACKERS * THREADS; i++) {
        unsigned u = i / THREADS, thread = i % THREADS;
        ck_assert_msg(world->src_row[u][thread] == real.src_row[u][thread],
                      "%s: SrcRow[%u] of %u is %u, not %u", what, thread, u,
                      real.src_row[u][thread], world->src_row[u][thread]);
        ck_assert_msg(world->counter[u][thread] == real.counter[u][thread],
                      "%s: ContextCounter[%u] of %u is %u, not %u", what, thread, u,
                      real.counter[u][thread], world->counter[u][thread]);
    }
    ck_assert_msg(!memcmp(world->adc, real.adc, sizeof real.adc), "%s: ADCs", what);
    ck_abort_msg("%s: padding of struct world", what);
}

unsigned adjust16(const struct tensix *tensix, unsigned row)
{
    row &= ROW_BITS;
    if (config_get(tensix, 0, 220, 1, 1)) {
        row = (row & 0x3c7) ^ (row & 0x30) >> 1 ^ (row & 0x08) << 2;
    }
    return row;
}

unsigned adjust32(const struct tensix *tensix, unsigned row)
{
    row = adjust16(tensix, row);
    if (config_get(tensix, 0, 220, 0, 1)) {
        row = (row & 0x3f3) ^ (row & 0x18) >> 1 ^ (row & 0x04) << 1;
    }
    return (row & 0x1f8) << 1 | (row & 0x207);
}

/* --- Formats --- */

unsigned format_bits(enum format format)
{
    static const uint8_t bits[] = {
        [FP32] = 32, [FP16] = 16,  [BFP8A] = 8,  [BFP4A] = 4, [TF32] = 32, [BF16] = 16, [BFP8] = 8,
        [BFP4] = 4,  [INT32] = 32, [INT16] = 16, [FP8] = 8,   [BFP2A] = 2, [INT8] = 8,  [BFP2] = 2};
    return bits[format & 15];
}

bool is_block(enum format format)
{
    return format == BFP8 || format == BFP8A || format == BFP4 || format == BFP4A ||
           format == BFP2 || format == BFP2A;
}

/* Sign, exponent and fraction as a register file wants them: exponent last. */
static uint32_t src_of(uint32_t sign, uint32_t exponent, uint32_t fraction10)
{
    return sign << 18 | fraction10 << 8 | exponent;
}

/* What FormatConversion works towards. */
struct datum {
    enum { AS_FP32, AS_BF16, AS_FP16, AS_INT16, AS_INT32, AS_NOTHING } kind;
    uint32_t bits;
};

/* Of 8 bits, sign and magnitude, in the block's exponent. False: the page leaves it undefined. */
static bool unblock(unsigned eight, unsigned exponent, bool a_family, struct datum *datum)
{
    unsigned sign = eight >> 7, magnitude = eight & 0x7f;
    datum->kind = a_family ? AS_FP16 : AS_BF16;
    if (!magnitude) {
        datum->bits = sign ? a_family ? 0xfc00 : 0xff80 : 0;
        return true;
    }
    while (!(magnitude & 0x40)) {
        magnitude <<= 1;
        exponent--;
    }
    exponent &= 0xff;
    unsigned fraction6 = magnitude & 0x3f;
    if (a_family) {
        datum->bits = sign << 15 | exponent << 10 | fraction6 << 4;
        return exponent < 32;
    }
    datum->bits = sign << 15 | exponent << 7 | fraction6 << 1;
    return true;
}

static struct datum fp32_to(enum format out, uint32_t bits, bool to_dst)
{
    switch ((int)out) {
    case FP32:
        return (struct datum){to_dst ? AS_FP32 : AS_NOTHING, bits};
    case TF32:
        return (struct datum){AS_FP32, bits};
    case BF16:
        return (struct datum){AS_BF16, (bits & 0x7f800000 ? bits : bits & 0x80000000) >> 16};
    case FP16: { /* The page does not define FP32ToFP16; ttsim does. */
        uint32_t exponent = bits >> 23 & 0xff;
        uint32_t small = exponent < 112   ? 0
                         : exponent > 143 ? 0x7fff
                                          : (exponent - 112) << 10 | (bits >> 13 & 0x3ff);
        return (struct datum){AS_FP16, (bits >> 16 & 0x8000) | small};
    }
    default:
        return (struct datum){AS_NOTHING, 0};
    }
}

static bool pair_is_legal(enum format in, enum format out)
{
    if (in == FP32) {
        return true; /* fp32_to decides */
    }
    /* LLK names the format that the register file will hold. */
    bool b_family = in == BFP8 || in == BFP4 || in == BFP2;
    bool a_family = in == BFP8A || in == BFP4A || in == BFP2A || in == FP8;
    return in == out || (b_family && out == BF16) || (a_family && out == FP16);
}

static bool normalise(enum format in, enum format out, uint32_t bits, unsigned exponent,
                      bool is_unsigned, bool to_dst, struct datum *datum)
{
    if (!pair_is_legal(in, out)) {
        return false;
    }
    switch (in) {
    case FP32:
        *datum = fp32_to(out, bits, to_dst);
        return datum->kind != AS_NOTHING;
    case TF32:
        *datum = (struct datum){AS_FP32, bits};
        return to_dst;
    case INT32:
        *datum = (struct datum){AS_INT32, bits};
        return to_dst;
    case INT16:
        *datum = (struct datum){AS_INT16, bits};
        return true;
    case BF16:
        *datum = (struct datum){AS_BF16, bits};
        return true;
    case FP16:
        *datum = (struct datum){AS_FP16, bits};
        return true;
    case FP8: /* ttsim: Blackhole fills up what is all ones */
        *datum = (struct datum){AS_FP16, bits << 8 | ((bits & 0x7f) == 0x7f ? 0xff : 0)};
        return true;
    case INT8: {
        uint32_t sign = is_unsigned ? 0 : bits >> 7, magnitude = bits - (sign << 7);
        *datum = (struct datum){AS_FP16, sign << 15 | (magnitude ? 16U << 10 | magnitude : 0)};
        return true;
    }
    case BFP8:
        return unblock(bits, exponent, false, datum);
    case BFP4:
        return unblock(bits << 4, exponent, false, datum);
    case BFP2:
        return unblock(bits << 6, exponent, false, datum);
    case BFP8A:
        return unblock(bits, exponent, true, datum);
    case BFP4A:
        return unblock(bits << 4, exponent, true, datum);
    case BFP2A:
        return unblock(bits << 6, exponent, true, datum);
    case NONE12:
    case NONE13:
        break;
    }
    return false;
}

static uint32_t stored_in_src(struct datum d)
{
    switch (d.kind) {
    case AS_FP32:
        return src_of(d.bits >> 31, d.bits >> 23 & 0xff, d.bits >> 13 & 0x3ff);
    case AS_BF16:
        return src_of(d.bits >> 15, d.bits >> 7 & 0xff, (d.bits & 0x7f) << 3);
    case AS_FP16:
        return src_of(d.bits >> 15, d.bits >> 10 & 0x1f, d.bits & 0x3ff);
    case AS_INT16:
        return (d.bits >> 8) << 11 | (d.bits & 0xff);
    default:
        return 0;
    }
}

static uint32_t stored_in_dst(struct datum d)
{
    uint32_t half = d.bits & 0xffff;
    switch (d.kind) {
    case AS_FP32:
    case AS_INT32:
        half = d.bits >> 16;
        half = (half & 0x8000) | (half & 0x7f) << 8 | (half >> 7 & 0xff);
        return half << 16 | (d.bits & 0xffff);
    case AS_BF16:
        return (half & 0x8000) | (half & 0x7f) << 8 | (half >> 7 & 0xff);
    case AS_FP16:
        return (half & 0x8000) | (half & 0x3ff) << 5 | (half >> 10 & 0x1f);
    default:
        return half;
    }
}

/* --- UNPACR --- */

struct run {
    struct world *world;
    const struct tensix *tensix;
    const struct unpacr *u;
    unsigned thread, state, section; /* the section's first word */
    unsigned context, adc;
    enum format in, out;
    bool uncompressed, to_dst, transpose, tileize, force_exponent;
    unsigned x_dim, y_dim, z_dim, w_dim, blobs;
    int64_t datums, exponents, deltas; /* addresses, in sixteenths */
    uint32_t first, count, drop, most;
    int64_t row_stride, limit, fifo;
    uint32_t out_address;
    unsigned zeroes, shift, row;
    bool interleave;
    const char *why;
    bool unwanted;
};

static uint32_t get(const struct run *r, unsigned word, unsigned shift, unsigned width)
{
    return config_get(r->tensix, r->state, word, shift, width);
}

static uint32_t section(const struct run *r, unsigned word, unsigned shift, unsigned width)
{
    return get(r, r->section + word - 64, shift, width);
}

static bool undefined(struct run *r, const char *why)
{
    r->why = why;
    return false;
}

static bool choose_context(struct run *r)
{
    const struct unpacr *u = r->u;
    r->adc = r->thread;
    if (u->multi) {
        unsigned misc = r->tensix->thread_config[r->thread][41];
        r->context = u->use_counter ? r->world->counter[u->unpacker][r->thread] : u->context;
        r->context = (r->context + (misc >> 8 * u->unpacker & 15)) & 7;
        r->adc = u->adc;
        if (u->unpacker == 1 && r->context >= 2) {
            return undefined(r, "context of unpacker 1");
        }
        if (r->adc == 3) {
            return undefined(r, "ADC 3");
        }
    }
    return true;
}

static bool read_descriptor(struct run *r)
{
    bool multi = r->u->multi;
    unsigned c = r->context;
    r->uncompressed = multi ? section(r, 73, c < 4 ? c : 12 + c, 1) : section(r, 64, 4, 1);
    r->x_dim = multi && !r->u->unpacker ? section(r, 86 + (c & 3) / 2, 16 * (c & 1), 16)
                                        : section(r, 64, 16, 16);
    r->y_dim = section(r, 65, 0, 8);
    r->z_dim = section(r, 65, 16, 8);
    r->w_dim = section(r, 66, 0, 8);
    r->z_dim += !r->z_dim;
    r->w_dim += !r->w_dim;
    r->blobs = section(r, 64, 8, 3);
    r->in = (enum format)section(r, 64, 0, 4);
    r->out = (enum format)section(r, 72, 0, 4);
    if (multi && section(r, 72, 14, 1)) {
        r->in = (enum format)section(r, 92 + (c & 3), c < 4 ? 16 : 24, 4);
        r->out = (enum format)section(r, 92 + (c & 3), c < 4 ? 20 : 28, 4);
    }
    r->force_exponent = section(r, 73, 8, 1);
    r->limit = (int64_t)section(r, 74, 0, 17) * 16 * PART;
    r->fifo = (int64_t)section(r, 75, 0, 17) * 16 * PART;
    return format_bits(r->in) != 0 || undefined(r, "format of L1");
}

static int64_t wrap(const struct run *r, int64_t address)
{
    return address > r->limit ? address - r->fifo : address;
}

static bool in_l1(const struct run *r, int64_t address)
{
    return address >= 0 && address < (int64_t)r->tensix->l1_size * PART;
}

static bool read_bits(struct run *r, int64_t address, unsigned bits, uint32_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < bits; i++) {
        int64_t bit = address * 8 / PART + i;
        if (!in_l1(r, bit / 8 * PART)) {
            return undefined(r, "address outside of L1");
        }
        *value |= (uint32_t)(r->tensix->l1[bit / 8] >> bit % 8 & 1) << i;
    }
    return true;
}

static bool read_row_start(struct run *r, int64_t table, uint32_t index, uint32_t *value)
{
    return read_bits(r, table + (int64_t)index * 2 * PART, 16, value);
}

/* FirstDatum and how many; `table` is the address of the row start indices. */
static bool find_compressed(struct run *r, int64_t table)
{
    const uint32_t *xy = r->world->adc[r->adc][r->u->unpacker][0];
    const uint32_t *zw = r->world->adc[r->thread][r->u->unpacker][0];
    uint32_t last_x = r->world->adc[r->adc][r->u->unpacker][1][X], end;
    unsigned rows = r->u->row_search && r->blobs ? r->blobs : r->y_dim;
    table += (int64_t)((zw[W] & 0xff) * r->z_dim + (zw[Z] & 0xff)) * rows * 2 * PART;
    if (!read_row_start(r, table, xy[Y] & 0xff, &r->first)) {
        return false;
    }
    r->most = UINT32_MAX;
    if (r->u->row_search) {
        bool fine = read_row_start(r, table, (xy[X] & 0xff) + 1, &end);
        r->count = end - r->first;
        return fine;
    }
    if (xy[X] == 0 && last_x + 1 == r->x_dim) {
        bool fine = read_row_start(r, table, (xy[Y] & 0xff) + 1, &end);
        r->count = end - r->first;
        return fine;
    }
    r->drop = xy[X];
    r->most = last_x + 1 - r->drop;
    r->count = UINT32_MAX;
    return true;
}

/* Blob 8 would be beyond the array. */
static unsigned blob_start(const struct run *r, unsigned i)
{
    if (r->u->multi && !r->u->unpacker) {
        return get(r, r->context & 2 ? 52 : 51, 4 * i, 4);
    }
    return i < 4 ? section(r, 66, 16 + 4 * i, 4) : section(r, 67, 4 * (i - 4), 4);
}

static void find_uncompressed(struct run *r)
{
    const uint32_t *xy = r->world->adc[r->adc][r->u->unpacker][0];
    const uint32_t *zw = r->world->adc[r->thread][r->u->unpacker][0];
    uint32_t last_x = r->world->adc[r->adc][r->u->unpacker][1][X];
    uint32_t x = xy[X], y = xy[Y], end = last_x + 1;
    if (r->u->row_search && r->blobs) {
        unsigned next = (xy[X] & 7) + 1;
        x = blob_start(r, xy[Y] & 7) << 4;
        y = 0;
        end = next == r->blobs ? r->x_dim & 0x1f0 : blob_start(r, next & 7) << 4;
    } else if (r->u->row_search) {
        x = 0;
        end = last_x;
    }
    uint32_t plane = (zw[W] & 0xff) * r->z_dim + (zw[Z] & 0xff);
    r->first = (plane * r->y_dim + y) * r->x_dim + x;
    r->count = end - x;
    r->most = UINT32_MAX;
}

static int64_t to_sixteen(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static bool find_input(struct run *r)
{
    unsigned c = r->context;
    uint32_t base = section(r, 76 + c, 0, 32);
    base += section(r, 92 + (c & 3), 0, 16);
    int64_t address = (int64_t)(uint32_t)((base + 1 + section(r, 67, 24, 8)) * 16) * PART;
    int64_t table = address;
    if (!r->uncompressed) {
        unsigned rows = (r->blobs ? r->blobs : r->y_dim) * r->z_dim * r->w_dim;
        address += to_sixteen((int64_t)(rows + 1) * 2) * PART;
    }
    r->exponents = address;
    if (is_block(r->in) && !r->force_exponent) {
        bool is_8 = r->in == BFP8 || r->in == BFP8A;
        if (is_8 || !section(r, 64, 5, 1)) {
            int64_t all = (int64_t)r->x_dim * r->y_dim * r->z_dim * r->w_dim;
            address += to_sixteen((all + 15) / 16) * PART;
        }
    }
    if (r->uncompressed) {
        find_uncompressed(r);
        unsigned asked = (r->world->adc[r->adc][r->u->unpacker][0][X] & 7) + 1;
        if (r->u->row_search && r->blobs && asked == 8) {
            return undefined(r, "blob 8");
        }
        if (r->count > MOST) {
            return undefined(r, "the end is before the beginning");
        }
    } else if (!find_compressed(r, table)) {
        return false;
    }
    int64_t size = format_bits(r->in) * PART / 8;
    r->exponents = wrap(r, r->exponents + r->first);
    if (r->uncompressed) {
        r->datums = wrap(r, address + (int64_t)r->first * size);
    } else {
        int64_t group = address + r->first / 32 * (32 * size + 16 * PART);
        r->datums = wrap(r, group + r->first % 32 * size);
        r->deltas = wrap(r, group + 32 * size + r->first % 32 * (PART / 2));
    }
    r->tileize = section(r, 72, 9, 1);
    r->row = format_bits(r->in) <= 8 ? 16 : 32;
    r->row_stride = r->row * size;
    if (r->tileize) {
        r->row_stride = (int64_t)section(r, 72, 16, 12) * 16 * PART;
    }
    return true;
}

static bool find_output(struct run *r)
{
    unsigned u = r->u->unpacker, c = r->context;
    const uint32_t *adc = r->world->adc[r->thread][u][1];
    r->transpose = section(r, 72, 8, 1) && u == 0;
    r->to_dst = false;
    if (u == 0) {
        r->to_dst = r->u->multi ? section(r, 73, c < 4 ? 4 + c : 16 + c, 1) : section(r, 72, 11, 1);
    }
    uint32_t address = get(r, u ? 61 : 49, 0, 18) + adc[Y] * get(r, u ? 58 : 56, 16, 16) +
                       adc[Z] * get(r, u ? 59 : 57, 0, 16) + adc[W] * get(r, u ? 59 : 57, 16, 16);
    unsigned shift = r->out == FP32 || r->out == TF32 || r->out == INT32   ? 2
                     : r->out == FP16 || r->out == BF16 || r->out == INT16 ? 1
                                                                           : 0;
    if (address & ((1U << shift) - 1)) {
        return undefined(r, "output address");
    }
    address >>= shift;
    if (r->u->multi && u == 0) {
        uint32_t dest = section(r, 84 + (c & 3) / 2, 16 * (c & 1), 16);
        address = r->to_dst || get(r, 50, 8, 1) ? address + dest : dest;
    }
    r->out_address = address;
    r->zeroes = (1U << section(r, 72, 12, 2)) - 1;
    r->interleave = section(r, 72, 15, 1);
    r->shift = r->tileize || u == 1 ? 0 : section(r, 72, 16 + 4 * (c & 3), 4);
    if ((r->transpose || r->tileize) && r->datums % (16 * PART)) {
        return undefined(r, "input is not aligned");
    }
    if (r->tileize && (r->zeroes || !r->uncompressed)) {
        return undefined(r, "tileize with upsampling or compression");
    }
    if (r->to_dst && (r->shift || r->transpose)) {
        return undefined(r, "column shift or transposition to Dst");
    }
    return true;
}

static bool write_datum(struct run *r, struct datum datum)
{
    struct world *world = r->world;
    unsigned u = r->u->unpacker, row = r->out_address / 16, column = r->out_address % 16;
    unsigned own = world->src_row[u][r->thread];
    if (u == 1) {
        r->unwanted |= row + own >= SRC_ROWS;
        world->src[1][world->bank[1]][(row + own) % SRC_ROWS][column] = stored_in_src(datum);
        return true;
    }
    bool absolute = r->tensix->thread_config[r->thread][5] >> 2 & 1;
    if (r->to_dst) {
        if (absolute) {
            return undefined(r, "SetOvrdWithAddr and Dst");
        }
        uint32_t stored = stored_in_dst(datum);
        row -= HEADER_ROWS;
        if (r->out == FP32 || r->out == TF32 || r->out == INT32) {
            unsigned physical = adjust32(r->tensix, row);
            world->dst[physical][column] = (uint16_t)(stored >> 16);
            world->dst[physical + 8][column] = (uint16_t)stored;
        } else {
            world->dst[adjust16(r->tensix, row)][column] = (uint16_t)stored;
        }
        return true;
    }
    if (row < HEADER_ROWS || column < r->shift) {
        return true;
    }
    row -= HEADER_ROWS;
    column -= r->shift;
    if (row >= (absolute ? SRC_ROWS : 16)) {
        r->unwanted = true;
        return undefined(r, "row of SrcA");
    }
    row += absolute ? 0 : own;
    if (r->transpose) {
        unsigned low = row % 16;
        row = row - low + column;
        column = low;
    }
    world->src[0][world->bank[0]][row % SRC_ROWS][column] = stored_in_src(datum);
    return true;
}

/* A datum with the zeroes of upsampling behind it. */
static bool write_upsampled(struct run *r, struct datum datum)
{
    for (unsigned k = 0; k <= r->zeroes; k++, r->out_address++, datum.bits = 0) {
        if (k > 0 && r->interleave) {
            continue;
        }
        if (!write_datum(r, datum)) {
            return false;
        }
    }
    return true;
}

static bool next_exponent(struct run *r, uint32_t *exponent)
{
    if (!is_block(r->in)) {
        return true;
    }
    if (r->force_exponent) {
        *exponent = get(r, r->u->unpacker ? 62 : 50, 0, 8);
        return true;
    }
    if (!read_bits(r, r->exponents / PART * PART, 8, exponent)) {
        return false;
    }
    r->exponents++;
    if (r->exponents % (16 * PART) == 0) {
        r->exponents = wrap(r, r->exponents);
    }
    return true;
}

static bool move(struct run *r)
{
    int64_t size = format_bits(r->in) * PART / 8;
    bool is_unsigned = get(r, 1, r->u->unpacker ? 16 : 15, 1);
    for (uint32_t i = 0; i < r->count && r->most;) {
        uint32_t bits, exponent = 0, delta = 0;
        if (i == MOST) {
            return undefined(r, "too many datums");
        }
        if (!read_bits(r, r->datums, format_bits(r->in), &bits)) {
            return false;
        }
        r->datums += size;
        if (++i % r->row == 0) {
            r->datums = wrap(r, r->datums - r->row * size + r->row_stride);
        }
        if (!next_exponent(r, &exponent)) {
            return false;
        }
        if (!r->uncompressed) {
            if (!read_bits(r, r->deltas, 4, &delta)) {
                return false;
            }
            r->deltas += PART / 2;
            if (r->deltas % (16 * PART) == 0) {
                r->datums += 16 * PART;
                r->deltas = wrap(r, r->deltas + 32 * size);
            }
        }
        struct datum datum = {AS_NOTHING, 0};
        if (!normalise(r->in, r->out, bits, exponent, is_unsigned, r->to_dst, &datum)) {
            return undefined(r, "conversion");
        }
        if (r->u->zero) {
            datum.bits = 0;
            delta = 0;
        }
        for (unsigned j = 0; j <= delta; j++, datum.bits = 0) {
            if (r->drop) {
                r->drop--;
                continue;
            }
            if (!write_upsampled(r, datum)) {
                return false;
            }
            if (--r->most == 0) {
                break;
            }
        }
    }
    return true;
}

static void finish(struct run *r)
{
    struct world *world = r->world;
    unsigned u = r->u->unpacker;
    if (r->u->multi && r->u->use_counter) {
        unsigned next = world->counter[u][r->thread] + 1;
        world->counter[u][r->thread] = next >= 1U << section(r, 72, 6, 2) ? 0 : next;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        if (i == r->thread || i == r->adc) {
            uint32_t(*channel)[AXES] = world->adc[i][u];
            channel[0][Y] = (channel[0][Y] + r->u->ch0_y) & 0x1fff;
            channel[0][Z] = (channel[0][Z] + r->u->ch0_z) & 0x1fff;
            channel[1][Y] = (channel[1][Y] + r->u->ch1_y) & 0x1fff;
            channel[1][Z] = (channel[1][Z] + r->u->ch1_z) & 0x1fff;
        }
    }
    uint32_t base = (uint32_t)(r->tensix->thread_config[r->thread][u ? 6 : 5] & 3) << 4;
    if (r->u->flip) {
        world->matrix_has[u][world->bank[u]] = true;
        world->implied[u][world->bank[u]] = (uint8_t)r->out;
        world->bank[u] ^= 1;
        world->src_row[u][r->thread] = base;
    } else if (section(r, 72, 10, 1)) {
        world->src_row[u][r->thread] = (world->src_row[u][r->thread] + 16 + base) % SRC_ROWS;
    }
}

enum outcome unpacr_model(struct world *world, const struct tensix *tensix, unsigned thread,
                          const struct unpacr *u, const char **why)
{
    static struct world before;
    before = *world;
    struct run run = {.world = world, .tensix = tensix, .u = u, .thread = thread, .why = ""};
    run.state = tensix->thread_config[thread][0] & 1;
    run.section = 64 + SECTION * u->unpacker;
    bool found =
        choose_context(&run) && read_descriptor(&run) && find_input(&run) && find_output(&run);
    bool has_bank = !world->matrix_has[u->unpacker][world->bank[u->unpacker]];
    bool needs_bank = run.count && run.most;
    if (found && move(&run) && !run.unwanted) {
        if (!has_bank) { /* the page waits with the first datum, so where there is none it does not
                          */
            *world = before;
            return needs_bank ? BLOCKED : UNWANTED;
        }
        finish(&run);
        return DONE;
    }
    *world = before;
    *why = run.why;
    return run.unwanted ? UNWANTED : UNDEFINED;
}
