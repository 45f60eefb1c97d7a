/*
 * The instructions of the Vector Unit for the model of sfp_model.c, lane by lane: each
 * reads what there was before the cycle.
 *
 * SPEC: BlackholeA0 VectorUnit, LReg, Dst and the pages of the instructions.
 */
#include "unit/tensix/sfp_model_cycle.h"

#include <string.h>

#include "num/fp32.h"
#include "num/lanes.h"
#include "tensix/regs.h"

void cycle_unclear(struct cycle *cycle, const char *why)
{
    if (!cycle->unit->unclear) {
        cycle->unit->unclear = why;
    }
}

/* --- Reading and writing --- */

static uint32_t get(struct cycle *cycle, unsigned r, unsigned lane)
{
    if (cycle->was_late[r] >> lane & 1) {
        cycle_unclear(cycle, "read before its two cycles are over");
    }
    return cycle->old.lreg[r][lane];
}

void cycle_put(struct cycle *cycle, unsigned r, unsigned lane, uint32_t value)
{
    if (r < 8 || r == STAGED) {
        if (cycle->written[r] >> lane & 1) {
            cycle_unclear(cycle, "written twice in a cycle");
        }
        cycle->written[r] |= UINT32_C(1) << lane;
        cycle->unit->reg.lreg[r][lane] = value;
    }
}

static void put_late(struct cycle *cycle, unsigned r, unsigned lane, uint32_t value)
{
    if (r >= 8 && r != STAGED) {
        return;
    }
    struct unit *unit = cycle->unit;
    unsigned i = cycle->late; /* those of the cycle before come earlier */
    while (i < LATE && unit->late[i].is_there && (unit->late[i].is_swap || unit->late[i].vd != r)) {
        i++;
    }
    if (i == LATE) { /* an indirect VD has many */
        cycle_unclear(cycle, "too many results at once for this model");
        return;
    }
    if (!unit->late[i].is_there) {
        memset(&unit->late[i], 0, sizeof unit->late[i]);
    }
    if (unit->late[i].lanes >> lane & 1) {
        cycle_unclear(cycle, "two late results for one LReg");
    }
    unit->late[i].is_there = true;
    unit->late[i].vd = r;
    unit->late[i].lanes |= UINT32_C(1) << lane;
    unit->late[i].value[lane] = value;
}

static void put_flags(struct cycle *cycle, unsigned lane, bool flag, bool use)
{
    if (cycle->flagged >> lane & 1) {
        cycle_unclear(cycle, "flags written twice in a cycle");
    }
    cycle->flagged |= UINT32_C(1) << lane;
    cycle->unit->reg.now[lane] = (struct flags){flag, use};
}

static void put_flag(struct cycle *cycle, unsigned lane, bool flag)
{
    put_flags(cycle, lane, flag, cycle->old.now[lane].use);
}

bool lane_enabled(const struct registers *reg, unsigned lane)
{
    if (reg->lane_config[lane & 7] >> (12 + lane / 8) & 1) {
        return false;
    }
    return !reg->now[lane].use || reg->now[lane].flag;
}

static uint32_t advance(struct cycle *cycle, unsigned lane)
{
    uint32_t result = cycle->old.generator[lane];
    if (cycle->advanced >> lane & 1) {
        cycle_unclear(cycle, "two sub-units take random bits in a cycle");
    }
    cycle->advanced |= UINT32_C(1) << lane;
    uint32_t odd = (result ^ result >> 1 ^ result >> 21 ^ result >> 31) & 1;
    cycle->unit->reg.generator[lane] = result >> 1 | (odd ^ 1) << 31;
    return result;
}

/* --- Operands --- */

static bool is_wide(enum code code)
{
    return code == LOAD || code == STORE || code == LOADMACRO || code == LOADI || code == LUT;
}

struct op parse_word(uint32_t word)
{
    enum code code = (enum code)(word >> 24);
    bool high = is_wide(code);
    return (struct op){
        .code = code,
        .word = word,
        .va = word >> 16 & 15,
        .vb = word >> 12 & 15,
        .vc = word >> 8 & 15,
        .vd = high ? word >> 20 & 15 : word >> 4 & 15,
        .mod = high ? word >> 16 & 15 : word & 15,
    };
}

/* The usual `VB = VD`, which a macro has done in its own way. */
static unsigned vb_or_vd(const struct op *op)
{
    return op->scheduled ? op->vb : op->vd;
}

