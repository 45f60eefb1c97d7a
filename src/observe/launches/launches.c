/* Recording launches; see launches.h. */
#include "observe/launches/launches.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chip/chip.h"
#include "geometry.h"
#include "metal/firmware.h"
#include "isa/error.h"
#include "isa/host_time.h"
#include "noc/packet.h"
#include "observe/launches/description.h"
#include "observe/names.h"

#define SNAPSHOT "chip.snapshot"

enum { FOLDER_NAME = 64, SEMAPHORE_BYTES = 16 };
enum { LOOK_NANOSECONDS = 1000000000 }; /* so often firmware is looked for */

/* The one under way. */
struct launch {
    bool is_open, is_wanted, by_host;
    uint32_t id; /* that the host gave it */
    unsigned number;
    uint64_t cycle;
    char folder[PATH_MAX];
    bool has_folder; /* it was made for this launch */
    struct launched_tile tile[GRID_TENSIX_TILES];
    struct tile *at[GRID_TENSIX_TILES];
    unsigned tiles;
    char trouble[256]; /* why it is not written; empty: nothing */
};

struct launches {
    struct penrose_chip *chip;
    struct launches_options options;
    struct names patterns;                   /* of paths of kernels */
    const struct penrose_firmware *firmware; /* NULL: not known yet */
    uint64_t next_look;                      /* host time */
    struct observer observer;
    bool is_observing;
    uint16_t pending[NOC_NODES]; /* places where a signal has come in the run */
    unsigned pendings;
    struct launch launch;
    struct launches_counts counts;
    bool has_begun;           /* a worker was let go */
    uint8_t *ring[NOC_NODES]; /* what the kernel_config ring was when the launch began */
};

/* --- Messages --- */

__attribute__((format(printf, 2, 3))) static void tell(struct launches *launches,
                                                       const char *format, ...)
{
    char text[PATH_MAX + 512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    launches->options.tell(launches->options.context, text);
}

/* The first reason stays. */
__attribute__((format(printf, 2, 3))) static void give_up(struct launch *launch, const char *format,
                                                          ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!*launch->trouble) {
        vsnprintf(launch->trouble, sizeof launch->trouble, format, arguments);
    }
    va_end(arguments);
}

/* --- Tiles --- */

static const struct loader_layout *layout_of(const struct launches *launches)
{
    return &launches->firmware->loader->layout;
}

/* The worker at these coordinates, which runs the firmware; NULL: there is none. */
static struct tile *find_launched_worker(const struct launches *launches, unsigned x, unsigned y)
{
    const struct loader_firmware *firmware = launches->firmware->loader;
    struct tile *tile;
    return penrose_tile_kind(launches->chip, x, y) == PENROSE_TILE_TENSIX &&
                   chip_tile(launches->chip, x, y, &tile, NULL) == PENROSE_OK &&
                   loader_is_loaded(firmware->elf[LOADER_BRISC], firmware->entry[LOADER_BRISC],
                                    metal_l1(tile))
               ? tile
               : NULL;
}

/* A tile that has got its next signal has ended, too. */
static bool has_ended(const struct launches *launches, struct tile *tile)
{
    const struct loader_layout *layout = layout_of(launches);
    bool is_next = false;
    for (unsigned i = 0; i < launches->pendings; i++) {
        is_next |= launches->pending[i] == tile->node;
    }
    return is_next || tile->l1[loader_go_signal(layout, metal_l1(tile))] != layout->RUN_MSG_GO;
}

static bool have_all_ended(const struct launches *launches)
{
    bool have_all = true;
    for (unsigned i = 0; i < launches->launch.tiles; i++) {
        have_all &= has_ended(launches, launches->launch.at[i]);
    }
    return have_all;
}

