/*
 * Corners of the unpackers by hand, from the pages and tt_llk_blackhole without a look at the unit:
 * what is undefined, the other forms of UNPACR, every form of UNPACR_NOP, SETDVALID and STOREIND to
 * Src. Random UNPACR is in check_unpack.c.
 */
#include <check.h>
#include <string.h>

#include "unit/tensix/unpack_model.h"
#include "unit/run_suite.h"
#include "unit/tensix/tensix_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum {
    TILE = 0x4000,
    ONES = 0x7ffff,
    MSG_DATA_CLEAR = 266, /* register of a stream */
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

static uint32_t src_bf16(unsigned pattern)
{
    return (pattern >> 15) << 18 | (pattern & 0x7f) << 11 | (pattern >> 7 & 0xff);
}

static void give_to_matrix(unsigned u, unsigned bank)
{
    tensix->src[u].matrix_may[bank] = true;
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

START_TEST(what_is_undefined_faults_and_does_nothing)
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
END_TEST

/* Formats whose data have 32 bits fit in Dst only. */
START_TEST(no_32_bits_in_src)
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
END_TEST

START_TEST(x_ends_before_it_begins)
{
    tensix->thread[0].adc[0].channel[0].x = 20;
    tensix->thread[0].adc[0].channel[1].x = 10;
    tensix_harness_push(&harness, 0, unpacr_word(&(struct unpacr){0}));
    ck_assert_uint_eq(harness.faults, 1); /* 2^32 - 9 data are not in L1 */
}
END_TEST

START_TEST(no_data_but_a_flip)
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
END_TEST

/* SPEC: UNPACR_Regular: Row = (Row + SrcRow) & 0x3f. Only ttsim calls that undefined. */
START_TEST(rows_of_src_b_wrap)
{
    put(61, 0, 18, 60 * 32);
    world_take(&world, tensix);
    tensix_harness_push(&harness, 0, unpacr_word(&(struct unpacr){.unpacker = 1}));
    for (unsigned i = 0; i < 256; i++) {
        world.src[1][0][(60 + i / 16) % SRC_ROWS][i % 16] = src_bf16(0x3f80 + i);
    }
    ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
    world_compare(&world, tensix, "rows beyond SrcB");
}
END_TEST

/* --- By hand --- */

START_TEST(haloize_transposes_src_a_alone)
{
    put(72, 8, 1, 1);
    put(120, 8, 1, 1);
    world_take(&world, tensix);
    tensix_harness_push(&harness, 0, unpacr_word(&(struct unpacr){0}));
    tensix_harness_push(&harness, 0, unpacr_word(&(struct unpacr){.unpacker = 1}));
    for (unsigned i = 0; i < 256; i++) {
        world.src[0][0][i % 16][i / 16] = src_bf16(0x3f80 + i);
        world.src[1][0][i / 16][i % 16] = src_bf16(0x3f80 + i);
    }
    ck_assert_uint_eq(harness.faults, 0);
    world_compare(&world, tensix, "haloize");
}
END_TEST

/* One zero, or gap, behind a datum with rate 1; three with 2; seven with 3: the functional model's
 * 2^rate - 1, which the page's throughputs confirm; the README has 1, 2 and 4. */
START_TEST(upsampling_doubles_each_time)
{
    unsigned rate = (unsigned)_i / 2, step = 1U << rate;
    bool gaps = _i % 2;
    memset(tensix->src_file[0].bank, 0, sizeof tensix->src_file[0].bank);
    for (unsigned i = 0; i < 64 * 16; i++) {
        tensix->src_file[0].bank[0][i / 16][i % 16] = 5;
    }
    put(72, 12, 2, rate);
    put(72, 15, 1, gaps);
    tensix->thread[0].adc[0].channel[1].x = 99;
    tensix_harness_push(&harness, 0, unpacr_word(&(struct unpacr){0}));
    ck_assert_uint_eq(harness.faults, 0);
    for (unsigned i = 0; i < 64 * 16; i++) {
        bool written = i < 100 * step;
        uint32_t wanted = !written ? 5 : i % step == 0 ? src_bf16(0x3f80 + i / step) : gaps ? 5 : 0;
        uint32_t found = tensix->src_file[0].bank[0][i / 16][i % 16];
        if (found != wanted) {
            ck_abort_msg("datum %u is %05x, not %05x", i, found, wanted);
        }
    }
}
END_TEST

/* An E4M3 has bias 7, an FP16 15; the mode is one per unpacker. */
START_TEST(e4m3_keeps_its_value)
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
END_TEST

/* --- Contexts --- */

START_TEST(the_increment_form_counts_to_the_context_count)
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
END_TEST

START_TEST(setc16_resets_the_counters_of_its_thread)
{
    for (unsigned i = 0; i < UNPACKERS * THREADS; i++) {
        tensix->unpacker[i / THREADS].context_counter[i % THREADS] = 1;
    }
    world_take(&world, tensix);
    tensix_harness_run(&harness, 1, "SETC16 41, 0x1010");
    world.counter[0][1] = world.counter[1][1] = 0;
    world_compare(&world, tensix, "reset");
}
END_TEST

START_TEST(flushing_the_cache_changes_nothing)
{
    give_to_matrix(0, 0);
    world_take(&world, tensix);
    tensix_harness_push(&harness, 0, 0x42000002);
    tensix_harness_push(&harness, 0, 0x42800082);
    ck_assert_uint_eq(harness.faults, 0);
    world_compare(&world, tensix, "flush");
}
END_TEST

START_TEST(an_unpack_to_dst_waits_for_src_a_too)
{
    put(72, 11, 1, 1);
    own_put(tensix, 0, 5, 0);
    give_to_matrix(0, 0);
    world_take(&world, tensix);
    tensix_harness_push(&harness, 0, unpacr_word(&(struct unpacr){0}));
    ck_assert(tensix->thread[0].blocked);
    world_compare(&world, tensix, "waits");
    tensix_harness_run(&harness, 1, "CLEARDVALID 1, 0");
    ck_assert(!tensix->thread[0].has_next);
    for (unsigned i = 0; i < 256; i++) {
        unsigned pattern = 0x3f80 + i;
        unsigned wanted = (pattern & 0x7f) << 8 | pattern >> 7;
        ck_assert_uint_eq(tensix->dst.bits[i / 16][i % 16], wanted);
    }
}
END_TEST

/* --- UNPACR_NOP --- */

static uint32_t nop_word(unsigned u, unsigned dvalid, unsigned one, unsigned wait, unsigned both,
                         unsigned value)
{
    return 0x43U << 24 | u << 23 | dvalid << 8 | one << 6 | wait << 5 | both << 4 | value << 2 | 1;
}

static void spoil_src(void)
{
    for (unsigned i = 0; i < UNPACKERS * BANKS * SRC_ROWS * COLUMNS; i++) {
        unsigned u = i / (BANKS * SRC_ROWS * COLUMNS), bank = i / (SRC_ROWS * COLUMNS) % BANKS;
        tensix_src_file_write(&tensix->src_file[u], bank, i / COLUMNS % SRC_ROWS, i % COLUMNS,
                              i * 7 % ONES);
    }
}

static void fill_world(unsigned u, unsigned bank, uint32_t value)
{
    for (unsigned i = 0; i < SRC_ROWS * COLUMNS; i++) {
        world.src[u][bank][i / COLUMNS][i % COLUMNS] = value;
    }
}

/* unpacker, both banks, value (0, minus infinity, 1, immediate), format of 1, data valid */
START_TEST(unpacr_nop_clears)
{
    unsigned u = _i & 1, both = _i >> 1 & 1, dvalid = _i >> 2 & 1, value = _i >> 3 & 3;
    unsigned one = (unsigned)_i >> 5;
    uint32_t ones[] = {15, 127, 1 << 8 | 16};
    uint32_t wanted[] = {0, ONES, ones[one], u ? 0x2bcde : 0x12345};
    spoil_src();
    put(53, 0, 32, 0xfff12345);
    put(63, 0, 32, 0xfffabcde);
    own_put(tensix, 1, 5, 2);
    own_put(tensix, 1, 6, 3);
    tensix->src[u].unpack_bank = 1;
    world_take(&world, tensix);
    tensix_harness_push(&harness, 1, nop_word(u, dvalid, one, 0, both, value));
    fill_world(u, 1, wanted[value]);
    if (both) {
        fill_world(u, 0, wanted[value]);
    }
    if (dvalid) {
        world.matrix_has[u][1] = true;
        world.bank[u] = 0;
        world.implied[u][1] = BF16;
        world.src_row[u][1] = u ? 48 : 32;
    }
    ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
    world_compare(&world, tensix, "UNPACR_NOP");
}
END_TEST

/* Without WaitLikeUnpacr it looks at the Matrix Unit's bank, with it at the unpacker's. */
START_TEST(unpacr_nop_waits_for_one_of_two_banks)
{
    unsigned u = _i & 1, wait_like = _i >> 1 & 1, matrix_holds_own = _i >> 2 & 1;
    spoil_src();
    tensix->src[u].unpack_bank = 1;
    tensix->src[u].matrix_bank = 0;
    give_to_matrix(u, matrix_holds_own ? 1 : 0);
    world_take(&world, tensix);
    tensix_harness_push(&harness, 0, nop_word(u, 0, 0, wait_like, 0, 0));
    if (wait_like == matrix_holds_own) {
        ck_assert(tensix->thread[0].blocked);
        ck_assert(tensix->thread[0].wait == TENSIX_WAITS_FOR_SRC);
        world_compare(&world, tensix, "waits");
        tensix->src[u].matrix_may[0] = tensix->src[u].matrix_may[1] = false;
        world_take(&world, tensix);
        tensix_harness_go(&harness, 0);
    }
    fill_world(u, 1, 0);
    ck_assert(!tensix->thread[0].has_next);
    world_compare(&world, tensix, "clears");
}
END_TEST

static void expect_hand_over(unsigned u, unsigned thread, unsigned base)
{
    world.matrix_has[u][world.bank[u]] = true;
    world.implied[u][world.bank[u]] = BF16;
    world.bank[u] ^= 1;
    world.src_row[u][thread] = base << 4;
}

/* "Sets dvalid, but NOP in all other respects"; it does not wait. */
START_TEST(unpacr_nop_gives_the_bank_away)
{
    unsigned u = (unsigned)_i;
    spoil_src();
    own_put(tensix, 2, 5, 1);
    own_put(tensix, 2, 6, 2);
    for (unsigned round = 0; round < 3; round++) {
        world_take(&world, tensix);
        tensix_harness_push(&harness, 2, nop_word(u, 0, 3, 0, 0, 0));
        expect_hand_over(u, 2, u ? 2 : 1);
        ck_assert_uint_eq(harness.faults, 0);
        world_compare(&world, tensix, "SETDVALID form");
    }
}
END_TEST

START_TEST(setdvalid_gives_banks_away)
{
    own_put(tensix, 0, 5, 3);
    own_put(tensix, 0, 6, 1);
    for (unsigned mask = 0; mask < 4; mask++) {
        world_take(&world, tensix);
        /* What it says of formats is unpredictable on Blackhole. */
        tensix_harness_push(&harness, 0, 0x57U << 24 | mask);
        for (unsigned u = 0; u < UNPACKERS; u++) {
            if (mask >> u & 1) {
                unsigned bank = world.bank[u];
                expect_hand_over(u, 0, u ? 1 : 3);
                world.implied[u][bank] = tensix->src_file[u].format[bank];
            }
        }
        world_compare(&world, tensix, "SETDVALID");
    }
}
END_TEST

START_TEST(unpacr_nop_does_nothing)
{
    give_to_matrix(0, 0);
    world_take(&world, tensix);
    tensix_harness_push(&harness, 0, 0x43000002);
    tensix_harness_push(&harness, 0, 0x43800002);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(harness.regs, 0);
    world_compare(&world, tensix, "UNPACR_NOP 2");
}
END_TEST

/* GUESS of the page itself: 1 is written whatever the count, and the configured stream is meant
 * where the count is 0. */
START_TEST(unpacr_nop_clears_messages)
{
    static const struct {
        uint32_t word;
        unsigned stream;
    } cases[] = {
        {0x43000000, 5},
        {0x43800000, 9},
        {0x43000003 | 17 << 16 | 1 << 12, 17},
        {0x43800003 | 63 << 16 | 1 << 12, 63},
    };
    own_put(tensix, 0, 42, 5 | 1 << 8);
    own_put(tensix, 0, 43, 9 | 1 << 8);
    world_take(&world, tensix);
    tensix_harness_push(&harness, 0, cases[_i].word);
    uint32_t address = 0xffb40000 + cases[_i].stream * 0x1000 + MSG_DATA_CLEAR * 4;
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(harness.regs, 1);
    ck_assert_uint_eq(harness.reg[0].address, address);
    ck_assert_uint_eq(harness.reg[0].writes, 1);
    ck_assert_uint_eq(harness.reg[0].value, 1);
    world_compare(&world, tensix, "UNPACR_NOP 0, 3");
}
END_TEST

/* --- STOREIND --- */

START_TEST(storeind_writes_four_bf16)
{
    bool to_b = _i & 1, absolute = _i >> 1 & 1;
    unsigned bank = 1, row = absolute ? 37 : 6, own_row = 16;
    spoil_src();
    own_put(tensix, 0, 5, (unsigned)absolute << 2);
    tensix->src[to_b].unpack_bank = 1;
    tensix->unpacker[to_b].src_row[0] = own_row;
    tensix->gpr[0][8] = 0xc0a5d37e;
    tensix->gpr[0][9] = 0x3f8112ff;
    if (to_b) {
        row = 6;
    }
    tensix->gpr[0][20] = (to_b ? row : row + 4) * 4 + 1; /* columns 4 to 7 ... */
    tensix->gpr[0][30] = 1 << 4;                         /* ... and 4 more */
    world_take(&world, tensix);
    tensix_harness_push(&harness, 0,
                        0x66U << 24 | (unsigned)to_b << 21 | 60U << 14 | 3U << 12 | 11U << 6 | 20);
    unsigned at = row + (to_b || !absolute ? own_row : 0);
    uint32_t *wanted = &world.src[to_b][bank][at][8];
    wanted[0] = 1U << 18 | 0x53U << 11 | 0x7e; /* low half: sign, fraction, exponent */
    wanted[1] = src_bf16(0xc0a5);
    wanted[2] = 0x12U << 11 | 0xff;
    wanted[3] = src_bf16(0x3f81);
    ck_assert_uint_eq(harness.faults, 0);
    world_compare(&world, tensix, "STOREIND");
    ck_assert_uint_eq(tensix->gpr[0][30], (1 << 4) + 16);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unpack modes");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_loop_test(all, what_is_undefined_faults_and_does_nothing, 0, COUNT(wrongs));
    tcase_add_loop_test(all, no_32_bits_in_src, 0, 2);
    tcase_add_loop_test(all, x_ends_before_it_begins, 0, 1);
    tcase_add_loop_test(all, no_data_but_a_flip, 0, 1);
    tcase_add_loop_test(all, rows_of_src_b_wrap, 0, 1);
    tcase_add_loop_test(all, haloize_transposes_src_a_alone, 0, 1);
    tcase_add_loop_test(all, upsampling_doubles_each_time, 0, 8);
    tcase_add_loop_test(all, e4m3_keeps_its_value, 0, 2);
    tcase_add_loop_test(all, the_increment_form_counts_to_the_context_count, 0, 8);
    tcase_add_loop_test(all, setc16_resets_the_counters_of_its_thread, 0, 1);
    tcase_add_loop_test(all, flushing_the_cache_changes_nothing, 0, 1);
    tcase_add_loop_test(all, an_unpack_to_dst_waits_for_src_a_too, 0, 1);
    tcase_add_loop_test(all, unpacr_nop_clears, 0, 96);
    tcase_add_loop_test(all, unpacr_nop_waits_for_one_of_two_banks, 0, 8);
    tcase_add_loop_test(all, unpacr_nop_gives_the_bank_away, 0, 2);
    tcase_add_loop_test(all, setdvalid_gives_banks_away, 0, 1);
    tcase_add_loop_test(all, unpacr_nop_does_nothing, 0, 1);
    tcase_add_loop_test(all, unpacr_nop_clears_messages, 0, 4);
    tcase_add_loop_test(all, storeind_writes_four_bf16, 0, 4);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
