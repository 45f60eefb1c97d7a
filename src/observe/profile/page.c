/* A profile as a page for a browser; see profile.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "observe/html_text.h"
#include "observe/profile/flame.h"
#include "observe/profile/lines.h"
#include "observe/profile/profile.h"
#include "observe/profile/spots.h"

enum {
    MOST_ROWS = 60,
    CRITICAL_ROWS = 25,
    WAVE_HEIGHT = 40,
    WAVE_STEP = 6,
    STRIP_HEIGHT = 18, /* of launches over time */
    STRIP_LETTER = 8,  /* and so wide is a digit there */
    AXIS_HEIGHT = 16,
    AXIS_PARTS = 4,
    PAGE_TILES = 256
};

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Penrose "
    "profile</title>\n"
    "<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:14px/1.4 sans-serif;margin:2em;max-width:110em;color:CanvasText;background:Canvas}\n"
    "table{border-collapse:collapse}td,th{padding:2px 10px;text-align:left;vertical-align:top}\n"
    "td.p{min-width:20em;overflow-wrap:anywhere}td.n{text-align:right}td.l{white-space:nowrap}code,"
    "td{font-family:monospace}\n"
    ".bar{display:inline-block;height:12px}.busy{background:#2a7}.waits{background:#d83}\n"
    "td.s{min-width:36em;font-family:sans-serif}.idle{background:#999}svg{display:block}svg "
    "rect{fill:#2a7}svg .noc{fill:#47c}\n"
    ".links text{font-size:10px;text-anchor:middle;fill:CanvasText}.links .tile{fill:#7776}"
    ".links .router{fill:#7772}.key{display:inline}\n"
    ".flame text{font:11px monospace;fill:#111}.flame .f0{fill:#9bd}.flame .f1{fill:#7cb}"
    ".flame .f2{fill:#cd9}.flame .f3{fill:#fb6}.flame .f4{fill:#f88}\n"
    ".strip rect{stroke:Canvas}.strip text,.axis text{font:11px sans-serif;fill:CanvasText}"
    ".strip .even{fill:#9bd}.strip .odd{fill:#cd9}.axis line{stroke:#999}\n"
    "details{margin:.6em 0}.asm td{padding:0 10px;white-space:nowrap}.asm .src "
    "td{padding-top:4px;color:GrayText}\n"
    ".links .l0{fill:#8884}.links .l1{fill:#58b}.links .l2{fill:#2a7}.links .l3{fill:#cb2}"
    ".links .l4{fill:#e72}.links .l5{fill:#d12}\n"
    "</style></head><body>\n";

static double part_of(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static void put_bar(FILE *file, const char *class, double per_cent)
{
    fprintf(file, "<span class=\"bar %s\" style=\"width:%.1fpx\" title=\"%.1f %%\"></span>", class,
            3 * per_cent, per_cent);
}

static void put_lanes(const struct profile *profile, FILE *file)
{
    fputs("<h2>Lanes</h2>\n<p><span class=\"bar busy\" style=\"width:12px\"></span> busy "
          "<span class=\"bar waits\" style=\"width:12px\"></span> waits "
          "<span class=\"bar idle\" style=\"width:12px\"></span> no instruction</p>\n"
          "<p>Where there are launches: of those alone.</p>\n<table>\n",
          file);
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        const char *name = profile->lane_name[lane];
        struct profile_cycles cycles = profile_work_cycles(profile, lane);
        uint64_t all = cycles.busy + cycles.waiting + cycles.idle;
        if (name) {
            fputs("<tr><td>", file);
            html_text(file, name);
            fprintf(file, "</td><td class=\"n\">%" PRIu64 "</td><td>", all);
            put_bar(file, "busy", part_of(cycles.busy, all));
            put_bar(file, "waits", part_of(cycles.waiting, all));
            put_bar(file, "idle", part_of(cycles.idle, all));
            fputs("</td></tr>\n", file);
        }
    }
    fputs("</table>\n", file);
}

/* Where a cycle is in pictures over time. */
static double wave_x(const struct profile *profile, uint64_t cycle)
{
    const uint64_t since = cycle > profile->wave_begin ? cycle - profile->wave_begin : 0;
    return WAVE_STEP * (double)since / (double)profile->wave_width;
}

