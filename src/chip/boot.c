/*
 * Booting tt-metal's firmware: its set of files, workers, Ethernet tiles (beside or in place of
 * their base firmware), DRAM tiles. SPEC: tt-metal's llrt and HAL.
 */
#include <stdlib.h>
#include <string.h>

#include <penrose/metal.h>

#include "addresses.h"
#include "chip/firmware.h"
#include "chip/tables.h"
#include "eth/base_firmware.h"
#include "isa/error.h"
#include "tile/eth_window.h"

/* --- Files --- */

enum penrose_status chip_no_memory(struct penrose_error *error)
{
    return error_set(error, PENROSE_E_MEMORY, "no memory for firmware");
}

enum penrose_status chip_firmware_open(const char *directory, struct penrose_firmware **firmware,
                                       struct penrose_error *error)
{
    *firmware = NULL;
    struct penrose_firmware *made = calloc(1, sizeof *made);
    if (made) {
        made->directory = strdup(directory);
    }
    if (!made || !made->directory) {
        free(made);
        return chip_no_memory(error);
    }
    enum penrose_status status = loader_firmware_open(directory, &made->loader, error);
    if (status != PENROSE_OK) {
        chip_firmware_close(made);
        return status;
    }
    *firmware = made;
    return PENROSE_OK;
}

void chip_firmware_close(struct penrose_firmware *firmware)
{
    if (!firmware) {
        return;
    }
    for (unsigned i = 0; i < LOADER_COMPANIONS; i++) {
        loader_companion_close(firmware->companion[i]);
    }
    loader_firmware_close(firmware->loader);
    free(firmware->directory);
    free(firmware);
}

static bool has_link(const struct tile *tile)
{
    return tile->eth && tile->eth->link != ETH_LINK_DOWN;
}

static enum loader_companion_kind kind_for(const struct tile *tile)
{
    return tile->kind->type == TILE_DRAM ? LOADER_DRAM
           : has_link(tile)              ? LOADER_ACTIVE_ETHERNET
                                         : LOADER_IDLE_ETHERNET;
}

/* The firmware for a tile that is no worker, opened when it is first needed. */
static enum penrose_status find_companion(struct penrose_firmware *firmware,
                                          const struct tile *tile,
                                          struct loader_companion **companion,
                                          struct penrose_error *error)
{
    enum loader_companion_kind kind = kind_for(tile);
    enum penrose_status status = PENROSE_OK;
    if (!firmware->companion[kind]) {
        status =
            loader_companion_open(firmware->directory, kind, &firmware->companion[kind], error);
    }
    *companion = firmware->companion[kind];
    return status;
}

/* --- Memory --- */

static bool read_l1(void *context, uint32_t address, void *bytes, size_t size)
{
    const struct tile *tile = context;
    if (address > tile->kind->l1_bytes || size > tile->kind->l1_bytes - address) {
        return false;
    }
    memcpy(bytes, tile->l1 + address, size);
    return true;
}

struct loader_memory chip_l1(struct tile *tile)
{
    return (struct loader_memory){.read = read_l1, .context = tile};
}

void chip_load(struct penrose_chip *chip, struct tile *tile, uint32_t address, const void *bytes,
               uint32_t size)
{
    bool is_entry = JOURNAL_BEGIN(chip->journal, JOURNAL_LOAD, bytes, size, tile->node, address);
    memcpy(tile->l1 + address, bytes, size);
    tile_l1_written(tile, address, size, tile->now);
    journal_done(chip->journal, is_entry, PENROSE_OK);
}

enum penrose_status chip_apply_writes(struct penrose_chip *chip, struct tile *tile,
                                      const struct loader_writes *writes,
                                      struct penrose_error *error)
{
    for (unsigned i = 0; i < writes->count; i++) {
        const struct loader_write *write = &writes->write[i];
        uint32_t l1_bytes = tile->kind->l1_bytes;
        if (write->address > l1_bytes || write->size > l1_bytes - write->address) {
            return error_set(error, PENROSE_E_ARGUMENT, "%s: 0x%x bytes at 0x%x leave its L1",
                             tile->name, write->size, write->address);
        }
        chip_load(chip, tile, write->address, write->bytes, write->size);
    }
    return PENROSE_OK;
}

void chip_load_word(struct penrose_chip *chip, struct tile *tile, uint32_t address, uint32_t value)
{
    bool is_entry =
        JOURNAL_BEGIN(chip->journal, JOURNAL_TILE_WORD, NULL, 0, tile->node, address, value);
    struct mmio_access access = {.operation = MMIO_WRITE,
                                 .agent = AGENT_NOC,
                                 .size = 4,
                                 .address = address,
                                 .value = value,
                                 .cycle = tile->now};
    tile_access(tile, &access); /* SOFT_RESET_0 and reset PCs always answer */
    journal_done(chip->journal, is_entry, PENROSE_OK);
}

