/* Launches and memory on the command line; see work.h. */
#include "cli/work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "loader/program.h"

/* One more element behind the `count` of an array; NULL without memory. */
static void *grow_work(void *array, unsigned count, size_t size)
{
    return realloc(array, (count + (size_t)1) * size);
}

/* --- memory_argp --- */

enum { KEY_POKE = 0x300, KEY_DUMP, KEY_INPUT, KEY_OUTPUT, MOST_DUMP = 16 << 20 };

/* Adds ADDRESS=VALUE,VALUE... */
static error_t parse_poke(struct memory_options *options, const char *text)
{
    char number[32];
    uint64_t address;
    size_t length = strcspn(text, "=");
    if (!text[length] || length >= sizeof number) {
        return options_refuse(options->cli,
                              "--poke: '%s' has no value; write ADDRESS=VALUE, for example "
                              "0x8000=7",
                              text);
    }
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    error_t error = options_number(options->cli, "--poke", number, UINT32_MAX, &address);
    if (error) {
        return error;
    }
    if (address % 4) {
        return options_refuse(options->cli, "--poke: 0x%llx is no multiple of 4",
                              (unsigned long long)address);
    }
    struct poke *grown = grow_work(options->poke, options->pokes, sizeof *grown);
    if (!grown) {
        return ENOMEM;
    }
    options->poke = grown;
    struct poke *poke = &options->poke[options->pokes++];
    *poke = (struct poke){.address = (uint32_t)address};
    return options_words(options->cli, "--poke", text + length + 1, &poke->words);
}

/* Adds ADDRESS,LENGTH. */
static error_t parse_dump(struct memory_options *options, const char *text)
{
    struct word_list list = {0};
    error_t error = options_words(options->cli, "--dump", text, &list);
    struct memory_range range = {0};
    if (!error && list.count == 2) {
        range = (struct memory_range){list.word[0], list.word[1]};
    }
    free(list.word);
    if (error) {
        return error;
    }
    if (!range.size || range.size > MOST_DUMP) {
        return options_refuse(options->cli,
                              "--dump: '%s' is no range; write ADDRESS,BYTES with 1 to %d bytes, "
                              "for example 0x8000,64",
                              text, MOST_DUMP);
    }
    struct memory_range *grown = grow_work(options->dump, options->dumps, sizeof *grown);
    if (!grown) {
        return ENOMEM;
    }
    options->dump = grown;
    options->dump[options->dumps++] = range;
    return 0;
}

