/* Which chips a client is to have, by the options and variables of `penrose exec` and `penrose doctor`. */
#ifndef CLI_CHOSEN_H
#define CLI_CHOSEN_H

#include <argp.h>
#include <stdbool.h>

#include "chip/plan.h"
#include "cli/cli.h"
#include "cli/python.h"

struct chosen_chips {
    const char *card;    /* which gives the library's folder */
    const char *cluster; /* the file that says more; NULL: none */
    struct cluster_plan plan;
};

/* Is it the name of a card? EINVAL after a message that names `origin`, the option or the variable. */
error_t chosen_check_card(const struct cli *cli, const char *origin, const char *text);

/* By --card and --cluster, which have been checked or are NULL, else PENROSE_CLUSTER, else PENROSE_CARD.
 * False after a message. */
bool chosen_find(struct chosen_chips *chosen, const struct cli *cli, const char *card,
                 const char *cluster);

/* The variables by which the library knows the chips; a file's path is not made absolute. False where memory
 * runs out. */
bool chosen_set_environment(const struct chosen_chips *chosen);

/* Tells a command in Python where everything is, and of the file, whose path PENROSE_CLUSTER has. */
void chosen_tell(const struct chosen_chips *chosen, struct python_command *python);

#endif
