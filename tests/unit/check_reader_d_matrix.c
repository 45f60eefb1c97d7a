/*
 * The Matrix Unit's arithmetic where the pages fix it to the bit: WormholeB0 MVMUL, DOTPV, GAPOOL,
 * ELWMUL, ELWADD, ELWSUB, GMPOOL, MatrixUnit (helpers of its newest version), SrcASrcB (fidelity
 * phases), RWCs; the seeds for the address modifiers of a HiFi4 matmul. The pages call their
 * floating point a rough guide, so data here are such that no order of adding and no rounding can
 * make a difference: small integers, single products, powers of two.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_reader_d_common.h"

enum { COLUMNS = 16, SRC_ROWS = 64, MVMUL = 0x26, ELWMUL, ELWADD, DOTPV, ELWSUB = 0x30 };
enum { GMPOOL = 0x33, GAPOOL };
enum style { BF16, FP16, TF32 };

static const uint8_t style_code[] = {D_BF16, D_FP16, D_TF32};

struct world {
    struct tensix_harness harness;
    struct tensix_dst before;
    uint64_t random;
};

static void open_world(struct world *w, enum style style, bool is_32bit, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->random = seed;
    tensix_harness_open(&w->harness);
    struct tensix *t = &w->harness.tensix;
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        t->src[src].matrix_may[0] = t->src[src].matrix_may[1] = true;
        t->src_file[src].format[0] = t->src_file[src].format[1] = style_code[style];
    }
    D_CONFIG(t, ALU_ACC_CTRL_Fp32_enabled, is_32bit);
}

static void close_world(struct world *w)
{
    ck_assert_msg(w->harness.faults == 0, "%s", w->harness.fault.text);
    tensix_harness_close(&w->harness);
}

static int any_integer(struct world *w, unsigned most)
{
    return (int)d_below(&w->random, 2 * most + 1) - (int)most;
}

/* --- Patterns --- */

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Values that all styles have: as Src stores them. */
static uint32_t src_of(enum style style, float x)
{
    uint32_t bits = bits_of(x), exponent = bits >> 23 & 0xff;
    if (x == 0) {
        return 0;
    }
    return (bits >> 31) << 18 | (bits >> 13 & 0x3ff) << 8 |
           (style == FP16 ? exponent - 112 : exponent);
}

/* The value of any datum but a denormal, which is 0. */
static double src_value(enum style style, uint32_t src)
{
    int exponent = (int)(src & (style == FP16 ? 0x1f : 0xff));
    int bias = style == FP16 ? 15 : 127;
    double x = ldexp(1024 + (src >> 8 & 0x3ff), exponent - bias - 10);
    return exponent == 0 ? 0 : src >> 18 & 1 ? -x : x;
}

static void set_src(struct world *w, enum tensix_src src, unsigned row, unsigned column,
                    uint32_t value)
{
    w->harness.tensix.src_file[src].bank[0][row][column] = value;
}

static uint32_t read32(const struct tensix_dst *dst, unsigned row, unsigned column)
{
    return tensix_dst_read32(dst, d_no_map, row & 1023, column, TENSIX_DST_READS_ZERO);
}

static void write32(struct world *w, unsigned row, unsigned column, uint32_t stored)
{
    tensix_dst_write32(&w->harness.tensix.dst, d_no_map, row, column, stored);
}

static double dst_float(const struct tensix_dst *dst, unsigned row, unsigned column)
{
    return (double)float_of(d_load_fp32(read32(dst, row, column)));
}

static int64_t dst_int(const struct tensix_dst *dst, unsigned row, unsigned column)
{
    uint32_t x = d_load_fp32(read32(dst, row, column));
    int64_t magnitude = x & INT32_MAX;
    return x >> 31 ? -magnitude : magnitude;
}

static void put_int(struct world *w, unsigned row, unsigned column, int64_t x)
{
    uint32_t magnitude = (uint32_t)(x < 0 ? -x : x);
    write32(w, row, column, d_store_fp32(magnitude | (x < 0 ? 0x80000000 : 0)));
}

static uint32_t src_int(int x)
{
    unsigned magnitude = (unsigned)(x < 0 ? -x : x);
    return (x < 0 ? UINT32_C(1) << 18 : 0) | magnitude << 8 | (magnitude ? 16 : 0);
}

/* --- Instructions --- */

static void run(struct world *w, unsigned opcode, uint32_t operands)
{
    w->before = w->harness.tensix.dst;
    tensix_harness_push(&w->harness, 0, (uint32_t)opcode << 24 | operands);
    ck_assert_msg(w->harness.faults == 0, "%s", w->harness.fault.text);
}

static void set_rwc(struct world *w, unsigned a, unsigned b, unsigned dst, unsigned fidelity)
{
    struct tensix_rwc *rwc = &w->harness.tensix.thread[0].rwc;
    rwc->src_a = a;
    rwc->src_b = b;
    rwc->dst = dst;
    rwc->fidelity = fidelity;
}

/* Rows that are not marked in `written` hold what they held. */
static void check_other_rows(const struct world *w, unsigned first, unsigned written)
{
    for (unsigned row = 0; row < 512; row++) {
        if (row >= first && row - first < 32 && (written >> (row - first) & 1)) {
            continue;
        }
        for (unsigned column = 0; column < COLUMNS; column++) {
            ck_assert_msg(read32(&w->harness.tensix.dst, row, column) ==
                              read32(&w->before, row, column),
                          "row %u has changed", row);
        }
    }
}

