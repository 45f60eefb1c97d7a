/* Firmware in the cache, see cached_firmware.h. */
#include "unit/loader/cached_firmware.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "host/environment.h"

/* The first path that matches a pattern below the cache, without the `last` bytes at its end. */
static const char *find(const char *pattern, size_t last)
{
    static char path[PATH_MAX];
    char cache[PATH_MAX / 2], whole[PATH_MAX];
    glob_t found = {0};
    bool is_found = false;
    if (host_cache(cache, sizeof cache)) {
        snprintf(whole, sizeof whole, "%s/%s", cache, pattern);
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
