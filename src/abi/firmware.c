/* See firmware.h. */
#include "abi/firmware.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "abi/machine.h"
#include "metal/program_files.h"
#include "host/environment.h"
#include "loader/launched.h"
#include "observe/inside.h"
#include "observe/launches/programs.h"

enum {
    MOST_FIRMWARE = sizeof((struct firmware_list *)0)->firmware / sizeof(void *),
    MOST_SEARCHES = 3, /* in vain: each opens all sets that there are */
};

/* Where tt-metal has them: a variable with a folder, and the folders of firmware below it. */
static const struct {
    const char *variable, *pattern;
} places[] = {
    {"TT_METAL_CACHE", "tt-metal-cache*/firmware"},
    {"TT_METAL_CACHE", "tt-metal-cache/*/firmware"},
    {"HOME", ".cache/tt-metal-cache*/firmware"},
    {"HOME", ".cache/tt-metal-cache/*/firmware"},
    {"TT_METAL_RUNTIME_ROOT", "tt_metal/pre-compiled/*"},
};

void device_check_firmware(struct device *device)
{
    struct penrose_firmware *firmware;
    struct penrose_error error;
    const char *directory = host_variable("PENROSE_FIRMWARE");
    if (directory &&
        penrose_firmware_open(device->chip, directory, &firmware, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_FIRMWARE", error.text);
    } else if (directory) {
        device->firmware.firmware[device->firmware.count++] = firmware;
    }
}

static bool is_firmware_known(struct device *device)
{
    bool is_there = false;
    for (unsigned i = 0; i < device->firmware.count; i++) {
        is_there |= inside(device->chip)->metal_assume(device->chip, device->firmware.firmware[i]);
    }
    return is_there;
}

/* True where its code lies in tiles. */
static bool try_folder(struct device *device, const char *folder)
{
    struct firmware_list *list = &device->firmware;
    struct penrose_firmware *firmware;
    if (penrose_firmware_open(device->chip, folder, &firmware, NULL) != PENROSE_OK) {
        return false;
    }
    if (!inside(device->chip)->metal_assume(device->chip, firmware)) {
        penrose_firmware_close(firmware);
        return false;
    }
    list->firmware[list->count++] = firmware;
    return true;
}

static bool try_place(struct device *device, const char *root, const char *pattern)
{
    char path[PATH_MAX];
    glob_t found;
    bool is_found = false;
    if (snprintf(path, sizeof path, "%s/%s", root, pattern) >= (int)sizeof path ||
        glob(path, GLOB_NOSORT, NULL, &found) != 0) {
        return false;
    }
    for (size_t i = 0; i < found.gl_pathc && !is_found; i++) {
        is_found = try_folder(device, found.gl_pathv[i]);
    }
    globfree(&found);
    return is_found;
}

void device_know_firmware(struct device *device)
{
    struct firmware_list *list = &device->firmware;
    bool is_found = is_firmware_known(device);
    if (is_found || list->searches == MOST_SEARCHES || list->count == MOST_FIRMWARE) {
        return;
    }
    for (unsigned i = 0; i < sizeof places / sizeof places[0] && !is_found; i++) {
        const char *root = host_variable(places[i].variable);
        is_found = root && try_place(device, root, places[i].pattern);
    }
    list->searches += !is_found;
}

/* A kernel that the host has put there; nothing where no file has it. New files are looked for once
 * a report, since walking through all that is compiled takes long. */
static void know_kernel(struct device *device, const struct tile_facts *tile,
                        enum loader_processor processor, uint32_t address)
{
    const struct loader_blob *blob;
    const char *path = programs_file(device->kernels, processor, tile->memory, address, &blob);
    if (!path && !device->firmware.has_looked) {
        programs_look(device->kernels);
        device->firmware.has_looked = true;
        path = programs_file(device->kernels, processor, tile->memory, address, &blob);
    }
    const struct image *known =
        images_find(&chip_head(device->chip)->images, tile->x, tile->y, address);
    if (known && known->base == address && path && strcmp(loader_elf_path(known->elf), path) == 0) {
        return;
    }
    if (path) {
        const struct image image = {.x = tile->x,
                                    .y = tile->y,
                                    .base = address,
                                    .size = blob->text_size,
                                    .link_base = blob->link_base,
                                    .hart = inside(device->chip)->metal_hart_of(processor),
                                    .is_kernel = true};
        program_files_place_moved(device->programs, device->chip, path, image);
    }
}

/* Those of the tile's launch message. */
static void know_kernels(struct device *device, const struct tile_facts *tile)
{
    struct loader_launched launched = {0};
    if (tile->layout && tile->kind == PENROSE_TILE_TENSIX) {
        loader_launched_read(tile->layout, tile->memory, &launched);
    }
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        if (launched.kernel[i].runs) {
            know_kernel(device, tile, (enum loader_processor)i, launched.kernel[i].address);
        }
    }
}

/* Opens the files of the firmware; false where nothing can be found. */
static bool open_programs(struct device *device)
{
    struct firmware_list *list = &device->firmware;
    if (!list->is_current) {
        device_know_firmware(device);
        list->is_current = true;
    }
    device->programs = device->programs ? device->programs : program_files_create();
    device->kernels = device->kernels ? device->kernels
                                      : programs_open(device->arch->l1_bytes[PENROSE_TILE_TENSIX]);
    if (!device->programs || !device->kernels) {
        return false;
    }
    for (; list->opened < list->count; list->opened++) {
        program_files_add(device->programs, list->firmware[list->opened]->directory);
    }
    return list->count > 0;
}

static void know_tile(struct device *device, const struct tile_facts *tile)
{
    program_files_place(device->programs, device->chip, tile, NULL, NULL);
    know_kernels(device, tile);
}

void device_know_programs(struct device *device)
{
    bool is_open = open_programs(device);
    struct tile_facts tile;
    unsigned next = 0;
    while (is_open && chip_calls_of(device->chip)->next_tile(device->chip, &next, &tile)) {
        know_tile(device, &tile);
    }
}

void device_know_programs_of(struct device *device, unsigned x, unsigned y)
{
    struct tile_facts tile; /* has the layout of firmware that is known by then */
    if (open_programs(device) &&
        chip_calls_of(device->chip)->tile_facts(device->chip, x, y, false, &tile)) {
        know_tile(device, &tile);
    }
}

void device_find_programs(void *context, unsigned x, unsigned y)
{
    struct device *device = context;
    device->firmware.is_current = device->firmware.has_looked = false; /* time has passed */
    device_know_programs_of(device, x, y);
}

static bool is_any_released(const struct device *device, unsigned x, unsigned y)
{
    struct penrose_hart_info info;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (penrose_hart_info(device->chip, x, y, (enum penrose_hart)hart, &info, NULL) ==
                PENROSE_OK &&
            info.state != PENROSE_HART_HELD) {
            return true;
        }
    }
    return false;
}

void machine_teach_gdb(void *context, unsigned chip, unsigned x, unsigned y)
{
    const struct machine *machine = context;
    struct device *device = machine->device[chip];
    if (is_any_released(device, x, y)) { /* before, searches would be in vain */
        device_find_programs(device, x, y);
    }
}

void device_forget_programs(struct device *device)
{
    device->firmware.is_current = device->firmware.has_looked = false;
    if (device->programs) {
        program_files_forget(device->programs, device->chip);
    }
}

void firmware_list_free(struct firmware_list *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        penrose_firmware_close(list->firmware[i]);
    }
    list->count = 0;
}
