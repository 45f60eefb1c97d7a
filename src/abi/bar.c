/*
 * The BARs: which register or window an access of the host is for.
 *
 * An access of any size and alignment is cut at window and register boundaries. Registers are
 * 32-bit words and take aligned whole words only. iATU regions (of outbound translation) and DMA
 * registers keep what is written; nothing uses them in this version.
 */
#include <string.h>

#include "abi/device.h"
#include "abi/endpoint.h"

#define WINDOW_2M_BYTES (UINT64_C(1) << 21)
#define WINDOW_4G_BYTES (UINT64_C(1) << 32)

enum { DMA_WRITE_DOORBELL = 0x004, DMA_READ_DOORBELL = 0x104, PAGE_BYTES = 4096 };

enum region_token {
#define REGION(token, bar, first, last, title) REGION_##token,
#include "abi/bar.def"
#undef REGION
};

struct region {
    enum region_token token;
    unsigned bar;
    uint64_t first, last;
    const char *title;
};

static const struct region regions[] = {
#define REGION(token, bar, first, last, title) {REGION_##token, bar, first, last, title},
#include "abi/bar.def"
#undef REGION
};

/* device.c has the same bases in configuration space. */
static const struct bar {
    unsigned number;
    uint64_t base, size;
} bars[] = {
    {0, UINT64_C(0x100000000), UINT64_C(512) << 20},
    {2, UINT64_C(0x120000000), UINT64_C(1) << 20},
    {4, UINT64_C(0x800000000), UINT64_C(32) << 30},
};

/* --- Registers --- */

static uint32_t *stored_word(struct device *device, enum region_token token, uint64_t offset)
{
    switch (token) {
    case REGION_TLB:
        return &device->tlb[offset / 4];
    case REGION_DMA:
        return &device->dma[offset / 4];
    case REGION_IATU:
        return &device->iatu[offset / 4];
    case REGION_WINDOWS_2M:
    case REGION_NIU0:
    case REGION_NIU1:
    case REGION_WINDOWS_4G:
        break;
    }
    return NULL;
}

static void niu_word(struct device *device, const struct region *region, uint64_t offset,
                     struct transfer transfer)
{
    enum endpoint_kind kind =
        region->token == REGION_NIU0 ? ENDPOINT_PCIE_NIU0 : ENDPOINT_PCIE_NIU1;
    if (transfer.from || !endpoint_table_read(kind, offset, transfer)) {
        report(device, "%s: register 0x%03llx is not modelled in this version: it reads zero",
               region->title, (unsigned long long)offset);
    }
}

static void register_word(struct device *device, const struct region *region, uint64_t offset,
                          struct transfer transfer)
{
    uint32_t *word = stored_word(device, region->token, offset);
    if (!word) {
        niu_word(device, region, offset, transfer);
    } else if (transfer.from) {
        memcpy(word, transfer.from, sizeof *word);
    } else {
        memcpy(transfer.to, word, sizeof *word);
    }
    if (transfer.from && region->token == REGION_DMA && *word &&
        (offset == DMA_WRITE_DOORBELL || offset == DMA_READ_DOORBELL)) {
        report(device, "DMA channel 0 was started; DMA is not modelled in this version");
    }
}

/* `transfer` begins at `offset` of the region and lies in one word. */
static void access_register(struct device *device, const struct region *region, uint64_t offset,
                            struct transfer transfer)
{
    if (transfer.size == sizeof(uint32_t)) {
        register_word(device, region, offset, transfer);
        return;
    }
    report(device,
           "BAR%u %s, offset 0x%llx: registers are accessed as aligned 32-bit words; %u bytes were "
           "%s",
           region->bar, region->title, (unsigned long long)offset, transfer.size,
           transfer.from ? "written and are ignored" : "read as all ones");
    device_no_answer(transfer);
}

/* --- Decoding --- */

/* An access that begins in a region; returns how many bytes of it were served. */
static uint32_t access_region(struct device *device, const struct region *region, uint64_t offset,
                              struct transfer transfer)
{
    bool is_window = region->token == REGION_WINDOWS_2M || region->token == REGION_WINDOWS_4G;
    uint64_t unit = region->token == REGION_WINDOWS_2M   ? WINDOW_2M_BYTES
                    : region->token == REGION_WINDOWS_4G ? WINDOW_4G_BYTES
                                                         : sizeof(uint32_t);
    transfer = transfer_first(transfer, unit - offset % unit);
    if (is_window) {
        unsigned first = region->token == REGION_WINDOWS_4G ? WINDOWS_2M : 0;
        device_window_access(device, first + (unsigned)(offset / unit), offset % unit, transfer);
    } else {
        access_register(device, region, offset, transfer);
    }
    return transfer.size;
}

/* An access that begins where nothing is, in a BAR. Regions begin at page boundaries. */
static uint32_t access_gap(struct device *device, const struct bar *bar, uint64_t offset,
                           struct transfer transfer)
{
    uint64_t page = offset / PAGE_BYTES * PAGE_BYTES;
    transfer = transfer_first(transfer, page + PAGE_BYTES - offset);
    report(
        device,
        "nothing is mapped in the page at BAR%u + 0x%llx: reads give all ones, writes are ignored",
        bar->number, (unsigned long long)page);
    device_no_answer(transfer);
    return transfer.size;
}

static uint32_t access_bar(struct device *device, const struct bar *bar, uint64_t offset,
                           struct transfer transfer)
{
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        const struct region *region = &regions[i];
        if (region->bar == bar->number && offset >= region->first && offset <= region->last) {
            transfer = transfer_first(transfer, region->last + 1 - offset);
            return access_region(device, region, offset - region->first, transfer);
        }
    }
    return access_gap(device, bar, offset, transfer);
}

static const struct bar *bar_at(uint64_t paddr)
{
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        if (paddr - bars[i].base < bars[i].size) {
            return &bars[i];
        }
    }
    return NULL;
}

void device_bar_access(struct device *device, uint64_t paddr, struct transfer transfer)
{
    while (transfer.size > 0) {
        const struct bar *bar = bar_at(paddr);
        if (!bar) {
            report(device,
                   "%s of %u bytes at physical address 0x%llx, which is in no BAR of the device: "
                   "reads give all ones, writes are ignored",
                   transfer.from ? "write" : "read", transfer.size, (unsigned long long)paddr);
            device_no_answer(transfer);
            return;
        }
        uint32_t done = access_bar(device, bar, paddr - bar->base,
                                   transfer_first(transfer, bar->base + bar->size - paddr));
        paddr += done;
        transfer = transfer_rest(transfer, done);
    }
}
