/*
 * UNPACR against a model that was written from its page (unpack_model.c): random configurations
 * over all formats and modes, both unpackers, all contexts, both states. A configuration lives for
 * some instructions, so that what the unpackers keep of it is tried as well. Everything that an
 * instruction may change is compared, also when the page calls it undefined and nothing may change.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "num/kernels.h"
#include "num/tensix_format.h"
#include "unit/run_suite.h"
#include "tensix/regs.h"
#include "tensix/table.h"
#include "unit/tensix/tensix_fixture.h"
#include "unit/tensix/unpack_model.h"

enum { INSTRUCTIONS = 24000, LIFE = 6, SMALL_EXPONENTS = 512 * 1024 };

static struct tensix expected;

static bool one_in(unsigned odds)
{
    return random_below(&dice, odds) == 0;
}

#define PICK(...)                                                                                  \
    ((const unsigned[]){__VA_ARGS__}[random_below(&dice, sizeof((const unsigned[]){__VA_ARGS__}) / \
                                                             sizeof(unsigned))])

/* In the lower part of L1, exponents of five bits are mostly defined. */
static void fill_l1(void)
{
    for (unsigned i = 0; i < TENSIX_HARNESS_L1; i++) {
        uint32_t word = random_next(&dice);
        harness.l1[i] = (uint8_t)(i < SMALL_EXPONENTS ? 6 + word % 26 : word);
    }
}

static void setup_l1(void)
{
    setup();
    fill_l1();
}

/* --- Configurations --- */

struct scene {
    unsigned thread, which, state, in, out;
    bool multi, uncompressed, discontiguous, to_dst;
    unsigned base; /* lines */
};

