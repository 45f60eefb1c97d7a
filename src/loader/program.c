/*
 * Program descriptions: from JSON to struct loader_program. Everything that can be known without a
 * chip is checked here, and every message names the file and the key that it is about.
 */
#include "loader/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/names.h"
#include "isa/error.h"
#include "loader/program_internal.h"
#include "loader/layout.h"

enum { MOST_FILE = 4 << 20 };

/* --- Values --- */

static enum penrose_status read_values(const struct program_reader *reader, const char *key,
                                       const json_t *object, const char *member, unsigned most,
                                       struct loader_values *values)
{
    const json_t *list = json_object_get(object, member);
    enum penrose_status status = PENROSE_OK;
    if (!list) {
        return PENROSE_OK;
    }
    if (!json_is_array(list) || json_array_size(list) > most) {
        return program_refuse(reader, key, "\"%s\" is a list of at most %u numbers", member, most);
    }
    values->text = calloc(json_array_size(list) + 1, sizeof *values->text);
    if (!values->text) {
        return program_no_memory(reader);
    }
    for (size_t i = 0; i < json_array_size(list) && status == PENROSE_OK; i++) {
        char whole[LOADER_KEY];
        snprintf(whole, sizeof whole, "%s.%s[%zu]", key, member, i);
        status = program_value(reader, whole, json_array_get(list, i), &values->text[i]);
        values->count += status == PENROSE_OK;
    }
    return status;
}

static enum penrose_status read_lets(const struct program_reader *reader, const json_t *root)
{
    struct loader_lets *lets = &reader->program->lets;
    json_t *object = json_object_get(root, "let");
    enum penrose_status status = PENROSE_OK;
    size_t count = json_object_size(object);
    if (object && (!json_is_object(object) || count > LOADER_PROGRAM_BUFFERS)) {
        return program_refuse(reader, "let", "an object with at most %d names is expected",
                              LOADER_PROGRAM_BUFFERS);
    }
    lets->name = calloc(count + 1, sizeof *lets->name);
    lets->text = calloc(count + 1, sizeof *lets->text);
    if (!lets->name || !lets->text) {
        return program_no_memory(reader);
    }
    for (void *at = json_object_iter(object); at && status == PENROSE_OK;
         at = json_object_iter_next(object, at)) {
        const char *name = json_object_iter_key(at);
        char key[LOADER_KEY];
        snprintf(key, sizeof key, "let.%.40s", name);
        if (!program_is_name(name)) {
            return program_refuse(reader, "let", PROGRAM_NAME_RULE, name);
        }
        if (program_is_builtin(name)) {
            return program_refuse(reader, "let",
                                  "'%s' means something in every expression already; take another "
                                  "name",
                                  name);
        }
        status = program_value(reader, key, json_object_iter_value(at), &lets->text[lets->count]);
        lets->name[lets->count] = strdup(name);
        if (!lets->name[lets->count]) {
            status = program_no_memory(reader);
        }
        lets->count++;
    }
    return status;
}

/* --- Kernels --- */

static enum penrose_status add_harts(const struct program_reader *reader, const char *key,
                                     const char *name, unsigned *harts)
{
    const unsigned triscs = 1u << PENROSE_TRISC0 | 1u << PENROSE_TRISC1 | 1u << PENROSE_TRISC2;
    unsigned bits = strcmp(name, "trisc") == 0 ? triscs : 0;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (strcmp(name, arch_hart_name((enum penrose_hart)hart)) == 0) {
            bits = 1u << hart;
        }
    }
    if (!bits) {
        return program_refuse(reader, key,
                              "there is no hart '%.20s'; there are brisc, ncrisc, trisc0, trisc1, "
                              "trisc2, and trisc for all three",
                              name);
    }
    *harts |= bits;
    return PENROSE_OK;
}

