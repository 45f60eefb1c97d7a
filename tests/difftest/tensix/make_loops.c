/* Makers of MOP and REPLAY: loops over instructions that may be repeated. */
#include "generate.h"

#include <string.h>

#include "fence.h"

enum {
    REPLAY_WORDS = 32,
    MOST_PLAYS = 4,
    MOST_OUTER = 32, /* counts of template 1 that the reference takes */
    MOST_INNER = 64,
    MOST_ROUNDS = 32, /* of template 0 */
    MOP_WORDS = 9,
};

/* --- Replay --- */

struct recording {
    uint32_t index, count;
};

static uint32_t replay_word(uint32_t index, uint32_t count, bool load, bool executes)
{
    return instruction(TENSIX_ROW_REPLAY, "index", index % REPLAY_WORDS, "count", count, "exec",
                       (uint32_t)executes, "load", (uint32_t)load, NULL);
}

/* Fills in instructions, with the waits that they need among them, also from the end to the
 * start. */
static void fill_body(struct generator *g, unsigned thread, uint32_t *body, uint32_t count)
{
    struct fence fence = {.scalar = true, .config = true};
    for (uint32_t i = 0; i < count;) {
        uint32_t fences[MOST_FENCES], word;
        loop_word(g, thread, 0, &word);
        struct fence before = fence;
        unsigned extra = g->program->unfenced ? 0 : fence_before(&fence, word, fences);
        if (i + extra + 1 > count) {
            fence = before; /* no room: something that needs no wait */
            loop_word(g, thread, RULE_GPRS, &word);
            extra = fence_before(&fence, word, fences);
            extra = i + extra + 1 > count ? 0 : extra;
            word = extra || fence.recording ? word : instruction(TENSIX_ROW_DMANOP, NULL);
        }
        for (unsigned k = 0; k < extra; k++) {
            body[i++] = fences[k];
        }
        body[i++] = word;
    }
}

/* Records `count` instructions; the pushes are the recording. */
static struct recording record(struct generator *g, unsigned thread, uint32_t most)
{
    struct recording recording;
    uint32_t body[REPLAY_WORDS];
    bool executes = once_in(g, 2);
    recording.index = below(g, REPLAY_WORDS);
    recording.count = 1 + below(g, most);
    fill_body(g, thread, body, recording.count);
    add_push(g, thread, replay_word(recording.index, recording.count, true, executes));
    for (uint32_t i = 0; i < recording.count; i++) {
        add_push(g, thread, body[i]);
    }
    return recording;
}

/* Plays all of it, or a part. */
static uint32_t play_word(struct generator *g, struct recording recording, uint32_t *count)
{
    uint32_t skip = once_in(g, 2) ? 0 : below(g, recording.count);
    *count = once_in(g, 2) ? recording.count - skip : 1 + below(g, recording.count - skip);
    return replay_word(recording.index + skip, *count, false, false);
}

bool make_replay(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)rule;
    uint32_t total = 0, count, plays = below(g, MOST_PLAYS + 1);
    open_group(g);
    struct recording recording = record(g, thread, REPLAY_WORDS);
    for (uint32_t i = 0; i < plays; i++) {
        uint32_t word = play_word(g, recording, &count);
        total += count;
        if (total > MOST_EXPANSION / 2) {
            break;
        }
        add_push(g, thread, word);
        g->thread[thread].pushed += count;
    }
    return true;
}

/* --- MOP --- */

struct mop_plan {
    uint32_t word[MOP_WORDS];
    uint32_t length[MOP_WORDS]; /* instructions that the word stands for; NOPs count as one */
    struct recording recording; /* count 0: none */
};

static void plan_word(struct generator *g, unsigned thread, struct mop_plan *plan, unsigned number)
{
    uint32_t *word = &plan->word[number];
    plan->length[number] = 1;
    if (plan->recording.count && once_in(g, 2)) {
        *word = play_word(g, plan->recording, &plan->length[number]);
    } else if (once_in(g, 8)) {
        *word = instruction(TENSIX_ROW_NOP, NULL);
    } else {
        loop_word(g, thread, RULE_GPRS, word);
        /* What a recording does in the Config unit would race with the Scalar unit. */
        int row = tensix_find(*word);
        if (plan->recording.count && row >= 0 && tensix_row_infos[row].unit == TENSIX_UNIT_SCALAR) {
            *word = instruction(TENSIX_ROW_INCRWC, "src_a_inc", (uint32_t)1 + below(g, 15), NULL);
        }
    }
}

