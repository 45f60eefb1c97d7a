/* See program_files.h. */
#include "metal/program_files.h"

#include <fts.h>
#include <glob.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/names.h"
#include "host/array.h"
#include "loader/xip.h"

enum { LEAST_CODE = 64, MOST_CODE = 1 << 24 /* no tile has so much */, MOST_NAMES = 8, WORD = 4 };
enum { BEGINNINGS = 1 << 16 };

/* A file as it was when it was read. Compilers write into the file that is there. */
struct file_key {
    dev_t device;
    ino_t inode;
    int64_t modified; /* nanoseconds */
};

/* What may lie in a tile of a file: its code as it was linked, or as a host makes it of a kernel. They
 * are sorted by the first eight bytes of their code. Of files with the same code the newest comes
 * first: a host that runs now has compiled it, or has compiled it last. */
struct program_file {
    uint64_t begins;
    struct file_key key;
    char *path;
    uint8_t *bytes; /* malloc'ed: the code, and behind it data of a kernel that was moved */
    uint32_t size, code_size, link_base;
    enum penrose_hart hart; /* that the file's name tells */
    bool is_moved;
    bool is_gone;           /* the file has another content by now */
    struct loader_elf *elf; /* NULL until it was found in a tile */
};

struct program_files {
    struct program_file *file;
    size_t count, room;
    void *
        known; /* a tree (tsearch) of the keys of all files that were read, also of those without code */
    char *name[MOST_NAMES]; /* of the files and folders that were asked for */
    size_t names;
    bool begins[BEGINNINGS]; /* the code of some file begins with these 16 bits */
};

struct program_files *program_files_create(void)
{
    return calloc(1, sizeof(struct program_files));
}

void program_files_free(struct program_files *files)
{
    for (size_t i = 0; files && i < files->count; i++) {
        loader_elf_close(files->file[i].elf);
        free(files->file[i].path);
        free(files->file[i].bytes);
    }
    for (size_t i = 0; files && i < files->names; i++) {
        free(files->name[i]);
    }
    if (files) {
        tdestroy(files->known, free);
        free(files->file);
    }
    free(files);
}

/* --- Files --- */

/* What tt-metal links other programs with, and what it has made of a kernel, are programs again. */
static bool is_program_name(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".elf") == 0 && !strstr(name, "_weakened.elf") &&
           !strstr(name, ".xip.elf");
}

static struct file_key key_of(const struct stat *about)
{
    return (struct file_key){.device = about->st_dev,
                             .inode = about->st_ino,
                             .modified = (int64_t)about->st_mtim.tv_sec * 1000000000 +
                                         about->st_mtim.tv_nsec};
}

static int compare_keys(const void *one, const void *other)
{
    const struct file_key *a = one, *b = other;
    return a->inode != b->inode     ? (a->inode > b->inode ? 1 : -1)
           : a->device != b->device ? (a->device > b->device ? 1 : -1)
                                    : (a->modified > b->modified) - (a->modified < b->modified);
}

