/*
 * A host of the small chip: loads its libttsim, finds the device, sets up a window of each size onto
 * L1 of a worker, and writes and reads that through BAR 0 and BAR 4.
 *
 *   host LIBRARY X Y
 *
 * Prints what it has found; 1 where something is wrong.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry.h"

#define BAR0 UINT64_C(0x100000000)
#define BAR4 UINT64_C(0x800000000)

enum region {
    REGION_WINDOWS,
#define REGION(token, bar, first, last, title) REGION_##token,
#include "bar.def"
};

static const struct region_row {
    enum region token;
    uint64_t at;
    unsigned window, shift;
} regions[] = {
#define REGION(token, bar, first, last, title)                                                     \
    {REGION_##token, (bar == 4 ? BAR4 : BAR0) + (first), 0, 0},
#define WINDOWS(window, shift, bar, first, last, title)                                            \
    {REGION_WINDOWS, (bar == 4 ? BAR4 : BAR0) + (first), window, shift},
#include "bar.def"
};

enum { REGIONS = sizeof regions / sizeof *regions };

struct library {
    void (*init)(void);
    void (*exit)(void);
    uint32_t (*config_read)(uint32_t device, uint32_t offset);
    void (*read)(uint64_t address, void *bytes, uint32_t size);
    void (*write)(uint64_t address, const void *bytes, uint32_t size);
    void (*tile_read)(uint32_t x, uint32_t y, uint64_t address, void *bytes, uint32_t size);
};

static int load(const char *path, struct library *library)
{
    void *handle = dlopen(path, RTLD_NOW);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&library->init = dlsym(handle, "libttsim_init");
    *(void **)&library->exit = dlsym(handle, "libttsim_exit");
    *(void **)&library->config_read = dlsym(handle, "libttsim_pci_config_rd32");
    *(void **)&library->read = dlsym(handle, "libttsim_pci_mem_rd_bytes");
    *(void **)&library->write = dlsym(handle, "libttsim_pci_mem_wr_bytes");
    *(void **)&library->tile_read = dlsym(handle, "libttsim_tile_rd_bytes");
    return !library->init || !library->exit || !library->config_read || !library->read ||
           !library->write || !library->tile_read;
}

/* The words of a window onto the beginning of a tile's memory. */
static void set_up(const struct library *library, const struct region_row *windows, uint32_t x,
                   uint32_t y)
{
    const uint64_t tile = (uint64_t)(x | y << 6) << (NOC_LOCAL_BITS - windows->shift);
    for (unsigned i = 0; i < REGIONS; i++) {
        for (unsigned word = 0; regions[i].token == REGION_TLB && word < WINDOW_WORDS; word++) {
            const uint32_t value = (uint32_t)(tile >> 32 * word);
            library->write(regions[i].at + 4 * (WINDOW_WORDS * windows->window + word), &value,
                           sizeof value);
        }
    }
}

/* Writes through each region of windows, and looks for that in the tile. */
static int try_windows(const struct library *library, uint32_t x, uint32_t y)
{
    int wrong = 0;
    for (unsigned i = 0; i < REGIONS; i++) {
        const uint64_t address = 0x1234 + 0x100 * i;
        char text[32] = "", back[2][sizeof text] = {"", ""};
        if (regions[i].token != REGION_WINDOWS) {
            continue;
        }
        snprintf(text, sizeof text, "by windows of 2^%u", regions[i].shift);
        set_up(library, &regions[i], x, y);
        library->write(regions[i].at + address, text, sizeof text);
        library->read(regions[i].at + address, back[0], sizeof text);
        library->tile_read(x, y, address, back[1], sizeof text);
        printf("L1 of (%" PRIu32 ", %" PRIu32 "): %s\n", x, y, back[1]);
        wrong |= strcmp(text, back[0]) != 0 || strcmp(text, back[1]) != 0;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    struct library library;
    if (argc != 4 || load(argv[1], &library)) {
        return 1;
    }
    library.init();
    printf("device 0x%08" PRIx32 "\n", library.config_read(0, 0));
    int wrong = try_windows(&library, (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]));
    library.exit();
    return wrong;
}
