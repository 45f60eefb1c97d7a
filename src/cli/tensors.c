/* Matrices from .npy files to L1 and back; see tensors.h. */
#include "cli/tensors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/suggest.h"
#include "isa/json_text.h"
#include "loader/layout.h"
#include "chip/calls.h"

#define INPUT_FORM "ADDRESS=FILE.npy:FORMAT[:LAYOUT], for example 0x20000=a.npy:Float16_b"
#define OUTPUT_FORM                                                                                \
    "ADDRESS=FILE.npy:ROWSxCOLUMNS:FORMAT[:LAYOUT], for example 0x40000=c.npy:64x64:Float16_b"

/* --- The command line --- */

/* An option while it is read; `rest` is the text behind "ADDRESS=", cut shorter from its end. */
struct reading {
    const struct cli *cli;
    const char *option, *form, *text;
    char *rest;
};

/* Cuts off what stands behind the last colon. NULL when there is none. */
static char *cut_last(struct reading *reading)
{
    char *colon = strrchr(reading->rest, ':');
    if (!colon) {
        return NULL;
    }
    *colon = 0;
    return colon + 1;
}

static error_t refuse_form(const struct reading *reading)
{
    return options_refuse(reading->cli, "%s: '%s' is incomplete; write %s", reading->option,
                          reading->text, reading->form);
}

static error_t refuse_format(const struct reading *reading, const char *word)
{
    struct suggestion nearest = {.word = word};
    const char *name;
    for (unsigned i = 0; (name = loader_tensor_format_list(i)); i++) {
        suggest(&nearest, name);
    }
    suggest(&nearest, "tiles");
    suggest(&nearest, "rows");
    if (nearest.best) {
        return options_refuse(reading->cli, "%s: there is no format '%s'; did you mean %s?",
                              reading->option, word, nearest.best);
    }
    return options_refuse(
        reading->cli,
        "%s: there is no format '%s'; write %s; formats are Float32, Tf32, "
        "Float16, Float16_b, Bfp8, Bfp8_b, Int8, UInt16 and others, see penrose(1)",
        reading->option, word, reading->form);
}

/* FORMAT[:LAYOUT] at the end. */
static error_t read_form(struct reading *reading, struct loader_tensor_form *form)
{
    char *word = cut_last(reading);
    form->layout = LOADER_TILES;
    if (word && (strcasecmp(word, "rows") == 0 || strcasecmp(word, "tiles") == 0)) {
        form->layout = strcasecmp(word, "rows") == 0 ? LOADER_ROWS : LOADER_TILES;
        word = cut_last(reading);
    }
    if (!word) {
        return refuse_form(reading);
    }
    return loader_tensor_format(word, form) ? 0 : refuse_format(reading, word);
}

/* ROWSxCOLUMNS */
static error_t read_tensor_shape(struct reading *reading, char *word, struct loader_tensor *tensor)
{
    enum { MOST = 1 << 24 };
    uint64_t rows = 0, columns = 0;
    char *x = word ? strpbrk(word, "xX") : NULL;
    if (!x || x == word || !x[1]) {
        return refuse_form(reading);
    }
    *x = 0;
    error_t error = options_number(reading->cli, reading->option, word, MOST, &rows);
    error = error ? error : options_number(reading->cli, reading->option, x + 1, MOST, &columns);
    if (!error && (!rows || !columns)) {
        return options_refuse(reading->cli, "%s: %s has a shape without elements", reading->option,
                              reading->text);
    }
    tensor->rows = (uint32_t)rows;
    tensor->columns = (uint32_t)columns;
    return error;
}

static error_t read_file_option(struct reading *reading, bool has_shape, struct tensor_file *file)
{
    uint64_t address;
    char *equals = strchr(reading->rest, '=');
    if (!equals) {
        return refuse_form(reading);
    }
    *equals = 0;
    error_t error =
        options_number(reading->cli, reading->option, reading->rest, UINT32_MAX, &address);
    reading->rest = equals + 1;
    error = error ? error : read_form(reading, &file->tensor.form);
    if (!error && has_shape) {
        error = read_tensor_shape(reading, cut_last(reading), &file->tensor);
    }
    if (!error && !*reading->rest) {
        error = refuse_form(reading);
    }
    if (!error) {
        file->address = (uint32_t)address;
        file->path = strdup(reading->rest);
        error = file->path ? 0 : ENOMEM;
    }
    return error;
}

