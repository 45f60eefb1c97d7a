/* See program_files.h. */
#include "metal/program_files.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/names.h"
#include "isa/host_time.h"

enum { LEAST_CODE = 64, MOST_FILES = 2048, MOST_FOLDERS = 8, WORD = 4 };
enum { LOOK_NANOSECONDS = 1000000000 };

/* A file, and the beginning of its code, by which they are sorted. Of files with the same code the
 * newest comes first: a host that runs now has compiled it, or has compiled it last. */
struct program_file {
    uint64_t begins;
    int64_t modified; /* nanoseconds */
    const struct loader_segment *code;
    struct loader_elf *elf;
};

struct program_files {
    struct program_file file[MOST_FILES];
    size_t count;
    char *folder[MOST_FOLDERS];
    size_t folders;
    uint64_t next_look; /* host time */
};

struct program_files *program_files_create(void)
{
    return calloc(1, sizeof(struct program_files));
}

void program_files_free(struct program_files *files)
{
    for (size_t i = 0; files && i < files->count; i++) {
        loader_elf_close(files->file[i].elf);
    }
    for (size_t i = 0; files && i < files->folders; i++) {
        free(files->folder[i]);
    }
    free(files);
}

size_t program_files_count(const struct program_files *files)
{
    return files->count;
}

/* --- Files --- */

/* What tt-metal links other programs with is a program again. */
static bool is_program_name(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".elf") == 0 && !strstr(name, "_weakened.elf");
}

/* NULL: it is not open. */
static struct loader_elf *find_open(const struct program_files *files, const char *path)
{
    size_t i = 0;
    while (i < files->count && strcmp(loader_elf_path(files->file[i].elf), path) != 0) {
        i++;
    }
    return i < files->count ? files->file[i].elf : NULL;
}

static const struct loader_segment *code_of_program(const struct loader_elf *elf)
{
    unsigned count;
    const struct loader_segment *segment = loader_elf_segments(elf, &count);
    for (unsigned i = 0; i < count; i++) {
        if (segment[i].flags & LOADER_SEGMENT_EXECUTE && segment[i].filesz >= LEAST_CODE) {
            return &segment[i];
        }
    }
    return NULL;
}

static bool comes_behind(const struct program_file *a, const struct program_file *b)
{
    return a->begins != b->begins ? a->begins > b->begins : a->modified < b->modified;
}

static void insert_program(struct program_files *files, struct loader_elf *elf)
{
    struct program_file file = {.code = code_of_program(elf), .elf = elf};
    struct stat about;
    size_t at = files->count++;
    if (file.code) {
        memcpy(&file.begins, file.code->bytes, sizeof file.begins);
    }
    if (stat(loader_elf_path(elf), &about) == 0) {
        file.modified = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
    }
    for (; at > 0 && comes_behind(&files->file[at - 1], &file); at--) {
        files->file[at] = files->file[at - 1];
    }
    files->file[at] = file;
}

static void open_program(struct program_files *files, const char *name)
{
    struct loader_elf *elf;
    char *path = realpath(name, NULL);
    if (path && files->count < MOST_FILES && !find_open(files, path) &&
        loader_elf_open(path, &elf, NULL) == PENROSE_OK) {
        insert_program(files, elf);
    }
    free(path);
}

/* False: there is nothing of that name. */
static bool open_programs(struct program_files *files, char *path)
{
    char *const paths[] = {path, NULL};
    FTS *tree = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    bool is_there = false;
    for (FTSENT *entry; tree && (entry = fts_read(tree)) != NULL;) {
        is_there |= entry->fts_info == FTS_D || entry->fts_info == FTS_F;
        if (entry->fts_info == FTS_F && is_program_name(entry->fts_name)) {
            open_program(files, entry->fts_path);
        }
    }
    if (tree) {
        fts_close(tree);
    }
    return is_there;
}

static bool is_folder_kept(const struct program_files *files, const char *path)
{
    for (size_t i = 0; i < files->folders; i++) {
        if (strcmp(files->folder[i], path) == 0) {
            return true;
        }
    }
    return false;
}

bool program_files_add(struct program_files *files, const char *path)
{
    char *copy = strdup(path);
    bool is_there = copy && open_programs(files, copy);
    if (is_there && files->folders < MOST_FOLDERS && !is_folder_kept(files, path)) {
        files->folder[files->folders++] = copy;
    } else {
        free(copy);
    }
    return is_there;
}

void program_files_look(struct program_files *files)
{
    uint64_t now = host_nanoseconds();
    if (now >= files->next_look) {
        for (size_t i = 0; i < files->folders; i++) {
            open_programs(files, files->folder[i]);
        }
        files->next_look = now + LOOK_NANOSECONDS;
    }
}

/* --- Places --- */

