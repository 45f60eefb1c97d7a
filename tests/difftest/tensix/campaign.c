#include "campaign.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../common/clock.h"

enum { ROUND = 256, MOST_IDLE_ROUNDS = 40 };

struct job {
    const struct campaign *campaign;
    const struct isa_index *index;
    struct round *round;
    struct bench bench;
    struct tally tally;
    pthread_t thread;
    bool started;
};

struct round {
    uint64_t first;
    atomic_uint next;  /* of this round's programs */
    atomic_uint limit; /* programs from here on are not wanted: one before them differs */
    atomic_bool stop;  /* trouble: no more */
    enum verdict verdict[ROUND];
    char message[ROUND][MESSAGE_SIZE]; /* of the reference */
};

/* --- Jobs --- */

/* Makes the limit smaller. */
static void limit_round(struct round *round, unsigned limit)
{
    unsigned now = atomic_load(&round->limit);
    while (limit < now && !atomic_compare_exchange_weak(&round->limit, &now, limit)) {
    }
}

static void *work(void *context)
{
    struct job *job = context;
    struct round *round = job->round;
    const struct campaign *c = job->campaign;
    for (;;) {
        unsigned at = atomic_fetch_add(&round->next, 1);
        if (at >= atomic_load(&round->limit) || atomic_load(&round->stop)) {
            return NULL;
        }
        struct program program;
        program_generate(&program, c->rules, c->map, c->seed, round->first + at, &c->generate);
        enum verdict verdict = program.ok ? bench_run(&job->bench, &program) : VERDICT_TROUBLE;
        round->verdict[at] = verdict;
        memcpy(round->message[at], job->bench.reference_left.message, MESSAGE_SIZE);
        if (verdict == VERDICT_TROUBLE) {
            atomic_store(&round->stop, true);
        } else if (verdict == VERDICT_DIFFERENT) {
            limit_round(round, at + 1);
        }
        tally_add(&job->tally, job->index, &program, verdict, round->message[at]);
        program_free(&program);
    }
}

static bool run_round(const struct campaign *c, struct job *jobs, struct round *round)
{
    bool any = false;
    atomic_store(&round->next, 0);
    atomic_store(&round->limit, ROUND);
    for (unsigned i = 0; i < c->jobs; i++) {
        jobs[i].started = !pthread_create(&jobs[i].thread, NULL, work, &jobs[i]);
        any = any || jobs[i].started;
    }
    for (unsigned i = 0; i < c->jobs; i++) {
        if (jobs[i].started) {
            pthread_join(jobs[i].thread, NULL);
        }
    }
    return any && !atomic_load(&round->stop);
}

/* --- Rounds --- */

static void show_progress(const struct campaign *c, const struct tally *tally, double seconds)
{
    if (c->progress) {
        fprintf(stderr,
                "\r%" PRIu64 " of %" PRIu64 " instructions, %" PRIu64 " programs, %" PRIu64
                " refused, %.0f instructions/s ",
                tally->instructions, c->instructions, tally->same, tally->refused,
                seconds > 0 ? (double)tally->instructions / seconds : 0);
    }
}

/* Adds the jobs' counts of the round. */
static void collect(const struct campaign *c, struct job *jobs, struct tally *tally)
{
    for (unsigned i = 0; i < c->jobs; i++) {
        tally_merge(tally, &jobs[i].tally);
        jobs[i].tally = (struct tally){0};
    }
}

/* The same up to the first program that differs; how far jobs went beyond it is chance. */
static void collect_up_to(const struct campaign *c, const struct isa_index *index,
                          const struct round *round, unsigned last, struct tally *tally)
{
    for (unsigned i = 0; i <= last; i++) {
        struct program program;
        program_generate(&program, c->rules, c->map, c->seed, round->first + i, &c->generate);
        tally_add(tally, index, &program, round->verdict[i], round->message[i]);
        program_free(&program);
    }
}

static enum campaign_result run_rounds(const struct campaign *c, struct job *jobs,
                                       struct round *round, struct tally *tally,
                                       uint64_t *different)
{
    uint64_t start = host_nanoseconds();
    unsigned idle = 0;
    for (; tally->instructions < c->instructions; round->first += ROUND) {
        uint64_t before = tally->instructions;
        bool ok = run_round(c, jobs, round);
        unsigned limit = atomic_load(&round->limit);
        if (ok && round->verdict[limit - 1] == VERDICT_DIFFERENT) {
            *different = round->first + limit - 1;
            collect_up_to(c, jobs[0].index, round, limit - 1, tally);
            return CAMPAIGN_DIFFERENT;
        }
        collect(c, jobs, tally);
        show_progress(c, tally, seconds_since(start));
        if (!ok) {
            return CAMPAIGN_TROUBLE;
        }
        if (c->programs && round->first + ROUND >= c->programs) {
            return CAMPAIGN_SAME;
        }
        idle = tally->instructions == before ? idle + 1 : 0;
        if (idle == MOST_IDLE_ROUNDS) {
            return CAMPAIGN_TROUBLE;
        }
    }
    return CAMPAIGN_SAME;
}

static void describe_trouble(const struct campaign *c, const struct job *jobs, char *trouble)
{
    snprintf(trouble, MESSAGE_SIZE, "no program has run for %d rounds of %d", MOST_IDLE_ROUNDS,
             ROUND);
    for (unsigned i = 0; i < c->jobs; i++) {
        if (jobs[i].bench.trouble[0]) {
            memcpy(trouble, jobs[i].bench.trouble, MESSAGE_SIZE);
        }
    }
}

enum campaign_result campaign_run(const struct campaign *campaign, struct tally *tally,
                                  uint64_t *different, char trouble[MESSAGE_SIZE])
{
    struct job *jobs = calloc(campaign->jobs, sizeof *jobs);
    struct round *round = calloc(1, sizeof *round);
    struct isa_index index = {.rows = NULL};
    enum campaign_result result = CAMPAIGN_TROUBLE;
    bool ok = jobs && round && tensix_index_build(&index);
    snprintf(trouble, MESSAGE_SIZE, "out of memory");
    for (unsigned i = 0; ok && i < campaign->jobs; i++) {
        jobs[i].campaign = campaign;
        jobs[i].index = &index;
        jobs[i].round = round;
        bench_init(&jobs[i].bench, campaign->map, campaign->ours, campaign->reference,
                   campaign->timeout);
        jobs[i].bench.mutant = campaign->mutant;
    }
    if (ok) {
        result = run_rounds(campaign, jobs, round, tally, different);
        describe_trouble(campaign, jobs, trouble);
        for (unsigned i = 0; i < campaign->jobs; i++) {
            bench_stop(&jobs[i].bench);
        }
    }
    if (campaign->progress) {
        fputc('\n', stderr);
    }
    isa_index_free(&index);
    free(round);
    free(jobs);
    return result;
}
