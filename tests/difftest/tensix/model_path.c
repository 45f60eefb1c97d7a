/* The model: unpackers and packer. */
#include "model_internal.h"

enum { X, Y, Z, W };
enum { ROW_SIZE = 16, HEAD = 64, SCATTER_ROWS = 16 };

/* --- UNPACR --- */

/* Fields that there are for each unpacker (and some for each context). */
#define BY_UNPACKER(name)                                                                          \
    {                                                                                              \
        TENSIX_FIELD_THCON_SEC0_##name, TENSIX_FIELD_THCON_SEC1_##name                             \
    }

static uint32_t of_unpacker(const struct model *m, unsigned thread, unsigned u,
                            const enum tensix_field_id id[SRCS])
{
    return config_field(m, thread, id[u]);
}

struct transfer {
    unsigned u, context, in, out;
    bool haloize, tileize, to_dst;
    uint32_t count, source, first_row; /* source: address of the first datum in bits */
    uint32_t row_bytes, data_per_row;
};

static bool unpack_formats(const struct transfer *t)
{
    const uint32_t known = ONE(FORMAT_FP16) | ONE(FORMAT_BF16) | ONE(FORMAT_BFP8) |
                           ONE(FORMAT_BFP4) | ONE(FORMAT_BFP2) | ONE(FORMAT_INT16) |
                           ONE(FORMAT_FP8) | ONE(FORMAT_INT8);
    if (t->in == FORMAT_FP32) {
        return t->to_dst ? t->out == FORMAT_FP32 || t->out == FORMAT_TF32
                         : t->out == FORMAT_FP16 || t->out == FORMAT_TF32 || t->out == FORMAT_BF16;
    }
    if (t->in != t->out) {
        return false;
    }
    return t->to_dst ? t->in == FORMAT_INT32 : is_one_of(t->in, known);
}

static bool unpack_switches(const struct model *m, unsigned thread, struct transfer *t)
{
    static const enum tensix_field_id haloize[] = BY_UNPACKER(REG2_Haloize_mode);
    static const enum tensix_field_id tileize[] = BY_UNPACKER(REG2_Tileize_mode);
    static const enum tensix_field_id override[] = BY_UNPACKER(REG2_Ovrd_data_format);
    static const enum tensix_field_id rate[] = BY_UNPACKER(REG2_Upsample_rate);
    static const enum tensix_field_id interleave[] = BY_UNPACKER(REG2_Upsample_and_interleave);
    static const enum tensix_field_id update[] = BY_UNPACKER(REG2_Unpack_Src_Reg_Set_Upd);
    static const enum tensix_field_id out[] = BY_UNPACKER(REG2_Out_data_format);
    static const enum tensix_field_id in[] = BY_UNPACKER(REG0_TileDescriptor);
    static const enum tensix_field_id plain0[] = BY_UNPACKER(REG2_Disable_zero_compress_cntx0);
    static const enum tensix_field_id plain1[] = BY_UNPACKER(REG2_Disable_zero_compress_cntx1);
    unsigned u = t->u;
    t->haloize = of_unpacker(m, thread, u, haloize);
    t->tileize = of_unpacker(m, thread, u, tileize);
    t->out = of_unpacker(m, thread, u, out);
    t->in = of_unpacker(m, thread, u, in) & 15;
    t->to_dst =
        u == SRC_A && config_field(m, thread,
                                   t->context ? TENSIX_FIELD_THCON_SEC0_REG2_Unpack_if_sel_cntx1
                                              : TENSIX_FIELD_THCON_SEC0_REG2_Unpack_if_sel_cntx0);
    if (!of_unpacker(m, thread, u, t->context ? plain1 : plain0) ||
        of_unpacker(m, thread, u, override) || of_unpacker(m, thread, u, rate) ||
        of_unpacker(m, thread, u, interleave) || of_unpacker(m, thread, SRC_A, update) ||
        of_unpacker(m, thread, SRC_B, update)) {
        return false;
    }
    if (u == SRC_B && (t->haloize || t->tileize)) {
        return false;
    }
    bool addressed = thread_field(m, thread, TENSIX_FIELD_SRCA_SET_SetOvrdWithAddr);
    bool no_base = !thread_field(m, thread, TENSIX_FIELD_SRCA_SET_Base);
    /* Haloize with an address in Dst is undefined; the switch must say where the address is. */
    return no_base && addressed == !t->to_dst && !(t->to_dst && t->haloize) &&
           !(t->tileize && format_bits(t->in) < 8) && unpack_formats(t);
}

