/*
 * Configuration Unit in functional runs, from the pages alone: CFGSHIFTMASK and STREAMWRCFG above
 * all, with what hangs on words of Config: two states, global words, state reset, instruction
 * caches.
 *
 * SPEC: BlackholeA0 CFGSHIFTMASK, STREAMWRCFG, WRCFG, RDCFG, RMWCIB, SETC16, BackendConfiguration;
 * field positions from cfg_defines.h.
 */
#include "unit/tensix/pages_world.h"

enum {
    CASES = 20000,
    STATE_WORDS = 224, /* CFG_STATE_SIZE * 4 */
    GLOBAL = 180,      /* GLOBAL_CFGREG_BASE_ADDR32 */
    STATE_RESET = 4,
    PRNG_SEED = 186,
    CHICKEN_BITS = 222,
    SCRATCH = 209,
    TAG_SEARCH = 212, /* to 219 */
    STREAM_ID_SYNC = 59,
};

/* Of ThreadConfig, bits beyond the width of a field do not count. */
static void randomize_config(void)
{
    for (unsigned i = 0; i < STATE_WORDS; i++) {
        tt->config[0][i] = any_value();
        tt->config[1][i] = i < GLOBAL ? any_value() : tt->config[0][i];
    }
    for (unsigned thread = 0; thread < 3; thread++) {
        tt->thread_config[thread][0] = (uint16_t)below(2);
        for (unsigned i = 0; i < 4; i++) {
            tt->thread_config[thread][STREAM_ID_SYNC + i] = (uint16_t)next_random();
        }
    }
}

/* What a Tensix instruction that is not RMWCIB writes. */
static void store(unsigned thread, unsigned word, uint32_t value)
{
    unsigned state = expected.thread_config[thread][0] & 1;
    if (word == STATE_RESET) {
        memset(expected.config[state], 0, GLOBAL * sizeof expected.config[state][0]);
        return;
    }
    expected.config[state][word] = value;
    if (word >= GLOBAL) {
        expected.config[!state][word] = value;
    }
}

static bool has_effect(unsigned word)
{
    return word == PRNG_SEED || (word >= TAG_SEARCH && word <= 219) || word == CHICKEN_BITS;
}

/* --- CFGSHIFTMASK --- */

struct shift_mask {
    unsigned thread, mask_mode, alu_mode, mask_width, rotate, scratch, word;
};

static uint32_t shift_mask_word(const struct shift_mask *s)
{
    return OP(0xb8) | s->mask_mode << 23 | s->alu_mode << 20 | s->mask_width << 15 |
           s->rotate << 10 | s->scratch << 8 | s->word;
}

static uint32_t rotr(uint32_t value, unsigned amount)
{
    return amount ? value << (32 - amount) | value >> amount : value;
}

static uint32_t alu(unsigned mode, uint32_t config, uint32_t scratch)
{
    switch (mode) {
    case 0:
        return config | scratch;
    case 1:
        return config & scratch;
    case 2:
        return config ^ scratch;
    case 3:
        return config + scratch;
    case 4:
        return config | ~scratch;
    case 5:
        return config & ~scratch;
    case 6:
        return config ^ ~scratch;
    default:
        return config - scratch;
    }
}

static void shift_mask_case(const struct shift_mask *s)
{
    read_state(&expected);
    unsigned state = expected.thread_config[s->thread][0] & 1;
    uint32_t mask = s->mask_width == 31 ? UINT32_MAX : (UINT32_C(2) << s->mask_width) - 1;
    unsigned scratch_index = s->scratch < 3 ? s->scratch : s->thread;
    uint32_t scratch = expected.config[0][SCRATCH + scratch_index];
    scratch = rotr(scratch & mask, s->rotate);
    uint32_t config = expected.config[state][s->word];
    if (s->mask_mode == 0) {
        config &= ~rotr(mask, s->rotate);
    }
    store(s->thread, s->word, alu(s->alu_mode, config, scratch));
    execute_and_check(s->thread, shift_mask_word(s));
}

static struct shift_mask any_shift_mask(void)
{
    return (struct shift_mask){below(3),  below(2), below(8),          below(32),
                               below(32), below(4), below(STATE_WORDS)};
}

FIXTURE(open_coprocessor, close_coprocessor);