static bool is_smaller(uint32_t c, uint32_t d)
{
    int64_t x = c >> 31 ? -(int64_t)(c & 0x7fffffff) - 1 : (int64_t)c;
    int64_t y = d >> 31 ? -(int64_t)(d & 0x7fffffff) - 1 : (int64_t)d;
    return x < y;
}

/* --- The simple sub-unit --- */

static uint32_t shift(uint32_t x, int32_t amount, bool arithmetic)
{
    unsigned right = (0 - (uint32_t)amount) & 31;
    if (amount >= 0) {
        return x << (amount & 31);
    }
    uint32_t fill = arithmetic && x >> 31 && right ? ~(UINT32_MAX >> right) : 0;
    return x >> right | fill;
}

static int32_t signed12(uint32_t word)
{
    uint32_t x = word >> 12 & 0xfff;
    return x & 0x800 ? (int32_t)x - 0x1000 : (int32_t)x;
}

static uint32_t cast(struct cycle *cycle, unsigned mod, uint32_t c, unsigned lane)
{
    uint32_t sign = c & 0x80000000;
    if ((mod & 3) == 3) {
        return sign ? sign | (0 - c) : c;
    }
    if ((mod & 3) == 2) {
        return sign ? 0 - c : c;
    }
    uint64_t magnitude = c & 0x7fffffff;
    uint32_t random = mod & 1 ? advance(cycle, lane) : 0;
    if (!magnitude) {
        return sign;
    }
    unsigned top = 63 - (unsigned)__builtin_clzll(magnitude);
    uint32_t norm = (uint32_t)(magnitude << (31 - top));
    uint32_t d = sign + ((126 + top) << 23) + (norm >> 8);
    if (mod & 1) {
        return d + ((norm & 0xfe) > (random >> 9 & 0xfe));
    }
    return d + ((norm & 0x80) && (norm & 0x17f));
}

/* Results of those that only compute; false where the code is not one of them. */
static bool simple_result(struct cycle *cycle, const struct op *op, unsigned lane, uint32_t *d)
{
    uint32_t c = get(cycle, op->vc, lane);
    unsigned imm8 = op->word >> 12 & 0xff, exponent = c >> 23 & 0xff;
    bool immediate = op->mod & 1;
    switch (op->code) {
    case ABS:
        *d = !(c >> 31) || (immediate && c > 0xff800000) ? c : immediate ? c & 0x7fffffff : 0 - c;
        return true;
    case NOT:
        *d = ~c;
        return true;
    case CAST:
        *d = cast(cycle, op->mod, c, lane);
        return true;
    case DIVP2:
        exponent = !immediate ? imm8 : exponent == 255 ? 255 : (exponent + imm8) & 255;
        *d = (c & 0x807fffff) | exponent << 23;
        return true;
    case EXMAN:
        *d = (c & 0x7fffff) | (immediate ? 0 : 1u << 23);
        return true;
    case EXEXP:
        *d = exponent - (immediate ? 0 : 127);
        return true;
    case LZ:
        c &= op->mod & 4 ? 0x7fffffff : UINT32_MAX;
        *d = c ? (uint32_t)__builtin_clz(c) : 32;
        return true;
    case ARECIP:
        *d = num_lane(NUM_LANES_RECIPROCAL, 0, 0, c, 0, false);
        return true;
    default:
        return false;
    }
}

