/*
 * The model of the Vector Unit, see lane_model.h: its state, its multiply-add, and
 * the comparison with the coprocessor.
 */
#include "unit/tensix/lane_model.h"

#include <stdlib.h>
#include <string.h>

#include "num/kernels.h"
#include "unit/random.h"
#include "tensix/table.h"

/* --- Random source --- */

uint32_t f_word(uint64_t *state)
{
    static const uint32_t special[] = {
        0,          1,          0x007fffff, 0x00800000, 0x00800001, 0x3f7fffff, 0x3f800000,
        0x3f800001, 0x3effffff, 0x3f000000, 0x40000000, 0x3fffffff, 0x3fc00000, 0x40400000,
        0x40800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x7e800000,
        0x7e7fffff, 0x47000000, 0x477fffff, 0x38800000, 0x387fffff, 0x000000ff, 0x0000007f,
        0x00000080, 0x00000100, 0x0000ffff, 0x00007fff, 0x00008000, 0x42ff0000, 0x437f8000,
        0x3c800000, 0x3f320000,
    };
    uint32_t x = random_next(state);
    switch (random_scaled(state, 10)) {
    case 0:
    case 1:
        return special[random_scaled(state, sizeof special / sizeof *special)] | (x & 0x80000000);
    case 2: /* near one */
        return (x & 0x80ffffff) + 0x3f000000;
    case 3: /* around what fits 16 bits */
        return (x & 0x807fffff) | (120 + random_scaled(state, 26)) << 23;
    case 4: /* small integers */
        return (x & 0x80000000) | (x & 0x7fffffff) >> random_scaled(state, 31);
    case 5:
        return (uint32_t)(-(int32_t)random_scaled(state, 300));
    case 6: /* few bits */
        return (x & 0xfff00000) | random_scaled(state, 2) << random_scaled(state, 20);
    case 7: /* 16-bit data in either half */
        return random_scaled(state, 2) ? x & 0xffff0000 : x & 0xffff;
    default:
        return x;
    }
}

/* --- Multiply and add (SPEC: Miscellaneous/FMA, Blackhole) --- */

struct f_float {
    uint32_t sign;
    int exponent;
    uint64_t mantissa; /* with the hidden bit; 0 for a zero or denormal */
};

static struct f_float f_unpack(uint32_t x)
{
    struct f_float f = {x & 0x80000000, (int)(x >> 23 & 255), 0};
    f.mantissa = f.exponent ? 0x800000 | (x & 0x7fffff) : 0;
    return f;
}

static bool f_is_nan(struct f_float f)
{
    return f.exponent == 255 && f.mantissa != 0x800000;
}

static bool f_is_infinite(struct f_float f)
{
    return f.exponent == 255 && f.mantissa == 0x800000;
}

/* Bits that fall out are or-ed to the lowest, unless nothing else is left. */
static uint64_t f_align(uint64_t mantissa, int by)
{
    if (by >= 32) {
        return 0;
    }
    uint64_t kept = mantissa >> by;
    return kept && kept << by != mantissa ? kept | 1 : kept;
}

static uint32_t f_finish_mad(uint32_t sign, int exponent, uint64_t sum)
{
    int top = 63 - __builtin_clzll(sum);
    int right = top - 26; /* where 1.0 has its bit with three bits below the mantissa */
    exponent += right;
    if (exponent >= 255) {
        return sign | 0x7f800000;
    }
    if (exponent <= 0) {
        right++;
        exponent = 0;
    }
    if (right <= 0) {
        sum <<= -right;
    } else {
        bool lost = (sum & ((UINT64_C(1) << right) - 1)) != 0;
        sum = sum >> right | lost;
    }
    uint32_t result = ((uint32_t)exponent << 23) + ((uint32_t)(sum >> 3) & 0x7fffff);
    unsigned below = sum & 7;
    result += below > 4 || (below == 4 && (result & 1));
    return result >> 23 ? sign | result : sign;
}

