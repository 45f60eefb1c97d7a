#include "selftest.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "expand.h"
#include "shrink.h"

enum { LONGEST = 14, LONGEST_SCENE = 64, PROGRAMS = 120, STEPS = 160, CLEAN_INSTRUCTIONS = 20000 };

static const struct mutant_row {
    const char *token;
    uint16_t row;
    const char *operand; /* NULL: all of the row */
    uint32_t value;
    const char *result; /* NULL: dropped */
    uint32_t bits;
} mutant_rows[] = {
#define FLIP(token, operand, value, result, bits)                                                  \
    {#token, TENSIX_ROW_##token, #operand, value, #result, bits},
#define DROP(token, operand, value) {#token, TENSIX_ROW_##token, #operand, value, NULL, 0},
#define DROP_ALL(token)             {#token, TENSIX_ROW_##token, NULL, 0, NULL, 0},
#include "mutants.def"
};

enum { MUTANTS = sizeof mutant_rows / sizeof mutant_rows[0] };

/* The operand itself, or one of the names that PART cells give to bits of others: those are not in
 * the row, and mutants.def does not use them. */
static bool make_mutant(struct mutant *mutant, const struct mutant_row *row)
{
    if (!row->operand) {
        *mutant = (struct mutant){
            .mask = tensix_rows[row->row].mask, .match = tensix_rows[row->row].match, .drop = true};
        return true;
    }
    const struct isa_field *operand = row_operand(row->row, row->operand);
    const struct isa_field *result = row->result ? row_operand(row->row, row->result) : operand;
    if (!operand || !result) {
        return false;
    }
    uint32_t needed = row->value ? row->value : 1; /* the lowest bit decides */
    *mutant = (struct mutant){
        .mask = tensix_rows[row->row].mask | needed << operand->piece[0].lsb,
        .match = tensix_rows[row->row].match | row->value << operand->piece[0].lsb,
        .flip = row->result ? row->bits << result->piece[0].lsb : 0,
        .drop = !row->result,
    };
    return true;
}

bool mutant_named(struct mutant *mutant, const char *token)
{
    for (unsigned i = 0; i < MUTANTS; i++) {
        if (!strcasecmp(mutant_rows[i].token, token)) {
            return make_mutant(mutant, &mutant_rows[i]);
        }
    }
    return false;
}

/* --- Looking for one --- */

static bool contains(const struct program *program, unsigned row)
{
    for (uint32_t i = 0; i < program->steps; i++) {
        const struct step *step = &program->step[i];
        if ((step_is_push(step) || step->kind == STEP_MOP) && tensix_find(step->word) == (int)row) {
            return true;
        }
    }
    return false;
}

static bool check_shrunk(struct bench *bench, const struct mutant_row *row,
                         const struct program *program, bool verbose)
{
    struct program small;
    bool shown = program_shrink(bench, program, &small);
    bool has_row = shown && contains(&small, row->row);
    bool ok = has_row && small.steps <= (program->scene ? LONGEST_SCENE : LONGEST);
    if (verbose || !ok) {
        printf("%-16s %s %" PRIu32 " steps\n", row->token,
               !shown    ? "found, but its difference went away;"
               : has_row ? "shrunk to"
                         : "lost by shrinking;",
               small.steps);
        bench_print(bench, &small, stdout);
    }
    program_free(&small);
    return ok;
}

/* Rows of the data path are executed in scenes, those that programs use now in programs. */
static enum program_family family_of(const struct rules *rules, const struct mutant_row *row)
{
    const struct rule *rule = rules_named(rules, row->token, FAMILY_PROGRAMS);
    if (rule && rule->when == RULE_NOW) {
        return FAMILY_PROGRAMS;
    }
    return rules_named(rules, row->token, FAMILY_SCENES) ? FAMILY_SCENES : FAMILY_VECTOR;
}

static bool find_mutant(const struct campaign *campaign, struct bench *bench,
                        const struct mutant_row *row, bool verbose)
{
    enum program_family family = family_of(campaign->rules, row);
    struct generate_options generate = {.steps = STEPS, .family = family};
    struct rules rules = *campaign->rules;
    struct mutant mutant;
    rules_use_all(&rules, false, family);
    if (!make_mutant(&mutant, row)) {
        printf("mutants.def: %s has no such operands\n", row->token);
        return false;
    }
    bench->mutant = &mutant;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct program program;
        program_generate(&program, &rules, campaign->map, campaign->seed, i, &generate);
        enum verdict verdict = program.ok ? bench_run(bench, &program) : VERDICT_TROUBLE;
        bool ok = verdict == VERDICT_DIFFERENT && check_shrunk(bench, row, &program, verbose);
        program_free(&program);
        if (verdict == VERDICT_TROUBLE) {
            printf("%s\n", bench->trouble);
            return false;
        }
        if (verdict == VERDICT_DIFFERENT) {
            return ok;
        }
    }
    printf("%s: falsified, and no program showed it\n", row->token);
    return false;
}

/* --- All --- */

static bool nothing_found(const struct campaign *campaign, enum program_family family)
{
    struct campaign clean = *campaign;
    struct rules rules = *campaign->rules;
    rules_use_all(&rules, false, family);
    clean.rules = &rules;
    clean.generate.family = family;
    static struct tally tally;
    char trouble[MESSAGE_SIZE];
    uint64_t different = 0;
    clean.mutant = NULL;
    clean.instructions = CLEAN_INSTRUCTIONS;
    tally = (struct tally){0};
    switch (campaign_run(&clean, &tally, &different, trouble)) {
    case CAMPAIGN_SAME:
        break;
    case CAMPAIGN_DIFFERENT:
        printf("program %" PRIu64 " differs from itself\n", different);
        return false;
    case CAMPAIGN_TROUBLE:
        printf("%s\n", trouble);
        return false;
    }
    if (tally.refused || tally.endless) {
        printf("%" PRIu64 " programs were refused and %" PRIu64 " had no end\n", tally.refused,
               tally.endless);
        return false;
    }
    return true;
}

bool selftest(const struct campaign *campaign, bool verbose)
{
    static struct bench bench;
    bool ok = nothing_found(campaign, FAMILY_PROGRAMS) && nothing_found(campaign, FAMILY_SCENES) &&
              nothing_found(campaign, FAMILY_VECTOR);
    unsigned found = 0;
    bench_init(&bench, campaign->map, campaign->ours, campaign->reference, campaign->timeout);
    for (unsigned i = 0; ok && i < MUTANTS; i++) {
        ok = find_mutant(campaign, &bench, &mutant_rows[i], verbose);
        found += ok;
    }
    bench_stop(&bench);
    if (ok) {
        printf("self-test: %u falsified instructions found and isolated\n", found);
    }
    return ok;
}
