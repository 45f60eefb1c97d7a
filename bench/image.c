/* Guest programs that are ELF files: see image.h. */
#include "image.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        bench_die(path, "cannot be read (was there a RISC-V cross compiler at build time?)");
    }
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < (long)sizeof(Elf32_Ehdr) || fseek(file, 0, SEEK_SET) != 0) {
        bench_die(path, "is no ELF file");
    }
    uint8_t *bytes = malloc((size_t)size);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        bench_die(path, "cannot be read");
    }
    fclose(file);
    return bytes;
}

struct image *image_open(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct image *image = calloc(1, sizeof *image);
    if (!image) {
        bench_die(name, "out of memory");
    }
    snprintf(path, sizeof path, "%s/%s.elf", folder, name);
    image->file = read_file(path);
    Elf32_Ehdr header;
    memcpy(&header, image->file, sizeof header);
    image->entry = header.e_entry;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr segment;
        memcpy(&segment, image->file + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && image->segments < IMAGE_SEGMENTS) {
            image->segment[image->segments++] = (struct image_segment){
                segment.p_paddr, segment.p_filesz, image->file + segment.p_offset};
        }
    }
    return image;
}

void image_close(struct image *image)
{
    free(image->file);
    free(image);
}

void image_load(struct bench_device *device, unsigned x, unsigned y, const struct image *image)
{
    for (unsigned i = 0; i < image->segments; i++) {
        const struct image_segment *segment = &image->segment[i];
        bench_write(device, x, y, segment->address, segment->bytes, segment->size);
    }
}