uint32_t f_mad(uint32_t x, uint32_t y, uint32_t z)
{
    struct f_float a = f_unpack(x), b = f_unpack(y), c = f_unpack(z);
    uint32_t sign = a.sign ^ b.sign;
    bool is_infinite = f_is_infinite(a) || f_is_infinite(b);
    if (f_is_nan(a) || f_is_nan(b) || f_is_nan(c) || (f_is_infinite(a) && b.mantissa == 0) ||
        (f_is_infinite(b) && a.mantissa == 0) ||
        (f_is_infinite(c) && is_infinite && c.sign != sign)) {
        return 0x7fc00000;
    }
    if (f_is_infinite(c)) {
        return z;
    }
    uint64_t product = a.mantissa * b.mantissa; /* 46 bits below the point */
    int exponent = a.exponent + b.exponent - 127;
    if (is_infinite || exponent >= 255) {
        return sign | 0x7f800000;
    }
    if (product == 0 || exponent < 0) {
        return c.mantissa ? z : c.sign & sign;
    }
    product = product >> 20 | ((product & 0xfffff) != 0); /* three bits are left below those of c */
    uint64_t addend = c.mantissa << 3;
    int most = exponent > c.exponent ? exponent : c.exponent;
    product = f_align(product, most - exponent);
    addend = f_align(addend, most - c.exponent);
    if (sign == c.sign) {
        return f_finish_mad(sign, most, product + addend);
    }
    if (product == addend) {
        return 0;
    }
    return product > addend ? f_finish_mad(sign, most, product - addend)
                            : f_finish_mad(c.sign, most, addend - product);
}

/* --- State --- */

bool f_enabled(const struct f_state *s, unsigned lane)
{
    if (s->lane_config[lane & 7] >> (F_ROW_MASK_SHIFT + lane / 8) & 1) {
        return false;
    }
    return s->uses_flags[lane] ? s->flags[lane] : true;
}

void f_refill(struct f_model *model, uint64_t *random)
{
    struct f_state *s = &model->state;
    const struct tensix *tensix = model->tensix;
    unsigned depth = 1 + random_scaled(random, F_STACK - 1);
    bool uses_flags = random_scaled(random, 4), all_set = random_scaled(random, 4) == 0;
    memset(s->lane_config, 0, sizeof s->lane_config);
    memset(s->macro, 0, sizeof s->macro);
    memset(s->cleared, 0, sizeof s->cleared);
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        for (unsigned i = 0; i < F_LREGS; i++) {
            s->lreg[i][lane] = f_word(random);
        }
        s->lreg[8][lane] = tensix->vector.lreg[8][0];
        s->lreg[9][lane] = 0;
        s->lreg[10][lane] = 0x3f800000;
        s->lreg[15][lane] = 2 * lane;
        s->flags[lane] = all_set || random_scaled(random, 3);
        s->uses_flags[lane] = uses_flags && random_scaled(random, 8);
        s->depth[lane] = depth;
        for (unsigned i = 0; i < depth; i++) {
            s->stack[lane][i].flags = random_scaled(random, 2);
            s->stack[lane][i].uses_flags = random_scaled(random, 4);
        }
        s->generator[lane] = random_next(random);
    }
    for (unsigned i = 0; i < 3; i++) {
        s->rwc[i] = tensix->thread[i].rwc;
    }
}

void f_fill(struct f_model *model, const struct tensix *tensix, uint64_t *random)
{
    memset(model, 0, sizeof *model);
    model->tensix = tensix;
    for (unsigned row = 0; row < 1024; row++) {
        for (unsigned column = 0; column < 16; column++) {
            model->state.dst[row][column] = (uint16_t)random_next(random);
        }
    }
    f_refill(model, random);
}

/* Columns differ, and many lanes stay enabled. */
void f_configure(struct f_model *model, uint64_t *random)
{
    struct f_state *s = &model->state;
    uint32_t set = random_next(random) & random_next(random) & 0xff9ff;
    bool is_same = random_scaled(random, 2);
    for (unsigned column = 0; column < 8; column++) {
        uint32_t config = is_same ? set : random_next(random) & random_next(random);
        if (random_scaled(random, 3)) {
            config &= 0xfffu; /* without ROW_MASK */
        }
        for (unsigned lane = column; lane < F_LANES; lane += 8) {
            s->lane_config[lane] = config & 0x3ffff;
        }
    }
}