/* --- Which rows --- */

struct product {
    uint8_t opcode;
    uint32_t operands, dst_mask;
    uint8_t b_mask, rows; /* a bit for each row of Dst that is written */
    bool one_row;         /* of SrcB, for all of them */
};

static const struct product products[] = {
    {MVMUL, 0, 0x3f8, 0x38, 0xff, false},
    {DOTPV, 0, 0x3f8, 0x38, 0xff, false},
    {GAPOOL, 1U << 19, 0x3fc, 0x38, 0x0f, false},
    {MVMUL, 1U << 19, 0x3f9, 0x3f, 0x55, true},
};

/* Small integers everywhere, random counters and bases. */
static void small_integers(struct world *w, enum style style)
{
    for (unsigned row = 0; row < SRC_ROWS; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            set_src(w, TENSIX_SRC_A, row, column, src_of(style, (float)any_integer(w, 15)));
            set_src(w, TENSIX_SRC_B, row, column, src_of(style, (float)any_integer(w, 63)));
        }
    }
    for (unsigned row = 0; row < 512; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            write32(w, row, column, d_store_fp32(bits_of((float)any_integer(w, 1000))));
        }
    }
}

/* The four addends of DstRow; their sum is below 480. */
static unsigned random_dst_row(struct world *w, uint32_t *operand)
{
    unsigned field = d_below(&w->random, 120), offset = d_below(&w->random, 120);
    unsigned counter = d_below(&w->random, 120), base = d_below(&w->random, 120);
    D_THREAD(&w->harness.tensix, DEST_TARGET_REG_CFG_MATH_Offset, offset);
    D_CONFIG(&w->harness.tensix, DEST_REGW_BASE_Base, base);
    w->harness.tensix.thread[0].rwc.dst = counter;
    *operand = field;
    return field + offset + counter + base;
}

static double sum_of_products(const struct world *w, enum style style, unsigned a_row,
                              unsigned b_row, unsigned column)
{
    const struct tensix_src_file *file = w->harness.tensix.src_file;
    double sum = 0;
    for (unsigned k = 0; k < COLUMNS; k++) {
        sum += src_value(style, file[TENSIX_SRC_A].bank[0][a_row + k][column]) *
               src_value(style, file[TENSIX_SRC_B].bank[0][b_row][k]);
    }
    return sum;
}

START_TEST(rows_of_products)
{
    const struct product *p = &products[_i % 4];
    enum style style = (enum style)(_i / 4 % 3);
    struct world w;
    open_world(&w, style, true, (uint64_t)_i + 1);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t field;
        small_integers(&w, style);
        unsigned a = 16 * d_below(&w.random, 4), b = d_below(&w.random, 64);
        unsigned dst = random_dst_row(&w, &field) & p->dst_mask;
        set_rwc(&w, a | d_below(&w.random, 8), b, w.harness.tensix.thread[0].rwc.dst, 0);
        run(&w, p->opcode, p->operands | field);
        for (unsigned row = 0; row < 8; row++) {
            for (unsigned column = 0; (p->rows >> row & 1) && column < COLUMNS; column++) {
                double right =
                    dst_float(&w.before, dst + row, column) +
                    sum_of_products(&w, style, a, (b & p->b_mask) + (p->one_row ? 0 : row), column);
                double got = dst_float(&w.harness.tensix.dst, dst + row, column);
                ck_assert_msg(got == right, "product %d, row %u: %f, should be %f", _i % 4, row, got,
                              right);
            }
        }
        check_other_rows(&w, dst, p->rows);
    }
    close_world(&w);
}
END_TEST

/* SPEC: MVMUL masks SrcA's counter with 0x38: the matrix may begin at any multiple of eight rows
 * (the seeds' prose wants sixteen). */
START_TEST(src_a_at_eight)
{
    struct world w;
    open_world(&w, BF16, true, 3);
    small_integers(&w, BF16);
    set_rwc(&w, 8 + 16 * (unsigned)_i, 0, 0, 0);
    run(&w, MVMUL, 0);
    for (unsigned row = 0; row < 8; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            double right = dst_float(&w.before, row, column) +
                           sum_of_products(&w, BF16, 8 + 16 * (unsigned)_i, row, column);
            ck_assert(dst_float(&w.harness.tensix.dst, row, column) == right);
        }
    }
    close_world(&w);
}
END_TEST

static double element_result(const struct world *w, unsigned opcode, enum style style,
                             const unsigned at[4])
{
    const struct tensix_src_file *file = w->harness.tensix.src_file;
    double a = src_value(style, file[TENSIX_SRC_A].bank[0][at[0]][at[1]]);
    double b = src_value(style, file[TENSIX_SRC_B].bank[0][at[2]][at[3]]);
    return opcode == ELWMUL ? a * b : opcode == ELWADD ? a + b : a - b;
}

