#include "unit/tensix/unpack_model.h"

#include <math.h>
#include <string.h>

#include "num/tensix_format.h"
#include "tensix/adc.h"
#include "tensix/src_banks.h"

/* --- Configuration --- */

#define SEC(name)                                                                                  \
    tensix_config_field(m->tensix, m->state,                                                       \
                        m->which ? TENSIX_FIELD_THCON_SEC1_##name                                  \
                                 : TENSIX_FIELD_THCON_SEC0_##name)
#define UNP(name)                                                                                  \
    tensix_config_field(m->tensix, m->state,                                                       \
                        m->which ? TENSIX_FIELD_UNP1_##name : TENSIX_FIELD_UNP0_##name)
#define OWN(name) tensix_thread_field(m->tensix, m->thread, TENSIX_FIELD_##name)

struct model {
    struct tensix *tensix;
    struct tensix_args_UNPACR args;
    unsigned thread, which, state, context, adc;
    bool undefined;
    /* Input */
    unsigned in, out, x_dim, y_dim, z_dim, w_dim;
    bool uncompressed, to_dst, transpose, discontiguous, forced;
    double size, data, deltas, exponents, limit, fifo, row_stride;
    uint64_t count, drop, wanted;
    unsigned row_width;
    /* Output */
    uint64_t address;
    unsigned zeroes, shift;
    bool interleave;
};

static const enum tensix_field_id base_fields[2][8] = {
    {TENSIX_FIELD_THCON_SEC0_REG3_Base_address, TENSIX_FIELD_THCON_SEC0_REG3_Base_cntx1_address,
     TENSIX_FIELD_THCON_SEC0_REG3_Base_cntx2_address,
     TENSIX_FIELD_THCON_SEC0_REG3_Base_cntx3_address,
     TENSIX_FIELD_THCON_SEC0_REG4_Base_cntx4_address,
     TENSIX_FIELD_THCON_SEC0_REG4_Base_cntx5_address,
     TENSIX_FIELD_THCON_SEC0_REG4_Base_cntx6_address,
     TENSIX_FIELD_THCON_SEC0_REG4_Base_cntx7_address},
    {TENSIX_FIELD_THCON_SEC1_REG3_Base_address, TENSIX_FIELD_THCON_SEC1_REG3_Base_cntx1_address}};

static const enum tensix_field_id offset_fields[2][4] = {
    {TENSIX_FIELD_THCON_SEC0_REG7_Offset_address, TENSIX_FIELD_THCON_SEC0_REG7_Offset_cntx1_address,
     TENSIX_FIELD_THCON_SEC0_REG7_Offset_cntx2_address,
     TENSIX_FIELD_THCON_SEC0_REG7_Offset_cntx3_address},
    {TENSIX_FIELD_THCON_SEC1_REG7_Offset_address,
     TENSIX_FIELD_THCON_SEC1_REG7_Offset_cntx1_address}};

#define EIGHT(name)                                                                                \
    {                                                                                              \
        TENSIX_FIELD_THCON_SEC0_##name##0, TENSIX_FIELD_THCON_SEC0_##name##1,                      \
            TENSIX_FIELD_THCON_SEC0_##name##2, TENSIX_FIELD_THCON_SEC0_##name##3,                  \
            TENSIX_FIELD_THCON_SEC0_##name##4, TENSIX_FIELD_THCON_SEC0_##name##5,                  \
            TENSIX_FIELD_THCON_SEC0_##name##6, TENSIX_FIELD_THCON_SEC0_##name##7                   \
    }
#define TWO(name)                                                                                  \
    {                                                                                              \
        TENSIX_FIELD_THCON_SEC1_##name##0, TENSIX_FIELD_THCON_SEC1_##name##1                       \
    }

static const enum tensix_field_id plain_fields[2][8] = {EIGHT(REG2_Disable_zero_compress_cntx),
                                                        TWO(REG2_Disable_zero_compress_cntx)};
static const enum tensix_field_id dst_fields[8] = EIGHT(REG2_Unpack_if_sel_cntx);
static const enum tensix_field_id in_fields[2][8] = {EIGHT(REG7_Unpack_data_format_cntx),
                                                     TWO(REG7_Unpack_data_format_cntx)};
static const enum tensix_field_id out_fields[2][8] = {EIGHT(REG7_Unpack_out_data_format_cntx),
                                                      TWO(REG7_Unpack_out_data_format_cntx)};

static uint32_t get(const struct model *m, enum tensix_field_id id)
{
    return tensix_config_field(m->tensix, m->state, id);
}

/* Of contexts 0 to 3 and no more: fields that follow each other. */
static uint32_t of_context(const struct model *m, enum tensix_field_id first)
{
    return get(m, (enum tensix_field_id)(first + m->context % 4));
}

static uint32_t descriptor(const struct model *m, unsigned bit, unsigned width)
{
    unsigned first = m->which ? TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor
                              : TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor;
    uint32_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        uint32_t word = m->tensix->config[m->state][first + (bit + i) / 32];
        value |= (word >> (bit + i) % 32 & 1) << i;
    }
    return value;
}

/* --- L1 --- */

static double wrap(const struct model *m, double address)
{
    return address > m->limit ? address - m->fifo : address;
}

static uint32_t read_l1(struct model *m, double address, double bytes)
{
    uint32_t result = 0;
    if (address < 0 || address + bytes > m->tensix->l1_size) {
        m->undefined = true;
        return 0;
    }
    uint64_t bit = (uint64_t)(address * 8);
    for (unsigned i = 0; i < (unsigned)(bytes * 8); i++, bit++) {
        result |= (uint32_t)(m->tensix->l1[bit / 8] >> bit % 8 & 1) << i;
    }
    return result;
}

/* --- Conversion --- */

static bool is_block(unsigned in)
{
    return in == NUM_FORMAT_BFP8 || in == NUM_FORMAT_BFP4 || in == NUM_FORMAT_BFP2 ||
           in == NUM_FORMAT_BFP8_B || in == NUM_FORMAT_BFP4_B || in == NUM_FORMAT_BFP2_B;
}

static unsigned left_zeros(uint8_t x)
{
    unsigned n = 0;
    while (!(x & 0x80)) {
        x = (uint8_t)(x << 1);
        n++;
    }
    return n;
}

static uint16_t block_datum(struct model *m, uint8_t datum, uint8_t exponent, bool wide)
{
    uint8_t magnitude = (uint8_t)(datum << 1);
    unsigned sign = datum >> 7;
    if (magnitude == 0) {
        return (uint16_t)(!sign ? 0u : wide ? 0xff80u : 0xfc00u);
    }
    unsigned up = left_zeros(magnitude);
    magnitude = (uint8_t)(magnitude << up);
    exponent = (uint8_t)(exponent - up);
    if (wide) {
        return (uint16_t)(sign << 15 | (unsigned)exponent << 7 | (magnitude & 0x7eu));
    }
    m->undefined |= (exponent & 0xe0) != 0;
    return (uint16_t)(sign << 15 | (exponent & 0x1fu) << 10 | (magnitude & 0x7eu) << 3);
}

static uint16_t fp32_to_fp16(uint32_t x)
{
    uint32_t sign = x >> 31 << 15, exponent = x >> 23 & 0xff;
    if (exponent < 112) {
        return (uint16_t)sign;
    }
    return (uint16_t)(exponent > 143 ? sign | 0x7fff
                                     : sign | (exponent - 112) << 10 | (x >> 13 & 0x3ff));
}

static uint16_t fp8_to_fp16(const struct model *m, uint32_t x)
{
    bool narrow = SEC(REG1_Unp_LF8_4b_exp);
    uint32_t sign = (x & 0x80u) << 8, exponent = x >> 3 & 0xf, fraction = x & 7;
    if (!narrow) {
        return (uint16_t)(x << 8 | ((x & 0x7f) == 0x7f ? 0xffu : 0));
    }
    uint32_t pad = exponent == 15 && fraction == 7 ? 0x7f : 0;
    return (uint16_t)(sign | (exponent ? exponent + 8 : 0) << 10 | fraction << 7 | pad);
}

static uint16_t int8_to_fp16(const struct model *m, uint32_t x)
{
    bool is_unsigned = m->which ? get(m, TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcBUnsigned)
                                : get(m, TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcAUnsigned);
    uint32_t sign = is_unsigned ? 0 : x & 0x80;
    x -= sign;
    return (uint16_t)((x ? x | 16 << 10 : 0) | sign << 8);
}

static uint32_t dst_bf16(uint32_t x)
{
    return (x & 0x8000) | (x & 0x7f) << 8 | (x & 0x7f80) >> 7;
}

static uint32_t src_tf32(uint32_t x)
{
    return (x & 0x40000) | (x & 0x3ff) << 8 | (x & 0x3fc00) >> 10;
}

static uint32_t as_fp32(const struct model *m, uint32_t x)
{
    return m->to_dst ? dst_bf16(x >> 16) << 16 | (x & 0xffff) : src_tf32(x >> 13);
}

static uint32_t as_bf16(const struct model *m, uint32_t x)
{
    return m->to_dst ? dst_bf16(x) : src_tf32(x << 3);
}

static uint32_t as_fp16(const struct model *m, uint32_t x)
{
    return m->to_dst ? (x & 0x8000) | (x & 0x3ff) << 5 | (x & 0x7c00) >> 10
                     : src_tf32((x & 0x8000) << 3 | (x & 0x7fff));
}

static uint32_t convert(struct model *m, uint32_t x, uint8_t exponent)
{
    switch (m->in) {
    case NUM_FORMAT_FLOAT32:
    case NUM_FORMAT_TF32:
        if (m->out == NUM_FORMAT_FLOAT16) {
            return as_fp16(m, fp32_to_fp16(x));
        }
        if (m->out == NUM_FORMAT_FLOAT16_B) {
            return as_bf16(m, x & 0x7f800000 ? x >> 16 : x >> 31 << 15);
        }
        return as_fp32(m, x);
    case NUM_FORMAT_INT32:
        return as_fp32(m, x);
    case NUM_FORMAT_UINT16:
        return m->to_dst ? x : (x & 0xff00) << 3 | (x & 0xff);
    case NUM_FORMAT_FLOAT16:
        return as_fp16(m, x);
    case NUM_FORMAT_FLOAT16_B:
        return as_bf16(m, x);
    case NUM_FORMAT_LF8:
        return as_fp16(m, fp8_to_fp16(m, x));
    case NUM_FORMAT_INT8:
        return as_fp16(m, int8_to_fp16(m, x));
    case NUM_FORMAT_BFP8_B:
        return as_bf16(m, block_datum(m, (uint8_t)x, exponent, true));
    case NUM_FORMAT_BFP4_B:
        return as_bf16(m, block_datum(m, (uint8_t)(x << 4), exponent, true));
    case NUM_FORMAT_BFP2_B:
        return as_bf16(m, block_datum(m, (uint8_t)(x << 6), exponent, true));
    case NUM_FORMAT_BFP8:
        return as_fp16(m, block_datum(m, (uint8_t)x, exponent, false));
    case NUM_FORMAT_BFP4:
        return as_fp16(m, block_datum(m, (uint8_t)(x << 4), exponent, false));
    default:
        return as_fp16(m, block_datum(m, (uint8_t)(x << 6), exponent, false));
    }
}

/* --- What to read --- */

static void find_context(struct model *m)
{
    m->adc = m->thread;
    m->context = 0;
    if (!m->args.multi_context_mode) {
        return;
    }
    m->context = m->args.use_context_counter
                     ? m->tensix->unpacker[m->which].context_counter[m->thread]
                     : m->args.context_number;
    m->context += m->which ? OWN(UNPACK_MISC_CFG_CfgContextOffset_1)
                           : OWN(UNPACK_MISC_CFG_CfgContextOffset_0);
    m->context &= 7;
    m->adc = m->args.context_adc;
    m->undefined = (m->which == 1 && m->context >= 2) || m->adc == 3;
}

static void find_formats(struct model *m)
{
    bool multi = m->args.multi_context_mode;
    m->uncompressed = multi ? get(m, plain_fields[m->which][m->context]) : descriptor(m, 4, 1);
    m->x_dim = multi && m->which == 0 ? of_context(m, TENSIX_FIELD_THCON_SEC0_REG5_Tile_x_dim_cntx0)
                                      : descriptor(m, 16, 16);
    m->y_dim = descriptor(m, 32, 8);
    m->z_dim = descriptor(m, 48, 8) ? descriptor(m, 48, 8) : 1;
    m->w_dim = descriptor(m, 64, 8) ? descriptor(m, 64, 8) : 1;
    m->in = descriptor(m, 0, 4);
    m->out = SEC(REG2_Out_data_format);
    if (multi && SEC(REG2_Ovrd_data_format)) {
        m->in = get(m, in_fields[m->which][m->context]);
        m->out = get(m, out_fields[m->which][m->context]);
    }
    m->to_dst = false;
    if (m->which == 0) {
        m->to_dst = multi ? get(m, dst_fields[m->context]) : SEC(REG2_Unpack_If_Sel);
        m->transpose = SEC(REG2_Haloize_mode);
    }
    m->discontiguous = SEC(REG2_Tileize_mode);
    m->forced = SEC(REG2_Force_shared_exp);
    if (!num_unpack_is_legal(m->in, m->out, m->to_dst)) {
        m->undefined = true;
        return;
    }
    m->size = num_format_info(m->in)->bits / 8.;
}

static double lines(double bytes)
{
    return ceil(bytes / 16.) * 16.;
}

static uint32_t row_start(struct model *m, double section, unsigned index)
{
    return read_l1(m, section + 2. * index, 2);
}

static void find_compressed(struct model *m, double section, uint64_t plane, uint64_t *first)
{
    const struct tensix_adc_channel *xy = m->tensix->thread[m->adc].adc[m->which].channel;
    unsigned rows = m->args.row_search && descriptor(m, 8, 3) ? descriptor(m, 8, 3) : m->y_dim;
    section += (double)(plane * rows * 2);
    *first = row_start(m, section, xy[0].y & 0xff);
    m->wanted = UINT64_MAX;
    if (m->args.row_search) {
        m->count = row_start(m, section, (xy[0].x & 0xff) + 1) - *first;
    } else if (xy[0].x == 0 && xy[1].x + 1 == m->x_dim) {
        m->count = row_start(m, section, (xy[0].y & 0xff) + 1) - *first;
    } else {
        m->drop = xy[0].x;
        m->wanted = (uint64_t)xy[1].x + 1 - m->drop;
        m->undefined |= m->wanted > UINT32_MAX;
        m->count = UINT32_MAX;
    }
    m->undefined |= m->count > UINT32_MAX;
}

static void find_plain(struct model *m, uint64_t plane, uint64_t *first)
{
    const struct tensix_adc_channel *xy = m->tensix->thread[m->adc].adc[m->which].channel;
    unsigned blobs = descriptor(m, 8, 3), x = xy[0].x, y = xy[0].y, end = xy[1].x + 1;
    if (m->args.row_search && blobs) {
        uint32_t starts = descriptor(m, 80, 32);
        if (m->args.multi_context_mode && m->which == 0) {
            starts = get(m, m->context & 2 ? TENSIX_FIELD_UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start
                                           : TENSIX_FIELD_UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start);
        }
        unsigned next = (x & 7) + 1;
        x = (starts >> 4 * (y & 7) & 0xf) << 4;
        y = 0;
        m->undefined |= next != blobs && next == 8;
        end = next == blobs ? m->x_dim & 0x1f0 : (starts >> 4 * (next & 7) & 0xf) << 4;
    } else if (m->args.row_search) {
        x = 0;
        end = xy[1].x;
    }
    *first = (plane * m->y_dim + y) * m->x_dim + x;
    m->undefined |= end < x;
    m->count = end - x;
    m->wanted = UINT64_MAX;
}

static void find_input(struct model *m)
{
    const struct tensix_adc_channel *own = m->tensix->thread[m->thread].adc[m->which].channel;
    uint32_t base = get(m, base_fields[m->which][m->context]) +
                    (get(m, offset_fields[m->which][m->context & 3]) & 0xffff);
    double address = (base + 1 + descriptor(m, 120, 8)) * 16, section = address;
    uint64_t first = 0, plane = (uint64_t)(own[0].w & 0xff) * m->z_dim + (own[0].z & 0xff);
    m->limit = SEC(REG2_Unpack_limit_address) * 16.;
    m->fifo = SEC(REG2_Unpack_fifo_size) * 16.;
    if (m->context == 1 && SEC(REG10_Unpack_limit_address_en)) {
        m->limit = SEC(REG10_Unpack_limit_address) * 16.;
        m->fifo = SEC(REG10_Unpack_fifo_size) * 16.;
    }
    if (!m->uncompressed) {
        unsigned rows = descriptor(m, 8, 3) ? descriptor(m, 8, 3) : m->y_dim;
        address += lines((rows * m->z_dim * m->w_dim + 1) * 2);
    }
    m->exponents = address;
    if (is_block(m->in) && !m->forced && (m->size == 1 || !descriptor(m, 5, 1))) {
        double data = (double)m->x_dim * m->y_dim * m->z_dim * m->w_dim;
        address += lines(ceil(data / 16.));
    }
    if (m->uncompressed) {
        find_plain(m, plane, &first);
    } else {
        find_compressed(m, section, plane, &first);
    }
    m->exponents = wrap(m, m->exponents + (double)first / 16.);
    m->data = address;
    if (m->uncompressed) {
        m->data += (double)first * m->size;
    } else {
        m->data += (double)(first / 32) * (32 * m->size + 16);
        m->deltas = wrap(m, m->data + 32 * m->size + (double)(first % 32) * .5);
        m->data += (double)(first % 32) * m->size;
    }
    m->data = wrap(m, m->data);
    m->row_width = m->size <= 1 ? 16 : 32;
    m->row_stride = m->size * m->row_width;
    if (m->discontiguous) {
        m->row_stride = SEC(REG2_Shift_amount_cntx0) << 4 | SEC(REG2_Shift_amount_cntx1) << 8 |
                        SEC(REG2_Shift_amount_cntx2) << 12;
    }
}

/* --- Where to write --- */

static void find_output(struct model *m)
{
    const struct tensix_adc_channel *own = &m->tensix->thread[m->thread].adc[m->which].channel[1];
    uint32_t address = UNP(ADDR_BASE_REG_1_Base) + own->y * UNP(ADDR_CTRL_XY_REG_1_Ystride) +
                       own->z * UNP(ADDR_CTRL_ZW_REG_1_Zstride) +
                       own->w * UNP(ADDR_CTRL_ZW_REG_1_Wstride);
    unsigned shift = 0;
    if (m->out == NUM_FORMAT_FLOAT32 || m->out == NUM_FORMAT_TF32 || m->out == NUM_FORMAT_INT32) {
        shift = 2;
    } else if (m->out == NUM_FORMAT_FLOAT16 || m->out == NUM_FORMAT_FLOAT16_B ||
               m->out == NUM_FORMAT_UINT16) {
        shift = 1;
    }
    m->undefined |= address % (1u << shift) != 0;
    m->address = address >> shift;
    if (m->args.multi_context_mode && m->which == 0) {
        uint32_t own_address = of_context(m, TENSIX_FIELD_THCON_SEC0_REG5_Dest_cntx0_address);
        bool adds = m->to_dst || UNP(ADD_DEST_ADDR_CNTR_add_dest_addr_cntr);
        m->address = adds ? m->address + own_address : own_address;
    }
    m->zeroes = (1u << SEC(REG2_Upsample_rate)) - 1;
    m->interleave = SEC(REG2_Upsample_and_interleave);
    m->shift = m->discontiguous || m->which == 1
                   ? 0
                   : of_context(m, TENSIX_FIELD_THCON_SEC0_REG2_Shift_amount_cntx0);
    if (m->transpose || m->discontiguous) {
        m->undefined |= m->data != floor(m->data / 16.) * 16.;
    }
    m->undefined |= m->discontiguous && (m->zeroes > 0 || !m->uncompressed);
    m->undefined |= m->to_dst && (m->shift || m->transpose);
}

static void write_one(struct model *m, uint32_t datum)
{
    struct tensix *t = m->tensix;
    uint64_t row = m->address / 16;
    unsigned column = m->address & 15, bank = t->src[m->which].unpack_bank;
    if (m->which == 1) {
        row += t->unpacker[1].src_row[m->thread];
        tensix_src_file_write(&t->src_file[1], bank, row & 63, column, datum); /* as LLK has it */
        return;
    }
    if (m->to_dst) {
        m->undefined |= OWN(SRCA_SET_SetOvrdWithAddr) != 0;
        struct tensix_dst_map map = tensix_dst_map_now(t);
        if (m->out == NUM_FORMAT_FLOAT32 || m->out == NUM_FORMAT_TF32 ||
            m->out == NUM_FORMAT_INT32) {
            tensix_dst_write32(&t->dst, map, (unsigned)(row - 4) & 0x3ff, column, datum);
        } else {
            tensix_dst_write16(&t->dst, map, (unsigned)(row - 4) & 0x3ff, column, (uint16_t)datum);
        }
        return;
    }
    if (row < 4 || column < m->shift) {
        return;
    }
    row -= 4;
    column -= m->shift;
    if (!OWN(SRCA_SET_SetOvrdWithAddr)) {
        m->undefined |= row >= 16;
        row += t->unpacker[0].src_row[m->thread];
    }
    row &= 63; /* as ttsim; the page leaves rows from 64 on open */
    if (m->transpose) {
        unsigned low = row & 15;
        row = (row & ~UINT64_C(15)) | column;
        column = low;
    }
    tensix_src_file_write(&t->src_file[0], bank, (unsigned)row, column, datum);
}

static void move(struct model *m)
{
    for (uint64_t i = 0; i < m->count && m->wanted && !m->undefined;) {
        uint32_t bits = read_l1(m, m->data, m->size);
        m->data += m->size;
        if (++i % m->row_width == 0) {
            m->data = wrap(m, m->data - m->size * m->row_width + m->row_stride);
        }
        uint8_t exponent = 0;
        if (is_block(m->in) && m->forced) {
            exponent = (uint8_t)UNP(FORCED_SHARED_EXP_shared_exp);
        } else if (is_block(m->in)) {
            exponent = (uint8_t)read_l1(m, floor(m->exponents), 1);
            m->exponents += 1 / 16.;
            if (m->exponents == floor(m->exponents / 16.) * 16.) {
                m->exponents = wrap(m, m->exponents);
            }
        }
        unsigned zeros = 0;
        if (!m->uncompressed) {
            zeros = read_l1(m, m->deltas, .5);
            m->deltas += .5;
            if (m->deltas == floor(m->deltas / 16.) * 16.) {
                m->data += 16;
                m->deltas = wrap(m, m->deltas + 32 * m->size);
            }
        }
        uint32_t datum = convert(m, bits, exponent);
        if (m->args.all_datums_are_zero) {
            datum = zeros = 0;
        }
        for (unsigned j = 0; j <= zeros && m->wanted; j++, datum = 0) {
            if (m->drop) {
                m->drop--;
                continue;
            }
            for (unsigned k = 0; k <= m->zeroes; k++, datum = 0, m->address++) {
                if (!m->interleave || k == 0) {
                    write_one(m, datum);
                }
            }
            m->wanted--;
        }
    }
}

/* --- After the data --- */

static void finish(struct model *m)
{
    struct tensix_unpacker *unpacker = &m->tensix->unpacker[m->which];
    if (m->args.multi_context_mode && m->args.use_context_counter) {
        unsigned next = (m->context + 1) & 7, count = 1u << SEC(REG2_Context_count);
        if (SEC(REG2_Context_count_non_log2_en)) {
            count = SEC(REG2_Context_count_non_log2) + 1;
        }
        unpacker->context_counter[m->thread] = next >= count ? 0 : next;
    }
    for (unsigned i = 0; i < 3; i++) {
        struct tensix_adc_channel *channel = m->tensix->thread[i].adc[m->which].channel;
        if (i == m->thread || i == m->adc) {
            channel[0].y = (channel[0].y + m->args.ch0_y_inc) & 0x1fff;
            channel[0].z = (channel[0].z + m->args.ch0_z_inc) & 0x1fff;
            channel[1].y = (channel[1].y + m->args.ch1_y_inc) & 0x1fff;
            channel[1].z = (channel[1].z + m->args.ch1_z_inc) & 0x1fff;
        }
    }
    unsigned base = (m->which ? OWN(SRCB_SET_Base) : OWN(SRCA_SET_Base)) << 4;
    struct tensix_src_banks *banks = &m->tensix->src[m->which];
    if (m->args.flip_src) {
        banks->matrix_may[banks->unpack_bank] = true;
        m->tensix->src_file[m->which].format[banks->unpack_bank] = (uint8_t)m->out;
        banks->unpack_bank ^= 1;
        unpacker->src_row[m->thread] = base;
    } else if (SEC(REG2_Unpack_Src_Reg_Set_Upd)) {
        unpacker->src_row[m->thread] = (unpacker->src_row[m->thread] + 16 + base) & 63;
    }
}

bool unpack_model(struct tensix *tensix, unsigned thread, uint32_t word)
{
    struct model model = {.tensix = tensix,
                          .args = tensix_decode_UNPACR(word),
                          .thread = thread,
                          .state = tensix_state_id(tensix, thread)};
    struct model *m = &model;
    m->which = m->args.which_unpacker;
    find_context(m);
    if (!m->undefined) {
        find_formats(m);
    }
    if (!m->undefined) {
        find_input(m);
    }
    if (!m->undefined) {
        find_output(m);
    }
    if (!m->undefined) {
        move(m);
    }
    if (!m->undefined) {
        finish(m);
    }
    return !m->undefined;
}
