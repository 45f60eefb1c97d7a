/* Comparing arrays element by element. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "isa/word_text.h"
#include "num/fp16.h"
#include "observe/compare/internal.h"

/* Two arrays under way. */
struct array_pair {
    const struct loader_npy *a, *b;
    struct compare_form form;
    struct compare_scale scale;
    size_t count;
};

/* --- Elements --- */

static uint64_t raw_element(const struct loader_npy *array, size_t index)
{
    uint64_t value = 0;
    memcpy(&value, array->data + index * array->size, array->size);
    return value;
}

static int64_t signed_element(const struct loader_npy *array, size_t index)
{
    unsigned unused = 64 - 8 * array->size;
    return (int64_t)(raw_element(array, index) << unused) >> unused;
}

static double half_number(uint16_t pattern)
{
    int exponent = pattern >> 10 & 0x1f;
    double magnitude = exponent == 31 ? (pattern & 0x3ff ? NAN : INFINITY)
                       : exponent     ? ldexp(1024 + (pattern & 0x3ff), exponent - 25)
                                      : ldexp(pattern & 0x3ff, -24);
    return pattern & 0x8000 ? -magnitude : magnitude;
}

static double float_number(uint32_t pattern)
{
    float number;
    memcpy(&number, &pattern, sizeof number);
    return (double)number;
}

static double element_number(const struct array_pair *pair, const struct loader_npy *array,
                             size_t index)
{
    uint64_t raw = raw_element(array, index);
    double number;
    switch (array->kind) {
    case LOADER_NPY_SIGNED:
        return (double)signed_element(array, index);
    case LOADER_NPY_FLOAT:
        if (array->size == 2) {
            return half_number((uint16_t)raw);
        }
        if (array->size == 4) {
            return float_number((uint32_t)raw);
        }
        memcpy(&number, &raw, sizeof number);
        return number;
    default:
        return pair->form.has_float_bits ? float_number((uint32_t)raw) : (double)raw;
    }
}

static void format_element(const struct array_pair *pair, const struct loader_npy *array,
                           size_t index, char text[COMPARE_VALUE])
{
    uint64_t raw = raw_element(array, index);
    double number = element_number(pair, array, index);
    int digits = (int)(2 * array->size);
    if (pair->form.is_word && array->size == sizeof(uint32_t)) {
        word_text((uint32_t)raw, text);
    } else if (array->kind == LOADER_NPY_FLOAT) {
        bool has_payload = isnan(number);
        int precision = array->size == 8 ? 17 : 9;
        if (has_payload) {
            snprintf(text, COMPARE_VALUE, "nan (0x%0*llx)", digits, (unsigned long long)raw);
        } else {
            snprintf(text, COMPARE_VALUE, "%.*g", precision, number);
        }
    } else if (array->kind == LOADER_NPY_SIGNED) {
        snprintf(text, COMPARE_VALUE, "%lld", (long long)signed_element(array, index));
    } else if (array->kind == LOADER_NPY_BOOL) {
        snprintf(text, COMPARE_VALUE, "%s", raw ? "true" : "false");
    } else if (pair->form.is_bits) {
        snprintf(text, COMPARE_VALUE, "0x%0*llx", digits, (unsigned long long)raw);
    } else {
        snprintf(text, COMPARE_VALUE, "%llu", (unsigned long long)raw);
    }
}

/* "dst[12,3]" */
static void name_of_element(const struct loader_npy *array, const char *part, size_t index,
                            char *text, size_t size)
{
    size_t place[LOADER_NPY_MAX_DIMENSIONS] = {0};
    for (unsigned i = array->dimensions; i-- > 0;) {
        place[i] = index % array->shape[i];
        index /= array->shape[i];
    }
    size_t length = (size_t)snprintf(text, size, "%s[", part);
    for (unsigned i = 0; i < array->dimensions && length < size; i++) {
        length += (size_t)snprintf(text + length, size - length, "%s%zu", i ? "," : "", place[i]);
    }
    if (length < size) {
        snprintf(text + length, size - length, "]");
    }
}

/* --- Distances --- */

