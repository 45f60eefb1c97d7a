/*
 * The packer's addresses, rows and streams against a model of the pages: BlackholeA0 PACR (newest),
 * WormholeB0 Packers/InputAddressGenerator, OutputAddressGenerator (with its Blackhole case),
 * EdgeMasking, Downsampling, and assembly.yaml of tt_llk_blackhole for what PACR.md leaves open
 * (RowPadZero, AddrCntContext, zero writes without interfaces). tt_llk_blackhole's llk_pack_rows.h,
 * which packs with one interface from any row, settles that a mask counts from StartRow.
 */
#include <check.h>
#include <stdlib.h>

#include "unit/tensix/pack_world.h"
#include "unit/random.h"
#include "unit/run_suite.h"

enum {
    PROGRAMS = 60,
    STEPS = 24,
    COLUMNS = 16,
    LINE = 16,
    FIRST_LINE = 0x1000,
    WINDOW = 0xc0000,  /* bytes of L1 that are compared */
    STEP_BYTES = 1024, /* at most, that a PACR writes */
};

/* --- The model --- */

/* Formats that are copied without arithmetic. */
struct copied {
    uint8_t dstacc, in, out, bytes;
    bool is_32bit, is_raw;
    uint32_t minus_infinity;
};

static const struct copied copied[] = {
    {D_BF16, D_BF16, D_BF16, 2, false, true, 0xff80},
    {D_FP32, D_FP32, D_FP32, 4, true, true, 0xff800000},
    {D_INT32, D_INT32, D_INT32, 4, true, false, 0},
    {D_INT16, D_INT16, D_INT16, 2, false, false, 0},
    {D_INT8, D_INT8, D_INT8, 1, true, true, 0},
};

enum { COPIED = sizeof copied / sizeof copied[0] };

struct model {
    const struct copied *format;
    const struct tensix *tensix; /* for Dst */
    uint32_t base[2], x_stride, y_stride[2], z_stride[2], w_stride[2];
    uint32_t dest_line, limit, fifo, tdma_offset, exponent_lines;
    bool header_subtracted, adds_offset;
    uint32_t dst_offset;
    uint16_t downsample, edge[4];
    uint32_t row_map[4], face_map[4]; /* two bits for each of 16 */
    unsigned row_select, face_select, z_offset, plane_rows;
    bool by_face, edge_is_infinity;
    uint16_t addr_mod[4];
    uint32_t x[2], y[2], y_cr[2], z[2], z_cr[2], w[2];
    /* State. */
    unsigned position, plane;
    bool open;
    uint32_t address, count;
    unsigned fill;
    uint8_t line[LINE];
    uint8_t *l1;
};

static void put_byte(struct model *m, uint8_t byte)
{
    m->line[m->fill] = byte;
    m->fill = (m->fill + 1) % LINE;
    if (m->fill == 0) {
        memcpy(m->l1 + m->address, m->line, LINE);
        m->address += LINE;
    }
}

static void put_datum(struct model *m, uint32_t datum)
{
    for (unsigned i = 0; i < m->format->bytes; i++) {
        put_byte(m, (uint8_t)(datum >> 8 * i));
    }
    m->count++;
}

static uint32_t dst_datum(const struct model *m, uint32_t row, unsigned column)
{
    const struct tensix_dst *dst = &m->tensix->dst;
    if (!m->format->is_32bit) {
        uint16_t stored =
            tensix_dst_read16(dst, d_no_map, row & 1023, column, TENSIX_DST_READS_ZERO);
        return m->format->in == D_BF16 ? d_load_bf16(stored) : stored;
    }
    uint32_t pattern =
        d_load_fp32(tensix_dst_read32(dst, d_no_map, row & 1023, column, TENSIX_DST_READS_ZERO));
    if (m->format->in == D_INT8) {
        return (pattern >> 24 & 0x80) | (pattern & 0x7f);
    }
    return pattern;
}

static unsigned two_bits(uint32_t word, unsigned index)
{
    return word >> 2 * (index & 15) & 3;
}

/* SPEC: EdgeMasking, with the row that PACR.md gives each interface. */
static uint16_t edge_mask(const struct model *m, unsigned position)
{
    unsigned set =
        m->by_face ? two_bits(m->face_map[m->face_select], m->z_offset + m->plane) : m->row_select;
    return m->edge[two_bits(m->row_map[set], position)];
}

/* SPEC: InputAddressGenerator. */
static uint32_t start_datum(const struct model *m)
{
    uint32_t bytes = m->format->bytes, fine = LINE / bytes - 1;
    uint32_t address = m->base[0] + m->x[0] * (m->x_stride & 15) + m->y[0] * m->y_stride[0] +
                       m->z[0] * m->z_stride[0] + m->w[0] * m->w_stride[0];
    address = ((address / bytes) & ~fine) + (m->x[0] & fine);
    return (address + (m->dst_offset << 4)) & 0x3fff;
}

