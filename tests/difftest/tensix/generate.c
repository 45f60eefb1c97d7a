#include "generate.h"

#include <stdarg.h>
#include <string.h>

#include "scene.h"
#include "vector.h"

enum {
    LEAST_STEPS = 60,
    MOST_STEPS = 2400,
    COMPACT_STEPS = 6,
    GPR_VALUES = 18,
    COMPACT_GPR_VALUES = 2,
    MOST_TRIES = 60, /* fragments in a row that do not fit */
};

/* --- Steps --- */

void add_step(struct generator *g, unsigned thread, enum step_kind kind, unsigned number,
              uint32_t word)
{
    program_add(g->program, (struct step){.kind = kind,
                                          .thread = (uint8_t)thread,
                                          .number = (uint16_t)number,
                                          .word = word,
                                          .group = g->group,
                                          .needs = g->needs});
}

void add_push(struct generator *g, unsigned thread, uint32_t word)
{
    bool stores = once_in(g, 12);
    add_step(g, thread, stores ? STEP_STORE : STEP_PUSH, 0, word);
    g->thread[thread].pushed++;
}

void open_group(struct generator *g)
{
    g->group = ++g->groups;
}

void close_group(struct generator *g)
{
    g->group = 0;
    g->needs = 0;
}

uint32_t instruction(unsigned row, ...)
{
    uint32_t word = tensix_rows[row].match;
    va_list operands;
    va_start(operands, row);
    for (const char *name; (name = va_arg(operands, const char *));) {
        uint32_t value = va_arg(operands, uint32_t);
        const struct isa_field *field = row_operand(row, name);
        if (field) {
            isa_field_put(field, &word, value);
        }
    }
    va_end(operands);
    return word;
}

void add_gpr_value(struct generator *g, unsigned thread, unsigned reg, uint32_t value)
{
    for (unsigned half = 0; half < 2; half++) {
        add_push(g, thread,
                 instruction(TENSIX_ROW_SETDMAREG_IMM, "new_value", value >> 16 * half & 0xffff,
                             "result_half_reg", (uint32_t)(2 * reg + half), NULL));
    }
}

/* --- Samples --- */

/* True when the thread alone changes what the probe shows. */
static bool may_sample(const struct generator *g, unsigned thread, const struct item *item)
{
    const struct probe *probe = &g->map->probe[item->probe];
    unsigned group = probe->number / 4u;
    unsigned stream = 0, semaphore = 0;
    switch (probe->kind) {
    case PROBE_GPR:
        return probe->thread == thread;
    case PROBE_CONFIG:
        return g->owner[group] == thread && !g->owner_group[group];
    case PROBE_RDCFG:
        return false;
    case PROBE_BUS:
        return g->bus_owner == thread &&
               (g->actives == 1 ||
                (item->name[1] == (char)('0' + thread) && !strncmp(item->name + 2, ".adc", 4)));
    case PROBE_PLAIN:
        if (sscanf(item->name, "stream[%u]", &stream) == 1) {
            return stream == thread || stream == 61 + thread;
        }
        return sscanf(item->name, "semaphore[%u]", &semaphore) == 1 &&
               g->semaphore[semaphore].owner == thread && g->semaphore[semaphore].peer == NOBODY;
    }
    return false;
}

static void add_sample(struct generator *g, unsigned thread)
{
    for (unsigned tries = 0; tries < 20; tries++) {
        bool gpr = once_in(g, 2) && g->map->items > THREADS * GPRS;
        unsigned item = gpr ? thread * GPRS + random_gpr(g) : below(g, g->map->items);
        if (may_sample(g, thread, &g->map->item[item])) {
            add_step(g, thread, STEP_SAMPLE, g->map->item[item].probe, 0);
            return;
        }
    }
}

/* --- The harts' own accesses --- */

static void add_hart_access(struct generator *g, unsigned thread)
{
    unsigned word = below(g, CONFIG_WORDS), s = below(g, SEMAPHORES);
    uint32_t value = random_bits(&g->random, 32);
    struct semaphore_plan *plan = &g->semaphore[s];
    switch (below(g, 4)) {
    case 0:
        add_step(g, thread, STEP_GPR, random_gpr(g), value);
        break;
    case 1:
        if (config_words[word].access == WORD_RW && g->owner[word / 4] == thread &&
            !g->owner_group[word / 4]) {
            add_step(g, thread, STEP_CONFIG, word, value & legal_bits(g, word));
        }
        break;
    case 2:
        if (plan->owner == thread && plan->peer == NOBODY && plan->value < plan->max) {
            add_step(g, thread, STEP_SEMAPHORE, s, 0);
            plan->value++;
        } else if (plan->owner == thread && plan->peer == NOBODY && plan->value > 0) {
            add_step(g, thread, STEP_SEMAPHORE, s, 1);
            plan->value--;
        }
        break;
    default:
        add_step(g, thread, STEP_SYNC, 0, 0);
    }
}

/* --- Fragments --- */

static maker_function *const makers[MAKERS_OF_PROGRAMS] = {
    [MAKE_PLAIN] = make_plain,       [MAKE_SETC16] = make_setc16, [MAKE_WRCFG] = make_wrcfg,
    [MAKE_RDCFG] = make_rdcfg,       [MAKE_RMWCIB] = make_rmwcib, [MAKE_SHIFTMASK] = make_shiftmask,
    [MAKE_STOREREG] = make_storereg, [MAKE_SETRWC] = make_setrwc, [MAKE_SEMAPHORE] = make_semaphore,
    [MAKE_MUTEX] = make_mutex,       [MAKE_MOP] = make_mop,       [MAKE_REPLAY] = make_replay,
    [MAKE_BANK] = make_bank,
};

