/*
 * The function and source line of a traced instruction. Results are kept as long as the chip's
 * programs stay. If an instruction has no name, programs that a host has written are looked for.
 * They are forgotten when their code in the tile has changed. This is checked once a window, so a
 * name may be late by one window.
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
