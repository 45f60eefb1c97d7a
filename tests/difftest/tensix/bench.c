#include "bench.h"

#include <inttypes.h>
#include <string.h>

#include "epilogue.h"
#include "tensix/config/regs.h"

void bench_init(struct bench *bench, const struct state_map *map, const char *ours,
                const char *reference, unsigned timeout)
{
    *bench = (struct bench){.map = map};
    side_init(&bench->ours, TESTER, ours, "ours", timeout);
    side_init(&bench->reference, TESTER, reference, "reference", timeout);
}

void bench_stop(struct bench *bench)
{
    side_stop(&bench->ours);
    side_stop(&bench->reference);
}

bool bench_run_side(struct bench *bench, struct side *side, const struct program *program,
                    struct outcome *outcome)
{
    struct image image;
    image_link(&image, program, bench->map, side == &bench->ours ? bench->mutant : NULL);
    bool ok = image.ok ||
              side_trouble(side, "the program is too long, or there is no memory", bench->trouble);
    if (ok && !run_start(side, &image, outcome)) {
        ok = side_trouble(side, outcome->message, bench->trouble);
    }
    if (ok) {
        run_finish(side, &image, bench->map, outcome);
    }
    image_free(&image);
    return ok;
}

static enum verdict judge(const struct bench *bench)
{
    const struct outcome *ours = &bench->ours_left, *reference = &bench->reference_left;
    enum verdict verdict = ending_judge(ours->ending, reference->ending);
    if (verdict == VERDICT_SAME && !outcome_equal(bench->map, ours, reference)) {
        verdict = VERDICT_DIFFERENT;
    }
    return verdict;
}

enum verdict bench_run(struct bench *bench, const struct program *program)
{
    struct image ours, reference;
    image_link(&ours, program, bench->map, bench->mutant);
    image_link(&reference, program, bench->map, NULL);
    bool ok = (ours.ok && reference.ok) ||
              side_trouble(&bench->ours, "the program is too long, or there is no memory",
                           bench->trouble);
    bool started[2] = {false, false};
    if (ok) {
        started[0] = run_start(&bench->ours, &ours, &bench->ours_left) ||
                     side_trouble(&bench->ours, bench->ours_left.message, bench->trouble);
        started[1] = run_start(&bench->reference, &reference, &bench->reference_left) ||
                     side_trouble(&bench->reference, bench->reference_left.message, bench->trouble);
    }
    if (started[0]) {
        run_finish(&bench->ours, &ours, bench->map, &bench->ours_left);
    }
    if (started[1]) {
        run_finish(&bench->reference, &reference, bench->map, &bench->reference_left);
    }
    image_free(&ours);
    image_free(&reference);
    return started[0] && started[1] ? judge(bench) : VERDICT_TROUBLE;
}

/* --- Printing --- */

/* The names of the configuration fields that differ, for an item "config[0][12]". */
static void print_fields(const struct item *item, uint32_t difference, FILE *to)
{
    char names[200];
    unsigned state, word;
    if (sscanf(item->name, "config[%u][%u]", &state, &word) == 2 &&
        tensix_field_names(false, word, difference, names, sizeof names) > 0) {
        fprintf(to, "  (%s)", names);
    }
}

static void print_logs(const struct bench *bench, const struct program *program, FILE *to)
{
    uint32_t at = 0;
    for (unsigned thread = 0; thread < THREADS; thread++) {
        for (uint32_t i = 0; i < program->steps; i++) {
            const struct step *step = &program->step[i];
            if (step->kind != STEP_SAMPLE || step->thread != thread || at >= MOST_LOG) {
                continue;
            }
            uint32_t ours = bench->ours_left.log[at], reference = bench->reference_left.log[at];
            at++;
            if (ours != reference) {
                fprintf(to,
                        "# T%u's sample of %s, step %" PRIu32 ": ours 0x%" PRIx32
                        ", reference 0x%" PRIx32 "\n",
                        thread, state_probe_name(bench->map, step->number), i, ours, reference);
            }
        }
    }
}

/* What differs of Dst, Src and packed L1. */
static void print_scene(const struct bench *bench, const struct program *program, FILE *to)
{
    bool wide = program->scene && !program->vector && epilogue_is_wide(program);
    enum { MOST_LINES = 24 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < bench->ours_left.scene_words; i++) {
        uint32_t ours = bench->ours_left.scene[i], reference = bench->reference_left.scene[i];
        char name[NAME_SIZE];
        if (ours == reference || (++count > MOST_LINES && !bench->verbose)) {
            continue;
        }
        if (program->vector) {
            epilogue_vector_name(i, name, sizeof name);
        } else {
            epilogue_name(i, wide, name, sizeof name);
        }
        fprintf(to, "# %s: ours 0x%08" PRIx32 ", reference 0x%08" PRIx32 "\n", name, ours,
                reference);
    }
    if (count > MOST_LINES && !bench->verbose) {
        fprintf(to, "# and %" PRIu32 " more\n", count - MOST_LINES);
    }
}

void bench_print(const struct bench *bench, const struct program *program, FILE *to)
{
    const struct outcome *ours = &bench->ours_left, *reference = &bench->reference_left;
    ending_print(ours->ending, "ours", ours->ending == ENDED ? "" : ours->message, to);
    ending_print(reference->ending, "reference",
                 reference->ending == ENDED ? "" : reference->message, to);
    for (unsigned i = 0;
         ours->ending == ENDED && reference->ending == ENDED && i < bench->map->items; i++) {
        const struct item *item = &bench->map->item[i];
        uint32_t a = state_item_value(item, ours->dump);
        uint32_t b = state_item_value(item, reference->dump);
        if (a != b) {
            fprintf(to, "# %s: ours 0x%" PRIx32 ", reference 0x%" PRIx32, item->name, a, b);
            print_fields(item, a ^ b, to);
            fputc('\n', to);
        }
    }
    if (ours->ending == ENDED && reference->ending == ENDED) {
        print_logs(bench, program, to);
        print_scene(bench, program, to);
    }
    program_print(program, NULL, bench->map, to);
}
