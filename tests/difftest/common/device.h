/* A library with the libttsim ABI in this process, and the chip behind its BAR 0. */
#ifndef DIFFTEST_DEVICE_H
#define DIFFTEST_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_WINDOW_BYTES UINT64_C(0x200000) /* of BAR 0, from its start */

/* Functions that the library calls for memory of the host. */
struct host_memory {
    void (*read)(uint64_t paddr, void *bytes, uint32_t size);
    void (*write)(uint64_t paddr, const void *bytes, uint32_t size);
};

struct device {
    void (*init)(void);
    void (*set_callbacks)(void (*read)(uint64_t paddr, void *bytes, uint32_t size),
                          void (*write)(uint64_t paddr, const void *bytes, uint32_t size));
    uint32_t (*config_read)(uint32_t bus_device_function, uint32_t offset);
    void (*read)(uint64_t paddr, void *bytes, uint32_t size);
    void (*write)(uint64_t paddr, const void *bytes, uint32_t size);
    void (*clock)(uint32_t clocks);
    uint64_t bar0;
};

/* Loads the library and finds its chip; `host` may be NULL. False: stderr says why not. */
bool device_open(struct device *device, const char *path, const struct host_memory *host);

/* Lets window number `window` show a page (of DEVICE_WINDOW_BYTES) of the tile at (x, y), in
 * translated coordinates. */
void device_set_window(struct device *device, unsigned window, unsigned x, unsigned y,
                       uint64_t page);

/* The physical address of what a window shows of an address. */
uint64_t device_window(const struct device *device, unsigned window, uint64_t address);

#endif
