/*
 * Shrinking: transactions are dropped, in long runs first, then agents, phases and memories that
 * are not needed; last, what is left becomes short and simple. A candidate is kept when it shows a
 * difference, and the runs end in the same way (a death must not become another one).
 */
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 3000 };

struct shrinker {
    struct bench *bench;
    struct program best;
    enum ending ours, reference; /* how the runs of the best program ended */
    unsigned runs;
    bool ok;
};

/* Takes the candidate over when it still shows the difference; frees it otherwise. */
static bool try_program(struct shrinker *s, struct program *candidate)
{
    s->ok = s->ok && candidate->ok;
    if (!s->ok || s->runs >= MOST_RUNS || program_fault(candidate)) {
        program_free(candidate);
        return false;
    }
    s->runs++;
    enum verdict verdict = bench_run(s->bench, candidate);
    s->ok = verdict != VERDICT_TROUBLE;
    if (verdict != VERDICT_DIFFERENT || s->bench->ours_left.ending != s->ours ||
        s->bench->reference_left.ending != s->reference) {
        program_free(candidate);
        return false;
    }
    program_free(&s->best);
    s->best = *candidate;
    return true;
}

static bool copy_best(struct shrinker *s, struct program *candidate)
{
    s->ok = s->ok && program_copy(candidate, &s->best);
    return s->ok;
}

/* --- Dropping --- */

static bool try_without(struct shrinker *s, uint32_t first, uint32_t length)
{
    struct program candidate;
    if (!copy_best(s, &candidate)) {
        return false;
    }
    uint32_t end =
        first + length < candidate.transactions ? first + length : candidate.transactions;
    memmove(&candidate.transaction[first], &candidate.transaction[end],
            (candidate.transactions - end) * sizeof candidate.transaction[0]);
    candidate.transactions -= end - first;
    return try_program(s, &candidate);
}

static void drop_transactions(struct shrinker *s)
{
    for (uint32_t length = (s->best.transactions + 1) / 2; s->ok && length;) {
        bool progress = false;
        for (uint32_t end = s->best.transactions; end > 0 && s->ok;) {
            uint32_t first = end > length ? end - length : 0;
            progress = try_without(s, first, end - first) || progress;
            end = first < s->best.transactions ? first : s->best.transactions;
        }
        length = progress && length <= 2 ? length : length / 2;
    }
}

/* A phase without transactions goes; later ones move up. */
static bool try_without_phase(struct shrinker *s, uint64_t phase)
{
    struct program candidate;
    if (s->best.phases < 2 || !copy_best(s, &candidate)) {
        return false;
    }
    candidate.phases--;
    for (uint32_t i = 0; i < candidate.transactions; i++) {
        if (candidate.transaction[i].phase == phase) {
            program_free(&candidate);
            return false;
        }
        candidate.transaction[i].phase -= candidate.transaction[i].phase > phase;
    }
    for (uint32_t i = 0; i < candidate.agents; i++) {
        candidate.agent[i].first -= candidate.agent[i].first > phase;
        if (candidate.agent[i].first == candidate.phases) {
            candidate.agent[i].first--;
        }
    }
    return try_program(s, &candidate);
}

static void drop_agents(struct shrinker *s)
{
    for (uint32_t agent = s->best.agents; s->ok && agent-- > 1;) {
        struct program candidate;
        if (copy_best(s, &candidate)) {
            program_drop_agent(&candidate, agent);
            try_program(s, &candidate);
        }
    }
}

/* Memories behind the arena's that no transaction reaches. */
static void drop_memories(struct shrinker *s)
{
    for (uint32_t memory = s->best.memories; s->ok && memory-- > program_tiles(&s->best);) {
        struct program candidate;
        bool is_used = false;
        for (uint32_t i = 0; i < s->best.transactions; i++) {
            const struct transaction *t = &s->best.transaction[i];
            is_used = is_used || t->there == memory || t->next == memory;
        }
        for (uint32_t i = 0; i < s->best.agents; i++) {
            is_used = is_used || s->best.agent[i].tile == memory;
        }
        if (is_used || !copy_best(s, &candidate)) {
            continue;
        }
        candidate.memories--;
        for (uint32_t i = 0; i < candidate.agents; i++) {
            candidate.agent[i].tile -= candidate.agent[i].tile > memory;
        }
        memmove(&candidate.memory[memory], &candidate.memory[memory + 1],
                (candidate.memories - memory) * sizeof candidate.memory[0]);
        for (uint32_t i = 0; i < candidate.transactions; i++) {
            candidate.transaction[i].there -= candidate.transaction[i].there > memory;
            candidate.transaction[i].next -= candidate.transaction[i].next > memory;
        }
        try_program(s, &candidate);
    }
}

/* --- Simple values --- */

/* Fields that may become 0 without a race. */
static const size_t simple_fields[] = {
    offsetof(struct transaction, posted), offsetof(struct transaction, linked),
    offsetof(struct transaction, fixed),  offsetof(struct transaction, sparse),
    offsetof(struct transaction, id),     offsetof(struct transaction, port),
};

static void simplify_transaction(struct shrinker *s, uint32_t at)
{
    struct program candidate;
    for (size_t i = 0; i < sizeof simple_fields / sizeof simple_fields[0]; i++) {
        uint64_t value;
        memcpy(&value, (char *)&s->best.transaction[at] + simple_fields[i], sizeof value);
        if (value && copy_best(s, &candidate)) {
            memset((char *)&candidate.transaction[at] + simple_fields[i], 0, sizeof value);
            try_program(s, &candidate);
        }
    }
    while (s->best.transaction[at].length > 4 && copy_best(s, &candidate)) {
        candidate.transaction[at].length /= 2;
        if (!try_program(s, &candidate)) {
            break;
        }
    }
}

static void simplify(struct shrinker *s)
{
    static const size_t fields[] = {offsetof(struct program, columns_off),
                                    offsetof(struct program, rows_off),
                                    offsetof(struct program, multicast_go)};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct program candidate;
        if (copy_best(s, &candidate)) {
            memset((char *)&candidate + fields[i], 0, sizeof(uint64_t));
            try_program(s, &candidate);
        }
    }
    for (uint32_t at = 0; s->ok && at < s->best.transactions; at++) {
        simplify_transaction(s, at);
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
        drop_transactions(&s);
        drop_agents(&s);
        for (uint64_t phase = s.best.phases; phase-- > 0;) {
            try_without_phase(&s, phase);
        }
        drop_memories(&s);
        simplify(&s);
        drop_transactions(&s);
        /* The bench holds the outcomes of the last candidate. */
        shows = s.ok && bench_run(bench, &s.best) == VERDICT_DIFFERENT;
    }
    *to = s.best;
    return shows;
}
