/* Environment variables, see host/environment.h. */
#include "host/environment.h"

#include <stdio.h>
#include <stdlib.h>

const char *host_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
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
            return (size_t)snprintf(path, size, "%s%s", folder, places[i].below) < size;
        }
    }
    return false;
}
