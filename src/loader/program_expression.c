/*
 * Expressions of program descriptions: integers of 64 bits with the usual precedence. Everything is
 * checked while it is computed; depth is bounded, as texts come from files.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "isa/error.h"
#include "loader/program_internal.h"

enum { MOST_DEPTH = 64, MOST_STEPS = 4096 /* operands */, MOST_TILE_ROWS = 32 };

struct reading {
    const char *rest;
    const struct loader_place *place;
    struct penrose_error *error;
    enum penrose_status status;
    unsigned depth, steps;
    unsigned lets; /* so many names that the description gives are known */
    /* What names have come to: each is computed once, however often it stands in others. */
    bool has_value[LOADER_PROGRAM_BUFFERS];
    int64_t value[LOADER_PROGRAM_BUFFERS];
};

static int64_t fail(struct reading *reading, const char *what)
{
    if (reading->status == PENROSE_OK) {
        reading->status = error_set(reading->error, PENROSE_E_FORMAT, "%s", what);
    }
    return 0;
}

static void skip_spaces(struct reading *reading)
{
    reading->rest += strspn(reading->rest, " \t\r\n");
}

static bool take_char(struct reading *reading, char character)
{
    skip_spaces(reading);
    if (*reading->rest != character) {
        return false;
    }
    reading->rest++;
    return true;
}

/* --- Names --- */

static int64_t refuse_name(struct reading *reading, const char *name, size_t length)
{
    if (reading->status == PENROSE_OK) {
        reading->status = error_set(
            reading->error, PENROSE_E_FORMAT,
            "nothing is called '%.*s'; there are x, y, index, columns, rows, tiles, banks, "
            "dram.NAME, l1.NAME, noc_x(COLUMN), noc_y(ROW), noc(INDEX), min(A, B), max(A, B) and "
            "what stands above under \"let\"",
            (int)(length < 64 ? length : 64), name);
    }
    return 0;
}

static uint32_t in_tiles(uint32_t length)
{
    return (length + MOST_TILE_ROWS - 1) / MOST_TILE_ROWS;
}

static int64_t property(struct reading *reading, const struct loader_program_buffer *buffer,
                        const char *name, size_t length)
{
    const struct loader_tensor *tensor = &buffer->tensor;
    const struct {
        const char *name;
        uint32_t value;
    } properties[] = {
        {"page_size", buffer->page_size},
        {"pages", buffer->pages},
        {"rows", tensor->rows},
        {"columns", tensor->columns},
        {"tile_rows", in_tiles(tensor->rows)},
        {"tile_columns", in_tiles(tensor->columns)},
        {"format", num_format_code(tensor->form.format)},
    };
    for (unsigned i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        if (strlen(properties[i].name) == length && memcmp(properties[i].name, name, length) == 0) {
            return properties[i].value;
        }
    }
    return fail(reading, "a buffer has .page_size, .pages, .rows, .columns, .tile_rows, "
                         ".tile_columns and .format; without any of them its name is its address");
}

/* "A" in "dram.A" and "l1.A"; NULL when there is none. */
static const struct loader_program_buffer *find_named_buffer(const struct loader_program *program,
                                                             enum loader_buffer_kind kind,
                                                             const char *name, size_t length)
{
    for (unsigned i = 0; i < program->buffers; i++) {
        const struct loader_program_buffer *buffer = &program->buffer[i];
        if (buffer->kind == kind && strlen(buffer->name) == length &&
            memcmp(buffer->name, name, length) == 0) {
            return buffer;
        }
    }
    return NULL;
}

