#include "unit/tensix/touched.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tensix/config/users.h"
#include "tensix/exec.h"
#include "unit/random.h"

enum { NOT_TOLD = OBSERVED_STATES, UNKNOWN, PIECES = 2048, MOST_TOUCHES = 4096 };

struct side {
    struct tensix tensix;
    uint8_t *l1;
};

static struct piece {
    uint8_t state;
    uint16_t index;
} piece[sizeof(struct tensix)]; /* of each byte */
static struct side before, after, other;
static struct observed_touch touch[MOST_TOUCHES];
static bool told[OBSERVED_STATES][PIECES][2]; /* by the latest word; without L1 */
static unsigned touches, works, times[OBSERVED_STATES][2];
static struct observed_work work;

/* --- Pieces of struct tensix --- */

static struct tensix *layout;

static void claim(const void *at, size_t size, unsigned state, unsigned index)
{
    size_t offset = (size_t)((const uint8_t *)at - (const uint8_t *)layout);
    for (size_t i = offset; i < offset + size; i++) {
        piece[i] = (struct piece){(uint8_t)state, (uint16_t)index};
    }
}

#define CLAIM(member, state, index) claim(&(member), sizeof(member), OBSERVED_STATE_##state, index)
#define LEAVE(member)               claim(&(member), sizeof(member), NOT_TOLD, 0)

static void claim_adc(unsigned thread, unsigned unit, unsigned channel)
{
    struct tensix_adc_channel *at = &layout->thread[thread].adc[unit].channel[channel];
    uint32_t *const value[] = {&at->x, &at->y, &at->z, &at->w};
    uint32_t *const checkpoint[] = {&at->x_cr, &at->y_cr, &at->z_cr, &at->w_cr};
    for (unsigned axis = 0; axis < 4; axis++) {
        unsigned index = ((thread * TENSIX_ADCS + unit) * 2 + channel) * 4 + axis;
        CLAIM(*value[axis], ADC, index);
        CLAIM(*checkpoint[axis], ADC, index);
    }
}

static void claim_thread(unsigned thread)
{
    LEAVE(layout->thread[thread]);
    CLAIM(layout->thread[thread].rwc, RWC, thread);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        claim_adc(thread, unit, 0);
        claim_adc(thread, unit, 1);
    }
    for (unsigned i = 0; i < TENSIX_GPRS; i++) {
        CLAIM(layout->gpr[thread][i], GPR, thread * TENSIX_GPRS + i);
    }
    for (unsigned i = 0; i < TENSIX_THREAD_WORDS; i++) {
        CLAIM(layout->thread_config[thread][i], THREAD_CONFIG, thread * TENSIX_THREAD_WORDS + i);
    }
}

static void claim_register_files(void)
{
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        CLAIM(layout->dst.bits[row], DST, row);
        CLAIM(layout->dst.cleared[row], DST_FLAG, row);
    }
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        for (unsigned i = 0; i < 2 * TENSIX_SRC_FILE_ROWS; i++) {
            unsigned bank = i / TENSIX_SRC_FILE_ROWS, row = i % TENSIX_SRC_FILE_ROWS;
            CLAIM(layout->src_file[src].bank[bank][row], SRC, src * 2 * TENSIX_SRC_FILE_ROWS + i);
        }
    }
    for (unsigned i = 0; i < TENSIX_LREGS; i++) {
        CLAIM(layout->vector.lreg[i], LREG, i);
    }
}

static void claim_units(void)
{
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        CLAIM(layout->semaphore[i], SEMAPHORE, i);
    }
    for (unsigned i = 0; i < TENSIX_MUTEXES; i++) {
        CLAIM(layout->mutex[i], MUTEX, i);
        CLAIM(layout->mutex_next[i], MUTEX, i);
    }
    for (unsigned i = 0; i < TENSIX_UNPACKERS; i++) {
        CLAIM(layout->unpacker[i], UNPACKER, i);
        LEAVE(layout->unpacker[i].plan);
        LEAVE(layout->unpacker[i].free_at);
    }
    for (unsigned i = 0; i < TENSIX_PACKERS; i++) {
        CLAIM(layout->packer[i], PACKER, i);
        LEAVE(layout->packer[i].plan);
    }
    for (unsigned i = 0; i < TENSIX_STATES * TENSIX_STATE_WORDS; i++) {
        unsigned state = i / TENSIX_STATE_WORDS, word = i % TENSIX_STATE_WORDS;
        CLAIM(layout->config[state][word], CONFIG, word < TENSIX_GLOBAL_WORD ? i : word);
    }
    for (unsigned i = 0; i < TENSIX_SRCS; i++) {
        CLAIM(layout->src[i].unpack_bank, SRC_BANK, 4 + i);
        LEAVE(layout->src[i].given_at);
        LEAVE(layout->src_file[i].filled);
        for (unsigned bank = 0; bank < 2; bank++) {
            CLAIM(layout->src[i].matrix_may[bank], SRC_BANK, 2 * i + bank);
            CLAIM(layout->src_file[i].format[bank], SRC_BANK, 2 * i + bank);
        }
    }
}

