/* Members of a program description as all files that read one need them, see program_internal.h. */
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "loader/program_internal.h"

enum penrose_status program_refuse(const struct program_reader *reader, const char *key,
                                   const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(reader->error, PENROSE_E_FORMAT, "%s: %s: %s", reader->program->path, key,
                     text);
}

enum penrose_status program_no_memory(const struct program_reader *reader)
{
    return error_set(reader->error, PENROSE_E_MEMORY, "no memory to read %s",
                     reader->program->path);
}

static void list_keys(const char *const *known, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (; *known && length < size; known++) {
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", *known);
    }
}

enum penrose_status program_check_keys(const struct program_reader *reader, const char *key,
                                       const json_t *object, const char *const *known)
{
    if (!json_is_object(object)) {
        return program_refuse(reader, key, "an object in braces is expected");
    }
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
        const char *name = json_object_iter_key(at);
        char list[300];
        unsigned i = 0;
        while (known[i] && strcmp(known[i], name) != 0) {
            i++;
        }
        if (!known[i]) {
            list_keys(known, list, sizeof list);
            return program_refuse(reader, key, "there is no key \"%.40s\"; there are %s", name,
                                  list);
        }
    }
    return PENROSE_OK;
}

enum penrose_status program_string(const struct program_reader *reader, const char *key,
                                   const json_t *object, const char *member, char **text)
{
    const json_t *value = json_object_get(object, member);
    if (!value) {
        return PENROSE_OK;
    }
    if (!json_is_string(value) || !*json_string_value(value)) {
        return program_refuse(reader, key, "\"%s\" is a text in quotes", member);
    }
    *text = strdup(json_string_value(value));
    return *text ? PENROSE_OK : program_no_memory(reader);
}

enum penrose_status program_value(const struct program_reader *reader, const char *key,
                                  const json_t *value, char **text)
{
    char number[32];
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    } else if (!json_is_string(value)) {
        return program_refuse(reader, key, "an integer, or an expression in quotes, is expected");
    }
    *text = strdup(json_is_integer(value) ? number : json_string_value(value));
    return *text ? PENROSE_OK : program_no_memory(reader);
}

enum penrose_status program_constant(const struct program_reader *reader, const char *key,
                                     const json_t *object, const char *member, uint32_t *value)
{
    const json_t *given = json_object_get(object, member);
    struct loader_place place = {.program = reader->program};
    struct penrose_error reason;
    char *text = NULL, whole[LOADER_KEY];
    if (!given) {
        return PENROSE_OK;
    }
    snprintf(whole, sizeof whole, "%s.%s", key, member);
    enum penrose_status status = program_value(reader, whole, given, &text);
    if (status == PENROSE_OK && loader_expression(text, &place, value, &reason) != PENROSE_OK) {
        status = program_refuse(reader, whole, "'%.80s': %s", text, reason.text);
    }
    free(text);
    return status;
}

char *program_path(const struct program_reader *reader, const char *folder, const char *path)
{
    char *copy = strdup(reader->program->path), *whole = NULL;
    if (copy && *path == '/') {
        whole = strdup(path);
    } else if (copy && asprintf(&whole, "%s/%s", folder ? folder : dirname(copy), path) < 0) {
        whole = NULL;
    }
    free(copy);
    return whole;
}

/* --- Tiles --- */

/* "3" or "2-5", up to `count` - 1; *rest is behind it. */
static bool read_span(const char **rest, unsigned count, unsigned *first, unsigned *last)
{
    int length = 0;
    if (sscanf(*rest, "%2u%n", first, &length) != 1) {
        return false;
    }
    *rest += length;
    *last = *first;
    if (**rest == '-') {
        length = 0;
        if (sscanf(*rest, "-%2u%n", last, &length) != 1) {
            return false;
        }
        *rest += length;
    }
    return *first <= *last && *last < count;
}

