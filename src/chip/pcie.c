/*
 * The PCIe tile (pcie.h).
 *
 * A word of the window table says whether an access passes the iATU, with which attributes it goes
 * to the host (these change nothing here), and which six bits come above those of the NoC's
 * address that lie below the window's number.
 */
#include "chip/pcie.h"

#include <stdio.h>
#include <string.h>

enum { WINDOW_SHIFT = NOC_LOCAL_BITS - 6, FIXED_WINDOW = PCIE_WINDOWS };

#define IN_WINDOW ((UINT64_C(1) << WINDOW_SHIFT) - 1)

enum {
#define PCIE_PLACE(name, offset) name = (offset),
#define PCIE_BITS(name, bits)    name = (bits),
#include "pcie.def"
};

static const struct {
    unsigned window;
    uint32_t value;
} outbound_windows[] = {
#define PCIE_OUTBOUND(window, value) {window, value},
#include "pcie.def"
};

/* What BY names in pcie.def. */
typedef enum answer pcie_handler(struct pcie *pcie, const struct reg_place *place, uint32_t *value,
                                 char *rule);
static pcie_handler pcie_by_doorbell, pcie_by_interrupt_clear, pcie_by_atu, pcie_by_link_state;

#define REG_FILE    pcie_registers
#define REG_TABLE   "pcie.def"
#define REG_STATE   struct pcie
#define REG_BY(has) pcie_by_##has
#include "isa/reg_table.h"

static uint64_t joined(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* --- Start --- */

void pcie_init(struct pcie *pcie, const struct grid *grid, unsigned instance,
               const struct pcie_bus *bus)
{
    memset(pcie, 0, sizeof *pcie);
    pcie->instance = (uint8_t)(instance & 1);
    pcie->is_connected = grid->pcie == pcie->instance;
    if (bus) {
        pcie->bus = *bus;
    }
    for (size_t i = 0; i < sizeof outbound_windows / sizeof *outbound_windows; i++) {
        pcie->window[outbound_windows[i].window] = outbound_windows[i].value;
    }
    struct grid_position at;
    if (grid_locate(grid, PENROSE_TILE_PCIE, pcie->instance, 0, &at)) {
        for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
            grid_configure_niu(grid, noc, at, &pcie->niu[noc]);
        }
    }
}

/* --- To the host --- */

static uint64_t region_limit(const struct pcie_region *region)
{
    /* Without the extension a region ends within the 4 GiB in which it begins. */
    bool is_extended = region->control_1 & ATU_INCREASE_SIZE;
    return joined(region->limit_low, is_extended ? region->limit_high : region->base_high);
}

/* Addresses in no region are left as they are. */
static enum answer pass_atu(const struct pcie *pcie, uint64_t address, uint64_t size,
                            uint64_t *host, char *rule)
{
    uint64_t last = address + size - 1;
    unsigned found = PCIE_REGIONS;
    *host = address;
    for (unsigned i = 0; i < PCIE_REGIONS; i++) {
        const struct pcie_region *region = &pcie->outbound[i];
        uint64_t base = joined(region->base_low, region->base_high);
        uint64_t limit = region_limit(region);
        if (!(region->control_2 >> ATU_ENABLE_BIT) || last < base || address > limit) {
            continue;
        }
        if (address < base || last > limit) {
            return grid_answer(
                ANSWER_REFUSED, rule,
                "PCIe: %llu bytes at 0x%llx cross the edge of iATU region %u: split them",
                (unsigned long long)size, (unsigned long long)address, i);
        }
        if (found < PCIE_REGIONS) {
            return grid_answer(
                ANSWER_REFUSED, rule,
                "PCIe: 0x%llx is in iATU regions %u and %u: enabled regions must not "
                "overlap",
                (unsigned long long)address, found, i);
        }
        found = i;
        *host = joined(region->target_low, region->target_high) + (address - base);
    }
    return ANSWER_DONE;
}

static bool is_host_window(const struct pcie *pcie, unsigned window)
{
    return window < PCIE_WINDOWS && !(pcie->window[window] & WINDOW_DBI);
}

/* GUESS: a window that nobody has written is not in use (SPEC: "currently unused"), though its zero
 * would read as one through the iATU. */
static bool is_unused(const struct pcie *pcie, unsigned window)
{
    enum { FIRMWARE_WINDOWS = 8 };
    return window >= FIRMWARE_WINDOWS && !pcie->window[window];
}

