/* Programs of the Vector Unit: instructions, and the whole; see vector.h. */
#include "vector.h"

#include <stdlib.h>

#include "scene.h"

enum {
    MOST_TRIES = 24,
    LEAST_STEPS = 400,
    MOST_STEPS = 1400,
    COMPACT_STEPS = 10,
    LONG_NARROW = 14, /* instructions under flags that only become fewer */
};

/* --- Waiting --- */

static unsigned vd_of(uint32_t word)
{
    return word >> 4 & 15;
}

/* The LReg that an instruction of two cycles writes behind the back of the automatic stalls, or
 * -1 (SPEC: BlackholeA0 SFPMAD). */
static int slow_result(uint32_t word)
{
    switch (tensix_find(word)) {
    case TENSIX_ROW_SFPLUT:
        return (int)(word >> 20 & 15);
    case TENSIX_ROW_SFPMULI:
    case TENSIX_ROW_SFPADDI:
    case TENSIX_ROW_SFPMAD:
    case TENSIX_ROW_SFPADD:
    case TENSIX_ROW_SFPMUL:
    case TENSIX_ROW_SFPMUL24:
    case TENSIX_ROW_SFPLUTFP32:
        return (int)vd_of(word);
    default:
        return -1;
    }
}

static uint32_t unseen_reads(uint32_t word)
{
    uint32_t vb = 1u << (word >> 12 & 15), vc = 1u << (word >> 8 & 15), vd = 1u << vd_of(word);
    switch (tensix_find(word)) {
    case TENSIX_ROW_SFPAND:
    case TENSIX_ROW_SFPOR:
        return vb;
    case TENSIX_ROW_SFPIADD:
    case TENSIX_ROW_SFPSHFT:
        return vd;
    case TENSIX_ROW_SFPCONFIG:
        return 1;
    case TENSIX_ROW_SFPSWAP:
        return vc | vd;
    case TENSIX_ROW_SFPSHFT2:
        return vb | vc;
    default:
        return 0;
    }
}

static bool must_wait(uint32_t before, uint32_t word)
{
    int slow = slow_result(before);
    return slow >= 0 && unseen_reads(word) >> slow & 1;
}

bool vector_try_word(struct generator *g, uint32_t word)
{
    struct scene *s = g->scene;
    struct batch batch = {.words = 0};
    if (must_wait(s->last_word, word)) {
        batch_add(&batch, instruction(TENSIX_ROW_SFPNOP, NULL));
    }
    batch_add(&batch, word);
    if (!scene_try(g, &batch)) {
        return false;
    }
    s->last_word = word;
    return true;
}

/* --- Operands --- */

static uint32_t source(struct generator *g)
{
    if (g->scene->compact && !once_in(g, 6)) {
        return below(g, VECTOR_COMPACT_LREGS);
    }
    return once_in(g, 4) ? below(g, VECTOR_LREGS) : below(g, 8);
}

static void put(uint32_t *word, unsigned row, const char *name, uint32_t value)
{
    const struct isa_field *field = row_operand(row, name);
    if (field) {
        isa_field_put(field, word, (int32_t)value);
    }
}

/* An address that brings an access to a row. */
static void aim(struct generator *g, uint32_t *word, unsigned row, uint32_t dst_row)
{
    const struct scene *s = g->scene;
    uint32_t now = model_vector_row(&s->model, s->thread, 0);
    put(word, row, "imm10", (dst_row - now) & (MODEL_DST_ROWS - 1));
}

static void aim_load(struct generator *g, uint32_t *word)
{
    unsigned slots = g->scene->compact ? 4 : VECTOR_DATA_SLOTS;
    uint32_t row =
        once_in(g, 3) ? below(g, MODEL_DST_ROWS / 2) * 2 : vector_slot_row(below(g, slots));
    if (g->scene->compact) {
        row = vector_slot_row(below(g, slots));
    }
    aim(g, word, TENSIX_ROW_SFPLOAD, row);
}

static void aim_store(struct generator *g, uint32_t *word)
{
    struct scene *s = g->scene;
    uint32_t row = below(g, MODEL_VECTOR_ROWS / 2) * 2;
    if (!once_in(g, 4)) {
        s->slot = s->slot < VECTOR_FREE_SLOTS - 1 ? s->slot + 1 : VECTOR_DATA_SLOTS;
        row = vector_slot_row(s->slot);
        if (once_in(g, 4)) { /* all bits are seen */
            put(word, TENSIX_ROW_SFPSTORE, "mod0", 4);
        }
    }
    aim(g, word, TENSIX_ROW_SFPSTORE, row);
}

