/* Buffers of program descriptions: shapes, files and places. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "loader/program_internal.h"

bool program_is_name(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length && !text[length] && length < 40;
}

/* --- Shapes --- */

static enum penrose_status read_form(const struct program_reader *reader, const char *key,
                                     const json_t *object, struct loader_tensor_form *form)
{
    char *format = NULL, *layout = NULL;
    enum penrose_status status = program_string(reader, key, object, "format", &format);
    status = status ? status : program_string(reader, key, object, "layout", &layout);
    bool is_rows = layout && strcmp(layout, "rows") == 0;
    if (status == PENROSE_OK && !format) {
        status = program_refuse(reader, key,
                                "\"format\" is missing: Float32, Float16_b, Bfp8_b, UInt32, ...");
    } else if (status == PENROSE_OK && !loader_tensor_format(format, form)) {
        status = program_refuse(reader, key,
                                "there is no format '%.40s'; there are Float32, Float16, "
                                "Float16_b, Bfp8_b, UInt16, UInt32 and those of penrose(1)",
                                format);
    } else if (status == PENROSE_OK && layout && !is_rows && strcmp(layout, "tiles") != 0) {
        status = program_refuse(reader, key, "\"layout\" is tiles or rows, not '%.40s'", layout);
    }
    form->layout = is_rows ? LOADER_ROWS : LOADER_TILES;
    free(format);
    free(layout);
    return status;
}

static enum penrose_status read_input(const struct program_reader *reader, const char *key,
                                      const json_t *object, struct loader_program_buffer *buffer)
{
    char *name = NULL;
    enum penrose_status status = program_string(reader, key, object, "input", &name);
    if (status == PENROSE_OK && name) {
        struct penrose_error reason;
        char *path = program_path(reader, reader->folders.data, name);
        status = !path ? program_no_memory(reader) : PENROSE_OK;
        if (path && loader_npy_read(path, &buffer->contents, &reason) != PENROSE_OK) {
            status = program_refuse(reader, key, "%s", reason.text);
        }
        buffer->has_input = status == PENROSE_OK;
        free(path);
    }
    free(name);
    return status;
}

/* Rows and columns from the input, or as they stand there. */
static enum penrose_status read_buffer_shape(const struct program_reader *reader, const char *key,
                                             const json_t *object,
                                             struct loader_program_buffer *buffer)
{
    struct loader_tensor *tensor = &buffer->tensor;
    unsigned parts = buffer->is_split ? buffer->tiles.count : 1;
    if (buffer->has_input && buffer->contents.rows % parts) {
        return program_refuse(reader, key, "%u rows cannot be split among %u tiles",
                              buffer->contents.rows, parts);
    }
    tensor->rows = buffer->has_input ? buffer->contents.rows / parts : 0;
    tensor->columns = buffer->contents.columns;
    uint32_t rows = tensor->rows, columns = tensor->columns;
    enum penrose_status status = program_constant(reader, key, object, "rows", &rows);
    status = status ? status : program_constant(reader, key, object, "columns", &columns);
    if (status != PENROSE_OK) {
        return status;
    }
    if (!rows || !columns) {
        return program_refuse(reader, key,
                              "its shape is missing: \"input\", or \"rows\" and \"columns\"");
    }
    if (buffer->has_input && (rows != tensor->rows || columns != tensor->columns)) {
        return program_refuse(reader, key, "it has %ux%u, but its input gives %ux%u", rows, columns,
                              tensor->rows, tensor->columns);
    }
    tensor->rows = rows;
    tensor->columns = columns;
    struct penrose_error reason;
    return loader_tensor_check(tensor, key, &reason) == PENROSE_OK
               ? PENROSE_OK
               : error_set(reader->error, PENROSE_E_FORMAT, "%s: %s", reader->program->path,
                           reason.text);
}

/* --- Pages --- */

static uint64_t aligned(uint64_t size)
{
    return (size + LOADER_DRAM_PAGE_ALIGNMENT - 1) / LOADER_DRAM_PAGE_ALIGNMENT *
           LOADER_DRAM_PAGE_ALIGNMENT;
}