/* Launches as boxes with their numbers. */
static void put_strip(const struct profile *profile, FILE *file)
{
    fprintf(file,
            "<tr><td>launches</td><td></td><td><svg class=\"strip\" width=\"%d\" height=\"%d\">",
            PROFILE_WAVES * WAVE_STEP, STRIP_HEIGHT);
    for (size_t i = 0; i < profile->launches; i++) {
        const struct profile_launch *launch = &profile->launch[i];
        const double begin = wave_x(profile, launch->first), end = wave_x(profile, launch->last);
        char name[PROFILE_NAME_BYTES];
        profile_launch_name(launch, true, name, sizeof name);
        fprintf(file, "<g><title>%zu: ", i + 1);
        html_text(file, name);
        fprintf(file,
                ", %" PRIu64 " cycles</title><rect class=\"%s\" x=\"%.1f\" width=\"%.1f\" "
                "height=\"%d\"/>",
                launch->last - launch->first, i % 2 ? "odd" : "even", begin, end - begin,
                STRIP_HEIGHT);
        if (end - begin > 3 * STRIP_LETTER) {
            fprintf(file, "<text x=\"%.1f\" y=\"%d\">%zu</text>", begin + STRIP_LETTER / 2,
                    STRIP_HEIGHT - 5, i + 1);
        }
        fputs("</g>", file);
    }
    fputs("</svg></td></tr>\n", file);
}

static void put_axis(const struct profile *profile, FILE *file)
{
    const double part = (double)PROFILE_WAVES / AXIS_PARTS;
    fprintf(file, "<tr><td>cycle</td><td></td><td><svg class=\"axis\" width=\"%d\" height=\"%d\">",
            PROFILE_WAVES * WAVE_STEP, AXIS_HEIGHT);
    for (unsigned i = 0; i < AXIS_PARTS; i++) {
        const double x = i * part * WAVE_STEP;
        fprintf(file,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/><text x=\"%.1f\" "
                "y=\"%d\">%" PRIu64 "</text>",
                x, x, AXIS_HEIGHT, x + 3, AXIS_HEIGHT - 4,
                profile->wave_begin + (uint64_t)(i * part) * profile->wave_width);
    }
    fputs("</svg></td></tr>\n", file);
}

/* Busy cycles, or bytes, over time; the highest stretch fills the height. */
static void put_wave(const struct profile *profile, unsigned number, const char *name,
                     const char *unit, FILE *file)
{
    const uint64_t *wave = profile->wave[number];
    uint64_t most = 0;
    for (unsigned at = 0; at < PROFILE_WAVES; at++) {
        most = wave[at] > most ? wave[at] : most;
    }
    if (!most) {
        return;
    }
    fputs("<tr><td>", file);
    html_text(file, name);
    fprintf(file, "</td><td class=\"n\">%.1f %s</td><td><svg width=\"%d\" height=\"%d\">",
            (double)most / (double)profile->wave_width, unit, PROFILE_WAVES * WAVE_STEP,
            WAVE_HEIGHT);
    for (unsigned at = 0; at < PROFILE_WAVES; at++) {
        double height = WAVE_HEIGHT * (double)wave[at] / (double)most;
        if (wave[at]) {
            fprintf(file, "<rect%s x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>",
                    number >= PROFILE_NOC_WAVE ? " class=\"noc\"" : "", at * WAVE_STEP,
                    WAVE_HEIGHT - height, WAVE_STEP - 1, height);
        }
    }
    fputs("</svg></td></tr>\n", file);
}

static void put_waves(const struct profile *profile, FILE *file)
{
    fprintf(
        file,
        "<h2>Over time</h2>\n<p>A bar stands for %" PRIu64
        " cycles of all tiles together. The number beside a picture is its highest bar: so many "
        "lanes were busy on average, or so many bytes were sent or asked for in a cycle.</p>\n"
        "<table>\n",
        profile->wave_width);
    put_strip(profile, file);
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        const char *name = profile->lane_name[lane];
        if (name) {
            put_wave(profile, lane, name, "busy", file);
        }
    }
    put_wave(profile, PROFILE_NOC_WAVE, "NoC", "bytes", file);
    put_wave(profile, PROFILE_DRAM_WAVE, "DRAM", "bytes", file);
    put_axis(profile, file);
    fputs("</table>\n", file);
}

/* The end of a row: where the lane was, and what stands there. */
static void put_row_place(const struct profile *profile, const struct profile_row *row, FILE *file)
{
    char line[PROFILE_LINE_BYTES];
    const char *folder_end = strrchr(row->source, '/');
    fputs("</td><td>", file);
    html_text(file, row->symbol);
    fputs("</td><td class=\"p\" title=\"", file);
    html_text(file, row->source);
    fputs("\">", file);
    html_text(file, folder_end ? folder_end + 1 : row->source);
    if (row->line) {
        fprintf(file, ":%u", row->line);
        html_text(file, trace_text_calls(profile->text, row->inlined_at));
    }
    fputs("</td><td>", file);
    html_text(file, profile_source_line(row->source, row->line, line) ? line : "");
    fputs("</td></tr>\n", file);
}

