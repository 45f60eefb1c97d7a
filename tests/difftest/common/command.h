/* The command line of the testers of two libraries. */
#ifndef DIFFTEST_COMMAND_H
#define DIFFTEST_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "golden.h"

enum exit_code { EXIT_SAME = 0, EXIT_DIFFERENT = 1, EXIT_USAGE = 2, EXIT_LIBRARY = 3 };

/* --- Options --- */

enum setting_kind {
    SETTING_FLAG,   /* a bool that becomes true */
    SETTING_TEXT,   /* a const char *: the argument itself */
    SETTING_NUMBER, /* a uint32_t */
    SETTING_LARGE,  /* a uint64_t */
};

/* What an option sets. */
struct setting {
    int key;
    enum setting_kind kind;
    size_t at;            /* offset in what argp's input points to */
    uint64_t least, most; /* of a number */
};

/* Sets what the option says, and ends the program where its number is out of range;
 * ARGP_ERR_UNKNOWN: there is no such setting. */
error_t setting_parse(const struct setting *list, size_t count, int key, const char *argument,
                      struct argp_state *state);

/* --- Modes --- */

/* What to do, unless it is random programs. */
struct mode {
    const char *record, *golden, *replay; /* folder, folder, file */
    bool self_test;
};

/* Are the libraries that the mode needs there, and usable? The self-test has one of them on both
 * sides. EXIT_SAME: yes; otherwise stderr says what is wrong. */
enum exit_code libraries_check(const char *tester, const struct mode *mode, const char **ours,
                               const char **reference, unsigned timeout);

bool mode_uses_files(const struct mode *mode);

enum exit_code golden_exit_code(enum golden_result result);

/* Closes the file of a program that differs (NULL: it could not be opened), and says where it is.
 */
void case_saved(FILE *file, const char *path);

#endif