/* "A" or "A.pages" behind "dram." or "l1.". */
static int64_t of_buffer(struct reading *reading, enum loader_buffer_kind kind, const char *name,
                         size_t length)
{
    const char *dot = memchr(name, '.', length);
    size_t own = dot ? (size_t)(dot - name) : length;
    const struct loader_program_buffer *buffer =
        find_named_buffer(reading->place->program, kind, name, own);
    if (!buffer) {
        if (reading->status == PENROSE_OK) {
            reading->status = error_set(
                reading->error, PENROSE_E_FORMAT,
                "there is no buffer '%.*s' under \"%s\", or not yet: buffers know those above",
                (int)(own < 64 ? own : 64), name, kind == LOADER_BUFFER_DRAM ? "dram" : "l1");
        }
        return 0;
    }
    if (dot) {
        return property(reading, buffer, dot + 1, length - own - 1);
    }
    if (kind == LOADER_BUFFER_DRAM && !reading->place->has_chip) {
        return fail(reading, "addresses in DRAM are known for arguments and semaphores only");
    }
    return (int64_t)buffer->address;
}

static int64_t read_sum(struct reading *reading);

static int64_t compute_let(struct reading *reading, unsigned number)
{
    const unsigned known = reading->lets;
    const char *rest = reading->rest;
    reading->lets = number;
    reading->rest = reading->place->program->lets.text[number];
    int64_t value = read_sum(reading);
    skip_spaces(reading);
    if (*reading->rest) {
        fail(reading, "a name under \"let\" lacks an operator (+ - * / %)");
    }
    reading->lets = known;
    reading->rest = rest;
    return value;
}

/* What the description gives a name to; false when that is not `name`. */
static bool of_let(struct reading *reading, const char *name, size_t length, int64_t *value)
{
    const struct loader_lets *lets = &reading->place->program->lets;
    unsigned i = 0;
    while (i < reading->lets &&
           (strlen(lets->name[i]) != length || memcmp(lets->name[i], name, length) != 0)) {
        i++;
    }
    if (i == reading->lets) {
        return false;
    }
    if (!reading->has_value[i]) {
        reading->value[i] = compute_let(reading, i);
        reading->has_value[i] = true;
    }
    *value = reading->value[i];
    return true;
}

/* Names that every description has. */
enum builtin {
    NAME_X,
    NAME_Y,
    NAME_INDEX,
    NAME_COLUMNS,
    NAME_ROWS,
    NAME_TILES,
    NAME_BANKS,
    BUILTINS
};

static enum builtin find_builtin(const char *name, size_t length)
{
    static const char *const names[BUILTINS] = {
        [NAME_X] = "x",         [NAME_Y] = "y",
        [NAME_INDEX] = "index", [NAME_COLUMNS] = "columns",
        [NAME_ROWS] = "rows",   [NAME_TILES] = "tiles",
        [NAME_BANKS] = "banks",
    };
    unsigned i = 0;
    while (i < BUILTINS && (strlen(names[i]) != length || memcmp(names[i], name, length) != 0)) {
        i++;
    }
    return (enum builtin)i;
}

bool program_is_builtin(const char *name)
{
    return find_builtin(name, strlen(name)) != BUILTINS;
}

static int64_t of_builtin(struct reading *reading, enum builtin name)
{
    const struct loader_place *place = reading->place;
    const struct loader_program *program = place->program;
    const struct {
        unsigned value;
        bool is_known;
        const char *otherwise;
    } values[BUILTINS] = {
        [NAME_X] = {place->x, place->has_tile,
                    "x is a tile's: it counts in arguments and semaphores"},
        [NAME_Y] = {place->y, place->has_tile,
                    "y is a tile's: it counts in arguments and semaphores"},
        [NAME_INDEX] = {place->y * program->columns + place->x, place->has_tile,
                        "index is a tile's: it counts in arguments and semaphores"},
        [NAME_COLUMNS] = {program->columns, true, NULL},
        [NAME_ROWS] = {program->rows, true, NULL},
        [NAME_TILES] = {program->columns * program->rows, true, NULL},
        [NAME_BANKS] = {place->banks, place->has_chip,
                        "banks are known for arguments and semaphores only"},
    };
    return values[name].is_known ? (int64_t)values[name].value
                                 : fail(reading, values[name].otherwise);
}

