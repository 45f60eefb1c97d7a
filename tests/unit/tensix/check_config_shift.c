/*
 * The Configuration Unit: CFGSHIFTMASK in all modes against a model that works bit by bit,
 * STREAMWRCFG, the two states, words that both states share, the state reset, indices out of range,
 * and the order of what is under way in timed runs.
 *
 * SPEC: BlackholeA0 CFGSHIFTMASK, STREAMWRCFG, WRCFG, RDCFG, RMWCIB, SETC16, ConfigurationUnit,
 * BackendConfiguration.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit/run_suite.h"
#include "unit/tensix/tensix_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { WORDS = 224, GLOBAL = 180, SCRATCH = 209, STREAM_ID_SYNC = 59, OPERANDS = 6 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;

static void setup(void)
{
    tensix_harness_open(&harness);
    for (unsigned i = 0; i < 64 * 1024; i++) {
        harness.stream[i / 1024][i % 1024] = 0x10000 * (i / 1024) + i % 1024 + 0x80000000;
    }
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

static void run(unsigned thread, const char *text)
{
    tensix_harness_run(&harness, thread, text);
}

#define RUNF(thread, ...)                                                                          \
    do {                                                                                           \
        char text_[200];                                                                           \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                                \
        run(thread, text_);                                                                        \
    } while (0)

static void set_both(unsigned word, uint32_t value)
{
    tensix->config[0][word] = tensix->config[1][word] = value;
}

/* --- CFGSHIFTMASK --- */

/* Bit `bit` of a value whose low width + 1 bits are rotated right. */
static unsigned rotated_bit(uint32_t value, unsigned width, unsigned by, unsigned bit)
{
    unsigned from = (bit + by) % 32;
    return from <= width ? value >> from & 1 : 0;
}

/* One mode of logic or addition, bit by bit with a carry. */
static uint32_t expected_result(const unsigned f[OPERANDS], uint32_t scratch, uint32_t old)
{
    bool keeps = f[0], inverts = f[1] >= 4, adds = (f[1] & 3) == 3;
    unsigned carry = f[1] == 7; /* a - b is a + ~b + 1 */
    uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; bit++) {
        unsigned operand = rotated_bit(scratch, f[2], f[3], bit);
        bool masked = rotated_bit(UINT32_MAX, f[2], f[3], bit);
        unsigned own = masked && !keeps ? 0 : old >> bit & 1;
        operand ^= inverts;
        unsigned sum = own + operand + carry;
        unsigned by_mode[4] = {own | operand, own & operand, own ^ operand, sum & 1};
        carry = adds ? sum >> 1 : 0;
        result |= (uint32_t)by_mode[f[1] & 3] << bit;
    }
    return result;
}

/* All masks and rotations of one of the 16 mode pairs. */
START_TEST(cfgshiftmask_modes)
{
    static const uint32_t values[][2] = {{0x89abcdef, 0x01234567},
                                         {0xffffffff, 0x00000000},
                                         {0x00000000, 0xffffffff},
                                         {0x80000001, 0x7fffffff},
                                         {0x12345678, 0xfffffffe}};
    for (unsigned n = 0; n < 32 * 32 * COUNT(values); n++) {
        const uint32_t *value = values[n / 1024];
        unsigned thread = n % 3, select = n % 4;
        const unsigned f[OPERANDS] = {(unsigned)_i / 8, (unsigned)_i % 8, n % 32,
                                      n / 32 % 32,      select,           100};
        for (unsigned i = 0; i < 3; i++) {
            bool is_it = select < 3 ? i == select : i == thread;
            set_both(SCRATCH + i, is_it ? value[0] : 0x5a5a5a5a);
        }
        set_both(100, value[1]);
        RUNF(thread, "CFGSHIFTMASK %u, %u, %u, %u, %u, %u", f[0], f[1], f[2], f[3], f[4], f[5]);
        uint32_t expected = expected_result(f, value[0], value[1]);
        ck_assert_msg(tensix->config[0][100] == expected,
                      "CFGSHIFTMASK %u, %u, %u, %u of %#x and %#x: %#x, not %#x", f[0], f[1], f[2],
                      f[3], value[1], value[0], tensix->config[0][100], expected);
        ck_assert_uint_eq(tensix->config[1][100], value[1]);
    }
}
END_TEST

