/*
 * Journal entries (chip/journal.h) of what hosts do to a chip and what the chip asks of
 * its host, and the callbacks through which it asks.
 *
 * Consequences of an entry get no entry of their own: nested public calls, and tiles created by
 * packets. Only what the client does in a callback of the DMA engine has entries.
 */
#include "chip/chip.h"

/* --- Pauses --- */

static void record_pause(struct penrose_chip *chip, const struct tile *tile)
{
    const struct observed *event = &tile->stopped_at;
    uint64_t at = journal_end(chip->head.journal);
    chip->head.journal->paused_at =
        at < chip->head.journal->paused_at ? at : chip->head.journal->paused_at;
    JOURNAL_ADD(chip->head.journal, chip->head.number, JOURNAL_PAUSE, NULL, 0, tile->node,
                (uint64_t)event->kind, (uint64_t)event->agent, event->cycle, event->pc,
                event->address, event->size);
}

static void record_pauses(struct penrose_chip *chip, const struct chip_unit *unit)
{
    if (unit->tile && unit->tile->halt == TILE_PAUSED) {
        record_pause(chip, unit->tile);
    }
    for (unsigned port = 0; unit->bank && port < DRAM_PORTS; port++) {
        const struct tile *tile = unit->bank->port[port].tile;
        if (tile && tile->halt == TILE_PAUSED) {
            record_pause(chip, tile);
        }
    }
}

void chip_record_pauses(struct penrose_chip *chip)
{
    const struct journal *journal = chip->head.journal;
    bool is_kept = journal && journal->inside == 0 && chip->head.is_observed;
    for (size_t i = 0; is_kept && i < chip->runnable_count; i++) {
        record_pauses(chip, chip->runnable[i]);
    }
}

/* --- The host's memory --- */

static bool host_read(void *context, uint64_t address, void *to, uint32_t size)
{
    struct penrose_chip *chip = context;
    bool answers = chip->host.read && chip->host.read(chip->host.context, address, to, size);
    if (chip->head.journal) {
        JOURNAL_ADD(chip->head.journal, chip->head.number, JOURNAL_HOST_READ, to,
                    answers ? size : 0, address, size, answers);
    }
    return answers;
}

static bool host_write(void *context, uint64_t address, const void *from, uint32_t size)
{
    struct penrose_chip *chip = context;
    bool answers = chip->host.write && chip->host.write(chip->host.context, address, from, size);
    if (chip->head.journal) {
        uint8_t kept[JOURNAL_ROOM];
        size_t count = journal_keep(from, size, kept);
        JOURNAL_ADD(chip->head.journal, chip->head.number, JOURNAL_HOST_WRITE, kept, count, address,
                    size, answers);
    }
    return answers;
}

void chip_host_memory_set(struct penrose_chip *chip, const struct penrose_host_memory *memory)
{
    chip->host = *memory;
}

/* --- The device's, for DMA: the client serves it by accesses, which are entries --- */

static bool device_read(void *context, uint64_t address, void *to, uint32_t size)
{
    struct penrose_chip *chip = context;
    struct journal *journal = chip->head.journal;
    unsigned inside = journal ? journal->inside : 0;
    if (journal) {
        journal->inside = 0;
    }
    bool answers = chip->device.read && chip->device.read(chip->device.context, address, to, size);
    if (journal) {
        journal->inside = inside;
        JOURNAL_ADD(journal, chip->head.number, JOURNAL_DEVICE_READ, to, answers ? size : 0,
                    address, size, answers);
    }
    return answers;
}

static bool device_write(void *context, uint64_t address, const void *from, uint32_t size)
{
    struct penrose_chip *chip = context;
    struct journal *journal = chip->head.journal;
    unsigned inside = journal ? journal->inside : 0;
    if (journal) {
        journal->inside = 0;
    }
    bool answers =
        chip->device.write && chip->device.write(chip->device.context, address, from, size);
    if (journal) {
        journal->inside = inside;
        JOURNAL_ADD(journal, chip->head.number, JOURNAL_DEVICE_WRITE, NULL, 0, address, size,
                    answers);
    }
    return answers;
}

void chip_pcie_device_set(struct penrose_chip *chip, const struct penrose_host_memory *device)
{
    chip->device = *device;
}

void chip_connect_bus(struct penrose_chip *chip, unsigned instance, struct pcie_bus *bus)
{
    bool is_connected = (chip->grid.pcie & 1) == instance;
    *bus = (struct pcie_bus){.host_read = host_read,
                             .host_write = host_write,
                             .device_read = is_connected ? device_read : NULL,
                             .device_write = is_connected ? device_write : NULL,
                             .context = chip};
}