static enum answer check_window(const struct pcie *pcie, uint64_t address, uint64_t size,
                                char *rule)
{
    unsigned window = (unsigned)(address >> WINDOW_SHIFT);
    if (!pcie->is_connected) {
        return grid_answer(ANSWER_REFUSED, rule,
                           "PCIe tile %u has no host: use the one at (%d, %d), which this product "
                           "connects",
                           pcie->instance, NAMED_PCIE_X, NAMED_PCIE_Y);
    }
    if (is_unused(pcie, window)) {
        return grid_answer(
            ANSWER_REFUSED, rule,
            "PCIe: window %u (0x%llx) is not set up: windows 0-3 lead to the host, 4-7 "
            "through the iATU",
            window, (unsigned long long)address);
    }
    if (pcie->window[window] & WINDOW_TYPE) {
        return grid_answer(
            ANSWER_REFUSED, rule,
            "PCIe: window %u makes requests other than memory reads and writes: clear "
            "its bits 0-4",
            window);
    }
    if (size == 0 || size - 1 > IN_WINDOW - (address & IN_WINDOW)) {
        return grid_answer(ANSWER_REFUSED, rule,
                           "PCIe: %llu bytes at 0x%llx reach beyond window %u: split them",
                           (unsigned long long)size, (unsigned long long)address, window);
    }
    return ANSWER_DONE;
}

enum answer pcie_translate(const struct pcie *pcie, uint64_t address, uint64_t size, uint64_t *host,
                           char *rule)
{
    unsigned window = (unsigned)(address >> WINDOW_SHIFT);
    *host = 0;
    if (!is_host_window(pcie, window)) {
        return grid_answer(ANSWER_UNMAPPED, rule, "PCIe: registers are at 0x%llx, not host memory",
                           (unsigned long long)address);
    }
    enum answer got = check_window(pcie, address, size, rule);
    if (got != ANSWER_DONE) {
        return got;
    }
    uint32_t word = pcie->window[window];
    uint64_t high = (uint64_t)(word >> WINDOW_HIGH_SHIFT & WINDOW_HIGH) << WINDOW_SHIFT;
    uint64_t outbound = high | (address & IN_WINDOW);
    if (word & WINDOW_PAST_ATU) {
        *host = outbound;
        return ANSWER_DONE;
    }
    return pass_atu(pcie, outbound, size, host, rule);
}

/* --- DMA --- */

enum { DMA_PIECE = 4096 /* that are moved at once */ };

static bool move_piece(struct pcie *pcie, enum pcie_direction direction, uint64_t source,
                       uint64_t target, uint32_t size)
{
    const struct pcie_bus *bus = &pcie->bus;
    uint8_t piece[DMA_PIECE];
    if (direction == PCIE_READ) {
        return bus->host_read && bus->device_write &&
               bus->host_read(bus->context, source, piece, size) &&
               bus->device_write(bus->context, target, piece, size);
    }
    return bus->device_read && bus->host_write &&
           bus->device_read(bus->context, source, piece, size) &&
           bus->host_write(bus->context, target, piece, size);
}

/* Counts size, source and target as the engine does; false when one side did not answer. */
static bool move_all(struct pcie *pcie, struct pcie_channel *channel, enum pcie_direction direction)
{
    uint64_t source = joined(channel->source_low, channel->source_high);
    uint64_t target = joined(channel->target_low, channel->target_high);
    while (channel->size > 0) {
        uint32_t size = channel->size < DMA_PIECE ? channel->size : DMA_PIECE;
        if (!move_piece(pcie, direction, source, target, size)) {
            return false;
        }
        source += size;
        target += size;
        channel->size -= size;
    }
    return true;
}

/* An interrupt to the host is a write of one word to an address that its driver has chosen. */
static void send_message(struct pcie *pcie, uint32_t low, uint32_t high, uint32_t message)
{
    if (pcie->bus.host_write) {
        pcie->bus.host_write(pcie->bus.context, joined(low, high), &message, sizeof message);
    }
}

static void finish_channel(struct pcie *pcie, struct pcie_channel *channel, bool is_complete)
{
    uint32_t setup = channel->interrupt_setup;
    uint32_t cause = is_complete ? INTERRUPT_STOP : INTERRUPT_ABORT;
    channel->status = is_complete ? DMA_STOPPED : DMA_ABORTED;
    if (setup & cause) { /* masked */
        return;
    }
    channel->interrupt_status |= cause;
    if (is_complete && (setup & SETUP_STOP_MESSAGE)) {
        send_message(pcie, channel->stop_low, channel->stop_high, channel->message);
    } else if (!is_complete && (setup & SETUP_ABORT_MESSAGE)) {
        send_message(pcie, channel->abort_low, channel->abort_high, channel->message);
    }
}

