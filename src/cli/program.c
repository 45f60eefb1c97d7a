/*
 * Programs on a grid; see program.h. What can be wrong with a description is found before anything
 * runs: files and shapes when it is read (loader/program.c), expressions once the chip is known.
 */
#include "cli/program.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/metal.h>

#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/session_results.h"
#include "cli/units.h"
#include "isa/json_text.h"
#include "loader/program.h"
#include "observe/inside.h"

enum { MOST_OUTPUT_MIB = 256 }; /* without --trust-outputs */

/* What a kernel is given on one tile. */
struct given {
    uint32_t arguments[LOADER_PROGRAM_VALUES], common[LOADER_PROGRAM_VALUES];
};

struct run {
    struct cli *cli;
    struct machine_options *machine;
    struct loader_program *program;
    struct session session;
    uint8_t *noc_x, *noc_y; /* of each column and row of workers */
    struct loader_place place;
    struct output_file *file;           /* of each buffer; without an output its path is NULL */
    uint64_t started;                   /* cycle at which the kernels were launched */
    uint64_t (*retired)[PENROSE_HARTS]; /* instructions of each tile's harts before that */
    bool counts_units;
};

bool program_is_description(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static enum cli_exit no_memory(const struct run *run)
{
    return complain(run->cli, "%s: no memory", run->program->path);
}

/* --- The chip --- */

static bool has_kernel(const struct loader_program *program, unsigned x, unsigned y)
{
    bool has_one = false;
    for (unsigned i = 0; i < program->kernels; i++) {
        has_one |= loader_tiles_have(&program->kernel[i].tiles, x, y);
    }
    return has_one;
}

/* Logical coordinates to those of the NoC. Of a snapshot only tiles with kernels are of interest. */
static enum cli_exit find_tiles(struct run *run)
{
    const struct loader_program *program = run->program;
    struct machine_options *machine = run->machine;
    struct penrose_place at;
    unsigned columns = 0, rows = 0;
    for (size_t i = 0; penrose_tile_at(run->session.chip, PENROSE_TILE_TENSIX, i, &at); i++) {
        if (rows == 0 || at.y != run->noc_y[rows - 1]) {
            run->noc_y[rows++] = (uint8_t)at.y;
        }
        if (rows == 1) {
            run->noc_x[columns++] = (uint8_t)at.x;
        }
    }
    if (program->columns > columns || program->rows > rows) {
        return complain(run->cli, "%s: grid: %ux%u tiles, but the chip has %ux%u", program->path,
                        program->columns, program->rows, columns, rows);
    }
    machine->tiles = 0;
    for (unsigned y = 0; y < program->rows; y++) {
        for (unsigned x = 0; x < program->columns; x++) {
            if (!program->snapshot || has_kernel(program, x, y)) {
                machine_options_add_tile(machine, run->place.noc_x[x], run->place.noc_y[y]);
            }
        }
    }
    machine->workers = machine->tiles;
    run->place.has_chip = true;
    return CLI_DONE;
}

static enum cli_exit find_banks(struct run *run)
{
    struct penrose_error error;
    unsigned banks = penrose_firmware_dram_banks(run->session.firmware), x, y;
    if (!banks || !penrose_dram_bank(run->session.chip, 0, banks - 1, &x, &y)) {
        return complain(run->cli,
                        "%s: its firmware is for %u DRAM banks, which this chip does not have; "
                        "choose another --card or --firmware",
                        run->program->path, banks);
    }
    run->place.banks = banks;
    return loader_program_place(run->program, banks, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(run->cli, "%s", error.text);
}

/* What was at work on other tiles of a snapshot must not disturb: a host's dispatch would send the
 * next program. */
static enum cli_exit hold_others(const struct run *run)
{
    const struct machine_options *machine = run->machine;
    struct penrose_chip *chip = run->session.chip;
    struct penrose_place at;
    for (size_t i = 0; penrose_tile_at(chip, PENROSE_TILE_TENSIX, i, &at); i++) {
        bool is_ours = false;
        for (unsigned k = 0; k < machine->tiles; k++) {
            is_ours |= machine->tile[k].x == at.x && machine->tile[k].y == at.y;
        }
        for (unsigned hart = 0; hart < PENROSE_HARTS && !is_ours; hart++) {
            struct penrose_error error;
            if (penrose_hart_hold(chip, at.x, at.y, (enum penrose_hart)hart, &error) !=
                PENROSE_OK) {
                return complain(run->cli, "%s", error.text);
            }
        }
    }
    return CLI_DONE;
}

/* --- Buffers --- */

/* Moves a page between a host's buffer and the bank that it lies in. */
static enum cli_exit move_page(const struct run *run, const struct loader_program_buffer *buffer,
                               uint32_t page, uint8_t *bytes, size_t size, bool to_chip)
{
    unsigned banks = run->place.banks, x = 0, y = 0;
    uint64_t address = buffer->address + (uint64_t)(page / banks) * buffer->page_size;
    struct penrose_error error;
    penrose_dram_bank(run->session.chip, 0, page % banks, &x, &y);
    enum penrose_status status =
        to_chip ? penrose_write(run->session.chip, x, y, address, bytes, size, &error)
                : penrose_read(run->session.chip, x, y, address, bytes, size, &error);
    return status == PENROSE_OK ? CLI_DONE
                                : complain(run->cli, "%s: dram.%s: %s", run->program->path,
                                           buffer->name, error.text);
}

static enum cli_exit move_dram(const struct run *run, const struct loader_program_buffer *buffer,
                               uint8_t *bytes, bool to_chip)
{
    size_t size = (size_t)loader_tensor_size(&buffer->tensor) / buffer->pages;
    enum cli_exit exit = CLI_DONE;
    for (uint32_t page = 0; page < buffer->pages && !exit; page++) {
        exit = move_page(run, buffer, page, bytes + page * size, size, to_chip);
    }
    return exit;
}

/* The array as datums. */
static enum cli_exit encode(const struct run *run, const struct loader_program_buffer *buffer,
                            const struct loader_npy *array, uint8_t **bytes)
{
    struct penrose_error error;
    *bytes = malloc((size_t)loader_tensor_size(&buffer->tensor));
    if (!*bytes) {
        return no_memory(run);
    }
    return loader_tensor_encode(&buffer->tensor, array, *bytes, &error) == PENROSE_OK
               ? CLI_DONE
               : complain(run->cli, "%s: %s: %s", run->program->path, buffer->name, error.text);
}

static enum cli_exit fill_tile(const struct run *run, const struct loader_program_buffer *buffer,
                               unsigned x, unsigned y, unsigned part)
{
    struct loader_npy array = buffer->contents;
    struct penrose_error error;
    uint8_t *bytes = NULL;
    if (buffer->is_split) {
        array.rows = buffer->tensor.rows;
        array.data += (size_t)part * array.rows * array.columns * array.size;
    }
    enum cli_exit exit = encode(run, buffer, &array, &bytes);
    if (!exit && penrose_write(run->session.chip, run->place.noc_x[x], run->place.noc_y[y],
                               buffer->address, bytes, buffer->page_size, &error) != PENROSE_OK) {
        exit = complain(run->cli, "%s: l1.%s: %s", run->program->path, buffer->name, error.text);
    }
    free(bytes);
    return exit;
}

static enum cli_exit fill_buffer(const struct run *run, const struct loader_program_buffer *buffer)
{
    enum cli_exit exit = CLI_DONE;
    uint8_t *bytes = NULL;
    unsigned part = 0;
    if (buffer->kind == LOADER_BUFFER_DRAM) {
        exit = encode(run, buffer, &buffer->contents, &bytes);
        exit = exit ? exit : move_dram(run, buffer, bytes, true);
        free(bytes);
        return exit;
    }
    for (unsigned y = 0; y < run->program->rows; y++) {
        for (unsigned x = 0; x < run->program->columns && !exit; x++) {
            if (loader_tiles_have(&buffer->tiles, x, y)) {
                exit = fill_tile(run, buffer, x, y, part++);
            }
        }
    }
    return exit;
}

static enum cli_exit fill_all(const struct run *run)
{
    enum cli_exit exit = CLI_DONE;
    for (unsigned i = 0; i < run->program->buffers && !exit; i++) {
        if (run->program->buffer[i].has_input) {
            exit = fill_buffer(run, &run->program->buffer[i]);
        }
    }
    return exit;
}

/* --- What checks are told --- */

static bool tell_range(const struct run *run, struct check_allocation range)
{
    return inside(run->session.chip)->check_allocated(run->session.chip, &range);
}

/* Of a buffer in DRAM each bank has every so many pages. */
static bool tell_dram(const struct run *run, const struct loader_program_buffer *buffer)
{
    const unsigned banks = run->place.banks;
    char name[64];
    bool has_room = true;
    snprintf(name, sizeof name, "dram.%s", buffer->name);
    for (unsigned bank = 0; bank < banks && bank < buffer->pages && has_room; bank++) {
        struct check_allocation range = {.address = buffer->address, .name = name};
        penrose_dram_bank(run->session.chip, 0, bank, &range.x, &range.y);
        range.size = (uint64_t)((buffer->pages - bank + banks - 1) / banks) * buffer->page_size;
        has_room = tell_range(run, range);
    }
    return has_room;
}

/* What lies in the L1 of a tile. */
static bool tell_tile(const struct run *run, unsigned x, unsigned y)
{
    const struct loader_program *program = run->program;
    struct check_allocation range = {.x = run->place.noc_x[x], .y = run->place.noc_y[y]};
    char name[64];
    bool has_room = true;
    for (unsigned i = 0; i < program->buffers && has_room; i++) {
        const struct loader_program_buffer *buffer = &program->buffer[i];
        if (buffer->kind == LOADER_BUFFER_L1 && loader_tiles_have(&buffer->tiles, x, y)) {
            snprintf(name, sizeof name, "l1.%s", buffer->name);
            range.address = buffer->address;
            range.size = buffer->page_size;
            range.name = name;
            has_room = tell_range(run, range);
        }
    }
    range.is_circular = true;
    for (unsigned i = 0; i < program->circulars && has_room; i++) {
        const struct loader_program_circular *circular = &program->circular[i];
        if (loader_tiles_have(&circular->tiles, x, y)) {
            snprintf(name, sizeof name, "circular buffer %u", circular->id);
            range.address = circular->address;
            range.size = (uint64_t)circular->pages * circular->page_size;
            range.name = name;
            has_room = tell_range(run, range);
        }
    }
    return has_room;
}

/* A program that begins as a snapshot has buffers of which its description says nothing. */
static enum cli_exit tell_checks(const struct run *run)
{
    const struct loader_program *program = run->program;
    bool has_room = true;
    for (unsigned i = 0; i < program->buffers && has_room && !program->snapshot; i++) {
        has_room =
            program->buffer[i].kind != LOADER_BUFFER_DRAM || tell_dram(run, &program->buffer[i]);
    }
    for (unsigned y = 0; y < program->rows && !program->snapshot; y++) {
        for (unsigned x = 0; x < program->columns && has_room; x++) {
            has_room = tell_tile(run, x, y);
        }
    }
    return has_room ? CLI_DONE : no_memory(run);
}

/* --- Launching --- */

static enum cli_exit evaluate(const struct run *run, const char *key,
                              const struct loader_values *values, uint32_t *result)
{
    for (unsigned i = 0; i < values->count; i++) {
        struct penrose_error error;
        if (loader_expression(values->text[i], &run->place, &result[i], &error) != PENROSE_OK) {
            return complain(run->cli, "%s: %s[%u]: '%s' on logical tile (%u, %u): %s",
                            run->program->path, key, i, values->text[i], run->place.x, run->place.y,
                            error.text);
        }
    }
    return CLI_DONE;
}

/* The kernel number `number` of the description on the tile at run->place. */
static enum cli_exit prepare_kernel(const struct run *run, unsigned number, struct given *given,
                                    struct penrose_launch *launch)
{
    const struct loader_program_kernel *kernel = &run->program->kernel[number];
    char key[64];
    snprintf(key, sizeof key, "kernels[%u].arguments", number);
    enum cli_exit exit = evaluate(run, key, &kernel->arguments, given->arguments);
    snprintf(key, sizeof key, "kernels[%u].common_arguments", number);
    exit = exit ? exit : evaluate(run, key, &kernel->common_arguments, given->common);
    for (unsigned hart = 0; hart < PENROSE_HARTS && !exit; hart++) {
        if (!(kernel->harts & 1u << hart)) {
            continue;
        }
        char *path = loader_hart_path(kernel->elf, (enum penrose_hart)hart);
        if (!path) {
            return no_memory(run);
        }
        launch->kernel[hart] =
            (struct penrose_kernel){.path = path,
                                    .arguments = given->arguments,
                                    .arguments_count = kernel->arguments.count,
                                    .common_arguments = given->common,
                                    .common_arguments_count = kernel->common_arguments.count};
    }
    return exit;
}

/* The kernels on the tile at run->place, which has five harts: "kernels[0], kernels[3]". */
static void name_kernels(const struct run *run, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (unsigned i = 0; i < run->program->kernels && length < size; i++) {
        if (loader_tiles_have(&run->program->kernel[i].tiles, run->place.x, run->place.y)) {
            length += (size_t)snprintf(text + length, size - length, "%skernels[%u]",
                                       length ? ", " : "", i);
        }
    }
}

/* Launches what the description has for the tile at run->place. */
static enum cli_exit launch_tile(struct run *run, struct given *given,
                                 struct penrose_circular_buffer *buffers)
{
    const struct loader_program *program = run->program;
    const unsigned x = run->place.x, y = run->place.y;
    const struct loader_values *values = loader_program_semaphores(program, x, y);
    uint32_t semaphores[LOADER_PROGRAM_SEMAPHORES];
    struct penrose_launch launch = {.size = sizeof launch,
                                    .buffers = buffers,
                                    .semaphores = semaphores,
                                    .semaphores_count = values->count,
                                    .brisc_noc = loader_program_noc(program, x, y)};
    struct penrose_error error;
    bool any = false;
    enum cli_exit exit = evaluate(run, "semaphores", values, semaphores);
    for (unsigned i = 0; i < program->circulars; i++) {
        const struct loader_program_circular *circular = &program->circular[i];
        if (loader_tiles_have(&circular->tiles, x, y)) {
            buffers[launch.buffers_count++] =
                (struct penrose_circular_buffer){.id = circular->id,
                                                 .address = circular->address,
                                                 .size = circular->pages * circular->page_size,
                                                 .pages = circular->pages,
                                                 .page_size = circular->page_size};
        }
    }
    for (unsigned i = 0; i < program->kernels && !exit; i++) {
        if (loader_tiles_have(&program->kernel[i].tiles, x, y)) {
            exit = prepare_kernel(run, i, &given[i], &launch);
            any = true;
        }
    }
    if (!exit && any &&
        penrose_launch(run->session.chip, run->place.noc_x[x], run->place.noc_y[y],
                       run->session.firmware, &launch, &error) != PENROSE_OK) {
        char names[96];
        name_kernels(run, names, sizeof names);
        exit = complain(run->cli, "%s: %s on logical tile (%u, %u): %s", program->path, names, x, y,
                        error.text);
    }
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        free((char *)(uintptr_t)launch.kernel[hart].path);
    }
    return exit;
}

static enum cli_exit launch_all(struct run *run)
{
    const struct loader_program *program = run->program;
    struct given *given = calloc(program->kernels, sizeof *given);
    struct penrose_circular_buffer *buffers = calloc(program->circulars + 1, sizeof *buffers);
    enum cli_exit exit = given && buffers ? CLI_DONE : no_memory(run);
    run->started = penrose_now(run->session.chip);
    run->place.has_tile = true;
    for (unsigned y = 0; y < program->rows; y++) {
        for (unsigned x = 0; x < program->columns && !exit; x++) {
            run->place.x = x;
            run->place.y = y;
            exit = launch_tile(run, given, buffers);
        }
    }
    free(given);
    free(buffers);
    return exit;
}

/* --- Results --- */

/* The bytes of an output's file: numbers of four bytes, mostly. */
static uint64_t output_bytes(const struct loader_program_buffer *buffer)
{
    uint64_t parts = buffer->kind == LOADER_BUFFER_L1 ? buffer->tiles.count : 1;
    return parts * buffer->tensor.rows * buffer->tensor.columns * sizeof(float);
}

/* A description may come from elsewhere: it does not fill disks. */
static enum cli_exit check_sizes(const struct run *run)
{
    const uint64_t most = MOST_OUTPUT_MIB;
    uint64_t size = 0;
    for (unsigned i = 0; i < run->program->buffers; i++) {
        const struct loader_program_buffer *buffer = &run->program->buffer[i];
        size += buffer->output ? output_bytes(buffer) >> 10 : 0;
    }
    return size >> 10 < most
               ? CLI_DONE
               : complain(run->cli,
                          "%s: its outputs have %" PRIu64 " MiB together, and only %" PRIu64
                          " are written unasked; add --trust-outputs if they are to be",
                          run->program->path, size >> 10, most);
}

/* Nor does it write outside of the folder of its data. Links are followed before. */
static enum cli_exit check_folder(const struct run *run, const char *folder,
                                  const struct output_file *file)
{
    size_t length = strlen(folder);
    bool is_inside = strncmp(file->target, folder, length) == 0 &&
                     (file->target[length] == '/' || folder[length - 1] == '/');
    return is_inside ? CLI_DONE
                     : complain(run->cli,
                                "%s: the output %s is outside of the folder %s; add "
                                "--trust-outputs if it is to be written",
                                run->program->path, file->path, folder);
}

static enum cli_exit check_output(const struct run *run, unsigned number, const char *folder)
{
    const struct loader_program *program = run->program;
    struct output_file *file = &run->file[number];
    *file = (struct output_file){.label = program->path, .path = program->buffer[number].output};
    enum cli_exit exit = output_file_check(run->cli, file);
    exit = exit || !folder ? exit : check_folder(run, folder, file);
    for (unsigned i = 0; i < number && !exit; i++) {
        if (run->file[i].path && strcmp(file->target, run->file[i].target) == 0) {
            exit =
                complain(run->cli, "%s: %s is the output of two buffers, %s and %s", program->path,
                         file->path, program->buffer[i].name, program->buffer[number].name);
        }
    }
    return exit;
}

static enum cli_exit check_outputs(const struct run *run, const struct program_options *options)
{
    char *copy = strdup(run->program->path), *folder = NULL;
    enum cli_exit exit = CLI_DONE;
    if (copy && !options->trusts_outputs) {
        folder = realpath(options->data ? options->data : dirname(copy), NULL);
        exit = folder
                   ? check_sizes(run)
                   : complain(run->cli, "%s: its folder: %s", run->program->path, strerror(errno));
    }
    for (unsigned i = 0; i < run->program->buffers && !exit; i++) {
        exit = run->program->buffer[i].output ? check_output(run, i, folder) : CLI_DONE;
    }
    exit = copy ? exit : no_memory(run);
    free(folder);
    free(copy);
    return exit;
}

/* Copies the parts of an L1 buffer, tile by tile, below each other. */
static enum cli_exit gather_tiles(const struct run *run, const struct loader_program_buffer *buffer,
                                  struct loader_npy *array)
{
    uint8_t *bytes = malloc(buffer->page_size);
    enum cli_exit exit = bytes ? CLI_DONE : no_memory(run);
    size_t done = 0;
    for (unsigned i = 0; i < run->program->rows * run->program->columns && !exit; i++) {
        unsigned x = i % run->program->columns, y = i / run->program->columns;
        struct loader_npy part = {0};
        struct penrose_error error;
        if (!loader_tiles_have(&buffer->tiles, x, y)) {
            continue;
        }
        if (penrose_read(run->session.chip, run->place.noc_x[x], run->place.noc_y[y],
                         buffer->address, bytes, buffer->page_size, &error) != PENROSE_OK) {
            exit =
                complain(run->cli, "%s: l1.%s: %s", run->program->path, buffer->name, error.text);
        } else if (!loader_tensor_decode(&buffer->tensor, bytes, &part) ||
                   (!array->data &&
                    !loader_npy_make(array, part.kind, part.size, part.rows * buffer->tiles.count,
                                     part.columns))) {
            exit = no_memory(run);
        } else {
            size_t size = (size_t)part.rows * part.columns * part.size;
            memcpy(array->data + done, part.data, size);
            done += size;
        }
        loader_npy_free(&part);
    }
    free(bytes);
    return exit;
}

static enum cli_exit fetch_buffer(const struct run *run, const struct loader_program_buffer *buffer,
                                  struct loader_npy *array)
{
    if (buffer->kind == LOADER_BUFFER_L1) {
        return gather_tiles(run, buffer, array);
    }
    uint8_t *bytes = malloc((size_t)loader_tensor_size(&buffer->tensor));
    enum cli_exit exit = bytes ? move_dram(run, buffer, bytes, false) : no_memory(run);
    if (!exit && !loader_tensor_decode(&buffer->tensor, bytes, array)) {
        exit = no_memory(run);
    }
    free(bytes);
    return exit;
}

static enum cli_exit write_outputs(const struct run *run)
{
    enum cli_exit exit = CLI_DONE;
    for (unsigned i = 0; i < run->program->buffers && !exit; i++) {
        struct loader_npy array = {0};
        size_t length;
        if (!run->file[i].path) {
            continue;
        }
        exit = fetch_buffer(run, &run->program->buffer[i], &array);
        uint8_t *text = exit ? NULL : loader_npy_format(&array, &length);
        if (!exit) {
            exit = text ? output_file_write(run->cli, &run->file[i], text, length) : no_memory(run);
        }
        free(text);
        loader_npy_free(&array);
    }
    for (unsigned i = 0; i < run->program->buffers; i++) {
        if (run->file[i].path) {
            exit = output_file_finish(run->cli, &run->file[i], exit);
        }
    }
    return exit;
}

static uint64_t run_cycles(const struct run *run)
{
    uint64_t last = session_ended_at(&run->session);
    return run->started && last > run->started ? last - run->started : 0;
}

static json_t *output_list(const struct run *run, enum cli_exit exit)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < run->program->buffers; i++) {
        const struct loader_program_buffer *buffer = &run->program->buffer[i];
        if (!buffer->output) {
            continue;
        }
        json_t *object = json_object();
        json_object_set_new(object, "buffer", json_text(buffer->name));
        json_object_set_new(object, "file", json_text(buffer->output));
        json_object_set_new(object, "written", json_boolean(!exit));
        json_array_append_new(list, object);
    }
    return list;
}