/* SPEC: OutputAddressGenerator. */
static void open_stream(struct model *m)
{
    uint32_t yzw =
        m->base[1] + m->y[1] * m->y_stride[1] + m->z[1] * m->z_stride[1] + m->w[1] * m->w_stride[1];
    uint32_t line = m->dest_line + !m->header_subtracted + (yzw >> 4);
    line += m->adds_offset ? m->tdma_offset : 0;
    if (line > m->limit * 2 + 1) {
        line -= m->fifo * 2;
    }
    line += m->format->out & 2 ? m->exponent_lines : 0;
    m->address = (line & 0x1ffff) << 4;
    m->open = true;
    m->count = 0;
}

static void close_stream(struct model *m)
{
    while (m->fill) {
        put_byte(m, 0);
    }
    m->open = false;
}

static void advance_axis(uint32_t *counter, uint32_t *checkpoint, unsigned increment, bool returns,
                         bool clears)
{
    if (clears) {
        *counter = *checkpoint = 0;
    } else if (returns) {
        *counter = *checkpoint = (*checkpoint + increment) & 0x1fff;
    } else {
        *counter = (*counter + increment) & 0x1fff;
    }
}

static void advance(struct model *m, unsigned addr_mod)
{
    uint16_t mod = m->addr_mod[addr_mod];
    advance_axis(&m->y[0], &m->y_cr[0], mod & 15, mod >> 4 & 1, mod >> 5 & 1);
    advance_axis(&m->y[1], &m->y_cr[1], mod >> 6 & 15, mod >> 10 & 1, mod >> 11 & 1);
    advance_axis(&m->z[0], &m->z_cr[0], mod >> 12 & 1, false, mod >> 13 & 1);
    advance_axis(&m->z[1], &m->z_cr[1], mod >> 14 & 1, false, mod >> 15 & 1);
}

/* SPEC: assembly.yaml, RowPadZero. Mode 0 to 3; whole rows or what was packed so far. */
static bool pads(struct d_pacr p)
{
    unsigned when = p.row_pad_zero & 3;
    return when == 1 || (when == 2 && !p.concat) || (when == 3 && p.last);
}

static void pad_to_16(struct model *m, uint32_t from)
{
    while ((m->count - from) % COLUMNS) {
        put_datum(m, 0);
    }
}

static void pack_row(struct model *m, struct d_pacr p, uint32_t row, unsigned column,
                     unsigned count, unsigned position)
{
    uint16_t edge = edge_mask(m, position), mask = m->downsample ? m->downsample : 0xffff;
    uint32_t from = m->count;
    for (unsigned i = 0; i < count; i++) {
        uint32_t datum = (edge >> (column + i) & 1) ? dst_datum(m, row, column + i)
                         : m->edge_is_infinity      ? m->format->minus_infinity
                                                    : 0;
        if (mask >> i & 1) {
            put_datum(m, p.zero_write ? 0 : datum);
        }
    }
    if (pads(p) && !(p.row_pad_zero & 4)) {
        pad_to_16(m, from);
    }
}

static unsigned rows_of(struct d_pacr p)
{
    return p.interfaces ? p.interfaces : 15;
}

static void model_pack(struct model *m, struct d_pacr p)
{
    if (!m->open) {
        open_stream(m);
    }
    uint32_t start = start_datum(m), row = start >> 4;
    unsigned count = m->x[1] - m->x[0] + 1, enabled = 0;
    if (p.zero_write && !p.interfaces && !p.flush) { /* any number of zeros */
        for (unsigned i = 0; i < count; i++) {
            put_datum(m, 0);
        }
    } else if (!p.flush) {
        for (unsigned i = 0; i < 4; i++) {
            if (rows_of(p) >> i & 1) {
                pack_row(m, p, row + (p.strided ? 16 * i : i), start & 15, count,
                         m->position + enabled++);
            }
        }
    }
    if (!p.flush && pads(p) && (p.row_pad_zero & 4)) {
        pad_to_16(m, 0);
    }
    m->position = (m->position + enabled) & 0xff;
    if (enabled && m->position == m->plane_rows) {
        m->position = 0;
        m->plane++;
    }
    advance(m, p.addr_mod);
    if (p.last || p.flush) {
        close_stream(m);
    }
}

/* --- A model and a coprocessor that are configured alike --- */

struct pair {
    struct tensix_harness harness;
    struct model model;
    uint64_t random;
};

static uint32_t below(struct pair *pair, uint32_t limit)
{
    return random_scaled(&pair->random, limit);
}