static enum penrose_status read_harts(const struct program_reader *reader, const char *key,
                                      const json_t *object, unsigned *harts)
{
    const json_t *given = json_object_get(object, "hart");
    enum penrose_status status = PENROSE_OK;
    if (json_is_string(given)) {
        return add_harts(reader, key, json_string_value(given), harts);
    }
    for (size_t i = 0; i < json_array_size(given) && status == PENROSE_OK; i++) {
        const char *name = json_string_value(json_array_get(given, i));
        status = add_harts(reader, key, name ? name : "", harts);
    }
    if (status == PENROSE_OK && !*harts) {
        return program_refuse(reader, key, "\"hart\" is missing: brisc, ncrisc, or trisc");
    }
    return status;
}

/* Two kernels for one hart of a tile. */
static enum penrose_status check_harts(const struct program_reader *reader, const char *key,
                                       unsigned number)
{
    const struct loader_program_kernel *kernel = &reader->program->kernel[number];
    for (unsigned i = 0; i < number; i++) {
        const struct loader_program_kernel *other = &reader->program->kernel[i];
        for (unsigned y = 0; kernel->harts & other->harts && y < reader->program->rows; y++) {
            uint64_t both = kernel->tiles.row[y] & other->tiles.row[y];
            if (both) {
                unsigned hart = (unsigned)__builtin_ctz(kernel->harts & other->harts);
                return program_refuse(
                    reader, key, "%s of logical tile (%u, %u) has kernels[%u] already",
                    arch_hart_name((enum penrose_hart)hart), (unsigned)__builtin_ctzll(both), y, i);
            }
        }
    }
    return PENROSE_OK;
}

static unsigned brisc_noc_of(const struct loader_program_kernel *kernel)
{
    return kernel->harts & 1u << PENROSE_BRISC ? kernel->noc : !kernel->noc;
}

static enum penrose_status read_noc(const struct program_reader *reader, const char *key,
                                    const json_t *object, struct loader_program_kernel *kernel)
{
    const unsigned brisc = 1u << PENROSE_BRISC, ncrisc = 1u << PENROSE_NCRISC;
    unsigned movers = kernel->harts & (brisc | ncrisc);
    kernel->noc = LOADER_ANY_NOC;
    enum penrose_status status = program_constant(reader, key, object, "noc", &kernel->noc);
    if (status == PENROSE_OK && kernel->noc != LOADER_ANY_NOC &&
        (kernel->noc > 1 || (movers != brisc && movers != ncrisc))) {
        return program_refuse(reader, key, "\"noc\" is 0 or 1, of a kernel of brisc or of ncrisc");
    }
    return status;
}

/* Two kernels of a tile that want the same NoC. */
static enum penrose_status check_noc(const struct program_reader *reader, const char *key,
                                     unsigned number)
{
    const struct loader_program_kernel *kernel = &reader->program->kernel[number];
    for (unsigned i = 0; i < number && kernel->noc != LOADER_ANY_NOC; i++) {
        const struct loader_program_kernel *other = &reader->program->kernel[i];
        bool differs = other->noc != LOADER_ANY_NOC && brisc_noc_of(other) != brisc_noc_of(kernel);
        for (unsigned y = 0; differs && y < reader->program->rows; y++) {
            uint64_t both = kernel->tiles.row[y] & other->tiles.row[y];
            if (both) {
                return program_refuse(reader, key,
                                      "logical tile (%u, %u) has NoC %u in kernels[%u]",
                                      (unsigned)__builtin_ctzll(both), y, other->noc, i);
            }
        }
    }
    return PENROSE_OK;
}

unsigned loader_program_noc(const struct loader_program *program, unsigned x, unsigned y)
{
    for (unsigned i = 0; i < program->kernels; i++) {
        const struct loader_program_kernel *kernel = &program->kernel[i];
        if (kernel->noc != LOADER_ANY_NOC && loader_tiles_have(&kernel->tiles, x, y)) {
            return brisc_noc_of(kernel);
        }
    }
    return program->brisc_noc;
}

