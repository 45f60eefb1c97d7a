/*
 * The model of the Vector Unit, see lane_model.h: its rows as the pages write
 * them, one lane after the other.
 */
#include "unit/tensix/lane_model.h"

#include <math.h>
#include <string.h>

/* --- Helpers of instructions --- */

uint32_t f_next_random(struct f_state *s, unsigned lane)
{
    uint32_t result = s->generator[lane];
    uint32_t taps = (result >> 31) ^ (result >> 21) ^ (result >> 1) ^ result;
    s->generator[lane] = (~taps & 1) << 31 | result >> 1;
    return result;
}

static bool f_smaller(uint32_t c, uint32_t d)
{
    int64_t x = c >> 31 ? -(int64_t)(c & 0x7fffffff) - 1 : (int64_t)c;
    int64_t y = d >> 31 ? -(int64_t)(d & 0x7fffffff) - 1 : (int64_t)d;
    return x < y;
}

bool f_is_closed(const struct f_state *s, const struct f_insn *i, unsigned lane)
{
    return i->vd < 12 || i->scheduled || s->lane_config[lane] & F_NO_BACKDOOR;
}

static bool f_may_write(unsigned vd)
{
    return vd < 8 || vd == F_LREG_MACRO;
}

static bool f_boolean(unsigned mod, bool a, bool b)
{
    switch (mod) {
    case 1:
        return b;
    case 2:
        return !b;
    case 3:
        return a && b;
    case 4:
        return a || b;
    case 5:
        return a && !b;
    case 6:
        return a || !b;
    case 7:
        return !a && b;
    case 8:
        return !a || b;
    case 9:
        return !(a || b);
    case 10:
        return !(a && b);
    case 11:
        return a != b;
    default:
        return a == b;
    }
}

static uint32_t f_approx_recip(uint32_t x)
{
    if (x < 0x00800000) {
        return 0x7f800000;
    }
    if (x >= 0x7e800000) {
        return 0;
    }
    /* The table's entries are those of the reciprocals of its intervals' middles, to nearest. */
    unsigned middle = 256 + 2 * (x >> 16 & 0x7f) + 1;
    unsigned entry = (2 * 65536 + middle) / (2 * middle) - 128;
    return (253 - (x >> 23)) << 23 | entry << 16;
}

static uint32_t f_approx_exp(uint32_t x)
{
    if (x < 0x00800000) {
        return 0x3f800000;
    }
    if (x < 0x3c800000) {
        return 0x3f810000 | (x & 0xffff);
    }
    if (x >= 0x40000000) {
        return 0x40800000 | (x & 0xffff);
    }
    /* The table's entries are those of the intervals' lower ends, rounded down. */
    uint32_t low = x & 0xffff0000;
    float value;
    memcpy(&value, &low, sizeof value);
    double power = exp((double)value);
    if (x < 0x3f320000) {
        return 0x3f800000 | (uint32_t)((power - 1) * 128) << 16 | (x & 0xffff);
    }
    uint32_t entry =
        power < 4 ? (uint32_t)((power / 2 - 1) * 128) : 128 + (uint32_t)((power / 4 - 1) * 128);
    return 0x40000000 | entry << 16 | (x & 0xffff);
}

static uint32_t f_mul24_add(uint32_t p, uint32_t z)
{
    unsigned exponent = z >> 23 & 255;
    if (exponent == 0) {
        return p;
    }
    unsigned most = exponent > 129 ? exponent : 129;
    unsigned shift = (most - exponent) & 31;
    uint32_t wide = ((z & 0x7fffff) | 0x800000) << 3, kept = wide >> shift;
    p >>= (most - 129) & 31;
    if (kept) {
        uint32_t lost = kept << shift ^ wide;
        p = (p + kept + (lost > 0xffff ? 0x10000 : 0)) & 0x7fffff;
    }
    return p;
}

static uint32_t f_lut8(uint32_t x)
{
    if (x == 0xff) {
        return 0;
    }
    return (x & 0x80) << 24 | (127 - (x >> 4 & 7)) << 23 | (x & 15) << 19;
}

static uint32_t f_lut16(uint32_t x)
{
    unsigned exponent = x >> 10 & 31;
    return (x & 0x8000) << 16 | (exponent == 31 ? 0 : 112 + exponent) << 23 | (x & 0x3ff) << 13;
}

/* --- MAD sub-unit --- */

