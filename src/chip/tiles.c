/* Tiles with harts: they are made when they are first touched. */
#include <stdlib.h>

#include "chip/chip.h"
#include "isa/error.h"
#include "tile/observe.h"
#include "tile/timing.h"

/* Applies the schedule's options to a new tile; false when memory runs out. */
static bool configure_tile(struct penrose_chip *chip, struct tile *tile)
{
    const struct penrose_options *options = &chip->options;
    tile->now = chip->head.time.now;
    tile_allow_shortcuts(tile, chip->shortcuts);
    tile->tensix.timing = chip->board.delivery.timing;
    tile->tensix.rounds_to_nearest = options->rounds_to_nearest;
    tile->tensix.kernels = chip->kernels;
    tile->quantum = options->quantum;
    for (unsigned core = 0; core < RV32_CORES; core++) {
        tile->hart[core].timing = options->timed ? chip->costs.harts : NULL;
    }
    return options->schedule != PENROSE_RANDOM ||
           tile_weak_enable(tile,
                            options->seed ^ (uint64_t)tile->y << 40 ^ (uint64_t)tile->x << 32);
}

void chip_configure_nius(struct penrose_chip *chip, struct tile *tile)
{
    for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
        grid_configure_niu(&chip->grid, noc, chip_position(tile->node), &tile->niu[noc]);
    }
}

struct chip_unit *chip_add_unit(struct penrose_chip *chip, const struct chip_unit *unit)
{
    struct chip_unit *made = aligned_alloc(64, (sizeof *made + 63) / 64 * 64);
    if (!made) {
        return NULL;
    }
    unsigned at = chip->units++;
    for (; at > 0 && chip->unit[at - 1]->order > unit->order; at--) {
        chip->unit[at] = chip->unit[at - 1];
    }
    *made = *unit;
    chip->unit[at] = made;
    return made;
}

static struct tile *make_tile(struct penrose_chip *chip, uint16_t number)
{
    struct chip_place *place = &chip->place[number];
    struct grid_position at = chip_position(number);
    enum tile_type type =
        chip_tile_type((enum penrose_tile_kind)chip_grid_tile(chip, number)->kind);
    struct tile *tile = tile_create(type, at.x, at.y, chip->store, &chip->board, chip);
    struct chip_unit unit = {.tile = tile, .order = number, .next = UINT64_MAX};
    bool is_made = tile && configure_tile(chip, tile);
    if (is_made && !place->port) {
        place->unit = chip_add_unit(chip, &unit);
    }
    if (!is_made || !place->unit) {
        tile_destroy(tile);
        return NULL;
    }
    struct grid_position name = chip_logical(chip, number);
    tile_rename(tile, name.x, name.y);
    chip_configure_nius(chip, tile);
    place->tile = tile;
    (void)tile_observe(tile, chip->observers); /* as many as the other tiles have */
    chip->head.is_observed |= tile->observers > 0;
    if (place->port) { /* its bank runs it */
        dram_attach(place->port, tile);
    }
    chip_touch(chip, number);
    if (type == TILE_ETHERNET) {
        chip_start_ethernet(chip, tile);
    }
    return tile;
}

struct tile *chip_make_tile(struct penrose_chip *chip, uint16_t number)
{
    if (chip->place[number].tile) {
        return chip->place[number].tile;
    }
    bool is_entry = CHIP_ENTRY(chip, JOURNAL_TOUCH, NULL, 0, number);
    struct tile *tile = make_tile(chip, number);
    journal_done(chip->head.journal, is_entry, tile ? PENROSE_OK : PENROSE_E_MEMORY);
    return tile;
}

enum penrose_status chip_take_tile(struct penrose_chip *chip, uint16_t place, unsigned x,
                                   unsigned y, struct tile **tile, struct penrose_error *error)
{
    *tile = chip_make_tile(chip, place);
    if (!*tile) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for tile (%u, %u)", x, y);
    }
    tile_catch_up(*tile, chip->head.time.now);
    return PENROSE_OK;
}

enum penrose_status chip_tile(struct penrose_chip *chip, unsigned x, unsigned y, struct tile **tile,
                              struct penrose_error *error)
{
    uint16_t place;
    if (!chip_find(chip, x, y, &place) || !chip_has_harts(chip_grid_tile(chip, place))) {
        char workers[CHIP_PLACES_TEXT], dram[CHIP_PLACES_TEXT], ethernet[CHIP_PLACES_TEXT];
        error_set(error, PENROSE_E_ARGUMENT,
                  "there is no tile with harts at (%u, %u); workers are at %s, DRAM tiles at %s, "
                  "Ethernet tiles at %s",
                  x, y, chip_list_places(chip, PENROSE_TILE_TENSIX, workers),
                  chip_list_places(chip, PENROSE_TILE_DRAM, dram),
                  chip_list_places(chip, PENROSE_TILE_ETHERNET, ethernet));
        return PENROSE_E_ARGUMENT;
    }
    enum penrose_status status =
        chip_grid_tile(chip, place)->is_fused_off
            ? error_set(error, PENROSE_E_ARGUMENT, "the tile at (%u, %u) is fused off on this card",
                        x, y)
            : chip_take_tile(chip, place, x, y, tile, error);
    chip_touch(chip, place);
    return status;
}
