/*
 * The vector unit of RISCV T2, first part: configuration and integer arithmetic, against V 1.0 with
 * the limits of the InstructionSet and CSRs pages (VLEN 128, ELEN 32, everything undisturbed).
 *
 * Not asserted, because the pages do not say: vtype values that V 1.0 does not require or does not
 * have, vl for application lengths between VLMAX and twice that, illegal register groups, whether
 * the agnostic bits read back, vtype and vl after reset.
 */
#include "unit/rv32/spec_vector.h"

#include <stdio.h>
#include <string.h>

FIXTURE(NULL, harness_destroy_all);

enum { CASES = 25, VL = 0xc20, VTYPE = 0xc21, VLENB = 0xc22, VSTART = 0x008 };

/* --- Models: one element --- */

/* vs2, vs1 or scalar or immediate, and vd as they were; zero-extended from their widths. */
struct operands {
    unsigned sew;
    uint64_t a, b, d;
    bool carry;
    uint32_t vxrm;
    bool saturated;
};

typedef uint64_t model(struct operands *o);

static int64_t sx(uint64_t value, unsigned bits)
{
    uint64_t top = UINT64_C(1) << (bits - 1);
    value &= top * 2 - 1;
    return (int64_t)(value ^ top) - (int64_t)top;
}

static int64_t shift_right(int64_t value, unsigned amount)
{
    return value < 0 ? ~(~value >> amount) : value >> amount;
}

/* Fixed-point rounding of value / 2^amount as vxrm says. */
static int64_t roundoff(uint32_t vxrm, int64_t value, unsigned amount)
{
    if (!amount) {
        return value;
    }
    int64_t down = shift_right(value, amount);
    uint64_t rest = (uint64_t)value & ((UINT64_C(1) << amount) - 1);
    uint64_t half = UINT64_C(1) << (amount - 1);
    switch (vxrm) {
    case 0: /* to nearest, up */
        return down + (rest >= half);
    case 1: /* to nearest, even */
        return down + (rest > half || (rest == half && down & 1));
    case 2: /* down */
        return down;
    default: /* to odd */
        return down | (rest != 0);
    }
}

static uint64_t clip(struct operands *o, int64_t value, int64_t least, int64_t most)
{
    o->saturated |= value < least || value > most;
    return (uint64_t)(value < least ? least : value > most ? most : value);
}

static uint64_t clip_signed(struct operands *o, int64_t value)
{
    int64_t most = (INT64_C(1) << (o->sew - 1)) - 1;
    return clip(o, value, -most - 1, most);
}

static uint64_t clip_unsigned(struct operands *o, int64_t value)
{
    return clip(o, value, 0, (INT64_C(1) << o->sew) - 1);
}

/* Signed views of operands at sew, and of the wide one. */
static int64_t sa(const struct operands *o)
{
    return sx(o->a, o->sew);
}

static int64_t sb(const struct operands *o)
{
    return sx(o->b, o->sew);
}

static int64_t ua(const struct operands *o)
{
    return (int64_t)o->a;
}

static int64_t ub(const struct operands *o)
{
    return (int64_t)o->b;
}

/* The shift amount: the second operand modulo the width of what is shifted. */
static unsigned amount(const struct operands *o, unsigned bits)
{
    return (unsigned)o->b & (bits - 1);
}

#define MODEL(name, value)                                                                         \
    static uint64_t do_##name(struct operands *o)                                                  \
    {                                                                                              \
        return (uint64_t)(value);                                                                  \
    }