/* In DRAM a page is a tile or a row, in L1 all is one. */
static enum penrose_status cut_pages(const struct program_reader *reader, const char *key,
                                     struct loader_program_buffer *buffer)
{
    const struct loader_tensor *tensor = &buffer->tensor;
    uint64_t size = loader_tensor_size(tensor), pages = 1;
    if (buffer->kind == LOADER_BUFFER_DRAM && tensor->form.layout == LOADER_ROWS) {
        pages = tensor->rows;
        if (num_format_info(tensor->form.format)->is_block || size % pages) {
            return program_refuse(reader, key,
                                  "rows of %s cannot lie on pages of their own; take tiles",
                                  loader_tensor_format_name(&tensor->form));
        }
    } else if (buffer->kind == LOADER_BUFFER_DRAM) {
        struct loader_tensor one = {.form = tensor->form, .rows = 1, .columns = 1};
        pages = size / loader_tensor_size(&one);
    }
    if (size > UINT32_MAX) {
        return program_refuse(reader, key, "%llu bytes are too many", (unsigned long long)size);
    }
    buffer->pages = (uint32_t)pages;
    buffer->page_size = (uint32_t)size;
    if (buffer->kind == LOADER_BUFFER_DRAM) {
        buffer->page_size = (uint32_t)aligned(size / pages);
    }
    return PENROSE_OK;
}

/* The first of these keys that the object has; NULL: none. */
static const char *find_key(const json_t *object, const char *const *names)
{
    for (; *names && !json_object_get(object, *names); names++) {
    }
    return *names;
}

/* A buffer is a matrix, or bytes in pages; what of both would win nobody could know. */
static enum penrose_status check_sort(const struct program_reader *reader, const char *key,
                                      const json_t *object)
{
    static const char *const of_files[] = {"input", "output", NULL};
    static const char *const of_shapes[] = {"format", "layout", "rows", "columns", NULL};
    const char *file = find_key(object, of_files), *shape = find_key(object, of_shapes);
    bool has_size = json_object_get(object, "page_size") != NULL;
    if (has_size && file) {
        return program_refuse(reader, key,
                              "a buffer with a file has \"format\", \"rows\" and \"columns\", not "
                              "\"page_size\"");
    }
    if (has_size && shape) {
        return program_refuse(
            reader, key,
            "\"%s\" and \"page_size\" exclude each other: pages of a matrix follow "
            "from its format, rows and columns",
            shape);
    }
    if (!has_size && json_object_get(object, "pages")) {
        return program_refuse(reader, key,
                              file || shape
                                  ? "\"pages\" is for buffers without a matrix: pages of a "
                                    "matrix follow from its format, rows and columns"
                                  : "\"pages\" needs \"page_size\" beside it, in bytes");
    }
    return PENROSE_OK;
}

/* A buffer without a shape: bytes to work with. */
static enum penrose_status read_plain(const struct program_reader *reader, const char *key,
                                      const json_t *object, struct loader_program_buffer *buffer)
{
    buffer->pages = 1;
    enum penrose_status status =
        program_constant(reader, key, object, "page_size", &buffer->page_size);
    status = status ? status : program_constant(reader, key, object, "pages", &buffer->pages);
    if (status == PENROSE_OK && (!buffer->pages || !buffer->page_size)) {
        return program_refuse(reader, key, "\"pages\" and \"page_size\" are at least 1");
    }
    uint64_t size = (uint64_t)buffer->pages * buffer->page_size;
    if (status == PENROSE_OK && size > UINT32_MAX - LOADER_DRAM_PAGE_ALIGNMENT) {
        return program_refuse(reader, key, "%llu bytes are too many", (unsigned long long)size);
    }
    if (buffer->kind == LOADER_BUFFER_DRAM) {
        buffer->page_size = (uint32_t)aligned(buffer->page_size);
    }
    return status;
}

/* --- Buffers --- */

static enum penrose_status read_tensor(const struct program_reader *reader, const char *key,
                                       const json_t *object, struct loader_program_buffer *buffer)
{
    enum penrose_status status = read_form(reader, key, object, &buffer->tensor.form);
    status = status ? status : read_buffer_shape(reader, key, object, buffer);
    return status ? status : cut_pages(reader, key, buffer);
}

static enum penrose_status read_output(const struct program_reader *reader, const char *key,
                                       const json_t *object, struct loader_program_buffer *buffer)
{
    char *name = NULL;
    enum penrose_status status = program_string(reader, key, object, "output", &name);
    if (status == PENROSE_OK && name) {
        buffer->output = program_path(reader, reader->folders.data, name);
        status = buffer->output ? PENROSE_OK : program_no_memory(reader);
    }
    free(name);
    return status;
}