void f_put(const struct f_model *model, struct tensix *tensix)
{
    const struct f_state *s = &model->state;
    struct tensix_vector *v = &tensix->vector;
    memset(v->stack, 0, sizeof v->stack);
    v->flags = v->uses_flags = 0;
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        for (unsigned i = 0; i < F_LREGS; i++) {
            v->lreg[i][lane] = s->lreg[i][lane];
        }
        v->flags |= (uint32_t)s->flags[lane] << lane;
        v->uses_flags |= (uint32_t)s->uses_flags[lane] << lane;
        for (unsigned i = 0; i < s->depth[lane]; i++) {
            struct tensix_flag_level *level = &v->stack[i];
            unsigned from = s->depth[lane] - 1 - i;
            level->used |= UINT32_C(1) << lane;
            level->flags |= (uint32_t)s->stack[lane][from].flags << lane;
            level->uses_flags |= (uint32_t)s->stack[lane][from].uses_flags << lane;
        }
        v->generator[lane] = s->generator[lane];
    }
    for (unsigned column = 0; column < 8; column++) {
        v->lane_config[column] = s->lane_config[column];
        memcpy(v->macro[column].instruction, s->macro[column].instruction,
               sizeof v->macro[column].instruction);
        memcpy(v->macro[column].sequence, s->macro[column].sequence,
               sizeof v->macro[column].sequence);
        v->macro[column].misc = (uint16_t)s->macro[column].misc;
    }
    tensix_vector_derive(v);
    memcpy(tensix->dst.bits, s->dst, sizeof s->dst);
    memcpy(tensix->dst.cleared, s->cleared, sizeof s->cleared);
    for (unsigned i = 0; i < 3; i++) {
        tensix->thread[i].rwc = s->rwc[i];
    }
}

static void f_compare_lane(const struct f_state *s, const struct tensix_vector *v, unsigned lane,
                           const char *what)
{
    for (unsigned i = 0; i < F_LREGS; i++) {
        F_EXPECT(v->lreg[i][lane] == s->lreg[i][lane], "%s: LReg[%u] lane %u is %08x, not %08x",
                 what, i, lane, (unsigned)v->lreg[i][lane], (unsigned)s->lreg[i][lane]);
    }
    F_EXPECT((v->flags >> lane & 1) == s->flags[lane], "%s: LaneFlags[%u] is not %d", what, lane,
             s->flags[lane]);
    F_EXPECT((v->uses_flags >> lane & 1) == s->uses_flags[lane],
             "%s: UseLaneFlagsForLaneEnable[%u] is not %d", what, lane, s->uses_flags[lane]);
    for (unsigned i = 0; i < F_STACK; i++) {
        const struct tensix_flag_level *level = &v->stack[i];
        F_EXPECT((level->used >> lane & 1) == (i < s->depth[lane]),
                 "%s: the flag stack of lane %u has not %u entries", what, lane, s->depth[lane]);
        F_EXPECT(!((level->flags | level->uses_flags) & ~level->used),
                 "%s: an entry of the flag stack that is not in use has something", what);
        if (i < s->depth[lane]) {
            unsigned from = s->depth[lane] - 1 - i;
            F_EXPECT((level->flags >> lane & 1) == s->stack[lane][from].flags &&
                         (level->uses_flags >> lane & 1) == s->stack[lane][from].uses_flags,
                     "%s: entry %u below the top of the flag stack of lane %u is not %d, %d", what,
                     i, lane, s->stack[lane][from].flags, s->stack[lane][from].uses_flags);
        }
    }
    F_EXPECT(v->generator[lane] == s->generator[lane], "%s: generator %u is %08x, not %08x", what,
             lane, (unsigned)v->generator[lane], (unsigned)s->generator[lane]);
    unsigned column = lane & 7;
    F_EXPECT(v->lane_config[column] == s->lane_config[lane], "%s: LaneConfig[%u] is %05x, not %05x",
             what, lane, (unsigned)v->lane_config[column], (unsigned)s->lane_config[lane]);
    for (unsigned i = 0; i < 4; i++) {
        F_EXPECT(v->macro[column].instruction[i] == s->macro[lane].instruction[i],
                 "%s: InstructionTemplate[%u] of lane %u is %08x, not %08x", what, i, lane,
                 (unsigned)v->macro[column].instruction[i],
                 (unsigned)s->macro[lane].instruction[i]);
        F_EXPECT(v->macro[column].sequence[i] == s->macro[lane].sequence[i],
                 "%s: Sequence[%u] of lane %u is %08x, not %08x", what, i, lane,
                 (unsigned)v->macro[column].sequence[i], (unsigned)s->macro[lane].sequence[i]);
    }
    F_EXPECT(v->macro[column].misc == s->macro[lane].misc, "%s: Misc of lane %u is %03x, not %03x",
             what, lane, v->macro[column].misc, (unsigned)s->macro[lane].misc);
}