static bool binary_result(struct cycle *cycle, const struct op *op, unsigned lane, uint32_t *d)
{
    bool immediate = op->mod & 1;
    unsigned vb = op->code == AND || op->code == OR ? (immediate ? op->vb : op->vd) : vb_or_vd(op);
    bool is_used = op->code == XOR || op->code == AND || op->code == OR || !immediate;
    if ((op->code == AND || op->code == OR) && op->scheduled && !immediate && op->vb != op->vd) {
        cycle_unclear(cycle, "SFPAND and SFPOR of macros: VB or VD?");
        vb = op->vb;
    }
    if (vb >= STAGED) {
        vb = 0;
        if (is_used) {
            cycle_unclear(cycle, "LReg[16] as operand");
        }
    }
    uint32_t c = get(cycle, op->vc, lane), b = is_used ? get(cycle, vb, lane) : 0;
    switch (op->code) {
    case AND:
        *d = b & c;
        return true;
    case OR:
        *d = b | c;
        return true;
    case XOR:
        *d = b ^ c;
        return true;
    case IADD:
        *d = immediate ? c + (uint32_t)signed12(op->word) : op->mod & 2 ? c - b : c + b;
        return true;
    case SHFT:
        b = immediate && op->mod & 4 ? c : immediate ? get(cycle, vb, lane) : b;
        *d = shift(b, immediate ? signed12(op->word) : (int32_t)c, op->mod & 2);
        return true;
    case SETSGN:
        *d = (c & 0x7fffffff) | (immediate ? op->word >> 12 & 1 : b >> 31) << 31;
        return true;
    case SETEXP:
        b = immediate ? op->word >> 12 & 0xff : op->mod & 2 ? b >> 23 & 0xff : b & 0xff;
        *d = (c & 0x807fffff) | b << 23;
        return true;
    case SETMAN:
        *d = (c & 0xff800000) | (immediate ? (op->word >> 12 & 0xfff) << 11 : b & 0x7fffff);
        return true;
    default:
        return false;
    }
}

/* Flags of SFPIADD, SFPEXEXP and SFPLZ, which only results in LReg[0] to LReg[7] have. */
static void result_flags(struct cycle *cycle, const struct op *op, unsigned lane, uint32_t d)
{
    bool flag = cycle->old.now[lane].flag, is_set = false;
    if (op->vd >= 8) {
        return;
    }
    if (op->code == IADD) {
        is_set = !(op->mod & 4);
        flag = is_set ? d >> 31 : flag;
    } else if (op->code == EXEXP) {
        is_set = op->mod & 2;
        flag = is_set ? d >> 31 : flag;
    } else if (op->code == LZ) {
        is_set = op->mod & 2;
        flag = is_set ? d != 32 : flag;
    } else {
        return;
    }
    if (op->mod & 8) {
        is_set = true;
        flag = !flag;
    }
    if (is_set) {
        put_flag(cycle, lane, flag);
    }
}

static void compare(struct cycle *cycle, const struct op *op, unsigned lane)
{
    struct registers *reg = &cycle->unit->reg;
    bool smaller = is_smaller(get(cycle, op->vc, lane), get(cycle, vb_or_vd(op), lane));
    bool holds = smaller == (op->code == GT);
    if (lane_enabled(&cycle->old, lane)) {
        if (op->mod & 8) {
            cycle_put(cycle, op->vd, lane, holds ? UINT32_MAX : 0);
        }
        if (op->mod & 1) {
            put_flag(cycle, lane, holds);
        }
    }
    if (op->mod & 2 && cycle->old.depth[lane]) {
        struct flags *top = &reg->stack[lane][cycle->old.depth[lane] - 1];
        top->flag = op->mod & 4 ? top->flag || holds : top->flag && holds;
    }
}

static bool boolean(unsigned mod, bool a, bool b)
{
    static const char truth[13] = {0, 10, 5, 8, 14, 4, 13, 2, 11, 1, 7, 6, 9};
    return truth[mod] >> (a * 2 + b) & 1; /* bit 2a + b of the table */
}

static void stack(struct cycle *cycle, const struct op *op, unsigned lane)
{
    struct registers *reg = &cycle->unit->reg;
    struct flags now = cycle->old.now[lane], top = {false, false};
    unsigned depth = cycle->old.depth[lane], mod = op->mod;
    if (depth) {
        top = cycle->old.stack[lane][depth - 1];
    }
    if (op->code == COMPC) {
        top = depth ? top : (struct flags){true, true};
        put_flag(cycle, lane, top.use && now.use && top.flag && !now.flag);
    } else if (op->code == PUSHC && !mod) {
        reg->stack[lane][depth] = now;
        reg->depth[lane]++;
    } else if (op->code == PUSHC) {
        if (mod == 13) {
            now.flag = !now.flag;
            put_flag(cycle, lane, now.flag);
        }
        bool flag = mod <= 12 ? boolean(mod, top.flag, now.flag) : mod == 13 ? now.flag : mod == 14;
        reg->stack[lane][depth - 1] = (struct flags){flag, mod >= 14 || now.use};
    } else if (!mod) {
        reg->depth[lane]--;
        put_flags(cycle, lane, top.flag, top.use);
    } else if (mod <= 12) {
        put_flags(cycle, lane, boolean(mod, now.flag, top.flag), top.use);
    } else {
        put_flags(cycle, lane, mod == 13 ? !now.flag : mod == 14, mod == 13 ? now.use : true);
    }
}