/* Immediate operands, and constants that rows ask for. */
static void fit_immediates(struct generator *g, uint32_t *word, unsigned row)
{
    uint32_t mode = *word & 15, bits = random_bits(&g->random, 12);
    switch (row) {
    case TENSIX_ROW_SFPDIVP2:
        bits = random_bits(&g->random, 8);
        put(word, row, "imm12", bits | (bits & 0x80 ? 0xf00 : 0));
        break;
    case TENSIX_ROW_SFPSHFT:
        bits = once_in(g, 4) ? bits : (below(g, 67) - 33) & 0xfff;
        put(word, row, "imm12", mode & 1 ? bits : 0);
        break;
    case TENSIX_ROW_SFPSHFT2:
        put(word, row, "imm12", mode == 5 ? source(g) : 0);
        break;
    case TENSIX_ROW_SFPAND:
    case TENSIX_ROW_SFPOR:
        put(word, row, "vb", mode & 1 ? source(g) : 0);
        break;
    case TENSIX_ROW_SFPSETEXP:
        put(word, row, "imm8", mode == 1 ? bits & 0xff : 0);
        break;
    case TENSIX_ROW_SFPSETSGN:
        put(word, row, "imm1", mode & bits & 1);
        break;
    case TENSIX_ROW_SFPADD:
        put(word, row, once_in(g, 2) ? "va" : "vb", 10);
        break;
    case TENSIX_ROW_SFPMOV:
        if (mode == 8) {
            put(word, row, "vc", 9);
        }
        break;
    case TENSIX_ROW_SFPENCC:
        put(word, row, "imm2", mode ? once_in(g, 6) ? below(g, 4) : 3 : 0);
        break;
    default:
        break;
    }
}

static uint32_t config_word(struct generator *g, uint32_t word)
{
    static const uint16_t lane_configs[] = {0, 0, 0, 0, 4, 0x100, 0x100, 0x104};
    unsigned row = TENSIX_ROW_SFPCONFIG;
    static const uint8_t targets[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 11,
                                      12, 12, 13, 13, 14, 14, 15, 15, 15, 15};
    uint32_t target = targets[below(g, sizeof targets)], imm16 = 0, immediate = once_in(g, 2);
    if (target < 4 || (target >= 12 && target < 15)) {
        immediate = 0;
    } else if (target == 8) {
        immediate = 1;
        imm16 = random_bits(&g->random, 12);
    } else if (target < 8 && immediate) {
        imm16 = random_bits(&g->random, 16);
    } else if (target == 15 && immediate) {
        imm16 = lane_configs[below(g, sizeof lane_configs / sizeof lane_configs[0])];
    }
    put(&word, row, "vd", target);
    put(&word, row, "mod1", immediate);
    put(&word, row, "imm16", imm16);
    return word;
}

uint32_t vector_propose(struct generator *g, const struct rule *rule)
{
    static const char *const sources[] = {"va", "vb", "vc"};
    enum { BACKDOOR_ONCE_IN = 150, BACKDOOR = 12 };
    const struct scene *s = g->scene;
    uint32_t word = rule_word(g->rules, rule, &g->random);
    unsigned row = rule->row;
    for (unsigned i = 0; i < 3; i++) {
        bool fixed = false;
        for (unsigned k = 0; k < rule->limits; k++) {
            fixed = fixed || rule->limit[k].field == row_operand(row, sources[i]);
        }
        if (!fixed) {
            put(&word, row, sources[i], source(g));
        }
    }
    fit_immediates(g, &word, row);
    if (row == TENSIX_ROW_SFPLOAD) {
        aim_load(g, &word);
    } else if (row == TENSIX_ROW_SFPSTORE) {
        aim_store(g, &word);
    } else if (row == TENSIX_ROW_SFPCONFIG) {
        return config_word(g, word);
    } else if (s->model.vector.lane_config & 4 && !once_in(g, 4)) {
        const struct isa_field *vd = row_operand(row, "vd"); /* with indices only these may be */
        word = vd ? word & ~(UINT32_C(0xc) << vd->piece[0].lsb) : word;
        word = row == TENSIX_ROW_SFPSWAP ? word & ~UINT32_C(0xc00) : word;
    }
    if (once_in(g, BACKDOOR_ONCE_IN) && model_all_enabled(&s->model)) {
        put(&word, row, "vd", BACKDOOR + below(g, 4));
    }
    return word;
}