/* Each mode, with all the rest random. */
TEST_EACH(shift_mask_random, 16)
{
    for (int n = 0; n < CASES / 8; n++) {
        struct shift_mask s = any_shift_mask();
        s.mask_mode = (unsigned)_i / 8;
        s.alu_mode = (unsigned)_i % 8;
        randomize_config();
        shift_mask_case(&s);
    }
}

/* All widths with all rotations. */
TEST(shift_mask_masks)
{
    for (unsigned n = 0; n < 32 * 32; n++) {
        struct shift_mask s = any_shift_mask();
        s.mask_width = n % 32;
        s.rotate = n / 32;
        s.word = 40 + below(8);
        randomize_config();
        shift_mask_case(&s);
    }
}

/* Sums carry out of the mask; they need not be masked (the use of LLK: 1, 3, 31, 0, 3). */
TEST(shift_mask_carries)
{
    tt->config[0][SCRATCH + 1] = tt->config[1][SCRATCH + 1] = 0xff;
    tt->config[0][50] = 0x000fff00;
    struct shift_mask s = {1, 1, 3, 7, 24, 3, 50};
    shift_mask_case(&s); /* 0xff turned by 24 is 0xff00 */
    ck_assert_uint_eq(tt->config[0][50], 0x0010fe00);
    s.alu_mode = 7;
    shift_mask_case(&s);
    ck_assert_uint_eq(tt->config[0][50], 0x000fff00);
}

/* The scratch word may be the target, also through the thread's number. */
TEST(shift_mask_of_scratch)
{
    for (int n = 0; n < 3000; n++) {
        struct shift_mask s = any_shift_mask();
        s.word = SCRATCH + below(3);
        s.scratch = n % 2 ? s.word - SCRATCH : 3;
        randomize_config();
        shift_mask_case(&s);
    }
}

TEST(shift_mask_out_of_range)
{
    for (unsigned word = STATE_WORDS; word < 256; word++) {
        struct shift_mask s = any_shift_mask();
        s.word = word;
        randomize_config();
        execute_fault(s.thread, shift_mask_word(&s), PENROSE_FAULT_TENSIX_UNDEFINED);
    }
}

/* --- STREAMWRCFG --- */

static uint32_t stream_write_word(unsigned select, unsigned reg, unsigned word)
{
    return OP(0xb7) | select << 21 | reg << 11 | word;
}

static void stream_write_case(unsigned thread, unsigned select, unsigned reg, unsigned word,
                              uint32_t value)
{
    unsigned stream = tt->thread_config[thread][STREAM_ID_SYNC + select] & 63;
    harness.stream[stream][reg] = value;
    read_state(&expected);
    store(thread, word, value);
    execute_and_check(thread, stream_write_word(select, reg, word));
    harness.stream[stream][reg] = ~value;
}

TEST(stream_write_random)
{
    for (int n = 0; n < CASES; n++) {
        randomize_config();
        stream_write_case(below(3), below(4), below(1024), below(STATE_WORDS), any_value());
    }
}

/* Every stream through every selector; a neighbour's value is not taken. */
TEST(stream_write_streams)
{
    for (unsigned stream = 0; stream < 64; stream++) {
        for (unsigned i = 0; i < 12; i++) {
            unsigned thread = i / 4, select = i % 4;
            memset(tt->thread_config, 0xff, sizeof tt->thread_config);
            tt->thread_config[thread][0] = 0;
            tt->thread_config[thread][STREAM_ID_SYNC + select] = (uint16_t)stream;
            stream_write_case(thread, select, 297 + i, 60, 0x80000000 | stream << 8 | i);
        }
    }
}

/* Beyond Config; a stream's number is not looked at then. */
TEST(stream_write_out_of_range)
{
    for (unsigned word = STATE_WORDS; word < 2048; word += word < 300 ? 1 : 61) {
        randomize_config();
        execute_fault(below(3), stream_write_word(below(4), below(1024), word),
                      PENROSE_FAULT_TENSIX_UNDEFINED);
    }
    execute_fault(0, stream_write_word(3, 1023, 2047), PENROSE_FAULT_TENSIX_UNDEFINED);
}

/* --- The plain instructions: every word, and beyond --- */

/* Whoever waits for a change of the configuration is told. */
static void execute_change(unsigned thread, uint32_t word)
{
    harness.changed = false;
    execute_and_check(thread, word);
    ck_assert(harness.changed);
}

