/* Comparing measurements of time; see perf.h. */
#include "observe/compare/perf.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "loader/elf_internal.h"

enum { MOST_COLUMNS = 512, LONGEST_KEY = 2048, LABEL = 128 };

/* --- Rows of a CSV file --- */

struct csv {
    char label[LABEL];
    char *text; /* of the file, with a NUL; fields are cut out of it in place */
    char *at;   /* the next row */
    unsigned line;
    char *field[MOST_COLUMNS];
    unsigned fields;
};

/* Cuts off a field that begins with a quote: "" in it is a quote. Returns its end. */
static char *cut_quoted(char *at)
{
    char *to = at++;
    while (*at && (*at != '"' || at[1] == '"')) {
        at += *at == '"';
        *to++ = *at++;
    }
    at += *at == '"';
    *to = 0;
    return at;
}

/* Reads a row into csv->field, without spaces at the beginning of a field; false at the end. Empty
 * lines are passed over. */
static bool next_row(struct csv *csv)
{
    while (*csv->at == '\n' || *csv->at == '\r') {
        csv->line += *csv->at++ == '\n';
    }
    char *at = csv->at;
    csv->fields = 0;
    bool has_more = *at;
    csv->line++;
    while (has_more) {
        at += strspn(at, " \t");
        char *start = at;
        at = *at == '"' ? cut_quoted(at) : at;
        at += strcspn(at, ",\r\n");
        has_more = *at == ',';
        char *end = at;
        at += *at != 0;
        *end = 0;
        if (csv->fields < MOST_COLUMNS) {
            csv->field[csv->fields++] = start;
        }
    }
    csv->at = at;
    return csv->fields;
}

static enum penrose_status open_csv(const char *path, struct csv *csv, struct penrose_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    *csv = (struct csv){0};
    loader_quote(csv->label, sizeof csv->label, path);
    enum penrose_status status =
        loader_file_read(path, csv->label, "a CSV file", &bytes, &size, error);
    if (!status) {
        csv->text = malloc(size + 1);
        status =
            csv->text ? PENROSE_OK : error_set(error, PENROSE_E_MEMORY, "no memory for %s", path);
    }
    if (!status) {
        memcpy(csv->text, bytes, size);
        csv->text[size] = 0;
        csv->at = csv->text;
    }
    free(bytes);
    return status;
}

/* --- Points --- */

struct perf_sample {
    char *name;
    double value;
};

struct perf_table {
    struct csv csv;
    struct perf_sample *sample;
    size_t count, room;
};

static enum penrose_status add_sample(struct perf_table *table, const char *name, double value,
                                      struct penrose_error *error)
{
    if (table->count == table->room) {
        size_t room = table->room ? 2 * table->room : 256;
        struct perf_sample *grown = realloc(table->sample, room * sizeof *grown);
        if (!grown) {
            return error_set(error, PENROSE_E_MEMORY, "no memory for the points of %s",
                             table->csv.label);
        }
        table->sample = grown;
        table->room = room;
    }
    struct perf_sample sample = {strdup(name), value};
    if (!sample.name) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for the points of %s",
                         table->csv.label);
    }
    table->sample[table->count++] = sample;
    return PENROSE_OK;
}

static bool take_cycles(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    end += strspn(end, " \t");
    return end != text && !*end && isfinite(*value);
}

static int compare_samples(const void *a, const void *b)
{
    const struct perf_sample *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->value > y->value) - (x->value < y->value);
}

/* Sorts points, and makes one of those with one name: the median. */
static void reduce_samples(struct perf_table *table)
{
    size_t points = 0;
    if (table->count) {
        qsort(table->sample, table->count, sizeof *table->sample, compare_samples);
    }
    for (size_t i = 0, end; i < table->count; i = end) {
        for (end = i + 1;
             end < table->count && strcmp(table->sample[end].name, table->sample[i].name) == 0;
             end++) {
        }
        double low = table->sample[(i + end - 1) / 2].value,
               high = table->sample[(i + end) / 2].value;
        struct perf_sample point = {table->sample[i].name, (low + high) / 2};
        for (size_t k = i + 1; k < end; k++) {
            free(table->sample[k].name);
        }
        table->sample[points++] = point;
    }
    table->count = points;
}

