/* Running A and B again and watching who writes; see explain.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/inside.h"
#include "isa/error.h"
#include "observe/explain/internal.h"

static const struct writers_limit no_limit = {UINT64_MAX, UINT64_MAX};

struct explain *explain_create(const struct comparison *comparison, const struct explain_runs *runs)
{
    struct explain *explain = calloc(1, sizeof *explain);
    if (explain) {
        explain->comparison = comparison;
        explain->runs = *runs;
    }
    if (explain && !explain_collect_data(explain)) {
        explain_destroy(explain);
        explain = NULL;
    }
    return explain;
}

static void free_calls(struct explain_datum *datum)
{
    for (unsigned side = 0; side < EXPLAIN_SIDES; side++) {
        free(datum->by[side].all_calls);
    }
}

void explain_destroy(struct explain *explain)
{
    if (!explain) {
        return;
    }
    for (size_t i = 0; i < explain->data; i++) {
        free_calls(&explain->datum[i]);
    }
    free(explain->datum);
    for (struct explain_followed *followed; (followed = explain->followed);) {
        explain->followed = followed->next;
        free_calls(&followed->datum);
        free(followed);
    }
    free(explain);
}

/* --- The run under way --- */

/* The moment of the dump: events of a tile behind it do not count. */
static uint64_t cycle_of_dump(const struct explain *explain, struct penrose_place at)
{
    const struct dump_files *dump = explain->runs.dump[explain->watch.side];
    const struct dump_files_tile *entry = dump_tile_at(dump, at.x, at.y);
    const json_t *part = entry ? dump_tile_part(entry, "tile") : NULL;
    json_t *fields = NULL;
    uint64_t cycle = UINT64_MAX;
    if (part && dump_part_json(dump, part, &fields, NULL) == PENROSE_OK &&
        json_is_integer(json_object_get(fields, "cycle"))) {
        cycle = (uint64_t)json_integer_value(json_object_get(fields, "cycle"));
    }
    json_decref(fields);
    return cycle;
}

enum penrose_status explain_opened(struct explain *explain, struct penrose_chip *chip,
                                   struct penrose_error *error)
{
    struct explain_watch *watch = &explain->watch;
    struct writers_datum *data = calloc(watch->count + 1, sizeof *data);
    enum penrose_status status =
        data ? PENROSE_OK : error_set(error, PENROSE_E_MEMORY, "no memory to watch who writes");
    for (unsigned tile = 0; tile < explain->tiles && !status; tile++) {
        const struct penrose_place at = explain->tile[tile];
        const uint64_t end = cycle_of_dump(explain, at);
        struct writers_limit until = watch->until;
        until.cycle = until.cycle < end ? until.cycle : end;
        size_t count = 0;
        for (size_t i = 0; i < watch->count; i++) {
            if (watch->datum[i].tile == tile) {
                data[count++] = watch->datum[i].watched;
            }
        }
        if (count > 0) {
            status = inside(chip)->writers_start(chip, at.x, at.y, data, count, until,
                                                 &watch->writers[tile], error);
        }
    }
    free(data);
    return status;
}

static void locate_code(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc,
                        struct explain_code *code)
{
    penrose_locate(chip, x, y, pc, code->symbol, sizeof code->symbol, code->source,
                   sizeof code->source);
}

/* "FILE:LINE\n" of all calls of inlined code; NULL: none. */
static char *list_calls(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc)
{
    struct loader_call call[LOADER_MAX_CALLS];
    const unsigned calls = images_calls(&chip_head(chip)->images, x, y, pc, call);
    char *text = NULL;
    size_t size = 0;
    FILE *lines = calls ? open_memstream(&text, &size) : NULL;
    for (unsigned i = 0; i < calls && lines; i++) {
        fprintf(lines, "%s:%u\n", call[i].file, call[i].line);
    }
    if (lines && fclose(lines) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static void locate_writer(struct penrose_chip *chip, struct penrose_place at,
                          struct explain_writer *writer)
{
    const struct writers_record *record = &writer->record;
    const uint32_t pc = record->event.pc;
    if (pc) {
        locate_code(chip, record->x, record->y, pc, &writer->code);
        images_calls_text(&chip_head(chip)->images, record->x, record->y, pc, false, writer->calls,
                          sizeof writer->calls);
        free(writer->all_calls);
        writer->all_calls = list_calls(chip, record->x, record->y, pc);
    }
    if (record->later.is_there) {
        locate_code(chip, at.x, at.y, record->later.pc, &writer->later);
    }
    if (record->early.is_there) {
        locate_code(chip, at.x, at.y, record->early.pc, &writer->early);
    }
}

/* Does the state at the end differ from the dump that was made at the end? */
static bool ends_otherwise(const struct dump_files *dump, struct penrose_chip *chip)
{
    const json_t *reason = json_object_get(dump->manifest, "reason");
    const char *kind = json_string_value(json_object_get(reason, "kind"));
    const char *then = json_string_value(json_object_get(dump->manifest, "state_hash"));
    char now[17];
    snprintf(now, sizeof now, "%016" PRIx64, penrose_state_hash(chip));
    return kind && strcmp(kind, "exit") == 0 && then && strcmp(then, now) != 0;
}

void explain_ended(struct explain *explain, struct penrose_chip *chip)
{
    struct explain_watch *watch = &explain->watch;
    if (watch->is_to_end) {
        watch->ends_otherwise = ends_otherwise(explain->runs.dump[watch->side], chip);
    }
    if (explain->runs.programs) {
        program_files_place_all(explain->runs.programs, chip, chip);
    }
    for (unsigned tile = 0; tile < explain->tiles; tile++) {
        size_t index = 0;
        for (size_t i = 0; i < watch->count && watch->writers[tile]; i++) {
            struct explain_writer *writer = &watch->datum[i].by[watch->side];
            if (watch->datum[i].tile == tile) {
                writer->record = *inside(chip)->writers_record(watch->writers[tile], index++);
                locate_writer(chip, explain->tile[tile], writer);
            }
        }
        inside(chip)->writers_end(watch->writers[tile]);
        watch->writers[tile] = NULL;
    }
}

bool explain_run(struct explain *explain, enum explain_side side, struct explain_datum *data,
                 size_t count, struct writers_limit until)
{
    explain->watch =
        (struct explain_watch){.side = side, .datum = data, .count = count, .until = until};
    return explain->runs.run(explain->runs.context, side);
}

/* --- The first runs: of all differences --- */

static enum explain_ran run_to_end(struct explain *explain, enum explain_side side)
{
    const bool is_whole = !explain->runs.is_recording[side];
    explain->watch = (struct explain_watch){.side = side,
                                            .datum = explain->datum,
                                            .count = explain->data,
                                            .until = no_limit,
                                            .is_to_end = is_whole};
    if (!explain->runs.run(explain->runs.context, side)) {
        return EXPLAIN_CANNOT;
    }
    return explain->watch.ends_otherwise ? EXPLAIN_OTHERWISE : EXPLAIN_RAN;
}

enum explain_ran explain_run_a(struct explain *explain)
{
    return run_to_end(explain, EXPLAIN_A);
}

enum explain_ran explain_run_b(struct explain *explain)
{
    const enum explain_ran ran = run_to_end(explain, EXPLAIN_B);
    explain->runs_both = ran == EXPLAIN_RAN;
    for (size_t i = 0; i < explain->data && !explain->runs_both; i++) {
        struct explain_writer *writer = &explain->datum[i].by[EXPLAIN_B];
        free(writer->all_calls);
        *writer = (struct explain_writer){.all_calls = NULL};
    }
    return ran;
}
