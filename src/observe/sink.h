/* Text that grows in a buffer of fixed size; `length` goes on counting past its end, as snprintf
 * does. A NULL buffer of size 0 only counts. */
#ifndef OBSERVE_SINK_H
#define OBSERVE_SINK_H

#include <stddef.h>

struct sink {
    char *text;
    size_t size;
    int length;
};

/* Appends printf-style text, without control characters but newlines and tabs (isa/plain_text.h). */
void sink_put(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
