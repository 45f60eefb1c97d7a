/*
 * The texts of an instruction are made once and kept in a table with a line for each remainder of
 * the pc; an entry is right as long as tile, hart, pc and word are the same.
 */
#include "observe/trace_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 4096, TEXT = 640 };

struct known_line {
    bool known;
    unsigned x, y;
    enum penrose_hart hart;
    uint32_t pc, word;
    char text[TEXT];
};

struct trace_text {
    struct penrose_chip *chip;
    struct known_line line[LINES];
};

struct trace_text *trace_text_create(struct penrose_chip *chip)
{
    struct trace_text *text = calloc(1, sizeof *text);
    if (text) {
        text->chip = chip;
    }
    return text;
}

void trace_text_destroy(struct trace_text *text)
{
    free(text);
}

void trace_text_forget(struct trace_text *text)
{
    for (unsigned i = 0; i < LINES; i++) {
        text->line[i].known = false;
    }
}

static const char *describe(struct trace_text *text, const struct penrose_trace_event *event)
{
    struct known_line *line = &text->line[event->pc / 4 % LINES];
    if (line->known && line->pc == event->pc && line->word == event->word &&
        line->hart == event->hart && line->x == event->x && line->y == event->y) {
        return line->text;
    }
    char instruction[128], symbol[128], source[256];
    *line = (struct known_line){.known = true,
                                .x = event->x,
                                .y = event->y,
                                .hart = event->hart,
                                .pc = event->pc,
                                .word = event->word};
    penrose_disassemble(event->word, event->pc, instruction, sizeof instruction);
    penrose_locate(text->chip, event->x, event->y, event->pc, symbol, sizeof symbol, source,
                   sizeof source);
    snprintf(line->text, sizeof line->text, "%-32s %s%s%s", instruction, symbol,
             *source ? "  " : "", source);
    return line->text;
}

size_t trace_text_line(struct trace_text *text, const struct penrose_trace_event *event,
                       char line[TRACE_LINE_BYTES])
{
    const size_t most = TRACE_LINE_BYTES - 1; /* without the newline */
    int head = snprintf(line, most, "%10llu %2u,%-2u %-6s ", (unsigned long long)event->cycle,
                        event->x, event->y, penrose_hart_name(event->hart));
    char *rest = line + head;
    size_t left = most - (size_t)head;
    if (event->type == PENROSE_TRACE_INSTRUCTION) {
        snprintf(rest, left, "0x%08x %08x  %s", event->pc, event->word, describe(text, event));
    } else {
        snprintf(rest, left, "  %-5s 0x%08x %s 0x%0*x  %u bytes, %s",
                 event->store ? "store" : "load", event->address, event->store ? "<-" : "->",
                 (int)event->size * 2, event->value, event->size, event->range);
    }
    size_t length = strlen(line);
    line[length] = '\n';
    return length + 1;
}
