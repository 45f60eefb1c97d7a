#include "worker.h"

#include <stdio.h>
#include <string.h>

enum { WINDOWS = 200 }; /* those that are used */

/* What a window shows; all zero: nothing yet. */
struct window {
    uint64_t page;
    struct coordinates at;
};

/* --- Memory of the host --- */

/* The interface of callbacks has no context. */
static uint8_t host_memory[HOST_BYTES];

static uint8_t *host_bytes(uint64_t paddr, uint32_t size)
{
    uint64_t at = (paddr & HOST_MASK) - HOST_MEMORY;
    return at < HOST_BYTES && size <= HOST_BYTES - at ? host_memory + at : NULL;
}

static void host_read(uint64_t paddr, void *bytes, uint32_t size)
{
    const uint8_t *from = host_bytes(paddr, size);
    if (from) {
        memcpy(bytes, from, size);
    } else {
        fprintf(stderr, "the chip reads host memory at 0x%llx\n", (unsigned long long)paddr);
        memset(bytes, 0, size);
    }
}

static void host_write(uint64_t paddr, const void *bytes, uint32_t size)
{
    uint8_t *to = host_bytes(paddr, size);
    if (to) {
        memcpy(to, bytes, size);
    } else {
        fprintf(stderr, "the chip writes host memory at 0x%llx\n", (unsigned long long)paddr);
    }
}

/* --- Tiles --- */

/* Where the host sees what the operation is about. */
static uint64_t paddr_of(struct window *windows, struct device *device,
                         const struct operation *operation)
{
    struct coordinates at = operation->at;
    uint64_t page = operation->address / DEVICE_WINDOW_BYTES;
    unsigned number = (unsigned)((at.x * 13u + at.y * 7u + page * 101) % WINDOWS);
    struct window *window = &windows[number];
    if (window->at.x != at.x || window->at.y != at.y || window->page != page) {
        *window = (struct window){.page = page, .at = at};
        device_set_window(device, number, at.x, at.y, page);
    }
    return device_window(device, number, operation->address);
}

static void write_to(void *windows, struct device *device, const struct operation *operation,
                     const void *bytes)
{
    if (operation->at.x == HOST_X) {
        host_write(operation->address, bytes, operation->size);
    } else {
        device->write(paddr_of(windows, device, operation), bytes, operation->size);
    }
}

static void read_from(void *windows, struct device *device, const struct operation *operation,
                      void *bytes)
{
    if (operation->at.x == HOST_X) {
        host_read(operation->address, bytes, operation->size);
    } else {
        device->read(paddr_of(windows, device, operation), bytes, operation->size);
    }
}

int worker_main(const char *library)
{
    static const struct host_memory host = {.read = host_read, .write = host_write};
    static struct window windows[WINDOWS];
    const struct worker worker = {.host = &host,
                                  .requests = UINT32_MAX,
                                  .context = windows,
                                  .write = write_to,
                                  .read = read_from};
    return worker_run(&worker, library);
}
