/* Semihosting calls; see console.h. */
#include "cli/console.h"

#include <stdio.h>
#include <string.h>

#include <penrose/debug.h>

#include "cli/output.h"
#include "observe/host_call.h"

enum {
    SYS_WRITEC = 0x03,        /* a1: where the character is */
    SYS_WRITE0 = 0x04,        /* a1: where the text is, which a 0 ends */
    SYS_WRITE = 0x05,         /* a1: file, where the text is, how long it is */
    SYS_EXIT = 0x18,          /* a1: why */
    SYS_EXIT_EXTENDED = 0x20, /* a1: why, and the exit value */
    APPLICATION_EXIT = 0x20026,
    MOST_CALL_TEXT = 1 << 16, /* of one call */
    REGISTER_A0 = 10,
    REGISTER_A1 = 11,
};

/* A hart that stands in a call. */
struct caller {
    struct console *console;
    struct penrose_chip *chip;
    enum penrose_hart hart;
    struct penrose_hart_info info;
};

static bool caller_read(const struct caller *caller, uint32_t address, void *bytes, size_t size)
{
    struct penrose_place tile = caller->console->tile;
    return penrose_hart_peek(caller->chip, tile.x, tile.y, caller->hart, address, bytes, size,
                             NULL) == PENROSE_OK;
}

static bool find_caller(const struct console *console, struct penrose_chip *chip, unsigned hart,
                        struct caller *caller)
{
    *caller = (struct caller){(struct console *)console, chip, (enum penrose_hart)hart, {0}};
    return console->harts & ~console->exited & 1u << hart &&
           penrose_hart_info(chip, console->tile.x, console->tile.y, caller->hart, &caller->info,
                             NULL) == PENROSE_OK &&
           caller->info.state == PENROSE_HART_PAUSED &&
           host_call_at(chip, console->tile.x, console->tile.y, caller->hart, caller->info.pc);
}

/* --- Lines --- */

static void end_line(struct console *console, enum penrose_hart hart)
{
    struct console_line *line = &console->line[hart];
    const char *name = penrose_hart_name(hart);
    if (console->lines) {
        json_array_append_new(console->lines, json_pack("{s:s, s:s%}", "hart", name, "text",
                                                        line->text, (size_t)line->length));
    } else {
        printf("%s%s%.*s\n", console->names ? name : "", console->names ? ": " : "",
               (int)line->length, line->text);
        fflush(stdout); /* the guest may run for long */
    }
    line->length = 0;
}

/* Terminals obey control characters; a guest has no business with them. */
static void put_character(struct console *console, enum penrose_hart hart, unsigned char character)
{
    struct console_line *line = &console->line[hart];
    if (character == '\n' || line->length == sizeof line->text) {
        end_line(console, hart);
    }
    if (character == '\t' || (character >= ' ' && character < 0x7f)) {
        line->text[line->length++] = (char)character;
    } else if (character != '\n' && character != '\r') {
        line->text[line->length++] = '?';
    }
}

void console_finish(struct console *console)
{
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (console->line[hart].length) {
            end_line(console, (enum penrose_hart)hart);
        }
    }
}

/* --- Calls --- */

/* So many characters from an address on, or as many as there are before a 0. */
static bool write_text(const struct caller *caller, uint32_t address, uint32_t size, bool ends_in_0)
{
    if (size > MOST_CALL_TEXT) {
        size = MOST_CALL_TEXT;
    }
    for (uint32_t i = 0; i < size; i++) {
        unsigned char character;
        if (!caller_read(caller, address + i, &character, 1)) {
            note("warning: %s prints text at 0x%08x, where nothing can be read",
                 penrose_hart_name(caller->hart), address + i);
            return false;
        }
        if (ends_in_0 && !character) {
            return true;
        }
        put_character(caller->console, caller->hart, character);
    }
    return true;
}

/* The answer to a call that the hart goes on from. */
static uint32_t answer_call(const struct caller *caller)
{
    enum { WRITE_ADDRESS = 1, WRITE_SIZE, WRITE_WORDS };
    const uint32_t number = caller->info.x[REGISTER_A0], argument = caller->info.x[REGISTER_A1];
    uint32_t write[WRITE_WORDS];
    switch (number) {
    case SYS_WRITEC:
        (void)write_text(caller, argument, 1, false);
        return number; /* no answer: a0 is left alone */
    case SYS_WRITE0:
        (void)write_text(caller, argument, MOST_CALL_TEXT, true);
        return number;
    case SYS_WRITE: /* how many characters were not written */
        return !caller_read(caller, argument, write, sizeof write) ? UINT32_MAX
               : write_text(caller, write[WRITE_ADDRESS], write[WRITE_SIZE], false)
                   ? write[WRITE_SIZE] > MOST_CALL_TEXT ? write[WRITE_SIZE] - MOST_CALL_TEXT : 0
                   : write[WRITE_SIZE];
    default:
        return UINT32_MAX;
    }
}

/* The exit value of a call that ends the program; false: it is another call. */
static bool ends_program(const struct caller *caller, uint32_t *value)
{
    uint32_t reason[2] = {caller->info.x[REGISTER_A1], 0};
    bool is_extended = caller->info.x[REGISTER_A0] == SYS_EXIT_EXTENDED;
    if (!is_extended && caller->info.x[REGISTER_A0] != SYS_EXIT) {
        return false;
    }
    bool is_known = !is_extended || caller_read(caller, reason[0], reason, sizeof reason);
    *value = is_known && reason[0] == APPLICATION_EXIT ? reason[1] : 1;
    return true;
}

static void serve_caller(const struct caller *caller)
{
    struct console *console = caller->console;
    const struct penrose_place tile = console->tile;
    const struct penrose_register a0 = {PENROSE_X, REGISTER_A0};
    uint32_t value[4] = {0};
    bool ends = ends_program(caller, &value[0]);
    if (ends) {
        console->exited |= 1u << caller->hart;
    } else {
        value[0] = answer_call(caller);
    }
    penrose_register_write(caller->chip, tile.x, tile.y, caller->hart, a0, value, NULL);
    if (!ends) {
        penrose_hart_resume(caller->chip, tile.x, tile.y, caller->hart, NULL);
    }
}

bool console_is_called(const struct console *console, struct penrose_chip *chip)
{
    struct caller caller;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (find_caller(console, chip, hart, &caller)) {
            return true;
        }
    }
    return false;
}

bool console_serve(struct console *console, struct penrose_chip *chip)
{
    struct caller caller;
    bool any = false;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (find_caller(console, chip, hart, &caller)) {
            serve_caller(&caller);
            any = true;
        }
    }
    return any;
}