MODEL(add, o->a + o->b)
MODEL(sub, o->a - o->b)
MODEL(rsub, o->b - o->a)
MODEL(minu, o->a < o->b ? o->a : o->b)
MODEL(min, sa(o) < sb(o) ? o->a : o->b)
MODEL(maxu, o->a > o->b ? o->a : o->b)
MODEL(max, sa(o) > sb(o) ? o->a : o->b)
MODEL(and, o->a & o->b)
MODEL(or, o->a | o->b)
MODEL(xor, o->a ^ o->b)
MODEL(sll, o->a << amount(o, o->sew))
MODEL(srl, o->a >> amount(o, o->sew))
MODEL(sra, shift_right(sa(o), amount(o, o->sew)))
MODEL(saddu, clip_unsigned(o, ua(o) + ub(o)))
MODEL(sadd, clip_signed(o, sa(o) + sb(o)))
MODEL(ssubu, clip_unsigned(o, ua(o) - ub(o)))
MODEL(ssub, clip_signed(o, sa(o) - sb(o)))
MODEL(aaddu, roundoff(o->vxrm, ua(o) + ub(o), 1))
MODEL(aadd, roundoff(o->vxrm, sa(o) + sb(o), 1))
MODEL(asubu, roundoff(o->vxrm, ua(o) - ub(o), 1))
MODEL(asub, roundoff(o->vxrm, sa(o) - sb(o), 1))
MODEL(smul, clip_signed(o, roundoff(o->vxrm, sa(o) * sb(o), o->sew - 1)))
MODEL(ssrl, roundoff(o->vxrm, ua(o), amount(o, o->sew)))
MODEL(ssra, roundoff(o->vxrm, sa(o), amount(o, o->sew)))
MODEL(mul, o->a * o->b)
MODEL(mulh, shift_right(sa(o) * sb(o), o->sew))
MODEL(mulhu, o->a * o->b >> o->sew)
MODEL(mulhsu, shift_right(sa(o) * ub(o), o->sew))
MODEL(macc, o->d + o->b * o->a)
MODEL(nmsac, o->d - o->b * o->a)
MODEL(madd, o->b * o->d + o->a)
MODEL(nmsub, o->a - o->b * o->d)
MODEL(wadd, sa(o) + sb(o))
MODEL(wsub, sa(o) - sb(o))
MODEL(wadd_w, o->a + (uint64_t)sb(o))
MODEL(wsub_w, o->a - (uint64_t)sb(o))
MODEL(wmul, sa(o) * sb(o))
MODEL(wmulsu, sa(o) * ub(o))
MODEL(wmacc, o->d + (uint64_t)(sa(o) * sb(o)))
MODEL(wmaccu, o->d + o->a * o->b)
MODEL(wmaccsu, o->d + (uint64_t)(ua(o) * sb(o)))
MODEL(wmaccus, o->d + (uint64_t)(sa(o) * ub(o)))
MODEL(nsrl, o->a >> amount(o, 2 * o->sew))
MODEL(nsra, shift_right(sx(o->a, 2 * o->sew), amount(o, 2 * o->sew)))
MODEL(nclipu, clip_unsigned(o, roundoff(o->vxrm, ua(o), amount(o, 2 * o->sew))))
MODEL(nclip, clip_signed(o, roundoff(o->vxrm, sx(o->a, 2 * o->sew), amount(o, 2 * o->sew))))
MODEL(seq, o->a == o->b)
MODEL(sne, o->a != o->b)
MODEL(sltu, o->a < o->b)
MODEL(slt, sa(o) < sb(o))
MODEL(sleu, o->a <= o->b)
MODEL(sle, sa(o) <= sb(o))
MODEL(sgtu, o->a > o->b)
MODEL(sgt, sa(o) > sb(o))
MODEL(adc, o->a + o->b + o->carry)
MODEL(sbc, o->a - o->b - o->carry)
MODEL(madc, (o->a + o->b + o->carry) >> o->sew & 1)
MODEL(msbc, ua(o) - ub(o) - o->carry < 0)
MODEL(merge, o->carry ? o->b : o->a)
MODEL(mv, o->b)

/* --- Rows --- */

/* Widths: WIDE doubles vd, WIDE_W also vs2, NARROW only vs2. COMPARE writes masks. CARRY_IN and
 * MERGE have v0 as an operand; CARRY_OUT writes masks, with v0 or without. MOVE has no vs2. */
enum shape { SAME, MAC, WIDE, WIDE_MAC, WIDE_W, NARROW, COMPARE, CARRY_IN, CARRY_OUT, MERGE, MOVE };

/* Forms: vector, scalar, signed and unsigned immediate. */
enum { V = 1, X = 2, I = 4, U = 8 };

