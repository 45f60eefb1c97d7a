/* The table of what this kind of chip answers; see calls.h. */
#include "chip/calls.h"

#include <stddef.h>
#include <stdio.h>

#include "chip/chip.h"
#include "geometry.h"

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

const struct chip_calls chip_calls = {
    .name = CHIP_NAME,
    .has_card = has_card,
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