static uint32_t tile_x(const struct model *m, unsigned thread, const struct transfer *t)
{
    if (t->u == SRC_B) {
        return config_field(m, thread, TENSIX_FIELD_THCON_SEC1_REG0_TileDescriptor) >> 16;
    }
    return config_field(m, thread,
                        t->context ? TENSIX_FIELD_THCON_SEC0_REG5_Tile_x_dim_cntx1
                                   : TENSIX_FIELD_THCON_SEC0_REG5_Tile_x_dim_cntx0);
}

/* Where data come from; false: from where programs have nothing. */
static bool unpack_source(const struct model *m, unsigned thread, struct transfer *t)
{
    static const enum tensix_field_id base[2][SRCS] = {BY_UNPACKER(REG3_Base_address),
                                                       BY_UNPACKER(REG3_Base_cntx1_address)};
    static const enum tensix_field_id offset[2][SRCS] = {BY_UNPACKER(REG7_Offset_address),
                                                         BY_UNPACKER(REG7_Offset_cntx1_address)};
    static const enum tensix_field_id forced[] = BY_UNPACKER(REG2_Force_shared_exp);
    unsigned state = state_of(m, thread), word = t->u ? 112 : 64;
    uint32_t second = m->config[state][word + 1], x_dim = tile_x(m, thread, t);
    uint32_t y_dim = second & 0xff, z_dim = second >> 16 & 0xff;
    z_dim = z_dim ? z_dim : 1;
    const struct model_adc *adc = &m->counters[thread].adc[t->u][0];
    uint64_t first = adc->at[X] + (uint64_t)adc->at[Y] * x_dim +
                     (uint64_t)adc->at[Z] * x_dim * y_dim +
                     (uint64_t)adc->at[W] * x_dim * y_dim * z_dim;
    uint64_t address = ((uint64_t)of_unpacker(m, thread, t->u, base[t->context]) +
                        of_unpacker(m, thread, t->u, offset[t->context]) + 1)
                       << 4;
    if (!x_dim || x_dim % 16 || !y_dim || address < SCENE_INPUT || address >= SCENE_OUT ||
        first > 0x40000) {
        return false;
    }
    if (format_has_exponents(t->in) && !of_unpacker(m, thread, t->u, forced)) {
        if (m->config[state][word] & 0x20) { /* without a section of exponents */
            return false;
        }
        address += (((uint64_t)x_dim * y_dim * z_dim + 15) / 16 + 15) / 16 * 16;
    }
    uint64_t bits = address * 8 + first * format_bits(t->in);
    t->data_per_row = format_bits(t->in) <= 8 ? 16 : 32;
    t->row_bytes = format_bits(t->in) * t->data_per_row / 8;
    if (t->tileize) {
        t->row_bytes = (m->config[state][72] >> 16 & 0xfff) << 4;
    }
    uint64_t last = bits + 8 * (uint64_t)t->row_bytes * (t->count / t->data_per_row + 1) + 1024;
    t->source = (uint32_t)bits;
    return last / 8 <= SCENE_OUT && !((t->haloize || t->tileize) && bits & 127);
}

static bool unpack_target(const struct model *m, unsigned thread, struct transfer *t)
{
    static const enum tensix_field_id y_stride[] = {TENSIX_FIELD_UNP0_ADDR_CTRL_XY_REG_1_Ystride,
                                                    TENSIX_FIELD_UNP1_ADDR_CTRL_XY_REG_1_Ystride};
    static const enum tensix_field_id z_stride[] = {TENSIX_FIELD_UNP0_ADDR_CTRL_ZW_REG_1_Zstride,
                                                    TENSIX_FIELD_UNP1_ADDR_CTRL_ZW_REG_1_Zstride};
    const struct model_adc *adc = &m->counters[thread].adc[t->u][1];
    unsigned state = state_of(m, thread);
    uint32_t align = (format_bits(t->out) + 7) / 8;
    uint32_t y = of_unpacker(m, thread, t->u, y_stride), z = of_unpacker(m, thread, t->u, z_stride);
    uint32_t w = m->config[state][t->u ? 59 : 57] >> 16;
    if ((y | z | w) & (align - 1) || adc->at[W]) {
        return false;
    }
    uint32_t at = (adc->at[Y] * y + adc->at[Z] * z) / align;
    if (t->u == SRC_A) {
        uint32_t context = m->config[state][84] >> 16 * t->context & 0xffff;
        bool adds =
            t->to_dst ||
            config_field(m, thread, TENSIX_FIELD_UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr);
        at = context + (adds ? at : 0);
        if (at < HEAD) {
            return false;
        }
        at -= HEAD;
        /* A column shift is refused. */
        if (!t->tileize && m->config[state][72] >> (16 + 4 * t->context) & 15) {
            return false;
        }
    }
    t->first_row = at / ROW_SIZE;
    return at % ROW_SIZE == 0;
}

