/*
 * The model: the Vector Unit. It knows flags and their stack as far as rules ask for them (are they
 * in use, are they set in all lanes), the value that SFPCONFIG takes from LReg[0], and LaneConfig.
 */
#include "model_internal.h"

enum {
    BACKDOOR = 12, /* VD from here on writes an instruction template */
    WRITABLE = 8,
    CONSTANT_ZERO = 9,
    CONSTANT_ONE = 10,
    DEST_INDEX = 4, /* bits of LaneConfig */
    EXCHANGE = 0x100,
    RANDOM_BITS = 8, /* SFPMOV from the generator */
    ENCC_SET = 10,
    SHIFT_BY_LREG = 5,
};

/* Operands where most rows have them; of `wide` ones, VD and the mode are in front. */
struct operands {
    unsigned row;
    uint32_t word;
    unsigned va, vb, vc, vd, mode;
    uint32_t imm12, imm16;
    bool wide;
};

static struct operands operands_of(unsigned row, uint32_t word)
{
    struct operands o = {.row = row, .word = word};
    o.wide = row == TENSIX_ROW_SFPLOAD || row == TENSIX_ROW_SFPLOADI ||
             row == TENSIX_ROW_SFPSTORE || row == TENSIX_ROW_SFPLUT;
    o.va = word >> 16 & 15;
    o.vb = word >> 12 & 15;
    o.vc = word >> 8 & 15;
    o.vd = o.wide ? word >> 20 & 15 : word >> 4 & 15;
    o.mode = o.wide ? word >> 16 & 15 : word & 15;
    o.imm12 = word >> 12 & 0xfff;
    o.imm16 = word >> 8 & 0xffff;
    return o;
}

/* Modes that the reference executes, numbers of VD below `destinations`, bits that must be 0. */
struct limits {
    uint16_t modes;
    uint8_t destinations;
    uint32_t zero;
};

#define MODES_1(a)       (1u << (a))
#define MODES_2(a, b)    (MODES_1(a) | MODES_1(b))
#define MODES_3(a, b, c) (MODES_2(a, b) | MODES_1(c))
#define IMM12_AND_VC     UINT32_C(0xffff00)
#define IMM12            UINT32_C(0xfff000)
#define ADDRESS_GAP      UINT32_C(0x1c00)

