/* The table of what this kind of chip answers; see calls.h. */
#include "chip/calls.h"

#include <stddef.h>
#include <stdio.h>

#include "chip/chip.h"
#include "chip/snapshot.h"

_Static_assert(offsetof(struct penrose_chip, head) == 0, "a chip begins with its head");

static bool has_card(const char *name)
{
    return grid_product(name) != NULL;
}

static const char *list_cards(char *text, size_t size)
{
    snprintf(text, size, "%s", grid_products().text);
    return text;
}

static const char *card_name_at(size_t index)
{
    const struct grid_product *product = grid_product_at(index);
    return product ? product->name : NULL;
}

static void size_of_card(const char *name, struct card_size *size)
{
    const struct grid_fused *fused = &grid_product(name)->fused;
    *size =
        (struct card_size){.columns = arch.columns - (unsigned)__builtin_popcount(fused->columns),
                           .rows = arch.rows - (unsigned)__builtin_popcount(fused->rows),
                           .banks = GRID_BANKS - (unsigned)__builtin_popcount(fused->banks)};
}

static const struct penrose_options *options_of(const struct penrose_chip *chip)
{
    return &chip->options;
}

const struct chip_calls chip_calls = {
    .arch = &arch,
    .inside = &chip_inside,
    .layout = snapshot_layout,
    .card = chip_card,
    .options = options_of,
    .has_card = has_card,
    .card_at = card_name_at,
    .card_size = size_of_card,
    .tile_facts = chip_tile_facts,
    .next_tile = chip_next_tile,
    .stands_at = chip_stands_at,
    .hart_jump = chip_hart_jump,
    .cards = list_cards,
    .create = chip_create,
    .destroy = chip_destroy,
    .units = CHIP_UNITS,
    .look_around = chip_look_around,
    .granularity = chip_granularity,
    .window_open = chip_window_open,
    .window_alone = chip_window_alone,
    .window_stop = chip_window_stop,
    .window_ran = chip_window_ran,
    .window_close = chip_window_close,
    .go_on = chip_go_on,
    .ran = chip_ran,
#define CALL(name) .name = chip_##name,
#include "chip/calls.def"
#undef CALL
};
