/* Where the segments of a tile's programs lie, by their ELFs (loader/images.h). */
#include "observe/check/check.h"

#include "metal/firmware.h"

static void add_span(struct check_memory *memory, const struct image *image,
                     const struct loader_segment *segment, bool is_local)
{
    if (memory->spans == CHECK_SPANS) {
        return;
    }
    memory->span[memory->spans++] = (struct check_span){
        .first = is_local ? segment->vaddr : image->base + (segment->vaddr - image->link_base),
        .size = is_local ? segment->memsz
                         : (image->size < segment->memsz ? image->size : segment->memsz),
        .link = segment->vaddr,
        .hart = (unsigned)image->hart,
        .is_local = is_local,
        .is_kernel = image->is_kernel,
        .segment = segment,
        .elf = image->elf,
    };
}

bool check_spans_is_current(const struct check_scene *scene, const struct image *image)
{
    const struct loader_launched_kernel *kernel =
        &scene->own->launched.kernel[metal_processors[(unsigned)image->hart % RV32_CORES]];
    return !image->is_kernel ||
           (scene->own->is_known && kernel->runs && kernel->address == image->base);
}

/* Of a kernel, only its text is where the image is. */
void check_spans_find(const struct check_scene *scene)
{
    struct check_memory *memory = &scene->own->memory;
    const struct images *images = chip_images(scene->checks->chip);
    if (memory->changes == images->changes + 1) {
        return;
    }
    memory->changes = images->changes + 1;
    memory->spans = 0;
    for (size_t i = 0; i < images->count; i++) {
        const struct image *image = &images->image[i];
        unsigned count;
        const struct loader_segment *segment = loader_elf_segments(image->elf, &count);
        if (image->x != scene->tile->x || image->y != scene->tile->y ||
            !check_spans_is_current(scene, image)) {
            continue;
        }
        for (unsigned k = 0; k < count; k++) {
            bool is_local = segment[k].vaddr >= RV32_LOCAL_BASE;
            if (is_local || segment[k].vaddr - image->link_base < image->size) {
                add_span(memory, image, &segment[k], is_local);
            }
        }
    }
}
