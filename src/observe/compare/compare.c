/* Comparing two dumps part by part, and two files; see compare.h. */
#include "observe/compare/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "isa/json_text.h"
#include "loader/elf_internal.h"
#include "loader/tensor.h"
#include "observe/compare/internal.h"

/* --- What is known of parts --- */

/* Parts in the order in which data flow, so that the first difference that is told is likely to be a
 * cause of the later ones. Others follow in the order of the manifest. `instead` is a part that says
 * the same; this one is compared only where that one cannot be. */
static const struct part_rule {
    const char *name, *instead;
    struct compare_form form;
} part_rules[] = {
    {"config", NULL, {0}},
    {"config_words", "config", {.is_bits = true}},
    {"thread_config_words", "config", {.is_bits = true}},
    {"gpr", NULL, {.is_bits = true, .is_word = true}},
    {"tensix", NULL, {0}},
    {"gates", NULL, {0}},
    {"srca", NULL, {0}},
    {"srca_bits", "srca", {.is_bits = true}},
    {"srcb", NULL, {0}},
    {"srcb_bits", "srcb", {.is_bits = true}},
    {"dst", NULL, {0}},
    {"dst_bits32", "dst", {.is_bits = true}},
    {"dst_bits16", "dst", {.is_bits = true}},
    {"dst_stored", "dst_bits16", {.is_bits = true}},
    {"dst_cleared", NULL, {.is_bits = true}},
    {"lregs_bits", NULL, {.is_word = true, .has_float_bits = true}},
    {"lregs", "lregs_bits", {0}},
    {"circular_buffers", NULL, {0}},
};

enum { MOST_BUFFERS = 64, PART_RULES = sizeof part_rules / sizeof part_rules[0] };

/* These come last, when it is known what of the memory was compared as numbers. */
static bool is_memory_part(const char *name)
{
    return strcmp(name, "l1") == 0 || strncmp(name, "local_", 6) == 0 ||
           strncmp(name, "gddr_", 5) == 0;
}

static const struct part_rule *find_rule(const char *name)
{
    for (unsigned i = 0; i < PART_RULES; i++) {
        if (strcmp(part_rules[i].name, name) == 0) {
            return &part_rules[i];
        }
    }
    return NULL;
}

/* "cb12", or "cb12_bytes" */
static bool is_buffer_part(const char *name, bool *is_bytes, unsigned *number)
{
    char rest[COMPARE_DETAIL] = "";
    *is_bytes = false;
    if (sscanf(name, "cb_%3u%60s", number, rest) < 1) {
        return false;
    }
    *is_bytes = strcmp(rest, "_bytes") == 0;
    return *is_bytes || !*rest;
}

/* --- Formats --- */

static bool find_format(const json_t *name, enum num_format *format)
{
    struct loader_tensor_form form;
    const char *text = json_string_value(name);
    if (!text || !loader_tensor_format(text, &form)) {
        return false;
    }
    *format = form.format;
    return true;
}

/* What numbers a part has: one format, or one of each bank. */
static const json_t *formats_of(const json_t *part)
{
    const json_t *format = json_object_get(part, "num_format");
    return format ? format : json_object_get(part, "num_formats");
}

/* Whether both sides have numbers of one format, so that equal bits are equal numbers. If a tool
 * printed numbers without their format, as tt-exalens does, it is taken to be that of the other
 * side. */
static bool has_equal_formats(const json_t *a, const json_t *b)
{
    const json_t *x = formats_of(a), *y = formats_of(b);
    return !x || !y || json_equal(x, y);
}

/* Can a part be compared, so that others need not be? */
static bool is_comparable(const struct compare_run *run, const char *name)
{
    const json_t *a = dump_tile_part(run->tile_a, name);
    const json_t *b = dump_tile_part(run->tile_b, name);
    return a && b && dump_part_is_array(a) == dump_part_is_array(b) && has_equal_formats(a, b) &&
           compare_wants_part(run, name);
}

static bool is_said_elsewhere(const struct compare_run *run, const char *name)
{
    const struct part_rule *rule = find_rule(name);
    unsigned number;
    bool is_bytes;
    char numbers[COMPARE_DETAIL];
    if (rule) {
        return rule->instead && is_comparable(run, rule->instead);
    }
    if (!is_buffer_part(name, &is_bytes, &number)) {
        return false;
    }
    if (run->options->buffers_as_memory && dump_tile_part(run->tile_a, "l1") &&
        dump_tile_part(run->tile_b, "l1")) {
        return true;
    }
    snprintf(numbers, sizeof numbers, "cb_%u", number);
    return is_bytes && (is_comparable(run, numbers) || is_comparable(run, "l1"));
}