/* Columns and rows of workers are counted from 0. */
static void find_logical(const struct launches *launches, struct launched_tile *tile,
                         const struct tile *at, unsigned *columns, unsigned *rows)
{
    struct penrose_place place, first = {0};
    *columns = *rows = 0;
    for (size_t i = 0; penrose_tile_at(launches->chip, PENROSE_TILE_TENSIX, i, &place); i++) {
        first = i == 0 ? place : first;
        if (place.y == first.y) {
            tile->column = place.x == at->x ? *columns : tile->column;
            ++*columns;
        }
        *rows = place.y - first.y + 1;
    }
    tile->row = at->y - first.y;
}

/* --- The end of a launch --- */

static void write_description(struct launches *launches, const char *path)
{
    struct launch *launch = &launches->launch;
    struct launched_tile any;
    char *firmware = realpath(launches->firmware->directory, NULL);
    struct description description = {.firmware =
                                          firmware ? firmware : launches->firmware->directory,
                                      .snapshot = SNAPSHOT,
                                      .chip = launches->options.chip,
                                      .tile = launch->tile,
                                      .tiles = launch->tiles};
    char text[256];
    find_logical(launches, &any, launch->at[0], &description.columns, &description.rows);
    snprintf(text, sizeof text,
             "launch %u of process %ld, by %s, in cycle %" PRIu64 "; the host's number %u; %u %s%s",
             launch->number, (long)getpid(), launch->by_host ? "the host" : "a kernel",
             launch->cycle, launch->id, launch->tiles, launch->tiles == 1 ? "tile" : "tiles",
             have_all_ended(launches) ? ""
                                      : "; not over when the next one began, or the host ended");
    description.text = text;
    FILE *file = fopen(path, "we");
    bool done = file && description_write(&description, file);
    if (!file || ferror(file) || fclose(file) != 0 || !done) {
        give_up(launch, "%s cannot be written: %s", path, strerror(errno));
    }
    free(firmware);
}

/* A launch that is not written leaves nothing, and what was there before stays. */
static void remove_folder(const struct launch *launch)
{
    if (!launch->has_folder) {
        return;
    }
    static const char *const files[] = {SNAPSHOT, "PROGRAM.json"};
    char path[PATH_MAX + FOLDER_NAME];
    for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", launch->folder, files[i]);
        unlink(path);
    }
    rmdir(launch->folder);
}

static void close_launch(struct launches *launches)
{
    struct launch *launch = &launches->launch;
    char path[PATH_MAX + FOLDER_NAME];
    if (launch->is_open && launch->is_wanted) {
        snprintf(path, sizeof path, "%s/PROGRAM.json", launch->folder);
        if (!*launch->trouble) {
            write_description(launches, path);
        }
        if (*launch->trouble) {
            tell(launches, "launch %u: %s", launch->number, launch->trouble);
            remove_folder(launch);
        } else {
            launches->counts.written++;
        }
    }
    for (unsigned i = 0; i < launch->tiles; i++) {
        free(launch->tile[i].image);
    }
    *launch = (struct launch){.is_open = false};
}

/* --- The beginning --- */

/* A folder of its own; other processes may write to the same place. */
static void make_folder(struct launches *launches)
{
    struct launch *launch = &launches->launch;
    char chip[16] = "";
    if (launches->options.chip > 0) {
        snprintf(chip, sizeof chip, "-chip%u", launches->options.chip);
    }
    snprintf(launch->folder, sizeof launch->folder, "%s/launch-%03u%s", launches->options.directory,
             launch->number, chip);
    launch->has_folder = mkdir(launch->folder, 0777) == 0;
    if (!launch->has_folder && errno == EEXIST) {
        snprintf(launch->folder, sizeof launch->folder, "%s/launch-%03u%s-%ld",
                 launches->options.directory, launch->number, chip, (long)getpid());
        launch->has_folder = mkdir(launch->folder, 0777) == 0;
    }
    if (!launch->has_folder) {
        give_up(launch, "%s cannot be made: %s", launch->folder, strerror(errno));
    }
}

