/*
 * Compares Dst as a debugger reads it from a card with Dst as it is.
 *
 * tt-exalens prints numbers of 16 bits with the columns of each pair exchanged (DEVIATIONS.md), and
 * integers by rules of its own; a later version may not. The debug array shows the old data of rows
 * that ZEROACC has cleared; other ways show zeros. The numbers do not tell how they were read. So
 * those of a card or another simulator are read in the way in which they differ least, and a remark
 * says which way that is. A member `columns` of the part says that its columns and integers are as
 * they should be.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loader/tensor.h"
#include "observe/compare/internal.h"
#include "observe/dump/dst_numbers.h"

enum {
    COLUMNS = DUMP_DST_COLUMNS,
    LOWER_HALF = 8 /* SPEC: WormholeB0 Dst: the rows with the lower halves of 32 bits */
};

/* --- Ways of reading --- */

static int64_t value_from_pattern(int64_t value)
{
    return value < 0 ? -(value & INT32_MAX) : value;
}

static int64_t value_from_low_byte(int64_t value)
{
    return value < 0 ? -(value + 128) : value;
}

static const struct dst_reading {
    const char *words;
    bool exchanges; /* the columns of each pair */
    int64_t (*integer)(int64_t value);
} readings[] = {
    {"as it is", false, NULL},
    {"with the columns of each pair exchanged, as tt-exalens prints 16-bit numbers", true, NULL},
    {"with integers as sign and magnitude that were printed as two's complement", false,
     value_from_pattern},
    {"with integers of 8 bits as tt-exalens prints their sign and magnitude", false,
     value_from_low_byte},
};

enum { READINGS = sizeof readings / sizeof readings[0] };

static bool dst_has_integers(const struct loader_npy *array)
{
    return array->kind == LOADER_NPY_SIGNED || array->kind == LOADER_NPY_UNSIGNED;
}

static void read_elements(const struct dst_reading *reading, const struct loader_npy *from,
                          uint8_t *to)
{
    const size_t count = (size_t)from->rows * from->columns, size = from->size;
    for (size_t i = 0; i < count; i++) {
        memcpy(to + i * size, from->data + (i ^ reading->exchanges) * size, size);
        if (reading->integer) {
            int64_t value = 0; /* arrays of integers were widened to this */
            memcpy(&value, to + i * size, size);
            value = reading->integer(value);
            memcpy(to + i * size, &value, size);
        }
    }
}

/* --- Rows that were cleared --- */

/* Dst of one side as a debugger may have read it. */
struct dst_pair {
    struct loader_npy *own, *foreign;
    size_t rows; /* that both have */
    struct loader_npy
        kept;      /* rows of `own` with what they held before they were cleared; or empty */
    bool *cleared; /* of each of them; NULL: not known */
};

/* NaNs are all the same, as for the comparison itself. */
static bool is_same_element(const struct dst_pair *pair, const uint8_t *a, const uint8_t *b)
{
    float x = 0, y = 0;
    if (pair->own->kind == LOADER_NPY_FLOAT && pair->own->size == sizeof x) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
    }
    return memcmp(a, b, pair->own->size) == 0 || (isnan(x) && isnan(y));
}

/* The number of elements of a row that differ. */
static size_t count_different(const struct dst_pair *pair, const struct loader_npy *own,
                              const uint8_t *foreign, size_t row)
{
    size_t size = pair->own->size, count = 0;
    for (size_t i = row * COLUMNS; i < (row + 1) * COLUMNS; i++) {
        count += !is_same_element(pair, own->data + i * size, foreign + i * size);
    }
    return count;
}

/* Counts this in a row that may have been cleared. *is_kept: the row is nearer to its old data. */
static size_t count_in_row(const struct dst_pair *pair, const uint8_t *foreign, size_t row,
                           bool *is_kept)
{
    size_t count = count_different(pair, pair->own, foreign, row);
    *is_kept = false;
    if (count && pair->cleared && pair->cleared[row]) {
        size_t kept = count_different(pair, &pair->kept, foreign, row);
        *is_kept = kept < count;
        count = *is_kept ? kept : count;
    }
    return count;
}

static size_t count_in_rows(const struct dst_pair *pair, const uint8_t *foreign)
{
    size_t count = 0;
    bool is_kept;
    for (size_t row = 0; row < pair->rows; row++) {
        count += count_in_row(pair, foreign, row, &is_kept);
    }
    return count;
}

static bool is_dst_part(const struct loader_npy *array, size_t rows, size_t columns, size_t size)
{
    return array->dimensions == (columns ? 2U : 1U) && array->shape[0] == rows &&
           (!columns || array->shape[1] == columns) && array->size == size;
}

/* What rows held before they were cleared, as numbers of the part's format. */
static void decode_kept_rows(struct dst_pair *pair, const struct loader_npy *stored,
                             const struct loader_npy *cleared, enum num_format format)
{
    const size_t all = stored->shape[0], rows = pair->own->shape[0];
    const bool is_32bit = rows * 2 == all;
    const uint16_t *bits = (const uint16_t *)(const void *)stored->data;
    uint32_t *whole = calloc(rows * COLUMNS, sizeof *whole);
    pair->cleared = calloc(rows, sizeof *pair->cleared);
    for (size_t i = 0; whole && pair->cleared && i < rows * COLUMNS; i++) {
        size_t row = i / COLUMNS, physical = is_32bit ? (row & ~(size_t)7) * 2 + row % 8 : row;
        pair->cleared[row] = cleared->data[physical];
        if (is_32bit) {
            whole[i] = (uint32_t)bits[physical * COLUMNS + i % COLUMNS] << 16 |
                       bits[(physical + LOWER_HALF) * COLUMNS + i % COLUMNS];
        }
    }
    if (!whole || !pair->cleared ||
        !dump_decode_dst(format, is_32bit ? NULL : bits, whole, (uint32_t)rows, &pair->kept) ||
        !compare_widen(&pair->kept) || pair->kept.size != pair->own->size) {
        free(pair->cleared);
        pair->cleared = NULL;
    }
    free(whole);
}

