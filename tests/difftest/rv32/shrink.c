/*
 * Comparing and shrinking. Shrinking removes runs of elements, long ones first, and keeps a
 * removal when the machines still differ; it ends when no single element can go. Removing may
 * make a program endless or send it astray; then neither machine ends well and the removal is
 * not kept. Neither is one after which the machines differ in another way, such
 * as a misaligned access, which qemu allows and our harts do not.
 */
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 30, IMPATIENCE = 2 }; /* seconds for a run of qemu */

bool bench_create(struct bench *bench, const char *qemu_path)
{
    *bench = (struct bench){.mutant = -1, .qemu = {.path = qemu_path, .cpu_seconds = PATIENCE}};
    bench->board = board_create();
    bool ok = bench->board;
    ok = outcome_create(&bench->step) && ok;
    ok = outcome_create(&bench->burst) && ok;
    ok = outcome_create(&bench->qemu_left) && ok;
    return ok;
}

void bench_destroy(struct bench *bench)
{
    if (bench->board) {
        board_destroy(bench->board);
    }
    outcome_free(&bench->step);
    outcome_free(&bench->burst);
    outcome_free(&bench->qemu_left);
}

enum verdict bench_compare(struct bench *bench, const struct image *image, uint64_t most,
                           struct random *random, uint64_t *hits)
{
    if (!qemu_start(&bench->qemu, image)) {
        return VERDICT_TROUBLE;
    }
    board_step(bench->board, image, most, bench->mutant, hits, &bench->step);
    bool bursts = bench->mutant < 0;
    if (bursts) {
        board_burst(bench->board, image, most, random, &bench->burst);
    }
    if (bench->impatient && bench->step.ending == ENDED_NEVER) {
        qemu_kill(&bench->qemu);
    }
    qemu_finish(&bench->qemu, image, &bench->qemu_left);
    if (outcome_equal(&bench->step, &bench->qemu_left) &&
        (!bursts || (outcome_equal(&bench->burst, &bench->qemu_left) &&
                     bench->burst.retired == bench->step.retired))) {
        return VERDICT_SAME;
    }
    if (bench->step.ending != ENDED && bench->qemu_left.ending != ENDED) {
        return VERDICT_USELESS;
    }
    return VERDICT_DIFFERENT;
}

/* --- Shrinking --- */

struct shrinker {
    struct bench *bench;
    const struct program *program;
    struct choice *choice;
    uint32_t *removed;                    /* elements of the run that is tried */
    enum ending hart_ending, qemu_ending; /* of the program so far */
};

static bool still_differs(struct shrinker *s)
{
    struct image image;
    struct random random = {0};
    if (!image_link(&image, s->program, s->choice)) {
        return false;
    }
    enum verdict verdict =
        bench_compare(s->bench, &image, s->program->most_instructions, &random, NULL);
    image_free(&image);
    enum ending hart = s->bench->step.ending, qemu = s->bench->qemu_left.ending;
    bool both_ended = hart == ENDED && qemu == ENDED; /* nothing shows a wrong result better */
    if (verdict != VERDICT_DIFFERENT ||
        (!both_ended && (hart != s->hart_ending || qemu != s->qemu_ending))) {
        return false;
    }
    s->hart_ending = hart;
    s->qemu_ending = qemu;
    return true;
}

/* Tries to do without `length` present elements from `*at` on; *at goes behind them. */
static bool try_without(struct shrinker *s, uint32_t *at, uint32_t length)
{
    uint32_t count = 0;
    for (; *at < s->choice->elements && count < length; ++*at) {
        if (s->choice->present[*at]) {
            s->removed[count++] = *at;
            s->choice->present[*at] = false;
        }
    }
    if (!count) {
        return false;
    }
    if (still_differs(s)) {
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        s->choice->present[s->removed[i]] = true;
    }
    return false;
}

static uint32_t count_present(const struct choice *choice)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->elements; i++) {
        count += choice->present[i];
    }
    return count;
}

static void shrink_all(struct shrinker *s)
{
    uint32_t length = s->choice->elements / 2;
    for (;;) {
        bool progress = false;
        for (uint32_t at = 0; at < s->choice->elements;) {
            progress = try_without(s, &at, length) || progress;
        }
        if (length == 1 && !progress) {
            return;
        }
        uint32_t present = count_present(s->choice);
        length = length > present ? present : length;
        length = progress && length <= 4 ? length : length / 2;
        length = length ? length : 1;
    }
}

bool program_shrink(struct bench *bench, const struct program *program, struct choice *choice)
{
    struct shrinker s = {.bench = bench,
                         .program = program,
                         .choice = choice,
                         .hart_ending = bench->step.ending,
                         .qemu_ending = bench->qemu_left.ending};
    choice->elements = program_elements(program);
    choice->present = malloc(choice->elements * sizeof *choice->present);
    s.removed = malloc(choice->elements * sizeof *s.removed);
    if (!choice->present || !s.removed) {
        free(choice->present);
        free(s.removed);
        choice->present = NULL;
        return false;
    }
    memset(choice->present, true, choice->elements * sizeof *choice->present);
    struct qemu qemu = bench->qemu;
    bench->qemu.quiet = true;
    bench->impatient = s.hart_ending != ENDED_NEVER;
    bench->qemu.cpu_seconds = IMPATIENCE;
    if (still_differs(&s)) {
        shrink_all(&s);
    }
    bench->qemu = qemu;
    bench->impatient = false;
    free(s.removed);
    return true;
}
