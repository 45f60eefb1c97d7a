/* What is asked of checks: their names and settings, as options and PENROSE_CHECK have them. */
#ifndef OBSERVE_CHECK_NAMES_H
#define OBSERVE_CHECK_NAMES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <penrose/penrose.h>

enum check_kind {
    CHECK_CORE, /* the rules that are always on: no observer */
    CHECK_NOC,
    CHECK_BUFFERS,
    CHECK_RACES,
    CHECK_MEMORY,
    CHECK_UNINIT,
    CHECK_CONFIG,
    CHECKS
};

/* For texts of help. */
#define CHECK_HELP                                                                                 \
    "noc (requests for which nobody waits), cb (circular buffers), races (units that do not wait " \
    "for one another), memory (code, stacks, null pointers, arguments), uninit (data that nobody " \
    "has written), config (what earlier kernels have left), or all; core: no more than the rules " \
    "that are always on"

/* Texts are empty, and `has` is false, where a setting is not there. */
struct check_settings {
    bool does[CHECKS];
    char report[PATH_MAX];    /* a SARIF file, to which findings are added */
    char baseline[PATH_MAX];  /* a SARIF file: what it has is known */
    char suppress[PATH_MAX];  /* a file of suppressions */
    char generate[PATH_MAX];  /* a file that gets a suppression for each finding */
    char allocated[PATH_MAX]; /* a file in which a host tells of its buffers (ranges.c) */
    char kernel[PATH_MAX];    /* a pattern of paths of sources, as fnmatch(3) has them */
    bool has_tile, has_launch;
    unsigned x, y;
    uint32_t launch;
};

/* Sets `settings` by a list with commas: names of checks, or "all", and settings as NAME=VALUE. A
 * list without names means all. PENROSE_E_ARGUMENT names a word that is neither. */
enum penrose_status check_settings_parse(const char *list, struct check_settings *settings,
                                         struct penrose_error *error);

#endif
