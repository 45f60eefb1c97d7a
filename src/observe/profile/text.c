/* A profile as text; see profile.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "observe/profile/lines.h"
#include "observe/profile/profile.h"

enum { MOST_ROWS = 25, MOST_TILES = 12, MOST_LINKS = 8 };

static double share_of(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static void print_lanes(const struct profile *profile, FILE *file)
{
    fprintf(file, "\n  %-20s %14s %7s %9s %9s  %s\n", "lane", "cycles", "busy", "waits", "idle",
            "its longest wait");
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        const char *name = profile->lane_name[lane];
        struct profile_cycles cycles = profile_work_cycles(profile, lane);
        uint64_t all = cycles.busy + cycles.waiting + cycles.idle;
        const struct profile_row *wait = profile_wait(profile, lane);
        if (name) {
            fprintf(file, "  %-20s %14" PRIu64 " %6.1f%% %8.1f%% %8.1f%%  %s\n", name, all,
                    share_of(cycles.busy, all), share_of(cycles.waiting, all),
                    share_of(cycles.idle, all), wait ? wait->waits : "");
        }
    }
}

/* Where the lane was, and what stands there. */
static void print_place(const struct profile *profile, const struct profile_row *row, FILE *file)
{
    char line[PROFILE_LINE_BYTES];
    fprintf(file, "%s", *row->symbol ? row->symbol : "(no symbol)");
    if (row->line) {
        fprintf(file, "  %s:%u%s", row->source, row->line,
                trace_text_calls(profile->text, row->inlined_at));
    }
    if (profile_source_line(row->source, row->line, line)) {
        fprintf(file, "  %s", line);
    }
    fputc('\n', file);
}

/* What is waited for, and what ended that. */
static void print_wait(const struct profile_row *row, FILE *file)
{
    if (row->waits) {
        fprintf(file, *row->ended ? "%s (%s): " : "%s%s: ", row->waits, row->ended);
    }
}

/* Between launches tiles wait for their host, or for a kernel that dispatches. */
static void print_launches(const struct profile *profile, FILE *file)
{
    char name[PROFILE_NAME_BYTES], bound[1024];
    for (size_t i = 0; i < profile->launches; i++) {
        const struct profile_launch *launch = &profile->launch[i];
        const uint64_t ended = i > 0 ? launch[-1].last : launch->first;
        profile_launch_name(launch, true, name, sizeof name);
        profile_launch_bound(profile, launch, bound, sizeof bound);
        if (launch->kernels > 0) {
            fprintf(file, "\nLaunch %zu (%s), cycle=%" PRIu64 "-%" PRIu64, i + 1, name,
                    launch->first, launch->last);
        } else {
            fprintf(file, "\nAll of the run");
        }
        if (launch->first > ended) {
            fprintf(file, ", %" PRIu64 " cycles after launch %zu ended", launch->first - ended, i);
        }
        fprintf(file, ":\n  %" PRIu64 " cycles, %s.\n", launch->last - launch->first, bound);
    }
}

static void print_operations(const struct profile *profile, FILE *file)
{
    uint64_t between, all;
    struct profile_operation *sum = profile_sum_operations(profile, &between);
    if (profile->launches > 1 && sum) {
        fprintf(file, "\nOperations, those with most cycles first\n  %12s %7s %9s\n", "cycles", "",
                "launches");
        all = between;
        for (const struct profile_operation *at = sum; at->launches > 0; at++) {
            all += at->cycles;
        }
        for (const struct profile_operation *at = sum; at->launches > 0; at++) {
            fprintf(file, "  %12" PRIu64 " %6.1f%% %9u  %s\n", at->cycles,
                    share_of(at->cycles, all), at->launches, at->name);
        }
        fprintf(file,
                "  %12" PRIu64 " %6.1f%% %9s  between launches: the host, or a kernel that "
                "dispatches\n",
                between, share_of(between, all), "");
    }
    free(sum);
}