/* Broadcasts, accumulation, rows, and the division that phases make of sums. */
START_TEST(elements)
{
    static const uint8_t opcodes[] = {ELWMUL, ELWADD, ELWSUB};
    unsigned opcode = opcodes[_i % 3];
    enum style style = (enum style)(_i / 3 % 3);
    struct world w;
    open_world(&w, style, true, (uint64_t)_i + 1);
    for (unsigned i = 0; i < 16; i++) {
        uint32_t field;
        unsigned a = d_below(&w.random, 64), b = d_below(&w.random, 64), broadcast = i & 3;
        bool accumulates = opcode == ELWMUL || i & 4, by_row = broadcast & 2;
        unsigned phase = opcode == ELWMUL ? 0 : d_below(&w.random, 4);
        unsigned base = d_below(&w.random, 4);
        small_integers(&w, style);
        unsigned dst = random_dst_row(&w, &field) & 0x3f8;
        set_rwc(&w, a, b, w.harness.tensix.thread[0].rwc.dst, (phase - base) & 3);
        D_THREAD(&w.harness.tensix, FIDELITY_BASE_Phase, base);
        /* ELWMUL adds to Dst whatever its bit says: LLK leaves it clear in all four phases. */
        bool bit = opcode == ELWMUL ? i & 4 : accumulates;
        run(&w, opcode, (uint32_t)bit << 21 | broadcast << 19 | field);
        for (unsigned k = 0; k < 8 * COLUMNS; k++) {
            unsigned row = k / COLUMNS, column = k % COLUMNS;
            unsigned at[4] = {(a & 0x38) + row, column, by_row ? b : (b & 0x38) + row,
                              broadcast & 1 ? 0 : column};
            double right = element_result(&w, opcode, style, at);
            right /= phase & 1 ? 32 : 1;
            right /= phase & 2 ? 128 : 1;
            right += accumulates ? dst_float(&w.before, dst + row, column) : 0;
            double got = dst_float(&w.harness.tensix.dst, dst + row, column);
            ck_assert_msg(got == right, "opcode 0x%x, broadcast %u, phase %u: %f, should be %f",
                          opcode, broadcast, phase, got, right);
        }
        check_other_rows(&w, dst, 0xff);
    }
    close_world(&w);
}
END_TEST

/* Undefined rows are zeros to what accumulates, and valid afterwards. */
START_TEST(undefined_rows)
{
    static const uint8_t opcodes[] = {MVMUL, ELWMUL, ELWADD, ELWSUB};
    unsigned opcode = opcodes[_i];
    struct world w;
    open_world(&w, BF16, true, 5);
    small_integers(&w, BF16);
    tensix_harness_run(&w.harness, 0, "ZEROACC 3, 0, 0, 0, 0");
    set_rwc(&w, 0, 0, 0, 0);
    run(&w, opcode, UINT32_C(1) << 21 & (opcode == MVMUL ? 0 : UINT32_MAX));
    for (unsigned k = 0; k < 8 * COLUMNS; k++) {
        unsigned at[4] = {k / COLUMNS, k % COLUMNS, k / COLUMNS, k % COLUMNS};
        double right = opcode == MVMUL ? sum_of_products(&w, BF16, 0, at[0], at[1])
                                       : element_result(&w, opcode, BF16, at);
        ck_assert(dst_float(&w.harness.tensix.dst, at[0], at[1]) == right);
        ck_assert(tensix_dst_valid32(&w.harness.tensix.dst, d_no_map, at[0]));
    }
    ck_assert(!tensix_dst_valid32(&w.harness.tensix.dst, d_no_map, 8));
    close_world(&w);
}
END_TEST

/* --- Fidelity phases --- */

/* The part of a mantissa of ten bits, with its hidden bit, that a phase takes (SPEC: SrcASrcB). */
static double slice(enum style style, uint32_t src, bool low, uint32_t high_bits, uint32_t low_bits)
{
    double x = src_value(style, src & 0x400ff), magnitude = fabs(x);
    uint32_t mantissa = src >> 8 & 0x3ff;
    double part = low ? (mantissa & low_bits) / 1024.0 : 1 + (mantissa & high_bits) / 1024.0;
    return x < 0 ? -magnitude * part : magnitude * part;
}

static double phase_product(enum style style, uint32_t a, uint32_t b, unsigned phase)
{
    return slice(style, a, phase & 1, 0x3c0, 0x03e) * slice(style, b, phase & 2, 0x3f0, 0x00f);
}

/* Mantissas as the style has them, exponents near 1, now and then a denormal or zero. */
static uint32_t any_datum(struct world *w, enum style style)
{
    uint32_t bits = d_random(&w->random), exponent = d_below(&w->random, 12);
    uint32_t mantissa = bits & (style == BF16 ? 0x3f8 : 0x3ff);
    exponent = exponent == 0 ? 0 : (style == FP16 ? 8U : 120U) + exponent;
    return (bits >> 31) << 18 | mantissa << 8 | exponent;
}

START_TEST(phases_of_products)
{
    enum style style = (enum style)(_i % 3);
    unsigned phase = (unsigned)_i / 3 % 4;
    bool by_element = _i / 12;
    struct world w;
    open_world(&w, style, true, (uint64_t)_i + 1);
    struct tensix_src_file *file = w.harness.tensix.src_file;
    for (unsigned i = 0; i < 40; i++) {
        unsigned base = d_below(&w.random, 4);
        D_THREAD(&w.harness.tensix, FIDELITY_BASE_Phase, base);
        set_rwc(&w, 0, 0, 0, (phase - base) & 3);
        for (unsigned k = 0; k < 256; k++) {
            bool used = by_element || k / 16 == k % 16;
            set_src(&w, TENSIX_SRC_A, k / 16, k % 16, used ? any_datum(&w, style) : 0);
            set_src(&w, TENSIX_SRC_B, k / 16, k % 16, any_datum(&w, style));
        }
        tensix_harness_run(&w.harness, 0, "ZEROACC 3, 0, 0, 0, 0");
        run(&w, by_element ? ELWMUL : MVMUL, by_element ? 1U << 21 : 0);
        for (unsigned k = 0; k < 128; k++) {
            uint32_t a = file[TENSIX_SRC_A].bank[0][by_element ? k / 16 : k % 16][k % 16];
            uint32_t b = file[TENSIX_SRC_B].bank[0][k / 16][k % 16];
            double right = phase_product(style, a, b, phase);
            double got = dst_float(&w.harness.tensix.dst, k / 16, k % 16);
            ck_assert_msg(got == right, "phase %u of 0x%x * 0x%x is %g, should be %g", phase, a, b,
                          got, right);
        }
    }
    close_world(&w);
}
END_TEST