static void fill_dst(struct tensix *tensix, uint64_t *random)
{
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            tensix->dst.bits[row][column] = (uint16_t)random_next(random);
        }
    }
}

static void open_pair(struct pair *pair, const struct copied *format, uint64_t seed)
{
    struct model *m = &pair->model;
    memset(pair, 0, sizeof *pair);
    pair->random = seed;
    d_open_packer(&pair->harness, format->dstacc, format->in, format->out, FIRST_LINE);
    D_CONFIG(&pair->harness.tensix, PCK_DEST_RD_CTRL_Read_32b_data, format->is_32bit);
    D_CONFIG(&pair->harness.tensix, PCK_DEST_RD_CTRL_Read_int8, format->is_raw);
    fill_dst(&pair->harness.tensix, &pair->random);
    m->format = format;
    m->tensix = &pair->harness.tensix;
    m->l1 = calloc(1, TENSIX_HARNESS_L1);
    ck_assert_ptr_nonnull(m->l1);
    m->x_stride = format->bytes;
    m->y_stride[0] = 16U * format->bytes;
    m->z_stride[0] = 256U * format->bytes;
    m->w_stride[0] = 1024U * format->bytes;
    m->dest_line = FIRST_LINE;
    m->header_subtracted = true;
    memset(m->edge, 0xff, sizeof m->edge);
    m->plane_rows = 16;
    m->x[1] = 15;
}

static void configure_addresses(struct pair *pair)
{
    struct tensix *t = &pair->harness.tensix;
    const struct model *m = &pair->model;
    D_CONFIG(t, PCK0_ADDR_BASE_REG_0_Base, m->base[0]);
    D_CONFIG(t, PCK0_ADDR_BASE_REG_1_Base, m->base[1]);
    D_CONFIG(t, PCK0_ADDR_CTRL_XY_REG_0_Xstride, m->x_stride);
    D_CONFIG(t, PCK0_ADDR_CTRL_XY_REG_0_Ystride, m->y_stride[0]);
    D_CONFIG(t, PCK0_ADDR_CTRL_ZW_REG_0_Zstride, m->z_stride[0]);
    D_CONFIG(t, PCK0_ADDR_CTRL_ZW_REG_0_Wstride, m->w_stride[0]);
    D_CONFIG(t, PCK0_ADDR_CTRL_XY_REG_1_Ystride, m->y_stride[1]);
    D_CONFIG(t, PCK0_ADDR_CTRL_ZW_REG_1_Zstride, m->z_stride[1]);
    D_CONFIG(t, PCK0_ADDR_CTRL_ZW_REG_1_Wstride, m->w_stride[1]);
    D_CONFIG(t, THCON_SEC0_REG1_L1_Dest_addr, m->dest_line);
    D_CONFIG(t, THCON_SEC0_REG1_Sub_l1_tile_header_size, m->header_subtracted);
    D_CONFIG(t, THCON_SEC0_REG1_Add_l1_dest_addr_offset, m->adds_offset);
    D_CONFIG(t, THCON_SEC0_REG1_Exp_section_size, m->exponent_lines);
    D_CONFIG(t, THCON_SEC0_REG9_Pack_0_2_limit_address, m->limit);
    D_CONFIG(t, THCON_SEC0_REG9_Pack_0_2_fifo_size, m->fifo);
    D_CONFIG(t, DEST_TARGET_REG_CFG_PACK_SEC0_Offset, m->dst_offset);
    D_CONFIG(t, DEST_TARGET_REG_CFG_PACK_SEC1_Offset, m->dst_offset);
    D_CONFIG(t, DEST_TARGET_REG_CFG_PACK_SEC2_Offset, m->dst_offset);
    D_CONFIG(t, DEST_TARGET_REG_CFG_PACK_SEC3_Offset, m->dst_offset);
    tensix_packer_reset_size(t, (uint16_t)m->tdma_offset);
}

static void configure_rows(struct pair *pair)
{
    struct tensix *t = &pair->harness.tensix;
    const struct model *m = &pair->model;
    D_CONFIG(t, THCON_SEC0_REG1_Downsample_mask, m->downsample);
    for (unsigned i = 0; i < 4; i++) {
        t->config[0][TENSIX_WORD_TILE_ROW_SET_MAPPING_0_row_set_mapping_0 + i] = m->row_map[i];
        t->config[0][TENSIX_WORD_TILE_FACE_SET_MAPPING_0_face_set_mapping_0 + i] = m->face_map[i];
    }
    D_CONFIG(t, PCK_EDGE_OFFSET_SEC0_mask, m->edge[0]);
    D_CONFIG(t, PCK_EDGE_OFFSET_SEC1_mask, m->edge[1]);
    D_CONFIG(t, PCK_EDGE_OFFSET_SEC2_mask, m->edge[2]);
    D_CONFIG(t, PCK_EDGE_OFFSET_SEC3_mask, m->edge[3]);
    D_CONFIG(t, PCK_EDGE_MODE_mode, m->edge_is_infinity);
    D_CONFIG(t, PCK_EDGE_TILE_ROW_SET_SELECT_select, m->row_select);
    D_CONFIG(t, PCK_EDGE_TILE_FACE_SET_SELECT_select, m->face_select);
    D_CONFIG(t, PCK_EDGE_TILE_FACE_SET_SELECT_enable, m->by_face);
    D_CONFIG(t, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset, m->z_offset);
    D_CONFIG(t, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, m->plane_rows);
}

