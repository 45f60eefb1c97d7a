/* The names of checks, as options and PENROSE_CHECK have them. */
#ifndef OBSERVE_CHECK_NAMES_H
#define OBSERVE_CHECK_NAMES_H

#include <stdbool.h>

#include <penrose/penrose.h>

enum check_kind { CHECK_NOC, CHECK_BUFFERS, CHECK_RACES, CHECK_MEMORY, CHECK_UNINIT, CHECKS };

/* For texts of help. */
#define CHECK_HELP                                                                                 \
    "noc (requests for which nobody waits), cb (circular buffers), races (units that do not wait " \
    "for one another), memory (code, stacks, null pointers, arguments), uninit (data that nobody " \
    "has written), or all"

/* Sets does[] for the names of a list with commas between them, or "all". PENROSE_E_ARGUMENT names a
 * word that is no check. */
enum penrose_status check_names(const char *names, bool does[CHECKS], struct penrose_error *error);

#endif
