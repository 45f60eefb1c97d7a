/* Booting tt-metal's firmware from its set of files on workers, on Ethernet tiles (beside or in
 * place of their base firmware), and on DRAM tiles. SPEC: tt-metal's llrt and HAL. */
#include <string.h>

#include <penrose/metal.h>

#include "addresses.h"
#include "chip/chip.h"
#include "metal/firmware.h"
#include "metal/tables.h"
#include "eth/base_firmware.h"
#include "isa/error.h"
#include "tile/eth_window.h"

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
    enum penrose_status status = metal_find_companion(firmware, tile, &companion, error);
    if (status) {
        return status;
    }
    bool beside_base = companion->kind == LOADER_ACTIVE_ETHERNET, all_named = true;
    if (beside_base && companion->harts == 1) {
        return error_set(error, PENROSE_E_FILE,
                         "%s: %s is made for erisc1 alone, and only tt-metal's host starts such "
                         "firmware; give a pre-compiled set, which has subordinate_active_erisc",
                         tile->name, firmware->directory);
    }
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