/* Bursts into SrcA that cross a set of 16 rows lose data, which the reference does not model. */
static bool burst_is_aligned(const struct model *m, unsigned thread, const struct transfer *t)
{
    unsigned bits = format_bits(t->in);
    unsigned throttle = config_field(m, thread, TENSIX_FIELD_THCON_SEC0_REG2_Throttle_mode);
    if (t->to_dst || t->u == SRC_B || t->count <= ROW_SIZE) {
        return true;
    }
    if (bits == 2) {
        throttle = 0;
    } else if (t->tileize) {
        throttle = 2;
    } else if (!config_field(m, thread, TENSIX_FIELD_THCON_SEC0_REG1_ovrd_default_throttle_mode)) {
        throttle = bits == 8 ? 3 : 2;
    }
    unsigned bytes = throttle == 2 && bits >= 16 ? 128 : 16u << throttle;
    unsigned rows = bytes / (2 * bits);
    rows = rows < 1 ? 1 : rows > 8 ? 8 : rows;
    return !(t->first_row & (rows - 1));
}

/* Does it read 1.0 and nothing else? */
static bool reads_ones(const struct transfer *t)
{
    uint32_t end = t->source / 8 + t->count * format_bits(t->in) / 8, from = t->source / 8;
    if (t->out != FORMAT_BF16 && t->out != FORMAT_TF32) { /* 1.0 has other bits there */
        return false;
    }
    return (t->in == FORMAT_BF16 && from >= SCENE_ONES16 &&
            end <= SCENE_ONES16 + SCENE_ONES_BYTES) ||
           (t->in == FORMAT_FP32 && from >= SCENE_ONES32 && end <= SCENE_ONES32 + SCENE_ONES_BYTES);
}

static void mark_rows(struct model_bank *bank, const struct transfer *t)
{
    unsigned rows = (t->count + ROW_SIZE - 1) / ROW_SIZE, whole = t->count / ROW_SIZE;
    uint64_t touched = 0, full = 0;
    bool narrow = is_one_of(t->out, ONE(FORMAT_FP16) | ONE(FORMAT_FP8) | ONE(FORMAT_INT8));
    for (unsigned i = 0; i < rows; i++) {
        touched |= UINT64_C(1) << (t->first_row + i) % MODEL_SRC_ROWS;
        full |= i < whole ? UINT64_C(1) << (t->first_row + i) % MODEL_SRC_ROWS : 0;
    }
    if (t->haloize) { /* rows become columns of their block */
        uint64_t blocks = 0, whole_blocks = 0;
        for (unsigned block = 0; block < MODEL_SRC_ROWS; block += SCATTER_ROWS) {
            uint64_t bits = row_bits(block, SCATTER_ROWS);
            blocks |= touched & bits ? bits : 0;
            whole_blocks |= (full & bits) == bits ? bits : 0;
        }
        touched = blocks;
        full = whole_blocks;
    }
    bank->narrow = narrow ? bank->narrow | full : bank->narrow & ~touched;
    bank->ones =
        reads_ones(t) && !t->tileize && !t->haloize ? bank->ones | full : bank->ones & ~touched;
}

static bool unpack_operands(const struct tensix_args_UNPACR *args)
{
    return args->last && !args->row_search && !args->use_context_counter &&
           !args->src_b_broadcast && !args->all_datums_are_zero && args->multi_context_mode &&
           !args->context_adc && !args->context_number;
}

