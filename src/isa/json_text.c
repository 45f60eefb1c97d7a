#include "isa/json_text.h"

#include <stdlib.h>
#include <string.h>

#include "isa/plain_text.h"

json_t *json_text(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    enum { MOST = sizeof replacement - 1 };
    size_t size = text ? strlen(text) : 0, used = 0;
    char *made = text ? malloc(MOST * size + 1) : NULL;
    for (size_t at = 0; made && at < size;) {
        size_t length = plain_text_character(text + at, size - at);
        memcpy(made + used, length > 0 ? text + at : replacement, length > 0 ? length : MOST);
        used += length > 0 ? length : MOST;
        at += length > 0 ? length : 1;
    }
    json_t *string = made ? json_stringn(made, used) : NULL;
    free(made);
    return string;
}
