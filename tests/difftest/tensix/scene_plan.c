/* What a segment of a scene plans: formats that fit each other, addresses, modes, data. */
#include "data.h"
#include "model_internal.h"
#include "scene.h"

enum {
    AREA_BYTES = 0x2000, /* of an unpacker's context */
    SEGMENT_BYTES = 4 * AREA_BYTES,
    FILL_BYTES = 0x1400,
    SMALL_FILL = 0x280,
    FACE_ROWS = 16,
    MODIFIERS = 8,
    PACK_MODIFIERS = 4,
};

enum family { FAMILY_WIDE, FAMILY_NARROW, FAMILY_INT8 };

struct formats {
    uint8_t in, out;
};

#define PICK(g, table) ((table)[below((g), sizeof(table) / sizeof((table)[0]))])

/* --- Formats --- */

static struct formats pick_formats(struct generator *g, enum family family, unsigned u)
{
    static const struct formats wide[] = {
        {FORMAT_BF16, FORMAT_BF16}, {FORMAT_BF16, FORMAT_BF16}, {FORMAT_BFP8, FORMAT_BFP8},
        {FORMAT_BFP4, FORMAT_BFP4}, {FORMAT_FP32, FORMAT_TF32}, {FORMAT_FP32, FORMAT_TF32},
        {FORMAT_FP32, FORMAT_BF16}, {FORMAT_BFP2, FORMAT_BFP2},
    };
    static const struct formats narrow[] = {
        {FORMAT_FP16, FORMAT_FP16}, {FORMAT_FP32, FORMAT_FP16}, {FORMAT_FP8, FORMAT_FP8}};
    if (family == FAMILY_INT8) {
        return (struct formats){FORMAT_INT8, FORMAT_INT8};
    }
    if (family == FAMILY_NARROW) {
        return PICK(g, narrow);
    }
    if (u == SRC_B && once_in(g, 10)) {
        return (struct formats){FORMAT_INT16, FORMAT_INT16};
    }
    return PICK(g, wide);
}

static void plan_alu(struct generator *g, enum family family, const struct formats format[SRCS])
{
    struct scene *s = g->scene;
    static const uint8_t wide[] = {FORMAT_FP32, FORMAT_TF32, FORMAT_BF16, FORMAT_BFP8, FORMAT_BFP4};
    unsigned configured[SRCS] = {format[SRC_A].out, format[SRC_B].out};
    for (unsigned u = 0; family == FAMILY_WIDE && u < SRCS; u++) {
        configured[u] = once_in(g, 3) ? PICK(g, wide) : configured[u];
    }
    scene_plan(s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcA, configured[SRC_A]);
    scene_plan(s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB, configured[SRC_B]);
    scene_plan(s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcAUnsigned, once_in(g, 3));
    scene_plan(s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcBUnsigned, once_in(g, 3));
    scene_plan(s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcA_val, configured[SRC_A]);
    /* Only moves know it: then they are alone. */
    scene_plan(s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcA_override, once_in(g, 14));
    scene_plan(s, TENSIX_FIELD_ALU_ACC_CTRL_Fp32_enabled, s->strided || once_in(g, 2));
    scene_plan(s, TENSIX_FIELD_ALU_ACC_CTRL_INT8_math_enabled, family == FAMILY_INT8);
    scene_plan(s, TENSIX_FIELD_ALU_ACC_CTRL_Zero_Flag_disabled_src, once_in(g, 4));
    scene_set16(g, TENSIX_WORD_DISABLE_IMPLIED_SRCA_FMT_Base, once_in(g, 2));
    scene_set16(g, TENSIX_WORD_DISABLE_IMPLIED_SRCB_FMT_Base, once_in(g, 2));
}

/* --- Address modifiers --- */

static uint32_t src_modifier(struct generator *g)
{
    static const uint8_t steps[] = {0, 0, 8, 8, 16, 16, 4, 48, 56, 1};
    uint32_t step = PICK(g, steps);
    return step | (uint32_t)once_in(g, 5) << 6 | (uint32_t)once_in(g, 8) << 7;
}