static void configure_adc(struct pair *pair)
{
    struct tensix *t = &pair->harness.tensix;
    const struct model *m = &pair->model;
    for (unsigned i = 0; i < 2; i++) {
        struct tensix_adc_channel *channel = &t->thread[0].adc[TENSIX_ADC_PACKER].channel[i];
        channel->x = channel->x_cr = m->x[i];
        channel->y = m->y[i];
        channel->y_cr = m->y_cr[i];
        channel->z = m->z[i];
        channel->z_cr = m->z_cr[i];
        channel->w = m->w[i];
    }
    for (unsigned i = 0; i < 4; i++) {
        t->thread_config[0][TENSIX_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + i] = m->addr_mod[i];
    }
}

static void configure(struct pair *pair)
{
    configure_addresses(pair);
    configure_rows(pair);
    configure_adc(pair);
}

static void compare_l1(const struct pair *pair, uint32_t from, uint32_t to, const char *what)
{
    const struct model *m = &pair->model;
    if (memcmp(pair->harness.l1 + from, m->l1 + from, to - from) == 0) {
        return;
    }
    for (uint32_t i = from; i < to; i++) {
        D_EXPECT(pair->harness.l1[i] == m->l1[i],
                 "%s: format %u, L1 at 0x%x is %02x, should be %02x", what, m->format->out, i,
                 pair->harness.l1[i], m->l1[i]);
    }
}

/* After a step: counters, and L1 where the step wrote. The rest of L1 is for close_pair. */
static void compare(const struct pair *pair, const char *what)
{
    const struct model *m = &pair->model;
    D_EXPECT(pair->harness.faults == 0, "%s: %s", what, pair->harness.fault.text);
    for (unsigned i = 0; i < 2; i++) {
        const struct tensix_adc_channel *channel =
            &pair->harness.tensix.thread[0].adc[TENSIX_ADC_PACKER].channel[i];
        D_EXPECT(channel->y == m->y[i] && channel->y_cr == m->y_cr[i] && channel->z == m->z[i] &&
                     channel->z_cr == m->z_cr[i],
                 "%s: counters of channel %u", what, i);
    }
    compare_l1(pair, m->address > STEP_BYTES ? m->address - STEP_BYTES : 0, m->address + LINE,
               what);
}

static void close_pair(struct pair *pair)
{
    compare_l1(pair, 0, WINDOW, "in the end");
    free(pair->model.l1);
    tensix_harness_close(&pair->harness);
}

static void step(struct pair *pair, struct d_pacr p, const char *what)
{
    model_pack(&pair->model, p);
    d_pack(&pair->harness, p);
    compare(pair, what);
}

/* --- Random programs --- */

/* The address has columns 0 to 15 whether Xstride is that of LLK (0) or of the page. */
static void choose_columns(struct pair *pair)
{
    struct model *m = &pair->model;
    m->x_stride = below(pair, 4) ? m->format->bytes : 0;
    m->x[0] = below(pair, 2) ? 0 : below(pair, m->x_stride ? 16 : 16 / m->format->bytes);
    m->x[1] = below(pair, 2) ? 15 : m->x[0] + below(pair, 16 - m->x[0]);
}