/* The greatest exponent of the block that an element lies in; blocks are 16 elements of a row. */
static int block_exponent_at(const struct array_pair *pair, size_t index)
{
    size_t columns = pair->a->columns, row = index / columns * columns;
    size_t start = row + (index - row) / NUM_BLOCK_DATUMS * NUM_BLOCK_DATUMS;
    size_t end =
        start + NUM_BLOCK_DATUMS < row + columns ? start + NUM_BLOCK_DATUMS : row + columns;
    double number[2 * NUM_BLOCK_DATUMS];
    unsigned count = 0;
    for (size_t i = start; i < end; i++) {
        number[count++] = element_number(pair, pair->a, i);
        number[count++] = element_number(pair, pair->b, i);
    }
    return compare_exponent(number, count);
}

static double element_ulps(const struct array_pair *pair, size_t index)
{
    if (pair->form.is_bits) {
        return -1;
    }
    if (pair->a->kind == LOADER_NPY_SIGNED) {
        int64_t a = signed_element(pair->a, index), b = signed_element(pair->b, index);
        return (double)(a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b);
    }
    if (pair->a->kind != LOADER_NPY_FLOAT && !pair->form.has_float_bits) {
        uint64_t a = raw_element(pair->a, index), b = raw_element(pair->b, index);
        return (double)(a < b ? b - a : a - b);
    }
    int block = pair->scale.is_block ? block_exponent_at(pair, index) : 0;
    return compare_ulps(pair->scale, element_number(pair, pair->a, index),
                        element_number(pair, pair->b, index), block);
}

static bool is_near_element(const struct compare_run *run, const struct array_pair *pair,
                            size_t index, double ulps)
{
    if (pair->form.is_bits) {
        return false;
    }
    double a = element_number(pair, pair->a, index), b = element_number(pair, pair->b, index);
    if (pair->a->kind != LOADER_NPY_FLOAT && !pair->form.has_float_bits && a == b) {
        b += b > 0 ? -ulps : ulps; /* integers that one double stands for */
    }
    if (pair->form.has_float_bits && isnan(a)) {
        return false; /* two patterns: what lies there need not be a number at all */
    }
    return compare_is_near(&run->options->tolerance, a, b, ulps);
}

static void compare_element(struct compare_run *run, struct compare_part *part,
                            const struct array_pair *pair, size_t index)
{
    struct compare_item item = {.index = index};
    char name[COMPARE_NAME];
    item.ulps = element_ulps(pair, index);
    if (is_near_element(run, pair, index, item.ulps)) {
        part->tolerated +=
            pair->a->kind != LOADER_NPY_FLOAT || !isnan(element_number(pair, pair->a, index));
        return;
    }
    name_of_element(pair->a, part->name, index, name, sizeof name);
    snprintf(item.name, sizeof item.name, "%s%s%.140s", part->tile, *part->tile ? "/" : "", name);
    format_element(pair, pair->a, index, item.a);
    format_element(pair, pair->b, index, item.b);
    compare_add_item(run, part, &item);
}

/* --- The whole --- */

bool compare_widen(struct loader_npy *array)
{
    const size_t count = (size_t)array->rows * array->columns;
    int64_t *wide = NULL;
    if ((array->kind != LOADER_NPY_SIGNED && array->kind != LOADER_NPY_UNSIGNED) ||
        array->size == sizeof *wide) {
        return true;
    }
    wide = malloc(count * sizeof *wide);
    for (size_t i = 0; wide && i < count; i++) {
        wide[i] = array->kind == LOADER_NPY_SIGNED ? signed_element(array, i)
                                                   : (int64_t)raw_element(array, i);
    }
    if (wide) {
        free(array->data);
        array->data = (uint8_t *)wide;
        array->kind = LOADER_NPY_SIGNED;
        array->size = sizeof *wide;
    }
    return wide;
}

