/* Booting tt-metal's firmware from its set of files on workers, on Ethernet tiles (beside or in
 * place of their base firmware), and on DRAM tiles. SPEC: tt-metal's llrt and HAL. */
#include <stdlib.h>
#include <string.h>

#include <penrose/metal.h>

#include "addresses.h"
#include "chip/chip.h"
#include "metal/firmware.h"
#include "metal/tables.h"
#include "eth/base_firmware.h"
#include "isa/error.h"
#include "tile/eth_window.h"

/* --- Files --- */

enum penrose_status metal_no_memory(struct penrose_error *error)
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
        return metal_no_memory(error);
    }
    enum penrose_status status = loader_firmware_open(&arch, directory, &made->loader, error);
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

static enum loader_companion_kind kind_for(const struct tile *tile)
{
    return tile->kind->type == TILE_DRAM ? LOADER_DRAM
           : chip_has_link(tile)         ? LOADER_ACTIVE_ETHERNET
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
        status = loader_companion_open(&arch, firmware->directory, kind, &firmware->companion[kind],
                                       error);
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

struct loader_memory metal_l1(struct tile *tile)
{
    return (struct loader_memory){.read = read_l1, .context = tile};
}

enum penrose_status metal_apply_writes(struct penrose_chip *chip, struct tile *tile,
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
    return images_add(&chip->head.images, &image);
}

/* Logical coordinates count the columns and rows of workers from 0. */
static struct loader_boot boot_of(const struct tile *tile)
{
    struct loader_boot boot = {0};
    if (tile->kind->type != TILE_TENSIX) {
        return boot;
    }
    while (grid_worker_name(boot.logical_x, 0).x != tile->x) {
        boot.logical_x++;
    }
    while (grid_worker_name(0, boot.logical_y).y != tile->y) {
        boot.logical_y++;
    }
    return boot;
}

static enum penrose_status boot_worker(struct penrose_chip *chip, struct tile *tile,
                                       struct penrose_firmware *firmware,
                                       struct penrose_error *error)
{
    struct loader_writes writes = {0};
    struct loader_boot boot = boot_of(tile);
    struct metal_tables tables;
    bool all_named = true;
    metal_boot_tables(chip, &firmware->loader->tables, &tables, &boot);
    metal_keep_tables(tile, firmware->loader, &tables);
    chip_hold_harts(chip, tile, true);
    enum penrose_status status = loader_firmware_boot(firmware->loader, &boot, &writes, error);
    status = status ? status : metal_apply_writes(chip, tile, &writes, error);
    loader_writes_free(&writes);
    for (unsigned i = 0; i < LOADER_PROCESSORS && !status; i++) {
        all_named &= add_image(chip, tile, firmware->loader->elf[i], firmware->loader->entry[i],
                               metal_hart_of(i));
    }
    if (!status) {
        chip_hold_harts(chip, tile, false);
    }
    return all_named ? status : metal_no_memory(error);
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
        return metal_no_memory(error);
    }
    memcpy(writes.write[0].bytes, words + 1, 12);
    memcpy(message, words, 4);
    enum penrose_status status = metal_apply_writes(chip, tile, &writes, error);
    loader_writes_free(&writes);
    return status;
}

/* Starts the companion firmware of a tile. Its harts are held, or E0 runs base firmware. */
static enum penrose_status start_companion(struct penrose_chip *chip, struct tile *tile,
                                           const struct loader_companion *companion,
                                           struct penrose_error *error)
{
    if (companion->kind == LOADER_ACTIVE_ETHERNET) {
        return call_through_mailbox(chip, tile, companion->entry[0], error);
    }
    chip_load_word(chip, tile, AT_RESET_PC, companion->entry[0]);
    chip_hold_harts(chip, tile, false);
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
    chip_hold_harts(chip, tile, !beside_base);
    status = loader_companion_boot(companion, &boot, &writes, error);
    status = status ? status : metal_apply_writes(chip, tile, &writes, error);
    loader_writes_free(&writes);
    for (unsigned i = 0; i < companion->harts && !status; i++) {
        all_named &= add_image(chip, tile, companion->elf[i], companion->entry[i],
                               i ? PENROSE_NCRISC : PENROSE_BRISC);
    }
    status = all_named ? status : metal_no_memory(error);
    return status ? status : start_companion(chip, tile, companion, error);
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

/* Does a tile hold the code at an ELF's entry, byte by byte? */
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

bool metal_assume(struct penrose_chip *chip, struct penrose_firmware *firmware)
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

const struct loader_layout *metal_layout(const struct penrose_chip *chip, const struct tile *tile)
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
        return loader_firmware_ready(firmware->loader, metal_l1(tile));
    }
    const struct loader_companion *companion = firmware->companion[kind_for(tile)];
    return companion && loader_companion_ready(companion, metal_l1(tile));
}