static void choose_addresses(struct pair *pair)
{
    struct model *m = &pair->model;
    uint32_t row = 16U * m->format->bytes;
    m->base[0] = row * below(pair, 64);
    m->y_stride[0] = row * below(pair, 5);
    m->z_stride[0] = row * below(pair, 40);
    m->w_stride[0] = row * below(pair, 100);
    m->dst_offset = below(pair, 1024);
    m->base[1] = 16 * below(pair, 64);
    m->y_stride[1] = 16 * below(pair, 20);
    m->z_stride[1] = 16 * below(pair, 200);
    m->w_stride[1] = 16 * below(pair, 400);
    m->dest_line = 0x800 + below(pair, 0x1000);
    m->header_subtracted = below(pair, 2);
    m->adds_offset = below(pair, 2);
    m->tdma_offset = below(pair, 0x800);
    m->exponent_lines = below(pair, 8);
    m->limit = 0xffff;
    if (below(pair, 2)) {
        m->limit = 0x600 + below(pair, 0x800);
        m->fifo = below(pair, 0x300);
    } else if (below(pair, 2)) {
        m->dest_line |= UINT32_C(1) << 31; /* as LLK's program_packer_destination */
        m->limit = m->fifo = 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        m->y[i] = m->y_cr[i] = below(pair, 24);
        m->z[i] = m->z_cr[i] = below(pair, 4);
        m->w[i] = below(pair, 6);
    }
    if (below(pair, 4) == 0) { /* counters of 13 bits wrap */
        m->y[0] = m->y_cr[0] = 0x1fff - below(pair, 20);
        m->z[0] = m->z_cr[0] = 0x1fff - below(pair, 3);
    }
    for (unsigned i = 0; i < 4; i++) {
        m->addr_mod[i] = (uint16_t)random_next(&pair->random);
    }
}

static void choose_edges(struct pair *pair)
{
    static const uint8_t planes[] = {16, 1, 2, 3, 4, 5, 6, 8, 11, 13, 20, 250};
    struct model *m = &pair->model;
    for (unsigned i = 0; i < 4; i++) {
        m->edge[i] = (uint16_t)(below(pair, 4) ? random_next(&pair->random) : 0xffff);
        m->row_map[i] = random_next(&pair->random);
        m->face_map[i] = random_next(&pair->random);
    }
    m->row_select = below(pair, 4);
    m->face_select = below(pair, 4);
    m->by_face = below(pair, 2);
    m->z_offset = below(pair, 64);
    m->plane_rows = planes[below(pair, sizeof planes)];
    m->edge_is_infinity = m->format->minus_infinity && below(pair, 2);
}

/* Interfaces that stay in the aligned group of four rows. */
static uint8_t choose_interfaces(struct pair *pair)
{
    unsigned low = start_datum(&pair->model) >> 4 & 3;
    uint8_t interfaces;
    do {
        interfaces = (uint8_t)below(pair, 16);
    } while ((interfaces ? (unsigned)interfaces : 15U) << low > 15);
    return interfaces;
}

START_TEST(addresses)
{
    struct pair pair;
    open_pair(&pair, &copied[_i % COPIED], (uint64_t)_i + 1);
    choose_addresses(&pair);
    choose_columns(&pair);
    configure(&pair);
    for (unsigned i = 0; i < STEPS; i++) {
        struct d_pacr p = {
            .addr_mod = (uint8_t)below(&pair, 4),
            .interfaces = choose_interfaces(&pair),
            .concat = below(&pair, 2) != 0,
            .last = below(&pair, 3) == 0,
        };
        step(&pair, p, "addresses");
    }
    close_pair(&pair);
}
END_TEST

START_TEST(edges)
{
    struct pair pair;
    open_pair(&pair, &copied[_i % COPIED], (uint64_t)_i + 1001);
    choose_edges(&pair);
    configure(&pair);
    for (unsigned i = 0; i < 4 * STEPS; i++) { /* far enough for the position's 8 bits */
        struct d_pacr p = {.interfaces = choose_interfaces(&pair), .last = below(&pair, 8) == 0};
        step(&pair, p, "edges");
    }
    close_pair(&pair);
}
END_TEST

START_TEST(downsampling_and_padding)
{
    struct pair pair;
    open_pair(&pair, &copied[_i % COPIED], (uint64_t)_i + 2001);
    struct model *m = &pair.model;
    m->downsample = (uint16_t)(random_next(&pair.random) & random_next(&pair.random)) | 1;
    m->x[1] = below(&pair, 16);
    configure(&pair);
    for (unsigned i = 0; i < STEPS; i++) {
        struct d_pacr p = {
            .row_pad_zero = (uint8_t)below(&pair, 8),
            .interfaces = choose_interfaces(&pair),
            .concat = below(&pair, 2) != 0,
            .last = below(&pair, 4) == 0,
        };
        step(&pair, p, "downsampling");
    }
    close_pair(&pair);
}
END_TEST

/* The row is rotated from its first datum, wherever that is. */
START_TEST(downsampling_from_a_later_column)
{
    struct pair pair;
    open_pair(&pair, &copied[_i % COPIED], (uint64_t)_i + 3001);
    struct model *m = &pair.model;
    m->downsample = (uint16_t)random_next(&pair.random) | 1;
    m->x[0] = 1 + below(&pair, 15);
    configure(&pair);
    step(&pair, (struct d_pacr){.interfaces = 15, .last = 1}, "downsampling from a later column");
    close_pair(&pair);
}
END_TEST

