/*
 * Shrinking: first the loops are unrolled, if the difference survives it; then steps are dropped,
 * in long runs first, groups as a whole; then single steps, and last the operands become simple.
 * A candidate is kept when it shows a difference of the same kind.
 */
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

#include "expand.h"
#include "model.h"
#include "tensix/table.h"

enum { MOST_RUNS = 4000 };

struct shrinker {
    struct bench *bench;
    struct program best;
    enum ending ours, reference; /* how the runs of the best program ended */
    unsigned runs;
    bool ok;
};

/* Loops play what is there, and of a scene the model accepts every step. */
static bool is_legal(const struct program *program)
{
    struct model *model = program->scene ? malloc(sizeof *model) : NULL;
    bool ok = model ? model_accepts(model, program) : program_is_sound(program);
    free(model);
    return ok;
}

/* Takes the candidate over when it still shows the difference; frees it otherwise. */
static bool try_program(struct shrinker *s, struct program *candidate)
{
    s->ok = s->ok && candidate->ok;
    if (!s->ok || s->runs >= MOST_RUNS || !is_legal(candidate)) {
        program_free(candidate);
        return false;
    }
    s->runs++;
    enum verdict verdict = bench_run(s->bench, candidate);
    s->ok = verdict != VERDICT_TROUBLE;
    enum ending ours = s->bench->ours_left.ending, reference = s->bench->reference_left.ending;
    bool both_ended = ours == ENDED && reference == ENDED;
    if (verdict != VERDICT_DIFFERENT ||
        (!both_ended && (ours != s->ours || reference != s->reference))) {
        program_free(candidate);
        return false;
    }
    s->ours = ours;
    s->reference = reference;
    program_free(&s->best);
    s->best = *candidate;
    return true;
}

/* --- Dropping steps --- */

/* Marks what goes with the marked steps: their groups, and what needs those. */
static void close_over(const struct program *program, bool *drop, bool *gone, uint32_t groups)
{
    memset(gone, 0, (groups + 1u) * sizeof *gone);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < program->steps; i++) {
            const struct step *step = &program->step[i];
            if (drop[i] && step->group && !gone[step->group]) {
                gone[step->group] = more = true;
            }
            if (!drop[i] &&
                ((step->group && gone[step->group]) || (step->needs && gone[step->needs]))) {
                drop[i] = more = true;
            }
        }
    }
}

static uint32_t most_group(const struct program *program)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < program->steps; i++) {
        const struct step *step = &program->step[i];
        groups = step->group > groups ? step->group : groups;
        groups = step->needs > groups ? step->needs : groups;
    }
    return groups;
}

/* Tries to do without `length` steps from `first` on. */
static bool try_without(struct shrinker *s, uint32_t first, uint32_t length)
{
    const struct program *best = &s->best;
    uint32_t groups = most_group(best);
    bool *drop = calloc(best->steps + 1u, sizeof *drop), *gone = calloc(groups + 1u, sizeof *gone);
    struct program candidate;
    s->ok = s->ok && drop && gone && program_copy(&candidate, best);
    if (s->ok) {
        for (uint32_t i = first; i < best->steps && i < first + length; i++) {
            drop[i] = true;
        }
        close_over(best, drop, gone, groups);
        candidate.steps = 0;
        for (uint32_t i = 0; i < best->steps; i++) {
            if (!drop[i]) {
                candidate.step[candidate.steps++] = best->step[i];
            }
        }
    }
    free(drop);
    free(gone);
    return s->ok && try_program(s, &candidate);
}

static void drop_steps(struct shrinker *s)
{
    for (uint32_t length = (s->best.steps + 1) / 2; s->ok && length;) {
        bool progress = false;
        /* From the end: what comes late needs what comes early. */
        for (uint32_t end = s->best.steps; end > 0;) {
            uint32_t first = end > length ? end - length : 0;
            progress = try_without(s, first, end - first) || progress;
            end = first < s->best.steps ? first : s->best.steps;
        }
        length = progress && length <= 4 ? length : length / 2;
    }
}

