/* Collecting differences, and choosing items to compare; see internal.h. */
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "observe/compare/internal.h"

const char *compare_tile_name(const struct compare_run *run)
{
    return run->tile_a ? run->tile_a->name : "";
}

/* Room for one more element of an array; false, and a note of it, without memory. */
static bool grow_result(struct compare_run *run, void **array, size_t count, size_t size)
{
    void *grown = run->result->ran_out ? NULL : realloc(*array, (count + 1) * size);
    run->result->ran_out |= !grown;
    *array = grown ? grown : *array;
    return grown;
}

struct compare_part *compare_add_part(struct compare_run *run, const char *name, const char *detail,
                                      const char *unit)
{
    struct comparison *result = run->result;
    void *parts = result->part;
    bool has_room = grow_result(run, &parts, result->parts, sizeof *result->part);
    result->part = parts;
    if (!has_room) {
        return NULL;
    }
    struct compare_part *part = &result->part[result->parts++];
    *part = (struct compare_part){.unit = unit, .worst_ulps = -1};
    if (run->tile_a) {
        part->x = run->tile_a->x;
        part->y = run->tile_a->y;
    }
    snprintf(part->tile, sizeof part->tile, "%s", compare_tile_name(run));
    snprintf(part->name, sizeof part->name, "%s", name);
    snprintf(part->detail, sizeof part->detail, "%s", detail);
    return part;
}

void compare_add_item(struct compare_run *run, struct compare_part *part,
                      const struct compare_item *item)
{
    part->different++;
    part->worst_ulps = item->ulps > part->worst_ulps ? item->ulps : part->worst_ulps;
    if (part->items >= run->options->most) {
        return;
    }
    void *items = part->item;
    if (grow_result(run, &items, part->items, sizeof *part->item)) {
        part->item = items;
        part->item[part->items++] = *item;
    }
}

static void add_text(struct compare_run *run, char (**text)[COMPARE_NOTE], size_t *count,
                     const char *format, va_list arguments)
{
    void *texts = *text;
    bool has_room = grow_result(run, &texts, *count, sizeof **text);
    *text = texts;
    if (has_room) {
        vsnprintf((*text)[(*count)++], COMPARE_NOTE, format, arguments);
    }
}

void compare_note(struct compare_run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_text(run, &run->result->note, &run->result->notes, format, arguments);
    va_end(arguments);
}

void compare_remark(struct compare_run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_text(run, &run->result->remark, &run->result->remarks, format, arguments);
    va_end(arguments);
}

/* --- Choosing --- */

/* "dst" of "dst[1,2]" and of "dst/NAME". */
static void part_of_item(const char *name, char part[COMPARE_NAME])
{
    size_t length = strcspn(name, "/[");
    length = length < COMPARE_NAME ? length : COMPARE_NAME - 1;
    memcpy(part, name, length);
    part[length] = 0;
}

/* fnmatch, but brackets stand for themselves, as they are in names of items. */
static bool matches_pattern(const char *pattern, const char *name)
{
    char escaped[2 * COMPARE_NAME];
    size_t length = 0;
    for (; *pattern && length < sizeof escaped - 2; pattern++) {
        if (*pattern == '[' || *pattern == ']' || *pattern == '\\') {
            escaped[length++] = '\\';
        }
        escaped[length++] = *pattern;
    }
    escaped[length] = 0;
    return fnmatch(escaped, name, 0) == 0;
}

static bool is_item_wanted_by(const struct compare_run *run, const char *pattern, const char *name)
{
    char part[COMPARE_NAME], full[2 * COMPARE_NAME], whole[2 * COMPARE_NAME];
    part_of_item(name, part);
    snprintf(full, sizeof full, "%s/%s", compare_tile_name(run), name);
    snprintf(whole, sizeof whole, "%s/%s", compare_tile_name(run), part);
    return matches_pattern(pattern, part) || matches_pattern(pattern, name) ||
           matches_pattern(pattern, whole) || matches_pattern(pattern, full) ||
           strcmp(pattern, compare_tile_name(run)) == 0;
}

static bool is_item_wanted(const struct compare_run *run, const char *name)
{
    for (size_t i = 0; i < run->options->onlys; i++) {
        if (is_item_wanted_by(run, run->options->only[i], name)) {
            return true;
        }
    }
    return !run->options->onlys;
}

/* A pattern without "/" or "[" stands for a whole part. */
bool compare_leaves_out(const struct compare_run *run, const char *name)
{
    char part[COMPARE_NAME];
    const json_t *pattern;
    size_t i;
    part_of_item(name, part);
    if (run->options->includes_volatile) {
        return false;
    }
    json_array_foreach(run->patterns, i, pattern)
    {
        const char *text = json_string_value(pattern);
        if (text && (matches_pattern(text, name) || matches_pattern(text, part))) {
            return true;
        }
    }
    return false;
}

enum compare_choice compare_choose(const struct compare_run *run, const char *name)
{
    return !is_item_wanted(run, name)      ? COMPARE_UNWANTED
           : compare_leaves_out(run, name) ? COMPARE_VOLATILE
                                           : COMPARE_TAKE;
}

bool compare_wants_part(const struct compare_run *run, const char *name)
{
    if (!run->options->onlys || is_item_wanted(run, name)) {
        return true;
    }
    for (size_t i = 0; i < run->options->onlys; i++) { /* an item of it? */
        const char *pattern = run->options->only[i];
        const char *tile = compare_tile_name(run);
        size_t length = strlen(tile);
        if (strncmp(pattern, tile, length) == 0 && pattern[length] == '/') {
            pattern += length + 1;
        } else if (pattern[0] == '*' && pattern[1] == '/') {
            pattern += 2;
        }
        char part[COMPARE_NAME];
        part_of_item(pattern, part);
        if (matches_pattern(part, name)) {
            return true;
        }
    }
    return false;
}

bool compare_is_whole(const struct compare_run *run, const char *name)
{
    const json_t *pattern;
    size_t i;
    json_array_foreach(run->patterns, i, pattern)
    {
        if (json_is_string(pattern) && strchr(json_string_value(pattern), '[')) {
            return false; /* of single elements */
        }
    }
    return is_item_wanted(run, name);
}

/* --- The end --- */

/* Why there was nothing to compare, in words. */
static const char *say_why_nothing(const struct compare_run *run)
{
    const struct comparison *result = run->result;
    return result->left_out ? "all that both have is volatile (--include-volatile compares it)"
           : run->a && !run->common_tiles ? "no tile is in both dumps"
           : run->options->onlys          ? "nothing that both have is named by --only"
                                          : "the dumps have no part in common";
}

enum penrose_status compare_finish(struct compare_run *run, enum penrose_status status)
{
    struct comparison *result = run->result;
    for (size_t i = 0; i < result->parts; i++) {
        result->compared += result->part[i].compared;
        result->different += result->part[i].different;
        result->tolerated += result->part[i].tolerated;
        result->left_out += result->part[i].left_out;
    }
    if (!status && result->ran_out) {
        return error_set(run->error, PENROSE_E_MEMORY, "no memory for the differences");
    }
    if (!status && !result->compared && !result->has_other_shape) {
        return error_set(run->error, PENROSE_E_ARGUMENT, "nothing was compared: %s",
                         say_why_nothing(run));
    }
    return status;
}

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->parts; i++) {
        free(comparison->part[i].item);
    }
    free(comparison->part);
    free(comparison->note);
    free(comparison->remark);
    *comparison = (struct comparison){0};
}

bool comparison_differs(const struct comparison *comparison)
{
    return comparison->different || comparison->has_other_shape;
}