static void put_rows(const struct profile *profile, bool waits, FILE *file)
{
    unsigned shown = 0;
    fprintf(file, "<h2>%s</h2>\n<table><tr><th>cycles</th><th>times</th><th>lane</th>%s",
            waits ? "Waits" : "Hot spots", waits ? "<th>waits for</th><th>ended</th>" : "");
    fputs("<th>function</th><th>line</th><th>source</th></tr>\n", file);
    for (size_t i = 0; i < profile->rows && shown < MOST_ROWS; i++) {
        const struct profile_row *row = &profile->row[i];
        if ((row->waits != NULL) != waits || row->cycles == 0) {
            continue;
        }
        shown++;
        fprintf(file,
                "<tr><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64
                "</td><td class=\"l\">",
                row->cycles, row->count);
        html_text(file, profile->lane_name[row->lane]);
        if (waits) {
            fputs("</td><td>", file);
            html_text(file, row->waits);
            fputs("</td><td>", file);
            html_text(file, row->ended);
        }
        put_row_place(profile, row, file);
    }
    fputs("</table>\n", file);
}

static void put_launches(const struct profile *profile, FILE *file)
{
    char text[1024];
    fputs(
        "<h2>Launches</h2>\n<p>A launch lasts from the first instruction of a kernel to the last. "
        "Between launches tiles wait for their host, or for a kernel that dispatches.</p>\n"
        "<table><tr><th></th><th>kernels</th><th>begins</th><th>cycles</th>"
        "<th>idle before</th><th></th></tr>\n",
        file);
    for (size_t i = 0; i < profile->launches; i++) {
        const struct profile_launch *launch = &profile->launch[i];
        const uint64_t ended = i > 0 ? launch[-1].last : launch->first;
        fprintf(file, "<tr><td class=\"n\">%zu</td><td>", i + 1);
        profile_launch_name(launch, true, text, sizeof text);
        html_text(file, text);
        fprintf(file,
                "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64
                "</td><td class=\"n\">%" PRIu64 "</td><td class=\"s\">",
                launch->first, launch->last - launch->first,
                launch->first > ended ? launch->first - ended : 0);
        profile_launch_bound(profile, launch, text, sizeof text);
        html_text(file, text);
        fputs("</td></tr>\n", file);
    }
    fputs("</table>\n", file);
}

static void put_operations(const struct profile *profile, FILE *file)
{
    uint64_t between, all;
    struct profile_operation *sum = profile_sum_operations(profile, &between);
    if (profile->launches > 1 && sum) {
        fputs("<h2>Operations</h2>\n<table><tr><th>cycles</th><th></th><th>launches</th><th></th>"
              "</tr>\n",
              file);
        all = between;
        for (const struct profile_operation *at = sum; at->launches > 0; at++) {
            all += at->cycles;
        }
        for (const struct profile_operation *at = sum; at->launches > 0; at++) {
            fprintf(file, "<tr><td class=\"n\">%" PRIu64 "</td><td>", at->cycles);
            put_bar(file, "busy", part_of(at->cycles, all));
            fprintf(file, "</td><td class=\"n\">%u</td><td>", at->launches);
            html_text(file, at->name);
            fputs("</td></tr>\n", file);
        }
        fprintf(file, "<tr><td class=\"n\">%" PRIu64 "</td><td>", between);
        put_bar(file, "idle", part_of(between, all));
        fputs("</td><td></td><td>between launches</td></tr>\n</table>\n", file);
    }
    free(sum);
}

static void put_path(const struct profile *profile, FILE *file)
{
    uint64_t all = 0;
    const struct profile_row **row = profile_critical_rows(profile, &all);
    fputs("<h2>Critical path</h2>\n<p>The chain of dependencies that made the launches as long as "
          "they are, by lane and line.</p>\n<table><tr><th>cycles</th><th></th><th>lane</th>"
          "<th>waits for</th><th>ended</th><th>function</th><th>line</th><th>source</th></tr>\n",
          file);
    for (size_t i = 0; row && row[i] && i < CRITICAL_ROWS; i++) {
        fprintf(file, "<tr><td class=\"n\">%" PRIu64 "</td><td>", row[i]->critical);
        put_bar(file, row[i]->waits ? "waits" : "busy", part_of(row[i]->critical, all));
        fputs("</td><td class=\"l\">", file);
        html_text(file, profile->lane_name[row[i]->lane]);
        fputs("</td><td>", file);
        html_text(file, row[i]->waits ? row[i]->waits : "");
        fputs("</td><td>", file);
        html_text(file, row[i]->ended);
        put_row_place(profile, row[i], file);
    }
    fputs("</table>\n", file);
    free(row);
}