/* --- LLK: marker x run type --- */

static bool is_mean(const char *column)
{
    size_t length = strlen(column);
    return strncmp(column, "mean(", 5) == 0 && length > 6 && column[length - 1] == ')';
}

/* What belongs to a point's name: neither times nor sizes of code. */
static bool is_parameter(const char *column)
{
    return strcmp(column, "marker") != 0 && !is_mean(column) && strncmp(column, "std(", 4) != 0 &&
           strncmp(column, "TEXT_SIZE(", 10) != 0;
}

/* Numbers are spelled in one way: pandas writes 64.0 where a column lacks values. */
static void append_parameter(char key[LONGEST_KEY], const char *column, const char *value)
{
    size_t length = strlen(key), digits = strlen(value);
    double number;
    if (digits > 2 && strcmp(value + digits - 2, ".0") == 0 && take_cycles(value, &number)) {
        digits -= 2;
    }
    snprintf(key + length, LONGEST_KEY - length, " %s=%.*s", column, (int)digits, value);
}

static enum penrose_status add_llk_row(struct perf_table *table, char *const *column,
                                       unsigned columns, struct penrose_error *error)
{
    const struct csv *csv = &table->csv;
    char key[LONGEST_KEY] = "", name[LONGEST_KEY + 256];
    const char *marker = "";
    if (csv->fields != columns) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: line %u has %u columns, the first line %u: cut off?", csv->label,
                         csv->line, csv->fields, columns);
    }
    for (unsigned i = 0; i < columns; i++) {
        if (strcmp(column[i], "marker") == 0) {
            marker = csv->field[i];
        } else if (is_parameter(column[i]) && *csv->field[i]) {
            append_parameter(key, column[i], csv->field[i]);
        }
    }
    enum penrose_status status = PENROSE_OK;
    for (unsigned i = 0; i < columns && !status; i++) {
        double cycles;
        if (!is_mean(column[i]) || !*csv->field[i]) {
            continue;
        }
        if (!take_cycles(csv->field[i], &cycles)) {
            return error_set(error, PENROSE_E_FORMAT, "%s: line %u: '%.40s' is no number of cycles",
                             csv->label, csv->line, csv->field[i]);
        }
        snprintf(name, sizeof name, "%s %s%s", marker, column[i], key);
        status = add_sample(table, name, cycles, error);
    }
    return status;
}

static enum penrose_status read_llk(struct perf_table *table, struct penrose_error *error)
{
    char *column[MOST_COLUMNS];
    unsigned columns = table->csv.fields;
    enum penrose_status status = PENROSE_OK;
    memcpy(column, table->csv.field, columns * sizeof *column);
    while (!status && next_row(&table->csv)) {
        status = add_llk_row(table, column, columns, error);
    }
    return status;
}

/* --- The device profiler: zones --- */

enum { MOST_OPEN_ZONES = 1024 };

/* Columns of profile_log_device.csv, found by the beginning of their names. */
enum {
    COLUMN_X,
    COLUMN_Y,
    COLUMN_HART,
    COLUMN_TIME,
    COLUMN_RUN,
    COLUMN_ZONE,
    COLUMN_TYPE,
    ZONE_COLUMNS
};
static const char *const zone_columns[ZONE_COLUMNS] = {
    "core_x", "core_y", "RISC", "time[cycles", "run host ID", "zone name", "type"};

struct open_zone {
    char *name;
    double start;
};

struct zone_reader {
    struct perf_table *table;
    unsigned place[ZONE_COLUMNS];
    struct open_zone zone[MOST_OPEN_ZONES]; /* the innermost of a name comes last */
    unsigned zones;
};

static bool find_zone_columns(const struct csv *csv, unsigned place[ZONE_COLUMNS])
{
    unsigned found = 0;
    for (unsigned i = 0; i < ZONE_COLUMNS; i++) {
        for (unsigned k = 0; k < csv->fields; k++) {
            if (strncmp(csv->field[k], zone_columns[i], strlen(zone_columns[i])) == 0) {
                place[i] = k;
                found++;
                break;
            }
        }
    }
    return found == ZONE_COLUMNS;
}