static const struct row {
    const char *mnemonic;
    uint32_t funct6;
    bool multiply; /* OPM rather than OPI */
    unsigned forms;
    enum shape shape;
    model *run;
} rows[] = {
    {"vadd", 0x00, false, V | X | I, SAME, do_add},
    {"vsub", 0x02, false, V | X, SAME, do_sub},
    {"vrsub", 0x03, false, X | I, SAME, do_rsub},
    {"vminu", 0x04, false, V | X, SAME, do_minu},
    {"vmin", 0x05, false, V | X, SAME, do_min},
    {"vmaxu", 0x06, false, V | X, SAME, do_maxu},
    {"vmax", 0x07, false, V | X, SAME, do_max},
    {"vand", 0x09, false, V | X | I, SAME, do_and},
    {"vor", 0x0a, false, V | X | I, SAME, do_or},
    {"vxor", 0x0b, false, V | X | I, SAME, do_xor},
    {"vsaddu", 0x20, false, V | X | I, SAME, do_saddu},
    {"vsadd", 0x21, false, V | X | I, SAME, do_sadd},
    {"vssubu", 0x22, false, V | X, SAME, do_ssubu},
    {"vssub", 0x23, false, V | X, SAME, do_ssub},
    {"vsll", 0x25, false, V | X | U, SAME, do_sll},
    {"vsmul", 0x27, false, V | X, SAME, do_smul},
    {"vsrl", 0x28, false, V | X | U, SAME, do_srl},
    {"vsra", 0x29, false, V | X | U, SAME, do_sra},
    {"vssrl", 0x2a, false, V | X | U, SAME, do_ssrl},
    {"vssra", 0x2b, false, V | X | U, SAME, do_ssra},
    {"vaaddu", 0x08, true, V | X, SAME, do_aaddu},
    {"vaadd", 0x09, true, V | X, SAME, do_aadd},
    {"vasubu", 0x0a, true, V | X, SAME, do_asubu},
    {"vasub", 0x0b, true, V | X, SAME, do_asub},
    {"vmulhu", 0x24, true, V | X, SAME, do_mulhu},
    {"vmul", 0x25, true, V | X, SAME, do_mul},
    {"vmulhsu", 0x26, true, V | X, SAME, do_mulhsu},
    {"vmulh", 0x27, true, V | X, SAME, do_mulh},
    {"vmadd", 0x29, true, V | X, MAC, do_madd},
    {"vnmsub", 0x2b, true, V | X, MAC, do_nmsub},
    {"vmacc", 0x2d, true, V | X, MAC, do_macc},
    {"vnmsac", 0x2f, true, V | X, MAC, do_nmsac},
    {"vwaddu", 0x30, true, V | X, WIDE, do_add},
    {"vwadd", 0x31, true, V | X, WIDE, do_wadd},
    {"vwsubu", 0x32, true, V | X, WIDE, do_sub},
    {"vwsub", 0x33, true, V | X, WIDE, do_wsub},
    {"vwaddu", 0x34, true, V | X, WIDE_W, do_add},
    {"vwadd", 0x35, true, V | X, WIDE_W, do_wadd_w},
    {"vwsubu", 0x36, true, V | X, WIDE_W, do_sub},
    {"vwsub", 0x37, true, V | X, WIDE_W, do_wsub_w},
    {"vwmulu", 0x38, true, V | X, WIDE, do_mul},
    {"vwmulsu", 0x3a, true, V | X, WIDE, do_wmulsu},
    {"vwmul", 0x3b, true, V | X, WIDE, do_wmul},
    {"vwmaccu", 0x3c, true, V | X, WIDE_MAC, do_wmaccu},
    {"vwmacc", 0x3d, true, V | X, WIDE_MAC, do_wmacc},
    {"vwmaccus", 0x3e, true, X, WIDE_MAC, do_wmaccus},
    {"vwmaccsu", 0x3f, true, V | X, WIDE_MAC, do_wmaccsu},
    {"vnsrl", 0x2c, false, V | X | U, NARROW, do_nsrl},
    {"vnsra", 0x2d, false, V | X | U, NARROW, do_nsra},
    {"vnclipu", 0x2e, false, V | X | U, NARROW, do_nclipu},
    {"vnclip", 0x2f, false, V | X | U, NARROW, do_nclip},
    {"vmseq", 0x18, false, V | X | I, COMPARE, do_seq},
    {"vmsne", 0x19, false, V | X | I, COMPARE, do_sne},
    {"vmsltu", 0x1a, false, V | X, COMPARE, do_sltu},
    {"vmslt", 0x1b, false, V | X, COMPARE, do_slt},
    {"vmsleu", 0x1c, false, V | X | I, COMPARE, do_sleu},
    {"vmsle", 0x1d, false, V | X | I, COMPARE, do_sle},
    {"vmsgtu", 0x1e, false, X | I, COMPARE, do_sgtu},
    {"vmsgt", 0x1f, false, X | I, COMPARE, do_sgt},
    {"vadc", 0x10, false, V | X | I, CARRY_IN, do_adc},
    {"vmadc", 0x11, false, V | X | I, CARRY_OUT, do_madc},
    {"vsbc", 0x12, false, V | X, CARRY_IN, do_sbc},
    {"vmsbc", 0x13, false, V | X, CARRY_OUT, do_msbc},
    {"vmerge", 0x17, false, V | X | I, MERGE, do_merge},
    {"vmv", 0x17, false, V | X | I, MOVE, do_mv},
};

