/*
 * The Matrix Unit's modes: GMPOOL with and without index as WormholeB0 GMPOOL models it, formats
 * that banks imply and configuration overrides (ELWMUL, FP16A_FORCE), hand-over of banks, and
 * stochastic rounding, of which no page says more than that there is a bit for it.
 */
#include "unit/tensix/matrix_world.h"
#include "unit/random.h"
#include "unit/run_suite.h"

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
        return d.exponent
                   ? d.sign << 31 | (d.mantissa & 0x3f8) << 21 | ((d.exponent - 127) & 0xff) << 16 |
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
        uint32_t spread = random_scaled(&w->random, 5);
        uint32_t scale = c->style == POOL_INT ? one : one - 2 + spread;
        set_src(w, TENSIX_SRC_B, 0, i,
                random_scaled(&w->random, 8) ? scale | (random_next(&w->random) & 0x7ff00) : 0);
        for (unsigned column = 0; column < COLUMNS; column++) {
            uint32_t x = random_next(&w->random);
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
    for (unsigned round = 0; round < 60; round++) {
        pool_data(&w, c);
        for (unsigned k = 0; k < 4 * COLUMNS; k++) {
            uint32_t x = random_next(&w.random);
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
        set_rwc(&w, random_scaled(&w.random, 16), random_scaled(&w.random, 8),
                random_scaled(&w.random, 4), 0);
        run(&w, GMPOOL, 1U << 19 | (uint32_t)c->argmax << 14);
        for (unsigned k = 0; k < 4 * COLUMNS; k++) {
            unsigned row = k / 16, column = k % 16;
            enum tensix_dst_undefined reads = TENSIX_DST_READS_MINUS_INFINITY;
            uint32_t old =
                c->is_32bit
                    ? tensix_dst_read32(&w.before, d_no_map, row, column, reads)
                    : (uint32_t)tensix_dst_read16(&w.before, d_no_map, row, column, reads) << 16;
            uint32_t right = row ? (c->argmax ? (old + 0x100) & 0xf00 : 0)
                             : column < 16
                                 ? pool_column(&w, column, old, c->style, c->dst_style, c->argmax)
                                 : 0;
            uint32_t got = c->is_32bit ? read32(&t->dst, row, column)
                                       : (uint32_t)tensix_dst_read16(&t->dst, d_no_map, row, column,
                                                                     TENSIX_DST_READS_ZERO)
                                             << 16;
            right = c->is_32bit ? right : right & 0xffff0000;
            D_EXPECT(got == right, "case %d%s, row %u: 0x%x became 0x%x, should be 0x%x", _i,
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
    } codes[] = {{D_FP32, false}, {D_BF16, false},  {D_BFP8, false},  {D_BFP4, false},
                 {D_BFP2, false}, {D_INT32, false}, {D_INT16, false}, {D_TF32, false},
                 {D_FP16, true},  {D_FP8, true},    {D_BFP8A, true},  {D_BFP4A, true},
                 {D_BFP2A, true}, {D_INT8, true}};
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
        D_EXPECT(one_times(&w, one) == right, "implied code %u", code);
        /* The configured one. */
        D_THREAD(t, DISABLE_IMPLIED_SRCA_FMT_Base, 1);
        D_THREAD(t, DISABLE_IMPLIED_SRCB_FMT_Base, 1);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG0_SrcA, code);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG1_SrcB, code);
        t->src_file[0].format[0] = t->src_file[1].format[0] = other;
        D_EXPECT(one_times(&w, one) == right, "configured code %u", code);
        /* The one that overrides it. */
        D_CONFIG(t, ALU_FORMAT_SPEC_REG0_SrcA, other);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG1_SrcB, other);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcA_val, code);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcA_override, 1);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcB_val, code);
        D_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcB_override, 1);
        D_EXPECT(one_times(&w, one) == right, "overriding code %u", code);
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
            D_EXPECT(d_load_bf16(again.harness.tensix.dst.bits[k / 16][k % 16]) == got,
                     "two runs differ");
            D_EXPECT(got == 0x3f80 || got == 0x3f81, "0x%x", got);
            ups += got == 0x3f81;
            differ += (got == 0x3f81) != (eighths >= 4);
            draws++;
        }
    }
    double right = eighths / 8.0, sigma = sqrt(right * (1 - right) / draws);
    D_EXPECT(fabs(1.0 * ups / draws - right) < 5 * sigma + 0.004, "%u eighths: %u of %u went up",
             eighths, ups, draws);
    ck_assert_uint_gt(differ, 0);
    close_world(&w);
    close_world(&again);
}
END_TEST

int main(void)
{
    Suite *all = suite_create("modes of the Matrix Unit");
    TCase *modes = tcase_create("modes");
    tcase_set_timeout(modes, 120);
    tcase_add_loop_test(modes, pools, 0, POOL_CASES);
    tcase_add_test(modes, formats);
    tcase_add_loop_test(modes, forced_fp16, 0, 8);
    tcase_add_loop_test(modes, banks, 0, 7 * 4 * 4);
    tcase_add_loop_test(modes, stochastic, 0, 3 * 7);
    suite_add_tcase(all, modes);
    return run_suite(all);
}