/* --- Makers --- */

/* SFPCONFIG takes its value from LReg[0], which has to be the same in all lanes. */
static bool config_needs_value(struct generator *g, uint32_t word)
{
    const struct model_vector *v = &g->scene->model.vector;
    return !(word & 1) && model_all_enabled(&g->scene->model) && !(v->known && once_in(g, 2));
}

static bool load_value(struct generator *g, uint32_t word)
{
    enum { UPPER = 8, LOWER = 10, USHORT = 2 };
    static const uint16_t lane_configs[] = {0, 4, 0x100, 0x104};
    bool is_lanes = vd_of(word) == 15;
    uint32_t value = is_lanes ? lane_configs[below(g, 4)] : random_bits(&g->random, 32);
    bool ok = vector_try_word(g, instruction(TENSIX_ROW_SFPLOADI, "mod0", (uint32_t)USHORT, "imm16",
                                             value & 0xffff, NULL));
    return ok &&
           (is_lanes || vector_try_word(g, instruction(TENSIX_ROW_SFPLOADI, "mod0", (uint32_t)UPPER,
                                                       "imm16", value >> 16, NULL)));
}

/* All lanes become enabled, or as many as the level below. */
static void widen(struct generator *g)
{
    const struct model_vector *v = &g->scene->model.vector;
    uint32_t word =
        instruction(TENSIX_ROW_SFPENCC, "mod1", UINT32_C(10), "imm2", UINT32_C(3), NULL);
    if (v->depth && !once_in(g, 4)) {
        word = instruction(TENSIX_ROW_SFPPOPC, NULL);
    }
    vector_try_word(g, word);
    g->scene->narrow = 0;
}

/* What instructions compute soon is mostly 0, infinite or NaN. */
static void refresh(struct generator *g)
{
    unsigned slots = g->scene->compact ? 4 : VECTOR_DATA_SLOTS;
    uint32_t word = instruction(TENSIX_ROW_SFPLOAD, "vd", below(g, 8), "mod0", UINT32_C(4), NULL);
    aim(g, &word, TENSIX_ROW_SFPLOAD, vector_slot_row(below(g, slots)));
    put(&word, TENSIX_ROW_SFPLOAD, "addr_mod", below(g, 8));
    vector_try_word(g, word);
}

/* A sum in which the product nearly cancels out: of the product itself, rounded, a step or two
 * beside it. */
static bool make_cancellation(struct generator *g)
{
    enum { ADD_IMMEDIATE = 5 };
    uint32_t a = below(g, 8), b = source(g), sum = below(g, 8), step = below(g, 5) - 2;
    uint32_t to = below(g, 8), negate = 1 + below(g, 2);
    bool ok = vector_try_word(
        g, instruction(TENSIX_ROW_SFPMUL, "va", a, "vb", b, "vc", UINT32_C(9), "vd", sum, NULL));
    if (ok && once_in(g, 2)) {
        ok = vector_try_word(g, instruction(TENSIX_ROW_SFPIADD, "imm12", step & 0xfff, "vc", sum,
                                            "vd", sum, "mod1", (uint32_t)ADD_IMMEDIATE, NULL));
    }
    return ok && vector_try_word(g, instruction(TENSIX_ROW_SFPMAD, "va", a, "vb", b, "vc", sum,
                                                "vd", to, "mod1", negate, NULL));
}

/* Several at once, which may be recorded and played. */
static void make_batch(struct generator *g)
{
    enum { LEAST_WORDS = 3, MOST_WORDS = 12 };
    struct scene *s = g->scene;
    struct batch batch = {.words = 0};
    struct model *now = malloc(sizeof *now);
    unsigned words = LEAST_WORDS + below(g, MOST_WORDS - LEAST_WORDS);
    uint32_t last = s->last_word, first = 0;
    g->program->ok = g->program->ok && now;
    if (now) {
        *now = s->model;
    }
    for (unsigned tries = 0; now && tries < 2 * MOST_WORDS && batch.words < words; tries++) {
        const struct rule *rule = rules_pick(g->rules, &g->random);
        uint32_t word = vector_propose(g, rule);
        s->trial = *now;
        if (must_wait(last, word) || rule->row == TENSIX_ROW_ZEROACC ||
            !model_execute(&s->trial, s->thread, word)) {
            continue;
        }
        *now = s->trial;
        batch_add(&batch, word);
        first = first ? first : word;
        last = word;
    }
    if (batch.words > 1 && !must_wait(last, first) && scene_try(g, &batch)) {
        s->last_word = last;
    }
    free(now);
}