/* False: it was read before, or there is no memory. */
static bool is_file_new(struct program_files *files, const struct file_key *key)
{
    struct file_key *copy = malloc(sizeof *copy), **kept = NULL;
    if (copy) {
        *copy = *key;
        kept = tsearch(copy, &files->known, compare_keys);
    }
    bool is_new = kept && *kept == copy;
    if (!is_new) {
        free(copy);
    }
    return is_new;
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

static int compare_files(const void *one, const void *other)
{
    const struct program_file *a = one, *b = other;
    return a->begins != b->begins
               ? (a->begins > b->begins ? 1 : -1)
               : (a->key.modified < b->key.modified) - (a->key.modified > b->key.modified);
}

/* Takes over the file's bytes. Files are out of order behind it. */
static void add_program(struct program_files *files, struct program_file file, const char *path)
{
    bool has_room = array_grow(&files->file, files->count, &files->room, sizeof *files->file);
    file.path = strdup(path);
    if (!has_room || !file.path || !file.bytes) {
        free(file.path);
        free(file.bytes);
        return;
    }
    memcpy(&file.begins, file.bytes, sizeof file.begins);
    files->begins[file.begins % BEGINNINGS] = true;
    files->file[files->count++] = file;
}

/* Enters its code as it was linked, and as the host moves it if it is a kernel. */
static void add_codes(struct program_files *files, const struct loader_elf *elf,
                      struct program_file file)
{
    const struct loader_segment *code = code_of_program(elf);
    const char *path = loader_elf_path(elf);
    struct loader_blob blob;
    file.hart = hart_of_file(path);
    if (!code) {
        return;
    }
    file.size = file.code_size = code->filesz;
    file.link_base = code->vaddr;
    file.bytes = malloc(code->filesz);
    if (file.bytes) {
        memcpy(file.bytes, code->bytes, code->filesz);
    }
    add_program(files, file, path);
    if (loader_xip(elf, MOST_CODE, &blob, NULL) != PENROSE_OK) {
        return;
    }
    file.bytes = blob.bytes;
    file.size = blob.size;
    file.code_size = blob.text_size;
    file.link_base = blob.link_base;
    file.is_moved = true;
    if (blob.text_size >= LEAST_CODE) {
        add_program(files, file, path);
    } else {
        loader_blob_free(&blob);
    }
}

static void open_program(struct program_files *files, const char *name, const struct stat *about)
{
    struct loader_elf *elf = NULL;
    const struct file_key key = key_of(about);
    if (is_file_new(files, &key) && loader_elf_open(name, &elf, NULL) == PENROSE_OK) {
        add_codes(files, elf, (struct program_file){.key = key});
    }
    loader_elf_close(elf);
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
            open_program(files, entry->fts_path, entry->fts_statp);
        }
    }
    if (tree) {
        fts_close(tree);
    }
    return is_there;
}

static bool open_named(struct program_files *files, const char *name)
{
    bool is_there = false;
    glob_t found;
    if (glob(name, GLOB_NOCHECK, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            is_there |= open_programs(files, found.gl_pathv[i]);
        }
        globfree(&found);
    }
    if (files->count > 0) {
        qsort(files->file, files->count, sizeof *files->file, compare_files);
    }
    return is_there;
}