static uint32_t dst_modifier(struct generator *g)
{
    static const uint16_t steps[] = {0, 0, 8, 8, 4, 16, 64, 512, 1016, 24, 1};
    enum { CR = 1 << 10, CLEAR = 1 << 11, TO_CR = 1 << 12 };
    uint32_t kind = below(g, 8), bits = PICK(g, steps);
    bits |= kind == 0 ? CLEAR : kind == 1 ? CR : kind == 2 ? TO_CR : 0;
    return bits | below(g, 4) << 13 | (uint32_t)once_in(g, 3) << 15;
}

static uint32_t pack_modifier(struct generator *g)
{
    enum { NO_DST_CR = 0xfbff };
    static const uint8_t steps[] = {0, 1, 1, 2, 4, 4, 8, 15};
    uint32_t bits = PICK(g, steps) | (uint32_t)once_in(g, 5) << 4 | (uint32_t)once_in(g, 10) << 5;
    if (once_in(g, 4)) {
        bits |= below(g, 1024) << 6 & NO_DST_CR;
    }
    return bits;
}

static void plan_modifiers(struct generator *g)
{
    for (unsigned i = 0; i < MODIFIERS; i++) {
        if (!once_in(g, 2)) {
            continue;
        }
        uint32_t a = src_modifier(g), b = src_modifier(g);
        scene_set16(g, TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i, a | b << 8);
        scene_set16(g, TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + i, dst_modifier(g));
    }
    for (unsigned i = 0; i < PACK_MODIFIERS; i++) {
        scene_set16(g, TENSIX_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + i, pack_modifier(g));
    }
    scene_set16(g, TENSIX_WORD_DEST_TARGET_REG_CFG_MATH_Offset,
                once_in(g, 2) ? 0 : 64 * below(g, 16));
}

/* --- Unpackers --- */

static void add_fill(struct generator *g, uint32_t address, uint32_t bytes, unsigned layout,
                     unsigned style)
{
    struct data_place place = {address, bytes};
    uint32_t seed = (uint32_t)(random_next(&g->random) >> 32);
    program_add(g->program, (struct step){.kind = STEP_FILL,
                                          .thread = (uint8_t)g->scene->thread,
                                          .number = (uint16_t)(layout * DATA_STYLES + style),
                                          .word = data_pack_place(place),
                                          .seed = seed});
}

static unsigned layout_of(unsigned format)
{
    switch (format) {
    case FORMAT_FP32:
    case FORMAT_INT32:
        return DATA_FP32;
    case FORMAT_BF16:
    case FORMAT_INT16:
        return DATA_BF16;
    case FORMAT_FP16:
        return DATA_FP16;
    default:
        return DATA_BYTES;
    }
}

static unsigned pick_style(struct generator *g)
{
    static const uint8_t styles[] = {DATA_UNIFORM, DATA_NARROW, DATA_NARROW, DATA_NARROW,
                                     DATA_SPECIAL, DATA_CANCEL, DATA_MIXED,  DATA_MIXED};
    return PICK(g, styles);
}

static uint32_t area_of(const struct scene *s, unsigned u, unsigned context)
{
    return SCENE_INPUT + s->segment * SEGMENT_BYTES + (2 * u + context) * AREA_BYTES;
}

static void add_data(struct generator *g, unsigned u, unsigned format)
{
    uint32_t bytes = g->scene->compact ? SMALL_FILL : FILL_BYTES;
    for (unsigned context = 0; context < (g->scene->compact ? 1u : 2u); context++) {
        uint32_t at = area_of(g->scene, u, context);
        add_fill(g, at, bytes, layout_of(format), pick_style(g));
        if (format_has_exponents(format)) {
            add_fill(g, at, 64u << below(g, 3), DATA_BYTES,
                     once_in(g, 4) ? DATA_UNIFORM : DATA_NARROW);
        }
    }
}

#define OF(u, name) ((u) ? TENSIX_FIELD_THCON_SEC1_##name : TENSIX_FIELD_THCON_SEC0_##name)