static bool is_wide(enum shape shape)
{
    return shape == WIDE || shape == WIDE_MAC || shape == WIDE_W;
}

static bool writes_mask(enum shape shape)
{
    return shape == COMPARE || shape == CARRY_OUT;
}

static bool takes_carry(enum shape shape)
{
    return shape == CARRY_IN || shape == CARRY_OUT || shape == MERGE;
}

static bool type_fits(enum shape shape, struct vector_type type)
{
    bool doubles = is_wide(shape) || shape == NARROW;
    return !doubles || (type.sew < 32 && type.lmul < 3);
}

/* --- One case --- */

struct shot {
    const struct row *row;
    unsigned form;
    unsigned vd, vs2, vs1;
    uint32_t immediate;         /* its five bits */
    unsigned wide_vd, wide_vs2; /* widths in bits */
};

/* Operands that coincide where V 1.0 allows it: equal widths, the last part of a wider result, the
 * first part of a wider source. */
static void overlap(struct vector_bench *b, struct shot *shot)
{
    int lmul = b->type.lmul;
    uint32_t pick = harness_random(&b->random);
    bool to_v0 = b->masked && shot->vs2 == 0;
    enum shape shape = shot->row->shape;
    if (pick & 3 || to_v0) {
        return;
    }
    if (shape == NARROW || writes_mask(shape) || shape == SAME || shape == MAC || shape == WIDE_W) {
        shot->vd = shot->vs2;
        if (shape == SAME && shot->form == V && pick & 4) {
            shot->vs1 = shot->vs2;
        }
    } else if ((shape == WIDE || shape == WIDE_MAC) && lmul >= 0) {
        shot->vs2 = shot->vd + (1u << lmul);
    }
}

static struct shot choose(struct vector_bench *b, const struct row *row, unsigned form)
{
    struct shot shot = {.row = row, .form = form};
    int lmul = b->type.lmul;
    bool wide_vs2 = row->shape == WIDE_W || row->shape == NARROW;
    shot.wide_vd = is_wide(row->shape) ? 2 * b->type.sew : b->type.sew;
    shot.wide_vs2 = wide_vs2 ? 2 * b->type.sew : b->type.sew;
    if (takes_carry(row->shape)) { /* v0 is an operand; results that are no masks keep off it */
        b->free &= ~UINT32_C(1);
    }
    if (row->shape == MOVE || row->shape == CARRY_IN || row->shape == MERGE) {
        b->masked = row->shape != MOVE;
    }
    shot.vd = vector_take(b, writes_mask(row->shape) ? 0 : is_wide(row->shape) ? lmul + 1 : lmul);
    shot.vs2 = vector_take(b, wide_vs2 ? lmul + 1 : lmul);
    shot.vs1 = form == V ? vector_take(b, lmul) : VECTOR_SCALAR;
    shot.immediate = harness_random(&b->random) & 31;
    if (row->shape == MOVE) {
        shot.vs2 = 0;
    } else {
        overlap(b, &shot);
    }
    if (row->shape == COMPARE && harness_random(&b->random) % 8 == 0) {
        shot.vd = 0; /* a compare may overwrite its own mask */
    }
    return shot;
}

static uint64_t second_operand(const struct vector_bench *b, const struct shot *shot, uint32_t i)
{
    uint64_t mask = (UINT64_C(1) << b->type.sew) - 1;
    switch (shot->form) {
    case V:
        return vector_get(b, shot->vs1, i, b->type.sew);
    case X:
        return b->h->hart.x[VECTOR_SCALAR] & mask;
    case I:
        return (uint64_t)sx(shot->immediate, 5) & mask;
    default:
        return shot->immediate;
    }
}