static bool is_name_kept(const struct program_files *files, const char *name)
{
    for (size_t i = 0; i < files->names; i++) {
        if (strcmp(files->name[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool program_files_add(struct program_files *files, const char *name)
{
    bool is_there = open_named(files, name);
    bool is_kept = files->names == MOST_NAMES || is_name_kept(files, name);
    char *copy = is_kept ? NULL : strdup(name);
    if (copy) {
        files->name[files->names++] = copy;
    }
    return is_there;
}

void program_files_look(struct program_files *files)
{
    for (size_t i = 0; i < files->names; i++) {
        open_named(files, files->name[i]);
    }
}

size_t program_files_count(const struct program_files *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++) {
        count += !files->file[i].is_moved;
    }
    return count;
}

/* --- Places --- */

static const struct program_file *find_file(const struct program_files *files,
                                            const struct loader_elf *elf)
{
    size_t i = 0;
    while (i < files->count && files->file[i].elf != elf) {
        i++;
    }
    return i < files->count ? &files->file[i] : NULL;
}

static bool has_same_code(const struct program_file *a, const struct program_file *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Is the code of the file that of an image that the chip has from elsewhere? A kernel that its host
 * has told was moved: some words of its code differ from those of its file. */
static bool is_code_of(const struct program_file *file, const struct image *old)
{
    const struct loader_segment *code = code_of_program(old->elf);
    bool is_same =
        code && code->filesz == file->size && memcmp(code->bytes, file->bytes, code->filesz) == 0;
    return is_same || (old->is_kernel && old->hart == file->hart && old->size == file->code_size);
}

/* Is the same code known there already, of a file that is not older? */
static bool is_code_known(const struct program_files *files, const struct images *images,
                          const struct tile_facts *tile, const struct program_file *file,
                          uint32_t at)
{
    const struct image *old = images_find(images, tile->x, tile->y, at);
    const struct program_file *other = old ? find_file(files, old->elf) : NULL;
    if (!old || old->base != at) {
        return false;
    }
    return other ? has_same_code(other, file) && other->key.modified >= file->key.modified
                 : is_code_of(file, old);
}

static unsigned count_others(const struct program_files *files, const struct program_file *file)
{
    unsigned others = 0;
    for (size_t i = 0; i < files->count; i++) {
        others += &files->file[i] != file && has_same_code(&files->file[i], file);
    }
    return others;
}

static bool lies_there(const struct tile_facts *tile, const struct program_file *file, uint32_t at)
{
    return at < tile->l1_bytes && file->size <= tile->l1_bytes - at &&
           memcmp(tile->l1 + at, &file->begins, sizeof file->begins) == 0 && /* as few do */
           memcmp(tile->l1 + at, file->bytes, file->size) == 0;
}

/* Opens the file, if it still is the one whose code is known. */
static bool open_symbols(struct program_file *file)
{
    struct stat about = {0};
    if (file->elf) {
        return true;
    }
    file->is_gone = stat(file->path, &about) != 0;
    const struct file_key now = key_of(&about);
    file->is_gone |= compare_keys(&now, &file->key) != 0;
    return !file->is_gone && loader_elf_open(file->path, &file->elf, NULL) == PENROSE_OK;
}

static bool place_program(struct program_files *files, struct penrose_chip *chip,
                          const struct tile_facts *tile, struct program_file *file, uint32_t at)
{
    struct images *images = &chip_head(chip)->images;
    if (!lies_there(tile, file, at) || is_code_known(files, images, tile, file, at) ||
        !open_symbols(file)) {
        return false;
    }
    const struct image image = {.x = tile->x,
                                .y = tile->y,
                                .base = at,
                                .size = file->code_size,
                                .link_base = file->link_base,
                                .elf = file->elf,
                                .hart = file->hart,
                                .is_kernel = at != file->link_base,
                                .is_found = true};
    return images_add(images, &image);
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

/* Does the code of a file perhaps begin at an address of the tile? With which bytes? */
static bool may_begin_at(const struct program_files *files, const struct tile_facts *tile,
                         uint32_t at, uint64_t *begins)
{
    memcpy(begins, tile->l1 + at, sizeof *begins);
    return *begins && files->begins[*begins % BEGINNINGS];
}

/* Finds what begins at an address of the tile. */
static unsigned place_at(struct program_files *files, struct penrose_chip *chip,
                         const struct tile_facts *tile, uint32_t at, program_files_found *found,
                         void *context)
{
    unsigned placed = 0;
    uint64_t begins;
    size_t i =
        may_begin_at(files, tile, at, &begins) ? first_that_begins(files, begins) : files->count;
    for (; i < files->count && files->file[i].begins == begins; i++) {
        if (place_program(files, chip, tile, &files->file[i], at)) {
            placed++;
            if (found) {
                found(context, tile, files->file[i].path, count_others(files, &files->file[i]));
            }
        }
    }
    return placed;
}

unsigned program_files_place(struct program_files *files, struct penrose_chip *chip,
                             const struct tile_facts *tile, program_files_found *found,
                             void *context)
{
    unsigned placed = 0;
    for (uint32_t at = 0; at + sizeof files->file->begins <= tile->l1_bytes; at += WORD) {
        uint64_t begins;
        if (may_begin_at(files, tile, at, &begins)) { /* at few words of many */
            placed += place_at(files, chip, tile, at, found, context);
        }
    }
    return placed;
}

void program_files_place_launched(struct program_files *files, struct penrose_chip *chip,
                                  const struct tile_facts *tile,
                                  const struct loader_launched *launched)
{
    for (size_t i = 0; i < files->count; i++) {
        if (!files->file[i].is_moved) {
            (void)place_program(files, chip, tile, &files->file[i], files->file[i].link_base);
        }
    }
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        const struct loader_launched_kernel *kernel = &launched->kernel[i];
        if (kernel->runs && kernel->address <= tile->l1_bytes - sizeof files->file->begins) {
            (void)place_at(files, chip, tile, kernel->address, NULL, NULL);
        }
    }
}

const char *program_files_kernel(const struct program_files *files, enum penrose_hart hart,
                                 const struct tile_facts *tile, uint32_t address)
{
    uint64_t begins = 0;
    if (address % WORD == 0 && address <= tile->l1_bytes - sizeof begins) {
        memcpy(&begins, tile->l1 + address, sizeof begins);
    }
    size_t i = first_that_begins(files, begins);
    while (i < files->count && files->file[i].begins == begins &&
           !(files->file[i].is_moved && files->file[i].hart == hart && !files->file[i].is_gone &&
             lies_there(tile, &files->file[i], address))) {
        i++;
    }
    return i < files->count && files->file[i].begins == begins ? files->file[i].path : NULL;
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
