/* Places and what stands there, as the grid tells and as hosts name them. */
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"

struct grid_position chip_position(uint16_t place)
{
    return (struct grid_position){.x = (uint8_t)(place % GRID_WIDTH),
                                  .y = (uint8_t)(place / GRID_WIDTH)};
}

bool chip_find(const struct penrose_chip *chip, unsigned x, unsigned y, uint16_t *place)
{
    struct grid_position at;
    if (!grid_find(&chip->grid, 0, x, y, &at)) {
        return false;
    }
    *place = noc_node(at.x, at.y);
    return true;
}

struct grid_position chip_logical(const struct penrose_chip *chip, uint16_t place)
{
    return grid_logical(&chip->grid, chip_position(place));
}

const struct grid_tile *chip_grid_tile(const struct penrose_chip *chip, uint16_t place)
{
    return grid_tile(&chip->grid, chip_position(place));
}

enum penrose_tile_kind chip_tile_kind(const struct penrose_chip *chip, unsigned x, unsigned y)
{
    uint16_t place;
    if (!chip_find(chip, x, y, &place) || chip_grid_tile(chip, place)->is_fused_off) {
        return PENROSE_NO_TILE;
    }
    return (enum penrose_tile_kind)chip_grid_tile(chip, place)->kind;
}

bool chip_has_tile(const struct penrose_chip *chip, enum penrose_tile_kind kind, unsigned x,
                   unsigned y)
{
    uint16_t place;
    if (!chip_find(chip, x, y, &place) || chip_grid_tile(chip, place)->is_fused_off ||
        chip_grid_tile(chip, place)->kind != kind) {
        return false;
    }
    struct grid_position name = chip_logical(chip, place);
    return name.x == x && name.y == y; /* other coordinates may lead there too */
}

bool chip_tile_at(const struct penrose_chip *chip, enum penrose_tile_kind kind, size_t index,
                  struct penrose_place *at)
{
    size_t count;
    const struct grid_name *name = grid_names(&chip->grid, kind, &count);
    if (index >= count) {
        return false;
    }
    *at = (struct penrose_place){name[index].x, name[index].y};
    return true;
}

bool chip_from_noc1(const struct penrose_chip *chip, unsigned x, unsigned y, unsigned *noc0_x,
                    unsigned *noc0_y)
{
    struct grid_position at;
    if (!grid_find(&chip->grid, 1, x, y, &at)) {
        return false;
    }
    struct grid_position logical = grid_logical(&chip->grid, at);
    *noc0_x = logical.x;
    *noc0_y = logical.y;
    return true;
}

enum tile_type chip_tile_type(enum penrose_tile_kind kind)
{
    switch (kind) {
    case PENROSE_TILE_TENSIX:
        return TILE_TENSIX;
    case PENROSE_TILE_ETHERNET:
        return TILE_ETHERNET;
    case PENROSE_TILE_DRAM:
        return TILE_DRAM;
    default:
        return TILE_TYPES;
    }
}

bool chip_has_harts(const struct grid_tile *tile)
{
    return chip_tile_type((enum penrose_tile_kind)tile->kind) < TILE_TYPES;
}

/* Appends a letter and the numbers of `used`, such as "x 1-7 and 10-16". */
static void append_ranges(char *text, char letter, uint64_t used)
{
    const char *before = *text ? ", " : "";
    size_t length = strlen(text);
    length += (size_t)snprintf(text + length, CHIP_PLACES_TEXT - length, "%s%c", before, letter);
    for (const char *between = " "; used && length < CHIP_PLACES_TEXT; between = " and ") {
        unsigned first = (unsigned)__builtin_ctzll(used), last = first;
        while (last < 63 && used >> (last + 1) & 1) {
            last++;
        }
        length += (size_t)snprintf(text + length, CHIP_PLACES_TEXT - length,
                                   last > first ? "%s%u-%u" : "%s%u", between, first, last);
        used &= last < 63 ? UINT64_MAX << (last + 1) : 0;
    }
}

const char *chip_list_places(const struct penrose_chip *chip, enum penrose_tile_kind kind,
                             char text[CHIP_PLACES_TEXT])
{
    uint64_t columns = 0, rows = 0;
    struct penrose_place at;
    for (size_t i = 0; chip_tile_at(chip, kind, i, &at); i++) {
        columns |= UINT64_C(1) << at.x;
        rows |= UINT64_C(1) << at.y;
    }
    *text = 0;
    append_ranges(text, 'x', columns);
    append_ranges(text, 'y', rows);
    return text;
}
