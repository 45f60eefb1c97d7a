/*
 * The Matrix Unit's arithmetic where the pages fix it to the bit: WormholeB0 MVMUL, DOTPV, GAPOOL,
 * ELWMUL, ELWADD, ELWSUB, MatrixUnit (helpers of its newest version), SrcASrcB (fidelity
 * phases), RWCs; the seeds for the address modifiers of a HiFi4 matmul. The pages call their
 * floating point a rough guide, so data here are such that no order of adding and no rounding can
 * make a difference: small integers, single products, powers of two.
 */
#include "unit/tensix/matrix_world.h"
#include "unit/random.h"
#include "unit/run_suite.h"

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
    unsigned field = random_scaled(&w->random, 120), offset = random_scaled(&w->random, 120);
    unsigned counter = random_scaled(&w->random, 120), base = random_scaled(&w->random, 120);
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
        unsigned a = 16 * random_scaled(&w.random, 4), b = random_scaled(&w.random, 64);
        unsigned dst = random_dst_row(&w, &field) & p->dst_mask;
        set_rwc(&w, a | random_scaled(&w.random, 8), b, w.harness.tensix.thread[0].rwc.dst, 0);
        run(&w, p->opcode, p->operands | field);
        for (unsigned row = 0; row < 8; row++) {
            for (unsigned column = 0; (p->rows >> row & 1) && column < COLUMNS; column++) {
                double right =
                    dst_float(&w.before, dst + row, column) +
                    sum_of_products(&w, style, a, (b & p->b_mask) + (p->one_row ? 0 : row), column);
                double got = dst_float(&w.harness.tensix.dst, dst + row, column);
                D_EXPECT(got == right, "product %d, row %u: %f, should be %f", _i % 4, row, got,
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
            D_EXPECT(dst_float(&w.harness.tensix.dst, row, column) == right, "row %u", row);
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
        unsigned a = random_scaled(&w.random, 64), b = random_scaled(&w.random, 64),
                 broadcast = i & 3;
        bool accumulates = opcode == ELWMUL || i & 4, by_row = broadcast & 2;
        unsigned phase = opcode == ELWMUL ? 0 : random_scaled(&w.random, 4);
        unsigned base = random_scaled(&w.random, 4);
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
            D_EXPECT(got == right, "opcode 0x%x, broadcast %u, phase %u: %f, should be %f", opcode,
                     broadcast, phase, got, right);
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
        D_EXPECT(dst_float(&w.harness.tensix.dst, at[0], at[1]) == right, "row %u", at[0]);
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
    uint32_t bits = random_next(&w->random), exponent = random_scaled(&w->random, 12);
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
    for (unsigned i = 0; i < 12; i++) {
        unsigned base = random_scaled(&w.random, 4);
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
            D_EXPECT(got == right, "phase %u of 0x%x * 0x%x is %g, should be %g", phase, a, b, got,
                     right);
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
        int64_t near = INT32_MAX - (int64_t)random_scaled(&w->random, 200000);
        near = random_next(&w->random) & 1 ? near : -near;
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
    for (unsigned i = 0; i < 8; i++) {
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
            for (unsigned j = 0;
                 (opcode & 0x3f) != ELWMUL && opcode != ELWADD && opcode != ELWSUB && j < 16; j++) {
                right += int_slice(int_at(&w, TENSIX_SRC_A, j, column), mask_a) *
                         int_slice(int_at(&w, TENSIX_SRC_B, row, j), mask_b);
            }
            right = saturate(right + dst_int(&w.before, row, column));
            int64_t got = dst_int(&w.harness.tensix.dst, row, column);
            D_EXPECT(got == right, "opcode 0x%x phase %u: %lld, should be %lld", opcode, phase,
                     (long long)got, (long long)right);
        }
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
    {0, 8, 8},
    {16, 0x40, 8},
    {0x40, 0x40 | 32, 8},
    {0, 0, 0},
    {0x40 | 32, 0x40 | 48, 0x400},
    {0x80, 0x80, 0x800 | 1 << 13},
    {0, 0, 0},
    {0, 0, 0},
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
    int magnitude = 128 + (int)random_scaled(&w->random, 128);
    return random_next(&w->random) & 1 ? -magnitude : magnitude;
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
            D_EXPECT(rwc->src_a == trace[i].a && rwc->src_b == trace[i].b &&
                         rwc->dst == trace[i].dst && rwc->fidelity == phase,
                     "phase %u, MVMUL %u", phase, i);
            tensix_harness_push(&w.harness, 0,
                                (uint32_t)MVMUL << 24 | (uint32_t)trace[i].mod << 14);
        }
    }
    ck_assert_uint_eq(rwc->fidelity, 0); /* it wraps */
    for (unsigned k = 0; k < 1024; k++) {
        int sum = 0;
        for (unsigned j = 0; j < 32; j++) {
            sum += b[k / 32][j] * a[j][k % 32];
        }
        double got = dst_float(&t->dst, face_row(k / 32, k % 32), k % 16);
        D_EXPECT(got == sum, "row %u column %u: %f, should be %d", k / 32, k % 32, got, sum);
    }
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *all = suite_create("Matrix Unit");
    TCase *sums = tcase_create("arithmetic");
    tcase_set_timeout(sums, 120);
    tcase_add_loop_test(sums, rows_of_products, 0, 12);
    tcase_add_loop_test(sums, src_a_at_eight, 0, 3);
    tcase_add_loop_test(sums, elements, 0, 9);
    tcase_add_loop_test(sums, undefined_rows, 0, 4);
    tcase_add_loop_test(sums, phases_of_products, 0, 24);
    tcase_add_loop_test(sums, integers, 0, 24);
    tcase_add_loop_test(sums, hifi4_matmul, 0, 3);
    suite_add_tcase(all, sums);
    return run_suite(all);
}
