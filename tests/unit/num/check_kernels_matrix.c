/*
 * num/kernels.h, Matrix Unit: every set against the reference on structured random rows, bit for
 * bit. PENROSE_LONG=1 makes it 10 million data and more for each member of each group of modes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "num/kernel_sets.h"
#include "num/kernels.h"
#include "num/random.h"
#include "num/src_format.h"
#include "unit/test.h"
#include "unit/sanitized.h"

#if NUM_HAS_X86_KERNELS
#include <immintrin.h>
#endif

enum {
    ROW = NUM_BLOCK_DATUMS,
    ROWS = 8,
    DATUMS = ROWS * ROW,
    CANARY = 0x5a5a,
};

static const char *const set_names[] = {"avx2", "avx512"};

/* Data for each member of a group of modes; four members or more are 200,000. */
static long datums_a_group(void)
{
    const char *is_long = getenv("PENROSE_LONG");
    if (is_long && strcmp(is_long, "1") == 0) {
        return 10000000;
    }
    return SANITIZED ? 4000 : 34000;
}

/* --- Modes --- */

static const enum num_matrix_style styles[][2] = {
    {NUM_MATRIX_BF16, NUM_MATRIX_BF16}, {NUM_MATRIX_BF16, NUM_MATRIX_TF32},
    {NUM_MATRIX_TF32, NUM_MATRIX_BF16}, {NUM_MATRIX_TF32, NUM_MATRIX_TF32},
    {NUM_MATRIX_FP16, NUM_MATRIX_FP16}, {NUM_MATRIX_INT8, NUM_MATRIX_INT8},
};

enum { MODES = 6 * 4 * 2 * 2 };

static struct num_matrix_mode mode_of(int index)
{
    int style = index / 16;
    return (struct num_matrix_mode){
        .a = styles[style][0],
        .b = styles[style][1],
        .is_dst_32bit = styles[style][0] == NUM_MATRIX_INT8 || index / 8 % 2,
        .keeps_denormals = index / 4 % 2,
        .fidelity = (uint8_t)(index % 4),
    };
}

/* --- Data --- */

static uint32_t random_fraction(uint32_t *state, unsigned bits)
{
    uint32_t all = (UINT32_C(1) << bits) - 1;
    uint32_t word = num_random_next(state);
    unsigned at = (word >> 8) % bits;
    switch (word & 15) {
    case 0:
    case 1:
        return 0;
    case 2:
        return all;
    case 3:
        return UINT32_C(1) << at;
    case 4:
        return all & ~(UINT32_C(1) << at);
    case 5:
        return all << at & all;
    default:
        return word >> 4 & all;
    }
}

/* How the exponents of an operand lie. */
struct spread {
    uint32_t near, width, greatest;
    uint32_t special; /* one in so many is at an extreme, or zero; 0: none */
};

static struct spread random_spread(uint32_t *state, uint32_t greatest)
{
    static const uint8_t widths[] = {1, 2, 4, 8, 16, 32, 64, 255};
    static const uint8_t specials[] = {0, 0, 2, 16, 40, 100};
    uint32_t word = num_random_next(state);
    struct spread spread = {
        .near = (word >> 8) % (greatest + 1),
        .width = widths[(word >> 20) % sizeof(widths)],
        .greatest = greatest,
        .special = specials[(word >> 24) % sizeof(specials)],
    };
    if (greatest == 255 && word & 1) {
        spread.near = 90 + spread.near % 64; /* ordinary numbers */
    }
    return spread;
}

static uint32_t random_exponent(uint32_t *state, const struct spread *spread)
{
    static const uint8_t extremes[] = {0, 0, 0, 0, 1, 2, 15, 16, 17, 254, 255, 255};
    uint32_t word = num_random_next(state);
    uint32_t exponent = spread->near + (word >> 16) % spread->width;
    if (spread->special && (word & 0xff) % spread->special == 0) {
        exponent = extremes[(word >> 8 & 0xff) % sizeof(extremes)];
    }
    return exponent > spread->greatest ? spread->greatest : exponent;
}

static uint32_t random_int8(uint32_t *state)
{
    uint32_t word = num_random_next(state);
    uint32_t exponent = word % 16 == 0 ? 0 : word % 16 == 1 ? word >> 24 : NUM_INT8_EXPONENT;
    return (word >> 4 & 1) << 18 | random_fraction(state, 10) << 8 | exponent;
}