static enum penrose_status read_kernel(const struct program_reader *reader, const char *key,
                                       const json_t *object, struct loader_program_kernel *kernel)
{
    static const char *const known[] = {
        "hart", "elf", "tiles", "noc", "arguments", "common_arguments", NULL};
    char *elf = NULL;
    enum penrose_status status = program_check_keys(reader, key, object, known);
    status = status ? status : read_harts(reader, key, object, &kernel->harts);
    status = status ? status : program_tiles(reader, key, object, &kernel->tiles);
    status = status ? status : read_noc(reader, key, object, kernel);
    status = status ? status
                    : read_values(reader, key, object, "arguments", LOADER_PROGRAM_VALUES,
                                  &kernel->arguments);
    status = status ? status
                    : read_values(reader, key, object, "common_arguments", LOADER_PROGRAM_VALUES,
                                  &kernel->common_arguments);
    status = status ? status : program_string(reader, key, object, "elf", &elf);
    if (status == PENROSE_OK) {
        kernel->elf = program_path(reader, reader->folders.kernels, elf ? elf : "{hart}.elf");
        status = kernel->elf ? PENROSE_OK : program_no_memory(reader);
    }
    free(elf);
    return status;
}

static enum penrose_status read_kernels(const struct program_reader *reader, const json_t *root)
{
    struct loader_program *program = reader->program;
    const json_t *list = json_object_get(root, "kernels");
    enum penrose_status status = PENROSE_OK;
    size_t count = json_array_size(list);
    const unsigned most = PENROSE_HARTS * program->facts->columns * program->facts->rows;
    if (!count || count > most) {
        return program_refuse(reader, "kernels", "a list of 1 to %u kernels is expected", most);
    }
    program->kernel = calloc(count, sizeof *program->kernel);
    if (!program->kernel) {
        return program_no_memory(reader);
    }
    for (unsigned i = 0; i < count && status == PENROSE_OK; i++) {
        char key[LOADER_KEY];
        snprintf(key, sizeof key, "kernels[%u]", i);
        program->kernels++;
        status = read_kernel(reader, key, json_array_get(list, i), &program->kernel[i]);
        status = status ? status : check_harts(reader, key, i);
        status = status ? status : check_noc(reader, key, i);
    }
    return status;
}

char *loader_hart_path(const char *pattern, enum penrose_hart hart)
{
    static const char place[] = "{hart}";
    char *path = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&path, &size);
    for (const char *at = pattern; stream && *at; at++) {
        bool is_place = strncmp(at, place, sizeof place - 1) == 0;
        if (is_place) {
            fputs(arch_hart_name(hart), stream);
            at += sizeof place - 2;
        } else {
            fputc(*at, stream);
        }
    }
    if (stream && fclose(stream) != 0) {
        free(path);
        path = NULL;
    }
    return path;
}

/* --- Circular buffers --- */

static enum penrose_status read_circular(const struct program_reader *reader, const char *key,
                                         const json_t *object, uint64_t *next,
                                         struct loader_program_circular *buffer)
{
    static const char *const known[] = {"id", "pages", "page_size", "tiles", "address", NULL};
    enum penrose_status status = program_check_keys(reader, key, object, known);
    buffer->id = UINT32_MAX;
    status = status ? status : program_constant(reader, key, object, "id", &buffer->id);
    status = status ? status : program_constant(reader, key, object, "pages", &buffer->pages);
    status =
        status ? status : program_constant(reader, key, object, "page_size", &buffer->page_size);
    status = status ? status : program_tiles(reader, key, object, &buffer->tiles);
    if (status != PENROSE_OK) {
        return status;
    }
    if (buffer->id == UINT32_MAX || !buffer->pages || !buffer->page_size ||
        buffer->page_size % 16) {
        return program_refuse(reader, key,
                              "a circular buffer has \"id\", \"pages\" and \"page_size\", in bytes "
                              "and a multiple of 16");
    }
    return program_take_l1(reader, key, object, (uint64_t)buffer->pages * buffer->page_size, next,
                           &buffer->address);
}