static void encc(struct cycle *cycle, const struct op *op, unsigned lane)
{
    struct flags now = cycle->old.now[lane];
    unsigned imm = op->word >> 12 & 3;
    now.use = op->mod & 2 ? imm & 1 : op->mod & 1 ? !now.use : now.use;
    put_flags(cycle, lane, op->mod & 8 ? imm >> 1 : true, now.use);
}

static void setcc(struct cycle *cycle, const struct op *op, unsigned lane)
{
    uint32_t c = get(cycle, op->vc, lane);
    bool flag = false;
    if (!cycle->old.now[lane].use || op->mod & 8) {
        flag = false;
    } else if (op->mod & 1) {
        flag = op->word >> 12 & 1;
    } else if (op->mod & 2) {
        flag = (c == 0) == (op->mod == 6);
    } else {
        flag = (c >> 31) == (op->mod == 0);
    }
    put_flag(cycle, lane, flag);
}

static void move(struct cycle *cycle, const struct op *op, unsigned lane)
{
    if (!lane_enabled(&cycle->old, lane) && (op->mod & 11) != 2) {
        return;
    }
    uint32_t x = get(cycle, op->vc, lane);
    if (op->mod & 8) {
        x = op->vc < 4    ? cycle->old.macro[lane].instruction[op->vc]
            : op->vc < 8  ? cycle->old.macro[lane].sequence[op->vc - 4]
            : op->vc == 8 ? cycle->old.macro[lane].misc
            : op->vc == 9 ? advance(cycle, lane)
                          : (op->vc == 15 ? cycle->old.lane_config[lane] : 0);
    } else if (op->mod & 1) {
        x ^= 0x80000000;
    }
    cycle_put(cycle, op->vd, lane, x);
}

static uint32_t combine(unsigned how, uint32_t old, uint32_t value)
{
    return how == 0 ? value : how == 2 ? old | value : how == 4 ? old & value : old ^ value;
}

static void configure(struct cycle *cycle, const struct op *op, unsigned lane)
{
    static const uint32_t constants[4] = {0xbf800000, 0x3b000000, 0xbf2cc4c7, 0xbeb08ff9};
    struct registers *reg = &cycle->unit->reg;
    unsigned column = lane & 7, imm = op->word >> 8 & 0xffff;
    bool is_value = op->mod & 1;
    if (op->vd >= STAGED) {
        cycle_unclear(cycle, "SFPCONFIG of 16");
        return;
    }
    if ((op->mod & 8 && !(imm >> column * 2 & 1)) ||
        (cycle->old.now[column].use && !cycle->old.now[column].flag)) {
        return;
    }
    uint32_t low = cycle->old.lreg[0][column], value = is_value ? imm : low;
    if (op->vd < 4 || !is_value) {
        (void)get(cycle, 0, column);
    }
    if (op->vd < 4) {
        reg->macro[lane].instruction[op->vd] = low;
    } else if (op->vd < 8) {
        reg->macro[lane].sequence[op->vd - 4] = value;
    } else if (op->vd == 8) {
        reg->macro[lane].misc = combine(op->mod & 6, reg->macro[lane].misc, value) & 0xfff;
    } else if (op->vd >= 11 && op->vd < 15) {
        reg->lreg[op->vd][lane] = is_value ? constants[op->vd - 11] : low;
    } else if (op->vd == 15) {
        uint32_t old = reg->lane_config[lane];
        uint32_t result = combine(op->mod & 6, old, value & 0x3ffff) & 0x3ffff;
        reg->lane_config[lane] = is_value ? (result & 0xffff) | (old & 0x30000) : result;
    }
}

static bool wants_minimum(unsigned mod, unsigned lane)
{
    static const uint32_t minimum[16] = {0,          0xffffffff, 0x0000ffff, 0x00ff00ff, 0xff0000ff,
                                         0x000000ff, 0x0000ff00, 0x00ff0000, 0xff000000};
    return minimum[mod] >> lane & 1;
}