/* Time, notes for reports, what others are told to look at, and what stands beside the state. */
static void leave_others(void)
{
    LEAVE(layout->flight);
    LEAVE(layout->unit);
    LEAVE(layout->atomics);
    LEAVE(layout->pack_output);
    LEAVE(layout->dst_times);
    LEAVE(layout->now);
    LEAVE(layout->clock);
    LEAVE(layout->outcome);
    LEAVE(layout->is_polite);
    LEAVE(layout->stopped);
    LEAVE(layout->semaphore_changed);
    LEAVE(layout->posts);
    size_t beside = offsetof(struct tensix, stale);
    claim((const uint8_t *)layout + beside, sizeof *layout - beside, NOT_TOLD, 0);
}

static bool is_told(const struct piece *at, bool is_write)
{
    return at->state < OBSERVED_STATES && told[at->state][at->index][is_write];
}

static void note_pieces(const struct observed_touch *at)
{
    ck_assert_uint_le(at->first + at->count, PIECES);
    for (unsigned i = at->first; i < at->first + at->count; i++) {
        told[at->state][i][at->is_write] = true;
    }
}

/* Copies the bytes of L1 that the latest word has told to read or write. */
static void copy_told(uint8_t *to, const uint8_t *from, bool is_write)
{
    for (unsigned i = 0; i < touches; i++) {
        if (touch[i].state == OBSERVED_STATE_L1 && touch[i].is_write == is_write) {
            memcpy(to + touch[i].first, from + touch[i].first, touch[i].count);
        }
    }
}

/* --- Executing --- */

static void note_work(void *owner, struct observed *event)
{
    (void)owner;
    if (event->kind != OBSERVED_UNIT) {
        return;
    }
    ck_assert_uint_le(touches + event->work->touches, MOST_TOUCHES);
    for (unsigned i = 0; i < event->work->touches; i++) {
        const struct observed_touch *at = &event->work->touch[i];
        touch[touches++] = *at;
        times[at->state][at->is_write]++;
        if (at->state != OBSERVED_STATE_L1 && at->state != OBSERVED_STATE_REGISTER) {
            note_pieces(at);
        }
    }
    work = *event->work;
    works += !work.continues;
}

static void save(const struct tensix_harness *harness, struct side *side)
{
    memcpy(&side->tensix, &harness->tensix, sizeof side->tensix);
    memcpy(side->l1, harness->l1, TENSIX_HARNESS_L1);
}

static void restore(struct tensix_harness *harness, const struct side *side)
{
    memcpy(&harness->tensix, &side->tensix, sizeof side->tensix);
    memcpy(harness->l1, side->l1, TENSIX_HARNESS_L1);
}

static void execute(struct tensix_harness *harness, unsigned thread, uint32_t word)
{
    touches = works = 0;
    memset(told, 0, sizeof told);
    tensix_harness_push(harness, thread, word);
}

void touched_open(struct tensix_harness *harness)
{
    layout = &harness->tensix;
    for (size_t i = 0; i < sizeof piece / sizeof piece[0]; i++) {
        piece[i].state = UNKNOWN;
    }
    claim_register_files();
    claim_units();
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        claim_thread(thread);
    }
    leave_others();
    memset(times, 0, sizeof times);
    before.l1 = malloc(TENSIX_HARNESS_L1);
    after.l1 = malloc(TENSIX_HARNESS_L1);
    other.l1 = malloc(TENSIX_HARNESS_L1);
    ck_assert(before.l1 && after.l1 && other.l1);
    harness->board.observe = note_work;
    harness->tensix.shortcuts = false;
    harness->tensix.observed = 1u << OBSERVED_UNIT;
}

void touched_close(void)
{
    free(before.l1);
    free(after.l1);
    free(other.l1);
}

const struct observed_work *touched_work(void)
{
    work.touch = touch;
    work.touches = touches;
    return &work;
}

unsigned touched_times(enum observed_state state, bool is_write)
{
    return times[state][is_write];
}

/* --- All that changes is told --- */

