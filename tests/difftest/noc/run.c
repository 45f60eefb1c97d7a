#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct outcome *outcome, size_t size)
{
    if (outcome->room < size) {
        uint8_t *larger = realloc(outcome->answer, size);
        outcome->answer = larger ? larger : outcome->answer;
        outcome->room = larger ? size : outcome->room;
    }
    return outcome->room >= size;
}

bool run_start(struct side *side, const struct image *image, struct outcome *outcome)
{
    outcome->ending = ENDED_NEVER_STARTED;
    if (!make_room(outcome, image->request.answer)) {
        snprintf(outcome->message, sizeof outcome->message, "out of memory");
        return false;
    }
    memset(outcome->answer, 0, image->request.answer);
    return side_start(side, &image->request, outcome->message);
}

void run_finish(struct side *side, const struct image *image, struct outcome *outcome)
{
    const struct iovec answer = {outcome->answer, image->request.answer};
    outcome->ending = side_finish(side, &answer, 1, outcome->message);
    outcome->seconds = side->seconds;
}