static void model_case(struct vector_bench *b, const struct shot *shot)
{
    enum shape shape = shot->row->shape;
    for (uint32_t i = 0; i < b->vl; i++) {
        bool mask = vector_mask_bit(b, 0, i);
        if (b->masked && !mask && !takes_carry(shape)) {
            continue;
        }
        struct operands o = {
            .sew = b->type.sew,
            .a = vector_get(b, shot->vs2, i, shot->wide_vs2),
            .b = second_operand(b, shot, i),
            .d = writes_mask(shape) ? 0 : vector_get(b, shot->vd, i, shot->wide_vd),
            .carry = takes_carry(shape) && b->masked && mask,
            .vxrm = b->vxrm,
        };
        uint64_t result = shot->row->run(&o);
        b->vxsat |= o.saturated;
        if (writes_mask(shape)) {
            vector_put_bit(b, shot->vd, i, result & 1);
        } else {
            vector_put(b, shot->vd, i, shot->wide_vd, (uint32_t)result);
        }
    }
}

static uint32_t shot_word(const struct vector_bench *b, const struct shot *shot)
{
    static const enum vector_funct3 plain[] = {[V] = OPIVV, [X] = OPIVX, [I] = OPIVI, [U] = OPIVI};
    static const enum vector_funct3 multiply[] = {[V] = OPMVV, [X] = OPMVX};
    enum vector_funct3 funct3 = shot->row->multiply ? multiply[shot->form] : plain[shot->form];
    uint32_t s1 = shot->form >= I ? shot->immediate : shot->vs1;
    return words_v(shot->row->funct6, vector_vm(b), shot->vs2, s1, funct3, shot->vd);
}

static void shot_text(const struct vector_bench *b, const struct shot *shot, uint32_t word)
{
    static const char letters[] = {[V] = 'v', [X] = 'x', [I] = 'i', [U] = 'i'};
    char mnemonic[24], second[16], operands[48];
    enum shape shape = shot->row->shape;
    bool with_carry = takes_carry(shape) && b->masked;
    snprintf(mnemonic, sizeof mnemonic, shape == MOVE ? "%s.v.%c" : "%s.%c%c%s",
             shot->row->mnemonic,
             shape == MOVE                        ? letters[shot->form]
             : shape == WIDE_W || shape == NARROW ? 'w'
                                                  : 'v',
             letters[shot->form], with_carry ? "m" : "");
    if (shot->form == V) {
        snprintf(second, sizeof second, "v%u", shot->vs1);
    } else if (shot->form == X) {
        snprintf(second, sizeof second, "t3");
    } else if (shot->form == I) {
        snprintf(second, sizeof second, "%d", (int)sx(shot->immediate, 5));
    } else {
        snprintf(second, sizeof second, shot->immediate < 10 ? "%u" : "0x%x", shot->immediate);
    }
    if (shape == MOVE) {
        snprintf(operands, sizeof operands, "v%u, %s", shot->vd, second);
    } else if (shape == MAC || shape == WIDE_MAC) {
        snprintf(operands, sizeof operands, "v%u, %s, v%u", shot->vd, second, shot->vs2);
    } else {
        snprintf(operands, sizeof operands, "v%u, v%u, %s%s", shot->vd, shot->vs2, second,
                 with_carry ? ", v0" : "");
    }
    if (with_carry) {
        char text[96];
        snprintf(text, sizeof text, "%s %s", mnemonic, operands);
        harness_check_text(b->h, word, 0, text);
    } else {
        vector_check_text(b, word, mnemonic, operands);
    }
}

static void run_case(struct vector_bench *b, const struct row *row, unsigned form)
{
    struct shot shot = choose(b, row, form);
    uint32_t word = shot_word(b, &shot);
    shot_text(b, &shot, word);
    model_case(b, &shot);
    vector_check(b, word);
}

/* A row in all its forms and all types that it has. */
TEST_EACH(arithmetic, COUNT(rows))
{
    const struct row *row = &rows[_i];
    struct vector_bench b;
    rvv_open(&b, 100 + (uint64_t)_i);
    for (int t = 0; t < VECTOR_TYPES; t++) {
        for (unsigned form = V; form <= U && type_fits(row->shape, vector_types[t]); form *= 2) {
            for (int i = 0; i < CASES && row->forms & form; i++) {
                vector_roll(&b, vector_types[t]);
                run_case(&b, row, form);
            }
        }
    }
}

