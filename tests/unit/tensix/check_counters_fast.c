/*
 * Runs of instructions on counters in the replay buffer: whatever is recorded, played, played again
 * and recorded anew leaves all counters as the same instructions do when they are pushed one by one
 * to another coprocessor. Which instructions are taken for such ones is checked by what they do.
 */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "unit/random.h"
#include "unit/test.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_harness.h"

enum { ROUNDS = 3000, PLAYS = 12, WORDS_OF_ROW = 400, OPCODE_REPLAY = 0x04 };

static struct tensix_harness player, single; /* records and plays; takes one by one */
static uint64_t dice;

static void setup(void)
{
    tensix_harness_open(&player);
    tensix_harness_open(&single);
    dice = 1;
}

static void teardown(void)
{
    tensix_harness_close(&player);
    tensix_harness_close(&single);
}

/* --- State --- */

static void randomise(void)
{
    static const uint32_t rwc[TENSIX_LANES] = {1024, 64, 64, 4};
    static const uint32_t adc[TENSIX_LANES] = {1 << 18, 1 << 13, 1 << 13, 1 << 13};
    for (unsigned i = 0; i < TENSIX_THREADS * TENSIX_LANES; i++) {
        struct tensix_thread *thread = &player.tensix.thread[i / TENSIX_LANES];
        unsigned lane = i % TENSIX_LANES;
        thread->rwc.all.counter[lane] = random_below(&dice, rwc[lane]);
        thread->rwc.all.checkpoint[lane] = lane < 3 ? random_below(&dice, rwc[lane]) : 0;
        thread->rwc.extra_mod = random_below(&dice, 2);
        for (unsigned c = 0; c < TENSIX_ADCS * 2; c++) {
            thread->adc[c / 2].channel[c % 2].all.counter[lane] = random_below(&dice, adc[lane]);
            thread->adc[c / 2].channel[c % 2].all.checkpoint[lane] = random_below(&dice, adc[lane]);
        }
    }
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        single.tensix.thread[t].rwc = player.tensix.thread[t].rwc;
        memcpy(single.tensix.thread[t].adc, player.tensix.thread[t].adc,
               sizeof single.tensix.thread[t].adc);
    }
}

static bool same_counters(const struct tensix *a, const struct tensix *b, unsigned thread)
{
    return memcmp(&a->thread[thread].rwc, &b->thread[thread].rwc, sizeof(struct tensix_rwc)) == 0 &&
           memcmp(a->thread[thread].adc, b->thread[thread].adc, sizeof a->thread[thread].adc) == 0;
}

static void compare(const char *what, unsigned number)
{
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        ck_assert_msg(same_counters(&player.tensix, &single.tensix, t),
                      "%s %u: counters of thread %u differ", what, number, t);
    }
    ck_assert_mem_eq(player.tensix.src, single.tensix.src, sizeof single.tensix.src);
    ck_assert_mem_eq(player.tensix.gpr, single.tensix.gpr, sizeof single.tensix.gpr);
    ck_assert_uint_eq(player.faults, 0);
    ck_assert_uint_eq(single.faults, 0);
}

static void push_single(unsigned thread, const uint32_t *entry, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        tensix_harness_push(&single, thread, entry[(first + i) % REPLAY_ENTRIES]);
    }
}

static uint32_t replay(unsigned first, unsigned count, bool load)
{
    return (uint32_t)OPCODE_REPLAY << 24 | first << 14 | (count % 64) << 4 | load;
}

static void record(unsigned thread, const uint32_t *entry, unsigned first, unsigned count)
{
    tensix_harness_push(&player, thread, replay(first, count, true));
    for (unsigned i = 0; i < count; i++) {
        tensix_harness_push(&player, thread, entry[(first + i) % REPLAY_ENTRIES]);
    }
}

static bool has_run(unsigned thread)
{
    const struct tensix_counter_runs *runs = &player.tensix.runs[thread];
    for (unsigned i = 0; i < REPLAY_ENTRIES; i++) {
        if (runs->at[i] == TENSIX_RUN_KNOWN) {
            return true;
        }
    }
    return false;
}

/* --- Instructions --- */

/* Some instruction of a row: what the row leaves open is random. */
static uint32_t word_of(unsigned row)
{
    return tensix_rows[row].match | (random_next(&dice) & ~tensix_rows[row].mask);
}