static const struct limits limits_of[TENSIX_ROWS] = {
    [TENSIX_ROW_SFPLOAD] = {0xd05d, BACKDOOR, ADDRESS_GAP | 1},
    [TENSIX_ROW_SFPLOADI] = {0x0517, WRITABLE, 0},
    [TENSIX_ROW_SFPSTORE] = {0xd2dd, BACKDOOR, ADDRESS_GAP | 1},
    [TENSIX_ROW_SFPLUT] = {MODES_1(4), WRITABLE, 0xffff},
    [TENSIX_ROW_SFPMULI] = {MODES_1(0), WRITABLE, 0},
    [TENSIX_ROW_SFPADDI] = {MODES_1(0), WRITABLE, 0},
    [TENSIX_ROW_SFPDIVP2] = {MODES_2(0, 1), WRITABLE, 0},
    [TENSIX_ROW_SFPEXEXP] = {MODES_3(0, 1, 2) | MODES_1(10), WRITABLE, IMM12},
    [TENSIX_ROW_SFPEXMAN] = {MODES_2(0, 1), WRITABLE, IMM12},
    [TENSIX_ROW_SFPIADD] = {0x0777, WRITABLE, 0},
    [TENSIX_ROW_SFPSHFT] = {0x00af, WRITABLE, 0},
    [TENSIX_ROW_SFPSETCC] = {0x0055, 1, IMM12},
    [TENSIX_ROW_SFPMOV] = {MODES_3(0, 1, 2) | MODES_1(RANDOM_BITS), WRITABLE, IMM12},
    [TENSIX_ROW_SFPABS] = {MODES_2(0, 1), WRITABLE, IMM12},
    [TENSIX_ROW_SFPAND] = {MODES_2(0, 1), WRITABLE, 0xff0000},
    [TENSIX_ROW_SFPOR] = {MODES_2(0, 1), WRITABLE, 0xff0000},
    [TENSIX_ROW_SFPNOT] = {MODES_1(0), WRITABLE, IMM12},
    [TENSIX_ROW_SFPLZ] = {MODES_3(0, 2, 4), WRITABLE, IMM12},
    [TENSIX_ROW_SFPSETEXP] = {MODES_3(0, 1, 2), WRITABLE, 0xf00000},
    [TENSIX_ROW_SFPSETMAN] = {MODES_2(0, 1), WRITABLE, IMM12},
    [TENSIX_ROW_SFPMAD] = {0x000f, WRITABLE, 0xf00000},
    [TENSIX_ROW_SFPADD] = {0x000f, WRITABLE, 0xf00000},
    [TENSIX_ROW_SFPMUL] = {MODES_2(0, 1), WRITABLE, 0xf00000},
    [TENSIX_ROW_SFPPUSHC] = {MODES_1(0), 1, IMM12_AND_VC},
    [TENSIX_ROW_SFPPOPC] = {MODES_1(0), 1, IMM12_AND_VC},
    [TENSIX_ROW_SFPSETSGN] = {MODES_2(0, 1), WRITABLE, 0xffe000},
    [TENSIX_ROW_SFPENCC] = {MODES_2(0, ENCC_SET), 1, 0xffcf00},
    [TENSIX_ROW_SFPCOMPC] = {MODES_1(0), 1, IMM12_AND_VC},
    [TENSIX_ROW_SFPTRANSP] = {MODES_1(0), 1, IMM12_AND_VC},
    [TENSIX_ROW_SFPXOR] = {MODES_1(0), WRITABLE, IMM12},
    [TENSIX_ROW_SFP_STOCH_RND] = {0x00ce, WRITABLE, 0xff0000},
    [TENSIX_ROW_SFPNOP] = {MODES_1(0), 1, 0xffffff},
    [TENSIX_ROW_SFPCAST] = {MODES_2(0, 3), WRITABLE, IMM12},
    [TENSIX_ROW_SFPSWAP] = {MODES_3(0, 1, 2) | MODES_2(3, 9), BACKDOOR, IMM12},
    [TENSIX_ROW_SFPSHFT2] = {MODES_3(3, 4, SHIFT_BY_LREG), WRITABLE, 0xff0000},
    [TENSIX_ROW_SFPLUTFP32] = {MODES_1(2), WRITABLE, IMM12_AND_VC},
    [TENSIX_ROW_SFPLE] = {MODES_2(1, 8), WRITABLE, IMM12},
    [TENSIX_ROW_SFPGT] = {MODES_2(1, 8), WRITABLE, IMM12},
    [TENSIX_ROW_SFPMUL24] = {MODES_2(0, 1), WRITABLE, 0xf00000},
    [TENSIX_ROW_SFPARECIP] = {MODES_1(0), WRITABLE, IMM12},
};

/* --- Flags --- */

static struct model_flags *flags_of(struct model *m)
{
    return &m->vector.level[m->vector.depth];
}

bool model_all_enabled(const struct model *m)
{
    const struct model_flags *flags = &m->vector.level[m->vector.depth];
    return !flags->uses || flags->full;
}

static bool sets_flags(const struct operands *o)
{
    switch (o->row) {
    case TENSIX_ROW_SFPSETCC:
        return true;
    case TENSIX_ROW_SFPLE:
    case TENSIX_ROW_SFPGT:
        return o->mode & 1;
    case TENSIX_ROW_SFPLZ:
    case TENSIX_ROW_SFPEXEXP:
        return o->mode & 2;
    case TENSIX_ROW_SFPIADD:
        return !(o->mode & 4) || o->mode & 8;
    default:
        return false;
    }
}

static bool flag_stack(struct model *m, const struct operands *o)
{
    struct model_vector *v = &m->vector;
    struct model_flags *flags = flags_of(m);
    switch (o->row) {
    case TENSIX_ROW_SFPPUSHC:
        if (v->depth == MODEL_FLAG_STACK) {
            return false;
        }
        v->level[v->depth + 1] = *flags;
        v->depth++;
        return true;
    case TENSIX_ROW_SFPPOPC:
        if (!v->depth) {
            return false;
        }
        v->depth--;
        return true;
    case TENSIX_ROW_SFPCOMPC:
        if (!flags->uses || (v->depth && !v->level[v->depth - 1].uses)) {
            return false;
        }
        flags->full = false;
        return true;
    default: /* SFPENCC */
        if (o->mode != ENCC_SET) {
            flags->full = true;
            return !(o->imm12 & 3);
        }
        flags->uses = o->imm12 & 1;
        flags->full = o->imm12 >> 1 & 1;
        return true;
    }
}

/* --- Dst --- */