static enum answer start_channel(struct pcie *pcie, struct pcie_channel *channel,
                                 enum pcie_direction direction, char *rule)
{
    if (channel->control & DMA_LINKED_LIST) {
        return grid_answer(
            ANSWER_REFUSED, rule,
            "PCIe DMA: linked lists are not modelled: clear bit 0 of CONTROL1 and set one "
            "transfer up");
    }
    if (!(channel->enable & DMA_ENABLE)) {
        return grid_answer(
            ANSWER_REFUSED, rule,
            "PCIe DMA: the doorbell of a channel that is off: set bit 0 of its EN register "
            "first");
    }
    if (channel->size == 0) {
        return grid_answer(ANSWER_REFUSED, rule,
                           "PCIe DMA: a transfer of 0 bytes: write XFERSIZE before the doorbell");
    }
    bool is_complete = move_all(pcie, channel, direction);
    finish_channel(pcie, channel, is_complete);
    return is_complete
               ? ANSWER_DONE
               : grid_answer(ANSWER_UNMAPPED, rule,
                             "PCIe DMA: nothing answered with %u bytes left; the transfer is "
                             "aborted",
                             channel->size);
}

static enum answer ring(struct pcie *pcie, struct pcie_channel *channel,
                        enum pcie_direction direction, uint32_t value, char *rule)
{
    if (value & DMA_STOP) {
        channel->status = DMA_STOPPED; /* nothing is under way */
        return ANSWER_DONE;
    }
    return value & DMA_START ? start_channel(pcie, channel, direction, rule) : ANSWER_DONE;
}

void pcie_transfer(struct pcie *pcie, enum pcie_direction direction,
                   const struct pcie_transfer *transfer)
{
    struct pcie_channel *channel = &pcie->channel[0][direction];
    uint64_t source = direction == PCIE_WRITE ? transfer->chip : transfer->host;
    uint64_t target = direction == PCIE_WRITE ? transfer->host : transfer->chip;
    uint64_t abort = transfer->message_address + sizeof(uint32_t);
    channel->interrupt_setup = SETUP_STOP_MESSAGE | SETUP_ABORT_MESSAGE;
    channel->stop_low = (uint32_t)transfer->message_address;
    channel->stop_high = (uint32_t)(transfer->message_address >> 32);
    channel->abort_low = (uint32_t)abort;
    channel->abort_high = (uint32_t)(abort >> 32);
    channel->message = transfer->message;
    channel->enable = DMA_ENABLE;
    channel->source_low = (uint32_t)source;
    channel->source_high = (uint32_t)(source >> 32);
    channel->target_low = (uint32_t)target;
    channel->target_high = (uint32_t)(target >> 32);
    channel->size = transfer->size;
    finish_channel(pcie, channel, transfer->size > 0 && move_all(pcie, channel, direction));
}

/* --- Registers of the controller --- */

enum { DMA_SPACE = PCIE_CHANNELS * PCIE_DIRECTIONS * CHANNEL_BYTES };
enum { ATU_SPACE = PCIE_REGIONS * 2 * ATU_BYTES };

static uint32_t *pcie_word(struct pcie *pcie, const struct reg_place *place)
{
    char *word = (char *)reg_state_word(pcie, place);
    switch (place->bank) {
    case BANK_DMA:
        word += place->copy * sizeof pcie->channel[0][0];
        break;
    case BANK_ATU:
        word += place->copy / 2 * sizeof pcie->outbound[0];
        word +=
            place->copy % 2 * (offsetof(struct pcie, inbound) - offsetof(struct pcie, outbound));
        break;
    default:
        break;
    }
    return (uint32_t *)(void *)word;
}

static struct pcie_channel *channel_of(struct pcie *pcie, const struct reg_place *place)
{
    return &pcie->channel[place->copy / PCIE_DIRECTIONS][place->copy % PCIE_DIRECTIONS];
}

static enum answer pcie_by_doorbell(struct pcie *pcie, const struct reg_place *place,
                                    uint32_t *value, char *rule)
{
    enum pcie_direction direction = place->copy % PCIE_DIRECTIONS ? PCIE_READ : PCIE_WRITE;
    return ring(pcie, channel_of(pcie, place), direction, *value, rule);
}