bool model_unpacr(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_UNPACR args = tensix_decode_UNPACR(word);
    struct transfer t = {.u = args.which_unpacker};
    struct model_src *src = &m->src[t.u];
    struct model_bank *bank = &src->bank[src->unpack];
    struct model_adc *adc = m->counters[thread].adc[t.u];
    t.context = thread_field(m, thread,
                             t.u ? TENSIX_FIELD_UNPACK_MISC_CFG_CfgContextOffset_1
                                 : TENSIX_FIELD_UNPACK_MISC_CFG_CfgContextOffset_0);
    t.count = adc[1].at[X] - adc[0].at[X] + 1;
    if (!unpack_operands(&args) || bank->valid || t.context > 1 || adc[0].at[X] > adc[1].at[X] ||
        t.count > 4096 || !unpack_switches(m, thread, &t) || !unpack_source(m, thread, &t) ||
        !unpack_target(m, thread, &t) || !burst_is_aligned(m, thread, &t)) {
        return false;
    }
    uint32_t rows = (t.count + ROW_SIZE - 1) / ROW_SIZE;
    if ((t.to_dst && t.first_row + rows > MODEL_DST32_ROWS) ||
        (t.u == SRC_B && t.first_row + rows > MODEL_SRC_ROWS)) {
        return false;
    }
    if (!t.to_dst) {
        mark_rows(bank, &t);
    }
    adc[0].at[Z] = (adc[0].at[Z] + args.ch0_z_inc) & 0xff;
    adc[0].at[Y] = (adc[0].at[Y] + args.ch0_y_inc) & 0x1fff;
    adc[1].at[Z] = (adc[1].at[Z] + args.ch1_z_inc) & 0xff;
    adc[1].at[Y] = (adc[1].at[Y] + args.ch1_y_inc) & 0x1fff;
    if (args.flip_src) {
        bank->valid = true;
        bank->format = (uint8_t)t.out;
        src->unpack ^= 1;
    }
    return true;
}

bool model_unpacr_nop(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_UNPACR_NOP_ZEROSRC args = tensix_decode_UNPACR_NOP_ZEROSRC(word);
    static const enum tensix_field_id out[] = BY_UNPACKER(REG2_Out_data_format);
    unsigned u = args.which_unpacker;
    struct model_src *src = &m->src[u];
    struct model_bank *bank = &src->bank[src->unpack];
    if (src->bank[args.wait_like_unpacr ? src->unpack : src->matrix].valid ||
        args.clear_value > 1 || (args.clear_value && u == SRC_B) || args.both_banks ||
        args.clear_to_1_format || args.set_dvalid > 1 || (args.set_dvalid && bank->valid) ||
        (args.set_dvalid && thread_field(m, thread, TENSIX_FIELD_SRCA_SET_Base))) {
        return false;
    }
    bank->narrow = args.clear_value ? 0 : UINT64_MAX;
    bank->ones = 0;
    if (args.set_dvalid) {
        bank->valid = true;
        bank->format = (uint8_t)of_unpacker(m, thread, u, out);
        src->unpack ^= 1;
    }
    return true;
}

/* --- PACR --- */

/* Conversions: 1 in bit 8: 32-bit Dst, then the format in Dst, then that in L1. */
static bool pack_formats(unsigned conversion, bool rounds)
{
    static const uint16_t plain[] = {
        0x10, 0x11,  0x15,  0x26,  0x50,  0x55,  0x56,  0x57,  0x5f,  0x60,  0x65,  0x66,  0x67,
        0x99, 0x100, 0x101, 0x106, 0x107, 0x10f, 0x155, 0x166, 0x167, 0x188, 0x199, 0x1ee,
    };
    if (conversion == 0x111 || conversion == 0x11a) {
        return rounds;
    }
    if (conversion == 0x1a) {
        return true;
    }
    for (unsigned i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (plain[i] == conversion) {
            return !rounds;
        }
    }
    return false;
}

static bool pack_relu(const struct model *m, unsigned thread, unsigned in)
{
    const uint32_t known = ONE(FORMAT_FP32) | ONE(FORMAT_FP16) | ONE(FORMAT_BFP8A) |
                           ONE(FORMAT_BF16) | ONE(FORMAT_BFP8) | ONE(FORMAT_INT32);
    unsigned relu = config_field(m, thread, TENSIX_FIELD_STACC_RELU_ApplyRelu);
    unsigned threshold = config_field(m, thread, TENSIX_FIELD_STACC_RELU_ReluThreshold);
    return !relu || (relu <= 3 && threshold < 0x8000 && is_one_of(in, known) &&
                     (in != FORMAT_INT32 || relu == 1));
}

