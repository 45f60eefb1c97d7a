/* What code that is compiled once is told of a tile; see struct tile_facts. */
#include <string.h>

#include "chip/chip.h"
#include "metal/firmware.h"

static struct tile_facts facts_of(const struct penrose_chip *chip, struct tile *tile)
{
    return (struct tile_facts){.x = tile->x,
                               .y = tile->y,
                               .kind = chip_tile_kind(chip, tile->x, tile->y),
                               .harts = tile->kind->harts,
                               .streams = tile->kind->streams,
                               .unseen = tile->unseen_count,
                               .l1 = tile->l1,
                               .l1_bytes = tile->kind->l1_bytes,
                               .memory = metal_l1(tile),
                               .layout = metal_layout(chip, tile)};
}

bool chip_tile_facts(struct penrose_chip *chip, unsigned x, unsigned y, bool makes,
                     struct tile_facts *facts)
{
    uint16_t place;
    struct tile *tile = chip_find(chip, x, y, &place) ? chip->place[place].tile : NULL;
    if (!tile && (!makes || chip_tile(chip, x, y, &tile, NULL) != PENROSE_OK)) {
        return false;
    }
    *facts = facts_of(chip, tile);
    return true;
}

bool chip_next_tile(struct penrose_chip *chip, unsigned *index, struct tile_facts *facts)
{
    while (*index < NOC_NODES) {
        struct tile *tile = chip->place[(*index)++].tile;
        if (tile) {
            *facts = facts_of(chip, tile);
            return true;
        }
    }
    return false;
}