static uint32_t f_lut(const struct f_state *s, const struct f_insn *i, unsigned lane)
{
    uint32_t l3 = s->lreg[3][lane], b = l3 & 0x7fffffff, a, c;
    unsigned third = b < 0x3f800000 ? 0 : b < 0x40000000 ? 1 : 2;
    uint32_t first = s->lreg[third][lane], second = s->lreg[4 + third][lane];
    if (i->op == F_SFPLUT) {
        a = f_lut8(first >> 8 & 0xff);
        c = f_lut8(first & 0xff);
    } else if (!(i->mod & 2)) {
        a = first;
        c = second;
    } else if ((i->mod & 10) == 10) {
        a = f_lut16(first >> 16);
        c = f_lut16(first & 0xffff);
    } else {
        uint32_t cut = (i->mod & 3) == 3 ? 0x40800000 : 0x40400000;
        unsigned j = b < 0x3f000000   ? 0
                     : b < 0x3f800000 ? 16
                     : b < 0x3fc00000 ? 0
                     : b < 0x40000000 ? 16
                     : b < cut        ? 0
                                      : 16;
        a = f_lut16(first >> j & 0xffff);
        c = f_lut16(second >> j & 0xffff);
    }
    uint32_t d = f_mad(a, b, c);
    return i->mod & 4 ? (d & 0x7fffffff) | (l3 & 0x80000000) : d;
}

static uint32_t f_multiply(const struct f_state *s, const struct f_insn *i, unsigned lane)
{
    uint32_t imm = (i->word & 0xffff00) << 8;
    unsigned va = i->mod & 4 ? s->lreg[7][lane] & 15 : i->va;
    uint32_t a = s->lreg[va][lane], b = s->lreg[i->vb][lane], c = s->lreg[i->vc][lane];
    switch (i->op) {
    case F_SFPMULI:
    case F_SFPADDI:
        c = s->lreg[i->vc_is_given ? i->vc : i->vd][lane] ^ (i->mod & 2 ? 0x80000000 : 0);
        return i->op == F_SFPADDI ? f_mad(imm, 0x3f800000, c) : f_mad(imm, c, 0);
    case F_SFPMUL24: {
        uint64_t product = (uint64_t)(a & 0x7fffff) * (b & 0x7fffff);
        uint32_t d = i->mod & 1 ? (uint32_t)(product >> 23) : (uint32_t)product & 0x7fffff;
        return c ? f_mul24_add(d, c) : d;
    }
    default:
        return f_mad(a ^ (i->mod & 1 ? 0x80000000 : 0), b, c ^ (i->mod & 2 ? 0x80000000 : 0));
    }
}

static void f_do_mad(struct f_state *s, const struct f_insn *i)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (!f_is_closed(s, i, lane) || !f_enabled(s, lane)) {
            continue;
        }
        bool is_table = i->op == F_SFPLUT || i->op == F_SFPLUTFP32;
        uint32_t d = is_table ? f_lut(s, i, lane) : f_multiply(s, i, lane);
        unsigned vd = i->mod & 8 && i->vd != F_LREG_MACRO ? s->lreg[7][lane] & 15 : i->vd;
        if (f_may_write(vd)) {
            s->lreg[vd][lane] = d;
        }
    }
}

/* --- Round sub-unit --- */

static uint32_t f_round(const struct f_state *s, const struct f_insn *i, unsigned lane,
                        uint32_t bits)
{
    uint32_t x = s->lreg[i->vc][lane], mode = i->word & 7, rounding = i->word >> 21 & 3;
    int exponent = (int)(x >> 23 & 255);
    bits &= 0x7fffff;
    bits = rounding == 0 ? 0x400000 : rounding == 2 ? 0x7fffff : bits;
    if (mode < 2) {
        unsigned below = mode ? 16 : 13;
        if (exponent == 0) {
            return 0;
        }
        if (exponent == 255) {
            return x & 0xff800000;
        }
        uint32_t lost = x & ((1u << below) - 1);
        return x - lost + (lost >= bits >> (23 - below) ? 1u << below : 0);
    }
    uint64_t magnitude;
    uint32_t sign = x & 0x80000000, most;
    if (mode == 4 || mode == 5) {
        unsigned by = i->word & 8 ? i->word >> 16 & 31 : s->lreg[i->vb][lane] & 31;
        magnitude = (uint64_t)(x & 0x7fffffff) << 23 >> by;
        most = mode == 4 ? 255 : 127;
    } else {
        most = mode == 2 ? 255 : mode == 3 ? 127 : mode == 6 ? 65535 : 32767;
        if (exponent < 126) {
            return 0;
        }
        magnitude = 0x800000 | (x & 0x7fffff);
        magnitude = exponent >= 127 + 16 ? UINT64_MAX >> 1
                    : exponent == 126    ? magnitude >> 1
                                         : magnitude << (exponent - 127);
    }
    magnitude = (magnitude >> 23) + ((magnitude & 0x7fffff) >= bits);
    magnitude = magnitude > most ? most : magnitude;
    bool keeps_sign = mode & 1;
    return (keeps_sign && magnitude ? sign : 0) | (uint32_t)magnitude;
}

