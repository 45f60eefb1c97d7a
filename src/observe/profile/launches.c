/* Sums of cycles, launches of a profile, and what bounds them; see profile.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/array.h"
#include "observe/profile/profile.h"
#include "observe/sink.h"

/* --- Sums --- */

void profile_add_cycles(struct profile_cycles *to, const struct profile_cycles *cycles)
{
    to->busy += cycles->busy;
    to->waiting += cycles->waiting;
    to->idle += cycles->idle;
    to->held += cycles->held;
}

void profile_add_bytes(struct profile_bytes *to, const struct profile_bytes *bytes)
{
    to->sent += bytes->sent;
    to->asked += bytes->asked;
    to->dram += bytes->dram;
}

struct profile_cycles profile_lane_cycles(const struct profile *profile, unsigned lane)
{
    struct profile_cycles all = {0};
    for (size_t i = 0; i < profile->tiles; i++) {
        profile_add_cycles(&all, &profile->tile[i].lane[lane].cycles);
    }
    return all;
}

struct profile_cycles profile_work_cycles(const struct profile *profile, unsigned lane)
{
    struct profile_cycles all = {0};
    if (profile->launches == 0) {
        return profile_lane_cycles(profile, lane);
    }
    for (size_t i = 0; i < profile->launches; i++) {
        profile_add_cycles(&all, &profile->launch[i].lane[lane]);
    }
    return all;
}

bool profile_tile_is_active(const struct profile_tile *tile)
{
    bool has_run = tile->bytes.sent + tile->bytes.asked > 0;
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        has_run |= tile->lane[lane].executed > 0;
    }
    return has_run;
}

size_t profile_active_tiles(const struct profile *profile)
{
    size_t active = 0;
    for (size_t i = 0; i < profile->tiles; i++) {
        active += profile_tile_is_active(&profile->tile[i]);
    }
    return active;
}

enum profile_group profile_group_of(const struct profile *profile, unsigned lane)
{
    const bool is_worker = lane < PROFILE_OTHERS || lane >= PROFILE_FIRST_THREAD;
    const char *name = profile->lane_name[lane];
    return is_worker                            ? PROFILE_WORKERS
           : name && strcmp(name, "drisc") == 0 ? PROFILE_DRAM
                                                : PROFILE_ETHERNET;
}

/* --- Begin and end of kernels --- */

static struct profile_launch *add_launch(struct profile *profile, uint64_t cycle, uint32_t program)
{
    if (!array_grow(&profile->launch, profile->launches, &profile->launch_room,
                    sizeof *profile->launch)) {
        profile->has_failed = true;
        return NULL;
    }
    struct profile_launch *launch = &profile->launch[profile->launches++];
    *launch = (struct profile_launch){.first = cycle, .last = cycle, .program = program};
    return launch;
}

/* The launch to which a kernel that begins belongs; NULL: it is the first of another one, since its
 * hart has had one in the latest, or its tile has waited for work since, or all other tiles have ended, or
 * the host gave its program another number. Other kinds of tiles do not tell that. */
static struct profile_launch *launch_under_way(struct profile *profile,
                                               const struct profile_tile *tile, unsigned lane,
                                               uint32_t program)
{
    struct profile_launch *launch =
        profile->launches ? &profile->launch[profile->launches - 1] : NULL;
    bool has_tile = tile->launch == profile->launches;
    bool has_hart = tile->lane[lane].launch == profile->launches;
    bool has_worker = has_tile && lane < PROFILE_OTHERS;
    bool is_other = launch && lane < PROFILE_OTHERS && launch->program != program;
    return launch && !launch->has_path && !has_hart && !is_other &&
                   (has_worker ? !tile->is_done : launch->running > 0)
               ? launch
               : NULL;
}

static void add_kernel_name(struct profile_launch *launch, const char *kernel)
{
    unsigned known = 0;
    while (known < launch->kernels && launch->kernel[known] != kernel) {
        known++;
    }
    if (known == PROFILE_KERNELS) {
        launch->has_more_kernels = true;
    } else if (known == launch->kernels) {
        launch->kernel[launch->kernels++] = kernel;
    }
}

