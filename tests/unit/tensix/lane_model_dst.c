/*
 * The model of the Vector Unit, see lane_model.h: SFPLOAD and SFPSTORE.
 *
 * SPEC: BlackholeA0 SFPLOAD, SFPSTORE, Dst; WormholeB0 RWCs.
 */
#include "unit/tensix/lane_model.h"

static unsigned f_resolve(const struct tensix *t, const struct f_insn *i, unsigned mod0)
{
    unsigned bank = tensix_get_CFG_STATE_ID_StateID(t, i->thread);
    if (mod0 != 0) {
        return mod0;
    }
    if (tensix_get_ALU_ACC_CTRL_SFPU_Fp32_enabled(t, bank)) {
        return 3;
    }
    unsigned format = tensix_get_ALU_FORMAT_SPEC_REG_SrcB_override(t, bank)
                          ? tensix_get_ALU_FORMAT_SPEC_REG_SrcB_val(t, bank)
                          : tensix_get_ALU_FORMAT_SPEC_REG1_SrcB(t, bank);
    if (tensix_get_SFPU_DEST_FMT_Enable(t, i->thread)) {
        format = tensix_get_SFPU_DEST_FMT_Base(t, i->thread);
    }
    switch (format) {
    case 0:  /* FP32 */
    case 4:  /* TF32 */
    case 5:  /* BF16 */
    case 6:  /* BFP8 */
    case 7:  /* BFP4 */
    case 15: /* BFP2 */
    case 8:  /* INT32 */
    case 9:  /* INT16 */
        return 2;
    default:
        return 1;
    }
}

static unsigned f_address(struct f_model *model, const struct f_insn *i, unsigned imm10, bool all)
{
    const struct tensix *t = model->tensix;
    struct f_state *s = &model->state;
    unsigned thread = i->thread, bank = tensix_get_CFG_STATE_ID_StateID(t, thread);
    unsigned increment = tensix_get_SFPU_STACK_Incr(t, thread);
    if (all && i->op != F_SFPSTORE && s->sp[thread] != 0) {
        s->sp[thread] = (s->sp[thread] - increment) & 0x3ff;
    }
    unsigned address = imm10 + tensix_get_DEST_TARGET_REG_CFG_MATH_Offset(t, thread);
    unsigned dst = s->rwc[thread].dst + tensix_get_DEST_REGW_BASE_Base(t, bank);
    unsigned sp = s->sp[thread] + tensix_get_DEST_SP_BASE_Base(t, bank);
    address += all ? sp + (dst & 3) : dst + (sp & 3);
    if (all && i->op == F_SFPSTORE) {
        s->sp[thread] = (s->sp[thread] + increment) & 0x3ff;
    }
    return address & 0x3ff;
}

static unsigned f_adjust16(const struct tensix *t, unsigned row)
{
    row &= 0x3ff;
    if (tensix_get_DEST_ACCESS_CFG_remap_addrs(t, 0)) { /* bits 3, 4, 5 go to 5, 3, 4 */
        row = (row & 0x3c7) | (row & 0x030) >> 1 | (row & 0x008) << 2;
    }
    return row;
}

static unsigned f_adjust32(const struct tensix *t, unsigned row)
{
    row = f_adjust16(t, row);
    if (tensix_get_DEST_ACCESS_CFG_swizzle_32b(t, 0)) {
        row = (row & 0x3f3) ^ (row & 0x018) >> 1 ^ (row & 0x004) << 1;
    }
    return (row & 0x1f8) << 1 | (row & 0x207);
}

static uint32_t f_decode_bf16(uint32_t x)
{
    return (x & 0x8000) | (x & 0xff) << 7 | (x >> 8 & 0x7f);
}

static uint32_t f_encode_bf16(uint32_t x)
{
    return (x & 0x8000) | (x & 0x7f) << 8 | (x >> 7 & 0xff);
}

static uint32_t f_encode_fp16(uint32_t x)
{
    return (x & 0x8000) | (x & 0x3ff) << 5 | (x >> 10 & 0x1f);
}

static uint32_t f_read_fp16(uint32_t x, bool has_infinity)
{
    uint32_t mantissa = x >> 5 & 0x3ff, exponent = x & 0x1f;
    if (has_infinity && exponent == 31 && mantissa == 0x3ff) {
        return (x & 0x8000) << 16 | 0x7f800000;
    }
    return (x & 0x8000) << 16 | (exponent ? exponent + 112 : 0) << 23 | mantissa << 13;
}

static uint32_t f_from_dst(unsigned mod0, uint32_t low, uint32_t wide, uint32_t old,
                           bool has_infinity)
{
    uint32_t sign = (low & 0x8000) << 16;
    switch (mod0) {
    case 1:
        return f_read_fp16(low, has_infinity);
    case 2:
        return f_decode_bf16(low) << 16;
    case 5:
        return sign | (low >> 5 & 0xff);
    case 13:
        return sign | (low >> 5 & 0x3ff);
    case 14:
        return (old & 0xffff0000) | low;
    case 15:
        return low << 16 | (old & 0xffff);
    case 8:
        return sign | (low & 0x7fff);
    case 6:
    case 9:
        return low;
    case 7:
        return low << 16;
    case 11:
        return 0;
    default: /* 32 bits */
        return f_decode_bf16(wide >> 16) << 16 | (wide & 0xffff);
    }
}