/* Scratch registers can be the destination, of the same instruction too. */
START_TEST(cfgshiftmask_on_its_own_operand)
{
    set_both(SCRATCH, 0x00000fff);
    set_both(SCRATCH + 1, 0x11111111);
    set_both(SCRATCH + 2, 3);
    run(2, "CFGSHIFTMASK 1, 3, 31, 0, 3, 211; CFGSHIFTMASK 0, 0, 3, 28, 0, 209;"
           "CFGSHIFTMASK 1, 6, 31, 0, 2, 210");
    for (unsigned state = 0; state < 2; state++) {
        ck_assert_uint_eq(tensix->config[state][SCRATCH], 0x00000fff);
        ck_assert_uint_eq(tensix->config[state][SCRATCH + 2], 6);
        ck_assert_uint_eq(tensix->config[state][SCRATCH + 1], 0x11111111 ^ ~UINT32_C(6));
    }
}
END_TEST

/* --- STREAMWRCFG --- */

START_TEST(streamwrcfg_streams)
{
    unsigned thread = (unsigned)_i % 3;
    for (unsigned select = 0; select < 4; select++) {
        for (unsigned t = 0; t < 3; t++) {
            tensix->thread_config[t][STREAM_ID_SYNC + select] = (uint16_t)(20 * t + 3 * select);
        }
    }
    for (unsigned n = 0; n < 4 * 1024; n += 5) {
        unsigned select = n / 1024, index = n % 1024, word = 8 + n % 170;
        RUNF(thread, "STREAMWRCFG %u, %u, %u", select, index, word);
        ck_assert_uint_eq(tensix->config[0][word],
                          0x80000000 + 0x10000 * (20 * thread + 3 * select) + index);
        ck_assert_uint_eq(tensix->config[1][word], 0);
    }
    /* Six bits of the register count. */
    tensix->thread_config[thread][STREAM_ID_SYNC] = 0xffc0 | 17;
    RUNF(thread, "STREAMWRCFG 0, 9, 210");
    ck_assert_uint_eq(tensix->config[0][210], 0x80110009);
    ck_assert_uint_eq(tensix->config[1][210], 0x80110009);
}
END_TEST

/* --- States --- */

/* What writes a word, and what it then is where it was 0x01020304; R4 is 0x8899aabb, scratch 0 is
 * 0x8899aabb and register 700 of stream 0 is 0x800002bc. */
static const struct writer {
    const char *format;
    uint32_t value;
    bool resets; /* where the word is STATE_RESET_EN */
} writers[] = {
    {"WRCFG 4, 0, %u", 0x8899aabb, true},
    {"STREAMWRCFG 0, 700, %u", 0x800002bc, true},
    {"CFGSHIFTMASK 0, 0, 31, 0, 0, %u", 0x8899aabb, true},
    {"RMWCIB0 0xf0, 0xff, %u", 0x010203f4, false},
    {"RMWCIB1 0xff, 0x12, %u", 0x01021204, false},
    {"RMWCIB2 0x01, 0x00, %u", 0x01020304, false},
    {"RMWCIB3 0x80, 0xff, %u", 0x81020304, false},
};

static void fill_states(void)
{
    tensix_reset(tensix);
    for (unsigned i = 0; i < WORDS; i++) {
        set_both(i, 0x01020304);
    }
    set_both(SCRATCH, 0x8899aabb);
    for (unsigned t = 0; t < 3; t++) {
        tensix->gpr[t][4] = 0x8899aabb;
    }
}

