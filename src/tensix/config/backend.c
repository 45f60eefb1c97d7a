/*
 * Backend configuration: the harts' window on it, writes of instructions to Config with their side
 * effects, and the effects of entering the soft resets of SOFT_RESET_0 (SPEC: BlackholeA0
 * BackendConfiguration, SoftReset).
 *
 * Invariant: words from TENSIX_GLOBAL_WORD on are the same in both states. All 32 bits of a word
 * hold what is written, as in the functional models of the pages, whether a field has them or not.
 */
#include "tensix/config/unread.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"
#include "tensix/src_banks.h"

enum special {
    PLAIN,
    CLEARS_STATE,
    SEEDS,
    STARTS_TILE,
};

static const struct special_row {
    unsigned first, last;
    enum special special;
} special_rows[] = {
#define SPECIAL(first, last, effect) {TENSIX_WORD_##first, TENSIX_WORD_##last, effect},
#include "backend_config.def"
};

static enum special special_of(unsigned word)
{
    for (unsigned i = 0; i < sizeof special_rows / sizeof special_rows[0]; i++) {
        if (word >= special_rows[i].first && word <= special_rows[i].last) {
            return special_rows[i].special;
        }
    }
    return PLAIN;
}

uint32_t tensix_config_read(const struct tensix *tensix, unsigned index)
{
    if (index < TENSIX_CONFIG_DUAL) {
        return tensix->config[index / TENSIX_STATE_WORDS][index % TENSIX_STATE_WORDS];
    }
    if (index < TENSIX_CONFIG_THREAD) { /* SPEC: reads like Config[0] */
        return tensix->config[0][index - TENSIX_CONFIG_DUAL];
    }
    if (index < TENSIX_CONFIG_WORDS) {
        index -= TENSIX_CONFIG_THREAD;
        return tensix->thread_config[index / TENSIX_THREAD_WORDS][index % TENSIX_THREAD_WORDS];
    }
    return 0;
}

/* SPEC: SoftReset, THCON configuration */
static bool is_held_in_reset(const struct tensix *tensix, unsigned word)
{
    bool is_thcon = word >= TENSIX_THCON_WORD && word < TENSIX_GLOBAL_WORD;
    return is_thcon && tensix->held & TENSIX_RESET_THCON;
}

/* Writes the bits of `mask`, with what hangs on the word. */
static void store(struct tensix *tensix, unsigned state, unsigned word, uint32_t mask,
                  uint32_t value)
{
    enum special special = special_of(word);
    if (is_held_in_reset(tensix, word)) {
        return;
    }
    tensix->stale |= tensix_config_uses[word].cached;
    value = (tensix->config[state][word] & ~mask) | (value & mask);
    tensix->config[state][word] = value;
    if (word >= TENSIX_GLOBAL_WORD) {
        tensix->config[!state][word] = value;
    }
    if (special == CLEARS_STATE && mask == UINT32_MAX) { /* SPEC: all but RMWCIB do */
        memset(tensix->config[state], 0, TENSIX_GLOBAL_WORD * sizeof(uint32_t));
        tensix->stale = TENSIX_USED_BY_ALL;
    }
    if (special == SEEDS && mask) { /* GUESS: RMWCIB seeds with all of the new word */
        tensix_vector_seed(tensix, value);
    }
    struct tensix_packer *packer = &tensix->packer[0];
    if (special == STARTS_TILE && !packer->output.data.open &&
        mask & tensix_field_mask(
                   &tensix_fields[TENSIX_FIELD_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane])) {
        packer->position = packer->face = 0;
    }
}

void tensix_report_race(struct tensix *tensix, unsigned thread, unsigned state, unsigned word,
                        uint32_t mask, uint32_t value)
{
    char text[PENROSE_RULE_TEXT];
    uint32_t changed = (tensix->config[state][word] ^ value) & mask;
    enum tensix_flight_unit unit = tensix_race(tensix, state, word, changed, tensix->now);
    if (unit == TENSIX_FLIGHTS) {
        return;
    }
    tensix_race_text(tensix, unit, word, changed, tensix_mnemonic(tensix->thread[thread].next),
                     false, text, sizeof text);
    (void)tensix_fault(tensix, thread, PENROSE_FAULT_CONFIG_RACE, "%s", text);
}

void tensix_store_config(struct tensix *tensix, unsigned thread, unsigned state, unsigned word,
                         uint32_t mask, uint32_t value)
{
    tensix_report_race(tensix, thread, state, word, mask, value);
    tensix_put_config(tensix, thread, state, word, mask, value);
}

