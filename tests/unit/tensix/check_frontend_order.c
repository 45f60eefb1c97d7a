/*
 * MOP and REPLAY as a thread sees them, from the pages alone. What an expansion contains adds to a
 * GPR or multiplies it, so that the GPR tells which instructions have executed, and in which order.
 *
 * SPEC: WormholeB0 MOPExpander, MOP, MOP_CFG, REPLAY (newest); YAML of Blackhole's MOP: loop counts
 * of ten bits, also in the instruction.
 */
#include "unit/tensix/pages_world.h"

enum { NOP = 0x02000000, TOKENS = 40, REG = 9, MOP_WORD_COUNT = 9 };

/* --- Instructions that can be told apart --- */

static uint32_t token(unsigned i)
{
    uint32_t opcode = i % 2 ? OP(0x58) : OP(0x5a); /* ADDDMAREG, MULDMAREG */
    return opcode | 1u << 23 | REG << 12 | (2 * (i / 2) + 3) << 6 | REG;
}

/* What has been executed, as the model has it. */
static uint32_t trail[TENSIX_THREADS];

static void follow(unsigned thread, uint32_t word)
{
    unsigned imm = word >> 6 & 63;
    uint32_t *value = &trail[thread];
    if (word >> 24 == 0x58) {
        *value += imm;
    } else if (word >> 24 == 0x5a) {
        *value = (*value & 0xffff) * imm;
    }
}

static void check_trail(unsigned thread, const char *what)
{
    ck_assert_msg(!tensix_thread_busy(tt, thread), "%s: thread %u does not end", what, thread);
    ck_assert_msg(tt->gpr[thread][REG] == trail[thread], "%s: 0x%" PRIx32 ", not 0x%" PRIx32, what,
                  tt->gpr[thread][REG], trail[thread]);
}

static void open_with_trails(void)
{
    open_coprocessor();
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tt->gpr[i][REG] = trail[i] = 0x1234 + i;
    }
}

static void push(unsigned thread, uint32_t word)
{
    tensix_harness_push(&harness, thread, word);
}

/* --- MOP --- */

static bool is_nop(uint32_t word)
{
    return word >> 24 == NOP >> 24;
}

static void configure(unsigned thread, const uint32_t config[MOP_WORD_COUNT])
{
    memcpy(tt->thread[thread].mop.config, config, MOP_WORD_COUNT * sizeof config[0]);
}

static void model_masked(unsigned thread, const uint32_t *config, uint32_t mask, unsigned count1)
{
    for (unsigned i = 0; i <= count1; i++, mask >>= 1) {
        if (mask & 1) {
            follow(thread, config[7]);
        } else {
            follow(thread, config[3]);
            for (unsigned a = 4; config[1] & 2 && a <= 6; a++) {
                follow(thread, config[a]);
            }
        }
        if (config[1] & 1) {
            follow(thread, config[mask & 1 ? 8 : 2]);
        }
    }
}

static void model_loop(unsigned thread, const uint32_t *config, unsigned outer, unsigned inner)
{
    uint32_t loop_op = config[5], flip = 0;
    if (!is_nop(config[6])) {
        flip = config[5] ^ config[6];
        inner *= 2;
    }
    for (unsigned j = 0; j < outer; j++) {
        if (!is_nop(config[2])) {
            follow(thread, config[2]);
        }
        for (unsigned i = 0; i < inner; i++) {
            follow(thread, i + 1 < inner ? loop_op : j + 1 < outer ? config[8] : config[7]);
            loop_op ^= flip;
        }
        if (!is_nop(config[3])) {
            follow(thread, config[3]);
            if (!is_nop(config[4])) {
                follow(thread, config[4]);
            }
        }
    }
}

static void any_masked_config(uint32_t config[MOP_WORD_COUNT])
{
    for (unsigned i = 0; i < MOP_WORD_COUNT; i++) {
        config[i] = below(5) ? token(below(TOKENS)) : NOP;
    }
    config[1] = next_random(); /* of which two bits count */
}

static uint32_t mop_masked(unsigned count1, unsigned mask_lo)
{
    return OP(0x01) | count1 << 16 | mask_lo;
}

static uint32_t mop_loop(unsigned outer, unsigned inner)
{
    return OP(0x01) | 1u << 23 | outer << 10 | inner;
}

