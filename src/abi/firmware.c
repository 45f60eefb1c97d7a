/* See firmware.h. */
#include "abi/firmware.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>

#include "abi/device.h"
#include "chip/firmware.h"
#include "chip/program_files.h"
#include "host/environment.h"

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
    if (directory && penrose_firmware_open(directory, &firmware, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_FIRMWARE", error.text);
    } else if (directory) {
        device->firmware.firmware[device->firmware.count++] = firmware;
    }
}

static bool is_firmware_known(struct device *device)
{
    bool is_there = false;
    for (unsigned i = 0; i < device->firmware.count; i++) {
        is_there |= chip_firmware_assume(device->chip, device->firmware.firmware[i]);
    }
    return is_there;
}

/* True where its code lies in tiles. */
static bool try_folder(struct device *device, const char *folder)
{
    struct firmware_list *list = &device->firmware;
    struct penrose_firmware *firmware;
    if (penrose_firmware_open(folder, &firmware, NULL) != PENROSE_OK) {
        return false;
    }
    if (!chip_firmware_assume(device->chip, firmware)) {
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

void device_know_programs(struct device *device)
{
    device->programs = device->programs ? device->programs : program_files_create();
    for (unsigned i = 0; device->programs && i < device->firmware.count; i++) {
        const char *folder = device->firmware.firmware[i]->directory;
        char kernels[PATH_MAX];
        program_files_add(device->programs, folder);
        if (snprintf(kernels, sizeof kernels, "%s/../kernels", folder) < (int)sizeof kernels) {
            program_files_add(device->programs, kernels);
        }
    }
    if (device->programs) {
        program_files_place_all(device->programs, device->chip, device->chip);
    }
}

void device_forget_programs(struct device *device)
{
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
