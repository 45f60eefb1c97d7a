/*
 * Columns: cycle, tile, hart, then for an instruction its pc, word, text, symbol and source line,
 * for an access its direction, address, value, size and what lies there.
 *
 * The texts of an instruction are made once and kept in a table with a line for each remainder of
 * the pc; an entry is right as long as tile, hart, pc and word are the same.
 */
#include "cli/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

enum { LINES = 4096, TEXT = 640 };

struct trace_line {
    bool known;
    unsigned x, y;
    enum penrose_hart hart;
    uint32_t pc, word;
    char text[TEXT];
};

struct trace {
    struct penrose_chip *chip;
    const char *path; /* NULL: stderr */
    FILE *file;
    struct trace_line line[LINES];
};

static const char *describe(struct trace *trace, const struct penrose_trace_event *event)
{
    struct trace_line *line = &trace->line[event->pc / 4 % LINES];
    if (line->known && line->pc == event->pc && line->word == event->word &&
        line->hart == event->hart && line->x == event->x && line->y == event->y) {
        return line->text;
    }
    char instruction[128], symbol[128], source[256];
    *line = (struct trace_line){.known = true,
                                .x = event->x,
                                .y = event->y,
                                .hart = event->hart,
                                .pc = event->pc,
                                .word = event->word};
    penrose_disassemble(event->word, event->pc, instruction, sizeof instruction);
    penrose_locate(trace->chip, event->x, event->y, event->hart, event->pc, symbol, sizeof symbol,
                   source, sizeof source);
    snprintf(line->text, sizeof line->text, "%-32s %s%s%s", instruction, symbol,
             *source ? "  " : "", source);
    return line->text;
}

static void write_event(void *context, const struct penrose_trace_event *event)
{
    struct trace *trace = context;
    fprintf(trace->file, "%10llu %2u,%-2u %-6s ", (unsigned long long)event->cycle, event->x,
            event->y, penrose_hart_name(event->hart));
    if (event->type == PENROSE_TRACE_INSTRUCTION) {
        fprintf(trace->file, "0x%08x %08x  %s\n", event->pc, event->word, describe(trace, event));
    } else {
        fprintf(trace->file, "  %-5s 0x%08x %s 0x%0*x  %u bytes, %s\n",
                event->store ? "store" : "load", event->address, event->store ? "<-" : "->",
                (int)event->size * 2, event->value, event->size, event->range);
    }
}

enum cli_exit trace_start(const struct cli *cli, struct penrose_chip *chip, const char *path,
                          struct trace **result)
{
    struct trace *trace = calloc(1, sizeof *trace);
    *result = NULL;
    if (!trace) {
        return complain(cli, "--trace: no memory");
    }
    trace->chip = chip;
    trace->path = path;
    trace->file = path ? fopen(path, "w") : stderr;
    if (!trace->file) {
        complain(cli, "--trace: cannot write %s: %s", path, strerror(errno));
        free(trace);
        return CLI_REFUSED;
    }
    penrose_trace(chip, write_event, trace);
    *result = trace;
    return CLI_DONE;
}

void trace_forget(struct trace *trace)
{
    for (unsigned i = 0; trace && i < LINES; i++) {
        trace->line[i].known = false;
    }
}

enum cli_exit trace_stop(const struct cli *cli, struct trace *trace)
{
    enum cli_exit exit = CLI_DONE;
    if (!trace) {
        return exit;
    }
    penrose_trace(trace->chip, NULL, NULL);
    bool failed = ferror(trace->file) != 0;
    failed |= (trace->path ? fclose(trace->file) : fflush(trace->file)) != 0;
    if (failed) {
        exit = complain(cli, "--trace: cannot write %s: %s", trace->path ? trace->path : "stderr",
                        strerror(errno));
    }
    free(trace);
    return exit;
}
