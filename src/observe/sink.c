#include "observe/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/plain_text.h"

void sink_put(struct sink *sink, const char *format, ...)
{
    size_t used = (size_t)sink->length < sink->size ? (size_t)sink->length : sink->size;
    char *end = sink->text + used;
    va_list arguments;
    va_start(arguments, format);
    sink->length += vsnprintf(sink->size > used ? end : NULL, sink->size - used, format, arguments);
    va_end(arguments);
    if (sink->size > used) {
        plain_text(end, strlen(end));
    }
}
