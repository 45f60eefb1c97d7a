/* Environment variables, see host/environment.h. */
#include "host/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
        char here[PATH_MAX] = "";
        if (folder && *folder != '/' && !getcwd(here, sizeof here)) {
            return false;
        }
        if (folder) {
            return (size_t)snprintf(path, size, "%s%s%s%s", here, *here ? "/" : "", folder,
                                    places[i].below) < size;
        }
    }
    return false;
}