void tensix_put_config(struct tensix *tensix, unsigned thread, unsigned state, unsigned word,
                       uint32_t mask, uint32_t value)
{
    store(tensix, state, word, mask, value);
    tensix_touch(tensix, TENSIX_CHANGES, OBSERVED_STATE_CONFIG,
                 (word < TENSIX_GLOBAL_WORD ? state : 0) * TENSIX_STATE_WORDS + word, 1);
    tensix->outcome.changed = true;
    tensix_report_unread(tensix, thread, state * TENSIX_STATE_WORDS + word,
                         tensix_unread_field(false, word, value & mask));
}

void tensix_report_unread(struct tensix *tensix, unsigned thread, unsigned index,
                          const struct tensix_field *field)
{
    if (field && tensix->board->unmodelled) {
        tensix->board->unmodelled(tensix->owner, thread, index, field->name);
    }
}

enum answer tensix_config_write(struct tensix *tensix, unsigned index, uint32_t value)
{
    if (index >= TENSIX_CONFIG_THREAD) {
        return ANSWER_READ_ONLY;
    }
    unsigned word = index % TENSIX_STATE_WORDS;
    if (index >= TENSIX_CONFIG_DUAL) {
        store(tensix, 0, word, UINT32_MAX, value);
        store(tensix, 1, word, UINT32_MAX, value);
    } else {
        store(tensix, index / TENSIX_STATE_WORDS, word, UINT32_MAX, value);
    }
    return tensix_unread_field(false, word, value) ? ANSWER_UNMODELLED : ANSWER_DONE;
}

/* SPEC: SoftReset, Scalar Unit. What waits inside the unit is aborted. */
static void abort_scalar(struct tensix *tensix)
{
    if (tensix->scalar_held_by) {
        struct tensix_thread *holder = &tensix->thread[tensix->scalar_held_by - 1];
        holder->has_next = false;
        holder->blocked = false;
        holder->wait = TENSIX_WAITS_FOR_NOTHING;
        holder->drained++;
        tensix->scalar_held_by = 0;
        tensix->outcome.changed = true;
    }
}

static void abort_flights(struct tensix *tensix, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        tensix->flight[i].until = 0;
    }
}

/* Timed runs: nothing is left in a unit. */
static void abort_unit(struct tensix *tensix, enum tensix_unit unit)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tensix->thread[i].busy_until[unit] = 0;
    }
}

void tensix_soft_reset(struct tensix *tensix, uint32_t old, uint32_t value)
{
    uint32_t entering = value & ~old;
    bool parts_change = ((old ^ value) | (tensix->held ^ value)) & TENSIX_RESET_PARTS;
    tensix->now = tensix->outcome.event > tensix->now ? tensix->outcome.event : tensix->now;
    tensix->held = value;
    tensix->outcome.holds = true;
    if (!parts_change) {
        return; /* harts only; many tiles never use what the units keep */
    }
    if (entering & TENSIX_RESET_UNPACKERS) { /* SPEC: what is in flight is aborted */
        abort_flights(tensix, TENSIX_FLIGHT_UNPACKER0, TENSIX_FLIGHT_UNPACKER1);
        abort_unit(tensix, TENSIX_UNIT_UNPACK);
        for (unsigned i = 0; i < TENSIX_UNPACKERS; i++) {
            tensix->unpacker[i].free_at = 0;
            tensix->unpacker[i].held = (struct tensix_unpack_held){.is_held = false};
        }
        tensix->outcome.changed = true; /* others may wait for what waited there */
    }
    if (entering & TENSIX_RESET_PACKERS) {
        abort_flights(tensix, TENSIX_FLIGHT_PACKER, TENSIX_FLIGHT_PACKER);
        abort_unit(tensix, TENSIX_UNIT_PACK);
        tensix->pack_output = (struct timing_resource){.free_at = 0};
    }
    if (entering & TENSIX_RESET_MATH) {
        abort_unit(tensix, TENSIX_UNIT_MATRIX);
        abort_unit(tensix, TENSIX_UNIT_VECTOR);
    }
    tensix_matrix_soft_reset(tensix, entering);
    tensix_vector_soft_reset(tensix, entering, old & ~value);
    tensix_packer_soft_reset(tensix, entering, old & ~value);
    tensix_mover_soft_reset(tensix, entering);
    if (entering & TENSIX_RESET_SRCA_CLIENT) {
        tensix_src_reset(tensix, TENSIX_SRC_A);
    }
    if (entering & TENSIX_RESET_SRCB) {
        tensix_src_reset(tensix, TENSIX_SRC_B);
    }
    if (entering & TENSIX_RESET_THCON) {
        abort_scalar(tensix);
        tensix->stale = TENSIX_USED_BY_ALL;
        for (unsigned state = 0; state < TENSIX_STATES; state++) {
            memset(&tensix->config[state][TENSIX_THCON_WORD], 0,
                   (TENSIX_GLOBAL_WORD - TENSIX_THCON_WORD) * sizeof(uint32_t));
        }
    }
}
