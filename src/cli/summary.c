/* See summary.h; libttsim(3) describes the lines. */
#include "cli/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "arch/arch.h"
#include "cli/output.h"

static uint64_t count_of(const json_t *object, const char *name)
{
    json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 ? (uint64_t)value : 0;
}

/* Keeps the busiest, in order. */
static void add_tile(struct summary *summary, const char *name, uint64_t instructions)
{
    struct summary_tile tile = {.instructions = instructions};
    snprintf(tile.name, sizeof tile.name, "%s", name);
    unsigned at = summary->tiles;
    while (at > 0 && summary->tile[at - 1].instructions < instructions) {
        if (at < SUMMARY_TILES) {
            summary->tile[at] = summary->tile[at - 1];
        }
        at--;
    }
    if (at < SUMMARY_TILES) {
        summary->tile[at] = tile;
        summary->tiles += summary->tiles < SUMMARY_TILES;
    }
}

static void add_line(struct summary *summary, const json_t *line)
{
    const json_t *tile;
    size_t i;
    summary->devices++;
    summary->cycles += count_of(line, "cycles");
    summary->faults += count_of(line, "faults");
    summary->hangs += count_of(line, "hangs");
    summary->warnings += count_of(line, "warnings");
    summary->incomplete += count_of(line, "incomplete");
    summary->is_functional |= !json_is_true(json_object_get(line, "timed"));
    summary->polls += count_of(line, "polls");
    summary->seconds += json_number_value(json_object_get(line, "seconds"));
    json_array_foreach(json_object_get(line, "tiles"), i, tile)
    {
        const char *name = json_string_value(json_object_get(tile, "tile"));
        uint64_t instructions = count_of(tile, "instructions");
        if (name && instructions) {
            add_tile(summary, name, instructions);
        }
    }
}

bool summary_read(const char *path, long start, struct summary *summary)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    *summary = (struct summary){0};
    if (!file && errno == ENOENT) {
        return true; /* no device has added a line */
    }
    if (!file || fseek(file, start, SEEK_SET) != 0) {
        if (file) {
            fclose(file);
        }
        return false;
    }
    while (getline(&text, &size, file) >= 0) {
        json_t *line = json_loads(text, 0, NULL);
        if (json_is_object(line)) {
            add_line(summary, line);
        }
        json_decref(line);
    }
    free(text);
    fclose(file);
    return true;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void summary_print(const struct summary *summary, double seconds)
{
    const double clock_mhz = arch.clock_mhz; /* no other chip has a library yet */
    char time[64] = "";
    if (!summary->devices) {
        note("the command ran for %.2f s; it used no device of Penrose, or closed none", seconds);
        return;
    }
    if (!summary->is_functional) {
        snprintf(time, sizeof time, " (%.3f ms at %.2f GHz)",
                 (double)summary->cycles / clock_mhz * 1e-3, clock_mhz * 1e-3);
    }
    note("%u device%s, %" PRIu64 " cycles%s, %.2f s of %.2f s in the library, %" PRIu64
         " poll%s, %" PRIu64 " fault%s, %" PRIu64 " hang%s, %" PRIu64 " warning%s",
         summary->devices, plural(summary->devices), summary->cycles, time, summary->seconds,
         seconds, summary->polls, plural(summary->polls), summary->faults, plural(summary->faults),
         summary->hangs, plural(summary->hangs), summary->warnings, plural(summary->warnings));
    if (summary->tiles) {
        fputs("  busiest tiles, instructions:", stderr);
        for (unsigned i = 0; i < summary->tiles; i++) {
            fprintf(stderr, "%s %s %" PRIu64, i ? "," : "", summary->tile[i].name,
                    summary->tile[i].instructions);
        }
        fputc('\n', stderr);
    }
}
