/*
 * A trace as text: a line for each event.
 *
 * Columns are the cycle, the tile, the agent, the event, the function, the source line and the calls
 * that were inlined there. The event is the pc, word, text and result of an instruction, or
 * otherwise a text that says what happens.
 */
#ifndef OBSERVE_TRACE_TEXT_H
#define OBSERVE_TRACE_TEXT_H

#include <penrose/trace.h>

enum { TRACE_LINE_BYTES = 1024 };

/* For the events of one trace. */
struct trace_text;
struct chip_calls;

/* For instructions of this kind of chip; NULL: for calls alone. NULL when memory runs out. */
struct trace_text *trace_text_create(const struct chip_calls *calls);
void trace_text_destroy(struct trace_text *text); /* NULL does nothing */

/* The text of the event's instruction, of RISC-V or the coprocessor; lives until the next call. */
const char *trace_text_instruction(struct trace_text *text,
                                   const struct penrose_trace_event *event);

/* The calls of an event as loader_calls_text has them, without folders; lives until the next call. */
const char *trace_text_calls(struct trace_text *text, const char *inlined_at);

/* Writes the line of an event, newline included; returns its length. */
size_t trace_text_line(struct trace_text *text, const struct penrose_trace_event *event,
                       char line[TRACE_LINE_BYTES]);

#endif
