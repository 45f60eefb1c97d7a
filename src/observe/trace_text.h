/*
 * A trace as text: a line for each instruction and each access to a register.
 *
 * Columns: cycle, tile, hart, then for an instruction its pc, word, text, symbol and source line,
 * for an access its direction, address, value, size and what lies there.
 */
#ifndef OBSERVE_TRACE_TEXT_H
#define OBSERVE_TRACE_TEXT_H

#include <penrose/penrose.h>

enum { TRACE_LINE_BYTES = 1024 };

struct trace_text;

/* NULL when memory runs out. */
struct trace_text *trace_text_create(struct penrose_chip *chip);
void trace_text_destroy(struct trace_text *text); /* NULL does nothing */

/* Other code has been loaded: what was remembered of the old is forgotten. */
void trace_text_forget(struct trace_text *text);

/* Writes the line of an event, newline included; returns its length. */
size_t trace_text_line(struct trace_text *text, const struct penrose_trace_event *event,
                       char line[TRACE_LINE_BYTES]);

#endif
