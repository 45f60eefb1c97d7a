/* Many random programs, and counts of what they were made of. */
#ifndef DIFFTEST_NOC_CAMPAIGN_H
#define DIFFTEST_NOC_CAMPAIGN_H

#include "bench.h"
#include "generate.h"

struct campaign {
    const char *ours, *reference;
    unsigned timeout;
    uint64_t seed, first;            /* number of the first program */
    uint64_t transactions, programs; /* at least so many; at most so many, 0: any number */
    struct generate_options generate;
    const struct mutant *mutant;
    bool progress, goes_on; /* past programs that differ */
};

enum { MOST_REFUSALS = 64 };

struct refusal {
    char message[MESSAGE_SIZE];
    uint64_t program, count; /* the first one */
};

struct tally {
    uint64_t kind[KINDS][NOCS];
    uint64_t posted, fixed, linked, staged, registers, there[MEMORY_KINDS], bytes;
    uint64_t transactions; /* in programs that both sides agreed on */
    uint64_t started;      /* with those of barriers and flushes */
    uint64_t same, different, refused, endless, tiles;
    double ours_seconds, reference_seconds;
    struct refusal refusal[MOST_REFUSALS];
    unsigned refusals;
};

enum campaign_result { CAMPAIGN_SAME, CAMPAIGN_DIFFERENT, CAMPAIGN_TROUBLE };

/* *different: the first program that differs. */
enum campaign_result campaign_run(const struct campaign *campaign, struct tally *tally,
                                  uint64_t *different, char trouble[MESSAGE_SIZE]);

void tally_print(const struct tally *tally, FILE *to);

#endif
