/* See tell.h. */
#include "tile/tell.h"

#include <string.h>

#include "isa/shortcuts.h"

void tile_tell_kinds(struct tile *tile)
{
    tile->observed = tile->counts ? tile->counts->kinds : 0;
    tile->keeps_awake = false;
    for (unsigned i = 0; i < tile->observers; i++) {
        const struct observer *observer = tile->observer[i];
        tile->observed |=
            observer->asks ? observer->kinds & ~(1u << OBSERVED_FINISHED) : observer->kinds;
        tile->keeps_awake |= observer->kinds & OBSERVED_OF_HARTS && !observer->lets_sleep;
    }
    tile->tensix.observed = tile->observed;
    tile->shortcuts = shortcuts_on(tile->allows_shortcuts) && !tile->observed;
    tile->tensix.shortcuts = tile->shortcuts;
    tile->tensix.outcome.holds = true; /* a shortcut that is at work ends */
}

bool tile_tell(struct tile *tile, const struct observed *event)
{
    bool stops = false;
    for (unsigned i = 0; i < tile->observers; i++) {
        const struct observer *observer = tile->observer[i];
        stops |=
            observer->kinds >> event->kind & 1 && observer->see(observer->context, tile, event);
    }
    if (tile->counts && tile->counts->kinds >> event->kind & 1) {
        (void)tile->counts->see(NULL, tile, event);
    }
    if (stops && tile->halt == TILE_GOES) {
        tile->halt = TILE_PAUSED;
        if (tile->tensix.stopped == TENSIX_GOES) {
            tile->tensix.stopped = TENSIX_PAUSED;
        }
        tile->stopped_at = *event;
        tile->stopped_at.work = NULL;
    }
    return stops;
}

/* A loop's own variables change by itself alone: what it waits for is elsewhere, if it reads
 * that. */
static const struct rv32_idle_place *polled_place(const struct tile *tile, enum rv32_core core)
{
    const struct rv32_idle *idle = &tile->run[core].idle;
    for (unsigned i = 0; i < idle->places; i++) {
        if (idle->place[i].address - RV32_LOCAL_BASE >= TILE_B_LOCAL_BYTES) {
            return &idle->place[i];
        }
    }
    return &idle->place[0];
}

bool tile_tell_hart_at(struct tile *tile, enum rv32_core core, enum observed_kind kind, uint32_t pc,
                       uint64_t cycle)
{
    const struct rv32_hart *hart = &tile->hart[core];
    const struct rv32_idle *idle = &tile->run[core].idle;
    struct observed event = {.kind = kind,
                             .agent = (enum observed_agent)core,
                             .thread = OBSERVED_NO_THREAD,
                             .cycle = cycle,
                             .pc = pc};
    const bool goes_on = kind == OBSERVED_STARTS && tile->run[core].push.is_cut;
    const bool is_asked = kind == OBSERVED_FINISHED && tile->wanted_ends >> core & 1;
    if (!(tile_is_observed(tile, kind) || is_asked) || goes_on) {
        return false;
    }
    if (kind == OBSERVED_STARTS || kind == OBSERVED_FINISHED) {
        tile->wanted_ends &= (uint8_t) ~(1u << core);
    }
    const uint8_t *word = tile_code_at(tile, core, pc);
    if (word) {
        memcpy(&event.word, word, sizeof event.word);
    }
    if (kind == OBSERVED_WAITS) {
        event.address = hart->access.address;
        event.size = hart->access.size;
    } else if (kind == OBSERVED_POLLS && idle->places > 0) {
        const struct rv32_idle_place *place = polled_place(tile, core);
        event.address = place->address;
        event.size = place->size;
    }
    return tile_tell(tile, &event);
}

bool tile_tell_hart(struct tile *tile, enum rv32_core core, enum observed_kind kind, uint32_t pc)
{
    return tile_tell_hart_at(tile, core, kind, pc, tile->run[core].time);
}