static enum penrose_status read_buffer(const struct program_reader *reader, const char *key,
                                       const json_t *object, uint64_t *next,
                                       struct loader_program_buffer *buffer)
{
    static const char *const in_dram[] = {"input",   "output", "format",    "layout",  "rows",
                                          "columns", "pages",  "page_size", "address", NULL};
    static const char *const in_l1[] = {"input", "output",  "format",    "layout",
                                        "rows",  "columns", "page_size", "tiles",
                                        "split", "address", NULL};
    bool is_l1 = buffer->kind == LOADER_BUFFER_L1;
    enum penrose_status status = program_check_keys(reader, key, object, is_l1 ? in_l1 : in_dram);
    if (is_l1 && status == PENROSE_OK) {
        const json_t *split = json_object_get(object, "split");
        status = program_tiles(reader, key, object, &buffer->tiles);
        if (status == PENROSE_OK && split && !json_is_boolean(split)) {
            status = program_refuse(reader, key, "\"split\" is true or false");
        }
        buffer->is_split = json_is_true(split);
    }
    status = status ? status : check_sort(reader, key, object);
    status = status ? status : read_input(reader, key, object, buffer);
    status = status ? status : read_output(reader, key, object, buffer);
    if (status == PENROSE_OK) {
        status = json_object_get(object, "page_size") ? read_plain(reader, key, object, buffer)
                                                      : read_tensor(reader, key, object, buffer);
    }
    uint32_t address = 0;
    if (status == PENROSE_OK && is_l1) {
        status = program_take_l1(reader, key, object, (uint64_t)buffer->pages * buffer->page_size,
                                 next, &address);
    } else if (status == PENROSE_OK) {
        status = program_address(reader, key, object, LOADER_DRAM_PAGE_ALIGNMENT,
                                 reader->program->facts->gddr_bytes, &buffer->is_placed, &address);
    }
    buffer->address = address;
    return status;
}

static enum penrose_status read_group(const struct program_reader *reader, const char *group,
                                      const json_t *object, enum loader_buffer_kind kind,
                                      uint64_t *next)
{
    struct loader_program *program = reader->program;
    enum penrose_status status = PENROSE_OK;
    if (object && !json_is_object(object)) {
        return program_refuse(reader, group, "an object in braces is expected");
    }
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at && status == PENROSE_OK;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
        const char *name = json_object_iter_key(at);
        char key[LOADER_KEY];
        if (!program_is_name(name)) {
            return program_refuse(reader, group, PROGRAM_NAME_RULE, name);
        }
        snprintf(key, sizeof key, "%s.%s", group, name);
        struct loader_program_buffer *buffer = &program->buffer[program->buffers];
        buffer->kind = kind;
        buffer->name = strdup(name);
        status = buffer->name ? read_buffer(reader, key, json_object_iter_value(at), next, buffer)
                              : program_no_memory(reader);
        program->buffers++;
    }
    return status;
}

enum penrose_status program_buffers(const struct program_reader *reader, const json_t *root,
                                    uint64_t *next)
{
    struct loader_program *program = reader->program;
    const json_t *dram = json_object_get(root, "dram"), *l1 = json_object_get(root, "l1");
    size_t count = json_object_size(dram) + json_object_size(l1);
    if (count > LOADER_PROGRAM_BUFFERS) {
        return program_refuse(reader, "dram", "at most %d buffers are possible",
                              LOADER_PROGRAM_BUFFERS);
    }
    program->buffer = calloc(count + 1, sizeof *program->buffer);
    if (!program->buffer) {
        return program_no_memory(reader);
    }
    enum penrose_status status = read_group(reader, "dram", dram, LOADER_BUFFER_DRAM, next);
    return status ? status : read_group(reader, "l1", l1, LOADER_BUFFER_L1, next);
}

enum penrose_status loader_program_place(struct loader_program *program, unsigned banks,
                                         struct penrose_error *error)
{
    const uint64_t bank_bytes = program->facts->gddr_bytes;
    uint64_t next = LOADER_DRAM_FIRST;
    if (!banks) {
        return error_set(error, PENROSE_E_ARGUMENT, "there are no DRAM banks for %s",
                         program->path);
    }
    for (unsigned i = 0; i < program->buffers; i++) {
        struct loader_program_buffer *buffer = &program->buffer[i];
        if (buffer->kind != LOADER_BUFFER_DRAM) {
            continue;
        }
        uint64_t of_bank = (uint64_t)((buffer->pages + banks - 1) / banks) * buffer->page_size;
        uint64_t first = buffer->is_placed ? buffer->address : next;
        if (of_bank > bank_bytes - first) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "%s: dram.%s: %llu bytes in each of %u banks do not fit behind the "
                             "buffers above, which end at 0x%llx of 0x%llx",
                             program->path, buffer->name, (unsigned long long)of_bank, banks,
                             (unsigned long long)first, (unsigned long long)bank_bytes);
        }
        buffer->address = first;
        next = buffer->is_placed ? next : first + of_bank;
    }
    return PENROSE_OK;
}