/* --- Integers --- */

static int int_slice(int x, unsigned mask)
{
    int magnitude = (int)((unsigned)abs(x) & mask);
    return x < 0 ? -magnitude : magnitude;
}

static int64_t saturate(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < -INT32_MAX ? -INT32_MAX : x;
}

static void open_int8(struct world *w, uint64_t seed)
{
    open_world(w, BF16, false, seed);
    D_CONFIG(&w->harness.tensix, ALU_ACC_CTRL_INT8_math_enabled, 1);
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        w->harness.tensix.src_file[src].format[0] = D_INT8;
    }
}

static int int_at(const struct world *w, enum tensix_src src, unsigned row, unsigned column)
{
    uint32_t x = w->harness.tensix.src_file[src].bank[0][row][column];
    int magnitude = (int)(x >> 8 & 0x3ff);
    return x >> 18 & 1 ? -magnitude : magnitude;
}

static void random_integers(struct world *w, bool near_limits)
{
    for (unsigned k = 0; k < SRC_ROWS * COLUMNS; k++) {
        set_src(w, TENSIX_SRC_A, k / 16, k % 16, src_int(any_integer(w, 1023)));
        set_src(w, TENSIX_SRC_B, k / 16, k % 16, src_int(any_integer(w, 1023)));
    }
    for (unsigned k = 0; k < 16 * COLUMNS; k++) {
        int64_t near = INT32_MAX - (int64_t)d_below(&w->random, 200000);
        near = d_random(&w->random) & 1 ? near : -near;
        put_int(w, k / 16, k % 16, near_limits ? near : any_integer(w, 1 << 30));
    }
}

START_TEST(integers)
{
    static const uint8_t opcodes[] = {MVMUL, DOTPV, GAPOOL, ELWMUL, ELWADD, ELWSUB};
    unsigned opcode = opcodes[_i / 4], phase = (unsigned)_i % 4;
    unsigned mask_a = phase & 1 ? 0x1f : 0xe0, mask_b = phase & 2 ? 0x00f : 0x3f0;
    struct world w;
    open_int8(&w, (uint64_t)_i + 1);
    for (unsigned i = 0; i < 20; i++) {
        random_integers(&w, i & 1);
        set_rwc(&w, 0, 0, 0, phase);
        run(&w, opcode, opcode == GAPOOL ? 1U << 19 : opcode == MVMUL ? 0 : 1U << 21);
        for (unsigned k = 0; k < (opcode == GAPOOL ? 64 : 128); k++) {
            unsigned row = k / 16, column = k % 16;
            int a = int_at(&w, TENSIX_SRC_A, row, column);
            int b = int_at(&w, TENSIX_SRC_B, row, column);
            int64_t right = 0;
            if (opcode == ELWADD || opcode == ELWSUB) {
                right = opcode == ELWADD ? a + b : a - b;
            } else if (opcode == ELWMUL) {
                right = int_slice(a, mask_a) * int_slice(b, mask_b);
            }
            for (unsigned j = 0; (opcode & 0x3f) != ELWMUL && opcode != ELWADD &&
                                 opcode != ELWSUB && j < 16; j++) {
                right += int_slice(int_at(&w, TENSIX_SRC_A, j, column), mask_a) *
                         int_slice(int_at(&w, TENSIX_SRC_B, row, j), mask_b);
            }
            right = saturate(right + dst_int(&w.before, row, column));
            int64_t got = dst_int(&w.harness.tensix.dst, row, column);
            ck_assert_msg(got == right, "opcode 0x%x phase %u: %lld, should be %lld", opcode, phase,
                          (long long)got, (long long)right);
        }
    }
    close_world(&w);
}
END_TEST

/* --- GMPOOL: the page's model, field by field --- */

struct pool_datum {
    unsigned sign, exponent, mantissa; /* 1, 9 and 10 bits */
};

enum pool_style { POOL_BF16, POOL_FP16, POOL_TF32, POOL_INT };

static struct pool_datum pool_read_dst(uint32_t dst, enum pool_style style)
{
    struct pool_datum d = {dst >> 31, 0, 0};
    switch (style) {
    case POOL_INT:
        d.mantissa = dst & 0x3ff;
        d.exponent = (dst >> 10 & 0x3f) + ((dst >> 24 & 7) << 6);
        break;
    case POOL_FP16:
        d.exponent = (dst >> 16 & 0x1f) + 15;
        d.mantissa = dst >> 21 & 0x3ff;
        break;
    default:
        d.exponent = (dst >> 16 & 0xff) + 127;
        d.mantissa = (dst >> 24 & 0x7f) << 3 | (style == POOL_TF32 ? dst >> 13 & 7 : 0);
        break;
    }
    return d;
}