/* --- What the harts did --- */

static uint64_t retired_by(struct run *run, unsigned tile, unsigned hart)
{
    struct penrose_place at = run->machine->tile[tile];
    struct penrose_hart_info info;
    bool is_known = penrose_hart_info(run->session.chip, at.x, at.y, (enum penrose_hart)hart, &info,
                                      NULL) == PENROSE_OK;
    return is_known ? info.retired : 0;
}

static enum cli_exit note_retired(struct run *run)
{
    run->retired = calloc(run->machine->tiles, sizeof *run->retired);
    for (unsigned tile = 0; run->retired && tile < run->machine->tiles; tile++) {
        for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
            run->retired[tile][hart] = retired_by(run, tile, hart);
        }
    }
    return run->retired ? CLI_DONE : no_memory(run);
}

/* A hart on all tiles: its instructions since the launch, those by which it polled included, and
 * where it had most. A cycle without an instruction is one in which an access made it wait. */
struct hart_work {
    uint64_t instructions, most;
    struct penrose_place busiest;
    double per_cycle;
    double waiting; /* the part of its time, where units are counted */
};

static struct hart_work work_of_hart(struct run *run, unsigned hart)
{
    struct hart_work work = {.busiest = run->machine->tile[0]};
    uint64_t waited = 0;
    for (unsigned tile = 0; tile < run->machine->tiles; tile++) {
        uint64_t now = retired_by(run, tile, hart), before = run->retired[tile][hart];
        uint64_t done = now > before ? now - before : 0;
        work.instructions += done;
        waited += penrose_hart_waited(run->session.chip, run->machine->tile[tile].x,
                                      run->machine->tile[tile].y, (enum penrose_hart)hart);
        if (done > work.most) {
            work.most = done;
            work.busiest = run->machine->tile[tile];
        }
    }
    double cycles = (double)run_cycles(run) * run->machine->tiles;
    work.per_cycle = cycles > 0 ? (double)work.instructions / cycles : 0;
    work.waiting = cycles > 0 ? (double)waited / cycles : 0;
    return work;
}