/* What semaphores are before anybody uses them: tiles that get their signal later may have been
 * sent something by then. */
static void keep_rings(struct launches *launches)
{
    uint32_t base = launches->firmware->loader->ring_base;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = launches->chip->place[i].tile;
        if (tile && tile->kind->type == TILE_TENSIX && !launches->ring[i]) {
            launches->ring[i] = malloc(LOADER_RING_SIZE);
        }
        if (tile && launches->ring[i]) {
            memcpy(launches->ring[i], tile->l1 + base, LOADER_RING_SIZE);
        }
    }
}

static void open_launch(struct launches *launches, bool by_host, uint32_t id)
{
    struct launch *launch = &launches->launch;
    char path[PATH_MAX + FOLDER_NAME];
    struct penrose_error error;
    close_launch(launches);
    launch->is_open = true;
    launch->by_host = by_host;
    launch->id = id;
    launch->number = ++launches->counts.seen;
    launch->cycle = penrose_now(launches->chip);
    launch->is_wanted = settings_numbers_have(&launches->options.numbers, launch->number);
    launches->counts.chosen += launch->is_wanted;
    if (!launch->is_wanted) {
        return;
    }
    make_folder(launches);
    keep_rings(launches);
    snprintf(path, sizeof path, "%s/%s", launch->folder, SNAPSHOT);
    if (!*launch->trouble && penrose_snapshot_save(launches->chip, path, &error) != PENROSE_OK) {
        give_up(launch, "%s", error.text);
    }
}

/* --- A tile of it --- */

/* ".../{hart}/{hart}.elf" or ".../{hart}.elf" of a path that ends in the hart's name twice, or once;
 * NULL where it does not. */
static const char *keep_pattern(struct launches *launches, const char *path, const char *hart)
{
    static const struct {
        const char *tail, *pattern;
    } rows[] = {{"/%s/%s.elf", "/{hart}/{hart}.elf"}, {"/%s.elf", "/{hart}.elf"}};
    char tail[64], pattern[PATH_MAX];
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t length = strlen(path);
        size_t end = (size_t)snprintf(tail, sizeof tail, rows[i].tail, hart, hart);
        if (length > end && strcmp(path + length - end, tail) == 0) {
            int size = snprintf(pattern, sizeof pattern, "%.*s%s", (int)(length - end), path,
                                rows[i].pattern);
            return size < (int)sizeof pattern
                       ? names_keep(&launches->patterns, pattern, (size_t)size)
                       : NULL;
        }
    }
    return NULL;
}

static void find_elfs(struct launches *launches, struct launched_tile *tile, struct tile *at)
{
    struct tile_facts facts;
    chip_tile_facts(launches->chip, at->x, at->y, true, &facts);
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        const struct loader_launched_kernel *kernel = &tile->launched.kernel[i];
        enum loader_processor processor = (enum loader_processor)i;
        if (!kernel->runs) {
            continue;
        }
        const char *path = host_programs_kernel(launches->options.programs, metal_hart_of(i),
                                                &facts, kernel->address);
        tile->elf[i] = path ? keep_pattern(launches, path, loader_processor_name(processor)) : NULL;
        if (!tile->elf[i]) {
            give_up(
                &launches->launch,
                "the kernel of %s on tile (%u, %u) is in no file under %.100s (TT_METAL_CACHE); "
                "the launch is not written",
                loader_processor_name(processor), at->x, at->y,
                host_programs_place(launches->options.programs));
        }
    }
}