/* --- Circular buffers --- */

/* The entry of a buffer in a tile's circular_buffers.json; a new reference, or NULL. */
static json_t *buffer_entry(const struct dump_files *dump, const struct dump_files_tile *tile,
                            unsigned number)
{
    const json_t *part = dump_tile_part(tile, "circular_buffers");
    json_t *list = NULL, *found = NULL, *entry;
    size_t i;
    if (!part || dump_part_json(dump, part, &list, NULL)) {
        return NULL;
    }
    json_array_foreach(list, i, entry)
    {
        const json_t *id = json_object_get(entry, "id");
        if (json_is_integer(id) && json_integer_value(id) == (json_int_t)number) {
            found = json_incref(entry);
        }
    }
    json_decref(list);
    return found;
}

static bool is_equal_member(const json_t *a, const json_t *b, const char *member)
{
    const json_t *x = json_object_get(a, member);
    return json_is_integer(x) && json_equal(x, json_object_get(b, member));
}

/* Finds out in which format a buffer's numbers are, and that they stand for its memory. */
static void take_buffer(struct compare_run *run, unsigned number, const json_t *part,
                        struct compare_form *form, enum num_format *format)
{
    json_t *a = buffer_entry(run->a, run->tile_a, number);
    json_t *b = buffer_entry(run->b, run->tile_b, number);
    if (find_format(json_object_get(part, "num_format"), format) ||
        find_format(json_object_get(a, "format"), format)) {
        form->format = format;
    }
    if (is_equal_member(a, b, "address") && is_equal_member(a, b, "pages") &&
        is_equal_member(a, b, "page_size")) {
        uint64_t pages = (uint64_t)json_integer_value(json_object_get(a, "pages"));
        uint64_t size = (uint64_t)json_integer_value(json_object_get(a, "page_size"));
        uint64_t start = (uint64_t)json_integer_value(json_object_get(a, "address"));
        if (pages <= UINT32_MAX && size <= UINT32_MAX) {
            compare_cover(run, start, pages * size);
        }
    }
    json_decref(a);
    json_decref(b);
}

/* --- A part --- */

static struct compare_form form_of_part(struct compare_run *run, const char *name,
                                        const json_t *part, enum num_format *format)
{
    const struct part_rule *rule = find_rule(name);
    struct compare_form form = rule ? rule->form : (struct compare_form){.is_bits = true};
    const json_t *formats = json_object_get(part, "num_formats");
    unsigned number;
    bool is_bytes;
    if (rule && !form.is_bits && !form.has_float_bits &&
        (find_format(json_object_get(part, "num_format"), format) ||
         (json_equal(json_array_get(formats, 0), json_array_get(formats, 1)) &&
          find_format(json_array_get(formats, 0), format)))) {
        form.format = format;
    } else if (is_buffer_part(name, &is_bytes, &number) && !is_bytes) {
        form.is_bits = false;
        take_buffer(run, number, part, &form, format);
    }
    return form;
}

static enum penrose_status compare_array_parts(struct compare_run *run, const char *name,
                                               const json_t *a, const json_t *b)
{
    struct loader_npy x = {0}, y = {0};
    enum num_format format;
    enum penrose_status status = dump_part_array(run->a, a, &x, run->error);
    status = status ? status : dump_part_array(run->b, b, &y, run->error);
    if (!status && is_memory_part(name) && x.size == 1 && y.size == 1) {
        status = compare_memory(run, name, &x, &y);
    } else if (!status) {
        struct compare_form form = form_of_part(run, name, formats_of(a) ? a : b, &format);
        if (strcmp(name, "dst") == 0) {
            compare_read_dst(run, a, b, &x, &y, form.format);
        }
        status = compare_arrays(run, name, &x, &y, form);
    }
    loader_npy_free(&x);
    loader_npy_free(&y);
    return status;
}

static enum penrose_status compare_json_parts(struct compare_run *run, const char *name,
                                              const json_t *a, const json_t *b)
{
    json_t *x = NULL, *y = NULL;
    enum penrose_status status = dump_part_json(run->a, a, &x, run->error);
    status = status ? status : dump_part_json(run->b, b, &y, run->error);
    status = status ? status : compare_fields(run, name, x, y);
    json_decref(x);
    json_decref(y);
    return status;
}