static void format_dimensions(const struct loader_npy *array, char text[COMPARE_DETAIL])
{
    char type[4];
    size_t length = (size_t)snprintf(text, COMPARE_DETAIL, "%s [",
                                     loader_npy_type(array->kind, array->size, type));
    for (unsigned i = 0; i < array->dimensions && length < COMPARE_DETAIL; i++) {
        length += (size_t)snprintf(text + length, COMPARE_DETAIL - length, "%s%u", i ? ", " : "",
                                   array->shape[i]);
    }
    if (length < COMPARE_DETAIL) {
        snprintf(text + length, COMPARE_DETAIL - length, "]");
    }
}

/* Whether two arrays differ at most in their first dimension. */
static bool has_alike_rows(const struct loader_npy *a, const struct loader_npy *b)
{
    return a->kind == b->kind && a->size == b->size && a->dimensions == b->dimensions &&
           a->dimensions > 0 &&
           memcmp(a->shape + 1, b->shape + 1, (a->dimensions - 1) * sizeof a->shape[0]) == 0;
}

static bool is_alike(const struct loader_npy *a, const struct loader_npy *b)
{
    bool is_scalar = a->dimensions == 0 && b->dimensions == 0;
    return (is_scalar && a->kind == b->kind && a->size == b->size) ||
           (has_alike_rows(a, b) && a->shape[0] == b->shape[0]);
}

/* How many elements are compared: of parts of dumps those that both have, as a card may show fewer
 * rows. False: none can be. */
static bool find_common_elements(struct compare_run *run, const char *name,
                                 const struct loader_npy *a, const struct loader_npy *b,
                                 size_t *count)
{
    size_t count_a = (size_t)a->rows * a->columns, count_b = (size_t)b->rows * b->columns;
    *count = count_a < count_b ? count_a : count_b;
    if (is_alike(a, b)) {
        return true;
    }
    if (!run->tile_a || a->dimensions < 2 || !has_alike_rows(a, b)) {
        return false;
    }
    compare_note(run, "%s/%s: only %s has rows %u to %u", compare_tile_name(run), name,
                 count_a > count_b ? "A" : "B", count_a > count_b ? b->shape[0] : a->shape[0],
                 (count_a > count_b ? a->shape[0] : b->shape[0]) - 1);
    return true;
}

static struct compare_scale scale_of_array(const struct loader_npy *array,
                                           const struct compare_form *form)
{
    if (form->format) {
        return compare_scale_of(*form->format);
    }
    return array->size == 8   ? compare_scale_double()
           : array->size == 2 ? compare_scale_of(NUM_FORMAT_FLOAT16)
                              : compare_scale_of(NUM_FORMAT_FLOAT32);
}

enum penrose_status compare_arrays(struct compare_run *run, const char *name,
                                   const struct loader_npy *a, const struct loader_npy *b,
                                   struct compare_form form)
{
    size_t count;
    if (!find_common_elements(run, name, a, b, &count)) {
        char text_a[COMPARE_DETAIL], text_b[COMPARE_DETAIL];
        format_dimensions(a, text_a);
        format_dimensions(b, text_b);
        compare_note(run, "%s%s%s has another type or shape: %s in A, %s in B",
                     compare_tile_name(run), run->tile_a ? "/" : "", name, text_a, text_b);
        run->result->has_other_shape = true;
        return PENROSE_OK;
    }
    const char *detail = form.format ? num_format_info(*form.format)->name : "";
    struct compare_part *part =
        compare_add_part(run, name, detail, form.is_bits ? "elements" : "numbers");
    struct array_pair pair = {
        .a = a, .b = b, .form = form, .scale = scale_of_array(a, &form), .count = count};
    bool is_whole = compare_is_whole(run, name);
    enum compare_choice choice = compare_choose(run, name);
    for (size_t i = 0; part && i < pair.count; i++) {
        if (!is_whole) {
            char element[COMPARE_NAME];
            name_of_element(a, name, i, element, sizeof element);
            choice = compare_choose(run, element);
        }
        part->compared += choice == COMPARE_TAKE;
        part->left_out += choice == COMPARE_VOLATILE;
        if (choice == COMPARE_TAKE &&
            memcmp(a->data + i * a->size, b->data + i * a->size, a->size) != 0) {
            compare_element(run, part, &pair, i);
        }
    }
    return PENROSE_OK;
}
