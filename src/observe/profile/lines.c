#include "observe/profile/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool profile_source_line(const char *path, unsigned number, char line[PROFILE_LINE_BYTES])
{
    FILE *file = *path && number > 0 ? fopen(path, "re") : NULL;
    char *text = NULL;
    size_t room = 0;
    ssize_t length = -1;
    if (!file) {
        return false;
    }
    for (unsigned i = 0; i < number; i++) {
        length = getline(&text, &room, file);
        if (length < 0) {
            break;
        }
    }
    fclose(file);
    if (length >= 0) {
        const char *begin = text + strspn(text, " \t");
        snprintf(line, PROFILE_LINE_BYTES, "%.*s", (int)strcspn(begin, "\r\n"), begin);
    }
    free(text);
    return length >= 0 && *line;
}
