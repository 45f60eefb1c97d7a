/* What a loader does to a tile: bytes into its L1, words into its registers. Both are entries of the
 * chip's journal. */
#include <string.h>

#include "addresses.h"
#include "chip/chip.h"
#include "tile/tell.h"

void chip_load(struct penrose_chip *chip, struct tile *tile, uint32_t address, const void *bytes,
               uint32_t size)
{
    bool is_entry = CHIP_ENTRY(chip, JOURNAL_LOAD, bytes, size, tile->node, address);
    memcpy(tile->l1 + address, bytes, size);
    tile_l1_written(tile, address, size, tile->now);
    if (tile_is_observed(tile, OBSERVED_LOADED)) {
        const struct observed event = {.kind = OBSERVED_LOADED,
                                       .agent = OBSERVED_HOST,
                                       .thread = OBSERVED_NO_THREAD,
                                       .cycle = tile->now,
                                       .address = address,
                                       .size = size};
        tile_tell(tile, &event);
    }
    journal_done(chip->head.journal, is_entry, PENROSE_OK);
}

void chip_load_word(struct penrose_chip *chip, struct tile *tile, uint32_t address, uint32_t value)
{
    bool is_entry = CHIP_ENTRY(chip, JOURNAL_TILE_WORD, NULL, 0, tile->node, address, value);
    struct mmio_access access = {.operation = MMIO_WRITE,
                                 .agent = AGENT_NOC,
                                 .size = 4,
                                 .address = address,
                                 .value = value,
                                 .cycle = tile->now};
    tile_access(tile, &access); /* SOFT_RESET_0 and reset PCs always answer */
    journal_done(chip->head.journal, is_entry, PENROSE_OK);
}

void chip_hold_harts(struct penrose_chip *chip, struct tile *tile, bool first_too)
{
    uint32_t first = tile_reset_bit(tile, RV32_B);
    chip_load_word(chip, tile, AT_SOFT_RESET_0, tile_reset_bits(tile) & ~(first_too ? 0 : first));
}
