#include "observe/sink.h"

#include <stdarg.h>
#include <stdio.h>

void sink_put(struct sink *sink, const char *format, ...)
{
    size_t used = (size_t)sink->length < sink->size ? (size_t)sink->length : sink->size;
    char *end = sink->size ? sink->text + used : NULL;
    va_list arguments;
    va_start(arguments, format);
    sink->length += vsnprintf(end, sink->size - used, format, arguments);
    va_end(arguments);
}