static enum answer pcie_by_interrupt_clear(struct pcie *pcie, const struct reg_place *place,
                                           uint32_t *value, char *rule)
{
    (void)rule;
    channel_of(pcie, place)->interrupt_status &= ~*value;
    return ANSWER_DONE;
}

static enum answer pcie_by_atu(struct pcie *pcie, const struct reg_place *place, uint32_t *value,
                               char *rule)
{
    bool is_inbound = place->copy % 2;
    *pcie_word(pcie, place) = *value;
    if (is_inbound && *value) {
        return grid_answer(
            ANSWER_UNMODELLED, rule,
            "PCIe: the inbound iATU is not modelled: the host's addresses are not changed");
    }
    return ANSWER_DONE;
}

static enum answer pcie_by_link_state(struct pcie *pcie, const struct reg_place *place,
                                      uint32_t *value, char *rule)
{
    (void)place;
    (void)rule;
    *value = pcie->is_connected ? LINK_IS_UP : 0;
    return ANSWER_DONE;
}

static enum answer access_place(struct pcie *pcie, const struct reg_place *place, bool writes,
                                uint32_t *value, char *rule)
{
    uint32_t *word = pcie_word(pcie, place);
    enum reg_reply reply = writes ? reg_write(place->row, word, true, *value)
                                  : reg_read(place->row, word, true, value);
    return reply == REG_ASK ? ((pcie_handler *)place->row->handler)(pcie, place, value, rule)
                            : ANSWER_DONE;
}

/* --- BAR2 --- */

static bool find_bar2(uint32_t offset, struct reg_place *place)
{
    return offset % 4 == 0 && (reg_find_in(&pcie_registers, BANK_DMA, offset, place) ||
                               reg_find_in(&pcie_registers, BANK_ATU, offset, place));
}

static enum answer no_bar2(uint32_t offset, char *rule)
{
    if (offset % 4 || offset >= END_BAR2) {
        return grid_answer(ANSWER_REFUSED, rule,
                           "BAR2 + 0x%x: registers are aligned words in the first 1 MiB", offset);
    }
    return grid_answer(ANSWER_UNMODELLED, rule,
                       "BAR2 + 0x%x is not modelled: DMA is at 0x0, the iATU at 0x%x", offset,
                       (unsigned)BAR2_ATU);
}

enum answer pcie_bar2_read(struct pcie *pcie, uint32_t offset, uint32_t *value, char *rule)
{
    struct reg_place place;
    *value = 0;
    return find_bar2(offset, &place) ? access_place(pcie, &place, false, value, rule)
                                     : no_bar2(offset, rule);
}

enum answer pcie_bar2_write(struct pcie *pcie, uint32_t offset, uint32_t value, char *rule)
{
    struct reg_place place;
    return find_bar2(offset, &place) ? access_place(pcie, &place, true, &value, rule)
                                     : no_bar2(offset, rule);
}

/* --- Registers as the NoC sees them --- */

static bool find_dbi(uint64_t offset, struct reg_place *place)
{
    if (offset - DBI_DMA < DMA_SPACE) {
        return reg_find_in(&pcie_registers, BANK_DMA, (uint32_t)(offset - DBI_DMA), place);
    }
    if (offset - DBI_ATU < ATU_SPACE) {
        return reg_find_in(&pcie_registers, BANK_ATU, (uint32_t)(offset - DBI_ATU + BAR2_ATU),
                           place);
    }
    return offset < BAR2_ATU && reg_find_in(&pcie_registers, BANK_DBI, (uint32_t)offset, place);
}

enum area { AREA_HOST, AREA_DBI, AREA_SERDES, AREA_SII, AREA_NIU, AREA_NOWHERE };

static enum area area_of(const struct pcie *pcie, uint64_t address, uint32_t *niu_offset)
{
    unsigned window = (unsigned)(address >> WINDOW_SHIFT);
    if (window < FIXED_WINDOW) {
        return is_host_window(pcie, window) ? AREA_HOST : AREA_DBI;
    }
    if (grid_niu_address(PENROSE_TILE_PCIE, address, niu_offset)) {
        return AREA_NIU;
    }
    return pcie_is_serdes(address)             ? AREA_SERDES
           : address - AT_PCIE_SII < SII_BYTES ? AREA_SII
                                               : AREA_NOWHERE;
}