static void f_do_stoch_rnd(struct f_state *s, const struct f_insn *i)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (f_is_closed(s, i, lane) && f_enabled(s, lane)) {
            uint32_t d = f_round(s, i, lane, f_next_random(s, lane));
            if (f_may_write(i->vd)) {
                s->lreg[i->vd][lane] = d;
            }
        }
    }
}

static uint32_t f_shift(uint32_t x, int32_t by, bool arithmetic)
{
    if (by >= 0) {
        return x << (by & 31);
    }
    unsigned right = -(uint32_t)by & 31;
    uint32_t fill = arithmetic && x >> 31 && right ? UINT32_MAX << (32 - right) : 0;
    return x >> right | fill;
}

static int32_t f_signed12(uint32_t word)
{
    int32_t imm = (int32_t)(word >> 12 & 0xfff);
    return imm >= 0x800 ? imm - 0x1000 : imm;
}

static bool f_do_shft2(struct f_state *s, const struct f_insn *i)
{
    if (i->mod > 6) {
        return false;
    }
    const uint32_t(*old)[F_LANES] = (const uint32_t(*)[F_LANES])s->lreg;
    uint32_t copy[F_LREGS][F_LANES];
    memcpy(copy, old, sizeof copy);
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (!f_enabled(s, lane) || !f_is_closed(s, i, lane) ||
            (i->mod >= 3 && !f_may_write(i->vd))) {
            continue;
        }
        uint32_t turned = copy[i->vc][lane & 7 ? lane - 1 : lane + 7];
        if (i->mod < 3) {
            for (unsigned r = 0; r < 3; r++) {
                s->lreg[r][lane] = copy[r + 1][lane];
            }
        }
        switch (i->mod) {
        case 0:
            s->lreg[3][lane] = 0;
            break;
        case 1:
            s->lreg[3][lane] = lane < 24 ? copy[0][lane + 8] : 0;
            break;
        case 2:
            s->lreg[3][lane] = turned;
            break;
        case 3:
            s->lreg[i->vd][lane] = turned;
            break;
        case 4:
            s->lreg[i->vd][lane] = lane & 7 ? turned : 0;
            break;
        case 5:
            s->lreg[i->vd][lane] = f_shift(copy[i->vb][lane], (int32_t)copy[i->vc][lane], false);
            break;
        default:
            s->lreg[i->vd][lane] = f_shift(copy[i->vb][lane], f_signed12(i->word), false);
            break;
        }
    }
    return true;
}

/* --- Simple sub-unit: lane by lane --- */

static uint32_t f_cast(struct f_state *s, const struct f_insn *i, unsigned lane)
{
    uint32_t c = s->lreg[i->vc][lane], sign = c & 0x80000000, magnitude = c & 0x7fffffff;
    if (i->mod & 2) {
        return i->mod & 1 ? sign | (sign ? -c : c) : sign ? -c : c;
    }
    unsigned zeros = magnitude ? (unsigned)__builtin_clz(magnitude) : 157;
    uint32_t norm = magnitude << (zeros & 31), d = sign + ((157 - zeros) << 23) + (norm >> 8);
    if (i->mod & 1) {
        return d + ((norm & 0xfe) > (f_next_random(s, lane) >> 9 & 0xfe));
    }
    return d + ((norm & 0x80) && (norm & 0x17f));
}

static uint32_t f_special(struct f_state *s, unsigned vc, unsigned lane)
{
    if (vc < 4) {
        return s->macro[lane].instruction[vc];
    }
    if (vc < 8) {
        return s->macro[lane].sequence[vc - 4];
    }
    switch (vc) {
    case 8:
        return s->macro[lane].misc;
    case 9:
        return f_next_random(s, lane);
    case 15:
        return s->lane_config[lane];
    default:
        return 0;
    }
}

