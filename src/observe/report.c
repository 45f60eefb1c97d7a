/*
 * The text of a guest fault. Its first line can stand alone: the rule that was broken and where;
 * the lines after it give the instruction and what else is known.
 */
#include "observe/report.h"

#include <stdio.h>
#include <string.h>

#include "arch/names.h"
#include "observe/observer.h"
#include "observe/sink.h"

static const char *text_or(const char *text, const char *otherwise)
{
    return text && *text ? text : otherwise;
}

/* Writes the culprit: the hart, and the instruction if there is one. */
static void put_culprit(struct sink *sink, const struct penrose_fault *fault)
{
    if (fault->thread >= 0 && fault->hart == PENROSE_NO_HART) {
        sink_put(sink, "tensix thread %d, " OBSERVED_INJECTED, fault->thread);
        return;
    }
    if (fault->thread >= 0) {
        sink_put(sink, "tensix thread %d, pushed by ", fault->thread);
    }
    sink_put(sink, "%s", fault->hart_name);
    if (fault->hart != PENROSE_NO_HART) {
        sink_put(sink, " at pc 0x%08x", fault->pc);
        sink_put(sink, "%s%s", *fault->symbol ? " in " : "", fault->symbol);
        sink_put(sink, "%s%s", *fault->source ? ", " : "", fault->source);
    }
}

static void put_headline(struct sink *sink, const struct penrose_fault *fault)
{
    const char *rule = text_or(fault->rule, arch_fault_rule(fault->kind));
    sink_put(sink, "%s: tile (%u, %u) ", text_or(arch_fault_name(fault->kind), "fault"), fault->x,
             fault->y);
    put_culprit(sink, fault);
    sink_put(sink, ": %s\n", text_or(rule, "no rule is known"));
}

int report_fault_format(const struct penrose_fault *fault, char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};
    put_headline(&sink, fault);
    for (unsigned i = 0; i < PENROSE_INLINED && *fault->inlined_at[i]; i++) {
        sink_put(&sink, "  inlined at   %s\n", fault->inlined_at[i]);
    }
    if (*fault->disassembly) {
        sink_put(&sink, "  instruction  %08x  %s\n", fault->word, fault->disassembly);
    }
    if (*fault->rule && arch_fault_rule(fault->kind)) {
        sink_put(&sink, "  rule         %s\n", arch_fault_rule(fault->kind));
    }
    if (*fault->hint) {
        sink_put(&sink, "  hint         %s\n", fault->hint);
    }
    sink_put(&sink, "  cycle        %llu\n", (unsigned long long)fault->cycle);
    if (fault->repeated) {
        sink_put(&sink, "  repeated     %llu times\n", (unsigned long long)fault->repeated);
    }
    return sink.length;
}

static bool is_same_line(const struct penrose_fault *a, const struct penrose_fault *b)
{
    bool is_same = !strcmp(a->source, b->source);
    for (unsigned i = 0; i < PENROSE_INLINED; i++) {
        is_same &= !strcmp(a->inlined_at[i], b->inlined_at[i]);
    }
    return is_same;
}

/* The length of "main" in "main+0x1c"; of C++ there are names with a '+' of their own. */
static size_t function_length(const char *symbol)
{
    const char *offset = strrchr(symbol, '+');
    return offset && strncmp(offset, "+0x", 3) == 0 ? (size_t)(offset - symbol) : strlen(symbol);
}

static bool begins_alike(const char *a, size_t length_a, const char *b, size_t length_b)
{
    return length_a == length_b && strncmp(a, b, length_a) == 0;
}

/* The compiler may have unrolled a line: then instructions of one kind are alike, wherever they are. */
static bool is_same_code(const struct penrose_fault *a, const struct penrose_fault *b)
{
    bool is_same_place = a->pc == b->pc && a->word == b->word && !strcmp(a->symbol, b->symbol);
    bool is_unrolled = *a->source && *a->disassembly &&
                       begins_alike(a->symbol, function_length(a->symbol), b->symbol,
                                    function_length(b->symbol)) &&
                       begins_alike(a->disassembly, strcspn(a->disassembly, " "), b->disassembly,
                                    strcspn(b->disassembly, " "));
    return is_same_line(a, b) && (is_same_place || is_unrolled);
}

