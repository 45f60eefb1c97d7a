/* See left_behind.h. */
#include "cli/left_behind.h"

#include <stdlib.h>

#include "cli/output.h"
#include "observe/inside.h"

struct left_behind {
    struct penrose_chip *chip;
    bool stops;
};

static void note_response_left(void *context, const struct response_left *left)
{
    struct left_behind *behind = context;
    behind->stops |= inside(behind->chip)->responses_note_left(behind->chip, left) == PENROSE_STOP;
}

bool left_behind_explain(struct penrose_chip *chip)
{
    struct left_behind behind = {chip, false};
    int length = penrose_tensix_wait_report(chip, NULL, 0);
    char *text = length > 0 ? malloc((size_t)length + 1) : NULL;
    if (text) {
        penrose_tensix_wait_report(chip, text, (size_t)length + 1);
        text[length - 1] = 0;
        note("warning: the harts are done, but the coprocessor still waits:\n%s", text);
        free(text);
    }
    inside(chip)->check_programs_ended(chip);
    inside(chip)->responses_visit_left(chip, true, note_response_left, &behind);
    return behind.stops;
}