static int64_t plain_name(struct reading *reading, const char *name, size_t length)
{
    enum builtin builtin = find_builtin(name, length);
    if (builtin != BUILTINS) {
        return of_builtin(reading, builtin);
    }
    if (length > 5 && memcmp(name, "dram.", 5) == 0) {
        return of_buffer(reading, LOADER_BUFFER_DRAM, name + 5, length - 5);
    }
    if (length > 3 && memcmp(name, "l1.", 3) == 0) {
        return of_buffer(reading, LOADER_BUFFER_L1, name + 3, length - 3);
    }
    int64_t value;
    if (of_let(reading, name, length, &value)) {
        return value;
    }
    return refuse_name(reading, name, length);
}

/* --- Functions --- */

static int64_t coordinate(struct reading *reading, const uint8_t *table, unsigned count,
                          int64_t number, const char *otherwise)
{
    if (!reading->place->has_chip) {
        return fail(reading, "coordinates are known for arguments and semaphores only");
    }
    return number >= 0 && number < count ? (int64_t)table[number] : fail(reading, otherwise);
}

static int64_t noc_x(struct reading *reading, int64_t column)
{
    return coordinate(reading, reading->place->noc_x, reading->place->program->columns, column,
                      "noc_x: there is no such column; they are 0 to columns - 1");
}

static int64_t noc_y(struct reading *reading, int64_t row)
{
    return coordinate(reading, reading->place->noc_y, reading->place->program->rows, row,
                      "noc_y: there is no such row; they are 0 to rows - 1");
}

static int64_t noc(struct reading *reading, int64_t index)
{
    unsigned columns = reading->place->program->columns;
    if (index < 0 || index >= (int64_t)columns * reading->place->program->rows) {
        return fail(reading, "noc: there is no such tile; indices are 0 to tiles - 1");
    }
    return noc_y(reading, index / columns) << 6 | noc_x(reading, index % columns);
}

static int64_t least_value(struct reading *reading, int64_t a, int64_t b)
{
    (void)reading;
    return a < b ? a : b;
}

static int64_t greatest(struct reading *reading, int64_t a, int64_t b)
{
    (void)reading;
    return a > b ? a : b;
}

static const struct {
    const char *name;
    int64_t (*one)(struct reading *reading, int64_t number);
    int64_t (*two)(struct reading *reading, int64_t a, int64_t b);
} functions[] = {
    {"noc_x", noc_x, NULL},     {"noc_y", noc_y, NULL},  {"noc", noc, NULL},
    {"min", NULL, least_value}, {"max", NULL, greatest},
};

/* Behind the opening parenthesis. */
static int64_t call(struct reading *reading, const char *name, size_t length)
{
    for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strlen(functions[i].name) != length || memcmp(functions[i].name, name, length) != 0) {
            continue;
        }
        int64_t a = read_sum(reading), b = 0;
        if (functions[i].two && !take_char(reading, ',')) {
            return fail(reading, "min and max take two numbers with a comma between");
        }
        if (functions[i].two) {
            b = read_sum(reading);
        }
        if (!take_char(reading, ')')) {
            return fail(reading, "a closing parenthesis is missing");
        }
        if (reading->status != PENROSE_OK) {
            return 0;
        }
        return functions[i].two ? functions[i].two(reading, a, b) : functions[i].one(reading, a);
    }
    return refuse_name(reading, name, length);
}

/* --- Grammar --- */

