/* The model: the Matrix Unit. */
#include "model_internal.h"

enum { HALF_ROWS = 8, BLOCK_ROWS = 16 };

#define WIDE_FORMATS                                                                               \
    (ONE(FORMAT_FP32) | ONE(FORMAT_TF32) | ONE(FORMAT_BF16) | ONE(FORMAT_BFP8) | ONE(FORMAT_BFP4))
#define NARROW_FORMATS (ONE(FORMAT_FP16) | ONE(FORMAT_FP8))

static struct model_bank *bank_of(struct model *m, unsigned src)
{
    return &m->src[src].bank[m->src[src].matrix];
}

static bool is_int8(const struct model *m, unsigned thread)
{
    return config_field(m, thread, TENSIX_FIELD_ALU_ACC_CTRL_INT8_math_enabled);
}

static bool is_fp32(const struct model *m, unsigned thread)
{
    return config_field(m, thread, TENSIX_FIELD_ALU_ACC_CTRL_Fp32_enabled);
}

static bool overrides(const struct model *m, unsigned thread)
{
    return config_field(m, thread, TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcA_override);
}

static bool keeps_denormals(const struct model *m, unsigned thread)
{
    return config_field(m, thread, TENSIX_FIELD_ALU_ACC_CTRL_Zero_Flag_disabled_src);
}

static uint32_t dst_sum(const struct model *m, unsigned thread, uint32_t row)
{
    return m->counters[thread].dst.at + row +
           thread_field(m, thread, TENSIX_FIELD_DEST_TARGET_REG_CFG_MATH_Offset);
}

/* Rows of Dst: aligned, and where Dst has 32 bits, among those that there are. Undefined beyond. */
static bool dst_rows(const struct model *m, uint32_t row, unsigned rows, unsigned align, bool wide)
{
    if (model_is_remapped(m) && !wide) {
        return false;
    }
    return !(row & (align - 1)) && row + rows <= (wide ? MODEL_DST32_ROWS : MODEL_DST_ROWS);
}

static bool src_rows(uint32_t row, unsigned rows, unsigned align)
{
    return !(row & (align - 1)) && row + rows <= MODEL_SRC_ROWS;
}

static bool narrow_rows(struct model *m, unsigned src, uint32_t row, unsigned rows)
{
    uint64_t bits = row_bits(row, rows);
    return (bank_of(m, src)->narrow & bits) == bits;
}

/* --- Products, sums, pools --- */

struct operation {
    unsigned clear_dvalid, addr_mod, dst_row;
    unsigned dst_rows, a_rows, b_rows;
    uint32_t a_wide, b_wide; /* formats that may meet in BF16 style */
    uint32_t b_int8;
};

/* Is the style legal with the formats? *narrow: exponents of five bits. */
static bool style(struct model *m, unsigned thread, const struct operation *o, bool *narrow)
{
    unsigned a = model_src_format(m, thread, SRC_A), b = model_src_format(m, thread, SRC_B);
    *narrow = true;
    if (is_int8(m, thread)) {
        return a == FORMAT_INT8 && is_one_of(b, o->b_int8);
    }
    if (is_one_of(a, NARROW_FORMATS)) {
        return a == b;
    }
    *narrow = false;
    return is_one_of(a, o->a_wide) && is_one_of(b, o->b_wide);
}

static bool operate(struct model *m, unsigned thread, const struct operation *o, bool wraps)
{
    const struct model_counters *c = &m->counters[thread];
    bool narrow, wide = is_int8(m, thread) || is_fp32(m, thread);
    uint32_t row = dst_sum(m, thread, o->dst_row);
    row &= wraps ? MODEL_DST_ROWS - 1 : UINT32_MAX;
    if (!bank_of(m, SRC_A)->valid || !bank_of(m, SRC_B)->valid || overrides(m, thread) ||
        !style(m, thread, o, &narrow) || !dst_rows(m, row, o->dst_rows, o->dst_rows, wide) ||
        !src_rows(c->src[SRC_A].at, o->a_rows, o->a_rows) ||
        !src_rows(c->src[SRC_B].at, o->b_rows, HALF_ROWS) ||
        (narrow && !(narrow_rows(m, SRC_A, c->src[SRC_A].at, o->a_rows) &&
                     narrow_rows(m, SRC_B, c->src[SRC_B].at, o->b_rows)))) {
        return false;
    }
    return model_apply_modifier(m, thread, o->addr_mod) &&
           model_flip(m, thread, o->clear_dvalid & 1, o->clear_dvalid >> 1);
}