/* Holds the tile's harts in reset; lets the first one go unless it is to be held too. */
static void hold_harts(struct penrose_chip *chip, struct tile *tile, bool first_too)
{
    uint32_t first = tile_reset_bit(tile, RV32_B);
    chip_load_word(chip, tile, AT_SOFT_RESET_0, tile_reset_bits(tile) & ~(first_too ? 0 : first));
}

/* --- Workers --- */

static bool add_image(struct penrose_chip *chip, const struct tile *tile, struct loader_elf *elf,
                      uint32_t entry, enum penrose_hart hart)
{
    const struct loader_segment *text = loader_elf_segment_at(elf, entry);
    struct image image = {.x = tile->x,
                          .y = tile->y,
                          .base = text->vaddr,
                          .size = text->memsz,
                          .link_base = text->vaddr,
                          .elf = elf,
                          .hart = hart,
                          .is_firmware = true};
    return images_add(&chip->images, &image);
}

/* Logical coordinates count the columns of workers from 0. */
static struct loader_boot boot_of(const struct tile *tile)
{
    if (tile->kind->type != TILE_TENSIX) {
        return (struct loader_boot){0};
    }
    int others =
        (tile->x > GRID_WEST_DRAM_X) + (tile->x > GRID_CPU_X) + (tile->x > GRID_EAST_DRAM_X);
    return (struct loader_boot){.logical_x = (uint8_t)((int)tile->x - others),
                                .logical_y = (uint8_t)(tile->y - GRID_TENSIX_ROW)};
}

static enum penrose_status boot_worker(struct penrose_chip *chip, struct tile *tile,
                                       struct penrose_firmware *firmware,
                                       struct penrose_error *error)
{
    struct loader_writes writes = {0};
    struct loader_boot boot = boot_of(tile);
    struct chip_tables tables;
    bool all_named = true;
    chip_boot_tables(chip, &firmware->loader->tables, &tables, &boot);
    chip_keep_tables(tile, firmware->loader, &tables);
    hold_harts(chip, tile, true);
    enum penrose_status status = loader_firmware_boot(firmware->loader, &boot, &writes, error);
    status = status ? status : chip_apply_writes(chip, tile, &writes, error);
    loader_writes_free(&writes);
    for (unsigned i = 0; i < LOADER_PROCESSORS && !status; i++) {
        all_named &= add_image(chip, tile, firmware->loader->elf[i], firmware->loader->entry[i],
                               chip_hart_of(i));
    }
    if (!status) {
        hold_harts(chip, tile, false);
    }
    return all_named ? status : chip_no_memory(error);
}

/* --- Ethernet and DRAM tiles --- */

/* tt-metal has base firmware call its own: message, address, two arguments. */
static enum penrose_status call_through_mailbox(struct penrose_chip *chip, struct tile *tile,
                                                uint32_t entry, struct penrose_error *error)
{
    enum { MAILBOX = ETH_BASE_MAILBOXES };
    uint32_t words[4] = {UINT32_C(0xca110002), entry, 0, 0}; /* CALL | RELEASE_CORE */
    struct loader_writes writes = {0};
    uint8_t *arguments = loader_writes_add(&writes, MAILBOX + 4, 12);
    uint8_t *message = arguments ? loader_writes_add(&writes, MAILBOX, 4) : NULL;
    if (!message) {
        loader_writes_free(&writes);
        return chip_no_memory(error);
    }
    memcpy(writes.write[0].bytes, words + 1, 12);
    memcpy(message, words, 4);
    enum penrose_status status = chip_apply_writes(chip, tile, &writes, error);
    loader_writes_free(&writes);
    return status;
}

/* The tile's harts are held, or E0 runs base firmware; starts them. */
static enum penrose_status start_companion(struct penrose_chip *chip, struct tile *tile,
                                           const struct loader_companion *companion,
                                           struct penrose_error *error)
{
    if (companion->kind == LOADER_ACTIVE_ETHERNET) {
        return call_through_mailbox(chip, tile, companion->entry[0], error);
    }
    chip_load_word(chip, tile, AT_RESET_PC, companion->entry[0]);
    hold_harts(chip, tile, false);
    return PENROSE_OK;
}

static enum penrose_status boot_companion(struct penrose_chip *chip, struct tile *tile,
                                          struct penrose_firmware *firmware,
                                          struct penrose_error *error)
{
    struct loader_companion *companion;
    struct loader_writes writes = {0};
    struct loader_boot boot = boot_of(tile);
    enum penrose_status status = find_companion(firmware, tile, &companion, error);
    if (status) {
        return status;
    }
    bool beside_base = companion->kind == LOADER_ACTIVE_ETHERNET, all_named = true;
    hold_harts(chip, tile, !beside_base);
    status = loader_companion_boot(companion, &boot, &writes, error);
    status = status ? status : chip_apply_writes(chip, tile, &writes, error);
    loader_writes_free(&writes);
    for (unsigned i = 0; i < companion->harts && !status; i++) {
        all_named &= add_image(chip, tile, companion->elf[i], companion->entry[i],
                               i ? PENROSE_NCRISC : PENROSE_BRISC);
    }
    status = all_named ? status : chip_no_memory(error);
    return status ? status : start_companion(chip, tile, companion, error);
}