static bool srcb_format(const struct model *m, unsigned thread, bool stores)
{
    const uint32_t known = ONE(FORMAT_FP32) | ONE(FORMAT_BF16) | ONE(FORMAT_BFP8) |
                           ONE(FORMAT_BFP4) | ONE(FORMAT_INT16) | ONE(FORMAT_FP16);
    return config_field(m, thread, TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled) ||
           is_one_of(config_field(m, thread, TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB),
                     known | (stores ? ONE(FORMAT_BFP2) : 0));
}

static bool is_wide_mode(const struct model *m, unsigned thread, unsigned mode)
{
    enum { FP32 = 3, INT32 = 4, HI16 = 7, LO16 = 9, INT32_SM = 12 };
    return mode == FP32 || mode == INT32 || mode == HI16 || mode == LO16 || mode == INT32_SM ||
           (mode == 0 && config_field(m, thread, TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled));
}

uint32_t model_vector_row(const struct model *m, unsigned thread, uint32_t imm10)
{
    uint32_t offset = thread_field(m, thread, TENSIX_FIELD_DEST_TARGET_REG_CFG_MATH_Offset);
    return (m->counters[thread].dst.at + imm10 + offset) & (MODEL_DST_ROWS - 1);
}

/* May four rows be stored to? Some are the epilogue's. Where only a part of a row that ZEROACC has
 * cleared is stored to, the reference finds what was there before. */
static bool is_free(const struct model *m, uint32_t row, bool wide)
{
    enum { LOW_HALF = 8, BLOCK_ROWS = 16 };
    row |= 3;
    row = wide ? ((row & 0x1f8) << 1 | (row & 0x207)) + LOW_HALF : row;
    return row < MODEL_VECTOR_ROWS && !(m->cleared >> row / BLOCK_ROWS & 1);
}

static bool access_dst(struct model *m, unsigned thread, const struct operands *o)
{
    bool stores = o->row == TENSIX_ROW_SFPSTORE;
    uint32_t row = model_vector_row(m, thread, o->word & 0x3ff);
    bool wide = is_wide_mode(m, thread, o->mode);
    if (row & 1 || (o->mode == 0 && !srcb_format(m, thread, stores)) ||
        (model_is_remapped(m) && !wide)) {
        return false;
    }
    if (stores && !is_free(m, row, wide)) {
        return false;
    }
    uint32_t fidelity = m->counters[thread].fidelity;
    bool ok = model_apply_modifier(m, thread, o->word >> 13 & 7);
    m->counters[thread].fidelity = fidelity;
    return ok;
}

/* --- Other rules --- */

static bool config(struct model *m, const struct operands *o)
{
    struct model_vector *v = &m->vector;
    bool immediate = o->mode == 1;
    uint32_t value = immediate ? o->imm16 : v->value;
    if (o->mode > 1 || !model_all_enabled(m) || (!immediate && (!v->known || o->imm16))) {
        return false;
    }
    if (o->vd < 4) {
        return !immediate;
    }
    if (o->vd < 8) {
        return true;
    }
    switch (o->vd) {
    case 8:
        return immediate && o->imm16 <= 0xfff;
    case 9:
    case 10:
        return false;
    case 15:
        v->lane_config = value;
        return !(value & ~(uint32_t)(DEST_INDEX | EXCHANGE));
    default:
        return !o->imm16 && (!immediate || o->vd == 11);
    }
}

/* What an operand must be in some modes. */
static bool operands_fit(const struct operands *o)
{
    switch (o->row) {
    case TENSIX_ROW_SFPDIVP2:
        return o->imm12 <= 0x7f || o->imm12 >= 0xf80;
    case TENSIX_ROW_SFPSHFT:
        return o->mode & 1 || !o->imm12;
    case TENSIX_ROW_SFPAND:
    case TENSIX_ROW_SFPOR:
        return o->mode == 1 || !o->vb;
    case TENSIX_ROW_SFPSETEXP:
    case TENSIX_ROW_SFPSETSGN:
        return o->mode == 1 || !o->imm12;
    case TENSIX_ROW_SFPSHFT2:
        return o->mode == SHIFT_BY_LREG || !o->imm12;
    case TENSIX_ROW_SFPADD:
        return o->va == CONSTANT_ONE || o->vb == CONSTANT_ONE;
    case TENSIX_ROW_SFPMUL:
    case TENSIX_ROW_SFPMUL24:
        return o->vc == CONSTANT_ZERO;
    case TENSIX_ROW_SFPMOV:
        return o->mode != RANDOM_BITS || o->vc == CONSTANT_ZERO;
    default:
        return true;
    }
}

