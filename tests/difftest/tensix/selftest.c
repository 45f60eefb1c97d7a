#include "selftest.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "expand.h"
#include "shrink.h"

enum { LONGEST = 14, PROGRAMS = 60, STEPS = 160, CLEAN_INSTRUCTIONS = 20000 };

static const struct mutant_row {
    const char *token;
    uint16_t row;
    const char *operand;
    uint32_t value;
    const char *result; /* NULL: dropped */
    uint32_t bits;
} mutant_rows[] = {
#define FLIP(token, operand, value, result, bits)                                                  \
    {#token, TENSIX_ROW_##token, #operand, value, #result, bits},
#define DROP(token, operand, value) {#token, TENSIX_ROW_##token, #operand, value, NULL, 0},
#include "mutants.def"
};

enum { MUTANTS = sizeof mutant_rows / sizeof mutant_rows[0] };

/* The operand itself, or one of the names that PART cells give to bits of others: those are not in
 * the row, and mutants.def does not use them. */
static bool make_mutant(struct mutant *mutant, const struct mutant_row *row)
{
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
    bool ok = has_row && small.steps <= LONGEST;
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

static bool find_mutant(const struct campaign *campaign, struct bench *bench,
                        const struct mutant_row *row, bool verbose)
{
    struct generate_options generate = {.steps = STEPS};
    struct mutant mutant;
    if (!make_mutant(&mutant, row)) {
        printf("mutants.def: %s has no such operands\n", row->token);
        return false;
    }
    bench->mutant = &mutant;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct program program;
        program_generate(&program, campaign->rules, campaign->map, campaign->seed, i, &generate);
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

static bool nothing_found(const struct campaign *campaign)
{
    struct campaign clean = *campaign;
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
    bool ok = nothing_found(campaign);
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