/* Each writes the word of its thread's state and no other; both where they share it. */
START_TEST(every_word_of_either_state)
{
    const struct writer *writer = &writers[_i];
    for (unsigned n = 0; n < 2 * WORDS; n++) {
        unsigned state = n & 1, word = n / 2, thread = n % 3;
        if (word == 4 || word == SCRATCH) {
            continue;
        }
        fill_states();
        RUNF(thread, "SETC16 0, %u", state);
        RUNF(thread, writer->format, word);
        for (unsigned i = 0; i < 2 * WORDS; i++) {
            bool is_it = i / 2 == word && (i % 2 == state || word >= GLOBAL);
            uint32_t expected = is_it ? writer->value : i / 2 == SCRATCH ? 0x8899aabb : 0x01020304;
            ck_assert_msg(tensix->config[i % 2][i / 2] == expected, "state %u word %u: %#x", i % 2,
                          i / 2, tensix->config[i % 2][i / 2]);
        }
        RUNF(thread, "RDCFG 9, %u; STALLWAIT 0x1ff, 0x1000; NOP", word);
        ck_assert_uint_eq(tensix->gpr[thread][9], writer->value);
    }
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

/* "Writing anything (except via RMWCIB)" clears what the states do not share. */
START_TEST(state_reset)
{
    const struct writer *writer = &writers[_i % COUNT(writers)];
    unsigned state = (unsigned)_i / COUNT(writers);
    fill_states();
    RUNF(1, "SETC16 0, %u", state);
    RUNF(1, writer->format, 4U);
    for (unsigned i = 0; i < WORDS; i++) {
        uint32_t own = i == SCRATCH ? 0x8899aabb : 0x01020304, other = own;
        if (writer->resets && i < GLOBAL) {
            own = 0;
        } else if (i == 4) {
            own = writer->value;
        }
        ck_assert_uint_eq(tensix->config[state][i], own);
        ck_assert_uint_eq(tensix->config[!state][i], other);
    }
}
END_TEST

START_TEST(state_reset_by_zero)
{
    fill_states();
    tensix->gpr[0][4] = 0;
    run(0, "WRCFG 4, 0, 4");
    ck_assert_uint_eq(tensix->config[0][100], 0);
    ck_assert_uint_eq(tensix->config[1][100], 0x01020304);
}
END_TEST

START_TEST(wrcfg_of_128_bits_is_aligned)
{
    for (unsigned i = 0; i < 8; i++) {
        tensix->gpr[2][i] = 0x100 + i;
    }
    run(2, "WRCFG 6, 1, 183; WRCFG 1, 1, 67; STALLWAIT 0x1ff, 0x1000; NOP");
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(tensix->config[0][180 + i], 0x104 + i);
        ck_assert_uint_eq(tensix->config[1][180 + i], 0x104 + i);
        ck_assert_uint_eq(tensix->config[0][64 + i], 0x100 + i);
        ck_assert_uint_eq(tensix->config[1][64 + i], 0);
    }
}
END_TEST

/* --- Out of range --- */

static const char *const outside[] = {
    "WRCFG 4, 0, 224",
    "WRCFG 4, 1, 224",
    "WRCFG 4, 0, 2047",
    "RDCFG 4, 224",
    "RDCFG 4, 2047",
    "STREAMWRCFG 0, 0, 224",
    "STREAMWRCFG 3, 1023, 2047",
    "CFGSHIFTMASK 0, 0, 31, 0, 0, 224",
    "CFGSHIFTMASK 1, 3, 31, 0, 3, 255",
    "RMWCIB0 255, 255, 224",
    "RMWCIB3 255, 255, 255",
    "SETC16 68, 1",
    "SETC16 255, 0xffff",
};

START_TEST(words_that_do_not_exist)
{
    fill_states();
    uint32_t config[2][WORDS], gpr[3][64];
    uint16_t own[3][68];
    memcpy(config, tensix->config, sizeof config);
    memcpy(gpr, tensix->gpr, sizeof gpr);
    memcpy(own, tensix->thread_config, sizeof own);
    run(0, outside[_i]);
    ck_assert_msg(harness.faults == 1, "%s", outside[_i]);
    ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_UNDEFINED);
    ck_assert_mem_eq(config, tensix->config, sizeof config);
    ck_assert_mem_eq(gpr, tensix->gpr, sizeof gpr);
    ck_assert_mem_eq(own, tensix->thread_config, sizeof own);
}
END_TEST

/* --- Effects --- */

START_TEST(instruction_caches_are_invalidated)
{
    tensix->gpr[0][4] = 0x1f;
    run(0, "WRCFG 4, 0, 185; STALLWAIT 0x1ff, 0x1000; NOP");
    ck_assert_uint_eq(harness.invalidations, 1);
    run(0, "RMWCIB0 0x1f, 0x02, 185");
    ck_assert_uint_eq(harness.invalidations, 2);
}
END_TEST

/* --- Order in timed runs --- */

/* Results that a Configuration Unit instruction consumes: "the pipeline insertion rules will
 * ensure" order, but for STREAMWRCFG, which needs a STALLWAIT. R4 is 0x8899aabb, R5 is 1. */
