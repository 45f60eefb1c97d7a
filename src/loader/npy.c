/*
 * Arrays in NumPy's .npy files; see npy.h.
 *
 * A file is magic, version, the length of the header, the header, and the elements. The header is
 * the text of a Python dictionary with the keys descr, fortran_order and shape; the small reader
 * below takes what Python writes for such a dictionary and nothing else, and never reads past the
 * header's end.
 */
#include "loader/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "loader/elf_internal.h"

static const uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

enum { HEADER_ALIGNMENT = 64, LONGEST_STRING = 32 };

static const char save_again[] = "save it again with numpy.save";

/* --- The header's text --- */

struct header {
    const char *at, *end;
    char type[LONGEST_STRING];
    bool is_fortran;
    uint64_t shape[LOADER_NPY_MAX_DIMENSIONS];
    unsigned dimensions;
};

static void skip_spaces(struct header *header)
{
    while (header->at < header->end &&
           (*header->at == ' ' || *header->at == '\n' || *header->at == '\t')) {
        header->at++;
    }
}

/* Passes `c` and spaces before it; false when something else is there. */
static bool take_header_char(struct header *header, char c)
{
    skip_spaces(header);
    if (header->at == header->end || *header->at != c) {
        return false;
    }
    header->at++;
    return true;
}

static bool take_word(struct header *header, const char *word)
{
    size_t length = strlen(word);
    skip_spaces(header);
    if ((size_t)(header->end - header->at) < length || memcmp(header->at, word, length) != 0) {
        return false;
    }
    header->at += length;
    return true;
}

/* A string in either kind of quotes, without escapes. */
static bool take_string(struct header *header, char text[LONGEST_STRING])
{
    char quote = take_header_char(header, '\'') ? '\'' : '"';
    if (quote == '"' && !take_header_char(header, '"')) {
        return false;
    }
    const char *start = header->at;
    while (header->at < header->end && *header->at != quote) {
        header->at++;
    }
    size_t length = (size_t)(header->at - start);
    if (header->at == header->end || length >= LONGEST_STRING) {
        return false;
    }
    memcpy(text, start, length);
    text[length] = 0;
    header->at++;
    return true;
}

static bool take_bool(struct header *header, bool *value)
{
    *value = take_word(header, "True");
    return *value || take_word(header, "False");
}

/* Python 2 wrote "3L". */
static bool take_number(struct header *header, uint64_t *value)
{
    skip_spaces(header);
    const char *start = header->at;
    for (*value = 0; header->at < header->end && *header->at >= '0' && *header->at <= '9';
         header->at++) {
        if (*value > UINT64_MAX / 16) {
            return false;
        }
        *value = *value * 10 + (uint64_t)(*header->at - '0');
    }
    bool has_digits = header->at > start;
    take_header_char(header, 'L');
    return has_digits;
}

/* "(3, 4)", "(3,)" or "()". */
static bool take_shape(struct header *header)
{
    if (!take_header_char(header, '(')) {
        return false;
    }
    while (!take_header_char(header, ')')) {
        if (header->dimensions == LOADER_NPY_MAX_DIMENSIONS ||
            !take_number(header, &header->shape[header->dimensions])) {
            return false;
        }
        header->dimensions++;
        if (!take_header_char(header, ',')) {
            return take_header_char(header, ')');
        }
    }
    return true;
}

