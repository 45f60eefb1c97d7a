/*
 * The device behind the ABI: one chip, the windows onto its NoC, and what the host did last.
 *
 * A host access runs down bar.c (which BAR, which register or window), window.c (which tiles, which
 * address), endpoint.c (what answers there). clock.c decides how far time runs.
 */
#ifndef ABI_DEVICE_H
#define ABI_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "abi/clock.h"
#include "abi/report.h"

enum {
    WINDOWS_2M = 202,
    WINDOWS_4G = 8,
    WINDOWS = WINDOWS_2M + WINDOWS_4G,
    STRIDED_WINDOWS = 32, /* the first ones */
    TLB_WORDS = 3 * WINDOWS + STRIDED_WINDOWS,
};

/* How the device reaches host memory; NULL where the host has not said. */
struct host_callbacks {
    void (*read)(uint64_t paddr, void *p, uint32_t size);
    void (*write)(uint64_t paddr, const void *p, uint32_t size);
};

struct device {
    struct penrose_chip *chip;
    uint32_t tlb[TLB_WORDS]; /* three words a window, then a word for each strided one */
    struct host_callbacks host;
    bool in_dma;        /* a DMA transfer is accessing windows: time must not pass */
    bool stopped;       /* by a guest fault; the host may put its hart in reset and go on */
    size_t faults_told; /* fault records of the chip that were reported */
    struct run_ahead run_ahead;
    struct reports reports;
};

/* Bytes on their way between host and device: a write has `from`, a read has `to`. */
struct transfer {
    const uint8_t *from;
    uint8_t *to;
    uint32_t size;
};

/* The first `size` bytes are done. */
static inline struct transfer transfer_rest(struct transfer transfer, uint32_t size)
{
    return (struct transfer){.from = transfer.from ? transfer.from + size : NULL,
                             .to = transfer.to ? transfer.to + size : NULL,
                             .size = transfer.size - size};
}

static inline struct transfer transfer_first(struct transfer transfer, uint64_t size)
{
    if (size < transfer.size) {
        transfer.size = (uint32_t)size;
    }
    return transfer;
}

/* A device with the card of PENROSE_CARD; NULL, after a report, when that is not understood or when
 * memory runs out. */
struct device *device_create(void);
void device_destroy(struct device *device);

/* A register of configuration space; `offset` is a multiple of four. */
uint32_t device_config_read(struct device *device, uint32_t offset);

/* An access in the BARs (bar.c). */
void device_bar_access(struct device *device, uint64_t paddr, struct transfer transfer);

/* A piece of a DMA transfer, at an offset in BAR 0; false when something there does not answer, or
 * is no window (bar.c). */
bool device_dma_access(struct device *device, uint64_t offset, struct transfer transfer);

/* An access through a window, within its bounds; false when something of it was not answered
 * (window.c). */
bool device_window_access(struct device *device, unsigned window, uint64_t offset,
                          struct transfer transfer);

/* The answer to a read that nothing serves. A write is just dropped. */
void device_no_answer(struct transfer transfer);

/* Reports the chip's new faults; call after whatever may have made one. */
void device_report_faults(struct device *device);

#endif
