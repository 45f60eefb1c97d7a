/*
 * The nine exported functions.
 *
 * The ABI has no handle, so the library has the only mutable file-scope data of Penrose: struct
 * client below, a pointer to the device between libttsim_init and libttsim_exit, and what must
 * outlive the device: the callbacks, which clients set before init, and which kinds of misuse
 * without a device were reported. Threads (PENROSE_THREADS) run between the first busy
 * libttsim_clock and libttsim_exit only; there are no atexit handlers and no open files, so the
 * library may be unloaded after exit, loaded several times at once, and forked.
 */
#include "abi/libttsim.h"

#include <stddef.h>

#include "abi/device.h"
#include "abi/endpoint.h"

#define LIBTTSIM_EXPORT __attribute__((visibility("default")))

enum misuse { MISUSE_CALL = 1, MISUSE_INIT = 2, MISUSE_EXIT = 4 };

static struct client {
    struct device *device;
    struct host_callbacks host;
    unsigned told; /* enum misuse */
} client;

static void report_misuse(enum misuse misuse, const char *text)
{
    if (!(client.told & (unsigned)misuse)) {
        client.told |= (unsigned)misuse;
        report_always(text);
    }
}

static struct device *current_device(void)
{
    if (!client.device) {
        report_misuse(MISUSE_CALL,
                      "the library is used before libttsim_init or after libttsim_exit: "
                      "reads give all ones, writes and clocks are ignored");
    }
    return client.device;
}

LIBTTSIM_EXPORT void libttsim_init(void)
{
    if (client.device) {
        report_misuse(MISUSE_INIT, "libttsim_init is called again without libttsim_exit; ignored");
        return;
    }
    client.device = device_create();
    if (client.device) {
        client.device->host = client.host;
    }
}

LIBTTSIM_EXPORT void libttsim_exit(void)
{
    if (!client.device) {
        report_misuse(MISUSE_EXIT, "libttsim_exit is called without libttsim_init; ignored");
    }
    device_destroy(client.device);
    client.device = NULL;
}

/* For clients that unload the library without libttsim_exit: no thread may stay in its code. */
__attribute__((destructor)) static void unload(void)
{
    device_destroy(client.device);
    client.device = NULL;
    client.told = MISUSE_CALL | MISUSE_INIT | MISUSE_EXIT; /* at process exit calls may follow */
}

LIBTTSIM_EXPORT void
libttsim_set_pci_dma_mem_callbacks(void (*read)(uint64_t paddr, void *p, uint32_t size),
                                   void (*write)(uint64_t paddr, const void *p, uint32_t size))
{
    client.host = (struct host_callbacks){.read = read, .write = write};
    if (client.device) {
        client.device->host = client.host;
    }
}

LIBTTSIM_EXPORT uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset)
{
    struct device *device = current_device();
    if (!device || bus_device_function != 0) {
        return UINT32_MAX;
    }
    if (offset & 3) {
        report(device, "configuration space is read as aligned words; offset 0x%x reads all ones",
               offset);
        return UINT32_MAX;
    }
    return device_config_read(device, offset);
}

/* True when there is something to transfer; a read that goes nowhere is answered. */
static bool is_usable(struct device *device, const char *call, struct transfer transfer)
{
    if (transfer.size > 0 && !transfer.from && !transfer.to) {
        if (device) {
            report(device, "%s: the buffer is NULL; ignored", call);
        }
        return false;
    }
    if (!device) {
        device_no_answer(transfer);
        return false;
    }
    return transfer.size > 0;
}

LIBTTSIM_EXPORT void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *p, uint32_t size)
{
    struct device *device = current_device();
    struct transfer transfer = {.to = p, .size = size};
    if (is_usable(device, "libttsim_pci_mem_rd_bytes", transfer)) {
        device_bar_access(device, paddr, transfer);
    }
}

LIBTTSIM_EXPORT void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *p, uint32_t size)
{
    struct device *device = current_device();
    struct transfer transfer = {.from = p, .size = size};
    if (is_usable(device, "libttsim_pci_mem_wr_bytes", transfer)) {
        device_bar_access(device, paddr, transfer);
    }
}

/* Coordinates have six bits on the NoC. */
static bool is_coordinate(struct device *device, uint32_t x, uint32_t y, struct transfer transfer)
{
    if (x < 64 && y < 64) {
        return true;
    }
    report(device, "there is no tile at (%u, %u): reads give all ones, writes are ignored", x, y);
    device_no_answer(transfer);
    return false;
}

LIBTTSIM_EXPORT void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *p,
                                            uint32_t size)
{
    struct device *device = current_device();
    struct transfer transfer = {.to = p, .size = size};
    struct endpoint endpoint = {.x = x, .y = y, .address = address};
    if (is_usable(device, "libttsim_tile_rd_bytes", transfer) &&
        is_coordinate(device, x, y, transfer)) {
        device_endpoint_read(device, endpoint, transfer);
    }
}

LIBTTSIM_EXPORT void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *p,
                                            uint32_t size)
{
    struct device *device = current_device();
    struct transfer transfer = {.from = p, .size = size};
    struct endpoint endpoint = {.x = x, .y = y, .address = address};
    if (is_usable(device, "libttsim_tile_wr_bytes", transfer) &&
        is_coordinate(device, x, y, transfer)) {
        device_endpoint_write(device, endpoint, transfer);
    }
}

LIBTTSIM_EXPORT void libttsim_clock(uint32_t n_clocks)
{
    struct device *device = current_device();
    if (device) {
        clock_run(device, n_clocks);
    }
}