static enum penrose_status check_circular(const struct program_reader *reader, const char *key,
                                          unsigned number)
{
    const struct loader_program_circular *buffer = &reader->program->circular[number];
    for (unsigned i = 0; i < number; i++) {
        const struct loader_program_circular *other = &reader->program->circular[i];
        for (unsigned y = 0; other->id == buffer->id && y < reader->program->rows; y++) {
            uint64_t both = buffer->tiles.row[y] & other->tiles.row[y];
            if (both) {
                return program_refuse(reader, key,
                                      "logical tile (%u, %u) has circular buffer %u already, from "
                                      "circular_buffers[%u]",
                                      (unsigned)__builtin_ctzll(both), y, buffer->id, i);
            }
        }
    }
    return PENROSE_OK;
}

static enum penrose_status read_circulars(const struct program_reader *reader, const json_t *root,
                                          uint64_t *next)
{
    struct loader_program *program = reader->program;
    const json_t *list = json_object_get(root, "circular_buffers");
    enum penrose_status status = PENROSE_OK;
    size_t count = json_array_size(list);
    if (!list) {
        return PENROSE_OK;
    }
    if (!json_is_array(list) || count > LOADER_PROGRAM_BUFFERS) {
        return program_refuse(reader, "circular_buffers", "a list of at most %d is expected",
                              LOADER_PROGRAM_BUFFERS);
    }
    program->circular = calloc(count + 1, sizeof *program->circular);
    if (!program->circular) {
        return program_no_memory(reader);
    }
    for (unsigned i = 0; i < count && status == PENROSE_OK; i++) {
        char key[LOADER_KEY];
        snprintf(key, sizeof key, "circular_buffers[%u]", i);
        status = read_circular(reader, key, json_array_get(list, i), next, &program->circular[i]);
        status = status ? status : check_circular(reader, key, i);
        program->circulars++;
    }
    return status;
}

/* --- Semaphores --- */

static enum penrose_status read_set(const struct program_reader *reader, const char *key,
                                    const json_t *object, struct loader_program_semaphores *set)
{
    static const char *const known[] = {"tiles", "values", NULL};
    enum penrose_status status = program_check_keys(reader, key, object, known);
    status = status ? status : program_tiles(reader, key, object, &set->tiles);
    return status ? status
                  : read_values(reader, key, object, "values", LOADER_PROGRAM_SEMAPHORES,
                                &set->values);
}

/* Numbers for all tiles, or sets of them. */
static enum penrose_status read_semaphores(const struct program_reader *reader, const json_t *root)
{
    struct loader_program *program = reader->program;
    const json_t *list = json_object_get(root, "semaphores");
    bool has_sets = json_is_object(json_array_get(list, 0));
    size_t count = has_sets ? json_array_size(list) : 1;
    enum penrose_status status = PENROSE_OK;
    if (count > LOADER_PROGRAM_BUFFERS) {
        return program_refuse(reader, "semaphores", "at most %d sets are possible",
                              LOADER_PROGRAM_BUFFERS);
    }
    program->semaphore = calloc(count, sizeof *program->semaphore);
    if (!program->semaphore) {
        return program_no_memory(reader);
    }
    for (unsigned i = 0; i < count && status == PENROSE_OK; i++) {
        char key[LOADER_KEY];
        snprintf(key, sizeof key, "semaphores[%u]", i);
        program->semaphores++;
        if (has_sets) {
            status = read_set(reader, key, json_array_get(list, i), &program->semaphore[i]);
        } else {
            status = program_tiles(reader, "semaphores", NULL, &program->semaphore[i].tiles);
            status = status ? status
                            : read_values(reader, "top level", root, "semaphores",
                                          LOADER_PROGRAM_SEMAPHORES, &program->semaphore[i].values);
        }
    }
    return status;
}

const struct loader_values *loader_program_semaphores(const struct loader_program *program,
                                                      unsigned x, unsigned y)
{
    static const struct loader_values none;
    for (unsigned i = 0; i < program->semaphores; i++) {
        if (loader_tiles_have(&program->semaphore[i].tiles, x, y)) {
            return &program->semaphore[i].values;
        }
    }
    return &none;
}

/* --- The whole --- */

static enum penrose_status read_path(const struct program_reader *reader, const json_t *root,
                                     const char *member, char **path)
{
    char *text = NULL;
    enum penrose_status status = program_string(reader, "top level", root, member, &text);
    if (status == PENROSE_OK && text) {
        *path = program_path(reader, NULL, text);
        status = *path ? PENROSE_OK : program_no_memory(reader);
    }
    free(text);
    return status;
}