START_TEST(zero_writes_and_flushes)
{
    struct pair pair;
    open_pair(&pair, &copied[_i % COPIED], (uint64_t)_i + 4001);
    struct model *m = &pair.model;
    for (unsigned i = 0; i < STEPS; i++) {
        struct d_pacr p = {.interfaces = (uint8_t)below(&pair, 16)};
        switch (below(&pair, 4)) {
        case 0:
            p.zero_write = 1;
            break;
        case 1:
            p.flush = 1;
            break;
        case 2:
            p.flush = 1;
            p.last = 1;
            break;
        default:
            p.last = below(&pair, 2) != 0;
            break;
        }
        /* Zero writes that name no interface take any multiple of 16 data. */
        m->x[1] = p.zero_write && !p.interfaces ? 16 * (1 + below(&pair, 8)) - 1 : 15;
        configure_adc(&pair);
        step(&pair, p, "zeros and flushes");
    }
    close_pair(&pair);
}
END_TEST

/* LLK's untilize: rows 16 apart, from any row. */
START_TEST(strided_rows)
{
    static const uint8_t masks[] = {1, 3, 15, 0};
    struct pair pair;
    open_pair(&pair, &copied[_i % COPIED], (uint64_t)_i + 5001);
    struct model *m = &pair.model;
    m->addr_mod[0] = 1;
    configure(&pair);
    for (unsigned i = 0; i < 16; i++) {
        struct d_pacr p = {.strided = 1, .interfaces = masks[below(&pair, 4)], .last = i == 15};
        step(&pair, p, "strided");
    }
    close_pair(&pair);
}
END_TEST

/* --- Single rules --- */

/* Every mask from every start row: the rows that it names, or a fault and nothing else. */
START_TEST(interfaces)
{
    unsigned mask = (unsigned)_i & 15, low = (unsigned)_i >> 4;
    struct pair pair;
    open_pair(&pair, &copied[0], 77);
    struct model *m = &pair.model;
    m->y[0] = m->y_cr[0] = 8 + low;
    m->addr_mod[0] = 4 | 4 << 6;
    configure(&pair);
    struct d_pacr p = {.interfaces = (uint8_t)mask, .last = 1};
    if ((mask ? mask : 15) << low <= 15) {
        step(&pair, p, "interfaces");
    } else {
        d_pack(&pair.harness, p);
        ck_assert_uint_eq(pair.harness.faults, 1);
        ck_assert_int_eq(pair.harness.fault.kind, TENSIX_FAULT_UNDEFINED);
        ck_assert_uint_eq(pair.harness.tensix.thread[0].adc[TENSIX_ADC_PACKER].channel[0].y,
                          8 + low);
    }
    close_pair(&pair);
}
END_TEST

/* SPEC: PACR.md: three rows of a final group leave what follows them; 48 BFP4 data take 24 bytes,
 * and the rest of their last line becomes zeros. */
START_TEST(three_rows_of_bfp4)
{
    struct tensix_harness h;
    d_open_packer(&h, D_BF16, D_BF16, D_BFP4, FIRST_LINE);
    D_CONFIG(&h.tensix, THCON_SEC0_REG1_Exp_section_size, 1);
    for (unsigned row = 0; row < 4; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            tensix_dst_write16(&h.tensix.dst, d_no_map, row, column, d_store_bf16(0x3f80));
        }
    }
    memset(h.l1 + FIRST_LINE * LINE, 0xee, 0x100);
    d_pack(&h, (struct d_pacr){.interfaces = 7, .last = 1});
    const uint8_t *exponents = h.l1 + FIRST_LINE * LINE, *data = exponents + LINE;
    for (unsigned i = 0; i < LINE; i++) {
        ck_assert_uint_eq(exponents[i], i < 3 ? 127 : 0);
    }
    for (unsigned i = 0; i < 3 * LINE; i++) {
        ck_assert_uint_eq(data[i], i < 24 ? 0x44 : i < 32 ? 0 : 0xee);
    }
    tensix_harness_close(&h);
}
END_TEST

/* SPEC: PACR.md: the last PACR of a plane takes the rows that are left of it. */
START_TEST(automatic_last_interfaces)
{
    unsigned rows = 1 + (unsigned)_i;
    struct pair pair;
    open_pair(&pair, &copied[0], 5);
    struct model *m = &pair.model;
    m->plane_rows = rows;
    m->addr_mod[0] = 4;
    configure(&pair);
    D_CONFIG(&pair.harness.tensix, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel, 1);
    for (unsigned plane = 0; plane < 2; plane++) {
        for (unsigned i = 0; i < rows; i += 4) {
            bool ends = i + 4 >= rows;
            unsigned left = rows - i;
            struct d_pacr named = {.interfaces = left < 4 ? (uint8_t)((1U << left) - 1) : 15,
                                   .last = ends};
            model_pack(m, named);
            d_pack(&pair.harness, (struct d_pacr){.interfaces = 15, .last = ends});
            compare(&pair, "automatic interfaces");
        }
    }
    close_pair(&pair);
}
END_TEST

