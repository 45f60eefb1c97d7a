/* Looking for things; see installation.h. */
#include "cli/installation.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chip/grid.h"
#include "cli/child.h"
#include "host/environment.h"

/* --- Cards --- */

const char *card_at(size_t index)
{
    const struct grid_product *product = grid_product_at(index);
    return product ? product->name : NULL;
}

const char *find_card(const char *name)
{
    const struct grid_product *product = grid_product(name);
    return product ? product->name : NULL;
}

const char *default_card(void)
{
    const char *card = host_variable("PENROSE_CARD");
    return card ? card : card_at(0);
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

bool path_is_program(const char *path)
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

/* --- The library --- */

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

static bool library_in(const char *folder, const char *card, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s/%s/libttsim.so", folder, card);
    return length < PATH_MAX && path_exists(path);
}

/* The same in a part of a folder. */
static bool library_below(const char *base, const char *part, const char *card, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    return path_join(folder, base, part) && library_in(folder, card, path);
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

static bool link_to(const char *folder, const char *name, const char *target)
{
    char link[PATH_MAX];
    return path_join(link, folder, name) && path_exists(target) &&
           (symlink(target, link) == 0 || errno == EEXIST);
}

/* In the cache, by the path of the installation: CACHE/cards/PREFIX/CARD. */
static bool link_library(const char *prefix, const char *card, char path[PATH_MAX])
{
    char cache[PATH_MAX], folder[PATH_MAX], library[PATH_MAX], descriptor[PATH_MAX];
    return host_cache(cache, sizeof cache) &&
           (size_t)snprintf(folder, sizeof folder, "%s/cards%s/%s", cache, prefix, card) <
               sizeof folder &&
           path_join(library, prefix, "lib/libttsim.so") && path_exists(library) &&
           (size_t)snprintf(descriptor, sizeof descriptor, "%s/lib/penrose/%s/soc_descriptor.yaml",
                            prefix, card) < sizeof descriptor &&
           path_make(folder) && link_to(folder, "libttsim.so", library) &&
           link_to(folder, "soc_descriptor.yaml", descriptor) &&
           path_join(path, folder, "libttsim.so");
}

/* In a folder of the card's own. */
static bool find_own_library(const char *card, char path[PATH_MAX])
{
    char own[PATH_MAX], prefix[PATH_MAX];
    return (find_own_folder(own) && library_below(own, "cards", card, path)) ||
           (find_own_prefix(prefix) && (library_below(prefix, "lib/penrose", card, path) ||
                                        link_library(prefix, card, path))) ||
           library_in(PENROSE_CARDS_DIR, card, path);
}

/* The library knows all cards; exec and doctor name the card by PENROSE_CARD. */
bool find_library(const char *card, char path[PATH_MAX])
{
    char other[PATH_MAX];
    if (find_own_library(card, path)) {
        return true;
    }
    return find_own_library(card_at(0), other) && strcpy(path, other);
}

bool find_data(const char *name, char path[PATH_MAX])
{
    char place[PATH_MAX], data[PATH_MAX];
    return (find_own_folder(place) && path_join(path, place, name) && path_exists(path)) ||
           (find_own_prefix(place) && path_join(data, place, "share/penrose") &&
            path_join(path, data, name) && path_exists(path)) ||
           (path_join(path, PENROSE_DATA_DIR, name) && path_exists(path));
}

bool find_descriptor(const char *library, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    const char *slash = strrchr(library, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - library) : 1,
             slash ? library : ".");
    return path_join(path, folder, "soc_descriptor.yaml") && path_exists(path);
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

/* "python", "python3", "python3.10" in any folder. */
static bool is_python(const char *path)
{
    static const char prefix[] = "python";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    name += sizeof prefix - 1;
    return !name[strspn(name, "0123456789.")];
}

/* The interpreter that "#!/path/python" or "#!/usr/bin/env python" names. */
static bool read_interpreter(const char *script, char path[PATH_MAX])
{
    char line[PATH_MAX] = "", *save = NULL;
    int fd = open(script, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (fd >= 0) {
        close(fd);
    }
    if (size < 2 || line[0] != '#' || line[1] != '!') {
        return false;
    }
    line[size] = 0;
    line[strcspn(line, "\n")] = 0;
    for (const char *word = strtok_r(line + 2, " \t", &save); word;
         word = strtok_r(NULL, " \t", &save)) {
        if (is_python(word)) {
            return find_program(word, path);
        }
    }
    return false;
}

bool find_python(char *const *command, char path[PATH_MAX])
{
    char found[PATH_MAX];
    for (char *const *word = command; word && *word; word++) {
        if (is_python(*word) && find_program(*word, path)) {
            return true;
        }
    }
    if (command && find_program(command[0], found) && read_interpreter(found, path)) {
        return true;
    }
    const char *own = host_variable("PENROSE_PYTHON");
    return (own && find_program(own, path)) || find_program("python3", path);
}

/* --- tt-metal --- */

/* The folder of the package ttnn, without importing it, which would take seconds. */
static bool find_ttnn(char *python, char path[PATH_MAX])
{
    char option[] = "-c";
    char script[] = "import importlib.util as u, os; s = u.find_spec('ttnn'); "
                    "print(os.path.dirname(s.origin) if s and s.origin else '')";
    char *argv[] = {python, option, script, NULL};
    struct child_result result = child_capture(argv, NULL, 0, 20, path, PATH_MAX);
    path[strcspn(path, "\n")] = 0;
    return result.end == CHILD_EXITED && result.status == 0 && *path;
}

bool find_metal_root(const char *python, char path[PATH_MAX])
{
    static const char *const names[] = {"TT_METAL_RUNTIME_ROOT", "TT_METAL_HOME"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *root = host_variable(names[i]);
        if (root) { /* this one counts, whatever is in it */
            return (size_t)snprintf(path, PATH_MAX, "%s", root) < PATH_MAX && path_exists(path);
        }
    }
    char program[PATH_MAX];
    if (!python || (size_t)snprintf(program, sizeof program, "%s", python) >= sizeof program) {
        return false;
    }
    return find_ttnn(program, path);
}
