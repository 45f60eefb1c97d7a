/* Loading bare programs, and launching kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/metal.h>

#include "addresses.h"
#include "chip/chip.h"
#include "metal/firmware.h"
#include "isa/error.h"
#include "loader/launched.h"

#define LOCAL_BASE RV32_LOCAL_BASE

/* --- Bare programs --- */

/* A program that is loaded for a hart. */
struct load {
    struct penrose_chip *chip;
    struct tile *tile;
    enum penrose_hart hart;
    const char *path;
    struct loader_elf *elf;
};

/* Stores as a loader does: into L1, or into the local RAM of a held hart. */
static void load_bytes(const struct load *load, uint32_t address, const void *bytes, uint32_t size)
{
    struct tile *tile = load->tile;
    const struct mmio_access access = {.operation = MMIO_POKE,
                                       .agent = (enum tile_agent)load->hart,
                                       .address = address,
                                       .cycle = tile->now};
    const char *rule;
    uint32_t done = 0;
    if (address < tile->kind->l1_bytes) {
        chip_load(load->chip, tile, address, bytes, size);
        return;
    }
    bool is_entry = CHIP_ENTRY(load->chip, JOURNAL_HART_POKE, bytes, size, tile->x, tile->y,
                               (uint64_t)load->hart, address);
    tile_access_bytes(tile, access, (void *)(uintptr_t)bytes, size, &done, &rule);
    journal_done(load->chip->head.journal, is_entry, PENROSE_OK);
}

static bool is_local(const struct load *load, const struct loader_segment *segment)
{
    return segment->vaddr - LOCAL_BASE < tile_local_size((enum rv32_core)load->hart);
}

static bool is_in_iram(const struct load *load, const struct loader_segment *segment)
{
    const struct tile_iram *iram = tile_iram(load->tile->kind->type, (enum rv32_core)load->hart);
    return iram && segment->vaddr - iram->first < iram->bytes &&
           segment->memsz <= iram->first + iram->bytes - segment->vaddr;
}

static bool is_filled_local(const struct load *load, const struct loader_segment *segment)
{
    return is_local(load, segment) && segment->filesz > 0;
}

static enum penrose_status check_segment(const struct load *load,
                                         const struct loader_segment *segment,
                                         struct penrose_error *error)
{
    uint32_t l1_bytes = load->tile->kind->l1_bytes,
             local_bytes = tile_local_size((enum rv32_core)load->hart);
    uint32_t limit = is_local(load, segment) ? LOCAL_BASE + local_bytes : l1_bytes;
    if ((segment->vaddr < limit && segment->memsz <= limit - segment->vaddr) ||
        is_in_iram(load, segment)) {
        return PENROSE_OK;
    }
    return error_set(error, PENROSE_E_FORMAT,
                     "%s: the segment at 0x%08x, %u bytes, fits neither L1 (0 to 0x%x) nor the "
                     "local RAM of %s (0x%08x, %u bytes); link the program for these",
                     load->path, segment->vaddr, segment->memsz, l1_bytes,
                     arch_hart_name(load->hart), LOCAL_BASE, local_bytes);
}

static enum penrose_status load_segment(const struct load *load,
                                        const struct loader_segment *segment,
                                        struct penrose_error *error)
{
    struct tile *tile = load->tile;
    uint8_t *bytes = calloc(1, segment->memsz);
    if (!bytes) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to load %s", load->path);
    }
    memcpy(bytes, segment->bytes, segment->filesz);
    load_bytes(load, segment->vaddr, bytes, segment->memsz);
    free(bytes);
    struct image image = {.x = tile->x,
                          .y = tile->y,
                          .base = segment->vaddr,
                          .size = segment->memsz,
                          .link_base = segment->vaddr,
                          .elf = load->elf,
                          .hart = load->hart};
    if (segment->flags & LOADER_SEGMENT_EXECUTE && !images_add(&load->chip->head.images, &image)) {
        return metal_no_memory(error);
    }
    return PENROSE_OK;
}

/* A release from reset clears the local RAM, unless a loader has filled it. So the loader has to
 * clear it first. */
