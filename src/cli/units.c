/* See units.h. */
#include "cli/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/debug.h>

#include "cli/output.h"
#include "isa/json_text.h"

/* All instructions of a unit on all tiles, by thread, and which there were most of. */
struct unit_work {
    const char *unit, *most;
    uint64_t executed[PENROSE_TENSIX_THREADS], most_times;
    uint64_t waited; /* cycles that instructions for it stood at the gates */
};

enum { MOST_UNITS = 16 };

struct work {
    struct unit_work unit[MOST_UNITS];
    unsigned units;
};

enum cli_exit units_count(struct session *session)
{
    struct penrose_error error;
    return penrose_tensix_counting(session->chip, true, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(session->cli, "%s", error.text);
}

static struct unit_work *work_of(struct work *work, const char *unit)
{
    for (unsigned i = 0; i < work->units; i++) {
        if (strcmp(work->unit[i].unit, unit) == 0) {
            return &work->unit[i];
        }
    }
    work->units += work->units + 1 < MOST_UNITS;
    struct unit_work *added = &work->unit[work->units - 1];
    *added = (struct unit_work){.unit = unit};
    return added;
}

static uint64_t sum_of(const uint64_t executed[PENROSE_TENSIX_THREADS])
{
    return executed[0] + executed[1] + executed[2];
}

static int by_work(const void *a, const void *b)
{
    uint64_t x = sum_of(((const struct unit_work *)a)->executed);
    uint64_t y = sum_of(((const struct unit_work *)b)->executed);
    return (x < y) - (x > y);
}

static void sum_up(struct session *session, struct work *work)
{
    *work = (struct work){.units = 0};
    for (unsigned i = 0; i < session->options->tiles; i++) {
        struct penrose_place tile = session->options->tile[i];
        struct penrose_tensix_count count;
        for (size_t at = 0; penrose_tensix_count_get(session->chip, tile.x, tile.y, at, &count);
             at++) {
            struct unit_work *unit = work_of(work, count.unit);
            uint64_t times = sum_of(count.executed);
            for (unsigned thread = 0; thread < PENROSE_TENSIX_THREADS; thread++) {
                unit->executed[thread] += count.executed[thread];
                unit->waited += count.waited[thread];
            }
            if (times > unit->most_times) { /* on one tile */
                unit->most = count.mnemonic;
                unit->most_times = times;
            }
        }
    }
    qsort(work->unit, work->units, sizeof work->unit[0], by_work);
}

json_t *units_json(struct session *session)
{
    json_t *units = json_array();
    struct work work;
    sum_up(session, &work);
    for (unsigned i = 0; i < work.units; i++) {
        const struct unit_work *unit = &work.unit[i];
        json_t *object = json_object(), *threads = json_array();
        for (unsigned thread = 0; thread < PENROSE_TENSIX_THREADS; thread++) {
            json_array_append_new(threads, json_integer((json_int_t)unit->executed[thread]));
        }
        json_object_set_new(object, "unit", json_text(unit->unit));
        json_object_set_new(object, "executed", threads);
        json_object_set_new(object, "most", json_text(unit->most ? unit->most : ""));
        json_object_set_new(object, "waited", json_integer((json_int_t)unit->waited));
        json_array_append_new(units, object);
    }
    return units;
}

void units_print(struct session *session, uint64_t cycles)
{
    double tile_cycles = (double)cycles * session->options->tiles;
    struct work work;
    sum_up(session, &work);
    printf("  %-9s %14s %14s %14s %9s  %s\n", "unit", "from trisc0", "from trisc1", "from trisc2",
           "waiting", "instructions per cycle and tile, most of them");
    for (unsigned i = 0; i < work.units; i++) {
        const struct unit_work *unit = &work.unit[i];
        printf("  %-9s %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %9.4f  %.4f %s\n", unit->unit,
               unit->executed[0], unit->executed[1], unit->executed[2],
               tile_cycles > 0 ? (double)unit->waited / tile_cycles : 0,
               tile_cycles > 0 ? (double)sum_of(unit->executed) / tile_cycles : 0,
               unit->most ? unit->most : "");
    }
}
