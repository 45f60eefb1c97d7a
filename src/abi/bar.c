/*
 * The BARs: which register or window an access of the host is for.
 *
 * An access of any size and alignment is cut at window and register boundaries. Registers are
 * 32-bit words and take aligned whole words only. Those that set up windows are kept here, the
 * others belong to the chip's PCIe tile.
 */
#include <string.h>

#include "abi/machine.h"

enum { WORD_SHIFT = 2, PAGE_SHIFT = 12, NO_BAR = BARS };

/* Where they are; device.c has the same in configuration space. */
static const uint64_t bar_base[BARS] = {
    [0] = UINT64_C(0x100000000), [2] = UINT64_C(0x120000000), [4] = UINT64_C(0x800000000)};

/* --- Registers --- */

static void window_word(struct device *device, uint64_t offset, const struct transfer *transfer)
{
    uint32_t *word = &device->tlb[offset / sizeof *word];
    if (transfer->from) {
        memcpy(word, transfer->from, sizeof *word);
    } else {
        memcpy(transfer->to, word, sizeof *word);
    }
}

bool device_window_word(struct device *device, uint64_t paddr, const struct transfer *transfer)
{
    const struct bar_region *region = arch_bar_region(device->arch, REGION_TLB);
    uint64_t offset = paddr - bar_base[region->bar] - region->first;
    bool is_word = transfer->size == sizeof(uint32_t) && offset % sizeof(uint32_t) == 0 &&
                   offset <= region->last - region->first;
    if (is_word) {
        window_word(device, offset, transfer);
    }
    return is_word;
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
        window_word(device, offset, &transfer); /* of a longer access */
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
    unsigned bar;                    /* NO_BAR: outside */
    const struct bar_region *region; /* NULL: nothing is there */
    uint64_t offset;                 /* in the region, else in the BAR */
    unsigned shift;                  /* logarithm of what regions are cut into */
    uint32_t size;
};

static bool is_window(const struct bar_region *region)
{
    return region && region->token == REGION_WINDOWS;
}

/* Regions begin at page boundaries, and hold whole windows or words. */
static struct bar_piece first_piece(const struct device *device, uint64_t paddr, uint32_t size)
{
    const struct arch *of = device->arch;
    struct bar_piece piece = {.bar = NO_BAR, .size = size};
    for (unsigned i = 0; i < BARS && piece.bar == NO_BAR; i++) {
        piece.bar = paddr - bar_base[i] < of->bar_bytes[i] ? i : NO_BAR;
    }
    if (piece.bar == NO_BAR) {
        return piece;
    }
    piece.offset = paddr - bar_base[piece.bar];
    for (unsigned i = 0; i < of->bar_regions && !piece.region; i++) {
        const struct bar_region *region = &of->bar_region[i];
        bool is_there = region->bar == piece.bar && piece.offset >= region->first &&
                        piece.offset <= region->last;
        piece.region = is_there ? region : NULL;
    }
    piece.offset -= piece.region ? piece.region->first : 0;
    piece.shift = is_window(piece.region) ? piece.region->shift
                  : piece.region          ? WORD_SHIFT
                                          : PAGE_SHIFT;
    uint64_t unit = UINT64_C(1) << piece.shift, left = unit - (piece.offset & (unit - 1));
    piece.size = left < size ? (uint32_t)left : size;
    return piece;
}

static void access_bar_piece(struct device *device, const struct bar_piece *piece, uint64_t paddr,
                             struct transfer transfer)
{
    if (piece->bar == NO_BAR) {
        report(device,
               "%s of %u bytes at physical address 0x%llx, which is in no BAR of the device: "
               "reads give all ones, writes are ignored",
               transfer.from ? "write" : "read", transfer.size, (unsigned long long)paddr);
        device_no_answer(transfer);
    } else if (!piece->region) {
        report(device,
               "nothing is mapped in the page at BAR%u + 0x%llx: reads give all ones, writes are "
               "ignored",
               piece->bar, (unsigned long long)(piece->offset >> PAGE_SHIFT << PAGE_SHIFT));
        device_no_answer(transfer);
    } else if (is_window(piece->region)) {
        device_window_access(device, piece->region, piece->offset, transfer);
    } else {
        access_bar_register(device, piece->region, piece->offset, transfer);
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

/* The end of the windows with which BAR 0 begins. */
static uint64_t windows_end(const struct arch *of)
{
    uint64_t end = 0;
    for (unsigned i = 0; i < of->bar_regions; i++) {
        const struct bar_region *region = &of->bar_region[i];
        bool goes_on = is_window(region) && region->bar == 0 && region->first == end;
        end = goes_on ? region->last + 1 : end;
    }
    return end;
}

/* A transfer that reaches windows which reach the DMA engine ends there. */
bool device_dma_access(struct device *device, uint64_t offset, struct transfer transfer)
{
    const uint64_t end = windows_end(device->arch);
    bool is_answered = true;
    if (device->in_dma || offset >= end || transfer.size > end - offset) {
        return false;
    }
    device->in_dma = true;
    while (is_answered && transfer.size > 0) {
        const struct bar_piece piece = first_piece(device, bar_base[0] + offset, transfer.size);
        is_answered = device_window_access(device, piece.region, piece.offset,
                                           transfer_first(transfer, piece.size));
        offset += piece.size;
        transfer = transfer_rest(transfer, piece.size);
    }
    device->in_dma = false;
    return is_answered;
}
