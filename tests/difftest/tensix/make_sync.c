/*
 * Makers of the Sync unit: semaphores and the mutex.
 *
 * A semaphore is private to a thread, which then knows its value, or a channel: its owner posts,
 * its peer gets. Where both wait before they act, a channel behaves the same however the threads
 * interleave; with it, configuration words change hands.
 */
#include "generate.h"

static uint32_t mask_of(unsigned semaphore)
{
    return UINT32_C(1) << semaphore;
}

enum { STALL_WHILE_ZERO = 1, STALL_WHILE_MAX = 2, MOST_BURST = 4, CONFIG_CYCLES = 3 };

static void add_init(struct generator *g, unsigned thread, unsigned s, uint32_t value, uint32_t max)
{
    add_push(g, thread,
             instruction(TENSIX_ROW_SEMINIT, "new_max", max, "new_value", value, "semaphore_mask",
                         mask_of(s), NULL));
    g->semaphore[s].value = (uint8_t)value;
    g->semaphore[s].max = (uint8_t)max;
}

static void add_wait(struct generator *g, unsigned thread, unsigned s, uint32_t blocks,
                     uint32_t condition)
{
    add_push(g, thread,
             instruction(TENSIX_ROW_SEMWAIT, "block_mask", blocks, "semaphore_mask", mask_of(s),
                         "condition_mask", condition, NULL));
}

static void add_simple(struct generator *g, unsigned thread, unsigned row, unsigned s)
{
    add_push(g, thread, instruction(row, "semaphore_mask", mask_of(s), NULL));
}

/* --- Private --- */

static bool make_private(struct generator *g, unsigned thread, unsigned s, unsigned row)
{
    struct semaphore_plan *plan = &g->semaphore[s];
    uint32_t blocks = random_bits(&g->random, 9);
    uint32_t max = below(g, SEMAPHORE_MOST + 1), value = below(g, max + 1);
    switch (row) {
    case TENSIX_ROW_SEMINIT:
        add_init(g, thread, s, value, max);
        return true;
    case TENSIX_ROW_SEMPOST:
        if (plan->value >= plan->max) {
            return false;
        }
        plan->value++;
        add_simple(g, thread, row, s);
        return true;
    case TENSIX_ROW_SEMGET:
        if (!plan->value) {
            return false;
        }
        plan->value--;
        add_simple(g, thread, row, s);
        return true;
    default:
        if (plan->value && (plan->value >= plan->max || once_in(g, 2))) {
            add_wait(g, thread, s, blocks | TENSIX_BLOCK_SYNC, STALL_WHILE_ZERO);
        } else if (plan->value < plan->max) {
            add_wait(g, thread, s, blocks | TENSIX_BLOCK_SYNC, STALL_WHILE_MAX);
        } else {
            return false;
        }
        return true;
    }
}

/* --- Channels --- */

/* A group of words that the thread owns, holds words that are compared, and can be given away;
 * -1: none was found. */
static int group_to_give(struct generator *g, unsigned thread)
{
    for (unsigned tries = 0; tries < 60; tries++) {
        unsigned word = below(g, CONFIG_WORDS);
        if (g->owner[word / 4] == thread && config_words[word].access == WORD_RW &&
            legal_bits(g, word) == UINT32_MAX) {
            return (int)word;
        }
    }
    return -1;
}

/* The owner changes a word and posts; the peer waits, and the word is its own from now on. */
static bool hand_over(struct generator *g, unsigned thread, unsigned s)
{
    struct semaphore_plan *plan = &g->semaphore[s];
    int word = group_to_give(g, thread);
    if (word < 0 || plan->value >= plan->max) {
        return false;
    }
    unsigned group = (unsigned)word / 4;
    uint32_t reg = random_gpr(g);
    g->needs = g->owner_group[group] ? g->owner_group[group] : plan->group;
    add_push(g, thread,
             instruction(TENSIX_ROW_WRCFG, "input_reg", reg, "cfg_index", (uint32_t)word, NULL));
    for (unsigned i = 0; i < CONFIG_CYCLES; i++) {
        add_push(g, thread, instruction(TENSIX_ROW_DMANOP, NULL));
    }
    add_wait(g, thread, s, ALL_BLOCKS, STALL_WHILE_MAX);
    add_simple(g, thread, TENSIX_ROW_SEMPOST, s);
    add_wait(g, plan->peer, s, ALL_BLOCKS, STALL_WHILE_ZERO);
    add_simple(g, plan->peer, TENSIX_ROW_SEMGET, s);
    add_push(g, plan->peer,
             instruction(TENSIX_ROW_RDCFG, "result_reg", random_gpr(g), "cfg_index", (uint32_t)word,
                         NULL));
    g->owner[group] = plan->peer;
    g->owner_group[group] = g->group;
    return true;
}