static error_t add_tensor(struct tensor_list *list, const struct tensor_file *file)
{
    struct tensor_file *grown = realloc(list->file, (list->count + (size_t)1) * sizeof *grown);
    if (!grown) {
        free(file->path);
        return ENOMEM;
    }
    list->file = grown;
    list->file[list->count++] = *file;
    return 0;
}

static error_t parse_file(struct tensor_list *list, const struct cli *cli, bool has_shape,
                          const char *text)
{
    struct tensor_file file = {0};
    char *copy = strdup(text);
    if (!copy) {
        return ENOMEM;
    }
    struct reading reading = {.cli = cli,
                              .option = has_shape ? "--output" : "--input",
                              .form = has_shape ? OUTPUT_FORM : INPUT_FORM,
                              .text = text,
                              .rest = copy};
    error_t error = read_file_option(&reading, has_shape, &file);
    free(copy);
    return error ? error : add_tensor(list, &file);
}

error_t tensors_parse_input(struct tensor_options *options, const struct cli *cli, const char *text)
{
    return parse_file(&options->input, cli, false, text);
}

error_t tensors_parse_output(struct tensor_options *options, const struct cli *cli,
                             const char *text)
{
    return parse_file(&options->output, cli, true, text);
}

error_t tensors_parse_region(const struct cli *cli, const char *text, uint64_t *address,
                             struct loader_tensor *tensor)
{
    struct penrose_error problem;
    char *copy = strdup(text), *equals = copy ? strchr(copy, '=') : NULL;
    struct reading reading = {.cli = cli,
                              .option = "--region",
                              .form = "ADDRESS=ROWSxCOLUMNS:FORMAT[:LAYOUT]",
                              .text = text,
                              .rest = equals ? equals + 1 : copy};
    error_t error = !copy ? ENOMEM : equals ? 0 : refuse_form(&reading);
    if (!error) {
        *equals = 0;
        error = options_number(cli, reading.option, copy, UINT32_MAX, address);
    }
    error = error ? error : read_form(&reading, &tensor->form);
    error = error ? error : read_tensor_shape(&reading, reading.rest, tensor);
    if (!error && loader_tensor_check(tensor, text, &problem) != PENROSE_OK) {
        error = options_refuse(cli, "--region: %s", problem.text);
    }
    free(copy);
    return error;
}

static void free_list(struct tensor_list *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        free(list->file[i].path);
        free(list->file[i].bytes);
        output_file_free(&list->file[i].out);
    }
    free(list->file);
    *list = (struct tensor_list){0};
}

void tensors_free(struct tensor_options *options)
{
    free_list(&options->input);
    free_list(&options->output);
}

/* --- Before the run --- */

/* Shape, alignment and end of a tensor in L1. */
static enum cli_exit check_range(const struct cli *cli, const char *option,
                                 const struct tensor_file *file)
{
    struct penrose_error error;
    uint64_t size = loader_tensor_size(&file->tensor);
    uint32_t alignment = loader_tensor_alignment(&file->tensor);
    if (loader_tensor_check(&file->tensor, file->path, &error) != PENROSE_OK) {
        return complain(cli, "%s: %s", option, error.text);
    }
    if (file->address % alignment) {
        return complain(cli, "%s: %s: %s in %s begin at multiples of %u, which 0x%x is not", option,
                        file->path, loader_tensor_layout_name(&file->tensor.form),
                        loader_tensor_format_name(&file->tensor.form), alignment, file->address);
    }
    const uint32_t l1_bytes = cli->kind->arch->l1_bytes[PENROSE_TILE_TENSIX];
    if (size > l1_bytes || file->address > l1_bytes - size) {
        return complain(cli,
                        "%s: %s: %" PRIu64
                        " bytes (%ux%u %s, %s) at 0x%x do not fit L1, which ends "
                        "at 0x%x",
                        option, file->path, size, file->tensor.rows, file->tensor.columns,
                        loader_tensor_format_name(&file->tensor.form),
                        loader_tensor_layout_name(&file->tensor.form), file->address, l1_bytes);
    }
    return CLI_DONE;
}