/* What the row gives to VD; false where it writes none or does not write it lane by lane. */
static bool f_simple_value(struct f_state *s, const struct f_insn *i, unsigned lane, uint32_t *d)
{
    uint32_t c = s->lreg[i->vc][lane], b = s->lreg[i->vb_is_given ? i->vb : i->vd][lane];
    uint32_t imm12 = i->word >> 12 & 0xfff, mod = i->mod;
    uint32_t exponent = c >> 23 & 255;
    switch (i->op) {
    case F_SFPABS:
        *d = !(c >> 31) ? c : !(mod & 1) ? -c : c > 0xff800000 ? c : c & 0x7fffffff;
        return true;
    case F_SFPAND:
    case F_SFPOR:
        b = s->lreg[mod & 1 ? i->vb : i->vd][lane];
        *d = i->op == F_SFPAND ? b & c : b | c;
        return true;
    case F_SFPXOR:
        *d = b ^ c;
        return true;
    case F_SFPNOT:
        *d = ~c;
        return true;
    case F_SFPARECIP:
        if (mod == 0) {
            *d = (c & 0x80000000) + f_approx_recip(c & 0x7fffffff);
        } else if (mod == 1) {
            *d = s->lreg[i->vb][lane] >> 31 ? f_approx_recip(c & 0x7fffffff) : c;
        } else {
            *d = (c & 0x80000000) + f_approx_exp(c & 0x7fffffff);
        }
        return true;
    case F_SFPDIVP2:
        exponent = !(mod & 1) ? imm12 & 255 : exponent == 255 ? 255 : (exponent + imm12) & 255;
        *d = (c & 0x807fffff) | exponent << 23;
        return true;
    case F_SFPEXEXP:
        *d = exponent - (mod & 1 ? 0 : 127);
        return true;
    case F_SFPEXMAN:
        *d = (c & 0x7fffff) | (mod & 1 ? 0 : 0x800000);
        return true;
    case F_SFPIADD:
        *d = mod & 1 ? c + (uint32_t)f_signed12(i->word) : mod & 2 ? c - b : c + b;
        return true;
    case F_SFPLZ:
        c &= mod & 4 ? 0x7fffffff : UINT32_MAX;
        *d = c ? (uint32_t)__builtin_clz(c) : 32;
        return true;
    case F_SFPSETEXP:
        exponent = mod & 1 ? imm12 & 255 : mod & 2 ? b >> 23 & 255 : b & 255;
        *d = (c & 0x807fffff) | exponent << 23;
        return true;
    case F_SFPSETMAN:
        *d = (c & 0xff800000) | (mod & 1 ? imm12 << 11 : b & 0x7fffff);
        return true;
    case F_SFPSETSGN:
        *d = (c & 0x7fffffff) | (mod & 1 ? imm12 << 31 : b & 0x80000000);
        return true;
    case F_SFPSHFT:
        if (mod & 1) { /* mode 4 and 6 are 0 and 2 */
            *d = f_shift(mod & 4 ? c : b, f_signed12(i->word), mod & 2);
        } else {
            *d = f_shift(b, (int32_t)c, mod & 2);
        }
        return true;
    default:
        return false;
    }
}

static void f_set_flags(struct f_state *s, const struct f_insn *i, unsigned lane, uint32_t d)
{
    uint32_t c = s->lreg[i->vc][lane];
    bool flag = s->flags[lane];
    switch (i->op) {
    case F_SFPEXEXP:
        flag = i->mod & 2 ? d >> 31 : flag;
        break;
    case F_SFPIADD:
        flag = i->mod & 4 ? flag : d >> 31;
        break;
    case F_SFPLZ:
        flag = i->mod & 2 ? (i->mod & 4 ? c & 0x7fffffff : c) != 0 : flag;
        break;
    default:
        return;
    }
    s->flags[lane] = i->mod & 8 ? !flag : flag;
}

static bool f_do_lanes(struct f_state *s, const struct f_insn *i)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        uint32_t d;
        if (f_may_write(i->vd) && f_enabled(s, lane) && f_simple_value(s, i, lane, &d)) {
            if (i->vd < 8) { /* before VC may change */
                f_set_flags(s, i, lane, d);
            }
            s->lreg[i->vd][lane] = d;
        }
    }
    return true;
}

