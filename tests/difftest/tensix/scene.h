/*
 * Scenes: programs of the data path. A scene has one thread and some segments; a segment sets the
 * formats, strides and modes of unpackers, Matrix Unit and packer so that they fit each other, has
 * data in L1 of its own, and goes on with random instructions. Each is proposed to the model
 * (model.h) first and becomes part of the program only when the model accepts it; what an
 * instruction needs in front (data in Src, counters at a legal row, an open tile) comes with it.
 */
#ifndef DIFFTEST_TENSIX_SCENE_H
#define DIFFTEST_TENSIX_SCENE_H

#include "generate.h"
#include "model.h"
#include "tensix/config/regs.h"

enum { MOST_BATCH = 40, SCENE_SEGMENTS = 4 };

/* Instructions that are tried together. */
struct batch {
    uint32_t word[MOST_BATCH];
    unsigned words;
};

struct scene {
    struct model model, trial;
    uint32_t want[CONFIG_WORDS]; /* the configuration that the segment plans */
    unsigned thread, state, segment;
    bool started; /* all planned words have been written once */
    bool compact;
    bool strided; /* Dst is accessed by the packer with remapping */

    /* Of programs of the Vector Unit. */
    unsigned slot;      /* that was stored to */
    unsigned narrow;    /* instructions since all lanes were known to be enabled */
    uint32_t last_word; /* of the Vector Unit */
};

/* Makes a scene of about so many steps in g->program; g->rules are those of scenes. */
void scene_generate(struct generator *g, uint32_t steps);

/* Adds a word to a batch. */
void batch_add(struct batch *batch, uint32_t word);

/* Adds the batch to the program if the model accepts all of it. */
bool scene_try(struct generator *g, const struct batch *batch);
bool scene_try_word(struct generator *g, uint32_t word);

/* Adds a MOP of `outer` times `inner` - 1 words and the other as the last. */
bool scene_try_loop(struct generator *g, uint32_t word, uint32_t last, uint32_t outer,
                    uint32_t inner);

/* Plans a field of Config; flushes what is planned and not yet so. */
void scene_plan(struct scene *scene, enum tensix_field_id id, uint32_t value);
void scene_flush(struct generator *g);

/* Sets a word of ThreadConfig if it is not so already. */
void scene_set16(struct generator *g, unsigned index, uint32_t value);

/* scene_plan.c: a segment's configuration and data. */
void scene_plan_segment(struct generator *g);
void scene_aim_unpackers(struct generator *g); /* new contexts, strides and addresses */

/* make_scene.c: gives the Matrix Unit a bank of SrcA or SrcB. */
bool scene_provide(struct generator *g, unsigned src, bool ones);

#endif
