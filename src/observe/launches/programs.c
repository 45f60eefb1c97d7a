/* Files of kernels; see programs.h. */
#include "observe/launches/programs.h"

#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/environment.h"

/* A file that may be a kernel. One that is none, as firmware, has no bytes. */
struct candidate {
    char *path;    /* of the file */
    char *pattern; /* the same with {hart} */
    enum loader_processor processor;
    struct timespec modified;
    struct loader_blob blob;
};

struct programs {
    uint32_t l1_bytes;
    char pattern[PATH_MAX]; /* of folders with them */
    struct candidate *candidate;
    size_t candidates, room;
};

/* --- Folders --- */

/* Where tt-metal keeps what it compiles. */
static void name_folders(struct programs *programs)
{
    const char *cache = host_variable("TT_METAL_CACHE"), *home = host_variable("HOME");
    const char *root = cache ? cache : home ? home : "";
    snprintf(programs->pattern, sizeof programs->pattern, "%s%s", root,
             cache ? "" : "/.cache/tt-metal-cache*");
}

struct programs *programs_open(uint32_t l1_bytes)
{
    struct programs *programs = calloc(1, sizeof *programs);
    if (programs) {
        programs->l1_bytes = l1_bytes;
        name_folders(programs);
    }
    return programs;
}

void programs_close(struct programs *programs)
{
    for (size_t i = 0; programs && i < programs->candidates; i++) {
        free(programs->candidate[i].path);
        free(programs->candidate[i].pattern);
        loader_blob_free(&programs->candidate[i].blob);
    }
    if (programs) {
        free(programs->candidate);
    }
    free(programs);
}

const char *programs_folders(const struct programs *programs)
{
    return programs->pattern;
}

/* --- Files --- */

/* ".../{hart}/{hart}.elf" or ".../{hart}.elf" of a path that ends in the hart's name twice, or once. */
static char *make_pattern(const char *path, const char *hart)
{
    char tail[64], *pattern = NULL;
    snprintf(tail, sizeof tail, "/%s/%s.elf", hart, hart);
    size_t length = strlen(path), end = strlen(tail);
    bool is_twice = length > end && strcmp(path + length - end, tail) == 0;
    end = is_twice ? end : strlen(hart) + sizeof "/.elf" - 1;
    if (asprintf(&pattern, "%.*s%s", (int)(length - end), path,
                 is_twice ? "/{hart}/{hart}.elf" : "/{hart}.elf") < 0) {
        pattern = NULL;
    }
    return pattern;
}

static bool is_candidate_known(const struct programs *programs, const char *path)
{
    bool is_one = false;
    for (size_t i = 0; i < programs->candidates && !is_one; i++) {
        is_one = strcmp(programs->candidate[i].path, path) == 0;
    }
    return is_one;
}

static void add_candidate(struct programs *programs, const char *path,
                          enum loader_processor processor)
{
    struct candidate candidate = {.path = strdup(path), .processor = processor};
    struct loader_elf *elf;
    if (programs->candidates == programs->room) {
        size_t room = programs->room ? 2 * programs->room : 64;
        struct candidate *grown = realloc(programs->candidate, room * sizeof *grown);
        if (grown) {
            programs->candidate = grown;
            programs->room = room;
        }
    }
    candidate.pattern = make_pattern(path, loader_processor_name(processor));
    if (!candidate.path || !candidate.pattern || programs->candidates == programs->room) {
        free(candidate.path);
        free(candidate.pattern);
        return;
    }
    struct stat about;
    if (stat(path, &about) == 0) {
        candidate.modified = about.st_mtim;
    }
    if (loader_elf_open(path, &elf, NULL) == PENROSE_OK) {
        (void)loader_xip(elf, programs->l1_bytes, &candidate.blob, NULL);
        loader_elf_close(elf);
    }
    programs->candidate[programs->candidates++] = candidate;
}

/* Every file of the hart in a folder and below it that is not known yet. */
static void look_into_folder(struct programs *programs, char *folder,
                             enum loader_processor processor)
{
    char *const paths[] = {folder, NULL};
    char name[32];
    FTS *tree = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    snprintf(name, sizeof name, "%s.elf", loader_processor_name(processor));
    for (FTSENT *entry; tree && (entry = fts_read(tree)) != NULL;) {
        bool is_one = entry->fts_info == FTS_F && strcmp(entry->fts_name, name) == 0;
        char *path = is_one ? realpath(entry->fts_path, NULL) : NULL;
        if (path && !is_candidate_known(programs, path)) {
            add_candidate(programs, path, processor);
        }
        free(path);
    }
    if (tree) {
        fts_close(tree);
    }
}

/* A host compiles while it runs. */
static void look_for_files(struct programs *programs, enum loader_processor processor)
{
    glob_t found;
    if (glob(programs->pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            look_into_folder(programs, found.gl_pathv[i], processor);
        }
        globfree(&found);
    }
}

static bool is_newer(const struct candidate *a, const struct candidate *b)
{
    return a->modified.tv_sec != b->modified.tv_sec ? a->modified.tv_sec > b->modified.tv_sec
                                                    : a->modified.tv_nsec > b->modified.tv_nsec;
}

/* Of files with the same bytes the newest: hosts compile again, elsewhere. */
static const struct candidate *find_candidate(const struct programs *programs,
                                              enum loader_processor processor,
                                              struct loader_memory l1, uint32_t address)
{
    const struct candidate *newest = NULL;
    for (size_t i = programs->candidates; i-- > 0;) {
        const struct candidate *candidate = &programs->candidate[i];
        bool may_be = candidate->processor == processor && (!newest || is_newer(candidate, newest));
        uint32_t size = candidate->blob.size;
        uint8_t *bytes = may_be && size ? malloc(size) : NULL;
        bool is_same = bytes && l1.read(l1.context, address, bytes, size) &&
                       memcmp(bytes, candidate->blob.bytes, size) == 0;
        free(bytes);
        if (is_same) {
            newest = candidate;
        }
    }
    return newest;
}

const char *programs_kernel(struct programs *programs, enum loader_processor processor,
                            struct loader_memory l1, uint32_t address)
{
    const struct candidate *found = find_candidate(programs, processor, l1, address);
    if (!found) {
        look_for_files(programs, processor);
        found = find_candidate(programs, processor, l1, address);
    }
    return found ? found->pattern : NULL;
}

void programs_look(struct programs *programs)
{
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        look_for_files(programs, (enum loader_processor)i);
    }
}

const char *programs_file(const struct programs *programs, enum loader_processor processor,
                          struct loader_memory l1, uint32_t address,
                          const struct loader_blob **blob)
{
    const struct candidate *found = find_candidate(programs, processor, l1, address);
    *blob = found ? &found->blob : NULL;
    return found ? found->path : NULL;
}