#define SEC(name, value)                                                                           \
    tensix_set_config_field(                                                                       \
        tensix, scene->state,                                                                      \
        scene->which ? TENSIX_FIELD_THCON_SEC1_##name : TENSIX_FIELD_THCON_SEC0_##name, value)
#define UNP(name, value)                                                                           \
    tensix_set_config_field(tensix, scene->state,                                                  \
                            scene->which ? TENSIX_FIELD_UNP1_##name : TENSIX_FIELD_UNP0_##name,    \
                            value)

static void choose_formats(struct scene *scene)
{
    do {
        scene->in = random_below(&dice, 16);
        scene->out = one_in(3) ? random_below(&dice, 16) : scene->in;
    } while (!num_unpack_is_legal(scene->in, scene->out, scene->to_dst) && !one_in(200));
    tensix_set_config_field(tensix, scene->state, TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcAUnsigned,
                            random_below(&dice, 2));
    tensix_set_config_field(tensix, scene->state, TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcBUnsigned,
                            random_below(&dice, 2));
    SEC(REG1_Unp_LF8_4b_exp, random_below(&dice, 2));
}

static void put_descriptor(const struct scene *scene, unsigned word, uint32_t value)
{
    unsigned first = scene->which ? TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor
                                  : TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor;
    (void)tensix_config_write(tensix, scene->state * TENSIX_STATE_WORDS + first + word, value);
}

static void set_descriptor(const struct scene *scene)
{
    unsigned x = one_in(6) ? random_below(&dice, 300) : PICK(16, 32, 64, 256, 256, 1024);
    unsigned blobs = one_in(3) ? random_below(&dice, 8) : 0, omits = one_in(8);
    put_descriptor(scene, 0,
                   scene->in | (uint32_t)scene->uncompressed << 4 | omits << 5 | blobs << 8 |
                       x << 16);
    put_descriptor(scene, 1, PICK(0, 1, 1, 1, 2, 16) | (uint32_t)random_below(&dice, 6) << 16);
    put_descriptor(scene, 2, random_below(&dice, 3) | random_next(&dice) << 16);
    put_descriptor(scene, 3,
                   (random_next(&dice) & 0xffff) | (one_in(6) ? random_below(&dice, 4) : 0) << 24);
    tensix_set_config_field(tensix, scene->state,
                            TENSIX_FIELD_UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start,
                            random_next(&dice));
    tensix_set_config_field(tensix, scene->state,
                            TENSIX_FIELD_UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start,
                            random_next(&dice));
    for (unsigned i = 0; i < 2; i++) {
        uint32_t two = x | (one_in(4) ? random_below(&dice, 300) : x) << 16;
        tensix->config[scene->state][TENSIX_WORD_THCON_SEC0_REG5_Tile_x_dim_cntx0 + i] = two;
    }
}

/* Words that units read for each instruction: nothing has to become stale. */
static void set_addresses(struct scene *scene)
{
    unsigned distance = scene->which ? TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor -
                                           TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor
                                     : 0;
    uint32_t *config = tensix->config[scene->state];
    scene->base =
        one_in(10) ? random_below(&dice, TENSIX_HARNESS_L1 / 16 + 8) : random_below(&dice, 24000);
    for (unsigned i = 0; i < 8; i++) {
        config[TENSIX_WORD_THCON_SEC0_REG3_Base_address + distance + i] = scene->base;
    }
    for (unsigned i = 0; i < 4; i++) {
        uint32_t *word = &config[TENSIX_WORD_THCON_SEC0_REG7_Offset_address + distance + i];
        *word = (one_in(4) ? random_below(&dice, 64) : 0) | scene->in << 16 | scene->out << 20 |
                scene->in << 24 | scene->out << 28;
    }
    for (unsigned i = 0; i < 2; i++) {
        uint32_t where = one_in(5) ? random_below(&dice, 1400)
                                   : 64 + 16 * PICK(0, 0, 0, 16, 40, random_below(&dice, 60));
        config[TENSIX_WORD_THCON_SEC0_REG5_Dest_cntx0_address + i] = where * 0x10001;
    }
    uint32_t limit = scene->base + random_below(&dice, 80);
    config[TENSIX_WORD_THCON_SEC0_REG10_Unpack_limit_address + distance] = limit;
    config[TENSIX_WORD_THCON_SEC0_REG10_Unpack_fifo_size + distance] =
        one_in(4) ? random_below(&dice, 64) | 1 << 17 : 0;
}

static void set_modes(const struct scene *scene)
{
    bool shifts = one_in(12);
    uint32_t shift = scene->discontiguous ? PICK(1, 2, 4, 8, 16, 33, 0x123)
                     : shifts             ? random_below(&dice, 16) * 0x1111
                                          : 0;
    SEC(REG2_Out_data_format, scene->out);
    SEC(REG2_Throttle_mode, random_below(&dice, 4));
    SEC(REG2_Context_count, random_below(&dice, 4));
    SEC(REG2_Context_count_non_log2, random_below(&dice, 8));
    SEC(REG2_Context_count_non_log2_en, one_in(4));
    SEC(REG2_Haloize_mode, one_in(5) && !scene->to_dst);
    SEC(REG2_Tileize_mode, scene->discontiguous);
    SEC(REG2_Unpack_Src_Reg_Set_Upd, random_below(&dice, 2));
    SEC(REG2_Unpack_If_Sel, scene->to_dst);
    SEC(REG2_Upsample_rate, one_in(8) ? random_below(&dice, 4) : 0);
    SEC(REG2_Upsample_and_interleave, one_in(3));
    SEC(REG2_Ovrd_data_format, one_in(4));
    SEC(REG2_Shift_amount_cntx0, shift & 0xf);
    SEC(REG2_Shift_amount_cntx1, shift >> 4 & 0xf);
    SEC(REG2_Shift_amount_cntx2, shift >> 8 & 0xf);
    SEC(REG2_Shift_amount_cntx3, shift >> 12 & 0xf);
    SEC(REG2_Force_shared_exp, one_in(6));
    UNP(FORCED_SHARED_EXP_shared_exp,
        one_in(2) ? random_below(&dice, 32) : random_below(&dice, 256));
    bool has_fifo = one_in(4);
    SEC(REG2_Unpack_limit_address, has_fifo ? scene->base + random_below(&dice, 100) : 0);
    SEC(REG2_Unpack_fifo_size, has_fifo ? random_below(&dice, 128) : 0);
    for (unsigned i = 0; i < (scene->which ? 2u : 4u); i++) {
        bool other = one_in(20);
        SEC(REG2_Disable_zero_compress_cntx0 + i, scene->uncompressed ^ other);
        SEC(REG2_Unpack_if_sel_cntx0 + i, scene->to_dst ^ one_in(20));
    }
    for (unsigned i = 0; i < 4 && !scene->which; i++) {
        SEC(REG2_Disable_zero_compress_cntx4 + i, scene->uncompressed);
        SEC(REG2_Unpack_if_sel_cntx4 + i, scene->to_dst);
    }
}

static void set_output(const struct scene *scene)
{
    unsigned unit = PICK(1, 2, 4) * 16;
    UNP(ADDR_BASE_REG_1_Base, one_in(6) ? random_below(&dice, 600) : 0);
    UNP(ADDR_CTRL_XY_REG_1_Ystride, one_in(8) ? random_below(&dice, 100) : unit);
    UNP(ADDR_CTRL_ZW_REG_1_Zstride, one_in(8) ? random_below(&dice, 600) : unit * PICK(1, 2, 16));
    UNP(ADDR_CTRL_ZW_REG_1_Wstride, one_in(8) ? random_below(&dice, 600) : unit * PICK(0, 1, 16));
    UNP(ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, random_below(&dice, 2));
    tensix_set_config_field(tensix, scene->state, TENSIX_FIELD_DEST_ACCESS_CFG_remap_addrs,
                            random_below(&dice, 2));
    tensix_set_config_field(tensix, scene->state, TENSIX_FIELD_DEST_ACCESS_CFG_swizzle_32b,
                            random_below(&dice, 2));
}

static void new_scene(struct scene *scene)
{
    *scene = (struct scene){.thread = random_below(&dice, 3),
                            .which = random_below(&dice, 2),
                            .state = random_below(&dice, 2),
                            .uncompressed = !one_in(6)};
    scene->multi = !one_in(3);
    scene->to_dst = scene->which == 0 && one_in(3);
    scene->discontiguous = one_in(6);
    choose_formats(scene);
    set_addresses(scene);
    set_descriptor(scene);
    set_modes(scene);
    set_output(scene);
    tensix_set_thread_field(tensix, scene->thread, TENSIX_FIELD_CFG_STATE_ID_StateID, scene->state);
    tensix_set_thread_field(tensix, scene->thread, TENSIX_FIELD_SRCA_SET_SetOvrdWithAddr,
                            !scene->to_dst && !one_in(3));
}

/* --- Instructions --- */

static void set_counters(const struct scene *scene)
{
    unsigned count =
        one_in(3) ? 1 + random_below(&dice, 300) : PICK(1, 16, 16, 64, 256, 256, 512, 1024);
    for (unsigned i = 0; i < 3; i++) {
        struct tensix_adc_channel *channel = tensix->thread[i].adc[scene->which].channel;
        unsigned x =
            one_in(scene->discontiguous ? 12 : 3) ? random_below(&dice, 70) : PICK(0, 0, 16, 64);
        channel[0].x = x;
        channel[1].x = one_in(100) ? random_below(&dice, 300) : x + count - 1;
        channel[0].y = one_in(8) ? random_below(&dice, 300) : random_below(&dice, 4);
        channel[0].z = one_in(16) ? random_below(&dice, 0x2000) : random_below(&dice, 4);
        channel[0].w = one_in(4) ? random_below(&dice, 3) : 0;
        channel[1].y = one_in(3) ? random_below(&dice, 20) : 0;
        channel[1].z = random_below(&dice, 3);
        channel[1].w = one_in(4) ? random_below(&dice, 3) : 0;
    }
}

/* Indices of rows that a compressed tile may start at. */
static void put_row_starts(const struct scene *scene)
{
    unsigned at = (scene->base + 1) * 16, value = random_below(&dice, 8), step = PICK(0, 4, 20, 60);
    for (unsigned i = 0; i < 900 && at + 2 <= TENSIX_HARNESS_L1; i++, at += 2) {
        uint16_t index = (uint16_t)value;
        memcpy(harness.l1 + at, &index, sizeof index);
        value += one_in(200) ? random_below(&dice, 65536) : random_below(&dice, step + 1);
    }
}

static uint32_t choose_word(const struct scene *scene)
{
    unsigned context = scene->which ? random_below(&dice, 2) : random_below(&dice, 8);
    bool counts = one_in(3);
    tensix_set_thread_field(tensix, scene->thread,
                            scene->which ? TENSIX_FIELD_UNPACK_MISC_CFG_CfgContextOffset_1
                                         : TENSIX_FIELD_UNPACK_MISC_CFG_CfgContextOffset_0,
                            one_in(scene->which ? 30 : 4) ? random_below(&dice, 3) : 0);
    tensix_set_thread_field(tensix, scene->thread,
                            scene->which ? TENSIX_FIELD_SRCB_SET_Base : TENSIX_FIELD_SRCA_SET_Base,
                            one_in(3) ? random_below(&dice, 4) : 0);
    if (scene->which && counts) {
        tensix->unpacker[1].context_counter[scene->thread] = random_below(&dice, 2);
    }
    return UINT32_C(0x42) << 24 | scene->which << 23 | (random_next(&dice) & 0xff) << 15 |
           context << 10 | (one_in(40) ? 3 : random_below(&dice, 3)) << 8 |
           (uint32_t)scene->multi << 7 | random_below(&dice, 2) << 6 | (uint32_t)one_in(12) << 4 |
           (uint32_t)counts << 3 | (uint32_t)one_in(8) << 2 | random_below(&dice, 2);
}

/* --- Comparing --- */

#define SAME(part)                                                                                 \
    ck_assert_msg(memcmp(&tensix->part, &expected.part, sizeof tensix->part) == 0,                 \
                  "instruction %u (0x%08x of thread %u, %s): %s differs", number, word, thread,    \
                  defined ? "defined" : "undefined", #part)

static void check_datums(unsigned number, uint32_t word)
{
    for (unsigned i = 0; i < 2 * 2 * 64 * 16; i++) {
        unsigned src = i / 2048, bank = i / 1024 % 2, row = i / 16 % 64, column = i % 16;
        uint32_t got = tensix->src_file[src].bank[bank][row][column];
        uint32_t want = expected.src_file[src].bank[bank][row][column];
        if (got != want) {
            ck_abort_msg("instruction %u (0x%08x): Src%c bank %u row %u column %u is 0x%05x, not "
                         "0x%05x",
                         number, word, "AB"[src], bank, row, column, got, want);
        }
    }
    for (unsigned i = 0; i < 1024 * 16; i++) {
        if (tensix->dst.bits[i / 16][i % 16] != expected.dst.bits[i / 16][i % 16]) {
            ck_abort_msg("instruction %u (0x%08x): Dst row %u column %u is 0x%04x, not 0x%04x",
                         number, word, i / 16, i % 16, tensix->dst.bits[i / 16][i % 16],
                         expected.dst.bits[i / 16][i % 16]);
        }
    }
}

static void check_state(unsigned number, unsigned thread, uint32_t word, bool defined)
{
    check_datums(number, word);
    SAME(dst);
    SAME(src_file);
    SAME(src);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        SAME(thread[i].adc);
    }
    for (unsigned i = 0; i < TENSIX_UNPACKERS; i++) {
        SAME(unpacker[i].context_counter);
        SAME(unpacker[i].src_row);
    }
}

/* True where the model calls it defined. */
static bool try_one(unsigned number, unsigned thread, uint32_t word)
{
    for (unsigned i = 0; i < 2; i++) { /* the bank must be the unpackers' */
        tensix->src[i].matrix_may[tensix->src[i].unpack_bank] = false;
    }
    memcpy(&expected, tensix, sizeof expected);
    bool defined = unpack_model(&expected, thread, word);
    if (!defined) {
        memcpy(&expected, tensix, sizeof expected);
    }
    unsigned faults = harness.faults;
    harness.fault.text[0] = '\0';
    tensix_harness_push(&harness, thread, word);
    ck_assert_msg(harness.faults - faults == !defined, "instruction %u (0x%08x) is %s: %s", number,
                  word, defined ? "defined" : "undefined", harness.fault.text);
    ck_assert_msg(defined || (harness.fault.kind == TENSIX_FAULT_UNDEFINED &&
                              strncmp(harness.fault.text, "UNPACR: unpacker ", 17) == 0),
                  "%s", harness.fault.text);
    ck_assert_uint_lt(strlen(harness.fault.text), 195);
    ck_assert(!tensix->thread[thread].has_next);
    check_state(number, thread, word, defined);
    return defined;
}

START_TEST(random_instructions)
{
    struct scene scene;
    unsigned defined = 0;
    const struct num_kernels *reference = num_kernels_find("reference");
    dice = 1 + (uint64_t)_i * 977;
    tensix->kernels = _i % 2 ? reference : num_kernels_find(NULL);
    for (unsigned number = 0; number < INSTRUCTIONS / 4; number++) {
        if (number % LIFE == 0) {
            new_scene(&scene);
        } else if (one_in(3)) {
            set_addresses(&scene);
        } else if (one_in(4)) {
            set_modes(&scene);
        }
        set_counters(&scene);
        if (!scene.uncompressed || one_in(20)) {
            put_row_starts(&scene);
        }
        defined += try_one(number, scene.thread, choose_word(&scene));
    }
    ck_assert_uint_gt(defined, INSTRUCTIONS / 4 * 45 / 100); /* or the test tests little */
}
END_TEST

/* --- Every pair of formats --- */

static void plain_scene(struct scene *scene, unsigned x_dim)
{
    SEC(REG2_Out_data_format, scene->out);
    SEC(REG2_Unpack_If_Sel, scene->to_dst);
    SEC(REG3_Base_address, scene->base);
    put_descriptor(scene, 0, scene->in | 1u << 4 | x_dim << 16);
    put_descriptor(scene, 1, 1 | 1u << 16);
    UNP(ADDR_BASE_REG_1_Base, 64u << (scene->in == NUM_FORMAT_INT32 ? 2 : 0));
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_SRCA_SET_SetOvrdWithAddr, !scene->to_dst);
}

