/* Options that compare and explain share: which items they compare, and with which tolerance. */
#ifndef CLI_COMPARE_OPTIONS_H
#define CLI_COMPARE_OPTIONS_H

#include <argp.h>

#include "cli/cli.h"
#include "observe/compare/compare.h"

enum { COMPARE_PATTERNS = 64 };

struct compare_choices {
    const struct cli *cli;
    struct compare_options options;
    const char *pattern[COMPARE_PATTERNS];
};

/* Input: struct compare_choices, which compare_choices_init has filled in. */
extern const struct argp compare_choices_argp;

void compare_choices_init(struct compare_choices *choices, const struct cli *cli);

/* What `penrose compare A B` does. */
enum cli_exit compare_two_dumps(struct cli *cli, const char *a, const char *b);

/* A number from 0 on; false for other text. */
bool compare_take_real(const char *text, double *value);

#endif