static void begin_zone(struct profile *profile, const struct profile_tile *tile, unsigned lane,
                       struct profile_lane *in, uint64_t cycle)
{
    in->zone = 0;
    if (!array_grow(&profile->zone, profile->zones, &profile->zone_room, sizeof *profile->zone)) {
        profile->has_failed = true;
        return;
    }
    profile->zone[profile->zones++] =
        (struct profile_zone){.first = cycle,
                              .tile = (uint32_t)(tile - profile->tile),
                              .lane = lane,
                              .launch = (uint32_t)profile->launches};
    in->zone = (uint32_t)profile->zones;
}

static void begin_kernel(struct profile *profile, struct profile_tile *tile, unsigned lane,
                         struct profile_launch *launch, const char *kernel)
{
    const unsigned workers = lane < PROFILE_OTHERS;
    const uint32_t number = (uint32_t)profile->launches;
    if (tile->launch != number) {
        tile->launch = number;
        tile->running = 0;
        tile->is_done = false;
        launch->tiles[profile_group_of(profile, lane)]++;
    }
    tile->lane[lane].launch = number;
    tile->lane[lane].source = NULL;
    tile->running += workers;
    launch->running += workers;
    add_kernel_name(launch, names_keep(&profile->names, kernel, strlen(kernel)));
}

/* Is it the latest, whose critical path is still to be found? */
static bool is_latest_launch(const struct profile *profile, uint32_t number)
{
    return number == profile->launches && !profile->launch[number - 1].has_path;
}

void profile_note_kernel(struct profile *profile, struct profile_tile *tile, unsigned lane_number,
                         const struct penrose_trace_event *event)
{
    const char *kernel = event->kernel;
    const uint64_t cycle = event->cycle;
    struct profile_lane *lane = &tile->lane[lane_number];
    const bool is_worker = lane_number < PROFILE_OTHERS;
    bool is_in_kernel = *kernel != '\0';
    if (is_in_kernel == lane->is_in_kernel) {
        return;
    }
    lane->is_in_kernel = is_in_kernel;
    if (is_in_kernel) {
        struct profile_launch *launch = launch_under_way(profile, tile, lane_number, event->value);
        launch = launch || !is_worker ? launch : add_launch(profile, cycle, event->value);
        lane->launch = 0;
        if (launch) {
            begin_kernel(profile, tile, lane_number, launch, kernel);
            begin_zone(profile, tile, lane_number, lane, cycle);
        }
    } else if (lane->launch && (is_worker || is_latest_launch(profile, lane->launch))) {
        struct profile_launch *launch = &profile->launch[lane->launch - 1];
        if (lane->zone) {
            profile->zone[lane->zone - 1].last = cycle;
        }
        launch->running -= is_worker;
        tile->running -= is_worker && tile->launch == lane->launch;
        launch->last = cycle;
        launch->end =
            path_end(&profile->path, (size_t)(tile - profile->tile) * PROFILE_LANES + lane_number);
    }
}

/* --- Operations --- */

/* The folder of ttnn's operation in the path of the kernel's own file, "eltwise/binary_ng" for example, and
 * its length; NULL: that is no kernel of an operation, or the file is not its own. */
static const char *operation_in(const char *source, const char *kernel, size_t *length)
{
    static const char tree[] = "/ttnn/cpp/ttnn/operations/";
    static const char *const inner[] = {"/device/", "/codegen/", "/kernels/"};
    const char *slash = strrchr(source, '/'), *begin = strstr(source, tree), *end = slash;
    const size_t name = strlen(kernel);
    if (!begin || strncmp(slash + 1, kernel, name) != 0 || slash[1 + name] != '.') {
        return NULL;
    }
    begin += strlen(tree);
    for (unsigned i = 0; i < sizeof inner / sizeof *inner; i++) {
        const char *at = strstr(begin, inner[i]);
        end = at && at < end ? at : end;
    }
    *length = end > begin ? (size_t)(end - begin) : 0;
    return *length > 0 ? begin : NULL;
}

/* Many operations borrow kernels that move data from these two. And kernels of two operations that move data
 * may have the same code, so those that compute tell more. */
static bool lends_kernels(const char *operation, size_t length)
{
    static const char *const lenders[] = {"eltwise/unary", "data_movement/common"};
    bool lends = false;
    for (unsigned i = 0; i < sizeof lenders / sizeof *lenders; i++) {
        lends |= strlen(lenders[i]) == length && strncmp(lenders[i], operation, length) == 0;
    }
    return lends;
}