/* Words that must hold nothing but what is named here. */
static bool pack_switches(const struct model *m, unsigned thread)
{
    const uint32_t *config = m->config[state_of(m, thread)];
    enum {
        PLAIN = 1, /* word 70: without zero compression; formats */
        FORMAT_MASK = 0xff0,
        FREE_70 = 8,          /* the unpackers' throttle */
        FREE_71 = 0x00c80000, /* L1 accumulation, exponents of FP8 */
        ONE_MASK_EACH = 0x1ffff,
    };
    uint32_t reads = config[28] >> 8 & 0xff;
    bool masks = true;
    for (unsigned i = 24; i <= 25; i++) {
        uint32_t mask = config[i] & 0xffff;
        masks = masks && (mask <= 1 || mask == 0xffff);
    }
    return !(config[28] & 0x800000) && reads >= 1 && reads <= 16 && masks &&
           !(config[24] >> 16 & 1) && (config[24] >> 17 & 3) <= 1 &&
           !((config[20] | config[21]) & 0xaaaaaaaa) && !config[17] && !(config[68] & 0xffff) &&
           (config[70] & ~(uint32_t)(FORMAT_MASK | FREE_70)) == PLAIN &&
           !(config[71] & ~(uint32_t)FREE_71) && !(config[119] & ~UINT32_C(0x400000)) &&
           !(config[180] >> 12);
}

struct packing {
    unsigned in, out, count, rows;
    bool wide;
    uint32_t first_row, last_row;
};

/* Which rows of Dst are read; false: some that do not exist, or operands that are refused. */
static bool pack_rows(const struct model *m, unsigned thread, const struct tensix_args_PACR *args,
                      struct packing *p)
{
    const uint32_t *config = m->config[state_of(m, thread)];
    const struct model_adc *adc = m->counters[thread].adc[ADC_PACKER];
    uint32_t align = (format_bits(p->in) + 7) / 8;
    uint32_t y = config[12] >> 16, z = config[13] & 0xffff, w = config[13] >> 16;
    if ((y | z | w | (config[12] & 0xffff)) & (align - 1) || adc[0].at[X]) {
        return false;
    }
    uint32_t at = (adc[0].at[Y] * y + adc[0].at[Z] * z + adc[0].at[W] * w) / align;
    uint32_t count = adc[1].at[X] + 1;
    unsigned interfaces = args->read_intf_sel, step = 1, first = 0;
    unsigned mask = interfaces ? interfaces : 15;
    bool one = interfaces == 1;
    if (at % ROW_SIZE || !(count == 16 || (count == 8 && one))) {
        return false;
    }
    p->rows = interfaces == 0 ? 4 : one ? 1 : 2;
    p->count = count * p->rows;
    if (args->dst_access_mode) {
        step = 16;
        if ((config[220] & 3) != 3 || !(interfaces <= 1 || interfaces == 3)) {
            return false;
        }
    } else if (interfaces == 5 || interfaces == 10) {
        step = 2;
        first = interfaces == 10;
    }
    at = (at / ROW_SIZE + (config[180] & 0xfff)) & (MODEL_DST_ROWS - 1);
    if (!args->dst_access_mode && mask << at % 4 > 15) { /* beyond four rows: undefined */
        return false;
    }
    p->first_row = at + first;
    p->last_row = p->first_row + step * (p->rows - 1);
    if (model_is_remapped(m) && !p->wide) {
        return false;
    }
    return (interfaces <= 1 || interfaces == 3 || interfaces == 5 || interfaces == 10) &&
           p->last_row < (p->wide ? MODEL_DST32_ROWS : MODEL_DST_ROWS);
}

/*
 * The position in the plane, which selects edge masks. By Blackhole's page it goes on from tile to
 * tile and becomes 0 where it meets the end of the plane, here also when the plane is set between
 * tiles; in the reference it starts with each tile and wraps anywhere. Where masks differ, programs
 * keep to what is the same.
 */
static bool pack_position(struct model *m, unsigned thread, const struct packing *p, bool last)
{
    const uint32_t *config = m->config[state_of(m, thread)];
    bool differ = (config[24] ^ config[25]) & 0xffff;
    unsigned reads = config[28] >> 8 & 0xff, from = m->pack_position, to = from + p->rows;
    m->pack_position = to == reads ? 0 : (uint8_t)to;
    return !differ || ((m->in_tile || !from) && to <= reads && (!last || to == reads) &&
                       p->count == ROW_SIZE * p->rows);
}

