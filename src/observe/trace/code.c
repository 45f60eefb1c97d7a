#include "observe/trace/code.h"

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"

enum { PLACES = 1 << 18 };

struct trace_place {
    uint32_t pc;
    uint16_t x, y;
    bool is_known;
    const char *symbol, *source;
    uint32_t symbol_offset, line;
};

bool trace_code_init(struct trace_code *code, struct penrose_chip *chip)
{
    *code = (struct trace_code){.chip = chip, .images = chip->images.changes};
    code->place = calloc(PLACES, sizeof *code->place);
    return code->place != NULL;
}

void trace_code_free(struct trace_code *code)
{
    free(code->place);
    names_free(&code->names);
    *code = (struct trace_code){0};
}

/* "text<separator>number" without the number, which is 0 where there is none. */
static const char *split_name(struct trace_code *code, const char *text, const char *separator,
                              uint32_t *number)
{
    const char *at = NULL;
    for (const char *next = text; (next = strstr(next, separator)); next++) {
        at = next;
    }
    *number = at ? (uint32_t)strtoul(at + 1, NULL, 0) : 0;
    return names_keep(&code->names, text, at ? (size_t)(at - text) : strlen(text));
}

static void locate(struct trace_code *code, struct trace_place *place,
                   const struct penrose_trace_event *event)
{
    char symbol[256], source[256];
    penrose_locate(code->chip, event->x, event->y, event->pc, symbol, sizeof symbol, source,
                   sizeof source);
    *place = (struct trace_place){
        .pc = event->pc, .x = (uint16_t)event->x, .y = (uint16_t)event->y, .is_known = true};
    place->symbol = split_name(code, symbol, "+0x", &place->symbol_offset);
    place->source = split_name(code, source, ":", &place->line);
}

/* Other programs have been loaded. */
static void forget_places(struct trace_code *code)
{
    memset(code->place, 0, PLACES * sizeof *code->place);
    code->images = code->chip->images.changes;
}

void trace_code_find(struct trace_code *code, struct penrose_trace_event *event)
{
    if (!event->pc && event->kind != PENROSE_TRACE_INSTRUCTION) {
        return;
    }
    if (code->images != code->chip->images.changes) {
        forget_places(code);
    }
    uint32_t hash = (event->pc / 4 ^ event->x << 13 ^ event->y << 9) * UINT32_C(0x9e3779b1);
    struct trace_place *place = &code->place[hash >> 14];
    if (!place->is_known || place->pc != event->pc || place->x != event->x ||
        place->y != event->y) {
        locate(code, place, event);
    }
    event->symbol = place->symbol;
    event->symbol_offset = place->symbol_offset;
    event->source = place->source;
    event->line = place->line;
}