static bool matmul(struct model *m, unsigned thread, unsigned clear_dvalid, unsigned addr_mod,
                   unsigned dst_row, unsigned rows)
{
    struct operation o = {
        clear_dvalid,    addr_mod,  dst_row,      rows,
        BLOCK_ROWS,      HALF_ROWS, WIDE_FORMATS, WIDE_FORMATS | ONE(FORMAT_INT16),
        ONE(FORMAT_INT8)};
    return !keeps_denormals(m, thread) && !(dst_row & (rows - 1)) && operate(m, thread, &o, true);
}

static bool elementwise(struct model *m, unsigned thread, uint32_t word, bool multiplies)
{
    struct tensix_args_ELWADD args = tensix_decode_ELWADD(word);
    struct operation o = {args.clear_dvalid,
                          args.addr_mod,
                          args.dst_row,
                          HALF_ROWS,
                          HALF_ROWS,
                          HALF_ROWS,
                          WIDE_FORMATS | ONE(FORMAT_BFP2),
                          WIDE_FORMATS | ONE(FORMAT_INT32) | ONE(FORMAT_INT16) | ONE(FORMAT_BFP2),
                          ONE(FORMAT_INT8) | ONE(FORMAT_BFP2)};
    /* Where -0 is kept, the reference takes it from 0 and gets garbage: no sums then. */
    bool phase = m->counters[thread].fidelity || keeps_denormals(m, thread);
    return !(args.dst_row & 7) && !(multiplies ? args.add_dst : phase) &&
           operate(m, thread, &o, false);
}

static bool gmpool(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_GMPOOL args = tensix_decode_GMPOOL(word);
    struct operation o = {args.clear_dvalid, args.pool_addr_mod, args.dst_row, 4, BLOCK_ROWS,
                          HALF_ROWS,         WIDE_FORMATS,       WIDE_FORMATS, 0};
    unsigned a = model_src_format(m, thread, SRC_A);
    return args.dim_16x16 && !args.index_en && !(args.dst_row & 3) && !is_int8(m, thread) &&
           !is_one_of(a, NARROW_FORMATS) &&
           bank_of(m, SRC_B)->ones >> m->counters[thread].src[SRC_B].at & 1 &&
           operate(m, thread, &o, false);
}

static bool gapool(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_GAPOOL args = tensix_decode_GAPOOL(word);
    return args.dim_16x16 && !args.index_en &&
           matmul(m, thread, args.clear_dvalid, args.pool_addr_mod, args.dst_row, 4);
}

/* --- Moves --- */

/* The format that moves of SrcB see as SrcA's. */
static unsigned move_format(struct model *m, unsigned thread, unsigned bank_src)
{
    if (!thread_field(m, thread, TENSIX_FIELD_DISABLE_IMPLIED_SRCA_FMT_Base)) {
        return bank_of(m, bank_src)->format;
    }
    return config_field(m, thread,
                        overrides(m, thread) ? TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcA_val
                                             : TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcA);
}

/*
 * To Dst: TF32 goes to 32 bits and has no low half (a hardware erratum); low halves are of the
 * formats with 8 exponent bits. By the pages, Fp32_enabled makes TF32 of everything, and a width
 * that is not Dst's marks wrong rows; the reference goes by the format, and programs do without.
 */