void profile_note_source(struct profile *profile, struct profile_tile *tile, unsigned lane_number,
                         const struct penrose_trace_event *event)
{
    struct profile_lane *lane = &tile->lane[lane_number];
    if (!lane->is_in_kernel || !lane->launch || lane->source == event->source) {
        return;
    }
    struct profile_launch *launch = &profile->launch[lane->launch - 1];
    size_t length;
    const char *operation = operation_in(event->source, event->kernel, &length);
    lane->source = event->source;
    if (operation) {
        const unsigned computes = lane_number == PENROSE_TRISC0 || lane_number == PENROSE_TRISC1 ||
                                  lane_number == PENROSE_TRISC2;
        const unsigned rank = 1 + 2 * computes + (lends_kernels(operation, length) ? 0u : 1u);
        if (rank > launch->operation_rank) {
            launch->operation = names_keep(&profile->names, operation, length);
            launch->operation_rank = rank;
        }
    }
}

/* A thread works for the launch that its tile takes part in, a hart of another tile for that of its kernel
 * while workers do. */
struct profile_launch *profile_launch_of(struct profile *profile, const struct profile_tile *tile,
                                         unsigned lane)
{
    uint32_t number = 0;
    if (lane >= PROFILE_FIRST_THREAD && tile->running > 0) {
        number = tile->launch;
    } else if (lane < PROFILE_FIRST_THREAD && tile->lane[lane].is_in_kernel) {
        number = tile->lane[lane].launch;
        number = number && profile->launch[number - 1].running > 0 ? number : 0;
    }
    return number ? &profile->launch[number - 1] : NULL;
}

/* --- Critical paths --- */

struct profile_walk {
    struct profile_launch *launch;
    uint64_t *cycles; /* by row */
};

static void take_step(void *context, const struct path_step *step, uint64_t begin, uint64_t end)
{
    struct profile_walk *walk = context;
    walk->launch->part[step->part] += end - begin;
    if (step->row) {
        walk->cycles[step->row - 1] += end - begin;
    }
}

static void find_path(struct profile *profile, struct profile_launch *launch)
{
    struct profile_walk walk = {launch, calloc(profile->rows + 1, sizeof *walk.cycles)};
    uint64_t longest = 0;
    launch->has_path = true;
    if (!walk.cycles) {
        profile->has_failed = true;
        return;
    }
    path_walk(&profile->path, launch->end, launch->first, launch->last, take_step, &walk);
    for (size_t i = 0; i < profile->rows; i++) {
        profile->row[i].critical += walk.cycles[i];
        if (walk.cycles[i] > longest) {
            longest = walk.cycles[i];
            launch->longest = profile->row[i];
            launch->longest.critical = longest;
        }
    }
    free(walk.cycles);
}

/* The lane's step in which it was last at work: a hart may wait for ever behind it. */
static uint32_t find_latest_work(const struct path *path, size_t lane)
{
    uint32_t at = path_end(path, lane);
    while (at && path->step[at - 1].part == PATH_WAITS) {
        at = path->step[at - 1].earlier;
    }
    return at;
}

/* The path ends where the lane's work does, if that of no lane before ended later. */
static void end_with_lane(const struct path *path, struct profile_launch *launch, size_t lane)
{
    const uint32_t end = find_latest_work(path, lane);
    if (end && (!launch->end || path->step[end - 1].end >= path->step[launch->end - 1].end)) {
        launch->end = end;
    }
}

/* A run without kernels is a launch of none. */
static void add_whole_run(struct profile *profile)
{
    struct profile_launch *launch = add_launch(profile, profile->first, 0);
    if (!launch) {
        return;
    }
    launch->last = profile->last + 1;
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        launch->lane[lane] = profile_lane_cycles(profile, lane);
    }
    for (size_t i = 0; i < profile->tiles; i++) {
        const struct profile_tile *tile = &profile->tile[i];
        enum profile_group group = PROFILE_WORKERS;
        bool has_run = false;
        for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
            if (tile->lane[lane].executed > 0) {
                group = profile_group_of(profile, lane);
                has_run = true;
            }
        }
        launch->tiles[group] += has_run; /* others have packets alone */
        profile_add_bytes(&launch->bytes[group], &tile->bytes);
    }
    for (size_t lane = 0; lane < profile->path.lanes; lane++) {
        end_with_lane(&profile->path, launch, lane);
    }
}