static enum cli_exit prepare_input(const struct cli *cli, struct tensor_file *file)
{
    struct loader_npy array;
    struct penrose_error error;
    if (loader_npy_read(file->path, &array, &error) != PENROSE_OK) {
        return complain(cli, "--input: %s", error.text);
    }
    file->tensor.rows = array.rows;
    file->tensor.columns = array.columns;
    enum cli_exit exit = check_range(cli, "--input", file);
    if (!exit) {
        file->bytes = malloc((size_t)loader_tensor_size(&file->tensor));
        if (!file->bytes) {
            exit = complain(cli, "--input: no memory for %s", file->path);
        } else if (loader_tensor_encode(&file->tensor, &array, file->bytes, &error) != PENROSE_OK) {
            exit = complain(cli, "--input: %s", error.text);
        }
    }
    loader_npy_free(&array);
    return exit;
}

static enum cli_exit refuse_overlap(const struct cli *cli, const char *option_a,
                                    const struct tensor_file *a, const char *option_b,
                                    const struct tensor_file *b)
{
    return complain(cli,
                    "%s %s (0x%x to 0x%" PRIx64 ") and %s %s (0x%x to 0x%" PRIx64
                    ") overlap; give each memory of its own",
                    option_a, a->path, a->address, a->address + loader_tensor_size(&a->tensor) - 1,
                    option_b, b->path, b->address, b->address + loader_tensor_size(&b->tensor) - 1);
}

static bool overlap(const struct tensor_file *a, const struct tensor_file *b)
{
    return a->address < b->address + loader_tensor_size(&b->tensor) &&
           b->address < a->address + loader_tensor_size(&a->tensor);
}

/* Among the first `count` files of a list, none overlaps `file`; an output may lie where an input
 * begins, for work in place. */
static enum cli_exit check_overlaps(const struct cli *cli, const struct tensor_list *list,
                                    unsigned count, bool of_inputs, const struct tensor_file *file,
                                    bool is_input)
{
    for (unsigned i = 0; i < count; i++) {
        const struct tensor_file *other = &list->file[i];
        bool in_place = of_inputs && !is_input && other->address == file->address;
        if (!in_place && overlap(other, file)) {
            return refuse_overlap(cli, of_inputs ? "--input" : "--output", other,
                                  is_input ? "--input" : "--output", file);
        }
        if (!of_inputs && strcmp(other->out.target, file->out.target) == 0) {
            return complain(cli, "--output: %s is named twice", file->path);
        }
    }
    return CLI_DONE;
}

enum cli_exit tensors_prepare(struct tensor_options *options, const struct cli *cli)
{
    struct tensor_list *inputs = &options->input, *outputs = &options->output;
    enum cli_exit exit = CLI_DONE;
    for (unsigned i = 0; i < inputs->count && !exit; i++) {
        exit = prepare_input(cli, &inputs->file[i]);
        exit = exit ? exit : check_overlaps(cli, inputs, i, true, &inputs->file[i], true);
    }
    for (unsigned i = 0; i < outputs->count && !exit; i++) {
        struct tensor_file *file = &outputs->file[i];
        exit = check_range(cli, "--output", file);
        file->out = (struct output_file){.label = "--output", .path = file->path};
        exit = exit ? exit : output_file_check(cli, &file->out);
        exit = exit ? exit : check_overlaps(cli, inputs, inputs->count, true, file, false);
        exit = exit ? exit : check_overlaps(cli, outputs, i, false, file, false);
    }
    return exit;
}