/* "COLUMNSxROWS"; numbers that are too long stay out of range. */
static bool read_size(const char *text, unsigned *columns, unsigned *rows)
{
    static const char digits[] = "0123456789";
    size_t first = strspn(text, digits),
           second = text[first] ? strspn(text + first + 1, digits) : 0;
    if (!first || text[first] != 'x' || !second || text[first + 1 + second]) {
        return false;
    }
    *columns = first > 4 ? UINT_MAX : (unsigned)strtoul(text, NULL, 10);
    *rows = second > 4 ? UINT_MAX : (unsigned)strtoul(text + first + 1, NULL, 10);
    return true;
}

static enum penrose_status read_grid(const struct program_reader *reader, const json_t *root)
{
    struct loader_program *program = reader->program;
    const json_t *given = json_object_get(root, "grid");
    const char *text = json_string_value(given), *rule = NULL;
    const unsigned columns = program->facts->columns, rows = program->facts->rows;
    if (!given) {
        rule = "the size of the grid is missing";
    } else if (!text || !read_size(text, &program->columns, &program->rows)) {
        rule = "this is no size of a grid";
    } else if (!program->columns || !program->rows || program->columns > columns ||
               program->rows > rows) {
        rule = "a grid of this size is not possible";
    }
    return !rule ? PENROSE_OK
                 : program_refuse(reader, "grid",
                                  "%s%s%.40s%s; write \"COLUMNSxROWS\", 1 to %u columns and 1 to "
                                  "%u rows, for example \"%ux%u\"",
                                  rule, text ? ": '" : "", text ? text : "", text ? "'" : "",
                                  columns, rows, columns, rows);
}

static enum penrose_status read_root(const struct program_reader *reader, const json_t *root)
{
    static const char *const known[] = {
        "description", "grid",       "firmware",         "snapshot", "chip", "noc",     "dram",
        "l1",          "semaphores", "circular_buffers", "kernels",  "let",  "$schema", NULL};
    /* $schema is for editors */
    struct loader_program *program = reader->program;
    uint64_t next = LOADER_L1_FIRST;
    uint32_t noc = 1 /* tt-metal's choice for the hart that writes */, chip = 0;
    enum penrose_status status = program_check_keys(reader, "top level", root, known);
    status = status ? status : read_grid(reader, root);
    status = status ? status : program_constant(reader, "top level", root, "noc", &noc);
    if (status == PENROSE_OK && noc > 1) {
        status = program_refuse(reader, "noc", "BRISC's NoC is 0 or 1; NCRISC has the other one");
    }
    program->brisc_noc = noc;
    status = status ? status : program_constant(reader, "top level", root, "chip", &chip);
    program->chip = chip;
    status = status ? status : read_path(reader, root, "firmware", &program->firmware);
    status = status ? status : read_path(reader, root, "snapshot", &program->snapshot);
    status = status ? status : read_lets(reader, root);
    status = status ? status : program_buffers(reader, root, &next);
    status = status ? status : read_circulars(reader, root, &next);
    status = status ? status : read_semaphores(reader, root);
    return status ? status : read_kernels(reader, root);
}

/* Comments become spaces; lines stay lines. */
static void blank_comments(char *text)
{
    bool in_string = false;
    for (char *at = text; *at; at++) {
        if (in_string && *at == '\\' && at[1]) {
            at++;
        } else if (*at == '"') {
            in_string = !in_string;
        } else if (!in_string && *at == '/' && at[1] == '/') {
            for (; *at && *at != '\n'; at++) {
                *at = ' ';
            }
            at--;
        } else if (!in_string && *at == '/' && at[1] == '*') {
            char *end = strstr(at + 2, "*/");
            end = end ? end + 2 : at + strlen(at);
            for (; at < end; at++) {
                *at = *at == '\n' ? '\n' : ' ';
            }
            at--;
        }
    }
}