/* SPEC: EdgeMasking: with pack_yz_transposed rows count planes first. */
START_TEST(transposed_planes)
{
    struct pair pair;
    open_pair(&pair, &copied[0], 9);
    struct tensix *t = &pair.harness.tensix;
    pair.model.by_face = true;
    pair.model.plane_rows = 4;
    /* Face z uses row set z, of which row y uses mask (y + z) mod 4: mask i hides column i. */
    pair.model.face_map[0] = 0xe4e4e4e4;
    for (unsigned i = 0; i < 4; i++) {
        pair.model.edge[i] = (uint16_t) ~(1U << i);
        for (unsigned y = 0; y < 16; y++) {
            pair.model.row_map[i] |= ((y + i) & 3) << 2 * y;
        }
    }
    pair.model.addr_mod[0] = 1;
    configure(&pair);
    D_CONFIG(t, PACK_COUNTERS_SEC0_pack_yz_transposed, 1);
    for (unsigned i = 0; i < 16; i++) {
        d_pack(&pair.harness, (struct d_pacr){.interfaces = 1, .last = i == 15});
    }
    ck_assert_uint_eq(pair.harness.faults, 0);
    for (unsigned i = 0; i < 16; i++) {
        unsigned y = i / 4, z = i % 4;
        for (unsigned column = 0; column < COLUMNS; column++) {
            uint32_t expected = column == ((y + z) & 3) ? 0 : dst_datum(&pair.model, i, column);
            D_EXPECT(d_l1(&pair.harness, FIRST_LINE * LINE + i * 32 + column * 2, 2) == expected,
                     "row %u (y %u, z %u) column %u", i, y, z, column);
        }
    }
    free(pair.model.l1); /* the model has not packed */
    tensix_harness_close(&pair.harness);
}
END_TEST

/* OvrdThreadId: the counters of AddrCntContext, 3 being 0, are used and advanced. */
START_TEST(counters_of_another_thread)
{
    unsigned context = (unsigned)_i, owner = context == 3 ? 0 : context;
    struct tensix_harness h;
    d_open_packer(&h, D_BF16, D_BF16, D_BF16, FIRST_LINE);
    struct tensix *t = &h.tensix;
    uint64_t random = 3;
    fill_dst(t, &random);
    D_CONFIG(t, PCK_DEST_RD_CTRL_Read_int8, 1);
    D_THREAD(t, ADDR_MOD_PACK_SEC1_YsrcIncr, 5);
    D_THREAD(t, ADDR_MOD_PACK_SEC1_ZdstIncr, 1);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_adc *adc = &t->thread[i].adc[TENSIX_ADC_PACKER];
        adc->channel[0].y = 20 * i;
        adc->channel[1].x = 15;
        adc->channel[1].z = 3 * i;
    }
    d_pack(&h,
           (struct d_pacr){
               .addr_mod = 1, .adc = (uint8_t)context, .override = 1, .interfaces = 1, .last = 1});
    ck_assert_uint_eq(h.faults, 0);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_adc *adc = &t->thread[i].adc[TENSIX_ADC_PACKER];
        ck_assert_uint_eq(adc->channel[0].y, 20 * i + (i == owner ? 5 : 0));
        ck_assert_uint_eq(adc->channel[1].z, 3 * i + (i == owner));
    }
    for (unsigned column = 0; column < COLUMNS; column++) {
        ck_assert_uint_eq(d_l1(&h, FIRST_LINE * LINE + 2 * column, 2),
                          d_load_bf16(t->dst.bits[20 * owner][column]));
    }
    tensix_harness_close(&h);
}
END_TEST

/* Rows that ZEROACC has made undefined pack as zeros. */
START_TEST(undefined_rows)
{
    struct pair pair;
    open_pair(&pair, &copied[_i % 2], 8);
    struct tensix_dst *dst = &pair.harness.tensix.dst;
    for (unsigned row = 0; row < 4; row += 2) {
        dst->cleared[row] = true;
    }
    configure(&pair);
    step(&pair, (struct d_pacr){.last = 1}, "undefined rows");
    close_pair(&pair);
}
END_TEST