static void clear_local(const struct load *load)
{
    static const uint8_t zeros[TILE_B_LOCAL_BYTES];
    const struct tile_hart *run = &load->tile->run[load->hart];
    if (run->state == HART_HELD && !run->ram_kept) {
        load_bytes(load, LOCAL_BASE, zeros, tile_local_size((enum rv32_core)load->hart));
    }
}

/* Loads a segment to the place from which start-up code copies it into the local RAM, if it does.
 * */
static void load_copy(const struct load *load, const struct loader_segment *segment)
{
    uint32_t address;
    if (loader_elf_copied_from(load->elf, &arch, segment, &address)) {
        load_bytes(load, address, segment->bytes, segment->filesz);
    }
}

static enum penrose_status load_segments(const struct load *load, struct penrose_error *error)
{
    unsigned count;
    const struct loader_segment *segments = loader_elf_segments(load->elf, &count);
    enum penrose_status status = PENROSE_OK;
    for (unsigned i = 0; i < count && status == PENROSE_OK; i++) {
        status = check_segment(load, &segments[i], error);
        if (status == PENROSE_OK && is_filled_local(load, &segments[i])) {
            clear_local(load);
        }
        status = status ? status : load_segment(load, &segments[i], error);
    }
    for (unsigned i = 0; i < count && status == PENROSE_OK; i++) {
        if (is_filled_local(load, &segments[i])) {
            load_copy(load, &segments[i]);
        }
    }
    return status;
}

/* Opens an ELF that the chip keeps. */
static enum penrose_status open_owned(struct penrose_chip *chip, const char *path,
                                      struct loader_elf **elf, struct penrose_error *error)
{
    enum penrose_status status = loader_elf_open(path, elf, error);
    if (status == PENROSE_OK && !images_own(&chip->head.images, *elf)) {
        loader_elf_close(*elf);
        return metal_no_memory(error);
    }
    return status;
}