/* Semaphores as they were at the beginning, unless all this has come only since then. */
static void choose_semaphores(const struct launches *launches, struct launched_tile *tile,
                              const struct tile *at)
{
    const struct loader_launched *launched = &tile->launched;
    const uint8_t *ring = launches->ring[at->node];
    uint32_t start = launched->base - launches->firmware->loader->ring_base;
    uint32_t size = launched->kernels_at - launched->base;
    uint32_t first = launched->semaphores.address - launched->base;
    uint32_t end = first + launched->semaphores.size;
    if (ring && start <= LOADER_RING_SIZE && size <= LOADER_RING_SIZE - start && end <= size &&
        memcmp(ring + start, tile->image, first) == 0 &&
        memcmp(ring + start + end, tile->image + end, size - end) == 0) {
        memcpy(tile->image + first, ring + start + first, launched->semaphores.size);
    }
    for (uint32_t i = 0; i < launched->semaphores.size; i++) { /* the rest of one is not used */
        if (i % SEMAPHORE_BYTES >= sizeof(uint32_t)) {
            tile->image[first + i] = 0;
        }
    }
}

static void add_launched_tile(struct launches *launches, struct tile *at,
                              const struct loader_launched *launched)
{
    struct launch *launch = &launches->launch;
    struct launched_tile *tile = &launch->tile[launch->tiles];
    unsigned columns, rows;
    *tile = (struct launched_tile){.launched = *launched};
    launch->at[launch->tiles++] = at;
    if (!launch->is_wanted || *launch->trouble) {
        return;
    }
    uint32_t size = launched->kernels_at - launched->base;
    tile->image = size <= TILE_L1_BYTES ? malloc(size + 1) : NULL;
    if (!tile->image || launched->base > TILE_L1_BYTES - size) {
        give_up(launch, "the launch message of tile (%u, %u) cannot be read", at->x, at->y);
        return;
    }
    memcpy(tile->image, at->l1 + launched->base, size);
    choose_semaphores(launches, tile, at);
    find_logical(launches, tile, at, &columns, &rows);
    find_elfs(launches, tile, at);
    if (launched->has_remote_buffers || launched->noc_mode != LOADER_NOC_DEDICATED) {
        give_up(launch, "tile (%u, %u) uses %s, which descriptions cannot say", at->x, at->y,
                launched->has_remote_buffers ? "global circular buffers" : "NoCs dynamically");
    }
}

static bool is_in_launch(const struct launch *launch, const struct tile *at)
{
    bool is_one = false;
    for (unsigned i = 0; i < launch->tiles; i++) {
        is_one |= launch->at[i] == at;
    }
    return is_one;
}

static void note_go(struct launches *launches, struct tile *at, bool by_host)
{
    struct launch *launch = &launches->launch;
    struct loader_launched launched;
    bool runs = false;
    loader_launched_read(layout_of(launches), metal_l1(at), &launched);
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        runs |= launched.kernel[i].runs;
    }
    if (!launched.base || !runs) { /* every worker is sent a signal, whether it has work or not */
        return;
    }
    bool is_next =
        !launch->is_open || launch->by_host != by_host || launch->id != launched.id ||
        is_in_launch(launch, at) ||
        (!launched.id && launch->cycle != penrose_now(launches->chip) && have_all_ended(launches));
    if (is_next) {
        open_launch(launches, by_host, launched.id);
    }
    add_launched_tile(launches, at, &launched);
}

/* --- Signals --- */

void launches_write(struct launches *launches, unsigned x, unsigned y, uint64_t address,
                    const void *bytes, size_t size)
{
    enum { NEAR = 4096 }; /* signals are small writes */
    if (!launches || !launches->firmware || size > NEAR) {
        return;
    }
    const struct loader_layout *layout = layout_of(launches);
    if (address + size <= layout->mailbox_base ||
        address >= layout->mailbox_base + layout->mailboxes_size) {
        return;
    }
    struct tile *tile = find_launched_worker(launches, x, y);
    uint64_t signal = tile ? loader_go_signal(layout, metal_l1(tile)) : 0;
    if (tile && signal >= address && signal - address < size &&
        ((const uint8_t *)bytes)[signal - address] == layout->RUN_MSG_GO) {
        note_go(launches, tile, true);
    }
}

