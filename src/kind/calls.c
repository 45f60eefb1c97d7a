/* The table of what this kind of chip answers; see chip/calls.h. */
#include "chip/calls.h"

#include <stddef.h>

#include "chip/cards.h"
#include "chip/chip.h"
#include "chip/look.h"
#include "chip/snapshot.h"
#include "metal/firmware.h"

_Static_assert(offsetof(struct penrose_chip, head) == 0, "a chip begins with its head");

static void size_of_product(const struct grid_product *product, struct card_size *size)
{
    const struct grid_fused *fused = &product->fused;
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
    .plan = chip_plan,
    .options = options_of,
    .card_at = chip_card_at,
    .plan_card = chip_plan_card,
    .size_of = size_of_product,
    .tile_facts = chip_tile_facts,
    .next_tile = chip_next_tile,
    .prove = metal_prove,
    .look_take = chip_look_take,
    .look_is_still = chip_look_is_still,
    .stands_at = chip_stands_at,
    .hart_jump = chip_hart_jump,
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
    .is_running = chip_is_running,
    .save = chip_save,
    .save_links = chip_save_links,
    .load = chip_load_saved,
    .load_links = chip_load_links,
    .check_links = chip_check_links,
#define CALL(name)                        .name = chip_##name,
#define KIND_CALL(type, name, parameters) .name = chip_##name,
#include "chip/calls.def"
};