/* Fields that a style does not have are now and then filled all the same. */
static uint32_t random_src(uint32_t *state, enum num_matrix_style style,
                           const struct spread *spread)
{
    uint32_t word = num_random_next(state);
    if (style == NUM_MATRIX_INT8) {
        return random_int8(state);
    }
    uint32_t fraction =
        style == NUM_MATRIX_BF16 ? random_fraction(state, 7) << 3 : random_fraction(state, 10);
    uint32_t stored =
        num_src_from_tf32((word & 1) << 18 | random_exponent(state, spread) << 10 | fraction);
    if (word >> 1 & 1 && (word >> 2) % 8 == 0) {
        stored |= style == NUM_MATRIX_BF16   ? (word >> 8 & 7) << 8
                  : style == NUM_MATRIX_FP16 ? (word >> 8 & 7) << 5
                                             : 0;
    }
    return stored;
}

static uint32_t random_dst(uint32_t *state, const struct num_matrix_mode *mode,
                           const struct spread *spread)
{
    uint32_t sign = num_random_next(state) << 31;
    if (mode->a == NUM_MATRIX_INT8) {
        uint32_t word = num_random_next(state);
        uint32_t magnitude = word & 1 ? INT32_MAX - (word >> 1) % 0x100000 : word >> word % 31;
        return num_dst_from_fp32(sign | (magnitude & INT32_MAX));
    }
    uint32_t exponent = random_exponent(state, spread);
    if (mode->is_dst_32bit) {
        return num_dst_from_fp32(sign | exponent << 23 | random_fraction(state, 23));
    }
    if (mode->a == NUM_MATRIX_FP16) {
        return num_dst_from_fp16(
            (uint16_t)(sign >> 16 | exponent << 10 | random_fraction(state, 10)));
    }
    return num_dst_from_bf16((uint16_t)(sign >> 16 | exponent << 7 | random_fraction(state, 7)));
}

struct rows {
    uint16_t high[DATUMS + ROW], low[DATUMS + ROW]; /* a row more than is used */
};

struct operands {
    uint32_t a[ROW * ROW], b[DATUMS];
    struct rows dst;
};

/* Where the exponent of Dst meets those of products and of sums. */
static struct spread dst_spread(uint32_t *state, const struct num_matrix_mode *mode,
                                const struct spread *a, const struct spread *b, bool is_product)
{
    bool is_narrow = mode->a == NUM_MATRIX_FP16;
    struct spread spread = random_spread(state, is_narrow && !mode->is_dst_32bit ? 31 : 255);
    uint32_t bias = is_narrow ? 15 : 127;
    uint32_t up = is_narrow && mode->is_dst_32bit ? 127 - 15 : 0;
    uint32_t near = is_product ? a->near + b->near - bias + up : a->near + up;
    near += num_random_next(state) % 32 - 16;
    if (num_random_next(state) % 8 && near <= spread.greatest) {
        spread.near = near;
    }
    return spread;
}

static void fill(uint32_t *state, const struct num_matrix_mode *mode, bool is_product,
                 struct operands *operands)
{
    uint32_t greatest = mode->a == NUM_MATRIX_FP16 ? 31 : 255;
    struct spread a = random_spread(state, greatest);
    struct spread b = random_spread(state, greatest);
    if (!is_product && num_random_next(state) % 4) {
        b.near = a.near + num_random_next(state) % 16;
    } else if (is_product && greatest == 255 && num_random_next(state) % 2) {
        b.near = 127 + 1 + num_random_next(state) % 100 - a.near / 2;
    }
    uint32_t flips = num_random_next(state) % 3 ? 0x40000 : 0;
    for (unsigned i = 0; i < ROW * ROW; i++) {
        operands->a[i] = random_src(state, mode->a, &a);
        if (i >= ROW && num_random_next(state) % 8 == 0) { /* cancels, or is a sum of equals */
            operands->a[i] = operands->a[i - ROW] ^ flips;
        }
    }
    for (unsigned i = 0; i < DATUMS; i++) {
        operands->b[i] = random_src(state, mode->b, &b);
        if (i && num_random_next(state) % 8 == 0) {
            operands->b[i] = is_product ? operands->b[i - 1] : operands->a[i] ^ flips;
        }
    }
    struct spread spread = dst_spread(state, mode, &a, &b, is_product);
    for (unsigned i = 0; i < DATUMS + ROW; i++) {
        uint32_t dst = random_dst(state, mode, &spread);
        operands->dst.high[i] = (uint16_t)(mode->is_dst_32bit ? dst >> 16 : dst);
        operands->dst.low[i] = (uint16_t)(mode->is_dst_32bit ? dst : CANARY);
    }
}