static uint32_t pool_write_dst(struct pool_datum d, enum pool_style style)
{
    switch (style) {
    case POOL_INT:
        return d.sign << 31 | (d.exponent & 7) << 10 | d.mantissa;
    case POOL_FP16:
        return d.exponent & 0x3f
                   ? d.sign << 31 | d.mantissa << 21 | ((d.exponent - 15) & 0x1f) << 16
                   : 0;
    default:
        return d.exponent ? d.sign << 31 | (d.mantissa & 0x3f8) << 21 |
                                ((d.exponent - 127) & 0xff) << 16 |
                                (style == POOL_TF32 ? (d.mantissa & 7) << 13 : 0)
                          : 0;
    }
}

static struct pool_datum pool_scaled(uint32_t a, uint32_t b, enum pool_style style)
{
    struct pool_datum d = {a >> 18, 0, a >> 8 & 0x3ff};
    if ((b & 0xff) == 0) {
        return (struct pool_datum){1, 0x1ff, 0x3ff};
    }
    if ((a & 0xff) == 0) {
        return (struct pool_datum){0, 0, 0};
    }
    if (style == POOL_FP16) {
        d.exponent = (a & 0x1f) + (b & 0x1f);
    } else if (style != POOL_INT) {
        d.exponent = (a & 0xff) + (b & 0xff);
        d.mantissa &= style == POOL_BF16 ? 0x3f8 : 0x3ff;
    }
    d.exponent &= 0x1ff;
    return d;
}

static int pool_order(struct pool_datum d)
{
    int magnitude = (int)(d.exponent << 10 | d.mantissa);
    return d.sign ? -magnitude : magnitude;
}

static uint32_t pool_column(const struct world *w, unsigned column, uint32_t dst,
                            enum pool_style style, enum pool_style dst_style, bool argmax)
{
    static const uint8_t shuffled[] = {0, 3, 6, 1, 4, 7, 2, 5};
    const struct tensix_src_file *file = w->harness.tensix.src_file;
    struct pool_datum most = pool_read_dst(dst, dst_style);
    uint32_t index = dst & 0xff, phase = (dst + 0x100) & 0xf00;
    for (unsigned k = 0; k < 16; k++) {
        unsigned i = k < 8 ? k ^ 4 : k;
        struct pool_datum x = pool_scaled(file[TENSIX_SRC_A].bank[0][i][column],
                                          file[TENSIX_SRC_B].bank[0][0][i], style);
        if (pool_order(x) >= pool_order(most)) {
            most = x;
            index = i < 8 ? (phase >> 4) + shuffled[i] : index;
        }
    }
    if (!argmax) {
        return pool_write_dst(most, dst_style);
    }
    index |= phase;
    return dst_style == POOL_INT ? index : pool_write_dst(most, dst_style) | index;
}

struct pool_case {
    enum pool_style style, dst_style;
    bool is_32bit, argmax;
};

static const struct pool_case pool_cases[] = {
    {POOL_BF16, POOL_BF16, false, false}, {POOL_BF16, POOL_TF32, true, false},
    {POOL_BF16, POOL_BF16, true, true},   {POOL_FP16, POOL_FP16, false, false},
    {POOL_FP16, POOL_FP16, true, true},   {POOL_TF32, POOL_BF16, false, false},
    {POOL_TF32, POOL_TF32, true, false},  {POOL_TF32, POOL_INT, true, true},
    {POOL_INT, POOL_INT, true, false},    {POOL_INT, POOL_INT, true, true},
};

enum { POOL_CASES = sizeof pool_cases / sizeof pool_cases[0] };

static void open_pool(struct world *w, const struct pool_case *c, uint64_t seed)
{
    if (c->style == POOL_INT) {
        open_int8(w, seed);
    } else {
        open_world(w, (enum style)c->style, c->is_32bit, seed);
    }
}

/* Scales near 1, data near each other so that ties occur, zeros and denormals on both sides. */
static void pool_data(struct world *w, const struct pool_case *c)
{
    uint32_t one = c->style == POOL_FP16 ? 15 : c->style == POOL_INT ? 16 : 127;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t spread = d_below(&w->random, 5);
        uint32_t scale = c->style == POOL_INT ? one : one - 2 + spread;
        set_src(w, TENSIX_SRC_B, 0, i,
                d_below(&w->random, 8) ? scale | (d_random(&w->random) & 0x7ff00) : 0);
        for (unsigned column = 0; column < COLUMNS; column++) {
            uint32_t x = d_random(&w->random);
            uint32_t exponent = c->style == POOL_INT ? one : one - 1 + (x >> 28 & 3);
            uint32_t mantissa = x & (c->style == POOL_BF16 ? 0x380 : 0x301);
            if (c->style == POOL_INT && !mantissa) {
                exponent = 0;
            }
            exponent = x >> 22 & 7 ? exponent : 0;
            set_src(w, TENSIX_SRC_A, i, column, (x >> 31) << 18 | mantissa << 8 | exponent);
        }
    }
}

