#include "isa/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/plain_text.h"

enum penrose_status error_set(struct penrose_error *error, enum penrose_status status,
                              const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        plain_text(error->text, strlen(error->text));
    }
    return status;
}