static void plan_descriptor(struct generator *g, unsigned u, unsigned format)
{
    struct scene *s = g->scene;
    static const uint16_t widths[] = {16, 32, 64, 256, 256, 256, 512, 1024};
    enum { PLAIN = 0x10 };
    uint32_t x = PICK(g, widths), y = 1 + below(g, 4), z = below(g, 5);
    unsigned word = u ? 112 : 64;
    s->want[word] = format | PLAIN | x << 16;
    s->want[word + 1] = y | z << 16;
    if (!u) {
        scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG5_Tile_x_dim_cntx0, x);
        scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG5_Tile_x_dim_cntx1, PICK(g, widths));
    }
}

static void plan_unpacker(struct generator *g, unsigned u, struct formats format, bool to_dst)
{
    struct scene *s = g->scene;
    bool blocks = format_has_exponents(format.in), bytes = format_bits(format.in) >= 8;
    plan_descriptor(g, u, format.in);
    scene_plan(s, OF(u, REG2_Out_data_format), format.out);
    scene_plan(s, OF(u, REG2_Throttle_mode), below(g, 4));
    scene_plan(s, OF(u, REG2_Disable_zero_compress_cntx0), 1);
    scene_plan(s, OF(u, REG2_Disable_zero_compress_cntx1), 1);
    scene_plan(s, OF(u, REG2_Force_shared_exp), blocks && once_in(g, 5));
    scene_plan(s, OF(u, REG1_Unp_LF8_4b_exp), once_in(g, 2));
    if (u == SRC_A) {
        bool tileize = bytes && once_in(g, 8);
        scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG2_Haloize_mode, !to_dst && once_in(g, 5));
        scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG2_Tileize_mode, tileize);
        uint32_t shift = once_in(g, 3) ? 1u << below(g, 7) : below(g, 64);
        shift = tileize ? shift : 0;
        scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG2_Shift_amount_cntx0, shift & 15);
        scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG2_Shift_amount_cntx1, shift >> 4);
        scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG2_Unpack_if_sel_cntx0, to_dst);
        scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG2_Unpack_if_sel_cntx1, to_dst);
        scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG1_ovrd_default_throttle_mode, once_in(g, 2));
        scene_plan(s, TENSIX_FIELD_UNP0_FORCED_SHARED_EXP_shared_exp, random_bits(&g->random, 8));
        scene_plan(s, TENSIX_FIELD_UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, once_in(g, 2));
        scene_set16(g, TENSIX_WORD_SRCA_SET_SetOvrdWithAddr, to_dst ? 0 : 4);
    }
}

static void aim(struct generator *g, unsigned u)
{
    struct scene *s = g->scene;
    unsigned out = s->want[u ? 120 : 72] & 15, size = (format_bits(out) + 7) / 8;
    static const uint8_t rows[] = {0, 16, 16, 1, 4, 8, 32};
    for (unsigned context = 0; context < 2; context++) {
        uint32_t at = area_of(s, u, context && !s->compact) / 16 - 1;
        uint32_t offset = u == SRC_A && once_in(g, 4) ? below(g, 16) : 0;
        enum tensix_field_id base =
            context ? OF(u, REG3_Base_cntx1_address) : OF(u, REG3_Base_address);
        scene_plan(s, base, at - (once_in(g, 4) ? 0 : offset));
        if (u == SRC_A) {
            scene_plan(s,
                       context ? TENSIX_FIELD_THCON_SEC0_REG7_Offset_cntx1_address
                               : TENSIX_FIELD_THCON_SEC0_REG7_Offset_address,
                       offset);
            uint32_t row = once_in(g, 2) ? 0 : 8 * below(g, 8) + (once_in(g, 4) ? below(g, 8) : 0);
            scene_plan(s,
                       context ? TENSIX_FIELD_THCON_SEC0_REG5_Dest_cntx1_address
                               : TENSIX_FIELD_THCON_SEC0_REG5_Dest_cntx0_address,
                       64 + 16 * row);
        }
    }
    uint32_t y = FACE_ROWS * size * PICK(g, rows), z = FACE_ROWS * size * PICK(g, rows);
    scene_plan(s,
               u ? TENSIX_FIELD_UNP1_ADDR_CTRL_XY_REG_1_Ystride
                 : TENSIX_FIELD_UNP0_ADDR_CTRL_XY_REG_1_Ystride,
               y);
    scene_plan(s,
               u ? TENSIX_FIELD_UNP1_ADDR_CTRL_ZW_REG_1_Zstride
                 : TENSIX_FIELD_UNP0_ADDR_CTRL_ZW_REG_1_Zstride,
               z);
}