/* Groups of one thread need not stay together once the program is small. */
static void dissolve_groups(struct shrinker *s)
{
    struct program *best = &s->best;
    for (uint32_t i = 0; i < best->steps; i++) {
        uint32_t group = best->step[i].group;
        bool alone = group != 0;
        for (uint32_t k = 0; alone && k < best->steps; k++) {
            alone = best->step[k].group != group || best->step[k].thread == best->step[i].thread;
        }
        for (uint32_t k = 0; alone && k < best->steps; k++) {
            best->step[k].group = best->step[k].group == group ? 0 : best->step[k].group;
            best->step[k].needs = best->step[k].needs == group ? 0 : best->step[k].needs;
        }
    }
}

static bool is_replay(const struct step *step, uint8_t thread)
{
    return (step_is_push(step) || step->kind == STEP_MOP) && step->thread == thread &&
           tensix_find(step->word) == TENSIX_ROW_REPLAY;
}

/* A REPLAY without place number `place` of a recording. */
static uint32_t without_place(uint32_t word, struct tensix_args_REPLAY recorded, uint32_t place)
{
    enum { INDEX_SHIFT = 14, COUNT_SHIFT = 4, INDEX_MASK = 31 };
    struct tensix_args_REPLAY replay = tensix_decode_REPLAY(word);
    uint32_t first = (replay.index - recorded.index) & INDEX_MASK;
    if (first >= recorded.count) {
        return word; /* of another recording */
    }
    if (place < first) {
        uint32_t index = (replay.index - 1u) & INDEX_MASK;
        return (word & ~((uint32_t)INDEX_MASK << INDEX_SHIFT)) | index << INDEX_SHIFT;
    }
    bool played = place < first + replay.count && replay.count > 1;
    return played ? word - (UINT32_C(1) << COUNT_SHIFT) : word;
}

/* Takes step `body`, place number `place` of the recording at `load`, away, and its place from
 * the REPLAYs. */
static bool try_without_recorded(struct shrinker *s, uint32_t load, uint32_t body, uint32_t place)
{
    struct program candidate;
    s->ok = s->ok && program_copy(&candidate, &s->best);
    if (!s->ok) {
        return false;
    }
    uint8_t thread = candidate.step[load].thread;
    struct tensix_args_REPLAY recorded = tensix_decode_REPLAY(candidate.step[load].word);
    for (uint32_t i = load; i < candidate.steps; i++) {
        if (is_replay(&candidate.step[i], thread)) {
            candidate.step[i].word = without_place(candidate.step[i].word, recorded, place);
        }
    }
    memmove(&candidate.step[body], &candidate.step[body + 1],
            (candidate.steps - body - 1) * sizeof candidate.step[0]);
    candidate.steps--;
    return try_program(s, &candidate);
}

static void drop_recorded_at(struct shrinker *s, uint32_t load)
{
    uint8_t thread = s->best.step[load].thread;
    uint32_t place = 0;
    for (uint32_t body = load + 1; s->ok && body < s->best.steps;) {
        const struct step *step = &s->best.step[body];
        if (place >= tensix_decode_REPLAY(s->best.step[load].word).count) {
            return;
        }
        if (!step_is_push(step) || step->thread != thread) {
            body++;
        } else if (!try_without_recorded(s, load, body, place)) {
            body++;
            place++;
        }
    }
}

static void drop_recorded(struct shrinker *s)
{
    for (uint32_t i = 0; s->ok && i < s->best.steps; i++) {
        const struct step *step = &s->best.step[i];
        if (step_is_push(step) && is_replay(step, step->thread) &&
            tensix_decode_REPLAY(step->word).load) {
            drop_recorded_at(s, i);
        }
    }
}

/* --- Simple values --- */