/* By pair, destination, signedness and kind of FP8; whole faces and broken rows. */
START_TEST(every_pair_of_formats)
{
    unsigned in = (unsigned)_i, legal = 0;
    for (unsigned i = 0; i < 16 * 2 * 2 * 4; i++) {
        struct scene places = {.in = in,
                               .out = i % 16,
                               .which = i / 16 % 2,
                               .to_dst = i / 32 % 2,
                               .base = 1000 + random_below(&dice, 8000)};
        struct scene *scene = &places;
        scene->to_dst &= !scene->which;
        tensix_set_config_field(tensix, 0, TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcAUnsigned,
                                i >> 6 & 1);
        tensix_set_config_field(tensix, 0, TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcBUnsigned,
                                i >> 6 & 1);
        SEC(REG1_Unp_LF8_4b_exp, i >> 7 & 1);
        plain_scene(scene, 1024);
        for (unsigned broken = 0; broken < 2; broken++) {
            struct tensix_adc_channel *channel = tensix->thread[0].adc[scene->which].channel;
            channel[0].x = broken ? 5 : 0;
            channel[1].x = broken ? 205 : 511;
            if (!scene->which) {
                UNP(ADDR_BASE_REG_1_Base, 64u << 2);
            } else {
                UNP(ADDR_BASE_REG_1_Base, 0);
            }
            bool is_legal = num_unpack_is_legal(in, scene->out, scene->to_dst);
            uint32_t word = UINT32_C(0x42000001) | scene->which << 23 | UINT32_C(1) << 6;
            ck_assert_uint_eq(try_one(i, 0, word), is_legal);
            legal += is_legal;
        }
    }
    ck_assert(legal > 0 || in == 12 || in == 13);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tensix_unpack");
    TCase *tcase = tcase_create("unpack");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup_l1, teardown);
    tcase_add_loop_test(tcase, random_instructions, 0, 4);
    tcase_add_loop_test(tcase, every_pair_of_formats, 0, 16);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