static json_t *hart_work_json(struct run *run)
{
    json_t *list = json_array();
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        struct hart_work work = work_of_hart(run, hart);
        json_t *row =
            json_pack("{s:s, s:I, s:I, s:f}", "hart", penrose_hart_name((enum penrose_hart)hart),
                      "instructions", (json_int_t)work.instructions, "most", (json_int_t)work.most,
                      "per_cycle", work.per_cycle);
        if (run->counts_units) {
            json_object_set_new(row, "waiting", json_real(work.waiting));
        }
        json_array_append_new(list, row);
    }
    return list;
}

static void print_hart_work(struct run *run)
{
    const char *waiting = run->counts_units ? "  waiting" : "";
    printf("  %-7s %22s  %9s%s %12s  %s\n", "hart", "instructions per tile", "per cycle", waiting,
           "most", "on tile");
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        struct hart_work work = work_of_hart(run, hart);
        char part[16] = "";
        if (run->counts_units) {
            snprintf(part, sizeof part, "%9.4f", work.waiting);
        }
        printf("  %-7s %22.0f  %9.4f%s %12" PRIu64 "  (%u, %u)\n",
               penrose_hart_name((enum penrose_hart)hart),
               (double)work.instructions / run->machine->tiles, work.per_cycle, part, work.most,
               work.busiest.x, work.busiest.y);
    }
}