/* With indices, results in LReg[4] to LReg[7] are spoiled by all but a few rows (an erratum that
 * the reference knows). */
static bool spoils_index(const struct model *m, const struct operands *o)
{
    if (!(m->vector.lane_config & DEST_INDEX)) {
        return false;
    }
    if (o->row == TENSIX_ROW_SFPSWAP) {
        return o->vc >= 4 || o->vd >= 4;
    }
    bool exempt = o->wide && o->row != TENSIX_ROW_SFPLUT;
    return !exempt && o->vd >= 4 && o->vd < WRITABLE;
}

/* --- LReg[0] --- */

static void follow_value(struct model *m, const struct operands *o)
{
    enum { FLOATB, FLOATA, USHORT, SHORT = 4, UPPER = 8, LOWER = 10 };
    struct model_vector *v = &m->vector;
    uint32_t imm = o->word & 0xffff;
    if (o->row == TENSIX_ROW_SFPSWAP ? o->vc && o->vd : o->vd) {
        return;
    }
    if (o->row != TENSIX_ROW_SFPLOADI || !model_all_enabled(m)) {
        v->known = false;
        return;
    }
    v->known = v->known || o->mode < UPPER;
    switch (o->mode) {
    case FLOATA:
        v->value = (imm & 0x8000) << 16 | ((imm & 0x7fff) + (112 << 10)) << 13;
        break;
    case USHORT:
        v->value = imm;
        break;
    case SHORT:
        v->value = (uint32_t)(int32_t)(int16_t)imm;
        break;
    case LOWER:
        v->value = (v->value & 0xffff0000) | imm;
        break;
    case UPPER:
        v->value = (v->value & 0xffff) | imm << 16;
        break;
    default:
        v->value = imm << 16;
    }
}

static bool writes_lregs(const struct operands *o)
{
    switch (o->row) {
    case TENSIX_ROW_SFPSTORE:
    case TENSIX_ROW_SFPSETCC:
    case TENSIX_ROW_SFPPUSHC:
    case TENSIX_ROW_SFPPOPC:
    case TENSIX_ROW_SFPENCC:
    case TENSIX_ROW_SFPCOMPC:
    case TENSIX_ROW_SFPNOP:
    case TENSIX_ROW_SFPCONFIG:
        return false;
    default:
        return true;
    }
}

/* --- All rows --- */

static bool execute(struct model *m, unsigned thread, const struct operands *o)
{
    switch (o->row) {
    case TENSIX_ROW_SFPLOAD:
    case TENSIX_ROW_SFPSTORE:
        return access_dst(m, thread, o);
    case TENSIX_ROW_SFPCONFIG:
        return config(m, o);
    case TENSIX_ROW_SFPPUSHC:
    case TENSIX_ROW_SFPPOPC:
    case TENSIX_ROW_SFPCOMPC:
    case TENSIX_ROW_SFPENCC:
        return flag_stack(m, o);
    case TENSIX_ROW_SFPSETCC:
        return flags_of(m)->uses;
    default:
        return true;
    }
}

bool model_vector(struct model *m, unsigned thread, unsigned row, uint32_t word)
{
    struct operands o = operands_of(row, word);
    const struct limits *limits = &limits_of[row];
    bool is_config = row == TENSIX_ROW_SFPCONFIG;
    if (thread != 0 && !m->vector.ready[thread]) {
        return false;
    }
    m->vector.started =
        m->vector.started || (row == TENSIX_ROW_SFPENCC && o.mode == ENCC_SET && !o.vd);
    if (!m->vector.started) {
        return row == TENSIX_ROW_SFPNOP && !(word & 0xffffff);
    }
    if (o.vd >= BACKDOOR && !is_config) {
        return !o.wide && row != TENSIX_ROW_SFPLOADMACRO && model_all_enabled(m);
    }
    if (!is_config && (!(limits->modes >> o.mode & 1) || o.vd >= limits->destinations ||
                       word & limits->zero || !operands_fit(&o))) {
        return false;
    }
    if (spoils_index(m, &o) || !execute(m, thread, &o)) {
        return false;
    }
    if (writes_lregs(&o)) {
        follow_value(m, &o);
    }
    if (sets_flags(&o)) {
        flags_of(m)->full = false;
    }
    return true;
}
