#include "loader/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/array.h"
#include "loader/sources.h"

static bool overlaps(const struct image *a, const struct image *b)
{
    return a->x == b->x && a->y == b->y && a->base < b->base + b->size &&
           b->base < a->base + a->size;
}

bool images_add(struct images *images, const struct image *image)
{
    size_t kept = 0;
    for (size_t i = 0; i < images->count; i++) {
        if (!overlaps(&images->image[i], image)) {
            images->image[kept++] = images->image[i];
        }
    }
    images->count = kept;
    if (!array_grow(&images->image, images->count, &images->room, sizeof *images->image)) {
        return false;
    }
    images->image[images->count++] = *image;
    images->changes++;
    return true;
}

void images_forget_found(struct images *images, unsigned x, unsigned y)
{
    size_t kept = 0;
    for (size_t i = 0; i < images->count; i++) {
        const struct image *image = &images->image[i];
        if (!image->is_found || image->x != x || image->y != y) {
            images->image[kept++] = *image;
        }
    }
    images->count = kept;
    images->changes++;
}

bool images_own(struct images *images, struct loader_elf *elf)
{
    if (!array_grow(&images->owned, images->owned_count, &images->owned_room,
                    sizeof *images->owned)) {
        return false;
    }
    images->owned[images->owned_count++] = elf;
    return true;
}

static bool is_referred_to(const struct images *images, const struct loader_elf *elf)
{
    for (size_t i = 0; i < images->count; i++) {
        if (images->image[i].elf == elf) {
            return true;
        }
    }
    return false;
}

void images_sweep(struct images *images)
{
    size_t kept = 0;
    for (size_t i = 0; i < images->owned_count; i++) {
        if (is_referred_to(images, images->owned[i])) {
            images->owned[kept++] = images->owned[i];
        } else {
            loader_elf_close(images->owned[i]);
        }
    }
    images->owned_count = kept;
}

const struct image *images_find(const struct images *images, unsigned x, unsigned y,
                                uint32_t address)
{
    for (size_t i = images->count; i-- > 0;) {
        const struct image *image = &images->image[i];
        if (image->x == x && image->y == y && address - image->base < image->size) {
            return image;
        }
    }
    return NULL;
}

unsigned images_calls(const struct images *images, unsigned x, unsigned y, uint32_t address,
                      struct loader_call call[LOADER_MAX_CALLS])
{
    const struct image *image = images_find(images, x, y, address);
    return image ? loader_elf_calls(image->elf, address - image->base + image->link_base, call) : 0;
}

void images_calls_text(const struct images *images, unsigned x, unsigned y, uint32_t address,
                       bool has_folders, char *text, size_t size)
{
    struct loader_call call[LOADER_MAX_CALLS];
    unsigned calls = images_calls(images, x, y, address, call);
    loader_calls_text(call, calls, has_folders, text, size);
}

void images_free(struct images *images)
{
    for (size_t i = 0; i < images->owned_count; i++) {
        loader_elf_close(images->owned[i]);
    }
    free(images->image);
    free(images->owned);
    *images = (struct images){0};
}
