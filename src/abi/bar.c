/*
 * The BARs: which register or window an access of the host is for.
 *
 * An access of any size and alignment is cut at window and register boundaries. Registers are
 * 32-bit words and take aligned whole words only. Those that set up windows are kept here, the
 * others belong to the chip's PCIe tile.
 */
#include <string.h>

#include "abi/machine.h"

enum { WORD_SHIFT = 2, PAGE_SHIFT = 12, WINDOW_2M_SHIFT = 21, WINDOW_4G_SHIFT = 32 };

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
        clock_settle(device->machine);
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
        clock_note_write(device->machine);
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

/* What an access begins with: bytes of a window, a register, a page of a BAR where nothing is, or
 * all of it outside of the BARs. */
struct bar_piece {
    const struct bar *bar;           /* NULL: outside */
    const struct bar_region *region; /* NULL: nothing is there */
    uint64_t offset;                 /* in the region, else in the BAR */
    unsigned shift;                  /* logarithm of what regions are cut into */
    uint32_t size;
};

static unsigned shift_of(const struct bar_region *region)
{
    return !region                              ? PAGE_SHIFT
           : region->token == REGION_WINDOWS_2M ? WINDOW_2M_SHIFT
           : region->token == REGION_WINDOWS_4G ? WINDOW_4G_SHIFT
                                                : WORD_SHIFT;
}

/* Regions begin at page boundaries, and hold whole windows or words. */
static struct bar_piece first_piece(const struct device *device, uint64_t paddr, uint32_t size)
{
    struct bar_piece piece = {.size = size};
    for (size_t i = 0; i < sizeof bars / sizeof *bars && !piece.bar; i++) {
        piece.bar = paddr - bars[i].base < bars[i].size ? &bars[i] : NULL;
    }
    if (!piece.bar) {
        return piece;
    }
    piece.offset = paddr - piece.bar->base;
    for (unsigned i = 0; i < device->arch->bar_regions && !piece.region; i++) {
        const struct bar_region *region = &device->arch->bar_region[i];
        bool is_there = region->bar == piece.bar->number && piece.offset >= region->first &&
                        piece.offset <= region->last;
        piece.region = is_there ? region : NULL;
    }
    piece.offset -= piece.region ? piece.region->first : 0;
    piece.shift = shift_of(piece.region);
    uint64_t unit = UINT64_C(1) << piece.shift, left = unit - (piece.offset & (unit - 1));
    piece.size = left < size ? (uint32_t)left : size;
    return piece;
}

static bool access_window_piece(struct device *device, const struct bar_piece *piece,
                                struct transfer transfer)
{
    unsigned first = piece->region->token == REGION_WINDOWS_4G ? device->small_windows : 0;
    uint64_t unit = UINT64_C(1) << piece->shift;
    return device_window_access(device, first + (unsigned)(piece->offset >> piece->shift),
                                piece->offset & (unit - 1), transfer);
}

static void access_bar_piece(struct device *device, const struct bar_piece *piece, uint64_t paddr,
                             struct transfer transfer)
{
    if (!piece->bar) {
        report(device,
               "%s of %u bytes at physical address 0x%llx, which is in no BAR of the device: "
               "reads give all ones, writes are ignored",
               transfer.from ? "write" : "read", transfer.size, (unsigned long long)paddr);
        device_no_answer(transfer);
    } else if (!piece->region) {
        report(device,
               "nothing is mapped in the page at BAR%u + 0x%llx: reads give all ones, writes are "
               "ignored",
               piece->bar->number, (unsigned long long)(piece->offset >> PAGE_SHIFT << PAGE_SHIFT));
        device_no_answer(transfer);
    } else if (piece->shift == WORD_SHIFT) {
        access_bar_register(device, piece->region, piece->offset, transfer);
    } else {
        access_window_piece(device, piece, transfer);
    }
}

void device_bar_access(struct device *device, uint64_t paddr, struct transfer transfer)
{
    while (transfer.size > 0) {
        const struct bar_piece piece = first_piece(device, paddr, transfer.size);
        access_bar_piece(device, &piece, paddr, transfer_first(transfer, piece.size));
        paddr += piece.size;
        transfer = transfer_rest(transfer, piece.size);
    }
}

/* A transfer that reaches windows which reach the DMA engine ends there. */
bool device_dma_access(struct device *device, uint64_t offset, struct transfer transfer)
{
    const uint64_t end = arch_bar_region(device->arch, REGION_WINDOWS_2M)->last + 1;
    bool is_answered = true;
    if (device->in_dma || offset >= end || transfer.size > end - offset) {
        return false;
    }
    device->in_dma = true;
    while (is_answered && transfer.size > 0) {
        const struct bar_piece piece = first_piece(device, bars[0].base + offset, transfer.size);
        is_answered = access_window_piece(device, &piece, transfer_first(transfer, piece.size));
        offset += piece.size;
        transfer = transfer_rest(transfer, piece.size);
    }
    device->in_dma = false;
    return is_answered;
}