/* Takes from the own dump which rows were cleared, if it says so and the other does not. */
static void find_cleared_rows(const struct dump_files *dump, const struct dump_files_tile *tile,
                              enum num_format format, struct dst_pair *pair)
{
    const json_t *bits = dump_tile_part(tile, "dst_stored"),
                 *flags = dump_tile_part(tile, "dst_cleared");
    struct loader_npy stored = {0}, cleared = {0};
    const size_t rows = pair->own->shape[0];
    if (bits && flags && dump_part_is_array(bits) && dump_part_is_array(flags) &&
        !dump_part_array(dump, bits, &stored, NULL) &&
        !dump_part_array(dump, flags, &cleared, NULL) && stored.dimensions == 2) {
        const size_t all = stored.shape[0];
        if (is_dst_part(&stored, all, COLUMNS, 2) && is_dst_part(&cleared, all, 0, 1) &&
            (rows == all || (rows * 2 == all && rows % LOWER_HALF == 0))) {
            decode_kept_rows(pair, &stored, &cleared, format);
        }
    }
    loader_npy_free(&stored);
    loader_npy_free(&cleared);
}

/* --- The whole --- */

static bool is_foreign(const struct dump_files *dump)
{
    const char *source = dump_text(dump, "source");
    return strcmp(source, "card") == 0 || strcmp(source, "simulator") == 0;
}

/* Takes the foreign array in the way in which it differs least. One that leaves more than half of the
 * differences is no better than chance. */
static void choose_reading(struct compare_run *run, struct dst_pair *pair, const char *side)
{
    const size_t bytes = (size_t)pair->foreign->rows * pair->foreign->columns * pair->foreign->size;
    const size_t as_it_is = count_in_rows(pair, pair->foreign->data);
    size_t least = as_it_is / 2 + 1;
    const struct dst_reading *best = &readings[0];
    uint8_t *read = malloc(bytes);
    for (unsigned i = 1; read && i < READINGS && as_it_is; i++) {
        if (!readings[i].integer || dst_has_integers(pair->foreign)) {
            read_elements(&readings[i], pair->foreign, read);
            size_t count = count_in_rows(pair, read);
            best = count < least ? &readings[i] : best;
            least = count < least ? count : least;
        }
    }
    if (best != &readings[0]) {
        read_elements(best, pair->foreign, read);
        memcpy(pair->foreign->data, read, bytes);
        compare_remark(run, "%s/dst of %s is taken %s: %zu numbers differ then, %zu as it is",
                       compare_tile_name(run), side, best->words, least, as_it_is);
    }
    free(read);
}

/* Takes cleared rows with what they held where the foreign dump shows that. */
static void choose_cleared_rows(struct compare_run *run, struct dst_pair *pair, const char *side)
{
    const size_t bytes = COLUMNS * (size_t)pair->own->size;
    size_t kept = 0;
    bool is_kept;
    for (size_t row = 0; row < pair->rows; row++) {
        (void)count_in_row(pair, pair->foreign->data, row, &is_kept);
        if (is_kept) {
            memcpy(pair->own->data + row * bytes, pair->kept.data + row * bytes, bytes);
            kept++;
        }
    }
    if (kept) {
        compare_remark(run,
                       "%s/dst of %s shows %zu rows that ZEROACC had cleared with what they held "
                       "before: so they are compared",
                       compare_tile_name(run), side, kept);
    }
}

void compare_read_dst(struct compare_run *run, const json_t *a, const json_t *b,
                      struct loader_npy *x, struct loader_npy *y, const enum num_format *format)
{
    const bool is_foreign_a = is_foreign(run->a), is_foreign_b = is_foreign(run->b);
    struct dst_pair pair = {.own = is_foreign_a ? y : x, .foreign = is_foreign_a ? x : y};
    if (!compare_widen(x) || !compare_widen(y)) {
        run->result->ran_out = true;
        return;
    }
    const bool is_alike = x->dimensions == 2 && y->dimensions == 2 && x->shape[1] == COLUMNS &&
                          y->shape[1] == COLUMNS && x->kind == y->kind && x->size == y->size;
    if (is_foreign_a == is_foreign_b || !is_alike) {
        return;
    }
    pair.rows = x->shape[0] < y->shape[0] ? x->shape[0] : y->shape[0];
    if (format) {
        find_cleared_rows(is_foreign_a ? run->b : run->a, is_foreign_a ? run->tile_b : run->tile_a,
                          *format, &pair);
    }
    if (!json_object_get(is_foreign_a ? a : b, "columns")) {
        choose_reading(run, &pair, is_foreign_a ? "A" : "B");
    }
    choose_cleared_rows(run, &pair, is_foreign_a ? "A" : "B");
    free(pair.cleared);
    loader_npy_free(&pair.kept);
}