/* With remapped or swizzled addresses a packer finds what other units wrote to the same row. */
START_TEST(remapped_rows)
{
    struct tensix_dst_map map = {.remap = _i & 1, .swizzle = _i >> 1 & 1};
    bool is_32bit = _i >> 2;
    unsigned format = is_32bit ? D_FP32 : D_BF16, bytes = is_32bit ? 4 : 2;
    struct tensix_harness h;
    d_open_packer(&h, format, format, format, FIRST_LINE);
    struct tensix *t = &h.tensix;
    D_CONFIG(t, DEST_ACCESS_CFG_remap_addrs, map.remap);
    D_CONFIG(t, DEST_ACCESS_CFG_swizzle_32b, map.swizzle);
    D_CONFIG(t, PCK_DEST_RD_CTRL_Read_32b_data, is_32bit);
    D_CONFIG(t, PCK_DEST_RD_CTRL_Read_int8, 1);
    D_THREAD(t, ADDR_MOD_PACK_SEC0_YsrcIncr, 1);
    uint64_t random = 1;
    uint32_t expected[64 * COLUMNS];
    for (unsigned i = 0; i < 64 * COLUMNS; i++) {
        uint32_t x = random_next(&random);
        expected[i] = is_32bit ? x : x >> 16;
        if (is_32bit) {
            tensix_dst_write32(&t->dst, map, i / COLUMNS, i % COLUMNS, d_store_fp32(x));
        } else {
            tensix_dst_write16(&t->dst, map, i / COLUMNS, i % COLUMNS, d_store_bf16(x >> 16));
        }
    }
    for (unsigned i = 0; i < 64; i++) {
        d_pack(&h, (struct d_pacr){.interfaces = 1, .last = i == 63});
    }
    ck_assert_uint_eq(h.faults, 0);
    for (unsigned i = 0; i < 64 * COLUMNS; i++) {
        D_EXPECT(d_l1(&h, FIRST_LINE * LINE + i * bytes, bytes) == expected[i], "datum %u", i);
    }
    tensix_harness_close(&h);
}
END_TEST

/* The FIFO wraps behind line 2 * limit + 1, not at it. */
START_TEST(end_of_the_fifo)
{
    struct pair pair;
    open_pair(&pair, &copied[0], 6);
    pair.model.limit = FIRST_LINE / 2;
    pair.model.fifo = 0x40;
    pair.model.dest_line = FIRST_LINE + (uint32_t)_i;
    configure(&pair);
    step(&pair, (struct d_pacr){.interfaces = 1, .last = 1}, "end of the FIFO");
    uint32_t wrapped = _i == 2 ? 0x80 : 0;
    ck_assert_uint_eq(d_l1(&pair.harness, (FIRST_LINE + (uint32_t)_i - wrapped) * LINE, 2),
                      dst_datum(&pair.model, 0, 0));
    close_pair(&pair);
}
END_TEST

/* A tile that runs past the end of L1 is a fault, and writes nothing behind it. */
START_TEST(past_the_end)
{
    struct tensix_harness h;
    d_open_packer(&h, D_BF16, D_BF16, D_BF16, (TENSIX_HARNESS_L1 / LINE) - 2);
    for (unsigned i = 0; i < 4; i++) {
        d_pack(&h, (struct d_pacr){.interfaces = 15, .last = i == 3});
    }
    ck_assert_uint_gt(h.faults, 0);
    ck_assert_int_eq(h.fault.kind, TENSIX_FAULT_UNDEFINED);
    tensix_harness_close(&h);
}
END_TEST

int main(void)
{
    Suite *all = suite_create("packer, addresses and streams");
    TCase *rows = tcase_create("rows");
    tcase_set_timeout(rows, 120);
    tcase_add_loop_test(rows, addresses, 0, PROGRAMS);
    tcase_add_loop_test(rows, edges, 0, PROGRAMS);
    tcase_add_loop_test(rows, downsampling_and_padding, 0, PROGRAMS);
    tcase_add_loop_test(rows, downsampling_from_a_later_column, 0, 10);
    tcase_add_loop_test(rows, zero_writes_and_flushes, 0, 20);
    tcase_add_loop_test(rows, strided_rows, 0, 10);
    tcase_add_loop_test(rows, interfaces, 0, 64);
    tcase_add_test(rows, three_rows_of_bfp4);
    tcase_add_loop_test(rows, automatic_last_interfaces, 0, 16);
    tcase_add_test(rows, transposed_planes);
    tcase_add_loop_test(rows, counters_of_another_thread, 0, 4);
    tcase_add_loop_test(rows, undefined_rows, 0, 2);
    tcase_add_loop_test(rows, remapped_rows, 0, 8);
    tcase_add_loop_test(rows, end_of_the_fifo, 0, 3);
    tcase_add_test(rows, past_the_end);
    suite_add_tcase(all, rows);
    return run_suite(all);
}