/* --- Members --- */

enum member { DOT, MULTIPLY, ADD, ADD_TO_DST, SUBTRACT, SUBTRACT_FROM_DST, MEMBERS };

static const char *const member_names[] = {
    "dot", "multiply", "add", "add to Dst", "subtract", "subtract and add to Dst",
};

static void run(const struct num_kernels *kernels, enum member member,
                const struct num_matrix_mode *mode, const struct operands *operands, unsigned rows,
                struct rows *dst)
{
    const uint32_t *a = operands->a;
    const uint32_t *b = operands->b;
    *dst = operands->dst;
    struct num_dst_rows to = {dst->high, mode->is_dst_32bit ? dst->low : NULL};
    switch (member) {
    case DOT:
        kernels->dot(mode, a, b, rows, to);
        break;
    case MULTIPLY:
        kernels->multiply(mode, a, b, rows, to);
        break;
    case ADD:
    case ADD_TO_DST:
        kernels->add(mode, a, b, rows, to, member == ADD_TO_DST);
        break;
    default:
        kernels->subtract(mode, a, b, rows, to, member == SUBTRACT_FROM_DST);
        break;
    }
}

static void compare(const char *set, enum member member, const struct num_matrix_mode *mode,
                    const struct operands *operands, const struct rows *expected,
                    const struct rows *got)
{
    if (memcmp(expected, got, sizeof(*got)) == 0) {
        return;
    }
    unsigned i = 0;
    while (expected->high[i] == got->high[i] && expected->low[i] == got->low[i]) {
        i++;
    }
    ck_abort_msg("%s %s, styles %d %d, %d bits, phase %d, %s: datum %u of row %u is %04x %04x, not "
                 "%04x %04x; Dst %04x %04x, SrcA %05" PRIx32 ", SrcB %05" PRIx32,
                 set, member_names[member], mode->a, mode->b, mode->is_dst_32bit ? 32 : 16,
                 mode->fidelity, mode->keeps_denormals ? "denormals" : "no denormals", i % ROW,
                 i / ROW, got->high[i], got->low[i], expected->high[i], expected->low[i],
                 operands->dst.high[i], operands->dst.low[i], operands->a[i], operands->b[i]);
}

static unsigned random_rows(uint32_t *state)
{
    static const uint8_t counts[] = {8, 8, 8, 8, 8, 8, 4, 1};
    return counts[num_random_next(state) % sizeof(counts)];
}

TEST_EACH(sets_equal_reference, MODES)
{
    const struct num_matrix_mode mode = mode_of(_i);
    const long goal = datums_a_group();
    uint32_t state = (uint32_t)_i * 7919 + 1;
    for (int member = 0; member < MEMBERS; member++) {
        for (long done = 0; done < goal;) {
            struct operands operands;
            struct rows expected, got;
            unsigned rows = random_rows(&state);
            fill(&state, &mode, member <= MULTIPLY, &operands);
            run(&num_kernels_reference, (enum member)member, &mode, &operands, rows, &expected);
            for (int set = 0; set < COUNT(set_names); set++) {
                const struct num_kernels *kernels = num_kernels_find(set_names[set]);
                if (kernels) {
                    run(kernels, (enum member)member, &mode, &operands, rows, &got);
                    compare(set_names[set], (enum member)member, &mode, &operands, &expected, &got);
                }
            }
            done += rows * ROW;
        }
    }
}

