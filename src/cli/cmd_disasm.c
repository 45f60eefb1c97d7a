/* `penrose disasm`: the code of a program with its symbols, or single words. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chip/calls.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "isa/json_text.h"
#include "loader/elf.h"

enum { MOST_WORDS = 256, MOST_TEXT = 160, MOST_LINE = 1024 };

struct disasm_options {
    struct cli *cli;
    const char *path;
    const char *symbol; /* only this one; NULL: all code */
    bool source, tensix;
    uint64_t pc;
    uint32_t word[MOST_WORDS];
    unsigned words;
};

enum { KEY_SOURCE = 0x700, KEY_SYMBOL, KEY_PC, KEY_TENSIX };

/* "0x00c12083" or "00c12083", unless there is such a file. */
static bool is_word(const char *text)
{
    const char *digits = strncmp(text, "0x", 2) == 0 ? text + 2 : text;
    size_t length = strspn(digits, "0123456789abcdefABCDEF");
    return length >= 1 && length <= 8 && !digits[length] && access(text, F_OK) != 0;
}

static error_t parse_argument(struct disasm_options *options, const char *text)
{
    if (!is_word(text)) {
        if (options->path) {
            return options_refuse(options->cli, "one program is enough; what is '%s'?", text);
        }
        options->path = text;
    } else if (options->words == MOST_WORDS) {
        return options_refuse(options->cli, "more than %d words", MOST_WORDS);
    } else {
        options->word[options->words++] = (uint32_t)strtoul(text, NULL, 16);
    }
    if (options->path && options->words) {
        return options_refuse(options->cli,
                              "'%s' is no file and '%s' no word; give one or the "
                              "other",
                              options->words ? text : options->path, text);
    }
    return 0;
}