enum penrose_status chip_load_program(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, const char *path, uint32_t *entry,
                                      struct penrose_error *error)
{
    struct loader_elf *elf;
    struct penrose_hart_info info;
    struct tile *tile;
    enum penrose_status status = chip_hart_info(chip, x, y, hart, &info, error);
    status = status ? status : chip_tile(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (info.state != PENROSE_HART_HELD && info.state != PENROSE_HART_PAUSED) {
        return error_set(error, PENROSE_E_STATE,
                         "%s of tile (%u, %u) is running; hold it in reset or pause it first",
                         arch_hart_name(hart), x, y);
    }
    status = open_owned(chip, path, &elf, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (entry) {
        *entry = loader_elf_entry(elf);
    }
    const struct load load = {.chip = chip, .tile = tile, .hart = hart, .path = path, .elf = elf};
    status = load_segments(&load, error);
    images_sweep(&chip->head.images);
    return status;
}

/* --- Launching --- */

struct kernels {
    struct loader_elf *elf[LOADER_PROCESSORS];
    struct loader_blob blob[LOADER_PROCESSORS];
};

static enum penrose_status open_kernel(struct penrose_chip *chip,
                                       const struct loader_firmware *loader,
                                       const struct penrose_kernel *kernel,
                                       enum loader_processor processor, struct kernels *kernels,
                                       struct penrose_error *error)
{
    enum penrose_status status = open_owned(chip, kernel->path, &kernels->elf[processor], error);
    if (status == PENROSE_OK) {
        status = loader_kernel_check(kernels->elf[processor], loader, processor, error);
    }
    if (status == PENROSE_OK) {
        status =
            loader_xip(kernels->elf[processor], TILE_L1_BYTES, &kernels->blob[processor], error);
    }
    return status;
}

static enum penrose_status
open_kernels(struct penrose_chip *chip, const struct loader_firmware *loader,
             const struct penrose_launch *launch, struct kernels *kernels,
             struct loader_launch_request *request, struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    for (unsigned hart = 0; hart < PENROSE_HARTS && status == PENROSE_OK; hart++) {
        const struct penrose_kernel *kernel = &launch->kernel[hart];
        enum loader_processor processor = metal_processors[hart];
        if (!kernel->path) {
            continue;
        }
        status = open_kernel(chip, loader, kernel, processor, kernels, error);
        request->kernel[processor] = (struct loader_kernel){
            .blob = &kernels->blob[processor],
            .arguments = kernel->arguments,
            .arguments_count = kernel->arguments_count,
            .common_arguments = kernel->common_arguments,
            .common_arguments_count = kernel->common_arguments_count,
        };
    }
    return status;
}

static bool add_kernel_images(struct penrose_chip *chip, const struct tile *tile,
                              const struct loader_launch_request *request,
                              const struct kernels *kernels, const struct loader_launch *built)
{
    bool all = true;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        struct image image = {.x = tile->x,
                              .y = tile->y,
                              .base = built->kernel_address[i],
                              .size = kernels->blob[i].text_size,
                              .link_base = kernels->blob[i].link_base,
                              .elf = kernels->elf[i],
                              .hart = metal_hart_of(i),
                              .is_kernel = true,
                              .has_counts = true,
                              .arguments = {request->kernel[i].arguments_count,
                                            request->kernel[i].common_arguments_count}};
        all &= !kernels->elf[i] || images_add(&chip->head.images, &image);
    }
    return all;
}

static enum penrose_status build_and_start(struct penrose_chip *chip, struct tile *tile,
                                           const struct loader_firmware *loader,
                                           const struct loader_launch_request *request,
                                           const struct kernels *kernels,
                                           struct penrose_error *error)
{
    struct loader_launch built = {0};
    enum penrose_status status = loader_launch_build(loader, request, &built, error);
    if (status == PENROSE_OK && !add_kernel_images(chip, tile, request, kernels, &built)) {
        status = metal_no_memory(error);
    }
    if (status == PENROSE_OK) {
        status = metal_apply_writes(chip, tile, &built.writes, error);
    }
    loader_launch_free(&built);
    return status;
}

static bool convert_buffers(const struct penrose_launch *launch,
                            struct loader_launch_request *request,
                            struct loader_circular_buffer **buffers)
{
    *buffers = calloc(launch->buffers_count + 1, sizeof **buffers);
    if (!*buffers) {
        return false;
    }
    for (unsigned i = 0; i < launch->buffers_count; i++) {
        const struct penrose_circular_buffer *from = &launch->buffers[i];
        (*buffers)[i] = (struct loader_circular_buffer){.id = from->id,
                                                        .address = from->address,
                                                        .size = from->size,
                                                        .num_pages = from->pages,
                                                        .page_size = from->page_size};
    }
    request->buffers = *buffers;
    request->buffers_count = launch->buffers_count;
    return true;
}

enum penrose_status chip_launch(struct penrose_chip *chip, unsigned x, unsigned y,
                                struct penrose_firmware *firmware,
                                const struct penrose_launch *launch, struct penrose_error *error)
{
    struct kernels kernels = {0};
    struct loader_circular_buffer *buffers = NULL;
    struct tile *tile;
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct loader_launch_request request = {
        .semaphores = launch->semaphores,
        .semaphores_count = launch->semaphores_count,
        .brisc_noc_id = launch->brisc_noc,
        .slot = loader_launch_slot(&firmware->loader->layout, metal_l1(tile)),
        .go_index = loader_launch_go_index(&firmware->loader->layout, metal_l1(tile))};
    if (!chip_firmware_ready(chip, x, y, firmware)) {
        return error_set(error, PENROSE_E_STATE,
                         "tile (%u, %u) is not ready for a launch: boot this firmware on it and "
                         "let an earlier launch finish",
                         x, y);
    }
    status = convert_buffers(launch, &request, &buffers)
                 ? open_kernels(chip, firmware->loader, launch, &kernels, &request, error)
                 : error_set(error, PENROSE_E_MEMORY, "no memory for a launch");
    if (status == PENROSE_OK) {
        status = build_and_start(chip, tile, firmware->loader, &request, &kernels, error);
    }
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        loader_blob_free(&kernels.blob[i]);
    }
    images_sweep(&chip->head.images);
    free(buffers);
    return status;
}

bool chip_launch_done(struct penrose_chip *chip, unsigned x, unsigned y,
                      const struct penrose_firmware *firmware)
{
    return chip_firmware_ready(chip, x, y, firmware);
}
