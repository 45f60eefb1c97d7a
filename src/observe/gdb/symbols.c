/*
 * Programs that only the host knows: it has written them into tiles, and the client says in which
 * folder their files are ("monitor symbols"). A program is where its code lies byte by byte, as it was
 * linked (firmware) or elsewhere (kernels: tt-metal keeps what it has made of them as *.xip.elf).
 */
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/host_time.h"
#include "observe/gdb/internal.h"

enum { LEAST_CODE = 64, MOST_FILES = 2048, MOST_FOLDERS = 8, PROBE = 64 };
enum { LOOK_NANOSECONDS = 1000000000 }; /* so often it is looked for new files */

struct gdb_symbols {
    struct loader_elf *elf[MOST_FILES];
    size_t count;
    char *folder[MOST_FOLDERS];
    size_t folders;
    uint64_t next_look; /* host time */
};

void gdb_symbols_free(struct gdb *gdb)
{
    for (size_t i = 0; gdb->symbols && i < gdb->symbols->count; i++) {
        loader_elf_close(gdb->symbols->elf[i]);
    }
    for (size_t i = 0; gdb->symbols && i < gdb->symbols->folders; i++) {
        free(gdb->symbols->folder[i]);
    }
    free(gdb->symbols);
    gdb->symbols = NULL;
}

/* --- Files --- */

/* What tt-metal links other programs with is a program again. */
static bool is_program_name(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".elf") == 0 && !strstr(name, "_weakened.elf");
}

static bool is_open(const struct gdb_symbols *symbols, const char *path)
{
    for (size_t i = 0; i < symbols->count; i++) {
        if (strcmp(loader_elf_path(symbols->elf[i]), path) == 0) {
            return true;
        }
    }
    return false;
}

static void open_program(struct gdb_symbols *symbols, const char *file)
{
    struct loader_elf *elf;
    char *path = realpath(file, NULL);
    if (path && symbols->count < MOST_FILES && !is_open(symbols, path) &&
        loader_elf_open(path, &elf, NULL) == PENROSE_OK) {
        symbols->elf[symbols->count++] = elf;
    }
    free(path);
}

/* A file, or all in a folder. False: there is nothing of that name. */
static bool open_programs(struct gdb_symbols *symbols, char *path)
{
    char *const paths[] = {path, NULL};
    FTS *tree = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    bool is_there = false;
    for (FTSENT *entry; tree && (entry = fts_read(tree)) != NULL;) {
        is_there |= entry->fts_info == FTS_D || entry->fts_info == FTS_F;
        if (entry->fts_info == FTS_F && is_program_name(entry->fts_name)) {
            open_program(symbols, entry->fts_path);
        }
    }
    if (tree) {
        fts_close(tree);
    }
    return is_there;
}

/* --- Places --- */

static const struct loader_segment *code_of(const struct loader_elf *elf)
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

/* Where all of the code lies in L1; L1's size: nowhere. */
static uint32_t find_code(const struct tile *tile, const struct loader_segment *code)
{
    uint32_t size = tile->kind->l1_bytes, at = 0;
    if (code->vaddr < size && code->filesz <= size - code->vaddr &&
        memcmp(tile->l1 + code->vaddr, code->bytes, code->filesz) == 0) {
        return code->vaddr;
    }
    while (at + code->filesz <= size) {
        const uint8_t *found = memmem(tile->l1 + at, size - at, code->bytes, PROBE);
        if (!found) {
            break;
        }
        at = (uint32_t)(found - tile->l1);
        if (code->filesz <= size - at && memcmp(found, code->bytes, code->filesz) == 0) {
            return at;
        }
        at++;
    }
    return size;
}

/* The hart that tt-metal's name of a file tells. */
static enum penrose_hart hart_of_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        const char *prefix = penrose_hart_name((enum penrose_hart)hart);
        if (strncmp(name, prefix, strlen(prefix)) == 0) {
            return (enum penrose_hart)hart;
        }
    }
    return PENROSE_NO_HART;
}

/* Is the same code known there already, perhaps of another file? */
static bool is_known(const struct images *images, const struct image *image,
                     const struct loader_segment *code)
{
    const struct image *old = images_find(images, image->x, image->y, image->base);
    const struct loader_segment *known = old && old->base == image->base ? code_of(old->elf) : NULL;
    return known && known->filesz == code->filesz &&
           memcmp(known->bytes, code->bytes, code->filesz) == 0;
}

static bool place_program(struct gdb *gdb, const struct tile *tile, struct loader_elf *elf)
{
    const struct loader_segment *code = code_of(elf);
    uint32_t at = code ? find_code(tile, code) : tile->kind->l1_bytes;
    if (at == tile->kind->l1_bytes) {
        return false;
    }
    const struct image image = {.x = tile->x,
                                .y = tile->y,
                                .base = at,
                                .size = code->filesz,
                                .link_base = code->vaddr,
                                .elf = elf,
                                .hart = hart_of_file(loader_elf_path(elf)),
                                .is_kernel = at != code->vaddr};
    return !is_known(&gdb->present->images, &image, code) &&
           images_add(&gdb->present->images, &image);
}

/* On the tiles that the client looks at. */
static unsigned place_programs(struct gdb *gdb, struct gdb_text *out)
{
    unsigned placed = 0;
    for (size_t i = 0; gdb->symbols && i < gdb->processes; i++) {
        struct tile *tile;
        if (chip_tile(gdb->chip, gdb->process[i].x, gdb->process[i].y, &tile, NULL) != PENROSE_OK) {
            continue;
        }
        for (size_t k = 0; k < gdb->symbols->count; k++) {
            struct loader_elf *elf = gdb->symbols->elf[k];
            bool is_new = place_program(gdb, tile, elf);
            placed += is_new;
            if (is_new && out) {
                gdb_put(out, "(%u, %u): %s\n", tile->x, tile->y, loader_elf_path(elf));
            }
        }
    }
    return placed;
}

/* A host compiles while it runs. */
static void look_for_files(struct gdb_symbols *symbols)
{
    uint64_t now = host_nanoseconds();
    if (now >= symbols->next_look) {
        for (size_t i = 0; i < symbols->folders; i++) {
            open_programs(symbols, symbols->folder[i]);
        }
        symbols->next_look = now + LOOK_NANOSECONDS;
    }
}

void gdb_symbols_look(struct gdb *gdb)
{
    if (gdb->symbols && gdb->processes > 0) {
        look_for_files(gdb->symbols);
        place_programs(gdb, NULL);
    }
}

static void keep_folder(struct gdb_symbols *symbols, const char *path)
{
    char *copy = symbols->folders < MOST_FOLDERS ? strdup(path) : NULL;
    if (copy) {
        symbols->folder[symbols->folders++] = copy;
    }
}

void gdb_monitor_symbols(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    if (words->count < 2) {
        gdb_put(out, "symbols FILE, or a folder with programs\n");
        return;
    }
    if (!gdb->symbols) {
        gdb->symbols = calloc(1, sizeof *gdb->symbols);
    }
    if (!gdb->symbols || !open_programs(gdb->symbols, words->word[1])) {
        gdb_put(out, "%s\n", gdb->symbols ? "there is no such file or folder" : "no memory");
        return;
    }
    keep_folder(gdb->symbols, words->word[1]);
    gdb_put(out, "%zu programs are known; their symbols come when they are found in a tile\n",
            gdb->symbols->count);
    place_programs(gdb, out);
}
