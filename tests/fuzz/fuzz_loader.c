/*
 * Fuzzes everything that reads an ELF: opening, symbols, DWARF (lines and layout), the XIP
 * transform, the scan for scratch addresses, and launches encoded by a layout from the file.
 * Seeds: real firmware and kernels, and small ELFs. Nothing is checked but that it comes back.
 */
#include "fuzz/fuzz.h"
#include "loader/launch.h"
#include "loader/scratch.h"
#include "unit/loader/loader_set.h"

const unsigned fuzz_inputs = 20000;

/* --- Seeds --- */

bool fuzz_seed(unsigned number, struct fuzz_bytes *seed)
{
    struct set_options options = set_defaults();
    options.newer = number & 1;
    struct image *image =
        number < 4 ? set_image(&options, (enum loader_processor)(number / 2)) : image_program();
    image_finish(image);
    fuzz_append(seed, image->bytes, image->size);
    loader_release();
    return number < 5;
}

/* --- Inputs --- */

static void look_up(struct loader_elf *elf)
{
    unsigned count;
    const struct loader_segment *segment = loader_elf_segments(elf, &count);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t places[] = {segment[i].vaddr, segment[i].vaddr + segment[i].memsz / 2,
                                   segment[i].vaddr + segment[i].memsz - 1};
        for (unsigned j = 0; j < sizeof places / sizeof places[0]; j++) {
            uint32_t offset;
            const struct loader_symbol *symbol = loader_elf_symbol_at(elf, places[j], &offset);
            const char *file;
            unsigned line;
            if (symbol && !loader_elf_symbol(elf, symbol->name)) {
                __builtin_trap(); /* found by address, so it must be found by name */
            }
            loader_elf_source(elf, places[j], &file, &line);
        }
    }
}

/* Encodes a launch by a layout that the file made up. */
static void launch(const struct loader_firmware *firmware, const struct loader_blob *blob)
{
    static const uint32_t arguments[3] = {1, 2, 3};
    static const struct loader_circular_buffer buffer = {
        .id = 1, .address = 0x100000, .size = 64, .num_pages = 4, .page_size = 16};
    struct loader_launch_request request = {
        .semaphores = arguments, .semaphores_count = 3, .buffers = &buffer, .buffers_count = 1};
    for (unsigned i = 0; i < LOADER_PROCESSORS && blob->bytes; i++) {
        request.kernel[i] =
            (struct loader_kernel){.blob = blob, .arguments = arguments, .arguments_count = 3};
    }
    struct loader_launch result;
    struct penrose_error error;
    if (loader_launch_build(firmware, &request, &result, &error) == PENROSE_OK) {
        loader_launch_free(&result);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct loader_elf *elf;
    struct penrose_error error;
    if (loader_elf_open_memory(bytes, size, "fuzz", &elf, &error)) {
        return 0;
    }
    look_up(elf);
    struct loader_blob blob;
    struct loader_firmware firmware = {.elf = {elf, elf, elf, elf, elf}, .ring_base = 0x8000};
    loader_xip(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], &blob,
               &error); /* leaves an empty blob when it fails */
    loader_scratch_find(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], rv32_find_operands,
                        &firmware.scratch[0]);
    loader_kernel_check(elf, &firmware, LOADER_BRISC, &error);
    if (loader_layout_read(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], &firmware.layout, &error) ==
        PENROSE_OK) {
        launch(&firmware, &blob);
    }
    loader_blob_free(&blob);
    loader_elf_close(elf);
    return 0;
}
