#include "golden.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expand.h"

enum { MOST_TRIES = 400, FAVOUR = 2, ERROR_SIZE = 256 };

/* --- Recording --- */

struct search {
    int row;
    bool found;
};

static void look(void *context, uint32_t step, uint8_t thread, uint32_t word)
{
    struct search *search = context;
    (void)step;
    (void)thread;
    search->found = search->found || tensix_find(word) == search->row;
}

static bool executes(const struct program *program, unsigned row)
{
    struct search search = {.row = (int)row};
    program_expand(program, look, &search);
    return search.found;
}

/* The same rules with one row as likely as all others together. */
static void favour(struct rules *to, const struct rules *from, const struct rule *rule)
{
    *to = *from;
    unsigned others = from->total > rule->weight ? from->total - rule->weight : 1;
    for (unsigned i = 0; i < to->rules; i++) {
        if (to->rule[i].row == rule->row && to->rule[i].when == rule->when) {
            to->rule[i].weight = (uint16_t)(FAVOUR * others);
            to->total = others + (unsigned)to->rule[i].weight;
            to->in_use[i] = true;
        }
    }
}

/* Does the outcome differ from that of an empty program? */
static bool shows_something(const struct state_map *map, const struct outcome *outcome)
{
    for (unsigned i = 0; i < map->items; i++) {
        if (state_item_value(&map->item[i], outcome->dump) != map->item[i].reset) {
            return true;
        }
    }
    return false;
}

/* The next case of a row; false: there is none, or trouble. */
static bool record_case(struct bench *bench, const struct rules *rules, const struct rule *rule,
                        uint64_t seed, unsigned *number, FILE *to)
{
    const struct generate_options options = {.compact = true, .family = rule_family(rule)};
    bool written = false, ok = true;
    for (unsigned last = *number + MOST_TRIES; ok && !written && *number < last; ++*number) {
        struct program program;
        program_generate(&program, rules, bench->map, seed + rule->row, *number, &options);
        ok = program.ok;
        if (ok && executes(&program, rule->row)) {
            ok = bench_run_side(bench, &bench->reference, &program, &bench->reference_left);
            written = ok && bench->reference_left.ending == ENDED &&
                      shows_something(bench->map, &bench->reference_left);
        }
        if (written) {
            program_print(&program, &bench->reference_left, bench->map, to);
        }
        program_free(&program);
    }
    return written;
}

static enum golden_result record_row(struct bench *bench, const struct rules *rules,
                                     const struct rule *rule, uint64_t seed, unsigned per_row,
                                     const char *folder)
{
    char path[PATH_SIZE];
    struct rules favoured;
    unsigned cases = 0, number = 0;
    static const char *const prefixes[] = {
        [FAMILY_PROGRAMS] = "", [FAMILY_SCENES] = "scene-", [FAMILY_VECTOR] = "vector-"};
    snprintf(path, sizeof path, "%s/%s%s.case", folder, prefixes[rule_family(rule)], rule->token);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "cannot write %s: %s\n", path, strerror(errno));
        return GOLDEN_TROUBLE;
    }
    favour(&favoured, rules, rule);
    fprintf(file, "# %s: random programs and the state they leave (difftest-tensix --record).\n",
            rule->token);
    while (cases < per_row && record_case(bench, &favoured, rule, seed, &number, file)) {
        cases++;
    }
    bool ok = !ferror(file);
    ok = !fclose(file) && ok;
    if (!ok || bench->trouble[0]) {
        fprintf(stderr, "%s: %s\n", path, ok ? bench->trouble : strerror(errno));
        return GOLDEN_TROUBLE;
    }
    if (cases < per_row) {
        remove(path);
        printf("%-24s not recorded: %u cases of %u; the reference says: %s\n", rule->token, cases,
               number, bench->reference_left.message);
        return GOLDEN_USELESS;
    }
    printf("%-24s %u cases\n", rule->token, cases);
    return GOLDEN_SAME;
}

enum golden_result golden_record(struct bench *bench, const struct rules *rules, uint64_t seed,
                                 unsigned per_row, const char *folder)
{
    enum golden_result result = golden_make_folder(folder);
    for (unsigned i = 0; i < rules->rules && result != GOLDEN_TROUBLE; i++) {
        if (rules->in_use[i]) {
            result = record_row(bench, rules, &rules->rule[i], seed, per_row, folder);
        }
    }
    return result == GOLDEN_TROUBLE ? GOLDEN_TROUBLE : GOLDEN_SAME;
}

/* --- Replaying --- */

struct replay {
    struct bench *bench;
    bool both;
    unsigned cases, different, endless, refused;
};

static enum golden_result replay_case(struct replay *replay, const char *path,
                                      const struct program *program, bool has_state)
{
    struct bench *bench = replay->bench;
    enum verdict verdict;
    if (has_state) {
        bool ok = bench_run_side(bench, &bench->ours, program, &bench->ours_left);
        bool same = ok && outcome_equal(bench->map, &bench->ours_left, &bench->reference_left);
        verdict = !ok ? VERDICT_TROUBLE : same ? VERDICT_SAME : VERDICT_DIFFERENT;
    } else if (replay->both) {
        verdict = bench_run(bench, program);
    } else {
        fprintf(stderr, "%s: case %" PRIu64 " has no state: --reference is needed\n", path,
                program->number);
        return GOLDEN_USELESS;
    }
    replay->cases++;
    if (verdict == VERDICT_TROUBLE) {
        fprintf(stderr, "%s\n", bench->trouble);
        return GOLDEN_TROUBLE;
    }
    if (verdict == VERDICT_REFUSED) {
        printf("# %s: case %" PRIu64 ": the reference refused it: %s\n", path, program->number,
               bench->reference_left.message);
        replay->refused++;
    } else if (verdict == VERDICT_ENDLESS) {
        printf("# %s: case %" PRIu64 " came to an end on neither side\n", path, program->number);
        replay->endless++;
    } else if (verdict == VERDICT_DIFFERENT) {
        printf("# %s: case %" PRIu64 " differs\n", path, program->number);
        bench_print(bench, program, stdout);
        replay->different++;
    }
    return GOLDEN_SAME;
}

static enum golden_result replay_file(void *context, FILE *file, const char *path)
{
    struct replay *replay = context;
    char error[ERROR_SIZE];
    unsigned line = 0;
    enum golden_result result = GOLDEN_SAME;
    while (result == GOLDEN_SAME) {
        struct program program;
        replay->bench->reference_left.ending = ENDED_NEVER_STARTED;
        int read = program_read(&program, &replay->bench->reference_left, replay->bench->map, file,
                                &line, error, sizeof error);
        if (read > 0) {
            result =
                replay_case(replay, path, &program, replay->bench->reference_left.ending == ENDED);
        } else if (read < 0) {
            fprintf(stderr, "%s: %s\n", path, error);
            result = GOLDEN_USELESS;
        }
        program_free(&program);
        if (read <= 0) {
            break;
        }
    }
    return result;
}

enum golden_result golden_replay(struct bench *bench, const char *path, bool both)
{
    struct replay replay = {.bench = bench, .both = both};
    enum golden_result result = golden_replay_all(path, replay_file, &replay);
    if (result == GOLDEN_SAME && !replay.cases) {
        fprintf(stderr, "%s: no cases\n", path);
        return GOLDEN_USELESS;
    }
    printf("%u cases, %u differ", replay.cases, replay.different);
    if (replay.refused || replay.endless) {
        printf(", %u refused, %u without an end", replay.refused, replay.endless);
    }
    printf("\n");
    return result == GOLDEN_SAME && replay.different ? GOLDEN_DIFFERENT : result;
}