static void note_formats(struct compare_run *run, const char *name, const json_t *a,
                         const json_t *b)
{
    char *x = json_dumps(formats_of(a), JSON_ENCODE_ANY),
         *y = json_dumps(formats_of(b), JSON_ENCODE_ANY);
    compare_note(run,
                 "%s/%s is in the format %s in A and %s in B: the bits are compared, if both have "
                 "them",
                 compare_tile_name(run), name, x ? x : "unknown", y ? y : "unknown");
    free(x);
    free(y);
}

/* Is the memory wanted for a buffer or a region in it? */
static bool is_wanted_for_content(const struct compare_run *run, const char *name)
{
    bool is_wanted = false;
    for (size_t i = 0; i < run->options->regions; i++) {
        char region[COMPARE_DETAIL];
        snprintf(region, sizeof region, "l1_0x%" PRIx64, run->options->region[i].address);
        is_wanted |= strcmp(name, "l1") == 0 && compare_wants_part(run, region);
    }
    for (unsigned i = 0; i < MOST_BUFFERS && run->options->buffers_as_memory; i++) {
        char buffer[COMPARE_DETAIL];
        snprintf(buffer, sizeof buffer, "cb_%u", i);
        is_wanted |= strcmp(name, "l1") == 0 && compare_wants_part(run, buffer);
    }
    return is_wanted;
}

/* The tiles under way have the part in at least one of the dumps. */
static enum penrose_status compare_part_of_tile(struct compare_run *run, const char *name)
{
    const json_t *a = dump_tile_part(run->tile_a, name);
    const json_t *b = dump_tile_part(run->tile_b, name);
    if ((!compare_wants_part(run, name) && !is_wanted_for_content(run, name)) ||
        is_said_elsewhere(run, name)) {
        return PENROSE_OK;
    }
    if (!a || !b) {
        const char *why = dump_tile_missing(a ? run->tile_b : run->tile_a, name);
        compare_note(run, "only %s has %s/%s%s%.100s", a ? "A" : "B", compare_tile_name(run), name,
                     why ? ": " : "", why ? why : "");
        return PENROSE_OK;
    }
    if (!has_equal_formats(a, b)) {
        note_formats(run, name, a, b);
        return PENROSE_OK;
    }
    if (dump_part_is_array(a) != dump_part_is_array(b)) {
        compare_note(run, "%s/%s is an array in one dump and JSON in the other: not compared",
                     compare_tile_name(run), name);
        return PENROSE_OK;
    }
    return dump_part_is_array(a) ? compare_array_parts(run, name, a, b)
                                 : compare_json_parts(run, name, a, b);
}

/* --- Tiles --- */

/* Names of parts, in the order of comparing; a new array. */
static json_t *order_parts(const struct compare_run *run)
{
    json_t *list = json_array(), *memory = json_array();
    json_t *all = json_object(), *part;
    const char *name;
    for (unsigned i = 0; i < PART_RULES; i++) {
        if (json_object_get(run->tile_a->parts, part_rules[i].name) ||
            json_object_get(run->tile_b->parts, part_rules[i].name)) {
            json_array_append_new(list, json_text(part_rules[i].name));
        }
    }
    json_object_update(all, run->tile_a->parts);
    json_object_update_missing(all, run->tile_b->parts);
    json_object_foreach(all, name, part)
    {
        if (!find_rule(name)) {
            json_array_append_new(is_memory_part(name) ? memory : list, json_text(name));
        }
    }
    json_array_extend(list, memory);
    json_decref(memory);
    json_decref(all);
    return list;
}

static bool has_part(const struct dump_files_tile *tile, const char *name)
{
    return dump_tile_part(tile, name);
}

static enum penrose_status compare_tiles(struct compare_run *run)
{
    json_t *names = order_parts(run), *name;
    enum penrose_status status = PENROSE_OK;
    size_t i;
    run->ranges = 0;
    run->result->ran_out |= !names;
    json_array_foreach(names, i, name)
    {
        const char *text = json_string_value(name);
        if (!status && (has_part(run->tile_a, text) || has_part(run->tile_b, text))) {
            status = compare_part_of_tile(run, text);
        }
    }
    json_decref(names);
    return status;
}

static void note_lone_tiles(struct compare_run *run, const struct dump_files *dump,
                            const struct dump_files *other, const char *side)
{
    for (size_t i = 0; i < dump->tiles; i++) {
        const struct dump_files_tile *tile = &dump->tile[i];
        if (!dump_tile_at(other, tile->x, tile->y)) {
            compare_note(run, "only %s has tile %u,%u", side, tile->x, tile->y);
        }
    }
}