static const struct {
    const char *text;
    uint32_t expected; /* R9 */
} orders[] = {
    {"WRCFG 4, 0, 100; RDCFG 9, 100", 0x8899aabb},
    {"WRCFG 4, 0, 100; RMWCIB0 0xff, 0x11, 100; RDCFG 9, 100", 0x8899aa11},
    {"WRCFG 4, 0, 209; CFGSHIFTMASK 0, 0, 31, 16, 0, 100; RDCFG 9, 100", 0xaabb8899},
    {"WRCFG 4, 0, 100; WRCFG 5, 0, 100; RDCFG 9, 100", 1},
    {"WRCFG 4, 0, 209; CFGSHIFTMASK 1, 3, 31, 0, 0, 209; CFGSHIFTMASK 1, 3, 31, 0, 0, 209;"
     "RDCFG 9, 209",
     0x2266aaec},
    {"RMWCIB3 0xff, 0x11, 100; WRCFG 4, 0, 100; RDCFG 9, 100", 0x8899aabb},
    {"STREAMWRCFG 0, 7, 100; STALLWAIT 0x80, 0x1000; RDCFG 9, 100", 0x80000007},
    {"STREAMWRCFG 0, 7, 100; STREAMWRCFG 0, 8, 100; STALLWAIT 0x80, 0x1000; RDCFG 9, 100",
     0x80000008},
    {"STREAMWRCFG 0, 7, 100; STALLWAIT 0x80, 0x1000; RMWCIB0 0xff, 0x11, 100; RDCFG 9, 100",
     0x80000011},
    {"STREAMWRCFG 0, 7, 209; STALLWAIT 0x80, 0x1000; CFGSHIFTMASK 0, 0, 31, 0, 0, 100;"
     "RDCFG 9, 100",
     0x80000007},
    {"WRCFG 4, 1, 100; RDCFG 9, 103", 7},
    {"SETC16 0, 1; WRCFG 4, 0, 100; SETC16 0, 0; RDCFG 9, 100", 0},
    {"WRCFG 4, 0, 100; SETC16 0, 1; RDCFG 9, 100", 0},
};

START_TEST(order_of_the_pipeline)
{
    int i = _i % COUNT(orders);
    harness.tensix.timed = _i >= COUNT(orders);
    tensix->gpr[1][4] = 0x8899aabb;
    tensix->gpr[1][5] = 1;
    tensix->gpr[1][7] = 7;
    RUNF(1, "%s; STALLWAIT 0x1ff, 0x1000; NOP", orders[i].text);
    ck_assert_msg(tensix->gpr[1][9] == orders[i].expected, "%s: %#x, not %#x", orders[i].text,
                  tensix->gpr[1][9], orders[i].expected);
}
END_TEST

/* The hardware bug lets RMWCIB jump ahead or not; nothing else may come of it, and in a functional
 * run they stay in order. */
START_TEST(streamwrcfg_without_a_wait)
{
    harness.tensix.timed = _i;
    run(0, "STREAMWRCFG 0, 7, 100; RMWCIB0 0xff, 0x11, 100; STALLWAIT 0x1ff, 0x1000; NOP");
    uint32_t got = tensix->config[0][100];
    ck_assert(got == 0x80000011 || (_i && got == 0x80000007));
}
END_TEST

int main(void)
{
    Suite *all = suite_create("reader B: configuration unit");
    TCase *tests = tcase_create("configuration");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, cfgshiftmask_modes, 0, 16);
    tcase_add_test(tests, cfgshiftmask_on_its_own_operand);
    tcase_add_loop_test(tests, streamwrcfg_streams, 0, 3);
    tcase_add_loop_test(tests, every_word_of_either_state, 0, COUNT(writers));
    tcase_add_loop_test(tests, state_reset, 0, 2 * COUNT(writers));
    tcase_add_test(tests, state_reset_by_zero);
    tcase_add_test(tests, wrcfg_of_128_bits_is_aligned);
    tcase_add_loop_test(tests, words_that_do_not_exist, 0, COUNT(outside));
    tcase_add_test(tests, instruction_caches_are_invalidated);
    tcase_add_loop_test(tests, order_of_the_pipeline, 0, 2 * COUNT(orders));
    tcase_add_loop_test(tests, streamwrcfg_without_a_wait, 0, 2);
    suite_add_tcase(all, tests);
    return run_suite(all);
}