static void check_writes(struct side *from, const struct side *to, uint32_t word)
{
    const uint8_t *old = (const uint8_t *)&from->tensix, *new = (const uint8_t *)&to->tensix;
    for (size_t i = 0; i < sizeof from->tensix; i++) {
        if (old[i] != new[i] && piece[i].state != NOT_TOLD && !is_told(&piece[i], true)) {
            ck_abort_msg("0x%08x changes byte %zu of struct tensix untold: state %u, %u", word, i,
                         piece[i].state, piece[i].index);
        }
    }
    memcpy(other.l1, from->l1, TENSIX_HARNESS_L1);
    copy_told(other.l1, to->l1, true);
    ck_assert_msg(!memcmp(other.l1, to->l1, TENSIX_HARNESS_L1), "0x%08x changes L1 untold", word);
}

/* --- What is not told does not matter --- */

/* A value that the hardware can hold in place of a byte of such a piece. */
static uint8_t random_byte(size_t at, uint8_t old, uint64_t *dice)
{
    const struct tensix *tensix = layout;
    const uint8_t random = (uint8_t)random_next(dice);
    const uint8_t *byte = (const uint8_t *)tensix + at;
    switch (piece[at].state) {
    case OBSERVED_STATE_DST_FLAG:
        return random & 1;
    case OBSERVED_STATE_DST:
    case OBSERVED_STATE_GPR:
    case OBSERVED_STATE_CONFIG:
    case OBSERVED_STATE_LREG:
    case OBSERVED_STATE_THREAD_CONFIG:
        return random;
    case OBSERVED_STATE_SEMAPHORE:
        return random % (TENSIX_SEMAPHORE_MOST + 1);
    case OBSERVED_STATE_ADC: /* 13 bits and more */
        return (size_t)byte % 4 < 1 ? random : old;
    case OBSERVED_STATE_MUTEX:
        return random % TENSIX_THREADS;
    default:
        return old;
    }
}

static void randomize_untold(struct tensix_harness *harness, uint64_t *dice, uint32_t l1,
                             uint32_t size)
{
    uint8_t *bytes = (uint8_t *)&harness->tensix;
    for (size_t i = 0; i < sizeof harness->tensix; i++) {
        if (!is_told(&piece[i], false)) {
            bytes[i] = random_byte(i, bytes[i], dice);
        }
    }
    for (uint32_t i = l1; i < l1 + size; i++) {
        harness->l1[i] = (uint8_t)random_next(dice);
    }
    copy_told(harness->l1, before.l1, false);
    uint32_t(*config)[TENSIX_STATE_WORDS] = harness->tensix.config;
    for (unsigned word = TENSIX_GLOBAL_WORD; word < TENSIX_STATE_WORDS; word++) {
        config[1][word] = config[0][word]; /* both states have them */
    }
    harness->tensix.stale = TENSIX_USED_BY_ALL;
}

/* What is told to be written is as in the first execution, all else as before the second one. */
static void check_reads(const struct tensix_harness *harness, uint32_t word)
{
    const uint8_t *expected = (const uint8_t *)&after.tensix;
    const uint8_t *old = (const uint8_t *)&other.tensix, *new = (const uint8_t *)&harness->tensix;
    for (size_t i = 0; i < sizeof harness->tensix; i++) {
        if (piece[i].state == NOT_TOLD) {
            continue;
        }
        if (new[i] != (is_told(&piece[i], true) ? expected : old)[i]) {
            ck_abort_msg("0x%08x: what it does to byte %zu of struct tensix (state %u, %u) depends "
                         "on what it has not told to read",
                         word, i, piece[i].state, piece[i].index);
        }
    }
    copy_told(other.l1, after.l1, true);
    ck_assert_msg(!memcmp(other.l1, harness->l1, TENSIX_HARNESS_L1),
                  "0x%08x: what it does to L1 depends on what it has not told to read", word);
}

bool touched_check(struct tensix_harness *harness, unsigned thread, uint32_t word, uint64_t *dice,
                   uint32_t l1, uint32_t size)
{
    uint64_t time = harness->time;
    save(harness, &before);
    execute(harness, thread, word);
    save(harness, &after);
    check_writes(&before, &after, word);
    if (works == 0) {
        return false;
    }
    ck_assert_uint_eq(works, 1);
    const struct observed_work first = work;
    uint64_t end = harness->time;
    restore(harness, &before);
    randomize_untold(harness, dice, l1, size);
    save(harness, &other);
    harness->time = time;
    unsigned before_that = touches;
    execute(harness, thread, word);
    ck_assert_msg(touches == before_that, "0x%08x: it touches other pieces now: %s", word,
                  harness->fault.text);
    check_reads(harness, word);
    restore(harness, &after);
    harness->time = end;
    work = first;
    return true;
}