/* vxsat stays set; saturation in elements that are not active does not set it. */
TEST(sticky_saturation)
{
    struct harness *h = harness_create(RV32_T2);
    static const char *const lines[] = {"addi t0, zero, 2",
                                        "vsetvli zero, t0, e8, m1, tu, mu",
                                        "vsadd.vv v1, v2, v2",
                                        "csrrs t1, vxsat, zero",
                                        "vadd.vv v1, v2, v2",
                                        "csrrs t2, vxsat, zero",
                                        "csrrw zero, vxsat, zero",
                                        "vsadd.vv v1, v3, v3",
                                        "csrrs t3, vxsat, zero",
                                        "vsadd.vv v1, v2, v2, v0.t",
                                        "csrrs t4, vxsat, zero",
                                        "ebreak",
                                        NULL};
    harness_program(h, 0, lines);
    h->hart.v[2][1] = 0x7f; /* element 1 */
    h->hart.v[3][2] = 0x7f; /* element 2: tail */
    h->hart.v[0][0] = 0xfd;
    harness_run(h, 20);
    ck_assert_int_eq(h->hart.stop, RV32_STOP_PAUSE);
    ck_assert_uint_eq(h->hart.x[T1], 1);
    ck_assert_uint_eq(h->hart.x[T2], 1);
    ck_assert_uint_eq(h->hart.x[28], 0);
    ck_assert_uint_eq(h->hart.x[29], 0);
}

/* --- Configuration --- */

enum { SETVLI, SETIVLI, SETVL, SETTERS };

static uint32_t set_word(int setter, uint32_t rd, uint32_t rs1, uint32_t vtype)
{
    switch (setter) {
    case SETVLI:
        return vtype << 20 | rs1 << 15 | 7 << 12 | rd << 7 | OPCODE_OP_V;
    case SETIVLI:
        return UINT32_C(3) << 30 | vtype << 20 | rs1 << 15 | 7 << 12 | rd << 7 | OPCODE_OP_V;
    default:
        return words_r(OPCODE_OP_V, 7, 0x40, rd, rs1, T2);
    }
}

/* vl of an application length; `exact` false where V 1.0 leaves a choice up to VLMAX. */
static uint32_t vl_of(uint32_t length, uint32_t vlmax, bool *exact)
{
    *exact = length <= vlmax || length >= 2 * vlmax;
    return length < vlmax ? length : vlmax;
}

static void check_set(struct harness *h, int setter, struct vector_type type, uint32_t length,
                      uint32_t agnostic)
{
    bool exact;
    uint32_t vtype = vector_vtype(type) | agnostic, vlmax = vector_vlmax(type);
    uint32_t expected = vl_of(length, vlmax, &exact);
    h->hart.x[T1] = length;
    h->hart.x[T2] = vtype;
    harness_do(h, set_word(setter, T0, setter == SETIVLI ? length : T1, vtype));
    uint32_t vl = h->hart.x[T0];
    ck_assert_msg(exact ? vl == expected : vl <= vlmax && vl >= (length + 1) / 2,
                  "setter %d, e%u, lmul 2^%d, length %u gives %u", setter, type.sew, type.lmul,
                  length, vl);
    harness_do(h, words_csr(CSR_RS, A0, VL, X0));
    ck_assert_uint_eq(h->hart.x[A0], vl);
    harness_do(h, words_csr(CSR_RS, A0, VTYPE, X0));
    ck_assert_uint_eq(h->hart.x[A0] & 0x3f, vtype & 0x3f);
    harness_do(h, words_csr(CSR_RS, A0, VSTART, X0));
    ck_assert_uint_eq(h->hart.x[A0], 0);
}

TEST_EACH(set_lengths, VECTOR_TYPES)
{
    struct harness *h = harness_create(RV32_T2);
    struct vector_type type = vector_types[_i];
    uint32_t vlmax = vector_vlmax(type);
    const uint32_t lengths[] = {1,         2,    vlmax - 1,  vlmax,      vlmax + 1, 2 * vlmax - 1,
                                2 * vlmax, 1000, 0x80000000, 0xffffffff, 0};
    for (uint32_t agnostic = 0; agnostic < 4; agnostic++) {
        for (int i = 0; i < COUNT(lengths); i++) {
            check_set(h, SETVLI, type, lengths[i], agnostic << 6);
            check_set(h, SETVL, type, lengths[i], agnostic << 6);
        }
        for (uint32_t length = 0; length < 32; length++) {
            check_set(h, SETIVLI, type, length, agnostic << 6);
        }
    }
}

