/* The checks of `penrose doctor`. Each adds one line or several to the list, in this order. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <limits.h>
#include <stdbool.h>

enum doctor_state { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_FAILED };

enum { DOCTOR_CHECKS = 16, DOCTOR_TEXT = 512 };

struct doctor_check {
    const char *name;
    enum doctor_state state;
    char text[DOCTOR_TEXT];
    char remedy[DOCTOR_TEXT]; /* empty when it is ok */
};

struct doctor {
    const char *card;
    char library[PATH_MAX]; /* empty: that of the card */
    bool is_other_library;  /* the user named it */
    char python[PATH_MAX];
    bool has_python;
    char root[PATH_MAX]; /* of tt-metal's files; empty: none */
    char set[PATH_MAX];  /* of firmware that fits the card; empty: none */
    struct doctor_check check[DOCTOR_CHECKS];
    unsigned count;
};

/* Is the library there, does it load, what does it say that it is, and can a host write to a tile
 * and read it? Is the descriptor beside it? */
void doctor_check_library(struct doctor *doctor);

/* Versions of tt-umd, ttnn and tt-exalens in the Python; finds the root. */
void doctor_check_python(struct doctor *doctor);

/* SFPI's compiler; after doctor_check_python. */
void doctor_check_compiler(struct doctor *doctor);

/* Sets of firmware; after doctor_check_python. Finds `set`. */
void doctor_check_firmware(struct doctor *doctor);

void doctor_check_cache(struct doctor *doctor);

/* Boots a worker with the set, or runs a small program; after doctor_check_firmware. */
void doctor_check_tile(struct doctor *doctor);

#endif