/* All pairs of some factors, among them all that matter to ends of ranges, with all these Dst. */
TEST_EACH(corners, SANITIZED ? 4 : MODES)
{
    static const uint8_t exponents[] = {0, 1, 2, 15, 16, 17, 30, 31, 126, 127, 128, 253, 254, 255};
    static const uint16_t mantissas[] = {0, 0x008, 0x200, 0x3f8, 0x3ff};
    enum { CORNERS = COUNT(exponents) * COUNT(mantissas) * 2 };
    const struct num_matrix_mode mode = mode_of(_i);
    uint32_t src[CORNERS];
    for (unsigned i = 0; i < CORNERS; i++) {
        src[i] = (i & 1) << 18 | (uint32_t)mantissas[i / 2 % COUNT(mantissas)] << 8 |
                 exponents[i / 2 / COUNT(mantissas)];
    }
    struct operands operands;
    for (unsigned i = 0; i < ROW * ROW; i++) {
        operands.a[i] = src[i % CORNERS];
    }
    for (unsigned step = 0; step < CORNERS; step++) {
        for (unsigned i = 0; i < DATUMS; i++) {
            operands.b[i] = src[(i + step) % CORNERS];
            uint32_t dst = num_dst_from_fp32(num_fp32_from_src(src[(i + 7 * step) % CORNERS]));
            operands.dst.high[i] = (uint16_t)(dst >> 16);
            operands.dst.low[i] = (uint16_t)(dst | step);
        }
        memset(operands.dst.high + DATUMS, 0, ROW * sizeof(uint16_t));
        memset(operands.dst.low + DATUMS, 0, ROW * sizeof(uint16_t));
        for (int member = 0; member < MEMBERS; member++) {
            struct rows expected, got;
            run(&num_kernels_reference, (enum member)member, &mode, &operands, ROWS, &expected);
            for (int set = 0; set < COUNT(set_names); set++) {
                const struct num_kernels *kernels = num_kernels_find(set_names[set]);
                if (kernels) {
                    run(kernels, (enum member)member, &mode, &operands, ROWS, &got);
                    compare(set_names[set], (enum member)member, &mode, &operands, &expected, &got);
                }
            }
        }
    }
}

/* Every row of one kind: products of 31 * 127 units, at exponents whose distance drops 0 to 40 bits
 * of one half, with a Dst at any distance; sums of halves are rounded twice there. */
TEST_EACH(distances, 12)
{
    struct num_matrix_mode mode = mode_of(_i * 16 % MODES);
    mode.is_dst_32bit = _i / 6 % 2 || mode.a == NUM_MATRIX_INT8;
    uint32_t middle = mode.a == NUM_MATRIX_FP16 ? 16 : 127;
    uint32_t reach = mode.a == NUM_MATRIX_FP16 ? 15 : 40;
    uint32_t state = (uint32_t)_i;
    for (uint32_t distance = 0; distance < reach; distance++) {
        for (unsigned round = 0; round < (SANITIZED ? 4 : 40); round++) {
            struct operands operands;
            fill(&state, &mode, true, &operands);
            for (unsigned i = 0; i < ROW * ROW; i++) {
                uint32_t word = num_random_next(&state);
                uint32_t exponent = middle + (i < ROW * ROW / 2 ? 0 : distance);
                uint32_t mantissa = word & 1 ? 0x3ff : word >> 8 & 0x3ff;
                operands.a[i] = (i % ROW % 2) << 18 | mantissa << 8 | exponent;
                operands.b[i % DATUMS] = (word >> 2 & 1 ? 0x3ff : word >> 18 & 0x3ff) << 8 |
                                         (word >> 30 ? middle : middle - 1);
            }
            struct rows expected, got;
            run(&num_kernels_reference, DOT, &mode, &operands, ROWS, &expected);
            for (int set = 0; set < COUNT(set_names); set++) {
                const struct num_kernels *kernels = num_kernels_find(set_names[set]);
                if (kernels) {
                    run(kernels, DOT, &mode, &operands, ROWS, &got);
                    compare(set_names[set], DOT, &mode, &operands, &expected, &got);
                }
            }
        }
    }
}

/* --- Around them --- */

TEST(find)
{
    const struct num_kernels *fastest = num_kernels_find(NULL);
    ck_assert_ptr_nonnull(fastest);
    ck_assert_ptr_eq(num_kernels_find(fastest->name), fastest);
    ck_assert_ptr_eq(num_kernels_find("reference"), &num_kernels_reference);
    ck_assert_ptr_null(num_kernels_find("AVX2"));
    ck_assert_ptr_null(num_kernels_find(""));
    for (int set = 0; set < COUNT(set_names); set++) {
        const struct num_kernels *kernels = num_kernels_find(set_names[set]);
        if (kernels) {
            ck_assert_str_eq(kernels->name, set_names[set]);
            ck_assert_ptr_ne(fastest, &num_kernels_reference);
            ck_assert(kernels->dot && kernels->multiply && kernels->add && kernels->subtract &&
                      kernels->unpack && kernels->pack && kernels->accumulate);
        }
    }
#if NUM_HAS_X86_KERNELS
    ck_assert_int_eq(num_kernels_find("avx2") != NULL, __builtin_cpu_supports("avx2") != 0);
#endif
}

