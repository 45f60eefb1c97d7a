/* Options of compare and explain; see compare_options.h. */
#include "cli/compare_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

enum { KEY_TOLERANCE = 0xa00, KEY_ONLY, KEY_VOLATILE };

bool compare_take_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value) && *value >= 0;
}

static error_t take_tolerance(struct compare_choices *choices, const char *text)
{
    struct compare_tolerance *tolerance = &choices->options.tolerance;
    const struct {
        const char *name;
        bool *has;
        double *value;
    } kinds[] = {{"ulp=", &tolerance->has_ulp, &tolerance->ulp},
                 {"rel=", &tolerance->has_relative, &tolerance->relative},
                 {"abs=", &tolerance->has_absolute, &tolerance->absolute}};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(text, kinds[i].name, length) == 0 &&
            compare_take_real(text + length, kinds[i].value)) {
            *kinds[i].has = true;
            return 0;
        }
    }
    return options_refuse(choices->cli, "--tolerance: '%s' is not ulp=N, rel=X or abs=X", text);
}

static error_t take_pattern(struct compare_choices *choices, const char *text)
{
    if (choices->options.onlys == COMPARE_PATTERNS) {
        return options_refuse(choices->cli, "--only: more than %d patterns", COMPARE_PATTERNS);
    }
    choices->pattern[choices->options.onlys++] = text;
    return 0;
}

static error_t parse_choice(int key, char *argument, struct argp_state *state)
{
    struct compare_choices *choices = state->input;
    switch (key) {
    case KEY_TOLERANCE:
        return take_tolerance(choices, argument);
    case KEY_ONLY:
        return take_pattern(choices, argument);
    case KEY_VOLATILE:
        choices->options.includes_volatile = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option choice_rows[] = {
    {"tolerance", KEY_TOLERANCE, "LIMIT", 0,
     "ulp=N, rel=X or abs=X: numbers that differ by so many units in the last place of their "
     "format, by so much of the greater one, or by so much are the same; of several options one "
     "is enough",
     0},
    {"only", KEY_ONLY, "PATTERN", 0,
     "Only these: a part (dst, 'cb_*'), an item (config/config.0.ALU*), or either of one tile "
     "(1-2/l1)",
     0},
    {"include-volatile", KEY_VOLATILE, NULL, 0, "Compare clocks, counters, unwritten memory, too",
     0},
    {0},
};

const struct argp compare_choices_argp = {.options = choice_rows, .parser = parse_choice};

void compare_choices_init(struct compare_choices *choices, const struct cli *cli)
{
    *choices = (struct compare_choices){.cli = cli};
    choices->options.only = choices->pattern;
}