bool report_fault_alike(const struct penrose_fault *fault, const struct penrose_fault *other)
{
    bool is_same = fault->kind == other->kind && fault->policy == other->policy &&
                   fault->hart == other->hart && fault->thread == other->thread &&
                   !strcmp(fault->hart_name, other->hart_name) && is_same_code(fault, other);
    bool has_instruction = fault->word != 0, has_hart = fault->hart != PENROSE_NO_HART;
    return is_same && (has_instruction || !strcmp(fault->rule, other->rule)) &&
           (has_hart || fault->address == other->address);
}

int report_fault_format_others(const struct penrose_fault *fault, const struct penrose_place *tiles,
                               size_t count, char *text, size_t size)
{
    enum { NAMED = 8 };
    struct sink sink = {.text = text, .size = size};
    size_t here = 0;
    sink_put(&sink, "%s: ", text_or(arch_fault_name(fault->kind), "fault"));
    put_culprit(&sink, fault);
    for (size_t i = 0; i < count; i++) {
        here += tiles[i].x == fault->x && tiles[i].y == fault->y;
    }
    if (here > 0) {
        sink_put(&sink, ": the same %zu more time%s on this tile", here, here == 1 ? "" : "s");
    }
    if (here < count) {
        sink_put(&sink, "%s the same on %zu more tile%s:", here ? ", and" : ":", count - here,
                 count - here == 1 ? "" : "s");
    }
    for (size_t i = 0, named = 0; i < count && named <= NAMED; i++) {
        bool is_here = tiles[i].x == fault->x && tiles[i].y == fault->y;
        if (!is_here && named++ < NAMED) {
            sink_put(&sink, "%s (%u, %u)", named > 1 ? "," : "", tiles[i].x, tiles[i].y);
        }
    }
    sink_put(&sink, "%s\n", count - here > NAMED ? ", ..." : "");
    return sink.length;
}

/* --- What stopped --- */

static void format_access(const struct penrose_stop *stop, char *text, size_t size)
{
    char by[120] = "";
    if (stop->agent == PENROSE_AGENT_NOC && stop->thread >= 0) {
        snprintf(by, sizeof by, ", " OBSERVED_INJECTED);
    } else if (stop->agent == PENROSE_AGENT_NOC && stop->pc) {
        snprintf(by, sizeof by, ", a packet of (%u, %u), sent at pc 0x%x", stop->from_x,
                 stop->from_y, stop->pc);
    } else if (stop->agent == PENROSE_AGENT_NOC) {
        snprintf(by, sizeof by, ", a packet of (%u, %u)", stop->from_x, stop->from_y);
    } else if (stop->agent == PENROSE_AGENT_ETHERNET) {
        int length = snprintf(by, sizeof by, ", a frame of chip %u (%u, %u)", stop->from_chip,
                              stop->from_x, stop->from_y);
        if (stop->pc) {
            snprintf(by + length, sizeof by - (size_t)length, ", sent at pc 0x%x", stop->pc);
        }
    } else if (stop->agent != PENROSE_AGENT_HOST) {
        snprintf(by, sizeof by, ", %s pc 0x%x", stop->thread < 0 ? "at" : "pushed at", stop->pc);
    }
    snprintf(text, size, "%s of (%u, %u) %s %u bytes at 0x%08x%s", arch_agent_name(stop->agent),
             stop->x, stop->y, stop->write ? "wrote" : "read", stop->size, stop->address, by);
}

int report_stop_format(const struct penrose_stop *stop, char *text, size_t size)
{
    static const char *const reasons[] = {[PENROSE_STOP_BREAKPOINT] = "breakpoint",
                                          [PENROSE_STOP_WATCHPOINT] = "watchpoint",
                                          [PENROSE_STOP_STEP] = "step",
                                          [PENROSE_STOP_EBREAK] = "ebreak",
                                          [PENROSE_STOP_TENSIX] = "Tensix instruction"};
    char what[240], number[16] = "";
    if (stop->reason == PENROSE_STOP_WATCHPOINT) {
        format_access(stop, what, sizeof what);
    } else if (stop->reason == PENROSE_STOP_TENSIX) {
        snprintf(what, sizeof what, "of thread %d of (%u, %u), pushed at pc 0x%x", stop->thread,
                 stop->x, stop->y, stop->pc);
    } else {
        snprintf(what, sizeof what, "%s of (%u, %u) at pc 0x%x", arch_agent_name(stop->agent),
                 stop->x, stop->y, stop->pc);
    }
    if (stop->id) {
        snprintf(number, sizeof number, " %u", stop->id);
    }
    return snprintf(text, size, "%s%s: %s, in cycle %llu", reasons[stop->reason], number, what,
                    (unsigned long long)stop->cycle);
}
