/*
 * What a program has allocated, and accesses of its kernels to anything else.
 *
 * A command that loads a program tells of its buffers (check_allocated), as `penrose run
 * PROGRAM.json` does. Or a host tells by a file what there is when it launches kernels. In a memory of
 * which nothing was told nothing is known. Below LOADER_L1_FIRST the L1 belongs to the firmware and the
 * launch. A circular buffer has rules of its own at its end (buffers.c).
 */
#include "observe/check/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/array.h"
#include "loader/program.h"
#include "noc/kind.h"
#include "noc/request.h"
#include "tile/noc_serve.h"

struct check_range {
    uint64_t first, size;
    bool is_circular;
    char name[48];
};

/* Of one memory. */
struct ranges {
    struct check_range *range;
    size_t count, room;
};

struct check_ranges {
    struct ranges l1[NOC_NODES], bank[GRID_BANKS];
    /* What a host has told for the launches under way, of each tile and of each bank alike, */
    struct ranges host_l1, host_bank;
    uint32_t host_launch;  /* when this one began (0: it has no number), */
    struct stat host_file; /* by the file as it was then */
};

/* --- What is told --- */

static struct check_range *append_range(struct ranges *ranges)
{
    return array_grow(&ranges->range, ranges->count, &ranges->room, sizeof *ranges->range)
               ? &ranges->range[ranges->count++]
               : NULL;
}

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
    struct check_range *added = append_range(ranges);
    if (!added) {
        return false;
    }
    *added = (struct check_range){.first = allocation->address,
                                  .size = allocation->size,
                                  .is_circular = allocation->is_circular};
    snprintf(added->name, sizeof added->name, "%s", allocation->name);
    return true;
}

static bool add_host(struct ranges *ranges, uint64_t first, uint64_t size, const char *name)
{
    struct check_range *added = append_range(ranges);
    if (added) {
        *added = (struct check_range){.first = first, .size = size};
        snprintf(added->name, sizeof added->name, "%s", name);
    }
    return added;
}

/* Reads a host's file. False: it has a line that is none, or there is no memory. */
static bool read_host(struct check_ranges *ranges, FILE *file)
{
    char memory[8];
    uint64_t address, size;
    int values;
    while ((values = fscanf(file, "%7s %" SCNx64 " %" SCNx64, memory, &address, &size)) == 3) {
        const bool is_l1 = strcmp(memory, "l1") == 0, is_dram = strcmp(memory, "dram") == 0;
        if (!(is_l1 || is_dram) ||
            (ranges->host_l1.count == 0 &&
             !add_host(&ranges->host_l1, 0, LOADER_L1_FIRST, "what the launch needs")) ||
            !add_host(is_l1 ? &ranges->host_l1 : &ranges->host_bank, address, size,
                      "a buffer of the host")) {
            return false;
        }
    }
    return values == EOF && !ferror(file);
}

/* Does the file tell the same as when another tile of the launch began? */
static bool is_file_as_read(const struct check_ranges *ranges, uint32_t launch, const char *path)
{
    const struct stat *was = &ranges->host_file;
    struct stat now;
    return launch != 0 && launch == ranges->host_launch && stat(path, &now) == 0 &&
           now.st_dev == was->st_dev && now.st_ino == was->st_ino && now.st_size == was->st_size &&
           now.st_mtim.tv_sec == was->st_mtim.tv_sec && now.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

/*
 * A host's file (the setting allocated=FILE) has a line for each buffer, "l1 ADDRESS BYTES" of each tile, or
 * "dram ADDRESS BYTES" of each bank, in hexadecimal. It tells of all buffers of both memories. If there
 * is none, or it is empty, or cannot be read to its end, nothing is known.
 */
void check_ranges_begin(const struct check_scene *scene)
{
    struct checks *checks = scene->checks;
    const char *path = checks->findings.settings.allocated;
    if (!*path || !checks->does[CHECK_MEMORY]) {
        return;
    }
    checks->ranges = checks->ranges ? checks->ranges : calloc(1, sizeof *checks->ranges);
    struct check_ranges *ranges = checks->ranges;
    if (!ranges || is_file_as_read(ranges, scene->own->launched.id, path)) {
        return;
    }
    ranges->host_l1.count = ranges->host_bank.count = 0;
    FILE *file = fopen(path, "r");
    if (!file || !read_host(ranges, file)) {
        ranges->host_l1.count = ranges->host_bank.count = 0;
    }
    ranges->host_launch =
        file && fstat(fileno(file), &ranges->host_file) == 0 ? scene->own->launched.id : 0;
    if (file) {
        fclose(file);
    }
}

void check_ranges_free(struct checks *checks)
{
    for (unsigned i = 0; checks->ranges && i < NOC_NODES; i++) {
        free(checks->ranges->l1[i].range);
    }
    for (unsigned i = 0; checks->ranges && i < GRID_BANKS; i++) {
        free(checks->ranges->bank[i].range);
    }
    if (checks->ranges) {
        free(checks->ranges->host_l1.range);
        free(checks->ranges->host_bank.range);
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
    for (size_t i = 0; i < ranges->count; i++) {
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

/* Where a host tells of its buffers, circular buffers are those of the launch. */
static bool is_in_launch(const struct check_scene *scene, uint32_t address)
{
    for (unsigned i = 0; i < LOADER_MOST_BUFFERS; i++) {
        const struct loader_circular_buffer *about = &scene->own->buffer[i].about;
        if (address - about->address < about->size) {
            return true;
        }
    }
    return false;
}

static void judge_l1(const struct check_scene *scene, const struct tile *tile, uint32_t first,
                     uint32_t size, const char *what)
{
    char where[40];
    const struct reach reach = {.what = what, .where = where, .first = first, .size = size};
    const struct check_ranges *all = scene->checks->ranges;
    if (first >= LOADER_L1_FIRST && first < tile->kind->l1_bytes) {
        snprintf(where, sizeof where, "L1 of tile (%u, %u)", tile->x, tile->y);
        judge_reach(scene, &all->l1[tile->node], &reach);
        if (tile == scene->tile && !is_in_launch(scene, first)) {
            judge_reach(scene, &all->host_l1, &reach);
        }
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

/* All receivers of a multicast have the same address, so the first one stands for all. */
static const struct tile *find_receiver(const struct check_scene *scene)
{
    const struct noc_packet *packet = scene->event->carried;
    for (uint16_t node = 0; node < NOC_NODES; node++) {
        const struct chip_place *place = &scene->checks->chip->place[node];
        if (place->tile && !place->port && node != scene->tile->node &&
            noc_span_has(&packet->span, scene->event->noc, node)) {
            return place->tile;
        }
    }
    return NULL;
}

/* Both ends of a request. */
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
        const struct tile *receiver = find_receiver(scene);
        if (receiver && event->address <= UINT32_MAX) {
            judge_l1(scene, receiver, (uint32_t)event->address, event->size, "NoC multicast");
        }
        return;
    }
    if (place->port && !tile_dram_address(event->address, &local)) {
        char where[24];
        const struct reach reach = {
            .what = what, .where = where, .first = event->address, .size = event->size};
        snprintf(where, sizeof where, "DRAM bank %u", place->port->bank->number);
        judge_reach(scene, &scene->checks->ranges->bank[place->port->bank->number], &reach);
        judge_reach(scene, &scene->checks->ranges->host_bank, &reach);
    } else if (!place->port && place->tile && event->address <= UINT32_MAX) {
        judge_l1(scene, place->tile, (uint32_t)event->address, event->size, what);
    }
}