/* The comparison now, the exchange in the next cycle with what is there then. */
void cycle_swap(struct cycle *cycle, const struct op *op, uint32_t lanes)
{
    unsigned i = 0, vd = vb_or_vd(op);
    struct unit *unit = cycle->unit;
    while (i < LATE && unit->late[i].is_there) {
        i++;
    }
    if (i == LATE || (op->scheduled && op->vd == STAGED)) {
        cycle_unclear(cycle, "SFPSWAP into LReg[16]");
        return;
    }
    uint32_t swaps = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t c = get(cycle, op->vc, lane), d = get(cycle, vd, lane);
        bool yes = !op->mod;
        if (op->mod) {
            yes = is_smaller(c, d) == wants_minimum(op->mod, lane);
            yes = yes != (cycle->old.lane_config[lane] >> 8 & 1);
        }
        if (cycle->old.lane_config[lane] >> 2 & 1) {
            cycle_unclear(cycle, "ENABLE_DEST_INDEX is not modelled");
        }
        swaps |= (uint32_t)(yes && (lanes >> lane & 1) && lane_enabled(&cycle->old, lane)) << lane;
    }
    memset(&unit->late[i], 0, sizeof unit->late[i]);
    unit->late[i].is_there = unit->late[i].is_swap = true;
    unit->late[i].vc = op->vc;
    unit->late[i].vd = vd;
    unit->late[i].lanes = swaps;
}

void cycle_transpose(struct cycle *cycle)
{
    for (unsigned r = 0; r < 8; r++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned from = (r & 4) + lane / 8, row = r & 3;
            uint32_t value = get(cycle, from, row * 8 + lane % 8);
            if (lane_enabled(&cycle->old, lane)) {
                cycle_put(cycle, r, lane, value);
            }
        }
    }
}

void cycle_simple(struct cycle *cycle, const struct op *op, unsigned lane)
{
    uint32_t d;
    switch (op->code) {
    case ENCC:
        encc(cycle, op, lane);
        return;
    case PUSHC:
    case POPC:
    case COMPC:
        stack(cycle, op, lane);
        return;
    case LE:
    case GT:
        compare(cycle, op, lane);
        return;
    case MOV:
        move(cycle, op, lane);
        return;
    case CONFIG:
        configure(cycle, op, lane);
        return;
    default:
        break;
    }
    if (!lane_enabled(&cycle->old, lane)) {
        return;
    }
    if (op->code == SETCC) {
        setcc(cycle, op, lane);
        return;
    }
    if (op->vd >= 8 && op->vd != STAGED && op->code != CAST) {
        return;
    }
    if (simple_result(cycle, op, lane, &d) || binary_result(cycle, op, lane, &d)) {
        cycle_put(cycle, op->vd, lane, d);
        result_flags(cycle, op, lane, d);
    }
}

/* --- The MAD sub-unit --- */

static uint32_t multiply24(bool upper, uint32_t a, uint32_t b, uint32_t z)
{
    uint64_t product = (uint64_t)(a & 0x7fffff) * (b & 0x7fffff);
    uint32_t p = (uint32_t)(upper ? product >> 23 : product & 0x7fffff);
    unsigned exponent = z >> 23 & 0xff, top = exponent > 129 ? exponent : 129;
    if (!exponent) {
        return p;
    }
    uint32_t addend = (0x800000 | (z & 0x7fffff)) << 3;
    unsigned down = (top - exponent) & 31;
    p >>= (top - 129) & 31;
    uint32_t part = addend >> down;
    if (part) {
        p += part + ((uint32_t)(((part << down) ^ addend) > 0xffff) << 16);
        p &= 0x7fffff;
    }
    return p;
}

void cycle_multiply_add(struct cycle *cycle, const struct op *op, unsigned lane)
{
    if (!lane_enabled(&cycle->old, lane)) {
        return;
    }
    bool is_immediate = op->code == ADDI || op->code == MULI;
    uint32_t index = cycle->old.lreg[7][lane] & 15, d;
    uint32_t immediate = (op->word >> 8 & 0xffff) << 16;
    unsigned vc = is_immediate && !op->scheduled ? op->vd : op->vc;
    uint32_t c = get(cycle, vc, lane), b = is_immediate ? 0 : get(cycle, op->vb, lane);
    unsigned va = op->va;
    if ((!is_immediate && op->mod & 4) || op->mod & 8) {
        (void)get(cycle, 7, lane);
        va = !is_immediate && op->mod & 4 ? index : va;
    }
    uint32_t a = is_immediate ? immediate : get(cycle, va, lane);
    if (op->code == MUL24) {
        d = multiply24(op->mod & 1, a, b, c);
    } else {
        c ^= op->mod & 2 ? 0x80000000 : 0;
        b ^= op->mod & 1 ? 0x80000000 : 0;
        d = op->code == ADDI   ? num_fp32_fma(a, 0x3f800000, c)
            : op->code == MULI ? num_fp32_fma(a, c, 0)
                               : num_fp32_fma(a, b, c);
    }
    put_late(cycle, op->mod & 8 && op->vd != STAGED ? index : op->vd, lane, d);
}

