/*
 * A campaign: random programs on both libraries, by several jobs side by side. Each job is a
 * thread with two workers of its own. Programs are numbered and made from their number, and the
 * campaign goes on by rounds of a fixed size, so that its outcome does not depend on the number of
 * jobs.
 */
#ifndef DIFFTEST_TENSIX_CAMPAIGN_H
#define DIFFTEST_TENSIX_CAMPAIGN_H

#include "generate.h"
#include "tally.h"

struct campaign {
    const struct state_map *map;
    const struct rules *rules;
    struct generate_options generate;
    const struct mutant *mutant;
    const char *ours, *reference;
    uint64_t seed, instructions;
    uint64_t programs; /* no more than so many, rounded up to rounds; 0: as needed */
    unsigned jobs, timeout;
    bool progress; /* on stderr */
};

enum campaign_result { CAMPAIGN_SAME, CAMPAIGN_DIFFERENT, CAMPAIGN_TROUBLE };

/* *different becomes the lowest number of a program that differs; `trouble` says what went wrong.
 */
enum campaign_result campaign_run(const struct campaign *campaign, struct tally *tally,
                                  uint64_t *different, char trouble[MESSAGE_SIZE]);

#endif
