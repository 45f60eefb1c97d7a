/*
 * The replay buffer: random streams of instructions against a model that writes what leaves the
 * buffer into an array, every index with every count, and a MOP that contains REPLAY.
 */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "unit/random.h"
#include "unit/test.h"
#include "tensix/frontend/mop.h"
#include "tensix/frontend/replay.h"

enum {
    OPCODE_MOP = 0x01,
    OPCODE_MOP_CFG = 0x03,
    OPCODE_REPLAY = 0x04,
    NOP = 0x02000000,
    A = 0x42000000,
    STREAMS = 3000,
    STREAM_LENGTH = 200,
    MOST = STREAM_LENGTH * 32
};

enum what { PLAY = 0, LOAD = 1, PLAY_EXEC = 2, LOAD_EXEC = 3 };

static struct replay_buffer buffer;
static uint64_t dice;

static void setup(void)
{
    memset(&buffer, 0, sizeof(buffer));
    dice = 1;
}

static uint32_t replay(unsigned index, unsigned count, enum what what)
{
    return UINT32_C(0x04000000) | index << 14 | count << 4 | what;
}

/* What a front end does with the next word of a stream: returns how many words leave. */
static unsigned offer(uint32_t word, uint32_t *out)
{
    unsigned count = 0;
    if (replay_is_loading(&buffer)) {
        bool executes;
        (void)replay_accept(&buffer, word, &executes);
        if (executes) {
            out[count++] = word;
        }
    } else if (word >> 24 == OPCODE_REPLAY) {
        ck_assert(replay_command(&buffer, word) == REPLAY_OK);
        while (replay_next(&buffer, &out[count])) {
            count++;
        }
    } else {
        out[count++] = word;
    }
    return count;
}

static void load(unsigned index, unsigned count, uint32_t first)
{
    bool executes = true;
    ck_assert(replay_command(&buffer, replay(index, count, LOAD)) == REPLAY_OK);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert(replay_is_loading(&buffer));
        ck_assert(replay_accept(&buffer, first + i, &executes) == REPLAY_OK);
        ck_assert(!executes);
    }
    ck_assert(buffer.state == REPLAY_IDLE);
}

/* The model: looks at the whole stream at once. */
static unsigned model(const uint32_t *stream, unsigned length, uint32_t *out)
{
    uint32_t memory[32] = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < length; i++) {
        uint32_t word = stream[i];
        if (word >> 24 != OPCODE_REPLAY) {
            out[count++] = word;
            continue;
        }
        unsigned index = word >> 14 & 31, n = word >> 4 & 63;
        if (n == 0) {
            n = 32;
        }
        if (word & LOAD) {
            for (; n > 0 && i + 1 < length; n--) {
                memory[index++ % 32] = stream[++i];
                if (word & PLAY_EXEC) {
                    out[count++] = stream[i];
                }
            }
        } else {
            for (; n > 0; n--) {
                out[count++] = memory[index++ % 32];
            }
        }
    }
    return count;
}

FIXTURE(setup, NULL);

TEST(random_streams)
{
    static uint32_t stream[STREAM_LENGTH], expected[MOST], got[MOST + 32];
    for (unsigned n = 0; n < STREAMS; n++) {
        for (unsigned i = 0; i < STREAM_LENGTH; i++) {
            uint32_t bits = random_next(&dice);
            unsigned count = bits >> 8 & 1 ? bits >> 9 & 7 : (bits >> 9) % 33;
            /* now and then a REPLAY falls into a recording: it is data there */
            stream[i] = bits % 4 == 0 ? replay(bits >> 16 & 31, count, bits >> 24 & 3)
                                      : A + (random_next(&dice) >> 8);
        }
        memset(&buffer, 0, sizeof(buffer));
        unsigned wanted = model(stream, STREAM_LENGTH, expected), have = 0;
        for (unsigned i = 0; i < STREAM_LENGTH; i++) {
            have += offer(stream[i], &got[have]);
        }
        if (have != wanted || memcmp(got, expected, have * sizeof(got[0])) != 0) {
            ck_abort_msg("stream %u: %u words leave, %u expected", n, have, wanted);
        }
    }
}

