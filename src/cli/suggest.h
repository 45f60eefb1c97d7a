/* "Did you mean": the nearest of several words. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

/* Collects candidates one by one; best is NULL until one is near enough. Starts as {.word = w}. */
struct suggestion {
    const char *word; /* what was written */
    const char *best;
    unsigned distance;
};

/* Considers a candidate, which must outlive the suggestion. */
void suggest(struct suggestion *suggestion, const char *candidate);

#endif
