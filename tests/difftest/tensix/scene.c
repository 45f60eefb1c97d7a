/* Scenes of the data path: what is tried on the model and then added to a program; see scene.h. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "tensix/config/regs.h"

enum { MOST_TRIES = 60, LEAST_SEGMENT = 60, MOST_SEGMENT = 300, SMALL_SEGMENT = 8 };

/* --- Trying --- */

void batch_add(struct batch *batch, uint32_t word)
{
    if (batch->words < MOST_BATCH) {
        batch->word[batch->words++] = word;
    }
}

/* Does the model accept the batch so many times in a row? The trial is then behind it. */
static bool accepts(struct scene *scene, const struct batch *batch, unsigned times)
{
    for (unsigned i = 0; i < times * batch->words; i++) {
        if (!model_execute(&scene->trial, scene->thread, batch->word[i % batch->words])) {
            return false;
        }
    }
    return true;
}

static void add_batch(struct generator *g, const struct batch *batch)
{
    for (unsigned i = 0; i < batch->words; i++) {
        add_push(g, g->scene->thread, batch->word[i]);
    }
}

/* Records the batch, and plays it as often as the model accepts. The trial is behind it. */
static void add_replayed(struct generator *g, const struct batch *batch)
{
    enum { PLACES = 32, MOST_PLAYS = 4 };
    struct scene *scene = g->scene;
    uint32_t index = below(g, PLACES), count = batch->words;
    open_group(g);
    add_push(g, scene->thread,
             instruction(TENSIX_ROW_REPLAY, "index", index, "count", count, "exec", UINT32_C(1),
                         "load", UINT32_C(1), NULL));
    add_batch(g, batch);
    uint32_t group = g->group;
    close_group(g);
    scene->model = scene->trial;
    for (unsigned i = 0; i < MOST_PLAYS && accepts(scene, batch, 1); i++) {
        scene->model = scene->trial;
        g->needs = group;
        add_push(g, scene->thread,
                 instruction(TENSIX_ROW_REPLAY, "index", index, "count", count, NULL));
        g->needs = 0;
    }
}

bool scene_try(struct generator *g, const struct batch *batch)
{
    enum { MOST_RECORDED = 16 };
    struct scene *scene = g->scene;
    scene->trial = scene->model;
    if (!accepts(scene, batch, 1)) {
        return false;
    }
    if (batch->words > 1 && batch->words <= MOST_RECORDED && once_in(g, 12) && !g->group) {
        add_replayed(g, batch);
        return true;
    }
    scene->model = scene->trial;
    add_batch(g, batch);
    return true;
}

bool scene_try_loop(struct generator *g, uint32_t word, uint32_t last, uint32_t outer,
                    uint32_t inner)
{
    enum { NOP = TENSIX_OPCODE_NOP << 24, TEMPLATE_LOOP = 1, WORDS = 9 };
    struct scene *scene = g->scene;
    struct batch body = {.words = 0}, end = {{last}, 1};
    const uint32_t config[WORDS] = {outer, inner, NOP, NOP, NOP, word, NOP, last, last};
    batch_add(&body, word);
    scene->trial = scene->model;
    for (uint32_t i = 0; i < outer; i++) {
        if (!accepts(scene, &body, inner - 1) || !accepts(scene, &end, 1)) {
            return false;
        }
    }
    scene->model = scene->trial;
    open_group(g);
    for (unsigned i = 0; i < WORDS; i++) {
        add_step(g, scene->thread, STEP_MOP, i, config[i]);
    }
    add_push(g, scene->thread,
             instruction(TENSIX_ROW_MOP, "template_number", (uint32_t)TEMPLATE_LOOP, NULL));
    close_group(g);
    return true;
}

bool scene_try_word(struct generator *g, uint32_t word)
{
    struct batch batch = {{word}, 1};
    return scene_try(g, &batch);
}

/* --- Configuration --- */

void scene_plan(struct scene *scene, enum tensix_field_id id, uint32_t value)
{
    const struct tensix_field *field = &tensix_fields[id];
    uint32_t mask = tensix_field_ones(field->width < 32 ? field->width : 32) << field->shift;
    uint32_t *word = &scene->want[field->word];
    *word = (*word & ~mask) | (value << field->shift & mask);
}

static void add_and_follow(struct generator *g, enum step_kind kind, unsigned number, uint32_t word)
{
    add_step(g, g->scene->thread, kind, number, word);
    model_step(&g->scene->model, &(struct step){.kind = kind,
                                                .thread = (uint8_t)g->scene->thread,
                                                .number = (uint16_t)number,
                                                .word = word});
}