/* Levels of flags that random pushes and pops seldom reach. */
static void push_levels(struct generator *g)
{
    for (uint32_t levels = 1 + below(g, MODEL_FLAG_STACK); levels > 0; levels--) {
        vector_try_word(g, instruction(TENSIX_ROW_SFPPUSHC, NULL));
        vector_try_word(
            g, instruction(TENSIX_ROW_SFPSETCC, "vc", below(g, 8), "mod1", 2 * below(g, 4), NULL));
    }
}

static void make_loop(struct generator *g)
{
    struct scene *s = g->scene;
    uint32_t word = vector_propose(g, rules_pick(g->rules, &g->random));
    uint32_t last = vector_propose(g, rules_pick(g->rules, &g->random));
    uint32_t outer = 1 + below(g, 3), inner = 1 + below(g, 5);
    if (!must_wait(s->last_word, word) && !must_wait(s->last_word, last) &&
        !must_wait(word, word) && !must_wait(word, last) && !must_wait(last, word) &&
        !must_wait(last, last) && scene_try_loop(g, word, last, outer, inner)) {
        s->last_word = last;
    }
}

/* Rows of Dst that read as 0; seldom those of the data. */
static bool make_cleared(struct generator *g, const struct rule *rule)
{
    enum { DATA_BLOCKS = 8, BLOCKS = MODEL_VECTOR_ROWS / 16 };
    uint32_t word = rule_word(g->rules, rule, &g->random);
    uint32_t block = DATA_BLOCKS + below(g, BLOCKS - DATA_BLOCKS);
    put(&word, rule->row, "dst_row", once_in(g, 8) ? below(g, BLOCKS) : block);
    return scene_try_word(g, word);
}

bool make_vector(struct generator *g, unsigned thread, const struct rule *rule)
{
    struct scene *s = g->scene;
    (void)thread;
    if (rule->row == TENSIX_ROW_ZEROACC) {
        return make_cleared(g, rule);
    }
    if (rule->row == TENSIX_ROW_SFPMAD && once_in(g, 4)) {
        return make_cancellation(g);
    }
    if (below(g, 5) < (s->compact ? 1 : 2)) {
        refresh(g);
    }
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        uint32_t word = vector_propose(g, rule);
        if (rule->row == TENSIX_ROW_SFPCONFIG && config_needs_value(g, word) &&
            !load_value(g, word)) {
            return false;
        }
        if (vector_try_word(g, word)) {
            s->narrow = model_all_enabled(&s->model) ? 0 : s->narrow + 1;
            return true;
        }
    }
    return false;
}

/* --- The whole --- */

void vector_generate(struct generator *g, uint32_t steps)
{
    struct scene *s = calloc(1, sizeof *s);
    if (!s) {
        g->program->ok = false;
        return;
    }
    g->scene = s;
    g->program->scene = g->program->vector = true;
    model_init(&s->model);
    s->compact = g->options->compact;
    s->strided = once_in(g, 12); /* all accesses to Dst are then of 32 bits */
    s->slot = VECTOR_DATA_SLOTS;
    vector_plan_start(g);
    uint32_t length = s->compact ? COMPACT_STEPS : LEAST_STEPS + below(g, MOST_STEPS - LEAST_STEPS);
    length = steps ? steps : length;
    const uint32_t end = g->program->steps + length;
    for (unsigned tries = 0; g->program->steps < end && tries < MOST_TRIES && g->program->ok;) {
        const struct rule *rule = rules_pick(g->rules, &g->random);
        tries = make_vector(g, s->thread, rule) ? 0 : tries + 1;
        if (s->narrow > 3 && once_in(g, s->narrow > LONG_NARROW ? 3 : LONG_NARROW)) {
            widen(g);
        }
        if (!s->compact && once_in(g, 10)) {
            make_batch(g);
        }
        if (!s->compact && once_in(g, 60)) {
            make_loop(g);
        }
        if (!s->compact && once_in(g, 150)) {
            push_levels(g);
        }
        if (!s->compact && once_in(g, 60)) {
            vector_change_config(g);
        }
    }
    free(s);
    g->scene = NULL;
}
