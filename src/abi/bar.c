/*
 * The BARs: which register or window an access of the host is for.
 *
 * An access of any size and alignment is cut at window and register boundaries. Registers are
 * 32-bit words and take aligned whole words only. Those that set up windows are kept here, the
 * others belong to the chip's PCIe tile.
 */
#include <string.h>

#include "abi/device.h"
#include "arch/bar.h"

enum { PAGE_BYTES = 4096, WORD_SHIFT = 2, WINDOW_2M_SHIFT = 21, WINDOW_4G_SHIFT = 32 };

#define WINDOW_2M_BYTES (UINT64_C(1) << WINDOW_2M_SHIFT)

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

static inline void window_word(struct device *device, uint64_t offset,
                               const struct transfer *transfer)
{
    uint32_t *word = &device->tlb[offset / sizeof *word];
    if (transfer->from) {
        memcpy(word, transfer->from, sizeof *word);
    } else {
        memcpy(transfer->to, word, sizeof *word);
    }
}

/* Accesses may do something on the chip, or see its time; address translation is just set up. */
static void chip_word(struct device *device, const struct bar_region *region, uint64_t offset,
                      struct transfer transfer)
{
    struct penrose_error error;
    uint32_t value = 0;
    bool acts = transfer.from && region->token != REGION_IATU;
    enum penrose_status status;
    if (acts || region->token == REGION_ARC) {
        clock_settle(device);
    }
    if (transfer.from) {
        memcpy(&value, transfer.from, sizeof value);
        status = penrose_pcie_register_write(device->chip, region->bar, region->first + offset,
                                             value, &error);
    } else {
        status = penrose_pcie_register_read(device->chip, region->bar, region->first + offset,
                                            &value, &error);
        memcpy(transfer.to, &value, sizeof value);
    }
    if (status != PENROSE_OK) {
        report(device, "%s of the host: %s", transfer.from ? "write" : "read", error.text);
    }
    if (acts) {
        device_report_faults(device);
        clock_note_write(device);
    }
}

static void register_word(struct device *device, const struct bar_region *region, uint64_t offset,
                          struct transfer transfer)
{
    if (region->token == REGION_TLB) {
        window_word(device, offset, &transfer);
    } else {
        chip_word(device, region, offset, transfer);
    }
}

/* `transfer` begins at `offset` of the region and lies in one word. */
static void access_bar_register(struct device *device, const struct bar_region *region,
                                uint64_t offset, struct transfer transfer)
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

/* The logarithm of what a region is cut into: windows, or words. */
static unsigned unit_of(const struct bar_region *region)
{
    return region->token == REGION_WINDOWS_2M   ? WINDOW_2M_SHIFT
           : region->token == REGION_WINDOWS_4G ? WINDOW_4G_SHIFT
                                                : WORD_SHIFT;
}

/* An access that begins in a region; returns how many bytes of it were served. */
static uint32_t access_region(struct device *device, const struct bar_region *region,
                              uint64_t offset, struct transfer transfer)
{
    unsigned shift = unit_of(region);
    uint64_t unit = UINT64_C(1) << shift, inside = offset & (unit - 1);
    transfer = transfer_first(transfer, unit - inside);
    if (shift != WORD_SHIFT) {
        unsigned first = region->token == REGION_WINDOWS_4G ? WINDOWS_2M : 0;
        device_window_access(device, first + (unsigned)(offset >> shift), inside, transfer);
    } else {
        access_bar_register(device, region, offset, transfer);
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
    for (size_t i = 0; i < BAR_REGIONS; i++) {
        const struct bar_region *region = &bar_regions[i];
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

/* A transfer that reaches windows which reach the DMA engine ends there. */
bool device_dma_access(struct device *device, uint64_t offset, struct transfer transfer)
{
    const uint64_t end = WINDOWS_2M * WINDOW_2M_BYTES;
    bool is_answered = offset < end && transfer.size <= end - offset;
    if (device->in_dma) {
        return false;
    }
    device->in_dma = true;
    while (is_answered && transfer.size > 0) {
        uint64_t in_window = offset % WINDOW_2M_BYTES;
        struct transfer piece = transfer_first(transfer, WINDOW_2M_BYTES - in_window);
        is_answered =
            device_window_access(device, (unsigned)(offset / WINDOW_2M_BYTES), in_window, piece);
        offset += piece.size;
        transfer = transfer_rest(transfer, piece.size);
    }
    device->in_dma = false;
    return is_answered;
}
