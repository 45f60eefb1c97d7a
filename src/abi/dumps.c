/*
 * Dumps at events. Each is a folder of its own in PENROSE_DUMP_DIR, PID-NUMBER-EVENT, since several
 * processes may have the same environment, and a program may be at fault more than once. Where there
 * are several chips, -chipN follows.
 */
#include "abi/dumps.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <penrose/dump.h>

#include "abi/machine.h"
#include "host/environment.h"
#include "observe/dump/dump.h"
#include "observe/settings.h"

enum { MOST_DUMPS = 16 /* at faults and signals */ };

/* --- Wishes --- */

/* "1,2 3,4" */
static void take_tiles(struct device *device, const char *text)
{
    struct dumps *dumps = &device->dumps;
    struct penrose_place at;
    while (settings_next_tile(&at, &text)) {
        struct penrose_place *grown =
            realloc(dumps->tiles, (dumps->tiles_count + 1) * sizeof *grown);
        if (!grown) {
            break;
        }
        dumps->tiles = grown;
        dumps->tiles[dumps->tiles_count++] = at;
    }
    if (text[strspn(text, " ")] || !dumps->tiles) {
        device_complain(device, "PENROSE_DUMP_TILES", "it is no list of tiles such as '1,2 3,4'");
        free(dumps->tiles);
        dumps->tiles = NULL;
        dumps->tiles_count = 0;
    }
}

static void check_parts(struct device *device)
{
    struct penrose_error error;
    unsigned groups;
    if (dump_groups(host_variable("PENROSE_DUMP_PARTS"), &groups, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_DUMP_PARTS", error.text);
    }
}

void dumps_init(struct device *device)
{
    const char *events = host_variable("PENROSE_DUMP_ON");
    const char *tiles = host_variable("PENROSE_DUMP_TILES");
    struct penrose_error error;
    if (events && settings_dump_events(&device->dumps.events, events, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_DUMP_ON", error.text);
    }
    if (tiles) {
        take_tiles(device, tiles);
    }
    check_parts(device);
}

void dumps_free(struct dumps *dumps)
{
    free(dumps->tiles);
    *dumps = (struct dumps){.events = 0};
}

/* --- Making them --- */

/* A list that is wrong was complained about: then all parts are taken. */
static const char *wanted_parts(void)
{
    const char *parts = host_variable("PENROSE_DUMP_PARTS");
    unsigned groups;
    return dump_groups(parts, &groups, NULL) == PENROSE_OK ? parts : NULL;
}

void dumps_make(struct device *device, enum settings_dump_event event, const char *text)
{
    struct dumps *dumps = &device->dumps;
    const char *folder = host_variable("PENROSE_DUMP_DIR");
    struct penrose_error error;
    char path[PATH_MAX], of[16] = "";
    if (!dumps_wants(dumps, event) || (event != DUMP_AT_EXIT && dumps->made >= MOST_DUMPS)) {
        return;
    }
    folder = folder ? folder : "penrose-dumps";
    mkdir(folder, 0777); /* where that is not possible the next one says so */
    if (device->machine->devices > 1) {
        snprintf(of, sizeof of, "-chip%u", device->number);
    }
    snprintf(path, sizeof path, "%s/%ld-%u-%s%s", folder, (long)getpid(), ++dumps->made,
             settings_dump_event_name(event), of);
    const struct penrose_dump_options options = {.size = sizeof options,
                                                 .tiles = dumps->tiles,
                                                 .tiles_count = dumps->tiles_count,
                                                 .parts = wanted_parts(),
                                                 .reason = settings_dump_event_name(event),
                                                 .text = text,
                                                 .html = true};
    host_programs_know(device->programs);
    if (penrose_dump_write(device->chip, &options, path, &error) == PENROSE_OK) {
        report_note(device, "dump written to %s", path);
    } else {
        report(device, "PENROSE_DUMP_ON: %s", error.text);
    }
    host_programs_forget(device->programs);
}
