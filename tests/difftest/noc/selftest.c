#include "selftest.h"

#include <inttypes.h>
#include <string.h>

#include "shrink.h"

enum { LONGEST = 6, PROGRAMS = 600, CLEAN_TRANSACTIONS = 2000 };

static const struct mutant mutants[] = {
#define CHANGE(name, kind, least, field, add, flip)                                                \
    {#name, KIND_##kind, least, offsetof(struct transaction, field), add, flip, false},
#define DROP(name, kind, least) {#name, KIND_##kind, least, 0, 0, 0, true},
#include "mutants.def"
#undef CHANGE
#undef DROP
};

enum { MUTANTS = sizeof mutants / sizeof mutants[0] };

const struct mutant *mutant_named(const char *name)
{
    for (unsigned i = 0; i < MUTANTS; i++) {
        if (!strcmp(mutants[i].name, name)) {
            return &mutants[i];
        }
    }
    return NULL;
}

static bool contains(const struct program *program, uint64_t kind)
{
    for (uint32_t i = 0; i < program->transactions; i++) {
        if (program->transaction[i].kind == kind) {
            return true;
        }
    }
    return false;
}

static bool check_shrunk(struct bench *bench, const struct mutant *mutant,
                         const struct program *program, bool verbose)
{
    struct program small;
    bool shown = program_shrink(bench, program, &small);
    bool ok = shown && contains(&small, mutant->kind) && small.transactions <= LONGEST;
    if (verbose || !ok) {
        printf("%-16s %s %" PRIu32 " transactions\n", mutant->name,
               shown ? "shrunk to" : "found, but its difference went away;", small.transactions);
        bench_print(bench, &small, stdout);
    }
    program_free(&small);
    return ok;
}

static bool find_mutant(const struct campaign *campaign, struct bench *bench,
                        const struct mutant *mutant, bool verbose)
{
    bench->mutant = mutant;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct program program;
        program_generate(&program, campaign->seed, i, &campaign->generate);
        enum verdict verdict = program.ok ? bench_run(bench, &program) : VERDICT_TROUBLE;
        bool ok = verdict == VERDICT_DIFFERENT && check_shrunk(bench, mutant, &program, verbose);
        program_free(&program);
        if (verdict == VERDICT_TROUBLE) {
            printf("%s\n", bench->trouble);
            return false;
        }
        if (verdict == VERDICT_DIFFERENT) {
            return ok;
        }
    }
    printf("%s: falsified, and no program showed it\n", mutant->name);
    return false;
}

static bool nothing_found(const struct campaign *campaign)
{
    static struct tally tally;
    struct campaign clean = *campaign;
    char trouble[MESSAGE_SIZE] = "";
    uint64_t different = 0;
    clean.mutant = NULL;
    clean.transactions = CLEAN_TRANSACTIONS;
    tally = (struct tally){0};
    enum campaign_result result = campaign_run(&clean, &tally, &different, trouble);
    if (result == CAMPAIGN_DIFFERENT) {
        printf("program %" PRIu64 " differs from itself\n", different);
    } else if (result == CAMPAIGN_TROUBLE) {
        printf("%s\n", trouble);
    } else if (tally.refused || tally.endless) {
        printf("%" PRIu64 " programs were refused and %" PRIu64 " had no end\n", tally.refused,
               tally.endless);
    }
    return result == CAMPAIGN_SAME && !tally.refused && !tally.endless;
}

bool selftest(const struct campaign *campaign, bool verbose)
{
    static struct bench bench;
    bool ok = nothing_found(campaign);
    bench_init(&bench, campaign->ours, campaign->reference, campaign->timeout);
    for (unsigned i = 0; ok && i < MUTANTS; i++) {
        ok = find_mutant(campaign, &bench, &mutants[i], verbose);
    }
    bench_stop(&bench);
    if (ok) {
        printf("self-test: %d falsified transactions found and isolated\n", (int)MUTANTS);
    }
    return ok;
}