bool make_plain(struct generator *g, unsigned thread, const struct rule *rule)
{
    add_push(g, thread, rule_word(g->rules, rule, &g->random));
    return true;
}

bool loop_word(struct generator *g, unsigned thread, unsigned without, uint32_t *word)
{
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        const struct rule *rule = rules_pick(g->rules, &g->random);
        if (!(rule->traits & RULE_LOOPS) || rule->traits & without) {
            continue;
        }
        bool ok = true;
        g->in_loop = true;
        if (rule->maker == MAKE_PLAIN) {
            *word = rule_word(g->rules, rule, &g->random);
        } else if (rule->maker == MAKE_SETRWC) {
            *word = setrwc_word(g, thread, rule);
        } else {
            ok = config_word_of(g, thread, rule, word);
        }
        g->in_loop = false;
        if (ok) {
            return true;
        }
    }
    /* Rows that cannot loop are tested alone: something harmless goes with them. */
    *word = instruction(TENSIX_ROW_INCRWC, "dst_inc", (uint32_t)1 + below(g, 15), NULL);
    return true;
}

static bool add_fragment(struct generator *g, unsigned thread)
{
    const struct rule *rule = rules_pick(g->rules, &g->random);
    g->needs = 0;
    if (g->thread[thread].by_brisc &&
        (rule->row == TENSIX_ROW_MOP || rule->row == TENSIX_ROW_MOP_CFG)) {
        return false; /* what BRISC pushes passes the MOP expander by */
    }
    if (!makers[rule->maker](g, thread, rule)) {
        return false;
    }
    close_group(g);
    if (!g->thread[thread].by_brisc && once_in(g, g->options->compact ? 4 : 12)) {
        add_sample(g, thread);
    }
    if (!g->thread[thread].by_brisc && once_in(g, 25)) {
        add_hart_access(g, thread);
    }
    return true;
}

/* --- The plan --- */

static void plan_threads(struct generator *g)
{
    unsigned count = once_in(g, 3) ? 1 : 2 + below(g, 2);
    count = g->options->compact && !once_in(g, 4) ? 1 : count;
    unsigned first = below(g, THREADS);
    for (unsigned i = 0; i < count; i++) {
        g->active[i] = (uint8_t)((first + i) % THREADS);
        bool by_brisc = once_in(g, 8) && !g->options->compact;
        g->thread[g->active[i]].by_brisc = by_brisc;
        g->program->by_brisc[g->active[i]] = by_brisc;
    }
    g->actives = count;
    g->bus_owner = g->active[below(g, count)];
}

static void plan_owners(struct generator *g)
{
    for (unsigned i = 0; i < WORD_GROUPS; i++) {
        g->owner[i] = g->active[below(g, g->actives)];
    }
    do {
        g->shared_word = (uint16_t)below(g, CONFIG_WORDS);
    } while (config_words[g->shared_word].access != WORD_RW ||
             legal_bits(g, g->shared_word) != UINT32_MAX);
    g->owner[g->shared_word / 4] = NOBODY;
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        unsigned owner = below(g, g->actives);
        struct semaphore_plan *plan = &g->semaphore[i];
        *plan = (struct semaphore_plan){.owner = g->active[owner], .peer = NOBODY};
        if (g->actives > 1 && once_in(g, 3)) {
            plan->peer = g->active[(owner + 1 + below(g, g->actives - 1)) % g->actives];
        }
    }
}

static void add_first_values(struct generator *g)
{
    unsigned values = g->options->compact ? COMPACT_GPR_VALUES : GPR_VALUES;
    for (unsigned i = 0; i < g->actives; i++) {
        unsigned thread = g->active[i];
        for (unsigned k = 0; k < values && !g->thread[thread].by_brisc; k++) {
            uint32_t reg = random_gpr(g);
            add_step(g, thread, STEP_GPR, reg, random_bits(&g->random, 32));
        }
    }
}

void program_generate(struct program *program, const struct rules *rules,
                      const struct state_map *map, uint64_t seed, uint64_t number,
                      const struct generate_options *options)
{
    struct generator g = {.program = program, .rules = rules, .map = map, .options = options};
    g.random.state = seed * UINT64_C(0x9e3779b97f4a7c15) + number * UINT64_C(0x10001);
    random_next(&g.random);
    program_init(program);
    program->number = number;
    program->unfenced = options->unfenced;
    if (options->family == FAMILY_SCENES) {
        scene_generate(&g, options->steps);
        return;
    }
    if (options->family == FAMILY_VECTOR) {
        vector_generate(&g, options->steps);
        return;
    }
    uint32_t steps = LEAST_STEPS + below(&g, MOST_STEPS - LEAST_STEPS);
    steps = options->compact ? COMPACT_STEPS : steps;
    steps = options->steps ? options->steps : steps;
    plan_threads(&g);
    plan_owners(&g);
    add_first_values(&g);
    steps += program->steps;
    for (unsigned tries = 0; program->steps < steps && tries < MOST_TRIES && program->ok;) {
        unsigned thread = g.active[below(&g, g.actives)];
        struct thread_plan *plan = &g.thread[thread];
        plan->closed = plan->by_brisc && plan->pushed > MOST_BRISC;
        tries = !plan->closed && add_fragment(&g, thread) ? 0 : tries + 1;
    }
}
