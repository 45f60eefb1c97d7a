/* What a run left behind, see machine.h. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

bool outcome_create(struct outcome *outcome)
{
    *outcome = (struct outcome){.ending = ENDED_BADLY};
    outcome->l1 = calloc(1, WINDOW_BYTES + LOG_BYTES);
    return outcome->l1;
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->l1);
    outcome->l1 = NULL;
}

bool outcome_equal(const struct outcome *a, const struct outcome *b)
{
    return a->ending == ENDED && b->ending == ENDED && a->l1_words == b->l1_words &&
           !memcmp(a->l1, b->l1, a->l1_words * sizeof a->l1[0]) &&
           !memcmp(a->local, b->local, sizeof a->local);
}