static const unsigned rows[] = {
    TENSIX_ROW_INCRWC,   TENSIX_ROW_SETRWC,   TENSIX_ROW_SETADC,   TENSIX_ROW_SETADCXX,
    TENSIX_ROW_SETADCXY, TENSIX_ROW_SETADCZW, TENSIX_ROW_INCADCXY, TENSIX_ROW_INCADCZW,
    TENSIX_ROW_ADDRCRXY, TENSIX_ROW_ADDRCRZW,
};

/* Is the word one of a row that counts, without hand-over of banks and on the own thread's? By the
 * bits of the pages: flips 23 and 22, stack pointer 4; overrides 19 and 18, of SETADC 17 and 16. */
static bool counts(unsigned thread, uint32_t word)
{
    unsigned opcode = word >> 24;
    unsigned override = opcode == 0x50 ? word >> 16 & 3 : word >> 18 & 3;
    bool is_own = override == 0 || override == thread + 1;
    switch (opcode) {
    case 0x37:
        return (word >> 22 & 3) == 0 && (word >> 4 & 1) == 0; /* nor the stack pointer */
    case 0x38:
    case 0x5e:
        return true;
    case 0x50:
    case 0x51:
    case 0x52:
    case 0x53:
    case 0x54:
    case 0x55:
    case 0x56:
        return is_own;
    default:
        return false;
    }
}

/* Mostly such that count; some that do more, and some of other units. */
static uint32_t some_word(unsigned thread)
{
    for (;;) {
        uint32_t word = random_below(&dice, 12) == 0 ? word_of(TENSIX_ROW_SETDMAREG_IMM)
                        : random_below(&dice, 20) == 0
                            ? word_of(TENSIX_ROW_NOP)
                            : word_of(rows[random_below(&dice, COUNT(rows))]);
        if (counts(thread, word) || random_below(&dice, 8) == 0) {
            return word;
        }
    }
}

FIXTURE(setup, teardown);

/* --- Tests --- */

/* Every row: the instruction is taken for one that counts just where it should be. */
TEST_EACH(which_instructions_count, TENSIX_ROWS)
{
    if (tensix_row_infos[_i].is_stub) {
        return;
    }
    for (unsigned i = 0; i < WORDS_OF_ROW; i++) {
        uint32_t word = word_of((unsigned)_i);
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            ck_assert_msg(tensix_is_counting(thread, word) == counts(thread, word),
                          "0x%08" PRIx32 " on thread %u", word, thread);
        }
    }
}

TEST(no_instruction_does_not_count)
{
    ck_assert(tensix_is_counting(0, tensix_harness_assemble("INCRWC 0, 1, 2, 3")));
    ck_assert(!tensix_is_counting(0, tensix_harness_assemble("INCRWC 0, 1, 2, 3") | 1));
    ck_assert(!tensix_is_counting(0, 0));
    ck_assert(!tensix_is_counting(0, UINT32_MAX));
}

/* Every row that counts, alone in a run, again and again. */
TEST_EACH(runs_of_one_instruction, COUNT(rows))
{
    for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
        unsigned thread = random_below(&dice, TENSIX_THREADS);
        uint32_t word = word_of(rows[_i]);
        if (!counts(thread, word)) {
            continue;
        }
        const uint32_t entry[REPLAY_ENTRIES] = {word, word, word};
        record(thread, entry, 0, 3);
        push_single(thread, entry, 0, 3);
        player.tensix.runs[thread].at[1] = TENSIX_RUN_SEEN;
        for (unsigned i = 0; i < PLAYS; i++) {
            randomise();
            tensix_harness_push(&player, thread, replay(0, 3, false));
            push_single(thread, entry, 0, 3);
            compare("play", i);
        }
        ck_assert(has_run(thread));
    }
}