START_TEST(pools)
{
    const struct pool_case *c = &pool_cases[_i];
    struct world w;
    open_pool(&w, c, (uint64_t)_i + 1);
    struct tensix *t = &w.harness.tensix;
    for (unsigned round = 0; round < 200; round++) {
        pool_data(&w, c);
        for (unsigned k = 0; k < 4 * COLUMNS; k++) {
            uint32_t x = d_random(&w.random);
            uint32_t exponent = c->dst_style == POOL_FP16 ? 12 + (x & 7) : 124 + (x & 7);
            x = c->dst_style == POOL_INT ? x & 0x87001fff : (x & 0xff00ffff) | exponent << 16;
            if (c->is_32bit) {
                write32(&w, k / 16, k % 16, x);
            } else {
                tensix_dst_write16(&t->dst, d_no_map, k / 16, k % 16, (uint16_t)(x >> 16));
            }
        }
        bool undefined = round % 4 == 0;
        if (undefined) {
            tensix_harness_run(&w.harness, 0, "ZEROACC 3, 0, 0, 0, 0");
        }
        set_rwc(&w, d_below(&w.random, 16), d_below(&w.random, 8), d_below(&w.random, 4), 0);
        run(&w, GMPOOL, 1U << 19 | (uint32_t)c->argmax << 14);
        for (unsigned k = 0; k < 4 * COLUMNS; k++) {
            unsigned row = k / 16, column = k % 16;
            enum tensix_dst_undefined reads = TENSIX_DST_READS_MINUS_INFINITY;
            uint32_t old = c->is_32bit
                               ? tensix_dst_read32(&w.before, d_no_map, row, column, reads)
                               : (uint32_t)tensix_dst_read16(&w.before, d_no_map, row, column, reads)
                                     << 16;
            uint32_t right = row       ? (c->argmax ? (old + 0x100) & 0xf00 : 0)
                             : column < 16 ? pool_column(&w, column, old, c->style, c->dst_style,
                                                         c->argmax)
                                           : 0;
            uint32_t got = c->is_32bit ? read32(&t->dst, row, column)
                                       : (uint32_t)tensix_dst_read16(&t->dst, d_no_map, row, column,
                                                                     TENSIX_DST_READS_ZERO)
                                             << 16;
            right = c->is_32bit ? right : right & 0xffff0000;
            ck_assert_msg(got == right, "case %d%s, row %u: 0x%x became 0x%x, should be 0x%x", _i,
                          undefined ? " (undefined)" : "", row, old, got, right);
        }
    }
    close_world(&w);
}
END_TEST

/* --- Formats --- */

/* The same bits as BF16 and as FP16: 0x00085 in SrcA is 2^6 or 2^-10 (exponent 5 of 15). */
static double one_times(struct world *w, uint32_t b)
{
    set_src(w, TENSIX_SRC_A, 0, 0, 0x00085);
    set_src(w, TENSIX_SRC_B, 0, 0, b);
    tensix_harness_run(&w->harness, 0, "ZEROACC 3, 0, 0, 0, 0");
    set_rwc(w, 0, 0, 0, 0);
    run(w, ELWMUL, 1U << 21);
    return dst_float(&w->harness.tensix.dst, 0, 0);
}

START_TEST(formats)
{
    static const struct {
        uint8_t code;
        bool is_fp16;
    } codes[] = {{D_FP32, false},  {D_BF16, false}, {D_BFP8, false}, {D_BFP4, false},
                 {D_BFP2, false},  {D_INT32, false}, {D_INT16, false}, {D_TF32, false},
                 {D_FP16, true},   {D_FP8, true},   {D_BFP8A, true}, {D_BFP4A, true},
                 {D_BFP2A, true},  {D_INT8, true}};
    struct world w;
    open_world(&w, BF16, true, 1);
    struct tensix *t = &w.harness.tensix;
    for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        uint8_t code = codes[i].code, other = codes[i].is_fp16 ? D_BF16 : D_FP16;
        uint32_t one = codes[i].is_fp16 ? 15 : 127;
        double right = codes[i].is_fp16 ? ldexp(1, -10) : ldexp(1, 6);
        /* The bank's format. */
        D_CONFIG(t, ALU_FORMAT_SPEC_REG0_SrcA, other);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG1_SrcB, other);
        t->src_file[0].format[0] = t->src_file[1].format[0] = code;
        ck_assert_msg(one_times(&w, one) == right, "implied code %u", code);
        /* The configured one. */
        D_THREAD(t, DISABLE_IMPLIED_SRCA_FMT_Base, 1);
        D_THREAD(t, DISABLE_IMPLIED_SRCB_FMT_Base, 1);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG0_SrcA, code);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG1_SrcB, code);
        t->src_file[0].format[0] = t->src_file[1].format[0] = other;
        ck_assert_msg(one_times(&w, one) == right, "configured code %u", code);
        /* The one that overrides it. */
        D_CONFIG(t, ALU_FORMAT_SPEC_REG0_SrcA, other);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG1_SrcB, other);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcA_val, code);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcA_override, 1);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcB_val, code);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcB_override, 1);
        ck_assert_msg(one_times(&w, one) == right, "overriding code %u", code);
        t->config[0][TENSIX_WORD_ALU_FORMAT_SPEC_REG_SrcA_val] = 0;
        D_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcA_override, 0);
        D_THREAD(t, DISABLE_IMPLIED_SRCA_FMT_Base, 0);
        D_THREAD(t, DISABLE_IMPLIED_SRCB_FMT_Base, 0);
    }
    close_world(&w);
}
END_TEST

