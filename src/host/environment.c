/* Environment variables, see host/environment.h. */
#include "host/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *host_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool host_count(const char *text, unsigned most, unsigned *count)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < 1 || value > most) {
        return false;
    }
    *count = (unsigned)value;
    return true;
}

bool host_switch(const char *text, bool *is_on)
{
    bool turns_on = strcmp(text, "on") == 0;
    if (!turns_on && strcmp(text, "off") != 0) {
        return false;
    }
    *is_on = turns_on;
    return true;
}

bool host_absolute(char *path, size_t size, const char *file)
{
    char here[PATH_MAX];
    if (*file == '/') {
        return (size_t)snprintf(path, size, "%s", file) < size;
    }
    return getcwd(here, sizeof here) && (size_t)snprintf(path, size, "%s/%s", here, file) < size;
}

bool host_cache(char *path, size_t size)
{
    static const struct {
        const char *variable, *below;
    } places[] = {
        {"PENROSE_CACHE", ""}, {"XDG_CACHE_HOME", "/penrose"}, {"HOME", "/.cache/penrose"}};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *folder = host_variable(places[i].variable);
        if (folder) {
            return host_absolute(path, size, folder) &&
                   strlen(path) + strlen(places[i].below) < size && strcat(path, places[i].below);
        }
    }
    return false;
}