TEST(plain_writes)
{
    for (int n = 0; n < CASES; n++) {
        unsigned thread = below(3), reg = below(64), word = below(STATE_WORDS);
        bool wide = below(4) == 0;
        if (wide && (word / 4 == STATE_RESET / 4)) {
            continue;
        }
        randomize_config();
        randomize_gprs();
        read_state(&expected);
        for (unsigned i = 0; i < (wide ? 4 : 1); i++) {
            store(thread, wide ? (word & ~3u) + i : word,
                  expected.gpr[thread][wide ? (reg & ~3u) + i : reg]);
        }
        execute_change(thread, OP(0xb0) | reg << 16 | (uint32_t)wide << 15 | word);
    }
}

TEST(plain_reads)
{
    for (unsigned n = 0; n < 6 * STATE_WORDS; n++) {
        unsigned thread = n % 3, reg = below(64), word = n / 6;
        randomize_config();
        read_state(&expected);
        expected.gpr[thread][reg] = expected.config[expected.thread_config[thread][0]][word];
        execute_change(thread, OP(0xb1) | reg << 16 | word);
    }
}

TEST(thread_words)
{
    for (unsigned word = 0; word < 256; word++) {
        uint32_t value = next_random() & 0xffff, insn = OP(0xb2) | word << 16 | value;
        if (word >= 68) { /* THD_STATE_SIZE */
            execute_fault(word % 3, insn, PENROSE_FAULT_TENSIX_UNDEFINED);
            continue;
        }
        read_state(&expected);
        expected.thread_config[word % 3][word] = (uint16_t)value;
        execute_change(word % 3, insn);
    }
}

TEST(plain_out_of_range)
{
    for (unsigned word = STATE_WORDS; word < 2048; word += word < 300 ? 1 : 61) {
        randomize_config();
        execute_fault(below(3), OP(0xb0) | 5u << 16 | word, PENROSE_FAULT_TENSIX_UNDEFINED);
        execute_fault(below(3), OP(0xb0) | 5u << 16 | 1u << 15 | word,
                      PENROSE_FAULT_TENSIX_UNDEFINED);
        execute_fault(below(3), OP(0xb1) | 5u << 16 | word, PENROSE_FAULT_TENSIX_UNDEFINED);
        if (word < 256) {
            execute_fault(below(3), OP(0xb3 + below(4)) | 0xffffu << 8 | word,
                          PENROSE_FAULT_TENSIX_UNDEFINED);
        }
    }
}

/* --- Words with effects, by both instructions --- */

/* Anything that is written, 0 too, clears the state that it is written to, and only that. */
TEST(state_reset)
{
    for (unsigned n = 0; n < 64; n++) {
        randomize_config();
        unsigned thread = n % 3;
        if (n & 32) {
            stream_write_case(thread, n % 4, 100, STATE_RESET, n & 16 ? 0 : 1);
        } else {
            struct shift_mask s = {thread, n >> 4 & 1, n % 8, 31, 0, 0, STATE_RESET};
            shift_mask_case(&s);
        }
    }
}

/* RMWCIB writes bits of any word, and is the exception: it does not clear the state. */
TEST(bits_of_bytes)
{
    for (unsigned n = 0; n < 2000; n++) {
        unsigned thread = n % 3, byte = n / 3 % 4, word = n % 2 ? STATE_RESET : below(STATE_WORDS);
        uint32_t mask = n < 24 ? 0xff : below(256), value = below(256);
        randomize_config();
        read_state(&expected);
        unsigned state = expected.thread_config[thread][0];
        uint32_t bits = expected.config[state][word];
        bits = (bits & ~(mask << 8 * byte)) | (value & mask) << 8 * byte;
        for (unsigned i = 0; i < 2; i++) {
            expected.config[i][word] =
                i == state || word >= GLOBAL ? bits : expected.config[i][word];
        }
        execute_and_check(thread, OP(0xb3 + byte) | mask << 16 | value << 8 | word);
    }
}

/* Which words are not modelled says check_unread.c. */
TEST(plain_words_are_plain)
{
    for (unsigned word = 0; word < STATE_WORDS; word++) {
        if (word == STATE_RESET || has_effect(word)) {
            continue;
        }
        randomize_config();
        stream_write_case(word % 3, 1, 5, word, any_value());
        ck_assert_msg(harness.faults == 0, "word %u", word);
    }
}
