/* See profile.h. */
#include "observe/profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/names.h"
#include "host/array.h"
#include "observe/trace/record.h"

enum { FIRST_SLOTS = 1024 };

/* --- Tables --- */

static struct profile_tile *profile_tile_of(struct profile *profile,
                                            const struct penrose_trace_event *event)
{
    uint16_t *at = &profile->tile_at[event->y % PROFILE_SIDE][event->x % PROFILE_SIDE];
    if (*at) {
        return &profile->tile[*at - 1];
    }
    if (!array_grow(&profile->tile, profile->tiles, &profile->tile_room, sizeof *profile->tile) ||
        !path_lanes(&profile->path, (profile->tiles + 1) * PROFILE_LANES)) {
        profile->has_failed = true;
        return NULL;
    }
    struct profile_tile *tile = &profile->tile[profile->tiles++];
    *tile = (struct profile_tile){.x = event->x, .y = event->y};
    *at = (uint16_t)profile->tiles;
    return tile;
}

/* Names are kept once, so that rows are equal where their pointers are. */
static size_t row_hash(const struct profile_row *row)
{
    uint64_t hash = row->line * UINT64_C(31) + row->lane;
    const char *const names[] = {row->agent, row->kernel,     row->symbol, row->source,
                                 row->waits, row->inlined_at, row->ended};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hash = (hash ^ (uint64_t)(uintptr_t)names[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (size_t)hash;
}

static bool is_same_row(const struct profile_row *a, const struct profile_row *b)
{
    return a->agent == b->agent && a->kernel == b->kernel && a->symbol == b->symbol &&
           a->source == b->source && a->waits == b->waits && a->ended == b->ended &&
           a->inlined_at == b->inlined_at && a->line == b->line && a->lane == b->lane;
}

static uint32_t *find_row_slot(const struct profile *profile, const struct profile_row *row)
{
    size_t at = row_hash(row) & (profile->slots - 1);
    while (profile->slot[at] && !is_same_row(&profile->row[profile->slot[at] - 1], row)) {
        at = (at + 1) & (profile->slots - 1);
    }
    return &profile->slot[at];
}

static bool make_slots(struct profile *profile)
{
    if (profile->rows * 2 < profile->slots) {
        return true;
    }
    size_t slots = profile->slots ? profile->slots * 2 : FIRST_SLOTS;
    uint32_t *slot = calloc(slots, sizeof *slot);
    struct profile_row *row = realloc(profile->row, slots * sizeof *row);
    profile->row = row ? row : profile->row;
    if (!slot || !row) {
        free(slot);
        profile->has_failed = true;
        return false;
    }
    free(profile->slot);
    profile->slot = slot;
    profile->slots = slots;
    for (size_t i = 0; i < profile->rows; i++) {
        *find_row_slot(profile, &profile->row[i]) = (uint32_t)i + 1;
    }
    return true;
}

/* The number of a row that is equal in its names, plus one; 0: memory ran out. */
static uint32_t keep_row(struct profile *profile, const struct profile_row *row)
{
    if (!make_slots(profile)) {
        return 0;
    }
    uint32_t *slot = find_row_slot(profile, row);
    if (!*slot) {
        profile->row[profile->rows] = *row;
        profile->row[profile->rows].number = (uint32_t)profile->rows;
        profile->rows++;
        *slot = (uint32_t)profile->rows;
    }
    return *slot;
}

static const char *keep_text(struct profile *profile, const char *text)
{
    return names_keep(&profile->names, text, strlen(text));
}

static uint32_t row_of_event(struct profile *profile, unsigned lane, const char *waits,
                             const struct penrose_trace_event *event)
{
    return keep_row(profile,
                    &(struct profile_row){.agent = keep_text(profile, event->agent_name),
                                          .kernel = keep_text(profile, event->kernel),
                                          .symbol = keep_text(profile, event->symbol),
                                          .source = keep_text(profile, event->source),
                                          .inlined_at = keep_text(profile, event->inlined_at),
                                          .waits = waits,
                                          .ended = keep_text(profile, ""),
                                          .line = event->line,
                                          .lane = lane});
}

/* The row of a wait that has ended, by what: where it had begun, nobody knew. */
static uint32_t row_of_ended(struct profile *profile, uint32_t begun, const char *ended)
{
    struct profile_row row = profile->row[begun - 1];
    row.ended = ended;
    return keep_row(profile, &row);
}

/* --- Waves --- */

static void halve_waves(struct profile *profile)
{
    for (unsigned i = 0; i < PROFILE_ALL_WAVES; i++) {
        uint64_t *wave = profile->wave[i];
        for (unsigned at = 0; at < PROFILE_WAVES / 2; at++) {
            wave[at] = wave[2 * at] + wave[2 * at + 1];
        }
        memset(&wave[PROFILE_WAVES / 2], 0, PROFILE_WAVES / 2 * sizeof *wave);
    }
    profile->wave_width *= 2;
}

static void make_wave_room(struct profile *profile, uint64_t end)
{
    while (end - profile->wave_begin > PROFILE_WAVES * profile->wave_width) {
        halve_waves(profile);
    }
}

static void add_to_wave(struct profile *profile, unsigned wave, uint64_t begin, uint64_t end)
{
    make_wave_room(profile, end);
    while (begin < end) {
        uint64_t at = (begin - profile->wave_begin) / profile->wave_width;
        uint64_t stop = profile->wave_begin + (at + 1) * profile->wave_width;
        stop = stop < end ? stop : end;
        profile->wave[wave][at] += stop - begin;
        begin = stop;
    }
}

/* --- Lanes --- */

/* The lane's number in the path. */
static size_t path_lane(const struct profile *profile, const struct profile_tile *tile,
                        unsigned lane)
{
    return (size_t)(tile - profile->tile) * PROFILE_LANES + lane;
}

/* That of who has made a wait end; false: he was not seen. */
static bool find_cause(const struct profile *profile, const struct penrose_trace_cause *cause,
                       size_t *lane)
{
    uint16_t at = profile->tile_at[cause->y % PROFILE_SIDE][cause->x % PROFILE_SIDE];
    const struct profile_tile *tile = at ? &profile->tile[at - 1] : NULL;
    const bool is_thread = cause->thread >= 0 && cause->thread < PROFILE_THREADS;
    const bool is_hart = !is_thread && (unsigned)cause->agent < PENROSE_HARTS;
    if (!cause->is_known || !tile || (!is_thread && !(is_hart && tile->lane_of[cause->agent]))) {
        return false;
    }
    *lane = path_lane(profile, tile,
                      is_thread ? PROFILE_FIRST_THREAD + (unsigned)cause->thread
                                : tile->lane_of[cause->agent] - 1u);
    return true;
}

/* Cycles from `since` on. A thread may have been idle since before its launch. */
static void charge_lane(struct profile *profile, struct profile_tile *tile, unsigned number,
                        const struct profile_cycles *cycles, uint64_t since)
{
    struct profile_launch *launch = profile_launch_of(profile, tile, number);
    profile_add_cycles(&tile->lane[number].cycles, cycles);
    if (launch) {
        const uint64_t before = launch->first > since ? launch->first - since : 0;
        struct profile_cycles own = *cycles;
        own.idle -= before < own.idle ? before : own.idle;
        profile_add_cycles(&launch->lane[number], &own);
    }
}

static void charge_spot(struct profile *profile, uint32_t row, uint32_t pc, uint32_t word,
                        uint64_t cycles, uint64_t times)
{
    profile->has_failed |= !spots_add(&profile->spots, row, pc, word, cycles, times);
}

static enum path_part part_of_cause(const struct penrose_trace_cause *cause)
{
    return cause->thread >= 0 ? (enum path_part)(PATH_UNPACK + cause->thread) : PATH_HARTS;
}

/* "store by trisc1", "read response", "write by brisc of another tile": what the event says has ended a
 * wait of the tile. */
static const char *keep_end(struct profile *profile, const struct profile_tile *tile,
                            const struct penrose_trace_event *event)
{
    static const char *const threads[PROFILE_THREADS] = {"unpack", "math", "pack"};
    const struct penrose_trace_cause *cause = &event->cause;
    const bool is_wait = event->kind == PENROSE_TRACE_WAIT; /* else an instruction */
    const bool is_own =
        is_wait && (strstr(event->what, "response") || strstr(event->what, "acknowledgement") ||
                    strcmp(event->what, "departure") == 0);
    char text[120];
    size_t lane;
    if (!cause->is_known) {
        return keep_text(profile, "");
    }
    if (is_own) {
        return keep_text(profile, event->what);
    }
    const char *who = find_cause(profile, cause, &lane) ? profile->lane_name[lane % PROFILE_LANES]
                                                        : arch_agent_name(cause->agent);
    who = cause->thread >= 0 && cause->thread < PROFILE_THREADS ? threads[cause->thread] : who;
    snprintf(text, sizeof text, "%.40s%sby %.40s%s", is_wait ? event->what : "",
             is_wait && *event->what ? " " : "", who ? who : "another agent",
             cause->x == tile->x && cause->y == tile->y ? "" : " of another tile");
    return keep_text(profile, text);
}

/* What a hart's wait that `end` ends was spent on, besides the cycles in GDDR. A wait for an NIU that
 * nobody is known to have ended is one for the NoC. */
static enum path_part part_of_wait(const struct profile_row *row,
                                   const struct penrose_trace_event *end)
{
    const bool is_known = end && end->cause.is_known;
    if (is_known && strstr(end->what, "DRAM") && end->value == 0) {
        return PATH_DRAM; /* a trace of an older version, or a functional run */
    }
    if (is_known) {
        bool is_packet = end->cause.thread < 0 && *end->what && strcmp(end->what, "store") != 0;
        return is_packet ? PATH_NOC : part_of_cause(&end->cause);
    }
    return strcmp(row->waits, "NIU") == 0 ? PATH_NOC : PATH_WAITS;
}

/* A wait that ended behind the latest step of him who has ended it. Behind what it was spent on come the
 * cycles that GDDR had the request: the chain has all of them, in whatever order. */
static void add_ended_wait(struct profile *profile, size_t at, uint32_t row, enum path_part part,
                           const struct penrose_trace_event *end, size_t by, uint64_t until)
{
    const uint64_t asked = end->cause.cycle;
    const uint64_t whole = until > asked ? until - asked : 0;
    const uint64_t held = end->value < whole ? end->value : whole;
    path_add_wait(&profile->path, at, row, part, until - held, by, asked);
    if (held > 0) {
        path_add(&profile->path, at, row, PATH_DRAM, until - held, until);
    }
}

/* Charges what is under way in a hart up to `cycle`, where `end` ends it (NULL: nothing does). */
static void charge_hart(struct profile *profile, struct profile_tile *tile, unsigned number,
                        uint64_t cycle, const struct penrose_trace_event *end)
{
    struct profile_lane *lane = &tile->lane[number];
    uint64_t begin = lane->since, cycles = cycle > begin ? cycle - begin : 0;
    size_t at = path_lane(profile, tile, number), by;
    lane->since = cycle > begin ? cycle : begin;
    if (!lane->row) {
        return;
    }
    if (lane->is_waiting && end) {
        lane->row = row_of_ended(profile, lane->row, keep_end(profile, tile, end));
    }
    if (!lane->row) {
        return; /* memory ran out */
    }
    struct profile_row *row = &profile->row[lane->row - 1];
    row->cycles += cycles;
    row->count += lane->is_waiting;
    charge_spot(profile, lane->row, lane->pc, lane->word, cycles, 0);
    if (!lane->is_waiting) {
        charge_lane(profile, tile, number, &(struct profile_cycles){.busy = cycles}, begin);
        add_to_wave(profile, number, begin, begin + cycles);
        path_add(&profile->path, at, lane->row, PATH_HARTS, begin, begin + cycles);
        return;
    }
    enum path_part part = part_of_wait(row, end);
    charge_lane(profile, tile, number, &(struct profile_cycles){.waiting = cycles}, begin);
    if (end && find_cause(profile, &end->cause, &by)) {
        add_ended_wait(profile, at, lane->row, part, end, by, lane->since);
    } else {
        path_add(&profile->path, at, lane->row, part, begin, lane->since);
    }
}

static void fold_hart(struct profile *profile, struct profile_tile *tile, unsigned number,
                      const struct penrose_trace_event *event)
{
    struct profile_lane *lane = &tile->lane[number];
    bool is_instruction = event->kind == PENROSE_TRACE_INSTRUCTION;
    bool waits = event->kind == PENROSE_TRACE_WAIT && event->begins;
    charge_hart(profile, tile, number, event->cycle,
                event->kind == PENROSE_TRACE_WAIT ? event : NULL);
    if (is_instruction) {
        profile_note_kernel(profile, tile, number, event);
        profile_note_source(profile, tile, number, event);
    }
    /* its firmware waits for work, and not for the other harts */
    tile->is_done |= waits && number == PENROSE_BRISC && !tile->running && !lane->is_in_kernel;
    lane->since = lane->row ? lane->since : event->cycle;
    lane->is_waiting = waits;
    lane->row =
        is_instruction || waits
            ? row_of_event(profile, number, waits ? keep_text(profile, event->what) : NULL, event)
            : 0;
    lane->pc = event->pc;
    lane->word = is_instruction ? event->word : 0;
    lane->executed += is_instruction;
    if (lane->row && is_instruction) {
        profile->row[lane->row - 1].count++;
        charge_spot(profile, lane->row, event->pc, event->word, 0, 1);
    }
}

/* A thread that had nothing to do got its instruction from its hart, unless that has not moved since:
 * then the front end took its time. */
static void end_idleness(struct profile *profile, const struct profile_tile *tile, unsigned number,
                         uint32_t row, const struct penrose_trace_event *event, uint64_t end)
{
    const struct profile_lane *lane = &tile->lane[number];
    const bool is_hart = (unsigned)event->agent < PENROSE_HARTS && tile->lane_of[event->agent];
    const unsigned hart = is_hart ? tile->lane_of[event->agent] - 1u : 0;
    const enum path_part part = (enum path_part)(PATH_UNPACK + event->thread);
    size_t at = path_lane(profile, tile, number);
    if (is_hart && (tile->lane[hart].since >= lane->since || !lane->executed)) {
        path_add_wait(&profile->path, at, row, PATH_HARTS, end, path_lane(profile, tile, hart),
                      tile->lane[hart].since < end ? tile->lane[hart].since : end);
    } else if (lane->executed) {
        path_add(&profile->path, at, row, part, lane->since, end);
    }
}

static void fold_thread(struct profile *profile, struct profile_tile *tile, unsigned number,
                        const struct penrose_trace_event *event)
{
    struct profile_lane *lane = &tile->lane[number];
    const enum path_part part = (enum path_part)(PATH_UNPACK + event->thread);
    size_t at = path_lane(profile, tile, number), by;
    if (event->kind == PENROSE_TRACE_WAIT) {
        lane->waits = event->begins ? keep_text(profile, event->what) : lane->waits;
        return;
    }
    uint64_t gap = lane->executed && event->cycle > lane->since ? event->cycle - lane->since : 0;
    uint64_t waited = event->waited < gap ? event->waited : gap;
    uint32_t row = row_of_event(profile, number, NULL, event);
    struct profile_cycles cycles = {.busy = 1, .waiting = waited, .idle = gap - waited};
    if (cycles.idle > 0 || !lane->executed) {
        end_idleness(profile, tile, number, row, event, event->cycle - waited);
    }
    if (waited > 0) {
        const char *waits = lane->waits ? lane->waits : "its gate";
        uint32_t wait_row = row_of_event(profile, number, waits, event);
        wait_row = wait_row ? row_of_ended(profile, wait_row, keep_end(profile, tile, event)) : 0;
        cycles.held = strstr(waits, "waits for its unit, which is busy") ? waited : 0;
        if (wait_row) {
            profile->row[wait_row - 1].cycles += waited;
            profile->row[wait_row - 1].count++;
            charge_spot(profile, wait_row, event->pc, event->word, waited, 0);
        }
        if (find_cause(profile, &event->cause, &by)) {
            path_add_wait(&profile->path, at, wait_row, part_of_cause(&event->cause), event->cycle,
                          by, event->cause.cycle);
        } else {
            path_add(&profile->path, at, wait_row, part, event->cycle - waited, event->cycle);
        }
    }
    if (row) {
        profile->row[row - 1].cycles++;
        profile->row[row - 1].count++;
        charge_spot(profile, row, event->pc, event->word, 1, 1);
    }
    path_add(&profile->path, at, row, part, event->cycle, event->cycle + 1);
    charge_lane(profile, tile, number, &cycles, lane->since);
    lane->executed++;
    lane->since = event->cycle + 1;
    add_to_wave(profile, number, event->cycle, event->cycle + 1);
}

static unsigned thread_lane(struct profile *profile, unsigned thread)
{
    static const char *const names[PROFILE_THREADS] = {"unpack (thread 0)", "math (thread 1)",
                                                       "pack (thread 2)"};
    profile->lane_name[PROFILE_FIRST_THREAD + thread] = names[thread];
    return PROFILE_FIRST_THREAD + thread;
}

/* Harts beyond the last lane share that. */
static unsigned hart_lane(struct profile *profile, struct profile_tile *tile,
                          const struct penrose_trace_event *event)
{
    const char *usual = arch_agent_name(event->agent);
    const char *name = keep_text(profile, event->agent_name);
    unsigned lane = (unsigned)event->agent;
    if (!usual || strcmp(usual, name) != 0) {
        lane = PROFILE_OTHERS;
        while (lane + 1 < PROFILE_FIRST_THREAD && profile->lane_name[lane] &&
               profile->lane_name[lane] != name) {
            lane++;
        }
    }
    profile->lane_name[lane] = name;
    tile->lane_of[event->agent] = (uint8_t)(lane + 1);
    return lane;
}

static void fold_packet(struct profile *profile, struct profile_tile *tile,
                        const struct penrose_trace_event *event)
{
    const unsigned lane = tile->lane_of[event->agent]; /* plus one */
    struct profile_launch *launch = lane ? profile_launch_of(profile, tile, lane - 1) : NULL;
    const bool is_read = strstr(event->what, "read") != NULL;
    const struct profile_bytes bytes = {.sent = is_read ? 0 : event->size,
                                        .asked = is_read ? event->size : 0,
                                        .dram = event->peer_kind == PENROSE_TILE_DRAM ? event->size
                                                                                      : 0};
    profile_add_bytes(&tile->bytes, &bytes);
    if (launch) {
        profile_add_bytes(&launch->bytes[profile_group_of(profile, lane - 1)], &bytes);
    }
    make_wave_room(profile, event->cycle + 1);
    uint64_t at = (event->cycle - profile->wave_begin) / profile->wave_width;
    profile->wave[PROFILE_NOC_WAVE][at] += event->size;
    profile->wave[PROFILE_DRAM_WAVE][at] += bytes.dram;
}

/* Makes room for steps, which launches that are over do not need any more. */
static void sweep_path(struct profile *profile)
{
    if (!path_is_full(&profile->path)) {
        return;
    }
    uint64_t from = profile->launches > 0 ? profile->last : profile->first;
    profile_find_ended(profile);
    for (size_t i = 0; i < profile->launches; i++) {
        struct profile_launch *launch = &profile->launch[i];
        from = launch->has_path || launch->first > from ? from : launch->first;
        launch->end = 0; /* its number changes; harts that are under way have a later one */
    }
    profile->has_failed |= !path_sweep(&profile->path, from);
}

void profile_take(struct profile *profile, const struct penrose_trace_event *event)
{
    const bool has_time = event->cycle <= TRACE_LAST_CYCLE; /* a snapshot may have any */
    struct profile_tile *tile =
        has_time && profile_uses(event) ? profile_tile_of(profile, event) : NULL;
    bool is_hart = (unsigned)event->agent < PENROSE_HARTS;
    if (!tile) {
        return;
    }
    if (profile->is_empty) {
        profile->first = profile->wave_begin = event->cycle;
        profile->is_empty = false;
    }
    if (event->cycle < profile->first) {
        return;
    }
    profile->last = event->cycle > profile->last ? event->cycle : profile->last;
    if (event->kind == PENROSE_TRACE_NOC) {
        if (event->begins && is_hart && strstr(event->what, "atomic") == NULL) {
            fold_packet(profile, tile, event);
        }
        if (links_uses(event)) {
            links_take(&profile->links, profile->calls, event);
        }
        return;
    }
    bool is_thread = event->thread >= 0 && event->thread < PROFILE_THREADS;
    if (!is_thread && !is_hart) {
        return;
    }
    unsigned number =
        is_thread ? thread_lane(profile, (unsigned)event->thread) : hart_lane(profile, tile, event);
    profile->has_waits |= event->waited > 0;
    profile->has_causes |= event->cause.is_known;
    sweep_path(profile);
    (is_thread ? fold_thread : fold_hart)(profile, tile, number, event);
}

/* --- Begin and end --- */

struct profile *profile_create(const struct chip_calls *calls, unsigned chip,
                               const struct profile_peaks *peaks)
{
    struct profile *profile = calloc(1, sizeof *profile);
    if (profile) {
        profile->calls = calls;
        profile->chip = chip;
        profile->peaks = *peaks;
        profile->is_empty = true;
        profile->wave_width = 1;
        profile->text = trace_text_create(calls);
    }
    if (profile && !profile->text) {
        free(profile);
        return NULL;
    }
    return profile;
}

void profile_destroy(struct profile *profile)
{
    if (profile) {
        names_free(&profile->names);
        trace_text_destroy(profile->text);
        free(profile->tile);
        free(profile->row);
        free(profile->slot);
        free(profile->launch);
        free(profile->zone);
        path_free(&profile->path);
        spots_free(&profile->spots);
        host_operations_free(&profile->host);
        free(profile);
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct profile_row *first = a, *second = b;
    const int order = profile_compare_kernels(first, second);
    if (order) {
        return order;
    }
    if (first->cycles != second->cycles) {
        return first->cycles > second->cycles ? -1 : 1;
    }
    int by_source = strcmp(first->source, second->source);
    int by_agent = strcmp(first->agent, second->agent);
    int by_line = (first->line > second->line) - (first->line < second->line);
    return by_source ? by_source : by_line ? by_line : by_agent;
}

bool profile_know_operations(struct profile *profile, const char *path, long process)
{
    const bool is_read = host_operations_read(&profile->host, &profile->names, path, process);
    profile->has_failed |= !is_read && errno == ENOMEM;
    return is_read;
}

void profile_end(struct profile *profile)
{
    for (size_t i = 0; i < profile->tiles; i++) {
        for (unsigned number = 0; number < PROFILE_FIRST_THREAD; number++) {
            sweep_path(profile);
            charge_hart(profile, &profile->tile[i], number, profile->last, NULL);
        }
    }
    profile_find_paths(profile);
    for (size_t i = 0; i < profile->launches; i++) {
        struct profile_launch *launch = &profile->launch[i];
        launch->host = host_operations_find(&profile->host, launch->program);
    }
    if (profile->rows > 0) {
        qsort(profile->row, profile->rows, sizeof *profile->row, compare_rows);
    }
}

static double busy_share(const struct profile *profile, unsigned lane)
{
    struct profile_cycles cycles = profile_work_cycles(profile, lane);
    uint64_t all = cycles.busy + cycles.waiting + cycles.idle;
    return all ? (double)cycles.busy / (double)all : 0;
}

const struct profile_row *profile_wait(const struct profile *profile, unsigned lane)
{
    for (size_t i = 0; i < profile->rows; i++) {
        const struct profile_row *row = &profile->row[i];
        if (row->waits && row->lane == lane && row->cycles > 0) {
            return row;
        }
    }
    return NULL;
}

/* The TRISCs only push: their threads are what can be short. */
static bool is_stage(const struct profile *profile, unsigned lane)
{
    bool is_trisc = lane == PENROSE_TRISC0 || lane == PENROSE_TRISC1 || lane == PENROSE_TRISC2;
    return !is_trisc && profile->lane_name[lane] != NULL;
}

void profile_bound(const struct profile *profile, char *text, size_t size)
{
    unsigned busiest = PROFILE_LANES;
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        if (is_stage(profile, lane) && (busiest == PROFILE_LANES ||
                                        busy_share(profile, lane) > busy_share(profile, busiest))) {
            busiest = lane;
        }
    }
    if (busiest == PROFILE_LANES) {
        snprintf(text, size, "nothing has run");
        return;
    }
    const struct profile_row *wait = profile_wait(profile, busiest);
    snprintf(text, size, "%.100s is busiest, for %.0f %% of its time%s%.200s",
             profile->lane_name[busiest], 100 * busy_share(profile, busiest),
             wait ? "; what it waits for longest: " : "", wait ? wait->waits : "");
}
