/*
 * A host of the small chip: loads its libttsim, finds the device, sets up a window onto a worker, and
 * writes and reads L1 and a register through its BARs.
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

#define BAR0 UINT64_C(0x100000000)

struct library {
    void (*init)(void);
    void (*exit)(void);
    uint32_t (*config_read)(uint32_t device, uint32_t offset);
    void (*read)(uint64_t address, void *bytes, uint32_t size);
    void (*write)(uint64_t address, const void *bytes, uint32_t size);
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
    return !library->init || !library->exit || !library->config_read || !library->read ||
           !library->write;
}

int main(int argc, char **argv)
{
    enum { WINDOW_CONFIGURATION = 0x1fc00000, ADDRESS = 0x1234 };
    static const char text[] = "written by the host";
    char back[sizeof text] = "";
    struct library library;
    if (argc != 4 || load(argv[1], &library)) {
        return 1;
    }
    const uint32_t x = (uint32_t)atoi(argv[2]), y = (uint32_t)atoi(argv[3]);
    const uint32_t window[3] = {0, (x | y << 6) << 11, 0};
    library.init();
    printf("device 0x%08" PRIx32 "\n", library.config_read(0, 0));
    for (unsigned i = 0; i < 3; i++) {
        library.write(BAR0 + WINDOW_CONFIGURATION + 4 * i, &window[i], sizeof window[i]);
    }
    library.write(BAR0 + ADDRESS, text, sizeof text);
    library.read(BAR0 + ADDRESS, back, sizeof back);
    printf("L1 of (%" PRIu32 ", %" PRIu32 "): %s\n", x, y, back);
    library.exit();
    return memcmp(text, back, sizeof text) != 0;
}