static void print_path(const struct profile *profile, FILE *file)
{
    uint64_t all = 0;
    const struct profile_row **row = profile_critical_rows(profile, &all);
    fprintf(file, "\nCritical path: what made it as long as it is\n  %12s %7s  %-20s\n", "cycles",
            "", "lane");
    for (size_t i = 0; row && row[i] && i < MOST_ROWS; i++) {
        fprintf(file, "  %12" PRIu64 " %6.1f%%  %-20s ", row[i]->critical,
                share_of(row[i]->critical, all), profile->lane_name[row[i]->lane]);
        print_wait(row[i], file);
        print_place(profile, row[i], file);
    }
    free(row);
}

static void print_rows(const struct profile *profile, bool waits, FILE *file)
{
    unsigned printed = 0;
    fprintf(file, "\n%s\n  %12s %9s  %-20s\n",
            waits ? "Waits, the longest first" : "Lines, those with most cycles first", "cycles",
            "times", "lane");
    for (size_t i = 0; i < profile->rows && printed < MOST_ROWS; i++) {
        const struct profile_row *row = &profile->row[i];
        if ((row->waits != NULL) != waits || row->cycles == 0) {
            continue;
        }
        printed++;
        fprintf(file, "  %12" PRIu64 " %9" PRIu64 "  %-20s ", row->cycles, row->count,
                profile->lane_name[row->lane]);
        print_wait(row, file);
        print_place(profile, row, file);
    }
}

static void print_tiles(const struct profile *profile, FILE *file)
{
    fprintf(file, "\nTiles (at most %d)\n  %8s %10s", MOST_TILES, "tile", "NoC bytes");
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        const char *name = profile->lane_name[lane];
        fprintf(file, name ? "  %18s" : "%s", name ? name : "");
    }
    fputc('\n', file);
    for (size_t i = 0, printed = 0; i < profile->tiles && printed < MOST_TILES; i++) {
        const struct profile_tile *tile = &profile->tile[i];
        char place[16];
        if (!profile_tile_is_active(tile)) {
            continue;
        }
        printed++;
        snprintf(place, sizeof place, "%u,%u", tile->x, tile->y);
        fprintf(file, "  %8s %10" PRIu64, place, tile->bytes.sent + tile->bytes.asked);
        for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
            const struct profile_cycles *cycles = &tile->lane[lane].cycles;
            if (profile->lane_name[lane]) {
                fprintf(file, "  %13" PRIu64 " busy", cycles->busy);
            }
        }
        fputc('\n', file);
    }
}

static void print_links(const struct profile *profile, FILE *file)
{
    struct link_place place[MOST_LINKS];
    const struct links *links = &profile->links;
    const size_t count = links_busiest(links, place, MOST_LINKS);
    char name[80];
    if (count == 0) {
        return;
    }
    fprintf(file, "\nLinks of the NoC, the busiest first\n  %12s %7s %9s\n", "flits", "share",
            "at most");
    for (size_t i = 0; i < count; i++) {
        const struct link_use *use = links_at(links, &place[i]);
        links_name(links, &place[i], name, sizeof name);
        fprintf(file, "  %12" PRIu64 " %6.1f%% %8.1f%%  %s\n", use->flits,
                100 * links_share(links, use), 100 * links_most(use), name);
    }
}

void profile_text(const struct profile *profile, FILE *file)
{
    char bound[512], lacks[256];
    const size_t tiles = profile_active_tiles(profile);
    profile_bound(profile, bound, sizeof bound);
    profile_lacks(profile, lacks, sizeof lacks);
    fprintf(file, "Profile of %" PRIu64 " cycles (%" PRIu64 " to %" PRIu64 "), %zu %s\n%s.%s\n",
            profile->is_empty ? 0 : profile->last - profile->first + 1, profile->first,
            profile->last, tiles, tiles == 1 ? "tile" : "tiles", bound, lacks);
    print_launches(profile, file);
    print_operations(profile, file);
    print_path(profile, file);
    print_lanes(profile, file);
    print_rows(profile, false, file);
    print_rows(profile, true, file);
    print_tiles(profile, file);
    print_links(profile, file);
}
