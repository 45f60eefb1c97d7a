/*
 * Backend configuration as the harts see it (SPEC: BlackholeA0 BackendConfiguration).
 *
 * Invariant: words from TENSIX_GLOBAL_WORD on are the same in both states.
 */
#include <string.h>

#include "tensix/regs.h"
#include "tensix/tensix.h"

enum special { PLAIN, CLEARS_STATE, IC_INVALIDATE, UNMODELLED };

static const struct special_row {
    unsigned first, last;
    enum special special;
} special_rows[] = {
#define SPECIAL(first, last, effect) {TENSIX_WORD_##first, TENSIX_WORD_##last, effect},
#include "tensix/backend_config.def"
#undef SPECIAL
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

static void store(struct tensix *tensix, unsigned state, unsigned word, uint32_t value)
{
    bool is_thcon = word >= TENSIX_THCON_WORD && word < TENSIX_GLOBAL_WORD;
    if (is_thcon && tensix->held & TENSIX_RESET_THCON) {
        return; /* SPEC: SoftReset, THCON configuration */
    }
    tensix->config[state][word] = value;
    if (word >= TENSIX_GLOBAL_WORD) {
        tensix->config[!state][word] = value;
    }
    if (special_of(word) == CLEARS_STATE) {
        memset(tensix->config[state], 0, TENSIX_GLOBAL_WORD * sizeof(uint32_t));
    }
}

enum tensix_config_effect tensix_config_write(struct tensix *tensix, unsigned index, uint32_t value)
{
    if (index >= TENSIX_CONFIG_THREAD) {
        return TENSIX_CONFIG_READ_ONLY;
    }
    unsigned word = index % TENSIX_STATE_WORDS;
    if (index >= TENSIX_CONFIG_DUAL) {
        store(tensix, 0, word, value);
        store(tensix, 1, word, value);
    } else {
        store(tensix, index / TENSIX_STATE_WORDS, word, value);
    }
    switch (special_of(word)) {
    case IC_INVALIDATE:
        return TENSIX_CONFIG_IC_INVALIDATE;
    case UNMODELLED:
        return TENSIX_CONFIG_UNMODELLED;
    case PLAIN:
    case CLEARS_STATE:
        break;
    }
    return TENSIX_CONFIG_STORED;
}

void tensix_soft_reset(struct tensix *tensix, uint32_t old, uint32_t value)
{
    tensix->held = value;
    if (value & ~old & TENSIX_RESET_THCON) {
        for (unsigned state = 0; state < TENSIX_STATES; state++) {
            memset(&tensix->config[state][TENSIX_THCON_WORD], 0,
                   (TENSIX_GLOBAL_WORD - TENSIX_THCON_WORD) * sizeof(uint32_t));
        }
    }
}