static enum penrose_status add_range(const struct program_reader *reader, const char *key,
                                     const char *text, struct loader_tiles *tiles)
{
    const struct loader_program *program = reader->program;
    unsigned x0 = 0, x1 = program->columns - 1, y0 = 0, y1 = program->rows - 1;
    const char *rest = text;
    bool is_all = strcmp(text, "all") == 0;
    if (!is_all && (!read_span(&rest, program->columns, &x0, &x1) || *rest++ != ',' ||
                    !read_span(&rest, program->rows, &y0, &y1) || *rest)) {
        return program_refuse(reader, key,
                              "'%.40s' are no tiles of a grid of %ux%u; write \"COLUMN,ROW\", "
                              "\"0-%u,0-%u\" or \"all\"",
                              text, program->columns, program->rows, program->columns - 1,
                              program->rows - 1);
    }
    for (unsigned y = y0; y <= y1; y++) {
        for (unsigned x = x0; x <= x1; x++) {
            tiles->count += !loader_tiles_have(tiles, x, y);
            tiles->row[y] |= UINT64_C(1) << x;
        }
    }
    return PENROSE_OK;
}

enum penrose_status program_tiles(const struct program_reader *reader, const char *key,
                                  const json_t *object, struct loader_tiles *tiles)
{
    const json_t *given = json_object_get(object, "tiles");
    enum penrose_status status = PENROSE_OK;
    tiles->row = calloc(reader->program->rows, sizeof *tiles->row);
    if (!tiles->row) {
        return program_no_memory(reader);
    }
    if (!given || json_is_string(given)) {
        return add_range(reader, key, given ? json_string_value(given) : "all", tiles);
    }
    for (size_t i = 0; i < json_array_size(given) && status == PENROSE_OK; i++) {
        const char *text = json_string_value(json_array_get(given, i));
        status = add_range(reader, key, text ? text : "", tiles);
    }
    if (status == PENROSE_OK && !tiles->count) {
        return program_refuse(reader, key, "\"tiles\" is a range in quotes, or a list of such");
    }
    return status;
}

/* --- Places in L1 --- */

enum penrose_status program_address(const struct program_reader *reader, const char *key,
                                    const json_t *object, uint32_t alignment, uint64_t end,
                                    bool *is_placed, uint32_t *address)
{
    *is_placed = json_object_get(object, "address") != NULL;
    if (!*is_placed && reader->program->snapshot) {
        return program_refuse(reader, key,
                              "\"address\" is missing: a chip that begins as a snapshot has other "
                              "things in its memory");
    }
    enum penrose_status status = program_constant(reader, key, object, "address", address);
    if (status == PENROSE_OK && *is_placed && (*address >= end || *address % alignment)) {
        return program_refuse(reader, key, "\"address\" is a multiple of %u below 0x%llx, not 0x%x",
                              alignment, (unsigned long long)end, *address);
    }
    return status;
}

enum penrose_status program_take_l1(const struct program_reader *reader, const char *key,
                                    const json_t *object, uint64_t size, uint64_t *next,
                                    uint32_t *address)
{
    enum { ALIGNMENT = 64, LEAST_ALIGNMENT = 16 };
    const uint32_t l1_bytes = reader->program->facts->l1_bytes[PENROSE_TILE_TENSIX];
    bool is_placed;
    enum penrose_status status =
        program_address(reader, key, object, LEAST_ALIGNMENT, l1_bytes, &is_placed, address);
    if (status != PENROSE_OK) {
        return status;
    }
    if (is_placed && size > 0 && size <= l1_bytes - *address) {
        return PENROSE_OK;
    }
    if (is_placed) {
        return program_refuse(reader, key, "%llu bytes at 0x%x do not fit L1, which has 0x%x",
                              (unsigned long long)size, *address, l1_bytes);
    }
    if (size == 0 || size > l1_bytes || *next + size > l1_bytes) {
        return program_refuse(reader, key,
                              "%llu bytes do not fit L1 behind the buffers above, which end at "
                              "0x%llx of 0x%x",
                              (unsigned long long)size, (unsigned long long)*next, l1_bytes);
    }
    *address = (uint32_t)*next;
    *next = (*next + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return PENROSE_OK;
}
