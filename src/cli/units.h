/* A table of the work of the coprocessor's units on all tiles of a run. */
#ifndef CLI_UNITS_H
#define CLI_UNITS_H

#include <stdint.h>

#include <jansson.h>

#include "cli/session.h"

/* Counts from now on, which makes the run some times slower and changes no cycle. */
enum cli_exit units_count(struct session *session);

/* A line for each unit that did something, with its work for each of `cycles`. */
void units_print(struct session *session, uint64_t cycles);
json_t *units_json(struct session *session);

#endif
