/*
 * Corners of the unpackers by hand, from the pages and tt_llk_blackhole without a look at the unit:
 * what is undefined, data that are none, E4M3, the form of UNPACR that counts contexts. Random UNPACR
 * is in check_unpack.c, UNPACR_NOP in check_unpack_nop.c.
 */
#include <check.h>
#include <string.h>

#include "unit/tensix/unpack_model.h"
#include "unit/test.h"
#include "unit/tensix/tensix_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum {
    TILE = 0x4000,
    LIMIT = 0x1ffff,
    TEXT_MOST = 190,
};

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static struct world world;

static void put(unsigned word, unsigned shift, unsigned width, uint32_t value)
{
    config_put(tensix, 0, word, shift, width, value);
}

/* Both unpackers: 16x16 of 16 bits at TILE, to row 0 of their files. */
static void setup(void)
{
    tensix_harness_open(&harness);
    for (unsigned base = 64; base <= 112; base += 48) {
        put(base, 0, 32, 256U << 16 | 1U << 4 | BF16);
        put(base + 1, 0, 32, 1U << 16 | 1);
        put(base + 2, 0, 32, 1);
        put(base + 8, 0, 4, BF16);
        put(base + 9, 0, 32, 0x000f000f);
        put(base + 10, 0, 17, LIMIT);
        for (unsigned i = 0; i < 8; i++) {
            put(base + 12 + i, 0, 32, TILE / 16 - 1);
        }
        put(base + 22, 0, 32, 256U << 16 | 256);
    }
    put(49, 0, 18, 4 * 16 * 2);
    for (unsigned thread = 0; thread < THREADS; thread++) {
        own_put(tensix, thread, 5, 4);
        for (unsigned u = 0; u < UNPACKERS; u++) {
            tensix->thread[thread].adc[u].channel[1].x = 255;
        }
    }
    for (unsigned i = 0; i < 512; i++) {
        uint16_t value = (uint16_t)(0x3f80 + i);
        memcpy(harness.l1 + TILE + 2 * i, &value, 2);
    }
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

/* --- Undefined --- */

struct wrong {
    unsigned word, shift, width, value; /* of Config */
    struct unpacr u;
    const char *name;
};

static const struct wrong wrongs[] = {
    {72, 0, 4, FP16, {0}, "BF16 to FP16"},
    {72, 0, 4, INT8, {0}, "BF16 to INT8"},
    {64, 0, 4, NONE12, {0}, "format 12"},
    {64, 0, 4, NONE13, {0}, "format 13"},
    {64, 0, 4, INT8, {0}, "INT8 to BF16"},
    {112, 0, 4, FP16, {.unpacker = 1}, "FP16 to BF16 in SrcB"},
    {49, 0, 18, 4 * 32 + 1, {0}, "output address is odd"},
    {61, 0, 18, 1, {.unpacker = 1}, "output address of SrcB is odd"},
    {76, 0, 32, 0x18000 - 1 - 31, {0}, "the tile runs past L1"},
    {76, 0, 32, 0x0ff00000, {0}, "an address far beyond L1"},
    {72, 8, 4, 0x9, {0}, "to Dst and haloize"},
    {72, 16, 4, 1, {.multi = true}, NULL}, /* fine: see below */
    {72, 9, 5, 0x9, {0}, "tileize and upsampling"},
    {64, 4, 1, 0, {0}, NULL}, /* fine: compressed, with row starts of 0 */
    {0, 0, 1, 0, {.multi = true, .adc = 3}, "ADC 3"},
    {0, 0, 1, 0, {.unpacker = 1, .multi = true, .context = 2}, "context 2 of unpacker 1"},
    {0, 0, 1, 0, {.unpacker = 1, .multi = true, .context = 7}, "context 7 of unpacker 1"},
    {72, 11, 1, 1, {0}, "to Dst with SetOvrdWithAddr"},
};

FIXTURE(setup, teardown);

TEST_EACH(what_is_undefined_faults_and_does_nothing, COUNT(wrongs))
{
    const struct wrong *w = &wrongs[_i];
    put(w->word, w->shift, w->width, w->value);
    world_take(&world, tensix);
    tensix_harness_push(&harness, 1, unpacr_word(&w->u));
    if (!w->name) {
        ck_assert_msg(!harness.faults, "%s", harness.fault.text);
        return;
    }
    ck_assert_msg(harness.faults == 1, "%s", w->name);
    ck_assert_msg(harness.fault.kind == TENSIX_FAULT_UNDEFINED, "%s", w->name);
    ck_assert_msg(!strncmp(harness.fault.text, "UNPACR", 6), "%s", harness.fault.text);
    ck_assert_msg(strlen(harness.fault.text) < TEXT_MOST, "%s", harness.fault.text);
    world_compare(&world, tensix, w->name);
}

/* Formats whose data have 32 bits fit in Dst only. */
TEST_EACH(no_32_bits_in_src, 2)
{
    static const enum format both[] = {INT32, FP32};
    put(64, 0, 4, both[_i]);
    put(72, 0, 4, both[_i]);
    put(49, 0, 18, 4 * 64);
    world_take(&world, tensix);
    tensix_harness_run(&harness, 0, "UNPACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0");
    ck_assert_uint_eq(harness.faults, 1);
    world_compare(&world, tensix, "32 bits in Src");
}

TEST_EACH(x_ends_before_it_begins, 1)
{
    tensix->thread[0].adc[0].channel[0].x = 20;
    tensix->thread[0].adc[0].channel[1].x = 10;
    tensix_harness_push(&harness, 0, unpacr_word(&(struct unpacr){0}));
    ck_assert_uint_eq(harness.faults, 1); /* 2^32 - 9 data are not in L1 */
}

TEST_EACH(no_data_but_a_flip, 1)
{
    tensix->thread[0].adc[0].channel[0].x = 20;
    tensix->thread[0].adc[0].channel[1].x = 19;
    world_take(&world, tensix);
    tensix_harness_push(&harness, 0, unpacr_word(&(struct unpacr){.flip = true}));
    world.bank[0] = 1;
    world.matrix_has[0][0] = true;
    world.implied[0][0] = BF16;
    ck_assert_uint_eq(harness.faults, 0);
    world_compare(&world, tensix, "no data");
}

/* --- By hand --- */

/* An E4M3 has bias 7, an FP16 15; the mode is one per unpacker. */
TEST_EACH(e4m3_keeps_its_value, 2)
{
    unsigned u = (unsigned)_i, base = u ? 112 : 64;
    put(base, 0, 4, FP8);
    put(base + 8, 0, 4, FP8);
    put(base + 7, 22, 1, 1);
    put(49, 0, 18, 4 * 16);
    for (unsigned i = 0; i < 256; i++) {
        harness.l1[TILE + i] = (uint8_t)i;
    }
    tensix_harness_push(&harness, 0, unpacr_word(&(struct unpacr){.unpacker = u}));
    ck_assert_uint_eq(harness.faults, 0);
    for (unsigned i = 0; i < 256; i++) {
        unsigned exponent = i >> 3 & 15, fraction = i & 7;
        uint32_t wanted = (i >> 7) << 18 | fraction << 15 | (exponent + 8);
        if (exponent == 0 || (exponent == 15 && fraction == 7)) {
            continue; /* denormals and the NaN: no page */
        }
        uint32_t found = tensix->src_file[u].bank[0][i / 16][i % 16];
        if (found != wanted) {
            ck_abort_msg("%02x becomes %05x, not %05x", i, found, wanted);
        }
    }
}

/* --- Contexts --- */

TEST_EACH(the_increment_form_counts_to_the_context_count, 8)
{
    unsigned u = (unsigned)_i % 2, log2 = (unsigned)_i / 2;
    put(u ? 120 : 72, 6, 2, log2);
    own_put(tensix, 2, 41, 0x303); /* the offset does not matter to it */
    world_take(&world, tensix);
    for (unsigned i = 1; i < 20; i++) {
        tensix_harness_push(&harness, 2, 0x42U << 24 | u << 23 | 1U << 13);
        world.counter[u][2] = i % (1U << log2);
        world_compare(&world, tensix, "increment");
    }
    ck_assert_uint_eq(harness.faults, 0);
}
