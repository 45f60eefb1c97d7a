/*
 * The texts of instructions and of inlined calls are made once and kept in tables with a place for
 * each remainder of word and pc, or of a pointer.
 */
#include "observe/trace/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/names.h"
#include "chip/calls.h"
#include "loader/sources.h"
#include "observe/sink.h"
#include "observe/trace/record.h"

enum { KNOWN = 4096, INSTRUCTION_BYTES = 96, KNOWN_CALLS = 512, CALLS_BYTES = 256 };

struct known_text {
    bool is_known, is_tensix;
    uint32_t pc, word;
    char text[INSTRUCTION_BYTES];
};

/* The calls of an event, for a line. */
struct known_calls {
    const char *inlined_at; /* by its pointer */
    char text[CALLS_BYTES];
};

struct trace_text {
    const struct chip_calls *chip;
    struct known_text known[KNOWN];
    struct known_calls calls[KNOWN_CALLS];
};

struct trace_text *trace_text_create(const struct chip_calls *calls)
{
    struct trace_text *text = calloc(1, sizeof *text);
    if (text) {
        text->chip = calls;
    }
    return text;
}

void trace_text_destroy(struct trace_text *text)
{
    free(text);
}

const char *trace_text_instruction(struct trace_text *text, const struct penrose_trace_event *event)
{
    bool is_tensix = event->kind != PENROSE_TRACE_INSTRUCTION;
    uint32_t hash = (event->word ^ event->pc << 7) * UINT32_C(0x9e3779b1);
    struct known_text *known = &text->known[hash / (UINT32_MAX / KNOWN + 1)];
    if (!known->is_known || known->pc != event->pc || known->word != event->word ||
        known->is_tensix != is_tensix) {
        *known = (struct known_text){
            .is_known = true, .is_tensix = is_tensix, .pc = event->pc, .word = event->word};
        if (is_tensix) {
            text->chip->tensix_disassemble(event->word, known->text, sizeof known->text);
        } else {
            text->chip->disassemble(event->word, event->pc, known->text, sizeof known->text);
        }
    }
    return known->text;
}

/* The calls in a copy of an event's `inlined_at`, which is cut at their ends. */
static unsigned split_calls(char *copy, struct loader_call call[LOADER_MAX_CALLS])
{
    unsigned calls = 0;
    for (char *file; calls < LOADER_MAX_CALLS && (file = strsep(&copy, "\n")) != NULL;) {
        char *colon = strrchr(file, ':');
        if (colon) {
            *colon = 0;
            call[calls++] = (struct loader_call){file, (unsigned)strtoul(colon + 1, NULL, 10)};
        }
    }
    return calls;
}

const char *trace_text_calls(struct trace_text *text, const char *inlined_at)
{
    struct known_calls *known = &text->calls[(uintptr_t)inlined_at / 16 % KNOWN_CALLS];
    if (known->inlined_at != inlined_at) {
        struct loader_call call[LOADER_MAX_CALLS];
        char copy[TRACE_NAME_BYTES + 1];
        snprintf(copy, sizeof copy, "%s", inlined_at);
        unsigned calls = split_calls(copy, call);
        loader_calls_text(call, calls, false, known->text, sizeof known->text);
        known->inlined_at = inlined_at;
    }
    return known->text;
}

/* --- What happens --- */