/* The hart that tt-metal's name of a file tells. */
static enum penrose_hart hart_of_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        const char *prefix = arch_hart_name((enum penrose_hart)hart);
        if (strncmp(name, prefix, strlen(prefix)) == 0) {
            return (enum penrose_hart)hart;
        }
    }
    return PENROSE_NO_HART;
}

static bool has_code_of(const struct loader_segment *a, const struct loader_segment *b)
{
    return a && b && a->filesz == b->filesz && memcmp(a->bytes, b->bytes, a->filesz) == 0;
}

static const struct program_file *find_file(const struct program_files *files,
                                            const struct loader_elf *elf)
{
    size_t i = 0;
    while (i < files->count && files->file[i].elf != elf) {
        i++;
    }
    return i < files->count ? &files->file[i] : NULL;
}

/* A kernel that its host has told was moved: some words of its code differ from those of its file. */
static bool is_moved_kernel(const struct image *old, const struct image *image)
{
    return old->is_kernel && old->hart == image->hart && old->size == image->size;
}

/* Is the same code known there already, of a file that is not older? */
static bool is_code_known(const struct program_files *files, const struct images *images,
                          const struct image *image, const struct program_file *file)
{
    const struct image *old = images_find(images, image->x, image->y, image->base);
    const struct program_file *other = old ? find_file(files, old->elf) : NULL;
    if (!old || old->base != image->base) {
        return false;
    }
    return other
               ? has_code_of(other->code, file->code) && other->modified >= file->modified
               : has_code_of(code_of_program(old->elf), file->code) || is_moved_kernel(old, image);
}

static unsigned count_others(const struct program_files *files, const struct program_file *file)
{
    unsigned others = 0;
    for (size_t i = 0; i < files->count; i++) {
        others += &files->file[i] != file && has_code_of(files->file[i].code, file->code);
    }
    return others;
}

static bool has_code(const struct tile_facts *tile, uint32_t at, const struct loader_segment *code)
{
    return at < tile->l1_bytes && code->filesz <= tile->l1_bytes - at &&
           memcmp(tile->l1 + at, code->bytes, code->filesz) == 0;
}

static bool place_program(const struct program_files *files, struct penrose_chip *chip,
                          const struct tile_facts *tile, const struct program_file *file,
                          uint32_t at)
{
    const struct loader_segment *code = file->code;
    const struct image image = {.x = tile->x,
                                .y = tile->y,
                                .base = at,
                                .size = code->filesz,
                                .link_base = code->vaddr,
                                .elf = file->elf,
                                .hart = hart_of_file(loader_elf_path(file->elf)),
                                .is_kernel = at != code->vaddr,
                                .is_found = true};
    return has_code(tile, at, code) &&
           !is_code_known(files, &chip_head(chip)->images, &image, file) &&
           images_add(&chip_head(chip)->images, &image);
}

/* The first file whose code begins so, or with something greater. */
static size_t first_that_begins(const struct program_files *files, uint64_t begins)
{
    size_t low = 0, high = files->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (files->file[middle].begins < begins) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

unsigned program_files_place(struct program_files *files, struct penrose_chip *chip,
                             const struct tile_facts *tile, program_files_found *found,
                             void *context)
{
    unsigned placed = 0;
    uint64_t begins;
    for (uint32_t at = 0; at + sizeof begins <= tile->l1_bytes; at += WORD) {
        memcpy(&begins, tile->l1 + at, sizeof begins);
        size_t i = begins ? first_that_begins(files, begins) : files->count;
        for (; i < files->count && files->file[i].begins == begins; i++) {
            if (place_program(files, chip, tile, &files->file[i], at)) {
                placed++;
                if (found) {
                    found(context, tile, loader_elf_path(files->file[i].elf),
                          count_others(files, &files->file[i]));
                }
            }
        }
    }
    return placed;
}

bool program_files_place_moved(struct program_files *files, struct penrose_chip *chip,
                               const char *path, struct image image)
{
    open_program(files, path);
    image.elf = find_open(files, path);
    image.is_found = true;
    return image.elf && images_add(&chip_head(chip)->images, &image);
}

void program_files_forget(const struct program_files *files, struct penrose_chip *chip)
{
    struct images *images = &chip_head(chip)->images;
    size_t kept = 0;
    for (size_t i = 0; i < images->count; i++) {
        if (!find_file(files, images->image[i].elf)) {
            images->image[kept++] = images->image[i];
        }
    }
    images->count = kept;
    images->forgettings++;
}

void program_files_place_all(struct program_files *files, struct penrose_chip *chip,
                             struct penrose_chip *at)
{
    struct tile_facts tile;
    unsigned next = 0;
    program_files_forget(files, chip);
    while (files->count > 0 && chip_calls_of(at)->next_tile(at, &next, &tile)) {
        program_files_place(files, chip, &tile, NULL, NULL);
    }
}