static int64_t number(struct reading *reading)
{
    int64_t value = 0;
    unsigned base = 10;
    if (reading->rest[0] == '0' && (reading->rest[1] == 'x' || reading->rest[1] == 'X')) {
        base = 16;
        reading->rest += 2;
        if (!isxdigit((unsigned char)*reading->rest)) {
            return fail(reading, "0x needs hexadecimal digits behind it");
        }
    }
    for (; isalnum((unsigned char)*reading->rest); reading->rest++) {
        int digit = *reading->rest;
        digit = isdigit(digit) ? digit - '0' : tolower(digit) - 'a' + 10;
        if (digit >= (int)base) {
            return fail(reading, "a number has only digits, or 0x and hexadecimal ones");
        }
        value = value * (int)base + digit;
        if (value > UINT32_MAX) {
            return fail(reading, "the number does not fit 32 bits");
        }
    }
    return value;
}

static bool is_of_name(char character)
{
    return isalnum((unsigned char)character) || character == '_' || character == '.';
}

static int64_t operand(struct reading *reading)
{
    int64_t value;
    skip_spaces(reading);
    if (++reading->steps > MOST_STEPS) {
        return fail(reading,
                    "it has more than 4096 numbers and names, with those that names stand for");
    }
    if (isdigit((unsigned char)*reading->rest)) {
        return number(reading);
    }
    if (++reading->depth > MOST_DEPTH) {
        return fail(reading, "too many parentheses, signs and names within each other");
    }
    if (take_char(reading, '-')) {
        value = -operand(reading);
    } else if (take_char(reading, '(')) {
        value = read_sum(reading);
        if (!take_char(reading, ')')) {
            return fail(reading, "a closing parenthesis is missing");
        }
    } else {
        const char *name = reading->rest;
        size_t length = 0;
        while (is_of_name(name[length])) {
            length++;
        }
        reading->rest += length;
        if (!length) {
            return fail(reading, "a number or a name is missing");
        }
        value = take_char(reading, '(') ? call(reading, name, length)
                                        : plain_name(reading, name, length);
    }
    reading->depth--;
    return value;
}

/* Values stay below 2^62, so that no negation or division overflows. */
static int64_t compute(struct reading *reading, int64_t a, char sign, int64_t b)
{
    const int64_t most = INT64_C(1) << 62;
    int64_t value;
    bool overflows = sign == '*'   ? __builtin_mul_overflow(a, b, &value)
                     : sign == '+' ? __builtin_add_overflow(a, b, &value)
                                   : __builtin_sub_overflow(a, b, &value);
    if (overflows || value > most || value < -most) {
        return fail(reading, "the value does not fit 32 bits");
    }
    return value;
}

static int64_t read_product(struct reading *reading)
{
    int64_t value = operand(reading);
    while (reading->status == PENROSE_OK) {
        skip_spaces(reading);
        char sign = *reading->rest;
        if (sign != '*' && sign != '/' && sign != '%') {
            break;
        }
        reading->rest++;
        int64_t right = operand(reading);
        if (sign != '*' && right == 0) {
            return fail(reading, "division by zero");
        }
        value = sign == '*'   ? compute(reading, value, sign, right)
                : sign == '/' ? value / right
                              : value % right;
    }
    return value;
}

static int64_t read_sum(struct reading *reading)
{
    int64_t value = read_product(reading);
    while (reading->status == PENROSE_OK) {
        if (take_char(reading, '+')) {
            value = compute(reading, value, '+', read_product(reading));
        } else if (take_char(reading, '-')) {
            value = compute(reading, value, '-', read_product(reading));
        } else {
            break;
        }
    }
    return value;
}

enum penrose_status loader_expression(const char *text, const struct loader_place *place,
                                      uint32_t *value, struct penrose_error *error)
{
    struct reading reading = {
        .rest = text, .place = place, .error = error, .lets = place->program->lets.count};
    int64_t result = read_sum(&reading);
    skip_spaces(&reading);
    if (reading.status == PENROSE_OK && *reading.rest) {
        fail(&reading, "an operator (+ - * / %) is missing");
    }
    if (reading.status == PENROSE_OK && (result > UINT32_MAX || result < INT32_MIN)) {
        fail(&reading, "the value does not fit 32 bits");
    }
    *value = (uint32_t)result;
    return reading.status;
}