/* rs1 = x0: all elements when rd is not x0, else vl stays. vsetivli with 0 means 0. */
TEST_EACH(set_with_x0, VECTOR_TYPES)
{
    struct harness *h = harness_create(RV32_T2);
    struct vector_type type = vector_types[_i];
    uint32_t vtype = vector_vtype(type), vlmax = vector_vlmax(type);
    for (int setter = SETVLI; setter < SETTERS; setter++) {
        if (setter == SETIVLI) {
            continue;
        }
        h->hart.x[T2] = vtype;
        harness_do(h, set_word(setter, T0, X0, vtype));
        ck_assert_uint_eq(h->hart.x[T0], vlmax);
        ck_assert_uint_eq(h->hart.csr.vl, vlmax);
        h->hart.x[T1] = vlmax - 1;
        harness_do(h, set_word(setter, X0, T1, vtype));
        ck_assert_uint_eq(h->hart.x[0], 0);
        ck_assert_uint_eq(h->hart.csr.vl, vlmax - 1);
        harness_do(h, set_word(setter, X0, X0, vtype | 0xc0));
        ck_assert_uint_eq(h->hart.csr.vl, vlmax - 1);
        /* another type with the same ratio keeps vl, too */
        if (type.sew > 8 && type.lmul > -1) {
            struct vector_type half = {type.sew / 2, type.lmul - 1};
            h->hart.x[T2] = vector_vtype(half);
            harness_do(h, set_word(setter, X0, X0, vector_vtype(half)));
            ck_assert_uint_eq(h->hart.csr.vl, vlmax - 1);
            ck_assert_uint_eq(h->hart.csr.vtype & 0x3f, vector_vtype(half));
        }
    }
    harness_do(h, set_word(SETIVLI, T0, 0, vtype));
    ck_assert_uint_eq(h->hart.x[T0], 0);
}

/* vl and vtype are writable with CSR instructions; vlenb, too, but without effect. */
TEST(set_by_csr)
{
    struct harness *h = harness_create(RV32_T2);
    h->hart.x[T1] = 4;
    harness_do(h, set_word(SETVLI, T0, T1, 0x10)); /* e32, m1 */
    memset(h->hart.v[2], 0x11, RV32_VLEN_BYTES);
    memset(h->hart.v[1], 0, RV32_VLEN_BYTES);
    h->hart.x[T1] = 3;
    harness_do(h, words_csr(CSR_RW, X0, VL, T1));
    h->hart.x[T1] = 99;
    harness_do(h, words_csr(CSR_RW, X0, VLENB, T1));
    harness_do(h, words_csr(CSR_RS, A0, VLENB, X0));
    ck_assert_uint_eq(h->hart.x[A0], 99);
    harness_do(h, 0x022100d7); /* vadd.vv v1, v2, v2 */
    for (int i = 0; i < RV32_VLEN_BYTES; i++) {
        ck_assert_uint_eq(h->hart.v[1][i], i < 12 ? 0x22 : 0);
    }
    harness_do(h, words_csr(CSR_RWI, X0, VTYPE, 8)); /* e16, m1: three elements of two bytes */
    harness_do(h, 0x022100d7 | 2 << 7);              /* vadd.vv v3, v2, v2 */
    for (int i = 0; i < RV32_VLEN_BYTES; i++) {
        ck_assert_uint_eq(h->hart.v[3][i], i < 6 ? 0x22 : 0);
    }
}

/* Agnostic bits change nothing: tail and masked-off elements stay. */
TEST(agnostic_is_undisturbed)
{
    struct harness *h = harness_create(RV32_T2);
    for (uint32_t agnostic = 0; agnostic < 4; agnostic++) {
        memset(h->hart.v[1], 0x77, RV32_VLEN_BYTES);
        memset(h->hart.v[2], 0x11, RV32_VLEN_BYTES);
        h->hart.v[0][0] = 0x15;
        harness_do(h, set_word(SETIVLI, X0, 7, agnostic << 6)); /* e8, m1 */
        harness_do(h, 0x002100d7);                              /* vadd.vv v1, v2, v2, v0.t */
        for (int i = 0; i < RV32_VLEN_BYTES; i++) {
            bool active = i == 0 || i == 2 || i == 4;
            ck_assert_uint_eq(h->hart.v[1][i], active ? 0x22 : 0x77);
        }
    }
}