/* The kernels of a launch that have not ended, when the profile does. */
static void end_kernels(struct profile *profile, uint32_t number)
{
    struct profile_launch *launch = &profile->launch[number - 1];
    for (size_t at = 0; launch->running > 0 && at < profile->path.lanes; at++) {
        const struct profile_lane *lane =
            &profile->tile[at / PROFILE_LANES].lane[at % PROFILE_LANES];
        if (lane->is_in_kernel && lane->launch == number) {
            launch->last = profile->last + 1;
            end_with_lane(&profile->path, launch, at);
        }
    }
}

void profile_find_ended(struct profile *profile)
{
    for (size_t i = 0; i < profile->launches; i++) {
        if (!profile->launch[i].has_path && profile->launch[i].running == 0) {
            find_path(profile, &profile->launch[i]);
        }
    }
}

void profile_find_paths(struct profile *profile)
{
    if (!profile->launches && profile->tiles > 0) {
        add_whole_run(profile);
    }
    for (size_t i = 0; i < profile->launches; i++) {
        if (!profile->launch[i].has_path) {
            end_kernels(profile, (uint32_t)i + 1);
            find_path(profile, &profile->launch[i]);
        }
    }
}

static int compare_critical(const void *a, const void *b)
{
    const struct profile_row *first = *(const struct profile_row *const *)a;
    const struct profile_row *second = *(const struct profile_row *const *)b;
    if (first->critical != second->critical) {
        return first->critical > second->critical ? -1 : 1;
    }
    return (first > second) - (first < second);
}

const struct profile_row **profile_critical_rows(const struct profile *profile, uint64_t *all)
{
    const struct profile_row **critical = calloc(profile->rows + 1, sizeof *critical);
    size_t count = 0;
    *all = 0;
    for (size_t i = 0; critical && i < profile->rows; i++) {
        if (profile->row[i].critical > 0) {
            critical[count++] = &profile->row[i];
            *all += profile->row[i].critical;
        }
    }
    if (count > 0) {
        qsort(critical, count, sizeof *critical, compare_critical);
    }
    return critical;
}

/* --- Sums of operations --- */

/* Without any operation the name tells which kernel computes: tt-metal calls those that move data reader and
 * writer. */
const char *profile_operation_name(const struct profile_launch *launch)
{
    if (launch->host) {
        return launch->host->name;
    }
    for (unsigned i = 0; i < launch->kernels && !launch->operation; i++) {
        bool moves_data = strncmp(launch->kernel[i], "reader", strlen("reader")) == 0 ||
                          strncmp(launch->kernel[i], "writer", strlen("writer")) == 0;
        if (!moves_data) {
            return launch->kernel[i];
        }
    }
    return launch->operation ? launch->operation : launch->kernel[0];
}

static int compare_operations(const void *a, const void *b)
{
    const struct profile_operation *first = a, *second = b;
    if (first->cycles != second->cycles) {
        return first->cycles > second->cycles ? -1 : 1;
    }
    return strcmp(first->name, second->name);
}

struct profile_operation *profile_sum_operations(const struct profile *profile, uint64_t *between)
{
    struct profile_operation *sum = calloc(profile->launches + 1, sizeof *sum);
    size_t count = 0;
    uint64_t ended = profile->launches > 0 ? profile->launch[0].first : 0;
    *between = 0;
    for (size_t i = 0; sum && i < profile->launches; i++) {
        const struct profile_launch *launch = &profile->launch[i];
        if (launch->kernels == 0) {
            continue;
        }
        const char *name = profile_operation_name(launch);
        size_t at = 0;
        while (at < count && sum[at].name != name) {
            at++;
        }
        count += at == count;
        sum[at].name = name;
        sum[at].launches++;
        sum[at].cycles += launch->last - launch->first;
        *between += launch->first > ended ? launch->first - ended : 0;
        ended = launch->last > ended ? launch->last : ended;
    }
    if (count > 0) {
        qsort(sum, count, sizeof *sum, compare_operations);
    }
    return sum;
}

/* --- In words --- */

