/* The table of what this kind of chip answers; see calls.h. */
#include "chip/calls.h"

#include <stddef.h>
#include <stdio.h>

#include "chip/chip.h"
#include "geometry.h"

_Static_assert(offsetof(struct penrose_chip, calls) == offsetof(struct chip_head, calls) &&
                   offsetof(struct penrose_chip, journal) == offsetof(struct chip_head, journal),
               "a chip begins with its head");

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
#define CALL(name) .name = chip_##name,
#include "chip/calls.def"
#undef CALL
};
