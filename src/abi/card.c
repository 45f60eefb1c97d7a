/* Which card this library is by default; see card.h. */
#include "abi/card.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/api.h"
#include "host/environment.h"

enum { MOST_LINKS = 8 };

/* --- Paths --- */

/* The card whose name a folder has; NULL: none. Cuts what is behind the folder off `path`. */
static const char *card_of_folder(char path[PATH_MAX])
{
    char folder[PATH_MAX];
    char *slash = strrchr(path, '/');
    if (!slash) {
        return NULL;
    }
    *slash = 0;
    return realpath(path, folder) ? api_card(strrchr(folder, '/') + 1) : NULL;
}

/* The card in whose folder a file lies, or one of the links that lead to it. */
static const char *card_of_path(const char *name)
{
    char path[PATH_MAX], target[PATH_MAX], next[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s", name) >= sizeof path) {
        return NULL;
    }
    for (unsigned links = 0; links < MOST_LINKS; links++) {
        ssize_t length = readlink(path, target, sizeof target - 1);
        const char *card = card_of_folder(path);
        if (card || length <= 0) {
            return card;
        }
        target[length] = 0;
        bool is_relative = target[0] != '/';
        if ((size_t)snprintf(next, sizeof next, "%s%s%s", is_relative ? path : "",
                             is_relative ? "/" : "", target) >= sizeof next) {
            return NULL;
        }
        memcpy(path, next, sizeof path);
    }
    return NULL;
}

/* --- The note --- */

#define NOTE_NAME "penrose-card-"

struct card_note {
    const char *card; /* NULL: there is no note */
    void *mapping;
    size_t size;
};

static struct card_note find_card_note(void)
{
    struct card_note note = {0};
    char *line = NULL;
    size_t room = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !note.card && getline(&line, &room, maps) > 0) {
        char *name = strstr(line, "/memfd:" NOTE_NAME), *dash;
        if (name) {
            name += strlen("/memfd:" NOTE_NAME);
            name[strcspn(name, " \n")] = 0;
            uintptr_t begin = (uintptr_t)strtoull(line, &dash, 16);
            note.card = api_card(name);
            note.size = (uintptr_t)strtoull(dash + 1, NULL, 16) - begin;
            note.mapping = (void *)begin;
        }
    }
    free(line);
    if (maps) {
        fclose(maps);
    }
    return note;
}

/* Best effort: where it fails copies of the library have to be told by a variable. */
static void leave_card_note(const char *card)
{
    char name[64];
    struct card_note old = find_card_note();
    if (old.card == card) {
        return;
    }
    if (old.card) {
        munmap(old.mapping, old.size);
    }
    snprintf(name, sizeof name, NOTE_NAME "%s", card);
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file >= 0) {
        (void)mmap(NULL, 1, PROT_NONE, MAP_PRIVATE, file, 0); /* a name, and nothing behind it */
        close(file);
    }
}

const char *abi_default_card(void)
{
    static const char anchor; /* something that lies in this library */
    Dl_info library;
    const char *card = NULL;
    const char *simulator = host_variable("TT_METAL_SIMULATOR");
    if (dladdr(&anchor, &library) && library.dli_fname) {
        card = card_of_path(library.dli_fname);
    }
    if (card) {
        leave_card_note(card);
        return card;
    }
    card = find_card_note().card;
    if (!card && simulator) {
        card = card_of_path(simulator);
    }
    return card ? card : api_chips[0]->card_at(0);
}
