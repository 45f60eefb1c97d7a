/* Comparing JSON: names of one level, to which deeper values are flattened. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "isa/error.h"
#include "observe/compare/internal.h"

enum { DEEPEST = 8 };

/* The name of an element of an array: its id if it has one. */
static void name_element(char *name, size_t size, const char *prefix, size_t index,
                         const json_t *element)
{
    const json_t *id = json_object_get(element, "id");
    if (json_is_integer(id)) {
        snprintf(name, size, "%s%scb%" JSON_INTEGER_FORMAT, prefix, *prefix ? "." : "",
                 json_integer_value(id));
    } else {
        snprintf(name, size, "%s%s%zu", prefix, *prefix ? "." : "", index);
    }
}

/* Adds `value` and what is in it to `flat`, with names "a.b.c". */
static void flatten_json(json_t *flat, const char *prefix, json_t *value, unsigned depth)
{
    char name[COMPARE_NAME];
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(value) && depth < DEEPEST) {
        json_object_foreach(value, key, member)
        {
            snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
            flatten_json(flat, name, member, depth + 1);
        }
    } else if (json_is_array(value) && depth < DEEPEST) {
        json_array_foreach(value, i, member)
        {
            name_element(name, sizeof name, prefix, i, member);
            flatten_json(flat, name, member, depth + 1);
        }
    } else {
        json_object_set(flat, prefix, value);
    }
}

static void format_json(const json_t *value, char text[COMPARE_VALUE])
{
    if (json_is_string(value)) {
        snprintf(text, COMPARE_VALUE, "%s", json_string_value(value));
    } else if (json_is_integer(value)) {
        json_int_t number = json_integer_value(value);
        snprintf(text, COMPARE_VALUE,
                 number > 9 ? "%" JSON_INTEGER_FORMAT " (0x%llx)" : "%" JSON_INTEGER_FORMAT, number,
                 (unsigned long long)number);
    } else if (json_is_real(value)) {
        snprintf(text, COMPARE_VALUE, "%.17g", json_real_value(value));
    } else {
        snprintf(text, COMPARE_VALUE, "%s",
                 json_is_true(value)    ? "true"
                 : json_is_false(value) ? "false"
                                        : "null");
    }
}

/* Members that only one side has. */
static unsigned count_lacking(const json_t *a, const json_t *b, char first[COMPARE_NAME])
{
    unsigned count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)a, key, value)
    {
        if (!json_object_get(b, key) && !count++) {
            snprintf(first, COMPARE_NAME, "%s", key);
        }
    }
    return count;
}

static void note_lacking(struct compare_run *run, const char *name, const json_t *a,
                         const json_t *b, const char *side)
{
    char first[COMPARE_NAME];
    unsigned count = count_lacking(a, b, first);
    if (count > 1) {
        compare_note(run, "only %s has %s/%s/%.60s and %u more of this part", side,
                     compare_tile_name(run), name, first, count - 1);
    } else if (count) {
        compare_note(run, "only %s has %s/%s/%.60s", side, compare_tile_name(run), name, first);
    }
}

/* Numbers that are too wide for JSON are strings: "0x00ff" is "0xff". */
static const char *digits_of_wide(const json_t *value)
{
    const char *text = json_string_value(value);
    return text && strncmp(text, "0x", 2) == 0 ? text + 2 + strspn(text + 2, "0") : NULL;
}

static bool is_equal_field(const json_t *a, const json_t *b)
{
    const char *x = digits_of_wide(a), *y = digits_of_wide(b);
    return x && y ? strcasecmp(x, y) == 0 : json_equal(a, b);
}

static void compare_field(struct compare_run *run, struct compare_part *part, const char *name,
                          const json_t *a, const json_t *b)
{
    char item_name[2 * COMPARE_NAME];
    snprintf(item_name, sizeof item_name, "%s/%s", part->name, name);
    switch (compare_choose(run, item_name)) {
    case COMPARE_UNWANTED:
        return;
    case COMPARE_VOLATILE:
        part->left_out++;
        return;
    case COMPARE_TAKE:
        part->compared++;
        break;
    }
    if (!is_equal_field(a, b)) {
        struct compare_item item = {.ulps = -1};
        snprintf(item.name, sizeof item.name, "%s/%.140s", part->tile, item_name);
        format_json(a, item.a);
        format_json(b, item.b);
        compare_add_item(run, part, &item);
    }
}

enum penrose_status compare_fields(struct compare_run *run, const char *name, const json_t *a,
                                   const json_t *b)
{
    struct compare_part *part = compare_add_part(run, name, "", "fields");
    json_t *x = json_object(), *y = json_object();
    if (part && x && y) {
        const char *key;
        json_t *value;
        flatten_json(x, "", (json_t *)(uintptr_t)a, 0);
        flatten_json(y, "", (json_t *)(uintptr_t)b, 0);
        json_object_foreach(x, key, value)
        {
            if (json_object_get(y, key)) {
                compare_field(run, part, key, value, json_object_get(y, key));
            }
        }
        note_lacking(run, name, x, y, "A");
        note_lacking(run, name, y, x, "B");
    }
    run->result->ran_out |= !x || !y;
    json_decref(x);
    json_decref(y);
    return PENROSE_OK;
}