/* The owner posts some times, the peer gets as often. */
static void burst(struct generator *g, unsigned thread, unsigned s)
{
    struct semaphore_plan *plan = &g->semaphore[s];
    uint32_t count = 1 + below(g, MOST_BURST);
    uint32_t room = (uint32_t)plan->max - plan->value;
    count = count > room ? room : count;
    for (uint32_t i = 0; i < count; i++) {
        add_wait(g, thread, s, random_bits(&g->random, 9) | TENSIX_BLOCK_SYNC, STALL_WHILE_MAX);
        add_simple(g, thread, TENSIX_ROW_SEMPOST, s);
    }
    for (uint32_t i = 0; i < count; i++) {
        add_wait(g, plan->peer, s, random_bits(&g->random, 9) | TENSIX_BLOCK_SYNC,
                 STALL_WHILE_ZERO);
        add_simple(g, plan->peer, TENSIX_ROW_SEMGET, s);
    }
}

static bool make_channel(struct generator *g, unsigned thread, unsigned s)
{
    struct semaphore_plan *plan = &g->semaphore[s];
    if (g->thread[plan->peer].closed) {
        return false;
    }
    if (!plan->group) { /* the peer cannot pass its wait before the first post */
        open_group(g);
        add_init(g, thread, s, 0, 1 + below(g, SEMAPHORE_MOST));
        plan->group = g->group;
        close_group(g);
    }
    open_group(g);
    g->needs = plan->group;
    if (once_in(g, 2) && hand_over(g, thread, s)) {
        return true;
    }
    g->needs = plan->group;
    burst(g, thread, s);
    return true;
}

bool make_semaphore(struct generator *g, unsigned thread, const struct rule *rule)
{
    if (g->options->free && once_in(g, 4)) {
        add_push(g, thread, rule_word(g->rules, rule, &g->random));
        return true;
    }
    for (unsigned tries = 0; tries < 12; tries++) {
        unsigned s = below(g, SEMAPHORES);
        const struct semaphore_plan *plan = &g->semaphore[s];
        if (plan->owner != thread) {
            continue;
        }
        if (plan->peer != NOBODY) {
            return make_channel(g, thread, s);
        }
        if (make_private(g, thread, s, rule->row)) {
            return true;
        }
        if (rule->row != TENSIX_ROW_SEMINIT) { /* it may need room, or something to get */
            uint32_t max = 2 + below(g, SEMAPHORE_MOST - 1);
            add_init(g, thread, s, 1 + below(g, max - 1), max);
            return make_private(g, thread, s, rule->row);
        }
    }
    return false;
}

/* --- Mutex --- */

bool make_mutex(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)rule;
    uint32_t word, inside = below(g, 4);
    open_group(g);
    add_push(g, thread, instruction(TENSIX_ROW_ATGETM, NULL));
    for (uint32_t i = 0; i < inside; i++) {
        if (g->actives > 1 && once_in(g, 2)) {
            uint32_t row = TENSIX_ROW_RMWCIB0 + below(g, 4);
            uint32_t mask = random_bits(&g->random, 8) & UINT32_C(0x49) << thread & 0xff;
            word = instruction(row, "mask", mask, "new_value", random_bits(&g->random, 8), "index4",
                               (uint32_t)g->shared_word, NULL);
        } else {
            loop_word(g, thread, RULE_GPRS, &word);
        }
        add_push(g, thread, word);
    }
    add_push(g, thread, instruction(TENSIX_ROW_ATRELM, NULL));
    return true;
}