static void put_result(struct sink *sink, const struct penrose_trace_event *event)
{
    static const char *const names[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                        "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                        "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                        "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    char text[24] = "";
    if (event->has_result && event->result.file == PENROSE_F) {
        snprintf(text, sizeof text, "f%u=0x%08" PRIx32, event->result.number & 31,
                 event->result_value);
    } else if (event->has_result) {
        snprintf(text, sizeof text, "%s=0x%08" PRIx32, names[event->result.number & 31],
                 event->result_value);
    }
    sink_put(sink, " %-14s", text);
}

static void put_instruction(struct sink *sink, struct trace_text *text,
                            const struct penrose_trace_event *event)
{
    sink_put(sink, "0x%08" PRIx32 " %08" PRIx32 "  %-32s", event->pc, event->word,
             trace_text_instruction(text, event));
    put_result(sink, event);
}

/* Who made the wait end: ", write, by brisc of 1,2 in cycle 1000". */
static void put_cause(struct sink *sink, const struct penrose_trace_event *event)
{
    const struct penrose_trace_cause *cause = &event->cause;
    const char *agent = arch_agent_name(cause->agent);
    if (cause->is_known && event->kind == PENROSE_TRACE_WAIT && *event->what) {
        sink_put(sink, ", %s", event->what);
    }
    if (cause->is_known && cause->thread >= 0) {
        sink_put(sink, ", by thread %d in cycle %" PRIu64, cause->thread, cause->cycle);
    } else if (cause->is_known) {
        sink_put(sink, ", by %s of %u,%u in cycle %" PRIu64, agent ? agent : "somebody", cause->x,
                 cause->y, cause->cycle);
    }
}

static void put_tensix(struct sink *sink, struct trace_text *text,
                       const struct penrose_trace_event *event)
{
    sink_put(sink, "thread %d   %08" PRIx32 "  %-32s", event->thread, event->word,
             trace_text_instruction(text, event));
    if (event->waited) {
        sink_put(sink, " waited %" PRIu64, event->waited);
    }
    put_cause(sink, event);
}

static void put_access(struct sink *sink, const struct penrose_trace_event *event)
{
    sink_put(sink, "  %-5s 0x%08" PRIx64 " %s 0x%0*" PRIx32 "  %u byte%s",
             event->begins ? "store" : "load", event->address, event->begins ? "<-" : "->",
             (int)(event->size <= 4 ? event->size * 2 : 8), event->value, event->size,
             event->size == 1 ? "" : "s");
    if (*event->what) {
        sink_put(sink, ", %s", event->what);
    }
}

static void put_data(struct sink *sink, const struct penrose_trace_event *event)
{
    sink_put(sink, "  %s %u bytes at 0x%08" PRIx64 "%s%s", event->begins ? "writes" : "reads",
             event->size, event->address, *event->what ? " of " : "", event->what);
    if (event->agent == PENROSE_AGENT_NOC) {
        sink_put(sink, " for %u,%u", event->peer_x, event->peer_y);
    } else if (event->agent == PENROSE_AGENT_ETHERNET) {
        sink_put(sink, " from %u,%u of chip %u", event->peer_x, event->peer_y, event->peer_chip);
    }
    if (event->thread >= 0) {
        sink_put(sink, ", thread %d", event->thread);
    }
}

static void put_packet(struct sink *sink, const struct penrose_trace_event *event)
{
    sink_put(sink, "  NoC %u: %s %s of %u bytes at 0x%08" PRIx64, event->noc,
             event->begins ? "sends" : "delivers", event->what, event->size, event->address);
    if (strncmp(event->what, "multicast", 9) != 0) {
        sink_put(sink, " %s %u,%u", event->begins ? "to" : "from", event->peer_x, event->peer_y);
    }
}

/* What a thread waits for begins with the text of its instruction. */
static void put_wait(struct sink *sink, const struct penrose_trace_event *event)
{
    if (event->thread >= 0) {
        sink_put(sink, "thread %d   %08" PRIx32 "  %s", event->thread, event->word, event->what);
    } else if (event->begins && event->size == 0) {
        sink_put(sink, "  waits for %s", event->what);
    } else if (event->begins) {
        sink_put(sink, "  waits: 0x%08" PRIx64 ", %s", event->address, event->what);
    } else {
        sink_put(sink, "  goes on after %" PRIu64 " cycles", event->waited);
        put_cause(sink, event);
        if (event->value > 0) {
            sink_put(sink, ", of which GDDR had it for %" PRIu32, event->value);
        }
    }
}

static void put_event(struct sink *sink, struct trace_text *text,
                      const struct penrose_trace_event *event)
{
    switch (event->kind) {
    case PENROSE_TRACE_INSTRUCTION:
        put_instruction(sink, text, event);
        break;
    case PENROSE_TRACE_TENSIX:
        put_tensix(sink, text, event);
        break;
    case PENROSE_TRACE_MEMORY:
    case PENROSE_TRACE_REGISTER:
        put_access(sink, event);
        break;
    case PENROSE_TRACE_DATA:
        put_data(sink, event);
        break;
    case PENROSE_TRACE_NOC:
        put_packet(sink, event);
        break;
    case PENROSE_TRACE_WAIT:
        put_wait(sink, event);
        break;
    case PENROSE_TRACE_KINDS:
        break;
    }
}

size_t trace_text_line(struct trace_text *text, const struct penrose_trace_event *event,
                       char line[TRACE_LINE_BYTES])
{
    struct sink sink = {.text = line, .size = TRACE_LINE_BYTES - 1}; /* without the newline */
    sink_put(&sink, "%10" PRIu64 " %2u,%-2u %-6s ", event->cycle, event->x, event->y,
             event->agent_name);
    put_event(&sink, text, event);
    if (*event->symbol) {
        sink_put(&sink, "  %s+0x%" PRIx32, event->symbol, event->symbol_offset);
    }
    if (*event->source) {
        sink_put(&sink, "  %s:%u", event->source, event->line);
    }
    if (*event->inlined_at) {
        sink_put(&sink, "%s", trace_text_calls(text, event->inlined_at));
    }
    size_t length = strlen(line);
    line[length] = '\n';
    return length + 1;
}
