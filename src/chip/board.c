/* What the tiles of a chip ask of it (struct tile_board). */
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/gddr.h"
#include "chip/multicast.h"
#include "tile/timing.h"

static enum penrose_policy record_fault(void *owner, struct tile *tile,
                                        const struct tile_fault *fault)
{
    return chip_note_fault(owner, &tile->notes, tile->node, fault);
}

static enum penrose_policy record_bank_fault(void *owner, void **notes,
                                             const struct tile_fault *fault)
{
    return chip_note_fault(owner, notes, fault->origin, fault);
}

static enum penrose_policy record_claim(void *owner, struct tile *tile,
                                        const struct tile_fault *fault)
{
    return chip_note_claim(owner, tile, fault);
}

/* What host files look alike may be another program: only those count that were loaded here. */
static bool has_nothing_at_null(void *owner, const struct tile *tile, uint32_t pc)
{
    const struct image *image = images_find(chip_images(owner), tile->x, tile->y, pc);
    return image && !image->is_firmware && !image->is_found &&
           loader_elf_lowest(image->elf) >= RV32_NULL_BYTES;
}

static bool knows_launches(void *owner, const struct tile *tile)
{
    const struct penrose_chip *chip = owner, *known = chip->present ? chip->present : chip;
    return tile->kind->type == TILE_TENSIX &&
           (known->place[tile->node].firmware || chip_may_search(chip));
}

/* Is the function as it was loaded? A host may have put something else there. Words of kernels that hold
 * addresses are others where they run. */
static bool holds_loaded(const struct tile *tile, const struct image *image,
                         const struct loader_symbol *function)
{
    unsigned count;
    const struct loader_segment *segment = loader_elf_segments(image->elf, &count);
    for (unsigned i = 0; i < count && !image->is_kernel; i++) {
        uint32_t from = function->value - segment[i].vaddr;
        if (from < segment[i].filesz && function->size <= segment[i].filesz - from) {
            uint32_t at = image->base + (function->value - image->link_base);
            return memcmp(tile->l1 + at, segment[i].bytes + from, function->size) == 0;
        }
    }
    return image->is_kernel;
}

static bool find_loaded_code(void *owner, const struct tile *tile, uint32_t address, char *name,
                             size_t size)
{
    const struct image *image = images_find(chip_images(owner), tile->x, tile->y, address);
    if (!image || image->is_found) {
        return false;
    }
    if (image->hart < PENROSE_HARTS && tile->run[image->hart].state == HART_HELD) {
        return false; /* its program is not overwritten, but replaced */
    }
    const struct loader_symbol *symbol =
        loader_elf_function_at(image->elf, address - image->base + image->link_base);
    if (!symbol || !holds_loaded(tile, image, symbol)) {
        return false;
    }
    loader_plain_name(symbol->name, name, size);
    if (image->hart < PENROSE_HARTS) {
        snprintf(name + strlen(name), size - strlen(name), " (%s)", arch_hart_name(image->hart));
    }
    return true;
}

static void record_unmodelled(void *owner, struct tile *tile, const struct mmio_access *access,
                              const char *field)
{
    struct penrose_unmodelled use = {
        .address = access->address,
        .written = mmio_is_write(access),
        .read = !mmio_is_write(access),
        .times = 1,
        .hart = chip_hart_of(access->agent),
        .range =
            field ? field : tile_range_title(tile->kind->type, access->agent, access->address)};
    if (access->agent < AGENT_NOC) {
        use.pc = rv32_current_pc(&tile->hart[access->agent]);
    }
    chip_note_use(owner, tile, &use);
}

static void record_unmodelled_config(void *owner, struct tile *tile, enum tile_agent pusher,
                                     uint32_t pc, uint32_t word, uint32_t address,
                                     const char *field)
{
    struct penrose_unmodelled use = {.address = address,
                                     .written = true,
                                     .times = 1,
                                     .hart = chip_hart_of(pusher),
                                     .pc = pc,
                                     .word = word,
                                     .range = field};
    chip_note_use(owner, tile, &use);
}

void chip_board_init(struct tile_board *board, const struct penrose_options *options,
                     const struct timing *timing, uint64_t window)
{
    bool is_random = options->schedule == PENROSE_RANDOM;
    *board = (struct tile_board){.delivery = {.at_once = !options->timed && !is_random,
                                              .timing = timing,
                                              .at_random = is_random,
                                              .window = window},
                                 .fault = record_fault,
                                 .bank_fault = record_bank_fault,
                                 .has_nothing_at_null = has_nothing_at_null,
                                 .claim = record_claim,
                                 .knows_launches = knows_launches,
                                 .finds_code = find_loaded_code,
                                 .unmodelled = record_unmodelled,
                                 .unmodelled_config = record_unmodelled_config,
                                 .loops_back = chip_loops_back,
                                 .multicast_hops = chip_multicast_hops,
                                 .read_gddr = chip_gddr_read,
                                 .gddr_takes = chip_gddr_takes,
                                 .move_gddr = chip_gddr_move};
}