static enum answer no_register(uint64_t address, char *rule)
{
    return grid_answer(ANSWER_UNMODELLED, rule,
                       "PCIe: register 0x%llx is not modelled: it reads zero and ignores writes",
                       (unsigned long long)address);
}

static enum answer check_registers(enum area area, uint64_t address, uint32_t size, char *rule)
{
    if (area == AREA_NOWHERE) {
        return grid_answer(ANSWER_UNMAPPED, rule,
                           "PCIe: nothing is at 0x%llx: host memory is below 0x2000000000000000",
                           (unsigned long long)address);
    }
    if (size != 4 || address % 4) {
        return grid_answer(
            ANSWER_REFUSED, rule,
            "PCIe: %u bytes at register 0x%llx: access registers as aligned 32-bit words", size,
            (unsigned long long)address);
    }
    return ANSWER_DONE;
}

/* Registers that are not stored are not known to take writes. */
static enum answer pcie_register(struct pcie *pcie, unsigned noc, enum area area, uint64_t address,
                                 uint32_t niu_offset, bool writes, uint32_t *value, char *rule)
{
    struct reg_place place;
    if (area == AREA_NIU) {
        struct niu *niu = &pcie->niu[noc & 1];
        enum answer got = writes ? grid_niu_write(niu, niu_offset, *value)
                                 : grid_niu_read(niu, niu_offset, value);
        return got == ANSWER_DONE ? got : no_register(address, rule);
    }
    uint32_t in_sii = (uint32_t)(address - AT_PCIE_SII);
    bool is_there = (area == AREA_DBI && find_dbi(address & IN_WINDOW, &place)) ||
                    (area == AREA_SII && reg_find_in(&pcie_registers, BANK_SII, in_sii, &place));
    if (!is_there ||
        (writes && (place.row->kind == REG_CONSTANT || place.row->kind == REG_COMPUTED))) {
        return no_register(address, rule);
    }
    return access_place(pcie, &place, writes, value, rule);
}

/* --- Accesses from the NoC --- */

bool pcie_is_serdes(uint64_t address)
{
    return address - AT_PCIE_SERDES < SERDES_BYTES;
}

bool pcie_is_register(const struct pcie *pcie, uint64_t address)
{
    uint32_t niu_offset;
    return area_of(pcie, address, &niu_offset) != AREA_HOST;
}

static enum answer no_host(uint64_t host, uint32_t size, char *rule)
{
    return grid_answer(
        ANSWER_UNMAPPED, rule,
        "PCIe: the host has no memory for %u bytes at 0x%llx: check the iATU and the "
        "host's mapping",
        size, (unsigned long long)host);
}

enum answer pcie_read(struct pcie *pcie, unsigned noc, uint64_t address, void *to, uint32_t size,
                      char *rule)
{
    uint32_t niu_offset = 0, value = 0;
    uint64_t host;
    const struct pcie_bus *bus = &pcie->bus;
    enum area area = area_of(pcie, address, &niu_offset);
    enum answer got = area == AREA_HOST ? pcie_translate(pcie, address, size, &host, rule)
                                        : check_registers(area, address, size, rule);
    if (got == ANSWER_DONE && area == AREA_HOST) {
        if (bus->host_read && bus->host_read(bus->context, host, to, size)) {
            return ANSWER_DONE;
        }
        got = no_host(host, size, rule);
    }
    if (got != ANSWER_DONE) {
        memset(to, 0xff, size);
        return got;
    }
    got = pcie_register(pcie, noc, area, address, niu_offset, false, &value, rule);
    memcpy(to, &value, sizeof value);
    return got;
}

enum answer pcie_write(struct pcie *pcie, unsigned noc, uint64_t address, const void *from,
                       uint32_t size, char *rule)
{
    uint32_t niu_offset = 0, value = 0;
    uint64_t host;
    const struct pcie_bus *bus = &pcie->bus;
    enum area area = area_of(pcie, address, &niu_offset);
    enum answer got = area == AREA_HOST ? pcie_translate(pcie, address, size, &host, rule)
                                        : check_registers(area, address, size, rule);
    if (got != ANSWER_DONE) {
        return got;
    }
    if (area == AREA_HOST) {
        return bus->host_write && bus->host_write(bus->context, host, from, size)
                   ? ANSWER_DONE
                   : no_host(host, size, rule);
    }
    memcpy(&value, from, sizeof value);
    return pcie_register(pcie, noc, area, address, niu_offset, true, &value, rule);
}
