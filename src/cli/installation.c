/* Looking for things; see installation.h. */
#include "cli/installation.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api.h"
#include "host/environment.h"

/* --- Cards --- */

const char *default_card(void)
{
    const char *card = host_variable("PENROSE_CARD");
    return card ? card : api_chips[0]->card_at(0);
}

/* --- Paths --- */

bool path_join(char path[PATH_MAX], const char *folder, const char *name)
{
    return (size_t)snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

bool path_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool path_is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

void path_remove(const char *path)
{
    enum { MOST_OPEN = 16 };
    nftw(path, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}

bool path_make(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(part, path, length + 1);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return false;
        }
        *slash = '/';
    }
    return mkdir(part, 0777) == 0 || errno == EEXIST;
}

/* --- What is installed --- */

bool find_own_folder(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0) {
        return false;
    }
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (!slash) {
        return false;
    }
    *slash = 0;
    return true;
}

/* The folder above that of this program, which lies in its bin. */
static bool find_own_prefix(char path[PATH_MAX])
{
    char *slash = find_own_folder(path) ? strrchr(path, '/') : NULL;
    if (slash) {
        *slash = 0;
    }
    return slash != NULL;
}

bool find_data(const char *name, char path[PATH_MAX])
{
    char place[PATH_MAX], data[PATH_MAX];
    return (find_own_folder(place) && path_join(path, place, name) && path_exists(path)) ||
           (find_own_prefix(place) && path_join(data, place, "share/penrose") &&
            path_join(path, data, name) && path_exists(path)) ||
           (path_join(path, PENROSE_DATA_DIR, name) && path_exists(path));
}

/* --- Programs --- */

bool find_guest(const char *name, char path[PATH_MAX])
{
    char own[PATH_MAX], prefix[PATH_MAX], folder[PATH_MAX];
    if (name[0] == '/' || path_exists(name)) {
        return false;
    }
    return (find_own_folder(own) && path_join(folder, own, "firmware") &&
            path_join(path, folder, name) && path_exists(path)) ||
           (find_own_prefix(prefix) && path_join(folder, prefix, "share/penrose/guests") &&
            path_join(path, folder, name) && path_exists(path));
}

bool find_program(const char *name, char path[PATH_MAX])
{
    const char *at = getenv("PATH");
    if (strchr(name, '/')) {
        return (size_t)snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && path_is_program(path);
    }
    while (at && *at) {
        size_t length = strcspn(at, ":");
        int size = snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, at, length ? "/" : "", name);
        if (size < PATH_MAX && path_is_program(path)) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}