/* Where it writes: to what is compared, and to nothing else. */
static bool pack_target(struct model *m, unsigned thread, const struct packing *p)
{
    const uint32_t *config = m->config[state_of(m, thread)];
    const struct model_adc *adc = m->counters[thread].adc[ADC_PACKER];
    unsigned bits = format_bits(p->out);
    if (!m->in_tile) {
        if (adc[1].at[Z] || adc[1].at[W]) {
            return false;
        }
        uint64_t at = (uint64_t)config[69] + 1 + (adc[1].at[Y] * (config[14] >> 16) >> 4);
        uint64_t data = at + (bits <= 8 ? config[68] >> 16 : 0);
        if (data >= UINT32_MAX >> 4) {
            return false;
        }
        m->pack_exponents = (uint32_t)at << 4;
        m->pack_data = m->pack_start = (uint32_t)data << 4;
    }
    if (bits <= 8 && p->count % 16) {
        return false;
    }
    uint32_t data_end = m->pack_data + bits * p->count / 8;
    uint32_t exponents_end = m->pack_exponents + p->count / 16;
    bool exponents = format_has_exponents(p->out);
    bool ok = m->pack_data >= SCENE_OUT && ((data_end + 15) & ~15u) <= SCENE_DST &&
              (!exponents ||
               (m->pack_exponents >= SCENE_OUT && ((exponents_end + 15) & ~15u) <= m->pack_start));
    m->pack_data = data_end;
    m->pack_exponents = exponents_end;
    return ok;
}

static bool pack_modifier(struct model *m, unsigned thread, unsigned number)
{
    uint32_t bits = m->thread_config[thread][TENSIX_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + number];
    struct model_adc *adc = m->counters[thread].adc[ADC_PACKER];
    for (unsigned channel = 0; channel < 2; channel++) {
        uint32_t y = bits >> 6 * channel, z = bits >> (12 + 2 * channel);
        struct model_adc *at = &adc[channel];
        if (y & 0x20) {
            at->at[Y] = at->cr[Y] = 0;
        } else if (y & 0x10) {
            at->at[Y] = at->cr[Y] = (at->cr[Y] + (y & 15)) & 0x1fff;
        } else {
            at->at[Y] = (at->at[Y] + (y & 15)) & 0x1fff;
        }
        at->cr[Z] = z & 2 ? 0 : at->cr[Z];
        at->at[Z] = z & 2 ? 0 : (at->at[Z] + (z & 1)) & 0xff;
    }
    return !(bits & 0x400);
}

bool model_pacr(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_PACR args = tensix_decode_PACR(word);
    struct packing p = {
        .in = config_field(m, thread, TENSIX_FIELD_THCON_SEC0_REG1_In_data_format),
        .out = config_field(m, thread, TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format),
        .wide = config_field(m, thread, TENSIX_FIELD_PCK_DEST_RD_CTRL_Read_32b_data),
    };
    bool rounds = config_field(m, thread, TENSIX_FIELD_PCK_DEST_RD_CTRL_Round_10b_mant);
    bool fp8 = config_field(m, thread, TENSIX_FIELD_THCON_SEC0_REG1_Pac_LF8_4b_exp);
    bool adds = config_field(m, thread, TENSIX_FIELD_THCON_SEC0_REG1_Pack_L1_Acc);
    const uint32_t sums = ONE(FORMAT_FP32) | ONE(FORMAT_FP16) | ONE(FORMAT_BF16);
    if (args.flush || args.ctxt_ctrl || args.ovrd_thread_id || args.zero_write ||
        args.addr_cnt_context || args.row_pad_zero || args.cfg_context || args.concat ||
        config_field(m, thread, TENSIX_FIELD_ALU_FORMAT_SPEC_REG2_Dstacc) != p.in ||
        config_field(m, thread, TENSIX_FIELD_PCK_DEST_RD_CTRL_Read_int8) ||
        !pack_formats((unsigned)p.wide << 8 | p.in << 4 | p.out, rounds) ||
        (p.out == FORMAT_FP8 && !fp8) || (adds && !is_one_of(p.out, sums)) ||
        !pack_switches(m, thread) || !pack_relu(m, thread, p.in) ||
        !pack_rows(m, thread, &args, &p) || !pack_position(m, thread, &p, args.last) ||
        !pack_target(m, thread, &p)) {
        return false;
    }
    m->in_tile = !args.last;
    return pack_modifier(m, thread, args.addr_mod);
}
