/*
 * Which function and source line a traced instruction belongs to; what was found once is kept as
 * long as the chip's programs stay. Programs that a host has written are looked for when an
 * instruction has no name, and are forgotten when their code in the tile is another one: that is
 * looked at once a window, so a name may be late by one.
 */
#ifndef OBSERVE_TRACE_CODE_H
#define OBSERVE_TRACE_CODE_H

#include <penrose/trace.h>

#include "observe/names.h"

struct trace_calls;
struct trace_place;
struct trace_tile;

struct trace_code {
    struct penrose_chip *chip;
    struct trace_place *place; /* a table with a place for each remainder of pc and tile */
    struct trace_calls *calls; /* such a table for remainders of file and address */
    unsigned images;           /* of the chip, when they were filled */
    struct trace_tile *tile;   /* by their places */
    struct names names;
};

/* False when memory runs out. */
bool trace_code_init(struct trace_code *code, struct penrose_chip *chip);
void trace_code_free(struct trace_code *code);

/* Fills in symbol and source of the event's pc; nothing where it has none. */
void trace_code_find(struct trace_code *code, struct penrose_trace_event *event);

#endif
