/* See host_operations.h. A line that lacks what an operation needs is counted, and passed over. */
#include "observe/profile/host_operations.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/array.h"
#include "isa/plain_text.h"
#include "observe/sink.h"

enum { TEXT_BYTES = 4096 };

/* The string of that name, as it may be shown in a terminal. */
static const char *keep_string(struct names *names, const json_t *object, const char *name)
{
    const char *string = json_string_value(json_object_get(object, name));
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%s", string ? string : "");
    plain_text(text, strlen(text));
    return names_keep(names, text, strlen(text));
}

/* A number of 32 bits; false: it has none of that name. */
static bool read_field(const json_t *object, const char *name, uint32_t *number)
{
    const json_t *found = json_object_get(object, name);
    const json_int_t value = json_integer_value(found);
    *number = json_is_integer(found) && value >= 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
    return json_is_integer(found) && value == (json_int_t)*number;
}

/* "32x64", of a list of sides. */
static const char *keep_shape(struct names *names, const json_t *sides)
{
    char text[TEXT_BYTES] = "";
    struct sink sink = {.text = text, .size = sizeof text};
    for (size_t i = 0; i < json_array_size(sides); i++) {
        sink_put(&sink, "%s%" JSON_INTEGER_FORMAT, i ? "x" : "",
                 json_integer_value(json_array_get(sides, i)));
    }
    return names_keep(names, text, strlen(text));
}

/* The last sides of a shape. Outer ones are multiplied into the first; those that are not there are 1. */
static void take_sides(const json_t *sides, uint32_t side[HOST_SIDES])
{
    const size_t count = json_array_size(sides);
    for (size_t i = 0; i < HOST_SIDES && count > 0; i++) {
        side[i] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t from_last = count - 1 - i;
        const size_t at = from_last < HOST_SIDES ? HOST_SIDES - 1 - from_last : 0;
        side[at] *= (uint32_t)json_integer_value(json_array_get(sides, i));
    }
}

static struct host_tensor take_tensor(struct names *names, const json_t *object)
{
    const json_t *shape = json_object_get(object, "shape");
    const json_t *padded = json_object_get(object, "padded");
    struct host_tensor tensor = {.shape = keep_shape(names, shape),
                                 .type = keep_string(names, object, "type"),
                                 .memory = keep_string(names, object, "memory")};
    take_sides(shape, tensor.side);
    take_sides(padded ? padded : shape, tensor.padded);
    return tensor;
}

static const char *keep_shapes(struct names *names, const json_t *inputs)
{
    char text[TEXT_BYTES] = "";
    struct sink sink = {.text = text, .size = sizeof text};
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *shape = json_object_get(json_array_get(inputs, i), "shape");
        sink_put(&sink, "%s%s", i ? ", " : "", keep_shape(names, shape));
    }
    return names_keep(names, text, strlen(text));
}

/* False: it is none. */
static bool take_operation(struct names *names, const json_t *object,
                           struct host_operation *operation)
{
    const json_t *inputs = json_object_get(object, "inputs");
    const json_t *outputs = json_object_get(object, "outputs");
    uint32_t line;
    const bool has_numbers = read_field(object, "first", &operation->first) &&
                             read_field(object, "end", &operation->end);
    (void)read_field(object, "line", &line);
    operation->name = keep_string(names, object, "name");
    operation->file = keep_string(names, object, "file");
    operation->line = line;
    operation->shapes = keep_shapes(names, inputs);
    for (size_t i = 0; i < HOST_INPUTS; i++) {
        operation->tensor[i] = take_tensor(names, json_array_get(inputs, i));
    }
    operation->tensor[HOST_OUTPUT] = take_tensor(names, json_array_get(outputs, 0));
    return has_numbers && operation->first < operation->end && *operation->name;
}

/* False when memory runs out. */
static bool take_told(struct host_operations *list, struct names *names, const char *line,
                      size_t length, long process)
{
    json_t *object = json_loadb(line, length, 0, NULL);
    uint32_t by = 0;
    const bool is_of_process = read_field(object, "process", &by) && (long)by == process;
    bool has_room = true;
    struct host_operation operation;
    if (!object || !take_operation(names, object, &operation)) {
        list->unread++;
    } else if (is_of_process || process == 0) {
        has_room = array_grow(&list->entry, list->count, &list->room, sizeof *list->entry);
        if (has_room) {
            list->entry[list->count++] = operation;
        }
    }
    json_decref(object);
    return has_room;
}

bool host_operations_read(struct host_operations *list, struct names *names, const char *path,
                          long process)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    bool is_done = file != NULL;
    for (ssize_t length; is_done && (length = getline(&line, &room, file)) > 0;) {
        is_done = take_told(list, names, line, (size_t)length, process);
        errno = is_done ? errno : ENOMEM;
    }
    is_done = is_done && !ferror(file);
    free(line);
    if (file) {
        const int error = errno;
        fclose(file);
        errno = error;
    }
    return is_done;
}

void host_operations_free(struct host_operations *list)
{
    free(list->entry);
    *list = (struct host_operations){0};
}

const struct host_operation *host_operations_find(const struct host_operations *list,
                                                  uint32_t program)
{
    const struct host_operation *found = NULL;
    for (size_t i = list->count; i > 0 && !found; i--) {
        const struct host_operation *entry = &list->entry[i - 1];
        found = entry->first <= program && program < entry->end ? entry : NULL;
    }
    return found;
}