/* Rows that do more in lanes than writing VD. */
static void f_do_cast(struct f_state *s, const struct f_insn *i)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        bool draws = (i->mod & 3) < 2;
        if (f_enabled(s, lane) && (draws ? f_is_closed(s, i, lane) : f_may_write(i->vd))) {
            uint32_t d = f_cast(s, i, lane);
            if (f_may_write(i->vd)) {
                s->lreg[i->vd][lane] = d;
            }
        }
    }
}

static void f_do_mov(struct f_state *s, const struct f_insn *i)
{
    unsigned mod = i->mod & ~4u;
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (f_is_closed(s, i, lane) && (mod == 2 || f_enabled(s, lane))) {
            uint32_t x = mod & 8 ? f_special(s, i->vc, lane)
                                 : s->lreg[i->vc][lane] ^ (mod & 1 ? 0x80000000 : 0);
            if (f_may_write(i->vd)) {
                s->lreg[i->vd][lane] = x;
            }
        }
    }
}

static void f_do_setcc(struct f_state *s, const struct f_insn *i)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (!f_is_closed(s, i, lane) || !f_enabled(s, lane)) {
            continue;
        }
        uint32_t c = s->lreg[i->vc][lane];
        bool flag;
        if (!s->uses_flags[lane] || i->mod & 8) {
            flag = false;
        } else if (i->mod & 1) {
            flag = i->word >> 12 & 1;
        } else {
            flag = i->mod & 2 ? c != 0 : c >> 31;
            flag = i->mod & 4 ? !flag : flag;
        }
        s->flags[lane] = flag;
    }
}

static void f_do_encc(struct f_state *s, const struct f_insn *i)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (f_is_closed(s, i, lane)) {
            if (i->mod & 2) {
                s->uses_flags[lane] = i->word >> 12 & 1;
            } else if (i->mod & 1) {
                s->uses_flags[lane] = !s->uses_flags[lane];
            }
            s->flags[lane] = i->mod & 8 ? i->word >> 13 & 1 : true;
        }
    }
}

static void f_do_compare(struct f_state *s, const struct f_insn *i)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (!f_is_closed(s, i, lane)) {
            continue;
        }
        uint32_t b = s->lreg[i->vb_is_given ? i->vb : i->vd][lane];
        bool result = f_smaller(s->lreg[i->vc][lane], b) == (i->op == F_SFPGT);
        if (f_enabled(s, lane)) {
            if (i->mod & 8 && f_may_write(i->vd)) {
                s->lreg[i->vd][lane] = result ? UINT32_MAX : 0;
            }
            if (i->mod & 1) {
                s->flags[lane] = result;
            }
        }
        if (i->mod & 2 && s->depth[lane] > 0) {
            bool *top = &s->stack[lane][s->depth[lane] - 1].flags;
            *top = i->mod & 4 ? *top || result : *top && result;
        }
    }
}

/* SFPPUSHC, SFPPOPC: false where a stack overflows or underflows. */
static bool f_do_stack(struct f_state *s, const struct f_insn *i)
{
    bool pushes = i->op == F_SFPPUSHC;
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (f_is_closed(s, i, lane) &&
            (pushes ? (i->mod ? s->depth[lane] == 0 : s->depth[lane] == F_STACK)
                    : i->mod == 0 && s->depth[lane] == 0)) {
            return false;
        }
    }
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (!f_is_closed(s, i, lane)) {
            continue;
        }
        unsigned depth = s->depth[lane];
        bool flags = s->flags[lane], uses = s->uses_flags[lane];
        bool top = depth && s->stack[lane][depth - 1].flags;
        bool top_uses = depth && s->stack[lane][depth - 1].uses_flags;
        if (pushes) {
            if (i->mod == 0) {
                s->depth[lane] = ++depth;
                top = flags;
                top_uses = uses;
            } else if (i->mod <= 12) {
                top = f_boolean(i->mod, top, flags);
                top_uses = uses;
            } else if (i->mod == 13) {
                s->flags[lane] = !flags;
                top = !flags;
                top_uses = uses;
            } else {
                top = i->mod == 14;
                top_uses = true;
            }
            s->stack[lane][depth - 1].flags = top;
            s->stack[lane][depth - 1].uses_flags = top_uses;
        } else if (i->mod == 13) {
            s->flags[lane] = !flags;
        } else if (i->mod > 13) {
            s->flags[lane] = i->mod == 14;
            s->uses_flags[lane] = true;
        } else {
            s->depth[lane] -= i->mod == 0;
            s->flags[lane] = i->mod ? f_boolean(i->mod, flags, top) : top;
            s->uses_flags[lane] = top_uses;
        }
    }
    return true;
}