void scene_aim_unpackers(struct generator *g)
{
    aim(g, SRC_A);
    aim(g, SRC_B);
    uint32_t a = once_in(g, 3), b = once_in(g, 3);
    scene_set16(g, TENSIX_WORD_UNPACK_MISC_CFG_CfgContextOffset_0, a | b << 8);
    scene_flush(g);
}

/* --- Packer --- */

static void plan_edges(struct generator *g)
{
    struct scene *s = g->scene;
    static const uint16_t masks[] = {0xffff, 0xffff, 0xffff, 1, 0};
    bool masked = once_in(g, 3) && !s->model.pack_position;
    static const uint8_t planes[] = {1, 2, 4, 4, 8, 16};
    s->want[20] = masked ? (uint32_t)random_next(&g->random) & 0x55555555 : 0;
    s->want[21] = masked ? (uint32_t)random_next(&g->random) & 0x55555555 : 0;
    scene_plan(s, TENSIX_FIELD_PCK_EDGE_OFFSET_SEC0_mask, masked ? PICK(g, masks) : 0xffff);
    scene_plan(s, TENSIX_FIELD_PCK_EDGE_OFFSET_SEC1_mask, masked ? PICK(g, masks) : 0xffff);
    scene_plan(s, TENSIX_FIELD_PCK_EDGE_TILE_ROW_SET_SELECT_select, masked && once_in(g, 2));
    scene_plan(s, TENSIX_FIELD_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane,
               masked          ? PICK(g, planes)
               : once_in(g, 2) ? 16
                               : 1 + below(g, 16));
}

static void plan_relu(struct generator *g, unsigned in, unsigned out)
{
    struct scene *s = g->scene;
    bool can = in != FORMAT_INT16 && in != FORMAT_INT8 && out != FORMAT_INT8;
    uint32_t relu = can && once_in(g, 3) ? 1 + below(g, 3) : 0;
    if (relu && in == FORMAT_INT32) {
        relu = 1;
    }
    static const uint16_t thresholds[] = {0, 0x3f80, 0x4000, 0x3c00, 0x7f80, 0x7fff, 0x0001};
    uint32_t threshold = once_in(g, 3) ? random_bits(&g->random, 15) : PICK(g, thresholds);
    scene_plan(s, TENSIX_FIELD_STACC_RELU_ApplyRelu, relu);
    scene_plan(s, TENSIX_FIELD_STACC_RELU_ReluThreshold, relu ? threshold : 0);
}