static void f_apply_addr_mod(struct f_model *model, unsigned thread, unsigned addr_mod)
{
    const uint16_t *config = model->tensix->thread_config[thread];
    struct tensix_rwc *rwc = &model->state.rwc[thread];
    unsigned index = (addr_mod + 4 * rwc->extra_mod) & 7;
    unsigned ab = config[TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + index];
    unsigned dst = config[TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + index];
    unsigned bias = config[TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr + index];
    uint32_t *src[2][2] = {{&rwc->src_a, &rwc->src_a_cr}, {&rwc->src_b, &rwc->src_b_cr}};
    for (unsigned i = 0; i < 2; i++, ab >>= 8) {
        if (ab & 0x80) {
            *src[i][0] = *src[i][1] = 0;
        } else if (ab & 0x40) {
            *src[i][0] = *src[i][1] = (*src[i][1] + (ab & 0x3f)) & 0x3f;
        } else {
            *src[i][0] = (*src[i][0] + (ab & 0x3f)) & 0x3f;
        }
    }
    unsigned step = dst & 0x3ff;
    if (dst & 0x800) {
        rwc->dst = rwc->dst_cr = 0;
    } else if (dst & 0x1000) {
        rwc->dst = rwc->dst_cr = (rwc->dst + step) & 0x3ff;
    } else if (dst & 0x400) {
        rwc->dst = rwc->dst_cr = (rwc->dst_cr + step) & 0x3ff;
    } else {
        rwc->dst = (rwc->dst + step) & 0x3ff;
    }
    if (bias & 0x10) {
        rwc->extra_mod = 0;
    } else if (bias & 3) {
        rwc->extra_mod ^= 1;
    }
}

/* SFPLOAD and the load of SFPLOADMACRO; the address is the answer. */
unsigned f_do_load(struct f_model *model, const struct f_insn *i)
{
    const struct tensix *t = model->tensix;
    struct f_state *s = &model->state;
    unsigned mod0 = f_resolve(t, i, i->mod);
    unsigned address = f_address(model, i, i->word & 0x3ff, mod0 == 10);
    for (unsigned lane = 0; lane < F_LANES && i->vd < 8; lane++) {
        uint32_t config = s->lane_config[lane];
        if (config & F_BLOCK_LOAD || !(f_enabled(s, lane) || mod0 == 10)) {
            continue;
        }
        unsigned row = ((address & ~3u) + lane / 8) & 0x3ff;
        unsigned column = (lane & 7) * 2 + (address & 2 || config & F_LOAD_ODD);
        unsigned wide = f_adjust32(t, row), narrow = t->dst_high_half ? wide : f_adjust16(t, row);
        uint32_t both = (uint32_t)s->dst[wide][column] << 16 | s->dst[wide + 8][column];
        uint16_t low = s->cleared[narrow] ? 0 : s->dst[narrow][column];
        s->lreg[i->vd][lane] = f_from_dst(mod0, low, s->cleared[wide] ? 0 : both,
                                          s->lreg[i->vd][lane], config & F_FP16A_INF);
        if (i->vd < 4 && config & F_DEST_INDEX && config & F_CAPTURE_INDEX) {
            s->lreg[i->vd + 4][lane] = row << 4 | column;
        }
    }
    f_apply_addr_mod(model, i->thread, i->word >> 13 & 7);
    return address;
}

/* 16 bits, or where *is_wide 32. */
static uint32_t f_to_dst(unsigned mod0, uint32_t x, bool *is_wide)
{
    uint32_t sign = x & 0x80000000, flushed = x >> 23 & 255 ? x : sign;
    int exponent = (int)(x >> 23 & 255) - 112;
    *is_wide = false;
    switch (mod0) {
    case 1:
        if (exponent <= 0) {
            return sign >> 16;
        }
        return exponent > 31
                   ? sign >> 16 | 0x7fff
                   : f_encode_fp16(sign >> 16 | (uint32_t)exponent << 10 | (x >> 13 & 0x3ff));
    case 2:
        return f_encode_bf16(flushed >> 16);
    case 5:
    case 13:
        return sign >> 16 | (x & 0x3ff) << 5 | 16;
    case 6:
    case 14:
        return x & 0xffff;
    case 15:
        return x >> 16;
    case 8:
        return sign >> 16 | (x & 0x7fff);
    case 11:
        return 0;
    default:
        break;
    }
    *is_wide = true;
    switch (mod0) {
    case 9:
        return x << 16 | x >> 16;
    case 7:
        return x;
    case 3:
        x = flushed;
        break;
    default:
        break;
    }
    return f_encode_bf16(x >> 16) << 16 | (x & 0xffff);
}

void f_do_store(struct f_model *model, const struct f_insn *i)
{
    const struct tensix *t = model->tensix;
    struct f_state *s = &model->state;
    unsigned mod0 = f_resolve(t, i, i->mod);
    unsigned address = i->scheduled ? i->address : f_address(model, i, i->word & 0x3ff, mod0 == 10);
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        uint32_t config = s->lane_config[lane];
        if (config & F_BLOCK_STORE || !f_is_closed(s, i, lane) ||
            !(f_enabled(s, lane) || mod0 == 10)) {
            continue;
        }
        bool is_wide;
        uint32_t datum = f_to_dst(mod0, s->lreg[i->vd][lane], &is_wide);
        unsigned row = ((address & ~3u) + lane / 8) & 0x3ff;
        unsigned column = (lane & 7) * 2 + (address & 2 || config & F_STORE_ODD);
        if (t->dst_high_half && !is_wide) {
            datum <<= 16;
            is_wide = true;
        }
        unsigned physical = is_wide ? f_adjust32(t, row) : f_adjust16(t, row);
        s->cleared[physical] = false; /* other columns show what they held */
        s->dst[physical][column] = (uint16_t)(is_wide ? datum >> 16 : datum);
        if (is_wide) {
            s->dst[physical + 8][column] = (uint16_t)datum;
        }
    }
    if (!i->scheduled) {
        f_apply_addr_mod(model, i->thread, i->word >> 13 & 7);
    }
}