static void f_do_compc(struct f_state *s, const struct f_insn *i)
{
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (f_is_closed(s, i, lane)) {
            unsigned depth = s->depth[lane];
            bool top = !depth || s->stack[lane][depth - 1].flags;
            bool top_uses = !depth || s->stack[lane][depth - 1].uses_flags;
            s->flags[lane] = top_uses && s->uses_flags[lane] && top && !s->flags[lane];
        }
    }
}

static void f_do_transp(struct f_state *s, const struct f_insn *i)
{
    uint32_t old[F_LREGS][F_LANES];
    memcpy(old, s->lreg, sizeof old);
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (f_is_closed(s, i, lane) && f_enabled(s, lane)) {
            for (unsigned r = 0; r < 8; r++) { /* row of lanes and LReg change places */
                s->lreg[r][lane] = old[(r & 4) + lane / 8][(r & 3) * 8 + (lane & 7)];
            }
        }
    }
}

static void f_do_swap(struct f_state *s, const struct f_insn *i)
{
    static const uint32_t min_lanes[16] = {0,          0xffffffff, 0x0000ffff,
                                           0x00ff00ff, 0xff0000ff, 0x000000ff,
                                           0x0000ff00, 0x00ff0000, 0xff000000};
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (!f_is_closed(s, i, lane) || !f_enabled(s, lane)) {
            continue;
        }
        uint32_t c = s->lreg[i->vc][lane], d = s->lreg[i->vd][lane];
        bool swaps = true;
        if (i->mod) {
            swaps = f_smaller(c, d) == (min_lanes[i->mod] >> lane & 1);
            swaps = s->lane_config[lane] & F_EXCHANGE ? !swaps : swaps;
        }
        if (!swaps) {
            continue;
        }
        bool index = s->lane_config[lane] & F_DEST_INDEX;
        unsigned limit = index ? 4 : 8;
        if (i->vc < limit) {
            s->lreg[i->vc][lane] = d;
        }
        if (i->vd < limit) {
            s->lreg[i->vd][lane] = c;
        }
        if (index) {
            uint32_t *x = &s->lreg[4 + (i->vc & 3)][lane], *y = &s->lreg[4 + (i->vd & 3)][lane];
            uint32_t kept = *x;
            *x = *y;
            *y = kept;
        }
    }
}

static uint32_t f_merge(uint32_t old, uint32_t value, unsigned mod)
{
    switch (mod & 6) {
    case 0:
        return value;
    case 2:
        return old | value;
    case 4:
        return old & value;
    default:
        return old ^ value;
    }
}

static void f_do_config(struct f_state *s, const struct f_insn *i)
{
    static const float defaults[4] = {-1.f, 1 / 512.f, -0.67487759f, -0.34484843f};
    const struct f_state before = *s;
    uint32_t imm16 = i->word >> 8 & 0xffff;
    bool is_value = i->mod & 1;
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        unsigned column = lane & 7;
        if ((i->mod & 8 && !(imm16 >> 2 * column & 1)) ||
            (before.uses_flags[column] && !before.flags[column])) {
            continue;
        }
        uint32_t l0 = before.lreg[0][column], value = is_value ? imm16 : l0;
        if (i->vd < 4) {
            s->macro[lane].instruction[i->vd] = l0;
        } else if (i->vd < 8) {
            s->macro[lane].sequence[i->vd - 4] = value;
        } else if (i->vd == 8) {
            s->macro[lane].misc = f_merge(s->macro[lane].misc, value & 0xfff, i->mod) & 0xfff;
        } else if (i->vd == 15) {
            uint32_t old = s->lane_config[lane];
            uint32_t merged = f_merge(old, value & 0x3ffff, i->mod) & 0x3ffff;
            s->lane_config[lane] = is_value ? merged | (old & 0x30000) : merged;
        } else if (i->vd > 10) {
            if (is_value) {
                memcpy(&l0, &defaults[i->vd - 11], sizeof l0);
            }
            s->lreg[i->vd][lane] = l0;
        }
    }
}

