#include "campaign.h"

#include <inttypes.h>
#include <string.h>

/* --- Counting --- */

static void add_refusal(struct tally *tally, uint64_t program, const char *message)
{
    const char *end = *message == '[' ? strchr(message, ']') : NULL;
    message = end ? end + 1 + (end[1] == ' ') : message; /* without the time in front */
    for (unsigned i = 0; i < tally->refusals; i++) {
        if (!strcmp(tally->refusal[i].message, message)) {
            tally->refusal[i].count++;
            return;
        }
    }
    if (tally->refusals < MOST_REFUSALS) {
        struct refusal *refusal = &tally->refusal[tally->refusals++];
        *refusal = (struct refusal){.program = program, .count = 1};
        snprintf(refusal->message, sizeof refusal->message, "%s", message);
    }
}

static void add_transactions(struct tally *tally, const struct program *program)
{
    for (uint32_t i = 0; i < program->transactions; i++) {
        const struct transaction *t = &program->transaction[i];
        bool is_copy = t->kind == KIND_READ || t->kind == KIND_WRITE || t->kind == KIND_MULTICAST ||
                       t->kind == KIND_FORWARD;
        tally->kind[t->kind][t->noc]++;
        tally->posted += t->posted;
        tally->fixed += t->fixed;
        tally->linked += t->linked;
        tally->staged += t->staged;
        tally->registers += is_register(program, t->there, t->address);
        tally->there[program->memory[t->there].kind]++;
        tally->bytes += is_copy ? t->length : 4;
    }
    tally->transactions += program->transactions;
    tally->tiles += program_tiles(program);
}

static void add_program(struct tally *tally, const struct bench *bench,
                        const struct program *program, enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_SAME:
        tally->same++;
        tally->started += bench->image.started;
        tally->ours_seconds += bench->ours_left.seconds;
        tally->reference_seconds += bench->reference_left.seconds;
        add_transactions(tally, program);
        break;
    case VERDICT_DIFFERENT:
        tally->different++;
        break;
    case VERDICT_REFUSED:
        tally->refused++;
        add_refusal(tally, program->number, bench->reference_left.message);
        break;
    case VERDICT_ENDLESS:
        tally->endless++;
        break;
    case VERDICT_TROUBLE:
        break;
    }
}

void tally_print(const struct tally *tally, FILE *to)
{
    static const char *const memories[MEMORY_KINDS] = {[MEMORY_L1] = "L1",
                                                       [MEMORY_DRAM] = "DRAM",
                                                       [MEMORY_ETHERNET] = "Ethernet tiles",
                                                       [MEMORY_CSM] = "ARC memory",
                                                       [MEMORY_HOST] = "host memory"};
    for (unsigned kind = 0; kind < KINDS; kind++) {
        fprintf(to, "%12" PRIu64 "  %-10s %" PRIu64 " on NoC 0, %" PRIu64 " on NoC 1\n",
                tally->kind[kind][0] + tally->kind[kind][1], kind_names[kind], tally->kind[kind][0],
                tally->kind[kind][1]);
    }
    for (unsigned kind = 0; kind < MEMORY_KINDS; kind++) {
        fprintf(to, "%12" PRIu64 "  with %s\n", tally->there[kind], memories[kind]);
    }
    fprintf(to,
            "%12" PRIu64 "  posted, %" PRIu64 " on static channels, %" PRIu64 " linked, %" PRIu64
            " with registers\n",
            tally->posted, tally->fixed, tally->linked, tally->registers);
    fprintf(to,
            "%12" PRIu64 "  transactions of %" PRIu64 " bytes in %" PRIu64 " programs on %" PRIu64
            " tiles; %" PRIu64 " requests with barriers\n",
            tally->transactions, tally->bytes, tally->same, tally->tiles, tally->started);
    for (unsigned i = 0; i < tally->refusals; i++) {
        fprintf(to, "%12" PRIu64 "  refused, first program %" PRIu64 ": %s\n",
                tally->refusal[i].count, tally->refusal[i].program, tally->refusal[i].message);
    }
    fprintf(to, "%12" PRIu64 "  programs that the reference refused\n", tally->refused);
    fprintf(to, "%12" PRIu64 "  programs that came to an end on neither side\n", tally->endless);
    fprintf(to, "%12" PRIu64 "  programs that differ\n", tally->different);
}

/* --- Running --- */

static void show_progress(const struct campaign *c, const struct tally *tally)
{
    if (c->progress) {
        fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " transactions, %" PRIu64 " programs ",
                tally->transactions, c->transactions, tally->same);
    }
}

static bool wants_more(const struct campaign *c, const struct tally *tally, uint64_t done)
{
    enum { MOST_IDLE = 1000 };
    bool is_useless = done > MOST_IDLE && tally->same == 0;
    return tally->transactions < c->transactions && (!c->programs || done < c->programs) &&
           !is_useless;
}

enum campaign_result campaign_run(const struct campaign *c, struct tally *tally,
                                  uint64_t *different, char trouble[MESSAGE_SIZE])
{
    struct bench bench;
    enum campaign_result result = CAMPAIGN_SAME;
    bench_init(&bench, c->ours, c->reference, c->timeout);
    bench.mutant = c->mutant;
    for (uint64_t done = 0; wants_more(c, tally, done); done++) {
        struct program program;
        program_generate(&program, c->seed, c->first + done, &c->generate);
        enum verdict verdict = program.ok ? bench_run(&bench, &program) : VERDICT_TROUBLE;
        add_program(tally, &bench, &program, verdict);
        program_free(&program);
        show_progress(c, tally);
        if (verdict == VERDICT_TROUBLE) {
            memcpy(trouble, bench.trouble, MESSAGE_SIZE);
            result = CAMPAIGN_TROUBLE;
            break;
        }
        if (verdict == VERDICT_DIFFERENT && result == CAMPAIGN_SAME) {
            *different = c->first + done;
            result = CAMPAIGN_DIFFERENT;
        }
        if (verdict == VERDICT_DIFFERENT && c->goes_on) {
            printf("program %" PRIu64 " differs\n", c->first + done);
        } else if (verdict == VERDICT_DIFFERENT) {
            break;
        }
    }
    bench_stop(&bench);
    if (c->progress) {
        fputc('\n', stderr);
    }
    return result;
}