START_TEST(mop_masked_random)
{
    uint32_t config[MOP_WORD_COUNT], high[TENSIX_THREADS] = {0};
    for (int n = 0; n < 3000; n++) {
        unsigned thread = below(3), count1 = below(128);
        uint32_t low = below(4) ? next_random() & 0xffff : below(2) * 0xffff;
        any_masked_config(config);
        configure(thread, config);
        if (below(2)) {
            high[thread] = below(4) ? next_random() & 0xffff : 0xffff;
            push(thread, OP(0x03) | high[thread]); /* MOP_CFG */
        }
        push(thread, mop_masked(count1, low));
        model_masked(thread, config, high[thread] << 16 | low, count1);
        check_trail(thread, "MOP with a mask");
    }
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

/* Iterations beyond the 32nd are not masked. */
START_TEST(mop_masked_beyond_the_mask)
{
    static const unsigned counts[] = {30, 31, 32, 33, 63, 64, 126, 127};
    uint32_t config[MOP_WORD_COUNT] = {0,        3,        token(1), token(3), token(4),
                                       token(5), token(6), token(7), token(8)};
    configure(1, config);
    push(1, OP(0x03) | 0xffff);
    for (int i = 0; i < COUNT(counts); i++) {
        push(1, mop_masked(counts[i], 0xffff));
        model_masked(1, config, 0xffffffff, counts[i]);
        check_trail(1, "MOP of more than 32 iterations");
    }
}
END_TEST

static void any_loop_config(uint32_t config[MOP_WORD_COUNT])
{
    for (unsigned i = 2; i < MOP_WORD_COUNT; i++) {
        config[i] = below(3) ? token(below(TOKENS)) : NOP;
    }
    if (is_nop(config[5])) {
        config[5] = token(5);
    }
}

/* The hardware bug of the page: one outer iteration of end instructions alone. */
static bool is_special(const uint32_t *config, unsigned outer, unsigned inner)
{
    return outer == 1 && inner == 0 && is_nop(config[2]) && !is_nop(config[3]);
}

/* Counts from the configuration or from the instruction, each alone and both. */
START_TEST(mop_loop_random)
{
    uint32_t config[MOP_WORD_COUNT];
    for (int n = 0; n < 3000; n++) {
        unsigned thread = below(3), counts[2], in_word[2];
        for (unsigned i = 0; i < 2; i++) {
            config[i] = below(40);
            in_word[i] = below(2) ? 0 : 1 + below(40);
            counts[i] = in_word[i] ? in_word[i] : config[i];
        }
        any_loop_config(config);
        if (is_special(config, counts[0], counts[1])) {
            continue;
        }
        configure(thread, config);
        push(thread, mop_loop(in_word[0], in_word[1]));
        model_loop(thread, config, counts[0], counts[1]);
        check_trail(thread, "MOP with loops");
    }
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

/* Counts that Wormhole's seven bits do not hold; LLK's tests use 128 and 1000. */
START_TEST(mop_loop_large)
{
    static const unsigned counts[][2] = {{127, 3},  {128, 1},  {1, 128},     {128, 128}, {1000, 1},
                                         {1, 1000}, {1000, 4}, {1000, 1000}, {1023, 7},  {7, 1023}};
    uint32_t config[MOP_WORD_COUNT] = {0,        0,        token(1), token(3), token(4),
                                       token(5), token(6), token(7), token(8)};
    for (int i = 0; i < COUNT(counts) * 2; i++) {
        unsigned outer = counts[i / 2][0], inner = counts[i / 2][1];
        bool in_word = i % 2;
        config[0] = in_word ? 5 : outer;
        config[1] = in_word ? 5 : inner;
        configure(2, config);
        push(2, in_word ? mop_loop(outer, inner) : mop_loop(0, 0));
        model_loop(2, config, outer, inner);
        check_trail(2, "MOP with large counts");
    }
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

/* Instructions around a MOP keep their places. */
START_TEST(mop_in_order)
{
    uint32_t config[MOP_WORD_COUNT] = {3, 4, NOP, token(3), NOP, token(5), NOP, token(7), token(8)};
    configure(0, config);
    for (unsigned i = 0; i < 100; i++) {
        static const unsigned counts[] = {0, 3};
        struct tensix_origin origin = {.pusher = TENSIX_BY_T0};
        uint32_t words[] = {token(i % TOKENS), mop_loop(counts[i % 2], 0), token(i * 7 % TOKENS),
                            mop_loop(0, i % 3)};
        ck_assert(tensix_push(tt, 0, origin, words, 4, harness.time));
        tensix_harness_go(&harness, 0);
        follow(0, words[0]);
        model_loop(0, config, 3, 4);
        follow(0, words[2]);
        model_loop(0, config, 3, i % 3 ? i % 3 : 4);
        check_trail(0, "MOP between other instructions");
    }
}
END_TEST

/* B pushes behind the MOP expanders: its MOP cannot be expanded, nor one in an expansion. */
START_TEST(mop_where_it_cannot_be)
{
    uint32_t config[MOP_WORD_COUNT] = {1, 1, NOP, NOP, NOP, token(5), NOP, token(7), token(8)};
    struct tensix_origin origin = {.pusher = TENSIX_BY_B};
    uint32_t word = mop_loop(0, 0);
    configure(0, config);
    ck_assert(tensix_push(tt, 0, origin, &word, 1, harness.time));
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_EXPANSION);
    check_trail(0, "MOP by B");
    config[7] = word;
    configure(0, config);
    push(0, word);
    ck_assert_uint_eq(harness.faults, 2);
    ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_EXPANSION);
    check_trail(0, "MOP in a MOP");
    word = token(2);
    ck_assert(tensix_push(tt, 0, origin, &word, 1, harness.time));
    tensix_harness_go(&harness, 0);
    follow(0, word);
    check_trail(0, "B");
}
END_TEST

/* --- REPLAY --- */

static uint32_t replay(unsigned index, unsigned count, bool exec, bool load)
{
    return OP(0x04) | index << 14 | count << 4 | (uint32_t)exec << 1 | (uint32_t)load;
}

static uint32_t buffer[TENSIX_THREADS][32];

/* Fills all 32 entries. */
static void load_all(unsigned thread, unsigned first_token)
{
    push(thread, replay(0, 32, false, true));
    for (unsigned i = 0; i < 32; i++) {
        buffer[thread][i] = token((first_token + i) % TOKENS);
        push(thread, buffer[thread][i]);
    }
}

static void model_play(unsigned thread, unsigned index, unsigned count)
{
    for (unsigned i = 0; i < (count ? count : 32); i++) {
        follow(thread, buffer[thread][(index + i) % 32]);
    }
}

START_TEST(replay_all_ranges)
{
    for (unsigned thread = 0; thread < 3; thread++) {
        load_all(thread, 11 * thread);
        check_trail(thread, "loading without executing");
    }
    for (unsigned n = 0; n < 32 * 33; n++) {
        unsigned thread = n % 3, index = n % 32, count = n / 32;
        push(thread, replay(index, count, n % 5 == 0, false)); /* exec counts for nothing here */
        model_play(thread, index, count);
        check_trail(thread, "playing");
    }
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

START_TEST(replay_random)
{
    for (unsigned thread = 0; thread < 3; thread++) {
        load_all(thread, thread);
    }
    for (int n = 0; n < 3000; n++) {
        unsigned thread = below(3), index = below(32), count = below(33);
        if (below(3)) {
            push(thread, replay(index, count, below(2), false));
            model_play(thread, index, count);
        } else {
            bool exec = below(2);
            push(thread, replay(index, count, exec, true));
            for (unsigned i = 0; i < (count ? count : 32); i++) {
                uint32_t word = token(below(TOKENS));
                push(thread, word);
                buffer[thread][(index + i) % 32] = word;
                if (exec) {
                    follow(thread, word);
                }
                ck_assert_uint_eq(tt->gpr[thread][REG], trail[thread]);
            }
        }
        check_trail(thread, "REPLAY");
    }
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

/* Its low five bits say where it starts; bits 23:19 and 13:10 are ignored. */
START_TEST(replay_ignored_bits)
{
    load_all(0, 3);
    for (unsigned n = 0; n < 300; n++) {
        unsigned index = below(32), count = below(33);
        push(0, replay(index, count, false, false) | (next_random() & 0x00f83c00));
        model_play(0, index, count);
        check_trail(0, "REPLAY with other bits set");
    }
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

/* A MOP whose expansion plays, as LLK has them; and a MOP whose expansion is recorded. */
START_TEST(replay_and_mop)
{
    uint32_t config[MOP_WORD_COUNT] = {6,
                                       5,
                                       token(1),
                                       replay(28, 9, false, false),
                                       token(2),
                                       replay(30, 7, false, false),
                                       replay(3, 4, false, false),
                                       replay(31, 2, false, false),
                                       replay(0, 0, false, false)};
    load_all(1, 5);
    configure(1, config);
    push(1, mop_loop(0, 0));
    for (unsigned j = 0; j < 6; j++) {
        follow(1, token(1));
        for (unsigned i = 0; i < 9; i++) {
            model_play(1, i % 2 ? 3 : 30, i % 2 ? 4 : 7);
        }
        model_play(1, j < 5 ? 0 : 31, j < 5 ? 32 : 2);
        model_play(1, 28, 9);
        follow(1, token(2));
    }
    check_trail(1, "REPLAY in a MOP");

    uint32_t recorded[MOP_WORD_COUNT] = {2,         3,   NOP,       token(9), NOP,
                                         token(10), NOP, token(11), token(12)};
    configure(1, recorded);
    push(1, replay(27, 8, false, true));
    push(1, mop_loop(0, 0)); /* eight instructions */
    check_trail(1, "MOP that is recorded");
    static const uint8_t tokens[] = {10, 10, 12, 9, 10, 10, 11, 9};
    for (unsigned i = 0; i < 8; i++) {
        buffer[1][(27 + i) % 32] = token(tokens[i]);
    }
    push(1, replay(20, 32, false, false));
    model_play(1, 20, 32);
    check_trail(1, "MOP that was recorded");
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

/* Loading takes what comes through the back FIFO, whoever has pushed it. */
START_TEST(replay_records_pushes_of_b)
{
    struct tensix_origin origin = {.pusher = TENSIX_BY_B};
    uint32_t words[] = {token(3), token(4)};
    load_all(2, 0);
    push(2, replay(30, 4, true, true));
    ck_assert(tensix_push(tt, 2, origin, words, 2, harness.time));
    tensix_harness_go(&harness, 0);
    follow(2, words[0]);
    follow(2, words[1]);
    check_trail(2, "recorded pushes of B");
    push(2, token(5));
    push(2, token(6));
    follow(2, token(5));
    follow(2, token(6));
    for (unsigned i = 0; i < 4; i++) {
        buffer[2][(30 + i) % 32] = token(3 + i);
    }
    words[0] = replay(29, 6, false, false);
    ck_assert(tensix_push(tt, 2, origin, words, 1, harness.time));
    tensix_harness_go(&harness, 0);
    model_play(2, 29, 6);
    check_trail(2, "REPLAY by B");
}
END_TEST

/* More than 32 is not supported; a REPLAY in the buffer is not played. */
START_TEST(replay_where_it_cannot_be)
{
    load_all(0, 1);
    for (unsigned count = 33; count < 64; count++) {
        unsigned faults = harness.faults;
        push(0, replay(0, count, false, count % 2));
        ck_assert_uint_eq(harness.faults, faults + 1);
        ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_EXPANSION);
        check_trail(0, "REPLAY of more than 32");
    }
    push(0, replay(4, 1, false, true));
    push(0, replay(0, 2, false, false));
    buffer[0][4] = NOP;
    check_trail(0, "a REPLAY that is recorded");
    unsigned faults = harness.faults;
    push(0, replay(3, 3, false, false));
    model_play(0, 3, 3);
    ck_assert_uint_gt(harness.faults, faults);
    ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_EXPANSION);
    check_trail(0, "a REPLAY that is played");
}
END_TEST

START_TEST(encodings)
{
    assembles_to("MOP 0, 0x55, 0xa5a5", mop_masked(0x55, 0xa5a5));
    assembles_to("MOP 1, 0x0a, 0x9105", mop_loop(0x0a << 6 | 0x9105 >> 10, 0x9105 & 1023));
    assembles_to("MOP_CFG 0xa5a5", OP(0x03) | 0xa5a5);
    assembles_to("REPLAY 21, 42, 1, 1", replay(21, 42, true, true));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("front end");
    TCase *tcase = tcase_create("front end");
    tcase_add_checked_fixture(tcase, open_with_trails, close_coprocessor);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, mop_masked_random);
    tcase_add_test(tcase, mop_masked_beyond_the_mask);
    tcase_add_test(tcase, mop_loop_random);
    tcase_add_test(tcase, mop_loop_large);
    tcase_add_test(tcase, mop_in_order);
    tcase_add_test(tcase, mop_where_it_cannot_be);
    tcase_add_test(tcase, replay_all_ranges);
    tcase_add_test(tcase, replay_random);
    tcase_add_test(tcase, replay_ignored_bits);
    tcase_add_test(tcase, replay_and_mop);
    tcase_add_test(tcase, replay_records_pushes_of_b);
    tcase_add_test(tcase, replay_where_it_cannot_be);
    tcase_add_test(tcase, encodings);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