/* --- The round sub-unit --- */

static uint32_t round_float(uint32_t x, unsigned keep, uint32_t random)
{
    unsigned drop = 23 - keep;
    uint32_t exponent = x >> 23 & 0xff, rest = x & ((1u << drop) - 1);
    if (!exponent) {
        return 0;
    }
    if (exponent == 255) {
        return x & 0xff800000;
    }
    return x - rest + (rest >= random >> (23 - drop) ? 1u << drop : 0);
}

static uint32_t stochastic(const struct op *op, uint32_t c, uint32_t b, uint32_t random)
{
    static const uint32_t most[8] = {0, 0, 255, 127, 255, 127, 65535, 32767};
    unsigned mod = op->mod & 7, rounding = op->word >> 21 & 3;
    random = rounding == 0 ? 0x400000 : rounding == 2 ? 0x7fffff : random & 0x7fffff;
    if (mod < 2) {
        return round_float(c, mod ? 7 : 10, random);
    }
    uint32_t sign = mod & 1 ? c & 0x80000000 : 0;
    uint64_t magnitude = 0;
    int exponent = (int)(c >> 23 & 0xff) - 127;
    if (mod == 4 || mod == 5) {
        magnitude =
            (uint64_t)(c & 0x7fffffff) << 23 >> (op->mod & 8 ? op->word >> 16 & 31 : b & 31);
    } else if (exponent < -1) {
        return 0;
    } else if (exponent >= 16) {
        return sign + most[mod];
    } else {
        magnitude = 0x800000 | (c & 0x7fffff);
        magnitude = exponent >= 0 ? magnitude << exponent : magnitude >> -exponent;
    }
    magnitude = (magnitude >> 23) + ((magnitude & 0x7fffff) >= random);
    magnitude = magnitude > most[mod] ? most[mod] : magnitude;
    return magnitude ? sign + (uint32_t)magnitude : 0;
}

static void shift2(struct cycle *cycle, const struct op *op, unsigned lane)
{
    unsigned vb = op->mod == 6 && !op->has_vb ? op->word >> 12 & 15 : op->vb, left = lane - 1;
    if (op->mod == 2 || op->mod == 3) { /* round and round in a row of eight */
        left = lane & 7 ? lane - 1 : lane + 7;
    }
    if (op->mod <= 2) {
        uint32_t last = op->mod == 1   ? lane < 24 ? get(cycle, 0, lane + 8) : 0
                        : op->mod == 2 ? get(cycle, op->vc, left)
                                       : 0;
        for (unsigned r = 0; r < 4; r++) {
            uint32_t value = r < 3 ? get(cycle, r + 1, lane) : last;
            if (op->mod == 2) {
                put_late(cycle, r, lane, value);
            } else {
                cycle_put(cycle, r, lane, value);
            }
        }
    } else if (op->mod <= 4) {
        bool is_first = op->mod == 4 && !(lane & 7);
        put_late(cycle, op->vd, lane, is_first ? 0 : get(cycle, op->vc, left));
    } else if (op->vd < 8 || op->vd == STAGED) {
        int32_t amount = op->mod == 5 ? (int32_t)get(cycle, op->vc, lane) : signed12(op->word);
        cycle_put(cycle, op->vd, lane, shift(get(cycle, vb, lane), amount, false));
    }
}

void cycle_round(struct cycle *cycle, const struct op *op, unsigned lane)
{
    if (!lane_enabled(&cycle->old, lane)) {
        return;
    }
    if (op->code == SHFT2) {
        shift2(cycle, op, lane);
    } else {
        uint32_t random = advance(cycle, lane), c = get(cycle, op->vc, lane), b = 0;
        if ((op->mod & 15) == 4 || (op->mod & 15) == 5) {
            b = get(cycle, op->vb, lane);
        }
        cycle_put(cycle, op->vd, lane, stochastic(op, c, b, random));
    }
}