/* Harts reach state 0; instructions the state that the thread uses. */
static void write_word(struct generator *g, unsigned word, uint32_t value)
{
    if (g->scene->state == 0 && !once_in(g, 8)) {
        add_and_follow(g, STEP_CONFIG, word, value);
        return;
    }
    uint32_t gpr = below(g, GPRS);
    add_and_follow(g, STEP_GPR, gpr, value);
    scene_try_word(
        g, instruction(TENSIX_ROW_WRCFG, "input_reg", gpr, "cfg_index", (uint32_t)word, NULL));
}

void scene_flush(struct generator *g)
{
    struct scene *scene = g->scene;
    for (unsigned word = 0; word < CONFIG_WORDS; word++) {
        enum word_access access = config_words[word].access;
        if (access == WORD_NONE || access == WORD_RO || access == WORD_SCRATCH ||
            access == WORD_SEED) {
            continue;
        }
        uint32_t value = scene->want[word] & config_words[word].legal;
        if (value != scene->model.config[scene->state][word]) {
            write_word(g, word, value);
        }
    }
}

void scene_set16(struct generator *g, unsigned index, uint32_t value)
{
    if (g->scene->model.thread_config[g->scene->thread][index] != value) {
        scene_try_word(g, instruction(TENSIX_ROW_SETC16, "cfg_index", (uint32_t)index, "new_value",
                                      value, NULL));
    }
}

/* --- The whole --- */

static void close_tile(struct generator *g)
{
    struct scene *scene = g->scene;
    if (scene->model.in_tile) {
        /* Without masks, one row from the start of Dst ends it wherever it was. */
        scene_plan(scene, TENSIX_FIELD_PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
        scene_plan(scene, TENSIX_FIELD_PCK_EDGE_OFFSET_SEC1_mask, 0xffff);
        scene_flush(g);
        struct batch batch = {.words = 0};
        batch_add(&batch, instruction(TENSIX_ROW_SETADCXX, "cnt_set_mask", UINT32_C(4), "x1_val",
                                      UINT32_C(15), NULL));
        batch_add(&batch, instruction(TENSIX_ROW_SETADCXY, "cnt_set_mask", UINT32_C(4), "bit_mask",
                                      UINT32_C(10), NULL));
        batch_add(&batch, instruction(TENSIX_ROW_SETADCZW, "cnt_set_mask", UINT32_C(4), "bit_mask",
                                      UINT32_C(15), NULL));
        batch_add(&batch, instruction(TENSIX_ROW_PACR, "read_intf_sel", UINT32_C(1), "last",
                                      UINT32_C(1), NULL));
        scene_try(g, &batch);
    }
}

static void run_segment(struct generator *g, uint32_t steps)
{
    scene_plan_segment(g); /* its steps do not count */
    const uint32_t end = g->program->steps + steps;
    for (unsigned tries = 0; g->program->steps < end && tries < MOST_TRIES && g->program->ok;) {
        const struct rule *rule = rules_pick(g->rules, &g->random);
        bool made = scene_makers[rule->maker](g, g->scene->thread, rule);
        tries = made ? 0 : tries + 1;
        if (once_in(g, 40)) {
            scene_aim_unpackers(g);
        }
    }
    close_tile(g);
}

void scene_generate(struct generator *g, uint32_t steps)
{
    struct scene *scene = calloc(1, sizeof *scene);
    if (!scene) {
        g->program->ok = false;
        return;
    }
    g->scene = scene;
    g->program->scene = true;
    model_init(&scene->model);
    /* With context_adc 0, which is all that it accepts, the reference uses the ADC of the thread,
     * and the pages want that of T0. */
    scene->thread = 0;
    scene->compact = g->options->compact;
    scene->strided = once_in(g, 8);
    scene->state = once_in(g, 8);
    if (scene->state) {
        scene_set16(g, TENSIX_WORD_CFG_STATE_ID_StateID, 1);
    }
    unsigned segments = scene->compact ? 1 : 1 + below(g, SCENE_SEGMENTS);
    for (unsigned i = 0; i < segments && g->program->ok; i++) {
        scene->segment = i;
        uint32_t size =
            scene->compact ? SMALL_SEGMENT : LEAST_SEGMENT + below(g, MOST_SEGMENT - LEAST_SEGMENT);
        run_segment(g, steps ? steps / segments : size);
    }
    free(scene);
    g->scene = NULL;
}