const char *profile_part_name(enum path_part part)
{
    static const char *const names[PATH_PARTS] = {
        [PATH_UNPACK] = "the unpackers",
        [PATH_MATH] = "math",
        [PATH_PACK] = "the packer",
        [PATH_HARTS] = "its harts",
        [PATH_NOC] = "the NoC",
        [PATH_DRAM] = "DRAM",
        [PATH_WAITS] = "waits for what is not known",
    };
    return names[part];
}

static double per_cent(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static uint64_t length_of(const struct profile_launch *launch)
{
    return launch->last - launch->first;
}

/* For how much of the time a thread had an instruction in its unit, or one that waited for that. */
static double thread_use(const struct profile_launch *launch, unsigned thread)
{
    const struct profile_cycles *cycles = &launch->lane[PROFILE_FIRST_THREAD + thread];
    return per_cent(cycles->busy + cycles->held,
                    length_of(launch) * launch->tiles[PROFILE_WORKERS]);
}

/* For how much of the time a hart was busy, on tiles that have such a hart. */
static double hart_use(const struct profile *profile, const struct profile_launch *launch,
                       unsigned lane)
{
    return per_cent(launch->lane[lane].busy,
                    length_of(launch) * launch->tiles[profile_group_of(profile, lane)]);
}

/* The share of a peak that bytes are, where it is known. */
static void put_peak(struct sink *sink, uint64_t bytes, uint64_t cycles, unsigned peak)
{
    if (peak > 0) {
        sink_put(sink, ", %.0f %% of its peak", per_cent(bytes, cycles * peak));
    }
}

static uint64_t most_bytes(const struct profile_bytes *bytes)
{
    return bytes->sent > bytes->asked ? bytes->sent : bytes->asked;
}

/* What a tile sends and asks for, of the group whose tiles do most of that. */
static void put_noc_use(const struct profile *profile, const struct profile_launch *launch,
                        struct sink *sink)
{
    static const char *const names[PROFILE_GROUPS] = {"A tile", "An Ethernet tile", "A DRAM tile"};
    unsigned busiest = PROFILE_WORKERS;
    double most = 0;
    for (unsigned group = 0; group < PROFILE_GROUPS; group++) {
        const unsigned tiles = launch->tiles[group];
        double bytes = tiles ? (double)most_bytes(&launch->bytes[group]) / tiles : 0;
        busiest = bytes > most ? group : busiest;
        most = bytes > most ? bytes : most;
    }
    const struct profile_bytes *bytes = &launch->bytes[busiest];
    const uint64_t all = length_of(launch) * launch->tiles[busiest];
    sink_put(sink, "%s sends %.1f and asks for %.1f bytes a cycle", names[busiest],
             all ? (double)bytes->sent / (double)all : 0,
             all ? (double)bytes->asked / (double)all : 0);
    put_peak(sink, most_bytes(bytes), all, profile->peaks.niu);
}

/* How much of what it can do the part does: a sentence. */
static void put_use(const struct profile *profile, const struct profile_launch *launch,
                    enum path_part part, struct sink *sink)
{
    if (part <= PATH_PACK) {
        static const char *const names[] = {"The unpackers are", "Math is", "The packer is"};
        sink_put(sink, "%s busy for %.0f %% of the time", names[part], thread_use(launch, part));
    } else if (part == PATH_HARTS) {
        unsigned busiest = 0;
        for (unsigned lane = 0; lane < PROFILE_FIRST_THREAD; lane++) {
            bool is_busier = hart_use(profile, launch, lane) > hart_use(profile, launch, busiest);
            busiest = is_busier ? lane : busiest;
        }
        sink_put(sink, "The busiest hart is %.200s, for %.0f %% of the time",
                 profile->lane_name[busiest] ? profile->lane_name[busiest] : "none",
                 hart_use(profile, launch, busiest));
    } else if (part == PATH_NOC) {
        put_noc_use(profile, launch, sink);
    } else if (part == PATH_DRAM) {
        const uint64_t length = length_of(launch);
        uint64_t bytes = 0;
        for (unsigned group = 0; group < PROFILE_GROUPS; group++) {
            bytes += launch->bytes[group].dram;
        }
        sink_put(sink, "DRAM moves %.1f bytes a cycle",
                 length ? (double)bytes / (double)length : 0);
        put_peak(sink, bytes, length, profile->peaks.dram);
    } else {
        sink_put(sink, "Nobody is known who ended those waits");
    }
}

void profile_lacks(const struct profile *profile, char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};
    sink_put(&sink, profile->has_failed || profile->path.has_failed
                        ? " Memory ran out: some of it is missing."
                        : "");
    sink_put(&sink,
             profile->has_waits && !profile->has_causes
                 ? " The trace does not say who ended waits, so critical paths stay in their "
                   "lanes."
                 : "");
    sink_put(&sink, profile->links.lost > 0 && profile->links.packets == 0
                        ? " The trace does not say which way packets went."
                        : "");
    if (profile->host.unread > 0) {
        sink_put(&sink, " %zu lines of the host's file tell no operation.", profile->host.unread);
    }
    if (profile->path.forgotten) {
        sink_put(&sink, " Critical paths are not known before cycle %" PRIu64 ".",
                 profile->path.forgotten);
    }
}