static bool try_step(struct shrinker *s, uint32_t at, struct step step)
{
    struct program candidate;
    if (!memcmp(&s->best.step[at], &step, sizeof step)) {
        return false;
    }
    s->ok = s->ok && program_copy(&candidate, &s->best);
    if (!s->ok) {
        return false;
    }
    candidate.step[at] = step;
    return try_program(s, &candidate);
}

/* Makes `bits` of a step's word 0, or as small as possible. */
static void simplify_bits(struct shrinker *s, uint32_t at, uint32_t bits)
{
    struct step step = s->best.step[at];
    step.word &= ~bits;
    if (try_step(s, at, step)) {
        return;
    }
    step.word |= bits & (~bits + 1); /* 1 */
    if (try_step(s, at, step)) {
        return;
    }
    for (uint32_t left = bits; left && s->ok; left &= left - 1) {
        step = s->best.step[at];
        uint32_t lowest = left & (~left + 1);
        if (step.word & lowest) {
            step.word &= ~lowest;
            try_step(s, at, step);
        }
    }
}

/* Operands that name something which belongs to one thread: where there are several threads,
 * another value could make a race. */
static bool names_owned(const char *operand)
{
    static const char *const names[] = {"cfg_index", "index4",        "semaphore_mask",
                                        "addr_lo",   "scratch_index", "index"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!strcmp(operand, names[i])) {
            return true;
        }
    }
    return false;
}

static bool has_one_thread(const struct program *program)
{
    for (uint32_t i = 1; i < program->steps; i++) {
        if (program->step[i].thread != program->step[0].thread) {
            return false;
        }
    }
    return true;
}

static void simplify_operands(struct shrinker *s, uint32_t at)
{
    int row = tensix_find(s->best.step[at].word);
    if (row < 0) {
        return;
    }
    const struct isa_format *format = tensix_rows[row].format;
    for (unsigned i = 0; i < ISA_MAX_FIELDS && format->field[i] && s->ok; i++) {
        uint32_t bits = isa_field_bits(format->field[i]) & ~tensix_rows[row].mask;
        if (bits & s->best.step[at].word && ((has_one_thread(&s->best) && !s->best.scene) ||
                                             !names_owned(format->field[i]->name))) {
            simplify_bits(s, at, bits);
        }
    }
}

static void simplify(struct shrinker *s)
{
    for (unsigned i = 0; i < THREADS && s->ok; i++) {
        struct program candidate;
        if (s->best.by_brisc[i] && (s->ok = program_copy(&candidate, &s->best))) {
            candidate.by_brisc[i] = false;
            try_program(s, &candidate);
        }
    }
    for (uint32_t at = 0; s->ok && at < s->best.steps; at++) {
        struct step step = s->best.step[at];
        if (step.kind == STEP_STORE) {
            step.kind = STEP_PUSH;
            try_step(s, at, step);
        }
        if (step.group) { /* hand-overs stay as they are */
            continue;
        }
        if (step_is_push(&step) || (step.kind == STEP_MOP && step.number > 1)) {
            simplify_operands(s, at);
        } else if (step.kind == STEP_GPR || step.kind == STEP_CONFIG || step.kind == STEP_MOP) {
            simplify_bits(s, at, UINT32_MAX);
        }
    }
}

bool program_shrink(struct bench *bench, const struct program *from, struct program *to)
{
    struct shrinker s = {.bench = bench, .ok = true};
    struct program candidate;
    program_init(&s.best);
    s.ours = bench->ours_left.ending;
    s.reference = bench->reference_left.ending;
    bool shows = program_copy(&candidate, from) && try_program(&s, &candidate);
    if (shows) {
        if (program_unroll(&candidate, &s.best)) {
            try_program(&s, &candidate);
        }
        drop_steps(&s);
        dissolve_groups(&s);
        drop_steps(&s);
        drop_recorded(&s);
        simplify(&s);
        drop_steps(&s);
        /* The bench holds the outcomes of the last candidate. */
        shows = s.ok && bench_run(bench, &s.best) == VERDICT_DIFFERENT;
    }
    *to = s.best;
    return shows;
}
