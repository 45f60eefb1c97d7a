/* Writes a trace in its binary form, block by block. */
#ifndef OBSERVE_TRACE_WRITER_H
#define OBSERVE_TRACE_WRITER_H

#include <penrose/trace.h>

struct trace_writer;

/* `put` takes whole blocks. NULL when memory runs out. */
struct trace_writer *trace_writer_create(void (*put)(void *context, const void *bytes, size_t size),
                                         void *context);
void trace_writer_add(struct trace_writer *writer, const struct penrose_trace_event *event);

/* Ends the block that was begun; more may follow. */
void trace_writer_flush(struct trace_writer *writer);
void trace_writer_destroy(struct trace_writer *writer); /* NULL does nothing */

#endif