static bool to_dst(const struct model *m, unsigned thread, unsigned format, bool low,
                   uint32_t wide_formats, uint32_t narrow_formats)
{
    bool wide = format == FORMAT_TF32 || low;
    if ((is_fp32(m, thread) && (format != FORMAT_TF32 || low)) ||
        wide != (is_fp32(m, thread) || is_int8(m, thread))) {
        return false;
    }
    return (is_one_of(format, wide_formats) && !(low && format == FORMAT_TF32)) ||
           (is_one_of(format, narrow_formats) && !low);
}

static bool mova2d(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_MOVA2D args = tensix_decode_MOVA2D(word);
    unsigned format = move_format(m, thread, SRC_A);
    bool wide = format == FORMAT_TF32 || args.use_dst32b_lo;
    uint32_t from = args.src_row + m->counters[thread].src[SRC_A].at;
    uint32_t to = dst_sum(m, thread, args.dst_row) & (MODEL_DST_ROWS - 1);
    return args.instr_mod == 2 && !((args.dst_row | args.src_row) & 7) &&
           bank_of(m, SRC_A)->valid && src_rows(from, 8, 8) && dst_rows(m, to, 8, 8, wide) &&
           to_dst(m, thread, format, args.use_dst32b_lo,
                  WIDE_FORMATS | ONE(FORMAT_INT32) | ONE(FORMAT_INT16) | ONE(FORMAT_BFP2),
                  NARROW_FORMATS) &&
           model_apply_modifier(m, thread, args.addr_mod);
}

/* Before it moves a datum of SrcB, the reference drops what SrcB's own format has no bits for, as
 * Wormhole does; Blackhole does not. Formats for which that changes nothing: */
static bool formats_agree(unsigned format, unsigned own)
{
    if (format == FORMAT_TF32) {
        return own == FORMAT_TF32;
    }
    return is_one_of(format, NARROW_FORMATS) == (own == FORMAT_FP16);
}

static bool movb2d(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_MOVB2D args = tensix_decode_MOVB2D(word);
    unsigned format = move_format(m, thread, SRC_B), rows = args.instr_mod & 2 ? 8 : 4;
    bool wide = format == FORMAT_TF32 || args.use_dst32b_lo;
    uint32_t from = args.src_row + m->counters[thread].src[SRC_B].at;
    uint32_t to = dst_sum(m, thread, args.dst_row) & (MODEL_DST_ROWS - 1);
    if (!formats_agree(format, model_src_format(m, thread, SRC_B))) {
        return false;
    }
    return args.instr_mod >= 2 && args.instr_mod <= 5 && !((args.dst_row | args.src_row) & 3) &&
           bank_of(m, SRC_B)->valid && src_rows(from, rows, rows) &&
           dst_rows(m, to, rows, rows, wide) &&
           to_dst(m, thread, format, args.use_dst32b_lo,
                  WIDE_FORMATS | ONE(FORMAT_INT32) | ONE(FORMAT_INT16), ONE(FORMAT_FP16)) &&
           model_apply_modifier(m, thread, args.addr_mod);
}

static bool movb2a(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_MOVB2A args = tensix_decode_MOVB2A(word);
    const struct model_counters *c = &m->counters[thread];
    uint32_t to = args.src_a_row + c->src[SRC_A].at, from = args.src_b_row + c->src[SRC_B].at;
    struct model_bank *a = bank_of(m, SRC_A), *b = bank_of(m, SRC_B);
    if (args.instr_mod != 2 || (args.src_a_row | args.src_b_row) & 3 || !b->valid || !a->valid ||
        !src_rows(to, 4, 4) || !src_rows(from, 4, 4)) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        uint64_t bit = UINT64_C(1) << (to + i);
        a->narrow = b->narrow >> (from + i) & 1 ? a->narrow | bit : a->narrow & ~bit;
    }
    return model_apply_modifier(m, thread, args.addr_mod);
}

