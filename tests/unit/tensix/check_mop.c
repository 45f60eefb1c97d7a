/*
 * The MOP expander against a model that writes an expansion out into an array, on random
 * configurations, and on sequences written by hand: LLK's templates and the special cases.
 */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "unit/random.h"
#include "unit/test.h"
#include "tensix/frontend/mop.h"

enum {
    NOP = 0x02000000,
    DMANOP = 0x60000000,
    /* instructions that can be told apart */
    A = 0x42000000,
    B = 0x42000001,
    C = 0x42000002,
    D = 0x42000003,
    E = 0x42000004,
    F = 0x42000005,
    G = 0x42000006,
    MOST = 1023 * (1 + 2 * 1023 + 2), /* instructions of an expansion */
    RANDOM_MOPS = 5000
};

static struct mop_expander expander;
static uint32_t expected[MOST];
static size_t expected_count;
static uint64_t dice;

static void setup(void)
{
    memset(&expander, 0, sizeof(expander));
    expected_count = 0;
    dice = 1;
}

static uint32_t mop_masked(unsigned count, uint32_t mask_low)
{
    return UINT32_C(0x01000000) | (count - 1) << 16 | mask_low;
}

static uint32_t mop_loop(unsigned outer, unsigned inner)
{
    return UINT32_C(0x01800000) | outer << 10 | inner;
}

static uint32_t mop_cfg(uint32_t mask_high)
{
    return UINT32_C(0x03000000) | mask_high;
}

static void configure(const uint32_t config[MOP_WORDS])
{
    memcpy(expander.config, config, sizeof(expander.config));
}

/* --- The model --- */

static void emit(uint32_t word)
{
    if (expected_count >= MOST) {
        ck_abort_msg("the model's array is too small");
    }
    expected[expected_count++] = word;
}

static bool nop(uint32_t word)
{
    return (word & UINT32_C(0xff000000)) == NOP;
}

static void emit_unless_nop(uint32_t word)
{
    if (!nop(word)) {
        emit(word);
    }
}

static void model_masked(const uint32_t *config, uint64_t mask, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool skip = i < 32 && (mask >> i & 1);
        emit(config[skip ? 7 : 3]);
        for (unsigned a = 4; a <= 6 && !skip && (config[1] & 2); a++) {
            emit(config[a]);
        }
        if (config[1] & 1) {
            emit(config[skip ? 8 : 2]);
        }
    }
}

/* Pairs of an alternating loop are written out as pairs, unlike in the expander. */
static void model_loop(const uint32_t *config, unsigned outer, unsigned inner)
{
    bool pairs = !nop(config[6]);
    if (outer == 1 && inner == 0 && nop(config[2]) && !nop(config[3])) {
        outer = 1025;
    }
    for (unsigned i = 0; i < outer; i++) {
        uint32_t last = i + 1 < outer ? config[8] : config[7];
        emit_unless_nop(config[2]);
        for (unsigned j = 0; j < inner; j++) {
            bool is_last = j + 1 == inner;
            if (pairs) {
                emit(config[5]);
                emit(is_last ? last : config[6]);
            } else {
                emit(is_last ? last : config[5]);
            }
        }
        if (!nop(config[3])) {
            emit(config[3]);
            emit_unless_nop(config[4]);
        }
    }
}

/* --- Comparison --- */

/* The expander must now yield what has been emitted, then end. */
static void yields_expected(void)
{
    for (size_t i = 0; i < expected_count; i++) {
        uint32_t word = 0;
        if (!mop_busy(&expander) || !mop_next(&expander, &word)) {
            ck_abort_msg("ends after %zu of %zu", i, expected_count);
        }
        if (word != expected[i]) {
            ck_abort_msg("%zu is %08" PRIx32 ", not %08" PRIx32, i, word, expected[i]);
        }
    }
    uint32_t untouched = 0x12345678;
    ck_assert(!mop_busy(&expander));
    ck_assert(!mop_next(&expander, &untouched));
    ck_assert_uint_eq(untouched, 0x12345678);
    expected_count = 0;
}

static void yields(const uint32_t *words, int count)
{
    for (int i = 0; i < count; i++) {
        emit(words[i]);
    }
    yields_expected();
}

#define YIELDS(...)                                                                                \
    yields((const uint32_t[]){__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__})))

/* --- Random --- */

static void randomize_config(uint32_t config[MOP_WORDS])
{
    for (unsigned i = 0; i < MOP_WORDS; i++) {
        uint32_t kind = random_next(&dice) % 8;
        config[i] = kind < 2 ? NOP | (kind ? random_next(&dice) >> 8 : 0) : random_next(&dice);
    }
    config[0] &= ~UINT32_C(0x3ff);
    config[1] &= ~UINT32_C(0x3ff);
}

FIXTURE(setup, NULL);

TEST(random_masked_mops)
{
    for (unsigned n = 0; n < RANDOM_MOPS; n++) {
        uint32_t config[MOP_WORDS], mask = random_next(&dice);
        unsigned count = 1 + random_next(&dice) % 128;
        randomize_config(config);
        config[1] |= random_next(&dice) & 0x3ff; /* only two bits are flags */
        configure(config);
        mop_config(&expander, mop_cfg(mask >> 16));
        mop_start(&expander, mop_masked(count, mask & 0xffff));
        model_masked(config, mask, count);
        yields_expected();
    }
}