/* Records some entries, plays some of them; what was recorded before stays. */
TEST(plays_are_what_their_instructions_do)
{
    static uint32_t entry[TENSIX_THREADS][REPLAY_ENTRIES];
    unsigned with_runs = 0;
    randomise();
    for (unsigned round = 0; round < ROUNDS; round++) {
        bool all = round < TENSIX_THREADS;
        unsigned thread = all ? round : random_below(&dice, TENSIX_THREADS),
                 first = random_below(&dice, REPLAY_ENTRIES);
        unsigned count =
            all ? REPLAY_ENTRIES : 1 + random_below(&dice, round % 4 ? 3 : REPLAY_ENTRIES);
        for (unsigned i = 0; i < count; i++) {
            entry[thread][(first + i) % REPLAY_ENTRIES] = some_word(thread);
        }
        record(thread, entry[thread], first, count);
        first = random_below(&dice, REPLAY_ENTRIES);
        count = 1 + random_below(&dice, REPLAY_ENTRIES);
        for (unsigned i = 0; i < PLAYS; i++) {
            unsigned shorter = random_below(&dice, 3) ? count : 1 + random_below(&dice, count);
            tensix_harness_push(&player, thread, replay(first, shorter, false));
            push_single(thread, entry[thread], first, shorter);
            compare("round", round);
        }
        with_runs += has_run(thread);
    }
    ck_assert_uint_gt(with_runs, ROUNDS / 2);
}

/* A run that ends inside a play: cycles of the player are instructions. */
TEST(plays_may_stop_anywhere)
{
    uint32_t entry[REPLAY_ENTRIES];
    for (unsigned i = 0; i < REPLAY_ENTRIES; i++) {
        do {
            entry[i] = word_of(rows[random_below(&dice, COUNT(rows))]);
        } while (!counts(0, entry[i]));
    }
    record(0, entry, 0, REPLAY_ENTRIES);
    randomise();
    for (unsigned round = 0; round < ROUNDS; round++) {
        const struct tensix_origin origin = {.pusher = TENSIX_BY_T0};
        const uint32_t word = replay(0, REPLAY_ENTRIES, false);
        uint64_t drained = player.tensix.thread[0].drained;
        ck_assert(tensix_push(&player.tensix, 0, origin, &word, 1, player.time));
        for (unsigned done = 0; done < REPLAY_ENTRIES;) {
            unsigned before = done;
            tensix_harness_go(&player, 1 + random_below(&dice, round % 3 ? REPLAY_ENTRIES + 4 : 6));
            ck_assert_uint_le(player.tensix.thread[0].time, player.time);
            uint64_t now = player.tensix.thread[0].drained;
            done = now > drained ? (unsigned)(now - drained) - 1 : 0; /* less the REPLAY */
            push_single(0, entry, before, done - before);
            compare("round", round);
        }
    }
    ck_assert(has_run(0));
}

/* A timed run does without runs. */
TEST(timed_plays_have_no_runs)
{
    const uint32_t word = tensix_harness_assemble("INCRWC 0, 1, 2, 3");
    const uint32_t entry[REPLAY_ENTRIES] = {word, word, word, word};
    player.tensix.timing = &tile_costs;
    record(0, entry, 0, 4);
    for (unsigned i = 0; i < PLAYS; i++) {
        tensix_harness_push(&player, 0, replay(0, 4, false));
    }
    ck_assert_uint_eq(player.tensix.thread[0].rwc.dst, 4 * PLAYS);
    ck_assert(!has_run(0));
}

/* The counters by name are the lanes, in the order of enum tensix_adc_axis. */
TEST(lanes_have_names)
{
    const struct tensix_rwc rwc = {.all = {{1, 2, 3, 4}, {5, 6, 7, 0}}};
    const struct tensix_adc_channel adc = {.all = {{1, 2, 3, 4}, {5, 6, 7, 8}}};
    ck_assert(rwc.dst == 1 && rwc.src_a == 2 && rwc.src_b == 3 && rwc.fidelity == 4);
    ck_assert(rwc.dst_cr == 5 && rwc.src_a_cr == 6 && rwc.src_b_cr == 7 && rwc.no_cr == 0);
    ck_assert_uint_eq(adc.x, adc.all.counter[TENSIX_ADC_X]);
    ck_assert_uint_eq(adc.y, adc.all.counter[TENSIX_ADC_Y]);
    ck_assert_uint_eq(adc.z, adc.all.counter[TENSIX_ADC_Z]);
    ck_assert_uint_eq(adc.w, adc.all.counter[TENSIX_ADC_W]);
    ck_assert(adc.x_cr == 5 && adc.y_cr == 6 && adc.z_cr == 7 && adc.w_cr == 8);
}