/* Ends the innermost zone of that name. Ends without a beginning are left out: the profiler's buffer
 * is finite. */
static enum penrose_status end_zone(struct zone_reader *reader, const char *name, double cycles,
                                    struct penrose_error *error)
{
    for (unsigned i = reader->zones; i-- > 0;) {
        if (strcmp(reader->zone[i].name, name) != 0) {
            continue;
        }
        enum penrose_status status =
            add_sample(reader->table, name, cycles - reader->zone[i].start, error);
        free(reader->zone[i].name);
        reader->zones--;
        memmove(&reader->zone[i], &reader->zone[i + 1],
                (reader->zones - i) * sizeof reader->zone[0]);
        return status;
    }
    return PENROSE_OK;
}

static enum penrose_status begin_zone(struct zone_reader *reader, const char *name, double cycles,
                                      struct penrose_error *error)
{
    const char *label = reader->table->csv.label;
    if (reader->zones == MOST_OPEN_ZONES) {
        return error_set(error, PENROSE_E_FORMAT, "%s: more than %d zones begin and do not end",
                         label, MOST_OPEN_ZONES);
    }
    struct open_zone zone = {strdup(name), cycles};
    if (!zone.name) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for the zones of %s", label);
    }
    reader->zone[reader->zones++] = zone;
    return PENROSE_OK;
}

static enum penrose_status add_zone_row(struct zone_reader *reader, struct penrose_error *error)
{
    const struct csv *csv = &reader->table->csv;
    const char *value[ZONE_COLUMNS];
    char name[LONGEST_KEY];
    double cycles;
    for (unsigned i = 0; i < ZONE_COLUMNS; i++) {
        value[i] = reader->place[i] < csv->fields ? csv->field[reader->place[i]] : "";
    }
    bool begins = strcmp(value[COLUMN_TYPE], "ZONE_START") == 0;
    if (!begins && strcmp(value[COLUMN_TYPE], "ZONE_END") != 0) {
        return PENROSE_OK; /* sums, time stamps of the user */
    }
    if (!take_cycles(value[COLUMN_TIME], &cycles)) {
        return error_set(error, PENROSE_E_FORMAT, "%s: line %u: '%.40s' is no time", csv->label,
                         csv->line, value[COLUMN_TIME]);
    }
    snprintf(name, sizeof name, "core %s,%s %s run %s %s", value[COLUMN_X], value[COLUMN_Y],
             value[COLUMN_HART], value[COLUMN_RUN], value[COLUMN_ZONE]);
    return begins ? begin_zone(reader, name, cycles, error) : end_zone(reader, name, cycles, error);
}

static enum penrose_status read_zones(struct perf_table *table, const unsigned place[ZONE_COLUMNS],
                                      struct penrose_error *error)
{
    struct zone_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for the zones of %s",
                         table->csv.label);
    }
    enum penrose_status status = PENROSE_OK;
    reader->table = table;
    memcpy(reader->place, place, sizeof reader->place);
    while (!status && next_row(&table->csv)) {
        status = add_zone_row(reader, error);
    }
    for (unsigned i = 0; i < reader->zones; i++) {
        free(reader->zone[i].name);
    }
    free(reader);
    return status;
}

/* --- Both --- */

static enum penrose_status read_table(const char *path, struct perf_table *table, bool *has_zones,
                                      struct penrose_error *error)
{
    unsigned place[ZONE_COLUMNS];
    enum penrose_status status = open_csv(path, &table->csv, error);
    if (status) {
        return status;
    }
    bool has_row = next_row(&table->csv);
    if (has_row && strncmp(table->csv.field[0], "ARCH:", 5) == 0) {
        has_row = next_row(&table->csv); /* the profiler's first line names chip and clock */
    }
    *has_zones = has_row && find_zone_columns(&table->csv, place);
    bool has_means = false;
    for (unsigned i = 0; i < table->csv.fields; i++) {
        has_means |= is_mean(table->csv.field[i]);
    }
    if (!*has_zones && !has_means) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: neither a CSV file of LLK's performance tests (with columns "
                         "mean(...)) nor a profile_log_device.csv",
                         table->csv.label);
    }
    status = *has_zones ? read_zones(table, place, error) : read_llk(table, error);
    reduce_samples(table);
    return status;
}

