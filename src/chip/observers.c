/* Observers of a chip's tiles (observe/observer.h), and whether its shortcuts may be taken. */
#include "tile/observe.h"

#include <penrose/debug.h>

#include "chip/chip.h"
#include "isa/error.h"

void chip_shortcuts_set(struct penrose_chip *chip, bool allows)
{
    chip->shortcuts = allows;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        if (chip->place[i].tile) {
            tile_allow_shortcuts(chip->place[i].tile, allows);
        }
    }
}

/* Does anybody look at it, or want to? */
static bool is_looked_at(const struct penrose_chip *chip, const struct tile *tile)
{
    bool is_wanted = tile->observers > 0;
    for (const struct observer *observer = chip->observers; observer && !is_wanted;
         observer = observer->next) {
        is_wanted = !observer->wants || observer->wants(observer->context, tile);
    }
    return is_wanted;
}

enum penrose_status chip_look_again(struct penrose_chip *chip, struct penrose_error *error)
{
    bool has_room = true;
    chip->head.is_observed = false;
    chip->touched = true;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        if (tile && is_looked_at(chip, tile)) {
            tile_catch_up(tile, chip->head.time.now);
            has_room &= tile_observe(tile, chip->observers);
            chip->head.is_observed |= tile->observers > 0;
        }
    }
    return has_room ? PENROSE_OK
                    : error_set(error, PENROSE_E_STATE, "more than %d observers look at a tile",
                                TILE_OBSERVERS);
}

static struct observer **find_observer(struct penrose_chip *chip, const struct observer *observer)
{
    struct observer **link = &chip->observers;
    while (*link && *link != observer) {
        link = &(*link)->next;
    }
    return link;
}

enum penrose_status chip_observe(struct penrose_chip *chip, struct observer *observer,
                                 struct penrose_error *error)
{
    struct observer **link = find_observer(chip, observer);
    if (!*link) {
        observer->next = NULL;
        *link = observer;
    }
    enum penrose_status status = chip_look_again(chip, error);
    if (status != PENROSE_OK) {
        chip_unobserve(chip, observer);
    }
    return status;
}

void *chip_observing(const struct penrose_chip *chip,
                     bool (*see)(void *context, struct tile *tile, const struct observed *event))
{
    const struct observer *observer = chip->observers;
    while (observer && observer->see != see) {
        observer = observer->next;
    }
    return observer ? observer->context : NULL;
}

void chip_unobserve(struct penrose_chip *chip, struct observer *observer)
{
    struct observer **link = find_observer(chip, observer);
    if (*link) {
        *link = observer->next;
        chip_look_again(chip, NULL);
    }
}

void chip_tell_window(const struct penrose_chip *chip)
{
    for (const struct observer *observer = chip->observers; observer; observer = observer->next) {
        if (observer->window) {
            observer->window(observer->context);
        }
    }
}