enum { HAS_TYPE = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

/* One "key: value"; adds what it was to *found, and refuses a key that was there before. */
static bool take_entry(struct header *header, unsigned *found)
{
    char key[LONGEST_STRING];
    unsigned entry = 0;
    bool is_good = take_string(header, key) && take_header_char(header, ':');
    if (is_good && strcmp(key, "descr") == 0) {
        entry = HAS_TYPE;
        is_good = take_string(header, header->type);
    } else if (is_good && strcmp(key, "fortran_order") == 0) {
        entry = HAS_ORDER;
        is_good = take_bool(header, &header->is_fortran);
    } else if (is_good && strcmp(key, "shape") == 0 && !(*found & HAS_SHAPE)) {
        entry = HAS_SHAPE;
        is_good = take_shape(header);
    }
    is_good = is_good && entry && !(*found & entry);
    *found |= entry;
    return is_good;
}

static bool take_dictionary(struct header *header)
{
    unsigned found = 0;
    if (!take_header_char(header, '{')) {
        return false;
    }
    while (!take_header_char(header, '}')) {
        if (!take_entry(header, &found)) {
            return false;
        }
        if (!take_header_char(header, ',') && !(header->at < header->end && *header->at == '}')) {
            return false;
        }
    }
    skip_spaces(header);
    return found == HAS_ALL && header->at == header->end;
}

/* --- Types --- */

static const struct {
    char letter;
    enum loader_npy_kind kind;
    unsigned smallest, largest;
} types[] = {
    {'b', LOADER_NPY_BOOL, 1, 1},
    {'f', LOADER_NPY_FLOAT, 2, 8},
    {'i', LOADER_NPY_SIGNED, 1, 8},
    {'u', LOADER_NPY_UNSIGNED, 1, 8},
};

enum { TYPES = sizeof types / sizeof types[0] };

const char *loader_npy_type(enum loader_npy_kind kind, unsigned size, char text[4])
{
    for (unsigned i = 0; i < TYPES; i++) {
        if (types[i].kind == kind) {
            snprintf(text, 4, "%c%c%u", size == 1 ? '|' : '<', types[i].letter, size % 10);
        }
    }
    return text;
}

/* "<f4": byte order, kind, bytes. */
static enum penrose_status read_type(struct loader_npy *array, const char *text,
                                     struct penrose_error *error)
{
    char quoted[LONGEST_STRING];
    loader_quote(quoted, sizeof quoted, text);
    unsigned size = strlen(text) == 3 && strchr("1248", text[2]) ? (unsigned)(text[2] - '0') : 0;
    for (unsigned i = 0; i < TYPES; i++) {
        if (!size || text[1] != types[i].letter || size < types[i].smallest ||
            size > types[i].largest) {
            continue;
        }
        if (size > 1 && text[0] != '<') {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: its elements are of the type '%s', which is not little-endian; "
                             "save array.astype('<%s')",
                             array->name, quoted, quoted + 1);
        }
        array->kind = types[i].kind;
        array->size = size;
        return PENROSE_OK;
    }
    return error_set(
        error, PENROSE_E_FORMAT,
        "%s: its elements are of the type '%s'; Penrose reads f2, f4, f8, i1 to i8, u1 "
        "to u8 and b1: save for example array.astype('<f4')",
        array->name, quoted);
}

/* --- The shape --- */

static enum penrose_status read_npy_shape(struct loader_npy *array, const struct header *header,
                                          size_t available, struct penrose_error *error)
{
    uint64_t columns = header->dimensions ? header->shape[header->dimensions - 1] : 1;
    uint64_t count = 1, most = available / array->size;
    bool is_cut = false;
    for (unsigned i = 0; i < header->dimensions; i++) {
        if (!header->shape[i]) {
            return error_set(error, PENROSE_E_FORMAT, "%s: the array has no elements", array->name);
        }
        is_cut |= header->shape[i] > most / count; /* before a product that could overflow */
        count = is_cut ? 1 : count * header->shape[i];
    }
    if (is_cut || count > most) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: truncated: its header promises more than the %zu bytes that follow; "
                         "copy or save it again",
                         array->name, available);
    }
    array->columns = (uint32_t)columns; /* below LOADER_MAX_FILE */
    array->rows = (uint32_t)(count / columns);
    array->dimensions = header->dimensions;
    for (unsigned i = 0; i < header->dimensions; i++) {
        array->shape[i] = (uint32_t)header->shape[i];
    }
    return PENROSE_OK;
}

/* Elements of an array in Fortran order, to C order. */
static void reorder(const struct header *header, struct loader_npy *array, const uint8_t *source)
{
    uint64_t index[LOADER_NPY_MAX_DIMENSIONS] = {0}, stride[LOADER_NPY_MAX_DIMENSIONS];
    size_t count = (size_t)array->rows * array->columns;
    uint64_t from = 0, next = 1;
    for (unsigned i = 0; i < header->dimensions; i++) {
        stride[i] = next;
        next *= header->shape[i];
    }
    for (size_t to = 0; to < count; to++) {
        memcpy(array->data + to * array->size, source + from * array->size, array->size);
        for (unsigned i = header->dimensions; i-- > 0;) {
            from += stride[i];
            if (++index[i] < header->shape[i]) {
                break;
            }
            from -= index[i] * stride[i];
            index[i] = 0;
        }
    }
}

/* --- Files --- */

/* The header's text, and where the elements start. */
static enum penrose_status find_header(const uint8_t *bytes, size_t size, const char *name,
                                       struct header *header, struct penrose_error *error)
{
    if (size < sizeof magic + 4 || memcmp(bytes, magic, sizeof magic) != 0) {
        return error_set(error, PENROSE_E_FORMAT, "%s: not a .npy file; %s", name, save_again);
    }
    unsigned version = bytes[sizeof magic];
    size_t width = version == 1 ? 2 : 4, start = sizeof magic + 2 + width, length = 0;
    if (version < 1 || version > 3) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: version %u of the .npy format; Penrose reads 1 to 3: %s", name,
                         version, save_again);
    }
    for (size_t i = 0; i < width && start <= size; i++) {
        length |= (size_t)bytes[sizeof magic + 2 + i] << 8 * i;
    }
    if (start > size || length > size - start) {
        return error_set(error, PENROSE_E_FORMAT, "%s: truncated in its header; %s", name,
                         save_again);
    }
    if (length > LOADER_NPY_MAX_HEADER) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: a header of %zu bytes, expected at most %d; %s", name, length,
                         LOADER_NPY_MAX_HEADER, save_again);
    }
    header->at = (const char *)bytes + start;
    header->end = header->at + length;
    return PENROSE_OK;
}

