/* Firmware in the cache, see cached_firmware.h. */
#include "unit/loader/cached_firmware.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "host/environment.h"

/* Where scripts/fetch-firmware has put it. */
static const char *find_cache(const char **below)
{
    static const struct {
        const char *variable, *below;
    } places[] = {
        {"PENROSE_CACHE", ""}, {"XDG_CACHE_HOME", "/penrose"}, {"HOME", "/.cache/penrose"}};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        *below = places[i].below;
        if (host_variable(places[i].variable)) {
            return host_variable(places[i].variable);
        }
    }
    return NULL;
}

/* The first path that matches a pattern below the cache, without the `last` bytes at its end. */
static const char *find(const char *pattern, size_t last)
{
    static char path[PATH_MAX];
    char whole[PATH_MAX];
    const char *below, *cache = find_cache(&below);
    glob_t found = {0};
    bool is_found = false;
    if (cache) {
        snprintf(whole, sizeof whole, "%s%s/%s", cache, below, pattern);
        is_found = glob(whole, 0, NULL, &found) == 0 && strlen(found.gl_pathv[0]) < sizeof path;
    }
    if (is_found) {
        memcpy(path, found.gl_pathv[0], strlen(found.gl_pathv[0]) + 1);
        path[strlen(path) - last] = 0;
    } else {
        printf("no firmware in the cache (scripts/fetch-firmware): tests with it are left out\n");
    }
    globfree(&found);
    return is_found ? path : NULL;
}

const char *cached_firmware(void)
{
    return find("ttnn-*/pre-compiled", 0);
}

const char *cached_firmware_set(void)
{
    return find("ttnn-*/pre-compiled/*/drisc", strlen("/drisc"));
}
