/* The parts of a tile in a dump, of any chip; see parts.h. */
#include "observe/dump/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "isa/json_text.h"

static const char *const group_names[DUMP_GROUPS] = {
#define DUMP_GROUP(token, name) [DUMP_##token##_NUMBER] = (name),
#include "observe/dump/groups.def"
};

/* --- Groups --- */

static bool find_group(const char *name, size_t length, unsigned *group)
{
    for (unsigned i = 0; i < DUMP_GROUPS; i++) {
        if (strlen(group_names[i]) == length && strncmp(group_names[i], name, length) == 0) {
            *group = i;
            return true;
        }
    }
    return false;
}

enum penrose_status dump_groups(const char *names, unsigned *groups, struct penrose_error *error)
{
    *groups = names ? 0 : DUMP_ALL;
    while (names && *names) {
        size_t length = strcspn(names, ",");
        unsigned group;
        if (!find_group(names, length, &group)) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "'%.*s' is no part of a dump; they are tile, harts, memory, tensix, "
                             "config, dst, src, lregs, cb, noc, streams and gddr",
                             (int)length, names);
        }
        *groups |= 1u << group;
        names += length + (names[length] == ',');
    }
    return PENROSE_OK;
}

/* --- Parts --- */

void dump_put(json_t *object, uint64_t value, const char *format, ...)
{
    char name[96];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static struct dump_part *add_part(struct dump_scene *scene, const char *name)
{
    struct dump_tile *tile = scene->to;
    struct dump_part *grown = realloc(tile->part, (tile->parts + 1) * sizeof *grown);
    if (!grown) {
        tile->failed = true;
        return NULL;
    }
    tile->part = grown;
    struct dump_part *part = &grown[tile->parts++];
    *part = (struct dump_part){.about = json_object()};
    snprintf(part->name, sizeof part->name, "%s", name);
    tile->failed |= !part->about;
    return part;
}

json_t *dump_add_json(struct dump_scene *scene, const char *name, json_t *json)
{
    struct dump_part *part = json ? add_part(scene, name) : NULL;
    if (!part) {
        scene->to->failed = true;
        json_decref(json);
        return NULL;
    }
    part->json = json;
    return part->about;
}

json_t *dump_add_made(struct dump_scene *scene, const char *name, struct loader_npy *array,
                      const uint32_t shape[DUMP_DIMENSIONS])
{
    struct dump_part *part = array->data ? add_part(scene, name) : NULL;
    if (!part) {
        scene->to->failed = true;
        loader_npy_free(array);
        return NULL;
    }
    part->array = *array;
    memcpy(part->shape, shape, sizeof part->shape);
    while (part->dimensions < DUMP_DIMENSIONS && shape[part->dimensions]) {
        part->dimensions++;
    }
    return part->about;
}

json_t *dump_add_array(struct dump_scene *scene, const char *name, enum loader_npy_kind kind,
                       unsigned size, const uint32_t shape[DUMP_DIMENSIONS], const void *data)
{
    uint32_t count = shape[0] * (shape[1] ? shape[1] : 1) * (shape[2] ? shape[2] : 1);
    struct loader_npy array = {0};
    if (loader_npy_make(&array, kind, size, 1, count)) {
        memcpy(array.data, data, (size_t)count * size);
    }
    return dump_add_made(scene, name, &array, shape);
}

const struct dump_part *dump_find(const struct dump_tile *tile, const char *name)
{
    for (unsigned i = 0; i < tile->parts; i++) {
        if (strcmp(tile->part[i].name, name) == 0) {
            return &tile->part[i];
        }
    }
    return NULL;
}

/* IEEE's binary16. */
static double number_of_half(uint16_t half)
{
    int exponent = half >> 10 & 0x1f;
    double fraction = half & 0x3ff;
    double magnitude = exponent == 0x1f ? (fraction != 0 ? NAN : INFINITY)
                       : exponent > 0   ? ldexp(fraction + 0x400, exponent - 25)
                                        : ldexp(fraction, -24);
    return half >> 15 ? -magnitude : magnitude;
}

static double number_of_float(const uint8_t *bytes, unsigned size)
{
    uint16_t half;
    float single;
    double number;
    switch (size) {
    case sizeof half:
        memcpy(&half, bytes, sizeof half);
        return number_of_half(half);
    case sizeof single:
        memcpy(&single, bytes, sizeof single);
        return (double)single;
    default:
        memcpy(&number, bytes, sizeof number);
        return number;
    }
}

double dump_number(const struct loader_npy *array, size_t index)
{
    const uint8_t *at = array->data + index * array->size;
    int64_t whole = 0;
    if (array->kind == LOADER_NPY_FLOAT) {
        return number_of_float(at, array->size);
    }
    memcpy(&whole, at, array->size);
    if (array->kind == LOADER_NPY_SIGNED && array->size < sizeof whole) {
        unsigned shift = 64 - 8 * array->size;
        whole = (int64_t)((uint64_t)whole << shift) >> shift;
    }
    return array->kind == LOADER_NPY_UNSIGNED ? (double)(uint64_t)whole : (double)whole;
}

void dump_tile_free(struct dump_tile *tile)
{
    for (unsigned i = 0; i < tile->parts; i++) {
        json_decref(tile->part[i].about);
        json_decref(tile->part[i].json);
        loader_npy_free(&tile->part[i].array);
    }
    free(tile->part);
    json_decref(tile->about);
    *tile = (struct dump_tile){0};
}

/* --- Faults --- */

json_t *dump_fault_calls(const struct penrose_fault *fault)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < PENROSE_INLINED && *fault->inlined_at[i]; i++) {
        json_array_append_new(list, json_text(fault->inlined_at[i]));
    }
    return list;
}