static enum penrose_status parse_root(const struct program_reader *reader, const char *text)
{
    char *copy = strdup(text);
    json_error_t reason;
    if (!copy) {
        return program_no_memory(reader);
    }
    blank_comments(copy);
    json_t *root = json_loads(copy, JSON_REJECT_DUPLICATES, &reason);
    free(copy);
    if (!root) {
        return error_set(reader->error, PENROSE_E_FORMAT, "%s:%d: %s (column %d)",
                         reader->program->path, reason.line, reason.text, reason.column);
    }
    enum penrose_status status = read_root(reader, root);
    json_decref(root);
    return status;
}

enum penrose_status loader_program_parse(const struct arch *facts, const char *text, size_t size,
                                         const char *path,
                                         const struct loader_program_folders *folders,
                                         struct loader_program **program,
                                         struct penrose_error *error)
{
    struct loader_program *made = calloc(1, sizeof *made);
    char *copy = strndup(text, size);
    *program = NULL;
    if (made) {
        made->facts = facts;
        made->path = strdup(path);
    }
    if (!made || !made->path || !copy) {
        loader_program_close(made);
        free(copy);
        return error_set(error, PENROSE_E_MEMORY, "no memory to read %s", path);
    }
    struct program_reader reader = {.program = made, .folders = *folders, .error = error};
    enum penrose_status status = PENROSE_OK;
    if (strlen(copy) != size) {
        status =
            error_set(error, PENROSE_E_FORMAT,
                      "%s: there are NUL characters in it; a program description is JSON", path);
    }
    status = status ? status : parse_root(&reader, copy);
    free(copy);
    if (status != PENROSE_OK) {
        loader_program_close(made);
        return status;
    }
    *program = made;
    return PENROSE_OK;
}

enum penrose_status loader_program_open(const struct arch *facts, const char *path,
                                        const struct loader_program_folders *folders,
                                        struct loader_program **program,
                                        struct penrose_error *error)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(MOST_FILE) : NULL;
    size_t size = text ? fread(text, 1, MOST_FILE, file) : 0;
    enum penrose_status status = PENROSE_OK;
    *program = NULL;
    if (!file || (text && ferror(file))) {
        status = error_set(error, PENROSE_E_FILE, "%s cannot be read: %s", path, strerror(errno));
    } else if (!text) {
        status = error_set(error, PENROSE_E_MEMORY, "no memory to read %s", path);
    } else if (size == MOST_FILE) {
        status = error_set(error, PENROSE_E_FORMAT,
                           "%s has more than 4 MiB; that is no program description", path);
    } else {
        status = loader_program_parse(facts, text, size, path, folders, program, error);
    }
    free(text);
    if (file) {
        fclose(file);
    }
    return status;
}

static void free_values(struct loader_values *values)
{
    for (unsigned i = 0; i < values->count; i++) {
        free(values->text[i]);
    }
    free(values->text);
}

void loader_program_close(struct loader_program *program)
{
    if (!program) {
        return;
    }
    for (unsigned i = 0; i < program->buffers; i++) {
        loader_npy_free(&program->buffer[i].contents);
        free(program->buffer[i].name);
        free(program->buffer[i].output);
        free(program->buffer[i].tiles.row);
    }
    for (unsigned i = 0; i < program->kernels; i++) {
        free(program->kernel[i].elf);
        free(program->kernel[i].tiles.row);
        free_values(&program->kernel[i].arguments);
        free_values(&program->kernel[i].common_arguments);
    }
    for (unsigned i = 0; i < program->lets.count; i++) {
        free(program->lets.name[i]);
        free(program->lets.text[i]);
    }
    for (unsigned i = 0; i < program->circulars; i++) {
        free(program->circular[i].tiles.row);
    }
    for (unsigned i = 0; i < program->semaphores; i++) {
        free(program->semaphore[i].tiles.row);
        free_values(&program->semaphore[i].values);
    }
    free(program->semaphore);
    free(program->snapshot);
    free(program->lets.name);
    free(program->lets.text);
    free(program->buffer);
    free(program->circular);
    free(program->kernel);
    free(program->firmware);
    free(program->path);
    free(program);
}