TEST(random_loops)
{
    for (unsigned n = 0; n < RANDOM_MOPS; n++) {
        uint32_t config[MOP_WORDS];
        unsigned outer = random_next(&dice) % (n % 50 == 0 ? 1024 : 6);
        unsigned inner = random_next(&dice) % (n % 50 == 1 ? 1024 : 6);
        bool outer_in_mop = random_next(&dice) & 1, inner_in_mop = random_next(&dice) & 1;
        randomize_config(config);
        /* where the MOP has a count that is not 0, the configuration's does not matter */
        config[0] |= outer_in_mop && outer ? random_next(&dice) & 0x3ff : outer;
        config[1] |= inner_in_mop && inner ? random_next(&dice) & 0x3ff : inner;
        configure(config);
        mop_start(&expander, mop_loop(outer_in_mop ? outer : 0, inner_in_mop ? inner : 0) |
                                 (random_next(&dice) & UINT32_C(0x700000)));
        model_loop(config, outer, inner);
        yields_expected();
    }
}

/* --- Template 0 --- */

static const uint32_t masked_config[MOP_WORDS] = {999, 3, F, A, B, C, D, E, G};

TEST(mask_high_stays)
{
    configure(masked_config);
    expander.config[MOP_FLAGS] = 0;
    mop_config(&expander, mop_cfg(0x8001));
    for (unsigned repeat = 0; repeat < 3; repeat++) {
        mop_start(&expander, mop_masked(33, 0x8000));
        for (int i = 0; i < 33; i++) {
            emit(i == 15 || i == 16 || i == 31 ? E : A);
        }
        yields_expected();
    }
    mop_config(&expander, mop_cfg(0));
    mop_start(&expander, mop_masked(17, 0xffff));
    for (int i = 0; i < 17; i++) {
        emit(i < 16 ? E : A);
    }
    yields_expected();
    mop_start(&expander, mop_masked(1, 0));
    YIELDS(A);
}

/* --- Template 1 --- */

/* The hardware bug needs all of: one outer iteration, no start, no inner loop, an end. */
TEST(one_iteration_of_end_instructions_alone)
{
    configure((const uint32_t[MOP_WORDS]){1, 0, NOP, C, D, A, A, E, F});
    mop_start(&expander, mop_loop(0, 0));
    for (unsigned i = 0; i < 1 + (1 << MOP_COUNT_BITS); i++) {
        emit(C);
        emit(D);
    }
    yields_expected();
    expander.config[MOP_OUTER_COUNT] = 2;
    mop_start(&expander, mop_loop(0, 0));
    YIELDS(C, D, C, D);
    expander.config[MOP_OUTER_COUNT] = 1;
    expander.config[MOP_START] = B;
    mop_start(&expander, mop_loop(0, 0));
    YIELDS(B, C, D);
}

static const unsigned big_counts[][2] = {{1, 128},    {128, 1},    {1000, 1},    {1, 1000},
                                         {128, 1000}, {1000, 128}, {1023, 1023}, {127, 127}};

/* As configured, and from the MOP. */
TEST_EACH(big_counts_of_loops, COUNT(big_counts))
{
    uint32_t config[MOP_WORDS] = {0, 0, B, C, D, A, G, E, F};
    unsigned outer = big_counts[_i][0], inner = big_counts[_i][1];
    configure(config);
    mop_start(&expander, mop_loop(outer, inner));
    model_loop(config, outer, inner);
    ck_assert_uint_eq(expected_count, (size_t)outer * (2 * inner + 3));
    yields_expected();
    expander.config[MOP_OUTER_COUNT] = outer;
    expander.config[MOP_INNER_COUNT] = inner;
    mop_start(&expander, mop_loop(0, 0));
    model_loop(config, outer, inner);
    yields_expected();
}

/* --- State --- */

TEST(mop_samples_its_configuration)
{
    configure((const uint32_t[MOP_WORDS]){1, 3, NOP, C, NOP, A, NOP, E, F});
    mop_start(&expander, mop_loop(0, 0));
    memset(expander.config, 0xff, sizeof(expander.config));
    YIELDS(A, A, E, C);
    configure(masked_config);
    mop_start(&expander, mop_masked(2, 0));
    mop_config(&expander, mop_cfg(0xffff));
    memset(expander.config, 0xff, sizeof(expander.config));
    YIELDS(A, B, C, D, F, A, B, C, D, F);
}

TEST(discard_ends_an_expansion)
{
    uint32_t word;
    configure(masked_config);
    mop_config(&expander, mop_cfg(1));
    mop_start(&expander, mop_masked(20, 0));
    ck_assert(mop_next(&expander, &word));
    mop_discard(&expander);
    yields_expected();
    mop_start(&expander, mop_masked(1, 1)); /* from the first instruction; all else has stayed */
    YIELDS(E, G);
    ck_assert_uint_eq(expander.mask_high, 1);
}

TEST(new_expander_is_idle)
{
    yields_expected();
}