void f_compare(const struct f_model *model, const struct tensix *tensix, const char *what)
{
    const struct f_state *s = &model->state;
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        f_compare_lane(s, &tensix->vector, lane, what);
    }
    if (memcmp(s->dst, tensix->dst.bits, sizeof s->dst) != 0) {
        for (unsigned i = 0; i < 1024 * 16; i++) {
            F_EXPECT(tensix->dst.bits[i / 16][i % 16] == s->dst[i / 16][i % 16],
                     "%s: physical row %u, column %u of Dst is %04x, not %04x", what, i / 16,
                     i % 16, tensix->dst.bits[i / 16][i % 16], s->dst[i / 16][i % 16]);
        }
    }
    F_EXPECT(memcmp(s->cleared, tensix->dst.cleared, sizeof s->cleared) == 0,
             "%s: other rows of Dst are undefined", what);
    for (unsigned i = 0; i < 3; i++) {
        const struct tensix_rwc *is = &tensix->thread[i].rwc, *should = &s->rwc[i];
        F_EXPECT(is->dst == should->dst && is->dst_cr == should->dst_cr &&
                     is->src_a == should->src_a && is->src_a_cr == should->src_a_cr &&
                     is->src_b == should->src_b && is->src_b_cr == should->src_b_cr &&
                     is->fidelity == should->fidelity && is->extra_mod == should->extra_mod &&
                     is->sp == s->sp[i],
                 "%s: RWCs of thread %u: Dst %u, Cr %u; not %u, %u", what, i, (unsigned)is->dst,
                 (unsigned)is->dst_cr, (unsigned)should->dst, (unsigned)should->dst_cr);
    }
}

/* --- The coprocessor --- */

const char *const f_sets[F_SETS] = {"reference", "avx2", "avx512"};

struct f_world *f_open_world(const char *set, uint64_t seed)
{
    const struct num_kernels *kernels = num_kernels_find(set);
    if (kernels == NULL) {
        return NULL;
    }
    struct f_world *w = calloc(1, sizeof *w);
    ck_assert_ptr_nonnull(w);
    tensix_harness_open(&w->harness);
    w->harness.tensix.kernels = kernels;
    w->random = seed;
    f_fill(&w->model, &w->harness.tensix, &w->random);
    return w;
}

void f_close_world(struct f_world *w)
{
    if (w) {
        tensix_harness_close(&w->harness);
        free(w);
    }
}

const struct isa_row *f_row_of(enum f_op op)
{
    for (unsigned i = 0; i < TENSIX_ROWS; i++) {
        if (tensix_rows[i].match >> 24 == (uint32_t)op) {
            return &tensix_rows[i];
        }
    }
    ck_abort_msg("no row has the opcode %02x", op);
    return NULL;
}

uint32_t f_random_word(enum f_op op, unsigned vd, unsigned mod, uint64_t *random)
{
    const struct isa_row *row = f_row_of(op);
    bool is_wide = op == F_SFPLOADI || op == F_SFPLUT;
    uint32_t operands = random_next(random);
    operands = is_wide ? (operands & 0xff00ffff) | vd << 20 | mod << 16
                       : (operands & 0xffffff00) | vd << 4 | mod;
    return row->match | (operands & ~row->mask & 0xffffff);
}