/* The lists of both dumps, added together. */
static json_t *volatile_patterns(const struct compare_run *run)
{
    json_t *list = json_array();
    json_array_extend(list, json_object_get(run->a->manifest, "volatile"));
    json_array_extend(list, json_object_get(run->b->manifest, "volatile"));
    return list;
}

static enum penrose_status check_chips(const struct compare_run *run)
{
    const char *a = dump_text(run->a, "chip"), *b = dump_text(run->b, "chip");
    char label_a[64], label_b[64];
    if (*a && *b && strcmp(a, b) != 0) {
        return error_set(run->error, PENROSE_E_ARGUMENT,
                         "A is a dump of a %s, B of a %s: only dumps of one chip are compared",
                         loader_quote(label_a, sizeof label_a, a),
                         loader_quote(label_b, sizeof label_b, b));
    }
    return PENROSE_OK;
}

enum penrose_status compare_dumps(const struct dump_files *a, const struct dump_files *b,
                                  const struct compare_options *options,
                                  struct comparison *comparison, struct penrose_error *error)
{
    *comparison = (struct comparison){0};
    struct compare_run run = {
        .options = options, .result = comparison, .a = a, .b = b, .error = error};
    enum penrose_status status = check_chips(&run);
    if (status) {
        return status;
    }
    run.patterns = volatile_patterns(&run);
    note_lone_tiles(&run, a, b, "A");
    note_lone_tiles(&run, b, a, "B");
    for (size_t i = 0; i < a->tiles && !status; i++) {
        run.tile_a = &a->tile[i];
        run.tile_b = dump_tile_at(b, run.tile_a->x, run.tile_a->y);
        run.common_tiles += run.tile_b != NULL;
        status = run.tile_b ? compare_tiles(&run) : PENROSE_OK;
    }
    json_decref(run.patterns);
    return compare_finish(&run, status);
}

/* --- Files --- */

static bool is_npy_file(const struct loader_npy *image)
{
    static const uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    return image->columns > sizeof magic && memcmp(image->data, magic, sizeof magic) == 0;
}

/* The bytes of a file as an array of them. */
static enum penrose_status read_image(const char *path, struct loader_npy *image,
                                      struct penrose_error *error)
{
    size_t size = 0;
    *image = (struct loader_npy){.kind = LOADER_NPY_UNSIGNED, .size = 1, .rows = 1};
    loader_quote(image->name, sizeof image->name, path);
    enum penrose_status status = loader_file_read(path, image->name,
                                                  "a dump, a .npy file or an "
                                                  "image of memory",
                                                  &image->data, &size, error);
    image->columns = (uint32_t)size;
    if (!status && !size) {
        free(image->data);
        image->data = NULL;
        return error_set(error, PENROSE_E_FORMAT, "%s: the file is empty", image->name);
    }
    return status;
}

static enum penrose_status compare_npy_files(struct compare_run *run, const struct loader_npy *a,
                                             const struct loader_npy *b, const char *path_a,
                                             const char *path_b)
{
    struct loader_npy x = {0}, y = {0};
    struct compare_form form = {.format = run->options->format};
    enum penrose_status status = loader_npy_parse(a->data, a->columns, path_a, &x, run->error);
    status = status ? status : loader_npy_parse(b->data, b->columns, path_b, &y, run->error);
    status = status ? status : compare_arrays(run, "array", &x, &y, form);
    loader_npy_free(&x);
    loader_npy_free(&y);
    return status;
}

enum penrose_status compare_files(const char *a, const char *b,
                                  const struct compare_options *options,
                                  struct comparison *comparison, struct penrose_error *error)
{
    *comparison = (struct comparison){0};
    struct compare_run run = {.options = options, .result = comparison, .error = error};
    struct loader_npy x = {0}, y = {0};
    enum penrose_status status = read_image(a, &x, error);
    status = status ? status : read_image(b, &y, error);
    if (!status && is_npy_file(&x) != is_npy_file(&y)) {
        status =
            error_set(error, PENROSE_E_ARGUMENT, "%s is a .npy file, %s is not: nothing to compare",
                      is_npy_file(&x) ? x.name : y.name, is_npy_file(&x) ? y.name : x.name);
    } else if (!status && is_npy_file(&x)) {
        status = compare_npy_files(&run, &x, &y, a, b);
    } else if (!status) {
        status = compare_memory(&run, "memory", &x, &y);
    }
    loader_npy_free(&x);
    loader_npy_free(&y);
    return compare_finish(&run, status);
}