/* A host program may have changed how its floating point rounds. */
TEST_EACH(host_rounding, MODES)
{
#if NUM_HAS_X86_KERNELS
    /* Up and to zero, with flushed denormals; and with all exceptions taken. */
    static const unsigned controls[] = {0xdfc0, 0x7f80, 0x0000};
    const struct num_matrix_mode mode = mode_of(_i);
    const unsigned usual = _mm_getcsr();
    uint32_t state = (uint32_t)_i;
    for (unsigned round = 0; round < 12; round++) {
        for (int member = 0; member < MEMBERS; member++) {
            struct operands operands;
            struct rows expected, got;
            fill(&state, &mode, member <= MULTIPLY, &operands);
            run(&num_kernels_reference, (enum member)member, &mode, &operands, ROWS, &expected);
            for (int set = 0; set < COUNT(set_names); set++) {
                const struct num_kernels *kernels = num_kernels_find(set_names[set]);
                if (kernels) {
                    unsigned control = controls[round % COUNT(controls)];
                    _mm_setcsr(control);
                    run(kernels, (enum member)member, &mode, &operands, ROWS, &got);
                    unsigned after = _mm_getcsr();
                    _mm_setcsr(usual);
                    ck_assert_uint_eq(after, control);
                    compare(set_names[set], (enum member)member, &mode, &operands, &expected, &got);
                }
            }
        }
    }
#else
    ck_assert_ptr_eq(num_kernels_find(NULL), &num_kernels_reference);
#endif
}

/* With a generator all sets draw alike: once for each result that is rounded. */
TEST_EACH(stochastic, MODES)
{
    struct num_matrix_mode mode = mode_of(_i);
    uint32_t data = (uint32_t)_i;
    for (int member = 0; member < MEMBERS; member++) {
        struct operands operands;
        struct rows expected, got;
        fill(&data, &mode, member <= MULTIPLY, &operands);
        uint32_t draws = 77;
        mode.generator = &draws;
        run(&num_kernels_reference, (enum member)member, &mode, &operands, ROWS, &expected);
        uint32_t after = 77;
        for (unsigned i = 0; mode.a != NUM_MATRIX_INT8 && i < DATUMS; i++) {
            num_random_next(&after);
        }
        ck_assert_uint_eq(draws, after);
        for (int set = 0; set < COUNT(set_names); set++) {
            const struct num_kernels *kernels = num_kernels_find(set_names[set]);
            if (kernels) {
                draws = 77;
                run(kernels, (enum member)member, &mode, &operands, ROWS, &got);
                ck_assert_uint_eq(draws, after);
                compare(set_names[set], (enum member)member, &mode, &operands, &expected, &got);
            }
        }
    }
}

/* 1 + 2^-10 into BF16 becomes 1 + 2^-7 once in 8, and otherwise 1; what fits is never touched. */
TEST(stochastic_is_fair)
{
    enum { DRAWS = 80000 };
    uint32_t generator = 1;
    const struct num_matrix_mode mode = {
        .a = NUM_MATRIX_TF32, .b = NUM_MATRIX_TF32, .generator = &generator};
    const uint32_t one = NUM_SRC_ONE_BF16, more = one | 1 << 8;
    unsigned up = 0;
    for (unsigned i = 0; i < DRAWS; i++) {
        uint32_t sum = num_matrix_add(&mode, more, 0, 0, false);
        ck_assert(sum == num_dst_from_bf16(0x3f80) || sum == num_dst_from_bf16(0x3f81));
        up += sum == num_dst_from_bf16(0x3f81);
        ck_assert_uint_eq(num_matrix_add(&mode, one, 0, 0, false), num_dst_from_bf16(0x3f80));
    }
    ck_assert_uint_ge(up, DRAWS / 8 - DRAWS / 100);
    ck_assert_uint_le(up, DRAWS / 8 + DRAWS / 100);
}
