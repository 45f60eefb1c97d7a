/* Life of the device behind the ABI, its configuration space, its fault reports. */
#include "abi/device.h"

#include <stdlib.h>
#include <string.h>

enum { CONFIG_BYTES = 4096, FAULT_TEXT = 4096 };

/* --- The chip's way to its host --- */

static bool read_host(void *context, uint64_t address, void *bytes, uint32_t size)
{
    const struct host_callbacks *host = &((struct device *)context)->host;
    if (host->read) {
        host->read(address, bytes, size);
    }
    return host->read != NULL;
}

static bool write_host(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    struct device *device = context;
    if (device->host.write) {
        device->host.write(address, bytes, size);
        clock_note_host_written(device);
    }
    return device->host.write != NULL;
}

static bool read_by_dma(void *context, uint64_t address, void *bytes, uint32_t size)
{
    return device_dma_access(context, address, (struct transfer){.to = bytes, .size = size});
}

static bool write_by_dma(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    return device_dma_access(context, address, (struct transfer){.from = bytes, .size = size});
}

static void connect_host(struct device *device)
{
    struct penrose_host_memory memory = {.read = read_host, .write = write_host, .context = device};
    struct penrose_host_memory windows = {
        .read = read_by_dma, .write = write_by_dma, .context = device};
    penrose_host_memory_set(device->chip, &memory);
    penrose_pcie_device_set(device->chip, &windows);
}

/* --- Life --- */

/* The options that the environment asks for; the chip itself looks at PENROSE_THREADS. */
static void choose_options(struct penrose_options *options)
{
    const char *card = getenv("PENROSE_CARD");
    penrose_options_default(options);
    options->card = card && *card ? card : NULL;
}

struct device *device_create(void)
{
    struct penrose_options options;
    struct penrose_error error;
    struct device *device = calloc(1, sizeof *device);
    if (!device) {
        report_always("libttsim_init: no memory for a device");
        return NULL;
    }
    choose_options(&options);
    if (penrose_chip_create(&options, &device->chip, &error) != PENROSE_OK) {
        report(device, "libttsim_init: %s", error.text);
        free(device);
        return NULL;
    }
    connect_host(device);
    clock_init(device);
    return device;
}

void device_destroy(struct device *device)
{
    if (device) {
        penrose_chip_destroy(device->chip);
        free(device);
    }
}

/* --- Configuration space --- */

uint32_t device_config_read(struct device *device, uint32_t offset)
{
    /* A type 0 header; what is not named reads zero: no capabilities, no interrupts. */
    static const uint32_t header[] = {
        [0x00 / 4] = 0xb1401e52, /* device, vendor */
        [0x04 / 4] = 0x00000006, /* decodes memory, may be a bus master */
        [0x08 / 4] = 0x12000001, /* class "processing accelerator", revision 1 */
        [0x10 / 4] = 0x00000004, /* BARs: 64-bit, not prefetchable; bar.c has the same bases */
        [0x14 / 4] = 0x00000001, [0x18 / 4] = 0x20000004,
        [0x1c / 4] = 0x00000001, [0x20 / 4] = 0x00000004,
        [0x24 / 4] = 0x00000008, [0x3c / 4] = 0x000000ff, /* no interrupt line */
    };
    if (offset >= CONFIG_BYTES) {
        report(device, "configuration space has %d bytes; offset 0x%x reads all ones", CONFIG_BYTES,
               offset);
        return UINT32_MAX;
    }
    return offset < sizeof header ? header[offset / 4] : 0;
}

/* --- Answers and reports --- */

void device_no_answer(struct transfer transfer)
{
    if (transfer.to) {
        memset(transfer.to, 0xff, transfer.size);
    }
}

void device_report_faults(struct device *device)
{
    size_t count = penrose_fault_count(device->chip);
    for (; device->faults_told < count; device->faults_told++) {
        struct penrose_fault fault;
        char text[FAULT_TEXT];
        if (!penrose_fault_get(device->chip, device->faults_told, &fault)) {
            return;
        }
        penrose_fault_format(&fault, text, sizeof text);
        size_t size = strlen(text);
        while (size > 0 && text[size - 1] == '\n') {
            text[--size] = '\0';
        }
        report_text(device, text);
    }
}