static void free_table(struct perf_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->sample[i].name);
    }
    free(table->sample);
    free(table->csv.text);
}

static enum perf_verdict judge_point(double before, double after, struct perf_rule rule)
{
    double cycles = after - before;
    bool is_relevant = before != 0 && fabs(cycles) > fabs(before) * rule.percent / 100;
    if (!is_relevant || cycles == 0) {
        return PERF_SAME;
    }
    return fabs(cycles) <= rule.cycles ? PERF_SMALL : cycles > 0 ? PERF_SLOWER : PERF_FASTER;
}

static int slowest_first(const void *a, const void *b)
{
    const struct perf_point *x = a, *y = b;
    double p = x->before != 0 ? x->after / x->before : 1,
           q = y->before != 0 ? y->after / y->before : 1;
    return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

/* Both tables are sorted by names, which go to the points. */
static void join_tables(struct perf_table *before, struct perf_table *after, struct perf_rule rule,
                        struct perf_comparison *comparison)
{
    size_t i = 0, k = 0;
    while (i < before->count && k < after->count) {
        int order = strcmp(before->sample[i].name, after->sample[k].name);
        if (order) {
            i += order < 0;
            k += order > 0;
            continue;
        }
        struct perf_sample *x = &before->sample[i++], *y = &after->sample[k++];
        enum perf_verdict verdict = judge_point(x->value, y->value, rule);
        comparison->point[comparison->points++] =
            (struct perf_point){x->name, x->value, y->value, verdict};
        x->name = NULL;
        comparison->slower += verdict == PERF_SLOWER;
        comparison->faster += verdict == PERF_FASTER;
        comparison->small += verdict == PERF_SMALL;
    }
    comparison->lost = before->count - comparison->points;
    comparison->added = after->count - comparison->points;
    if (comparison->points) {
        qsort(comparison->point, comparison->points, sizeof *comparison->point, slowest_first);
    }
}

static enum penrose_status compare_tables(struct perf_table *before, struct perf_table *after,
                                          struct perf_rule rule, struct perf_comparison *comparison,
                                          struct penrose_error *error)
{
    comparison->point = calloc(before->count + 1, sizeof *comparison->point);
    if (!comparison->point) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to compare %s", before->csv.label);
    }
    join_tables(before, after, rule, comparison);
    if (!comparison->points) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s and %s have no point in common: measurements of other tests?",
                         before->csv.label, after->csv.label);
    }
    return PENROSE_OK;
}

enum penrose_status perf_compare(const char *before, const char *after, struct perf_rule rule,
                                 struct perf_comparison *comparison, struct penrose_error *error)
{
    struct perf_table *table = calloc(2, sizeof *table);
    bool has_zones[2] = {false, false};
    *comparison = (struct perf_comparison){0};
    if (!table) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to read %s", before);
    }
    enum penrose_status status = read_table(before, &table[0], &has_zones[0], error);
    status = status ? status : read_table(after, &table[1], &has_zones[1], error);
    if (!status && has_zones[0] != has_zones[1]) {
        status = error_set(error, PENROSE_E_FORMAT,
                           "%s is a profile_log_device.csv, %s has times of LLK's tests",
                           table[!has_zones[0]].csv.label, table[has_zones[0]].csv.label);
    }
    status = status ? status : compare_tables(&table[0], &table[1], rule, comparison, error);
    free_table(&table[0]);
    free_table(&table[1]);
    free(table);
    return status;
}

void perf_free(struct perf_comparison *comparison)
{
    for (size_t i = 0; i < comparison->points; i++) {
        free(comparison->point[i].name);
    }
    free(comparison->point);
    *comparison = (struct perf_comparison){0};
}
