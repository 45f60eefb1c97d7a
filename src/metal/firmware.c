/* Sets of tt-metal's firmware: their files, the tiles' L1 as they see it, and which tile has one. */
#include "metal/firmware.h"

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/error.h"

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
        made->calls = &chip_calls;
        made->directory = strdup(directory);
    }
    if (!made || !made->directory) {
        free(made);
        return metal_no_memory(error);
    }
    enum penrose_status status =
        loader_firmware_open(&arch, rv32_find_operands, directory, &made->loader, error);
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

enum penrose_status metal_find_companion(struct penrose_firmware *firmware, const struct tile *tile,
                                         struct loader_companion **companion,
                                         struct penrose_error *error)
{
    enum loader_companion_kind kind = kind_for(tile);
    enum penrose_status status = PENROSE_OK;
    if (!firmware->companion[kind]) {
        status = loader_companion_open(&arch, rv32_find_operands, firmware->directory, kind,
                                       &firmware->companion[kind], error);
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

const enum loader_processor metal_processors[PENROSE_HARTS] = {
    [PENROSE_BRISC] = LOADER_BRISC,   [PENROSE_TRISC0] = LOADER_TRISC0,
    [PENROSE_TRISC1] = LOADER_TRISC1, [PENROSE_TRISC2] = LOADER_TRISC2,
    [PENROSE_NCRISC] = LOADER_NCRISC,
};

enum penrose_hart metal_hart_of(unsigned processor)
{
    unsigned hart = 0;
    while (hart < PENROSE_HARTS && metal_processors[hart] != processor) {
        hart++;
    }
    return (enum penrose_hart)hart;
}

/* --- Tiles that have it --- */

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
           metal_find_companion(firmware, tile, &companion, NULL) == PENROSE_OK &&
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
