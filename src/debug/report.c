/*
 * The text of a guest fault. Its first line can stand alone: the rule that was broken and where;
 * the lines after it give the instruction and what else is known.
 */
#include <stdarg.h>
#include <stdio.h>

#include <penrose/penrose.h>

#define PENROSE_EXPORT __attribute__((visibility("default")))

/* Text that grows in a buffer of fixed size; `length` goes on counting past its end. */
struct sink {
    char *text;
    size_t size;
    int length;
};

static void __attribute__((format(printf, 2, 3))) put(struct sink *sink, const char *format, ...)
{
    size_t used = (size_t)sink->length < sink->size ? (size_t)sink->length : sink->size;
    char *end = sink->size ? sink->text + used : NULL;
    va_list arguments;
    va_start(arguments, format);
    sink->length += vsnprintf(end, sink->size - used, format, arguments);
    va_end(arguments);
}

static const char *text_or(const char *text, const char *otherwise)
{
    return text && *text ? text : otherwise;
}

static void put_headline(struct sink *sink, const struct penrose_fault *fault)
{
    const char *rule = text_or(fault->rule, penrose_fault_rule(fault->kind));
    put(sink, "%s: tile (%u, %u) %s", text_or(penrose_fault_name(fault->kind), "fault"), fault->x,
        fault->y, penrose_hart_name(fault->hart));
    if (fault->hart != PENROSE_NO_HART) {
        put(sink, " at pc 0x%08x", fault->pc);
        put(sink, "%s%s", *fault->symbol ? " in " : "", fault->symbol);
        put(sink, "%s%s", *fault->source ? ", " : "", fault->source);
    }
    put(sink, ": %s\n", text_or(rule, "no rule is known"));
}

PENROSE_EXPORT int penrose_fault_format(const struct penrose_fault *fault, char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};
    put_headline(&sink, fault);
    if (*fault->disassembly) {
        put(&sink, "  instruction  %08x  %s\n", fault->word, fault->disassembly);
    }
    if (*fault->rule && penrose_fault_rule(fault->kind)) {
        put(&sink, "  rule         %s\n", penrose_fault_rule(fault->kind));
    }
    put(&sink, "  cycle        %llu\n", (unsigned long long)fault->cycle);
    if (fault->repeated) {
        put(&sink, "  repeated     %llu times\n", (unsigned long long)fault->repeated);
    }
    return sink.length;
}