static void add_words(struct generator *g, unsigned thread, const struct mop_plan *plan,
                      unsigned first)
{
    for (unsigned i = first; i < MOP_WORDS; i++) {
        add_step(g, thread, STEP_MOP, i, plan->word[i]);
    }
}

static void template_zero(struct generator *g, unsigned thread, struct mop_plan *plan)
{
    enum { FIRST = 1, HAS_B = 1, HAS_A123 = 2 };
    uint32_t flags = plan->word[FIRST] = below(g, 4), each = plan->length[7];
    uint32_t other = plan->length[3];
    for (unsigned i = 4; flags & HAS_A123 && i <= 6; i++) {
        other += plan->length[i];
    }
    other += flags & HAS_B ? plan->length[2] : 0;
    each += flags & HAS_B ? plan->length[8] : 0;
    each = other > each ? other : each;
    uint32_t most = MOST_EXPANSION / each;
    most = most > MOST_ROUNDS ? MOST_ROUNDS : most;
    add_words(g, thread, plan, FIRST);
    if (once_in(g, 2)) {
        add_push(g, thread,
                 instruction(TENSIX_ROW_MOP_CFG, "mask_hi", random_bits(&g->random, 16), NULL));
    }
    uint32_t count = once_in(g, 4) ? most : 1 + below(g, most);
    add_push(g, thread,
             instruction(TENSIX_ROW_MOP, "count1", count - 1, "mask_lo",
                         random_bits(&g->random, 16), NULL));
    g->thread[thread].pushed += count * each;
}

static void template_one(struct generator *g, unsigned thread, struct mop_plan *plan)
{
    enum { OUTER, INNER, START, END0, END1, LOOP0, LOOP1, LAST_OF_ALL, LAST_OF_INNER };
    for (unsigned i = START; i <= LAST_OF_INNER; i++) {
        bool optional = i == START || i == END0 || i == END1 || i == LOOP1;
        if (optional && once_in(g, 2)) {
            plan->word[i] = instruction(TENSIX_ROW_NOP, NULL);
            plan->length[i] = 0;
        }
    }
    uint32_t outside = plan->length[START] + plan->length[END0] + plan->length[END1] +
                       plan->length[LAST_OF_ALL] + plan->length[LAST_OF_INNER];
    uint32_t inside = plan->length[LOOP0] + plan->length[LOOP1];
    uint32_t most_outer = MOST_EXPANSION / (outside + inside);
    most_outer = most_outer > MOST_OUTER ? MOST_OUTER : most_outer;
    uint32_t outer = once_in(g, 4) ? most_outer : 1 + below(g, most_outer);
    uint32_t most_inner = (MOST_EXPANSION / outer - outside) / inside;
    most_inner = most_inner > MOST_INNER ? MOST_INNER : most_inner;
    uint32_t inner = once_in(g, 4) ? most_inner : 1 + below(g, most_inner);
    plan->word[OUTER] = outer;
    plan->word[INNER] = inner;
    add_words(g, thread, plan, OUTER);
    add_push(g, thread, instruction(TENSIX_ROW_MOP, "template_number", UINT32_C(1), NULL));
    g->thread[thread].pushed += outer * (outside + inner * inside);
}

bool make_mop(struct generator *g, unsigned thread, const struct rule *rule)
{
    struct mop_plan plan = {.recording = {0, 0}};
    (void)rule;
    open_group(g);
    if (once_in(g, 2)) {
        plan.recording = record(g, thread, REPLAY_WORDS / 2);
    }
    for (unsigned i = 0; i < MOP_WORDS; i++) {
        plan_word(g, thread, &plan, i);
    }
    if (once_in(g, 2)) {
        template_zero(g, thread, &plan);
    } else {
        template_one(g, thread, &plan);
    }
    return true;
}