/* FP16A_FORCE: FP16 into 16-bit Dst, whatever else is configured. */
START_TEST(forced_fp16)
{
    static const uint8_t opcodes[] = {MVMUL, ELWMUL, ELWADD, ELWSUB};
    unsigned opcode = opcodes[_i % 4];
    struct world w;
    open_world(&w, BF16, true, 1);
    struct tensix *t = &w.harness.tensix;
    D_THREAD(t, FP16A_FORCE_Enable, 1);
    D_CONFIG(t, ALU_ACC_CTRL_INT8_math_enabled, _i / 4);
    set_src(&w, TENSIX_SRC_A, 0, 0, src_of(FP16, 3));
    set_src(&w, TENSIX_SRC_B, 0, 0, src_of(FP16, 2));
    for (unsigned row = 0; row < 16; row++) {
        tensix_dst_write16(&t->dst, d_no_map, row, 0, d_store_fp16(0x4400)); /* 4 */
    }
    run(&w, opcode, opcode == MVMUL ? 0 : 1U << 21);
    static const uint16_t right[] = {0x4900, 0x4900, 0x4880, 0x4500}; /* 10, 10, 9, 5 */
    ck_assert_uint_eq(d_load_fp16(t->dst.bits[0][0]), right[_i % 4]);
    ck_assert_uint_eq(d_load_fp16(t->dst.bits[8][0]), 0x4400);
    close_world(&w);
}
END_TEST

/* --- Banks --- */

START_TEST(banks)
{
    static const uint8_t opcodes[] = {MVMUL, ELWMUL, ELWADD, ELWSUB, DOTPV, GMPOOL, GAPOOL};
    unsigned opcode = opcodes[_i % 7], flips = (unsigned)_i / 7 & 3, keeps = (unsigned)_i / 28;
    uint32_t square = opcode >= GMPOOL ? 1U << 19 : 0;
    struct world w;
    open_world(&w, BF16, true, 1);
    struct tensix *t = &w.harness.tensix;
    D_THREAD(t, CLR_DVALID_SrcA_Disable, keeps & 1);
    D_THREAD(t, CLR_DVALID_SrcB_Disable, keeps >> 1 & 1);
    run(&w, opcode, flips << 22 | square);
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        bool flip = flips >> src & 1, keep = keeps >> src & 1;
        ck_assert_uint_eq(t->src[src].matrix_bank, flip);
        ck_assert_int_eq(t->src[src].matrix_may[0], !flip || keep);
        ck_assert_int_eq(t->src[src].matrix_may[1], true);
    }
    /* It waits for either bank, and does nothing until it has both. */
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        t->src[src].matrix_may[t->src[src].matrix_bank] = false;
        D_THREAD(t, ADDR_MOD_DST_SEC0_DestIncr, 1);
        unsigned dst = t->thread[0].rwc.dst;
        tensix_harness_push(&w.harness, 0, (uint32_t)opcode << 24 | square);
        ck_assert_int_eq(t->thread[0].wait, TENSIX_WAITS_FOR_SRC);
        ck_assert_uint_eq(t->thread[0].wait_detail, src);
        ck_assert_uint_eq(t->thread[0].rwc.dst, dst);
        t->src[src].matrix_may[t->src[src].matrix_bank] = true;
        tensix_wake(t, w.harness.time);
        tensix_harness_go(&w.harness, 0);
        ck_assert_uint_eq(t->thread[0].rwc.dst, dst + 1);
    }
    close_world(&w);
}
END_TEST

/* --- LLK's HiFi4 matmul --- */

struct modifier {
    uint8_t a, b; /* increment, 0x40: from the checkpoint, 0x80: clear */
    uint16_t dst; /* increment, 0x400: from the checkpoint, 0x800: clear, 1 << 13: fidelity */
};

/* The seeds' table; 3, 6 and 7 are not used. */
static const struct modifier modifiers[8] = {
    {0, 8, 8},           {16, 0x40, 8},
    {0x40, 0x40 | 32, 8}, {0, 0, 0},
    {0x40 | 32, 0x40 | 48, 0x400}, {0x80, 0x80, 0x800 | 1 << 13},
    {0, 0, 0},           {0, 0, 0},
};

/* Addresses before each MVMUL, by the seeds' trace. */
static const struct {
    uint8_t mod, b, a, dst;
} trace[16] = {
    {0, 0, 0, 0},    {1, 8, 0, 8},    {0, 0, 16, 16},  {2, 8, 16, 24},
    {0, 32, 0, 32},  {1, 40, 0, 40},  {0, 32, 16, 48}, {4, 40, 16, 56},
    {0, 16, 32, 0},  {1, 24, 32, 8},  {0, 16, 48, 16}, {2, 24, 48, 24},
    {0, 48, 32, 32}, {1, 56, 32, 40}, {0, 48, 48, 48}, {5, 56, 48, 56},
};

static void set_modifiers(struct tensix *t)
{
    for (unsigned i = 0; i < 8; i++) {
        t->thread_config[0][TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i] =
            (uint16_t)(modifiers[i].a | modifiers[i].b << 8);
        t->thread_config[0][TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] = modifiers[i].dst;
    }
}

/* Row and column of a tile of 32 x 32 that lies in faces of 16 x 16. */
static unsigned face_row(unsigned row, unsigned column)
{
    return (row / 16 * 2 + column / 16) * 16 + row % 16;
}

/* Of eight significant bits: products of one exponent, which nothing needs to align. */
static int any_byte(struct world *w)
{
    int magnitude = 128 + (int)d_below(&w->random, 128);
    return d_random(&w->random) & 1 ? -magnitude : magnitude;
}