static enum cli_exit report_program_json(struct run *run, enum cli_exit exit)
{
    json_t *result = session_json(&run->session, exit);
    json_object_set_new(result, "program", json_text(run->program->path));
    json_set_count(result, "tiles", run->machine->tiles);
    json_set_count(result, "threads", run->machine->chip.threads);
    json_set_count(result, "kernel_cycles", run_cycles(run));
    double simulated_ms = session_simulated_ms(&run->session, run_cycles(run));
    json_object_set_new(result, "simulated_ms",
                        isnan(simulated_ms) ? json_null() : json_real(simulated_ms));
    json_object_set_new(result, "outputs", output_list(run, exit));
    if (run->retired) {
        json_object_set_new(result, "hart_work", hart_work_json(run));
    }
    if (run->counts_units) {
        json_object_set_new(result, "units", units_json(&run->session));
    }
    enum cli_exit written = output_json(run->cli, result);
    return exit ? exit : written;
}

static enum cli_exit report_program(struct run *run, enum cli_exit exit)
{
    enum cli_exit written = exit || run->cli->witness ? CLI_DONE : write_outputs(run);
    if (written) {
        return written;
    }
    if (run->cli->json) {
        return report_program_json(run, exit);
    }
    unsigned tiles = run->machine->tiles;
    double simulated_ms = session_simulated_ms(&run->session, run_cycles(run));
    char time[64] = "";
    if (!isnan(simulated_ms)) {
        snprintf(time, sizeof time, ", %.3f ms at %.2f GHz", simulated_ms,
                 penrose_clock_mhz(run->session.chip) * 1e-3);
    }
    printf("%s: %s on %u %s after %" PRIu64 " cycles%s (host time: %.1f ms loading, %.1f ms "
           "running)\n",
           run->program->path, cli_exit_name(exit), tiles, tiles == 1 ? "tile" : "tiles",
           run_cycles(run), time, run->session.loading_ms, run->session.running_ms);
    if (run->retired) {
        print_hart_work(run);
    }
    if (run->counts_units) {
        units_print(&run->session, run_cycles(run));
    }
    for (unsigned i = 0; i < run->program->buffers && !exit; i++) {
        const struct loader_program_buffer *buffer = &run->program->buffer[i];
        if (buffer->output) {
            printf("%s: %s.%s\n", buffer->output,
                   buffer->kind == LOADER_BUFFER_DRAM ? "dram" : "l1", buffer->name);
        }
    }
    return exit;
}