enum cli_exit tensors_write(const struct tensor_options *options, const struct cli *cli,
                            struct penrose_chip *chip, struct penrose_place tile)
{
    for (unsigned i = 0; i < options->input.count; i++) {
        const struct tensor_file *file = &options->input.file[i];
        struct penrose_error error;
        if (penrose_write(chip, tile.x, tile.y, file->address, file->bytes,
                          (size_t)loader_tensor_size(&file->tensor), &error) != PENROSE_OK) {
            return complain(cli, "--input: %s: %s", file->path, error.text);
        }
    }
    return CLI_DONE;
}

/* --- After the run --- */

static enum cli_exit make_pending(const struct cli *cli, struct tensor_file *file,
                                  struct penrose_chip *chip, struct penrose_place tile)
{
    struct penrose_error error;
    struct loader_npy array = {0};
    size_t size = (size_t)loader_tensor_size(&file->tensor), length;
    uint8_t *bytes = malloc(size), *text = NULL;
    enum cli_exit exit = CLI_DONE;
    if (bytes &&
        penrose_peek(chip, tile.x, tile.y, file->address, bytes, size, &error) != PENROSE_OK) {
        exit = complain(cli, "--output: %s: %s", file->path, error.text);
    } else if (!bytes || !loader_tensor_decode(&file->tensor, bytes, &array) ||
               !(text = loader_npy_format(&array, &length))) {
        exit = complain(cli, "--output: no memory for %s", file->path);
    } else {
        exit = output_file_write(cli, &file->out, text, length);
    }
    loader_npy_free(&array);
    free(text);
    free(bytes);
    return exit;
}

/* All files, or none of them. */
static enum cli_exit write_outputs(struct tensor_list *list, const struct cli *cli,
                                   struct penrose_chip *chip, struct penrose_place tile)
{
    enum cli_exit exit = CLI_DONE;
    for (unsigned i = 0; i < list->count && !exit; i++) {
        exit = make_pending(cli, &list->file[i], chip, tile);
    }
    for (unsigned i = 0; i < list->count; i++) {
        exit = output_file_finish(cli, &list->file[i].out, exit);
    }
    return exit;
}

static json_t *file_json(const struct tensor_file *file)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_text(file->path));
    json_object_set_new(object, "address", json_address(file->address));
    json_set_count(object, "bytes", loader_tensor_size(&file->tensor));
    json_set_count(object, "rows", file->tensor.rows);
    json_set_count(object, "columns", file->tensor.columns);
    json_object_set_new(object, "format", json_text(loader_tensor_format_name(&file->tensor.form)));
    json_object_set_new(object, "layout", json_text(loader_tensor_layout_name(&file->tensor.form)));
    return object;
}

static void add_json(json_t *result, const char *name, const struct tensor_list *list,
                     json_t *written)
{
    json_t *files = list->count ? json_array() : NULL;
    for (unsigned i = 0; i < list->count; i++) {
        json_t *object = file_json(&list->file[i]);
        if (written) {
            json_object_set(object, "written", written);
        }
        json_array_append_new(files, object);
    }
    if (files) {
        json_object_set_new(result, name, files);
    }
}

enum cli_exit tensors_finish(struct tensor_options *options, const struct cli *cli,
                             struct penrose_chip *chip, struct penrose_place tile,
                             enum cli_exit exit, json_t *result)
{
    if (cli->witness) {
        return CLI_DONE;
    }
    enum cli_exit written = exit ? CLI_DONE : write_outputs(&options->output, cli, chip, tile);
    if (exit && options->output.count) {
        note("no --output was written, as the run was not done");
    }
    if (result && !written) {
        add_json(result, "inputs", &options->input, NULL);
        add_json(result, "outputs", &options->output, json_boolean(!exit));
    }
    for (unsigned i = 0; i < options->output.count && !result && !exit && !written; i++) {
        const struct tensor_file *file = &options->output.file[i];
        printf("%s: %u x %u from 0x%08x, %s in %s\n", file->path, file->tensor.rows,
               file->tensor.columns, file->address, loader_tensor_format_name(&file->tensor.form),
               loader_tensor_layout_name(&file->tensor.form));
    }
    return written;
}