/* A square for each tile at its place, the darker the more there is of something. */
static void put_heat(const struct profile *profile, const char *title,
                     uint64_t (*amount)(const struct profile_tile *tile), FILE *file)
{
    enum { SQUARE = 22 };
    uint64_t most = 0;
    unsigned right = 0, bottom = 0;
    for (size_t i = 0; i < profile->tiles; i++) {
        const struct profile_tile *tile = &profile->tile[i];
        most = amount(tile) > most ? amount(tile) : most;
        right = amount(tile) > 0 && tile->x > right ? tile->x : right;
        bottom = amount(tile) > 0 && tile->y > bottom ? tile->y : bottom;
    }
    if (most == 0) {
        return;
    }
    fprintf(file, "<td>%s, at most %" PRIu64 "<svg width=\"%u\" height=\"%u\">", title, most,
            (right + 1) * SQUARE, (bottom + 1) * SQUARE);
    for (size_t i = 0; i < profile->tiles; i++) {
        const struct profile_tile *tile = &profile->tile[i];
        if (amount(tile) > 0) {
            fprintf(file,
                    "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill-opacity=\"%.2f\">"
                    "<title>%u,%u: %" PRIu64 "</title></rect>",
                    tile->x * SQUARE, tile->y * SQUARE, SQUARE - 2, SQUARE - 2,
                    0.1 + 0.9 * (double)amount(tile) / (double)most, tile->x, tile->y,
                    amount(tile));
        }
    }
    fputs("</svg></td>\n", file);
}

static uint64_t amount_sent(const struct profile_tile *tile)
{
    return tile->bytes.sent + tile->bytes.asked;
}

static uint64_t amount_of_math(const struct profile_tile *tile)
{
    return tile->lane[PROFILE_FIRST_THREAD + 1].cycles.busy;
}

static void put_tiles(const struct profile *profile, FILE *file)
{
    fputs("<h2>Tiles</h2>\n<table><tr>\n", file);
    put_heat(profile, "Bytes that harts sent or asked for", amount_sent, file);
    put_heat(profile, "Instructions of math", amount_of_math, file);
    fputs("</tr></table>\n<p>Cycles in which each lane is busy.</p>\n"
          "<table><tr><th>tile</th><th>NoC bytes</th>",
          file);
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        const char *name = profile->lane_name[lane];
        if (name) {
            fputs("<th>", file);
            html_text(file, name);
            fputs("</th>", file);
        }
    }
    fputs("</tr>\n", file);
    for (size_t i = 0; i < profile->tiles && i < PAGE_TILES; i++) {
        const struct profile_tile *tile = &profile->tile[i];
        if (!profile_tile_is_active(tile)) {
            continue;
        }
        fprintf(file, "<tr><td>%u,%u</td><td class=\"n\">%" PRIu64 "</td>", tile->x, tile->y,
                amount_sent(tile));
        for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
            if (profile->lane_name[lane]) {
                fprintf(file, "<td class=\"n\">%" PRIu64 "</td>", tile->lane[lane].cycles.busy);
            }
        }
        fputs("</tr>\n", file);
    }
    fputs("</table>\n", file);
}

void profile_page(const struct profile *profile, FILE *file)
{
    char bound[512], lacks[256];
    const size_t tiles = profile_active_tiles(profile);
    profile_bound(profile, bound, sizeof bound);
    profile_lacks(profile, lacks, sizeof lacks);
    fputs(head, file);
    fprintf(file,
            "<h1>Penrose profile</h1>\n<p>%" PRIu64 " cycles (%" PRIu64 " to %" PRIu64
            "), %zu %s</p>\n<p>",
            profile->is_empty ? 0 : profile->last - profile->first + 1, profile->first,
            profile->last, tiles, tiles == 1 ? "tile" : "tiles");
    html_text(file, bound);
    fprintf(file, ".%s</p>\n", lacks);
    put_launches(profile, file);
    put_operations(profile, file);
    put_path(profile, file);
    put_lanes(profile, file);
    put_waves(profile, file);
    put_rows(profile, false, file);
    spots_page(profile, file);
    put_rows(profile, true, file);
    flame_page(profile, file);
    put_tiles(profile, file);
    links_page(&profile->links, profile->calls, file);
    fputs("</body></html>\n", file);
}