/* --- SFPLOADI --- */

static bool f_do_loadi(struct f_state *s, const struct f_insn *i)
{
    uint32_t imm = i->word & 0xffff;
    if (i->vd >= 8) {
        return true;
    }
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        uint32_t *d = &s->lreg[i->vd][lane];
        if (!f_enabled(s, lane)) {
            continue;
        }
        switch (i->mod) {
        case 0:
            *d = imm << 16;
            break;
        case 1:
            *d = (imm & 0x8000) << 16 | ((imm >> 10 & 31) + 112) << 23 | (imm & 0x3ff) << 13;
            break;
        case 2:
            *d = imm;
            break;
        case 4:
            *d = imm & 0x8000 ? imm | 0xffff0000 : imm;
            break;
        case 8:
            *d = imm << 16 | (*d & 0xffff);
            break;
        case 10:
            *d = (*d & 0xffff0000) | imm;
            break;
        default:
            return false;
        }
    }
    return true;
}

/* --- Instructions --- */

static bool f_is_wide_form(enum f_op op)
{
    return op == F_SFPLOAD || op == F_SFPLOADI || op == F_SFPSTORE || op == F_SFPLUT ||
           op == F_SFPLOADMACRO;
}

struct f_insn f_decode(unsigned thread, uint32_t word)
{
    enum f_op op = (enum f_op)(word >> 24);
    bool is_wide = f_is_wide_form(op);
    return (struct f_insn){
        .word = word,
        .op = op,
        .thread = thread,
        .va = word >> 16 & 15,
        .vb = word >> 12 & 15,
        .vc = word >> 8 & 15,
        .vd = is_wide ? word >> 20 & 15 : word >> 4 & 15,
        .mod = is_wide ? word >> 16 & 15 : word & 15,
    };
}

static void f_backdoor(struct f_state *s, const struct f_insn *i)
{
    if (i->scheduled || i->vd < 12 || i->op == F_SFPCONFIG || i->op == F_SFPNOP ||
        i->op == F_SFPLOADMACRO) {
        return;
    }
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        if (!(s->lane_config[lane] & F_NO_BACKDOOR)) {
            s->macro[lane].instruction[i->vd - 12] = i->word;
        }
    }
}

bool f_do(struct f_model *model, const struct f_insn *i)
{
    struct f_state *s = &model->state;
    switch (i->op) {
    case F_SFPNOP:
    case F_SFPLOADMACRO:
        return true;
    case F_SFPLOAD:
        (void)f_do_load(model, i);
        return true;
    case F_SFPSTORE:
        f_do_store(model, i);
        return true;
    case F_SFPLOADI:
        return f_do_loadi(s, i);
    case F_SFPMULI:
    case F_SFPADDI:
    case F_SFPMAD:
    case F_SFPADD:
    case F_SFPMUL:
    case F_SFPMUL24:
    case F_SFPLUT:
    case F_SFPLUTFP32:
        f_do_mad(s, i);
        return true;
    case F_SFP_STOCH_RND:
        f_do_stoch_rnd(s, i);
        return true;
    case F_SFPSHFT2:
        return f_do_shft2(s, i);
    case F_SFPCAST:
        f_do_cast(s, i);
        return true;
    case F_SFPMOV:
        f_do_mov(s, i);
        return true;
    case F_SFPSETCC:
        f_do_setcc(s, i);
        return true;
    case F_SFPENCC:
        f_do_encc(s, i);
        return true;
    case F_SFPGT:
    case F_SFPLE:
        f_do_compare(s, i);
        return true;
    case F_SFPPUSHC:
    case F_SFPPOPC:
        return f_do_stack(s, i);
    case F_SFPCOMPC:
        f_do_compc(s, i);
        return true;
    case F_SFPTRANSP:
        f_do_transp(s, i);
        return true;
    case F_SFPSWAP:
        f_do_swap(s, i);
        return true;
    case F_SFPCONFIG:
        f_do_config(s, i);
        return true;
    default:
        return f_do_lanes(s, i);
    }
}

bool f_execute(struct f_model *model, unsigned thread, uint32_t word)
{
    struct f_insn insn = f_decode(thread, word);
    struct f_state before = model->state;
    f_backdoor(&model->state, &insn);
    if (!f_do(model, &insn)) {
        model->state = before;
        return false;
    }
    return true;
}