static void plan_packer(struct generator *g)
{
    struct scene *s = g->scene;
    /* As in the model: 1 in bit 8 reads 32 bits, then the format in Dst and that in L1. */
    static const uint16_t conversions[] = {
        0x10,  0x11,  0x15,  0x1a,  0x26,  0x50,  0x55,  0x56,  0x57,  0x5f,
        0x60,  0x65,  0x66,  0x67,  0x99,  0x100, 0x101, 0x106, 0x107, 0x10f,
        0x111, 0x11a, 0x155, 0x166, 0x167, 0x188, 0x199, 0x1ee,
    };
    unsigned conversion = PICK(g, conversions);
    while (s->strided && !(conversion >> 8)) {
        conversion = PICK(g, conversions);
    }
    unsigned in = conversion >> 4 & 15, out = conversion & 15;
    bool wide = conversion >> 8,
         sums = out == FORMAT_FP32 || out == FORMAT_FP16 || out == FORMAT_BF16;
    bool rounds =
        conversion == 0x111 || conversion == 0x11a || (conversion == 0x1a && once_in(g, 2));
    uint32_t size = (format_bits(in) + 7) / 8;
    s->want[70] = (s->want[70] & 8) | 1 | out << 4 | in << 8;
    scene_plan(s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG2_Dstacc, in);
    scene_plan(s, TENSIX_FIELD_PCK_DEST_RD_CTRL_Read_32b_data, wide);
    scene_plan(s, TENSIX_FIELD_PCK_DEST_RD_CTRL_Read_unsigned,
               conversion == 0x1ee && once_in(g, 2));
    scene_plan(s, TENSIX_FIELD_PCK_DEST_RD_CTRL_Round_10b_mant, rounds);
    scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG1_Pack_L1_Acc, sums && once_in(g, 3));
    scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG1_Pac_LF8_4b_exp, out == FORMAT_FP8 || once_in(g, 4));
    scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG1_Exp_section_size, once_in(g, 4) ? below(g, 5) : 4);
    scene_plan(s, TENSIX_FIELD_PCK0_ADDR_CTRL_XY_REG_0_Xstride, size);
    scene_plan(s, TENSIX_FIELD_PCK0_ADDR_CTRL_XY_REG_0_Ystride, FACE_ROWS * size);
    scene_plan(s, TENSIX_FIELD_PCK0_ADDR_CTRL_ZW_REG_0_Zstride,
               FACE_ROWS * size * 16 * below(g, 4));
    scene_plan(s, TENSIX_FIELD_PCK0_ADDR_CTRL_ZW_REG_0_Wstride, FACE_ROWS * size * 64);
    scene_plan(s, TENSIX_FIELD_PCK0_ADDR_CTRL_XY_REG_1_Ystride, 16 * below(g, 8));
    scene_plan(s, TENSIX_FIELD_DEST_TARGET_REG_CFG_PACK_SEC0_Offset,
               once_in(g, 2) ? 0 : 16 * below(g, 32));
    plan_edges(g);
    plan_relu(g, in, out);
    if (sums) {
        unsigned layout = layout_of(out);
        uint32_t bytes = s->compact ? 0x400 : SCENE_OUT_BYTES;
        if (s->want[71] >> 19 & 1) {
            add_fill(g, SCENE_OUT, bytes, layout, pick_style(g));
        }
    }
}

/* --- All --- */

void scene_plan_segment(struct generator *g)
{
    struct scene *s = g->scene;
    uint32_t kind = below(g, 8);
    enum family family = kind < 5 ? FAMILY_WIDE : kind < 7 ? FAMILY_NARROW : FAMILY_INT8;
    struct formats format[SRCS] = {pick_formats(g, family, SRC_A), pick_formats(g, family, SRC_B)};
    bool to_dst = once_in(g, 8);
    if (family == FAMILY_NARROW && format[SRC_A].out != format[SRC_B].out && !once_in(g, 16)) {
        format[SRC_B] = format[SRC_A];
    }
    if (to_dst) {
        static const struct formats wide[] = {
            {FORMAT_FP32, FORMAT_FP32}, {FORMAT_FP32, FORMAT_TF32}, {FORMAT_INT32, FORMAT_INT32}};
        format[SRC_A] = PICK(g, wide);
    }
    if (s->segment == 0) {
        s->want[220] = (s->strided ? 3u : 0) | (uint32_t)once_in(g, 3) << 3;
        add_fill(g, SCENE_ONES16, SCENE_ONES_BYTES, DATA_BF16, DATA_ONES);
        add_fill(g, SCENE_ONES32, SCENE_ONES_BYTES, DATA_FP32, DATA_ONES);
    }
    plan_alu(g, family, format);
    plan_modifiers(g);
    for (unsigned u = 0; u < SRCS; u++) {
        plan_unpacker(g, u, format[u], to_dst && u == SRC_A);
        add_data(g, u, format[u].in);
    }
    plan_packer(g);
    scene_aim_unpackers(g);
    if (family != FAMILY_WIDE && s->segment) { /* data with long exponents are refused */
        scene_try_word(g, instruction(TENSIX_ROW_ZEROSRC, "both_banks", UINT32_C(1), "src_mask",
                                      UINT32_C(3), NULL));
    }
}
