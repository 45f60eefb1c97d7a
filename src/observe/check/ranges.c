/*
 * What a program has allocated, and accesses of its kernels to anything else.
 *
 * A command that loads a program tells of its buffers (check_allocated), as `penrose run
 * PROGRAM.json` does. In a memory of which nothing was told nothing is known. Below LOADER_L1_FIRST
 * the L1 belongs to the firmware and the launch. A circular buffer has rules of its own at its end
 * (buffers.c).
 */
#include "observe/check/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/program.h"
#include "noc/kind.h"
#include "tile/noc_serve.h"

struct check_range {
    uint64_t first, size;
    bool is_circular;
    char name[48];
};

/* Of one memory. */
struct ranges {
    struct check_range *range;
    unsigned count, room;
};

struct check_ranges {
    struct ranges l1[NOC_NODES], bank[GRID_BANKS];
};

/* --- What is told --- */

bool check_ranges_add(struct checks *checks, const struct check_allocation *allocation)
{
    const struct penrose_chip *chip = checks->chip;
    uint16_t place;
    if (!chip_find(chip, allocation->x, allocation->y, &place)) {
        return true;
    }
    if (!checks->ranges) {
        checks->ranges = calloc(1, sizeof *checks->ranges);
    }
    if (!checks->ranges) {
        return false;
    }
    const struct dram_port *port = chip->place[place].port;
    struct ranges *ranges =
        port ? &checks->ranges->bank[port->bank->number] : &checks->ranges->l1[place];
    if (ranges->count == ranges->room) {
        const unsigned room = ranges->room ? 2 * ranges->room : 16;
        struct check_range *grown = realloc(ranges->range, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        ranges->range = grown;
        ranges->room = room;
    }
    struct check_range *added = &ranges->range[ranges->count++];
    *added = (struct check_range){.first = allocation->address,
                                  .size = allocation->size,
                                  .is_circular = allocation->is_circular};
    snprintf(added->name, sizeof added->name, "%s", allocation->name);
    return true;
}

void check_ranges_free(struct checks *checks)
{
    for (unsigned i = 0; checks->ranges && i < NOC_NODES; i++) {
        free(checks->ranges->l1[i].range);
    }
    for (unsigned i = 0; checks->ranges && i < GRID_BANKS; i++) {
        free(checks->ranges->bank[i].range);
    }
    free(checks->ranges);
}

/* --- What is judged --- */

/* An access of kernels. */
struct reach {
    const char *what;  /* "NoC read" */
    const char *where; /* "L1 of tile (1, 2)" */
    uint64_t first;
    uint32_t size;
};

static uint64_t end_of(const struct check_range *range)
{
    return range->first + range->size;
}

/* Of the ranges that begin at the byte or before it, the one that ends last: if any of them holds
 * the byte, this one does. NULL: there is none. */
static const struct check_range *find_range(const struct ranges *ranges, uint64_t first)
{
    const struct check_range *found = NULL;
    for (unsigned i = 0; i < ranges->count; i++) {
        const struct check_range *range = &ranges->range[i];
        if (range->first <= first && (!found || end_of(range) > end_of(found))) {
            found = range;
        }
    }
    return found;
}

static void judge_reach(const struct check_scene *scene, const struct ranges *ranges,
                        const struct reach *reach)
{
    const struct check_range *range = find_range(ranges, reach->first);
    const bool is_inside = range && reach->first < end_of(range);
    if (ranges->count == 0 ||
        (is_inside && (range->is_circular || reach->first + reach->size <= end_of(range)))) {
        return;
    }
    char behind[96] = "; no buffer lies below it";
    if (range) {
        snprintf(behind, sizeof behind, "; %s ends at 0x%" PRIx64, range->name, end_of(range));
    }
    check_report(scene, PENROSE_FAULT_OUT_OF_BOUNDS, scene->hart, scene->event->pc,
                 (uint32_t)reach->first,
                 "%s of %u bytes at 0x%" PRIx64 " of %s, which the program has not allocated%s",
                 reach->what, reach->size, reach->first, reach->where, behind);
}

static void judge_l1(const struct check_scene *scene, const struct tile *tile, uint32_t first,
                     uint32_t size, const char *what)
{
    char where[40];
    const struct reach reach = {.what = what, .where = where, .first = first, .size = size};
    if (first >= LOADER_L1_FIRST && first < tile->kind->l1_bytes) {
        snprintf(where, sizeof where, "L1 of tile (%u, %u)", tile->x, tile->y);
        judge_reach(scene, &scene->checks->ranges->l1[tile->node], &reach);
    }
}

void check_ranges_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    if (scene->checks->ranges) {
        judge_l1(scene, scene->tile, (uint32_t)event->address, event->size,
                 event->kind == OBSERVED_WRITTEN ? "write" : "read");
    }
}

/* Both ends of a request. Of a multicast only the source is looked at. */
void check_ranges_sent(const struct check_scene *scene)
{
    static const char *const names[] = {
        [NOC_READ] = "NoC read", [NOC_WRITE] = "NoC write", [NOC_ATOMIC] = "NoC atomic"};
    const struct observed *event = scene->event;
    const struct chip_place *place = &scene->checks->chip->place[event->node % NOC_NODES];
    const char *what = names[event->packet];
    uint64_t local;
    if (!scene->checks->ranges) {
        return;
    }
    if (event->back < scene->tile->kind->l1_bytes && event->packet != NOC_ATOMIC) {
        judge_l1(scene, scene->tile, (uint32_t)event->back, event->size, what);
    }
    if (event->is_multicast) {
        return;
    }
    if (place->port && !tile_dram_address(event->address, &local)) {
        char where[24];
        const struct reach reach = {
            .what = what, .where = where, .first = event->address, .size = event->size};
        snprintf(where, sizeof where, "DRAM bank %u", place->port->bank->number);
        judge_reach(scene, &scene->checks->ranges->bank[place->port->bank->number], &reach);
    } else if (!place->port && place->tile && event->address <= UINT32_MAX) {
        judge_l1(scene, place->tile, (uint32_t)event->address, event->size, what);
    }
}