/* --- The run --- */

/* Boots, launches and waits. */
static enum cli_exit work(struct run *run, const char *firmware)
{
    enum cli_exit exit = find_tiles(run);
    exit = exit || !run->program->snapshot ? exit : hold_others(run);
    exit = exit ? exit : session_boot(&run->session, firmware);
    if (exit) {
        return exit;
    }
    double start = host_milliseconds();
    exit = find_banks(run);
    exit = exit ? exit : fill_all(run);
    exit = exit ? exit : tell_checks(run);
    exit = exit ? exit : note_retired(run);
    exit = exit || !run->counts_units ? exit : units_count(&run->session);
    exit = exit ? exit : launch_all(run);
    exit = exit ? exit : session_note_launch(&run->session);
    run->session.loading_ms += host_milliseconds() - start;
    return exit ? exit : session_wait(&run->session, "kernels");
}

static enum cli_exit run_opened(struct run *run, const struct program_options *options)
{
    const char *firmware = options->firmware ? options->firmware : run->program->firmware;
    if (!firmware) {
        return complain(run->cli,
                        "%s: no firmware is named; add --firmware DIR, or \"firmware\" to the "
                        "description",
                        run->program->path);
    }
    run->file = calloc(run->program->buffers + 1, sizeof *run->file);
    run->noc_x = calloc(run->program->facts->columns, sizeof *run->noc_x);
    run->noc_y = calloc(run->program->facts->rows, sizeof *run->noc_y);
    if (!run->file || !run->noc_x || !run->noc_y) {
        return no_memory(run);
    }
    run->place =
        (struct loader_place){.program = run->program, .noc_x = run->noc_x, .noc_y = run->noc_y};
    if (!run->machine->restore_snapshot) {
        run->machine->restore_snapshot = run->program->snapshot;
    }
    if (!run->machine->has_number) {
        run->machine->number = run->program->chip;
    }
    enum cli_exit exit = check_outputs(run, options);
    if (!exit) {
        exit = session_open(&run->session, run->cli, run->machine);
        exit = exit ? exit : work(run, firmware);
        exit = exit == CLI_REFUSED ? exit : report_program(run, exit);
        exit = session_close(&run->session, exit);
    }
    for (unsigned i = 0; i < run->program->buffers; i++) {
        output_file_free(&run->file[i]);
    }
    return exit;
}

enum cli_exit program_run(struct cli *cli, struct machine_options *machine,
                          const struct program_options *options)
{
    struct run run = {.cli = cli, .machine = machine, .counts_units = options->counts_units};
    const struct loader_program_folders folders = {.kernels = options->kernels,
                                                   .data = options->data};
    struct penrose_error error;
    if (loader_program_open(cli->kind->arch, options->path, &folders, &run.program, &error) !=
        PENROSE_OK) {
        return complain(cli, "%s", error.text);
    }
    enum cli_exit exit = run_opened(&run, options);
    free(run.file);
    free(run.noc_x);
    free(run.noc_y);
    free(run.retired);
    loader_program_close(run.program);
    return exit;
}