START_TEST(hifi4_matmul)
{
    struct world w;
    static int a[32][32], b[32][32];
    open_world(&w, BF16, true, (uint64_t)_i + 1);
    struct tensix *t = &w.harness.tensix;
    set_modifiers(t);
    for (unsigned k = 0; k < 1024; k++) {
        a[k / 32][k % 32] = any_byte(&w);
        b[k / 32][k % 32] = any_byte(&w);
        unsigned row = face_row(k / 32, k % 32);
        set_src(&w, TENSIX_SRC_A, row, k % 16, src_of(BF16, (float)a[k / 32][k % 32]));
        set_src(&w, TENSIX_SRC_B, row, k % 16, src_of(BF16, (float)b[k / 32][k % 32]));
    }
    tensix_harness_run(&w.harness, 0, "ZEROACC 3, 0, 0, 0, 0; SETRWC 0, 0, 0, 0, 0, 15");
    const struct tensix_rwc *rwc = &t->thread[0].rwc;
    for (unsigned phase = 0; phase < 4; phase++) {
        for (unsigned i = 0; i < 16; i++) {
            ck_assert_msg(rwc->src_a == trace[i].a && rwc->src_b == trace[i].b &&
                              rwc->dst == trace[i].dst && rwc->fidelity == phase,
                          "phase %u, MVMUL %u", phase, i);
            tensix_harness_push(&w.harness, 0, (uint32_t)MVMUL << 24 | trace[i].mod << 14);
        }
    }
    ck_assert_uint_eq(rwc->fidelity, 0); /* it wraps */
    for (unsigned k = 0; k < 1024; k++) {
        int sum = 0;
        for (unsigned j = 0; j < 32; j++) {
            sum += b[k / 32][j] * a[j][k % 32];
        }
        double got = dst_float(&t->dst, face_row(k / 32, k % 32), k % 16);
        ck_assert_msg(got == sum, "row %u column %u: %f, should be %d", k / 32, k % 32, got, sum);
    }
    close_world(&w);
}
END_TEST

/* --- Stochastic rounding --- */

/*
 * Dst of BF16 gets 1 and some eighths of its last place: as many in eight go up. (Finer parts are
 * lost where operands are aligned, as without stochastic rounding.)
 */
START_TEST(stochastic)
{
    static const uint8_t opcodes[] = {MVMUL, ELWMUL, ELWADD};
    unsigned opcode = opcodes[_i % 3], eighths = 1 + (unsigned)_i / 3;
    unsigned ups = 0, differ = 0, draws = 0;
    struct world w, again;
    open_world(&w, BF16, false, 1);
    open_world(&again, BF16, false, 1);
    struct world *worlds[] = {&w, &again};
    for (unsigned i = 0; i < 2; i++) {
        D_CONFIG(&worlds[i]->harness.tensix, ALU_ROUNDING_MODE_Fpu_srnd_en, 1);
        for (unsigned k = 0; k < 256; k++) { /* 1 * x + 1, or 1 + x */
            bool diagonal = opcode != MVMUL || k / 16 == k % 16;
            set_src(worlds[i], TENSIX_SRC_A, k / 16, k % 16, src_of(BF16, diagonal));
            set_src(worlds[i], TENSIX_SRC_B, k / 16, k % 16,
                    src_of(BF16, ldexpf((float)eighths, -10)));
        }
    }
    for (unsigned round = 0; round < 64; round++) {
        for (unsigned i = 0; i < 2; i++) {
            for (unsigned k = 0; k < 128; k++) {
                tensix_dst_write16(&worlds[i]->harness.tensix.dst, d_no_map, k / 16, k % 16,
                                   d_store_bf16(0x3f80));
            }
            run(worlds[i], opcode, opcode == ELWMUL ? 1U << 21 : 0);
        }
        for (unsigned k = 0; k < 128; k++) {
            uint16_t got = d_load_bf16(w.harness.tensix.dst.bits[k / 16][k % 16]);
            ck_assert_uint_eq(d_load_bf16(again.harness.tensix.dst.bits[k / 16][k % 16]), got);
            ck_assert_msg(got == 0x3f80 || got == 0x3f81, "0x%x", got);
            ups += got == 0x3f81;
            differ += (got == 0x3f81) != (eighths >= 4);
            draws++;
        }
    }
    double right = eighths / 8.0, sigma = sqrt(right * (1 - right) / draws);
    ck_assert_msg(fabs(1.0 * ups / draws - right) < 5 * sigma + 0.004,
                  "%u eighths: %u of %u went up", eighths, ups, draws);
    ck_assert_uint_gt(differ, 0);
    close_world(&w);
    close_world(&again);
}
END_TEST

int main(void)
{
    Suite *all = suite_create("reader D: Matrix Unit");
    TCase *sums = tcase_create("arithmetic");
    tcase_set_timeout(sums, 120);
    tcase_add_loop_test(sums, rows_of_products, 0, 12);
    tcase_add_loop_test(sums, src_a_at_eight, 0, 3);
    tcase_add_loop_test(sums, elements, 0, 9);
    tcase_add_loop_test(sums, undefined_rows, 0, 4);
    tcase_add_loop_test(sums, phases_of_products, 0, 24);
    tcase_add_loop_test(sums, integers, 0, 24);
    tcase_add_loop_test(sums, pools, 0, POOL_CASES);
    suite_add_tcase(all, sums);
    TCase *control = tcase_create("control");
    tcase_add_test(control, formats);
    tcase_add_loop_test(control, forced_fp16, 0, 8);
    tcase_add_loop_test(control, banks, 0, 7 * 4 * 4);
    tcase_add_loop_test(control, hifi4_matmul, 0, 3);
    tcase_add_loop_test(control, stochastic, 0, 3 * 7);
    suite_add_tcase(all, control);
    SRunner *runner = srunner_create(all);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
