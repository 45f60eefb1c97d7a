#include "observe/names.h"

#include <stdlib.h>
#include <string.h>

static size_t hash_of(const char *text, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    }
    return (size_t)(hash ^ hash >> 29);
}

/* Where the name is, or would be; there is always an empty place. */
static char **find_name(const struct names *names, const char *text, size_t length)
{
    size_t at = hash_of(text, length) & (names->room - 1);
    while (names->slot[at] &&
           (strncmp(names->slot[at], text, length) != 0 || names->slot[at][length])) {
        at = (at + 1) & (names->room - 1);
    }
    return &names->slot[at];
}

static int make_name_room(struct names *names)
{
    struct names grown = {.room = names->room ? names->room * 2 : 64, .count = names->count};
    if (names->count * 2 < names->room) {
        return 1;
    }
    grown.slot = calloc(grown.room, sizeof *grown.slot);
    if (!grown.slot) {
        return 0;
    }
    for (size_t i = 0; i < names->room; i++) {
        if (names->slot[i]) {
            *find_name(&grown, names->slot[i], strlen(names->slot[i])) = names->slot[i];
        }
    }
    free(names->slot);
    *names = grown;
    return 1;
}

const char *names_keep(struct names *names, const char *text, size_t length)
{
    if (length == 0 || !make_name_room(names)) {
        return "";
    }
    char **name = find_name(names, text, length);
    if (!*name) {
        *name = strndup(text, length);
        names->count += *name != NULL;
    }
    return *name ? *name : "";
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->room; i++) {
        free(names->slot[i]);
    }
    free(names->slot);
    *names = (struct names){0};
}