/* --- Dst --- */

static unsigned row16(unsigned row)
{
    return row & 0x3ff;
}

static unsigned row32(unsigned row)
{
    return (row & 0x1f8) << 1 | (row & 0x207);
}

static unsigned resolve(const struct tensix *tensix, unsigned mod)
{
    /* FP32, TF32, BF16, BFP8, BFP4, BFP2, INT32, INT16 by their codes */
    static const uint32_t is_bf16 =
        1 << 0 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 15 | 1 << 8 | 1 << 9;
    unsigned state = tensix->thread_config[0][0] & 1;
    if (mod != SRCB) {
        return mod;
    }
    if (tensix_get_ALU_ACC_CTRL_SFPU_Fp32_enabled(tensix, state)) {
        return FP32;
    }
    uint32_t format = tensix_get_ALU_FORMAT_SPEC_REG_SrcB_override(tensix, state)
                          ? tensix_get_ALU_FORMAT_SPEC_REG_SrcB_val(tensix, state)
                          : tensix_get_ALU_FORMAT_SPEC_REG1_SrcB(tensix, state);
    return is_bf16 >> format & 1 ? BF16 : FP16;
}

/* Without a stack pointer, which these tests leave at 0. */
unsigned unit_address(const struct unit *unit, const struct tensix *tensix, unsigned mod,
                      unsigned imm10)
{
    unsigned state = tensix->thread_config[0][0] & 1;
    unsigned base = imm10 + tensix_get_DEST_TARGET_REG_CFG_MATH_Offset(tensix, 0);
    unsigned offset = unit->rwc_dst + tensix_get_DEST_REGW_BASE_Base(tensix, state);
    return (base + (mod == INT32_ALL ? offset & 3 : offset)) & 0x3ff;
}

static bool is_32bit(unsigned format, bool stores)
{
    return format == FP32 || format == INT32 || format == INT32_ALL || format == INT32_SM ||
           (stores && (format == LO16 || format == HI16));
}

static uint16_t unshuffle(uint16_t x)
{
    return (uint16_t)((x & 0x8000) | (x & 0xff) << 7 | (x >> 8 & 0x7f));
}

static uint16_t shuffle(uint16_t x)
{
    return (uint16_t)((x & 0x8000) | (x & 0x7f) << 8 | (x >> 7 & 0xff));
}

static uint32_t loaded(unsigned format, uint32_t high, uint32_t low, uint32_t old, bool infinity)
{
    uint32_t sign = high >> 15 << 31, exponent = high & 31, fraction = high >> 5 & 0x3ff;
    switch (format) {
    case FP16:
        if (infinity && exponent == 31 && fraction == 0x3ff) {
            return sign | 0x7f800000;
        }
        return sign | (exponent ? exponent + 112 : 0) << 23 | fraction << 13;
    case BF16:
        return (uint32_t)unshuffle((uint16_t)high) << 16;
    case INT8:
        return sign | (high >> 5 & 0xff);
    case INT8_COMP:
        return sign | fraction;
    case LO16_ONLY:
        return (old & 0xffff0000) | high;
    case HI16_ONLY:
        return high << 16 | (old & 0xffff);
    case INT16:
        return sign | (high & 0x7fff);
    case UINT16:
    case LO16:
        return high;
    case HI16:
        return high << 16;
    case ZERO:
        return 0;
    default:
        return (uint32_t)unshuffle((uint16_t)high) << 16 | low;
    }
}

/* A datum as stored: the upper half (or all) in the upper 16 bits. */
static uint32_t stored(unsigned format, uint32_t x)
{
    uint32_t sign = x >> 31 << 15, flushed = x & 0x7f800000 ? x : x & 0x80000000;
    int exponent = (int)(x >> 23 & 0xff) - 112;
    uint32_t fraction = x >> 13 & 0x3ff;
    switch (format) {
    case FP16:
        fraction = exponent > 31 ? 0x3ff : exponent <= 0 ? 0 : fraction;
        exponent = exponent > 31 ? 31 : exponent <= 0 ? 0 : exponent;
        return (sign | fraction << 5 | (uint32_t)exponent) << 16;
    case BF16:
        return (uint32_t)shuffle((uint16_t)(flushed >> 16)) << 16;
    case FP32:
        return (uint32_t)shuffle((uint16_t)(flushed >> 16)) << 16 | (flushed & 0xffff);
    case INT8:
    case INT8_COMP:
        return (sign | (x & 0x3ff) << 5 | 16) << 16;
    case LO16_ONLY:
    case UINT16:
        return x << 16;
    case HI16_ONLY:
        return x & 0xffff0000;
    case INT16:
        return (sign | (x & 0x7fff)) << 16;
    case LO16:
        return x << 16 | x >> 16;
    case HI16:
        return x;
    case ZERO:
        return 0;
    default:
        return (uint32_t)shuffle((uint16_t)(x >> 16)) << 16 | (x & 0xffff);
    }
}

