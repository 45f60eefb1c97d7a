/* Guest programs that are ELF files, loaded through BAR accesses. */
#ifndef BENCH_IMAGE_H
#define BENCH_IMAGE_H

#include <stdint.h>

#include "bench.h"

enum { IMAGE_SEGMENTS = 8 };

struct image {
    uint8_t *file;
    struct image_segment {
        uint32_t address, size;
        const uint8_t *bytes;
    } segment[IMAGE_SEGMENTS];
    unsigned segments;
    uint32_t entry;
};

/* Reads FOLDER/NAME.elf, which is one of ours. */
struct image *image_open(const char *folder, const char *name);
void image_close(struct image *image);

/* Writes its segments to a tile. */
void image_load(struct bench_device *device, unsigned x, unsigned y, const struct image *image);

#endif