static enum penrose_status read_array(const uint8_t *bytes, size_t size, struct loader_npy *array,
                                      struct penrose_error *error)
{
    struct header header = {0};
    enum penrose_status status = find_header(bytes, size, array->name, &header, error);
    if (status) {
        return status;
    }
    if (!take_dictionary(&header)) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: its header is not understood (types with fields are not read); save "
                         "one plain array with numpy.save",
                         array->name);
    }
    const uint8_t *data = (const uint8_t *)header.end;
    size_t available = size - (size_t)(data - bytes);
    status = read_type(array, header.type, error);
    status = status ? status : read_npy_shape(array, &header, available, error);
    if (status) {
        return status;
    }
    size_t length = (size_t)array->rows * array->columns * array->size;
    array->data = malloc(length);
    if (!array->data) {
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", array->name);
    }
    if (header.is_fortran) {
        reorder(&header, array, data);
    } else {
        memcpy(array->data, data, length);
    }
    return PENROSE_OK;
}

enum penrose_status loader_npy_parse(const uint8_t *bytes, size_t size, const char *name,
                                     struct loader_npy *array, struct penrose_error *error)
{
    *array = (struct loader_npy){0};
    loader_quote(array->name, sizeof array->name, name);
    enum penrose_status status = read_array(bytes, size, array, error);
    if (status) {
        *array = (struct loader_npy){0};
    }
    return status;
}

enum penrose_status loader_npy_read(const char *path, struct loader_npy *array,
                                    struct penrose_error *error)
{
    *array = (struct loader_npy){0};
    char label[LOADER_NPY_LABEL];
    loader_quote(label, sizeof label, path);
    uint8_t *bytes;
    size_t size;
    enum penrose_status status = loader_file_read(path, label, "a .npy file", &bytes, &size, error);
    if (status == PENROSE_OK) {
        status = loader_npy_parse(bytes, size, path, array, error);
        free(bytes);
    }
    return status;
}

bool loader_npy_make(struct loader_npy *array, enum loader_npy_kind kind, unsigned size,
                     uint32_t rows, uint32_t columns)
{
    *array = (struct loader_npy){.kind = kind, .size = size, .rows = rows, .columns = columns};
    array->data = calloc((size_t)rows * columns, size);
    return array->data != NULL;
}

/* "(3, 64)", or "(3,)" as Python writes it. */
static void format_shape(const uint32_t *shape, unsigned dimensions, char *text, size_t size)
{
    size_t length = 0;
    for (unsigned i = 0; i < dimensions && length < size; i++) {
        length += (size_t)snprintf(text + length, size - length, "%s%u", i ? ", " : "(", shape[i]);
    }
    if (length < size) {
        snprintf(text + length, size - length, dimensions == 1 ? ",)" : ")");
    }
}

uint8_t *loader_npy_format(const struct loader_npy *array, size_t *size)
{
    const uint32_t shape[] = {array->rows, array->columns};
    return loader_npy_format_as(array, shape, 2, size);
}

uint8_t *loader_npy_format_as(const struct loader_npy *array, const uint32_t *shape,
                              unsigned dimensions, size_t *size)
{
    enum { TEXT = 128, PREFIX = sizeof magic + 4 };
    char type[4], numbers[TEXT / 2], text[TEXT];
    format_shape(shape, dimensions, numbers, sizeof numbers);
    int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 loader_npy_type(array->kind, array->size, type), numbers);
    size_t header =
        ((size_t)length + 1 + PREFIX + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
    size_t data = (size_t)array->rows * array->columns * array->size;
    uint8_t *bytes = malloc(header + data);
    if (!bytes) {
        return NULL;
    }
    *size = header + data;
    memset(bytes, ' ', header);
    memcpy(bytes, magic, sizeof magic);
    bytes[sizeof magic] = 1;
    bytes[sizeof magic + 1] = 0;
    bytes[sizeof magic + 2] = (uint8_t)(header - PREFIX);
    bytes[sizeof magic + 3] = (uint8_t)((header - PREFIX) >> 8);
    memcpy(bytes + PREFIX, text, (size_t)length);
    bytes[header - 1] = '\n';
    memcpy(bytes + header, array->data, data);
    return bytes;
}

void loader_npy_free(struct loader_npy *array)
{
    free(array->data);
    *array = (struct loader_npy){0};
}
