/* Messages, JSON and dumps; see output.h. */
#include "cli/output.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "chip/calls.h"
#include "cli/terminal.h"
#include "isa/host_time.h"
#include "isa/json_text.h"

const char *cli_exit_name(enum cli_exit exit)
{
    static const char *const names[] = {
        [CLI_DONE] = "done",          [CLI_FAULT] = "fault",       [CLI_REFUSED] = "error",
        [CLI_CYCLES] = "cycle-limit", [CLI_DEADLOCK] = "deadlock", [CLI_CUT] = "cut",
    };
    return names[exit];
}

enum cli_exit complain(const struct cli *cli, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "penrose: %s\n", text);
    if (cli->json && !cli->answer->error) {
        json_t *object = json_object();
        if (cli->command) {
            json_object_set_new(object, "command", json_text(cli->command));
        }
        json_object_set_new(object, "outcome", json_text(cli_exit_name(CLI_REFUSED)));
        json_object_set_new(object, "exit_status", json_integer(CLI_REFUSED));
        json_object_set_new(object, "error", json_text(text));
        json_set_count(object, "schema", JSON_SCHEMA);
        cli->answer->error = object;
    }
    return CLI_REFUSED;
}

void note(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("penrose: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

enum cli_exit output_json(const struct cli *cli, json_t *object)
{
    if (!object) {
        note("%s: no memory for the result", cli->command);
        return CLI_REFUSED;
    }
    json_set_count(object, "schema", JSON_SCHEMA);
    json_decref(cli->answer->result);
    cli->answer->result = object;
    return CLI_DONE;
}

enum cli_exit output_answer(const struct cli *cli, enum cli_exit exit)
{
    struct cli_answer *answer = cli->answer;
    bool is_error = answer->error && (exit == CLI_REFUSED || !answer->result);
    json_t *object = is_error ? answer->error : answer->result;
    if (object && json_dumpf(object, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII) != 0) {
        note("%s: no memory for the result", cli->command);
        exit = CLI_REFUSED;
    }
    if (object) {
        putchar('\n');
    }
    json_decref(answer->error);
    json_decref(answer->result);
    return exit;
}

json_t *json_address(uint32_t address)
{
    char text[11];
    snprintf(text, sizeof text, "0x%08x", address);
    return json_text(text);
}

void json_set_count(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

const char *short_source(const char *source)
{
    const char *slash = strrchr(source, '/');
    return slash ? slash + 1 : source;
}

void output_calls(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc, char *text,
                  size_t size)
{
    images_calls_text(&chip_head(chip)->images, x, y, pc, false, text, size);
}

json_t *json_calls(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc)
{
    struct loader_call call[LOADER_MAX_CALLS];
    unsigned calls = images_calls(&chip_head(chip)->images, x, y, pc, call);
    json_t *list = json_array();
    for (unsigned i = 0; i < calls; i++) {
        char text[300];
        snprintf(text, sizeof text, "%s:%u", call[i].file, call[i].line);
        json_array_append_new(list, json_text(text));
    }
    return list;
}

const char *hart_state_name(enum penrose_hart_state state)
{
    static const char *const names[] = {
        [PENROSE_HART_HELD] = "held",       [PENROSE_HART_RUNNING] = "running",
        [PENROSE_HART_WAITING] = "waiting", [PENROSE_HART_POLLING] = "polling",
        [PENROSE_HART_PAUSED] = "paused",   [PENROSE_HART_FAULTED] = "faulted",
    };
    return names[state];
}

static void dump_line(FILE *file, uint32_t address, const uint8_t *bytes, size_t size, size_t unit)
{
    int width = 0;
    fprintf(file, "0x%08x ", address);
    for (size_t i = 0; i < size; i += unit) {
        uint32_t word;
        memcpy(&word, bytes + i, unit);
        width +=
            unit == sizeof word ? fprintf(file, " %08x", word) : fprintf(file, " %02x", bytes[i]);
    }
    fprintf(file, "%*s  |", (unit == sizeof(uint32_t) ? 36 : 48) - width, "");
    for (size_t i = 0; i < size; i++) {
        fputc(bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '.', file);
    }
    fputs("|\n", file);
}

void output_dump(FILE *file, uint32_t address, const uint8_t *bytes, size_t size)
{
    enum { LINE = 16 };
    size_t unit = address % 4 || size % 4 ? 1 : sizeof(uint32_t);
    for (size_t i = 0; i < size; i += LINE) {
        size_t length = size - i < LINE ? size - i : LINE;
        dump_line(file, address + (uint32_t)i, bytes + i, length, unit);
    }
}

double host_milliseconds(void)
{
    return (double)host_nanoseconds() * 1e-6;
}

/* --- Wait reports --- */

/* Columns of a terminal; 0: `file` is none. */
static size_t terminal_columns(FILE *file)
{
    struct winsize size;
    bool is_terminal = file && isatty(terminal_descriptor(file)) &&
                       ioctl(terminal_descriptor(file), TIOCGWINSZ, &size) == 0;
    return is_terminal ? size.ws_col : 0;
}

/* A copy of the text in which lines end at spaces before the column, and go on indented. */
static char *wrap_text(const char *text, size_t columns)
{
    enum { INDENT = 8 };
    size_t length = strlen(text), out = 0, line = 0, space = SIZE_MAX;
    char *wrapped = malloc(length * (INDENT + 1) + 1); /* as if each character were such a space */
    for (size_t i = 0; wrapped && i < length; i++) {
        wrapped[out++] = text[i];
        line = text[i] == '\n' ? 0 : line + 1;
        space = text[i] == '\n' ? SIZE_MAX : text[i] == ' ' && line > INDENT ? out - 1 : space;
        if (line >= columns && space != SIZE_MAX) {
            size_t rest = out - space - 1;
            memmove(wrapped + space + 1 + INDENT, wrapped + space + 1, rest);
            wrapped[space] = '\n';
            memset(wrapped + space + 1, ' ', INDENT);
            out += INDENT;
            line = INDENT + rest;
            space = SIZE_MAX;
        }
    }
    if (wrapped) {
        wrapped[out] = 0;
    }
    return wrapped;
}

char *output_waits(struct penrose_chip *chip, FILE *file)
{
    enum { LEAST_COLUMNS = 40 };
    int length = penrose_wait_report(chip, NULL, 0);
    size_t columns = terminal_columns(file);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text) {
        return NULL;
    }
    penrose_wait_report(chip, text, (size_t)length + 1);
    text[length > 0 ? length - 1 : 0] = 0;
    if (columns < LEAST_COLUMNS) {
        return text;
    }
    char *wrapped = wrap_text(text, columns);
    free(text);
    return wrapped;
}
