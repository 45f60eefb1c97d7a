/* The ELFs in tiles and their addresses there, for symbols and source lines in reports. */
#ifndef LOADER_IMAGES_H
#define LOADER_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "loader/elf.h"

struct image {
    unsigned x, y;
    uint32_t base, size; /* in the tile */
    uint32_t link_base;  /* in the ELF */
    struct loader_elf *elf;
    enum penrose_hart hart; /* that runs it */
    bool is_firmware;       /* of a firmware set that booted */
    bool is_kernel;         /* which the hart's firmware calls */
    bool has_counts;        /* of a kernel: the counts below are known */
    uint32_t arguments[2];  /* how many it was launched with: its own, common ones */
    bool is_found;          /* by its code: others may lie in the tile that nobody has found */
};

/* elfs[] are the files that the chip owns; images refer to them or to files of a firmware. */
struct images {
    struct image *image;
    size_t count, room;
    struct loader_elf **owned;
    size_t owned_count, owned_room;
    unsigned changes;     /* how often an image was added */
    unsigned forgettings; /* how often those that were found in all tiles were forgotten */
};

/* Adds an image and forgets those of the same tile that it overlaps; false without memory. */
bool images_add(struct images *images, const struct image *image);

/* Forgets those of a tile that were found by their code. */
void images_forget_found(struct images *images, unsigned x, unsigned y);

/* Takes over an ELF until images_free; false (the caller keeps it) without memory. */
bool images_own(struct images *images, struct loader_elf *elf);

/* Closes the ELFs that no image refers to any more. */
void images_sweep(struct images *images);

/* The image of a tile that holds `address`, or NULL. */
const struct image *images_find(const struct images *images, unsigned x, unsigned y,
                                uint32_t address);

/* The calls that were inlined around an address of the tile, as loader_elf_calls has them. */
unsigned images_calls(const struct images *images, unsigned x, unsigned y, uint32_t address,
                      struct loader_call call[LOADER_MAX_CALLS]);

/* Formats these calls for a line, as loader_calls_text. */
void images_calls_text(const struct images *images, unsigned x, unsigned y, uint32_t address,
                       bool has_folders, char *text, size_t size);

void images_free(struct images *images);

#endif