void unit_step(struct unit *unit, const struct tensix *tensix, unsigned addr_mod)
{
    /* These tests set DestIncr alone. */
    uint32_t increment =
        tensix->thread_config[0][TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + addr_mod];
    unit->rwc_dst = (unit->rwc_dst + (increment & 0x3ff)) & 0x3ff;
}

void cycle_load(struct cycle *cycle, unsigned vd, unsigned mod, unsigned address, uint32_t lanes)
{
    struct unit *unit = cycle->unit;
    unsigned format = resolve(cycle->tensix, mod);
    for (unsigned lane = 0; lane < LANES && vd < 8; lane++) {
        uint32_t config = cycle->old.lane_config[lane];
        if (!(lanes >> lane & 1) || config >> 5 & 1 ||
            !(lane_enabled(&cycle->old, lane) || mod == INT32_ALL)) {
            continue;
        }
        unsigned row = (address & 0x3fc) + lane / 8, column = (lane & 7) * 2;
        column += address >> 1 & 1 || cycle->old.lane_config[lane & 7] >> 6 & 1;
        unsigned physical = is_32bit(format, false) ? row32(row) : row16(row);
        cycle->dst_read[physical] = cycle->dst_read[(physical + 8) % ROWS] = true;
        uint32_t old = format >= LO16_ONLY ? get(cycle, vd, lane) : 0;
        cycle_put(cycle, vd, lane,
                  loaded(format, unit->dst[physical][column],
                         unit->dst[(physical + 8) % ROWS][column], old, config & 1));
        if (vd < 4 && config >> 2 & 1 && config >> 3 & 1) {
            cycle_put(cycle, vd + 4, lane, row << 4 | column);
        }
    }
}

void cycle_store(struct cycle *cycle, const struct op *op, unsigned address, uint32_t lanes)
{
    unsigned format = resolve(cycle->tensix, op->mod);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t config = cycle->old.lane_config[lane];
        if (!(lanes >> lane & 1) || config >> 4 & 1 ||
            !(lane_enabled(&cycle->old, lane) || op->mod == INT32_ALL)) {
            continue;
        }
        unsigned row = (address & 0x3fc) + lane / 8, column = (lane & 7) * 2;
        column += address >> 1 & 1 || cycle->old.lane_config[lane & 7] >> 7 & 1;
        bool both = is_32bit(format, true);
        unsigned physical = both ? row32(row) : row16(row);
        uint32_t datum = stored(format, get(cycle, op->vd, lane));
        cycle->dst_written[physical] = true;
        cycle->unit->dst[physical][column] = (uint16_t)(datum >> 16);
        if (both) {
            cycle->dst_written[(physical + 8) % ROWS] = true;
            cycle->unit->dst[(physical + 8) % ROWS][column] = (uint16_t)datum;
        }
    }
}

void cycle_load_immediate(struct cycle *cycle, const struct op *op, uint32_t lanes)
{
    uint32_t imm = op->word & 0xffff;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(lanes >> lane & 1) || !lane_enabled(&cycle->old, lane) || op->vd >= 8) {
            continue;
        }
        uint32_t half = imm >> 15 << 31 | ((imm >> 10 & 31) + 112) << 23 | (imm & 0x3ff) << 13;
        uint32_t old = op->mod >= 8 ? get(cycle, op->vd, lane) : 0;
        uint32_t value = op->mod == 0    ? imm << 16
                         : op->mod == 1  ? half
                         : op->mod == 2  ? imm
                         : op->mod == 4  ? imm | (imm >> 15) * 0xffff0000
                         : op->mod == 8  ? imm << 16 | (old & 0xffff)
                         : op->mod == 10 ? (old & 0xffff0000) | imm
                                         : 0;
        cycle_put(cycle, op->vd, lane, value);
    }
}