/* --- Base firmware --- */

static void write_base_word(void *owner, uint32_t address, uint32_t value)
{
    struct tile *tile = owner;
    tile_l1_write(tile, address, &value, sizeof value, tile->now);
}

/* GUESS: all chips of a process are of one board and one ASIC, whose id is 0, so the ends of a link
 * between two of them differ in the tile only. */
static struct eth_chip_info port_of(const struct penrose_chip *chip, uint16_t place)
{
    uint8_t logical = (uint8_t)(chip_logical(chip, place).x - NAMED_ETHERNET_X);
    return (struct eth_chip_info){.pcb_type = ETH_BASE_PCB_TYPE,
                                  .eth_id = grid_tile(&chip->grid, chip_position(place))->index,
                                  .logical_eth_id = logical,
                                  .board_id = chip->grid.board,
                                  .mac_organisation = ETH_BASE_MAC_ORGANISATION,
                                  .mac_id = logical};
}

static enum eth_port port_status(const struct penrose_chip *chip, const struct tile *tile)
{
    unsigned number = grid_tile(&chip->grid, chip_position(tile->node))->index;
    return has_link(tile)                   ? ETH_PORT_UP
           : chip->grid.ports >> number & 1 ? ETH_PORT_DOWN
                                            : ETH_PORT_UNUSED;
}

void chip_start_ethernet(struct penrose_chip *chip, struct tile *tile)
{
    const struct chip_place *place = &chip->place[tile->node];
    struct eth_base_facts facts = {.port = port_status(chip, tile),
                                   .is_loopback = place->peer == chip,
                                   .local = port_of(chip, tile->node)};
    if (place->peer) {
        facts.remote = port_of(place->peer, place->peer_place);
    }
    eth_base_firmware_write(&facts, write_base_word, tile);
    if (facts.port == ETH_PORT_UP) {
        chip_load_word(chip, tile, AT_RESET_PC, ETH_BASE_ENTRY);
        hold_harts(chip, tile, false);
    }
}

/* --- All kinds --- */

enum penrose_status chip_boot(struct penrose_chip *chip, unsigned x, unsigned y,
                              struct penrose_firmware *firmware, struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    chip->place[tile->node].firmware = firmware;
    return tile->kind->type == TILE_TENSIX ? boot_worker(chip, tile, firmware, error)
                                           : boot_companion(chip, tile, firmware, error);
}

/* Does the code that lies at an ELF's entry lie in a tile, byte by byte? */
static bool has_code(const struct tile *tile, struct loader_elf *elf, uint32_t entry)
{
    const struct loader_segment *text = loader_elf_segment_at(elf, entry);
    return text && text->vaddr < tile->kind->l1_bytes &&
           text->filesz <= tile->kind->l1_bytes - text->vaddr &&
           memcmp(tile->l1 + text->vaddr, text->bytes, text->filesz) == 0;
}

static bool has_firmware(const struct tile *tile, struct penrose_firmware *firmware)
{
    struct loader_companion *companion;
    if (tile->kind->type == TILE_TENSIX) {
        return has_code(tile, firmware->loader->elf[LOADER_BRISC],
                        firmware->loader->entry[LOADER_BRISC]);
    }
    return (tile->kind->type == TILE_ETHERNET || tile->kind->type == TILE_DRAM) &&
           find_companion(firmware, tile, &companion, NULL) == PENROSE_OK &&
           has_code(tile, companion->elf[0], companion->entry[0]);
}

bool chip_firmware_assume(struct penrose_chip *chip, struct penrose_firmware *firmware)
{
    bool is_there = false;
    for (unsigned i = 0; i < NOC_NODES && firmware; i++) {
        const struct tile *tile = chip->place[i].tile;
        if (tile && has_firmware(tile, firmware)) {
            chip->place[i].firmware = firmware;
            is_there = true;
        }
    }
    return is_there;
}

const struct loader_layout *chip_firmware_layout(const struct penrose_chip *chip,
                                                 const struct tile *tile)
{
    const struct penrose_chip *owner = chip->present ? chip->present : chip;
    const struct penrose_firmware *firmware = owner->place[tile->node].firmware;
    if (!firmware || tile->kind->type == TILE_TENSIX) {
        return firmware ? &firmware->loader->layout : NULL;
    }
    const struct loader_companion *companion = firmware->companion[kind_for(tile)];
    return companion ? &companion->layout : NULL;
}

bool chip_firmware_ready(struct penrose_chip *chip, unsigned x, unsigned y,
                         const struct penrose_firmware *firmware)
{
    struct tile *tile;
    if (chip_tile(chip, x, y, &tile, NULL) != PENROSE_OK) {
        return false;
    }
    if (tile->kind->type == TILE_TENSIX) {
        return loader_firmware_ready(firmware->loader, chip_l1(tile));
    }
    const struct loader_companion *companion = firmware->companion[kind_for(tile)];
    return companion && loader_companion_ready(companion, chip_l1(tile));
}