static error_t parse_memory(int key, char *argument, struct argp_state *state)
{
    struct memory_options *options = state->input;
    switch (key) {
    case KEY_POKE:
        return parse_poke(options, argument);
    case KEY_DUMP:
        return parse_dump(options, argument);
    case KEY_INPUT:
        return tensors_parse_input(&options->tensors, options->cli, argument);
    case KEY_OUTPUT:
        return tensors_parse_output(&options->tensors, options->cli, argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option memory_option_rows[] = {
    {"poke", KEY_POKE, "ADDRESS=WORD,...", 0,
     "Write words to the tile before the program or each launch starts", 0},
    {"dump", KEY_DUMP, "ADDRESS,BYTES", 0,
     "Show memory or registers of the tile at the end, without side effects", 0},
    {"input", KEY_INPUT, "ADDRESS=FILE.npy:FORMAT[:LAYOUT]", 0,
     "Write a matrix to L1 before the program or each launch starts; FORMAT is Float32, Tf32, "
     "Float16, Float16_b, Bfp8_b, Int8, UInt16 or another of penrose(1); LAYOUT is tiles (default) "
     "or rows",
     0},
    {"output", KEY_OUTPUT, "ADDRESS=FILE.npy:ROWSxCOLUMNS:FORMAT[:LAYOUT]", 0,
     "Read a matrix from L1 when all is done, and write it to a file", 0},
    {0},
};

const struct argp memory_argp = {.options = memory_option_rows, .parser = parse_memory};

void memory_options_free(struct memory_options *options)
{
    for (unsigned i = 0; i < options->pokes; i++) {
        free(options->poke[i].words.word);
    }
    free(options->poke);
    free(options->dump);
    tensors_free(&options->tensors);
}

enum cli_exit memory_poke(const struct memory_options *options, struct penrose_chip *chip,
                          struct penrose_place tile)
{
    enum cli_exit exit = tensors_write(&options->tensors, options->cli, chip, tile);
    for (unsigned i = 0; i < options->pokes && !exit; i++) {
        const struct poke *poke = &options->poke[i];
        struct penrose_error error;
        if (penrose_write(chip, tile.x, tile.y, poke->address, poke->words.word,
                          poke->words.count * sizeof(uint32_t), &error) != PENROSE_OK) {
            return complain(options->cli, "--poke: %s", error.text);
        }
    }
    return exit;
}

static json_t *dump_json(uint32_t address, const uint8_t *bytes, uint32_t size)
{
    json_t *range = json_object(), *values = json_array();
    size_t unit = address % 4 || size % 4 ? 1 : sizeof(uint32_t);
    for (size_t i = 0; i < size; i += unit) {
        uint32_t value = 0;
        memcpy(&value, bytes + i, unit);
        json_array_append_new(values, json_integer(value));
    }
    json_object_set_new(range, "address", json_address(address));
    json_object_set_new(range, unit == 1 ? "bytes" : "words", values);
    return range;
}

enum cli_exit memory_dump(const struct memory_options *options, struct penrose_chip *chip,
                          struct penrose_place tile, json_t *result)
{
    json_t *memory = result && options->dumps ? json_array() : NULL;
    for (unsigned i = 0; i < options->dumps; i++) {
        struct memory_range range = options->dump[i];
        struct penrose_error error;
        uint8_t *bytes = malloc(range.size);
        if (!bytes) {
            json_decref(memory);
            return complain(options->cli, "--dump: no memory for %u bytes", range.size);
        }
        if (penrose_peek(chip, tile.x, tile.y, range.address, bytes, range.size, &error) !=
            PENROSE_OK) {
            free(bytes);
            json_decref(memory);
            return complain(options->cli, "--dump: %s", error.text);
        }
        if (memory) {
            json_array_append_new(memory, dump_json(range.address, bytes, range.size));
        } else {
            output_dump(stdout, range.address, bytes, range.size);
        }
        free(bytes);
    }
    if (memory) {
        json_object_set_new(result, "memory", memory);
    }
    return CLI_DONE;
}

/* --- launch_argp --- */

enum {
    KEY_KERNEL = 0x400,
    KEY_KERNELS,
    KEY_ARG,
    KEY_COMMON_ARG,
    KEY_CB,
    KEY_SEMAPHORE,
    KEY_NOC,
    KEY_REPEAT,
};

void launch_options_init(struct launch_options *options, struct cli *cli)
{
    *options = (struct launch_options){.cli = cli, .repeat = 1};
}

void launch_options_free(struct launch_options *options)
{
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        free(options->path[hart]);
        free(options->arguments[hart].word);
        free(options->common[hart].word);
    }
    free(options->buffer);
    free(options->semaphores.word);
}

/* Splits HART=REST. */
static error_t split_hart(const struct launch_options *options, const char *option,
                          const char *text, const char *example, unsigned *harts, const char **rest)
{
    size_t length = strcspn(text, "=");
    if (!text[length]) {
        return options_refuse(options->cli, "%s: '%s' names no hart; write for example %s", option,
                              text, example);
    }
    *rest = text + length + 1;
    return options_harts(options->cli, option, text, length, harts);
}

static error_t parse_kernel(struct launch_options *options, const char *text)
{
    unsigned harts;
    const char *path = NULL;
    error_t error =
        split_hart(options, "--kernel", text, "--kernel brisc=writer.elf", &harts, &path);
    for (unsigned hart = 0; hart < PENROSE_HARTS && !error; hart++) {
        if (harts & 1u << hart) {
            free(options->path[hart]);
            options->path[hart] = loader_hart_path(path, (enum penrose_hart)hart);
            error = options->path[hart] ? 0 : ENOMEM;
        }
    }
    return error;
}

static error_t parse_arguments(struct launch_options *options, const char *option,
                               struct word_list *lists, const char *text)
{
    unsigned harts;
    const char *words = NULL;
    error_t error = split_hart(options, option, text, "brisc=1,0x20", &harts, &words);
    for (unsigned hart = 0; hart < PENROSE_HARTS && !error; hart++) {
        if (harts & 1u << hart) {
            error = options_words(options->cli, option, words, &lists[hart]);
        }
    }
    return error;
}

static error_t parse_buffer(struct launch_options *options, const char *text)
{
    struct word_list list = {0};
    error_t error = options_words(options->cli, "--cb", text, &list);
    struct penrose_circular_buffer *grown = NULL;
    if (!error && list.count != 4) {
        error = options_refuse(options->cli,
                               "--cb: '%s' has %u numbers; write ID,ADDRESS,PAGES,PAGE_SIZE, for "
                               "example 0,0x40000,2,2048",
                               text, list.count);
    } else if (!error && (uint64_t)list.word[2] * list.word[3] > UINT32_MAX) {
        error = options_refuse(options->cli, "--cb: %u pages of %u bytes are too many",
                               list.word[2], list.word[3]);
    } else if (!error) {
        grown = grow_work(options->buffer, options->buffers, sizeof *grown);
        error = grown ? 0 : ENOMEM;
    }
    if (grown) {
        options->buffer = grown;
        options->buffer[options->buffers++] =
            (struct penrose_circular_buffer){.id = list.word[0],
                                             .address = list.word[1],
                                             .pages = list.word[2],
                                             .page_size = list.word[3],
                                             .size = list.word[2] * list.word[3]};
    }
    free(list.word);
    return error;
}

static error_t parse_launch(int key, char *argument, struct argp_state *state)
{
    struct launch_options *options = state->input;
    uint64_t number;
    error_t error;
    options->used |= key >= KEY_KERNEL && key <= KEY_REPEAT;
    switch (key) {
    case KEY_KERNEL:
        return parse_kernel(options, argument);
    case KEY_KERNELS:
        options->directory = argument;
        return 0;
    case KEY_ARG:
        return parse_arguments(options, "--arg", options->arguments, argument);
    case KEY_COMMON_ARG:
        return parse_arguments(options, "--common-arg", options->common, argument);
    case KEY_CB:
        return parse_buffer(options, argument);
    case KEY_SEMAPHORE:
        return options_words(options->cli, "--semaphore", argument, &options->semaphores);
    case KEY_NOC:
        error = options_number(options->cli, "--noc", argument, 1, &number);
        options->brisc_noc = (unsigned)number;
        return error;
    case KEY_REPEAT:
        error = options_number(options->cli, "--repeat", argument, 1000000, &number);
        options->repeat = (unsigned)number;
        return error;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option launch_option_rows[] = {
    {"kernel", KEY_KERNEL, "HART=ELF", 0,
     "Launch this kernel on a hart: brisc, ncrisc, trisc0, trisc1, trisc2, or trisc for all three; "
     "{hart} in ELF is the hart's name: trisc=mul/1234/{hart}/{hart}.elf",
     0},
    {"kernels", KEY_KERNELS, "DIR", 0,
     "Launch the kernels DIR/brisc.elf or DIR/brisc/brisc.elf, and so on for the other harts", 0},
    {"arg", KEY_ARG, "HART=WORD,...", 0,
     "Runtime arguments of a kernel, as get_arg_val reads them; HART may be trisc (all three) or "
     "all",
     0},
    {"common-arg", KEY_COMMON_ARG, "HART=WORD,...", 0, "Common runtime arguments of a kernel", 0},
    {"cb", KEY_CB, "ID,ADDRESS,PAGES,PAGE_SIZE", 0,
     "Configure a circular buffer in L1; the size of a page in bytes", 0},
    {"semaphore", KEY_SEMAPHORE, "WORD,...", 0, "Initial values of the semaphores 0, 1, ...", 0},
    {"noc", KEY_NOC, "0|1", 0, "The NoC of BRISC (default 0); NCRISC uses the other one", 0},
    {"repeat", KEY_REPEAT, "N", 0, "Launch the kernels N times, one after the other", 0},
    {0},
};

const struct argp launch_argp = {.options = launch_option_rows, .parser = parse_launch};

bool launch_options_any(const struct launch_options *options)
{
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (options->path[hart]) {
            return true;
        }
    }
    return false;
}

/* Takes DIR/HART.elf or DIR/HART/HART.elf where --kernel has not named another file. */
static enum cli_exit find_kernel(struct launch_options *options, enum penrose_hart hart)
{
    const char *name = penrose_hart_name(hart);
    size_t size = strlen(options->directory) + 2 * strlen(name) + sizeof "//.elf";
    char *path = malloc(size);
    if (!path) {
        return complain(options->cli, "no memory for the command line");
    }
    snprintf(path, size, "%s/%s.elf", options->directory, name);
    if (access(path, F_OK) != 0) {
        snprintf(path, size, "%s/%s/%s.elf", options->directory, name, name);
    }
    if (options->path[hart] || access(path, F_OK) != 0) {
        free(path);
    } else {
        options->path[hart] = path;
    }
    return CLI_DONE;
}

enum cli_exit launch_options_finish(struct launch_options *options)
{
    enum cli_exit exit = CLI_DONE;
    for (unsigned hart = 0; options->directory && hart < PENROSE_HARTS && !exit; hart++) {
        exit = find_kernel(options, (enum penrose_hart)hart);
    }
    if (!exit && options->used && !launch_options_any(options)) {
        if (options->directory) {
            return complain(options->cli,
                            "--kernels: %s has none of brisc.elf, ncrisc.elf, trisc0.elf, "
                            "trisc1.elf, trisc2.elf; link some with scripts/link-kernels",
                            options->directory);
        }
        return complain(options->cli,
                        "arguments, buffers and repetitions need kernels; add --kernel HART=ELF or "
                        "--kernels DIR");
    }
    return exit;
}

struct penrose_launch launch_options_launch(const struct launch_options *options)
{
    struct penrose_launch launch = {
        .size = sizeof launch,
        .buffers = options->buffer,
        .buffers_count = options->buffers,
        .semaphores = options->semaphores.word,
        .semaphores_count = options->semaphores.count,
        .brisc_noc = options->brisc_noc,
    };
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        launch.kernel[hart] =
            (struct penrose_kernel){.path = options->path[hart],
                                    .arguments = options->arguments[hart].word,
                                    .arguments_count = options->arguments[hart].count,
                                    .common_arguments = options->common[hart].word,
                                    .common_arguments_count = options->common[hart].count};
    }
    return launch;
}