/* From Dst: 16 bits hold no TF32 and have no low half, 32 bits no FP16. */
static bool from_dst(bool wide, unsigned format, bool low, uint32_t formats)
{
    return is_one_of(format, formats) &&
           (wide ? format != FORMAT_FP16 && !(low && format == FORMAT_TF32)
                 : format != FORMAT_TF32 && !low);
}

static bool movd2a(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_MOVD2A args = tensix_decode_MOVD2A(word);
    unsigned format = model_src_format(m, thread, SRC_A);
    bool wide = is_int8(m, thread) || is_fp32(m, thread);
    uint32_t to = (args.src_row + m->counters[thread].src[SRC_A].at) & (MODEL_SRC_ROWS - 1);
    uint32_t from = dst_sum(m, thread, args.dst_row) & (MODEL_DST_ROWS - 1);
    struct model_bank *a = bank_of(m, SRC_A);
    if (args.instr_mod != 2 || (args.src_row | args.dst_row) & 3 || overrides(m, thread) ||
        args.use_dst32b_lo || !a->valid || !src_rows(to, 4, 4) || !dst_rows(m, from, 4, 4, wide) ||
        !from_dst(wide, format, false, WIDE_FORMATS | ONE(FORMAT_FP16))) {
        return false;
    }
    uint64_t bits = row_bits(to, 4);
    a->narrow = format == FORMAT_FP16 ? a->narrow | bits : a->narrow & ~bits;
    a->ones &= ~bits;
    return model_apply_modifier(m, thread, args.addr_mod);
}

static bool movd2b(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_MOVD2B args = tensix_decode_MOVD2B(word);
    unsigned format = move_format(m, thread, SRC_B), rows = args.instr_mod ? 4 : 1;
    bool wide = is_int8(m, thread) || is_fp32(m, thread);
    uint32_t to = args.src_row + m->counters[thread].src[SRC_B].at;
    uint32_t from = dst_sum(m, thread, args.dst_row) & (MODEL_DST_ROWS - 1);
    struct model_bank *b = bank_of(m, SRC_B);
    if ((args.instr_mod != 0 && args.instr_mod != 2) || (args.src_row | args.dst_row) & 3 ||
        !b->valid || !src_rows(to, 4, 4) || !dst_rows(m, from, 4, 4, wide) ||
        !from_dst(wide, format, args.use_dst32b_lo,
                  WIDE_FORMATS | ONE(FORMAT_FP16) | ONE(FORMAT_INT32))) {
        return false;
    }
    uint64_t bits = row_bits(to, rows);
    b->narrow = format == FORMAT_FP16 ? b->narrow | bits : b->narrow & ~bits;
    b->ones &= ~bits;
    return model_apply_modifier(m, thread, args.addr_mod);
}

static bool trnspsrcb(struct model *m)
{
    struct model_bank *b = bank_of(m, SRC_B);
    uint64_t bits = row_bits(BLOCK_ROWS, BLOCK_ROWS);
    b->narrow = (b->narrow & bits) == bits ? b->narrow : b->narrow & ~bits;
    b->ones = (b->ones & bits) == bits ? b->ones : b->ones & ~bits;
    return b->valid;
}

/* --- Clearing --- */