TEST_EACH(more_than_32_is_refused, 4)
{
    static const enum what all[] = {PLAY, LOAD, PLAY_EXEC, LOAD_EXEC};
    struct replay_buffer before = buffer;
    for (unsigned count = 33; count < 64; count++) {
        enum replay_result result = replay_command(&buffer, replay(1, count, all[_i]));
        ck_assert(result == REPLAY_COUNT_UNSUPPORTED);
        ck_assert_mem_eq(&buffer, &before, sizeof(buffer));
    }
    ck_assert(strlen(replay_rule(REPLAY_COUNT_UNSUPPORTED)) > 0);
}

TEST(ignored_bits_are_ignored)
{
    load(0, 2, A);
    ck_assert(replay_command(&buffer, replay(0, 2, PLAY) | 0xf83c00) == REPLAY_OK);
    ck_assert_uint_eq(buffer.index, 0);
    ck_assert_uint_eq(buffer.left, 2);
}

TEST(front_end_instructions_are_reported_and_recorded)
{
    static const struct {
        uint32_t word;
        enum replay_result result;
    } cases[] = {
        {(uint32_t)OPCODE_REPLAY << 24 | 0x10, REPLAY_NESTED},
        {(uint32_t)OPCODE_MOP << 24, REPLAY_HOLDS_MOP},
        {(uint32_t)OPCODE_MOP_CFG << 24 | 5, REPLAY_HOLDS_MOP},
        {NOP, REPLAY_OK},
        {UINT32_MAX, REPLAY_OK}, /* no instruction; not for the buffer to say */
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool executes;
        uint32_t word;
        ck_assert(replay_command(&buffer, replay(3, 1, i & 1 ? LOAD_EXEC : LOAD)) == REPLAY_OK);
        ck_assert(replay_accept(&buffer, cases[i].word, &executes) == cases[i].result);
        ck_assert(executes == (i & 1));
        ck_assert(replay_command(&buffer, replay(3, 1, PLAY)) == REPLAY_OK);
        ck_assert(replay_next(&buffer, &word) && !replay_is_playing(&buffer));
        ck_assert_uint_eq(word, cases[i].word);
        ck_assert(replay_judge(word) == cases[i].result);
        ck_assert((strlen(replay_rule(cases[i].result)) == 0) == (cases[i].result == REPLAY_OK));
    }
}

/* LLK's matmul: the loop plays a recording, and its last round is a shorter one. */
TEST(mop_contains_replay)
{
    struct mop_expander mop = {.config = {2, 3, NOP, A + 100, NOP, replay(30, 4, PLAY), NOP,
                                          replay(31, 1, PLAY), replay(30, 2, PLAY)}};
    static const unsigned last[2] = {2, 1};
    uint32_t word, out[32];
    load(30, 4, A);
    mop_start(&mop, UINT32_C(0x01800000));
    for (unsigned outer = 0; outer < 2; outer++) {
        for (unsigned inner = 0; inner < 3; inner++) {
            unsigned count = inner < 2 ? 4 : last[outer];
            uint32_t first = inner == 2 && outer == 1 ? A + 1 : A;
            ck_assert(mop_next(&mop, &word));
            ck_assert_uint_eq(offer(word, out), count);
            for (uint32_t i = 0; i < count; i++) {
                ck_assert_uint_eq(out[i], first + i);
            }
        }
        ck_assert(mop_next(&mop, &word));
        ck_assert_uint_eq(offer(word, out), 1);
        ck_assert_uint_eq(out[0], A + 100);
    }
    ck_assert(!mop_busy(&mop));
}

/* A recording of what a MOP expands to. */
TEST(mop_is_recorded)
{
    struct mop_expander mop = {.config = {2, 5, NOP, NOP, NOP, A, A + 1, A + 2, A + 3}};
    uint32_t word, out[32];
    mop_start(&mop, UINT32_C(0x01800000));
    ck_assert_uint_eq(offer(replay(20, 20, LOAD), out), 0);
    while (mop_next(&mop, &word)) {
        ck_assert_uint_eq(offer(word, out), 0);
    }
    ck_assert(!replay_is_loading(&buffer));
    ck_assert_uint_eq(offer(replay(20, 20, PLAY), out), 20);
    ck_assert_uint_eq(out[0], A);
    ck_assert_uint_eq(out[9], A + 3);
    ck_assert_uint_eq(out[18], A);
    ck_assert_uint_eq(out[19], A + 2);
}
