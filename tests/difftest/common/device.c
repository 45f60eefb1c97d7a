#include "device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define WINDOW_REGISTERS UINT64_C(0x1fc00000) /* of BAR 0: three words for each window */
#define CHIP_ID          UINT32_C(0xb1401e52)

/* dlsym gives functions as data pointers; POSIX lets them be copied. */
static bool look_up(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    if (!address) {
        fprintf(stderr, "it has no function %s\n", name);
        return false;
    }
    memcpy(function, &address, sizeof address);
    return true;
}

bool device_open(struct device *device, const char *path, const struct host_memory *host)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    if (!look_up(library, "libttsim_init", &device->init) ||
        (host && !look_up(library, "libttsim_set_pci_dma_mem_callbacks", &device->set_callbacks)) ||
        !look_up(library, "libttsim_pci_config_rd32", &device->config_read) ||
        !look_up(library, "libttsim_pci_mem_rd_bytes", &device->read) ||
        !look_up(library, "libttsim_pci_mem_wr_bytes", &device->write) ||
        !look_up(library, "libttsim_clock", &device->clock)) {
        return false;
    }
    if (host) {
        device->set_callbacks(host->read, host->write);
    }
    device->init();
    uint32_t id = device->config_read(0, 0);
    if (id != CHIP_ID) {
        fprintf(stderr, "its chip is 0x%08x and not a Blackhole (0x%08x)\n", (unsigned)id,
                (unsigned)CHIP_ID);
        return false;
    }
    uint64_t low = device->config_read(0, 0x10), high = device->config_read(0, 0x14);
    device->bar0 = (high << 32 | low) & ~UINT64_C(15);
    return true;
}

void device_set_window(struct device *device, unsigned window, unsigned x, unsigned y,
                       uint64_t page)
{
    uint32_t word[3] = {(uint32_t)page, (uint32_t)(page >> 32) | x << 11 | y << 17, 0};
    for (unsigned i = 0; i < 3; i++) {
        device->write(device->bar0 + WINDOW_REGISTERS + 12 * window + 4 * i, &word[i], 4);
    }
}

uint64_t device_window(const struct device *device, unsigned window, uint64_t address)
{
    return device->bar0 + window * DEVICE_WINDOW_BYTES + address % DEVICE_WINDOW_BYTES;
}