/* A packet has come; the tile stops behind it if it was a go signal. */
static bool see_packet(void *context, struct tile *tile, const struct observed *event)
{
    struct launches *launches = context;
    const struct loader_layout *layout = layout_of(launches);
    uint64_t signal = event->packet == NOC_WRITE ? loader_go_signal(layout, metal_l1(tile)) : 0;
    bool is_signal = event->packet == NOC_WRITE && signal >= event->address &&
                     signal - event->address < event->size &&
                     tile->l1[signal] == layout->RUN_MSG_GO;
    if (is_signal && launches->pendings < NOC_NODES) {
        launches->pending[launches->pendings++] = tile->node;
    }
    return is_signal;
}

static bool wants_worker(void *context, const struct tile *tile)
{
    (void)context;
    return tile->kind->type == TILE_TENSIX;
}

bool launches_paused(struct launches *launches)
{
    if (!launches || !launches->pendings) {
        return false;
    }
    for (unsigned i = 0; i < launches->pendings; i++) {
        note_go(launches, launches->chip->place[launches->pending[i]].tile, false);
    }
    launches->pendings = 0;
    return true;
}

void launches_hang(struct launches *launches)
{
    if (launches && launches->firmware) {
        close_launch(launches);
    }
}

/* --- Firmware --- */

static void observe(struct launches *launches)
{
    struct penrose_error error;
    launches->observer = (struct observer){.kinds = 1u << OBSERVED_DELIVERED,
                                           .see = see_packet,
                                           .wants = wants_worker,
                                           .context = launches};
    launches->is_observing =
        chip_observe(launches->chip, &launches->observer, &error) == PENROSE_OK;
    if (!launches->is_observing) {
        tell(launches, "launches by kernels are not recorded: %s", error.text);
    }
}

void launches_reset(struct launches *launches, unsigned x, unsigned y)
{
    struct tile *tile;
    if (!launches || launches->firmware || host_nanoseconds() < launches->next_look ||
        chip_tile(launches->chip, x, y, &tile, NULL) != PENROSE_OK ||
        tile->run[RV32_B].state == HART_HELD) {
        return;
    }
    launches->has_begun = true;
    host_programs_know_firmware(launches->options.programs);
    launches->firmware = launches->chip->place[tile->node].firmware;
    if (launches->firmware && !launches->options.by_host_alone) {
        observe(launches);
    }
    launches->next_look = host_nanoseconds() + LOOK_NANOSECONDS;
}

/* --- Life --- */

enum penrose_status launches_start(struct penrose_chip *chip,
                                   const struct launches_options *options,
                                   struct launches **launches, struct penrose_error *error)
{
    struct launches *made = calloc(1, sizeof *made);
    enum penrose_status status = PENROSE_OK;
    *launches = NULL;
    if (made) {
        made->chip = chip;
        made->options = *options;
    }
    if (!made) {
        status = error_set(error, PENROSE_E_MEMORY, "no memory to record launches");
    }
    if (!status && mkdir(options->directory, 0777) != 0 && errno != EEXIST) {
        status = error_set(error, PENROSE_E_FILE, "%s cannot be made: %s", options->directory,
                           strerror(errno));
    }
    if (status) {
        free(made);
        return status;
    }
    *launches = made;
    return PENROSE_OK;
}

struct launches_counts launches_end(struct launches *launches)
{
    struct launches_counts counts = {0};
    if (!launches) {
        return counts;
    }
    if (launches->firmware) {
        close_launch(launches);
    }
    if (launches->is_observing) {
        chip_unobserve(launches->chip, &launches->observer);
    }
    counts = launches->counts;
    if (!launches->firmware && (launches->has_begun || launches->options.chip == 0)) {
        tell(launches,
             "no launch was recorded: the firmware is not known; PENROSE_FIRMWARE names it");
    }
    for (unsigned i = 0; i < NOC_NODES; i++) {
        free(launches->ring[i]);
    }
    names_free(&launches->patterns);
    free(launches);
    return counts;
}