static const struct {
    uint32_t word;
    const char *text;
} set_texts[] = {
    {0x010372d7, "vsetvli t0, t1, e32, m1, tu, mu"},
    {0x0c0372d7, "vsetvli t0, t1, e8, m1, ta, ma"},
    {0x00d07057, "vsetvli zero, zero, e16, mf8, tu, mu"},
    {0x053372d7, "vsetvli t0, t1, e32, m8, ta, mu"},
    {0x08e372d7, "vsetvli t0, t1, e16, mf4, tu, ma"},
    {0x00f372d7, "vsetvli t0, t1, e16, mf2, tu, mu"},
    {0xcc9272d7, "vsetivli t0, 4, e16, m2, ta, ma"},
    {0xc02ff057, "vsetivli zero, 0x1f, e8, m4, tu, mu"},
    {0x807372d7, "vsetvl t0, t1, t2"},
    {0x81c07057, "vsetvl zero, zero, t3"},
};

TEST(set_text)
{
    struct harness *h = harness_create(RV32_T2);
    for (int i = 0; i < COUNT(set_texts); i++) {
        harness_check_text(h, set_texts[i].word, 0, set_texts[i].text);
        ck_assert_uint_eq(harness_encode(set_texts[i].text, 0), set_texts[i].word);
    }
}

/* --- What there is not (InstructionSet page) --- */

static const struct {
    uint32_t funct6, s1;
    enum vector_funct3 funct3;
    const char *mnemonic;
} absent[] = {
    {0x20, 3, OPMVV, "vdivu.vv"},   {0x20, 3, OPMVX, "vdivu.vx"},  {0x21, 3, OPMVV, "vdiv.vv"},
    {0x21, 3, OPMVX, "vdiv.vx"},    {0x22, 3, OPMVV, "vremu.vv"},  {0x22, 3, OPMVX, "vremu.vx"},
    {0x23, 3, OPMVV, "vrem.vv"},    {0x23, 3, OPMVX, "vrem.vx"},   {0x20, 3, OPFVV, "vfdiv.vv"},
    {0x20, 3, OPFVF, "vfdiv.vf"},   {0x21, 3, OPFVF, "vfrdiv.vf"}, {0x13, 0, OPFVV, "vfsqrt.v"},
    {0x13, 4, OPFVV, "vfrsqrt7.v"}, {0x13, 5, OPFVV, "vfrec7.v"},
};

TEST_EACH(absent_instruction, COUNT(absent))
{
    struct vector_bench b;
    rvv_open(&b, 7);
    for (uint32_t vm = 0; vm < 2; vm++) {
        uint32_t word = words_v(absent[_i].funct6, vm, 4, absent[_i].s1, absent[_i].funct3, 2);
        vector_roll(&b, (struct vector_type){32, 0});
        harness_check_mnemonic(b.h, word, absent[_i].mnemonic);
        rvv_execute(&b, word);
        harness_check_fault(b.h, PENROSE_FAULT_STUB, VECTOR_PC + 4, word);
        ck_assert_ptr_nonnull(strstr(b.h->hart.fault.detail, absent[_i].mnemonic));
        ck_assert(!memcmp(b.h->hart.v, b.before, sizeof b.before));
    }
}

/* Elements have at most 32 bits. */
static const struct {
    uint32_t word;
    const char *mnemonic;
} too_wide[] = {
    {0x02037107, "vle64.v"},    {0x02037127, "vse64.v"},    {0x0a737107, "vlse64.v"},
    {0x0e437107, "vloxei64.v"}, {0x06437127, "vsuxei64.v"}, {0x4a412157, "vzext.vf8"},
    {0x4a41a157, "vsext.vf8"},
};

TEST_EACH(too_wide_instruction, COUNT(too_wide))
{
    struct vector_bench b;
    rvv_open(&b, 8);
    vector_roll(&b, (struct vector_type){32, 1});
    b.vl = 2;
    b.h->hart.x[T1] = 0x8000;
    b.h->hart.x[T2] = 8;
    uint32_t word = too_wide[_i].word;
    harness_check_mnemonic(b.h, word, too_wide[_i].mnemonic);
    rvv_execute(&b, word);
    harness_check_fault(b.h, PENROSE_FAULT_STUB, VECTOR_PC + 4, word);
    ck_assert_ptr_nonnull(strstr(b.h->hart.fault.detail, too_wide[_i].mnemonic));
    ck_assert(!memcmp(b.h->hart.v, b.before, sizeof b.before));
}