static bool zeroacc(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_ZEROACC args = tensix_decode_ZEROACC(word);
    uint32_t sum = dst_sum(m, thread, 0), row = args.dst_row;
    bool absolute =
        config_field(m, thread, TENSIX_FIELD_DEST_ACCESS_CFG_zeroacc_absolute_tile_mode);
    unsigned mode = args.clear_mode | args.use_dst32b << 2;
    if (model_is_remapped(m) && (mode & 3) == 1) { /* 16 rows of storage */
        return false;
    }
    if (args.clear_mode > 3 || (args.revert && mode != 5)) {
        return false;
    }
    switch (mode) {
    case 0:
        row += sum;
        if (model_is_remapped(m) && !is_fp32(m, thread)) {
            return false;
        }
        if (is_int8(m, thread) || row >= (is_fp32(m, thread) ? MODEL_DST32_ROWS : MODEL_DST_ROWS)) {
            return false;
        }
        break;
    case 1:
        if (!absolute && (sum ^ (sum + row)) & 512) { /* the chip, unlike ttsim, looks at the sum */
            return false;
        }
        row += !absolute && sum & 512 ? 32 : 0;
        if (row >= (m->vector.started ? MODEL_VECTOR_ROWS : MODEL_DST_ROWS) / 16) {
            return false;
        }
        m->cleared |= UINT64_C(1) << row;
        break;
    case 5:
        row += !absolute && sum & 768 ? 16 : 0;
        if (row >= MODEL_DST_ROWS / 32) {
            return false;
        }
        break;
    case 2:
    case 6:
        return row <= 1;
    case 3:
    case 7:
        return !row;
    default:
        return false;
    }
    return model_apply_modifier(m, thread, args.addr_mod);
}

static bool zerosrc(struct model *m, uint32_t word)
{
    struct tensix_args_ZEROSRC args = tensix_decode_ZEROSRC(word);
    if (args.negative_inf_src_a || !args.src_mask ||
        args.single_bank_matrix_unit == args.both_banks ||
        (args.both_banks && args.src_mask != 3)) {
        return false;
    }
    for (unsigned i = 0; i < 2 * SRCS; i++) {
        unsigned src = i / 2, bank = i % 2;
        if (args.src_mask >> src & 1 && (args.both_banks || bank == m->src[src].matrix)) {
            m->src[src].bank[bank].narrow = UINT64_MAX;
            m->src[src].bank[bank].ones = 0;
        }
    }
    return true;
}

static bool cleardvalid(struct model *m, uint32_t word)
{
    struct tensix_args_CLEARDVALID args = tensix_decode_CLEARDVALID(word);
    bool flips[SRCS] = {args.flip_src_a, args.flip_src_b};
    for (unsigned src = 0; src < SRCS; src++) {
        if (flips[src]) {
            if (!bank_of(m, src)->valid) {
                return false;
            }
            bank_of(m, src)->valid = false;
            m->src[src].matrix ^= 1;
        }
    }
    return args.clear_dvalid && !args.reset_mask;
}

bool model_matrix(struct model *m, unsigned thread, int row, uint32_t word)
{
    struct tensix_args_MVMUL args = tensix_decode_MVMUL(word);
    switch (row) {
    case TENSIX_ROW_MVMUL:
        return !args.broadcast_src_b_row &&
               matmul(m, thread, args.clear_dvalid, args.addr_mod, args.dst_row, 8);
    case TENSIX_ROW_ELWMUL:
        return elementwise(m, thread, word, true);
    case TENSIX_ROW_ELWADD:
    case TENSIX_ROW_ELWSUB:
        return elementwise(m, thread, word, false);
    case TENSIX_ROW_GMPOOL:
        return gmpool(m, thread, word);
    case TENSIX_ROW_GAPOOL:
        return gapool(m, thread, word);
    case TENSIX_ROW_MOVA2D:
        return mova2d(m, thread, word);
    case TENSIX_ROW_MOVB2D:
        return movb2d(m, thread, word);
    case TENSIX_ROW_MOVB2A:
        return movb2a(m, thread, word);
    case TENSIX_ROW_MOVD2A:
        return movd2a(m, thread, word);
    case TENSIX_ROW_MOVD2B:
        return movd2b(m, thread, word);
    case TENSIX_ROW_TRNSPSRCB:
        return trnspsrcb(m);
    case TENSIX_ROW_ZEROACC:
        return zeroacc(m, thread, word);
    case TENSIX_ROW_ZEROSRC:
        return zerosrc(m, word);
    case TENSIX_ROW_CLEARDVALID:
        return cleardvalid(m, word);
    case TENSIX_ROW_GATESRCRST:
        return true;
    default:
        return false;
    }
}
