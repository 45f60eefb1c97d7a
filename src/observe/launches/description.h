/* A launch, tile by tile, and as a program description (loader/program.h). */
#ifndef OBSERVE_LAUNCHES_DESCRIPTION_H
#define OBSERVE_LAUNCHES_DESCRIPTION_H

#include <stdio.h>

#include "loader/launched.h"
#include "loader/program.h"

/* A tile of a launch. */
struct launched_tile {
    unsigned column, row; /* logical coordinates */
    struct loader_launched launched;
    const char *elf[LOADER_PROCESSORS]; /* paths with {hart}; NULL: no kernel */
    uint8_t *image; /* kernels_at - base bytes: arguments, semaphores, buffers */
};

struct description {
    const char *text;     /* for readers */
    const char *firmware; /* its folder */
    const char *snapshot; /* a file in the same folder */
    unsigned chip;        /* of the snapshot */
    unsigned columns, rows;
    const struct launched_tile *tile;
    unsigned tiles;
};

/* Writes it; false where memory runs out. The stream keeps its own errors. */
bool description_write(const struct description *description, FILE *stream);

#endif