/* "2 tiles, 6 of Ethernet" */
static void put_tile_counts(const struct profile_launch *launch, struct sink *sink)
{
    static const char *const names[PROFILE_GROUPS] = {"", " of Ethernet", " of DRAM"};
    bool is_first = true;
    for (unsigned group = 0; group < PROFILE_GROUPS; group++) {
        const unsigned tiles = launch->tiles[group];
        if (tiles > 0) {
            sink_put(sink, "%s%u%s%s", is_first ? "" : ", ", tiles,
                     !is_first    ? ""
                     : tiles == 1 ? " tile"
                                  : " tiles",
                     names[group]);
            is_first = false;
        }
    }
    sink_put(sink, is_first ? "no tile" : "");
}

/* "ttnn.add (FILE:12) of 32x64, 32x64" */
static void put_host_operation(const struct host_operation *host, bool has_caller,
                               struct sink *sink)
{
    const char *slash = strrchr(host->file, '/');
    sink_put(sink, "%.80s", host->name);
    if (has_caller && *host->file) {
        sink_put(sink, " (%.60s:%u)", slash ? slash + 1 : host->file, host->line);
    }
    if (*host->shapes) {
        sink_put(sink, " of %.60s", host->shapes);
    }
}

void profile_launch_name(const struct profile_launch *launch, bool has_caller, char *text,
                         size_t size)
{
    struct sink sink = {.text = text, .size = size};
    if (launch->host) {
        put_host_operation(launch->host, has_caller, &sink);
        sink_put(&sink, launch->operation ? ", " : ": ");
    }
    if (launch->operation) {
        sink_put(&sink, "%s%.80s: ", launch->host ? "" : "ttnn ", launch->operation);
    }
    for (unsigned i = 0; i < launch->kernels; i++) {
        sink_put(&sink, "%.60s, ", launch->kernel[i]);
    }
    sink_put(&sink, launch->has_more_kernels ? "and others, " : "");
    put_tile_counts(launch, &sink);
}

void profile_launch_bound(const struct profile *profile, const struct profile_launch *launch,
                          char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};
    const struct profile_row *row = &launch->longest;
    enum path_part bound = PATH_UNPACK;
    uint64_t known = 0;
    for (unsigned part = 0; part < PATH_PARTS; part++) {
        known += launch->part[part];
        bound = launch->part[part] > launch->part[bound] ? (enum path_part)part : bound;
    }
    if (known == 0) {
        sink_put(&sink, "of which the critical path is not known");
        return;
    }
    sink_put(&sink, "bound by %s (%.0f %% of the critical path). ", profile_part_name(bound),
             per_cent(launch->part[bound], known));
    put_use(profile, launch, bound, &sink);
    if (row->critical > 0) {
        sink_put(&sink, ". Longest on the path: %.100s", profile->lane_name[row->lane]);
        bool is_inlined = strcmp(row->symbol, "_start") == 0; /* all of the kernel, there */
        const char *where = is_inlined && *row->kernel ? row->kernel : row->symbol;
        sink_put(&sink, *where ? " in %.200s" : "%s", where);
        sink_put(&sink, row->waits ? ", %.200s" : "%s", row->waits ? row->waits : "");
        sink_put(&sink, ", %.0f %%", per_cent(row->critical, known));
    }
    if (bound != PATH_MATH && launch->lane[PROFILE_FIRST_THREAD + 1].busy > 0) {
        sink_put(&sink, ". Math is busy for %.0f %% of the time", thread_use(launch, 1));
    }
}