static error_t parse_disasm(int key, char *argument, struct argp_state *state)
{
    struct disasm_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        state->child_inputs[1] = options->cli;
        return 0;
    case KEY_SOURCE:
        options->source = true;
        return 0;
    case KEY_TENSIX:
        options->tensix = true;
        return 0;
    case KEY_SYMBOL:
        options->symbol = argument;
        return 0;
    case KEY_PC:
        return options_number(options->cli, "--pc", argument, UINT32_MAX, &options->pc);
    case ARGP_KEY_ARG:
        return parse_argument(options, argument);
    case ARGP_KEY_NO_ARGS:
        return options_refuse(options->cli, "name a program, or give words such as 00c12083");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option rows[] = {
    {"source", KEY_SOURCE, NULL, 0, "Show the source lines between the instructions", 0},
    {"symbol", KEY_SYMBOL, "NAME", 0, "Only this function", 0},
    {"pc", KEY_PC, "ADDRESS", 0, "The address of the first word (default 0)", 0},
    {"tensix", KEY_TENSIX, NULL, 0, "The words are Tensix instructions, not RISC-V", 0},
    {0},
};

static const struct argp_child children[] = {
    {&json_argp, 0, "Output:", 5}, {&arch_argp, 0, "Chip:", 6}, {0}};

static const struct argp argp = {
    .options = rows,
    .parser = parse_disasm,
    .args_doc = "ELF\nWORD...",
    .doc = "Disassembles the code of a program, or the words given in hexadecimal."
           "\vExamples:\n"
           "  penrose disasm brisc.elf --symbol main --source\n"
           "        shows one function with its source lines\n"
           "  penrose disasm 00c12083 0410306f --pc 0x100\n"
           "        shows what two words mean at 0x100 and 0x104\n"
           "  penrose disasm --tensix b2050010\n"
           "        shows a Tensix instruction, as in a MOP or replay buffer\n\n"
           "Exit codes: 0 done, 2 usage or bad file.",
    .children = children,
};

/* --- Writing: text, or functions as JSON --- */

struct listing {
    const struct disasm_options *options;
    struct loader_elf *elf;           /* NULL for single words */
    json_t *functions, *instructions; /* NULL without --json */
    const char *file;                 /* of the last instruction with a source line */
    unsigned line;
};

static void begin_function(struct listing *listing, const char *name, uint32_t address)
{
    if (listing->functions) {
        json_t *function = json_object();
        listing->instructions = json_array();
        json_object_set_new(function, "name", json_text(name));
        json_object_set_new(function, "address", json_address(address));
        json_object_set_new(function, "instructions", listing->instructions);
        json_array_append_new(listing->functions, function);
    } else {
        printf("%s%s:\n", address == listing->options->pc ? "" : "\n", name);
    }
}

/* Line `number` of a source file, without the spaces around it; empty when it cannot be read. */
static void read_source(const char *path, unsigned number, char text[MOST_LINE])
{
    FILE *file = fopen(path, "r");
    bool found = file;
    for (unsigned i = 0; found && i < number; i++) {
        found = fgets(text, MOST_LINE, file);
    }
    if (file) {
        fclose(file);
    }
    if (!found) {
        text[0] = 0;
    }
    size_t length = strlen(text), start = strspn(text, " \t");
    while (length > start && isspace((unsigned char)text[length - 1])) {
        length--;
    }
    text[length] = 0;
    memmove(text, text + start, length - (start < length ? start : length) + 1);
}

static void put_source(struct listing *listing, const char *file, unsigned line)
{
    char text[MOST_LINE] = "";
    bool same = listing->file && strcmp(listing->file, file) == 0 && listing->line == line;
    listing->file = file;
    listing->line = line;
    if (!same) {
        read_source(file, line, text);
        printf("  ; %s:%u%s%s\n", file, line, *text ? "  " : "", text);
    }
}

static void put_word(struct listing *listing, uint32_t address, uint32_t word, bool is_code)
{
    char text[MOST_TEXT];
    const char *file;
    unsigned line;
    bool has_source = listing->elf && listing->options->source &&
                      loader_elf_source(listing->elf, address, &file, &line);
    if (listing->options->tensix && !listing->elf) {
        listing->options->cli->kind->tensix_disassemble(word, text, sizeof text);
    } else if (is_code) {
        listing->options->cli->kind->disassemble(word, address, text, sizeof text);
    } else {
        snprintf(text, sizeof text, ".word 0x%08x", word);
    }
    if (!listing->functions) {
        if (has_source) {
            put_source(listing, file, line);
        }
        printf("  0x%08x  %08x  %s\n", address, word, text);
        return;
    }
    json_t *instruction = json_object();
    char source[MOST_LINE];
    json_object_set_new(instruction, "address", json_address(address));
    json_object_set_new(instruction, "word", json_address(word));
    json_object_set_new(instruction, "text", json_text(text));
    if (has_source) {
        snprintf(source, sizeof source, "%s:%u", file, line);
        json_object_set_new(instruction, "source", json_text(source));
    }
    json_array_append_new(listing->instructions, instruction);
}

/* --- Programs --- */

/* True for the segments with code; *size is their bytes in the file, in whole words. */
static bool is_code_segment(const struct loader_segment *segment, uint32_t *size)
{
    *size = segment->filesz / 4 * 4;
    return segment->flags & LOADER_SEGMENT_EXECUTE && segment->vaddr % 4 == 0;
}

static enum cli_exit list_range(struct listing *listing, const struct loader_segment *segment,
                                uint32_t start, uint32_t end)
{
    for (uint32_t at = start; at < end; at += 4) {
        uint32_t word, offset = 0, address = segment->vaddr + at;
        const struct loader_symbol *symbol = loader_elf_symbol_at(listing->elf, address, &offset);
        if ((symbol && offset == 0) || at == start) {
            char name[LOADER_PLAIN_NAME];
            loader_plain_name(symbol ? symbol->name : "(no symbol)", name, sizeof name);
            begin_function(listing, name, address);
        }
        memcpy(&word, segment->bytes + at, sizeof word);
        put_word(listing, address, word, !symbol || symbol->kind != LOADER_SYMBOL_OBJECT);
    }
    return CLI_DONE;
}

/* The functions of the program, for "did you mean"; `best` keeps the name of the nearest. */
static void suggest_symbols(const struct loader_elf *elf, struct suggestion *nearest,
                            char best[LOADER_PLAIN_NAME])
{
    unsigned count;
    char name[LOADER_PLAIN_NAME];
    const struct loader_segment *segments = loader_elf_segments(elf, &count);
    for (unsigned i = 0; i < count; i++) {
        uint32_t size, offset;
        for (uint32_t at = 0; is_code_segment(&segments[i], &size) && at < size; at += 4) {
            const struct loader_symbol *symbol =
                loader_elf_symbol_at(elf, segments[i].vaddr + at, &offset);
            if (symbol && offset == 0) {
                loader_plain_name(symbol->name, name, sizeof name);
                suggest(nearest, name);
                if (nearest->best == name) {
                    nearest->best = strcpy(best, name);
                }
            }
        }
    }
}

static bool list_symbol(struct listing *listing, const struct loader_symbol *symbol)
{
    const struct loader_segment *segment = loader_elf_segment_at(listing->elf, symbol->value);
    uint32_t size;
    if (!segment || !is_code_segment(segment, &size)) {
        return false;
    }
    uint32_t start = (symbol->value - segment->vaddr) / 4 * 4, end = start + 4;
    if (symbol->size) {
        end = start + (symbol->size + 3) / 4 * 4;
    } else { /* up to the next symbol */
        while (end < size &&
               loader_elf_symbol_at(listing->elf, segment->vaddr + end, NULL) == symbol) {
            end += 4;
        }
    }
    list_range(listing, segment, start, end < size ? end : size);
    return true;
}

/* The symbol of that name, else all whose plain name it is. */
static enum cli_exit list_called(struct listing *listing)
{
    const struct disasm_options *options = listing->options;
    const struct loader_symbol *symbol = loader_elf_symbol(listing->elf, options->symbol);
    bool is_exact = symbol && list_symbol(listing, symbol), found = is_exact;
    symbol = NULL;
    while (!is_exact && (symbol = loader_elf_next_called(listing->elf, options->symbol, symbol))) {
        found |= list_symbol(listing, symbol);
    }
    if (!found) {
        struct suggestion nearest = {.word = options->symbol};
        char best[LOADER_PLAIN_NAME];
        suggest_symbols(listing->elf, &nearest, best);
        return complain(options->cli, "%s: no code has the symbol '%s'%s%s%s", options->path,
                        options->symbol, nearest.best ? "; did you mean '" : "",
                        nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
    }
    return CLI_DONE;
}

static enum cli_exit list_program(struct listing *listing)
{
    unsigned count;
    const struct loader_segment *segments = loader_elf_segments(listing->elf, &count);
    if (listing->options->symbol) {
        return list_called(listing);
    }
    enum cli_exit exit = CLI_DONE;
    for (unsigned i = 0; i < count && !exit; i++) {
        uint32_t size;
        if (is_code_segment(&segments[i], &size)) {
            exit = list_range(listing, &segments[i], 0, size);
        }
    }
    return exit;
}

static enum cli_exit disasm(const struct disasm_options *options)
{
    struct listing listing = {.options = options,
                              .functions = options->cli->json ? json_array() : NULL};
    struct penrose_error error;
    enum cli_exit exit = CLI_DONE;
    if (options->path && loader_elf_open(options->path, &listing.elf, &error) != PENROSE_OK) {
        exit = complain(options->cli, "%s", error.text);
    } else if (options->path) {
        exit = list_program(&listing);
    } else {
        if (options->cli->json) {
            begin_function(&listing, "", (uint32_t)options->pc);
        }
        for (unsigned i = 0; i < options->words; i++) {
            put_word(&listing, (uint32_t)options->pc + 4 * i, options->word[i], true);
        }
    }
    if (!exit && options->cli->json) {
        json_t *result = json_object();
        json_object_set_new(result, "command", json_string("disasm"));
        json_object_set_new(result, "outcome", json_text(cli_exit_name(CLI_DONE)));
        json_object_set_new(result, "exit_status", json_integer(CLI_DONE));
        json_object_set(result, "functions", listing.functions);
        exit = output_json(options->cli, result);
    }
    json_decref(listing.functions);
    loader_elf_close(listing.elf);
    return exit;
}

enum cli_exit cmd_disasm(struct cli *cli, int argc, char **argv)
{
    struct disasm_options options = {.cli = cli};
    enum cli_exit exit;
    return options_parse(cli, &argp, argc, argv, &options, &exit) ? disasm(&options) : exit;
}
